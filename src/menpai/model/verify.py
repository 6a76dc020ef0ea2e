"""Whether a converted folder still answers as it did, in every runtime and precision here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from menpai.errors import ConfigError, MenpaiError, MissingExtraError
from menpai.machine import n_cpus
from menpai.model import golden, published
from menpai.model.manifest import Manifest
from menpai.model.open import choose_runtime, open_folder
from menpai.model.runtimes.protocol import PRECISIONS, RUNTIMES

if TYPE_CHECKING:
    from pathlib import Path

    from menpai.model.golden import Deviation
    from menpai.model.open import Opened
    from menpai.model.runtimes.protocol import Precision, RuntimeName


@dataclass(frozen=True, slots=True)
class Run:
    """One runtime and precision: how far it is from the known answers, or why it did not run."""

    runtime: RuntimeName
    precision: Precision
    deviation: Deviation | None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        head = {"runtime": self.runtime, "precision": self.precision}
        if self.deviation is None:
            return {**head, "passed": None, "reason": self.reason}
        return {**head, **self.deviation.to_dict(), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Verification:
    """What `verify` found.

    Attributes:
        chosen: The runtime and precision that are used here unless others are asked for.
        runs: All that were tried.
        published: Differences from the model card's examples; None where there is no card.
        notes: Why a faster precision was not chosen.
    """

    chosen: Run
    runs: tuple[Run, ...]
    published: list[dict[str, float]] | None
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether what would be used answers as it should, and every runtime does in fp32."""
        full = [run for run in self.runs if run.precision == "fp32" and run.deviation is not None]
        needed = [self.chosen, *full]
        return all(run.deviation is not None and run.deviation.passed for run in needed)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        chosen = self.chosen.to_dict()
        return {
            **chosen,
            "passed": self.passed,
            "published": self.published,
            "published_agrees": _agrees(self.published),
            "notes": list(self.notes),
            "runs": [run.to_dict() for run in self.runs],
        }


def verify(folder: Path, *, runtime: str = "auto", precision: str = "auto") -> Verification:
    """Run the known inputs of a converted folder and compare with the known answers.

    Args:
        folder: What `convert` made.
        runtime: The one to try; "auto" tries every one that is installed.
        precision: The one to try; "auto" tries every one that can run here.

    Raises:
        ModelError: The folder is damaged or does not answer as it should.
        ConfigError: A choice that is not allowed here.
        MissingExtraError: The runtime is not installed.
    """
    opened = open_folder(folder, runtime=runtime, precision=precision, n_threads=n_cpus())
    chosen = Run(opened.runtime.name, opened.runtime.precision, opened.deviation)
    differences = published.differences(opened.runtime, opened.manifest, opened.tokenizer)
    opened.runtime.close()
    runs = [chosen]
    for name in RUNTIMES if runtime == "auto" else (chosen.runtime,):
        for other in PRECISIONS if precision == "auto" else (chosen.precision,):
            if (name, other) != (chosen.runtime, chosen.precision):
                runs += _run(folder, name, other)
    return Verification(chosen, tuple(runs), differences, opened.notes)


def _run(folder: Path, name: RuntimeName, precision: Precision) -> list[Run]:
    """Try one; nothing where the runtime is not installed."""
    try:
        choose_runtime(name)
    except MissingExtraError:
        return []
    manifest = Manifest.read(folder)
    if precision not in manifest.precisions:
        return [Run(name, precision, None, "the folder was converted without it")]
    try:
        opened = _open(folder, name, precision)
    except ConfigError as error:
        return [Run(name, precision, None, str(error))]
    except MenpaiError as error:
        failed = golden.Deviation(precision, float("inf"), None, 0.0, passed=False)
        return [Run(name, precision, failed, str(error))]
    opened.runtime.close()
    return [Run(name, precision, opened.deviation)]


def _open(folder: Path, name: RuntimeName, precision: Precision) -> Opened:
    return open_folder(folder, runtime=name, precision=precision, n_threads=n_cpus())


def _agrees(differences: list[dict[str, float]] | None) -> bool | None:
    if differences is None:
        return None
    return all(abs(d) <= published.TOLERANCE for row in differences for d in row.values())

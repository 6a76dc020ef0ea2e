"""menpai.json: what a converted folder holds, and what decides its answers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from menpai.errors import ModelError
from menpai.model.config import EncoderConfig
from menpai.model.folder import read_json
from menpai.model.graph import Design
from menpai.model.pooling import POOLINGS
from menpai.model.runtimes.protocol import PRECISIONS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from menpai.model.checkpoint import Checkpoint, Family, Kind
    from menpai.model.pooling import Pooling
    from menpai.model.runtimes.protocol import Precision

FILE = "menpai.json"
FORMAT = 1
KINDS: tuple[Kind, ...] = ("vectors", "pairs", "rank", "tags")


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a converted folder says of itself.

    Attributes:
        kind: See `Checkpoint`, as for family, config, labels, pooling, prefix, has_segments,
            max_length and source_digest.
        has_pooler: Whether the head reads the first token through the pooler.
        precisions: Precisions that it can be run in, as far as the processor can.
        gates: Of each precision with a graph of its own beside fp32: how far it is from fp32, and
            the digest of its graph.
        fingerprint: Digest of all in this folder that changes an answer in fp32.
        calibration: How the model's numbers are to be read; None where nobody has measured it.
    """

    family: Family
    kind: Kind
    config: EncoderConfig
    labels: tuple[str, ...]
    pooling: Pooling | None
    prefix: str
    has_segments: bool
    has_pooler: bool
    max_length: int
    precisions: tuple[Precision, ...]
    gates: Mapping[str, Mapping[str, Any]]
    source_digest: str
    fingerprint: str
    calibration: Mapping[str, Any] | None = None
    format: int = FORMAT

    @property
    def design(self) -> Design:
        """What the graph computes."""
        return Design(self.config, self.pooling, self.has_pooler, bool(self.labels))

    @property
    def has_pairs(self) -> bool:
        """Whether an input is two texts."""
        return self.kind in {"pairs", "rank"}

    @classmethod
    def of(cls, checkpoint: Checkpoint, fingerprint: str) -> Manifest:
        """Describe a checkpoint that is converted in fp32."""
        return cls(
            family=checkpoint.family,
            kind=checkpoint.kind,
            config=checkpoint.config,
            labels=checkpoint.labels,
            pooling=checkpoint.pooling,
            prefix=checkpoint.prefix,
            has_segments=checkpoint.has_segments,
            has_pooler=checkpoint.design.has_pooler,
            max_length=checkpoint.max_length,
            precisions=("fp32", "bf16", "fp16"),
            gates={},
            source_digest=checkpoint.source_digest,
            fingerprint=fingerprint,
        )

    def to_dict(self) -> dict[str, Any]:
        """Give plain values for JSON."""
        return {**asdict(self), "config": self.config.to_dict()}

    def write(self, folder: Path) -> None:
        """Write menpai.json."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1)
        (folder / FILE).write_text(f"{text}\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read menpai.json.

        Raises:
            ModelError: It is not there, cannot be read, or was written by a newer version.
        """
        values = read_json(folder / FILE)
        if values is None:
            raise ModelError(
                f"{folder} is no converted checkpoint: it has no {FILE}; "
                "`menpai model convert` makes one"
            )
        if values.get("format") != FORMAT:
            raise ModelError(
                f"{FILE} has format {values.get('format')!r}, this version reads {FORMAT}: "
                "convert the checkpoint again"
            )
        try:
            if not _is_sound(values):
                raise ModelError(f"{FILE} in {folder} is damaged")
            return cls(
                **{
                    **values,
                    "config": EncoderConfig.from_dict(values["config"]),
                    "labels": tuple(values["labels"]),
                    "precisions": tuple(values["precisions"]),
                }
            )
        except (TypeError, KeyError, AttributeError) as error:
            raise ModelError(f"{FILE} in {folder} is damaged") from error


def _is_sound(values: Mapping[str, Any]) -> bool:
    """Say whether values are of those that are written; with others it would answer otherwise."""
    return (
        values["kind"] in KINDS
        and values["pooling"] in (POOLINGS if values["kind"] == "vectors" else (None,))
        and set(values["precisions"]) <= set(PRECISIONS)
        and isinstance(values["max_length"], int)
        and isinstance(values["has_segments"], bool)
        and all(isinstance(gate["passed"], bool) for gate in values["gates"].values())
        and all(0 <= share <= 1 for share in _shares(values).values())
    )


def _shares(values: Mapping[str, Any]) -> Mapping[str, float]:
    """How much the model counts beside the elements, by policy; none where nobody measured it."""
    calibration = values.get("calibration") or {}
    shares: Mapping[str, float] = calibration.get("shares", {})
    return shares

"""Which runtime and precision execute a checkpoint here, and the opened runtime."""

from __future__ import annotations

import platform
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from menpai.errors import (
    ConfigError,
    MemoryLimitError,
    MenpaiError,
    MissingExtraError,
    ModelError,
)
from menpai.machine import has_nvidia, n_cpus
from menpai.model import golden
from menpai.model.checkpoint import digest
from menpai.model.manifest import FILE as MANIFEST, Manifest
from menpai.model.runtimes.protocol import PRECISIONS, RUNTIMES, Plan, is_out_of_memory
from menpai.model.tokenizer import FILE as TOKENIZER, Tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from menpai.model.golden import Deviation
    from menpai.model.graph import Design
    from menpai.model.runtimes.protocol import Precision, Runtime, RuntimeName

_CLASSES: dict[RuntimeName, str] = {
    "openvino": "OpenVinoRuntime",
    "onnxruntime": "OnnxRuntime",
    "torch": "TorchRuntime",
}
_INSTALL: dict[RuntimeName, str] = {
    "openvino": "pip install openvino",
    "onnxruntime": "pip install onnxruntime",
    "torch": 'pip install "menpai[torch]"',
}
_GRAPH_RUNTIMES: tuple[RuntimeName, ...] = ("openvino", "onnxruntime")


@dataclass(frozen=True, slots=True)
class Opened:
    """A converted folder that runs.

    Attributes:
        runtime: What executes it; it states its name, precision, device and threads.
        manifest: What the folder says of itself.
        tokenizer: Cuts texts to tokens.
        deviation: How far the runtime's answers are from the folder's known ones.
        notes: Why a faster precision was passed over, one sentence each.
    """

    runtime: Runtime
    manifest: Manifest
    tokenizer: Tokenizer
    deviation: Deviation
    notes: tuple[str, ...] = ()


def open_folder(  # noqa: PLR0913 -- one for each choice that changes what is opened
    folder: Path,
    *,
    runtime: str = "auto",
    precision: str = "auto",
    n_threads: int,
    n_streams: int = 1,
    cache_dir: Path | None = None,
) -> Opened:
    """Load a converted folder and hold its answers against the known ones.

    Args:
        folder: What `menpai.model.convert.convert` made.
        runtime: "openvino", "onnxruntime" or "torch"; "auto" takes a graphics card where a runtime
            can use one, otherwise OpenVINO on x86-64 and ONNX Runtime elsewhere, as installed.
        precision: "fp32", "bf16", "fp16" or "int8"; "auto" takes the fastest that this processor
            computes by itself and that stays within its tolerance on the known answers.
        n_threads: Processors to use.
        n_streams: Batches to execute at the same time.
        cache_dir: Where compiled forms are kept between starts.

    Raises:
        ModelError: The folder is damaged, or gives other answers than the known ones in fp32.
        ConfigError: The runtime or precision is unknown, or not for this folder or processor.
        MissingExtraError: The runtime is not installed.
    """
    manifest = Manifest.read(folder)
    _check(precision, (*PRECISIONS, "auto"), "precision")
    name = choose_runtime(runtime)
    tokenizer = Tokenizer.load(folder / TOKENIZER, manifest.max_length)
    contents = digest([folder / MANIFEST])  # it has the digests of the graphs
    plan = Plan(folder, manifest.design, "fp32", n_threads, n_streams, cache_dir, contents=contents)
    notes: list[str] = []
    for candidate in _candidates(name, precision, manifest, notes):
        opened = _open(name, replace(plan, precision=candidate))
        deviation = golden.check(opened, folder, manifest, tokenizer)
        if deviation.passed or (precision == candidate and candidate != "fp32"):
            return Opened(opened, manifest, tokenizer, deviation, tuple(notes))
        opened.close()
        notes.append(_passed_over(deviation))
    raise ModelError(f"{folder} does not give its known answers with {name}: {'; '.join(notes)}")


def choose_runtime(name: str) -> RuntimeName:
    """Resolve "auto" and refuse what is unknown or not installed."""
    _check(name, (*RUNTIMES, "auto"), "runtime")
    installed = [r for r in RUNTIMES if find_spec(r) is not None]
    if name != "auto":
        wanted = next(r for r in RUNTIMES if r == name)
        if wanted not in installed:
            raise MissingExtraError(f"{wanted} is not installed: {_INSTALL[wanted]}")
        return wanted
    if not installed:
        raise MissingExtraError(f"no runtime is installed: {_INSTALL['onnxruntime']}")
    if has_nvidia():  # before a library is loaded that takes a second to say so
        for with_card in ("torch", "onnxruntime"):
            if with_card in installed and _module(with_card).has_gpu():
                return next(r for r in RUNTIMES if r == with_card)
    return _by_speed(installed)[0]


def _by_speed(installed: list[RuntimeName]) -> list[RuntimeName]:
    """Processors other than x86-64 are what OpenVINO is not made for first of all."""
    if platform.machine().lower() in {"x86_64", "amd64"}:
        return installed
    return sorted(installed, key=("onnxruntime", "openvino", "torch").index)


def _candidates(
    name: RuntimeName, wanted: str, manifest: Manifest, notes: list[str]
) -> Iterator[Precision]:
    if wanted != "auto":
        precision = next(p for p in PRECISIONS if p == wanted)
        if precision not in manifest.precisions:
            raise ConfigError(
                f"the folder was converted for {', '.join(manifest.precisions)}, not {precision}",
                field="precision",
            )
        yield precision
        return
    for precision in _module(name).fast_precisions():
        gate = manifest.gates.get(precision)
        if precision not in manifest.precisions:
            continue
        if gate is not None and not gate["passed"]:
            notes.append(f"{precision} was too far from fp32 when the checkpoint was converted")
            continue
        yield precision
    yield "fp32"


def _passed_over(deviation: Deviation) -> str:
    return (
        f"{deviation.precision} differs from the known answers by "
        f"{deviation.max_abs_difference:.3g}, more than it may"
    )


def _open(name: RuntimeName, plan: Plan) -> Runtime:
    try:
        opened: Runtime = getattr(_module(name), _CLASSES[name])(plan)
    except MenpaiError:
        raise
    except Exception as error:  # each library has errors of its own
        if is_out_of_memory(error):
            raise MemoryLimitError(f"{plan.graph.name} needs more memory") from error
        raise ModelError(
            f"{plan.graph} cannot be loaded by {name}: it is damaged, or {name} too old "
            f"({type(error).__name__})"
        ) from error
    return opened


def _module(name: str) -> Any:
    return import_module(f"menpai.model.runtimes.{name}")


def _check(value: str, allowed: tuple[str, ...], field: str) -> None:
    if value not in allowed:
        raise ConfigError(f"{field} {value!r} is none of {', '.join(allowed)}", field=field)


@contextmanager
def reference(
    folder: Path, design: Design, precision: Precision, *, file: str | None = None
) -> Iterator[Runtime]:
    """Open a graph while a folder is being made: nothing is checked, nothing is kept."""
    names = _by_speed([name for name in _GRAPH_RUNTIMES if find_spec(name) is not None])
    if not names:
        raise MissingExtraError(
            f"converting a checkpoint needs a runtime: {_INSTALL['onnxruntime']}"
        )
    opened = _open(names[0], Plan(folder, design, precision, n_cpus(), file=file))
    try:
        yield opened
    finally:
        opened.close()

"""OpenVINO on the processor: the fastest on x86-64, in fp32, bf16 and int8."""

from __future__ import annotations

import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import ConfigError, MemoryLimitError, MissingExtraError
from menpai.model.runtimes import compiled
from menpai.model.runtimes.protocol import is_out_of_memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from menpai.model.runtimes.protocol import Floats, Inputs, Plan, Precision

_HINTS: dict[Precision, str] = {"fp32": "f32", "bf16": "bf16", "fp16": "f16", "int8": "f32"}
"""The int8 graph states itself what is int8. The rest of it stays in fp32: left to itself, OpenVINO
takes bf16 where the processor has it, and one text gets other vectors on another machine."""
_CAPABILITIES: dict[Precision, str] = {"bf16": "BF16", "fp16": "FP16", "int8": "INT8"}

_one_at_a_time = threading.RLock()
"""OpenVINO sets the locale of the process while it reads a graph, and sets it back: two threads
that do so at once leave the process in the C locale, in which files are opened as ASCII."""


def fast_precisions() -> tuple[Precision, ...]:
    """Precisions that this processor computes faster than fp32, the fastest first.

    Others are not offered: without the processor's help OpenVINO emulates bf16 and needs 30 times
    as long as for fp32.
    """
    able = _library().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    order: tuple[Precision, ...] = ("int8", "bf16", "fp16")
    return tuple(p for p in order if _CAPABILITIES[p] in able)


class OpenVinoRuntime:
    """See `Runtime`."""

    name = "openvino"
    device = "cpu"

    def __init__(self, plan: Plan) -> None:
        if plan.precision != "fp32" and plan.precision not in fast_precisions():
            raise ConfigError(
                f"this processor has no {plan.precision}: it would be emulated, far slower than "
                f"fp32; it has fp32, {', '.join(fast_precisions())}",
                field="precision",
            )
        self.precision = plan.precision
        self.n_threads = plan.n_threads
        self.n_streams = plan.n_streams
        self._model = _compile(plan)
        self._requests = threading.local()

    def run(self, inputs: Inputs) -> Floats:
        """Execute one batch in the calling thread's own request."""
        request = getattr(self._requests, "own", None)
        if request is None:
            request = self._requests.own = self._model.create_infer_request()
        try:
            result = request.infer(inputs.named(), share_inputs=True, share_outputs=True)
        except Exception as error:
            if is_out_of_memory(error):
                raise MemoryLimitError(
                    f"a batch of {inputs.ids.shape} needs more memory"
                ) from error
            raise
        # The shared output is overwritten by the next batch.
        return np.array(result[0], dtype=np.float32)

    def close(self) -> None:
        """Let the compiled model go."""
        self._model = None
        self._requests = threading.local()


def _compile(plan: Plan) -> Any:
    library = _library()
    core = library.Core()
    options: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": _HINTS[plan.precision],
        "NUM_STREAMS": plan.n_streams,
        "INFERENCE_NUM_THREADS": plan.n_threads,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,  # a text's numbers shall not depend on its batch
        "ENABLE_CPU_PINNING": False,  # other work shares these processors
    }

    def compile_in(folder: Path | None) -> Any:
        kept = {} if folder is None else {"CACHE_DIR": str(folder)}
        return core.compile_model(str(plan.graph), "CPU", {**options, **kept})

    with _one_at_a_time:
        if plan.cache_dir is None:
            return compile_in(None)
        name = compiled.key(plan, options, library.get_version())
        return compiled.load(plan.cache_dir, name, compile_in)


def _library() -> Any:
    try:
        with _one_at_a_time, _without_telemetry():
            import openvino
    except ImportError as error:
        raise MissingExtraError("openvino is not installed: pip install openvino") from error
    return openvino


@contextmanager
def _without_telemetry() -> Iterator[None]:
    """Hide the package with which OpenVINO tells Google Analytics of every import of it.

    OpenVINO does without where it is not installed.
    """
    name = "openvino_telemetry"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = None  # type: ignore[assignment]  # what Python takes for "not there"
    try:
        yield
    finally:
        del sys.modules[name]

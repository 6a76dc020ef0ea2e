"""OpenVINO on the processor: the fastest on x86-64, in fp32, bf16 and int8."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import ConfigError, MemoryLimitError, MissingExtraError
from menpai.model.runtimes.protocol import is_out_of_memory

if TYPE_CHECKING:
    from menpai.model.runtimes.protocol import Floats, Inputs, Plan, Precision

_HINTS: dict[Precision, str] = {"fp32": "f32", "bf16": "bf16", "fp16": "f16", "int8": "f32"}
"""The int8 graph states itself what is int8. The rest of it stays in fp32: left to itself, OpenVINO
takes bf16 where the processor has it, and one text gets other vectors on another machine."""
_CAPABILITIES: dict[Precision, str] = {"bf16": "BF16", "fp16": "FP16", "int8": "INT8"}


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
    core = _library().Core()
    options: dict[str, Any] = {
        "INFERENCE_PRECISION_HINT": _HINTS[plan.precision],
        "NUM_STREAMS": plan.n_streams,
        "INFERENCE_NUM_THREADS": plan.n_threads,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 0,  # a text's numbers shall not depend on its batch
        "ENABLE_CPU_PINNING": False,  # other work shares these processors
    }
    path = str(plan.graph)
    if plan.cache_dir is not None:
        try:
            return core.compile_model(path, "CPU", {**options, "CACHE_DIR": str(plan.cache_dir)})
        except RuntimeError:  # a cache that cannot be written, or is damaged, is no reason to stop
            return core.compile_model(path, "CPU", options)
    return core.compile_model(path, "CPU", options)


def _library() -> Any:
    try:
        import openvino
    except ImportError as error:
        raise MissingExtraError("openvino is not installed: pip install openvino") from error
    return openvino

"""ONNX Runtime: on every processor, and on NVIDIA cards where its GPU build is installed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import ConfigError, MemoryLimitError, MissingExtraError
from menpai.machine import has_nvidia
from menpai.model.graph import OUTPUT
from menpai.model.runtimes.protocol import is_out_of_memory

if TYPE_CHECKING:
    from menpai.model.runtimes.protocol import Floats, Inputs, Plan, Precision

_PRECISIONS: tuple[Precision, ...] = ("fp32", "int8")


def has_gpu() -> bool:
    """Say whether the installed build runs on an NVIDIA card that is there."""
    return has_nvidia() and "CUDAExecutionProvider" in _library().get_available_providers()


def fast_precisions() -> tuple[Precision, ...]:
    """Precisions that are faster than fp32, the fastest first; on a card int8 is far slower."""
    return () if has_gpu() else ("int8",)


class OnnxRuntime:
    """See `Runtime`."""

    name = "onnxruntime"

    def __init__(self, plan: Plan) -> None:
        if plan.precision not in _PRECISIONS:
            raise ConfigError(
                f"onnxruntime computes in {', '.join(_PRECISIONS)}, not {plan.precision}; "
                "torch computes in bf16 and fp16 too",
                field="precision",
            )
        self.precision = plan.precision
        self.n_threads = plan.n_threads
        self.n_streams = plan.n_streams
        self._session = _session(plan)
        is_gpu = "CUDAExecutionProvider" in self._session.get_providers()
        self.device = "cuda" if is_gpu else "cpu"

    def run(self, inputs: Inputs) -> Floats:
        """Execute one batch."""
        try:
            (output,) = self._session.run([OUTPUT], inputs.named())
        except Exception as error:
            if is_out_of_memory(error):
                raise MemoryLimitError(
                    f"a batch of {inputs.ids.shape} needs more memory"
                ) from error
            raise
        return np.asarray(output, dtype=np.float32)

    def close(self) -> None:
        """Let the session go."""
        self._session = None


def _session(plan: Plan) -> Any:
    library = _library()
    options = library.SessionOptions()
    options.intra_op_num_threads = max(1, plan.n_threads // plan.n_streams)
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False  # it would keep the memory of the greatest batch for good
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")  # idle is idle
    wanted = ["CUDAExecutionProvider"] if has_gpu() else []
    return library.InferenceSession(
        str(plan.graph), options, providers=[*wanted, "CPUExecutionProvider"]
    )


def _library() -> Any:
    # From 1.29 on it keeps a number for this machine in the home folder and reports each session,
    # unless this is set before it is loaded.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    try:
        import onnxruntime
    except ImportError as error:
        raise MissingExtraError("onnxruntime is not installed: pip install onnxruntime") from error
    return onnxruntime

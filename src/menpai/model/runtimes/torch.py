"""PyTorch: half precision on graphics cards, and the reference that the others are held against."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import ConfigError, MemoryLimitError, MissingExtraError, ModelError
from menpai.machine import has_nvidia
from menpai.model import graph, keys
from menpai.model.runtimes.protocol import is_out_of_memory
from menpai.model.weights import INSTALL

if TYPE_CHECKING:
    from menpai.model.graph import Design
    from menpai.model.runtimes.protocol import Floats, Inputs, Plan, Precision

_PRECISIONS: tuple[Precision, ...] = ("fp32", "bf16", "fp16")


def has_gpu() -> bool:
    """Say whether torch can use an NVIDIA card that is there."""
    return has_nvidia() and bool(_library().cuda.is_available())


def fast_precisions() -> tuple[Precision, ...]:
    """Precisions that are faster than fp32, the fastest first."""
    if has_gpu():
        return ("bf16", "fp16") if _library().cuda.is_bf16_supported() else ("fp16",)
    return ()


class TorchRuntime:
    """See `Runtime`."""

    name = "torch"

    def __init__(self, plan: Plan) -> None:
        if plan.precision not in _PRECISIONS:
            raise ConfigError(
                f"torch computes in {', '.join(_PRECISIONS)}, not {plan.precision}",
                field="precision",
            )
        torch = _library()
        self.precision = plan.precision
        self.device = "cuda" if has_gpu() else "cpu"
        self.n_threads = plan.n_threads
        self.n_streams = 1  # its threads are the process's: more streams would fight for them
        torch.set_num_threads(plan.n_threads)
        types = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
        self._torch = torch
        self._design = plan.design
        arrays = graph.constants(plan.graph)
        self._weights = {
            name: _tensor(torch, array).to(self.device, types[plan.precision])
            for name, array in arrays.items()
            if name.endswith((".weight", ".bias"))
        }
        missing = [n for n in keys.expected(plan.design.config) if n not in self._weights]
        if missing:
            raise ModelError(f"{plan.graph} is damaged: it has no {missing[0]}")

    def run(self, inputs: Inputs) -> Floats:
        """Execute one batch."""
        torch = self._torch
        try:
            with torch.inference_mode():
                given = {
                    name: torch.from_numpy(array.astype(np.int64)).to(self.device)
                    for name, array in inputs.named().items()
                }
                output = _Forward(torch, self._design, self._weights).run(given)
                found: Floats = output.float().cpu().numpy()
        except Exception as error:
            if is_out_of_memory(error):
                raise MemoryLimitError(
                    f"a batch of {inputs.ids.shape} needs more memory"
                ) from error
            raise
        return found

    def close(self) -> None:
        """Let the weights go."""
        self._weights = {}


class _Forward:
    """One pass through the encoder; linear weights lie as (input, output)."""

    def __init__(self, torch: Any, design: Design, weights: dict[str, Any]) -> None:
        self.torch = torch
        self.functional = torch.nn.functional
        self.design = design
        self.config = design.config
        self.weights = weights

    def run(self, given: dict[str, Any]) -> Any:
        mask = given["mask"]
        bias = ((1 - mask) * -10000.0).to(self._type)[:, None, None, :]
        hidden = self._embeddings(given)
        for layer in range(self.config.n_layers):
            hidden = self._layer(hidden, bias, f"encoder.layer.{layer}")
        return self._finish(hidden, mask)

    @property
    def _type(self) -> Any:
        return self.weights["embeddings.LayerNorm.weight"].dtype

    def _embeddings(self, given: dict[str, Any]) -> Any:
        ids = given["ids"]
        total = self._table("word")[ids] + self._table("token_type")[given["segments"]]
        for name, _ in self.config.channels:
            total = total + self._table(f"channel_{name}")[given[name]]
        total = total + self._table("position")[: ids.shape[1]]
        return self._norm(total, "embeddings.LayerNorm")

    def _table(self, name: str) -> Any:
        return self.weights[f"embeddings.{name}_embeddings.weight"]

    def _linear(self, x: Any, name: str) -> Any:
        return x @ self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"]

    def _norm(self, x: Any, name: str) -> Any:
        parts = (self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])
        return self.functional.layer_norm(x, (x.shape[-1],), *parts, self.config.norm_epsilon)

    def _layer(self, hidden: Any, bias: Any, name: str) -> Any:
        context = self._attention(hidden, bias, f"{name}.attention.self")
        attended = self._linear(context, f"{name}.attention.output.dense") + hidden
        hidden = self._norm(attended, f"{name}.attention.output.LayerNorm")
        inner = self._activation(self._linear(hidden, f"{name}.intermediate.dense"))
        return self._norm(
            self._linear(inner, f"{name}.output.dense") + hidden, f"{name}.output.LayerNorm"
        )

    def _attention(self, hidden: Any, bias: Any, name: str) -> Any:
        n, length, width = hidden.shape
        heads = self.config.n_heads
        query, key, value = (
            self._linear(hidden, f"{name}.{part}")
            .view(n, length, heads, width // heads)
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        scale = 1.0 / math.sqrt(width // heads)
        context = self.functional.scaled_dot_product_attention(
            query, key, value, attn_mask=bias, scale=scale
        )
        return context.transpose(1, 2).reshape(n, length, width)

    def _activation(self, x: Any) -> Any:
        if self.config.activation == "relu":
            return self.functional.relu(x)
        approximate = "tanh" if self.config.activation == "gelu_new" else "none"
        return self.functional.gelu(x, approximate=approximate)

    def _finish(self, hidden: Any, mask: Any) -> Any:
        if not self.design.has_head:
            return self._pool(hidden, mask)
        if self.design.has_pooler:
            hidden = self.torch.tanh(self._linear(hidden[:, 0], "pooler.dense"))
        return self._linear(hidden, "classifier")

    def _pool(self, hidden: Any, mask: Any) -> Any:
        if self.design.pooling == "cls":
            return hidden[:, 0]
        hidden, mask = hidden.float(), mask[:, :, None].float()
        if self.design.pooling == "max":
            return (hidden + (1 - mask) * -10000.0).amax(1)
        return (hidden * mask).sum(1) / mask.sum(1)


def _tensor(torch: Any, array: Any) -> Any:
    return torch.from_numpy(np.array(array))


def _library() -> Any:
    try:
        import torch
    except ImportError as error:
        raise MissingExtraError(f"this runtime needs torch: {INSTALL}") from error
    return torch

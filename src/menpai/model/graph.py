"""An encoder as an ONNX graph, written node by node: the same bytes from the same weights.

The one door of the library onnx. The graph is written here and not traced from another
implementation, so that converting needs none, every input is dynamic in rows and length, and the
int8 form is the same graph with quantised linear maps.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import MissingExtraError, ModelError
from menpai.model.weights import INSTALL

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from menpai.model.config import EncoderConfig
    from menpai.model.pooling import Pooling

    Array = NDArray[Any]
    Ranges = Mapping[str, tuple[float, float]]

OPSET = 20  # the first with Gelu
_IR = 9
OUTPUT = "output"
_SCALE = ".scale"
_MASKED = -10000.0  # as MGeo masks; half precision holds it, unlike the -1e9 of others
_MOST_LEVELS = 255  # of an unsigned byte: what most processors multiply with signed bytes fastest


@dataclass(frozen=True, slots=True)
class Design:
    """What a graph computes.

    Attributes:
        config: Sizes of the encoder.
        pooling: How a vector is made of the tokens' ones, for an encoder without head.
        has_pooler: Whether the head reads the first token through the pooler.
        has_head: Whether a linear head gives the output: (n, labels), or (n, length, labels)
            without a pooler. Otherwise it is the pooled vector, (n, width).
    """

    config: EncoderConfig
    pooling: Pooling | None
    has_pooler: bool
    has_head: bool

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs, each int32 of (n, length)."""
        return ("ids", "mask", "segments", *(name for name, _ in self.config.channels))

    @property
    def shape(self) -> tuple[str | int, ...]:
        """The output's sizes, by name where they are not fixed here."""
        if not self.has_head:
            return ("n", self.config.width)
        return ("n", "labels") if self.has_pooler else ("n", "length", "labels")


@dataclass(slots=True)
class _Graph:
    """Nodes and constants of a graph that grows."""

    onnx: Any
    weights: Mapping[str, Array]
    ranges: Ranges | None
    is_compact: bool = False
    nodes: list[Any] = field(default_factory=list)
    constants: dict[str, Array] = field(default_factory=dict)
    taps: dict[str, str] = field(default_factory=dict)
    """The input of each linear map by the map's name: what calibration looks at."""

    def add(self, op: str, *inputs: str, name: str | None = None, **attributes: Any) -> str:
        output = name or f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(op, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, value: Array) -> str:
        self.constants[name] = value
        return name

    def weight(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def linear(self, x: str, name: str) -> str:
        """X times the transposed weight, plus the bias; the weight lies as it is multiplied."""
        weight = np.ascontiguousarray(self.weights[f"{name}.weight"].T)
        self.taps[name] = x
        if self.ranges is None:
            stored = self._stored(f"{name}.weight", weight, axis=0)
            product = self.add("MatMul", x, stored)
        else:
            levels = self._quantised(x, *self.ranges[name])
            product = self.add("MatMul", levels, self._quantised_weight(name, weight))
        return self.add("Add", product, self.weight(f"{name}.bias"))

    def _quantised(self, x: str, low: float, high: float) -> str:
        """An activation in 256 steps between the ends that calibration saw."""
        given = f"{x}.dequantised"
        if f"{x}.scale" in self.constants:  # three maps of attention read one input
            return given
        scale, zero = _steps(low, high)
        names = (self.constant(f"{x}.scale", scale), self.constant(f"{x}.zero", zero))
        levels = self.add("QuantizeLinear", x, *names)
        return self.add("DequantizeLinear", levels, *names, name=given)

    def _quantised_weight(self, name: str, weight: Array) -> str:
        """A weight in steps of its own for each output, the same to both sides of zero."""
        levels, scale = _levels(weight, axis=0)
        names = (
            self.constant(f"{name}.weight", levels),
            self.constant(f"{name}.weight{_SCALE}", scale[0]),
            self.constant(f"{name}.weight.zero", np.zeros(scale.size, np.int8)),
        )
        return self.add("DequantizeLinear", *names, axis=1)

    def table(self, name: str) -> str:
        """A table of embeddings, each row in steps of its own where the graph is compact."""
        return self._stored(name, self.weights[name], axis=1)

    def _stored(self, name: str, value: Array, axis: int) -> str:
        """A weight as it is, or in a compact graph as bytes that a runtime scales at load."""
        if not self.is_compact:
            return self.constant(name, value)
        levels, scale = _levels(value, axis)
        kind = self.onnx.TensorProto.FLOAT
        wide = self.add("Cast", self.constant(name, levels), to=kind)
        return self.add("Mul", wide, self.constant(f"{name}{_SCALE}", scale))

    def norm(self, x: str, name: str, epsilon: float) -> str:
        parts = (self.weight(f"{name}.weight"), self.weight(f"{name}.bias"))
        return self.add("LayerNormalization", x, *parts, axis=-1, epsilon=epsilon)


def _levels(weight: Array, axis: int) -> tuple[Array, Array]:
    """Signed bytes and what they are multiplied by, one along the axis: (1, n) or (n, 1)."""
    ends = np.abs(weight).max(axis=axis, keepdims=True)
    scale = np.maximum(ends / 127.0, 1e-12).astype(np.float32)
    return np.clip(np.rint(weight / scale), -127, 127).astype(np.int8), scale


def _steps(low: float, high: float) -> tuple[Array, Array]:
    """Scale and zero point of an unsigned byte whose levels reach from low to high, and hold 0."""
    low, high = min(low, 0.0), max(high, 0.0)
    scale = max((high - low) / _MOST_LEVELS, 1e-12)
    zero = int(np.clip(round(-low / scale), 0, _MOST_LEVELS))
    return np.array(scale, np.float32), np.array(zero, np.uint8)


def build(
    design: Design,
    weights: Mapping[str, Array],
    *,
    ranges: Ranges | None = None,
    is_compact: bool = False,
) -> Any:
    """Write an encoder as an ONNX model.

    Args:
        design: What is to be computed.
        weights: Every weight by its name in `menpai.model.keys`.
        ranges: Least and greatest value of each linear map's input, by the map's name; with them
            the maps are computed in int8, static in the activations and per output in the weights.
        is_compact: Whether tables and maps that are computed in other numbers are kept as signed
            bytes with a scale for each row or output: a quarter of the file, and the weights are
            those that int8 has.
    """
    graph = _Graph(_onnx(), weights, ranges, is_compact)
    _finish(graph, design, _encoder(graph, design.config))
    return _model(graph, design, design.shape)


def build_tapped(design: Design, weights: Mapping[str, Array]) -> tuple[Any, list[str]]:
    """Write an encoder that gives the ends of its linear maps' inputs, and the maps' names.

    Its output is (maps, 2): the least and the greatest value of each.
    """
    graph = _Graph(_onnx(), weights, None)
    _finish(graph, design, _encoder(graph, design.config), output="unused")
    one = graph.constant("one_number", np.array([1], np.int64))
    ends = [
        graph.add(
            "Concat",
            *(
                graph.add("Reshape", graph.add(op, x, keepdims=0), one)
                for op in ("ReduceMin", "ReduceMax")
            ),
            axis=0,
        )
        for x in graph.taps.values()
    ]
    shape = graph.constant("maps_and_ends", np.array([-1, 2], np.int64))
    graph.add("Reshape", graph.add("Concat", *ends, axis=0), shape, name=OUTPUT)
    return _model(graph, design, ("maps", 2)), list(graph.taps)


def save(model: Any, path: Path) -> None:
    """Write a model; the same model gives the same bytes."""
    path.write_bytes(model.SerializeToString(deterministic=True))


def constants(path: Path) -> dict[str, Array]:
    """The weights of a written graph, by name; linear ones lie transposed, as (input, output)."""
    onnx = _onnx()
    found = {c.name: onnx.numpy_helper.to_array(c) for c in onnx.load(path).graph.initializer}
    for name in [name for name in found if f"{name}{_SCALE}" in found]:
        found[name] = found[name].astype(np.float32) * found[f"{name}{_SCALE}"]
    return found


def weights(path: Path) -> dict[str, Array]:
    """The weights of a written graph as a checkpoint has them: linear ones as (output, input).

    Raises:
        ModelError: The graph is damaged, or not there.
        MissingExtraError: The library onnx is not installed.
    """
    try:
        found = constants(path)
    except MissingExtraError:
        raise
    except Exception as error:  # of the file, or of a library that has errors of its own
        raise ModelError(f"{path} cannot be read: it is damaged, or not there") from error
    if not found:  # an empty file is a graph to the library, one without anything
        raise ModelError(f"{path} holds no weights: it is damaged")
    return {
        name: value if value.ndim < 2 or name.startswith("embeddings.") else value.T
        for name, value in found.items()
        if name.endswith((".weight", ".bias"))
    }


def _onnx() -> Any:
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError as error:
        raise MissingExtraError(f"converting a checkpoint needs onnx: {INSTALL}") from error
    return onnx


def _encoder(g: _Graph, config: EncoderConfig) -> str:
    hidden = _embeddings(g, config)
    bias = _mask_bias(g)
    for layer in range(config.n_layers):
        hidden = _layer(g, config, hidden, bias, f"encoder.layer.{layer}")
    return hidden


def _embeddings(g: _Graph, config: EncoderConfig) -> str:
    total = g.add("Gather", g.table("embeddings.word_embeddings.weight"), "ids")
    types = g.add("Gather", g.table("embeddings.token_type_embeddings.weight"), "segments")
    total = g.add("Add", total, types)
    for name, _ in config.channels:
        table = g.table(f"embeddings.channel_{name}_embeddings.weight")
        total = g.add("Add", total, g.add("Gather", table, name))
    length = g.add("Shape", "ids", start=1, end=2)
    zero = g.constant("zero", np.array([0], np.int64))
    table = g.table("embeddings.position_embeddings.weight")
    total = g.add("Add", total, g.add("Slice", table, zero, length, zero))
    return g.norm(total, "embeddings.LayerNorm", config.norm_epsilon)


def _mask_bias(g: _Graph) -> str:
    """What is added to attention: nothing for a token, a large negative number for padding."""
    g.constant("one", np.array(1.0, np.float32))
    g.constant("masked", np.array(_MASKED, np.float32))
    g.add("Cast", "mask", name="mask_float", to=g.onnx.TensorProto.FLOAT)
    bias = g.add("Mul", g.add("Sub", "one", "mask_float"), "masked")
    return g.add("Unsqueeze", bias, g.constant("heads_and_queries", np.array([1, 2], np.int64)))


def _layer(g: _Graph, config: EncoderConfig, hidden: str, bias: str, name: str) -> str:
    context = _attention(g, config, hidden, bias, f"{name}.attention.self")
    attended = g.add("Add", g.linear(context, f"{name}.attention.output.dense"), hidden)
    hidden = g.norm(attended, f"{name}.attention.output.LayerNorm", config.norm_epsilon)
    inner = _activation(g, g.linear(hidden, f"{name}.intermediate.dense"), config.activation)
    total = g.add("Add", g.linear(inner, f"{name}.output.dense"), hidden)
    return g.norm(total, f"{name}.output.LayerNorm", config.norm_epsilon)


def _attention(g: _Graph, config: EncoderConfig, hidden: str, bias: str, name: str) -> str:
    """Every token's mixture of all tokens' values, head by head; (n, length, width)."""
    width = config.width // config.n_heads
    split = g.constant("split_heads", np.array([0, 0, config.n_heads, width], np.int64))
    join = g.constant("join_heads", np.array([0, 0, config.width], np.int64))
    scale = g.constant("head_scale", np.array(width**-0.5, np.float32))
    orders = {"query": (0, 2, 1, 3), "key": (0, 2, 3, 1), "value": (0, 2, 1, 3)}
    query, key, value = (
        g.add("Transpose", g.add("Reshape", g.linear(hidden, f"{name}.{part}"), split), perm=order)
        for part, order in orders.items()
    )
    scores = g.add("Add", g.add("Mul", g.add("MatMul", query, key), scale), bias)
    context = g.add("MatMul", g.add("Softmax", scores, axis=-1), value)
    return g.add("Reshape", g.add("Transpose", context, perm=(0, 2, 1, 3)), join)


def _activation(g: _Graph, x: str, name: str) -> str:
    if name == "relu":
        return g.add("Relu", x)
    return g.add("Gelu", x, approximate="tanh" if name == "gelu_new" else "none")


def _finish(g: _Graph, design: Design, hidden: str, output: str = OUTPUT) -> None:
    if not design.has_head:
        _pool(g, design.pooling or "cls", hidden, output)
        return
    if design.has_pooler:
        hidden = g.add("Tanh", g.linear(_first(g, hidden), "pooler.dense"))
    g.add("Identity", g.linear(hidden, "classifier"), name=output)


def _pool(g: _Graph, pooling: Pooling, hidden: str, output: str) -> None:
    if pooling == "cls":
        g.add("Identity", _first(g, hidden), name=output)
        return
    last = g.constant("last_axis", np.array([2], np.int64))
    tokens = g.constant("token_axis", np.array([1], np.int64))
    mask = g.add("Unsqueeze", "mask_float", last)
    if pooling == "max":
        outside = g.add("Mul", g.add("Sub", "one", mask), "masked")
        g.add("ReduceMax", g.add("Add", hidden, outside), tokens, name=output, keepdims=0)
        return
    total = g.add("ReduceSum", g.add("Mul", hidden, mask), tokens, keepdims=0)
    g.add("Div", total, g.add("ReduceSum", mask, tokens, keepdims=0), name=output)


def _first(g: _Graph, hidden: str) -> str:
    """The vector of the first token, (n, width)."""
    index = g.constant("first", np.array(0, np.int64))
    return g.add("Gather", hidden, index, axis=1)


def _model(g: _Graph, design: Design, shape: tuple[str | int, ...]) -> Any:
    helper, kinds = g.onnx.helper, g.onnx.TensorProto
    graph = helper.make_graph(
        g.nodes,
        "encoder",
        [helper.make_tensor_value_info(n, kinds.INT32, ["n", "length"]) for n in design.inputs],
        [helper.make_tensor_value_info(OUTPUT, kinds.FLOAT, shape)],
        [g.onnx.numpy_helper.from_array(value, name) for name, value in g.constants.items()],
    )
    return helper.make_model(
        graph,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=_IR,
        producer_name="menpai",
    )

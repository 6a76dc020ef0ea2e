"""The graph: what the standard says of it, what its int8 form consists of, what calibration sees."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import (
    N_LAYERS,
    add_modules,
    hub_encoder,
    hub_tags,
    mgeo_alignment,
    mgeo_backbone,
)

from menpai.model import checkpoint as checkpoints, graph
from menpai.model.checkpoint import Checkpoint
from menpai.model.graph import OUTPUT
from menpai.model.open import reference
from menpai.model.runtimes.protocol import Inputs

onnx = pytest.importorskip("onnx", reason="the extra torch is not installed")

PARTS = (
    *("attention.self.query", "attention.self.key", "attention.self.value"),
    *("attention.output.dense", "intermediate.dense", "output.dense"),
)
KINDS = ("pairs", "tags", "cls", "mean", "max", "fewer layers", "channels")


@pytest.fixture(params=KINDS)
def found(request: pytest.FixtureRequest, tmp_path: Path) -> Checkpoint:
    """A checkpoint of each form that a graph can have."""
    builds: dict[str, Any] = {
        "pairs": mgeo_alignment,
        "tags": hub_tags,
        "fewer layers": mgeo_backbone,
    }
    builds.get(request.param, hub_encoder)(tmp_path)
    if request.param in {"cls", "mean", "max"}:
        add_modules(tmp_path, request.param)
    read = checkpoints.read(tmp_path)
    return with_channels(read) if request.param == "channels" else read


def with_channels(read: Checkpoint) -> Checkpoint:
    """Two inputs more."""
    channels = (("tag", 4), ("relation", 3))
    tables = {
        f"embeddings.channel_{name}_embeddings.weight": np.ones((size, 32), np.float32)
        for name, size in channels
    }
    config = replace(read.config, channels=channels)
    return replace(read, config=config, encoder={**read.encoder, **tables})


def maps(read: Checkpoint) -> list[str]:
    """Names of all linear maps in the order in which they are computed."""
    layers = [f"encoder.layer.{n}.{part}" for n in range(read.config.n_layers) for part in PARTS]
    pooler = ["pooler.dense"] if read.kind == "pairs" else []
    return layers + pooler + (["classifier"] if read.head is not None else [])


def ranges_of(read: Checkpoint) -> dict[str, tuple[float, float]]:
    """Some range for each."""
    return {name: (-3.0 - place, 2.0 + place) for place, name in enumerate(maps(read))}


def test_graph_is_valid(found: Checkpoint) -> None:
    """In fp32, in int8 and as calibration runs it: the standard's own checker, with all shapes."""
    tapped, _ = graph.build_tapped(found.design, found.weights)
    for model in (
        graph.build(found.design, found.weights),
        graph.build(found.design, found.weights, ranges=ranges_of(found)),
        tapped,
    ):
        onnx.checker.check_model(model, full_check=True)
        assert [given.name for given in model.graph.input] == list(found.design.inputs)
        assert [given.name for given in model.graph.output] == [OUTPUT]
        assert [(o.domain, o.version) for o in model.opset_import] == [("", graph.OPSET)]
        for given in model.graph.input:
            sizes = given.type.tensor_type.shape.dim
            assert [size.dim_param for size in sizes] == ["n", "length"]


def test_graph_has_no_other_weights(found: Checkpoint) -> None:
    """Each weight stands in it once, linear ones turned; the int8 form has no large float left."""
    plain = constants(graph.build(found.design, found.weights))
    for name, weight in found.weights.items():
        if name.startswith("pooler.") and found.kind != "pairs":
            assert name not in plain
            continue
        turned = weight.T if name.removesuffix(".weight") in maps(found) else weight
        np.testing.assert_array_equal(plain[name], turned)
    small = constants(graph.build(found.design, found.weights, ranges=ranges_of(found)))
    for name in maps(found):
        assert small[f"{name}.weight"].dtype == np.int8
        scaled = small[f"{name}.weight"] * small[f"{name}.weight.scale"]
        half_a_step = small[f"{name}.weight.scale"] * 0.501
        assert (np.abs(scaled - plain[f"{name}.weight"]) <= half_a_step).all()


def constants(model: Any) -> dict[str, Any]:
    """All constants by name."""
    return {c.name: onnx.numpy_helper.to_array(c) for c in model.graph.initializer}


def test_calibration_sees_the_inputs_of_the_quantised_maps(found: Checkpoint) -> None:
    """Names, in the order of the ranges that the int8 form asks for."""
    tapped, names = graph.build_tapped(found.design, found.weights)
    assert names == maps(found)
    last = {node.output[0]: node for node in tapped.graph.node}[OUTPUT]
    ends = {node.output[0]: node for node in tapped.graph.node}[last.input[0]]
    assert len(ends.input) == len(names)
    small = graph.build(found.design, found.weights, ranges=ranges_of(found))
    n_maps = sum(
        node.op_type == "MatMul" and "dequantizelinear" in node.input[1]
        for node in small.graph.node
    )
    assert n_maps == len(names)


def test_ranges_become_steps_of_the_right_input(tmp_path: Path) -> None:
    """The scale before each map is of that map's own range."""
    hub_encoder(tmp_path)
    read = checkpoints.read(tmp_path)
    ranges = {
        name: (-1.0 * (1 + place // 3), 1.0 + place // 3) for place, name in enumerate(maps(read))
    }
    # Query, key and value share an input, and so a range.
    for first in range(0, len(maps(read)), len(PARTS)):
        for name in maps(read)[first : first + 3]:
            ranges[name] = ranges[maps(read)[first]]
    model = graph.build(read.design, read.weights, ranges=ranges)
    values, makers = constants(model), {n.output[0]: n for n in model.graph.node}
    seen = 0
    for node in model.graph.node:
        if node.op_type == "MatMul" and node.input[1] in makers:
            weight = makers[node.input[1]]
            if weight.op_type != "DequantizeLinear":
                continue
            given = makers[node.input[0]]
            low, high = ranges[weight.input[0].removesuffix(".weight")]
            assert values[given.input[1]] == pytest.approx((high - low) / 255)
            seen += 1
    assert seen == N_LAYERS * len(PARTS)


@pytest.mark.parametrize(
    ("low", "high"), [(-2.0, 3.0), (1.0, 3.0), (-3.0, -1.0), (0.0, 0.0), (-1e-20, 1e-20)]
)
def test_steps_hold_zero_and_both_ends(low: float, high: float) -> None:
    """Zero has a level of its own: what is nothing stays nothing."""
    scale, zero = graph._steps(low, high)
    assert scale > 0
    levels = (np.arange(256) - float(zero)) * float(scale)
    assert 0.0 in levels
    for end in (low, high):
        assert np.abs(levels - end).min() <= 0.51 * scale


def test_ends_are_those_of_the_run(tmp_path: Path) -> None:
    """The first map reads the normed embeddings; the least is never above the greatest."""
    hub_encoder(tmp_path)
    read = checkpoints.read(tmp_path)
    tapped, names = graph.build_tapped(read.design, read.weights)
    graph.save(tapped, tmp_path / "tapped.onnx")
    ids = np.array([[4, 80, 81, 90, 5]], np.int32)
    with reference(tmp_path, read.design, "fp32", file="tapped.onnx") as runtime:
        ends = runtime.run(Inputs(ids, np.ones_like(ids), np.zeros_like(ids)))
    assert ends.shape == (len(names), 2)
    assert (ends[:, 0] < ends[:, 1]).all()
    weights = read.weights
    summed = (
        weights["embeddings.word_embeddings.weight"][ids[0]]
        + weights["embeddings.position_embeddings.weight"][:5]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    centred = summed - summed.mean(axis=-1, keepdims=True)
    normed = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True))
    normed = normed * weights["embeddings.LayerNorm.weight"] + weights["embeddings.LayerNorm.bias"]
    assert ends[0] == pytest.approx([normed.min(), normed.max()], abs=1e-5)
    assert ends[0].tolist() == ends[1].tolist() == ends[2].tolist()


def test_same_weights_give_the_same_bytes(found: Checkpoint, tmp_path: Path) -> None:
    """Whatever the order in which they come."""
    turned = dict(reversed(found.weights.items()))
    paths = [tmp_path / name for name in ("a.onnx", "b.onnx")]
    for path, weights in zip(paths, (found.weights, turned), strict=True):
        graph.save(graph.build(found.design, weights, ranges=ranges_of(found)), path)
    assert all(a.read_bytes() == b.read_bytes() for a, b in pairwise(paths))


# ---- Compact graphs ------------------------------------------------------------------------------


def test_a_compact_graph_is_valid(found: Checkpoint) -> None:
    """In fp32 and in int8."""
    for ranges in (None, ranges_of(found)):
        model = graph.build(found.design, found.weights, ranges=ranges, is_compact=True)
        onnx.checker.check_model(model, full_check=True)


def test_a_compact_graph_keeps_tables_and_maps_as_bytes(found: Checkpoint, tmp_path: Path) -> None:
    """And is a quarter of the other; what is read of it is what int8 computes with."""
    paths = {name: tmp_path / name for name in ("plain", "compact", "int8")}
    graph.save(graph.build(found.design, found.weights), paths["plain"])
    graph.save(graph.build(found.design, found.weights, is_compact=True), paths["compact"])
    int8 = graph.build(found.design, found.weights, ranges=ranges_of(found), is_compact=True)
    graph.save(int8, paths["int8"])
    stored = constants(onnx.load(paths["compact"]))
    wide = [
        n for n, v in stored.items() if v.dtype == np.float32 and v.ndim == 2 and 1 not in v.shape
    ]
    assert wide == []
    plain, compact = graph.weights(paths["plain"]), graph.weights(paths["compact"])
    assert set(plain) == set(compact)
    for name, value in graph.weights(paths["int8"]).items():
        np.testing.assert_array_equal(compact[name], value)
        step = np.abs(plain[name]).max() / 127
        assert np.abs(compact[name] - plain[name]).max() <= step * 0.501 + 1e-7


def test_a_compact_graph_answers_alike_everywhere(found: Checkpoint, tmp_path: Path) -> None:
    """The runtimes, and the torch that reads its weights."""
    pytest.importorskip("torch", reason="the extra torch is not installed")
    from menpai.model.runtimes.onnxruntime import OnnxRuntime
    from menpai.model.runtimes.protocol import Plan
    from menpai.model.runtimes.torch import TorchRuntime

    graph.save(graph.build(found.design, found.weights, is_compact=True), tmp_path / "model.onnx")
    channels = {name: np.ones((1, 4), np.int32) for name, _ in found.config.channels}
    ids, zeros = np.array([[2, 7, 9, 3]], np.int32), np.zeros((1, 4), np.int32)
    given = Inputs(ids, zeros + 1, zeros, channels)
    with reference(tmp_path, found.design, "fp32") as runtime:
        known = runtime.run(given)
    for kind in (OnnxRuntime, TorchRuntime):
        other = kind(Plan(tmp_path, found.design, "fp32", 1))
        np.testing.assert_allclose(other.run(given), known, atol=1e-4)
        other.close()

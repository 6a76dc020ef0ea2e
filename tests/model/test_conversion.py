"""Converted folders answer as an independent reference does, in every runtime."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from folders import (
    ADDRESSES,
    Folder,
    add_modules,
    hub_classifier,
    hub_encoder,
    hub_tags,
    mgeo_alignment,
    mgeo_backbone,
    mgeo_rerank,
    mgeo_tags,
)

from menpai.errors import ConfigError, ModelError, StorageError
from menpai.model import checkpoint as checkpoints, convert as converting, golden
from menpai.model.batches import pad
from menpai.model.convert import convert
from menpai.model.manifest import Manifest
from menpai.model.open import Opened, open_folder
from menpai.model.runtimes.protocol import RUNTIMES, Inputs
from menpai.model.tokenizer import Tokens

pytest.importorskip("torch", reason="the extra torch is not installed")

KINDS: dict[str, Callable[[Path], Folder]] = {
    "alignment": mgeo_alignment,
    "rerank": mgeo_rerank,
    "mgeo tags": mgeo_tags,
    "backbone, layers left out": mgeo_backbone,
    "encoder": hub_encoder,
    "gelu_new": lambda path: hub_encoder(path, activation="gelu_new"),
    "relu, old names": lambda path: hub_encoder(path, activation="relu", old_norm_names=True),
    "cls": lambda path: with_pooling(path, "cls"),
    "max": lambda path: with_pooling(path, "max"),
    "classifier": hub_classifier,
    "one logit": lambda path: hub_classifier(path, n_labels=1),
    "tags": hub_tags,
    "half, in shards": lambda path: hub_encoder(path, storage="bin-shards", dtype="float16"),
}


def with_pooling(path: Path, pooling: str) -> Folder:
    """An encoder that says how it makes a vector."""
    made = hub_encoder(path, prefix="")
    add_modules(path, pooling)
    return made


def tokens_of(opened: Opened) -> list[Tokens]:
    """Inputs of several lengths."""
    texts = [*ADDRESSES[:3], ADDRESSES[0][:5], ADDRESSES[1] * 3]
    if opened.manifest.has_pairs:
        return opened.tokenizer.pairs(list(zip(texts, reversed(texts), strict=True)))
    return opened.tokenizer.texts(texts)


def expected(made: Folder, opened: Opened, tokens: Tokens) -> Any:
    """What the reference gives for one input."""
    ids = tokens.ids[None]
    mask = np.ones_like(ids)
    segments = tokens.segments[None] if opened.manifest.has_segments else np.zeros_like(ids)
    hidden = reference.encode(made.weights, made.config, ids, mask, segments)
    kind = opened.manifest.kind
    if kind == "vectors":
        pool: dict[str, Callable[[], Any]] = {
            "cls": lambda: reference.cls_vector(hidden),
            "mean": lambda: reference.mean_vector(hidden, mask),
            "max": lambda: reference.max_vector(hidden, mask),
        }
        return reference.unit(pool[str(opened.manifest.pooling)]())[0]
    if kind == "tags":
        assert made.head is not None
        return reference.softmax(reference.tag_logits(made.head, hidden))[0]
    assert made.head is not None
    return reference.classify(made.head, reference.pooled(made.weights, hidden))[0]


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("kind", KINDS)
def test_answers_are_those_of_the_reference(tmp_path: Path, kind: str, runtime: str) -> None:
    """In fp32 within 1e-4, alone and beside longer texts."""
    made = KINDS[kind](tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    opened = open_folder(tmp_path / "out", runtime=runtime, precision="fp32", n_threads=1)
    tokens = tokens_of(opened)
    for batch, length in [([item], len(item.ids)) for item in tokens] + [(tokens, 64)]:
        inputs = pad(
            batch, length, opened.tokenizer.pad_id, has_segments=opened.manifest.has_segments
        )
        found = golden.readable(opened.runtime.run(inputs), opened.manifest)
        for row, item in zip(found, batch, strict=True):
            own = row[: len(item.ids)] if opened.manifest.kind == "tags" else row
            np.testing.assert_allclose(own, expected(made, opened, item), atol=1e-4)


def test_converting_twice_gives_the_same_bytes(tmp_path: Path) -> None:
    """All files, the int8 graph among them."""
    mgeo_alignment(tmp_path / "source")
    for out in ("one", "other"):
        convert(tmp_path / "source", tmp_path / out)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == [
        *("golden.json", "menpai.json", "model-int8.onnx", "model.onnx", "tokenizer.json")
    ]
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "other" / name).read_bytes()


def test_nothing_stays_of_a_conversion_that_failed(tmp_path: Path) -> None:
    """Neither the folder nor what was written aside; what was there before stays."""
    made = hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    before = (tmp_path / "out" / "menpai.json").read_bytes()
    broken = checkpoints.read(tmp_path / "source")
    weights = {name: array.copy() for name, array in broken.encoder.items()}
    weights["embeddings.LayerNorm.bias"][:] = np.nan
    with (
        pytest.raises(ModelError, match="not finite"),
        converting._folder_aside(tmp_path / "out") as aside,
    ):
        converting.write(replace(broken, encoder=weights), aside)
    assert (tmp_path / "out" / "menpai.json").read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "source"]
    assert made.path.is_dir()


def test_another_folder_is_not_replaced(tmp_path: Path) -> None:
    """Only what was converted, or is empty, may be written over."""
    hub_encoder(tmp_path / "source")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("mine")
    with pytest.raises(StorageError, match="in the way"):
        convert(tmp_path / "source", tmp_path / "out")
    assert (tmp_path / "out" / "letter.txt").read_text() == "mine"


def test_own_addresses_calibrate(tmp_path: Path) -> None:
    """Other addresses, other ranges, another graph in int8; in fp32 the same."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "one")
    convert(tmp_path / "source", tmp_path / "other", calibration=["望澜路88号", "银杏路9号"])
    one, other = (Manifest.read(tmp_path / name) for name in ("one", "other"))
    assert one.fingerprint == other.fingerprint
    assert one.gates["int8"]["digest"] != other.gates["int8"]["digest"]


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime"])
def test_int8_is_near_and_does_not_look_at_its_batch(tmp_path: Path, runtime: str) -> None:
    """A text alone and beside long ones: one vector, near the one in fp32."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out")
    full, small = (
        open_folder(tmp_path / "out", runtime=runtime, precision=p, n_threads=1)
        for p in ("fp32", "int8")
    )
    tokens = tokens_of(full)

    def vectors(opened: Opened, batch: list[Tokens], length: int) -> Any:
        inputs = pad(batch, length, opened.tokenizer.pad_id, has_segments=False)
        return golden.unit(opened.runtime.run(inputs))

    for item in tokens:
        alone = vectors(small, [item], len(item.ids))[0]
        together = vectors(small, [item, *tokens], 64)[0]
        assert alone @ together >= 0.9995
        assert alone @ vectors(full, [item], len(item.ids))[0] >= 0.98


def test_half_precision_of_torch_is_finite_beside_padding(tmp_path: Path) -> None:
    """The mask fits into fp16, and bf16 is near fp32."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    for precision in ("fp16", "bf16"):
        opened = open_folder(tmp_path / "out", runtime="torch", precision=precision, n_threads=1)
        assert opened.deviation.passed
        inputs = pad(tokens_of(opened)[3:4], 64, opened.tokenizer.pad_id, has_segments=False)
        assert np.isfinite(opened.runtime.run(inputs)).all()


def test_precision_that_a_runtime_lacks_is_refused(tmp_path: Path) -> None:
    """With the list of those that it has."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out")
    for runtime, precision in (("onnxruntime", "bf16"), ("torch", "int8")):
        with pytest.raises(ConfigError, match="fp32"):
            open_folder(tmp_path / "out", runtime=runtime, precision=precision, n_threads=1)
    with pytest.raises(ConfigError, match="none of"):
        open_folder(tmp_path / "out", runtime="abacus", n_threads=1)
    with pytest.raises(ConfigError, match="none of"):
        open_folder(tmp_path / "out", precision="fp8", n_threads=1)


def test_precision_without_its_graph_is_refused(tmp_path: Path) -> None:
    """A folder that was converted without int8 says so."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    with pytest.raises(ConfigError, match="not int8"):
        open_folder(tmp_path / "out", precision="int8", n_threads=1)


def test_auto_passes_over_what_is_off(tmp_path: Path) -> None:
    """A gate that failed at conversion is told; a folder that answers otherwise is refused."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out")
    manifest = Manifest.read(tmp_path / "out")
    gate = {**manifest.gates["int8"], "passed": False}
    replace(manifest, gates={"int8": gate}).write(tmp_path / "out")
    opened = open_folder(tmp_path / "out", runtime="openvino", n_threads=1)
    assert opened.runtime.precision != "int8"
    assert any("int8" in note for note in opened.notes)
    known = json.loads((tmp_path / "out" / golden.FILE).read_text())
    known["outputs"][0] = [-value for value in known["outputs"][0]]
    (tmp_path / "out" / golden.FILE).write_text(json.dumps(known))
    with pytest.raises(ModelError, match="known answers"):
        open_folder(tmp_path / "out", n_threads=1)
    pinned = open_folder(tmp_path / "out", precision="int8", n_threads=1)
    assert not pinned.deviation.passed


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_channels_are_added(tmp_path: Path, runtime: str) -> None:
    """Each named channel adds its own embedding to each token."""
    hub_encoder(tmp_path / "source")
    found = checkpoints.read(tmp_path / "source", pooling="mean")
    rng = np.random.default_rng(0)
    channels = (("tag", 4), ("relation", 3))
    tables = {
        f"embeddings.channel_{name}_embeddings.weight": rng.standard_normal(
            (size, found.config.width), dtype=np.float32
        )
        for name, size in channels
    }
    wider = replace(
        found,
        config=replace(found.config, channels=channels),
        encoder={**found.encoder, **tables},
    )
    (tmp_path / "out").mkdir()
    converting.write(wider, tmp_path / "out", int8=False)
    opened = open_folder(tmp_path / "out", runtime=runtime, precision="fp32", n_threads=1)
    (tokens,) = opened.tokenizer.texts([ADDRESSES[0]])
    n = len(tokens.ids)
    tag, relation = np.arange(n, dtype=np.int32) % 4, np.arange(n, dtype=np.int32) % 3
    inputs = pad(
        [tokens], n, 0, has_segments=False, channels={"tag": [tag], "relation": [relation]}
    )
    # The reference knows no channels: their sum goes into word embeddings of their own.
    words = found.encoder["embeddings.word_embeddings.weight"][tokens.ids]
    words = words + tables["embeddings.channel_tag_embeddings.weight"][tag]
    words = words + tables["embeddings.channel_relation_embeddings.weight"][relation]
    weights = {**found.encoder, "embeddings.word_embeddings.weight": words}
    config = reference.Config(n_layers=found.config.n_layers, n_heads=found.config.n_heads)
    ids, mask = np.arange(n)[None], np.ones((1, n), np.int64)
    hidden = reference.encode(weights, config, ids, mask, np.zeros_like(mask))
    wanted = reference.unit(reference.mean_vector(hidden, mask))
    np.testing.assert_allclose(golden.unit(opened.runtime.run(inputs)), wanted, atol=1e-4)
    plain = Inputs(
        inputs.ids, inputs.mask, inputs.segments, {k: v * 0 for k, v in inputs.channels.items()}
    )
    assert np.abs(golden.unit(opened.runtime.run(plain)) - wanted).max() > 1e-3


OFFLINE = """
import socket, sys
def refuse(*_):
    raise SystemExit("a connection was opened")
socket.socket.connect = socket.socket.connect_ex = refuse
socket.create_connection = socket.getaddrinfo = refuse
sys.modules["torch"] = None
from menpai.engine.engine import load
print(load(sys.argv[1]).encode(["望澜路88号"]).vectors.shape)
"""


def test_running_needs_neither_torch_nor_a_network(tmp_path: Path) -> None:
    """What was converted runs where torch cannot be loaded and no connection be opened."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out")
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, str(tmp_path / "out")],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stdout == "(1, 32)\n", done.stderr


def test_places_that_cannot_be_written_hold_nobody_up(tmp_path: Path) -> None:
    """A cache folder below a file, and a compiled form that is damaged."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out")
    (tmp_path / "file").write_text("")
    below = tmp_path / "file" / "cache"
    open_folder(tmp_path / "out", runtime="openvino", n_threads=1, cache_dir=below)
    cache = tmp_path / "cache"
    open_folder(tmp_path / "out", runtime="openvino", n_threads=1, cache_dir=cache)
    blobs = list(cache.rglob("*.blob"))
    assert blobs
    for blob in blobs:
        blob.chmod(0o600)
        blob.write_bytes(b"damaged" * 10)
    opened = open_folder(tmp_path / "out", runtime="openvino", n_threads=1, cache_dir=cache)
    assert opened.deviation.passed


def test_precision_of_openvino_is_pinned(tmp_path: Path) -> None:
    """Left to itself it takes another one on another machine."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out")
    for precision in ("fp32", "int8"):
        opened = open_folder(tmp_path / "out", runtime="openvino", precision=precision, n_threads=1)
        model: Any = opened.runtime
        assert "32" in str(model._model.get_property("INFERENCE_PRECISION_HINT"))


@pytest.mark.parametrize("logits", [[-500.0, -1.0], [-1e4, -1e4 + 1], [1e4, 3.0]])
def test_softmax_does_not_overflow(logits: list[float]) -> None:
    """However large the logits, probabilities are finite and sum to one."""
    found = golden.softmax(np.array([logits]))
    assert np.isfinite(found).all()
    assert found.sum() == pytest.approx(1.0)
    assert golden.sigmoid(np.array([1e4, -1e4])).tolist() == [1.0, 0.0]


def test_deviation_of_what_is_not_finite_does_not_pass(tmp_path: Path) -> None:
    """NaN is no small difference."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    manifest = Manifest.read(tmp_path / "out")
    known = np.ones((1, 4))
    assert not golden.deviation(known * np.nan, known, "fp32", manifest).passed
    assert golden.deviation(known, known, "fp32", manifest).passed


def test_manifest_of_another_format_or_damaged_is_refused(tmp_path: Path) -> None:
    """With what to do about it."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    manifest = Manifest.read(tmp_path / "out")
    replace(manifest, format=99).write(tmp_path / "out")
    with pytest.raises(ModelError, match="convert the checkpoint again"):
        Manifest.read(tmp_path / "out")
    (tmp_path / "out" / "menpai.json").write_text('{"format": 1}')
    with pytest.raises(ModelError, match="damaged"):
        Manifest.read(tmp_path / "out")
    (tmp_path / "out" / "menpai.json").unlink()
    with pytest.raises(ModelError, match="menpai model convert"):
        Manifest.read(tmp_path / "out")

"""The encoder that learns is the one that is written: same names, same sums, same answers."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import ADDRESSES, hub_classifier, hub_encoder, hub_tags, mgeo_alignment

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.engine import features
from menpai.errors import ConfigError, ModelError
from menpai.matching.results import LABELS
from menpai.model import graph
from menpai.model.batches import pad
from menpai.model.convert import Example, convert
from menpai.model.golden import softmax
from menpai.model.manifest import Manifest
from menpai.model.open import open_folder
from menpai.train import base as bases, network
from menpai.train.base import Base
from menpai.train.items import Items

TYPES = "embeddings.token_type_embeddings.weight"
PAIRS = [(ADDRESSES[i], ADDRESSES[j]) for i, j in ((0, 1), (1, 1), (2, 3), (5, 4))]


def converted(path: Path, build: Any = hub_encoder, **how: Any) -> Path:
    """Build and convert a folder."""
    build(path / "source", **how)
    convert(path / "source", path / "base", int8=False)
    return path / "base"


def wider(base: Base, sizes: dict[str, int]) -> Any:
    """The base's sizes with channels."""
    return replace(base.manifest.config, channels=tuple(sizes.items()))


def stir(model: Any) -> None:
    """Give all weights values that would be missed, as training does."""
    torch.manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)


# ---- What is written answers as what was learned -------------------------------------------------


@pytest.fixture(scope="module", params=["gelu", "gelu_new", "relu", "no channels", "no segments"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A classifier with random weights, what it gives in torch, and its folder."""
    root = tmp_path_factory.mktemp("written")
    kind = request.param
    folder = converted(root, activation=kind if "gelu" in kind or kind == "relu" else "gelu")
    base = bases.read(folder)
    if kind == "no segments":
        one = replace(base.manifest.config, n_types=1)
        base = base._replace(manifest=replace(base.manifest, config=one))
        base = base._replace(weights={**base.weights, TYPES: base.weights[TYPES][:1]})
    config = wider(base, {} if kind == "no channels" else features.SIZES)
    model = bases.classifier(base, config, LABELS, by_token=False, seed=3)
    stir(model)
    model.eval()
    tokens = base.tokenizer.pairs(PAIRS, with_offsets=True)
    channels = features.channels(PAIRS, tokens) if config.channels else {}
    items = Items(tokens, channels, has_segments=base.marks_pairs)
    length = int(items.lengths.max()) + 3
    with torch.inference_mode():
        logits = model(items.batch(np.arange(len(PAIRS)), length, base.tokenizer.pad_id)).numpy()
    out = root / "out"
    out.mkdir()
    examples = [
        Example(t, {n: rows[i] for n, rows in channels.items()}) for i, t in enumerate(tokens)
    ]
    bases.write(
        model, base, out, kind="pairs", labels=LABELS, temperature=2.0, calibration=examples
    )
    return out, tokens, channels, softmax(logits / 2.0)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime", "torch"])
def test_written_model_answers_as_the_learned_one(written: Any, runtime: str) -> None:
    """In every runtime, with the temperature in its numbers."""
    out, tokens, channels, wanted = written
    opened = open_folder(out, runtime=runtime, precision="fp32", n_threads=1)
    batch = pad(
        tokens,
        max(len(t.ids) for t in tokens),
        opened.tokenizer.pad_id,
        has_segments=opened.manifest.has_segments,
        names=dict(opened.manifest.config.channels),
        channels=channels,
    )
    found = softmax(opened.runtime.run(batch))
    assert np.abs(found - wanted).max() < 1e-4
    assert np.ptp(wanted, axis=0).max() > 0.02
    opened.runtime.close()


def test_written_manifest(written: Any) -> None:
    """A model of pairs that says how it reads them; the pairs of known answers are told of."""
    out, _, channels, _ = written
    manifest = Manifest.read(out)
    assert (manifest.kind, manifest.labels, manifest.prefix) == ("pairs", LABELS, "")
    assert manifest.has_segments is (manifest.config.n_types == 2)
    assert dict(manifest.config.channels) == (features.SIZES if channels else {})
    assert manifest.has_pooler
    assert ("channels" in (out / "golden.json").read_text("utf-8")) is bool(channels)
    assert "int8" in manifest.gates


def test_written_model_is_a_base_again(written: Any) -> None:
    """Its head too: what goes on learning begins where it stopped."""
    out, tokens, channels, wanted = written
    base = bases.read(out)
    model = bases.classifier(base, base.manifest.config, LABELS, by_token=False, seed=9).eval()
    items = Items(tokens, channels, has_segments=base.marks_pairs)
    with torch.inference_mode():
        logits = model(items.batch(np.arange(len(PAIRS)), 64, base.tokenizer.pad_id)).numpy()
    assert np.abs(softmax(logits) - wanted).max() < 1e-5


def test_calibration_is_used(base: Base, tmp_path: Path) -> None:
    """Whole inputs, with what the encoder is told of them; nothing at all is refused."""
    model = bases.classifier(base, wider(base, features.SIZES), LABELS, by_token=False, seed=0)
    stir(model)
    tokens = base.tokenizer.pairs(PAIRS, with_offsets=True)
    rows = features.channels(PAIRS, tokens)
    whole = [Example(t, {n: own[i] for n, own in rows.items()}) for i, t in enumerate(tokens)]
    graphs = []
    for number, calibration in enumerate((whole, [Example(t) for t in tokens], whole[:1], [])):
        out = tmp_path / str(number)
        out.mkdir()
        how: Any = {"kind": "pairs", "labels": LABELS, "temperature": 1.0}
        if not calibration:
            with pytest.raises(ConfigError, match="calibrate"):
                bases.write(model, base, out, calibration=calibration, **how)
            break
        bases.write(model, base, out, calibration=calibration, **how)
        graphs.append((out / "model-int8.onnx").read_bytes())
    assert len(set(graphs)) == 3


# ---- What learning begins with -------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder, not to be changed."""
    return converted(tmp_path_factory.mktemp("folder"))


@pytest.fixture(scope="module")
def base(folder: Path) -> Base:
    """The same, read."""
    return bases.read(folder)


def hidden(encoder: Any, base: Base, channels: Any) -> Any:
    """What an encoder gives for the pairs."""
    tokens = base.tokenizer.pairs(PAIRS, with_offsets=True)
    items = Items(tokens, channels, has_segments=True)
    with torch.inference_mode():
        return encoder.eval()(items.batch(np.arange(len(PAIRS)), 64, 0)).numpy()


def test_new_channels_change_nothing_at_first(base: Base) -> None:
    """The encoder answers as before, whatever it is told."""
    plain = network.Encoder(base.manifest.config)
    network.restore(plain, base.weights)
    encoder = network.Encoder(wider(base, features.SIZES))
    network.restore(encoder, base.weights)
    tokens = base.tokenizer.pairs(PAIRS, with_offsets=True)
    found = hidden(encoder, base, features.channels(PAIRS, tokens))
    assert np.array_equal(found, hidden(plain, base, {}))


def test_every_weight_is_restored(base: Base) -> None:
    """None is left at random."""
    for seed in (1, 2):
        torch.manual_seed(seed)
        encoder = network.Encoder(base.manifest.config)
        network.restore(encoder, base.weights)
        for name, value in network.weights(encoder).items():
            assert np.array_equal(value, base.weights[name]), name


@pytest.mark.parametrize(
    "name",
    [
        "embeddings.word_embeddings.weight",
        "embeddings.LayerNorm.bias",
        "encoder.layer.2.output.dense.weight",
    ],
)
def test_missing_weight_is_refused(base: Base, name: str) -> None:
    """One left at random would answer, and nobody would see it."""
    found = {key: value for key, value in base.weights.items() if key != name}
    with pytest.raises(ModelError, match=name):
        network.restore(network.Encoder(base.manifest.config), found)


def test_weight_of_another_size_is_refused(base: Base) -> None:
    """Of an encoder, and of a channel that had other values."""
    encoder = network.Encoder(wider(base, {"shared": 5}))
    for name in (
        "embeddings.word_embeddings.weight",
        "embeddings.channel_shared_embeddings.weight",
    ):
        found = {**base.weights, name: np.zeros((4, 32), np.float32)}
        with pytest.raises(ModelError, match=name):
            network.restore(encoder, found)


def test_channel_that_is_not_read_is_refused(base: Base) -> None:
    """Without it the encoder would answer otherwise."""
    name = "embeddings.channel_colour_embeddings.weight"
    found = {**base.weights, name: np.zeros((4, 32), np.float32)}
    with pytest.raises(ModelError, match="colour"):
        network.restore(network.Encoder(wider(base, features.SIZES)), found)


def test_seed_is_used(base: Base) -> None:
    """For what the base has not."""
    made = [
        network.weights(
            bases.classifier(base, base.manifest.config, LABELS, by_token=False, seed=s)
        )
        for s in (1, 1, 2)
    ]
    head = [own["classifier.weight"] for own in made]
    assert np.array_equal(head[0], head[1])
    assert not np.array_equal(head[0], head[2])


def test_head_is_kept_label_by_label(tmp_path: Path) -> None:
    """MGeo names the same labels in another order."""
    base = bases.read(converted(tmp_path, mgeo_alignment))
    model = bases.classifier(base, base.manifest.config, LABELS, by_token=False, seed=0)
    own = network.weights(model.classifier)["bias"]
    order = [base.manifest.labels.index(label) for label in LABELS]
    assert order != [0, 1, 2]
    assert np.array_equal(own, base.weights["classifier.bias"][order])
    found = network.weights(model)["pooler.dense.weight"]
    assert np.array_equal(found, base.weights["pooler.dense.weight"])


@pytest.mark.parametrize("name", ["pooler.dense.bias", "classifier.weight"])
def test_missing_part_of_a_head_is_refused(tmp_path: Path, name: str) -> None:
    """As any weight."""
    base = bases.read(converted(tmp_path, hub_classifier))
    weights = {key: value for key, value in base.weights.items() if key != name}
    with pytest.raises(ModelError, match=name):
        bases.classifier(
            base._replace(weights=weights), base.manifest.config, LABELS, by_token=False, seed=0
        )


def test_other_labels_begin_at_random(tmp_path: Path) -> None:
    """And a head of tokens is no head of pairs, whatever its labels."""
    base = bases.read(converted(tmp_path, hub_tags))
    own = base.manifest.labels
    for labels, by_token, is_kept in (
        (own, True, True),
        (own, False, False),
        (LABELS, True, False),
    ):
        model = bases.classifier(base, base.manifest.config, labels, by_token=by_token, seed=0)
        bias = network.weights(model.classifier)["bias"]
        assert (bias.tolist() == base.weights["classifier.bias"].tolist()) is is_kept
        assert (model.pooler is None) is by_token


def test_tags_are_given_token_by_token(base: Base) -> None:
    """The shape of a tagger's numbers."""
    model = bases.classifier(base, base.manifest.config, ("O", "B"), by_token=True, seed=0).eval()
    tokens = base.tokenizer.pairs(PAIRS)
    batch = Items(tokens, {}, has_segments=False).batch(np.arange(4), 64, 0)
    assert model(batch).shape == (4, 64, 2)


def test_how_a_base_reads_pairs(tmp_path: Path, base: Base) -> None:
    """A model of pairs goes on as it is; an encoder marks them if it can."""
    assert base.marks_pairs
    assert not base.manifest.has_segments
    rank = Manifest.read(converted(tmp_path, hub_classifier, n_labels=1))
    assert base._replace(manifest=rank).marks_pairs
    assert not base._replace(manifest=replace(rank, has_segments=False)).marks_pairs
    one = replace(base.manifest.config, n_types=1)
    assert not base._replace(manifest=replace(base.manifest, config=one)).marks_pairs


def test_max_length_of_a_base(folder: Path) -> None:
    """As the folder reads unless told otherwise, and not more than there are places for."""
    assert bases.read(folder).tokenizer.max_length == Manifest.read(folder).max_length
    assert bases.read(folder, max_length=20).tokenizer.max_length == 20
    for wrong in (3, 65):
        with pytest.raises(ConfigError) as caught:
            bases.read(folder, max_length=wrong)
        assert caught.value.field == "max_length"


@pytest.mark.parametrize("content", [None, b"", b"<html>not found</html>"])
def test_damaged_graph_is_refused(folder: Path, tmp_path: Path, content: bytes | None) -> None:
    """As an error of the folder, not of a library."""
    for path in folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    if content is None:
        (tmp_path / "model.onnx").unlink()
    else:
        (tmp_path / "model.onnx").write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.onnx"):
        bases.read(tmp_path)


def test_weights_of_a_graph_are_those_of_the_checkpoint(tmp_path: Path) -> None:
    """Linear ones as (output, input), tables as they are; nothing else."""
    made = hub_classifier(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    found = graph.weights(tmp_path / "out" / "model.onnx")
    assert made.head is not None
    wanted = {**made.weights, "classifier.weight": made.head[0], "classifier.bias": made.head[1]}
    assert set(found) == set(wanted)
    for name, value in wanted.items():
        assert np.array_equal(found[name], value), name


def test_dropout_is_of_learning_alone(base: Base) -> None:
    """The same twice when it answers, and different when it learns."""
    model = bases.classifier(base, base.manifest.config, LABELS, by_token=False, seed=0)
    batch = Items(base.tokenizer.pairs(PAIRS), {}, has_segments=True).batch(np.arange(4), 64, 0)
    model.eval()
    assert torch.equal(model(batch), model(batch))
    model.train()
    assert not torch.equal(model(batch), model(batch))

"""A model of pairs that is told more than tokens: the same answers however it is asked."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import numpy as np
import pytest
from folders import edited, hub_encoder

from menpai.engine import features, inputs
from menpai.errors import ModelError
from menpai.events import Timings
from menpai.matching.results import LABELS
from menpai.model import golden
from menpai.model.convert import Example, convert
from menpai.model.manifest import Manifest
from menpai.model.open import open_folder

PAIRS = [
    ("望澜路88号3幢", "杭州市望澜路88号"),
    ("枫桥村12组7号", "听泉镇枫桥村"),
    ("海岸广场", "海岸广场"),
    ("银杏大道2003弄", "张三 13800001234 紫竹院南街"),
    ("路" * 40, "望澜路8号"),
    ("Straße 12", "😀望澜路12号"),
]


@pytest.fixture(scope="module")
def channelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of pairs with random weights that reads all channels, also in int8."""
    torch = pytest.importorskip("torch", reason="the extra torch is not installed")
    from menpai.train import base as bases

    root = tmp_path_factory.mktemp("channels")
    hub_encoder(root / "source")
    convert(root / "source", root / "base", int8=False)
    base = bases.read(root / "base")
    config = replace(base.manifest.config, channels=tuple(features.SIZES.items()))
    model = bases.classifier(base, config, LABELS, by_token=False, seed=0)
    torch.manual_seed(1)
    with torch.no_grad():
        model.classifier.weight.mul_(60)
        for name in features.SIZES:
            getattr(model.encoder.embeddings, f"channel_{name}_embeddings").weight.normal_()
    tokens = base.tokenizer.pairs(PAIRS, with_offsets=True)
    rows = features.channels(PAIRS, tokens)
    examples = [Example(t, {n: own[i] for n, own in rows.items()}) for i, t in enumerate(tokens)]
    out = root / "out"
    out.mkdir()
    bases.write(
        model, base, out, kind="pairs", labels=LABELS, temperature=1.0, calibration=examples
    )
    return out


def test_a_verdict_depends_on_its_pair_alone(channelled: Path, open_engine: Any) -> None:
    """Alone, in a batch and in another order; channels are padded with the tokens."""
    engine = open_engine(channelled, cache_bytes=0)
    alone = np.concatenate([engine.classify([pair]).probabilities for pair in PAIRS])
    together = engine.classify(PAIRS)
    assert together.errors == {}
    assert together.probabilities == pytest.approx(alone, abs=1e-5)
    assert engine.classify(PAIRS[::-1]).probabilities == pytest.approx(alone[::-1], abs=1e-5)
    assert np.ptp(alone, axis=0).max() > 0.1


def test_channels_matter(
    channelled: Path, open_engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise none of these tests would say anything."""
    engine = open_engine(channelled, cache_bytes=0)
    found = engine.classify(PAIRS).probabilities
    monkeypatch.setattr(engine, "_channels", lambda _pairs, _tokens: None)
    assert np.abs(engine.classify(PAIRS).probabilities - found).max() > 0.05


def test_classify_is_symmetric(channelled: Path, open_engine: Any) -> None:
    """Bit for bit."""
    engine = open_engine(channelled, cache_bytes=0)
    mirrored = [(right, left) for left, right in PAIRS]
    assert np.array_equal(
        engine.classify(PAIRS).probabilities, engine.classify(mirrored).probabilities
    )


def test_a_cached_verdict_is_the_same_one(channelled: Path, open_engine: Any, watch: Any) -> None:
    """In either order, and computed once."""
    engine = open_engine(channelled)
    runtime = watch(engine)
    first = engine.classify(PAIRS).probabilities
    again = engine.classify([(right, left) for left, right in PAIRS]).probabilities
    assert np.array_equal(first, again)
    assert runtime.n_rows == len(PAIRS)


def test_raw_pairs_are_told_of_too(channelled: Path, open_engine: Any) -> None:
    """As they are and in their order; also those that a table should not hold."""
    engine = open_engine(channelled, cache_bytes=0)
    asked = [*PAIRS, ("\ud800", ""), ("", ""), ("路" * 5000, "ﬁ" * 3000), ("ﬀß路", "İ")]
    found = engine.classify(asked, raw=True)
    assert found.errors == {}
    assert found.probabilities.sum(axis=1) == pytest.approx(1.0, abs=1e-5)
    ordered = [inputs.of_pair(*pair) for pair in PAIRS]
    raw = engine.classify(ordered, raw=True).probabilities
    assert raw == pytest.approx(engine.classify(ordered).probabilities, abs=1e-5)


@pytest.mark.parametrize("runtime", ["openvino", "onnxruntime", "torch"])
def test_every_runtime_answers_the_same(channelled: Path, open_engine: Any, runtime: str) -> None:
    """In fp32."""
    usual = open_engine(channelled).classify(PAIRS).probabilities
    found = open_engine(channelled, runtime=runtime).classify(PAIRS).probabilities
    assert found == pytest.approx(usual, abs=1e-4)


def test_warm_up_works(channelled: Path, open_engine: Any, watch: Any) -> None:
    """It runs every usual shape, and answers do not change."""
    cold = open_engine(channelled, cache_bytes=0)
    warm = open_engine(channelled, cache_bytes=0, warm_up=True)
    assert np.array_equal(cold.classify(PAIRS).probabilities, warm.classify(PAIRS).probabilities)
    runtime = watch(cold)
    cold.warm_up()
    assert len(set(runtime.shapes)) > 6


def test_number_of_streams_is_measured(channelled: Path, open_engine: Any, tmp_path: Path) -> None:
    """With all that the graph takes."""
    engine = open_engine(channelled, n_threads=2, n_streams=None, compiled=tmp_path)
    assert engine.info()["n_streams"] in {1, 2}
    assert (tmp_path / "tuning.json").is_file() or engine.info()["runtime"] == "torch"
    assert engine.classify(PAIRS).errors == {}
    engine.close()


def test_the_stage_is_told(channelled: Path, pairs: Path, open_engine: Any) -> None:
    """Once for each pair that is computed; models without channels have no such stage."""
    timings = Timings()
    engine = open_engine(channelled, observers=[timings])
    for _ in range(2):
        engine.classify([*PAIRS, PAIRS[0]])
    assert timings.n_items["features"] == len(PAIRS)
    assert timings.seconds["features"] > 0
    timings = Timings()
    open_engine(pairs, observers=[timings]).classify(PAIRS)
    assert "features" not in timings.n_items


# ---- Known answers -------------------------------------------------------------------------------


def test_known_answers_are_of_inputs_that_are_told_of(channelled: Path) -> None:
    """A channel's weights that are others are noticed, and int8 is gated on what it will read."""
    content = json.loads((channelled / golden.FILE).read_text("utf-8"))
    assert set(content["channels"]) == set(features.SIZES)
    assert any(max(row) > 0 for row in content["channels"]["shared"])
    assert Manifest.read(channelled).gates["int8"]["max_abs_difference"] > 0


@pytest.mark.parametrize("wrong", ["none", "zeros", "too great", "negative", "short", "unknown"])
def test_other_known_channels_are_noticed(channelled: Path, tmp_path: Path, wrong: str) -> None:
    """As other answers, or as damage; never as a crash of a library."""
    folder = copytree(channelled, tmp_path / "model")
    with edited(folder / golden.FILE) as content:
        rows = content["channels"]["shared"]
        if wrong == "none":
            del content["channels"]
        elif wrong == "zeros":
            content["channels"] = {
                name: [[0] * len(row) for row in own] for name, own in content["channels"].items()
            }
        elif wrong == "short":
            rows[0].pop()
        elif wrong == "unknown":
            content["channels"]["colour"] = rows
        else:
            rows[0][1] = -1 if wrong == "negative" else features.SIZES["shared"]
    with pytest.raises(ModelError, match=r"known answers|does not fit"):
        open_folder(folder, precision="fp32", n_threads=1)


# ---- Channels that are not computed here ---------------------------------------------------------


@pytest.fixture
def changed(channelled: Path, tmp_path: Path) -> Callable[..., Path]:
    """Copy the folder and change its manifest."""

    def change(config: dict[str, Any] | None = None, **values: Any) -> Path:
        folder = copytree(channelled, tmp_path / "changed")
        with edited(folder / "menpai.json") as content:
            content.update(values)
            content["config"].update(config or {})
        return Path(folder)

    return change


@pytest.mark.parametrize(
    "sizes",
    [
        {"shared": 13},
        {**features.SIZES, "rarity": 9},
        {**features.SIZES, "colour": 4},
        {"colour": 4},
    ],
)
def test_unknown_channels_are_refused_at_load(
    changed: Callable[..., Path], open_engine: Any, sizes: dict[str, int]
) -> None:
    """Before anything is opened, and with what would be read."""
    folder = changed({"channels": sizes})
    with pytest.raises(ModelError, match="reads the channels") as caught:
        open_engine(folder)
    assert str(sizes) in str(caught.value)


def test_channels_of_single_texts_are_refused_at_load(
    changed: Callable[..., Path], open_engine: Any
) -> None:
    """There is no other side; nor is a prefix part of an address."""
    with pytest.raises(ModelError, match="only a model of pairs"):
        open_engine(changed(kind="tags"))


def test_a_prefix_with_channels_is_refused_at_load(
    changed: Callable[..., Path], open_engine: Any
) -> None:
    """Places in the text would be others."""
    with pytest.raises(ModelError, match="only a model of pairs"):
        open_engine(changed(prefix="查询："))


def test_the_fingerprint_is_that_of_what_is_told(
    channelled: Path, vectors: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version tells something else; models without channels do not mind."""
    from menpai.engine import engine as engines

    opened = [
        open_folder(folder, precision="fp32", n_threads=1) for folder in (channelled, vectors)
    ]
    before = [engines._fingerprint(one) for one in opened]
    monkeypatch.setattr(features, "FEATURES_VERSION", -1)
    after = [engines._fingerprint(one) for one in opened]
    assert after[0] != before[0]
    assert after[1] == before[1]

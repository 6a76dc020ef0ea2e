"""A tagger that learns from tagged texts."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import hub_encoder

from menpai.engine.engine import load
from menpai.errors import InputError, ModelError, StorageError
from menpai.evaluation.conll import Tagged
from menpai.evaluation.elements import tagged_by
from menpai.evaluation.spans import Span
from menpai.model.convert import convert
from menpai.train.options import Options
from menpai.train.run import train_elements

torch = pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.train.base import read
from menpai.train.network import Encoder, restore

CITIES = ("杭州市", "北京市", "苏州市", "上海市", "深圳市")
NAMES = ("望澜", "银杏", "听泉", "枫桥", "紫竹", "科苑", "海岸", "创新")


def texts(n: int, seed: int = 0) -> list[Tagged]:
    """A city, a road of two characters and a number."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(n):
        parts = (
            ("city", str(rng.choice(CITIES))),
            ("road", f"{rng.choice(NAMES)}路"),
            ("roadno", f"{rng.integers(1, 999)}号"),
        )
        spans, start = [], 0
        for name, part in parts:
            spans.append(Span(name, start, start + len(part)))
            start += len(part)
        made.append(Tagged("".join(part for _, part in parts), tuple(spans)))
    return made


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A converted encoder."""
    root = tmp_path_factory.mktemp("elements")
    hub_encoder(root / "source")
    convert(root / "source", root / "out", int8=False)
    return root / "out"


OPTIONS = Options(n_epochs=6, learning_rate=4e-3, max_tokens=256, valid=0.2, test=0.2, patience=6)


@pytest.fixture(scope="module")
def learned(base: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A tagger, and its figures."""
    out = tmp_path_factory.mktemp("tagger") / "out"
    return out, train_elements(texts(240), base, out, OPTIONS, n_threads=1)


def test_an_easy_grammar_is_learned(learned: tuple[Path, dict[str, Any]]) -> None:
    """On texts that were held out."""
    out, figures = learned
    assert figures["micro_f1"] > 0.9
    assert set(figures["f1"]) == {"city", "road", "roadno"}
    assert json.loads((out / "metrics.json").read_text("utf-8")) == figures
    assert sum(figures["support"].values()) == 3 * figures["n"]["test"]


def test_the_engine_tags_as_was_measured(learned: tuple[Path, dict[str, Any]]) -> None:
    """In fp32 and in int8, and as the measure of elements asks it."""
    wanted = texts(30, seed=7)
    for precision in ("fp32", "int8"):
        engine = load(learned[0], precision=precision, n_threads=1, n_streams=1)
        found = engine.tag([tagged.text for tagged in wanted])
        hits = 0
        for tagged, spans in zip(wanted, found, strict=True):
            assert isinstance(spans, list)
            hits += {Span(s.type, s.start, s.end) for s in spans} == set(tagged.spans)
        assert hits > 20
        engine.close()
    predict = tagged_by(learned[0])
    assert any(set(predict(tagged.text)) == set(tagged.spans) for tagged in wanted)


def test_a_model_of_pairs_can_begin_a_tagger(base: Path) -> None:
    """Its channels tell of pairs: without them it answers as if they were all 0."""
    found = read(base)
    rng = np.random.default_rng(0)
    width = found.manifest.config.width
    tables = {
        f"embeddings.channel_{name}_embeddings.weight": rng.normal(size=(size, width))
        for name, size in (("shared", 5), ("rarity", 3))
    }
    tables = {name: table.astype(np.float32) for name, table in tables.items()}
    config = replace(found.manifest.config, channels=(("shared", 5), ("rarity", 3)))
    told = found._replace(
        manifest=replace(found.manifest, config=config), weights={**found.weights, **tables}
    )
    plain = told.without_channels()
    assert plain.manifest.config.channels == ()
    ids = torch.arange(7, 19)[None]
    given = {"ids": ids, "mask": torch.ones_like(ids), "segments": torch.zeros_like(ids)}
    nothing = {name: torch.zeros_like(ids) for name in ("shared", "rarity")}
    answers = []
    for source, inputs in ((told, {**given, **nothing}), (plain, given)):
        encoder = Encoder(source.manifest.config).eval()
        restore(encoder, source.weights)
        answers.append(encoder(inputs))
    torch.testing.assert_close(*answers, atol=1e-5, rtol=1e-5)
    assert found.without_channels().weights.keys() == found.weights.keys()


def test_the_same_seed_gives_the_same_figures(base: Path, tmp_path: Path) -> None:
    """Another seed others."""
    options = Options(n_epochs=1, learning_rate=4e-3, max_tokens=256, valid=0.2, test=0.2)
    one, other, third = (
        train_elements(texts(60), base, tmp_path / name, chosen, n_threads=1)
        for name, chosen in (
            ("one", options),
            ("other", options),
            ("third", Options(1, 4e-3, 256, None, 0.2, 0.2, 2, 1)),
        )
    )
    assert one == other
    assert one["n"] != third["n"] or one["f1"] != third["f1"]


def test_texts_without_spans_are_refused(base: Path, tmp_path: Path) -> None:
    """Before anything is written."""
    with pytest.raises(InputError, match="no text has a span"):
        train_elements([Tagged("望澜路", ())] * 20, base, tmp_path / "out", OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_one_text_cannot_be_held_out_from_itself(base: Path, tmp_path: Path) -> None:
    """Equal texts are one group."""
    with pytest.raises(InputError, match="1 groups"):
        train_elements(texts(1) * 20, base, tmp_path / "out", OPTIONS)


def test_existing_folder_and_foreign_base_are_refused(base: Path, tmp_path: Path) -> None:
    """What is there stays."""
    with pytest.raises(StorageError, match="in the way"):
        train_elements(texts(20), base, base, OPTIONS)
    with pytest.raises(ModelError):
        train_elements(texts(20), tmp_path, tmp_path / "out", OPTIONS)

"""Known answers: what logits mean, and how far is too far."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
from folders import edited, hub_classifier, hub_encoder, hub_tags, mgeo_rerank

from menpai.errors import ModelError
from menpai.model import golden
from menpai.model.convert import convert
from menpai.model.manifest import Manifest
from menpai.model.open import open_folder
from menpai.model.runtimes.protocol import PRECISIONS

pytest.importorskip("onnx", reason="the extra torch is not installed")


@pytest.fixture(scope="module")
def manifests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Manifest]:
    """A manifest of each kind."""
    root = tmp_path_factory.mktemp("golden")
    builds: Any = (hub_encoder, hub_classifier, hub_tags, mgeo_rerank)
    made = {}
    for build in builds:
        build(root / build.__name__)
        manifest = convert(root / build.__name__, root / f"{build.__name__}-out", int8=False)
        made[str(manifest.kind)] = manifest
    return made


# ---- What logits mean ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("logits", "wanted"),
    [
        ([-500.0, -1.0], [0.0, 1.0]),
        ([-1e4, -1e4 + 1.0], [0.26894142, 0.73105858]),
        ([1e4, 1e4], [0.5, 0.5]),
        ([1e38, 1.0, -1e38], [1.0, 0.0, 0.0]),
        ([0.0, np.log(3.0)], [0.25, 0.75]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_softmax_is_finite(logits: list[float], wanted: list[float], dtype: Any) -> None:
    """The greatest logit is taken off, not the one of the greatest amount."""
    with np.errstate(all="raise", under="ignore"):
        found = golden.softmax(np.array([logits], dtype))
    assert found.sum() == pytest.approx(1.0, abs=1e-6)
    # float32 has steps of 0.001 at 1e4.
    assert found[0] == pytest.approx(wanted, abs=1e-3 if dtype == np.float32 else 1e-8)


def test_softmax_and_sigmoid_are_those_of_the_reference() -> None:
    """Within what float32 can hold; a label's probability depends on its own row alone."""
    logits = np.random.default_rng(0).normal(0, 20, (50, 3)).astype(np.float32)
    assert (
        np.abs(golden.softmax(logits) - reference.softmax(logits.astype(np.float64))).max() < 1e-6
    )
    single = logits[:, :1]
    wanted = 0.5 * (1.0 + np.tanh(single.astype(np.float64) / 2.0))
    assert np.abs(golden.sigmoid(single) - wanted).max() < 1e-6


def test_sigmoid_does_not_overflow_and_keeps_order() -> None:
    """Where several are almost certain, the surer one stays ahead as long as float32 tells."""
    with np.errstate(all="raise", under="ignore"):
        found = golden.sigmoid(np.array([-1e30, -1e4, -80.0, 0.0, 80.0, 1e4, 1e30], np.float32))
    assert np.isfinite(found).all()
    assert found[3] == 0.5
    assert found[0] == found[1] == 0.0
    assert found[5] == found[6] == 1.0
    close = golden.sigmoid(np.arange(9.0, 20.0, 0.1).astype(np.float32))
    assert (close > 0.9998).all()
    assert (np.diff(close) >= 0).all()
    assert (np.diff(close[:20]) > 0).all()


def test_unit_vector_without_length_is_nan() -> None:
    """It has no direction: a made-up one would be compared as if it were true."""
    with np.errstate(all="raise"):
        found = golden.unit(np.array([[3.0, 4.0], [0.0, 0.0], [-2.0, 0.0]]))
    assert found[0].tolist() == pytest.approx([0.6, 0.8])
    assert np.isnan(found[1]).all()
    assert found[2].tolist() == [-1.0, 0.0]


# ---- How far is too far --------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["vectors", "pairs", "tags", "rank"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_does_not_pass(
    manifests: dict[str, Manifest], kind: str, value: float
) -> None:
    """One such number in one row is enough, in whatever precision."""
    known = golden.unit(np.random.default_rng(1).normal(size=(8, 6)))
    found = known.copy()
    found[5, 2] = value
    for precision in PRECISIONS:
        with np.errstate(invalid="ignore"):
            assert not golden.deviation(found, known, precision, manifests[kind]).passed
        assert golden.deviation(known, known, precision, manifests[kind]).passed


def test_vectors_are_held_by_their_angle(manifests: dict[str, Manifest]) -> None:
    """The worst row counts; a little less than the tolerance passes, a little more does not."""
    known = np.eye(4)
    for precision, tolerance in golden.VECTOR_TOLERANCE.items():
        for share, passes in ((0.9, True), (1.1, False)):
            cosine = 1.0 - share * tolerance
            found = known.copy()
            found[2] = [0.0, np.sqrt(1.0 - cosine**2), cosine, 0.0]
            deviation = golden.deviation(found, known, precision, manifests["vectors"])
            assert deviation.passed is passes
            assert deviation.max_cosine_difference == pytest.approx(share * tolerance)
            assert deviation.tolerance == tolerance
            assert deviation.precision == precision


def test_probabilities_are_held_by_their_difference(manifests: dict[str, Manifest]) -> None:
    """Of the worst label of the worst row."""
    known = np.full((4, 3), 1 / 3)
    for precision, tolerance in golden.PROBABILITY_TOLERANCE.items():
        for share, passes in ((0.9, True), (1.1, False)):
            found = known.copy()
            found[3, 1] += share * tolerance
            deviation = golden.deviation(found, known, precision, manifests["pairs"])
            assert deviation.passed is passes
            assert deviation.max_abs_difference == pytest.approx(share * tolerance)
            assert deviation.max_cosine_difference is None


# ---- The file ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "outputs",
    [[], [[]], None, 5, "abc", [["a"]], [[1.0], [1.0, 2.0]], [1.0, 2.0], [[1.0, 2.0]], {}],
    ids=str,
)
def test_damaged_answers_are_refused(tmp_path: Path, outputs: object) -> None:
    """As a folder that is damaged."""
    folder = converted(tmp_path)
    with edited(folder / golden.FILE) as content:
        content["outputs"] = outputs
    with pytest.raises(ModelError, match=r"golden\.json"):
        open_folder(folder, runtime="onnxruntime", precision="fp32", n_threads=1)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"outputs"'])
def test_file_without_answers_is_refused(tmp_path: Path, content: str) -> None:
    """So is one that is not there."""
    folder = converted(tmp_path)
    (folder / golden.FILE).write_text(content, "utf-8")
    with pytest.raises(ModelError, match=r"golden\.json"):
        open_folder(folder, runtime="onnxruntime", precision="fp32", n_threads=1)
    (folder / golden.FILE).unlink()
    with pytest.raises(ModelError, match="convert the checkpoint again"):
        open_folder(folder, runtime="onnxruntime", precision="fp32", n_threads=1)


def test_answers_of_a_lesser_number_are_checked(tmp_path: Path) -> None:
    """Each known answer is to the input at its place."""
    folder = converted(tmp_path)
    with edited(folder / golden.FILE) as content:
        content["outputs"] = content["outputs"][:3]
    open_folder(folder, runtime="onnxruntime", precision="fp32", n_threads=1)
    with edited(folder / golden.FILE) as content:
        content["outputs"] = content["outputs"][::-1]
    with pytest.raises(ModelError, match="known answers"):
        open_folder(folder, runtime="onnxruntime", precision="fp32", n_threads=1)


def test_treatment_that_was_changed_is_noticed(tmp_path: Path) -> None:
    """The known answers hold the prefix too, not the weights alone."""
    folder = converted(tmp_path)
    replace(Manifest.read(folder), prefix="杭州市：").write(folder)
    with pytest.raises(ModelError, match="known answers"):
        open_folder(folder, runtime="onnxruntime", precision="fp32", n_threads=1)


def converted(tmp_path: Path) -> Path:
    """A small folder without int8."""
    hub_encoder(tmp_path / "source")
    convert(tmp_path / "source", tmp_path / "out", int8=False)
    return tmp_path / "out"

"""The packaged models: there, loaded when needed, never against structure, alike in all numbers."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

import menpai
from menpai.address.elements import NUMBERED
from menpai.matching.decide import DECISION_VERSION, JOINT_VERSION
from menpai.matching.matcher import Matcher, load
from menpai.matching.nearness import NEARNESS
from menpai.matching.policy import POLICIES
from menpai.matching.results import LABELS
from menpai.model import packaged
from menpai.model.manifest import Manifest
from menpai.synthesis import World, pairs as synthetic_pairs

SURE = ("杭州市滨江区望澜路88号", "浙江省杭州市滨江区望澜路88号")
OPEN = ("杭州市滨江区望澜路", "望澜路88号翠湖花园")


@pytest.fixture(scope="module")
def matcher() -> Matcher:
    """The default one."""
    return load()


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """Made-up pairs as a search returns them."""
    found = synthetic_pairs(World(5, 2_000), 200, 5, n_candidates=3)
    return [(pair.left.text, pair.right.text) for pair in islice(found, 400)]


# ---- There, and only when needed -----------------------------------------------------------------


def test_each_kind_is_there() -> None:
    """Those that are asked most in an int8 that passed its gate, with how numbers are read."""
    for kind in packaged.KINDS:
        manifest = Manifest.read(packaged.folder(kind))
        assert manifest.kind == kind
        assert kind == "tags" or manifest.gates["int8"]["passed"]
    judge = Manifest.read(packaged.folder("pairs"))
    assert judge.labels == NEARNESS
    assert judge.calibration is not None
    assert set(judge.calibration["shares"]) == set(POLICIES)


def test_a_pair_that_elements_decide_needs_no_model() -> None:
    """Nor does one with a veto: no model is loaded."""
    own = load()
    assert own.packaged is not None
    assert own.compare(*SURE).decision_version == DECISION_VERSION
    own.compare("望澜路88号3幢", "望澜路88号4幢")
    assert own.packaged._engines == {}


def test_a_pair_that_elements_leave_open_is_judged(matcher: Matcher) -> None:
    """By the model of pairs; the vectors' one is not loaded for it."""
    own = load()
    found = own.compare(*OPEN)
    assert found.decision_version == JOINT_VERSION
    assert own.packaged is not None
    assert list(own.packaged._engines) == ["pairs"]
    assert found.probabilities == pytest.approx(matcher.compare(*OPEN).probabilities)


def test_elements_alone_can_be_asked_for() -> None:
    """Then no model has a say."""
    own = load(checkpoint=None)
    assert own.packaged is None
    assert own.compare(*OPEN).decision_version == DECISION_VERSION


def test_the_package_level_function_asks_it_too() -> None:
    """`menpai.compare` is the default matcher's."""
    assert menpai.compare(*OPEN).decision_version == JOINT_VERSION


def test_choices_reach_the_packaged_models() -> None:
    """Runtime, precision and threads."""
    own = load(runtime="openvino", precision="fp32", n_threads=1)
    info = own.engine_for("pairs").info()
    assert (info["runtime"], info["precision"], info["n_threads"]) == ("openvino", "fp32", 1)


# ---- What it says --------------------------------------------------------------------------------


@pytest.mark.parametrize("policy", POLICIES)
def test_order_changes_nothing(policy: str, texts: list[tuple[str, str]]) -> None:
    """Label, score and probabilities, within the tolerance of int8."""
    own = load(policy=policy)
    lefts, rights = zip(*texts[:100], strict=True)
    for one, other in zip(
        own.compare_batch(lefts, rights), own.compare_batch(rights, lefts), strict=True
    ):
        assert one.label == other.label
        assert one.score == pytest.approx(other.score, abs=1e-6)
        assert sum(one.probabilities.values()) == pytest.approx(1.0, abs=1e-6)


def test_other_numbers_are_never_one_place(matcher: Matcher, texts: list[tuple[str, str]]) -> None:
    """Whatever the model says."""
    lefts, rights = zip(*texts, strict=True)
    seen = 0
    for found in matcher.compare_batch(lefts, rights):
        relations = {reason.element: reason.relation for reason in found.reasons}
        if any(relations.get(element) == "conflict" for element in NUMBERED):
            assert found.label != "exact_match"
            seen += 1
    assert seen > 20


def test_reads_no_names_and_phones(matcher: Matcher) -> None:
    """A person changes no judgement."""
    plain = matcher.compare(*OPEN)
    personal = matcher.compare(f"张三 13800001234 {OPEN[0]}", OPEN[1])
    assert personal.probabilities == pytest.approx(plain.probabilities, abs=1e-6)


# ---- Vectors -------------------------------------------------------------------------------------


def test_vectors_are_of_length_one(matcher: Matcher) -> None:
    """One for each text."""
    found = matcher.embed([SURE[0], OPEN[1]])
    assert found.shape == (2, 256)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)


NEAR = [
    ("北京市朝阳区望澜路88号翠湖花园3号楼", "朝阳区翠湖花园3栋", "北京市朝阳区听松路12号枫林广场"),
    ("杭州市滨江区望澜路88号", "浙江省杭州市滨江区望澜路88号", "杭州市滨江区望澜路18号"),
    ("听松路12号枫林广场B座", "枫林广场B座", "听松路99号紫竹大厦"),
    ("上海市静安区望澜路12弄5号", "静安望澜路12弄5号", "上海市静安区听松路34弄7号"),
]


@pytest.mark.parametrize(("text", "same", "other"), NEAR)
def test_one_place_is_nearer_than_another(
    matcher: Matcher, text: str, same: str, other: str
) -> None:
    """Another number on the same road too."""
    own, near, far = matcher.embed([text, same, other])
    assert own @ near > own @ far


# ---- The gate: int8 answers as fp32 --------------------------------------------------------------


def labels_of(own: Matcher, texts: list[tuple[str, str]]) -> Iterator[str]:
    """What a matcher says of pairs."""
    lefts, rights = zip(*texts, strict=True)
    return (found.label for found in own.compare_batch(lefts, rights))


@pytest.mark.parametrize("policy", POLICIES)
def test_int8_decides_as_fp32(policy: str, texts: list[tuple[str, str]]) -> None:
    """At most one label of these pairs differs, and no score by much."""
    full, small = load(policy=policy, precision="fp32"), load(policy=policy, precision="int8")
    pairs = zip(labels_of(full, texts), labels_of(small, texts), strict=True)
    assert sum(one != other for one, other in pairs) <= 1


def test_int8_vectors_are_those_of_fp32(texts: list[tuple[str, str]]) -> None:
    """Within the tolerance that the folder states."""
    lefts = [left for left, _ in texts]
    full = load(precision="fp32").embed(lefts)
    small = load(precision="int8").embed(lefts)
    assert (full * small).sum(axis=1).min() > 0.99


def test_probabilities_are_of_the_three_labels(matcher: Matcher) -> None:
    """Not of the model's own six."""
    assert tuple(matcher.compare(*OPEN).probabilities) == LABELS

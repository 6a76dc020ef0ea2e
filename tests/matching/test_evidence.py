"""What a checkpoint says of pairs, in a comparison's words; engines of paper stand in for it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from menpai.engine.engine import Classified, Encoded
from menpai.errors import ConfigError, InputError, MenpaiError
from menpai.matching.decide import MODEL_SHARE, Evidence
from menpai.matching.evidence import check, similarities, verdicts
from menpai.matching.results import LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

FAILED = Evidence(flags=("model_error",))


@dataclass
class Paper:
    """An engine whose answers are written down."""

    kind: str = "pairs"
    labels: tuple[str, ...] = ("not_match", "partial_match", "exact_match")
    answers: dict[Any, Sequence[float]] = field(default_factory=dict)
    truncated: frozenset[Any] = frozenset()
    asked: list[Any] = field(default_factory=list)
    calibration: dict[str, Any] = field(default_factory=dict)

    def _answer(self, inputs: Sequence[Any], width: int) -> tuple[Any, Any, Any]:
        self.asked += inputs
        rows = np.zeros((len(inputs), width), np.float32)
        errors: dict[int, MenpaiError] = {}
        for place, value in enumerate(inputs):
            if value in self.answers:
                rows[place] = self.answers[value]
            else:
                errors[place] = InputError("the text is empty")
        return rows, np.array([value in self.truncated for value in inputs], np.bool_), errors

    def encode(self, texts: Sequence[str]) -> Encoded:
        """Give vectors of two numbers."""
        return Encoded(*self._answer(texts, 2))

    def classify(self, pairs: Sequence[tuple[str, str]]) -> Classified:
        """Give probabilities."""
        return Classified(*self._answer(pairs, len(self.labels)))


def encoder(**more: Any) -> Any:
    """An engine of three texts: two at a right angle and one in between."""
    vectors = {"甲": (1.0, 0.0), "乙": (0.0, 1.0), "丙": (0.6, 0.8)}
    return Paper("vectors", (), vectors, **more)


def test_similarity_is_the_cosine_of_the_two_vectors() -> None:
    """The same one whichever text is left, as a plain number; each text is encoded once."""
    engine = encoder()
    pairs = [("甲", "乙"), ("甲", "丙"), ("丙", "甲"), ("乙", "丙"), ("丙", "丙")]
    found = similarities(engine, pairs)
    cosines = [evidence.similarity for evidence in found]
    assert cosines == pytest.approx([0.0, 0.6, 0.6, 0.8, 1.0])
    assert cosines[1] == cosines[2]
    assert engine.asked == ["甲", "乙", "丙"]
    assert all(evidence[1:] == (None, (), MODEL_SHARE) for evidence in found)
    json.dumps(cosines)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_cosine_is_never_beyond_one(sign: float) -> None:
    """Unit vectors in float32 are a little longer or shorter."""
    long = np.float32([0.6000001, 0.8000001])
    engine: Any = Paper("vectors", (), {"甲": long, "乙": sign * long})
    [evidence] = similarities(engine, [("甲", "乙")])
    assert evidence.similarity == sign


def test_a_text_that_fails_has_no_similarity() -> None:
    """On either side, and no other pair is the worse for it."""
    found = similarities(encoder(), [("甲", "丙"), ("甲", ""), ("", "甲"), ("", ""), ("乙", "丙")])
    assert found[1:4] == [FAILED] * 3
    assert [found[i].similarity for i in (0, 4)] == pytest.approx([0.6, 0.8])


def test_a_text_that_was_cut_is_flagged() -> None:
    """On either side."""
    engine = encoder(truncated=frozenset("丙"))
    found = similarities(engine, [("甲", "丙"), ("丙", "甲"), ("甲", "乙")])
    assert [evidence.flags for evidence in found] == [("truncated",), ("truncated",), ()]


def test_verdicts_are_by_label_whatever_the_order_of_the_checkpoint() -> None:
    """As plain numbers."""
    engine: Any = Paper(answers={("甲", "乙"): (0.1, 0.2, 0.7)})
    [evidence] = verdicts(engine, [("甲", "乙")], "place")
    assert evidence.probabilities == pytest.approx(
        {"not_match": 0.1, "partial_match": 0.2, "exact_match": 0.7}
    )
    assert evidence.similarity is None
    json.dumps(evidence.probabilities)


@pytest.mark.parametrize("relevant", [0.0, 0.25, 0.5, 0.75, 1.0])
def test_a_rankers_number_is_a_score(relevant: float) -> None:
    """P(exact) + 0.5 P(partial): the three make one, and a partial match is in the middle."""
    engine: Any = Paper("rank", ("relevant",), {("甲", "乙"): (relevant,)})
    [evidence] = verdicts(engine, [("甲", "乙")], "place")
    assert evidence.probabilities is not None
    exact, partial, _ = (evidence.probabilities[label] for label in LABELS)
    assert exact + 0.5 * partial == relevant
    assert sum(evidence.probabilities.values()) == 1.0
    assert partial == {0.0: 0.0, 0.25: 0.375, 0.5: 0.5, 0.75: 0.375, 1.0: 0.0}[relevant]


def test_pairs_that_fail_or_were_cut_are_flagged() -> None:
    """Each for itself, in order."""
    answers = {("甲", "乙"): (0.1, 0.2, 0.7), ("乙", "丙"): (0.7, 0.2, 0.1)}
    engine: Any = Paper(answers=answers, truncated=frozenset([("乙", "丙")]))
    found = verdicts(engine, [("甲", "乙"), ("甲", ""), ("乙", "丙")], "place")
    assert found[1] == FAILED
    assert [evidence.flags for evidence in found] == [(), ("model_error",), ("truncated",)]
    assert found[2].probabilities is not None
    assert found[2].probabilities["not_match"] == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("policy", "share"), [("place", 0.9), ("ccks", MODEL_SHARE), ("another", MODEL_SHARE)]
)
def test_share_is_that_of_the_policy(policy: str, share: float) -> None:
    """A checkpoint that was calibrated says how much it counts; others count as much as usual."""
    answers = {("甲", "乙"): (0.1, 0.2, 0.7)}
    engine: Any = Paper(answers=answers, calibration={"shares": {"place": 0.9}})
    assert verdicts(engine, [("甲", "乙")], policy)[0].share == share


@pytest.mark.parametrize("ask", [similarities, lambda *given: verdicts(*given, "place")])
def test_nothing_is_said_of_no_pairs(ask: Any) -> None:
    """An empty list."""
    engine = encoder() if ask is similarities else Paper()
    assert ask(engine, []) == []


@pytest.mark.parametrize(
    "labels",
    [("a", "b", "c"), ("not_match", "exact_match"), (*LABELS, "other"), ("0", "1")],
)
def test_other_labels_are_refused(labels: tuple[str, ...]) -> None:
    """With those that it has and those that it should have."""
    engine: Any = Paper(labels=labels)
    with pytest.raises(ConfigError, match="partial_match") as error:
        check(engine)
    assert error.value.field == "checkpoint"
    assert labels[0] in str(error.value)


@pytest.mark.parametrize(
    ("kind", "labels"),
    [("pairs", LABELS), ("pairs", LABELS[::-1]), ("rank", ("relevant",)), ("tags", ("O",))],
)
def test_labels_that_fit_are_taken(kind: str, labels: tuple[str, ...]) -> None:
    """In any order, and where they are no verdicts, any."""
    engine: Any = Paper(kind, labels)
    check(engine)

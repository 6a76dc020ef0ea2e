"""Measures against values worked out by hand."""

import pytest
from hypothesis import given, strategies as st

from menpai.evaluation.metrics import (
    Score,
    auc,
    binary,
    confusion,
    macro_f1,
    per_label,
    score,
    share,
)


def test_score_by_hand() -> None:
    """3 hits of 4 predicted and 6 actual: 0.75, 0.5, 2·3/10."""
    assert score(3, 4, 6) == Score(0.75, 0.5, 0.6)


def test_score_over_nothing_is_zero() -> None:
    """A class that neither occurs nor is predicted has no score to speak of."""
    assert score(0, 0, 0) == Score(0.0, 0.0, 0.0)


def test_binary_by_hand() -> None:
    """Two of three positives found, one false alarm."""
    truth = [True, True, True, False, False]
    guess = [True, True, False, True, False]
    assert binary(truth, guess) == Score(2 / 3, 2 / 3, 2 / 3)


def test_confusion_counts_and_keeps_empty_cells() -> None:
    """Rows are the truth, columns the prediction, absent labels zero."""
    table = confusion(("a", "b", "c"), ["a", "a", "b"], ["a", "b", "b"])
    assert table == {
        "a": {"a": 1, "b": 1, "c": 0},
        "b": {"a": 0, "b": 1, "c": 0},
        "c": {"a": 0, "b": 0, "c": 0},
    }


def test_per_label_and_macro_by_hand() -> None:
    """a: P 1, R 1/2; b: P 1/2, R 1; both F1 2/3; c does not occur and does not count."""
    table = confusion(("a", "b", "c"), ["a", "a", "b"], ["a", "b", "b"])
    scores = per_label(table)
    assert scores["a"] == Score(1.0, 0.5, 2 / 3)
    assert scores["b"] == Score(0.5, 1.0, 2 / 3)
    assert macro_f1(table) == pytest.approx(2 / 3)


def test_macro_of_nothing_is_zero() -> None:
    """No rows, no mean."""
    assert macro_f1(confusion(("a", "b"), [], [])) == 0.0


@pytest.mark.parametrize(
    ("scores", "positive", "expected"),
    [
        ([0.9, 0.8, 0.2, 0.1], [True, True, False, False], 1.0),
        ([0.1, 0.2, 0.8, 0.9], [True, True, False, False], 0.0),
        ([0.5, 0.5, 0.5, 0.5], [True, False, True, False], 0.5),
        ([0.9, 0.4, 0.4, 0.1], [True, True, False, False], 0.875),
        ([3.0, 1.0, 2.0], [True, True, False], 0.5),
    ],
)
def test_auc_by_hand(scores: list[float], positive: list[bool], expected: float) -> None:
    """The share of positive-negative pairs in the right order, ties one half."""
    assert auc(scores, positive) == pytest.approx(expected)


@pytest.mark.parametrize("positive", [[True, True], [False, False], []])
def test_auc_needs_both_classes(positive: list[bool]) -> None:
    """With one class there is no pair to order."""
    assert auc([0.5] * len(positive), positive) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.booleans()), max_size=30))
def test_auc_is_the_share_of_ordered_pairs(items: list[tuple[int, bool]]) -> None:
    """Ranks give what counting all pairs gives."""
    high = [value for value, positive in items if positive]
    low = [value for value, positive in items if not positive]
    wins = sum((a > b) + 0.5 * (a == b) for a in high for b in low)
    expected = wins / (len(high) * len(low)) if high and low else None
    assert auc([value for value, _ in items], [p for _, p in items]) == (
        None if expected is None else pytest.approx(expected)
    )


def test_share_by_hand() -> None:
    """One of three, in percent to one decimal; of nothing, zero."""
    assert share({"a": 1, "b": 2}, "a") == 33.3
    assert share({"a": 1, "b": 2}, "a", "b") == 100.0
    assert share({"a": 1}, "z") == 0.0
    assert share({}, "a") == 0.0

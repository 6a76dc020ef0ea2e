"""Evaluation over labelled pairs, with a matcher whose answers are known."""

from typing import Any

import pytest

from menpai.errors import InputError
from menpai.evaluation import pairs
from menpai.evaluation.pairs import SPELLINGS, evaluate_pairs

from .conftest import FakeMatcher

ANSWERS = {
    ("a1", "b1"): ("exact_match", 0.95),
    ("a2", "b2"): ("partial_match", 0.60),
    ("a3", "b3"): ("partial_match", 0.55),
    ("a4", "b4"): ("not_match", 0.10),
    ("a5", "b5"): ("exact_match", 0.70),
}
TRUTH = ["exact_match", "exact_match", "partial_match", "not_match", "not_match"]
ROWS = [
    {"left": left, "right": right, "label": label}
    for (left, right), label in zip(ANSWERS, TRUTH, strict=True)
]


def run(matcher: FakeMatcher, rows: Any = None, **options: Any) -> dict[str, Any]:
    """Evaluate the rows above unless others are given."""
    matcher.compared = dict(ANSWERS)
    columns = {"left": "left", "right": "right", "label": "label"}
    return evaluate_pairs(ROWS if rows is None else rows, **{**columns, **options})


def test_figures_by_hand(fake_matcher: FakeMatcher) -> None:
    """All figures of five pairs, worked out by hand."""
    report = run(fake_matcher)
    assert report["confusion"] == {
        "exact_match": {"exact_match": 1, "partial_match": 1, "not_match": 0},
        "partial_match": {"exact_match": 0, "partial_match": 1, "not_match": 0},
        "not_match": {"exact_match": 1, "partial_match": 0, "not_match": 1},
    }
    assert report["f1"] == pytest.approx(
        {"exact_match": 1 / 2, "partial_match": 2 / 3, "not_match": 2 / 3}
    )
    assert report["macro_f1"] == pytest.approx((1 / 2 + 2 / 3 + 2 / 3) / 3)
    assert report["auc_match"] == pytest.approx(4 / 6)
    assert report["precision_match"] == report["recall_match"] == report["f1_match"] == 0.5
    assert (report["n"], report["n_errors"]) == (5, 0)


@pytest.mark.parametrize("positive", ["partial", "partial_match"])
def test_positive_partial_counts_partials(fake_matcher: FakeMatcher, positive: str) -> None:
    """With `positive` partial both truth and decision include partial matches."""
    report = run(fake_matcher, positive=positive)
    assert report["precision_match"] == pytest.approx(3 / 4)
    assert report["recall_match"] == 1.0
    assert fake_matcher.settings["match_at"] == "partial"


def test_match_at_moves_the_decision_only(fake_matcher: FakeMatcher) -> None:
    """A number decides by the score; labels and AUC stay."""
    report = run(fake_matcher, match_at=0.58)
    assert report["precision_match"] == pytest.approx(2 / 3)
    assert report["recall_match"] == 1.0
    assert report["macro_f1"] == run(fake_matcher)["macro_f1"]


def test_policy_reaches_the_matcher(fake_matcher: FakeMatcher) -> None:
    """The policy is the one asked for."""
    run(fake_matcher, policy="ccks")
    assert fake_matcher.settings["policy"] == "ccks"


def test_several_columns_are_joined_by_one_blank(fake_matcher: FakeMatcher) -> None:
    """Name and address make one text; an empty cell leaves no blank."""
    rows = [
        {"n": "云岭超市", "a": " 梧桐路1号", "m": None, "b": "梧桐路1号", "y": "1"},
    ]
    fake_matcher.compared[("云岭超市 梧桐路1号", "梧桐路1号")] = ("exact_match", 0.9)
    report = evaluate_pairs(rows, left=["n", "a"], right=["m", "b"], label="y")
    assert fake_matcher.asked == [("云岭超市 梧桐路1号", "梧桐路1号")]
    assert report["n"] == 1
    assert report["auc_match"] is None


@pytest.mark.parametrize("written", list(SPELLINGS))
def test_every_spelling_of_a_label(fake_matcher: FakeMatcher, written: str) -> None:
    """Each accepted spelling counts as its label."""
    report = run(fake_matcher, [{"left": "a1", "right": "b1", "label": written}])
    assert sum(report["confusion"][SPELLINGS[written]].values()) == 1


@pytest.mark.parametrize("spoilt", [{"label": "maybe"}, {"left": " "}, {"right": None}])
def test_unusable_rows_are_counted_not_judged(
    fake_matcher: FakeMatcher, spoilt: dict[str, Any]
) -> None:
    """An empty address or unknown label is an error of that row alone."""
    report = run(fake_matcher, [*ROWS, {**ROWS[0], **spoilt}])
    assert (report["n"], report["n_errors"]) == (5, 1)


def test_no_usable_row_is_an_error(fake_matcher: FakeMatcher) -> None:
    """A wrong label column must not look like a bad matcher."""
    with pytest.raises(InputError, match="no row"):
        run(fake_matcher, label="right")


def test_missing_column_is_named(fake_matcher: FakeMatcher) -> None:
    """The message says which column is missing and which exist."""
    with pytest.raises(InputError, match=r"'addr'.*'left'"):
        run(fake_matcher, left="addr")


@pytest.mark.parametrize("positive", ["not", "certain"])
def test_positive_must_be_a_match(fake_matcher: FakeMatcher, positive: str) -> None:
    """Only exact and partial can be what is looked for."""
    with pytest.raises(InputError):
        run(fake_matcher, positive=positive)


def test_progress_adds_up(fake_matcher: FakeMatcher, monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is told chunk by chunk, errors included, and sums to the rows."""
    monkeypatch.setattr(pairs, "CHUNK", 2)
    told: list[int] = []
    run(fake_matcher, iter([*ROWS, {**ROWS[0], "label": "?"}]), progress=told.append)
    assert told == [2, 2, 2]


@pytest.mark.parametrize("written", ["1", 1, 1.0, " exact "])
def test_reader_takes_a_label_in_any_type(written: object) -> None:
    """Tables with types have 1.0 for 1 where another row has none."""
    found = pairs.PairReader("l", ["r", "s"], "y").read(
        {"l": "a", "r": "b", "s": "c", "y": written}
    )
    assert found == pairs.LabelledPair("a", "b c", "exact_match")


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"l": "", "r": "b", "y": 1}, "l"),
        ({"l": "a", "r": None, "y": 1}, "r"),
        ({"l": "a", "r": "b", "y": 1.5}, "y"),
        ({"l": "a", "r": "b", "y": True}, "y"),
        ({"l": "a", "r": "b", "y": None}, "y"),
    ],
)
def test_reader_says_which_column_is_wrong(row: dict[str, object], field: str) -> None:
    """And counts the row, without quoting it."""
    reader = pairs.PairReader("l", "r", "y")
    found = reader.read(row)
    assert isinstance(found, InputError)
    assert (found.field, reader.n_errors) == (field, 1)


def test_reader_refuses_a_missing_column() -> None:
    """At the first row, with those that there are."""
    with pytest.raises(InputError, match="no column 'y'") as caught:
        pairs.PairReader("l", "r", "y").read({"l": "a", "r": "b"})
    assert caught.value.field == "y"

"""How well the matcher's labels and scores agree with labelled pairs of addresses."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final

from menpai.errors import InputError
from menpai.evaluation.metrics import auc, binary, confusion, macro_f1, per_label
from menpai.matching.results import LABELS
from menpai.model.packaged import PACKAGED

SPELLINGS: Final[Mapping[str, str]] = {
    "exact_match": "exact_match",
    "partial_match": "partial_match",
    "not_match": "not_match",
    "exact": "exact_match",
    "partial": "partial_match",
    "not": "not_match",
    "1": "exact_match",
    "2": "partial_match",
    "0": "not_match",
}
"""Accepted ways to write a label. Sets with two classes write 1 (same) and 0 (not the same)."""

CHUNK: Final = 1024


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two addresses and what they are to each other (one of `LABELS`)."""

    left: str
    right: str
    label: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What the matcher said of one labelled pair."""

    label: str
    match: bool
    score: float


Columns = str | Sequence[str]
Row = Mapping[str, object]


def evaluate_pairs(  # noqa: PLR0913 - three columns and how to judge them
    rows: Iterable[Row],
    *,
    left: Columns,
    right: Columns,
    label: str,
    policy: str = "place",
    positive: str = "exact",
    match_at: str | float | None = None,
    checkpoint: str | Path | None = PACKAGED,
    progress: Callable[[int], None] | None = None,
) -> dict[str, object]:
    """Compare labelled pairs and measure the agreement.

    Args:
        rows: Mappings from column to cell.
        left: Column of the left address, or several, joined by one blank.
        right: The same for the right address.
        label: Column of the true label, written in one of `SPELLINGS`.
        policy: Policy that labels are decided by, "place" or "ccks".
        positive: The weakest true label that counts as a match, "exact" or "partial".
        match_at: From where on the matcher says match; the same as `positive` if None.
        checkpoint: What refines the answers; see `menpai.load`.
        progress: Called with the number of rows that were just finished.

    Returns:
        macro_f1 (over the labels that occur), f1 (per label), auc_match (of the score, exact or
        partial against not; None if one side is empty), f1_match, precision_match and recall_match
        (of the decision), confusion (true label, then predicted), n, and n_errors: rows left out
        because an address is empty or the label unknown.

    Raises:
        InputError: If a column is missing or no row can be used.
    """
    least = _label(positive)
    if least not in LABELS[:2]:
        raise InputError(f"positive is exact or partial, not {positive!r}", field="positive")
    reader = PairReader(left, right, label)
    pairs: list[LabelledPair] = []
    judged: list[Judgement] = []
    wanted = least.removesuffix("_match") if match_at is None else match_at
    judge = _judge(policy, wanted, checkpoint)
    rows = iter(rows)
    while chunk := list(islice(rows, CHUNK)):
        usable = [pair for pair in map(reader.read, chunk) if isinstance(pair, LabelledPair)]
        pairs += usable
        judged += judge(usable)
        if progress is not None:
            progress(len(chunk))
    if not pairs:
        raise InputError(f"no row has two addresses and a known {label!r}", field=label)
    return _report(pairs, judged, least) | {"n": len(pairs), "n_errors": reader.n_errors}


def _judge(
    policy: str, match_at: str | float, checkpoint: str | Path | None
) -> Callable[[Sequence[LabelledPair]], Iterator[Judgement]]:
    """Build the function that asks the matcher."""
    from menpai.matching.matcher import load  # the report needs no matcher

    matcher = load(policy=policy, match_at=match_at, checkpoint=checkpoint)

    def judge(pairs: Sequence[LabelledPair]) -> Iterator[Judgement]:
        lefts, rights = [pair.left for pair in pairs], [pair.right for pair in pairs]
        for result in matcher.compare_batch(lefts, rights):
            yield Judgement(result.label, result.match, result.score)

    return judge


class PairReader:
    """Reads rows into labelled pairs.

    Args:
        left: Column of the left address, or several, joined by one blank.
        right: The same for the right address.
        label: Column of the true label.

    Attributes:
        n_errors: Rows so far that could not be used.
    """

    def __init__(self, left: Columns, right: Columns, label: str) -> None:
        self._left = [left] if isinstance(left, str) else list(left)
        self._right = [right] if isinstance(right, str) else list(right)
        self._label = label
        self.n_errors = 0

    def read(self, row: Row) -> LabelledPair | InputError:
        """Give the pair of a row, or why it has none.

        Raises:
            InputError: A column is missing.
        """
        for column in (*self._left, *self._right, self._label):
            if column not in row:
                raise InputError(f"no column {column!r}, there are {sorted(row)}", field=column)
        found = self._pair(row)
        self.n_errors += isinstance(found, InputError)
        return found

    def _pair(self, row: Row) -> LabelledPair | InputError:
        texts = _join(row, self._left), _join(row, self._right)
        label = SPELLINGS.get(_written(row[self._label]))
        if label is None:
            known = ", ".join(SPELLINGS)
            return InputError(f"the label is none of {known}", field=self._label)
        if not all(texts):
            column = (self._right if texts[0] else self._left)[0]
            return InputError("an address is empty", field=column)
        return LabelledPair(*texts, label)


def _join(row: Row, columns: Sequence[str]) -> str:
    """Cells of several columns as one address; empty ones leave no blank behind."""
    cells = (str(row[column] or "").strip() for column in columns)
    return " ".join(cell for cell in cells if cell)


def _written(cell: object) -> str:
    """A label as it is written; tables with types have 1.0 for 1 where another row has none."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return str(cell).strip()


def _label(written: str) -> str:
    if written not in SPELLINGS:
        known = ", ".join(SPELLINGS)
        raise InputError(f"unknown label {written!r}; known are {known}", field="positive")
    return SPELLINGS[written]


def _report(
    pairs: Sequence[LabelledPair], judged: Sequence[Judgement], least: str
) -> dict[str, object]:
    """All figures of one run."""
    truth = [pair.label for pair in pairs]
    table = confusion(LABELS, truth, [judgement.label for judgement in judged])
    related = [label != "not_match" for label in truth]
    accepted = LABELS[: LABELS.index(least) + 1]
    decision = binary([label in accepted for label in truth], [item.match for item in judged])
    return {
        "macro_f1": macro_f1(table),
        "f1": {label: score.f1 for label, score in per_label(table).items()},
        "auc_match": auc([judgement.score for judgement in judged], related),
        "f1_match": decision.f1,
        "precision_match": decision.precision,
        "recall_match": decision.recall,
        "confusion": table,
    }

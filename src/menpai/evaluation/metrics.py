"""Measures of agreement between predictions and truth; pure functions over sequences."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision, recall and their harmonic mean of one class, each in [0, 1]."""

    precision: float
    recall: float
    f1: float


def score(hits: int, predicted: int, actual: int) -> Score:
    """Precision, recall and F1 from counts; a ratio over nothing is 0."""
    precision = hits / predicted if predicted else 0.0
    recall = hits / actual if actual else 0.0
    f1 = 2 * hits / (predicted + actual) if predicted + actual else 0.0
    return Score(precision, recall, f1)


def binary(truth: Sequence[bool], predicted: Sequence[bool]) -> Score:
    """Score of the positive class of a yes-or-no decision."""
    hits = sum(a and b for a, b in zip(truth, predicted, strict=True))
    return score(hits, sum(predicted), sum(truth))


def confusion(
    labels: Sequence[str], truth: Iterable[str], predicted: Iterable[str]
) -> dict[str, dict[str, int]]:
    """Count by true label, then by predicted label; every label has a row and a column."""
    counts = Counter(zip(truth, predicted, strict=True))
    return {true: {guess: counts[true, guess] for guess in labels} for true in labels}


def per_label(table: Mapping[str, Mapping[str, int]]) -> dict[str, Score]:
    """Score of each label of a confusion table."""
    return {
        label: score(
            hits=row[label],
            predicted=sum(other[label] for other in table.values()),
            actual=sum(row.values()),
        )
        for label, row in table.items()
    }


def macro_f1(table: Mapping[str, Mapping[str, int]]) -> float:
    """Mean F1 over the labels that occur in the truth; 0 when there is no row."""
    scores = per_label(table)
    occurring = [label for label, row in table.items() if sum(row.values())]
    return sum(scores[label].f1 for label in occurring) / len(occurring) if occurring else 0.0


def auc(scores: Sequence[float], positive: Sequence[bool]) -> float | None:
    """Area under the ROC curve by ranks: the chance that a positive outranks a negative.

    Args:
        scores: Any finite numbers; equal ones count half.
        positive: Whether each item is of the positive class, same length.

    Returns:
        A number in [0, 1], or None when one of the classes is empty.
    """
    values = np.asarray(scores, dtype=np.float64)
    is_positive = np.asarray(positive, dtype=bool)
    n_positive = int(is_positive.sum())
    n_pairs = n_positive * (len(values) - n_positive)
    if not n_pairs:
        return None
    _, place, count = np.unique(values, return_inverse=True, return_counts=True)
    last_rank = np.cumsum(count)
    mean_rank = (last_rank - (count - 1) / 2)[place]
    wins = float(mean_rank[is_positive].sum()) - n_positive * (n_positive + 1) / 2
    return wins / n_pairs


def share(counts: Mapping[Key, int], *keys: Key) -> float:
    """Percentage that some keys have of all counts, to one decimal; 0 when there are none."""
    total = sum(counts.values())
    return round(100 * sum(counts.get(key, 0) for key in keys) / total, 1) if total else 0.0

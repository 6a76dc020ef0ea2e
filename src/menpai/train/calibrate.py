"""How sure a model is, made true: one temperature for all its numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from menpai.model.golden import softmax

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.floating[Any]]
    Ints = NDArray[np.int64]

_TEMPERATURES = np.exp(np.linspace(np.log(0.3), np.log(5.0), 120))
N_BINS = 10


def temperature(logits: Array, wanted: Ints) -> float:
    """Give the temperature under which held-out labels are likeliest.

    Args:
        logits: (n, labels) of inputs that were not learned from.
        wanted: Their labels' places.
    """
    losses = [loss(softmax(logits / t), wanted) for t in _TEMPERATURES]
    return float(_TEMPERATURES[int(np.argmin(losses))])


def loss(probabilities: Array, wanted: Ints) -> float:
    """Mean of the negative logarithms of the wanted labels' probabilities."""
    return float(-np.log(probabilities[np.arange(len(wanted)), wanted] + 1e-12).mean())


class Bin(NamedTuple):
    """Inputs of like sureness: how many, how sure of the chosen label, how often it is right."""

    n: int
    sure: float
    right: float


def reliability(probabilities: Array, wanted: Ints) -> list[Bin]:
    """Put inputs into ten bins of like sureness; those that are empty are left out."""
    sure = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == wanted
    bins = np.minimum((sure * N_BINS).astype(int), N_BINS - 1)
    return [
        Bin(int((bins == b).sum()), float(sure[bins == b].mean()), float(right[bins == b].mean()))
        for b in np.unique(bins)
    ]


def calibration_error(probabilities: Array, wanted: Ints) -> float:
    """How far the sureness of the chosen labels is from how often they are right, on average.

    Over bins of like sureness (expected calibration error).
    """
    gaps = (abs(b.sure - b.right) * b.n for b in reliability(probabilities, wanted))
    return sum(gaps) / len(wanted)

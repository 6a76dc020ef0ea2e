"""Hiding tokens of a batch, so that an encoder learns to name them from what is around."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]

_SHARE = 0.18
"""Of the tokens of a batch: the same number in batches of one shape, so that no shape is new."""
_LONGEST_RUN = 4
_KEPT = 0.1
_SWAPPED = 0.1


class Hidden(NamedTuple):
    """A batch whose tokens are partly hidden.

    Attributes:
        ids: (n, length).
        places: Where the hidden tokens are, in the flattened batch.
        wanted: What they were.
    """

    ids: Ints
    places: Ints
    wanted: Ints


def hide(  # noqa: PLR0913 -- a batch, and what the tokens are
    ids: Ints, mask: Ints, rng: np.random.Generator, *, mask_id: int, first_word: int, n_words: int
) -> Hidden:
    """Hide some of a batch's tokens, in runs; some stay as they are, some become others.

    Args:
        ids: Tokens, (n, length).
        mask: 1 where there is one.
        rng: What chooses.
        mask_id: The token that stands for a hidden one.
        first_word: The first that is no mark of the tokenizer.
        n_words: Tokens that there are.
    """
    count = max(1, int(_SHARE * ids.size))
    order = _in_runs(ids.shape, rng)
    order[(mask == 0) | (ids < first_word)] = np.inf
    places = np.argpartition(order.ravel(), count - 1)[:count]
    places = np.sort(places[np.isfinite(order.ravel()[places])])
    hidden, wanted = ids.copy().ravel(), ids.ravel()[places]
    draw = rng.random(len(places))
    hidden[places[draw >= _KEPT]] = mask_id
    swapped = places[(draw >= _KEPT) & (draw < _KEPT + _SWAPPED)]
    hidden[swapped] = rng.integers(first_word, n_words, len(swapped))
    return Hidden(hidden.reshape(ids.shape), places, wanted)


def _in_runs(shape: tuple[int, ...], rng: np.random.Generator) -> NDArray[np.float64]:
    """Random numbers that neighbours share, in runs of 1 to 4: the lowest are hidden together."""
    n, length = shape
    starts = rng.random(shape) < 2.0 / (1 + _LONGEST_RUN)
    starts[:, 0] = True
    runs = np.cumsum(starts.ravel()) - 1
    values: NDArray[np.float64] = rng.random(runs[-1] + 1)[runs].reshape(n, length)
    return values

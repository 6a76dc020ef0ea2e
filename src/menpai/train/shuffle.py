"""In which order items are learned from: batches of like length, anew in every epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Places = NDArray[np.int64]

LENGTH_STEP = 8
"""Batches are padded to a multiple of it: each new shape costs the kernels a compilation."""


def padded(lengths: Places, longest: int | None = None) -> Places:
    """Give the lengths that inputs are padded to.

    Args:
        lengths: Tokens of each.
        longest: Places that the encoder has: no more than these, whether a multiple or not.
    """
    steps = -(-lengths // LENGTH_STEP) * LENGTH_STEP
    return steps if longest is None else np.minimum(steps, longest)


class Shuffle:
    """Batches of the places of items by step, the same for the same seed.

    A step's batch is known without the batches before it, so that training goes on where it
    stopped.

    Args:
        lengths: Tokens of each item.
        max_tokens: Padded tokens of a batch.
        seed: What the order depends on.
        longest: Places that the encoder has, if some items may need them all.
    """

    def __init__(
        self,
        lengths: Sequence[int] | Places,
        max_tokens: int,
        seed: int,
        longest: int | None = None,
    ) -> None:
        self._buckets = padded(np.asarray(lengths), longest)
        self._max_tokens = max_tokens
        self._seed = seed
        self._epoch = -1
        self._batches: list[Places] = []
        self.n_batches = len(self._plan(0))

    def batch(self, step: int) -> tuple[Places, int]:
        """Places of the items of a step, and the length that they are padded to."""
        epoch, place = divmod(step, self.n_batches)
        if epoch != self._epoch:
            self._epoch, self._batches = epoch, self._plan(epoch)
        chosen = self._batches[place]
        return chosen, int(self._buckets[chosen[0]])

    def _plan(self, epoch: int) -> list[Places]:
        rng = np.random.default_rng((self._seed, epoch))
        found: list[Places] = []
        for length in np.unique(self._buckets):
            places = rng.permutation(np.flatnonzero(self._buckets == length))
            size = max(1, self._max_tokens // int(length))
            found += [places[i : i + size] for i in range(0, len(places), size)]
        order = rng.permutation(len(found))
        return [found[i] for i in order]

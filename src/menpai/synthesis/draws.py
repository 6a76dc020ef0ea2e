"""Choices by weight, the same for the same seed on every machine."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

T = TypeVar("T")


class Weighted(Generic[T]):
    """Things to draw from, each as often as its weight says."""

    def __init__(self, items: Iterable[tuple[T, float]]) -> None:
        """Take the things with their weights, which need not add up to anything."""
        pairs = list(items)
        self.items: tuple[T, ...] = tuple(item for item, _ in pairs)
        self._bounds = list(accumulate(weight for _, weight in pairs))

    def draw(self, rng: Random) -> T:
        """Draw one."""
        at = bisect_right(self._bounds, rng.random() * self._bounds[-1])
        return self.items[min(at, len(self.items) - 1)]


def from_quantiles(rng: Random, quantiles: tuple[int, ...]) -> int:
    """Draw a number whose distribution has these quantiles, even between two of them."""
    at = rng.random() * (len(quantiles) - 1)
    low, high = quantiles[int(at)], quantiles[int(at) + 1]
    return max(1, low + int((at - int(at)) * (high - low + 1)))

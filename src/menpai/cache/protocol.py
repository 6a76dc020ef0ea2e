"""What every cache of vectors does, wherever it keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class CacheStats:
    """A cache at one moment; hits, misses and evictions are counted from its start.

    Attributes:
        n_entries: Vectors that are kept now.
        n_hits: Keys that were asked for and found; a key asked for twice counts twice.
        n_misses: Keys that were asked for and not found.
        n_evicted: Vectors that were dropped to make room.
        n_bytes: What the entries take, with what is needed to find them.
        max_bytes: What they may take at most.
    """

    n_entries: int
    n_hits: int
    n_misses: int
    n_evicted: int
    n_bytes: int
    max_bytes: int


class VectorCache(Protocol):
    """Vectors by the keys of `digest`; full, it drops those that nobody asked for the longest.

    Threads may share one. What it gives are copies, and what it is given it copies. Wrong arguments
    are a ValueError and change nothing; so is any call but `close` on a cache that is closed.
    """

    @property
    def dim(self) -> int:
        """The numbers of a vector."""

    def get(self, key: bytes) -> Vectors | None:
        """Give one vector, float32 (dim,), or None."""

    def get_many(self, keys: Sequence[bytes]) -> tuple[Vectors, Mask]:
        """Give the vectors of some keys, float32 (n, dim), and which were found, bool (n,).

        A row that was not found is zero and must not be used.
        """

    def put_many(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, finite and float32 (n, dim), as if they were put one after another.

        So the last one of a repeated key is kept, and of more than fit the last ones.
        """

    def stats(self) -> CacheStats:
        """Count what is in the cache and what it did."""

    def clear(self) -> None:
        """Drop all entries; the counts go on."""

    def close(self) -> None:
        """Give everything back; closing again does nothing."""


def check_vectors(vectors: Vectors, n_keys: int, dim: int) -> None:
    """Refuse vectors that a cache cannot keep for its keys.

    Raises:
        ValueError: If they are not float32 (n_keys, dim), or not finite.
    """
    if vectors.shape != (n_keys, dim):
        raise ValueError(f"{n_keys} keys need vectors of shape {(n_keys, dim)}: {vectors.shape}")
    if vectors.dtype != np.float32:
        raise ValueError(f"a cache takes float32, not {vectors.dtype}")
    if not np.isfinite(vectors).all():
        raise ValueError("a vector holds NaN or infinity")

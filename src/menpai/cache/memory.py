"""A cache of vectors in the memory of this process."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from menpai.cache.keys import check_keys
from menpai.cache.protocol import CacheStats, check_vectors
from menpai.errors import ConfigError
from menpai.events import SILENT, CacheEvicted, CacheLooked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from menpai.cache.protocol import Mask, Vectors
    from menpai.events import Events

# What an entry takes beside its row: the key, the number of its row, and its share of the
# dictionary's tables, which CPython lets grow to six times the entries while they come and go.
# Measured, as the allocator is asked: 150 to 277 bytes, by the number of entries.
BOOKKEEPING_BYTES = 300


class MemoryCache:
    """A `VectorCache` in one array that is reserved at once; its pages are taken as they are used.

    In float16 a vector takes half the room; one with a number beyond float16's range (65,504) is
    not kept, and what its key had before is dropped.

    Args:
        dim: The numbers of a vector.
        max_bytes: What all entries may take, with `BOOKKEEPING_BYTES` for each.
        dtype: How the numbers are kept; they are given as float32 either way.
        events: Who is told of look-ups and evictions.

    Raises:
        ConfigError: If `dim` is not positive, `dtype` is another, or `max_bytes` is too small for
            one vector or more than can be reserved.
    """

    def __init__(
        self,
        dim: int,
        max_bytes: int,
        dtype: Literal["float32", "float16"] = "float32",
        events: Events = SILENT,
    ) -> None:
        if dim < 1:
            raise ConfigError(f"a vector has at least one number, not {dim}", field="dim")
        if dtype not in {"float32", "float16"}:
            raise ConfigError(f"dtype {dtype!r} is neither float32 nor float16", field="dtype")
        self.dim = dim
        self._dtype = np.dtype(dtype)
        self._events = events
        self._max_bytes = max_bytes
        self._entry_bytes = dim * self._dtype.itemsize + BOOKKEEPING_BYTES
        self._n_slots = max_bytes // self._entry_bytes
        if self._n_slots < 1:
            raise ConfigError(
                f"max_bytes {max_bytes} is too small: one vector takes {self._entry_bytes}",
                field="max_bytes",
            )
        self._lock = Lock()
        self._arena = self._reserve()
        self._slots: OrderedDict[bytes, int] = OrderedDict()  # key to row, the oldest use first
        self._free: list[int] = []  # rows below len(_slots) + len(_free) that no key has
        self._n_hits = self._n_misses = self._n_evicted = 0
        self._closed = False

    def get(self, key: bytes) -> Vectors | None:
        """Give one vector, float32 (dim,), or None."""
        check_keys((key,))
        vector: Vectors | None = None
        with self._lock:
            self._check_open()
            slot = self._slots.get(key)
            if slot is None:
                self._n_misses += 1
            else:
                self._n_hits += 1
                self._slots.move_to_end(key)
                vector = self._arena[slot].astype(np.float32)
        if self._events:
            self._events.emit(CacheLooked("vectors", int(slot is not None), int(slot is None)))
        return vector

    def get_many(self, keys: Sequence[bytes]) -> tuple[Vectors, Mask]:
        """Give the vectors of some keys, float32 (n, dim), and which were found, bool (n,)."""
        check_keys(keys)
        with self._lock:
            self._check_open()
            slots = np.array([self._use(key) for key in keys], np.intp)
            found = slots >= 0
            n_hits = int(np.count_nonzero(found))
            n_misses = len(keys) - n_hits
            self._n_hits += n_hits
            self._n_misses += n_misses
            kept = self._arena[slots[found] if n_misses else slots]
        if self._events:
            self._events.emit(CacheLooked("vectors", n_hits, n_misses))
        if not n_misses:
            return kept.astype(np.float32, copy=False), found
        vectors = np.zeros((len(keys), self.dim), np.float32)
        vectors[found] = kept
        return vectors, found

    def put_many(self, keys: Sequence[bytes], vectors: Vectors) -> None:
        """Keep vectors, finite and float32 (n, dim), as if they were put one after another."""
        check_keys(keys)
        check_vectors(vectors, len(keys), self.dim)
        with np.errstate(over="ignore"):
            rows = vectors.astype(self._dtype, copy=False)
        overflowing = set(np.flatnonzero(np.isinf(rows).any(axis=1)).tolist())
        with self._lock:
            self._check_open()
            n_evicted_before = self._n_evicted
            try:
                self._store(keys, rows, overflowing)
            except BaseException:
                self._forget()  # interrupted half-way: no key may lead to a row not yet written
                raise
            n_evicted = self._n_evicted - n_evicted_before
        if n_evicted and self._events:
            self._events.emit(CacheEvicted("vectors", n_evicted))

    def stats(self) -> CacheStats:
        """Count what is in the cache and what it did."""
        with self._lock:
            self._check_open()
            return CacheStats(
                n_entries=len(self._slots),
                n_hits=self._n_hits,
                n_misses=self._n_misses,
                n_evicted=self._n_evicted,
                n_bytes=len(self._slots) * self._entry_bytes,
                max_bytes=self._max_bytes,
            )

    def clear(self) -> None:
        """Drop all entries, and give their memory back; the counts go on."""
        with self._lock:
            self._check_open()
            self._forget()
            self._arena = self._reserve()

    def close(self) -> None:
        """Give all memory back; closing again does nothing."""
        with self._lock:
            self._closed = True
            self._forget()
            self._arena = np.empty((0, self.dim), self._dtype)

    def _reserve(self) -> NDArray[Any]:
        try:
            return np.empty((self._n_slots, self.dim), self._dtype)
        except (MemoryError, ValueError) as error:  # ValueError: beyond what an address can name
            raise ConfigError(
                f"max_bytes {self._max_bytes} is more than can be reserved", field="max_bytes"
            ) from error

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the cache is closed")

    def _use(self, key: bytes) -> int:
        """Give the row of a key and make it the newest, or -1."""
        slot = self._slots.get(key, -1)
        if slot >= 0:
            self._slots.move_to_end(key)
        return slot

    def _store(self, keys: Sequence[bytes], rows: NDArray[Any], overflowing: set[int]) -> None:
        placed: dict[int, int] = {}  # slot to row: numpy leaves open which of two would win
        for row, key in enumerate(keys):
            if row not in overflowing:
                placed[self._place(key)] = row
            elif key in self._slots:
                self._free.append(self._slots.pop(key))
        self._arena[list(placed)] = rows[list(placed.values())]

    def _place(self, key: bytes) -> int:
        """Give a row for a key, which becomes the newest."""
        slot = self._use(key)
        if slot < 0:
            if self._free:
                slot = self._free.pop()
            elif len(self._slots) < self._n_slots:
                slot = len(self._slots)
            else:
                slot = self._slots.popitem(last=False)[1]
                self._n_evicted += 1
            self._slots[key] = slot
        return slot

    def _forget(self) -> None:
        self._slots.clear()
        self._free.clear()

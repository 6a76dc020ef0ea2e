"""What is particular about the cache in memory: its size, its halves, and its exact order."""

import os
import tracemalloc
from collections import OrderedDict
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from numpy.typing import NDArray

from menpai.cache.memory import BOOKKEEPING_BYTES, MemoryCache
from menpai.errors import ConfigError
from menpai.events import CacheEvicted, CacheLooked, Event, Events

DIM = 4
BYTES = {"float32": 4 * DIM + BOOKKEEPING_BYTES, "float16": 2 * DIM + BOOKKEEPING_BYTES}
HALF_MAX = 65_504.0

MakeKey = Callable[[object], bytes]
MakeVectors = Callable[[Sequence[float]], NDArray[np.float32]]


@pytest.mark.parametrize("dtype", BYTES)
def test_size_says_how_many_fit(dtype: str, key: MakeKey, vectors: MakeVectors) -> None:
    """So many entries as their bytes allow, and not one more."""
    for max_bytes, n_fitting in ((3 * BYTES[dtype], 3), (4 * BYTES[dtype] - 1, 3)):
        cache = MemoryCache(DIM, max_bytes, dtype)
        cache.put_many([key(name) for name in range(5)], vectors(range(5)))
        stats = cache.stats()
        assert (stats.n_entries, stats.n_evicted) == (n_fitting, 2)
        assert (stats.n_bytes, stats.max_bytes) == (3 * BYTES[dtype], max_bytes)


@pytest.mark.parametrize("dtype", BYTES)
def test_room_for_one_is_the_least(dtype: str, key: MakeKey, vectors: MakeVectors) -> None:
    """A size that holds no vector is refused."""
    cache = MemoryCache(DIM, BYTES[dtype], dtype)
    cache.put_many([key(1), key(2)], vectors([1, 2]))
    assert cache.get_many([key(1), key(2)])[1].tolist() == [False, True]
    with pytest.raises(ConfigError, match="too small") as caught:
        MemoryCache(DIM, BYTES[dtype] - 1, dtype)
    assert caught.value.field == "max_bytes"


@pytest.mark.parametrize("max_bytes", [2**62, 2**80])
def test_more_than_any_memory_is_refused(max_bytes: int) -> None:
    """What cannot be reserved is an error of the setting."""
    with pytest.raises(ConfigError, match="more than can be reserved") as caught:
        MemoryCache(DIM, max_bytes)
    assert caught.value.field == "max_bytes"


@pytest.mark.parametrize("dim", [0, -1])
def test_vectors_have_numbers(dim: int) -> None:
    """A vector of no numbers is refused."""
    with pytest.raises(ConfigError, match="at least one number") as caught:
        MemoryCache(dim, 10_000)
    assert caught.value.field == "dim"


def test_other_types_are_refused() -> None:
    """Vectors are kept in one of two types."""
    with pytest.raises(ConfigError, match="neither float32 nor float16") as caught:
        MemoryCache(DIM, 10_000, "float64")
    assert caught.value.field == "dtype"


def test_float32_keeps_every_bit(key: MakeKey) -> None:
    """By default nothing is rounded, up to the greatest and down to the least number."""
    cache = MemoryCache(DIM, 10_000)
    vector = np.float32([1 / 3, -np.finfo(np.float32).max, 1e-45, -0.0])
    cache.put_many([key(1)], vector[None])
    given = cache.get(key(1))
    assert given is not None
    assert given.tobytes() == cache.get_many([key(1)])[0].tobytes() == vector.tobytes()


def test_float16_rounds(key: MakeKey) -> None:
    """Halves are rounded to nearest, given as float32, the same from both calls."""
    cache = MemoryCache(DIM, 10_000, "float16")
    vector = np.float32([1 / 3, -HALF_MAX, 1e-7, 65_519])
    cache.put_many([key(1)], vector[None])
    given = cache.get(key(1))
    assert given is not None
    assert given.dtype == np.float32
    assert given.tolist() == vector.astype(np.float16).tolist()
    assert given.tolist() == cache.get_many([key(1)])[0][0].tolist()
    assert given[3] == HALF_MAX


@pytest.mark.parametrize("number", [65_520.0, -65_520.0, 1e30])
def test_too_great_for_halves_is_not_kept(
    key: MakeKey, vectors: MakeVectors, number: float
) -> None:
    """The others of the call are, and what the key had before is not given for it."""
    cache = MemoryCache(DIM, 10_000, "float16")
    cache.put_many([key(2)], vectors([7]))
    rows = vectors([1, 2, 3])
    rows[1, 3] = number
    cache.put_many([key(1), key(2), key(3)], rows)
    given, found = cache.get_many([key(1), key(2), key(3)])
    assert found.tolist() == [True, False, True]
    assert given[:, 0].tolist() == [1, 0, 3]
    stats = cache.stats()
    assert (stats.n_entries, stats.n_evicted) == (2, 0)


def test_of_a_repeated_key_the_last_vector_counts(key: MakeKey, vectors: MakeVectors) -> None:
    """Also when the first or the last of them is too great to be kept."""
    cache = MemoryCache(DIM, 10_000, "float16")
    cache.put_many([key(1), key(2), key(1), key(2)], vectors([1e6, 2, 3, 1e6]))
    given, found = cache.get_many([key(1), key(2)])
    assert found.tolist() == [True, False]
    assert given[0, 0] == 3


def test_cleared_cache_gives_each_key_its_own_row(key: MakeKey, vectors: MakeVectors) -> None:
    """Also where a row had been freed before."""
    cache = MemoryCache(DIM, 4 * BYTES["float16"], "float16")
    cache.put_many([key(name) for name in range(4)], vectors(range(4)))
    cache.put_many([key(3)], vectors([1e6]))
    cache.clear()
    cache.put_many([key(name) for name in range(4)], vectors(range(4)))
    given, found = cache.get_many([key(name) for name in range(4)])
    assert found.all()
    assert given[:, 0].tolist() == [0, 1, 2, 3]


def test_failed_write_leaves_nothing_wrong(key: MakeKey, vectors: MakeVectors) -> None:
    """Interrupted between finding room and writing, a cache is empty rather than wrong."""

    class Interrupted:
        def __setitem__(self, *_: object) -> None:
            raise KeyboardInterrupt

    cache = MemoryCache(DIM, 10_000)
    cache.put_many([key(1), key(2)], vectors([1, 2]))
    arena, cache._arena = cache._arena, Interrupted()
    with pytest.raises(KeyboardInterrupt):
        cache.put_many([key(2), key(3)], vectors([8, 9]))
    cache._arena = arena
    assert not cache.get_many([key(1), key(2), key(3)])[1].any()
    cache.put_many([key(3), key(1)], vectors([3, 1]))
    assert cache.get_many([key(1), key(2), key(3)])[0][:, 0].tolist() == [1, 0, 3]


def n_bytes_of(make: Callable[[], object]) -> int:
    """What tracemalloc sees of what `make` gives, while it is kept."""
    before = tracemalloc.get_traced_memory()[0]
    made = make()
    after = tracemalloc.get_traced_memory()[0]
    del made
    return after - before


@pytest.mark.parametrize("n_entries", [300, 684, 2_000, 2_732, 4_000])  # 684, 2,732: the worst
def test_memory_is_what_is_stated(n_entries: int) -> None:
    """Full and churned, a cache takes no more than it says, and not so much less."""

    def make() -> MemoryCache:
        cache = MemoryCache(DIM, n_entries * BYTES["float32"])
        for _ in range(8):
            keys = [os.urandom(16) for _ in range(n_entries // 2)]
            cache.put_many(keys, np.zeros((len(keys), DIM), np.float32))
        return cache

    tracemalloc.start()
    try:
        n_bytes = n_bytes_of(make)
    finally:
        tracemalloc.stop()
    fixed = 4_000  # the object, its lock and the like
    assert n_bytes <= n_entries * BYTES["float32"] + fixed
    assert n_bytes >= n_entries * (4 * DIM + BOOKKEEPING_BYTES / 3)


def test_cleared_and_closed_caches_hold_nothing(key: MakeKey) -> None:
    """A closed cache has given its array back; a cleared one has a fresh one, not yet used."""
    n_slots = 1_000
    rows = np.ones((n_slots, DIM), np.float32)
    cache = MemoryCache(DIM, n_slots * BYTES["float32"])
    cache.put_many([key(name) for name in range(n_slots)], rows)
    used = cache._arena
    cache.clear()
    assert cache._arena is not used
    assert cache._arena.shape == used.shape
    cache.close()
    assert cache._arena.nbytes == 0


NAMES = st.integers(0, 7)
NUMBERS = st.integers(-9, 9) | st.sampled_from([1e6, -1e6])  # the last do not fit into halves
N_SLOTS = 4


class Caches(RuleBasedStateMachine):
    """A cache of few slots beside a plain model of it, under the same calls."""

    dtype = "float32"

    def __init__(self) -> None:
        super().__init__()
        self.told: list[Event] = []
        self.cache = MemoryCache(
            DIM, N_SLOTS * BYTES[self.dtype], self.dtype, Events([self.told.append])
        )
        self.model: OrderedDict[bytes, float] = OrderedDict()
        self.n_hits = self.n_misses = self.n_evicted = 0

    def look(self, key: bytes) -> float | None:
        """Ask the model."""
        if key not in self.model:
            self.n_misses += 1
            return None
        self.n_hits += 1
        self.model.move_to_end(key)
        return self.model[key]

    @rule(items=st.lists(st.tuples(NAMES, NUMBERS), max_size=10))
    def put(self, items: list[tuple[int, float]]) -> None:
        """Put some vectors, one after another in the model."""
        vectors = np.float32([[number] * DIM for _, number in items]).reshape(-1, DIM)
        keys = [bytes([name] * 16) for name, _ in items]
        self.cache.put_many(keys, vectors)
        for key, (_, number) in zip(keys, items, strict=True):
            if self.dtype == "float16" and abs(number) > HALF_MAX:
                self.model.pop(key, None)
                continue
            self.model[key] = number
            self.model.move_to_end(key)
            if len(self.model) > N_SLOTS:
                self.model.popitem(last=False)
                self.n_evicted += 1

    @rule(name=NAMES)
    def get(self, name: int) -> None:
        """Ask for one."""
        vector = self.cache.get(bytes([name] * 16))
        expected = self.look(bytes([name] * 16))
        assert (None if vector is None else vector.tolist()) == (
            None if expected is None else [expected] * DIM
        )

    @rule(names=st.lists(NAMES, max_size=10))
    def get_many(self, names: list[int]) -> None:
        """Ask for several."""
        keys = [bytes([name] * 16) for name in names]
        vectors, found = self.cache.get_many(keys)
        expected = [self.look(key) for key in keys]
        assert found.tolist() == [number is not None for number in expected]
        assert vectors.tolist() == [[number or 0] * DIM for number in expected]

    @rule()
    def clear(self) -> None:
        """Drop all."""
        self.cache.clear()
        self.model.clear()

    @invariant()
    def same_counts(self) -> None:
        """The counts are the same, and so are those that were told."""
        stats = self.cache.stats()
        assert stats.n_entries == len(self.model)
        assert stats.n_bytes == len(self.model) * BYTES[self.dtype]
        counts = (self.n_hits, self.n_misses, self.n_evicted)
        assert (stats.n_hits, stats.n_misses, stats.n_evicted) == counts
        looks = [event for event in self.told if isinstance(event, CacheLooked)]
        drops = [event for event in self.told if isinstance(event, CacheEvicted)]
        assert all(event.cache == "vectors" for event in (*looks, *drops))
        assert counts == (
            sum(event.n_hits for event in looks),
            sum(event.n_misses for event in looks),
            sum(event.n_entries for event in drops),
        )


class HalfCaches(Caches):
    """The same in halves, where not every vector is kept."""

    dtype = "float16"


TestCaches = Caches.TestCase
TestCaches.settings = settings(stateful_step_count=30)
TestHalfCaches = HalfCaches.TestCase
TestHalfCaches.settings = settings(stateful_step_count=30)

"""What every cache of vectors keeps to, whatever its kind: see FACTORIES in conftest.py."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from random import Random
from threading import Barrier

import numpy as np
import pytest
from numpy.typing import NDArray

from menpai.cache.protocol import VectorCache
from menpai.events import CacheEvicted, CacheLooked, Event, Events

DIM = 4

MakeCache = Callable[..., VectorCache]
MakeKey = Callable[[object], bytes]
MakeVectors = Callable[[Sequence[float]], NDArray[np.float32]]


@pytest.fixture
def cache(make_cache: MakeCache) -> VectorCache:
    """A cache with room for all that a test puts in."""
    return make_cache()


def put(cache: VectorCache, names: Sequence[int], key: MakeKey, vectors: MakeVectors) -> None:
    """Put vectors that start with the number that their key is made of."""
    cache.put_many([key(name) for name in names], vectors(names))


def test_dim_is_told(cache: VectorCache) -> None:
    """A cache says how long its vectors are."""
    assert cache.dim == DIM


def test_new_cache_is_empty(cache: VectorCache, key: MakeKey) -> None:
    """Nothing is found in it."""
    assert cache.get(key(1)) is None
    found_vectors, found = cache.get_many([key(1), key(2)])
    assert not found.any()
    assert not found_vectors.any()
    assert (cache.stats().n_entries, cache.stats().n_bytes) == (0, 0)


def test_what_was_put_is_given(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> None:
    """Each key gives its own vector, in float32."""
    put(cache, [1, 2, 3], key, vectors)
    vector = cache.get(key(2))
    assert vector is not None
    assert vector.dtype == np.float32
    assert vector.shape == (DIM,)
    assert vector.tolist() == [2, 3, 4, 5]


def test_rows_follow_the_keys(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> None:
    """Found or not, repeated or not, each key has its row; a row that was not found is zero."""
    put(cache, [1, 2, 3], key, vectors)
    given, found = cache.get_many([key(name) for name in (3, 9, 1, 3)])
    assert given.dtype == np.float32
    assert found.dtype == np.bool_
    assert found.tolist() == [True, False, True, True]
    assert given.tolist() == [[3, 4, 5, 6], [0, 0, 0, 0], [1, 2, 3, 4], [3, 4, 5, 6]]


def test_all_found(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> None:
    """Without a miss the rows are in order, too."""
    put(cache, [1, 2], key, vectors)
    given, found = cache.get_many([key(2), key(1)])
    assert found.all()
    assert given.dtype == np.float32
    assert given[:, 0].tolist() == [2, 1]


def test_no_keys(cache: VectorCache) -> None:
    """Asking for none and putting none are fine."""
    given, found = cache.get_many([])
    assert (given.shape, given.dtype) == ((0, DIM), np.float32)
    assert (found.shape, found.dtype) == ((0,), np.bool_)
    cache.put_many([], np.empty((0, DIM), np.float32))
    assert cache.stats().n_entries == 0


def test_last_of_a_repeated_key_is_kept(
    cache: VectorCache, key: MakeKey, vectors: MakeVectors
) -> None:
    """Within one call and over several."""
    cache.put_many([key(1), key(2), key(1)], vectors([1, 2, 10]))
    assert cache.stats().n_entries == 2
    assert cache.get_many([key(1), key(2)])[0][:, 0].tolist() == [10, 2]
    cache.put_many([key(1)], vectors([20]))
    assert cache.get_many([key(1), key(2)])[0][:, 0].tolist() == [20, 2]


def test_vectors_are_copied(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> None:
    """Neither what was put nor what was given is tied to the cache."""
    own = vectors([1, 2])
    keys = [key(1), key(2)]
    cache.put_many(keys, own)
    own[:] = 7
    one = cache.get(keys[0])
    many, _ = cache.get_many(keys)
    put(cache, [2, 1], key, lambda _: vectors([8, 9]))
    assert one is not None
    assert (one[0], many[:, 0].tolist()) == (1, [1, 2])
    many[:] = one[:] = 5
    assert cache.get_many(keys)[0][:, 0].tolist() == [9, 8]


def test_sliced_vectors_are_read_right(
    cache: VectorCache, key: MakeKey, vectors: MakeVectors
) -> None:
    """An array whose rows are not next to one another is fine."""
    cache.put_many([key(1), key(2)], vectors([1, 7, 2, 7])[::2])
    assert cache.get_many([key(1), key(2)])[0][:, 0].tolist() == [1, 2]


def test_counts(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> None:
    """Each key that is asked for is a hit or a miss; the size is that of the entries."""
    put(cache, [1, 2], key, vectors)
    cache.get(key(1))
    cache.get(key(3))
    cache.get_many([key(1), key(1), key(2), key(3)])
    stats = cache.stats()
    assert (stats.n_entries, stats.n_hits, stats.n_misses, stats.n_evicted) == (2, 4, 2, 0)
    assert 0 < stats.n_bytes <= stats.max_bytes


def test_clear_drops_entries_and_keeps_counts(
    cache: VectorCache, key: MakeKey, vectors: MakeVectors
) -> None:
    """A cleared cache is empty, and as good as new."""
    put(cache, [1, 2], key, vectors)
    cache.get_many([key(1), key(3)])
    cache.clear()
    stats = cache.stats()
    assert (stats.n_entries, stats.n_hits, stats.n_misses, stats.n_evicted) == (0, 1, 1, 0)
    assert cache.get(key(1)) is None
    put(cache, [3, 1], key, vectors)
    assert cache.get_many([key(1), key(2), key(3)])[0][:, 0].tolist() == [1, 0, 3]


def put_until_full(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> int:
    """Put the vectors of 1, 2, … one by one until one is dropped; give how many that were."""
    for name in count(1):
        put(cache, [name], key, vectors)
        if cache.stats().n_evicted:
            return name
    raise AssertionError


def test_full_cache_drops_the_oldest(
    cache: VectorCache, key: MakeKey, vectors: MakeVectors
) -> None:
    """The bytes are never more than allowed, and what was put last is there."""
    n_put = put_until_full(cache, key, vectors)
    stats = cache.stats()
    assert stats.n_entries + stats.n_evicted == n_put
    assert stats.n_bytes <= stats.max_bytes == 100_000
    assert cache.get(key(1)) is None
    assert cache.get(key(n_put)) is not None


def test_size_is_kept_to(make_cache: MakeCache, key: MakeKey, vectors: MakeVectors) -> None:
    """A cache of twice the bytes keeps more."""
    small, large = (
        put_until_full(make_cache(max_bytes), key, vectors) for max_bytes in (100_000, 200_000)
    )
    assert small < large


@pytest.mark.parametrize(
    "use",
    [
        lambda cache, key, _: cache.get(key(1)),
        lambda cache, key, _: cache.get_many([key(1), key("none")]),
        lambda cache, key, vectors: cache.put_many([key(1)], vectors([1])),
    ],
    ids=["get", "get_many", "put_many"],
)
def test_use_keeps_an_entry(
    cache: VectorCache,
    key: MakeKey,
    vectors: MakeVectors,
    use: Callable[[VectorCache, MakeKey, MakeVectors], object],
) -> None:
    """What was used is dropped after what was put later but not used."""
    put(cache, [1, 2], key, vectors)
    for name in count(3):
        use(cache, key, vectors)
        put(cache, [name], key, vectors)
        if cache.stats().n_evicted:
            break
    assert cache.get_many([key(1), key(2)])[1].tolist() == [True, False]


def test_more_than_fits_at_once(make_cache: MakeCache, key: MakeKey, vectors: MakeVectors) -> None:
    """Of more vectors than there is room for, the last ones are kept, each under its key."""
    cache = make_cache()
    names = range(1, 2 * put_until_full(make_cache(), key, vectors))
    put(cache, names, key, vectors)
    given, found = cache.get_many([key(name) for name in names])
    n_kept = cache.stats().n_entries
    assert found.tolist() == [False] * (len(names) - n_kept) + [True] * n_kept
    assert given[found, 0].tolist() == list(names)[-n_kept:]


@pytest.mark.parametrize("odd", [b"", b"x" * 15, b"x" * 17])
def test_odd_keys_are_refused(
    cache: VectorCache, key: MakeKey, vectors: MakeVectors, odd: bytes
) -> None:
    """A key of another length is an error of the caller, not a miss."""
    with pytest.raises(ValueError, match="16 bytes"):
        cache.get(odd)
    with pytest.raises(ValueError, match="16 bytes"):
        cache.get_many([key(1), odd])
    with pytest.raises(ValueError, match="16 bytes"):
        cache.put_many([key(1), odd], vectors([1, 2]))
    assert (cache.stats().n_entries, cache.stats().n_misses) == (0, 0)


@pytest.mark.parametrize(
    "odd",
    [
        np.zeros((2, DIM + 1), np.float32),
        np.zeros((2, DIM - 1), np.float32),
        np.zeros((1, DIM), np.float32),
        np.zeros((3, DIM), np.float32),
        np.zeros(2 * DIM, np.float32),
        np.zeros((2, DIM), np.float64),
        np.zeros((2, DIM), np.float16),
    ],
    ids=lambda array: f"{array.dtype}{array.shape}",
)
def test_odd_vectors_are_refused(
    cache: VectorCache, key: MakeKey, odd: NDArray[np.float32]
) -> None:
    """Vectors of another shape or type are not bent to fit."""
    with pytest.raises(ValueError):
        cache.put_many([key(1), key(2)], odd)
    assert cache.stats().n_entries == 0


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_refused(
    cache: VectorCache, key: MakeKey, vectors: MakeVectors, number: float
) -> None:
    """One of them spoils the whole call, and what was there before stays."""
    put(cache, [1], key, vectors)
    odd = vectors([5, 6])
    odd[1, 2] = number
    with pytest.raises(ValueError, match="NaN or infinity"):
        cache.put_many([key(1), key(2)], odd)
    assert cache.get_many([key(1), key(2)])[0][:, 0].tolist() == [1, 0]


def test_looks_and_evictions_are_told(
    make_cache: MakeCache,
    key: MakeKey,
    vectors: MakeVectors,
    events: Events,
    told: list[Event],
) -> None:
    """One event a call that looks something up, and one for what a call drops."""
    cache = make_cache(events=events)
    put(cache, [1, 2], key, vectors)
    assert told == []
    cache.get(key(1))
    cache.get(key(9))
    cache.get_many([key(1), key(8), key(9)])
    cache.get_many([key(1), key(2)])
    assert told == [
        CacheLooked("vectors", 1, 0),
        CacheLooked("vectors", 0, 1),
        CacheLooked("vectors", 1, 2),
        CacheLooked("vectors", 2, 0),
    ]
    told.clear()
    put_until_full(cache, key, vectors)
    assert told == [CacheEvicted("vectors", cache.stats().n_evicted)]


def test_observer_may_ask_the_cache(
    make_cache: MakeCache, key: MakeKey, vectors: MakeVectors
) -> None:
    """It is told when the cache is done: its figures are those of after the call."""
    seen: list[int] = []
    cache = make_cache(events=Events([lambda _: seen.append(cache.stats().n_misses)]))
    cache.get(key(1))
    cache.get_many([key(1), key(2)])
    assert seen == [1, 3]
    n_put = put_until_full(cache, key, vectors)
    assert n_put
    assert seen == [1, 3, 3]


def test_closed_cache_refuses_work(cache: VectorCache, key: MakeKey, vectors: MakeVectors) -> None:
    """After the end each call says so; only closing again does nothing."""
    put(cache, [1], key, vectors)
    cache.close()
    cache.close()
    for call in (
        lambda: cache.get(key(1)),
        lambda: cache.get_many([key(1)]),
        lambda: put(cache, [1], key, vectors),
        cache.stats,
        cache.clear,
    ):
        with pytest.raises(ValueError, match="closed"):
            call()


def test_threads_may_share_a_cache(
    make_cache: MakeCache, key: MakeKey, vectors: MakeVectors, rapid_switches: None
) -> None:
    """Whatever others put meanwhile, a key gives its own vector, whole; and nothing is miscounted."""
    del rapid_switches
    cache = make_cache()
    names = range(1, 2 * put_until_full(cache, key, vectors))
    n_evicted_before = cache.stats().n_evicted
    n_threads, n_rounds = 4, 60
    keys = {name: key(name) for name in names}
    own = dict(zip(names, vectors(names), strict=True))
    start = Barrier(n_threads)

    def work(seed: int) -> int:
        random = Random(seed)  # noqa: S311  no secret
        start.wait()
        n_asked = 0
        for _ in range(n_rounds):
            some = random.choices(names, k=20)
            cache.put_many([keys[name] for name in some], np.stack([own[name] for name in some]))
            some = random.choices(names, k=20)
            given, found = cache.get_many([keys[name] for name in some])
            for name, row, there in zip(some, given, found, strict=True):
                assert row.tolist() == (own[name].tolist() if there else [0] * DIM)
            vector = cache.get(keys[some[0]])
            assert vector is None or vector.tolist() == own[some[0]].tolist()
            n_asked += len(some) + 1
        return n_asked

    with ThreadPoolExecutor(n_threads) as pool:
        n_asked = sum(pool.map(work, range(n_threads)))
    stats = cache.stats()
    assert stats.n_hits + stats.n_misses == n_asked
    assert stats.n_evicted > n_evicted_before
    assert stats.n_bytes <= stats.max_bytes

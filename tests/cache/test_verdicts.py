"""The cache of verdicts."""

from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from random import Random
from threading import Barrier

import pytest
from hypothesis import given, strategies as st

from menpai.cache.verdicts import VerdictCache
from menpai.errors import ConfigError
from menpai.events import CacheEvicted, CacheLooked, Event, Events

MakeKey = Callable[[object], bytes]

NAMES = st.integers(0, 5)


def test_what_was_put_is_given(key: MakeKey) -> None:
    """Each pair has its verdict, the last that was put."""
    cache = VerdictCache(10)
    assert cache.get(key(1)) is None
    cache.put(key(1), (0.5, 0.25))
    cache.put(key(2), ())
    assert cache.get(key(1)) == (0.5, 0.25)
    assert cache.get(key(2)) == ()
    cache.put(key(1), (1.0,))
    assert cache.get(key(1)) == (1.0,)
    assert len(cache) == 2


@given(st.integers(1, 4), st.lists(st.tuples(NAMES, st.none() | st.floats(-1, 1)), max_size=40))
def test_the_oldest_is_dropped(max_entries: int, steps: list[tuple[int, float | None]]) -> None:
    """A full cache keeps those that were put or asked for last: the same as a plain model."""
    told: list[Event] = []
    cache = VerdictCache(max_entries, Events([told.append]))
    model: OrderedDict[bytes, tuple[float, ...]] = OrderedDict()
    for name, number in steps:
        key = bytes([name] * 16)
        told.clear()
        if number is None:
            verdict = model.get(key)
            assert cache.get(key) == verdict
            assert told == [CacheLooked("verdicts", int(key in model), int(key not in model))]
            if verdict is not None:
                model.move_to_end(key)
        else:
            cache.put(key, (number,))
            model[key] = (number,)
            model.move_to_end(key)
            full = len(model) > max_entries
            assert told == [CacheEvicted("verdicts", 1)] * full
            if full:
                model.popitem(last=False)
        assert len(cache) == len(model) <= max_entries


@pytest.mark.parametrize("use", ["get", "put"])
def test_use_keeps_a_verdict(key: MakeKey, use: str) -> None:
    """What was used is dropped after what was put later but not used."""
    cache = VerdictCache(2)
    cache.put(key(1), (1.0,))
    cache.put(key(2), (2.0,))
    cache.get(key(1)) if use == "get" else cache.put(key(1), (1.0,))
    cache.put(key(3), (3.0,))
    assert (cache.get(key(1)), cache.get(key(2))) == ((1.0,), None)


def test_clear(key: MakeKey) -> None:
    """A cleared cache is empty."""
    cache = VerdictCache(2)
    cache.put(key(1), (1.0,))
    cache.clear()
    assert len(cache) == 0
    assert cache.get(key(1)) is None


def test_full_cache_without_listeners(key: MakeKey) -> None:
    """Nobody needs to listen."""
    cache = VerdictCache(1)
    cache.put(key(1), (1.0,))
    cache.put(key(2), (2.0,))
    assert (cache.get(key(1)), cache.get(key(2))) == (None, (2.0,))


def test_observer_may_ask_the_cache(key: MakeKey) -> None:
    """It is told when the cache is done."""
    cache = VerdictCache(1, Events([lambda _: cache.clear()]))
    cache.put(key(1), (1.0,))
    assert cache.get(key(1)) == (1.0,)
    assert len(cache) == 0


@pytest.mark.parametrize("max_entries", [0, -1])
def test_room_for_one_is_the_least(max_entries: int) -> None:
    """A cache of nothing is refused."""
    with pytest.raises(ConfigError) as caught:
        VerdictCache(max_entries)
    assert caught.value.field == "max_entries"


@pytest.mark.parametrize("odd", [b"", b"x" * 15, b"x" * 17])
def test_odd_keys_are_refused(odd: bytes) -> None:
    """A key of another length is an error of the caller, not a miss."""
    cache = VerdictCache(2)
    with pytest.raises(ValueError, match="16 bytes"):
        cache.get(odd)
    with pytest.raises(ValueError, match="16 bytes"):
        cache.put(odd, (1.0,))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_numbers_that_are_not_finite_are_refused(key: MakeKey, number: float) -> None:
    """They are never kept."""
    cache = VerdictCache(2)
    with pytest.raises(ValueError, match="NaN or infinity"):
        cache.put(key(1), (1.0, number))
    assert len(cache) == 0


def test_threads_may_share_a_cache(key: MakeKey, rapid_switches: None) -> None:
    """Whatever others put meanwhile, a key gives its own verdict, and the limit holds."""
    del rapid_switches
    n_threads, names = 4, range(20)
    keys = [key(name) for name in names]
    cache = VerdictCache(10)
    start = Barrier(n_threads)

    def work(seed: int) -> None:
        random = Random(seed)  # noqa: S311  no secret
        start.wait()
        for _ in range(2_000):
            name = random.choice(names)
            cache.put(keys[name], (float(name),))
            name = random.choice(names)
            assert cache.get(keys[name]) in {None, (float(name),)}

    with ThreadPoolExecutor(n_threads) as pool:
        list(pool.map(work, range(n_threads)))
    assert len(cache) == 10

"""What the tests of caches share: the kinds of cache of vectors, and keys and vectors for them."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from menpai.cache.keys import digest
from menpai.cache.memory import MemoryCache
from menpai.cache.protocol import VectorCache
from menpai.events import SILENT, Event, Events

DIM = 4

Factory = Callable[[Path, int, Events], VectorCache]
"""Makes a cache of vectors of `DIM` numbers: its folder, its size in bytes, and who is told."""

FACTORIES: dict[str, Factory] = {
    "memory": lambda _, max_bytes, events: MemoryCache(DIM, max_bytes, events=events),
    "memory-float16": lambda _, max_bytes, events: MemoryCache(DIM, max_bytes, "float16", events),
}
"""Each kind keeps to the contract of test_contract.py; a new one is added here."""

MakeCache = Callable[..., VectorCache]


@pytest.fixture(params=FACTORIES)
def make_cache(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeCache]:
    """Make a cache of one kind, of vectors of `DIM` numbers, and close it at the end."""
    made: list[VectorCache] = []

    def make(max_bytes: int = 100_000, events: Events = SILENT) -> VectorCache:
        made.append(FACTORIES[request.param](tmp_path / str(len(made)), max_bytes, events))
        return made[-1]

    yield make
    for cache in made:
        cache.close()


@pytest.fixture
def told() -> list[Event]:
    """What `events` was told."""
    return []


@pytest.fixture
def events(told: list[Event]) -> Events:
    """Events that somebody listens to."""
    return Events([told.append])


@pytest.fixture(scope="session")
def key() -> Callable[[object], bytes]:
    """Make the key of anything that has a text."""
    return lambda name: digest(str(name).encode(), b"fingerprint")


@pytest.fixture(scope="session")
def vectors() -> Callable[[Sequence[float]], NDArray[np.float32]]:
    """Make vectors of `DIM` numbers, one for each first number; halves hold them exactly."""
    return lambda first: np.float32(first)[:, None] + np.arange(DIM, dtype=np.float32)


@pytest.fixture
def rapid_switches() -> Iterator[None]:
    """Switch threads as often as the interpreter can, so that races come out."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)

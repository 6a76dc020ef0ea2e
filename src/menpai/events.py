"""What happens inside, as it is told to whoever listens: frozen records, no logging, no clock.

A caller that hands no observer over pays one comparison for each event.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

StageName = Literal[
    "normalise",
    "parse",
    "tokenise",
    "features",
    "plan",
    "look_up",
    "forward",
    "pool",
    "compare",
    "decide",
]
"""The stages of a comparison, in the order in which a text passes them."""

STAGES: tuple[StageName, ...] = get_args(StageName)


@dataclass(frozen=True, slots=True)
class StageDone:
    """One stage has worked on some items."""

    stage: StageName
    duration_s: float
    n_items: int


@dataclass(frozen=True, slots=True)
class BatchRun:
    """One batch went through the model; its padding is n_rows * length - n_tokens."""

    n_rows: int
    length: int
    n_tokens: int
    duration_s: float


@dataclass(frozen=True, slots=True)
class CacheLooked:
    """A look-up in a cache, or several at once."""

    cache: str
    n_hits: int
    n_misses: int


@dataclass(frozen=True, slots=True)
class CacheEvicted:
    """A full cache has dropped its oldest entries."""

    cache: str
    n_entries: int


@dataclass(frozen=True, slots=True)
class Truncated:
    """Some inputs were longer than the model reads; their end was cut off."""

    n_items: int


@dataclass(frozen=True, slots=True)
class NonFinite:
    """A model gave NaN or infinity for some items; retried in fp32, or given up."""

    n_items: int
    retried: bool


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """A batch did not fit into memory; from now on batches hold `max_tokens` at most."""

    n_rows: int
    length: int
    max_tokens: int


Event = StageDone | BatchRun | CacheLooked | CacheEvicted | Truncated | NonFinite | OutOfMemory
Observer = "Callable[[Event], None]"


class Events:
    """Tells observers what happens; those that it was made with, in their order.

    An observer runs in the thread of the work and holds it up; what it raises ends the work, as
    a figure that is silently missing is worse than a failure that is seen at once.
    """

    __slots__ = ("_observers",)

    def __init__(self, observers: Iterable[Callable[[Event], None]] = ()) -> None:
        self._observers = tuple(observers)

    def __bool__(self) -> bool:
        """Say whether anybody listens."""
        return bool(self._observers)

    def emit(self, event: Event) -> None:
        """Tell all observers."""
        for observer in self._observers:
            observer(event)

    @contextmanager
    def stage(self, stage: StageName, n_items: int = 1) -> Iterator[None]:
        """Time a block as a stage, where somebody listens; a block that raises is not told."""
        if not self._observers:
            yield
            return
        started = time.perf_counter()
        yield
        self.emit(StageDone(stage, time.perf_counter() - started, n_items))


SILENT = Events()


class Timings:
    """An observer that adds up what each stage took; also counts tokens and their padding."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Begin again from nothing."""
        self.seconds: dict[StageName, float] = {}
        self.n_items: dict[StageName, int] = {}
        self.n_tokens = 0
        self.n_padded_tokens = 0

    def __call__(self, event: Event) -> None:
        """Take one event in."""
        if isinstance(event, StageDone):
            self.seconds[event.stage] = self.seconds.get(event.stage, 0.0) + event.duration_s
            self.n_items[event.stage] = self.n_items.get(event.stage, 0) + event.n_items
        elif isinstance(event, BatchRun):
            self.n_tokens += event.n_tokens
            self.n_padded_tokens += event.n_rows * event.length

    @property
    def padding_waste(self) -> float:
        """Padded tokens for one real token, less one: 0 is none."""
        return self.n_padded_tokens / self.n_tokens - 1.0 if self.n_tokens else 0.0

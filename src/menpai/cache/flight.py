"""Work in flight: what two threads ask for at once is computed once."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Event, Lock, local
from typing import TYPE_CHECKING, Generic, TypeVar

from menpai.cache.keys import check_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Value = TypeVar("Value")


@dataclass(slots=True, eq=False)
class _Flight(Generic[Value]):
    """A key that a thread computes; landed without an answer, it was left open."""

    landed: Event | None = None  # made for the first who waits: it costs more than all the rest
    answer: tuple[Value | Exception] | None = None

    def land(self) -> None:
        if self.landed is not None:
            self.landed.set()


class SingleFlight(Generic[Value]):
    """Computes each key once at a time, however many threads ask for it.

    A key belongs to the first thread that asks for it, until that thread has an answer; others wait
    for the answer, but only once they have computed all keys of their own, so that threads never
    wait for each other in a circle.

    An error that is the answer to a key goes to everyone who asked for it. An error that ends a
    computation is its caller's alone, interruptions too: whoever waits for a key that it left open
    computes that key itself. So everyone gets an answer to each key, or an error of their own.

    Nothing is remembered once it is answered. A computation that fills a cache does so before it
    gives the answer; and it may look there first, as another may just have done the same work.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._flights: dict[bytes, _Flight[Value]] = {}
        self._thread = local()

    def run(
        self,
        keys: Iterable[bytes],
        compute: Callable[[list[bytes]], Iterable[tuple[bytes, Value | Exception]]],
    ) -> dict[bytes, Value | Exception]:
        """Give the answer to each distinct key: a value, or the error that it met.

        Answers are shared by all who asked, so nobody may change them.

        Args:
            keys: Keys of `digest`.
            compute: Takes the distinct keys that nobody else computes, in their order, and gives
                each with its answer, in any order; as a generator, each answer as soon as there is
                one. It is not called without keys, but again when another thread left some open.

        Raises:
            ValueError: If a key is none of `digest`, or `compute` answers one that is not its own.
            RuntimeError: If `compute` leaves a key open, or calls `run`, where it might wait for
                itself.
        """
        open_keys = list(dict.fromkeys(keys))
        check_keys(open_keys)
        if getattr(self._thread, "computes", False):
            raise RuntimeError("a computation would wait for itself")
        answers: dict[bytes, Value | Exception] = {}
        while open_keys:
            mine: dict[bytes, _Flight[Value]] = {}
            try:
                others = self._claim(open_keys, mine)
                if mine:
                    self._answer(mine, compute, answers)
            finally:
                self._leave(mine)
            open_keys = _wait(others, answers)
        return answers

    def _claim(
        self, keys: list[bytes], mine: dict[bytes, _Flight[Value]]
    ) -> list[tuple[bytes, _Flight[Value], Event]]:
        """Take the keys that are free into `mine`, and give what there is to wait for."""
        others = []
        with self._lock:
            for key in keys:
                flight = self._flights.get(key)
                if flight is None:
                    mine[key] = _Flight()  # first, so that it is left even if this is interrupted
                    self._flights[key] = mine[key]
                else:
                    flight.landed = flight.landed or Event()
                    others.append((key, flight, flight.landed))
        return others

    def _answer(
        self,
        mine: dict[bytes, _Flight[Value]],
        compute: Callable[[list[bytes]], Iterable[tuple[bytes, Value | Exception]]],
        answers: dict[bytes, Value | Exception],
    ) -> None:
        """Compute what is in `mine`, and take out what is answered."""
        try:
            self._thread.computes = True
            for key, answer in compute(list(mine)):
                if key not in mine:
                    raise ValueError("a computation answered a key that was not its own, or twice")
                answers[key] = answer
                mine[key].answer = (answer,)
                self._leave({key: mine[key]})
                del mine[key]
        finally:
            self._thread.computes = False
        if mine:
            raise RuntimeError(f"a computation left {len(mine)} keys open")

    def _leave(self, mine: dict[bytes, _Flight[Value]]) -> None:
        """End flights, answered or not; those that have ended already stay so."""
        with self._lock:
            for key, flight in mine.items():
                flight.land()
                if self._flights.get(key) is flight:
                    del self._flights[key]


def _wait(
    others: list[tuple[bytes, _Flight[Value], Event]], answers: dict[bytes, Value | Exception]
) -> list[bytes]:
    """Take the answers of other threads; give the keys that they left open."""
    left_open = []
    for key, flight, landed in others:
        landed.wait()
        if flight.answer is None:
            left_open.append(key)
        else:
            answers[key] = flight.answer[0]
    return left_open

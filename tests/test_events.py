"""What happens inside, as it is told: to all who listen, and at no cost where nobody does."""

import time
from dataclasses import FrozenInstanceError
from typing import get_args

import pytest

from menpai.events import (
    SILENT,
    STAGES,
    BatchRun,
    CacheEvicted,
    CacheLooked,
    Event,
    Events,
    NonFinite,
    OutOfMemory,
    StageDone,
    StageName,
    Timings,
    Truncated,
)

OTHERS = [
    CacheLooked("vectors", 1, 2),
    CacheEvicted("vectors", 3),
    Truncated(1),
    NonFinite(1, retried=True),
    OutOfMemory(8, 64, 256),
]


def test_all_observers_are_told_in_their_order() -> None:
    """Each of every event."""
    told: list[tuple[str, Event]] = []
    events = Events(
        iter([lambda event: told.append(("a", event)), lambda e: told.append(("b", e))])
    )
    assert events
    for event in OTHERS:
        events.emit(event)
    assert told == [(name, event) for event in OTHERS for name in "ab"]


def test_silence_reads_no_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever hands no observer over pays for none."""
    assert not SILENT
    assert not Events()

    def refuse() -> float:
        raise AssertionError

    monkeypatch.setattr(time, "perf_counter", refuse)
    with SILENT.stage("parse", 3):
        pass
    SILENT.emit(OTHERS[0])


def test_a_stage_is_told_once_with_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """After its block, with as many items as were said, or one."""
    clock = iter([10.0, 12.5, 20.0, 20.25])
    monkeypatch.setattr(time, "perf_counter", lambda: next(clock))
    told: list[Event] = []
    events = Events([told.append])
    with events.stage("parse", 3):
        assert told == []
    with events.stage("decide"):
        pass
    assert told == [StageDone("parse", 2.5, 3), StageDone("decide", 0.25, 1)]


def test_a_block_that_raises_is_not_told() -> None:
    """Its time means nothing."""
    told: list[Event] = []
    events = Events([told.append])
    with pytest.raises(KeyError), events.stage("parse"):
        raise KeyError
    assert told == []


def test_what_an_observer_raises_ends_the_work() -> None:
    """A figure that is silently missing is worse."""

    def refuse(_: Event) -> None:
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"), Events([refuse]).stage("parse"):
        pass


def test_events_do_not_change() -> None:
    """Observers may keep them."""
    for event in [StageDone("parse", 1.0, 1), BatchRun(1, 4, 3, 1.0), *OTHERS]:
        with pytest.raises((FrozenInstanceError, TypeError)):
            event.n_items = 9  # type: ignore[misc, union-attr]
        assert hash(event) == hash(type(event)(*(getattr(event, f) for f in event.__slots__)))


def test_stages_are_listed_once() -> None:
    """The list and the type name the same ones."""
    assert get_args(StageName) == STAGES
    assert len(set(STAGES)) == len(STAGES)


def test_timings_add_up() -> None:
    """Seconds and items by stage; tokens and their padding."""
    timings = Timings()
    events = Events([timings])
    for event in (
        StageDone("parse", 1.5, 2),
        StageDone("forward", 4.0, 1),
        StageDone("parse", 0.5, 3),
        BatchRun(4, 8, 20, 1.0),
        BatchRun(2, 6, 12, 1.0),
        *OTHERS,
    ):
        events.emit(event)
    assert timings.seconds == {"parse": 2.0, "forward": 4.0}
    assert timings.n_items == {"parse": 5, "forward": 1}
    assert (timings.n_tokens, timings.n_padded_tokens) == (32, 44)
    assert timings.padding_waste == pytest.approx(44 / 32 - 1)


def test_timings_of_nothing_waste_nothing() -> None:
    """At the beginning, and again when they are cleared."""
    timings = Timings()
    assert timings.padding_waste == 0.0
    timings(BatchRun(1, 8, 4, 1.0))
    timings(StageDone("parse", 1.0, 1))
    assert timings.padding_waste == 1.0
    timings.clear()
    assert timings.padding_waste == 0.0
    assert (timings.seconds, timings.n_items, timings.n_tokens) == ({}, {}, 0)

"""Work in flight: nothing twice at once, nobody without an answer, nobody who waits for ever."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from random import Random
from threading import Barrier, Event, Lock

import pytest

from menpai.cache.flight import SingleFlight

MakeKey = Callable[[object], bytes]
Answers = Iterable[tuple[bytes, object]]


@pytest.fixture
def flight() -> SingleFlight[object]:
    """A flight of any values."""
    return SingleFlight()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    """Threads that have all ended when the test has."""
    with ThreadPoolExecutor(8) as threads:
        yield threads


def echo(keys: list[bytes]) -> Answers:
    """A computation: the answer to a key is the key."""
    return [(key, key) for key in keys]


def refuse(_: list[bytes]) -> Answers:
    """A computation that must not be asked for."""
    raise AssertionError


class Slow:
    """A computation that says when it has begun, and goes on when it may."""

    def __init__(self, then: Callable[[list[bytes]], Answers] = echo) -> None:
        self.begun, self.go_on = Event(), Event()
        self.keys: list[bytes] = []
        self._then = then

    def __call__(self, keys: list[bytes]) -> Answers:
        """Begin, wait, and compute."""
        self.keys = keys
        self.begun.set()
        assert self.go_on.wait(30)
        return self._then(keys)


@contextmanager
def begun(
    pool: ThreadPoolExecutor, flight: SingleFlight[object], keys: Sequence[bytes], slow: Slow
) -> Iterator[Future[dict[bytes, object]]]:
    """Have another thread in the middle of computing keys; at the end it goes on."""
    future = pool.submit(flight.run, keys, slow)
    try:
        assert slow.begun.wait(30)
        yield future
    finally:
        slow.go_on.set()


def until_awaited(flight: SingleFlight[object], key: bytes) -> None:
    """Wait until somebody waits for a key that another thread computes."""
    for _ in range(30_000):
        if flight._flights[key].landed is not None:
            return
        time.sleep(0.001)
    raise AssertionError


def test_each_distinct_key_is_computed_once(flight: SingleFlight[object], key: MakeKey) -> None:
    """In the order in which they were asked for."""
    seen: list[list[bytes]] = []

    def compute(keys: list[bytes]) -> Answers:
        seen.append(keys)
        return [(key, len(seen)) for key in reversed(keys)]

    names = [key(name) for name in (3, 1, 3, 2, 1)]
    assert flight.run(iter(names), compute) == {key(1): 1, key(2): 1, key(3): 1}
    assert seen == [[key(3), key(1), key(2)]]


def test_nothing_is_remembered(flight: SingleFlight[object], key: MakeKey) -> None:
    """A key that is asked for again is computed again."""
    assert flight.run([key(1)], lambda keys: [(keys[0], "a")]) == {key(1): "a"}
    assert flight.run([key(1)], lambda keys: [(keys[0], "b")]) == {key(1): "b"}
    assert not flight._flights


def test_no_keys(flight: SingleFlight[object]) -> None:
    """Nothing is computed for them."""
    assert flight.run([], refuse) == {}


@pytest.mark.parametrize("odd", [b"", b"x" * 15, b"x" * 17])
def test_odd_keys_are_refused(flight: SingleFlight[object], key: MakeKey, odd: bytes) -> None:
    """Before anything is computed."""
    with pytest.raises(ValueError, match="16 bytes"):
        flight.run([key(1), odd], refuse)
    assert not flight._flights


def test_who_comes_later_gets_the_same_answer(
    flight: SingleFlight[object], pool: ThreadPoolExecutor, key: MakeKey
) -> None:
    """It computes what is its own first, and waits for the rest."""
    own = Slow()
    own.go_on.set()
    slow = Slow(lambda keys: [(key, ["shared"]) for key in keys])
    with begun(pool, flight, [key(1), key(2), key(4)], slow) as first:
        second = pool.submit(flight.run, [key(2), key(3), key(1)], own)
        third = pool.submit(flight.run, [key(4)], refuse)
        until_awaited(flight, key(1))
        until_awaited(flight, key(4))
        assert own.begun.wait(30)
        assert own.keys == [key(3)]
    answers = second.result(30)
    assert answers == {key(1): ["shared"], key(2): ["shared"], key(3): key(3)}
    assert answers[key(2)] is first.result(30)[key(2)]
    assert third.result(30)[key(4)] is first.result(30)[key(4)]
    assert not flight._flights


def test_answers_are_given_as_they_come(
    flight: SingleFlight[object], pool: ThreadPoolExecutor, key: MakeKey
) -> None:
    """Who waits for a key does not wait for the rest of the computation."""
    go_on = Event()

    def compute(keys: list[bytes]) -> Answers:
        yield keys[0], "early"
        assert go_on.wait(30)
        yield keys[1], "late"

    slow = Slow(compute)
    with begun(pool, flight, [key(1), key(2)], slow) as first:
        second = pool.submit(flight.run, [key(1)], refuse)
        until_awaited(flight, key(1))
    assert second.result(30) == {key(1): "early"}
    assert not first.done()
    go_on.set()
    assert first.result(30) == {key(1): "early", key(2): "late"}


def test_answer_is_there_before_it_is_told(
    flight: SingleFlight[object], key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever is woken finds it, and does not take the key for one that was left open."""
    told: list[object] = []
    leave = flight._leave

    def look_and_leave(mine: dict) -> None:
        told.extend(one.answer for one in mine.values())
        leave(mine)

    monkeypatch.setattr(flight, "_leave", look_and_leave)
    flight.run([key(1), key(2)], echo)
    assert told == [(key(1),), (key(2),)]


def test_error_of_a_key_goes_to_all(
    flight: SingleFlight[object], pool: ThreadPoolExecutor, key: MakeKey
) -> None:
    """It is an answer like any other, and harms no other key."""
    error = ValueError("of this key")
    with begun(
        pool, flight, [key(1), key(2)], Slow(lambda keys: zip(keys, [error, 2], strict=True))
    ) as first:
        second = pool.submit(flight.run, [key(1), key(2)], refuse)
        until_awaited(flight, key(2))
    assert first.result(30) == second.result(30) == {key(1): error, key(2): 2}


@pytest.mark.parametrize("error", [RuntimeError("broken"), KeyboardInterrupt(), SystemExit()])
def test_failed_computation_is_taken_over(
    flight: SingleFlight[object], pool: ThreadPoolExecutor, key: MakeKey, error: BaseException
) -> None:
    """Its error is its caller's alone; what it had answered stays, the rest is computed anew."""

    def fail(keys: list[bytes]) -> Answers:
        yield keys[0], "done"
        raise error

    own = Slow()
    own.go_on.set()
    with begun(pool, flight, [key(1), key(2), key(3)], Slow(fail)) as first:
        second = pool.submit(flight.run, [key(3), key(2), key(1)], own)
        until_awaited(flight, key(1))
    with pytest.raises(type(error)) as caught:
        first.result(30)
    assert caught.value is error
    assert second.result(30) == {key(1): "done", key(2): key(2), key(3): key(3)}
    assert own.keys == [key(3), key(2)]
    assert not flight._flights


def test_one_of_many_takes_over(
    flight: SingleFlight[object], pool: ThreadPoolExecutor, key: MakeKey
) -> None:
    """Of those who waited for a failed computation one computes, and the others wait again."""
    n_computed = Counter[bytes]()

    def count(keys: list[bytes]) -> Answers:
        n_computed.update(keys)
        until_awaited(flight, key(1))
        return echo(keys)

    with begun(pool, flight, [key(1)], Slow(lambda _: 1 / 0)) as first:
        others = [pool.submit(flight.run, [key(1)], count) for _ in range(2)]
        until_awaited(flight, key(1))
    with pytest.raises(ZeroDivisionError):
        first.result(30)
    assert [other.result(30) for other in others] == [{key(1): key(1)}] * 2
    assert n_computed == {key(1): 1}


@pytest.mark.parametrize(
    ("compute", "error"),
    [
        (lambda keys: echo(keys[:1]), RuntimeError),
        (lambda keys: echo([*keys, b"x" * 16]), ValueError),
        (lambda keys: echo([keys[0], keys[0], keys[1]]), ValueError),
        (lambda _: None, TypeError),
    ],
    ids=["key left open", "foreign key", "key twice", "nothing"],
)
def test_wrong_computations_are_told(
    flight: SingleFlight[object],
    key: MakeKey,
    compute: Callable[[list[bytes]], Answers],
    error: type[Exception],
) -> None:
    """An error in the caller's program hangs nobody."""
    with pytest.raises(error):
        flight.run([key(1), key(2)], compute)
    assert not flight._flights
    assert flight.run([key(1), key(2)], echo) == {key(1): key(1), key(2): key(2)}


def test_computation_must_not_ask_its_own_flight(
    flight: SingleFlight[object], key: MakeKey
) -> None:
    """It would wait for itself; another flight is fine, and so is this one afterwards."""
    other: SingleFlight[object] = SingleFlight()
    assert flight.run([key(1)], lambda keys: other.run(keys, echo).items()) == {key(1): key(1)}
    with pytest.raises(RuntimeError, match="wait for itself"):
        flight.run([key(1)], lambda keys: flight.run(keys, echo).items())
    assert flight.run([key(1)], echo) == {key(1): key(1)}


def test_interruption_after_an_answer_hangs_nobody(
    flight: SingleFlight[object], key: MakeKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A key whose flight has just ended is left a second time, which must not end another's."""
    leave, interrupted = flight._leave, []

    def leave_and_be_interrupted(mine: dict) -> None:
        leave(mine)
        if not interrupted:
            interrupted.append(True)
            flight._claim([key(1)], taken)  # another thread is quick to take the key
            raise KeyboardInterrupt

    taken: dict = {}
    with monkeypatch.context() as patch:
        patch.setattr(flight, "_leave", leave_and_be_interrupted)
        with pytest.raises(KeyboardInterrupt):
            flight.run([key(1), key(2)], echo)
    assert flight._flights == taken
    leave(taken)
    assert not flight._flights


class Once:
    """Computations that fail at random, and notice when two have one key at one time."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.n_at_once = Counter[bytes]()
        self.worst = 0
        self.n_computed = 0

    def compute(self, keys: list[bytes], random: Random) -> Answers:
        """Answer all keys, some with an error; or fail before any of them."""
        with self.lock:
            self.n_at_once.update(keys)
            self.n_computed += len(keys)
            self.worst = max(self.worst, *(self.n_at_once[key] for key in keys))
        open_keys = list(keys)
        try:
            random.shuffle(open_keys)
            while open_keys:
                if random.random() < 0.05:
                    raise ZeroDivisionError
                key = open_keys[-1]
                time.sleep(0)
                with self.lock:  # before the answer: from then on others may compute it
                    self.n_at_once[open_keys.pop()] -= 1
                yield key, (LookupError(key) if random.random() < 0.1 else key)
        finally:
            with self.lock:
                self.n_at_once.subtract(open_keys)


def test_many_threads(rapid_switches: None, key: MakeKey) -> None:
    """Whatever overlaps and fails: one answer to each key or one's own error, and none twice at once."""
    del rapid_switches
    flight: SingleFlight[object] = SingleFlight()
    once = Once()
    keys = [key(name) for name in range(12)]
    n_threads, n_rounds = 8, 150
    start = Barrier(n_threads)

    def work(seed: int) -> tuple[int, int]:
        random = Random(seed)  # noqa: S311  no secret
        n_asked = n_failed = 0
        start.wait()
        for _ in range(n_rounds):
            some = random.choices(keys, k=random.randint(1, 10))
            try:
                answers = flight.run(some, lambda mine: once.compute(mine, random))
            except ZeroDivisionError:
                n_failed += 1
                continue
            n_asked += len(answers)
            assert answers.keys() == set(some)
            for asked, answer in answers.items():
                assert answer == asked or (
                    isinstance(answer, LookupError) and answer.args == (asked,)
                )
        return n_asked, n_failed

    with ThreadPoolExecutor(n_threads) as pool:
        counts = list(pool.map(work, range(n_threads)))
    assert once.worst == 1
    assert not flight._flights
    assert all(map(sum, zip(*counts, strict=True)))  # there were both answers and failures

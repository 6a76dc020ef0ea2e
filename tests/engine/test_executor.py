"""Batches through a runtime that fails: nothing is lost, and nobody gets another's answer."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from menpai.batching.plan import Limits
from menpai.batching.shapes import length_bucket
from menpai.engine.executor import Executor
from menpai.errors import MemoryLimitError, MenpaiError, ModelError, NonFiniteError
from menpai.events import BatchRun, Event, Events, NonFinite, OutOfMemory
from menpai.model.open import Opened, open_folder
from menpai.model.tokenizer import Tokens

Floats = NDArray[np.float32]

FIRST = 20
"""The second token of the first item; each item has one of its own."""
N_ITEMS = 40
MAX_LENGTH = 64


def _items() -> list[Tokens]:
    """Items of 4 to 60 tokens, no two alike."""
    rng = np.random.default_rng(5)
    lengths = rng.permutation(np.linspace(4, 60, N_ITEMS).astype(int))
    found = []
    for place, length in enumerate(lengths):
        ids = np.array([4, FIRST + place, *rng.integers(7, 90, length - 3), 5], np.int32)
        found.append(Tokens(ids, np.zeros(length, np.int32), is_truncated=False))
    return found


ITEMS = _items()


@dataclass
class Bench:
    """An executor on a runtime that can fail, and what it told."""

    opened: Opened
    faulty: Any
    max_tokens: int = 512
    full: Any = None
    told: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.executor = Executor(
            self.faulty,
            self.opened.manifest,
            pad_id=self.opened.tokenizer.pad_id,
            limits=Limits(self.max_tokens, 256, MAX_LENGTH, 2048),
            events=Events([self.told.append]),
            open_full=self.open_full,
        )

    def open_full(self) -> Any:
        """Give the runtime in fp32; there is none where a test needs none."""
        if self.full is None:
            raise AssertionError
        if isinstance(self.full, MenpaiError):
            raise self.full
        return self.full

    def run(self, items: list[Tokens] = ITEMS) -> list[Any]:
        """Run items."""
        return self.executor.run(items)

    def all(self, kind: type) -> list[Any]:
        """Events of one kind."""
        return [event for event in self.told if isinstance(event, kind)]


@pytest.fixture(scope="module")
def opened(vectors: Path) -> Opened:
    """The encoder on one stream."""
    return open_folder(vectors, precision="fp32", n_threads=1)


@pytest.fixture(scope="module")
def alone(opened: Opened, faulty: type[Any]) -> Floats:
    """The vector of each item, run alone."""
    bench = Bench(opened, faulty(opened.runtime))
    return np.array([bench.run([item])[0] for item in ITEMS])


@pytest.fixture(scope="module")
def close_to(cosine: Callable[[Floats, Floats], Floats]) -> Callable[[Any, Any], bool]:
    """Say whether two lists of vectors are one within the tolerance of fp32."""
    return lambda left, right: bool((cosine(np.array(left), np.array(right)) > 0.99999).all())


@pytest.fixture(scope="module")
def make(opened: Opened, faulty: type[Any]) -> Callable[..., Bench]:
    """Make an executor whose runtime has faults, and the one in fp32 those of `full`."""

    def make_it(
        budget: int = 512,
        full: dict[str, Any] | MenpaiError | None = None,
        n_streams: int = 1,
        **faults: Any,
    ) -> Bench:
        runtime = faulty(opened.runtime, **faults)
        runtime.n_streams = n_streams
        in_full = faulty(opened.runtime, **full) if isinstance(full, dict) else full
        return Bench(opened, runtime, budget, in_full)

    return make_it


def test_each_item_gets_its_own_unit_vector(
    make: Callable[..., Bench], alone: Floats, close_to: Callable[..., bool]
) -> None:
    """In order, whatever batches they went through."""
    bench = make()
    found = bench.run()
    assert close_to(found, alone)
    assert np.linalg.norm(np.array(found), axis=1) == pytest.approx(1.0, abs=1e-6)
    assert 1 < len(bench.faulty.shapes) < N_ITEMS


def test_no_item_no_batch(make: Callable[..., Bench]) -> None:
    """Nothing is run for nothing."""
    bench = make()
    assert bench.run([]) == []
    assert bench.faulty.shapes == []


def test_batches_are_told(make: Callable[..., Bench]) -> None:
    """Rows, padded length, and the tokens that are no padding."""
    bench = make()
    bench.run()
    batches = bench.all(BatchRun)
    assert [(batch.n_rows, batch.length) for batch in batches] == bench.faulty.shapes
    assert sum(batch.n_tokens for batch in batches) == sum(len(item.ids) for item in ITEMS)
    assert all(batch.duration_s > 0 for batch in batches)


# Out of memory.


def test_a_batch_that_does_not_fit_is_halved(
    make: Callable[..., Bench], alone: Floats, close_to: Callable[..., bool]
) -> None:
    """Nothing is lost, and it is said."""
    bench = make(max_tokens=150)
    assert close_to(bench.run(), alone)
    told = bench.all(OutOfMemory)
    assert told
    assert told[0].n_rows * told[0].length > 150
    assert told[-1].max_tokens == bench.executor.limits.max_tokens


def test_the_limit_is_lowered_for_good(make: Callable[..., Bench]) -> None:
    """What did not fit once is not tried again, in this call or the next."""
    bench = make(max_tokens=150)
    bench.run()
    n_failed = sum(rows * length > 150 for rows, length in bench.faulty.shapes)
    assert n_failed == len(bench.all(OutOfMemory)) <= 3  # 512, 256, and at most once in between
    assert bench.executor.limits.max_tokens <= 256
    bench.faulty.shapes.clear()
    bench.told.clear()
    bench.run()
    too_large = [shape for shape in bench.faulty.shapes if np.prod(shape) > 150]
    assert len(too_large) == len(bench.all(OutOfMemory)) <= 1
    assert all(n * m <= 256 for n, m in bench.faulty.shapes)


def test_an_item_that_does_not_fit_alone_has_its_own_error(
    make: Callable[..., Bench], alone: Floats, close_to: Callable[..., bool]
) -> None:
    """The others succeed, and the limit stays above one item."""
    found = make(max_tokens=40).run()
    failed = [i for i, item in enumerate(ITEMS) if length_bucket(len(item.ids), MAX_LENGTH) > 40]
    errors = [found[i] for i in failed]
    assert 1 < len(failed) < N_ITEMS
    assert all(isinstance(error, MemoryLimitError) for error in errors)
    good = [i for i in range(N_ITEMS) if i not in failed]
    assert close_to([found[i] for i in good], alone[good])


def test_an_item_above_the_budget_runs_alone(
    make: Callable[..., Bench], alone: Floats, close_to: Callable[..., bool]
) -> None:
    """A budget of less than one item neither hangs nor loses it."""
    bench = make(budget=8)
    assert close_to(bench.run(), alone)
    assert all(rows == 1 for rows, length in bench.faulty.shapes if length > 4)


# Numbers that are not finite.

SPOILT = (3, 17, 18)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.0])
def test_what_is_not_finite_is_computed_again_in_fp32(
    make: Callable[..., Bench], alone: Floats, close_to: Callable[..., bool], value: float
) -> None:
    """Also a vector without length; the neighbours are the same, bit for bit."""
    bench = make(full={}, spoils={FIRST + place: value for place in SPOILT})
    found, plain = bench.run(), make().run()
    assert close_to([found[i] for i in SPOILT], alone[list(SPOILT)])
    assert all(np.array_equal(found[i], plain[i]) for i in range(N_ITEMS) if i not in SPOILT)
    assert [rows for rows, _ in bench.full.shapes] == [1, 1, 1]
    assert bench.all(NonFinite) == [NonFinite(1, retried=True)] * 3


def test_what_is_not_finite_in_fp32_either_is_an_error(
    make: Callable[..., Bench],
) -> None:
    """Of this item alone."""
    spoils = {FIRST + place: np.nan for place in SPOILT}
    bench = make(full={"spoils": {FIRST + SPOILT[0]: np.nan}}, spoils=spoils)
    found, plain = bench.run(), make().run()
    assert isinstance(found[SPOILT[0]], NonFiniteError)
    assert all(isinstance(found[i], np.ndarray) for i in range(N_ITEMS) if i != SPOILT[0])
    assert all(np.array_equal(found[i], plain[i]) for i in range(N_ITEMS) if i not in SPOILT)
    assert bench.all(NonFinite).count(NonFinite(1, retried=False)) == 1


@pytest.mark.parametrize(
    ("full", "kind"), [(ModelError("no folder"), ModelError), ({"max_tokens": 1}, MemoryLimitError)]
)
def test_fp32_that_cannot_be_had_is_the_error_of_the_item(
    make: Callable[..., Bench], full: Any, kind: type
) -> None:
    """The folder is gone, or there is no memory for a second model: neighbours have answers."""
    found = make(full=full, spoils={FIRST + 3: np.nan}).run()
    assert isinstance(found[3], kind)
    assert all(isinstance(found[i], np.ndarray) for i in range(N_ITEMS) if i != 3)


def test_fp32_is_opened_once_and_only_when_needed(make: Callable[..., Bench]) -> None:
    """Where a test gives none, opening it fails."""
    bench = make(full={}, spoils={FIRST: np.nan, FIRST + 1: np.nan})
    n_opened = 0

    def count() -> Any:
        nonlocal n_opened
        n_opened += 1
        return bench.full

    bench.executor._open_full = count
    bench.run()
    bench.run()
    assert n_opened == 1


@pytest.mark.parametrize("kind", ["pairs", "rank", "tags"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_probabilities_of_infinite_logits_are_not_believed(
    request: pytest.FixtureRequest, faulty: type[Any], kind: str, value: float
) -> None:
    """A sigmoid makes 1 of infinity, a confident answer out of nothing."""
    opened = open_folder(request.getfixturevalue(kind), precision="fp32", n_threads=1)
    spoilt = faulty(opened.runtime, spoils={FIRST + 3: value})
    bench = Bench(opened, spoilt, full=faulty(opened.runtime))
    found, plain = bench.run(), Bench(opened, faulty(opened.runtime)).run()
    assert np.allclose(found[3], plain[3], atol=1e-5)
    assert all(np.array_equal(found[i], plain[i]) for i in range(N_ITEMS) if i != 3)
    assert bench.all(NonFinite) == [NonFinite(1, retried=True)]


def test_tags_have_a_row_for_each_token(tags: Path, faulty: type[Any]) -> None:
    """None for the padding."""
    opened = open_folder(tags, precision="fp32", n_threads=1)
    found = Bench(opened, faulty(opened.runtime)).run()
    n_labels = len(opened.manifest.labels)
    assert [answer.shape for answer in found] == [(len(item.ids), n_labels) for item in ITEMS]


# Failures, threads, the end.


@pytest.mark.parametrize("n_streams", [1, 2])
def test_an_unforeseen_error_is_not_held_back(make: Callable[..., Bench], n_streams: int) -> None:
    """It is a fault of the program, not of an item; the executor goes on afterwards."""
    bench = make(n_streams=n_streams, error=ZeroDivisionError("a fault"))
    with pytest.raises(ZeroDivisionError, match="a fault"):
        bench.run()
    bench.faulty.error = None
    assert np.array_equal(bench.run(), make().run())
    bench.executor.close()


def test_two_streams_give_the_same_answers(
    vectors: Path, faulty: type[Any], alone: Floats, close_to: Callable[..., bool]
) -> None:
    """Two batches at once, each item still gets its own."""
    opened = open_folder(vectors, precision="fp32", n_threads=2, n_streams=2)
    bench = Bench(opened, faulty(opened.runtime), max_tokens=128)
    for _ in range(5):
        assert close_to(bench.run(), alone)
    assert bench.faulty.most_at_once <= 2
    bench.executor.close()


@pytest.mark.parametrize("n_streams", [1, 2])
def test_a_runtime_has_no_more_batches_at_once_than_streams(
    make: Callable[..., Bench], alone: Floats, close_to: Callable[..., bool], n_streams: int
) -> None:
    """However many threads call."""
    bench = make(budget=64, n_streams=n_streams)
    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(bench.run, [ITEMS] * 12))
    assert all(close_to(found, alone) for found in answers)
    assert bench.faulty.most_at_once <= n_streams
    bench.executor.close()


def test_close_closes_both_models(make: Callable[..., Bench]) -> None:
    """And again does no harm."""
    bench = make(full={}, spoils={FIRST: np.nan})
    bench.run()
    for _ in range(2):
        bench.executor.close()
    assert bench.faulty.is_closed
    assert bench.full.is_closed


@settings(max_examples=60)
@given(
    places=st.lists(st.integers(0, N_ITEMS - 1), max_size=60),
    fits=st.integers(4, 600),
    spoilt=st.sets(st.integers(0, N_ITEMS - 1), max_size=8),
    hopeless=st.sets(st.integers(0, N_ITEMS - 1), max_size=8),
    budget=st.integers(1, 600),
    n_streams=st.integers(1, 2),
)
def test_every_item_gets_one_answer_that_is_its_own(
    make: Callable[..., Bench],
    alone: Floats,
    *,
    places: list[int],
    fits: int,
    spoilt: set[int],
    hopeless: set[int],
    budget: int,
    n_streams: int,
) -> None:
    """Whatever fails: its vector, or the error that it alone should meet."""
    bench = make(
        budget,
        {"spoils": {FIRST + place: np.inf for place in hopeless}},
        n_streams,
        max_tokens=fits,
        spoils={FIRST + place: np.nan for place in spoilt},
    )
    found = bench.run([ITEMS[place] for place in places])
    bench.executor.close()
    assert len(found) == len(places)
    for place, answer in zip(places, found, strict=True):
        length = len(ITEMS[place].ids)
        if isinstance(answer, MemoryLimitError):
            assert length_bucket(length, MAX_LENGTH) > fits
        elif isinstance(answer, NonFiniteError):
            assert place in spoilt & hopeless
        else:
            assert length <= fits
            assert place not in spoilt & hopeless
            assert float(answer @ alone[place]) > 0.99999

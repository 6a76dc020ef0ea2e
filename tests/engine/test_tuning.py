"""The number of streams: measured once, kept where that is possible, bounded by the threads."""

import json
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from menpai.engine import tuning

KEY = "model openvino fp32"


class Counted:
    """A runtime of some streams that counts what runs, and how much of it at once."""

    def __init__(self, n_streams: int) -> None:
        self.n_streams = n_streams
        self.n_runs = 0
        self.is_closed = False
        self._lock = Lock()

    def run(self, inputs: Any) -> np.ndarray:
        """Count."""
        with self._lock:
            self.n_runs += 1
        return np.zeros((len(inputs.ids), 2), np.float32)

    def close(self) -> None:
        """Note it."""
        self.is_closed = True


@pytest.fixture
def opened() -> list[Counted]:
    """The runtimes that were opened."""
    return []


@pytest.fixture
def choose(opened: list[Counted], tmp_path: Path) -> Callable[..., int]:
    """Choose for two threads in a folder of the test's own."""

    def open_with(n_streams: int) -> Any:
        opened.append(Counted(n_streams))
        return opened[-1]

    def choose_it(store: Path = tmp_path, key: str = KEY, n_threads: int = 2) -> int:
        return tuning.n_streams(store, key, n_threads, open_with)

    return choose_it


@pytest.fixture
def rates(monkeypatch: pytest.MonkeyPatch) -> dict[int, float]:
    """Batches a second by streams, instead of measured ones."""
    found = {1: 100.0, 2: 200.0, 4: 300.0, 8: 250.0}
    monkeypatch.setattr(tuning, "_batches_per_s", lambda runtime, _inputs: found[runtime.n_streams])
    return found


@given(st.integers(1, 500))
def test_never_more_streams_than_threads(n_threads: int) -> None:
    """One is always tried; eight are the most."""
    choices = tuning.choices(n_threads)
    assert choices[0] == 1
    assert choices == sorted(set(choices))
    assert choices[-1] == min(8, n_threads)


@pytest.mark.usefixtures("rates")
def test_the_fastest_is_chosen_and_kept(choose: Callable[..., int], opened: list[Counted]) -> None:
    """The next start opens nothing to find out."""
    assert choose() == 2
    n_opened = len(opened)
    assert all(runtime.is_closed for runtime in opened)
    assert choose() == 2
    assert len(opened) == n_opened


@pytest.mark.parametrize(("rate", "expected"), [(99.0, 1), (104.0, 1), (106.0, 2)])
def test_more_streams_must_gain_something(
    choose: Callable[..., int], rates: dict[int, float], rate: float, expected: int
) -> None:
    """One stream answers a single text sooner."""
    rates[2] = rate
    assert choose() == expected


def test_another_model_threads_or_processor_is_measured_by_itself(
    choose: Callable[..., int],
    opened: list[Counted],
    rates: dict[int, float],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And what was kept before stays."""
    assert choose() == 2
    rates[2] = 50.0
    assert choose(key="another model") == 1
    assert choose(n_threads=4) == 4
    monkeypatch.setattr(tuning, "processor", lambda: "another")
    assert choose() == 1
    monkeypatch.undo()
    opened.clear()
    assert choose() == 2
    assert opened == []


@pytest.mark.usefixtures("rates")
@pytest.mark.parametrize("kept", ["", "{", "[]", "null", "\udcff", '{"KEY": "2"}', '{"KEY": 3}'])
def test_what_cannot_be_used_is_measured_again(
    choose: Callable[..., int], opened: list[Counted], tmp_path: Path, kept: str
) -> None:
    """A file cut off, of another kind, in no encoding, or with a number that is no choice."""
    full_key = f"{KEY} {tuning.processor()} 2"
    text = kept.replace("KEY", full_key)
    (tmp_path / tuning.FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert choose() == 2
    assert len(opened) == 2
    assert json.loads((tmp_path / tuning.FILE).read_text("utf-8"))[full_key] == 2
    assert [path.name for path in tmp_path.iterdir()] == [tuning.FILE]


@pytest.mark.usefixtures("rates")
def test_a_folder_that_is_missing_is_made(choose: Callable[..., int], tmp_path: Path) -> None:
    """As deep as it is."""
    assert choose(tmp_path / "a" / "b") == 2
    assert (tmp_path / "a" / "b" / tuning.FILE).is_file()


@pytest.mark.usefixtures("rates")
@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_written_is_harmless(
    choose: Callable[..., int], opened: list[Counted], tmp_path: Path, place: str
) -> None:
    """It is measured at each start."""
    (tmp_path / "file").touch()
    for n_opened in (2, 4):
        assert choose(tmp_path / place) == 2
        assert len(opened) == n_opened


@pytest.mark.usefixtures("rates")
def test_a_file_that_cannot_be_replaced_is_harmless(
    choose: Callable[..., int], tmp_path: Path
) -> None:
    """And leaves nothing beside it."""
    (tmp_path / tuning.FILE / "in the way").mkdir(parents=True)
    assert choose() == 2
    assert [path.name for path in tmp_path.iterdir()] == [tuning.FILE]


@pytest.mark.parametrize("n_streams", [1, 2, 8])
def test_each_stream_is_given_batches(n_streams: int) -> None:
    """As many for each; the first run, which compiles, is not counted."""
    runtime: Any = Counted(n_streams)
    assert tuning._batches_per_s(runtime, tuning._inputs(())) > 0
    assert runtime.n_runs == 1 + n_streams * tuning._N_RUNS


# At load.


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Measuring gives two streams, and notes what it was asked."""
    calls: list[Any] = []

    def measured(*args: Any) -> int:
        calls.append(SimpleNamespace(store=args[0], key=args[1], n_threads=args[2]))
        return 2

    monkeypatch.setattr(tuning, "n_streams", measured)
    return calls


def test_a_loaded_engine_has_the_streams_that_were_measured(
    vectors: Path, open_engine: Any, asked: list[Any], tmp_path: Path
) -> None:
    """Where nobody says how many; it answers as with one."""
    engine = open_engine(vectors, n_threads=2, n_streams=None, compiled=tmp_path)
    assert engine.info()["n_streams"] == engine._executor._runtime.n_streams == 2
    assert (asked[0].store, asked[0].n_threads) == (tmp_path, 2)
    assert "fp32" in asked[0].key
    one = open_engine(vectors).encode(["望澜路88号"]).vectors
    assert engine.encode(["望澜路88号"]).vectors == pytest.approx(one, abs=1e-5)
    engine.close()


@pytest.mark.parametrize(
    "choices",
    [
        {"n_threads": 1, "n_streams": None},
        {"n_threads": 2, "n_streams": 1},
        {"n_threads": 2, "n_streams": None, "runtime": "torch"},
    ],
)
def test_nothing_is_measured_without_a_choice(
    vectors: Path, open_engine: Any, asked: list[Any], choices: dict[str, Any]
) -> None:
    """One thread, a number that was given, a runtime without streams."""
    engine = open_engine(vectors, **choices)
    assert asked == []
    assert engine.info()["n_streams"] == 1


def test_nothing_is_measured_where_nothing_can_be_kept(
    vectors: Path, open_engine: Any, asked: list[Any], tmp_path: Path
) -> None:
    """Every start would take its time."""
    (tmp_path / "file").touch()
    engine = open_engine(vectors, n_threads=2, n_streams=None, compiled=tmp_path / "file")
    assert asked == []
    assert engine.encode(["望澜路88号"]).errors == {}


def test_channels_are_run_too() -> None:
    """A graph takes no fewer inputs than it has."""
    inputs = tuning._inputs(("shared", "rarity"))
    assert set(inputs.channels) == {"shared", "rarity"}
    assert all(rows.shape == inputs.ids.shape for rows in inputs.channels.values())
    assert not any(rows.any() for rows in inputs.channels.values())

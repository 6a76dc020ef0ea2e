"""What the tests of the engine share: tiny converted checkpoints, and a runtime that can fail."""

from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import pytest
from folders import Folder, hub_classifier, hub_encoder, hub_tags
from numpy.typing import NDArray

from menpai.engine.engine import Engine, load
from menpai.errors import MemoryLimitError
from menpai.events import Event
from menpai.model.convert import convert
from menpai.model.runtimes.protocol import Inputs, Runtime

Floats = NDArray[np.float32]
LoadEngine = Callable[..., Engine]


class Faulty:
    """A runtime that hands everything on to another, and fails where it is told to.

    Attributes:
        max_tokens: Padded tokens that fit into its memory.
        spoils: Value that the outputs of a row get, by the row's second token.
        error: What every run raises.
        shapes: Rows and lengths of all batches that came, also of those that failed.
        n_rows: Rows of the batches that were answered.
        most_at_once: Most batches that ran at the same time.
    """

    def __init__(
        self,
        inner: Runtime,
        *,
        max_tokens: int | None = None,
        spoils: dict[int, float] | None = None,
        error: Exception | None = None,
    ) -> None:
        self.name, self.precision, self.device = inner.name, inner.precision, inner.device
        self.n_threads, self.n_streams = inner.n_threads, inner.n_streams
        self.max_tokens, self.spoils, self.error = max_tokens, spoils or {}, error
        self.shapes: list[tuple[int, ...]] = []
        self.n_rows = self.most_at_once = 0
        self.is_closed = False
        self._inner = inner
        self._n_running = 0
        self._lock = Lock()

    def run(self, inputs: Inputs) -> Floats:
        """Fail, or execute one batch and spoil some of its rows."""
        with self._lock:
            self.shapes.append(inputs.ids.shape)
            self._n_running += 1
            self.most_at_once = max(self.most_at_once, self._n_running)
        try:
            return self._run(inputs)
        finally:
            with self._lock:
                self._n_running -= 1

    def _run(self, inputs: Inputs) -> Floats:
        if self.error is not None:
            raise self.error
        if self.max_tokens is not None and inputs.ids.size > self.max_tokens:
            raise MemoryLimitError(f"{inputs.ids.size} tokens")
        output = self._inner.run(inputs)
        for row, token in enumerate(inputs.ids[:, 1]):
            if int(token) in self.spoils:
                output[row] = self.spoils[int(token)]
        with self._lock:
            self.n_rows += len(output)
        return output

    def close(self) -> None:
        """Note it: the other runtime is shared by many tests."""
        self.is_closed = True


def watched(engine: Engine) -> Faulty:
    """Put a runtime that counts between an engine and its own."""
    executor = engine._executor
    executor._runtime = Faulty(executor._runtime)
    return executor._runtime


def cosines(left: Floats, right: Floats) -> Floats:
    """Cosine of each row with the other's, in float64."""
    left, right = left.astype(np.float64), right.astype(np.float64)
    norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return (left * right).sum(axis=1) / norms


@pytest.fixture(scope="session")
def faulty() -> type[Faulty]:
    """The runtime that can fail."""
    return Faulty


@pytest.fixture(scope="session")
def watch() -> Callable[[Engine], Faulty]:
    """Put a runtime that counts between an engine and its own."""
    return watched


@pytest.fixture(scope="session")
def cosine() -> Callable[[Floats, Floats], Floats]:
    """Cosine of each row with the other's."""
    return cosines


@pytest.fixture(scope="session")
def make_folder(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Build a checkpoint and convert it, in fp32 unless told otherwise."""

    def make(
        build: Callable[..., Folder], *, int8: bool = False, options: Any = None, **how: Any
    ) -> Path:
        path = tmp_path_factory.mktemp("checkpoint")
        build(path / "source", **how)
        convert(path / "source", path / "converted", int8=int8, **(options or {}))
        return path / "converted"

    return make


@pytest.fixture(scope="session")
def vectors(make_folder: Callable[..., Path]) -> Path:
    """An encoder, also in int8."""
    return make_folder(hub_encoder, int8=True)


@pytest.fixture(scope="session")
def pairs(make_folder: Callable[..., Path]) -> Path:
    """A classifier of pairs with three labels."""
    return make_folder(hub_classifier)


@pytest.fixture(scope="session")
def rank(make_folder: Callable[..., Path]) -> Path:
    """A ranker of pairs."""
    return make_folder(hub_classifier, n_labels=1)


@pytest.fixture(scope="session")
def tags(make_folder: Callable[..., Path]) -> Path:
    """A tagger of tokens."""
    return make_folder(hub_tags)


@pytest.fixture
def told() -> list[Event]:
    """What engines of `open_engine` tell."""
    return []


@pytest.fixture
def open_engine(told: list[Event]) -> LoadEngine:
    """Load a folder in fp32 and one stream, unless told otherwise; `told` has its events."""

    def open_it(folder: Path, **choices: Any) -> Engine:
        usual = {"precision": "fp32", "n_threads": 1, "n_streams": 1, "observers": [told.append]}
        return load(folder, **{**usual, **choices})

    return open_it

"""Tokens through a model in planned batches: nothing is lost, and every item gets one answer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import BoundedSemaphore, Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.batching.plan import Batch, halve, plan
from menpai.batching.shapes import length_bucket
from menpai.errors import MemoryLimitError, MenpaiError, NonFiniteError
from menpai.events import BatchRun, NonFinite, OutOfMemory
from menpai.model.batches import pad
from menpai.model.golden import readable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from menpai.batching.plan import Limits
    from menpai.events import Events
    from menpai.model.manifest import Manifest
    from menpai.model.runtimes.protocol import Ints, Runtime
    from menpai.model.tokenizer import Tokens

    Array = NDArray[np.float32]
    Answer = Array | MenpaiError
    Channels = Mapping[str, Sequence[Ints]]


class Executor:
    """Runs items through one runtime.

    Args:
        runtime: What executes batches; as many at once as it has streams.
        manifest: What the outputs mean.
        pad_id: Number of the padding token.
        limits: What a batch may hold. It shrinks when memory runs out, and stays so.
        events: Who is told of batches.
        open_full: Opens the same model in fp32, for items that are not finite in less.
    """

    def __init__(  # noqa: PLR0913 -- the parts that an executor joins
        self,
        runtime: Runtime,
        manifest: Manifest,
        *,
        pad_id: int,
        limits: Limits,
        events: Events,
        open_full: Callable[[], Runtime],
    ) -> None:
        self.limits = limits
        self._runtime = runtime
        self._manifest = manifest
        self._pad_id = pad_id
        self._events = events
        self._open_full = open_full
        self._full: Runtime | None = None
        self._lock = Lock()  # of the limits and of the model in fp32
        self._turns = BoundedSemaphore(runtime.n_streams)  # however many threads call
        self._streams = (
            ThreadPoolExecutor(runtime.n_streams, "menpai-stream")
            if runtime.n_streams > 1
            else None
        )

    def run(self, tokens: Sequence[Tokens], channels: Channels | None = None) -> list[Answer]:
        """Give each item its unit vector, its probabilities, or the error that it met.

        Args:
            tokens: Items, at most as long as the limits say.
            channels: Further numbers by name, for each item as many as it has tokens.

        Returns:
            One answer for each item, in order: (width,), (labels,) or (length, labels).
        """
        with self._events.stage("plan", len(tokens)):
            batches = plan([len(item.ids) for item in tokens], self.limits)
        answers: list[Answer | None] = [None] * len(tokens)
        for batch, found in self._all(batches, tokens, channels or {}):
            for row, answer in zip(batch.rows, found, strict=True):
                answers[row] = answer
        return [answer for answer in answers if answer is not None]

    def close(self) -> None:
        """Let the runtimes and their threads go."""
        if self._streams is not None:
            self._streams.shutdown()
        self._runtime.close()
        if self._full is not None:
            self._full.close()

    def _all(
        self, batches: list[Batch], tokens: Sequence[Tokens], channels: Channels
    ) -> Iterable[tuple[Batch, list[Answer]]]:
        def run(batch: Batch) -> tuple[Batch, list[Answer]]:
            return batch, self._batch(batch, tokens, channels)

        return map(run, batches) if self._streams is None else self._streams.map(run, batches)

    def _batch(self, batch: Batch, tokens: Sequence[Tokens], channels: Channels) -> list[Answer]:
        """Run one batch; one that does not fit into memory is halved until it does."""
        n_rows, length = len(batch.rows), batch.length
        if n_rows > 1 and n_rows * length > self.limits.max_tokens:  # it shrank meanwhile
            return self._halves(batch, tokens, channels)
        try:
            with self._turns:
                output = self._forward(self._runtime, batch, tokens, channels)
        except MemoryLimitError as error:
            if n_rows == 1:
                own = length_bucket(len(tokens[batch.rows[0]].ids), self.limits.max_length)
                if own == length:
                    return [error]
                return self._batch(Batch(batch.rows, own), tokens, channels)
            self._shrink(batch)
            return self._halves(batch, tokens, channels)
        with self._events.stage("pool", n_rows):
            answers: list[Answer] = [*self._read(output, batch, tokens)]
        return self._finite(answers, batch, tokens, channels)

    def _halves(self, batch: Batch, tokens: Sequence[Tokens], channels: Channels) -> list[Answer]:
        first, second = halve(batch)
        return self._batch(first, tokens, channels) + self._batch(second, tokens, channels)

    def _shrink(self, batch: Batch) -> None:
        most = max(batch.length, len(batch.rows) * batch.length // 2)
        with self._lock:
            self.limits = replace(self.limits, max_tokens=min(most, self.limits.max_tokens))
        self._events.emit(OutOfMemory(len(batch.rows), batch.length, self.limits.max_tokens))

    def _forward(
        self, runtime: Runtime, batch: Batch, tokens: Sequence[Tokens], channels: Channels
    ) -> Array:
        items = [tokens[row] for row in batch.rows]
        with self._events.stage("plan", 0):
            inputs = pad(
                items,
                batch.length,
                self._pad_id,
                has_segments=self._manifest.has_segments,
                names=dict(self._manifest.config.channels),
                channels={n: [rows[row] for row in batch.rows] for n, rows in channels.items()},
            )
        started = time.perf_counter()
        with self._events.stage("forward", len(items)):
            output = runtime.run(inputs)
        if self._events:
            n_tokens = sum(len(item.ids) for item in items)
            duration_s = time.perf_counter() - started
            self._events.emit(BatchRun(len(items), batch.length, n_tokens, duration_s))
        return output

    def _read(self, output: Array, batch: Batch, tokens: Sequence[Tokens]) -> list[Array]:
        with np.errstate(invalid="ignore"):
            found: Any = readable(output, self._manifest)
        # A logit that is infinite would pass for a sure probability.
        found = np.where(np.isfinite(output).all(axis=-1, keepdims=True), found, np.nan)
        if self._manifest.kind == "tags":
            return [row[: len(tokens[i].ids)] for row, i in zip(found, batch.rows, strict=True)]
        return list(found)

    def _finite(
        self, answers: list[Answer], batch: Batch, tokens: Sequence[Tokens], channels: Channels
    ) -> list[Answer]:
        """Put an answer in fp32, or an error, in the place of each that is not finite."""
        for place, answer in enumerate(answers):
            if isinstance(answer, np.ndarray) and not np.isfinite(answer).all():
                alone = Batch((batch.rows[place],), batch.length)
                answers[place] = self._in_full(alone, tokens, channels)
        return answers

    def _in_full(self, alone: Batch, tokens: Sequence[Tokens], channels: Channels) -> Answer:
        self._events.emit(NonFinite(1, retried=True))
        try:
            with self._lock:
                if self._full is None:
                    self._full = self._open_full()
                output = self._forward(self._full, alone, tokens, channels)
        except MenpaiError as error:  # neighbours have their answers all the same
            return error
        (answer,) = self._read(output, alone, tokens)
        if np.isfinite(answer).all():
            return answer
        self._events.emit(NonFinite(1, retried=False))
        return NonFiniteError("the model gives no finite number for this input, in fp32 either")

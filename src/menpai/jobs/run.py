"""Running a job: chunk by chunk from a table to a file that can be continued, or to a stream."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import IO, TYPE_CHECKING, NamedTuple

from menpai.errors import MenpaiError
from menpai.jobs.checkpoint import checkpoint
from menpai.tables.aside import unwritable, written_aside
from menpai.tables.rows import Chunk, FailedRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from menpai.jobs.checkpoint import Checkpoint
    from menpai.jobs.work import Work
    from menpai.tables.parts import Parts, TextEncoder
    from menpai.tables.rows import Done, Table


class Progress(NamedTuple):
    """How far a job is; `remaining_s` is None before there is anything to reckon from."""

    n_rows: int
    n_failed: int
    rate_per_s: float
    remaining_s: float | None
    fraction: float


class Summary(NamedTuple):
    """What a job did; `n_resumed` of the rows were done by an earlier run."""

    n_rows: int
    n_failed: int
    n_resumed: int
    elapsed_s: float


@dataclass(frozen=True)
class Job:
    """Work over a table.

    Attributes:
        table: What is read.
        work: What is done with each chunk of rows.
        limit: Only so many rows from the start; all if None.
        chunk_rows: Rows done at once; at most these are done twice after a kill.
        failed: Results that are written for a row that failed; such rows are left out if None.
        progress: Called after each chunk.
        note: Called with a message that the user should see.
    """

    table: Table
    work: Work
    limit: int | None = None
    chunk_rows: int = 1000
    failed: Mapping[str, object] | None = None
    progress: Callable[[Progress], None] | None = None
    note: Callable[[str], None] | None = None


class _Outcome(NamedTuple):
    """A chunk after the work."""

    rows: list[Done]
    failures: list[FailedRow]
    n_good: int

    @property
    def n_rows(self) -> int:
        return self.n_good + len(self.failures)

    def errors(self) -> bytes:
        return "".join(failure.to_line() for failure in self.failures).encode()


class _Clock:
    """Reckons a job's progress from the rows and the share of the input done since its start."""

    def __init__(self, job: Job, n_rows: int = 0, n_failed: int = 0) -> None:
        self._job = job
        self._start_s = time.monotonic()
        self._n_resumed = self._n_rows = n_rows
        self._n_failed = n_failed
        self._fraction = 0.0

    def skipped(self) -> None:
        """Reckon from here: what came before was only passed over."""
        self._fraction = self._job.table.fraction
        self._start_s = time.monotonic()

    def tick(self, outcome: _Outcome) -> None:
        self._n_rows += outcome.n_rows
        self._n_failed += len(outcome.failures)
        if self._job.progress is not None:
            self._job.progress(self._progress())

    def summary(self) -> Summary:
        return Summary(self._n_rows, self._n_failed, self._n_resumed, self._elapsed_s())

    def _progress(self) -> Progress:
        elapsed_s, fraction = self._elapsed_s(), self._job.table.fraction
        if self._job.limit:
            fraction = max(fraction, self._n_rows / self._job.limit)
        gained = fraction - self._fraction
        rate = (self._n_rows - self._n_resumed) / max(elapsed_s, 1e-9)
        remaining_s = elapsed_s * (1 - fraction) / gained if gained > 0 else None
        return Progress(self._n_rows, self._n_failed, rate, remaining_s, fraction)

    def _elapsed_s(self) -> float:
        return time.monotonic() - self._start_s


def run_to_file(
    job: Job, parts: Parts, out: Path, identity: Mapping[str, object], *, resume: bool = True
) -> Summary:
    """Run a job whose output is a file; interrupted, it can be continued by the same call.

    Rows that fail are listed in `OUT.errors.jsonl`, which is only there if some did.

    Args:
        job: The job.
        parts: How the output is written.
        out: The output; put in its place when all is done.
        identity: What must be the same for an interrupted job to be continued.
        resume: Continue an interrupted job if there is one.

    Raises:
        StorageError: If a file cannot be written, or another job writes the same output.
    """
    identity = {**identity, "limit": job.limit, "chunk_rows": job.chunk_rows}
    try:
        with checkpoint(out, identity) as done:
            clock = _begin(job, done, resume=resume)
            for outcome in _outcomes(job, clock, n_skipped=done.n_chunks):
                done.add(
                    partial(parts.write, outcome.rows),
                    outcome.errors(),
                    outcome.n_rows,
                    len(outcome.failures),
                )
                clock.tick(outcome)
            _finish(parts, done, out)
            return clock.summary()
    except OSError as error:
        raise unwritable(out, error) from error


def run_to_stream(job: Job, encoder: TextEncoder, out: IO[bytes], errors: IO[bytes]) -> Summary:
    """Run a job whose output and errors are streams.

    Raises:
        OSError: If a stream is closed.
    """
    clock = _Clock(job)
    out.write(encoder.head())
    for outcome in _outcomes(job, clock):
        out.write(encoder.encode(outcome.rows))
        out.flush()
        errors.write(outcome.errors())
        errors.flush()
        clock.tick(outcome)
    return clock.summary()


def errors_path(out: Path) -> Path:
    """Where the rows that failed are listed."""
    return out.with_name(f"{out.name}.errors.jsonl")


def _begin(job: Job, done: Checkpoint, *, resume: bool) -> _Clock:
    note = job.note or (lambda _: None)
    if resume and done.resume():
        note(f"continuing after {done.n_rows:,} rows of an interrupted run")
    else:
        if resume and done.found:
            note("the input or the parameters changed since the interrupted run: starting afresh")
        done.start()
    return _Clock(job, done.n_rows, done.n_failed)


def _outcomes(job: Job, clock: _Clock, n_skipped: int = 0) -> Iterator[_Outcome]:
    for number, chunk in enumerate(_first_rows(job)):
        if number >= n_skipped:
            yield _outcome(chunk, job.work, job.failed)
        else:
            clock.skipped()


def _first_rows(job: Job) -> Iterator[Chunk]:
    """Chunks up to the limit."""
    n_left = job.limit
    for chunk in job.table.chunks(job.chunk_rows):
        if n_left is None:
            yield chunk
            continue
        if n_left <= 0:
            return
        yield chunk if chunk.n_rows <= n_left else _cut(chunk, n_left)
        n_left -= chunk.n_rows


def _cut(chunk: Chunk, n_rows: int) -> Chunk:
    """Only the first rows of a chunk, good and bad."""
    numbers = sorted([*chunk.numbers, *(bad.number for bad in chunk.bad)])
    last = numbers[n_rows - 1]
    good = [row for row, number in zip(chunk.rows, chunk.numbers, strict=True) if number <= last]
    return Chunk(good, chunk.numbers[: len(good)], [b for b in chunk.bad if b.number <= last])


def _outcome(chunk: Chunk, work: Work, failed: Mapping[str, object] | None) -> _Outcome:
    done: list[tuple[int, Done]] = []
    failures = [FailedRow(bad.number, None, bad.error) for bad in chunk.bad]
    for row, number, result in zip(chunk.rows, chunk.numbers, work(chunk.rows), strict=True):
        if isinstance(result, MenpaiError):
            result.row = number
            failures.append(FailedRow(number, row.get("id"), result))
        else:
            done.append((number, (row, result)))
    failures.sort(key=lambda failure: failure.number)
    n_good = len(done)
    if failed is not None:
        done += [(failure.number, ({}, failed)) for failure in failures]
        done.sort(key=itemgetter(0))
    return _Outcome([row for _, row in done], failures, n_good)


def _finish(parts: Parts, done: Checkpoint, out: Path) -> None:
    """Put the output in its place, and the errors, or take away those of an earlier run."""
    errors = errors_path(out)
    if done.n_failed:
        with written_aside(errors) as aside, aside.open("wb") as file:
            for part in done.error_parts:
                file.write(part.read_bytes())
    with written_aside(out) as aside:
        parts.join(done.parts, aside)
    if not done.n_failed:
        errors.unlink(missing_ok=True)

"""Running jobs: errors, limits, interruptions, kills."""

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from menpai.errors import InputError, StorageError
from menpai.jobs.checkpoint import checkpoint
from menpai.jobs.run import Job, Progress, errors_path, run_to_file, run_to_stream
from menpai.jobs.work import Result, Work
from menpai.tables.kinds import format_of
from menpai.tables.layout import Layout
from menpai.tables.parts import make_parts, text_encoder
from menpai.tables.reading import open_table
from menpai.tables.rows import Row

N_ROWS = 25


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A table; row 4 has a cell too many, row 8 no text."""
    path = tmp_path / "in.csv"
    lines = [f"r{n},路{n}" for n in range(1, N_ROWS + 1)]
    lines[3] += ",x"
    lines[7] = "r8,"
    path.write_text("\n".join(["id,address", *lines]), encoding="utf-8")
    return path


def measure(rows: Sequence[Row]) -> list[Result]:
    """A work: the length of a text, and an error where there is none."""
    return [
        {"length": len(str(row["address"]))} if row["address"] else InputError("empty")
        for row in rows
    ]


def run(source: Path, out: Path, work: Work = measure, **options: object) -> object:
    """Run a job from file to file in chunks of ten rows."""
    resume = options.pop("resume", True)
    identity = options.pop("identity", {"policy": "place"})
    table = open_table(source)
    parts = make_parts(format_of(out), Layout(table, {"length": "integer"}))
    job = Job(table, work, **{"chunk_rows": 10, **options})
    return run_to_file(job, parts, out, identity, resume=resume)


def lines(path: Path) -> list[dict[str, object]]:
    """Objects of a file of JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_good_rows_are_done_and_bad_ones_listed(source: Path, tmp_path: Path) -> None:
    """Rows keep their order and columns; each failure has its row, its id and the error."""
    out = tmp_path / "out.jsonl"
    summary = run(source, out)
    assert (summary.n_rows, summary.n_failed, summary.n_resumed) == (N_ROWS, 2, 0)
    rows = lines(out)
    assert [row["id"] for row in rows] == [f"r{n}" for n in range(1, N_ROWS + 1) if n not in {4, 8}]
    assert rows[0] == {"id": "r1", "address": "路1", "length": 2}
    ragged, empty = lines(errors_path(out))
    assert ragged["row"] == ragged["error"]["row"] == 4
    assert ragged["error"]["code"] == "bad_table"
    assert "id" not in ragged
    assert empty == {
        "row": 8,
        "id": "r8",
        "error": {
            "code": "bad_input",
            "message": "empty",
            "field": None,
            "row": 8,
            "retryable": False,
        },
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "in.csv",
        "out.jsonl",
        "out.jsonl.errors.jsonl",
    ]


def test_no_errors_no_errors_file(source: Path, tmp_path: Path) -> None:
    """A file that an earlier run left is taken away."""
    out = tmp_path / "out.jsonl"
    run(source, out)
    assert errors_path(out).exists()
    source.write_text("id,address\n1,路\n", encoding="utf-8")
    assert run(source, out).n_failed == 0
    assert not errors_path(out).exists()


@pytest.mark.parametrize(("limit", "n_good"), [(1, 1), (4, 3), (10, 8), (13, 11), (99, 23)])
def test_limit_counts_rows(source: Path, tmp_path: Path, limit: int, n_good: int) -> None:
    """The first rows are done, good and bad ones counted, at any place in a chunk."""
    out = tmp_path / "out.jsonl"
    summary = run(source, out, limit=limit)
    assert summary.n_rows == min(limit, N_ROWS)
    assert len(lines(out)) == n_good


def test_progress_is_told(source: Path, tmp_path: Path) -> None:
    """After each chunk: rows, failures, speed, and the time that is left."""
    told: list[Progress] = []
    run(source, tmp_path / "out.jsonl", progress=told.append, limit=20)
    assert [step.n_rows for step in told] == [10, 20]
    assert told[0].n_failed == 2
    assert told[0].rate_per_s > 0
    assert told[-1].remaining_s == 0
    assert told[-1].fraction == 1


def interrupt_after(n_chunks: int) -> Work:
    """A work that is interrupted by the user in a later chunk."""
    calls = []

    def work(rows: Sequence[Row]) -> Sequence[Result]:
        calls.append(rows)
        if len(calls) > n_chunks:
            raise KeyboardInterrupt
        return measure(rows)

    return work


def test_interrupted_job_is_continued(source: Path, tmp_path: Path) -> None:
    """The chunks that were done are not done again, and the output is that of one run."""
    out, whole = tmp_path / "out.jsonl", tmp_path / "whole.jsonl"
    run(source, whole)
    with pytest.raises(KeyboardInterrupt):
        run(source, out, interrupt_after(2))
    assert not out.exists()
    seen, notes = [], []

    def work(rows: Sequence[Row]) -> Sequence[Result]:
        seen.extend(row["id"] for row in rows)
        return measure(rows)

    summary = run(source, out, work, note=notes.append)
    assert seen == ["r21", "r22", "r23", "r24", "r25"]
    assert (summary.n_rows, summary.n_failed, summary.n_resumed) == (N_ROWS, 2, 20)
    assert notes == ["continuing after 20 rows of an interrupted run"]
    assert out.read_bytes() == whole.read_bytes()
    assert errors_path(out).read_bytes() == errors_path(whole).read_bytes()


@pytest.mark.parametrize(
    "change",
    [{"identity": {"policy": "ccks"}}, {"limit": 22}, {"chunk_rows": 5}],
    ids=lambda change: next(iter(change)),
)
def test_changed_job_starts_afresh(source: Path, tmp_path: Path, change: dict[str, object]) -> None:
    """With other parameters nothing is taken over, and the user is told."""
    out, notes = tmp_path / "out.jsonl", []
    with pytest.raises(KeyboardInterrupt):
        run(source, out, interrupt_after(2))
    assert run(source, out, note=notes.append, **change).n_resumed == 0
    assert "starting afresh" in notes[0]


def test_resuming_can_be_refused(source: Path, tmp_path: Path) -> None:
    """Without resuming everything is done again, silently."""
    out, notes = tmp_path / "out.jsonl", []
    with pytest.raises(KeyboardInterrupt):
        run(source, out, interrupt_after(2))
    assert run(source, out, note=notes.append, resume=False).n_resumed == 0
    assert notes == []


@pytest.mark.parametrize("ending", ["csv.gz", "parquet", "xlsx"])
def test_every_kind_can_be_continued(source: Path, tmp_path: Path, ending: str) -> None:
    """Parts are joined to one table of any kind."""
    out = tmp_path / f"out.{ending}"
    with pytest.raises(KeyboardInterrupt):
        run(source, out, interrupt_after(1))
    assert run(source, out).n_resumed == 10
    rows = [row for chunk in open_table(out).chunks(100) for row in chunk.rows]
    assert [str(row["length"]) for row in rows] == ["2"] * 7 + ["3"] * 16


def test_second_job_on_an_output_is_refused(source: Path, tmp_path: Path) -> None:
    """Two runs cannot mix their rows; each output has its own lock."""
    out = tmp_path / "out.jsonl"
    with checkpoint(out, {}):
        with pytest.raises(StorageError, match="another process"):
            run(source, out)
        run(source, tmp_path / "other.jsonl")


def test_full_disk_is_a_storage_error(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system says is passed on with the file's name; the done chunks are kept."""
    out = tmp_path / "out.jsonl"

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", fail)
        with pytest.raises(StorageError, match=r"out\.jsonl: No space left"):
            run(source, out)
    assert run(source, out).n_rows == N_ROWS


def test_stream_gets_rows_and_errors(source: Path) -> None:
    """Rows go to one stream, errors to the other."""
    table = open_table(source)
    out, errors = io.BytesIO(), io.BytesIO()
    encoder = text_encoder("csv", Layout(table, {"length": "integer"}))
    summary = run_to_stream(Job(table, measure, chunk_rows=10), encoder, out, errors)
    assert out.getvalue().decode().splitlines()[:2] == ["id,address,length", "r1,路1,2"]
    assert [json.loads(line)["row"] for line in errors.getvalue().splitlines()] == [4, 8]
    assert (summary.n_rows, summary.n_failed) == (N_ROWS, 2)


SLOW_JOB = """
import sys, time
from pathlib import Path
from menpai.jobs.run import Job, run_to_file
from menpai.tables.kinds import format_of
from menpai.tables.layout import Layout
from menpai.tables.parts import make_parts
from menpai.tables.reading import open_table

def work(rows):
    time.sleep(float(sys.argv[3]))
    return [{"length": len(row["address"])} for row in rows]

source, out = Path(sys.argv[1]), Path(sys.argv[2])
table = open_table(source)
parts = make_parts(format_of(out), Layout(table, {"length": "integer"}))
print(run_to_file(Job(table, work, chunk_rows=10), parts, out, {}).n_resumed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_killed_job_is_continued(tmp_path: Path) -> None:
    """A job that is killed in the middle of a chunk goes on after its last whole chunk."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_text("id,address\n" + "1,路\n" * 1000, encoding="utf-8")
    command = [sys.executable, "-c", textwrap.dedent(SLOW_JOB), source, out]
    journal = tmp_path / "out.csv.job" / "journal.jsonl"
    with subprocess.Popen([*command, "0.05"]) as process:
        for _ in range(1000):
            if journal.exists() and journal.read_text(encoding="utf-8").count("\n") >= 3:
                break
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not out.exists()
    again = subprocess.run([*command, "0"], check=True, capture_output=True)
    assert int(again.stdout) >= 30
    assert out.read_text(encoding="utf-8") == "id,address,length\n" + "1,路,1\n" * 1000
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]

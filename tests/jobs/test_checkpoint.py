"""What survives an interruption."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from menpai.jobs.checkpoint import Checkpoint, checkpoint, fingerprint

Damage = Callable[[Path], object]


def add(job: Checkpoint, content: str, n_failed: int = 0) -> None:
    """Keep a chunk of three rows."""

    def write(path: Path) -> None:
        path.write_text(content, encoding="utf-8")

    job.add(write, b"{}\n" * n_failed, 3, n_failed)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Folder of an interrupted job: three chunks, one with a failure."""
    found = tmp_path / "out.job"
    found.mkdir()
    job = Checkpoint(found, {"policy": "place"})
    job.start()
    add(job, "one")
    add(job, "two", n_failed=1)
    add(job, "three")
    return found


def resumed(folder: Path, policy: str = "place") -> Checkpoint:
    """Take over the interrupted job."""
    job = Checkpoint(folder, {"policy": policy})
    job.resume()
    return job


def test_chunks_are_taken_over(folder: Path) -> None:
    """Counts and files are those of the interrupted run, and more chunks follow them."""
    job = resumed(folder)
    assert (job.n_chunks, job.n_rows, job.n_failed) == (3, 9, 1)
    add(job, "four")
    job = resumed(folder)
    texts = [part.read_text(encoding="utf-8") for part in job.parts]
    assert texts == ["one", "two", "three", "four"]
    assert [part.read_bytes() for part in job.error_parts] == [b"{}\n"]


def test_other_identity_is_not_taken_over(folder: Path) -> None:
    """A job with other parameters is another job, though one was found."""
    job = Checkpoint(folder, {"policy": "ccks"})
    assert job.found
    assert not job.resume()
    assert job.n_chunks == 0


def test_nothing_to_take_over(tmp_path: Path) -> None:
    """A first run finds nothing."""
    job = Checkpoint(tmp_path, {})
    assert not job.found
    assert not job.resume()


@pytest.mark.parametrize(
    ("damage", "n_chunks"),
    [
        (lambda folder: (folder / "part-000002").write_text("thr", encoding="utf-8"), 2),
        (lambda folder: (folder / "part-000001").unlink(), 1),
        (lambda folder: (folder / "errors-000001.jsonl").unlink(), 1),
        (lambda folder: (folder / "journal.jsonl").unlink(), 0),
        (lambda folder: (folder / "journal.jsonl").write_text("[1]\n{", encoding="utf-8"), 0),
        (lambda folder: os.truncate(folder / "journal.jsonl", 16), 1),
    ],
)
def test_what_is_not_whole_is_done_again(folder: Path, damage: Damage, n_chunks: int) -> None:
    """A chunk that was cut off, and all after it, are not taken over; work goes on from there."""
    damage(folder)
    job = resumed(folder)
    assert job.n_chunks == n_chunks
    add(job, "again")
    assert resumed(folder).n_chunks == n_chunks + 1


def test_starting_forgets(folder: Path) -> None:
    """Nothing of the old run is left; files of others are."""
    (folder / "notes.txt").touch()
    Checkpoint(folder, {"policy": "place"}).start()
    assert sorted(path.name for path in folder.iterdir()) == ["identity.json", "notes.txt"]


def test_folder_goes_at_the_end_only(tmp_path: Path) -> None:
    """It stays after a failure and is gone after success."""
    out = tmp_path / "out.csv"

    def fail() -> None:
        with checkpoint(out, {}) as job:
            job.start()
            add(job, "one")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with checkpoint(out, {}) as job:
        assert job.resume()
    assert list(tmp_path.iterdir()) == []


def test_fingerprint_tells_inputs_apart(tmp_path: Path) -> None:
    """Another time, size or head is another input."""
    path = tmp_path / "in.csv"
    path.write_text("aa", encoding="utf-8")
    first = fingerprint(path)
    assert fingerprint(path) == first
    path.write_text("ab", encoding="utf-8")
    os.utime(path, ns=(first["modified_ns"], first["modified_ns"]))
    assert fingerprint(path) != first

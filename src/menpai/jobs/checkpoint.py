"""What a job has done so far, in a folder beside its output, safe against a kill at any moment.

The folder `OUT.job` holds the identity of the job (what it reads and how), a file for each chunk's
rows and errors, and a journal with one line for each chunk that is wholly written. A chunk without
its line, or with another size than the line says, was cut off and is done again.
"""

from __future__ import annotations

import hashlib
import json
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from menpai.lock import locked
from menpai.tables.encoding import unreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

HEAD_BYTES: Final = 1 << 16


class Entry(NamedTuple):
    """One line of the journal: a chunk that is done."""

    n_rows: int
    n_failed: int
    n_bytes: int


def fingerprint(path: Path) -> dict[str, object]:
    """Tell one state of an input file from another without reading all of it.

    Raises:
        TableError: If there is no such file.
        StorageError: If it cannot be read.
    """
    try:
        status = path.stat()
        with path.open("rb") as file:
            head = hashlib.sha256(file.read(HEAD_BYTES)).hexdigest()
    except OSError as error:
        raise unreadable(path, error) from error
    return {
        "path": str(path.resolve()),
        "n_bytes": status.st_size,
        "modified_ns": status.st_mtime_ns,
        "head_sha256": head,
    }


@contextmanager
def checkpoint(out: Path, identity: Mapping[str, object]) -> Iterator[Checkpoint]:
    """Open the checkpoint of an output and keep other jobs away from it.

    The folder stays if the job fails, and goes when it has ended well.

    Args:
        out: The output.
        identity: What must be the same for the job to be continued.

    Raises:
        StorageError: If another job writes the same output.
    """
    folder = out.with_name(f"{out.name}.job")
    with locked(folder / "lock", str(out)):
        job = Checkpoint(folder, identity)
        yield job
        job.clear()
    with suppress(OSError):  # it is not empty: the next job is there already
        folder.rmdir()


class Checkpoint:
    """The chunks of a job that are done."""

    def __init__(self, folder: Path, identity: Mapping[str, object]) -> None:
        self._folder = folder
        self._identity = json.dumps(identity, ensure_ascii=False, sort_keys=True)
        self._entries: list[Entry] = []
        self.found = (folder / "identity.json").exists()

    @property
    def n_chunks(self) -> int:
        """Number of chunks that are done."""
        return len(self._entries)

    @property
    def n_rows(self) -> int:
        """Number of rows that are done, the failed ones included."""
        return sum(entry.n_rows for entry in self._entries)

    @property
    def n_failed(self) -> int:
        """Number of rows that failed."""
        return sum(entry.n_failed for entry in self._entries)

    @property
    def parts(self) -> list[Path]:
        """Files of the chunks' rows, in order."""
        return [self._part(number) for number in range(self.n_chunks)]

    @property
    def error_parts(self) -> list[Path]:
        """Files of the chunks' errors, in order."""
        return [self._errors(n) for n, entry in enumerate(self._entries) if entry.n_failed]

    def resume(self) -> bool:
        """Take over what an interrupted job with the same identity has done.

        Returns:
            Whether there was such a job.
        """
        try:
            identity = (self._folder / "identity.json").read_text(encoding="utf-8")
        except FileNotFoundError:
            return False
        if identity != self._identity:
            return False
        self._entries = list(self._whole_entries())
        self._journal.write_text("".join(map(_line, self._entries)), encoding="utf-8")
        return True

    def start(self) -> None:
        """Forget what was done and begin."""
        self.clear()
        (self._folder / "identity.json").write_text(self._identity, encoding="utf-8")

    def add(self, write: Callable[[Path], None], errors: bytes, n_rows: int, n_failed: int) -> None:
        """Keep a chunk.

        Args:
            write: Writes the chunk's rows to a path.
            errors: The chunk's errors as JSON Lines.
            n_rows: Rows of the chunk, the failed ones included.
            n_failed: Rows that failed.
        """
        part = self._part(self.n_chunks)
        write(part)
        if n_failed:
            self._errors(self.n_chunks).write_bytes(errors)
        entry = Entry(n_rows, n_failed, part.stat().st_size)
        with self._journal.open("a", encoding="utf-8") as journal:
            journal.write(_line(entry))
        self._entries.append(entry)

    def clear(self) -> None:
        """Remove the files of a job, and nothing else that may lie there."""
        self._entries = []
        for pattern in ("identity.json", "journal.jsonl", "part-*", "errors-*.jsonl"):
            for path in self._folder.glob(pattern):
                path.unlink()

    @property
    def _journal(self) -> Path:
        return self._folder / "journal.jsonl"

    def _part(self, number: int) -> Path:
        return self._folder / f"part-{number:06}"

    def _errors(self, number: int) -> Path:
        return self._folder / f"errors-{number:06}.jsonl"

    def _whole_entries(self) -> Iterator[Entry]:
        if not self._journal.exists():
            return
        for number, line in enumerate(self._journal.read_text(encoding="utf-8").splitlines()):
            try:
                entry = Entry(*json.loads(line))
                size = self._part(number).stat().st_size
            except (ValueError, TypeError, FileNotFoundError):
                return
            if size != entry.n_bytes or (entry.n_failed and not self._errors(number).exists()):
                return
            yield entry


def _line(entry: Entry) -> str:
    return json.dumps(entry) + "\n"

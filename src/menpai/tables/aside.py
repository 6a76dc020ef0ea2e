"""Writing a file aside and putting it in its place in one step: nobody sees half of it."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

from menpai.errors import StorageError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """Give the path `.NAME.partial` to write to; move it to `path` if that succeeds.

    Raises:
        StorageError: If a file cannot be written.
    """
    partial = path.with_name(f".{path.name}.partial")
    try:
        yield partial
        with partial.open("rb+") as file:  # its content is on the disk before its name is
            os.fsync(file.fileno())
        partial.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        partial.unlink(missing_ok=True)


def unwritable(path: Path, error: OSError) -> StorageError:
    """Say why a file cannot be written."""
    return StorageError(f"cannot write {path}: {error.strerror or error}")


def check_target(path: Path, sources: dict[str, Path]) -> None:
    """Refuse a target that is one of the sources, or that has no folder to lie in.

    Args:
        path: File to be written.
        sources: Files to be read, by what the message calls them.

    Raises:
        TableError: If the target cannot be meant.
    """
    if not path.parent.is_dir():
        raise TableError(f"there is no folder {path.parent} to write {path.name} to")
    if path.is_dir():
        raise TableError(f"{path} is a folder, not a file to write")
    for name, source in sources.items():
        if path.exists() and source.exists() and path.samefile(source):
            raise TableError(f"{path} is {name}: write to another file")

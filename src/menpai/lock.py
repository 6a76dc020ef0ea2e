"""One process at a time on an output: a lock that ends with the process that holds it."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from menpai.errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def locked(path: Path, name: str) -> Iterator[None]:
    """Hold the lock file at `path`; it is made, with its folder, and removed at the end.

    Args:
        path: The lock file.
        name: What it stands for, for the message.

    Raises:
        StorageError: If another process holds it.
    """
    handle = _acquire(path, name)
    try:
        yield
    finally:
        if sys.platform == "win32":  # there an open file cannot be removed
            os.close(handle)
            _remove_closed(path)
        else:  # while it is held: the next holder's file must not be removed
            path.unlink(missing_ok=True)
            os.close(handle)


def _acquire(path: Path, name: str) -> int:
    while True:
        path.parent.mkdir(exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            _lock(handle)
        except OSError as error:
            os.close(handle)
            raise StorageError(f"another process is writing {name}: wait until it ends") from error
        if _is_at(handle, path):
            return handle
        os.close(handle)  # the holder before removed the file while this process opened it


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _remove_closed(path: Path) -> None:
        try:
            path.unlink(missing_ok=True)
        except PermissionError:
            return  # the next holder has it already

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

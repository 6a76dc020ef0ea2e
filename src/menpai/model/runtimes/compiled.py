"""Compiled forms of a graph, kept between starts: whole, of this very graph, or not at all.

OpenVINO itself takes a damaged form for a good one, and gives other numbers or ends the process;
and it knows a graph by its path, size and time alone, which another checkpoint can have too.
"""

from __future__ import annotations

import hashlib
import secrets
import shutil
from typing import TYPE_CHECKING, Any

from menpai.model.checkpoint import digest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from menpai.model.runtimes.protocol import Plan

_CHECKSUM = "checksum"


def key(plan: Plan, *circumstances: object) -> str:
    """Name the form of a graph by its place, its contents, and what it is compiled for."""
    named = (str(plan.graph.resolve()), plan.contents, *circumstances)
    return hashlib.sha256(repr(named).encode()).hexdigest()[:32]


def load(store: Path, name: str, compile_in: Callable[[Path | None], Any]) -> Any:
    """Load a form that is kept, or compile the graph and keep it.

    Args:
        store: Folder of all forms; where it cannot be written, nothing is kept.
        name: What `key` gave.
        compile_in: Gives what is compiled, reading and writing its form in a folder, if there is
            one; RuntimeError if it cannot.
    """
    kept = store / name
    if _is_whole(kept):
        return _compiled(kept, compile_in)
    # Written aside, as another process may start at the same time.
    aside = store / f".{name}.{secrets.token_hex(4)}.partial"
    try:
        aside.mkdir(parents=True)
    except OSError:
        return compile_in(None)
    try:
        found = _compiled(aside, compile_in)
        _keep(aside, kept)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return found


def _compiled(folder: Path, compile_in: Callable[[Path | None], Any]) -> Any:
    try:
        return compile_in(folder)
    except RuntimeError:  # of the folder, perhaps: a full disk is no reason to stop
        return compile_in(None)


def _keep(aside: Path, kept: Path) -> None:
    try:
        (aside / _CHECKSUM).write_text(_checksum(aside), encoding="ascii")
        shutil.rmtree(kept, ignore_errors=True)
        aside.replace(kept)
    except OSError:  # a full disk, or another process that was faster
        return


def _is_whole(folder: Path) -> bool:
    try:
        return (folder / _CHECKSUM).read_bytes() == _checksum(folder).encode("ascii")
    except OSError:
        return False


def _checksum(folder: Path) -> str:
    return digest(sorted(folder.glob("*.blob")))

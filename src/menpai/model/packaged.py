"""Where the checkpoints lie that come with the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGED = "packaged"
"""The checkpoint that is taken where none is named."""
Packaged = Literal["vectors", "pairs", "tags"]
KINDS: tuple[Packaged, ...] = ("vectors", "pairs", "tags")


def folder(kind: Packaged) -> Path:
    """Give the folder of the packaged checkpoint of a kind."""
    return Path(__file__).with_name("data") / "packaged" / kind


def folders() -> Iterator[Path]:
    """Give all of them."""
    return map(folder, KINDS)

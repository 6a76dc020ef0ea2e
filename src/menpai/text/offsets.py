"""A text that remembers where each of its characters came from."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable


_RUNS_ON = re.compile("[0-9A-Za-z]")

Edit: TypeAlias = tuple[int, int, str]
"""(start, end, written): what is to stand for text[start:end], which is not empty."""


class Aligned(NamedTuple):
    """A rewritten text and, for each character, its span [start, end) in the original.

    Both maps are None while no rewriting has changed a length: character i then comes from
    character i, and most addresses never pay for a map.
    """

    text: str
    starts: array[int] | None = None
    ends: array[int] | None = None


def substitute(
    aligned: Aligned, pattern: re.Pattern[str], replacement: str | Callable[[re.Match[str]], str]
) -> Aligned:
    """Replace every match of a pattern, as `re.sub` does, and keep the maps right.

    Args:
        aligned: The text.
        pattern: Must not match the empty string.
        replacement: What to write, taken literally, or a function of the match.

    Returns:
        The same object where nothing was replaced.
    """
    edits: list[Edit] = []
    for match in pattern.finditer(aligned.text):
        written = replacement if isinstance(replacement, str) else replacement(match)
        if written != match[0]:
            edits.append((*match.span(), written))
    return rewrite(aligned, edits) if edits else aligned


def set_apart(match: re.Match[str], written: str) -> str:
    """Add blanks to a replacement so that it does not run into a number or a word beside it."""
    text, (start, end) = match.string, match.span()
    left = start > 0 and _RUNS_ON.match(text, start - 1)
    right = end < len(text) and _RUNS_ON.match(text, end)
    if not written:
        return " " if left and right else ""
    before = " " if left else ""
    after = " " if right and _RUNS_ON.match(written, len(written) - 1) else ""
    return f"{before}{written}{after}"


def rewrite(aligned: Aligned, edits: list[Edit]) -> Aligned:
    """Carry out edits that are sorted and do not overlap.

    A character of a replacement of the same length keeps the span of the one that it replaces;
    otherwise each gets the span of all that was replaced.
    """
    text, starts, ends = aligned
    pieces: list[str] = []
    at = 0
    same_length = True
    for start, end, written in edits:
        pieces += (text[at:start], written)
        at = end
        same_length = same_length and end - start == len(written)
    pieces.append(text[at:])
    rewritten = "".join(pieces)
    if same_length:
        return Aligned(rewritten, starts, ends)
    return Aligned(rewritten, *_rewrite_maps(*_maps(aligned), edits))


def _rewrite_maps(
    starts: array[int], ends: array[int], edits: list[Edit]
) -> tuple[array[int], array[int]]:
    new_starts, new_ends = array("i"), array("i")
    at = 0
    for start, end, written in edits:
        length = len(written)
        if end - start != length:
            new_starts += starts[at:start]
            new_ends += ends[at:start]
            new_starts += starts[start : start + 1] * length
            new_ends += ends[end - 1 : end] * length
            at = end
    new_starts += starts[at:]
    new_ends += ends[at:]
    return new_starts, new_ends


def cut(aligned: Aligned, start: int, end: int) -> Aligned:
    """Keep text[start:end]."""
    if start == 0 and aligned.starts is None:
        return Aligned(aligned.text[:end])
    starts, ends = _maps(aligned)
    return Aligned(aligned.text[start:end], starts[start:end], ends[start:end])


def _maps(aligned: Aligned) -> tuple[array[int], array[int]]:
    if aligned.starts is not None and aligned.ends is not None:
        return aligned.starts, aligned.ends
    length = len(aligned.text)
    return array("i", range(length)), array("i", range(1, length + 1))

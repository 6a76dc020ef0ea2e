"""Spans of a text to a label for each of its tokens, and what labels a set of types needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from menpai.engine.tags import OUTSIDE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from menpai.evaluation.spans import Span
    from menpai.model.tokenizer import Tokens

    Ints = NDArray[np.int64]

IGNORED = -1
"""The label of marks, which no loss counts."""


def labels_of(types: Iterable[str]) -> tuple[str, ...]:
    """Labels for spans of some types: B begins one, I goes on, E ends it, S is all of it."""
    return (OUTSIDE, *(f"{place}-{name}" for name in sorted(set(types)) for place in "BIES"))


def labelled(tokens: Tokens, spans: Sequence[Span], labels: Sequence[str]) -> Ints:
    """Give each token the place of its label.

    A token is of a span if its first character is: where a token reaches over a span's end, as a
    number and the letter behind it may, the span ends with the token.

    Args:
        tokens: A text cut to tokens, with offsets.
        spans: Spans of the text that do not overlap.
        labels: What `labels_of` gave for their types, and perhaps others.
    """
    found = np.full(len(tokens.ids), labels.index(OUTSIDE), np.int64)
    starts = np.array([start for start, _ in tokens.offsets])
    is_mark = np.array([start == end for start, end in tokens.offsets])
    for span in spans:
        inside = np.flatnonzero((starts >= span.start) & (starts < span.end) & ~is_mark)
        for number, place in enumerate(inside):
            found[place] = labels.index(f"{_position(number, len(inside))}-{span.name}")
    found[is_mark] = IGNORED
    return found


def _position(number: int, n: int) -> str:
    if n == 1:
        return "S"
    if number == 0:
        return "B"
    return "E" if number == n - 1 else "I"

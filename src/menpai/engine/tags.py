"""A tagger's labels for tokens, put together to spans, and what its types are called here."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from menpai.address.elements import ELEMENTS, Proposal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

OUTSIDE = "O"
_LEAST = 1e-12
_NEVER = -1e4  # beside it all that a text's tokens can lose together is little

ELEMENT_OF = {
    **{element: element for element in ELEMENTS},
    "prov": "province",
    "community": "village",
    "village_group": "group",
    "devzone": "zone",
    "subpoi": "poi",
    "houseno": "building",
    "cellno": "unit",
    "floorno": "floor",
    "roomno": "room",
    "intersection": "landmark",
    "assist": "landmark",
    "distance": "landmark",
}
"""menpai's own types, those of MGeo and of the public benchmarks; what is not here is kept but
proposes nothing."""


class Span(NamedTuple):
    """A part of a text and what it is; `probability` is the mean of its tokens'."""

    type: str
    start: int
    end: int
    text: str
    probability: float


def spans(
    text: str,
    offsets: Sequence[tuple[int, int]],
    probabilities: Floats,
    labels: Sequence[str],
) -> list[Span]:
    """Read BIES or BIO labels: the likeliest row of labels that can follow each other.

    Args:
        text: What was tagged.
        offsets: Start and end of each token in it; tokens without extent are marks.
        probabilities: (tokens, labels).
        labels: What the columns mean, such as B-road, I-road, E-road, S-road, O.
    """
    best = _likeliest(probabilities, offsets, tuple(labels))
    found = []
    for kind, first, last in _runs([labels[i] for i in best], offsets):
        chosen = [float(probabilities[i, best[i]]) for i in range(first, last + 1)]
        start, end = offsets[first][0], offsets[last][1]
        found.append(Span(kind, start, end, text[start:end], sum(chosen) / len(chosen)))
    return found


def _likeliest(
    probabilities: Floats, offsets: Sequence[tuple[int, int]], labels: tuple[str, ...]
) -> list[int]:
    """The row of labels with the greatest product (Viterbi); marks are outside of all spans.

    A token by itself may be likeliest inside a span that nothing begins; a whole row cannot be.
    """
    follows, begins, ends = _grammar(labels)
    scores = np.log(np.maximum(probabilities, _LEAST))
    is_mark = np.array([start == end for start, end in offsets])
    if OUTSIDE in labels:
        scores[is_mark] = _NEVER
        scores[is_mark, labels.index(OUTSIDE)] = 0.0
    total = scores[0] + begins
    before = np.zeros(scores.shape, np.intp)
    for place in range(1, len(scores)):
        ways = total[:, None] + follows
        before[place] = ways.argmax(axis=0)
        total = ways.max(axis=0) + scores[place]
    path = [int((total + ends).argmax())]
    for place in range(len(scores) - 1, 0, -1):
        path.append(int(before[place][path[-1]]))
    return path[::-1]


@lru_cache(maxsize=16)
def _grammar(labels: tuple[str, ...]) -> tuple[Floats, Floats, Floats]:
    """What may follow what, (labels, labels), and begin and end a text: 0 if it may."""
    parts = [label.partition("-")[::2] for label in labels]
    closes = any(position in {"E", "S"} for position, _ in parts)  # BIES: what begins also ends

    def is_open(position: str) -> bool:
        return closes and position in {"B", "I"}

    def fits(left: tuple[str, str], right: tuple[str, str]) -> bool:
        goes_on = right[0] in {"I", "E"}
        if goes_on:
            return left[1] == right[1] and left[0] in {"B", "I"}
        return not is_open(left[0])

    def cost(allowed: Any) -> Floats:
        return np.where(allowed, 0.0, _NEVER).astype(np.float32)

    follows = cost([[fits(left, right) for right in parts] for left in parts])
    begins = cost([position not in {"I", "E"} for position, _ in parts])
    return follows, begins, cost([not is_open(position) for position, _ in parts])


def _runs(
    labels: Sequence[str], offsets: Sequence[tuple[int, int]]
) -> Iterator[tuple[str, int, int]]:
    """First and last token of each run of one type; B and S begin one, E and S end one."""
    kind, first, last = "", 0, 0
    for i, label in enumerate(labels):
        position, _, own = label.partition("-")
        is_mark = offsets[i][0] == offsets[i][1]
        if kind and (own != kind or position in "BS" or is_mark):
            yield kind, first, last
            kind = ""
        if own and not is_mark:
            kind, first, last = own, first if kind else i, i
            if position in "ES":
                yield kind, first, last
                kind = ""
    if kind:
        yield kind, first, last


def proposals(found: Sequence[Span]) -> list[Proposal]:
    """What the parser may take from a tagger."""
    return [
        Proposal(ELEMENT_OF[span.type], span.start, span.end)
        for span in found
        if span.type in ELEMENT_OF
    ]

"""A tagger's labels for tokens, put together to spans, and what its types are called here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from menpai.address.elements import ELEMENTS, Proposal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

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
    probabilities: NDArray[np.float32],
    labels: Sequence[str],
) -> list[Span]:
    """Read BIES or BIO labels: each token's likeliest, neighbours of one type joined.

    Args:
        text: What was tagged.
        offsets: Start and end of each token in it; tokens without extent are marks.
        probabilities: (tokens, labels).
        labels: What the columns mean, such as B-road, I-road, E-road, S-road, O.
    """
    best = probabilities.argmax(axis=1)
    found = []
    for kind, first, last in _runs([labels[i] for i in best], offsets):
        chosen = [float(probabilities[i, best[i]]) for i in range(first, last + 1)]
        start, end = offsets[first][0], offsets[last][1]
        found.append(Span(kind, start, end, text[start:end], sum(chosen) / len(chosen)))
    return found


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

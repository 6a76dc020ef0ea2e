"""Pieces: the runs of characters that a synthetic text is made of."""

from __future__ import annotations

from typing import NamedTuple


class Piece(NamedTuple):
    """A run of characters of one text.

    Attributes:
        text: What is written.
        element: The element it belongs to, one of `menpai.address.elements.ELEMENTS`, or None.
        part: What it is within that element: tenant, branch, facility and gate stand in poi,
            hamlet in village, road and second_road in landmark; former marks a division's former
            name, remark a landmark that is put in brackets behind an address that does without it.
        value: What it stands for on the map: the official name, the number without typo; None if
            that is what is written.
    """

    text: str
    element: str | None = None
    part: str | None = None
    value: str | None = None

"""Forms: one text that means a place, the pieces it is made of, and what it says and implies."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

from menpai.address.elements import DIVISIONS, ELEMENTS, Address
from menpai.synthesis import implications
from menpai.text.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from menpai.synthesis.pieces import Piece
    from menpai.synthesis.places import Place
    from menpai.synthesis.world import World

REGISTERS = ("map", "poi", "shop", "company", "jobs", "courier", "query")
"""Who writes: map providers, tables of places (the name, then its address), buyers, registries of
companies, job sites, couriers, searchers."""

_EXTRA = frozenset({"tenant", "branch", "hamlet", "second_road", "facility", "gate"})
"""Parts that stand beside what gives its element its value."""
_ALONE = frozenset({"tenant", "hamlet", "facility"})
"""Those that give it where nothing else does."""
_LEVELS = ("province", "city", "district", "town")


@dataclass(frozen=True)
class Form:
    """One way to write a place.

    Attributes:
        place: What it means.
        register: Who writes so, one of `REGISTERS`.
        pieces: What it is made of, in order.
        world: The map that the place is on.
    """

    place: Place
    register: str
    pieces: tuple[Piece, ...]
    world: World

    @cached_property
    def text(self) -> str:
        """The text."""
        return "".join(piece.text for piece in self.pieces)

    @cached_property
    def tags(self) -> list[str | None]:
        """The element of each character; None for separators and remarks."""
        tags: list[str | None] = []
        for piece in self.pieces:
            tags += [piece.element] * len(piece.text)
        return tags

    @cached_property
    def pieces_at(self) -> list[tuple[int, int, Piece]]:
        """Start and end of each piece that belongs to an element."""
        found, start = [], 0
        for piece in self.pieces:
            end = start + len(piece.text)
            if piece.element:
                found.append((start, end, piece))
            start = end
        return found

    @cached_property
    def spans(self) -> Mapping[str, tuple[int, int]]:
        """Where each element was written first."""
        return _spans(self.pieces_at)

    @cached_property
    def tenant(self) -> str | None:
        """The shop or company as it is written."""
        return next((p.text for p in self.pieces if p.part == "tenant"), None)

    @cached_property
    def address(self) -> Address:
        """What the text says, read without a mistake."""
        values = _values(self.pieces, true=False)
        rest = _rest(self.pieces, values, true=False)
        flags = self._flags
        implied, _ = implications.upwards(self.world, self.place, values)
        if len(implied) > len(values):
            flags = (*flags, "completed")
        return _address(self.text, implied, rest, flags, self.spans)

    @property
    def _flags(self) -> tuple[str, ...]:
        return ("renamed",) if any(piece.part == "former" for piece in self.pieces) else ()

    @cached_property
    def implied(self) -> Address:
        """What the text says and surely means: the map's names, numbers and divisions.

        A name or a number that only one place on the map has implies what lies above it; nothing
        finer than what was written is filled in. A facility or gate (停车场, 北门) counts as a room
        of its place. Divisions that were filled in have an empty span.
        """
        values = _values(self.pieces, true=True)
        rest = _rest(self.pieces, values, true=True)
        filled, added = implications.fill(self.world, self.place, self.pieces, values, rest)
        spans = {**{e: (0, 0) for e in added if e in _LEVELS}, **self.spans}
        return _address(self.text, filled, rest, self._flags, spans)


def _spans(pieces: Sequence[tuple[int, int, Piece]]) -> dict[str, tuple[int, int]]:
    """Spans by element; names before tenants, administrative villages before natural ones."""
    found: dict[str, tuple[int, int]] = {}
    for start, end, piece in pieces:
        element = piece.element or ""
        if piece.part == "road":
            found.setdefault("road", (start, end))
        known = found.get(element)
        if known is None and piece.part not in _EXTRA:
            found[element] = (start, end)
        elif (
            known is not None
            and known[1] == start
            and (element == "landmark" or piece.part == "facility")
        ):
            found[element] = (known[0], end)
    for start, end, piece in pieces:
        if piece.part in _ALONE and piece.element:
            found.setdefault(piece.element, (start, end))
    return found


def _values(pieces: Sequence[Piece], *, true: bool) -> dict[str, str]:
    """The elements, as they are written or as the map has them."""
    values: dict[str, str] = {}
    previous: Piece | None = None
    for piece in pieces:
        element, value = piece.element, _value(piece, true=true)
        if element is None or (true and piece.part == "remark"):
            previous = piece
            continue
        if piece.part == "road":
            values.setdefault("road", value)
        joins = previous is not None and previous.element == element
        if element in values:
            if joins and (element == "landmark" or piece.part == "facility"):
                values[element] += value
        elif piece.part not in _EXTRA or element == "landmark":
            values[element] = value
        previous = piece
    for piece in pieces:
        if piece.part in _ALONE and piece.element:
            values.setdefault(piece.element, _value(piece, true=true))
    return values


def _value(piece: Piece, *, true: bool) -> str:
    if (true or piece.element in DIVISIONS) and piece.value is not None:
        return piece.value
    return _normal(piece.text)


def _rest(pieces: Sequence[Piece], values: Mapping[str, str], *, true: bool) -> list[str]:
    """What the parser leaves over: tenants beside a place, branches, second villages and roads."""
    rest = []
    for piece in pieces:
        if piece.part in _EXTRA and piece.part != "facility":
            value = _value(piece, true=true).replace(" ", "")
            if piece.part in {"branch", "gate"} or values.get(piece.element or "") != value:
                rest.append(value)
    return rest


@lru_cache(maxsize=65536)
def _normal(text: str) -> str:
    return normalize(text).text.strip()


def _address(
    text: str,
    values: Mapping[str, str],
    rest: Sequence[str],
    flags: tuple[str, ...],
    spans: Mapping[str, tuple[int, int]],
) -> Address:
    bare = Address(
        text=text,
        normalized=normalize(text).text,
        rest=" ".join(rest) or None,
        flags=flags,
        spans=dict(spans),
    )
    return replace(bare, **{e: values[e] for e in ELEMENTS if e in values})  # type: ignore[arg-type]  # elements are texts

"""What an address is: its elements, in order from the coarsest to the finest, and its flags."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from html import escape
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

DIVISIONS: tuple[str, ...] = ("province", "city", "district", "town", "village")
INNER: tuple[str, ...] = ("building", "unit", "floor", "room")
NUMBERED: tuple[str, ...] = ("group", "roadno", *INNER)
NOISE: tuple[str, ...] = ("name", "phone", "postcode")
ELEMENTS: tuple[str, ...] = (
    *DIVISIONS,
    "group",
    "zone",
    "road",
    "roadno",
    "poi",
    *INNER,
    "landmark",
    *NOISE,
)

FLAGS: Mapping[str, str] = {
    "renamed": "a division was written by a former or colloquial name; the current one is given",
    "split": "a division that was divided since; the part was chosen by the town, if one was named",
    "completed": "an upper division was not written and follows from a lower one",
    "corrected": "a misspelt division was read as the one that it sounds or looks like",
    "province_conflict": "a province was written that the other divisions contradict",
    "city_conflict": "a city was written that the other divisions contradict",
    "district_conflict": "a district was written that the other divisions contradict",
    "town_conflict": "a town was written that lies in another district",
    "unknown_division": "a town or district was written that the division table does not know",
    "several_addresses": "more than one address stands in the text; the first is given",
    "not_an_address": "the text names no place",
    "foreign": "the text names a place outside China",
    "romanised": "the text is written in Latin letters",
    "number_conflict": "two addresses name one place with different numbers",
    "road_typo": "two road names differ by one character and were taken for one road",
    "division_conflict": "two addresses agree on road or place but not on the district or town",
    "name_conflict": "two addresses share road and number but name different places",
    "near": "one side only points to the neighbourhood of a place",
    "truncated": "a model did not read the end of a text, which is longer than its limit",
    "model_error": "a model gave no answer for a text; the elements alone decided",
}
"""Every flag that an address or a comparison may carry, with its meaning."""


class Proposal(NamedTuple):
    """A span of the original text that a tagger holds for an element.

    The parser lets it decide where its own rules see nothing better.
    """

    element: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Address:
    """One text and what it means.

    Divisions carry their current official names; `spans` keeps where each element was written
    (element to (start, end) in the original text). Absent elements are None.
    """

    text: str
    normalized: str
    province: str | None = None
    city: str | None = None
    district: str | None = None
    town: str | None = None
    village: str | None = None
    group: str | None = None
    zone: str | None = None
    road: str | None = None
    roadno: str | None = None
    poi: str | None = None
    building: str | None = None
    unit: str | None = None
    floor: str | None = None
    room: str | None = None
    landmark: str | None = None
    name: str | None = None
    phone: str | None = None
    postcode: str | None = None
    rest: str | None = None
    code: str | None = None
    ambiguous: bool = False
    candidates: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    spans: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        """Show the elements as a table in a notebook."""
        read = ((e, getattr(self, e)) for e in (*ELEMENTS, "rest", "code"))
        rows = "".join(f"<tr><th>{e}</th><td>{escape(v)}</td></tr>" for e, v in read if v)
        return f"<table><caption>{escape(self.text)}</caption>{rows}</table>"

    def to_dict(self) -> dict[str, object]:
        """Give the JSON contract: every key in order, absent elements null, spans as lists."""
        row: dict[str, object] = dict(zip(_SCALARS, _scalars_of(self), strict=True))
        row["candidates"] = list(self.candidates)
        row["flags"] = list(self.flags)
        row["spans"] = {name: [start, end] for name, (start, end) in self.spans.items()}
        return row


_SCALARS: tuple[str, ...] = tuple(
    f.name for f in fields(Address) if f.name not in {"candidates", "flags", "spans"}
)
_scalars_of = attrgetter(*_SCALARS)

"""Types of what jobs add to a table: addresses, comparisons, matches, as in the contract."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

from menpai.address.elements import ELEMENTS, Address
from menpai.matching.results import LABELS, Reason
from menpai.tables.schema import Many, Struct

if TYPE_CHECKING:
    from menpai.tables.schema import Type

_LISTS = Many("text")
_REASON = Struct({name: "number" if name == "weight" else "text" for name in Reason._fields})
_SPANS = Struct({element: Many("integer") for element in ELEMENTS}, spread=False)
_SPECIAL: dict[str, Type] = {
    "ambiguous": "boolean",
    "candidates": _LISTS,
    "flags": _LISTS,
    "spans": _SPANS,
}

ADDRESS = Struct({field.name: _SPECIAL.get(field.name, "text") for field in fields(Address)})
"""An address: in a flat table a column for each element."""

COMPARISON: dict[str, Type] = {
    "label": "text",
    "match": "boolean",
    "score": "number",
    "similarity": "number",
    "probabilities": Struct(dict.fromkeys(LABELS, "number")),
    "level": "text",
    "reasons": Many(_REASON),
    "flags": _LISTS,
    "left": ADDRESS,
    "right": ADDRESS,
    "decision_version": "text",
}
"""A comparison."""


def match_types(top_k: int) -> dict[str, Type]:
    """Give the types of a match with at most `top_k` records.

    In a flat table each record has columns for its verdict, and one of JSON for its address.
    """
    verdict = {key: kind for key, kind in COMPARISON.items() if key != "left"}
    verdict["probabilities"] = replace(Struct(dict.fromkeys(LABELS, "number")), spread=False)
    verdict["right"] = replace(ADDRESS, spread=False)
    record = Struct({"record_id": "text", "text": "text", "rank": "integer", **verdict})
    return {
        "query": "text",
        "status": "text",
        "matches": Many(record, n_spread=top_k),
        "error": "json",
    }

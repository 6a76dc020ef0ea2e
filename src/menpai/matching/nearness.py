"""How two places stand, finer than the labels of a policy: what the packaged model tells apart.

One model then serves every policy: what `place` calls two places, the benchmark partly calls a
partial match, more so for shops of one mall than for two numbers of one road.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from menpai.matching import policy as policies
from menpai.matching.results import LABELS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from menpai.address.elements import Address
    from menpai.address.relations import Relations

NEARNESS = ("same", "inside", "around", "sibling", "neighbour", "elsewhere")
"""One place; one in the other, by a road with its number or a name that both have; one in the other
without, as a road and what is on it; two places of one site; two on one road; any others."""

READINGS: Mapping[str, Mapping[str, tuple[float, float, float]]] = {
    "place": {
        "same": (1.0, 0.0, 0.0),
        "inside": (0.0, 1.0, 0.0),
        "around": (0.0, 1.0, 0.0),
        "sibling": (0.0, 0.0, 1.0),
        "neighbour": (0.0, 0.0, 1.0),
        "elsewhere": (0.0, 0.0, 1.0),
    },
    "ccks": {
        "same": (0.6, 0.4, 0.0),
        "inside": (0.0, 0.95, 0.05),
        "around": (0.0, 0.5, 0.5),
        "sibling": (0.0, 0.75, 0.25),
        "neighbour": (0.0, 0.4, 0.6),
        "elsewhere": (0.0, 0.05, 0.95),
    },
}
"""Probabilities of the three labels by policy and nearness. Those of `ccks` are set by what the
benchmark's rules say (children of one mall or road number are partial) and by how loosely it was
seen to follow them. They are set by hand; no weight of a model is learned from its rows."""

_SAME = frozenset({"equal", "alias", "renamed"})
_SAME_ROAD = _SAME | {"contains", "similar"}


def of(left: Address, right: Address, relations: Relations) -> str:
    """Say how two places stand, by addresses that were read without a mistake."""
    place = policies.judge(left, right, relations, "place").label
    if place == "exact_match":
        return "same"
    is_anchored = _is_anchored(relations)
    if place == "partial_match":
        return "inside" if is_anchored else "around"
    if is_anchored or policies.judge(left, right, relations, "ccks").label != "not_match":
        return "sibling"
    return "neighbour" if _is_on_one_road(relations) else "elsewhere"


def read(probabilities: Mapping[str, float], policy: str) -> dict[str, float]:
    """Give the probabilities of the three labels under a policy.

    Args:
        probabilities: Of each nearness, together 1.
        policy: "place" or "ccks".
    """
    table = READINGS[policy]
    return {
        label: sum(share * table[nearness][place] for nearness, share in probabilities.items())
        for place, label in enumerate(LABELS)
    }


def _is_anchored(relations: Relations) -> bool:
    by_number = relations.kind("roadno") in {"equal", "contains"}
    return (
        (relations.kind("road") in _SAME_ROAD and by_number)
        or relations.kind("poi") in _SAME | {"similar"}
        or relations.kind("tenant") in _SAME
    )


def _is_on_one_road(relations: Relations) -> bool:
    return (
        relations.kind("road") in _SAME
        and relations.kind("roadno") in {"conflict", "missing"}
        and all(relations.kind(upper) != "conflict" for upper in ("province", "city", "district"))
    )

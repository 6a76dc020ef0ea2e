"""Which places the writers of a register write about, and how much more often than others."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from menpai.synthesis.draws import Weighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from menpai.synthesis.places import Place
    from menpai.synthesis.vocabulary import Vocabulary

_KINDS: Mapping[str, Mapping[str, float]] = {
    "map": {
        "compound": 20,
        "street": 25,
        "mall": 14,
        "tower": 14,
        "institution": 15,
        "park": 4,
        "hamlet": 6,
        "highway": 2,
    },
    "poi": {
        "compound": 16,
        "street": 26,
        "mall": 18,
        "tower": 14,
        "institution": 18,
        "park": 4,
        "hamlet": 3,
        "highway": 1,
    },
    "shop": {
        "compound": 62,
        "hamlet": 15,
        "street": 5,
        "institution": 9,
        "tower": 3,
        "mall": 3,
        "park": 2,
        "highway": 1,
    },
    "company": {
        "tower": 34,
        "street": 27,
        "park": 16,
        "compound": 12,
        "mall": 4,
        "institution": 2,
        "hamlet": 4,
        "highway": 1,
    },
    "jobs": {
        "tower": 51,
        "park": 17,
        "street": 18,
        "mall": 6,
        "compound": 5,
        "institution": 2,
        "hamlet": 0.5,
        "highway": 0.5,
    },
    "courier": {
        "compound": 42,
        "hamlet": 27,
        "street": 11,
        "institution": 7,
        "tower": 6,
        "mall": 4,
        "park": 2,
        "highway": 1,
    },
    "query": {
        "compound": 27,
        "street": 18,
        "mall": 14,
        "tower": 14,
        "institution": 14,
        "park": 4,
        "hamlet": 8,
        "highway": 1,
    },
}
"""Shares of the kinds of sites, per cent."""
_DISTRICTS = {"shop": "shop", "courier": "shop", "jobs": "jobs", "company": "jobs"}
"""Whose shares of districts count; the others write about all districts."""
_EVEN = 0.1
"""Share of what is spread over all districts alike."""


def weigh(places: Sequence[Place], register: str, vocabulary: Vocabulary) -> Weighted[Place]:
    """Give places to draw from, each as often as a register's writers write about it.

    Args:
        places: Places of a map.
        register: Who writes.
        vocabulary: Holds the shares of districts.
    """
    kinds = Counter(place.site.kind for place in places)
    districts = Counter(_district(place) for place in places)
    wanted = _KINDS[register]
    shares = vocabulary.district_shares[_DISTRICTS.get(register, "all")]
    even = _EVEN / len(districts)
    of_district = {
        code: (even + (1 - _EVEN) * shares.get(code, 0.0)) / n for code, n in districts.items()
    }
    return Weighted(
        (place, wanted[place.site.kind] / kinds[place.site.kind] * of_district[_district(place)])
        for place in places
    )


def _district(place: Place) -> str:
    return place.site.region.code[:6]

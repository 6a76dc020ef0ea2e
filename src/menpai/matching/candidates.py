"""Which records may be the place that a query means, without looking at every record.

An address is known by its keys (road with number, road by sound, place names, rare bigrams, ...),
which lead to records through postings, and by its facts (divisions and numbers), which are compared
for all records found at once. The best few then get the full comparison.
"""

from __future__ import annotations

import math
import re
from array import array
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from menpai.address import numbers, rarity
from menpai.address.elements import INNER, NOISE
from menpai.address.names import name_key, names_of
from menpai.address.romanised import road_sound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import numpy.typing as npt

    from menpai.address.elements import Address

_MAX_POSTINGS = 30_000
"""Record numbers read for one query. Rare keys come first, so what is cut off says little."""

_KINDS = (
    "bigram",
    "numbered_road",
    "road",
    "name",
    "village",
    "town",
    "numbered_district",
    "only",
    "division",
)
_BASE = {kind: place << 32 for place, kind in enumerate(_KINDS)}
_RARITY = {
    "numbered_road": 10.0,
    "road": 5.0,
    "name": 8.0,
    "village": 5.0,
    "town": 4.0,
    "numbered_district": 3.0,
    "only": 0.5,
    "division": 0.5,
}
"""What a shared key of each kind is worth before the library's own counts; a bigram has its idf."""

_FACTS: Mapping[str, tuple[float, float]] = {
    "province": (0.5, -6.0),
    "city": (1.0, -5.0),
    "district": (1.5, -1.0),
    "town": (1.0, -0.5),
    "road_number": (3.0, -3.0),
    "roadno": (1.0, 0.0),
    "group": (2.0, -2.0),
    "building": (2.0, -1.5),
    "unit": (1.0, -1.0),
    "floor": (0.5, -0.5),
    "room": (3.0, -1.5),
}
"""What each fact adds where both sides have it and agree, and where they differ."""

_DIVISIONS = ("province", "city", "district", "town")
_NUMBERED = ("roadno", "group", "building", "unit", "floor", "room")
_DIVISION_ENDS = tuple("省市区县旗州盟")
_CODE_LEVELS = (2, 4, 6, 9)
_VILLAGE_END = re.compile(r"(?:村民委员会|社区|新村|村)\Z")
_CROSSING_ROAD = re.compile(r"[一-鿿]{2,6}?(?:大道|大街|路|街)")
_FINER = ("village", "group", "zone", "road", "roadno", "poi", *INNER, "landmark", "rest")


class Traits(NamedTuple):
    """What the index knows of one address: its keys with their rarity, and its facts."""

    keys: dict[int, float]
    facts: tuple[int, ...]


def traits(address: Address, *, wanted: bool) -> Traits:
    """Read the keys and facts of an address.

    Args:
        address: A parsed address.
        wanted: The address is a query: it also asks for the records that name only one of its
            divisions, whereas such a record is known by its own division alone.
    """
    statistics = rarity.load()
    keys: dict[int, float] = {}
    for pair in rarity.bigrams(_telling_text(address)):
        keys[ord(pair[0]) << 16 | ord(pair[1])] = statistics.idf(pair)
    for kind, value in _named_keys(address, wanted=wanted):
        keys[_BASE[kind] | _digest(value)] = _RARITY[kind]
    return Traits(keys, _facts(address))


def _telling_text(address: Address) -> str:
    """Give the normalised text without contacts and without divisions that were surely read.

    A name without its ending stays, as it may be another name's beginning: 江南人家 is no place
    in 江南区. So does everything where divisions contradict each other.
    """
    text = address.normalized
    in_doubt = address.ambiguous or any(flag.endswith("_conflict") for flag in address.flags)
    blanked = NOISE if in_doubt else (*_DIVISIONS[:3], *NOISE)
    for element in blanked:
        if element in address.spans:
            start, end = address.spans[element]
            written = address.text[start:end]
            if element in NOISE or written.endswith(_DIVISION_ENDS):
                text = text.replace(written, "\n", 1)
    return text


def _named_keys(address: Address, *, wanted: bool) -> Iterable[tuple[str, str]]:
    number = _road_number(address)
    for road in _roads(address):
        yield "road", road
        if number:
            yield "numbered_road", f"{road} {number}"
    names = names_of(address)
    for name in (names.place, names.tenant):
        if name:
            yield "name", name_key(name)
    if address.village:
        yield "village", _VILLAGE_END.sub("", address.village)
    if address.town:
        yield "town", address.town
    if address.district and number:
        yield "numbered_district", f"{address.district} {number}"
    divisions = _division_codes(address)
    yield from (("division", code) for code in divisions)
    if wanted:
        yield from (("only", code) for code in divisions)
    elif divisions and not any(getattr(address, element) for element in _FINER):
        yield "only", divisions[-1]


def _roads(address: Address) -> list[str]:
    """Sounds of the road and of roads that cross it: one key for 建国路, 建囯路 and Jianguo Rd."""
    others = _CROSSING_ROAD.findall(f"{address.landmark or ''} {address.rest or ''}")
    return [_sound(road) for road in (address.road, *others) if road]


@lru_cache(maxsize=65536)
def _sound(road: str) -> str:
    return road_sound(road).casefold()


def _road_number(address: Address) -> str:
    parts = numbers.read(address.roadno).parts if address.roadno else ()
    return parts[0] if parts else ""


def _division_codes(address: Address) -> list[str]:
    """Codes of the divisions that an address surely lies in, from the province down."""
    code = address.code or ""
    if address.ambiguous or not code:
        return []
    while len(code) <= 6 and code.endswith("00"):
        code = code[:-2]
    return [code[:length] for length in _CODE_LEVELS if length <= len(code)]


def _facts(address: Address) -> tuple[int, ...]:
    sure = not address.ambiguous and "corrected" not in address.flags
    values = {
        level: getattr(address, level)
        for level in _DIVISIONS
        if sure and f"{level}_conflict" not in address.flags
    }
    values["road_number"] = _road_number(address)
    for element in _NUMBERED:
        written = getattr(address, element)
        values[element] = " ".join(numbers.read(written).parts) if written else ""
    return tuple(_digest(values.get(fact)) for fact in _FACTS)


def _digest(value: str | None) -> int:
    """31 bits that stand for a value, the same in every process; 0 for none."""
    if not value:
        return 0
    return (crc32(value.encode("utf-8", "surrogatepass")) & 0x7FFFFFFF) or 1


class _Posting(NamedTuple):
    """Where the records of a key stand in the index, and what sharing the key is worth."""

    is_division: bool
    length: int
    start: int
    worth: float


class CandidateIndex:
    """Postings and facts of a library's records, in arrays.

    Attributes:
        keys: uint64, shape (n_keys,), sorted: every key that some record has.
        offsets: int64, shape (n_keys + 1,): where the postings of each key begin in `records`.
        records: int32, shape (n_postings,): record numbers, ascending within a key.
        facts: int32, shape (n_facts, n_records), 0 where unknown.
        damping: float32, shape (n_records,): what a shared key counts in a record, less in one
            that holds many keys.
    """

    def __init__(self, records: Iterable[Traits]) -> None:
        """Index records in their order."""
        keys, counts, totals, facts = array("Q"), array("i"), array("f"), array("i")
        for record in records:
            keys.extend(record.keys)
            counts.append(len(record.keys))
            totals.append(sum(record.keys.values()))
            facts.extend(record.facts)
        by_record = np.frombuffer(facts, np.int32).reshape(-1, len(_FACTS))
        self.facts = np.ascontiguousarray(by_record.T)
        self.damping = np.maximum(np.frombuffer(totals, np.float32), 1.0) ** -0.25
        self._post(np.frombuffer(keys, np.uint64), np.frombuffer(counts, np.int32))

    def _post(self, keys: npt.NDArray[np.uint64], counts: npt.NDArray[np.int32]) -> None:
        owners = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        order = np.argsort(keys, kind="stable")
        self.records = owners[order]
        ordered = keys[order]
        first = np.ones(len(ordered), dtype=bool)
        first[1:] = ordered[1:] != ordered[:-1]
        starts = np.flatnonzero(first)
        self.keys = ordered[starts]
        self.offsets = np.append(starts, len(ordered))

    def best(self, query: Traits, limit: int) -> list[int]:
        """Give the records that share most with a query, best first, ties in record order.

        Args:
            query: Traits of the query.
            limit: Most records to give.
        """
        postings = self._postings(query)
        if not postings:
            return []
        found = np.concatenate([self.records[p.start : p.start + p.length] for p in postings])
        worth = np.repeat([p.worth for p in postings], [p.length for p in postings])
        shared = np.bincount(found, weights=worth)
        ordered = np.sort(found)
        records = ordered[np.append(True, ordered[1:] != ordered[:-1])]
        points = shared[records] * self.damping[records] + self._agreement(query, records)
        return _first(records, points, limit)

    def _postings(self, query: Traits) -> list[_Posting]:
        """Find the query's rarest postings, rarest first, as many as may be read.

        A division says too little beside a road or a name: it counts where nothing else is found.
        """
        wanted = np.fromiter(query.keys, np.uint64, len(query.keys))
        places = np.searchsorted(self.keys, wanted)
        found: list[_Posting] = []
        for key, place in zip(query.keys, places.tolist(), strict=True):
            if place < len(self.keys) and self.keys[place] == key:
                start, end = int(self.offsets[place]), int(self.offsets[place + 1])
                worth = (query.keys[key] + math.log(len(self.damping) / (end - start))) / 2
                found.append(_Posting(key >= _BASE["division"], end - start, start, worth))
        found.sort()
        return _cut([posting for posting in found if posting.is_division == found[0].is_division])

    def _agreement(self, query: Traits, records: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
        points = np.zeros(len(records))
        for facts, value, (agreeing, differing) in zip(
            self.facts, query.facts, _FACTS.values(), strict=True
        ):
            if value:
                theirs = facts[records]
                points += np.where(theirs == value, agreeing, np.where(theirs, differing, 0.0))
        return points


def _cut(postings: list[_Posting]) -> list[_Posting]:
    """Keep the first postings that fit the limit; of a first that does not fit, its beginning."""
    kept: list[_Posting] = []
    left = _MAX_POSTINGS
    for posting in postings:
        if posting.length > left and kept:
            break
        kept.append(posting._replace(length=min(posting.length, left)))
        left -= posting.length
    return kept


def _first(
    records: npt.NDArray[np.int32], points: npt.NDArray[np.float64], limit: int
) -> list[int]:
    """Records of most points, best first; of equals the earlier ones."""
    if len(records) > limit:
        bar = np.partition(points, -limit)[-limit]
        above, level = np.flatnonzero(points > bar), np.flatnonzero(points == bar)
        kept = np.sort(np.append(above, level[: limit - len(above)]))
        records, points = records[kept], points[kept]
    best: list[int] = records[np.argsort(-points, kind="stable")].tolist()
    return best

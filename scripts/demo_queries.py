"""The queries of the demo, each with the records that it may mean and the label it deserves.

Beside the disturbances that a place survives there are queries that mean a part of a place or its
surroundings (partial match), and small differences that make it another place (no match).
"""

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from demo_disturbances import HOMES, INDOORS, KINDS, Source, Texts
from demo_library import COMPANIES, SHOPS, Record

EXACT, PARTIAL, NOT = "exact_match", "partial_match", "not_match"

JUNK = (
    "测试",
    "同上",
    "无",
    "不详",
    "asdfghjkl",
    "1234567890",
    "？？？？",
    "请尽快发货谢谢",
    "https://example.com/order",
    "到了打电话",
)


@dataclass(frozen=True, slots=True)
class Query:
    """A text, the records it may mean (none if it means none), and what is right to answer."""

    kind: str
    text: str
    record_ids: tuple[str, ...]
    label: str
    status: str = ""


def ranges(source: Source) -> Texts:
    """A number within a range, and a number that is a part of another."""
    for record in source.pick(6, "range"):
        first = int(record.roadno.split("-")[0])
        yield record, record.text("town", roadno=f"{first + 2}号")
    for record in source.pick(4, "plain"):
        yield record, record.text("town", roadno=record.roadno.replace("号", "-1号"))


def missing_building(source: Source) -> Texts:
    """The room without the building and unit above it."""
    for record in source.pick(8, "block"):
        yield record, record.text("building", "unit")


def added_tenant(source: Source) -> Texts:
    """A company at a number that the library knows without one."""
    for record in source.pick(8, "plain"):
        yield record, record.text("town", tenant=source.name() + source.rng.choice(COMPANIES))


def coarser(source: Source) -> Iterator[Query]:
    """A query that stops at the compound or tower."""
    for record in source.pick(10, *HOMES, "tower"):
        text = record.text("town", "building", "unit", "floor", "room")
        yield Query("", text, source.same_poi(record), PARTIAL)


def shop_and_mall(source: Source) -> Iterator[Query]:
    """A query for the mall where the library has its shops."""
    for record in source.pick(6, "mall"):
        text = record.text("town", "floor", "room", "tenant")
        yield Query("", text, source.same_poi(record), PARTIAL)


def landmarks(source: Source) -> Iterator[Query]:
    """Beside or opposite a place is not the place."""
    for i, record in enumerate(source.pick(10, "tower", "mall")):
        text = record.text("town", "building", "floor", "room", "tenant")
        yield Query("", text + ("对面", "附近")[i % 2], source.same_poi(record), PARTIAL)


def ambiguous(source: Source) -> Iterator[Query]:
    """A road and number of two cities, without the city: a person must decide."""
    for record in source.pick(8, "twin"):
        same = (r for r in source.records if (r.road, r.roadno) == (record.road, record.roadno))
        yield Query("", record.lower, tuple(r.record_id for r in same), EXACT, "review")


def other_number(source: Source) -> Texts:
    """Another number of the same road."""
    for record in source.pick(10, "plain"):
        number = int(record.roadno.removesuffix("号"))
        yield record, record.text(roadno=f"{number + source.rng.randint(2, 40)}号")


def other_building(source: Source) -> Texts:
    """Another building of the same compound."""
    for record in source.pick(10, *HOMES):
        building = re.sub(r"\d+", str(source.rng.randint(14, 30)), record.building)
        yield record, record.text(building=building)


def other_room(source: Source) -> Texts:
    """Another room of the same building."""
    for record in source.pick(10, *INDOORS):
        yield record, record.text(room=re.sub(r"\d\d(?=室)", "77", record.room))


def other_city(source: Source) -> Texts:
    """The same road and number in a city that has no such record."""
    for record in source.pick(10, "plain", "company"):
        elsewhere = source.pick(1, where=lambda r, here=record: r.code[:2] != here.code[:2])[0]
        yield (
            record,
            replace(
                record,
                province=elsewhere.province,
                city=elsewhere.city,
                district=elsewhere.district,
            ).text("town"),
        )


def other_tenant(source: Source) -> Texts:
    """Another company at the same number, another shop of the same mall."""
    for record in source.pick(6, "company"):
        yield record, record.text(tenant=source.name() + source.rng.choice(COMPANIES))
    for record in source.pick(5, "mall"):
        shop = source.name() + source.rng.choice(SHOPS)
        yield record, record.text(floor="4层", room="455号铺", tenant=shop)


PARTIAL_KINDS = {f.__name__: f for f in (ranges, missing_building, added_tenant)}
NEAR_MISSES = {
    f.__name__: f for f in (other_number, other_building, other_room, other_city, other_tenant)
}
WHOLE_KINDS = {f.__name__: f for f in (coarser, shop_and_mall, landmarks, ambiguous)}


def build_queries(records: Sequence[Record], seed: int) -> list[Query]:
    """All queries; each kind has its own source of chance, so kinds do not disturb each other."""
    queries: list[Query] = []
    for label, kinds in ((EXACT, KINDS), (PARTIAL, PARTIAL_KINDS), (NOT, NEAR_MISSES)):
        for kind, write in kinds.items():
            for record, text in write(_source(records, seed, kind)):
                ids = () if label == NOT else (record.record_id,)
                queries.append(Query(kind, text, ids, label))
    for kind, ask in WHOLE_KINDS.items():
        queries += [replace(query, kind=kind) for query in ask(_source(records, seed, kind))]
    return queries + [Query("junk", text, (), NOT) for text in JUNK]


def _source(records: Sequence[Record], seed: int, kind: str) -> Source:
    return Source(records, random.Random(f"{seed} {kind}"))  # noqa: S311 - a demo, no secrets

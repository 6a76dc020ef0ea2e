"""Two addresses, element by element: equal, alias, renamed, contains, missing or conflict.

Hard on numbers and divisions, soft on the wording of roads and places. Decides nothing: what the
relations mean together is the policy's part (matching/).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from menpai.address import names, numbers, rarity, roads
from menpai.address.elements import INNER, NUMBERED
from menpai.address.relations import Relation, Relations

if TYPE_CHECKING:
    from menpai.address.elements import Address
    from menpai.address.rarity import Rarity

_SUFFIXES = frozenset("区县市旗區縣")
_LEVELS = ("province", "city", "district", "town")


def compare(left: Address, right: Address, statistics: Rarity | None = None) -> Relations:
    """Relate two addresses.

    Args:
        left: One address.
        right: The other; swapping the two mirrors the result.
        statistics: Rarity of character bigrams, of the library's texts; packaged ones if None.
    """
    weights = rarity.load() if statistics is None else statistics
    found: dict[str, Relation] = {}
    flags: list[str] = []
    for level in _LEVELS:
        _keep(found, _division(level, left, right))
    _keep(found, _village(left, right))
    _keep(found, _group(left.group, right.group))
    _keep(found, _simple("zone", left.zone, right.zone))
    road = roads.relate(left, right)
    _keep(found, road)
    if road is not None and road.kind == "similar":
        flags.append("road_typo")
    _keep(found, _number("roadno", left.roadno, right.roadno))
    if not (road is not None and road.kind == "alias" and None in (left.road, right.road)):
        for relation in names.relate(names.names_of(left), names.names_of(right), weights):
            _keep(found, relation)
    for element in INNER:
        _keep(found, _inner(element, left, right))
    _align_numbers(found, left, right)
    _keep(found, _landmark(left.landmark, right.landmark))
    shared, dice = evidence(left, right, weights)
    return Relations(found, shared, dice, _numbers_shared(left, right), tuple(flags))


def _keep(found: dict[str, Relation], relation: Relation | None) -> None:
    if relation is not None:
        found[relation.element] = relation


# Divisions.


def _division(level: str, left: Address, right: Address) -> Relation | None:
    a, b = getattr(left, level), getattr(right, level)
    if a is None and b is None:
        return None
    if a is None or b is None:
        return Relation(level, a, b, "missing", 0.0)
    if a == b:
        renamed = ("renamed" in left.flags) != ("renamed" in right.flags)
        return Relation(level, a, b, "renamed" if renamed and level == "district" else "equal")
    kind = "conflict" if _both_sure(level, left, right) else "missing"
    return Relation(level, a, b, kind, 0.0)


def _both_sure(level: str, left: Address, right: Address) -> bool:
    """A level that was completed or corrected on either side contradicts nothing by itself.

    A province or city completed from a written district is as sure as that district is.
    """
    return all(_is_sure(level, side) for side in (left, right))


def _is_sure(level: str, side: Address) -> bool:
    if side.ambiguous:
        return level in side.spans
    if "corrected" in side.flags or f"{level}_conflict" in side.flags:
        return False
    if _is_lone_short_district(side):
        return False
    if level in side.spans:
        return True
    finer = _LEVELS[_LEVELS.index(level) + 1 :]
    return any(f in side.spans and getattr(side, f) for f in finer)


def _is_lone_short_district(side: Address) -> bool:
    """合水 at a text's start may be 合水县 or the beginning of a village's name."""
    if "district" not in side.spans or "city" in side.spans or "province" in side.spans:
        return False
    start, end = side.spans["district"]
    return "town" not in side.spans and side.text[end - 1 : end] not in _SUFFIXES and start == 0


# Simple and numbered elements.


def _simple(element: str, a: str | None, b: str | None) -> Relation | None:
    if a is None and b is None:
        return None
    if a is None or b is None:
        return Relation(element, a, b, "missing", 0.0)
    if _stem(a) == _stem(b):
        return Relation(element, a, b, "equal")
    if _stem(a) in _stem(b) or _stem(b) in _stem(a):
        return Relation(element, a, b, "contains", 0.7)
    return Relation(element, a, b, "conflict", 0.0)


_CROSSING = re.compile(r"[与和及、/]|交[叉汇界接]?路?[口处]|的|约|处|附近|旁边?|对面")

_AFTER_ROAD = re.compile(r"(?<=[路街道])(?:口|(?=[东西南北]{1,2}\d)|(?=[一-鿿]{1,8}[路街道]口))")


def _landmark(a: str | None, b: str | None) -> Relation | None:
    """Two ways to say where something is: the same roads; a side or a distance may be missing."""
    if a is None and b is None:
        return None
    if a is None or b is None:
        return Relation("landmark", a, b, "missing", 0.0)
    keys = _landmark_key(a), _landmark_key(b)
    if keys[0] == keys[1]:
        return Relation("landmark", a, b, "equal", 1.0)
    if min(map(len, keys)) > 1 and (set(keys[0]) < set(keys[1]) or set(keys[1]) < set(keys[0])):
        return Relation("landmark", a, b, "contains", 0.8)
    return Relation("landmark", a, b, "conflict", 0.0)


def _landmark_key(landmark: str) -> tuple[str, ...]:
    parts = _CROSSING.split(_AFTER_ROAD.sub("、", landmark))
    return tuple(sorted(p for p in parts if p))


def _village(left: Address, right: Address) -> Relation | None:
    """A natural village lies in an administrative one or a community: both may be written."""
    relation = _simple("village", left.village, right.village)
    if relation is None or relation.kind in {"equal", "contains"}:
        return relation
    for a, b in ((left, right), (right, left)):
        name = _stem(a.village or "")
        if len(name) > 1 and any(name in (text or "") for text in (b.rest, b.poi, b.road)):
            return relation._replace(kind="equal", similarity=0.9)
    if roads.is_typo(_stem(left.village or ""), _stem(right.village or "")):
        return relation._replace(kind="contains", similarity=0.7)
    mixed = (left.village or "").endswith("社区") != (right.village or "").endswith("社区")
    return relation._replace(kind="missing") if mixed else relation


@lru_cache(maxsize=16384)
def _stem(name: str) -> str:
    return (
        re.sub(
            r"(?:村民委员会|社区|新村|村|经济技术开发区|高新技术产业开发区|开发区|区)\Z", "", name
        )
        or name
    )


def _number(element: str, a: str | None, b: str | None) -> Relation | None:
    if a is None and b is None:
        return None
    if a is None or b is None:
        return Relation(element, a, b, "missing", 0.0)
    kind = numbers.relate(a, b)
    return Relation(element, a, b, kind, {"equal": 1.0, "contains": 0.7}.get(kind, 0.0))


def _group(a: str | None, b: str | None) -> Relation | None:
    """5组 by its number, 上岚屯 by its name."""
    if a is None or b is None or (numbers.read(a).parts and numbers.read(b).parts):
        return _number("group", a, b)
    return Relation("group", a, b, "equal" if a == b else "conflict", float(a == b))


def _inner(element: str, left: Address, right: Address) -> Relation | None:
    a, b = getattr(left, element), getattr(right, element)
    if element == "room" and a and b and _is_one_shop(left, right):
        return Relation(element, a, b, "equal")
    if element != "floor":
        return _number(element, a, b)
    relation = _number(element, a and _STOREY_LETTER.sub("", a), b and _STOREY_LETTER.sub("", b))
    if relation is not None and relation.kind == "missing":
        relation = _implied_floor(relation, left, right)
    return relation and relation._replace(left=a, right=b)


def _is_one_shop(left: Address, right: Address) -> bool:
    """L2层241号 and L241, 23层02室 and 2302: the floor is part of the room's number."""
    same_room = numbers.read(left.room or "").parts == numbers.read(right.room or "").parts
    return not same_room and _with_floor(left) == _with_floor(right)


def _with_floor(side: Address) -> str:
    floor = side.floor or ""
    room = "".join(numbers.read(side.room or "").parts)
    if len(room) <= _SHORT_ROOM and room.isdigit():
        return "".join(c for c in floor if c.isdigit()) + room.zfill(2)
    letter = floor[:1].upper()
    return letter + room if letter.isalpha() and letter.isascii() else room


def _implied_floor(relation: Relation, left: Address, right: Address) -> Relation:
    """A floor that the other side's room number implies is there, unwritten."""
    if left.room and right.room and _is_one_shop(left, right):
        return relation._replace(kind="equal")
    room = left.room if relation.left is None else right.room
    floor = relation.right if relation.left is None else relation.left
    implied = numbers.floor_of_room(room) if room else None
    if implied is None or floor is None:
        return relation
    kind = numbers.relate(implied, floor)
    return relation._replace(kind="equal" if kind == "equal" else "missing")


_GLUED_DIGITS = 4
_ROOM_DIGITS = 3
_STOREY_LETTER = re.compile(r"\A[LlFf](?=\d)")
"""L2 and F2 are the second floor."""
_SHORT_ROOM = 2
"""A room of one or two digits counts on its floor: 23层02室 is 2302."""
_NAMED_UNIT = re.compile(r"[栋幢座单元层楼室房户铺弄组队]")


def _align_numbers(found: dict[str, Relation], left: Address, right: Address) -> None:
    """Numbers without a telling unit may stand in another element: 12-901 and 12号楼901室.

    Where both sides' numbers are one sequence, or one begins the other, fields that only differ by
    the unit that was read into them do not contradict each other.
    """
    off = [e for e in NUMBERED if e in found and found[e].kind in {"conflict", "missing"}]
    if not off or not any(_is_untold(getattr(s, e)) for e in off for s in (left, right)):
        return
    if numbers.is_lane_apart(left.roadno or "", right.roadno or ""):
        return
    a, b = _number_sequence(left), _number_sequence(right)
    if not a or not b:
        return
    if a == b or (_is_bare(left, right) and "".join(a) == "".join(b)):
        for element in off:
            found[element] = found[element]._replace(kind="equal", similarity=1.0)
    elif a[: len(b)] == b or b[: len(a)] == a or _glued(left, right):
        for element in off:
            if found[element].kind == "conflict":
                kind = "contains" if element == "roadno" else "missing"
                found[element] = found[element]._replace(kind=kind, similarity=0.5)


def _is_untold(written: str | None) -> bool:
    return written is not None and not _NAMED_UNIT.search(written)


def _number_sequence(side: Address) -> tuple[str, ...]:
    values = (getattr(side, e) for e in NUMBERED)
    return tuple(p for v in values if v for p in numbers.read(v).parts)


def _is_bare(left: Address, right: Address) -> bool:
    """Say whether a side's number is four or more digits without any unit."""
    return any(
        value is not None and value.isdigit() and len(value) >= _GLUED_DIGITS
        for side in (left, right)
        for value in (side.roadno, side.room)
    )


def _glued(left: Address, right: Address) -> bool:
    """10304 is 10号304: a bare number of four or more digits that begins with the other."""
    for a, b in ((left.roadno, right.roadno), (left.room, right.room)):
        if a is None or b is None:
            continue
        short, long = sorted((a.rstrip("号"), b.rstrip("号")), key=len)
        bare = (a if long in a else b).isdigit() and len(long) >= _GLUED_DIGITS
        if bare and len(long) - len(short) >= _ROOM_DIGITS and long.startswith(short):
            return True
    return False


def _numbers_shared(left: Address, right: Address) -> float:
    a, b = _all_numbers(left), _all_numbers(right)
    if not a or not b:
        return 0.0
    return len(a & b) / min(len(a), len(b))


def _all_numbers(side: Address) -> set[str]:
    values = (side.group, side.roadno, side.building, side.unit, side.floor, side.room)
    return {p for v in values if v for p in numbers.read(v).parts}


# String evidence.


def evidence(left: Address, right: Address, weights: Rarity) -> tuple[float, float]:
    """Rarity of what two texts share below the divisions: (half-normalised sum, dice)."""
    a, b = rarity.bigrams(body(left)), rarity.bigrams(body(right))
    common, total_a, total_b = weights.total(a & b), weights.total(a), weights.total(b)
    if not common:
        return 0.0, 0.0
    return common / (total_a * total_b) ** 0.25, 2 * common / (total_a + total_b)


def body(side: Address) -> str:
    """Give the text below the divisions and without contacts, as the string evidence reads it."""
    names = (
        side.village,
        side.group,
        side.zone,
        side.road,
        side.roadno,
        side.poi,
        *(getattr(side, e) for e in INNER),
        side.landmark,
        side.rest,
    )
    return " ".join(n for n in names if n)

"""When are two road names one road: 体育西路 and 体西, 中山南路 and Zhongshan S. Rd."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from menpai.address import numbers, romanised
from menpai.address.relations import Relation
from menpai.text.pinyin import sounds_alike

if TYPE_CHECKING:
    from menpai.address.elements import Address

_ROAD_SUFFIX = re.compile(r"(?:大道|大街|公路|路|街|道|巷|胡同|弄)\Z")
_ROAD_PART = re.compile(r"(?:[东西南北中]?[一二三四五六七八九十]?段)\Z")
_NUMERALS = str.maketrans("0123456789", "零一二三四五六七八九")
"""红星路3段 is 红星路三段."""
_SIDES = frozenset("东西南北中")


@lru_cache(maxsize=65536)
def road_key(road: str) -> str:
    """Give a road's name without blanks and brackets, in upper case."""
    return re.sub(r"[\s()]", "", road).upper().translate(_NUMERALS)


def relate(left: Address, right: Address) -> Relation | None:
    """Relate the roads of two addresses; None when neither has one."""
    a, b = left.road, right.road
    if a is None and b is None:
        return None
    if a is None or b is None:
        written = _colloquial_road(left, right)
        return Relation("road", a, b, "alias" if written else "missing", 0.9 if written else 0.0)
    kind, similarity = relate_roads(a, b)
    if kind == "conflict" and _crossing(left, right):
        return Relation("road", a, b, "equal", 0.9)
    return Relation("road", a, b, kind, similarity)


def relate_roads(a: str, b: str) -> tuple[str, float]:
    """Relate two road names: the same, a part of the other, one typo apart, or another road."""
    if romanised.is_romanised(a) != romanised.is_romanised(b):
        same = romanised.road_sound(a).replace("dajie", "jie") == romanised.road_sound(b).replace(
            "dajie", "jie"
        )
        return ("alias", 0.95) if same else ("conflict", 0.0)
    a, b = road_key(a), road_key(b)
    if a == b:
        return "equal", 1.0
    whole_a, whole_b = _ROAD_PART.sub("", a), _ROAD_PART.sub("", b)
    if whole_a == whole_b:
        return ("conflict", 0.3) if a != whole_a and b != whole_b else ("contains", 0.8)
    stem_a, stem_b = _ROAD_SUFFIX.sub("", whole_a), _ROAD_SUFFIX.sub("", whole_b)
    if stem_a == stem_b:
        unsaid = stem_a in (whole_a, whole_b)
        return ("similar", 0.7) if unsaid else ("conflict", 0.4)
    if _without_side(stem_a) == _without_side(stem_b) and not (
        _SIDE.search(stem_a) and _SIDE.search(stem_b)
    ):
        return "contains", 0.5
    short, long = sorted((whole_a, whole_b), key=len)
    if len(short) > 2 and long.endswith(short):
        return "contains", 0.8
    if long.startswith(short):
        return "conflict", 0.5
    if is_typo(stem_a, stem_b):
        return "similar", 0.7
    return "conflict", 0.0


_SIDE = re.compile(r"(?<=.)[东西南北中]\Z")


def _without_side(stem: str) -> str:
    return _SIDE.sub("", stem)


def is_typo(a: str, b: str) -> bool:
    """One character more, or one that sounds alike; never another side, ordinal or a short name."""
    if len(a) == len(b) and len(a) >= 2:
        differing = [(x, y) for x, y in zip(a, b, strict=True) if x != y]
        if len(differing) != 1:
            return False
        x, y = differing[0]
        return not ({x, y} & ORDERED) and sounds_alike(x, y)
    short, long = sorted((a, b), key=len)
    if len(long) != len(short) + 1 or len(short) < 2:
        return False
    cut = next((i for i, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), len(short))
    return long[cut] not in ORDERED and short == long[:cut] + long[cut + 1 :]


ORDERED = frozenset("东西南北中上下前后内外新老大小一二三四五六七八九十百0123456789左右")


def _colloquial_road(left: Address, right: Address) -> bool:
    """体西103号 for 体育西路103号, 西外环5号 for 西外环路5号: a road without its ending."""
    with_road, other = (left, right) if left.road else (right, left)
    if not other.roadno or not other.poi or not with_road.road:
        return False
    if numbers.relate(other.roadno, with_road.roadno or "") != "equal":
        return False
    stem = _ROAD_SUFFIX.sub("", road_key(with_road.road))
    return stem == other.poi or other.poi.endswith(stem) or _abbreviates(other.poi, stem)


def _abbreviates(short: str, stem: str) -> bool:
    """体西 is 体育西: first character and side kept."""
    if len(short) != 2 or len(stem) < 3:
        return False
    return short[0] == stem[0] and short[1] == stem[-1] and short[1] in _SIDES


def _crossing(left: Address, right: Address) -> bool:
    """Say whether a side's road is named on the other side as the crossing or second road."""
    for a, b in ((left, right), (right, left)):
        other = f"{b.rest or ''} {b.landmark or ''}"
        if a.road and len(a.road) > 2 and a.road in other:
            return True
    return False

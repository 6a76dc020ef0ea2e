"""When are two written numbers one number: 12号 and 十二号, 195号之一 and 195-1号."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from menpai.text.numerals import to_arabic

Relation = Literal["equal", "contains", "conflict"]

_SUB = re.compile(r"(?<=\d)号?(?:院)?[附之](?:号)?")
_HAN_DIGITS = re.compile(r"[〇零一二三四五六七八九十百]+")
_ITEM = re.compile(r"[甲乙丙丁戊己特临]?(?:字)?\d+[A-Za-z]*|[A-Za-z]+\d*|[甲乙丙丁戊东西南北中]")
_LIST = re.compile(r"[、,和及]")
_LEADING_ZEROS = re.compile(r"(?<![\dA-Za-z])0+(?=\d)")
_UNIT_LETTERS = re.compile(r"(?<=\d)[Ff](?![A-Za-z\d])")
_LETTER_DASH = re.compile(r"(?<=[A-Z])-+(?=\d{1,2}[栋幢座])")
"""A-1栋 is A1栋; A-101 is building A and room 101."""
_LANE = re.compile("[弄巷]")
_MAX_RANGE = 400
_MAX_ITEMS = 2


class Number(NamedTuple):
    """A number's parts from coarse to fine (777弄24号 is 777, 24), or the numbers of a list."""

    parts: tuple[str, ...]
    listed: tuple[tuple[str, ...], ...]
    first: int
    last: int


@lru_cache(maxsize=65536)
def read(written: str) -> Number:
    """Read a written number of any form into comparable parts."""
    text = _LEADING_ZEROS.sub("", written.upper().replace("字", "").replace(".", ""))
    text = _HAN_DIGITS.sub(lambda m: str(n) if (n := to_arabic(m[0])) is not None else m[0], text)
    text = _SUB.sub("-", text)
    text = _LETTER_DASH.sub("", _UNIT_LETTERS.sub("", text))
    listed = tuple(tuple(_ITEM.findall(item)) for item in _LIST.split(text))
    listed = tuple(item for item in listed if item)
    parts = listed[0] if listed else ()
    first, last = _range(parts, text)
    return Number(parts, listed, first, last)


def _range(parts: tuple[str, ...], text: str) -> tuple[int, int]:
    """56-58 is a range, 12-1 is a part of 12."""
    if len(parts) == _MAX_ITEMS and "-" in text and all(p.isdigit() for p in parts):
        first, last = int(parts[0]), int(parts[1])
        if first < last <= first + _MAX_RANGE:
            return first, last
    return 0, -1


def relate(left: str, right: str) -> Relation:
    """Compare two written numbers.

    Returns:
        "equal" for two forms of one number, "contains" where one is a part, an end or a member of
        the other (12号 and 12-1号, 57号 and 56-58号, 777弄 and 777弄24号), else "conflict".
    """
    if is_lane_apart(left, right):
        return "conflict"
    a, b = read(left), read(right)
    if a.listed == b.listed:
        return "equal"
    if not a.parts or not b.parts:
        return "contains"
    if any(_holds(x, y) or _holds(y, x) for x in a.listed for y in b.listed):
        return "contains"
    if _in_range(a, b) or _in_range(b, a):
        return "contains"
    return "conflict"


def is_several(written: str) -> bool:
    """Say whether a list or a range is written: 5、6栋, 117-118栋."""
    number = read(written)
    return len(number.listed) > 1 or number.first <= number.last


def holds(several: str, one: str) -> bool:
    """Say whether a number is one of a list, or lies in a range."""
    number, own = read(several), read(one)
    return own.parts in number.listed or _in_range(number, own)


def is_lane_apart(left: str, right: str) -> bool:
    """Say whether one is a lane and the other a house number: 12弄 is another place than 12号."""
    pairs = ((left, right), (right, left))
    return any(
        a.endswith(("弄", "巷")) and b.endswith("号") and not _LANE.search(b) for a, b in pairs
    )


def _holds(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return part[: len(whole)] == whole


def _in_range(span: Number, other: Number) -> bool:
    if span.first > span.last or not other.parts:
        return False
    digits = re.sub(r"\D", "", other.parts[0])
    first = int(digits) if digits else -1
    last = other.last if other.first <= other.last else first
    return span.first <= first and last <= span.last


def floor_of_room(room: str) -> str | None:
    """Give the floor that a room number implies: 1203 is on floor 12, 302 on floor 3."""
    match = re.fullmatch(r"[A-Z]?(\d{1,2})\d{2}[A-Z]?", "".join(read(room).parts))
    return match[1] if match else None

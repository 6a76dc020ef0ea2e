"""Addresses in Latin letters: Room 302, No. 88 Jianguo Road; Zhongshan S. Rd. 158."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from menpai.address.details import Piece
from menpai.text.pinyin import readings, romanised

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from menpai.address.divisions import Divisions

_HAN = re.compile(r"[一-鿿]")
_WORD = re.compile(r"[A-Za-z]{2,}")
_FEW_WORDS = 2
_PART = re.compile(r"[^,\s][^,]{2,}")
_HAN_NAME = re.compile(r"[一-鿿]{2,}")
_ENDING = {
    "road": "lu", "rd": "lu", "lu": "lu",
    "street": "jie", "st": "jie", "jie": "jie", "str": "jie",
    "avenue": "dadao", "ave": "dadao", "av": "dadao", "dadao": "dadao",
    "boulevard": "dadao", "blvd": "dadao",
    "lane": "xiang", "alley": "xiang", "xiang": "xiang", "hutong": "hutong",
    "highway": "gonglu", "hwy": "gonglu",
}  # fmt: skip
_SIDE = {
    "north": "bei", "n": "bei", "bei": "bei",
    "south": "nan", "s": "nan", "nan": "nan",
    "east": "dong", "e": "dong", "dong": "dong",
    "west": "xi", "w": "xi", "xi": "xi",
    "middle": "zhong", "mid": "zhong", "central": "zhong", "m": "zhong", "zhong": "zhong",
}  # fmt: skip
_ROAD = re.compile(
    r"(?<![A-Za-z])((?:(?:North|South|East|West|Middle|Central|[NSEWM])\.?\s*)?"
    r"[A-Z][A-Za-z']*(?:\s+(?!Road|Rd|Street|St\b|Avenue|Ave|Lane|Alley)[A-Z][A-Za-z']*\.?){0,3}\s*"
    r"(?:Road|Rd|Street|Str|St|Avenue|Ave|Boulevard|Blvd|Lane(?! ?\d)|Alley|Hutong|Highway|Hwy|"
    r"Dadao|Lu|Jie|Xiang)(?![A-Za-z])\.?"
    r"(?:\s*\(?(?:North|South|East|West|Middle|Central|[NSEWM])(?![A-Za-z])\.?\)?)?)"
)
_NUMBER = r"(?:No\.?|NO\.?|Number|#)\s*(\d+[A-Za-z]?(?:-\d+)?)"
_CODE = r"([A-Z]?\d+[A-Z]?|[A-Z](?![A-Za-z]))"
_PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (element, re.compile(rf"(?i)(?<![A-Za-z0-9]){pattern}"))
    for element, pattern in (
        ("room", r"(?:room|rm|apartment|apt|suite|flat)\.?\s*(?:no\.?\s*)?([A-Z]?\d+[A-Z]?)"),
        ("unit", rf"unit\.?\s*{_CODE}"),
        ("floor", r"(\d+)\s*(?:st|nd|rd|th)?\s*[-/]?\s*(?:floor|fl|f)(?![A-Za-z])"),
        ("floor", r"floor\s*([B]?\d+)"),
        ("building", rf"(?:building|bldg|tower|block)\.?\s*(?:no\.?\s*)?{_CODE}"),
        ("postcode", r"(\d{6})(?!\d)"),
    )
)
_LANE = re.compile(r"(?i)lane\s+(\d+)")
_SUFFIX_WORD = r"district|city|province|county|new area|qu|shi|sheng|xian"
_DIVISION = re.compile(
    rf"(?i)(?<![A-Za-z'])([A-Z][A-Za-z']+(?:\s+(?!{_SUFFIX_WORD})[A-Z][A-Za-z']+)?)"
    rf"\s*-?\s*({_SUFFIX_WORD})?(?![A-Za-z])(?=\s*(?:,|$|\d|[A-Z]))"
)
_PINYIN_DIVISION = re.compile(r"(?i)([A-Z][A-Za-z']+)\s?(sheng|shi|qu|xian)(?![A-Za-z])")
_BEFORE_ROAD = re.compile(r"(?<![A-Za-z\d])(\d+[A-Za-z]?(?:-\d+)?)\s*,?\s*\Z")
_AFTER_ROAD = re.compile(r"\s*,?\s*(\d+[A-Za-z]?(?:-\d+)?)(?![A-Za-z\d])")


def is_romanised(text: str) -> bool:
    """Say whether a normalised text is written in Latin letters with hardly any Chinese."""
    words = _WORD.findall(text)
    n_han = len(_HAN.findall(text))
    return bool(words) and (
        n_han == 0 or (len(words) > _FEW_WORDS and 3 * n_han < sum(map(len, words)))
    )


def read(text: str) -> dict[str, Piece]:
    """Read road, number, lane and inner elements of a romanised text."""
    found: dict[str, Piece] = {}
    text = _PINYIN_DIVISION.sub(lambda m: " " * len(m[0]), text)
    if text.islower():
        text = text.title()
    for element, pattern in _PATTERNS:
        match = pattern.search(text)
        if match is not None and element not in found:
            found[element] = Piece(match[1], *match.span(1))
    road = _ROAD.search(text)
    if road is not None:
        found["road"] = Piece(road[1].strip(), *road.span(1))
    number = _number(text, road)
    if number is not None:
        found["roadno"] = number
    return found


def han_names(text: str) -> list[tuple[int, int]]:
    """Spans of Chinese names inside a romanised text: No. 604 采薇大道, Nanming District."""
    return [m.span() for m in _HAN_NAME.finditer(text)]


def left_over(text: str, read: Iterable[Piece]) -> list[Piece]:
    """Parts between commas that nothing was read from, such as a building's name."""
    parts = [Piece(m[0], *m.span()) for m in _PART.finditer(text)]
    return [p for p in parts if not any(p.start < r.end and r.start < p.end for r in read)]


def _number(text: str, road: re.Match[str] | None) -> Piece | None:
    lane, explicit = _LANE.search(text), re.search(_NUMBER, text)
    if lane is not None:
        tail = f"{explicit[1]}号" if explicit else ""
        return Piece(f"{lane[1]}弄{tail}", *lane.span(1))
    match = explicit
    if match is None and road is not None:
        match = _AFTER_ROAD.match(text, road.end()) or _BEFORE_ROAD.search(text[: road.start()])
    return Piece(f"{match[1]}号", *match.span(1)) if match else None


def road_sound(road: str) -> str:
    """Give the toneless sound of a road's name, the same for 中山南路 and Zhongshan S. Rd."""
    if _HAN.search(road):
        return romanised(road)
    words = re.findall(r"[A-Za-z']+", road.replace("'", ""))
    lowered = [w.lower() for w in words]
    ending = next((_ENDING[w] for w in reversed(lowered) if w in _ENDING), "")
    sides = [_SIDE[w] for w in lowered if w in _SIDE]
    stem = "".join(w for w in lowered if w not in _ENDING and w not in _SIDE)
    return stem + "".join(sides) + ending


_DIVISION_ENDING = {
    "district": "区", "new area": "区", "qu": "区",
    "city": "市", "shi": "市",
    "province": "省", "sheng": "省",
    "county": "县", "xian": "县",
}  # fmt: skip


@lru_cache(maxsize=2)
def _names_by_sound(table: Divisions) -> Mapping[str, tuple[str, ...]]:
    index: dict[str, tuple[str, ...]] = {}
    for name in table.official_names:
        stem = re.sub(r"(?:特别行政区|自治[区州县]|新区|[省市区县旗])\Z", "", name)
        for key in _sounds(stem):
            index[key] = (*index.get(key, ()), name)
    return index


def _sounds(stem: str) -> set[str]:
    """Every way to say a name: 朝阳 is chaoyang or zhaoyang."""
    keys = {""}
    for char in stem:
        keys = {key + sound for key in keys for sound in readings(char)}
    return keys


def divisions_named(text: str, table: Divisions) -> list[tuple[int, int, tuple[str, ...]]]:
    """Find division names by their sound: (start, end, possible official names)."""
    index = _names_by_sound(table)
    found = []
    for match in (*_PINYIN_DIVISION.finditer(text), *_DIVISION.finditer(text)):
        names = index.get(re.sub(r"[\s']", "", match[1]).lower(), ())
        wanted = _DIVISION_ENDING.get((match[2] or "").lower())
        fitting = tuple(n for n in names if wanted is None or n.endswith(wanted))
        if fitting:
            found.append((*match.span(), fitting))
    return found

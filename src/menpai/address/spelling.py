"""Misspelt divisions and towns: read as another one only with evidence.

A name counts as misspelt when it carries a division's ending, differs from exactly one known name
by one character, and that character sounds or looks like the right one (杭洲市, 汩罗市, 五长街道).
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

from menpai.text.pinyin import readings as sounds

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from menpai.address.divisions import Divisions

_WRITTEN = re.compile(r"[一-鿿]{2,4}?[省市区县旗曲]")
_ENDINGS = {"曲": "区"}
_MIN_STEM = 2


@lru_cache(maxsize=1)
def _lookalikes() -> Mapping[str, str]:
    """Character to the characters that look like it (see data/SOURCES.md)."""
    path = resources.files("menpai.address.data").joinpath("lookalikes.txt")
    rows = path.read_text(encoding="utf-8").split()
    return {row[0]: row[1:] for row in rows}


def is_slip(written: str, meant: str) -> bool:
    """Say whether one character is a plausible slip for another."""
    if written in _lookalikes().get(meant, "") or meant in _lookalikes().get(written, ""):
        return True
    return bool(sounds(written) & sounds(meant))


def _one_slip(written: str, meant: str) -> bool:
    places = [i for i, (a, b) in enumerate(zip(written, meant, strict=True)) if a != b]
    return len(places) == 1 and is_slip(written[places[0]], meant[places[0]])


def correct_division(
    text: str, at: int, table: Divisions, within: str | None
) -> tuple[str, int] | None:
    """Read a misspelt province, city or district at a place of the text.

    Args:
        text: A normalised text.
        at: Where a division may begin.
        table: The divisions.
        within: The code of what was said so far; only its divisions are thought of then.

    Returns:
        The right name and where the written one ends, or None.
    """
    match = _WRITTEN.match(text, at)
    if match is None:
        return None
    written = match[0][:-1] + _ENDINGS.get(match[0][-1], match[0][-1])
    if written in table.official_names and written != match[0]:
        return written, match.end()
    found = {n for n in _neighbours(written, table) if _fits(n, table, within)}
    found = {n for n in found if _one_slip(written, n)}
    return (found.pop(), match.end()) if len(found) == 1 else None


def _neighbours(written: str, table: Divisions) -> Iterable[str]:
    """Official names that differ from the written one in one character of the stem."""
    index = _wildcards(table)
    for i in range(len(written) - 1):
        yield from index.get(written[:i] + "?" + written[i + 1 :], ())


def _fits(name: str, table: Divisions, within: str | None) -> bool:
    if within is None:
        return True
    return any(within in _above(table, r.code) for r in table.readings(name))


def _above(table: Divisions, code: str) -> set[str]:
    chain = {code}
    parent = table.get(code).parent
    while parent:
        chain.add(parent)
        parent = table.get(parent).parent
    return chain


@lru_cache(maxsize=2)
def _wildcards(table: Divisions) -> dict[str, list[str]]:
    index: dict[str, list[str]] = {}
    for name in table.official_names:
        if len(name) - 1 >= _MIN_STEM:
            for i in range(len(name) - 1):
                index.setdefault(name[:i] + "?" + name[i + 1 :], []).append(name)
    return index


_TOWN_ENDING = re.compile(r"(街道办事处|街道办|街道|办事处|镇|乡)\Z")


def correct_town(written: str, towns: Mapping[str, str]) -> tuple[str, str] | None:
    """Read a misspelt town among those of its district.

    Returns:
        The official name and code of the only town that the written name can be a slip for.
    """
    stem = _TOWN_ENDING.sub("", written)
    found = []
    for name, code in towns.items():
        right = _TOWN_ENDING.sub("", name)
        if len(right) < _MIN_STEM:
            continue
        if _is_slip_of(stem, right):
            found.append((name, code))
    return found[0] if len(found) == 1 else None


def _is_slip_of(stem: str, right: str) -> bool:
    if len(stem) == len(right):
        return _one_slip(stem, right)
    return len(stem) == len(right) + 1 and stem.startswith(right) and stem[-1] in right

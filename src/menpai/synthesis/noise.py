"""Mistakes and habits of typing: homophones, look-alikes, dropped and doubled characters."""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import TYPE_CHECKING

from menpai.synthesis import vocabulary
from menpai.text.pinyin import readings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from menpai.synthesis.pieces import Piece

_TYPED = frozenset({"town", "village", "road", "poi", "district", "landmark", "zone"})
_SIDES = frozenset("东西南北中上下前后左右内外大小新老一二三四五六七八九十")
"""Characters whose change makes another name, so no typo of this one."""
_FULL_WIDTH = {ord(c): ord(c) + 0xFEE0 for c in "0123456789ABCDEF()#-"}
_BRACKETS = str.maketrans("()", "（）")
_MIN_SEEN = 60
"""Names from which a character counts as one that people type."""


def misspell(pieces: list[Piece], rng: Random) -> list[Piece]:
    """Put one typing mistake into a name; what it stands for is kept."""
    places = [
        i
        for i, piece in enumerate(pieces)
        if piece.element in _TYPED and len(piece.text) > 2 and piece.part not in {"join", "branch"}
    ]
    if not places:
        return pieces
    at = rng.choice(places)
    piece = pieces[at]
    text = _mistyped(piece.text, rng)
    if text == piece.text:
        return pieces
    value = piece.value if piece.value is not None else piece.text
    return [*pieces[:at], piece._replace(text=text, value=value), *pieces[at + 1 :]]


def _mistyped(text: str, rng: Random) -> str:
    at = rng.randrange(len(text) - 1)  # the last character says what it is: 路, 镇
    char = text[at]
    if char in _SIDES or not "一" <= char <= "龥":
        return text
    draw = rng.random()
    if draw < 0.6:
        others = homophones().get(char)
    elif draw < 0.75:
        others = lookalikes().get(char)
    elif draw < 0.88:
        return text[:at] + text[at + 1 :] if len(text) > 3 else text
    else:
        return text[: at + 1] + text[at:]
    return text[:at] + rng.choice(others) + text[at + 1 :] if others else text


def widen(text: str, rng: Random) -> str:
    """Write brackets, or all digits too, in full width."""
    return text.translate(_FULL_WIDTH if rng.random() < 0.3 else _BRACKETS)


def widen_all(text: str) -> str:
    """Write digits, letters and signs in full width, as some input methods do."""
    return text.translate(_FULL_WIDTH)


@lru_cache(maxsize=1)
def homophones() -> Mapping[str, Sequence[str]]:
    """Characters of names by those that sound like them; only such as people often type."""
    counts: dict[str, int] = defaultdict(int)
    words = vocabulary.load()
    for name in (*words.compounds, *(name for name, _ in words.buildings), *words.road_cities):
        for char in name:
            counts[char] += 1
    usual = sorted(c for c, n in counts.items() if n >= _MIN_SEEN and "一" <= c <= "龥")
    by_sound: dict[str, list[str]] = defaultdict(list)
    for char in usual:
        for sound in sorted(readings(char)):
            by_sound[sound].append(char)
    found: dict[str, list[str]] = defaultdict(list)
    for chars in by_sound.values():
        for char in chars:
            found[char] += [c for c in chars if c != char and c not in _SIDES]
    return found


@lru_cache(maxsize=1)
def lookalikes() -> Mapping[str, Sequence[str]]:
    """Characters by those that look like them."""
    groups = vocabulary.load().words["lookalikes"]
    found: dict[str, list[str]] = defaultdict(list)
    for group in groups:
        for char in group:
            found[char] += [c for c in group if c != char]
    return found

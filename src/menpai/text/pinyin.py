"""How Chinese characters sound."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=8192)
def readings(char: str) -> frozenset[str]:
    """Give the toneless readings of one character, ü written as v; none for what has none."""
    from pypinyin import Style, pinyin

    found = pinyin(char, style=Style.NORMAL, heteronym=True, errors="ignore")
    return frozenset(found[0]) if found else frozenset()


def sounds_alike(a: str, b: str) -> bool:
    """Say whether two texts share a sign or a reading at each place, and are of one length."""
    return len(a) == len(b) and all(
        x == y or not readings(x).isdisjoint(readings(y)) for x, y in zip(a, b, strict=True)
    )


def romanised(text: str) -> str:
    """Spell a text in pinyin without tones or blanks: 中山 is zhongshan; what has none stays."""
    from pypinyin import lazy_pinyin

    return "".join(lazy_pinyin(text, v_to_u=False))

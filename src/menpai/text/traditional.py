"""Traditional characters to simplified ones, without touching text that is simplified already."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from menpai.text.offsets import Aligned, substitute

if TYPE_CHECKING:
    from collections.abc import Mapping

# GB 2312 holds simplified characters only, but for a few that are both: 乾 and 於 stand in names of
# today (乾县, 於潜镇), so they stay but where 於 is a word. 後 stands in none.
_TRADITIONAL_IN_GB2312 = frozenset("後")
_WORD_YU = re.compile("於(?<=[位处處座坐]於)|於(?<=[坐座]落於)|於(?<=至於)(?!潜)|於(?=此)")
# Not in GB 2312, yet in official names of towns: 濛江乡, 垌塚镇, 南磑镇, 氾水镇, 洩湖镇.
_OFFICIAL = frozenset("濛塚磑氾洩")
# Variants that OpenCC leaves as they are.
_VARIANTS = {"舗": "铺", "衞": "卫", "崐": "昆", "郷": "乡", "湧": "涌", "関": "关"}


def simplify(aligned: Aligned) -> Aligned:
    """Write traditional characters as simplified ones, by phrases where a phrase decides."""
    if "於" in aligned.text:
        aligned = substitute(aligned, _WORD_YU, "于")
    text = aligned.text
    if _is_gb2312(text) and _TRADITIONAL_IN_GB2312.isdisjoint(text):
        return aligned
    written = _convert(text)
    for variant, character in _VARIANTS.items():
        written = written.replace(variant, character)
    return aligned if written == text else Aligned(written, aligned.starts, aligned.ends)


def _convert(text: str) -> str:
    converted = _converter().convert(text)
    if converted == text:
        return text
    single = _convertible()
    if len(converted) != len(text):
        # A phrase of another length would break the offsets: go by single characters.
        return "".join([single.get(character, character) for character in text])
    return "".join(
        [new if old in single else old for old, new in zip(text, converted, strict=True)]
    )


def _is_gb2312(text: str) -> bool:
    try:
        text.encode("gb2312")
    except UnicodeEncodeError:
        return False
    return True


@lru_cache(maxsize=1)
def _converter() -> Any:  # opencc's own annotations are incomplete
    import opencc

    return opencc.OpenCC("t2s")


@lru_cache(maxsize=1)
def _convertible() -> Mapping[str, str]:
    """Characters that are only traditional, and what each becomes on its own."""
    characters = [chr(code) for code in range(ord("一"), ord("鿿") + 1)]
    converted = _converter().convert("\n".join(characters)).split("\n")
    return {
        old: new
        for old, new in zip(characters, converted, strict=True)
        # Simplified forms beyond U+9FFF are in few fonts: people write the traditional ones.
        if old != new and "一" <= new <= "鿿" and _is_only_traditional(old)
    }


def _is_only_traditional(character: str) -> bool:
    if character in _TRADITIONAL_IN_GB2312:
        return True
    return character not in _OFFICIAL and not _is_gb2312(character)

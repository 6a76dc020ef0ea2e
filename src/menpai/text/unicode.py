"""One code point for each sign: width, brackets, stops, dashes; none for what cannot be seen."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from menpai.text.offsets import Aligned, substitute

# Unicode gives only two of these a compatibility mapping; PDF copies are full of the others.
_RADICALS = dict(
    zip(
        "⺁⺊⺒⺓⺛⺝⺞⺠⺩⺪⺬⺻⺼⺽⻁⻄⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻡⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲",
        "厂卜巳幺旡月歺民王疋示聿月臼虎西见角贝车长长门青韦页风飞食首马骨鬼鱼鸟卤麦黄黾齐齐齿齿龙龙龟龟",
        strict=True,
    )
)
_KINDS = {
    "(": "〔⟨⦅{",
    ")": "〕⟩⦆}",
    # What is left of < and > after the markup: a tag that another one leaves behind is none.
    "[": "【「『《〈〖〘〚⟦<",
    "]": "】」』》〉〗〙〛⟧>",
    ",": ";!?。…‥⋯",
    ":": "∶︓",
    "·": "•・‧∙⋅",
    "-": "‐‑‒–—―−─━﹘⁃⸺⸻➖",
    "~": "〜∼∽˜〰",
    "〇": "○◯⭕",
    "": "\"'`´“”„‟‘’‚‛′″‵‶〝〞〟＂＇",
}
_FIXED = {c: kind for kind, variants in _KINDS.items() for c in variants} | _RADICALS

# Marks that join the character before them, and those that mean nothing on their own.
_COMPOSING = "\u0300-\u036f\u3099\u309a\uff9e\uff9f"
_STRAY_MARKS = re.compile(
    "[\u0300-\u036f\u034f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a"
    "\ufe00-\ufe0f\ufe20-\ufe2f\U000e0100-\U000e01ef\u115f\u1160]"
)
_UNUSUAL = re.compile(r"[^0-9A-Za-z一-鿿〇 #()\[\],:、·/.&+_~@*%=|\\^$-]")
_MARK = re.compile(f"[{_COMPOSING}]")
# At most eight marks a character: text that stacks thousands would cost quadratic time.
_UNUSUAL_OR_MARKED = re.compile(rf"(?s:.)[{_COMPOSING}]{{1,8}}|{_UNUSUAL.pattern}")

# So many kinds of characters are swapped one kind after the other, which is faster than one match
# after the other.
_MAX_SWAPS = 16


def unify_characters(aligned: Aligned) -> Aligned:
    """Write every character in its one plain form; drop what cannot be seen."""
    text = aligned.text
    unusual = set(_UNUSUAL.findall(text))
    if not unusual:
        return aligned
    if _MARK.search(text):
        return substitute(aligned, _UNUSUAL_OR_MARKED, _plain_match)
    plain = {character: _plain(character) for character in unusual}
    if len(plain) > _MAX_SWAPS or any(len(form) != 1 for form in plain.values()):
        return substitute(aligned, _UNUSUAL, _plain_match)
    for character, form in plain.items():
        text = text.replace(character, form)
    return aligned if text == aligned.text else Aligned(text, aligned.starts, aligned.ends)


def _plain_match(match: re.Match[str]) -> str:
    return _plain(match[0])


@lru_cache(maxsize=8192)
def _plain(written: str) -> str:
    if written in _FIXED:
        return _FIXED[written]
    return "".join(map(_plain_character, unicodedata.normalize("NFKC", written)))


def _plain_character(character: str) -> str:
    if character in _FIXED:
        return _FIXED[character]
    category = unicodedata.category(character)
    if character.isspace():
        return " "
    if category in ("Cc", "Cf", "Cs") or _STRAY_MARKS.match(character):
        return ""
    if category == "Nd":  # Arabic-Indic, Tibetan … digits
        return str(unicodedata.decimal(character))
    # Pictures and ornaments stand between words, so they separate.
    return " " if category in ("So", "Sk") and not character.isascii() else character

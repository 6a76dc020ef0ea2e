"""Chinese numerals and numbers."""

from __future__ import annotations

import re
from functools import lru_cache

from menpai.errors import InputError

NUMERALS = "〇零一二三四五六七八九十百千廿卅卌壹贰叁肆伍陆柒捌玖拾佰仟"
"""What a numeral is written with; 两 and 幺 are left out, they are words more often."""

IDEOGRAPH = r"[^\W0-9A-Za-z_]"
"""Matches any letter beyond ASCII, which compiles far faster than the range of the ideographs."""

_PLAIN = str.maketrans(
    {
        **dict(
            zip(
                "〇○壹贰貳叁叄肆伍陆陸柒捌玖拾佰仟两兩幺",
                "零零一二二三三四五六六七八九十百千二二一",
                strict=True,
            )
        ),
        "廿": "二十",
        "卅": "三十",
        "卌": "四十",
    }
)
_DIGITS = "零一二三四五六七八九"
_TO_ASCII = str.maketrans(_DIGITS, "0123456789")
_VALUE = re.compile(
    r"(?:([一二三四五六七八九])千)?(?:零(?=.))?(?:([一二三四五六七八九])百)?(?:零(?=.))?"
    r"(?:([一二三四五六七八九])?(十))?(?:零(?=.))?([一二三四五六七八九])?"
)
_LIMIT = 10_000


def to_arabic(chinese: str) -> int | None:
    """Read a numeral below ten thousand: 一百零八 is 108, 二〇三 203, 壹伍玖 159, 廿三 23.

    Returns:
        The number, or None for text that is no such numeral.
    """
    digits = to_digits(chinese)
    return None if digits is None else int(digits)


@lru_cache(maxsize=4096)
def to_digits(chinese: str) -> str | None:
    """Read a numeral as it would be written in digits, leading zeros included (〇三 is 03)."""
    plain = chinese.translate(_PLAIN)
    if plain and not plain.strip(_DIGITS):
        return plain.translate(_TO_ASCII)
    match = _VALUE.fullmatch(plain)
    if match is None or not plain:
        return None
    thousands, hundreds, tens, ten, ones = match.groups()
    value = _digit(thousands) * 1000 + _digit(hundreds) * 100 + _digit(ones)
    if ten:
        value += (_digit(tens) or 1) * 10
    return str(value)


def _digit(character: str | None) -> int:
    return _DIGITS.index(character) if character else 0


@lru_cache(maxsize=4096)
def to_chinese(n: int) -> str:
    """Write a number in Chinese: 47 is 四十七, 10 十, 108 一百零八.

    Raises:
        InputError: The number is negative or ten thousand and more.
    """
    if not 0 <= n < _LIMIT:
        raise InputError(f"numerals from 0 to {_LIMIT - 1} are written, {n} is outside", field="n")
    if n < 10:
        return _DIGITS[n]
    written = ""
    for place, unit in zip(f"{n:04}", "千百十 ", strict=True):
        written += _DIGITS[int(place)] + unit if place != "0" else "零"
    written = re.sub("零+", "零", written).strip("零 ")
    return written.removeprefix("一") if written.startswith("一十") else written

"""Chinese numerals: there and back."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.errors import InputError
from menpai.text.numerals import NUMERALS, to_arabic, to_chinese, to_digits


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("一百零八", 108),
        ("二〇三", 203),
        ("二○三", 203),
        ("壹伍玖", 159),
        ("四十七", 47),
        ("廿三", 23),
        ("廿", 20),
        ("卅六", 36),
        ("十", 10),
        ("十二", 12),
        ("一十二", 12),
        ("一百一十", 110),
        ("一百十", 110),
        ("一千零一十", 1010),
        ("两千三百", 2300),
        ("贰拾", 20),
        ("〇", 0),
        ("八一三", 813),
    ],
)
def test_to_arabic(written: str, number: int) -> None:
    """Values, digits read out, formal and old forms."""
    assert to_arabic(written) == number


@pytest.mark.parametrize(
    "written", ["", "百", "千", "一百零", "八一十", "十十", "三里", "12", "万"]
)
def test_what_is_no_numeral(written: str) -> None:
    """A unit without its number, a broken order, other text."""
    assert to_arabic(written) is None


def test_digits_keep_leading_zeros() -> None:
    """Room 〇三 is 03."""
    assert to_digits("〇三") == "03"
    assert to_arabic("〇三") == 3


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, "零"),
        (9, "九"),
        (10, "十"),
        (19, "十九"),
        (47, "四十七"),
        (100, "一百"),
        (108, "一百零八"),
        (110, "一百一十"),
        (1008, "一千零八"),
        (2020, "二千零二十"),
    ],
)
def test_to_chinese(number: int, written: str) -> None:
    """Zeros are named once inside and never at the end; ten has no 一 before it."""
    assert to_chinese(number) == written


@pytest.mark.parametrize("number", [-1, 10_000])
def test_to_chinese_refuses_what_it_cannot_write(number: int) -> None:
    """Outside its range it says so."""
    with pytest.raises(InputError, match="outside"):
        to_chinese(number)


@given(st.integers(0, 9999))
def test_there_and_back(number: int) -> None:
    """Reading what was written gives the number."""
    assert to_arabic(to_chinese(number)) == number


@given(st.text(NUMERALS, max_size=8))
def test_any_run_is_read_or_refused(run: str) -> None:
    """No run of numerals raises, and a value is never negative."""
    number = to_arabic(run)
    assert number is None or number >= 0

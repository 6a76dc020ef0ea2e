"""Written numbers: one number in many forms, near misses that are not."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address import numbers

SAME = [
    ("12号", "12"),
    ("12号", "１２号".translate({0xFF11: "1", 0xFF12: "2"})),
    ("3栋", "3号楼"),
    ("3栋", "三栋"),
    ("C座", "c栋"),
    ("7-2-802", "7-2-802室"),
    ("195号之一", "195-1号"),
    ("11号附2号", "11附2"),
    ("08栋", "8栋"),
    ("5F", "5楼"),
    ("甲字5号", "甲5号"),
    ("777弄24号", "777弄24"),
    ("10号院", "10号"),
    ("临.22号", "临22号"),
]
PART = [
    ("12号", "12-1号"),
    ("57号", "56-58号"),
    ("57-58号", "56-60号"),
    ("777弄", "777弄24号"),
    ("971号", "965、971"),
    ("11号", "11号附2号"),
    ("门", "3号"),
]
OTHER = [
    ("3栋", "4栋"),
    ("302室", "402室"),
    ("88号", "188号"),
    ("55号", "56-58号"),
    ("甲10号", "10号"),
    ("A座", "B座"),
    ("12-1号", "12-2号"),
    ("777弄24号", "777弄26号"),
    ("101、102室", "103室"),
    ("甲号", "56-58号"),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_forms_of_one_number(left: str, right: str) -> None:
    """Two written forms of one number are equal."""
    assert numbers.relate(left, right) == "equal"


@pytest.mark.parametrize(("left", "right"), PART)
def test_part_of_a_number(left: str, right: str) -> None:
    """A number that is a part, an end or a member of the other is contained."""
    assert numbers.relate(left, right) == "contains" == numbers.relate(right, left)


@pytest.mark.parametrize(("left", "right"), OTHER)
def test_other_numbers(left: str, right: str) -> None:
    """Near misses are other numbers, in both directions."""
    assert numbers.relate(left, right) == "conflict" == numbers.relate(right, left)


@given(st.integers(1, 9999), st.integers(1, 9999))
def test_plain_numbers_are_equal_only_to_themselves(a: int, b: int) -> None:
    """No two plain numbers are one number."""
    assert (numbers.relate(f"{a}号", f"{b}号") == "equal") == (a == b)


@pytest.mark.parametrize(
    ("room", "floor"),
    [
        ("1203室", "12"),
        ("302", "3"),
        ("A1602", "16"),
        ("12", None),
        ("西户", None),
        ("12034", None),
    ],
)
def test_floor_of_a_room(room: str, floor: str | None) -> None:
    """A room number of three or four digits implies its floor."""
    assert numbers.floor_of_room(room) == floor

"""Addresses in Latin letters, and the sound that ties them to Chinese ones."""

from __future__ import annotations

import pytest

from menpai.address import divisions, romanised
from menpai.address.elements import ELEMENTS
from menpai.address.parse import parse

TEXTS = [
    (
        "room-number-road",
        "Room 302, No. 88 Lanquan Road, Hangzhou",
        {"city": "杭州市", "road": "Lanquan Road", "roadno": "88号", "room": "302"},
    ),
    ("number-before", "88 Lanquan Rd, Hangzhou", {"city": "杭州市", "road": "Lanquan Rd", "roadno": "88号"}),
    ("number-after", "Lanquan Rd 88, Hangzhou", {"city": "杭州市", "road": "Lanquan Rd", "roadno": "88号"}),
    ("no-number", "Lanquan Rd, Hangzhou", {"city": "杭州市", "road": "Lanquan Rd"}),
    (
        "lane",
        "Lane 777 No. 24 Lanquan Road, Hangzhou",
        {"city": "杭州市", "road": "Lanquan Road", "roadno": "777弄24号"},
    ),
    (
        "lane-only",
        "Lane 777 Lanquan Road, Hangzhou",
        {"city": "杭州市", "road": "Lanquan Road", "roadno": "777弄"},
    ),
    (
        "lower-case",
        "no. 88 lanquan road, hangzhou",
        {"city": "杭州市", "road": "Lanquan Road", "roadno": "88号"},
    ),
    (
        "inner",
        "Unit 3 Building B 5th Floor, Lanquan North Road, Hangzhou 310013",
        {
            "city": "杭州市",
            "road": "Lanquan North Road",
            "building": "B",
            "unit": "3",
            "floor": "5",
            "postcode": "310013",
        },
    ),
    ("floor-first", "Floor B1, 9 Lanquan Rd", {"road": "Lanquan Rd", "roadno": "9号", "floor": "B1"}),
    ("side-in-brackets", "9 Lanquan Rd (N), Hangzhou", {"city": "杭州市", "road": "Lanquan Rd (N)", "roadno": "9号"}),
    (
        "pinyin",
        "Hangzhou Shi Xihu Qu Wenrui Lu 18",
        {"city": "杭州市", "district": "西湖区", "road": "Wenrui Lu", "roadno": "18号"},
    ),
    (
        "chinese-road",
        "No. 604 岚泉大道, Xihu Qu, Hangzhou",
        {"city": "杭州市", "district": "西湖区", "road": "岚泉大道", "roadno": "604号"},
    ),
    (
        "chinese-place",
        "Room 302, 翡岚大厦, No. 88 Lanquan Road, Hangzhou",
        {"city": "杭州市", "road": "Lanquan Road", "roadno": "88号", "poi": "翡岚大厦", "room": "302"},
    ),
    ("words", "foo bar", {"rest": "foo bar"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "want"), [t[1:] for t in TEXTS], ids=[t[0] for t in TEXTS])
def test_elements_of_a_text(text: str, want: dict[str, str]) -> None:
    """Just these elements are read, the province above the city apart."""
    address = parse(text)
    elements = [e for e in (*ELEMENTS, "rest") if e != "province"]
    read = {e: value for e in elements if (value := getattr(address, e)) is not None}
    assert read == want
    assert "romanised" in address.flags


def test_nothing_read_is_no_address() -> None:
    """Latin words without road or division are left over and flagged."""
    assert "not_an_address" in parse("foo bar").flags
    assert "not_an_address" not in parse("Lanquan Road").flags


@pytest.mark.parametrize(
    ("text", "is_romanised"),
    [("88 Lanquan Road", True), ("文瑞路88号", False), ("A座 Lanquan", False), ("8 B", False)],
)
def test_romanised(text: str, is_romanised: bool) -> None:  # noqa: FBT001  a column
    """A Chinese character or the lack of any word makes a text Chinese."""
    assert romanised.is_romanised(text) is is_romanised


@pytest.mark.parametrize(
    ("chinese", "latin"),
    [
        ("岚泉路", "Lanquan Road"),
        ("岚泉南路", "Lanquan S. Rd."),
        ("岚泉南路", "Lanquan Rd (S)"),
        ("岚泉街", "lanquan st"),
        ("岚泉大道", "Lan'quan Avenue"),
    ],
)
def test_one_sound(chinese: str, latin: str) -> None:
    """A road sounds the same in both scripts, and otherwise than its other side."""
    assert romanised.road_sound(chinese) == romanised.road_sound(latin)
    assert romanised.road_sound(chinese) != romanised.road_sound("岚泉北路")


def test_a_name_without_an_ending_keeps_its_sound() -> None:
    """No ending is made up."""
    assert romanised.road_sound("Lanquan") == "lanquan"


@pytest.mark.parametrize(
    ("text", "want"),
    [
        ("Hangzhou", {"杭州市"}),
        ("Hangzhou City", {"杭州市"}),
        ("Zhejiang Province", {"浙江省"}),
        ("Zhejiang District", set()),
        ("Xihu Qu", {"西湖区", "溪湖区"}),
        ("Lanzetown", set()),
    ],
)
def test_divisions_by_sound(text: str, want: set[str]) -> None:
    """A division is found by its sound, and only with the ending that is its own."""
    found = romanised.divisions_named(text, divisions.load())
    assert {name for _, _, names in found for name in names} == want
    assert all(0 <= start < end <= len(text) for start, end, _ in found)

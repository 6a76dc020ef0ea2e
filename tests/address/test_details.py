"""What stands below the divisions: each kind of token, how numbers are shared out, near misses."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address.details import Details, Piece
from menpai.address.elements import ELEMENTS
from menpai.address.parse import parse

IN_TOWN = "杭州市西湖区三墩镇"


def details(text: str) -> dict[str, str]:
    """Elements below the town, and what was left over."""
    address = parse(text)
    elements = (*ELEMENTS[ELEMENTS.index("village") :], "rest")
    return {e: value for e in elements if (value := getattr(address, e)) is not None}


ROADS = [
    ("road-number", "文瑞路18号", {"road": "文瑞路", "roadno": "18号"}),
    ("bare-number", "文瑞路18", {"road": "文瑞路", "roadno": "18"}),
    ("dash-number", "文瑞路7-2", {"road": "文瑞路", "roadno": "7-2"}),
    ("sub-number", "文瑞路7号附2号", {"road": "文瑞路", "roadno": "7号附2号"}),
    ("list", "文瑞路5、6号", {"road": "文瑞路", "roadno": "5、6号"}),
    ("section", "文瑞路一段18号", {"road": "文瑞路一段", "roadno": "18号"}),
    ("ordinal", "文瑞路东一路18号", {"road": "文瑞路东一路", "roadno": "18号"}),
    ("named-after-a-place", "岚泽小区路18号", {"road": "岚泽小区路", "roadno": "18号"}),
    ("highway", "G320国道18号", {"road": "G320国道", "roadno": "18号"}),
    (
        "second-highway",
        "文瑞路18号G320国道",
        {"road": "文瑞路", "roadno": "18号", "poi": "G320国道"},
    ),
    ("lane", "文瑞路777弄24号", {"road": "文瑞路", "roadno": "777弄24号"}),
    ("yard", "文瑞路18号院3号", {"road": "文瑞路", "roadno": "18号院3号"}),
    (
        "two-lanes",
        "文瑞路777弄24弄",
        {"road": "文瑞路", "roadno": "777弄24弄"},
    ),
    (
        "yard-after-building",
        "文瑞路3栋18号院",
        {"road": "文瑞路", "building": "3栋18号院"},
    ),
    (
        "number-belongs-to-the-road-before-it",
        "文瑞路岚泉路18号",
        {"road": "岚泉路", "roadno": "18号", "rest": "文瑞路"},
    ),
    (
        "later-road",
        "文瑞路18号岚泉路",
        {"road": "文瑞路", "roadno": "18号", "rest": "岚泉路"},
    ),
    (
        "crossing",
        "文瑞路与岚泉路交叉口",
        {"road": "文瑞路", "landmark": "文瑞路与岚泉路交叉口", "rest": "岚泉路"},
    ),
    ("place-before-road", "翡岚大厦文瑞路18号", {"road": "文瑞路", "roadno": "18号", "poi": "翡岚大厦"}),
    ("bus-line", "翡岚苑123路", {"poi": "翡岚苑123路"}),
    ("digits-before-road", "翡岚苑,18胡同", {"poi": "翡岚苑", "rest": "18胡同"}),
]  # fmt: skip
VILLAGES = [
    ("committee", "小王村村委会", {"village": "小王村"}),
    ("villagers-committee", "小王村民委员会5组", {"village": "小王村", "group": "5组"}),
    ("residents-committee", "岚东居委会", {"village": "岚东社区"}),
    ("community-committee", "岚东社区居委会", {"village": "岚东社区"}),
    ("estate-in-village-clothes", "岚泽新村3栋", {"poi": "岚泽新村", "building": "3栋"}),
    (
        "natural-village",
        "岚泽村上岚村5号",
        {"village": "岚泽村", "room": "5号", "rest": "上岚村"},
    ),
    ("hamlet", "岚泽村上岚组", {"village": "岚泽村", "group": "上岚组"}),
    ("hamlet-without-village", "上岚屯5号", {"group": "上岚屯", "room": "5号"}),
    ("two-hamlets", "上岚屯5号下岚屯", {"group": "上岚屯", "room": "5号", "poi": "下岚屯"}),
    ("group-after-name", "上岚5组12号", {"village": "上岚", "group": "5组", "room": "12号"}),
    ("group-then-number", "岚泽村5组12", {"village": "岚泽村", "group": "5组", "room": "12"}),
    ("two-groups", "岚泽村5组6组", {"village": "岚泽村", "group": "5组", "rest": "6组"}),
    (
        "group-after-place",
        "翡岚大厦5组",
        {"group": "5组", "poi": "翡岚大厦"},
    ),
    ("village-after-road", "文瑞路岚泽村", {"road": "文瑞路", "poi": "岚泽村"}),
    ("long-name-is-no-village", "甲乙丙丁戊己庚辛壬癸村", {"poi": "甲乙丙丁戊己庚辛壬癸村"}),
    ("village-cut-from-place", "翡岚小区岚泽村5号", {"village": "岚泽村", "room": "5号", "poi": "翡岚小区"}),
]  # fmt: skip
INNER = [
    (
        "all",
        "文瑞路18号3栋2单元5层502室",
        {
            "road": "文瑞路",
            "roadno": "18号",
            "building": "3栋",
            "unit": "2单元",
            "floor": "5层",
            "room": "502室",
        },
    ),
    ("dashes-3", "翡岚苑7-2-802", {"poi": "翡岚苑", "building": "7", "unit": "2", "room": "802"}),
    ("dashes-room", "翡岚苑7-2-802室", {"poi": "翡岚苑", "building": "7", "unit": "2", "room": "802"}),
    ("dashes-2", "翡岚苑8-802", {"poi": "翡岚苑", "building": "8", "room": "802"}),
    (
        "dashes-4",
        "翡岚苑7-2-5-802",
        {"poi": "翡岚苑", "building": "7", "unit": "2", "floor": "5", "room": "802"},
    ),
    (
        "dashes-begin-with-the-road-number",
        "文瑞路12-3-401",
        {"road": "文瑞路", "roadno": "12", "building": "3", "room": "401"},
    ),
    (
        "part-of-a-room",
        "翡岚苑3栋302-1室",
        {"poi": "翡岚苑", "building": "3栋", "room": "302-1室"},
    ),
    ("dashes-5", "翡岚苑7-2-5-3-802", {"poi": "翡岚苑", "room": "7-2-5-3-802"}),
    (
        "dashes-after-building",
        "翡岚苑3栋2-802",
        {"poi": "翡岚苑", "building": "3栋", "floor": "2", "room": "802"},
    ),
    (
        "dashes-when-full",
        "翡岚苑3栋2单元5层7-2",
        {"poi": "翡岚苑", "building": "3栋", "unit": "2单元", "floor": "5层", "room": "7-2"},
    ),
    ("number-after-number", "文瑞路18号3号", {"road": "文瑞路", "roadno": "18号", "building": "3号"}),
    ("large-after-number", "文瑞路18号302号", {"road": "文瑞路", "roadno": "18号", "room": "302号"}),
    (
        "dashes-after-number",
        "文瑞路18号3-2号",
        {"road": "文瑞路", "roadno": "18号", "building": "3", "room": "2"},
    ),
    ("estate-number", "翡岚苑5号", {"poi": "翡岚苑", "building": "5号"}),
    ("estate-room", "翡岚苑302号", {"poi": "翡岚苑", "room": "302号"}),
    ("place-number", "岚泽工厂5号", {"poi": "岚泽工厂", "roadno": "5号"}),
    ("estate-with-road", "文瑞路翡岚苑5号", {"road": "文瑞路", "poi": "翡岚苑", "building": "5号"}),
    (
        "number-after-building",
        "文瑞路18号3号楼5号",
        {"road": "文瑞路", "roadno": "18号", "building": "3号楼", "room": "5号"},
    ),
    ("letter", "翡岚苑A座东单元", {"poi": "翡岚苑", "building": "A座", "unit": "东单元"}),
    ("side-room", "翡岚苑3栋东户", {"poi": "翡岚苑", "building": "3栋", "room": "东户"}),
    ("gate", "文瑞路18号西南门", {"road": "文瑞路", "roadno": "18号", "landmark": "西南门"}),
    ("gate-of-a-compound", "翡岚苑东门", {"poi": "翡岚苑东门"}),
    ("group-in-building", "翡岚苑3栋5组", {"poi": "翡岚苑", "building": "3栋", "unit": "5组"}),
    (
        "storey-as-building",
        "翡岚苑11楼3门501",
        {"poi": "翡岚苑", "building": "11楼", "unit": "3门", "room": "501"},
    ),
    ("storey-as-floor", "翡岚苑11楼501", {"poi": "翡岚苑", "floor": "11楼", "room": "501"}),
    ("basement", "翡岚苑B1", {"poi": "翡岚苑", "floor": "B1"}),
    ("tower", "翡岚广场T3 501", {"poi": "翡岚广场", "building": "T3", "room": "501"}),
    ("shop", "翡岚广场L2-241", {"poi": "翡岚广场", "floor": "L2", "room": "241"}),
    ("bare-room", "翡岚苑802", {"poi": "翡岚苑", "room": "802"}),
    ("bare-room-after-number", "文瑞路18号802", {"road": "文瑞路", "roadno": "18号", "room": "802"}),
    ("long-number", "文瑞路8号 123456789", {"road": "文瑞路", "roadno": "8号", "rest": "123456789"}),
    ("number-in-a-name", "翡岚苑802岚", {"poi": "翡岚苑802岚"}),
    ("number-in-a-later-name", "文瑞路18号802岚", {"road": "文瑞路", "roadno": "18号", "poi": "802岚"}),
    ("number-inside-a-name", "文瑞路18号岚802泽", {"road": "文瑞路", "roadno": "18号", "poi": "岚802泽"}),
    ("section-of-building", "翡岚苑3栋A座", {"poi": "翡岚苑", "building": "3栋A座"}),
    (
        "second-floor-is-a-room",
        "翡岚苑3层岚泽5层",
        {"poi": "翡岚苑", "floor": "3层", "room": "5层", "rest": "岚泽"},
    ),
    (
        "second-building-is-a-room",
        "翡岚苑3栋岚泽5号楼",
        {"poi": "翡岚苑", "building": "3栋", "room": "5号楼", "rest": "岚泽"},
    ),
    (
        "second-building-without-number-sign",
        "翡岚苑3栋岚泽5栋",
        {"poi": "翡岚苑", "building": "3栋", "rest": "岚泽 5栋"},
    ),
    (
        "second-room",
        "翡岚苑302室岚泽5室",
        {"poi": "翡岚苑", "room": "302室", "rest": "岚泽 5室"},
    ),
    (
        "second-building-beside-a-room",
        "翡岚苑3栋302室岚泽5号楼",
        {"poi": "翡岚苑", "building": "3栋", "room": "302室", "rest": "岚泽 5号楼"},
    ),
]  # fmt: skip
LANDMARKS = [
    ("opposite", "文瑞路18号翡岚苑对面", {"road": "文瑞路", "roadno": "18号", "landmark": "翡岚苑对面"}),
    ("beside-a-road", "文瑞路旁", {"landmark": "文瑞路旁"}),
    ("two-words", "翡岚苑对面附近", {"landmark": "翡岚苑对面附近"}),
    (
        "two-landmarks",
        "文瑞路18号对面岚山小学旁边",
        {"road": "文瑞路", "roadno": "18号", "landmark": "对面", "rest": "岚山小学旁边"},
    ),
    (
        "compound-before-landmark",
        "怡岚小区岚山小学对面",
        {"poi": "怡岚小区", "landmark": "岚山小学对面"},
    ),
    ("compound-is-the-landmark", "怡岚小区对面", {"landmark": "怡岚小区对面"}),
    (
        "road-and-place",
        "文瑞路与岚山小学交叉口",
        {"road": "文瑞路", "landmark": "文瑞路与岚山小学交叉口"},
    ),
    ("one-character-beside", "翡旁", {"poi": "翡旁"}),
    ("close-to", "文瑞路18号靠近岚山小学", {"road": "文瑞路", "roadno": "18号", "landmark": "靠近岚山小学"}),
    ("close-to-nothing", "文瑞路18号靠近,岚", {"road": "文瑞路", "roadno": "18号", "poi": "靠近", "rest": "岚"}),
    (
        "close-to-two",
        "文瑞路18号靠近岚山小学,临近泽安公园",
        {"road": "文瑞路", "roadno": "18号", "landmark": "靠近岚山小学", "rest": "临近泽安公园"},
    ),
]  # fmt: skip
REMARKS = [
    ("gate", "文瑞路18号翡岚苑(西门)", {"road": "文瑞路", "roadno": "18号", "poi": "翡岚苑", "rest": "(西门)"}),
    ("landmark", "文瑞路(岚山小学对面)18号", {"road": "文瑞路", "roadno": "18号", "landmark": "岚山小学对面"}),
    ("lane", "文瑞路(777弄)24号", {"road": "文瑞路", "roadno": "777弄24号"}),
    ("name", "文瑞路18号(翡岚苑)", {"road": "文瑞路", "roadno": "18号", "poi": "翡岚苑"}),
    ("second-name", "翡岚苑(文瑞二期)", {"poi": "翡岚苑", "rest": "(文瑞2期)"}),
    ("second-landmark", "翡岚苑对面(近岚山)", {"landmark": "翡岚苑对面", "poi": "近岚山"}),
    ("placeholder", "文瑞路18号(原)", {"road": "文瑞路", "roadno": "18号"}),
    ("empty", "文瑞路18号()", {"road": "文瑞路", "roadno": "18号"}),
    ("one-character", "文瑞路18号(岚)", {"road": "文瑞路", "roadno": "18号", "rest": "(岚)"}),
]  # fmt: skip
NAMES = [
    ("compound-over-tenant", "岚泽公司,翡岚苑3栋", {"poi": "翡岚苑", "building": "3栋", "rest": "岚泽公司"}),
    ("one-character", "文瑞路18号岚", {"road": "文瑞路", "roadno": "18号", "rest": "岚"}),
    ("trimmed", "位于文瑞路18号院内", {"road": "文瑞路", "roadno": "18号院"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "want"),
    [row[1:] for row in (*ROADS, *INNER, *LANDMARKS, *REMARKS, *NAMES)],
    ids=[row[0] for row in (*ROADS, *INNER, *LANDMARKS, *REMARKS, *NAMES)],
)
def test_elements_of_a_text(text: str, want: dict[str, str]) -> None:
    """Just these elements are read, and nothing else is made up."""
    assert details(text) == want


@pytest.mark.parametrize(("text", "want"), [r[1:] for r in VILLAGES], ids=[r[0] for r in VILLAGES])
def test_elements_in_a_town(text: str, want: dict[str, str]) -> None:
    """Where a town was named, villages and groups follow."""
    assert details(IN_TOWN + text) == want


@pytest.mark.parametrize("text", ["上岚屯", "上岚小组"])
def test_no_group_without_town_or_village(text: str) -> None:
    """A hamlet's ending alone makes no group."""
    assert "group" not in details(text)


def test_a_known_village_is_kept() -> None:
    """A village that the table knew is not read again from the text after it."""
    reader = Details("\n\n\n上岚村5号", in_town=True, village=Piece("岚泽村", 0, 3))
    reader.read(3, 8)
    assert reader.found["village"] == Piece("岚泽村", 0, 3)
    assert reader.extra == [Piece("上岚村", 3, 6)]


def test_no_name_no_place() -> None:
    """Numbers alone name no place."""
    reader = Details("18号3栋", in_town=False)
    reader.read(0, 5)
    assert reader.place() is None


FRAGMENTS = st.sampled_from(
    "文瑞路 岚泉街 18号 777弄 3栋 A座 2单元 5层 802室 802 7-2-802 翡岚苑 岚泽村 上岚屯 5组 对面 附近 靠近 岚 公司 G320国道 号 与 ( ) , - 一段 东户".split()
)


@given(st.lists(FRAGMENTS, max_size=10).map("".join))
def test_every_piece_is_written(text: str) -> None:
    """Pieces lie in the text and keep its characters in order, a village's ending apart."""
    reader = Details(text, in_town=True)
    reader.read(0, len(text))
    place = reader.place()
    for element, piece in reader.found.items():
        assert 0 <= piece.start < piece.end <= len(text)
        if element != "village":
            assert piece.value == text[piece.start : piece.end]
    for piece in (*reader.extra, *([place] if place else [])):
        assert piece.value == text[piece.start : piece.end]


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("文瑞路18号公馆3幢", {"roadno": "18号", "building": "3栋"}),
        ("文瑞路1515号国际商务中心", {"roadno": "1515号", "poi": "国际商务中心"}),
        ("岚泉村12委3组", {"village": "岚泉村", "group": "12委3组"}),
        ("翡岚苑3栋1201室-3", {"room": "1201室-3"}),
        ("文瑞路12-3-2-401", {"roadno": "12", "building": "3", "unit": "2", "room": "401"}),
        ("翡岚苑3栋9层903-2", {"floor": "9层", "room": "903-2"}),
        ("翡岚苑3栋 2023110900012345", {"room": None, "rest": "2023110900012345"}),
        ("翡岚大厦T2 1203", {"building": "T2", "room": "1203"}),
        ("文瑞路18号3号桥旁", {"roadno": "18号"}),
        ("文瑞路308号商铺", {"roadno": "308号", "room": None}),
        ("文瑞路18号岚泽天街5栋", {"road": "文瑞路", "poi": "岚泽天街", "building": "5栋"}),
        ("翡岚苑312楼", {"building": "312楼"}),
    ],
)
def test_numbers_by_what_stands_around_them(text: str, elements: dict[str, str | None]) -> None:
    """A number at a road is the house's whatever follows; a long one is no room."""
    address = parse(f"杭州市西湖区三墩镇{text}")
    assert {element: getattr(address, element) for element in elements} == elements

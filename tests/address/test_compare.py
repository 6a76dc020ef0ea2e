"""Two addresses element by element, the string evidence, and what must never depend on the side."""

from __future__ import annotations

import pytest

from menpai.address.compare import body, compare, evidence
from menpai.address.elements import Address
from menpai.address.parse import parse
from menpai.address.rarity import Rarity, load
from menpai.address.relations import Relation, Relations


def swapped(relations: Relations) -> dict[str, Relation]:
    """The same relations seen from the other side."""
    return {
        element: r._replace(left=r.right, right=r.left)
        for element, r in relations.by_element.items()
    }


ROWS = [
    ("group-names", "三墩镇岚泉村上岚屯", "三墩镇岚泉村下岚屯", {"group": "conflict"}),
    ("group-name-and-number", "三墩镇岚泉村上岚屯", "三墩镇岚泉村6组", {"group": "conflict"}),
    ("group-same-name", "三墩镇岚泉村上岚屯", "三墩镇岚泉村上岚屯8号", {"group": "equal"}),
    ("city-equal", "杭州市文瑞路8号", "杭州文瑞路8号", {"city": "equal"}),
    ("city-missing", "杭州市文瑞路8号", "文瑞路8号", {"city": "missing"}),
    ("city-conflict", "杭州市文瑞路8号", "宁波市文瑞路8号", {"province": "equal", "city": "conflict"}),
    ("province-conflict", "浙江省文瑞路8号", "江苏省文瑞路8号", {"province": "conflict"}),
    ("completed-province", "杭州市文瑞路8号", "南京市文瑞路8号", {"province": "conflict"}),
    ("completed-from-a-town", "杭州市三墩镇文瑞路8号", "杭州市鄞州区文瑞路8号", {}),
    ("renamed", "杭州市下城区文瑞路8号", "杭州市拱墅区文瑞路8号", {"district": "renamed"}),
    ("both-renamed", "杭州市下城区文瑞路8号", "杭州市下城区文瑞路8号", {"district": "equal"}),
    ("corrected", "杭洲市文瑞路8号", "宁波市文瑞路8号", {"city": "missing"}),
    ("contradicted", "江苏省杭州市文瑞路8号", "江苏省文瑞路8号", {"province": "missing"}),
    ("short-district-alone", "合水文瑞路8号", "庆阳市西峰区文瑞路8号", {"district": "missing"}),
    ("full-district-alone", "合水县文瑞路8号", "庆阳市西峰区文瑞路8号", {"district": "conflict"}),
    (
        "short-district-with-city",
        "庆阳合水文瑞路8号",
        "庆阳市西峰区文瑞路8号",
        {"district": "conflict"},
    ),
    ("open-district", "西湖区文瑞路8号", "宁波市鄞州区文瑞路8号", {"district": "conflict"}),
    ("open-in-its-city", "长春市大岭镇文瑞路8号", "吉林省吉林市文瑞路8号", {"city": "conflict"}),
    ("no-division", "文瑞路8号", "文瑞路8号", {"city": "absent", "district": "absent"}),
    # villages
    ("village", "三墩镇岚泽村", "三墩镇岚泽村", {"village": "equal"}),
    ("village-ending", "三墩镇岚泽村", "三墩镇岚泽社区", {"village": "equal"}),
    ("village-part", "三墩镇岚泽村", "三墩镇上岚泽村", {"village": "contains"}),
    ("village-missing", "三墩镇岚泽村", "三墩镇", {"village": "missing"}),
    ("other-village", "三墩镇岚泽村", "三墩镇溪安村", {"village": "conflict"}),
    ("village-in-community", "三墩镇岚泽村", "三墩镇溪安社区", {"village": "missing"}),
    ("natural-village", "三墩镇岚泽村", "三墩镇溪安村岚泽", {"village": "equal"}),
    ("misspelt-village", "三墩镇文瑞村", "三墩镇文睿村", {"village": "contains"}),
    ("group", "三墩镇岚泽村5组", "三墩镇岚泽村五组", {"group": "equal"}),
    ("other-group", "三墩镇岚泽村5组", "三墩镇岚泽村6组", {"group": "conflict"}),
    # zones
    ("zone", "苏州市岚泽开发区文瑞路8号", "苏州市岚泽经济技术开发区文瑞路8号", {"zone": "equal"}),
    ("zone-part", "苏州市岚泽开发区文瑞路8号", "苏州市岚泽北部开发区文瑞路8号", {"zone": "contains"}),
    ("zone-missing", "苏州市岚泽开发区文瑞路8号", "苏州市文瑞路8号", {"zone": "missing"}),
    ("other-zone", "苏州市岚泽开发区文瑞路8号", "苏州市溪安开发区文瑞路8号", {"zone": "conflict"}),
    # numbers
    ("number-part", "文瑞路12号", "文瑞路12-1号", {"roadno": "contains"}),
    ("other-number", "文瑞路12号", "文瑞路14号", {"roadno": "conflict"}),
    ("number-missing", "文瑞路12号", "文瑞路", {"roadno": "missing"}),
    ("floor-implied", "翡岚苑12层1203室", "翡岚苑1203室", {"floor": "equal"}),
    ("floor-not-implied", "翡岚苑11层1203室", "翡岚苑1203室", {"floor": "missing"}),
    ("floor-of-no-number", "翡岚苑3层", "翡岚苑东户", {"floor": "missing"}),
    ("floor-without-room", "翡岚苑3层", "翡岚苑", {"floor": "missing"}),
    ("shop", "翡岚广场L2层241号", "翡岚广场L241", {"room": "equal"}),
    ("other-shop", "翡岚广场L2层241室", "翡岚广场L2层242室", {"room": "conflict"}),
    # numbers whose unit was not written
    ("dashes", "翡岚苑12-901", "翡岚苑12号楼901室", {"building": "equal", "room": "equal"}),
    ("unit-unsaid", "翡岚苑12号楼3", "翡岚苑12号楼3单元", {"unit": "equal", "room": "equal"}),
    ("sequence-begins", "翡岚苑12-3", "翡岚苑12号楼3单元502室", {"building": "equal", "room": "missing"}),
    ("units-said", "翡岚苑12号楼3室", "翡岚苑12号楼3单元", {"unit": "missing", "room": "missing"}),
    ("no-numbers-there", "翡岚苑12", "翡岚苑", {"room": "missing"}),
    ("glued", "文瑞路10号", "文瑞路10304", {"roadno": "contains"}),
    ("not-glued", "文瑞路11号", "文瑞路10304", {"roadno": "conflict"}),
    ("other-sequence", "翡岚苑12-901", "翡岚苑13号楼901室", {"building": "conflict"}),
    # landmarks
    ("landmark-missing", "文瑞路8号对面", "文瑞路8号", {"landmark": "missing"}),
    ("same-crossing", "文瑞路与岚泉路交叉口", "岚泉路与文瑞路交叉口", {"landmark": "equal"}),
    ("other-crossing", "文瑞路与岚泉路交叉口", "文瑞路与泽安路交叉口", {"landmark": "conflict"}),
    # names beside a road
    ("road-named-as-a-place", "文瑞岚路8号", "文瑞岚8号", {"road": "alias", "poi": "absent"}),
    ("places", "文瑞路8号翡岚苑", "文瑞路8号枫丹阁", {"poi": "conflict"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right", "kinds"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_relations_of_two_texts(left: str, right: str, kinds: dict[str, str]) -> None:
    """These relations hold, and are mirrored when the sides are swapped."""
    a, b = parse(left), parse(right)
    found = compare(a, b)
    assert {element: found.kind(element) for element in kinds} == kinds
    mirrored = compare(b, a)
    assert mirrored.by_element == swapped(found)
    assert mirrored[1:4] == pytest.approx(found[1:4])
    assert mirrored.flags == found.flags


def test_a_relation_carries_what_was_read() -> None:
    """Values are those of the addresses, whatever form was compared."""
    a, b = parse("杭州市西湖区文瑞路18号翡岚苑3栋802室"), parse("杭州西湖文瑞路18号翡岚苑三幢802")
    for element, relation in compare(a, b).by_element.items():
        assert (relation.left, relation.right) == (getattr(a, element), getattr(b, element))


def test_an_open_district_contradicts_only_what_it_cannot_be() -> None:
    """西湖区 may be in 杭州 or in 南昌: neither contradicts it."""
    open_district = parse("西湖区文瑞路8号")
    assert "conflict" not in {
        r.kind for r in compare(open_district, parse("杭州市西湖区文瑞路8号")).by_element.values()
    }


def test_a_misspelt_road_is_flagged() -> None:
    """Two roads taken for one are said to be so."""
    assert compare(parse("文瑞路8号"), parse("文睿路8号")).flags == ("road_typo",)
    assert compare(parse("文瑞路8号"), parse("文瑞路8号")).flags == ()


@pytest.mark.parametrize(
    ("left", "right", "share"),
    [
        ("文瑞路8号", "文瑞路8号3栋", 1.0),
        ("文瑞路8号3栋", "文瑞路8号4栋", 0.5),
        ("文瑞路8号", "文瑞路9号", 0.0),
        ("文瑞路8号", "文瑞路", 0.0),
    ],
)
def test_numbers_in_common(left: str, right: str, share: float) -> None:
    """The share counts on the side with fewer numbers."""
    assert compare(parse(left), parse(right)).numbers_shared == share


def test_evidence_is_what_both_say() -> None:
    """The same text shares all its weight, another none."""
    same = evidence(parse("文瑞路8号"), parse("文瑞路9号"), load())
    assert same[0] > 0
    assert same[1] == pytest.approx(1.0)
    assert evidence(parse("文瑞路8号"), parse("枫丹苑"), load()) == (0.0, 0.0)
    assert evidence(Address("", ""), Address("", ""), load()) == (0.0, 0.0)


def test_statistics_replace_the_packaged_ones() -> None:
    """A library's own rarity weighs what two texts share."""
    a, b = parse("文瑞路8号翡岚苑"), parse("文瑞路8号枫丹阁")
    statistics = Rarity.from_texts(["文瑞路"] * 99 + ["翡岚苑"])
    assert compare(a, b, statistics).shared < compare(a, b).shared
    assert compare(a, b, None).shared == pytest.approx(compare(a, b).shared)


def test_the_body_leaves_divisions_and_contacts_out() -> None:
    """Evidence reads what stands below the divisions, in the order of the elements."""
    address = parse("杭州市西湖区三墩镇文瑞路8号翡岚苑3栋2单元 杨岚 13800001234")
    assert body(address) == "文瑞路 8号 翡岚苑 3栋 2单元"


def test_missing_carries_one_side() -> None:
    """Of an element that one side lacks the other side's value is told."""
    found = compare(parse("文瑞路8号"), parse("文瑞路"))
    assert found.by_element["roadno"] == Relation("roadno", "8号", None, "missing", 0.0)

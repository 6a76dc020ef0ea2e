"""Current names, completion, doubts and contradictions of a text's divisions."""

from __future__ import annotations

import pytest

from menpai.address.parse import parse

FLAGS = [
    ("plain", "浙江省杭州市西湖区文瑞路8号", ()),
    ("short-names", "浙江杭州西湖文瑞路8号", ()),
    ("municipality", "北京市朝阳区文瑞路8号", ()),
    ("completed", "杭州市西湖区文瑞路8号", ("completed",)),
    ("renamed", "北京市宣武区文瑞路8号", ("renamed",)),
    ("split", "余杭区乔司街道文瑞路8号", ("renamed", "split", "completed")),
    ("not-split-any-more", "杭州市余杭区文瑞路8号", ("completed",)),
    ("corrected", "浙江省杭洲市西湖区文瑞路8号", ("corrected",)),
    ("corrected-town", "浙江省杭州市西湖区三敦镇文瑞路8号", ("corrected",)),
    ("corrected-twice", "浙江省杭洲市西湖区三敦镇文瑞路8号", ("corrected",)),
    ("province-conflict", "江苏省杭州市西湖区文瑞路8号", ("province_conflict", "completed")),
    ("city-conflict", "浙江省宁波市西湖区三墩镇文瑞路8号", ("city_conflict", "completed")),
    ("district-conflict", "浙江省杭州市西湖区鄞州区文瑞路8号", ("district_conflict",)),
    ("town-conflict", "浙江省宁波市鄞州区三墩镇文瑞路8号", ("town_conflict",)),
    ("unknown-town", "浙江省杭州市西湖区岚泽镇文瑞路8号", ("unknown_division",)),
    ("unknown-town-of-a-city", "浙江省杭州市岚泽镇文瑞路8号", ("unknown_division",)),
    ("no-division", "文瑞路8号", ()),
]
CODES = [
    ("province", "浙江省", "330000"),
    ("city", "杭州市文瑞路8号", "330100"),
    ("district", "杭州市西湖区文瑞路8号", "330106"),
    ("town", "杭州市西湖区三墩镇文瑞路8号", "330106109"),
    ("unknown-town", "杭州市西湖区岚泽镇文瑞路8号", "330106"),
    ("none", "文瑞路8号", None),
    ("open", "西湖区文瑞路8号", None),
]


@pytest.mark.parametrize(("text", "flags"), [f[1:] for f in FLAGS], ids=[f[0] for f in FLAGS])
def test_flags_of_a_text(text: str, flags: tuple[str, ...]) -> None:
    """Just these flags, once each."""
    assert set(parse(text).flags) == set(flags)
    assert len(parse(text).flags) == len(flags)


@pytest.mark.parametrize(("text", "code"), [c[1:] for c in CODES], ids=[c[0] for c in CODES])
def test_code_of_the_deepest_division(text: str, code: str | None) -> None:
    """The code is that of the deepest level that is known for sure."""
    assert parse(text).code == code


def test_several_districts_of_one_name() -> None:
    """The name they share is given, what is above them is not, and all are listed."""
    address = parse("西湖区文瑞路8号")
    assert address.ambiguous
    assert address.candidates == ("浙江省杭州市西湖区", "江西省南昌市西湖区")
    assert (address.province, address.city, address.district) == (None, None, "西湖区")


def test_several_districts_in_one_city() -> None:
    """What the candidates have in common is given."""
    address = parse("长春市大岭镇文瑞路8号")
    assert address.ambiguous
    assert (address.province, address.city, address.district) == ("吉林省", "长春市", None)
    assert len(address.candidates) == 2


def test_a_municipality_is_its_own_city() -> None:
    """Candidates name it once, the address at both levels."""
    assert parse("朝阳区文瑞路8号").candidates[0] == "北京市朝阳区"
    assert parse("北京市").city == "北京市"


def test_a_known_town_that_several_districts_have() -> None:
    """The town stays as written, and is not called unknown."""
    address = parse("三墩镇文瑞路8号")
    assert address.ambiguous
    assert address.town == "三墩镇"
    assert "unknown_division" not in address.flags


def test_the_town_in_the_region_counts() -> None:
    """Of two towns the one that lies in the district is given."""
    assert parse("杭州市西湖区岚泽镇三墩镇文瑞路8号").town == "三墩镇"


def test_the_second_mention_of_a_level_is_the_lower_one() -> None:
    """朝阳朝阳 names the county of the city: each span is its own."""
    address = parse("辽宁朝阳朝阳县文瑞路8号")
    assert (address.city, address.district) == ("朝阳市", "朝阳县")
    assert address.spans["city"] == (2, 4)
    assert address.spans["district"] == (4, 7)


def test_the_longest_zone_is_given() -> None:
    """A zone inside a zone is named with the outer one."""
    address = parse("杭州市岚泽经济技术开发区高新区文瑞路8号")
    assert address.zone == "岚泽经济技术开发区"
    assert address.spans["zone"] == (3, 12)

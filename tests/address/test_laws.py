"""What holds of every text: reading never fails, spans are true, nothing is invented."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from menpai.address import divisions
from menpai.address.elements import ELEMENTS, FLAGS, Address
from menpai.address.parse import parse
from menpai.address.regions import lineage
from menpai.address.spelling import correct_division
from menpai.text.normalize import normalize

TABLE = divisions.load()
LEVELS = ("province", "city", "district")

FRAGMENTS = st.sampled_from(
    "北京市 北京 京 朝阳区 朝阳 浙江省 浙江 杭州市 杭州 杭洲市 西湖区 西湖 西胡区 余杭区 宣武区 江东区 宁波 青岛市南区 南昌市 吉林省 "
    "三墩镇 三敦镇 转塘 转塘街道 乔司街道 城关镇 岚泽镇 华联村 岚泽村 岚泽社区 上岚屯 5组 岚泽开发区 文瑞路 文瑞路一段 岚泉街 G320国道 "
    "8号 9号 12-1号 777弄24号 附2号 十二号 18號 翡岚苑 枫丹大厦 岚泽公司 便利店 (江岚店) (近岚山) ( ) 3栋 A座 2单元 五层 302室 802 "
    "7-2-802 B1 东户 附近 对面 靠近 与 交叉口 路口 杨岚 王先生 收货人: 电话: 13800001234 0571-88001234 310013 邮编: 地址: "
    "Room Lanquan Road No. Hangzhou 测试 无 美国 １８ ， 、 / ; | 。 - 1. 2. \n \t 　".split(" ")
)
ADDRESSES = st.lists(FRAGMENTS | st.just(" "), max_size=14).map("".join)
ANYTHING = st.text(max_size=60)
CHINESE = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=40)


def check_whole(text: str, address: Address) -> None:
    """What every address keeps to, whatever its text."""
    assert address.text == text
    assert set(address.flags) <= set(FLAGS)
    assert len(set(address.flags)) == len(address.flags)
    assert address.ambiguous == (len(address.candidates) > 1)
    for element, (start, end) in address.spans.items():
        assert element in ELEMENTS
        assert getattr(address, element) or (element in LEVELS and address.ambiguous)
        assert 0 <= start < end <= len(text)
    assert not any("\n" in (getattr(address, e) or "") for e in (*ELEMENTS, "rest"))


@given(ADDRESSES | ANYTHING | CHINESE)
def test_reading_never_fails(text: str) -> None:
    """Any text gives an address whose spans lie in it."""
    check_whole(text, parse(text))


@pytest.mark.parametrize(
    "part",
    ["岚", "文瑞路8号", "杭州市西湖区", "(", "8-", "13800001234", "a", "🀄", "\ud800", "1号2栋、"],
    ids=lambda part: ascii(part).strip("'\\"),
)
def test_long_texts_are_read(part: str) -> None:
    """Ten thousand characters are read like any text, and in bounded time."""
    text = (part * 10_000)[:10_000]
    check_whole(text, parse(text))


@given(ADDRESSES)
def test_reading_is_deterministic(text: str) -> None:
    """The same text gives the same address."""
    assert parse(text) == parse(text)


# What a value may add to what is written: endings made official, digits glued, case.
TOLD = {"zone", "road", "poi", "building", "unit", "floor", "room", "landmark", "name", "postcode"}


@given(ADDRESSES)
def test_the_span_is_what_was_read(text: str) -> None:
    """In a normalised text, each element's value is what is written at its span."""
    text = normalize(text).text
    address = parse(text)
    if "romanised" in address.flags:
        return
    for element in TOLD & set(address.spans):
        start, end = address.spans[element]
        assert getattr(address, element) == text[start:end]
    for element in {"roadno", "group", "phone"} & set(address.spans):
        start, end = address.spans[element]
        written = iter(text[start:end])
        assert all(c in written for c in getattr(address, element))


@given(ADDRESSES)
def test_no_place_is_read_twice(text: str) -> None:
    """Elements do not overlap, but for a landmark that repeats the road it is at."""
    spans = {e: s for e, s in parse(text).spans.items() if e != "landmark"}
    ordered = sorted(spans.values())
    assert all(a[1] <= b[0] for a, b in pairwise(ordered))


def meant_by(address: Address) -> set[str]:
    """Codes of all that the written divisions, towns and villages may mean."""
    codes: set[str] = set()
    for level in LEVELS:
        if level in address.spans:
            written = normalize(address.text[slice(*address.spans[level])]).text
            for name in (
                written,
                written[:-1],
                (correct_division(written, 0, TABLE, None) or "-")[0],
            ):
                codes |= {c for r in TABLE.readings(name) for c in (r.code, *r.successors)}
            if "corrected" in address.flags:
                codes |= _corrected_in_context(written)
    if address.town:
        codes.update(TABLE.town_owners(address.town))
    return codes


def _corrected_in_context(written: str) -> set[str]:
    """Codes of what a misspelt name means once its province or city is known."""
    found = (correct_division(written, 0, TABLE, above) for above in ("330000", "330100", "360100"))
    names = {f[0] for f in found if f}
    return {r.code for name in names for r in TABLE.readings(name)}


@given(ADDRESSES)
def test_no_division_is_invented(text: str) -> None:
    """Each province, city and district is written, or holds one that is written."""
    address = parse(text)
    if "romanised" in address.flags:
        return
    names = {TABLE.get(a).name for c in meant_by(address) for a in lineage(TABLE, c)}
    for level in LEVELS:
        value = getattr(address, level)
        assert value is None or value in names


@given(
    CHINESE
    | st.lists(
        st.sampled_from("岚 泽 翡 文瑞路 8号 3栋 302室 翡岚苑 对面".split()), max_size=8
    ).map("".join)
)
def test_no_division_without_its_name(text: str) -> None:
    """Where no name of a division or town stands in the text, none is read."""
    address = parse(text)
    if any(TABLE.readings(name) for _, _, name in TABLE.scan(address.normalized)):
        return
    if "corrected" not in address.flags and not address.town:
        assert (address.province, address.city, address.district) == (None, None, None)


@given(ADDRESSES)
def test_the_code_is_the_deepest_level(text: str) -> None:
    """A code names the levels that are given, and an open address has none."""
    address = parse(text)
    if address.code is None:
        assert address.ambiguous or not (address.province or address.district)
        return
    assert not address.ambiguous
    division = TABLE.get(address.code[:9] if len(address.code) >= 9 else address.code)
    assert division.province == address.province
    assert (division.city or division.province) == address.city or division.city is None
    assert division.district == address.district


@given(ADDRESSES, st.sampled_from(["浙江省杭州市", "北京市朝阳区", "江西省"]))
def test_a_default_region_adds_no_span(text: str, region: str) -> None:
    """What is supposed is not written anywhere."""
    address = parse(text, default_region=region)
    check_whole(text, address)

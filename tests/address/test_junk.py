"""What names no place at all, and what names one abroad."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address import junk
from menpai.address.details import Piece
from menpai.address.parse import parse


@pytest.mark.parametrize(
    "text",
    ["", " ", "无", "NULL", "n/a", "测试地址", "测试测试测试", "哈哈哈哈", "123", "13800001234", "--", "A", "123 先生"],
)  # fmt: skip
def test_junk(text: str) -> None:
    """Fillers, repetitions and bare numbers are no address, and nothing is read from them."""
    address = parse(text)
    assert address.flags == ("not_an_address",)
    assert address.spans == {}


@pytest.mark.parametrize(
    "text", ["文瑞路", "无锡市", "岚岚苑", "测试路8号", "3栋", "翡岚", "No. 8 Wenrui Road"]
)
def test_no_junk(text: str) -> None:
    """A word that could be a place is read."""
    assert not junk.is_junk(text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("杭州市", True),
        ("江东区", True),
        ("文瑞路", True),
        ("3栋", True),
        ("翡岚苑", True),
        ("翡岚泽安", True),
        ("翡岚", False),
        ("人力资源部", False),
        ("文瑞市岚泽办、泽安局", False),
    ],
)
def test_names_a_place(text: str, place: bool) -> None:  # noqa: FBT001  a column
    """A short word and an organisation's department name no place."""
    assert ("not_an_address" not in parse(text).flags) is place


def test_nothing_read_names_nothing() -> None:
    """Without division, sign or place there is no address."""
    assert not junk.names_a_place("岚", {}, {})
    assert junk.names_a_place("岚苑", {"poi": Piece("岚苑", 0, 2)}, {})


@pytest.mark.parametrize(
    ("text", "foreign"),
    [("美国纽约岚泉路8号", True), ("杭州市美国岚泉路8号", False), ("文瑞路8号", False)],
)
def test_foreign(text: str, foreign: bool) -> None:  # noqa: FBT001  a column
    """A place abroad begins the text."""
    assert ("foreign" in parse(text).flags) is foreign


def test_a_chinese_province_outweighs_a_foreign_name() -> None:
    """日本 in front of a Chinese province is not abroad."""
    address = parse("日本 浙江省杭州市文瑞路8号")
    assert address.province == "浙江省"
    assert "foreign" not in address.flags


@given(st.text(alphabet="0123456789 -,.()", max_size=20))
def test_digits_and_signs_are_junk(text: str) -> None:
    """No number makes an address by itself."""
    assert junk.is_junk(text)

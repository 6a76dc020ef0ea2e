"""An address without the person: nothing of them is left, and nothing else is taken."""

import re

import pytest
from hypothesis import given, strategies as st

from menpai.address.anonymous import MAX_CHARACTERS, anonymous
from menpai.address.contacts import GAP
from menpai.errors import InputError
from menpai.text.normalize import normalize

BARE = "北京市朝阳区望澜路88号"

SAME = [
    ("bare", BARE),
    ("before", f"张三 13800001234 {BARE}"),
    ("behind", f"{BARE} 张三 13800001234"),
    ("glued", f"{BARE}张三13800001234"),
    ("commas", f"张三，13800001234，{BARE}"),
    ("labels", f"收货人：李四 电话：13800001234 地址：{BARE}"),
    ("landline", f"{BARE} 010-61234567"),
    ("postcode", f"{BARE} 邮编：100020"),
    ("postcode-at-the-end", f"{BARE} 100020"),
    ("wide", "张三　１３８００００１２３４　北京市朝阳区望澜路８８號"),
    ("country-code", f"{BARE} +86 13800001234"),
    ("honorific", f"{BARE}，王先生，13800001234"),
    ("two-phones", f"{BARE} 13800001234/13900005678"),
    ("two-persons", f"张三 13800001234 {BARE} 李四 13900005678"),
    ("phones-apart", f"13800001234 {BARE} 13900005678"),
    ("two-titles", f"王先生 {BARE} 李女士"),
    ("all", f"收货人：李四，手机：13800001234，邮编：100020，地址：{BARE}，010-61234567"),
]


@pytest.mark.parametrize("text", [s[1] for s in SAME], ids=[s[0] for s in SAME])
def test_what_is_left_is_the_bare_address(text: str) -> None:
    """So that it has one vector, whoever lives there."""
    assert anonymous(text) == normalize(BARE).text == anonymous(anonymous(text))


@pytest.mark.parametrize(
    "text", ["", " ", "　", "\u200b", "，。！", "13800001234", "邮编：100020", "电话：010-61234567"]
)
def test_nothing_may_be_left(text: str) -> None:
    """A text that holds nothing, or a contact alone."""
    assert anonymous(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "张家港市望澜路88号",
        "王府井大街88号",
        "望澜路2003弄19号1208室",
        "李家村12组7号",
        "望澜路88号海岸广场B座1208",
        "银杏大道100020号",
    ],
)
def test_what_looks_like_a_contact_and_is_none_stays(text: str) -> None:
    """Surnames in places, and long numbers."""
    assert anonymous(text) == normalize(text).text


def test_what_is_no_text_is_refused() -> None:
    """As by the normaliser."""
    with pytest.raises(InputError):
        anonymous(None)  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["路", "望澜路88号 ", "a b ", "1-", "(", "路。", "五十"])
def test_a_book_is_cut(unit: str) -> None:
    """At the limit, and in canonical form again."""
    found = anonymous(unit * 5000)
    assert len(found) <= MAX_CHARACTERS
    assert anonymous(found) == found


PIECES = st.sampled_from(
    [
        *("张三", "李四", "王女士", "欧阳小明", "13800001234", "138 0000 1234", "010-61234567"),
        *("邮编：", "100020", "电话：", "收货人：", "地址：", "(收)", "亲启", "+86", "转801"),
        *("北京市", "朝阳区", "望澜路", "88号", "3栋", "502室", "翡岚苑", "岚泽店", "黄山"),
        *(" ", "，", "/", "-", "\n", "：", "(", ")", "\t", "路", "8"),
    ]
)
TEXTS = st.one_of(st.lists(PIECES, max_size=14).map("".join), st.text(max_size=30))


@given(TEXTS)
def test_it_is_canonical_and_done_in_one_go(text: str) -> None:
    """What is left holds no further contact, and no mark of what was taken."""
    found = anonymous(text)
    assert anonymous(found) == found == normalize(found).text
    assert GAP not in found


@given(st.lists(PIECES, max_size=10).map("".join), st.sampled_from([" ", "，", " ,"]))
def test_no_mobile_number_is_left(text: str, gap: str) -> None:
    """However many there are, and whatever stands around them."""
    found = anonymous(f"{BARE}{gap}13911112222{gap}{text}")
    assert not re.search(r"(?<![\d-])13911112222(?![\d-])", found)

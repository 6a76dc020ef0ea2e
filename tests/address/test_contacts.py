"""Names, phones and postcodes: what is taken, what only looks like one."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address.contacts import GAP, extract, looks_like_name
from menpai.text.normalize import normalize

PLACES = frozenset({"江岸", "南山", "黄山", "河北"})

TAKEN = [
    ("mobile", "文瑞路18号 13800001234", {"phone": "13800001234"}),
    ("mobile-glued", "文瑞路18号13800001234", {"phone": "13800001234"}),
    ("mobile-spaced", "文瑞路18号 电话:138 0000 1234", {"phone": "13800001234"}),
    ("mobile-only-labelled", "文瑞路18号 手机:138 0000 1234", {"phone": "13800001234"}),
    ("mobile-extension", "文瑞路18号 13800001234转102", {"phone": "13800001234转102"}),
    ("landline", "文瑞路18号 0571-88001234", {"phone": "0571-88001234"}),
    ("hotline", "文瑞路18号 400-123-1234", {"phone": "400-123-1234"}),
    ("two-phones", "文瑞路18号 13800001234/13900001234", {"phone": "13800001234/13900001234"}),
    ("labelled-number", "文瑞路18号 电话:7700-12345", {"phone": "7700-12345"}),
    ("postcode-labelled", "邮编:310013 文瑞路18号", {"postcode": "310013"}),
    ("postcode-first", "310013 文瑞路18号", {"postcode": "310013"}),
    ("postcode-last", "文瑞路18号 310013", {"postcode": "310013"}),
    ("name-labelled", "收货人:杨小岚 文瑞路18号", {"name": "杨小岚"}),
    ("name-labelled-unlikely", "姓名:岚小泽,文瑞路18号", {"name": "岚小泽"}),
    ("title", "文瑞路18号 王先生", {"name": "王先生"}),
    ("title-receives", "文瑞路18号 王小姐(收)", {"name": "王小姐"}),
    ("title-glued", "文瑞路18号王小姐收", {"name": "王小姐"}),
    ("receives-glued", "文瑞路18号杨岚收", {"name": "杨岚"}),
    ("receives", "文瑞路18号 杨岚收", {"name": "杨岚"}),
    ("name-and-phone", "文瑞路18号,杨岚,13800001234", {"phone": "13800001234", "name": "杨岚"}),
    ("name-glued", "文瑞路18号杨岚13800001234", {"phone": "13800001234", "name": "杨岚"}),
    ("name-after-letter", "文瑞路18号A杨岚13800001234", {"phone": "13800001234", "name": "杨岚"}),
    ("long-surname", "欧阳小岚 13800001234 文瑞路18号", {"phone": "13800001234", "name": "欧阳小岚"}),
    ("name-and-postcode", "文瑞路18号 杨岚 310013", {"postcode": "310013", "name": "杨岚"}),
    ("no-surname-beside-phone", "文瑞路18号,阿泽,13800001234", {"phone": "13800001234", "name": "阿泽"}),
    (
        "namesake-of-a-city",
        "浙江省文瑞路18号,黄山,13800001234",
        {"phone": "13800001234", "name": "黄山"},
    ),
    (
        "all-three",
        "310013 文瑞路18号 杨岚 13800001234",
        {"phone": "13800001234", "postcode": "310013", "name": "杨岚"},
    ),
]  # fmt: skip
LEFT = [
    ("nothing", "文瑞路18号3栋"),
    ("long-digits", "文瑞路18号 123456789012345"),
    ("short-digits", "文瑞路18号 12345-6789"),
    ("six-digit-number", "文瑞路123456号"),
    ("label-alone", "收件人 "),
    ("receives-a-town", "文瑞路18号 城关镇收"),
    ("receives-a-district", "文瑞路18号 江岸收"),
    ("toll-station", "文瑞路18号 收费站"),
    ("title-without-surname", "文瑞路18号 岚先生"),
]
NO_NAME = [
    ("place-beside-phone", "文瑞路18号,南山,13800001234"),
    ("place-glued", "文瑞路18号河北13800001234"),
    ("compound", "文瑞路18号,翡岚苑,13800001234"),
    ("surname-only", "欧阳 13800001234 文瑞路18号"),
    ("one-token", "13800001234"),
    ("far-from-phone", "文瑞路18号,岚泽,翡岚苑二期,13800001234"),
]


def read(text: str) -> tuple[str, dict[str, tuple[str, int, int]]]:
    """Normalise and extract, and check what always holds of the two texts."""
    normalized = normalize(text).text
    blanked, found = extract(normalized, PLACES.__contains__)
    assert len(blanked) == len(normalized)
    assert all(b in (GAP, n) for b, n in zip(blanked, normalized, strict=True))
    for value, start, end in found.values():
        assert set(blanked[start:end]) == {GAP}
        written = iter(normalized[start:end])
        assert all(character in written for character in value)
    return blanked, found


@pytest.mark.parametrize(("text", "want"), [t[1:] for t in TAKEN], ids=[t[0] for t in TAKEN])
def test_contacts_are_taken(text: str, want: dict[str, str]) -> None:
    """Just these contacts are taken, each from its place, and the address stays."""
    blanked, found = read(text)
    assert {element: value for element, (value, _, _) in found.items()} == want
    assert "文瑞路18号" in blanked


@pytest.mark.parametrize("text", [t[1] for t in LEFT], ids=[t[0] for t in LEFT])
def test_near_misses_are_left(text: str) -> None:
    """Digits, words and places that are no contacts are not taken."""
    assert read(text)[1] == {}


@pytest.mark.parametrize("text", [t[1] for t in NO_NAME], ids=[t[0] for t in NO_NAME])
def test_a_word_beside_a_phone_is_not_always_a_name(text: str) -> None:
    """Divisions, compounds and far words are no names; the phone is still taken."""
    assert set(read(text)[1]) == {"phone"}


@pytest.mark.parametrize(
    "label", ["地址:", "收货地址:", "所在地区:", "电话:", "邮编:310013 ", "联系人:,"]
)
def test_labels_are_blanked(label: str) -> None:
    """A form's labels are no part of the address."""
    blanked, _ = read(f"{label}文瑞路18号 13800001234")
    assert blanked.strip(GAP + " ,").startswith("文瑞路18号")
    assert label[:2] not in blanked


@pytest.mark.parametrize(
    ("token", "is_name"),
    [
        ("杨岚", True),
        ("欧阳岚", True),
        ("杨小岚", True),
        ("欧阳", False),
        ("岚泽", False),
        ("杨家村", False),
        ("杨岚小泽", False),
        ("杨", False),
        ("Yang", False),
    ],
)
def test_what_could_be_a_name(token: str, is_name: bool) -> None:  # noqa: FBT001  a column
    """A surname with one or two characters that no place ends in."""
    assert looks_like_name(token) is is_name


@given(
    st.text(
        st.sampled_from("文瑞路18号杨岚收先生电话姓名:, \n13800310-转()0571欧阳地址"), max_size=40
    )
)
def test_extraction_only_blanks(text: str) -> None:
    """Whatever the text, nothing moves, and every value was written where it was taken."""
    read(text)

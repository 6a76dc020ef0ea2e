"""Reading whole texts: each argument counts, one address of several, what completes what."""

from __future__ import annotations

import pytest

from menpai.address.elements import Address, Proposal
from menpai.address.parse import known, parse, parse_batch
from menpai.errors import ConfigError, InputError


def divisions_of(address: Address) -> tuple[str | None, str | None, str | None]:
    """Province, city and district."""
    return address.province, address.city, address.district


# The arguments.


def test_default_region_fills_what_is_unnamed() -> None:
    """A local table's city is taken where the text names none."""
    assert divisions_of(parse("文瑞路8号")) == (None, None, None)
    address = parse("文瑞路8号", default_region="浙江省杭州市")
    assert divisions_of(address) == ("浙江省", "杭州市", None)
    assert "completed" in address.flags
    assert set(address.spans) == {"road", "roadno"}


def test_default_region_chooses() -> None:
    """Of two districts of one name it is the one in the region."""
    assert parse("西湖区文瑞路8号", default_region="南昌市").city == "南昌市"
    assert parse("西湖区文瑞路8号", default_region="杭州").city == "杭州市"
    assert parse("三墩镇文瑞路8号", default_region="杭州").district == "西湖区"


def test_default_region_knows_its_towns() -> None:
    """A bare town follows a supposed district as it follows a written one."""
    address = parse("转塘街道文瑞路8号", default_region="浙江省杭州市西湖区")
    assert address.code == "330106011"


@pytest.mark.parametrize(
    ("text", "region"),
    [("北京市朝阳区文瑞路8号", "吉林省"), ("南昌市西湖区文瑞路8号", "杭州市")],
)
def test_what_is_written_outweighs_the_default_region(text: str, region: str) -> None:
    """A text that names its city is read as without a region."""
    assert parse(text, default_region=region) == parse(text)


@pytest.mark.parametrize("region", ["鼓楼区", "岚泽", "", "文瑞路8号"])
def test_default_region_must_be_one_division(region: str) -> None:
    """A region that is none or several is refused, naming the field; an empty one is none."""
    if not region:
        assert parse("文瑞路8号", default_region=region) == parse("文瑞路8号")
        return
    with pytest.raises(ConfigError, match="names no single division") as error:
        parse("文瑞路8号", default_region=region)
    assert error.value.field == "default_region"


def test_as_of_reads_a_name_as_it_was() -> None:
    """Two cities had a 江东区, one of them until 2016."""
    assert parse("江东区文瑞路8号").ambiguous
    address = parse("江东区文瑞路8号", as_of=2010)
    assert divisions_of(address) == ("浙江省", "宁波市", "鄞州区")


def test_as_of_reaches_romanised_texts() -> None:
    """A default region and a year count there too."""
    address = parse("8 Wenrui Rd, Xihu Qu", default_region="杭州市")
    assert divisions_of(address) == ("浙江省", "杭州市", "西湖区")


def test_a_proposal_fills_a_gap() -> None:
    """A tagger's span counts where the rules read nothing, with what is written there."""
    text = "文瑞路18号岚泽 （岚）"
    assert parse(text).name is None
    address = parse(text, proposals=[Proposal("name", 9, 10)])
    assert address.name == text[9:10]
    assert address.spans["name"] == (9, 10)


@pytest.mark.parametrize(
    "proposal", [Proposal("road", 7, 9), Proposal("name", 0, 2)], ids=["known", "taken"]
)
def test_a_proposal_overrules_nothing(proposal: Proposal) -> None:
    """An element that was found, and a span that was read, stay."""
    text = "文瑞路18号"
    assert parse(text, proposals=[proposal]) == parse(text)


def test_one_place_takes_one_proposal() -> None:
    """Two proposals for one span: the first counts."""
    address = parse("岚", proposals=[Proposal("poi", 0, 1), Proposal("name", 0, 1)])
    assert (address.poi, address.name) == ("岚", None)


def test_a_proposal_must_be_an_element() -> None:
    """An unknown element is refused, naming the argument."""
    with pytest.raises(InputError, match="'street' is no element") as error:
        parse("文瑞路18号", proposals=[Proposal("street", 0, 3)])
    assert error.value.field == "proposals"


def test_a_batch_is_its_texts() -> None:
    """Each text of a batch is read as alone, with the arguments of the batch."""
    texts = ["江东区文瑞路8号", "西湖区文瑞路8号", "", "测试"]
    assert parse_batch(iter(texts)) == [parse(text) for text in texts]
    assert parse_batch(texts, as_of=2010) == [parse(text, as_of=2010) for text in texts]
    assert parse_batch(texts, default_region="南昌市") == [
        parse(text, default_region="南昌市") for text in texts
    ]


# Whole texts.


def test_the_original_is_kept() -> None:
    """Text is what came in, normalised what was read, spans lie in the former."""
    address = parse("杭州市　文瑞路１８號")
    assert address.text == "杭州市　文瑞路１８號"
    assert address.normalized == "杭州市 文瑞路18号"
    assert (address.roadno, address.spans["roadno"]) == ("18号", (7, 10))


SEVERAL = [
    ("comma", "北京市朝阳区岚泉路8号,上海市黄浦区泽安路9号"),
    ("semicolon", "北京市朝阳区岚泉路8号;上海市黄浦区泽安路9号"),
    ("or", "北京市朝阳区岚泉路8号或上海市黄浦区泽安路9号"),
    ("slash", "北京市朝阳区岚泉路8号/上海市黄浦区泽安路9号"),
]


@pytest.mark.parametrize("text", [s[1] for s in SEVERAL], ids=[s[0] for s in SEVERAL])
def test_the_first_of_several(text: str) -> None:
    """The first address is given whole, the second leaves nothing but a flag."""
    address = parse(text)
    assert "several_addresses" in address.flags
    assert divisions_of(address) == ("北京市", "北京市", "朝阳区")
    assert (address.road, address.roadno) == ("岚泉路", "8号")
    assert "泽安" not in (address.rest or "")


def test_list_marks_belong_to_no_address() -> None:
    """1. and 2. before two addresses are no numbers of the first."""
    address = parse("1.北京市朝阳区岚泉路8号;2.上海市黄浦区泽安路9号")
    assert "several_addresses" in address.flags
    assert (address.road, address.roadno) == ("岚泉路", "8号")
    assert (address.building, address.room) == (None, None)


@pytest.mark.parametrize(
    "text",
    [
        "北京市朝阳区岚泉路8号 上海市黄浦区",
        "北京市朝阳区岚泉路,上海市黄浦区泽安路9号",
        "江苏省杭州市西湖区文瑞路8号,岚泽",
        "杭州市西湖区文瑞路8号,北京市",
    ],
    ids=["no-separator", "no-number-before", "one-address", "no-number-after"],
)
def test_a_contradiction_is_no_second_address(text: str) -> None:
    """Only a division after a separator, between two numbers, begins another address."""
    assert "several_addresses" not in parse(text).flags


def test_brackets_may_hold_the_divisions() -> None:
    """Divisions in brackets are read, other remarks are not divisions."""
    assert divisions_of(parse("文瑞路8号(浙江省杭州市)")) == ("浙江省", "杭州市", None)
    assert divisions_of(parse("文瑞路8号(浙江省岚泽)")) == (None, None, None)
    assert divisions_of(parse("(北京)文瑞路8号")) == ("北京市", "北京市", None)


def test_a_phone_in_brackets_is_read_once() -> None:
    """What was taken as a contact is no room."""
    address = parse("杨岚(13800001234)杭州市西湖区文瑞路18号")
    assert (address.name, address.phone, address.room) == ("杨岚", "13800001234", None)


def test_a_village_of_the_table() -> None:
    """A village of the town is read with its code and official name."""
    address = parse("杭州市西湖区三墩镇华联村5组12号")
    assert (address.town, address.village, address.group) == ("三墩镇", "华联村", "5组")
    assert address.code is not None
    assert len(address.code) == 12


def test_a_village_after_a_blank() -> None:
    """A separator between town and village hides neither."""
    address = parse("杭州市西湖区三墩镇 华联村5组12号")
    assert (address.village, address.spans["village"]) == ("华联村", (10, 13))


def test_a_village_completes_its_town() -> None:
    """Where one town of the district has the village, it is that town."""
    address = parse("杭州市西湖区华联村5组12号")
    assert (address.town, address.village) == ("三墩镇", "华联村")
    assert "town" not in address.spans
    assert "completed" in address.flags


def test_a_village_of_no_town_completes_nothing() -> None:
    """A village that the district does not have invents no town."""
    address = parse("杭州市西湖区岚泽村5组12号")
    assert (address.town, address.village) == (None, "岚泽村")


def test_a_book_is_read_in_part() -> None:
    """Beyond any address's length nothing is read, and nothing fails."""
    address = parse("杭州市西湖区" + "岚" * 5000 + "文瑞路8号")
    assert address.district == "西湖区"
    assert address.road is None
    assert len(address.text) == 5011


@pytest.mark.parametrize("text", [None, 5, b"x", ["a"]])
def test_only_texts_are_read(text: object) -> None:
    """What is no text is refused by name."""
    with pytest.raises(InputError, match=f"not {type(text).__name__}"):
        parse(text)  # type: ignore[arg-type]


@pytest.mark.parametrize("year", [-3, 0, 20222, True, "2010"])
def test_only_years_are_taken(year: object) -> None:
    """A slip of the keyboard is no year."""
    with pytest.raises(ConfigError, match="is no year"):
        parse("文瑞路8号", as_of=year)  # type: ignore[arg-type]


def test_what_was_read_a_moment_ago_is_the_same() -> None:
    """With the choices that it was read with."""
    text = "望澜路8号"
    assert known(text, None, None) == parse(text)
    assert known(text, None, None) is known(text, None, None)
    assert known(text, "浙江省杭州市", None).city == "杭州市"
    assert known("江苏省万全县望澜路8号", None, 1990) == parse("江苏省万全县望澜路8号", as_of=1990)

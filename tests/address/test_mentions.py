"""Which divisions, towns and zones a text mentions, and which words only look like one."""

from __future__ import annotations

import pytest

from menpai.address import divisions
from menpai.address.elements import Address
from menpai.address.mentions import Scanner
from menpai.address.parse import parse

Levels = tuple[str | None, str | None, str | None, str | None]


def levels(address: Address) -> Levels:
    """Province, city, district and town of an address."""
    return address.province, address.city, address.district, address.town


BEIJING = ("北京市", "北京市", "朝阳区", None)
HANGZHOU = ("浙江省", "杭州市", None, None)
XIHU = ("浙江省", "杭州市", "西湖区", None)
SANDUN = ("浙江省", "杭州市", "西湖区", "三墩镇")
NONE = (None, None, None, None)

DIVISIONS = [
    # full and short names, letters
    ("full", "浙江省杭州市西湖区文瑞路8号", XIHU),
    ("short", "浙江杭州西湖文瑞路8号", XIHU),
    ("separated", "浙江,杭州/西湖 文瑞路8号", XIHU),
    ("blank-in-a-chain", "杭州 西湖文瑞路8号", XIHU),
    ("letter", "京朝阳区文瑞路8号", BEIJING),
    ("letter-of-a-short-name", "渝北碚文瑞路8号", ("重庆市", "重庆市", "两江新区", None)),
    ("letter-of-a-road", "京文路8号", NONE),
    ("letter-before-a-full-name", "渝北碚区文瑞路8号", ("重庆市", "重庆市", "北碚区", None)),
    ("country", "中国浙江省杭州市西湖区文瑞路8号", XIHU),
    ("former-under-its-former-province", "四川省万县市文瑞路8号", ("重庆市", "重庆市", "万州区", None)),
    ("city-proper", "杭州市区文瑞路8号", HANGZHOU),
    ("said-again", "沧州西湖区沧州文瑞路8号", ("河北省", "沧州市", None, None)),
    ("short-after-the-country", "中国海淀翡岚", ("北京市", "北京市", "海淀区", None)),
    ("province-or-city", "海南翡岚三亚市文瑞路8号", ("海南省", "三亚市", None, None)),
    ("administrative-level", "海南省省直辖县级行政区划万宁市文瑞路8号", ("海南省", None, "万宁市", None)),
    ("city-holds-its-districts-name", "乐山市市中区文瑞路8号", ("四川省", "乐山市", "市中区", None)),
    ("shared-character", "青岛市南区文瑞路8号", ("山东省", "青岛市", "市南区", None)),
    ("shares-no-district", "濮阳市区文瑞路8号", ("河南省", "濮阳市", None, None)),
    ("said-twice", "北京市北京市朝阳区文瑞路8号", BEIJING),
    ("district-before-its-city", "宣武北京市文瑞路8号", ("北京市", "北京市", "西城区", None)),
    ("portal-without-a-district", "杭州市其它区文瑞路8号", HANGZHOU),
    ("bare-town-before-a-road", "义乌市佛堂车站路8号", ("浙江省", "金华市", "义乌市", "佛堂镇")),
    ("bare-town-in-a-name", "义乌市佛堂车站", ("浙江省", "金华市", "义乌市", None)),
    # a road's part that sounds like a district
    ("part-of-a-road", "驻马店市中山路北段8号", ("河南省", "驻马店市", None, None)),
    ("part-of-a-road-alone", "中山路北段8号", NONE),
    ("part-of-a-road-in-its-city", "唐山路北段8号", NONE),
    ("district-after-its-city", "唐山路北文瑞路8号", ("河北省", "唐山市", "路北区", None)),
    # after the road
    ("after-number", "文瑞路8号海淀北京", ("北京市", "北京市", "海淀区", None)),
    ("after-number-full", "文瑞路8号萧山区", ("浙江省", "杭州市", "萧山区", None)),
    ("after-number-short", "文瑞路8号海淀", ("北京市", "北京市", "海淀区", None)),
    ("after-comma", "文瑞路8号,海淀区,北京市", ("北京市", "北京市", "海淀区", None)),
    ("after-number-not-to-the-end", "文瑞路8号海淀岚", NONE),
    # full names inside a text
    ("after-a-place", "翡岚宁波市文瑞路8号", ("浙江省", "宁波市", None, None)),
    ("after-a-place-related", "杭州市翡岚西湖区文瑞路8号", XIHU),
    ("after-a-place-unrelated", "杭州市翡岚鄞州区文瑞路8号", HANGZHOU),
    ("inside-lone-district", "杭州市西湖区鄞州区", XIHU),
    ("inside-then-road", "杭州西湖区鄞州区文瑞路8号", XIHU),
    # near misses: roads and organisations
    ("full-name-road", "杭州市路8号", NONE),
    ("named-road", "杭州西湖路8号", HANGZHOU),
    ("named-road-alone", "北京路8号", NONE),
    ("city-of-a-road", "朝阳北京路8号", ("辽宁省", "朝阳市", None, None)),
    ("named-school", "浙江杭州西湖师范学校", HANGZHOU),
    ("university", "杭州师范大学8号", NONE),
    ("short-city-then-place", "杭州翡岚大厦8号", HANGZHOU),
    ("other-city-in-a-name", "杭州市西湖区宁波文瑞路8号", XIHU),
    ("short-city-elsewhere", "浙江上海文瑞路8号", ("浙江省", None, None, None)),
    # wrong endings
    ("county-for-district", "杭州市西湖县文瑞路8号", XIHU),
    ("ending-of-nothing", "杭州区文瑞路8号", NONE),
    # short districts need evidence
    ("district-with-town", "合水板桥镇岚泽村", ("甘肃省", "庆阳市", "合水县", "板桥镇")),
    ("district-with-road", "海淀文瑞路8号", ("北京市", "北京市", "海淀区", None)),
    ("district-in-a-name", "合水岚泽村", NONE),
    ("district-after-name", "翡岚海淀文瑞路8号", NONE),
]  # fmt: skip
TOWNS = [
    ("full", "西湖区三墩镇文瑞路8号", SANDUN),
    ("under-its-city", "杭州市三墩镇文瑞路8号", SANDUN),
    ("under-its-province", "浙江省三墩镇", SANDUN),
    ("alone", "转塘街道文瑞路8号", ("浙江省", "杭州市", "西湖区", "转塘街道")),
    ("before-its-city", "三墩镇杭州市文瑞路8号", SANDUN),
    ("office", "杭州市西湖区转塘街道办文瑞路8号", ("浙江省", "杭州市", "西湖区", "转塘街道")),
    ("street-office", "杭州市西湖区转塘街办文瑞路8号", ("浙江省", "杭州市", "西湖区", "转塘街道")),
    ("street-named-office", "杭州市西湖区北山街办8号", ("浙江省", "杭州市", "西湖区", "北山街道")),
    ("bare-at-the-end", "杭州市西湖区转塘", ("浙江省", "杭州市", "西湖区", "转塘街道")),
    ("bare-before-village", "杭州市西湖区转塘岚泉村", ("浙江省", "杭州市", "西湖区", "转塘街道")),
    ("bare-between-blanks", "杭州市西湖区 转塘 岚泉村", ("浙江省", "杭州市", "西湖区", "转塘街道")),
    ("bare-again", "杭州市西湖区双浦镇双浦岚泽村", ("浙江省", "杭州市", "西湖区", "双浦镇")),
    ("named-like-its-county", "恭城镇文瑞路8号", ("广西壮族自治区", "桂林市", "恭城瑶族自治县", "恭城镇")),
    (
        "named-like-its-county-and-in-it",
        "恭城瑶族自治县恭城镇文瑞路8号",
        ("广西壮族自治区", "桂林市", "恭城瑶族自治县", "恭城镇"),
    ),
    ("named-like-a-district", "鼓楼镇文瑞路8号", (None, None, None, "鼓楼镇")),
    ("named-like-a-district-of-it", "江苏鼓楼镇文瑞路8号", ("江苏省", None, None, "鼓楼镇")),
    (
        "regiment",
        "新疆石河子市152团文瑞路8号",
        ("新疆维吾尔自治区", None, "石河子市", "兵团一五二团"),
    ),
    ("unknown-regiment", "杭州市45团文瑞路8号", ("浙江省", "杭州市", None, "45团")),
    ("regiment-alone", "45团文瑞路8号", NONE),
    ("unknown-in-a-city", "杭州市岚泽镇文瑞路8号", ("浙江省", "杭州市", None, "岚泽镇")),
    ("second-town", "杭州市双浦镇三墩镇文瑞路8号", ("浙江省", "杭州市", "西湖区", "双浦镇")),
    # near misses
    ("unknown-alone", "岚泽镇文瑞路8号", NONE),
    ("one-character", "岚镇8号", NONE),
    ("office-alone", "岚泽办事处文瑞路8号", NONE),
    ("holiday-town", "杭州市岚泽小镇8号", HANGZHOU),
    ("in-a-buildings-name", "杭州市岚泽大厦镇8号", HANGZHOU),
    ("too-long", "杭州市甲乙丙丁戊己庚镇8号", HANGZHOU),
    ("bare-in-a-compounds-name", "杭州市西湖区转塘岚泽家园8号", XIHU),
    ("bare-in-a-roads-name", "杭州市西湖区转塘路8号", XIHU),
    ("bare-street", "杭州市西湖区北山街8号", XIHU),
    ("bare-in-a-lines-name", "杭州市西湖区转塘线8号", XIHU),
    ("bare-in-a-sections-name", "杭州市西湖区转塘岚区8号", XIHU),
    ("bare-after-another-town", "三墩镇杭州双浦翡岚公司", SANDUN),
    (
        "bare-in-an-unknown-towns-name",
        "杭州市西湖区北山岚街道8号",
        ("浙江省", "杭州市", "西湖区", "北山岚街道"),
    ),
    ("bare-after-a-place", "杭州市西湖区翡岚苑转塘", XIHU),
]  # fmt: skip
ZONES = [
    ("after-a-city", "杭州市岚泽开发区文瑞路8号", "岚泽开发区"),
    ("at-the-start", "岚泽开发区文瑞路8号", "岚泽开发区"),
    ("longer-of-two", "杭州市岚泽经济技术开发区新区文瑞路8号", "岚泽经济技术开发区"),
    ("after-a-road", "文瑞路岚泽开发区", None),
    ("with-a-road-in-it", "杭州市岚泽路开发区8号", None),
]


@pytest.mark.parametrize(
    ("text", "want"),
    [row[1:] for row in (*DIVISIONS, *TOWNS)],
    ids=[row[0] for row in (*DIVISIONS, *TOWNS)],
)
def test_levels_of_a_text(text: str, want: Levels) -> None:
    """The levels that the text names or that follow, and no others."""
    assert levels(parse(text)) == want


@pytest.mark.parametrize(("text", "zone"), [z[1:] for z in ZONES], ids=[z[0] for z in ZONES])
def test_zone_of_a_text(text: str, zone: str | None) -> None:
    """A zone stands at the start or after divisions."""
    assert parse(text).zone == zone


def test_towns_owners_are_the_near_ones() -> None:
    """A town's name that many districts share stands for those in the region said before."""
    table = divisions.load()
    everywhere = Scanner("城关镇", table).run().towns[0].owners
    near = Scanner("甘肃省兰州市城关镇", table).run().towns[0].owners
    assert len(everywhere) > len(near) > 0
    assert {table.get(owner).city for owner in near} == {"兰州市"}


def test_mentions_lie_in_the_text_in_order() -> None:
    """Each mention's span is where its name is written."""
    text = "浙江省杭州市西湖区三墩镇岚泽开发区文瑞路8号"
    scan = Scanner(text, divisions.load()).run()
    assert [m.name for m in scan.mentions] == ["浙江省", "杭州市", "西湖区"]
    spans = [(p.name, p.start, p.end) for p in scan.mentions]
    spans += [(p.name, p.start, p.end) for p in scan.towns]
    spans += [(p.name, p.start, p.end) for p in scan.zones]
    assert all(text[start:end] == name for name, start, end in spans)
    assert [start for _, start, _ in spans] == sorted(start for _, start, _ in spans)


def test_an_open_district_may_be_repeated_by_its_short_name() -> None:
    """朝阳区 is in two cities; 朝阳 after it says nothing new and is no part of the road."""
    address = parse("朝阳区 朝阳望澜路8号")
    assert (address.ambiguous, address.district, address.road) == (True, "朝阳区", "望澜路")

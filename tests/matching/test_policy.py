"""The decision table of policy `place`, row by row, in both directions."""

from __future__ import annotations

import pytest

from menpai.address.parse import parse
from menpai.matching.decide import decide

EXACT, PARTIAL, NOT = "exact_match", "partial_match", "not_match"

ROWS = [
    # finest element equal; missing on one side only: divisions, zone, roadno, building-type poi, floor
    ("division-missing", "杭州市西湖区文瑞路18号", "杭州文瑞路18号", EXACT),
    ("zone-missing", "苏州市高新区泰岚路12号", "苏州市泰岚路12号", EXACT),
    (
        "roadno-missing-poi-equal",
        "长沙市岳麓区枫岚路66号翡岚苑3栋",
        "长沙市岳麓区枫岚路翡岚苑3栋",
        EXACT,
    ),
    ("building-type-missing", "上海市黄浦区澜江路66号嘉澜大厦", "上海市黄浦区澜江路66号", EXACT),
    (
        "floor-implied",
        "南京市建邺区庐澜路9号嘉和大厦12层1203室",
        "南京市建邺区庐澜路9号嘉和大厦1203室",
        EXACT,
    ),
    # missing building or unit above an equal room
    (
        "building-missing-room-equal",
        "成都市武侯区锦岚苑3栋302室",
        "成都市武侯区锦岚苑302室",
        PARTIAL,
    ),
    (
        "unit-missing-room-equal",
        "成都市武侯区锦岚苑3栋2单元302室",
        "成都市武侯区锦岚苑3栋302室",
        PARTIAL,
    ),
    # one side stops at compound, roadno or building
    ("stops-at-compound", "成都市武侯区锦岚苑3栋302室", "成都市武侯区锦岚苑", PARTIAL),
    ("stops-at-roadno", "广州市天河区澜泉路8号5栋601室", "广州市天河区澜泉路8号", PARTIAL),
    ("stops-at-building", "成都市武侯区锦岚苑3栋302室", "成都市武侯区锦岚苑3栋", PARTIAL),
    # same compound, other building; same building, other unit or room
    ("other-building", "成都市武侯区锦岚苑3栋", "成都市武侯区锦岚苑4栋", NOT),
    ("other-unit", "成都市武侯区锦岚苑3栋1单元302室", "成都市武侯区锦岚苑3栋2单元302室", NOT),
    ("other-room", "成都市武侯区锦岚苑3栋302室", "成都市武侯区锦岚苑3栋402室", NOT),
    # same road + roadno, one side adds a tenant / two tenants / two compound names
    ("tenant-added", "宁波市鄞州区澜泉路100号岚泽贸易有限公司", "宁波市鄞州区澜泉路100号", PARTIAL),
    (
        "two-tenants",
        "宁波市鄞州区澜泉路100号岚泽贸易有限公司",
        "宁波市鄞州区澜泉路100号鼎峰机械有限公司",
        NOT,
    ),
    ("two-compounds", "武汉市江岸区澜泉路100号翡翠湾", "武汉市江岸区澜泉路100号枫丹苑", PARTIAL),
    # the same two names, one of them taken for the place here and the other there
    (
        "names-exchanged",
        "宁波市鄞州区枫丹花园一巷2号嘉澜大厦701",
        "宁波市鄞州区33区枫丹花园一巷2号嘉澜大厦",
        PARTIAL,
    ),
    # an ordinal's 第, a letter's dash, a list of buildings and the one that is meant
    ("ordinal", "深圳市宝安区泰岚第二工业区3栋", "深圳市宝安区泰岚二工业区3栋", EXACT),
    ("letter-dash", "深圳市宝安区泰岚工业城A-1栋", "深圳市宝安区泰岚工业城A1栋", EXACT),
    ("list-and-one", "深圳市宝安区锦岚苑16、17、18栋17栋", "深圳市宝安区锦岚苑17栋", EXACT),
    ("list-and-another", "深圳市宝安区锦岚苑16、17、18栋17栋", "深圳市宝安区锦岚苑18栋", NOT),
    # one village, and places in it that have nothing in common
    (
        "road-and-park-of-a-village",
        "杭州市余杭区仓前街道朱庙村泰岚路9号",
        "杭州市余杭区仓前街道朱庙村枫丹工业区3栋",
        NOT,
    ),
    (
        "house-and-road-of-a-village",
        "杭州市余杭区仓前街道朱庙村117号",
        "杭州市余杭区仓前街道朱庙村泰岚路1023号枫丹花园",
        NOT,
    ),
    (
        "one-number-in-a-village",
        "杭州市余杭区仓前街道朱庙村117号",
        "杭州市余杭区仓前街道朱庙村泰岚路117号",
        PARTIAL,
    ),
    # roadnos differ
    (
        "roadnos-differ-same-poi",
        "武汉市江岸区澜泉路100号翡岚湾小区",
        "武汉市江岸区澜泉路102号翡岚湾小区",
        PARTIAL,
    ),
    ("roadnos-differ", "北京市朝阳区建岚路88号", "北京市朝阳区建岚路90号", NOT),
    # 12号 and 12-1号; 57号 and 56-58号
    ("part-of-number", "厦门市思明区澜泉路12号", "厦门市思明区澜泉路12-1号", PARTIAL),
    ("in-range", "厦门市思明区澜泉路57号", "厦门市思明区澜泉路56-58号", PARTIAL),
    # same road, roadno on one side only, no poi
    ("number-on-one-side", "厦门市思明区澜泉路57号", "厦门市思明区澜泉路", PARTIAL),
    # same road or division, nothing finer on either side
    ("same-road-only", "厦门市思明区澜泉路", "厦门思明区澜泉路", EXACT),
    ("same-division-only", "北京市朝阳区", "北京朝阳区", EXACT),
    # province/city missing where the road is everywhere
    ("common-road-without-city", "解放路100号", "长春市南关区解放路100号", PARTIAL),
    # district conflict with the same road and number; province or city conflict
    ("district-conflict", "深圳市福田区澜泉路100号", "深圳市罗湖区澜泉路100号", PARTIAL),
    ("province-conflict", "河北省保定市莲池区澜泉路100号", "河南省郑州市金水区澜泉路100号", NOT),
    ("city-conflict", "江苏省苏州市澜泉路100号", "江苏省无锡市澜泉路100号", NOT),
    # 附近, 对面 on either side
    ("near", "杭州市西湖区文瑞路18号附近", "杭州市西湖区文瑞路18号", PARTIAL),
    ("opposite", "杭州市西湖区翡岚苑对面", "杭州市西湖区翡岚苑", PARTIAL),
    # junk
    ("junk", "测试测试测试", "杭州市西湖区文瑞路18号", NOT),
    # forms of one number
    ("numerals", "杭州市西湖区文瑞路一百零八号", "杭州市西湖区文瑞路１０８號", EXACT),
    ("dash-form", "杭州市西湖区翡岚苑7栋2单元802室", "杭州市西湖区翡岚苑7-2-802", EXACT),
    ("building-words", "杭州市西湖区翡岚苑3幢", "杭州市西湖区翡岚苑三号楼", EXACT),
    ("side-of-road", "杭州市西湖区文瑞南路18号", "杭州市西湖区文瑞北路18号", NOT),
    ("renamed", "杭州市下城区澜泉路18号", "杭州市拱墅区澜泉路18号", EXACT),
]


@pytest.mark.parametrize(
    ("left", "right", "label"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_row_of_the_table(left: str, right: str, label: str) -> None:
    """A row gives its label, whichever side is left, with one score."""
    a, b = parse(left), parse(right)
    forward, backward = decide(a, b), decide(b, a)
    assert (forward.label, backward.label) == (label, label)
    assert forward.score == pytest.approx(backward.score)


CCKS_ROWS = [
    ("other-building", "成都市武侯区锦岚苑3栋", "成都市武侯区锦岚苑4栋", PARTIAL),
    ("other-room", "成都市武侯区锦岚苑3栋302室", "成都市武侯区锦岚苑3栋402室", PARTIAL),
    (
        "two-tenants",
        "宁波市鄞州区澜泉路100号岚泽贸易有限公司",
        "宁波市鄞州区澜泉路100号鼎峰机械有限公司",
        PARTIAL,
    ),
    ("district-conflict", "深圳市福田区澜泉路100号", "深圳市罗湖区澜泉路100号", EXACT),
]


@pytest.mark.parametrize(
    ("left", "right", "label"), [r[1:] for r in CCKS_ROWS], ids=[r[0] for r in CCKS_ROWS]
)
def test_ccks_differs_where_it_should(left: str, right: str, label: str) -> None:
    """The benchmark's habit takes conflicting children of one place as a partial match."""
    assert decide(parse(left), parse(right), policy="ccks").label == label


@pytest.mark.parametrize(
    ("left", "right", "label"), [r[1:] for r in ROWS], ids=[r[0] for r in ROWS]
)
def test_the_label_is_the_likeliest(left: str, right: str, label: str) -> None:
    """No label contradicts its own probabilities."""
    likely = decide(parse(left), parse(right)).probabilities
    assert likely[label] == max(likely.values())

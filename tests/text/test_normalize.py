"""The canonical form: each rule with what it must do and, beside it, what it must leave alone."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import example, given, settings, strategies as st

from menpai.errors import InputError
from menpai.text import traditional
from menpai.text.normalize import (
    STEPS,
    Normalized,
    Step,
    _run_steps,
    normalize,
    normalize_batch,
)
from menpai.text.offsets import Aligned

RULES = {
    "markup": [
        ("<b>青年路</b>1号<br/>2栋", "青年路1号 2栋"),
        ("青年路1号&nbsp;2栋&nbsp2层", "青年路1号 2栋 2层"),
        ("&#31859;仓&#x8DEF;", "米仓路"),
        ("A&amp;B大厦", "A&B大厦"),
        ("青年路&amp;amp;nbsp;1号", "青年路1号"),
        ("<!-- 备注 -->青年路", "青年路"),
        ("青年路&#38;#x26;amp;1号", "青年路&1号"),
        ("3<5号", "3[5号"),
        ("<b<b>青年路>", "[b 青年路]"),
        ("＜b＞青年路", "[b]青年路"),
        ("A&B大厦", "A&B大厦"),
    ],
    "width": [
        ("青年路１２３号Ａ座", "青年路123号A座"),
        ("①号楼", "1号楼"),
        ("㈠", "(一)"),
        ("1️⃣栋", "1栋"),
        ("٣号", "3号"),
        ("cafe\u0301", "caf\u00e9"),
        ("ｶﾞ", "ガ"),
        ("e" + "\u0301" * 50, "\u00e9"),
    ],
    "radicals": [("⻄安市⻓安区⾦⻔路", "西安市长安区金门路")],
    "invisible": [
        ("青\u200b年\ufeff路\u202e1\u2069号\x00", "青年路1号"),
        ("青年路\ud8001号", "青年路1号"),
        ("葛\U000e0100城路", "葛城路"),
    ],
    "blanks become one": [
        ("青年路\t东\n\r 侧\u3000\u00a0门", "青年路 东 侧 门"),
        ("  青年路 ", "青年路"),
        ("", ""),
        (" , ", ""),
    ],
    "emoji": [("青年路😀东侧", "青年路 东侧"), ("★青年路★", "青年路"), ("👨‍👩‍👧家园", "家园")],
    "brackets": [
        ("青年路（东侧）1号", "青年路(东侧)1号"),
        ("〔东侧〕⟨西侧⟩", "(东侧)(西侧)"),
        ("【东侧】［a］「b」『c』《d》", "[东侧][a][b][c][d]"),
        ("青年路（东侧", "青年路(东侧"),
        ("( 东侧 )", "(东侧)"),
    ],
    "punctuation": [
        ("青年路，东侧；西侧。南侧！", "青年路,东侧,西侧,南侧"),
        ("电话：010", "电话:010"),
        ("青年路……东侧", "青年路,东侧"),
        ("青年路...东侧", "青年路,东侧"),
        ("临.222号", "临.222号"),
        ("阿尔法•贝塔・伽马", "阿尔法·贝塔·伽马"),
        ("“金色”'花园'", "金色花园"),
        ("3、、5号", "3、5号"),
        ("，，青年路 ， ，1号，", "青年路,1号"),
        ("青年路/东侧", "青年路/东侧"),
    ],
    "dashes": [
        ("7—2－802", "7-2-802"),
        ("7‐2‑8‒0–2―1−3﹣4", "7-2-8-0-2-1-3-4"),
        ("7--2――802", "7-2-802"),
        ("7ー2一802", "7-2-802"),
        ("センター", "センター"),
        ("一一路", "一一路"),
    ],
    "blanks in a number": [
        ("青年路 1 号", "青年路1号"),
        ("3 号楼 2 单元", "3号楼 2单元"),
        ("B 座", "B座"),
        ("十二 号", "12号"),
        ("廿 号", "20号"),
        ("7 - 2 - 802", "7-2-802"),
        ("7 -2- 802", "7-2-802"),
        ("5 #", "5号楼"),
        ("青年路 东侧", "青年路 东侧"),
        ("青年路 12345", "青年路12345"),
        ("青年路 510000", "青年路 510000"),
        ("青年路 13800001111", "青年路 13800001111"),
        ("青年路 0755-12345678", "青年路 0755-12345678"),
        ("青年路 7-2-802", "青年路7-2-802"),
        ("13800001111 楼下", "13800001111 楼下"),
        ("青年路14 75号", "青年路14 75号"),
        ("3号楼 502", "3号楼 502"),
    ],
    "traditional": [
        ("臺灣省", "台湾省"),
        ("東莞市虎門鎮", "东莞市虎门镇"),
        ("運河北路84號行運茶餐廳", "运河北路84号行运茶餐厅"),
        ("五嶽街裏仁巷", "五岳街里仁巷"),
        ("後海", "后海"),
        ("衞国道舗", "卫国道铺"),
        ("乾縣於潛鎮", "乾县於潜镇"),
        ("位於青年路", "位于青年路"),
        ("坐落於青年路", "坐落于青年路"),
        ("處於市區", "处于市区"),
        ("至於1號", "至于1号"),
        ("於此", "于此"),
        ("位於於潛鎮", "位于於潜镇"),
        ("於氏宗祠", "於氏宗祠"),
    ],
    "blanks in a name": [
        ("平安县石 桥镇", "平安县石桥镇"),
        ("平安县石 桥 镇", "平安县石桥镇"),
        ("平安区爱 民街", "平安区爱民街"),
        ("平安市石桥 镇", "平安市石桥镇"),
        ("平安市石桥 镇青年路", "平安市石桥镇青年路"),
        ("石桥 乡", "石桥乡"),
        ("石桥 村 3组", "石桥村 3组"),
        ("石桥 村委会", "石桥村委会"),
        ("石桥 街道青年路", "石桥街道青年路"),
        ("文昌 南路", "文昌南路"),
        ("文昌 东街1号", "文昌东街1号"),
        ("文昌 南路与青年路交叉口", "文昌南路与青年路交叉口"),
        ("台州 市路桥区", "台州市路桥区"),
        ("上海 市虹口区", "上海市虹口区"),
        ("青年 路8号", "青年路8号"),
        ("青年 路八号", "青年路8号"),
        ("青年 大道", "青年大道"),
        ("青年 大道东", "青年大道东"),
        ("北京 市", "北京市"),
        ("北京 市朝阳区", "北京市朝阳区"),
        ("北京 市东城区", "北京市东城区"),
        ("江苏 省丹阳市", "江苏省丹阳市"),
        ("朝阳 区", "朝阳区"),
        ("朝阳 区青年路8号", "朝阳区青年路8号"),
        ("平安 县石桥镇", "平安县石桥镇"),
        ("文昌 号", "文昌号"),
    ],
    "blanks between names stay": [
        (text, text)
        for text in (
            "重庆 重庆市 沙坪坝区 青年路33号",
            "浙江省 石桥镇 吴兴区石桥镇",
            "5楼WeWork 200010 桃子",
            "李某某 13500002222 石桥 石桥镇",
            "山东 临沂 兰山区 临西十路",
            "青岛 市南区",
            "唐山 路南区",
            "台州 路桥区",
            "济南 市中区",
            "苏州 市区",
            "苏州 市场路吴中区",
            "广州 市桥街道",
            "江苏 镇江",
            "贵州 镇宁县",
            "浙江 宁波 镇海区",
            "惠阳 镇隆镇",
            "石桥 镇西路",
            "山西 乡宁县",
            "武汉 街道口",
            "平安 县前街",
            "平安县城 青年路",
            "石桥镇 镇政府",
            "石桥村 村委会",
            "杭州市 区政府",
            "平安市 南路",
            "平安 南路口",
            "平安 东街道",
            "青年路8号 区小姐",
            "桃子 区建国 13500002222",
            "青年 路510000",
            "A 区",
        )
    ],
    "simplified stays": [
        (name, name)
        for name in "皇后里 余干县 台州 乾安县 於潜镇 濛江乡 垌塚镇 藉口镇 沈丘 滘口 礐石".split()
    ],
    "numerals": [
        ("十二号", "12号"),
        ("二〇三室", "203室"),
        ("二○三室", "203室"),
        ("二O三室", "203室"),
        ("二0三室", "203室"),
        ("四七Ｏ弄", "470弄"),
        ("2〇3室", "203室"),
        ("1O1室", "101室"),
        ("一百零八号", "108号"),
        ("壹伍玖号", "159号"),
        ("廿三号", "23号"),
        ("五楼", "5楼"),
        ("三栋二单元", "3栋2单元"),
        ("三幢", "3栋"),
        ("七十二弄", "72弄"),
        ("甲十号", "甲10号"),
        ("附二号", "附2号"),
        ("二期", "2期"),
        ("文景一座", "文景1座"),
        ("二〇三房", "203房"),
        ("幸福村三组", "幸福村3组"),
        ("幸福村三社", "幸福村3社"),
        ("三组村民小组", "3组村民小组"),
        ("农场第六生产队", "农场6生产队"),
        ("七里办事处三组", "七里办事处3组"),
        ("七里三组", "七里3组"),
        ("八一三队", "813队"),
        ("八一十号", "八10号"),
        ("三〇0二室", "3002室"),
        ("0〇0〇室", "000〇室"),
        ("一座五零二室", "1座502室"),
        ("一座502", "1座502"),
        ("二座第三座", "2座3座"),
        ("三铺三铺", "3铺3铺"),
        ("三期组团", "3期组团"),
        ("三组团结路", "3组团结路"),
        ("青年路十号湖村超市", "青年路10号湖村超市"),
        ("青年大道七栋楼社区", "青年大道7栋楼社区"),
        ("五栋一层中关村超市", "5栋1层中关村超市"),
        ("3号楼二门", "3号楼2门"),
        ("前行五十米处", "前行50米处"),
        ("四、五、六层", "4、5、6层"),
        ("五至八层", "5-8层"),
    ],
    "numerals in names stay": [
        (name, name)
        for name in (
            "第三大街 二七路 五一广场 三里屯 101团 八一路 十里铺 六合 四季青 三门县 七里河 万科 "
            "五号桥 一号公馆 二号线 三号路 八楼乡 三栋镇 三弄瑶族乡 五楼新村 二队村 "
            "六组路 三座店镇 三房巷 二铺镇 三排镇 五户村 四层楼 十字楼梯 一室一厅 三门峡 百楼 "
            "五号村民委员会 大二号回族乡 十四号种畜场 壹号公馆 金都壹号 一米阳光 2栋三门诊 "
            "三十铺 九组团 公元三门 三层岩 十号湖村 石塘镇十号湖村 七栋楼社区 九层岩村 三层店村 "
            "新桥街道七栋楼社区 三房二厅 三铺四道街 一排五村 "
            "三四号 一二层 四五六期 三四单元 12号之三室 之一号 之十二楼"
        ).split()
    ],
    "ordinals": [
        ("第三层", "3层"),
        ("第3号楼", "3号楼"),
        ("第12栋第2单元", "12栋2单元"),
        ("56第3层", "56 3层"),
        ("第第3层", "3层"),
        ("第负二层", "B2层"),
        ("第3大街", "第三大街"),
        ("第三小学", "第三小学"),
        ("第十二号", "第12号"),
        ("青年花园第2组团", "青年花园二组团"),
    ],
    "road numbers": [
        ("太原1路", "太原一路"),
        ("水斗坑14巷", "水斗坑十四巷"),
        ("临西10路5号", "临西十路5号"),
        ("上地5街", "上地五街"),
        ("北3环", "北三环"),
        ("东四10条", "东四十条"),
        ("第5大道", "第五大道"),
        ("白塔1路", "白塔一路"),
        ("青年花园12组团", "青年花园十二组团"),
        ("幸福村3组团结路", "幸福村3组团结路"),
        ("107国道", "107国道"),
        ("院2号路", "院2号路"),
        ("长安312路", "长安312路"),
        ("88号3路", "88号3路"),
        ("乘5路公交", "乘5路公交"),
        ("前方2路口", "前方2路口"),
        ("455弄", "455弄"),
        ("12号附3", "12号附3"),
        ("3路", "3路"),
    ],
    "numbers after 之": [
        ("195号之1", "195号之1"),
        ("195号之一", "195号之一"),
        ("60号之12", "60号之12"),
        ("195之1号", "195之1号"),
        ("五十八号之一", "58号之一"),
        ("195号之一二楼", "195号之一2楼"),
        ("195号之一 二楼", "195号之一 2楼"),
    ],
    "buildings": [
        ("3幢", "3栋"),
        ("A幢", "A栋"),
        ("3橦", "3栋"),
        ("3憧2懂1冻", "3栋2栋1栋"),
        ("石幢新村", "石幢新村"),
        ("三幢村", "三幢村"),
        ("5冻库", "5冻库"),
        ("憧憬花园", "憧憬花园"),
    ],
    "number signs": [
        ("5#楼", "5号楼"),
        ("5＃栋", "5号楼"),
        ("5#502", "5号楼502"),
        ("5#2单元", "5号楼2单元"),
        ("阳光小区5#", "阳光小区5号楼"),
        ("2#、3#", "2号楼、3号楼"),
        ("三#楼", "3号楼"),
        ("长江路88#", "长江路88号"),
        ("长江路88-2A#", "长江路88-2A号"),
        ("长江路5#楼", "长江路5号楼"),
        ("幸福村12#", "幸福村12号"),
        ("幸福村3#", "幸福村3号"),
        ("阳光小区101#", "阳光小区101号"),
        ("13#厂房", "13号厂房"),
        ("3#号商铺", "3号商铺"),
        ("#502", "#502"),
    ],
    "ranges": [
        ("56～58号", "56-58号"),
        ("56〜58号", "56-58号"),
        ("56至58号", "56-58号"),
        ("56号至58号", "56-58号"),
        ("1到3层", "1-3层"),
        ("9至17点", "9至17点"),
        ("2号到3栋", "2号到3栋"),
        ("1~2", "1~2"),
        ("101、102室", "101、102室"),
        ("3、5号", "3、5号"),
    ],
    "leading zeros": [
        ("08栋", "8栋"),
        ("02单元01层", "2单元1层"),
        ("003号楼", "3号楼"),
        ("03、04单元", "3、4单元"),
        ("08-88号", "08-88号"),
        ("0302室", "0302室"),
        ("05号", "05号"),
        ("100栋", "100栋"),
        ("00单元", "00单元"),
    ],
    "basements": [
        *(
            (f"广场{written}", "广场B1层")
            for written in "负一层 负1楼 负1F 地下一层 地下1层 地下一楼 -1层 -1楼 B1楼 B1F b1层".split()
        ),
        ("广场地下二层", "广场B2层"),
        ("广场,-3层", "广场,B3层"),
        ("广场B1", "广场B1"),
        ("广场负一", "广场B1"),
        ("广场负1-附5号", "广场B1-附5号"),
        ("6.9负2层", "6.9 B2层"),
        ("5栋-3层", "5栋-3层"),
        ("8-1层", "8-1层"),
        ("1层-2层", "1层-2层"),
        ("B1楼2单元", "B1楼2单元"),
        ("B4楼", "B4楼"),
        ("地下室", "地下室"),
        ("地下1-9房", "地下1-9房"),
        ("负责人", "负责人"),
    ],
    "towers": [
        *(
            (f"国贸{written}", "国贸T1")
            for written in "T1 塔1 塔一 1号塔 一号塔 T1塔 1号塔楼 Tower1".split()
        ),
        ("国贸Tower 1", "国贸T1"),
        ("SOHO塔1", "SOHO T1"),
        ("1号塔1203室", "T1 1203室"),
        ("国贸塔1 A座", "国贸T1 A座"),
        ("白塔1", "白塔1"),
        ("东塔22", "东塔22"),
        ("塔1号", "塔1号"),
        ("15号塔坛新区", "15号塔坛新区"),
        ("一号塔塔", "1号塔塔"),
        ("T1航站楼", "T1航站楼"),
        *(
            (f"青年{road}88号塔楼3层", f"青年{road}88号塔楼3层")
            for road in ("路", "街", "街道", "巷", "弄", "大道", "胡同")
        ),
        ("青年路十二号塔楼", "青年路12号塔楼"),
        ("塔1塔1", "塔1塔1"),
    ],
    "phases": [
        ("阳光城Ⅱ期", "阳光城2期"),
        ("阳光城iii期", "阳光城3期"),
        ("阳光城I期", "阳光城1期"),
        ("阳光城一期", "阳光城1期"),
        ("阳光城X期", "阳光城10期"),
        ("阳光城XI期", "阳光城XI期"),
        ("İ期", "İ期"),
        ("ıı期", "ıı期"),
    ],
    "letters": [
        ("a座", "A座"),
        ("b栋c区d单元", "B栋C区D单元"),
        ("3单元a室", "3单元A室"),
        ("ab座", "AB座"),
        ("88g", "88G"),
        ("12-b", "12-B"),
        ("a-101", "A-101"),
        ("t1", "T1"),
        ("a1号楼", "A1号楼"),
        ("WeWork", "WeWork"),
        ("soho", "soho"),
        ("mall3层", "mall3层"),
        ("50m", "50m"),
        ("2km", "2km"),
        ("100㎡", "100m2"),
        ("30th", "30th"),
        ("x", "x"),
    ],
}
CASES = [
    pytest.param(written, canonical, id=f"{rule}: {written!a}")
    for rule, pairs in RULES.items()
    for written, canonical in pairs
]


@pytest.mark.parametrize(("written", "canonical"), CASES)
def test_rule(written: str, canonical: str) -> None:
    """Each rule writes the canonical form, and its near misses stay."""
    normalized = normalize(written)
    assert normalized.text == canonical
    check_way_back(normalized)
    assert normalize(canonical).text == canonical


def test_a_whole_address() -> None:
    """The rules work together, in one reading."""
    written = "廣東省　東莞市虎門鎮(太原1路)第三工業區十二号，５幢 负一楼-a座"
    expected = "广东省 东莞市虎门镇(太原一路)第三工业区12号,5栋 B1层-A座"
    assert normalize(written).text == expected


def test_steps_are_documented_and_distinct() -> None:
    """The list of steps is shown to users: a name once, a reason as a sentence."""
    assert len({step.name for step in STEPS}) == len(STEPS)
    assert all(step.reason.endswith(".") for step in STEPS)


# The way back.


def check_way_back(normalized: Normalized) -> None:
    """Every character comes from a non-empty part of the original, in order."""
    text, original = normalized.text, normalized.original
    if normalized.starts is None:
        assert normalized.ends is None
        assert len(text) <= len(original)
        return
    assert normalized.ends is not None
    starts, ends = list(normalized.starts), list(normalized.ends)
    assert len(starts) == len(ends) == len(text)
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= a < b <= len(original) for a, b in zip(starts, ends, strict=True))


def test_span_leads_back() -> None:
    """A span of the canonical text gives what was written for it."""
    normalized = normalize("  青年路 一百零八 号（东侧）")
    text = normalized.text
    assert text == "青年路108号(东侧)"
    for part, written in [
        ("青年路", "青年路"),
        ("108", "一百零八"),
        ("号", "号"),
        ("东侧", "东侧"),
    ]:
        at = text.index(part)
        start, end = normalized.span(at, at + len(part))
        assert normalized.original[start:end] == written


def test_span_of_a_text_that_kept_its_lengths() -> None:
    """Without maps a span is its own."""
    normalized = normalize("青年路１号")
    assert normalized.starts is None
    assert normalized.span(3, 5) == (3, 5)


@pytest.mark.parametrize(("at", "expected"), [(0, (2, 2)), (3, (5, 5)), (5, (9, 9))])
def test_empty_span(at: int, expected: tuple[int, int]) -> None:
    """An empty span is empty in the original too, at the end as well."""
    mapped = Normalized("abcde", "xxabcdexx", [2, 3, 4, 5, 6], [3, 4, 5, 6, 7])
    assert mapped.span(at, at) == expected


@pytest.mark.parametrize(
    ("written", "contents"),
    [
        ("青年路（东侧）1号（2层）", ["东侧", "2层"]),
        ("青年路（东侧", []),
        ("青年路", []),
        ("((内))", ["内"]),
        ("()", [""]),
    ],
)
def test_remarks(written: str, contents: list[str]) -> None:
    """The contents of round brackets are pointed out and stay in their place."""
    normalized = normalize(written)
    assert [normalized.text[a:b] for a, b in normalized.remarks] == contents


# Laws.

FRAGMENTS = st.sampled_from(
    list(
        "〇零一二三九十百廿壹号楼栋幢座层单元室房铺弄组队期门米社路街巷条环至到和第之附甲负地下塔村镇東號後乾"
    )
    + list("Oo0123aAbBfFtTkmIVX#~-—ー ,、:.()（）【“'<>/&;!冻\u200b\u0301\ufe0f😀\ud800\x00１＃｡ﾞ")
    + "单元 号楼 地下 大街 tower 塔楼 &amp; &lt; &nbsp <b> 马路 村民小组 III期 第三 -- .. 壹号".split()
)
# One step may make way for the next: a chain of them has to settle at once, not link by link.
CHAINS = st.builds(
    lambda parts, times: "".join(parts) * times,
    st.lists(FRAGMENTS, min_size=1, max_size=4),
    st.integers(2, 30),
)
TEXTS = st.one_of(
    st.lists(FRAGMENTS, max_size=16).map("".join),
    st.lists(CHAINS, min_size=1, max_size=3).map("".join),
    st.text(st.characters(exclude_categories=[]), max_size=20),
)


@settings(max_examples=400, deadline=None)
@given(TEXTS)
@example("&amp;lt;b&amp;gt;")
@example("＜b＞路")
@example("一号塔塔塔")
@example("地下地下地下一层")
@example("之1二楼")
@example("二O〇O〇三室")
@example("三铺" * 20)
@example("三户三社三座三房三米" * 20)
@example("三座第三座" * 20)
@example("三铺一一一一一铺" * 20)
@example("<b" * 20 + ">" * 20)
@example("&#38;" + "#38;" * 20)
@example("塔1" * 20)
@example("-1F" * 20)
@example("第" * 20 + "1层")
@example("三座第第三座" * 20)
@example("二第三座" * 20)
@example("廿 号" * 20)
@example("负1" * 20)
@example("0◯" * 30)
@example("石 县塘" * 20 + "镇")
@example("米 县石 村" * 20 + "一")
@example("İ期")
def test_canonical_text_is_settled(text: str) -> None:
    """Normalising again changes nothing, and the way back is whole, for any text at all."""
    normalized = normalize(text)
    check_way_back(normalized)
    assert normalized.original == text
    again = normalize(normalized.text)
    assert again.text == normalized.text
    assert again.starts is None
    # Rules that undo each other would end the passes where they began.
    assert _run_steps(Aligned(normalized.text)).text == normalized.text


def test_every_character_is_settled() -> None:
    """No code point of the two planes in use has a form that has another form."""
    codes = (*range(0x3400), *range(0xA000, 0x20000))
    once = normalize("路".join(map(chr, codes))).text
    assert normalize(once).text == once


def test_no_character_fails() -> None:
    """Nothing raises beside a unit: no code point is taken for another that a rule knows."""
    characters = map(chr, (*range(0x2800), *range(0xA640, 0xA800), *range(0xFF00, 0x10000)))
    places = "{0}期塔{0}号塔 负{0}层第{0}座{0}路 "
    once = normalize("".join(map(places.format, characters))).text
    assert _run_steps(Aligned(once)).text == once


def test_rules_that_never_settle_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """The number of passes is bounded, whatever a rule does."""
    growing = Step("grow", "For this test.", lambda a: Aligned(a.text + "路"))
    monkeypatch.setattr(sys.modules["menpai.text.normalize"], "STEPS", (growing,))
    assert 1 < len(normalize("青").text) < 50


@given(st.lists(TEXTS, max_size=4))
@settings(max_examples=30, deadline=None)
def test_batch_is_one_by_one(texts: list[str]) -> None:
    """A batch has no say in its members."""
    assert [n.text for n in normalize_batch(iter(texts))] == [normalize(t).text for t in texts]


@pytest.mark.parametrize(
    "unit",
    [
        "北京市朝阳区青年路88号",
        "0",
        "一",
        "第",
        "石 ",
        " 镇",
        "1O",
        "\u0301\u0316",
        "<a",
        "&amp;",
        "地下",
        " ,",
        "\0",
    ],
)
def test_long_text_of_one_kind(unit: str) -> None:
    """A text that repeats what some rule looks for takes time in proportion to its length."""
    text = unit * (60_000 // len(unit))
    assert len(normalize(text).text) <= len(text)


def test_a_phrase_of_another_length_is_read_character_by_character(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Offsets hold even if a new OpenCC table lengthens a phrase."""

    class Lengthens:
        def convert(self, text: str) -> str:
            return text.replace("東", "东东")

    traditional._convertible()
    monkeypatch.setattr(traditional, "_converter", Lengthens)
    assert normalize("東門").text == "东门"


def test_heavy_libraries_wait_until_they_are_needed() -> None:
    """Importing the normaliser, and using it on simplified text, loads no dictionary."""
    code = (
        "import sys; from menpai.text.normalize import normalize; normalize('北京市青年路一号');"
        "sys.exit(any(m in sys.modules for m in ('opencc', 'pypinyin', 'numpy', 'html')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("text", [None, 5, b"x", ["a"]])
def test_only_texts_are_normalised(text: object) -> None:
    """What is no text is refused by name."""
    with pytest.raises(InputError, match=f"not {type(text).__name__}"):
        normalize(text)  # type: ignore[arg-type]

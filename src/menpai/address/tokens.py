"""The grammar of what carries a unit or an ending: one compiled pattern and the words behind it.

`TOKEN` has one named group for each kind of token; `more` closes every number.
"""

from __future__ import annotations

import re

_DIGITS = r"\d+(?:(?![Ff](?![A-Za-z]))[A-Za-z]{1,2}(?![A-Za-z]))?"
_NUMBER = (
    rf"(?:[甲乙丙丁戊己特临附增](?:字|\.)?|[东西南北中](?=\d单元))?(?:[A-Za-z]{{1,2}}-?)?{_DIGITS}"
    rf"(?:[-/](?:[A-Za-z]{{1,2}}-?)?{_DIGITS}|-[A-Za-z](?![A-Za-z]))*"
    r"(?:之(?:\d+|[一二三四五六七八九十]+)(?![一二三四五六七八九十\d楼层路街]))?"
)
_PURPOSES = [
    *(f"{who}{what}" for who in ("学生", "教工", "职工", "员工", "") for what in ("宿舍", "公寓")),
    *"教学 办公 综合 实验 科研 住宅".split(),
]
_UNIT = (
    r"号楼|号院落?|号大院|号地块|号大楼|号[商店]?铺|号店面|号房|号室|号店|号摊位?|号仓?库|号厂房|号车间|号门面?|号别墅|"
    rf"号(?:{'|'.join(_PURPOSES)})楼|"
    r"号(?!线|桥|路|街|大街|公馆|码头|高速|公路|公园|国际|工[厂地]|井|地铁|渠|[东西南北]路)|"
    r"栋楼?|座|舍(?=\d|\W|\Z)|单元|楼(?!梯|[区镇村])|层|[Ff](?![A-Za-z])|室|户|房(?![产屋子租])|商铺|铺(?!镇)|支弄|弄|巷(?=\d)|门(?![口诊])|梯|"
    r"村民小组|村民组|小组|组|生产队|大队|队|社(?!区)|委(?=\d+组)|#楼?|排|院|里(?=\d)"
)
_ROAD_END = (
    r"(?:大道|大街|(?:[东西南北中])?路(?![口边旁灯局政基桥])|路桥(?=\d|路)|街(?![道坊区心口办])|(?<!街)道(?=\d|[东西南北中]?段|\W|\Z)|胡同|"
    r"巷(?!口)|高速公路|公路|高速|高架|[国省县乡]道|[一二三四五六]环(?![一-鿿]?路))"
    r"(?:[东西南北中上下]?(?:\d|[一二三四五六七八九十])?段|(?<=道)[东西南北中](?=\d(?!\d*米)|\Z|\W|[与和及])|"
    r"(?<=[路街])[东西南北中](?=\d(?!\d*米)|\Z|\W))?"
)
_LANDMARK = (
    r"(?<=[路街道段号旁村])路[东西南北](?!区|路|街)|斜对[面过]|正对面|对[面过]|附近|旁边|边上|旁|隔壁|大?门口|(?:的)?交[叉汇界接]路?(?:口|处)|交口|十字路口|丁字路口|路口|"
    r"交叉|交汇|街口|巷口|村口|以[东西南北](?:\d+米)?|"
    r"[往向]?[东西南北]{1,2}(?:侧|边|面|行|方向|走|约)*\d+(?:多)?(?:米|m|公里)(?:处|左右|路[东西南北])?|"
    r"\d+米处?|[东西南北]{1,2}(?:[侧面]|边(?!路)|[南北]角|头)(?!路|街|门)|(?<=路)[东西南北](?=\W|\Z)|"
    r"后面|后侧|前面|里侧|出口侧?"
)
_LEAD = r"靠近|临近|邻近|紧邻|毗邻|近(?=[一-鿿]{2,8}(?:路|街|大道|站|门|口))"
_LISTED = r"(?:号[楼铺]?|[室房铺户栋层楼])"
TOKEN = re.compile(
    rf"(?P<highway>[GSXYCgsxyc]?\d+(?:国道|省道|县道|乡道|线(?=\d))|[GSXgsx]\d{{2,4}}(?=\W|\Z|[东西南北]))"
    rf"|(?P<skip>{_DIGITS}(?:期|区(?![一-鿿]{{0,3}}[路街])|团|连|年|万|路|街|条|医院|中学?|小学?)|\d+号(?=线|桥|公馆|码头|井|公路|高速)|[A-Za-z]{{3,}}\d*|[A-Za-z]区|第\d+(?!\d*号))"
    r"|(?P<kilometre>\d+(?:\.\d+)?公里(?:\+?\d+米?)?处?|[Kk]\d+\+\d+米?处?)"
    rf"|(?P<landmark>{_LANDMARK})"
    rf"|(?P<lead>{_LEAD})"
    rf"|(?P<number>{_NUMBER})(?P<unit>{_UNIT})?(?P<more>(?:[、,和][A-Za-z]?\d+[A-Za-z]?(?:-\d+)?(?:{_LISTED}|(?![\d米-]|单元|{_LISTED})))*)"
    r"|(?P<letter>(?<![A-Za-z])[A-Za-z]{1,2}(?:[座栋楼室]|单元)(?!梯)|[东西南北中](?:[座翼]|单元)|[甲乙丙丁戊](?:座|栋|单元))"
    r"|(?P<side>[东西南北中]{1,2}[户门](?=\W|\Z|室))"
    rf"|(?P<road>{_ROAD_END})"
    r"|(?P<village>村?村民委员会|村?村委会?|居民委员会|居委会|社区居委会|社区(?![一-鿿]?(?:服务|卫生|医院|党))|"
    r"村(?![委民口道镇]|大[街道]|小区|花[园苑]|公寓|家园|新[村苑]|广场|别墅|[东西南北中]?[一二三四五六]?区|[东西南北中新老]?[一二三四五六七八九十]{0,2}(?:路|街|大街)))"
    r"|(?P<hamlet>(?<=[一-鿿])(?:村民小组|村民组|小组|组(?=\W|\Z|\d|第))|屯(?=\W|\Z|\d))"
)
ROAD_ORDINAL = re.compile(r"[东西南北中]?[一二三四五六七八九十]{0,3}\Z|[东西南北]\Z")
JOIN = re.compile(r"\A(?:与|和|及|跟|、|/|-|&)")
STEM_BREAK = re.compile(
    r"公司|工厂|[一-鿿]厂|[农林牧渔茶盐]场|良种场|总场|基地|油田|监狱|片区|合作区|科学城|创新城|科技城|港区|\d期|[一二三四五]期|集聚区|功能分?区|生态城|"
    r"小区|大厦|广场|花[园苑]|社区|工业园?区?|[一-鿿]园区|市场|(?<=[一-鿿]{2})[镇乡](?![一-鿿]?\Z)|"
    r"学校|[中小]学|大学|医院|[东西南北]侧|(?<=[一-鿿]{2})村(?=[一-鿿]{2})|超市|酒店"
)
ESTATE = re.compile(
    r"(?:小区|花园|花苑|新村|公寓|家园|家苑|嘉园|佳园|雅苑|华府|[苑园庭府轩邸郡墅寓居庄湾城里坊第座阁村]|"
    r"宿舍|家属院|大院|山庄|别墅|国际|社区|名都|丽都)(?:[A-Za-z]区|[东西南北中]区|\d+期|[一二三四五六七八九十]+[区期])?\Z"
)
PLACE = re.compile(
    r"(?:工业[区城园]|大厦|大楼|广场|中心|商厦|商城|商场|基地|园区?|厂|学校|中学|小学|大学|学院|医院|酒店|宾馆|市场|办公楼|写字楼|"
    r"SOHO|[Mm]all|城|馆|场|楼|库|港|基地|门诊部|派出所)\Z"
)
TENANT = re.compile(
    r"(?:公司|事务所|经营部|门市部?|店|超市|分行|支行|工作室|商行|部|中心|站|馆|吧|厅)\Z"
)
GENERIC = re.compile(
    r"(?:[P\s]|地[下上面]|公共|公用|室外|露天|收费)*(?:停车[场库位]|车库|厕所|卫生间|洗手间|充电[站桩]|出入口|入口|出口|公交站|"
    r"[东西南北]{1,2}门|宿舍楼?|厂房?|办公楼|综合楼|商铺|店[面铺]|门[面市]|[主副裙东西南北]楼|车间|仓库|ATM|菜鸟驿站|快递[柜点]|垃圾站|物业|保安室|门卫)(?:\(.*)?\Z"
)
HEAD_TRIM = re.compile(r"\A(?:[的之、/&.·\-]|内(?!蒙)|位于|地处|坐落于|在(?=[一-鿿]{2}))+")
TAIL_TRIM = re.compile(
    r"(?<=[一-鿿A-Za-z0-9]{2})(?:院内|楼内|园内|厂内|店内|里面|内侧|内|中间|楼上|楼下|山下|底商|门面|整套|的|[·\-、.]|北侧楼房|及)+\Z"
)
NOISE = re.compile(
    r"\A(?:[国省县乡]道|[号室院户栋楼层省市区县镇乡内处旁的与和第至]|[东西南北]{1,2}[侧边面][一-鿿]{0,2}|对外|详址|夹层|自编|[/·\-.]+|整套|整层|单间|[东西南北]门)?\Z"
)
REMARK_LANDMARK = re.compile(
    r"近|对面|旁|侧|路口|交[叉汇]|[东西南北]边|出口|站|隔壁|以[东西南北]|\d米|[立高]交?桥"
)
CORNER = re.compile(r"[路街道]?口")
REMARK_LETTER = re.compile(r"[甲乙丙丁A-Za-z]")
REMARK_PART = re.compile(
    r"(?:第?[一二三四五六七八九十\d]{1,2}期|[东南西北中]{1,2}[区苑园院]|[A-Z\d][区苑园])"
)
"""A part of the compound written before the bracket, which tells it from its neighbour."""
REMARK_PLACEHOLDER = re.compile(
    r"\A(?:撤销?|原|道路|号|室|县|市|区|村|镇|自编|自主申报|仅限.*|不可.*|一?照多址|集群.*|住所申报|集中办公区|门面|办公|部位.*|入驻.*|住所.*|商用|住宅)\Z"
)
ROOM_UNITS = frozenset(
    "室 房 户 铺 商铺 号铺 号商铺 号店铺 号店面 号房 号室 号店 号摊 号摊位 号门面 号库 "
    "号仓库 排".split()
)
BUILDING_UNITS = frozenset(
    "号楼 栋 栋楼 座 舍 # #楼 号大楼 号厂房 号车间 号别墅".split()
    + [f"号{purpose}楼" for purpose in _PURPOSES]
)
FLOOR_UNITS = frozenset("楼 层 F f".split())
SHOP = re.compile(r"(?:临街|沿街)?(?:底商|商铺|店铺|铺面|铺位|店面|门面房?|门市房?|摊位|档口)\Z")
"""Words before the number of a shop: 底商3号 is room 3."""
ELEMENT_OF_UNIT = {
    **dict.fromkeys(ROOM_UNITS, "room"),
    **dict.fromkeys(BUILDING_UNITS, "building"),
    **dict.fromkeys(FLOOR_UNITS, "floor"),
    "单元": "unit",
}
LANE_UNITS = frozenset(["弄", "支弄", "巷"])
GROUP_UNITS = frozenset("委 组 小组 村民组 村民小组 队 大队 生产队 社".split())
ROADNO_UNITS = frozenset("号院 号院落 号大院 号地块 院 号门 里".split())
ROOM_LIKE = re.compile(r"[A-Za-z]{1,2}-?\d|\d{3}|\d+-\d")
STARTS_NUMBER = re.compile(r"[甲乙丙丁特临附]?\d+")
ESTATE_BREAK = re.compile(r"小区|花园|新村|公寓|家园|大厦|广场|[A-Za-z]区")
NAME_RUN = re.compile(r"[^\d\n,;()\[\] ]{2,14}")
SUB_ROOM = re.compile(r"-\d+号?(?![\d-])|至\d+室|内\d+号?工位|之(?:\d+|[一二三四五六七八九十]+)")
SUB_NUMBER = re.compile(
    r"(?:附|之|增|-)(?:\d+|[一二三四五六七八九十]+)(?:号)?|[甲乙丙丁](?![\d座栋单一-鿿])"
)
STOREY_OR_UNIT = re.compile(r"\d+(?:单元|门|层|楼)|[A-Za-z]单元|[一二三四五六七八九十]单元")
DASH_PART = re.compile(r"[A-Za-z]?\d+[A-Za-z]*|[A-Za-z]")
DASHED_ELEMENTS: dict[int, tuple[str, ...]] = {
    2: ("building", "room"),
    3: ("building", "unit", "room"),
    4: ("building", "unit", "floor", "room"),
}
"""What 8-802, 7-2-802 and 2-1-14-1401 number, from left to right."""
STOREYED_SHOP = re.compile(r"[LlFfBb]\d{1,2}\Z")
TOWER = re.compile(r"T\d{1,2}\Z")
BASEMENT = re.compile(r"[Bb]\d\Z")
LANE = re.compile(r"\d+弄\Z")
LONG_NUMBER = 7
"""Digits from which a number is an order's or a phone's, no room's."""
GENERIC_PART = re.compile(r"(?:厂房?|宿舍楼?|办公楼|综合楼|主楼|副楼|裙楼|车间|仓库|一间|部分)\Z")
SURE_ESTATE = re.compile(
    r"(?:小区|花园|花苑|新村|公寓|家园|家苑|嘉园|佳园|雅苑|[苑园府轩]|宿舍|家属院|大院|山庄|别墅|"
    r"国际|名都|丽都|[A-Za-z]区|[东西南北中]区|\d+期)\Z"
)
HOUSE_UNITS = frozenset("号铺 号商铺 号店铺 号店面 号厂房 号门面 号仓库 号车间 号店".split())
"""Units that at a road only say what stands at the number: 308号商铺 is number 308."""
STREET_MALL = re.compile(r"(?:天街|金街|步行街|商业街|美食街|风情街)\Z")
TOWN_LEFT_OVER = re.compile(r"\A(?:街道办事处|街道办|办事处|街道|办(?!公))(?=[一-鿿])")

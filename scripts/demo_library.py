"""The standard addresses of the demo: real divisions and towns, everything below them invented."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from menpai.address.divisions import Divisions

ELEMENTS = (
    "province",
    "city",
    "district",
    "town",
    "road",
    "roadno",
    "poi",
    "building",
    "unit",
    "floor",
    "room",
    "tenant",
)

DISTRICTS = """
110101 110102 110105 110108 120104 120116 130108 130203 140105 150105 150203 210102 210211 220104
220204 230103 310101 310104 310106 310112 310115 320104 320106 320114 320213 320302 320412 320506
320508 320583 330102 330105 330106 330110 330109 330113 330114 330212 330282 330302 330602 330603
330782 340104 340202 350102 350203 350404 350503 350582 360103 360702 370102 370114 370203 370211
370602 370705 410105 410305 419001 420103 420111 420503 420606 422801 429004 430104 430211 430408
440104 440106 440305 440307 440402 440606 441302 441900 442000 450103 450305 460106 460107 460400
469006 500103 500106 500107 510104 510107 510703 511102 520102 520115 520302 530102 532901 540102
610113 620102 630104 640104 650102 659001
""".split()
"""Districts, and cities without districts, of every province of the mainland."""

LANE_CITY = "310"
"""Code prefix of Shanghai, where compounds are written as lanes: 777弄24号."""

ROAD_STEMS = """
望湖 梧桐 青禾 白露 听松 拾光 揽月 书香 银杏 锦云 春晓 秋实 霁月 芳洲 丹枫 芷兰 沐风 映山 竹影 柳岸
鹭鸣 采薇 知行 笃学 云帆 飞鹭 松涛 烟雨 归雁 碧波
""".split()
ROAD_KINDS = ("路", "街", "大道", "东路", "西路", "巷")

NAME_HEADS = "锦翠澜御逸和沁瑞熙臻悦雅宸璟颐珑嘉铭泽润"
NAME_TAILS = "庭湾澜轩汀苑洲岚悦境"
COMPOUNDS = ("花园", "家园", "雅苑", "公馆", "名邸", "新村")
TOWERS = ("大厦", "国际中心", "商务中心", "科技大厦")
MALLS = ("购物中心", "广场", "生活广场")
COMPANIES = ("科技有限公司", "食品有限公司", "机械有限公司", "印务有限公司", "服饰有限公司")
SHOPS = ("咖啡", "书店", "大药房", "超市", "牛肉面馆", "花店")


@dataclass(frozen=True, slots=True)
class Record:
    """One standard address by its elements; empty where the address has none."""

    record_id: str
    code: str
    shape: str
    province: str
    city: str
    district: str
    town: str
    road: str = ""
    roadno: str = ""
    poi: str = ""
    building: str = ""
    unit: str = ""
    floor: str = ""
    room: str = ""
    tenant: str = ""

    def text(self, *leave_out: str, **changed: str) -> str:
        """Write the address, some elements left out or changed."""
        elements = {element: getattr(self, element) for element in ELEMENTS} | changed
        return "".join(elements[element] for element in ELEMENTS if element not in leave_out)

    @property
    def upper(self) -> str:
        """The divisions down to the district."""
        return self.province + self.city + self.district

    @property
    def lower(self) -> str:
        """Everything below the town."""
        return self.text("province", "city", "district", "town")


def build_library(divisions: Divisions, seed: int) -> list[Record]:
    """All records; the same for the same divisions and seed."""
    rng = random.Random(seed)  # noqa: S311 - a demo needs no secrets
    names = _names(rng)
    records: list[Record] = []
    for code in DISTRICTS:
        records += _of_district(divisions, code, rng, names)
    records += _twins(divisions, rng)
    return [replace(record, record_id=f"R{i:04d}") for i, record in enumerate(records, 1)]


def _names(rng: random.Random) -> Iterator[str]:
    """Invented stems of names, none twice, so that a name alone points to one place."""
    stems = [head + tail for head, tail in product(NAME_HEADS, NAME_TAILS) if head != tail]
    stems = [first + second[0] for first, second in product(stems, NAME_HEADS) if second != first]
    rng.shuffle(stems)
    yield from stems


def _place(divisions: Divisions, code: str, town: str) -> Record:
    division = divisions.get(code)
    city = division.city or ""
    district = division.district or ""
    return Record("", code, "", division.province, city, district, town)


def _towns(divisions: Divisions, code: str) -> list[str]:
    """Towns of a district in the order of their codes, offices and farms left out."""
    by_code = sorted((town_code, name) for name, town_code in divisions.towns(code).items())
    return [name for _, name in by_code if name.endswith(("街道", "镇", "乡"))]


def _of_district(
    divisions: Divisions, code: str, rng: random.Random, names: Iterator[str]
) -> Iterator[Record]:
    """About twenty records of one district, on roads that do not repeat within it."""
    towns = _towns(divisions, code)
    roads = [stem + kind for stem, kind in product(ROAD_STEMS, ROAD_KINDS)]
    rng.shuffle(roads)
    shapes = [_lane if code.startswith(LANE_CITY) else _compound, _block, _tower, _mall]
    for shape in (*shapes, _company, _frontage, _corner, _village):
        place = _place(divisions, code, rng.choice(towns))
        base = replace(place, road=roads.pop(), roadno=f"{rng.randint(2, 899)}号")
        yield from shape(base, rng, names, roads)


def _compound(
    base: Record, rng: random.Random, names: Iterator[str], _: list[str]
) -> Iterator[Record]:
    base = replace(base, shape="compound", poi=next(names) + rng.choice(COMPOUNDS))
    for building, unit in ((2, 1), (2, 2), (3, 1), (3, 2), (5, 1), (12, 3)):
        room = f"{rng.randint(1, 18)}0{rng.randint(1, 4)}室"
        yield replace(base, building=f"{building}栋", unit=f"{unit}单元", room=room)


def _lane(base: Record, rng: random.Random, _: Iterator[str], __: list[str]) -> Iterator[Record]:
    lane = rng.randint(100, 999)
    for house in (3, 8, 12, 24, 31, 45):
        room = f"{rng.randint(1, 6)}0{rng.randint(1, 4)}室"
        yield replace(base, shape="lane", roadno=f"{lane}弄{house}号", room=room)


def _block(
    base: Record, rng: random.Random, names: Iterator[str], _: list[str]
) -> Iterator[Record]:
    base = replace(base, shape="block", poi=next(names) + rng.choice(COMPOUNDS))
    for building in (1, 4, 6, 9):
        room = f"{rng.randint(1, 9)}0{rng.randint(1, 4)}室"
        yield replace(base, building=f"{building}号楼", room=room)


def _tower(
    base: Record, rng: random.Random, names: Iterator[str], _: list[str]
) -> Iterator[Record]:
    base = replace(base, shape="tower", poi=next(names) + rng.choice(TOWERS))
    for building in rng.choice((("A座", "B座", "C座"), ("T1座", "T2座", "T3座"))):
        floor = rng.randint(3, 28)
        room = f"{floor}{rng.randint(1, 20):02d}室"
        yield replace(base, building=building, floor=f"{floor}层", room=room)


def _mall(base: Record, rng: random.Random, names: Iterator[str], _: list[str]) -> Iterator[Record]:
    base = replace(base, shape="mall", poi=next(names) + rng.choice(MALLS))
    for floor, shop in zip((1, 2, 3), rng.sample(SHOPS, 3), strict=True):
        room = f"{floor}{rng.randint(1, 40):02d}号铺"
        yield replace(base, floor=f"{floor}层", room=room, tenant=next(names) + shop)


def _company(
    base: Record, rng: random.Random, names: Iterator[str], roads: list[str]
) -> Iterator[Record]:
    for road in (base.road, roads.pop()):
        tenant = next(names) + rng.choice(COMPANIES)
        number = f"{rng.randint(2, 899)}号"
        yield replace(base, shape="company", road=road, roadno=number, tenant=tenant)


def _frontage(
    base: Record, rng: random.Random, _: Iterator[str], roads: list[str]
) -> Iterator[Record]:
    """A plain number, and a shop front over several numbers."""
    yield replace(base, shape="plain")
    first = rng.randrange(20, 800, 2)
    yield replace(base, shape="range", road=roads.pop(), roadno=f"{first}-{first + 6}号")


def _corner(
    base: Record, _: random.Random, names: Iterator[str], roads: list[str]
) -> Iterator[Record]:
    road = f"{base.road}与{roads.pop()}交叉口"
    yield replace(base, shape="corner", road=road, roadno="", poi=next(names) + "加油站")


def _village(base: Record, rng: random.Random, _: Iterator[str], __: list[str]) -> Iterator[Record]:
    """A house of a village, where the town is no urban one."""
    if base.town.endswith(("镇", "乡")):
        village, group = rng.choice(ROAD_STEMS) + "村", rng.randint(1, 9)
        number = f"{group}组{rng.randint(1, 99)}号"
        yield replace(base, shape="village", road=village, roadno=number)


def _twins(divisions: Divisions, rng: random.Random) -> Iterator[Record]:
    """The same road and number in two cities: a query without the city cannot decide."""
    codes = [code for code in DISTRICTS if not code.startswith(LANE_CITY)]
    for stem in ROAD_STEMS[:12]:
        number = f"{rng.randint(900, 1999)}号"
        for code in rng.sample(codes, 2):
            place = _place(divisions, code, rng.choice(_towns(divisions, code)))
            yield replace(place, shape="twin", road=stem + "环路", roadno=number)

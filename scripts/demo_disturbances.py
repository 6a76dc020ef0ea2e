"""Disturbances that an address survives: the same place, written in another way.

Each function of `KINDS` takes records of the library and writes them in one such way.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from demo_library import NAME_HEADS, NAME_TAILS, Record
from opencc import OpenCC
from pypinyin import lazy_pinyin

from menpai.text.numerals import to_chinese

FORMER_NAMES = {
    "110101": "崇文区",
    "110102": "宣武区",
    "120116": "大港区",
    "310101": "卢湾区",
    "310106": "闸北区",
    "310115": "南汇区",
    "320104": "白下区",
    "320106": "下关区",
    "320508": "沧浪区",
    "330105": "下城区",
    "330212": "江东区",
    "350404": "梅列区",
    "370114": "章丘市",
    "370203": "四方区",
    "370211": "胶南市",
}
"""Districts that were abolished or renamed, by the code of what they became."""

SPLIT_FROM = {
    "临平街道": "余杭区",
    "南苑街道": "余杭区",
    "星桥街道": "余杭区",
    "乔司街道": "余杭区",
    "运河街道": "余杭区",
    "崇贤街道": "余杭区",
    "塘栖镇": "余杭区",
    "下沙街道": "江干区",
    "白杨街道": "江干区",
    "义蓬街道": "萧山区",
    "河庄街道": "萧山区",
    "新湾街道": "萧山区",
    "临江街道": "萧山区",
    "柯桥街道": "绍兴县",
    "柯岩街道": "绍兴县",
    "华舍街道": "绍兴县",
    "齐贤街道": "绍兴县",
    "安昌街道": "绍兴县",
    "钱清街道": "绍兴县",
    "兰亭街道": "绍兴县",
}
"""Towns that came to a new district when the one they belonged to was split."""

TYPOS = {
    "西湖区": "西胡区",
    "拱墅区": "拱暑区",
    "海淀区": "海定区",
    "南山区": "南山曲",
    "武侯区": "武候区",
    "天河区": "天何区",
    "徐汇区": "徐会区",
    "雁塔区": "燕塔区",
    "岳麓区": "岳路区",
    "顺德区": "顺得区",
    "昆山市": "昆三市",
    "慈溪市": "慈西市",
}

PEOPLE = ("林小满", "陈一诺", "周子墨", "吴晓岚", "郑知远")

_PROVINCE = re.compile("(省|市|壮族自治区|回族自治区|维吾尔自治区|自治区)$")
_CITY = re.compile("(市|土家族苗族自治州|白族自治州)$")
_FULL_WIDTH = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}


@dataclass(frozen=True, slots=True)
class Source:
    """The library, and a source of chance that belongs to one kind of query."""

    records: Sequence[Record]
    rng: random.Random

    def pick(self, n: int, *shapes: str, where: Callable[[Record], bool] = bool) -> list[Record]:
        """Draw different records of given shapes (of any if none is given)."""
        fit = [r for r in self.records if (r.shape in shapes or not shapes) and where(r)]
        return self.rng.sample(fit, n)

    def same_poi(self, record: Record) -> tuple[str, ...]:
        """Ids of all records of one compound, tower or mall."""
        return tuple(r.record_id for r in self.records if r.poi and r.poi == record.poi)

    def name(self) -> str:
        """A name that no record has: those of the library put the tail in the middle."""
        head, other = self.rng.sample(NAME_HEADS, 2)
        return head + other + self.rng.choice(NAME_TAILS)


Texts = Iterator[tuple[Record, str]]

HOMES = ("compound", "block")
INDOORS = ("compound", "block", "tower", "lane")
POINTED = ("compound", "block", "tower", "lane", "plain", "company")


def omitted_levels(source: Source) -> Texts:
    """Province, city, district or town left out, alone or together."""
    levels = ("province", "city", "district", "town")
    for i, record in enumerate(source.pick(12, *POINTED)):
        dropped = (levels[:1], levels[:2], levels[:3], levels[3:], levels[1:2], levels)[i % 6]
        yield record, record.text(*dropped)


def short_forms(source: Source) -> Texts:
    """浙江杭州余杭 for 浙江省杭州市余杭区."""
    for record in source.pick(12, *POINTED):
        district = record.district
        yield (
            record,
            record.text(
                "town",
                province=_PROVINCE.sub("", record.province),
                city=_CITY.sub("", record.city),
                district=district[:-1] if len(district) > 2 else district,
            ),
        )


def reordered(source: Source) -> Texts:
    """The divisions after the rest, or from small to large."""
    for i, record in enumerate(source.pick(10, *POINTED)):
        ends = record.upper, record.district + record.city + record.province
        yield record, f"{record.town}{record.lower}，{ends[i % 2]}"


def repeated_prefix(source: Source) -> Texts:
    """The divisions twice, as forms with a region field and a free field make them."""
    for i, record in enumerate(source.pick(10, *POINTED)):
        again = record.text() if i % 2 else record.district + record.town + record.lower
        yield record, f"{record.upper} {again}"


def traditional(source: Source) -> Texts:
    """Traditional characters."""
    converter = OpenCC("s2t")
    for record in source.pick(10, *POINTED):
        yield record, converter.convert(record.text())


def full_width(source: Source) -> Texts:
    """Full-width digits, letters and signs."""
    for record in source.pick(10, *POINTED, "range"):
        yield record, record.text().translate(_FULL_WIDTH)


def chinese_numerals(source: Source) -> Texts:
    """十二号 for 12号."""
    for record in source.pick(10, *HOMES):
        written = {
            element: re.sub(r"\d+", lambda m: to_chinese(int(m[0])), getattr(record, element))
            for element in ("roadno", "building", "unit")
        }
        yield record, record.text(**written)


def former_names(source: Source) -> Texts:
    """A district under the name that it or its part had until it was abolished."""
    renamed = source.pick(12, *POINTED, where=lambda record: record.code in FORMER_NAMES)
    for record in renamed:
        yield record, record.text("town", district=FORMER_NAMES[record.code])


def split_districts(source: Source) -> Texts:
    """A town with the district that it belonged to before that was split."""
    moved = source.pick(
        10, *POINTED, where=lambda r: r.town in SPLIT_FROM and r.code[:4] in ("3301", "3306")
    )
    for record in moved:
        yield record, record.text(district=SPLIT_FROM[record.town])


def division_typos(source: Source) -> Texts:
    """A sound-alike or look-alike character in a district's name."""
    for record in source.pick(10, *POINTED, where=lambda record: record.district in TYPOS):
        yield record, record.text(district=TYPOS[record.district])


def building_aliases(source: Source) -> Texts:
    """幢, 栋, 座, 号楼 and # for one another; 塔1 for T1."""
    for i, record in enumerate(source.pick(14, "compound", "block", "tower")):
        name = record.building.removesuffix("座").removesuffix("栋").removesuffix("号楼")
        forms = f"{name}幢", f"{name}号楼", f"{name}#", f"{name}栋"
        if record.shape == "tower":
            tower = name.replace("T", "塔")
            forms = (f"{tower} ", f"{name}栋") if "T" in name else (f"{name}栋", f"{name}幢")
        yield record, record.text(building=forms[i % len(forms)])


def dash_form(source: Source) -> Texts:
    """3-2-501 for 3栋2单元501室."""
    for i, record in enumerate(source.pick(12, "compound")):
        building, unit, room = (
            re.sub(r"\D", "", part) for part in (record.building, record.unit, record.room)
        )
        forms = f"{building}-{unit}-{room}", f"{building}栋{unit}-{room}"
        yield record, record.text("building", "unit", room=forms[i % 2])


def lanes(source: Source) -> Texts:
    """A lane with blanks, brackets or without the last word."""
    for i, record in enumerate(source.pick(10, "lane")):
        lane, _, house = record.roadno.partition("弄")
        room = record.room.removesuffix("室")
        forms = (
            f"{lane}弄{house}{room}",
            f"{lane}弄 {house} {room}室",
            f"({lane}弄){house}{room}室",
        )
        yield record, record.text("town", "roadno", room=forms[i % 3])


def village_groups(source: Source) -> Texts:
    """A group of villagers in Chinese numerals, or called by its older word 队."""
    for i, record in enumerate(source.pick(8, "village")):
        group, _, number = record.roadno.partition("组")
        forms = f"{to_chinese(int(group))}组{number}", f"{group}队{number}"
        yield record, record.text("province", roadno=forms[i % 2])


def intersections(source: Source) -> Texts:
    """The two roads of a corner the other way round."""
    for i, record in enumerate(source.pick(10, "corner")):
        first, second = record.road.removesuffix("交叉口").split("与")
        forms = (
            f"{second}与{first}交汇处",
            f"{second}和{first}路口",
            f"{first}与{second}交叉口东南角",
        )
        yield record, record.text("town", road=forms[i % 3])


def mall_shops(source: Source) -> Texts:
    """Floor and number of a shop written another way."""
    for i, record in enumerate(source.pick(12, "mall")):
        floor, room = record.floor.removesuffix("层"), record.room.removesuffix("号铺")
        forms = (
            (f"{floor}楼", f"{room}铺"),
            (f"{floor}F", f"{room}号"),
            (f"L{floor}", f"-{room}号铺"),
        )
        written = dict(zip(("floor", "room"), forms[i % 3], strict=True))
        yield record, record.text("province", "town", **written)


def contacts(source: Source) -> Texts:
    """Name, phone and postcode glued to the address."""
    for i, record in enumerate(source.pick(12, *INDOORS)):
        name, phone = PEOPLE[i % len(PEOPLE)], f"1380000{source.rng.randint(0, 9999):04d}"
        forms = (
            f"{record.text()} {name} {phone}",
            f"{name}{phone}{record.text()}",
            f"收货人：{name} 电话：{phone} 地址：{record.text()}",
            f"{record.text()}，邮编：{source.rng.randint(100, 699)}000",
        )
        yield record, forms[i % 4]


def brackets(source: Source) -> Texts:
    """Elements in brackets of several kinds."""
    for i, record in enumerate(source.pick(10, *HOMES, "tower")):
        forms: tuple[dict[str, str], ...] = (
            {"roadno": f"{record.roadno}（{record.poi}）", "poi": ""},
            {"poi": f"【{record.poi}】"},
            {"town": f"({record.town})"},
        )
        yield record, record.text(**forms[i % 3])


def english(source: Source) -> Texts:
    """From small to large in English words, roads romanised or left in Chinese."""
    for i, record in enumerate(source.pick(8, "plain", where=lambda r: bool(r.city))):
        number = record.roadno.removesuffix("号")
        city = _romanised(_CITY.sub("", record.city))
        district = _romanised(record.district[:-1]) + " District" if record.district else ""
        stem, word = record.road[:-1], record.road[-1]
        if record.road.endswith("大道"):
            stem, word = record.road[:-2], "大道"
        word = {"路": "Road", "街": "Street", "大道": "Avenue", "巷": "Lane"}[word]
        road = record.road if i % 2 else f"{_romanised(stem)} {word}"
        parts = (
            f"No.{number} {road}",
            district,
            city,
            _romanised(_PROVINCE.sub("", record.province)),
        )
        yield record, ", ".join(part for part in parts if part)


def _romanised(text: str) -> str:
    return "".join(lazy_pinyin(text)).capitalize()


KINDS: dict[str, Callable[[Source], Texts]] = {
    function.__name__: function
    for function in (
        omitted_levels,
        short_forms,
        reordered,
        repeated_prefix,
        traditional,
        full_width,
        chinese_numerals,
        former_names,
        split_districts,
        division_typos,
        building_aliases,
        dash_form,
        lanes,
        village_groups,
        intersections,
        mall_shops,
        contacts,
        brackets,
        english,
    )
}
"""Kinds whose queries mean exactly the record they were made from."""

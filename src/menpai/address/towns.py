"""Towns of a district as people write them.

A town's name is a stem with an ending: 王曲街道, 平房乡. People change the ending (王曲镇),
shorten it (泡崖街), lengthen it (七里街道办事处) or leave it out, and leave out the nationality of
an ethnic township. Everything is looked up inside one district, so a stem is enough to know the
town.
"""

import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from menpai.text.numerals import to_arabic

_OFFICIAL_ENDINGS: Final = {"镇": "镇", "道": "街道", "乡": "乡", "木": "苏木", "所": "区公所"}
"""By their last character: this is asked 40,000 times when the owners are listed."""

NATIONS: Final = (
    "蒙古 维吾尔 布依 朝鲜 土家 哈尼 哈萨克 傈僳 拉祜 东乡 纳西 景颇 柯尔克孜 达斡尔 仫佬 布朗 "
    "撒拉 毛南 仡佬 锡伯 阿昌 普米 塔吉克 乌孜别克 俄罗斯 鄂温克 德昂 保安 裕固 塔塔尔 独龙 "
    "鄂伦春 赫哲 门巴 珞巴 基诺 回 藏 苗 彝 壮 满 侗 瑶 白 傣 黎 佤 畲 高山 水 土 羌 怒 京 各"
).split()
"""Nationalities as they stand in names, without 族; 各 is in 龙胜各族自治县."""

_NATIONALITY: Final = re.compile(rf"(?:(?:{'|'.join(NATIONS)})族?)+(?:民族)?\Z")
_ENDING: Final = re.compile(
    r"街?街道办事处|地区办事处|街?街道办(?!公)|街?街道|办事处|地区|镇(?!江)|苏木|乡(?!村(?!委))|"
    r"(?:[一-鿿]{1,4}族){1,4}[乡镇]|"
    # 泡崖街玉境路 is 泡崖街道 and a road, 泡崖街12号 is a road itself.
    r"街(?![与和及口段号巷弄里街]|[东西南北中][段侧口头面])(?=[一-鿿]{1,10}?(?:路|街|大道|巷|弄|村|社区))"
)
_CITY_ENDING: Final = re.compile(r"区(?![一-鿿]{0,2}(?:街道|镇))")
"""莞城区: in a city without districts people take its towns for districts."""

_NOT_AFTER_STEM: Final = re.compile(
    r"[一-鿿]?[东西南北中前后上下新老大小一二三四五六七八九十]{0,2}"
    r"(?:路|街|巷|道|弄|里|条|村|"
    r"(?:桥|社区|小区|花园|花苑|公寓|家园|广场|大厦|大楼|商场|市场|苑|园|庄|湾|"
    # 佛堂车站 is a station, 佛堂车站路 a road of the town.
    r"机场|站|大学|学院|中学|小学|医院|水库)(?![东西南北中]?[一二三四五六七八九十]?(?:路|街|大道|巷)))|"
    r"[一-鿿]{0,6}?(?:开发区|工业区|工业园|产业园|科技园|软件园|物流园|园区|产业基地|加工区|保税区)|"
    r"[一-鿿]{1,2}(?:街道|镇|乡)|[省市县区州旗盟]|\d+(?:号|弄|栋|幢|楼|座)"
)
_ROAD_STEM: Final = re.compile(r"[路街道巷弄]\Z")
_CORPS: Final = re.compile(
    r"\A(?:兵团)?(?:农?[一二三四五六七八九十]+师)?([一二三四五六七八九十〇零百]+)团(.*)\Z"
)
"""兵团一五二团, 四十一团草湖镇: a regiment's town is written by its number or by its own name."""

_WRITTEN_ENDING: Final = re.compile(
    r"(?<=..)(?:街道办事处|地区办事处|街道办|街道|办事处|地区|镇|苏木|乡|街|区公所)\Z"
)


class _Form(NamedTuple):
    """A beginning that a town may be written with."""

    stem: str
    full: bool
    name: str
    code: str


def stem_of(name: str) -> str:
    """Drop the ending of a town's official name, and the nationality before it."""
    stem = _without_ending(name)
    if "族" not in stem or stem == name:
        return stem
    bare = _NATIONALITY.sub("", stem)
    return bare if len(bare) > 1 else stem


def _without_ending(name: str) -> str:
    return name.removesuffix(_OFFICIAL_ENDINGS.get(name[-1:], ""))


def written_stem(name: str) -> str:
    """Drop whatever ending a town was written with."""
    return stem_of(name) if "族" in name else _WRITTEN_ENDING.sub("", name)


def _stems(name: str) -> Iterable[tuple[str, bool]]:
    """Other beginnings that a town may be written with, and whether they are complete."""
    stem = stem_of(name)
    if len(stem) > 1 and stem != name:
        yield stem, False
    corps = _CORPS.match(name)
    if corps:
        number, own = corps.groups()
        yield f"{number}团", True
        yield f"{to_arabic(number)}团", True
        if own:
            yield own, True
            yield stem_of(own), False


class TownIndex:
    """The towns of one district or district-less city."""

    def __init__(self, towns: Mapping[str, str], *, city: bool) -> None:
        """Index towns.

        Args:
            towns: Official name to code.
            city: Whether they lie directly below a city, where 区 is a usual wrong ending.
        """
        self._city = city
        self._forms: dict[str, list[_Form]] = {}
        for name, code in towns.items():
            self._add(_Form(name, full=True, name=name, code=code))
            for stem, full in _stems(name):
                self._add(_Form(stem, full=full, name=name, code=code))

    def _add(self, form: _Form) -> None:
        self._forms.setdefault(form.stem[:2], []).append(form)

    def at(self, text: str, pos: int) -> tuple[str, str, int] | None:
        """Longest town written at a place: official name, code and end; the full name wins."""
        best, rank = None, (0, False)
        for form in self._forms.get(text[pos : pos + 2], ()):
            if text.startswith(form.stem, pos):
                end = self._end(form, text, pos + len(form.stem))
                if end is not None and (end, form.full) > rank:
                    best, rank = (form.name, form.code, end), (end, form.full)
        return best

    def _end(self, form: _Form, text: str, end: int) -> int | None:
        if form.full:
            return end
        ending = _ENDING.match(text, end) or (self._city and _CITY_ENDING.match(text, end))
        if ending:
            return ending.end()
        if _ROAD_STEM.search(form.stem) or _NOT_AFTER_STEM.match(text, end):
            return None
        return end


class TownTable:
    """All towns, decoded district by district when they are asked for."""

    def __init__(self, text: str) -> None:
        """Take the rows of ``towns.tsv``.

        A row is a district's code, the first six digits of its towns' codes where they are others
        (嘉峪关市 is 620200, its towns are 620201...), and the towns.
        """
        self._rows: dict[str, str] = {}
        self._prefixes: dict[str, str] = {}
        self._districts: dict[str, str] = {}
        for line in text.splitlines():
            code, prefix, row = line.split("\t")
            self._rows[code] = row
            if prefix:
                self._prefixes[code] = prefix
                self._districts[prefix] = code
        self._decoded: dict[str, dict[str, str]] = {}

    def of(self, code: str) -> dict[str, str]:
        """Official town names and codes of a district; empty if it has none."""
        known = self._decoded.get(code)
        if known is None:
            prefix = self._prefixes.get(code, code)
            known = {item[3:]: prefix + item[:3] for item in self._rows.get(code, "").split()}
            self._decoded[code] = known
        return known

    def district_of(self, code: str) -> str:
        """Code of the district that a town's code belongs to."""
        return self._districts.get(code[:6], code[:6])

    @cached_property
    def owners(self) -> dict[str, list[str]]:
        """Districts that have a town of a name or stem."""
        owners: dict[str, list[str]] = {}
        for code, row in self._rows.items():
            for item in row.split():
                name = item[3:]
                owners.setdefault(name, []).append(code)
                stem = stem_of(name)
                if len(stem) > 1 and stem != name:
                    districts = owners.setdefault(stem, [])
                    if code not in districts[-1:]:  # a 镇 and a 街道 of one stem
                        districts.append(code)
        return owners

    @cached_property
    def names(self) -> frozenset[str]:
        """Every official town name."""
        return frozenset(item[3:] for row in self._rows.values() for item in row.split())

"""Names of places and of who is in them, and the other names that a place goes by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from menpai.synthesis.vocabulary import Vocabulary

_HAN = "零一二三四五六七八九十"
_POPULAR_SHARE = 0.10
"""Share of compounds that bear a name which many cities have."""
_COINED_SHARE = 0.15
_SWAPPED_ENDS = {
    "小区": ("花园", "家园", ""),
    "花园": ("花苑", "小区", "家园"),
    "花苑": ("花园", "小区", "苑"),
    "家园": ("小区", "嘉园", "花园"),
    "嘉园": ("家园", "佳园"),
    "佳苑": ("家苑", "嘉苑", "小区"),
    "公寓": ("小区", "大厦"),
    "新村": ("小区", "村"),
    "宿舍": ("家属院", "家属楼"),
    "家属院": ("宿舍", "家属楼", "小区"),
    "大厦": ("大楼", "写字楼", ""),
    "国际": ("国际大厦", "国际广场", "国际中心"),
    "广场": ("商业广场", ""),
    "工业园": ("工业区", "产业园", "工业园区"),
    "科技园": ("科技园区", "科技产业园"),
    "产业园": ("产业园区", "工业园"),
    "购物中心": ("商场", ""),
}
_SHORT_FORMS = (
    ("第一人民医院", "一医院"),
    ("第二人民医院", "二医院"),
    ("第一人民医院", "第一医院"),
    ("人民医院", "医院"),
    ("妇幼保健院", "妇保院"),
    ("第一中学", "一中"),
    ("第二中学", "二中"),
    ("第三中学", "三中"),
    ("第四中学", "四中"),
    ("第五中学", "五中"),
    ("第六中学", "六中"),
    ("第七中学", "七中"),
    ("高级中学", "高中"),
    ("实验小学", "实小"),
    ("第一小学", "一小"),
    ("第二小学", "二小"),
    ("第三小学", "三小"),
    ("人民政府", "政府"),
    ("汽车客运站", "汽车站"),
    ("长途汽车站", "汽车站"),
    ("中国工商银行", "工商银行"),
    ("中国工商银行", "工行"),
    ("中国农业银行", "农行"),
    ("中国建设银行", "建行"),
    ("中国银行", "中行"),
    ("便民服务中心", "服务中心"),
    ("疾病预防控制中心", "疾控中心"),
    ("大药房", "药店"),
    ("SOHO", "搜候"),
    ("购物广场", "广场"),
)
_PART = re.compile(r"([一二三四五六七八九十])(期|区)\Z")
_PARK = re.compile(r"(?:园|基地|园区|工业城|产业城|工业区|智谷|创客空间)\Z")
_TRIES = 12
_OF_TOWNS = frozenset({"卫生院", "中心卫生院", "中心小学", "派出所", "公交站", "地铁站"})
"""Institutions that bear their town's name."""
_DEVELOPER_MIN = 6
_COMPANY_ENDS = re.compile(r"(?:集团|股份)?(?:有限责任公司|有限公司|分公司|公司)\Z")


class Namer:
    """Draws names."""

    def __init__(self, vocabulary: Vocabulary, rng: Random) -> None:
        self._vocabulary = vocabulary
        self._words = vocabulary.words
        self._rng = rng

    def _pick(self, key: str) -> str:
        return self._rng.choice(self._words[key])

    # Places.

    def compound(self, known: Sequence[str]) -> str:
        """Name a residential compound; now and then a relative of one that the city has."""
        rng = self._rng
        draw = rng.random()
        if draw < _POPULAR_SHARE:
            return self._pick("popular")
        if draw < _POPULAR_SHARE + _COINED_SHARE:
            return self._coined()
        if known and draw < 0.36:
            return self._relative(rng.choice(known))
        return rng.choice(self._vocabulary.compounds)

    def _coined(self) -> str:
        rng = self._rng
        head = self._pick("compound_heads")
        if rng.random() < 0.3:
            head = self._pick("developers") + rng.choice(("", "·")) + head
        return head + self._pick("compound_ends")

    def _relative(self, name: str) -> str:
        """Another compound of nearly the same name: 翠湖花园 beside 翠湖家园 and 翠湖花园二期."""
        rng = self._rng
        for end in _SWAPPED_ENDS:
            if name.endswith(end) and len(name) > len(end) + 1 and rng.random() < 0.5:
                return name[: -len(end)] + self._pick("compound_ends")
        if len(name) > 8 or _PART.search(name):
            return self._coined()
        return name + self._pick("phases" if rng.random() < 0.4 else "sections")

    def building(self, key: str, stem: str, city: str) -> str:
        """Name a tower, mall or park.

        Args:
            key: Which kind of ending, a key of the words: towers, malls or parks.
            stem: The short name of its city, district or town.
            city: The first four digits of its city's code.
        """
        rng = self._rng
        draw = rng.random()
        known = self._vocabulary.buildings_of_city
        if key != "malls" and draw < 0.75:
            parks = key == "parks"
            local = known.get(city) if draw < 0.55 else None
            for _ in range(_TRIES):
                name = rng.choice(local or known[""])
                if bool(_PARK.search(name)) == parks:
                    return name
        if key == "malls" and draw < 0.6:
            return (stem if rng.random() < 0.3 else "") + self._pick("malls")
        head = stem if draw > 0.8 and stem else self._core()
        return head + self._pick(key)

    def institution(self, stem: str, town: str) -> str:
        """Name a school, hospital, office, works: 湖滨区实验小学."""
        rng = self._rng
        if rng.random() < 0.06:
            return stem + self._pick("university_ends")
        kind = self._pick("institutions")
        draw = rng.random()
        if draw < 0.12 and not kind.endswith("站"):
            return kind
        if kind in _OF_TOWNS or draw < 0.5:
            return town + kind
        return stem + kind

    def hamlet(self) -> str:
        """Name a natural village."""
        return self._pick("hamlet_heads") + self._pick("village_tails")

    def _core(self) -> str:
        rng = self._rng
        n = 2 if rng.random() < 0.75 else 3
        return "".join(self._pick("lucky") for _ in range(n))

    # Tenants.

    def chain(self) -> str:
        """Name a chain."""
        if self._rng.random() < 0.15:
            return self._pick("banks")
        return self._pick("chains")

    def branch(self, chain: str, site: str | None, road: str | None, town: str) -> str:
        """Name a branch after its place, road or town: (凯旋路店)."""
        rng = self._rng
        stems = [s for s in (site, road, town) if s]
        stem = rng.choice(stems)[:7] if stems else self._core()
        if chain in self._words["banks"]:
            return f"({stem}{self._pick('bank_ends')})"
        return f"({stem}{'店' if rng.random() < 0.75 else self._pick('chain_ends')})"

    def shop(self) -> str:
        """Name a small shop: 川味小吃店."""
        rng = self._rng
        head = self._pick("shop_heads") if rng.random() < 0.4 else self._core()
        return head + self._pick("shop_types")

    def company(self, city: str) -> str:
        """Name a company: 宁州瑞恒科技有限公司."""
        rng = self._rng
        draw = rng.random()
        place = city if draw < 0.45 else ""
        industry = self._pick("industries")
        if industry.endswith("事务所"):
            return place + self._core() + industry
        core = self._core()
        if draw < 0.1:
            return f"{place}{core}{industry}{self._pick('company_ends')}"
        if 0.45 <= draw < 0.5:
            return f"{core}({city}){industry}有限公司"
        return f"{place}{core}{industry}有限公司"

    def person(self) -> str:
        """Invent a person's name."""
        return self._pick("surnames") + self._pick("given")

    def phone(self) -> str:
        """Invent a telephone number, in a block that is not given out."""
        rng = self._rng
        if rng.random() < 0.85:
            prefix = rng.choice("133 135 136 138 139 150 151 158 159 177 180 186 188 189".split())
            return f"{prefix}{rng.randint(0, 99_999_999):08}"
        return f"0{rng.choice((21, 10, 571, 755, 28, 311))}-{rng.randint(2_000_000, 89_999_999)}"

    # Other names.

    def aliases(self, name: str) -> tuple[str, ...]:
        """Give other names that people use for a place."""
        found: list[str] = []
        for end, others in _SWAPPED_ENDS.items():
            stem = name.removesuffix(end)
            if stem != name and len(stem) > 1:
                found += [stem + other for other in others if other or len(stem) > 2]
        found += [name.replace(long, short) for long, short in _SHORT_FORMS if long in name]
        if "·" in name:
            found += [name.replace("·", ""), name.partition("·")[2]]
        for developer in self._words["developers"]:
            if name.startswith(developer) and len(name) >= _DEVELOPER_MIN:
                found.append(name.removeprefix(developer).lstrip("·"))
        part = _PART.search(name)
        if part:
            found += [f"{name[: part.start()]}{_HAN.index(part[1])}{part[2]}"]
            found += [f"{name[: part.start()]}({part[0]})"]
        return tuple(dict.fromkeys(a for a in found if len(a) > 1 and a != name))

    def short_company(self, name: str, city: str) -> tuple[str, ...]:
        """Give what a company is called for short: 瑞恒科技."""
        bare = _COMPANY_ENDS.sub("", name).replace(f"({city})", "")
        found = [bare, bare.removeprefix(city), bare.removeprefix(city)[:2] + "公司"]
        return tuple(dict.fromkeys(f for f in found if len(f) > 2 and f != name))

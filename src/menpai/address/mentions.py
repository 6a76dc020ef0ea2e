"""The divisions, towns and zones that a text mentions, found in one walk.

Where a division may begin (the start, after a separator, after another division) short names
count; elsewhere only full names that fit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from menpai.address import spelling
from menpai.address.regions import Mention, Region, TownMention, lineage, narrowed, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from menpai.address.divisions import Divisions, Reading

SEPARATORS = frozenset(" ,;:·-/()[]|\n、。.或")
_PSEUDO = re.compile(
    r"中国|中华人民共和国|(?<=市)区(?=[一-鿿]{2})|(?:新疆)?(?:生产建设)?兵团(?:第?[一二三四五六七八九十\d]+师)?|第[一二三四五六七八九十\d]+师|市辖区|(?:海南省|自治区|省)?省?直辖(?:县|市)(?:级行政区划|级行政单位|县)?|"
    r"省直辖行政单位|其[他它]区(?!域)|[县区市]城(?=[内区]?(?:\n|[一-鿿]{2,3}[省市]))|县(?=[一-鿿]{2,12}(?:县|区))"
)
_PSEUDO_STARTS = frozenset("中市区海自省直县新生兵第其")
"""Looked at before the pattern is tried: most places of a text begin none of it."""
_FULL = re.compile(r"[省市区县旗盟州]\Z|特别行政区\Z|地区\Z|林区\Z")
_NAMED_ROAD = re.compile(
    r"[上下前后新老大小支内外]?(?:门[内外]?|[河江湖山港坝桥祠寺塔楼阁湾埠正]{1,2})?[东西南北中]?"
    r"[一二三四五六七八九十]?大?"
    r"(?:路(?!口|桥[区市])|街(?![道口])|大道|大街|巷|弄|道(?!里|外)|胡同|公路|\d+[队组社团]|高速|国道|立交|桥|村|里(?=\d|小区)|坊|湾(?!仔)|线)"
)
_ROAD_AFTER_FULL = re.compile(r"(?:路(?!桥)|街(?!道)|大道|大街)(?:\d|$|\n|[东西南北中]段)")
_NAMED_ORGAN = re.compile(
    r"(?:[一-鿿]{0,3}(?:大学|学院)|师范|[第一二三四]*[中小]学|[一二三四]中(?![心央])|附中|实验|幼儿园|"
    r"[一-鿿]{0,2}医院|农场|林场|水库|服务中心|银行|支行|分行|分?公司|大厦|大楼|宾馆|[大]?酒店|饭店|商[场城厦]|百货|超市|集团|"
    r"公馆|家园|花[园苑]|新[村苑]|小区|公寓|广场|日报|晚报|油田|机场|火车站|汽车站|[东西南北]?站|小吃|"
    r"[苑园府庄城轩居](?![一-鿿]{0,4}[路街道巷镇乡]))"
)
_FIRM_ORGAN = re.compile(
    r"(?:油田|工业[区园]|农场|林场|机场|码头|师范|[一-鿿]{0,3}大学|银行|支行|医院|[第一二三四]*[中小]学|站)"
)
_FOLLOWED_BY_PLACE = re.compile(
    r"\n|[ ,]|$|[一-鿿]{2,7}?(?:路|街|大道|大街|巷)(?:[东西南北中]?段)?(?:\d|[一-鿿]{2})|"
    r"[一-鿿]{2,6}?(?:镇|乡|街道)"
)
_TOWN = re.compile(
    r"([一-鿿]{1,8}?)(街道办事处|街道办|街道|街办|民族乡|办事处|地区办事处|镇(?!江|街道|[中小]学|政府|[东西南北]?大?[路街]|海)|"
    r"乡(?![村镇土]))(?!路|街(?!道)|大道|大街|巷|[一-鿿]?路\d)"
)
_OFFICE = re.compile(r"办事处|办(?!公|[一-鿿]{0,2}[路街])")
_REGIMENT = re.compile(r"第?[〇零一二三四五六七八九十百\d]{1,5}团场?(?![队购圆])")
_NOT_TOWN = re.compile(
    r"[弄号]|[路街](?!道|路|办|街道|街办|镇|乡)|(?<=[一-鿿])[区县市旗去曲](?=[一-鿿]+(?:街道|镇|乡|街?办))(?!街道|街?办)|大厦|小区|广场|公司|花园|"
    r"(?<=[一-鿿]{2})村|小镇|古镇|集镇|城镇|乡镇"
)
_TOWN_ENDING = re.compile(r"(?:街道办事处|街道办|街道|街|镇|乡|办事处|地区|区)(?:\Z|(?=.))")
_NAMED_TOWN = re.compile(r"街道|镇(?!江)|乡")
_MAX_TOWN = 9
_TOWN_LAST = re.compile(r"[镇乡道]")
_MAX_STEM = 6
_SMALL_PLACE = re.compile(r"[一-鿿]{2,4}?(?:村|社区|路|街|大道|巷|组)|[一-鿿]村|\Z|[ \n]")
_BARE_TOWN = 3
_ZONE = re.compile(
    r"[一-鿿]{0,8}?(?:经济技术开发区|经济技术开发新区|经济开发区|高新技术产业开发区|高新技术开发区|"
    r"高新技术产业园区|高新开发区|高新产业园区|高新区|综合开发区|技术开发区|旅游度假区|国家旅游度假区|"
    r"开发区|经开区|技开区|空港经济区|经济区|综合保税区|综保区|保税港区|保税区|保税物流园区|自由贸易试验区|"
    r"自贸试验区|自贸区|自贸片区|航空港区|[一-鿿]{2}合作区|新片区|经区(?=[一-鿿])|高新园区|示范区|政务(?:文化)?新?区|新站(?:高新)?区|综合实验区|实验区|工业园区(?=[一-鿿]{1,8}[路街镇乡]|[一-鿿]{1,6}大道|\d|$|\n)|新区(?:[一-鿿]{2}新城)?|管理区|管委会)"
)
_NOT_ZONE = re.compile(r"[路街镇乡村号弄巷]|小区|花园|公司|大厦|社区|大道|广场")
_AFTER_NUMBER = frozenset("号室楼栋座层户房院店厦0123456789")
_MISSPELT_SUFFIX = "曲去驱"
_WRONG_SUFFIX = "市区县" + _MISSPELT_SUFFIX


@lru_cache(maxsize=16384)
def _is_full(name: str) -> bool:
    return _FULL.search(name) is not None


class Zone(NamedTuple):
    """A development zone as it is written."""

    start: int
    end: int
    name: str


class Scan(NamedTuple):
    """All that a text mentions."""

    mentions: list[Mention]
    towns: list[TownMention]
    zones: list[Zone]
    blanks: list[tuple[int, int]]
    corrected: bool
    region: Region


class Scanner:
    """Walks one text and collects what it mentions."""

    def __init__(self, text: str, table: Divisions, hints: Sequence[Mention] = ()) -> None:
        """Prepare a walk over a normalised text whose contacts were blanked."""
        self.text = text
        self.table = table
        self.hints = list(hints)
        self.hits: dict[int, list[tuple[int, str]]] = {}
        for start, end, name in table.scan(text):
            if not text.startswith("段", end):  # 唐山|路北段 is a part of a road
                self.hits.setdefault(start, []).append((end, name))
        self.mentions: list[Mention] = []
        self.towns: list[TownMention] = []
        self.zones: list[Zone] = []
        self.blanks: list[tuple[int, int]] = []
        self.corrected = False
        self._resolved: Region | None = None
        self._named: set[str] = set()
        self._above: set[str] = set()
        for hint in self.hints:
            self._note(hint)
        self._code: str | None = self.hints[0].readings[0].code if self.hints else None

    def run(self) -> Scan:
        """Walk the text from its start to its end."""
        at, head, text, hits = 0, True, self.text, self.hits
        size = len(text)
        while at < size:
            if text[at] in SEPARATORS:
                at, head = at + 1, True
                continue
            if not head and at not in hits:
                at += 1
                continue
            end = self._take(at, head or self._is_tail(at))
            if end is None:
                at, head = at + 1, False
            else:
                at, head = end, True
        return Scan(
            self.mentions, self.towns, self.zones, self.blanks, self.corrected, self._region()
        )

    def _region(self) -> Region:
        """What all mentions mean together; known already unless a town came after them."""
        if self._resolved is None:
            self._resolved = resolve(self.table, self.mentions, self.towns, self.hints)
        return self._resolved

    def _take(self, at: int, head: bool) -> int | None:  # noqa: FBT001  position and state
        if head:
            pseudo = _PSEUDO.match(self.text, at) if self.text[at] in _PSEUDO_STARTS else None
            if pseudo is not None:
                self.blanks.append(pseudo.span())
                return pseudo.end()
            town = self._take_named_town(at)
            if town is not None:
                return town
        end = self._take_division(at, head)
        if end is None and head:
            end = self._take_town(at) or self._take_zone(at) or self._take_misspelt(at)
        return end

    # Divisions.

    def _take_division(self, at: int, head: bool) -> int | None:  # noqa: FBT001
        for end, name in self.hits.get(at, ()):
            accepted = self._accepts(at, end, name, head)
            if accepted:
                self._add(Mention(at, accepted, name, self.table.readings(name)))
                return accepted
        return None

    def _accepts(self, at: int, end: int, name: str, head: bool) -> int | None:  # noqa: FBT001
        """Where a mention of this name would end, or None if the text means something else."""
        readings = self.table.readings(name)
        if len(name) == 1:
            return end if at == 0 and self._is_letter(end) else None
        if _is_full(name) and any(r.kind != "short" for r in readings):
            return end if self._accepts_full(at, end, name, readings, head) else None
        return self._accepts_short(at, end, readings) if head else None

    def _accepts_full(
        self,
        at: int,
        end: int,
        name: str,
        readings: tuple[Reading, ...],
        head: bool,  # noqa: FBT001
    ) -> bool:
        if _ROAD_AFTER_FULL.match(self.text, end):
            return False
        if name[-1] == "市" and self._shares_character(at, end):
            return False
        if not self.mentions:
            return head or (len(name) > 2 and readings[0].level != "district")
        if len(name) > 2 and head and not name.endswith("社区"):
            return True
        if head and name[-1] == "县" and (self._ends(end) or self._has_town_at(end, readings)):
            return True
        return self._related(readings)

    def _shares_character(self, at: int, end: int) -> bool:
        """青岛市南区 is 青岛 and 市南区, 乐山市市中区 is 乐山市 and 市中区."""
        for stop, name in self.hits.get(end - 1, ()):
            readings = self.table.readings(name)
            if readings[0].kind == "official" and stop > end and readings[0].level == "district":
                city = self.table.readings(self.text[at : end - 1])
                return any(c.code in lineage(self.table, r.code) for r in readings for c in city)
        return False

    def _accepts_short(self, at: int, end: int, readings: tuple[Reading, ...]) -> int | None:
        text = self.text
        if not self._has_district() and self._in_chain(end, readings):
            return None if at == 0 and self._hides_letter(end) else end
        if self._names_road(end) or (at == 0 and self._hides_letter(end)):
            return None
        if _NAMED_TOWN.match(text, end) and not self._has_town_at(end, readings):
            return None
        if end < len(text) and text[end] in _WRONG_SUFFIX and not self.hits.get(end):
            self.corrected |= self._descends(readings) and text[end] in _MISSPELT_SUFFIX
            return end + 1 if self._descends(readings) else None
        if self._related(readings):
            organ = _FIRM_ORGAN if self._descends(readings) else _NAMED_ORGAN
            return None if organ.match(text, end) else end
        if self._has_district():
            return None
        if _NAMED_ORGAN.match(text, end):
            return None
        level = min((r.level for r in readings), key=("province", "city", "district").index)
        if level != "district":
            return end if not self.mentions else self._as_conflict(end)
        return end if not self.mentions and self._is_evident(at, end, readings) else None

    def _as_conflict(self, end: int) -> int | None:
        """A short city of elsewhere counts against what was said only if more divisions follow."""
        return end if end in self.hits and self._code is not None else None

    def _is_evident(self, at: int, end: int, readings: tuple[Reading, ...]) -> bool:
        """A district's short name alone at the start needs a place after it that can lie in it."""
        if self._has_town_at(end, readings):
            return True
        if at and self.text[at - 1] not in SEPARATORS:
            return True
        return _FOLLOWED_BY_PLACE.match(self.text, end) is not None

    def _ends(self, at: int) -> bool:
        return at == len(self.text) or self.text[at] in SEPARATORS

    def _has_town_at(self, at: int, readings: Iterable[Reading]) -> bool:
        return any(self.table.towns_at(self.text, at, r.code) for r in readings)

    def _in_chain(self, end: int, readings: tuple[Reading, ...]) -> bool:
        """Say whether a division that holds or lies in one of the readings is written next."""
        while end < len(self.text) and self.text[end] == " ":
            end += 1
        codes = {c for r in readings for c in (r.code, *r.successors)}
        above = {a for c in codes for a in lineage(self.table, c)}
        for stop, name in self.hits.get(end, ()):
            if self._names_road(stop):
                continue
            for reading in self.table.readings(name):
                if (
                    codes & set(lineage(self.table, reading.code)[1:])
                    or reading.code in above - codes
                ):
                    return True
        return False

    def _is_letter(self, end: int) -> bool:
        """京朝阳区: one letter for a province counts if a division of it follows."""
        return self._in_chain(end, self.table.readings(self.text[:end]))

    def _names_road(self, at: int) -> bool:
        """Say whether a name goes on as a road's (朝阳|门北大街, but not 青岛|山东路)."""
        # 中山|路北段 is a road too, although 唐山 has a 路北区.
        is_division = at in self.hits and self.text[at] != "路"
        return not is_division and _NAMED_ROAD.match(self.text, at) is not None

    def _hides_letter(self, end: int) -> bool:
        """渝北碚区 is 渝 and 北碚区, not 渝北 and 碚区."""
        for stop, name in self.hits.get(1, ()):
            if stop > end and _is_full(name) and self._is_letter(1):
                return self.table.readings(name)[0].kind == "official"
        return False

    def _is_tail(self, at: int) -> bool:
        """望澜路88号朝阳北京: only divisions from here to the end of the segment."""
        if at not in self.hits or self.text[at - 1] not in _AFTER_NUMBER:
            return False
        while at < len(self.text) and self.text[at] not in SEPARATORS:
            hits = self.hits.get(at)
            if not hits:
                return False
            at = hits[0][0]
        return True

    def _has_district(self) -> bool:
        return self._code is not None and self.table.get(self._code).level == "district"

    def _descends(self, readings: Iterable[Reading]) -> bool:
        """Say whether a reading lies below what was said so far."""
        code = self._code
        return code is not None and any(code in lineage(self.table, r.code) for r in readings)

    def _related(self, readings: Iterable[Reading]) -> bool:
        """Say whether a reading is, holds or lies in what was said so far."""
        meant = [c for r in readings for c in (r.code, *r.successors)]
        code = self._code
        if code is not None:
            chain = lineage(self.table, code)
            if any(m in chain or code in lineage(self.table, m) for m in meant):
                return True
        elif any(not self._named.isdisjoint(lineage(self.table, m)) for m in meant):
            return True
        return len(self.mentions) == 1 and not self._above.isdisjoint(meant)

    def _add(self, mention: Mention) -> None:
        self.mentions.append(mention)
        self._note(mention)
        if not self._goes_on(mention):
            self._resolve()

    def _goes_on(self, mention: Mention) -> bool:
        """The usual case, decided without weighing: the mention only says more of what is clear."""
        known = self._resolved
        if known is None or self.hints or len(known.codes) != 1 or known.conflicts:
            return False
        meant = {c for r in mention.readings for c in (r.code, *r.successors)}
        deeper = narrowed(self.table, set(known.codes), meant)
        if len(deeper) != 1:
            return False
        self._code = deeper.pop()
        self._resolved = Region((self._code,), ())
        return True

    def _note(self, mention: Mention) -> None:
        for reading in mention.readings:
            for meant in (reading.code, *reading.successors):
                self._named.add(meant)
                self._above.update(lineage(self.table, meant))

    def _resolve(self) -> None:
        region = self._resolved = resolve(self.table, self.mentions, self.towns, self.hints)
        self._code = region.codes[0] if len(region.codes) == 1 else None

    # Towns and zones.

    def _take_named_town(self, at: int) -> int | None:
        """恭城镇 is a town although 恭城 is its county's short name; 南城区 is one of 东莞."""
        hits = self.hits.get(at)
        if not hits:
            return None
        listed = self._listed_town(at) if self._code is not None else None
        if listed and len(listed) > hits[0][0] - at and self._owners(listed):
            return self._end_town(at, listed, self._owners(listed))
        for stop, name in hits:
            ending = _NAMED_TOWN.match(self.text, stop)
            if ending is None and (self._code is None or self._related(self.table.readings(name))):
                continue
            known = self._town_of_region(at)
            if known is not None or ending is None:
                return known
            written = self.text[at : ending.end()]
            owners = self._owners(written) if written in self.table.town_names else ()
            if owners:
                return self._end_town(at, written, owners)
        return None

    def _end_town(self, at: int, name: str, owners: tuple[str, ...]) -> int:
        """Keep a town, with the 办事处 that may follow its full name."""
        end = at + len(name)
        office = _OFFICE.match(self.text, end)
        end = office.end() if office else end
        self._add_town(TownMention(at, end, name.replace("街办", "街道"), owners))
        return end

    def _take_town(self, at: int) -> int | None:
        if self.towns and not self.mentions:
            return None
        known = self._town_of_region(at)
        if known is not None:
            return known
        name = self._listed_town(at) or self._written_town(at)
        if name is None:
            return None
        owners = self._owners(name)
        if not owners and not self.mentions:
            return None
        return self._end_town(at, name, owners)

    def _listed_town(self, at: int) -> str | None:
        """The longest full name of a town of the table that is written here."""
        found = None
        for ending in _TOWN_LAST.finditer(self.text, at + 2, at + _MAX_TOWN):
            name = self.text[at : ending.end()]
            if name in self.table.town_names:
                found = name
        return found

    def _written_town(self, at: int) -> str | None:
        """What has a town's form; a 办事处 only after its division."""
        regiment = _REGIMENT.match(self.text, at)
        if regiment is not None and self.mentions:
            return regiment[0]
        match = _TOWN.match(self.text, at)
        if match is None or len(match[1]) > _MAX_STEM or _NOT_TOWN.search(match[0]):
            return None
        if _ZONE.match(match[0]) or (match[2] == "办事处" and not self.mentions):
            return None
        return match[0] if self.mentions or len(match[0]) > 2 else None

    def _town_of_region(self, at: int) -> int | None:
        if self._code is None:
            return None
        known = self.table.towns_at(self.text, at, self._code)
        if known is None:
            return None
        name, code, end = known
        end += self.text[at:end].endswith("街") and self.text.startswith("办", end)
        if not _TOWN_ENDING.search(self.text[at:end]) and not self._is_bare_town(at, end):
            return None
        owner = self.table.get(code).parent or self._code
        self._add_town(TownMention(at, end, name, (owner,)))
        return end

    def _is_bare_town(self, at: int, end: int) -> bool:
        """A town without its ending is one only right after its district, before another name."""
        if self._names_road(end) or _NAMED_ORGAN.match(self.text, end):
            return False
        if any(
            t.start < at and self.text[t.start : t.start + end - at] == self.text[at:end]
            for t in self.towns
        ):
            return True
        if self.towns or not self.mentions or self.text[self.mentions[-1].end : at].strip(" ,"):
            return False
        if _TOWN_ENDING.match(self.text, end + 1):
            return False
        return end - at >= _BARE_TOWN or _SMALL_PLACE.match(self.text, end) is not None

    def _owners(self, name: str) -> tuple[str, ...]:
        """Districts that have this town: the near ones, or those that a name said may also mean."""
        owners = self.table.town_owners(name)
        if self._code is None or not owners:
            return owners
        for above in lineage(self.table, self._code):
            near = tuple(o for o in owners if above in lineage(self.table, o))
            if near:
                return near
        return tuple(o for o in owners if not self._named.isdisjoint(lineage(self.table, o)))

    def _add_town(self, town: TownMention) -> None:
        self.towns.append(town)
        self._resolved = None
        if town.owners and not self._has_district():
            self._resolve()

    def _take_zone(self, at: int) -> int | None:
        if not self.mentions and at:
            return None
        match = _ZONE.match(self.text, at)
        if match is None or _NOT_ZONE.search(match[0][:-2]):
            return None
        self.zones.append(Zone(at, match.end(), match[0]))
        return match.end()

    # Misspelt divisions.

    def _take_misspelt(self, at: int) -> int | None:
        found = spelling.correct_division(self.text, at, self.table, self._code)
        if found is None:
            return None
        name, end = found
        self.corrected = True
        self._add(Mention(at, end, name, self.table.readings(name)))
        return end

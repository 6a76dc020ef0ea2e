"""How single parts of an address are worded: divisions, numbers, names, what is inside."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from menpai.synthesis.pieces import Piece
from menpai.synthesis.regions import short_town
from menpai.text.numerals import to_chinese

if TYPE_CHECKING:
    from random import Random

    from menpai.synthesis.naming import Namer
    from menpai.synthesis.places import Place
    from menpai.synthesis.regions import Region
    from menpai.synthesis.sites import Site
    from menpai.synthesis.styles import Style
    from menpai.synthesis.world import World

_AUTONOMOUS = re.compile(r"(?:壮族|回族|维吾尔)?自治区\Z")
_FORMER_SHARE = 0.25
"""How often a division that had another name is written by it, where short names are."""
_MUNICIPALITIES = frozenset({"11", "12", "31", "50"})
_OFFSET = re.compile(r"([东西南北]+)(.*)")
_HAN = "一二三四五六七八九"
_ORDINAL = re.compile(r"(?<=[一-鿿]{2})[一二三四五六七八九](?=(?:路|街|巷|道)\Z)")
"""科技三路 is also written 科技3路."""
_ROOM_UNITS = frozenset({"室", "号", "房", "户"})
_STOREYED_SHOP = 0.06
_SMALL = re.compile(r"\d{1,2}(?!\d)")
"""Numbers that people write in Chinese numerals."""


class Wording:
    """Words the parts of one place after another."""

    def __init__(self, world: World, namer: Namer, rng: Random) -> None:
        self._world = world
        self._namer = namer
        self._words = world.vocabulary.words
        self._rng = rng

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    # Divisions.

    def divisions(self, region: Region, letters: str, full: float) -> list[Piece]:
        """Write divisions.

        Args:
            region: Where the place lies.
            letters: Which levels, such as pcd for province, city and district.
            full: How often a name keeps its official ending.
        """
        pieces: list[Piece] = []
        endings = self._chance(full)
        for letter, level in zip("pcdt", ("province", "city", "district", "town"), strict=True):
            name = getattr(region, level)
            if letter not in letters or name is None:
                continue
            if level == "city" and region.codes[0][:2] in _MUNICIPALITIES and "p" in letters:
                continue
            keep = endings if self._chance(0.93) else not endings
            pieces.append(self._division(region, level, name, keep=keep))
        return pieces

    def _division(self, region: Region, level: str, name: str, *, keep: bool) -> Piece:
        if level == "town":
            return Piece(self._town(name, keep=keep), level, None, name)
        code = region.codes[("province", "city", "district").index(level)]
        wordings = self._world.regions.wordings(code)
        former = [w.text for w in wordings if w.kind == "former"]
        if former and self._chance(_FORMER_SHARE * (0.3 if keep else 1)):
            return Piece(self._rng.choice(former), level, "former", name)
        written = name
        if not keep and level == "province":
            bare = _AUTONOMOUS.sub("", name)
            written = bare if bare != name else name.rstrip("省市")
        elif not keep:
            short = [w.text for w in wordings if w.kind == "short" and len(w.text) > 1]
            written = self._rng.choice(short) if short else name
        return Piece(written, level, None, name)

    def _town(self, name: str, *, keep: bool) -> str:
        if keep or len(short_town(name)) < 2:
            return name
        stem = short_town(name)
        if name.endswith("街道"):
            return self._rng.choice((name, name + "办事处", stem + "街道办", stem, stem + "镇"))
        return self._rng.choice((name, name, stem))

    def village(self, site: Site) -> list[Piece]:
        """Write village, natural village and group."""
        pieces: list[Piece] = []
        rng = self._rng
        alone = site.hamlet is not None and self._chance(0.25)
        if site.village and not alone:
            written = site.village
            if written.endswith("村") and self._chance(0.08):
                written += rng.choice(("委会", "民委员会"))
            elif written.endswith("社区") and self._chance(0.06):
                written += "居委会"
            pieces.append(Piece(written, "village", None, site.village))
        if site.group and self._chance(0.75):
            pieces.append(Piece(self._group(site.group), "group", None, site.group))
        if site.hamlet and (alone or self._chance(0.8)):
            hamlet = Piece(site.hamlet, "village", "hamlet", site.hamlet)
            before = bool(pieces) and pieces[-1].element == "group" and self._chance(0.4)
            pieces.insert(len(pieces) - before, hamlet)
        return pieces

    def _group(self, group: str) -> str:
        match = re.match(r"(\d+)(.+)", group)
        if match and self._chance(0.35):
            number = to_chinese(int(match[1]))
            prefix = "第" if self._chance(0.08) else ""
            return f"{prefix}{number}{'村民小组' if self._chance(0.05) else match[2]}"
        return group

    # Roads and numbers.

    def road(self, site: Site) -> Piece:
        """Write the road's name."""
        name = site.road or ""
        written = name
        if name.endswith("大道") and self._chance(0.02):
            written = name[:-2] + "路"
        elif self._chance(0.15):
            written = _ORDINAL.sub(lambda match: str(_HAN.index(match[0]) + 1), name)
        return Piece(written, "road", None, name)

    def number(self, place: Place, style: Style, *, whole: bool) -> list[Piece]:
        """Write the number at the road.

        Args:
            place: The place.
            style: Who writes.
            whole: Write a house number of a lane with it, if the place has one.
        """
        site = place.site
        value = (place.roadno if whole else site.number) or ""
        written = value
        if site.is_lane and not whole and site.kind == "compound" and self._chance(0.06):
            written = f"{value}1-{self._rng.randint(5, 90)}号"
            return [Piece(written, "roadno", None, value)]
        if self._chance(style.bare_number) and value.endswith("号") and value[:-1].isdigit():
            written = value[:-1] + self._rng.choice(("", "", "#", " 号"))
        elif self._chance(style.han_number) and (match := _SMALL.match(value)):
            written = to_chinese(int(match[0])) + value[match.end() :]
        if "之" in written and self._chance(0.6):
            written = re.sub(r"之(\d)", lambda m: f"之{to_chinese(int(m[1]))}", written)
        return [Piece(written, "roadno", None, value)]

    def crossing(self, site: Site) -> list[Piece]:
        """Write where the road meets another: 青禾路与望湖路交叉口西北200米."""
        rng = self._rng
        first, second = site.road or "", site.crossing or ""
        if self._chance(0.35):
            first, second = second, first
        join = rng.choice(("与", "与", "和", "、", ""))
        tail = rng.choice(self._words["crossings"])
        value = "交叉口"
        if self._chance(0.6):
            distance, exact = self._distance(site.offset)
            tail += distance
            value += site.offset if exact else ""
        return [
            Piece(first, "landmark", "road", first),
            Piece(join, "landmark", "join", "与"),
            Piece(second, "landmark", "second_road", second),
            Piece(tail, "landmark", None, value),
        ]

    def highway(self, site: Site, *, vague: bool) -> list[Piece]:
        """Write a spot at a highway: 国道324南50米; or no more than that it is there."""
        road = site.road or ""
        if vague:
            tail = self._rng.choice(("旁", "边", "路边", "西侧", "东侧", "路旁"))
            value = f"{site.offset}旁"
        else:
            tail, exact = self._distance(site.offset)
            value = site.offset if exact else f"{site.offset}旁"
        return [Piece(road, "landmark", "road", road), Piece(tail, "landmark", None, value)]

    def _distance(self, offset: str) -> tuple[str, bool]:
        """Write where a place lies from a crossing, and say whether the metres are written."""
        rng = self._rng
        match = _OFFSET.match(offset)
        side, metres = match.groups() if match else ("", offset)
        if self._chance(0.25):
            return side + rng.choice(("侧", "角", "边", "")), False
        before = rng.choice(("", "", "", "", "向", "往", "约", "以"))
        return f"{before}{side}{rng.choice(('', '', '', '侧', '约', '方向'))}{metres}", True

    # Names.

    def name(self, site: Site, alias: float) -> list[Piece]:
        """Write the site's name, or another one of it."""
        rng = self._rng
        name = site.name or ""
        written = name
        if site.former and self._chance(alias * 0.5):
            written = site.former
            if self._chance(0.3):
                return [
                    Piece(name, "poi", None, name),
                    Piece("(原"),
                    Piece(written, None),
                    Piece(")"),
                ]
        elif site.aliases and self._chance(alias):
            written = rng.choice(site.aliases)
        elif "·" in written and self._chance(0.3):
            written = written.replace("·", rng.choice((".", "•", "-", "")))
        return [Piece(written, "poi", None, name)]

    def tenant(self, place: Place, alias: float, branch: float) -> list[Piece]:
        """Write the shop or company, a chain's with its branch."""
        name = place.tenant or ""
        written = name
        if place.tenant_aliases and self._chance(alias):
            written = self._rng.choice(place.tenant_aliases)
        pieces = [Piece(written, "poi", "tenant", name)]
        if place.branch and self._chance(branch):
            text = place.branch
            draw = self._rng.random()
            if draw < 0.15:
                text = text.strip("()")
            elif draw < 0.45:
                text = text.replace("(", "（").replace(")", "）")
            value = place.branch.removesuffix("店)").removesuffix(")") + "店)"
            pieces.append(Piece(text, "poi", "branch", value))
        return pieces

    def gate(self, gate: str) -> Piece:
        """Write a gate: (北1门)."""
        text = f"({gate})" if self._chance(0.6) else gate
        return Piece(text, "poi", "gate", f"({gate})")

    def landmark(self, site: Site, *, bracketed: bool) -> list[Piece]:
        """Write what the place is near to; in brackets it is no more than a remark."""
        rng = self._rng
        near = site.near or ""
        part = "remark" if bracketed else None
        tail = site.beside if self._chance(0.7) else rng.choice(("附近", "旁", "旁边"))
        lead = rng.choice(("近", "靠近")) if self._chance(0.06) and len(near) > 2 else ""
        landmark = Piece(lead + near + ("" if lead else tail), "landmark", part)
        return [Piece("("), landmark, Piece(")")] if bracketed else [landmark]

    # Inside.

    def inner(self, place: Place, style: Style, *, house: bool) -> list[Piece]:
        """Write building, unit, floor and room.

        Args:
            place: The place.
            style: Who writes.
            house: Write the house number of a lane too; it was not written at the road.
        """
        parts = [
            (element, getattr(place, element))
            for element in ("building", "unit", "floor", "room")
            if getattr(place, element)
        ]
        if place.site.is_lane and not house:
            parts = [part for part in parts if part[0] != "building"]
        if not parts:
            return []
        parts = self._leave_out(parts, style)
        dashed = len(parts) > 1 and parts[-1][0] == "room" and "floor" not in dict(parts)
        if dashed and self._chance(style.dashed):
            return self._dashed(parts, place)
        if [e for e, _ in parts] == ["floor", "room"] and self._chance(_STOREYED_SHOP):
            return self._storeyed(parts, place)
        pieces = []
        if place.tenant and place.site.kind == "compound" and self._chance(0.6):
            pieces.append(Piece(self._rng.choice(("底商", "商铺", "临街商铺", "门面", "店面"))))
        for at, (element, number) in enumerate(parts):
            last = at == len(parts) - 1
            pieces.append(self._inner_piece(place, element, number, style, last=last))
        return pieces

    def _leave_out(self, parts: list[tuple[str, str]], style: Style) -> list[tuple[str, str]]:
        if len(parts) < 2 or not self._chance(style.shallow):
            return parts
        draw = self._rng.random()
        if draw < 0.4:
            return parts[:-1]
        middle = [p for p in parts if p[0] in {"unit", "floor"}]
        if middle:
            return [p for p in parts if p is not middle[0]] or parts
        return parts if draw < 0.8 else parts[-1:]

    def _dashed(self, parts: list[tuple[str, str]], place: Place) -> list[Piece]:
        mark = self._rng.choice(("-", "-", "-", "-", "－", "—", "--"))
        pieces = []
        for at, (element, number) in enumerate(parts):
            if at:
                pieces.append(Piece(mark))
            text = number
            if at == 0 and self._chance(0.07):
                text += "#"
            pieces.append(Piece(text, element, None, _canonical(place, element, number)))
        return pieces

    def _storeyed(self, parts: list[tuple[str, str]], place: Place) -> list[Piece]:
        """Write 3F-20, as malls number their shops."""
        (_, floor), (_, room) = parts
        storey = floor if floor.startswith("B") else floor + "F"
        return [
            Piece(storey, "floor", None, _canonical(place, "floor", floor)),
            Piece("-"),
            Piece(room, "room", None, _canonical(place, "room", room)),
        ]

    def _inner_piece(
        self, place: Place, element: str, number: str, style: Style, *, last: bool
    ) -> Piece:
        unit = self._unit(place, element, number, style, last=last)
        if number.isdigit() and element in {"floor", "room"} and self._chance(style.several):
            return Piece(self._several(int(number)) + unit, element)
        written = number
        if number.isdigit() and self._chance(style.han_inner) and element != "room":
            written = to_chinese(int(number))
        elif element == "building" and number.isdigit() and self._chance(0.015):
            written = number.zfill(2)
        if element == "floor" and unit == "F" and number.startswith("B"):
            unit = ""
        return Piece(written + unit, element, None, _canonical(place, element, number))

    def _several(self, number: int) -> str:
        """Several floors or rooms of one tenant: 1001-1003, 5、6."""
        rng = self._rng
        last = number + rng.choice((1, 1, 2, 3))
        return f"{number}{rng.choice(('-', '-', '、', '至'))}{last}"

    def _unit(self, place: Place, element: str, number: str, style: Style, *, last: bool) -> str:
        rng = self._rng
        if number.endswith("户"):
            return ""
        if element == "building":
            if not number.isdigit():
                return rng.choices(("座", "栋", "", "幢"), (6, 3, 1, 0.4))[0]
            if place.site.is_lane:
                return "号"
            if self._chance(0.75):
                return place.site.building_unit
            drawn = self._world.vocabulary.of_province("building_units", place.site.region.code)
            return drawn.draw(rng) or "号楼"
        if element == "unit":
            return rng.choices(("单元", "门", "梯", "号门"), (9, 0.7, 0.3, 0.1))[0]
        if element == "floor":
            return rng.choices(("楼", "层", "F"), (5, 4, 0.7 if number.isdigit() else 0))[0]
        if self._chance(style.bare_room) and (last or number.isdigit()):
            return ""
        if place.site.kind == "mall":
            return rng.choices(("号", "号铺", "号商铺", "铺"), (8, 1.2, 0.8, 0.3))[0]
        units = self._world.vocabulary.of_province("room_units", place.site.region.code)
        unit = units.draw(rng)
        return unit if unit in _ROOM_UNITS else "室"

    # Noise that people add.

    def contact(self) -> list[Piece]:
        """Write a name, a telephone number or both."""
        pieces = []
        draw = self._rng.random()
        if draw < 0.75:
            pieces.append(Piece(self._namer.person(), "name"))
            if self._chance(0.2):
                pieces.append(Piece(self._rng.choice(self._words["titles"])))
        if draw > 0.25 or not pieces:
            if pieces:
                pieces.append(Piece(self._rng.choice((" ", " ", "，", "", ":", "/"))))
            pieces.append(Piece(self._namer.phone(), "phone"))
        return pieces


def _canonical(place: Place, element: str, number: str) -> str:
    if element == "building":
        if place.site.is_lane:
            return f"{number}号"
        return f"{number}号楼" if number.isdigit() else f"{number}座"
    if number.endswith("户"):
        return number
    return number + {"unit": "单元", "floor": "层", "room": "室"}[element]

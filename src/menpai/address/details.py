"""What stands below the divisions: road, number, place, building, unit, floor, room, landmark.

One compiled pattern finds the tokens that carry a unit or an ending (88号, 3号楼, …路, …村, 附近);
what lies between two tokens is a name: the stem of the ending that follows, or a place.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from menpai.address import numbers, tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MAX_STEM = 10
_MAX_VILLAGE = 9


class Piece(NamedTuple):
    """A value and where it was written in the normalised text."""

    value: str
    start: int
    end: int


class Chunk(NamedTuple):
    """A name between two tokens, and whether an inner number follows it."""

    start: int
    end: int
    numbered: bool


class Details:
    """Reads the segments of one text and keeps what it finds."""

    def __init__(self, text: str, *, in_town: bool, village: Piece | None = None) -> None:
        """Start with a normalised text whose divisions and contacts were blanked.

        Args:
            text: The text.
            in_town: A town was named, so that a village or a group may follow.
            village: A village that the division table knew.
        """
        self.text = text
        self.found: dict[str, Piece] = {}
        if village is not None:
            self.found["village"] = village
        self.chunks: list[Chunk] = []
        self.extra: list[Piece] = []
        self.in_town = in_town
        self._cursor = 0
        self._last = ""
        self._last_end = -1
        self._road_start = -1
        self._handlers: dict[str, Callable[[re.Match[str]], int]] = {
            "highway": self._on_highway,
            "skip": self._on_skip,
            "kilometre": self._on_kilometre,
            "landmark": self._on_landmark,
            "lead": self._on_lead,
            "more": self._on_number,
            "letter": self._on_letter,
            "side": self._on_side,
            "road": self._on_road,
            "village": self._on_village,
            "hamlet": self._on_hamlet,
        }

    def read(self, start: int, end: int) -> None:
        """Read one segment: text between separators."""
        self._cursor = at = start
        while True:
            match = tokens.TOKEN.search(self.text, at, end)
            if match is None:
                break
            handler = self._handlers.get(match.lastgroup or "")
            at = handler(match) if handler else match.end()
            at = max(at, match.start() + 1)
        self._flush(end, numbered=False)
        self._cursor = end

    def read_remark(self, start: int, end: int) -> None:
        """Read what stands between brackets: a landmark, the place's name, or a remark."""
        raw = self.text[start:end]
        start += len(raw) - len(raw.lstrip("\n "))
        remark = raw.lstrip("\n ").partition("\n")[0].rstrip()
        end = start + len(remark)
        if not remark or tokens.REMARK_PLACEHOLDER.match(remark):
            return
        piece = Piece(remark, start, end)
        number = self.found.get("roadno")
        if tokens.LANE.match(piece.value) and number is not None:
            self.found["roadno"] = number._replace(value=piece.value + number.value, start=start)
            return
        if self._take_bracketed(piece):
            return
        if tokens.REMARK_LANDMARK.search(remark) and "landmark" not in self.found:
            self.found["landmark"] = piece
        elif self.chunks or "poi" in self.found or len(remark) <= 1:
            self.extra.append(piece._replace(value=f"({piece.value})"))
        else:
            self.read(start, end)

    def _take_bracketed(self, remark: Piece) -> bool:
        """Read a bracket that holds an inner number, or the letter of the number before it."""
        match = tokens.TOKEN.fullmatch(remark.value)
        element = tokens.ELEMENT_OF_UNIT.get(match["unit"] or "") if match else None
        if element is not None and element not in self.found:
            self.found[element] = remark
            return True
        if tokens.REMARK_LETTER.fullmatch(remark.value):
            for name in ("room", "building", "roadno"):
                number = self.found.get(name)
                if number is not None and number.end == remark.start - 1:
                    self.found[name] = Piece(number.value + remark.value, number.start, remark.end)
                    return True
        return False

    # Tokens.

    def _put(self, element: str, start: int, end: int, value: str | None = None) -> None:
        self.found[element] = Piece(value or self.text[start:end], start, end)
        self._after(element, end)

    def _after(self, element: str, end: int) -> None:
        self._cursor, self._last, self._last_end = end, element, end

    def _flush(self, upto: int, *, numbered: bool) -> None:
        """Keep the name between the last token and here."""
        start, end = self._cursor, upto
        raw = self.text[start:end]
        trimmed = tokens.HEAD_TRIM.sub("", raw)
        start += len(raw) - len(trimmed)
        trimmed = tokens.TAIL_TRIM.sub("", trimmed)
        end = start + len(trimmed)
        if trimmed and not tokens.NOISE.match(trimmed):
            self.chunks.append(Chunk(start, end, numbered))
        self._cursor = upto

    def _on_highway(self, match: re.Match[str]) -> int:
        if "road" in self.found:
            return match.end()
        self._flush(match.start(), numbered=False)
        self._road_start = match.start()
        self._put("road", *match.span())
        return match.end()

    def _on_skip(self, match: re.Match[str]) -> int:
        """3号桥 and 1号公馆 are names, but at a road the number is the house's."""
        if self._adjacent("road", match.start()) and match[0].endswith("号"):
            self._plain_number(*match.span())
        return match.end()

    def _on_road(self, match: re.Match[str]) -> int:
        start, end = self._cursor, match.end()
        stem = self.text[start : match.start()]
        join = tokens.JOIN.match(stem)
        beside = self._last == "road" and self._last_end == start
        if join and beside:
            self.extra.append(Piece(self.text[start + 1 : end], start + 1, end))
            self._after("road", end)
            return end
        start, stem = self._break_stem(start, stem)
        if not stem or len(stem) > _MAX_STEM or stem.isdigit():
            return end
        if beside and tokens.ROAD_ORDINAL.match(stem):
            road = self.found["road"]
            self._put("road", road.start, end)
        elif "road" not in self.found:
            self._road_start = start
            self._put("road", start, end)
        else:
            self._second_road(start, end)
        return end

    def _break_stem(self, start: int, stem: str) -> tuple[int, str]:
        """Cut a place's name off the front of a road's."""
        cut = 0
        for match in tokens.STEM_BREAK.finditer(stem):
            if match.end() < len(stem):
                cut = match.end()
        if cut:
            self._flush(start + cut, numbered=False)
        trimmed = tokens.HEAD_TRIM.sub("", stem[cut:])
        if not cut and self.text[start - 1 : start] == "\n":
            trimmed = tokens.TOWN_LEFT_OVER.sub("", trimmed)
        return start + len(stem) - len(trimmed), trimmed

    def _second_road(self, start: int, end: int) -> None:
        """A number belongs to the road before it; the other road only helps to find it."""
        numbered = tokens.STARTS_NUMBER.match(self.text, end)
        if "roadno" not in self.found and numbered:
            self.extra.append(self.found["road"])
            self._road_start = start
            self._put("road", start, end)
        elif "roadno" in self.found and tokens.STREET_MALL.search(self.text[start:end]):
            self.chunks.append(Chunk(start, end, numbered=False))
            self._after("chunk", end)
        else:
            self.extra.append(Piece(self.text[start:end], start, end))
            self._after("second_road", end)

    def _on_village(self, match: re.Match[str]) -> int:
        start, end = self._cursor, match.end()
        stem = self.text[start : match.start()]
        estate = stem.endswith(("新", "度假", "花园", "公寓")) and match[0] == "村"
        late = "road" in self.found or "building" in self.found
        if match[0] == "村" and not late:
            start, stem = self._break_stem(start, stem)
        if not stem or estate or len(stem) > _MAX_VILLAGE or (late and match[0] == "村"):
            return end
        if "village" in self.found:
            self._flush(start, numbered=False)
            self.extra.append(Piece(self.text[start:end], start, end))
            self._after("village", end)
            return end
        start += len(stem) - len(tokens.HEAD_TRIM.sub("", stem))
        self._put("village", start, end, _village_name(self.text[start:end]))
        return end

    def _on_hamlet(self, match: re.Match[str]) -> int:
        start = self._cursor
        if start == match.start() or "group" in self.found or match.start() - start > _MAX_VILLAGE:
            return match.end()
        if not (self.in_town or "village" in self.found):
            return match.end()
        self._put("group", start, match.end())
        return match.end()

    def _on_letter(self, match: re.Match[str]) -> int:
        element = {"元": "unit", "室": "room"}.get(match[0][-1], "building")
        self._inner(element, match.start(), match.end())
        return match.end()

    def _on_side(self, match: re.Match[str]) -> int:
        if match[0].endswith("门"):
            if match.start() == self._cursor and self._last == "roadno":
                self._inner("landmark", *match.span())
            return match.end()
        self._inner("room", match.start(), match.end())
        return match.end()

    def _on_landmark(self, match: re.Match[str]) -> int:
        start = self._cursor
        stem = self.text[start : match.start()]
        known = self.found.get("landmark")
        if not stem and known and known.end == start:
            self._put("landmark", known.start, match.end())
            return match.end()
        if (
            match[0] in {"旁", "边上", "前面", "后面", "出口"}
            and len(stem) < 2
            and self._last not in {"road", "roadno"}
        ):
            return match.end()
        if not stem:
            beside = self._last in {"road", "second_road"} and self._last_end == start
            start = self._road_start if beside else start
        else:
            start = self._landmark_start(start, stem)
            self._flush(start, numbered=False)
        if known is None:
            self._put("landmark", start, match.end())
        else:
            self.extra.append(Piece(self.text[start : match.end()], start, match.end()))
            self._after("landmark", match.end())
        return match.end()

    def _on_kilometre(self, match: re.Match[str]) -> int:
        """The mark of a highway: G101线|88公里处."""
        self._flush(match.start(), numbered=False)
        self._inner("landmark", *match.span())
        return match.end()

    def _landmark_start(self, start: int, stem: str) -> int:
        """Where a landmark begins: 怡景小区|东山小学对面, |青禾路望湖路口."""
        beside = self._last == "road" and self._last_end == start
        if beside and (
            tokens.JOIN.match(stem) or tokens.CORNER.match(self.text, start + len(stem))
        ):
            return self._road_start
        cut = 0
        for match in tokens.ESTATE_BREAK.finditer(stem):
            if len(stem) - match.end() >= 2:
                cut = match.end()
        return start + cut

    def _on_lead(self, match: re.Match[str]) -> int:
        self._flush(match.start(), numbered=False)
        rest = tokens.NAME_RUN.match(self.text, match.end())
        if rest is None:
            return match.end()
        if "landmark" not in self.found:
            self._put("landmark", match.start(), rest.end())
        else:
            self.extra.append(
                Piece(self.text[match.start() : rest.end()], match.start(), rest.end())
            )
            self._after("landmark", rest.end())
        return rest.end()

    # Numbers.

    def _on_number(self, match: re.Match[str]) -> int:
        unit = match["unit"] or _unit_of_list(match["more"])
        start, end = match.span()
        if unit in {"", "号"} and self._take_shop_word(start):
            self._inner("room", start, end)
        elif unit in tokens.HOUSE_UNITS and self._adjacent("road", start):
            self._plain_number(start, match.end("number") + 1)
        elif unit in tokens.GROUP_UNITS:
            self._group(start, end)
        elif unit in tokens.LANE_UNITS or unit in tokens.ROADNO_UNITS:
            self._roadno(start, end)
        elif unit == "号":
            self._plain_number(start, end)
        elif unit in tokens.BUILDING_UNITS:
            self._inner("building", start, end)
        elif unit in tokens.ROOM_UNITS:
            tail = tokens.SUB_ROOM.match(self.text, end)
            self._dashed(match) or self._inner("room", start, tail.end() if tail else end)
        elif unit in {"单元", "梯", "门"}:
            self._inner("unit", start, end)
        elif unit in tokens.FLOOR_UNITS:
            self._storey(match)
        else:
            return self._bare(match)
        return max(end, self._cursor)

    def _take_shop_word(self, start: int) -> bool:
        """Step over the word before a shop's number, if there is one: 翠湖花园|商铺|3."""
        shop = tokens.SHOP.search(self.text[self._cursor : start])
        if shop is None:
            return False
        self._flush(self._cursor + shop.start(), numbered=True)
        self._cursor = start
        return True

    def _adjacent(self, element: str, start: int) -> bool:
        return self._last == element and self._last_end == start

    def _roadno(self, start: int, end: int) -> None:
        number = self.found.get("roadno")
        if number is not None and number.end == start:
            self._put("roadno", number.start, end)
        elif number is None and not self._has_inner():
            self._flush(start, numbered=False)
            self._put("roadno", start, end)
        else:
            self._inner("building", start, end)

    def _plain_number(self, start: int, end: int) -> None:
        """N号: the number at the road, or a building's or a room's, by what stands before it."""
        number = self.found.get("roadno")
        suffix = tokens.SUB_NUMBER.match(self.text, end)
        if suffix is not None:
            end = suffix.end()
        stem = self.text[self._cursor : start]
        if number and number.end == start and number.value.endswith(("弄", "附", "院")):
            self._put("roadno", number.start, end)
        elif number is None and self._adjacent("road", start):
            self._put("roadno", start, end)
        elif self._has_inner():
            self._inner("room", start, end)
        elif "road" in self.found and number is None and not tokens.SURE_ESTATE.search(stem):
            self._flush(start, numbered=False)
            self._put("roadno", start, end)
        elif number is not None:
            self._after_roadno(start, end)
        elif ("road" not in self.found and (self._in_village() and not stem)) or (
            stem
            and (tokens.ESTATE.search(stem) or tokens.PLACE.search(stem))
            and tokens.ROOM_LIKE.match(self.text, start)
        ):
            self._inner("room", start, end)
        elif stem and tokens.ESTATE.search(stem):
            self._inner("building", start, end)
        else:
            self._flush(start, numbered=False)
            self._put("roadno", start, end)

    def _after_roadno(self, start: int, end: int) -> None:
        digits = re.search(r"\d+", self.text[start:end])
        large = digits is not None and len(digits[0]) >= 3
        self._dash_parts(start, end) or self._inner("room" if large else "building", start, end)

    def _in_village(self) -> bool:
        return "village" in self.found or "group" in self.found or self._last == "group"

    def _has_names(self) -> bool:
        return bool(self.chunks) or "road" in self.found

    def _has_inner(self) -> bool:
        return any(e in self.found for e in ("building", "unit", "floor", "room"))

    def _group(self, start: int, end: int) -> None:
        if "building" in self.found and "unit" not in self.found:
            self._inner("unit", start, end)
            return
        stem = self.text[self._cursor : start]
        named = stem and "village" not in self.found and len(stem) <= 6 and self.in_town
        if named and not tokens.PLACE.search(stem) and "road" not in self.found:
            self._put("village", self._cursor, start)
        known = self.found.get("group")
        if known is not None and known.end == start and known.value.endswith("委"):
            self._put("group", known.start, end)
            return
        if known is not None:
            self._flush(start, numbered=False)
            self.extra.append(Piece(self.text[start:end], start, end))
            self._after("group", end)
            return
        self._flush(start, numbered=False)
        self._put("group", start, end)

    def _storey(self, match: re.Match[str]) -> None:
        """N楼 is a floor, but a building where a unit or another floor follows (11楼3门501)."""
        start, end = match.span()
        follows = tokens.STOREY_OR_UNIT.match(self.text, end)
        high = match["unit"] == "楼" and len(match["number"]) > 2
        if "building" not in self.found and ((match["unit"] == "楼" and follows) or high):
            self._inner("building", start, end)
        else:
            self._inner("floor", start, end)

    def _inner(self, element: str, start: int, end: int) -> bool:
        """Keep a building, unit, floor or room; a second one goes to a free finer place."""
        self._flush(start, numbered=True)
        known = self.found.get(element)
        if known is not None and known.end == start:
            self._go_on(element, known, start, end)
            return True
        if known is not None:
            element = self._free_place(element, start, end)
        if element in self.found:
            self.extra.append(Piece(self.text[start:end], start, end))
            self._after(element, end)
            return True
        self._put(element, start, end)
        return True

    def _go_on(self, element: str, known: Piece, start: int, end: int) -> None:
        """Join a number with the one before it; of a list and one of it (5、6栋6栋), the one."""
        own = self.text[start:end]
        if numbers.is_several(known.value) and numbers.holds(known.value, own):
            self.extra.append(known)
            self._put(element, start, end)
        else:
            self._put(element, known.start, end)

    def _free_place(self, element: str, start: int, end: int) -> str:
        """The finer element that a second building (by number only), unit or floor stands for."""
        if element == "building" and "号" not in self.text[start:end]:
            return element
        return "room" if element in {"building", "unit", "floor"} else element

    def _bare(self, match: re.Match[str]) -> int:
        """A number without a unit: an order's, dashed parts, a tower's, or by its place."""
        start, end = match.span()
        if end - start >= tokens.LONG_NUMBER and match[0].isdigit():
            self._flush(start, numbered=False)
            self.extra.append(Piece(match[0], start, end))
            self._after("", end)
        elif self._dash_parts(start, end):
            pass
        elif self._adjacent("road", start) and self.text.startswith("号", end):
            end += 1
            self._put("roadno", start, end)
        elif tokens.TOWER.match(match[0]) and "building" not in self.found:
            self._inner("building", start, end)
        elif tokens.BASEMENT.match(match[0]) and (self._has_names() or self._cursor < start):
            self._inner("floor", start, end)
        else:
            self._bare_by_place(start, end)
        return end

    def _bare_by_place(self, start: int, end: int) -> None:
        """The road's number right after it; after a number or name a room, if no word goes on."""
        stem = self.text[self._cursor : start]
        goes_on = re.match(r"[一-鿿]", self.text[end : end + 1]) is not None
        if "roadno" not in self.found and self._adjacent("road", start):
            self._put("roadno", start, end)
            return
        numbered = self._has_inner() or "roadno" in self.found or self._follows_name(start)
        in_place = stem or (self._in_village() and not numbered)
        beside_number = not stem and self._adjacent("roadno", start)
        if goes_on and (stem or beside_number or not numbered):
            return
        if numbered or in_place:
            self._inner("room", start, end)

    def _follows_name(self, start: int) -> bool:
        """国贸大厦 1801: a place's name and blanks before a number."""
        if not self.chunks or not tokens.PLACE.search(self.text[: self.chunks[-1].end]):
            return False
        return not self.text[self.chunks[-1].end : start].strip(" ,")

    def _dashed(self, match: re.Match[str]) -> bool:
        return "-" in match["number"] and self._dash_parts(*match.span())

    def _dash_parts(self, start: int, end: int) -> bool:
        """7-2-802 is building, unit, room; after a building it is unit, floor or room."""
        text = self.text[start:end]
        parts = list(tokens.DASH_PART.finditer(text))
        if "-" not in text or len(parts) < 2 or re.search(r"[、,/和]", text):
            return False
        if len(parts) == 2 and len(parts[0][0]) >= 3 and self._has_inner():
            return self._inner("room", start, end)
        if self._adjacent("road", start) and "roadno" not in self.found:
            if len(parts) == 2:
                return False
            self._put("roadno", start, start + parts[0].end())
            return self._dash_parts(start + parts[1].start(), end)
        free = [e for e in ("building", "unit", "floor", "room") if e not in self.found]
        wanted = tokens.DASHED_ELEMENTS.get(len(parts), ())
        if len(parts) == 2 and tokens.STOREYED_SHOP.match(parts[0][0]):
            wanted = ("floor", "room")
        order = [e for e in wanted if e in free]
        if len(order) < len(parts):
            order = free[-len(parts) :]
        if len(order) != len(parts):
            return False
        self._flush(start, numbered=True)
        for element, part in zip(order, parts, strict=True):
            self._put(element, start + part.start(), start + part.end())
        self._after("room", end)
        return True

    # Places.

    def bracketed_part(self, place: Piece, remarks: Sequence[tuple[int, int]]) -> Piece:
        """Join the part of a place that stands in brackets behind it: 翠湖花园(二期)."""
        for start, end in remarks:
            part = self.text[start:end]
            if start > place.end and tokens.REMARK_PART.fullmatch(part):
                self.extra = [piece for piece in self.extra if piece.start != start]
                beside = start == place.end + 1
                return Piece(place.value + part, place.start, end if beside else place.end)
        return place

    def place(self) -> Piece | None:
        """Choose the place's name among the chunks; the others become extra pieces."""
        if not self.chunks:
            return None
        best = max(self.chunks, key=self._rank)
        self.extra += [
            Piece(self.text[c.start : c.end], c.start, c.end) for c in self.chunks if c is not best
        ]
        value = self.text[best.start : best.end]
        if len(value) < 2 or tokens.GENERIC_PART.match(value):
            self.extra.append(Piece(value, best.start, best.end))
            return None
        return Piece(value, best.start, best.end)

    def _rank(self, chunk: Chunk) -> tuple[int, int]:
        value = self.text[chunk.start : chunk.end]
        if len(value) < 2 or tokens.GENERIC.match(value):
            return (-1, -chunk.start)
        estate = bool(tokens.ESTATE.search(value))
        place = bool(tokens.PLACE.search(value))
        score = (
            2 * (estate or place)
            + 2 * chunk.numbered
            - bool(tokens.TENANT.search(value) and not estate)
        )
        return (score, -chunk.start)


def _unit_of_list(more: str) -> str:
    """The unit of 5、6号 stands at the list's end."""
    unit = re.search(r"(?:号[楼铺]?|[室房铺户栋层楼])\Z", more)
    return unit[0] if unit else ""


def _village_name(written: str) -> str:
    """小王村村委会 and 小王村委会 are 小王村, 城东居委会 is 城东社区."""
    for ending in ("村村民委员会", "村村委会", "村民委员会", "村委会", "村委"):
        if written.endswith(ending):
            stem = written[: -len(ending)]
            return stem if stem.endswith("村") else stem + "村"
    for ending in ("社区居委会", "居民委员会", "居委会"):
        if written.endswith(ending):
            stem = written[: -len(ending)]
            return stem if stem.endswith(("社区", "村")) else stem + "社区"
    return written

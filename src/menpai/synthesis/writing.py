"""Writers: one place, written as people of one register write it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from menpai.synthesis import noise
from menpai.synthesis.draws import Weighted
from menpai.synthesis.forms import Form
from menpai.synthesis.naming import Namer
from menpai.synthesis.pieces import Piece
from menpai.synthesis.styles import STYLES
from menpai.synthesis.wording import Wording

if TYPE_CHECKING:
    from menpai.synthesis.places import Place
    from menpai.synthesis.regions import Region
    from menpai.synthesis.sites import Site
    from menpai.synthesis.styles import Style
    from menpai.synthesis.world import World

REGISTER_SHARES = Weighted(
    [
        ("map", 0.2),
        ("poi", 0.06),
        ("shop", 0.2),
        ("company", 0.1),
        ("jobs", 0.14),
        ("courier", 0.16),
        ("query", 0.14),
    ]
)
"""How often each register is drawn where none is asked for."""
_LARGE = frozenset(
    "深圳市 广州市 杭州市 南京市 苏州市 武汉市 成都市 西安市 青岛市 大连市 宁波市 厦门市 济南市 "
    "郑州市 沈阳市 长沙市".split()
)
"""Cities before which the province is mostly left out."""
_SEPARATORS = (" ", " ", " ", "，", ",", "-", "、", "　", " - ")
_PORTAL_SHARE = 0.53
"""Share of shop addresses in the form of one portal: 中国…【…】 (…附近)."""


class Writer:
    """Writes places of one world, the same texts for the same seed and the same calls."""

    def __init__(self, world: World, seed: int | str = 0) -> None:
        """Make a writer.

        Args:
            world: The map.
            seed: Another seed, other words.
        """
        self._world = world
        self._rng = Random(f"writer {seed}")
        self._namer = Namer(world.vocabulary, self._rng)
        self._wording = Wording(world, self._namer, self._rng)

    def write(self, place: Place, register: str | None = None) -> Form:
        """Write a place.

        Args:
            place: What to write.
            register: Who writes, one of `REGISTERS`; drawn if None.
        """
        register = register or REGISTER_SHARES.draw(self._rng)
        style = STYLES[register]
        pieces = self._compose(place, register, style)
        if self._rng.random() < style.typo:
            pieces = noise.misspell(pieces, self._rng)
        pieces = [piece for piece in pieces if piece.text or piece.part == "join"]
        return Form(place, register, tuple(pieces), self._world)

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    def _compose(self, place: Place, register: str, style: Style) -> list[Piece]:
        heading = self._heading(place, register, style)
        blocks = self._body(place, style)
        if register == "shop" and heading and self._chance(_PORTAL_SHARE):
            return self._portal(place, heading, blocks)
        lead: list[list[Piece]] = []
        if self._chance(style.tenant_first):
            lead, blocks = self._names_first(blocks, register)
        pieces = self._joined([*lead, heading, *blocks], style)
        return self._with_noise(pieces, style)

    def _names_first(
        self, blocks: list[list[Piece]], register: str
    ) -> tuple[list[list[Piece]], list[list[Piece]]]:
        """Take the tenant to the front; in a table of places also the name, if it is all."""
        front = [block for block in blocks if block and block[0].part == "tenant"]
        if register == "poi":
            names = [b for b in blocks if b and b[0].element == "poi" and b not in front]
            front = front or names
            if front and self._chance(0.7):
                front = [*front, [Piece(self._rng.choice((" ", " ", ",", "，", "|")))]]
        return front, [block for block in blocks if block not in front]

    # The divisions.

    def _heading(self, place: Place, register: str, style: Style) -> list[Piece]:
        site = place.site
        letters = style.headings.draw(self._rng)
        if site.region.city in _LARGE and register in {"jobs", "map", "query", "courier"}:
            letters = letters.replace("p", "") if self._chance(0.65) else letters
        if "t" in letters and (site.region.town or "").endswith("街道") and self._chance(0.4):
            letters = letters.replace("t", "")
        if register != "query" and (site.kind == "hamlet" or self._chance(style.town)):
            letters += "" if "t" in letters else "t"
        elif site.kind == "hamlet" and not set(letters) & {"d", "t"}:
            letters += "t"
        pieces = self._wording.divisions(site.region, letters, style.full)
        if register == "shop":
            return self._doubled(site.region, pieces)
        if pieces and self._chance(style.doubled):
            again = self._wording.divisions(site.region, letters, style.full)
            return [*again[self._rng.randrange(len(again)) :], *pieces]
        return pieces

    def _doubled(self, region: Region, pieces: list[Piece]) -> list[Piece]:
        """Put a portal's own choice of region before what the buyer typed."""
        short = self._chosen_region(region)
        draw = self._rng.random()
        if draw < 0.16:
            return short
        if draw < 0.78:
            again = self._chosen_region(region)
            return [*(short[-1:] if self._chance(0.2) else short), Piece("中国"), *again]
        return [*short, *pieces]

    def _chosen_region(self, region: Region) -> list[Piece]:
        """What a portal's lists give: 安徽宿州萧县, 上海上海黄浦区."""
        upper = self._wording.divisions(region, "pc", 0.03)
        if region.city == region.province and upper:
            upper = [upper[0], upper[0]]
        return [*upper, *self._wording.divisions(region, "d", 0.97)]

    # What follows them.

    def _body(self, place: Place, style: Style) -> list[list[Piece]]:
        if place.site.kind == "hamlet":
            return self._rural(place, style)
        anchor = self._anchor(place, style.anchors.draw(self._rng))
        blocks = self._area(place.site, style)
        blocks += [self._block(letter, anchor, place, style) for letter in anchor]
        if not self._chance(style.bare_anchor):
            at_the_road = place.site.is_lane and anchor in {"R", "NR"}
            blocks.append(self._wording.inner(place, style, house=not at_the_road))
        if "X" not in anchor:
            blocks.append(self._nearby(place.site, style))
        if place.tenant and (place.site.kind == "highway" or self._chance(style.tenant)):
            blocks.append(self._wording.tenant(place, style.short_tenant, style.branch))
        return [block for block in blocks if block]

    def _area(self, site: Site, style: Style) -> list[list[Piece]]:
        """What a place with a road lies in beside its divisions: a zone, a community."""
        blocks = []
        if site.zone and self._chance(style.zone):
            blocks.append([Piece(site.zone, "zone", None, site.zone)])
        if site.village and self._chance(style.village):
            blocks.append([Piece(site.village, "village", None, site.village)])
        return blocks

    def _block(self, letter: str, anchor: str, place: Place, style: Style) -> list[Piece]:
        if letter == "R":
            return self._road(place, style, anchor)
        if letter == "X":
            return self._spot(place)
        name = self._wording.name(place.site, style.alias)
        if place.facility:
            name.append(Piece(place.facility, "poi", "facility", place.facility))
        elif place.gate:
            name.append(self._wording.gate(place.gate))
        if anchor == "RN" and self._chance(0.04):
            return [Piece("("), *name, Piece(")")]
        if self._chance(0.012):
            name.append(Piece(self._rng.choice(("内", "里面", "院内", "楼上"))))
        return name

    def _nearby(self, site: Site, style: Style) -> list[Piece]:
        if not site.near or not self._chance(style.landmark):
            return []
        return self._wording.landmark(site, bracketed=self._chance(0.4))

    def _road(self, place: Place, style: Style, anchor: str) -> list[Piece]:
        site = place.site
        pieces = [self._wording.road(site)]
        if site.number and self._chance(style.numbered):
            whole = anchor in {"R", "NR"}
            pieces += self._wording.number(place, style, whole=whole)
        return pieces

    def _spot(self, place: Place) -> list[Piece]:
        site = place.site
        if site.kind == "highway":
            vague = place.tenant is not None and self._chance(0.4)
            return self._wording.highway(site, vague=vague)
        return self._wording.crossing(site)

    def _anchor(self, place: Place, wanted: str) -> str:
        """Leave out of an anchor what the site does not have."""
        site = place.site
        if site.kind == "highway":
            return "X"
        have = {"R": site.road is not None, "N": site.name is not None}
        have["X"] = site.crossing is not None
        if (place.facility or place.gate) and "N" not in wanted and have["N"]:
            wanted += "N"
        found = "".join(letter for letter in wanted if have[letter])
        if not found:
            found = "R" if have["R"] else "N"
        return found

    def _rural(self, place: Place, style: Style) -> list[list[Piece]]:
        site = place.site
        blocks = [self._wording.village(site)]
        if place.house and self._chance(0.85):
            house = place.house[:-1] if self._chance(style.bare_number) else place.house
            blocks.append([Piece(house, "room", None, place.house)])
        if site.near and self._chance(style.landmark):
            blocks.append(self._wording.landmark(site, bracketed=False))
        if place.tenant:
            blocks.append(self._wording.tenant(place, style.short_tenant, style.branch))
        return blocks

    # Together.

    def _portal(self, place: Place, heading: list[Piece], blocks: list[list[Piece]]) -> list[Piece]:
        rng, site = self._rng, place.site
        pieces = list(heading)
        rest = [piece for block in blocks for piece in block]
        road = next((b for b in blocks if b and b[0].element == "road"), None)
        if site.road and site.kind != "highway" and self._chance(0.52):
            pieces.append(Piece(site.road, "road", None, site.road))
            if road is not None and self._chance(0.7):
                rest.remove(road[0])
        elif site.region.town and self._chance(0.85):
            pieces.append(Piece(site.region.town, "town", None, site.region.town))
        if self._chance(0.02):
            rest = [Piece(rng.choice(self._world.vocabulary.words["remarks"]))]
        blank = rng.choice(("", "", "", "", "", "", " ", "  "))
        if rest:
            pieces += [Piece("【"), *rest, Piece(f"{blank}】")]
        near = self._portal_landmark(site)
        if self._chance(0.93):
            mark = "(" if self._chance(0.25) else " ("
            pieces += [Piece(mark), Piece(near + "附近", "landmark", "remark"), Piece(")")]
        return pieces

    def _portal_landmark(self, site: Site) -> str:
        """What a portal found nearby: the town, a village, the compound itself, or a landmark."""
        draw = self._rng.random()
        town = site.region.town
        if draw < 0.3 and town and not town.endswith("街道"):
            return town
        if draw < 0.45 and site.village and site.village.endswith("村"):
            return site.village
        if draw < 0.6 and site.name:
            return site.name
        return site.near or site.region.town or ""

    def _joined(self, blocks: list[list[Piece]], style: Style) -> list[Piece]:
        pieces: list[Piece] = []
        mark = self._rng.choice(_SEPARATORS) if self._chance(style.separated) else ""
        for block in blocks:
            if not block:
                continue
            if pieces:
                separator = mark
                if not mark and _runs_on(pieces[-1].text, block[0].text):
                    separator = self._rng.choice((" ", "-", ",", " "))
                if separator and (mark == "" or self._chance(0.6)):
                    pieces.append(Piece(separator))
            pieces += block
        if pieces and pieces[-1].element is None and len(pieces[-1].text) == 1:
            closing = pieces[-1].text in ")）"
            return pieces if closing else pieces[:-1]
        return pieces

    def _with_noise(self, pieces: list[Piece], style: Style) -> list[Piece]:
        rng = self._rng
        if self._chance(style.remark):
            remark = rng.choice(self._world.vocabulary.words[style.remarks])
            form = rng.choice(("({})", "（{}）", " {}", "，{}", "{}"))
            before, _, after = form.partition("{}")
            pieces = [*pieces, Piece(before + remark + after)]
        if self._chance(style.contact):
            contact = self._wording.contact()
            mark = Piece(rng.choice((" ", " ", "，", ",", "  ")))
            pieces = [*contact, mark, *pieces] if self._chance(0.3) else [*pieces, mark, *contact]
        if self._chance(0.005):
            code = f"{rng.randint(100, 859):03}{rng.randint(0, 999):03}"
            pieces = [*pieces, Piece("("), Piece(code, "postcode"), Piece(")")]
        if self._chance(0.004):
            return [p._replace(text=noise.widen_all(p.text)) for p in pieces]
        if any("(" in piece.text for piece in pieces) and self._chance(0.5):
            pieces = [
                p._replace(text=noise.widen(p.text, rng)) if "(" in p.text or ")" in p.text else p
                for p in pieces
            ]
        return pieces


def _runs_on(before: str, after: str) -> bool:
    """Two numbers side by side would be read as one."""
    return (
        before[-1:].isascii()
        and after[:1].isascii()
        and before[-1:].isalnum()
        and after[:1].isalnum()
    )

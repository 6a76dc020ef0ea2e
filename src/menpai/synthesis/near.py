"""Near misses: another place that differs from one in a single thing."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from menpai.synthesis.naming import Namer

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from menpai.synthesis.places import Place
    from menpai.synthesis.sites import Site
    from menpai.synthesis.world import World

_SIDE = re.compile(r"(?<=..)[东西南北中](?=(?:路|街|大街|大道)\Z)|(?<=大道)[东西南北中]\Z")
_ENDING = re.compile(r"(?:大道|大街|路|街|巷)\Z")
_PART = re.compile(r"(?:[一二三四五]期|[东西南北]区|[A-C一二三四]区|[东西南北]苑)\Z")
_WHOLE_SHARE = 0.02
"""Share of the compounds without phases beside which a second phase is put."""


class Neighbours:
    """Finds, on the map, a place that is nearly another one.

    Where the map has none, one is added in thought: the flat next door surely exists.
    """

    def __init__(self, world: World, rng: Random) -> None:
        """Draw neighbours of a map's places."""
        self._world = world
        self._rng = rng
        self._namer = Namer(world.vocabulary, rng)
        self._finders: dict[str, Callable[[Place], Place | None]] = {
            "number": self._number,
            "building": self._building,
            "unit": self._unit,
            "room": self._room,
            "side": self._side,
            "part": self._part,
            "district": self._district,
            "city": self._city,
            "branch": self._branch,
            "name": self._name,
            "tenant": self._tenant,
            "group": self._group,
            "road": self._road,
        }

    def of(self, place: Place, kind: str) -> Place | None:
        """Find a place that differs in one thing.

        Args:
            place: The place.
            kind: What differs, one of `KINDS`.

        Returns:
            The other place; None if this one has no such thing.
        """
        return self._finders[kind](place)

    def inside(self, place: Place) -> Place | None:
        """Another place of the same site; every other time the site itself."""
        whole = self._whole(place.site)
        if place != whole and self._rng.random() < 0.5:
            return whole
        others = [p for p in self._world.places_of_site[place.site.index] if p is not place]
        return self._rng.choice(others) if others else None

    def _ghost(self, place: Place, **changes: object) -> Place:
        return replace(place, index=-1, **changes)  # type: ignore[arg-type]  # fields of Place

    def _site_ghost(self, place: Place, **changes: object) -> Place:
        site = replace(place.site, index=-1, **changes)  # type: ignore[arg-type]  # of Site
        return self._ghost(place, site=site)

    def _whole(self, site: Site) -> Place:
        return self._world.places_of_site[site.index][0]

    # Numbers.

    def _number(self, place: Place) -> Place | None:
        """Another number of the road: a neighbour on the map, or the same with its number off."""
        site = place.site
        if not site.road or not site.number:
            return None
        others = [
            s
            for s in self._world.sites_of_road[site.region.city_key, site.road]
            if s.number != site.number and s.index != site.index
        ]
        if others and self._rng.random() < 0.6:
            return self._whole(self._rng.choice(others))
        other = place
        if place.tenant and self._rng.random() < 0.5:  # the others have moved there
            other = replace(place, tenant=self._namer.shop(), branch=None, tenant_aliases=())
        return self._site_ghost(
            other, number=self._shifted(site.number), name=None, aliases=(), former=None
        )

    def _shifted(self, number: str) -> str:
        rng = self._rng

        def other(match: re.Match[str]) -> str:
            value = int(match[0])
            return str(max(1, value + rng.choice((-2, -1, 1, 2, 3, 10, 100))) if value > 1 else 3)

        shifted = re.sub(r"\d+", other, number, count=1)
        return shifted if shifted != number else number.replace(shifted, f"{shifted}1")

    def _building(self, place: Place) -> Place | None:
        building = place.building
        if building is None:
            return None
        return self._ghost(place, building=self._another(building))

    def _unit(self, place: Place) -> Place | None:
        return self._ghost(place, unit=self._another(place.unit)) if place.unit else None

    def _room(self, place: Place) -> Place | None:
        room = place.room
        if room is None:
            return None
        if room.isdigit() and len(room) > 2 and self._rng.random() < 0.5 and not place.floor:
            floor = int(room[:-2]) + self._rng.choice((1, 2, 3))
            return self._ghost(place, room=f"{floor}{room[-2:]}")
        last = int(room[-1]) if room[-1].isdigit() else 0
        digit = (last + self._rng.randint(1, 8)) % 9 + 1
        digit = digit if digit != last else digit % 9 + 1
        other = f"{room[:-1]}{digit}" if room[-1].isdigit() else f"{room}{digit}"
        return self._ghost(place, room=other)

    def _another(self, number: str) -> str:
        rng = self._rng
        if not number.isdigit():
            return rng.choice([c for c in "ABCDEF" if c != number])
        value = int(number)
        return str(rng.choice([n for n in range(max(1, value - 3), value + 5) if n != value]))

    def _group(self, place: Place) -> Place | None:
        match = re.match(r"(\d+)(.+)", place.site.group or "")
        if match is None:
            return None
        return self._site_ghost(place, group=self._another(match[1]) + match[2])

    # Names.

    def _side(self, place: Place) -> Place | None:
        """南路 for 北路, 二路 for 三路: another section of the road, the same number."""
        road = place.site.road
        if road is None or place.site.number is None:
            return None
        sides = "东西南北中"
        match = _SIDE.search(road)
        if match:
            side = self._rng.choice([s for s in sides if s != match[0]])
            other = road[: match.start()] + side + road[match.end() :]
        else:
            ending = _ENDING.search(road)
            if ending is None or len(road) - len(ending[0]) < 2:
                return None
            if self._rng.random() < 0.6:
                return None
            other = road[: ending.start()] + self._rng.choice("东西南北一二三") + ending[0]
            if road[ending.start() - 1] in "一二三四五六七八":
                other = road[: ending.start() - 1] + self._rng.choice("一二三四五六") + ending[0]
                if other == road:
                    return None
        return self._site_ghost(place, road=other, name=None, aliases=(), former=None)

    def _part(self, place: Place) -> Place | None:
        """Another phase or section of the compound."""
        site = place.site
        if site.kind != "compound" or not site.name:
            return None
        match = _PART.search(site.name)
        if match is None and self._rng.random() > _WHOLE_SHARE:
            return None
        stem = site.name[: match.start()] if match else site.name
        phased = match[0].endswith("期") if match else self._rng.random() < 0.5
        parts = self._world.vocabulary.words["phases" if phased else "sections"]
        name = stem + self._rng.choice(parts)
        if len(stem) < 3 or name == site.name:
            return None
        return self._site_ghost(
            place,
            name=name,
            aliases=self._namer.aliases(name),
            former=None,
            number=self._shifted(site.number) if site.number else None,
        )

    def _name(self, place: Place) -> Place | None:
        """A compound of nearly the same name in the same city."""
        site = place.site
        if site.kind != "compound" or not site.name or len(site.name) < 4:
            return None
        stem = site.name[:2]
        others = [
            s
            for s in self._world.sites_of_district[site.region.code[:6]]
            if s.name and s.name[:2] == stem and s.name != site.name
        ]
        if others:
            return self._whole(self._rng.choice(others))
        ends = [e for e in self._world.vocabulary.words["compound_ends"] if e not in site.name]
        name = site.name[:-2] + self._rng.choice(ends)
        road = self._world.vocabulary.common_roads.draw(self._rng)
        return self._site_ghost(
            place,
            name=name,
            aliases=self._namer.aliases(name),
            former=None,
            road=road,
            number=self._shifted(site.number or "11号"),
        )

    def _tenant(self, place: Place) -> Place | None:
        """Another shop or company at the same number."""
        if not place.tenant:
            return None
        others = (
            [
                p
                for p in self._world.places_of_site[place.site.index]
                if p.tenant and p.tenant != place.tenant
            ]
            if place.site.index >= 0
            else []
        )
        if others:
            return self._rng.choice(others)
        return self._ghost(place, tenant=self._namer.shop(), branch=None, tenant_aliases=())

    def _branch(self, place: Place) -> Place | None:
        """Another shop of the chain."""
        if not place.branch or not place.tenant:
            return None
        others = [
            p
            for p in self._world.places_of_tenant[place.tenant]
            if p.branch != place.branch and p.site.index != place.site.index
        ]
        near = [p for p in others if p.site.region.city_key == place.site.region.city_key]
        pool = near or others
        return self._rng.choice(pool) if pool else None

    # Places elsewhere.

    def _district(self, place: Place) -> Place | None:
        """The same road, number and name in another district of the city."""
        return self._elsewhere(place, same_city=True)

    def _city(self, place: Place) -> Place | None:
        """The same name, or road and number, in another city."""
        site = place.site
        named = self._world.sites_of_name.get(site.name or "", ())
        others = [s for s in named if s.region.city_key != site.region.city_key]
        if others and self._rng.random() < 0.7:
            return self._whole(self._rng.choice(others))
        return self._elsewhere(place, same_city=False)

    def _elsewhere(self, place: Place, *, same_city: bool) -> Place | None:
        site = place.site
        for _ in range(8):
            if same_city:
                road = self._world.sites_of_road.get((site.region.city_key, site.road or ""), ())
                pool = [s for s in road if s.region.district != site.region.district]
                other = self._rng.choice(pool) if pool else None
            else:
                other = self._rng.choice(self._world.sites)
            if other is None:
                return None
            if (other.region.city_key == site.region.city_key) == same_city:
                ghost = replace(site, index=-1, region=other.region, zone=None, village=None)
                if site.kind == "hamlet":
                    ghost = replace(ghost, village=other.village or site.village)
                return self._ghost(place, site=ghost)
        return None

    def _road(self, place: Place) -> Place | None:
        """Another place of the town, on another road."""
        town = [
            s
            for s in self._world.sites_of_district[place.site.region.code[:6]]
            if s.region.code == place.site.region.code and s.road != place.site.road
        ]
        return self._whole(self._rng.choice(town)) if town else None


KINDS: tuple[str, ...] = (
    "number",
    "building",
    "unit",
    "room",
    "side",
    "part",
    "district",
    "city",
    "branch",
    "name",
    "tenant",
    "group",
    "road",
)
"""What two places of a near miss differ in."""

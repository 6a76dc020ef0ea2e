"""Builds the map: districts, their towns and roads, the sites on them, the places in those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from menpai.synthesis.draws import Weighted
from menpai.synthesis.naming import Namer
from menpai.synthesis.regions import short_town
from menpai.synthesis.roads import Road, RoadNames
from menpai.synthesis.sites import Site
from menpai.synthesis.tenancy import Interior

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from menpai.synthesis.places import Place
    from menpai.synthesis.regions import Region, Regions
    from menpai.synthesis.vocabulary import Vocabulary

_PLACES_OF_SITE: Final = 4.2
"""Places that a site has on average, measured; only the order of building depends on it."""
_SITES_OF_TOWN: Final = 7
_SITES_OF_ROAD: Final = 4.0
_UNIFORM_SHARE: Final = 0.2
"""Share of the sites that is spread evenly over all districts, so that each province is there."""
_URBAN_KINDS: Final = Weighted(
    [
        ("compound", 0.42),
        ("tower", 0.14),
        ("mall", 0.06),
        ("park", 0.07),
        ("institution", 0.12),
        ("street", 0.17),
        ("highway", 0.02),
    ]
)
_RURAL_KINDS: Final = Weighted(
    [
        ("hamlet", 0.62),
        ("institution", 0.11),
        ("compound", 0.07),
        ("street", 0.10),
        ("park", 0.04),
        ("highway", 0.06),
    ]
)
_CAPITALS_OF_LANES: Final = "31"
_TRIES: Final = 6
_NAMESAKES: Final = 0.02
"""How often a name that the city has already is given once more."""
_RANGES: Final = 0.03
"""Share of the houses at a street that have several numbers: 12-14号."""
_METRES: Final = (10, 20, 30, 50, 50, 60, 80, 100, 100, 120, 150, 180, 200, 200, 300, 500)


class Builder:
    """Builds sites and places, district by district."""

    def __init__(
        self, vocabulary: Vocabulary, regions: Regions, rng: Random, names: Sequence[str] | None
    ) -> None:
        self.sites: list[Site] = []
        self.places: list[Place] = []
        if names is not None:
            from dataclasses import replace

            vocabulary = replace(vocabulary, compounds=names)
        self._vocabulary = vocabulary
        self._regions = regions
        self._rng = rng
        self._namer = Namer(vocabulary, rng)
        self._road_names = RoadNames(vocabulary, rng)
        self._interior = Interior(vocabulary, self._namer, rng)
        self._roads: dict[str, dict[str, Road]] = {}
        self._compounds: dict[str, list[str]] = {}
        self._names: dict[str, dict[str, None]] = {}

    def build(self, n_places: int) -> None:
        """Fill the map up to a number of places."""
        counts = self._sites_of_districts(int(n_places / _PLACES_OF_SITE) + 1)
        for district, n in counts.items():
            self._district(district, n)
        while len(self.places) < n_places:
            self._district(self._rng.choice(list(counts)), _SITES_OF_TOWN)
        del self.places[n_places:]
        last = self.places[-1].site.index
        del self.sites[last + 1 :]

    def _sites_of_districts(self, n_sites: int) -> dict[str, int]:
        """Share the sites out; a district has several or none, for neighbours must be there."""
        rng = self._rng
        districts = self._regions.districts()
        even = _UNIFORM_SHARE / len(districts)
        shares = self._vocabulary.district_shares["all"]
        weighted = Weighted(
            (code, (shares.get(code, 0.0) + even) * rng.lognormvariate(0, 0.4))
            for code in districts
        )
        counts: dict[str, int] = {}
        for _ in range(n_sites // _SITES_OF_TOWN + 1):
            code = weighted.draw(rng)
            counts[code] = counts.get(code, 0) + _SITES_OF_TOWN
        return dict(sorted(counts.items()))

    def _district(self, district: str, n_sites: int) -> None:
        rng = self._rng
        towns = self._regions.towns(district)
        chosen = rng.sample(towns, min(len(towns), 1 + n_sites // _SITES_OF_TOWN))
        for start in range(0, n_sites, _SITES_OF_TOWN):
            town = chosen[(start // _SITES_OF_TOWN) % len(chosen)]
            region = self._regions.region(district, town)
            self._town(region, min(_SITES_OF_TOWN, n_sites - start))

    def _town(self, region: Region, n_sites: int) -> None:
        rng = self._rng
        town = region.town or ""
        villages = self._regions.villages(region.code) or [self._namer.hamlet() + "村"]
        rng.shuffle(villages)
        villages = villages[:4]
        stems = tuple({short_town(town): 0, **{v[:2]: 0 for v in villages}})
        roads = [self._road(region, stems) for _ in range(1 + int(n_sites / _SITES_OF_ROAD))]
        urban = town.endswith("道") or rng.random() < (0.45 if town.endswith("镇") else 0.1)
        kinds = _URBAN_KINDS if urban else _RURAL_KINDS
        near = [self._landmark(region) for _ in range(3)]
        for _ in range(n_sites):
            site = self._site(kinds.draw(rng), region, roads, villages, rng.choice(near))
            self.sites.append(site)
            self.places += self._interior.places(site, len(self.places))

    def _road(self, region: Region, stems: tuple[str, ...]) -> Road:
        """Another road; in a city often one that its other districts have."""
        roads = self._roads.setdefault(region.city_key, {})
        if roads and self._rng.random() < 0.25:
            return self._rng.choice(list(roads.values()))
        name = self._road_names.name(region.code, stems, roads)
        return roads.setdefault(name, Road(name, region.city_key))

    def _landmark(self, region: Region) -> str:
        rng, words = self._rng, self._vocabulary.words
        draw = rng.random()
        if draw < 0.5:
            return rng.choice(words["sites_nearby"])
        stem = short_town(region.town or region.district or "")
        if draw < 0.56:
            station = rng.choice((f"地铁{rng.randint(1, 16)}号线{stem}站", f"{stem}地铁站"))
            return station + rng.choice(("", words["exits"][rng.randrange(len(words["exits"]))]))
        if draw < 0.7:
            return stem + rng.choice(words["sites_nearby"])
        if draw < 0.8:
            chain = self._namer.chain()
            branch = self._namer.branch(chain, None, None, stem)
            return chain + branch
        compounds = self._compounds.get(region.city_key)
        return rng.choice(compounds) if compounds else stem + "小区"

    # Sites.

    def _site(
        self, kind: str, region: Region, roads: Sequence[Road], villages: Sequence[str], near: str
    ) -> Site:
        rng = self._rng
        road = rng.choice(roads)
        crossing = rng.choice(roads)
        name = self._name(kind, region)
        if name and kind == "compound":
            self._compounds.setdefault(region.city_key, []).append(name)
        rural = kind in {"hamlet", "highway"}
        has_road = kind != "hamlet" and (kind != "institution" or rng.random() < 0.8)
        unit = self._vocabulary.of_province("building_units", region.code).draw(rng)
        former = self._drawn_name(kind, region) if name and rng.random() < 0.03 else None
        return Site(
            index=len(self.sites),
            kind=kind,
            region=region,
            village=rng.choice(villages) if rural or rng.random() < 0.25 else None,
            hamlet=self._namer.hamlet() if kind == "hamlet" and rng.random() < 0.35 else None,
            group=self._group(region) if kind == "hamlet" else None,
            zone=self._zone(region) if kind in {"park", "tower"} else None,
            road=self._road_of(kind, road) if has_road else None,
            number=self._number(kind, road, region) if has_road and kind != "highway" else None,
            name=name,
            aliases=self._namer.aliases(name) if name else (),
            former=former,
            crossing=crossing.name if crossing is not road and has_road else None,
            offset=self._offset(),
            near=near,
            beside=rng.choice(self._vocabulary.words["nearby"]),
            building_unit=unit if unit in {"号楼", "栋", "幢", "座", "号", "#"} else "号楼",
        )

    def _road_of(self, kind: str, road: Road) -> str:
        return self._road_names.highway() if kind == "highway" else road.name

    def _name(self, kind: str, region: Region) -> str | None:
        """Name a site; two sites of a city hardly ever bear one name."""
        taken = self._names.setdefault(region.city_key, {})
        name = self._drawn_name(kind, region)
        for _ in range(_TRIES):
            if name not in taken or self._rng.random() < _NAMESAKES:
                break
            name = self._drawn_name(kind, region)
        if name in taken and kind != "compound":
            name = short_town(region.town or "") + (name or "")
        if name:
            taken[name] = None
        return name

    def _drawn_name(self, kind: str, region: Region) -> str | None:
        stem = _stem(region)
        if kind == "compound":
            return self._namer.compound(self._compounds.get(region.city_key, ()))
        if kind in {"tower", "mall", "park"}:
            return self._namer.building(f"{kind}s", stem, region.code[:4])
        if kind == "institution":
            return self._namer.institution(stem, short_town(region.town or ""))
        return None

    def _offset(self) -> str:
        rng = self._rng
        metres = rng.choice(_METRES) if rng.random() < 0.85 else rng.randint(11, 400)
        return f"{rng.choice(self._vocabulary.words['directions'])}{metres}米"

    def _group(self, region: Region) -> str | None:
        rng = self._rng
        draw = rng.random()
        if draw < 0.6:
            return None
        unit = self._vocabulary.of_province("group_units", region.code).draw(rng) or "组"
        if draw < 0.93:
            return f"{rng.randint(1, 16)}{unit}"
        return rng.choice(self._vocabulary.words["group_words"]) + "组"

    def _zone(self, region: Region) -> str | None:
        rng = self._rng
        if rng.random() > 0.3:
            return None
        zone = rng.choice(self._vocabulary.words["zones"])
        return (_stem(region) + zone) if rng.random() < 0.3 else zone

    def _number(self, kind: str, road: Road, region: Region) -> str:
        """Number a site: 12号, 甲88号院, 299弄."""
        rng = self._rng
        number = road.take_number(rng, self._vocabulary)
        if region.code[:2] == _CAPITALS_OF_LANES and kind == "compound":
            return f"{number}弄" if rng.random() < 0.8 else f"{number}号"
        if kind in {"street", "mall", "tower"} and rng.random() < _RANGES:
            return f"{number}-{number + rng.choice((2, 2, 4, 6, 8))}号"
        form = self._vocabulary.of_province("number_forms", region.code).draw(rng)
        if form in {"0号院", "甲0号院", "甲0号", "乙0号", "特0号", "0号之0", "0-0号", "0号附0号"}:
            if "院" in form and kind not in {"compound", "park", "institution"}:
                return f"{number}号"
            last = rng.randint(1, 9)
            return (
                form.replace("0", str(number), 1)
                .replace("之0", f"之{last}")
                .replace("附0", f"附{last}")
                .replace("-0", f"-{last}")
            )
        return f"{number}号"


def _stem(region: Region) -> str:
    """The short name of the district or city, which names are made with."""
    name = region.district or region.city or region.province
    short = name.rstrip("区县市旗") if len(name) > 2 else name
    return short if 1 < len(short) < 4 else name[:2]

"""The hidden map: every place there is, and what a name or number on it can mean."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from random import Random
from typing import TYPE_CHECKING, Final

from menpai.errors import ConfigError
from menpai.synthesis import affinity, compounds, regions as regions_of, vocabulary as vocabulary_of
from menpai.synthesis.building import Builder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from menpai.synthesis.draws import Weighted
    from menpai.synthesis.places import Place
    from menpai.synthesis.sites import Site

_MIN_PLACES = 50


class World:
    """A made-up map of places in real divisions, the same for the same arguments.

    Attributes:
        seed: What it was made from.
        places: All places; those of one site stand together.
        sites: All sites.
    """

    def __init__(
        self, seed: int = 0, n_places: int = 50_000, names: Sequence[str] | None = None
    ) -> None:
        """Make a map.

        Args:
            seed: Another seed, another map.
            n_places: How many places it has, at least 50.
            names: Names of compounds to draw from, a list as portals have it: what cannot be a
                compound's is left out. A packaged sample of 30,000 if None.

        Raises:
            ConfigError: `n_places` is too small, or no name is left.
        """
        if n_places < _MIN_PLACES:
            raise ConfigError(
                f"n_places is {n_places}; a map needs at least {_MIN_PLACES}", field="n_places"
            )
        if names is not None:
            names = compounds.usable(names)
            if not names:
                raise ConfigError(
                    "names holds no name of a compound; give some, such as 翠湖花园, or None",
                    field="names",
                )
        self.seed: Final = seed
        self.vocabulary: Final = vocabulary_of.load()
        self.regions: Final = regions_of.load()
        builder = Builder(self.vocabulary, self.regions, Random(f"world {seed}"), names)
        self.sites: Final[Sequence[Site]] = builder.sites
        self.places: Final[Sequence[Place]] = builder.places
        builder.build(n_places)
        self._by_register: dict[str, Weighted[Place]] = {}

    def draw(self, rng: Random, register: str) -> Place:
        """Draw a place that the writers of a register write about.

        Args:
            rng: What chance is drawn from.
            register: Who writes, one of `menpai.synthesis.REGISTERS`.
        """
        weighted = self._by_register.get(register)
        if weighted is None:
            weighted = affinity.weigh(self.places, register, self.vocabulary)
            self._by_register[register] = weighted
        return weighted.draw(rng)

    # What lies near what.

    @cached_property
    def places_of_site(self) -> Mapping[int, Sequence[Place]]:
        """Places by the index of their site."""
        found: dict[int, list[Place]] = defaultdict(list)
        for place in self.places:
            found[place.site.index].append(place)
        return found

    @cached_property
    def sites_of_road(self) -> Mapping[tuple[str, str], Sequence[Site]]:
        """Sites by city and road."""
        found: dict[tuple[str, str], list[Site]] = defaultdict(list)
        for site in self.sites:
            if site.road:
                found[site.region.city_key, site.road].append(site)
        return found

    @cached_property
    def sites_of_district(self) -> Mapping[str, Sequence[Site]]:
        """Sites by the first six digits of their division's code."""
        found: dict[str, list[Site]] = defaultdict(list)
        for site in self.sites:
            found[site.region.code[:6]].append(site)
        return found

    @cached_property
    def sites_of_name(self) -> Mapping[str, Sequence[Site]]:
        """Sites by name, their other names included."""
        found: dict[str, list[Site]] = defaultdict(list)
        for site in self.sites:
            for name in dict.fromkeys((site.name, *site.aliases, site.former)):
                if name:
                    found[name].append(site)
        return found

    @cached_property
    def places_of_tenant(self) -> Mapping[str, Sequence[Place]]:
        """Places by the name of their shop or company, branches of a chain together."""
        found: dict[str, list[Place]] = defaultdict(list)
        for place in self.places:
            if place.tenant:
                found[place.tenant].append(place)
        return found

    @cached_property
    def sites_of_number(self) -> Mapping[tuple[str, str], Sequence[Site]]:
        """Sites by road and number, of whatever city."""
        found: dict[tuple[str, str], list[Site]] = defaultdict(list)
        for site in self.sites:
            if site.road and site.number:
                found[site.road, site.number].append(site)
        return found

    @cached_property
    def cities_of_road(self) -> Mapping[str, frozenset[str]]:
        """Cities that have a road of a name on this map."""
        found: dict[str, set[str]] = defaultdict(set)
        for city, road in self.sites_of_road:
            found[road].add(city)
        return {road: frozenset(cities) for road, cities in found.items()}

    def is_common_road(self, road: str) -> bool:
        """Say whether more than one city has a road of that name, here or in real texts."""
        known = self.vocabulary.road_cities.get(road, 0)
        return known > 1 or len(self.cities_of_road.get(road, ())) > 1

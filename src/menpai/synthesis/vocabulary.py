"""The words and frequencies that synthetic addresses are made of, from the packaged files."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from menpai.synthesis.draws import Weighted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_COMMON_POWER = 1.7
"""The samples are small: a road seen in 60 of their cities is in nearly all, one seen in two is not
in many; with this power 人民路 is as frequent on the map as in the texts."""


@dataclass(frozen=True)
class Vocabulary:
    """Words by kind, names of roads, compounds and buildings, and observed frequencies.

    Attributes:
        words: Lists of words by key (`data/words.txt`).
        compounds: Names of residential compounds.
        buildings: Names of towers, malls and parks, and the city (four digits) if it is known.
        roads: Names of roads, the number of cities that each was seen in, and the codes of these
            (four digits) if they are few.
        parameters: Frequencies estimated from real texts (`data/parameters.json`).
    """

    words: Mapping[str, tuple[str, ...]]
    compounds: Sequence[str]
    buildings: Sequence[tuple[str, str]]
    roads: Sequence[tuple[str, int, tuple[str, ...]]]
    parameters: Mapping[str, Any]

    @cached_property
    def common_roads(self) -> Weighted[str]:
        """Roads of many cities, as often as they are met."""
        return Weighted((name, n**_COMMON_POWER) for name, n, _ in self.roads if n > 1)

    @cached_property
    def rare_roads(self) -> tuple[str, ...]:
        """Roads of which no city is known."""
        return tuple(name for name, n, cities in self.roads if n == 1 and not cities)

    @cached_property
    def roads_of_city(self) -> Mapping[str, Sequence[str]]:
        """Roads by the first four digits of the city's code."""
        found: dict[str, list[str]] = {}
        for name, _, cities in self.roads:
            for city in cities:
                found.setdefault(city, []).append(name)
        return found

    @cached_property
    def buildings_of_city(self) -> Mapping[str, Sequence[str]]:
        """Towers, malls and parks by city; those of no known city under an empty code."""
        found: dict[str, list[str]] = {}
        for name, city in self.buildings:
            found.setdefault(city, []).append(name)
        return found

    @cached_property
    def road_cities(self) -> dict[str, int]:
        """Number of cities in which a road was seen."""
        return {name: n for name, n, _ in self.roads}

    @cached_property
    def district_shares(self) -> Mapping[str, Mapping[str, float]]:
        """Shares of the districts in the texts of buyers (shop), of offices (jobs), and of all."""
        found: dict[str, dict[str, float]] = {"all": {}}
        counts = self.parameters["districts"]
        for name, seen in counts.items():
            total = sum(seen.values())
            found[name] = {code: n / total for code, n in seen.items()}
            for code, share in found[name].items():
                found["all"][code] = found["all"].get(code, 0.0) + share / len(counts)
        return found

    @cached_property
    def numbers(self) -> Weighted[int]:
        """Road numbers that are met often; 0 for all others."""
        shares = {int(n): share for n, share in self.parameters["numbers"].items()}
        return Weighted([*shares.items(), (0, 1 - sum(shares.values()))])

    @cached_property
    def popular(self) -> frozenset[str]:
        """Names of compounds that many cities have."""
        return frozenset(self.words["popular"])

    def quantiles(self, element: str) -> tuple[int, ...]:
        """Quantiles of the numbers that an element has."""
        return self._quantiles[element]

    @cached_property
    def _quantiles(self) -> dict[str, tuple[int, ...]]:
        return {e: tuple(values) for e, values in self.parameters["quantiles"].items()}

    def of_province(self, kind: str, code: str) -> Weighted[str]:
        """Give the frequencies of a kind in a province; those of all where it has none.

        Args:
            kind: A key of the parameters: road_endings, number_forms, building_units...
            code: A division code of that province.
        """
        known = self._of_province.get((kind, code[:2]))
        if known is None:
            shares = self.parameters[kind]
            known = Weighted(shares.get(code[:2], shares["all"]).items())
            self._of_province[kind, code[:2]] = known
        return known

    @cached_property
    def _of_province(self) -> dict[tuple[str, str], Weighted[str]]:
        return {}


def _parts(line: str) -> tuple[str, str, str]:
    return line.partition("\t")


@lru_cache(maxsize=1)
def load() -> Vocabulary:
    """Read the packaged files, once per process."""
    folder = resources.files("menpai.synthesis") / "data"
    words = {}
    for line in (folder / "words.txt").read_text(encoding="utf-8").splitlines():
        key, colon, rest = line.partition(":")
        if colon and not line.startswith("#"):
            words[key] = tuple(rest.split())
    lists = {
        name: tuple(gzip.decompress((folder / f"{name}.txt.gz").read_bytes()).decode().splitlines())
        for name in ("compounds", "buildings", "roads")
    }
    roads = [line.split("\t") for line in lists["roads"]]
    return Vocabulary(
        words=words,
        compounds=lists["compounds"],
        buildings=tuple((name, city) for name, _, city in map(_parts, lists["buildings"])),
        roads=tuple((name, int(n), tuple(cities.split())) for name, n, cities in roads),
        parameters=json.loads((folder / "parameters.json").read_text(encoding="utf-8")),
    )

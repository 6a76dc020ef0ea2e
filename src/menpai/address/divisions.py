"""Look-up of divisions: what a written name means, and what lies where.

The table (built by ``scripts/build_divisions.py``) holds every current division down to the
village, the short and popular names of those from province to district, and the names they had
before, with the year in which each ceased and what it became.
"""

from collections.abc import Mapping
from functools import cached_property, lru_cache
from importlib import resources
from typing import Final

from menpai.address.division_table import (
    HEADER,
    Division,
    Reading,
    body,
    parse_divisions,
    parse_readings,
)
from menpai.address.towns import TownIndex, TownTable, written_stem
from menpai.address.villages import VillageTable, base_of

__all__ = ["Division", "Divisions", "Reading", "load"]


class Divisions:
    """The division table.

    Attributes:
        digest: Digest of the packaged files; it changes with any of them.
    """

    def __init__(self, divisions: str, readings: str, towns: str) -> None:
        """Read the texts of the packaged files; villages are read when first asked for.

        Raises:
            DataError: If one of them is broken.
        """
        self.digest: Final = divisions[len(HEADER) : divisions.find("\n")].strip()
        self._divisions = parse_divisions(body(divisions, "divisions.tsv"))
        self._packed: dict[str, str] = {}
        self._read: dict[str, tuple[Reading, ...]] = {}
        self._starting: dict[str, list[str]] = {}
        self._letters: set[str] = set()
        for line in body(readings, "readings.tsv").splitlines():
            name, _, packed = line.partition("\t")
            self._packed[name] = packed
            if len(name) > 1:
                self._starting.setdefault(name[:2], []).append(name)
            else:
                self._letters.add(name)
        self._towns = TownTable(body(towns, "towns.tsv"))
        self._town_indexes: dict[str, TownIndex] = {}

    # Divisions.

    def get(self, code: str) -> Division:
        """Give the division of a code of 6 digits, or the town of one of 9.

        Raises:
            KeyError: If there is none.
        """
        if len(code) == 9:
            return self._town(code)
        return self._divisions[code]

    def _town(self, code: str) -> Division:
        owner = self._divisions[self._towns.district_of(code)]
        for name, town in self._towns.of(owner.code).items():
            if town == code:
                return owner._replace(code=code, name=name, level="town", parent=owner.code)
        raise KeyError(code)

    def children(self, code: str) -> tuple[str, ...]:
        """Codes of the divisions one level down: cities and direct districts, or districts."""
        return self._children.get(code, ())

    @cached_property
    def _children(self) -> dict[str, tuple[str, ...]]:
        children: dict[str, list[str]] = {}
        for code, division in self._divisions.items():
            if division.parent:
                children.setdefault(division.parent, []).append(code)
        return {parent: tuple(codes) for parent, codes in children.items()}

    @cached_property
    def official_names(self) -> frozenset[str]:
        """Official names of all provinces, cities and districts."""
        return frozenset(division.name for division in self._divisions.values())

    # Written names.

    def scan(self, text: str) -> list[tuple[int, int, str]]:
        """Find every written name in a text.

        Names overlap; one-letter names of provinces count at the start only.

        Returns:
            Start, end and name of each, by start and the longest first.
        """
        hits: list[tuple[int, int, str]] = []
        starting = self._starting
        for start in range(len(text) - 1):
            names = starting.get(text[start : start + 2])
            if names:
                for name in names:
                    if text.startswith(name, start):
                        hits.append((start, start + len(name), name))  # noqa: PERF401  hot loop
        if text[:1] in self._letters:
            place = sum(hit[0] == 0 for hit in hits)
            hits.insert(place, (0, 1, text[0]))
        return hits

    def readings(self, name: str) -> tuple[Reading, ...]:
        """Give the meanings of a written name, the most usual first; empty if it is none."""
        known = self._read.get(name)
        if known is None:
            packed = self._packed.get(name)
            if packed is None:
                return ()
            known = self._read[name] = parse_readings(packed, self._divisions)
        return known

    # Towns.

    def towns(self, code: str) -> Mapping[str, str]:
        """Official names and codes of the towns of a district or district-less city."""
        return self._towns.of(code)

    def towns_at(self, text: str, pos: int, code: str) -> tuple[str, str, int] | None:
        """Find the longest town of a district that is written at a place.

        Args:
            text: A normalised text.
            pos: Where the town's name would begin.
            code: The district, or a city without districts.

        Returns:
            The town's official name, its code and where the written name ends.
        """
        index = self._town_indexes.get(code)
        if index is None:
            city = code in self._divisions and self._divisions[code].level == "city"
            index = self._town_indexes[code] = TownIndex(self._towns.of(code), city=city)
        return index.at(text, pos)

    def town_owners(self, name: str) -> tuple[str, ...]:
        """Codes of the districts that have a town so named, or else one of that stem."""
        owners = self._towns.owners
        return tuple(owners.get(name) or owners.get(written_stem(name)) or ())

    @property
    def town_names(self) -> frozenset[str]:
        """Official names of all towns."""
        return self._towns.names

    # Villages.

    def villages_at(self, text: str, pos: int, town_code: str) -> tuple[str, str, int] | None:
        """Find the longest village of a town that is written at a place.

        Returns:
            The short official name (回龙村, 城塘社区), the code and where the written name ends.
            The code is the one last published, so after a change of the town its first nine
            digits may be those of the former one.
        """
        return self._villages.at(text, pos, town_code)

    def village_owners(self, district_code: str, name: str) -> tuple[str, ...]:
        """Codes of the towns of a district that have a village so named, 村 or 社区 optional."""
        base = base_of(name)
        if not self._villages.may_hold(district_code[:4], base):
            return ()
        codes = self._towns.of(district_code).values()
        return tuple(code for code in codes if base in self._villages.index(code))

    @cached_property
    def _villages(self) -> VillageTable:
        return VillageTable((resources.files("menpai.address") / "data/villages.bin").read_bytes())


@lru_cache(maxsize=1)
def load() -> Divisions:
    """Read the packaged table, once per process."""
    folder = resources.files("menpai.address") / "data"
    names = ("divisions.tsv", "readings.tsv", "towns.tsv")
    return Divisions(*((folder / name).read_text(encoding="utf-8") for name in names))

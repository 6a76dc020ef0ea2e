"""Real divisions to build on, and the names that people write for them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

from menpai.address.division_table import body, parse_divisions, parse_readings
from menpai.address.divisions import Divisions, load as load_divisions
from menpai.address.towns import stem_of
from menpai.address.villages import VillageTable

_MUNICIPALITIES = frozenset({"11", "12", "31", "50"})
_ISLANDS = frozenset({"71", "81", "82"})
_OLDEST_NAME = 1995
"""Names that ceased before are hardly written any more."""


@dataclass(frozen=True, slots=True)
class Region:
    """Where a site lies: official names from province to town; None where there is no such level.

    The city of a district of a municipality is the municipality, as the parser gives it.
    """

    code: str
    province: str
    city: str | None
    district: str | None
    town: str | None
    codes: tuple[str, str, str]
    """Codes of province, city and district; empty where there is no such level."""

    @property
    def city_key(self) -> str:
        """What two places of one city share."""
        return self.city or self.district or self.province


class Wording(NamedTuple):
    """A name that a division is written by, and its kind: official, short, alias, former."""

    text: str
    kind: str


class Regions:
    """The packaged divisions, from above."""

    def __init__(self, table: Divisions, divisions: str, readings: str, villages: bytes) -> None:
        """Take the division table and the texts of its files."""
        self.table = table
        self._divisions = parse_divisions(body(divisions, "divisions.tsv"))
        self._villages = VillageTable(villages)
        self._wordings: dict[str, list[Wording]] = {}
        for line in body(readings, "readings.tsv").splitlines():
            name, _, packed = line.partition("\t")
            for reading in parse_readings(packed, self._divisions):
                current = reading.kind in {"short", "alias"} and len(name) > 1
                former = reading.kind == "former" and reading.year >= _OLDEST_NAME
                if current or former:
                    wording = Wording(name, reading.kind)
                    self._wordings.setdefault(reading.code, []).append(wording)

    def districts(self) -> list[str]:
        """Codes of the districts, and of the cities without any; islands apart."""
        codes = []
        for code, division in self._divisions.items():
            bottom = division.level == "district" or (
                division.level == "city" and not self.table.children(code)
            )
            if bottom and code[:2] not in _ISLANDS and self.table.towns(code):
                codes.append(code)
        return sorted(codes)

    def towns(self, district: str) -> list[tuple[str, str]]:
        """Names and codes of the towns of a district."""
        return list(self.table.towns(district).items())

    def villages(self, town: str) -> list[str]:
        """Names of the villages and communities of a town."""
        return [name for name, _ in self._villages.of(town)]

    def region(self, district: str, town: tuple[str, str] | None) -> Region:
        """Give the region of a town of a district."""
        division = self._divisions[district]
        province = next(d for c, d in self._divisions.items() if c == district[:2] + "0000")
        city = division.city
        city_code = district if division.level == "city" else (division.parent or "")
        if district[:2] in _MUNICIPALITIES:
            city = province.name
        elif city is None:
            city_code = ""
        return Region(
            code=town[1] if town else district,
            province=province.name,
            city=city,
            district=division.district,
            town=town[0] if town else None,
            codes=(province.code, city_code, district if division.district else ""),
        )

    def wordings(self, code: str) -> list[Wording]:
        """Other names of a province, city or district."""
        return self._wordings.get(code, [])


def short_town(name: str) -> str:
    """Give a town's name without its ending."""
    return stem_of(name)


@lru_cache(maxsize=1)
def load() -> Regions:
    """Read the packaged files, once per process."""
    folder = resources.files("menpai.address") / "data"
    return Regions(
        load_divisions(),
        (folder / "divisions.tsv").read_text(encoding="utf-8"),
        (folder / "readings.tsv").read_text(encoding="utf-8"),
        (folder / "villages.bin").read_bytes(),
    )

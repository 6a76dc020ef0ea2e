"""Source files of the division table, read into plain records."""

import csv
import gzip
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

CURATED = Path(__file__).parent / "curated"

MUNICIPALITIES = frozenset({"110000", "120000", "310000", "500000"})


class Place(NamedTuple):
    """A current division from province to district."""

    code: str
    name: str
    level: str
    parent: str
    official: bool = True


class Sources:
    """The folder of the source files."""

    def __init__(self, folder: Path) -> None:
        """Name the folder."""
        self.folder = folder

    def quhua(self, name: str) -> Any:
        """Read one JSON file of quhua."""
        with gzip.open(self.folder / f"quhua_{name}_v1.json.gz", "rt", encoding="utf-8") as file:
            return json.load(file)

    def statistics(self, name: str) -> list[dict[str, str]]:
        """Read one table of china-division."""
        path = self.folder / f"{name}.csv.gz"
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def renamed(self) -> list[tuple[int, list[str], list[str]]]:
        """Read JioNLP's list: year, former path and current path."""
        rows = []
        for line in (self.folder / "renamed_jionlp.txt").read_text(encoding="utf-8").splitlines():
            former, _, current = line.partition("=>")
            date, _, province, _, *rest = former.split("\t")
            rows.append((int(date[:4]), [province, *rest[::2]], current.split("\t")))
        return rows


def curated(name: str) -> list[list[str]]:
    """Read the rows of a curated file."""
    lines = (CURATED / name).read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines if line and not line.startswith("#")]


def places(sources: Sources) -> list[Place]:
    """Give all current divisions from province to district, each after the one it lies in."""
    found = [*_mainland(sources.quhua("divisions")), *_extra(), *_taiwan()]
    return sorted(found, key=lambda place: place.code)


def _mainland(table: Any) -> Iterable[Place]:
    for province, below in table["provinces"].items():
        above = below["code"][:6]
        yield Place(above, province, "p", "")
        for city, lower in below["cities"].items():
            parent = above
            if city:
                parent = lower["code"][:6]
                yield Place(parent, city, "c", above)
            for district, code in lower["counties"].items():
                yield Place(code[:6], district, "d", parent)


def _extra() -> Iterable[Place]:
    for code, name, parent, _ in curated("extra_divisions.tsv"):
        yield Place(code, name, "d", parent)


def _taiwan() -> Iterable[Place]:
    """Cities and townships of Taiwan, numbered in the order of the curated list."""
    city = township = 0
    for row in curated("taiwan.tsv"):
        if len(row) == 1 or not row[1]:
            city, township = city + 1, 0
            yield Place(f"71{city:02}00", row[0], "c", "710000", official=False)
        else:
            township += 1
            yield Place(f"71{city:02}{township:02}", row[1], "d", f"71{city:02}00", official=False)


def towns(sources: Sources, known: list[Place]) -> dict[str, dict[str, str]]:
    """Give the towns of each district or district-less city: official name to 9-digit code.

    Towns come from quhua; where it has none for a division, from china-division.
    """
    found: dict[str, dict[str, str]] = {}
    for code, district in sources.quhua("townships").items():
        names = district["townships"].items()
        found[code[:6]] = {name: town[:9] for name, town in names if "撤" not in name}
    above = {place.parent for place in known}
    lacking = {place.code for place in known if place.level != "p"} - above - set(found)
    for row in sources.statistics("streets"):
        owner = next((c for c in (row["areaCode"], row["code"][:4] + "00") if c in lacking), None)
        if owner is not None and "直辖村" not in row["name"]:
            found.setdefault(owner, {})[_town_name(row["name"])] = row["code"]
    return {code: found[code] for code in sorted(found)}


def _town_name(name: str) -> str:
    return name.removesuffix("办事处") if name.endswith("街道办事处") else name

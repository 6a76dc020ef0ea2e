"""Villages of the statistics, placed in the towns of today."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from menpai.address.towns import stem_of

_COMMITTEE = re.compile(r"[村居牧]?(?:[村居牧人]民)?委[员会委]*\Z")
"""Also in the ways it is misspelt in the source: 村委, 居民委会, 居委员会, 村委会会."""

_NO_VILLAGE = re.compile(r"虚拟|生活区|直辖|普查|托管|街道委|[（）():,\t]")
_OWN_ENDING = re.compile(
    r"(?:村|社区|嘎查|分场|农场|林场|牧场|渔场|茶场|种场|生产队|大队|管理区|[一二三四五六七八九十][连队])\Z"
)


def short_name(name: str) -> str | None:
    """Name of a village without its committee; None for what the statistics made up."""
    if _NO_VILLAGE.search(name):
        return None
    stem = _COMMITTEE.sub("", name)
    if stem == name or _OWN_ENDING.search(stem):
        return stem
    return stem + ("社区" if "居" in name[len(stem) :] else "村")


_OFFICE = re.compile(r"办事处(?=街道\Z)|(?<=街道)办事处\Z|街(?=街道\Z)")
_PREFIX = re.compile(
    r"\A(?:[一-鿿]{2,3}[市县区]|高新区|经开区|经济开发区)(?=[一-鿿]{2,}[镇乡道]\Z)"
)


def _spellings(name: str) -> Iterable[str]:
    """Writings of a town's name to try: as listed, tidied, without its district, its stem."""
    tidy = _OFFICE.sub("", name)
    for writing in (name, tidy, _PREFIX.sub("", tidy)):
        yield writing
        yield stem_of(writing)


class Placement:
    """Finds the town of today for a town of the statistics."""

    def __init__(
        self, towns: Mapping[str, Mapping[str, str]], streets: list[dict[str, str]]
    ) -> None:
        """Take the current towns by district, and the towns of the statistics."""
        self.current = {code: name for names in towns.values() for name, code in names.items()}
        self.districts = {
            district: _named((name, code) for name, code in names.items())
            for district, names in towns.items()
        }
        self.cities = _by_city((n, c) for names in towns.values() for n, c in names.items())
        self.listed = _by_city((row["name"], row["code"]) for row in streets)
        self.placed = {row["code"]: self._place(row) for row in streets}

    def _place(self, row: dict[str, str]) -> str | None:
        code, name = row["code"], row["name"]
        known = self.current.get(code)
        if known is not None and stem_of(known) in _spellings(name):
            return code
        district = self.districts.get(row["areaCode"], {})
        for key in _spellings(name):
            if len(found := district.get(key, set())) == 1:
                return next(iter(found))
        return self._moved(code, name)

    def _moved(self, code: str, name: str) -> str | None:
        """A town of another district now: its name is the only one of the city, then and now."""
        current, listed = self.cities[_city(code)], self.listed[_city(code)]
        for key in _spellings(name):
            found = current.get(key, set())
            if len(found) == 1 and listed.get(key, {code}) == {code}:
                return next(iter(found))
        return None


def _city(code: str) -> str:
    """Municipalities are one city; so is what lies directly under a province."""
    return code[:2] if code[:2] in {"11", "12", "31", "50"} else code[:4]


def _named(towns: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    index: dict[str, set[str]] = defaultdict(set)
    for name, code in towns:
        for key in (name, stem_of(name)):
            index[key].add(code)
    return index


def _by_city(towns: Iterable[tuple[str, str]]) -> dict[str, dict[str, set[str]]]:
    cities: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for name, code in towns:
        cities[_city(code)].append((name, code))
    return defaultdict(dict, {city: _named(names) for city, names in cities.items()})


def placed_villages(
    towns: Mapping[str, Mapping[str, str]],
    streets: list[dict[str, str]],
    villages: list[dict[str, str]],
) -> tuple[dict[str, dict[str, tuple[tuple[str, str], ...]]], int]:
    """Group the villages by current town and the town code they are listed under.

    Returns:
        The groups, and how many villages found no town.
    """
    placement = Placement(towns, streets)
    groups: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    n_lost = 0
    for row in villages:
        town, name = placement.placed[row["streetCode"]], short_name(row["name"])
        if name is None:
            continue
        if town is None:
            n_lost += 1
        else:
            groups[town][row["streetCode"]].setdefault(name, row["code"])
    return {
        town: {listed: tuple(names.items()) for listed, names in sorted(lists.items())}
        for town, lists in groups.items()
    }, n_lost

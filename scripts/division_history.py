"""Former names of divisions and what they became, from a change table and curated facts.

The change table compares the yearly lists of codes, so it shows a rename, a code given to another
division and a merger alike. A former name is kept only if it leads, change by change, to a
division of today; what the table gets wrong is corrected in curated/.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from division_names import short_form
from division_sources import MUNICIPALITIES, Place, Sources, curated

CHANGES = frozenset("更名 撤县设市 撤县设区 撤市设区 撤地设市 撤区设区 撤旗设区 撤销".split())
"""Kinds of change that end a name. 同名改码 and 码位改派 change codes only."""

RECODED = "码位改派"
MAX_STEPS = 12


class Former(NamedTuple):
    """A former name: last year in use, the codes it became, and what it was written under."""

    name: str
    year: int
    successors: tuple[str, ...]
    written_parent: str | None
    main: bool = False


class History:
    """Resolves former names against the divisions of today."""

    def __init__(self, sources: Sources, places: Iterable[Place]) -> None:
        """Read the change table."""
        self.sources = sources
        self.today = {place.code: place for place in places}
        self.named: dict[str, list[str]] = defaultdict(list)
        for place in self.today.values():
            self.named[place.name].append(place.code)
        events = sources.quhua("historical_changes")["events"]
        coded = [event for event in events if (event["old"] or {}).get("code")]
        self.events = sorted(coded, key=lambda event: event["year"])
        self.steps: dict[tuple[str, str], list[Any]] = defaultdict(list)
        for event in self.events:
            if event["type"] != RECODED and (event["new"] or {}).get("code"):
                old = event["old"]
                self.steps[old["code"][:6], old["name"]].append(event)

    def former(self) -> list[Former]:
        """Give all former names; curated facts win, then later changes."""
        found: dict[tuple[str, str], Former] = {}
        for former in [*self._listed(), *self._changed(), *self._curated()]:
            # Within one city a name can mean one thing only.
            found[former.name, former.successors[0][:4]] = former
        return list(found.values())

    # Curated facts.

    def _curated(self) -> Iterable[Former]:
        for year, where, name, successors in curated("former.tsv"):
            under = self.path(where.split("/"))
            codes = tuple(self._successor(under, item) for item in re.split("[,+]", successors))
            yield Former(name, int(year), codes, under, main="+" in successors)
        yield from self._taiwan()

    def _successor(self, under: str, name: str) -> str:
        """A name below the same division, or a path from the top or from that division down."""
        steps = name.split("/")
        if any(place.name == steps[0] and not place.parent for place in self.today.values()):
            return self.path(steps)
        return self.path(steps, under)

    def path(self, names: Iterable[str], start: str = "") -> str:
        """Code of a path of current names; fails if there is no such division."""
        code = start
        for name in names:
            code = next(c for c in self.named[name] if self.today[c].parent == code)
        return code

    def _taiwan(self) -> Iterable[Former]:
        province = "710000"
        county, since = "", 0
        for row in curated("taiwan.tsv"):
            city, township, endings, year = (*row, "", "", "")[:4]
            if not township:
                county, since = endings, int(year or 0)
                if county:
                    yield Former(county, since, (self.path([city], province),), province)
                continue
            for ending in endings.split(",") if endings else ():
                code = self.path([city, township], province)
                former = township[:-1] + ending
                yield Former(former, since or int(year), (code,), self.today[code].parent)

    # The change table.

    def _changed(self) -> Iterable[Former]:
        wrong = {(int(year), path) for year, path in curated("not_successors.tsv")}
        for event in self.events:
            path = "/".join(event["old_path"] or ())
            if event["type"] in CHANGES and (event["year"], path) not in wrong:
                yield from self._change(event)

    def _change(self, event: Any) -> Iterable[Former]:
        old, new = event["old"], event["new"] or {}
        if new.get("code"):
            code = self._follow(new["code"][:6], new["name"], event["year"])
        else:
            code = self._namesake(old["code"], old["name"])
        if code is not None and self._is_news(old["name"], event["level"], code):
            yield Former(old["name"], event["year"], (code,), self._written_parent(event, code))

    def _is_news(self, name: str, level: int, code: str) -> bool:
        place = self.today[code]
        if level == 3 and place.level != "d":
            return False
        return all(place.name != name for place in self._siblings(code))

    def _siblings(self, code: str) -> list[Place]:
        parent = self.today[code].parent
        return [place for place in self.today.values() if place.parent == parent]

    def _follow(self, code: str, name: str, year: int, depth: int = 0) -> str | None:
        """Follow a division through later changes to its code of today."""
        place = self.today.get(code)
        if place is not None and place.name == name:
            return code
        for event in self.steps[code, name]:
            if event["year"] >= year and depth < MAX_STEPS:
                new = event["new"]
                found = self._follow(new["code"][:6], new["name"], event["year"], depth + 1)
                if found is not None:
                    return found
        return _only(self.named[name], code)

    def _namesake(self, code: str, name: str) -> str | None:
        """诸暨县 ended without a successor on record, and there is one 诸暨市 in the province."""
        stem = short_form(name)
        if stem is None or name[-1] == "区":
            return None
        alike = [
            c for c in (*self.named[f"{stem}市"], *self.named[f"{stem}区"]) if c[:2] == code[:2]
        ]
        same = [c for c in alike if self.today[c].level == "d"]
        return same[0] if len(same) == 1 else None

    def _written_parent(self, event: Any, code: str) -> str | None:
        """The division of today that the name was written under."""
        names = [re.split(r"(?<=省)|(?<=自治区)", name)[-1] for name in event["old_path"][:-1]]
        place = self.today[code]
        if not names:
            return place.parent if place.parent in MUNICIPALITIES else None
        parent = (event["old"]["parent_code"] or "")[:6]
        found = self._follow(parent, names[-1], event["year"]) if parent else None
        return found or _only(self.named[names[-1]], code) or place.parent

    # JioNLP's list.

    def _listed(self) -> Iterable[Former]:
        """Renames that name a division of today; those that do not are errors of the list."""
        for year, former, current in self.sources.renamed():
            try:
                code = self.path(current)
            except StopIteration:
                continue
            if former[-1] != current[-1]:
                yield Former(former[-1], year, (code,), self.today[code].parent)


def _only(codes: list[str], near: str) -> str | None:
    """The only one of the same city, or of the same province."""
    for length in (4, 2):
        same = [code for code in codes if code[:length] == near[:length]]
        if len(same) == 1:
            return same[0]
    return None

"""What the mentions of a text mean together: weighed, so that one wrong level moves no other."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from menpai.address.divisions import Divisions, Reading

_WEIGHTS = {"official": 3.0, "former": 2.6, "split": 2.6, "alias": 2.4, "letter": 1.0}
_SHORT = {"province": 2.6, "city": 2.4, "district": 2.0}
_SHORT_FORMER = 1.5
_MINOR_SUCCESSOR = -0.2
_DEPTHS = {"province": 0, "city": 1, "district": 2}
_ENDINGS = frozenset("省市区县旗州盟")
_TOWN = 2.0
_RARE_TOWN = 5.2
"""More than a district's full name: 秀水镇 of 阳泉 is in 盂县, whatever county was written."""
_RARE_OWNERS = 6
_NEW = 0.5
"""Bonus for a division that no mention before named: 朝阳朝阳 is a county of a city."""
_HINT = 1.5
"""A supposed division weighs less than any written one."""
_CONFLICT = -2.0
_TOWN_CONFLICT = -1.0
_ALONE = -2.5
_CITY_ENDINGS = frozenset("市州盟")
_IN_TIME, _OUT_OF_TIME = 1.0, -0.6
_OTHER_PARENT = -0.5
_MAX_OWNERS = 40
"""A town's name that more districts share says nothing about the district."""
_CLOSE = 1e-6


class Mention(NamedTuple):
    """A place in the text where a division is named, and what it may mean."""

    start: int
    end: int
    name: str
    readings: tuple[Reading, ...]


class TownMention(NamedTuple):
    """A place in the text where a town is named; owners are the districts that have such a one."""

    start: int
    end: int
    name: str
    owners: tuple[str, ...]


class Region(NamedTuple):
    """The codes that fit the mentions best, and the mentions that contradict the first of them."""

    codes: tuple[str, ...]
    conflicts: tuple[Mention, ...]


@lru_cache(maxsize=8192)
def lineage(table: Divisions, code: str) -> tuple[str, ...]:
    """Give a division's code and those of all above it, from the deepest up."""
    parent = table.get(code).parent
    return (code, *lineage(table, parent)) if parent else (code,)


def resolve(
    table: Divisions,
    mentions: Sequence[Mention],
    towns: Sequence[TownMention] = (),
    hints: Sequence[Mention] = (),
    as_of: int | None = None,
) -> Region:
    """Weigh the mentions together.

    Args:
        table: The divisions.
        mentions: Named divisions in the order of the text.
        towns: Named towns, each evidence for the districts that have it.
        hints: Divisions that are supposed but not written.
        as_of: The year of the text: names that were official then weigh more.

    Returns:
        The deepest codes that fit best: one, several that cannot be told apart, or none.
    """
    agreed = _agreed(table, mentions, towns) if not hints else None
    if agreed is not None:
        return Region((agreed,), ())
    telling = [t for t in towns if 0 < len(t.owners) <= _MAX_OWNERS]
    return _Scale(table, mentions, telling, hints, as_of).weigh()


def _agreed(
    table: Divisions, mentions: Sequence[Mention], towns: Sequence[TownMention]
) -> str | None:
    """The only code that every mention and town allows: the common case, found without weighing."""
    viable: set[str] = set()
    for mention in mentions:
        meant = {c for r in mention.readings for c in (r.code, *r.successors)}
        viable = narrowed(table, viable, meant) if viable else meant
        if not viable:
            return None
    for town in towns:
        if town.owners and viable:
            viable = narrowed(table, viable, set(town.owners))
    return viable.pop() if len(viable) == 1 else None


def narrowed(table: Divisions, viable: set[str], meant: set[str]) -> set[str]:
    """The deeper of each pair of codes of which one lies in the other."""
    deeper = set()
    for code in viable:
        for other in meant:
            if other in lineage(table, code):
                deeper.add(code)
            elif code in lineage(table, other):
                deeper.add(other)
    return deeper


class _Scale:
    """Weighs each candidate against all mentions."""

    def __init__(
        self,
        table: Divisions,
        mentions: Sequence[Mention],
        towns: Sequence[TownMention],
        hints: Sequence[Mention],
        as_of: int | None,
    ) -> None:
        self.table = table
        self.mentions = mentions
        self.towns = towns
        self.hints = hints
        self.as_of = as_of

    def weigh(self) -> Region:
        candidates = {
            c
            for m in (*self.mentions, *self.hints)
            for r in m.readings
            for c in (r.code, *r.successors)
        }
        candidates.update(owner for town in self.towns for owner in town.owners)
        if not candidates:
            return Region((), ())
        weights = {code: self._weight(code) for code in candidates}
        best = max(weights.values())
        codes = self._deepest([c for c, weight in weights.items() if weight > best - _CLOSE])
        chain = self._chain(codes[0])
        conflicts = [m for m in self.mentions if self._contradicts(m, codes[0], chain)]
        return Region(codes, tuple(conflicts))

    def _deepest(self, tied: list[str]) -> tuple[str, ...]:
        """Of codes that fit alike keep the deepest, and of different names the one named first."""
        depths = {c: _DEPTHS[self.table.get(c).level] for c in tied}
        tied = [c for c in tied if depths[c] == max(depths.values())]
        official = [c for c in tied if self.table.get(c).official]
        tied = official or tied
        if len(tied) > 1:
            first = {c: self._first_named(c) for c in tied}
            tied = [c for c in tied if first[c] == min(first.values())]
        return tuple(sorted(tied))

    def _first_named(self, code: str) -> int:
        for place, mention in enumerate(self.mentions):
            if any(code == r.code or code in r.successors for r in mention.readings):
                return place
        return len(self.mentions)

    def _chain(self, code: str) -> set[str]:
        """A code, what it lies in, and what its former name lay in: 万县市 was one of 四川."""
        chain = set(lineage(self.table, code))
        for mention in self.mentions:
            for reading in mention.readings:
                if (
                    reading.written_parent
                    and reading.code in chain
                    and mention.name[-1] in _ENDINGS
                ):
                    chain.update(lineage(self.table, reading.written_parent))
        return chain

    def _weight(self, code: str) -> float:
        """What all mentions say for a code; a code that none of them names is no candidate."""
        chain = self._chain(code)
        used = {owner for town in self.towns for owner in town.owners}
        total = sum(self._mention_weight(m, code, chain, used) for m in self.mentions)
        for hint in self.hints:
            supposed = chain.intersection(r.code for r in hint.readings)
            used |= supposed
            total += _HINT * bool(supposed)
        if code not in used:
            return float("-inf")
        total += _ALONE * self._stands_alone(code, chain)
        return total + sum(self._town_weight(t, code, chain) for t in self.towns)

    def _stands_alone(self, code: str, chain: set[str]) -> bool:
        """惠州市江北区: a …区 of elsewhere against a full city, with no other witness for it."""
        agreeing = [m for m in self.mentions if not self._contradicts(m, code, chain)]
        cities = [m for m in self.mentions if m not in agreeing and m.name[-1] in _CITY_ENDINGS]
        if not cities or any(chain.intersection(town.owners) for town in self.towns):
            return False
        shared = {a for m in cities for r in m.readings for a in lineage(self.table, r.code)}
        witnesses = {m.name for m in agreeing if shared.isdisjoint(r.code for r in m.readings)}
        return len(witnesses) == 1 and witnesses.pop().endswith("区")

    def _town_weight(self, town: TownMention, code: str, chain: set[str]) -> float:
        """A town elsewhere counts against a district, not against the city or province above it."""
        if chain.intersection(town.owners):
            return _RARE_TOWN if self._is_rare(town) else _TOWN
        below = any(code in lineage(self.table, owner) for owner in town.owners)
        return 0.0 if below else _TOWN_CONFLICT

    def _is_rare(self, town: TownMention) -> bool:
        """Only this district of the city has the town, and hardly any elsewhere is so named."""
        named = self.table.town_owners(town.name) if town.name in self.table.town_names else ()
        return len(town.owners) == 1 and 0 < len(named) <= _RARE_OWNERS

    def _mention_weight(
        self, mention: Mention, code: str, chain: set[str], used: set[str]
    ) -> float:
        best, taken = 0.0, None
        full = mention.name[-1] in _ENDINGS
        for reading in mention.readings:
            for meant in reading.successors or (reading.code,):
                if meant in chain:
                    weight = self._reading_weight(reading, chain, full=full) + (
                        _NEW if meant not in used else 0
                    )
                    if weight > best:
                        best, taken = weight, meant
        if taken is not None:
            used.add(taken)
            return best
        return _CONFLICT if self._contradicts(mention, code, chain) else 0.0

    def _contradicts(self, mention: Mention, code: str, chain: set[str]) -> bool:
        """Say whether no reading of a mention is part of the chain or lies below the code."""
        return not any(
            meant in chain or code in lineage(self.table, meant)
            for reading in mention.readings
            for meant in (reading.code, *reading.successors)
        )

    def _reading_weight(self, reading: Reading, chain: set[str], *, full: bool) -> float:
        if reading.kind == "short":
            return _SHORT[reading.level]
        weight = _WEIGHTS[reading.kind]
        if reading.kind in {"former", "split"} and not full:
            weight = _SHORT_FORMER
        if reading.successors and reading.code not in chain:
            weight += _MINOR_SUCCESSOR
        if reading.kind in {"former", "split"}:
            if self.as_of is not None:
                weight += _IN_TIME if self.as_of <= reading.year else _OUT_OF_TIME
            if reading.written_parent and reading.written_parent not in chain:
                weight += _OTHER_PARENT
        return weight

"""From what a text mentions to its levels: current names, completion, doubts and contradictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from menpai.address import spelling
from menpai.address.details import Piece
from menpai.address.regions import lineage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from menpai.address.divisions import Divisions
    from menpai.address.mentions import Scan
    from menpai.address.regions import Mention, Region, TownMention

LEVELS = ("province", "city", "district")
_TAIWAN = "71"
_MUNICIPALITIES = frozenset({"北京市", "上海市", "天津市", "重庆市"})


@dataclass(slots=True)
class Levels:
    """The divisions of one text.

    `names` are current official names, `written` the pieces they were read from; `region` is the
    code of the deepest of province, city and district, `code` that of the town if it is known.
    """

    names: dict[str, str] = field(default_factory=dict)
    written: dict[str, Piece] = field(default_factory=dict)
    flags: list[str] = field(default_factory=list)
    region: str | None = None
    code: str | None = None
    ambiguous: bool = False
    candidates: tuple[str, ...] = ()

    def flag(self, flag: str) -> None:
        """Note a flag once."""
        if flag not in self.flags:
            self.flags.append(flag)


def place(table: Divisions, scan: Scan, region: Region) -> Levels:
    """Read the levels that the mentions of a text mean together."""
    levels = Levels()
    if region.codes:
        _place_divisions(table, scan, region, levels)
    _place_towns(table, scan, levels)
    if scan.zones:
        zone = max(scan.zones, key=lambda z: z.end - z.start)
        levels.written["zone"] = Piece(zone.name, zone.start, zone.end)
        levels.names["zone"] = zone.name
    return levels


def _place_divisions(table: Divisions, scan: Scan, region: Region, levels: Levels) -> None:
    codes = region.codes
    chain = set(lineage(table, codes[0]))
    for code in codes[1:]:
        chain &= set(lineage(table, code))
    _keep_spans(scan, chain if len(codes) == 1 else chain.union(codes), levels)
    if len(codes) == 1:
        levels.region = codes[0]
        levels.code = _official(table, codes[0])
    else:
        _leave_open(table, codes, levels)
    for code in chain:
        division = table.get(code)
        levels.names[division.level] = division.name
    province = levels.names.get("province")
    if province in _MUNICIPALITIES:
        levels.names["city"] = province
    _flag(table, scan, region, chain, levels)


def _official(table: Divisions, code: str) -> str:
    """Give the deepest official code: those below Taiwan are our own."""
    return next(c for c in lineage(table, code) if table.get(c).official)


def _leave_open(table: Divisions, codes: Sequence[str], levels: Levels) -> None:
    """Several divisions fit alike: give the common part, the name they share and all of them."""
    divisions = [table.get(c) for c in codes]
    levels.ambiguous = True
    levels.candidates = tuple(
        "".join(dict.fromkeys(n for n in (d.province, d.city, d.district) if n)) for d in divisions
    )
    shared = {(d.level, d.name) for d in divisions}
    if len(shared) == 1:
        level, name = shared.pop()
        levels.names[level] = name


def _keep_spans(scan: Scan, codes: set[str], levels: Levels) -> None:
    used: set[str] = set()
    for mention in scan.mentions:
        only = mention.readings[0]
        if len(mention.readings) == 1 and only.code in codes:
            used.add(only.code)
            piece = Piece(mention.name, mention.start, mention.end)
            levels.written.setdefault(only.level, piece)
            continue
        readings = [r for r in mention.readings if codes.intersection((r.code, *r.successors))]
        fresh = [r for r in readings if r.code not in used] or readings
        if fresh:
            used.add(fresh[0].code)
            level = fresh[0].level
            levels.written.setdefault(level, Piece(mention.name, mention.start, mention.end))


def _flag(table: Divisions, scan: Scan, region: Region, chain: set[str], levels: Levels) -> None:
    for mention in scan.mentions:
        if mention in region.conflicts:
            levels.flag(f"{mention.readings[0].level}_conflict")
        else:
            _flag_renamed(mention, region.codes[0], chain, levels)
    if scan.corrected:
        levels.flag("corrected")
    unwritten = {table.get(c).level for c in chain} - set(levels.written)
    if unwritten and len(chain) > 1:
        levels.flag("completed")


def _flag_renamed(mention: Mention, code: str, chain: set[str], levels: Levels) -> None:
    if len(mention.readings) == 1 and mention.readings[0].kind == "official":
        return
    fitting = [r for r in mention.readings if chain.intersection((r.code, *r.successors))]
    kinds = {r.kind for r in fitting}
    if kinds and kinds <= {"former", "split"}:
        levels.flag("renamed")
    current = any(r.kind == "official" and r.code == code for r in fitting)
    if "split" in kinds and not current:
        levels.flag("split")


# Towns.


def _place_towns(table: Divisions, scan: Scan, levels: Levels) -> None:
    """Keep the first town that lies in the region, a corrected one, or the first as written."""
    code = levels.region
    for town in scan.towns:
        known = _town_in(table, town.name, code) if code else None
        if known is not None:
            _put_town(table, town, known, levels)
            return
    if not scan.towns:
        return
    town = scan.towns[0]
    corrected = spelling.correct_town(town.name, table.towns(code)) if code else None
    if corrected is not None:
        _put_town(table, town, corrected, levels)
        levels.flag("corrected")
        return
    levels.written["town"] = Piece(town.name, town.start, town.end)
    levels.names["town"] = town.name
    if not town.owners:
        levels.flag("unknown_division")
    elif code:
        levels.flag("town_conflict")


def _town_in(table: Divisions, name: str, code: str) -> tuple[str, str] | None:
    known = table.towns_at(name, 0, code)
    return (known[0], known[1]) if known is not None and known[2] == len(name) else None


def _put_town(table: Divisions, town: TownMention, known: tuple[str, str], levels: Levels) -> None:
    levels.written["town"] = Piece(town.name, town.start, town.end)
    levels.names["town"], code = known
    levels.code = _official(table, code) if code[:2] == _TAIWAN else code

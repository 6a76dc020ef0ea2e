"""Text to address: every element with its span, completed, checked and flagged. Never raises."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from menpai.address import contacts, divisions, junk, levels, romanised, tokens
from menpai.address.anonymous import MAX_CHARACTERS
from menpai.address.contacts import GAP
from menpai.address.details import Details, Piece
from menpai.address.divisions import Reading
from menpai.address.elements import ELEMENTS, Address
from menpai.address.mentions import Scan, Scanner
from menpai.address.regions import Mention, Region, resolve
from menpai.errors import ConfigError, InputError
from menpai.text.normalize import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from menpai.address.divisions import Divisions
    from menpai.address.elements import Proposal
    from menpai.text.normalize import Normalized

PARSER_VERSION = 2
_SEGMENT = re.compile(r"[^\n,;:()\[\]| 。]+")
_REMARK = re.compile(r"\(([^()]*)\)?")
_LIST_MARK = re.compile(r"(?<![\d号])\d[、.)]\s*\Z")
_FIRST_MARK = re.compile(r"\A\d[、.)]\s*(?=[一-鿿])")
_YEARS = range(1900, 2101)


def parse(
    text: str,
    *,
    default_region: str | None = None,
    as_of: int | None = None,
    proposals: Sequence[Proposal] = (),
) -> Address:
    """Read one address.

    Args:
        text: The address as written.
        default_region: A division that unnamed upper levels are taken from (a local table).
        as_of: The year in which the text was written: names that were official then are read so.
        proposals: Spans of the original text that a tagger holds for elements; each is used
            where the rules found no such element and left that span unread.

    Returns:
        The address; what could not be read stands in `rest`.

    Raises:
        InputError: The text is no string, or a proposal is for no element.
        ConfigError: `default_region` names no single division, or `as_of` is no year.
    """
    _check(text, as_of)
    table = divisions.load()
    normalized = normalize(text)
    hints = _hints(default_region) if default_region else ()
    return _Reader(normalized, table, hints, as_of).read(proposals)


@lru_cache(maxsize=16384)
def known(text: str, default_region: str | None, as_of: int | None) -> Address:
    """Read one address, or give it as it was read a moment ago; the same as `parse`.

    A text is read for its elements, and again for what a model is told of it.
    """
    return parse(text, default_region=default_region, as_of=as_of)


def parse_batch(
    texts: Iterable[str], *, default_region: str | None = None, as_of: int | None = None
) -> list[Address]:
    """Read many addresses; the same as `parse` on each."""
    return [parse(text, default_region=default_region, as_of=as_of) for text in texts]


def _check(text: object, as_of: object) -> None:
    if not isinstance(text, str):
        raise InputError(f"an address is a text, not {type(text).__name__}", field="text")
    if as_of is None:
        return
    if isinstance(as_of, bool) or not isinstance(as_of, int) or as_of not in _YEARS:
        raise ConfigError(f"as_of {as_of!r} is no year, such as 2015", field="as_of")


@lru_cache(maxsize=64)
def _hints(region: str) -> tuple[Mention, ...]:
    table = divisions.load()
    found = Scanner(normalize(region).text, table).run()
    codes = resolve(table, found.mentions, found.towns).codes
    if len(codes) != 1:
        raise ConfigError(
            f"default_region {region!r} names no single division of China; "
            "give a province, city, district or town, such as 北京市 or 江苏省苏州市",
            field="default_region",
        )
    reading = Reading(codes[0], table.get(codes[0]).level, "official", 0, (), None)
    return (Mention(-1, -1, region, (reading,)),)


class _Reader:
    """Reads one normalised text."""

    def __init__(
        self, normalized: Normalized, table: Divisions, hints: Sequence[Mention], as_of: int | None
    ) -> None:
        self.normalized = normalized
        self.table = table
        self.hints = hints
        self.as_of = as_of
        self.levels = levels.Levels()
        self.found: dict[str, Piece] = {}
        self.extra: list[Piece] = []

    def read(self, proposals: Sequence[Proposal]) -> Address:
        text = self.normalized.text[:MAX_CHARACTERS]
        if junk.is_junk(text):
            self.levels.flag("not_an_address")
        elif romanised.is_romanised(text):
            self._read_romanised(text)
        else:
            self._read_chinese(text)
        spans = self._spans()
        self._propose(proposals, spans)
        return self._address(spans)

    def _read_chinese(self, text: str) -> None:
        taken = contacts.extract(text, self._is_place)
        for element, (value, start, end) in taken.found.items():
            self.found[element] = Piece(value, start, end)
        unmarked = _FIRST_MARK.sub(lambda m: GAP * len(m[0]), taken.text)
        work, remarks = self._set_remarks_aside(unmarked)
        scan, region = self._scan(work)
        cut = self._second_address(work, scan, region)
        if cut is not None:
            work = work[:cut] + GAP * (len(work) - cut)
            scan, region = self._scan(work)
        self.levels = levels.place(self.table, scan, region)
        if cut is not None:
            self.levels.flag("several_addresses")
        self._keep_other_places(scan)
        self._read_details(_blank(work, scan), remarks, taken.text)
        if not junk.names_a_place(text, self.found, {**self.levels.names, **self.levels.written}):
            self.levels.flag("not_an_address")
        if junk.is_foreign(text) and "province" not in self.levels.names:
            self.levels.flag("foreign")

    def _keep_other_places(self, scan: Scan) -> None:
        """Towns and zones beside the chosen ones are left over, not lost."""
        chosen = {p.value for p in self.levels.written.values()} | set(self.levels.names.values())
        others = [Piece(t.name, t.start, t.end) for t in scan.towns]
        others += [Piece(z.name, z.start, z.end) for z in scan.zones]
        self.extra += [piece for piece in others if piece.value not in chosen]

    def _is_place(self, token: str) -> bool:
        return bool(self.table.readings(token))

    def _scan(self, work: str) -> tuple[Scan, Region]:
        scan = Scanner(work, self.table, self.hints).run()
        if self.as_of is None:
            return scan, scan.region
        return scan, resolve(self.table, scan.mentions, scan.towns, self.hints, self.as_of)

    def _set_remarks_aside(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """Blank the contents of round brackets, except those that only name divisions."""
        remarks: list[tuple[int, int]] = []
        if "(" not in text:
            return text, remarks
        for match in _REMARK.finditer(text):
            if tokens.REMARK_PART.fullmatch(match[1]) or not self._only_divisions(match[1]):
                remarks.append(match.span(1))
                text = text[: match.start()] + GAP * len(match[0]) + text[match.end() :]
        return text, remarks

    def _only_divisions(self, remark: str) -> bool:
        """Say whether a remark names divisions and towns and nothing else: (西湖区转塘街道)."""
        scan = Scanner(remark, self.table).run()
        covered = sum(m.end - m.start for m in scan.mentions)
        covered += sum(t.end - t.start for t in scan.towns)
        return covered == len(remark) > 0

    def _second_address(self, work: str, scan: Scan, region: Region) -> int | None:
        """Where a second address begins: a contradicting division after a separator and details."""
        for mention in region.conflicts:
            start = _chain_start(mention, scan)
            mark = _LIST_MARK.search(work[:start])
            before = work[: mark.start() if mark else start].rstrip(" \n")
            separated = before and (mark or before[-1] in ",;、/或和|")
            if separated and re.search(r"\d", before) and re.search(r"\d", work[mention.end :]):
                return mark.start() if mark else start
        return None

    # Details.

    def _read_details(
        self, work: str, remarks: Sequence[tuple[int, int]], with_remarks: str
    ) -> None:
        village, work = self._known_village(work)
        names = self.levels.names
        reader = Details(work, in_town="town" in names or "district" in names, village=village)
        for segment in _SEGMENT.finditer(work):
            reader.read(*segment.span())
        if remarks:
            reader.text = with_remarks
            for start, end in remarks:
                reader.read_remark(start, end)
        place = reader.place()
        if place is not None:
            reader.found["poi"] = reader.bracketed_part(place, remarks)
        self.found.update(reader.found)
        self.extra += reader.extra
        self._complete_town()

    def _known_village(self, work: str) -> tuple[Piece | None, str]:
        """A village of the resolved town, written right after it."""
        town, code = self.levels.written.get("town"), self.levels.code
        if town is None or code is None or code == self.levels.region:
            return None, work
        at = town.end
        while at < len(work) and work[at] in "\n ,":
            at += 1
        known = self.table.villages_at(work, at, code)
        if known is None:
            return None, work
        name, self.levels.code, end = known
        return Piece(name, at, end), work[:at] + GAP * (end - at) + work[end:]

    def _complete_town(self) -> None:
        """A village's name completes the town where only one town of the district has it."""
        village, region = self.found.get("village"), self.levels.region
        if village is None or region is None or "town" in self.levels.names:
            return
        owners = self.table.village_owners(region, village.value)
        if len(owners) == 1:
            self.levels.names["town"] = self.table.get(owners[0]).name
            self.levels.code = owners[0]
            self.levels.flag("completed")

    def _read_romanised(self, text: str) -> None:
        mentions = []
        for start, end, names in romanised.divisions_named(text, self.table):
            readings = [r for n in names for r in self.table.readings(n) if r.kind == "official"]
            mentions.append(Mention(start, end, names[0], tuple(readings)))
        region = resolve(self.table, mentions, (), self.hints, self.as_of)
        scan = Scan(mentions, [], [], [], corrected=False, region=region)
        self.levels = levels.place(self.table, scan, region)
        self.levels.flag("romanised")
        reader = Details(text, in_town=False)
        for name in romanised.han_names(text):
            reader.read(*name)
        place = reader.place()
        self.found.update(reader.found)
        self.found.update(romanised.read(text))
        if place is not None:
            self.found["poi"] = place
        read = [*self.levels.written.values(), *self.found.values()]
        self.extra += reader.extra + romanised.left_over(text, read)
        if not self.found and not self.levels.names:
            self.extra = [Piece(text, 0, len(text))]
            self.levels.flag("not_an_address")

    # Result.

    def _spans(self) -> dict[str, tuple[int, int]]:
        to_original = self.normalized.span
        pieces = {**self.levels.written, **self.found}
        return {e: to_original(p.start, p.end) for e, p in pieces.items()}

    def _propose(self, proposals: Sequence[Proposal], spans: dict[str, tuple[int, int]]) -> None:
        """Take a tagger's span where no such element was found and nothing else was read there."""
        taken = list(spans.values())
        for proposal in proposals:
            if proposal.element not in ELEMENTS:
                msg = f"{proposal.element!r} is no element; elements are {', '.join(ELEMENTS)}"
                raise InputError(msg, field="proposals")
            free = all(proposal.end <= s or e <= proposal.start for s, e in taken)
            known = proposal.element in self.found or proposal.element in self.levels.names
            if free and not known:
                value = self.normalized.original[proposal.start : proposal.end]
                self.levels.names[proposal.element] = value
                spans[proposal.element] = (proposal.start, proposal.end)
                taken.append((proposal.start, proposal.end))
                self._drop_extra(proposal)

    def _drop_extra(self, proposal: Proposal) -> None:
        """What a proposal names is no longer left over."""
        kept = []
        for piece in self.extra:
            start, end = self.normalized.span(piece.start, piece.end)
            if end <= proposal.start or proposal.end <= start:
                kept.append(piece)
        self.extra = kept

    def _address(self, spans: dict[str, tuple[int, int]]) -> Address:
        values = {element: piece.value for element, piece in self.found.items()}
        values.update(self.levels.names)
        extra = sorted(self.extra, key=lambda p: p.start)
        return Address(
            text=self.normalized.original,
            normalized=self.normalized.text,
            rest=" ".join(p.value for p in extra if p.value.strip()) or None,
            code=self.levels.code,
            ambiguous=self.levels.ambiguous,
            candidates=self.levels.candidates,
            flags=tuple(self.levels.flags),
            spans=spans,
            **values,
        )


def _chain_start(mention: Mention, scan: Scan) -> int:
    """Where the divisions written together with a mention begin."""
    start = mention.start
    for earlier in reversed(scan.mentions):
        if earlier.end == start:
            start = earlier.start
    return start


def _blank(work: str, scan: Scan) -> str:
    """Put gaps where divisions, towns and zones were read."""
    characters = list(work)
    spans = [*scan.blanks, *((m.start, m.end) for m in scan.mentions)]
    spans += [(t.start, t.end) for t in scan.towns]
    spans += [(z.start, z.end) for z in scan.zones]
    for start, end in spans:
        characters[start:end] = GAP * (end - start)
    return "".join(characters)

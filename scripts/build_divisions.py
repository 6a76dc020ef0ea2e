"""Build the packaged division table from open data and curated facts.

    python scripts/build_divisions.py DATA_FOLDER [--out src/menpai/address/data]

DATA_FOLDER holds the files of divisions/ (default: data/divisions in MENPAI_DATA). See
src/menpai/address/data/SOURCES.md for where each comes from and under which licence. The output
depends on these files and on scripts/curated alone: it is the same byte for byte on every run with
one version of zlib, which packs the villages.
"""

import argparse
import hashlib
import os
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from division_history import Former, History
from division_names import LETTERS, regular_aliases, short_form
from division_sources import Place, Sources, curated, places, towns
from division_villages import placed_villages

from menpai.address.division_table import HEADER, LEVELS, Reading, pack_reading
from menpai.address.villages import pack

CURRENT = frozenset({"official", "short", "alias"})
NOT_SHORT = frozenset({"市中", "市南", "市北", "城中"})
"""市中心 is not in 市中区, 青岛市北区 is not 青岛市."""

GENERAL_STEM = re.compile(r"[东南西北中新老上下市城郊]{2}\Z")
KIND_ORDER = ("official", "short", "alias", "letter", "former", "split")
LEVEL_ORDER = tuple(LEVELS.values())


class Names:
    """Collects the meanings of written names."""

    def __init__(self, history: History) -> None:
        """Start with no name."""
        self.history = history
        self.readings: dict[str, dict[str, Reading]] = defaultdict(dict)

    def add(self, name: str, code: str, kind: str, former: Former | None = None) -> None:
        """Add a meaning unless the same division has a better claim to the name already."""
        level = LEVELS[self.history.today[code].level]
        known = self.readings[name].get(code)
        if former is None:
            reading = Reading(code, level, kind, 0, (), None)
        else:
            several = former.successors if kind == "split" else ()
            parent, main = former.written_parent, former.main
            reading = Reading(code, level, kind, former.year, several, parent, main)
        if known is None:
            self.readings[name][code] = reading
        elif kind == "split" and known.kind == "official":
            self.readings[name][f"{code}+"] = reading

    def add_current(self) -> None:
        """Add official, short and popular names of today."""
        for place in self.history.today.values():
            self.add(place.name, place.code, "official")
        for place in self.history.today.values():
            short = short_form(place.name)
            if short and short not in NOT_SHORT and (place.official or place.level == "c"):
                self.add(short, place.code, "short")
            for alias in regular_aliases(place.name):
                self.add(alias, place.code, "alias")
        for path, names in curated("aliases.tsv"):
            code = self.history.path(path.split("/"))
            for name in names.split():
                self.add(name, code, "alias")
        for letter, code in LETTERS.items():
            self.add(letter, code, "letter")

    def add_former(self) -> None:
        """Add former names and their short forms."""
        for former in sorted(self.history.former(), key=lambda item: -item.year):
            kind = "split" if len(former.successors) > 1 else "former"
            code = former.successors[0]
            self.add(former.name, code, kind, former)
            short = short_form(former.name)
            if short is not None and not self._is_taken(short, code):
                self.add(short, code, kind, former)

    def _is_taken(self, short: str, code: str) -> bool:
        """桂林 is 桂林市, never what became of 桂林地区; 城东 and 新市 are words."""
        if GENERAL_STEM.match(short):
            return True
        current = self.readings[short].values()
        return any(r.kind in CURRENT and r.code[:2] == code[:2] for r in current)

    def _order(self, reading: Reading) -> tuple[int, bool, int, int, str]:
        """Usual meanings first: 连江县 is the one that has an official code."""
        kind = KIND_ORDER.index(reading.kind)
        own = not self.history.today[reading.code].official
        return kind, own, LEVEL_ORDER.index(reading.level), -reading.year, reading.code

    def rows(self) -> Iterable[str]:
        """One line a name, in the order a scan tries them: by two characters, longest first."""
        order = sorted(self.readings, key=lambda name: (name[:2], -len(name), name))
        for name in order:
            readings = sorted(self.readings[name].values(), key=self._order)
            yield f"{name}\t{';'.join(map(pack_reading, readings))}"


def division_rows(known: Iterable[Place]) -> Iterable[str]:
    """One line a division."""
    for place in known:
        mark = "" if place.official else "s"
        yield f"{place.code}\t{place.name}\t{place.level}\t{place.parent}\t{mark}"


def town_rows(table: Mapping[str, Mapping[str, str]]) -> Iterable[str]:
    """One line a district, see `menpai.address.towns.TownTable`."""
    for district, names in table.items():
        items = sorted((code, name) for name, code in names.items())
        (prefix,) = {code[:6] for code, _ in items}
        row = " ".join(code[6:] + name for code, name in items)
        yield f"{district}\t{prefix if prefix != district else ''}\t{row}"


def build(folder: Path) -> tuple[dict[str, bytes], Counter[str]]:
    """Make the packaged files, and count what is in them."""
    sources = Sources(folder)
    known = places(sources)
    table = towns(sources, known)
    names = Names(History(sources, known))
    names.add_current()
    names.add_former()
    villages, n_lost = placed_villages(
        table, sources.statistics("streets"), sources.statistics("villages")
    )
    files = {
        "divisions.tsv": _text(division_rows(known)),
        "readings.tsv": _text(names.rows()),
        "towns.tsv": _text(town_rows(table)),
        "villages.bin": pack(villages),
    }
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]
    header = f"{HEADER} {digest}\n".encode()
    counts = Counter(place.level for place in known)
    counts.update(r.kind for several in names.readings.values() for r in several.values())
    counts["names"] = len(names.readings)
    counts["towns"] = sum(map(len, table.values()))
    counts["villages"] = sum(len(v) for lists in villages.values() for v in lists.values())
    counts["villages without a town"] = n_lost
    return {
        name: data if name.endswith(".bin") else header + data for name, data in files.items()
    }, counts


def _text(rows: Iterable[str]) -> bytes:
    return "".join(f"{row}\n" for row in rows).encode()


def main() -> None:
    """Read the sources and write the files."""
    parser = argparse.ArgumentParser(description="Build the packaged division table.")
    data = os.environ.get("MENPAI_DATA")
    default = Path(data, "data", "divisions") if data else None
    parser.add_argument("folder", type=Path, nargs="?", default=default, help="source files")
    out = Path(__file__).parents[1] / "src/menpai/address/data"
    parser.add_argument("--out", type=Path, default=out)
    args = parser.parse_args()
    if args.folder is None:
        parser.error("name the folder of the sources, or set MENPAI_DATA")
    files, counts = build(args.folder)
    for name, packed in files.items():
        (args.out / name).write_bytes(packed)
        sys.stdout.write(f"{args.out / name}: {len(packed):,} bytes\n")
    for name, count in counts.items():
        sys.stdout.write(f"{name}: {count:,}\n")


if __name__ == "__main__":
    main()

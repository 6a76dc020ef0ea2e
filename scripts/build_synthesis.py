"""Build what `menpai.synthesis` draws from: names, and how often real texts write what.

    python scripts/build_synthesis.py --data FOLDER [--out src/menpai/synthesis/data]

FOLDER holds community_names.txt, user_addresses.txt, company_sites.txt and
divisions/villages.csv.gz. The output depends on these files and the parser alone and is the same
byte for byte on every run. No row is copied: names of roads and buildings are kept if at least
MIN_SEEN rows have them.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import json
import re
import unicodedata
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from menpai.address.parse import parse
from menpai.synthesis.compounds import usable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from menpai.address.elements import Address

MIN_SEEN = 2
"""Rows of the texts from which a name is a fact about a city, not about a person."""
MAX_LISTED = 8
"""Cities up to which a road's are kept; those of more are found everywhere."""
N_COMPOUNDS = 30_000
N_NUMBERS = 150
N_QUANTILES = 40
SANE = 0.985
"""Share of the numbers, from the lowest, that are no slip of the parser's or a writer's."""
MIN_PROVINCE = 150
"""Observations from which a province has frequencies of its own."""
SHARES = {"user_addresses.txt": "shop", "company_sites.txt": "jobs"}
"""Which register each file of texts is an example of."""

_ROAD = re.compile(r"[一-鿿]{1,6}?(?:大道|大街|路|街|巷|胡同)\Z")
_ROAD_HEAD = re.compile(
    r"([一-鿿]{2,5}?(?:[东西南北中]?路|大道|[东西南北中]大街|大街|街|巷|胡同))(?=\d+号|[东西南北]?\d|社区|居委会|小区|\Z)"
)
_NO_ROAD = re.compile(r"公司|小区|花园|广场|大厦|社区|附近|对面|旁|市|区|县|镇|乡|省|村|口")
_ENDING = re.compile(r"大道[东西南北中]|大道|大街|公路|路|街|巷|胡同|道|里|坊\Z")
_BUILDING = re.compile(
    r"(?:大厦|广场|中心|国际|商厦|写字楼|商务楼|SOHO|科技园|产业园|工业园|创意园|创业园|软件园|园区|大楼|金座|城)\Z"
)
_UNIT = re.compile(r"\d+\s*(号楼|栋|幢|座|#楼|#|号|楼|室|房|户|单元|门|梯|层|F|组|队|社|大队)?\Z")


def main() -> None:
    """Read the texts and write names and parameters."""
    parser = argparse.ArgumentParser(description="Build the data of menpai.synthesis.")
    parser.add_argument("--data", type=Path, required=True, help="folder of the open texts")
    default = Path(__file__).parents[1] / "src/menpai/synthesis/data"
    parser.add_argument("--out", type=Path, default=default)
    args = parser.parse_args()
    read = {name: [parse(text) for text in rows(args.data / name)] for name in SHARES}
    compounds = list(rows(args.data / "community_names.txt"))
    villages = village_names(args.data / "divisions/villages.csv.gz")
    roads = road_names(read, compounds, villages)
    write_lines(args.out / "roads.txt.gz", ("\t".join(map(str, road)) for road in roads))
    write_lines(args.out / "compounds.txt.gz", sample(compounds))
    buildings = building_names(read, compounds)
    write_lines(args.out / "buildings.txt.gz", ("\t".join(building) for building in buildings))
    (args.out / "parameters.json").write_text(written_out(parameters(read)), encoding="utf-8")
    for path in sorted(args.out.iterdir()):
        print(f"{path.name}: {path.stat().st_size:,} bytes")


def rows(path: Path) -> Iterable[str]:
    """Give the lines of a file that are not empty."""
    with path.open(encoding="utf-8") as file:
        yield from (line.strip() for line in file if line.strip())


def village_names(path: Path) -> list[tuple[str, str]]:
    """Give city (four digits) and name of each village and community."""
    text = gzip.decompress(path.read_bytes()).decode()
    return [(row["code"][:4], row["name"]) for row in csv.DictReader(io.StringIO(text))]


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write a compressed file that is the same on every run."""
    path.write_bytes(gzip.compress("\n".join([*lines, ""]).encode(), 9, mtime=0))


def written_out(found: Mapping[str, Mapping[str, object]]) -> str:
    """Write parameters with one line for each key of the second level, for people read it too."""
    blocks = []
    for name, entries in found.items():
        lines = (
            f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
            for key, value in entries.items()
        )
        blocks.append(f' "{name}": {{\n' + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


# Names.


def road_names(
    read: Mapping[str, list[Address]], compounds: list[str], villages: list[tuple[str, str]]
) -> list[tuple[str, int, str]]:
    """Roads, in how many cities they were seen, and in which if these are few.

    A community or compound that is named after a road is a sighting of it.
    """
    cities: dict[str, set[str]] = defaultdict(set)
    seen: Counter[str] = Counter()
    for addresses in read.values():
        for address in addresses:
            if address.road and address.code and _ROAD.fullmatch(address.road):
                cities[address.road].add(address.code[:4])
                seen[address.road] += 1
    for city, name in villages:
        head = _ROAD_HEAD.match(name)
        if head and len(head[1]) > 2:
            cities[head[1]].add(city)
            seen[head[1]] += MIN_SEEN
    for name in compounds:
        head = _ROAD_HEAD.match(unicodedata.normalize("NFKC", name))
        if head and len(head[1]) > 2:
            seen[head[1]] += 1
    kept = {
        name: (max(len(cities[name]), 1), " ".join(sorted(cities[name])))
        for name, n in seen.items()
        if n >= MIN_SEEN and not _NO_ROAD.search(name)
    }
    listed = ((name, n, where if n <= MAX_LISTED else "") for name, (n, where) in kept.items())
    return sorted(listed, key=lambda road: (-road[1], road[0]))


def sample(compounds: list[str]) -> list[str]:
    """Every nth of the names that look like a compound's, so that all kinds are there."""
    names = [name for name in usable(compounds) if not _BUILDING.search(name[:-1])]
    step = len(names) / N_COMPOUNDS
    return sorted({names[int(i * step)] for i in range(min(N_COMPOUNDS, len(names)))})


def building_names(
    read: Mapping[str, list[Address]], compounds: list[str]
) -> list[tuple[str, str]]:
    """Towers, malls and parks: those that several rows of the texts have, and compounds' names.

    The first have the city that most of these rows name; the others have none.
    """
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for addresses in read.values():
        for address in addresses:
            if address.poi:
                code = address.code or ""
                seen[address.poi][code[:4] if code[2:4] not in {"", "00"} else ""] += 1
    kept = dict.fromkeys(sorted({unicodedata.normalize("NFKC", n) for n in compounds})[::3], "")
    for name, codes in seen.items():
        if codes.total() >= MIN_SEEN:
            kept[name] = codes.most_common(1)[0][0]
    return sorted(
        (name, city)
        for name, city in kept.items()
        if 3 < len(name) < 11 and _BUILDING.search(name) and not re.search(r"\d\d|[路街号]", name)
    )


# Parameters.


def parameters(read: Mapping[str, list[Address]]) -> dict[str, Mapping[str, object]]:
    """Estimate the frequencies that the generator draws from."""
    everything = [address for addresses in read.values() for address in addresses]
    return {
        "districts": {SHARES[name]: districts(addresses) for name, addresses in read.items()},
        "numbers": numbers(everything),
        "road_endings": by_province(everything, road_ending),
        "number_forms": by_province(everything, number_form),
        "building_units": by_province(everything, lambda a: unit_of(a, "building")),
        "room_units": by_province(everything, lambda a: unit_of(a, "room")),
        "group_units": by_province(everything, lambda a: unit_of(a, "group")),
        "quantiles": {e: quantiles(everything, e) for e in ("roadno", "building", "group")},
        "written": {SHARES[name]: written(addresses) for name, addresses in read.items()},
    }


def districts(addresses: Iterable[Address]) -> dict[str, int]:
    """How many of the texts lie in each district, by the first six digits of its code."""
    codes = (a.code[:6] for a in addresses if a.code and a.code[2:4] != "00" and a.district)
    return dict(sorted(Counter(codes).items()))


def numbers(addresses: Iterable[Address]) -> dict[str, float]:
    """Shares of the road numbers that are met most: 8, 88, 1, 168..."""
    found = [re.search(r"\d+", a.roadno) for a in addresses if a.roadno]
    seen = Counter(match[0] for match in found if match)
    return {n: round(c / seen.total(), 5) for n, c in seen.most_common(N_NUMBERS)}


def by_province(addresses: Iterable[Address], kind_of: object) -> dict[str, dict[str, float]]:
    """Shares of kinds in each province that has enough of them, and in all."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for address in addresses:
        kind = kind_of(address)  # type: ignore[operator]  # one of the functions below
        if kind is not None:
            counts["all"][kind] += 1
            if address.code:
                counts[address.code[:2]][kind] += 1
    return {
        province: {k: round(n / sum(kinds.values()), 4) for k, n in kinds.most_common(12)}
        for province, kinds in sorted(counts.items())
        if province == "all" or sum(kinds.values()) >= MIN_PROVINCE
    }


def road_ending(address: Address) -> str | None:
    """Which word a road's name ends with."""
    match = _ENDING.search(address.road or "")
    return match[0] if match else None


def number_form(address: Address) -> str | None:
    """A road number with its digits taken away: 号, 号院, 弄号, 号之."""
    if not address.road or not address.roadno:
        return None
    form = re.sub(r"[\d一二三四五六七八九十]+", "0", address.roadno)
    return (
        form if len(form) < 7 and re.fullmatch(r"[甲乙丙特附]?0[0号院弄之附\-甲]*", form) else None
    )


def unit_of(address: Address, element: str) -> str | None:
    """The unit of a number as it was written, empty if there is none."""
    span = address.spans.get(element)
    if span is None:
        return None
    match = _UNIT.search(unicodedata.normalize("NFKC", address.text[slice(*span)]))
    return (match[1] or "") if match else None


def quantiles(addresses: Iterable[Address], element: str) -> list[int]:
    """Numbers that divide those observed into equal parts."""
    found = []
    for address in addresses:
        match = re.search(r"\d{1,5}", getattr(address, element) or "")
        if match:
            found.append(int(match[0]))
    found.sort()
    last = int(len(found) * SANE) - 1
    return [found[i * last // N_QUANTILES] for i in range(N_QUANTILES + 1)]


def written(addresses: list[Address]) -> dict[str, float]:
    """How many of the texts have each element, and how long they are."""
    counts = Counter(element for address in addresses for element in address.spans)
    shares = {element: round(n / len(addresses), 4) for element, n in sorted(counts.items())}
    return {**shares, "length": round(sum(len(a.text) for a in addresses) / len(addresses), 2)}


if __name__ == "__main__":
    main()

"""Build src/menpai/address/data/common_roads.txt: road names found in more than 20 cities.

Usage: python scripts/build_common_roads.py DATA_FOLDER
The folder holds user_addresses.txt, company_sites.txt and divisions/villages.csv.gz. The two
samples are small, so a road met in MIN_CITIES of their cities is taken to be in more than 20 of
the country's 340; a 路社区 or 街社区 (a neighbourhood named after its road) counts as a sighting.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import sys
from collections import defaultdict
from pathlib import Path

from menpai.address.parse import parse

OUT = Path(__file__).parents[1] / "src/menpai/address/data/common_roads.txt"
MIN_CITIES = 10
_ROAD_NAMED = re.compile(r"([一-鿿]{1,5}(?:大道|大街|路|街))(?:社区|居委会)")


def main(folder: Path) -> None:
    """Count the cities of each road and keep the common ones, sorted."""
    cities: dict[str, set[str]] = defaultdict(set)
    for name in ("user_addresses.txt", "company_sites.txt"):
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            address = parse(line)
            city = address.city or address.province
            if address.road and city and address.code:
                cities[address.road].add(address.code[:4])
    villages = gzip.decompress((folder / "divisions/villages.csv.gz").read_bytes()).decode()
    for row in csv.DictReader(io.StringIO(villages)):
        match = _ROAD_NAMED.match(row["name"])
        if match:
            cities[match[1]].add(row["code"][:4])
    common = sorted(road for road, where in cities.items() if len(where) >= MIN_CITIES)
    OUT.write_text("\n".join(common) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Build the packaged rarity table from open corpora.

    python scripts/build_rarity.py DATA_FOLDER [--out src/menpai/address/data/rarity.bin]

DATA_FOLDER holds community_names.txt, user_addresses.txt, company_sites.txt and divisions/*.csv.gz
(NOTICE says where each comes from and under which licence). The output depends on these
files alone and is the same byte for byte on every run.
"""

import argparse
import csv
import gzip
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from menpai.address.rarity import document_keys, pack

DOCUMENTS = 100_000.0
"""Size of the imagined mixed corpus; what was never seen has idf ln(2 x 100,000) = 12.2."""

SHARES = {
    "user_addresses.txt": 0.25,
    "company_sites.txt": 0.25,
    "community_names.txt": 0.30,
    "divisions/villages.csv.gz": 0.10,
    "divisions/streets.csv.gz": 0.07,
    "divisions/areas.csv.gz": 0.03,
}
"""What part of the imagined corpus each source makes up.

Counted row by row, 620,000 villages would drown 27,000 whole addresses and make 村 as common as 路.
Half of the weight goes to whole addresses, where 公司 and 大厦 are as frequent as in practice;
names of compounds, the largest source of distinct words, get most of the rest.
"""


def rows(path: Path) -> Iterable[str]:
    """Texts of one source: lines of a text file, or the name column of a gzipped table."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            yield from (row["name"] for row in csv.DictReader(file))
    else:
        with path.open(encoding="utf-8") as file:
            yield from (line.strip() for line in file if line.strip())


def mixed_frequencies(folder: Path) -> dict[int, float]:
    """Document frequency of each bigram and character in the imagined corpus."""
    weighted: dict[int, float] = {}
    for name, share in SHARES.items():
        counts: Counter[int] = Counter()
        n_rows = 0
        for text in rows(folder / name):
            n_rows += 1
            counts.update(document_keys(unicodedata.normalize("NFKC", text)))
        scale = DOCUMENTS * share / n_rows
        for key, count in counts.items():
            weighted[key] = weighted.get(key, 0.0) + scale * count
    return weighted


def main() -> None:
    """Read the corpora and write the table."""
    parser = argparse.ArgumentParser(description="Build the packaged rarity table.")
    parser.add_argument("folder", type=Path, help="folder of the open corpora")
    default = Path(__file__).parents[1] / "src/menpai/address/data/rarity.bin"
    parser.add_argument("--out", type=Path, default=default)
    args = parser.parse_args()
    table = pack(DOCUMENTS, mixed_frequencies(args.folder))
    args.out.write_bytes(table)
    sys.stdout.write(f"{args.out}: {len(table):,} bytes\n")


if __name__ == "__main__":
    main()

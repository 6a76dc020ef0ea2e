"""Write the demo's library and queries: made-up addresses in real divisions, with known answers.

    python scripts/build_demo.py [--out examples/demo]

The two files are the same byte for byte on every run over the same division table.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from demo_library import build_library
from demo_queries import build_queries

from menpai.address import divisions

SEED = 20240601


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Write a table as CSV with plain line ends."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def main() -> None:
    """Build both files."""
    parser = argparse.ArgumentParser(description="Write the demo's library and queries.")
    default = Path(__file__).parents[1] / "examples/demo"
    parser.add_argument("--out", type=Path, default=default, help="folder to write to")
    folder = parser.parse_args().out
    records = build_library(divisions.load(), SEED)
    queries = build_queries(records, SEED)
    write(
        folder / "library.csv",
        ("record_id", "address"),
        ((record.record_id, record.text()) for record in records),
    )
    write(
        folder / "queries.csv",
        ("query_id", "kind", "query", "record_ids", "label", "status"),
        (
            (f"Q{i:03d}", q.kind, q.text, " ".join(q.record_ids), q.label, q.status)
            for i, q in enumerate(queries, 1)
        ),
    )
    sys.stdout.write(f"{folder}: {len(records):,} records, {len(queries)} queries\n")


if __name__ == "__main__":
    main()

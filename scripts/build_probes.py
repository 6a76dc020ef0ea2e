"""Write the addresses that converted checkpoints are calibrated and checked on.

    python scripts/build_probes.py [--out src/menpai/model/data/addresses.txt]

They are made up, in real divisions, by the generator of the demo with a seed of their own: clean
ones and messy ones in turn. The file is the same byte for byte on every run over the same division
table.
"""

import argparse
import random
import sys
from pathlib import Path

from demo_library import build_library
from demo_queries import build_queries

from menpai.address import divisions

SEED = 20250301
N_ADDRESSES = 256
_LONGEST = 48  # a single long one would pad the whole batch of known answers


def _some(rng: random.Random, texts: list[str]) -> list[str]:
    return rng.sample([text for text in texts if len(text) <= _LONGEST], N_ADDRESSES // 2)


def main() -> None:
    """Build the file."""
    parser = argparse.ArgumentParser(description="Write addresses to calibrate and check with.")
    default = Path(__file__).parents[1] / "src/menpai/model/data/addresses.txt"
    parser.add_argument("--out", type=Path, default=default, help="file to write")
    path = parser.parse_args().out
    records = build_library(divisions.load(), SEED)
    rng = random.Random(SEED)  # noqa: S311 -- addresses are no secrets
    clean = _some(rng, [record.text() for record in records])
    messy = _some(rng, [query.text for query in build_queries(records, SEED)])
    lines = [text for pair in zip(clean, messy, strict=True) for text in pair]
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    sys.stdout.write(f"{path}: {len(lines)} addresses\n")


if __name__ == "__main__":
    main()

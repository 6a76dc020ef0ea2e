"""How many addresses a second does `menpai parse` read, from file to file?

    python benchmarks/parse_speed.py --data FOLDER [--rows 100000] [--out parse_speed.json]

Reads the first rows of registered_addresses.tsv.gz. The whole command is timed, start-up and
writing included; the calls are timed one by one in this process.
"""

import csv
import gzip
import resource
import subprocess
import tempfile
import time
from itertools import islice
from pathlib import Path

from report import arguments, emit, menpai_command, spread

QUESTION = "How many addresses a second does menpai parse read?"
WARM_UP = 200


def addresses(folder: Path, n_rows: int) -> list[str]:
    """The first addresses of the registered companies."""
    path = folder / "data/registered_addresses.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [row["address"] for row in islice(rows, n_rows)]


def command(texts: list[str]) -> dict[str, object]:
    """Time the command line program over a file."""
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder) / "in.csv", Path(folder) / "out.csv"
        with source.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["address"], *([text] for text in texts)])
        call = [menpai_command(), "parse", "--in", str(source), "--column", "address"]
        started = time.perf_counter()
        subprocess.run([*call, "--out", str(result)], check=True, capture_output=True)  # noqa: S603
        took = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "what": "menpai parse --in --out",
        "n_rows": len(texts),
        "seconds": round(took, 2),
        "addresses_per_s": round(len(texts) / took),
        "peak_rss_mb": round(peak / 1024),
    }


def calls(texts: list[str]) -> dict[str, object]:
    """Time one call after another, none of them twice: the matcher remembers what it read."""
    from menpai.matching.matcher import load

    matcher = load()
    for text in texts[:WARM_UP]:
        matcher.parse(text)
    times = []
    for text in dict.fromkeys(texts[WARM_UP:]):
        started = time.perf_counter()
        matcher.parse(text)
        times.append(time.perf_counter() - started)
    return {
        "what": "parse, one by one",
        "n_rows": len(times),
        "seconds": round(sum(times), 2),
        "addresses_per_s": round(len(times) / sum(times)),
        **{f"{name}_us": value for name, value in spread(times, 1e6).items()},
    }


def main() -> None:
    """Time both."""
    parser = arguments(QUESTION)
    parser.add_argument("--rows", type=int, default=100_000, help="addresses to read")
    args = parser.parse_args()
    texts = addresses(args.data, args.rows)
    emit(QUESTION, [command(texts), calls(texts[: WARM_UP + len(texts) // 10])], args.out)


if __name__ == "__main__":
    main()

"""How often are labels and scores right on labelled public data?

    python benchmarks/accuracy.py --data FOLDER [--limit N] [--checkpoint none] [--out FILE]

With the packaged models, or by elements alone. None of their rows is in this repository.
"""

import csv
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from report import arguments, emit, show

from menpai.evaluation.cases import evaluate_cases
from menpai.evaluation.pairs import Columns, evaluate_pairs

QUESTION = "How often are labels and scores right on labelled public data?"

Table = Iterator[dict[str, str]]


@dataclass(frozen=True, slots=True)
class PairSet:
    """One set of labelled pairs and how it is to be judged."""

    name: str
    rows: Table
    left: Columns = "left"
    right: Columns = "right"
    policy: str = "place"
    positive: str = "exact"
    match_at: str = "exact"


def table(path: Path, where: Callable[[dict[str, str]], bool] = bool) -> Table:
    """Rows of a tab-separated file without quoting."""
    with path.open(encoding="utf-8", newline="") as file:
        yield from filter(where, csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def pair_sets(folder: Path) -> Iterator[PairSet]:
    """All sets, rows unread."""
    # Its "exact" pairs lack the room on one side, which is a partial match by the place policy.
    shenzhen = table(folder / "eval/pairs_shenzhen.tsv")
    yield PairSet("pairs_shenzhen", shenzhen, match_at="partial")
    yield PairSet(
        "poi_pairs_hangzhou",
        table(folder / "eval/poi_pairs_hangzhou.tsv"),
        left=("left_address", "left_name"),
        right=("right_address", "right_name"),
    )
    for source in ("round2", "round1"):
        rows = table(folder / "eval/pairs_ccks.tsv", lambda row, s=source: row["source"] == s)
        name = f"pairs_ccks {source}"
        yield PairSet(name, rows, policy="ccks", positive="partial", match_at="partial")


def of_pairs(pairs: PairSet, limit: int | None, checkpoint: str | None) -> dict[str, object]:
    """Figures of one set of pairs."""
    started = time.perf_counter()
    report = evaluate_pairs(
        islice(pairs.rows, limit),
        left=pairs.left,
        right=pairs.right,
        label="label",
        policy=pairs.policy,
        positive=pairs.positive,
        match_at=pairs.match_at,
        checkpoint=checkpoint,
    )
    took = time.perf_counter() - started
    options = {key: getattr(pairs, key) for key in ("policy", "positive", "match_at")}
    return {"set": pairs.name, **options, **report, "seconds": round(took, 1)}


def main() -> None:
    """Score the cases, then every set of pairs."""
    parser = arguments(QUESTION)
    parser.add_argument("--limit", type=int, help="read only the first rows of each set")
    parser.add_argument("--checkpoint", choices=("packaged", "none"), default="packaged")
    args = parser.parse_args()
    checkpoint = None if args.checkpoint == "none" else args.checkpoint
    cases = evaluate_cases(args.data / "eval/cases.jsonl")
    show("Hand-made cases", [row for name, value in cases.items() for row in _rows(name, value)])
    figures = [of_pairs(pairs, args.limit, checkpoint) for pairs in pair_sets(args.data)]
    emit(QUESTION, figures, args.out, cases=cases)


def _rows(name: str, figure: object) -> list[dict[str, object]]:
    parts = figure if isinstance(figure, dict) else {"": figure}
    return [{"figure": name, "part": part, "value": value} for part, value in parts.items()]


if __name__ == "__main__":
    main()

"""Match 323 messy queries against 2,236 standard addresses and count how many come out right.

    python examples/demo/run.py [--samples 20]

Every address below its town is made up. The answers in queries.csv were known before the match.
"""

import argparse
import csv
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

import menpai

FOLDER = Path(__file__).parent

Answer = dict[str, str]
"""A row of queries.csv: query, kind, record_ids (any of them is right), label, status."""


def read(name: str) -> list[dict[str, str]]:
    """Rows of one of the demo's tables."""
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def match(answers: Sequence[Answer]) -> list[menpai.Match]:
    """Match the queries against the library."""
    records = read("library.csv")
    library = menpai.Library.build(
        [record["address"] for record in records], [record["record_id"] for record in records]
    )
    return menpai.load().match([answer["query"] for answer in answers], library, top_k=3)


def found(answer: Answer, result: menpai.Match) -> bool:
    """Whether the best record is the one that was meant; for a query that means none, no match."""
    if not answer["record_ids"]:
        return result.status == "unmatched"
    return bool(result.matches) and result.matches[0].record_id in answer["record_ids"].split()


def right(answer: Answer, result: menpai.Match) -> bool:
    """Whether record and label, and the status where one is due, are as they should be."""
    if not found(answer, result):
        return False
    if answer["record_ids"] and result.matches[0].comparison.label != answer["label"]:
        return False
    return answer["status"] in ("", result.status)


def sample_table(answers: Sequence[Answer], results: Sequence[menpai.Match], n: int) -> Table:
    """One query of each of `n` kinds with its best record and the reasons."""
    table = Table(title="Some of the queries", show_lines=True)
    for column in ("kind", "query", "best record", "label", "score", "status", "reasons", ""):
        table.add_column(column, overflow="fold")
    first = {a["kind"]: (a, r) for a, r in reversed(list(zip(answers, results, strict=True)))}
    for answer, result in list(first.values())[::-1][:n]:
        hit = result.matches[0] if result.matches else None
        table.add_row(
            answer["kind"],
            answer["query"],
            hit.text if hit else "none",
            hit.comparison.label if hit else "",
            f"{hit.comparison.score:.2f}" if hit else "",
            result.status,
            _reasons(hit.comparison) if hit else "",
            "right" if right(answer, result) else "wrong",
        )
    return table


def _reasons(comparison: menpai.Comparison) -> str:
    """The reasons that carry most weight, in words."""
    heaviest = sorted(comparison.reasons, key=lambda reason: -abs(reason.weight))[:3]
    return "\n".join(f"{reason.element} {reason.relation}" for reason in heaviest)


def accuracy_table(answers: Sequence[Answer], results: Sequence[menpai.Match]) -> Table:
    """How many queries of each kind came out right."""
    table = Table(title="Known answers")
    for column in ("kind", "queries", "record right", "record and label right"):
        table.add_column(column, justify="left" if column == "kind" else "right")
    n_queries: Counter[str] = Counter(answer["kind"] for answer in answers)
    n_found: Counter[str] = Counter()
    n_right: Counter[str] = Counter()
    for answer, result in zip(answers, results, strict=True):
        n_found[answer["kind"]] += found(answer, result)
        n_right[answer["kind"]] += right(answer, result)
    for kind, n in n_queries.items():
        table.add_row(kind, str(n), str(n_found[kind]), str(n_right[kind]))
    table.add_section()
    n = len(answers)
    percentages = (f"{100 * c.total() / n:.1f} %" for c in (n_found, n_right))
    table.add_row("all", str(n), *percentages)
    return table


def main() -> None:
    """Match, show some of the results, and count."""
    parser = argparse.ArgumentParser(description="Match messy queries and count what is right.")
    parser.add_argument("--samples", type=int, default=20, help="kinds to show a query of")
    args = parser.parse_args()
    answers = read("queries.csv")
    started = time.perf_counter()
    results = match(answers)
    took = time.perf_counter() - started
    console = Console()
    console.width = max(console.width, 140)  # eight columns of Chinese text
    console.print(sample_table(answers, results, args.samples))
    console.print(accuracy_table(answers, results))
    console.print(f"{len(answers)} queries in {took:.1f} s, loading and indexing included")


if __name__ == "__main__":
    main()

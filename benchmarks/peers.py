"""How well do plain string scores separate the same place from others, beside menpai's score?

    python benchmarks/peers.py --data FOLDER [--limit N] [--out peers.json]

All scores see the same pairs in the same process. The F1 of a string score is at the threshold that
is best on these very pairs, which flatters it: menpai's is its own decision.
"""

import time
from collections.abc import Callable, Sequence
from itertools import islice

import numpy as np
from accuracy import PairSet, pair_sets
from rapidfuzz import fuzz
from report import arguments, emit

from menpai.address import rarity
from menpai.evaluation.metrics import auc, binary
from menpai.evaluation.pairs import SPELLINGS, Columns
from menpai.matching.matcher import load

QUESTION = "How well do plain string scores separate the same place from others?"

Scorer = Callable[[str, str], float]


def shared_rarity(left: str, right: str) -> float:
    """Sum of the rarities of the bigrams that both have."""
    return rarity.load().total(rarity.bigrams(left) & rarity.bigrams(right))


def normalised_rarity(left: str, right: str) -> float:
    """The same, half normalised by the lengths."""
    table = rarity.load()
    pairs = rarity.bigrams(left), rarity.bigrams(right)
    whole = table.total(pairs[0]) * table.total(pairs[1])
    return table.total(pairs[0] & pairs[1]) / whole**0.25 if whole else 0.0


STRING_SCORES: dict[str, Scorer] = {
    "rapidfuzz ratio": fuzz.ratio,
    "rapidfuzz partial_ratio": fuzz.partial_ratio,
    "rapidfuzz WRatio": fuzz.WRatio,
    "shared rare bigrams": shared_rarity,
    "the same / (A B)^1/4": normalised_rarity,
}


def best_f1(scores: Sequence[float], positive: Sequence[bool]) -> float:
    """F1 at the threshold that makes it greatest."""
    order = np.argsort(-np.asarray(scores), kind="stable")
    ranked = np.asarray(scores)[order]
    hits = np.cumsum(np.asarray(positive)[order])
    last_of_ties = np.append(ranked[1:] != ranked[:-1], True)
    f1 = 2 * hits / (np.arange(1, len(hits) + 1) + hits[-1])
    return float(f1[last_of_ties].max())


def compare_all(pairs: PairSet, limit: int | None) -> list[dict[str, object]]:
    """Figures of every scorer on one set of pairs."""
    rows = list(islice(pairs.rows, limit))
    lefts = [_text(row, pairs.left) for row in rows]
    rights = [_text(row, pairs.right) for row in rows]
    truth = [SPELLINGS[row["label"]] for row in rows]
    related = [label != "not_match" for label in truth]
    accepted = ("exact_match", "partial_match")[: 1 + (pairs.positive == "partial")]
    wanted = [label in accepted for label in truth]
    figures = []
    for name, score in STRING_SCORES.items():
        started = time.perf_counter()
        scores = [score(left, right) for left, right in zip(lefts, rights, strict=True)]
        took = (time.perf_counter() - started) / len(rows)
        figures.append(_row(name, took, auc(scores, related), best_f1(scores, wanted)))
    matcher = load(policy=pairs.policy, match_at=pairs.match_at)
    matcher.compare(lefts[0], rights[0])
    started = time.perf_counter()
    results = matcher.compare_batch(lefts, rights)
    took = (time.perf_counter() - started) / len(rows)
    area = auc([result.score for result in results], related)
    decided = binary(wanted, [result.match for result in results])
    figures.append(_row("menpai", took, area, decided.f1))
    return [{"set": pairs.name, "n": len(rows), **row} for row in figures]


def _row(scorer: str, took: float, area: float | None, f1: float) -> dict[str, object]:
    return {"scorer": scorer, "auc": area, "f1": f1, "us_per_pair": round(1e6 * took, 1)}


def _text(row: dict[str, str], columns: Columns) -> str:
    names = [columns] if isinstance(columns, str) else columns
    return " ".join(row[name] for name in names if row[name])


def main() -> None:
    """Compare all scorers on every set."""
    parser = arguments(QUESTION)
    parser.add_argument("--limit", type=int, help="read only the first rows of each set")
    args = parser.parse_args()
    figures = []
    for pairs in pair_sets(args.data):
        figures += compare_all(pairs, args.limit)
    emit(QUESTION, figures, args.out)


if __name__ == "__main__":
    main()

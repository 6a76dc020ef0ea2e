"""How often is a place's text in another list the nearest, by vectors and by character TF-IDF?

    python benchmarks/vectors.py --data FOLDER [--checkpoint DIR] [--queries N] [--out vectors.json]

FOLDER holds eval/compounds_two_sources.tsv.gz: two property sites' wordings of the same compounds.
All texts of both sites are the library; the twin of a query is the other site's text. TF-IDF is
that of scikit-learn, which has to be installed beside menpai.
"""

from __future__ import annotations

import csv
import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from report import arguments, emit

from menpai.engine.engine import load
from menpai.model.packaged import folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

QUESTION = "How often is a place's text in another list the nearest?"
FILE = "eval/compounds_two_sources.tsv.gz"
FORMS: dict[str, Callable[[dict[str, str], str], str]] = {
    "address": lambda row, side: row[f"address_{side}"],
    "address and name": lambda row, side: row[f"address_{side}"] + row["name"],
}
AT_ONCE = 250


def main() -> None:
    """Measure both ways of finding, of both forms of text."""
    parser = arguments(QUESTION)
    parser.add_argument("--checkpoint", type=Path, default=folder("vectors"))
    parser.add_argument("--queries", type=int, default=4000)
    given = parser.parse_args()
    with gzip.open(given.data / FILE, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    rng = np.random.default_rng(0)
    queries = rng.choice(2 * len(rows), given.queries, replace=False).tolist()
    engine = load(given.checkpoint, cache_bytes=0)
    figures = []
    for form, written in FORMS.items():
        texts = [written(row, side) for side in "ab" for row in rows]
        ways = {"vectors": _by_vectors(engine.encode(texts).vectors), "TF-IDF": _tf_idf(texts)}
        for way, scores in ways.items():
            found = _shares(scores, queries, len(texts))
            figures.append({"texts": form, "by": way, "n": len(texts), **found})
    emit(QUESTION, figures, given.out)


def _by_vectors(vectors: np.ndarray) -> Callable[[Sequence[int]], np.ndarray]:
    return lambda some: vectors[list(some)] @ vectors.T


def _shares(
    scores: Callable[[Sequence[int]], np.ndarray], queries: Sequence[int], n: int
) -> dict[str, float]:
    """Share of queries whose twin is the first, or among five; ties count by half."""
    ranks = np.array(list(_ranks(scores, queries, n)))
    return {"top_1": float((ranks < 1).mean()), "top_5": float((ranks < 5).mean())}


def _ranks(
    scores: Callable[[Sequence[int]], np.ndarray], queries: Sequence[int], n: int
) -> Iterator[float]:
    for start in range(0, len(queries), AT_ONCE):
        some = queries[start : start + AT_ONCE]
        for place, row in zip(some, scores(some), strict=True):
            twin = row[(place + n // 2) % n]
            row[place] = -1.0
            yield float((row > twin).sum() + 0.5 * ((row == twin).sum() - 1))


def _tf_idf(texts: Sequence[str]) -> Callable[[Sequence[int]], np.ndarray]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    table = TfidfVectorizer(analyzer="char", ngram_range=(1, 3), sublinear_tf=True).fit_transform(
        texts
    )
    turned = table.T.tocsr()
    return lambda some: np.asarray((table[list(some)] @ turned).todense())


if __name__ == "__main__":
    main()

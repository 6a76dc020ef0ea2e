"""Texts that the packaged model's encoder begins with: open lists of addresses, and synthetic ones.

Of the lists only what is about places: names and phones are dropped, and every number is drawn
anew, so that no household's address is learned. Whole lists of names come in through the synthetic
texts: compounds, villages, roads.
"""

from __future__ import annotations

import itertools
import random
import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from menpai import synthesis
from menpai.address.anonymous import anonymous
from menpai.address.compare import compare
from menpai.engine import inputs
from menpai.errors import InputError
from menpai.evaluation.spans import Span
from menpai.matching import nearness
from menpai.synthesis import Index, World, groups, tagged
from menpai.synthesis.pairing import share_a_name
from menpai.train.vectors import Triples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LISTS = ("user_addresses.txt", "company_sites.txt")
NAMES = "community_names.txt"
N_TIMES = 3
"""Times that a real text comes, each with other numbers."""

_NUMBER = re.compile(r"\d+")


class Text(NamedTuple):
    """A text, and its elements if they are known."""

    text: str
    spans: tuple[Span, ...] | None


class Pair(NamedTuple):
    """Two texts as an encoder reads them, and how their places stand."""

    left: str
    right: str
    nearness: str


def real(folder: Path, seed: int) -> Iterator[Text]:
    """Texts of the open lists, without persons and with other numbers."""
    rng = random.Random(seed)
    lines = itertools.chain.from_iterable(_lines(folder / name) for name in LISTS)
    known = dict.fromkeys(anonymous(line) for line in lines)
    for text in itertools.chain.from_iterable(itertools.repeat(list(known), N_TIMES)):
        if len(text) > 1:
            yield Text(_NUMBER.sub(lambda number: _other(rng, number[0]), text), None)


def names(folder: Path) -> list[str]:
    """Names of compounds."""
    return _lines(folder / NAMES)


def synthetic(world: World, n: int, seed: int) -> Iterator[Text]:
    """Synthetic texts with their elements."""
    for form in tagged(world, n, seed):
        yield Text(form.text, tuple(_spans(form.tags)))


def triples(world: World, n: int, seed: int) -> tuple[list[str], Triples]:
    """Texts, and which belong together: those of one place that share a name, and near misses."""
    rng = random.Random(seed)
    texts: list[str] = []
    rows: list[tuple[int, int, int]] = []
    areas: dict[str, int] = {}
    index = Index(world, seed)
    for group in groups(world, 2 * n, seed, n_positives=2, n_negatives=2, index=index):
        own = group.anchor.place
        partner = next((p for p in group.positives if share_a_name(group.anchor, p)), None)
        if partner is None or not group.negatives:
            continue
        other = rng.choice(group.negatives)
        forms = (group.anchor, partner, other)
        written = [anonymous(form.text) for form in forms]
        if not all(written) or written[0] == written[1]:
            continue
        area = areas.setdefault(own.site.region.city_key, len(areas))
        rows.append((own.index, other.place.index, area))
        texts += written
        if len(rows) == n:
            break
    first = np.arange(0, len(texts), 3)
    table = np.array(rows, np.int64).T
    return texts, Triples(first, first + 1, first + 2, table[:2], table[2])


def pairs(world: World, n_queries: int, n_near: int, seed: int) -> Iterator[Pair]:
    """Pairs as a search returns them, and near misses."""
    found = synthesis.pairs(world, n_queries, seed)
    for pair in itertools.chain(found, synthesis.near_misses(world, n_near, seed)):
        left, right = pair.left.implied, pair.right.implied
        stand = nearness.of(left, right, compare(left, right))
        texts = inputs.of_pair(pair.left.text, pair.right.text)
        if not isinstance(texts, InputError):
            yield Pair(*texts, stand)


def _spans(tags: list[str | None]) -> Iterator[Span]:
    start = 0
    for tag, run in itertools.groupby(tags):
        end = start + len(list(run))
        if tag is not None:
            yield Span(tag, start, end)
        start = end


def _lines(path: Path) -> list[str]:
    return [line.strip() for line in path.read_text("utf-8").splitlines() if line.strip()]


def _other(rng: random.Random, number: str) -> str:
    """A number of as many digits."""
    digits = [rng.choice("123456789"), *(rng.choice("0123456789") for _ in number[1:])]
    return "".join(digits)

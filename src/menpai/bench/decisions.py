"""How fast pairs are decided: many at a time, by the model alone, and one after the other."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.bench.encoders import conditions
from menpai.matching.decide import is_settled, weigh
from menpai.matching.evidence import share_of
from menpai.matching.matcher import load
from menpai.synthesis import World, pairs as synthetic_pairs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from menpai.matching.matcher import Matcher

    Notify = Callable[[float, str], None]
    Pair = tuple[str, str]

_ROUNDS = 3
_N_PLACES = 5_000


def made_up(n: int, seed: int = 0) -> list[Pair]:
    """Give pairs as a search returns them, the same for the same seed; no text comes twice."""
    found: list[Pair] = []
    seen: set[str] = set()
    for pair in _pairs(World(seed, max(_N_PLACES, n)), seed):
        if not seen & set(pair):
            found.append(pair)
            seen |= set(pair)
        if len(found) == n:
            break
    return found


def _pairs(world: World, seed: int) -> Iterator[Pair]:
    """One candidate for each query: texts that come once are not in any cache."""
    n_queries = len(world.places)
    for pair in synthetic_pairs(world, n_queries, seed, n_candidates=1):
        yield pair.left.text, pair.right.text


def compare(  # noqa: PLR0913 -- one for each choice
    checkpoint: str | Path | None,
    pairs: Sequence[Pair],
    *,
    policy: str = "place",
    runtime: str = "auto",
    precision: str = "auto",
    n_threads: int | None = None,
    notify: Notify = lambda _share, _text: None,
) -> dict[str, Any]:
    """Measure pairs to decisions.

    Args:
        checkpoint: One that judges pairs, as `menpai.load` takes it.
        pairs: Pairs that share no text: each costs what it costs.
        policy: What pairs are decided by.
        runtime: See `menpai.load`, as for precision and n_threads.
        precision: In which numbers the model computes.
        n_threads: Processors to use.
        notify: Called with the share that is done and what is being done.

    Returns:
        pairs_per_s of whole comparisons, the model asked where elements leave something open;
        share_open, how often that is; pairs_per_s_all_model, the model asked about every pair;
        p50_s and p99_s of single comparisons; under what conditions.
    """
    matcher = load(
        policy=policy,
        checkpoint=checkpoint,
        runtime=runtime,
        precision=precision,
        n_threads=n_threads,
    )
    engine = matcher.engine_for("pairs")
    engine.warm_up()
    parts = [pairs[number::4] for number in range(4)]
    rates, model_rates = [], []
    for number in range(_ROUNDS):
        notify(number / (_ROUNDS + 1), "comparing")
        half = len(parts[number]) // 2
        rates.append(_rate(lambda some: _decide(matcher, some), parts[number][:half]))
        model_rates.append(_rate(engine.classify, parts[number][half:]))
    notify(_ROUNDS / (_ROUNDS + 1), "one by one")
    seconds = [_seconds(matcher, pair) for pair in parts[3]]
    return {
        "pairs_per_s": median(rates),
        "pairs_per_s_all_model": median(model_rates),
        "p50_s": float(np.quantile(seconds, 0.5)),
        "p99_s": float(np.quantile(seconds, 0.99)),
        "share_open": _share_open(matcher, pairs),
        "n_pairs": len(pairs),
        "policy": policy,
        **conditions(engine),
    }


def _decide(matcher: Matcher, pairs: Sequence[Pair]) -> None:
    matcher.compare_batch([left for left, _ in pairs], [right for _, right in pairs])


def _rate(work: Callable[[Sequence[Pair]], object], pairs: Sequence[Pair]) -> float:
    started = time.perf_counter()
    work(pairs)
    return len(pairs) / (time.perf_counter() - started)


def _seconds(matcher: Matcher, pair: Pair) -> float:
    started = time.perf_counter()
    matcher.compare(*pair)
    return time.perf_counter() - started


def _share_open(matcher: Matcher, pairs: Sequence[Pair]) -> float:
    sides = ((matcher.parse(left), matcher.parse(right)) for left, right in pairs)
    share = share_of(matcher.engine_for("pairs"), matcher.policy)
    structures = (weigh(left, right, matcher.policy) for left, right in sides)
    return float(np.mean([not is_settled(structure, share) for structure in structures]))

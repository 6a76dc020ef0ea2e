"""How fast an encoder is: texts to vectors, and similarities beside a baseline, in one run."""

from __future__ import annotations

import time
from statistics import median
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.bench.naive import Naive
from menpai.engine.engine import load
from menpai.errors import ConfigError
from menpai.events import Timings
from menpai.machine import n_cpus, processor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from menpai.engine.engine import Engine

    Notify = Callable[[float, str], None]

_ROUNDS = 3
"""Both sides take turns, as what else runs on a machine changes from one second to the next."""
_BASELINE_S = 3.5
"""How long the baseline runs in a round; a pair that has begun is finished."""


def encode(
    folder: Path,
    texts: Sequence[str],
    *,
    runtime: str = "auto",
    precision: str = "auto",
    n_threads: int | None = None,
) -> dict[str, Any]:
    """Measure texts to vectors, each of them once, with nothing kept."""
    timings = Timings()
    engine = load(
        folder,
        runtime=runtime,
        precision=precision,
        n_threads=n_threads,
        cache_bytes=0,
        warm_up=True,
        observers=[timings],
    )
    timings.clear()
    started = time.perf_counter()
    encoded = engine.encode(texts)
    elapsed_s = time.perf_counter() - started
    engine.close()
    return {
        "addresses_per_s": len(texts) / elapsed_s,
        "tokens_per_s": timings.n_tokens / elapsed_s,
        "padding_waste": timings.padding_waste,
        "n_addresses": len(texts),
        "n_failed": len(encoded.errors),
        "n_tokens": timings.n_tokens,
        "elapsed_s": elapsed_s,
        "stages": dict(timings.seconds),
        **conditions(engine),
    }


def compare(  # noqa: PLR0913 -- one for each choice
    folder: Path,
    pairs: Sequence[tuple[str, str]],
    *,
    baseline: str | None = None,
    padding: int = 64,
    runtime: str = "auto",
    precision: str = "auto",
    n_threads: int | None = None,
    notify: Notify = lambda _share, _text: None,
) -> dict[str, Any]:
    """Measure pairs to similarities or verdicts, beside a baseline where one is named.

    Args:
        folder: A converted checkpoint.
        pairs: Pairs that share no text: each costs what it costs.
        baseline: "naive" or None; see `menpai.bench.naive`.
        padding: Length that the baseline pads every text to.
        runtime: See `menpai.engine.engine.load`, as for precision and n_threads.
        precision: In which numbers the engine computes; the baseline is in fp32.
        n_threads: Processors for either side.
        notify: Called with the share that is done and what is being done.

    Raises:
        ConfigError: The baseline is unknown, or not for this kind of checkpoint.
    """
    threads = n_cpus() if n_threads is None else n_threads
    engine = load(
        folder,
        runtime=runtime,
        precision=precision,
        n_threads=threads,
        cache_bytes=0,
        warm_up=True,
    )
    naive = _baseline(baseline, engine, folder, padding, threads)
    own, other, n_baseline, done = [], [], 0, 0
    share = -(-len(pairs) // _ROUNDS)
    for number in range(_ROUNDS):
        notify(number / _ROUNDS, "menpai")
        own.append(_own_rate(engine, pairs[number * share : (number + 1) * share]))
        if naive is not None:
            notify((number + 0.5) / _ROUNDS, "baseline")
            rate, done = _rate_within(naive, pairs, n_baseline)
            other.append(rate)
            n_baseline += done
    figures: dict[str, Any] = {"pairs_per_s": median(own), "n_pairs": len(pairs)}
    if naive is not None:
        naive.close()
        figures |= {
            "baseline": baseline,
            "baseline_padding": padding,
            "baseline_pairs_per_s": median(other),
            "baseline_n_pairs": n_baseline,
            "ratio": median(own) / median(other),
        }
    engine.close()
    return {**figures, **conditions(engine)}


def conditions(engine: Engine) -> dict[str, Any]:
    """What a figure holds for."""
    info = engine.info()
    kept = ("kind", "runtime", "precision", "device", "n_threads", "n_streams", "notes")
    return {**{key: info[key] for key in kept}, "processor": processor()}


def _baseline(
    name: str | None, engine: Engine, folder: Path, padding: int, n_threads: int
) -> Naive | None:
    if name is None:
        return None
    if name != "naive":
        raise ConfigError(f"baseline {name!r} is not known, only 'naive'", field="baseline")
    if engine.kind != "vectors":
        raise ConfigError(
            f"the naive baseline compares vectors; this checkpoint gives {engine.kind}",
            field="baseline",
        )
    return Naive(folder, padding=padding, n_threads=n_threads)


def _own_rate(engine: Engine, pairs: Sequence[tuple[str, str]]) -> float:
    started = time.perf_counter()
    if engine.kind == "vectors":
        vectors = engine.encode([text for pair in pairs for text in pair]).vectors
        np.einsum("ij,ij->i", vectors[0::2], vectors[1::2])
    else:
        engine.classify(pairs)
    return len(pairs) / (time.perf_counter() - started)


def _rate_within(naive: Naive, pairs: Sequence[tuple[str, str]], start: int) -> tuple[float, int]:
    """Compare pairs from one on until the time is over; rate and number of pairs."""
    if start == 0:
        naive.similarity(*pairs[0])  # what only the first call does is no part of a rate
    started, done = time.perf_counter(), 0
    while done == 0 or time.perf_counter() - started < _BASELINE_S:
        naive.similarity(*pairs[(start + done) % len(pairs)])
        done += 1
    return done / (time.perf_counter() - started), done

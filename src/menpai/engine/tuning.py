"""How many batches to execute at once: measured here for a moment, and kept for the next start."""

from __future__ import annotations

import json
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import ModelError
from menpai.machine import processor
from menpai.model.folder import read_json
from menpai.model.runtimes.protocol import Inputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from menpai.model.runtimes.protocol import Runtime

FILE = "tuning.json"
_SHAPE = (8, 24)  # rows and tokens: small batches are where streams may gain
_N_RUNS = 4
_WORTHWHILE = 1.05  # one stream answers a single text sooner: more must gain something


def choices(n_threads: int) -> list[int]:
    """Counts of streams to try: one, one for two processors, one for each, at most eight."""
    return sorted({1, max(1, min(8, n_threads // 2)), min(8, n_threads)})


def n_streams(
    store: Path,
    key: str,
    n_threads: int,
    open_with: Callable[[int], Runtime],
    channels: Iterable[str] = (),
) -> int:
    """Give the fastest number of streams, measured once for each key.

    Args:
        store: Folder of the file that keeps what was measured.
        key: What a measurement holds for: model, runtime, precision; the processor and the
            threads are added.
        n_threads: Processors to use.
        open_with: Opens the runtime with a number of streams.
        channels: What the model reads beside tokens.
    """
    full_key = f"{key} {processor()} {n_threads}"
    kept = _kept(store)
    found = kept.get(full_key)
    if isinstance(found, int) and found in choices(n_threads):
        return found
    best = _measured(n_threads, open_with, _inputs(channels))
    _keep(store, {**kept, full_key: best})
    return best


def _kept(store: Path) -> dict[str, Any]:
    """What was measured before; nothing where that cannot be read."""
    try:
        return read_json(store / FILE) or {}
    except ModelError:
        return {}


def _inputs(channels: Iterable[str]) -> Inputs:
    ids, mask, segments = (np.full(_SHAPE, value, np.int32) for value in (5, 1, 0))
    return Inputs(ids, mask, segments, dict.fromkeys(channels, segments))


def _measured(n_threads: int, open_with: Callable[[int], Runtime], inputs: Inputs) -> int:
    best, best_rate = 1, 0.0
    for count in choices(n_threads):
        runtime = open_with(count)
        rate = _batches_per_s(runtime, inputs)
        runtime.close()
        if rate > best_rate * _WORTHWHILE:
            best, best_rate = count, rate
    return best


def _batches_per_s(runtime: Runtime, inputs: Inputs) -> float:
    def work() -> None:
        for _ in range(_N_RUNS):
            runtime.run(inputs)

    threads = [threading.Thread(target=work) for _ in range(runtime.n_streams)]
    runtime.run(inputs)
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return _N_RUNS * len(threads) / (time.perf_counter() - started)


def _keep(store: Path, values: dict[str, Any]) -> None:
    """Write aside and rename; a folder that cannot be written means measuring again."""
    partial = store / f".{FILE}.partial"
    try:
        store.mkdir(parents=True, exist_ok=True)
        partial.write_text(json.dumps(values, indent=1), encoding="utf-8")
        partial.replace(store / FILE)
    except OSError:
        with suppress(OSError):
            partial.unlink()

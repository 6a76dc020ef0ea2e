"""A cache of verdicts on pairs of texts."""

from __future__ import annotations

import math
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING

from menpai.cache.keys import check_keys
from menpai.errors import ConfigError
from menpai.events import SILENT, CacheEvicted, CacheLooked

if TYPE_CHECKING:
    from menpai.events import Events

Verdict = tuple[float, ...]
"""What was found of a pair, as numbers whose meaning is the caller's."""


class VerdictCache:
    """Verdicts by keys of `digest`; full, it drops the one that nobody asked for the longest.

    Threads may share one.

    Args:
        max_entries: Verdicts that are kept at most.
        events: Who is told of look-ups and evictions.

    Raises:
        ConfigError: If `max_entries` is not positive.
    """

    def __init__(self, max_entries: int, events: Events = SILENT) -> None:
        if max_entries < 1:
            raise ConfigError(
                f"max_entries {max_entries} leaves no room for a verdict", field="max_entries"
            )
        self._max_entries = max_entries
        self._events = events
        self._lock = Lock()
        self._verdicts: OrderedDict[bytes, Verdict] = OrderedDict()  # the oldest use first

    def __len__(self) -> int:
        """Count the verdicts that are kept."""
        return len(self._verdicts)

    def get(self, key: bytes) -> Verdict | None:
        """Give the verdict on a pair, or None.

        Raises:
            ValueError: If the key is none of `digest`.
        """
        check_keys((key,))
        with self._lock:
            verdict = self._verdicts.get(key)
            if verdict is not None:
                self._verdicts.move_to_end(key)
        if self._events:
            found = verdict is not None
            self._events.emit(CacheLooked("verdicts", int(found), int(not found)))
        return verdict

    def put(self, key: bytes, verdict: Verdict) -> None:
        """Keep the verdict on a pair.

        Raises:
            ValueError: If the key is none of `digest`, or a number is not finite.
        """
        check_keys((key,))
        if not all(map(math.isfinite, verdict)):
            raise ValueError("a verdict holds NaN or infinity")
        with self._lock:
            self._verdicts[key] = verdict
            self._verdicts.move_to_end(key)
            full = len(self._verdicts) > self._max_entries
            if full:
                self._verdicts.popitem(last=False)
        if full and self._events:
            self._events.emit(CacheEvicted("verdicts", 1))

    def clear(self) -> None:
        """Drop all verdicts."""
        with self._lock:
            self._verdicts.clear()

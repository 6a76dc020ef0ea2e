"""The packaged checkpoints, each loaded when it is first asked."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from menpai.model import packaged

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from menpai.engine.engine import Engine


class PackagedModels:
    """Engines of the packaged checkpoints by what they give.

    Most pairs are decided by their elements, and a process that only meets such need not load a
    model at all.

    Args:
        load: Loads a checkpoint's folder.
    """

    def __init__(self, load: Callable[[Path], Engine]) -> None:
        self._load = load
        self._engines: dict[str, Engine] = {}
        self._lock = Lock()

    def get(self, kind: packaged.Packaged) -> Engine:
        """Give the engine of a kind."""
        with self._lock:
            if kind not in self._engines:
                self._engines[kind] = self._load(packaged.folder(kind))
            return self._engines[kind]

    def __getstate__(self) -> Callable[[Path], Engine]:
        """Another process loads its own."""
        return self._load

    def __setstate__(self, load: Callable[[Path], Engine]) -> None:
        self.__init__(load)  # type: ignore[misc]

    @property
    def fingerprints(self) -> list[str]:
        """Digests of all that the checkpoints answer by."""
        from menpai.model.manifest import Manifest  # most comparisons need none of it

        return [Manifest.read(folder).fingerprint for folder in packaged.folders()]

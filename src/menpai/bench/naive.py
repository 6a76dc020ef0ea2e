"""How the published examples run a checkpoint: what everything else is measured against.

PyTorch in fp32, one pair at a time, a forward for each of its two texts, every text padded to one
length, nothing kept. The ModelScope pipeline pads to 512 unless told otherwise; 64 is what careful
users set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from menpai.model.batches import pad
from menpai.model.golden import unit
from menpai.model.manifest import Manifest
from menpai.model.runtimes.protocol import Plan
from menpai.model.runtimes.torch import TorchRuntime
from menpai.model.tokenizer import FILE, Tokenizer

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray


class Naive:
    """A bi-encoder, one text at a time; `padding` is the length that every text gets.

    Raises:
        MissingExtraError: torch is not installed.
    """

    def __init__(self, folder: Path, *, padding: int, n_threads: int) -> None:
        self._manifest = Manifest.read(folder)
        self._padding = padding
        self._tokenizer = Tokenizer.load(folder / FILE, padding)
        self._runtime = TorchRuntime(Plan(folder, self._manifest.design, "fp32", n_threads))

    def similarity(self, left: str, right: str) -> float:
        """Cosine of two texts' vectors."""
        return float(self._vector(left) @ self._vector(right))

    def close(self) -> None:
        """Let the weights go."""
        self._runtime.close()

    def _vector(self, text: str) -> NDArray[np.floating]:
        tokens = self._tokenizer.texts([f"{self._manifest.prefix}{text}"])
        batch = pad(
            tokens,
            self._padding,
            self._tokenizer.pad_id,
            has_segments=self._manifest.has_segments,
        )
        (vector,) = unit(self._runtime.run(batch))
        return np.asarray(vector)

"""Inputs that are learned from: their numbers in one row, and batches of them as tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from torch import Tensor

    from menpai.model.tokenizer import Tokens

    Ints = NDArray[np.int32]

_PLAIN = ("ids", "segments")


class Items:
    """Tokens of many inputs, with their segments and channels.

    Args:
        tokens: One for each input.
        channels: Further numbers by name, for each input as many as it has tokens.
        has_segments: Whether the second text of a pair is marked.

    Attributes:
        lengths: Tokens of each input.
    """

    def __init__(
        self,
        tokens: Sequence[Tokens],
        channels: Mapping[str, Sequence[Ints]],
        *,
        has_segments: bool,
    ) -> None:
        self.lengths = np.array([len(item.ids) for item in tokens], np.int64)
        self._starts = np.concatenate([[0], np.cumsum(self.lengths)])
        segments = [item.segments * has_segments for item in tokens]
        self._rows = {
            "ids": np.concatenate([item.ids for item in tokens]),
            "segments": np.concatenate(segments),
            **{name: np.concatenate(rows) for name, rows in channels.items()},
        }

    def __len__(self) -> int:
        """Count the inputs."""
        return len(self.lengths)

    def batch(self, places: NDArray[np.int64], length: int, pad_id: int) -> dict[str, Tensor]:
        """Lay some inputs side by side: each of (n, length), by name.

        Args:
            places: Which inputs.
            length: Tokens of each row with padding.
            pad_id: Number of the padding token.
        """
        shape = (len(places), length)
        found = {name: np.zeros(shape, np.int64) for name in (*self._rows, "mask")}
        found["ids"][:] = pad_id
        for row, place in enumerate(places):
            start, n = self._starts[place], self.lengths[place]
            found["mask"][row, :n] = 1
            for name, values in self._rows.items():
                found[name][row, :n] = values[start : start + n]
        return {name: torch.from_numpy(values) for name, values in found.items()}

"""Vectors as one numpy file, a row for each row of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from menpai.tables.rows import Done


class ArrayParts:
    """Parts of a .npy file of float32 (rows, dim); see `menpai.tables.parts.Parts`.

    A row without a vector becomes NaN: its place shall be kept, and nobody take it for an answer.

    Args:
        name: The result that holds the vectors.
        dim: Numbers of a vector.
    """

    def __init__(self, name: str, dim: int) -> None:
        self._name = name
        self._dim = dim

    def write(self, rows: Sequence[Done], path: Path) -> None:
        """Write some rows as plain numbers."""
        block = np.full((len(rows), self._dim), np.nan, np.float32)
        for place, (_, results) in enumerate(rows):
            vector: Any = results.get(self._name)
            if vector is not None:
                block[place] = vector
        path.write_bytes(block.tobytes())

    def join(self, parts: Sequence[Path], path: Path) -> None:
        """Put a head and all parts together."""
        n_rows = sum(part.stat().st_size for part in parts) // (4 * self._dim)
        head = {
            "descr": np.lib.format.dtype_to_descr(np.dtype(np.float32)),
            "fortran_order": False,
            "shape": (n_rows, self._dim),
        }
        with path.open("wb") as file:
            np.lib.format.write_array_header_1_0(file, head)
            for part in parts:
                file.write(part.read_bytes())

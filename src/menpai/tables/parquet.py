"""Parquet: typed and nested columns, read in slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from menpai.errors import TableError
from menpai.tables.encoding import unreadable
from menpai.tables.frames import frame_rows, native_types
from menpai.tables.rows import Chunk, Row, chunked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    import polars as pl

    from menpai.tables.schema import Type

SLICE_ROWS: Final = 1 << 16
"""Rows taken at once. A slice costs the reading of every row group that it touches."""


class ParquetTable:
    """A Parquet file. Every row can be read, or the file cannot."""

    def __init__(self, path: Path) -> None:
        import polars as pl

        self._path = path
        try:
            path.open("rb").close()  # polars takes a folder or a pattern for many files
            self._frame = pl.scan_parquet(path, glob=False)
            self._schema = self._frame.collect_schema()
            self._n_rows = int(self._frame.select(pl.len()).collect().item())
        except OSError as error:
            raise unreadable(path, error) from error
        except pl.exceptions.PolarsError as error:
            raise TableError(f"{path.name} is not a Parquet file: {error}") from error
        self._n_read = 0
        self.columns = tuple(self._schema)

    @property
    def fraction(self) -> float:
        """Share of the rows that the newest `chunks` has read."""
        return self._n_read / self._n_rows if self._n_rows else 1.0

    def types(self) -> Mapping[str, Type]:
        """Types as the file has them."""
        return native_types(self._schema)

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Read all rows, `size` at a time."""
        self._n_read = 0
        return chunked(self._rows(), size)

    def _rows(self) -> Iterator[Row]:
        for start in range(0, self._n_rows, SLICE_ROWS):
            for row in frame_rows(self._slice(start)):
                self._n_read += 1
                yield row

    def _slice(self, start: int) -> pl.DataFrame:
        import polars as pl

        try:
            return self._frame.slice(start, SLICE_ROWS).collect()
        except pl.exceptions.PolarsError as error:
            raise TableError(f"{self._path.name} is damaged: {error}") from error

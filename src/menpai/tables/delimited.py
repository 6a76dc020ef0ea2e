"""CSV and TSV: every cell is text and stays as it was written."""

from __future__ import annotations

import csv
from itertools import islice
from typing import TYPE_CHECKING, Final

from menpai.errors import TableError
from menpai.tables.encoding import TextFile, is_clean
from menpai.tables.rows import Chunk, Row, chunked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from menpai.tables.kinds import Format
    from menpai.tables.schema import Type

DELIMITERS: Final = (",", ";", "\t", "|")
MAX_SNIFFED_ROWS: Final = 50


class DelimitedTable:
    """A CSV or TSV file with a head line.

    Blank lines are no rows. A row with another number of cells than the head, with a byte that the
    encoding does not know, or with a cell over 128 KiB (mostly an unclosed quote) is bad.
    """

    def __init__(self, path: Path, form: Format) -> None:
        self._file = TextFile(path, gzipped=form.gzipped)
        self.delimiter = "\t" if form.kind == "tsv" else self._sniff()
        self.columns = self._read_head()

    @property
    def fraction(self) -> float:
        """Share of the file that the newest `chunks` has read."""
        return self._file.fraction

    def types(self) -> Mapping[str, Type]:
        """Every column is text."""
        return dict.fromkeys(self.columns, "text")

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Read all rows, `size` at a time."""
        return chunked(self._items(), size)

    def _items(self) -> Iterator[Row | TableError]:
        columns, n_columns = self.columns, len(self.columns)
        for cells in islice(self._records(), 1, None):
            if isinstance(cells, TableError):
                yield cells
            elif len(cells) == n_columns:
                yield dict(zip(columns, cells, strict=True))
            else:
                yield TableError(f"the row has {len(cells)} cells, the head {n_columns}")

    def _records(self) -> Iterator[list[str] | TableError]:
        """Head and rows, without blank lines."""
        with self._file.open() as text:
            reader = csv.reader(text, delimiter=self.delimiter)
            while True:
                try:
                    cells = next(reader)
                except StopIteration:
                    return
                except csv.Error as error:
                    yield TableError(f"the row is not CSV: {error}")
                    continue
                if cells:
                    clean = is_clean("".join(cells))
                    yield cells if clean else TableError(f"the row is not {self._file.encoding}")

    def _sniff(self) -> str:
        """Choose the delimiter that splits most rows like the head, and the head the most."""
        with self._file.open() as text:
            lines = list(islice(text, MAX_SNIFFED_ROWS))
        return max(DELIMITERS, key=lambda delimiter: _fitness(lines, delimiter))

    def _read_head(self) -> tuple[str, ...]:
        head = next(self._records(), None)
        if head is None:
            raise TableError(f"{self._file.path.name} is empty: it has no head line")
        if isinstance(head, TableError):
            raise TableError(f"{self._file.path.name}: the head line cannot be read: {head}")
        for column in head:
            if head.count(column) > 1:
                raise TableError(f"{self._file.path.name} has two columns {column!r}", field=column)
        return tuple(head)


def _fitness(lines: list[str], delimiter: str) -> tuple[bool, float]:
    """How well a delimiter explains the first lines, the last of which may be cut in a quote."""
    try:
        widths = [len(cells) for cells in csv.reader(lines, delimiter=delimiter) if cells]
    except csv.Error:
        return (False, 0.0)
    if not widths or widths[0] == 1:
        return (False, 0.0)
    return (True, widths.count(widths[0]) / len(widths) * widths[0])

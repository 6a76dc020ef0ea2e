"""How each kind of table is written: rows in parts, and the parts joined to one file.

A part is a file of its own, so that a long job can be continued after its last whole part.
"""

from __future__ import annotations

import csv
import gzip
import io
import shutil
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Protocol, cast

from menpai.errors import ConfigError
from menpai.tables.cells import to_cell, to_json
from menpai.tables.kinds import TEXT_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from menpai.tables.kinds import Format, Kind
    from menpai.tables.layout import Layout
    from menpai.tables.rows import Done


class Parts(Protocol):
    """Writes rows of one kind of table."""

    def write(self, rows: Sequence[Done], path: Path) -> None:
        """Write some rows to a file of their own."""

    def join(self, parts: Sequence[Path], path: Path) -> None:
        """Make one table of all parts."""


class TextEncoder(Protocol):
    """Rows of a text kind as bytes, for a file or a stream."""

    def head(self) -> bytes:
        """Give what stands before the first row."""

    def encode(self, rows: Sequence[Done]) -> bytes:
        """Encode some rows."""


def make_parts(form: Format, layout: Layout, *, byte_order_mark: bool = False) -> Parts:
    """Choose how a format is written.

    Args:
        form: The format.
        layout: Columns.
        byte_order_mark: Begin CSV and TSV with the mark by which Excel knows UTF-8.
    """
    if form.kind == "parquet":
        return ParquetParts(layout)
    if form.kind == "xlsx":
        return ExcelParts(layout)
    encoder = text_encoder(form.kind, layout, byte_order_mark=byte_order_mark)
    return TextParts(encoder, gzipped=form.gzipped)


def text_encoder(kind: Kind, layout: Layout, *, byte_order_mark: bool = False) -> TextEncoder:
    """Choose how a text kind is written.

    Raises:
        ConfigError: If the kind is no text.
    """
    if kind not in TEXT_KINDS:
        raise ConfigError(f"{kind} cannot be written to a stream; {', '.join(TEXT_KINDS)} can")
    if kind == "jsonl":
        return JsonLinesEncoder()
    return DelimitedEncoder(layout, "\t" if kind == "tsv" else ",", byte_order_mark=byte_order_mark)


class JsonLinesEncoder:
    """One object a line, with everything nested in it."""

    def head(self) -> bytes:
        """Give nothing."""
        return b""

    def encode(self, rows: Sequence[Done]) -> bytes:
        """Encode some rows."""
        return "".join([f"{to_json({**row, **results})}\n" for row, results in rows]).encode()


class DelimitedEncoder:
    """CSV or TSV with flattened results; texts that a spreadsheet would run are neutralised."""

    def __init__(self, layout: Layout, delimiter: str, *, byte_order_mark: bool) -> None:
        self._layout = layout
        self._delimiter = delimiter
        self._mark = "\ufeff" if byte_order_mark else ""

    def head(self) -> bytes:
        """Give the head line."""
        return (self._mark + self._lines([self._layout.flat_names()])).encode()

    def encode(self, rows: Sequence[Done]) -> bytes:
        """Encode some rows."""
        # Half a character, brought along by an escape in JSON, has no form here: a question mark.
        return self._lines(self._layout.flat_cells(rows)).encode(errors="replace")

    def _lines(self, rows: Iterable[Sequence[object]]) -> str:
        text = io.StringIO()
        writer = csv.writer(text, delimiter=self._delimiter, lineterminator="\n")
        writer.writerows([to_cell(cell) for cell in row] for row in rows)
        return text.getvalue()


class TextParts:
    """Parts of a text kind: joining puts them one after the other."""

    def __init__(self, encoder: TextEncoder, *, gzipped: bool) -> None:
        self._encoder = encoder
        self._gzipped = gzipped

    def write(self, rows: Sequence[Done], path: Path) -> None:
        """Write some rows."""
        path.write_bytes(self._encoder.encode(rows))

    def join(self, parts: Sequence[Path], path: Path) -> None:
        """Put the head and all parts together."""
        with path.open("wb") as raw, self._packed(raw) as file:
            file.write(self._encoder.head())
            for part in parts:
                with part.open("rb") as piece:
                    shutil.copyfileobj(piece, file)

    @contextmanager
    def _packed(self, raw: IO[bytes]) -> Iterator[IO[bytes]]:
        if not self._gzipped:
            yield raw
            return
        # Neither name nor time inside: the same rows give the same file.
        with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as packed:
            yield cast("IO[bytes]", packed)


class ParquetParts:
    """Parts that are Parquet files themselves."""

    def __init__(self, layout: Layout) -> None:
        self._types = layout.types

    def write(self, rows: Sequence[Done], path: Path) -> None:
        """Write some rows with their nested values."""
        from menpai.tables.frames import to_frame

        nested = [{**row, **results} for row, results in rows]
        to_frame(nested, self._types).write_parquet(path)

    def join(self, parts: Sequence[Path], path: Path) -> None:
        """Join all parts."""
        from menpai.tables.frames import join_parquet

        if parts:
            join_parquet(parts, path)
        else:
            self.write([], path)


class ExcelParts:
    """Flat rows, typed, as Parquet until the end: a workbook is written from its start or not."""

    def __init__(self, layout: Layout) -> None:
        from menpai.tables.excel import require_extra

        require_extra()
        self._layout = layout

    def write(self, rows: Sequence[Done], path: Path) -> None:
        """Write some rows with flattened results."""
        from menpai.tables.frames import to_frame

        names = self._layout.flat_names()
        flat = [dict(zip(names, cells, strict=True)) for cells in self._layout.flat_cells(rows)]
        to_frame(flat, self._layout.flat).write_parquet(path)

    def join(self, parts: Sequence[Path], path: Path) -> None:
        """Write the workbook."""
        from menpai.tables.excel import new_sheet
        from menpai.tables.frames import read_rows

        with new_sheet(path) as sheet:
            sheet.write(self._layout.flat_names())
            for part in parts:
                for row in read_rows(part):
                    sheet.write(list(row.values()))

"""XLSX: the first sheet of a workbook, with the extra `excel`."""

from __future__ import annotations

import zipfile
from contextlib import contextmanager
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from menpai.errors import MissingExtraError, TableError
from menpai.tables.cells import to_cell
from menpai.tables.encoding import unreadable
from menpai.tables.extent import Extent
from menpai.tables.frames import frame_rows, native_types
from menpai.tables.rows import Chunk, chunked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from menpai.tables.schema import Type

MAX_PACKED_BYTES: Final = 256 << 20
MAX_UNPACKED_BYTES: Final = 1 << 30
"""A workbook is a zip file and wholly in memory while it is read. A few kilobytes can unpack to
gigabytes; larger tables are better kept as CSV or Parquet anyway."""
MAX_SHEET_ROWS: Final = 1_048_576
MAX_SHEET_COLUMNS: Final = 16_384
MAX_CELL_CHARS: Final = 32_767
"""Limits of the file format, the head line included in the rows."""
MAX_CELLS: Final = 1 << 25
"""A sheet is read as a full rectangle: two cells in opposite corners take 500 gigabytes."""
MAX_NUMBER: Final = 10**15
"""A sheet's numbers have fifteen digits; longer ones, such as record numbers, become text."""

_BLOCK_BYTES: Final = 1 << 20


def require_extra() -> None:
    """Refuse to go on without the packages for Excel files.

    Raises:
        MissingExtraError: With the line that installs them.
    """
    try:
        import fastexcel  # noqa: F401 -- polars reads through it
        import xlsxwriter  # type: ignore[import-untyped]  # noqa: F401 -- it has no types
    except ImportError as error:
        raise MissingExtraError('XLSX files need: pip install "menpai[excel]"') from error


class ExcelTable:
    """The first sheet of a workbook; its first row is the head line."""

    def __init__(self, path: Path) -> None:
        require_extra()
        check_size(path)
        self._frame = _read(path)
        self._n_read = 0
        self.columns = tuple(self._frame.columns)

    @property
    def fraction(self) -> float:
        """Share of the rows that the newest `chunks` has read."""
        return self._n_read / self._frame.height if self._frame.height else 1.0

    def types(self) -> Mapping[str, Type]:
        """Types as the cells have them; a column of several types is text."""
        return native_types(self._frame.schema)

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Read all rows, `size` at a time."""
        self._n_read = 0
        for chunk in chunked(frame_rows(self._frame), size):
            self._n_read += chunk.n_rows
            yield chunk


def check_size(path: Path) -> None:
    """Refuse a workbook that is, or unpacks to, more than the limits.

    Raises:
        TableError: If it does, or is no workbook.
    """
    try:
        n_packed = path.stat().st_size
        if n_packed > MAX_PACKED_BYTES:
            raise TableError(
                f"{path.name} has {n_packed:,} bytes; at most {MAX_PACKED_BYTES:,} are read"
            )
        with zipfile.ZipFile(path) as archive:
            _check_unpacked(archive, path.name)
    except OSError as error:
        raise unreadable(path, error) from error
    except (zipfile.BadZipFile, EOFError, RuntimeError, NotImplementedError) as error:
        raise TableError(f"{path.name} is not an XLSX workbook: {error}") from error


def _check_unpacked(archive: zipfile.ZipFile, name: str) -> None:
    members = archive.infolist()
    if sum(member.file_size for member in members) > MAX_UNPACKED_BYTES:
        raise TableError(f"{name} unpacks to more than {MAX_UNPACKED_BYTES:,} bytes")
    # A size can be a lie; zipfile stops there and finds that the checksum is not that of the whole.
    for member in members:
        extent = Extent()
        with archive.open(member) as packed:
            while block := packed.read(_BLOCK_BYTES):
                extent.feed(block)
                if extent.n_cells > MAX_CELLS:
                    raise TableError(f"{name} has a sheet of more than {MAX_CELLS:,} cells")


def _read(path: Path) -> pl.DataFrame:
    import polars as pl

    try:
        frame = pl.read_excel(
            path, engine="calamine", infer_schema_length=None, raise_if_empty=False
        )
    except Exception as error:  # every layer below has its own errors
        raise TableError(f"{path.name} cannot be read as XLSX: {error}") from error
    if not frame.width:
        raise TableError(f"{path.name} is empty: its first sheet has no head line")
    return frame


@contextmanager
def new_sheet(path: Path) -> Iterator[SheetWriter]:
    """Make a workbook with one sheet; it is finished at the end.

    Raises:
        OSError: If it cannot be written.
    """
    import xlsxwriter

    # In memory is one row only. No text is taken for a formula, a link or a number.
    options = {"constant_memory": True, "strings_to_urls": False, "remove_timezone": True}
    with path.open("wb") as file:
        book = xlsxwriter.Workbook(file, options)
        try:
            yield SheetWriter(book)
        finally:
            book.close()


class SheetWriter:
    """Writes rows of cells to a sheet, from the first on."""

    def __init__(self, book: Any) -> None:
        self._sheet = book.add_worksheet()
        self._date = book.add_format({"num_format": "yyyy-mm-dd"})
        self._moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        self._n_rows = 0

    def write(self, cells: Sequence[object]) -> None:
        """Add one row.

        Raises:
            TableError: If the sheet or a cell would be larger than the format allows.
        """
        if self._n_rows == MAX_SHEET_ROWS or len(cells) > MAX_SHEET_COLUMNS:
            raise TableError(
                f"a sheet holds at most {MAX_SHEET_ROWS:,} rows and {MAX_SHEET_COLUMNS:,} columns:"
                " write CSV or Parquet"
            )
        for column, cell in enumerate(cells):
            self._write_cell(column, cell)
        self._n_rows += 1

    def _write_cell(self, column: int, cell: object) -> None:
        sheet, row = self._sheet, self._n_rows
        if isinstance(cell, bool):
            sheet.write_boolean(row, column, cell)
        elif isinstance(cell, (int, float)) and abs(cell) <= MAX_NUMBER:
            sheet.write_number(row, column, cell)
        elif isinstance(cell, datetime):
            sheet.write_datetime(row, column, cell, self._moment)
        elif isinstance(cell, date):
            sheet.write_datetime(row, column, cell, self._date)
        elif text := to_cell(cell):
            if len(text) > MAX_CELL_CHARS:
                raise TableError(
                    f"a cell holds at most {MAX_CELL_CHARS:,} characters: write CSV or Parquet",
                    row=row,
                )
            sheet.write_string(row, column, text)

"""Opening a table of any kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from menpai.errors import TableError
from menpai.tables.kinds import format_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from menpai.tables.rows import Row, Table


def open_table(path: Path) -> Table:
    """Open a table by its ending.

    Raises:
        TableError: If there is no such file, it is a folder or a pipe, or it is no table of the
            kind that its ending names.
        MissingExtraError: If it is an XLSX file and the extra is not installed.
        StorageError: If the file cannot be read.
    """
    if path.exists() and not path.is_file():
        raise TableError(f"{path} is no regular file: a table is read more than once")
    form = format_of(path)
    # Each kind is loaded when it is met: polars takes longer to load than a small file to read.
    if form.kind == "jsonl":
        from menpai.tables.jsonlines import JsonLinesTable

        return JsonLinesTable(path, form)
    if form.kind == "parquet":
        from menpai.tables.parquet import ParquetTable

        return ParquetTable(path)
    if form.kind == "xlsx":
        from menpai.tables.excel import ExcelTable

        return ExcelTable(path)
    from menpai.tables.delimited import DelimitedTable

    return DelimitedTable(path, form)


def good_rows(table: Table) -> Iterator[Row]:
    """Rows of a table without the bad ones."""
    for chunk in table.chunks(1000):
        yield from chunk.rows

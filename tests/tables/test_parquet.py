"""Reading Parquet."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from menpai.errors import StorageError, TableError
from menpai.tables import parquet
from menpai.tables.reading import open_table

Read = Callable[[Path], Any]

ROWS = [
    {"id": number, "day": date(2024, 5, 1), "place": {"road": "望澜路", "tags": ["a", "b"]}}
    for number in range(7)
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A Parquet file with nested columns."""
    found = tmp_path / "a.parquet"
    pl.DataFrame(ROWS).write_parquet(found)
    return found


def test_values_are_kept(path: Path, read: Read) -> None:
    """Dates stay dates and structs stay nested."""
    assert read(path) == (ROWS, {})


def test_slices_join_seamlessly(path: Path, read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are the same however many are taken at once."""
    monkeypatch.setattr(parquet, "SLICE_ROWS", 3)
    assert read(path) == (ROWS, {})


def test_columns_and_progress(path: Path) -> None:
    """Columns come from the file, and the share that was read grows."""
    table = open_table(path)
    assert table.columns == ("id", "day", "place")
    fractions = [table.fraction for _ in table.chunks(3)]
    assert fractions == [3 / 7, 6 / 7, 1]


def test_a_table_without_rows(tmp_path: Path, read: Read) -> None:
    """No rows is nothing special."""
    path = tmp_path / "a.parquet"
    pl.DataFrame({"a": []}, schema={"a": pl.String}).write_parquet(path)
    assert read(path) == ([], {})
    assert open_table(path).fraction == 1


def test_what_is_no_parquet_is_refused(tmp_path: Path) -> None:
    """The message names the file."""
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1 or not")
    with pytest.raises(TableError, match=r"a\.parquet is not a Parquet file"):
        open_table(path)


def test_missing_file_and_pattern(path: Path) -> None:
    """A name is a name, never a pattern for several files."""
    with pytest.raises(TableError, match="cannot read"):
        open_table(path.with_name("*.parquet"))


def test_damaged_file_is_refused(path: Path, read: Read) -> None:
    """Rows that cannot be unpacked are an error of the table."""
    content = bytearray(path.read_bytes())
    content[4:200] = b"\xff" * 196
    path.write_bytes(content)
    with pytest.raises(TableError, match=r"a\.parquet is damaged"):
        read(path)


def test_unreadable_file_is_a_storage_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the system refuses is not the caller's mistake."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(StorageError, match="Permission denied"):
        open_table(path)

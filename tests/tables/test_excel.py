"""Reading and writing XLSX."""

import struct
import sys
import zipfile
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

from menpai.errors import MissingExtraError, TableError
from menpai.tables import excel
from menpai.tables.excel import new_sheet
from menpai.tables.reading import open_table

Read = Callable[[Path], Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A path for a workbook."""
    return tmp_path / "a.xlsx"


def test_cells_go_there_and_back(path: Path, read: Read) -> None:
    """Texts, numbers, dates and truth values keep their types; nothing stays nothing."""
    moment = datetime(2024, 5, 1, 8, 30)  # noqa: DTZ001 -- a sheet has no zones
    with new_sheet(path) as sheet:
        sheet.write(["text", "zip", "n", "x", "day", "at", "yes", "none"])
        sheet.write(["望澜路88号", "007", 3, 0.5, date(2024, 5, 1), moment, True, None])
        sheet.write(["http://a.example", "1", 4, 1.5, date(2024, 5, 2), moment, False, "x"])
    (first, second), bad = read(path)
    assert first == {
        "text": "望澜路88号",
        "zip": "007",
        "n": 3,
        "x": 0.5,
        "day": date(2024, 5, 1),
        "at": moment,
        "yes": True,
        "none": None,
    }
    assert second["text"] == "http://a.example"
    assert not bad


def test_formulas_and_long_numbers_are_texts(path: Path, read: Read) -> None:
    """No cell becomes a formula, and no long number loses digits."""
    with new_sheet(path) as sheet:
        sheet.write(["a", "b"])
        sheet.write(["=1+1", 123456789012345678])
    assert read(path)[0] == [{"a": "'=1+1", "b": "123456789012345678"}]


def test_limits_of_a_sheet(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not fit is refused, not cut."""
    monkeypatch.setattr(excel, "MAX_SHEET_ROWS", 2)
    with new_sheet(path) as sheet:
        with pytest.raises(TableError, match="32,767 characters") as caught:
            sheet.write(["x" * 40_000])
        sheet.write(["a"])
        sheet.write(["b"])
        with pytest.raises(TableError, match="at most 2 rows"):
            sheet.write(["c"])
    assert caught.value.row == 0


def test_workbook_that_unpacks_to_too_much_is_refused(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small file that would fill the memory is not unpacked."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 5_000_000)
    assert path.stat().st_size < 10_000
    monkeypatch.setattr(excel, "MAX_UNPACKED_BYTES", 4_000_000)
    with pytest.raises(TableError, match="unpacks to more than 4,000,000 bytes"):
        open_table(path)


def test_workbook_that_lies_about_its_size_is_refused(path: Path) -> None:
    """A declared size that is too small is found out before the workbook is read."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.xml", b" " * 5_000_000)
    content = path.read_bytes().replace(struct.pack("<I", 5_000_000), struct.pack("<I", 1000))
    path.write_bytes(content)
    with pytest.raises(TableError, match="not an XLSX workbook"):
        open_table(path)


def test_sheet_with_far_corners_is_refused(path: Path) -> None:
    """A sheet is read as a full rectangle: few bytes can ask for all memory."""
    book = xlsxwriter.Workbook(str(path))
    sheet = book.add_worksheet()
    sheet.write(0, 0, "a")
    sheet.write(excel.MAX_SHEET_ROWS - 1, excel.MAX_SHEET_COLUMNS - 1, "b")
    book.close()
    assert path.stat().st_size < 10_000
    with pytest.raises(TableError, match="more than 33,554,432 cells"):
        open_table(path)


def test_large_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The packed size has a limit too."""
    monkeypatch.setattr(excel, "MAX_PACKED_BYTES", 10)
    path.write_bytes(b"x" * 11)
    with pytest.raises(TableError, match="at most 10 are read"):
        open_table(path)


def test_what_is_no_workbook_is_refused(path: Path) -> None:
    """Neither other bytes nor a zip file of other things is a workbook."""
    path.write_bytes(b"no zip")
    with pytest.raises(TableError, match="not an XLSX workbook"):
        open_table(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(TableError, match="cannot be read as XLSX"):
        open_table(path)


def test_empty_sheet_is_refused(path: Path) -> None:
    """Without a head line there are no columns."""
    with new_sheet(path):
        pass
    with pytest.raises(TableError, match="no head line"):
        open_table(path)


def test_missing_file(path: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(TableError, match=r"a\.xlsx"):
        open_table(path)


def test_missing_packages_are_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the extra the message is the line that installs it."""
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(MissingExtraError, match=r'pip install "menpai\[excel\]"'):
        open_table(path)


def test_unwritable_place(tmp_path: Path) -> None:
    """A workbook that cannot be written is an error of the system like others."""

    def write() -> None:
        with new_sheet(tmp_path / "no" / "a.xlsx") as sheet:
            sheet.write(["a"])

    with pytest.raises(OSError, match="no"):
        write()

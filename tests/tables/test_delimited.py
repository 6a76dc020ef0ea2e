"""Reading CSV and TSV."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from menpai.errors import TableError
from menpai.tables.delimited import DelimitedTable
from menpai.tables.kinds import format_of

Read = Callable[[Path], Any]


def table(path: Path, content: str, encoding: str = "utf-8") -> DelimitedTable:
    """Write a file and open it."""
    path.write_bytes(content.encode(encoding))
    return DelimitedTable(path, format_of(path))


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiter_is_sniffed(tmp_path: Path, delimiter: str, read: Read) -> None:
    """The delimiter that splits rows like the head is taken."""
    path = tmp_path / "a.csv"
    lines = [["id", "address"], ["1", "望澜路88号"], ["2", "文瑞路9号"]]
    path.write_text("\n".join(delimiter.join(line) for line in lines), encoding="utf-8")
    rows, bad = read(path)
    assert rows == [{"id": "1", "address": "望澜路88号"}, {"id": "2", "address": "文瑞路9号"}]
    assert not bad


def test_other_delimiters_inside_texts(tmp_path: Path) -> None:
    """Commas in every address do not hide the semicolon between the columns."""
    found = table(tmp_path / "a.csv", "id;address;note\n1;北京,朝阳,望澜路;x\n2;上海,a,b,c;y\n")
    assert found.delimiter == ";"


def test_one_column(tmp_path: Path, read: Read) -> None:
    """A file of one column needs no delimiter, and a pipe in one row is none."""
    path = tmp_path / "a.csv"
    path.write_text("address\n望澜路88号\n文瑞路|9号\n", encoding="utf-8")
    assert read(path)[0] == [{"address": "望澜路88号"}, {"address": "文瑞路|9号"}]


def test_tsv_is_split_at_tabs_only(tmp_path: Path) -> None:
    """In a TSV file a comma is a character like others."""
    assert table(tmp_path / "a.tsv", "a,b\n1,2\n").columns == ("a,b",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "gb18030"])
def test_encodings(tmp_path: Path, encoding: str, read: Read) -> None:
    """The byte order mark is no part of the first column's name."""
    path = tmp_path / "a.csv"
    path.write_bytes("地址,编号\r\n望澜路88号,007\r\n".encode(encoding))
    assert read(path)[0] == [{"地址": "望澜路88号", "编号": "007"}]


def test_quoted_newlines_and_quotes(tmp_path: Path, read: Read) -> None:
    """A quoted cell may hold newlines, delimiters and quotes; blank lines are no rows."""
    path = tmp_path / "a.csv"
    path.write_bytes(b'a,b\n"x\r\ny\nz","q""q,"\n\n\n1,2\n')
    assert read(path) == ([{"a": "x\r\ny\nz", "b": 'q"q,'}, {"a": "1", "b": "2"}], {})


def test_ragged_rows_are_bad(tmp_path: Path, read: Read) -> None:
    """A row with too few or too many cells is an error of that row alone."""
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3\n4,5,6\n7,8\n", encoding="utf-8")
    rows, bad = read(path)
    assert [row["a"] for row in rows] == ["1", "7"]
    assert {number: str(error) for number, error in bad.items()} == {
        2: "the row has 1 cells, the head 2",
        3: "the row has 3 cells, the head 2",
    }
    assert bad[3].row == 3


def test_undecodable_row_is_bad(tmp_path: Path, read: Read) -> None:
    """A damaged character costs its row only."""
    path = tmp_path / "a.csv"
    path.write_bytes("a,b\n望澜路八十八号,杭州市西湖区\n".encode() + b"\xe5\xbb,2\n" + b"3,4\n")
    rows, bad = read(path)
    assert [row["b"] for row in rows] == ["杭州市西湖区", "4"]
    assert list(bad) == [2]
    assert "not utf-8" in str(bad[2])


def test_quote_that_is_never_closed(tmp_path: Path, read: Read) -> None:
    """A lost quote swallows at most 128 KiB, then rows are read again."""
    path = tmp_path / "a.csv"
    path.write_text('a,b\n"1,2\n' + "3,4\n" * 50_000, encoding="utf-8")
    rows, bad = read(path)
    assert list(bad) == [1]
    assert "field larger than field limit" in str(bad[1])
    assert len(rows) > 15_000
    assert rows[-1] == {"a": "3", "b": "4"}


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_empty_file_is_refused(tmp_path: Path, content: str) -> None:
    """Without a head line there are no columns."""
    with pytest.raises(TableError, match="no head line"):
        table(tmp_path / "a.csv", content)


def test_head_without_rows(tmp_path: Path, read: Read) -> None:
    """A table may have no rows."""
    path = tmp_path / "a.csv"
    path.write_text("a,b\n", encoding="utf-8")
    assert read(path) == ([], {})


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    """One of them would be lost."""
    with pytest.raises(TableError, match="two columns 'b'"):
        table(tmp_path / "a.csv", "a,b,b\n1,2,3\n")


def test_columns_and_types(tmp_path: Path) -> None:
    """Every column is text: a postcode keeps its zero."""
    found = table(tmp_path / "a.csv", "a,b\n01,2\n")
    assert found.columns == ("a", "b")
    assert found.types() == {"a": "text", "b": "text"}


def test_chunks_number_rows_from_one(tmp_path: Path) -> None:
    """Chunks have the asked size, bad rows included, and each row its number in the table."""
    found = table(tmp_path / "a.csv", "a,b\n1,2\n3\n4,5\n6,7\n8,9\n")
    chunks = list(found.chunks(2))
    assert [chunk.n_rows for chunk in chunks] == [2, 2, 1]
    assert [chunk.numbers for chunk in chunks] == [[1], [3, 4], [5]]
    assert [bad.number for bad in chunks[0].bad] == [2]
    assert found.fraction == 1


@pytest.mark.parametrize("quoted", [200_000])
def test_head_that_cannot_be_read(tmp_path: Path, quoted: int) -> None:
    """A head that is no CSV is refused with the reason."""
    with pytest.raises(TableError, match="head line cannot be read"):
        table(tmp_path / "a.csv", '"' + "x" * quoted)

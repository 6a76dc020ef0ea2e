"""Opening tables."""

from pathlib import Path

import pytest

from menpai.errors import TableError
from menpai.tables.reading import good_rows, open_table
from menpai.tables.rows import require_columns


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A small table with one bad row."""
    found = tmp_path / "a.csv"
    found.write_text("a,b\n1,2\n3\n4,5\n", encoding="utf-8")
    return found


def test_good_rows(path: Path) -> None:
    """Bad rows are left out."""
    assert [row["a"] for row in good_rows(open_table(path))] == ["1", "4"]


def test_missing_column_lists_the_others(path: Path) -> None:
    """Whoever mistypes a column sees what there is."""
    require_columns(open_table(path), ["b", "a"], "the input")
    with pytest.raises(TableError, match="the input has no column 'c'; it has: 'a', 'b'") as caught:
        require_columns(open_table(path), ["a", "c"], "the input")
    assert caught.value.field == "c"


def test_unknown_kind_is_refused(tmp_path: Path) -> None:
    """The ending is looked at first."""
    with pytest.raises(TableError, match=r"a\.doc"):
        open_table(tmp_path / "a.doc")


def test_folder_is_refused(tmp_path: Path) -> None:
    """A folder, or a pipe, cannot be read more than once; opening a pipe would wait for ever."""
    folder = tmp_path / "a.csv"
    folder.mkdir()
    with pytest.raises(TableError, match=r"a\.csv is no regular file"):
        open_table(folder)

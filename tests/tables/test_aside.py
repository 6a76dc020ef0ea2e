"""Writing aside."""

from pathlib import Path

import pytest

from menpai.errors import StorageError, TableError
from menpai.tables.aside import check_target, written_aside


def test_file_appears_whole(tmp_path: Path) -> None:
    """Until it is finished the old file stays; then the new one is there and nothing else."""
    path = tmp_path / "out.csv"
    path.write_text("old", encoding="utf-8")
    with written_aside(path) as aside:
        aside.write_text("new", encoding="utf-8")
        assert aside == tmp_path / ".out.csv.partial"
        assert path.read_text(encoding="utf-8") == "old"
    assert path.read_text(encoding="utf-8") == "new"
    assert list(tmp_path.iterdir()) == [path]


def test_failure_leaves_the_old_file(tmp_path: Path) -> None:
    """Nothing half-written is left behind."""
    path = tmp_path / "out.csv"
    path.write_text("old", encoding="utf-8")

    def fail() -> None:
        with written_aside(path) as aside:
            aside.write_text("half", encoding="utf-8")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_unwritable_place_is_a_storage_error(tmp_path: Path) -> None:
    """The message names the file that was wanted."""
    with (
        pytest.raises(StorageError, match=r"out\.csv"),
        written_aside(tmp_path / "no" / "out.csv") as a,
    ):
        a.write_text("x", encoding="utf-8")


def test_target_must_not_be_a_source(tmp_path: Path) -> None:
    """The input is not overwritten, under whatever name."""
    source = tmp_path / "in.csv"
    source.write_text("a\n", encoding="utf-8")
    link = tmp_path / "link.csv"
    link.symlink_to(source)
    check_target(tmp_path / "out.csv", {"the input": source})
    for target in (source, link, tmp_path / "." / "in.csv"):
        with pytest.raises(TableError, match="is the input"):
            check_target(target, {"the input": source})


def test_target_needs_a_folder(tmp_path: Path) -> None:
    """A missing folder is not made, and a folder is no file."""
    with pytest.raises(TableError, match="no folder"):
        check_target(tmp_path / "no" / "out.csv", {})
    with pytest.raises(TableError, match="is a folder"):
        check_target(tmp_path, {})

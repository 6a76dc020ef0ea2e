"""Detecting encodings."""

import gzip
from pathlib import Path

import pytest

from menpai.errors import StorageError, TableError
from menpai.tables import encoding
from menpai.tables.encoding import TextFile, is_clean

TEXT = "address\n浙江省杭州市西湖区文瑞路912号翠湖花园3幢\n龘靐路5号\n"


def read(path: Path, *, gzipped: bool = False) -> str:
    """Whole text of a file."""
    with TextFile(path, gzipped=gzipped).open() as text:
        return text.read()


@pytest.mark.parametrize("name", ["utf-8", "utf-8-sig", "utf-16", "gb18030", "gbk"])
@pytest.mark.parametrize("gzipped", [False, True])
def test_encoding_is_detected(tmp_path: Path, name: str, *, gzipped: bool) -> None:
    """UTF-8, UTF-16 with mark and GB18030 are told apart, compressed or not."""
    text = TEXT if name != "gbk" else TEXT.replace("龘靐", "龙井")
    path = tmp_path / "a.csv"
    path.write_bytes(gzip.compress(text.encode(name)) if gzipped else text.encode(name))
    assert read(path, gzipped=gzipped) == text


def test_big_endian_utf16(tmp_path: Path) -> None:
    """The mark tells the order of the bytes."""
    path = tmp_path / "a.csv"
    path.write_bytes("\ufeff路".encode("utf-16-be"))
    assert read(path) == "路"


def test_first_wide_character_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A head of ASCII that is longer than the sample does not hide GB18030."""
    monkeypatch.setattr(encoding, "SAMPLE_BYTES", 16)
    path = tmp_path / "a.csv"
    path.write_bytes(b"id,address\n" * 20 + "1,望澜路88号\n".encode("gb18030"))
    assert read(path).endswith("1,望澜路88号\n")


def test_character_on_the_edge_of_the_sample(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sample that ends inside a character is still UTF-8."""
    monkeypatch.setattr(encoding, "SAMPLE_BYTES", 7)
    path = tmp_path / "a.csv"
    path.write_bytes("望澜路88号".encode())
    assert read(path) == "望澜路88号"


def test_one_bad_byte_does_not_change_the_encoding(tmp_path: Path) -> None:
    """UTF-8 with a damaged row stays UTF-8; that row is not clean."""
    path = tmp_path / "a.csv"
    path.write_bytes("望澜路八十八号\n".encode() * 9 + b"\xe5\xbb\n" + "朝阳门外大街".encode())
    lines = read(path).splitlines()
    assert lines[0] == "望澜路八十八号"
    assert [is_clean(line) for line in lines] == [True] * 9 + [False, True]


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\0\0\xff\xd8", b"a\0b\0", b"\xff\x81\xff" * 40])
def test_what_is_no_text_is_refused(tmp_path: Path, content: bytes) -> None:
    """Bytes of no known encoding are not read as nonsense."""
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(TableError, match="neither UTF-8 nor GB18030"):
        TextFile(path, gzipped=False)


@pytest.mark.parametrize("content", [b"no gzip", gzip.compress(TEXT.encode() * 99)[:-30]])
def test_broken_gzip_is_refused(tmp_path: Path, content: bytes) -> None:
    """A file that is no gzip, or lacks its end, is an error of the table."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(content)
    with pytest.raises(TableError, match="not a whole gzip file"):
        read(path, gzipped=True)


def test_missing_file_is_named(tmp_path: Path) -> None:
    """A file that is not there is the caller's mistake."""
    with pytest.raises(TableError, match=r"nowhere\.csv"):
        TextFile(tmp_path / "nowhere.csv", gzipped=False)


def test_unreadable_file_is_a_storage_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system refuses is not the caller's mistake, while a folder for a file is."""

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    with pytest.raises(TableError):
        TextFile(tmp_path, gzipped=False)
    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(StorageError, match="Permission denied"):
        TextFile(tmp_path / "a.csv", gzipped=False)


def test_damaged_utf16_is_refused(tmp_path: Path) -> None:
    """UTF-16 that ends inside a character is an error of the table, not a crash."""
    path = tmp_path / "a.csv"
    path.write_bytes("路".encode("utf-16") + b"\x00")
    with pytest.raises(TableError, match="damaged"):
        read(path)


def test_fraction_grows_to_one(tmp_path: Path) -> None:
    """The share read is known while a file is read."""
    path = tmp_path / "a.csv"
    path.write_text("望澜路\n" * 100_000, encoding="utf-8")
    file = TextFile(path, gzipped=False)
    with file.open() as text:
        text.readline()
        early = file.fraction
        text.read()
        assert 0 < early < file.fraction == 1
    assert file.fraction == 1

"""Reading tagged texts."""

import gzip
from pathlib import Path

import pytest

from menpai.errors import TableError
from menpai.evaluation.conll import Tagged, read_conll
from menpai.evaluation.spans import Span

CITY_AND_ROAD = Tagged("杭州文瑞路", (Span("city", 0, 2), Span("road", 2, 5)))


def conll(text: str, tags: str) -> str:
    """Lines of one text, a tag for each character."""
    return "".join(
        f"{character} {tag}\n" for character, tag in zip(text, tags.split(), strict=True)
    )


BIOES = conll("杭州文瑞路", "B-city E-city B-road I-road E-road")
BIO = conll("杭州文瑞路", "B-city I-city B-road I-road I-road")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file to write to."""
    return tmp_path / "tagged.conll"


@pytest.mark.parametrize("written", [BIOES, BIO])
def test_schemes(file: Path, written: str) -> None:
    """BIOES and BIO mean the same spans."""
    file.write_text(written, encoding="utf-8")
    assert list(read_conll(file)) == [CITY_AND_ROAD]


def test_single_and_outside(file: Path) -> None:
    """S is a whole span, O is in none, and B begins a span beside one of its kind."""
    file.write_text(conll("店在路路", "S-poi O B-road B-road"), encoding="utf-8")
    assert list(read_conll(file)) == [
        Tagged("店在路路", (Span("poi", 0, 1), Span("road", 2, 3), Span("road", 3, 4)))
    ]


def test_tokens_of_several_characters(file: Path) -> None:
    """Spans count characters, also where a number is one token; a token may be a blank."""
    file.write_text("832 B-roadno\n号 I-roadno\n  O\n店\tB-poi\n", encoding="utf-8")
    spans = (Span("roadno", 0, 4), Span("poi", 5, 6))
    assert list(read_conll(file)) == [Tagged("832号 店", spans)]


@pytest.mark.parametrize("end", ["", "\n", "\n\n \n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_blank_lines_part_texts(file: Path, end: str, newline: str) -> None:
    """Any number of blank lines stands between two texts, and at the end of the file."""
    written = f"{BIOES}\n\n{BIO}{end}".replace("\n", newline)
    file.write_bytes(written.encode())
    assert list(read_conll(file)) == [CITY_AND_ROAD] * 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
def test_encodings(file: Path, encoding: str) -> None:
    """The encoding is detected."""
    file.write_bytes(BIOES.encode(encoding))
    assert list(read_conll(file)) == [CITY_AND_ROAD]


def test_gzip(tmp_path: Path) -> None:
    """A file whose name ends in .gz is unpacked."""
    file = tmp_path / "tagged.conll.gz"
    file.write_bytes(gzip.compress(BIO.encode()))
    assert list(read_conll(file)) == [CITY_AND_ROAD]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("路", "no character, blank and tag"),
        ("路 NN B-road", "no character, blank and tag"),
        ("路 road", "'road', not O"),
        ("路 B-", "'B-', not O"),
        ("路 X-road", "'X-road', not O"),
        ("路 I-road", "'I-road', and no span"),
        ("路 E-road", "'E-road', and no span"),
    ],
)
def test_malformed_lines(file: Path, line: str, said: str) -> None:
    """A malformed line is an error with its number, and its text is not repeated."""
    file.write_text(f"{BIOES}\n{line}\n", encoding="utf-8")
    with pytest.raises(TableError, match=rf"line 7 of tagged\.conll .*{said}") as caught:
        list(read_conll(file))
    assert caught.value.row == 7
    assert "路" not in str(caught.value)


@pytest.mark.parametrize("before", ["E-road", "S-road", "O", "B-poi"])
def test_nothing_to_go_on_with(file: Path, before: str) -> None:
    """I goes on with an open span of its own tag only, and never into another text."""
    first = "B-road " if before.startswith("E") else "O "
    file.write_text(conll("文瑞路", f"{first}{before} I-road"), encoding="utf-8")
    with pytest.raises(TableError, match="line 3"):
        list(read_conll(file))
    file.write_text("文 B-road\n\n路 I-road\n", encoding="utf-8")
    with pytest.raises(TableError, match="line 3"):
        list(read_conll(file))


def test_undecodable_line(file: Path) -> None:
    """A byte that the encoding does not know is an error with its line."""
    file.write_bytes(BIOES.encode() * 20 + b"\xff O\n")
    with pytest.raises(TableError, match="line 101"):
        list(read_conll(file))


def test_missing_file(file: Path) -> None:
    """A file that is not there is named."""
    with pytest.raises(TableError, match=r"tagged\.conll"):
        list(read_conll(file))

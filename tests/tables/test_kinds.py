"""Which kind of table a file is."""

from pathlib import Path

import pytest

from menpai.errors import TableError
from menpai.tables.kinds import Format, format_of


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", Format("csv")),
        ("a.CSV", Format("csv")),
        ("a.b.tsv", Format("tsv")),
        ("a.txt", Format("csv")),
        ("a.jsonl", Format("jsonl")),
        ("a.ndjson", Format("jsonl")),
        ("a.parquet", Format("parquet")),
        ("a.xlsx", Format("xlsx")),
        ("a.csv.gz", Format("csv", gzipped=True)),
        ("a.jsonl.gz", Format("jsonl", gzipped=True)),
    ],
)
def test_ending_names_the_format(name: str, form: Format) -> None:
    """The ending decides, in any case, and .gz after a text kind means gzip."""
    assert format_of(Path(name)) == form


@pytest.mark.parametrize("name", ["a.xls", "a", "a.gz", ".gz", "a.json"])
def test_other_endings_are_refused(name: str) -> None:
    """An ending that names no kind is refused with those that do."""
    with pytest.raises(TableError, match=r"\.csv, \.tsv, \.jsonl, \.parquet, \.xlsx"):
        format_of(Path(name))


@pytest.mark.parametrize("name", ["a.parquet.gz", "a.xlsx.gz"])
def test_only_text_is_gzipped(name: str) -> None:
    """Parquet and XLSX are compressed already."""
    with pytest.raises(TableError, match="only csv, tsv, jsonl"):
        format_of(Path(name))

"""`menpai match`."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Menpai = Callable[..., Any]
WriteLines = Callable[..., Path]
ReadLines = Callable[[str], Any]

LIBRARY = [
    "code,place",
    "A7,浙江省杭州市西湖区文瑞路912号翠湖花园",
    "B8,北京市朝阳区望澜路88号",
    "C9,北京市朝阳区望澜路90号",
]


@pytest.fixture
def command(write_lines: WriteLines) -> list[str]:
    """A command that looks two addresses up in a library of three."""
    write_lines("library.csv", LIBRARY)
    write_lines("in.csv", ["id,where", "1,北京朝阳望澜路八十八号", "2,杭州市西湖区文瑞路912号"])
    return [
        *("match", "--in", "in.csv", "--column", "where"),
        *("--library", "library.csv", "--library-column", "place", "--out"),
    ]


def test_records_are_found(menpai: Menpai, command: list[str], read_lines: ReadLines) -> None:
    """Each query has its status and its best records; a record's id is its row number."""
    assert menpai(*command, "out.jsonl").code == 0
    first, second = read_lines("out.jsonl")
    assert list(first) == ["id", "where", "query", "status", "matches", "error"]
    assert (first["query"], first["status"]) == ("北京朝阳望澜路八十八号", "matched")
    best = first["matches"][0]
    assert (best["record_id"], best["text"], best["rank"]) == ("2", "北京市朝阳区望澜路88号", 1)
    assert second["matches"][0]["record_id"] == "1"


def test_record_ids_and_top_k(menpai: Menpai, command: list[str], read_lines: ReadLines) -> None:
    """Ids come from their column, and no more records than asked for."""
    menpai(*command, "out.jsonl", "--library-id", "code", "--top-k", 1)
    assert [[hit["record_id"] for hit in row["matches"]] for row in read_lines("out.jsonl")] == [
        ["B8"],
        ["A7"],
    ]


def test_csv_has_columns_for_each_rank(menpai: Menpai, command: list[str]) -> None:
    """The best records stand beside the query."""
    menpai(*command, "out.csv", "--library-id", "code", "--top-k", 2)
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        first, _ = csv.DictReader(file)
    assert first["matches.1.record_id"] == "B8"
    assert first["matches.1.label"] == "exact_match"
    assert json.loads(first["matches.1.right"])["road"] == "望澜路"
    assert "matches.2.score" in first
    assert "matches.3.score" not in first


def test_column_called_query_is_the_query(
    menpai: Menpai, command: list[str], write_lines: WriteLines, read_lines: ReadLines
) -> None:
    """It holds the same text, so that it stands for the result."""
    write_lines("in.csv", ["query,b", "北京朝阳望澜路88号,x"])
    command[4] = "query"
    assert menpai(*command, "out.jsonl").code == 0
    assert list(read_lines("out.jsonl")[0]) == ["query", "b", "status", "matches", "error"]
    command[4] = "query,b"
    assert menpai(*command, "out.jsonl").code == 2


def test_status_is_taken(menpai: Menpai, command: list[str], write_lines: WriteLines) -> None:
    """A column called like another result is refused."""
    write_lines("in.csv", ["where,status", "北京朝阳望澜路88号,x"])
    assert menpai(*command, "out.jsonl").code == 2
    assert menpai(*command, "out.jsonl", "--prefix", "m_").code == 0


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["code,place", "A,望澜路8号", "B,"],
            "library.csv, row 2: there is no text in column 'place'",
        ),
        (["code,place", "A,望澜路8号", "B"], "library.csv, row 2"),
        (["code,place", "A,望澜路8号", "A,望澜路9号"], "A"),
        (["code,place"], ""),
        (["code,plaza", "A,b"], "library.csv has no column 'place'"),
    ],
)
def test_library_must_be_whole(
    menpai: Menpai, command: list[str], write_lines: WriteLines, lines: list[str], message: str
) -> None:
    """A reference with a hole is refused rather than searched."""
    write_lines("library.csv", lines)
    ended = menpai(*command, "out.jsonl", "--library-id", "code")
    assert ended.code == 2
    assert message in ended.err


def test_library_is_part_of_the_job(
    menpai: Menpai, command: list[str], write_lines: WriteLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An interrupted job is not continued with another library."""
    from menpai.matching.matcher import Matcher

    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Matcher, "match", interrupt)
        assert menpai(*command, "out.jsonl").code == 130
    write_lines("library.csv", LIBRARY[:-1])
    assert "starting afresh" in menpai(*command, "out.jsonl").err


def test_failed_queries_are_rows_that_failed(
    menpai: Menpai, command: list[str], read_lines: ReadLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A query with an error is listed like a row with an error."""
    from menpai.matching.matcher import Matcher

    real = Matcher._match

    def fail(self: Matcher, query: str, *rest: Any) -> Any:
        if "文瑞路" in query:
            raise KeyError(query)
        return real(self, query, *rest)

    monkeypatch.setattr(Matcher, "_match", fail)
    assert menpai(*command, "out.jsonl").code == 3
    (error,) = read_lines("out.jsonl.errors.jsonl")
    assert (error["row"], error["id"]) == (2, "2")
    assert "文瑞路" not in json.dumps(error, ensure_ascii=False)


@pytest.mark.parametrize("left_out", ["--in", "--column", "--library", "--library-column"])
def test_wrong_usage(menpai: Menpai, command: list[str], left_out: str) -> None:
    """Everything but the options is needed."""
    at = command.index(left_out)
    assert menpai(*command[:at], *command[at + 2 :], "out.jsonl").code == 2


@pytest.mark.parametrize("out", ["out.jsonl", "-"])
def test_missing_library_is_named(menpai: Menpai, command: list[str], out: str) -> None:
    """A library that is not there is the caller's mistake."""
    Path("library.csv").unlink()
    ended = menpai(*command, out)
    assert ended.code == 2
    assert "library.csv" in ended.err


def test_output_is_not_the_library(menpai: Menpai, command: list[str]) -> None:
    """The library is not overwritten either."""
    ended = menpai(*command, "library.csv")
    assert ended.code == 2
    assert "is the library" in ended.err


@pytest.mark.parametrize(
    ("option", "value", "attribute", "expected"),
    [
        ("--policy", "ccks", "policy", "ccks"),
        ("--match-at", "0.7", "match_at", 0.7),
        ("--default-region", "杭州市", "default_region", "杭州市"),
        ("--as-of", "2010", "as_of", 2010),
    ],
)
def test_options_reach_the_matcher(
    menpai: Menpai,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    *,
    option: str,
    value: str,
    attribute: str,
    expected: object,
) -> None:
    """No option is ignored."""
    from menpai.matching.matcher import Matcher

    real, seen = Matcher.match, []

    def match(self: Matcher, *arguments: Any, **options: Any) -> Any:
        seen.append(getattr(self, attribute))
        return real(self, *arguments, **options)

    monkeypatch.setattr(Matcher, "match", match)
    menpai(*command, "out.jsonl", option, value)
    assert seen == [expected]

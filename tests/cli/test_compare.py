"""`menpai compare`."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from menpai.cli.compare import address_names
from menpai.jobs.results import COMPARISON

Menpai = Callable[..., Any]
WriteLines = Callable[..., Path]
ReadLines = Callable[[str], Any]

LEFT = "浙江省杭州市西湖区文瑞路912号翠湖花园3幢2单元501室"
RIGHT = "杭州西湖区文瑞路912號翠湖花园３栋2-501"
OTHER = "杭州西湖区文瑞路912号翠湖花园5幢2单元501室"


def test_verdict_for_people(menpai: Menpai) -> None:
    """Label, score, level, and a line for each reason."""
    ended = menpai("compare", LEFT, RIGHT)
    assert ended.code == 0
    head, *lines = ended.out.splitlines()
    assert head.startswith("exact_match  match, score 0.")
    assert "room" in head
    assert any(line.split()[:4] == ["roadno", "912号", "912号", "equal"] for line in lines)


def test_flags_for_people(menpai: Menpai) -> None:
    """What is odd about a pair is told."""
    ended = menpai("compare", "杭州市西湖区文瑞路912号翠湖花园", "文瑞路914号翠湖花园")
    assert "flags: number_conflict" in ended.out


def test_json(menpai: Menpai) -> None:
    """The contract."""
    ended = menpai("compare", LEFT, OTHER, "--json")
    assert list(ended.json) == list(COMPARISON)
    assert ended.json["label"] == "not_match"


def test_policy(menpai: Menpai) -> None:
    """The benchmark's habit calls another building of the compound a partial match."""
    ended = menpai("compare", LEFT, OTHER, "--json", "--policy", "ccks")
    assert ended.json["label"] == "partial_match"


@pytest.mark.parametrize(
    ("match_at", "match"), [("exact", False), ("partial", True), ("0.01", True), ("0.99", False)]
)
def test_match_at(menpai: Menpai, match_at: str, *, match: bool) -> None:
    """A label or a score decides what a match is."""
    ended = menpai("compare", LEFT, OTHER, "--policy", "ccks", "--match-at", match_at, "--json")
    assert ended.json["match"] is match


def test_default_region(menpai: Menpai) -> None:
    """The region reaches the parser."""
    ended = menpai("compare", "文瑞路1号", "文瑞路1号", "--json", "--default-region", "杭州市")
    assert ended.json["left"]["city"] == "杭州市"


@pytest.mark.parametrize(
    "arguments",
    [
        [LEFT],
        [],
        [LEFT, RIGHT, "--in", "in.csv"],
        [LEFT, RIGHT, "--left", "a"],
        [LEFT, RIGHT, "--right", "a"],
        [LEFT, RIGHT, "--out", "out.csv"],
        [LEFT, RIGHT, "--limit", "1"],
        [LEFT, RIGHT, "--policy", "nonsense"],
        [LEFT, RIGHT, "--match-at", "2"],
        [LEFT, RIGHT, "--match-at", "nonsense"],
        [LEFT, RIGHT, "--as-of", "nonsense"],
    ],
)
def test_wrong_usage(menpai: Menpai, arguments: list[str]) -> None:
    """What cannot be meant is refused."""
    ended = menpai("compare", *arguments)
    assert ended.code == 2
    assert ended.err


def test_table_gets_the_comparison(
    menpai: Menpai, write_lines: WriteLines, read_lines: ReadLines
) -> None:
    """Columns are kept and the comparison's keys added."""
    row = {"id": "1", "kind": "pair", "input": LEFT, "input2": RIGHT, "expected": {"label": "same"}}
    write_lines("in.jsonl", [row, {"id": "2", "kind": "parse", "input": LEFT}])
    ended = menpai(
        *("compare", "--in", "in.jsonl", "--left", "input", "--right", "input2"),
        *("--out", "out.jsonl"),
    )
    assert ended.code == 3  # the second row is no pair
    (done,) = read_lines("out.jsonl")
    assert list(done) == [*row, *COMPARISON]
    assert {key: done[key] for key in row} == row
    assert done["label"] == "exact_match"
    assert done["left"]["text"] == LEFT
    assert read_lines("out.jsonl.errors.jsonl")[0]["id"] == "2"


def test_compared_columns_called_left_and_right_stay(
    menpai: Menpai, write_lines: WriteLines, read_lines: ReadLines
) -> None:
    """Then the parsed addresses have names of their own."""
    write_lines("in.tsv", ["left\tright", f"{LEFT}\t{RIGHT}"])
    ended = menpai(
        *("compare", "--in", "in.tsv", "--left", "left", "--right", "right", "--out", "out.jsonl")
    )
    assert ended.code == 0
    (done,) = read_lines("out.jsonl")
    assert (done["left"], done["right"]) == (LEFT, RIGHT)
    assert done["left_address"]["text"] == LEFT
    assert done["right_address"]["text"] == RIGHT


@pytest.mark.parametrize("out", ["out.jsonl", "out.csv"])
def test_true_labels_are_not_overwritten(menpai: Menpai, write_lines: WriteLines, out: str) -> None:
    """A column `label` is refused; with a prefix it stays, and so do left and right."""
    write_lines("in.tsv", ["left\tright\tlabel", f"{LEFT}\t{RIGHT}\tnot_match"])
    command = ("compare", "--in", "in.tsv", "--left", "left", "--right", "right", "--out", out)
    ended = menpai(*command)
    assert ended.code == 2
    assert "'label'" in ended.err
    assert menpai(*command, "--prefix", "m_").code == 0
    text = Path(out).read_text(encoding="utf-8")
    if out == "out.jsonl":
        row = json.loads(text)
        assert row["m_left"]["text"] == LEFT
    else:
        (row,) = csv.DictReader(text.splitlines())
        assert row["m_left.text"] == LEFT
        assert float(row["m_probabilities.exact_match"]) > 0.5
        assert json.loads(row["m_reasons"])[0]["element"] == "province"
    assert (row["left"], row["label"], row["m_label"]) == (LEFT, "not_match", "exact_match")


@pytest.mark.parametrize(
    ("compared", "renamed"),
    [(["left", "right"], True), (["left", "b"], True), (["a", "right"], True), (["a", "b"], False)],
)
def test_names_of_parsed_addresses(compared: list[str], *, renamed: bool) -> None:
    """Both are renamed as soon as one would clash, so that they stay a pair."""
    expected = {"left": "left_address", "right": "right_address"} if renamed else {}
    assert address_names(compared) == expected


def test_other_columns_called_left_are_refused(menpai: Menpai, write_lines: WriteLines) -> None:
    """Only compared columns have that right."""
    write_lines("in.jsonl", [{"a": LEFT, "b": RIGHT, "left": 1}])
    ended = menpai("compare", "--in", "in.jsonl", "--left", "a", "--right", "b", "--out", "-")
    assert ended.code == 2


@pytest.mark.parametrize("column", ["left", "right"])
def test_name_and_address(menpai: Menpai, write_lines: WriteLines, column: str) -> None:
    """Either side may be several columns."""
    write_lines("in.jsonl", [{"n": "翠湖花园", "a": "文瑞路912号", "b": RIGHT}])
    sides = {"left": "b", "right": "b", column: "n,a"}
    ended = menpai(
        *("compare", "--in", "in.jsonl", "--left", sides["left"], "--right", sides["right"]),
        *("--out", "-"),
    )
    assert json.loads(ended.out)[column]["text"] == "翠湖花园 文瑞路912号"

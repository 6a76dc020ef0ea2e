"""`menpai evaluate`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Menpai = Callable[..., Any]
WriteLines = Callable[..., Path]

A = "杭州市西湖区文瑞路912号翠湖花园3幢"
B = "杭州市西湖区文瑞路912号翠湖花园5幢"


@pytest.fixture
def pairs(write_lines: WriteLines) -> Path:
    """Three labelled pairs, the third of other buildings."""
    rows = [
        f"{A}\t{A}\texact_match",
        f"{A}\t北京市朝阳区望澜路8号\tnot_match",
        f"{A}\t{B}\tpartial",
    ]
    return write_lines("pairs.tsv", ["left\tright\tlabel", *rows])


def test_pairs_as_json(menpai: Menpai, pairs: Path) -> None:
    """The figures of all pairs."""
    report = menpai("evaluate", "pairs", "--in", pairs, "--json").json
    assert (report["n"], report["n_errors"]) == (3, 0)
    assert report["f1_match"] == 1
    assert report["confusion"]["partial_match"]["not_match"] == 1


def test_pairs_for_people(menpai: Menpai, pairs: Path) -> None:
    """One figure a line."""
    lines = [line.split() for line in menpai("evaluate", "pairs", "--in", pairs).out.splitlines()]
    assert ["f1_match", "1.0000"] in lines
    assert ["n", "3"] in lines


@pytest.mark.parametrize(
    ("options", "key", "value"),
    [
        (["--limit", "2"], "n", 2),
        (["--policy", "ccks"], "macro_f1", 1.0),
        (["--positive", "partial"], "recall_match", 0.5),
        (["--match-at", "0"], "recall_match", 1.0),
        (["--right", "left"], "precision_match", 1 / 3),
        (["--left", "right"], "precision_match", 1 / 3),
    ],
)
def test_options(menpai: Menpai, pairs: Path, options: list[str], key: str, value: float) -> None:
    """Each option changes the figures."""
    report = menpai("evaluate", "pairs", "--in", pairs, "--json", *options).json
    assert report[key] == pytest.approx(value)


def test_label_column(menpai: Menpai, write_lines: WriteLines) -> None:
    """The true label may stand in any column."""
    write_lines("a.csv", ["left,right,truth", f"{A},{A},1"])
    assert menpai("evaluate", "pairs", "--in", "a.csv").code == 2
    assert menpai("evaluate", "pairs", "--in", "a.csv", "--label", "truth").code == 0


def test_cases(menpai: Menpai, write_lines: WriteLines) -> None:
    """Cases are judged by the evaluation's own rules."""
    expected = {"province": "浙江省", "city": "杭州市", "district": "西湖区", "road": "文瑞路"}
    write_lines("c.jsonl", [{"id": "1", "kind": "parse", "input": A, "expected": expected}])
    report = menpai("evaluate", "cases", "--in", "c.jsonl", "--json").json
    assert report["elements"]["road"] == "1/1"


TAGGED = ["文 B-road", "瑞 I-road", "路 E-road", "0 B-roadno", "号 E-roadno"]


def test_elements(menpai: Menpai, write_lines: WriteLines) -> None:
    """The elements of tagged texts, as JSON and one figure a line."""
    write_lines("t.conll", [*TAGGED, "", *TAGGED])
    report = menpai("evaluate", "elements", "--in", "t.conll", "--json").json
    assert (report["micro_f1"], report["n_texts"], report["mapping"]) == (1, 2, "ccks")
    assert report["f1"]["road"] == 1
    assert report["support"]["roadno"] == 2
    lines = menpai("evaluate", "elements", "--in", "t.conll").out.splitlines()
    assert ["micro_f1", "1.0000"] in [line.split() for line in lines]


def test_elements_mapping(menpai: Menpai, write_lines: WriteLines) -> None:
    """The mapping is chosen by name or file, and must have all tags."""
    write_lines("t.conll", TAGGED)
    write_lines("own.json", [{"tags": {"road": "road", "roadno": None}}])
    run = ["evaluate", "elements", "--in", "t.conll", "--json", "--mapping"]
    assert menpai(*run, "naacl").json["mapping"] == "naacl"
    assert menpai(*run, "own.json").json["support"] == {"road": 1}
    write_lines("t.conll", [*TAGGED, "店 S-shop"])
    ended = menpai(*run, "own.json")
    error = json.loads(ended.err)["error"]
    assert (ended.code, error["code"], error["field"]) == (2, "bad_config", "mapping")
    assert "'shop'" in error["message"]


def test_elements_malformed_line(menpai: Menpai, write_lines: WriteLines) -> None:
    """A malformed line ends the command and is named by its number."""
    write_lines("t.conll", [*TAGGED, "店"])
    ended = menpai("evaluate", "elements", "--in", "t.conll", "--json")
    error = json.loads(ended.err)["error"]
    assert (ended.code, error["code"], error["row"]) == (2, "bad_table", 6)


def test_missing_files(menpai: Menpai) -> None:
    """A file that is not there is named."""
    for kind in ("pairs", "elements", "cases"):
        ended = menpai("evaluate", kind, "--in", "no.jsonl")
        assert ended.code == 2
        assert "no.jsonl" in ended.err


def test_missing_column(menpai: Menpai, pairs: Path) -> None:
    """A column that is not there is named, with those that are."""
    ended = menpai("evaluate", "pairs", "--in", pairs, "--label", "truth", "--json")
    error = json.loads(ended.err)["error"]
    assert (ended.code, error["code"], error["field"]) == (2, "bad_table", "truth")
    assert "'left', 'right', 'label'" in error["message"]

"""`menpai parse`."""

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from menpai.jobs.results import ADDRESS

Menpai = Callable[..., Any]
WriteLines = Callable[..., Path]
ReadLines = Callable[[str], Any]

TEXT = "北京市朝阳区望澜路88号"


@pytest.fixture
def table(write_lines: WriteLines) -> Path:
    """A table of two addresses."""
    rows = ["id,name,where", "r1,翠湖花园,浙江省杭州市西湖区文瑞路912号", f"r2,,{TEXT}"]
    return write_lines("in.csv", rows)


def test_elements_for_people(menpai: Menpai) -> None:
    """Each element has a line, with what was written for it."""
    ended = menpai("parse", "北京朝阳区望澜路88号")
    assert ended.code == 0
    lines = [line.split() for line in ended.out.splitlines()]
    assert lines[0] == ["北京朝阳区望澜路88号"]
    assert ["province", "北京市", "北京"] in lines
    assert ["roadno", "88号", "88号"] in lines


def test_flags_and_rest_for_people(menpai: Menpai) -> None:
    """What is odd about a text is told, and several texts are set apart."""
    ended = menpai("parse", "中关村南大街5号", "")
    first, second = ended.out.split("\n\n", 1)
    assert first.startswith("中关村南大街5号\n")
    assert "not_an_address" in second


def test_json_of_one_text(menpai: Menpai) -> None:
    """The contract, on one line."""
    ended = menpai("parse", TEXT, "--json")
    assert list(ended.json) == list(ADDRESS.fields)
    assert ended.json["roadno"] == "88号"
    assert ended.out.count("\n") == 1


def test_json_of_several_texts(menpai: Menpai) -> None:
    """One line for each."""
    ended = menpai("parse", TEXT, "文瑞路912号", "--json")
    assert [json.loads(line)["road"] for line in ended.out.splitlines()] == ["望澜路", "文瑞路"]


def test_default_region(menpai: Menpai) -> None:
    """The region fills what is not written; one that does not exist is refused."""
    assert menpai("parse", "文瑞路912号", "--json").json["city"] is None
    ended = menpai("parse", "文瑞路912号", "--json", "--default-region", "浙江省杭州市")
    assert ended.json["city"] == "杭州市"
    assert menpai("parse", "文瑞路912号", "--default-region", "不存在").code == 2


def test_year(menpai: Menpai, monkeypatch: pytest.MonkeyPatch) -> None:
    """The year reaches the parser."""
    asked = []
    from menpai.address import parse as module

    real = module.parse_batch

    def parse_batch(texts: list[str], **options: Any) -> Any:
        asked.append(options["as_of"])
        return real(texts, **options)

    monkeypatch.setattr(module, "parse_batch", parse_batch)
    menpai("parse", TEXT, "--as-of", 2009)
    assert set(asked) == {2009}


def test_json_lines_get_a_nested_address(
    menpai: Menpai, write_lines: WriteLines, read_lines: ReadLines
) -> None:
    """Input columns are kept as they are, nested ones too, and `address` is added."""
    row = {"id": 1, "text": TEXT, "expected": {"road": ["望澜路"]}}
    write_lines("in.jsonl", [row])
    ended = menpai("parse", "--in", "in.jsonl", "--column", "text", "--out", "out.jsonl")
    assert ended.code == 0
    (done,) = read_lines("out.jsonl")
    assert list(done) == ["id", "text", "expected", "address"]
    assert {key: done[key] for key in row} == row
    assert done["address"]["roadno"] == "88号"


def test_csv_gets_a_column_for_each_element(menpai: Menpai, table: Path) -> None:
    """Cells of the input are untouched; nothing is an empty cell."""
    menpai("parse", "--in", table, "--column", "where", "--out", "out.csv")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        first, second = csv.DictReader(file)
    assert list(first)[:4] == ["id", "name", "where", "address.text"]
    assert first["address.road"] == "文瑞路"
    assert second["name"] == ""
    assert second["address.town"] == ""
    assert json.loads(second["address.spans"])["roadno"] == [9, 12]


def test_parquet_gets_a_nested_address(menpai: Menpai, table: Path) -> None:
    """`address` is a struct."""
    menpai("parse", "--in", table, "--column", "where", "--out", "out.parquet")
    frame = pl.read_parquet("out.parquet")
    assert frame["address"].struct.field("road").to_list() == ["文瑞路", "望澜路"]


def test_xlsx_goes_there_and_back(menpai: Menpai, table: Path) -> None:
    """A workbook is written and can be read again."""
    menpai("parse", "--in", table, "--column", "where", "--out", "a.xlsx")
    ended = menpai("parse", "--in", "a.xlsx", "--column", "where", "--out", "-", "--prefix", "p_")
    assert ended.code == 0
    assert ended.err.startswith("2 rows in ")
    assert [json.loads(line)["address.road"] for line in ended.out.splitlines()] == [
        "文瑞路",
        "望澜路",
    ]


def test_several_columns_are_joined(menpai: Menpai, table: Path, read_lines: ReadLines) -> None:
    """Name and address are one text with a blank between them."""
    menpai("parse", "--in", table, "--column", "where,name", "--out", "out.jsonl")
    assert [row["address"]["text"] for row in read_lines("out.jsonl")] == [
        "浙江省杭州市西湖区文瑞路912号 翠湖花园",
        TEXT,
    ]


def test_column_with_blanks_in_its_name(menpai: Menpai, write_lines: WriteLines) -> None:
    """A single name is taken as it stands: spreadsheets have columns such as "address "."""
    write_lines("in.csv", ["id,where ", f"1,{TEXT}"])
    command = ["parse", "--in", "in.csv", "--out", "o.csv", "--column"]
    assert menpai(*command, "where").code == 2
    assert menpai(*command, "where ").code == 0


def test_limit(menpai: Menpai, table: Path, read_lines: ReadLines) -> None:
    """Only the first rows are done."""
    menpai("parse", "--in", table, "--column", "where", "--out", "out.jsonl", "--limit", 1)
    assert [row["id"] for row in read_lines("out.jsonl")] == ["r1"]


def test_standard_output(menpai: Menpai, table: Path) -> None:
    """Rows go to stdout as JSON Lines, or as CSV or TSV; the summary does not."""
    ended = menpai("parse", "--in", table, "--column", "where", "--out", "-")
    assert [json.loads(line)["id"] for line in ended.out.splitlines()] == ["r1", "r2"]
    assert "2 rows" in ended.err
    ended = menpai("parse", "--in", table, "--column", "where", "--out", "-", "--format", "tsv")
    assert ended.out.splitlines()[1].startswith("r1\t翠湖花园\t")


@pytest.mark.parametrize("kind", ["parquet", "xml"])
def test_stdout_is_text(menpai: Menpai, table: Path, kind: str) -> None:
    """Other kinds cannot be written to a stream."""
    ended = menpai("parse", "--in", table, "--column", "where", "--out", "-", "--format", kind)
    assert ended.code == 2
    assert "jsonl" in ended.err


def test_bad_rows_are_listed(
    menpai: Menpai, write_lines: WriteLines, read_lines: ReadLines
) -> None:
    """Good rows are done; the others have row, id and error in a file; the exit code says so."""
    write_lines("in.jsonl", [{"id": 7, "a": TEXT}, "{no json", {"id": 9, "a": ""}, {"id": 10}])
    ended = menpai("parse", "--in", "in.jsonl", "--column", "a", "--out", "out.jsonl")
    assert ended.code == 3
    assert "3 failed" in ended.err
    assert "out.jsonl.errors.jsonl" in ended.err
    assert [row["id"] for row in read_lines("out.jsonl")] == [7]
    errors = read_lines("out.jsonl.errors.jsonl")
    assert [(error["row"], error.get("id")) for error in errors] == [(2, None), (3, 9), (4, 10)]
    assert errors[1]["error"]["field"] == "a"
    assert TEXT not in Path("out.jsonl.errors.jsonl").read_text(encoding="utf-8")


def test_bad_rows_on_stdout(menpai: Menpai, write_lines: WriteLines) -> None:
    """Without a file the errors go to stderr."""
    write_lines("in.jsonl", [{"a": TEXT}, "{no json"])
    ended = menpai("parse", "--in", "in.jsonl", "--column", "a", "--out", "-", "--quiet")
    assert ended.code == 3
    assert json.loads(ended.err)["row"] == 2


def test_summary_as_json(menpai: Menpai, write_lines: WriteLines) -> None:
    """With --json the summary is JSON on stdout."""
    write_lines("in.jsonl", [{"a": TEXT}, "{no json"])
    ended = menpai("parse", "--in", "in.jsonl", "--column", "a", "--out", "o.csv", "--json")
    assert ended.err == ""
    summary = ended.json
    assert summary.pop("elapsed_s") >= 0
    assert summary == {
        "n_rows": 2,
        "n_failed": 1,
        "n_resumed": 0,
        "out": "o.csv",
        "errors": "o.csv.errors.jsonl",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "either one address or more or a table"),
        ([TEXT, "--in", "in.csv"], "either one address or more or a table"),
        ([TEXT, "--column", "where"], "--column goes with a table"),
        ([TEXT, "--out", "o.csv"], "--out goes with a table"),
        ([TEXT, "--format", "csv"], "--format goes with a table"),
        ([TEXT, "--prefix", "p_"], "--prefix goes with a table"),
        ([TEXT, "--limit", "1"], "--limit goes with a table"),
        (["--in", "in.csv", "--out", "o.csv"], "--column must name"),
        (["--in", "in.csv", "--column", "where"], "--out must say"),
        (["--in", "in.csv", "--column", "wo", "--out", "o.csv"], "it has: 'id', 'name', 'where'"),
        (["--in", "no.csv", "--column", "where", "--out", "o.csv"], "no.csv"),
        (["--in", "in.csv", "--column", "where", "--out", "o.doc"], "o.doc"),
        (["--in", "in.csv", "--column", "where", "--out", "in.csv"], "is the table to read"),
        (["--in", "in.csv", "--column", "where", "--out", "no/o.csv"], "no folder"),
        (["--in", "in.csv", "--column", "where", "--out", "o.csv", "--format", "csv"], "--format"),
        (["--in", "in.csv", "--column", "where", "--out", "o.csv", "--limit", "0"], "--limit"),
        (["--nonsense"], "--nonsense"),
    ],
)
@pytest.mark.usefixtures("table")
def test_wrong_usage(menpai: Menpai, arguments: list[str], message: str) -> None:
    """A command that cannot be run says why and ends with 2; nothing is written."""
    ended = menpai("parse", *arguments)
    assert ended.code == 2
    assert message in ended.err
    assert "Traceback" not in ended.err
    assert [path.name for path in Path().iterdir()] == ["in.csv"]


def test_list_of_errors_as_input(menpai: Menpai, table: Path) -> None:
    """A table in the place of the list of errors is not overwritten, nor removed after success."""
    source = table.rename("o.csv.errors.jsonl")
    source.write_text(json.dumps({"where": TEXT}), encoding="utf-8")
    ended = menpai("parse", "--in", source, "--column", "where", "--out", "o.csv")
    assert ended.code == 2
    assert "o.csv.errors.jsonl is the table to read" in ended.err
    assert source.exists()


def test_usage_errors_as_json(menpai: Menpai, table: Path) -> None:
    """With --json the error contract is on stderr."""
    ended = menpai("parse", "--in", table, "--column", "wo", "--out", "o.csv", "--json")
    error = json.loads(ended.err)["error"]
    assert (error["code"], error["field"]) == ("bad_table", "wo")
    assert ended.code == 2


def test_existing_result_column(
    menpai: Menpai, write_lines: WriteLines, read_lines: ReadLines
) -> None:
    """A column called like the result is not overwritten; a prefix makes room."""
    write_lines("in.jsonl", [{"address": TEXT}])
    command = ["parse", "--in", "in.jsonl", "--column", "address", "--out", "out.jsonl"]
    ended = menpai(*command)
    assert ended.code == 2
    assert "--prefix" in ended.err
    assert menpai(*command, "--prefix", "parsed_").code == 0
    (row,) = read_lines("out.jsonl")
    assert row["address"] == TEXT
    assert row["parsed_address"]["road"] == "望澜路"


def test_flat_tables_have_room_beside_the_address(menpai: Menpai, write_lines: WriteLines) -> None:
    """`address.road` does not clash with `address`, but with itself."""
    write_lines("in.csv", ["address", TEXT])
    command = ["parse", "--column", "address", "--out", "out.csv", "--in"]
    assert menpai(*command, "in.csv").code == 0
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["address"], row["address.road"]) == (TEXT, "望澜路")
    Path("out.csv").rename("again.csv")
    assert menpai(*command, "again.csv").code == 2


def test_mark_for_excel(menpai: Menpai, table: Path) -> None:
    """Only when it is asked for."""
    command = ["parse", "--in", table, "--column", "where", "--out", "out.csv"]
    menpai(*command)
    assert Path("out.csv").read_bytes().startswith(b"id")
    menpai(*command, "--excel")
    assert Path("out.csv").read_bytes().startswith(b"\xef\xbb\xbfid")


def test_gzip(menpai: Menpai, table: Path) -> None:
    """Compressed tables are read and written by their ending."""
    packed = Path("in.csv.gz")
    packed.write_bytes(gzip.compress(table.read_bytes()))
    assert menpai("parse", "--in", packed, "--column", "where", "--out", "o.jsonl.gz").code == 0
    assert len(gzip.decompress(Path("o.jsonl.gz").read_bytes()).splitlines()) == 2


def test_formulas_are_neutralised(menpai: Menpai, write_lines: WriteLines) -> None:
    """Whatever a cell holds, a spreadsheet does not run it."""
    write_lines("in.csv", ["a,n", "=HYPERLINK(1),-5"])
    menpai("parse", "--in", "in.csv", "--column", "a", "--out", "out.csv")
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["a"], row["n"]) == ("'=HYPERLINK(1)", "-5")
    assert row["address.text"] == "'=HYPERLINK(1)"


def test_interrupted_job_is_continued(
    menpai: Menpai, write_lines: WriteLines, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C ends quietly with 130; the same command goes on, another starts afresh."""
    write_lines("in.csv", ["a", *[f"望澜路{n}号" for n in range(2500)]])
    from menpai.address import parse as module

    real, calls = module.parse_batch, []

    def interrupted(texts: list[str], **options: Any) -> Any:
        calls.append(len(texts))
        if sum(calls) > 2001:
            raise KeyboardInterrupt
        return real(texts, **options)

    command = ["parse", "--in", "in.csv", "--column", "a", "--out", "out.csv"]

    def interrupt() -> None:
        calls.clear()
        with monkeypatch.context() as patch:
            patch.setattr(module, "parse_batch", interrupted)
            ended = menpai(*command)
        assert (ended.code, ended.out, ended.err) == (130, "", "")
        assert not Path("out.csv").exists()

    interrupt()
    assert "continuing after 2,000 rows" in menpai(*command).err
    assert len(Path("out.csv").read_text(encoding="utf-8").splitlines()) == 2501
    Path("out.csv").unlink()
    interrupt()
    assert "starting afresh" in menpai(*command, "--as-of", 2010).err
    Path("out.csv").unlink()
    interrupt()
    ended = menpai(*command, "--no-resume")
    assert ended.err.startswith("2,500 rows in")

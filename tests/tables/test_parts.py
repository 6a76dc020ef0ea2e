"""One suite for all kinds: rows written in parts, joined, and read again."""

import csv
import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from menpai.errors import ConfigError
from menpai.tables.kinds import KINDS, Kind, format_of
from menpai.tables.layout import Layout
from menpai.tables.parts import make_parts, text_encoder
from menpai.tables.schema import Many, Struct

Read = Callable[[Path], Any]
FakeTable = Callable[..., Any]

RESULTS = {
    "address": Struct(
        {
            "road": "text",
            "ambiguous": "boolean",
            "spans": Struct({"road": Many("integer")}, spread=False),
        }
    ),
    "score": "number",
    "reasons": Many(Struct({"element": "text", "weight": "number"})),
}
ROWS = [
    {
        "id": f"00{number}",
        "note": "=1+1" if number == 2 else "两\n行",
        "address": {"road": "望澜路", "ambiguous": False, "spans": {"road": [0, 3]}},
        "score": 0.25 * number,
        "reasons": [{"element": "road", "weight": 1}],
    }
    for number in range(5)
]


@pytest.fixture
def layout(fake_table: FakeTable) -> Layout:
    """Two columns of text, and results of every shape."""
    return Layout(fake_table({"id": "text", "note": "text"}), RESULTS)


def write(path: Path, layout: Layout, sizes: tuple[int, ...], **options: bool) -> None:
    """Write rows in parts of some sizes and join them."""
    parts = make_parts(format_of(path), layout, **options)
    done = [(row, {key: row[key] for key in RESULTS}) for row in ROWS]
    paths, start = [], 0
    for number, size in enumerate(sizes):
        paths.append(path.with_name(f"part-{number}"))
        parts.write(done[start : start + size], paths[-1])
        start += size
    parts.join(paths, path)


@pytest.mark.parametrize("sizes", [(5,), (2, 0, 3), (1,), (0,), ()])
@pytest.mark.parametrize("ending", [*KINDS, "csv.gz", "jsonl.gz"])
def test_rows_go_there_and_back(
    tmp_path: Path, layout: Layout, read: Read, ending: str, sizes: tuple[int, ...]
) -> None:
    """Whatever the parts, the rows are all there, in order, and the input cells unchanged."""
    path = tmp_path / f"out.{ending}"
    write(path, layout, sizes)
    rows, bad = read(path)
    assert not bad
    assert [row["id"] for row in rows] == [row["id"] for row in ROWS[: sum(sizes)]]


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_nested_kinds_keep_everything(
    tmp_path: Path, layout: Layout, read: Read, ending: str
) -> None:
    """JSON Lines and Parquet hold the nested values, formulas included, as they are."""
    path = tmp_path / f"out.{ending}"
    write(path, layout, (2, 3))
    assert read(path)[0] == ROWS


@pytest.mark.parametrize("ending", ["csv", "tsv", "xlsx"])
def test_flat_kinds_have_a_column_for_each_element(
    tmp_path: Path, layout: Layout, read: Read, ending: str
) -> None:
    """Elements are columns, lists JSON, and formulas neutralised."""
    path = tmp_path / f"out.{ending}"
    write(path, layout, (2, 3))
    row = read(path)[0][2]
    assert row["note"] == "'=1+1"
    assert row["address.road"] == "望澜路"
    assert row["address.ambiguous"] in {False, "false"}
    assert json.loads(row["address.spans"]) == {"road": [0, 3]}
    assert float(row["score"]) == 0.5
    assert json.loads(row["reasons"]) == [{"element": "road", "weight": 1}]


@pytest.mark.parametrize("ending", ["csv", "xlsx"])
def test_flat_kinds_keep_a_column_that_is_called_like_a_result(
    tmp_path: Path, fake_table: FakeTable, read: Read, ending: str
) -> None:
    """Beside `address.road` there is room for the input's `address`."""
    path, part = tmp_path / f"out.{ending}", tmp_path / "part"
    layout = Layout(fake_table({"address": "text"}), {"address": Struct({"road": "text"})})
    layout.check(format_of(path).kind)
    parts = make_parts(format_of(path), layout)
    parts.write([({"address": "望澜路88号"}, {"address": {"road": "望澜路"}})], part)
    parts.join([part], path)
    assert read(path)[0] == [{"address": "望澜路88号", "address.road": "望澜路"}]


def test_head_cells_are_neutralised(tmp_path: Path, fake_table: FakeTable) -> None:
    """A column's name can be a formula too."""
    path = tmp_path / "out.csv"
    make_parts(format_of(path), Layout(fake_table({"=cmd": "text"}), {})).join([], path)
    assert path.read_text(encoding="utf-8") == "'=cmd\n"


def test_csv_is_plain(tmp_path: Path, layout: Layout) -> None:
    """CSV has line feeds, no mark, and quotes where they are needed."""
    path = tmp_path / "out.csv"
    write(path, layout, (1,))
    content = path.read_bytes()
    assert b"\r" not in content
    assert content.startswith(
        b"id,note,address.road,address.ambiguous,address.spans,score,reasons\n"
    )
    with path.open(encoding="utf-8", newline="") as file:
        assert next(csv.DictReader(file))["note"] == "两\n行"


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_mark_for_excel(tmp_path: Path, layout: Layout, ending: str) -> None:
    """Excel knows UTF-8 by a byte order mark."""
    path = tmp_path / f"out.{ending}"
    write(path, layout, (1,), byte_order_mark=True)
    assert path.read_bytes().startswith(b"\xef\xbb\xbfid")


def test_gzip_is_the_same_each_time(tmp_path: Path, layout: Layout) -> None:
    """Neither time nor name is in the file."""
    one, other = tmp_path / "a.csv.gz", tmp_path / "b.csv.gz"
    write(one, layout, (5,))
    write(other, layout, (2, 3))
    assert one.read_bytes() == other.read_bytes()
    assert gzip.decompress(one.read_bytes()).startswith(b"id,note")


@pytest.mark.parametrize("kind", ["parquet", "xlsx"])
def test_only_text_can_be_streamed(layout: Layout, kind: Kind) -> None:
    """Parquet and XLSX need a file."""
    with pytest.raises(ConfigError, match="csv, tsv, jsonl can"):
        text_encoder(kind, layout)


def test_half_a_character_does_not_stop_csv(layout: Layout) -> None:
    """What an escape in JSON brought along and CSV cannot hold becomes a question mark."""
    assert b"?" in text_encoder("csv", layout).encode([({"id": "\ud800"}, {})])

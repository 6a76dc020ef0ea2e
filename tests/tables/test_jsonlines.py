"""Reading JSON Lines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from menpai.errors import TableError
from menpai.tables.frames import to_frame
from menpai.tables.jsonlines import infer_types
from menpai.tables.kinds import format_of
from menpai.tables.layout import Layout
from menpai.tables.parts import make_parts
from menpai.tables.reading import open_table
from menpai.tables.schema import Many, Struct

Read = Callable[[Path], Any]

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
    ),
    max_leaves=8,
)


def test_nested_values_are_untouched(tmp_path: Path, read: Read) -> None:
    """Objects, lists and numbers come as they are written."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": {"b": [1, 2.5, null]}, "c": "路"}\n\n{"d": true}\n', encoding="utf-8")
    assert read(path)[0] == [{"a": {"b": [1, 2.5, None]}, "c": "路"}, {"d": True}]


def test_columns_are_those_of_all_rows(tmp_path: Path) -> None:
    """A key that appears late is a column too; a bad line has none."""
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": 1}\nnot json\n' + '{"a": 1}\n' * 3000 + '{"b": 1}\n', encoding="utf-8")
    assert open_table(path).columns == ("a", "b")


def test_bad_lines_are_bad_rows(tmp_path: Path, read: Read) -> None:
    """What is no JSON object is an error of its line, however it is broken."""
    path = tmp_path / "a.jsonl"
    deep = "[" * 100_000
    lines = ['{"a": 1}', '{"a": ', "[1]", '"text"', deep, "1" * 5000, '{"a": 2}']
    path.write_text("\n".join(lines), encoding="utf-8")
    rows, bad = read(path)
    assert rows == [{"a": 1}, {"a": 2}]
    assert list(bad) == [2, 3, 4, 5, 6]
    assert "not JSON" in str(bad[2])
    assert "no JSON object but a list" in str(bad[3])


def test_line_separators_inside_texts(tmp_path: Path, read: Read) -> None:
    """Only a line feed ends a row, not the other characters that end lines elsewhere."""
    path = tmp_path / "a.jsonl"
    path.write_bytes('{"a": "x\u2028y\x85z"}\r\n{"a": 1}\r\n'.encode())
    assert read(path)[0] == [{"a": "x\u2028y\x85z"}, {"a": 1}]


def test_undecodable_line_is_bad(tmp_path: Path, read: Read) -> None:
    """A damaged character costs its row only."""
    path = tmp_path / "a.jsonl"
    good = '{"a": "浙江省杭州市西湖区文瑞路"}\n'.encode()
    path.write_bytes(good * 3 + b'{"a": "\xe5\xbb"}\n' + good)
    rows, bad = read(path)
    assert len(rows) == 4
    assert list(bad) == [4]


def test_no_json_lines_at_all(tmp_path: Path) -> None:
    """Of a file of another kind it is said what is wrong, not that it has no columns."""
    path = tmp_path / "a.jsonl"
    path.write_text("\n地址\n望澜路8号\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"a\.jsonl, row 1: the row is not JSON"):
        assert open_table(path).columns


def test_types_hold_all_values() -> None:
    """The narrowest common type is found, and JSON where there is none."""
    rows = [
        {"i": 1, "f": 1, "t": "a", "b": True, "m": 1, "n": None, "s": {"x": 1}, "l": []},
        {"i": 2, "f": 1.5, "t": None, "b": False, "m": "a", "s": {"y": "b"}, "l": [None, 1]},
        {"i": 3, "f": None, "big": 1 << 70, "s": {}, "mixed": True},
        {"mixed": 1},
    ]
    assert infer_types(rows) == {
        "i": "integer",
        "f": "number",
        "t": "text",
        "b": "boolean",
        "m": "json",
        "n": "null",
        "s": Struct({"x": "integer", "y": "text"}),
        "l": Many("integer"),
        "big": "json",
        "mixed": "json",
    }


@given(st.lists(st.dictionaries(st.sampled_from("uvw"), JSON, max_size=3), max_size=4))
def test_frames_hold_any_json(rows: list[dict[str, object]]) -> None:
    """Whatever was read fits the types that were found for it."""
    assert to_frame(rows, infer_types(rows)).height == (len(rows) if infer_types(rows) else 0)


def test_nested_columns_become_parquet(tmp_path: Path, read: Read) -> None:
    """Lists and objects keep their shape; what has none becomes JSON text."""
    path, part, out = tmp_path / "a.jsonl", tmp_path / "part", tmp_path / "out.parquet"
    path.write_text(
        '{"a": [1, 2], "o": {"x": {}, "y": 1}, "m": 1}\n{"o": {"y": 2.5}, "m": "路"}\n',
        encoding="utf-8",
    )
    parts = make_parts(format_of(out), Layout(open_table(path), {}))
    parts.write([(row, {}) for row in read(path)[0]], part)
    parts.join([part], out)
    assert read(out)[0] == [
        {"a": [1, 2], "o": {"x": "{}", "y": 1.0}, "m": "1"},
        {"a": None, "o": {"x": None, "y": 2.5}, "m": '"路"'},
    ]

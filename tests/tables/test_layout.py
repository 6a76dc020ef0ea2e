"""Columns of an output."""

from collections.abc import Callable
from typing import Any

import pytest

from menpai.errors import TableError
from menpai.tables.kinds import Kind
from menpai.tables.layout import Layout
from menpai.tables.schema import Many, Struct

FakeTable = Callable[..., Any]

RESULTS = {"address": Struct({"road": "text"}), "flags": Many("text")}


def test_flat_columns_follow_the_input(fake_table: FakeTable) -> None:
    """Inputs stand first, in their order; nested inputs are JSON."""
    layout = Layout(fake_table({"b": "text", "a": Struct({"x": "text"}), "n": "integer"}), RESULTS)
    assert layout.flat_names() == ["b", "a", "n", "address.road", "flags"]
    assert layout.flat == {
        "b": "text",
        "a": "json",
        "n": "integer",
        "address.road": "text",
        "flags": "json",
    }
    done = ({"a": {"x": 1}}, {"address": {"road": "望澜路"}, "flags": []})
    assert list(layout.flat_cells([done])) == [[None, {"x": 1}, None, "望澜路", []]]


@pytest.mark.parametrize(
    ("column", "kind", "clashes"),
    [
        ("address", "jsonl", True),
        ("address", "parquet", True),
        ("address", "csv", False),
        ("address.road", "csv", True),
        ("address.road", "xlsx", True),
        ("address.road", "jsonl", False),
        ("flags", "tsv", True),
        ("flag", "tsv", False),
    ],
)
def test_results_overwrite_no_column(
    fake_table: FakeTable, column: str, kind: Kind, *, clashes: bool
) -> None:
    """A result that is called like a column in this kind of table is refused."""
    layout = Layout(fake_table({column: "text"}), RESULTS)
    if clashes:
        with pytest.raises(TableError, match=f"column .{column}. already") as caught:
            layout.check(kind)
        assert caught.value.field == column
    else:
        layout.check(kind)

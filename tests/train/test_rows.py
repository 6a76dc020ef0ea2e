"""Rows of a table: pairs with their groups, and the rows that hold none."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from menpai.errors import InputError
from menpai.evaluation.pairs import LabelledPair
from menpai.tables.reading import open_table
from menpai.train import rows

LEFT, RIGHT = "望澜路88号", "杭州市望澜路88号"


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., rows.Read]:
    """Write a table of JSON Lines and read it."""

    def read_it(*lines: object, group: str | None = None, left: str = "left") -> rows.Read:
        path = tmp_path / "in.jsonl"
        written = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        path.write_text("\n".join(written) + "\n", "utf-8")
        return rows.read(open_table(path), left.split(","), ["right"], "label", group)

    return read_it


def row(left: object = LEFT, right: object = RIGHT, label: object = 1, **more: object) -> object:
    """A row that can be learned from unless told otherwise."""
    return {"left": left, "right": right, "label": label, **more}


def test_pairs_and_groups(read: Callable[..., rows.Read]) -> None:
    """A group is the left address unless a column is named; numbers are as good as texts."""
    found = read(row(id=1, g=7), row("海岸广场", label="partial", id=2, g="b"))
    assert found.pairs == [
        LabelledPair(LEFT, RIGHT, "exact_match"),
        LabelledPair("海岸广场", RIGHT, "partial_match"),
    ]
    assert (found.groups, found.errors) == ([LEFT, "海岸广场"], [])
    assert read(row(g=7), row(g="b"), group="g").groups == ["7", "b"]
    assert read(row(), row(f" {LEFT}，张三 13800001234")).groups == [LEFT, LEFT]


def test_several_columns_are_one_address(read: Callable[..., rows.Read]) -> None:
    """Joined by a blank, and so is the group."""
    found = read(row(name="海岸广场"), left="left,name")
    assert found.pairs[0].left == found.groups[0] == f"{LEFT} 海岸广场"


@pytest.mark.parametrize("label", ["1", 1, 1.0, " exact ", "exact_match"])
def test_one_label_in_many_writings(read: Callable[..., rows.Read], label: object) -> None:
    """Also as tables with types write a whole number."""
    assert [pair.label for pair in read(row(label=label)).pairs] == ["exact_match"]


def test_rows_without_a_pair_are_told_in_order(read: Callable[..., rows.Read]) -> None:
    """With their numbers and their own ids, and without the address."""
    found = read(
        row(),
        row(left="", id="a7"),
        "{",
        row(label="maybe", id="a8"),
        row(left="电话13800001234"),
        row(right=None),
        row(label=1.5),
        row(),
    )
    assert len(found.pairs) == 2
    assert [item.number for item in found.errors] == [2, 3, 4, 5, 6, 7]
    lines = [json.loads(item.to_line()) for item in found.errors]
    assert [line.get("id") for line in lines] == ["a7", None, "a8", None, None, None]
    assert [line["row"] for line in lines] == [line["error"]["row"] for line in lines]  # type: ignore[index]
    assert [line["error"]["field"] for line in lines][::2] == ["left", "label", "right"]  # type: ignore[index]
    assert "138" not in json.dumps(lines)


def test_a_row_without_its_group_is_left_out(read: Callable[..., rows.Read]) -> None:
    """All of them in one group would be held out together, or not at all."""
    found = read(row(g=None), row(g=" "), row(g=0), group="g")
    assert found.groups == ["0"]
    assert [item.error.field for item in found.errors] == ["g", "g"]


@pytest.mark.parametrize("missing", ["left", "right", "label"])
def test_a_missing_column_is_refused(read: Callable[..., rows.Read], missing: str) -> None:
    """Once, not row by row."""
    own = dict(row())  # type: ignore[call-overload]
    del own[missing]
    with pytest.raises(InputError) as caught:
        read(own, own)
    assert caught.value.field == missing

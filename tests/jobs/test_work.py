"""Texts out of rows, and failures kept to their rows."""

import pytest

from menpai.errors import ConfigError, InputError
from menpai.jobs.work import over_pairs, over_texts, row_text


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"name": "翠湖花园", "address": "文瑞路912号"}, "翠湖花园 文瑞路912号"),
        ({"name": " ", "address": "文瑞路912号"}, "文瑞路912号"),
        ({"address": " 文瑞路 "}, " 文瑞路 "),
        ({"name": 912.0, "address": None}, "912"),
        ({"name": 1.5, "address": 3}, "1.5 3"),
    ],
)
def test_columns_are_joined_by_one_blank(row: dict[str, object], text: str) -> None:
    """Empty cells leave no blank, texts stay as they are, and numbers lose what a sheet added."""
    assert row_text(row, ["name", "address"]) == text


@pytest.mark.parametrize("row", [{}, {"a": None}, {"a": ""}, {"a": " \u3000\n"}])
def test_empty_cells_are_errors(row: dict[str, object]) -> None:
    """Where there is no text there is nothing to work on; the message names the columns."""
    with pytest.raises(InputError, match="no text in column 'a' and 'b'"):
        row_text(row, ["a", "b"])


@pytest.mark.parametrize("value", [{"a": 1}, ["a"], b"a", True])
def test_other_values_are_errors(value: object) -> None:
    """A nested value is no address."""
    with pytest.raises(InputError, match="holds no text") as caught:
        row_text({"a": value}, ["a"])
    assert caught.value.field == "a"


def test_results_keep_their_places() -> None:
    """A row without a text gets its error, the others their results."""
    asked = []

    def batch(texts: list[str]) -> list[dict[str, object]]:
        asked.append(texts)
        return [{"length": len(text)} for text in texts]

    first, second, third = over_texts(["a"], batch)([{"a": "x"}, {"a": None}, {"a": "yy"}])
    assert (first, third) == ({"length": 1}, {"length": 2})
    assert isinstance(second, InputError)
    assert asked == [["x", "yy"]]


def test_a_failing_batch_is_done_row_by_row() -> None:
    """The row that fails is found; its text is not in the message; the others have results."""

    def batch(texts: list[str]) -> list[dict[str, object]]:
        if "望澜路" in texts:
            raise KeyError(texts)
        if "文瑞路" in texts:
            raise ConfigError("no such policy")
        return [{"n": 1} for _ in texts]

    rows = [{"a": text} for text in ("x", "望澜路", "文瑞路", "y")]
    one, two, three, four = over_texts(["a"], batch)(rows)
    assert (one, four) == ({"n": 1}, {"n": 1})
    assert str(two) == "the row cannot be processed: KeyError"
    assert isinstance(three, ConfigError)


def test_pairs_take_both_sides() -> None:
    """Left and right go to their own sides, and a side without text is an error."""

    def batch(lefts: list[str], rights: list[str]) -> list[dict[str, object]]:
        return [{"pair": pair} for pair in zip(lefts, rights, strict=True)]

    rows = [{"l": "a", "m": "b", "r": "c"}, {"l": "a"}, {"r": "c"}]
    both, no_right, no_left = over_pairs(["l", "m"], ["r"], batch)(rows)
    assert both == {"pair": ("a b", "c")}
    assert isinstance(no_right, InputError)
    assert no_right.field == "r"
    assert isinstance(no_left, InputError)
    assert no_left.field == "l"

"""How values are written."""

import json
from datetime import date, datetime

import pytest
from hypothesis import given, strategies as st

from menpai.tables.cells import FORMULA_STARTS, harmless, to_cell, to_json


@pytest.mark.parametrize(
    "text", ["=1+1", "+cmd", "-cmd", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", "+1+1"]
)
def test_formulas_are_neutralised(text: str) -> None:
    """A text that a spreadsheet would run gets an apostrophe."""
    assert harmless(text) == "'" + text


@pytest.mark.parametrize("text", ["", "-3", "+8613012345678", "-.5e3", "北京路8号", "a=b", "'=1"])
def test_numbers_and_other_texts_are_left_alone(text: str) -> None:
    """Numbers with a sign are no formulas."""
    assert harmless(text) == text


@given(st.text())
def test_no_cell_begins_a_formula(text: str) -> None:
    """What is left with a formula's first character is a number."""
    cell = to_cell(text)
    if cell and cell[0] in FORMULA_STARTS:
        float(cell)


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        (True, "true"),
        (-3, "-3"),
        (0.5, "0.5"),
        (date(2024, 5, 1), "2024-05-01"),
        (datetime(2024, 5, 1, 8, 30), "2024-05-01T08:30:00"),  # noqa: DTZ001 -- cells have no zone
        (["甲", 1], '["甲", 1]'),
        ({"a": None}, '{"a": null}'),
        (b"\x01\xff", "01ff"),
    ],
)
def test_cells_of_values(value: object, cell: str) -> None:
    """Nothing for null, ISO times, and JSON for nested values."""
    assert to_cell(value) == cell


def test_json_keeps_chinese() -> None:
    """Chinese is written as it is, on one line."""
    assert to_json({"路": "望澜路\n"}) == '{"路": "望澜路\\n"}'


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_become_null(number: float) -> None:
    """NaN and Infinity are no JSON, however deep they are."""
    assert json.loads(to_json({"a": [{"b": number}, 1.5]})) == {"a": [{"b": None}, 1.5]}


def test_half_a_character_is_escaped() -> None:
    """A lone surrogate has no UTF-8 form; its escape leads back to it."""
    text = to_json({"a": "路\ud800"})
    text.encode()
    assert json.loads(text) == {"a": "路\ud800"}


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
        max_leaves=10,
    )
)
def test_json_goes_there_and_back(value: object) -> None:
    """Every JSON value is written so that it can be read again, on one line of UTF-8."""
    text = to_json(value)
    assert "\n" not in text
    assert json.loads(text.encode()) == value

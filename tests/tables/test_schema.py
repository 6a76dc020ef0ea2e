"""Flattening nested values."""

from menpai.tables.schema import Many, Struct, flat_types, flattener

PLACE = Struct({"road": "text", "spans": Struct({"road": "text"}, spread=False)})


def test_struct_is_spread_over_columns() -> None:
    """Each key has a column; what is not to be spread stays one."""
    assert flat_types("address", PLACE) == {"address.road": "text", "address.spans": "json"}
    assert flattener(PLACE)({"road": "望澜路", "spans": {"road": "x"}, "other": 1}) == [
        "望澜路",
        {"road": "x"},
    ]


def test_absent_struct_leaves_its_columns_empty() -> None:
    """The number of cells never changes."""
    assert list(flattener(PLACE)(None)) == [None, None]


def test_ranks_are_spread_over_columns() -> None:
    """A list has columns for its first items, and empty ones for what is not there."""
    kind = Many(Struct({"id": "text", "inner": PLACE}), n_spread=2)
    assert list(flat_types("matches", kind)) == [
        "matches.1.id",
        "matches.1.inner.road",
        "matches.1.inner.spans",
        "matches.2.id",
        "matches.2.inner.road",
        "matches.2.inner.spans",
    ]
    spread = flattener(kind)
    assert spread([{"id": "a", "inner": {"road": "r"}}]) == ["a", "r", None, None, None, None]
    assert spread([{"id": n} for n in "abc"]) == ["a", None, None, "b", None, None]
    assert spread(None) == [None] * 6


def test_other_values_are_one_column() -> None:
    """Scalars keep their type, lists are JSON."""
    assert flat_types("score", "number") == {"score": "number"}
    assert flat_types("reasons", Many("text")) == {"reasons": "json"}
    assert list(flattener("number")(0.5)) == [0.5]

"""Declared types of results agree with what the results are."""

from collections.abc import Mapping

import pytest

from menpai.jobs.results import ADDRESS, COMPARISON, match_types
from menpai.matching.matcher import load
from menpai.tables.schema import Many, Struct, Type

TEXT = "浙江省杭州市西湖区文瑞路912号翠湖花园3幢2单元501室 王小明 13812345678"
OTHER = "杭州西湖区文瑞路914号翠湖花园对面"


def check(value: object, kind: Type) -> None:
    """A value has exactly the keys and kinds of its type."""
    if isinstance(kind, Struct):
        assert isinstance(value, Mapping)
        assert value.keys() <= kind.fields.keys()
        for key, inner in value.items():
            check(inner, kind.fields[key])
    elif isinstance(kind, Many):
        assert isinstance(value, list)
        for item in value:
            check(item, kind.item)
    elif value is not None and kind != "json":
        names = {"text": str, "integer": int, "number": (int, float), "boolean": bool}
        assert isinstance(value, names[kind])


@pytest.mark.parametrize("text", [TEXT, OTHER, "", "x"])
def test_addresses_have_their_type(text: str) -> None:
    """All keys in order; spans may lack some."""
    address = load().parse(text).to_dict()
    check(address, ADDRESS)
    assert list(address) == list(ADDRESS.fields)


@pytest.mark.parametrize("right", [TEXT, OTHER, "x"])
def test_comparisons_have_their_type(right: str) -> None:
    """All keys in order."""
    comparison = load().compare(TEXT, right).to_dict()
    check(comparison, Struct(COMPARISON))
    assert list(comparison) == list(COMPARISON)


def test_matches_have_their_type() -> None:
    """All keys in order, for a query with and without records."""
    found = load().match([TEXT, ""], [TEXT, OTHER], top_k=2)
    for match in found:
        kinds = match_types(2)
        check(match.to_dict(), Struct(kinds))
        assert list(match.to_dict()) == list(kinds)
    assert len(found[0].matches) == 2

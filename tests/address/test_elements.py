"""The address itself: the JSON contract's keys, and one documented list of flags."""

from __future__ import annotations

import json

import pytest

from menpai.address.elements import DIVISIONS, ELEMENTS, FLAGS, INNER, NOISE, Address
from menpai.address.parse import parse

CONTRACT = [
    "text", "normalized", "province", "city", "district", "town", "village", "group", "zone",
    "road", "roadno", "poi", "building", "unit", "floor", "room", "landmark", "name", "phone",
    "postcode", "rest", "code", "ambiguous", "candidates", "flags", "spans",
]  # fmt: skip


@pytest.mark.parametrize("text", ["杭州市西湖区文瑞路18号", "测试测试测试", ""])
def test_keys_stand_in_the_order_of_the_contract(text: str) -> None:
    """Every key is there, in order, whatever was read."""
    assert list(parse(text).to_dict()) == CONTRACT


def test_absent_elements_are_null_and_containers_are_json() -> None:
    """An empty address survives a round trip through JSON with null elements."""
    row = Address("岚", "岚").to_dict()
    assert {row[element] for element in ELEMENTS} == {None}
    assert (row["rest"], row["code"], row["ambiguous"]) == (None, None, False)
    assert (row["candidates"], row["flags"], row["spans"]) == ([], [], {})
    assert json.loads(json.dumps(row)) == row


def test_spans_are_lists_and_tuples_become_lists() -> None:
    """Filled containers are lists in the contract, whatever holds them in Python."""
    address = Address(
        "文瑞路", "文瑞路", candidates=("甲", "乙"), flags=("near",), spans={"road": (0, 3)}
    )
    row = address.to_dict()
    assert row["candidates"] == ["甲", "乙"]
    assert row["flags"] == ["near"]
    assert row["spans"] == {"road": [0, 3]}


def test_elements_run_from_coarse_to_fine() -> None:
    """The list of elements is the contract's, between the texts and the rest."""
    assert list(ELEMENTS) == CONTRACT[2 : CONTRACT.index("rest")]
    assert ELEMENTS[: len(DIVISIONS)] == DIVISIONS
    assert ELEMENTS[-len(NOISE) :] == NOISE
    assert set(INNER) < set(ELEMENTS)


def test_every_flag_has_a_meaning() -> None:
    """No flag is documented by an empty line."""
    assert all(meaning.strip() for meaning in FLAGS.values())


def test_an_address_shows_as_a_table() -> None:
    """A notebook shows what was read, and runs no markup of the text."""
    shown = parse("杭州市西湖区文瑞路8号<i>")._repr_html_()
    assert "<th>road</th><td>文瑞路</td>" in shown
    assert "文瑞路8号&lt;i&gt;" in shown

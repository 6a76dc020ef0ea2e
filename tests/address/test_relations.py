"""The words in which a comparison is told."""

from __future__ import annotations

import pytest

from menpai.address.relations import Relation, Relations


@pytest.mark.parametrize(
    ("relation", "is_sibling"),
    [
        (Relation("poi", "翡岚苑一期", "翡岚苑二期", "conflict", 0.5), True),
        (Relation("tenant", "岚泽便利店", "岚泽便利店", "conflict", 0.5), True),
        (Relation("poi", "翡岚苑", "枫丹苑", "conflict", 0.0), False),
        (Relation("poi", "翡岚苑", "翡岚园", "similar", 0.7), False),
        (Relation("road", "文瑞路", "文瑞街", "conflict", 0.4), False),
    ],
    ids=["phases", "branches", "others", "alike", "roads"],
)
def test_siblings(relation: Relation, is_sibling: bool) -> None:  # noqa: FBT001  a column
    """Only names that conflict as parts of one place are siblings."""
    assert relation.is_sibling is is_sibling


def test_kind_of_an_element() -> None:
    """What neither side has is absent."""
    road = Relation("road", "文瑞路", "文瑞路", "equal")
    relations = Relations({"road": road}, 0.0, 0.0, 0.0, ())
    assert (relations.kind("road"), relations.kind("poi")) == ("equal", "absent")

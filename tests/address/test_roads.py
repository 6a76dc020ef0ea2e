"""One road in many spellings, and roads that only look alike."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address import roads
from menpai.address.elements import Address
from menpai.address.parse import parse
from menpai.address.relations import Relation

PAIRS = [
    ("same", "文瑞路", "文瑞路", "equal"),
    ("case-and-blanks", "g320 国道", "G320国道", "equal"),
    ("brackets", "文瑞路(北)", "文瑞路北", "equal"),
    ("romanised", "文瑞南路", "Wenrui S. Rd.", "alias"),
    ("romanised-other-side", "文瑞南路", "Wenrui N. Rd.", "conflict"),
    ("romanised-both", "Wenrui Rd", "WENRUI RD", "equal"),
    ("section", "文瑞路一段", "文瑞路", "contains"),
    ("other-section", "文瑞路一段", "文瑞路二段", "conflict"),
    ("ending-unsaid", "文瑞路", "文瑞", "similar"),
    ("other-ending", "文瑞路", "文瑞街", "conflict"),
    ("side-unsaid", "文瑞路", "文瑞南路", "contains"),
    ("other-side", "文瑞北路", "文瑞南路", "conflict"),
    ("front-unsaid", "翡岚文瑞路", "文瑞路", "contains"),
    ("short-front", "翡岚路", "岚路", "conflict"),
    ("side-lane", "文瑞路南巷", "文瑞路", "conflict"),
    ("sounds-alike", "文瑞路", "文睿路", "similar"),
    ("other-character", "文瑞路", "文岚路", "conflict"),
    ("two-characters", "文瑞路", "纹睿路", "conflict"),
    ("ordinal", "文一路", "文二路", "conflict"),
    ("one-character-stems", "瑞路", "睿路", "conflict"),
    ("one-more-inside", "文瑞泉路", "文泉路", "similar"),
    ("one-more-ordinal", "文三泉路", "文泉路", "conflict"),
    ("longer-by-two", "文瑞岚泉路", "文泉路", "conflict"),
    ("one-more-but-other", "文瑞泉路", "岚泽路", "conflict"),
]
CONTEXT = [
    ("no-road", "翡岚苑8号", "枫丹苑8号", None),
    ("one-road", "文瑞路8号", "枫丹苑", "missing"),
    ("without-its-ending", "文瑞岚路8号", "文瑞岚8号", "alias"),
    ("abbreviated", "体岚西路103号", "体西103号", "alias"),
    ("abbreviated-otherwise", "体岚西路103号", "体岚103号", "missing"),
    ("other-number", "文瑞岚路8号", "文瑞岚9号", "missing"),
    ("other-name", "文瑞路8号", "岚泽工厂8号", "missing"),
    ("crossing", "文瑞路与岚泉路交叉口", "岚泉路与文瑞路交叉口", "equal"),
    ("other-roads", "文瑞路8号", "岚泉路8号", "conflict"),
]


@pytest.mark.parametrize(("a", "b", "kind"), [p[1:] for p in PAIRS], ids=[p[0] for p in PAIRS])
def test_two_road_names(a: str, b: str, kind: str) -> None:
    """A kind, whichever is left, with one similarity that says how close they are."""
    forward, backward = roads.relate_roads(a, b), roads.relate_roads(b, a)
    assert forward == backward
    assert forward[0] == kind
    assert (forward[1] == 1.0) == (kind == "equal")


@pytest.mark.parametrize(
    ("left", "right", "kind"), [c[1:] for c in CONTEXT], ids=[c[0] for c in CONTEXT]
)
def test_roads_of_two_addresses(left: str, right: str, kind: str | None) -> None:
    """What else stands in the addresses may tell that the road is one."""
    a, b = parse(left), parse(right)
    found, mirrored = roads.relate(a, b), roads.relate(b, a)
    assert (found.kind if found else None) == kind
    assert mirrored == (found and found._replace(left=found.right, right=found.left))


def test_a_missing_road_says_which_side() -> None:
    """The relation carries both sides' values."""
    a, b = Address("", "", road="文瑞路"), Address("", "")
    assert roads.relate(a, b) == Relation("road", "文瑞路", None, "missing", 0.0)


NAMES = st.text(st.sampled_from("文瑞岚东南一二路街大道段泉"), min_size=1, max_size=7)


@given(NAMES, NAMES)
def test_roads_compare_alike_from_both_sides(a: str, b: str) -> None:
    """Order changes nothing, and every road is itself."""
    assert roads.relate_roads(a, b) == roads.relate_roads(b, a)
    assert roads.relate_roads(a, a) == ("equal", 1.0)

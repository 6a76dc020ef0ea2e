"""How two places stand, and what a policy makes of it."""

import pytest

from menpai.address.compare import compare
from menpai.address.parse import parse
from menpai.matching import nearness
from menpai.matching.nearness import NEARNESS, READINGS
from menpai.matching.policy import POLICIES
from menpai.matching.results import LABELS

CASES = [
    ("杭州市滨江区望澜路88号", "浙江省杭州市滨江区望澜路88号", "same"),
    ("杭州市滨江区望澜路88号翠湖花园3幢", "杭州市滨江区望澜路88号翠湖花园", "inside"),
    ("杭州市滨江区望澜路", "杭州市滨江区望澜路88号", "around"),
    ("杭州市滨江区翠湖花园3幢", "杭州市滨江区翠湖花园4幢", "sibling"),
    ("杭州市滨江区望澜路88号", "杭州市滨江区望澜路90号", "neighbour"),
    ("杭州市滨江区望澜路88号", "杭州市滨江区听松路90号", "elsewhere"),
    ("杭州市滨江区望澜路88号", "长春市朝阳区望澜路90号", "elsewhere"),
]


@pytest.mark.parametrize(("left", "right", "expected"), CASES)
def test_how_places_stand(left: str, right: str, expected: str) -> None:
    """One pair for each nearness; the order does not matter."""
    for one, other in ((parse(left), parse(right)), (parse(right), parse(left))):
        assert nearness.of(one, other, compare(one, other)) == expected


def test_every_nearness_has_a_reading_under_every_policy() -> None:
    """Probabilities each."""
    assert set(READINGS) == set(POLICIES)
    for table in READINGS.values():
        assert tuple(table) == NEARNESS
        assert all(sum(row) == pytest.approx(1.0) for row in table.values())


@pytest.mark.parametrize("policy", POLICIES)
def test_what_is_read_are_probabilities(policy: str) -> None:
    """Weighed by how likely each nearness is."""
    given = dict(zip(NEARNESS, (0.4, 0.2, 0.1, 0.1, 0.1, 0.1), strict=True))
    found = nearness.read(given, policy)
    assert tuple(found) == LABELS
    assert sum(found.values()) == pytest.approx(1.0)


def test_place_reads_siblings_as_others_and_the_benchmark_as_partial() -> None:
    """One model, two policies."""
    given = dict.fromkeys(NEARNESS, 0.0) | {"sibling": 1.0}
    assert max(LABELS, key=nearness.read(given, "place").__getitem__) == "not_match"
    assert max(LABELS, key=nearness.read(given, "ccks").__getitem__) == "partial_match"

"""Pairs and groups: what they are of, and which labels the policies give them."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby

import pytest

from menpai.address.compare import compare
from menpai.errors import ConfigError
from menpai.matching.policy import judge
from menpai.matching.results import Label
from menpai.synthesis import Index, Pair, World, groups, near_misses, pairs
from menpai.synthesis.near import KINDS

EXACT, PARTIAL, NOT = "exact_match", "partial_match", "not_match"


def label(pair: Pair, policy: str) -> Label:
    """Give the label of a pair."""
    left, right = pair.left.implied, pair.right.implied
    return judge(left, right, compare(left, right), policy).label


def shares(found: Sequence[Pair], policy: str) -> dict[str, dict[str, float]]:
    """Shares of the labels, by kind of pair."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for pair in found:
        counts[pair.kind][label(pair, policy)] += 1
    return {
        kind: {name: n / sum(seen.values()) for name, n in seen.items()}
        for kind, seen in counts.items()
    }


@pytest.fixture(scope="module")
def found(world: World, index: Index) -> list[Pair]:
    """Pairs as a search gives them."""
    return list(pairs(world, 500, seed=1, index=index))


@pytest.fixture(scope="module")
def misses(world: World) -> list[Pair]:
    """Near misses, fifty of each kind."""
    return list(near_misses(world, 50 * len(KINDS), seed=1))


def texts(found: Sequence[Pair]) -> list[tuple[str, str]]:
    """Give what a test compares."""
    return [(pair.left.text, pair.right.text) for pair in found]


def test_same_seed_same_pairs(world: World, index: Index, found: list[Pair]) -> None:
    """Pairs depend on the map, the records and the seed alone."""
    again = list(pairs(world, 20, seed=1, index=index))
    assert texts(again) == texts(found[: len(again)])
    other = list(pairs(world, 20, seed=2, index=index))
    assert texts(other) != texts(again)


def test_records_are_made_where_none_are_given() -> None:
    """Without an index the map is indexed."""
    small = World(1, 60)
    assert {pair.query for pair in pairs(small, 3)} == {0, 1, 2}


def test_pairs_of_a_query_stand_together(found: list[Pair]) -> None:
    """One text, then up to six others for it, none of them twice."""
    for _, group in groupby(found, key=lambda pair: pair.query):
        of_query = list(group)
        assert len({id(pair.left) for pair in of_query}) == 1
        assert len({pair.right.text for pair in of_query}) == len(of_query) <= 6


def test_number_of_candidates_is_kept(world: World, index: Index) -> None:
    """A query has as many candidates as were asked for, or fewer."""
    few = Counter(pair.query for pair in pairs(world, 30, 1, n_candidates=2, index=index))
    assert max(few.values()) == 2


def test_same_place_is_said(found: list[Pair]) -> None:
    """A pair of one place says so, and no other does."""
    for pair in found:
        assert pair.same_place == (pair.left.place == pair.right.place)


def test_labels_are_mixed_as_a_search_mixes_them(found: list[Pair]) -> None:
    """About half are other places, a third is partly the same, some are the same."""
    counts = Counter(label(pair, "ccks") for pair in found)
    n = len(found)
    assert 0.4 < counts[NOT] / n < 0.65
    assert 0.25 < counts[PARTIAL] / n < 0.5
    assert 0.05 < counts[EXACT] / n < 0.2


def test_forms_of_one_place_are_hardly_ever_contradicted(found: list[Pair]) -> None:
    """Two texts of one place are one, or part of the other."""
    seen = shares(found, "place")["same"]
    assert seen.get(NOT, 0) < 0.02
    assert seen[EXACT] > 0.5


@pytest.mark.parametrize(
    ("kind", "policy", "expected", "least"),
    [
        ("number", "place", NOT, 0.75),
        ("building", "place", NOT, 0.8),
        ("building", "ccks", PARTIAL, 0.9),
        ("unit", "place", NOT, 0.8),
        ("unit", "ccks", PARTIAL, 0.9),
        ("room", "place", NOT, 0.8),
        ("room", "ccks", PARTIAL, 0.85),
        ("group", "place", NOT, 0.8),
        ("city", "place", NOT, 0.85),
        ("branch", "place", NOT, 0.7),
        ("road", "place", NOT, 0.85),
        ("tenant", "ccks", PARTIAL, 0.75),
        ("district", "place", PARTIAL, 0.7),
    ],
)
def test_near_misses_have_their_label(
    misses: list[Pair], kind: str, policy: str, expected: str, least: float
) -> None:
    """What differs decides, as the decision table says."""
    assert shares(misses, policy)[kind].get(expected, 0) >= least


def test_a_number_that_differs_is_never_exact(misses: list[Pair]) -> None:
    """Numbers of roads, buildings, staircases, rooms and groups keep two places apart."""
    numbered = {"number", "building", "unit", "room", "group"}
    for pair in misses:
        element = {"number": "roadno"}.get(pair.kind, pair.kind)
        sides = [getattr(form.implied, element, None) for form in (pair.left, pair.right)]
        if pair.kind in numbered and all(sides):
            assert label(pair, "place") != EXACT, (pair.left.text, pair.right.text)


def test_near_misses_are_of_two_places(misses: list[Pair]) -> None:
    """No kind of near miss gives the place itself, and all kinds are met alike."""
    assert all(pair.left.place != pair.right.place for pair in misses)
    assert Counter(pair.kind for pair in misses) == dict.fromkeys(KINDS, 50)


def test_kinds_can_be_chosen(world: World) -> None:
    """Near misses are of the kinds asked for, in turn."""
    some = near_misses(world, 4, kinds=("room", "side"))
    assert [pair.kind for pair in some] == ["room", "side", "room", "side"]


def test_groups_hold_one_place_and_others(world: World, index: Index) -> None:
    """Positives are of the anchor's place, negatives are not, and no text is there twice."""
    for group in groups(world, 60, 1, n_positives=2, n_negatives=3, index=index):
        assert len(group.positives) <= 2
        assert len(group.negatives) <= 3
        assert all(form.place == group.anchor.place for form in group.positives)
        assert all(form.place != group.anchor.place for form in group.negatives)
        written = [f.text for f in (group.anchor, *group.positives, *group.negatives)]
        assert len(set(written)) == len(written)


def test_groups_need_no_records(world: World) -> None:
    """Without an index the negatives are near misses; the seed is used."""
    anchors = [[g.anchor.text for g in groups(world, 20, seed)] for seed in (1, 1, 2)]
    assert anchors[0] == anchors[1] != anchors[2]
    assert sum(len(g.negatives) for g in groups(world, 20, 1)) > 40


def test_a_small_map_passes_over_what_it_has_not() -> None:
    """It ends, and says so where nothing is left."""
    small = World(seed=5, n_places=60)
    assert len(list(near_misses(small, 40, seed=1))) == 40
    with pytest.raises(ConfigError, match="no two places that differ in district alone"):
        list(near_misses(World(seed=5, n_places=50), 5, seed=1, kinds=("district",)))

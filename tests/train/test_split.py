"""Held-out parts: groups stay together, and nothing that is learned is measured."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from menpai.errors import InputError
from menpai.train.split import Split, by_group, check

GROUPS = [f"望澜路{i // 3}号" for i in range(600)]


def parts(split: Split) -> list[list[int]]:
    """Places of the three parts."""
    return [places.tolist() for places in split]


@given(st.integers(0, 1000))
def test_groups_stay_together(seed: int) -> None:
    """Every item is in one part, and so is every group."""
    split = by_group(GROUPS, valid=0.2, test=0.3, seed=seed)
    assert sorted(place for part in parts(split) for place in part) == list(range(600))
    owners = [{GROUPS[i] for i in places} for places in split]
    assert sum(map(len, owners)) == 200
    assert len(set().union(*owners)) == 200


def test_the_same_on_any_machine() -> None:
    """By the group's text alone: neither order, number nor a process's own hashes matter."""
    split = by_group(GROUPS, valid=0.2, test=0.02, seed=0)
    assert {GROUPS[i] for i in split.test} == {f"望澜路{n}号" for n in (120, 149, 178, 185)}
    again = by_group(GROUPS[::-1], valid=0.2, test=0.02, seed=0)
    assert {GROUPS[::-1][i] for i in again.test} == {GROUPS[i] for i in split.test}
    more = by_group(["枫桥村", *GROUPS], valid=0.2, test=0.02, seed=0)
    assert set(more.valid - 1) - {-1} == set(split.valid)


def test_shares_are_used() -> None:
    """Each for its own part, of the groups."""
    n = 6000
    groups = [str(i) for i in range(n)]
    sizes = [len(p) / n for p in by_group(groups, valid=0.3, test=0.1, seed=0)]
    assert sizes == pytest.approx([0.6, 0.3, 0.1], abs=0.02)


def test_seed_is_used() -> None:
    """Another one holds out others."""
    found = [parts(by_group(GROUPS, valid=0.2, test=0.2, seed=seed)) for seed in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0] != found[2]


def test_half_a_sign_is_a_group() -> None:
    """A lone surrogate, which no encoding has."""
    by_group([*GROUPS, "\ud800"], valid=0.2, test=0.2, seed=0)


@pytest.mark.parametrize("groups", [[], ["one"] * 50, ["one", "two"] * 50])
def test_a_part_without_an_item_is_refused(groups: list[str]) -> None:
    """With how many groups there are."""
    with pytest.raises(InputError, match=f"only {len(set(groups))} groups") as caught:
        by_group(groups, valid=0.1, test=0.1, seed=0)
    assert caught.value.field == "group"


def split_of(*places: list[int]) -> Split:
    """A split of given places."""
    return Split(*(np.array(own, np.int64) for own in places))


def test_a_leak_is_refused() -> None:
    """In either order of the two texts, with how many pairs leak."""
    texts = [("a", "b"), ("c", "d"), ("b", "a"), ("c", "d")]
    with pytest.raises(InputError, match="2 pairs are in more than one part") as caught:
        check(split_of([0, 1], [2], [3]), texts)
    assert caught.value.field == "group"


def test_a_text_in_two_parts_is_no_leak() -> None:
    """Nor is a pair that comes twice in one part: pairs are what is learned."""
    check(split_of([0, 1], [2], [3]), [("a", "b"), ("a", "b"), ("a", "c"), ("b", "c")])

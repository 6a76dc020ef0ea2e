"""The order of learning: everything once an epoch, in batches that are known by their step."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from menpai.train.shuffle import LENGTH_STEP, Shuffle, padded

LENGTHS = np.random.default_rng(0).integers(5, 60, 500)
lengths = st.lists(st.integers(1, 130), min_size=1, max_size=80)


def epoch(shuffle: Shuffle, number: int = 0) -> list[list[int]]:
    """All batches of an epoch."""
    start = number * shuffle.n_batches
    return [shuffle.batch(start + i)[0].tolist() for i in range(shuffle.n_batches)]


@given(lengths, st.integers(8, 2000), st.integers(0, 9), st.integers(0, 3))
def test_every_item_comes_once_an_epoch(
    own: list[int], max_tokens: int, seed: int, number: int
) -> None:
    """In no more padded tokens than there may be, unless one alone has more."""
    shuffle = Shuffle(own, max_tokens, seed)
    seen: list[int] = []
    for step in range(number * shuffle.n_batches, (number + 1) * shuffle.n_batches):
        places, length = shuffle.batch(step)
        assert length % LENGTH_STEP == 0
        assert all(length - LENGTH_STEP < own[place] <= length for place in places)
        assert len(places) * length <= max_tokens or len(places) == 1
        seen += places.tolist()
    assert sorted(seen) == list(range(len(own)))


def test_max_tokens_is_used() -> None:
    """Batches are as full as they may be."""
    sizes = [Shuffle(LENGTHS, most, 0).n_batches for most in (64, 512, 4096)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[0] > 4 * sizes[1]
    assert Shuffle([8] * 100, 80, 0).n_batches == 10


def test_the_same_seed_has_the_same_order() -> None:
    """Another seed, and another epoch, has another one."""
    first, again, other = (Shuffle(LENGTHS, 512, seed) for seed in (3, 3, 4))
    assert epoch(first) == epoch(again)
    assert epoch(first) != epoch(other)
    assert epoch(first) != epoch(first, 1)
    assert epoch(first, 1) == epoch(again, 1)


def test_lengths_do_not_come_in_order() -> None:
    """Otherwise all short pairs would be learned first."""
    shuffle = Shuffle(LENGTHS, 512, 0)
    found = [shuffle.batch(step)[1] for step in range(shuffle.n_batches)]
    assert found != sorted(found)
    assert len(set(found)) > 4


def test_a_batch_is_known_without_those_before_it() -> None:
    """In whatever order steps are asked for."""
    whole, late = Shuffle(LENGTHS, 512, 0), Shuffle(LENGTHS, 512, 0)
    steps = list(range(3 * whole.n_batches))
    wanted = [whole.batch(step) for step in steps]
    for step in np.random.default_rng(1).permutation(steps):
        places, length = late.batch(int(step))
        assert places.tolist() == wanted[step][0].tolist()
        assert length == wanted[step][1]


def test_no_more_than_the_encoder_has_places_for() -> None:
    """Even if that is no multiple: there is no embedding for more."""
    shuffle = Shuffle([3, 49, 50], 512, 0, longest=50)
    assert sorted(shuffle.batch(step)[1] for step in range(shuffle.n_batches)) == [8, 50]
    assert padded(np.array([1, 8, 9, 49, 50]), 50).tolist() == [8, 8, 16, 50, 50]
    assert padded(np.array([49])).tolist() == [56]


@pytest.mark.parametrize("given_as", [list, tuple, np.array])
def test_lengths_may_be_any_sequence(given_as: type) -> None:
    """Lists as arrays."""
    assert Shuffle(given_as([3, 4, 20]), 64, 0).n_batches == 2

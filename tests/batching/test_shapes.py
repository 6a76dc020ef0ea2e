"""The grid of padded lengths and row counts."""

import pytest
from hypothesis import given, strategies as st

from menpai.batching.shapes import length_bucket, row_counts
from menpai.errors import InputError


@pytest.mark.parametrize(
    ("n_tokens", "bucket"),
    [
        (1, 4),
        (4, 4),
        (5, 6),
        (31, 32),
        (32, 32),
        (33, 36),
        (64, 64),
        (65, 72),
        (128, 128),
        (129, 144),
        (500, 512),
    ],
)
def test_steps_widen_with_the_length(n_tokens: int, bucket: int) -> None:
    """Steps of 2, 4, 8 and 16, from 4 on."""
    assert length_bucket(n_tokens, 512) == bucket


@pytest.mark.parametrize(("n_tokens", "max_length"), [(2, 3), (33, 34), (510, 510)])
def test_no_item_is_padded_beyond_what_the_model_reads(n_tokens: int, max_length: int) -> None:
    """A limit off the grid is a length of its own."""
    assert length_bucket(n_tokens, max_length) == max_length


@pytest.mark.parametrize("n_tokens", [-1, 0, 33])
def test_impossible_lengths_are_refused(n_tokens: int) -> None:
    """An item has tokens, and no more of them than the model reads."""
    with pytest.raises(InputError, match=f"1 to 32 tokens, this one has {n_tokens}"):
        length_bucket(n_tokens, 32)


@pytest.mark.parametrize(("max_length", "n_buckets"), [(32, 15), (64, 23), (128, 31), (512, 55)])
def test_number_of_lengths(max_length: int, n_buckets: int) -> None:
    """The figures of the description."""
    assert len({length_bucket(n, max_length) for n in range(1, max_length + 1)}) == n_buckets


@given(st.integers(1, 600), st.integers(0, 600))
def test_length_holds_the_item(n_tokens: int, spare: int) -> None:
    """No token is lost, and no longer item is padded to less."""
    max_length = n_tokens + spare
    bucket = length_bucket(n_tokens, max_length)
    assert n_tokens <= bucket <= max_length
    assert length_bucket(bucket, max_length) == bucket
    assert bucket <= length_bucket(max_length, max_length)


def test_row_counts() -> None:
    """Powers of 2 and 3 times these, none above the limit."""
    assert row_counts(100) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96]
    assert row_counts(96)[-1] == 96
    assert row_counts(95)[-1] == 64
    assert row_counts(1) == [1]


def test_halves_of_row_counts_are_row_counts() -> None:
    """Splitting makes no new shape."""
    counts = row_counts(4096)
    assert {half for n in counts[1:] for half in (n // 2, n - n // 2)} <= set(counts)


@pytest.mark.parametrize(("max_length", "n_shapes"), [(64, 287), (128, 353), (512, 472)])
def test_number_of_shapes(max_length: int, n_shapes: int) -> None:
    """The figures of the description: all that a budget of 2,048 tokens allows."""
    buckets = {length_bucket(n, max_length) for n in range(1, max_length + 1)}
    assert sum(len(row_counts(2048 // bucket)) for bucket in buckets) == n_shapes

"""Inputs in rows and in batches: what goes in comes out, padded with nothing."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.model.tokenizer import Tokens
from menpai.train.items import Items

TOKENS = [
    Tokens(np.array(ids, np.int32), np.array(segments, np.int32), is_truncated=False)
    for ids, segments in (
        ([2, 7, 3, 8, 3], [0, 0, 0, 1, 1]),
        ([2, 9, 3], [0, 0, 0]),
        ([2, 5, 6, 3], [0, 0, 1, 1]),
    )
]
CHANNELS = {
    "shared": [np.array(row, np.int32) for row in ([0, 4, 0, 5, 0], [0, 6, 0], [0, 1, 2, 0])]
}


@pytest.fixture
def items() -> Items:
    """Three inputs with a channel."""
    return Items(TOKENS, CHANNELS, has_segments=True)


def test_batch_is_padded(items: Items) -> None:
    """In the order asked for; the mask is 1 where a token is."""
    batch = items.batch(np.array([2, 0]), 8, pad_id=1)
    assert {name: tensor.tolist() for name, tensor in batch.items()} == {
        "ids": [[2, 5, 6, 3, 1, 1, 1, 1], [2, 7, 3, 8, 3, 1, 1, 1]],
        "segments": [[0, 0, 1, 1, 0, 0, 0, 0], [0, 0, 0, 1, 1, 0, 0, 0]],
        "shared": [[0, 1, 2, 0, 0, 0, 0, 0], [0, 4, 0, 5, 0, 0, 0, 0]],
        "mask": [[1, 1, 1, 1, 0, 0, 0, 0], [1, 1, 1, 1, 1, 0, 0, 0]],
    }


def test_lengths_are_counted(items: Items) -> None:
    """One for each input."""
    assert items.lengths.tolist() == [5, 3, 4]
    assert len(items) == 3


def test_segments_are_left_out_where_the_encoder_has_none() -> None:
    """All are then of the first text."""
    batch = Items(TOKENS, CHANNELS, has_segments=False).batch(np.array([0]), 8, 0)
    assert not batch["segments"].any()
    assert batch["shared"].any()


def test_without_channels() -> None:
    """The plain inputs are enough."""
    assert set(Items(TOKENS, {}, has_segments=True).batch(np.array([0]), 8, 0)) == {
        *("ids", "segments", "mask")
    }


def test_batches_are_copies(items: Items) -> None:
    """What is done to one leaves the next as it was."""
    items.batch(np.array([0]), 8, 0)["ids"].zero_()
    assert items.batch(np.array([0]), 8, 0)["ids"][0, 1] == 7

"""Hidden tokens: as many in every batch of a shape, in runs, never a mark or padding."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra torch is not installed")

from menpai.train.masking import hide

MASK, FIRST, WORDS = 4, 5, 200


def batch(rows: int = 40, length: int = 24) -> tuple[Any, Any]:
    """Texts of other lengths between marks."""
    rng = np.random.default_rng(3)
    ids = rng.integers(FIRST, WORDS, (rows, length))
    mask = np.ones_like(ids)
    for row, n in enumerate(rng.integers(length // 2, length, rows)):
        ids[row, 0], ids[row, n - 1] = 2, 3
        ids[row, n:] = mask[row, n:] = 0
    return ids, mask


def hidden(seed: int = 0) -> Any:
    """A batch, its mask and what was hidden of it."""
    ids, mask = batch()
    found = hide(
        ids, mask, np.random.default_rng(seed), mask_id=MASK, first_word=FIRST, n_words=WORDS
    )
    return ids, mask, found


def test_as_many_tokens_are_hidden_in_every_batch_of_a_shape() -> None:
    """A new number would be a new shape, and cost the kernels a compilation."""
    assert {len(hidden(seed)[2].places) for seed in range(5)} == {int(0.18 * 40 * 24)}


def test_what_is_wanted_is_what_stood_there() -> None:
    """In the order of the places."""
    ids, _, found = hidden()
    assert (found.wanted == ids.ravel()[found.places]).all()


def test_marks_and_padding_stay() -> None:
    """There is nothing to learn from them."""
    ids, mask, found = hidden()
    is_fixed = (ids < FIRST) | (mask == 0)
    assert (found.ids[is_fixed] == ids[is_fixed]).all()
    assert not is_fixed.ravel()[found.places].any()


def test_what_is_not_hidden_stays() -> None:
    """The rest is what tokens are named by."""
    ids, _, found = hidden()
    others = np.setdiff1d(np.arange(ids.size), found.places)
    assert (found.ids.ravel()[others] == ids.ravel()[others]).all()


def test_most_are_masked_some_stay_and_some_become_others() -> None:
    """So that a token that is there is not always taken for true."""
    now, wanted = [], []
    for seed in range(30):
        _, _, found = hidden(seed)
        now.append(found.ids.ravel()[found.places])
        wanted.append(found.wanted)
    now_, wanted_ = np.concatenate(now), np.concatenate(wanted)
    assert (now_ == MASK).mean() == pytest.approx(0.8, abs=0.03)
    assert (now_ == wanted_).mean() == pytest.approx(0.1, abs=0.03)
    assert (now_ >= FIRST).all() | (now_ == MASK)[now_ < FIRST].all()


def test_tokens_are_hidden_in_runs() -> None:
    """One character of a name is too easily told by the others."""
    _, _, found = hidden()
    neighbours = (np.diff(found.places) == 1).mean()
    assert neighbours > 0.4  # one by one it would be 0.18


def test_another_seed_hides_others() -> None:
    """And the same one the same."""
    assert not np.array_equal(hidden(0)[2].places, hidden(1)[2].places)
    assert np.array_equal(hidden(1)[2].ids, hidden(1)[2].ids)


def test_a_batch_of_few_tokens_hides_what_there_is() -> None:
    """At least one, and no mark."""
    ids, mask = np.array([[2, 7, 3, 0]]), np.array([[1, 1, 1, 0]])
    found = hide(ids, mask, np.random.default_rng(0), mask_id=MASK, first_word=FIRST, n_words=WORDS)
    assert set(found.places.tolist()) <= {1}

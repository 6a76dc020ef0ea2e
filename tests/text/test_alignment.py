"""The longest common subsequence: as long as can be, in order, the same both ways."""

import pytest
from hypothesis import given, strategies as st
from rapidfuzz.distance import LCSseq

from menpai.text.alignment import aligned

texts = st.text("望澜路88号楼3", max_size=90)


@given(texts, texts)
def test_it_is_common_and_as_long_as_can_be(left: str, right: str) -> None:
    """The same characters in the same order; another library finds no more of them."""
    own, other = aligned(left, right)
    assert [left[i] for i in sorted(own)] == [right[i] for i in sorted(other)]
    assert len(own) == LCSseq.similarity(left, right)


@given(texts, texts)
def test_swapped_texts_swap_the_places(left: str, right: str) -> None:
    """Though there may be several that are as long."""
    own, other = aligned(left, right)
    assert aligned(right, left) == (other, own)


@pytest.mark.parametrize(
    ("left", "right", "own", "other"),
    [
        ("", "", [], []),
        ("", "路", [], []),
        ("望澜路", "望澜路", [0, 1, 2], [0, 1, 2]),
        ("望路", "望澜路", [0, 1], [0, 2]),
        ("路望", "望路", [1], [0]),
        ("路路", "路", [0], [0]),
        ("海", "路", [], []),
        ("\ud800路😀", "😀\ud800路", [0, 1], [1, 2]),
    ],
)
def test_by_hand(left: str, right: str, own: list[int], other: list[int]) -> None:
    """Small ones; half a character is one as well."""
    assert [sorted(places) for places in aligned(left, right)] == [own, other]


@given(texts, texts)
def test_of_several_it_is_the_one_that_models_learned_with(left: str, right: str) -> None:
    """Another choice would tell a trained model something else."""
    left, right = sorted((left, right))
    found: tuple[set[int], set[int]] = (set(), set())
    for step in LCSseq.opcodes(left, right):
        if step.tag == "equal":
            found[0].update(range(step.src_start, step.src_end))
            found[1].update(range(step.dest_start, step.dest_end))
    assert aligned(left, right) == found

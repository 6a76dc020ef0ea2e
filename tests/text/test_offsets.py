"""The maps back to the original: every edit keeps them right."""

from __future__ import annotations

import re

import pytest

from menpai.text.offsets import Aligned, cut, set_apart, substitute


def spans(aligned: Aligned) -> list[tuple[int, int]]:
    """Give the span of each character."""
    assert aligned.starts is not None
    assert aligned.ends is not None
    return list(zip(aligned.starts, aligned.ends, strict=True))


def test_nothing_found_gives_the_same_object() -> None:
    """The caller learns by identity that a step had nothing to do."""
    aligned = Aligned("北京")
    assert substitute(aligned, re.compile("上海"), "天津") is aligned
    assert substitute(aligned, re.compile("北"), "北") is aligned


def test_same_length_needs_no_map() -> None:
    """Most texts never pay for a map."""
    assert substitute(Aligned("臺北"), re.compile("臺"), "台") == Aligned("台北")


def test_a_longer_and_a_shorter_replacement_share_the_replaced_span() -> None:
    """Each new character points at all that it stands for."""
    longer = substitute(Aligned("5#a"), re.compile("#"), "号楼")
    assert longer.text == "5号楼a"
    assert spans(longer) == [(0, 1), (1, 2), (1, 2), (2, 3)]
    shorter = substitute(Aligned("a负一层b"), re.compile("负一层"), "B1")
    assert spans(shorter) == [(0, 1), (1, 4), (1, 4), (4, 5)]


def test_edits_compose() -> None:
    """A later edit points at the first original, through what an earlier one left."""
    once = substitute(Aligned("x一百零八号"), re.compile("一百零八"), "108")
    twice = substitute(once, re.compile("x"), "")
    assert twice.text == "108号"
    assert spans(twice) == [(1, 5), (1, 5), (1, 5), (5, 6)]


def test_mixed_edits_in_one_pass() -> None:
    """An edit of equal length between two others keeps its own spans."""
    edited = substitute(
        Aligned("aabbcc"), re.compile("aa|bb|cc"), lambda m: {"aa": "A", "bb": "BB", "cc": ""}[m[0]]
    )
    assert edited.text == "ABB"
    assert spans(edited) == [(0, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(0, 2, None), (1, 3, [(1, 2), (2, 3)]), (2, 2, [])]
)
def test_cut(start: int, end: int, expected: list[tuple[int, int]] | None) -> None:
    """Cutting the tail alone needs no map; cutting the head does."""
    kept = cut(Aligned("abcd"), start, end)
    assert kept.text == "abcd"[start:end]
    assert (None if kept.starts is None else spans(kept)) == expected


def test_cut_of_a_mapped_text() -> None:
    """A map that exists is cut along."""
    mapped = substitute(Aligned("xabc"), re.compile("x"), "")
    assert spans(cut(mapped, 0, 2)) == [(1, 2), (2, 3)]


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        ("南.北", "T1", "T1"),
        ("O.1", "T1", " T1 "),
        ("O.1", "B1层", " B1层"),
        ("6.3", "", " "),
        ("号.3", "", ""),
        (".", "T1", "T1"),
    ],
)
def test_set_apart(text: str, written: str, expected: str) -> None:
    """A replacement never runs into a number or a word beside it."""
    match = re.search(r"\.", text)
    assert match is not None
    assert set_apart(match, written) == expected

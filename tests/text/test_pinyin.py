"""How characters sound."""

from __future__ import annotations

import pytest

from menpai.text.pinyin import readings, romanised, sounds_alike


@pytest.mark.parametrize(
    ("char", "expected"), [("中", {"zhong"}), ("吕", {"lv"}), ("A", set()), ("山", {"shan"})]
)
def test_readings(char: str, expected: set[str]) -> None:
    """Toneless, ü as v; a letter has none."""
    assert readings(char) == expected


def test_a_character_of_several_sounds_has_several_readings() -> None:
    """重 is chong and zhong."""
    assert readings("重") >= {"chong", "zhong"}


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("五常", "五长", True),
        ("杭洲", "杭州", True),
        ("A座", "A座", True),
        ("A座", "B座", False),
        ("杭州", "广州", False),
        ("杭州", "杭州市", False),
        ("重", "从", False),
    ],
)
def test_sounds_alike(a: str, b: str, *, alike: bool) -> None:
    """Place by place, a shared reading or the same sign; another length is another text."""
    assert sounds_alike(a, b) is alike


@pytest.mark.parametrize(
    ("text", "spelt"), [("中山", "zhongshan"), ("重庆", "chongqing"), ("绿", "lv"), ("A区", "Aqu")]
)
def test_romanised(text: str, spelt: str) -> None:
    """Words are read as words, and what has no reading stays."""
    assert romanised(text) == spelt

"""`menpai normalize`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Menpai = Callable[..., Any]


def test_text_for_people(menpai: Menpai) -> None:
    """One line for each text."""
    ended = menpai("normalize", "望瀾路８８號", "文瑞路９号")
    assert (ended.code, ended.out) == (0, "望澜路88号\n文瑞路9号\n")


def test_json(menpai: Menpai) -> None:
    """The text as it was and as it is."""
    assert menpai("normalize", "望瀾路８８號", "--json").json == {
        "text": "望瀾路８８號",
        "normalized": "望澜路88号",
    }


def test_table(menpai: Menpai, write_lines: Callable[..., Path]) -> None:
    """A column is added."""
    write_lines("in.csv", ["a,b", "望瀾路８８號,1"])
    ended = menpai("normalize", "--in", "in.csv", "--column", "a", "--out", "-", "--limit", 1)
    assert json.loads(ended.out) == {"a": "望瀾路８８號", "b": "1", "normalized": "望澜路88号"}


def test_wrong_usage(menpai: Menpai) -> None:
    """Neither text nor table."""
    assert menpai("normalize").code == 2

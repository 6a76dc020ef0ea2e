"""Misspelt divisions and towns: corrected with evidence, else left alone."""

from __future__ import annotations

import pytest

from menpai.address import divisions
from menpai.address.spelling import correct_division, correct_town, is_slip
from menpai.text.pinyin import readings

TABLE = divisions.load()


@pytest.mark.parametrize(
    ("written", "meant", "slip"),
    [
        ("洲", "州", True),
        ("州", "洲", True),
        ("汩", "汨", True),
        ("敦", "墩", True),
        ("岚", "州", False),
    ],
)
def test_slips(written: str, meant: str, slip: bool) -> None:  # noqa: FBT001  a column
    """A slip sounds or looks like the right character, whichever was written."""
    assert is_slip(written, meant) is slip
    assert is_slip(meant, written) is slip


def test_lookalikes_need_not_sound_alike() -> None:
    """汩 and 汨 share no reading, only their looks."""
    assert not readings("汩") & readings("汨")


@pytest.mark.parametrize(
    ("text", "within", "want"),
    [
        ("杭洲市文瑞路", None, ("杭州市", 3)),
        ("汩罗市文瑞路", None, ("汨罗市", 3)),
        ("西胡区文瑞路", "330100", ("西湖区", 3)),
        ("西湖曲", "330100", ("西湖区", 3)),
        ("西胡区文瑞路", "110000", None),
        ("杭岚市文瑞路", None, None),
        ("杭州市文瑞路", None, None),
        ("岚市文瑞路", None, None),
        ("文瑞路8号", None, None),
        ("", None, None),
    ],
    ids=[
        "sound",
        "looks",
        "within",
        "ending",
        "not-within",
        "no-slip",
        "right",
        "short-stem",
        "no-ending",
        "empty",
    ],
)
def test_misspelt_divisions(text: str, within: str | None, want: tuple[str, int] | None) -> None:
    """One known name at one plausible slip's distance, in what was said so far."""
    assert correct_division(text, 0, TABLE, within) == want


def test_two_candidates_correct_nothing() -> None:
    """A slip of two names at once is no evidence for either."""
    names = sorted(n for n in TABLE.official_names if n[1:] == "安市" or n[1:] == "阳市")
    open_slips = 0
    for name in names:
        for other in names:
            found = correct_division(f"{name[0]}{other[1:]}", 0, TABLE, None)
            open_slips += found is None
    assert open_slips


TOWNS = {"三墩镇": "330106109", "五常街道": "330110005", "岚镇": "330106999"}


@pytest.mark.parametrize(
    ("written", "want"),
    [
        ("三敦镇", ("三墩镇", "330106109")),
        ("三敦街道办", ("三墩镇", "330106109")),
        ("五长街道", ("五常街道", "330110005")),
        ("五常常街道", ("五常街道", "330110005")),
        ("五岚街道", None),
        ("岚岚泽镇", None),
        ("蓝镇", None),
    ],
)
def test_misspelt_towns(written: str, want: tuple[str, str] | None) -> None:
    """One town of the district at one slip's distance, or with a character twice."""
    assert correct_town(written, TOWNS) == want


def test_a_slip_of_two_towns_corrects_nothing() -> None:
    """Two towns that the written name could be leave it as it is."""
    assert correct_town("三敦镇", {"三墩镇": "1", "三蹲乡": "2"}) is None

"""What stands between words: blanks, commas, dashes."""

from __future__ import annotations

import re

from menpai.text.numerals import NUMERALS
from menpai.text.offsets import Aligned, cut, substitute

_DOTS = re.compile(r"\.{2,}")
_RUN = re.compile(r"[ ,、:·]{2,}")
_BESIDE_BRACKET = re.compile(r" (?:(?<=[(\[] )|(?=[)\]]))")
_STRENGTH = ",、:· "

_DASHES = re.compile(r"-{2,}|[ー一丨](?<=[0-9].)(?=[0-9])")

_UNIT_WORD = r"(?=号|栋|幢|座|楼|层|单元|室|房|户|弄|巷|组|队|期|铺|#)"
_INNER_BLANK = re.compile(
    # Six digits are a postcode, more are a phone.
    rf" (?<=[0-9A-Za-z{NUMERALS}] )(?<![0-9]{{6}} ){_UNIT_WORD}"
    r"| (?<=[路街道巷弄里] )(?=[0-9]{1,5}(?![0-9]|-[0-9]{5}))"
    r"| (?<=[0-9] )(?=- ?[0-9])"
    r"| (?<=[0-9]- )(?=[0-9])| (?<=[0-9] - )(?=[0-9])"
)


def collapse_separators(aligned: Aligned) -> Aligned:
    """Keep the strongest of a run of separators; none at the edges or just inside a bracket."""
    if ".." in aligned.text:
        aligned = substitute(aligned, _DOTS, ",")
    aligned = substitute(aligned, _RUN, _strongest)
    if " " in aligned.text:
        aligned = substitute(aligned, _BESIDE_BRACKET, "")
    text = aligned.text
    start = len(text) - len(text.lstrip(" ,"))
    end = len(text.rstrip(" ,"))
    return cut(aligned, start, max(start, end)) if start or end < len(text) else aligned


def _strongest(match: re.Match[str]) -> str:
    return next(mark for mark in _STRENGTH if mark in match[0])


def unify_dashes(aligned: Aligned) -> Aligned:
    """Write one hyphen for several, and for the strokes that are typed for one between digits."""
    return substitute(aligned, _DASHES, "-")


def close_up(aligned: Aligned) -> Aligned:
    """Drop a blank inside one number: 1 号, 青年路 1号, 7 - 2 - 802."""
    return substitute(aligned, _INNER_BLANK, "")

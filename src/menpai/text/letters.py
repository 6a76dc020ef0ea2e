"""The case of letters that number something."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from menpai.text.offsets import substitute

if TYPE_CHECKING:
    from menpai.text.offsets import Aligned

# One or two letters that no other letter touches, so that words (soho, mall) stay as written:
# before a unit (a座, b1号楼), before a number (t1, a-101), after one (88g, 3单元a室, 12-b).
_NUMBERING = re.compile(
    r"[A-Za-z](?<![A-Za-z].)[A-Za-z]?(?=[0-9]{0,4}(?:座|栋|楼|层|单元|区|室|户|号|口|馆|铺))"
    r"|[a-z](?<![A-Za-z].)(?=-?[0-9])"
    r"|[A-Za-z](?<=[0-9].)[A-Za-z]?(?![A-Za-z])"
    r"|[a-z](?<=[0-9]-.)(?![A-Za-z])"
)
_AFTER_AMOUNT = frozenset(["m", "km", "st", "nd", "rd", "th"])  # 50m, 100m2, 30th floor


def capitalise_numbering(aligned: Aligned) -> Aligned:
    """Write the letters of a number as capitals."""
    return substitute(aligned, _NUMBERING, _capitals)


def _capitals(match: re.Match[str]) -> str:
    after_digit = match.string[max(0, match.start() - 1)].isdigit()
    return match[0] if after_digit and match[0] in _AFTER_AMOUNT else match[0].upper()

"""Which names of a list are a compound's: no road, no house number, no remark."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAME = re.compile(r"[一-鿿A-Z·]{2,9}[一-鿿期区号]\Z")
_OTHER = re.compile(r"\d{2}|对面|附近|旁|路口|私房|民房|电梯|平房|其他|出租|[路街巷]\d|\d[号弄]")
_ROAD = re.compile(r"(?:大道|大街|路|街|巷|胡同)\Z")


def usable(names: Iterable[str]) -> list[str]:
    """Keep the names that can stand in an address as a compound's.

    Args:
        names: Names, one may be there twice.

    Returns:
        Those that can, in NFKC form, sorted, each once.
    """
    forms = sorted({unicodedata.normalize("NFKC", name.strip()) for name in names})
    return [n for n in forms if _NAME.match(n) and not _OTHER.search(n) and not _ROAD.search(n)]

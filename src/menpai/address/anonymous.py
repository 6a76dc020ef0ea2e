"""An address without the person it belongs to: what encoders read and caches keep."""

from __future__ import annotations

import re

from menpai.address import divisions
from menpai.address.contacts import GAP, extract
from menpai.text.normalize import normalize

MAX_CHARACTERS = 2000
"""Characters that are read; no address is longer, and a book in a cell must not cost seconds."""

_TAKEN = re.compile(f"[ ,;:]*{GAP}[{GAP} ,;:]*")


def anonymous(text: str) -> str:
    """Give the canonical form of a text without names, phones and postcodes; "" if none is left.

    Raises:
        InputError: The text is no string.
    """
    canonical = _canonical(text)
    left = extract(canonical, _is_place).text
    while GAP in left:  # what stood behind one contact may show another
        canonical = _canonical(_TAKEN.sub(" ", left))
        left = extract(canonical, _is_place).text
    return left


def _canonical(text: str) -> str:
    canonical = normalize(text).text
    if len(canonical) <= MAX_CHARACTERS:
        return canonical
    return normalize(canonical[:MAX_CHARACTERS]).text  # a cut may leave a separator at the end


def _is_place(token: str) -> bool:
    return bool(divisions.load().readings(token))

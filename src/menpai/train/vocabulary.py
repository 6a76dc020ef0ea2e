"""The words of an encoder of our own: marks, ASCII signs, and one token for each character."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MARKS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_SIGNS = tuple(chr(code) for code in range(33, 127) if not chr(code).isupper())
BASE = (*MARKS, *_SIGNS, *(f"##{sign}" for sign in _SIGNS if sign.isalnum()))
"""What every vocabulary begins with: marks, then ASCII at the beginning and inside of words."""


def words(texts: Iterable[str], *, least: int = 2) -> list[str]:
    """Give a vocabulary in BERT's form, the commonest characters first.

    A number or a Latin word is cut to single signs: whether two numbers are one is to be seen
    digit by digit.

    Args:
        texts: What the characters are counted in.
        least: Texts' occurrences from which a character gets a token.
    """
    counts = Counter(sign for text in texts for sign in text)
    others = [
        sign
        for sign, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        if count >= least and not sign.isascii() and not sign.isspace()
    ]
    return [*BASE, *others]

"""What an encoder reads of a text and of a pair."""

from __future__ import annotations

from menpai.address.anonymous import anonymous
from menpai.errors import InputError

Pair = tuple[str, str]

_BLANK = "the text is empty, or names and phones are all that it holds"


def of_text(text: str) -> str | InputError:
    """Give a text's canonical form without names, phones and postcodes, or why there is none."""
    try:
        found = anonymous(text)
    except InputError as error:
        return error
    return found or InputError(_BLANK)


def of_pair(left: str, right: str) -> Pair | InputError:
    """Give both texts' forms, in an order that depends on them alone."""
    first, second = of_text(left), of_text(right)
    if isinstance(first, InputError):
        return first
    if isinstance(second, InputError):
        return second
    return (first, second) if first <= second else (second, first)

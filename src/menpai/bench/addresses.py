"""Addresses to measure with: the package's made-up ones with other numbers, as many as wanted."""

from __future__ import annotations

import random
import re

from menpai.model import probes

_USUAL = 24
"""Longest that is taken: the average is then 18.8 characters, as that of registered addresses."""
_NUMBER = re.compile(r"\d+")


def addresses(n: int, seed: int = 0) -> list[str]:
    """Give distinct addresses, the same for the same seed."""
    rng = random.Random(seed)  # noqa: S311 -- addresses are no secrets
    usual = [text for text in probes.addresses() if len(text) <= _USUAL and _NUMBER.search(text)]
    found: dict[str, None] = {}
    while len(found) < n:
        text = rng.choice(usual)
        found[_NUMBER.sub(lambda number: _other(rng, number[0]), text)] = None
    return list(found)


def _other(rng: random.Random, number: str) -> str:
    """A number of as many digits; phones and postcodes stay."""
    if len(number) >= _LONG:
        return number
    return str(rng.randint(10 ** (len(number) - 1), 10 ** len(number) - 1))


_LONG = 6

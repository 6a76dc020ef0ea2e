"""What is learned from, and what is held out: groups stay together, so that nothing leaks."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from menpai.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Places = NDArray[np.int64]


class Split(NamedTuple):
    """Places of the items of each part."""

    train: Places
    valid: Places
    test: Places


def by_group(groups: Sequence[str], *, valid: float, test: float, seed: int) -> Split:
    """Share out items so that those of one group come into one part.

    Args:
        groups: What each item belongs to, such as its left text.
        valid: Share of the groups that decides when to stop.
        test: Share that the figures are taken from.
        seed: Another one gives another split.

    Raises:
        InputError: A part is left without an item.
    """
    drawn = np.array([_draw(group, seed) for group in groups])
    parts = Split(
        np.flatnonzero(drawn >= valid + test),
        np.flatnonzero((drawn >= test) & (drawn < valid + test)),
        np.flatnonzero(drawn < test),
    )
    for name, places in zip(Split._fields, parts, strict=True):
        if not len(places):
            raise InputError(
                f"no row is left for {name}: there are only {len(set(groups))} groups of rows "
                "that may not be torn apart",
                field="group",
            )
    return parts


def check(split: Split, texts: Sequence[tuple[str, str]]) -> None:
    """Refuse a split in which a pair stands in two parts.

    Raises:
        InputError: Pairs do: what is learned by heart would count as understood.
    """
    owner: dict[tuple[str, str], str] = {}
    torn = 0
    for name, places in zip(Split._fields, split, strict=True):
        for place in places:
            pair = texts[place]
            torn += owner.setdefault((min(pair), max(pair)), name) != name
    if torn:
        raise InputError(
            f"the split leaks: {torn} pairs are in more than one part; group the rows by a column "
            "whose groups share no pair",
            field="group",
        )


def _draw(group: str, seed: int) -> float:
    """A number from 0 to 1 that depends on the group alone, on any machine."""
    digest = hashlib.blake2b(f"{seed} {group}".encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "big") / 2**64

"""What a pair model is told of each character beside the character: the pair's own evidence.

A small encoder does not find out by itself which characters of one text stand in the other, which
element a character belongs to, how the two sides stand in it, or how rare a word is. It is told.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from menpai.address import rarity
from menpai.address.anonymous import MAX_CHARACTERS
from menpai.address.compare import compare
from menpai.address.elements import ELEMENTS
from menpai.address.parse import known
from menpai.errors import ModelError
from menpai.text.alignment import aligned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from menpai.address.elements import Address
    from menpai.address.relations import Relations
    from menpai.model.manifest import Manifest
    from menpai.model.tokenizer import Tokens

    Ints = NDArray[np.int32]

FEATURES_VERSION = 2
"""Changes with what a character is told: a model learned from one version understands no other."""
KINDS = ("equal", "alias", "renamed", "contains", "similar", "missing", "conflict")
_NUMBER = re.compile(r"\d+")
_LONGEST = 4
_SAME_NUMBER = 1 + 2 * (_LONGEST + 1)
_OTHER_NUMBER = _SAME_NUMBER + 1
_STEP = 1.5
_MOST_STEPS = 7
_N_GRADES = 16
_MOST_SHARED = 12.0

SIZES: dict[str, int] = {
    "shared": _OTHER_NUMBER + 1,
    "element": len(ELEMENTS) + 1,
    "relation": len(KINDS) + 1,
    "rarity": _MOST_STEPS + 1,
    "evidence": 1 + 3 * _N_GRADES,
}
"""Channels of a pair model, and how many values each can take.

A mark has 0 in all but `evidence`, where the three marks of a pair tell what is true of it as a
whole; a character has 0 there, and in the element and relation that were not found for it.
"""


class Side(NamedTuple):
    """Numbers for each character of one text of a pair, by channel."""

    shared: list[int]
    element: list[int]
    relation: list[int]
    rarity: list[int]


def channels(pairs: Sequence[tuple[str, str]], tokens: Sequence[Tokens]) -> dict[str, list[Ints]]:
    """Give what a pair model is told of each token: that of its first character.

    Args:
        pairs: Encoder inputs, two texts each.
        tokens: The same, cut to tokens, with their offsets.

    Returns:
        By channel, for each pair as many numbers as it has tokens.
    """
    told = [_told(pair, item) for pair, item in zip(pairs, tokens, strict=True)]
    return {name: [rows[place] for rows in told] for place, name in enumerate(SIZES)}


def check(manifest: Manifest) -> None:
    """Refuse a checkpoint that is to be told what is not computed here.

    Raises:
        ModelError: It would answer, and be wrong, in silence.
    """
    wanted = dict(manifest.config.channels)
    if not wanted:
        return
    if wanted != SIZES:
        raise ModelError(
            f"the checkpoint reads the channels {wanted}, this version computes {SIZES}: it was "
            "trained with another one"
        )
    if not manifest.has_pairs or manifest.prefix:
        raise ModelError("only a model of pairs without a prefix can read channels")


def _told(pair: tuple[str, str], tokens: Tokens) -> Ints:
    found = np.zeros((len(SIZES), len(tokens.ids)), np.int32)
    left, right = _parsed(pair[0]), _parsed(pair[1])
    relations = compare(left, right)
    both, marks = sides(left, right, relations), evidence(relations)
    for place, (text, (start, end)) in enumerate(zip(tokens.texts, tokens.offsets, strict=True)):
        if text is None:
            found[-1, place] = next(marks, 0)
        elif start < min(end, MAX_CHARACTERS):
            found[:-1, place] = [numbers[start] for numbers in both[text]]
    return found


def evidence(relations: Relations) -> Iterator[int]:
    """Give what a pair's marks are told: rarity in common, its share of both, numbers in common."""
    grades = (relations.shared / _MOST_SHARED, relations.dice, relations.numbers_shared)
    for place, grade in enumerate(grades):
        yield 1 + place * _N_GRADES + min(_N_GRADES - 1, int(grade * _N_GRADES))


def _parsed(text: str) -> Address:
    """Parse what is read of a text: a book in a cell, given raw, must not cost minutes."""
    return known(text[:MAX_CHARACTERS], None, None)  # as the matcher asks: the key is the call


def sides(left: Address, right: Address, relations: Relations | None = None) -> tuple[Side, Side]:
    """Give what both texts' characters are told.

    Args:
        left: An encoder input, parsed.
        right: The other.
        relations: How they stand, if that is known already.
    """
    known = compare(left, right) if relations is None else relations
    common = aligned(left.text, right.text)
    return (
        _side(left, right.text, common[0], known),
        _side(right, left.text, common[1], known),
    )


def _side(own: Address, other: str, common: set[int], relations: Relations) -> Side:
    elements = _elements(own)
    kinds = [0] + [_kind(relations, element) for element in ELEMENTS]
    return Side(
        shared=_shared(own.text, other, common),
        element=elements,
        relation=[kinds[element] for element in elements],
        rarity=list(_rarities(own.text)),
    )


def _elements(own: Address) -> list[int]:
    found = [0] * len(own.text)
    for place, element in enumerate(ELEMENTS, start=1):
        if element in own.spans:
            start, end = own.spans[element]
            found[start:end] = [place] * (end - start)
    return found


def _kind(relations: Relations, element: str) -> int:
    """The relation's place among the kinds; a tenant's stands in for a name's that is equal."""
    kind = relations.kind(element)
    if element == "poi" and kind in {"absent", "equal"} and "tenant" in relations.by_element:
        kind = relations.kind("tenant")
    return KINDS.index(kind) + 1 if kind in KINDS else 0


def _shared(own: str, other: str, common: set[int]) -> list[int]:
    """How long a run of the other text each character stands in, and whether it is aligned.

    A number is one thing: either it stands in the other text as a whole, or it does not.
    """
    runs = [0] * len(own)
    for size in range(1, _LONGEST + 1):
        for start in range(len(own) - size + 1):
            if own[start : start + size] in other:
                runs[start : start + size] = [size] * size
    found = [1 + run + (_LONGEST + 1) * (place in common) for place, run in enumerate(runs)]
    numbers = set(_NUMBER.findall(other))
    for number in _NUMBER.finditer(own):
        told = _SAME_NUMBER if number[0] in numbers else _OTHER_NUMBER
        found[number.start() : number.end()] = [told] * len(number[0])
    return found


@lru_cache(maxsize=4096)
def _rarities(text: str) -> tuple[int, ...]:
    """How rare the rarest pair of neighbours is that each character belongs to, in steps."""
    upper = "".join(map(_upper, text))
    found = [1] * len(text)
    for place in range(len(text) - 1):
        step = _step(upper[place : place + 2])
        found[place] = max(found[place], step)
        found[place + 1] = max(found[place + 1], step)
    return tuple(found)


@lru_cache(maxsize=65536)
def _step(pair: str) -> int:
    """How rare two neighbours are, in steps; the least where they are no pair of one word."""
    if not rarity.bigrams(pair):
        return 1
    return min(_MOST_STEPS, 1 + int(rarity.load().total({pair}) / _STEP))


def _upper(sign: str) -> str:
    """One sign for one: ß and ligatures become two, and would move all that follows."""
    upper = sign.upper()
    return upper if len(upper) == 1 else sign

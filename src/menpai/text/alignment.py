"""What two texts have in common in the same order: their longest common subsequence."""

from __future__ import annotations


def aligned(left: str, right: str) -> tuple[set[int], set[int]]:
    """Give the places of both texts in one of their longest common subsequences.

    Of several the same is chosen whichever text comes first: swapped texts swap the places.
    """
    if right < left:
        second, first = _aligned(right, left)
        return first, second
    return _aligned(left, right)


def _aligned(left: str, right: str) -> tuple[set[int], set[int]]:
    """Take off what both begin and end with, and walk back through the rest."""
    begin = _same(left, right)
    end = _same(left[begin:][::-1], right[begin:][::-1])
    own, other = left[begin : len(left) - end], right[begin : len(right) - end]
    found = (set(range(begin)), set(range(begin)))
    for column, row in _matches(own, other):
        found[0].add(begin + column)
        found[1].add(begin + row)
    found[0].update(range(len(left) - end, len(left)))
    found[1].update(range(len(right) - end, len(right)))
    return found


def _same(left: str, right: str) -> int:
    """How many characters two texts begin with that are the same."""
    for place, (a, b) in enumerate(zip(left, right, strict=False)):
        if a != b:
            return place
    return min(len(left), len(right))


def _matches(own: str, other: str) -> list[tuple[int, int]]:
    """Places of the pairs of characters, from the last to the first."""
    rows = _rows(own, other)
    column, row, found = len(own), len(other), []
    while row and column:
        bit = 1 << (column - 1)
        if rows[row - 1] & bit:
            column -= 1
            continue
        row -= 1
        if not row or rows[row - 1] & bit:
            column -= 1
            found.append((column, row))
    return found


def _rows(own: str, other: str) -> list[int]:
    """For each beginning of the other text, where in the own one the length grows: the bits at 0.

    All columns of a row at once, as bits of one number (Hyyrö, 2004): text lengths squared would
    be slower than parsing.
    """
    every = (1 << len(own)) - 1
    where: dict[str, int] = {}
    for place, sign in enumerate(own):
        where[sign] = where.get(sign, 0) | 1 << place
    bits, rows = every, []
    for sign in other:
        common = bits & where.get(sign, 0)
        bits = ((bits + common) | (bits - common)) & every
        rows.append(bits)
    return rows

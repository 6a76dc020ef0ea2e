"""How one element, and all of them, stand on the two sides of a comparison."""

from __future__ import annotations

from typing import NamedTuple


class Relation(NamedTuple):
    """How one element stands on both sides.

    `kind` is equal, alias, renamed, contains, similar, missing or conflict; missing means that one
    side lacks it. `similarity` is 1 for equal and the share of weight in common for names.
    """

    element: str
    left: str | None
    right: str | None
    kind: str
    similarity: float = 1.0

    @property
    def is_sibling(self) -> bool:
        """Say whether two names conflict only as parts, branches or facilities of one place."""
        return self.element in {"poi", "tenant"} and self.kind == "conflict" and self.similarity > 0


class Relations(NamedTuple):
    """All relations of two addresses, the string evidence, and flags."""

    by_element: dict[str, Relation]
    shared: float
    """Half-normalised rarity of what both texts share below the divisions; 0 to about 12."""
    dice: float
    """Rarity-weighted share of bigrams in common, 0 to 1."""
    numbers_shared: float
    """Share of the numbers of the side with fewer that the other side has too; 0 without any."""
    flags: tuple[str, ...]

    def kind(self, element: str) -> str:
        """Give the relation of an element: absent when neither side has it."""
        relation = self.by_element.get(element)
        return relation.kind if relation else "absent"

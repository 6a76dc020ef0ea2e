"""Groups for retrieval: a text, others of the same place, and others of places like it."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from menpai.synthesis.near import KINDS, Neighbours
from menpai.synthesis.writing import REGISTER_SHARES, Writer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from menpai.synthesis.forms import Form
    from menpai.synthesis.places import Place
    from menpai.synthesis.retrieval import Index
    from menpai.synthesis.world import World

_DEPTH = 20
_TRIES = 4


class Group(NamedTuple):
    """One text and what a search should and should not find for it.

    Attributes:
        anchor: The text.
        positives: Other texts of the same place.
        negatives: Texts of other places that look like it.
    """

    anchor: Form
    positives: tuple[Form, ...]
    negatives: tuple[Form, ...]


def groups(  # noqa: PLR0913  the sizes of a group are asked for by name
    world: World,
    n: int,
    seed: int = 0,
    *,
    n_positives: int = 3,
    n_negatives: int = 4,
    index: Index | None = None,
) -> Iterator[Group]:
    """Write groups.

    Args:
        world: The map.
        n: How many groups.
        seed: Another seed, other groups.
        n_positives: Other texts of the place, at most; equal ones are written once.
        n_negatives: Texts of other places, at most.
        index: Records to search for negatives, half of them; near misses alone if None.

    Yields:
        Groups.
    """
    rng = Random(f"groups {seed}")
    maker = _Maker(world, Writer(world, f"groups {seed}"), rng, index)
    for _ in range(n):
        place = world.draw(rng, REGISTER_SHARES.draw(rng))
        yield maker.make(place, n_positives, n_negatives)


class _Maker:
    """Makes one group after the other; no text stands in a group twice."""

    def __init__(self, world: World, writer: Writer, rng: Random, index: Index | None) -> None:
        self._writer = writer
        self._rng = rng
        self._index = index
        self._neighbours = Neighbours(world, rng)

    def make(self, place: Place, n_positives: int, n_negatives: int) -> Group:
        anchor = self._writer.write(place)
        seen = {anchor.text}
        again = (self._writer.write(place) for _ in range(n_positives + 1))
        positives = _new(again, n_positives, seen)
        found = _new(self._found(anchor, n_negatives // 2), n_negatives // 2, seen)
        missed = _new(self._missed(place, n_negatives), n_negatives - len(found), seen)
        return Group(anchor, positives, (*found, *missed))

    def _found(self, anchor: Form, n: int) -> Iterator[Form]:
        """What a search gives for the anchor, other places only, in an order drawn by chance."""
        if self._index is None:
            return
        near = [i for i, _ in self._index.nearest(anchor.text, _DEPTH) if i != anchor.place.index]
        yield from map(self._index.record, self._rng.sample(near, min(len(near), 2 * n)))

    def _missed(self, place: Place, n: int) -> Iterator[Form]:
        for _ in range(n * _TRIES):
            other = self._neighbours.of(place, self._rng.choice(KINDS))
            if other is not None:
                yield self._writer.write(other)


def _new(forms: Iterable[Form], n: int, seen: set[str]) -> tuple[Form, ...]:
    """Take up to `n` forms whose texts were not seen, and remember these."""
    taken: list[Form] = []
    for form in forms:
        if len(taken) >= n:
            break
        if form.text not in seen:
            seen.add(form.text)
            taken.append(form)
    return tuple(taken)

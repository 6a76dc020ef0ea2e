"""Pairs of texts: what a search returns for one, and places that are nearly the same."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from menpai.address import rarity
from menpai.errors import ConfigError
from menpai.synthesis.draws import Weighted
from menpai.synthesis.near import KINDS, Neighbours
from menpai.synthesis.retrieval import Index
from menpai.synthesis.writing import Writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from menpai.synthesis.forms import Form
    from menpai.synthesis.places import Place
    from menpai.synthesis.world import World

_QUERY_REGISTERS = Weighted(
    [("query", 0.36), ("courier", 0.2), ("shop", 0.1), ("jobs", 0.1), ("map", 0.16), ("poi", 0.08)]
)
_CANDIDATE_REGISTERS = Weighted(
    [("map", 0.6), ("poi", 0.15), ("company", 0.12), ("jobs", 0.08), ("courier", 0.05)]
)
_SOURCES = Weighted([("same", 0.08), ("inside", 0.1), ("search", 0.62), ("near", 0.2)])
"""Where the candidates of a query come from."""
_NEAR_KINDS = Weighted([(kind, 0.3 if kind in {"district", "city"} else 1.0) for kind in KINDS])
_DEPTH = 40
_MEAN_RANK = 9
"""A search gives so many records, and candidates are drawn from them, the first more often."""
_REWRITTEN = 0.3
"""Share of the found records that are written anew, in another register too."""
_TRIES = 5
_MOST_DRAWN = 300
"""Places that are tried before a kind of near miss is passed over."""
_SHARED = 6.0
"""Rarity of the pairs of characters that two texts must share to be found by each other."""
_UNLIKE = 0.08
"""Share of the pairs of one site, and of near misses, that may share nothing."""
_UPPER = frozenset({"province", "city", "district", "town", "name", "phone", "postcode"})


_SHOWN: Mapping[str, frozenset[str]] = {
    "number": frozenset({"roadno"}),
    "building": frozenset({"building"}),
    "unit": frozenset({"unit"}),
    "room": frozenset({"room"}),
    "side": frozenset({"road"}),
    "part": frozenset({"poi"}),
    "district": frozenset({"district", "town"}),
    "city": frozenset({"city", "district"}),
    "branch": frozenset({"branch"}),
    "name": frozenset({"poi"}),
    "tenant": frozenset({"tenant"}),
    "group": frozenset({"group"}),
    "road": frozenset({"road", "poi", "village"}),
}
"""Elements or parts in which the two texts of a near miss differ."""


class Pair(NamedTuple):
    """Two texts.

    Attributes:
        left: The query.
        right: A candidate for it.
        kind: How the two places stand: same, inside (one site), found (by the search), or one of
            the kinds of near misses, such as number or building.
        same_place: Both mean one place of the map.
        query: Number of the query; pairs of one query follow each other.
    """

    left: Form
    right: Form
    kind: str
    same_place: bool
    query: int


def pairs(
    world: World,
    n_queries: int,
    seed: int = 0,
    *,
    n_candidates: int = 6,
    index: Index | None = None,
) -> Iterator[Pair]:
    """Write queries, and for each what a search engine over the whole map might return.

    Labels come from `address.compare` on the `implied` addresses of both and from a policy.

    Args:
        world: The map.
        n_queries: How many queries.
        seed: Another seed, other queries.
        n_candidates: Most candidates of a query.
        index: The records that are searched; made anew if None.

    Yields:
        Pairs, those of one query one after the other.
    """
    rng = Random(f"pairs {seed}")
    writer = Writer(world, f"pairs {seed}")
    index = Index(world, seed) if index is None else index
    candidates = _Candidates(world, index, writer, rng)
    for query in range(n_queries):
        who = _QUERY_REGISTERS.draw(rng)
        left = writer.write(world.draw(rng, who), who)
        found = [place for place, _ in index.nearest(left.text, _DEPTH)]
        seen = {left.text}
        for _ in range(n_candidates):
            drawn = candidates.draw(left, found)
            if drawn is None or drawn[0].text in seen:
                continue
            right, kind = drawn
            seen.add(right.text)
            yield Pair(left, right, kind, right.place == left.place, query)


class _Candidates:
    """Draws candidates for a query from where they come from."""

    def __init__(self, world: World, index: Index, writer: Writer, rng: Random) -> None:
        self._index = index
        self._writer = writer
        self._rng = rng
        self._neighbours = Neighbours(world, rng)

    def draw(self, left: Form, found: Sequence[int]) -> tuple[Form, str] | None:
        """Draw a candidate and the kind of pair that it makes; None if the source has none.

        Args:
            left: The query.
            found: Numbers of the places that a search gave for it.
        """
        source = _SOURCES.draw(self._rng)
        register = _CANDIDATE_REGISTERS.draw(self._rng)
        if source == "search":
            return self._found(left, found, register) if found else None
        if source == "same":
            return self._written(left, lambda: self._writer.write(left.place, register)), source
        kind = "inside" if source == "inside" else _NEAR_KINDS.draw(self._rng)
        inside = kind == "inside"
        place = (
            self._neighbours.inside(left.place) if inside else self._neighbours.of(left.place, kind)
        )
        if place is None:
            return None
        if inside:
            return self._written(left, lambda: self._writer.write(place, register)), kind
        return self._written(left, lambda: _showing(kind, self._writer, place, register)), kind

    def _written(self, left: Form, write: Callable[[], Form]) -> Form:
        """Write until the text has a name in common with the query, as what a search finds has.

        Now and then it need not: people do write a compound's name for its road and number.
        """
        right = write()
        if self._rng.random() >= _UNLIKE:
            for _ in range(_TRIES):
                if share_a_name(left, right):
                    break
                right = write()
        return right

    def _found(self, left: Form, found: Sequence[int], register: str) -> tuple[Form, str]:
        rank = min(int(self._rng.expovariate(1 / _MEAN_RANK)), len(found) - 1)
        right = self._index.record(found[rank])
        if self._rng.random() < _REWRITTEN:
            right = self._writer.write(right.place, register)
        return right, _kind_of(left.place, right.place)


def share_a_name(left: Form, right: Form) -> bool:
    """Say whether two texts share rare pairs of characters below their divisions."""
    common = rarity.bigrams(_below_divisions(left)) & rarity.bigrams(_below_divisions(right))
    return rarity.load().total(common) >= _SHARED


def _below_divisions(form: Form) -> str:
    return " ".join(p.text for p in form.pieces if p.element and p.element not in _UPPER)


def _kind_of(left: Place, right: Place) -> str:
    if left == right:
        return "same"
    return "inside" if left.site.index == right.site.index else "found"


def near_misses(
    world: World, n: int, seed: int = 0, *, kinds: Sequence[str] = KINDS
) -> Iterator[Pair]:
    """Write pairs of places that differ in one thing, both as fully as people write.

    Args:
        world: The map.
        n: How many pairs.
        seed: Another seed, other pairs.
        kinds: Which things, of `menpai.synthesis.near.KINDS`; those are taken in turn. On a small
            map some may have no two places; they are passed over.

    Yields:
        Pairs of two places.

    Raises:
        ConfigError: The map has no two places for any of the kinds.
    """
    rng = Random(f"near misses {seed}")
    writer = Writer(world, f"near misses {seed}")
    neighbours = Neighbours(world, rng)
    made = turn = n_without = 0
    while made < n:
        kind = kinds[turn % len(kinds)]
        turn += 1
        drawn = _differing(kind, world, neighbours, rng)
        if drawn is None:
            n_without += 1
            if n_without == len(kinds):
                raise ConfigError(
                    f"the map has no two places that differ in {' or '.join(kinds)} alone; make "
                    f"one of more than {len(world.places)} places",
                    field="kinds",
                )
            continue
        register, place, other = drawn
        left = _showing(kind, writer, place, register)
        right = _showing(kind, writer, other, _CANDIDATE_REGISTERS.draw(rng))
        yield Pair(left, right, kind, same_place=False, query=made)
        made, n_without = made + 1, 0


def _differing(
    kind: str, world: World, neighbours: Neighbours, rng: Random
) -> tuple[str, Place, Place] | None:
    """Draw who writes, a place, and one that differs from it; None if the map has none."""
    for _ in range(_MOST_DRAWN):
        register = _QUERY_REGISTERS.draw(rng)
        place = world.draw(rng, register)
        other = neighbours.of(place, kind)
        if other is not None:
            return register, place, other
    return None


def _showing(kind: str, writer: Writer, place: Place, register: str) -> Form:
    """Write a place, if possible so that what differs can be seen."""
    shown = _SHOWN[kind]
    form = writer.write(place, register)
    for _ in range(_TRIES):
        if any(piece.element in shown or piece.part in shown for piece in form.pieces):
            break
        form = writer.write(place, register)
    return form

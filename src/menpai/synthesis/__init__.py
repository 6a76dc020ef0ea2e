"""Synthetic addresses: a made-up map of real divisions, and the many ways its places are written.

    >>> from menpai.synthesis import World, tagged
    >>> world = World(seed=1, n_places=2_000)
    >>> form = next(tagged(world, 1, seed=1))
    >>> len(form.tags) == len(form.text)
    True

A public name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from menpai.synthesis.forms import REGISTERS as REGISTERS, Form
    from menpai.synthesis.grouping import Group, groups
    from menpai.synthesis.pairing import Pair, near_misses, pairs
    from menpai.synthesis.pieces import Piece
    from menpai.synthesis.places import Place
    from menpai.synthesis.retrieval import Index
    from menpai.synthesis.sites import Site
    from menpai.synthesis.streams import tagged
    from menpai.synthesis.world import World

__all__ = [
    "Form",
    "Group",
    "Index",
    "Pair",
    "Piece",
    "Place",
    "Site",
    "World",
    "groups",
    "near_misses",
    "pairs",
    "tagged",
]

_HOMES = {
    "REGISTERS": "forms",
    "Form": "forms",
    "Group": "grouping",
    "Index": "retrieval",
    "Pair": "pairing",
    "Piece": "pieces",
    "Place": "places",
    "Site": "sites",
    "World": "world",
    "groups": "grouping",
    "near_misses": "pairing",
    "pairs": "pairing",
    "tagged": "streams",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"menpai.synthesis.{_HOMES[name]}"), name)
    globals()[name] = value  # from now on found without this function
    return value


def __dir__() -> list[str]:
    return __all__

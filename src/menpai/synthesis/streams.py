"""Streams of single addresses."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from menpai.synthesis.writing import REGISTER_SHARES, Writer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from menpai.synthesis.forms import Form
    from menpai.synthesis.world import World


def tagged(world: World, n: int, seed: int = 0, *, register: str | None = None) -> Iterator[Form]:
    """Write places drawn at random, each text with the element of every character.

    Args:
        world: The map.
        n: How many texts.
        seed: Another seed, other places and words.
        register: Who writes, one of `REGISTERS`; all of them by turns of chance if None.

    Yields:
        A form: its `text`, its `tags`, its `address` and what it is of.
    """
    rng = Random(f"tagged {seed}")
    writer = Writer(world, f"tagged {seed}")
    for _ in range(n):
        who = register or REGISTER_SHARES.draw(rng)
        yield writer.write(world.draw(rng, who), who)

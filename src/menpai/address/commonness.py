"""Which road names are found in so many cities that they prove little without one."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache(maxsize=1)
def _roads() -> frozenset[str]:
    path = resources.files("menpai.address.data").joinpath("common_roads.txt")
    return frozenset(path.read_text(encoding="utf-8").split())


def is_common_road(road: str) -> bool:
    """Say whether a road of this name is found in more than 20 cities (人民路, 中山路)."""
    return road in _roads()

"""One small world for all tests of this room."""

import pytest

from menpai.synthesis import Index, World


@pytest.fixture(scope="session")
def world() -> World:
    """A map of 3,000 places."""
    return World(seed=7, n_places=3_000)


@pytest.fixture(scope="session")
def index(world: World) -> Index:
    """Its records, searchable."""
    return Index(world, seed=7)

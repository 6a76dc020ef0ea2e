"""The map: real divisions, places near each other, the same for the same seed."""

from collections import Counter
from random import Random

import pytest

from menpai.errors import ConfigError
from menpai.synthesis import REGISTERS, World
from menpai.synthesis.compounds import usable
from menpai.synthesis.sites import KINDS


def test_same_seed_same_world(world: World) -> None:
    """A map depends on its arguments alone."""
    assert list(World(7, 3_000).places) == list(world.places)


def test_other_seed_other_world(world: World) -> None:
    """The seed is used."""
    assert list(World(8, 3_000).places) != list(world.places)


def test_number_of_places_is_kept(world: World) -> None:
    """There are as many places as were asked for, numbered in order."""
    assert [place.index for place in world.places] == list(range(3_000))
    assert [site.index for site in world.sites] == list(range(len(world.sites)))


def test_too_few_places_are_refused() -> None:
    """A map has room for neighbours."""
    with pytest.raises(ConfigError, match="at least 50"):
        World(0, 49)


@pytest.mark.parametrize("names", [[], ["青禾路12号", "望澜路"]])
def test_no_names_are_refused(names: list[str]) -> None:
    """A list without a compound's name is a mistake; None asks for the packaged names."""
    with pytest.raises(ConfigError, match="no name of a compound"):
        World(0, 100, names=names)


def test_roads_and_numbers_are_no_compounds() -> None:
    """Lists of portals hold roads and house numbers too; only names are kept, in one form."""
    listed = ["翠湖花园（二期）", "望澜路88号", "青禾大街", "翠湖花园", "翠湖花园", "出租房"]
    assert usable(listed) == ["翠湖花园"]


def test_names_of_the_caller_are_used() -> None:
    """Compounds are named from the caller's list."""
    named = World(0, 500, names=["望澜雅筑", "青禾雅园"])
    assert any((site.name or "").startswith(("望澜雅筑", "青禾雅园")) for site in named.sites)


def test_divisions_are_real(world: World) -> None:
    """Every region is a town of the division table, with what it lies in."""
    table = world.regions.table
    for site in world.sites[:300]:
        region = site.region
        owner = table.get(region.codes[2] or region.codes[1])
        assert table.towns(owner.code)[region.town or ""] == region.code
        assert (owner.province, owner.district) == (region.province, region.district)
        assert region.city in {owner.city, region.province}


def test_every_kind_of_site_is_there(world: World) -> None:
    """Compounds, towers, malls, villages... all are on the map."""
    assert {site.kind for site in world.sites} == set(KINDS)


def test_places_have_neighbours(world: World) -> None:
    """Most roads have several sites, most sites several places: near misses need no invention."""
    sites = [len(sites) for sites in world.sites_of_road.values()]
    assert sum(n for n in sites if n > 1) / sum(sites) > 0.6
    places = Counter(place.site.index for place in world.places)
    assert sum(n for n in places.values() if n > 1) / len(world.places) > 0.8


def test_roads_and_names_recur_in_other_cities() -> None:
    """人民路 is in many cities, and so are some compounds."""
    world = World(7, 12_000)
    assert max(map(len, world.cities_of_road.values())) > 1
    assert any(
        len({site.region.city_key for site in sites}) > 1 for sites in world.sites_of_name.values()
    )


def test_numbers_of_a_road_differ(world: World) -> None:
    """Two sites of a road have two numbers."""
    for sites in world.sites_of_road.values():
        numbers = [site.number for site in sites if site.number]
        assert len(set(numbers)) == len(numbers)


def test_lanes_are_in_shanghai(world: World) -> None:
    """Compounds of Shanghai lie in numbered lanes, others hardly ever."""
    lanes = [site for site in world.sites if site.is_lane]
    assert lanes
    assert sum(site.region.province == "上海市" for site in lanes) / len(lanes) > 0.8
    house = next(p for p in world.places if p.site.is_lane and p.building)
    assert house.roadno == f"{house.site.number}{house.building}号"


@pytest.mark.parametrize("register", REGISTERS)
def test_registers_write_about_their_own_places(world: World, register: str) -> None:
    """Job sites write of towers, buyers of compounds."""
    rng = Random(1)  # noqa: S311  draws places
    kinds = Counter(world.draw(rng, register).site.kind for _ in range(400))
    usual = {"jobs": "tower", "company": "tower", "shop": "compound", "courier": "compound"}
    if register in usual:
        assert kinds.most_common(1)[0][0] == usual[register]
    assert len(kinds) > 4


def test_roads_known_of_other_cities_are_common(world: World) -> None:
    """A road is common if real texts have it in two cities, or the map has."""
    assert world.is_common_road("人民路")
    assert not world.is_common_road("望澜路")

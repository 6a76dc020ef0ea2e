"""What a text surely means beyond its words: the divisions, road and number of what it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from menpai.synthesis.pieces import Piece
    from menpai.synthesis.places import Place
    from menpai.synthesis.regions import Region
    from menpai.synthesis.sites import Site
    from menpai.synthesis.world import World

_LEVELS = ("province", "city", "district", "town")


def upwards(
    world: World, place: Place, values: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Complete the divisions above those that are named, where the name leaves no doubt.

    Returns:
        All values, and the elements that were added.
    """
    filled = dict(values)
    region = place.site.region
    named = [level for level in _LEVELS if level in values]
    if not named:
        return filled, []
    finest = named[-1]
    if not _is_sure(world, region, finest, values):
        return filled, []
    return filled, _add_divisions(filled, region, below=finest)


def _is_sure(world: World, region: Region, level: str, values: Mapping[str, str]) -> bool:
    """Say whether a division's name, with those named above it, has one meaning."""
    if level in {"province", "city"}:
        return True
    if level == "town":
        if "district" in values:
            return True
        owners = world.regions.table.town_owners(region.town or "")
        if region.city is not None and "city" in values:
            owners = tuple(code for code in owners if code[:4] == region.code[:4])
        return len(owners) == 1
    if "city" in values:
        return True
    readings = world.regions.table.readings(region.district or "")
    if "province" in values:
        readings = tuple(r for r in readings if r.code[:2] == region.code[:2])
    return len({r.code for r in readings}) <= 1


def _add_divisions(values: dict[str, str], region: Region, below: str = "") -> list[str]:
    """Fill in divisions that are not named; those above one level, or all."""
    added = []
    for level in _LEVELS:
        if level == below:
            break
        name = getattr(region, level)
        if name and level not in values:
            values[level] = name
            added.append(level)
    return added


def fill(
    world: World, place: Place, pieces: Sequence[Piece], values: dict[str, str], rest: list[str]
) -> tuple[dict[str, str], list[str]]:
    """Fill in what a text implies.

    Args:
        world: The map.
        place: What the text means.
        pieces: What it is made of.
        values: The elements that it names, by their names on the map.
        rest: What it names beside these; a place's name may move there.

    Returns:
        All values, and the elements that were added.
    """
    site = place.site
    parts = {p.part for p in pieces} | {p.element for p in pieces if p.part is None}
    filled, added = upwards(world, place, values)
    tenant_known = "tenant" in parts and _is_one_tenant(world, place, filled, parts)
    name_known = "poi" in parts and _is_one_site(world, site, filled)
    if tenant_known or name_known:
        added += _add_divisions(filled, site.region)
        added += _add_number(site, filled)
        if "poi" not in parts and site.name:
            rest.insert(0, filled["poi"])
            filled["poi"] = site.name
        if site.hamlet and site.hamlet not in rest and filled.get("village") != site.hamlet:
            rest.append(site.hamlet)
    elif _is_one_number(world, site, filled):
        added += _add_divisions(filled, site.region)
    _join_lane(site, filled)
    _lift_hamlet(site, filled, rest)
    _lower_facility(place, parts, filled, rest)
    return filled, added


def _add_number(site: Site, values: dict[str, str]) -> list[str]:
    """A place that is known lies at its road, whatever crossing or road was written."""
    added = []
    if site.road:
        if "road" not in values:
            added.append("road")
        values["road"] = site.road
        if site.number and "roadno" not in values:
            values["roadno"] = site.number
            added.append("roadno")
    if site.kind == "hamlet" and site.village and "village" not in values:
        values["village"] = site.village
        added.append("village")
    return added


def _lift_hamlet(site: Site, values: dict[str, str], rest: list[str]) -> None:
    """A natural village lies in its administrative one, also where that is not written."""
    if site.hamlet and site.village and values.get("village") == site.hamlet:
        values["village"] = site.village
        rest.insert(0, site.hamlet)


def _lower_facility(
    place: Place, parts: set[str | None], values: dict[str, str], rest: list[str]
) -> None:
    """A facility or a gate is inside its place, as a room is: 翠湖花园停车场."""
    if "facility" in parts and place.facility:
        values["poi"] = values["poi"].removesuffix(place.facility) or values["poi"]
        values["room"] = place.facility
    elif "gate" in parts and place.gate:
        values["room"] = place.gate
        rest[:] = [value for value in rest if value != f"({place.gate})"]


def _join_lane(site: Site, values: dict[str, str]) -> None:
    """In a lane the building is a house number: 299弄 and 5号 are 299弄5号."""
    if site.is_lane and "building" in values:
        building = values.pop("building")
        if "roadno" in values:
            values["roadno"] = f"{site.number}{building}"
        else:
            values["building"] = building


def _within(sites: Iterable[Site], values: Mapping[str, str]) -> list[Site]:
    """Those that lie in the divisions that are named."""
    named = [(level, values[level]) for level in _LEVELS if level in values]
    return [s for s in sites if all(getattr(s.region, level) == name for level, name in named)]


def _is_one_site(world: World, site: Site, values: Mapping[str, str]) -> bool:
    name = site.name or ""
    named_city = "city" in values or "district" in values
    if not named_city and (name in world.vocabulary.popular or len(name) < 4):
        return False
    return len(_within(world.sites_of_name.get(name, ()), values)) == 1


def _is_one_tenant(
    world: World, place: Place, values: Mapping[str, str], parts: set[str | None]
) -> bool:
    found = world.places_of_tenant.get(place.tenant or "", ())
    if "branch" in parts:
        found = [p for p in found if p.branch == place.branch]
    elif "city" not in values and "district" not in values and place.branch:
        return False
    if "poi" in parts:
        found = [p for p in found if p.site.name == place.site.name]
    return len(_within((p.site for p in found), values)) == 1


def _is_one_number(world: World, site: Site, values: Mapping[str, str]) -> bool:
    """A road and number mean one site where the city is named, or one city only has that road."""
    if site.number is None or "road" not in values or "roadno" not in values:
        return False
    if "city" not in values and "district" not in values and world.is_common_road(site.road or ""):
        return False
    return len(_within(world.sites_of_number[site.road or "", site.number], values)) == 1

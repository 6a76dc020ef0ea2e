"""Texts: their tags, their spans, and what they say and imply."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice

import pytest

from menpai.address.elements import ELEMENTS
from menpai.address.parse import parse
from menpai.synthesis import REGISTERS, Form, Piece, Place, Site, World, tagged
from menpai.synthesis.writing import Writer
from menpai.text.normalize import normalize

N = 3_000


@pytest.fixture(scope="module")
def forms(world: World) -> list[Form]:
    """Texts of all registers."""
    return list(tagged(world, N, seed=1))


def piece_texts(form: Form, part: str) -> list[str]:
    """What a form writes for a part."""
    return [piece.text for piece in form.pieces if piece.part == part]


def find(world: World, **wanted: object) -> Place:
    """Find a place whose fields, or its site's, are as asked; ... stands for anything."""
    for place in world.places:
        for name, value in wanted.items():
            of = place if hasattr(place, name) else place.site
            known = getattr(of, name)
            if (known is None) if value is ... else (known != value):
                break
        else:
            return place
    raise AssertionError(wanted)


def form_of(world: World, place: Place, *pieces: Piece) -> Form:
    """Make a form by hand."""
    return Form(place, "query", pieces, world)


def test_same_seed_same_texts(world: World, forms: Sequence[Form]) -> None:
    """Texts depend on the map and the seed alone, and begin alike whatever their number."""
    again = [form.text for form in tagged(world, 50, seed=1)]
    assert again == [form.text for form in islice(forms, 50)]
    assert again != [form.text for form in tagged(world, 50, seed=2)]


@pytest.mark.parametrize("register", REGISTERS)
def test_register_is_the_one_asked_for(world: World, register: str) -> None:
    """Who writes can be chosen."""
    assert {form.register for form in tagged(world, 20, register=register)} == {register}


def test_tags_cover_the_text(forms: Sequence[Form]) -> None:
    """Each character has one tag."""
    for form in forms:
        assert form.text
        assert len(form.tags) == len(form.text)
        assert set(form.tags) <= {*ELEMENTS, None}


def test_tags_agree_with_pieces(forms: Sequence[Form]) -> None:
    """The pieces lie where they say, and their characters bear their element."""
    for form in forms:
        for start, end, piece in form.pieces_at:
            assert form.text[start:end] == piece.text
            assert set(form.tags[start:end]) <= {piece.element}


def test_tags_agree_with_spans(forms: Sequence[Form]) -> None:
    """A span holds characters of its element only; a road may stand in a landmark."""
    for form in forms:
        for element, (start, end) in form.spans.items():
            inside = {"road": {"road", "landmark"}}.get(element, {element})
            assert set(form.tags[start:end]) <= inside, (form.text, element)


def test_every_element_appears(forms: Sequence[Form]) -> None:
    """No element of an address is missing from what is written."""
    counts = Counter(tag for form in forms for tag in set(form.tags))
    assert set(ELEMENTS) <= set(counts)


def test_address_has_what_is_tagged(forms: Sequence[Form]) -> None:
    """A perfect reading has each element that the text has a span for."""
    for form in forms:
        address = form.address
        assert address.text == form.text
        assert all(getattr(address, element) for element in form.spans)


def test_divisions_are_official(forms: Sequence[Form]) -> None:
    """However a division is written, the reading gives its name of today."""
    for form in forms:
        region = form.place.site.region
        for level in ("province", "city", "district", "town"):
            assert getattr(form.address, level) in {None, getattr(region, level)}
            assert getattr(form.implied, level) in {None, getattr(region, level)}


def test_parser_mostly_agrees(forms: Sequence[Form]) -> None:
    """Where writers are careful, the parser reads what was meant; so the texts are readable."""
    careful = [form for form in forms if form.register == "company"][:200]
    for element, least in (("district", 0.93), ("road", 0.85), ("roadno", 0.85)):
        right = [getattr(parse(f.text), element) == getattr(f.address, element) for f in careful]
        assert sum(right) / len(right) > least, element


def test_implied_adds_only_what_lies_above(forms: Sequence[Form]) -> None:
    """What is filled in is coarser than something written, and true."""
    finer = ("building", "unit", "floor", "group")
    for form in forms:
        for element in finer:
            assert getattr(form.implied, element) is None or getattr(form.address, element)
        if form.implied.roadno and not form.address.roadno:
            assert form.implied.roadno.startswith(form.place.site.number or "?")


def test_name_implies_road_and_number(world: World) -> None:
    """A compound that the city has once lies at its road and number."""
    place = find(world, kind="compound", road=..., number=..., name=..., is_lane=False)
    site = place.site
    named = form_of(
        world,
        place,
        Piece(site.region.city_key, "city" if site.region.city else "district"),
        Piece(site.name or "", "poi", None, site.name),
    )
    assert len(world.sites_of_name[site.name or ""]) >= 1
    assert (named.implied.road, named.implied.roadno) == (site.road, site.number)
    assert named.implied.district == site.region.district
    assert named.address.road is None


def test_popular_name_alone_implies_nothing(world: World) -> None:
    """Many cities have an 阳光花园."""
    popular = next(s for s in world.sites if s.name in world.vocabulary.popular)
    place = world.places_of_site[popular.index][0]
    alone = form_of(world, place, Piece(popular.name or "", "poi", None, popular.name))
    assert alone.implied.road is None
    assert alone.implied.city is None


def test_common_road_and_number_imply_no_city(world: World) -> None:
    """人民路12号 may be anywhere; with its district it may not."""
    site = next(s for s in world.sites if s.number and world.is_common_road(s.road or ""))
    place = world.places_of_site[site.index][0]
    pieces = (Piece(site.road or "", "road"), Piece(site.number or "", "roadno"))
    district = Piece(site.region.district or site.region.city_key, "district")
    assert form_of(world, place, *pieces).implied.city is None
    assert form_of(world, place, district, *pieces).implied.town == site.region.town


def test_branch_implies_its_place_and_a_bare_chain_does_not(world: World) -> None:
    """A chain's name means any of its shops, its branch one."""
    place = next(
        p
        for p in world.places
        if p.branch
        and p.site.road
        and sum(q.branch == p.branch for q in world.places_of_tenant[p.tenant or ""]) == 1
    )
    chain = Piece(place.tenant or "", "poi", "tenant", place.tenant)
    branch = Piece(place.branch or "", "poi", "branch", place.branch)
    assert form_of(world, place, chain, branch).implied.road == place.site.road
    assert form_of(world, place, chain).implied.road is None


def test_lane_and_house_are_one_number(world: World) -> None:
    """299弄 and 5号 of a lane, written apart, are 299弄5号 in what is implied."""
    place = find(world, is_lane=True, building=...)
    site = place.site
    pieces = (
        Piece(site.road or "", "road"),
        Piece(site.number or "", "roadno"),
        Piece(site.name or "", "poi"),
        Piece(f"{place.building}号", "building", None, f"{place.building}号"),
    )
    form = form_of(world, place, *pieces)
    assert form.address.roadno == site.number
    assert form.implied.roadno == place.roadno
    assert form.implied.building is None


def test_natural_village_lies_in_its_village(world: World) -> None:
    """A natural village alone implies the administrative one, and stands beside it."""
    place = find(world, hamlet=..., village=...)
    site = place.site
    town = Piece(site.region.town or "", "town", None, site.region.town)
    hamlet = Piece(site.hamlet or "", "village", "hamlet", site.hamlet)
    form = form_of(world, place, town, hamlet)
    assert form.address.village == site.hamlet
    assert (form.implied.village, form.implied.rest) == (site.village, site.hamlet)


def test_crossing_is_one_landmark_with_its_road(world: World) -> None:
    """A crossing is one phrase; its first road is the address's, the other is left over."""
    form = next(f for f in tagged(world, 2_000, register="map") if piece_texts(f, "second_road"))
    first, second = piece_texts(form, "road")[0], piece_texts(form, "second_road")[0]
    start, end = form.spans["landmark"]
    assert form.text[start:end].startswith(first)
    assert second in form.text[start:end]
    assert form.address.road == normalize(first).text
    assert normalize(second).text in (form.address.rest or "").split(" ")


def test_tenant_stands_beside_its_building(forms: Sequence[Form]) -> None:
    """With a building's name the shop is left over, alone it is the place."""
    for form in forms:
        if form.tenant is None:
            continue
        names = [p for p in form.pieces if p.element == "poi" and p.part is None]
        read = form.address.rest if names else form.address.poi
        assert read, form.text


def test_typos_keep_what_is_meant(world: World) -> None:
    """A mistyped name is read as it stands, and implied as it should be."""
    writer = Writer(world, 5)
    places = [p for p in world.places if p.site.road and p.site.kind == "compound"]
    seen = 0
    for place in places:
        form = writer.write(place, "courier")
        address, implied = form.address, form.implied
        if address.road and address.road != place.site.road:
            seen += 1
            assert implied.road in {place.site.road, place.site.crossing}
    assert seen


def test_site_kinds_are_documented() -> None:
    """A site says what it is."""
    assert "kind" in (Site.__doc__ or "")

"""Names of places, tenants and branches: which mean one place."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address import names, rarity
from menpai.address.elements import Address
from menpai.address.names import Names
from menpai.address.relations import Relation

WEIGHTS = rarity.load()

PLACES = [
    ("same", "翡岚苑", "翡岚苑", "equal"),
    ("ending", "翡岚泽小区", "翡岚泽", "alias"),
    ("company-form", "岚泽贸易有限公司", "岚泽贸易公司", "alias"),
    ("misheard", "澎岚山庄", "彭岚山庄", "alias"),
    ("misheard-ordinal", "翡岚一苑", "翡岚二苑", "conflict"),
    ("one-other-character", "翡岚泽苑", "翡岚溪苑", "conflict"),
    ("one-other-of-many", "翡岚泽泉湾苑", "翡岚泽泉汀苑", "similar"),
    ("other", "翡岚苑", "枫丹阁", "conflict"),
    ("tenant-glued-to-its-building", "嘉岚大厦泽安堂", "嘉岚大厦", "contains"),
    ("building-in-a-square", "翡岚广场枫丹大厦", "翡岚广场", "similar"),
    ("phase", "翡岚花园1期", "翡岚花园2期", "conflict"),
    ("phase-in-other-digits", "翡岚花园一期", "翡岚花园1期", "alias"),
    ("phase-unsaid", "翡岚花园1期", "翡岚花园", "alias"),
    ("section-letter", "翡岚花园A区", "翡岚花园B区", "conflict"),
    ("facility", "翡岚苑停车场", "翡岚苑", "similar"),
    ("other-facility", "翡岚苑停车场", "翡岚苑幼儿园", "conflict"),
    ("other-number", "翡岚泽38号商铺", "翡岚泽52号商铺", "conflict"),
    ("ordinal", "泰岚第二工业区", "泰岚二工业区", "alias"),
    ("ordinal-of-a-generic-name", "第二排宿舍", "二排宿舍", "alias"),
    ("generic-both", "停车场", "地下车库", "conflict"),
    ("generic-same", "停车场", "停车场", "equal"),
    ("generic-one", "停车场", "翡岚苑", "missing"),
    ("no-pairs", "1", "2", "conflict"),
]


def place(name: str | None, branch: str = "") -> Names:
    """A lone place."""
    return Names(name, None, branch)


@pytest.mark.parametrize(("a", "b", "kind"), [p[1:] for p in PLACES], ids=[p[0] for p in PLACES])
def test_two_places(a: str, b: str, kind: str) -> None:
    """A kind, mirrored when the sides are swapped."""
    found, tenant = names.relate(place(a), place(b), WEIGHTS)
    mirrored, _ = names.relate(place(b), place(a), WEIGHTS)
    assert tenant is None
    assert found is not None
    assert (found.element, found.left, found.right, found.kind) == ("poi", a, b, kind)
    assert mirrored == found._replace(left=b, right=a)


@pytest.mark.parametrize(
    ("a", "b", "kind"),
    [
        ("(江岚店)", "(泽安店)", "conflict"),
        ("(江岚店)", "(江岚分店)", "equal"),
        ("(江岚店)", "", "equal"),
        ("(江岚)", "(泽安)", "equal"),
        ("(西门)", "", "similar"),
        ("(西门)", "(东门)", "equal"),
    ],
)
def test_branches(a: str, b: str, kind: str) -> None:
    """Two named branches of a chain are two shops; a gate is a part of its place."""
    found, _ = names.relate(place("翡岚便利", a), place("翡岚便利", b), WEIGHTS)
    assert found is not None
    assert found.kind == kind


OF_SIDE = [
    ("nothing", {}, Names(None, None, "")),
    ("place", {"poi": "翡岚苑"}, Names("翡岚苑", None, "")),
    ("tenant", {"poi": "岚泽贸易公司"}, Names(None, "岚泽贸易公司", "")),
    ("tenant-in-place", {"poi": "岚泽贸易公司", "rest": "嘉岚大厦"}, Names("嘉岚大厦", "岚泽贸易公司", "")),
    ("two-names", {"poi": "嘉岚大厦", "rest": "泽安堂"}, Names("嘉岚大厦", "泽安堂", "")),
    ("branch", {"poi": "翡岚便利店", "rest": "(江岚店)"}, Names(None, "翡岚便利店", "(江岚店)")),
    ("road-in-rest", {"poi": "翡岚苑", "rest": "岚泉路 3号楼"}, Names("翡岚苑", None, "")),
    ("poi-like-a-road", {"poi": "岚泉路"}, Names("岚泉路", None, "")),
    ("landmark-in-rest", {"rest": "泽安", "landmark": "泽安对面"}, Names(None, None, "")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("elements", "want"), [o[1:] for o in OF_SIDE], ids=[o[0] for o in OF_SIDE]
)
def test_names_of_a_side(elements: dict[str, str], want: Names) -> None:
    """Buildings and compounds are places, companies and second names are tenants."""
    assert names.names_of(Address("", "", **elements)) == want  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("left", "right", "kinds"),
    [
        (Names("岚泽网络", None, ""), Names("嘉岚大厦", "岚泽网络公司", ""), ("missing", "alias")),
        (Names(None, "嘉岚广场店", ""), Names("嘉岚广场", "泽安堂", ""), ("alias", "missing")),
        (Names(None, "泽安便利店", ""), Names("翡岚苑", None, ""), ("conflict", None)),
        (Names("泽安堂", None, ""), Names("翡岚苑", "岚泽网络公司", ""), ("conflict", "missing")),
        (Names(None, None, ""), Names("翡岚苑", "岚泽网络公司", ""), ("missing", "missing")),
        (Names(None, None, ""), Names(None, None, ""), (None, None)),
    ],
    ids=["to-tenant", "to-place", "only-place", "to-neither", "none", "none-at-all"],
)
def test_a_lone_name_meets_what_it_resembles(
    left: Names, right: Names, kinds: tuple[str | None, str | None]
) -> None:
    """A name that stands alone is compared with the place or the tenant of the other side."""

    def told(relations: tuple[Relation | None, ...]) -> tuple[str | None, ...]:
        return tuple(r.kind if r else None for r in relations)

    assert told(names.relate(left, right, WEIGHTS)) == kinds
    assert told(names.relate(right, left, WEIGHTS)) == kinds


def test_a_brand_stands_first() -> None:
    """Shops that share only their trade are others; those that share a brand are alike."""
    alike = names.name_similarity("鼎泰健身器材商务", "必楷健身器材商务", WEIGHTS)
    trade, _ = names.relate(place("鼎泰健身器材商务"), place("必楷健身器材商务"), WEIGHTS)
    brand, _ = names.relate(place("鼎泰健身器材商务"), place("泰楷健身器材商务"), WEIGHTS)
    assert alike > 0.55
    assert trade is not None
    assert trade.kind == "conflict"
    assert brand is not None
    assert brand.kind == "similar"


@pytest.mark.parametrize(
    ("name", "building", "generic"),
    [
        ("翡岚小区", True, False),
        ("翡岚苑", True, False),
        ("嘉岚大厦", True, False),
        ("岚泽产业园", True, False),
        ("泽安堂", False, False),
        ("停车场", False, True),
        ("翡岚苑停车场", False, False),
        (None, False, False),
    ],
)
def test_kinds_of_names(name: str | None, *, building: bool, generic: bool) -> None:
    """Compounds are buildings too; a car park has no name."""
    assert names.is_building_type(name) is building
    assert names.is_generic(name or "") is generic


def test_telling_names_are_rare() -> None:
    """A long rare name tells, a usual one and none at all do not."""
    assert names.is_telling("龘岚鬱泽骉", WEIGHTS)
    assert not names.is_telling("中心小区", WEIGHTS)
    assert not names.is_telling(None, WEIGHTS)


def test_key_never_empties_a_name() -> None:
    """A name of nothing but endings is its own core."""
    assert names.name_key("广场") == "广场"
    assert names.name_key("翡岚a小区") == "翡岚A"


TEXTS = st.text(st.sampled_from("翡岚泽苑小区公司店大厦A1一二期区停车场"), min_size=1, max_size=8)


@given(TEXTS, TEXTS)
def test_similarity_is_symmetric_and_bounded(a: str, b: str) -> None:
    """Names are compared alike from both sides, within [0, 1], and a name is itself."""
    similarity = names.name_similarity(a, b, WEIGHTS)
    assert similarity == pytest.approx(names.name_similarity(b, a, WEIGHTS))
    assert 0.0 <= similarity <= 1.0 + 1e-9
    assert names.name_similarity(a, a, WEIGHTS) == 1.0


@pytest.mark.parametrize(
    ("place", "tenant"), [("阿澜开锁", "阿澜开锁店"), ("柚子小厨", "柚子小厨·面馆")]
)
def test_one_name_read_as_a_place_and_as_a_tenant(place: str, tenant: str) -> None:
    """Is one name, whichever side it is on."""
    there, here = Names(place, None, ""), Names(None, tenant, "")
    for left, right in ((there, here), (here, there)):
        relations = names.relate(left, right, rarity.load())
        assert [r.element for r in relations if r] == ["tenant"]
        assert relations[1] is not None
        assert relations[1].kind in {"equal", "alias", "similar"}


@pytest.mark.parametrize(
    ("first", "second", "place"),
    [
        (
            "翡岚花园",
            "嘉澜商行",
            "翡岚花园",
        ),  # what is a building's or compound's name is the place
        ("嘉澜商行", "翡岚花园", "翡岚花园"),
        (
            "岚泽渡",
            "枫丹浦",
            "枫丹浦",
        ),  # of two of a kind the same one, whichever side is the left one
    ],
)
def test_the_same_two_names_in_exchanged_parts(first: str, second: str, place: str) -> None:
    """Each side takes another of them for the place: both are equal, and the place is one."""
    left, right = Names(first, second, ""), Names(second, first, "")
    for one, other in ((left, right), (right, left)):
        poi, tenant = names.relate(one, other, WEIGHTS)
        assert poi is not None
        assert tenant is not None
        assert (poi.kind, tenant.kind) == ("equal", "equal")
        assert (poi.left, poi.right) == (place, place)


def test_two_names_that_only_one_side_has_are_not_exchanged() -> None:
    """One name in common is no exchange."""
    left, right = Names("翡岚花园", "嘉澜商行", ""), Names("嘉澜商行", "枫丹浦", "")
    poi, _ = names.relate(left, right, WEIGHTS)
    assert poi is not None
    assert (poi.left, poi.right) == ("翡岚花园", "嘉澜商行")

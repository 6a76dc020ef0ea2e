"""Villages of one town, and the packed file that holds those of all."""

import pytest
from hypothesis import given, strategies as st

from menpai.address.villages import VillageIndex, VillageTable, base_of, pack
from menpai.errors import DataError

VILLAGES = (
    ("城塘社区", "990101001001"),
    ("回龙村", "990101001200"),
    ("回龙湾村", "990101001201"),
    ("李村", "990101001202"),
    ("新村社区", "990101001003"),
    ("大望路社区", "990101001004"),
    ("河西村社区", "990101001005"),
    ("巴音嘎查", "990101001203"),
    ("龙岗村", "990101001204"),
    ("龙岗社区", "990101001006"),
)


@pytest.fixture(scope="module")
def index() -> VillageIndex:
    """The villages of an invented town."""
    return VillageIndex(VILLAGES)


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        pytest.param("城塘社区12号", "城塘社区", "城塘社区", id="community"),
        pytest.param("城塘社区居委会", "城塘社区", "城塘社区居委会", id="community-committee"),
        pytest.param(
            "城塘社区居民委员会", "城塘社区", "城塘社区居民委员会", id="committee-in-full"
        ),
        pytest.param("城塘居委会", "城塘社区", "城塘居委会", id="committee-alone"),
        pytest.param("城塘村3组", "城塘社区", "城塘村", id="still-called-a-village"),
        pytest.param("回龙村3组", "回龙村", "回龙村", id="village"),
        pytest.param("回龙村委会", "回龙村", "回龙村委会", id="village-committee"),
        pytest.param(
            "回龙村村民委员会", "回龙村", "回龙村村民委员会", id="village-committee-in-full"
        ),
        pytest.param("回龙社区", "回龙村", "回龙社区", id="now-called-a-community"),
        pytest.param("回龙3组", "回龙村", "回龙", id="no-ending-before-a-group"),
        pytest.param("回龙第三村民组", "回龙村", "回龙", id="no-ending-before-a-group-2"),
        pytest.param("回龙湾村12号", "回龙湾村", "回龙湾村", id="longest"),
        pytest.param("李村东头", "李村", "李村", id="one-character"),
        pytest.param("新村社区3栋", "新村社区", "新村社区", id="xincun"),
        pytest.param("大望路社区", "大望路社区", "大望路社区", id="named-after-a-road"),
        pytest.param("河西村12号", "河西村社区", "河西村", id="village-of-a-community"),
        pytest.param("巴音嘎查", "巴音嘎查", "巴音嘎查", id="gacha"),
        pytest.param("龙岗社区", "龙岗社区", "龙岗社区", id="exact-wins"),
        pytest.param("龙岗村", "龙岗村", "龙岗村", id="exact-wins-2"),
    ],
)
def test_written_villages(index: VillageIndex, text: str, name: str, written: str) -> None:
    """The village and how much of the text is its name."""
    assert index.at(text, 0) == (name, dict(VILLAGES)[name], len(written))


@pytest.mark.parametrize(
    "text",
    ["回龙路12号", "回龙村路12号", "大望路12号", "新村12栋", "城塘", "回龙小区", "李家", "回", ""],
)
def test_not_villages(index: VillageIndex, text: str) -> None:
    """A base without an ending, or that goes on as a road, is no village."""
    assert index.at(text, 0) is None


@pytest.mark.parametrize(
    ("name", "base"),
    [
        ("回龙村", "回龙"),
        ("城塘社区", "城塘"),
        ("河西村社区", "河西"),
        ("李村", "李"),
        ("新村社区", "新村"),
    ],
)
def test_base(name: str, base: str) -> None:
    """村 and 社区 are dropped if a name is left."""
    assert base_of(name) == base


TOWN_CODES = st.from_regex(r"\A[1-6][0-9]{8}\Z")
NAMES = st.lists(st.text("东西南北中村社区河湾", min_size=1, max_size=6), max_size=6, unique=True)


@given(st.dictionaries(TOWN_CODES, st.dictionaries(TOWN_CODES, NAMES, max_size=3), max_size=5))
def test_villages_survive_packing(towns: dict[str, dict[str, list[str]]]) -> None:
    """Every village is read back with its code, whatever town it was listed under."""
    numbered = {
        town: {
            listed: tuple(
                (name, f"{listed}{3 * i % 7 + 10 * i:03}") for i, name in enumerate(names)
            )
            for listed, names in lists.items()
            if names
        }
        for town, lists in towns.items()
    }
    table = VillageTable(pack(numbered))
    for town, lists in numbered.items():
        assert table.of(town) == tuple(village for group in lists.values() for village in group)
    assert table.of("000000000") == ()


def test_unknown_town_of_a_known_city() -> None:
    """A town that is not in its city's piece has no villages."""
    table = VillageTable(pack({"990101001": {"990101001": VILLAGES}}))
    assert table.of("990101001") == VILLAGES
    assert table.of("990101002") == ()


def test_index_is_kept() -> None:
    """The index of a town is made once."""
    table = VillageTable(pack({"990101001": {"990101001": VILLAGES}}))
    assert table.index("990101001") is table.index("990101001")
    assert "城塘" in table.index("990101001")
    assert "城" not in table.index("990101001")


def test_places_without_a_village() -> None:
    """A town is not indexed for a text that cannot name one of its villages."""
    table = VillageTable(pack({"990101001": {"990101001": VILLAGES}}))
    assert table.at("在回龙村", 0, "990101001") is None
    assert table.index.cache_info().currsize == 0
    assert table.at("在回龙村", 1, "990101001") == ("回龙村", "990101001200", 4)
    assert table.at("回龙村", 0, "990101002") is None


def test_names_of_a_city() -> None:
    """A city may hold a name that any of its towns has."""
    table = VillageTable(pack({"990101001": {"990101001": VILLAGES}}))
    assert table.may_hold("9901", "回龙")
    assert not table.may_hold("9901", "梧桐")
    assert not table.may_hold("9902", "回龙")


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"something else", id="other-file"),
        pytest.param(pack({"990101001": {"990101001": VILLAGES}})[:-1], id="cut-short"),
        pytest.param(pack({"990101001": {"990101001": VILLAGES}}) + b"x", id="too-long"),
    ],
)
def test_broken_file(data: bytes) -> None:
    """A file that is not whole is refused when it is opened."""
    with pytest.raises(DataError, match="packaged villages are broken"):
        VillageTable(data)

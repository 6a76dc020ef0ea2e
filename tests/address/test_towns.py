"""Towns as people write them: changed, shortened, lengthened and missing endings."""

import pytest

from menpai.address.towns import TownIndex, TownTable, stem_of, written_stem

TOWNS = {
    "泡崖街道": "210211007",
    "王曲街道": "610116011",
    "七里街道": "341802013",
    "平房乡": "110105029",
    "宝日希勒镇": "150725101",
    "莲塘镇": "440303101",
    "莲塘街道": "440303001",
    "孙端街道": "330602015",
    "博孜墩柯尔克孜族乡": "652922207",
    "新安街道": "440306005",
    "新安江街道": "330182001",
    "万寿路街道": "110108001",
    "东大街道": "360302001",
    "城镇": "990101100",
    "格日僧苏木": "150522205",
    "兵团一五二团": "659001500",
    "四十一团草湖镇": "659013100",
    "松山湖": "441900401",
}


@pytest.fixture(scope="module")
def index() -> TownIndex:
    """Towns of many kinds as if one district had them."""
    return TownIndex(TOWNS, city=False)


@pytest.mark.parametrize(
    ("text", "name", "written"),
    [
        pytest.param("孙端街道安桥头", "孙端街道", "孙端街道", id="full"),
        pytest.param("七里街道办事处三组", "七里街道", "七里街道办事处", id="office"),
        pytest.param("七里街道办三组", "七里街道", "七里街道办", id="office-short"),
        pytest.param("七里办事处三组", "七里街道", "七里办事处", id="office-alone"),
        pytest.param("七里街道办公楼", "七里街道", "七里街道", id="not-an-office"),
        pytest.param("泡崖街玉境路", "泡崖街道", "泡崖街", id="street-before-a-road"),
        pytest.param("东大街街道文化路", "东大街道", "东大街街道", id="street-doubled"),
        pytest.param("王曲镇南街", "王曲街道", "王曲镇", id="zhen-for-jiedao"),
        pytest.param("王曲镇江路", "王曲街道", "王曲", id="road-of-zhenjiang"),
        pytest.param("平房镇黄渠", "平房乡", "平房镇", id="zhen-for-xiang"),
        pytest.param("平房地区黄渠", "平房乡", "平房地区", id="diqu"),
        pytest.param("平房乡村委会", "平房乡", "平房乡", id="xiang-before-a-committee"),
        pytest.param("宝日希勒富士图片社", "宝日希勒镇", "宝日希勒", id="no-ending"),
        pytest.param("莲塘", "莲塘镇", "莲塘", id="no-ending-at-the-end"),
        pytest.param("莲塘街道国威路", "莲塘街道", "莲塘街道", id="full-wins"),
        pytest.param("莲塘镇国威路", "莲塘镇", "莲塘镇", id="full-wins-2"),
        pytest.param("新安江街道府西", "新安江街道", "新安江街道", id="longest"),
        pytest.param("博孜墩柯尔克孜族乡", "博孜墩柯尔克孜族乡", "博孜墩柯尔克孜族乡", id="nation"),
        pytest.param("博孜墩民族乡", "博孜墩柯尔克孜族乡", "博孜墩民族乡", id="nation-unnamed"),
        pytest.param("博孜墩乡", "博孜墩柯尔克孜族乡", "博孜墩乡", id="nation-dropped"),
        pytest.param("博孜墩3村", "博孜墩柯尔克孜族乡", "博孜墩", id="nation-no-ending"),
        pytest.param("万寿路街道复兴路", "万寿路街道", "万寿路街道", id="named-after-a-road"),
        pytest.param("城镇东街", "城镇", "城镇", id="stem-of-one-character"),
        pytest.param("格日僧", "格日僧苏木", "格日僧", id="sumu"),
        pytest.param("152团3连", "兵团一五二团", "152团", id="regiment-in-digits"),
        pytest.param("一五二团3连", "兵团一五二团", "一五二团", id="regiment"),
        pytest.param("草湖镇", "四十一团草湖镇", "草湖镇", id="regiment-town"),
        pytest.param("草湖南区", "四十一团草湖镇", "草湖", id="regiment-town-stem"),
        pytest.param("41团加油站", "四十一团草湖镇", "41团", id="regiment-of-a-town"),
        pytest.param("松山湖科技路", "松山湖", "松山湖", id="without-an-ending-by-name"),
    ],
)
def test_written_towns(index: TownIndex, text: str, name: str, written: str) -> None:
    """The town and how much of the text is its name."""
    assert index.at(text, 0) == (name, TOWNS[name], len(written))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("泡崖街12号", id="street-number"),
        pytest.param("泡崖街与玉境路交叉口", id="street-crossing"),
        pytest.param("泡崖街东段海鲜市场", id="street-section"),
        pytest.param("莲塘路12号", id="road"),
        pytest.param("莲塘新村3栋", id="estate"),
        pytest.param("莲塘12号", id="number"),
        pytest.param("莲塘工业区5栋", id="zone"),
        pytest.param("莲塘小学", id="school"),
        pytest.param("王曲乡村大道", id="rural"),
        pytest.param("新安县磁涧", id="county"),
        pytest.param("新安河西街道", id="another-town"),
        pytest.param("万寿路12号", id="named-after-a-road"),
        pytest.param("孙端区", id="qu-below-a-district"),
        pytest.param("城东路", id="stem-of-one-character"),
        pytest.param("孙", id="one-character"),
        pytest.param("", id="nothing"),
    ],
)
def test_not_towns(index: TownIndex, text: str) -> None:
    """A stem that goes on as something else is no town."""
    assert index.at(text, 0) is None


def test_towns_called_districts() -> None:
    """In a city without districts towns are called districts, unless a town's name goes on."""
    index = TownIndex({"莞城街道": "441900006", "南城街道": "441900004"}, city=True)
    assert index.at("莞城区东门路", 0) == ("莞城街道", "441900006", 3)
    assert index.at("南城区鸿福街道", 0) is None


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        pytest.param("平房乡", "平房", id="xiang"),
        pytest.param("城关回族镇", "城关", id="nation"),
        pytest.param("龙塘各族乡", "龙塘", id="all-nations"),
        pytest.param("三乡土家族苗族乡", "三乡", id="two-nations"),
        pytest.param("水族乡", "水族", id="nation-alone"),
        pytest.param("松山湖", "松山湖", id="none"),
        pytest.param("赵家蓬区公所", "赵家蓬", id="qugongsuo"),
    ],
)
def test_stem(name: str, stem: str) -> None:
    """The stem of an official name."""
    assert stem_of(name) == stem


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        pytest.param("平房地区", "平房", id="diqu"),
        pytest.param("七里街道办事处", "七里", id="office"),
        pytest.param("城关回族镇", "城关", id="nation"),
        pytest.param("城镇", "城镇", id="too-short"),
    ],
)
def test_written_stem(name: str, stem: str) -> None:
    """The stem of a name as it may be written."""
    assert written_stem(name) == stem


@pytest.fixture
def table() -> TownTable:
    """Three districts, one with codes under a foreign prefix."""
    rows = "110105\t\t029平房乡 030平房街道\n330108\t\t001西兴街道 101平房镇\n620200\t620201\t101峪泉镇\n"
    return TownTable(rows)


def test_table(table: TownTable) -> None:
    """Codes are put together from the district's, or from the prefix that it has."""
    assert table.of("110105") == {"平房乡": "110105029", "平房街道": "110105030"}
    assert table.of("620200") == {"峪泉镇": "620201101"}
    assert table.of("999999") == {}


def test_district_of(table: TownTable) -> None:
    """The district of a town's code, also under a foreign prefix."""
    assert table.district_of("620201101") == "620200"
    assert table.district_of("330108001") == "330108"


def test_owners(table: TownTable) -> None:
    """A stem is owned once by a district that has two towns of it."""
    assert table.owners["平房乡"] == ["110105"]
    assert table.owners["平房"] == ["110105", "330108"]
    assert table.names == {"平房乡", "平房街道", "西兴街道", "平房镇", "峪泉镇"}

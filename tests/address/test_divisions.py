"""Look-up of divisions: facts of today, names of the past, names in use."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from menpai.address.division_table import HEADER
from menpai.address.divisions import Division, Divisions, Reading, load

ROOT = Path(__file__).parents[2]
DATA = ROOT / "src/menpai/address/data"


@pytest.fixture(scope="module")
def table() -> Divisions:
    """The packaged table."""
    return load()


def place(table: Divisions, reading: Reading) -> str:
    """Path of the division that a reading means."""
    return path(table.get(reading.code))


def path(division: Division) -> str:
    """Path of a division from the province down."""
    names = dict.fromkeys((division.province, division.city, division.district))
    return "/".join(name for name in names if name)


def places(table: Divisions, name: str, *kinds: str) -> list[str]:
    """What a name means, in order, among readings of some kinds."""
    return [place(table, r) for r in table.readings(name) if not kinds or r.kind in kinds]


def test_table_is_loaded_once() -> None:
    """All of a process shares one table."""
    assert load() is load()


def test_digest_is_of_the_packaged_files(table: Divisions) -> None:
    """The digest stands in the header of each text and covers them and the villages."""
    digest = hashlib.sha256()
    for name in ("divisions.tsv", "readings.tsv", "towns.tsv"):
        header, _, rows = (DATA / name).read_bytes().partition(b"\n")
        assert header.decode() == f"{HEADER} {table.digest}"
        digest.update(rows)
    digest.update((DATA / "villages.bin").read_bytes())
    assert digest.hexdigest()[:16] == table.digest


@pytest.mark.parametrize(
    ("code", "expected", "level", "parent"),
    [
        pytest.param("110000", "北京市", "province", None, id="municipality"),
        pytest.param("110105", "北京市/朝阳区", "district", "110000", id="its-district"),
        pytest.param("130100", "河北省/石家庄市", "city", "130000", id="city"),
        pytest.param("130102", "河北省/石家庄市/长安区", "district", "130100", id="district"),
        pytest.param("469006", "海南省/万宁市", "district", "460000", id="direct-hainan"),
        pytest.param("429005", "湖北省/潜江市", "district", "420000", id="direct-hubei"),
        pytest.param("419001", "河南省/济源市", "district", "410000", id="direct-henan"),
        pytest.param(
            "659001", "新疆维吾尔自治区/石河子市", "district", "650000", id="direct-corps"
        ),
        pytest.param("441900", "广东省/东莞市", "city", "440000", id="city-without-districts"),
        pytest.param("620200", "甘肃省/嘉峪关市", "city", "620000", id="city-without-districts-2"),
        pytest.param(
            "232761", "黑龙江省/大兴安岭地区/加格达奇区", "district", "232700", id="extra"
        ),
        pytest.param("500157", "重庆市/两江新区", "district", "500000", id="new-of-2025"),
        pytest.param(
            "653228", "新疆维吾尔自治区/和田地区/和康县", "district", "653200", id="new-of-2024"
        ),
        pytest.param("810005", "香港特别行政区/油尖旺区", "district", "810000", id="hong-kong"),
        pytest.param("820001", "澳门特别行政区/花地玛堂区", "district", "820000", id="macau"),
    ],
)
def test_divisions(
    table: Divisions, code: str, expected: str, level: str, parent: str | None
) -> None:
    """A code gives the current division, where it lies and what is above it."""
    division = table.get(code)
    assert (path(division), division.level, division.parent) == (expected, level, parent)
    assert division.name == expected.rsplit("/", 1)[-1]
    assert division.official


def test_district_of_a_municipality_has_no_city(table: Divisions) -> None:
    """Levels that do not exist are None."""
    assert table.get("310115") == Division(
        "310115", "浦东新区", "district", "上海市", None, "浦东新区", "310000"
    )
    assert table.get("442000").district is None


@pytest.mark.parametrize("code", ["110199", "999999", "110101999", "999999001", "11"])
def test_unknown_codes(table: Divisions, code: str) -> None:
    """A code that nothing has is an error."""
    with pytest.raises(KeyError):
        table.get(code)


def test_children(table: Divisions) -> None:
    """Children are one level down; below a province, cities and direct districts."""
    assert len(table.children("110000")) == 16
    assert set(table.children("460000")) > {"460100", "460400", "469006"}
    assert table.children("460400") == table.children("110105") == ()


def test_every_division_stands_below_its_parent(table: Divisions) -> None:
    """The parents of all divisions lead to the 34 provinces."""
    provinces = [code for code in table._divisions if table.get(code).parent is None]
    assert len(provinces) == 34
    for code in table._divisions:
        division = table.get(code)
        assert division.parent is None or code in table.children(division.parent)


def test_every_official_name_is_read(table: Divisions) -> None:
    """The first readings of an official name are the divisions that have it."""
    for code in table._divisions:
        readings = table.readings(table.get(code).name)
        assert ("official", 0) == readings[0][2:4]
        assert code in {r.code for r in readings if r.kind == "official"}


# Taiwan, Hong Kong, Macau.


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("屏东县", "台湾省/屏东县", id="county"),
        pytest.param("屏东市", "台湾省/屏东县/屏东市", id="county-seat"),
        pytest.param("三地门乡", "台湾省/屏东县/三地门乡", id="township"),
        pytest.param("新竹市", "台湾省/新竹市", id="city"),
        pytest.param("那玛夏区", "台湾省/高雄市/那玛夏区", id="district"),
    ],
)
def test_taiwan(table: Divisions, name: str, expected: str) -> None:
    """Counties and cities are cities of the table, townships are districts, codes are our own."""
    (reading,) = table.readings(name)
    assert place(table, reading) == expected
    division = table.get(reading.code)
    assert not division.official
    assert reading.code.startswith("71")


def test_taiwan_is_complete(table: Divisions) -> None:
    """22 counties and cities with 368 townships and districts."""
    cities = table.children("710000")
    assert len(cities) == 22
    assert sum(len(table.children(city)) for city in cities) == 368


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("台北县", "台湾省/新北市", id="renamed-county"),
        pytest.param("台中县", "台湾省/台中市", id="merged-county"),
        pytest.param("桃园县", "台湾省/桃园市", id="upgraded-county"),
        pytest.param("和平乡", "台湾省/台中市/和平区", id="township"),
        pytest.param("板桥市", "台湾省/新北市/板桥区", id="county-city"),
        pytest.param("杨梅镇", "台湾省/桃园市/杨梅区", id="twice-changed"),
        pytest.param("头份镇", "台湾省/苗栗县/头份市", id="within-a-county"),
    ],
)
def test_taiwan_before(table: Divisions, name: str, expected: str) -> None:
    """Names from before the changes of 2010 to 2015."""
    assert places(table, name, "former") == [expected]


def test_official_code_first(table: Divisions) -> None:
    """A name with and without an official code means first the one that has one."""
    assert places(table, "连江县") == ["福建省/福州市/连江县", "台湾省/连江县"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("氹仔", "澳门特别行政区/嘉模堂区", id="taipa"),
        pytest.param("路环", "澳门特别行政区/圣方济各堂区", id="coloane"),
        pytest.param("九龙", "香港特别行政区", id="kowloon"),
    ],
)
def test_popular_names_of_macau_and_hong_kong(table: Divisions, name: str, expected: str) -> None:
    """Names of islands and areas that stand in for a division."""
    assert expected in places(table, name, "alias")


# Names in use.


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        pytest.param("内蒙", "alias", "内蒙古自治区", id="province-shorter"),
        pytest.param("内蒙古", "short", "内蒙古自治区", id="province-short"),
        pytest.param("广西省", "alias", "广西壮族自治区", id="province-wrong-suffix"),
        pytest.param("广西", "short", "广西壮族自治区", id="nationality-dropped"),
        pytest.param("恩施州", "alias", "湖北省/恩施土家族苗族自治州", id="prefecture"),
        pytest.param(
            "巴音郭楞", "short", "新疆维吾尔自治区/巴音郭楞蒙古自治州", id="prefecture-short"
        ),
        pytest.param(
            "黔东南州", "alias", "贵州省/黔东南苗族侗族自治州", id="prefecture-two-nations"
        ),
        pytest.param("版纳", "alias", "云南省/西双版纳傣族自治州", id="prefecture-popular"),
        pytest.param("锡盟", "alias", "内蒙古自治区/锡林郭勒盟", id="league"),
        pytest.param("恭城县", "alias", "广西壮族自治区/桂林市/恭城瑶族自治县", id="county-xian"),
        pytest.param("酉阳", "short", "重庆市/酉阳土家族苗族自治县", id="county-short"),
        pytest.param(
            "东乡", "short", "甘肃省/临夏回族自治州/东乡族自治县", id="county-of-a-nation"
        ),
        pytest.param("喀左", "alias", "辽宁省/朝阳市/喀喇沁左翼蒙古族自治县", id="county-popular"),
        pytest.param("达茂旗", "alias", "内蒙古自治区/包头市/达尔罕茂明安联合旗", id="banner"),
        pytest.param(
            "鄂温克旗", "alias", "内蒙古自治区/呼伦贝尔市/鄂温克族自治旗", id="banner-nation"
        ),
        pytest.param("浦东", "short", "上海市/浦东新区", id="new-area"),
        pytest.param("神农架", "short", "湖北省/神农架林区", id="forest-area"),
        pytest.param("雨花区", "alias", "江苏省/南京市/雨花台区", id="district"),
        pytest.param("西海岸新区", "alias", "山东省/青岛市/黄岛区", id="zone-of-one-district"),
        pytest.param("龙华新区", "alias", "广东省/深圳市/龙华区", id="zone-before-the-district"),
        pytest.param("粤", "letter", "广东省", id="letter"),
        pytest.param("陇", "letter", "甘肃省", id="second-letter"),
    ],
)
def test_names_in_use(table: Divisions, name: str, kind: str, expected: str) -> None:
    """Short forms, popular names and letters."""
    assert expected in places(table, name, kind)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("吉林", ["吉林省", "吉林省/吉林市"], id="province-then-city"),
        pytest.param("长沙", ["湖南省/长沙市", "湖南省/长沙市/长沙县"], id="city-then-county"),
        pytest.param(
            "恩施",
            ["湖北省/恩施土家族苗族自治州", "湖北省/恩施土家族苗族自治州/恩施市"],
            id="prefecture-then-city",
        ),
    ],
)
def test_higher_levels_first(table: Divisions, name: str, expected: list[str]) -> None:
    """A short name of several levels means the highest first, and all of them."""
    assert places(table, name, "short") == expected


@pytest.mark.parametrize("name", ["城", "市中", "市北", "土默特左", "广", "不是地名", ""])
def test_no_names(table: Divisions, name: str) -> None:
    """Stems of one character, ordinary words and what nobody uses mean nothing."""
    assert table.readings(name) == ()


# Names of the past.


@pytest.mark.parametrize(
    ("name", "expected", "year", "under"),
    [
        pytest.param("宣武区", "北京市/西城区", 2010, "北京市", id="merged-beijing"),
        pytest.param("南汇区", "上海市/浦东新区", 2009, "上海市", id="merged-shanghai"),
        pytest.param("闸北区", "上海市/静安区", 2015, "上海市", id="merged-shanghai-2015"),
        pytest.param("塘沽区", "天津市/滨海新区", 2009, "天津市", id="merged-tianjin"),
        pytest.param("万盛区", "重庆市/綦江区", 2011, "重庆市", id="merged-chongqing"),
        pytest.param("江东区", "浙江省/宁波市/鄞州区", 2016, "浙江省/宁波市", id="merged-ningbo"),
        pytest.param("沧浪区", "江苏省/苏州市/姑苏区", 2012, "江苏省/苏州市", id="merged-suzhou"),
        pytest.param("四方区", "山东省/青岛市/市北区", 2012, "山东省/青岛市", id="merged-qingdao"),
        pytest.param(
            "芳村区", "广东省/广州市/荔湾区", 2005, "广东省/广州市", id="merged-guangzhou"
        ),
        pytest.param("开县", "重庆市/开州区", 2016, "重庆市", id="county-to-district"),
        pytest.param("玉环县", "浙江省/台州市/玉环市", 2017, "浙江省/台州市", id="county-to-city"),
        pytest.param(
            "凤翔县", "陕西省/宝鸡市/凤翔区", 2021, "陕西省/宝鸡市", id="county-to-district-2"
        ),
        pytest.param("襄樊市", "湖北省/襄阳市", 2010, "湖北省", id="city-renamed"),
        pytest.param("襄樊", "湖北省/襄阳市", 2010, "湖北省", id="city-renamed-short"),
        pytest.param(
            "襄阳区", "湖北省/襄阳市/襄州区", 2010, "湖北省/襄阳市", id="district-renamed"
        ),
        pytest.param("思茅地区", "云南省/普洱市", 2003, "云南省", id="prefecture"),
        pytest.param("伊克昭盟", "内蒙古自治区/鄂尔多斯市", 2001, "内蒙古自治区", id="league"),
        pytest.param("通什市", "海南省/五指山市", 2001, "海南省", id="direct"),
        pytest.param(
            "中甸县", "云南省/迪庆藏族自治州/香格里拉市", 2001, "云南省/迪庆藏族自治州", id="chain"
        ),
        pytest.param(
            "桥东区", "河北省/邢台市/襄都区", 2020, "河北省/邢台市", id="current-elsewhere"
        ),
        pytest.param(
            "新市区", "河北省/保定市/竞秀区", 2015, "河北省/保定市", id="current-elsewhere-2"
        ),
        pytest.param("郊区", "浙江省/嘉兴市/秀洲区", 1999, "浙江省/嘉兴市", id="general-name"),
        pytest.param("江北区", "重庆市/两江新区", 2025, "重庆市", id="merged-2025"),
    ],
)
def test_former_names(table: Divisions, name: str, expected: str, year: int, under: str) -> None:
    """A former name leads to its successor, with its last year and where it was written."""
    (reading,) = [
        r for r in table.readings(name) if r.kind == "former" and place(table, r) == expected
    ]
    assert reading.year == year
    assert reading.written_parent is not None
    assert path(table.get(reading.written_parent)) == under
    assert reading.level == table.get(reading.code).level


@pytest.mark.parametrize(
    ("name", "expected", "main"),
    [
        pytest.param("江干区", ["上城区", "钱塘区"], False, id="hangzhou"),
        pytest.param("余杭市", ["余杭区", "临平区"], False, id="hangzhou-city"),
        pytest.param("吴县市", ["吴中区", "相城区"], False, id="suzhou"),
        pytest.param("绍兴县", ["柯桥区", "越城区"], True, id="shaoxing"),
        pytest.param("渝北区", ["两江新区", "北碚区"], True, id="chongqing"),
        pytest.param("莱芜市", ["莱芜区", "钢城区"], False, id="city-to-districts"),
        pytest.param("巢湖市", ["合肥市", "芜湖市", "马鞍山市"], False, id="city-to-cities"),
        pytest.param("柳州地区", ["来宾市", "柳州市"], False, id="prefecture"),
    ],
)
def test_split_names(
    table: Divisions,
    name: str,
    expected: list[str],
    main: bool,  # noqa: FBT001  a column
) -> None:
    """A split division leads to all its successors, the main one first."""
    (reading,) = [r for r in table.readings(name) if r.kind == "split"]
    assert [table.get(code).name for code in reading.successors] == expected
    assert reading.successors[0] == reading.code
    assert reading.main is main


def test_name_of_a_once_larger_district(table: Divisions) -> None:
    """余杭区 is a district of today, and was a larger one until 2021."""
    official, split = table.readings("余杭区")
    assert (official.kind, official.code) == ("official", "330110")
    assert (split.kind, split.year) == ("split", 2021)
    assert split.successors == ("330110", "330113")


@pytest.mark.parametrize("name", ["柳州", "桂林", "萧山"])
def test_short_name_of_today_is_not_one_of_the_past(table: Divisions, name: str) -> None:
    """柳州 is 柳州市, not what became of 柳州地区."""
    assert {r.kind for r in table.readings(name)} == {"short"}


def test_official_names(table: Divisions) -> None:
    """The set of official names holds those of today and no others."""
    assert {"北京市", "朝阳区", "屏东市"} <= table.official_names
    assert not {"宣武区", "内蒙", "朝阳"} & table.official_names


def test_every_reading_leads_to_a_division(table: Divisions) -> None:
    """Codes, successors and parents of all readings are in the table."""
    for name in table._packed:
        for reading in table.readings(name):
            assert table.get(reading.code).level == reading.level
            assert (reading.year > 0) == (reading.kind in {"former", "split"})
            assert (len(reading.successors) > 1) == (reading.kind == "split")
            for code in (*reading.successors, reading.written_parent or reading.code):
                table.get(code)


# Scanning.


def test_scan(table: Divisions) -> None:
    """Every name at every place, by start and the longest first, names inside names included."""
    assert table.scan("江苏省南京市雨花区") == [
        (0, 3, "江苏省"),
        (0, 2, "江苏"),
        (3, 6, "南京市"),
        (3, 5, "南京"),
        (6, 9, "雨花区"),
        (6, 8, "雨花"),
    ]


def test_scan_takes_letters_at_the_start_only(table: Divisions) -> None:
    """沪 and 京 may be parts of any word; at the start they are provinces."""
    assert (0, 1, "沪") in table.scan("沪浦东新区")
    assert table.scan("沪") == [(0, 1, "沪")]
    assert all(end - start > 1 for start, end, _ in table.scan("浦东新区沪南路"))


def test_scan_puts_the_letter_after_longer_names(table: Divisions) -> None:
    """渝北区 is tried before 渝."""
    hits = table.scan("渝北区")
    assert hits[:3] == [(0, 3, "渝北区"), (0, 2, "渝北"), (0, 1, "渝")]
    assert hits == sorted(hits, key=lambda hit: (hit[0], -hit[1]))


@pytest.mark.parametrize("text", ["", "1", "梧", "12号楼"])
def test_scan_of_nothing(table: Divisions, text: str) -> None:
    """A text without a name has no hits."""
    assert table.scan(text) == []


# Towns and villages, through the table.


def test_town(table: Divisions) -> None:
    """A town's code gives the town and the district it lies in."""
    assert table.get("330108001") == Division(
        "330108001", "西兴街道", "town", "浙江省", "杭州市", "滨江区", "330108"
    )
    assert table.towns("330108")["西兴街道"] == "330108001"
    assert table.towns("330100") == {}


def test_town_below_a_city(table: Divisions) -> None:
    """A town of a city without districts lies below the city, even under a foreign prefix."""
    assert table.get("441900101").parent == "441900"
    town = table.get("620201101")
    assert (town.name, town.city, town.district, town.parent) == (
        "峪泉镇",
        "嘉峪关市",
        None,
        "620200",
    )


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        pytest.param("西兴街道江陵路", "330108", ("西兴街道", "330108001", 4), id="full"),
        pytest.param(
            "莞城区罗沙路", "441900", ("莞城街道", "441900006", 3), id="town-called-a-district"
        ),
        pytest.param("西兴街道", "330100", None, id="other-level"),
        pytest.param("西兴街道", "999999", None, id="unknown-district"),
    ],
)
def test_towns_at(
    table: Divisions, text: str, code: str, expected: tuple[str, str, int] | None
) -> None:
    """Towns are looked up in one district; the same answer comes again from the cache."""
    assert table.towns_at(text, 0, code) == expected
    assert table.towns_at(text, 0, code) == expected


def test_towns_at_a_place(table: Divisions) -> None:
    """The place counts, and ends are places of the text."""
    assert table.towns_at("滨江区西兴街道", 3, "330108") == ("西兴街道", "330108001", 7)
    assert table.towns_at("滨江区西兴街道", 2, "330108") is None


def test_town_owners(table: Divisions) -> None:
    """The full name wins over its stem; an unknown ending falls back to the stem."""
    assert "330108" in table.town_owners("西兴街道")
    assert set(table.town_owners("西兴街道")) <= set(table.town_owners("西兴"))
    assert table.town_owners("西兴街道办事处") == table.town_owners("西兴")
    assert table.town_owners("不存在的镇") == ()
    assert "西兴街道" in table.town_names


def test_villages(table: Divisions) -> None:
    """A village is found in its town, with its code."""
    town = table.towns("110101")["东华门街道"]
    assert table.villages_at("多福巷社区居委会", 0, town) == ("多福巷社区", "110101001001", 8)
    assert table.villages_at("多福巷社区", 0, "110102001") is None


def test_village_owners(table: Divisions) -> None:
    """Towns of a district that have a village of a name, with or without its ending."""
    town = table.towns("110101")["东华门街道"]
    assert table.village_owners("110101", "多福巷社区") == (town,)
    assert table.village_owners("110101", "多福巷") == (town,)
    assert table.village_owners("110102", "多福巷") == ()
    assert table.village_owners("110101", "没有的名字") == ()


# Building.


def test_script_reproduces_the_packaged_files(shared_data: Path, tmp_path: Path) -> None:
    """The same sources give the same bytes."""
    script = ROOT / "scripts/build_divisions.py"
    subprocess.run(
        [sys.executable, script, shared_data / "data" / "divisions", "--out", tmp_path], check=True
    )
    built = sorted(file.name for file in tmp_path.iterdir())
    assert built == ["divisions.tsv", "readings.tsv", "towns.tsv", "villages.bin"]
    for name in built:
        assert (tmp_path / name).read_bytes() == (DATA / name).read_bytes()

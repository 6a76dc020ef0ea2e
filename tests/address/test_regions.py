"""What several mentions mean together, and what year and neighbourhood add to it."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from menpai.address import divisions, regions
from menpai.address.divisions import Reading
from menpai.address.regions import Mention, Region, TownMention, lineage, resolve

TABLE = divisions.load()
NINGBO_EAST, HENGYANG_EAST = "330212", "430405"
"""What became of the two districts once called 江东区, one until 2016, one until 2001."""


def mentions(*names: str) -> list[Mention]:
    """Mentions of these names, written one after the other."""
    text, made = "", []
    for name in names:
        made.append(Mention(len(text), len(text) + len(name), name, TABLE.readings(name)))
        text += name
    return made


def hint(code: str) -> Mention:
    """A division that is supposed but not written."""
    name, level = TABLE.get(code).name, TABLE.get(code).level
    return Mention(-1, -1, name, (Reading(code, level, "official", 0, (), None),))


def test_lineage_runs_upwards() -> None:
    """From the district over its city to its province; municipalities have no city."""
    assert lineage(TABLE, "330106") == ("330106", "330100", "330000")
    assert lineage(TABLE, "110105") == ("110105", "110000")


@pytest.mark.parametrize(
    ("names", "codes"),
    [
        (["浙江省", "杭州市", "西湖区"], {"330106"}),
        (["浙江", "西湖"], {"330106"}),
        (["西湖区"], {"330106", "360103"}),
        (["朝阳", "朝阳"], {"211321"}),
        (["朝阳", "北京"], {"110105"}),
        (["宣武区"], {"110102"}),
        (["应山"], {"421381"}),
        (["北京市", "应山"], {"110000"}),
        (["北京市", "江东区"], {"110000"}),
        ([], set()),
    ],
    ids=[
        "all",
        "short",
        "open",
        "county-of-its-city",
        "reversed",
        "former",
        "former-short",
        "impossible-former",
        "impossible",
        "none",
    ],
)
def test_codes_that_fit_best(names: list[str], codes: set[str]) -> None:
    """The deepest codes that all mentions support."""
    assert set(resolve(TABLE, mentions(*names)).codes) == codes


def test_one_wrong_level_moves_no_other() -> None:
    """A wrong province neither hides the district nor the city, and is reported."""
    named = mentions("江苏省", "杭州市", "西湖区")
    assert resolve(TABLE, named) == Region(("330106",), (named[0],))


def test_a_town_tells_districts_apart() -> None:
    """The district that has the town is meant; a town of elsewhere counts against it."""
    named = mentions("西湖区")
    town = TownMention(3, 6, "三墩镇", ("330106",))
    assert resolve(TABLE, named, [town]).codes == ("330106",)
    assert resolve(TABLE, [], [town]).codes == ("330106",)


def test_a_town_of_elsewhere_leaves_the_city() -> None:
    """A town in one of the city's districts does not weigh against the city itself."""
    towns = [TownMention(3, 6, "岚一镇", ("330106",)), TownMention(6, 9, "岚二镇", ("330110",))]
    region = resolve(TABLE, mentions("杭州市"), towns)
    assert {lineage(TABLE, code)[-2] for code in region.codes} == {"330100"}
    assert resolve(TABLE, mentions("西湖区"), towns[1:]).codes != ("330106",)


def test_a_town_that_many_districts_share_tells_nothing() -> None:
    """A name of hundreds of towns is no evidence for a district."""
    crowd = TownMention(0, 3, "岚泽镇", TABLE.children("330100") + TABLE.children("320100") * 5)
    assert resolve(TABLE, [], [crowd]).codes == ()


def test_as_of_decides_between_then_and_now() -> None:
    """江东区 was a district's name in two cities, in one of them longer."""
    named = mentions("江东区")
    assert resolve(TABLE, named, as_of=2010).codes == (NINGBO_EAST,)
    assert resolve(TABLE, named, as_of=1999).codes == (NINGBO_EAST, HENGYANG_EAST)
    assert resolve(TABLE, named).codes == (NINGBO_EAST, HENGYANG_EAST)


def test_a_divided_district_is_its_main_part() -> None:
    """番禺市 is 番禺区 now, unless a town says that it is the part that was cut off."""
    named, town = mentions("番禺市"), TownMention(3, 6, "岚泽镇", ("440115",))
    assert resolve(TABLE, named).codes == ("440113",)
    assert resolve(TABLE, named, [town]).codes == ("440115",)


def test_a_former_name_under_its_former_parent() -> None:
    """江东区 is the one of the city that is named with it."""
    assert resolve(TABLE, mentions("宁波市", "江东区")).codes == (NINGBO_EAST,)
    assert resolve(TABLE, mentions("衡阳市", "江东区")).codes == (HENGYANG_EAST,)


def test_a_former_name_under_a_parent_that_lost_it() -> None:
    """万县市 lay in 四川省 when it was so called; its district lies in 重庆市 now."""
    assert resolve(TABLE, mentions("万县市")).codes == ("500101",)


def test_a_hint_chooses_but_does_not_overrule() -> None:
    """What is supposed decides only where the text leaves it open."""
    named = mentions("西湖区")
    assert resolve(TABLE, named, hints=[hint("360100")]).codes == ("360103",)
    written = mentions("浙江省", "杭州市", "西湖区")
    assert resolve(TABLE, written, hints=[hint("360100")]).codes == ("330106",)
    assert resolve(TABLE, [], hints=[hint("360100")]).codes == ("360100",)


def test_a_hint_is_never_a_conflict() -> None:
    """Only what was written can contradict."""
    written = mentions("浙江省", "杭州市")
    assert resolve(TABLE, written, hints=[hint("110000")]).conflicts == ()


NAMES = st.sampled_from(
    "北京市 北京 朝阳区 朝阳 浙江省 杭州市 西湖区 宁波 江东区 余杭区 番禺市 万县市 四川省 应山 市中区 济南市 鼓楼区 南京".split()
)


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_the_short_way_agrees_with_weighing(names: list[str]) -> None:
    """Where only one code fits all that is named, it is the one that weighs most."""
    named = mentions(*names)
    agreed = regions._agreed(TABLE, named, ())
    if agreed is not None:
        assert regions._Scale(TABLE, named, (), (), None).weigh() == Region((agreed,), ())

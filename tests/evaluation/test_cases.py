"""Judging parsed addresses and pairs against hand-made cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from menpai.errors import InputError
from menpai.evaluation.cases import evaluate_cases, judge_division, judge_elements

from .conftest import FakeMatcher


def place(province: str | None, city: str | None, district: str | None) -> dict[str, Any]:
    """Elements of the three upper levels."""
    return {"province": province, "city": city, "district": district}


def case(expected: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A parse case."""
    return {"id": "x", "kind": "parse", "input": "", "expected": expected, **more}


HANGZHOU = place("浙江省", "杭州市", "拱墅区")


@pytest.mark.parametrize(
    ("expected", "got", "verdict"),
    [
        (HANGZHOU, HANGZHOU, "exact"),
        (HANGZHOU, place("浙江", "杭州市", "拱墅区"), "exact"),
        (HANGZHOU, place("浙江省", "杭州市", None), "incomplete"),
        (HANGZHOU, place(None, None, None), "incomplete"),
        (HANGZHOU, place("浙江省", "杭州市", "西湖区"), "wrong"),
        (HANGZHOU, place("江苏省", "杭州市", "拱墅区"), "wrong"),
        (place("北京市", "北京市", "海淀区"), place("北京市", None, "海淀区"), "exact"),
        (place("北京市", None, "海淀区"), place("北京市", "市辖区", "海淀区"), "exact"),
        (place("广东省", None, "东莞市"), place("广东省", "东莞市", None), "exact"),
        (place("广东省", "东莞市", None), place("广东省", "东莞市", "东莞市"), "exact"),
        (place("吉林省", "吉林市", None), place("吉林省", None, None), "incomplete"),
    ],
)
def test_division_verdicts(expected: dict[str, Any], got: dict[str, Any], verdict: str) -> None:
    """Each verdict, with municipalities, placeholders and cities without districts."""
    assert judge_division(case(expected), got) == verdict


def test_old_name_as_written_is_an_alternative() -> None:
    """What `alt` lists is right, but not current."""
    old = place("浙江省", "杭州市", "下城区")
    assert judge_division(case(HANGZHOU, alt=[old]), old) == "alt"
    assert judge_division(case(HANGZHOU), old) == "wrong"


@pytest.mark.parametrize(
    ("got", "verdict"),
    [
        ({**place("北京市", None, "朝阳区"), "ambiguous": True}, "exact"),
        (place(None, None, "朝阳区"), "exact"),
        (place("吉林省", "长春市", "朝阳区"), "wrong"),
        (place("辽宁省", "朝阳市", None), "alt"),
    ],
)
def test_ambiguous_division_must_stay_open(got: dict[str, Any], verdict: str) -> None:
    """A name that the text does not decide must not be decided."""
    expected = {**place(None, None, "朝阳区"), "ambiguous": True}
    listed = [place("辽宁省", "朝阳市", None)]
    assert judge_division(case(expected, alt=listed), got) == verdict


@pytest.mark.parametrize(
    ("element", "want", "got", "right"),
    [
        ("town", "云岭街道", "云岭镇", True),
        ("town", "云岭街道", "云水街道", False),
        ("village", "白石村", "白石社区", True),
        ("road", "梧桐路", "梧桐路", True),
        ("road", "梧桐路", "梧桐", False),
        ("poi", "云岭花园", None, False),
        ("name", "张三", "张三", True),
        ("roadno", "12号", "12", True),
        ("roadno", "12号", "12-1号", False),
        ("group", "3组", "3队", True),
        ("postcode", "100000", "100000", True),
        ("zone", "云岭高新区", "高新区", True),
        ("landmark", "车站对面", "学校对面", False),
        ("landmark", "车站对面", "", False),
        ("phone", "000-1234 5678", "00012345678", True),
        ("phone", "00012345678", None, False),
        ("flags", ["renamed"], ["split", "renamed"], True),
        ("flags", ["renamed"], None, False),
    ],
)
def test_element_verdicts(element: str, want: Any, got: Any, right: bool) -> None:  # noqa: FBT001
    """Each kind of element is compared as strictly as it is written consistently."""
    assert list(judge_elements({element: want}, {element: got})) == [(element, right)]


def test_elements_not_asked_for_are_not_judged() -> None:
    """What a case leaves open is free."""
    assert list(judge_elements({"road": None}, {"road": "梧桐路", "poi": "云岭花园"})) == []


@pytest.mark.parametrize(
    ("got", "right"),
    [
        ({"building": "3栋", "unit": "2单元", "room": "501"}, True),
        ({"building": "3号楼", "unit": "2", "room": "501室"}, True),
        ({"building": "3", "room": "501"}, False),
        ({"building": "2", "unit": "3", "room": "501"}, False),
    ],
)
def test_numbers_from_building_to_room_are_one_element(
    got: dict[str, str],
    right: bool,  # noqa: FBT001
) -> None:
    """Numbers count in order, words around them do not."""
    expected = {"building": "3幢", "unit": "2单元", "room": "501室"}
    assert list(judge_elements(expected, got)) == [("building..room", right)]


def write(path: Path, cases: list[dict[str, Any]]) -> Path:
    """Cases as a file."""
    file = path / "cases.jsonl"
    file.write_text("\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n\n", "utf-8")
    return file


def test_report_by_hand(fake_matcher: FakeMatcher, tmp_path: Path) -> None:
    """Counts and percentages over a small file; cases that need a library count less."""
    fake_matcher.parsed = {
        "p1": {**HANGZHOU, "road": "梧桐路"},
        "p2": place("浙江省", None, None),
        "p3": {"road": "云岭路"},
    }
    fake_matcher.compared = {
        ("l1", "r1"): ("exact_match", 1.0),
        ("l2", "r2"): ("partial_match", 0.5),
        ("l3", "r3"): ("not_match", 0.0),
    }
    pair = {"kind": "pair", "input": "l1", "input2": "r1"}
    report = evaluate_cases(
        write(
            tmp_path,
            [
                case({**HANGZHOU, "road": "梧桐路"}, id="1", input="p1"),
                case(HANGZHOU, id="2", kind="normalise", input="p2"),
                case({**HANGZHOU, "road": "梧桐路"}, id="3", input="p3", tags=["needslib"]),
                case({"label": "same"}, id="4", **pair),
                case({"label": "different"}, id="5", kind="pair", input="l2", input2="r2"),
                case({"label": "same"}, id="6", kind="pair", input="l3", input2="r3")
                | {"tags": ["needslib"]},
                case({"top1": "x"}, id="7", kind="match"),
            ],
        )
    )
    assert report == {
        "division": {
            "exact": 1,
            "alt": 0,
            "incomplete": 1,
            "wrong": 0,
            "n": 2,
            "current_percent": 50.0,
            "right_percent": 50.0,
        },
        "elements": {"road": "1/2"},
        "elements_percent": 50.0,
        "pairs": {"right": 1, "n": 2, "right_percent": 50.0},
    }


@pytest.mark.parametrize("line", ["{", "[]", '{"id": "1", "kind": "parse", "input": "x"}'])
def test_broken_line_is_named(fake_matcher: FakeMatcher, tmp_path: Path, line: str) -> None:
    """A line that is no case is an error that says where."""
    file = tmp_path / "cases.jsonl"
    file.write_text("\n" + line, "utf-8")
    with pytest.raises(InputError, match="line 2"):
        evaluate_cases(file)
    assert fake_matcher.asked == []

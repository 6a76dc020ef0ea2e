"""How many hand-made cases (one JSON object a line) parser and comparison get right.

A case has a kind (parse, normalise, pair, match), an input (input2 for the second of a pair), what
is expected, and alt: other acceptable readings of the divisions, such as an old name as written.
Cases tagged needslib need knowledge from outside the text and are judged on elements only.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from menpai.errors import InputError
from menpai.evaluation.metrics import share

VERDICTS: Final = ("exact", "alt", "incomplete", "wrong")
"""exact: the current official names; alt: another acceptable reading; incomplete: nothing wrong
but a level is missing; wrong: some level contradicts."""

PAIR_LABELS: Final = {"same": "exact_match", "partial": "partial_match", "different": "not_match"}

_MUNICIPALITIES: Final = frozenset({"北京", "上海", "天津", "重庆"})

_NO_DIVISION: Final = frozenset(
    (
        *("-", "市辖区", "县", "直辖县", "省直辖县", "直辖市", "省直辖行政单位"),
        *("省直辖县级行政区划", "自治区直辖县级行政区划"),
        *("香港", "澳门", "香港特别行政区", "澳门特别行政区", "九龙", "新界", "香港岛"),
    )
)
"""Names that statistics put where a place has no city or district: they say nothing."""

_PROVINCE_SUFFIX: Final = re.compile(
    "(省|市|壮族自治区|回族自治区|维吾尔自治区|自治区|特别行政区)$"
)
_SMALL_SUFFIX: Final = re.compile("(街道|街|镇|乡|村|社区)$")
_NUMBER: Final = re.compile(r"\d+|[A-Za-z]+")

_VERBATIM: Final = ("road", "poi", "name")
_NUMBERED: Final = ("roadno", "group", "postcode")
_WITHOUT_SUFFIX: Final = ("town", "village")
_OVERLAPPING: Final = ("zone", "landmark")
_INSIDE: Final = ("building", "unit", "floor", "room")

Case = Mapping[str, Any]
Elements = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Province without its suffix, city and district; None where the level is not given."""

    province: str | None
    city: str | None
    district: str | None

    def within(self, other: "Place") -> bool:
        """Whether every level that is given here is the same there."""
        mine = (self.province, self.city, self.district)
        theirs = (other.province, other.city, other.district)
        return all(a is None or a == b for a, b in zip(mine, theirs, strict=True))


@dataclass(slots=True)
class _Tally:
    """Running counts over all cases."""

    division: Counter[str] = field(default_factory=Counter)
    expected: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    pairs: Counter[str] = field(default_factory=Counter)


def evaluate_cases(path: str | Path) -> dict[str, object]:
    """Run parser and comparison over a file of cases.

    Returns:
        division: counts of each verdict, n, current_percent (exact) and right_percent (exact or
        alt); elements: right/expected of each; elements_percent; pairs: right, n, right_percent.

    Raises:
        InputError: If a line is not a JSON object with id, kind, input and expected.
    """
    from menpai.matching.matcher import load  # the judges need no matcher

    matcher, tally = load(), _Tally()
    for case in read_cases(path):
        if case["kind"] in ("parse", "normalise"):
            _count_parse(tally, case, matcher.parse(case["input"]).to_dict())
        elif case["kind"] == "pair" and not _needs_library(case):
            label = matcher.compare(case["input"], case["input2"]).label
            right = label == PAIR_LABELS[case["expected"]["label"]]
            tally.pairs["right" if right else "wrong"] += 1
    return _report(tally)


def read_cases(path: str | Path) -> Iterator[Case]:
    """Cases of a file, one JSON object a line; blank lines are skipped."""
    with Path(path).open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                case = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(f"line {number} of {path} is not JSON", row=number) from error
            if not isinstance(case, dict) or not {"id", "kind", "input", "expected"} <= set(case):
                message = f"line {number} of {path} lacks id, kind, input or expected"
                raise InputError(message, row=number)
            yield case


def judge_division(case: Case, address: Elements) -> str:
    """Verdict on province, city and district of a parsed address."""
    expected = case["expected"]
    want, got = _place(expected), _readings(address)
    acceptable = not got.isdisjoint(map(_place, case.get("alt", ())))
    if expected.get("ambiguous"):
        undecided = any(p.city is None and p.province in (None, want.province) for p in got)
        if address.get("ambiguous") or undecided:
            return "exact"
        return "alt" if acceptable else "wrong"
    if want in got:
        return "exact"
    if acceptable:
        return "alt"
    return "incomplete" if any(place.within(want) for place in got) else "wrong"


def judge_elements(expected: Elements, address: Elements) -> Iterator[tuple[str, bool]]:
    """Each element that a case asks for, and whether the parsed address has it."""
    for element in (*_WITHOUT_SUFFIX, *_VERBATIM, *_NUMBERED, *_OVERLAPPING):
        if expected.get(element):
            yield element, _agrees(element, expected[element], address.get(element) or "")
    if expected.get("flags"):
        yield "flags", set(expected["flags"]) <= set(address.get("flags") or ())
    if expected.get("phone"):
        yield "phone", _digits(address.get("phone")) == _digits(expected["phone"])
    if inside := _numbers_inside(expected):
        yield "building..room", _numbers_inside(address) == inside


def _agrees(element: str, want: str, got: str) -> bool:
    """Whether one element agrees, as strictly as its kind is written consistently."""
    if not got:
        return False
    if element in _WITHOUT_SUFFIX:
        return _SMALL_SUFFIX.sub("", got) == _SMALL_SUFFIX.sub("", want)
    if element in _NUMBERED:
        return _NUMBER.findall(got) == _NUMBER.findall(want)
    if element in _OVERLAPPING:
        return got in want or want in got
    return got == want


def _numbers_inside(address: Elements) -> list[str]:
    """All numbers from building to room, in order: 3幢2单元 and 3栋 2 单元 are the same."""
    return _NUMBER.findall(" ".join(address.get(element) or "" for element in _INSIDE))


def _digits(text: str | None) -> str:
    return re.sub(r"\D", "", text or "")


def _place(address: Elements) -> Place:
    """Divisions of an address without placeholders; a municipality is no city of itself."""
    province = _short(address.get("province"))
    city, district = _real(address.get("city")), _real(address.get("district"))
    if province in _MUNICIPALITIES and _short(city) == province:
        city = None
    return Place(province, city, district)


def _real(name: str | None) -> str | None:
    return None if not name or name in _NO_DIVISION else name


def _short(province: str | None) -> str | None:
    return _PROVINCE_SUFFIX.sub("", province or "") or None


def _readings(address: Elements) -> set[Place]:
    """Places that an answer may mean.

    Cities without districts and counties directly under a province are put at either level.
    """
    place = _place(address)
    readings = {place}
    if place.city and place.district is None:
        readings.add(Place(place.province, None, place.city))
    elif place.city and place.city == place.district:
        readings.add(Place(place.province, place.city, None))
        readings.add(Place(place.province, None, place.district))
    return readings


def _needs_library(case: Case) -> bool:
    return "needslib" in case.get("tags", ())


def _count_parse(tally: _Tally, case: Case, address: Elements) -> None:
    if "province" in case["expected"] and not _needs_library(case):
        tally.division[judge_division(case, address)] += 1
    for element, right in judge_elements(case["expected"], address):
        tally.expected[element] += 1
        tally.right[element] += right


def _report(tally: _Tally) -> dict[str, object]:
    n_right, n_expected = tally.right.total(), tally.expected.total()
    return {
        "division": {
            **{verdict: tally.division[verdict] for verdict in VERDICTS},
            "n": tally.division.total(),
            "current_percent": share(tally.division, "exact"),
            "right_percent": share(tally.division, "exact", "alt"),
        },
        "elements": {key: f"{tally.right[key]}/{tally.expected[key]}" for key in tally.expected},
        "elements_percent": round(100 * n_right / max(1, n_expected), 1),
        "pairs": {
            "right": tally.pairs["right"],
            "n": tally.pairs.total(),
            "right_percent": share(tally.pairs, "right"),
        },
    }

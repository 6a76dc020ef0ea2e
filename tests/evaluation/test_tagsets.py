"""What tags mean."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from menpai.errors import ConfigError
from menpai.evaluation.conll import Tagged
from menpai.evaluation.spans import Span
from menpai.evaluation.tagsets import NAMES, check_tags, detect, known_tag_set, tag_set

MEASURED = (
    *("province", "city", "district", "town", "village", "zone", "road", "roadno", "poi"),
    *("building", "unit", "floor"),
)


def tagged(*pieces: tuple[str, str | None]) -> Tagged:
    """A text of pieces, each with its tag."""
    text, spans = "", []
    for piece, tag in pieces:
        if tag is not None:
            spans.append(Span(tag, len(text), len(text) + len(piece)))
        text += piece
    return Tagged(text, tuple(spans))


def gold(name: str, *pieces: tuple[str, str | None]) -> list[tuple[str, str]]:
    """Texts and elements of the spans that a known mapping makes of pieces."""
    written = tagged(*pieces)
    spans = known_tag_set(name).gold(written)
    return [(written.text[span.start : span.end], span.name) for span in spans]


def test_measured_elements() -> None:
    """Both public sets measure the same elements, one of them rooms besides."""
    assert known_tag_set("ccks").elements == MEASURED
    assert known_tag_set("naacl").elements == (*MEASURED, "room")


@pytest.mark.parametrize("name", NAMES)
def test_every_tag_alone(name: str) -> None:
    """A tag by itself means its element, or nothing."""
    for tag, element in known_tag_set(name).tags.items():
        assert gold(name, ("甲", tag)) == ([("甲", element)] if element else [])


@pytest.mark.parametrize(
    ("name", "pieces", "expected"),
    [
        # A municipality is a province, and a city where the province stands before it.
        ("ccks", [("北京市", "city")], [("北京市", "province")]),
        ("ccks", [("杭州市", "city")], [("杭州市", "city")]),
        (
            "ccks",
            [("北京", "prov"), ("北京市", "city")],
            [("北京", "province"), ("北京市", "city")],
        ),
        ("naacl", [("重庆", "redundant"), ("重庆市", "city")], [("重庆市", "province")]),
        # A lane is part of the road number, however the set splits it.
        (
            "ccks",
            [("望澜路", "road"), ("77弄", "road"), ("24号", "roadno")],
            [("望澜路", "road"), ("77弄24号", "roadno")],
        ),
        ("ccks", [("77弄", "roadno"), ("24号", "houseno")], [("77弄24号", "roadno")]),
        (
            "ccks",
            [("77号", "roadno"), ("2号", "houseno")],
            [("77号", "roadno"), ("2号", "building")],
        ),
        (
            "naacl",
            [("77", "roadno"), ("弄", "subRoad"), ("24号", "subroadno")],
            [("77弄24号", "roadno")],
        ),
        (
            "naacl",
            [("8弄", "subRoad"), ("2幢", "houseno")],
            [("8弄", "roadno"), ("2幢", "building")],
        ),
        # A house numbered within its village is a room; on a road it is not.
        ("ccks", [("青石村", "community"), ("8号", "houseno")], [("青石村", "village")]),
        ("ccks", [("二组", "village_group"), ("8号", "houseno")], []),
        (
            "naacl",
            [("青石村", "community"), ("8号", "roadno")],
            [("青石村", "village"), ("8号", "room")],
        ),
        ("naacl", [("二组", "road"), ("8号", "roadno")], [("8号", "room")]),
        (
            "naacl",
            [("青石村", "community"), ("，", None), ("8号", "roadno")],
            [("青石村", "village"), ("8号", "roadno")],
        ),
        # Parts of one are joined, two of a kind are not.
        ("ccks", [("翠湖花园", "poi"), ("二期", "subpoi")], [("翠湖花园二期", "poi")]),
        (
            "ccks",
            [("翠湖花园", "poi"), ("-", None), ("二期", "subpoi")],
            [("翠湖花园", "poi"), ("二期", "poi")],
        ),
        ("naacl", [("望澜路", "road"), ("北段", "subRoad")], [("望澜路北段", "road")]),
        (
            "naacl",
            [("望澜路", "road"), ("文瑞路", "subRoad")],
            [("望澜路", "road"), ("文瑞路", "road")],
        ),
        ("ccks", [("杭州", "city"), ("杭州市", "city")], [("杭州", "city"), ("杭州市", "city")]),
    ],
)
def test_definitions_coincide(
    name: str, pieces: Sequence[tuple[str, str | None]], expected: list[tuple[str, str]]
) -> None:
    """Where a set's habit and menpai's words differ, the rules of its mapping say so."""
    assert gold(name, *pieces) == expected


def test_predictions_are_joined_likewise() -> None:
    """Spans of a tagger are sorted and joined as the truth is; what is not measured is left out."""
    text = "翠湖花园二期501室"
    spans = [Span("room", 6, 10), Span("poi", 4, 6), Span("poi", 0, 4)]
    assert known_tag_set("ccks").joined(text, spans) == [Span("poi", 0, 6)]
    assert known_tag_set("naacl").joined(text, spans) == [Span("poi", 0, 6), Span("room", 6, 10)]


def test_blanks() -> None:
    """A set that writes _ for a blank gets its blanks back, another keeps its _."""
    written = tagged(("杭州_1", None))
    assert known_tag_set("ccks").text(written) == "杭州 1"
    assert known_tag_set("menpai").text(written) == "杭州_1"


@pytest.mark.parametrize(
    ("tags", "name"),
    [
        ({"prov", "village_group"}, "ccks"),
        ({"prov", "subRoad"}, "naacl"),
        ({"province", "road"}, "menpai"),
        ({"road", "poi"}, "ccks"),
        (set(), "ccks"),
    ],
)
def test_detection(tags: set[str], name: str) -> None:
    """The first mapping that has all tags is taken."""
    assert detect(tags).name == name


def test_unknown_tags() -> None:
    """Tags that no mapping has are named, beside the mapping that lacks the fewest."""
    with pytest.raises(ConfigError, match="mapping naacl has no tag 'lane', 'tower';"):
        detect({"subRoad", "tower", "lane"})
    with pytest.raises(ConfigError, match="mapping ccks has no tag 'subRoad';"):
        check_tags(known_tag_set("ccks"), {"subRoad", "road"})


@pytest.fixture
def write(tmp_path: Path) -> Any:
    """Write a mapping and give its path."""

    def write(mapping: object) -> str:
        path = tmp_path / "mine.json"
        path.write_text(json.dumps(mapping), encoding="utf-8")
        return str(path)

    return write


def test_own_mapping(write: Any) -> None:
    """A mapping may be a file with tags alone."""
    mine = tag_set(write({"tags": {"strasse": "road", "x": None}}))
    assert (mine.name, mine.elements, mine.blank) == ("mine.json", ("road",), None)
    assert mine.gold(tagged(("路", "strasse"), ("路", "strasse"), ("店", "x"))) == [
        Span("road", 0, 1),
        Span("road", 1, 2),
    ]
    assert tag_set("ccks") is known_tag_set("ccks")


RULE = {"tags": ["a"], "text": ".*", "element": None}


@pytest.mark.parametrize(
    ("mapping", "said"),
    [
        ([], "no mapping"),
        ({}, "tags"),
        ({"tags": {"a": "street"}}, "'street' is no element"),
        ({"tags": {"a": "road"}, "more": 1}, "what is 'more'"),
        ({"tags": {"a": "road"}, "join": {"poi": ".*"}}, "what is 'poi'"),
        ({"tags": {"a": "road"}, "join": {"road": "("}}, "no mapping"),
        ({"tags": {"a": "road"}, "rules": [{**RULE, "tags": ["b"]}]}, "'b', which is no tag"),
        ({"tags": {"a": "road"}, "rules": [{**RULE, "element": "poi"}]}, "no tag means 'poi'"),
        ({"tags": {"a": "road"}, "rules": [{"tags": ["a"]}]}, "element"),
    ],
)
def test_malformed_mappings(write: Any, mapping: object, said: str) -> None:
    """What is wrong with a mapping is said."""
    with pytest.raises(ConfigError, match=said) as caught:
        tag_set(write(mapping))
    assert caught.value.field == "mapping"


def test_neither_name_nor_file(tmp_path: Path) -> None:
    """A mapping that is not there is named, with those that are; so is one that is no text."""
    with pytest.raises(ConfigError, match="'conll' is none of ccks, naacl, menpai"):
        tag_set("conll")
    (tmp_path / "no.json").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match=r"no\.json"):
        tag_set(str(tmp_path / "no.json"))

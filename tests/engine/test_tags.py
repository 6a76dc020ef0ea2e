"""A tagger's labels to spans: whole ones and broken ones, where they stand, how sure they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from menpai.address.elements import ELEMENTS, Proposal
from menpai.engine.tags import ELEMENT_OF, Span, proposals, spans

LABELS = [f"{place}-{kind}" for kind in ("road", "poi") for place in "BIES"] + ["O"]
MARK = (0, 0)


BIO = [f"{place}-{kind}" for kind in ("road", "poi") for place in "BI"] + ["O"]


def decoded(
    labels: Sequence[str], known: Sequence[str] = LABELS, text: str = "望澜路海岸广场"
) -> list[tuple[str, str]]:
    """Types and texts of spans, where each character has a label; "|" is a mark.

    Of a character with two labels the first is the likelier one.
    """
    offsets, start = [], 0
    rows = np.full((len(labels), len(known)), 0.01, np.float32)
    for row, written in zip(rows, labels, strict=True):
        is_mark = written == "|"
        offsets.append(MARK if is_mark else (start, start + 1))
        start += not is_mark
        first, _, second = ("O" if is_mark else written).partition("/")
        row[known.index(second or first)] = 0.3
        row[known.index(first)] = 0.6
    return [(span.type, span.text) for span in spans(text, offsets, rows, known)]


CASES = [
    ("nothing", "O O O", []),
    ("bies", "B-road I-road E-road O", [("road", "望澜路")]),
    ("single", "S-road O O", [("road", "望")]),
    ("singles", "S-road S-road O", [("road", "望"), ("road", "澜")]),
    ("two-types", "B-road E-road B-poi E-poi", [("road", "望澜"), ("poi", "路海")]),
    ("two-of-one-type", "B-road E-road B-road E-road", [("road", "望澜"), ("road", "路海")]),
    # what cannot stand there gives way to what can
    ("no-begin", "O I-road/B-road E-road O", [("road", "澜路")]),
    ("only-inside", "I-road/B-road I-road I-road/E-road", [("road", "望澜路")]),
    ("only-end", "O E-road/S-road O", [("road", "澜")]),
    ("no-end", "B-road I-road/E-road O B-poi/S-poi", [("road", "望澜"), ("poi", "海")]),
    ("begin-begin", "B-road/S-road B-road E-road", [("road", "望"), ("road", "澜路")]),
    ("after-the-end", "B-road E-road I-road/S-road", [("road", "望澜"), ("road", "路")]),
    ("end-end", "B-road E-road/I-road E-road", [("road", "望澜路")]),
    ("other-type-inside", "B-road I-poi/I-road E-road", [("road", "望澜路")]),
    ("open-at-the-end", "O B-road I-road/E-road", [("road", "澜路")]),
    # marks
    ("marks-around", "| B-road E-road |", [("road", "望澜")]),
    ("mark-in-between", "B-road E-road | B-road E-road", [("road", "望澜"), ("road", "路海")]),
    ("only-marks", "| |", []),
]
BIO_CASES = [
    ("whole", "B-road I-road I-road O", [("road", "望澜路")]),
    ("to-the-end", "O B-road I-road", [("road", "澜路")]),
    ("one", "B-road O B-poi", [("road", "望"), ("poi", "路")]),
    ("two-of-one-type", "B-road I-road B-road I-road", [("road", "望澜"), ("road", "路海")]),
    ("no-begin", "O I-road/B-road I-road O", [("road", "澜路")]),
    ("other-type", "B-road I-poi/I-road I-road", [("road", "望澜路")]),
]


@pytest.mark.parametrize(("labels", "expected"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_labels_to_spans(labels: str, expected: list[tuple[str, str]]) -> None:
    """The likeliest row of labels in which what begins also ends, with the same type all along."""
    assert decoded(labels.split()) == expected


@pytest.mark.parametrize(
    ("labels", "expected"), [c[1:] for c in BIO_CASES], ids=[c[0] for c in BIO_CASES]
)
def test_labels_without_ends_to_spans(labels: str, expected: list[tuple[str, str]]) -> None:
    """A span goes on as long as it is inside, and need not end."""
    assert decoded(labels.split(), BIO) == expected


def test_a_label_of_a_mark_counts_for_nothing() -> None:
    """A tagger may well call [CLS] the beginning of a road."""
    rows = np.eye(len(LABELS), dtype=np.float32)[[LABELS.index("B-road"), LABELS.index("S-road")]]
    assert spans("望", [MARK, (0, 1)], rows, LABELS) == [Span("road", 0, 1, "望", 1.0)]


def test_a_mark_in_between_ends_a_span() -> None:
    """Whatever its label: what stands on its two sides are two texts."""
    rows = np.eye(len(LABELS), dtype=np.float32)[[LABELS.index("I-road")] * 3]
    found = spans("望路", [(0, 1), MARK, (1, 2)], rows, LABELS)
    assert [span.text for span in found] == ["望", "路"]


def test_probabilities_are_those_of_the_spans_tokens() -> None:
    """Not of their neighbours, as when the row of [CLS] is counted or left out by mistake."""
    sure = [0.31, 0.9, 0.7, 0.43, 0.6, 0.37]
    labels = ["O", "B-road", "E-road", "O", "S-poi", "O"]
    rows = np.full((6, len(LABELS)), 0.01, np.float32)
    for row, (label, probability) in enumerate(zip(labels, sure, strict=True)):
        rows[row, LABELS.index(label)] = probability
    offsets = [MARK, (0, 1), (1, 3), (3, 4), (4, 5), MARK]
    road, poi = spans("望澜路8海", offsets, rows, LABELS)
    assert (road.text, road.probability) == ("望澜路", pytest.approx(0.8))
    assert (poi.text, poi.probability) == ("海", pytest.approx(0.6))


def test_spans_take_what_stands_between_their_tokens() -> None:
    """Offsets are those of the text: blanks and dropped signs inside a span belong to it."""
    rows = np.eye(len(LABELS), dtype=np.float32)[[LABELS.index("B-road"), LABELS.index("E-road")]]
    [span] = spans(" 望 \u200b路", [(1, 2), (4, 5)], rows, LABELS)
    assert span == Span("road", 1, 5, "望 \u200b路", 1.0)


def test_proposals_have_the_parsers_elements() -> None:
    """Types that the parser has no element for propose nothing."""
    found = [
        Span("community", 0, 2, "岚村", 0.9),
        Span("houseno", 2, 4, "3栋", 0.9),
        Span("others", 4, 5, "x", 0.9),
        Span("redundant", 5, 6, "x", 0.9),
        Span("poi", 6, 8, "广场", 0.9),
    ]
    assert proposals(found) == [
        Proposal("village", 0, 2),
        Proposal("building", 2, 4),
        Proposal("poi", 6, 8),
    ]


def test_every_proposed_element_is_one() -> None:
    """A misspelt name would be dropped silently."""
    assert set(ELEMENT_OF.values()) <= set(ELEMENTS)


TEXTS = [
    "浙江省杭州市西湖区望澜路88号3幢2单元501室",
    " 望澜路  ８８號\t海岸廣場",
    "北京\ud800市望澜路😀88号",
    "",
    "路" * 300,
    "Wanglan Road 88",
]


def test_the_engine_tags_texts_as_they_are_written(tags: Path, open_engine: Any) -> None:
    """Spans index the original; no label that was chosen is likelier than the likeliest."""
    engine = open_engine(tags)
    found = engine.tag(TEXTS)
    tokens = engine._opened.tokenizer.texts(TEXTS, with_offsets=True)
    answers = engine._executor.run(tokens)
    assert sum(map(len, found)) > len(TEXTS)
    for text, own, item, answer in zip(TEXTS, found, tokens, answers, strict=True):
        for span in own:
            assert span.text == text[span.start : span.end] != ""
            covered = [
                row.max()
                for row, (start, end) in zip(answer, item.offsets, strict=True)
                if span.start <= start < end <= span.end
            ]
            assert 0 < span.probability <= np.mean(covered) + 1e-6
    assert found[TEXTS.index("")] == []


def test_a_text_is_tagged_alike_among_others(tags: Path, open_engine: Any) -> None:
    """Also where there are more texts than are held at a time."""
    engine = open_engine(tags)
    many = engine.tag([*TEXTS, *TEXTS[:3] * 700])
    assert len(many) == len(TEXTS) + 2100
    for text, found in zip([*TEXTS, *TEXTS[:3]], [*many[: len(TEXTS)], *many[-3:]], strict=True):
        [own] = engine.tag([text])
        assert [span[:4] for span in own] == [span[:4] for span in found]

"""Spans to labels of tokens, and back."""

import numpy as np
import pytest
from folders import ADDRESSES, VOCABULARY

from menpai.engine.tags import spans
from menpai.evaluation.spans import Span
from menpai.model.tokenizer import Tokenizer, from_vocabulary
from menpai.train.tagging import IGNORED, labelled, labels_of


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    """One that cuts 88 and 2003 to single tokens, and other numbers digit by digit."""
    return from_vocabulary(VOCABULARY, 64)


def test_labels_are_sorted_and_complete() -> None:
    """Whatever the order of the types."""
    labels = labels_of(["road", "city", "road"])
    assert labels == ("O", "B-city", "I-city", "E-city", "S-city", *labels[5:])
    assert labels[5:] == ("B-road", "I-road", "E-road", "S-road")


def test_marks_have_no_label(tokenizer: Tokenizer) -> None:
    """The first and the last token are of no text."""
    [tokens] = tokenizer.texts([ADDRESSES[0]], with_offsets=True)
    found = labelled(tokens, [], labels_of(["road"]))
    assert found[[0, -1]].tolist() == [IGNORED, IGNORED]
    assert set(found[1:-1].tolist()) == {0}


@pytest.mark.parametrize(
    "wanted",
    [
        [("city", 3, 6), ("road", 9, 12), ("poi", 12, 15)],
        [("poi", 0, 1), ("road", 1, 2), ("road", 2, 24)],
        [],
    ],
)
def test_labels_are_read_as_the_spans_that_they_were_made_of(
    tokenizer: Tokenizer, wanted: list[tuple[str, int, int]]
) -> None:
    """By what reads a tagger's answers: also spans of one token, and neighbours of one type."""
    text = ADDRESSES[0]
    labels = labels_of(["city", "road", "poi"])
    [tokens] = tokenizer.texts([text], with_offsets=True)
    found = labelled(tokens, [Span(*span) for span in wanted], labels)
    sure = np.eye(len(labels), dtype=np.float32)[np.where(found == IGNORED, 0, found)]
    read = [(span.type, span.start, span.end) for span in spans(text, tokens.offsets, sure, labels)]
    assert read == wanted


def test_span_that_ends_inside_a_token_ends_with_it(tokenizer: Tokenizer) -> None:
    """88 is one token: a span of its first digit is of both."""
    text = ADDRESSES[0]
    start = text.index("88")
    labels = labels_of(["roadno"])
    [tokens] = tokenizer.texts([text], with_offsets=True)
    found = labelled(tokens, [Span("roadno", start, start + 1)], labels)
    place = next(i for i, (first, _) in enumerate(tokens.offsets) if first == start)
    assert labels[found[place]] == "S-roadno"
    assert (found[1:-1] > 0).sum() == 1


def test_what_was_cut_off_has_no_label() -> None:
    """A span behind the end of a text that is too long."""
    [tokens] = from_vocabulary(VOCABULARY, 8).texts([ADDRESSES[0]], with_offsets=True)
    found = labelled(tokens, [Span("road", 9, 12)], labels_of(["road"]))
    assert len(found) == 8
    assert (found > 0).sum() == 0

"""What a pair model is told of each character: shared, element, relation, rarity."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from folders import VOCABULARY
from hypothesis import given, strategies as st

from menpai.address.compare import compare
from menpai.address.elements import ELEMENTS
from menpai.address.parse import parse
from menpai.engine import features
from menpai.engine.features import KINDS, SIZES, Side, channels, evidence, sides
from menpai.errors import ModelError
from menpai.model.tokenizer import Tokenizer, from_vocabulary

LEFT, RIGHT = "杭州市西湖区望澜路88号3幢", "望澜路88号5幢"
SAME, OTHER = 11, 12
ODD = [
    "",
    "😀",
    "a",
    "Straße ﬁ 路",
    "\ud800路",
    "路" * 300,
    "İstanbul 8",
    "１２号",
    "0012",
    "ab cd",
    "\0",
]
addresses = st.one_of(
    st.text("杭州市西湖区望澜路88号3幢2单元501室12", max_size=40),
    st.text(max_size=12),
    st.sampled_from(ODD),
)


def told(left: str, right: str) -> tuple[Side, Side]:
    """What both texts' characters are told."""
    return sides(parse(left), parse(right))


def elements(text: str, side: Side) -> dict[str, str]:
    """The characters of each element that a side is told of."""
    found: dict[str, str] = {}
    for sign, place in zip(text, side.element, strict=True):
        if place:
            name = ELEMENTS[place - 1]
            found[name] = found.get(name, "") + sign
    return found


# ---- Each channel --------------------------------------------------------------------------------


def test_shared_by_hand() -> None:
    """The longest run in the other text, up to four; six more where it is aligned."""
    left, right = told("望澜路南口", "口望澜路东")
    assert left.shared == [3 + 6, 3 + 6, 3 + 6, 1, 1 + 1]
    assert right.shared == [1 + 1, 3 + 6, 3 + 6, 3 + 6, 1]
    assert told("海岸广场路", "海岸广场路")[0].shared == [4 + 6] * 5
    assert told("海岸", "望澜")[0].shared == [1, 1]


@pytest.mark.parametrize(
    ("left", "right", "wanted"),
    [
        ("12号", "12号", SAME),
        ("12号", "1号2幢", OTHER),
        ("1号", "12号", OTHER),
        ("2号", "12号", OTHER),
        ("12号", "望澜路", OTHER),
        ("12号", "望澜路12幢", SAME),
        ("12号", "", OTHER),
    ],
)
def test_a_number_is_one_thing(left: str, right: str, wanted: int) -> None:
    """It stands in the other text as a whole, anywhere, or it does not."""
    found = told(left, right)[0].shared
    n_digits = sum(sign.isdecimal() for sign in left)
    assert found[:n_digits] == [wanted] * n_digits
    assert SAME == features._SAME_NUMBER
    assert OTHER == features._OTHER_NUMBER


def test_elements_are_those_of_the_parser() -> None:
    """Each in its own span."""
    found = elements(LEFT, told(LEFT, RIGHT)[0])
    assert found["road"] == "望澜路"
    assert found["roadno"].startswith("88")
    assert found["building"].startswith("3")
    assert found["district"] == "西湖区"


def test_relations_are_those_of_the_comparison() -> None:
    """Of the element that a character belongs to; nothing where it belongs to none."""
    relations = compare(parse(LEFT), parse(RIGHT))
    for text, side in zip((LEFT, RIGHT), told(LEFT, RIGHT), strict=True):
        for place, kind in zip(side.element, side.relation, strict=True):
            wanted = relations.kind(ELEMENTS[place - 1]) if place else "absent"
            assert kind == (KINDS.index(wanted) + 1 if wanted in KINDS else 0), text
    kinds = {KINDS[kind - 1] for side in told(LEFT, RIGHT) for kind in side.relation if kind}
    assert kinds >= {"equal", "missing", "conflict"}


def test_every_kind_of_relation_has_a_number() -> None:
    """Nothing that a comparison says is passed over."""
    assert set(KINDS) == {
        *("equal", "alias", "renamed", "contains", "similar", "missing"),
        "conflict",
    }
    assert len(set(KINDS)) == SIZES["relation"] - 1


def test_relations_that_are_known_are_used() -> None:
    """They are not worked out again."""
    left, right = parse(LEFT), parse(RIGHT)
    none = compare(left, right)._replace(by_element={})
    assert not any(sides(left, right, none)[0].relation)
    assert any(sides(left, right)[0].relation)


def test_a_tenant_stands_in_for_a_name() -> None:
    """Two shops of one mall: what differs is told."""
    left, right = "海岸广场1层云岭超市", "海岸广场1层青竹药店"
    relations = compare(parse(left), parse(right))
    assert (relations.kind("poi"), relations.kind("tenant")) == ("equal", "conflict")
    found = told(left, right)[0]
    poi = ELEMENTS.index("poi") + 1
    kinds = {
        kind for place, kind in zip(found.element, found.relation, strict=True) if place == poi
    }
    assert kinds == {KINDS.index("conflict") + 1}


def test_rare_characters_are_told_from_common_ones() -> None:
    """By the rarest pair that each is in; numbers and single characters have none."""
    (found,) = (told("望澜小区 路8", "")[0].rarity,)
    assert found[0] == found[1] > found[3]
    assert found[4:] == [1, 1, 1]
    assert told("澜 8", "")[0].rarity == [1, 1, 1]
    assert max(told("犇骉鱻淼", "")[0].rarity) == SIZES["rarity"] - 1
    assert told("ab", "")[0].rarity == told("AB", "")[0].rarity


# ---- Laws ----------------------------------------------------------------------------------------


@given(addresses, addresses)
def test_swapping_the_pair_swaps_the_sides(left: str, right: str) -> None:
    """Whatever the texts hold."""
    own, other = told(left, right)
    assert told(right, left) == (other, own)


@given(addresses, addresses)
def test_one_number_for_each_character(left: str, right: str) -> None:
    """Below the channel's size, and above 0 where 0 is for marks alone."""
    for text, side in zip((left, right), told(left, right), strict=True):
        for name, numbers in side._asdict().items():
            assert len(numbers) == len(text)
            assert all(0 <= number < SIZES[name] for number in numbers)
        assert all(number > 0 for number in (*side.shared, *side.rarity))


def test_channels_are_the_fields_of_a_side() -> None:
    """In their order, and the one of the marks."""
    assert tuple(SIZES) == (*Side._fields, "evidence")


@pytest.mark.parametrize(
    ("left", "right", "grades"),
    [
        (LEFT, LEFT, (None, 15, 15)),
        ("海岸广场", "望澜路12号", (0, 0, 0)),
        ("望澜路12号", "望澜路14号", (None, 15, 0)),
        ("望澜路12号", "望澜路12号3楼", (None, None, 15)),
    ],
)
def test_marks_tell_of_the_whole_pair(
    left: str, right: str, grades: tuple[int | None, ...]
) -> None:
    """Rarity in common, its share of both texts, and numbers in common; each in values of its own."""
    found = list(evidence(compare(parse(left), parse(right))))
    for place, (number, grade) in enumerate(zip(found, grades, strict=True)):
        assert 1 + 16 * place <= number < 1 + 16 * (place + 1)
        if grade is not None:
            assert number == 1 + 16 * place + grade


# ---- By token ------------------------------------------------------------------------------------


def tokenizer(max_length: int = 64) -> Tokenizer:
    """A tokenizer with words of several characters among its own."""
    return from_vocabulary(VOCABULARY, max_length)


def by_token(left: str, right: str, max_length: int = 64) -> tuple[Any, dict[str, list[int]]]:
    """Tokens and channels of a pair."""
    tokens = tokenizer(max_length).pairs([(left, right)], with_offsets=True)
    found = channels([(left, right)], tokens)
    return tokens[0], {name: rows[0].tolist() for name, rows in found.items()}


def test_a_token_has_its_first_characters_numbers() -> None:
    """And a mark has 0, but for what it tells of the whole pair."""
    tokens, found = by_token(LEFT, RIGHT)
    both = told(LEFT, RIGHT)
    assert [tokens.texts.count(side) for side in (None, 0, 1)] == [3, 13, 7]
    assert any(end - start == 2 for start, end in tokens.offsets)
    marks = [place for place, text in enumerate(tokens.texts) if text is None]
    whole = found.pop("evidence")
    assert [whole[place] for place in marks] == list(evidence(compare(*map(parse, (LEFT, RIGHT)))))
    assert sum(number > 0 for number in whole) == len(marks)
    for name, numbers in found.items():
        for text, (start, _), number in zip(tokens.texts, tokens.offsets, numbers, strict=True):
            assert number == (0 if text is None else getattr(both[text], name)[start])


@pytest.mark.parametrize("max_length", [8, 12, 16])
def test_truncated_pairs(max_length: int) -> None:
    """What is read is told as before, of the whole texts."""
    whole, wanted = by_token(LEFT, RIGHT)
    tokens, found = by_token(LEFT, RIGHT, max_length)
    assert (len(tokens.ids), tokens.is_truncated) == (max_length, True)
    keys = list(zip(whole.texts, whole.offsets, strict=True))
    for place, key in enumerate(zip(tokens.texts, tokens.offsets, strict=True)):
        if key[0] is None:
            assert all(found[name][place] == 0 for name in Side._fields)
            assert found["evidence"][place] > 0
        else:
            own = keys.index(key)
            assert all(found[name][place] == wanted[name][own] for name in SIZES)


@given(addresses, addresses)
def test_any_text_is_told_of(left: str, right: str) -> None:
    """Pictures, Latin letters, nothing, halves of characters; dtype and length are the tokens'."""
    tokens = tokenizer().pairs([(left, right)], with_offsets=True)
    for name, (row,) in channels([(left, right)], tokens).items():
        assert (row.dtype, row.shape) == (np.int32, tokens[0].ids.shape)
        assert ((row >= 0) & (row < SIZES[name])).all()


def test_segments_that_mark_nothing_are_no_matter() -> None:
    """Some tokenizers give both texts the same segment."""
    tokens = tokenizer().pairs([(LEFT, RIGHT)], with_offsets=True)
    same = [replace(item, segments=np.zeros_like(item.segments)) for item in tokens]
    for name, (row,) in channels([(LEFT, RIGHT)], tokens).items():
        assert np.array_equal(row, channels([(LEFT, RIGHT)], same)[name][0])


def test_a_book_is_read_to_its_limit() -> None:
    """What is beyond it is told of as a mark: no text of a table may take minutes."""
    pairs = [("a" * 1990 + "路 " * 2000, "路")]
    tokens = tokenizer(250).pairs(pairs, with_offsets=True)
    (found,) = channels(pairs, tokens)["shared"]
    starts = np.array([start if end > start else -1 for start, end in tokens[0].offsets])
    assert found[(starts >= 0) & (starts < 2000)].all()
    assert (starts >= 2000).sum() > 100
    assert not found[starts >= 2000].any()


def test_pairs_keep_their_order() -> None:
    """Each has its own numbers, whatever stands beside it."""
    pairs = [(LEFT, RIGHT), ("海岸广场", "望澜路12号"), (RIGHT, RIGHT)]
    tokens = tokenizer().pairs(pairs, with_offsets=True)
    together = channels(pairs, tokens)
    for place, pair in enumerate(pairs):
        alone = channels([pair], tokens[place : place + 1])
        assert all(np.array_equal(together[name][place], alone[name][0]) for name in SIZES)
    assert channels([], []) == {name: [] for name in SIZES}


# ---- Which checkpoints may read them -------------------------------------------------------------


def manifest(sizes: dict[str, int], *, has_pairs: bool = True, prefix: str = "") -> Any:
    """What is looked at of a manifest."""
    config = SimpleNamespace(channels=tuple(sizes.items()))
    return SimpleNamespace(config=config, has_pairs=has_pairs, prefix=prefix)


def test_channels_that_are_computed_pass() -> None:
    """In any order, and none at all for any checkpoint."""
    features.check(manifest(SIZES))
    features.check(manifest(dict(reversed(SIZES.items()))))
    features.check(manifest({}, has_pairs=False, prefix="查询："))


@pytest.mark.parametrize(
    "sizes",
    [{"shared": 13}, {**SIZES, "colour": 3}, {**SIZES, "rarity": 9}, {"colour": 3}],
)
def test_other_channels_are_refused(sizes: dict[str, int]) -> None:
    """Fewer, more, of another size, unknown: the message names both."""
    with pytest.raises(ModelError, match="reads the channels") as caught:
        features.check(manifest(sizes))
    assert str(SIZES) in str(caught.value)


def test_only_pairs_are_told_of() -> None:
    """A text alone has no other side, and a prefix is no part of an address."""
    for wrong in (manifest(SIZES, has_pairs=False), manifest(SIZES, prefix="查询：")):
        with pytest.raises(ModelError, match="only a model of pairs"):
            features.check(wrong)

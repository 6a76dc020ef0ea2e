"""The tokenizer: BERT's own definition, limits, odd characters, threads, files."""

import json
import unicodedata
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from folders import ADDRESSES, VOCABULARY, edited, hub_encoder
from hypothesis import given, strategies as st

from menpai.errors import ModelError
from menpai.model import tokenizer as tokenizers
from menpai.model.tokenizer import Tokenizer, Tokens, from_vocabulary, per_token, read

IDS = {word: number for number, word in enumerate(VOCABULARY)}
UNKNOWN, CLS, SEP = (IDS[mark] for mark in ("[UNK]", "[CLS]", "[SEP]"))
ODD = "杭州望澜路88号 aBCdroad08éÀ（）()-.,，。\t\n\u3000\u200b\0\ufffd😀\ue000ｶﾞ１Ａ\u0301豈"
texts = st.text(st.sampled_from(ODD), max_size=30)

TOKENIZER = from_vocabulary(VOCABULARY, 64)


# ---- BERT's definition ---------------------------------------------------------------------------


def pieces(text: str, *, lower_case: bool = True) -> list[int]:
    """Cut a text as the first BERT does, without the marks around it."""
    return [number for word in words(text, lower_case=lower_case) for number in longest(word)]


def words(text: str, *, lower_case: bool) -> Iterator[str]:
    """Clean, set Chinese characters apart, and cut at blanks and punctuation."""
    spaced = "".join(f" {c} " if is_chinese(c) else cleaned(c) for c in text)
    for word in spaced.split():
        if lower_case:
            plain = unicodedata.normalize("NFD", word.lower())
            yield from cut("".join(c for c in plain if unicodedata.category(c) != "Mn"))
        else:
            yield from cut(word)


def cleaned(character: str) -> str:
    """A blank for every kind of blank, nothing for what is invisible."""
    if character in "\t\n\r " or unicodedata.category(character) == "Zs":
        return " "
    is_left_out = character in "\0\ufffd" or unicodedata.category(character).startswith("C")
    return "" if is_left_out else character


def is_chinese(character: str) -> bool:
    """Say whether it is of the blocks that the first BERT lists, here the two that are used."""
    return "\u4e00" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"


def cut(word: str) -> Iterator[str]:
    """Punctuation stands alone."""
    part = ""
    for character in word:
        if is_punctuation(character):
            yield from filter(None, (part, character))
            part = ""
        else:
            part += character
    yield from filter(None, (part,))


def is_punctuation(character: str) -> bool:
    """Every sign of ASCII that is no letter or digit, and what Unicode calls so."""
    is_sign = "!" <= character <= "~" and not character.isalnum()
    return is_sign or unicodedata.category(character).startswith("P")


def longest(word: str) -> list[int]:
    """Cut a word into the longest pieces from its start; one mark if that cannot be."""
    found: list[int] = []
    start = 0
    while start < len(word) <= 100:
        ends = range(len(word), start, -1)
        known = (IDS.get(("##" if start else "") + word[start:end]) for end in ends)
        number, end = next(((n, e) for n, e in zip(known, ends, strict=True) if n), (UNKNOWN, 0))
        if not end:
            return [UNKNOWN]
        found.append(number)
        start = end
    return found if len(word) <= 100 else [UNKNOWN]


@given(texts)
def test_ids_are_those_of_the_definition(text: str) -> None:
    """Whatever odd characters are in it."""
    (found,) = TOKENIZER.texts([text])
    assert found.ids.tolist() == [CLS, *pieces(text)[:62], SEP]
    assert not found.segments.any()


@given(texts, texts)
def test_pairs_are_those_of_the_definition(left: str, right: str) -> None:
    """A mark after each text; the second has segment 1, its mark too."""
    (found,) = from_vocabulary(VOCABULARY, 128).pairs([(left, right)])
    first, second = pieces(left), pieces(right)
    assert found.ids.tolist() == [CLS, *first, SEP, *second, SEP]
    assert found.segments.tolist() == [0] * (len(first) + 2) + [1] * (len(second) + 1)


def test_ids_are_those_of_transformers(tmp_path: Path) -> None:
    """The library that most users know reads the same folder."""
    transformers = pytest.importorskip("transformers", reason="the second opinion is optional")
    hub_encoder(tmp_path)
    theirs = transformers.BertTokenizer.from_pretrained(tmp_path)
    for text in [*ADDRESSES, ODD]:
        assert read(tmp_path, 64).texts([text])[0].ids.tolist() == theirs(text)["input_ids"]


def test_known_ids() -> None:
    """One by hand: digits and letters are pieces of words, Chinese characters words."""
    (found,) = TOKENIZER.texts(["望澜路2003 ROAD08"])
    assert [VOCABULARY[i] for i in found.ids] == [
        *("[CLS]", "望", "澜", "路", "2003", "road", "##08", "[SEP]")
    ]


# ---- Options and files ---------------------------------------------------------------------------


def test_case_is_kept_where_the_folder_says_so(tmp_path: Path) -> None:
    """Then accents are kept as well, unless they are to go."""
    hub_encoder(tmp_path, lower_case=False)
    (found,) = read(tmp_path, 64).texts(["a A É"])
    assert found.ids.tolist() == [CLS, *pieces("a A É", lower_case=False), SEP]
    assert found.ids.tolist() == [CLS, IDS["a"], IDS["A"], UNKNOWN, SEP]
    with edited(tmp_path / "tokenizer_config.json") as content:
        content["strip_accents"] = True
    assert read(tmp_path, 64).texts(["Á"])[0].ids.tolist() == [CLS, IDS["A"], SEP]


def test_lower_case_is_the_default(tmp_path: Path) -> None:
    """As in the first BERT, where a folder says nothing."""
    hub_encoder(tmp_path, lower_case=False)
    (tmp_path / "tokenizer_config.json").unlink()
    assert read(tmp_path, 64).texts(["A É"])[0].ids.tolist() == [CLS, IDS["a"], IDS["e"], SEP]


def test_chinese_characters_stay_together_where_the_folder_says_so(tmp_path: Path) -> None:
    """Some were trained so."""
    hub_encoder(tmp_path)
    with edited(tmp_path / "tokenizer_config.json") as content:
        content["tokenize_chinese_chars"] = False
    (found,) = read(tmp_path, 64).texts(["2003路号"])
    assert [VOCABULARY[i] for i in found.ids[1:-1]] == ["2003", "##路", "##号"]


def test_tokenizer_file_comes_first(tmp_path: Path) -> None:
    """A folder with both files: tokenizer.json is what it was trained with."""
    hub_encoder(tmp_path, lower_case=False)
    TOKENIZER.save(tmp_path / tokenizers.FILE)
    assert read(tmp_path, 64).texts(["A"])[0].ids.tolist() == [CLS, IDS["a"], SEP]


@pytest.mark.parametrize("lower_case", [True, False])
def test_saved_and_loaded_it_is_the_same(tmp_path: Path, lower_case: bool) -> None:  # noqa: FBT001 -- a case
    """Ids, segments, flags, the padding; the limit is the one it is loaded with."""
    hub_encoder(tmp_path, lower_case=lower_case)
    own = read(tmp_path, 64)
    own.save(tmp_path / "saved.json")
    loaded = Tokenizer.load(tmp_path / "saved.json", 64)
    assert (loaded.pad_id, loaded.n_tokens) == (own.pad_id, own.n_tokens) == (0, len(VOCABULARY))
    inputs = [*ADDRESSES, ODD, "", ADDRESSES[0] * 9]
    same(loaded.texts(inputs), own.texts(inputs))
    turned = list(zip(inputs, inputs[::-1], strict=True))
    same(loaded.pairs(turned), own.pairs(turned))
    assert len(Tokenizer.load(tmp_path / "saved.json", 9).texts(inputs)[0].ids) == 9
    saved = json.loads((tmp_path / "saved.json").read_text(encoding="utf-8"))
    assert saved["truncation"] is saved["padding"] is None


def test_limits_of_a_file_are_not_taken_over(tmp_path: Path) -> None:
    """Published files have a truncation and a padding of their own."""
    TOKENIZER.save(tmp_path / "own.json")
    with edited(tmp_path / "own.json") as content:
        content["truncation"] = {
            "direction": "Left",
            "max_length": 5,
            "strategy": "OnlyFirst",
            "stride": 2,
        }
        content["padding"] = {
            "strategy": {"Fixed": 20},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[PAD]",
        }
    loaded = Tokenizer.load(tmp_path / "own.json", 10)
    same(
        loaded.texts(["杭州", "杭州" * 9]),
        from_vocabulary(VOCABULARY, 10).texts(["杭州", "杭州" * 9]),
    )
    pair = [("杭" * 9, "州" * 9)]
    same(loaded.pairs(pair), from_vocabulary(VOCABULARY, 10).pairs(pair))


def same(some: list[Tokens], others: list[Tokens]) -> None:
    """All that a runtime sees."""
    for one, other in zip(some, others, strict=True):
        assert one.ids.tolist() == other.ids.tolist()
        assert one.segments.tolist() == other.segments.tolist()
        assert one.is_truncated == other.is_truncated
        assert one.ids.dtype == one.segments.dtype == np.int32


@pytest.mark.parametrize("content", [b"", b"{}", b"\xff\xfe", b'{"model": {"type": "abacus"}}'])
def test_file_that_is_no_tokenizer_is_refused(tmp_path: Path, content: bytes) -> None:
    """With its name."""
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json"):
        Tokenizer.load(tmp_path / "tokenizer.json", 64)


@pytest.mark.parametrize("mark", ["[UNK]", "[CLS]", "[SEP]", "[PAD]"])
def test_vocabulary_without_a_mark_is_refused(mark: str) -> None:
    """It could not even cut an empty text."""
    with pytest.raises(ModelError) as caught:
        from_vocabulary([word for word in VOCABULARY if word != mark], 64)
    assert mark in str(caught.value)


# ---- Limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "is_truncated"), [(13, False), (14, False), (15, True), (99, True)])
def test_long_text_loses_its_end(n: int, is_truncated: bool) -> None:  # noqa: FBT001 -- a case
    """Sixteen tokens have room for fourteen and two marks."""
    text = ("杭州" * n)[:n]
    for with_offsets in (False, True):
        (found,) = from_vocabulary(VOCABULARY, 16).texts([text], with_offsets=with_offsets)
        assert found.ids.tolist() == [CLS, *pieces(text)[:14], SEP]
        assert found.is_truncated is is_truncated


@pytest.mark.parametrize(
    ("n_first", "n_second", "kept"),
    [(6, 7, (6, 7)), (7, 7, (6, 7)), (50, 50, (6, 7)), (50, 2, (11, 2)), (1, 50, (1, 12))],
)
def test_long_pair_loses_the_end_of_the_longer(
    n_first: int, n_second: int, kept: tuple[int, int]
) -> None:
    """Both stay, the segments stay right, and it is told."""
    (found,) = from_vocabulary(VOCABULARY, 16).pairs([("杭" * n_first, "州" * n_second)])
    first, second = kept
    wanted = [CLS, *[IDS["杭"]] * first, SEP, *[IDS["州"]] * second, SEP]
    assert found.ids.tolist() == wanted
    assert found.segments.tolist() == [0] * (first + 2) + [1] * (second + 1)
    assert found.is_truncated is (n_first + n_second > 13)


@given(texts, texts, st.integers(8, 20))
def test_pair_is_never_longer_than_its_limit(left: str, right: str, limit: int) -> None:
    """Each text keeps its beginning; none that is there is left out."""
    (found,) = from_vocabulary(VOCABULARY, limit).pairs([(left, right)])
    first, second = pieces(left), pieces(right)
    assert len(found.ids) == min(limit, len(first) + len(second) + 3)
    end = int((found.segments == 0).sum()) - 1
    assert found.ids[end] == found.ids[-1] == SEP
    kept = found.ids[1:end].tolist(), found.ids[end + 1 : -1].tolist()
    assert kept == (first[: len(kept[0])], second[: len(kept[1])])
    assert all(bool(part) == bool(whole) for part, whole in zip(kept, (first, second), strict=True))
    assert found.is_truncated is (len(first) + len(second) + 3 > limit)


def test_threads_share_it() -> None:
    """Sixteen threads with limits of their own: no error, the same ids as alone."""
    limits = [8 + place for place in range(16)]
    shared = {limit: from_vocabulary(VOCABULARY, limit) for limit in limits}
    long = [text * 3 for text in ADDRESSES]
    wanted = {limit: ids(shared[limit].texts(long)) for limit in limits}

    def work(place: int) -> bool:
        own, other = limits[place], limits[(place + 1) % 16]
        return all(
            ids(shared[limit].texts(long)) == wanted[limit]
            for _ in range(30)
            for limit in (own, other)
        )

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(work, range(16)))


def ids(found: list[Tokens]) -> list[list[int]]:
    """Plain numbers."""
    return [tokens.ids.tolist() for tokens in found]


# ---- Offsets -------------------------------------------------------------------------------------


@given(texts)
def test_offsets_point_into_the_text(text: str) -> None:
    """They do not change the ids; each token is where its characters are, in characters."""
    (plain,), (found,) = TOKENIZER.texts([text]), TOKENIZER.texts([text], with_offsets=True)
    assert plain.ids.tolist() == found.ids.tolist()
    assert plain.offsets == ()
    assert len(found.offsets) == len(found.ids)
    assert found.offsets[0] == found.offsets[-1] == (0, 0)
    for number, (start, end) in list(zip(found.ids, found.offsets, strict=True))[1:-1]:
        assert 0 <= start < end <= len(text)
        if "杭" <= (word := VOCABULARY[number]) <= "路":
            assert text[start:end] == word


def test_offsets_behind_odd_characters() -> None:
    """What is cleaned away, two halves of nothing and an emoji keep their places."""
    text = "\0杭\ud83d州\u200b😀88a"
    (found,) = TOKENIZER.texts([text], with_offsets=True)
    assert [(VOCABULARY[i], o) for i, o in zip(found.ids, found.offsets, strict=True)][1:3] == [
        ("杭", (1, 2)),
        ("州", (3, 4)),
    ]
    assert [text[start:end] for start, end in found.offsets[3:-1]] == ["😀88a"]


def test_numbers_of_characters_go_to_tokens() -> None:
    """A token takes its first character's; marks have 0, and what was cut off is gone."""
    text = "杭州2003号"
    (found,) = TOKENIZER.texts([text], with_offsets=True)
    assert per_token(found, [1, 2, 3, 4, 5, 6, 7]).tolist() == [0, 1, 2, 3, 7, 0]
    (short,) = from_vocabulary(VOCABULARY, 4).texts([text], with_offsets=True)
    assert per_token(short, [1, 2, 3, 4, 5, 6, 7]).tolist() == [0, 1, 2, 0]
    assert per_token(short, [1, 2, 3, 4, 5, 6, 7]).dtype == np.int32


# ---- Odd texts -----------------------------------------------------------------------------------

TEXTS: dict[str, str] = {
    "empty": "",
    "blank": " \u3000\n",
    "nul": "杭\0州",
    "half of a pair": "杭\ud83d州",
    "other half": "\udc00",
    "halves in the wrong order": "\ude00\ud83d",
    "emoji": "杭👨‍👩‍👧‍👦州",
    "private use": "\ue000\U000f0000",
    "right to left": "\u202eאבג\u202c",
    "combining": "a" + "\u0301" * 1000,
    "long word": "a" * 100_000,
    "long text": "杭州市" * 33_334,
    "marks": "[CLS][SEP][PAD][MASK]",
    "not characters": "\ufffe\uffff\U0010ffff",
}


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_is_too_odd(name: str) -> None:
    """Alone, among others, on either side of a pair; the others are as they are without it."""
    text = TEXTS[name]
    (plain,) = TOKENIZER.texts([ADDRESSES[0]])
    for with_offsets in (False, True):
        found = TOKENIZER.texts([ADDRESSES[0], text, ADDRESSES[0]], with_offsets=with_offsets)
        assert found[0].ids.tolist() == found[2].ids.tolist() == plain.ids.tolist()
        assert 2 <= len(found[1].ids) <= 64
    for pair in ((text, ADDRESSES[0]), (ADDRESSES[0], text), (text, text)):
        (tokens,) = TOKENIZER.pairs([pair])
        assert 3 <= len(tokens.ids) <= 64
        assert tokens.ids[0] == CLS
        assert tokens.ids[-1] == SEP


def test_half_of_a_pair_is_no_character() -> None:
    """It is passed over, as every character that stands for a broken one."""
    (found,) = TOKENIZER.texts(["杭\ud83d州"])
    assert found.ids.tolist() == TOKENIZER.texts(["杭\ufffd州"])[0].ids.tolist()
    assert TOKENIZER.pairs([("杭\ud83d", "\udc00州")])[0].ids.tolist() == [
        *(CLS, IDS["杭"], SEP, IDS["州"], SEP)
    ]


@pytest.mark.parametrize("cut", [TOKENIZER.texts, TOKENIZER.pairs])
def test_nothing_gives_nothing(cut: Callable[[list[Any]], list[Tokens]]) -> None:
    """No input, no output."""
    assert cut([]) == []

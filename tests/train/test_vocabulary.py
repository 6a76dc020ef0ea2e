"""A vocabulary in which every digit, letter and frequent character is a token of its own."""

from menpai.model.tokenizer import from_vocabulary
from menpai.train.vocabulary import MARKS, words

TEXTS = ["北京市望京路12号", "北京望京SOHO塔1", "京"]


def test_marks_come_first_and_then_ascii() -> None:
    """Both at the beginning of a word and inside."""
    found = words(TEXTS)
    assert tuple(found[: len(MARKS)]) == MARKS
    assert {"1", "##1", "a", "##z", "-", "#"} <= set(found)


def test_characters_follow_by_how_often_they_come() -> None:
    """The commonest first."""
    found = words(TEXTS)
    han = [word for word in found if word > "\u4e00"]
    assert han[0] == "京"
    assert set(han) == set("京北望")


def test_rare_characters_have_no_token() -> None:
    """One occurrence teaches nothing."""
    assert "塔" not in words(TEXTS)
    assert "塔" in words(TEXTS, least=1)


def test_no_word_comes_twice() -> None:
    """A token has one number."""
    found = words(TEXTS)
    assert len(set(found)) == len(found)


def test_numbers_and_letters_are_read_sign_by_sign() -> None:
    """Whether 12 and 13 differ is seen in their second digit."""
    tokenizer = from_vocabulary(words(TEXTS, least=1), 32)
    [tokens] = tokenizer.texts(["望京SOHO塔12"], with_offsets=True)
    assert [end - start for start, end in tokens.offsets[1:-1]] == [1] * 9
    assert tokenizer.id("[UNK]") not in tokens.ids

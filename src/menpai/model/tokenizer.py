"""Texts to tokens: a checkpoint's own tokenizer, frozen at load so that threads can share it.

The one door of the library tokenizers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from menpai.errors import MissingExtraError, ModelError
from menpai.model.folder import read_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Ints = NDArray[np.int32]

FILE = "tokenizer.json"
_UNKNOWN = "[UNK]"
_MARKS = (_UNKNOWN, "[CLS]", "[SEP]", "[PAD]")
_LONGEST_WORD = 100  # letters of a word that are tried, as in every BERT
_MOST_CHARACTERS = 16
"""Characters that are looked at for each token that there is room for: several times what a text
has, unless it is blank or no text at all. Without an end, one value of a broken table takes all
memory."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """One encoder input; the arrays are int32 of its length.

    Attributes:
        ids: Numbers of the tokens, with the marks around and between the texts.
        segments: 0 for the first text and its marks, 1 for the second.
        is_truncated: Whether the end of a text was cut off, as it was longer than the limit.
        offsets: Where each token stands in its text, start and end; (0, 0) for a mark. Only where
            they were asked for, as `texts`.
        texts: Of which text each token is, 0 or 1, however the segments mark it; None for a mark.
    """

    ids: Ints
    segments: Ints
    is_truncated: bool
    offsets: tuple[tuple[int, int], ...] = ()
    texts: tuple[int | None, ...] = ()


class Tokenizer:
    """Cuts texts and pairs to tokens, at most `max_length` of them.

    A text that is too long loses its end; of a pair the longer text does, token by token, so that
    both stay present and the segments right.
    """

    def __init__(self, inner: Any, max_length: int) -> None:
        self._inner = inner
        self._inner.no_padding()
        # The library keeps all that it cuts off: of two long texts every part with every other.
        self._inner.no_truncation()
        self.max_length = max_length
        self.pad_id = _id(inner, "[PAD]", "<pad>")

    @classmethod
    def load(cls, path: Path, max_length: int) -> Tokenizer:
        """Read a tokenizer.json.

        Raises:
            ModelError: It cannot be read.
        """
        try:
            return cls(_library().Tokenizer.from_file(str(path)), max_length)
        except (MissingExtraError, ModelError):
            raise
        except Exception as error:  # the library raises bare Exception
            raise ModelError(f"{path.name} cannot be read as a tokenizer") from error

    def save(self, path: Path) -> None:
        """Write the tokenizer without its limits, which the converted folder states itself."""
        path.write_text(self._inner.to_str(pretty=True) + "\n", encoding="utf-8")

    @property
    def n_tokens(self) -> int:
        """Tokens that there are; the greatest id is one less."""
        return int(max(self._inner.get_vocab(with_added_tokens=True).values())) + 1

    def id(self, token: str) -> int:
        """Give a token's number.

        Raises:
            ModelError: There is no such token.
        """
        return _id(self._inner, token)

    def texts(self, texts: Sequence[str], *, with_offsets: bool = False) -> list[Tokens]:
        """Cut texts to tokens."""
        return self._encode(list(texts), with_offsets=with_offsets)

    def pairs(
        self, pairs: Sequence[tuple[str, str]], *, with_offsets: bool = False
    ) -> list[Tokens]:
        """Cut pairs to tokens: [CLS] first [SEP] second [SEP]; offsets are each in its own text."""
        return self._encode(list(pairs), with_offsets=with_offsets)

    def _encode(self, inputs: list[Any], *, with_offsets: bool) -> list[Tokens]:
        """All inputs at once: the library shares them out among the CPUs that it may use."""
        encode = self._inner.encode_batch if with_offsets else self._inner.encode_batch_fast
        most = _MOST_CHARACTERS * self.max_length
        short = [_each(lambda text: text[:most], value) for value in inputs]
        try:
            found = encode(short)
        except TypeError:  # half of a surrogate pair, which is no character
            found = encode([_each(_whole, value) for value in short])
        return [
            self._tokens(encoding, with_offsets=with_offsets, is_cut=value != own)
            for encoding, value, own in zip(found, inputs, short, strict=True)
        ]

    def _tokens(self, encoding: Any, *, with_offsets: bool, is_cut: bool) -> Tokens:
        ids = np.array(encoding.ids, np.int32)
        segments = np.array(encoding.type_ids, np.int32)
        offsets = tuple(encoding.offsets) if with_offsets else ()
        texts = tuple(encoding.sequence_ids) if with_offsets else ()
        if len(ids) <= self.max_length:
            return Tokens(ids, segments, is_cut, offsets, texts)
        kept = _kept(encoding.sequence_ids, self.max_length)
        if with_offsets:
            offsets, texts = tuple(offsets[i] for i in kept), tuple(texts[i] for i in kept)
        return Tokens(ids[kept], segments[kept], is_truncated=True, offsets=offsets, texts=texts)


def _kept(texts: Sequence[int | None], limit: int) -> list[int]:
    """Choose the places that stay: all marks, and of each text the beginning.

    Args:
        texts: For each place, of which text it is; None for a mark.
        limit: Places that may stay.
    """
    first, second = texts.count(0), texts.count(1)
    room = limit - texts.count(None)
    less = min(first, second, room // 2)
    left = {0: less, 1: room - less} if first <= second else {0: room - less, 1: less}
    kept = []
    for place, text in enumerate(texts):
        if text is None:
            kept.append(place)
        elif left[text] > 0:
            left[text] -= 1
            kept.append(place)
    return kept


def _each(change: Callable[[str], str], value: Any) -> Any:
    """Change a text, or both of a pair."""
    return tuple(map(change, value)) if isinstance(value, tuple) else change(value)


def _whole(text: str) -> str:
    """The text with a sign in the place of every half character."""
    return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)


def per_token(tokens: Tokens, values: Sequence[int]) -> Ints:
    """Carry numbers of characters over to tokens: each takes its first character's, marks 0."""
    found = np.zeros(len(tokens.ids), np.int32)
    for i, (start, end) in enumerate(tokens.offsets):
        if end > start:
            found[i] = values[start]
    return found


def read(folder: Path, max_length: int) -> Tokenizer:
    """Read a checkpoint's tokenizer: tokenizer.json where there is one, else vocab.txt.

    Raises:
        ModelError: There is neither, or it cannot be read or lacks the marks of a BERT.
        MissingExtraError: The library tokenizers is not installed.
    """
    if (folder / FILE).is_file():
        return Tokenizer.load(folder / FILE, max_length)
    words = _words(folder / "vocab.txt")
    return from_vocabulary(words, max_length, read_json(folder / "tokenizer_config.json"))


def from_vocabulary(
    words: Sequence[str], max_length: int, options: Mapping[str, Any] | None = None
) -> Tokenizer:
    """Make BERT's own tokenizer of a list of word pieces, with a hub's options for it.

    Raises:
        ModelError: A mark that BERT needs is not among the words.
    """
    vocabulary = {word: i for i, word in enumerate(words)}
    missing = [mark for mark in _MARKS if mark not in vocabulary]
    if missing:
        raise ModelError(f"the vocabulary, vocab.txt, has no {', '.join(missing)}")
    return Tokenizer(_word_pieces(vocabulary, options or {}), max_length)


def _words(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except FileNotFoundError:
        raise ModelError(f"no vocabulary in {path.parent}: {FILE} or {path.name}") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{path.name} cannot be read as UTF-8") from error
    return [line.rstrip("\r") for line in (lines[:-1] if lines[-1] == "" else lines)]


def _word_pieces(vocabulary: Mapping[str, int], options: Mapping[str, Any]) -> Any:
    """BERT's own way: clean, blanks around Chinese characters, cut at blanks, longest pieces."""
    library = _library()
    inner = library.Tokenizer(
        library.models.WordPiece(
            dict(vocabulary), unk_token=_UNKNOWN, max_input_chars_per_word=_LONGEST_WORD
        )
    )
    inner.normalizer = library.normalizers.BertNormalizer(
        clean_text=True,
        handle_chinese_chars=bool(options.get("tokenize_chinese_chars", True)),
        strip_accents=options.get("strip_accents"),
        lowercase=bool(options.get("do_lower_case", True)),
    )
    inner.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    inner.add_special_tokens([mark for mark in (*_MARKS, "[MASK]") if mark in vocabulary])
    inner.post_processor = library.processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(mark, vocabulary[mark]) for mark in ("[CLS]", "[SEP]")],
    )
    return inner


def _library() -> Any:
    try:
        import tokenizers
        import tokenizers.models
        import tokenizers.normalizers
        import tokenizers.pre_tokenizers
        import tokenizers.processors
    except ImportError as error:
        raise MissingExtraError(
            "running a checkpoint needs the package tokenizers: pip install menpai"
        ) from error
    return tokenizers


def _id(inner: Any, *names: str) -> int:
    for name in names:
        found = inner.token_to_id(name)
        if found is not None:
            return int(found)
    raise ModelError(f"the tokenizer has none of {', '.join(names)}")

"""Tagged texts in CoNLL files: a character and its tag on a line, a blank line between texts."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from menpai.errors import TableError
from menpai.evaluation.spans import Span
from menpai.tables.encoding import TextFile, is_clean

_LINE: Final = re.compile(r"(\S+|\s)[ \t]+(\S+)")
"""Token and tag. Some sets keep a number in one token; a token may be a blank itself."""

_TAG: Final = re.compile(r"([BIES])-(.+)|O")


class Tagged(NamedTuple):
    """A text and its tagged spans, in order; characters tagged O are in none."""

    text: str
    spans: tuple[Span, ...]


def read_conll(path: Path) -> Iterator[Tagged]:
    """Texts of a file in UTF-8 or GB18030, compressed by gzip if its name ends in .gz.

    The schemes BIOES, BIES and BIO are read alike: B and S begin a span, I and E go on.

    Raises:
        TableError: If there is no such file, or a line is malformed; `row` is its number.
        StorageError: If the file cannot be read.
    """
    file = TextFile(path, gzipped=path.suffix.lower() == ".gz")
    reader = _Reader(path.name)
    with file.open() as lines:
        for number, line in enumerate(lines, 1):
            stripped = line.rstrip("\r\n")
            if stripped.strip():
                reader.add(stripped, number)
            elif reader.tokens:
                yield reader.end()
    if reader.tokens:
        yield reader.end()


class _Reader:
    """Gathers the lines of one text after the other."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._begin()

    def _begin(self) -> None:
        self.tokens: list[str] = []
        self._spans: list[Span] = []
        self._open: str | None = None  # tag of the span that the next line may go on with
        self._at = 0

    def add(self, line: str, number: int) -> None:
        """Take in a line."""
        match = _LINE.fullmatch(line)
        if match is None or not is_clean(line):
            raise self._malformed(number, "is no character, blank and tag")
        token, written = match.groups()
        tag = _TAG.fullmatch(written)
        if tag is None:
            raise self._malformed(number, f"has the tag {written!r}, not O, B-…, I-…, E-… or S-…")
        place, name = tag.groups()
        end = self._at + len(token)
        if place is None:
            self._open = None
        elif place in "BS":
            self._spans.append(Span(name, self._at, end))
            self._open = None if place == "S" else name
        elif self._open == name:
            self._spans[-1] = self._spans[-1]._replace(end=end)
            self._open = None if place == "E" else name
        else:
            raise self._malformed(number, f"has the tag {written!r}, and no span to go on with")
        self.tokens.append(token)
        self._at = end

    def end(self) -> Tagged:
        """Give the text that ends here."""
        tagged = Tagged("".join(self.tokens), tuple(self._spans))
        self._begin()
        return tagged

    def _malformed(self, number: int, what: str) -> TableError:
        """The message names the line and its tag, never its text: addresses are personal."""
        return TableError(f"line {number} of {self._name} {what}", row=number)

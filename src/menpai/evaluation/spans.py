"""A span of a text that has a name, as labelled sets and their measures share it."""

from typing import NamedTuple


class Span(NamedTuple):
    """A name (a set's tag, or an element) and the characters [start, end) of a text."""

    name: str
    start: int
    end: int

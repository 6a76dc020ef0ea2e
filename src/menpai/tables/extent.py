"""How large a sheet of a workbook is, told from its XML before it is read into memory."""

from __future__ import annotations

import re
from typing import Final

_PLACE = re.compile(rb"""\sr\s*=\s*["']\$?([A-Za-z]{0,3})\$?([0-9]{1,10})["']""")
# With and without a prefix before the names of tags: looking for one takes three times as long.
_PLAIN = re.compile(rb"<row[\s/>]"), re.compile(rb"<c[\s/>]")
_PREFIXED = re.compile(rb"<(?:\w+:)?row[\s/>]"), re.compile(rb"<(?:\w+:)?c[\s/>]")
_HAS_PREFIX = re.compile(rb":(?:c|row)[\s/>]")
_MAX_TAG_BYTES: Final = 1 << 20


class Extent:
    """Rows and columns of the rectangle that a sheet's cells span.

    A cell has its place from an attribute (r="AB12") or stands beside the one before, and so do
    rows (r="12").
    """

    def __init__(self) -> None:
        self.n_rows = 0
        self.n_columns = 0
        self._n_tags = 0
        self._n_in_row = 0
        self._tail = b""

    @property
    def n_cells(self) -> int:
        """Cells of the rectangle, as far as it is known."""
        return self.n_rows * self.n_columns

    def feed(self, block: bytes) -> None:
        """Take in the next bytes of the XML."""
        block = self._tail + block
        cut = block.rfind(b"<")  # a tag that goes on in the next block is looked at then
        self._tail = block[cut:] if 0 < len(block) - cut <= _MAX_TAG_BYTES else b""
        block = block[: len(block) - len(self._tail)]
        places = _PLACE.findall(block)
        row_tag, cell_tag = _PREFIXED if _HAS_PREFIX.search(block) else _PLAIN
        first, *others = [len(cell_tag.findall(row)) for row in row_tag.split(block)]
        in_rows = [self._n_in_row + first, *others]
        self._n_in_row = in_rows[-1]
        self._n_tags += len(others)
        columns = {column for column, _ in places}
        rows = {row for _, row in places}
        self.n_columns = max(self.n_columns, *in_rows, *map(_column_number, columns))
        self.n_rows = max(self.n_rows, self._n_tags, *map(int, rows))


def _column_number(letters: bytes) -> int:
    """A is 1, Z 26, AA 27; no letters, as rows have it, 0."""
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number

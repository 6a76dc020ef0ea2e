"""Labelled pairs out of a table, and the rows that hold none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from menpai.engine.inputs import of_text
from menpai.errors import InputError
from menpai.evaluation.pairs import LabelledPair, PairReader
from menpai.tables.rows import FailedRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from menpai.tables.rows import Row, Table

_CHUNK = 1000


class Read(NamedTuple):
    """What a table gave.

    Attributes:
        pairs: The labelled pairs.
        groups: What each belongs to.
        errors: The other rows, in their order.
    """

    pairs: list[LabelledPair]
    groups: list[str]
    errors: list[FailedRow]


def read(
    table: Table, left: Sequence[str], right: Sequence[str], label: str, group: str | None
) -> Read:
    """Read all rows.

    Args:
        table: Has the columns that are named.
        left: Columns of the left address, joined by one blank.
        right: The same for the right address.
        label: Column of the label.
        group: Column of what belongs together; the left address, however written, if None.

    Raises:
        InputError: A column is missing.
    """
    reader = PairReader(left, right, label)
    found = Read([], [], [])
    for number, row in _numbered(table, found.errors):
        read = _read(reader, row, group)
        if isinstance(read, InputError):
            read.row = number
            found.errors.append(FailedRow(number, row.get("id"), read))
        else:
            found.pairs.append(read[0])
            found.groups.append(read[1])
    found.errors.sort(key=lambda item: item.number)  # unreadable ones come chunk by chunk
    return found


def _read(reader: PairReader, row: Row, group: str | None) -> tuple[LabelledPair, str] | InputError:
    """Give a row's pair and group, or why it has none that can be learned from."""
    pair = reader.read(row)
    if isinstance(pair, InputError):
        return pair
    texts = of_text(pair.left), of_text(pair.right)
    for text in texts:
        if isinstance(text, InputError):
            return text
    own = texts[0] if group is None else row[group]
    if own is None or not str(own).strip():
        return InputError("the group is empty", field=group)
    return pair, str(own)


def _numbered(table: Table, errors: list[FailedRow]) -> Iterator[tuple[int, Row]]:
    for chunk in table.chunks(_CHUNK):
        errors += [FailedRow(bad.number, None, bad.error) for bad in chunk.bad]
        yield from zip(chunk.numbers, chunk.rows, strict=True)

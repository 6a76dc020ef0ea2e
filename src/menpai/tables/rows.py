"""What every reader gives: chunks of rows, each row with its number, and the rows that are bad."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from menpai.errors import TableError
from menpai.tables.cells import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from menpai.errors import MenpaiError
    from menpai.tables.schema import Type

Row = dict[str, object]
"""One row: column to cell."""

Done = tuple[Row, Mapping[str, object]]
"""A row and what was found for it. Apart, as a flat table may have a column `address` beside the
columns `address.road`, ... of a result `address`."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read; `number` counts rows from 1, the head line apart."""

    number: int
    error: TableError


class FailedRow(NamedTuple):
    """A row without a result, and why; `record_id` is its cell `id`, if it has one."""

    number: int
    record_id: object
    error: MenpaiError

    def to_line(self) -> str:
        """Give its line in a list of failed rows."""
        record_id = {} if self.record_id is None else {"id": self.record_id}
        return to_json({"row": self.number, **record_id, **self.error.to_dict()}) + "\n"


@dataclass(slots=True)
class Chunk:
    """Some rows of a table in their order, with their numbers, and the bad ones between them."""

    rows: list[Row] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    bad: list[BadRow] = field(default_factory=list)

    @property
    def n_rows(self) -> int:
        """Number of rows, good and bad."""
        return len(self.rows) + len(self.bad)


class Table(Protocol):
    """A table that can be read more than once, each time from the start."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all columns."""

    @property
    def fraction(self) -> float:
        """Share of the file that the newest `chunks` has read, in [0, 1]."""

    def types(self) -> Mapping[str, Type]:
        """Type of each column, for writers that need one."""

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Read all rows, `size` (good and bad) at a time."""


def chunked(items: Iterable[Row | TableError], size: int) -> Iterator[Chunk]:
    """Number rows and group them by `size`.

    Args:
        items: Rows and, in the place of a bad row, what is wrong with it.
        size: Rows of a chunk, good and bad together; the last chunk may be shorter.
    """
    chunk = Chunk()
    for number, item in enumerate(items, 1):
        if isinstance(item, TableError):
            item.row = number
            chunk.bad.append(BadRow(number, item))
        else:
            chunk.rows.append(item)
            chunk.numbers.append(number)
        if chunk.n_rows == size:
            yield chunk
            chunk = Chunk()
    if chunk.n_rows:
        yield chunk


def require_columns(table: Table, wanted: Sequence[str], name: str) -> None:
    """Refuse a table that lacks one of the wanted columns.

    Args:
        table: The table.
        wanted: Columns that must be there.
        name: What the message calls the table.

    Raises:
        TableError: With the columns that exist.
    """
    for column in wanted:
        if column not in table.columns:
            existing = ", ".join(map(repr, table.columns)) or "none"
            raise TableError(f"{name} has no column {column!r}; it has: {existing}", field=column)

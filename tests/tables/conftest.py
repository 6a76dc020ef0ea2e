"""What the tests of tables share."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from menpai.errors import TableError
from menpai.tables.reading import open_table
from menpai.tables.rows import Row

Content = tuple[list[Row], dict[int, TableError]]
Read = Callable[[Path], Content]


@pytest.fixture
def read() -> Read:
    """Read a whole table: its rows, and the errors of the bad ones by row number."""

    def read_all(path: Path) -> Content:
        rows: list[Row] = []
        bad: dict[int, TableError] = {}
        for chunk in open_table(path).chunks(2):
            rows += chunk.rows
            bad |= {item.number: item.error for item in chunk.bad}
        return rows, bad

    return read_all


class FakeTable:
    """A table with given columns and no rows."""

    def __init__(self, types: Mapping[str, object]) -> None:
        self._types = types
        self.columns = tuple(types)
        self.fraction = 1.0

    def types(self) -> Mapping[str, object]:
        """Types as given."""
        return self._types

    def chunks(self, _size: int) -> Iterator[object]:
        """No rows."""
        return iter(())


@pytest.fixture
def fake_table() -> type[FakeTable]:
    """The class of tables that have columns only."""
    return FakeTable

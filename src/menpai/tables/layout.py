"""Columns of a table to be written: those of the input, then the results."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from menpai.errors import TableError
from menpai.tables.kinds import FLAT_KINDS
from menpai.tables.schema import Many, Struct, flat_types, flattener

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from menpai.tables.kinds import Kind
    from menpai.tables.rows import Done, Table
    from menpai.tables.schema import Type


@dataclass(frozen=True)
class Layout:
    """The columns of an input and the results that are added to each of its rows."""

    source: Table
    results: Mapping[str, Type]

    def check(self, kind: Kind) -> None:
        """Refuse results that would overwrite a column of the input.

        Raises:
            TableError: If a result, as it is called in this kind of table, is a column already.
        """
        names = self._flat_results if kind in FLAT_KINDS else self.results
        for name in names:
            if name in self.source.columns:
                raise TableError(
                    f"there is a column {name!r} already: give the results a prefix (--prefix)",
                    field=name,
                )

    @cached_property
    def types(self) -> dict[str, Type]:
        """Type of every column."""
        return {**self.source.types(), **self.results}

    @cached_property
    def flat(self) -> dict[str, Type]:
        """Type of every column in a flat table, where nested values are JSON."""
        inputs = self.source.types().items()
        nested = (Struct, Many)
        return {
            **{name: "json" if isinstance(kind, nested) else kind for name, kind in inputs},
            **self._flat_results,
        }

    def flat_names(self) -> list[str]:
        """Names of all columns in a flat table."""
        return [*self.source.columns, *self._flat_results]

    def flat_cells(self, rows: Iterable[Done]) -> Iterator[list[object]]:
        """Values of rows in the order of `flat_names`."""
        inputs = self.source.columns
        spreads = [(key, flattener(kind)) for key, kind in self.results.items()]
        for row, results in rows:
            cells = [row.get(column) for column in inputs]
            for key, spread in spreads:
                cells += spread(results.get(key))
            yield cells

    @cached_property
    def _flat_results(self) -> dict[str, Type]:
        return {
            name: flat_type
            for key, kind in self.results.items()
            for name, flat_type in flat_types(key, kind).items()
        }

"""JSON Lines: one object a line, nested values untouched."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TYPE_CHECKING

from menpai.errors import TableError
from menpai.tables.encoding import TextFile, is_clean
from menpai.tables.rows import Chunk, Row, chunked
from menpai.tables.schema import Many, Struct

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from menpai.tables.kinds import Format
    from menpai.tables.schema import Type

_MAX_INTEGER = (1 << 63) - 1


class JsonLinesTable:
    """A file of JSON objects, one a line. Blank lines are no rows; other lines are bad."""

    def __init__(self, path: Path, form: Format) -> None:
        self._file = TextFile(path, gzipped=form.gzipped)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Keys of all rows in the order in which they first appear: the file is read for them.

        Raises:
            TableError: If no row has a key; with what is wrong with the first bad one.
        """
        columns = tuple(dict.fromkeys(key for row in self._good_rows() for key in row))
        if not columns:
            for number, item in enumerate(self._items(), 1):
                if isinstance(item, TableError):
                    raise TableError(f"{self._file.path.name}, row {number}: {item}", row=number)
        return columns

    @property
    def fraction(self) -> float:
        """Share of the file that the newest `chunks` has read."""
        return self._file.fraction

    def types(self) -> Mapping[str, Type]:
        """Types that hold every value of a column: the file is read for them."""
        return infer_types(self._good_rows())

    def chunks(self, size: int) -> Iterator[Chunk]:
        """Read all rows, `size` at a time."""
        return chunked(self._items(), size)

    def _good_rows(self) -> Iterator[Row]:
        return (item for item in self._items() if not isinstance(item, TableError))

    def _items(self) -> Iterator[Row | TableError]:
        with self._file.open() as text:
            for line in text:
                if line.isspace():
                    continue
                if is_clean(line):
                    yield _object(line)
                else:
                    yield TableError(f"the row is not {self._file.encoding}")


def _object(line: str) -> Row | TableError:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as error:
        return TableError(f"the row is not JSON: {getattr(error, 'msg', None) or error}")
    if not isinstance(value, dict):
        return TableError(f"the row is no JSON object but a {type(value).__name__}")
    return value


def infer_types(rows: Iterable[Row]) -> dict[str, Type]:
    """Find for each column the narrowest type that holds all of its values."""
    types: dict[str, Type] = {}
    for row in rows:
        for key, value in row.items():
            types[key] = _merged(types.get(key, "null"), _type_of(value))
    return types


def _type_of(value: object) -> Type:
    if value is None:
        return "null"
    if isinstance(value, str):
        return "text"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, float):
        return "number"
    if isinstance(value, int):
        return "integer" if abs(value) <= _MAX_INTEGER else "json"
    if isinstance(value, list):
        item: Type = "null"
        for inner in value:
            item = _merged(item, _type_of(inner))
        return Many(item)
    if isinstance(value, dict):
        return Struct({key: _type_of(inner) for key, inner in value.items()})
    return "json"


def _merged(one: Type, other: Type) -> Type:
    """The narrowest type that holds the values of both."""
    if other in ("null", one):
        return one
    if one == "null":
        return other
    if (one, other) in (("integer", "number"), ("number", "integer")):
        return "number"
    if isinstance(one, Many) and isinstance(other, Many):
        return Many(_merged(one.item, other.item))
    if isinstance(one, Struct) and isinstance(other, Struct):
        keys = dict.fromkeys([*one.fields, *other.fields])
        return Struct(
            {
                key: _merged(one.fields.get(key, "null"), other.fields.get(key, "null"))
                for key in keys
            }
        )
    return "json"

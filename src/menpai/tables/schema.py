"""Types of columns, and how nested values become columns of a flat table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Scalar = Literal["text", "integer", "number", "boolean", "json", "null"]
"""`json`: the shape changes from row to row, typed tables hold JSON text. `null`: never a value."""


@dataclass(frozen=True)
class Struct:
    """A mapping with known keys; in a flat table a column each, if not `spread` one JSON cell."""

    fields: Mapping[str, Type]
    spread: bool = True


@dataclass(frozen=True)
class Many:
    """A list; in a flat table one JSON cell, or `n_spread` items with columns of their own."""

    item: Type
    n_spread: int = 0


@dataclass(frozen=True)
class Native:
    """A type of the file format itself, kept from input to output."""

    dtype: Any  # a polars type; only the Parquet and XLSX modules know polars


Type = Scalar | Struct | Many | Native

Cells = Callable[[object], Sequence[object]]


def flat_types(name: str, kind: Type) -> dict[str, Type]:
    """Columns that a value takes in a flat table: `address` becomes `address.province`, ..."""
    inner: dict[str, Type] = {}
    if isinstance(kind, Struct) and kind.spread:
        for key, field in kind.fields.items():
            inner |= flat_types(f"{name}.{key}", field)
    elif isinstance(kind, Many) and kind.n_spread:
        for rank in range(1, kind.n_spread + 1):
            inner |= flat_types(f"{name}.{rank}", kind.item)
    else:
        inner[name] = "json" if isinstance(kind, (Struct, Many)) else kind
    return inner


def flattener(kind: Type) -> Cells:
    """Make the function that spreads a value over the columns of `flat_types`."""
    if isinstance(kind, Struct) and kind.spread:
        return _struct_flattener(kind)
    if isinstance(kind, Many) and kind.n_spread:
        return _many_flattener(kind)
    return lambda value: (value,)


def _struct_flattener(kind: Struct) -> Cells:
    keys = tuple(kind.fields)
    if all(len(flat_types("", inner)) == 1 for inner in kind.fields.values()):
        empty: Sequence[object] = (None,) * len(keys)
        return lambda value: (
            [value.get(key) for key in keys] if isinstance(value, Mapping) else empty
        )
    inner = [(key, flattener(value)) for key, value in kind.fields.items()]

    def spread(value: object) -> list[object]:
        known = value if isinstance(value, Mapping) else {}
        return [cell for key, cells in inner for cell in cells(known.get(key))]

    return spread


def _many_flattener(kind: Many) -> Cells:
    cells, n_spread = flattener(kind.item), kind.n_spread

    def spread(value: object) -> list[object]:
        items = list(value)[:n_spread] if isinstance(value, Sequence) else []
        items += [None] * (n_spread - len(items))
        return [cell for item in items for cell in cells(item)]

    return spread

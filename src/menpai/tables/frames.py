"""Rows to polars frames and back: the one place that knows polars' types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from menpai.tables.cells import to_json
from menpai.tables.schema import Many, Native, Struct

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from menpai.tables.rows import Row
    from menpai.tables.schema import Type

Fit = Callable[[Any], Any]


def frame_rows(frame: pl.DataFrame) -> Iterator[Row]:
    """Rows of a frame."""
    return frame.iter_rows(named=True, buffer_size=1024)


def native_types(schema: Mapping[str, object]) -> dict[str, Type]:
    """Types of a polars schema, kept as they are."""
    return {name: Native(dtype) for name, dtype in schema.items()}


def to_frame(rows: Sequence[Row], types: Mapping[str, Type]) -> pl.DataFrame:
    """Make a frame of typed columns; what `types` calls json becomes JSON text."""
    import polars as pl

    columns = {}
    for name, kind in types.items():
        values = [row.get(name) for row in rows]
        fit = _fit(kind)
        if fit is not None:
            values = [None if value is None else fit(value) for value in values]
        columns[name] = pl.Series(name, values, dtype=_dtype(kind))
    return pl.DataFrame(columns)


def _dtype(kind: Type) -> Any:
    import polars as pl

    if isinstance(kind, Native):
        return kind.dtype
    if isinstance(kind, Many):
        return pl.List(_dtype(kind.item))
    if isinstance(kind, Struct) and kind.fields:
        return pl.Struct({name: _dtype(inner) for name, inner in kind.fields.items()})
    return {"integer": pl.Int64, "number": pl.Float64, "boolean": pl.Boolean}.get(
        str(kind), pl.String
    )


def _fit(kind: Type) -> Fit | None:
    """The change that a value needs to have its type; None if it needs none."""
    if kind == "json" or kind == Struct({}):
        return to_json
    if kind == "number":
        return float
    if isinstance(kind, Many):
        item = _fit(kind.item)
        if item is not None:
            return lambda values: [None if v is None else item(v) for v in values]
    if isinstance(kind, Struct):
        inner = {name: fit for name, f in kind.fields.items() if (fit := _fit(f)) is not None}
        if inner:
            return lambda value: (
                value
                | {
                    name: fit(value[name])
                    for name, fit in inner.items()
                    if value.get(name) is not None
                }
            )
    return None


def join_parquet(parts: Sequence[Path], path: Path) -> None:
    """Join Parquet files with the same columns to one, without holding it in memory."""
    import polars as pl

    pl.scan_parquet(list(parts), glob=False).sink_parquet(path)


def read_rows(path: Path) -> Iterator[Row]:
    """Rows of a small Parquet file."""
    import polars as pl

    return frame_rows(pl.read_parquet(path))

"""Which kind of table a file is, by its ending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from menpai.errors import TableError

if TYPE_CHECKING:
    from pathlib import Path

Kind = Literal["csv", "tsv", "jsonl", "parquet", "xlsx"]

KINDS: tuple[Kind, ...] = ("csv", "tsv", "jsonl", "parquet", "xlsx")
TEXT_KINDS: tuple[Kind, ...] = ("csv", "tsv", "jsonl")
FLAT_KINDS: tuple[Kind, ...] = ("csv", "tsv", "xlsx")
"""Kinds without nested values: results become columns such as `address.road`."""

_ENDINGS: dict[str, Kind] = {f".{kind}": kind for kind in KINDS} | {
    ".ndjson": "jsonl",
    ".tab": "tsv",
    ".txt": "csv",
}


class Format(NamedTuple):
    """Kind of a table file, and whether it is compressed by gzip."""

    kind: Kind
    gzipped: bool = False


def format_of(path: Path) -> Format:
    """Tell the format of a file by its ending.

    Raises:
        TableError: If the ending names no kind of table.
    """
    suffixes = [suffix.lower() for suffix in path.suffixes[-2:]]
    gzipped = bool(suffixes) and suffixes[-1] == ".gz"
    if gzipped:
        suffixes.pop()
    kind = _ENDINGS.get(suffixes[-1]) if suffixes else None
    if kind is None:
        raise TableError(f"{path.name} ends in none of {', '.join(_ENDINGS)} (and .gz after text)")
    if gzipped and kind not in TEXT_KINDS:
        raise TableError(f"{path.name}: only {', '.join(TEXT_KINDS)} may be compressed by gzip")
    return Format(kind, gzipped)

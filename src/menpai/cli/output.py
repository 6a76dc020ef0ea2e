"""What is printed: JSON on one line, or tables for people."""

import sys
from collections.abc import Iterable, Sequence

import typer

from menpai.tables.cells import to_json


def print_json(value: object) -> None:
    """Print a value as one line of JSON in UTF-8, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(f"{to_json(value)}\n".encode())
    sys.stdout.flush()


def print_line(text: str) -> None:
    """Print a line for people."""
    encoding = sys.stdout.encoding or "utf-8"
    typer.echo(printable(text).encode(encoding, errors="replace").decode(encoding))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print a table for people."""
    for line in table_lines(head, rows):
        print_line(line)


def table_lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Lay out a table for people; its columns are as wide as their texts."""
    from rich.cells import cell_len

    lines = [[printable(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    return [
        "  ".join(
            cell + " " * (width - cell_len(cell)) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]


def printable(text: str) -> str:
    """Replace what a terminal would take for a command: an address may come from anywhere."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)

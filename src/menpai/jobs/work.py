"""The work on a chunk: texts out of rows, a function over all of them, and failures kept apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from menpai.errors import InputError, MenpaiError

if TYPE_CHECKING:
    from menpai.tables.rows import Row

Result = Mapping[str, object] | MenpaiError
"""What is added to a row, or why there is nothing."""

Work = Callable[[Sequence["Row"]], Sequence[Result]]
Item = TypeVar("Item")


def over_texts(columns: Sequence[str], batch: Callable[[list[str]], Sequence[Result]]) -> Work:
    """Make the work that looks at one text of each row.

    Args:
        columns: Columns of the text; several are joined by one blank.
        batch: Gives what is added to the row of each text.
    """

    def work(rows: Sequence[Row]) -> Sequence[Result]:
        return _apply([_text(row, columns) for row in rows], batch)

    return work


def over_pairs(
    left: Sequence[str],
    right: Sequence[str],
    batch: Callable[[list[str], list[str]], Sequence[Result]],
) -> Work:
    """Make the work that looks at two texts of each row.

    Args:
        left: Columns of the left text; several are joined by one blank.
        right: Columns of the right text.
        batch: Gives what is added to the row of each pair.
    """

    def over_both(pairs: list[tuple[str, str]]) -> Sequence[Result]:
        return batch([pair[0] for pair in pairs], [pair[1] for pair in pairs])

    def work(rows: Sequence[Row]) -> Sequence[Result]:
        return _apply([_pair(row, left, right) for row in rows], over_both)

    return work


def row_text(row: Row, columns: Sequence[str]) -> str:
    """Join the texts of some columns by one blank; empty cells leave no blank behind.

    Raises:
        InputError: If no cell has a text, or one has nested values.
    """
    found = _text(row, columns)
    if isinstance(found, InputError):
        raise found
    return found


def texts_of(rows: Iterable[Row], columns: Sequence[str]) -> Iterator[str]:
    """Give the texts of rows, without those of rows that have none."""
    for row in rows:
        found = _text(row, columns)
        if not isinstance(found, InputError):
            yield found


def _text(row: Row, columns: Sequence[str]) -> str | InputError:
    cells = []
    for column in columns:
        value = row.get(column)
        if isinstance(value, float) and value.is_integer():
            value = int(value)  # spreadsheets keep 12 as 12.0
        if isinstance(value, (Mapping, list, tuple, bytes, bool)):
            return InputError(f"column {column!r} holds no text", field=column)
        if value is not None and (cell := str(value)) and not cell.isspace():
            cells.append(cell)
    if not cells:
        names = " and ".join(map(repr, columns))
        return InputError(f"there is no text in column {names}", field=columns[0])
    return " ".join(cells)


def _pair(row: Row, left: Sequence[str], right: Sequence[str]) -> tuple[str, str] | InputError:
    one, other = _text(row, left), _text(row, right)
    if isinstance(one, InputError):
        return one
    return other if isinstance(other, InputError) else (one, other)


def _apply(
    items: Sequence[Item | InputError],
    batch: Callable[[list[Item]], Sequence[Result]],
) -> list[Result]:
    """Run `batch` over the good items and put its results in their places."""
    good = [item for item in items if not isinstance(item, InputError)]
    results = iter(_results(good, batch))
    return [item if isinstance(item, InputError) else next(results) for item in items]


def _results(
    items: list[Item], batch: Callable[[list[Item]], Sequence[Result]]
) -> Sequence[Result]:
    try:
        return batch(items)
    except Exception:  # noqa: BLE001 -- one row must not cost the others theirs: find it
        return [_single(item, batch) for item in items]


def _single(item: Item, batch: Callable[[list[Item]], Sequence[Result]]) -> Result:
    try:
        return batch([item])[0]
    except MenpaiError as error:
        return error
    except Exception as error:  # noqa: BLE001 -- reported with its row; the others are done
        return InputError(f"the row cannot be processed: {type(error).__name__}")

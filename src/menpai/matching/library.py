"""A table of standard addresses, made ready for queries."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import numpy as np

from menpai.address.parse import parse
from menpai.errors import InputError
from menpai.matching.candidates import CandidateIndex, traits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from menpai.address.elements import Address
    from menpai.matching.candidates import Traits


class Library:
    """Standard addresses that queries are matched against; made by `Library.build`.

    Records with the same text are one entry inside, so that a table with many repeats costs no
    more than its distinct texts. Parsed addresses are kept pickled: 350 bytes each instead of
    3,000, and 10 us to open one where the comparison takes 100.
    """

    def __init__(
        self,
        texts: Sequence[str],
        record_ids: Sequence[str],
        *,
        default_region: str | None,
    ) -> None:
        self.record_ids: tuple[str, ...] = tuple(record_ids)
        self.default_region = default_region
        entries = {text: entry for entry, text in enumerate(dict.fromkeys(texts))}
        owners = np.fromiter((entries[text] for text in texts), np.int32, len(texts))
        self._rows = np.argsort(owners, kind="stable").astype(np.int32)
        self._row_starts = np.searchsorted(owners[self._rows], np.arange(len(entries) + 1))
        self._packed: list[bytes] = []
        self._index = CandidateIndex(self._read(entries))

    @classmethod
    def build(
        cls,
        texts: Sequence[str],
        record_ids: Sequence[str] | None = None,
        *,
        default_region: str | None = None,
    ) -> Library:
        """Parse and index a table of standard addresses.

        Args:
            texts: The addresses, one a record.
            record_ids: A distinct name for each record; the row's number, from "1", if None.
            default_region: A division that unnamed upper levels of the records are taken from.

        Raises:
            InputError: No record, a record that is no text, ids that repeat or are too few or too
                many, or a `default_region` that names no single division.
        """
        _check_texts(texts)
        if record_ids is None:
            record_ids = [str(row) for row in range(1, len(texts) + 1)]
        _check_ids(record_ids, len(texts))
        return cls(texts, record_ids, default_region=default_region)

    def __len__(self) -> int:
        """Count the records."""
        return len(self.record_ids)

    def __repr__(self) -> str:
        return f"<Library of {len(self):,} records>"

    def candidates(self, query: Address, limit: int) -> list[int]:
        """Give the entries that a query most likely means, best first, at most `limit`."""
        return self._index.best(traits(query, wanted=True), limit)

    def address(self, entry: int) -> Address:
        """Give the parsed address of an entry."""
        address: Address = pickle.loads(self._packed[entry])  # noqa: S301  our own bytes
        return address

    def rows(self, entry: int) -> list[int]:
        """Give the rows (from 0) of the records that have an entry's text, in order."""
        start, end = self._row_starts[entry : entry + 2]
        rows: list[int] = self._rows[start:end].tolist()
        return rows

    def _read(self, texts: Iterable[str]) -> Iterator[Traits]:
        for text in texts:
            address = parse(text, default_region=self.default_region)
            self._packed.append(pickle.dumps(address, pickle.HIGHEST_PROTOCOL))
            yield traits(address, wanted=False)


def _check_texts(texts: Sequence[str]) -> None:
    if isinstance(texts, str):
        raise InputError("a library is built from a sequence of texts, not from one text")
    if not len(texts):
        raise InputError("a library needs at least one record, this table has none")
    for row, text in enumerate(texts, 1):
        if not isinstance(text, str):
            raise InputError(f"a record is a text, this one is {type(text).__name__}", row=row)


def _check_ids(record_ids: Sequence[str], n_records: int) -> None:
    if len(record_ids) != n_records:
        raise InputError(f"{len(record_ids)} record ids for {n_records} records")
    seen: set[str] = set()
    for row, record_id in enumerate(record_ids, 1):
        if record_id in seen:
            raise InputError(f"record id {record_id!r} is given twice", row=row)
        seen.add(record_id)

"""Tokens of single inputs to padded batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from menpai.model.runtimes.protocol import Inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from menpai.model.runtimes.protocol import Ints
    from menpai.model.tokenizer import Tokens


def pad(  # noqa: PLR0913 -- the parts of a batch
    batch: Sequence[Tokens],
    length: int,
    pad_id: int,
    *,
    has_segments: bool,
    names: Iterable[str] = (),
    channels: Mapping[str, Sequence[Ints]] | None = None,
) -> Inputs:
    """Lay inputs side by side.

    Args:
        batch: Inputs, none longer than `length`.
        length: Tokens of each row with padding.
        pad_id: Number of the padding token.
        has_segments: Whether the second text is marked; otherwise all segments are 0.
        names: Channels that the encoder reads; those that are not given are 0.
        channels: Further numbers by name, for each input as many as it has tokens.
    """
    shape = (len(batch), length)
    ids = np.full(shape, pad_id, np.int32)
    mask = np.zeros(shape, np.int32)
    segments = np.zeros(shape, np.int32)
    for row, tokens in enumerate(batch):
        n = len(tokens.ids)
        ids[row, :n] = tokens.ids
        mask[row, :n] = 1
        if has_segments:
            segments[row, :n] = tokens.segments
    extra = {name: np.zeros(shape, np.int32) for name in names}
    given = {name: _padded(rows, shape) for name, rows in (channels or {}).items()}
    return Inputs(ids, mask, segments, extra | given)


def _padded(rows: Sequence[Ints], shape: tuple[int, int]) -> Ints:
    values = np.zeros(shape, np.int32)
    for row, numbers in enumerate(rows):
        values[row, : len(numbers)] = numbers
    return values

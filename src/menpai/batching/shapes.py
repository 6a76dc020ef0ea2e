"""The shapes that batches may have, few enough for a runtime to meet each of them again.

A runtime keeps compiled primitives for every new shape, 2 to 3 MiB each. With a budget of 2,048
tokens there are 287 shapes up to 64 tokens, 353 up to 128 and 472 up to 512, whatever comes.
"""

from __future__ import annotations

from menpai.errors import InputError


def length_bucket(n_tokens: int, max_length: int) -> int:
    """Give the length that an item is padded to: every 2nd up to 32, then 4th, 8th, from 128 16th.

    There are 15 lengths up to 32 tokens, 23 up to 64, 31 up to 128 and 55 up to 512.

    Args:
        n_tokens: What the item has, special tokens included.
        max_length: What the model reads at most; no item is padded to more.

    Raises:
        InputError: If the item has no token, or more than `max_length`.
    """
    if not 1 <= n_tokens <= max_length:
        raise InputError(f"an item has 1 to {max_length} tokens, this one has {n_tokens}")
    step = 2 if n_tokens <= 32 else 4 if n_tokens <= 64 else 8 if n_tokens <= 128 else 16
    return min(max(4, -(-n_tokens // step) * step), max_length)


def row_counts(max_rows: int) -> list[int]:
    """List how many rows a batch may have, up to `max_rows`: powers of 2, and 3 times these.

    No row is ever padding: left-overs are cut into these counts. Half of a count is one again, so
    that a batch that did not fit into memory makes no new shape. For addresses planned as in
    `plan.BATCH_COST`, 2,048 at once or 1 to 500, with lengths up to 128:

    | counts | shapes | cost above the real tokens |
    |---|---|---|
    | any | 2,936 | 3.9 %, 6.9 % |
    | 1, 2, 3, 4, 6 and multiples of 8 | 511 | 4.1 %, 8.0 % |
    | these | 353 | 4.4 %, 8.0 % |
    | powers of 2 | 204 | 4.7 %, 9.0 % |
    """
    powers = [1 << power for power in range(max_rows.bit_length())]
    return sorted(n for power in powers for n in (power, 3 * power) if n <= max_rows)

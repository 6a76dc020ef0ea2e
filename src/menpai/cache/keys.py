"""Keys of cached things: digests that belong to one fingerprint."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# Among a billion texts, two share one of 2**128 keys with a probability of 1 in 10**21.
KEY_BYTES = 16


def digest(data: bytes, fingerprint: bytes) -> bytes:
    """Give the key of `data` under a fingerprint of 1 to 64 bytes.

    The fingerprint keys the digest, so that what was stored under one is never found under another.

    Raises:
        ValueError: If the fingerprint is empty or too long.
    """
    if not fingerprint:
        raise ValueError("a key without a fingerprint would be found under every model")
    return blake2b(data, digest_size=KEY_BYTES, key=fingerprint).digest()


def check_keys(keys: Iterable[bytes]) -> None:
    """Refuse keys that `digest` did not make.

    Raises:
        ValueError: If one has another length.
    """
    if not set(map(len, keys)) <= {KEY_BYTES}:
        raise ValueError(f"a key has {KEY_BYTES} bytes, one of these has not")

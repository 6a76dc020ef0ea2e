"""Keys: digests that belong to a fingerprint."""

import pytest
from hypothesis import given, strategies as st

from menpai.cache.keys import KEY_BYTES, check_keys, digest

FINGERPRINTS = st.binary(min_size=1, max_size=64)


@given(st.binary(), FINGERPRINTS)
def test_key_is_short_and_stable(data: bytes, fingerprint: bytes) -> None:
    """The same data under the same fingerprint have one key, of 128 bits."""
    assert len(digest(data, fingerprint)) == KEY_BYTES == 16
    assert digest(data, fingerprint) == digest(bytes(bytearray(data)), fingerprint)


def test_key_outlives_the_process() -> None:
    """Keys of a cache on disk are found by the next process, on any machine."""
    assert digest("望澜路88号".encode(), b"v1").hex() == "fc77b76380c3998db5c223bebf110468"


@given(st.binary(), FINGERPRINTS, FINGERPRINTS)
def test_fingerprints_share_no_key(data: bytes, left: bytes, right: bytes) -> None:
    """Equal texts under two fingerprints have two keys."""
    assert (digest(data, left) == digest(data, right)) == (left == right)


@given(st.binary(), st.binary())
def test_data_share_no_key(left: bytes, right: bytes) -> None:
    """Two texts under one fingerprint have two keys."""
    assert (digest(left, b"v1") == digest(right, b"v1")) == (left == right)


def test_zeros_and_lengths_count() -> None:
    """Fingerprints are not padded to one another, nor does text move into the fingerprint."""
    assert (
        len({digest(b"a", b"v"), digest(b"a", b"v\0"), digest(b"", b"va"), digest(b"va", b"a")})
        == 4
    )


@pytest.mark.parametrize("fingerprint", [b"", b"x" * 65])
def test_odd_fingerprints_are_refused(fingerprint: bytes) -> None:
    """None at all would tie a key to nothing; a longer one cannot be used whole."""
    with pytest.raises(ValueError):
        digest(b"a", fingerprint)


@pytest.mark.parametrize("odd", [b"", b"x" * 15, b"x" * 17])
def test_odd_keys_are_refused(odd: bytes) -> None:
    """Keys have one length; no keys are fine."""
    check_keys([])
    check_keys([b"x" * 16])
    with pytest.raises(ValueError, match="16 bytes"):
        check_keys([b"x" * 16, odd])

"""How rare a pair of neighbouring characters is in Chinese addresses.

Two addresses that share 泉苑 have far more in common than two that share 小区. `Rarity` turns
that into numbers: the inverse document frequency of every bigram, ``ln(documents / df)``, from a
packaged table (built by ``scripts/build_rarity.py``) or from a library's own texts.
"""

import math
import re
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import Final

import numpy as np
import numpy.typing as npt

from menpai.errors import DataError

MAGIC: Final = b"MPRARE1\0"
IDF_STEP: Final = 0.05
"""The packaged table holds idf in steps of this size, one byte each."""

UNSEEN_DF: Final = 0.5
"""Document frequency of what was never seen: half a document, so finite and above any seen idf."""

_HEADER: Final = np.dtype([("magic", "S8"), ("documents", "<f8"), ("count", "<u4")])
_RUN: Final = re.compile(r"[A-Za-z\u3400-\u4dbf\u4e00-\u9fff]+")
_BMP: Final = 0x10000
_MEMO_LIMIT: Final = 1 << 17


def bigrams(text: str) -> set[str]:
    """Distinct pairs of neighbouring letters or Chinese characters, in upper case.

    Digits, blanks and punctuation break a run, so 3号楼 and 12号楼 both give 号楼 and no number
    ever counts as evidence.
    """
    pairs: set[str] = set()
    for run in _RUN.findall(text.upper()):
        pairs.update(map("".join, pairwise(run)))
    return pairs


class Rarity:
    """Inverse document frequencies of bigrams and single characters.

    Lookups keep a bounded memo, so a bigram met before costs one dictionary access.
    """

    def __init__(self, documents: float, keys: "array[int]", idfs: "array[float]") -> None:
        """Wrap a table.

        Args:
            documents: Number of documents that the frequencies were counted over.
            keys: Sorted keys: ``first << 16 | second`` for a bigram, the code point for a
                character.
            idfs: idf of each key, same length.
        """
        self.documents: Final = documents
        self.unseen: Final = math.log(max(documents, 1.0) / UNSEEN_DF)
        self._keys = keys
        self._idfs = idfs
        self._memo: dict[str, float] = {}

    @classmethod
    def from_texts(cls, texts: Iterable[str]) -> "Rarity":
        """Count over a library's own texts, each text one document."""
        counts: Counter[int] = Counter()
        documents = 0
        for text in texts:
            documents += 1
            counts.update(document_keys(text))
        keys = sorted(counts)
        idfs = (math.log(documents / counts[key]) for key in keys)
        return cls(documents, array("I", keys), array("f", idfs))

    def idf(self, bigram: str) -> float:
        """Rarity of a bigram; of one never seen, that of half a document."""
        known = self._memo.get(bigram)
        if known is not None:
            return known
        found = self._lookup(_key(bigram.upper()))
        if len(self._memo) >= _MEMO_LIMIT:
            self._memo.clear()
        self._memo[bigram] = found
        return found

    def total(self, pairs: Iterable[str]) -> float:
        """Sum of the rarities of bigrams, the same in whatever order a set gives them."""
        known = self._memo.get
        return math.fsum([known(pair) or self.idf(pair) for pair in pairs])

    def __len__(self) -> int:
        """Count the bigrams and characters in the table."""
        return len(self._keys)

    def _lookup(self, key: int | None) -> float:
        if key is None:
            return self.unseen
        place = bisect_left(self._keys, key)
        if place < len(self._keys) and self._keys[place] == key:
            return self._idfs[place]
        return self.unseen


def _key(gram: str) -> int | None:
    """Key of one or two characters; None for what the table cannot hold."""
    codes = [ord(char) for char in gram]
    if not 1 <= len(codes) <= 2 or max(codes) >= _BMP:
        return None
    return codes[0] if len(codes) == 1 else codes[0] << 16 | codes[1]


def document_keys(text: str) -> set[int]:
    """Keys of all bigrams and characters of one document."""
    keys: set[int] = set()
    for run in _RUN.findall(text.upper()):
        codes = [ord(char) for char in run]
        keys.update(codes)
        keys.update(first << 16 | second for first, second in pairwise(codes))
    return keys


def pack(documents: float, frequencies: dict[int, float]) -> bytes:
    """Write a table of weighted document frequencies; keys below `UNSEEN_DF` are left out."""
    kept = sorted(key for key, df in frequencies.items() if df >= UNSEEN_DF)
    df = np.array([frequencies[key] for key in kept], dtype=np.float64)
    idf = np.log(documents / df)
    header = np.array([(MAGIC, documents, len(kept))], dtype=_HEADER)
    codes = np.clip(np.rint(idf / IDF_STEP), 0, 255).astype(np.uint8)
    return header.tobytes() + np.array(kept, dtype="<u4").tobytes() + codes.tobytes()


def unpack(data: bytes) -> Rarity:
    """Read a table written by `pack`.

    Raises:
        DataError: If the bytes are not such a table or are cut short.
    """
    size = _HEADER.itemsize
    header = np.frombuffer(data[:size], dtype=_HEADER)[0] if len(data) >= size else None
    if header is None or header["magic"] != MAGIC.rstrip(b"\0"):
        raise DataError("the packaged rarity table is broken: it has no header; reinstall menpai")
    count = int(header["count"])
    if len(data) != size + 5 * count:
        raise DataError("the packaged rarity table is broken: wrong length; reinstall menpai")
    keys: npt.NDArray[np.uint32] = np.frombuffer(data, "<u4", count, size).astype(np.uint32)
    codes = np.frombuffer(data, np.uint8, count, size + 4 * count)
    idfs = (codes * np.float32(IDF_STEP)).astype(np.float32)
    documents = float(header["documents"])
    return Rarity(documents, array("I", keys.tobytes()), array("f", idfs.tobytes()))


@lru_cache(maxsize=1)
def load() -> Rarity:
    """Read the packaged table, once per process (about a millisecond)."""
    return unpack((resources.files("menpai.address") / "data" / "rarity.bin").read_bytes())

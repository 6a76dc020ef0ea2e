"""Villages and communities, looked up inside one town.

620,000 names are too many for one dictionary. The packaged file holds a compressed piece for each
city; the piece of a town's city is unpacked when one of its villages is first asked for.
"""

import re
import struct
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from menpai.errors import DataError

MAGIC: Final = b"MPVILL1\0"
_COUNT: Final = struct.Struct("<I")
_PIECE: Final = struct.Struct("<4sII")
_BARE_ENDINGS: Final = (("村社区", 5), ("社区", 4), ("村", 2))
"""Endings and the length from which a name can lose them (no pattern: asked for every village)."""
_ENDING: Final = re.compile(
    r"(?:村?社区居民委员会|村?社区居委会|村?社区|村民委员会|居民委员会|村村民委员会|村村委会|村委会|村居委会|"
    r"居委会|村)(?!大?[路街巷道])|(?=第?[\d一二三四五六七八九十]+(?:村民)?(?:组|社|队))"
)

Villages = tuple[tuple[str, str], ...]
"""Names and codes of one town."""


def base_of(name: str) -> str:
    """Drop 村 or 社区, so that 回龙村 and 回龙社区 are one."""
    for ending, shortest in _BARE_ENDINGS:
        if name.endswith(ending) and len(name) >= shortest:
            return name[: -len(ending)]
    return name


class VillageIndex:
    """The villages of one town."""

    def __init__(self, villages: Villages) -> None:
        """Index names and codes."""
        self._starting: dict[str, list[tuple[str, str]]] = {}
        for village in villages:
            self._starting.setdefault(village[0][:2], []).append(village)

    def __contains__(self, base: str) -> bool:
        """Say whether a village of this name, without its ending, is one of the town's."""
        return any(base == base_of(name) for name, _ in self._starting.get(f"{base}村"[:2], ()))

    def at(self, text: str, pos: int) -> tuple[str, str, int] | None:
        """Longest village written at a place: official short name, code and end."""
        best, rank = None, (0, False)
        for name, code in self._starting.get(text[pos : pos + 2], ()):
            base = base_of(name)
            if text.startswith(base, pos):
                end = _end(base, name, text, pos)
                exact = text.startswith(name, pos)
                if end is not None and (end, exact) > rank:
                    best, rank = (name, code, end), (end, exact)
        return best


def _end(base: str, name: str, text: str, pos: int) -> int | None:
    ending = _ENDING.match(text, pos + len(base))
    if ending:
        return ending.end()
    return pos + len(name) if base == name else None


class VillageTable:
    """The packaged villages."""

    def __init__(self, data: bytes) -> None:
        """Read the directory of the packaged file.

        Raises:
            DataError: If the bytes are not such a file or are cut short.
        """
        self._data = data
        self._pieces = _directory(data)
        self._line = lru_cache(maxsize=4096)(self._find_line)
        # All unpacked they take 8 MB, and tables of the whole country ask for every city.
        self._piece = lru_cache(maxsize=None)(self._unpack)
        self.index: Final = lru_cache(maxsize=512)(self._index)

    def may_hold(self, city: str, name: str) -> bool:
        """Say whether a name is written anywhere among the villages of a city."""
        return name.encode() in self._piece(city)

    def of(self, town: str) -> Villages:
        """Names and codes of a town's villages."""
        line = self._line(town)
        return tuple(_villages(line)) if line else ()

    def at(self, text: str, pos: int, town: str) -> tuple[str, str, int] | None:
        """Longest village of a town written at a place; indexes only towns that may have one."""
        if text[pos : pos + 2] not in self._line(town):
            return None
        return self.index(town).at(text, pos)

    def _find_line(self, town: str) -> str:
        piece = self._piece(town[:4])
        start = piece.find(b"\n" + town.encode() + b"\t")
        return piece[start + 1 : piece.index(b"\n", start + 1)].decode() if start >= 0 else ""

    def _index(self, town: str) -> VillageIndex:
        return VillageIndex(self.of(town))

    def _unpack(self, city: str) -> bytes:
        start, size = self._pieces.get(city, (0, 0))
        return zlib.decompress(self._data[start : start + size]) if size else b""


def _directory(data: bytes) -> dict[str, tuple[int, int]]:
    pieces: dict[str, tuple[int, int]] = {}
    end = -1
    if data.startswith(MAGIC):
        (count,) = _COUNT.unpack_from(data, len(MAGIC))
        offset = len(MAGIC) + _COUNT.size
        end = offset + count * _PIECE.size
        for city, start, size in _PIECE.iter_unpack(data[offset:end]):
            pieces[city.decode()] = (start, size)
            end = start + size
    if end != len(data):
        raise DataError("the packaged villages are broken: wrong length; reinstall menpai")
    return pieces


def _villages(line: str) -> Iterable[tuple[str, str]]:
    """Decode a line: the town, then groups of villages, each after the code it was listed under."""
    town, *groups = line.split("\t")
    for group in groups:
        listed, *items = group.split(",")
        number = 0
        for item in items:
            digits, colon, name = item.rpartition(":")
            number = int(digits) if colon else number + 1
            yield name, f"{listed or town}{number:03}"


def pack(towns: Mapping[str, Mapping[str, Villages]]) -> bytes:
    """Write the file: for each current town, its villages by the code they are listed under."""
    lines: dict[str, list[str]] = {}
    for town in sorted(towns):
        groups = (_group(town, listed, villages) for listed, villages in towns[town].items())
        lines.setdefault(town[:4], []).append("\t".join([town, *groups]))
    pieces = {
        city: zlib.compress("\n".join(["", *rows, ""]).encode(), 9) for city, rows in lines.items()
    }
    start = len(MAGIC) + _COUNT.size + len(pieces) * _PIECE.size
    directory = []
    for city, piece in pieces.items():
        directory.append(_PIECE.pack(city.encode(), start, len(piece)))
        start += len(piece)
    return b"".join([MAGIC, _COUNT.pack(len(pieces)), *directory, *pieces.values()])


def _group(town: str, listed: str, villages: Villages) -> str:
    items = ["" if listed == town else listed]
    last = 0
    for name, code in villages:
        number = int(code[-3:])
        items.append(name if number == last + 1 else f"{number}:{name}")
        last = number
    return ",".join(items)

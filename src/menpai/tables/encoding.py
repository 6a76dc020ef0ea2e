"""Which encoding a text file has, decided on its first bytes that are not ASCII."""

from __future__ import annotations

import codecs
import gzip
import io
import re
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, BinaryIO, cast

from menpai.errors import StorageError, TableError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLE_BYTES = 1 << 20

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNDECODED = re.compile("[\udc80-\udcff]")
_WIDE = re.compile("[^\0-\x7f\udc80-\udcff]")


class TextFile:
    """A text file, perhaps compressed by gzip, whose encoding was detected.

    Bytes that the encoding does not know are read as lone surrogates, so that one bad row does not
    stop the others; `is_clean` tells them apart.
    """

    def __init__(self, path: Path, *, gzipped: bool) -> None:
        self.path = path
        self._gzipped = gzipped
        self._n_bytes = 0
        self._raw: BinaryIO | None = None
        with self._binary() as binary:
            self.encoding = _encoding_of(binary, path.name)

    @contextmanager
    def open(self) -> Iterator[IO[str]]:
        """Open the file from its start; line ends are kept as they are.

        Raises:
            TableError: If the file is not there, or its end is missing.
            StorageError: If it cannot be read.
        """
        with (
            self._binary() as binary,
            io.TextIOWrapper(
                cast("IO[bytes]", binary), self.encoding, errors="surrogateescape", newline=""
            ) as text,
        ):
            yield text

    @property
    def fraction(self) -> float:
        """Share of the file that the newest reader has taken in, in [0, 1]."""
        if self._raw is None or self._raw.closed or not self._n_bytes:
            return 1.0
        return self._raw.tell() / self._n_bytes

    @contextmanager
    def _binary(self) -> Iterator[BinaryIO]:
        with ExitStack() as stack:
            try:
                raw = stack.enter_context(self.path.open("rb"))
                self._raw, self._n_bytes = raw, self.path.stat().st_size
                unpacked = gzip.GzipFile(fileobj=raw) if self._gzipped else raw
                yield cast("BinaryIO", stack.enter_context(unpacked))
            except (EOFError, gzip.BadGzipFile) as error:
                raise TableError(f"{self.path.name} is not a whole gzip file: {error}") from error
            except UnicodeDecodeError as error:  # only UTF-16 has bytes that cannot be passed on
                raise TableError(f"{self.path.name} is damaged: {error.reason}") from error
            except OSError as error:
                raise unreadable(self.path, error) from error


def unreadable(path: Path, error: OSError) -> TableError | StorageError:
    """Say why a file cannot be read: a wrong name is the caller's fault, the rest the machine's."""
    message = f"cannot read {path}: {error.strerror or error}"
    if isinstance(error, (FileNotFoundError, IsADirectoryError, NotADirectoryError)):
        return TableError(message)
    return StorageError(message)


def is_clean(text: str) -> bool:
    """Whether every byte of the text could be decoded."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _encoding_of(binary: BinaryIO, name: str) -> str:
    sample = binary.read(SAMPLE_BYTES)
    for bom, encoding in _BOMS:
        if sample.startswith(bom):
            return encoding
    # A long head of ASCII says nothing about the rest: the first other character decides.
    while sample.isascii() and b"\0" not in sample:
        following = binary.read(SAMPLE_BYTES)
        if not following:
            return "utf-8"
        sample = following
    if b"\0" not in sample:
        for encoding in ("utf-8", "gb18030"):
            if _fits(sample, encoding):
                return encoding
    raise TableError(f"{name} is neither UTF-8 nor GB18030 text, nor UTF-16 with a byte order mark")


def _fits(sample: bytes, encoding: str) -> bool:
    """Whether a sample, perhaps cut inside its last character, has this encoding.

    A damaged row is no reason to read all others in a wrong encoding: GB18030 accepts most of what
    is really UTF-8. Hence one undecodable byte to four wide characters is let pass: of GB18030
    read as UTF-8 most bytes are undecodable.
    """
    decoder = codecs.getincrementaldecoder(encoding)("surrogateescape")
    text = decoder.decode(sample)
    n_bad = len(_UNDECODED.findall(text))
    return n_bad == 0 or n_bad * 4 < len(_WIDE.findall(text))

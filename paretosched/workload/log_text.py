"""The text of a log, plain or gzipped, in blocks of whole lines; damaged and endless files are refused on the way."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import os
import zlib
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import IO, Any, cast

from ..core.errors import InputError
from ..core.files import is_file, open_for_reading, unreadable
from ..core.limits import check_limit, limits_in_force

BLOCK = 1 << 21  # bytes that are read at a time
ANY_RATIO = 1 << 24  # bytes; a smaller text may be gzipped to any size


class LogText:
    """The text of a log; it is read once.

    Parameters
    ----------
    path
        The log, unpacked if its first bytes are those of a gzip file.

    Attributes
    ----------
    sha256
        The SHA-256 of the file as it was read, after its last block; None for a pipe, which cannot be read twice.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fsdecode(path)
        self.sha256: str | None = None

    def blocks(self) -> Generator[bytes, None, None]:
        """Yield the text in blocks that end with a line; the next block is read while the caller uses one.

        The last line may lack its end. So does a line that is longer than the limit: it ends its block, whatever
        follows. A caller that may not use all blocks must close the iterator, since a thread reads them.

        Raises
        ------
        InputError
            The file cannot be opened, is empty or binary, its compression is damaged, or it is beyond a limit.
        """
        blocks = self._blocks()
        block = next(blocks, b"").removeprefix(codecs.BOM_UTF8)  # Windows writes this mark
        if len(block) < BLOCK // 2 or not is_file(self.path):
            yield block  # a small log is not worth a thread; a pipe may let the thread wait
            yield from blocks
            return
        with ThreadPoolExecutor(1) as other:
            while block:
                coming = other.submit(next, blocks, b"")
                yield block
                block = coming.result()

    def _blocks(self) -> Iterator[bytes]:
        """Yield the blocks, with errors in the words of this package."""
        try:
            with open_for_reading(self.path) as file:
                source = _Source(file)
                if file.peek(2)[:2] == b"\x1f\x8b":
                    with gzip.GzipFile(fileobj=cast(Any, source), mode="rb") as text:  # it needs `read` only
                        yield from self._lines(text, source)
                else:
                    yield from self._lines(source, None)
            if is_file(self.path):
                self.sha256 = source.sha256.hexdigest()
        except EOFError:
            raise InputError(f"{self.path}: the gzip file is cut short") from None
        except (zlib.error, gzip.BadGzipFile) as error:
            raise InputError(f"{self.path}: the gzip file is damaged: {error}") from None
        except OSError as error:
            raise unreadable(self.path, error) from None

    def _lines(self, file: _Source | gzip.GzipFile, packed: _Source | None) -> Iterator[bytes]:
        """Yield the blocks of an open file; `packed` is the file whose unpacked text it has, if any."""
        longest = limits_in_force().line
        rest, size, blank = b"", 0, True
        while data := file.read(BLOCK):
            if b"\0" in data:
                place = size + data.index(b"\0") + 1
                raise InputError(f"{self.path}: a log must be text, but this file is binary: byte {place:,} is zero")
            size += len(data)
            check_limit(self.path, "log", size)
            if packed is not None and size > ANY_RATIO:
                check_limit(self.path, "ratio", size / packed.size)
            blank = blank and not data.strip()
            text = rest + data
            end = max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1)) + 1  # "\r\n" must not be cut
            if len(text) - end > longest + 1:
                end = len(text)
            rest = text[end:]
            if end:
                yield text[:end]
        if blank:
            raise InputError(f"{self.path}: the file is empty")
        if rest:
            yield rest


class _Source:
    """A file that counts and digests the bytes that are read from it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0
        self.sha256 = hashlib.sha256()

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self.file.read(size)
        self.size += len(data)
        self.sha256.update(data)
        return data

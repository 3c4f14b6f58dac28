"""The text of a log, plain or gzipped, in blocks of whole lines; damaged and endless files are refused on the way."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from ..core.errors import InputError
from ..core.files import open_for_reading
from ..core.limits import check_limit, limits_in_force

BLOCK = 1 << 22  # bytes that are read at a time
ANY_RATIO = 1 << 24  # bytes; a smaller text may be gzipped to any size


def text_blocks(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the text of a log, unpacked if its first bytes are those of a gzip file, in blocks that end with a line.

    The last line may lack its end. So does a line that is longer than the limit: it ends its block, whatever follows.

    Raises
    ------
    InputError
        The file cannot be opened, is empty or binary, its compression is damaged, or it is beyond a limit.
    """
    place = Path(path)
    try:
        with open_for_reading(place) as file:
            if file.peek(2)[:2] == b"\x1f\x8b":
                packed = _Counted(file)
                with gzip.GzipFile(fileobj=packed, mode="rb") as unpacked:  # type: ignore[call-overload]  # `read` suffices
                    yield from _blocks(place, unpacked, packed)
            else:
                yield from _blocks(place, file, None)
    except EOFError:
        raise InputError(f"{path}: the gzip file is cut short") from None
    except (zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: the gzip file is damaged: {error}") from None
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror or error}") from None


def _blocks(path: Path, file: IO[bytes] | gzip.GzipFile, packed: _Counted | None) -> Iterator[bytes]:
    """Yield the blocks of an open file."""
    longest = limits_in_force().line
    rest, size, blank = b"", 0, True
    while data := file.read(BLOCK):
        if b"\0" in data:
            raise InputError(f"{path}: a log must be text, but this file is binary")
        size += len(data)
        check_limit(path, "log", size)
        if packed is not None and size > ANY_RATIO:
            check_limit(path, "ratio", size / packed.size)
        blank = blank and not data.strip()
        text = rest + data
        end = max(text.rfind(b"\n"), text.rfind(b"\r", 0, len(text) - 1)) + 1  # "\r\n" must not be cut
        if len(text) - end > longest + 1:
            end = len(text)
        rest = text[end:]
        if end:
            yield text[:end]
    if blank:
        raise InputError(f"{path}: the file is empty")
    if rest:
        yield rest


class _Counted:
    """A packed file that counts the bytes that were read from it."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.size = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes."""
        data = self.file.read(size)
        self.size += len(data)
        return data

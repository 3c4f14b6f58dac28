"""The lines of an accounting file or of a pipe, a block at a time, within the limits of readers."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

from ...core.errors import InputError
from ...core.files import is_file
from ...core.limits import check_limit, limits_in_force
from ..log_text import LogText
from .tally import Tally

Watch = Callable[[int, int | None], None]  # bytes that were read, and bytes in all (None: not known)
STDIN = "/dev/stdin"
MARK = "\ufeff"  # of UTF-8, which Windows writes at the begin of a file, so that it may also stand between two files
NUMBER = re.compile(r"\d{1,15}", re.ASCII)
NO_UTF8 = "a line that is no UTF-8: read as Windows-1252, of which Latin-1 is a part"


class Lines(NamedTuple):
    """A block of lines.

    Attributes
    ----------
    place
        The file, for messages.
    first
        The number of the first line.
    texts
        The lines without their ends.
    """

    place: str
    first: int
    texts: list[str]

    def fault(self, index: int, fact: str) -> InputError:
        """Return the error about a line."""
        return InputError(f"{self.place}:{self.first + index}: {fact}")


def line_blocks(path: str | os.PathLike[str], watch: Watch, tally: Tally | None = None) -> Iterator[Lines]:
    """Yield the lines of a file, plain or gzipped; "-" is the standard input.

    A line that is no UTF-8 is read as Windows-1252, and counted in the tally. Marks of UTF-8 before a line are left
    out.

    Raises
    ------
    InputError
        The file cannot be read, is empty, binary or damaged, or is beyond a limit.
    """
    place = STDIN if os.fsdecode(path) == "-" else os.fsdecode(path)
    first, done, goal = 1, 0, _size(place)
    with closing(LogText(place).blocks()) as blocks:
        for block in blocks:
            text, others = _text_of(block)
            if others and tally is not None:
                tally.note_lines("changed", NO_UTF8, [first + index for index in others])
            texts = (text if MARK not in text else text.replace(f"\n{MARK}", "\n").removeprefix(MARK)).split("\n")
            if not texts[-1]:
                texts.pop()
            longest = max(texts, key=len, default="")
            if len(longest) > limits_in_force().line:
                check_limit(f"{place}:{first + texts.index(longest)}", "line", len(longest))
            yield Lines(place, first, texts)
            first += len(texts)
            done += len(block)
            watch(done, goal)


def _size(place: str) -> int | None:
    """Return the bytes that a file will give; None for a pipe or a gzipped file."""
    try:
        if not is_file(place):
            return None
        with open(place, "rb") as file:  # noqa: PTH123
            return None if file.read(2) == b"\x1f\x8b" else os.fstat(file.fileno()).st_size
    except (OSError, ValueError):
        return None  # `line_blocks` says why


def _text_of(block: bytes) -> tuple[str, list[int]]:
    """Return the text of a block, its lines ending with a newline, and the indices of lines that are no UTF-8."""
    block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        return block.decode("utf-8"), []
    except UnicodeDecodeError:
        texts, others = [], []
        for index, line in enumerate(block.split(b"\n")):
            try:
                texts.append(line.decode("utf-8"))
            except UnicodeDecodeError:
                others.append(index)
                texts.append(_of_windows(line))
        return "\n".join(texts), others


def _of_windows(line: bytes) -> str:
    """Return a line in Windows-1252; the five bytes that this does not have are those of Latin-1."""
    try:
        return line.decode("cp1252")
    except UnicodeDecodeError:
        return line.decode("latin-1")


def whole_text(place: str, watch: Watch) -> str:
    """Return the text of a file in UTF-8, plain or gzipped, within the limit of JSON.

    Raises
    ------
    InputError
        The file cannot be read, is no UTF-8, or is beyond the limit.
    """
    data = bytearray()
    with closing(LogText(place).blocks()) as blocks:
        for block in blocks:
            data += block
            check_limit(place, "json", len(data))
            watch(len(block), None)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{place}: JSON must be text in UTF-8, but this is not") from None

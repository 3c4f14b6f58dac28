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

Watch = Callable[[int, int | None], None]  # bytes that were read, and bytes in all (None: not known)
STDIN = "/dev/stdin"
MARK = "\ufeff"  # of UTF-8, which Windows writes at the begin of a file, so that it may also stand between two files
NUMBER = re.compile(r"\d{1,15}", re.ASCII)


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


def line_blocks(path: str | os.PathLike[str], watch: Watch) -> Iterator[Lines]:
    """Yield the lines of a file, plain or gzipped; "-" is the standard input.

    Bytes that are no UTF-8 become the replacement character; marks of UTF-8 before a line are left out.

    Raises
    ------
    InputError
        The file cannot be read, is empty, binary or damaged, or is beyond a limit.
    """
    place = STDIN if os.fsdecode(path) == "-" else os.fsdecode(path)
    first, done, goal = 1, 0, _size(place)
    with closing(LogText(place).blocks()) as blocks:
        for block in blocks:
            text = block.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
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

"""Small files that are hostile as logs: unpacked they are huge, or they never end."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

PIECE = 1 << 26  # bytes of a member of a gzip file; its members are unpacked one after the other
JOB = b"1 0 -1 9 1 -1 -1 1 9 -1 1 1 -1 -1 -1 -1 -1 -1\n"


class Bomb(NamedTuple):
    """A hostile file.

    Attributes
    ----------
    name
        What it is.
    make
        Function that writes it to a path.
    message
        What the refusal has after the path.
    """

    name: str
    make: Callable[[Path], object]
    message: str


def repeat_text(text: bytes, total: int = 5 << 30, begin: bytes = b"") -> Callable[[Path], object]:
    """A maker of a gzip file that repeats a text, some MB that become GB."""

    def make(path: Path) -> None:
        member = gzip.compress(text * (PIECE // len(text)), 9)
        with path.open("wb") as file:
            file.write(gzip.compress(begin))
            for _ in range(total // PIECE):
                file.write(member)

    return make


def gzipped_twice(path: Path) -> None:
    path.write_bytes(gzip.compress(gzip.compress(JOB * 10)))


def cut_short(path: Path) -> None:
    path.write_bytes(gzip.compress(os.urandom(9999).hex().encode())[:-100])


RATIO = ": the unpacked size of a file must be at most 200 times its packed size, but is more; --limit ratio=N"
BOMBS = (
    Bomb("zeros", repeat_text(b"\0"), ": a log must be text, but this file is binary"),
    Bomb("one endless line", repeat_text(b"1"), ":1: the length of a line must be at most 100,000 bytes"),
    Bomb(
        "one endless comment", repeat_text(b"; "), ":1: the comment lines of a log together must be at most 1,000,000"
    ),
    Bomb(
        "endless comments", repeat_text(b";\n"), ":1000001: the comment lines of a log together must be at most 1,000"
    ),
    Bomb(
        "endless comments after a job", repeat_text(b";\n", begin=JOB), ":1000002: the comment lines of a log together"
    ),
    Bomb("empty lines", repeat_text(b"\n"), RATIO),
    Bomb("blank lines", repeat_text(b" \t\r\n"), RATIO),
    Bomb("lines that are blank only for numpy", repeat_text(b"\x0b\x1c\n"), RATIO),
    Bomb("short lines", repeat_text(b"1\n"), ":1: a job line must have 18 columns, but this one has 1"),
    Bomb("jobs", repeat_text(JOB, total=1 << 30), RATIO),
    Bomb("gzipped twice", gzipped_twice, ": a log must be text, but this file is binary"),
    Bomb("cut short", cut_short, ": the gzip file is cut short"),
    Bomb("zeros without end", lambda path: path.symlink_to("/dev/zero"), ": a log must be text, but this file is"),
    Bomb("random bytes without end", lambda path: path.symlink_to("/dev/urandom"), ": a log must be text, but this"),
)

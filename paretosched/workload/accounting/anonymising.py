"""Names that say nothing, made with a secret key of the site, so that two exports agree; and that no name is left.

A name becomes its kind and twelve hexadecimal digits of its HMAC-SHA-256, which are also its number in the log. Without
the key nobody can compute them, also not by trying all names.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...core.arrays import Ints
from ...core.errors import InputError, first_few, in_quotes, number_of
from ...core.files import read_words
from ..log_text import LogText
from .lives import KINDS, UNKNOWN, Numberings

DIGITS = 12  # 48 bits: two of ten thousand names are equal once in five million sites
KEY = re.compile(r"[0-9a-f]{64}", re.ASCII)
WEEK = 7 * 86_400
YEAR = 52 * WEEK  # whole weeks, so that weekdays stay, and seasons nearly so
MOST_YEARS = 8
WORD = re.compile(r"[^\s\"',:;=()\[\]{}|/]+")
FORMAT_WORDS = (
    "format paretosched names 1 log sha256 source users groups queues partitions grouped_by eligible job after asked "
    "nodes gpus nice waiting group day dropped action reason jobs work first null"
)  # of the file beside a log
MADE = re.compile(f"({'|'.join(KINDS)})-[0-9a-f]{{{DIGITS}}}", re.ASCII)
NUMERIC = re.compile(rb"[0-9 \n-]*")


class Alias(NamedTuple):
    """What stands for the names in a log.

    Attributes
    ----------
    numbers
        By kind: the number in the log of each number of `Numbering`, (k + 1,); the last one is -1, for no name.
    names
        By kind: the name in the log of each number of `Numbering`.
    earlier
        How many seconds the log is moved back, whole weeks.
    """

    numbers: Mapping[str, Ints]
    names: Mapping[str, Mapping[int, str]]
    earlier: int


def no_alias(numberings: Numberings) -> Alias:
    """Return names and numbers as they are."""
    names = {kind: numbering.by_number() for kind, numbering in numberings.kinds.items()}
    return Alias({kind: _table(of_kind, {n: n for n in of_kind}) for kind, of_kind in names.items()}, names, 0)


def aliases(numberings: Numberings, key: bytes) -> Alias:
    """Return names that are made with a key, and their numbers.

    Raises
    ------
    InputError
        Two names of one kind would have the same number.
    """
    numbers, names = {}, {}
    for kind, numbering in numberings.kinds.items():
        digits = {number: _digits(key, kind, name) for number, name in numbering.by_number().items()}
        if len(set(digits.values())) < len(digits):
            raise InputError(f"two names of the kind {kind} have the same number with this key; take another key")
        names[kind] = {number: f"{kind}-{text}" for number, text in digits.items()}
        # a constraint is no field of the log: its number has 32 bits
        of_kind = {number: number if kind == "constraint" else int(text, 16) for number, text in digits.items()}
        numbers[kind] = _table(digits, of_kind)
    years = 1 + int(_digits(key, "weeks", ""), 16) % MOST_YEARS
    return Alias(numbers, names, years * YEAR)


def read_key(path: str | os.PathLike[str]) -> bytes:
    """Return the secret key in a file; a file that does not exist is made with a new key, for its owner alone.

    Raises
    ------
    InputError
        The file cannot be read or made, has no key, or others may read it.
    """
    if not os.path.lexists(path):
        _make_key(path)
    text = read_words(path, "key", "json").strip()
    if KEY.fullmatch(text) is None:
        raise InputError(f"{path}: a file with a key must have one line of 64 hexadecimal digits, but has not; name a "
                         "file that does not exist to make a key")  # fmt: skip
    if os.stat(path).st_mode & (stat.S_IRWXG | stat.S_IRWXO):  # noqa: PTH116  # Path.stat() raises for long names
        raise InputError(f"{path}: others can read this key, so that it is no secret; chmod 600 {path}")
    return bytes.fromhex(text)


def prove_anonymous(log: Path, beside: Path, names: Iterable[str], fixed: str) -> str:
    """Return what was searched; refuse a log or its names in which a name of the accounting is left.

    Job lines must be numbers, and what stands for names must have been made with a key. All words of the header and of
    the file beside the log are compared with all names, also with those of jobs that were dropped; capitals make no
    difference. Names that are numbers or words of the format cannot be told from these: they are listed, not counted.

    Parameters
    ----------
    log, beside
        The files as they were written.
    names
        The names of users, accounts, queues and partitions that were met.
    fixed
        Text that is in every such log; a name that is one of its words cannot be told from it.

    Raises
    ------
    InputError
        A name is left, or a job line is not only numbers.
    """
    content = beside.read_text(encoding="utf-8")
    strange = [name for name in _names_beside(content) if MADE.fullmatch(name) is None]
    if strange:
        fact = f"names beside it must be such as user-3fa9c1d2e4b5, but are {first_few(map(in_quotes, strange))}"
        raise InputError(f"the log is not anonymous: {fact}")
    text = content.lower()
    written, usual = _words_of_log(log) | _words(text), _words(fixed) | _words(FORMAT_WORDS)
    wanted = {name.lower() for name in names if name}
    numbers = {name for name in wanted if name.isdecimal()}
    searched = wanted - usual - numbers
    left = {name for name in searched if name in written or (len(_words(name)) > 1 and name in text)}
    if left:
        raise InputError(
            f"the log is not anonymous: {number_of(len(left), 'name')} of the accounting in it: "
            f"{first_few(map(in_quotes, sorted(left)))}; is one of them in the name of the file?"
        )
    note = _unseen("words of the format", (wanted & usual) - numbers) + _unseen("numbers", numbers)
    return f"anonymous: none of {number_of(len(searched), 'name')} is in the log or beside it{note}"


def _unseen(what: str, names: set[str]) -> str:
    """Return that names cannot be told from what is in every log; nothing if there are none."""
    return f"; not told from {what}: {first_few(sorted(names))}" if names else ""


def _names_beside(content: str) -> list[str]:
    """Return all names in a file beside a log."""
    fields = json.loads(content)
    return [name for kind in KINDS for name in fields.get(f"{kind}s", {}).values()]


def _make_key(path: str | os.PathLike[str]) -> None:
    """Write a new key that only its owner can read."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
    except OSError as error:
        raise InputError(f"{path}: cannot write a new key here: {error.strerror}") from None


def _digits(key: bytes, kind: str, name: str) -> str:
    """Return the digits that stand for a name."""
    return hmac.new(key, f"{kind}\0{name}".encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:DIGITS]


def _table(numbers: Iterable[int], value_of: Mapping[int, int]) -> Ints:
    """Return values by number, with -1 at the end for the number -1, and at 0, which no name has."""
    table = np.full(max(numbers, default=0) + 2, UNKNOWN, dtype=np.int64)
    for number, value in value_of.items():
        table[number] = value
    return table


def _words_of_log(log: Path) -> set[str]:
    """Return the words in the header of a log; its job lines must be numbers."""
    words: set[str] = set()
    with closing(LogText(log).blocks()) as blocks:
        for block in blocks:
            if NUMERIC.fullmatch(block):
                continue
            for line in block.split(b"\n"):
                if line.startswith(b";"):
                    words |= _words(line.decode())
                elif NUMERIC.fullmatch(line) is None:
                    raise InputError("the log is not anonymous: a job line must be numbers, but one is not")
    return words


def _words(text: str) -> set[str]:
    """Return the words of a text in small letters, also those between points."""
    words = {word.strip(".").lower() for word in WORD.findall(text)}
    return words | {part for word in words for part in word.split(".") if part}

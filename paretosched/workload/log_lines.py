"""The job lines and comment lines of a log.

Job lines are read by compiled code as long as their fields are plain numbers, as in all public logs. A block with
anything else is read by numpy, line by line, which decides what is a number, and finds the words of the messages.
Both give the same numbers, bit for bit. Some simulators append up to three columns to the 18 of the format, words or
numbers: they are kept as they are written, each different text once.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Int, Ints
from ..core.errors import InputError, in_quotes
from ..core.limits import check_limit, limits_in_force
from .records import Records, join_pieces, pack

JOB, SUBMIT, WAIT, RUN, ALLOCATED, CPU, MEMORY, WIDTH, ESTIMATE = range(9)
REQUESTED_MEMORY, STATUS, USER, GROUP, EXECUTABLE, QUEUE, PARTITION, PRECEDING, THINK = range(9, 18)
FIELDS = (
    ("job number", "a number"),
    ("submit time", "a number of seconds"),
    ("wait time", "a number of seconds"),
    ("run time", "a number of seconds"),
    ("number of allocated processors", "a number of processors"),
    ("mean CPU time", "a number of seconds"),
    ("used memory", "a number of kilobytes"),
    ("number of requested processors", "a number of processors"),
    ("requested time", "a number of seconds"),
    ("requested memory", "a number of kilobytes"),
    ("status", "a number"),
    ("user", "a number"),
    ("group", "a number"),
    ("executable", "a number"),
    ("queue", "a number"),
    ("partition", "a number"),
    ("preceding job", "a number"),
    ("think time", "a number of seconds"),
)
WHOLE_FIELDS = (JOB, ALLOCATED, WIDTH, STATUS, USER, GROUP, QUEUE)
LARGEST = 2.0**53  # float64 cannot hold all whole numbers above it
MOST_COLUMNS = 21
LISTED = b"{}"  # stands for any list in braces, such as that of the hosts of a job, which may be long
MOST_TEXT = 1 << 24  # bytes of the different texts of a column; one with more is of no use
TEXT_SIZE = 100  # bytes that a text takes beside its letters
BLANK = b" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0"  # what is white space in Latin-1, but not in bytes
ROWS = 1 << 15  # job lines that compiled code reads at a time
REMARKS = 1 << 10  # comment lines of the same
WORTH_COMPILED = 1 << 20  # bytes; a smaller text is read before numba is loaded


class Texts(NamedTuple):
    """A column of texts; with too many different ones it has none, and all codes are 0.

    Attributes
    ----------
    codes
        (n,) whole numbers, the place of each job's text in `texts`.
    texts
        The different texts.
    """

    codes: NDArray[Any]
    texts: tuple[str, ...]


class Log(NamedTuple):
    """A log before cleaning.

    Attributes
    ----------
    path
        The file, for messages.
    fields
        The fields of the jobs, (n, 18).
    line
        The line number of each job, (n,) whole numbers, less its row.
    header, header_line
        The comment lines without their semicolons, and their line numbers.
    more
        The columns behind the 18 of the format, which all lines have, or none has.
    """

    path: str
    fields: Records
    line: NDArray[Any]
    header: tuple[str, ...]
    header_line: tuple[int, ...]
    more: tuple[Texts, ...] = ()

    def where(self, row: int) -> int:
        """Return the line number of a job."""
        return int(self.line[row]) + int(row)


def parse_log(path: str, blocks: Iterable[bytes], worth_compiled: int | None = None) -> Log:
    """Return the log in blocks of text, each of which ends with a line.

    Parameters
    ----------
    path
        The file, for messages.
    blocks
        The text.
    worth_compiled
        Bytes of a block from which on compiled code is used; by default all, where numba is loaded already.

    Raises
    ------
    InputError
        A line does not begin with 18 numbers, has more than 21 columns, or others than the lines before; there is none;
        or the log is beyond a limit. The message names the line.
    """
    if worth_compiled is None:
        worth_compiled = 0 if "numba" in sys.modules else WORTH_COMPILED
    reader = _Reader(path)
    for block in blocks:
        if len(block) >= worth_compiled:
            reader.read_compiled(block)
        else:
            reader.read_exactly(block)
    return reader.log()


class _Reader:
    """Collects the lines of a log from its blocks."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.limits = limits_in_force()
        self.number = 0  # lines until now
        self.rows = 0
        self.pieces: list[list[NDArray[Any]]] = [[] for _ in FIELDS]
        self.line_pieces: list[NDArray[Any]] = []
        self.header: list[str] = []
        self.header_lines: list[int] = []
        self.header_size = 0
        self.messages: dict[int, str] = {}  # field to the message about its first number that is not whole
        self.columns = 0  # of all job lines; 0 before the first
        self.texts: list[dict[bytes, int] | None] = []  # of each column behind those of the format; None: too many
        self.code_pieces: list[list[NDArray[Any]]] = []
        self.space: tuple[Floats, Ints, Ints, NDArray[np.bool_], Ints] | None = None

    def read_compiled(self, block: bytes) -> None:
        """Read a block by compiled code, and from its first unusual line on by numpy."""
        from ..kernels.log_lines import DONE, TOO_LONG, UNUSUAL, read_lines

        if self.space is None:
            comments = np.empty((REMARKS, 3), dtype=np.int64)
            fractions = np.zeros(len(FIELDS), dtype=np.bool_)
            lines, rests = np.empty(ROWS, dtype=np.int64), np.empty((ROWS, 2), dtype=np.int64)
            self.space = np.empty((len(FIELDS), ROWS)), rests, lines, fractions, comments
        fields, rests, lines, fractions, comments = self.space
        text = np.frombuffer(block, dtype=np.uint8)
        position: Int = 0
        while True:
            fractions[:] = False
            position, line, rows, remarks, status = read_lines(
                text, position, self.number, self.limits.line, fields, rests, lines, fractions, comments
            )
            self.number = int(line)
            for first, end, number in comments[:remarks].tolist():
                self._remark(block[first:end], number)
            words: list[bytes] = []
            if (rests[:rows, 0] < rests[:rows, 1]).any():
                words = [block[first:end] for first, end in rests[:rows].tolist()]
            self._jobs(fields[:, :rows], words, lines[:rows], fractions)
            if status == TOO_LONG:
                check_limit(f"{self.path}:{self.number + 1}", "line", self.limits.line + 1)
            if status == UNUSUAL:
                self.read_exactly(block[position:])
            if status in (DONE, UNUSUAL):
                return

    def read_exactly(self, block: bytes) -> None:
        """Read a block by numpy."""
        rows: list[bytes] = []
        lines: list[int] = []
        for number, line in enumerate(block.splitlines(), self.number + 1):
            text = line.strip()
            if len(line) > self.limits.line:
                self._table(rows, lines)  # an earlier line may be the first fault
                check_limit(f"{self.path}:{number}", "line", len(line))
            if text.startswith(b";"):
                self._remark(text, number)
            elif text.strip(BLANK):
                rows.append(text)
                lines.append(number)
            self.number = number
        self._table(rows, lines)

    def _table(self, rows: Sequence[bytes], lines: Sequence[int]) -> None:
        """Add the job lines of a block."""
        if not rows:
            return
        words: list[bytes] = []
        fields = _numbers(rows)
        if fields is None or fields.shape[1] != len(FIELDS):
            if len(rows[0].split(None, MOST_COLUMNS)) <= len(FIELDS):  # no words behind: nothing to be split in memory
                raise InputError(_first_fault(self.path, rows, lines, self.columns))
            parts = [row.split(None, len(FIELDS)) for row in rows]
            words = [part[len(FIELDS)] if len(part) > len(FIELDS) else b"" for part in parts]
            fields = _numbers([b" ".join(part[: len(FIELDS)]) for part in parts])
        if fields is None or fields.shape[1] != len(FIELDS) or not np.all(np.abs(fields) < LARGEST):
            raise InputError(_first_fault(self.path, rows, lines, self.columns))
        self._jobs(fields.T, words, np.array(lines, dtype=np.int64), np.any(fields % 1 != 0, axis=0))

    def _jobs(self, fields: Floats, rests: Sequence[bytes], lines: Ints, fractions: NDArray[np.bool_]) -> None:
        """Add job lines.

        Parameters
        ----------
        fields
            (18, rows) their numbers.
        rests
            What is behind these in each line; empty if nothing is in any.
        lines
            (rows,) their line numbers.
        fractions
            (18,) whether a field may have fractions.
        """
        if not lines.size:
            return
        self._words(rests, lines)
        for place, whole in enumerate((~fractions).tolist()):
            self.pieces[place].append(pack(fields[place], whole=whole or None))
        self.line_pieces.append(pack(lines - np.arange(self.rows, self.rows + lines.size), whole=True))
        for place in WHOLE_FIELDS:
            if fractions[place] and place not in self.messages:
                rows = np.flatnonzero(fields[place] % 1)
                if rows.size:
                    what, fact = FIELDS[place][0], fields[place, rows[0]]
                    where = f"{self.path}:{lines[rows[0]]}"
                    self.messages[place] = f"{where}: {what} is {fact:g}, but must be a whole number"
        self.rows += lines.size
        check_limit(self.path, "jobs", self.rows)

    def _words(self, rests: Sequence[bytes], lines: Ints) -> None:
        """Add what is behind the numbers of job lines, and check that all have as many columns."""
        words = [rest.strip(BLANK).split() for rest in rests]
        if not self.columns:
            self.columns = len(FIELDS) + (len(words[0]) if words else 0)
            if self.columns > MOST_COLUMNS:
                raise InputError(_columns_fault(self.path, lines[0], len(FIELDS), self.columns))
            self.texts = [{} for _ in range(self.columns - len(FIELDS))]
            self.code_pieces = [[] for _ in self.texts]
        counts = np.fromiter(map(len, words or [[]]), dtype=np.int64) + len(FIELDS)
        wrong = np.flatnonzero(counts != self.columns)
        if wrong.size:
            raise InputError(_columns_fault(self.path, lines[wrong[0]], self.columns, int(counts[wrong[0]])))
        for place, (known, column) in enumerate(zip(self.texts, zip(*words, strict=True), strict=True)):
            if known is None:
                continue
            code_of = dict.fromkeys(column, 0)
            for text in code_of:
                code_of[text] = known.setdefault(LISTED if text.startswith(b"{") else text, len(known))
            codes = np.fromiter(map(code_of.__getitem__, column), dtype=np.int64, count=len(column))
            self.code_pieces[place].append(pack(codes, whole=True))
            if TEXT_SIZE * len(known) + sum(map(len, known)) > MOST_TEXT:
                self.texts[place], self.code_pieces[place] = None, []

    def _more(self) -> tuple[Texts, ...]:
        """Return the columns behind those of the format."""
        none = np.broadcast_to(np.int8(0), self.rows)
        return tuple(
            Texts(none, ()) if known is None else Texts(join_pieces(pieces), tuple(map(_decode, known)))
            for known, pieces in zip(self.texts, self.code_pieces, strict=True)
        )

    def _remark(self, text: bytes, number: int) -> None:
        """Add a comment line."""
        self.header_size += len(text)
        check_limit(f"{self.path}:{number}", "header", self.header_size)
        self.header.append(_decode(text.strip()[1:]).removeprefix(" "))
        self.header_lines.append(number)

    def log(self) -> Log:
        """Return the log; to be called once, since it frees its pieces on the way."""
        if not self.rows:
            raise InputError(f"{self.path}: a log needs at least one job line, but there is none")
        for place in WHOLE_FIELDS:
            if place in self.messages:
                raise InputError(self.messages[place])
        self.space = None
        columns = []
        for pieces in self.pieces:
            columns.append(join_pieces(pieces))
            pieces.clear()
        fields = Records(tuple(columns))
        line, header = join_pieces(self.line_pieces), tuple(self.header)
        return Log(self.path, fields, line, header, tuple(self.header_lines), self._more())


def _decode(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _numbers(rows: Sequence[bytes]) -> Floats | None:
    """Return the numbers of lines, (rows, columns); None if they are not equally many numbers each."""
    try:
        return np.loadtxt(rows, comments=None, encoding="latin-1", ndmin=2)
    except ValueError:
        return None


def _columns_fault(path: str, line: int | np.int64, right: int, count: int) -> str:
    """Return the message that a line has another number of columns."""
    return f"{path}:{line}: a job line must have {right} columns, but this one has {count}"


def _first_fault(path: str, rows: Sequence[bytes], lines: Sequence[int], columns: int) -> str:
    """Return a message about the first line that does not begin with 18 numbers, or has other columns than its log.

    It is slow, and called only if there is such a line. `columns` are those of the lines before; 0 if there are none.
    """
    for row, line in zip(rows, lines, strict=True):
        words = row.decode("latin-1").split()
        if not columns:
            columns = len(words) if len(FIELDS) <= len(words) <= MOST_COLUMNS else len(FIELDS)
        if len(words) != columns:
            return _columns_fault(path, line, columns, len(words))
        for word, (what, kind) in zip(words, FIELDS, strict=False):
            try:
                value = float(word.replace("_", "?"))
            except ValueError:
                value = np.nan
            if not np.isfinite(value):
                return f"{path}:{line}: {what} is {in_quotes(word)}, not {kind}"
            if abs(value) >= LARGEST:
                return f"{path}:{line}: {what} is {in_quotes(word)}, but must be below 2^53"
    return f"{path}: the job lines are not all numbers"

"""The job lines and comment lines of a log.

Job lines are read by compiled code as long as they are plain lists of numbers, as in all public logs. A block with
anything else is read by numpy, line by line, which decides what is a number, and finds the words of the messages.
Both give the same numbers, bit for bit.
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
BLANK = b" \t\n\r\v\f\x1c\x1d\x1e\x1f\x85\xa0"  # what is white space in Latin-1, but not in bytes
ROWS = 1 << 15  # job lines that compiled code reads at a time
REMARKS = 1 << 10  # comment lines of the same
WORTH_COMPILED = 1 << 20  # bytes; a smaller text is read before numba is loaded


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
    """

    path: str
    fields: Records
    line: NDArray[Any]
    header: tuple[str, ...]
    header_line: tuple[int, ...]

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
        A line is not 18 numbers, or there is none; or the log is beyond a limit. The message names the line.
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
        self.space: tuple[Floats, Ints, NDArray[np.bool_], Ints] | None = None

    def read_compiled(self, block: bytes) -> None:
        """Read a block by compiled code, and from its first unusual line on by numpy."""
        from ..kernels.log_lines import DONE, TOO_LONG, UNUSUAL, read_lines

        if self.space is None:
            comments = np.empty((REMARKS, 3), dtype=np.int64)
            fractions = np.zeros(len(FIELDS), dtype=np.bool_)
            self.space = np.empty((len(FIELDS), ROWS)), np.empty(ROWS, dtype=np.int64), fractions, comments
        fields, lines, fractions, comments = self.space
        text = np.frombuffer(block, dtype=np.uint8)
        position: Int = 0
        while True:
            fractions[:] = False
            position, line, rows, remarks, status = read_lines(
                text, position, self.number, self.limits.line, fields, lines, fractions, comments
            )
            self.number = int(line)
            for first, end, number in comments[:remarks].tolist():
                self._remark(block[first:end], number)
            self._jobs(fields[:, :rows], lines[:rows], fractions)
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
        try:
            fields = np.loadtxt(rows, comments=None, encoding="latin-1", ndmin=2)
        except ValueError:
            raise InputError(_first_fault(self.path, rows, lines)) from None
        if fields.shape[1] != len(FIELDS) or not np.all(np.abs(fields) < LARGEST):
            raise InputError(_first_fault(self.path, rows, lines))
        self._jobs(fields.T, np.array(lines, dtype=np.int64), np.any(fields % 1 != 0, axis=0))

    def _jobs(self, fields: Floats, lines: Ints, fractions: NDArray[np.bool_]) -> None:
        """Add job lines: their fields, (18, rows), their line numbers, and whether a field may have fractions."""
        if not lines.size:
            return
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
        return Log(self.path, fields, join_pieces(self.line_pieces), tuple(self.header), tuple(self.header_lines))


def _decode(text: bytes) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("latin-1")


def _first_fault(path: str, rows: Sequence[bytes], lines: Sequence[int]) -> str:
    """Return a message about the first line that is not 18 numbers; slow, and called only if there is such a line."""
    for row, line in zip(rows, lines, strict=True):
        words = row.decode("latin-1").split()
        if len(words) != len(FIELDS):
            return f"{path}:{line}: a job line must have {len(FIELDS)} columns, but this one has {len(words)}"
        for word, (what, kind) in zip(words, FIELDS, strict=True):
            try:
                value = float(word.replace("_", "?"))
            except ValueError:
                value = np.nan
            if not np.isfinite(value):
                return f"{path}:{line}: {what} is {in_quotes(word)}, not {kind}"
            if abs(value) >= LARGEST:
                return f"{path}:{line}: {what} is {in_quotes(word)}, but must be below 2^53"
    return f"{path}: the job lines are not all numbers"

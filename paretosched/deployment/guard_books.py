"""The books of a guarded order: which jobs there were since the deployment began, and what the last review said.

`deploy.books` is a file of JSON lines. The first one has what the last review said. Each pass adds a line: "set" has
what is new of jobs in the books, "gone" those that left the queue without running, "new" the others. A review writes
the file again without the jobs that are settled, so that it stays small. A last line that was cut off is dropped.

A job stands in the books from the second on in which only other jobs kept it waiting; before the deployment nothing is
known, and jobs that waited or ran then come in its first second. Rows are in the order in which jobs came.
"""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct

from ..core.errors import InputError
from ..core.files import exists, replacing
from ..core.typed_json import as_type
from ..workload.workload import WIDEST
from .ranking import NEWCOMERS
from .records import BOOKS, LATEST, add_text, drop_half_line, own_file
from .slurm_history import ENDED, RUNNING, WAITING, Life
from .slurm_queue import QueuedJob

FORMAT = "paretosched books 1"
MOST_ROWS = 200_000  # a review of so many takes a minute; then the comparison begins again
MOST_BYTES = 2**28  # of the file
CHUNK = 1000  # rows of a line when the file is written again
NONE = -1
LONGEST = 2**33  # s, of a request

NewRow = tuple[str, str, int, int, int, int, int, int]  # key, group, submit, request, width, start, end, EASY's start
SetRow = tuple[str, int, int, int, int]  # key, request, width, start, end


class Line(Struct, forbid_unknown_fields=True):
    """What a pass adds, at a Unix time."""

    time: int
    set: list[SetRow] = []
    gone: list[str] = []
    new: list[NewRow] = []


class Head(Struct, forbid_unknown_fields=True):
    """The first line.

    Attributes
    ----------
    begin, time
        Unix times: the begin of the comparison, and the last pass.
    terms
        What the comparison is of; another one begins again.
    policy, reviewed
        The policy in words, and the Unix time, of the last review; "" and `begin` before the first one.
    since
        Unix time before which EASY's starts stay as they are.
    sums, sums_of_all
        Over the settled jobs, see `Books` in `paretosched.kernels.guarded`, by group and of all.
    classes
        By group, after the last review.
    """

    format: str
    begin: int
    time: int
    terms: str
    policy: str
    reviewed: int
    since: int
    sums: dict[str, tuple[float, float, float, float]]
    sums_of_all: tuple[float, float, float, float]
    classes: dict[str, int]


class Answer(NamedTuple):
    """What a review says, see `Reviewed` in `paretosched.kernels.guarded_review`; times are Unix times."""

    time: int
    policy: str
    rows: Sequence[int]
    easy: Sequence[int]
    settled: int
    since: int
    sums: dict[str, tuple[float, float, float, float]]
    sums_of_all: tuple[float, float, float, float]
    classes: dict[str, int]


class GuardBooks:
    """The books in memory.

    Attributes
    ----------
    head
        What the last review said.
    time
        Unix time of the last pass.
    submit, request, width, start, end, easy, group
        A number for each row: s, Unix times (-1 is none), processors (0: it is gone), and places in `groups`.
    groups
        Names; the first one is NEWCOMERS, of which there are no jobs.
    live
        The row of each job that waits or runs, by its key.
    """

    def __init__(self, head: Head) -> None:
        self.head = head
        self.time = head.time
        self.groups: list[str] = [NEWCOMERS, *(name for name in head.sums if name != NEWCOMERS)]
        self._places = {name: place for place, name in enumerate(self.groups)}
        self.submit, self.request, self.width, self.group = (array("q") for _ in range(4))
        self.start, self.end, self.easy = (array("q") for _ in range(3))
        self.live: dict[str, int] = {}

    def apply(self, line: Line) -> None:
        """Take the line of a pass in.

        Raises
        ------
        InputError
            It is not about these books.
        """
        if not self.time <= line.time < LATEST:
            raise InputError(f'"time" must not be before {self.time}, but is {line.time}')
        for key, request, width, start, end in line.set:
            row = self._row(key)
            _check(self.submit[row], request, width, start, end)
            self.request[row], self.width[row], self.start[row], self.end[row] = request, width, start, end
            if end != NONE:
                del self.live[key]
        for key in line.gone:
            self.width[self._row(key)] = 0
            del self.live[key]
        last = self.submit[-1] if self.submit else self.head.begin
        for key, group, submit, request, width, start, end, easy in line.new:
            if not last <= submit <= line.time or key in self.live:
                raise InputError(f'"new" must have new jobs in the order in which they came, but has {key[:40]!r}')
            _check(submit, request, width, start, end)
            if easy != NONE and not submit <= easy <= line.time:
                raise InputError(f"a start under EASY must be a time between, but is {easy}")
            last = submit
            if end == NONE:
                self.live[key] = len(self.submit)
            self.group.append(self._place(group))
            for column, value in zip(
                (self.submit, self.request, self.width, self.start, self.end, self.easy),
                (submit, request, width, start, end, easy),
                strict=True,
            ):
                column.append(value)
        self.time = line.time

    def _row(self, key: str) -> int:
        if key not in self.live:
            raise InputError(f"job {key[:40]!r} is not in the books")
        return self.live[key]

    def _place(self, group: str) -> int:
        if group not in self._places:
            self._places[group] = len(self.groups)
            self.groups.append(group)
        return self._places[group]

    def rows_before(self, second: int) -> list[int]:
        """Return the rows of the jobs that came before a Unix time and are not gone."""
        return [row for row, submit in enumerate(self.submit) if submit < second and self.width[row]]

    def after(self, answer: Answer) -> GuardBooks:
        """Return the books after a review, without the rows that are settled."""
        for row, easy in zip(answer.rows, answer.easy, strict=True):
            self.easy[row] = easy
        first = answer.rows[answer.settled] if answer.settled < len(answer.rows) else _after(answer.rows)
        old = self.head
        head = Head(FORMAT, old.begin, self.time, old.terms, answer.policy, answer.time, answer.since,
                    answer.sums, answer.sums_of_all, answer.classes)  # fmt: skip
        after = GuardBooks(head)
        keys = {row: key for key, row in self.live.items()}
        rows = [self._new(row, keys.get(row, "")) for row in range(first, len(self.submit)) if self.width[row]]
        after.apply(Line(self.time, new=rows))
        return after

    def _new(self, row: int, key: str) -> NewRow:
        columns = (self.submit, self.request, self.width, self.start, self.end, self.easy)
        submit, request, width, start, end, easy = (column[row] for column in columns)
        return key, self.groups[self.group[row]], submit, request, width, start, end, easy

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the lines of the file, written again."""
        yield {name: getattr(self.head, name) for name in Head.__struct_fields__} | {"time": self.time}
        keys = {row: key for key, row in self.live.items()}
        rows = [row for row in range(len(self.submit)) if self.width[row]]
        for first in range(0, len(rows), CHUNK):
            yield {"time": self.time, "new": [self._new(row, keys.get(row, "")) for row in rows[first : first + CHUNK]]}


def _after(rows: Sequence[int]) -> int:
    return rows[-1] + 1 if rows else 0


def _check(submit: int, request: int, width: int, start: int, end: int) -> None:
    """Check the numbers of a row; raise InputError if they cannot be."""
    is_sound = 0 < request < LONGEST and 0 < width <= WIDEST and submit <= start < LATEST and start < end < LATEST
    waits_or_runs = end == NONE and 0 < request < LONGEST and 0 < width <= WIDEST
    if not is_sound and not (waits_or_runs and (start == NONE or submit <= start < LATEST)):
        raise InputError(f"a job cannot have request {request}, width {width}, start {start}, end {end}")


def new_books(now: int, terms: str) -> GuardBooks:
    """Return books that begin at a Unix time."""
    none = (0.0, 0.0, 0.0, 0.0)
    return GuardBooks(Head(FORMAT, now, now, terms, "", now, now, {NEWCOMERS: none}, none, {}))


class Manner(NamedTuple):
    """How jobs are written down.

    Attributes
    ----------
    is_ours
        Function that returns whether a job is one of those that are put in order.
    name_of
        Function that returns its group.
    width
        What counts as its width, one of WIDTHS.
    """

    is_ours: Callable[[QueuedJob], bool]
    name_of: Callable[[QueuedJob], str]
    width: str


class Guesses(NamedTuple):
    """How many ends of jobs were guessed, and how many jobs that waited were left out, because nobody knows more."""

    ends: int
    lost: int


def line_of(books: GuardBooks, now: int, lives: Iterable[Life], manner: Manner) -> tuple[Line, Guesses]:
    """Return what a pass adds to the books, and what was guessed of jobs of which Slurm remembers nothing.

    Parameters
    ----------
    books
        The books before.
    now
        Unix time of the pass, not before the last one. What happens later is not written down.
    lives
        What Slurm remembers; of a job with several lives those that started first come first.
    manner
        How jobs are written down.
    """
    writer = _Writer(books, now, manner)
    for life in lives:
        writer.note(life.at(now))
    guesses = writer.guess()
    return writer.line(), guesses


class _Writer:
    """Collects what a pass adds."""

    def __init__(self, books: GuardBooks, now: int, manner: Manner) -> None:
        self.books, self.now, self.manner = books, now, manner
        self.seen: set[str] = set()
        self.changed: dict[str, SetRow] = {}
        self.gone: dict[str, None] = {}
        self.come: list[tuple[tuple[int, int, int, int], NewRow]] = []

    def note(self, life: Life) -> None:
        """Note what is new of a job."""
        row = self.books.live.get(life.key)
        self.seen.add(life.key)
        if life.job.odd:
            return
        is_over = life.key in self.gone or (life.key in self.changed and self.changed[life.key][4] != NONE)
        if row is None or is_over:
            self._enter(life)
            return
        start = self.books.start[row]
        if life.phase == WAITING:
            if start != NONE:  # it was put back into the queue
                self._set(row, life, start, min(max(life.job.submit, start + 1), max(self.now, start + 1)))
                self._enter(life)
            elif life.is_free and self.manner.is_ours(life.job):
                self._set(row, life, NONE, NONE)
            else:
                self.gone[life.key] = None
            return
        begin, end = life.start, life.end
        if begin is None or (life.phase == ENDED and (end is None or end <= begin)):
            if start == NONE:
                self.gone[life.key] = None  # it never ran
            return
        if end is not None and end <= self.books.submit[row]:
            return  # an earlier life
        if start != NONE and begin > start:  # the life in the books has ended in between
            self._set(row, life, start, max(start + 1, min(life.job.submit, begin)))
            self._enter(life)
            return
        begin = start if start != NONE else max(begin, self.books.submit[row])
        self._set(row, life, begin, NONE if end is None else max(end, begin + 1))

    def _set(self, row: int, life: Life, start: int, end: int) -> None:
        books = self.books
        request, width = self._request(life, start), self._width(life)
        new = (request, width, start, end)
        if new != (books.request[row], books.width[row], books.start[row], books.end[row]):
            self.changed[life.key] = (life.key, *new)

    def _request(self, life: Life, start: int) -> int:
        """Return what is left of the request of a job at the start that it has in the books."""
        before = start - life.start if start != NONE and life.start is not None else 0
        return max(1, life.job.limit - max(0, before))

    def _width(self, life: Life) -> int:
        """Return the width of a job, as far as any machine goes: some ask for more."""
        return max(1, min(WIDEST, life.job.widths[self.manner.width]))

    def _enter(self, life: Life) -> None:
        """Note a job that is not in the books."""
        last, job = self.books.time, life.job
        begin, end = life.start, life.end
        is_past = life.phase == ENDED and (begin is None or end is None or end <= max(begin, last))
        if is_past or not self.manner.is_ours(job) or (life.phase == WAITING and not life.is_free):
            return
        eligible = max(last, job.submit if job.eligible is None else job.eligible)
        submit, start, until = min(eligible, self.now), NONE, NONE
        if life.phase in (RUNNING, ENDED) and begin is not None:
            start = max(begin, last)  # it has run since before the books began
            submit = min(submit, start)
            until = NONE if end is None else max(end, start + 1)
        width = self._width(life)
        request = self._request(life, start)
        row = (life.key, self.manner.name_of(job), submit, request, width, start, until, NONE)
        task = int(life.key.partition("_")[2] or 0)
        self.come.append(((submit, job.eligible or job.submit, int(life.key.partition("_")[0]), task), row))

    def guess(self) -> Guesses:
        """Note the jobs that Slurm has forgotten: those that ran ended halfway since the last pass."""
        books, ends, lost = self.books, 0, 0
        for key, row in books.live.items():
            if key in self.seen:
                continue
            start, request = books.start[row], books.request[row]
            if start == NONE:
                self.gone[key] = None
                lost += 1
            else:
                end = max(start + 1, min((books.time + self.now) // 2, start + request))
                self.changed[key] = (key, request, books.width[row], start, end)
                ends += 1
        return Guesses(ends, lost)

    def line(self) -> Line:
        """Return the line."""
        self.come.sort(key=lambda pair: pair[0])
        return Line(self.now, list(self.changed.values()), list(self.gone), [row for _, row in self.come])


# --- the file ---------------------------------------------------------------------------------------------------------


def read_books(folder: Path) -> GuardBooks | None:
    """Return the books in the folder of a deployment; None if there are none.

    Raises
    ------
    InputError
        The file cannot be read, or is damaged.
    """
    path = folder / BOOKS
    if not exists(path):
        return None
    number = 1
    try:
        with own_file(path, writes=True) as data:
            if drop_half_line(data) > MOST_BYTES:  # a daemon was killed while it wrote
                raise InputError(f"must have at most {MOST_BYTES:,} bytes, but has more")
        with own_file(path) as data, TextIOWrapper(data, "utf-8") as file:
            head = as_type(json.loads(file.readline() or "null"), Head)
            _check_head(head)
            books = GuardBooks(head)
            books.time = head.begin  # its lines have times of their own
            for text in file:
                number += 1
                books.apply(as_type(json.loads(text), Line))
            books.time = max(books.time, head.time)
    except OSError as error:
        raise InputError(f"{path}: cannot read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:  # an InputError is one, too; so is what json and UTF-8 say
        raise InputError(f"{path}:{number}: {error}; move it away to begin again") from None
    return books


def _check_head(head: Head) -> None:
    """Check the first line; raise InputError if it cannot be."""
    if head.format != FORMAT:
        raise InputError(f'"format" must be "{FORMAT}"')
    if not 0 <= head.begin <= min(head.time, head.reviewed, head.since) or max(head.time, head.reviewed) >= LATEST:
        raise InputError("the times must be Unix times, and none before the begin")
    if head.since > head.reviewed:
        raise InputError('"since" must not be after the last review')
    numbers = [number for four in (*head.sums.values(), head.sums_of_all) for number in four]
    if not all(math.isfinite(number) and number >= 0 for number in numbers):
        raise InputError("sums must be numbers from 0 on")
    if not all(0 <= number < LATEST for number in head.classes.values()):
        raise InputError("classes must be numbers from 0 on")


def write_books(folder: Path, books: GuardBooks) -> None:
    """Write the file again.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    with replacing(folder / BOOKS) as temporary, temporary.open("w", encoding="utf-8") as file:
        for line in books.lines():
            file.write(_json(line))


def add_line(folder: Path, line: Line) -> None:
    """Add the line of a pass to the file.

    Raises
    ------
    InputError
        The folder cannot be written.
    """
    path = folder / BOOKS
    values = {name: value for name in Line.__struct_fields__ if (value := getattr(line, name)) or name == "time"}
    try:
        add_text(path, _json(values))
    except OSError as error:
        raise InputError(f"{path}: cannot write here: {error.strerror}") from None


def _json(values: Mapping[str, Any]) -> str:
    return json.dumps(values, separators=(",", ":")) + "\n"

"""How the daemon runs a guarded order: it keeps the books, has them reviewed in time, and knows the groups' classes.

A review is a process that ends soon, see `guard_review`. The daemon waits for it for some seconds, and looks again in
the next pass if it takes longer. If it fails, or is late, the classes stay as they are, and it is tried again later.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..core.errors import InputError, in_quotes
from ..core.typed_json import as_type
from ..policies.guarded import Guarded, guarded_text
from .guard_books import (
    MOST_ROWS,
    Answer,
    GuardBooks,
    Manner,
    add_line,
    line_of,
    new_books,
    read_books,
    write_books,
)
from .guard_review import Request, Response
from .ranking import NEWCOMERS
from .slurm_answers import AGREEING
from .slurm_calls import SlurmError
from .slurm_groups import Grouping
from .slurm_history import ENDED, Life, read_accounting, read_history, read_room
from .slurm_queue import is_ours
from .slurm_settings import min_job_age, read_settings

AT_ONCE = 5.0  # s that a pass waits for a review
PATIENCE = 900.0  # s, then it is ended
LONG_AGO = 400 * 86_400  # s; there is more than a year of which the books know nothing
BACK = 3_600  # s; a clock that was set back by more was wrong before
FORGETFUL = 100  # s without a pass after which Slurm may have forgotten jobs: the shortest MinJobAge that is usual
MOST_BYTES = 2**27  # of an answer
SLURMDBD = "accounting_storage/slurmdbd"
Tell = Callable[[str], None]


class Site(NamedTuple):
    """What the books are of.

    Attributes
    ----------
    folder
        The folder of the deployment.
    partitions
        Names; none for all.
    width
        "cpus" or "nodes".
    is_dry
        Whether the daemon changes nothing.
    patience
        Seconds for which a pass waits for a review.
    """

    folder: Path
    partitions: tuple[str, ...]
    width: str
    is_dry: bool
    patience: float


class About(NamedTuple):
    """Which rows of the books, and which groups, are reviewed, at which Unix time, and for which policy in words."""

    rows: list[int]
    groups: list[str]
    time: int
    policy: str


class Child(NamedTuple):
    """A review that is computed, and until when, s of the monotonic clock."""

    process: subprocess.Popen[bytes]
    output: BinaryIO
    errors: BinaryIO
    about: About
    until: float


class Totals:
    """What the metrics count: reviews, those that failed, and what was guessed of jobs."""

    def __init__(self) -> None:
        self.reviews = 0
        self.failures = 0
        self.guesses = 0


class GuardKeeper:
    """The books of a daemon; made by `open_keeper`.

    Attributes
    ----------
    books
        The books; None before the first pass.
    totals
        What it has done.
    """

    def __init__(self, site: Site, books: GuardBooks | None, tell: Tell) -> None:
        self.site, self.books, self.tell = site, books, tell
        self.totals = Totals()
        self._child: Child | None = None
        self._tries = 0
        self._next_try = 0.0
        self._is_on_disk = True
        self._doubts = 0

    def keep(self, policy: Guarded, grouping: Grouping, now: int) -> dict[str, Any]:
        """Write down what is new, have it reviewed if it is time, and return what the log of the pass says of it.

        Parameters
        ----------
        policy, grouping
            The policy, and how jobs get its groups.
        now
            Unix time.

        Raises
        ------
        SlurmError
            Slurm does not answer.
        """
        site = self.site
        terms = json.dumps([site.is_dry, site.width, sorted(site.partitions), grouping.words])
        books = self.books
        why = "" if books is None else _why_anew(books, terms, now)
        if books is None or why:
            if why:
                self.tell(f"the comparison with EASY begins again: {why}")
            self._drop_child()
            books = self.books = new_books(now, terms)
            self._is_on_disk = False
        now = max(now, books.time)
        manner = Manner(lambda job: is_ours(job, site.partitions), grouping.name, site.width)
        lives, is_doubtful = self._lives(now)
        self._doubts = self._doubts + 1 if is_doubtful else 0
        if 0 < self._doubts < AGREEING:  # the next passes ask again before ends are guessed
            return {"classes": self.classes(policy)}
        self._doubts = 0
        line, guesses = line_of(books, now, lives, manner)
        books.apply(line)
        if guesses.ends or guesses.lost:
            self.totals.guesses += guesses.ends + guesses.lost
            self.tell(
                f"Slurm has forgotten jobs that ended since the last pass: the ends of {guesses.ends:,} are guessed, "
                f"and {guesses.lost:,} that waited are left out of the books"
            )
        self._save(lambda: add_line(site.folder, line))
        record = self._review(policy, now)
        return record | {"classes": self.classes(policy)}

    def classes(self, policy: Guarded) -> dict[str, int]:
        """Return the classes of the groups by the last review; {} before the first one, or one of another policy."""
        if self.books is None or self.books.head.policy != guarded_text(policy):
            return {}
        return self.books.head.classes

    def numbers(self) -> dict[str, tuple[str, float, str]]:
        """Return what the metrics say of the books: by name the kind, the value, and what it is."""
        books, totals = self.books, self.totals
        numbers: dict[str, tuple[str, float, str]] = {
            "reviews_total": ("counter", totals.reviews, "comparisons with EASY"),
            "review_failures_total": ("counter", totals.failures, "comparisons that failed"),
            "guessed_jobs_total": ("counter", totals.guesses, "jobs of which Slurm had forgotten how they ended"),
        }
        if books is not None:
            numbers |= {
                "open_jobs": ("gauge", len(books.submit), "jobs of which the next comparison needs more than sums"),
                "last_review_timestamp_seconds": ("gauge", books.head.reviewed, "Unix time of the last comparison"),
            }
        return numbers

    def close(self) -> None:
        """End a review that is computed."""
        self._drop_child()

    def _save(self, write: Callable[[], None]) -> None:
        """Write the books; that they cannot be written is no reason to stop. Then they are written as a whole later."""
        try:
            if self._is_on_disk:
                write()
            elif self.books is not None:
                write_books(self.site.folder, self.books)
            self._is_on_disk = True
        except InputError as error:
            self._is_on_disk = False
            self.tell(str(error))

    def _lives(self, now: int) -> tuple[list[Life], bool]:
        """Return what Slurm remembers: by squeue, and where that may have forgotten jobs, by sacct.

        It is doubtful if squeue lists no job at all, and jobs of the books have not ended by sacct.
        """
        lives, books = read_history(), self.books
        if books is None:
            return lives, False
        missing = books.live.keys() - {life.key for life in lives}
        if not missing and now - books.time < FORGETFUL:
            return lives, False
        settings = read_settings()
        age = min_job_age(settings)
        is_forgotten = missing or (age and now - books.time >= age)
        if not is_forgotten or settings.get("AccountingStorageType") != SLURMDBD:
            return lives, bool(missing) and not lives
        try:
            recorded = read_accounting(books.time, now)
        except (SlurmError, InputError) as error:
            self.tell(str(error))
            return lives, bool(missing) and not lives
        known = {(life.key, life.start) for life in lives}
        ends = [x for x in recorded if x.phase == ENDED and (x.key, x.start) not in known]
        return ends + lives, bool(missing - {life.key for life in ends}) and not lives

    def _review(self, policy: Guarded, now: int) -> dict[str, Any]:
        """Start a review if it is time, and take what one says; return what the log says of it."""
        books = self.books
        assert books is not None  # noqa: S101  # keep has made them
        text = guarded_text(policy)
        due = books.head.begin + (now - books.head.begin) // policy.review * policy.review
        is_new = due > books.head.reviewed or (due > books.head.begin and books.head.policy != text)
        if self._child is None and is_new and time.monotonic() >= self._next_try:
            try:
                self._child = self._start(policy, due)
            except (OSError, SlurmError) as error:
                return self._note_failure(policy, str(error))
        child = self._child
        if child is None:
            return {}
        with suppress(subprocess.TimeoutExpired):
            child.process.wait(min(self.site.patience, max(0.0, child.until - time.monotonic())))
        if child.process.poll() is None:
            return {} if time.monotonic() < child.until else self._note_failure(policy, f"no end after {PATIENCE:g} s")
        try:
            response = _response(child)
        except InputError as error:
            return self._note_failure(policy, str(error))
        self._drop_child()
        self._tries, self._next_try = 0, 0.0
        self.totals.reviews += 1
        self.books = books.after(answer_of(child.about, response))
        self._is_on_disk = False
        self._save(lambda: None)
        return {"reviewed": child.about.time, "of_easy": _ratios(child.about.groups, response)}

    def _note_failure(self, policy: Guarded, why: str) -> dict[str, Any]:
        """Leave the classes as they are, and say why and when the review is tried again."""
        self._drop_child()
        self._tries += 1
        self.totals.failures += 1
        pause = min(60.0 * 2.0 ** min(self._tries, 20), float(policy.review))
        self._next_try = time.monotonic() + pause
        self.tell(f"the review failed: {why}; the classes of the groups stay as they are; next try in {pause:g} s")
        return {"review_failed": why}

    def _start(self, policy: Guarded, due: int) -> Child:
        """Return a process that reviews the books before a Unix time."""
        assert self.books is not None  # noqa: S101  # keep has made them
        about, request = request_of(self.books, policy, due, read_room(self.site.width, self.site.partitions))
        text = json.dumps({name: getattr(request, name) for name in Request.__struct_fields__})
        root = str(Path(__file__).resolve().parents[2])
        environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "OPENBLAS_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
        with _nameless(self.site.folder) as given:
            given.write(text.encode())
            given.seek(0)
            output, errors = _nameless(self.site.folder), _nameless(self.site.folder)
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "paretosched.deployment.guard_review"],
                stdin=given,
                stdout=output,
                stderr=errors,
                env=environment,
                start_new_session=True,  # Ctrl-C is for the daemon
            )
        return Child(process, output, errors, about, time.monotonic() + PATIENCE)

    def _drop_child(self) -> None:
        """End the process of a review, and close its files."""
        child, self._child = self._child, None
        if child is not None:
            if child.process.poll() is None:
                child.process.kill()
            child.process.wait()
            child.output.close()
            child.errors.close()


def open_keeper(site: Site, tell: Tell) -> GuardKeeper:
    """Return the keeper of the books in a folder; it goes on from those that are there.

    Raises
    ------
    InputError
        The books are damaged.
    """
    return GuardKeeper(site, read_books(site.folder), tell)


def _why_anew(books: GuardBooks, terms: str, now: int) -> str:
    """Return why books cannot be gone on with in a pass on these terms; "" if they can."""
    if books.head.terms != terms:
        return "it was made for other jobs or groups"
    if len(books.submit) > MOST_ROWS:
        return f"more than {MOST_ROWS:,} jobs are open"
    if books.time - now > BACK:
        return f"the clock was {books.time - now:,} s ahead at the last pass"
    if now - books.time > LONG_AGO:
        return f"the last pass was {now - books.time:,} s ago, or the clock was behind"
    return ""


def _nameless(folder: Path) -> BinaryIO:
    """Return a file in a folder that has no name any more, so that nothing is left of it."""
    path = folder / f".deploy.{os.urandom(6).hex()}"
    file = path.open("x+b")
    path.unlink()
    return file


def _response(child: Child) -> Response:
    """Return what a process has said that has ended.

    Raises
    ------
    InputError
        It has failed, or not said what it should.
    """
    child.errors.seek(0)
    child.output.seek(0)
    if child.process.returncode != 0:
        lines = child.errors.read(2**16).decode("utf-8", "replace").strip().splitlines()
        raise InputError(f"status {child.process.returncode}{f': {in_quotes(lines[-1], 200)}' if lines else ''}")
    try:
        response = as_type(json.loads(child.output.read(MOST_BYTES)), Response)
    except ValueError as error:  # an InputError is one, too
        raise InputError(str(error)) from None
    groups, jobs = len(child.about.groups), len(child.about.rows)
    shapes = {(len(table), len(row)) for table in (response.sums, response.now) for row in table}
    is_sound = len(response.classes) == groups and len(response.easy) == jobs and shapes == {(4, groups + 1)}
    if not is_sound or not 0 <= response.settled <= jobs:
        raise InputError("the review is not of these books")
    return response


def request_of(books: GuardBooks, policy: Guarded, due: int, room: int) -> tuple[About, Request]:
    """Return what a review at a Unix time needs of the books; `room` processors are up."""
    rows, head = books.rows_before(due), books.head
    guard = policy.guard(books.groups)
    none = (0.0, 0.0, 0.0, 0.0)
    sums = [*(head.sums.get(name, none) for name in books.groups), head.sums_of_all]

    def pick(column: Sequence[int]) -> list[int]:
        return [column[row] for row in rows]

    request = Request(
        time=due,
        begin=head.begin,
        room=room,
        guard=guard._asdict() | {"classes": guard.classes.tolist()},
        submit=pick(books.submit),
        request=pick(books.request),
        width=pick(books.width),
        start=pick(books.start),
        end=pick(books.end),
        group=pick(books.group),
        easy=pick(books.easy),
        since=head.since,
        sums=[list(row) for row in zip(*sums, strict=True)],
    )
    return About(rows, list(books.groups), due, guarded_text(policy)), request


def answer_of(about: About, response: Response) -> Answer:
    """Return what the books keep of a review."""
    columns: list[tuple[float, float, float, float]] = [
        (real, easy, used, requested) for real, easy, used, requested in zip(*response.sums, strict=True)
    ]
    sums = dict(zip(about.groups, columns[:-1], strict=True))
    return Answer(
        about.time,
        about.policy,
        about.rows,
        response.easy,
        response.settled,
        response.since,
        {name: four for name, four in sums.items() if any(four) or name == NEWCOMERS},
        columns[-1],
        dict(zip(about.groups, response.classes, strict=True)),
    )


def _ratios(groups: Sequence[str], response: Response) -> dict[str, float]:
    """Return how many times EASY's the AWRT is, of all jobs ("") and by group."""
    real, easy = response.now[:2]
    pairs = zip((*groups, NEWCOMERS), real, easy, strict=True)
    return {name: round(mine / theirs, 6) for name, mine, theirs in pairs if theirs > 0}

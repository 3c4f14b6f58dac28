"""A machine on which the daemon's own code decides under a guarded order, second by second: books, reviews, order."""

from collections.abc import Callable
from pathlib import Path

from paretosched import Guarded, Workload
from paretosched.deployment.guard_books import (
    GuardBooks,
    Line,
    Manner,
    add_line,
    line_of,
    new_books,
    read_books,
    write_books,
)
from paretosched.deployment.guard_keeper import answer_of, request_of
from paretosched.deployment.guard_review import review_of
from paretosched.deployment.ranking import order_of
from paretosched.deployment.slurm_groups import Grouping
from paretosched.deployment.slurm_history import ENDED, RUNNING, WAITING, Life
from paretosched.deployment.slurm_queue import WIDTHS, QueuedJob
from support import naive
from support.naive import Job, Started

EPOCH = 1_700_000_000
Seen = Callable[[int, dict[int, int], dict[str, int]], None]


def job_in(w: Workload, job: Job) -> QueuedJob:
    """Return what Slurm would say of a job."""
    account, when = w.groups[job.group], EPOCH + job.arrival
    widths = dict.fromkeys(WIDTHS, job.width)
    return QueuedJob(
        job.row + 1, True, "ann", account, "normal", ("main",), widths, job.estimate, EPOCH + int(w.submit[job.row]),
        when, False, "",
    )  # fmt: skip


def life_of(w: Workload, job: Job, start: int | None, t: int) -> Life:
    """Return what Slurm would remember of a job in second t."""
    key, asked = str(job.row + 1), job_in(w, job)
    if start is None:
        return Life(key, asked, WAITING, True, None, None)
    end = start + job.run
    if end > t:
        return Life(key, asked, RUNNING, False, EPOCH + start, None)
    return Life(key, asked, ENDED, False, EPOCH + start, EPOCH + end)


def by_account(policy: Guarded) -> Grouping:
    """Return the rule by which an account is a group."""
    groups = (*policy.first, "other")
    place = {name: number for number, name in enumerate(groups)}
    return Grouping(groups, lambda job: place.get(job.account, len(groups) - 1), "accounts", frozenset(), "account")


def start_times(w: Workload, policy: Guarded, folder: Path, reviewed: Seen, kill_every: int = 0) -> list[int]:
    """Return the start times of all jobs on such a machine.

    `reviewed` is called after each review with its second, the start times until then, and the classes. After each
    `kill_every` passes the daemon is killed, and goes on from its file.
    """
    jobs = naive.jobs_of(w)
    first = jobs[0].arrival
    start: dict[int, int] = {}
    grouping = by_account(policy)
    manner = Manner(lambda job: True, grouping.name, "cpus")
    books = new_books(EPOCH + first, "")
    write_books(folder, books)
    passes = 0

    def choose(t: int, waiting: list[Job], running: list[Started], capacity: int) -> list[Job]:
        nonlocal books, passes
        now, passes = EPOCH + t, passes + 1
        lives = [life_of(w, job, start.get(job.row), t) for job in jobs if job.arrival <= t]
        line, guesses = line_of(books, now, lives, manner)
        assert guesses == (0, 0)
        books.apply(line)
        add_line(folder, line)
        due = books.head.begin + (now - books.head.begin) // policy.review * policy.review
        if due > books.head.reviewed:
            about, request = request_of(books, policy, due, w.capacity)
            books = books.after(answer_of(about, review_of(request)))
            write_books(folder, books)
            reviewed(due - EPOCH, dict(start), books.head.classes)
        if kill_every and passes % kill_every == 0:
            books = again(folder, books)
        classes = books.head.classes or None
        asked = [job_in(w, job) for job in waiting]
        order = order_of(policy, asked, grouping, "cpus", now, EPOCH + first, "UTC", (), classes).ids
        place = {number - 1: i for i, number in enumerate(order)}
        started = naive.easy(t, sorted(waiting, key=lambda job: place[job.row]), running, capacity)
        start.update({job.row: t for job in started})
        return started

    return naive.run(jobs, w.capacity, lambda t, waiting: waiting, choose)


def again(folder: Path, books: GuardBooks) -> GuardBooks:
    """Return the books as a new daemon reads them; they must be the same."""
    read = read_books(folder)
    assert read is not None
    assert [*read.lines()] == [*books.lines()]
    assert (read.live, read.groups, read.time) == (books.live, books.groups, books.time)
    return read


__all__ = ["EPOCH", "Line", "again", "by_account", "life_of", "job_in", "start_times"]

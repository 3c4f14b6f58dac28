"""The jobs in Slurm's queue: what squeue says of them, and which of them a daemon may put in order."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..core.errors import InputError, in_quotes
from ..workload.slurm_conf import KIB, kilobytes_in
from ..workload.workload import WIDEST
from .records import LATEST
from .slurm_calls import OF_JOBS, SlurmError, call

# What squeue -O is asked for. The account comes last: without slurmdbd it is any text that a user likes.
FIELDS = (
    "JobID",
    "HetJobID",
    "ArrayJobID",
    "State",
    "UserName",
    "Partition",
    "QOS",
    "NumCPUs",
    "NumNodes",
    "tres-alloc",
    "TimeLimit",
    "SubmitTime",
    "EligibleTime",
    "PriorityLong",
    "Reservation",
    "Nice",
    "Account",
)
MOST_JOBS = 200_000  # more than site factors have places
DIGITS = 11  # of a number of processors; more are beyond WIDEST in any case
MOST_MEMORY = 2**40  # MiB; a job that asks for more waits for ever
NO_LIMIT = 525_600 * 60  # s, a year: what Slurm itself takes for a job without a limit
NONE = ("", "(null)", "N/A", "None", "Unknown")
WIDTHS = ("cpus", "nodes", "gpus", "billing")
UNREADABLE = 0  # no job has this number
LINE = re.compile(r"[^\n]+")
NUMBER = re.compile(r"\d{1,12}", re.ASCII)
FACTOR = re.compile(r"\s*(\d{1,12})\|\s*(-?\d{1,12})\s*", re.ASCII)  # of a job, as sprio has it


class QueuedJob(NamedTuple):
    """A job in the queue: a job array is one, and so are all parts of a heterogeneous job.

    Attributes
    ----------
    id
        The number by which scontrol changes it.
    pending
        Whether it waits.
    user, account, qos
        Names; "" where there is none.
    partitions
        Names of the partitions in which it may run.
    widths
        By name of WIDTHS: how many it requests; 0 where that is unknown.
    limit
        Its time limit, s.
    submit, eligible
        Unix times; `eligible` is None while it is held or depends on another job.
    is_held
        Whether a user or an administrator holds it.
    reservation
        The name of its reservation; "" without one.
    memory, nodes, nice
        What it requests, as `paretosched.workload.requests` has it: MiB, nodes, and its nice value.
    array
        The number by which scontrol changes all tasks of its array, also those that run; its own, if it is in none.
    odd
        What of its line cannot be; then it is left alone. "" if all can be.
    """

    id: int
    pending: bool
    user: str
    account: str
    qos: str
    partitions: tuple[str, ...]
    widths: dict[str, int]
    limit: int
    submit: int
    eligible: int | None
    is_held: bool
    reservation: str
    memory: int = 0
    nodes: int = 1
    nice: int = 0
    array: int = 0
    odd: str = ""

    @property
    def gpus(self) -> int:
        """Return how many GPUs it requests."""
        return self.widths["gpus"]


def read_queue() -> list[QueuedJob]:
    """Return the jobs that squeue lists: those that wait, run or are suspended; some may be odd.

    Every field ends with a mark that is drawn for the call, so that no text of a user can look like another field.

    Raises
    ------
    SlurmError
        squeue does not answer, or not as expected.
    InputError
        There is no squeue.
    """
    mark = new_mark()
    fields = ",".join(f"{field}:{mark}" for field in FIELDS)
    return jobs_in(call(["squeue", "-a", "-h", "-O", fields], most=OF_JOBS).text, mark)


def new_mark() -> str:
    """Return what stands behind every field of squeue in one call."""
    return f"~{os.urandom(6).hex()}~"  # a digit at its beginning would be the size of a field; without, it has none


def jobs_in(text: str, mark: str) -> list[QueuedJob]:
    r"""Return the jobs in an output of squeue with the fields FIELDS.

    Parameters
    ----------
    text
        The output.
    mark
        What stands behind every field.

    Raises
    ------
    SlurmError
        It is not such an output, all its jobs are odd, or there are too many.

    Examples
    --------
    >>> words = ["7", "N/A", "7", "PENDING", "ann", "main", "normal", "4", "1", "cpu=4,node=1", "1-00:00:00", "100"]
    >>> job, = jobs_in("|".join([*words, "130", "1", "(null)", "0", "physics"]) + "|\n", "|")
    >>> job.id, job.widths["cpus"], job.limit, job.eligible, job.account
    (7, 4, 86400, 130, 'physics')
    """
    jobs: dict[int, QueuedJob] = {}
    lines = [(job_of(cells), cells["HetJobID"] in NONE) for cells in cells_in(text, mark, FIELDS)]
    if lines and all(job.odd for job, _ in lines):
        raise SlurmError(f"squeue: {lines[0][0].odd}")
    waiting = {job.id for job, _ in lines if job.pending}
    for job, is_task in lines:
        # a change of an array is one of all its tasks, also of those that have lines of their own
        number = job.array if job.pending and job.array in waiting else job.id
        part = job if number == job.id else job._replace(id=number)
        jobs[number] = join(jobs[number], part, is_task) if number in jobs else part
    return list(jobs.values())


def cells_in(text: str, mark: str, fields: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the cells of each line of an output of squeue, by field.

    Parameters
    ----------
    text, mark
        The output, and what stands behind every field.
    fields
        Those that squeue was asked for.

    Raises
    ------
    SlurmError
        It is not such an output, or has too many jobs.
    """
    cells: list[str] = []
    begin, jobs = 0, 0
    while (end := text.find(mark, begin)) >= 0:  # cell by cell: all cells together are many times as large as the text
        cells.append(text[begin:end].strip())
        begin = end + len(mark)
        if len(cells) == len(fields):
            jobs += 1
            if jobs > MOST_JOBS:
                raise SlurmError(f"squeue: more than {MOST_JOBS:,} jobs")
            yield dict(zip(fields, cells, strict=True))
            cells = []
    if cells or text[begin:].strip():
        raise SlurmError("squeue: its output does not have the fields that it was asked for")


def job_of(cells: Mapping[str, str]) -> QueuedJob:
    """Return the job of a line; if a cell is not what it must be, an odd one that only has its numbers."""
    try:
        return _sound_job(cells)
    except ValueError as error:
        numbers = (cells[field] for field in ("JobID", "HetJobID", "ArrayJobID"))
        own, het, array = (int(text) if NUMBER.fullmatch(text) else UNREADABLE for text in numbers)
        number, is_pending = het or own, cells["State"] == "PENDING"
        return QueuedJob(number, is_pending, "", "", "", (), dict.fromkeys(WIDTHS, 0), NO_LIMIT, 0, None, True, "",
                         array=array or number, odd=str(error))  # fmt: skip


def _sound_job(cells: Mapping[str, str]) -> QueuedJob:
    """Return the job of a line; raise ValueError if a cell is not what it must be."""
    name = {key: "" if value in NONE else value for key, value in cells.items()}
    tres = dict(part.partition("=")[::2] for part in name["tres-alloc"].split(","))
    widths = {
        "cpus": _first_number(cells["NumCPUs"]),
        "nodes": _first_number(cells["NumNodes"]),
        "gpus": _first_number(tres.get("gres/gpu", "0")),
        "billing": _first_number(tres.get("billing", "0")),
    }
    return QueuedJob(
        _number(name["HetJobID"] or name["JobID"]),
        cells["State"] == "PENDING",
        sys.intern(name["UserName"]),
        sys.intern(name["Account"]),
        sys.intern(name["QOS"]),
        tuple(map(sys.intern, name["Partition"].split(","))),
        widths,
        seconds_of(cells["TimeLimit"]),
        _time(cells["SubmitTime"]),
        _time(name["EligibleTime"]) if name["EligibleTime"] else None,
        cells["PriorityLong"] == "0",
        name["Reservation"],
        _mebibytes(tres.get("mem", "0")),
        _first_number(tres.get("node", cells["NumNodes"])),
        _whole(cells["Nice"]),
        _number(name["ArrayJobID"] or name["HetJobID"] or name["JobID"]),
    )


def join(job: QueuedJob, part: QueuedJob, is_task: bool = False) -> QueuedJob:
    """Return a heterogeneous job with one more part, or an array with tasks that have a line of their own.

    What would have one part be left alone is true of the whole: another partition, a reservation, that it is held or
    cannot run yet. The processors of parts add up, those of tasks do not.
    """
    both = (job.eligible, part.eligible)
    most = {"memory": MOST_MEMORY, "nodes": WIDEST}
    asked = {name: min(m, getattr(job, name) + getattr(part, name)) for name, m in most.items() if not is_task}
    return job._replace(
        **asked,
        widths={name: min(WIDEST, job.widths[name] + (0 if is_task else part.widths[name])) for name in WIDTHS},
        limit=max(job.limit, part.limit),
        is_held=job.is_held or part.is_held,
        partitions=tuple(dict.fromkeys((*job.partitions, *part.partitions))),
        reservation=job.reservation or part.reservation,
        eligible=None if None in both else max(second for second in both if second is not None),
        odd=job.odd or part.odd,
    )


def _first_number(text: str) -> int:
    """Return the number with which a text begins: of a range, such as 2-4, the smallest; 2K is 2000.

    It is WIDEST at most: Slurm lets a user ask for more than any machine has, and such a job waits for ever.
    """
    match = re.match(r"(\d+)(K?)", text, re.ASCII)
    if match is None:
        raise ValueError(f"a number of processors or nodes is {text[:40]!r}")
    return min(WIDEST, int(match[1][:DIGITS]) * (1000 if match[2] else 1))


def _number(text: str) -> int:
    """Return the number of a job."""
    if not NUMBER.fullmatch(text):
        raise ValueError(f"a number is {text[:40]!r}")
    return int(text)


def _time(text: str) -> int:
    """Return a Unix time that the files of a deployment can have."""
    second = _number(text)
    if second >= LATEST:
        raise ValueError(f"a number of seconds is {text!r}")
    return second


def _whole(text: str) -> int:
    """Return a whole number that may have a sign."""
    if not re.fullmatch(r"-?\d{1,10}", text, re.ASCII):
        raise ValueError(f"a nice value is {text[:40]!r}")
    return int(text)


def _mebibytes(text: str) -> int:
    """Return a size of memory such as 4000M or 1.5G in MiB, rounded up; 0 if it is written otherwise."""
    return min(-(-(kilobytes_in(text) or 0) // KIB), MOST_MEMORY)


def seconds_of(text: str) -> int:
    """Return a time limit as Slurm writes it, [days-][[hours:]minutes:]seconds, in seconds.

    It is a year if there is none, or a longer one, which squeue calls INVALID.

    Raises
    ------
    ValueError
        It is none.

    Examples
    --------
    >>> seconds_of("2-01:00:00"), seconds_of("10:00"), seconds_of("UNLIMITED")
    (176400, 600, 31536000)
    """
    if text.upper() in {"UNLIMITED", "NOT_SET", "PARTITION_LIMIT", "INVALID", "INFINITE", ""} or text in NONE:
        return NO_LIMIT
    days, dash, clock = text.rpartition("-")
    if not re.fullmatch(r"\d{1,9}(:\d{1,9}){0,2}", clock, re.ASCII) or (
        dash and not re.fullmatch(r"\d{1,9}", days, re.ASCII)
    ):
        raise ValueError(f"a time limit is {text[:40]!r}")
    total = 0
    for number in clock.split(":"):
        total = total * 60 + int(number)
    return min(NO_LIMIT, max(1, total + 86_400 * int(days or 0)))


def numbers_in_use(jobs: Iterable[QueuedJob]) -> set[int]:
    """Return the numbers by which scontrol can change jobs; an array has one as long as one of its tasks is there."""
    return {number for job in jobs for number in (job.id, job.array)}


def is_ours(job: QueuedJob, partitions: Collection[str]) -> bool:
    """Return whether a job has no reservation, and can run in these partitions only; without any, in all.

    An odd one is not ours: nobody knows.
    """
    return not job.odd and not job.reservation and (not partitions or set(job.partitions) <= set(partitions))


def to_order(jobs: Iterable[QueuedJob], now: int, partitions: Collection[str]) -> list[QueuedJob]:
    """Return the jobs that a daemon puts in order, by when they could run first, then by their numbers.

    They wait, could run at once if there was room, are not held, and use no reservation.

    Parameters
    ----------
    jobs
        The queue.
    now
        Unix time.
    partitions
        Names; none for all partitions. A job that may also run elsewhere is left alone.
    """
    eligible = [
        job
        for job in jobs
        if job.pending
        and not job.is_held
        and job.eligible is not None
        and job.eligible <= now
        and is_ours(job, partitions)
    ]
    return sorted(eligible, key=lambda job: (job.eligible or 0, job.id))


class SiteFactors(NamedTuple):
    """What sprio says: the site factor of each job that could run, by number, and the jobs whose line cannot be."""

    known: dict[int, int]
    odd: frozenset[int] = frozenset()


def read_site_factors() -> SiteFactors:
    """Return the site factors that sprio lists.

    Raises
    ------
    SlurmError
        sprio does not answer, or not as expected.
    """
    return factors_in(call(["sprio", "-h", "-o", "%i|%S"], most=OF_JOBS).text)


def factors_in(text: str) -> SiteFactors:
    r"""Return the site factors in an output of sprio.

    Raises
    ------
    SlurmError
        No line of it is one of a job, or there are too many.

    Examples
    --------
    >>> factors_in("7|100\n8|x\n")
    SiteFactors(known={7: 100}, odd=frozenset({8}))
    """
    factors: dict[int, int] = {}
    odd: dict[int, str] = {}
    for count, line in enumerate(LINE.finditer(text), 1):
        if count > MOST_JOBS:
            raise SlurmError(f"sprio: more than {MOST_JOBS:,} jobs")
        if match := FACTOR.fullmatch(line[0]):
            factors[int(match[1])] = int(match[2])
        elif line[0].strip():
            number = line[0].partition("|")[0].strip()
            odd[int(number) if NUMBER.fullmatch(number) else UNREADABLE] = line[0]
    if odd and not factors:
        raise SlurmError(f"sprio: a line is {in_quotes(next(iter(odd.values())), 60)}")
    return SiteFactors(factors, frozenset(odd))


def check_partitions(partitions: Collection[str]) -> None:
    """Check that there are partitions of these names.

    Raises
    ------
    InputError
        There is no such partition.
    SlurmError
        sinfo does not answer.
    """
    known = set(call(["sinfo", "-a", "-h", "-o", "%R"]).text.split())
    for name in partitions:
        if name not in known:
            raise InputError(f"--partition: there is no partition {name}; there are {', '.join(sorted(known))}")

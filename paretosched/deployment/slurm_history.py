"""What Slurm remembers of jobs: those that wait or run, and those that have ended lately; for the books of a guard.

squeue lists a job that has ended for MinJobAge, five minutes by default. What ended before is asked of sacct, where
slurmdbd keeps it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .slurm_calls import OF_JOBS, SlurmError, call
from .slurm_queue import FIELDS, LINE, MOST_JOBS, NONE, QueuedJob, cells_in, job_of, join

HISTORY = (*FIELDS[:-1], "JobArrayID", "StartTime", "EndTime", "Reason", FIELDS[-1])  # of squeue -O
COLUMNS = (
    "JobID",
    "State",
    "User",
    "Partition",
    "QOS",
    "NCPUS",
    "NNodes",
    "TimelimitRaw",
    "Submit",
    "Eligible",
    "Start",
    "End",
    "Reservation",
    "Account",
)  # of sacct -o
WAITING, RUNNING, ENDED = range(3)
RUNS = {"RUNNING", "SUSPENDED", "CONFIGURING", "STOPPED", "RESIZING", "SIGNALING"}
WAITS = {"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "RESV_DEL_HOLD", "SPECIAL_EXIT"}
# Beginnings of the reasons why a job waits although there may be room; other reasons are other jobs, or nodes.
LIMITS = (
    "Account",
    "Assoc",
    "BadConstraints",
    "BeginTime",
    "BurstBuffer",
    "Dependency",
    "FedJobLock",
    "Invalid",
    "JobArrayTaskLimit",
    "JobHeld",
    "Licenses",
    "Max",
    "Partition",
    "QOS",
    "Reservation",
)
TASK = re.compile(r"(\d{1,12})(?:_(\d{1,12}))?", re.ASCII)
SACCT_PATIENCE = 300.0  # s


class Life(NamedTuple):
    """A job from when it was submitted, or put back into the queue, until it ends or is put back again.

    Attributes
    ----------
    key
        The number of the job; of a task of an array with that of the task, as in 7_3.
    job
        What it asks for.
    phase
        WAITING, RUNNING or ENDED.
    is_free
        Whether it waits for nothing but other jobs: for room, or for jobs that come first.
    start, end
        Unix times; None where there is none yet.
    """

    key: str
    job: QueuedJob
    phase: int
    is_free: bool
    start: int | None
    end: int | None

    def at(self, now: int) -> Life:
        """Return what was so at a Unix time; Slurm is asked a moment later, when more has happened."""
        if self.phase == ENDED and self.end is not None and self.end > now:
            return self._replace(phase=RUNNING, end=None).at(now)
        if self.phase == ENDED and self.end is None and self.start is not None:
            return self._replace(end=now)
        if self.phase == RUNNING and (self.start is None or self.start > now):
            return self._replace(phase=WAITING, is_free=self.start is not None, start=None).at(now)
        is_early = self.phase == WAITING and (self.job.eligible is None or self.job.eligible > now)
        return self._replace(is_free=False) if is_early else self


def read_history() -> list[Life]:
    """Return the jobs that squeue lists, in any state; each task of an array is a job.

    Raises
    ------
    SlurmError
        squeue does not answer, or not as expected.
    InputError
        There is no squeue.
    """
    mark = f"~{os.urandom(6).hex()}~"
    fields = ",".join(f"{field}:{mark}" for field in HISTORY)
    return history_in(call(["squeue", "-a", "-h", "-r", "-t", "all", "-O", fields], most=OF_JOBS).text, mark)


def history_in(text: str, mark: str) -> list[Life]:
    """Return the jobs in an output of squeue with the fields HISTORY and a mark behind every field.

    Raises
    ------
    SlurmError
        It is not such an output, all its jobs are odd, or there are too many.
    """
    lives = _join_parts(_life(cells) for cells in cells_in(text, mark, HISTORY))
    if lives and all(life.job.odd for life in lives):
        raise SlurmError(f"squeue: {lives[0].job.odd}")
    return lives


def _life(cells: Mapping[str, str]) -> Life:
    """Return the job of a line of squeue."""
    job = job_of(cells)
    array = TASK.fullmatch(cells["JobArrayID"])
    key = cells["JobArrayID"] if array is not None and cells["HetJobID"] in NONE else str(job.id)
    is_free = job.pending and not job.is_held and not cells["Reason"].startswith(LIMITS)
    return _in_phase(key, job, cells["State"], is_free, cells["StartTime"], cells["EndTime"])


def _in_phase(key: str, job: QueuedJob, state: str, is_free: bool, start: str, end: str) -> Life:
    """Return a job whose start and end are given as texts; squeue has those that are planned, too."""
    word = state.split()[0] if state else ""  # sacct writes CANCELLED by 0
    phase = RUNNING if word in RUNS else WAITING if word in WAITS else ENDED
    times = [int(text) if re.fullmatch(r"\d{1,12}", text, re.ASCII) else None for text in (start, end)]
    if phase == WAITING:
        times = [None, None]
    elif phase == RUNNING:
        times[1] = None
    return Life(key, job, phase, is_free and phase == WAITING, times[0], times[1])


def _join_parts(lives: Iterable[Life]) -> list[Life]:
    """Return jobs of which the parts of a heterogeneous one are one job."""
    result: dict[str, Life] = {}
    for life in lives:
        other = result.get(life.key)
        if other is None:
            result[life.key] = life
            continue
        first = min(life, other, key=lambda part: part.phase)
        ends = [end for end in (life.end, other.end) if end is not None]
        end = max(ends) if first.phase == ENDED and ends else None
        result[life.key] = first._replace(job=join(other.job, life.job), end=end)
    return list(result.values())


def read_accounting(since: int, until: int) -> list[Life]:
    """Return the jobs of which sacct says that they waited, ran or ended between two Unix times; each life is one.

    Raises
    ------
    SlurmError
        sacct does not answer, or not as expected.
    InputError
        There is no sacct.
    """
    words = ["sacct", "-a", "-X", "-D", "-n", "-P", "--noconvert", "-S", f"uts{since}", "-E", f"uts{until}"]
    return accounting_in(call([*words, "-o", ",".join(COLUMNS)], patience=SACCT_PATIENCE, most=OF_JOBS).text)


def accounting_in(text: str) -> list[Life]:
    """Return the jobs in an output of sacct with the columns COLUMNS, those that started first before others.

    A line that cannot be is left out: what it says of its job is not known.

    Raises
    ------
    SlurmError
        It has no line that can be, or too many.

    Examples
    --------
    >>> row = "7_3|COMPLETED|ann|main|normal|4|1|60|100|110|130|190||physics"
    >>> life, = accounting_in(row)
    >>> life.key, life.job.widths["cpus"], life.job.limit, life.start, life.end
    ('7_3', 4, 3600, 130, 190)
    """
    lives: dict[tuple[str, int | None], list[Life]] = {}
    odd, is_sound = "", False
    for count, match in enumerate(LINE.finditer(text), 1):
        if count > MOST_JOBS:
            raise SlurmError(f"sacct: more than {MOST_JOBS:,} jobs")
        row = match[0].split("|", len(COLUMNS) - 1)  # the account may have any letter, and comes last
        life = _life_of(dict(zip(COLUMNS, row, strict=True))) if len(row) == len(COLUMNS) else None
        if len(row) != len(COLUMNS) or (life is not None and life.job.odd):
            odd = odd or match[0]
            continue
        is_sound = True
        if life is not None:
            lives.setdefault((life.key, life.start), []).append(life)
    if odd and not is_sound:
        raise SlurmError(f"sacct: a line is {odd[:60]!r}")
    parts = [_join_parts(group)[0] for group in lives.values()]
    return sorted(parts, key=lambda life: (life.start is None, life.start or 0))


def _life_of(cells: Mapping[str, str]) -> Life | None:
    """Return the job of a line of sacct; None for an array of which the tasks have lines of their own."""
    number = cells["JobID"].partition("+")[0]  # of a part of a heterogeneous job, the job
    if TASK.fullmatch(number) is None:
        return None
    state = "ENDED" if cells["State"] == "REQUEUED" else cells["State"]  # this life has ended; the next has a line, too
    minutes = cells["TimelimitRaw"]
    queued = {
        "JobID": number.partition("_")[0],
        "HetJobID": "",
        "ArrayJobID": "",
        "State": state,
        "UserName": cells["User"],
        "Partition": cells["Partition"],
        "QOS": cells["QOS"],
        "NumCPUs": cells["NCPUS"],
        "NumNodes": cells["NNodes"],
        "tres-alloc": "",
        "TimeLimit": f"{minutes}:00" if minutes.isascii() and minutes.isdigit() else "UNLIMITED",
        "SubmitTime": cells["Submit"],
        "EligibleTime": cells["Eligible"],
        "PriorityLong": "1",
        "Reservation": cells["Reservation"],
        "Nice": "0",
        "Account": cells["Account"],
    }
    return _in_phase(number, job_of(queued), state, False, cells["Start"], cells["End"])


def read_room(width: str, partitions: Sequence[str]) -> int:
    """Return how many processors, or nodes, of some partitions are not down or drained; without names of all.

    Raises
    ------
    SlurmError
        sinfo does not answer, or not as expected.
    """
    words = ["sinfo", "-a", "-h", *(("-p", ",".join(partitions)) if partitions else ())]
    text = call([*words, "-o", "%F" if width == "nodes" else "%C"]).text.strip()
    match = re.fullmatch(r"(\d{1,9})/(\d{1,9})/\d{1,9}/\d{1,9}", text, re.ASCII)
    if match is None:
        raise SlurmError(f"sinfo: the machine is {text[:60]!r}")
    return int(match[1]) + int(match[2])

"""Changes of site factors: how they are written, which are refused, and when a refused one is tried again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .slurm_calls import NO_ANSWER, PATIENCE, SlurmError, call

LONGEST_WAIT = 900.0  # s, between two passes while Slurm does not answer
PER_CHANGE = 0.02  # s, that scontrol has for each change beyond its usual time; it needs 0.002
WRITERS = 4  # scontrols at once: each change is a message of its own, and a scontrol waits for the answer to each
LOT = 100  # changes for which it is worth to start another one
LATER = "try again"  # words of scontrol about a job that slurmdbd has no number for yet
NUMBER = re.compile(r"\d{1,15}", re.ASCII)
OF_TASKS = re.compile(r"(\d{1,15})[_+][^: ]{1,1000}: (.+)", re.ASCII)  # what scontrol says of some tasks of an array
OVER = "Job has already finished"
NO_MATTER = ("No error", OVER)  # of these tasks, if it says something else of others
NO_JOB = 0  # of a refusal that names no job


class Later(NamedTuple):
    """A job that Slurm could not change yet: how many times in a row, and until when it is left alone (monotonic)."""

    times: int
    until: float


def write_factors(changes: Mapping[int, int]) -> dict[int, str]:
    """Write site factors, the first ones first, and return what scontrol says of the jobs whose change it refused.

    There is one scontrol, unless there are many changes; then there are several, which take the changes in turn. Tasks
    of an array that have ended are no refusal.

    Raises
    ------
    SlurmError
        scontrol does not answer.
    """
    if not changes:
        return {}
    lines = [f"update JobId={job} SiteFactor={factor}\n" for job, factor in changes.items()]
    count = max(1, min(WRITERS, len(lines) // LOT))
    errors = _scontrols(["".join(lines[first::count]) for first in range(count)], PER_CHANGE * len(lines))
    refused: dict[int, str] = {}
    for line in errors.splitlines():
        words, _, job = line.rpartition(" for job ")
        if tasks := OF_TASKS.fullmatch(line.strip()):
            if tasks[2] not in NO_MATTER:
                refused[int(tasks[1])] = tasks[2]
        elif NUMBER.fullmatch(job.strip()):
            refused[int(job)] = words.strip()
        elif any(sign in line for sign in NO_ANSWER):
            raise SlurmError(f"scontrol: {line.strip()[:200]}")
        elif line.strip():
            refused[NO_JOB] = line.strip()[:200]
    return refused


def _scontrols(texts: Sequence[str], more: float) -> str:
    """Return the errors of a scontrol for each of the texts, which run at once; they have so many seconds more."""

    def errors_of(text: str) -> str:
        return call(["scontrol"], text, PATIENCE + more, any_status=True, is_output_lost=True).errors

    if len(texts) == 1:
        return errors_of(texts[0])
    from concurrent.futures import ThreadPoolExecutor  # not for a pass that changes little

    with ThreadPoolExecutor(len(texts)) as pool:
        return "".join(pool.map(errors_of, texts))


def note_refused(
    put_off: dict[int, Later], changes: Iterable[int], refused: Mapping[int, str], now: float, period: float
) -> None:
    """Put off jobs that Slurm cannot change yet, since each costs scontrol seconds in every pass that tries it.

    A job that has just been submitted is tried again in the next pass; slurmdbd has numbered it by then. One that is
    refused again is left alone for twice the period, four times, ... as of `pause_after`.

    Parameters
    ----------
    put_off
        Modified in place.
    changes, refused
        The jobs that were to be changed, and what Slurm said of those that it refused.
    now, period
        s: now, on the clock of `Later.until`, and from one pass to the next.

    Examples
    --------
    >>> put_off: dict[int, Later] = {}
    >>> for _ in range(3):
    ...     note_refused(put_off, [1, 2], {2: "the DB index is being set, try again in a bit"}, 100.0, 30.0)
    ...     print(put_off)
    {2: Later(times=1, until=100.0)}
    {2: Later(times=2, until=160.0)}
    {2: Later(times=3, until=220.0)}
    >>> note_refused(put_off, [2], {}, 100.0, 30.0)
    >>> put_off
    {}
    """
    for job in changes:
        before = put_off.pop(job, Later(0, now))
        if LATER in refused.get(job, ""):
            pause = pause_after(before.times, period) if before.times else 0.0
            put_off[job] = Later(before.times + 1, now + pause)


def pause_after(failures: int, period: float) -> float:
    """Return how long, s, to wait after so many failures in a row: twice as long each time, up to a quarter of an hour.

    Examples
    --------
    >>> [pause_after(failures, 30.0) for failures in (1, 2, 9, 99)], pause_after(5, 3600.0)
    ([60.0, 120.0, 900.0, 900.0], 3600.0)
    """
    return min(period * 2.0 ** min(failures, 20), max(LONGEST_WAIT, period))

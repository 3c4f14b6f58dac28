"""Changes of site factors: how they are written, which are refused, and when a refused one is tried again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from .slurm_calls import MOST_BYTES, NO_ANSWER, PATIENCE, Answer, SlurmError, call, failure_of
from .slurm_queue import read_site_factors

LONGEST_WAIT = 900.0  # s, between two passes while Slurm does not answer
PER_CHANGE = 0.02  # s, that scontrol has for each change beyond its usual time; it needs 0.002
WRITERS = 4  # scontrols at once: each change is a message of its own, and a scontrol waits for the answer to each
PER_REFUSAL = 300  # bytes that scontrol may say of a change
LOT = 100  # changes for which it is worth to start another one
LATER = "try again"  # words of scontrol about a job that slurmdbd has no number for yet
NUMBER = re.compile(r"\d{1,15}", re.ASCII)
OF_TASKS = re.compile(r"(\d{1,15})[_+][^: ]{1,1000}: (.+)", re.ASCII)  # what scontrol says of some tasks of an array
OVER = "Job has already finished"
NO_MATTER = ("No error", OVER)  # of these tasks, if it says something else of others
NO_JOB = 0  # of a refusal that names no job
TWICE = 2  # times in a row a change is not there before that is said


class Later(NamedTuple):
    """A job that Slurm could not change yet: how many times in a row, and until when it is left alone (monotonic)."""

    times: int
    until: float


class Sent(NamedTuple):
    """A change that scontrol was told: the site factor, and how many times in a row it was told and not there then."""

    factor: int
    missed: int


def write_factors(changes: Mapping[int, int]) -> dict[int, str]:
    """Write site factors, the first ones first, and return what scontrol says of the jobs whose change it refused.

    There is one scontrol, unless there are many changes; then there are several, which take the changes in turn. Tasks
    of an array that have ended are no refusal. What scontrol says of no job stands under NO_JOB.

    Raises
    ------
    SlurmError
        scontrol does not answer, or has failed for another reason than that it refused the changes of some jobs.
    """
    if not changes:
        return {}
    lines = [f"update JobId={job} SiteFactor={factor}\n" for job, factor in changes.items()]
    count = max(1, min(WRITERS, len(lines) // LOT))
    answers = _scontrols(["".join(lines[first::count]) for first in range(count)], PER_CHANGE * len(lines))
    refused: dict[int, str] = {}
    for answer in answers:
        is_explained = False  # that it ended with status 1
        for line in answer.errors.splitlines():
            words, _, job = line.rpartition(" for job ")
            if tasks := OF_TASKS.fullmatch(line.strip()):
                is_explained = True
                if tasks[2] not in NO_MATTER:
                    refused[int(tasks[1])] = tasks[2]
            elif NUMBER.fullmatch(job.strip()):
                is_explained = True
                refused[int(job)] = words.strip()
            elif any(sign in line for sign in NO_ANSWER):
                raise SlurmError(f"scontrol: {line.strip()[:200]}")
            elif line.strip():
                refused.setdefault(NO_JOB, line.strip()[:200])
        if answer.status != 0 and not (answer.status == 1 and is_explained):
            raise SlurmError(failure_of("scontrol", answer.status, answer.errors))
    return refused


def missing_factors(changes: Mapping[int, int]) -> dict[int, int]:
    """Return the site factors of the jobs that have others than scontrol has just been told, by what sprio says.

    A job that sprio does not list any more has started, or cannot run now: of it nothing else is known.

    Parameters
    ----------
    changes
        What scontrol was told and did not refuse.

    Raises
    ------
    SlurmError
        sprio does not answer, or not as expected.
    """
    known = read_site_factors().known if changes else {}
    return {job: known[job] for job, factor in changes.items() if known.get(job, factor) != factor}


def _scontrols(texts: Sequence[str], more: float) -> list[Answer]:
    """Return the answers of a scontrol for each of the texts, which run at once; they have so many seconds more."""

    def answer_to(text: str) -> Answer:
        most = MOST_BYTES + PER_REFUSAL * text.count("\n")
        return call(["scontrol"], text, PATIENCE + more, any_status=True, is_output_lost=True, most=most)

    if len(texts) == 1:
        return [answer_to(texts[0])]
    from concurrent.futures import ThreadPoolExecutor  # not for a pass that changes little

    with ThreadPoolExecutor(len(texts)) as pool:
        return list(pool.map(answer_to, texts))


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

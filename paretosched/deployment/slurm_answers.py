"""What squeue and sprio say of the waiting jobs, if they do not contradict each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..core.errors import first_few
from .slurm_calls import ClockError, SlurmError
from .slurm_queue import QueuedJob, SiteFactors, read_queue, read_site_factors

AGREEING = 3  # passes: an empty answer after a full one is believed when so many in a row are empty
AHEAD = 3_600  # s


def read_waiting(factors: Mapping[int, int | None]) -> tuple[list[QueuedJob], SiteFactors]:
    """Return the queue, and the site factors of the jobs in it that could run.

    Both are asked again if they contradict each other, since jobs may have come in between.

    Parameters
    ----------
    factors
        The site factors that jobs had before; None if that is not known.

    Raises
    ------
    SlurmError
        squeue or sprio does not answer, or one of them lists nothing against the other one's word.
    InputError
        One of them is missing.
    """
    for _ in range(2):
        queue, now = read_queue(), read_site_factors()
        doubt = contradiction(queue, now.known, {job for job, factor in factors.items() if factor})
        if not doubt:
            return queue, now
    raise SlurmError(doubt)


def contradiction(queue: Iterable[QueuedJob], known: Collection[int], ranked: Collection[int]) -> str:
    """Return in words how squeue and sprio contradict each other; "" if they do not.

    Parameters
    ----------
    queue
        The jobs that squeue lists.
    known
        The numbers of those that sprio lists: all that could run.
    ranked
        The numbers of jobs that had site factors before.

    Examples
    --------
    >>> contradiction([], [7, 8], [])
    'squeue lists no job, but sprio lists 2 that wait: 7, 8; squeue is not believed'
    """
    jobs = list(queue)
    if known and not jobs:
        return (
            f"squeue lists no job, but sprio lists {len(known):,} that wait: {first_few(known)}; squeue is not believed"
        )
    could = [job.id for job in jobs if job.pending and not job.is_held and job.eligible is not None]
    missing = [number for number in could if number in ranked]
    if missing and not known:
        return f"sprio lists no job, but {len(missing):,} wait that it listed before: {first_few(missing)}"
    return ""


def check_clock(now: int, queue: Iterable[QueuedJob]) -> None:
    """Check that the clock of this machine can be right.

    Raises
    ------
    ClockError
        All jobs were submitted more than an hour later.
    """
    first = min((job.submit for job in queue if not job.odd), default=now)
    if first > now + AHEAD:
        raise ClockError(f"the clock of this machine is at Unix time {now}, but the first job came at {first}")

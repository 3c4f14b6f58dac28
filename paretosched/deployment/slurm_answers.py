"""What squeue and sprio say of the waiting jobs, if they do not contradict each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from ..core.errors import first_few, number_of
from .slurm_calls import ClockError, SlurmError
from .slurm_queue import QueuedJob, SiteFactors, read_queue, read_site_factors, to_order

AGREEING = 3  # passes: an empty answer after a full one is believed when so many in a row are empty
AHEAD = 3_600  # s


def read_waiting(factors: Mapping[int, int | None], second: int) -> tuple[list[QueuedJob], SiteFactors]:
    """Return the queue, and the site factors of the jobs in it that could run.

    Both are asked again if they contradict each other, since jobs may have come in between.

    Parameters
    ----------
    factors
        The site factors that jobs had before; None if that is not known.
    second
        Unix time.

    Raises
    ------
    SlurmError
        squeue or sprio does not answer, or one of them lists nothing against the other one's word.
    InputError
        One of them is missing.
    """
    for _ in range(2):
        queue, now = read_queue(), read_site_factors()
        ranked = [job.id for job in to_order(queue, second, ()) if factors.get(job.id)]
        doubt = contradiction(len(queue), now.known, ranked)
        if not doubt:
            return queue, now
    raise SlurmError(doubt)


def contradiction(listed: int, known: Collection[int], ranked: Collection[int]) -> str:
    """Return in words how squeue and sprio contradict each other; "" if they do not.

    Parameters
    ----------
    listed
        How many jobs squeue lists.
    known
        The numbers of those that sprio lists: all that could run.
    ranked
        The numbers of those that could run by squeue and had site factors before.

    Examples
    --------
    >>> contradiction(0, [7, 8], [])
    'squeue lists no job, but sprio lists 2 that wait: 7, 8; squeue is not believed'
    """
    if known and not listed:
        few = first_few(known)
        return f"squeue lists no job, but sprio lists {len(known):,} that wait: {few}; squeue is not believed"
    if ranked and not known:
        return f"sprio lists no job, but {len(ranked):,} wait that it listed before: {first_few(ranked)}"
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


def said_of_odd(odd: Mapping[int, str]) -> str:
    """Return a remark on jobs of which Slurm says what cannot be; "" without any."""
    if not odd:
        return ""
    names = (f"job {number or 'without a number'}: {words}" for number, words in odd.items())
    return f"{number_of(len(odd), 'job')} left alone, since what Slurm says of them cannot be: {first_few(names)}"


def said_of_lost(lost: Mapping[int, int], there: Mapping[int, int]) -> str:
    """Return a remark on changes that were not there twice in a row; "" without any."""
    if not lost:
        return ""
    names = (f"job {job} should have {factor} and has {there[job]}" for job, factor in lost.items())
    return f"scontrol was told twice, but {len(lost):,} site factors are not as it was told: {first_few(names)}"

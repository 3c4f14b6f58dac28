"""Parts of all event loops: the next event, its situation, and the jobs that arrive together."""

from ..core.arrays import Int
from ..core.situations import Calendar
from .compiling import njit
from .inputs import Jobs
from .running import Running, next_end
from .waiting_tree import FAR


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_event(jobs: Jobs, arrivals: Int, now: Running, running: Int) -> Int:
    """Return the second of the next arrival or end of a job; FAR if there is none.

    Parameters
    ----------
    jobs
        `Jobs`.
    arrivals
        Rows that have arrived.
    now, running
        `Running`, and how many jobs run.
    """
    t: Int = FAR
    if arrivals < jobs.submit.size:
        t = jobs.submit[arrivals]
    if running > 0:
        t = min(t, next_end(now))
    return t


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def era_at(calendar: Calendar, era: Int, t: Int) -> Int:
    """Return the index in the calendar of the situation at second t; it is `era` or later."""
    while era + 1 < calendar.begin.size and calendar.begin[era + 1] <= t:
        era += 1
    return era


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def after_copies(jobs: Jobs, j: Int) -> Int:
    """Return the first row of `jobs` after job j with another submission, width, estimate or group."""
    i = j + 1
    while (
        i < jobs.submit.size
        and jobs.submit[i] == jobs.submit[j]
        and jobs.width[i] == jobs.width[j]
        and jobs.estimate[i] == jobs.estimate[j]
        and jobs.group[i] == jobs.group[j]
    ):
        i += 1
    return i

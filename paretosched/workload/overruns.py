"""What became of jobs that ran longer than they had requested, in words and as a share of the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Ints
from ..core.errors import number_of
from .workload import Repair, Workload

MOST_CUT = 1.0  # per cent of the work that may be cut off without a word
CUT_THERE = "run time beyond the request: cut there"
RAISED = "run time beyond the request: the request raised to it"


def percent_beyond(run: NDArray[Any], estimate: NDArray[Any], width: NDArray[Any]) -> float:
    """Return how many per cent of the work of jobs, (n,) each, are done after the time that they have requested."""
    # columns may be as narrow as their numbers, so that a product may not fit
    rest, whole = (float(part.astype(np.float64) @ width) for part in (np.minimum(run, estimate), run))
    return float(100 * (1 - rest / whole))


def asked_times(workload: Workload) -> Ints:
    """Return for how long each job has asked, (n,) s: some may run longer, see `Requests.beyond`."""
    requests = workload.requests
    if requests is None:
        return workload.estimate
    times: Ints = workload.estimate - requests.beyond
    times.flags.writeable = False  # as the estimates: for writeable arrays the engine on nodes is compiled again
    return times


def share_text(percent: float) -> str:
    """Return a share as text; a little is not nothing.

    Examples
    --------
    >>> share_text(24.68), share_text(0.004)
    ('24.7 %', 'less than 0.1 %')
    """
    return f"{percent:.1f} %" if percent >= 0.05 else "less than 0.1 %"


def overrun_text(repairs: Sequence[Repair]) -> list[str]:
    """Return what was cut off a log, or would have been had requests not been raised; none without such jobs.

    Examples
    --------
    >>> overrun_text([Repair("changed", "cut there", 2, work_percent=0.4)])
    ['0.4 % of all work is cut off, because 2 jobs ran longer than they had requested']
    >>> overrun_text([Repair("changed", "the request raised to it", 1, if_cut_percent=24.7)])
    ['1 job ran longer than it had requested, and its request is raised; to cut it would take 24.7 % of all work']
    """
    words = []
    for repair in repairs:
        jobs = f"{number_of(repair.jobs, 'job')} ran longer than "
        jobs += "they had requested" if repair.jobs > 1 else "it had requested"
        if repair.work_percent is not None:
            words.append(f"{share_text(repair.work_percent)} of all work is cut off, because {jobs}")
        if repair.if_cut_percent is not None:
            its, it = ("their requests are", "them") if repair.jobs > 1 else ("its request is", "it")
            share = share_text(repair.if_cut_percent)
            words.append(f"{jobs}, and {its} raised; to cut {it} would take {share} of all work")
    return words


def percent_cut(repairs: Sequence[Repair]) -> float:
    """Return how many per cent of the work of a log are cut off."""
    return sum(repair.work_percent or 0.0 for repair in repairs)


def choice_text(log: str, repairs: Sequence[Repair], raising: str, cutting: str) -> str:
    """Return what is cut off a log, and the two ways to answer.

    Parameters
    ----------
    log, repairs
        The log, and what was repaired in it.
    raising, cutting
        What to give if the machine let jobs run, and if it killed them.
    """
    return (
        f"{log}: {'; '.join(overrun_text(repairs))}; if the machine let them run, give {raising}, "
        f"which makes the run time the request; if it killed them, {cutting}"
    )

"""Keys of waiting jobs that are lines in the wait: which of two jobs comes first, exactly as the keys are evaluated."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Int, Mask
from .compiling import njit
from .formulas import BLOCK, MOST_DEEP, Program, evaluate, evaluate_block
from .inputs import Jobs


class Lines(NamedTuple):
    """Keys that order the n jobs of a workload as lines in the wait do; the largest comes first, then the lowest row.

    Attributes
    ----------
    alpha, beta
        (3, n) float64, finite, by situation and row. At any time jobs are in the order of alpha + beta * wait, except
        for rounding errors; beta is 0 or more, in 1/s.
    alike
        (n,) bool, whether a job has the submission, estimate, width and group of the job in the row before, and the
        same keys at all times.
    program, jobs, shares
        As for `evaluate`: the keys of jobs whose lines are too close to tell.
    rounding, floor
        The largest rounding error of the order of two jobs: `rounding` times the sizes of both alphas and of both
        beta * horizon, plus `floor`, which is at least `rounding` times twice the largest size of an alpha.
    horizon
        Twice the latest possible time, s: an upper bound of all times in keys.
    """

    alpha: Floats
    beta: Floats
    alike: Mask
    program: Program
    jobs: Jobs
    shares: Floats
    rounding: float
    floor: float
    horizon: float


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def line_of_job(s: Int, job: np.void, lines: Lines) -> tuple[float, float]:
    """Return the line of a job in time, alpha + beta * t, in situation s, 0..2; beta in 1/s.

    `job` is a SLOT of `kinetic_queue`; `lines` are only read.
    """
    row = np.int64(job["row"])
    beta = lines.beta[s, row]
    return lines.alpha[s, row] - beta * float(job["submit"]), beta


@njit(cache=True, nogil=True, _nrt=False)
def settle_lines(slots: NDArray[np.void], i: Int, j: Int, s: Int, t: Int, lines: Lines) -> tuple[bool, bool]:
    """Return which job of two slots comes first, and whether this is final.

    Parameters
    ----------
    slots, i, j
        (size * BENCH,) SLOT, and two slots with jobs.
    s, t
        Situation, 0..2, and second.
    lines
        `Lines`; the stack of its program is modified in place.

    Returns
    -------
    first : bool
        The job of slot i comes before that of slot j at time t in situation s.
    ever : bool
        The decision is final: their keys are always the same.
    """
    row_i = np.int64(slots[i]["row"])
    row_j = np.int64(slots[j]["row"])
    return settle_rows(row_i, row_j, s, t, lines), is_equal(lines, row_i, row_j)


@njit(cache=True, nogil=True, _nrt=False)
def settle_rows(i: Int, j: Int, s: Int, t: Int, lines: Lines) -> bool:
    """Return whether job i comes before job j in second t of situation s, by their formula.

    The stack of the program of `lines` is modified in place.
    """
    key_i = evaluate(lines.program, s, lines.jobs, i, t, 0.0, lines.shares[i])
    key_j = evaluate(lines.program, s, lines.jobs, j, t, 0.0, lines.shares[j])
    return bool(key_i > key_j or (key_i == key_j and i < j))


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def is_equal(lines: Lines, i: Int, j: Int) -> bool:
    """Return whether nothing that a formula can know tells jobs i and j apart, so that their keys are always the same.

    `lines` are only read.
    """
    jobs = lines.jobs
    columns = lines.program.columns
    if jobs.submit[i] != jobs.submit[j] or jobs.estimate[i] != jobs.estimate[j] or jobs.width[i] != jobs.width[j]:
        return False
    for k in range(columns.shape[0]):
        if columns[k, i] != columns[k, j]:
            return False
    return bool(lines.shares[i] == lines.shares[j])


@njit(cache=True, nogil=True)
def resting(program: Program, s: Int, jobs: Jobs, shares: Floats) -> Floats:
    """Return the keys of `jobs` by a formula without waits and usage in situation s, (n,) float64.

    `program` is only read; `shares`, (n,) float64, has the share of each job's account.
    """
    n = jobs.submit.size
    keys = np.empty(n, np.float64)
    rows = np.arange(n)
    usages = np.zeros(BLOCK, np.float64)
    stacks = np.empty((MOST_DEEP, BLOCK), np.float64)
    for begin in range(0, n, BLOCK):
        end = min(n, begin + BLOCK)
        t = jobs.submit[0]
        evaluate_block(program, s, jobs, rows[begin:end], t, usages, shares, stacks, keys[begin:end])
    return keys


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def after_alike(j: Int, lines: Lines) -> Int:
    """Return the first row after job j that is not like it, by the table `alike` of `lines`."""
    i = j + 1
    while i < lines.alike.size and lines.alike[i]:
        i += 1
    return i

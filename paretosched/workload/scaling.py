"""Scaling a workload to a larger machine (Ernemann, Song and Yahyapour, JSSPP 2003).

Some jobs become wider and the others are repeated, so that large jobs appear and small jobs stay. A job becomes wider
with probability 1/2: its width is multiplied by the factor. Otherwise it is there `factor` times with its own width;
the fraction of the factor is the probability of one more copy. In both cases the expected work of a job is multiplied
by the factor. This keeps the users' shares of the work, and so the groups. The best factors are slightly above the
ratio of the machines.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import number, whole_number
from ..core.arrays import Ints
from ..core.errors import InputError, first_few, number_of
from .down_times import DownTimes
from .log_lines import JOB, PRECEDING, THINK
from .user_groups import by_consumption, is_by_consumption
from .workload import WIDEST, Repair, Workload, source_after

PAPER_PROCESSORS = 1024
PAPER_FACTORS = {
    "CTC-SP2": 2.45,
    "KTH-SP2": 10.71,
    "LANL-CM5": 1.0,
    "SDSC-SP2": 8.21,
    "SDSC-Par-95": 2.48,
    "SDSC-Par-96": 2.48,
    "NASA-iPSC": 8.0,
}
MOST_JOBS = 20_000_000


def scale(
    workload: Workload,
    processors: int = PAPER_PROCESSORS,
    factor: float | None = None,
    seed: int = 0,
    jobs: int | None = None,
    probability: float = 0.5,
) -> Workload:
    """Return a workload that is scaled to a machine of `processors`; see `from_paths.scale`."""
    ratio = whole_number("processors", processors) / workload.capacity if factor is None else number("factor", factor)
    probability = number("probability", probability)
    _check(workload, processors, ratio, factor is None, seed, jobs, probability)
    n = len(workload)
    if ratio == 1 and processors == workload.capacity and jobs in (None, n):
        return workload
    rng = np.random.default_rng(seed)
    if jobs is None:
        widened = rng.random(n) < probability
        extra = rng.random(n) < ratio - math.floor(ratio)
        copies = np.where(widened, 1, math.floor(ratio) + extra)
    else:
        widened, copies = _exact(n, jobs, probability, rng)
    new_width = np.where(widened, np.floor(ratio * workload.width + 0.5), workload.width)
    width = np.minimum(new_width, processors).astype(np.int64)
    rows = np.repeat(np.arange(n), copies)
    repairs = workload.repairs
    too_wide = np.flatnonzero((new_width > processors)[rows])
    if too_wide.size:
        first = first_few((f"job {j + 1}" for j in too_wide[:4]), too_wide.size)
        reason = f"scaled beyond the machine: narrowed to {number_of(processors, 'processor')}"
        repairs = (*repairs, Repair("changed", reason, too_wide.size, first))
    mode = "copies drawn at random" if jobs is None else f"exactly {jobs} jobs"
    note = (
        f"Note: scaled by paretosched from {n} jobs on {workload.capacity} processors ({workload.name}) to "
        f"{processors} processors: factor {ratio:g}, probability of widening {probability:g}, seed {seed}, {mode}"
    )
    total = rows.size
    records = workload.records
    if records is not None:
        records = records.take(rows).with_columns({JOB: np.arange(1, total + 1), PRECEDING: -1, THINK: -1})
    result = workload.take(
        rows,
        width=width[rows],
        job=np.arange(1, total + 1),
        wait=np.full(total, -1),
        records=records,
        capacity=processors,
        name=f"{workload.name} at {processors}",
        header=(*workload.header, note),
        repairs=repairs,
        down=None if workload.down is None else _down_of_larger(workload.down, workload.capacity, processors),
    )
    result = by_consumption(result) if is_by_consumption(workload) else result
    arguments = {"processors": processors, "factor": factor, "seed": seed, "jobs": jobs, "probability": probability}
    return result.with_(source=source_after(workload, "scale", **arguments))


def _down_of_larger(down: DownTimes, capacity: int, processors: int) -> DownTimes:
    """Return the same share of a machine of another size, rounded up, in the same seconds."""
    return DownTimes(down.begin, down.end, -(-down.processors * processors // capacity))


def _check(
    workload: Workload, processors: int, ratio: float, default: bool, seed: int, jobs: int | None, probability: float
) -> None:
    """Raise InputError if an argument of `scale` is out of range; `default`: the factor is the ratio of machines."""
    if workload.machine is not None:
        raise InputError(
            f"{workload.name}: scaling makes jobs wider, for which its nodes are not made; type in its place: resample "
            "LOG --load 1.5 (more work of the same users); machine LOG -o machine.toml, to write more nodes there and "
            "to import with them (--machine); or --one-pool, which scales a pool of processors"
        )
    if not 1 <= whole_number("processors", processors) <= WIDEST:
        raise InputError(f"processors must be in 1..{WIDEST}, but is {processors}")
    if not 1 <= ratio <= MOST_JOBS:
        why = f", the ratio of {processors} to {number_of(workload.capacity, 'processor')}" if default else ""
        raise InputError(f"factor must be in 1..{MOST_JOBS}, but is {ratio:g}{why}")
    if whole_number("seed", seed) < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    if not 0 <= probability <= 1:
        raise InputError(f"probability must be in 0..1, but is {probability:g}")
    n = len(workload)
    if jobs is not None and whole_number("jobs", jobs) < n:
        raise InputError(f"jobs must be at least the {n} there are, but is {jobs}")
    jobs_expected = n * (probability + (1 - probability) * ratio) if jobs is None else jobs
    if jobs_expected > MOST_JOBS:
        raise InputError(
            f"a scaled workload must have at most {MOST_JOBS} jobs, but this one would have {jobs_expected:.9g}"
        )


def _exact(n: int, jobs: int, probability: float, rng: np.random.Generator) -> tuple[NDArray[np.bool_], Ints]:
    """Return which jobs become wider, (n,) bool, and the number of copies of each job, (n,), `jobs` in all."""
    jobs_with_copies = round((1 - probability) * n)
    if jobs_with_copies == 0 and jobs != n:
        raise InputError(
            f"jobs cannot be {jobs}: with probability {probability:g} none of {number_of(n, 'job')} is repeated"
        )
    rows = rng.permutation(n)[:jobs_with_copies]
    widened = np.ones(n, dtype=np.bool_)
    widened[rows] = False
    copies = np.ones(n, dtype=np.int64)
    if jobs_with_copies:
        per_job, rest = divmod(jobs - (n - jobs_with_copies), jobs_with_copies)
        copies[rows] = per_job
        copies[rows[:rest]] += 1  # their order is random already
    return widened, copies

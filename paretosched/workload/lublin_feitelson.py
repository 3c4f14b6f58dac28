"""The workload model of Lublin and Feitelson (JPDC 63(11):1105-1122, 2003).

It follows the authors' program m_lublin99.c with its quirks: the day begins with bucket 11 (05:00), the points and
the remainder of an arrival carry over to the next one, clocks are cut to whole seconds at each arrival.
The model has neither requests nor users. Both are added here. Their random numbers are drawn last, so that the same
seed gives the same jobs and users with every kind of requests.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.arguments import instance, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..core.tables import plain
from .records import Records
from .user_groups import by_consumption
from .workload import WIDEST, Workload

VARIANTS = ("typeless", "two-type")
ESTIMATES = ("exact", "factor", "rounded")
LONGEST_LOG_RUN = 12.0
LONGEST_LOG_GAP = 13.0
BUCKET = 1800
BUCKETS = 48
TERMS = 300  # of a series: those beyond are less than the last bit of its sum
DAY_START = 11
MOST_JOBS = 20_000_000
SMALLEST = 32

LARGEST_FACTOR = 5.0
MINUTE, HOUR = 60, 3600
TYPED = np.array(
    [m * MINUTE for m in (5, 10, 15, 30)] + [h * HOUR for h in (1, 2, 4, 8, 12, 18, 24, 36, 48)], dtype=np.int64
)
USERS = 300


class Kind(NamedTuple):
    """The parameters of one type of job, under the names of the program; gamma distributions by shape and scale.

    Attributes
    ----------
    serial, pow2
        Shares of all jobs that are serial, and whose width is a power of two above 1.
    low, medium, high
        Limits of log2 of the width; `medium` and `high` are subtracted from log2 of the machine.
    first
        Probability of the lower part.
    a1, b1, a2, b2, pa, pb
        The two gamma distributions of the logarithm of the run time, and the line in the width that mixes them.
    gap_shape, gap_scale
        Gamma distribution of the logarithm of the time between arrivals at the peak.
    day_shape, day_scale
        Gamma distribution of arrivals over the day.
    """

    serial: float
    pow2: float
    low: float
    medium: float
    high: float
    first: float
    a1: float
    b1: float
    a2: float
    b2: float
    pa: float
    pb: float
    gap_shape: float
    gap_scale: float
    day_shape: float
    day_scale: float


# serial, pow2; low, medium, high, first; a1, b1, a2, b2; pa, pb; aarr * arar, barr; anum, bnum
TYPELESS = Kind(
    *(0.244, 0.576, 0.8, 2.5, 0.0, 0.86, 4.2, 0.94, 312.0, 0.03, -0.0054, 0.78),
    *(10.2303 * 1.0225, 0.4871, 8.1737, 3.9631),
)
BATCH = Kind(
    *(0.2927, 0.6686, 1.2, 2.0, 0.0, 0.875, 6.57, 0.823, 639.1, 0.0156, -0.003, 0.6986),
    *(6.0415 * 1.0519, 0.8531, 6.1271, 5.2740),
)
INTERACTIVE = Kind(
    *(0.1541, 0.625, 1.0, 4.0, 1.5, 0.705, 3.8351, 0.6605, 7.073, 0.6856, -0.0118, 0.9156),
    *(6.5510 * 0.9797, 0.6621, 8.9186, 3.6680),
)


def lublin(
    jobs: int = 10_000,
    processors: int = 128,
    seed: int = 71,
    *,
    variant: str = "typeless",
    carry: bool = True,
    estimates: str = "rounded",
) -> Workload:
    """Generate a workload.

    Parameters
    ----------
    jobs
        Number of jobs.
    processors
        Processors of the machine, 32 at least. Widths grow with it and arrivals do not: a machine of far more than
        128 processors is overloaded.
    seed
        Seed of the random number generator.
    variant
        "typeless", one type of job (thesis 004 has this one); or "two-type", batch (queue 1) and interactive
        (queue 0) with parameters of their own.
    carry
        Whether the points and the remainder of an arrival carry over to the next one. They do not in the Java
        port in GridSim, which makes arrivals denser by a twelfth.
    estimates
        Requested times: "exact", the run time; "factor", the run time times a uniform number in 1..5, rounded up
        (the model of Mu'alem and Feitelson, TPDS 12(6), 2001); "rounded", that time rounded up to a value that
        users type, 5 minutes to 48 hours (requests cluster on few round values: Tsafrir, Etsion and Feitelson,
        JSSPP 2005).

    Returns
    -------
    Workload
        Second 0 is Monday 2000-01-03 00:00 UTC. There are 300 users; user k submits each job with a probability
        proportional to 1/k, so that heavy and light users make all five groups of paper 002.

    Raises
    ------
    InputError
        A number is out of range, or a word is not known.

    Examples
    --------
    >>> w = lublin(jobs=100, processors=64, seed=1)
    >>> len(w), w.capacity, w.digest == lublin(jobs=100, processors=64, seed=1).digest
    (100, 64, True)
    """
    _check(jobs, processors, seed, variant, carry, estimates)
    rng = np.random.default_rng(seed)
    if variant == "typeless":
        submit, width, run = _stream(TYPELESS, jobs, processors, carry, rng)
        queue = np.full(jobs, -1)
    else:
        # Of two jobs in one second the interactive job comes first: the program takes the batch job only if it is
        # strictly earlier.
        parts = [_stream(kind, jobs, processors, carry, rng) for kind in (INTERACTIVE, BATCH)]
        order = np.argsort(np.concatenate([part[0] for part in parts]), kind="stable")[:jobs]
        submit, width, run = (np.concatenate(both)[order] for both in zip(*parts, strict=True))
        queue = (order >= jobs).astype(np.int64)
    user = _users(jobs, rng)
    estimate = _requests(run, estimates, rng)
    records = np.full((jobs, 18), -1.0)
    records[:, 0] = np.arange(1, jobs + 1)
    for column, values in ((1, submit), (3, run), (4, width), (7, width), (8, estimate), (11, user), (14, queue)):
        records[:, column] = values
    records[:, 10] = 1
    arguments = {"jobs": jobs, "processors": processors, "seed": seed}
    arguments = plain(arguments | {"variant": variant, "carry": carry, "estimates": estimates})
    workload = Workload(
        submit=submit,
        run=run,
        estimate=estimate,
        width=width,
        capacity=processors,
        user=user,
        name=f"lublin-{variant}-{jobs}-{processors}-{seed}",
        records=Records.of(records),
        header=_header(processors, seed, variant, carry, estimates),
        source=({"function": "lublin", **arguments},),
    )
    return by_consumption(workload)


def day_weights(kind: Kind) -> Floats:
    """Return the weights of the 48 half hours of a day, (48,), mean 1; the first one is 00:00-00:30."""
    bucket: Floats = np.arange(DAY_START, DAY_START + BUCKETS, dtype=np.float64)
    upper, lower = (_gamma_below(kind.day_shape, (bucket + half) / kind.day_scale) for half in (0.5, -0.5))
    weights = np.empty(BUCKETS)
    weights[np.arange(DAY_START - 1, DAY_START - 1 + BUCKETS) % BUCKETS] = upper - lower
    weights /= weights.mean()
    return weights


def _gamma_below(shape: float, x: Floats) -> Floats:
    """Return the gamma distribution function, the regularised incomplete gamma function P(shape, x), of x (n,) > 0.

    By its series of positive terms, x^a e^-x / Gamma(a + 1) * (1 + x / (a + 1) + x^2 / ((a + 1) (a + 2)) + ...), in
    which at most `TERMS` differ from 0 for x < 100.
    """
    ratios = x[:, None] / (shape + np.arange(1, TERMS))
    series = 1 + np.cumprod(ratios, axis=1).sum(axis=1)
    values: Floats = np.exp(shape * np.log(x) - x - math.lgamma(shape + 1)) * series
    return values


def arrivals(gaps: Floats, weights: Floats, carry: bool = True) -> Ints:
    """Return the times of arrivals from the gaps between them.

    Parameters
    ----------
    gaps
        (n,) seconds, the times between arrivals in half hours of weight 1.
    weights
        (48,), from `day_weights`.
    carry
        Whether the points and the remainder of an arrival carry over to the next one.

    Returns
    -------
    (n,) int64 s
        The times of arrival, ascending, from midnight.

    Examples
    --------
    In half hours of weight 2 a gap of 900 s takes 450 s, and 5400 s end in the second half hour.

    >>> arrivals(np.array([900.0, 5400.0]), np.full(48, 2.0)).tolist()
    [450, 3150]
    """
    weight = weights.tolist()
    clock = np.empty(gaps.size, dtype=np.int64)
    bucket, now = 0, 0
    points = remainder = 0.0
    for i, gap in enumerate((gaps / BUCKET).tolist()):
        if not carry:
            points = remainder = 0.0
        points += gap
        advance = 0.0
        while points > weight[bucket]:
            points -= weight[bucket]
            bucket = (bucket + 1) % BUCKETS
            advance += BUCKET
        before, remainder = remainder, points / weight[bucket]
        now = int(now + advance + BUCKET * (remainder - before))
        clock[i] = now
    return clock


def _check(jobs: int, processors: int, seed: int, variant: str, carry: bool, estimates: str) -> None:
    if not 1 <= whole_number("jobs", jobs) <= MOST_JOBS:
        raise InputError(f"jobs must be in 1..{MOST_JOBS}, but is {jobs}")
    if not SMALLEST <= whole_number("processors", processors) <= WIDEST:
        raise InputError(f"processors must be in {SMALLEST}..{WIDEST} for this model, but is {processors}")
    if whole_number("seed", seed) < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    one_of("variant", variant, VARIANTS)
    instance("carry", carry, bool)
    one_of("estimates", estimates, ESTIMATES)


def _stream(kind: Kind, jobs: int, processors: int, carry: bool, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Return random jobs of one type: submission (s), width, run time (s), each (jobs,)."""
    width = _widths(kind, jobs, processors, rng)
    run = _runs(kind, width, rng)
    gap = rng.standard_gamma(kind.gap_shape, jobs) * kind.gap_scale
    while (late := np.flatnonzero(gap > LONGEST_LOG_GAP)).size:
        gap[late] = rng.standard_gamma(kind.gap_shape, late.size) * kind.gap_scale
    return arrivals(np.exp(gap), day_weights(kind), carry), width, run


def _widths(kind: Kind, jobs: int, processors: int, rng: np.random.Generator) -> Ints:
    """Return random widths, (jobs,)."""
    high = math.log2(processors) - kind.high
    medium = math.log2(processors) - kind.medium
    u, part, place = rng.random((3, jobs))
    lower = part <= kind.first
    x = np.where(lower, kind.low + place * (medium - kind.low), medium + place * (high - medium))
    # The same u decides serial and power of two, so that pow2 is a share of all jobs.
    x = np.where(u <= kind.serial + kind.pow2, np.floor(x + 0.5), x)
    width = np.where(u <= kind.serial, 1, np.floor(np.exp2(x) + 0.5)).astype(np.int64)
    # If the machine is no power of two, rounding log2 may exceed it; the authors' program does not care.
    return np.minimum(width, processors)


def _runs(kind: Kind, width: Ints, rng: np.random.Generator) -> Ints:
    """Return random run times, (n,) s, which depend on the widths."""
    p = np.clip(kind.pa * width + kind.pb, 0, 1)
    log_run = np.empty(width.size)
    rows = np.arange(width.size)
    while rows.size:  # a value that is too long is drawn again, together with its branch
        first = rng.random(rows.size) <= p[rows]
        draws = rng.standard_gamma(np.where(first, kind.a1, kind.a2)) * np.where(first, kind.b1, kind.b2)
        log_run[rows] = draws
        rows = rows[draws > LONGEST_LOG_RUN]
    return np.maximum(np.exp(log_run).astype(np.int64), 1)


def _users(jobs: int, rng: np.random.Generator) -> Ints:
    """Return random user numbers from 1, (jobs,)."""
    share = 1 / np.arange(1, USERS + 1)
    limits = np.cumsum(share / share.sum())
    return np.minimum(np.searchsorted(limits, rng.random(jobs), side="right"), USERS - 1) + 1


def _requests(run: Ints, estimates: str, rng: np.random.Generator) -> Ints:
    """Return the requested times, (n,) s."""
    if estimates == "exact":
        return run
    estimate: Ints = np.ceil(run * rng.uniform(1, LARGEST_FACTOR, run.size)).astype(np.int64)
    if estimates == "factor":
        return estimate
    # no run time of the model exceeds the longest request: e^12 s are 45.2 hours
    return TYPED[np.minimum(np.searchsorted(TYPED, estimate), TYPED.size - 1)]


def _header(processors: int, seed: int, variant: str, carry: bool, estimates: str) -> tuple[str, ...]:
    queues = ("MaxQueues: 2", "Queue: 0 interactive", "Queue: 1 batch") if variant == "two-type" else ()
    return (
        "Version: 2.2",
        f"Computer: model of a machine of {processors} processors",
        "Installation: none; generated by the workload model of Lublin and Feitelson (2003)",
        "Conversion: paretosched",
        f"MaxNodes: {processors}",
        f"MaxProcs: {processors}",
        f"UnixStartTime: {Workload.epoch}",
        "TimeZoneString: UTC",
        *queues,
        f"Note: variant {variant}, seed {seed}, carry {carry}, requested times {estimates}",
        f"Note: users are not part of the model: {USERS} users, job probability proportional to 1 / user number",
    )

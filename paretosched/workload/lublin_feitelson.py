"""The workload model of Lublin and Feitelson (JPDC 63(11):1105-1122, 2003).

Written after the authors' program m_lublin99.c, its quirks included: the day begins with bucket 11 (05:00), the
points and the remainder of an arrival carry over to the next one, clocks are cut to whole seconds at each arrival.
The model has neither requests nor users; both are added here, and neither depends on the other random numbers of
a job, so that the same seed gives the same jobs and users whatever the requests.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.tables import plain
from .user_groups import by_consumption
from .workload import WIDEST, Workload

VARIANTS = ("typeless", "two-type")
ESTIMATES = ("exact", "factor", "rounded")
LONGEST_LOG_RUN = 12.0
LONGEST_LOG_GAP = 13.0
BUCKET = 1800
BUCKETS = 48
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
    """The parameters of one type of job, by their names in the program; gamma by shape and scale.

    Attributes
    ----------
    serial, pow2
        Shares of all jobs that are serial, and that have a power of two of processors above 1.
    low, medium, high
        Limits of log2 of the width; the latter two are what is subtracted from log2 of the machine.
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
        Processors of the machine, 32 at least. Widths grow with it and arrivals stay: far above 128 the machine
        is overloaded.
    seed
        Of the one random number generator.
    variant
        "typeless", one type of job (thesis 004 has this one); or "two-type", batch (queue 1) and interactive
        (queue 0) with parameters of their own.
    carry
        False forgets the points and the remainder at each arrival, as the Java port in GridSim does, which makes
        arrivals denser by a twelfth.
    estimates
        Requested times: "exact", the run time; "factor", the run time times a uniform number in 1..5, rounded up
        (the model of Mu'alem and Feitelson, TPDS 12(6), 2001); "rounded", that time rounded up to a value users type, 5
        minutes to 48 hours (that requests cluster on few round values: Tsafrir, Etsion and Feitelson, JSSPP
        2005).

    Returns
    -------
    Workload
        Second 0 is Monday 2000-01-03 00:00 UTC. The users are 300; user k submits each job with a probability
        proportional to 1/k, so that heavy and light users make all five groups of paper 002.

    Raises
    ------
    InputError
        A number is out of range or a word unknown.

    Examples
    --------
    >>> w = lublin(jobs=100, processors=64, seed=1)
    >>> len(w), w.capacity, w.digest == lublin(jobs=100, processors=64, seed=1).digest
    (100, 64, True)
    """
    _check(jobs, processors, seed, variant, estimates)
    rng = np.random.default_rng(seed)
    if variant == "typeless":
        submit, width, run = _stream(TYPELESS, jobs, processors, carry, rng)
        queue = np.full(jobs, -1)
    else:
        # Of two jobs of one second the interactive one comes first: the program takes batch only if strictly earlier.
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
        records=records,
        header=_header(processors, seed, variant, carry, estimates),
        source=({"function": "lublin", **arguments},),
    )
    return by_consumption(workload)


def day_weights(kind: Kind) -> Floats:
    """Weights of the 48 half hours of a day, (48,), mean 1; the first is 00:00-00:30."""
    # scipy only here: a command that generates nothing shall not wait for it
    from scipy.special import gammainc

    bucket = np.arange(DAY_START, DAY_START + BUCKETS)
    upper, lower = (gammainc(kind.day_shape, (bucket + half) / kind.day_scale) for half in (0.5, -0.5))
    weights = np.empty(BUCKETS)
    weights[(bucket - 1) % BUCKETS] = upper - lower
    weights /= weights.mean()
    return weights


def arrivals(gaps: Floats, weights: Floats, carry: bool = True) -> Ints:
    """Turn the gaps of a stream into its clock.

    Parameters
    ----------
    gaps
        (n,) seconds, what the time between arrivals would be in a half hour of weight 1.
    weights
        (48,), what `day_weights` gives.
    carry
        Whether points and remainder persist between arrivals.

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


def _check(jobs: int, processors: int, seed: int, variant: str, estimates: str) -> None:
    if not 1 <= jobs <= MOST_JOBS:
        raise InputError(f"jobs must be in 1..{MOST_JOBS}, but is {jobs}")
    if not SMALLEST <= processors <= WIDEST:
        raise InputError(f"processors must be in {SMALLEST}..{WIDEST} for this model, but is {processors}")
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    for what, word, words in (("variant", variant, VARIANTS), ("estimates", estimates, ESTIMATES)):
        if word not in words:
            raise InputError(f'{what} must be one of {", ".join(words)}, but is "{word}"')


def _stream(kind: Kind, jobs: int, processors: int, carry: bool, rng: np.random.Generator) -> tuple[Ints, Ints, Ints]:
    """Draw one type of job: submission, width, run time, each (jobs,)."""
    width = _widths(kind, jobs, processors, rng)
    run = _runs(kind, width, rng)
    gap = rng.standard_gamma(kind.gap_shape, jobs) * kind.gap_scale
    while (late := np.flatnonzero(gap > LONGEST_LOG_GAP)).size:
        gap[late] = rng.standard_gamma(kind.gap_shape, late.size) * kind.gap_scale
    return arrivals(np.exp(gap), day_weights(kind), carry), width, run


def _widths(kind: Kind, jobs: int, processors: int, rng: np.random.Generator) -> Ints:
    high = math.log2(processors) - kind.high
    medium = math.log2(processors) - kind.medium
    u, part, place = rng.random((3, jobs))
    lower = part <= kind.first
    x = np.where(lower, kind.low + place * (medium - kind.low), medium + place * (high - medium))
    # The same u decides serial and power of two, so that pow2 is a share of all jobs.
    x = np.where(u <= kind.serial + kind.pow2, np.floor(x + 0.5), x)
    width = np.where(u <= kind.serial, 1, np.floor(np.exp2(x) + 0.5)).astype(np.int64)
    # Rounding log2 of a machine that is no power of two may exceed it; the program leaves that to its reader.
    return np.minimum(width, processors)


def _runs(kind: Kind, width: Ints, rng: np.random.Generator) -> Ints:
    p = np.clip(kind.pa * width + kind.pb, 0, 1)
    log_run = np.empty(width.size)
    rows = np.arange(width.size)
    while rows.size:  # the branch is drawn again with the value
        first = rng.random(rows.size) <= p[rows]
        draws = rng.standard_gamma(np.where(first, kind.a1, kind.a2)) * np.where(first, kind.b1, kind.b2)
        log_run[rows] = draws
        rows = rows[draws > LONGEST_LOG_RUN]
    return np.maximum(np.exp(log_run).astype(np.int64), 1)


def _users(jobs: int, rng: np.random.Generator) -> Ints:
    share = 1 / np.arange(1, USERS + 1)
    limits = np.cumsum(share / share.sum())
    return np.minimum(np.searchsorted(limits, rng.random(jobs), side="right"), USERS - 1) + 1


def _requests(run: Ints, estimates: str, rng: np.random.Generator) -> Ints:
    if estimates == "exact":
        return run
    asked: NDArray[np.int64] = np.ceil(run * rng.uniform(1, LARGEST_FACTOR, run.size)).astype(np.int64)
    if estimates == "factor":
        return asked
    # no run time of the model exceeds the longest request: e^12 s are 45.2 hours
    return TYPED[np.minimum(np.searchsorted(TYPED, asked), TYPED.size - 1)]


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

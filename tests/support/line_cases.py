"""Keys that are lines in the wait, and backfillings with any of their parts, as tests draw them."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from paretosched import Workload
from paretosched.core.arrays import Floats
from paretosched.kernels.formulas import postfix
from paretosched.kernels.inputs import Backfilling
from paretosched.kernels.keys import MARGIN, TINY
from paretosched.kernels.lines import Lines
from paretosched.policies.greedy_order import horizon
from paretosched.policies.line_orders import alike
from paretosched.policies.outcome import jobs_of
from support.naive import Job
from support.naive_priority import Backfill, Key, Moment, Rule
from support.prioritising import backfilling_of


def printed_lines(workload: Workload, alpha: Floats, beta: Floats) -> Lines:
    """Return keys that are alpha + beta * wait, evaluated in float64; alpha and beta are (3, n), beta 0 or more."""
    alpha, beta = np.ascontiguousarray(alpha), np.ascontiguousarray(beta)
    return Lines(
        alpha,
        beta,
        alike(workload, alpha, beta),
        postfix([f"#{s} #{3 + s} wait * +" for s in range(3)], np.concatenate([alpha, beta])),
        jobs_of(workload),
        np.zeros(len(workload)),
        MARGIN,
        MARGIN * 2.0 * float(np.abs(alpha).max()) + TINY,
        horizon(workload),
    )


def key_of(alpha: np.ndarray, beta: np.ndarray) -> Key:
    """Return the key of a line as a Python function."""

    def key(job: Job, now: Moment) -> float:
        return float(alpha[now.situation, job.row]) + float(beta[now.situation, job.row]) * float(now.t - job.arrival)

    return key


def random_lines(w: Workload, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha and beta of few different values, so that many keys are equal or nearly so."""
    shape = 3, max(3, len(w))
    scale = 10.0 ** rng.integers(-3, 4)
    alpha = rng.choice([0.0, 1.0, 1.0 + 2**-50, 0.3, -2.5, 7.0], shape) * scale
    beta = rng.choice([0.0, 0.1, 1 / 3, 1.0, 0.1 + 0.2, 0.3], shape) * rng.choice([1e-3, 1.0])
    if rng.random() < 0.5:  # all depends on the kind of job
        kind = w.group % 3
        alpha, beta = alpha[:, kind], beta[:, kind]
    if rng.random() < 0.3:
        beta[rng.integers(3)] = 0.0
    return alpha[:, : len(w)], beta[:, : len(w)]


def backfill_of(w: Workload, rng: np.random.Generator, reservations: int | None) -> Backfill:
    """Return a backfilling with any of its parts."""
    groups = range(len(w.groups))
    middle = int(np.median(w.estimate))
    return Backfill(
        reservations,
        frozenset(g for g in groups if rng.random() < 0.6) if rng.random() < 0.6 else None,
        {g: int(middle * 2 * rng.random()) + 1 for g in groups if rng.random() < 0.5},
        frozenset(g for g in groups if rng.random() < 0.4) if rng.random() < 0.6 else frozenset(),
        int(rng.choice([0, 0, 1, middle])),
    )


class LineCase(NamedTuple):
    """Two orders of lines and a backfilling, as kernels take them, and the rule of the oracle."""

    order: Lines
    candidates: Lines
    backfilling: Backfilling
    rule: Rule

    def starts(self, kernel: Callable[..., object], w: Workload) -> list[int]:
        """Return the start times by a kernel."""
        start = np.full(len(w), -7, dtype=np.int64)
        kernel(jobs_of(w), w.capacity, w.calendar, self.order, self.candidates, self.backfilling, start)
        return start.tolist()  # type: ignore[no-any-return]


def random_case(w: Workload, seed: int, reservations: int | None, with_slack: bool = True) -> LineCase:
    """Return orders and a backfilling by a seed; the candidates have an order of their own or not."""
    rng = np.random.default_rng(seed)
    backfill = backfill_of(w, rng, reservations)
    backfill = backfill if with_slack else backfill._replace(slack=0)
    order, other = random_lines(w, rng), random_lines(w, rng)
    same = bool(rng.random() < 0.5)
    lines = printed_lines(w, *order)
    return LineCase(
        lines,
        lines if same else printed_lines(w, *other),
        backfilling_of(backfill, len(w.groups), same),
        Rule(key_of(*order), backfill, None if same else key_of(*other)),
    )

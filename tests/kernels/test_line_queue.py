"""Orders of lines with any backfilling against the naive oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.core.arrays import Floats
from paretosched.kernels.formulas import postfix
from paretosched.kernels.keys import MARGIN, TINY
from paretosched.kernels.line_queue import in_order_of_lines
from paretosched.kernels.lines import Lines
from paretosched.policies.greedy_order import horizon
from paretosched.policies.line_orders import alike
from paretosched.policies.outcome import jobs_of
from support.naive import Job
from support.naive_priority import Backfill, Key, Moment, Rule, start_times
from support.prioritising import ORDERS, backfilling_of, in_parts
from support.simulating import DEEP, briefly, thoroughly
from support.zoo import ZOO, workloads

RESERVATIONS = (0, 1, 2, 3, 8, None)


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
        return float(alpha[now.situation, job.row]) + float(beta[now.situation, job.row]) * float(now.t - job.submit)

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
    groups = range(len(w.groups))
    middle = int(np.median(w.estimate))
    return Backfill(
        reservations,
        frozenset(g for g in groups if rng.random() < 0.6) if rng.random() < 0.6 else None,
        {g: int(middle * 2 * rng.random()) + 1 for g in groups if rng.random() < 0.5},
        frozenset(g for g in groups if rng.random() < 0.4) if rng.random() < 0.6 else frozenset(),
        int(rng.choice([0, 0, 1, middle])),
    )


def starts_of(w: Workload, order: Lines, candidates: Lines | None, backfill: Backfill) -> list[int]:
    start = np.full(len(w), -7, dtype=np.int64)
    backfilling = backfilling_of(backfill, len(w.groups), candidates is None)
    in_order_of_lines(jobs_of(w), w.capacity, w.calendar, order, candidates or order, backfilling, start)
    return start.tolist()  # type: ignore[no-any-return]


def check(w: Workload, seed: int, reservations: int | None) -> None:
    """Compare with the oracle, and with the kernel for any formula."""
    rng = np.random.default_rng(seed)
    backfill = backfill_of(w, rng, reservations)
    order, other = random_lines(w, rng), random_lines(w, rng)
    same = bool(rng.random() < 0.5)
    lines, others = printed_lines(w, *order), None if same else printed_lines(w, *other)
    rule = Rule(key_of(*order), backfill, None if same else key_of(*other))
    start = starts_of(w, lines, others, backfill)
    assert start == start_times(w, rule), seed
    general = np.full(len(w), -7, dtype=np.int64)
    backfilling = backfilling_of(backfill, len(w.groups), same)
    programs = lines.program, (others or lines).program
    no_usage = np.empty(0, dtype=np.int64), np.ones(len(w)), 1.0
    in_parts(jobs_of(w), w.capacity, w.calendar, *programs, backfilling, *no_usage, general)
    assert start == general.tolist(), seed


@pytest.mark.parametrize("reservations", RESERVATIONS)
@briefly
@given(w=workloads(max_jobs=14), seed=st.integers(0, 10**6))
def test_equals_the_oracle_on_any_workload(reservations: int | None, w: Workload, seed: int) -> None:
    check(w, seed, reservations)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        check(ZOO[name], seed, reservations)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS * 2):
        check(DEEP[kind](seed), seed, reservations)


@pytest.mark.slow
@thoroughly
@given(w=workloads(max_jobs=14), seed=st.integers(0, 10**6))
def test_a_monotone_transform_of_a_line_is_settled_by_its_formula(w: Workload, seed: int) -> None:
    rng = np.random.default_rng(seed)
    backfill = backfill_of(w, rng, RESERVATIONS[seed % len(RESERVATIONS)])
    beta = np.tile(1.0 / w.estimate, (3, 1))
    lines = printed_lines(w, np.zeros((3, len(w))), beta)._replace(
        program=postfix(ORDERS["lxf"].words, np.empty((0, len(w)))), shares=np.ones(len(w)), alike=alike(w)
    )
    assert starts_of(w, lines, None, backfill) == start_times(w, Rule(ORDERS["lxf"].key, backfill))

"""What schedules of FCFS, List and EASY must obey; `tests/policies/test_plain.py` compares them with the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from paretosched import Workload, simulate
from paretosched.policies.plain import Plain
from support.naive import naive
from support.simulating import briefly, starts
from support.zoo import workloads


@pytest.mark.slow
@briefly
@given(w=workloads())
def test_no_job_overtakes_under_fcfs(w: Workload) -> None:
    assert (np.diff(simulate(w, "fcfs").start) >= 0).all()


@briefly
@given(w=workloads())
def test_without_early_ends_no_reservation_of_easy_is_missed(w: Workload) -> None:
    """Nor with early ends: they only help the head."""
    schedule = simulate(w, "easy")
    for t in sorted({*w.submit.tolist(), *schedule.finish.tolist()}):
        waiting = np.flatnonzero((w.submit <= t) & (schedule.start > t))
        if waiting.size:
            head = int(waiting[0])
            running = np.flatnonzero((schedule.start <= t) & (schedule.finish > t))
            free = w.capacity - int(w.width[running].sum())
            for j in sorted(running, key=lambda j: schedule.start[j] + w.estimate[j]):
                free += int(w.width[j])
                if free >= w.width[head]:
                    assert schedule.start[head] <= schedule.start[j] + w.estimate[j]
                    break


@briefly
@given(w=workloads())
def test_no_job_that_fits_waits_under_list(w: Workload) -> None:
    schedule = simulate(w, "list")
    for t in {*w.submit.tolist(), *schedule.finish.tolist()}:
        running = (schedule.start <= t) & (schedule.finish > t)
        waiting = (w.submit <= t) & (schedule.start > t)
        free = w.capacity - int(w.width[running].sum())
        assert not (w.width[waiting] <= free).any()


@pytest.mark.slow
@pytest.mark.parametrize("widest", [3, 12])
def test_equals_the_oracle_where_small_jobs_are_long_and_short_jobs_are_wide(widest: int) -> None:
    """The tree of the smallest alone would lead to all of them, so that another one takes its place."""
    rng = np.random.default_rng(widest)
    small = rng.random(1200) < 0.5
    estimate = np.where(small, rng.integers(500, 900, 1200), rng.integers(5, 60, 1200))
    w = Workload(
        submit=np.sort(rng.integers(0, 30, 1200)),
        run=np.ceil(estimate * rng.random(1200)).astype(np.int64),
        estimate=estimate,
        width=np.where(small, rng.integers(1, widest, 1200), rng.integers(32, 65, 1200)),
        capacity=64,
    )
    assert starts(w, "easy") == naive(w, Plain("easy"))

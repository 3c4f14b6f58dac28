"""EASY where its rows of widths are set up; `tests/policies/test_plain.py` compares all plain rules with the oracle."""

import numpy as np
import pytest

from paretosched import Workload
from paretosched.kernels.fcfs_easy import backfill_until, no_slots
from paretosched.kernels.inputs import Jobs
from paretosched.kernels.running import running_jobs
from paretosched.kernels.waiting_sizes import NO_JOB
from paretosched.kernels.waiting_tree import FAR
from paretosched.kernels.waiting_widths import BITS
from paretosched.policies.plain import Plain
from support.naive import naive
from support.simulating import starts


def small_long_and_short_wide(n: int, widest: int, waves: int, length: int) -> Workload:
    """Return n jobs on 64 processors that arrive in waves of `length` s; in between, all earlier ones end."""
    rng = np.random.default_rng(widest)
    small = rng.random(n) < 0.5
    estimate = np.where(small, rng.integers(500, 900, n), rng.integers(5, 60, n))
    return Workload(
        submit=np.sort(rng.integers(0, waves, n) * 200_000 + rng.integers(0, length, n)),
        run=np.ceil(estimate * rng.random(n)).astype(np.int64),
        estimate=estimate,
        width=np.where(small, rng.integers(1, widest, n), rng.integers(32, 65, n)),
        capacity=64,
    )


@pytest.mark.slow
@pytest.mark.parametrize(("widest", "length"), [(3, 30), (12, 4000), (12, 20_000)])
def test_equals_the_oracle_where_small_jobs_are_long_and_short_jobs_are_wide(widest: int, length: int) -> None:
    """The tree of the smallest alone would lead to all of them, so that the rows of `Widths` are set up."""
    w = small_long_and_short_wide(2400, widest, 2, length)
    assert starts(w, "easy") == naive(w, Plain("easy"))


@pytest.mark.parametrize("until", [2500, 4000, 6000, 20_000])
def test_the_rows_are_those_of_the_jobs_that_wait(until: int) -> None:
    """They are set up early, filled again when the tree grows, and then follow each arrival and each start."""
    w = small_long_and_short_wide(3000, 12, 1, 4000)
    jobs = Jobs(w.submit - w.submit[0], w.run, w.estimate, w.width, np.zeros(len(w), np.int64))
    queue = no_slots(len(w), w.capacity, True)
    start = np.full(len(w), -1)
    backfill_until(jobs, w.capacity, True, until, running_jobs(start, w.capacity, True), queue)
    assert queue.widths.columns[0] > 1
    width, estimate = queue.least[queue.row_of.size :].T
    arrived = int((jobs.submit < until).sum())
    waiting = np.flatnonzero(width[:arrived] < FAR)
    left = start[:arrived] < 0
    assert set(zip(width[waiting], estimate[waiting], strict=True)) == set(
        zip(w.width[:arrived][left], w.estimate[:arrived][left], strict=True)
    )
    edges = queue.widths.edges[: queue.widths.columns[0]]
    for block in range((waiting.max() >> BITS) + 1):
        inside = waiting[waiting >> BITS == block]
        expected = np.full(edges.size, NO_JOB)
        np.minimum.at(expected, np.searchsorted(edges, width[inside], side="right") - 1, estimate[inside])
        row = queue.widths.shortest[(queue.row_of.size >> BITS) + block, : edges.size]
        assert row.tolist() == expected.tolist(), block

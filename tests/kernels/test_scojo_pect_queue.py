"""The queue of SCOJO-PECT against a list of the waiting jobs."""

import numpy as np
import pytest

from paretosched.core.arrays import Ints, Order
from paretosched.kernels.inputs import Jobs
from paretosched.kernels.scojo_pect_queue import Queue, enter, leave, longest_short, next_within, queue_for, set_limits
from paretosched.kernels.waiting_tree import FAR


@pytest.mark.slow
@pytest.mark.parametrize("most", [3, 40, 2000])  # waiting jobs: in one bench, in some, in many
def test_a_search_finds_the_jobs_that_a_look_at_all_finds(most: int) -> None:
    rng = np.random.default_rng(most)
    n = 2500
    width = rng.integers(1, 100, n) // rng.integers(1, 9, n) + 1
    belief = rng.integers(1, 60, n)
    kind = rng.integers(0, 3, n)
    zeros = np.zeros(n, np.int64)
    jobs = Jobs(zeros, belief, belief, width, zeros)
    queue = queue_for(jobs)
    started = np.zeros(n, np.bool_)
    waiting: list[list[int]] = [[], [], []]
    for j in range(n):
        enter(queue, jobs, belief, int(kind[j]), j)
        waiting[kind[j]].append(j)
        while sum(map(len, waiting)) > most:
            x = int(rng.integers(3))
            if waiting[x]:
                k = waiting[x].pop(int(rng.integers(len(waiting[x]))))
                started[k] = True
                leave(queue, jobs, belief, x, k)
        if j % 100:
            continue
        # Until second 20 there are 30 processors, then 12, and from second 45 on 5.
        when, room, span = np.array([0, 20, 45]), np.array([30, 12, 5]), np.array([0, 3])
        slice_end = int(rng.choice([15, 30, FAR]))
        set_limits(queue, when, room, span, True, 30, 0, slice_end)
        for x, rows in enumerate(waiting):
            ends = [min(int(belief[k]), slice_end) for k in rows]
            fitting = [k for k, end in zip(rows, ends, strict=True) if width[k] <= room[when < end].min()]
            within = [k for k in rows if belief[k] <= queue.limits[queue.range[k]]]
            assert set(fitting) <= set(within)
            assert all(width[k] > queue.edges[queue.range[k]] for k in within if k not in fitting)
            assert search(queue, belief, x, queue.limits) == within
            assert search(queue, belief, x, queue.endless) == rows
            assert (queue.waiting[x], queue.width[x]) == (len(rows), width[rows].sum())
            assert queue.work[x] == (width[rows] * belief[rows]).sum()
        assert longest_short(queue, started) == max((int(belief[k]) for k in waiting[0]), default=0)


def search(queue: Queue, belief: Ints, x: int, limits: Order) -> list[int]:
    """Return the rows of all jobs of class x that a search finds."""
    rows = []
    slot = int(next_within(queue, belief, x, 0, limits))
    while slot >= 0:
        rows.append(int(queue.row[x, slot]))
        slot = int(next_within(queue, belief, x, slot + 1, limits))
    return rows

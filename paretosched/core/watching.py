"""How far a simulation is: its start times, for another thread that waits for it."""

from __future__ import annotations

from contextvars import ContextVar

import numpy as np

from .arrays import Ints

NOT_STARTED = -1

WATCHED: ContextVar[list[Ints] | None] = ContextVar("WATCHED", default=None)


def unknown_starts(jobs: int) -> Ints:
    """Return an array, (jobs,) int64, that a kernel fills with the start times of a simulation, s.

    A thread that has set WATCHED to a list finds the array there. All its entries are then NOT_STARTED at first, so
    that the jobs that have started can be counted while the kernel runs. Kernels need nothing for it.
    """
    starts = WATCHED.get()
    if starts is None:
        return np.empty(jobs, np.int64)
    start = np.full(jobs, NOT_STARTED, np.int64)
    starts.append(start)
    return start

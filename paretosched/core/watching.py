"""How far work is: a simulation's start times, for another thread that waits for it; and how long the rest takes."""

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


def seconds_left(first: tuple[float, int], now: tuple[float, int], total: int) -> float | None:
    """Return the seconds until all is done, from two times, s, and how much was done then; None without any progress.

    Examples
    --------
    >>> seconds_left((0.0, 10), (20.0, 50), 110), seconds_left((0.0, 10), (0.0, 10), 110)
    (30.0, None)
    """
    done = now[1] - first[1]
    return (total - now[1]) * (now[0] - first[0]) / done if done > 0 else None

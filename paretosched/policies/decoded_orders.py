"""The start times of an order of all jobs, which knows their true run times: what is possible offline."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..kernels.decoding import earliest_fit, strict
from ..workload.workload import Workload
from .outcome import down_of, jobs_of

DECODINGS = ("strict", "earliest")


def decoded_start_times(workload: Workload, order: NDArray[np.int32], decoding: str) -> NDArray[np.int64]:
    """Return the start times, (n,) int64 s, of an order, (n,) int32 and C-contiguous, which must be a permutation.

    `decoding` is one of DECODINGS, see `paretosched.decode`.
    """
    arrivals = workload.of_equal_processors("a schedule decoded from an order of jobs").in_arrival_order
    w = arrivals.jobs
    start = np.empty(len(w), dtype=np.int64)
    rows = arrivals.to_places(order).view()
    rows.flags.writeable = False  # for writeable arrays kernels would be compiled again
    if decoding == "strict":
        strict(jobs_of(w), w.capacity, down_of(w), rows, start)
    else:
        earliest_fit(jobs_of(w), w.capacity, down_of(w), rows, start)
    return arrivals.by_row(start)

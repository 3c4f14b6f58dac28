"""Orders of the waiting jobs that are lines in the wait, as kernels take them."""

from __future__ import annotations

import numpy as np

from ..core.arrays import Floats, Mask
from ..kernels.formulas import MOST_DEEP, OPERATIONS, Program
from ..kernels.inputs import Jobs
from ..kernels.keys import MARGIN, TINY
from ..kernels.lines import Lines
from ..workload.workload import Workload
from .greedy_order import horizon
from .outcome import jobs_of


def printed_lines(workload: Workload, alpha: Floats, beta: Floats) -> Lines:
    """Return keys that are alpha + beta * wait, evaluated in float64; alpha and beta are (3, n), beta 0 or more."""
    alpha, beta = np.ascontiguousarray(alpha), np.ascontiguousarray(beta)
    return Lines(
        alpha,
        beta,
        True,
        alike(workload, alpha, beta),
        line_program(alpha, beta),
        jobs_of(workload),
        np.zeros(0),
        MARGIN,
        MARGIN * 2.0 * float(np.abs(alpha).max()) + TINY,
        horizon(workload),
    )


def line_program(alpha: Floats, beta: Floats) -> Program:
    """Return the byte code of alpha + beta * wait, for kernels that take any formula."""
    words = ("column", "column", "wait", "*", "+")
    code = [
        (OPERATIONS.index(word), column)
        for s in range(3)
        for word, column in zip(words, (s, 3 + s, 0, 0, 0), strict=True)
    ]
    return Program(
        np.array(code, dtype=np.int64),
        np.arange(4, dtype=np.int64) * len(words),
        np.zeros(0),
        np.concatenate([alpha, beta]),
        np.empty(MOST_DEEP),
    )


def alike(workload: Workload, *tables: Floats) -> Mask:
    """Return which jobs equal the job in the row before, (n,) bool: in what is known of them and in tables (k, n)."""
    jobs: Jobs = jobs_of(workload)
    columns = np.vstack([jobs.submit, jobs.estimate, jobs.width, jobs.group])
    same = np.zeros(len(workload), dtype=bool)
    same[1:] = np.all([(table[:, 1:] == table[:, :-1]).all(axis=0) for table in (columns, *tables)], axis=0)
    return same

"""Orders of the waiting jobs that are lines in the wait, as kernels take them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats, Mask
from ..kernels.inputs import Jobs
from ..kernels.keys import MARGIN, TINY
from ..kernels.lines import Lines, resting
from ..workload.workload import Workload
from .formula import Term
from .formula_analysis import LINE, STATIC, STEEP, shape_of
from .formula_program import program_of
from .greedy_order import horizon
from .outcome import jobs_of

# A key that is infinite as soon as a job waits, as that of a serial job by UNICEF, is a line as steep as this: steeper
# than any other line, so that such a job comes first after a second; rounding errors before are those of close games.
STEEPEST = 1e30
USUAL = 1e20  # the largest key by another line


def formula_lines(workload: Workload, keys: Sequence[Term], shares: Floats) -> Lines | None:
    """Return keys by formulas as lines in the wait; None if one of them is not known to be static or a line.

    Parameters
    ----------
    workload
        The jobs.
    keys
        Three terms; the job with the largest value comes first.
    shares
        (n,) float64, the share of each job's account.
    """
    shapes = {key: shape_of(key) for key in keys}
    if any(shape.kind not in (STATIC, LINE) for shape in shapes.values()):
        return None
    n = len(workload)
    tables = {key: _static_line(workload, key, shares) for key in shapes if shapes[key].line is None}
    rounding, largest = MARGIN, 0.0
    for key, shape in shapes.items():
        if shape.line is not None:
            alpha, beta, size = (values_at_rest(workload, term, shares) for term in shape.line[:3])
            tables[key] = alpha, beta
            rounding = max(rounding, shape.line.margin)
            largest = max(largest, float(np.abs(alpha).max()), float(size.max()))
    alpha, beta = (np.array([tables[key][part] for key in keys]) for part in range(2))
    usual = beta[beta < STEEPEST].max(initial=0.0) * horizon(workload)
    is_too_steep = (beta > STEEPEST) & (beta < STEEP)  # which would be told apart from no other such line
    if not np.isfinite(alpha).all() or is_too_steep.any() or usual + np.abs(alpha).max() > USUAL:
        return None
    beta = np.minimum(beta, STEEPEST)
    program = program_of(keys, workload)
    return Lines(
        alpha,
        beta,
        alike(workload, program.columns, shares[None]),
        program,
        jobs_of(workload),
        shares,
        rounding,
        4.0 * rounding * max(largest, float(n)) + TINY,
        horizon(workload),
    )


def _static_line(workload: Workload, key: Term, shares: Floats) -> tuple[Floats, Floats]:
    """Return alpha and beta, two (n,), of a key without waits: jobs are numbered from the last one to the first."""
    n = len(workload)
    alpha = np.empty(n)
    alpha[np.argsort(-values_at_rest(workload, key, shares), kind="stable")] = np.arange(n, 0, -1)
    return alpha, np.zeros(n)


def values_at_rest(workload: Workload, term: Term, shares: Floats) -> Floats:
    """Return the value of a term without waits and usage for each job, (n,) float64."""
    return resting(program_of([term] * 3, workload), 0, jobs_of(workload), shares)


def alike(workload: Workload, *tables: Floats) -> Mask:
    """Return which jobs equal the job in the row before, (n,) bool: in what is known of them and in tables (k, n)."""
    jobs: Jobs = jobs_of(workload)
    columns = np.vstack([jobs.submit, jobs.estimate, jobs.width, jobs.group])
    same = np.zeros(len(workload), dtype=bool)
    same[1:] = np.all([(table[:, 1:] == table[:, :-1]).all(axis=0) for table in (columns, *tables)], axis=0)
    return same

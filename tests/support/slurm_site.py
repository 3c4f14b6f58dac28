"""Keys of waiting jobs by a policy at one second, while other jobs run."""

from __future__ import annotations

from collections.abc import Mapping

from paretosched import Priority, Workload
from paretosched.kernels.formulas import evaluate
from paretosched.kernels.usage import no_usage, note_usage, usage_of
from paretosched.policies.outcome import jobs_of


def keys_at(policy: Priority, w: Workload, t: int, started: Mapping[int, int]) -> list[float]:
    """Return the keys of all jobs in second t; `started` has the rows of jobs that run, and when they started."""
    queue, jobs = policy.queue(w), jobs_of(w)
    usage = no_usage(queue.accounts, queue.half_life, queue.tree)
    for row, second in sorted(started.items(), key=lambda pair: pair[1]):
        note_usage(usage, row, second, int(w.width[row]))
    rows = range(len(w))
    return [float(evaluate(queue.order, 0, jobs, j, t, usage_of(usage, j, t), queue.shares[j])) for j in rows]

"""Keys of waiting jobs by a policy at one second, while other jobs run."""

from collections.abc import Mapping

from paretosched import Priority, Workload
from paretosched.kernels.formulas import evaluate
from paretosched.kernels.usage import no_usage, note_usage, usage_of
from paretosched.policies.outcome import jobs_of


def keys_at(
    policy: Priority, w: Workload, t: int, started: Mapping[int, int], ended: Mapping[int, int] | None = None
) -> list[float]:
    """Return the keys of all jobs in second t; `started` and `ended` have rows of jobs, and when they did so."""
    queue, jobs = policy.queue(w), jobs_of(w)
    usage = no_usage(queue.accounts, queue.half_life, queue.tree)
    notes = [(second, row, int(w.width[row])) for row, second in started.items()]
    notes += [(second, row, -int(w.width[row])) for row, second in (ended or {}).items()]
    for second, row, width in sorted(notes):
        note_usage(usage, row, second, width)
    rows = range(len(w))
    return [float(evaluate(queue.order, 0, jobs, j, t, usage_of(usage, j, t), queue.shares[j])) for j in rows]

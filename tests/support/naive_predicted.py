"""One pass at each event on nodes with predicted run times; see `support.naive_rhythms` and `support.oracle`.

All goes by predictions, but for two things: which partitions let a job in, and that no node that a job gets goes down
within its request.
"""

from collections.abc import Sequence

from support import naive, oracle
from support.naive_machine import Busy, Down, Job, Machine, lets_in
from support.naive_rhythms import Order, beyond, by_arrival, changes_of, in_tiers, start_beside


def runs_as_predicted(
    machine: Machine,
    jobs: Sequence[Job],
    how: str,
    order: Order = by_arrival,
    reservations: int = 1,
    skips: bool = False,
) -> dict[int, Busy]:
    """Return what each job gets, by row, as `naive_rhythms.ideal` without limits and dependencies.

    `how` says how run times are predicted, see `oracle.prediction`. A job that still runs when it was expected to end
    gets a longer prediction, in an event of its own.
    """
    requests = {job.row: job.limit or 0 for job in jobs}
    users = any(job.ask.same_user for job in jobs)
    corrections = dict.fromkeys(requests, 0)
    expected: dict[int, int] = {}  # when a running job is expected to end
    runs: dict[int, Busy] = {}
    history: list[Job] = []
    waiting: list[Job] = []
    t = -1
    while events := {
        *beyond(t, (job.arrival for job in jobs)),
        *beyond(t, (run.end for run in runs.values())),
        *(expected[row] for row, run in runs.items() if t < expected[row] < run.end),
        *(beyond(t, changes_of(machine)) if waiting else ()),
    }:
        t = min(events)
        history += [job for job in jobs if job.row in runs and runs[job.row].end == t]
        for row, run in runs.items():
            if expected[row] == t < run.end:
                started = naive.Started(as_asked(run.job, expected[row] - run.begin), run.begin)
                expected[row] = oracle.with_longer_prediction(started, requests, corrections).expected_end
        for job in jobs:
            if job.arrival == t:
                ended = [as_asked(other, requests[other.row]) for other in history if other.user == job.user]
                limit = min(requests[job.row], oracle.prediction(how, ended, requests[job.row]))
                waiting.append(job._replace(limit=limit))
        running = [run for run in runs.values() if run.end > t]
        there = [run._replace(end=expected[run.job.row]) for run in running]
        queue = in_tiers(machine, order(t, list(waiting), running))
        for run in start_beside(
            lambda job: as_asked_for(machine, job, requests[job.row]), t, queue, there, reservations, skips, users
        ):
            expected[run.job.row] = run.end
            runs[run.job.row] = run._replace(end=t + run.job.run)
            waiting.remove(run.job)
    return runs


def as_asked_for(machine: Machine, job: Job, request: int) -> Machine:
    """Return the machine that a job of a request may use: a node goes down as much earlier as it is longer."""
    asked = job._replace(limit=request)
    parts = {name: part._replace(up=lets_in(part, asked)) for name, part in machine.partitions.items()}
    seconds = request - (job.limit or 0)
    down = tuple(Down(each.begin - seconds, each.end, each.nodes) for each in machine.down)
    return machine._replace(partitions=parts, down=down)


def as_asked(job: Job, estimate: int) -> naive.Job:
    """Return a job with an estimate, as `support.oracle` wants it."""
    return naive.Job(job.row, job.arrival, job.run, estimate, job.ask.tasks, -1)

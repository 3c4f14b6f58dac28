"""The lives of jobs in Slurm's passes, of which some are cut short, beside those of the oracle."""

import numpy as np
import pytest

import paretosched as ps
from paretosched.policies.priority import ALL
from paretosched.policies.whole_nodes import WholeNodes
from support.naive_machine import Busy
from support.naive_rhythms import Rhythm, by_arrival, slurm_lives
from support.naive_values import naive_of
from support.placing import as_runs, runs_of

PASSES = ps.Priority("fcfs", backfill=ps.Backfill(ALL), nodes=WholeNodes(()))
Life = tuple[int, int, int, bool]


def lives_of(schedule: ps.Schedule) -> list[Life]:
    """Return row, begin, end of the lives of jobs that were cut short, and whether they came back."""
    if schedule.lives is None:
        return []
    return list(zip(*(column.tolist() for column in schedule.lives[:4]), strict=True))


def last_lives(workload: ps.Workload) -> tuple[dict[int, Busy], list[Life]]:
    """Return the last life of each job by the oracle, by row, and all that were cut short."""
    return in_last_lives(slurm_lives(*naive_of(workload), Rhythm(epoch=workload.epoch), by_arrival))


def in_last_lives(runs: list[Busy]) -> tuple[dict[int, Busy], list[Life]]:
    """Return the last one of the lives of each job, by row, and all that were cut short."""
    last = {run.job.row: run for run in sorted(runs, key=lambda run: run.begin)}
    cut = [run for run in runs if run is not last[run.job.row] or run.end - run.begin < run.job.run]
    return last, sorted((run.job.row, run.begin, run.end, run is not last[run.job.row]) for run in cut)


def check_lives(workload: ps.Workload, last: dict[int, Busy], cut: list[Life]) -> None:
    """Refuse a simulation in the passes that has other lives than these, of the oracle, or waits without a reason."""
    if len(last) < len(workload):
        with pytest.raises(ps.InputError, match="every job must fit on its nodes"):
            ps.simulate(workload, PASSES)
        return
    schedule = ps.simulate(workload, PASSES).check()
    assert as_runs(schedule) == runs_of(workload, last)
    assert lives_of(schedule) == cut
    assert schedule.waiting is not None
    assert (schedule.waiting.seconds >= 0).all()
    assert np.array_equal(schedule.waiting.seconds.sum(axis=1), schedule.start - workload.submit)

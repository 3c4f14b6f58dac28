"""On nodes limits hold jobs and dependencies let them come as an oracle in plain Python has it, nodes included."""

from collections.abc import Callable
from typing import Any

import pytest

import paretosched as ps
from paretosched.policies.priority import ALL as ALL_RESERVED
from paretosched.policies.whole_nodes import WholeNodes
from support.limit_zoo import by_arrival, limited_case
from support.naive_arrivals import submission_of
from support.naive_machine import Busy, Job
from support.naive_rhythms import ALL, Rhythm, ideal, keep_places, slurm
from support.naive_values import naive_of
from support.placing import as_runs, runs_of

SEEDS = range(20)
WHAT = {
    "limits": (True, False),
    "dependencies": (False, True),
    "both": (True, True),
    "arrays": (False, False, True),
    "arrays, limits, dependencies": (True, True, True),
}


def shortest_first(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs by their limits."""
    return sorted(waiting, key=lambda job: (job.limit or 0, job.arrival, submission_of(job), job.row))


def by_wait(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs by wait divided by limit, those of one priority as they were submitted."""
    return sorted(waiting, key=lambda job: (-(t - job.arrival) / (job.limit or 1), submission_of(job), job.row))


def by_submission(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs as they were submitted."""
    return sorted(waiting, key=lambda job: (submission_of(job), job.row))


IDEAL: dict[str, tuple[Any, Callable[..., dict[int, Busy]]]] = {
    "fcfs": ("fcfs", lambda machine, jobs: ideal(machine, jobs, by_arrival, reservations=0)),
    "list": ("list", lambda machine, jobs: ideal(machine, jobs, by_arrival, reservations=0, skips=True)),
    "easy": ("easy", lambda machine, jobs: ideal(machine, jobs, by_arrival)),
    "all reservations": (
        "conservative-replan",
        lambda machine, jobs: ideal(machine, jobs, by_arrival, reservations=ALL),
    ),
    "kept places": ("conservative", keep_places),
    "shortest first, three": (
        ps.Priority("-estimate", backfill="easy:3"),
        lambda machine, jobs: ideal(machine, jobs, shortest_first, reservations=3),
    ),
}
LOOKS: dict[str, tuple[dict[str, int], int, dict[str, int]]] = {
    "as by default": ({}, ALL_RESERVED, {}),
    "one plan a partition": ({"every": 20}, 1, {"bf_interval": 20, "bf_job_part_count_reserve": 1}),
    "few jobs": (
        {"tested": 4, "first": 3, "account": 2, "stops": 1},
        ALL_RESERVED,
        {"bf_max_job_test": 4, "queue_depth": 3, "bf_max_job_assoc": 2, "assoc_limit_stop": 1},
    ),
}


@pytest.mark.parametrize("policy", IDEAL)
@pytest.mark.parametrize("what", WHAT)
def test_the_engine_equals_the_oracle(what: str, policy: str) -> None:
    rule, oracle = IDEAL[policy]
    compared = 0
    for seed in SEEDS:
        workload = limited_case(seed, *WHAT[what])
        runs = oracle(*naive_of(workload))
        if len(runs) == len(workload):  # else a limit would keep a job out for ever
            assert as_runs(ps.simulate(workload, rule).check()) == runs_of(workload, runs), seed
            compared += 1
    assert compared > len(SEEDS) // 2


@pytest.mark.parametrize("order", ["fcfs", "wait/estimate"])
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("what", WHAT)
def test_the_passes_of_slurm_equal_the_oracle(what: str, look: str, order: str) -> None:
    nodes, reservations, rhythm = LOOKS[look]
    policy = ps.Priority(order, backfill=ps.Backfill(reservations), nodes=WholeNodes((), **nodes))
    compared = 0
    for seed in SEEDS:
        workload = limited_case(seed, *WHAT[what])
        by = by_submission if order == "fcfs" else by_wait
        runs = slurm(*naive_of(workload), Rhythm(epoch=workload.epoch, **rhythm), by)  # type: ignore[arg-type]
        if len(runs) == len(workload):
            assert as_runs(ps.simulate(workload, policy).check()) == runs_of(workload, runs), seed
            compared += 1
    assert compared > len(SEEDS) // 2

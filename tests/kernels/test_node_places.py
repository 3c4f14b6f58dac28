"""The engine on machines of nodes equals an oracle in plain Python, job by job, nodes included."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched import Workload
from paretosched.kernels.node_places import lift_tiers
from paretosched.kernels.node_plan import HOLDER
from paretosched.kernels.waiting_heap import Waiting, make_heap, take_first
from paretosched.policies.node_plans import node_plan
from support.machine_zoo import MACHINE_ZOO, crowded_case, random_case
from support.naive_machine import Busy, Job
from support.naive_predicted import runs_as_predicted
from support.naive_rhythms import ALL, ideal, keep_places
from support.naive_values import naive_of
from support.placing import as_runs, runs_of

EVERY = MACHINE_ZOO | {f"random {seed}": random_case(seed) for seed in range(15)}


def shortest_first(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs by their limits."""
    return sorted(waiting, key=lambda job: (job.limit or 0, job.row))


def longest_wait_by_limit(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs by wait divided by limit, an order that changes while they wait."""
    return sorted(waiting, key=lambda job: (-(t - job.arrival) / (job.limit or 1), job.row))


ORACLES: dict[str, tuple[Any, Callable[..., dict[int, Busy]]]] = {
    "fcfs": ("fcfs", lambda machine, jobs: ideal(machine, jobs, reservations=0)),
    "list": ("list", lambda machine, jobs: ideal(machine, jobs, reservations=0, skips=True)),
    "easy": ("easy", ideal),
    "two reservations": (
        ps.Priority("wait", backfill="easy:2"),
        lambda machine, jobs: ideal(machine, jobs, reservations=2),
    ),
    "all reservations": ("conservative-replan", lambda machine, jobs: ideal(machine, jobs, reservations=ALL)),
    "kept places": ("conservative", keep_places),
    "shortest first": (
        ps.Priority("-estimate", backfill="easy"),
        lambda machine, jobs: ideal(machine, jobs, shortest_first),
    ),
    "shortest first, three": (
        ps.Priority("-estimate", backfill="easy:3"),
        lambda machine, jobs: ideal(machine, jobs, shortest_first, reservations=3),
    ),
    "wait by estimate": (
        ps.Priority("wait/estimate", backfill="easy"),
        lambda machine, jobs: ideal(machine, jobs, longest_wait_by_limit),
    ),
}


@pytest.mark.parametrize("policy", ORACLES)
@pytest.mark.parametrize("name", EVERY)
def test_the_engine_equals_the_oracle(name: str, policy: str) -> None:
    workload, (rule, oracle) = EVERY[name], ORACLES[policy]
    runs = oracle(*naive_of(workload))
    schedule = ps.simulate(workload, rule).check()
    assert as_runs(schedule) == runs_of(workload, runs)


def starts_beside(workload: Workload, policy: Any, **words: Any) -> list[int]:
    """Return the start times of a policy; its schedule is checked."""
    return ps.simulate(workload, policy, **words).check().start.tolist()


PREDICTED: dict[str, tuple[Any, dict[str, Any]]] = {
    "fcfs": ("fcfs", {"reservations": 0}),
    "list": ("list", {"reservations": 0, "skips": True}),
    "easy": ("easy", {}),
    "all reservations": ("conservative-replan", {"reservations": ALL}),
    "shortest first, three": (
        ps.Priority("-estimate", backfill="easy:3"),
        {"order": shortest_first, "reservations": 3},
    ),
    "wait by estimate": (ps.Priority("wait/estimate", backfill="easy"), {"order": longest_wait_by_limit}),
}


@pytest.mark.parametrize("how", ["recent", "predicted"])
@pytest.mark.parametrize("policy", PREDICTED)
def test_with_predicted_run_times_the_engine_equals_the_oracle(policy: str, how: str) -> None:
    """In the tenth one a job of a prediction of 1 s and a request of 60 s comes 12 s before a node goes down."""
    rule, words = PREDICTED[policy]
    for seed in range(12):
        workload = crowded_case(seed)
        schedule = ps.simulate(workload, rule, how).check()
        assert as_runs(schedule) == runs_of(workload, runs_as_predicted(*naive_of(workload), how, **words)), seed


def test_predictions_matter_on_crowded_machines() -> None:
    cases = [crowded_case(seed) for seed in range(20)]
    other = [starts_beside(w, "easy") != starts_beside(w, "easy", estimates="recent") for w in cases]
    assert sum(other) > 5


@pytest.mark.parametrize("name", list(EVERY)[::3])
def test_what_is_predicted_can_be_run(name: str) -> None:
    for estimates in ("recent", "predicted", "exact"):
        starts_beside(EVERY[name], "conservative", estimates=estimates)


def test_jobs_that_ran_although_they_ask_for_more_time_than_any_partition_allows_do_so() -> None:
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),), (ps.Partition("a", longest=60), ps.Partition("b", longest=600)))
    asks = ps.Requests(tasks=[4, 4], partition=["a,b", "a,b"], memory_per_node=[1, 1])
    w = Workload([0, 0], [50, 50], [900, 50], [4, 4], capacity=4, machine=machine, requests=asks)
    for estimates in ("requested", "exact"):
        schedule = ps.simulate(w, "easy", estimates).check()
        assert schedule.start.tolist() == [0, 50]
        assert schedule.placement is not None
        assert schedule.placement.partition.tolist() == [1, 0]


def test_licences_may_be_counted_with_an_equals_sign() -> None:
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),), licences={"lic": 2})
    asks = ps.Requests(tasks=[1, 1, 1], licences=["lic=2", "lic:1", ""], memory_per_node=[1, 1, 1])
    w = Workload([0, 0, 0], [50] * 3, [50] * 3, [1] * 3, capacity=4, machine=machine, requests=asks)
    assert ps.simulate(w, "easy").check().start.tolist() == [0, 50, 0]


@pytest.mark.parametrize("largest", [3.0, 1e250, np.inf, -np.inf])
def test_jobs_of_higher_tiers_come_first_then_those_of_the_largest_keys(largest: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(30):
        count = int(rng.integers(1, 40))
        tiers = rng.choice([1, 1, 100, 65533], count)
        keys = rng.choice([-np.inf, -2.5, 0.0, 1.0, largest], count)
        queue = rng.permutation(count).astype(np.int64)
        holders = np.zeros(count, HOLDER)
        holders["tier"] = tiers
        plan = node_plan(next(iter(EVERY.values())))._replace(holders=holders)
        expected = sorted(range(count), key=lambda place: (-tiers[queue[place]], -keys[place], queue[place]))
        wanted = [int(queue[place]) for place in expected]
        waiting = Waiting(queue.copy(), queue.copy(), keys.copy())
        lift_tiers(plan, waiting.queue, waiting.keys, count)
        make_heap(waiting.queue, waiting.keys, count)
        assert [int(take_first(waiting, 0, count - taken, True)) for taken in range(count)] == wanted

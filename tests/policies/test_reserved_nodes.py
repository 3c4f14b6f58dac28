"""Jobs in reservations, and beside them, equal the oracle in both rhythms: nodes and lives included; and by hand."""

from dataclasses import replace
from typing import Any

import pytest

import paretosched as ps
from paretosched.policies.priority import ALL
from paretosched.policies.whole_nodes import WholeNodes
from paretosched.workload.machine import Reservation
from support.limit_zoo import by_arrival as by_second
from support.naive_rhythms import ideal, keep_places
from support.naive_values import naive_of
from support.placing import as_runs, runs_of
from support.reserved_zoo import reserved_case
from support.short_lives import PASSES, check_lives, last_lives, lives_of

SEEDS = range(60)


@pytest.mark.parametrize("seed", SEEDS)
def test_every_life_in_the_passes_equals_the_oracle(seed: int) -> None:
    workload = reserved_case(seed)
    check_lives(workload, *last_lives(workload))


@pytest.mark.parametrize("policy", ["fcfs", "easy", "conservative"])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_ideal_rhythm_equals_the_oracle(seed: int, policy: str) -> None:
    """Every third time some jobs wait for others."""
    case = reserved_case(seed, with_dependencies=seed % 3 == 0)
    assert case.machine is not None
    workload = case.with_(machine=replace(case.machine, limits=()))
    if policy == "conservative":
        runs = keep_places(*naive_of(workload))
    else:
        runs = ideal(*naive_of(workload), by_second, reservations={"fcfs": 0, "easy": 1}[policy])
    if len(runs) < len(workload):
        with pytest.raises(ps.InputError, match="every job must fit on its nodes"):
            ps.simulate(workload, policy)
        return
    assert as_runs(ps.simulate(workload, policy).check()) == runs_of(workload, runs)


def course(submit: list[int], run: list[int], named: list[str], *kept: Reservation, **more: Any) -> ps.Workload:
    """Return jobs that want all four cores of one of two nodes for as long as they run."""
    n = len(run)
    machine = ps.Machine((ps.NodeKind("n[1-2]", 4, 8000),), reservations=kept)
    asks = ps.Requests(tasks=[4] * n, memory_per_node=[1] * n, reservation=named)
    given = {"estimate": run} | more
    return ps.Workload(submit, run, width=[4] * n, capacity=8, machine=machine, requests=asks, epoch=0, **given)


ON_N1 = Reservation("course", "n1", 100, 200)


def starts_of(w: ps.Workload, policy: Any) -> list[tuple[int, str]]:
    """Return when and on which node each job starts; the schedule is checked."""
    return [(start, *held) for start, held in as_runs(ps.simulate(w, policy).check())]


@pytest.mark.parametrize("policy", ["easy", "conservative", PASSES])
def test_nodes_are_kept_for_those_who_name_the_reservation(policy: Any) -> None:
    """The others end before it or go elsewhere; a job in it waits for its begin, although both nodes are free."""
    w = course([0, 0, 1, 1], [150, 60, 60, 50], ["", "", "course", "none"], ON_N1)
    assert starts_of(w, policy) == [(0, "n2"), (0, "n1"), (100, "n1"), (150, "n2")]


@pytest.mark.parametrize("policy", ["easy", "conservative", PASSES])
def test_who_comes_too_late_is_like_all_others(policy: Any) -> None:
    w = course([0, 201, 201], [10, 60, 60], ["", "course", ""], ON_N1)
    assert starts_of(w, policy) == [(0, "n1"), (201, "n1"), (201, "n2")]


def test_a_reservation_ends_its_jobs_in_slurm_only() -> None:
    w = course([0, 110], [10, 150], ["", "course"], ON_N1)
    schedule = ps.simulate(w, PASSES).check()
    assert schedule.finish.tolist() == [10, 200]
    assert lives_of(schedule) == [(1, 110, 200, False)]
    assert schedule.preemption is not None
    assert (schedule.preemption["cancelled"], schedule.preemption["with_reservation"]) == (1, 1)
    assert ps.simulate(w, "easy").finish.tolist() == [10, 260]


def test_with_flex_a_job_may_begin_before_and_elsewhere() -> None:
    w = course([0, 0, 1], [150, 60, 300], ["", "", "course"], Reservation("course", "n1", 100, 200, flags=("FLEX",)))
    assert starts_of(w, "easy") == [(0, "n2"), (0, "n1"), (60, "n1")]


def test_maintenance_is_for_nobody() -> None:
    """A job that names it is like all others."""
    w = course([0, 0, 1], [150, 60, 60], ["", "", "m"], Reservation("m", "n1", 100, 200, flags=("MAINT",)))
    assert starts_of(w, "easy") == [(0, "n2"), (0, "n1"), (150, "n2")]


def test_waiting_for_the_own_reservation_is_its_reason() -> None:
    w = course([0, 0, 1], [150, 60, 60], ["", "", "course"], ON_N1)
    waiting = ps.simulate(w, "easy").waiting
    assert waiting is not None
    assert {row["reason"]: round(row["hours"] * 3600) for row in waiting.table()} == {"Reservation": 99}


def test_a_schedule_on_nodes_that_are_kept_from_its_jobs_is_refused() -> None:
    kept = course([0, 0], [150, 60], ["", "course"], ON_N1)
    free = ps.simulate(course([0, 0], [150, 60], ["", ""]), "easy")
    with pytest.raises(ps.InputError, match="no job may be on a node that a reservation keeps from it, but 1 job"):
        ps.Schedule(kept, free.start, placement=free.placement).check()


@pytest.mark.parametrize(("depth", "start"), [(0, 1), (2, 120), (3, 1)])
def test_a_main_pass_looks_at_some_jobs_of_each_partition(depth: int, start: int) -> None:
    """The last job, on a free node, is not looked at while two wait before it for the other node."""
    asks = ps.Requests(tasks=[4, 4, 4, 4], memory_per_node=[1] * 4, hosts=["n1", "n1", "n1", "n2"])
    machine = ps.Machine((ps.NodeKind("n[1-2]", 4, 8000),))
    w = ps.Workload(
        [0, 1, 1, 1], [60] * 4, [60] * 4, [4] * 4, capacity=8, machine=machine, requests=asks, epoch=0
    )  # fmt: skip
    policy = ps.Priority("fcfs", backfill=ps.Backfill(0), nodes=WholeNodes((), depth=depth))
    assert ps.simulate(w, policy).start.tolist()[3] == start


@pytest.mark.parametrize("tasks", [20, 1])
def test_so_many_tasks_of_an_array_are_planned(tasks: int) -> None:
    """With one plan of the array a long job is backfilled onto the node that the second task would have."""
    asks = ps.Requests(
        tasks=[4, 2, 4, 4, 2], memory_per_node=[1] * 5, hosts=["n1", "n2", "", "", ""], array=[0, 0, 9, 9, 0],
        array_index=[0, 0, 1, 2, 0],
    )  # fmt: skip
    machine = ps.Machine((ps.NodeKind("n[1-2]", 4, 8000),))
    w = ps.Workload(
        [0, 0, 1, 1, 3], [560, 1000, 500, 500, 1500], [600, 1200, 600, 600, 3600], [4, 2, 4, 4, 2], capacity=8,
        machine=machine, requests=asks, epoch=0,
    )  # fmt: skip
    policy = ps.Priority("fcfs", backfill=ps.Backfill(ALL), nodes=WholeNodes((), tasks=tasks))
    last = ps.simulate(w, policy).start.tolist()[4]
    assert (last == 30) == (tasks == 1)

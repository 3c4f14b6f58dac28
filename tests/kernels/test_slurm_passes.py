"""Slurm's rhythm on machines of nodes equals an oracle in plain Python, job by job, nodes included."""

from typing import Any, NamedTuple

import pytest

import paretosched as ps
from paretosched.policies.priority import ALL
from paretosched.policies.whole_nodes import WholeNodes
from paretosched.workload.limits import Limits
from support.machine_zoo import MACHINE_ZOO, random_case
from support.naive_machine import Busy, Job
from support.naive_rhythms import Order, Rhythm, slurm
from support.naive_values import naive_of
from support.placing import as_runs, runs_of
from support.short_lives import PASSES

EVERY = MACHINE_ZOO | {f"random {seed}": random_case(seed) for seed in range(30)}


class Look(NamedTuple):
    """How often and how far Slurm looks: as a policy says it, and as the oracle does."""

    nodes: dict[str, int]
    reservations: int
    rhythm: dict[str, int]


LOOKS = {
    "as by default": Look({}, ALL, {}),
    "one plan a partition": Look(
        {"every": 20, "step": 7, "main": 50},
        1,
        {"bf_interval": 20, "bf_resolution": 7, "sched_interval": 50, "bf_job_part_count_reserve": 1},
    ),
    "few jobs": Look(
        {"every": 15, "step": 10, "tested": 4, "first": 2, "user": 2, "partition": 3, "started": 2},
        ALL,
        {"bf_interval": 15, "bf_resolution": 10, "bf_max_job_test": 4, "queue_depth": 2, "bf_max_job_user": 2,
         "bf_max_job_part": 3, "bf_max_job_start": 2},
    ),
    "a short window": Look({"every": 30, "window": 60}, ALL, {"bf_window": 60}),
}  # fmt: skip


def by_arrival(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs as they arrived."""
    return sorted(waiting, key=lambda job: job.row)


def by_wait(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs by wait divided by limit, an order that changes while they wait."""
    return sorted(waiting, key=lambda job: (-(t - job.arrival) / (job.limit or 1), job.row))


ORDERS: dict[str, Order] = {"fcfs": by_arrival, "wait/estimate": by_wait}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", EVERY)
def test_the_passes_equal_the_oracle(name: str, look: str, order: str) -> None:
    workload, of = EVERY[name], LOOKS[look]
    runs = slurm(*naive_of(workload), Rhythm(epoch=workload.epoch, **of.rhythm), ORDERS[order])
    policy = ps.Priority(order, backfill=ps.Backfill(of.reservations), nodes=WholeNodes((), **of.nodes))
    if len(runs) < len(workload):
        with pytest.raises(ps.InputError, match="every job must fit on its nodes"):
            ps.simulate(workload, policy)
        return
    assert as_runs(ps.simulate(workload, policy).check()) == runs_of(workload, runs)


@pytest.mark.parametrize("name", EVERY)
def test_without_backfilling_there_are_main_passes_only(name: str) -> None:
    workload = EVERY[name]
    runs = slurm(*naive_of(workload), Rhythm(epoch=workload.epoch, bf_interval=10**9, bf_first=-1), by_arrival)
    if len(runs) == len(workload):
        schedule = ps.simulate(workload, "fcfs; backfill: none; passes: every 30s").check()
        assert as_runs(schedule) == runs_of(workload, runs)


def starts(workload: ps.Workload, policy: Any, **words: Any) -> list[int]:
    """Return the start times of a policy; its schedule is checked."""
    return ps.simulate(workload, policy, **words).check().start.tolist()


def jobs_on_one_node(run: list[int], limit: list[int], tasks: list[int], **more: Any) -> ps.Workload:
    """Return jobs on a node of four cores that are submitted one second after the other."""
    asks = ps.Requests(tasks=tasks, memory_per_node=[1] * len(tasks), **more)
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),))
    return ps.Workload(range(len(run)), run, limit, tasks, capacity=4, machine=machine, requests=asks, epoch=0)


def test_a_planned_node_is_closed_as_a_whole() -> None:
    """The third job would not be in the way of the second one, but its node is closed; the fourth one ends before."""
    w = jobs_on_one_node([300, 300, 900, 60], [300, 300, 900, 60], [3, 3, 1, 1])
    assert starts(w, "easy") == [0, 300, 2, 600]
    assert starts(w, "fcfs; backfill: conservative; passes: every 30s") == [0, 300, 300, 30]


def test_predicted_run_times_move_plans() -> None:
    w = jobs_on_one_node([300, 300, 280, 60], [900, 300, 280, 60], [3, 3, 1, 1]).with_(user=[1, 1, 2, 2])
    words = "fcfs; backfill: conservative; passes: every 30s"
    assert starts(w, words) == [0, 300, 30, 310]
    assert starts(w, words, estimates="exact") == [0, 300, 300, 30]
    for estimates in ("recent", "predicted"):
        assert len(starts(w, words, estimates=estimates)) == 4


def test_a_priority_that_is_said_comes_before_the_usual_one_if_it_is_larger() -> None:
    w = jobs_on_one_node([100, 100, 100], [100] * 3, [4, 4, 4], priority=[0, 0, 500])
    nodes = WholeNodes((), usual=1)
    assert starts(w, ps.Priority("fcfs", backfill=ps.Backfill(ALL), nodes=nodes)) == [0, 200, 100]
    nodes = WholeNodes((), usual=1000)
    assert starts(w, ps.Priority("fcfs", backfill=ps.Backfill(ALL), nodes=nodes)) == [0, 100, 200]


def test_a_job_below_the_least_priority_is_not_planned_and_stops_nobody() -> None:
    w = jobs_on_one_node([300, 300, 900], [300, 300, 900], [3, 3, 1], priority=[600, 400, 300])
    words = "fcfs; backfill: conservative; passes: every 30s"
    assert starts(w, words) == [0, 300, 300]
    assert starts(w, f"{words} priority 500") == [0, 300, 2]


@pytest.mark.parametrize("array", [False, True])
def test_jobs_that_cannot_have_a_turn_do_not_count_for_the_jobs_that_are_tested(array: bool) -> None:
    """Two jobs wait for the limit of their user, or of their array; the third one, of another user, is backfilled."""
    limits = () if array else (Limits("normal", "", "", "", {"MaxJobsPU": 1}),)
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000),), limits=limits)
    tasks = {"array": [9, 9, 9, 0], "array_index": [0, 1, 2, 0], "array_most": [1, 1, 1, 0]} if array else {}
    asks = ps.Requests(tasks=[2, 1, 1, 1], memory_per_node=[1] * 4, qos=["normal"] * 4, **tasks)
    w = ps.Workload(
        [0, 1, 2, 3], [900, 100, 100, 100], [1200, 1200, 1200, 300], [2, 1, 1, 1], capacity=4, user=[1, 1, 1, 2],
        machine=machine, requests=asks, epoch=0,
    )  # fmt: skip
    nodes = WholeNodes((), tested=2, first=1, main=100_000)
    assert starts(w, ps.Priority("fcfs", backfill=ps.Backfill(ALL), nodes=nodes))[3] == 30


@pytest.mark.slow
def test_passes_end_where_a_job_never_starts_and_another_one_waits_for_it() -> None:
    """It gets two CPUs, more than its limit, which is known only then; the other one never comes."""
    limits = Limits("normal", "", "", "", {"MaxTRESPU": {"cpu": 1}})
    machine = ps.Machine((ps.NodeKind("n1", 4, 8000, threads=2),), limits=(limits,))
    asks = ps.Requests(tasks=[1, 1], memory_per_node=[1, 1], dependency=["", "afterok:1"])
    w = ps.Workload(
        [0, 5], [100] * 2, [100] * 2, [1, 1], capacity=8, machine=machine, requests=asks, epoch=0, job=[1, 2]
    )  # fmt: skip
    for policy in (PASSES, "easy"):
        with pytest.raises(ps.InputError, match="every job must fit on its nodes"):
            ps.simulate(w, policy)

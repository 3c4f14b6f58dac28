"""Nodes that fail, are drained and come back in Slurm's passes: every life equals the oracle; and by hand."""

from dataclasses import replace
from functools import cache

import pytest

import paretosched as ps
from paretosched.policies.cut_jobs import least_runs
from paretosched.workload.preemption import Preemption
from support.failing_zoo import failing_case, last_lives_of
from support.naive_machine import Busy
from support.placing import as_runs
from support.short_lives import PASSES, Life, check_lives, lives_of

SEEDS = range(120)


@cache
def of_case(seed: int) -> tuple[dict[int, Busy], list[Life]]:
    return last_lives_of(failing_case(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_life_equals_the_oracle(seed: int) -> None:
    check_lives(failing_case(seed), *of_case(seed))


def test_the_random_cases_are_of_use() -> None:
    """Jobs are lost with nodes and come back, beside those that make way."""
    lives = [life for seed in SEEDS for life in of_case(seed)[1]]
    assert len({seed for seed in SEEDS if of_case(seed)[1]}) >= 40
    assert sum(not again for *_, again in lives) >= 15
    assert sum(again for *_, again in lives) >= 40


def three_nodes(*down: ps.Outage, **more: object) -> ps.Workload:
    """Return the jobs of the scene c01 of a real Slurm: A to E, of which B must not be requeued."""
    asked = ps.Requests(
        tasks=[2, 2, 4, 4, 4], nodes_least=[1] * 5, nodes_most=[1] * 5, memory_per_node=[10] * 5,
        requeue=[-1, 0, -1, -1, -1],
    )  # fmt: skip
    machine = ps.Machine((ps.NodeKind("n[1-3]", 4, 8000),), down=down, **more)  # type: ignore[arg-type]
    return ps.Workload(
        [0, 0, 60, 250, 260], [600, 600, 300, 300, 100], [1200] * 5, asked.tasks, capacity=12, machine=machine,
        requests=asked, epoch=0,
    )  # fmt: skip


def test_a_node_fails_and_another_one_is_drained_as_on_a_real_slurm() -> None:
    """There A and B ended at 200; C ran on at n2 until 365, D began at 250 on n1, E at 261, and A at 363 on n3."""
    w = three_nodes(ps.Outage("n1", 200, 201, kind="failure"), ps.Outage("n2", 150, kind="drain"))
    schedule = ps.simulate(w, PASSES).check()
    assert lives_of(schedule) == [(0, 0, 200, True), (1, 0, 200, False)]
    starts, nodes = schedule.start.tolist(), [[*held] for _, held in as_runs(schedule)]
    assert starts == [360, 0, 60, 250, 260]
    assert nodes == [["n3"], ["n1"], ["n2"], ["n1"], ["n3"]]
    assert schedule.waiting is not None
    hours = {row["reason"]: row["hours"] * 3600 for row in schedule.waiting.table()}
    assert hours == {"BeginTime": 121, "NODE_FAIL": 200, "Resources or Priority": 39}
    assert schedule.preemption is not None
    assert schedule.preemption["with_node"] == schedule.preemption["times"] == 2
    assert schedule.preemption["lost_cpu_hours"] == pytest.approx(4 * 200 / 3600)
    assert least_runs(w).tolist() == [600, 1, 300, 300, 100]  # B is lost with any node


def test_what_is_known_beforehand_loses_nothing() -> None:
    """The same times, known: nobody is on n1 in second 200, and C not on n2."""
    w = three_nodes(ps.Outage("n1", 200, 201), ps.Outage("n2", 150))
    schedule = ps.simulate(w, PASSES).check()
    assert schedule.lives is None
    times = zip(schedule.start.tolist(), schedule.finish.tolist(), as_runs(schedule), strict=True)
    assert all(finish <= 200 or start > 200 for start, finish, (_, held) in times if "n1" in held)


def test_other_policies_know_all_of_them_beforehand() -> None:
    sudden = ps.Outage("n1", 200, 201, kind="failure"), ps.Outage("n2", 150, kind="drain")
    known = [replace(each, kind="known") for each in sudden]
    starts = [ps.simulate(three_nodes(*down), "easy").start.tolist() for down in (sudden, known)]
    assert starts[0] == starts[1]


def test_a_machine_without_requeue_loses_its_jobs() -> None:
    """JobRequeue=0, without any preemption."""
    w = three_nodes(ps.Outage("n1", 200, 201, kind="failure"), preemption=Preemption("qos", "off", requeues=False))
    assert lives_of(ps.simulate(w, PASSES).check()) == [(0, 0, 200, False), (1, 0, 200, False)]


def test_a_start_on_a_drained_node_is_refused() -> None:
    drained = ps.simulate(three_nodes(ps.Outage("n2", 50, kind="drain")), PASSES).check()
    assert drained.placement is not None
    with pytest.raises(ps.InputError, match="no job may start on a node that is drained, but n3 from second 60 on"):
        ps.Schedule(three_nodes(ps.Outage("n3", 50, kind="drain")), drained.start, placement=drained.placement).check()


def test_nodes_that_fail_where_jobs_are_suspended_are_refused() -> None:
    w = three_nodes(ps.Outage("n1", 200, 201, kind="failure"), preemption=Preemption("partition_prio", "suspend"))
    with pytest.raises(ps.InputError, match='which is not simulated; let their kind be "drain"'):
        ps.simulate(w, PASSES)


def test_an_outage_has_a_kind_that_is_known() -> None:
    with pytest.raises(ps.InputError, match="kind must be one of"):
        ps.Outage("n1", 5, 6, kind="broken")

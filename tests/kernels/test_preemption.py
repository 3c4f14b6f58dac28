"""Jobs that make way for others in Slurm's passes equal the oracle: every life, nodes included; and by hand."""

from functools import cache
from typing import Any

import pytest

import paretosched as ps
from paretosched.kernels.preemption import REQUEUE_DELAY
from paretosched.workload.preemption import Preemption
from support import naive_preemption
from support.naive_machine import Busy
from support.placing import as_runs, runs_of
from support.preemption_zoo import preempting_case
from support.short_lives import PASSES, Life, check_lives, last_lives, lives_of

SEEDS = range(160)


@cache
def of_case(seed: int) -> tuple[dict[int, Busy], list[Life]]:
    return last_lives(preempting_case(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_every_life_equals_the_oracle(seed: int) -> None:
    check_lives(preempting_case(seed), *of_case(seed))


def test_the_random_cases_are_of_use() -> None:
    """Jobs come back and are cancelled, some more than once, and the modes, times and orders make a difference."""
    cut = [of_case(seed)[1] for seed in SEEDS]
    lives = [life for each in cut for life in each]
    assert sum(bool(each) for each in cut) >= 40
    assert sum(not again for *_, again in lives) >= 10
    assert sum(again for *_, again in lives) >= 60
    assert any(len(each) > len({row for row, *_ in each}) for each in cut)
    assert REQUEUE_DELAY == naive_preemption.REQUEUE_DELAY


def low_and_high(rules: Preemption | None, sizes: list[int], high: int, **more: Any) -> ps.Workload:
    """Return low jobs of 900 s on a node of eight cores, and a high one of 60 s that comes in second 300."""
    n = len(sizes)
    asks = ps.Requests(tasks=[*sizes, high], memory_per_node=[1] * (n + 1), partition=["low"] * n + ["high"], **more)
    parts = ps.Partition("low", default=True), ps.Partition("high", tier=10)
    machine = ps.Machine((ps.NodeKind("n1", 8, 16000),), parts, preemption=rules)
    run = [900] * n + [60]
    return ps.Workload(
        [0] * n + [300], run, [1800] * (n + 1), asks.tasks, capacity=8, machine=machine, requests=asks, epoch=0
    )


def test_a_low_job_starts_again_from_its_beginning() -> None:
    schedule = ps.simulate(low_and_high(Preemption("partition_prio"), [8], 8), PASSES).check()
    assert lives_of(schedule) == [(0, 0, 301, True)]
    assert (schedule.start.tolist(), schedule.finish.tolist()) == ([422, 301], [1322, 361])
    assert schedule.preemption == {
        "jobs": 1, "times": 1, "cancelled": 0, "with_reservation": 0, "with_node": 0, "lost_cpu_hours": 8 * 301 / 3600,
        "lost_percent": pytest.approx(100 * 301 / (301 + 900 + 60)),
    }  # fmt: skip
    assert schedule.waiting is not None
    assert {row["reason"]: row["hours"] * 3600 for row in schedule.waiting.table()} == {
        "BeginTime": pytest.approx(121), "Preempted": pytest.approx(301), "Resources or Priority": pytest.approx(1),
    }  # fmt: skip


@pytest.mark.parametrize("rules", [Preemption("partition_prio", mode="cancel"), Preemption("partition_prio")])
def test_a_job_that_is_not_requeued_ends(rules: Preemption) -> None:
    said = {} if rules.mode == "cancel" else {"requeue": [0, -1]}
    schedule = ps.simulate(low_and_high(rules, [8], 8, **said), PASSES).check()
    assert lives_of(schedule) == [(0, 0, 301, False)]
    assert schedule.finish.tolist() == [301, 361]
    assert schedule.response.tolist() == [301, 61]


@pytest.mark.parametrize(
    "rules", [None, Preemption("partition_prio", mode="off"), Preemption("partition_prio", modes={"low": "off"})]
)
def test_without_rules_nobody_makes_way(rules: Preemption | None) -> None:
    workload = low_and_high(rules, [8], 8)
    assert ps.simulate(workload, PASSES).start.tolist() == [0, 900]
    assert ps.simulate(workload.without("preemption"), PASSES).lives is None


def test_a_job_waits_for_the_next_start_of_one_that_made_way() -> None:
    """It comes four minutes after that: the low one runs from 0 to 201, and again from 322 on."""
    machine = low_and_high(Preemption("partition_prio"), [8], 8).machine
    asks = ps.Requests(
        tasks=[8, 1, 8], memory_per_node=[1] * 3, partition=["low", "high", "high"], dependency=["", "after:1+4", ""]
    )
    w = ps.Workload(
        [0, 50, 200], [900, 60, 60], [1800] * 3, asks.tasks, capacity=8, machine=machine, requests=asks,
        job=[1, 2, 3], epoch=0,
    )  # fmt: skip
    schedule = ps.simulate(w, PASSES).check()
    assert lives_of(schedule)[0] == (0, 0, 201, True)
    assert schedule.start[2] == 201
    assert schedule.workload.eligible[1] >= 322 + 240


def test_a_job_that_ends_within_its_grace_has_ended() -> None:
    workload = low_and_high(Preemption("partition_prio", grace={"low": 700}), [8], 8)
    schedule = ps.simulate(workload, PASSES).check()
    assert (schedule.lives, schedule.start.tolist()) == (None, [0, 900])


def test_other_policies_preempt_nobody() -> None:
    workload = low_and_high(Preemption("partition_prio"), [8], 8)
    assert ps.simulate(workload, "easy").start.tolist() == [0, 900]


def test_more_lives_than_there_was_room_for() -> None:
    """Two low jobs make way for each of forty high ones, and the arrays of the engine grow."""
    n = 40
    asks = ps.Requests(tasks=[4, 4] + [8] * n, memory_per_node=[1] * (n + 2), partition=["low"] * 2 + ["high"] * n)
    machine = low_and_high(Preemption("partition_prio"), [8], 8).machine
    submit = [0, 0, *(300 * (i + 1) for i in range(n))]
    run = [900] * 2 + [60] * n
    workload = ps.Workload(submit, run, [1800] * (n + 2), asks.tasks, capacity=8, machine=machine, requests=asks)
    last, cut = last_lives(workload)
    schedule = ps.simulate(workload, PASSES).check()
    assert lives_of(schedule) == cut
    assert as_runs(schedule) == runs_of(workload, last)
    assert len(cut) > n + 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"kind": "tier"}, "kind must be one of"),
        ({"mode": "gang"}, "mode must be one of"),
        ({"modes": {"low": "gang"}}, "mode of low must be one of"),
        ({"grace": {"low": -1}}, "grace of low must be in"),
        ({"over": {"urgent": "low"}}, "over of urgent must be a list of QOS, but is 'low'"),
        ({"over": {"urgent": [1]}}, "over must have names of partitions or QOS, but has 1"),
        ({"ranks": 3}, "ranks must be pairs of a name and a value"),
        ({"youngest": 1}, "youngest must be"),
    ],
)
def test_rules_must_be_rules(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ps.InputError, match=message):
        Preemption(**{"kind": "qos"} | words)

"""Which limits hold which jobs."""

from dataclasses import replace
from typing import Any

import pytest

import paretosched as ps
from paretosched.policies.limit_pools import SHARED
from paretosched.workload.limits import NAMES, NOT_SIMULATED, SUBMITTED, Limits

ONE = ps.Machine((ps.NodeKind("n[1-2]", 4, 8000, {"v100": 2}),))


def of_qos(qos: str = "normal", **values: Any) -> Limits:
    """Return the limits of a QOS."""
    return Limits(qos, "", "", "", values)


def starts(limits: list[Limits], users: list[int], machine: ps.Machine = ONE, run: int = 100, **asks: Any) -> list[int]:
    """Return when jobs start under EASY that are submitted one second after the other."""
    n = len(users)
    asked = {"tasks": [1] * n, "memory_per_node": [1] * n, "account": ["a"] * n} | asks
    w = ps.Workload(
        range(n), [run] * n, [run] * n, asked["tasks"], capacity=8, user=users,
        machine=replace(machine, limits=tuple(limits), accounts=(("a", "root"), ("b", "a"))),
        requests=ps.Requests(**asked), epoch=0,
    )  # fmt: skip
    return ps.simulate(w, "easy").check().start.tolist()


def test_running_jobs_of_a_user_are_counted_and_others_pass() -> None:
    assert starts([of_qos(MaxJobsPU=1)], [1, 1, 2, 1]) == [0, 100, 2, 200]


def test_resources_of_a_user_are_counted() -> None:
    assert starts([of_qos(MaxTRESPU={"cpu": 3})], [1, 1, 2], tasks=[2, 2, 2]) == [0, 100, 2]
    gpus = {"gpus_per_node": [1, 1, 1], "gpu_type": ["v100"] * 3}
    assert starts([of_qos(MaxTRESPU={"gres/gpu:v100": 1})], [1, 1, 2], **gpus) == [0, 100, 2]
    assert starts([of_qos(MaxTRESPU={"gres/gpu:p100": 1})], [1, 1, 2], **gpus) == [0, 1, 2]
    memory = {"memory_per_node": [1000] * 3}
    assert starts([of_qos(GrpTRES={"mem": 2000 * 1024})], [1, 2, 3], **memory) == [0, 1, 100]


def test_a_node_on_which_several_jobs_of_a_group_are_counts_once() -> None:
    assert starts([of_qos(GrpTRES={"node": 1})], [1, 2, 3], tasks=[2, 2, 2]) == [0, 1, 100]


def test_an_account_counts_the_jobs_of_those_below() -> None:
    above = Limits("", "a", "", "", {"GrpJobs": 1})
    assert starts([above], [1, 2, 3], account=["a", "b", "c"]) == [0, 100, 2]


def test_a_user_has_the_limit_of_the_nearest_account_above() -> None:
    rows = [Limits("", "a", "", "", {"MaxJobs": 1}), Limits("", "b", "1", "", {"MaxJobs": 2})]
    assert starts(rows, [1, 1, 1, 2, 2], account=["b"] * 5) == [0, 1, 100, 3, 103]


def test_the_qos_of_a_partition_comes_first() -> None:
    parts = (ps.Partition("p", own_qos="part", default=True),)
    rows = [of_qos(MaxJobsPU=1), of_qos("part", MaxJobsPU=2)]
    machine = replace(ONE, partitions=parts)
    assert starts(rows, [1, 1, 1], machine) == [0, 1, 100]
    rows[0] = replace(rows[0], flags=("OverPartQOS",))
    assert starts(rows, [1, 1, 1], machine) == [0, 100, 200]


def test_minutes_to_come_are_counted_every_five_minutes() -> None:
    """The first job takes 20 of 30 minutes; after 10 the second one fits."""
    assert starts([of_qos(GrpTRESRunMins={"cpu": 30})], [1, 2], run=1200) == [0, 600]


def test_a_job_that_is_larger_than_a_limit_ran_all_the_same() -> None:
    assert starts([of_qos(MaxTRESPU={"cpu": 1})], [1, 1], tasks=[4, 1]) == [0, 100]


@pytest.mark.parametrize("policy", ["fcfs", "list", "easy", "conservative", "conservative-replan", "guarded: 1", "sjf"])
def test_a_held_job_stops_nobody_under_any_policy(policy: str) -> None:
    n = 3
    w = ps.Workload(
        range(n), [100] * n, [100] * n, [1] * n, capacity=8, user=[1, 1, 2], group=[0, 0, 0],
        requests=ps.Requests(tasks=[1] * n, memory_per_node=[1] * n),
        machine=replace(ONE, limits=(of_qos(MaxJobsPU=1),)),
    )  # fmt: skip
    assert ps.simulate(w, policy).check().start.tolist() == [0, 100, 2]


def test_every_limit_is_shared_or_of_one_job_or_of_submission_or_said_not_to_be_simulated() -> None:
    of_one_job = {"MaxTRES", "MaxTRESMins", "MaxTRESPN", "MaxWall", "MinTRES"}
    every = [*SHARED, *SUBMITTED, *NOT_SIMULATED, *of_one_job]
    assert sorted(every) == sorted(NAMES)


def test_minutes_to_come_of_a_user() -> None:
    assert starts([of_qos(MaxTRESRunMinsPU={"cpu": 30})], [1, 1, 2], run=1200) == [0, 600, 2]

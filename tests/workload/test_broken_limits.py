"""Which jobs a limit keeps out by themselves, against a plain reading of Slurm's rules, job by job."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from paretosched import InputError, Machine, NodeKind, Partition, Requests, Workload
from paretosched.workload.broken_limits import BROKEN_LIMITS, EXEMPT, broken_limits
from paretosched.workload.limits import Limits
from paretosched.workload.log_names import Names
from paretosched.workload.log_parquet import load_log, save_log, without_unfit

KINDS = (NodeKind("n[1-4]", 8, 16000), NodeKind("g1", 8, 16000, {"a100": 4}))
PARTS = (Partition("cpu", default=True), Partition("own", own_qos="part"))


def of_qos(name: str, flags: tuple[str, ...] = (), **values: Any) -> Limits:
    return Limits(name, "", "", "", values, flags)


def of_account(account: str, user: str = "", partition: str = "", **values: Any) -> Limits:
    return Limits("", account, user, partition, values)


def workload(limits: tuple[Limits, ...], jobs: list[dict[str, Any]], **changes: Any) -> Workload:
    """Jobs of user "ines" (1) or another one, one CPU and 10 minutes where they do not say more."""
    usual: dict[str, Any] = {"tasks": 1, "minutes": 10, "qos": "", "account": "", "partition": "", "user": 1}
    rows = [usual | {"memory": 100, "gpus": 0, "gpu_type": "", "nodes": 1} | job for job in jobs]
    column = {key: [row[key] for row in rows] for key in rows[0]}
    requests = Requests(
        tasks=column["tasks"], nodes_least=column["nodes"], memory_per_node=column["memory"], gpus=column["gpus"],
        gpu_type=column["gpu_type"], partition=column["partition"], qos=column["qos"], account=column["account"],
    )  # fmt: skip
    machine = Machine(KINDS, PARTS, limits=limits, accounts={"sea": "bio", "bio": "root"})
    n = len(rows)
    return Workload(
        submit=np.zeros(n, int), run=np.full(n, 60), estimate=60 * np.array(column["minutes"]), width=column["tasks"],
        capacity=machine.capacity, user=column["user"], machine=machine, requests=requests,
        names=Names(users={1: "ines", 2: "jon"}), **changes,
    )  # fmt: skip


def broken_names(limits: tuple[Limits, ...], *jobs: dict[str, Any]) -> list[str]:
    return [BROKEN_LIMITS[place] if place >= 0 else "" for place in broken_limits(workload(limits, [*jobs]))]


def test_each_limit_of_one_job() -> None:
    cases = {
        "MaxTRES": ({"cpu": 4}, {"tasks": 4}, {"tasks": 5}),
        "GrpTRES": ({"mem": 1000 * 1024}, {"memory": 1000}, {"memory": 1001}),
        "MaxTRESPU": ({"gres/gpu": 2}, {"gpus": 2}, {"gpus": 3}),
        "MaxTRESPA": ({"gres/gpu:a100": 2}, {"gpus": 3}, {"gpus": 3, "gpu_type": "a100"}),
        "MaxTRESPN": ({"cpu": 4}, {"tasks": 8, "nodes": 2}, {"tasks": 8}),
        "MinTRES": ({"cpu": 2}, {"tasks": 2}, {"tasks": 1}),
        "GrpTRESRunMins": ({"cpu": 20}, {"tasks": 2}, {"tasks": 2, "minutes": 11}),
        "MaxTRESMins": ({"node": 20}, {"tasks": 2, "nodes": 2}, {"tasks": 2, "nodes": 2, "minutes": 11}),
        "MaxWall": (600, {}, {"minutes": 11}),
        "MaxJobsPU": (0, {"qos": ""}, {}),
        "GrpJobs": (0, {"qos": ""}, {}),
    }
    for name, (value, fits, not_so) in cases.items():
        jobs = [{"qos": "q"} | fits, {"qos": "q"} | not_so]
        assert broken_names((of_qos("q", **{name: value}),), *jobs) == ["", name], name
    assert broken_names((of_qos("q", MaxJobsPU=1, MaxSubmitPU=0),), {"qos": "q"}) == [""]
    assert broken_names((of_qos("q", MaxTRES={"license/x": 0, "billing": 1}),), {"qos": "q"}) == [""]


def test_the_qos_of_the_partition_counts_before_that_of_the_job_and_that_before_the_association() -> None:
    limits = (of_qos("part", MaxTRES={"cpu": 4}), of_qos("q", MaxTRES={"cpu": 2, "node": 1}, MaxWall=600))
    limits += (of_account("bio", MaxTRES={"cpu": 1, "mem": 1024}, MaxWall=60),)
    own = {"partition": "own", "qos": "q", "account": "bio", "memory": 1}
    assert broken_names(limits, own | {"tasks": 4}, own | {"tasks": 5}) == ["", "MaxTRES"]
    assert broken_names(limits, own | {"tasks": 2, "nodes": 2}, own | {"minutes": 11}) == ["MaxTRES", "MaxWall"]
    assert broken_names(limits, own | {"memory": 2}) == ["MaxTRES"]
    assert broken_names(limits, {"account": "bio", "memory": 1, "minutes": 2}) == ["MaxWall"]
    over = (replace(limits[1], flags=("OverPartQOS",)), limits[0])
    assert broken_names(over, own | {"tasks": 3}, {**own, "qos": "", "tasks": 3}) == ["MaxTRES", ""]


def test_limits_of_one_job_are_inherited_and_those_of_groups_all_count() -> None:
    limits = (of_account("root", MaxWall=6000, GrpTRES={"cpu": 8}), of_account("bio", MaxWall=600, GrpTRES={"cpu": 9}))
    limits += (of_account("sea", MaxTRES={"cpu": 7}), of_account("sea", "ines", MaxWall=1200))
    limits += (of_account("sea", "ines", "own", MaxWall=60),)
    sea = {"account": "sea", "minutes": 15}
    assert broken_names(limits, sea, sea | {"user": 2}, sea | {"user": 3}) == ["", "MaxWall", "MaxWall"]
    assert broken_names(limits, sea | {"partition": "own"}) == ["MaxWall"]
    assert broken_names(limits, sea | {"tasks": 8}, {"account": "bio", "tasks": 9}, {"account": "new", "tasks": 9}) == [
        "MaxTRES", "GrpTRES", "GrpTRES",
    ]  # fmt: skip
    assert broken_names(limits, {"tasks": 9}) == [""]  # of no account
    assert broken_names((of_account("bio", MaxJobs=0), of_qos("q", MaxJobsPU=3)), {"account": "bio"}, {"account": "bio", "qos": "q"}) == ["MaxJobs", ""]  # fmt: skip  # noqa: E501


def test_a_job_that_names_no_account_has_that_of_its_user_and_one_without_qos_the_normal_one() -> None:
    w = workload((of_account("bio", "ines", MaxTRES={"cpu": 1}),), [{"tasks": 2}, {"tasks": 2, "user": 2}])
    assert w.machine is not None
    w = w.with_(machine=replace(w.machine, homes={"ines": "bio", "jon": "bio"}))
    assert [BROKEN_LIMITS[place] if place >= 0 else "" for place in broken_limits(w)] == ["MaxTRES", ""]
    assert broken_names((of_qos("normal", MaxWall=60),), {}, {"qos": "other"}) == ["MaxWall", ""]


def test_a_job_of_several_partitions_is_kept_out_if_it_is_in_all() -> None:
    limits = (of_qos("part", MaxWall=60),)
    assert broken_names(limits, {"partition": "own"}, {"partition": "own,cpu"}, {"partition": "nowhere"}) == [
        "MaxWall", "", "",
    ]  # fmt: skip


def test_a_deep_tree_of_accounts_is_gone_through_once() -> None:
    accounts = {f"a{k}": f"a{k - 1}" if k else "root" for k in range(20_000)}
    limits = (of_account("a0", MaxWall=60),)
    w = workload(limits, [{"account": "a19999"}, {"account": "a5"}])
    assert w.machine is not None
    w = w.with_(machine=replace(w.machine, accounts=accounts))
    assert [BROKEN_LIMITS[place] for place in broken_limits(w)] == ["MaxWall", "MaxWall"]


def test_against_a_plain_reading_of_the_rules() -> None:
    rng = np.random.default_rng(60)
    names = ("MaxTRES", "GrpTRES", "MaxTRESPU", "MaxWall")

    def some(chosen: tuple[str, ...]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name in chosen:
            if rng.random() < 0.5:
                values[name] = 60 * int(rng.integers(1, 12)) if name == "MaxWall" else {"cpu": int(rng.integers(1, 9))}
        return values

    for _ in range(40):
        limits = tuple(
            of_qos(name, ("OverPartQOS",) if rng.random() < 0.5 else (), **some(names)) for name in ("part", "q")
        )
        of_associations = {
            key: some(tuple(name for name in names if name != "MaxTRESPU"))
            for key in [("root", ""), ("bio", ""), ("sea", ""), ("sea", "ines")]
        }
        limits += tuple(of_account(*key, **values) for key, values in of_associations.items())
        jobs = [
            {
                "tasks": int(rng.integers(1, 10)),
                "minutes": int(rng.integers(1, 13)),
                "qos": str(rng.choice(["", "q"])),
                "account": str(rng.choice(["", "bio", "sea"])),
                "partition": str(rng.choice(["cpu", "own"])),
                "user": int(rng.integers(1, 3)),
            }
            for _ in range(60)
        ]
        expected = [is_out(job, {each.qos: each for each in limits if each.qos}, of_associations) for job in jobs]
        assert [word != "" for word in broken_names(limits, *jobs)] == expected


def is_out(job: dict[str, Any], qos: dict[str, Limits], associations: dict[tuple[str, str], dict[str, Any]]) -> bool:
    """Return whether a job is kept out: limit by limit, who is asked first, second, third."""
    asked = [qos["part"]] if job["partition"] == "own" else []
    if job["qos"]:
        asked = [qos["q"], *asked] if qos["q"].flags else [*asked, qos["q"]]
    chain = {"": [], "bio": ["bio", "root"], "sea": ["sea", "bio", "root"]}[job["account"]]
    user = {1: "ines", 2: "jon"}[job["user"]]
    own = [associations.get((job["account"], user), {}), *(associations[name, ""] for name in chain)] if chain else []
    for name in ("MaxTRES", "GrpTRES", "MaxTRESPU", "MaxWall"):
        said = [each.values[name] for each in asked if name in each.values]
        if said:
            counts = said[:1]
        else:
            of_chain = [each[name] for each in own if name in each]
            counts = of_chain if name == "GrpTRES" else of_chain[:1]
        for value in counts:
            if (60 * job["minutes"] > value) if isinstance(value, int) else (job["tasks"] > value["cpu"]):
                return True
    return False


def test_jobs_that_ran_are_exempt_and_others_are_dropped(tmp_path: Any) -> None:
    limits = (of_qos("q", MaxWall=60, MaxTRES={"cpu": 4}),)
    jobs = [{"qos": "q"}, {"qos": "q", "tasks": 5}, {"qos": "q"}, {}]
    left = without_unfit(workload(limits, jobs, wait=[0, 5, -1, -1]))
    assert left.job.tolist() == [1, 2, 4]
    exempt, dropped = left.repairs
    assert (exempt.action, exempt.reason, exempt.jobs) == ("assumed", f"{EXEMPT} (MaxTRES 1, MaxWall 1)", 2)
    assert (exempt.first, dropped.first, dropped.jobs) == ("job 1, job 2", "job 3", 1)
    assert dropped.reason == (
        "can never run on the machine: a limit of its QOS, account or user keeps it out: MaxWall (12.50 % of the work)"
    )
    save_log(left, tmp_path / "w.parquet")
    assert load_log(tmp_path / "w.parquet").repairs[::-1] == left.repairs  # it says so once
    with pytest.raises(InputError, match=r"none of 1 job can run on the machine: .* keeps it out: MaxWall"):
        without_unfit(workload(limits, [{"qos": "q"}]))
    without = workload(limits, jobs).without("limits")
    assert (broken_limits(without) == -1).all()

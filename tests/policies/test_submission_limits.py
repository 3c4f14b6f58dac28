"""Jobs that Slurm would refuse, and those that wait for ever, equal the oracle: who, and all others, nodes included."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from paretosched.policies.submission_limits import NAMES_REFUSED, OF_OTHERS, OF_QOS
from paretosched.workload.dependencies import NEVER_SATISFIED
from paretosched.workload.limits import SUBMITTED, Limits
from paretosched.workload.preemption import Preemption
from support.commands import command
from support.naive_machine import Busy
from support.placing import as_runs, runs_of
from support.refusing_zoo import refusing_case
from support.short_lives import PASSES, Life, last_lives, lives_of

SEEDS = range(160)


@cache
def of_case(seed: int) -> tuple[dict[int, Busy], list[Life]]:
    return last_lives(refusing_case(seed))


@cache
def schedule_or_why(seed: int) -> ps.Schedule | str:
    """Return the schedule of a random case, or why there is none: a job cannot start, or none ran."""
    try:
        return ps.simulate(refusing_case(seed), PASSES, refusals=True).check()
    except ps.InputError as error:
        return str(error)


@pytest.mark.parametrize("seed", SEEDS)
def test_who_never_runs_equals_the_oracle(seed: int) -> None:
    workload, (last, cut), schedule = refusing_case(seed), of_case(seed), schedule_or_why(seed)
    ran = sorted(last)
    if isinstance(schedule, str):
        assert "never do" in schedule if ran else "some job must run" in schedule
        assert len(ran) < len(workload)
        return
    assert schedule.workload.job.tolist() == workload.job[ran].tolist()
    never = [job for _, jobs in schedule.never for job in jobs]
    assert sorted(never) == np.delete(workload.job, ran).tolist()
    assert as_runs(schedule) == runs_of(schedule.workload, {place: last[row] for place, row in enumerate(ran)})
    assert [(ran[row], *rest) for row, *rest in lives_of(schedule)] == cut


def test_the_random_cases_are_of_use() -> None:
    """All limits refuse some, and some wait for ever; few cases have jobs that cannot start."""
    schedules = [schedule_or_why(seed) for seed in SEEDS]
    counts: dict[str, int] = {}
    for schedule in schedules:
        for reason, jobs in () if isinstance(schedule, str) else schedule.never:
            counts[reason] = counts.get(reason, 0) + len(jobs)
    assert {*OF_QOS, *OF_OTHERS} == {*SUBMITTED}
    assert len(counts) == len(OF_QOS) + len(OF_OTHERS) + 2
    assert min(counts.values()) >= 8
    assert sum(isinstance(schedule, str) for schedule in schedules) <= 0.1 * len(schedules)


def jobs_under(limits: dict[str, Any], n: int, of: tuple[str, ...] = ("", "a", "1", ""), **more: Any) -> ps.Workload:
    """Return jobs of one user that run for 100 s on a machine for all of them; the last one comes in second 200."""
    machine = ps.Machine((ps.NodeKind("n1", 8, 1000),), limits=(Limits(*of, limits),))
    asks = ps.Requests(tasks=[1] * n, memory_per_node=[1] * n, account=["a"] * n, **more)
    submit = [0] * (n - 1) + [200]
    return ps.Workload(
        submit, [100] * n, [100] * n, [1] * n, capacity=8, user=[1] * n, job=range(1, n + 1), machine=machine,
        requests=asks, epoch=0,
    )  # fmt: skip


def test_a_job_is_refused_while_others_are_there() -> None:
    schedule = ps.simulate(jobs_under({"MaxSubmit": 2}, 4), PASSES, refusals=True).check()
    assert schedule.never == (("AssocMaxSubmitJobLimit", (3,)),)
    assert dict(zip(schedule.workload.job.tolist(), schedule.start.tolist(), strict=True)) == {1: 0, 2: 0, 4: 200}


@pytest.mark.parametrize("policy", ["easy", PASSES])
def test_all_jobs_run_where_nobody_asks_who_is_refused(policy: Any) -> None:
    schedule = ps.simulate(jobs_under({"MaxSubmit": 2}, 4), policy)
    assert (schedule.never, len(schedule.start)) == ((), 4)


def test_other_policies_refuse_nobody() -> None:
    assert ps.simulate(jobs_under({"MaxSubmit": 2}, 4), "easy", refusals=True).never == ()


def test_an_array_counts_with_all_its_tasks() -> None:
    """Three tasks and one job are four; the task that comes later is one of another array."""
    arrays = {"array": [7, 7, 7, 0, 8], "array_index": [0, 1, 2, 0, 0], "array_most": [0] * 5}
    of_qos = ("normal", "", "", "")
    schedule = ps.simulate(jobs_under({"MaxSubmitPU": 2}, 5, of_qos, **arrays), PASSES, refusals=True)
    assert schedule.never == (("QOSMaxSubmitJobPerUserLimit", (1, 2, 3)),)


def test_who_waits_counts_and_who_names_a_refused_job_is_refused() -> None:
    """Job 2 waits for the first one, but is there; job 4 names the third one, which is refused."""
    waits = {"dependency": ["", "afterok:1", "", "afterany:3", ""]}
    schedule = ps.simulate(jobs_under({"GrpSubmit": 2}, 5, **waits), PASSES, refusals=True)
    assert schedule.never == (("AssocGrpSubmitJobsLimit", (3,)), (NAMES_REFUSED, (4,)))
    assert schedule.start.tolist() == [0, 100, 200]


def test_a_singleton_does_not_wait_for_a_refused_job() -> None:
    same = {"dependency": ["", "singleton:5", "singleton:5"]}
    workload = jobs_under({"MaxSubmit": 1}, 3, **same)
    assert ps.simulate(workload, PASSES, refusals=True).start.tolist() == [0, 200]


def test_a_job_counts_from_its_submission_on() -> None:
    """The first one begins in second 150; it is there before, and until 250."""
    workload = jobs_under({"MaxSubmit": 1}, 3).with_(eligible=[150, 150, 200])
    schedule = ps.simulate(workload, PASSES, refusals=True).check()
    assert (schedule.start.tolist(), schedule.never[0][1]) == ([150], (2, 3))


def cancelling(kills: bool, dependency: list[str]) -> ps.Workload:
    """Return a low job that is cancelled in second 51 for a high one, and others that depend on it or on each other."""
    n = len(dependency)
    parts = ps.Partition("low", default=True), ps.Partition("high", tier=10)
    rules = Preemption("partition_prio", mode="cancel")
    machine = ps.Machine((ps.NodeKind("n1", 2, 1000),), parts, preemption=rules, kill_invalid=kills)
    asks = ps.Requests(
        tasks=[2, *[1] * n, 2], memory_per_node=[1] * (n + 2), partition=["low"] * (n + 1) + ["high"],
        dependency=["", *dependency, ""],
    )  # fmt: skip
    return ps.Workload(
        [0] * (n + 1) + [50], [900, *[10] * n, 100], [900] * (n + 2), asks.tasks, capacity=2, job=range(1, n + 3),
        machine=machine, requests=asks, epoch=0,
    )  # fmt: skip


DEPENDANTS = ["afterok:1", "afterany:1", "afternotok:1", "afterok:2", "afterany:2", "afterok:1?afterany:1"]


@pytest.mark.parametrize(("kills", "never"), [(False, (2, 5, 6)), (True, (2, 5))])
def test_who_waits_for_a_cancelled_job_waits_for_ever(kills: bool, never: tuple[int, ...]) -> None:
    """So do those that wait for one that does; if it is cancelled instead, who waits for any end of it comes."""
    schedule = ps.simulate(cancelling(kills, DEPENDANTS), PASSES, refusals=True).check()
    assert schedule.never == ((NEVER_SATISFIED, never),)
    assert lives_of(schedule) == [(0, 0, 51, False)]
    assert (schedule.workload.eligible[1:-1] == 51).all()
    assert len(ps.simulate(cancelling(kills, DEPENDANTS), PASSES).start) == len(DEPENDANTS) + 2


def test_the_log_says_who_failed() -> None:
    """Job 1 failed in the log, and job 2 ran all the same: it comes when that one has gone, cancelled or not."""
    workload = cancelling(False, ["afterok:1"])
    records = np.zeros((3, 18), dtype=np.int64)
    failed = workload.with_(records=records, wait=[0, 5, 0])
    assert ps.simulate(failed, PASSES, refusals=True).never == ()


def test_the_command_says_who_never_ran(tmp_path: Path) -> None:
    path, policy = tmp_path / "log.parquet", tmp_path / "policy.json"
    ps.save_log(jobs_under({"MaxSubmit": 2}, 6), path)
    ps.save_policy(PASSES, policy)
    text = command("simulate", path, "--policy", policy).out
    assert "3 of 6 jobs never ran" in text
    assert "AssocMaxSubmitJobLimit: job 3, job 4, job 5" in text
    told = json.loads(command("simulate", path, "--policy", policy, "--json").out)
    assert told["never_ran"] == [{"reason": "AssocMaxSubmitJobLimit", "jobs": 3, "numbers": [3, 4, 5]}]
    assert "never ran" not in command("simulate", path, "--policy", policy, "--without", "limits").out


def test_some_job_must_run() -> None:
    with pytest.raises(ps.InputError, match="some job must run, but none does: AssocGrpSubmitJobsLimit"):
        ps.simulate(jobs_under({"GrpSubmit": 0}, 2), PASSES, refusals=True)

"""Formulas with usage and shares: by the books of Slurm, jobs have the order in which the simulator starts them."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.deployment.daemon import Plan, read_plan_policy, run_daemon
from paretosched.deployment.ranking import check_orderly, order_of
from paretosched.deployment.site_factors import lexicographic
from paretosched.deployment.slurm_calls import SlurmError
from paretosched.deployment.slurm_groups import grouping_of
from paretosched.deployment.slurm_queue import QueuedJob, jobs_in, to_order
from paretosched.deployment.slurm_usage import Used, read_usage, standing_of, used_in
from paretosched.policies.policy import as_policy
from paretosched.policies.priority import Priority
from support.fake_slurm import FakeSlurm, line_of

NOW = 1_700_100_000  # Thursday 2023-11-16 02:00 UTC
HISTORY = 80_000  # s before NOW in which the machine ran jobs
HALF_LIFE = 40_000
USERS = ("ann", "bob", "cy", "dee")
ACCOUNT = {"ann": "physics", "bob": "physics", "cy": "chem", "dee": "bio"}
WIDTH = 8
FORMULAS = (
    "-usage",
    "(wait + 1h) / (usage + 10000)",
    "-usage / share + wait",
    "-log(min(usage, 100000) + 1) * estimate",
)


def queue() -> list[QueuedJob]:
    random = np.random.default_rng(3)
    lines = []
    for number in range(1, 25):
        user = USERS[number % 4]
        limit = f"{random.integers(1, 48)}:00:00"
        submit = int(NOW - random.integers(1, 4 * 3600))
        lines.append(line_of(number, submit=submit, cpus=WIDTH, limit=limit, user=user, account=ACCOUNT[user]))
    return to_order(jobs_in("".join(lines).replace("@", "~m~"), "~m~"), NOW, [])


def past() -> list[tuple[str, int, int]]:
    """Return who used the whole machine from when to when, one after the other until NOW."""
    random = np.random.default_rng(4)
    ends = np.sort(random.choice(np.arange(1, HISTORY), 30, replace=False)).tolist()
    begins = [0, *ends]
    who = random.choice(USERS, 31, p=[0.5, 0.25, 0.2, 0.05]).tolist()
    return [(u, NOW - HISTORY + b, NOW - HISTORY + e) for u, b, e in zip(who, begins, [*ends, HISTORY], strict=True)]


def usage_of_user(user: str) -> float:
    """Return what sshare would say: every second counts half for each half-life that has passed since."""
    seconds = [np.arange(b, e) for u, b, e in past() if u == user]
    return sum(WIDTH * float(np.exp2(-(NOW - part - 0.5) / HALF_LIFE).sum()) for part in seconds)


def books() -> list[Used]:
    return [Used(user, ACCOUNT[user], usage_of_user(user)) for user in USERS]


def start_order(policy: Priority, jobs: list[QueuedJob]) -> list[int]:
    """Return the numbers of the jobs as the simulator starts them, one after the other from NOW on, a second each."""
    history = past()
    submit = [b for _, b, _ in history] + [job.submit for job in jobs]
    order = np.argsort(submit, kind="stable")
    users = [USERS.index(u) for u, _, _ in history] + [USERS.index(job.user) for job in jobs]
    run = [e - b for _, b, e in history] + [1] * len(jobs)
    estimate = [e - b for _, b, e in history] + [job.limit for job in jobs]
    accounts = sorted(set(ACCOUNT.values()))
    number = [accounts.index(ACCOUNT[USERS[u]]) for u in users]
    records = np.full((len(order), 18), -1.0)
    records[:, 12] = np.array(number)[order]
    first = len(history)
    later = np.array([b for _, b, _ in history] + [NOW] * len(jobs)) - (NOW - HISTORY)
    w = ps.Workload(
        submit=np.array(submit)[order] - (NOW - HISTORY),
        eligible=later[order],
        run=np.array(run)[order],
        estimate=np.array(estimate)[order],
        width=np.full(len(order), WIDTH),
        capacity=WIDTH,
        user=np.array(users)[order],
        group=np.array(number)[order],
        groups=tuple(accounts),
        epoch=NOW - HISTORY,
        records=records,
    )
    start = ps.simulate(w, policy).start
    row_of = {int(j): place for place, j in enumerate(order)}
    starts = {job.id: int(start[row_of[first + i]]) for i, job in enumerate(jobs)}
    assert min(starts.values()) == HISTORY
    return sorted(starts, key=lambda job: starts[job])


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["user", "account", "group"])
@pytest.mark.parametrize("formula", FORMULAS)
def test_the_order_is_that_in_which_the_simulator_starts_jobs(formula: str, whose: str) -> None:
    jobs = [job._replace(eligible=NOW) for job in queue()]  # waits count from NOW, in both
    by = Priority(formula, usage=whose, half_life=HALF_LIFE)
    grouping = grouping_of(by, "account")
    if whose == "group":  # the groups of the log
        grouping = grouping._replace(
            groups=("bio", "chem", "physics"), group_of=lambda job: ("bio", "chem", "physics").index(job.account)
        )
    order = order_of(by, jobs, grouping, "cpus", NOW, NOW - HISTORY, "UTC", books()).ids
    assert order == start_order(by, jobs)


def test_usage_is_that_of_users_of_accounts_or_of_groups() -> None:
    rows = [Used("ann", "bio", 5.0), Used("ann", "chem", 7.0), Used("bob", "bio", 11.0), Used("eve", "art", 13.0)]
    jobs = [job._replace(user=user, account=account) for job, user, account in zip(
        queue(), ("ann", "bob", "new"), ("chem", "bio", "bio"), strict=False)]  # fmt: skip
    policy = Priority("usage / share", usage="user")
    grouping = grouping_of(policy, "account")
    usages, shares = standing_of(policy, jobs, grouping, rows)
    assert usages.tolist() == [12.0, 11.0, 0.0]
    assert shares.tolist() == [1 / 4] * 3  # ann, bob, eve, new
    usages, shares = standing_of(replace(policy, usage="account"), jobs, grouping, rows)
    assert usages.tolist() == [7.0, 16.0, 16.0]
    assert shares.tolist() == [1 / 3] * 3
    policy = replace(policy, usage="group", shares={"bio": 0.7, "rest": 0.3})
    usages, shares = standing_of(policy, jobs, grouping_of(policy, "account"), rows)
    assert usages.tolist() == [20.0, 16.0, 16.0]  # chem and art are no groups of the policy
    assert shares.tolist() == [1 / 3, 0.7, 0.7]  # rest is a group that the policy names; newcomers are in another one


@pytest.mark.parametrize(
    "text",
    [
        "bio|ann||5",
        "loop|bio|ann||5.5",
        "loop|bio|ann||",
        "loop|bio|a|b||5",
        "x",
        "loop|bio|ann||٣",
        f"loop|bio|ann||{10**20}",
    ],
)
def test_what_is_not_that_output_is_no_usage(text: str) -> None:
    with pytest.raises(SlurmError, match="sshare: a line is"):
        used_in(f"loop|root|||7\n{text}\n")


@pytest.fixture
def fake(fake: FakeSlurm) -> FakeSlurm:
    fake.queue({1: {"user": "ann"}, 2: {"user": "bob"}}, {})
    (fake.folder / "usage").write_text("fake|root|||30\nfake|  bio|ann||20\nfake|  bio|bob||10\n", encoding="utf-8")
    return fake


@pytest.fixture
def plan(tmp_path: Path) -> Plan:
    (tmp_path / "p.txt").write_text("order: -usage; backfill: easy\n", encoding="utf-8")
    return Plan(tmp_path / "p.txt", tmp_path / "kept", 1.0, None, (), "cpus", lexicographic(0), "UTC", False)


def test_a_pass_reads_usage_anew(fake: FakeSlurm, plan: Plan) -> None:
    run_daemon(plan, print, once=True)
    assert fake.order() == [2, 1]
    (fake.folder / "usage").write_text("fake|  bio|ann||20\nfake|  bio|bob||30\n", encoding="utf-8")
    fake.forget()
    run_daemon(plan, print, once=True)
    log = [json.loads(line) for line in (plan.folder / "deploy.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [list(line["set"]) for line in log if "set" in line] == [["2", "1"], ["1"]]
    (fake.folder / "sshare").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    with pytest.raises(SlurmError, match="sshare: status 1"):
        run_daemon(plan, print, once=True)


@pytest.mark.parametrize(
    ("words", "how", "width", "changes", "message"),
    [
        ("", None, "cpus", {"PriorityDecayHalfLife": "14-00:00:00"}, "half-life 7-00:00:00, but PriorityDecayHalfLife"),
        ("", None, "cpus", {"PriorityDecayHalfLife": "N/A"}, "is N/A; they must be the same"),
        ("half-life: 1d", None, "cpus", {}, "the half-life 1-00:00:00, but PriorityDecayHalfLife is 7-00:00:00"),
        ("", None, "cpus", {"PriorityUsageResetPeriod": "WEEKLY"}, "PriorityUsageResetPeriod is WEEKLY; it must be"),
        (
            "",
            None,
            "cpus",
            {"AccountingStorageType": "(null)"},
            "AccountingStorageType=accounting_storage/slurmdbd only",
        ),
        ("", None, "nodes", {}, "--width must be cpus or billing, not nodes"),
        ("usage: group", "partition", "cpus", {}, "the group of a job depends on partition, of which Slurm keeps no"),
        (
            "usage: user; shares: 7 = 0.5",
            None,
            "cpus",
            {},
            "has shares by numbers in its log, which Slurm does not know",
        ),
    ],
)
def test_books_that_do_not_say_what_the_formula_means_are_refused(
    words: str, how: str | None, width: str, changes: dict[str, str], message: str, fake: FakeSlurm, plan: Plan
) -> None:
    fake.configure(**changes)
    plan.policy.write_text(f"order: -usage / share; backfill: easy; {words}\n".replace("; \n", "\n"), encoding="utf-8")
    with pytest.raises(ps.InputError) as error:
        read_plan_policy(plan._replace(groups=how, width=width))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_weighted_partitions_count_billing_units(fake: FakeSlurm, plan: Plan) -> None:
    (fake.folder / "partitions").write_text(
        "PartitionName=main TRESBillingWeights=CPU=1.0,Mem=0.25G\n", encoding="utf-8"
    )
    with pytest.raises(ps.InputError, match="partitions have TRESBillingWeights; --width billing goes"):
        read_plan_policy(plan)
    assert read_plan_policy(plan._replace(width="billing")).policy.name
    assert [row.usage for row in read_usage()] == [20.0, 10.0]
    assert check_orderly(as_policy("order: -usage / share")).name

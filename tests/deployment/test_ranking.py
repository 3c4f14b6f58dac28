"""The order of Slurm's waiting jobs is that of the simulator."""

import subprocess
import sys

import numpy as np
import pytest

import paretosched as ps
from paretosched.core.situations import SITUATIONS
from paretosched.deployment.ranking import check_orderly, order_of, reservations_of
from paretosched.deployment.slurm_groups import grouping_of
from paretosched.deployment.slurm_queue import QueuedJob, jobs_in, to_order
from paretosched.policies.policy import as_policy
from paretosched.policies.priority import ALL
from support.commands import environment
from support.fake_slurm import line_of

NOW = 1_700_100_000  # Thursday 2023-11-16 02:00 UTC
GROUPS = ("physics", "chem")


def queue(count: int = 60) -> list[QueuedJob]:
    random = np.random.default_rng(5)
    lines = [
        line_of(
            number,
            submit=int(NOW - random.integers(1, 90_000)),
            cpus=int(random.integers(1, 65)),
            limit=f"{random.integers(1, 48)}:00:00",
            account=GROUPS[number % 2],
        )
        for number in range(1, count + 1)
    ]
    return to_order(jobs_in("".join(lines).replace("@", "~m~"), "~m~"), NOW, [])


def first_started(policy: ps.Policy, jobs: list[QueuedJob]) -> list[int]:
    """The jobs in the order in which the simulator starts them on a machine where one runs at a time, from NOW on."""
    submit = np.array([0, *(int(job.eligible or 0) - (NOW - 100_000) for job in jobs)])
    blocker = 100_000  # runs until NOW
    width = 64
    w = ps.Workload(
        submit=submit,
        run=[blocker, *([1] * len(jobs))],  # so short that all start in the same situation and hour
        estimate=[blocker, *(job.limit for job in jobs)],
        width=[width, *(job.widths["cpus"] for job in jobs)],
        capacity=width,
        group=[0, *(GROUPS.index(job.account) for job in jobs)],
        groups=GROUPS,
        epoch=NOW - 100_000,
    )
    start = ps.simulate(w, policy).start
    return [int(start[j]) for j in range(1, len(w))]


@pytest.mark.slow
@pytest.mark.parametrize("criterion", ["f1", "f2", "f3", "f4"])
def test_the_order_of_greedy_is_that_in_which_the_simulator_starts_jobs(criterion: str) -> None:
    """Without backfilling, jobs start in the order of their keys; those of one pass are equal."""
    genes = np.random.default_rng(2).uniform(0.2, 1, (3, 6))
    policy = ps.greedy([criterion] * 3, genes, groups=GROUPS)
    jobs = queue()
    order = order_of(policy, jobs, grouping_of(policy, "account"), "cpus", NOW, NOW - 100_000, "UTC")
    assert order.situation == "night"
    start = dict(zip((job.id for job in jobs), first_started(policy, jobs), strict=True))
    head = [start[number] for number in order.ids[:12]]  # later ones start after keys have changed
    assert head == sorted(head)


@pytest.mark.parametrize("now", range(NOW, NOW + 7 * 86_400, 10_000))
def test_the_situation_is_that_of_the_sites_clock(now: int) -> None:
    policy = as_policy("sjf; backfill: easy")
    zone = "America/New_York"
    order = order_of(policy, [], grouping_of(policy, None), "cpus", now, now, zone)  # type: ignore[arg-type]
    workload = ps.Workload([0], [1], [1], [1], 1, epoch=now, zone=zone)
    assert order.situation == SITUATIONS[int(workload.calendar.kind[0])]


ORDERS = (
    "fcfs",
    "order: (wait / estimate)^3 * width; backfill: easy",
    "order weekend: wait; order day: -estimate; order night: if(wait > 2h, 5, group(chem)) - area / 1000000000; "
    "backfill: conservative",
    "learned-f1; backfill: easy",
)


@pytest.mark.slow
def test_the_interpreted_and_the_compiled_code_give_the_same_order() -> None:
    """The daemon runs without numba; the simulator with it."""
    script = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from deployment.test_ranking import *\n"
        "jobs = queue(300)\n"
        "policies = [as_policy(words) for words in ORDERS]\n"
        "genes = np.random.default_rng(2).uniform(0, 1, (3, 6))\n"
        "policies += [ps.greedy([c] * 3, genes, groups=GROUPS) for c in ('f1', 'f2', 'f3', 'f4')]\n"
        "print('numba' in sys.modules)\n"
        "for p in policies:\n"
        "    print(order_of(p, jobs, grouping_of(p, 'account'), 'cpus', NOW, NOW - 100_000, 'UTC').ids)\n"
    )
    outputs = []
    for disabled in ("0", "1"):
        process = subprocess.run(
            [sys.executable, "-c", script],
            env=environment(NUMBA_DISABLE_JIT=disabled),
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert process.returncode == 0, process.stderr
        loaded, orders = process.stdout.split("\n", 1)
        assert loaded == str(disabled == "0")
        outputs.append(orders)
    assert outputs[0] == outputs[1]
    assert len(set(outputs[0].splitlines())) == len(outputs[0].splitlines()) == 8


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("scojo", "shares the machine in time slices, which no order of jobs can express"),
        ("recorded", "cannot be deployed; choose one of fcfs, easy"),
        ("list", "cannot be deployed"),
        ("order: fairshare; backfill: easy", 'uses "fairshare", which the daemon does not read'),
        ("order: charge / limit", 'uses "charge", which the daemon does not know; say it by cores, memory and gpus'),
        ("order: user(7); backfill: easy", 'uses "user", which a log has and Slurm has not'),
    ],
)
def test_what_cannot_be_deployed_is_refused_in_one_line(words: str, message: str) -> None:
    with pytest.raises(ps.InputError) as error:
        check_orderly(as_policy(words))
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("words", "number"),
    [("fcfs", 0), ("easy", 1), ("conservative", ALL), ("sjf; backfill: easy:8", 8), ("sjf; backfill: none", 0)],
)
def test_reservations_are_those_of_the_policys_backfilling(words: str, number: int) -> None:
    assert reservations_of(check_orderly(as_policy(words))) == number


def test_a_formula_counts_submissions_from_the_first_job_that_was_ever_in_order() -> None:
    """Otherwise the orders F1 to F4 would change whenever the oldest job starts."""
    policy = check_orderly(as_policy("learned-f1; backfill: easy"))
    grouping = grouping_of(policy, None)
    jobs = queue()
    whole = order_of(policy, jobs, grouping, "cpus", NOW, NOW - 100_000, "UTC").ids
    rest = order_of(policy, jobs[20:], grouping, "cpus", NOW, NOW - 100_000, "UTC").ids
    left = {job.id for job in jobs[20:]}
    assert rest == [number for number in whole if number in left]


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("order: 1 / (width - 1) - 1 / (width - 1)", [1, 2, 3]),
        ("order: log(0 - width) - wait", [1, 2, 3]),
        ("order: 1 / (width - 1) - 1 / (width - 1) + estimate", [4, 1, 2, 3]),
    ],
)
@pytest.mark.filterwarnings("error")
def test_jobs_for_which_a_formula_is_no_number_come_last_and_end_no_daemon(words: str, ids: list[int]) -> None:
    """A log of which all jobs were so would be refused; a queue may have no other job at the moment."""
    lines = [line_of(number, cpus=2 if number == 4 else 1) for number in ids]
    jobs = to_order(jobs_in("".join(lines).replace("@", "~m~"), "~m~"), NOW, [])
    policy = check_orderly(as_policy(f"{words}; backfill: easy"))
    assert order_of(policy, jobs, grouping_of(policy, None), "cpus", NOW, NOW - 100_000_000, "UTC").ids == ids


def test_the_wait_counts_from_when_a_job_could_run_and_equal_keys_come_in_that_order() -> None:
    cells = {1: NOW - 50, 2: NOW - 900, 3: NOW - 400, 4: NOW - 50}  # 4 was submitted last
    lines = [line_of(number, submit=NOW - 1000 + number, eligible=when) for number, when in cells.items()]
    jobs = to_order(jobs_in("".join(lines).replace("@", "~m~"), "~m~"), NOW, [])
    for words, expected in (
        ("order: wait", [2, 3, 1, 4]),
        ("order: -wait", [1, 4, 3, 2]),
        ("order: -submit", [1, 2, 3, 4]),
        ("order: width", [2, 3, 1, 4]),
    ):
        policy = check_orderly(as_policy(f"{words}; backfill: easy"))
        assert order_of(policy, jobs, grouping_of(policy, None), "cpus", NOW, NOW - 2000, "UTC").ids == expected


def test_what_jobs_ask_for_is_that_of_squeue() -> None:
    asked = {
        1: ("cpu=4,mem=4G,node=1", 0),
        2: ("cpu=4,mem=500M,node=2,gres/gpu=8", -7),
        3: ("cpu=4,mem=1.5G,node=3", 50),
    }
    lines = [line_of(number, cpus=4, tres=tres, nice=nice) for number, (tres, nice) in asked.items()]
    jobs = to_order(jobs_in("".join(lines).replace("@", "~m~"), "~m~"), NOW, [])
    assert [(job.memory, job.nodes, job.gpus, job.nice) for job in jobs] == [
        (4096, 1, 0, 0),
        (500, 2, 8, -7),
        (1536, 3, 0, 50),
    ]
    for words, expected in (
        ("order: memory", [1, 3, 2]),
        ("order: gpus + wait", [2, 1, 3]),
        ("order: nodes", [3, 2, 1]),
        ("order: smallest nice", [2, 1, 3]),
    ):
        policy = check_orderly(as_policy(f"{words}; backfill: easy"))
        assert order_of(policy, jobs, grouping_of(policy, None), "cpus", NOW, NOW - 100_000_000, "UTC").ids == expected

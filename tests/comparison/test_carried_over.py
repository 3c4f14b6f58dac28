"""Simulations from a date on: they begin with what the machine did then."""

import numpy as np
import pytest

from paretosched import Machine, NodeKind, Requests
from paretosched.comparison.carried_over import (
    begin_at,
    missing_processors,
    outcome_since,
    remembers_usage,
)
from paretosched.policies.policy import as_policy
from paretosched.simulation.simulator import simulate
from paretosched.workload.down_times import DownTimes
from paretosched.workload.workload import Workload
from support.down import down_at_times
from support.exploring import random_workload
from support.later import later

# all decide by the queue alone; "conservative" also keeps reservations that it gave earlier
ORDERS = ("fcfs", "easy", "wfp3; backfill: conservative", "order: (wait / estimate)^3 * width; backfill: easy:3")


def record_of(workload: Workload, policy: str) -> Workload:
    """Return a workload of which the schedule of a policy is recorded."""
    return workload.with_(wait=simulate(workload, policy).start - workload.eligible)


@pytest.mark.parametrize("policy", ORDERS)
def test_the_policy_that_was_recorded_goes_on_as_recorded(policy: str) -> None:
    for seed in range(2):
        w = record_of(random_workload(seed=seed), policy)
        start = w.eligible + w.wait
        for since in np.linspace(int(w.submit[0]), int(w.submit[-1]), 6).astype(np.int64).tolist():
            begin = begin_at(w, since)
            made = outcome_since(w, as_policy(policy), begin)
            assert made.start.tolist() == start[begin.after].tolist(), (seed, since)


def test_jobs_that_are_eligible_later_go_on_as_recorded() -> None:
    w = record_of(later(random_workload(seed=5)), "easy")
    since = int(w.submit[len(w) // 2])
    begin = begin_at(w, since)
    assert outcome_since(w, as_policy("easy"), begin).start.tolist() == (w.eligible + w.wait)[begin.after].tolist()


def test_another_policy_gets_the_queue_of_the_machine() -> None:
    """By hand: at 10 one job runs until 20, two wait, the longer one first; the new job is the shortest."""
    w = Workload(
        submit=[0, 1, 2, 10],
        run=[20, 9, 5, 2],
        estimate=[20, 9, 5, 2],
        width=[1] * 4,
        capacity=1,
        wait=[0, 19, 27, 24],
    )
    begin = begin_at(w, 10)
    assert [rows.tolist() for rows in begin[1:]] == [[0], [1, 2], [3]]
    assert outcome_since(w, as_policy("fcfs"), begin).start.tolist() == [34]
    assert outcome_since(w, as_policy("sjf"), begin).start.tolist() == [20]
    by_wait = outcome_since(w, as_policy("order: wait"), begin)  # waits count from their own submission
    assert by_wait.start.tolist() == [34]


def test_a_log_that_begins_with_the_date_begins_empty() -> None:
    w = record_of(random_workload(seed=2), "easy")
    begin = begin_at(w, 0)
    assert (begin.running.size, begin.waiting.size, begin.after.size) == (0, 0, len(w))
    assert outcome_since(w, as_policy("fcfs"), begin).start.tolist() == simulate(w, "fcfs").start.tolist()


def test_jobs_before_without_a_wait_are_left_out() -> None:
    w = Workload(submit=[0, 1, 5], run=[9, 9, 9], estimate=[9] * 3, width=[1] * 3, capacity=1, wait=[-1, 0, 5])
    assert [rows.tolist() for rows in begin_at(w, 4)[1:]] == [[1], [], [2]]


def test_more_processors_than_there_are() -> None:
    w = Workload(submit=[0, 0, 5], run=[9, 9, 1], estimate=[9, 9, 1], width=[2, 2, 1], capacity=3, wait=[0, 0, 8])
    begin = begin_at(w, 4)
    assert missing_processors(w, begin) == 1
    assert outcome_since(w, as_policy("fcfs"), begin).start.size == 1


def test_consumption_counts_from_the_beginning_of_the_log() -> None:
    """User 1 has run before the date, so that user 2 comes first; both wait for the third job."""
    policy = as_policy("order: -usage; usage: user")
    w = Workload(
        submit=[0, 20, 21, 22],
        run=[10, 30, 5, 5],
        estimate=[10, 30, 5, 5],
        width=[1] * 4,
        capacity=1,
        user=[1, 3, 1, 2],
        wait=[0, 0, 29, 33],
    )
    assert remembers_usage(policy)
    assert outcome_since(w, policy, begin_at(w, 20)).start.tolist() == [20, 55, 50]
    assert not remembers_usage(as_policy("sjf"))


@pytest.mark.parametrize("policy", ORDERS)
def test_down_times_go_on_from_the_date(policy: str) -> None:
    """What was recorded is what the policy does beside them, so that it goes on so from any date."""
    for seed in range(3):
        w = record_of(down_at_times(random_workload(seed=seed), seed, 12), policy)
        start = w.eligible + w.wait
        for since in np.linspace(int(w.submit[0]), int(w.submit[-1]), 8).astype(np.int64).tolist():
            begin = begin_at(w, since)
            made = outcome_since(w, as_policy(policy), begin)
            assert made.start.tolist() == start[begin.after].tolist(), (seed, since)


def test_jobs_that_ran_at_the_date_keep_their_processors() -> None:
    """By hand: two of four processors are down in 8..20, although a job ran on three of them until 15."""
    w = Workload(
        submit=[0, 10, 10],
        run=[15, 5, 2],
        estimate=[15, 5, 2],
        width=[3, 2, 1],
        capacity=4,
        wait=[0, 9, 9],
        down=DownTimes([8], [20], [2]),
    )
    assert outcome_since(w, as_policy("fcfs"), begin_at(w, 9)).start.tolist() == [15, 20]
    assert outcome_since(w, as_policy("list"), begin_at(w, 9)).start.tolist() == [15, 20]


def test_on_nodes_policies_go_on_from_the_beginning_of_the_log() -> None:
    """By hand: nobody but the first two jobs of the GPU node waits, and what waits at the date is not let in early."""
    machine = Machine((NodeKind("n1", 4, 8000), NodeKind("g1", 4, 8000, {"gpu": 1})))
    asked = Requests(tasks=[1] * 4, gpus_per_node=[1, 1, 1, 0])
    w = Workload(
        submit=[0, 1, 12, 13], run=[10] * 4, estimate=[10] * 4, width=[1] * 4, capacity=8, machine=machine,
        requests=asked, wait=[0, 9, 8, 0],
    )  # fmt: skip
    for since in (5, 12):
        begin = begin_at(w, since)
        assert outcome_since(w, as_policy("easy"), begin).start.tolist() == [20, 13]


def of_users(seed: int) -> Workload:
    """Return random jobs of six users, recorded under EASY."""
    w = random_workload(seed=seed)
    w = w.with_(user=np.arange(len(w)) % 6)
    return w.with_(wait=simulate(w, "easy").wait)


@pytest.mark.parametrize("seed", range(8))
def test_users_who_react_to_what_was_recorded_come_when_they_did(seed: int) -> None:
    w = of_users(seed)
    for row in (0, len(w) // 3, len(w) // 2):
        begin = begin_at(w, int(w.submit[row]) + 1)
        made = outcome_since(w, as_policy("easy"), begin, "react")
        arrival, start = made.arrival, made.start
        assert arrival.tolist() == w.eligible[begin.after].tolist()
        assert start.tolist() == outcome_since(w, as_policy("easy"), begin).start.tolist()


@pytest.mark.parametrize("policy", ["fcfs", "sjf; backfill: easy", "usage; backfill: easy"])
def test_from_the_beginning_on_users_react_as_in_a_simulation(policy: str) -> None:
    moved = 0
    for seed in range(4):
        w = of_users(seed)
        made = outcome_since(w, as_policy(policy), begin_at(w, 0), "react")
        arrival, start = made.arrival, made.start
        whole = simulate(w, policy, users="react")
        order = np.argsort(whole.workload.job)
        assert arrival.tolist() == whole.workload.eligible[order].tolist()
        assert start.tolist() == whole.start[order].tolist()
        moved += int((arrival != w.eligible).sum())
    assert moved > 0


def test_who_had_waited_for_a_job_that_waited_at_the_date_waits_for_it() -> None:
    """User 1 comes at 20, 6 s after the end of the job that ran at 10, which is as recorded.

    User 2 comes 6 s after the end of the job of 30 s: with FCFS at 50, as recorded. SJF lets the job of 3 s pass, so
    that it is at 53.
    """
    w = Workload(
        [0, 5, 8, 20, 50], [14, 30, 3, 4, 1], [14, 30, 3, 4, 1], [1] * 5, capacity=1, wait=[0, 9, 36, 27, 1],
        user=[1, 2, 3, 1, 2],
    )  # fmt: skip
    begin = begin_at(w, 10)
    for policy, arrivals, starts in (("fcfs", [20, 50], [47, 51]), ("sjf", [20, 53], [47, 53])):
        made = outcome_since(w, as_policy(policy), begin, "react")
        assert [each.tolist() for each in (made.arrival, made.start)] == [arrivals, starts], policy

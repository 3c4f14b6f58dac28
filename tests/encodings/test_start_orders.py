"""Start orders: every kind is an order of all jobs, and the one that its words name."""

import numpy as np
import pytest

from paretosched import Workload, greedy, simulate
from paretosched.encodings.start_orders import start_order
from paretosched.policies.plain import Plain
from paretosched.policies.policy_json import to_json as policy_json
from support.later import arrival_workload
from support.zoo import HOUR, ZOO, constant, jobs, random_jobs

# two groups
FOUR = jobs(
    32, (0, 9, HOUR, 8, 0), (0, 9, HOUR + 1, 8, 1), (3, 9, HOUR, 32, 0), (5, 9, HOUR + 1, 32, 1), name="four jobs"
)


@pytest.mark.parametrize("name", ZOO)
def test_every_start_is_an_order_of_all_jobs(name: str) -> None:
    w = ZOO[name]
    ranks = [g % 3 for g in range(len(w.groups))]
    easy = policy_json(Plain("easy"))
    for start in ("submit", {"random": 5}, {"order": ranks}, {"policy": easy}):
        order = start_order(w, start)
        assert order.dtype == np.int32
        assert not order.flags.writeable
        assert sorted(order.tolist()) == list(range(len(w)))


def test_a_start_by_ranks_sorts_groups_and_keeps_submission_within_a_rank() -> None:
    w = random_jobs(1, 50, 8, gap=2, run=9, groups=4)
    assert start_order(w, {"order": [0, 0, 0, 0]}).tolist() == start_order(w, "submit").tolist() == list(range(50))
    expected = sorted(range(50), key=lambda j: ([7, -2, 7, 10**30][w.group[j]], j))
    assert start_order(w, {"order": [7, -2, 7, 10**30]}).tolist() == expected


def test_a_start_by_policy_is_the_order_in_which_jobs_start() -> None:
    for name in ("a queue of 150", "identical copies", "powers of two"):
        w = ZOO[name]
        policy = greedy(["f2"] * 3, constant(len(w.groups), 1, 0, 0, 1), groups=w.groups, backfill="easy")
        start = simulate(w, policy).start
        order = start_order(w, {"policy": policy_json(policy)}).tolist()
        assert order == sorted(range(len(w)), key=lambda j: (start[j], j))


def test_random_starts_differ_and_can_be_had_again() -> None:
    w = ZOO["a queue of 150"]
    one, same, other = (start_order(w, {"random": key}).tolist() for key in (1, 1, 2))
    assert one == same != other
    many = np.array([start_order(FOUR, {"random": key}) for key in range(6000)])
    counts = np.unique(many, axis=0, return_counts=True)[1]
    assert counts.size == 24
    assert 190 < counts.min() < counts.max() < 310  # 250 each, 4 standard deviations


def test_a_workload_of_one_job_has_starts() -> None:
    w: Workload = ZOO["one job"]
    assert start_order(w, {"random": 1}).tolist() == [0]


@pytest.mark.parametrize("start", ["submit", {"random": 5}, {"order": [1, 0]}, {"policy": policy_json(Plain("easy"))}])
def test_ties_are_broken_by_when_jobs_are_eligible(start: object) -> None:
    w = FOUR.with_(eligible=[7, 0, 3, 5])
    same, rows = arrival_workload(w)
    assert rows.tolist() == [1, 2, 3, 0]
    assert start_order(w, start).tolist() == rows[start_order(same, start)].tolist()

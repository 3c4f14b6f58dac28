"""Orders and backfillings: the oracle against cases by hand and the rules it contains, and the kernel against it.

The kernel gets the fewest parts that the order allows, and each job as a part of its own.
"""

import functools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.policies.plain import Plain
from support import naive
from support.naive_priority import Usage, start_times
from support.prioritising import RESERVATIONS, Rank, in_parts, rank_of, ranks, starts
from support.priority_cases import CASES, rank
from support.simulating import DEEP, briefly, deep, thoroughly
from support.zoo import ZOO, workloads


def check(w: Workload, policy: Rank, expected: list[int]) -> None:
    """Compare the kernel with start times, with parts and without."""
    assert starts(w, policy) == expected
    assert starts(w, policy, functools.partial(in_parts, parts=policy.parts(w))) == expected


# ---- the oracle


@pytest.mark.parametrize("name", CASES)
def test_oracle_and_kernel_have_the_start_times_worked_out_by_hand(name: str) -> None:
    case = CASES[name]
    assert start_times(case.workload, case.rank.rule()) == case.start
    check(case.workload, case.rank, case.start)


@pytest.mark.parametrize(
    ("rule_of_old", "same"),
    [
        ("fcfs", rank()),
        ("list", rank(reservations=3, entitled=frozenset())),
        ("easy", rank(reservations=1)),
        ("easy", rank("fcfs", "fcfs", reservations=1)),
        ("conservative-replan", rank(reservations=None)),
    ],
)
@briefly
@given(w=workloads())
def test_the_oracle_contains_the_rules_of_old(rule_of_old: str, same: Rank, w: Workload) -> None:
    assert start_times(w, same.rule()) == naive.naive(w, Plain(rule_of_old))


def test_usage_halves_with_every_half_life() -> None:
    usage = Usage(100.0)
    usage.change(3, 0, 2)
    assert math.isclose(usage.at(3, 100), 100 / math.log(2))  # 2 processors, 200 processor seconds of all ages
    usage.change(3, 100, -2)
    assert math.isclose(usage.at(3, 200), 50 / math.log(2))
    assert usage.at(4, 200) == 0.0


# ---- the kernel


@pytest.mark.slow
@pytest.mark.parametrize("reservations", RESERVATIONS)
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, reservations: int | None) -> None:
    w = ZOO[name]
    for seed in range(3):
        policy = rank_of(seed, w, reservations)
        check(w, policy, start_times(w, policy.rule()))


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=14))
def test_equals_the_oracle_on_any_workload(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(ranks(w))
    check(w, policy, start_times(w, policy.rule()))


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        w = deep(kind, seed)
        policy = rank_of(seed, w, reservations)
        check(w, policy, start_times(w, policy.rule()))

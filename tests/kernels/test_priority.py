"""Orders and backfillings: the oracle against cases by hand and against the rules that it contains."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from paretosched import Workload
from paretosched.policies.plain import Plain
from support import naive
from support.naive_priority import Rule, Usage, start_times
from support.priority_cases import CASES, fcfs, rule
from support.simulating import briefly
from support.zoo import workloads


@pytest.mark.parametrize("name", CASES)
def test_the_oracle_has_the_start_times_worked_out_by_hand(name: str) -> None:
    case = CASES[name]
    assert start_times(case.workload, case.rule) == case.start


@pytest.mark.parametrize(
    ("rule_of_old", "same"),
    [
        ("fcfs", rule()),
        ("list", rule(reservations=3, entitled=frozenset())),
        ("easy", rule(reservations=1)),
        ("easy", rule(fcfs, fcfs, reservations=1)),
        ("conservative-replan", rule(reservations=None)),
    ],
)
@briefly
@given(w=workloads())
def test_the_oracle_contains_the_rules_of_old(rule_of_old: str, same: Rule, w: Workload) -> None:
    assert start_times(w, same) == naive.naive(w, Plain(rule_of_old))


def test_usage_halves_with_every_half_life() -> None:
    usage = Usage(100.0)
    usage.change(3, 0, 2)
    assert math.isclose(usage.at(3, 100), 100 / math.log(2))  # 2 processors, 200 processor seconds of all ages
    usage.change(3, 100, -2)
    assert math.isclose(usage.at(3, 200), 50 / math.log(2))
    assert usage.at(4, 200) == 0.0

"""Orders of lines with many reservations against the tournaments and the oracle."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload, simulate
from paretosched.kernels.line_plan import in_planned_lines
from support.line_cases import random_case
from support.naive_priority import Backfill, Rule, start_times
from support.prioritising import ORDERS
from support.simulating import DEEP, briefly, deep, thoroughly
from support.zoo import ZOO, random_jobs, workloads

RESERVATIONS = (2, 3, 8, 30, None)


def check(w: Workload, seed: int, reservations: int | None) -> None:
    """Compare with the oracle."""
    case = random_case(w, seed, reservations, with_slack=False)
    assert case.starts(in_planned_lines, w) == start_times(w, case.rule), seed


@pytest.mark.parametrize("reservations", RESERVATIONS)
@briefly
@given(w=workloads(max_jobs=14), seed=st.integers(0, 10**6))
def test_equals_the_oracle_on_any_workload(reservations: int | None, w: Workload, seed: int) -> None:
    check(w, seed, reservations)


@pytest.mark.slow
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        check(ZOO[name], seed, reservations)


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        check(deep(kind, seed), seed, reservations)


@pytest.mark.slow
@thoroughly
@given(w=workloads(max_jobs=14))
def test_many_reservations_of_a_policy_are_planned_in_a_row(w: Workload) -> None:
    expected = start_times(w, Rule(ORDERS["lxf"].key, Backfill(None)))
    assert simulate(w, "order: wait / estimate; backfill: conservative").start.tolist() == expected


@pytest.mark.slow
def test_many_jobs_that_arrive_at_once_are_sorted_together() -> None:
    w = random_jobs(3, 120, 20, gap=0, run=40)
    check(w, 1, None)
    check(w, 2, 8)

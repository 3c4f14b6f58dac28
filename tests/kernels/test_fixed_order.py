"""Fixed orders against the oracle, and against the kernel that sorts again at every event."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.fixed_order import prioritised_once
from support.naive_priority import start_times
from support.prioritising import RESERVATIONS, STATIC, rank_of, ranks, starts
from support.priority_cases import CASES
from support.simulating import DEEP, thoroughly
from support.zoo import ZOO, workloads

BY_HAND = [name for name, case in CASES.items() if case.rank.order in STATIC and case.rank.backfill.slack == 0]


@pytest.mark.parametrize("name", BY_HAND)
def test_start_times_worked_out_by_hand(name: str) -> None:
    case = CASES[name]
    assert starts(case.workload, case.rank, prioritised_once) == case.start


@pytest.mark.slow
@pytest.mark.parametrize("reservations", RESERVATIONS)
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, reservations: int | None) -> None:
    w = ZOO[name]
    for seed in range(3):
        policy = rank_of(seed, w, reservations, STATIC, slack=False)
        assert starts(w, policy, prioritised_once) == start_times(w, policy.rule()), seed


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=14))
def test_equals_the_oracle_on_any_workload(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(ranks(w, STATIC, (0,)))
    assert starts(w, policy, prioritised_once) == start_times(w, policy.rule())


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_sorting_kernel_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS * 2):
        w = DEEP[kind](seed)
        policy = rank_of(seed, w, reservations, STATIC, slack=False)
        assert starts(w, policy, prioritised_once) == starts(w, policy), seed

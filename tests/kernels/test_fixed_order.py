"""Fixed orders against the oracle, and against the kernel that sorts anew at every event."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.fixed_order import prioritised_once
from paretosched.policies.plain import Plain
from support import naive
from support.naive_priority import Backfill, start_times
from support.prioritising import RESERVATIONS, STATIC, Rank, starts
from support.priority_cases import CASES
from support.simulating import DEEP, briefly, checked
from support.zoo import ZOO, workloads

BY_HAND = [name for name, case in CASES.items() if case.rank.order in STATIC and case.rank.backfill.slack == 0]


@st.composite
def fixed_ranks(draw: st.DrawFn, w: Workload) -> Rank:
    """Return fixed orders and a backfilling for a workload."""
    groups = st.integers(0, len(w.groups) - 1)
    backfill = Backfill(
        draw(st.sampled_from(RESERVATIONS)),
        draw(st.none() | st.frozensets(groups)),
        draw(st.dictionaries(groups, st.integers(1, 20))),
        draw(st.frozensets(groups)),
    )
    names = st.sampled_from(STATIC)
    return Rank(draw(names), draw(st.none() | names), backfill)


def fixed_rank(seed: int, w: Workload, reservations: int | None) -> Rank:
    """Return random fixed orders and a random backfilling for a workload."""
    rng = np.random.default_rng(seed)
    groups = range(len(w.groups))
    middle = int(np.median(w.estimate))
    backfill = Backfill(
        reservations,
        frozenset(g for g in groups if rng.random() < 0.6) if seed % 2 else None,
        {g: int(middle * 2 * rng.random()) + 1 for g in groups if rng.random() < 0.5},
        frozenset(g for g in groups if rng.random() < 0.4),
    )
    order, candidates = rng.choice(STATIC, 2).tolist()
    return Rank(order, candidates if seed % 3 else None, backfill)


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
        policy = fixed_rank(seed, w, reservations)
        assert starts(w, policy, prioritised_once) == start_times(w, policy.rule()), seed


@pytest.mark.slow
@checked
@given(data=st.data(), w=workloads(max_jobs=14))
def test_equals_the_oracle_on_any_workload(data: st.DataObject, w: Workload) -> None:
    policy = data.draw(fixed_ranks(w))
    assert starts(w, policy, prioritised_once) == start_times(w, policy.rule())


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_sorting_kernel_on_hundreds_of_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS * 2):
        w = DEEP[kind](seed)
        policy = fixed_rank(seed, w, reservations)
        assert starts(w, policy, prioritised_once) == starts(w, policy), seed


@pytest.mark.parametrize(
    ("rule_of_old", "same"),
    [
        ("fcfs", Rank("fcfs")),
        ("list", Rank("fcfs", None, Backfill(3, frozenset()))),
        ("easy", Rank("fcfs", None, Backfill(1))),
        ("conservative-replan", Rank("fcfs", None, Backfill(None))),
    ],
)
@briefly
@given(w=workloads())
def test_contains_the_rules_of_old(rule_of_old: str, same: Rank, w: Workload) -> None:
    assert starts(w, same, prioritised_once) == naive.naive(w, Plain(rule_of_old))

"""Greedy against the oracle, and where it is another rule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Workload, greedy
from support.naive import naive
from support.simulating import DEEP, briefly, of_oracle, starts, thoroughly
from support.zoo import BACKFILLS, CRITERIA, PLAIN_RULES, ZOO, constant, fixed_policies, greedy_policies, workloads

GREEDY = [name for name in fixed_policies(("1",)) if name not in PLAIN_RULES]
PLANNED = [name for name in GREEDY if name.endswith("conservative")]
QUICK = [name for name in GREEDY if name not in PLANNED]


@pytest.mark.parametrize("policies", [QUICK, pytest.param(PLANNED, marks=pytest.mark.slow)], ids=["quick", "planned"])
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, policies: list[str]) -> None:
    w = ZOO[name]
    for policy in policies:
        assert starts(w, fixed_policies(w.groups)[policy]) == of_oracle(name, policy), policy


@pytest.mark.slow
@pytest.mark.parametrize("backfill", BACKFILLS)
@settings(thoroughly, max_examples=60)
@given(data=st.data(), w=workloads(max_jobs=14))
def test_greedy_equals_the_oracle_on_any_workload(backfill: str, data: st.DataObject, w: Workload) -> None:
    policy = data.draw(greedy_policies(w.groups, (backfill,)))
    assert starts(w, policy) == naive(w, policy)


@pytest.mark.slow
@pytest.mark.parametrize("backfill", BACKFILLS)
@pytest.mark.parametrize("kind", DEEP)
def test_greedy_equals_the_oracle_on_hundreds_of_jobs(kind: str, backfill: str) -> None:
    for seed, criteria in enumerate([[c] * 3 for c in CRITERIA] + [["f1", "f2", "f3"], ["f4", "f3", "f1"]]):
        w = DEEP[kind](seed)
        count = len(w.groups)
        rng = np.random.default_rng([seed, 7])
        genes = rng.random((3, 2 * count + 2)) * ([1.0] * count + [5.0] * count + [1.0, 1.0])
        genes[:, -2:] **= 1 + 3 * seed  # waits and sizes are large numbers: small factors make all terms matter
        policy = greedy(criteria, genes, groups=w.groups, backfill=backfill)
        assert starts(w, policy) == naive(w, policy), (seed, criteria)


# ---- one rule as a special case of another


TWIN = {"none": "fcfs", "easy": "easy", "conservative": "conservative-replan"}


@pytest.mark.parametrize("backfill", BACKFILLS)
@briefly
@given(data=st.data(), w=workloads())
def test_greedy_with_equal_keys_is_the_rule_without_keys(backfill: str, data: st.DataObject, w: Workload) -> None:
    criteria = data.draw(st.lists(st.sampled_from(CRITERIA), min_size=3, max_size=3))
    nothing = greedy(criteria, constant(len(w.groups), 0, 0, 0, 0), groups=w.groups, backfill=backfill)
    assert starts(w, nothing) == starts(w, TWIN[backfill])
    same = greedy(criteria, constant(len(w.groups), 0.3, 2.5, 0, 0), groups=w.groups, backfill=backfill)
    assert starts(w, same) == starts(w, TWIN[backfill])

"""Conservative backfilling where it is plain to see; `tests/policies/test_plain.py` compares it with the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from paretosched import Workload
from paretosched.policies.plain import Plain
from support.naive import naive
from support.simulating import briefly, starts
from support.zoo import random_jobs, workloads

RULES = ("conservative", "conservative-replan")


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
def test_equals_the_oracle_where_hundreds_of_jobs_wait(rule: str) -> None:
    w = random_jobs(1, 330, 256, gap=0, run=400, slack=3.0)
    assert starts(w, rule) == naive(w, Plain(rule))


@briefly
@given(w=workloads(exact=True))
def test_with_exact_estimates_every_conservative_reservation_is_final(w: Workload) -> None:
    # then the schedule is: each job in arrival order at the earliest place that earlier arrivals leave
    start: list[int] = []
    for j in range(len(w)):
        finish = np.array(start, dtype=np.int64) + w.run[:j]
        for t in sorted({int(w.submit[j]), *(f for f in finish.tolist() if f > w.submit[j])}):
            instants = [t, *(s for s in start if t < s < t + w.run[j])]
            usage = [int(w.width[:j][(np.array(start, dtype=np.int64) <= i) & (finish > i)].sum()) for i in instants]
            if max(usage) + w.width[j] <= w.capacity:
                start.append(t)
                break
    assert starts(w, "conservative") == start
    assert starts(w, "conservative-replan") == start

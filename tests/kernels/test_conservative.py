"""Conservative backfilling where it is plain to see; `tests/policies/test_plain.py` compares it with the oracle."""

import numpy as np
import pytest
from hypothesis import given

from paretosched import Workload
from paretosched.policies.learning import outcome_on_engine
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


def few_sizes(seed: int, jobs: int, gap: int) -> Workload:
    """Return jobs of few sizes, most of which end early, and of which many are equal and arrive together."""
    rng = np.random.default_rng(seed)
    width = rng.choice([1, 2, 3, 8, 30, 64], jobs)
    estimate = rng.choice([50, 51, 400, 3000], jobs)
    return Workload(
        submit=np.sort(rng.integers(0, gap * jobs + 1, jobs)),
        run=np.ceil(estimate * rng.random(jobs) ** rng.choice([0, 2], jobs)).astype(np.int64),
        estimate=estimate,
        width=width,
        capacity=64,
    )


@pytest.mark.slow
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("gap", [0, 20])
def test_equals_the_oracle_where_many_waiting_jobs_are_equal(rule: str, gap: int) -> None:
    w = few_sizes(gap, 260, gap)
    assert starts(w, rule) == naive(w, Plain(rule))


@pytest.mark.slow
def test_equals_the_plan_of_all_jobs_where_a_thousand_wait() -> None:
    """The oracle is too slow; the engine sorts and plans all jobs at every event."""
    for w in (few_sizes(1, 1_300, 0), few_sizes(2, 1_300, 30), random_jobs(3, 1_300, 256, gap=1, run=400)):
        expected = outcome_on_engine(w, Plain("conservative-replan").queue(w), False, None).start
        assert starts(w, "conservative-replan") == expected.tolist()

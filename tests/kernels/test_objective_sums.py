"""The sums of all objectives against plain ones."""

import pytest
from hypothesis import given, settings

from paretosched import Workload, objectives, simulate
from support.zoo import jobs, workloads


@settings(deadline=None, max_examples=50)
@given(w=workloads())
def test_measures_what_plain_sums_measure(w: Workload) -> None:
    schedule = simulate(w, "easy")
    rows = list(zip(*(a.tolist() for a in (w.submit, w.run, w.width, w.group, schedule.start)), strict=True))
    work = sum(p * m for _, p, m, _, _ in rows)
    span = max(s + p for _, p, _, _, s in rows) - min(s for *_, s in rows)
    values = objectives(schedule)
    assert values[0] == pytest.approx(100 * work / (w.capacity * span), rel=1e-12)
    assert 0 < values[0] <= 100
    for g in range(len(w.groups)):
        mine = [(p * m, s + p - r) for r, p, m, group, s in rows if group == g]
        if mine:
            assert values[2 + g] == pytest.approx(sum(a * b for a, b in mine) / sum(a for a, _ in mine), rel=1e-12)


def test_sums_do_not_overflow() -> None:
    # consumption times response adds up to 2e24
    w = jobs(10**6, *((0, 10**8, 10**8, 10**6) for _ in range(20)))
    values = objectives(simulate(w, "fcfs"))
    assert values.tolist() == [100.0, pytest.approx(10.5e8), pytest.approx(10.5e8)]

"""How long jobs wait in other groups."""

from __future__ import annotations

import numpy as np
import pytest

from paretosched.comparison.views import large_jobs, view
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from support.zoo import random_jobs


def test_large_jobs_are_the_widest_tenth_and_have_waits_and_response_times() -> None:
    w = random_jobs(3, 200, 16, gap=20, run=90)
    schedules = [simulate(w, rule) for rule in ("easy", "fcfs")]
    large = large_jobs(schedules)
    assert large is not None
    widest = np.sort(w.width)[::-1][19]
    rows = w.width >= widest
    assert large.how.startswith(f"wide: width >= {widest}; ")
    for schedule, waits, awrt in zip(schedules, large.waits, large.awrt, strict=True):
        assert waits.mean[1] == pytest.approx(schedule.wait[rows].mean())
        work, response = w.width * w.run, schedule.finish - w.submit
        assert awrt[1] == pytest.approx(np.average(response[rows], weights=work[rows]))
        assert awrt[0] == pytest.approx(objectives(schedule)["AWRT"])


def test_jobs_that_are_all_as_large_have_none() -> None:
    w = random_jobs(3, 20, 16, gap=20, run=90)
    assert large_jobs([simulate(w.with_(width=np.full(20, 4)), "easy")]) is None


def test_a_group_without_jobs_has_no_response_time() -> None:
    seen = view("none: width >= 99; rest", [simulate(random_jobs(3, 20, 16, gap=20, run=90), "easy")])
    assert np.isnan(seen.awrt[0][1])

"""Periods: the objectives of the jobs in each, and limits that mean EASY in the same period."""

from typing import Any

import numpy as np
import pytest

from paretosched.comparison.comparison import compare
from paretosched.core.errors import InputError
from paretosched.core.tables import to_json
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.front import Origin, front_of
from paretosched.simulation.objective import objectives
from paretosched.simulation.simulator import simulate
from paretosched.workload.workload import Workload
from support.trainings import of_weeks

W = of_weeks(3)
WISH = "10*AWRT1 + 4*AWRT2, AWRT3 <= 1.02*EASY, AWRT <= FCFS"


@pytest.mark.parametrize("count", [2, 3])
def test_every_job_counts_in_one_period(count: int) -> None:
    comparison = compare(W, ["fcfs", "conservative"], wish=WISH, rolling=count)
    rows = comparison.rows()[:3]
    first, span = int(W.submit[0]), int(W.submit[-1] - W.submit[0]) + 1
    for place in range(count):
        begin, end = (first + span * i // count for i in (place, place + 1))
        inside = (W.submit >= begin) & (W.submit < end)
        values = [np.asarray(objectives(simulate(W, p), inside)) for p in ("easy", "fcfs", "conservative")]
        for row, of_policy in zip(rows, values, strict=True):
            cells = row["periods"][place]
            assert cells["jobs"] == np.count_nonzero(inside)
            assert [cells[o.name] for o in comparison.objectives] == of_policy.tolist()
            assert cells["AWRT_vs_easy"] == pytest.approx(100 * (1 - of_policy[1] / values[0][1]))
            assert cells["objective"] == 10 * of_policy[2] + 4 * of_policy[3]
            limit, other = 1.02 * values[0][4], values[1][1]
            excess = max(of_policy[4] - limit, 0) / limit + max(of_policy[1] - other, 0) / other
            assert cells["exceeded"] == pytest.approx(excess)
    assert sum(cells["jobs"] for cells in rows[0]["periods"]) == len(W)
    assert all(cells["from"] in comparison.text() for cells in rows[0]["periods"])
    to_json(comparison.rows())


def test_a_period_without_jobs_of_a_group_has_no_goal() -> None:
    group = np.where(np.arange(len(W)) < 20, W.group, 2)
    comparison = compare(W.with_(group=group), "fcfs", wish="AWRT1", rolling=3)
    cells = [row["periods"][2] for row in comparison.rows()[:2]]
    assert [each["AWRT1"] for each in cells] == [None, None]
    assert [each["objective"] for each in cells] == [None, None]


def test_a_period_without_jobs_is_empty() -> None:
    w = W.take([0, 1, 2, len(W) - 1])
    rows = compare(w, "fcfs", wish="AWRT, AWRT <= 2*EASY", rolling=4).rows()
    assert [cells["jobs"] for cells in rows[0]["periods"]][1:3] == [0, 0]
    assert (rows[1]["periods"][1]["AWRT"], rows[1]["periods"][1]["exceeded"]) == (None, None)


@pytest.mark.parametrize(("count", "message"), [(1, "but is 1"), (401, "but is 401"), (2.5, "whole number")])
def test_absurd_numbers_are_refused(count: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(W, "fcfs", rolling=count)


def test_without_the_option_nothing_changes() -> None:
    assert "periods" not in compare(W, "fcfs").rows()[0]


@pytest.mark.parametrize(("kind", "exceeded"), [("start", 0), ("submission", (50 - 12.5) / 50)])
def test_a_period_keeps_limits_by_the_utilisation_of_the_front(kind: str, exceeded: float) -> None:
    jobs: dict[str, Any] = {"submit": [0, 9], "run": [10, 5], "estimate": [10, 5], "width": [3, 4], "capacity": 4}
    idle = Workload(**jobs, wait=[50, 60])  # the only job of the first period runs from 50 s on
    values = np.asarray(objectives(simulate(idle, "easy"), util_from=kind))[None]
    run = Origin("r", "nsga2", 1, 4, Weighting(), (("util_from", kind),) if kind == "submission" else ())
    front = front_of(values, np.zeros((1, 15)), run, idle.groups, idle.name, idle.digest)
    cells = compare(idle, ["recorded"], front, "UTIL >= 50", rolling=2).rows()[1]["periods"][0]
    assert (cells["UTIL"], cells["exceeded"]) == (75, exceeded)


def test_a_log_beyond_all_calendars_has_periods() -> None:
    """As one with a time in milliseconds."""
    far = Workload(submit=[0, 2**40], run=[10, 5], estimate=[10, 5], width=[1, 1], capacity=2)
    of_parts = compare(far, ["fcfs"], rolling=2).rows()[1]["periods"]
    assert [(cells["from"], cells["jobs"]) for cells in of_parts] == [("2000-01-03", 1), ("9000 or later", 1)]

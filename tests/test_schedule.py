"""A schedule is feasible or says where it is not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError, Schedule, Workload, simulate
from paretosched.schedule import busy
from zoo import jobs, workloads

W = jobs(4, (0, 10, 10, 3), (1, 5, 5, 2), (2, 5, 5, 1), job=[11, 12, 13])


def test_a_feasible_schedule_passes_and_ends_may_meet_starts() -> None:
    schedule = Schedule(W, [0, 10, 2])
    assert schedule.check() is schedule
    assert schedule.finish.tolist() == [10, 15, 7]


def test_an_overfull_machine_is_found_and_named() -> None:
    with pytest.raises(InputError, match="but 5 are in use from second 9 on, and more than it has in 1 intervals"):
        Schedule(W, [0, 9, 2], "tight").check()
    with pytest.raises(InputError, match=r"^tight: the machine has 4 processors, but 6 are in use from second 2 on"):
        Schedule(W, [0, 2, 2], "tight").check()


def test_an_early_start_is_found_and_named() -> None:
    with pytest.raises(InputError, match=r"2 do: job 12 starts at 0, submitted 1, job 13 starts at -7, submitted 2$"):
        Schedule(W, [0, 0, -7]).check()


def test_an_end_beyond_all_time_is_found() -> None:
    with pytest.raises(InputError, match="no job may end after second"):
        Schedule(W, [0, 2**63 - 3, 2]).check()


@pytest.mark.parametrize(
    "start", [[0, 1], [[0, 10, 2]], 3, [0.0, 10.0, 2.0], [0, 10, np.nan], ["0", "10", "2"], [0, 10, 2**64], [0, [1], 2]]
)
def test_starts_must_be_one_whole_number_a_job(start: Any) -> None:
    with pytest.raises(InputError, match=r"^start must"):
        Schedule(W, start)


def test_the_given_starts_are_copied_not_frozen() -> None:
    start = np.array([0, 10, 2])
    schedule = Schedule(W, start)
    start[0] = 99
    assert schedule.start.tolist() == [0, 10, 2]
    with pytest.raises(ValueError, match="read-only"):
        schedule.start[0] = 1


def test_busy_counts_processors_and_gaps() -> None:
    when, used = busy(Schedule(W, [0, 20, 2]))
    assert when.tolist() == [0, 2, 7, 10, 20, 25]
    assert used.tolist() == [3, 4, 3, 0, 2, 0]


@settings(deadline=None, max_examples=100)
@given(w=workloads(), data=st.data())
def test_check_agrees_with_counting_second_by_second(w: Workload, data: st.DataObject) -> None:
    w = w.with_(submit=w.submit // max(1, int(w.run.min())), run=np.minimum(w.run, 6))
    delay = data.draw(st.lists(st.integers(-1, 15), min_size=len(w), max_size=len(w)))
    schedule = Schedule(w, w.submit + np.array(delay))
    used: dict[int, int] = {}
    for s, p, m in zip(schedule.start.tolist(), w.run.tolist(), w.width.tolist(), strict=True):
        for second in range(s, s + p):
            used[second] = used.get(second, 0) + m
    feasible = min(delay) >= 0 and max(used.values()) <= w.capacity
    try:
        schedule.check()
    except InputError:
        assert not feasible
    else:
        assert feasible


@settings(deadline=None, max_examples=50)
@given(w=workloads())
def test_the_first_job_of_fcfs_cannot_start_earlier(w: Workload) -> None:
    start = simulate(w, "fcfs").check().start.copy()
    start[0] -= 1
    with pytest.raises(InputError, match="before its submission"):
        Schedule(w, start).check()

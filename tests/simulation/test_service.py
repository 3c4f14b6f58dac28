"""Waits, slowdowns and use over time are what counting job by job, and second by second, gives."""

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError, Schedule, Workload, objectives, simulate
from paretosched.policies.time_sharing import TimeSharing
from paretosched.simulation.schedule import segments_of
from paretosched.simulation.service import BINS, MOST_BINS, WEEK, YEAR, OfClass, bins, by_class, use, waits
from support.zoo import jobs, workloads

# Five jobs of two groups, and a group without jobs. The jobs wait 0, 4, 10, 6 and 0 s.
W = jobs(
    4, (0, 10, 10, 3, 0), (6, 5, 5, 2, 0), (10, 2, 2, 1, 1), (10, 100, 100, 1, 1), (20, 40, 40, 1, 0),
    groups=("staff", "students", "guests"),
)  # fmt: skip
S = Schedule(W, [0, 10, 20, 16, 20])


def test_waits_and_slowdowns_by_hand():
    # slowdowns with a bound of 10 s: 10/10, 9/10, 12/10, 106/100, 40/40
    every, staff, students, guests = zip(*waits(S), strict=True)
    assert every == pytest.approx((5, 4.0, 4.0, 10.0, 10.0, (1 + 1 + 1.2 + 1.06 + 1) / 5, 1.0), rel=1e-15)
    assert staff == pytest.approx((3, 4 / 3, 0.0, 4.0, 4.0, 1.0, 1.0), rel=1e-15)
    assert students == pytest.approx((2, 8.0, 8.0, 10.0, 10.0, 1.13, 1.13), rel=1e-15)
    assert guests[0] == 0
    assert all(math.isnan(x) for x in guests[1:])


def test_some_jobs_alone_are_a_workload_of_their_own():
    some = np.array([True, True, False, True, False])
    alone = waits(Schedule(W[some], S.start[some]))
    for column, expected in zip(waits(S, among=some), alone, strict=True):
        assert np.array_equal(column, expected, equal_nan=True)
    with pytest.raises(InputError, match="among must be truth values of 5 jobs"):
        waits(S, among=some[1:])


def test_the_bound_of_the_slowdown_is_a_choice():
    slow = waits(S, bound=1)  # 1, 9/5, 12/2, 106/100, 1
    assert slow.slowdown_mean[0] == pytest.approx((1 + 1.8 + 6 + 1.06 + 1) / 5, rel=1e-15)
    assert slow.slowdown_median[0] == 1.06
    assert waits(S, bound=600).slowdown_mean.tolist()[:3] == [1.0, 1.0, 1.0]
    with pytest.raises(InputError, match="bound of the slowdown must be at least 1 s, but is 0"):
        waits(S, bound=0)


@pytest.mark.parametrize(("count", "rank"), [(1, 1), (2, 2), (19, 19), (20, 19), (21, 20), (40, 38), (100, 95)])
def test_95_per_cent_of_the_jobs_wait_no_longer(count, rank):
    w = Workload(submit=[0] * count, run=[1] * count, estimate=[1] * count, width=[1] * count, capacity=1)
    assert waits(Schedule(w, list(range(count)))).p95[0] == rank - 1


def naive_waits(schedule: Schedule, group: int | None) -> list[float]:
    w = schedule.workload
    rows = [j for j in range(len(w)) if group is None or w.group[j] == group]
    wait = sorted(int(schedule.start[j] - w.submit[j]) for j in rows)
    slow = sorted(
        max(Fraction(1), Fraction(int(schedule.finish[j] - w.submit[j]), max(int(w.run[j]), 10))) for j in rows
    )
    n = len(rows)
    if n == 0:
        return [0] + [math.nan] * 6
    p95 = next(x for x in wait if Fraction(sum(y <= x for y in wait), n) >= Fraction(95, 100))
    half = [(v[(n - 1) // 2] + v[n // 2]) / Fraction(2) for v in (wait, slow)]
    return [n, float(Fraction(sum(wait), n)), float(half[0]), p95, wait[-1], float(sum(slow) / n), float(half[1])]


@pytest.mark.slow
@settings(deadline=None)
@given(workloads(), st.sampled_from(["fcfs", "easy", "list"]))
def test_waits_are_those_of_a_naive_count(workload, rule):
    schedule = simulate(workload, rule)
    statistics = waits(schedule)
    for place, group in enumerate([None, *range(len(workload.groups))]):
        ours = [column[place] for column in statistics]
        assert ours == pytest.approx(naive_waits(schedule, group), rel=1e-14, nan_ok=True)


def test_use_by_hand():
    # busy: 3 from 0, 2 from 10, none from 15, 1 from 16, 3 from 20, 2 from 22, 1 from 60 to 116
    assert use(S, np.array([0, 10, 12, 15, 18, 200])).tolist() == [30, 4, 6, 2, 2 + 6 + 76 + 56]
    assert use(S, np.array([-10, -5, 1, 116, 117])).tolist() == [0, 3, W.work - 3, 0]


@pytest.mark.slow
@settings(deadline=None)
@given(workloads(), st.sampled_from(["fcfs", "easy"]), st.lists(st.integers(-5, 400), min_size=2, max_size=6))
def test_use_is_what_counting_seconds_gives(workload, rule, edges):
    schedule = simulate(workload, rule)
    edges = sorted(edges)
    w = workload

    def overlap(j: int, low: int, high: int) -> int:
        return max(0, min(high, int(schedule.finish[j])) - max(low, int(schedule.start[j])))

    naive = [sum(overlap(j, low, high) * int(w.width[j]) for j in range(len(w))) for low, high in pairwise(edges)]
    assert use(schedule, np.array(edges)).tolist() == naive


@settings(deadline=None)
@given(workloads(), st.sampled_from(["fcfs", "easy"]))
def test_all_work_is_used_between_the_first_submission_and_the_last_completion(workload, rule):
    schedule = simulate(workload, rule)
    edges = bins(int(workload.submit[0]), int(schedule.finish.max()))
    work = use(schedule, edges)
    assert work.sum() == workload.work
    assert (work <= workload.capacity * np.diff(edges)).all()


@given(st.integers(0, 2**53), st.integers(1, 2**60))
def test_bins_are_even_few_and_cover_everything(first, span):
    edges = bins(first, first + span)
    widths = np.diff(edges)
    assert (edges[0], edges[-1]) == (first, first + span)
    assert 1 <= len(widths) <= MOST_BINS
    assert len(set(widths[:-1].tolist())) <= 1
    assert 0 < widths[-1] <= widths[0]
    width = int(widths[0])
    assert len(widths) == 1 or width in BINS or width % YEAR == 0
    shorter = [b for b in BINS if b < width]
    assert not shorter or span > MOST_BINS * shorter[-1]


def test_two_years_are_divided_into_weeks():
    assert np.diff(bins(0, 731 * 86400))[0] == WEEK


def test_no_time_cannot_be_divided():
    with pytest.raises(InputError, match="must last at least 1 s"):
        bins(5, 5)


# ---- classes and sizes


def test_classes_and_sizes_by_hand():
    # Of 10 processors: 1 is narrow, 2 and 5 are medium, 6 is wide. Run times of 599, 600, 10,799 and 10,800 s.
    w = jobs(10, (0, 599, 599, 1), (0, 600, 600, 2), (0, 10_799, 10_799, 5), (0, 10_800, 10_800, 6))
    rows = {(row.kind, row.size): row for row in by_class(Schedule(w, [0, 30, 0, 10_799]))}
    assert len(rows) == 16
    counts = {key: row.jobs for key, row in rows.items() if row.jobs}
    assert counts == {
        ("all", "all"): 4, ("all", "narrow"): 1, ("all", "medium"): 2, ("all", "wide"): 1,
        ("short", "all"): 1, ("short", "narrow"): 1, ("medium", "all"): 2, ("medium", "medium"): 2,
        ("long", "all"): 1, ("long", "wide"): 1,
    }  # fmt: skip
    work = 599 + 1200 + 5 * 10_799 + 6 * 10_800
    medium = rows["medium", "medium"]
    assert medium[2:7] == (2, (630 / 600 + 1) / 2, 1.5, (630 + 10_799) / 2, 15.0)
    assert medium.work_percent == pytest.approx(100 * (1200 + 5 * 10_799) / work)
    assert medium.utilisation_percent == pytest.approx(100 * (1200 + 5 * 10_799) / (10 * 21_599))
    assert rows["long", "all"].slowdown_rounded_up == 2.0
    assert math.isnan(rows["short", "wide"].slowdown)
    assert rows["all", "all"].work_percent == 100
    other = by_class(Schedule(w, [0, 30, 0, 10_799]), TimeSharing(medium_from=600, long_from=601), bound=10)
    assert [row.jobs for row in other if row.size == "all"] == [4, 1, 1, 2]
    assert other[0].slowdown == pytest.approx((1 + 630 / 600 + 1 + 21_599 / 10_800) / 4)
    with pytest.raises(InputError, match="bound of the slowdown must be at least 1 s, but is 0"):
        by_class(Schedule(w, [0, 30, 0, 10_799]), bound=0)


def test_of_preempted_jobs_the_response_ends_with_the_last_segment_and_the_wait_with_the_first():
    # From 505 to 1,502 the job waits once more, preempted: 3 s until its first start, 1,000 s in all.
    w = jobs(4, (2, 1000, 1000, 4))
    parts = segments_of([(0, 5, 505, [(0, 3)]), (0, 1502, 2002, [(0, 3)])], [(505, 600)])
    row = by_class(Schedule(w, [5], segments=parts).check())[0]
    assert row == OfClass("all", "all", 1, 2.0, 2.0, 2000.0, 3.0, 100.0, 100 * 1000 / 1997, 1000.0)


def test_waits_and_responses_count_from_when_jobs_are_eligible():
    later = W.with_(eligible=[0, 9, 20, 10, 20])
    of_log, of_later = (Schedule(w, S.start) for w in (W, later))
    assert waits(of_later).mean.tolist()[:3] == [7 / 5, 1 / 3, 3.0]
    assert waits(of_later).slowdown_mean[1] == pytest.approx(1.0)
    shorter = 3 + 10
    for key in ("response_s", "wait_s", "wait_in_all_s"):
        assert getattr(by_class(of_later)[0], key) == pytest.approx(getattr(by_class(of_log)[0], key) - shorter / 5)
    less = (3 * 10 + 10 * 2) / W.work  # processor seconds times seconds
    assert objectives(of_later)[1] == pytest.approx(objectives(of_log)[1] - less)
    assert objectives(of_later)[0] == objectives(of_log)[0]

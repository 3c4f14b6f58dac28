"""No schedule beats the bounds, neither the best of tiny workloads nor any policy; and they are what the proof says."""

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError, Schedule, Workload, bounds, objective_table, objectives, simulate
from paretosched.policies.cut_jobs import least_runs
from paretosched.policies.plain import Plain
from paretosched.simulation.lower_bounds import Bounds
from paretosched.simulation.objective import shares
from paretosched.workload.measures import with_measures
from support.later import arrival_workload, later
from support.preemption_zoo import preempting_case
from support.reserved_zoo import reserved_case
from support.short_lives import PASSES
from support.suspending_zoo import suspending_case
from support.tiny import in_units, place_jobs
from support.zoo import PLAIN_RULES, ZOO, fixed_policies, jobs, policies, random_jobs, workloads

NEARLY = 1 + 1e-12


def objectives_below(lower: Bounds, values: np.ndarray, workload: Workload) -> list[str]:
    """The objectives in which a schedule is better than its bound, by whatever little."""
    assert (np.isnan(values) == np.isnan(lower.together)).all()
    assert (np.isnan(values) == np.isnan(lower.alone)).all()
    sign = np.array([-1.0 if o.maximise else 1.0 for o in objective_table(workload.groups)])
    worse = (sign * values < sign * lower.together) | (sign * lower.together < sign * lower.alone)
    return [o.name for o, is_worse in zip(objective_table(workload.groups), worse, strict=True) if is_worse]


def waiting(workload: Workload, rows: list[int]) -> tuple[Fraction, int]:
    """Integral of A - D of these jobs, and when D ends, one second after the other as the proof has them."""
    w = workload
    m = w.capacity
    columns = (w.submit, w.run, w.width)
    submit, run, width = ({j: int(column[j]) for j in rows} for column in columns)
    wide_rest = {j: run[j] for j in rows if 2 * width[j] > m}
    total = sum(run[j] * width[j] for j in rows)
    alone = flowed_in = 0  # A and F at the beginning of second t
    backlog = Fraction(0)  # F - D then
    integral = Fraction(0)
    t = min(submit.values())
    while flowed_in < total or backlog > 0:
        rate = sum(width[j] for j in rows if submit[j] <= t < submit[j] + run[j])
        inflow = sum(width[j] for j in rows if j not in wide_rest and submit[j] <= t < submit[j] + run[j])
        available = [j for j in wide_rest if submit[j] <= t and wide_rest[j] > 0]
        if available:
            widest = max(available, key=lambda j: width[j])
            wide_rest[widest] -= 1
            inflow += width[widest]
        integral += (alone - flowed_in) + Fraction(rate - inflow, 2)
        alone += rate
        flowed_in += inflow
        after = max(Fraction(0), backlog + inflow - m)
        integral += (backlog + after) / 2 if after or inflow >= m else backlog * backlog / (2 * (m - inflow))
        backlog = after
        t += 1
    return integral, t


def exactly(workload: Workload) -> tuple[list[Fraction | None], int]:
    """The bounds "together" of AWRT, AWRT1, ... in exact arithmetic, and the last completion of a prompt schedule."""
    w = workload
    times: list[Fraction | None] = []
    ends = []
    members = [list(range(len(w)))] + [np.flatnonzero(w.group == g).tolist() for g in range(len(w.groups))]
    for rows in members:
        if not rows:
            times.append(None)
            continue
        integral, end = waiting(w, rows)
        ends.append(end)
        work = sum(int(w.run[j] * w.width[j]) for j in rows)
        times.append((sum(int(w.run[j] ** 2 * w.width[j]) for j in rows) + integral) / work)
    return times, ends[0]


def check_against_exact(w: Workload) -> None:
    lower = bounds(w)
    exact, end = exactly(w)
    for value, true in zip(lower.together[1:].tolist(), exact, strict=True):
        if true is None:
            assert np.isnan(value)
        else:
            assert true / Fraction(NEARLY) <= Fraction(value) <= true * Fraction(NEARLY)
    assert lower.prompt_utilisation == 100.0 * w.work / (w.capacity * (end - int(w.submit[0])))


@pytest.mark.parametrize(
    ("w", "weighted_sum", "prompt_span"),
    [
        # a lone job: nothing waits
        (jobs(4, (7, 10, 10, 3)), 30 * 10, 10),
        # twelve processors wanted, four there: 8 wait in each of 2 s, then 16 flow out in 4 s
        (jobs(4, *[(0, 2, 2, 2)] * 6), 24 * 2 + 16 * 2 / 2 + 16 * 4 / 2, 6),
        # 6 flow in, 4 out for 2 s; then 4 wait, and 1 flows in and 4 out: empty after 4/3 s, idle in part until 5
        (jobs(4, (0, 5, 5, 1), (0, 2, 2, 2), (0, 2, 2, 1), (0, 2, 2, 2)), 25 + 20 + 4 * 2 / 2 + 4 * (4 / 3) / 2, 5),
        # two wide jobs in turn: the second 10 s late
        (jobs(4, (0, 10, 10, 3), (0, 10, 10, 3)), 60 * 10 + 30 * 10, 20),
        # the wider one, later, stops the other for 2 s: 6 s of it come 2 s late
        (jobs(4, (0, 10, 10, 3), (4, 2, 2, 4)), 300 + 16 + 3 * 6 * 2, 12),
        # in turn, and beside them a narrow job, as 3 + 2 flow in: for 10 s, 1 a second must wait, 10 in all, and flows
        # out while 3 flow in for 10 s more
        (jobs(4, (0, 10, 10, 3), (0, 10, 10, 3), (0, 10, 10, 2)), 800 + 300 + 10 * 10 / 2 + 10 * 10 / 2, 20),
        # jobs of half the machine are not wide
        (jobs(4, (0, 10, 10, 2), (0, 10, 10, 2)), 400, 10),
    ],
)
def test_response_times_by_hand(w: Workload, weighted_sum: float, prompt_span: int) -> None:
    lower = bounds(w)
    assert lower.together[1] == pytest.approx(weighted_sum / w.work, rel=1e-13)
    assert lower.together[2] == lower.together[1]
    assert lower.alone[1] == (w.run**2 * w.width).sum() / w.work
    assert lower.prompt_utilisation == 100 * w.work / (w.capacity * prompt_span)


@pytest.mark.parametrize(
    ("w", "alone", "together"),
    [
        (jobs(4, (0, 10, 10, 1), (5, 4, 4, 1)), 10, 10),  # the longest job
        (jobs(4, (0, 3, 3, 2), (0, 3, 3, 2), (9, 1, 1, 1)), 4, 4),  # 13 processor seconds need 4 s of 4 processors
        (jobs(4, (0, 3, 3, 3), (0, 3, 3, 3), (99, 1, 1, 1)), 5, 6),  # 19 would need 5 s, but wide jobs run in turn
    ],
)
def test_the_shortest_span_by_hand(w: Workload, alone: int, together: int) -> None:
    lower = bounds(w)
    assert lower.alone[0] == 100 * w.work / (w.capacity * alone)
    assert lower.together[0] == 100 * w.work / (w.capacity * together)


@pytest.mark.parametrize(
    "name",
    [name for name, w in ZOO.items() if (u := in_units(w)).submit[-1] + u.run.sum() < 3000],
)
def test_exact_arithmetic_gives_the_same_on_the_zoo(name: str) -> None:
    check_against_exact(in_units(ZOO[name]))


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(w=workloads(exact=True).map(in_units))
def test_exact_arithmetic_gives_the_same(w: Workload) -> None:
    check_against_exact(w)


@pytest.mark.slow
def test_no_schedule_of_a_tiny_workload_beats_them_and_some_meet_them() -> None:
    """All orders with earliest placement; they include the best schedule for every response time."""
    times_met = np.zeros(4, dtype=int)
    wide_met = prompt_met = 0
    for seed in range(50):
        w = random_jobs(seed, 4 + seed % 2, 4, gap=2, run=4, slack=0.0, groups=2)
        lower = bounds(w)
        best = np.array([-np.inf, np.inf, np.inf, np.inf])
        for order in permutations(range(len(w))):
            for first in (0, int(w.submit[-1])):
                schedule = Schedule(w, place_jobs(w, order, first)).check()
                values = objectives(schedule)
                assert objectives_below(lower, values, w) == []
                if schedule.start.min() == w.submit[0]:
                    assert values[0] <= lower.prompt_utilisation
                    prompt_met += values[0] == lower.prompt_utilisation
                best = np.concatenate([np.fmax(best[:1], values[:1]), np.fmin(best[1:], values[1:])])
        times_met += np.abs(best - lower.together) <= 1e-12 * lower.together
        wide_met += lower.together[1] > lower.alone[1] and best[1] <= lower.together[1] * NEARLY
    assert (times_met > 6).all(), times_met
    assert wide_met > 1
    assert prompt_met > 16


@pytest.mark.parametrize("name", list(ZOO))
def test_no_policy_beats_them_on_the_zoo(name: str) -> None:
    w = ZOO[name]
    lower = bounds(w)
    for policy in fixed_policies(w.groups).values():
        values = objectives(simulate(w, policy))
        assert objectives_below(lower, values, w) == []
        assert values[0] <= lower.prompt_utilisation <= lower.together[0] <= 100


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(data=st.data(), w=workloads())
def test_no_policy_beats_them(data: st.DataObject, w: Workload) -> None:
    values = objectives(simulate(w, data.draw(policies(w.groups))))
    lower = bounds(w)
    assert objectives_below(lower, values, w) == []
    assert values[0] <= lower.prompt_utilisation <= lower.together[0] <= 100


@pytest.mark.parametrize("capacity", [1, 7, 1024])
def test_sums_that_round_do_not_beat_them(capacity: int) -> None:
    # Work far beyond 2^53, where neither a sum nor a product is exact, and schedules that are as good as the bounds.
    rng = np.random.default_rng(capacity)
    run = rng.integers(10**11, 10**12, 2000)
    w = Workload(
        submit=np.zeros(2000, dtype=np.int64),
        run=run,
        estimate=run,
        width=np.full(2000, capacity),
        capacity=capacity,
        group=rng.integers(0, 3, 2000),
        groups=tuple("123"),
    )
    lower = bounds(w)
    for order in (np.arange(2000), rng.permutation(2000), np.argsort(w.group, kind="stable")):
        start = np.empty(2000, dtype=np.int64)
        start[order] = np.cumsum(run[order]) - run[order]
        values = objectives(Schedule(w, start).check())
        assert objectives_below(lower, values, w) == []
        assert values[0] <= lower.prompt_utilisation
        # weight and work of a job are the same, so that every order of full-machine jobs is as good
        assert values[1] == pytest.approx(lower.together[1], rel=1e-10)
    assert values[2] == pytest.approx(lower.together[2], rel=1e-10)  # group 1 went first


def test_with_processors_for_all_no_job_needs_to_wait() -> None:
    w = random_jobs(8, 60, 16, gap=1, run=20).with_(capacity=60 * 16)
    lower = bounds(w)
    assert lower.together.tolist() == lower.alone.tolist()
    values = objectives(simulate(w, "fcfs"))
    assert values[1:].tolist() == lower.together[1:].tolist()
    assert values[0] == lower.prompt_utilisation


def test_on_a_saturated_machine_they_are_far_above_those_where_no_job_waits() -> None:
    w = ZOO["a queue of 150"]
    lower = bounds(w)
    easy = objectives(simulate(w, "easy"))
    assert lower.together[1] > 5 * lower.alone[1]
    assert lower.together[1] > 0.75 * easy[1]
    assert lower.prompt_utilisation > easy[0] > 0.8 * lower.prompt_utilisation


@settings(deadline=None, max_examples=50)
@given(w=workloads())
def test_all_jobs_together_are_bounded_no_weaker_than_their_groups(w: Workload) -> None:
    lower = bounds(w)
    share = shares(w)
    present = share > 0
    assert lower.together[1] * NEARLY >= share[present] @ lower.together[2:][present]


@settings(deadline=None, max_examples=50)
@given(w=workloads(), later=st.integers(1, 10**6))
def test_shifting_time_and_estimates_change_nothing(w: Workload, later: int) -> None:
    lower = bounds(w)
    for other in (w.with_(submit=w.submit + later), w.with_(estimate=w.run)):
        again = bounds(other)
        np.testing.assert_array_equal(again.together, lower.together)
        np.testing.assert_array_equal(again.alone, lower.alone)
        assert again.prompt_utilisation == lower.prompt_utilisation


@pytest.mark.traces
def test_ctc_has_room_below_easy_but_not_much_in_all(traces) -> None:
    from paretosched import read_swf

    w = read_swf(traces / "CTC-SP2-1996-3.1-cln.swf.gz")
    lower = bounds(w)
    for rule in PLAIN_RULES[:3]:
        values = objectives(simulate(w, Plain(rule)))
        assert objectives_below(lower, values, w) == []
        assert values[0] <= lower.prompt_utilisation
    assert lower.together[1] > 1.5 * lower.alone[1]


@pytest.mark.parametrize("name", list(ZOO)[1::4])
def test_bounds_are_those_of_the_seconds_in_which_jobs_are_eligible(name: str) -> None:
    w = later(ZOO[name], 7)
    same, _ = arrival_workload(w)
    assert bounds(w).together.tolist() == pytest.approx(bounds(same).together.tolist(), rel=1e-12, nan_ok=True)
    assert bounds(w).prompt_utilisation == bounds(same).prompt_utilisation
    for rule in PLAIN_RULES:
        assert objectives_below(bounds(w), objectives(simulate(w, rule)), w) == []


MEASURES = (
    "mean wait", "mean response", "p95 slowdown", "longest response", "share slowdown > 1.5", "stretch", "jain wait",
    "idle hours", "energy(250 W, idle 90 W)", "weighted response of 1",
)  # fmt: skip


@pytest.mark.parametrize("case", [preempting_case, reserved_case, suspending_case])
def test_no_schedule_of_which_jobs_make_way_beats_the_bounds(case: Callable[[int], Workload]) -> None:
    """In passes of Slurm jobs are cancelled or end with their reservation, after what is said at least, or stop."""
    cut = beyond_run = 0
    for seed in range(120):
        w = case(seed)
        uses = [f"UTIL_{name.lower()}" for name in w.resource_shares]
        w = with_measures(w, [*MEASURES, *uses])
        try:
            schedule = simulate(w, PASSES)
        except InputError:  # a job never fits
            continue
        lower, least = bounds(w), least_runs(w)
        assert (schedule.finish - schedule.start >= least).all()
        values, table = np.asarray(schedule.objectives), objective_table(w)
        sign = np.array([-1.0 if o.maximise else 1.0 for o in table])
        better = (sign * values < sign * lower.together) & ~np.isnan(lower.together)
        assert [o.name for o, is_better in zip(table, better, strict=True) if is_better] == []
        is_cut = schedule.lives is not None and not schedule.lives.requeued.all()
        cut += is_cut
        alone = objectives(Schedule(w, w.eligible, placement=schedule.placement))  # if all ran to their end
        beyond_run += bool((sign * values < sign * np.asarray(alone))[1:2].any())
    assert cut >= (0 if case is suspending_case else 20)
    assert beyond_run >= (case is preempting_case)

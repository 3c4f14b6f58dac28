"""Intervals of the bootstrap: by hand, by the definition, and whether they hold what they promise."""

import numpy as np
import pytest

import paretosched as ps
from paretosched.comparison.comparison import compare
from paretosched.comparison.intervals import (
    DRAWS,
    Intervals,
    WeekSums,
    block_length,
    drawn_weeks,
    intervals,
    join_sums,
    paired_interval,
    response_times,
    week_sums,
)
from paretosched.core.errors import InputError
from paretosched.core.tables import to_json
from paretosched.simulation.objective import objective_table, objectives
from paretosched.simulation.simulator import simulate
from paretosched.wishes.wish_grammar import parse
from paretosched.workload.workload import Workload
from support.trainings import of_weeks

WEEK = 7 * 86400
W = of_weeks(3).with_(submit=of_weeks(3).submit * 3)  # twelve weeks
WISH = parse("10*AWRT1 + 4*AWRT2, AWRT3 <= 1.02*EASY", objective_table(W.groups))


def test_all_weeks_once_are_the_objectives() -> None:
    for policy in ("easy", "fcfs", "scojo"):
        schedule = simulate(W, policy)
        sums = week_sums(schedule)
        once = np.ones((1, len(sums.work)), dtype=np.int64)
        assert response_times(sums, once)[0, 1:] == pytest.approx(np.asarray(objectives(schedule))[1:])


@pytest.mark.parametrize("weeks", [4, 13, 48, 104])
def test_draws_are_blocks_of_weeks_in_succession(weeks: int) -> None:
    counts = drawn_weeks(weeks)
    assert counts.shape == (DRAWS, weeks)
    assert (counts.sum(axis=1) == weeks).all()
    assert block_length(weeks) == {4: 2, 13: 2, 48: 4, 104: 5}[weeks]
    # every week is as likely as any other; counts of weeks side by side go together
    assert counts.mean(axis=0) == pytest.approx(np.ones(weeks), abs=0.15)
    assert np.corrcoef(counts[:, 0], counts[:, 1])[0, 1] > np.corrcoef(counts[:, 0], counts[:, weeks // 2])[0, 1] + 0.2


def test_intervals_are_quantiles_of_what_the_draws_give() -> None:
    schedules = [simulate(W, policy) for policy in ("easy", "fcfs")]
    result = intervals([week_sums(schedule) for schedule in schedules], WISH)
    week = (W.submit - W.submit[0]) // WEEK
    assert result.weeks == week[-1] + 1
    draws: list[list[list[float]]] = []
    for counts in drawn_weeks(result.weeks):
        times = counts[week]
        of_policies = []
        for schedule in schedules:
            weight = times * W.run * W.width
            response = schedule.finish - W.submit
            values = [float((weight * response).sum() / weight.sum())]
            for g in range(3):
                mine = W.group == g
                values.append(float((weight * response)[mine].sum() / max(weight[mine].sum(), 1e-300)))
            of_policies.append([*values, 10 * values[1] + 4 * values[2]])
        draws.append(of_policies)
    table = np.array(draws)
    gains = 100 * (table[:, :1] - table) / table[:, :1]
    for expected, values, goals in ((table, result.values, result.goals), (gains, result.gains, result.goal_gains)):
        ends = np.moveaxis(np.quantile(expected, [0.05, 0.95], axis=0), 0, -1)
        np.testing.assert_allclose(values[:, 1:], ends[:, :4], rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(goals, ends[:, 4], rtol=1e-9, atol=1e-9)
        assert np.isnan(values[:, 0]).all()
    assert result.goal_gains[0].tolist() == [0, 0]


@pytest.mark.parametrize(("weeks", "expected"), [(1, [np.nan, np.nan]), (20, [7, 7])])
def test_a_group_that_is_hardly_ever_there_has_no_interval(weeks: int, expected: list[float]) -> None:
    work = np.column_stack([np.ones(40), np.arange(40) < weeks])
    np.testing.assert_array_equal(intervals([WeekSums(7 * work, work)]).values[0, 3], expected)


@pytest.mark.slow
def test_nine_of_ten_intervals_hold_the_truth() -> None:
    """Weeks that do not depend on each other, whose true AWRT is 1,000 s."""
    r = np.random.default_rng(5)
    inside = 0
    for _ in range(200):
        work = r.uniform(1, 3, (40, 1))
        sums = WeekSums(work * r.gamma(4, 250, (40, 1)), work)
        low, high = intervals([sums]).values[0, 1]
        inside += bool(low <= 1000 <= high)
    assert 0.82 <= inside / 200 <= 0.95


def test_differences_are_more_certain_than_values() -> None:
    r = np.random.default_rng(6)
    work = r.uniform(1, 3, (40, 2))
    base = work * r.gamma(2, 500, (40, 2))
    result = intervals([WeekSums(base, work), WeekSums(base * r.uniform(0.88, 0.92, (40, 2)), work)])
    low, high = result.gains[1, 1]
    assert 9 < low <= high < 11
    assert np.ptp(result.values[1, 1]) / 1000 > 0.1


def test_parts_are_joined_in_their_order() -> None:
    sums = week_sums(simulate(W, "easy"))
    again = join_sums([WeekSums(sums.weighted[:5], sums.work[:5]), WeekSums(sums.weighted[5:], sums.work[5:])])
    assert again.weighted.tolist() == sums.weighted.tolist()
    assert again.work.tolist() == sums.work.tolist()


def test_what_has_no_interval_has_none() -> None:
    w = W.with_(groups=("1", "2", "3", "empty"))
    comparison = compare(w, "fcfs", wish="AWRT1 - 5*UTIL", intervals=True)
    cells = comparison.rows()[1]["intervals"]
    missing = {key for key, ends in cells.items() if ends is None}
    names = {"UTIL", "AWRT4", "mean wait of empty", "objective"}
    names |= {f"{name}_vs_easy" for name in names}
    assert missing == names | {f"mean wait of {group}_vs_easy" for group in (1, 3)}  # often nobody waits under EASY
    assert cells["AWRT"][0] <= comparison.rows()[1]["AWRT"] <= cells["AWRT"][1]
    near = compare(w, "fcfs", wish="near AWRT1=1h, AWRT2=2h", intervals=True).rows()[1]["intervals"]
    assert near["objective"][0] < near["objective"][1]
    assert near["objective_vs_easy"] is None
    assert "90 % intervals" in comparison.text()
    assert "intervals" not in compare(w, "fcfs").rows()[0]
    to_json(comparison.rows())


def test_too_few_weeks_are_refused() -> None:
    short = Workload([0, 3 * WEEK - 1], [1, 1], [1, 1], [1, 1], 1)
    with pytest.raises(InputError, match="intervals need jobs of 4 weeks or more, but these were submitted in 3"):
        compare(short, "fcfs", intervals=True)
    assert isinstance(compare(short.with_(submit=[0, 3 * WEEK]), "fcfs", intervals=True).intervals, Intervals)


@pytest.mark.parametrize(("weeks", "few"), [(4, True), (7, True), (8, False)])
def test_intervals_from_few_weeks_say_that_they_are_rough(weeks: int, few: bool) -> None:
    sums = WeekSums(np.ones((weeks, 1)), np.ones((weeks, 1)))
    expected = f"intervals from {weeks} weeks are rough, and often too short; take a log of 8 weeks or more"
    assert intervals([sums]).caution == (expected if few else "")


def test_responses_of_a_week_count_from_when_its_jobs_are_eligible() -> None:
    later = W.with_(eligible=W.submit + np.arange(len(W)) % 3 * WEEK)
    schedule = simulate(later, "easy")
    sums = week_sums(schedule)
    assert sums.work.tolist() == week_sums(simulate(W, "easy")).work.tolist()
    once = np.ones((1, len(sums.work)), dtype=np.int64)
    assert response_times(sums, once)[0, 1:] == pytest.approx(np.asarray(objectives(schedule))[1:])


def test_a_log_with_a_time_in_milliseconds_has_no_intervals() -> None:
    w = Workload([0, 5, 17 * 10**11], [9] * 3, [9] * 3, [1] * 3, 2, job=[4, 5, 6])
    with pytest.raises(
        InputError, match="at most, but the jobs were submitted in 2810847; job 6 comes 2810846 weeks after"
    ):
        compare(w, "fcfs", intervals=True)


def test_paired_intervals_are_those_of_students_t() -> None:
    from scipy.stats import t

    rng = np.random.default_rng(3)
    values = rng.normal(2, 5, 7)
    expected = t.interval(0.95, 6, loc=values.mean(), scale=values.std(ddof=1) / np.sqrt(7))
    assert paired_interval([*values, np.nan]) == pytest.approx(expected)
    assert np.isnan(paired_interval([1.0])).all()
    assert np.isnan(paired_interval([1.0, np.nan])).all()
    held = [low <= 2 <= high for low, high in (paired_interval(rng.normal(2, 5, 5)) for _ in range(2000))]
    assert np.mean(held) == pytest.approx(0.95, abs=0.015)


def test_mean_waits_and_gains_over_today_have_intervals_by_the_same_draws() -> None:
    w = W.with_(wait=np.zeros(len(W), dtype=np.int64))
    rows = compare(w, ["sjf"], wish="AWRT1", intervals=True, today="fcfs").rows()
    assert [row["policy"] for row in rows[:3]] == ["EASY", "FCFS", "SJF with EASY"]
    schedules = [simulate(w, policy) for policy in ("easy", "fcfs", "sjf")]
    counts = drawn_weeks(int((w.submit[-1] - w.submit[0]) // WEEK) + 1)[:, (w.submit - w.submit[0]) // WEEK]
    mine = w.group == 1
    draws = np.array([(counts[:, mine] @ s.wait[mine]) / counts[:, mine].sum(axis=1) for s in schedules])
    cells = rows[2]["intervals"]
    assert cells["mean wait of 2"] == pytest.approx(np.quantile(draws[2], [0.05, 0.95]))
    for key, first in (("easy", draws[0]), ("today", draws[1])):
        known = first > 0
        gains = 100 * (first - draws[2])[known] / first[known]
        assert cells[f"mean wait of 2_vs_{key}"] == pytest.approx(np.quantile(gains, [0.05, 0.95]))
    assert rows[1]["intervals"]["objective_vs_today"] == [0, 0]
    assert "AWRT1_vs_today" not in compare(w, ["sjf"], intervals=True).rows()[1]["intervals"]
    text = compare(w, ["sjf"], wish="p95 wait of 1", intervals=True, today="fcfs").text()
    table = text.partition("90 % intervals")[2].partition("\n\n")[0]
    assert "  vs today %" in table
    assert "mean wait h" in table
    assert "no interval of p95 wait of 1, nor of a goal with it: only means of jobs have one" in table


@pytest.mark.slow
def test_intervals_are_too_short_on_made_up_logs_as_the_page_says() -> None:
    """Of SJF, which lets jobs starve, they have the mean of all logs in about half of them: docs/howto/compare.md."""
    rows = [
        ps.compare(
            ps.lublin(jobs=10_000, processors=128, seed=seed), {"sjf": "sjf; backfill: easy"}, intervals=True
        ).rows()[1]
        for seed in range(1000, 1016)
    ]
    assert {row["policy"] for row in rows} == {"sjf"}
    mean = np.mean([row["AWRT"] for row in rows])
    held = [low <= mean <= high for low, high in (row["intervals"]["AWRT"] for row in rows)]
    assert 0.2 < np.mean(held) < 0.8

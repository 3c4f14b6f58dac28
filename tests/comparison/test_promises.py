"""The verdict of a review, on made-up recorded starts."""

from dataclasses import replace

import numpy as np
import pytest

from paretosched import Machine, NodeKind, Requests
from paretosched.comparison.carried_over import begin_at, outcome_since
from paretosched.comparison.promises import EASY, POLICY, RECORDED, Word, review
from paretosched.comparison.review_tables import about_jobs, review_text
from paretosched.core.errors import InputError, number_of
from paretosched.policies.greedy_order import greedy
from paretosched.policies.policy import Policy, as_policy
from paretosched.simulation.objective import objectives
from paretosched.simulation.schedule import Schedule
from paretosched.simulation.simulator import simulate
from paretosched.wishes.wish import Wish, goal
from paretosched.wishes.wish_files import as_wish, to_json
from paretosched.workload.log_names import Names, StillWaiting
from paretosched.workload.machine import Reservation
from paretosched.workload.workload import Workload
from support.exploring import random_workload
from support.short_lives import PASSES

WEEKS = 12


def busy_weeks(seed: int = 3) -> Workload:
    """Return twelve weeks, each with the same jobs in a crowd, and pauses between them."""
    w = random_workload(seed=seed)
    span = 6 * 86400 // int(w.submit[-1] - w.submit[0] + w.run.max())
    one = {key: getattr(w, key) * max(1, span // 4) for key in ("run", "estimate")} | {"submit": w.submit}
    submit = np.concatenate([one["submit"] + 7 * 86400 * week for week in range(WEEKS)])
    columns = {key: np.tile(one[key], WEEKS) for key in ("run", "estimate")}
    columns |= {key: np.tile(getattr(w, key), WEEKS) for key in ("width", "group")}
    return Workload(submit=submit, capacity=w.capacity, groups=w.groups, name="weeks", **columns)


W = busy_weeks()
SINCE = int(W.submit[0]) + 2 * 7 * 86400
SUM = as_wish("10*AWRT1 + 4*AWRT2", W.groups)


def record_of(policy: str, workload: Workload = W) -> Workload:
    return workload.with_(wait=simulate(workload, policy).start - workload.eligible)


def promising(text: str, gain: float, wish: Wish = SUM) -> Policy:
    """Return a policy that says that it was trained, and gained so many per cent."""
    provenance = {"wish": to_json(wish), "objective": 100 - gain, "easy": 100.0}
    return replace(as_policy(text), provenance=provenance)


BEST = "saf; backfill: easy"


def test_what_did_what_the_simulation_says_kept_its_promise() -> None:
    result = review(record_of(BEST), as_policy(BEST), SINCE, SUM)
    assert result.schedules[RECORDED].start.tolist() == result.schedules[POLICY].start.tolist()
    assert result.gain(RECORDED) == result.gain(POLICY)
    assert result.gain(RECORDED) > 1  # otherwise the case says nothing
    assert result.verdict.word == Word.KEPT
    assert (result.weeks, len(result.workload)) == (WEEKS - 3, len(W) * (WEEKS - 3) // WEEKS)
    assert result.later == len(W) // WEEKS  # the last week has jobs at its beginning only: the log may end there
    assert result.pairs.turned == 0
    assert result.promised is None


@pytest.mark.parametrize(
    ("day", "jobs", "word"),
    [(30, 1, Word.KEPT), (30, 40, Word.UNKNOWN), (5, 40, Word.KEPT), (14, 40, Word.UNKNOWN), (78, 40, Word.KEPT)],
)
def test_a_promise_is_not_kept_while_many_jobs_of_these_weeks_wait(day: int, jobs: int, word: Word) -> None:
    """Day 14 begins with the second since when jobs count; those of day 78 come after the last whole week."""
    record = record_of(BEST)
    names = Names(groups={7: record.groups[1]}, waiting=(StillWaiting(7, day, jobs), StillWaiting(-1, 90, 999)))
    result = review(record.with_(names=names), as_policy(BEST), SINCE, SUM)
    assert result.verdict.word == word
    group = f"group {record.groups[1]}"
    counted = 14 <= day < 77
    assert result.facts()["still_waiting"] == ({"all": jobs, group: jobs} if counted else {})
    assert (f"; still waiting, and not counted: {number_of(jobs, 'job')}" in about_jobs(result)) == counted
    if word == Word.UNKNOWN:
        started = int(np.count_nonzero(result.workload.group == 1))
        share = f"{jobs} of {group} ({100 * jobs / (jobs + started):.1f} %)"
        assert f"still wait, and are in no schedule: {jobs} of all (" in result.verdict.reasons[0]
        assert result.verdict.reasons[0].endswith(share)


def test_a_promise_that_was_broken_stays_so_whoever_waits() -> None:
    names = Names(waiting=(StillWaiting(-1, 30, 10_000),))
    result = review(record_of("easy").with_(names=names), as_policy(BEST), SINCE, SUM)
    assert result.verdict.word == Word.BROKEN


def test_easy_that_went_on_gained_nothing() -> None:
    result = review(record_of("easy"), as_policy(BEST), SINCE, SUM)
    assert result.schedules[RECORDED].start.tolist() == result.schedules[EASY].start.tolist()
    assert result.gain(RECORDED) == 0
    assert result.verdict.word == Word.BROKEN
    assert result.pairs.turned > 0
    (low, high) = result.facts()["recorded_over_predicted_interval"]
    assert high < 0
    assert low <= result.gain(RECORDED, POLICY) <= high


@pytest.mark.parametrize(
    ("part", "word"), [(1.0, Word.KEPT), (1.4, Word.KEPT), (1.6, Word.BROKEN), (9.0, Word.BROKEN), (-1.0, Word.KEPT)]
)
def test_two_thirds_of_what_the_training_promised_are_enough(part: float, word: Word) -> None:
    """All weeks are equal, so that the interval is a point."""
    log = record_of(BEST)
    gain = review(log, as_policy(BEST), SINCE, SUM).gain(RECORDED)
    result = review(log, promising(BEST, part * gain), SINCE)
    assert result.promised == pytest.approx(part * gain)
    assert result.verdict.word == word, result.verdict


def test_intervals_that_hold_both_say_nothing() -> None:
    """Half of the weeks gained, half of them did not."""
    best, easy = record_of(BEST), record_of("easy")
    week = (W.submit - W.submit[0]) // (7 * 86400)
    log = W.with_(wait=np.where(week % 4 < 2, best.wait, easy.wait))
    gain = review(best, as_policy(BEST), SINCE, SUM).gain(RECORDED)
    result = review(log, promising(BEST, 0.75 * gain), SINCE)
    assert result.verdict.word == Word.UNKNOWN
    assert "may be more or less than two thirds" in result.verdict.reasons[0]


def test_limits_are_part_of_the_promise() -> None:
    easy = review(record_of("easy"), as_policy("easy"), SINCE, SUM)
    awrt = float(easy.values[RECORDED][1])
    log = record_of(BEST)
    for factor, word in ((0.01, Word.BROKEN), (100, Word.KEPT)):
        wish = as_wish(f"10*AWRT1 + 4*AWRT2, AWRT <= {factor * awrt:.0f}", W.groups)
        assert review(log, as_policy(BEST), SINCE, wish).verdict.word == word
        relative = as_wish(f"AWRT <= {factor}*EASY", W.groups)
        result = review(log, as_policy(BEST), SINCE, relative)
        assert result.verdict.word == word
        assert (result.facts()["limits_exceeded"] > 0) == (word == Word.BROKEN)


def test_too_few_weeks() -> None:
    since = int(W.submit[0]) + 9 * 7 * 86400
    result = review(record_of(BEST), as_policy(BEST), since, SUM)
    assert result.verdict == (Word.UNKNOWN, ("too few weeks: there are 3, and 4 are needed",))
    assert result.intervals is None
    assert result.gain(RECORDED) is not None


@pytest.mark.parametrize("days", [22, 26.9, 27.1, 33.9])
def test_only_whole_weeks_make_a_verdict(days: float) -> None:
    """A log that ends after three weeks and a day; in the others the fourth week is not over, or over but for a day."""
    last = SINCE + int(days * 86400)
    log = record_of(BEST)
    until = log.take(np.flatnonzero(log.submit < last))
    mark = until.submit.copy()
    mark[-1] = last - 1  # a job comes right at the end
    until = until.with_(submit=mark, wait=simulate(until.with_(submit=mark), BEST).start - mark)
    result = review(until, promising(BEST, 50), SINCE)
    inside = until.submit[until.submit >= SINCE] - SINCE
    assert result.weeks == 4
    if days < 27:
        why = "too few weeks: there are 4, of which the last is not over, and 4 whole ones are needed"
        assert result.verdict == (Word.UNKNOWN, (why,))
        assert result.intervals is None
        assert result.later == 0
        assert len(result.workload) == len(inside)  # the tables have all jobs
    else:
        assert result.verdict.word == Word.BROKEN
        assert result.intervals is not None
        assert result.intervals.weeks == 4
        assert result.later == np.count_nonzero(inside >= 28 * 86400)
        assert len(result.workload) == len(inside) - result.later
        assert result.facts()["after_whole_weeks"] == result.later
        assert (f"not counted: {number_of(result.later, 'job')} after the last whole week" in about_jobs(result)) == (
            result.later > 0
        )


def test_only_jobs_with_a_recorded_start_count() -> None:
    log = record_of(BEST)
    wait = log.wait.copy()
    lost = np.flatnonzero(W.submit >= SINCE)[::7]
    wait[lost] = -1
    result = review(W.with_(wait=wait), as_policy(BEST), SINCE, SUM)
    assert result.unknown == len(lost)
    assert not set(result.workload.job.tolist()) & set(W.job[lost].tolist())
    with pytest.raises(InputError, match="has a recorded wait; take a log with waits"):
        review(W, as_policy(BEST), SINCE, SUM)
    with pytest.raises(InputError, match="no job was submitted since then"):
        review(log, as_policy(BEST), int(W.submit[-1]) + 1, SUM)


def test_a_policy_without_a_wish_needs_one() -> None:
    with pytest.raises(InputError, match=r"does not say for which wish it was trained in these groups; .* --objective"):
        review(record_of(BEST), as_policy(BEST), SINCE)
    result = review(record_of(BEST), promising(BEST, 5), SINCE, as_wish("AWRT", W.groups))
    assert result.promised is None  # that was another wish
    of_others = greedy(["f2"] * 3, [[1, 0, 1, 0, 1, 0]] * 3, groups=("vip", "other"))
    with pytest.raises(InputError, match=r"for the groups vip, other, but .* in the groups 1, 2, .*leave --groups out"):
        review(record_of(BEST), of_others, SINCE)


def test_a_group_called_all_is_told_from_all_jobs() -> None:
    result = review(record_of(BEST), as_policy(BEST), SINCE, as_wish("AWRT", W.groups))
    named = result.workload.with_(groups=("all", *result.workload.groups[1:]))
    rows = replace(result, schedules=tuple(replace(s, workload=named) for s in result.schedules)).rows()
    assert [row["group"] for row in rows[:3]] == ["all", "group all", W.groups[1]]
    assert rows[0]["objective"] is not None
    assert rows[1]["objective"] is None


def test_rows_are_objectives_of_all_weeks_and_of_each() -> None:
    result = review(record_of(BEST), as_policy(BEST), SINCE, SUM, as_policy("fcfs"))
    assert [schedule.name for schedule in result.schedules] == ["EASY", "recorded", "SAF with EASY", "today: FCFS"]
    rows = result.rows()
    assert len(rows) == (1 + result.weeks) * 4 * (1 + len(W.groups))
    for schedule in result.schedules:
        row = next(row for row in rows if row["system"] == schedule.name and row["group"] == "all")
        values = np.asarray(objectives(schedule))
        assert row["objective"] == pytest.approx(float(goal(SUM, values[None])[0]))
        assert row["awrt_s"] == pytest.approx(values[1])
        assert row["wait_mean_s"] == pytest.approx(float((schedule.start - result.workload.eligible).mean()))
    weeks = [row for row in rows if row["system"] == "recorded" and row["group"] == "all"][1:]
    assert sum(row["jobs"] for row in weeks) == len(result.workload)
    part = result.workload.submit - result.workload.submit[0] < 7 * 86400
    first = Schedule(result.workload.take(np.flatnonzero(part)), result.schedules[RECORDED].start[part])
    assert weeks[0]["awrt_s"] == pytest.approx(float(objectives(first)["AWRT"]))


def test_gains_if_users_react_stand_beside_and_the_verdict_stays() -> None:
    w = W.with_(user=np.arange(len(W)) % 7)
    log = record_of(BEST, w)
    still = review(log, as_policy(BEST), SINCE, SUM, as_policy("fcfs"))
    result = review(log, as_policy(BEST), SINCE, SUM, as_policy("fcfs"), users="react")
    assert (still.reactions, still.facts()["users_react"]) == ((), None)
    assert {**result.facts(), "users_react": None} == still.facts()
    assert result.rows() == still.rows()
    easy, recorded, own, today = result.reactions
    assert (recorded.later_s, own.later_s) == (0, 0)  # the record is that of the policy
    assert easy.later_s != 0
    begin = begin_at(log, SINCE)
    counted = np.isin(log.job[begin.after], result.workload.job)
    waits = []
    for policy in ("easy", BEST, "fcfs"):
        made = outcome_since(log, as_policy(policy), begin, "react")
        arrival, start = made.arrival, made.start
        waits.append(float((start - arrival)[counted].mean()))
    assert [each.wait_mean_s for each in (easy, own, today)] == pytest.approx(waits)
    assert recorded.wait_vs_easy == pytest.approx(100 * (1 - waits[1] / waits[0]))
    first = float(result.schedules[EASY].wait.mean())
    assert recorded.wait_vs_easy_recorded == pytest.approx(100 * (1 - waits[1] / first))
    text = review_text(result)
    words = f"gains {recorded.wait_vs_easy_recorded:+.1f} % over EASY with the recorded submissions, and "
    assert f"In the mean wait what was recorded {words}{recorded.wait_vs_easy:+.1f} % if users react to EASY." in text
    assert "if users react to it." in review_text(result, dry=True)
    assert "users react" not in review_text(still)
    with pytest.raises(InputError, match="users who react must be known"):
        review(record_of(BEST), as_policy(BEST), SINCE, SUM, users="react")
    with pytest.raises(InputError, match="users must be one of recorded, react"):
        review(log, as_policy(BEST), SINCE, SUM, users="never")


def test_jobs_come_when_a_schedule_lets_those_end_on_which_they_depend() -> None:
    """In the log each first job waited 500 s for no reason, and its follower came when it had ended."""
    days = np.arange(8) * 7 * 86400 // 2
    n = 2 * days.size
    dependency = [word for i in range(1, n, 2) for word in ("", f"afterok:{i}")]
    asks = Requests(tasks=[4] * n, memory_per_node=[1] * n, dependency=dependency)
    machine = Machine((NodeKind("n1", 4, 8000),))
    submit, later = np.stack([days, days + 1], axis=1).ravel(), np.array([0, 599] * days.size)
    w = Workload(
        submit, [100] * n, [100] * n, [4] * n, capacity=4, machine=machine, requests=asks, epoch=0,
        wait=[500, 0] * days.size, eligible=submit + later, job=np.arange(1, n + 1),
    )  # fmt: skip
    result = review(w, as_policy("fcfs"), 0, as_wish("10*AWRT1", w.groups), as_policy("easy"))
    assert result.schedules[RECORDED].workload.eligible.tolist() == w.eligible[: len(result.workload)].tolist()
    for place in (EASY, POLICY, 3):
        schedule = result.schedules[place]
        came = schedule.workload.eligible - schedule.workload.submit
        assert came.tolist() == [0, 99] * (len(came) // 2)
        assert schedule.wait.max() == 0
        assert schedule.objectives["AWRT"] == 100
    awrt = {(row["system"], row["awrt_s"]) for row in result.rows()}
    assert awrt == {("EASY", 100), ("FCFS", 100), ("today: EASY", 100), ("recorded", 350)}
    assert result.pairs.turned == 0


def test_jobs_that_are_cancelled_end_then_in_a_review() -> None:
    """A reservation ends a job after 100 of its 150 s, under the policy that starts jobs in Slurm's passes."""
    n, week = 8, 7 * 86400
    begin = np.arange(n) * week // 2
    kept = tuple(Reservation(f"r{i}", "n1", second, second + 100) for i, second in enumerate(begin.tolist()))
    machine = Machine((NodeKind("n1", 4, 8000),), reservations=kept)
    asks = Requests(tasks=[4] * n, memory_per_node=[1] * n, reservation=[f"r{i}" for i in range(n)])
    w = Workload(
        begin, [150] * n, [150] * n, [4] * n, capacity=4, machine=machine, requests=asks, epoch=0, wait=[0] * n
    )
    result = review(w, PASSES, 0, as_wish("10*AWRT1", w.groups))
    whole = simulate(w, PASSES)
    assert whole.objectives["AWRT"] < 150
    assert result.schedules[POLICY].finish.tolist() == whole.finish[: len(result.workload)].tolist()

"""Resampling: habits stay, weeks keep in step, only the mix changes. Run times are all different and name the job."""

import datetime as dt
from collections import Counter
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.workload.reopening import record, reopen
from paretosched.workload.resampling import LONGEST_BURST, SESSION, WEEK, resample, why_not_resampled
from paretosched.workload.swf import read_swf, write_swf
from paretosched.workload.workload import Workload

SUMMER = 954032400  # 26 March 2000, 01:00 UTC
ZONE = "Europe/Berlin"
WEEKS = 12


def year(seed: int = 0, zone: str = ZONE, weeks: int = WEEKS) -> Workload:
    """A log of `weeks` weeks, whose sixth week is that in which summer time begins; half of the users come and go."""
    r = np.random.default_rng(seed)
    epoch = SUMMER - 5 * WEEK - 2 * 86400
    submit, user = [0, weeks * WEEK - 9], [3, 4]
    for number in range(24):
        first, last = (0, weeks) if number < 8 else sorted(r.uniform(0, weeks, 2))
        last = min(last, first + 0.4 * weeks) if number >= 8 else last
        for begin in r.uniform(first * WEEK, last * WEEK, 6):
            gaps = r.choice([0, 5, 300, SESSION, SESSION + 1], r.integers(1, 9))
            submit += (int(begin) + gaps.cumsum()).tolist()
            user += [number] * gaps.size
    order = np.argsort(submit, kind="stable")
    n = order.size
    run = 1 + r.permutation(n)
    return Workload(
        submit=np.array(submit)[order],
        run=run,
        estimate=run + 7,
        width=r.integers(1, 9, n),
        capacity=64,
        user=np.array(user)[order],
        group=(np.array(user)[order] % 3),
        groups=("a", "b", "c"),
        epoch=epoch,
        zone=zone,
        name="year",
    )


LOG = year()


def origin(log: Workload, sample: Workload) -> list[int]:
    """Rows of the log, one for each job."""
    row_of = {run: row for row, run in enumerate(log.run.tolist())}
    return [row_of[run] for run in sample.run.tolist()]


def walls(workload: Workload) -> list[dt.datetime]:
    zone = ZoneInfo(workload.zone)
    return [dt.datetime.fromtimestamp(workload.epoch + second, zone) for second in workload.submit.tolist()]


def streams(workload: Workload) -> dict[int, list[int]]:
    """Rows of each user, in order."""
    rows: dict[int, list[int]] = {}
    for row, user in enumerate(workload.user.tolist()):
        rows.setdefault(user, []).append(row)
    return rows


def bursts(log: Workload, rows: list[int]) -> list[list[int]]:
    """Rows of a user, in bursts: a new one after more than an hour, and with every day since the last pause."""
    parts: dict[tuple[int, int], list[int]] = {}
    begin = before = int(log.submit[rows[0]])
    for row in rows:
        at = int(log.submit[row])
        begin = at if at - before > SESSION else begin
        parts.setdefault((begin, (at - begin) // LONGEST_BURST), []).append(row)
        before = at
    return list(parts.values())


def long_term(log: Workload) -> set[int]:
    half = (log.submit[-1] - log.submit[0]) / 2
    return {user for user, rows in streams(log).items() if log.submit[rows[-1]] - log.submit[rows[0]] >= half}


def share(workload: Workload) -> float:
    return workload.work / float(workload.submit[-1] - workload.submit[0])


@given(st.integers(0, 2**32), st.integers(0, 30))
@settings(max_examples=15)
def test_hour_and_day_of_every_job_stay(seed: int, log_seed: int) -> None:
    log = year(log_seed)
    sample = resample(log, seed)
    before, after = walls(log), walls(sample)
    change = dt.date(2000, 3, 26)
    for row, now in zip(origin(log, sample), after, strict=True):
        then = before[row]
        if change not in (then.date(), now.date()):  # the hour that is left out is tried by hand below
            assert (now.weekday(), now.time()) == (then.weekday(), then.time())
            assert (now.date() - then.date()).days % 7 == 0


@given(st.integers(0, 2**32), st.integers(0, 30))
@settings(max_examples=15)
def test_streams_are_whole_and_bursts_stay_together(seed: int, log_seed: int) -> None:
    log = year(log_seed, "UTC")
    sample = resample(log, seed)
    place = origin(log, sample)
    of_users = streams(log)
    for rows in streams(sample).values():
        sources = [place[row] for row in rows]
        stream = of_users[int(log.user[sources[0]])]
        assert sorted(sources) == stream
        submit = {place[row]: int(sample.submit[row]) for row in rows}
        for burst in bursts(log, stream):
            assert len({submit[row] - int(log.submit[row]) for row in burst}) == 1
    for key in ("estimate", "width", "group"):
        assert getattr(sample, key).tolist() == getattr(log, key)[place].tolist()


def test_long_term_users_all_stay_and_others_arrive_as_before() -> None:
    log = year(3, "UTC")
    constant = long_term(log)
    assert 8 <= len(constant) < len(set(log.user.tolist())) - 5

    def arrivals(workload: Workload, rows: dict[int, list[int]]) -> Counter[tuple[int, str]]:
        """Weeks in which streams begin, by group of the job they begin with."""
        return Counter(
            (int(workload.submit[first]) // WEEK % WEEKS, workload.groups[workload.group[first]])
            for first in (each[0] for each in rows.values())
        )

    before = arrivals(log, {user: rows for user, rows in streams(log).items() if user not in constant})
    for seed in range(5):
        sample = resample(log, seed)
        place = origin(log, sample)
        users = {user: int(log.user[place[rows[0]]]) for user, rows in streams(sample).items()}
        assert sorted(source for source in users.values() if source in constant) == sorted(constant)
        # the first job of a stream, wherever the end of the log has moved it to
        first_rows = {
            user: [min(rows, key=lambda row: place[row])]
            for user, rows in streams(sample).items()
            if users[user] not in constant
        }
        assert arrivals(sample, first_rows) == before
        assert len(set(users.values())) < len(users)  # some came again
        assert all(user == source or user > max(log.user) for user, source in users.items())


def test_the_load_of_a_month_varies_no_more_than_in_the_log() -> None:
    def variation(workload: Workload) -> float:
        week = (workload.submit - LOG.submit[0]) // WEEK % WEEKS
        load = np.bincount(week, workload.run * workload.width, WEEKS)
        months = np.array([sum(load[(week + i) % WEEKS] for i in range(4)) for week in range(WEEKS)])
        return float(months.std() / months.mean())

    in_log = variation(LOG)
    assert all(variation(resample(LOG, seed)) <= 1.02 * in_log for seed in range(8))


@pytest.mark.parametrize("load", [0.5, 1.0, 1.1, 3.0])
def test_the_load_is_near_what_is_wanted(load: float) -> None:
    for seed in range(4):
        sample = resample(LOG, seed, load)
        assert sample.work / (WEEKS * WEEK) == pytest.approx(load * share(LOG), rel=0.03)
        assert set(sample.group.tolist()) == {0, 1, 2}


def test_a_group_doubles_and_the_others_stay() -> None:
    once, twice = resample(LOG, 1), resample(LOG, 1, double=["b"])

    def users(workload: Workload) -> list[int]:
        return [len(set(workload.user[workload.group == group].tolist())) for group in range(3)]

    assert users(once) == users(LOG)
    assert users(twice) == [users(LOG)[0], 2 * users(LOG)[1], users(LOG)[2]]
    assert resample(LOG, 1, double="b").digest == twice.digest


def users_of_group(group: int) -> set[int]:
    """Users of the log with most processor seconds in a group; the smallest group of several."""
    most = {}
    for user, rows in streams(LOG).items():
        work = [sum(int(LOG.run[row] * LOG.width[row]) for row in rows if LOG.group[row] == g) for g in range(3)]
        most[user] = work.index(max(work))
    return {user for user, g in most.items() if g == group}


def rows_by_user(log: Workload, sample: Workload) -> list[tuple[int, list[tuple[int, int]]]]:
    """For each user of a sample, the user of the log, and rows of the log with the time at which they come; sorted."""
    place = origin(log, sample)
    parts = [[(place[row], int(sample.submit[row])) for row in rows] for rows in streams(sample).values()]
    return sorted((int(log.user[part[0][0]]), sorted(part)) for part in parts)


@pytest.mark.parametrize("times", [0, 0.3, 0.8, 1, 1.2, 2, 3.7])
@pytest.mark.parametrize("group", [0, 1, 2])
def test_only_users_of_the_group_come_or_go(times: float, group: int) -> None:
    mine = users_of_group(group)

    def work(parts: list[tuple[int, list[tuple[int, int]]]]) -> list[int]:
        return [sum(int(LOG.run[row] * LOG.width[row]) for row, _ in part) for user, part in parts if user in mine]

    for seed in range(3):
        base, changed = (
            rows_by_user(LOG, resample(LOG, seed, load=1.0, group_work=words)) for words in ({}, {"abc"[group]: times})
        )
        others = [[part for part in parts if part[0] not in mine] for parts in (base, changed)]
        assert others[0] == others[1]
        of_base, of_changed = ([part for part in parts if part[0] in mine] for parts in (base, changed))
        fewer, more = (of_changed, of_base) if times <= 1 else (of_base, of_changed)
        assert all(part in more for part in fewer)  # who stays, stays where he was
        reached, wanted = sum(work(changed)), times * sum(work(base))
        assert abs(reached - wanted) < (max(work(base)) if times else 1)
        assert len(of_changed) >= (times > 0)
        bound = "above" if times < 1 else "below"
        assert reached >= wanted if bound == "above" else reached <= wanted
        # nobody who could bring it nearer was forgotten
        if times > 1:
            least = min(work([(user, [(row, 0) for row in streams(LOG)[user]]) for user in mine]))
            assert wanted - reached < least
        elif times > 0 and len(of_changed) > 1:
            assert min(work(changed)) > reached - wanted


def test_some_users_of_several_groups_come_and_go() -> None:
    both = resample(LOG, 4, load=1.0, group_work={"a": 0, "c": 2})
    assert both.digest == resample(LOG, 4, load=1.0, group_work={"a": "0", "c": 2.0}).digest  # type: ignore[dict-item]
    assert not users_of_group(0) & {int(LOG.user[row]) for row in origin(LOG, both)}
    assert ", 0 times the work of a, 2 times the work of c; users after" in both.header[-1]
    known = LOG.with_(source=({"function": "lublin"},))
    assert resample(known, 4, group_work={"c": 2}).source[-1]["group_work"] == {"c": 2.0}
    assert "group_work" not in resample(known, 4).source[-1]


def test_more_users_of_a_group_do_not_come_in_heaps() -> None:
    """Without levelling the load of a month would vary more than in the log, as of streams that fall at random."""

    def variation(workload: Workload) -> float:
        load = np.bincount((workload.submit - LOG.submit[0]) // WEEK % WEEKS, workload.run * workload.width, WEEKS)
        months = np.array([sum(load[(week + i) % WEEKS] for i in range(4)) for week in range(WEEKS)])
        return float(months.std() / months.mean())

    found = [variation(resample(LOG, seed, load=1.0, group_work={"b": 3})) for seed in range(6)]
    assert np.mean(found) <= 1.1 * variation(LOG)


def test_the_same_seed_makes_the_same_workload() -> None:
    assert resample(LOG, 5, 1.2).digest == resample(LOG, 5, 1.2).digest
    assert len({resample(LOG, seed).digest for seed in range(5)} | {LOG.digest}) == 6


def moved_by_a_week(submit: list[int], epoch: int) -> list[int]:
    """Seconds since the second week began, when the jobs of one user have been moved by one week."""
    n = len(submit) + 1
    log = Workload([*submit, 4 * WEEK + 90000], [5] * n, [5] * n, [1] * n, 4, user=[1] * n, epoch=epoch, zone=ZONE)
    for seed in range(50):
        sample = resample(log, seed).submit
        inside = sample[(sample >= WEEK) & (sample < WEEK + 80000)]
        if inside.size == len(submit):
            return [int(second) - WEEK for second in inside]
    raise AssertionError("no draw of 50 moved them by one week")


def test_the_hour_that_spring_leaves_out_counts_on() -> None:
    """The log begins at midnight, a week before summer time, which begins at two; jobs at 1:50, 2:30, 3:10 and 4:30.

    Then half past two is half past three, an hour and a half after 1:50 less one; 3:10 would be before it, in the same
    burst, and so comes at the same time; 4:30 is 4:30, which is three and a half hours after midnight.
    """
    assert moved_by_a_week([6600, 9000, 11400, 16200], SUMMER - WEEK - 7200) == [6600, 9000, 9000, 12600]


def test_of_the_hour_that_comes_twice_it_is_the_first() -> None:
    """Summer time ended on 29 October 2000, three o'clock: jobs at 1:50, 2:30 and 3:10 a week before."""
    autumn = 972781200
    assert moved_by_a_week([6600, 9000, 11400], autumn - WEEK - 10800) == [6600, 9000, 15000]


def test_a_file_and_a_run_know_how_it_was_made(tmp_path: Path) -> None:
    path = tmp_path / "year.swf.gz"
    write_swf(LOG, path)
    log = read_swf(path)
    sample = resample(log, 3, load=1.3, double="5")
    assert reopen(record(sample)).digest == sample.digest
    assert sample.job.tolist() == list(range(1, len(sample) + 1))
    assert "load 1.3 times as high, twice the users of 5" in sample.header[-1]
    again = tmp_path / "again.swf.gz"
    write_swf(sample, again)
    assert read_swf(again).submit.tolist() == sample.submit.tolist()
    assert read_swf(again).user.tolist() == sample.user.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"seed": -1}, "seed must be at least 0, but is -1"),
        ({"seed": 1.5}, "seed must be a whole number, but is 1.5"),
        ({"load": 0.01}, "load must be in 0.1..10 times that of the log, but is 0.01"),
        ({"load": float("nan")}, "load must be in 0.1..10 times that of the log, but is nan"),
        ({"double": "d"}, 'double must be one of a, b, c, but is "d"'),
        ({"double": ["a", "a"]}, "double: a group must come once, but a comes again"),
        ({"group_work": {"d": 2}}, 'group_work must be one of a, b, c, but is "d"'),
        ({"group_work": {"a": 11}}, "group_work of a must be in 0..10 times its work, but is 11"),
        ({"group_work": {"a": "much"}}, "group_work of a must be a number"),
        ({"group_work": dict.fromkeys("abc", 0)}, "group_work: somebody must be left, but only these groups"),
        ({"workload": LOG.with_(user=np.full(len(LOG), -1))}, "year: must know its users to be resampled by users"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        resample(**({"workload": LOG} | words))
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_in_a_log_of_a_week_no_job_moves() -> None:
    log = LOG.take(np.flatnonzero(LOG.submit < 5 * 86400))
    sample = resample(log, 4)
    assert sample.submit.tolist() == log.submit[origin(log, sample)].tolist()
    assert sample.digest != log.digest
    once = log.take([0])
    assert resample(once, 4, load=1).digest == once.digest


def test_unknown_users_are_one_stream_that_stays() -> None:
    log = LOG.with_(user=np.where(LOG.user < 2, -1, LOG.user))
    sample = resample(log, 1, double="a")
    assert set(log.run[log.user < 0].tolist()) <= set(sample.run[sample.user < 0].tolist())


def test_jobs_are_eligible_as_long_after_their_submission_as_in_the_log() -> None:
    log = year()
    after = np.random.default_rng(1).integers(0, 3, len(log)) * 86400
    new = resample(log.with_(eligible=log.submit + after), seed=4)
    of_run = dict(zip(log.run.tolist(), after.tolist(), strict=True))
    assert (new.eligible - new.submit).tolist() == [of_run[run] for run in new.run.tolist()]
    assert new.submit.tolist() == resample(log, seed=4).submit.tolist()


def test_a_log_without_users_or_weeks_is_not_put_together_again() -> None:
    w = Workload(submit=[0, 2 * WEEK], run=[1, 1], estimate=[1, 1], width=[1, 1], capacity=2, user=[-1, 2])
    assert why_not_resampled(w) == ""
    assert why_not_resampled(w.with_(user=[-1, -1])) == "its users are not known"
    short = "it lasts 1.9 weeks, less than 2, and users move by whole weeks"
    assert why_not_resampled(w.with_(submit=[0, WEEK * 19 // 10])) == short
    assert why_not_resampled(w.with_(submit=[0, 2 * WEEK - 1])).startswith("it lasts 2.0 weeks, less than 2")
    assert why_not_resampled(w.with_(submit=[0, 5201 * WEEK])) == "it lasts more than a century"


def test_a_log_of_more_than_a_century_is_refused() -> None:
    w = Workload([0, 5, 17 * 10**11], [9] * 3, [9] * 3, [1] * 3, 2, user=[1, 1, 2])
    with pytest.raises(InputError, match=r"resampling must be of 5200 weeks at most, .* are all times in seconds"):
        resample(w, seed=1)


def test_a_load_may_be_text() -> None:
    assert resample(LOG, 5, "1.2").digest == resample(LOG, 5, 1.2).digest  # type: ignore[arg-type]

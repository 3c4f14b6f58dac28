"""Did a policy keep its promise? What was recorded since it decides, against simulations of the same jobs.

Four numbers are compared, all of them gains over EASY of the goal of a wish, in per cent:

    promised    what the policy reached on the jobs of its training, which its file says
    predicted   what its simulation reaches on the jobs since the date
    realised    what was recorded of these jobs, against the simulation of EASY
    difference  of what was recorded over what was predicted: how much worse the machine was than the simulation

A simulation begins with the jobs that ran and waited at the date, see `carried_over`; only jobs that were submitted
since then, and whose start is recorded, count. In a log with four whole weeks since then, or more, only these count:
a bootstrap would draw the part of a week that comes last as often as a whole one.

**The verdict.** The promise is that of the training, or, if the file has none, what is predicted. In each draw of the
block bootstrap of `intervals` the realised gain is set against two thirds of the promise. The promise is kept if 95 %
of the draws lie above, as the interval of 90 % does then, and the limits of the wish are kept in 95 % of the draws. It
is not kept if the interval lies below, or the limits are exceeded in 95 % of the draws. Otherwise these weeks do not
say. Nor do they say that it is kept if more than `MOST_WAITING` of the jobs, or of those of a group, still wait: these
are in no schedule, and may have waited longest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, one_of
from ..core.tables import amount, plain
from ..policies.outcome import Outcome, of_jobs
from ..policies.plain import Plain
from ..policies.policy import Policy, as_policy
from ..simulation.objective import improvement, objectives
from ..simulation.schedule import Schedule
from ..simulation.service import DAY, WEEK, waits
from ..simulation.simulator import REACT, as_eligible, as_submitted
from ..simulation.simulator import RECORDED as AS_RECORDED
from ..wishes import wish as choice
from ..wishes.relative_limits import resolve
from ..wishes.wish import Wish
from ..wishes.wish_files import measuring
from ..workload.calendar import day_of
from ..workload.time_split import check_weeks, weeks_of
from ..workload.workload import Workload
from .carried_over import Begin, begin_at, outcome_since
from .comparison import trained_for
from .intervals import (
    LEAST_WEEKS,
    Intervals,
    drawn_goals,
    drawn_weeks,
    ends_of,
    gains_over,
    has_interval,
    intervals,
    response_times,
    week_sums,
)
from .order_agreement import Pairs, compared_pairs
from .reaction_gains import Reaction, gains_if_users_react

KEPT_SHARE = 2 / 3  # of the promised gain
SURE = 0.95  # share of the draws
MOST_WAITING = 0.01  # of the jobs of these weeks
EASY, RECORDED, POLICY, TODAY = range(4)  # the schedules of a review; the last one only if it is known
ALL = "all"


class Word(StrEnum):
    """What a verdict says."""

    KEPT = "kept"
    BROKEN = "not kept"
    UNKNOWN = "cannot be said"


class NotStarted(NamedTuple):
    """Jobs of the weeks that count that had not started when the accounting was read.

    Attributes
    ----------
    group
        The name of the group; "all" for all of them.
    jobs
        How many had not started.
    share
        Of all jobs of this group in these weeks, also of those.
    """

    group: str
    jobs: int
    share: float


class Verdict(NamedTuple):
    """Whether a promise was kept, and why."""

    word: Word
    reasons: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Review:
    """What was recorded since a date, beside simulations of the same jobs.

    Parameters
    ----------
    workload
        The jobs that count, in the groups that are measured.
    begin
        What ran and waited at the date; rows of the whole log.
    unknown
        How many jobs since the date do not count, because no start is recorded.
    later
        How many jobs do not count, because they came after the last whole week.
    waiting
        The jobs that still wait and are in no schedule: all, and those of each group of which some do; none if that is
        not known.
    schedules
        Of EASY, what was recorded, of the policy, and of today's scheduler if it is known.
    values
        (q, m) objectives of the schedules, natural units.
    wish, wish_here
        What the owner wants, and with numbers in place of relative limits.
    promised
        Gain over EASY in training, per cent; None if the policy does not say it for this wish.
    intervals
        In which intervals the objectives and gains lie; None with less than four whole weeks.
    recorded_gain
        (2,) per cent, the interval of the gain of what was recorded over what was predicted; None if unknown.
    pairs
        How many pairs of jobs that waited together would have started in the other order.
    verdict
        Whether the promise was kept.
    reactions
        (q,), what users make of each schedule by reacting; none if not asked for. What was recorded is as it was.
    """

    workload: Workload
    begin: Begin
    unknown: int
    later: int
    waiting: tuple[NotStarted, ...]
    schedules: tuple[Schedule, ...]
    values: Floats
    wish: Wish
    wish_here: Wish
    promised: float | None
    intervals: Intervals | None
    recorded_gain: Floats | None
    pairs: Pairs
    verdict: Verdict
    reactions: tuple[Reaction, ...] = ()

    @property
    def weeks(self) -> int:
        """Return how many weeks there are."""
        return weeks_of(self.workload)

    def gain(self, place: int, over: int = EASY) -> float | None:
        """Return the gain of a schedule over another one, per cent; None unless the goal is a sum."""
        return gain_of(self.wish, self.values[over], self.values[place])

    def rows(self) -> list[dict[str, Any]]:
        """Return what each schedule reaches as plain values: over all weeks, then week by week; undefined is None.

        The keys are "from" (local day), "until", "jobs" (of the group), "system", "group" ("all" for all of them),
        "awrt_s", "awrt_vs_easy" (per cent), "wait_mean_s", "wait_p95_s", and for all groups together "objective" and
        "objective_vs_easy".
        """
        w = self.workload
        since = w.submit - w.submit[0]
        parts = [(0, self.weeks * WEEK, np.ones(len(w), dtype=np.bool_))]
        parts += [(week * WEEK, (week + 1) * WEEK, since // WEEK == week) for week in range(self.weeks)]
        first = w.epoch + int(w.submit[0])
        return [
            {"from": day_of(first + begin, w.zone), "until": day_of(first + end, w.zone)} | row
            for begin, end, inside in parts
            if inside.any()
            for row in self._rows_of(inside)
        ]

    def _rows_of(self, inside: Mask) -> list[dict[str, Any]]:
        """Return what each schedule reaches on some jobs."""
        schedules = [part_of(schedule, inside) for schedule in self.schedules]
        values = [schedule.objectives.array for schedule in schedules]
        rows = []
        for schedule, reached in zip(schedules, values, strict=True):
            of_group = waits(schedule)
            groups = (f"group {group}" if group == ALL else group for group in schedule.workload.groups)
            for place, group in enumerate((ALL, *groups)):
                easy, awrt = values[EASY][place + 1], reached[place + 1]
                row: dict[str, Any] = {"jobs": int(of_group.jobs[place]), "system": schedule.name, "group": group}
                row |= {"awrt_s": plain(awrt), "awrt_vs_easy": plain(improvement(awrt, easy))}
                row |= {"wait_mean_s": plain(of_group.mean[place]), "wait_p95_s": plain(of_group.p95[place])}
                row |= {"objective": None, "objective_vs_easy": None}
                if place == 0:
                    row["objective"] = _goal(self.wish, reached)
                    row["objective_vs_easy"] = gain_of(self.wish, values[EASY], reached)
                rows.append(row)
        return rows

    def facts(self) -> dict[str, Any]:
        """Return the verdict and the gains as plain values."""
        ends = None if self.intervals is None else self.intervals.goal_gains
        rest = {
            "verdict": str(self.verdict.word),
            "reasons": list(self.verdict.reasons),
            "wish": choice.wish_text(self.wish),
            "jobs": len(self.workload),
            "weeks": self.weeks,
            "running_then": int(self.begin.running.size),
            "waiting_then": int(self.begin.waiting.size),
            "without_start": self.unknown,
            "after_whole_weeks": self.later,
            "still_waiting": {each.group: each.jobs for each in self.waiting},
            "gain_promised": self.promised,
            "gain_predicted": self.gain(POLICY),
            "gain_predicted_interval": _ends(ends, POLICY),
            "gain_realised": self.gain(RECORDED),
            "gain_realised_interval": _ends(ends, RECORDED),
            "recorded_over_predicted": self.gain(RECORDED, POLICY),
            "recorded_over_predicted_interval": plain(self.recorded_gain),
            "pairs_together": self.pairs.together,
            "pairs_in_other_order": self.pairs.turned,
        }
        rest |= {"users_react": self.reaction_rows() or None}
        return rest | {"limits_exceeded": excess_of(self.wish_here, self.values[RECORDED])}

    def reaction_rows(self) -> list[dict[str, Any]]:
        """Return what users make of each schedule by reacting as plain values; none if not asked for.

        Each has "policy" and "users_react", the fields of `Reaction`.
        """
        return [
            {"policy": self.schedules[place].name, "users_react": plain(reaction._asdict())}
            for place, reaction in enumerate(self.reactions)
        ]


def review(
    workload: Workload,
    policy: Policy,
    since: int,
    wish: Wish | None = None,
    today: Policy | None = None,
    users: str = AS_RECORDED,
) -> Review:
    """Return what was recorded since a policy decides, beside its simulation.

    Parameters
    ----------
    workload
        The log, with recorded waits, in the groups that are measured.
    policy
        The policy that decides since then.
    since
        Second of the log from which submitted jobs count.
    wish
        What the owner wants; None for the wish for which the policy was trained.
    today
        The scheduler that was there before.
    users
        "react" to say, too, how the gains change if users had reacted to the simulated schedulers; see `simulate`.
        The verdict is by the recorded submissions.

    Raises
    ------
    InputError
        No job was submitted since then, or none of them has a recorded wait; there is no wish; or users are to react,
        but are not known or cannot react to a policy.
    """
    one_of("users", users, (AS_RECORDED, REACT))
    begin = begin_at(workload, since)
    if not begin.after.size:
        raise InputError(f"{workload.name}: no job was submitted since then; the last one was before")
    has_start = workload.wait[begin.after] >= 0
    if not has_start.any():
        raise InputError(
            f"{workload.name}: no job that was submitted since then has a recorded wait; take a log with waits"
        )
    chosen, promised = _promise(policy, workload, wish)
    chosen, workload = measuring(chosen, workload)
    submit = workload.submit[begin.after]
    first = int(submit[has_start][0])
    whole = whole_weeks(workload, first)
    counted = has_start if whole < LEAST_WEEKS else has_start & (submit < first + whole * WEEK)
    w = workload.take(begin.after[counted])
    check_weeks(f"{workload.name}: a review", w)
    recorded = Schedule(w, w.eligible + w.wait, "recorded")
    systems: list[Policy] = [Plain("easy"), policy, *([] if today is None else [today])]
    rows = np.flatnonzero(counted)
    easy, own, *others = (_schedule_since(workload, p, begin, rows) for p in systems)
    schedules = (easy, recorded, own, *(replace(each, name=f"today: {each.name}") for each in others))
    values = np.array([objectives(schedule) for schedule in schedules])
    reacting = [] if users == AS_RECORDED else [_as_users_react(workload, p, begin, rows) for p in systems]
    reacting[1:1] = [recorded] if reacting else []
    if choice.TODAY in chosen.references and not others:
        raise InputError(
            f"the wish {choice.wish_text(chosen)} is relative to today, which is the scheduler before; say with "
            "--today what it was"
        )
    known = {"easy": easy, "recorded": recorded} | ({choice.TODAY: others[0]} if others else {})
    references = {
        name: known.get(name) or _schedule_since(workload, as_policy(name), begin, rows) for name in chosen.references
    }
    here = resolve(chosen, {name: schedule.objectives.array for name, schedule in references.items()})
    spread, difference, verdict = None, None, _too_few(weeks_of(w))
    if min(whole, weeks_of(w)) >= LEAST_WEEKS:
        spread, difference = _spread(schedules, chosen)
        verdict = _verdict(schedules, chosen, promised, values, _share_exceeded(chosen, recorded, references))
    waiting = _still_waiting(w, begin.since, first + whole * WEEK if whole >= LEAST_WEEKS else None)
    verdict = _if_all_started(verdict, waiting)
    pairs = compared_pairs(w.eligible, recorded.start, w.eligible + own.wait)
    unknown, later = (int(np.count_nonzero(rows)) for rows in (~has_start, has_start & ~counted))
    reactions = tuple(gains_if_users_react(w, schedules, reacting)) if reacting else ()
    return Review(
        w, begin, unknown, later, waiting, schedules, values, chosen, here, promised, spread, difference, pairs,
        verdict, reactions,
    )  # fmt: skip


def _schedule_since(workload: Workload, policy: Policy, begin: Begin, rows: Ints) -> Schedule:
    """Return the schedule of some of the jobs since the date under a policy, from when it lets them come."""
    made = of_jobs(outcome_since(workload, policy, begin), rows)
    jobs = as_eligible(workload.take(begin.after[rows]), made.arrival)
    return Schedule(jobs, made.start, policy.name, placement=made.placement, lives=made.lives, pauses=made.pauses)


def _as_users_react(workload: Workload, policy: Policy, begin: Begin, rows: Ints) -> Schedule:
    """Return the schedule of some of the jobs since the date, if users react to a policy."""
    made = of_jobs(outcome_since(workload, policy, begin, REACT), rows)
    return as_submitted(workload.take(begin.after[rows]), made.arrival, made, policy.name)


def whole_weeks(workload: Workload, since: int) -> int:
    """Return how many whole weeks a log has from a second on.

    When it ends is not known: a week is whole if a job was submitted on its last day, or later.

    Examples
    --------
    >>> w = Workload(submit=[0, 27 * 86400], run=[1, 1], estimate=[1, 1], width=[1, 1], capacity=1)
    >>> whole_weeks(w, 0), whole_weeks(w, 86400)
    (4, 3)
    """
    return int(workload.submit[-1] - since + DAY) // WEEK


def part_of(schedule: Schedule, inside: Mask) -> Schedule:
    """Return the schedule of some of its jobs."""
    rows = np.flatnonzero(inside)
    made = of_jobs(
        Outcome(schedule.start, placement=schedule.placement, lives=schedule.lives, pauses=schedule.pauses), rows
    )
    jobs = schedule.workload.take(rows)
    return Schedule(jobs, made.start, schedule.name, placement=made.placement, lives=made.lives, pauses=made.pauses)


def gain_of(wish: Wish, easy: Floats, values: Floats) -> float | None:
    """Return the gain of a goal over another one in per cent; None unless it is a sum that is positive there."""
    reference, reached = _goal(wish, easy), _goal(wish, values)
    return None if reference is None or reached is None else choice.gain(wish, reference, reached)


def excess_of(wish: Wish, values: Floats) -> float | None:
    """Return by which share limits are exceeded; None without limits, or if a group of theirs has no jobs."""
    if not wish.limits or not choice.is_defined(wish, values):
        return None
    return float(choice.violation(wish, values[None])[0])


def _goal(wish: Wish, values: Floats) -> float | None:
    """Return the goal of a wish; None without one, or if a group of it has no jobs."""
    if not wish.aims:
        return None
    goal = Wish(wish.weights, wish.near, measures=wish.measures)
    return float(choice.goal(goal, values[None])[0]) if choice.is_defined(goal, values) else None


def _promise(policy: Policy, workload: Workload, wish: Wish | None) -> tuple[Wish, float | None]:
    """Return the wish, and the gain over EASY in per cent that the policy reached in training for this very wish."""
    of_training = next(iter(trained_for([policy], [workload])), None)
    chosen = of_training if wish is None else wish
    if chosen is None:
        if policy.groups and policy.groups != workload.groups:
            raise InputError(
                f"policy {policy.name} was trained for the groups {', '.join(policy.groups)}, but here the jobs are in "
                f"the groups {', '.join(workload.groups)}; leave --groups out, so that the policy's own rule makes "
                "them, or say with --objective what is wished in these"
            )
        raise InputError(
            f"policy {policy.name} does not say for which wish it was trained in these groups; say it with --objective"
        )
    reached, easy = (_number(policy.provenance.get(key)) for key in ("objective", "easy"))
    if chosen != of_training or reached is None or easy is None:
        return chosen, None
    return chosen, choice.gain(chosen, easy, reached)


def _number(value: object) -> float | None:
    """Return a number of a provenance, which may hold anything; None if it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e300:
        return None
    return float(value)


def _spread(schedules: Sequence[Schedule], wish: Wish) -> tuple[Intervals, Floats | None]:
    """Return the intervals over EASY, and that of the gain of what was recorded over what was predicted."""
    sums = [week_sums(schedule) for schedule in schedules]
    difference = intervals([sums[POLICY], sums[RECORDED]], wish).goal_gains[1]
    return intervals(sums, wish), None if np.isnan(difference).any() else difference


def _share_exceeded(wish: Wish, recorded: Schedule, references: Mapping[str, Schedule]) -> float | None:
    """Return the share of the draws in which limits are exceeded; None without limits.

    Limits of the utilisation and of percentiles are left out, because they have no intervals.
    """
    limits = [limit for limit in wish.limits if has_interval(limit.objective)]
    if not limits:
        return None
    alone = Wish(limits=limits, measures=wish.measures)
    counts = drawn_weeks(weeks_of(recorded.workload))
    reached = response_times(week_sums(recorded), counts)
    drawn = {name: response_times(week_sums(schedule), counts) for name, schedule in references.items()}
    outside = []
    for draw, values in enumerate(reached):
        if choice.is_defined(alone, values):
            here = resolve(alone, {name: rows[draw] for name, rows in drawn.items()}) if drawn else alone
            outside.append(bool(here.limits) and choice.violation(here, values[None])[0] > 0)
    return float(np.mean(outside)) if outside else None


def _too_few(weeks: int) -> Verdict:
    """Return the verdict of jobs in so many weeks, the last of which may not be over."""
    there = f"there are {weeks}, and {LEAST_WEEKS} are needed"
    if weeks >= LEAST_WEEKS:
        there = f"there are {weeks}, of which the last is not over, and {LEAST_WEEKS} whole ones are needed"
    return Verdict(Word.UNKNOWN, (f"too few weeks: {there}",))


def _still_waiting(counted: Workload, since: int, end: int | None) -> tuple[NotStarted, ...]:
    """Return the jobs submitted from a second on, and before an end, that had not started, as far as is known.

    Their day is known, not the second: all jobs of the first and the last day count.
    """
    names = counted.names
    if names is None:
        return ()
    rows = [each for each in names.waiting if (each.day + 1) * DAY > since and (end is None or each.day * DAY < end)]
    if not rows:
        return ()
    jobs = {ALL: sum(each.jobs for each in rows)}
    for each in rows:
        group = names.groups.get(each.group, "")
        if group in counted.groups:
            jobs[f"group {group}"] = jobs.get(f"group {group}", 0) + each.jobs
    started = {f"group {name}": int((counted.group == i).sum()) for i, name in enumerate(counted.groups)}
    started[ALL] = len(counted)
    return tuple(NotStarted(group, count, count / (count + started[group])) for group, count in jobs.items())


def _if_all_started(verdict: Verdict, waiting: Sequence[NotStarted]) -> Verdict:
    """Return a verdict that does not say that a promise is kept if many jobs still wait."""
    many = [each for each in waiting if each.share > MOST_WAITING]
    if not many or verdict.word != Word.KEPT:
        return verdict
    words = ", ".join(f"{each.jobs:,} of {each.group} ({100 * each.share:.1f} %)" for each in many)
    reason = f"too many jobs of these weeks still wait, and are in no schedule: {words}"
    return Verdict(Word.UNKNOWN, (reason, *verdict.reasons))


def _verdict(
    schedules: Sequence[Schedule], wish: Wish, promised: float | None, values: Floats, share_exceeded: float | None
) -> Verdict:
    """Return whether the promise was kept, see the module."""
    parts = []
    if wish.weights:
        parts.append(_of_gain(schedules, wish, promised, values))
    if share_exceeded is not None:
        parts.append(_of_limits(share_exceeded))
    if not parts:
        return Verdict(Word.UNKNOWN, ("the wish has no sum and no limits whose intervals are known",))
    word = next(word for word in (Word.BROKEN, Word.UNKNOWN, Word.KEPT) if any(part[0] == word for part in parts))
    return Verdict(word, tuple(reason for _, reason in parts))


def _of_gain(schedules: Sequence[Schedule], wish: Wish, promised: float | None, values: Floats) -> tuple[Word, str]:
    """Return what the realised gain says of the promise, and in words why."""
    predicted, realised = (gain_of(wish, values[EASY], values[place]) for place in (POLICY, RECORDED))
    goals = drawn_goals([week_sums(schedule) for schedule in schedules], wish)
    gains = gains_over(goals, 0)
    promise = gains[POLICY] if promised is None else np.full_like(gains[POLICY], promised)
    above = gains[RECORDED] - (promise - (1 - KEPT_SHARE) * np.abs(promise))
    (low, high), (first, last) = ends_of(np.array([above, gains[RECORDED]])[..., None])[:, 0].tolist()
    if predicted is None or realised is None or np.isnan([low, first]).any():
        why = "a group of the wish has too few jobs, or it uses UTIL or what is no mean of jobs"
        return Word.UNKNOWN, f"the gain over EASY has no interval: {why}"
    word = Word.KEPT if low >= 0 else Word.BROKEN if high < 0 else Word.UNKNOWN
    source = f"{predicted:.1f} % predicted" if promised is None else f"{promised:.1f} % promised by the training"
    reason = f"of {source}, {realised:.1f} % over EASY are realised ({first:.1f} to {last:.1f})"
    return word, reason + ("; it may be more or less than two thirds of it" if word == Word.UNKNOWN else "")


def _of_limits(share: float) -> tuple[Word, str]:
    """Return what the draws say of the limits, and in words why."""
    text = amount(100 * share)
    if share >= SURE:
        return Word.BROKEN, f"the limits are exceeded in {text} % of the draws"
    if share <= 1 - SURE:
        return Word.KEPT, f"the limits are kept, exceeded in {text} % of the draws only"
    return Word.UNKNOWN, f"whether the limits are kept is not certain: they are exceeded in {text} % of the draws"


def _ends(ends: Floats | None, place: int) -> Any:
    """Return the interval of a schedule as plain values; None if it has none."""
    return None if ends is None or np.isnan(ends[place]).any() else plain(ends[place])

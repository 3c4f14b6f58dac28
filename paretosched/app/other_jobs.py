"""What schedulers do on other jobs than those that they were chosen by.

These are the part that a training has not seen, the jobs of a question "what if", and each tenth of the log. What takes
seconds is done without the lock of the desk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..comparison.consequences import Consequence, consequences, percent, two_measures, users_of
from ..comparison.periods import MOST, Period, periods
from ..comparison.what_if import changed_workload
from ..comparison.what_if_table import WhatIf, key_today, what_if
from ..core.arrays import Floats
from ..core.errors import InputError
from ..fronts.row_schedules import row_policy, schedule
from ..policies.policy import Policy, PolicyLike, as_policy
from ..simulation.objective import improvement, objectives
from ..simulation.schedule import Schedule
from ..simulation.service import DAY, waits
from ..simulation.simulator import REACT, RECORDED, simulate
from ..wishes.relative_limits import resolved_on
from ..wishes.wish import TODAY, Wish, exceeded_limits
from ..workload.resampling import LEAST_WEEKS, why_not_resampled
from ..workload.time_split import WEEK, split, weeks_of
from ..workload.user_groups import by_earlier_consumption
from ..workload.workload import Workload
from .answering import effort
from .desk import Desk
from .state import schedule_name
from .trainings import Training

DRAWS, FIRST_SEED = 3, 1  # of the log put together again, for a question
MOST_DRAWN = 300_000  # jobs of all draws; a larger log is drawn once, so that an owner need not wait
MOST_EFFORT = 220_000  # of a log on nodes, see `effort`; of a longer one the last weeks are asked: 10 s on two cores
MOST_KNOWN = 40  # schedules of draws without any change that are kept; one of 100,000 jobs takes 1 MB
TENTHS = 10
FEW_WEEKS = 4  # with less, tenths of the time are told


def today_on_other_jobs(desk: Desk) -> tuple[str, PolicyLike]:
    """Return the owner's scheduler for other jobs than those of the log: EASY in place of what happened once."""
    rule = desk.rule
    return ("EASY", "easy") if rule == "recorded" else (desk.known_names[desk.mine], rule)


def on_unseen_jobs(desk: Desk, number: int) -> tuple[str, list[Consequence], list[Consequence]]:
    """Return what a trained policy changes on jobs that it has not seen, and where measures disagree, in words.

    The first is the name of the scheduler that it is compared with. Both begin with an empty machine. Nothing without
    such jobs.
    """
    with desk.lock:
        known = unseen_jobs(desk, number)
        if known is None:
            return "", [], []
        name, rule = today_on_other_jobs(desk)
    trained, rest = known
    today, other = _unseen_schedule(desk, rest, trained, rule), _unseen_schedule(desk, rest, trained)
    values = [np.asarray(objectives(each)) for each in (today, other)]
    before, after = waits(today), waits(other)
    of_groups = slice(2, 2 + len(rest.groups))  # measures stand behind them
    gains = improvement(values[1][of_groups], values[0][of_groups]).tolist()
    util = float(values[0][0]), float(values[1][0])
    lines = consequences(before, after, rest.groups, users_of(rest), util, name)
    return name, lines, two_measures(before, after, rest.groups, gains)


def unseen_jobs(desk: Desk, number: int) -> tuple[Training, Workload] | None:
    """Return a training, and the jobs that it has not seen, in the groups of before; None without such jobs."""
    found = [t for t in desk.known_trainings if t.number == number and t.policy is not None]
    if not found or found[0].until is None or desk.workload is None or desk.comparison is None:
        return None
    parts = split(desk.workload, found[0].until)
    is_fixed = desk.trainings.groups is not None
    return found[0], parts[1] if is_fixed else by_earlier_consumption(*parts)[1]


def _unseen_schedule(desk: Desk, rest: Workload, trained: Training, rule: PolicyLike | None = None) -> Schedule:
    """Return the schedule of a trained policy on the jobs that it has not seen, or that of another rule; it is kept."""
    policy = trained.policy if rule is None else rule
    assert policy is not None  # noqa: S101  # see `unseen_jobs`
    key = ("unseen", trained.until, trained.number if rule is None else rule)
    return desk.schedule_of(key, lambda: simulate(rest, policy))


def unseen_weeks(desk: Desk, number: int) -> str:
    """Return in how many weeks that a training has not seen its policy keeps the limits, and is better in the goal.

    The time is cut into equal parts of at most a week, tenths if that gives less than four. Relative limits are those
    of the policies in this part. "" without such jobs, or where it cannot be said.
    """
    with desk.lock:
        known, util_from = unseen_jobs(desk, number), desk.front.util_from
    if known is None:
        return ""
    trained, rest = known
    both = [_unseen_schedule(desk, rest, trained, "easy"), _unseen_schedule(desk, rest, trained)]
    weeks = weeks_of(rest)
    count, name = (min(weeks, MOST), "weeks") if weeks >= FEW_WEEKS else (TENTHS, "tenths of the time")
    try:
        parts = periods(both, count, trained.wish, util_from)
    except InputError:  # two limits leave nothing
        return ""
    cells = [(part, part.cells(desk.front.objectives, 1)) for part in parts]
    kept = [one["exceeded"] == 0 for part, one in cells if _has_limits(part, one)]
    gains = [one["objective_vs_easy"] for _, one in cells if one["objective_vs_easy"] is not None]
    words = [f"the limits are kept in {sum(kept)} of {len(kept)} {name}"] if kept else []
    of = " of them" if len(gains) == len(kept) else f" of {len(gains)}" if words else f" of {len(gains)} {name}"
    better = sum(gain > 0 for gain in gains)
    words += [f"the goal is better than with EASY in {better}{of}"] if gains else []
    return f"Of what it has not seen, {', and '.join(words)}." if words else ""


def limits_by_tenths(desk: Desk, row: int) -> str:
    """Return in how many tenths of the log's time the schedule of a row keeps the wish's limits; "" without limits.

    Relative limits are those of the policies in this tenth. A tenth without jobs of a group in them does not count.
    """
    with desk.lock:
        front, workload, wish, key = desk.front, desk.workload, desk.state.wish, (desk.digest, row)
    if workload is None or wish is None or not wish.limits:
        return ""
    easy = desk.schedule_of("easy", lambda: simulate(workload, "easy"))
    both = [easy, desk.schedule_of(key, lambda: schedule(front, row, workload))]
    try:
        known = [(part, part.cells(front.objectives, 1)) for part in periods(both, TENTHS, wish, front.util_from)]
    except InputError:  # in a tenth no limit is defined, or two of them leave nothing
        return ""
    parts = [(part, cells) for part, cells in known if _has_limits(part, cells)]
    kept = [cells["exceeded"] == 0 for _, cells in parts]
    if not kept:
        return ""
    words = f"Its limits are kept in {sum(kept)} of {len(kept)} tenths of the log"
    words += " that have such jobs" if len(kept) < TENTHS else ""
    if all(kept):
        return f"{words}."
    worst, cells = max(parts, key=lambda pair: pair[1]["exceeded"])
    over = (
        [] if worst.wish is None else [limit.objective for limit, _ in exceeded_limits(worst.wish, worst.measured[1])]
    )
    loss, name = min((cells[f"{name}_vs_easy"] or 0.0, name) for name in over)
    longest = f", {name} is {-loss:,.0f} % longer than with EASY" if loss < 0 and name != "UTIL" else ""
    day = 1 + (worst.first - int(workload.submit[0])) // DAY
    return f"{words}; the worst begins on day {day}{longest}."


def _has_limits(part: Period, cells: Mapping[str, Any]) -> bool:
    """Return whether a part of the time has jobs of groups that are limited, and the goal of the wish is defined."""
    return cells["exceeded"] is not None and part.wish is not None and bool(part.wish.limits)


def asked_part(workload: Workload) -> Workload:
    """Return the last weeks of a log on nodes whose schedules would take long, two at least; else all of it."""
    if effort(workload) <= MOST_EFFORT:
        return workload
    last = int(workload.submit[-1])
    for weeks in range(weeks_of(workload), LEAST_WEEKS - 1, -1):
        # one job more than those of these weeks, so that it lasts for them, and can be put together again
        begin = max(int(np.searchsorted(workload.submit, last - weeks * WEEK, side="right")) - 1, 0)
        part = workload if not begin else workload.take(np.arange(begin, len(workload)))
        if effort(part) <= MOST_EFFORT:
            break
    return part


def answer_to(
    desk: Desk,
    number: int,
    rows: Sequence[int],
    trained: Sequence[int] = (),
    users: str = RECORDED,
    whole: bool = False,
) -> tuple[WhatIf, dict[str, str]] | None:
    """Return what a question does to schedulers, and how each keeps the wish's limits; None without that question.

    The schedulers are the owner's, those of `rows`, named "evaluation 7", and trained ones by number, "trained 1".
    `users` is as for `what_if`. The jobs are those of `asked_part`, or all of them if `whole`.

    Raises
    ------
    InputError
        The question needs a workload that is put together again, and this one cannot be; or users cannot react.
    """
    with desk.lock:
        asked, log, wish, known = desk.questions(), desk.workload, desk.state.wish, desk.known_today
        if log is None or not 0 <= number < len(asked):
            return None
        policies = _asked_policies(desk, rows, trained)
    question, workload = asked[number], log if whole else asked_part(log)
    told = what_if(
        workload, [(question.words, question)], policies, draws_of(workload), FIRST_SEED, users=users, known=known
    )
    for old in list(known)[:-MOST_KNOWN]:
        known.pop(old, None)
    if wish is None or not wish.limits:
        return told, {}
    seeds: Sequence[int | None] = told.seeds or [None]
    changed = [changed_workload(workload, question, seed) for seed in seeds]
    values = {case.policy: list(case.reached) for case in told.cases[len(policies) :]}
    return told, limit_words(wish, changed, values)


def _asked_policies(desk: Desk, rows: Sequence[int], trained: Sequence[int]) -> list[Policy]:
    """Return the owner's scheduler, those of rows, and trained ones, by the names that they have on the page."""
    name, rule = today_on_other_jobs(desk)
    found: dict[str, Policy | None] = {name: as_policy(rule)}
    found |= {schedule_name(desk.front, row): row_policy(desk.front, row) for row in rows}
    values = desk.trained_values
    found |= {
        f"trained {t.number}": t.policy
        for t in desk.known_trainings
        if t.number in trained and not np.isnan(values.get(t.number, np.nan)).all()
    }
    return [_with_name(policy, name) for name, policy in found.items() if policy is not None]


def _with_name(policy: Policy, name: str) -> Policy:
    """Return a policy with another name."""
    changes: dict[str, Any] = {"name": name}
    return replace(policy, **changes)


def draws_of(workload: Workload) -> int:
    """Return how often a log is put together again for a question."""
    return DRAWS if len(workload) * DRAWS <= MOST_DRAWN else 1


def simulations_of(desk: Desk, rows: Sequence[int], trained: Sequence[int], users: str, whole: bool = False) -> int:
    """Return how many schedules the answer to a question takes that are not known; 0 without the workload."""
    with desk.lock:
        if desk.workload is None or desk.comparison is None:
            return 0
        workload, known = desk.workload if whole else asked_part(desk.workload), desk.known_today
        names = [policy.name for policy in _asked_policies(desk, rows, trained)]
    draws = draws_of(workload)
    seeds = [None] if why_not_resampled(workload) else range(FIRST_SEED, FIRST_SEED + draws)
    keys = {key_today(workload, seed, name, users) for seed in seeds for name in names}
    keys |= {key_today(workload, None, names[0], RECORDED)} if users == REACT else set()
    return len(names) * len(seeds) + len(keys - set(known))


def limit_words(wish: Wish, workloads: Sequence[Workload], values: Mapping[str, Sequence[Floats]]) -> dict[str, str]:
    """Return in sentences, by name, whether values, (m,) for each of the workloads, keep the limits of a wish there.

    Nothing without limits, or if they are relative to what happened, which did not happen to these jobs.
    """
    if not wish.limits or {"recorded", TODAY} & {*wish.references}:
        return {}
    try:
        here = [resolved_on(wish, workload) for workload in workloads]
    except InputError:  # two limits leave nothing there
        return {}
    words = {}
    for name, of_one in values.items():
        exceeded = [exceeded_limits(*pair) for pair in zip(here, of_one, strict=True)]
        broken = [over for over in exceeded if over]
        if not broken:
            words[name] = "Your limits are kept there."
            continue
        worst = max(broken, key=lambda over: max(share for _, share in over))
        parts = ", ".join(f"{limit.objective} by {percent(100 * share)} %" for limit, share in worst)
        how = "" if len(workloads) == 1 else f" in {len(broken)} of {len(workloads)} draws, in the worst"
        words[name] = f"Your limits are exceeded there{how}: {parts}."
    return words

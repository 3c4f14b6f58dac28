"""The answer to a wish: what the best known schedule costs whom, and what looser limits would bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import whole_number
from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.notebook import fields_html, html_table
from ..core.tables import Column, plain, table
from ..fronts.front import Front, online
from ..fronts.front_files import FrontLike, as_front
from ..fronts.row_schedules import measured_front, schedule
from ..simulation.objective import Objective, convention, group_of, improvement, is_of_group, objectives, with_group
from ..simulation.service import HOUR, Waits, waits
from ..simulation.simulator import simulate
from ..workload.measures import as_measured
from ..workload.reopening import WorkloadLike, as_workload
from .best_possible import Best, best_possible, distance_row
from .nearness import nearest_rows
from .relative_limits import is_recorded, reference_values, resolve
from .wish import LARGEST, Limit, Wish, goal, is_defined, reference_text, spelled_out, violation, wish_text
from .wish_files import WishLike, measuring
from .wish_grammar import names_in_words

SLACKS = (0, 1, 2, 5, 10, 25)  # per cent
RECORDED, EASY, HERE = "recorded", "EASY", "this schedule"
WAITED = {"mean": "mean h", "p95": "95 % h", "worst": "worst h"}
WAIT_COLUMNS = (
    Column("of", "wait of"),
    Column("schedule", "schedule"),
    Column("jobs", "jobs", ",d"),
    *(Column(key, words, ",.2f") for key, words in WAITED.items()),
)
NOTABLY = 1.02  # what is no more than this times longer is as long


class Slack(NamedTuple):
    """The best schedule if the relative limits of a wish were looser.

    Attributes
    ----------
    percent
        How much looser: 1.02 times EASY becomes 1.02 (1 + percent / 100) times EASY.
    within
        How many schedules of the front are within the limits.
    row
        The best of them; None if there is none.
    objective, gain
        Its goal, and how much better that is than EASY's, in per cent; NaN where this is undefined.
    worst, worst_gain
        The objective of the group that loses most, or gains least, and its gain over EASY in per cent.
    """

    percent: float
    within: int
    row: int | None
    objective: float
    gain: float
    worst: str
    worst_gain: float

    def _repr_html_(self) -> str:
        return fields_html(self)


@dataclass(frozen=True, eq=False)
class Answer:
    """The answer to a wish, made by `answer`.

    Parameters
    ----------
    wish, wish_here
        The wish, and the same with numbers in place of its relative limits.
    workload
        The name of the workload.
    objectives
        The objectives, (m,), in the order of every vector here.
    row, schedules
        The row of the front, usually the one that is nearest to the wish, and how many rows the front has.
    online
        Whether a policy makes this schedule; otherwise all run times and submissions must be known in advance.
    values, easy
        (m,) natural units, of this schedule and of EASY; NaN where a group has no jobs.
    objective, easy_objective
        The goal of both, smaller is better; 0 if the wish is only limits.
    exceeded, easy_exceeded
        How far both exceed the limits, see `violation`.
    slacks
        What looser relative limits would bring; none if the wish has no relative limits.
    at_best
        What no schedule can beat.
    waits
        How long jobs wait: of "recorded", if the log says when jobs started, of "EASY", and of "this schedule".
    today
        (m,) natural units, of what is recorded; None if the log does not say when jobs started.
    nearest
        The row that is nearest to the wish, if it is another one.
    """

    wish: Wish
    wish_here: Wish
    workload: str
    objectives: tuple[Objective, ...]
    row: int
    schedules: int
    online: bool
    values: Floats
    easy: Floats
    objective: float
    easy_objective: float
    exceeded: float
    easy_exceeded: float
    slacks: tuple[Slack, ...]
    at_best: Best
    waits: Mapping[str, Waits]
    today: Floats | None = None
    nearest: int | None = None

    def __repr__(self) -> str:
        return f"<Answer to {wish_text(self.wish)}: row {self.row} of {self.schedules:,}>"

    def _repr_html_(self) -> str:
        rows = [[row["objective"], row["group"], row["value"], row["easy"], row["vs_easy"]] for row in self.rows()]
        return html_table(repr(self).strip("<>"), ("objective", "group", "value", "EASY", "vs EASY %"), rows)

    def rows(self) -> list[dict[str, Any]]:
        """Return what the schedule costs whom, as plain values: a row for each objective.

        The keys are "objective", "group", "unit", "value", "easy", "vs_easy" (the gain over EASY in per cent, negative
        is worse), "today" and "vs_today" likewise, and the limits "low" and "high"; None where there is none.
        """
        names = [o.name for o, value in zip(self.objectives, self.easy, strict=True) if not np.isnan(value)]
        limits = {limit.objective: limit for limit in spelled_out(self.wish_here, names).limits}
        unknown = np.full(len(self.values), np.nan)
        today = unknown if self.today is None else self.today
        columns = self.values, self.easy, improvement(self.values, self.easy), today, improvement(self.values, today)
        rows = []
        for o, value, easy, gain, recorded, over_today in zip(self.objectives, *columns, strict=True):
            limit = limits.get(o.name, Limit(o.name))
            row = {
                "objective": o.name,
                "group": group_of(o) if is_of_group(o.name) else None,
                "unit": o.unit,
                "value": value,
                "easy": easy,
                "vs_easy": gain,
                "today": recorded,
                "vs_today": over_today,
                "low": limit.low or None,
                "high": limit.high,
            }
            rows.append(plain(row))
        return rows

    def about(self) -> dict[str, Any]:
        """Return the answer as plain values: attributes of the same names, "groups" as of `rows`, and "slacks".

        What is proved has the keys of `best_possible.distance_row`. "waits" has a row for all jobs, whose "group" is
        None, and for each group, with "mean_s", "p95_s" and "worst_s" by the keys of `waits`.
        """
        keys = ("workload", "row", "schedules", "online", "objective", "easy_objective", "exceeded", "easy_exceeded")
        head = {"wish": wish_text(self.wish), "vs_easy": _gain(self.wish, self.objective, self.easy_objective)}
        head["vs_today"] = self._gain_over_today()
        head |= self._distance()
        parts = {"groups": self.rows(), "slacks": [slack._asdict() for slack in self.slacks], "waits": self._waits()}
        answer: dict[str, Any] = plain(head | {key: getattr(self, key) for key in keys} | parts)
        return answer

    def text(self) -> str:
        """Return the answer as tables for a terminal, response times in hours."""
        shown = [column for column in COLUMNS if self.today is not None or "today" not in column.key]
        lines = [self._headline(), "", table(map(_in_hours, self.rows()), shown)]
        lines.append(f"vs EASY: {convention(self.objectives)}; negative is what the wish costs the group")
        lines += [] if self.today is None else ["recorded: what the log says; vs recorded: the same over that"]
        lines += ["", *self._wait_lines()]
        if not self.online:
            lines.append("this schedule knows all run times and submissions in advance; no policy makes it")
        if self.slacks:
            policies = " and ".join(map(reference_text, self.wish.references))
            named = {o.name: with_group(o) for o in self.objectives}
            rows = [
                slack._asdict() | {"worst": named.get(slack.worst, slack.worst), "objective": slack.objective / HOUR}
                for slack in self.slacks
            ]
            in_hours = {o.name for o in self.objectives if o.unit == "s"}
            has_hours = bool(self.wish.weights) and {name for name, _ in self.wish.weights} <= in_hours
            left_out = () if has_hours else ("objective",) if self.wish.weights else ("objective", "gain")
            columns = [c for c in SLACK_COLUMNS if c.key not in left_out]
            lines += ["", f"if the limits relative to {policies} were looser by", table(rows, columns)]
        return "\n".join(lines)

    def _waits(self) -> list[dict[str, Any]]:
        """Return how long the jobs of all and of each group wait, see `about`."""
        names = [None, *(group_of(o) for o in self.objectives if is_of_group(o.name) and o.name.startswith("AWRT"))]
        return [
            {"group": name, "jobs": int(self.waits[HERE].jobs[place])}
            | {f"{key}_s": {who: float(getattr(w, key)[place]) for who, w in self.waits.items()} for key in WAITED}
            for place, name in enumerate(names)
            if self.waits[HERE].jobs[place]
        ]

    def _wait_lines(self) -> list[str]:
        """Return a table of the waits, and which groups that the wish asks for wait longer than under EASY."""
        rows, longer = [], []
        weighed = dict(self.wish.weights)
        asked = {group_of(o) for o in self.objectives if is_of_group(o.name) and o.name in weighed}
        for row in self._waits():
            who = "all jobs" if row["group"] is None else f"group {row['group']}"
            for name in self.waits:
                hours = {key: row[f"{key}_s"][name] / 3600 for key in WAITED}
                rows.append({"of": who, "jobs": row["jobs"], "schedule": name} | hours)
                who = ""
            before, after = (row["mean_s"][name] / 3600 for name in (EASY, HERE))
            if row["group"] in asked and after > NOTABLY * before:
                longer.append(
                    f"group {row['group']}, for which the wish asks, waits longer in the mean than under EASY, "
                    f"{after:,.1f} h instead of {before:,.1f} h: AWRT counts a job by its work, so that large and long "
                    f'ones decide it; the wish "mean wait of group {row["group"]}" counts each job once'
                )
        return [table(rows, WAIT_COLUMNS), *longer]

    def _headline(self) -> str:
        """Return which schedule it is, and how good it is."""
        where = "within the limits" if not self.exceeded else f"{100 * self.exceeded:,.2f} % outside the limits"
        place = f", {where}" if self.wish.limits else ""
        words = wish_text(self.wish, hours=True, names=names_in_words(self.objectives))
        which = "is nearest" if self.nearest is None else f"(row {self.nearest} is nearest)"
        lines = [f"{words}\n{self.workload}: row {self.row} of {self.schedules:,} {which}{place}"]
        if self.exceeded and self.nearest is None:
            but = "" if self.easy_exceeded else ", but EASY is"
            lines.append(f"no schedule of the front is within the limits{but}; this one exceeds them least")
        if self.wish.weights:
            gain = _gain(self.wish, self.objective, self.easy_objective)
            gains = {"recorded": self._gain_over_today(), "EASY": gain}
            known = [f"{_better(x)} than {over}" for over, x in gains.items() if not np.isnan(x)]
            lines += [f"{' and '.join(known)} in this goal"] if known else []
        if (self.easy_exceeded, self.easy_objective) < (self.exceeded, self.objective):
            lines.append("EASY itself is nearer to this wish than every schedule of the front")
        lines += [sentence] if (sentence := self._distance()["distance"]) else []
        return "\n".join(lines)

    def _gain_over_today(self) -> float:
        """Return how much better than recorded the goal is, in per cent; NaN where that is undefined or unknown."""
        if self.today is None or not is_defined(self.wish_here, self.today):
            return float("nan")
        return _gain(self.wish, self.objective, float(goal(self.wish_here, self.today[None])[0]))

    def _distance(self) -> dict[str, Any]:
        """Return how far the schedule, which is the best known one, is from what no schedule can beat."""
        reached = None if self.exceeded else self.objective
        return distance_row(self.at_best, self.wish, self.easy_objective, reached)


COLUMNS = (
    Column("objective", "objective"),
    Column("group", "group"),
    Column("today", "recorded", ",.2f"),
    Column("easy", "EASY", ",.2f"),
    Column("value", "schedule", ",.2f"),
    Column("unit", "unit"),
    Column("vs_today", "vs recorded %", "+,.1f"),
    Column("vs_easy", "vs EASY %", "+,.1f"),
    Column("low", "at least", ",.2f"),
    Column("high", "at most", ",.2f"),
)
SLACK_COLUMNS = (
    Column("percent", "slack %", "d"),
    Column("within", "schedules", ",d"),
    Column("objective", "goal, hours", ",.1f"),
    Column("gain", "vs EASY %", "+,.1f"),
    Column("worst", "worst group"),
    Column("worst_gain", "its AWRT vs EASY %", "+,.1f"),
    Column("row", "row", "d"),
)


def answer(wish: WishLike, front: FrontLike, workload: WorkloadLike, row: int | None = None) -> Answer:
    """Return the answer to a wish: what the best known schedule costs whom, or that of a row.

    Parameters
    ----------
    wish
        A wish, one in words, or the path of a wish file.
    front
        A front, or the path of a run directory or a front file.
    workload
        The jobs of the front, on which EASY and what limits are relative to are simulated; or the path of the log or
        of the run directory.
    row
        The schedule; None for the one that is nearest to the wish.

    Raises
    ------
    InputError
        The front is empty, or belongs to another workload; or as for `as_wish`, `as_front` and `as_workload`.
    """
    front = as_front(front)
    workload = as_workload(workload)
    if not len(front):
        raise InputError("a front must have a schedule, but this one is empty")
    if front.digest != workload.digest:
        raise InputError(
            f"the front must be of the same workload: jobs, capacity and groups, but it is of {front.workload} "
            f"({front.digest[:12]}), not of {workload.name} ({workload.digest[:12]})"
        )
    wish, workload = measuring(wish, as_measured(workload, front.measured))
    front = measured_front(front, workload)
    by_easy = simulate(workload, "easy")
    easy = np.asarray(objectives(by_easy, util_from=front.util_from))
    references = reference_values(wish, workload, {"easy": easy}, front.util_from)
    here = resolve(wish, references)
    nearest = int(nearest_rows(here, front.values)[0])
    row = nearest if row is None else whole_number("row", row)
    if not 0 <= row < len(front):
        raise InputError(f"row must be in 0..{len(front) - 1}, but is {row}")
    both = np.array([front.values[row], easy])
    (reached, of_easy), (exceeded, easy_exceeded) = goal(here, both).tolist(), violation(here, both).tolist()
    recorded = {RECORDED: simulate(workload, RECORDED)} if is_recorded(workload) else {}
    made = {**recorded, EASY: by_easy, HERE: schedule(front, row, workload)}
    slacks = [_slack(wish, front, easy, references, percent) for percent in SLACKS] if wish.references else []
    return Answer(
        wish,
        here,
        front.workload,
        front.objectives,
        row,
        len(front),
        bool(online(front)[row]),
        front.values[row],
        easy,
        reached,
        of_easy,
        exceeded,
        easy_exceeded,
        tuple(slacks),
        best_possible(here, workload, front.util_from),
        {name: waits(each) for name, each in made.items()},
        np.asarray(objectives(made[RECORDED], util_from=front.util_from)) if recorded else None,
        None if row == nearest else nearest,
    )


def _slack(wish: Wish, front: Front, easy: Floats, references: dict[str, Floats], percent: float) -> Slack:
    """Return the best schedule if the relative limits were looser by some per cent."""
    share = percent / 100
    limits = [
        limit._replace(low=limit.low * (1 - share), high=min(limit.high * (1 + share), max(limit.high, LARGEST)))
        if limit.of
        else limit
        for limit in wish.limits
    ]
    here = resolve(Wish(wish.weights, wish.near, limits, wish.measures), references)
    nearness = np.where(violation(here, front.values) > 0, np.inf, goal(here, front.values))
    within = int(np.isfinite(nearness).sum())
    if not within:
        return Slack(percent, 0, None, np.nan, np.nan, "", np.nan)
    row = int(nearness.argmin())
    of_groups = improvement(front.values[row], easy)[2 : 2 + len(front.groups)]
    worst = int(np.nanargmin(of_groups))
    reached, of_easy = goal(here, [front.values[row], easy]).tolist()
    gain = _gain(wish, reached, of_easy)
    return Slack(percent, within, row, reached, gain, front.objectives[2 + worst].name, float(of_groups[worst]))


def _gain(wish: Wish, reached: float, of_easy: float) -> float:
    """Return how much better than EASY's a goal is, in per cent; NaN unless it is a sum that is positive for EASY."""
    return 100 * (of_easy - reached) / of_easy if wish.weights and of_easy > 0 else float("nan")


def _better(gain: float) -> str:
    """Return a gain in words.

    Examples
    --------
    >>> _better(4.26), _better(-1)
    ('4.3 % better', '1.0 % worse')
    """
    return f"{abs(gain):.1f} % {'better' if gain >= 0 else 'worse'}"


def _in_hours(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of the table for people: response times in hours."""
    if row["unit"] != "s":
        return dict(row)
    times = {key: None if row[key] is None else row[key] / 3600 for key in ("value", "easy", "today", "low", "high")}
    return {**row, **times, "unit": "h"}

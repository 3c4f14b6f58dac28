"""Policies compared with EASY and with a front of schedules, on one workload.

**The wish.** With a wish of the owner (see `choice`) every policy has the value of its goal, and by how much it exceeds
limits. Its gain over EASY is (EASY - X) / EASY in per cent, for weighted sums that are positive for EASY. A reference
point has no gain in per cent, because its value is a shortfall already. Of the front counts the schedule that comes
nearest to the wish (`nearness.fitness`: one within the limits, if there is any).

**The share of the way** from EASY to that schedule is (EASY - X) / (EASY - best) in per cent, for sums and reference
points: 0 is as good as EASY, 100 as good as that schedule. It is negative for a policy that is worse than
EASY, and above 100 for one that is better than the front. It is undefined (None) without a front or a goal, if EASY is
at least as good as the front, for a policy that exceeds a limit, and for a recorded schedule that overbooks the
machine. It is undefined for all policies if EASY or that schedule exceeds a limit, because then the goal alone does not
show the distance.

**The share of what is possible** goes to the bound that is proved for the wish, limits included (`best_possible`), in
place of that schedule: (EASY - X) / (EASY - bound). It does not depend on what was explored, and is never above 100.

**Two rows of the front** must not be taken for each other. "best of each" has the best value of every objective on the
front, each from a schedule of its own: no schedule has them all, and its gains over EASY are those of no schedule.
"nearest to the objective" is one schedule, with all its values.

A group without jobs is left out of the wish; if no group of the goal has any, the wish is undefined on that workload.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import list_argument
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..core.notebook import html_table
from ..core.tables import enumeration, plain
from ..fronts.front import Front
from ..fronts.front_files import FrontLike, as_front
from ..fronts.row_schedules import measured_front
from ..fronts.row_schedules import schedule as front_schedule
from ..policies.outcome import SearchTotals
from ..policies.plain import PLAIN_RULES, Plain
from ..policies.policy import Policy, PolicyLike, as_policies, as_policy
from ..simulation.lower_bounds import bounds
from ..simulation.objective import (
    FROM_START,
    Objective,
    convention,
    group_of,
    improvement,
    is_of_group,
    objective_table,
    utilisation_from_submission,
)
from ..simulation.schedule import Schedule
from ..simulation.service import OfClass, Waits, bins, by_class, first_sharing, use, waits
from ..simulation.simulator import REACT, RECORDED, simulate
from ..wishes import wish as choice
from ..wishes.best_possible import DISTANCE, Best, best_possible, distance_row
from ..wishes.outer_front import outer_front
from ..wishes.relative_limits import resolved_on
from ..wishes.wish import Wish
from ..wishes.wish_files import WishLike, from_json, measuring
from ..workload.group_rules import grouping_of
from ..workload.machine_description import describe_machine
from ..workload.measures import as_measured, with_measures
from ..workload.plausibility import doubts
from ..workload.recorded_fit import other_machine
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.time_split import check_weeks
from ..workload.workload import Repair, Workload
from .comparison_tables import (
    EVERY_JOB,
    FROM_SUBMISSION,
    INTERVALS,
    OF_CLASSES,
    OF_EACH,
    POSSIBLE,
    WAY,
    class_table,
    distinct,
    from_submission_text,
    policy_table,
    searched_text,
    told_table,
    wait_table,
    wish_table,
)
from .consequences import longer_text
from .front_of_workload import foreign
from .front_positions import against, beside_front
from .intervals import Intervals, interval_table, wait_sums, week_sums
from .intervals import intervals as bootstrapped
from .learnt_jobs import learnt_text
from .partition_use import CPUS, OF_PARTITIONS, ByPartition, partition_table, resources_in_use, use_by_partition
from .periods import Period, period_table, periods
from .reaction_gains import NOTE, Reaction, reaction_gains, reaction_table
from .views import View, large_jobs, view, wait_cells, whose

if TYPE_CHECKING:
    import os

    import pandas as pd

BEST = "best of each"
IDEAL = "ideal point"
ONLINE = "best of each, online"
NEAREST = "nearest to the objective"
LEAST_LOSS = 0.5  # per cent, from which on a longer response time is named
NEAREST_ONLINE = "nearest online"
PROMPT_RULE = (
    "ideal point: no schedule can have a shorter AWRT, nor a higher UTIL if it starts with the first submission"
)
ANY_RULE = "ideal point: no schedule can have a shorter AWRT or a higher UTIL, whenever it starts"
OF_FRONT = "UTIL of schedules of the front is from the first submission on; so is that of policies where they meet"
OVERBOOKED = " (overbooked)"
WORTH = ("objective", "objective_vs_easy", "share_of_way", "share_of_possible", "exceeded", *DISTANCE)
_OF_POLICIES = (FROM_SUBMISSION, "waits", "utilisation_over_time", "classes", "searched")
_WHEN_ASKED = ("intervals", "periods", "users_react")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Policies measured on one workload; made by `compare`.

    Parameters
    ----------
    workload_name, workload_digest, jobs, capacity
        The workload: its name, digest, number of jobs, and the processors of its machine.
    objectives
        The objectives, (m,), in the order of every vector here.
    policies
        Names of the policies, (q,), all different. The first is EASY, the reference.
    values
        (q, m), in natural units; NaN where a group has no jobs.
    improvement
        (q, m) per cent, (EASY - X) / EASY as in papers 000 and 001: positive is better for response times, and
        *worse* for UTIL.
    ideal
        (m,), the values that no schedule can beat: `Bounds.together`; for UTIL `Bounds.prompt_utilisation`, unless one
        of the schedules starts later than the first submission and has a higher UTIL.
    ideal_rule
        The rule of `ideal` in words.
    dominated_by, dominates
        (q,), how many schedules of the front dominate the policy, and how many it dominates; None without a front; -1
        for a recorded schedule that overbooks the machine, because a schedule of the front may not.
    best
        (m,), the best value of each objective on the front; different objectives may come from different schedules;
        None without a front.
    best_online
        The same for the schedules of online policies; None if all schedules are, or none.
    wish
        What the owner wants; None without a wish.
    wish_here
        The wish on this workload: numbers in place of relative limits, and without groups that have no jobs, unless
        none of its groups has any; None without a wish.
    nearest, nearest_online
        (m,), the schedule of the front that comes nearest to the wish, and the nearest one of online policies; None
        without a wish, where the wish is undefined, and in the cases of `best` and `best_online`.
    nearest_row
        The row of `nearest` in the front; None without it.
    at_best
        What no schedule can beat in the wish, see `best_possible`; None without a wish and where it is undefined.
    feasible
        (q,) bool, whether each policy keeps the rules; a recorded schedule that overbooks the machine does not.
    waits
        How long jobs wait under each policy, q of them, and behind them in the schedule of `nearest_row`, if there is
        one; so are `waiting`, `intervals` and `views`.
    waiting
        For what jobs wait, as `WaitingReasons.table` says it; None where that can only be nodes and their turn.
    edges
        (k + 1,) seconds of the trace, from the first submission to the last completion under any policy, see
        `service.bins`.
    used
        (q, k) processor seconds in use between these times.
    resources
        Of a machine of nodes, by "memory" and "GPUs" as far as it gives them out: (q, k) per cent in use then.
    by_partition
        Of a machine of nodes, by partition and by "CPUs", "memory" and "GPUs": (q, k) per cent in use then, see
        `partition_use`; empty for a machine with one partition.
    partition_means
        The same from the first submission to the last one, (q, 1): all policies have done all work in the end.
    classes
        Response times and slowdowns of each class and size of jobs under each policy, q times `service.by_class`.
    searched
        What group optimisation did, (q,); None for policies without it.
    shares_time
        Whether one of the policies is SCOJO-PECT: then the text has a table of the classes.
    intervals
        In which intervals the objectives and the gains lie, see `intervals`; None if not asked for.
    periods
        The policies in one part of the log after the other, see `periods`; none if not asked for.
    from_submission
        (q,) per cent, what UTIL would be from the first submission on, see `utilisation_from_submission`.
    most_down
        The most processors that are down at one time; UTIL and the use over time are those of all processors.
    outer
        Lines that no schedule is below, see `outer_front`, to be drawn behind the front; None without a front.
    util_from
        From when on UTIL counts in the front, and so in "best of each" and "nearest"; of policies it is the papers'.
    span, doubts
        s from the first submission to the last one, and what speaks against the size of the machine.
    repairs
        What was dropped or changed when the log was read, such as work that was cut off.
    other_machine
        That the log is of another machine than the one that is simulated, and why; "" if nothing says so.
    told
        (q,), what is told beside the objectives: how memory and GPUs are used on a machine of nodes; else empty.
    machine
        The machine, as `describe_machine` returns it; None without nodes.
    today
        Which of the policies is what runs the machine today; None if that is not known.
    reactions
        (q,), what users make of each policy by reacting, see `reaction_gains`; none if not asked for.
    views
        How long jobs wait in other groups than those of the objectives, such as their accounts; see `View`.
    large
        The same of large jobs, see `large_jobs`; None where all jobs are about as large.
    learnt
        (q,), from which of the jobs each policy learnt, in sentences, see `learnt_text`; "" if untrained.
    group_list
        The name of the CSV file that says who is in which group; "" without one.
    """

    workload_name: str
    workload_digest: str
    jobs: int
    capacity: int
    objectives: tuple[Objective, ...]
    policies: tuple[str, ...]
    values: Floats
    improvement: Floats
    ideal: Floats
    ideal_rule: str
    dominated_by: NDArray[np.int64] | None = None
    dominates: NDArray[np.int64] | None = None
    best: Floats | None = None
    best_online: Floats | None = None
    wish: Wish | None = None
    wish_here: Wish | None = None
    nearest: Floats | None = None
    nearest_online: Floats | None = None
    nearest_row: int | None = None
    at_best: Best | None = None
    feasible: NDArray[np.bool_] | None = None
    waits: tuple[Waits, ...] = ()
    waiting: tuple[list[dict[str, Any]] | None, ...] = ()
    edges: Ints | None = None
    used: Ints | None = None
    resources: Mapping[str, Floats] = field(default_factory=dict)
    by_partition: ByPartition = field(default_factory=dict)
    partition_means: ByPartition = field(default_factory=dict)
    classes: tuple[list[OfClass], ...] = ()
    searched: tuple[SearchTotals | None, ...] = ()
    shares_time: bool = False
    intervals: Intervals | None = None
    periods: tuple[Period, ...] = ()
    most_down: int = 0
    from_submission: tuple[float, ...] = ()
    outer: Mapping[tuple[str, str], Floats] | None = None
    util_from: str = FROM_START
    span: int = 0
    doubts: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    other_machine: str = ""
    told: tuple[tuple[tuple[Objective, float], ...], ...] = ()
    machine: Mapping[str, Any] | None = None
    today: int | None = None
    reactions: tuple[Reaction, ...] = ()
    views: tuple[View, ...] = ()
    large: View | None = None
    learnt: tuple[str, ...] = ()
    group_list: str = ""

    def __repr__(self) -> str:
        return f"<Comparison on {self.workload_name}: {', '.join(self.policies)}>"

    def _repr_html_(self) -> str:
        heads = ["policy", *(f"{o.name} {o.unit}" for o in self.objectives)]
        lines = [[name, *values.tolist()] for name, values in self.marks.items()]
        return html_table(repr(self).strip("<>"), heads, lines)

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame, one a policy, without the tables and lists in `rows`."""
        import pandas as pd

        lists = (*_OF_POLICIES[1:], *_WHEN_ASKED)
        rows = [{key: x for key, x in row.items() if key not in lists} for row in self.rows()]
        return pd.DataFrame(rows).set_index("policy")

    @property
    def marks(self) -> dict[str, Floats]:
        """The policies and the ideal point as named points of a figure: name to objective vector, (m,)."""
        return dict(zip((*self.policies, IDEAL), (*self.beside_front, self.ideal), strict=True))

    @property
    def beside_front(self) -> Floats:
        """(q, m), the values with UTIL from the same time on as in the front, in natural units."""
        return beside_front(self.values, self.from_submission, self.util_from)

    @property
    def busy(self) -> Floats:
        """(q, k) per cent of the machine in use between `edges`; (q, 0) if nothing was measured."""
        if self.edges is None or self.used is None:
            return np.empty((len(self.policies), 0))
        share: Floats = 100.0 * self.used / (self.capacity * np.diff(self.edges).astype(np.float64))
        return share

    def rows(self) -> list[dict[str, Any]]:
        """Return the policies, rows of the front and the ideal point, as plain values; undefined is None.

        The rows of the front are "best of each" and "nearest to the objective", see the module; and the same of online
        policies alone, where these are some of the front.

        The keys are "policy", "workload", "digest"; the names of the objectives, in natural units; the same with
        "_vs_easy", and with "_vs_today" where it is known what that is, per cent; "dominated_by" and "dominates";
        "UTIL_from_submission"; with a wish "wish", in words, "objective", the value of its goal, "objective_vs_easy",
        "share_of_way" and "share_of_possible", per cent, see the module, and "exceeded", the violation of its limits,
        and the keys of `best_possible.distance_row`; "waits", also of "nearest to the objective", a list with "group"
        (None for all), "groups" in other views (see `View`), "jobs", "wait_mean_s", "wait_median_s", "wait_p95_s",
        "wait_worst_s" and the bounded slowdown's mean and median; and "utilisation_over_time", with "from_s", "bin_s",
        "until_s" and "percent", of nodes "percent_memory" and "percent_gpus", and under "partitions" the same of each
        partition; "classes", the rows of `service.by_class`; and "searched", what group optimisation did. If they were
        asked for, "intervals", [low, high] by the names of the values and gains, also of "mean wait" and of that of
        each group, "periods", a list with "from_s", "until_s", "from" (local day), "jobs", and the values and gains in
        each, and "users_react", the fields of `reaction_gains.Reaction`.
        """
        rows = [
            self._row(name, self.values[q], self.improvement[q])
            | {"dominated_by": _count(self.dominated_by, q), "dominates": _count(self.dominates, q)}
            | self._worth(self.beside_front[q], feasible=self.feasible is None or bool(self.feasible[q]))
            | {FROM_SUBMISSION: self.from_submission[q] if self.from_submission else None}
            | {o.name: value for o, value in (self.told[q] if self.told else ())}
            | {"utilisation_over_time": self._over_time(q)}
            | {"classes": [row._asdict() for row in self.classes[q]] if self.classes else None}
            | {"searched": search._asdict() if self.searched and (search := self.searched[q]) else None}
            | self._of_schedule(q)
            | ({"periods": [part.cells(self.objectives, q) for part in self.periods]} if self.periods else {})
            | ({"users_react": plain(self.reactions[q]._asdict())} if self.reactions else {})
            for q, name in enumerate(self.policies)
        ]
        of_nearest = self._of_schedule(len(rows))
        for name, values in (
            (ONLINE, self.best_online),
            (BEST, self.best),
            (NEAREST_ONLINE, self.nearest_online),
            (NEAREST, self.nearest),
            (IDEAL, self.ideal),
        ):
            if values is not None:
                empty = dict.fromkeys((*_OF_POLICIES, "dominated_by", "dominates"))
                if name != IDEAL and self.util_from != FROM_START:
                    empty[FROM_SUBMISSION] = plain(values)[0]
                worth = self._worth(None if name in (ONLINE, BEST) else values, bound=name == IDEAL)
                row = self._row(name, values, improvement(values, self.beside_front[0])) | worth | empty
                rows.append(row | (of_nearest if name == NEAREST else {}))
        return rows

    def _row(self, policy: str, values: Floats, gain: Floats) -> dict[str, Any]:
        """Return the cells that every row has, from its objective values and gains over EASY, (m,) each."""
        names = [o.name for o in self.objectives]
        natural = dict(zip(names, plain(values), strict=True))
        gains = {f"{name}_vs_easy": x for name, x in zip(names, plain(gain), strict=True)}
        if self.today is not None:
            gain = improvement(values, (self.values if policy in self.policies else self.beside_front)[self.today])
            gains |= {f"{name}_vs_today": x for name, x in zip(names, plain(gain), strict=True)}
        workload = {"workload": self.workload_name, "digest": self.workload_digest}
        return {"policy": policy, **workload, **natural, **gains}

    def _worth(self, values: Floats | None, bound: bool = False, feasible: bool = True) -> dict[str, Any]:
        """Return the cells about the wish, for objective values, (m,); a bound exceeds no limit."""
        if self.wish is None or self.wish_here is None:
            return {}
        wish = self.wish_here
        cells: dict[str, Any] = dict.fromkeys(WORTH)
        cells["wish"] = choice.wish_text(self.wish)
        if values is None or not choice.is_defined(wish, self.values[0]):
            return cells
        easy, policy = self.beside_front[:1], values[None]
        if not bound:
            cells["exceeded"] = float(choice.violation(wish, policy)[0])
        if not bound and self.at_best is not None:
            reached = choice.goal_within(wish, values) if feasible else None
            known = None if self.nearest is None else self._best_known(wish)
            cells |= distance_row(self.at_best, wish, float(choice.goal(wish, easy)[0]), reached, known)
        if not wish.aims:
            return cells
        reference, goal = (float(choice.goal(wish, row)[0]) for row in (easy, policy))
        cells["objective"] = goal
        cells["objective_vs_easy"] = choice.gain(wish, reference, goal)
        within_limits = feasible and not bound and choice.violation(wish, policy)[0] == 0
        if self.at_best is not None and within_limits and reference > self.at_best.goal:
            cells["share_of_possible"] = 100 * (reference - goal) / (reference - self.at_best.goal)
        if self.nearest is not None:
            best = self.nearest[None]
            within = choice.violation(wish, np.vstack([easy, best] if bound else [easy, best, policy])).max() == 0
            way = reference - float(choice.goal(wish, best)[0])
            if within and way > 0 and (feasible or bound):
                cells["share_of_way"] = 100 * (reference - goal) / way
        return cells

    def _best_known(self, wish: Wish) -> float | None:
        """Return the goal of the best schedule within the limits of a wish, of the front and of the policies."""
        could_run = [True] * len(self.policies) if self.feasible is None else self.feasible.tolist()
        policies = [row for row, fits in zip(self.beside_front, could_run, strict=True) if fits]
        goals = (choice.goal_within(wish, row) for row in (self.nearest, *policies) if row is not None)
        return min((goal for goal in goals if goal is not None), default=None)

    @property
    def distance(self) -> str:
        """In one sentence how far the policy that is nearest to the wish is from what is possible, or "".

        The reference, EASY, is left out if there are others, and so are schedules that overbook the machine.
        """
        if self.at_best is None:
            return ""
        rows = self.rows()[: len(self.policies)]
        feasible = [row for row in rows[1:] if not row["policy"].endswith(OVERBOOKED)]
        row = min(feasible or rows[:1], key=lambda row: (row["exceeded"] or 0.0, row["objective"] or 0.0))
        about = "" if row["impossible"] else f"{row['policy']}: "  # what cannot be kept is no matter of a policy
        return f"{about}{row['distance']}" if row["distance"] else ""

    @property
    def left_out(self) -> str:
        """In words which groups of the wish do not count, because they have no jobs; "" if all do, or none."""
        if self.wish is None or self.wish_here is None or not choice.is_defined(self.wish_here, self.values[0]):
            return ""
        pairs = zip(self.objectives, self.values[0].tolist(), strict=True)
        groups = [group_of(o) for o, value in pairs if np.isnan(value) and o.name in self.wish.names]
        return f"no job of group {enumeration(groups)}: left out of the objective and its limits" if groups else ""

    @property
    def cost_of_nearest(self) -> str:
        """Return in words which response time the schedule nearest to the wish makes longest; "" if none."""
        if self.nearest is None:
            return ""
        gains = zip(self.objectives, improvement(self.nearest, self.beside_front[0]).tolist(), strict=True)
        losses = {o.name: -gain for o, gain in gains if o.unit == "s"}
        name = max(losses, key=lambda name: np.nan_to_num(losses[name]))
        if not losses[name] >= LEAST_LOSS:
            return ""
        assert self.wish is not None  # noqa: S101  # there is one if a schedule is nearest to it
        end = "" if self.wish.limits else ", which a limit would forbid"
        return f"; that schedule makes {name} {longer_text(losses[name], 'EASY does')}{end}"

    def _of_schedule(self, q: int) -> dict[str, Any]:
        """Return the cells about waits and, if asked for, intervals, of a policy or, behind them, of `nearest_row`."""
        here = {"intervals": self.intervals.cells(self.objectives, q)} if self.intervals and q < len(self.waits) else {}
        return {"waits": self._waits_of(q)} | here

    def _waits_of(self, q: int) -> list[dict[str, Any]] | None:
        """Return the waits in a schedule: a row for all jobs, one a group, and one a group of each view."""
        if q >= len(self.waits):
            return None
        names = [None, *(group_of(o) for o in self.objectives if is_of_group(o.name))]
        rows = [{"group": name} | cells for name, cells in zip(names, wait_cells(self.waits[q]), strict=True)]
        for number, other in enumerate(self.views, 2):
            taken = {whose(row) for row in rows}
            for name, cells in zip(other.groups, wait_cells(other.waits[q])[1:], strict=True):
                row = {"group": name, "groups": other.how} | cells
                rows.append(row | ({"group": f"{name} ({number})"} if whose(row) in taken else {}))
        return rows

    def _over_time(self, q: int) -> dict[str, Any] | None:
        """Return the utilisation over time under a policy."""
        if self.edges is None:
            return None
        first, second, last = (int(self.edges[i]) for i in (0, 1, -1))
        percent = {"percent": plain(self.busy[q])}
        percent |= {f"percent_{name.lower()}": plain(shares[q]) for name, shares in self.resources.items()}
        if self.by_partition:
            keys = {CPUS: "percent", "memory": "percent_memory", "GPUs": "percent_gpus"}
            percent["partitions"] = {
                name: {keys[what]: plain(shares[q]) for what, shares in uses.items()}
                for name, uses in self.by_partition.items()
            }
        return {"from_s": first, "bin_s": second - first, "until_s": last, **percent}

    def text(self) -> str:
        """Return the rows as tables for a terminal, times in hours, with the gains over EASY below each policy."""
        rows = self.rows()
        of_policies = rows[: len(self.policies)]
        with_waits = [row for row in rows if row["waits"]]
        against_front = self.best is not None
        today = None if self.today is None else self.policies[self.today]
        parts, notes = [policy_table(rows, self.objectives, against_front, today)], []
        if any(self.told):
            parts.append(told_table(of_policies, [o for o, _ in self.told[0]]))
        if self.wish is not None:
            of_wish = [row for row in rows if row["policy"] not in (ONLINE, BEST)]
            words = choice.wish_text(self.wish, hours=True)
            parts.append(f"objective: {words}\n{wish_table(of_wish, self.wish, against_front)}")
            notes += [self.left_out] if self.left_out else []
            notes += [f"{WAY}{self.cost_of_nearest}"] if against_front and self.wish.aims else []
            notes += [POSSIBLE] if any(row["share_of_possible"] is not None for row in rows) else []
            parts += [sentence] if (sentence := self.distance) else []
        if self.intervals is not None:
            parts.append(interval_table(with_waits, self.objectives))
            notes.append(INTERVALS.format(weeks=self.intervals.weeks, block=self.intervals.block))
        if self.periods and len(self.policies) > 1:
            parts.append(period_table(of_policies, self.objectives, self.wish))
        if self.reactions:
            parts.append(reaction_table(of_policies))
            notes.append(NOTE)
        if self.waits:
            parts.append(wait_table(with_waits))
            notes.append(EVERY_JOB)
        if self.partition_means:
            parts.append(partition_table(self.policies, self.partition_means))
            notes.append(OF_PARTITIONS)
        if self.shares_time:
            parts.append(class_table(self.classes, self.policies))
            parts += [
                f"{name}: {searched_text(search)}"
                for name, search in zip(self.policies, self.searched, strict=True)
                if search is not None
            ]
            notes.append(OF_CLASSES)
        of_groups = [o for o in self.objectives if is_of_group(o.name)]
        if any(group_of(o) != str(i) for i, o in enumerate(of_groups, 1)):
            notes.append(", ".join(f"{o.name} is {o.label.removeprefix('AWRT of ')}" for o in of_groups))
        notes += from_submission_text(of_policies)
        if self.today is not None:
            notes.append(f"vs {self.policies[self.today]}: as vs EASY, but over what runs the machine")
        notes += [OF_FRONT] if against_front and self.util_from != FROM_START else []
        notes += [f"vs EASY: {convention(self.objectives)}", *([OF_EACH] if against_front else []), self.ideal_rule]
        return "\n\n".join(filter(None, [self.other_machine, *parts, "\n".join(notes)]))


def compare(
    workload: WorkloadLike,
    policies: PolicyLike | Sequence[PolicyLike] | Mapping[str, PolicyLike],
    front: FrontLike | None = None,
    wish: WishLike | None = None,
    *,
    intervals: bool = False,
    rolling: int | None = None,
    today: PolicyLike | None = None,
    users: str = RECORDED,
    views: Sequence[str | os.PathLike[str]] = (),
) -> Comparison:
    """Simulate policies and compare them with EASY, a front, and what the owner wants.

    Parameters
    ----------
    workload
        The jobs and the machine; or the path of a log or of a run directory.
    policies
        One or several policies, as for `simulate`, also functions f(jobs, now) and a `Schedule`; or a dict of them by
        the names that they have here. EASY is always simulated, as the reference, and comes first.
    front
        Schedules of the same workload; or the path of a run or front file.
    wish
        What the owner wants, see `wish`; or a wish in words, or the path of a wish file.
    intervals
        Whether objectives, mean waits and gains get 90 % intervals, over four weeks at least, see `intervals`.
    rolling
        In how many parts of the log, one after the other, policies are compared, too; by default none.
    today
        What runs the machine today, such as "recorded", or any policy; it comes second, and gains are over it, too.
    users
        "react" for how gains change if users react, see `simulate`; all else is with the recorded submissions.
    views
        A list of other groups, whose waits are shown, too: "account", groups in words such as "gpu: gpus > 0; rest",
        or a CSV file, as `--groups` takes them.

    Returns
    -------
    Comparison
        One schedule dominates another if it is at least as good in every objective and better in one. AWRT does not
        count for this, because as a fixed mean of the AWRT_i it never decides; nor do groups without jobs.

    Raises
    ------
    InputError
        The front belongs to another workload, a policy does not fit the workload, the wish uses an objective that the
        workload does not have, there are too few weeks, or too many, for intervals, or users cannot react.

    Examples
    --------
    Job 2 is wide and waits for job 1; with EASY job 3 starts before it, with FCFS not. There are 53 processor seconds,
    and AWRT is (30 x 10 + 20 x 14 + 3 x 3) / 53 s with EASY and (30 x 10 + 20 x 14 + 3 x 16) / 53 s with FCFS.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> c = compare(w, ["fcfs"])
    >>> c.policies, [row["AWRT"] for row in c.rows()[:2]]
    (('EASY', 'FCFS'), [11.11320754716981, 11.849056603773585])
    >>> round(c.rows()[1]["AWRT_vs_easy"], 2), c.rows()[1]["waits"][0]["wait_worst_s"]
    (-6.62, 13.0)
    """
    wish, workload, front = measured_together(as_workload(workload), None if front is None else as_front(front), wish)
    if intervals:
        check_weeks("intervals", workload)
    one_of("users", users, (RECORDED, REACT))
    all_policies = _with_easy([*([] if today is None else as_policies(today)), *as_policies(policies)])
    schedules = [simulate(workload, policy) for policy in all_policies]
    feasible = np.array([not p.replays or _could_run(s) for p, s in zip(all_policies, schedules, strict=True)])
    values = np.array([schedule.objectives for schedule in schedules])
    util_from = FROM_START if front is None else front.util_from
    from_submission = tuple(utilisation_from_submission(schedule) for schedule in schedules)
    beside = beside_front(values, from_submission, util_from)
    with_jobs = None if wish is None else choice.goal_with_jobs(wish, values[0])
    now = None if today is None else int(as_policy(today).rule != "easy")
    known = {"easy": beside[0]} | ({} if now is None else {choice.TODAY: beside[now]})
    wish_here = None if with_jobs is None else resolved_on(with_jobs, workload, known, util_from)
    ideal, ideal_rule = _ideal(workload, values if front is None else np.vstack([values, front.values]))
    of_front = {} if front is None else against(front, beside, feasible, wish_here)
    row = of_front.get("nearest_row")
    shown = schedules if front is None or row is None else [*schedules, front_schedule(front, row, workload)]
    sharing = first_sharing(all_policies)
    return Comparison(
        workload.name,
        workload.digest,
        len(workload),
        workload.capacity,
        objective_table(workload),
        _row_names([p.name if fits else p.name + OVERBOOKED for p, fits in zip(all_policies, feasible, strict=True)]),
        values,
        improvement(values, values[0]),
        ideal,
        ideal_rule,
        wish=wish,
        wish_here=wish_here,
        at_best=_at_best(wish_here, workload, util_from, values),
        feasible=feasible,
        **_waits_of(shown),
        classes=tuple(by_class(schedule, sharing) for schedule in schedules),
        searched=tuple(schedule.searched for schedule in schedules),
        shares_time=sharing is not None,
        intervals=_intervals_of(shown, with_jobs, now) if intervals else None,
        periods=()
        if rolling is None
        else periods(schedules, rolling, with_jobs, util_from, None if now is None else schedules[now]),
        from_submission=from_submission,
        outer=None if front is None else outer_front(workload),
        util_from=util_from,
        told=tuple(schedule.objectives.told for schedule in schedules),
        today=now,
        reactions=tuple(reaction_gains(workload, all_policies, schedules)) if users == REACT else (),
        views=tuple(view(how, shown) for how in list_argument("views", views)),
        learnt=tuple(learnt_text(workload, policy) for policy in all_policies),
        **_about(workload),
        **_in_use(schedules),
        **of_front,
    )


def _about(workload: Workload) -> dict[str, Any]:
    """Return what a workload and its machine are, by the names that `Comparison` has for it."""
    return {
        "span": int(workload.submit[-1] - workload.submit[0]),
        "doubts": doubts(workload),
        "repairs": workload.repairs,
        "other_machine": other_machine(workload),
        "machine": None if workload.machine is None else describe_machine(workload.machine),
        "most_down": 0 if workload.down is None else workload.down.most,
        "group_list": _group_list(workload),
    }


def _waits_of(schedules: Sequence[Schedule]) -> dict[str, Any]:
    """Return how long jobs wait in schedules, and for what, by the names that `Comparison` has for it."""
    tables = (None if schedule.waiting is None else schedule.waiting.table() for schedule in schedules)
    return {"waits": tuple(map(waits, schedules)), "waiting": tuple(tables), "large": large_jobs(schedules)}


def _intervals_of(schedules: Sequence[Schedule], wish: Wish | None, today: int | None) -> Intervals:
    """Return in which intervals the objectives, mean waits and gains of schedules lie; EASY's is the first one."""
    return bootstrapped(list(map(week_sums, schedules)), wish, list(map(wait_sums, schedules)), today)


def _at_best(wish: Wish | None, workload: Workload, util_from: str, values: Floats) -> Best | None:
    """Return what no schedule can beat in a wish; None without one, and where it is undefined."""
    if wish is None or not choice.is_defined(wish, values[0]):
        return None
    return best_possible(wish, workload, util_from)


def _in_use(schedules: Sequence[Schedule]) -> dict[str, Any]:
    """Return what schedules of one workload use of its machine over time, by the names that `Comparison` has for it."""
    first, last = map(int, schedules[0].workload.submit[[0, -1]])
    edges = bins(first, max(int(schedule.finish.max()) for schedule in schedules))
    return {
        "edges": edges,
        "used": np.array([use(schedule, edges) for schedule in schedules]),
        "resources": resources_in_use(schedules, edges),
        "by_partition": use_by_partition(schedules, edges),
        "partition_means": use_by_partition(schedules, np.array([first, last])) if last > first else {},
    }


def _group_list(workload: Workload) -> str:
    """Return the name of the CSV file that made the groups of a workload; "" if none did."""
    step = grouping_of(workload)
    return Path(str(step.get("path"))).name if step.get("function") == "by_csv" else ""


def _ideal(workload: Workload, values: Floats) -> tuple[Floats, str]:
    """Return what no schedule can beat, (m,), and the rule of it in words, beside some schedules' values, (k, m)."""
    limits = bounds(workload)
    ideal = limits.together.copy()
    if values[:, 0].max() > limits.prompt_utilisation:
        return ideal, ANY_RULE
    ideal[0] = limits.prompt_utilisation
    return ideal, PROMPT_RULE


def measured_together(
    workload: Workload, front: Front | None, wish: WishLike | None
) -> tuple[Wish | None, Workload, Front | None]:
    """Return a wish, a workload and its front, of which the two last have the same measures: those of all three.

    The schedules of the front are made again if it lacks a measure, see `measured_front`.

    Raises
    ------
    InputError
        The front belongs to another workload; or as for `measuring` and `measured_front`.
    """
    if front is not None and front.digest != workload.digest:
        raise foreign(front, [workload])
    if front is not None:  # its measures are in its first columns
        workload = with_measures(as_measured(workload, front.measured), workload.measured.names)
    if wish is not None:
        wish, workload = measuring(wish, workload)
        _check_known(wish, workload)
    return wish, workload, None if front is None else measured_front(front, workload)


def trained_for(policies: Sequence[Policy], workloads: Sequence[Workload]) -> dict[Wish, str]:
    """Return the wishes in the provenance of policies, each with the name of its first policy in a table.

    A provenance may hold any text, so invalid wishes are left out, and wishes with objectives that a workload lacks.
    """
    policy_of: dict[Wish, str] = {}
    names = _row_names([Plain("easy").name, *(policy.name for policy in policies)])[1:]
    for policy, name in zip(policies, names, strict=True):
        with suppress(InputError):
            if policy.groups and any(policy.groups != workload.groups for workload in workloads):
                continue  # AWRT1 is another group there
            wish = from_json(policy.provenance.get("wish"))
            for workload in workloads:
                _check_known(*measuring(wish, workload))
            policy_of.setdefault(wish, name)
    return policy_of


def _check_known(wish: Wish, workload: Workload) -> None:
    """Raise InputError if a wish uses an objective that a workload does not have."""
    names = [o.name for o in objective_table(workload)]
    others = [name for name in wish.names if name not in names]
    if others:
        only = ", ".join(names)
        raise InputError(f"the wish {choice.wish_text(wish)} uses {others[0]}, but {workload.name} has only {only}")


def _could_run(schedule: Schedule) -> bool:
    """Return whether a schedule keeps the rules, such as the capacity of the machine, as far as it says it."""
    if schedule.workload.machine is not None and schedule.placement is None:
        return True  # a history that does not say on which nodes jobs ran
    with suppress(InputError):
        schedule.check()
        return True
    return False


def _count(counts: NDArray[np.int64] | None, q: int) -> int | None:
    """Return the count of a policy, None if it is undefined."""
    return None if counts is None or counts[q] < 0 else int(counts[q])


def _with_easy(policies: Sequence[Policy]) -> list[Policy]:
    """Return policies with EASY first, and every rule without parameters only once."""
    by_rule: dict[str, Policy] = {"easy": Plain("easy")}
    for number, policy in enumerate(policies):
        by_rule[policy.rule if policy.rule in PLAIN_RULES else f"{policy.rule} {number}"] = policy
    return list(by_rule.values())


def _row_names(policies: Sequence[str]) -> tuple[str, ...]:
    """Return names of policies that differ from each other and from the names of the other rows."""
    own_names = (BEST, IDEAL, ONLINE, NEAREST, NEAREST_ONLINE)
    return distinct([*own_names, *policies])[len(own_names) :]

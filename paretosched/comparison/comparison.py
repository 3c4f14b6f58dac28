"""How policies stand against EASY and against a front of schedules, on one workload or on several.

**The wish.** With a wish of the owner's (see `choice`) every policy has the value of its goal, and how far it exceeds
limits. Its gain over EASY is (EASY - X) / EASY in per cent, for weighted sums that are positive for EASY: the value of
a point to come near to is a shortfall already, of which no share can be taken. Of the front the schedule counts that
comes nearest to the wish (`nearness.fitness`, so one within the limits, if there is any).

**The share of the way** from EASY to that schedule is (EASY - X) / (EASY - best) in per cent, for sums and points: 0
is as good as EASY, 100 as the best on the front; it is negative for what is worse than EASY, and above 100 for what
is better than the front. It is undefined (None) without a front or a goal, if EASY is at least as good as the
front, for what exceeds a limit, and for everything if EASY or the best on the front exceeds one: then the goal alone
does not say how far it is.

A wish that uses the response time of a group without jobs is undefined on that workload.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints
from ..core.errors import InputError, first_few
from ..core.notebook import html_table
from ..core.several import as_list
from ..core.tables import plain
from ..fronts.dominance import costs
from ..fronts.front import Front, online
from ..fronts.front_files import FrontLike, as_front
from ..policies.outcome import Searched
from ..policies.plain import PLAIN_RULES, Plain
from ..policies.policy import Policy, PolicyLike, as_policy
from ..policies.time_sharing import TimeSharing
from ..simulation.lower_bounds import bounds
from ..simulation.objective import Objective, objective_table, objectives
from ..simulation.schedule import Schedule
from ..simulation.service import OfClass, Waits, bins, by_class, use, waits
from ..simulation.simulator import simulate
from ..wishes import nearness
from ..wishes import wish as choice
from ..wishes import wish_files as choice_wish_files
from ..wishes.wish import Wish
from ..wishes.wish_files import WishLike, as_wish
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload
from .comparison_tables import (
    CONVENTION,
    EVERY_JOB,
    OF_CLASSES,
    SLOWDOWN,
    WAY,
    class_table,
    group_of,
    policy_table,
    searched_text,
    wait_table,
    wish_table,
)

if TYPE_CHECKING:
    import pandas as pd

BEST = "best on the front"
IDEAL = "ideal point"
ONLINE = "best online on the front"
NEAREST = "nearest to the objective"
NEAREST_ONLINE = "nearest online"
PROMPT_RULE = (
    "ideal point: no schedule can have a shorter AWRT, nor a higher UTIL if it starts with the first submission"
)
ANY_RULE = "ideal point: no schedule can have a shorter AWRT or a higher UTIL, whenever it starts"
OVERBOOKED = " (overbooked)"
_OF_POLICIES = ("waits", "utilisation_over_time", "classes", "searched")


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
        (m,), what no schedule can beat: `Bounds.together`; for UTIL `Bounds.prompt_utilisation`, unless a schedule
        shown starts later than the first submission and has more.
    ideal_rule
        That in words.
    dominated_by, dominates
        (q,), how many schedules of the front dominate the policy and how many it dominates; None without a front,
        -1 for a recorded schedule that overbooks the machine, which no schedule of the front may do.
    best
        (m,), the best value of each objective on the front, each reached by a schedule of its own; None without
        a front.
    best_online
        The same of the schedules that online policies made; None if these are all, or there is none.
    wish
        What the owner wants; None if that was not said.
    nearest, nearest_online
        (m,), the schedule of the front that comes nearest to the wish, and of those that online policies made; None
        without a wish, where it is undefined, and as `best` and `best_online`.
    waits
        How long jobs wait under each policy, q of them.
    edges
        (k + 1,) seconds of the trace, from the first submission to the last completion under any policy, see
        `service.bins`.
    used
        (q, k) processor seconds that are used between them.
    classes
        How jobs of each class and size fare under each policy, q times `service.by_class`.
    searched
        What group optimisation did, (q,); None for policies without it.
    shares_time
        Whether one of the policies is SCOJO-PECT: then the text has a table of the classes.
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
    nearest: Floats | None = None
    nearest_online: Floats | None = None
    waits: tuple[Waits, ...] = ()
    edges: Ints | None = None
    used: Ints | None = None
    classes: tuple[list[OfClass], ...] = ()
    searched: tuple[Searched | None, ...] = ()
    shares_time: bool = False

    def __repr__(self) -> str:
        return f"<Comparison on {self.workload_name}: {', '.join(self.policies)}>"

    def _repr_html_(self) -> str:
        heads = ["policy", *(f"{o.name} {o.unit}" for o in self.objectives)]
        lines = [[name, *values.tolist()] for name, values in self.marks.items()]
        return html_table(repr(self).strip("<>"), heads, lines)

    def frame(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame, one a policy: what `rows` has, tables and lists aside."""
        import pandas as pd

        rows = [{key: x for key, x in row.items() if key not in _OF_POLICIES} for row in self.rows()]
        return pd.DataFrame(rows).set_index("policy")

    @property
    def marks(self) -> dict[str, Floats]:
        """The policies and the ideal point as named points of a figure: name to objective vector, (m,)."""
        return dict(zip((*self.policies, IDEAL), (*self.values, self.ideal), strict=True))

    @property
    def busy(self) -> Floats:
        """(q, k) per cent of the machine in use between `edges`; (q, 0) if nothing was measured."""
        if self.edges is None or self.used is None:
            return np.empty((len(self.policies), 0))
        share: Floats = 100.0 * self.used / (self.capacity * np.diff(self.edges).astype(np.float64))
        return share

    def rows(self) -> list[dict[str, Any]]:
        """Return the policies, the best values on the front and the ideal point, as plain values; undefined is None.

        The keys are "policy", "workload", "digest"; the names of the objectives, in natural units; the same with
        "_vs_easy", per cent; "dominated_by" and "dominates"; with a wish "wish", in words, "objective", the value of
        its goal, "objective_vs_easy" and "share_of_way", per cent, see the module, and "exceeded", of its limits;
        "waits", a list with "group" (None for all), "jobs", "wait_mean_s", "wait_median_s", "wait_p95_s",
        "wait_worst_s" and the bounded slowdown's mean and median; and "utilisation_over_time", with "from_s",
        "bin_s", "until_s" and "percent"; "classes", the rows of `service.by_class`; and "searched", what group
        optimisation did.
        """
        rows = [
            self._row(name, self.values[q], self.improvement[q])
            | {
                "dominated_by": _count(self.dominated_by, q),
                "dominates": _count(self.dominates, q),
            }
            | self._reached(self.values[q])
            | {"waits": self._waited(q), "utilisation_over_time": self._over_time(q)}
            | {"classes": [row._asdict() for row in self.classes[q]] if self.classes else None}
            | {"searched": search._asdict() if self.searched and (search := self.searched[q]) else None}
            for q, name in enumerate(self.policies)
        ]
        for name, values, nearest in (
            (ONLINE, self.best_online, self.nearest_online),
            (BEST, self.best, self.nearest),
            (IDEAL, self.ideal, self.ideal),
        ):
            if values is not None:
                nothing = dict.fromkeys((*_OF_POLICIES, "dominated_by", "dominates"))
                reached = self._reached(nearest, bound=name == IDEAL)
                rows.append(self._row(name, values, improvement(values, self.values[0])) | reached | nothing)
        return rows

    def _row(self, policy: str, values: Floats, gain: Floats) -> dict[str, Any]:
        names = [o.name for o in self.objectives]
        measured = dict(zip(names, plain(values), strict=True))
        against = {f"{name}_vs_easy": x for name, x in zip(names, plain(gain), strict=True)}
        where = {"workload": self.workload_name, "digest": self.workload_digest}
        return {"policy": policy, **where, **measured, **against}

    def _reached(self, values: Floats | None, bound: bool = False) -> dict[str, Any]:
        """Return what objective values, (m,), are worth to the owner; a bound exceeds no limit."""
        if self.wish is None:
            return {}
        made = dict.fromkeys(("objective", "objective_vs_easy", "share_of_way", "exceeded"))
        made["wish"] = choice.wish_text(self.wish)
        if values is None or not _has(self.wish, self.objectives, self.values[0]):
            return made
        easy, own = self.values[:1], values[None]
        if not bound:
            made["exceeded"] = float(choice.violation(self.wish, own)[0])
        if not (self.wish.weights or self.wish.near):
            return made
        reference, goal = (float(choice.goal(self.wish, row)[0]) for row in (easy, own))
        made["objective"] = goal
        if self.wish.weights and reference > 0:
            made["objective_vs_easy"] = 100 * (reference - goal) / reference
        if self.nearest is not None:
            best = self.nearest[None]
            within = choice.violation(self.wish, np.vstack([easy, best] if bound else [easy, best, own])).max() == 0
            way = reference - float(choice.goal(self.wish, best)[0])
            if within and way > 0:
                made["share_of_way"] = 100 * (reference - goal) / way
        return made

    def _waited(self, q: int) -> list[dict[str, Any]] | None:
        if not self.waits:
            return None
        measured = self.waits[q]
        keys = ("wait_mean_s", "wait_median_s", "wait_p95_s", "wait_worst_s", f"{SLOWDOWN}_mean", f"{SLOWDOWN}_median")
        columns = dict(zip(("jobs", *keys), map(plain, measured), strict=True))
        names = [None, *(group_of(o) for o in self.objectives[2:])]
        return [{"group": name} | {key: columns[key][i] for key in columns} for i, name in enumerate(names)]

    def _over_time(self, q: int) -> dict[str, Any] | None:
        if self.edges is None:
            return None
        first, second, last = (int(self.edges[i]) for i in (0, 1, -1))
        return {"from_s": first, "bin_s": second - first, "until_s": last, "percent": plain(self.busy[q])}

    def text(self) -> str:
        """Return the rows as tables for a terminal, times in hours, with the gains over EASY below each policy."""
        rows = self.rows()
        of_policies = rows[: len(self.policies)]
        against_front = self.best is not None
        parts, notes = [policy_table(rows, self.objectives, against_front)], []
        if self.wish is not None:
            aim = bool(self.wish.weights or self.wish.near)
            parts.append(f"objective: {choice.wish_text(self.wish)}\n{wish_table(rows, self.wish, against_front)}")
            notes += [WAY] if against_front and aim else []
        if self.waits:
            parts.append(wait_table(of_policies, len(self.objectives) - 1))
            notes.append(EVERY_JOB)
        if self.shares_time:
            parts.append(class_table(self.classes, self.policies))
            parts += [
                f"{name}: {searched_text(search)}"
                for name, search in zip(self.policies, self.searched, strict=True)
                if search is not None
            ]
            notes.append(OF_CLASSES)
        if any(group_of(o) != str(i) for i, o in enumerate(self.objectives[2:], 1)):
            notes.append(", ".join(f"{o.name} is {o.label.removeprefix('AWRT of ')}" for o in self.objectives[2:]))
        notes += [f"vs EASY: {CONVENTION}", self.ideal_rule]
        return "\n\n".join([*parts, "\n".join(notes)])


def compare(
    workload: WorkloadLike,
    policies: PolicyLike | Sequence[PolicyLike],
    front: FrontLike | None = None,
    wish: WishLike | None = None,
) -> Comparison:
    """Simulate policies and set them against EASY, a front, and what the owner wants.

    Parameters
    ----------
    workload
        The jobs and the machine; or the path of a log or of a run directory.
    policies
        What `simulate` accepts, one or several. EASY is always simulated, as the reference, and comes first.
    front
        Schedules of the same workload; or the path of a run or front file.
    wish
        What the owner wants, see `wish`; or a wish in words, or the path of a wish file. The policies need not have
        been trained for it.

    Returns
    -------
    Comparison
        One schedule dominates another if it is at least as good in every objective and better in one. AWRT is left
        out of that, because as a fixed mean of the AWRT_i it never decides; so are groups without jobs.

    Raises
    ------
    InputError
        The front belongs to another workload, a policy does not fit this one, or the wish uses an objective that this
        one has not.

    Examples
    --------
    Job 2 is wide and waits for job 1; EASY lets job 3 pass it, FCFS does not. The 53 processor seconds respond
    after (30 x 10 + 20 x 14 + 3 x 3) / 53 s and (30 x 10 + 20 x 14 + 3 x 16) / 53 s.

    >>> from paretosched.workload.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> c = compare(w, ["fcfs"])
    >>> c.policies, [row["AWRT"] for row in c.rows()[:2]]
    (('EASY', 'FCFS'), [11.11320754716981, 11.849056603773585])
    >>> round(c.rows()[1]["AWRT_vs_easy"], 2), c.rows()[1]["waits"][0]["wait_worst_s"]
    (-6.62, 13.0)
    """
    workload = as_workload(workload)
    front = None if front is None else as_front(front)
    wish = None if wish is None else as_wish(wish, workload.groups)
    if front is not None and front.digest != workload.digest:
        raise _foreign(front, [workload])
    chosen = _with_easy([as_policy(policy) for policy in as_list(policies)])
    schedules = [simulate(workload, policy) for policy in chosen]
    feasible = np.array(
        [policy.rule != "recorded" or _could_run(s) for policy, s in zip(chosen, schedules, strict=True)]
    )
    values = np.array([objectives(schedule) for schedule in schedules])
    table_of_objectives = objective_table(workload.groups)
    if wish is not None:
        _check_known(wish, table_of_objectives, workload.name)
    limits = bounds(workload)
    ideal = limits.together.copy()
    shown = values if front is None else np.vstack([values, front.values])
    prompt = bool(shown[:, 0].max() <= limits.prompt_utilisation)
    if prompt:
        ideal[0] = limits.prompt_utilisation
    above = below = best = best_online = nearest = nearest_online = None
    if front is not None:
        own, theirs = np.split(costs(np.vstack([values, front.values]), table_of_objectives), [len(values)])
        above = np.array([np.count_nonzero(_dominate(theirs, row)) for row in own], dtype=np.int64)
        below = np.array([np.count_nonzero(_dominate(-theirs, -row)) for row in own], dtype=np.int64)
        above[~feasible] = below[~feasible] = -1
        sign = np.array([1.0 if o.maximise else -1.0 for o in table_of_objectives])
        best = _best(sign, front.values)
        nearest = _nearest(wish, table_of_objectives, front.values)
        made_online = online(front)
        if made_online.any() and not made_online.all():
            best_online = _best(sign, front.values[made_online])
            nearest_online = _nearest(wish, table_of_objectives, front.values[made_online])
    sharing = next((policy for policy in chosen if isinstance(policy, TimeSharing)), None)
    edges = bins(int(workload.submit[0]), max(int(schedule.finish.max()) for schedule in schedules))
    return Comparison(
        workload.name,
        workload.digest,
        len(workload),
        workload.capacity,
        table_of_objectives,
        _called([p.name if fits else p.name + OVERBOOKED for p, fits in zip(chosen, feasible, strict=True)]),
        values,
        improvement(values, values[0]),
        ideal,
        PROMPT_RULE if prompt else ANY_RULE,
        above,
        below,
        best,
        best_online,
        wish,
        nearest,
        nearest_online,
        tuple(waits(schedule) for schedule in schedules),
        edges,
        np.array([use(schedule, edges) for schedule in schedules]),
        tuple(by_class(schedule, sharing) for schedule in schedules),
        tuple(schedule.searched for schedule in schedules),
        sharing is not None,
    )


def assign(workloads: Sequence[Workload], fronts: Sequence[Front]) -> list[Front | None]:
    """Return for each workload the front that belongs to it: the one with its digest.

    Raises
    ------
    InputError
        A front belongs to none of the workloads, or two of them to one.
    """
    known: dict[str, Front] = {}
    for front in fronts:
        if front.digest not in [workload.digest for workload in workloads]:
            raise _foreign(front, workloads)
        if front.digest in known:
            raise InputError(
                f"front must be one for each workload, but there are two of {front.workload}; "
                "they can be merged: paretosched front RUN1 RUN2 -o FRONT"
            )
        known[front.digest] = front
    return [known.get(workload.digest) for workload in workloads]


def _foreign(front: Front, workloads: Sequence[Workload]) -> InputError:
    what = "the same workload" if len(workloads) == 1 else "one of the workloads"
    own = first_few((f"{w.name} ({w.digest[:12]})" for w in workloads), len(workloads))
    return InputError(
        f"front must be of {what}: jobs, capacity and groups, "
        f"but it is of {front.workload} ({front.digest[:12]}), not of {own}"
    )


def trained_for(policies: Sequence[Policy], workloads: Sequence[Workload]) -> dict[Wish, str]:
    """Return the wishes that policies say they were trained for, each with the first such policy, as a table names it.

    What is kept there is free: wishes that are none, or use objectives that a workload has not, are left out.
    """
    found: dict[Wish, str] = {}
    names = _called([Plain("easy").name, *(policy.name for policy in policies)])[1:]
    for policy, name in zip(policies, names, strict=True):
        with suppress(InputError):
            wish = choice_wish_files.from_json(policy.provenance.get("wish"))
            for workload in workloads:
                _check_known(wish, objective_table(workload.groups), workload.name)
            found.setdefault(wish, name)
    return found


def _check_known(wish: Wish, objectives: Sequence[Objective], workload: str) -> None:
    names = [o.name for o in objectives]
    unknown = [name for name in wish.names if name not in names]
    if unknown:
        raise InputError(
            f"the wish {choice.wish_text(wish)} uses {unknown[0]}, but {workload} has only {', '.join(names)}"
        )


def _nearest(wish: Wish | None, objectives: Sequence[Objective], values: Floats) -> Floats | None:
    if wish is None or not len(values) or not _has(wish, objectives, values[0]):
        return None
    row: Floats = values[int(np.argmin(nearness.fitness(wish, values)))]
    return row


def _has(wish: Wish, objectives: Sequence[Objective], values: Floats) -> bool:
    """Return whether everything a wish uses is defined: the groups have jobs."""
    return not any(np.isnan(value) for o, value in zip(objectives, values, strict=True) if o.name in wish.names)


def _best(sign: Floats, values: Floats) -> Floats:
    best: Floats = sign * (sign * values).max(axis=0, initial=-np.inf)
    best[~np.isfinite(best)] = np.nan
    return best


def improvement(values: Floats, easy: Floats) -> Floats:
    """Return (EASY - X) / EASY in per cent, the papers' convention: for UTIL positive is worse.

    Examples
    --------
    >>> improvement(np.array([66.0, 45.0]), np.array([60.0, 50.0])).tolist()
    [-10.0, 10.0]
    """
    gain: Floats = 100.0 * (easy - values) / easy
    return gain


def _could_run(schedule: Schedule) -> bool:
    try:
        schedule.check()
    except InputError:
        return False
    return True


def _count(counts: NDArray[np.int64] | None, q: int) -> int | None:
    return None if counts is None or counts[q] < 0 else int(counts[q])


def _dominate(costs: Floats, row: Floats) -> NDArray[np.bool_]:
    return np.logical_and((costs <= row).all(axis=1), (costs < row).any(axis=1))


def _with_easy(policies: Sequence[Policy]) -> list[Policy]:
    """Return EASY first and every rule without parameters once, however often it was asked for."""
    chosen: dict[str, Policy] = {"easy": Plain("easy")}
    for number, policy in enumerate(policies):
        chosen[policy.rule if policy.rule in PLAIN_RULES else f"{policy.rule} {number}"] = policy
    return list(chosen.values())


def _called(policies: Sequence[str]) -> tuple[str, ...]:
    """Return names that differ from each other and from what stands beside them, whatever a file calls a policy."""
    reserved = (BEST, IDEAL, ONLINE, NEAREST, NEAREST_ONLINE)
    return distinct([*reserved, *policies])[len(reserved) :]


def distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Return names with a number where they are repeated, so that every row and every mark can be told apart."""
    seen: list[str] = []
    for name in names:
        free = (f"{name} ({k})" if k > 1 else name for k in range(1, len(names) + 1))
        seen.append(next(candidate for candidate in free if candidate not in seen))
    return tuple(seen)

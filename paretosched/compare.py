"""How policies stand against EASY and against a front of schedules, on one workload."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .bounds import bounds
from .errors import InputError
from .front import Front, costs, online
from .objectives import Objective, objective_table, objectives
from .policy import Policy, as_policy
from .schedule import Schedule
from .simulate import simulate
from .tables import Column, plain, table
from .workload import Workload

Floats = NDArray[np.float64]
BEST = "best on the front"
IDEAL = "ideal point"
ONLINE = "best online on the front"
PROMPT_RULE = (
    "ideal point: no schedule can have a shorter AWRT, nor a higher UTIL if it starts with the first submission"
)
ANY_RULE = "ideal point: no schedule can have a shorter AWRT or a higher UTIL, whenever it starts"
OVERBOOKED = " (overbooked)"
CONVENTION = "(EASY - X) / EASY; positive is better for response times and worse for UTIL"


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

    @property
    def marks(self) -> dict[str, Floats]:
        """The policies and the ideal point as named points of a figure: name to objective vector, (m,)."""
        return dict(zip((*self.policies, IDEAL), (*self.values, self.ideal), strict=True))

    def rows(self) -> list[dict[str, Any]]:
        """List the policies, the best values on the front and the ideal point, as plain values; undefined is None.

        The keys are "policy"; the names of the objectives, in natural units; the same with "_vs_easy", per cent;
        "dominated_by" and "dominates".
        """
        rows = [
            self._row(name, self.values[q], self.improvement[q])
            | {
                "dominated_by": _count(self.dominated_by, q),
                "dominates": _count(self.dominates, q),
            }
            for q, name in enumerate(self.policies)
        ]
        for name, values in ((ONLINE, self.best_online), (BEST, self.best), (IDEAL, self.ideal)):
            if values is not None:
                gain = improvement(values, self.values[0])
                rows.append(self._row(name, values, gain) | {"dominated_by": None, "dominates": None})
        return rows

    def _row(self, policy: str, values: Floats, gain: Floats) -> dict[str, Any]:
        names = [o.name for o in self.objectives]
        measured = dict(zip(names, plain(values), strict=True))
        against = {f"{name}_vs_easy": x for name, x in zip(names, plain(gain), strict=True)}
        return {"policy": policy, **measured, **against}

    def text(self) -> str:
        """Write the rows as a table for a terminal, times in hours, with the gains over EASY below each policy."""
        lines: list[dict[str, Any]] = []
        for row in self.rows():
            hours = {o.name: row[o.name] / 3600 for o in self.objectives if o.unit == "s" and row[o.name] is not None}
            lines.append(row | hours)
            if len(lines) > 1:  # the first row is EASY itself
                gains = {o.name: row[f"{o.name}_vs_easy"] for o in self.objectives}
                shown = {name: "-" if gain is None else signed(gain) for name, gain in gains.items()}
                lines.append({"policy": "  vs EASY", "dominated_by": "", "dominates": "", **shown})
        columns = [Column("policy", "policy"), *map(in_hours, self.objectives)]
        if self.best is not None:
            columns += [Column("dominated_by", "dominated by", ",d"), Column("dominates", "dominates", ",d")]
        return f"{table(lines, columns)}\nvs EASY: {CONVENTION}\n{self.ideal_rule}"


def compare(
    workload: Workload, policies: Sequence[str | os.PathLike[str] | Policy], front: Front | None = None
) -> Comparison:
    """Simulate policies and set them against EASY and a front.

    Parameters
    ----------
    workload
        The jobs and the machine.
    policies
        What `simulate` accepts. EASY is always simulated, as the reference, and comes first.
    front
        Schedules of the same workload.

    Returns
    -------
    Comparison
        One schedule dominates another if it is at least as good in every objective and better in one. AWRT is left
        out of that, because as a fixed mean of the AWRT_i it never decides; so are groups without jobs.

    Raises
    ------
    InputError
        The front belongs to another workload, or a policy does not fit this one.

    Examples
    --------
    Job 2 is wide and waits for job 1; EASY lets job 3 pass it, FCFS does not. The 53 processor seconds respond
    after (30 x 10 + 20 x 14 + 3 x 3) / 53 s and (30 x 10 + 20 x 14 + 3 x 16) / 53 s.

    >>> from paretosched.workload import Workload
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> c = compare(w, ["fcfs"])
    >>> c.policies, [row["AWRT"] for row in c.rows()[:2]]
    (('EASY', 'FCFS'), [11.11320754716981, 11.849056603773585])
    >>> round(c.rows()[1]["AWRT_vs_easy"], 2)
    -6.62
    """
    if front is not None and front.digest != workload.digest:
        raise InputError(
            "front must be of the same workload: jobs, capacity and groups, "
            f"but it is of {front.workload} ({front.digest[:12]}), "
            f"not of {workload.name} ({workload.digest[:12]})"
        )
    chosen = _with_easy([as_policy(policy) for policy in policies])
    schedules = [simulate(workload, policy) for policy in chosen]
    feasible = np.array(
        [policy.rule != "recorded" or _could_run(s) for policy, s in zip(chosen, schedules, strict=True)]
    )
    values = np.array([objectives(schedule) for schedule in schedules])
    table_of_objectives = objective_table(workload.groups)
    limits = bounds(workload)
    ideal = limits.together.copy()
    shown = values if front is None else np.vstack([values, front.values])
    prompt = bool(shown[:, 0].max() <= limits.prompt_utilisation)
    if prompt:
        ideal[0] = limits.prompt_utilisation
    above = below = best = best_online = None
    if front is not None:
        own, theirs = np.split(costs(np.vstack([values, front.values]), table_of_objectives), [len(values)])
        above = np.array([np.count_nonzero(_dominate(theirs, row)) for row in own], dtype=np.int64)
        below = np.array([np.count_nonzero(_dominate(-theirs, -row)) for row in own], dtype=np.int64)
        above[~feasible] = below[~feasible] = -1
        sign = np.array([1.0 if o.maximise else -1.0 for o in table_of_objectives])
        best = _best(sign, front.values)
        made_online = online(front)
        if made_online.any() and not made_online.all():
            best_online = _best(sign, front.values[made_online])
    return Comparison(
        workload.name,
        workload.digest,
        len(workload),
        workload.capacity,
        table_of_objectives,
        _distinct([p.name if fits else p.name + OVERBOOKED for p, fits in zip(chosen, feasible, strict=True)]),
        values,
        improvement(values, values[0]),
        ideal,
        PROMPT_RULE if prompt else ANY_RULE,
        above,
        below,
        best,
        best_online,
    )


def _best(sign: Floats, values: Floats) -> Floats:
    best: Floats = sign * (sign * values).max(axis=0, initial=-np.inf)
    best[~np.isfinite(best)] = np.nan
    return best


def improvement(values: Floats, easy: Floats) -> Floats:
    """Give (EASY - X) / EASY in per cent, the papers' convention: for UTIL positive is worse.

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
    """Put EASY first and every rule without parameters once, however often it was asked for."""
    chosen = {"easy": Policy("easy")}
    for number, policy in enumerate(policies):
        chosen[f"greedy {number}" if policy.rule == "greedy" else policy.rule] = policy
    return list(chosen.values())


def _distinct(names: Sequence[str]) -> tuple[str, ...]:
    """Add a number to repeated names, so that every row and every mark can be told apart."""
    seen: list[str] = []
    for name in names:
        free = (f"{name} ({k})" if k > 1 else name for k in range(1, len(names) + 1))
        seen.append(next(candidate for candidate in free if candidate not in seen))
    return tuple(seen)


def signed(gain: float) -> str:
    """Write per cent with their sign.

    Examples
    --------
    >>> signed(4.56), signed(-0.01)
    ('+4.6 %', '0.0 %')
    """
    rounded = round(gain, 1) + 0.0  # no minus before a zero
    return f"{rounded:{'+' if rounded else ''}.1f} %"


def in_hours(objective: Objective) -> Column:
    """Give the column of an objective in a table for people: response times in hours."""
    return Column(objective.name, f"{objective.name} {'h' if objective.unit == 's' else objective.unit}", ",.2f")

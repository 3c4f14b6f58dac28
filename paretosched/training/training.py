"""The task and the result of a training, on one workload or several: common to all trainings."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from os import PathLike
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from ..comparison.comparison_tables import with_sign
from ..comparison.intervals import FEW_WEEKS, LEAST_WEEKS, PERCENT, interval_text, intervals, week_sums
from ..core.arrays import Floats
from ..core.errors import number_of
from ..core.notebook import html_table
from ..core.tables import Column, amount, plain, table
from ..encodings.encoding import Encoding
from ..policies.greedy_order import Greedy
from ..policies.guarded import Guarded, guarded_text
from ..policies.plain import Plain
from ..policies.policy import Policy, group_names
from ..search.evaluation import Compute, simulations
from ..search.resuming import Effort, Record, advance
from ..search.runs import FINISHED, INTERRUPTED, RUNNING, open_run
from ..simulation.objective import (
    Objective,
    convention,
    group_of,
    groups_in_words,
    improvement,
    in_hours,
    is_of_group,
    objective_count,
    objective_table,
)
from ..simulation.simulator import simulate
from ..wishes import wish as choice
from ..wishes.best_possible import best_possible, distance_row
from ..wishes.relative_limits import today_values
from ..wishes.wish import Wish, spelled_out
from ..wishes.wish_files import to_json
from ..workload.group_rules import ListedGroups, comes_from_consumption
from ..workload.time_split import MOST_WEEKS, weeks_of
from ..workload.user_groups import rule_of
from ..workload.workload import Workload
from .guarded_reference import guarded_of
from .margins import KEPT
from .task import RATIO, SUM, Task, groups_in_goal

LEARNT = "all of this is of the jobs learnt from; --train-until 0.7 (until=0.7) keeps those of the last part for a test"
ROUNDING = 1e-9  # of a goal; sums over the jobs differ by less
SITUATIONS_OF_CRITERIA = "criteria: of weekend/day/night, where they differ; > is the best"


class Progress(NamedTuple):
    """How far a training is, after a generation.

    Attributes
    ----------
    evaluations, total
        Genomes done, with those from the stored run, and wanted.
    replayed
        Genomes from the stored run, which were not simulated again.
    objective, easy
        The objective of the best policy so far, and that of EASY.
    seconds
        CPU seconds of all simulations.
    elapsed
        Seconds since this training was started or continued.
    exceeded
        By how much the best policy so far exceeds the limits, see `wish.violation`.
    over
        "sum", or "ratio": objectives are shares of EASY's.
    stage
        In words, which of several trainings this is; "" of one alone.
    """

    evaluations: int
    total: int
    replayed: int
    objective: float
    easy: float
    seconds: float
    elapsed: float
    exceeded: float
    over: str = SUM
    stage: str = ""


class System(NamedTuple):
    """A trained policy, or EASY, and what it reaches.

    Attributes
    ----------
    policy
        The policy.
    values
        (W, m) objective values on the training workloads, natural units.
    objective, exceeded
        The goal of the wish on them, over all workloads, and the violation of its limits.
    rest
        (W, m) objective values on the test workloads, natural units; None without a test.
    rest_objective, rest_exceeded
        Goal and violation on the test workloads, without groups that have no jobs there; NaN without a test, and the
        goal also if it has no other groups.
    log_objective, log_exceeded
        Goal and violation on the training workloads themselves, without those that are resampled from them.
    """

    policy: Policy
    values: Floats
    objective: float
    exceeded: float
    rest: Floats | None
    rest_objective: float
    rest_exceeded: float
    log_objective: float
    log_exceeded: float


@dataclass(frozen=True, eq=False)
class Training:
    """The result of a training, of whatever kind its policies are.

    Parameters
    ----------
    wish
        The wish that the policies were trained for.
    over
        "sum" or "ratio": how the goals of the workloads become one objective.
    workloads, rest
        Names of the training workloads, (W,), and of the test workloads, (W,) or none.
    objectives
        The objectives, (m,).
    easy
        The reference.
    systems
        The policies. Of Greedy, the best one of every combination of criteria, first those with one criterion.
    best
        The index of the best one.
    evaluations
        Genomes simulated, with those from the stored run.
    seconds, elapsed
        CPU seconds of the simulations; seconds of the whole training.
    resampled
        How many workloads were resampled from each training workload. The systems' `objective` and `exceeded` are over
        these, too; their `values` are those on the training workloads themselves.
    margin
        The distance to the limits while the policies learnt, per cent.
    margins
        With a margin that was chosen: the candidates and how they did, see `validation.Candidate`.
    distances
        How far the best policy is from what no schedule can beat, on each training workload and on each rest:
        "workload", and the keys of `best_possible.distance_row`.
    gains
        In which interval the gain of the best policy over EASY lies, on the same workloads, see `gain_intervals`.
    newcomers
        With groups by consumption, how many jobs of each rest are of users who were not among those learnt from, (W,);
        they are in the last group. None otherwise.
    guarded
        The untrained guarded order of the wish, and what it reaches; None if it has none, see `guarded_of`.
    windows
        How many parts of equal time of each training workload were learnt from beside it, as those that are resampled.
    keeps_margin
        Whether the best policy keeps the margin on what it learnt from.
    classes
        With `train_best`, what was tried of each class, see `class_choice.rows_of`.
    today, today_rest
        (m,) what is recorded, on each training workload and on each rest; None where the log does not say it.
    """

    wish: Wish
    over: str
    workloads: tuple[str, ...]
    rest: tuple[str, ...]
    objectives: tuple[Objective, ...]
    easy: System
    systems: tuple[System, ...]
    best: int
    evaluations: int
    seconds: float
    elapsed: float
    resampled: int = 0
    margin: float = 0.0
    margins: tuple[dict[str, float], ...] = ()
    distances: tuple[dict[str, Any], ...] = ()
    gains: tuple[dict[str, Any], ...] = ()
    newcomers: tuple[int, ...] | None = None
    guarded: System | None = None
    windows: int = 0
    keeps_margin: bool = True
    classes: tuple[dict[str, Any], ...] = ()
    today: tuple[Floats | None, ...] = ()
    today_rest: tuple[Floats | None, ...] = ()

    def __repr__(self) -> str:
        tried = number_of(self.evaluations, "policy")
        return f"<Training for {choice.wish_text(self.wish)}: {self.policy.name}, {tried} tried>"

    def _repr_html_(self) -> str:
        rows = [[row["system"], row["objective"], row["vs_easy"], row["exceeded"]] for row in self.rows()]
        return html_table(repr(self).strip("<>"), ("system", "objective", "vs EASY %", "limits exceeded"), rows)

    @property
    def policy(self) -> Policy:
        """The best policy, with its provenance."""
        return self.systems[self.best].policy

    @property
    def varies_criteria(self) -> bool:
        """Whether the systems are Greedy policies, which differ in their criteria, and not others."""
        return isinstance(self.policy, Greedy)

    def rows(self) -> list[dict[str, Any]]:
        """Return EASY, all systems, and the guarded order of the wish if it has one, as plain values.

        The keys are "system" (criteria of weekend, day and night, if they differ); "objective"; "exceeded", by how much
        limits are exceeded; "vs_easy", the objective's gain over EASY in per cent, None unless the wish is a sum;
        "best"; "workloads", the objectives of each; and with a test "rest_objective", "rest_exceeded", "rest_vs_easy"
        and "rest".
        """
        rows = []
        beside = () if self.guarded is None else (self.guarded,)
        for number, system in enumerate((self.easy, *self.systems, *beside)):
            label = _label(system.policy) if self.varies_criteria else system.policy.name
            row: dict[str, Any] = {
                "system": label + (", untrained" if system is self.guarded else ""),
                "best": number == self.best + 1,
                "objective": system.objective,
                "exceeded": system.exceeded,
                "vs_easy": choice.gain(self.wish, self.easy.objective, system.objective),
                "workloads": self._by_workload(self.workloads, system.values, self.easy.values, self.today),
            }
            if self.rest and system.rest is not None and self.easy.rest is not None:
                row |= {
                    "rest_objective": system.rest_objective,
                    "rest_exceeded": system.rest_exceeded,
                    "rest_vs_easy": choice.gain(self.wish, self.easy.rest_objective, system.rest_objective),
                    "rest": self._by_workload(self.rest, system.rest, self.easy.rest, self.today_rest),
                }
            rows.append(row)
        return rows

    def shortfalls(self) -> list[str]:
        """Return in words where the policy is worse than EASY or outside the limits; nothing if it is so nowhere.

        A difference that rounding can make is none. Any larger one counts, and is said: whether it matters depends on
        the jobs, of which one that starts an hour later may change an objective by a millionth.
        """
        policy, easy = self.systems[self.best], self.easy
        parts = {"the training data": [(x.exceeded, x.objective) for x in (policy, easy)]}
        if self.resampled or self.windows:
            log = "the log itself" if len(self.workloads) == 1 else "the logs themselves"
            parts[log] = [(x.log_exceeded, x.log_objective) for x in (policy, easy)]
        if self.rest:
            parts["the rest"] = [(x.rest_exceeded, x.rest_objective) for x in (policy, easy)]
        words = []
        for data, (reached, of_easy) in parts.items():
            if reached[0] >= of_easy[0] and reached[1] - of_easy[1] > ROUNDING * abs(of_easy[1]):
                gain = choice.gain(self.wish, of_easy[1], reached[1])  # to keep limits that EASY exceeds may cost more
                words.append(f"worse than EASY on {data}" + ("" if gain is None else f", by {amount(-gain)} %"))
            if reached[0] > 0:
                words.append(f"outside the limits on {data}, by {amount(100 * reached[0])} % in all")
        return words

    def favoured_newcomers(self) -> str:
        """Return the group of users and accounts that the log does not have, if the wish is for this group; else ""."""
        rule = self.policy.grouping
        groups = self.policy.groups
        aims = groups_in_goal(self.wish, groups)
        alike = len(aims) in (0, len(groups))
        return rule.newcomers if isinstance(rule, ListedGroups) and rule.newcomers in aims and not alike else ""

    def groups_left_out(self) -> list[tuple[str, list[str]]]:
        """Return the test workloads without jobs of groups that the wish names or limits, each with these groups."""
        if self.easy.rest is None:
            return []
        having_jobs = [o.name for k, o in enumerate(self.objectives) if not np.isnan(self.easy.values[:, k]).all()]
        of_wish = {*self.wish.aims, *(limit.objective for limit in spelled_out(self.wish, having_jobs).limits)}
        named = [k for k, o in enumerate(self.objectives) if o.name in of_wish]
        lacking = [[group_of(self.objectives[k]) for k in named if np.isnan(row[k])] for row in self.easy.rest]
        return [(name, groups) for name, groups in zip(self.rest, lacking, strict=True) if groups]

    def _by_workload(
        self, names: Sequence[str], values: Floats, easy: Floats, today: Sequence[Floats | None]
    ) -> list[dict[str, Any]]:
        """Return objectives and gains on each workload, from values of a policy and of EASY, (W, m), and the record."""
        labels = [o.name for o in self.objectives]
        rows = []
        for i, (name, recorded) in enumerate(zip(names, today or [None] * len(names), strict=True)):
            goal = _goal_with_jobs(self.wish, values[i])
            row: dict[str, Any] = {"workload": name, "objective": goal} | dict(
                zip(labels, values[i].tolist(), strict=True)
            )
            for key, reference in (("easy", easy[i]), ("today", recorded)):
                if reference is not None:
                    gains = improvement(values[i], reference).tolist()
                    row[f"vs_{key}"] = choice.gain(self.wish, _goal_with_jobs(self.wish, reference), goal)
                    row |= {f"{label}_vs_{key}": x for label, x in zip(labels, gains, strict=True)}
            rows.append(row)
        return rows

    def text(self) -> str:
        """Return two tables for a terminal: all systems, and the objectives of EASY and of the best system."""
        rows = self.rows()
        natural = ",.1f" if self.wish.weights else ".4f"
        spec = ".4f" if self.over == RATIO else natural
        columns = [Column("system", "system")]
        for part in ("", "rest_") if self.rest else ("",):
            where = "rest: " if part else ""
            if self.wish.aims:
                columns.append(Column(f"{part}objective", f"{where}objective", spec))
            if self.wish.weights:
                columns.append(Column(f"{part}vs_easy", f"{where}vs EASY", ".1f"))
            if self.wish.limits:
                columns.append(Column(f"{part}exceeded", f"{where}limits exceeded by %", ",.2f"))
        lines_of_systems = []
        for row in rows:
            gains = {key: with_sign(row[key]) for key in ("vs_easy", "rest_vs_easy") if row.get(key) is not None}
            shares = {key: 100 * row[key] for key in ("exceeded", "rest_exceeded") if key in row}
            lines_of_systems.append(row | gains | shares | {"system": ("> " if row["best"] else "  ") + row["system"]})
        easy, best = rows[0], rows[self.best + 1]
        lines = []
        for key, today in (("workloads", self.today), ("rest", self.today_rest))[: 1 + bool(self.rest)]:
            for i, (before, after) in enumerate(zip(easy[key], best[key], strict=True)):
                name, recorded = before["workload"], today[i] if today else None
                if recorded is not None:
                    row = dict(zip((o.name for o in self.objectives), recorded.tolist(), strict=True))
                    goal = _goal_with_jobs(self.wish, recorded)
                    lines.append(self._line(f"{name}: recorded", {"objective": goal} | row))
                lines.append(self._line("  EASY" if recorded is not None else f"{name}: EASY", before))
                lines.append(self._line(f"  {best['system']}", after))
                for over in ("today", "easy")[recorded is None :]:
                    change = {o.name: after[f"{o.name}_vs_{over}"] for o in self.objectives}
                    change["objective"] = after[f"vs_{over}"]
                    gains = {key: with_sign(x) for key, x in change.items() if x is not None and not np.isnan(x)}
                    lines.append({"on": f"  vs {'EASY' if over == 'easy' else 'recorded'}"} | gains)
        aim = [Column("objective", "objective", natural)] if self.wish.aims else []
        objectives = table(lines, [Column("on", "on"), *aim, *map(in_hours, self.objectives)])
        notes = [SITUATIONS_OF_CRITERIA] if len(self.systems) > 1 and self.varies_criteria else []
        if self.guarded is not None and isinstance(self.guarded.policy, Guarded):
            notes.append(f"untrained, for --policy: {guarded_text(self.guarded.policy)}")
        if self.resampled or self.windows:
            each = "the log" if len(self.workloads) == 1 else "each log"
            kinds = [f"{self.windows} parts of it"] * bool(self.windows)
            kinds += [f"{self.resampled} workloads resampled from it"] * bool(self.resampled)
            where = "the worst tenth" if self.resampled else "the worst"
            notes.append(
                f"over {each} and {' and '.join(kinds)}: the mean objective, and the limits on {where}; below and on "
                "the rest: the logs themselves"
            )
        if self.margin or self.margins:
            kept = [100 * row["kept"] for row in self.margins if row["margin"] == self.margin]
            chosen = f", which kept them on {kept[0]:.0f} % of the workloads of the validation" if kept else ""
            if kept and kept[0] < 100 * KEPT:
                chosen += f"; no distance kept them on {100 * KEPT:.0f} %"
            missed = "" if self.keeps_margin else "; this policy does not keep it"
            notes.append(f"learnt with {self.margin:g} % distance to the limits{chosen}{missed}")
        if self.newcomers is not None:
            words = ", ".join(
                f"{count:,} jobs of {name}" for count, name in zip(self.newcomers, self.rest, strict=True)
            )
            last = self.objectives[-1]
            notes.append(
                f"groups by consumption: those of the jobs learnt from; {words} are of users who appear only there, "
                f"and count in {last.name}"
            )
        of_systems = [table(lines_of_systems, columns), *notes]
        distances = [f"{row['workload']}: {row['distance']}" for row in self.distances if row["distance"]]
        certain = [
            f"{row['workload']}: {PERCENT} % interval of the gain {interval_text(row['interval'], '+.1f')} %, by a "
            f"block bootstrap over its {row['weeks']} weeks{', rough as they are few' * (row['weeks'] < FEW_WEEKS)}"
            for row in self.gains
            if row["interval"] is not None
        ]
        legend = [
            f"vs EASY: {convention(self.objectives)}",
            *groups_in_words([group_of(o) for o in self.objectives if is_of_group(o.name)]),
        ]
        return "\n".join([*of_systems, "", objectives, *legend, *distances, *certain, *([] if self.rest else [LEARNT])])

    def _line(self, name: str, row: dict[str, Any]) -> dict[str, Any]:
        """Return a line of the table of objectives, response times in hours."""
        values = {"on": name, "objective": row["objective"]}
        return values | {o.name: row[o.name] / (3600 if o.unit == "s" else 1) for o in self.objectives}


def system_of(policy: Policy, task: Task, test: Task | None, values: Floats) -> System:
    """Return a policy with what it reaches; its values, (W m,), are known, and the test is simulated here."""
    goals, violations = task.measure(values[None])
    of_logs = values.reshape(len(task.workloads), -1)[:: task.samples]
    by_workload = of_logs, float(goals[0]), float(violations[0])
    log_goals, log_violations = task.measure_logs(values[None])
    itself = float(log_goals[0]), float(log_violations[0])
    if test is None:
        return System(policy, *by_workload, None, float("nan"), float("nan"), *itself)
    rest = test.values_of(policy)
    goals, violations = test.measure(rest[None])
    of_rest = rest.reshape(len(test.workloads), -1), float(goals[0]), float(violations[0])
    return System(policy, *by_workload, *of_rest, *itself)


def carry_out(
    task_name: str,
    task: Task,
    settings: Mapping[str, Any],
    course: Callable[[], Generator[Floats, Floats, None]],
    encoding: Encoding,
    *,
    evaluations: int,
    software: Mapping[str, str],
    compute: Compute,
    run_directory: str | PathLike[str] | None,
    costs: Callable[[Floats], Floats] | None = None,
) -> Record:
    """Carry out a training in a run directory, which is new or continued.

    Parameters
    ----------
    task_name
        The name of the task in the parameters of the run.
    task, settings
        What to train for, and what else determines the result, as plain JSON values.
    course
        Starts the search.
    encoding
        What genomes mean.
    evaluations
        Number of evaluations of the whole search.
    software
        Versions, by package.
    compute
        Where it computes, and who is told.
    run_directory
        As for `train`.
    costs
        What the search is sent for objective values, (k, W m); by default the task's fitness.
    """
    groups = task.workloads[0].groups
    parameters = {
        "task": task_name,
        "wish": to_json(task.wish),
        "workloads": [w.digest for w in task.whole],
        "resampled": [w.digest for w in task.workloads if w not in task.logs] or None,
    }
    about: dict[str, Any] = {"workloads": [w.name for w in task.whole], "groups": list(groups)}
    if all(w.source for w in task.whole):
        about["sources"] = [list(w.source) for w in task.whole]
    with ExitStack() as stack:
        directory = stack.enter_context(TemporaryDirectory()) if run_directory is None else run_directory
        run = stack.enter_context(open_run(directory, parameters | dict(settings), evaluations))
        shape = len(encoding.gene_labels(len(groups))), len(task.workloads) * objective_count(task.workloads[0])
        record = Record(run, shape, evaluations, about, software)
        reporter = _Reporter(record, task, encoding, compute.progress)
        try:
            record.write(RUNNING)
            if len(record.stored_rows) < evaluations:
                with simulations(task.workloads, encoding, compute) as there:
                    for _ in advance(course(), record, there, costs or task.fitness):
                        reporter.report()
            else:
                record.take_stored()
                reporter.report()
        except BaseException:
            record.take_stored()
            record.write(INTERRUPTED)
            raise
        record.write(FINISHED)
    return record


def training_of(
    task: Task,
    test: Task | None,
    record: Record | Effort,
    policies: Sequence[tuple[Policy, Floats]],
    settings: Mapping[str, Any],
    margins: Sequence[NamedTuple] = (),
    best: int | None = None,
) -> Training:
    """Return a training from its policies, each with its values, (W m,); a policy without provenance gets one.

    `margins` are those considered; `best` is the number of the best policy, if not that of the smallest fitness.
    """
    rows = tuple(row._asdict() for row in margins)
    windows = settings.get("windows") or 0
    provenance = {
        "wish": to_json(task.wish),
        "words": choice.wish_text(task.wish),
        "workloads": [{"name": w.name, "digest": w.digest, "jobs": len(w), "capacity": w.capacity} for w in task.logs],
        **settings,
        **({"margin": task.margin, "margins": list(rows)} if rows else {}),
        "evaluations": record.count,
        "versions": record.about["versions"],
    }
    systems: list[System] = []
    for policy, values in policies:
        system = system_of(_with_grouping(policy, task.whole), task, test, values)
        if not policy.provenance:
            reached: dict[str, Any] = {
                "objective": system.objective,
                "exceeded": system.exceeded,
                "easy": float(task.easy[0][0]),
            }
            if test is not None and not np.isnan(system.rest_objective):
                of_rest = system.rest_objective, system.rest_exceeded, float(test.easy[0][0])
                reached["rest"] = dict(zip(reached, of_rest, strict=True))
            system = system._replace(policy=replace(system.policy, provenance={**provenance, **reached}))
        systems.append(system)
    guarded = guarded_of(task)
    if best is None:
        best = int(task.places(np.array([values for _, values in policies])).argmin())
    return Training(
        task.wish,
        task.over,
        tuple(w.name for w in task.logs),
        tuple(w.name for w in test.workloads) if test else (),
        objective_table(task.workloads[0]),
        system_of(Plain("easy"), task, test, task.easy_values),
        tuple(systems),
        best,
        record.count,
        record.seconds,
        record.wall_seconds,
        task.samples - 1 - windows,
        task.margin,
        rows,
        tuple(distances(task, test, systems[best])),
        tuple(gain_intervals(task, test, systems[best].policy)),
        _newcomers(task, test),
        None if guarded is None else system_of(guarded, task, test, task.values_of(guarded)),
        windows,
        bool(task.measure(policies[best][1][None], task.margin)[1][0] <= 0),
        today=tuple(map(today_values, task.logs)),
        today_rest=() if test is None else tuple(map(today_values, test.workloads)),
    )


def _newcomers(task: Task, test: Task | None) -> tuple[int, ...] | None:
    """Return how many jobs of each rest are of users who were not there before, see `Training`."""
    if test is None or not any(map(comes_from_consumption, task.logs)):
        return None
    pairs = zip(test.workloads, task.logs, strict=True)
    return tuple(int(np.count_nonzero(~np.isin(rest.user, learnt.user))) for rest, learnt in pairs)


def distances(task: Task, test: Task | None, system: System) -> list[dict[str, Any]]:
    """Return how far a policy is from what no schedule can beat, on each training workload and on each rest."""
    rows = []
    for part, values in ((task, system.values), (test, system.rest)):
        if part is None or values is None:
            continue
        easy = [of_logs[0] for of_logs in part.parts(part.easy_values[None])[:: part.samples]]
        for log, wish, of_easy, reached in zip(part.logs, part.wishes[:: part.samples], easy, values, strict=True):
            if wish is None:
                continue
            goal_of_easy = float(choice.goal(wish, of_easy[None])[0])
            row = distance_row(best_possible(wish, log), wish, goal_of_easy, choice.goal_within(wish, reached))
            rows.append({"workload": log.name} | row)
    return rows


def gain_intervals(task: Task, test: Task | None, policy: Policy) -> list[dict[str, Any]]:
    """Return in which interval the gain of a policy over EASY lies, on each training workload and on each rest.

    The keys are "workload", "weeks" and "interval", [low, high] in per cent, see `comparison.intervals`; None unless
    the wish is a sum of response times and the jobs were submitted in four weeks or more, up to a century.
    """
    rows: list[dict[str, Any]] = []
    parts = [part for part in (task, test) if part is not None]
    pairs = [pair for part in parts for pair in zip(part.logs, part.wishes[:: part.samples], strict=True)]
    for log, wish in pairs:
        weeks, ends = weeks_of(log), np.full(2, np.nan)
        if LEAST_WEEKS <= weeks <= MOST_WEEKS:
            both = [week_sums(simulate(log, each)) for each in (Plain("easy"), policy)]
            ends = intervals(both, wish).goal_gains[1]
        rows.append({"workload": log.name, "weeks": weeks, "interval": None if np.isnan(ends).any() else plain(ends)})
    return rows


def _goal_with_jobs(wish: Wish, values: Floats) -> float:
    """Return the goal of values, (m,), without groups that have no jobs; NaN if the goal has no other ones."""
    part = choice.goal_with_jobs(wish, values)
    return float(choice.goal(part, values[None])[0]) if choice.is_defined(part, values) else float("nan")


def _with_grouping(policy: Policy, workloads: Sequence[Workload]) -> Policy:
    """Return a policy with the rule of the groups of its workloads, if all have the same and it has none yet."""
    rules = [rule_of(workload) for workload in workloads]
    if policy.grouping is None and group_names(policy) and all(rule == rules[0] for rule in rules):
        changes: dict[str, Any] = {"grouping": rules[0]}  # which only policies with groups have
        return replace(policy, **changes)
    return policy


class _Reporter:
    """Reports how far a training is; it looks at each evaluation once, however many generations there are.

    Genomes that are tried on a part of the jobs only do not count as the best.
    """

    def __init__(
        self, record: Record, task: Task, encoding: Encoding, progress: Callable[[Progress], object] | None
    ) -> None:
        self.record, self.task, self.encoding, self.progress = record, task, encoding, progress
        self.seen = 0
        self.best = record.values[:0]  # so far: one row, or none

    def report(self) -> None:
        """Report to the caller, if there is one."""
        if self.progress is None:
            return
        record, task = self.record, self.task
        latest = slice(self.seen, record.count)
        self.seen = record.count
        values = record.values[latest][self.encoding.online(record.genomes[latest])]
        if len(values):
            values = np.concatenate([self.best, values])
            row = int(task.places(values).argmin())  # of equals the first one
            self.best = values[row : row + 1]
        (reached,), (exceeded,) = task.measure(self.best) if len(self.best) else np.full((2, 1), np.nan)
        done = record.count, record.total, record.from_store
        times = record.seconds, record.wall_seconds
        easy = float(task.easy[0][0])
        self.progress(Progress(*done, float(reached), easy, *times, float(exceeded), task.over))


def _label(policy: Policy) -> str:
    """Return the criteria of a Greedy policy, and the name of any other."""
    if not isinstance(policy, Greedy):
        return policy.name
    return policy.criteria[0] if len(set(policy.criteria)) == 1 else "/".join(policy.criteria)

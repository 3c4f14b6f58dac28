"""Training of Greedy, the online scheduler of paper 000, for what its owner wants.

A *system* is Greedy with one criterion in all three situations, whose genes an evolution strategy chooses: 36 for five
groups, 33 with f3, which has no use for b. Of the four systems the best one is changed in one situation at a time,
where criterion and genes of another system take the place of its own: with itself, twelve combinations of criteria and
situations (paper 000, IV-C). What serves each situation best is put together at last, and the best of all is kept.

All systems learn at the same time: a generation of each is simulated together, so that many workers have enough to do.
Each has its own random numbers, so that it learns the same alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, replace
from importlib.metadata import version
from os import PathLike
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import choice, store
from ..choice import Wish
from ..compare import improvement, in_hours, signed
from ..encodings import Weighting, weighting
from ..errors import InputError, one_of
from ..evaluate import check_workers, joint_evaluator, versions
from ..objectives import Objective, objective_table, objectives_of
from ..policy import BACKFILLS, CRITERIA, Policy, gene_names
from ..replay import Record, advance
from ..simulate import start_times
from ..tables import Column, table
from ..workload import SITUATIONS, Workload, split
from .strategies import CHILDREN, PARENTS, STRATEGIES, Search, limited, search

Floats = NDArray[np.float64]

GENERATIONS = 100  # paper 000, IV-C
MOST_GENERATIONS = 20_000  # 2 million simulations a system
BEST = "best"
SUM, RATIO = "sum", "ratio"
SCALES = ("linear", "log")
DECADES = (
    6  # of a gene on a logarithmic scale: K of f4 is in seconds, and a millionth of a day's wait is a tenth of one
)
SITUATIONS_OF_CRITERIA = "criteria: of weekend/day/night, where they differ; > is the best"
CONVENTION = "vs EASY: (EASY - X) / EASY; positive is better for response times and worse for UTIL"


class Progress(NamedTuple):
    """How far a training is, after a generation.

    Attributes
    ----------
    evaluations, total
        Genomes done, of those taken from the store included, and wanted.
    replayed
        Taken from the store.
    objective, easy
        The objective of the best policy so far, and that of EASY.
    seconds
        CPU seconds of all simulations.
    elapsed
        Seconds since this training was started or continued.
    exceeded
        By how much the best policy so far exceeds the limits, see `choice.violation`.
    """

    evaluations: int
    total: int
    replayed: int
    objective: float
    easy: float
    seconds: float
    elapsed: float
    exceeded: float


class System(NamedTuple):
    """A trained policy, or EASY, and what it reaches.

    Attributes
    ----------
    policy
        The policy.
    values
        (W, m) objective values on what was trained on, natural units.
    objective, exceeded
        The goal of the wish there, over all workloads, and the violation of its limits.
    rest
        (W, m), likewise on the parts that were kept back; None without any.
    rest_objective, rest_exceeded
        Likewise; NaN.
    """

    policy: Policy
    values: Floats
    objective: float
    exceeded: float
    rest: Floats | None
    rest_objective: float
    rest_exceeded: float


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` found.

    Parameters
    ----------
    wish
        What was trained for.
    over
        "sum" or "ratio", what the objective is over the workloads.
    workloads, rest
        Names of what was trained on, (W,), and of what was kept back for a test, (W,) or none.
    objectives
        The objectives, (m,).
    easy
        The reference.
    systems
        Every combination of criteria, each as good as it was found: first those with one criterion.
    best
        The index of the best one.
    evaluations
        Genomes simulated, those taken from the store included.
    seconds, elapsed
        CPU seconds of the simulations; seconds it took.
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

    @property
    def policy(self) -> Policy:
        """The best policy, which knows where it comes from."""
        return self.systems[self.best].policy

    def rows(self) -> list[dict[str, Any]]:
        """List EASY and all systems, as plain values.

        The keys are "system" (criteria of weekend, day and night, if they differ); "objective" and "exceeded", what is
        exceeded of the limits; "vs_easy", the objective's gain over EASY in per cent, None unless it is a sum; "best";
        "workloads", the objectives of each; and with a test "rest_objective", "rest_exceeded", "rest_vs_easy", "rest".
        """
        rows = []
        for number, system in enumerate((self.easy, *self.systems)):
            row: dict[str, Any] = {
                "system": system.policy.name if number == 0 else _label(system.policy),
                "best": number == self.best + 1,
                "objective": system.objective,
                "exceeded": system.exceeded,
                "vs_easy": self._gain(system.objective, self.easy.objective),
                "workloads": self._measured(self.workloads, system.values, self.easy.values),
            }
            if self.rest and system.rest is not None and self.easy.rest is not None:
                row |= {
                    "rest_objective": system.rest_objective,
                    "rest_exceeded": system.rest_exceeded,
                    "rest_vs_easy": self._gain(system.rest_objective, self.easy.rest_objective),
                    "rest": self._measured(self.rest, system.rest, self.easy.rest),
                }
            rows.append(row)
        return rows

    def _gain(self, objective: float, easy: float) -> float | None:
        return 100 * (easy - objective) / easy if self.wish.weights and easy > 0 else None

    def _measured(self, names: Sequence[str], values: Floats, easy: Floats) -> list[dict[str, Any]]:
        labels = [o.name for o in self.objectives]
        goals, of_easy = choice.goal(self.wish, values).tolist(), choice.goal(self.wish, easy).tolist()
        return [
            {"workload": name, "objective": goals[i], "vs_easy": self._gain(goals[i], of_easy[i])}
            | dict(zip(labels, values[i].tolist(), strict=True))
            | {f"{label}_vs_easy": x for label, x in zip(labels, improvement(values[i], easy[i]).tolist(), strict=True)}
            for i, name in enumerate(names)
        ]

    def text(self) -> str:
        """Write the systems as one table for a terminal, and the objectives of EASY and the best one as another."""
        rows = self.rows()
        natural = ",.1f" if self.wish.weights else ".4f"
        spec = ".4f" if self.over == RATIO else natural
        columns = [Column("system", "system")]
        for part in ("", "rest_") if self.rest else ("",):
            where = "rest: " if part else ""
            if self.wish.weights or self.wish.near:
                columns.append(Column(f"{part}objective", f"{where}objective", spec))
            if self.wish.weights:
                columns.append(Column(f"{part}vs_easy", f"{where}vs EASY", ".1f"))
            if self.wish.limits:
                columns.append(Column(f"{part}exceeded", f"{where}limits exceeded by %", ",.2f"))
        shown = []
        for row in rows:
            gains = {key: signed(row[key]) for key in ("vs_easy", "rest_vs_easy") if row.get(key) is not None}
            shares = {key: 100 * row[key] for key in ("exceeded", "rest_exceeded") if key in row}
            shown.append(row | gains | shares | {"system": ("> " if row["best"] else "  ") + row["system"]})
        easy, best = rows[0], rows[self.best + 1]
        lines = []
        for key in ("workloads", "rest") if self.rest else ("workloads",):
            for before, after in zip(easy[key], best[key], strict=True):
                lines += [self._line(f"{before['workload']}: EASY", before), self._line(f"  {best['system']}", after)]
                change = {o.name: after[f"{o.name}_vs_easy"] for o in self.objectives} | {"objective": after["vs_easy"]}
                gains = {key: signed(x) for key, x in change.items() if x is not None and not np.isnan(x)}
                lines.append({"on": "  vs EASY"} | gains)
        reached = [Column("objective", "objective", natural)] if self.wish.weights or self.wish.near else []
        measured = table(lines, [Column("on", "on"), *reached, *map(in_hours, self.objectives)])
        notes = [SITUATIONS_OF_CRITERIA] if len(self.systems) > 1 else []
        return "\n".join([table(shown, columns), *notes, "", measured, CONVENTION])

    def _line(self, name: str, row: dict[str, Any]) -> dict[str, Any]:
        values = {"on": name, "objective": row["objective"]}
        return values | {o.name: row[o.name] / (3600 if o.unit == "s" else 1) for o in self.objectives}


def train(
    workloads: Workload | Sequence[Workload],
    wish: Wish,
    *,
    criterion: str = BEST,
    backfill: str = "easy",
    generations: int = GENERATIONS,
    until: float | None = None,
    over: str = SUM,
    strategy: str = "es",
    scale: str = "linear",
    seed: int = 0,
    workers: int = 0,
    scheduler: str | None = None,
    run_directory: str | PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Training:
    """Train Greedy for a wish.

    The same arguments give the same policy, whatever `workers` are. A run directory that holds the same training
    already continues it, with the same result as if it had never stopped.

    Parameters
    ----------
    workloads
        What is learnt from: one, or several with the same user groups.
    wish
        What is wanted.
    criterion
        "f1".."f4", or "best": all four, and what they make together.
    backfill
        "none" as in paper 000, "easy" or "conservative".
    generations
        Of 105 genomes each, after the first 15, for each criterion; CMA-ES gets as many genomes.
    until
        Learn from the jobs submitted in this share of the time, and test on the rest, see `workload.split`.
    over
        What is minimised with several workloads: the "sum" of the goals, as in paper 000, or their mean "ratio" to
        EASY's, so that no workload counts more because its jobs are longer. Violations of limits are added.
    strategy
        "es" as in paper 000, or "cma", see `strategies`.
    scale
        How genes are varied: "linear" as in paper 000, or "log", on a logarithmic scale within the same limits, down to
        a millionth of each. The terms of a criterion differ by orders of magnitude, in f1 waits divided by run times
        and run times in seconds: on a linear scale most genomes let one term decide alone.
    seed
        Of all random choices.
    workers, scheduler
        Where simulations run, see `evaluate.evaluator`.
    run_directory
        Where every evaluation is kept; by default nowhere.
    progress
        Called with a `Progress` after every generation.

    Raises
    ------
    InputError
        A parameter breaks its rule, the groups differ, the wish uses what is undefined, or the directory holds
        something else.
    """
    check_workers(workers, scheduler)
    one_of("criterion", criterion, (*CRITERIA, BEST))
    one_of("backfill", backfill, BACKFILLS)
    one_of("over", over, (SUM, RATIO))
    one_of("strategy", strategy, STRATEGIES)
    one_of("scale", scale, SCALES)
    if not 1 <= generations <= MOST_GENERATIONS:
        raise InputError(f"generations must be in 1..{MOST_GENERATIONS}, but are {generations}")
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    whole = [workloads] if isinstance(workloads, Workload) else list(workloads)
    if not whole:
        raise InputError("workloads must be at least one, but there is none")
    for other in whole[1:]:
        if other.groups != whole[0].groups:
            raise InputError(
                f"workloads must have the same groups, but {whole[0].name} has {', '.join(whole[0].groups)} "
                f"and {other.name} has {', '.join(other.groups)}"
            )
    parts = [(w,) if until is None else split(w, until) for w in whole]
    test = _Task(wish, over, [part[-1] for part in parts]) if until is not None else None
    task = _Task(wish, over, [part[0] for part in parts])
    groups = task.workloads[0].groups
    criteria = CRITERIA if criterion == BEST else (criterion,)
    evaluations = PARENTS + generations * CHILDREN
    settings = {
        "criterion": criterion,
        "backfill": backfill,
        "strategy": strategy,
        "scale": scale,
        "generations": generations,
        "until": until,
        "over": over,
        "seed": seed,
    }
    parameters = {"task": "train", "wish": choice.to_json(wish), "workloads": [w.digest for w in whole], **settings}
    software = versions() | ({"cma": version("cma")} if strategy == "cma" else {})
    about = {"workloads": [w.name for w in whole], "groups": list(groups)}
    total = len(criteria) * evaluations + mixed(len(criteria))
    shape = len(weighting.gene_labels(len(groups))), len(whole) * (len(groups) + 2)
    encoding = Weighting(backfill)
    with ExitStack() as stack:
        directory = stack.enter_context(TemporaryDirectory()) if run_directory is None else run_directory
        run = stack.enter_context(store.open_run(directory, parameters))
        record = Record(run, shape, total, about, software)
        record.write("running")
        try:
            if len(record.known) < total:
                course = systems(criteria, len(groups), strategy, scale, evaluations, seed)
                with joint_evaluator(task.workloads, encoding, workers, scheduler) as evaluate:
                    for _ in advance(course, record, evaluate, task.fitness):
                        if progress is not None:
                            progress(_progress(record, task))
            else:
                record.take_stored()
                if progress is not None:
                    progress(_progress(record, task))
        except BaseException:
            record.take_stored()
            record.write("interrupted")
            raise
        record.write("finished")
    provenance = {
        "wish": choice.to_json(wish),
        "words": choice.written(wish),
        "workloads": [
            {"name": w.name, "digest": w.digest, "jobs": len(w), "capacity": w.capacity} for w in task.workloads
        ],
        **settings,
        "evaluations": record.count,
        "versions": record.about["versions"],
    }
    fitness = task.fitness(record.values)
    found = []
    for row in _champions(record.genomes, fitness):
        policy = weighting.decode(record.genomes[row], groups, backfill)
        value, exceeded = task.measure(record.values[row : row + 1])
        reached = {"objective": float(value[0]), "exceeded": float(exceeded[0]), "easy": float(task.easy[0][0])}
        policy = replace(policy, provenance={**provenance, **reached})
        found.append((float(fitness[row]), _system(policy, task, test, record.values[row])))
    return Training(
        wish,
        over,
        tuple(w.name for w in task.workloads),
        tuple(w.name for w in test.workloads) if test else (),
        objective_table(groups),
        _system(Policy("easy"), task, test, task.easy_values),
        tuple(system for _, system in found),
        min(range(len(found)), key=lambda i: found[i][0]),
        record.count,
        record.seconds,
        record.elapsed,
    )


class _Task:
    """What the values of several workloads, (k, W m) side by side, are worth."""

    def __init__(self, wish: Wish, over: str, workloads: Sequence[Workload]) -> None:
        self.wish = wish
        self.over = over
        self.workloads = list(workloads)
        self.easy_values = self.simulated(Policy("easy"))
        self.scales = np.ones(len(self.workloads))
        for i, (workload, values) in enumerate(zip(self.workloads, self.parts(self.easy_values[None]), strict=True)):
            try:
                value = choice.goal(wish, values)
            except InputError as error:
                raise InputError(f"{workload.name}: {error}") from None
            if over == RATIO:
                if not (wish.weights and value[0] > 0):
                    raise InputError(
                        'over "ratio" must have a weighted sum that is positive for EASY, '
                        f"but on {workload.name} {choice.written(wish)} is {value[0]:g}"
                    )
                self.scales[i] = value[0] * len(self.workloads)
        self.easy = self.measure(self.easy_values[None])

    def simulated(self, policy: Policy) -> Floats:
        """Simulate a policy, (W m,)."""
        return np.concatenate([objectives_of(w, start_times(w, policy)) for w in self.workloads])

    def parts(self, values: Floats) -> list[Floats]:
        return np.split(values, len(self.workloads), axis=1)

    def measure(self, values: Floats) -> tuple[Floats, Floats]:
        """Give goals and violations over all workloads, two (k,)."""
        goals, violations = np.zeros(len(values)), np.zeros(len(values))
        for part, scale in zip(self.parts(values), self.scales, strict=True):
            goals += choice.goal(self.wish, part) / scale
            violations += choice.violation(self.wish, part)
        return goals, violations

    def fitness(self, values: Floats) -> Floats:
        return choice.penalised(*self.measure(values))


def _system(policy: Policy, task: _Task, test: _Task | None, values: Floats) -> System:
    """Measure a policy whose values, (W m,), are known, on the rest, too."""
    goals, violations = task.measure(values[None])
    reached = values.reshape(len(task.workloads), -1), float(goals[0]), float(violations[0])
    if test is None:
        return System(policy, *reached, None, float("nan"), float("nan"))
    rest = test.simulated(policy)
    goals, violations = test.measure(rest[None])
    return System(policy, *reached, rest.reshape(len(test.workloads), -1), float(goals[0]), float(violations[0]))


def _progress(record: Record, task: _Task) -> Progress:
    values = record.values[: record.count]
    goals, violations = task.measure(values)
    best = int(choice.penalised(goals, violations).argmin())
    reached, easy = float(goals[best]), float(task.easy[0][0])
    done = record.count, record.total, record.replayed
    return Progress(*done, reached, easy, record.seconds, record.elapsed, float(violations[best]))


# --- the course of a training ---------------------------------------------------------------------------------------


def mixed(criteria: int) -> int:
    """Say how many genomes are made of several systems.

    Examples
    --------
    >>> mixed(4), mixed(1)
    (10, 0)
    """
    return len(SITUATIONS) * (criteria - 1) + 1 if criteria > 1 else 0


def systems(criteria: Sequence[str], groups: int, strategy: str, scale: str, evaluations: int, seed: int) -> Search:
    """Ask for the genomes of systems with one criterion each, at the same time, and then for what they make together.

    Yields genomes of `encodings.weighting`, (k, d), and is sent their fitness, (k,).
    """
    learning, asked = {}, {}
    best: dict[str, tuple[float, Floats]] = {}
    for criterion in criteria:
        highest = weighting.lower_upper(groups)[1][_free(criterion, groups)]
        upper = np.ones(highest.size) if scale == "log" else highest
        own = [seed, CRITERIA.index(criterion)]
        learning[criterion] = limited(search(strategy, np.zeros(upper.size), upper, own), evaluations)
        asked[criterion] = next(learning[criterion])
    while asked:
        genomes = {criterion: _genomes(points, criterion, groups, scale) for criterion, points in asked.items()}
        fitness = yield np.concatenate(list(genomes.values()))
        asked = {}
        for criterion, own_genomes in genomes.items():
            part, fitness = np.split(fitness, [len(own_genomes)])
            i = int(part.argmin())
            if criterion not in best or part[i] < best[criterion][0]:
                best[criterion] = float(part[i]), own_genomes[i]
            with suppress(StopIteration):
                asked[criterion] = learning[criterion].send(part)
    if len(criteria) > 1:
        yield from _mixtures(best, groups)


def _mixtures(best: dict[str, tuple[float, Floats]], groups: int) -> Search:
    """Change the best system in one situation at a time, and then in all where that is better."""
    winner = min(best, key=lambda criterion: best[criterion][0])
    lowest, genome = best[winner]
    others = [other for criterion, (_, other) in best.items() if criterion != winner]
    changes = [(situation, other) for situation in range(len(SITUATIONS)) for other in others]
    fitness = yield np.array([_changed(genome, situation, other, groups) for situation, other in changes])
    together = genome
    for situation, of_situation in enumerate(np.split(fitness, len(SITUATIONS))):
        i = int(of_situation.argmin())
        if of_situation[i] < lowest:
            together = _changed(together, situation, others[i], groups)
    yield together[None]


def _free(criterion: str, groups: int) -> NDArray[np.int64]:
    """Give the places of the genes that a system of one criterion varies."""
    names = gene_names(groups) * len(SITUATIONS)
    return np.array([i for i, name in enumerate(names) if criterion != "f3" or name != "b"])


def _genomes(points: Floats, criterion: str, groups: int, scale: str) -> Floats:
    """Put the genes that vary, (k, d), into whole genomes."""
    free = _free(criterion, groups)
    whole = np.zeros((len(points), len(weighting.gene_labels(groups))))
    if scale == "log":
        whole[:, free] = weighting.lower_upper(groups)[1][free] * 10.0 ** (DECADES * (points - 1))
    else:
        whole[:, free] = points
    whole[:, -len(SITUATIONS) :] = CRITERIA.index(criterion) + 0.5  # the middle, as `weighting.encode` has it
    return whole


def _changed(genome: Floats, situation: int, other: Floats, groups: int) -> Floats:
    """Take criterion and genes of one situation from another genome."""
    genes = 2 * groups + 2
    made = genome.copy()
    for places in (slice(situation * genes, (situation + 1) * genes), situation - len(SITUATIONS)):
        made[places] = other[places]
    return made


def _champions(genomes: Floats, fitness: Floats) -> Iterator[int]:
    """Find the best genome of each combination of criteria, in the order in which they were first asked for."""
    _, first, which = np.unique(
        np.floor(genomes[:, -len(SITUATIONS) :]), axis=0, return_index=True, return_inverse=True
    )
    for combination in np.argsort(first):
        rows = np.flatnonzero(which.ravel() == combination)
        yield int(rows[fitness[rows].argmin()])


def _label(policy: Policy) -> str:
    return policy.criteria[0] if len(set(policy.criteria)) == 1 else "/".join(policy.criteria)

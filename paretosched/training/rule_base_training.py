"""Training of rule bases, which choose a strategy at every decision (paper 001), for a wish of their owner.

Iterative (section 4.1, algorithm 2): the classes of situations are fixed. In one class after the other each of the
thirteen strategies is tried, with the strategies chosen so far in all other classes; the best one stays. Symbiotic
(section 4.2): rules of Gaussian memberships evolve, see `symbiosis`.

A situation that never came up while an iterative base was trained keeps the standard strategy, FCFS by wait: whatever
is tried there is only as good. On other jobs it may come up, and FCFS may be far worse than EASY. So another strategy
may be chosen for all of these, `unseen`; on the jobs learnt from it changes nothing.

The thirteenth strategy is Greedy without backfilling. The paper does not state its parameters. Unless the caller has
such a policy, it is trained first for the same wish, with f2, the criterion that was best in paper 000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import as_path, instance, list_argument, numbers, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..encodings.rule_base import RuleBases, Situations, Symbiotic
from ..policies.greedy_order import Greedy
from ..policies.policy import Policy, PolicyLike, as_policy, fits
from ..policies.policy_json import to_json
from ..policies.rule_base import KINDS, RuleBase, ruled_start_times
from ..policies.strategy_choice import MOST_SITUATIONS, STRATEGIES, Bounds, IterativeRules, partitions
from ..search.evaluation import Compute, TlsFiles, versions
from ..search.resuming import Record
from ..search.runs import keep_wanted, wanted_evaluations
from ..wishes.wish_files import WishLike
from ..workload.reopening import WorkloadLike
from ..workload.workload import Workload
from .evolution_strategy import Search
from .greedy_training import train
from .stages import Stages, run_folder
from .symbiosis import Rules, Symbiosis, evolve
from .task import RATIO, Task, by_weight, data_of, tasks
from .training import Progress, Training, carry_out, training_of

MOST_EVALUATIONS = 10**7
STANDARD = STRATEGIES.index("fcfs by wait")  # algorithm 2 begins with it in every class
F2 = "f2"
RUNS = GREEDY_RUN, RULES_RUN = ("greedy", "rules")


class Iteration(NamedTuple):
    """How an iterative base is trained: one class of situations after the other (algorithm 2).

    Attributes
    ----------
    bounds
        For every feature the inner bounds of its intervals, as of `RuleBase`.
    """

    bounds: Bounds

    @property
    def classes(self) -> int:
        """The number of classes of situations."""
        return math.prod(len(row) + 1 for row in self.bounds)

    def budget(self, evaluations: int | None) -> int:
        """Return how many rule bases are simulated; the iteration has an end."""
        most = self.classes * len(STRATEGIES)
        return most if evaluations is None else min(most, evaluations)

    def encoding(self, groups: tuple[str, ...], priority: tuple[str, ...], greedy: Greedy) -> Situations:
        """Return what the genomes of the training mean."""
        return Situations(groups, priority, greedy, self.bounds)

    def settings(self) -> dict[str, Any]:
        """Return the bounds as plain values."""
        return {"bounds": [list(row) for row in self.bounds]}

    def search(self, _groups: Sequence[str], _seed: int) -> Callable[[], Search]:
        """Return a function that starts the search; it draws nothing."""
        return partial(iterate, self.classes, STANDARD, len(STRATEGIES))

    def best(self, places: Ints) -> int:
        """Return the number of the best rule base by the places of all; the first one if none was better."""
        # a class in which a strategy is only as good as the standard one does not change
        return STANDARD if len(places) > STANDARD and places[STANDARD] == 0 else int(places.argmin())


class Evolution(NamedTuple):
    """How a symbiotic base is trained: its rules evolve.

    Attributes
    ----------
    symbiosis
        The parameters of the evolution.
    """

    symbiosis: Symbiosis

    def budget(self, evaluations: int | None) -> int:
        """Return how many rule bases are simulated; the evolution has no end of its own."""
        return self.symbiosis.evaluations if evaluations is None else evaluations

    def encoding(self, groups: tuple[str, ...], priority: tuple[str, ...], greedy: Greedy) -> Symbiotic:
        """Return what the genomes of the training mean."""
        return Symbiotic(groups, priority, greedy, self.symbiosis.rules, self.symbiosis.defaults)

    def settings(self) -> dict[str, Any]:
        """Return the parameters as plain values."""
        return {"symbiosis": asdict(self.symbiosis)}

    def search(self, groups: Sequence[str], seed: int) -> Callable[[], Search]:
        """Return a function that starts the search."""
        return partial(evolve, Rules(len(groups) + 2, len(STRATEGIES)), self.symbiosis, seed)

    def best(self, places: Ints) -> int:
        """Return the number of the best rule base by the places of all."""
        return int(places.argmin())


def _iteration(bounds: Bounds, groups: int) -> Iteration:
    """Return how an iterative base for G groups is trained; raise InputError if its bounds break a rule."""
    course = Iteration(bounds)
    IterativeRules(bounds, np.zeros(min(course.classes, MOST_SITUATIONS + 1), dtype=np.int8)).check(groups)
    return course


_COURSES: dict[str, Callable[[Bounds, Symbiosis, int], Iteration | Evolution]] = {
    "iterative": lambda bounds, _symbiosis, groups: _iteration(bounds, groups),
    "symbiotic": lambda _bounds, symbiosis, _groups: Evolution(symbiosis),
}


def train_rules(
    workloads: WorkloadLike | Sequence[WorkloadLike],
    wish: WishLike,
    *,
    kind: str = "symbiotic",
    greedy: PolicyLike | None = None,
    generations: int | None = None,
    evaluations: int | None = None,
    symbiosis: Symbiosis = Symbiosis(),  # noqa: B008  # it is immutable
    bounds: Sequence[Sequence[float]] | None = None,
    unseen: str | None = None,
    until: float | None = None,
    over: str | None = None,
    resample: int = 0,
    margin: float = 0,
    seed: int = 0,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    run_directory: str | PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Training:
    """Train a rule base for a wish.

    The same arguments return the same policy, for any number of workers, also of a training that is continued.

    Parameters
    ----------
    workloads, wish
        As for `train`.
    kind
        "iterative" or "symbiotic".
    greedy
        The thirteenth strategy, a Greedy policy without backfilling, or its file; by default trained first.
    generations
        Of that training, see `train`.
    evaluations
        Rule bases to simulate; by default as many as a continued run has, else as in the paper, 2,496 or 3,513.
    symbiosis
        Parameters of the symbiotic evolution.
    bounds
        Of the iterative classes: of each feature the upper bounds of all intervals but the last; by default Table 2.
    unseen
        Iterative: the strategy of situations that the jobs learnt from never had; by default that of algorithm 2.
    until, resample, margin, seed, workers, scheduler, tls, progress
        As for `train`; the margin in per cent.
    over
        As for `train`; by default "ratio" for several workloads and a wish that is a sum.
    run_directory
        The directory in which the runs "greedy" and "rules" are stored; by default none.

    Returns
    -------
    Training
        Its systems are the rule base, which counts as the best one by definition, and its Greedy alone.

    Raises
    ------
    InputError
        A parameter breaks its rule, the groups differ, the wish uses an undefined objective, or the directory holds
        another run.
    """
    compute = Compute(workers, scheduler, tls, progress)
    _check_unseen(unseen, kind)
    one_of("kind", kind, KINDS)
    instance("symbiosis", symbiosis, Symbiosis)
    evaluations = None if evaluations is None else _checked_evaluations(evaluations)
    data = data_of(workloads, wish, over, until, resample, margin, seed, several=RATIO)
    if isinstance(data.margin, str):
        raise InputError("margin must be a number for a rule base; a validated one is for Greedy")
    task, test = tasks(data)
    first, task = task.workloads[0], task.with_margin(data.margin)
    if greedy is not None:
        greedy = _thirteenth_strategy(as_policy(greedy), first)
    inner = partitions(len(first.groups)) if bounds is None else _inner(bounds)
    course = _COURSES[kind](inner, symbiosis, len(first.groups))
    place = None if run_directory is None else as_path(run_directory)
    if evaluations is None and place is not None:
        evaluations = wanted_evaluations(place / RULES_RUN)
    total = course.budget(evaluations)
    with run_folder(place, RUNS, "a training of rule bases", lambda wanted: keep_wanted(wanted / RULES_RUN, total)):
        reports = Stages(progress, total)
        if greedy is None:
            trained_alone = train(
                data.whole,
                data.wish,
                criterion=F2,
                backfill="none",
                generations=generations,
                until=until,
                over=data.over,
                seed=seed,
                resample=resample,
                margin=margin,
                run_directory=None if place is None else place / GREEDY_RUN,
                **compute._replace(progress=reports.first)._asdict(),
            )
            greedy = _thirteenth_strategy(trained_alone.policy, first)
        groups, priority = first.groups, by_weight(data.wish, first.groups)
        encoding = course.encoding(groups, priority, greedy)
        settings: dict[str, Any] = {"rule_base": kind, "priority": list(priority)}
        settings |= course.settings() | data.settings()

        record = carry_out(
            "train rules",
            task,
            settings | {"greedy": to_json(greedy)["situations"]},
            course.search(groups, seed),
            encoding,
            evaluations=total,
            software=versions(),
            compute=compute._replace(progress=reports.second),
            run_directory=None if place is None else place / RULES_RUN,
        )
    return _result(task, test, record, course, encoding, greedy, settings, unseen)


def _checked_evaluations(evaluations: int) -> int:
    """Return a number of rule bases to simulate; raise InputError if it is none."""
    number = whole_number("evaluations", evaluations)
    if not 1 <= number <= MOST_EVALUATIONS:
        raise InputError(f"evaluations must be in 1..{MOST_EVALUATIONS}, but are {number}")
    return number


def _check_unseen(unseen: str | None, kind: str) -> None:
    """Refuse a strategy of unseen situations that is none, or for rules without situations."""
    if unseen is not None:
        one_of("unseen", unseen, STRATEGIES)
        if kind != "iterative":
            raise InputError("unseen must be left out for symbiotic rules, which have no situations")


def _inner(bounds: Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """Return the bounds of the intervals of each feature as plain numbers."""
    return tuple(
        tuple(numbers("bounds", list_argument("bounds", row)).tolist()) for row in list_argument("bounds", bounds)
    )


def _result(
    task: Task,
    test: Task | None,
    record: Record,
    course: Iteration | Evolution,
    encoding: RuleBases,
    greedy: Policy,
    settings: Mapping[str, Any],
    unseen: str | None,
) -> Training:
    """Return the best rule base of a run and its Greedy alone, measured."""
    best = course.best(task.places(record.values[: record.count]))
    base = encoding.rule_base(record.genomes[best])
    if unseen is not None:
        counts = np.sum([ruled_start_times(w, base)[1] for w in task.workloads], axis=0)
        base, settings = with_unseen(base, counts, unseen), {**settings, "unseen": unseen}
    policies: list[tuple[Policy, Floats]] = [(base, record.values[best]), (greedy, task.values_of(greedy))]
    training = training_of(task, test, record, policies, settings, best=0)
    rules, alone = training.systems
    provenance = {**rules.policy.provenance, "decisions": decisions(task.logs, base)}
    return replace(training, systems=(rules._replace(policy=replace(rules.policy, provenance=provenance)), alone))


def with_unseen(base: RuleBase, counts: Ints, strategy: str) -> RuleBase:
    """Return an iterative base in which the situations that never came up have a strategy.

    Parameters
    ----------
    base
        The base.
    counts
        (situations,) how often each situation came up.
    strategy
        One of STRATEGIES.
    """
    return replace(base, choice=np.where(counts == 0, STRATEGIES.index(strategy), base.choice))


def decisions(workloads: Sequence[Workload], base: RuleBase) -> list[int] | dict[str, int]:
    """Return counts of the decisions of a rule base on workloads.

    Iterative: how often each class of situations occurred. Symbiotic: how often each strategy was chosen, without the
    strategies that never were.
    """
    return base.chooser.counts_json(np.sum([ruled_start_times(w, base)[1] for w in workloads], axis=0))


def iterate(classes: int, standard: int, strategies: int) -> Search:
    """Search the best strategy for every class, one class after the other (algorithm 2).

    Yields genomes, (strategies, classes): the choice so far, with each strategy in the class whose turn it is; and is
    sent their costs, (strategies,). The best strategy stays. Where another one is only as good, the class does not
    change, so that a class that never occurs keeps the standard strategy.

    Examples
    --------
    Two classes and three strategies; 1 is the standard. The cost of a choice is its distance from (2, 0).

    >>> asking = iterate(2, 1, 3)
    >>> next(asking).tolist()
    [[0.0, 1.0], [1.0, 1.0], [2.0, 1.0]]
    >>> asking.send(np.array([3.0, 2, 1])).tolist()
    [[2.0, 0.0], [2.0, 1.0], [2.0, 2.0]]
    """
    choice = np.full(classes, float(standard))
    for number in range(classes):
        genomes = np.tile(choice, (strategies, 1))
        genomes[:, number] = np.arange(strategies)
        costs = yield genomes
        if costs.min() < costs[int(choice[number])]:
            choice[number] = costs.argmin()


def _thirteenth_strategy(greedy: Policy, workload: Workload) -> Greedy:
    """Return a policy that can be the thirteenth strategy; raise InputError for any other."""
    if not isinstance(greedy, Greedy) or greedy.backfill != "none":
        raise InputError(f"greedy must be a Greedy policy without backfilling, but {greedy.name} is none")
    return fits(greedy, workload)

"""Training of orders with a backfilling of their own, for a wish of their owner: `Priority` policies.

The class has all published orders, the groups in any order, and formulas that combine them, each with one or many
reservations, for some groups or for all, see `paretosched.encodings.trained_order`. The search tries known policies
first. Then CMA-ES varies a formula on a logarithmic scale, beginning with the best known order of the groups: the same
formula at all times, then one for each situation, and then another one for backfilling. All other named policies are
tried last, on top of the evaluations: without a margin the result is never worse than the best named policy on the
training data.

Simulations of all jobs are the costs. Each generation therefore races: its candidates are simulated on one of eight
parts of the jobs, another one in each generation, and only the better half on all jobs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import as_path
from ..core.arrays import Floats
from ..core.errors import InputError
from ..encodings.trained_order import (
    BLOCKS,
    BY_SITUATION,
    ENTITLED,
    HEAD,
    LONGEST,
    OWN_BACKFILLING,
    POLICY,
    RESERVATIONS,
    WINDOW,
    WINDOWS,
    TrainedOrders,
    block_size,
    genes_of,
)
from ..policies.policy import Policy
from ..policies.policy_tokens import written_name
from ..policies.priority import checked_group_names
from ..search.evaluation import Compute, TlsFiles, versions
from ..search.resuming import Record
from ..wishes.wish_files import WishLike
from ..workload.reopening import WorkloadLike
from .evolution_strategy import Search, covariance_strategy, limit_genomes
from .task import Task, by_weight, data_of, important_groups
from .training import Progress, Training, carry_out, training_of
from .validation import budget, learn

TASK = "train priority"
EVALUATIONS = 4000
MOST_EVALUATIONS = 10**7
# Tried first, and beyond the evaluations the others: runs of versions that had no others can be continued with them.
ORDERS = ("fcfs", "sjf", "saf", "lxf", "wfp3", "unicef", "learned-f1", "learned-f2", "learned-f3", "learned-f4")
FIRST_BACKFILLS, OTHER_BACKFILLS = ("easy", "easy:8"), ("none", "conservative")
BACKFILL_ORDERS = ("sjf", "saf")  # of EASY: EASY-SJBF and EASY-SAF
PLAIN = ("list", "conservative")  # rules that are no order; the others are: conservative-replan is the order fcfs
CANDIDATES = 20  # of a generation
FINALISTS = 10  # of them, which are simulated on all jobs
FIRST_STEP, LATER_STEP = 0.12, 0.08  # of a range
PHASES = (0.6, 0.8)  # shares of the evaluations until which there is one order, and one for each situation
NUMBERS = (RESERVATIONS, ENTITLED, LONGEST)  # places of the numbers of backfilling
# Of a limit that is exceeded, in shares of EASY's objective. More would let candidates race for the limits of their
# part of the jobs, which are not those of all jobs.
PENALTY = 3.0


def train_priority(
    workloads: WorkloadLike | Sequence[WorkloadLike],
    wish: WishLike,
    *,
    evaluations: int | None = None,
    until: float | None = None,
    over: str | None = None,
    resample: int = 0,
    margin: float | str = 0,
    seed: int = 0,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    run_directory: str | PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Training:
    """Train an order with a backfilling of its own for a wish.

    The same arguments return the same policy, for any number of workers. If the run directory holds the same training,
    it is continued, with the same result as if it had never stopped.

    Parameters
    ----------
    workloads, wish
        As for `train`.
    evaluations
        Simulations, two thirds of them of an eighth of the jobs, and at least one for each policy of `known_policies`;
        by default 4000, or those of the run that is continued. Those of `further_policies`, 28 or 30, come on top.
    until, over, resample, margin, seed, workers, scheduler, tls, run_directory, progress
        As for `train`.

    Returns
    -------
    Training
        Its systems are the best policy, and the best one of those that have a name, if it is another one.

    Raises
    ------
    InputError
        A parameter breaks its rule, the groups differ, the wish uses an undefined objective, or the directory holds
        another run.
    """
    compute = Compute(workers, scheduler, tls, progress)
    evaluations = budget(TASK, "evaluations", evaluations, run_directory, EVALUATIONS, MOST_EVALUATIONS)
    data = data_of(workloads, wish, over, until, resample, margin, seed)
    groups = checked_group_names("groups", data.whole[0].groups)
    favoured = by_weight(data.wish, groups)
    important = len(important_groups(data.wish, groups))
    known, further = known_policies(favoured, important), further_policies(favoured, important)
    if evaluations < len(known):
        raise InputError(
            f"evaluations must be at least {len(known)}, so that all known orders are tried, but are {evaluations}"
        )
    encoding = TrainedOrders(favoured, (*known, *further))
    total = evaluations + len(further)
    settings: dict[str, Any] = {"class": "priority", "policies": list(known), "evaluations": evaluations}
    settings |= data.settings()

    def course() -> Search:
        searching = search_orders(TrainedOrders(favoured, known), groups, important, evaluations, seed)
        yield from limit_genomes(searching, evaluations)
        yield named_genomes(first_genomes(encoding, groups, important)[0], len(known) + 1, len(further))

    def run(task: Task, place: Path | None, report: Callable[[Progress], object] | None) -> Record:
        return carry_out(
            TASK,
            task,
            settings,
            course,
            encoding,
            evaluations=total,
            software=versions() | {"cma": version("cma")},
            compute=compute._replace(progress=report),
            run_directory=place,
            costs=lambda values: soft_costs(task, values),
        )

    def policy_of(genome: Floats) -> Policy:
        return encoding.policy_of(genome, groups)

    place = None if run_directory is None else as_path(run_directory)
    words: dict[str, Any] = {"counts": encoding.online, "evaluations": total, "place": place}
    task, test, record, margins = learn(data, run, policy_of, **words, progress=progress)
    rows = np.flatnonzero(encoding.online(record.genomes))
    named = rows[record.genomes[rows, POLICY] > 0]
    places = task.places(record.values)
    champions = dict.fromkeys(int(part[places[part].argmin()]) for part in (rows, named) if part.size)
    policies = [(policy_of(record.genomes[row]), record.values[row]) for row in champions]
    return training_of(task, test, record, policies, settings, margins)


def known_policies(favoured: Sequence[str], important: int) -> tuple[str, ...]:
    """Return the policies that are tried first, in words; the first groups of `favoured` are important.

    Examples
    --------
    >>> known_policies(("1", "2", "3"), 1)[-2:]
    ('priority:1; backfill: easy:8', 'priority:1; backfill: easy:8 for 1')
    """
    policies = [f"{order}; backfill: {backfill}" for order in ORDERS for backfill in FIRST_BACKFILLS]
    if 0 < important < len(favoured):
        names = ",".join(map(written_name, favoured[:important]))
        policies += [f"priority:{names}; backfill: {b}" for b in (*FIRST_BACKFILLS, f"easy:8 for {names}")]
    return tuple(policies)


def further_policies(favoured: Sequence[str], important: int) -> tuple[str, ...]:
    """Return the other policies with a name, in words, which are tried last; arguments as of `known_policies`.

    Examples
    --------
    >>> further_policies(("1", "2", "3"), 1)[-3:]
    ('conservative', 'priority:1; backfill: none', 'priority:1; backfill: conservative')
    """
    policies = [f"{order}; backfill: {backfill}" for order in ORDERS for backfill in OTHER_BACKFILLS]
    policies += [f"fcfs; backfill: easy; backfill-order: {order}" for order in BACKFILL_ORDERS]
    policies += [f"priority; backfill: {backfill}" for backfill in (*FIRST_BACKFILLS, *OTHER_BACKFILLS)]
    policies += PLAIN
    if 0 < important < len(favoured):
        names = ",".join(map(written_name, favoured[:important]))
        policies += [f"priority:{names}; backfill: {b}" for b in OTHER_BACKFILLS]
    return tuple(policies)


def soft_costs(task: Task, values: Floats) -> Floats:
    """Return what the search minimises, (k,): goals in shares of EASY's, and violations of limits three times as much.

    Limits come first only when the result is chosen: a search that is told nothing about goals beyond a limit cannot
    go along it. `values` are (k, W m).
    """
    goals, violations = task.measure(values, task.margin)
    easy = abs(float(task.easy[0][0])) or 1.0
    return goals / easy + PENALTY * violations


# --- the genomes of a training ---------------------------------------------------------------------------------------


def search_orders(
    encoding: TrainedOrders, groups: Sequence[str], important: int, evaluations: int, seed: int
) -> Search:
    """Search orders: the known policies, some first formulas, then generations that race.

    Yields genomes of the encoding, (k, d), and is sent their costs, (k,). There is one order of the waiting jobs first,
    then one for each situation, and one for backfilling.
    """
    first = first_genomes(encoding, groups, important)
    known = named_genomes(first[0], 1, len(encoding.policies))
    yield known
    costs = yield first
    best, lowest = first[int(costs.argmin())], float(costs.min())
    tried = len(known) + len(first)
    generator = np.random.default_rng(seed)
    generation, phase = 0, -1
    population, step = CANDIDATES, FIRST_STEP
    free = free_genes(0, len(groups))
    strategy = None
    while True:
        now = sum(tried >= share * evaluations for share in PHASES)
        if now != phase:
            phase, population, strategy = now, CANDIDATES, None
            best = with_phase(best, phase)
            free = free_genes(phase, len(groups))
            step = LATER_STEP if phase else FIRST_STEP
        elif strategy is not None and strategy.stop():
            population, strategy = 2 * population, None
        if strategy is None:
            strategy = covariance_strategy(best[free], step, population, generator)
        points = np.array(strategy.ask())
        genomes = np.repeat(best[None], len(points), axis=0)
        genomes[:, free] = np.clip(points, 0.0, 1.0)
        race = genomes.copy()
        race[:, WINDOW] = 1 + generation % WINDOWS
        costs = yield race
        finalists = np.argsort(costs, kind="stable")[: max(1, len(points) * FINALISTS // CANDIDATES)]
        reached = yield genomes[finalists]
        ranks = np.empty(len(points))
        ranks[np.argsort(costs, kind="stable")] = np.arange(len(points)) + len(points)
        ranks[finalists[np.argsort(reached, kind="stable")]] = np.arange(len(finalists))
        strategy.tell(list(points), ranks.tolist())
        if reached.min() < lowest:
            best, lowest = genomes[finalists[int(reached.argmin())]], float(reached.min())
        tried += len(points) + len(finalists)
        generation += 1


def named_genomes(genome: Floats, first: int, count: int) -> Floats:
    """Return genomes, (count, d), for policies of the encoding from number `first` on, 1 is the first one."""
    genomes = np.repeat(genome[None], count, axis=0)
    genomes[:, POLICY] = np.arange(first, first + count)
    return genomes


def first_genomes(encoding: TrainedOrders, groups: Sequence[str], important: int) -> Floats:
    """Return formulas to begin with, (k, d): the important groups first, or waits alone, with each backfilling."""
    count = len(groups)
    places = [encoding.favoured.index(name) for name in groups]
    favours = 0 < important < count
    ordered = genes_of(
        count,
        weights=[1.0 if place < important else 0.9 for place in places],
        constants=[0.8 - 0.05 * place if place < important else 0.3 for place in places],
        of_wait=(0.8, 0.2, 0.2, 0.2),
    )
    waits = genes_of(count, weights=[1.0] * count, constants=[0.0] * count, of_wait=(0.8, 0.0, 0.0, 0.0))
    entitled = (important - 0.5) / (count - 0.5) if favours else 1.0
    backfills = [(0.0, 1.0, 1.0), (0.6, 1.0, 1.0)]  # EASY, and eight reservations
    if favours:
        backfills += [(0.6, entitled, 1.0), (0.6, entitled, 0.7)]  # for the important groups; with limited requests
    heads = np.zeros((len(backfills), len(HEAD)))
    heads[:, NUMBERS] = backfills
    orders = (ordered, waits) if favours else (waits,)
    rows = [np.concatenate([head, *[order] * len(BLOCKS)]) for order in orders for head in heads]
    return np.array(rows)


def free_genes(phase: int, groups: int) -> NDArray[np.int64]:
    """Return the places of the genes that a phase varies, (d,) int64: the backfilling's numbers, and some blocks."""
    block = block_size(groups)
    blocks = ((0,), (0, 1, 2), (3,))[phase]
    places = [np.arange(len(HEAD) + i * block, len(HEAD) + (i + 1) * block) for i in blocks]
    return np.concatenate([np.array(NUMBERS, dtype=np.int64), *places])


def with_phase(genome: Floats, phase: int) -> Floats:
    """Return a genome with the same order of the waiting jobs, in which the genes of a phase count."""
    genome = genome.copy()
    blocks = genome[len(HEAD) :].reshape(len(BLOCKS), -1)
    if genome[BY_SITUATION] < 0.5:
        blocks[1:3] = blocks[0]
    if phase == 1:
        genome[BY_SITUATION] = 1.0
    if phase == 2:
        genome[OWN_BACKFILLING] = 1.0
        blocks[3] = blocks[1]  # that of the day
    return genome

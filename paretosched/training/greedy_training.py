"""Training of Greedy, the online scheduler of paper 000, for a wish of its owner.

A *system* is Greedy with one criterion in all three situations. An evolution strategy chooses its genes: 36 for five
groups, 33 with f3, which does not use b. Then the best of the four systems is changed in one situation at a time:
criterion and genes of another system replace its own there. With the best system itself these are the twelve
combinations of criteria and situations of paper 000, IV-C. At last the best choice for each situation is combined
into one policy, and the best policy of all is the result.

All systems learn at the same time: one generation of each is simulated together, so that many workers have enough to
do. Each system has its own random numbers, so that it learns the same when it is trained alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import as_path
from ..core.arrays import Floats, Ints
from ..core.errors import one_of
from ..core.situations import SITUATIONS
from ..encodings import weighting
from ..encodings.weighting import Weighting
from ..policies.greedy_order import BACKFILLS, CRITERIA, Greedy, gene_names
from ..search.evaluation import Compute, TlsFiles, versions
from ..search.resuming import Record
from ..wishes.wish_files import WishLike
from ..workload.reopening import WorkloadLike
from .evolution_strategy import CHILDREN, PARENTS, STRATEGIES, Search, limit_genomes, search
from .task import Task, data_of
from .training import Progress, Training, carry_out, training_of
from .validation import budget, learn

TASK = "train"
GENERATIONS = 100  # paper 000, IV-C
MOST_GENERATIONS = 20_000  # 2 million simulations a system
BEST = "best"
SCALES = ("linear", "log")
DECADES = 6  # of a gene on a logarithmic scale: K of f4 is in seconds, and a millionth of a day is a tenth of a second


def train(
    workloads: WorkloadLike | Sequence[WorkloadLike],
    wish: WishLike,
    *,
    criterion: str = BEST,
    backfill: str = "easy",
    generations: int | None = None,
    until: float | None = None,
    over: str | None = None,
    resample: int = 0,
    margin: float | str = 0,
    strategy: str = "es",
    scale: str = "linear",
    seed: int = 0,
    workers: int = 0,
    scheduler: str | None = None,
    tls: TlsFiles | None = None,
    run_directory: str | PathLike[str] | None = None,
    progress: Callable[[Progress], object] | None = None,
) -> Training:
    """Train Greedy for a wish.

    The same arguments return the same policy, for any number of workers. If the run directory holds the same training,
    it is continued, with the same result as if it had never stopped.

    Parameters
    ----------
    workloads
        What the policy learns from: one workload, or several with the same user groups; each may be the path of a log
        or of a run.
    wish
        What the owner wants; or a wish in words, or the path of a wish file.
    criterion
        "f1".."f4", or "best": all four, and their combinations.
    backfill
        "none" as in paper 000, "easy" or "conservative".
    generations
        Of 105 genomes each, after the first 15, for each criterion; CMA-ES gets as many genomes. By default 100, or
        those of the run that is continued.
    until
        Learn from the jobs submitted in this share of the time, and test on the rest, see `workload.split`. Groups by
        consumption are those of the jobs learnt from; users who appear only later are in the last group. A group of the
        wish that has no jobs in the rest is left out there, see `Training.groups_left_out`.
    over
        What is minimised with several workloads: the "sum" of the goals, as in paper 000, or the mean "ratio" of each
        goal to that of EASY, so that no workload counts more because its jobs are longer. Violations of limits are
        added. By default "sum"; with `resample` and a sum of response times "ratio".
    resample
        Learn also from so many workloads that are resampled by users from each training part, see `resample`: the
        objective is the mean over all, and the limits are those of the worst tenth (of fewer than 20, the worst one).
    margin
        Keep a distance of so many per cent to the limits, so that they are kept on other jobs, too. Or "auto": chosen
        in the training part by learning from its first two thirds, see `validation`, which costs a second training.
    strategy
        "es" as in paper 000, or "cma", see `evolution_strategy`.
    scale
        How genes are varied: "linear" as in paper 000, or "log", on a logarithmic scale within the same limits, down to
        a millionth of each. The terms of a criterion differ by orders of magnitude (in f1 one is a wait divided by a
        run time, another a run time in seconds): on a linear scale one term alone decides in most genomes.
    seed
        Of all random choices.
    workers, scheduler, tls
        Where simulations run, see `evaluation.evaluator`.
    run_directory
        The directory in which every evaluation is stored; by default none. With the margin "auto" it holds two runs,
        "validation" and "training".
    progress
        Called with a `Progress` after every generation.

    Raises
    ------
    InputError
        A parameter breaks its rule, the groups differ, the wish uses an undefined objective, or the directory holds
        another run.
    """
    compute = Compute(workers, scheduler, tls, progress)
    one_of("criterion", criterion, (*CRITERIA, BEST))
    one_of("backfill", backfill, BACKFILLS)
    one_of("strategy", strategy, STRATEGIES)
    one_of("scale", scale, SCALES)
    generations = budget(TASK, "generations", generations, run_directory, GENERATIONS, MOST_GENERATIONS)
    data = data_of(workloads, wish, over, until, resample, margin, seed)
    groups = data.whole[0].groups
    criteria = CRITERIA if criterion == BEST else (criterion,)
    evaluations = PARENTS + generations * CHILDREN
    total = len(criteria) * evaluations + mixed_systems(len(criteria))
    settings: dict[str, Any] = {"criterion": criterion, "backfill": backfill, "strategy": strategy, "scale": scale}
    settings |= {"generations": generations} | data.settings()

    def policy_of(genome: Floats) -> Greedy:
        return weighting.decode(genome, groups, backfill)

    def run(task: Task, place: Path | None, report: Callable[[Progress], object] | None) -> Record:
        return carry_out(
            TASK,
            task,
            settings,
            lambda: train_systems(criteria, len(groups), strategy, scale, evaluations, seed),
            Weighting(backfill),
            evaluations=total,
            software=versions() | ({"cma": version("cma")} if strategy == "cma" else {}),
            compute=compute._replace(progress=report),
            run_directory=place,
        )

    place = None if run_directory is None else as_path(run_directory)
    task, test, record, margins = learn(data, run, policy_of, evaluations=total, place=place, progress=progress)
    genomes, values = record.genomes, record.values
    champions = [(policy_of(genomes[row]), values[row]) for row in _champions(genomes, task.places(values))]
    return training_of(task, test, record, champions, settings, margins)


# --- the genomes of a training ---------------------------------------------------------------------------------------


def mixed_systems(criteria: int) -> int:
    """Return the number of genomes that combine several systems.

    Examples
    --------
    >>> mixed_systems(4), mixed_systems(1)
    (10, 0)
    """
    return len(SITUATIONS) * (criteria - 1) + 1 if criteria > 1 else 0


def train_systems(
    criteria: Sequence[str], groups: int, strategy: str, scale: str, evaluations: int, seed: int
) -> Search:
    """Search systems with one criterion each, all at the same time, and then their combinations.

    Yields genomes of `encodings.weighting`, (k, d), and is sent their fitness, (k,).
    """
    searches, generations = {}, {}
    best: dict[str, tuple[float, Floats]] = {}
    for criterion in criteria:
        highest = Weighting().lower_upper(groups)[1][_free(criterion, groups)]
        upper = np.ones(highest.size) if scale == "log" else highest
        own_seed = [seed, CRITERIA.index(criterion)]
        searches[criterion] = limit_genomes(search(strategy, np.zeros(upper.size), upper, own_seed), evaluations)
        generations[criterion] = next(searches[criterion])
    while generations:
        genomes = {criterion: _genomes(points, criterion, groups, scale) for criterion, points in generations.items()}
        fitness = yield np.concatenate(list(genomes.values()))
        generations = {}
        for criterion, own_genomes in genomes.items():
            part, fitness = np.split(fitness, [len(own_genomes)])
            i = int(part.argmin())
            if criterion not in best or part[i] < best[criterion][0]:
                best[criterion] = float(part[i]), own_genomes[i]
            with suppress(StopIteration):
                generations[criterion] = searches[criterion].send(part)
    if len(criteria) > 1:
        yield from _mixtures(best, groups)


def _mixtures(best: dict[str, tuple[float, Floats]], groups: int) -> Search:
    """Search changes of the best system: one situation at a time, then all changes together that are better."""
    winner = min(best, key=lambda criterion: best[criterion][0])
    lowest, genome = best[winner]
    others = [other for criterion, (_, other) in best.items() if criterion != winner]
    changes = [(situation, other) for situation in range(len(SITUATIONS)) for other in others]
    fitness = yield np.array([_with_situation(genome, situation, other, groups) for situation, other in changes])
    together = genome
    for situation, of_situation in enumerate(np.split(fitness, len(SITUATIONS))):
        i = int(of_situation.argmin())
        if of_situation[i] < lowest:
            together = _with_situation(together, situation, others[i], groups)
    yield together[None]


def _free(criterion: str, groups: int) -> NDArray[np.int64]:
    """Return the places of the genes that a system of one criterion varies, (d,) int64."""
    names = gene_names(groups) * len(SITUATIONS)
    return np.array([i for i, name in enumerate(names) if criterion != "f3" or name != "b"])


def _genomes(points: Floats, criterion: str, groups: int, scale: str) -> Floats:
    """Return whole genomes, (k, genes), with the genes that vary, (k, d)."""
    free = _free(criterion, groups)
    whole = np.zeros((len(points), len(Weighting().gene_labels(groups))))
    if scale == "log":
        whole[:, free] = Weighting().lower_upper(groups)[1][free] * 10.0 ** (DECADES * (points - 1))
    else:
        whole[:, free] = points
    whole[:, -len(SITUATIONS) :] = CRITERIA.index(criterion) + 0.5  # the middle, as `weighting.encode` has it
    return whole


def _with_situation(genome: Floats, situation: int, other: Floats, groups: int) -> Floats:
    """Return a genome with the criterion and the genes of another one in one situation."""
    genes = 2 * groups + 2
    child = genome.copy()
    for places in (slice(situation * genes, (situation + 1) * genes), situation - len(SITUATIONS)):
        child[places] = other[places]
    return child


def _champions(genomes: Floats, places: Ints) -> Iterator[int]:
    """Yield the row of the best genome of each combination of criteria, in the order of their first simulations."""
    _, first, combinations = np.unique(
        np.floor(genomes[:, -len(SITUATIONS) :]), axis=0, return_index=True, return_inverse=True
    )
    for combination in np.argsort(first):
        rows = np.flatnonzero(combinations.ravel() == combination)
        yield int(rows[places[rows].argmin()])

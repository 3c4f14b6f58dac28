"""Training of guarded orders for a wish with limits: how strict the guard is, how jobs age, what a class is worth.

A guard compares itself with EASY while it runs, so that much of what keeps limits on later jobs is in the policy, and
four numbers are left to choose, see `paretosched.encodings.guarded_order`. They are drawn evenly from their ranges, and
not searched: simulated response times are rough in them, and a search could follow what only these jobs have.

What was learnt on a year must hold in each part of it. So the log is learnt from as a whole and in five parts of equal
time, each simulated alone from an idle machine: the goal is the mean of all in shares of EASY's, and limits must be
kept on each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy.stats import qmc

from ..core.arguments import as_path
from ..core.arrays import Floats
from ..core.errors import InputError
from ..encodings.guarded_order import GENES, POLICY, GuardedOrders
from ..policies.guarded import guarded_text
from ..policies.policy import Policy
from ..policies.priority import checked_group_names
from ..search.evaluation import Compute, TlsFiles, versions
from ..search.resuming import Record
from ..wishes.wish import wish_text
from ..wishes.wish_files import WishLike
from ..workload.reopening import WorkloadLike
from .evolution_strategy import Search
from .guarded_reference import guarded_of
from .task import Task, data_of, tasks
from .training import Progress, Training, carry_out, training_of
from .validation import budget, learn

TASK = "train guarded"
EVALUATIONS = 250
MOST_EVALUATIONS = 10**6
WINDOWS = 5  # parts of a log, beside the whole
GENERATION = 32  # genomes; a power of two, so that each one covers the ranges evenly


def train_guarded(
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
    """Train a guarded order for a wish: groups come first while limits relative to EASY are kept.

    The same arguments return the same policy, for any number of workers. If the run directory holds the same training,
    it is continued, with the same result as if it had never stopped.

    EASY and the untrained guarded order of the wish are tried first: without a margin the result is never worse than
    these on the training data, and is EASY if only EASY keeps the limits on all parts of it.

    Parameters
    ----------
    workloads, wish
        As for `train`. The wish has a group in its sum, and a limit on AWRT or on a group.
    evaluations
        Policies to try, each on the whole log and on five parts of it; by default 250, or those of the run that is
        continued.
    until, over, resample, margin, seed, workers, scheduler, tls, run_directory, progress
        As for `train`.

    Returns
    -------
    Training
        Its system is the best policy.

    Raises
    ------
    InputError
        A parameter breaks its rule, the groups differ, no guarded order is for the wish, or the directory holds
        another run.
    """
    compute = Compute(workers, scheduler, tls, progress)
    evaluations = budget(TASK, "evaluations", evaluations, run_directory, EVALUATIONS, MOST_EVALUATIONS)
    data = data_of(workloads, wish, over, until, resample, margin, seed, windows=WINDOWS)
    checked_group_names("groups", data.whole[0].groups)
    made = tasks(data)
    untrained = guarded_of(made[0])
    if untrained is None:
        raise InputError(
            "a guarded order must have a wish with a group in its sum and a limit on AWRT or on a group, such as "
            f'"10*AWRT1, AWRT <= EASY, all <= 1.25*EASY", but the wish is {wish_text(data.wish)}'
        )
    known = ("easy", guarded_text(untrained))
    encoding = GuardedOrders(untrained.first, untrained.overall, untrained.each, known)
    settings: dict[str, Any] = {"class": "guarded", "evaluations": evaluations} | data.settings()

    def run(task: Task, place: Path | None, report: Callable[[Progress], object] | None) -> Record:
        return carry_out(
            TASK,
            task,
            settings,
            lambda: draws(len(known), evaluations, seed),
            encoding,
            evaluations=evaluations,
            software=versions() | {"scipy": scipy.__version__},
            compute=compute._replace(progress=report),
            run_directory=place,
        )

    def policy_of(genome: Floats) -> Policy:
        return encoding.policy_of(genome, data.whole[0].groups)

    place = None if run_directory is None else as_path(run_directory)
    task, test, record, margins = learn(
        data, run, policy_of, made=made, evaluations=evaluations, place=place, progress=progress
    )
    best = int(task.places(record.values).argmin())
    policies = [(policy_of(record.genomes[best]), record.values[best])]
    return training_of(task, test, record, policies, settings, margins)


def draws(policies: int, evaluations: int, seed: int) -> Search:
    """Yield the genomes of a training, (k, 5): the policies in words, then numbers that cover the ranges evenly.

    The first draws are the same for any number of evaluations.

    Examples
    --------
    >>> [genomes.shape for genomes in draws(2, 40, 0)]
    [(2, 5), (32, 5), (6, 5)]
    """

    def generations() -> Iterator[Floats]:
        named = np.zeros((policies, len(GENES)))
        named[:, POLICY] = np.arange(policies) + 1
        yield named
        sequence = qmc.Sobol(len(GENES) - 1, rng=np.random.default_rng(seed))
        while True:
            yield np.column_stack([np.zeros(GENERATION), sequence.random(GENERATION)])

    left = evaluations
    for genomes in generations():
        yield genomes[:left]
        left -= len(genomes)
        if left <= 0:
            return

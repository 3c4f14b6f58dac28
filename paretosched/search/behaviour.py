"""What a policy does, for the surrogate of `algorithms.surrogate`: the order it gives to a sample of waiting jobs.

The jobs are drawn where EASY lets them wait, as many of each group, since a response time is predicted for each, and
within a group by the processor seconds they request times their waits, because these are what a response time is a mean
of. A job has waited for a random part of its wait, shortened or lengthened by up to `SPREAD` decades: other policies
make other jobs wait. It is compared with those of the same situation.

A trained order is compared by the order in which it tries jobs for backfilling and by its reservations, too.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Ints
from ..core.situations import SITUATIONS
from ..encodings.trained_order import (
    BLOCKS,
    BY_SITUATION,
    ENTITLED,
    HEAD,
    LONGEST,
    OWN_BACKFILLING,
    POLICY,
    RESERVATIONS,
    keys_of,
)
from ..encodings.weighting import genes_and_criteria
from ..policies.greedy_explanation import key
from ..policies.greedy_order import CRITERIA
from ..simulation.simulator import simulate
from ..workload.workload import Workload
from .algorithms.surrogate import Behaviour

JOBS = 180  # in all situations together
LEAST_WAIT = 60.0  # s; also jobs that EASY starts at once may have to wait
SPREAD = 0.5  # decades
# Of trained orders. Two orders by chance are as far from each other as a distance of some 5.
OF_BACKFILLING = 0.5  # what the order of backfilling counts, in that of the waiting jobs
OF_NUMBERS = 3.0  # what a gene of reservations counts, from one end of its range to the other
NUMBERS = [POLICY, RESERVATIONS, ENTITLED, LONGEST]


class Probes(NamedTuple):
    """Waiting jobs of one situation, those that come first when keys are equal in front.

    Attributes
    ----------
    group
        (k,) int64.
    wait, estimate, width
        (k,) float64: seconds so far, requested seconds, processors.
    """

    group: Ints
    wait: Floats
    estimate: Floats
    width: Floats


def of_weightings(workload: Workload, seed: int) -> Behaviour:
    """Return the function of weightings, (k, d), to the places of a sample of jobs in their orders, (k, JOBS).

    A place is a share of the jobs of its situation, in [0, 1).

    Examples
    --------
    First come, first served, and the other way round: the group decides.

    >>> w = Workload([0, 5], [10, 10], [10, 10], [4, 4], 4, group=[0, 1], groups=("1", "2"))
    >>> genomes = [[*[1, 1, *K, 0, 0] * 3, 1, 1, 1] for K in ([5, 0], [0, 5])]
    >>> places = of_weightings(w, seed=0)(np.array(genomes, dtype=float))
    >>> places.shape, bool((np.sort(places[0]) == np.sort(places[1])).all()), bool((places[0] != places[1]).all())
    ((2, 180), True, True)
    """
    probes = probes_of(workload, np.random.default_rng([seed, JOBS]))

    def behaviour(genomes: Floats) -> Floats:
        genes, criteria = genes_and_criteria(genomes)
        parts = zip(probes, np.moveaxis(genes, 1, 0), criteria.T, strict=True)
        return np.concatenate([places_in(*part) for part in parts], axis=1)

    return behaviour


def of_trained_orders(workload: Workload, seed: int) -> Behaviour:
    """Return the function of trained orders, (k, d), to what they do with a sample of jobs, (k, 2 JOBS + 4).

    Two places of each job, among those that wait and among those that are tried for backfilling; then numbers.

    Examples
    --------
    >>> w = Workload([0, 5], [10, 10], [10, 10], [4, 4], 4, group=[0, 1], groups=("1", "2"))
    >>> from paretosched.encodings.trained_order import TrainedOrders
    >>> encoding, genomes = TrainedOrders().examples(w.groups)
    >>> of_trained_orders(w, seed=0)(genomes).shape
    (2, 364)
    """
    probes = probes_of(workload, np.random.default_rng([seed, JOBS]))

    def behaviour(genomes: Floats) -> Floats:
        blocks = genomes[:, len(HEAD) :].reshape(len(genomes), len(BLOCKS), -1)
        by_situation = genomes[:, [BY_SITUATION]] >= 0.5
        has_own = genomes[:, [OWN_BACKFILLING]] >= 0.5
        waiting: list[Floats] = []
        tried: list[Floats] = []
        for situation, jobs in enumerate(probes):
            order = np.where(by_situation, blocks[:, situation], blocks[:, 0])
            of_backfilling = np.where(has_own, blocks[:, -1], order)
            for places, genes in ((waiting, order), (tried, of_backfilling)):
                places.append(_places(keys_of(genes, *jobs)))
        numbers = OF_NUMBERS * genomes[:, NUMBERS]
        return np.concatenate([*waiting, *(OF_BACKFILLING * places for places in tried), numbers], axis=1)

    return behaviour


BEHAVIOURS: MappingProxyType[str, Callable[[Workload, int], Behaviour]] = MappingProxyType(
    {"weighting": of_weightings, "priority": of_trained_orders}
)
"""Functions of a workload and a seed to what genomes do, by the encoding of these."""


def probes_of(workload: Workload, generator: np.random.Generator) -> list[Probes]:
    """Return a sample of waiting jobs in each situation; none for a situation in which none of the sample waits."""
    w = workload
    wait = np.maximum(simulate(w, "easy").start - w.eligible, LEAST_WAIT)
    share = wait * w.estimate * w.width
    present = np.unique(w.group)
    sizes = np.full(present.size, JOBS // present.size)
    sizes[: JOBS % present.size] += 1
    of_groups = [np.flatnonzero(w.group == group) for group in present]
    rows = np.concatenate(
        [
            generator.choice(jobs, size, p=share[jobs] / share[jobs].sum())
            for jobs, size in zip(of_groups, sizes, strict=True)
        ]
    )
    waited = wait[rows] * generator.random(rows.size)
    moment = w.eligible[rows] + waited
    waited = np.ceil(waited * 10 ** generator.uniform(-SPREAD, SPREAD, rows.size))
    situation = w.calendar.kind[np.searchsorted(w.calendar.begin, moment, side="right") - 1]
    by_arrival = np.lexsort((rows, -waited))
    chosen = [by_arrival[situation[by_arrival] == s] for s in range(len(SITUATIONS))]
    columns = w.group[rows], waited, w.estimate[rows].astype(np.float64), w.width[rows].astype(np.float64)
    return [Probes(*(column[these] for column in columns)) for these in chosen]


def places_in(probes: Probes, genes: Floats, criteria: Ints) -> Floats:
    """Return the places of the jobs of a situation in the orders of weightings, (n, k), as shares of k.

    Parameters
    ----------
    probes
        The k jobs.
    genes
        (n, 2 G + 2) of the situation.
    criteria
        (n,) places among CRITERIA.
    """
    groups = genes.shape[1] // 2 - 1
    count = probes.group.size
    keys = np.empty((len(genes), count))
    for place, criterion in enumerate(CRITERIA):
        rows = np.flatnonzero(criteria == place)
        of_rows = genes[rows]
        w, K, a, b = of_rows[:, probes.group], of_rows[:, groups + probes.group], of_rows[:, -2:-1], of_rows[:, -1:]
        keys[rows] = key(criterion, w, K, a, b, probes.wait, probes.estimate, probes.width)
    return _places(keys)


def _places(keys: Floats) -> Floats:
    """Return the places of jobs by their keys, (n, k), as shares of k; the largest key comes first."""
    count = keys.shape[1]
    orders = np.argsort(-keys, axis=1, kind="stable")
    places = np.empty_like(keys)
    np.put_along_axis(places, orders, np.arange(count) / max(count, 1), axis=1)
    return places

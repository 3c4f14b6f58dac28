"""Fronts for the tests of plots, reports and the page: they look like real ones, but need no simulation."""

from typing import Any

import numpy as np

from paretosched.comparison.comparison import Comparison
from paretosched.encodings.encoding import Explored
from paretosched.encodings.weighting import Weighting
from paretosched.fronts.front import Front, Origin, front_of
from paretosched.simulation.objective import improvement

EASY = Weighting()


def a_run(name: str = "run-a") -> Origin:
    return Origin(name, "nsga2", 71, 100, Weighting(), evaluations=25_000)


def a_front(
    points: int = 50, *, name: str = "made up", groups: tuple[str, ...] = tuple("12345"), empty: int = -1
) -> Front:
    """Return a front of correlated log-normal response times, with AWRT as their mean; group `empty` has no jobs."""
    rng = np.random.default_rng(5)
    count = len(groups)
    weight = rng.dirichlet(np.full(count, 0.8), points)
    excess = np.exp(rng.normal(scale=0.5, size=(points, count)) - 6 * weight)
    awrt_of = np.linspace(60_000, 30_000, count) * (1 + np.geomspace(0.3, 2.0, count) * excess)
    share = np.full(count, 1 / count)
    if empty >= 0:
        share = np.where(np.arange(count) == empty, 0.0, 1 / (count - 1))
    awrt = awrt_of @ share
    util = 67 - awrt / awrt.max() + 0.1 * rng.normal(size=points)
    if empty >= 0:
        awrt_of[:, empty] = np.nan
    return made_up(np.column_stack([util, awrt, awrt_of]), groups, name, "ab12" * 16)


def made_up(values: np.ndarray, groups: tuple[str, ...], name: str, digest: str, encoding: Explored = EASY) -> Front:
    """Return a front of any values, (p, m); the genomes are all zero."""
    points = len(values)
    genomes = np.zeros((points, len(encoding.gene_labels(len(groups)))))
    run = a_run()._replace(encoding=encoding)
    return Front(
        values, genomes, np.zeros(points, dtype=np.int64), np.arange(points) * 3, (run,), groups, name, digest,
        (genomes[:0],),
    )  # fmt: skip


def a_comparison(front: Any, names: tuple[str, ...] = ("EASY", "FCFS", "recorded")) -> Comparison:
    """Return a comparison of policies near the middle of the front; only FCFS is far away from it."""
    middle = np.median(front.values, axis=0)
    values = np.array([middle * (6.0 if name == "FCFS" else 1.0 + 0.02 * k) for k, name in enumerate(names)])
    sign = np.array([1.0 if o.maximise else -1.0 for o in front.objectives])
    return Comparison(
        front.workload,
        front.digest,
        133_024,
        1024,
        front.objectives,
        names,
        values,
        improvement(values, values[0]),
        np.where(sign > 0, 68.0, 0.9 * front.values.min(axis=0)),
        "ideal point: made up",
        np.array([14, 50, 0]),
        np.array([0, 0, 7]),
        sign * (sign * front.values).max(axis=0),
    )


def random_front(
    seed: int,
    rows: int = 30,
    levels: int = 6,
    groups: int = 2,
    name: str = "",
    digest: str = "d",
    backfill: str = "easy",
) -> Front:
    """Return a front of whole numbers with many ties; the name and seed of its run follow from `seed`."""
    r = np.random.default_rng(seed)
    values = r.integers(0, levels, (rows, groups + 2)).astype(float)
    values[:, 1] = values[:, 2:].mean(axis=1)
    upper = Weighting().lower_upper(groups)[1]
    genomes = upper * r.random((rows, upper.size))
    run = Origin(name or f"run{seed}", "nsga2", seed, 10, Weighting(backfill))
    return front_of(values, genomes, run, tuple(str(i + 1) for i in range(groups)), "w", digest)

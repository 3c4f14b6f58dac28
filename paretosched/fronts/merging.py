"""One front of several: the points that no point of any of them dominates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from .dominance import nondominated_rows
from .front import Front, check_same_utilisation, check_same_workload, value_order
from .front_files import FrontLike, as_fronts


def merge(fronts: FrontLike | Sequence[FrontLike], *others: FrontLike | Sequence[FrontLike]) -> Front:
    """Return the front of several fronts of one workload, each a front or the path of a run or front file.

    They are given one by one, or as lists: `merge(a, b)` is `merge([a, b])`. Their order does not matter, and neither
    does a front that is given twice.

    Of equal points, the point of the first run (sorted by parameters) and of its earliest evaluation stays. If the same
    run comes in a shorter and a longer state, the longer one is among the origins.

    Where UTIL counts from the first submission in one front and from the first start in another, the schedules of one
    kind must be online: then both are one for them, see `Front.util_from`.

    Raises
    ------
    InputError
        There is no front, they belong to different workloads, or UTIL counts from different times.
    """
    inputs = [front for what in (fronts, *others) for front in as_fronts(what)]
    if not inputs:
        raise InputError("there is no front to merge; give one or more")
    first = inputs[0]
    for other in inputs[1:]:
        check_same_workload(first, other)
    check_same_utilisation(inputs)
    runs = sorted((o for f in inputs for o in f.origins), key=lambda o: (o.evaluations, o.key, o.name, o))
    run_of_key = {o.key: o for o in runs}  # the last one stays: the longest
    keys = sorted(run_of_key)
    index = {key: i for i, key in enumerate(keys)}
    values = np.concatenate([f.values for f in inputs])
    longest = max(f.genomes.shape[1] for f in inputs)
    genomes = np.concatenate([_with_columns(f.genomes, longest) for f in inputs])
    evaluation = np.concatenate([f.evaluation for f in inputs])
    places = [np.array([index[o.key] for o in f.origins], dtype=np.int64)[f.origin] for f in inputs]
    run = np.concatenate(places)
    order = value_order(values, evaluation, run)
    order = order[nondominated_rows(values[order], first.objectives)]
    name = min(f.workload for f in inputs)
    origins = tuple(run_of_key[key] for key in keys)
    values, genomes, evaluation, run = values[order], genomes[order], evaluation[order], run[order]
    ancestors_of: list[list[Floats]] = [[] for _ in keys]
    for f in inputs:
        for o, rows in zip(f.origins, f.ancestors, strict=True):
            ancestors_of[index[o.key]].append(rows)
    ancestors = []
    for i, (origin, parts) in enumerate(zip(origins, ancestors_of, strict=True)):
        rows = np.unique(np.concatenate(parts), axis=0)
        ancestors.append(origin.encoding.ancestry(rows, genomes[run == i, : rows.shape[1]]))
    return Front(
        values, genomes, run, evaluation, origins, first.groups, name, first.digest, tuple(ancestors), first.measured
    )


def _with_columns(genomes: Floats, columns: int) -> Floats:
    """Return genomes with so many columns, the new ones NaN."""
    return np.pad(genomes, ((0, 0), (0, columns - genomes.shape[1])), constant_values=np.nan)

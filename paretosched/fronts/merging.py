"""One front of several: what is not dominated in any of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arrays import Floats
from ..core.errors import InputError
from .dominance import nondominated
from .front import Front, check_same_workload, value_order
from .front_files import FrontLike, as_fronts


def merge(fronts: FrontLike | Sequence[FrontLike]) -> Front:
    """Merge fronts of one workload, each a front or the path of a run or front file.

    The order of `fronts` changes nothing, and neither does a front that is given twice.

    Of equal points the one from the first run (sorted by parameters) and its earliest evaluation stays. Of the same
    run met twice, shorter and longer, the longer one is named.

    Raises
    ------
    InputError
        There is no front, or they belong to different workloads.
    """
    every_front = as_fronts(fronts)
    if not every_front:
        raise InputError("fronts must be at least one, but there is none")
    first = every_front[0]
    for other in every_front[1:]:
        check_same_workload(first, other)
    every = sorted((o for f in every_front for o in f.origins), key=lambda o: (o.evaluations, o.key, o.name, o))
    named = {o.key: o for o in every}  # the last one stays: the longest
    keys = sorted(named)
    index = {key: i for i, key in enumerate(keys)}
    values = np.concatenate([f.values for f in every_front])
    longest = max(f.genomes.shape[1] for f in every_front)
    genomes = np.concatenate([_widened(f.genomes, longest) for f in every_front])
    evaluation = np.concatenate([f.evaluation for f in every_front])
    places = [np.array([index[o.key] for o in f.origins], dtype=np.int64)[f.origin] for f in every_front]
    origin_ = np.concatenate(places)
    order = value_order(values, evaluation, origin_)
    order = order[nondominated(values[order], first.objectives)]
    name = min(f.workload for f in every_front)
    origins = tuple(named[key] for key in keys)
    values, genomes, evaluation, origin_ = values[order], genomes[order], evaluation[order], origin_[order]
    older: list[list[Floats]] = [[] for _ in keys]
    for f in every_front:
        for o, rows in zip(f.origins, f.ancestors, strict=True):
            older[index[o.key]].append(rows)
    ancestors = []
    for i, (origin, parts) in enumerate(zip(origins, older, strict=True)):
        known = np.unique(np.concatenate(parts), axis=0)
        own = genomes[origin_ == i, : known.shape[1]]
        ancestors.append(origin.encoding.ancestry(known, own))
    return Front(values, genomes, origin_, evaluation, origins, first.groups, name, first.digest, tuple(ancestors))


def _widened(genomes: Floats, columns: int) -> Floats:
    return np.pad(genomes, ((0, 0), (0, columns - genomes.shape[1])), constant_values=np.nan)

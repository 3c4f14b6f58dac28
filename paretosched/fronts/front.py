"""A front: the non-dominated points of everything that was evaluated; merging, loading and saving fronts.

Objective values keep their natural units and directions here; `costs` is the one place where signs change.

AWRT is a mean of the AWRT_i with weights no schedule can change (see `objectives`), so it can never decide whether one
point dominates another. It is carried along, but takes no part in dominance or in `indicators`; neither does
the AWRT_i of a group without jobs, which is undefined (NaN) in every row.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints
from ..core.errors import InputError
from ..core.notebook import html_table
from ..encodings import encoding as encodings
from ..encodings.encoding import ENCODINGS, Explored
from ..simulation.objective import Objective, objective_table
from .dominance import costs, nondominated


class Origin(NamedTuple):
    """The run that rows of a front come from.

    Two runs on one workload that agree in `key` are the same run: everything it evaluates follows from that.

    Attributes
    ----------
    name
        Name of the run directory.
    algorithm, seed, population
        The parameters of the run.
    encoding
        What its genomes mean.
    begun
        (name, value) pairs of what it began with: start, strategy parameters, horizon.
    versions
        (package, version) pairs of the software it was started with.
    evaluations
        Number of points evaluated.
    points, duplicates
        Rows of the run's own front, and non-dominated points left out of it because their values were there already.
    """

    name: str
    algorithm: str
    seed: int
    population: int
    encoding: Explored
    begun: tuple[tuple[str, str], ...] = ()
    versions: tuple[tuple[str, str], ...] = ()
    evaluations: int = 0
    points: int = 0
    duplicates: int = 0

    @property
    def key(self) -> tuple[Any, ...]:
        """What makes two runs the same run, and sorts runs."""
        encoding = json.dumps(encodings.to_json(self.encoding), sort_keys=True)
        return encoding, self.algorithm, self.seed, self.population, self.begun, self.versions


@dataclass(frozen=True, eq=False, repr=False)
class Front:
    """Points of which none dominates another.

    Parameters
    ----------
    values
        (p, m) float64 in natural units, sorted by value; columns as in `objectives`; NaN columns are undefined.
    genomes
        (p, d) float64, as the encoding of the run says; d is that of the longest genome, shorter ones end in NaN.
    origin
        (p,) int64, the run a row comes from, index into `origins`.
    evaluation
        (p,) int64, its number within that run, from 0.
    origins
        The runs behind the front, sorted.
    groups
        Names of the user groups.
    workload, digest
        Name and digest of the workload; fronts of different digests do not merge.
    ancestors
        For each run (k, d) float64, sorted: the genomes that its rows here descend from. Only sequences have any.
    """

    values: Floats
    genomes: Floats
    origin: Ints
    evaluation: Ints
    origins: tuple[Origin, ...]
    groups: tuple[str, ...]
    workload: str
    digest: str
    ancestors: tuple[Floats, ...]

    def __post_init__(self) -> None:
        p, m = len(self.values), len(self.groups) + 2
        d = max((len(encodings.gene_labels(o.encoding, m - 2)) for o in self.origins), default=0)
        shapes = {"values": (p, m), "genomes": (p, d), "origin": (p,), "evaluation": (p,)}
        for key, shape in shapes.items():
            kind = np.float64 if key in {"values", "genomes"} else np.int64
            own = np.array(getattr(self, key), dtype=kind, order="C")
            if own.shape != shape:
                raise InputError(f"{key} of a front must have shape {shape}, but has {own.shape}")
            own.flags.writeable = False
            object.__setattr__(self, key, own)
        if not np.isin(self.origin, np.arange(len(self.origins))).all():
            raise InputError(f"origin of a front must be in 0..{len(self.origins) - 1}, but is not")
        if len(self.ancestors) != len(self.origins):
            raise InputError(f"a front of {len(self.origins)} runs must have ancestors for each, but has not")

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Front of {self.workload}: {len(self):,} of {self.evaluations:,} schedules>"

    def _repr_html_(self) -> str:
        names = [o.name for o in self.objectives]
        rows = [(f"best {o.name}", row, *self.values[row].tolist()) for o, row in extremes(self)]
        return html_table(repr(self).strip("<>"), ("schedule", "row", *names), rows)

    def frame(self) -> Any:
        """Return the front as a pandas DataFrame: one row a schedule, see the function `frame`."""
        return frame(self)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What the columns of `values` are."""
        return objective_table(self.groups)

    @property
    def evaluations(self) -> int:
        """Points evaluated by all runs together."""
        return sum(origin.evaluations for origin in self.origins)


def front_of(
    values: Floats, genomes: Floats, run: Origin, groups: tuple[str, ...], workload: str = "workload", digest: str = ""
) -> Front:
    """Take the front of everything one run has evaluated.

    Parameters
    ----------
    values, genomes
        (n, m) and (n, d), in the order of evaluation.
    run
        Its parameters; evaluations, points and duplicates are counted here.
    groups
        Names of the user groups.
    workload, digest
        Name and digest of the workload.
    """
    import moocore

    objectives = objective_table(groups)
    rows = np.flatnonzero(nondominated(values, objectives))
    weakly = int(moocore.is_nondominated(costs(values, objectives), keep_weakly=True).sum()) if len(values) else 0
    run = run._replace(evaluations=len(values), points=len(rows), duplicates=weakly - len(rows))
    rows = rows[value_order(values[rows], rows)]
    none = np.zeros(len(rows), dtype=np.int64)
    older = encodings.ancestry(run.encoding, genomes, genomes[rows])
    return Front(values[rows], genomes[rows], none, rows, (run,), groups, workload, digest, (older,))


def extremes(front: Front) -> list[tuple[Objective, int]]:
    """Find the best row for each objective; of equally good rows the first. Undefined objectives are left out."""
    found = []
    for objective, column in zip(front.objectives, front.values.T, strict=True):
        if column.size and not np.isnan(column).any():
            found.append((objective, int(np.argmax(column) if objective.maximise else np.argmin(column))))
    return found


def spread(front: Front, count: int, among: NDArray[np.bool_] | None = None) -> Ints:
    """Choose rows that are spread over a front, (count,) int64, or all if there are not more.

    First the best for each objective, then always the row that is farthest from all chosen ones; distances are taken
    where each deciding objective goes from 0 to 1.

    Parameters
    ----------
    front
        Any front.
    count
        How many.
    among
        (p,) bool, the rows to choose from; None for all.
    """
    rows = np.arange(len(front)) if among is None else np.flatnonzero(among)
    points = costs(front.values, front.objectives)[rows]
    if len(points) <= count:
        return rows
    low, high = points.min(axis=0), points.max(axis=0)
    points = (points - low) / np.where(high > low, high - low, 1.0)
    chosen = list(dict.fromkeys(points.argmin(axis=0).tolist()))[:count]
    far = np.full(len(points), np.inf)
    for k in range(count):
        if k == len(chosen):
            chosen.append(int(np.argmax(far)))
        far = np.minimum(far, ((points - points[chosen[k]]) ** 2).sum(axis=1))
        far[chosen[k]] = -1.0
    return rows[chosen]


def online(front: Front) -> NDArray[np.bool_]:
    """Tell which rows an online policy made; the others know the future, (p,) bool."""
    found = np.zeros(len(front), dtype=np.bool_)
    for i, origin in enumerate(front.origins):
        rows = np.flatnonzero(front.origin == i)
        length = len(encodings.gene_labels(origin.encoding, len(front.groups)))
        found[rows] = encodings.online(origin.encoding, front.genomes[rows, :length])
    return found


def genome(front: Front, row: int) -> tuple[Origin, Floats]:
    """Give the run a row comes from, and the genome it was made from, (d,).

    Raises
    ------
    InputError
        There is no such row.
    """
    if not 0 <= row < len(front):
        raise InputError(f"row must be in 0..{len(front) - 1}, but is {row}")
    origin = front.origins[front.origin[row]]
    return origin, front.genomes[row, : len(encodings.gene_labels(origin.encoding, len(front.groups)))]


def frame(front: Front) -> Any:
    """Give a front as a pandas DataFrame: one row a schedule; objectives, genes, name of the run, evaluation.

    Column names are those of the front file; times are in seconds.
    """
    import pandas as pd

    columns = columns_of(front)
    table = pd.DataFrame({name: column for name, column in columns.items() if name not in ("run", "evaluation")})
    return table.assign(run=[front.origins[i].name for i in front.origin], evaluation=front.evaluation)


def gene_columns(origins: Sequence[Origin], groups: int) -> list[tuple[type[Explored], list[str]]]:
    """Name the columns of the genes of every encoding that is there."""
    blocks = []
    for kind in ENCODINGS.values():
        of = [o.encoding for o in origins if type(o.encoding) is kind]
        if of:
            blocks.append((kind, encodings.gene_labels(of[0], groups)))
    return blocks


def columns_of(front: Front) -> dict[str, NDArray[Any]]:
    """Give the columns of a front as a table."""
    columns: dict[str, NDArray[Any]] = dict(zip((o.name for o in front.objectives), front.values.T, strict=True))
    for kind, labels in gene_columns(front.origins, len(front.groups)):
        of = np.isin(front.origin, [i for i, o in enumerate(front.origins) if type(o.encoding) is kind])
        for label, genes in zip(labels, front.genomes.T, strict=False):
            columns[label] = np.where(of, genes, np.nan)
    return columns | {"run": front.origin, "evaluation": front.evaluation}


def value_order(values: Floats, *ties: Ints) -> Ints:
    """Sort rows by value, first column first; equal ones by the last of `ties`, then the one before it."""
    return np.lexsort((*ties, *values.T[::-1]))


def called(front: Front) -> str:
    """Name a front in a message or a table: its workload and its runs."""
    return f"{front.workload} ({', '.join(dict.fromkeys(o.name for o in front.origins))})"

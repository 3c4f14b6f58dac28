"""A front: the non-dominated points of all evaluations.

Objective values keep their natural units and directions here; `costs` is the one place where signs change.

AWRT is a mean of the AWRT_i with weights that no schedule can change (see `objectives`), so it can never decide whether
one point dominates another. It is a column of a front, but takes no part in dominance or in `indicators`. Neither does
the AWRT_i of a group without jobs, which is undefined (NaN) in every row.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import whole_number
from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError
from ..core.notebook import fields_html, fields_repr, html_table
from ..encodings.encoding import ENCODINGS, Explored, to_json
from ..policies.policy import Policy
from ..simulation.objective import FROM_START, FROM_SUBMISSION, Objective, ObjectiveValues, objective_table
from ..workload.workload import NOTHING_MEASURED, Measured
from .dominance import costs, first_of_equals, nondominated_rows

if TYPE_CHECKING:
    import pandas as pd


UTIL_FROM_KEY = "util_from"  # in what a run says about its beginning; runs that do not say it are the papers'
ONLINE_LATE_KEY = "online_late"  # likewise: no job can run with the first submission, see `can_run_at_once`


class Origin(NamedTuple):
    """The run that rows of a front come from.

    Two runs on one workload with the same `key` are the same run: all its evaluations follow from the key.

    Attributes
    ----------
    name
        Name of the run directory.
    algorithm, seed, population
        The parameters of the run.
    encoding
        What its genomes mean.
    begun
        (name, value) pairs of its beginning: start, strategy parameters, horizon.
    versions
        (package, version) pairs of the software it was started with.
    evaluations
        Number of points evaluated.
    points, duplicates
        Rows of the run's own front, and non-dominated points left out of it because it has their values already.
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
        """Return what is equal for the same run only; runs are sorted by it."""
        encoding = json.dumps(to_json(self.encoding), sort_keys=True)
        return encoding, self.algorithm, self.seed, self.population, self.begun, self.versions

    @property
    def util_from(self) -> str:
        """Return from when on UTIL counts in this run, one of UTIL_FROM."""
        return dict(self.begun).get(UTIL_FROM_KEY, FROM_START)


@dataclass(frozen=True, eq=False)
class Evaluation:
    """One schedule of a front: `front[row]`.

    Parameters
    ----------
    name
        The run and the number of the evaluation within it, from 0.
    objectives
        Its objectives, by name.
    policy
        The online policy that made it; None if the schedule knows the future, or is made by limits, see `schedules`.
    genome
        (d,) float64, what it was made from, as the encoding of the run says.
    origin
        The run.
    """

    name: str
    objectives: ObjectiveValues
    policy: Policy | None
    genome: Floats
    origin: Origin

    __repr__ = fields_repr
    _repr_html_ = fields_html


@dataclass(frozen=True, eq=False, repr=False)
class Front:
    """Points of which none dominates another; `front[3]` is one of them, see `Evaluation`.

    Parameters
    ----------
    values
        (p, m) float64 in natural units, sorted by value; columns as in `objectives`; undefined ones are NaN.
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
    measured
        What is measured beside UTIL and AWRTs, in the last columns of `values`, and which objectives decide.
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
    measured: Measured = NOTHING_MEASURED

    def __post_init__(self) -> None:
        p, m = len(self.values), len(self.groups) + 2 + len(self.measured.names)
        d = max((len(o.encoding.gene_labels(len(self.groups))) for o in self.origins), default=0)
        shapes = {"values": (p, m), "genomes": (p, d), "origin": (p,), "evaluation": (p,)}
        for key, shape in shapes.items():
            kind = np.float64 if key in {"values", "genomes"} else np.int64
            array = np.array(getattr(self, key), dtype=kind, order="C")
            if array.shape != shape:
                raise InputError(f"{key} of a front must have shape {shape}, but has {array.shape}")
            array.flags.writeable = False
            object.__setattr__(self, key, array)
        if not np.isin(self.origin, np.arange(len(self.origins))).all():
            raise InputError(f"origin of a front must be in 0..{len(self.origins) - 1}, but is not")
        if len(self.ancestors) != len(self.origins):
            raise InputError(f"a front of {len(self.origins)} runs must have ancestors for each, but has not")

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Evaluation]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, row: int) -> Evaluation:
        """Return what was evaluated for a row; the last one is `front[-1]`.

        Raises
        ------
        InputError
            There is no such row.
        """
        place = whole_number("row", row)
        origin, genes = genome(self, place + len(self) if -len(self) <= place < 0 else place)
        number = int(self.evaluation[place])
        policy = origin.encoding.policy_of(genes, self.groups)
        if policy is not None:
            provenance = {
                "workload": self.workload,
                "digest": self.digest,
                "run": origin.name,
                "algorithm": origin.algorithm,
                "seed": origin.seed,
                "population": origin.population,
                "evaluation": number,
                "versions": dict(origin.versions),
            }
            policy = replace(policy, name=f"{origin.name}#{number}", provenance=provenance)
        values = ObjectiveValues(self.values[place], self.objectives)
        return Evaluation(f"{origin.name}#{number}", values, policy, genes, origin)

    def __repr__(self) -> str:
        return f"<Front of {self.workload}: {len(self):,} of {self.evaluations:,} schedules>"

    def _repr_html_(self) -> str:
        names = [o.name for o in self.objectives]
        rows = [(f"best {o.name}", row, *self.values[row].tolist()) for o, row in extremes(self)]
        return html_table(repr(self).strip("<>"), ("schedule", "row", *names), rows)

    def frame(self) -> pd.DataFrame:
        """Return the front as a pandas DataFrame: one row a schedule; objectives, genes, name of the run, evaluation.

        Column names are those of the front file; times are in seconds.
        """
        import pandas as pd

        numbers = {name: column for name, column in columns(self).items() if name not in ("run", "evaluation")}
        table = pd.DataFrame(numbers)
        return table.assign(run=[self.origins[i].name for i in self.origin], evaluation=self.evaluation)

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """Return the objectives, one for each column of `values`."""
        return objective_table(self.groups, self.util_from, self.measured)

    @cached_property
    def util_from(self) -> str:
        """Return from when on UTIL counts: "submission", or "start" as in the papers.

        Where there are runs of both kinds, the rows of one kind are online, so that both are one for them: then it is
        that of the others.
        """
        kinds = {origin.util_from for origin in self.origins}
        if len(kinds) < 2:
            return kinds.pop() if kinds else FROM_START
        from_start = np.array([origin.util_from == FROM_START for origin in self.origins])[self.origin]
        return FROM_SUBMISSION if online(self)[from_start].all() else FROM_START

    @cached_property
    def defined_objectives(self) -> tuple[Objective, ...]:
        """Return the objectives that every schedule has: those of groups with jobs."""
        return tuple(o for c, o in enumerate(self.objectives) if not np.isnan(self.values[:, c]).any())

    @property
    def evaluations(self) -> int:
        """Return how many points all runs together have evaluated."""
        return sum(origin.evaluations for origin in self.origins)


def front_of(
    values: Floats,
    genomes: Floats,
    run: Origin,
    groups: tuple[str, ...],
    workload: str = "workload",
    digest: str = "",
    among: Ints | None = None,
    measured: Measured = NOTHING_MEASURED,
) -> Front:
    """Return the front of all that one run has evaluated.

    Parameters
    ----------
    values, genomes
        (n, m) and (n, d), in the order of evaluation.
    run
        The run; its evaluations, points and duplicates are counted here.
    groups
        Names of the user groups.
    workload, digest
        Name and digest of the workload.
    among
        (c,) ascending, the rows that no row dominates, those that are equal to others included; found by default.
    measured
        What is measured, as of `Workload.measured`.
    """
    objectives = objective_table(groups, measured=measured)
    if among is None:
        among = np.flatnonzero(nondominated_rows(values, objectives, equal=True))
    rows = among[first_of_equals(values[among], objectives)]
    run = run._replace(evaluations=len(values), points=len(rows), duplicates=len(among) - len(rows))
    rows = rows[value_order(values[rows], rows)]
    origin = np.zeros(len(rows), dtype=np.int64)
    ancestors = run.encoding.ancestry(genomes, genomes[rows])
    return Front(values[rows], genomes[rows], origin, rows, (run,), groups, workload, digest, (ancestors,), measured)


def extremes(front: Front) -> list[tuple[Objective, int]]:
    """Return the best row for each objective; of equally good rows the first. Undefined objectives are left out."""
    rows = []
    for objective, column in zip(front.objectives, front.values.T, strict=True):
        if column.size and not np.isnan(column).any():
            rows.append((objective, int(np.argmax(column) if objective.maximise else np.argmin(column))))
    return rows


def spread(front: Front, count: int, among: Mask | None = None) -> Ints:
    """Return rows that are spread over a front, (count,) int64 row numbers, or all rows if there are not more.

    First the best row for each objective, then always the row that is farthest from all rows so far. For distances
    each deciding objective is scaled to 0..1.

    Parameters
    ----------
    front
        Any front.
    count
        How many rows.
    among
        (p,) bool, the rows to choose from; None for all.
    """
    rows = np.arange(len(front)) if among is None else np.flatnonzero(among)
    points = costs(front.values, front.objectives)[rows]
    if len(points) <= count:
        return rows
    low, high = points.min(axis=0), points.max(axis=0)
    points = (points - low) / np.where(high > low, high - low, 1.0)
    places = list(dict.fromkeys(points.argmin(axis=0).tolist()))[:count]
    far = np.full(len(points), np.inf)
    for k in range(count):
        if k == len(places):
            places.append(int(np.argmax(far)))
        far = np.minimum(far, ((points - points[places[k]]) ** 2).sum(axis=1))
        far[places[k]] = -1.0
    return rows[places]


def online(front: Front) -> Mask:
    """Return which rows an online policy made, (p,) bool; the schedules of other rows know the future."""
    mask = np.zeros(len(front), dtype=np.bool_)
    for i, origin in enumerate(front.origins):
        rows = np.flatnonzero(front.origin == i)
        length = len(origin.encoding.gene_labels(len(front.groups)))
        mask[rows] = origin.encoding.online(front.genomes[rows, :length])
    return mask


def genome(front: Front, row: int) -> tuple[Origin, Floats]:
    """Return the run that a row comes from, and the genome it was made from, (d,).

    Raises
    ------
    InputError
        There is no such row.
    """
    if not 0 <= whole_number("row", row) < len(front):
        raise InputError(f"row must be in 0..{len(front) - 1}, but is {row}")
    origin = front.origins[front.origin[row]]
    return origin, front.genomes[row, : len(origin.encoding.gene_labels(len(front.groups)))]


def gene_columns(origins: Sequence[Origin], groups: int) -> dict[str, list[str]]:
    """Return the columns that a front of some runs has for genes: their labels, by the name of the encoding."""
    labels: dict[str, list[str]] = {name: [] for name in ENCODINGS}
    for o in origins:  # of limits one may vary one more than another, the last one
        labels[o.encoding.name] = max(labels[o.encoding.name], o.encoding.gene_labels(groups), key=len)
    names = {o.encoding.name for o in origins}
    return {name: each for name, each in labels.items() if name in names}


def from_encoding(name: str, origin: Ints, origins: Sequence[Origin]) -> Mask:
    """Return which rows come from runs with the encoding of this name, (p,) bool; `origin` is (p,), as of `Front`."""
    return np.isin(origin, [i for i, o in enumerate(origins) if o.encoding.name == name])


def columns(front: Front) -> dict[str, NDArray[Any]]:
    """Return the columns of a front as a table, by their names, (p,) each: objectives, genes, run and evaluation.

    Every encoding has columns of its own, with NaN where a row has another encoding; "run" is the index into the
    runs of the front.
    """
    table: dict[str, NDArray[Any]] = dict(zip((o.name for o in front.objectives), front.values.T, strict=True))
    for name, labels in gene_columns(front.origins, len(front.groups)).items():
        rows = from_encoding(name, front.origin, front.origins)
        for label, genes in zip(labels, front.genomes.T, strict=False):
            table[label] = np.where(rows, genes, np.nan)
    return table | {"run": front.origin, "evaluation": front.evaluation}


def value_order(values: Floats, *ties: Ints) -> Ints:
    """Return the rows sorted by value, first column first; equal rows by the last of `ties`, then the tie before it."""
    return np.lexsort((*ties, *values.T[::-1]))


def check_same_workload(front: Front, other: Front) -> None:
    """Refuse two fronts that belong to different workloads; raises InputError."""
    if other.measured != front.measured:
        names = [", ".join(o.name for o in each.objectives if o.decides) for each in (front, other)]
        raise InputError(
            f"fronts must be of the same objectives, but {front_name(front)} is of {names[0]}, and {front_name(other)} "
            f"of {names[1]}; explore one of them again with the --objectives of the other"
        )
    if (other.digest, other.groups) != (front.digest, front.groups):
        raise InputError(
            f"fronts must belong to one workload, but {front_name(front)} and {front_name(other)} are different: "
            f"{front.digest[:12]} and {other.digest[:12]} by jobs, capacity and groups; give fronts of runs that began "
            "with the same log, capacity and groups"
        )


def check_same_utilisation(fronts: Sequence[Front]) -> None:
    """Refuse fronts of one workload whose UTIL counts from different times, unless both are one; raises InputError.

    They are one for online schedules, if a job can run with the first submission.
    """
    if len({front.util_from for front in fronts}) < 2:
        return
    kinds: dict[str, Front] = {}  # of each kind a front, one with schedules that are not online if there is such a one
    for front in fronts:
        if front.util_from not in kinds or online(kinds[front.util_from]).all():
            kinds[front.util_from] = front
    late = any(key == ONLINE_LATE_KEY for front in fronts for origin in front.origins for key, _ in origin.begun)
    if late or not any(online(front).all() for front in kinds.values()):
        raise InputError(
            f"UTIL must count from the same time, but in {front_name(kinds[FROM_SUBMISSION])} it does from the first "
            f"submission, and in {front_name(kinds[FROM_START])} from the first start, as in the papers; explore one "
            f'of them again, with util_from "{FROM_SUBMISSION}" or "{FROM_START}" as in the other'
        )


def front_name(front: Front) -> str:
    """Return the name of a front in a message or a table: its workload and its runs."""
    return f"{front.workload} ({', '.join(dict.fromkeys(o.name for o in front.origins))})"

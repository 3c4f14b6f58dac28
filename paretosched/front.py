"""A front: the non-dominated points of everything that was evaluated; merging, loading and saving fronts.

Objective values keep their natural units and directions here; `costs` is the one place where signs change.

AWRT is a mean of the AWRT_i with weights no schedule can change (see `objectives`), so it can never decide whether one
point dominates another. It is carried along, but takes no part in dominance or in `indicators`; neither does
the AWRT_i of a group without jobs, which is undefined (NaN) in every row.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .encodings.weighting import decode, gene_labels, lower_upper
from .errors import InputError, first_few
from .files import written
from .objectives import Objective, objective_table
from .policy import BACKFILLS, Policy

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FORMAT = "paretosched front 1"
FRONT_FILE = "front.parquet"


class Origin(NamedTuple):
    """The run that rows of a front come from.

    Two runs on one workload that agree in `key` are the same run: everything it evaluates follows from that.

    Attributes
    ----------
    name
        Name of the run directory.
    algorithm, seed, population, backfill
        The parameters of the run.
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
    backfill: str
    versions: tuple[tuple[str, str], ...] = ()
    evaluations: int = 0
    points: int = 0
    duplicates: int = 0

    @property
    def key(self) -> tuple[str, int, int, str, tuple[tuple[str, str], ...]]:
        """What makes two runs the same run."""
        return self.algorithm, self.seed, self.population, self.backfill, self.versions


@dataclass(frozen=True, eq=False, repr=False)
class Front:
    """Points of which none dominates another.

    Parameters
    ----------
    values
        (p, m) float64 in natural units, sorted by value; columns as in `objectives`; NaN columns are undefined.
    genomes
        (p, d) float64, see `encodings.weighting`.
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
    """

    values: Floats
    genomes: Floats
    origin: Ints
    evaluation: Ints
    origins: tuple[Origin, ...]
    groups: tuple[str, ...]
    workload: str
    digest: str

    def __post_init__(self) -> None:
        p, m, d = len(self.values), len(self.groups) + 2, len(gene_labels(len(self.groups)))
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

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Front of {self.workload}: {len(self):,} of {self.evaluations:,} schedules>"

    @property
    def objectives(self) -> tuple[Objective, ...]:
        """What the columns of `values` are."""
        return objective_table(self.groups)

    @property
    def evaluations(self) -> int:
        """Points evaluated by all runs together."""
        return sum(origin.evaluations for origin in self.origins)


def deciding(values: ArrayLike, objectives: Sequence[Objective]) -> NDArray[np.bool_]:
    """Tell which objectives decide dominance: not AWRT, and none that is undefined (NaN) in every row, (m,) bool.

    Examples
    --------
    >>> deciding([[90, 5, 5, np.nan], [80, 4, 4, np.nan]], objective_table(("1", "2"))).tolist()
    [True, False, True, False]
    """
    matrix = _matrix(values, objectives)
    return np.array([o.name != "AWRT" for o in objectives]) & ~np.isnan(matrix).all(axis=0)


def costs(values: ArrayLike, objectives: Sequence[Objective]) -> Floats:
    """Take the deciding objectives, all to be minimised: utilisation with its sign changed, (k, q) float64.

    Raises
    ------
    InputError
        A deciding objective is infinite, or undefined in some rows only.

    Examples
    --------
    >>> costs([[90, 5, 5], [80, 4, 4]], objective_table(("1",))).tolist()
    [[-90.0, 5.0], [-80.0, 4.0]]
    """
    matrix = _matrix(values, objectives)
    columns = np.flatnonzero(deciding(matrix, objectives))
    chosen = matrix[:, columns]
    broken = np.argwhere(~np.isfinite(chosen))
    if broken.size:
        shown = first_few(
            (f"row {i} has {objectives[int(columns[j])].name} {chosen[i, j]}" for i, j in broken), len(broken)
        )
        raise InputError(f"objective values must be finite, but {shown}")
    return chosen * np.where([objectives[int(j)].maximise for j in columns], -1.0, 1.0)


def nondominated(values: ArrayLike, objectives: Sequence[Objective]) -> NDArray[np.bool_]:
    """Tell which rows no other row dominates; of equal rows, the first one only, (k,) bool.

    Parameters
    ----------
    values
        (k, m) in natural units.
    objectives
        What the columns are.

    Raises
    ------
    InputError
        As for `costs`.

    Examples
    --------
    >>> nondominated([[90, 5, 5], [80, 4, 4], [80, 5, 5], [90, 5, 5]], objective_table(("1",))).tolist()
    [True, True, False, False]
    """
    import moocore

    matrix = costs(values, objectives)
    if len(matrix) == 0:
        return np.zeros(0, dtype=np.bool_)
    mask: NDArray[np.bool_] = np.asarray(moocore.is_nondominated(matrix), dtype=np.bool_)
    return mask


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
    rows = rows[_order(values[rows], rows)]
    none = np.zeros(len(rows), dtype=np.int64)
    return Front(values[rows], genomes[rows], none, rows, (run,), groups, workload, digest)


def merge(fronts: Sequence[Front]) -> Front:
    """Merge fronts of one workload; the order of `fronts`, and giving one twice, change nothing.

    Of equal points the one from the first run (sorted by parameters) and its earliest evaluation stays. Of the same
    run met twice, shorter and longer, the longer one is named.

    Raises
    ------
    InputError
        There is no front, or they belong to different workloads.
    """
    if not fronts:
        raise InputError("fronts must be at least one, but there is none")
    first = fronts[0]
    for other in fronts[1:]:
        if (other.digest, other.groups) != (first.digest, first.groups):
            raise InputError(
                f"fronts must belong to one workload, but {called(first)} and {called(other)} are different"
            )
    every = sorted((o for f in fronts for o in f.origins), key=lambda o: (o.evaluations, o))
    named = {o.key: o for o in every}  # the last one stays: the longest
    keys = sorted(named)
    index = {key: i for i, key in enumerate(keys)}
    values = np.concatenate([f.values for f in fronts])
    genomes = np.concatenate([f.genomes for f in fronts])
    evaluation = np.concatenate([f.evaluation for f in fronts])
    places = [np.array([index[o.key] for o in f.origins], dtype=np.int64)[f.origin] for f in fronts]
    origin_ = np.concatenate(places)
    order = _order(values, evaluation, origin_)
    order = order[nondominated(values[order], first.objectives)]
    name = min(f.workload for f in fronts)
    origins = tuple(named[key] for key in keys)
    return Front(
        values[order], genomes[order], origin_[order], evaluation[order], origins, first.groups, name, first.digest
    )


def extremes(front: Front) -> list[tuple[Objective, int]]:
    """Find the best row for each objective; of equally good rows the first. Undefined objectives are left out."""
    found = []
    for objective, column in zip(front.objectives, front.values.T, strict=True):
        if column.size and not np.isnan(column).any():
            found.append((objective, int(np.argmax(column) if objective.maximise else np.argmin(column))))
    return found


def policy(front: Front, row: int) -> Policy:
    """Give the policy that made a row of a front.

    Raises
    ------
    InputError
        There is no such row.
    """
    if not 0 <= row < len(front):
        raise InputError(f"row must be in 0..{len(front) - 1}, but is {row}")
    origin = front.origins[front.origin[row]]
    made = decode(front.genomes[row], front.groups, origin.backfill)
    provenance = {
        "workload": front.workload,
        "digest": front.digest,
        "run": origin.name,
        "algorithm": origin.algorithm,
        "seed": origin.seed,
        "population": origin.population,
        "evaluation": int(front.evaluation[row]),
        "versions": dict(origin.versions),
    }
    return replace(made, name=f"{origin.name}#{front.evaluation[row]}", provenance=provenance)


def frame(front: Front) -> Any:
    """Give a front as a pandas DataFrame: one row a schedule; objectives, genes, name of the run, evaluation.

    Column names are those of the front file; times are in seconds.
    """
    import pandas as pd

    table = pd.DataFrame(np.hstack([front.values, front.genomes]), columns=_columns(front.groups))
    return table.assign(run=[front.origins[i].name for i in front.origin], evaluation=front.evaluation)


def save_front(front: Front, path: str | os.PathLike[str]) -> None:
    """Write a front as one Parquet file: objectives, genes, run and evaluation; the rest as metadata.

    Equal fronts give equal files, byte for byte.
    """
    import pyarrow as pa
    from pyarrow import parquet

    about = {
        "format": FORMAT,
        "workload": front.workload,
        "digest": front.digest,
        "groups": front.groups,
        "objectives": [o._asdict() for o in front.objectives],
        "runs": [o._asdict() for o in front.origins],
    }
    columns = dict(zip(_columns(front.groups), [*front.values.T, *front.genomes.T], strict=True))
    table = pa.table({**columns, "run": pa.array(front.origin), "evaluation": pa.array(front.evaluation)})
    table = table.replace_schema_metadata({"paretosched": json.dumps(about, sort_keys=True)})
    with written(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd", write_page_checksum=True)


def load_front(path: str | os.PathLike[str]) -> Front:
    """Read a front from a Parquet file, or the published front of a run directory.

    Raises
    ------
    InputError
        There is no such file, it is damaged, or it is not a front of ours.
    """
    import pyarrow as pa

    place = Path(path)
    if os.path.isdir(place):  # noqa: PTH112  # Path.is_dir() raises where a name is too long
        place = place / FRONT_FILE
        if not place.is_file():
            raise InputError(f"{path}: a run directory must hold {FRONT_FILE}, but there is none (yet)")
    elif not os.path.exists(place):  # noqa: PTH110
        raise InputError(f"{place}: no such file")
    elif not place.is_file():  # a pipe, on which the reader would wait
        raise InputError(f"{place}: a front must be a regular file, but this is not")
    try:
        return _read_front(place)
    except InputError as error:
        raise InputError(f"{place}: not a readable front: {error}") from None
    except (OSError, pa.ArrowException, KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"{place}: not a readable front: {reason}") from None


def _read_front(place: Path) -> Front:
    """Read what `save_front` wrote; what was changed since breaks a rule or raises what broken data raise."""
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.read_table(os.fspath(place), partitioning=None, page_checksum_verification=True)
    about = json.loads((table.schema.metadata or {})[b"paretosched"])
    if about["format"] != FORMAT:
        raise InputError(f'a front file must have the format "{FORMAT}", but has "{about["format"]}"')
    json.dumps(about, ensure_ascii=False).encode()  # raises if a name is no text
    groups = tuple(str(g) for g in about["groups"])
    names = _columns(groups)
    kinds = dict.fromkeys(names, pa.float64()) | dict.fromkeys(("run", "evaluation"), pa.int64())
    if table.column_names != list(kinds):
        raise InputError(f"a front of {len(groups)} groups must have other columns than this one")
    for name, kind in kinds.items():
        column = table.column(name)
        if column.type != kind or column.null_count:
            raise InputError(f'column "{name}" must be {kind} without gaps, but is not')
    floats = np.column_stack([table.column(name).to_numpy() for name in names])
    m = len(groups) + 2
    front = Front(
        floats[:, :m],
        floats[:, m:],
        table.column("run").to_numpy(),
        table.column("evaluation").to_numpy(),
        tuple(_origin(run) for run in about["runs"]),
        groups,
        str(about["workload"]),
        str(about["digest"]),
    )
    costs(front.values, front.objectives)  # raises if a value is infinite, or undefined here and there
    lower, upper = lower_upper(len(groups))
    if not ((front.genomes >= lower) & (front.genomes <= upper)).all():
        raise InputError("genes must be within their bounds, but are not")
    return front


def _origin(run: Mapping[str, Any]) -> Origin:
    """Take a run from a file, where anything may stand."""
    made = Origin(**{**run, "versions": tuple((str(k), str(v)) for k, v in run["versions"])})
    for key in ("name", "algorithm", "backfill"):
        if not isinstance(getattr(made, key), str):
            raise InputError(f"{key} of a run must be text, but is {getattr(made, key)!r:.40}")
    for key in ("seed", "population", "evaluations", "points", "duplicates"):
        number = getattr(made, key)
        if not isinstance(number, int) or number < 0:
            raise InputError(f"{key} of a run must be a whole number, 0 or more, but is {number!r:.40}")
    if made.backfill not in BACKFILLS:
        raise InputError(f"backfill of a run must be one of {', '.join(BACKFILLS)}, but is {made.backfill!r:.40}")
    return made


def _columns(groups: tuple[str, ...]) -> list[str]:
    return [o.name for o in objective_table(groups)] + gene_labels(len(groups))


def _matrix(values: ArrayLike, objectives: Sequence[Objective]) -> Floats:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != len(objectives):
        raise InputError(f"values must have shape (k, {len(objectives)}), but have shape {matrix.shape}")
    return matrix


def _order(values: Floats, *ties: Ints) -> Ints:
    """Sort rows by value, first column first; equal ones by the last of `ties`, then the one before it."""
    return np.lexsort((*ties, *values.T[::-1]))


def called(front: Front) -> str:
    """Name a front in a message or a table: its workload and its runs."""
    return f"{front.workload} ({', '.join(dict.fromkeys(o.name for o in front.origins))})"

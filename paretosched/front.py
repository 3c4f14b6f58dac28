"""A front: the non-dominated points of everything that was evaluated; merging, loading and saving fronts.

Objective values keep their natural units and directions here; `costs` is the one place where signs change.

AWRT is a mean of the AWRT_i with weights no schedule can change (see `objectives`), so it can never decide whether one
point dominates another. It is carried along, but takes no part in dominance or in `indicators`; neither does
the AWRT_i of a group without jobs, which is undefined (NaN) in every row.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import encodings
from .encodings import ENCODINGS, Explored
from .errors import InputError, first_few
from .files import written
from .objectives import Objective, objective_table
from .policy import Policy, fits
from .schedule import Schedule
from .simulate import simulate
from .workload import Workload

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FORMAT = "paretosched front 2"
FRONT_FILE = "front.parquet"


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
    older = encodings.ancestry(run.encoding, genomes, genomes[rows])
    return Front(values[rows], genomes[rows], none, rows, (run,), groups, workload, digest, (older,))


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
    every = sorted((o for f in fronts for o in f.origins), key=lambda o: (o.evaluations, o.key, o.name, o))
    named = {o.key: o for o in every}  # the last one stays: the longest
    keys = sorted(named)
    index = {key: i for i, key in enumerate(keys)}
    values = np.concatenate([f.values for f in fronts])
    longest = max(f.genomes.shape[1] for f in fronts)
    genomes = np.concatenate([_widened(f.genomes, longest) for f in fronts])
    evaluation = np.concatenate([f.evaluation for f in fronts])
    places = [np.array([index[o.key] for o in f.origins], dtype=np.int64)[f.origin] for f in fronts]
    origin_ = np.concatenate(places)
    order = _order(values, evaluation, origin_)
    order = order[nondominated(values[order], first.objectives)]
    name = min(f.workload for f in fronts)
    origins = tuple(named[key] for key in keys)
    values, genomes, evaluation, origin_ = values[order], genomes[order], evaluation[order], origin_[order]
    older: list[list[Floats]] = [[] for _ in keys]
    for f in fronts:
        for o, rows in zip(f.origins, f.ancestors, strict=True):
            older[index[o.key]].append(rows)
    ancestors = []
    for i, (origin, parts) in enumerate(zip(origins, older, strict=True)):
        known = np.unique(np.concatenate(parts), axis=0)
        own = genomes[origin_ == i, : known.shape[1]]
        ancestors.append(encodings.ancestry(origin.encoding, known, own))
    return Front(values, genomes, origin_, evaluation, origins, first.groups, name, first.digest, tuple(ancestors))


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


def row_policy(front: Front, row: int) -> Policy | None:
    """Give the online policy that made a row of a front; None if its schedule knows the future.

    Raises
    ------
    InputError
        There is no such row.
    """
    origin, genes = genome(front, row)
    made = encodings.policy_of(origin.encoding, genes, front.groups)
    if made is None:
        return None
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
    return replace(made, name=_named(front, row), provenance=provenance)


def schedule(front: Front, row: int, workload: Workload) -> Schedule:
    """Make the schedule of a row of a front again, see `schedules`."""
    return next(schedules(front, [row], workload))


def schedules(front: Front, rows: Iterable[int], workload: Workload) -> Iterator[Schedule]:
    """Make the schedules of rows of a front again, one after the other.

    The policy of a row can be applied to another workload with the same groups; what is no policy needs the workload
    that was explored. Sequences descend from each other, so that many are made faster in the order of evaluation.

    Raises
    ------
    InputError
        There is no such row, or it does not fit the workload.
    """
    ready: dict[int, encodings.Starting] = {}
    for row in rows:
        origin, genes = genome(front, row)
        policy = row_policy(front, row)
        if policy is not None:
            yield simulate(workload, fits(policy, workload))
            continue
        if workload.digest != front.digest:
            raise InputError(
                f"row {row} is a schedule that knows the future of {front.workload}, so it fits no other workload, "
                f"but {workload.name} is another one"
            )
        run = int(front.origin[row])
        if run not in ready:
            ready[run] = encodings.starting(workload, origin.encoding)
        yield Schedule(workload, ready[run](genes, front.ancestors[run]), _named(front, row))


def frame(front: Front) -> Any:
    """Give a front as a pandas DataFrame: one row a schedule; objectives, genes, name of the run, evaluation.

    Column names are those of the front file; times are in seconds.
    """
    import pandas as pd

    columns = _columns(front)
    table = pd.DataFrame({name: column for name, column in columns.items() if name not in ("run", "evaluation")})
    return table.assign(run=[front.origins[i].name for i in front.origin], evaluation=front.evaluation)


def save_front(front: Front, path: str | os.PathLike[str]) -> None:
    """Write a front as one Parquet file: objectives, genes, run and evaluation; the rest as metadata.

    Every encoding has its own columns, with NaN where a row has another one. Equal fronts give equal files, byte for
    byte.
    """
    import pyarrow as pa
    from pyarrow import parquet

    about = {
        "format": FORMAT,
        "workload": front.workload,
        "digest": front.digest,
        "groups": front.groups,
        "objectives": [o._asdict() for o in front.objectives],
        "runs": [o._asdict() | {"encoding": encodings.to_json(o.encoding)} for o in front.origins],
    }
    older = {f"ancestors {i}": zlib.compress(rows.astype("<f8").tobytes()) for i, rows in enumerate(front.ancestors)}
    table = pa.table({name: pa.array(column) for name, column in _columns(front).items()})
    table = table.replace_schema_metadata({"paretosched": json.dumps(about, sort_keys=True), **older})
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
    except (
        OSError,
        pa.ArrowException,
        KeyError,
        TypeError,
        ValueError,
        AttributeError,
        RecursionError,
        zlib.error,
    ) as error:
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
    origins = tuple(_origin(run) for run in about["runs"])
    names = [o.name for o in objective_table(groups)]
    blocks = _blocks(origins, len(groups))
    kinds = dict.fromkeys([*names, *(label for _, labels in blocks for label in labels)], pa.float64())
    kinds |= dict.fromkeys(("run", "evaluation"), pa.int64())
    if table.column_names != list(kinds):
        raise InputError(f"a front of {len(groups)} groups must have other columns than this one")
    for name, kind in kinds.items():
        column = table.column(name)
        if column.type != kind or column.null_count:
            raise InputError(f'column "{name}" must be {kind} without gaps, but is not')
    origin = table.column("run").to_numpy()
    genomes = np.full((len(table), max((len(labels) for _, labels in blocks), default=0)), np.nan)
    for encoding, labels in blocks:
        of = np.isin(origin, [i for i, o in enumerate(origins) if type(o.encoding) is encoding])
        genomes[of, : len(labels)] = np.column_stack([table.column(label).to_numpy()[of] for label in labels])
    older = []
    for i, o in enumerate(origins):
        flat = np.frombuffer(zlib.decompress(table.schema.metadata[f"ancestors {i}".encode()]), dtype="<f8")
        older.append(flat.astype(np.float64).reshape(-1, len(encodings.gene_labels(o.encoding, len(groups)))))
    front = Front(
        np.column_stack([table.column(name).to_numpy() for name in names]),
        genomes,
        origin,
        table.column("evaluation").to_numpy(),
        origins,
        groups,
        str(about["workload"]),
        str(about["digest"]),
        tuple(older),
    )
    costs(front.values, front.objectives)  # raises if a value is infinite, or undefined here and there
    for i, o in enumerate(origins):
        length = len(encodings.gene_labels(o.encoding, len(groups)))
        encodings.check_genomes(o.encoding, front.genomes[front.origin == i, :length], len(groups))
    return front


def _origin(run: Mapping[str, Any]) -> Origin:
    """Take a run from a file, where anything may stand."""
    pairs = {key: tuple((str(k), str(v)) for k, v in run[key]) for key in ("begun", "versions")}
    made = Origin(**{**run, **pairs, "encoding": encodings.from_json(run["encoding"])})
    for key in ("name", "algorithm"):
        if not isinstance(getattr(made, key), str):
            raise InputError(f"{key} of a run must be text, but is {getattr(made, key)!r:.40}")
    for key in ("seed", "population", "evaluations", "points", "duplicates"):
        number = getattr(made, key)
        if not isinstance(number, int) or number < 0:
            raise InputError(f"{key} of a run must be a whole number, 0 or more, but is {number!r:.40}")
    return made


def _blocks(origins: Sequence[Origin], groups: int) -> list[tuple[type[Explored], list[str]]]:
    """Name the columns of the genes of every encoding that is there."""
    blocks = []
    for kind in ENCODINGS.values():
        of = [o.encoding for o in origins if type(o.encoding) is kind]
        if of:
            blocks.append((kind, encodings.gene_labels(of[0], groups)))
    return blocks


def _columns(front: Front) -> dict[str, NDArray[Any]]:
    """Give the columns of a front as a table."""
    columns: dict[str, NDArray[Any]] = dict(zip((o.name for o in front.objectives), front.values.T, strict=True))
    for kind, labels in _blocks(front.origins, len(front.groups)):
        of = np.isin(front.origin, [i for i, o in enumerate(front.origins) if type(o.encoding) is kind])
        for label, genes in zip(labels, front.genomes.T, strict=False):
            columns[label] = np.where(of, genes, np.nan)
    return columns | {"run": front.origin, "evaluation": front.evaluation}


def _widened(genomes: Floats, columns: int) -> Floats:
    return np.pad(genomes, ((0, 0), (0, columns - genomes.shape[1])), constant_values=np.nan)


def _named(front: Front, row: int) -> str:
    return f"{front.origins[front.origin[row]].name}#{front.evaluation[row]}"


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

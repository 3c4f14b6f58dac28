"""Fronts on disk: one Parquet file each; equal fronts give equal files, byte for byte."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core.arguments import as_list, as_path
from ..core.arrays import Floats
from ..core.errors import InputError, first_few, in_quotes, one_of
from ..core.files import exists, is_file, is_folder, replacing
from ..core.limits import check_limit, limits_in_force
from ..core.parquet_files import check_ends, from_arrow, open_parquet, to_arrow
from ..core.run_files import FRONT_FILE
from ..core.tables import csv_cell
from ..encodings.encoding import from_json, to_json
from ..encodings.genomes import check_bounds
from ..simulation.objective import UTIL_FROM, objective_table
from ..workload.measures import FEWEST_DECIDING, MOST, MOST_DECIDING, objective_name
from ..workload.workload import Measured
from .dominance import costs
from .front import Front, Origin, columns, from_encoding, gene_columns

FORMAT = "paretosched front 2"
ENDINGS = ("", ".parquet", ".csv")  # of the file that is written
DESCRIBED = ("name", "unit", "maximise", "label")
LEAST_VALUE, MOST_VALUE = 1e-30, 1e17  # s or %; no schedule has less or more, and charts take logarithms
FrontLike = str | os.PathLike[str] | Front


def save_front(front: FrontLike, path: str | os.PathLike[str]) -> None:
    """Write a front as one Parquet file, or as a table for other programs if the name ends in .csv.

    The Parquet file has objectives, genes, run and evaluation; the rest as metadata. Every encoding has its own
    columns, with NaN where a row has another one. Equal fronts give equal files, byte for byte. Only a Parquet file can
    be loaded again.

    Parameters
    ----------
    front
        The front; or the path of a run or front file.
    path
        The file to be written; its name ends in .parquet, in .csv or has no ending.

    Raises
    ------
    InputError
        The name has another ending, the file cannot be written, or as for `as_front`.
    """
    target = check_front_name(path)
    front = as_front(front)
    if target.suffix.lower() == ".csv":
        _write_csv(front, target)
    else:
        _write_parquet(front, target)


def check_front_name(path: str | os.PathLike[str]) -> Path:
    """Return the path of a front that is to be written.

    Raises
    ------
    InputError
        It is no path, or its ending is none of a front.
    """
    target = as_path(path)
    if target.suffix.lower() not in ENDINGS:
        raise InputError(f"{target}: the name of a front must end in .parquet or .csv")
    return target


def _write_csv(front: Front, path: Path) -> None:
    """Write the table of a front for other programs."""
    table = front.frame()
    texts = table.select_dtypes(exclude="number").columns
    with replacing(path) as temporary:
        table.assign(**{name: table[name].map(csv_cell) for name in texts}).rename(columns=csv_cell).to_csv(
            temporary, index=False, lineterminator="\n"
        )


def _write_parquet(front: Front, path: Path) -> None:
    """Write a front as the file that `load_front` reads."""
    import pyarrow as pa
    from pyarrow import parquet

    about = {
        "format": FORMAT,
        "workload": front.workload,
        "digest": front.digest,
        "groups": front.groups,
        "objectives": [{key: getattr(o, key) for key in DESCRIBED} for o in front.objectives],
        **({"measured": front.measured._asdict()} if front.measured.names or front.measured.deciding else {}),
        "runs": [o._asdict() | {"encoding": to_json(o.encoding)} for o in front.origins],
    }
    ancestors = {
        f"ancestors {i}": zlib.compress(rows.astype("<f8").tobytes()) for i, rows in enumerate(front.ancestors)
    }
    table = pa.table({name: to_arrow(column) for name, column in columns(front).items()})
    table = table.replace_schema_metadata({"paretosched": json.dumps(about, sort_keys=True), **ancestors})
    with replacing(path) as temporary, temporary.open("wb") as file:  # pyarrow opens no name that is not UTF-8
        parquet.write_table(table, file, compression="zstd", write_page_checksum=True)


def as_front(what: FrontLike) -> Front:
    """Return a front, given as a front or as the path of a run directory or a front file.

    Raises
    ------
    InputError
        As for `load_front`.
    """
    if isinstance(what, Front):
        return what
    if not isinstance(what, str | os.PathLike):
        raise InputError(f"a front is given as a `Front` or as the path of a run or front file, not as {what!r:.60}")
    return load_front(what)


def as_fronts(what: FrontLike | Sequence[FrontLike]) -> list[Front]:
    """Return a list of fronts, given as one or several, each as for `as_front`."""
    return [as_front(front) for front in as_list(what)]


def load_front(path: str | os.PathLike[str]) -> Front:
    """Return the front in a Parquet file, or the published front of a run directory.

    Raises
    ------
    InputError
        There is no such file, it is damaged, or it is not a front.
    """
    import pyarrow as pa

    place = as_path(path)
    if is_folder(place):
        place = place / FRONT_FILE
        if not is_file(place):
            raise InputError(f"{path}: a run directory must hold {FRONT_FILE}, but there is none (yet)")
    elif not exists(place):
        raise InputError(f"{place}: no such file")
    elif not is_file(place):  # the reader would wait for a pipe
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
    """Return the front that `save_front` wrote; raises many kinds of errors if the file was changed since."""
    check_ends(place)
    with open_parquet(place) as file:
        schema = file.schema_arrow
        facts = (schema.metadata or {})[b"paretosched"]
        check_limit("its facts", "json", len(facts))
        try:
            about = json.loads(facts)
        except (ValueError, RecursionError):  # the latter for brackets in brackets without end
            raise InputError("its metadata is not JSON") from None
        kinds, groups, origins, measured = _layout(about)
        _check_columns(schema, kinds, len(groups))
        table = file.read(use_threads=False)
    for name in kinds:
        if table.column(name).null_count:
            raise InputError(f'column "{name}" must be {kinds[name]} without gaps, but is not')
    names, genes = [o.name for o in objective_table(groups, measured=measured)], gene_columns(origins, len(groups))
    origin = from_arrow(table.column("run"))
    genomes = np.full((len(table), max((len(labels) for labels in genes.values()), default=0)), np.nan)
    for encoding, labels in genes.items():
        rows = from_encoding(encoding, origin, origins)
        genomes[rows, : len(labels)] = np.column_stack([from_arrow(table.column(label))[rows] for label in labels])
    ancestors: list[Floats] = []
    gene_count = 0  # genes
    for i, o in enumerate(origins):
        flat = np.frombuffer(_unpack(schema.metadata[f"ancestors {i}".encode()], gene_count), "<f8")
        gene_count += flat.size
        ancestors.append(flat.astype(np.float64).reshape(-1, len(o.encoding.gene_labels(len(groups)))))
    front = Front(
        np.column_stack([from_arrow(table.column(name)) for name in names]),
        genomes,
        origin,
        from_arrow(table.column("evaluation")),
        origins,
        groups,
        str(about["workload"]),
        str(about["digest"]),
        tuple(ancestors),
        measured,
    )
    costs(front.values, front.objectives)  # raises if a value is infinite, or undefined in some rows only
    odd = np.argwhere((front.values != 0) & ((front.values < LEAST_VALUE) | (front.values > MOST_VALUE)))
    if odd.size:
        offenders = first_few((f"row {i} has {names[j]} {front.values[i, j]:g}" for i, j in odd), len(odd))
        raise InputError(f"objective values must be 0 or in {LEAST_VALUE:g}..{MOST_VALUE:g}, but {offenders}")
    for i, o in enumerate(origins):
        length = len(o.encoding.gene_labels(len(groups)))
        check_bounds(front.genomes[front.origin == i, :length], *o.encoding.lower_upper(len(groups)))
    return front


def _layout(about: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...], tuple[Origin, ...], Measured]:
    """Return what the facts of a front say: the types of its columns by name, its groups, runs, and measures."""
    import pyarrow as pa

    if about["format"] != FORMAT:
        raise InputError(f'a front file must have the format "{FORMAT}", but has "{about["format"]}"')
    json.dumps(about, ensure_ascii=False).encode()  # raises if a name is not valid text
    groups = tuple(str(g) for g in about["groups"])
    origins = tuple(_origin(run) for run in about["runs"])
    genes = gene_columns(origins, len(groups))
    measured = _measured_in(about.get("measured", {}), groups)
    names = [
        *(o.name for o in objective_table(groups, measured=measured)),
        *(label for labels in genes.values() for label in labels),
    ]
    return (
        dict.fromkeys(names, pa.float64()) | dict.fromkeys(("run", "evaluation"), pa.int64()),
        groups,
        origins,
        measured,
    )


def _measured_in(about: Mapping[str, Any], groups: Sequence[str]) -> Measured:
    """Return what the facts of a front say of measures; raises InputError if they are none."""
    values = [about.get(key, []) for key in Measured._fields] if isinstance(about, Mapping) else [None]
    if not all(isinstance(each, list) and len(each) <= MOST and len({*map(str, each)}) == len(each) for each in values):
        raise InputError(f"measures of a front must be lists of at most {MOST} different names, but are not")
    names, deciding = (tuple(map(str, each)) for each in values)
    for name in (*names, *deciding):
        if objective_name(name, groups) != name:
            raise InputError(f"a measure of a front must have its own name, but there is {in_quotes(name)}")
    columns = {o.name for o in objective_table(groups, measured=Measured(names))}
    if deciding and not (FEWEST_DECIDING <= len(deciding) <= MOST_DECIDING and columns.issuperset(deciding)):
        raise InputError(
            f"{FEWEST_DECIDING} to {MOST_DECIDING} columns of a front must decide, but not {deciding!r:.60}"
        )
    return Measured(names, deciding)


def _check_columns(schema: Any, kinds: Mapping[str, Any], groups: int) -> None:
    """Check the names and types of columns; a column of another type could take any memory when it is read."""
    if schema.names != list(kinds):
        raise InputError(f"a front of {groups} groups must have other columns than this one")
    for name, kind in kinds.items():
        if schema.field(name).type != kind:
            raise InputError(f'column "{name}" must be {kind} without gaps, but is not')


def _unpack(data: bytes, before: int) -> bytes:
    """Return unpacked genomes, of which there were `before` genes until now; refuse more than the limit `cells`."""
    most = limits_in_force().cells - before
    unpacker = zlib.decompressobj()
    genomes = unpacker.decompress(data, max(8 * most, 0) + 1)
    check_limit("its ancestors", "cells", before + len(genomes) / 8)
    if not unpacker.eof:
        raise zlib.error("incomplete or truncated stream")
    return genomes


def _origin(run: Mapping[str, Any]) -> Origin:
    """Return a run of a front file; raises InputError if a value is of the wrong kind."""
    pairs = {key: tuple((str(k), str(v)) for k, v in run[key]) for key in ("begun", "versions")}
    origin = Origin(**{**run, **pairs, "encoding": from_json(run["encoding"])})
    for key in ("name", "algorithm"):
        if not isinstance(getattr(origin, key), str):
            raise InputError(f"{key} of a run must be text, but is {getattr(origin, key)!r:.40}")
    one_of("util_from of a run", origin.util_from, UTIL_FROM)
    for key in ("seed", "population", "evaluations", "points", "duplicates"):
        number = getattr(origin, key)
        if not isinstance(number, int) or number < 0:
            raise InputError(f"{key} of a run must be a whole number, 0 or more, but is {number!r:.40}")
    return origin

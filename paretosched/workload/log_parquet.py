"""Logs of machines of nodes: jobs with what they ask for, names and the machine, in one Parquet file.

The columns are those of `Workload` and `Requests`, and the fields of the log that it was made from; the metadata has
the rest as JSON, the machine in it as TOML. A run time may be beyond the request, as it was recorded: what becomes of
it is the reader's choice, as in a log in SWF.
"""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from ..core.arguments import as_path
from ..core.arrays import Ints
from ..core.errors import InputError, first_few, one_of
from ..core.files import path_record, replacing, sha256_of, unreadable
from ..core.limits import check_limit
from ..core.parquet_files import CELL, check_ends, from_arrow, open_parquet, to_arrow
from ..core.typed_json import as_type
from .broken_limits import BROKEN_LIMITS, EXEMPT, broken_limits, exempt_jobs, is_denied
from .dependencies import NEVER_SATISFIED, never_satisfied
from .dropped_jobs import without_jobs
from .log_names import content_of, names_of
from .machine_toml import machine_of_text, machine_text
from .node_requests import NUMBERS, RARE, TEXTS, Requests, Texts
from .overruns import CUT_THERE, MOST_CUT, RAISED, asked_times, choice_text, percent_beyond, percent_cut
from .records import Records, pack
from .swf import write_swf
from .unfit_jobs import REASONS, unfit_jobs
from .user_groups import by_consumption
from .workload import Repair, Workload

FORMAT = "paretosched log 1"
KEY = b"paretosched log"  # of the metadata
ENDING = ".parquet"
JOBS = ("job", "submit", "run", "estimate", "width", "user", "wait", "eligible")
FIELD = "field "  # the columns of a log, with their numbers from 1 on
OVERRUN = CUT, RAISE = ("cut", "raise")
AT_ONCE = 1 << 17  # rows of a group
KEPT_OUT = "a limit of its QOS, account or user keeps it out:"
DENIED = "DenyOnLimit: refused at submission"
FEW = 2_000_000  # cells that a file of any size may have


class _RepairFile(Struct, forbid_unknown_fields=True):
    """A repair in the file."""

    action: str
    reason: str
    jobs: int
    first: str = ""
    work_percent: float | None = None
    if_cut_percent: float | None = None


class _About(Struct, forbid_unknown_fields=True):
    """The metadata of the file."""

    format: str
    name: str
    epoch: int
    zone: str
    machine: str
    header: list[str] = []
    repairs: list[_RepairFile] = []
    names: dict[str, Any] | None = None


def save_log(workload: Workload, path: str | os.PathLike[str]) -> None:
    """Write a workload as one Parquet file; see `from_paths.save_log`."""
    write_runs(workload, workload.run, path)


def write_runs(workload: Workload, run: Ints, path: str | os.PathLike[str]) -> None:
    """Write a workload as `save_log` does, with the run times that were recorded, (n,) s."""
    import pyarrow as pa
    from pyarrow import parquet

    if workload.machine is None or workload.requests is None:
        raise InputError(f"{path}: {workload.name} has no machine of nodes; write_swf writes it as a log in SWF")
    columns = {key: to_arrow(pack(run if key == "run" else getattr(workload, key))) for key in JOBS}
    for key, (usual, _, _) in NUMBERS.items():
        values = getattr(workload.requests, key)
        if key not in RARE or (values != usual).any():
            columns[key] = to_arrow(pack(values))
    for key in TEXTS:
        texts = getattr(workload.requests, key)
        columns[key] = pa.DictionaryArray.from_arrays(to_arrow(texts.code.astype(np.int32)), pa.array(texts.words))
    if workload.records is not None:
        columns |= {f"{FIELD}{k}": to_arrow(each) for k, each in enumerate(workload.records.columns, 1)}
    about = {
        "format": FORMAT,
        "name": workload.name,
        "epoch": workload.epoch,
        "zone": workload.zone,
        "machine": machine_text(workload.machine),
        "header": list(workload.header),
        "repairs": [each._asdict() for each in workload.repairs],
        "names": None if workload.names is None else content_of(workload.names, "", ""),
    }
    table = pa.table(columns).replace_schema_metadata({KEY: json.dumps(about, ensure_ascii=False)})
    with replacing(as_path(path)) as temporary, temporary.open("wb") as file:
        parquet.write_table(table, file, row_group_size=AT_ONCE, compression="zstd")


def write_workload(workload: Workload, path: str | os.PathLike[str]) -> None:
    """Write a workload as its kind of log: Parquet on a machine of nodes, else SWF.

    Raises
    ------
    InputError
        The name of the file ends as that of the other kind, or the file cannot be written.
    """
    is_parquet = os.fspath(as_path(path)).lower().endswith(ENDING)
    if workload.machine is not None and not is_parquet:
        raise InputError(f"{path}: a log with nodes is in Parquet, and its name must end in {ENDING}, but does not")
    if workload.machine is None and is_parquet:
        raise InputError(f"{path}: a log without nodes is in SWF, and its name must not end in {ENDING}, but does")
    (write_swf if workload.machine is None else save_log)(workload, path)


def load_log(path: str | os.PathLike[str], *, overrun: str | None = None, name: str | None = None) -> Workload:
    """Return the workload in a file of `save_log` or of `paretosched import`, grouped by consumption.

    Parameters
    ----------
    path
        The file.
    overrun
        What is wrong if a job runs longer than it has requested, as for `read_swf`.
    name
        Name of the workload; None for the name in the file.

    Raises
    ------
    InputError
        The file cannot be read, is damaged, or is of another kind.
    """
    import pyarrow as pa

    place = as_path(path)
    one_of("overrun", overrun or CUT, OVERRUN)
    try:
        check_ends(place)
        jobs, requests, records, about = _columns(place)
        machine = machine_of_text(about.machine, "its machine")
        repairs = [Repair(*(getattr(each, key) for key in Repair._fields)) for each in about.repairs]
        names = None if about.names is None else names_of(about.names)[0]
        more, requests = _settle(jobs, requests, machine.over_time_limit, overrun or CUT)
        repairs += more
        if overrun is None and percent_cut(repairs) > MOST_CUT:
            warnings.warn(choice_text(str(path), repairs, 'load_log overrun="raise"', 'overrun="cut"'), stacklevel=2)
        source = {"function": "load_log", **path_record(path), "sha256": sha256_of(place)}
        source |= {} if overrun in (None, CUT) else {"overrun": overrun}
        workload = Workload(
            **jobs,
            capacity=machine.capacity,
            epoch=about.epoch,
            zone=about.zone,
            name=about.name if name is None else name,
            records=records,
            header=tuple(about.header),
            repairs=tuple(repairs),
            source=(source,),
            names=names,
            machine=machine,
            requests=requests,
        )
    except OSError as error:
        raise unreadable(path, error) from None
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except (ValueError, KeyError, TypeError, RecursionError, pa.ArrowException) as error:
        raise InputError(f"{path}: the log is damaged: {' '.join(str(error).split()):.200}") from None
    return by_consumption(without_unfit(workload))


def _columns(place: Path) -> tuple[dict[str, Any], Requests, Records | None, _About]:
    """Return jobs, requests, fields of the log and metadata; raises many kinds of errors if the file was changed."""
    import pyarrow as pa

    with open_parquet(place, columns=JOBS) as file:
        known = (file.schema_arrow.metadata or {}).get(KEY)
        if known is None:
            raise InputError("it is no log of paretosched; import csv makes one of a table")
        check_limit("its metadata", "json", len(known))
        about = as_type(json.loads(known), _About)
        if about.format != FORMAT:
            raise InputError(f"its format must be {FORMAT}, but is {about.format:.60}")
        check_limit("the log", "jobs", file.metadata.num_rows, exact=True)
        size = file.metadata.num_rows * len(file.schema_arrow.names) * CELL
        if size > FEW * CELL:
            check_limit("the log", "ratio", size / place.stat().st_size)
        fields = [name for name in file.schema_arrow.names if name.startswith(FIELD)]
        asked = [key for key in NUMBERS if key not in RARE or key in file.schema_arrow.names]
        for key in (*JOBS, *asked, *TEXTS, *fields):
            kind = file.schema_arrow.field(key).type if key in file.schema_arrow.names else None
            right = kind is not None and (
                pa.types.is_dictionary(kind)
                if key in TEXTS
                else pa.types.is_integer(kind) or (key in fields and pa.types.is_floating(kind))
            )
            if not right:
                fact = "is missing" if kind is None else f"is of the type {kind}"
                raise InputError(f"column {key} must have {'texts' if key in TEXTS else 'numbers'}, but {fact}")
    names = (*JOBS, *asked, *TEXTS, *fields)
    with open_parquet(place, TEXTS, columns=names) as file:
        table = file.read(columns=[*names], use_threads=False)
    for key in names:
        if table.column(key).null_count:
            raise InputError(f"column {key} must be without gaps, but is not")
    jobs = {key: from_arrow(table.column(key)).astype(np.int64) for key in JOBS}
    numbers = {key: from_arrow(table.column(key)).astype(np.int64) for key in asked}
    requests = Requests(**numbers, **{key: _texts(table.column(key)) for key in TEXTS})
    columns = [pack(from_arrow(table.column(f"{FIELD}{k}"))) for k in range(1, len(fields) + 1)]
    return jobs, requests, Records(tuple(columns)) if columns else None, about


def _texts(column: Any) -> Texts:
    """Return a column of texts."""
    whole = column.unify_dictionaries().combine_chunks()
    chunks = getattr(whole, "chunks", [whole])
    code = np.concatenate([np.from_dlpack(chunk.indices) for chunk in chunks]) if chunks else np.zeros(0)
    words = chunks[0].dictionary.to_pylist() if chunks else [""]
    return Texts(code.astype(np.int64), tuple(words))


def _settle(jobs: dict[str, Any], requests: Requests, over_time: int, overrun: str) -> tuple[list[Repair], Requests]:
    """Settle what becomes of jobs that ran longer than they had requested, in place, and return how many they are.

    A machine lets them run for some `over_time`, s: then they have asked for as long as they ran, and what is returned
    of `requests` says how much of it is beyond.
    """
    run, estimate = jobs["run"], jobs["estimate"]
    longest = estimate + over_time
    repairs = []
    if overrun == CUT and (longer := np.flatnonzero(run > longest)).size:
        share = percent_beyond(run, longest, jobs["width"])
        repairs.append(Repair("changed", CUT_THERE, longer.size, _first(jobs, longer), work_percent=share))
        run = jobs["run"] = np.minimum(run, longest)
    if (longer := np.flatnonzero(run > estimate)).size:
        share = percent_beyond(run, estimate, jobs["width"])
        repairs.append(Repair("changed", RAISED, longer.size, _first(jobs, longer), if_cut_percent=share))
        jobs["estimate"] = np.maximum(run, estimate)
        if overrun == CUT:
            requests = replace(requests, beyond=jobs["estimate"] - estimate)
    return repairs, requests


def _first(jobs: dict[str, Any], rows: Ints) -> str:
    """Return the numbers of the first jobs of `rows`."""
    return first_few((f"job {jobs['job'][row]}" for row in rows), rows.size)


def without_unfit(workload: Workload) -> Workload:
    """Return a workload without the jobs that can never run on its machine, which its repairs count.

    The time limits of partitions, and limits of QOS and associations that one job alone is beyond, count for jobs of
    which no start is recorded; the repairs say how many others are exempt from such a limit.

    Raises
    ------
    InputError
        No job is left.
    """
    if workload.machine is None or workload.requests is None:
        return workload
    limit = np.where(workload.wait < 0, asked_times(workload), 0)
    reason = unfit_jobs(workload.machine, workload.requests, limit)
    broken = broken_limits(workload)
    held = (reason < 0) & (broken >= 0)
    reasons = (*REASONS, *(f"{KEPT_OUT} {name}" for name in BROKEN_LIMITS))
    denied = len(BROKEN_LIMITS) * is_denied(workload)
    reason = np.where(held & (workload.wait < 0), len(REASONS) + broken + denied, reason)
    reasons = (*reasons, *(f"{KEPT_OUT} {name} ({DENIED})" for name in BROKEN_LIMITS), NEVER_SATISFIED)
    reason = np.where((reason < 0) & never_satisfied(workload), len(reasons) - 1, reason)
    repairs = [each for each in workload.repairs if not each.reason.startswith(EXEMPT)]
    repairs += exempt_jobs(workload, np.where(held & (workload.wait >= 0), broken, -1))
    if repairs != [*workload.repairs]:
        workload = workload.with_(repairs=tuple(repairs), source=workload.source)
    return without_jobs(workload, reason, reasons)

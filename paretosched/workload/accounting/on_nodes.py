"""From job lives to a log of a machine of nodes: what each job asks for, and which can never run."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints, Mask
from ...core.errors import InputError
from ..features import read_constraint
from ..log_lines import RUN
from ..log_names import Count
from ..log_parquet import without_unfit, write_runs
from ..machine import DRAIN, FOR_EVER, Machine, Outage
from ..machine_use import doubt_of_load
from ..node_requests import NUMBERS, TEXTS, UNSAID, Requests, Texts
from ..plausibility import doubt_of_resources, offered_load
from ..sbatch_options import Asked, requests_of_options
from ..swf import CUT, read_swf
from ..workload import Repair, Workload
from .importing import LIMIT_OF_PARTITION, RUN_FOR_LIMIT, ImportSettings, ImportSummary, import_lives
from .lives import UNKNOWN, Block, Numbering, Numberings
from .slurm_machine import read_events
from .slurm_reservations import Planned, repetitions
from .tally import Tally
from .text_lines import Watch

ODD_CONSTRAINT = "a constraint that cannot be read as Slurm's: not regarded"
USUAL = "no limit: the usual one of its partition, or the longest, taken for it"
UNLIMITED = 365 * 86400  # s, for which Slurm plans a job without any limit
KIB = 1024
LOAD = "OFFERED LOAD"  # so begins a doubt of `doubt_of_load`


def import_on_nodes(
    blocks: Iterable[Block],
    numberings: Numberings,
    tally: Tally,
    settings: ImportSettings,
    place: str,
    path: str | os.PathLike[str] | None,
    advance: Callable[[int, int], None],
    machine: Machine,
    planned: Sequence[Planned] = (),
    left_out: Sequence[str] = (),
) -> ImportSummary:
    """Make a log with nodes of job lives.

    Parameters
    ----------
    blocks, numberings, tally, settings, place, advance
        As for `import_lives`.
    path
        The Parquet file to be written; None to count only.
    machine
        The machine.
    planned, left_out
        Its reservations, and what of others was not taken, in words.

    Raises
    ------
    InputError
        As for `import_lives`; or no job can run on the machine.
    """
    settings = settings._replace(capacity=machine.capacity)
    kept: list[tuple[Ints, NDArray[Any]]] = []
    folder = None if path is None else Path(os.path.abspath(path)).parent  # noqa: PTH100  # links stay
    try:
        with tempfile.TemporaryDirectory(dir=folder, prefix=".paretosched-") as temporary:
            log = Path(temporary, "log.swf")
            summary = import_lives(blocks, numberings, tally, settings, place, log, advance, kept)
            jobs = read_swf(log, overrun=CUT, name=Path(path or place).name.partition(".")[0])
    except OSError as error:
        raise InputError(f"{folder or tempfile.gettempdir()}: cannot write here: {error.strerror}") from None
    numbers, rows = (np.concatenate(parts) for parts in zip(*kept, strict=True))
    order = np.argsort(numbers)
    rows = rows[order[np.searchsorted(numbers[order], jobs.job)]]
    machine, remarks = _with_reservations(machine, planned, jobs)
    partitions = {part.name for part in machine.partitions}
    requests, odd = requests_of_lives(rows, numberings, settings, partitions)
    whole = _with_usual_limits(_on_machine(jobs, machine, requests, odd), rows["limit"] == 0, tally)
    whole = _tasks_in_order(whole)
    left = without_unfit(whole)
    if path is not None:
        assert left.records is not None  # noqa: S101  # it comes from a log
        write_runs(left, np.ceil(left.records.column(RUN)).astype(np.int64), path)
    if any(each.account for each in machine.limits) and len(requests.account.words) == 1 and not machine.homes:
        remarks.append("no job has an account, so that limits of accounts and users hold nobody; --groups account")
    return _summary(summary._replace(remarks=(*summary.remarks, *remarks, *left_out)), whole, left, tally, settings)


def _with_reservations(machine: Machine, planned: Sequence[Planned], jobs: Workload) -> tuple[Machine, list[str]]:
    """Return the machine with its reservations in the time of the jobs, and remarks."""
    if not planned:
        return machine, []
    last = int((jobs.submit + np.maximum(jobs.wait, 0) + jobs.estimate).max())
    if (jobs.wait < 0).any():  # what waits is not known; all of it has run when one job after the other has
        last += int((jobs.run * jobs.width).sum()) // jobs.capacity
    found, remarks = repetitions(planned, jobs.zone, jobs.epoch + int(jobs.submit[0]), jobs.epoch + last)
    return replace(machine, reservations=(*machine.reservations, *found)), remarks


def _on_machine(jobs: Workload, machine: Machine, requests: Requests, odd: int) -> Workload:
    """Return the jobs on the machine, with the repairs of the import only: others are made again when it is read."""
    repairs = [each for each in jobs.repairs if each.action == "dropped" or each.work_percent is None]
    repairs += [Repair("assumed", ODD_CONSTRAINT, odd)] if odd else []
    return jobs.with_(machine=machine, requests=requests, repairs=tuple(repairs), header=())


def _tasks_in_order(jobs: Workload) -> Workload:
    """Return jobs of which the tasks of an array are in the order of their index, where its first line is."""
    assert jobs.requests is not None  # noqa: S101  # of `_on_machine`
    array, index = jobs.requests.array, jobs.requests.array_index
    rows = np.arange(len(jobs))
    numbers, first = np.unique(array, return_index=True)
    entry = np.where(array > 0, first[np.searchsorted(numbers, array)], rows)
    order = np.lexsort((index, entry, jobs.submit))
    return jobs if np.array_equal(order, rows) else jobs.take(order, source=jobs.source)


def _with_usual_limits(jobs: Workload, unsaid: Mask, tally: Tally) -> Workload:
    """Return jobs of which those that said no limit, (n,), have that of their partition, as in Slurm.

    Where a partition has none either it is a year, if any job says a limit; else all stay as they are.
    """
    assert jobs.machine is not None  # noqa: S101  # of `_on_machine`
    assert jobs.requests is not None  # noqa: S101
    machine, words = jobs.machine, jobs.requests.partition.words
    firsts = [machine.partitions[(machine.partitions_of(word) or [0])[0]] for word in words]
    limits = np.array([part.usual or part.longest or 0 for part in firsts], dtype=np.int64)
    limit = limits[jobs.requests.partition.code]
    if not unsaid.any() or (unsaid.all() and (limit == 0).any()):
        return jobs
    limit = np.where(limit == 0, UNLIMITED, limit)
    rows = np.flatnonzero(unsaid)
    tally.forget("assumed", (LIMIT_OF_PARTITION, RUN_FOR_LIMIT))
    tally.note("assumed", USUAL, rows, jobs.job[rows], (jobs.run * jobs.width)[rows])
    kept = [each for each in jobs.repairs if not each.reason.startswith((LIMIT_OF_PARTITION, RUN_FOR_LIMIT))]
    repairs = (*kept, Repair("assumed", USUAL, rows.size))
    return jobs.with_(estimate=np.where(unsaid, np.maximum(limit, jobs.run), jobs.estimate), repairs=repairs)


def _summary(
    summary: ImportSummary, whole: Workload, left: Workload, tally: Tally, settings: ImportSettings
) -> ImportSummary:
    """Return the summary of an import without the jobs that can never run."""
    more = left.repairs[len(whole.repairs) :]
    counts = [*tally.counts(), *(Count(each.action, each.reason, each.jobs, None, each.first) for each in more)]
    load = offered_load(left)
    doubts = [each for each in summary.doubts if not each.startswith(LOAD)]  # of all jobs
    doubts += [*doubt_of_load(load, left.capacity, settings.unit), *doubt_of_resources(left)]
    return summary._replace(
        jobs=len(left),
        users=int(np.unique(left.user).size),
        work=left.work,
        load=load,
        counts=tuple(counts),
        doubts=tuple(each.partition("; --capacity")[0] for each in doubts),  # its nodes say how large it is
        remarks=tuple(each.partition("; --capacity")[0] for each in summary.remarks),
    )


def requests_of_lives(
    rows: NDArray[Any], numberings: Numberings, settings: ImportSettings, partitions: Collection[str]
) -> tuple[Requests, int]:
    """Return what jobs ask for, and how many have a constraint that cannot be read.

    Parameters
    ----------
    rows
        (n,) lives of type LIFE; of those without a shape, width, nodes, GPUs and memory in all say it.
    numberings
        The shapes, and the names of partitions, QOS, accounts and constraints.
    settings
        How the log is made.
    partitions
        The names of the partitions of the machine.
    """
    width, nodes = rows["width"].astype(np.int64), rows["nodes"].astype(np.int64)
    least = np.minimum(np.maximum(nodes, 1), width)
    memory, gpus = rows["memory"], np.maximum(rows["gpus"], 0).astype(np.int64)
    by_node = (nodes > 0) & (memory > 0)
    each = (nodes > 0) & (gpus % least == 0)
    columns: dict[str, Any] = {
        "tasks": width,
        "nodes_least": least,
        "tasks_per_node": np.maximum(rows["per_node"], 0).astype(np.int64),
        "memory_per_node": np.where(by_node, -(-memory // (KIB * least)), UNSAID),
        "memory_per_cpu": np.where(~by_node & (memory > 0), -(-memory // (KIB * width)), UNSAID),
        "gpus_per_node": np.where(each, gpus // least, 0),
        "gpus": np.where(each, 0, gpus),
        "exclusive": (rows["exclusive"] > 0).astype(np.int64),
    }
    tasks = {"array": rows["array"].astype(np.int64), "array_index": rows["index"].astype(np.int64)}
    queue = _words(rows["partition"], numberings.partition.by_number())
    if settings.source not in ("slurm", "csv"):  # whose queues need not be partitions
        queue = np.where(np.isin(queue, [*partitions]), queue, "")
    constraint, odd = _constraints(rows["constraint"], numberings.constraint, settings.source)
    is_account = settings.grouped_by in ("account", "project")
    texts = {
        "constraint": constraint,
        "partition": queue,
        "qos": _words(rows["queue"], numberings.queue.by_number()) if settings.source in ("slurm", "csv") else None,
        "account": _words(rows["group"], numberings.group.by_number()) if is_account else None,
    }
    empty = np.full(width.size, "", dtype=object)
    shape = rows["shape"].astype(np.int64)
    if numberings.shapes.values:
        of_shapes = requests_of_options([Asked(values) for values in numberings.shapes.values])
        has = shape > 0
        there = np.maximum(shape - 1, 0)
        for key, (usual, _, _) in NUMBERS.items():
            columns[key] = np.where(has, getattr(of_shapes, key)[there], columns.get(key, usual))
        for key in TEXTS:
            column = getattr(of_shapes, key)
            said = np.array(column.words, dtype=object)[column.code][there]
            before = texts.get(key)
            before = empty if before is None else before
            keeps = ~has | (said == "") if key in ("partition", "qos", "account") else ~has
            texts[key] = np.where(keeps, before, said)
        odd &= ~has
        columns["array_most"] = np.where(tasks["array"] > 0, columns["array_most"], 0)
    return Requests(
        **columns | tasks, **{key: Texts.of(each.tolist()) for key, each in texts.items() if each is not None}
    ), int(np.count_nonzero(odd))


def _words(codes: NDArray[Any], names: Mapping[int, str]) -> NDArray[Any]:
    """Return names by their numbers, (n,) texts; "" where there is none."""
    words = np.array(["", *(names.get(number, "") for number in range(1, max(names, default=0) + 1))], dtype=object)
    known: NDArray[Any] = words[np.where(codes < words.size, np.maximum(codes, 0), 0)]
    return known


def _constraints(codes: NDArray[Any], numbering: Numbering, source: str) -> tuple[NDArray[Any], Mask]:
    """Return constraints as Slurm writes them, (n,) texts, and which cannot be read; in PBS a colon is an and."""
    readable: dict[int, str] = {}
    for number, text in numbering.by_number().items():
        words = text if source in ("slurm", "csv") else text.replace(":", "&")
        with suppress(InputError):  # those of which there is no text are counted
            read_constraint(words)
            readable[number] = words
    texts = _words(codes, readable)
    return texts, (codes != UNKNOWN) & (texts == "")


def with_events(machine: Machine, path: str | None, zone: str | None, watch: Watch) -> Machine:
    """Return a machine with the times in which its nodes were down, from what `sacctmgr show event` prints, if at all.

    Nobody knew them beforehand. What jobs lost with a node that failed is in the record of the jobs already.

    Raises
    ------
    InputError
        The file cannot be read, or is no such output.
    """
    if path is None:
        return machine
    down = [
        Outage(event.node, event.begin, FOR_EVER if event.end == UNKNOWN else event.end, kind=DRAIN)
        for event in read_events(path, "nodes", zone, watch)[0]
        if event.is_down and event.node in machine.place_of and event.end != event.begin
    ]
    return replace(machine, down=(*machine.down, *down))

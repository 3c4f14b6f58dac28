"""What jobs ask for beside processors and time: memory, nodes, GPUs, and the nice value of their users.

Memory is field 10 of the Standard Workload Format, kilobytes a processor. Nothing else has a field there: it is in the
file with names beside a log, and in columns of a workload's records behind the 18 of the format, in the order of
`ALL_BESIDE`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.arrays import Floats, Ints
from .log_names import ALL_BESIDE, BESIDE, PerJob
from .records import Records, pack
from .slurm_conf import KIB
from .workload import Workload

FIELDS = 18  # of the format
MEMORY = 9  # its place among them
REQUESTS = ("memory", *BESIDE)


def requests_of(workload: Workload, word: str) -> Ints:
    """Return what each job asks for, (n,) int64.

    Parameters
    ----------
    workload
        The jobs.
    word
        "memory", MiB of all its processors together, 0 where it is unknown; "nodes", 1 where it is unknown; "gpus",
        "nice", "per_node" (processors on each node), "exclusive" (1 for whole nodes) or "constraint" (a number of
        `Names.constraints`), 0 where it is unknown. On a machine of nodes memory, nodes and GPUs are those of
        `Workload.asked_amounts`.

    Examples
    --------
    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
    >>> requests_of(w, "nodes").tolist(), requests_of(w, "gpus").tolist()
    ([1, 1], [0, 0])
    """
    n, records = len(workload), workload.records
    if workload.asked_amounts is not None and word in ("memory", "nodes", "gpus"):
        amounts: Floats = getattr(workload.asked_amounts, word)
        return np.minimum(amounts, 2.0**62).astype(np.int64)
    if workload.requests is not None and word == "nice":
        nice: Ints = workload.requests.nice
        return nice
    if word == "memory":
        if records is None:
            return np.zeros(n, dtype=np.int64)
        # rounded down to a kilobyte a processor in the log, and up to a whole megabyte here
        return np.ceil(np.maximum(records.column(MEMORY), 0.0) * workload.width / KIB).astype(np.int64)
    place = FIELDS + list(ALL_BESIDE).index(word)
    if records is None or records.shape[1] <= place:
        return np.full(n, ALL_BESIDE[word], dtype=np.int64)
    return records.column(place).astype(np.int64)


def kilobytes_each(kilobytes: Ints, width: Ints) -> Ints:
    """Return field 10 of jobs, (n,) kilobytes a processor, from what they ask for together, (n,); -1 where unknown."""
    return np.where(kilobytes < 0, -1, kilobytes // np.maximum(width, 1))


def with_requests(workload: Workload, beside: Mapping[str, PerJob]) -> Workload:
    """Return a workload with what is beside its log; numbers without a job were dropped."""
    if workload.records is None or not beside:
        return workload
    columns = [
        values_of_jobs(workload.job, beside[word], usual) if word in beside else np.full(len(workload), usual)
        for word, usual in ALL_BESIDE.items()
    ]
    records = Records((*workload.records.columns[:FIELDS], *map(pack, columns)))
    return workload.with_(records=records, source=workload.source)


def values_of_jobs(job: Ints, known: PerJob, usual: int) -> Ints:
    """Return the value of each job, (n,), by their numbers, (n,); `usual` where it is not known.

    Examples
    --------
    >>> values_of_jobs(np.array([7, 3, 5]), PerJob(np.array([5, 77]), np.array([60, 1])), 0).tolist()
    [0, 0, 60]
    """
    order = np.argsort(known.job)
    numbers = np.append(known.job[order], np.iinfo(np.int64).max)
    place = np.searchsorted(numbers, job)
    return np.where(numbers[place] == job, np.append(known.value[order], usual)[place], usual)


def beside_log(workload: Workload) -> dict[str, PerJob]:
    """Return what is written beside the log of a workload: of jobs that do not ask for what is usual."""
    beside = {}
    for word, usual in ALL_BESIDE.items():
        value = requests_of(workload, word)
        rows = np.flatnonzero(value != usual)
        if rows.size:
            beside[word] = PerJob(workload.job[rows], value[rows])
    return beside


def records_asking(memory: Ints, nodes: Ints, gpus: Ints, nice: Ints) -> Records:
    """Return records that know nothing but what jobs ask for, (n,) each; `memory` in kilobytes a processor."""
    unknown = np.broadcast_to(np.int8(-1), memory.shape)
    columns = [unknown] * FIELDS + [pack(nodes), pack(gpus), pack(nice)]
    columns[MEMORY] = pack(memory)
    return Records(tuple(columns))

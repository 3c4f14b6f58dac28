"""What jobs ask for beside processors and time: memory, nodes, GPUs, and the nice value of their users.

Memory is field 10 of the Standard Workload Format, kilobytes a processor. The other three have no field there: they are
in the file with names beside a log, and in columns of a workload's records behind the 18 of the format.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..core.arrays import Ints
from .log_names import BESIDE, PerJob
from .records import Records, pack
from .workload import Workload

FIELDS = 18  # of the format
MEMORY = 9  # its place among them
REQUESTS = ("memory", *BESIDE)
KIB = 1024  # of a MiB


def requests_of(workload: Workload, word: str) -> Ints:
    """Return what each job asks for, (n,) int64.

    Parameters
    ----------
    workload
        The jobs.
    word
        "memory", MiB of all its processors together, 0 where it is unknown; "nodes", 1 where it is unknown; "gpus", or
        "nice", 0 where it is unknown.

    Examples
    --------
    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
    >>> requests_of(w, "nodes").tolist(), requests_of(w, "gpus").tolist()
    ([1, 1], [0, 0])
    """
    n, records = len(workload), workload.records
    if word == "memory":
        if records is None:
            return np.zeros(n, dtype=np.int64)
        # rounded down to a kilobyte a processor in the log, and up to a whole megabyte here
        return np.ceil(np.maximum(records.column(MEMORY), 0.0) * workload.width / KIB).astype(np.int64)
    place = FIELDS + list(BESIDE).index(word)
    if records is None or records.shape[1] <= place:
        return np.full(n, BESIDE[word], dtype=np.int64)
    return records.column(place).astype(np.int64)


def kilobytes_each(kilobytes: Ints, width: Ints) -> Ints:
    """Return field 10 of jobs, (n,) kilobytes a processor, from what they ask for together, (n,); -1 where unknown."""
    return np.where(kilobytes < 0, -1, kilobytes // np.maximum(width, 1))


def with_requests(workload: Workload, beside: Mapping[str, PerJob]) -> Workload:
    """Return a workload with what is beside its log; numbers without a job were dropped."""
    if workload.records is None or not beside:
        return workload
    columns = [np.full(len(workload), usual, dtype=np.int64) for usual in BESIDE.values()]
    for column, word in zip(columns, BESIDE, strict=True):
        if word in beside:
            order = np.argsort(beside[word].job)
            numbers = np.append(beside[word].job[order], np.iinfo(np.int64).max)
            place = np.searchsorted(numbers, workload.job)
            here = numbers[place] == workload.job
            column[here] = beside[word].value[order][place[here]]
    records = Records((*workload.records.columns[:FIELDS], *map(pack, columns)))
    return workload.with_(records=records, source=workload.source)


def beside_log(workload: Workload) -> dict[str, PerJob]:
    """Return what is written beside the log of a workload: of jobs that do not ask for what is usual."""
    beside = {}
    for word, usual in BESIDE.items():
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

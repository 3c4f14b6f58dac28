"""What the jobs of a table ask of nodes: its columns, each as the option of sbatch that says the same."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import numpy as np

from ...core.arrays import Ints
from ...core.errors import InputError
from ..sbatch_options import Asked, read_options
from . import table_cells as read
from .lives import UNKNOWN, whole_numbers
from .table_columns import TableColumns
from .table_rows import Rows

OPTIONS = {
    "nodes": "--nodes",
    "tasks": "--ntasks",
    "tasks_per_node": "--ntasks-per-node",
    "cpus_per_task": "--cpus-per-task",
    "memory_per_node": "--mem",
    "memory_per_cpu": "--mem-per-cpu",
    "gpus_per_node": "--gpus-per-node",
    "gpus": "--gpus",
    "constraint": "--constraint",
    "partition": "--partition",
    "qos": "--qos",
    "account": "--account",
    "dependency": "--dependency",
}  # by columns
OLDER = ("nodes", "gpus", "constraint", "partition", "qos", "account")  # which any table may have had
KNOWN: dict[int, str] = {1: "--exclusive", 0: "", -1: "--exclusive=user"}  # by what a cell says


def asked_on_nodes(rows: Rows, about: TableColumns) -> list[Asked]:
    """Return what each job asks for; none if no column says it and no machine needs it.

    What a column says counts more than what the column `options` says.

    Raises
    ------
    InputError
        A cell says what sbatch would not take; the message has its line.
    """
    named = [what for what in OPTIONS if what in rows.cells]
    if not about.on_nodes and "options" not in rows.cells and not set(named) - set(OLDER):
        return []
    n = len(rows.lines)
    columns = [rows.cells[what] for what in named]
    options = rows.cells.get("options", [""] * n)
    whole = rows.cells.get("exclusive", [""] * n)
    known: dict[tuple[str, ...], Asked] = {}
    asked = []
    for index, cells in enumerate(zip(options, whole, *columns, strict=True)):
        if cells not in known:
            known[cells] = _request_of(rows, index, about, cells, named)
        asked.append(known[cells])
    return asked


def _request_of(rows: Rows, index: int, about: TableColumns, cells: Sequence[str], named: Sequence[str]) -> Asked:
    """Return what a job asks for, by its cells: the options, whether it wants whole nodes, and the columns."""
    options = "" if read.is_missing(cells[0]) else cells[0]
    exclusive = read.exclusive(lambda _, fact: rows.fault(index, fact), cells[1:2], about.columns.get("exclusive", ""))
    words = [KNOWN[int(exclusive[0])]]
    for what, cell in zip(named, cells[2:], strict=True):
        if not (read.is_missing(cell) or cell == "-1" or (what == "gpus" and cell in ("0", "0.0"))):
            words.append(f"{OPTIONS[what]}={shlex.quote(cell.removesuffix('.0'))}")
    try:
        return read_options(options, " ".join(words))
    except InputError as error:
        raise rows.fault(index, f"what the job asks for cannot be read: {error}") from None


def cpus_of(asked: Sequence[Asked]) -> Ints:
    """Return the CPUs that jobs ask for, (n,)."""
    return whole_numbers(
        [max(each.values["tasks"] * each.values.get("cpus_per_task", 1), each.values["nodes_least"]) for each in asked]
    )


def numbers_of(asked: Sequence[Asked], key: str, n: int) -> Ints:
    """Return a column of what jobs ask for, (n,); 0 where it is not said."""
    return whole_numbers([each.values.get(key, 0) for each in asked] or [0] * n)


def texts_of(asked: Sequence[Asked], key: str, n: int) -> list[str]:
    """Return a column of texts of what jobs ask for, n; "" where it is not said."""
    return [each.values.get(key, "") for each in asked] or [""] * n


def gpus_of(asked: Sequence[Asked], n: int) -> Ints:
    """Return the GPUs that jobs ask for in all, (n,); -1 where nothing is said."""
    gpus = [
        each.values.get("gpus", 0)
        or each.values.get("gpus_per_node", 0) * each.values["nodes_least"]
        or each.values.get("gpus_per_task", 0) * each.values["tasks"]
        for each in asked
    ]
    return whole_numbers(gpus) if gpus else np.full(n, UNKNOWN, dtype=np.int64)


def kilobytes_of(asked: Sequence[Asked], width: Ints) -> Ints:
    """Return the memory that jobs ask for in all, (n,) kilobytes; -1 where nothing is said."""
    memory = np.full(width.size, UNKNOWN, dtype=np.int64)
    for row, each in enumerate(asked):
        per_node, per_cpu = (each.values.get(f"memory_per_{unit}", UNKNOWN) for unit in ("node", "cpu"))
        if per_node > 0:
            memory[row] = 1024 * per_node * each.values["nodes_least"]
        elif per_cpu > 0:
            memory[row] = 1024 * per_cpu * int(width[row])
    return memory

"""Lists of jobs, nodes and past runs, read from CSV files with a heading; and assignments, written to them.

A heading names the columns, in any order. Empty lines are skipped.

======  ====================================================================================================
jobs    job,workload; or job,size, if past runs show the workload of a size, or if sizes are the workloads;
        or all three columns, where one of the two cells may be empty
nodes   node,speed or node,speed,utilisation
past    job,size,workload; or job,size,time,speed or job,size,time,speed,utilisation, for which the
runs    workload is time x utilisation x speed (paper 003, formula 1)
======  ====================================================================================================
"""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from ..core.arguments import instance
from ..core.errors import InputError, in_quotes, number_of
from ..core.files import read_lines, replacing
from ..core.tables import csv_cell, from_csv_cell
from .bag_and_nodes import LARGEST, SMALLEST, Bag, Nodes
from .estimator import History
from .methods import Assignment

JOBS = (("job", "workload"), ("job", "size"), ("job", "size", "workload"))
NODES = (("node", "speed"), ("node", "speed", "utilisation"))
RUNS = (("job", "size", "workload"), ("job", "size", "time", "speed"), ("job", "size", "time", "speed", "utilisation"))
BOUNDS = {"speed": (SMALLEST, LARGEST), "utilisation": (SMALLEST, 1.0)}
WRITTEN = ("job", "workload", "node", "start", "finish")


def read_jobs(path: str | os.PathLike[str]) -> Bag:
    """Read a list of jobs.

    Raises
    ------
    InputError
        The file cannot be read, is no list of jobs, or a cell breaks a rule; the message names file and line.
    """
    names: list[str] = []
    numbers: dict[str, list[float]] = {"workload": [], "size": []}
    for where, row in _rows(path, "jobs", JOBS):
        names.append(_name(where, "job", row))
        for key, column in numbers.items():
            column.append(_number(where, key, row) if row.get(key) else math.nan)
        if math.isnan(numbers["workload"][-1]) and math.isnan(numbers["size"][-1]):
            raise InputError(f"{where}: a job needs a {' or a '.join(k for k in numbers if k in row)}, but has none")
    return Bag(tuple(names), np.array(numbers["workload"]), np.array(numbers["size"]))


def read_nodes(path: str | os.PathLike[str]) -> Nodes:
    """Read a list of nodes.

    Raises
    ------
    InputError
        As for `read_jobs`; or a node is there twice.
    """
    names: dict[str, str] = {}
    speed: list[float] = []
    utilisation: list[float] = []
    for where, row in _rows(path, "nodes", NODES):
        name = _name(where, "node", row)
        if name in names:
            raise InputError(f"{where}: node {in_quotes(name)} stands in line {names[name]} already")
        names[name] = where.rpartition(":")[2]
        speed.append(_number(where, "speed", row))
        utilisation.append(_number(where, "utilisation", row) if "utilisation" in row else 1.0)
    return Nodes(tuple(names), np.array(speed), np.array(utilisation))


def read_history(path: str | os.PathLike[str]) -> History:
    """Read a list of past runs, the oldest first.

    Raises
    ------
    InputError
        As for `read_jobs`.
    """
    workloads: dict[str, dict[float, float]] = {}  # by name and size
    for where, row in _rows(path, "past runs", RUNS):
        if "workload" in row:
            workload = _number(where, "workload", row)
        else:
            usable = _number(where, "utilisation", row) if "utilisation" in row else 1.0
            workload = _number(where, "time", row) * usable * _number(where, "speed", row)
        # a later run replaces an earlier one of the same size, as in `learn`
        workloads.setdefault(_name(where, "job", row), {})[_number(where, "size", row)] = workload
    return History({name: tuple(sorted(sizes.items())) for name, sizes in workloads.items()})


def save_assignment(assignment: Assignment, path: str | os.PathLike[str]) -> None:
    """Write an assignment: job,workload,node,start,finish, in the order of the jobs; unknown cells are empty."""
    bag, names = (
        instance("assignment", assignment, Assignment).bag,
        (*assignment.nodes.name, ""),
    )  # number -1 is the empty name
    start, finish = assignment.times()
    _save(
        path,
        WRITTEN,
        zip(
            bag.name,
            _cells(bag.workload),
            (names[i] for i in assignment.node),
            _cells(start),
            _cells(finish),
            strict=True,
        ),
    )


def save_jobs(bag: Bag, path: str | os.PathLike[str]) -> None:
    """Write a list of jobs that `read_jobs` reads: job,size,workload."""
    instance("bag", bag, Bag)
    _save(path, JOBS[2], zip(bag.name, _cells(bag.size), _cells(bag.workload), strict=True))


def save_nodes(nodes: Nodes, path: str | os.PathLike[str]) -> None:
    """Write a list of nodes that `read_nodes` reads: node,speed,utilisation."""
    instance("nodes", nodes, Nodes)
    _save(path, NODES[1], zip(nodes.name, _cells(nodes.speed), _cells(nodes.utilisation), strict=True))


def _save(path: str | os.PathLike[str], heading: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Write a heading and rows as a CSV file."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(heading)
        writer.writerows(map(csv_cell, row) for row in rows)


def _cells(numbers: Iterable[float]) -> Iterator[str]:
    """Return numbers as text that is exact; NaN is an empty cell."""
    return ("" if math.isnan(number) else repr(float(number)) for number in numbers)


def _rows(
    path: str | os.PathLike[str], content: str, headings: Sequence[Sequence[str]]
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield of every line below the heading its place, file:line, and its cells by column; raise InputError."""
    lines = csv.reader(read_lines(path, f"a list of {content}"), strict=True)
    headings_text = " or ".join(",".join(heading) for heading in headings)
    heading: list[str] | None = None
    count = 0
    try:
        for row in lines:
            where = f"{path}:{lines.line_num}"
            cells = [from_csv_cell(cell.strip()) for cell in row]
            if not any(cells):
                continue
            if heading is None:
                heading = [cell.lower() for cell in cells]
                if sorted(heading) not in [sorted(columns) for columns in headings]:
                    raise InputError(
                        f"{where}: a list of {content} must begin with {headings_text}, "
                        f"not {in_quotes(','.join(cells))}"
                    )
                continue
            if len(cells) != len(heading):
                raise InputError(
                    f"{where}: a line must have the {number_of(len(heading), 'column')} {','.join(heading)}, "
                    f"but has {len(cells)}"
                )
            count += 1
            yield where, dict(zip(heading, cells, strict=True))
    except csv.Error as error:
        raise InputError(f"{path}:{lines.line_num}: not CSV: {error}") from None
    if count == 0:
        raise InputError(f"{path}: a list of {content} must have lines {headings_text}, but there is none")


def _name(where: str, key: str, row: dict[str, str]) -> str:
    """Return a cell that must be a name; raise InputError if it is none."""
    if not row[key] or not row[key].isprintable():
        raise InputError(f"{where}: {key} is {in_quotes(row[key])}, not a name that can be printed")
    return row[key]


def _number(where: str, key: str, row: dict[str, str]) -> float:
    """Return a cell that must be a number within the bounds of its column; raise InputError if it is not."""
    low, high = BOUNDS.get(key, (0.0, LARGEST))
    try:
        number = float(row[key].replace("_", "?"))
    except ValueError:
        raise InputError(f"{where}: {key} is {in_quotes(row[key])}, not a number") from None
    if not low <= number <= high:
        raise InputError(f"{where}: {key} must be in {low:g}..{high:g}, but is {in_quotes(row[key])}")
    return number

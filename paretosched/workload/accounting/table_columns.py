"""What the columns of a table mean, as its user says it: which is what, and in which unit."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from ...core.errors import InputError, in_quotes, one_of

COLUMNS = (
    "submit", "interval", "eligible", "start", "wait", "end", "run", "width", "limit", "user", "account", "queue",
    "qos", "partition", "job", "state", "memory", "nodes", "gpus", "gpu_milli", "nice", "per_node", "exclusive",
    "constraint", "tasks", "tasks_per_node", "cpus_per_task", "memory_per_node", "memory_per_cpu", "gpus_per_node",
    "dependency", "options",
)  # fmt: skip
TIMES = ("submit", "eligible", "start", "end")
DURATIONS = ("interval", "wait", "run", "limit")
UNITS = {"s": Fraction(1), "ms": Fraction(1, 10**3), "us": Fraction(1, 10**6), "min": Fraction(60)}  # seconds
# By what the widths count: the columns of which one has it, the first that is named. A GPU may be given in thousandths.
COUNTED = {"cpus": ("width", "tasks", "options"), "nodes": ("nodes", "width"), "gpus": ("gpus", "gpu_milli", "width")}
RULE = "--columns must name submit (or interval), what --width counts, and run or end with start (or wait)"


class TableColumns(NamedTuple):
    """How a table is to be read.

    Attributes
    ----------
    columns
        The name of the column by what it is, one of COLUMNS.
    units
        By TIMES and DURATIONS: the seconds of which numbers count so many.
    counted
        What the widths count: "cpus", "nodes" or "gpus".
    groups
        What the groups are: "account", "user", "queue", "qos" or "partition".
    zone
        Time zone of times that do not say theirs; None to refuse them.
    states
        Words of the column `state` with another meaning than usual, and the usual word for each.
    attempts
        Whether the file is a list of jobs with attempts in JSON, see `philly`.
    parts
        Into how many parts a GPU is divided where widths count GPUs.
    on_nodes
        Whether the log is for a machine of nodes and partitions.
    """

    columns: Mapping[str, str]
    units: Mapping[str, Fraction]
    counted: str = "cpus"
    groups: str = "account"
    zone: str | None = None
    states: Mapping[str, str] = {}
    attempts: bool = False
    parts: int = 1
    on_nodes: bool = False


def column_map(text: str, counted: str = "cpus") -> dict[str, str]:
    """Return which column of a table is what, from "submit=created,width=cores".

    Parameters
    ----------
    text
        The words of `--columns`.
    counted
        What the widths count, one of COUNTED.

    Raises
    ------
    InputError
        A part is not of this form, or what is needed is missing.

    Examples
    --------
    >>> column_map("submit=created,width=cores,run=elapsed")
    {'submit': 'created', 'width': 'cores', 'run': 'elapsed'}
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        what, equals, name = part.partition("=")
        if not equals or not name:
            raise InputError(f"--columns must be WHAT=NAME,WHAT=NAME,..., but has {in_quotes(part)}")
        one_of("--columns", what, COLUMNS)
        if what in columns:
            raise InputError(f"--columns names {what} twice")
        columns[what] = name
    if {"submit", "interval"} <= columns.keys():
        raise InputError("--columns must name submit or interval, but names both")
    missing = [] if {"submit", "interval"} & columns.keys() else ["submit"]
    missing += [] if set(COUNTED[counted]) & columns.keys() else [COUNTED[counted][0]]
    if "run" not in columns:
        missing += [] if {"start", "wait"} & columns.keys() else ["start"]
        missing += [] if "end" in columns else ["end"]
    if missing:
        raise InputError(f"{RULE}, but {missing[0]} is missing")
    return columns


def unit_map(text: str) -> dict[str, Fraction]:
    """Return the seconds that a number counts, by TIMES and DURATIONS, from "ms", "limit=min" or "ms,limit=min".

    Raises
    ------
    InputError
        A part is no unit, or names what is neither a time nor a duration.

    Examples
    --------
    >>> units = unit_map("ms,limit=min")
    >>> str(units["submit"]), str(units["limit"])
    ('1/1000', '60')
    """
    units = dict.fromkeys((*TIMES, *DURATIONS), UNITS["s"])
    for part in sorted(text.split(","), key=lambda part: "=" in part):  # that of one column counts more
        what, _, unit = part.rpartition("=")
        one_of("--unit", unit, tuple(UNITS))
        if what:
            one_of("--unit", what, tuple(units))
        units |= {what: UNITS[unit]} if what else dict.fromkeys(units, UNITS[unit])
    return units

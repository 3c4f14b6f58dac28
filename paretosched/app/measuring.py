"""What is measured on all schedules of the front that the page shows, because a wish is about it.

A front has the measures that it was explored with. What else an owner limits, such as the longest wait of a group, is
measured on every schedule, which is made again: once, in the background, with all measures of the table of waits, and
kept in the folder of the page. It begins as soon as the jobs are known, so that the owner need not wait for it. When
the run is explored further, only schedules that are new on its front are made again.
"""

from __future__ import annotations

import hashlib
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from ..comparison.waits_table import MEASURES, measure_name
from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.files import replacing
from ..core.watching import seconds_left
from ..fronts.front import Front
from ..fronts.row_schedules import schedules
from ..workload.measures import MOST, as_measured, with_measures
from ..workload.workload import NOTHING_MEASURED, Measured, Workload

MEASURES_FILE = "measures.npz"
FEW, MOST_AHEAD = 20, 300.0  # schedules, and s: what would take longer is measured only when it is asked for
LEAST = 1.0  # s; a wait below it counts as one: charts take logarithms
Columns = dict[str, Floats]  # (p,) natural units, by the name of the measure
DAMAGED = (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, InputError)  # a file that is no error


@dataclass
class Measuring:
    """What is being measured.

    Parameters
    ----------
    digest
        That of the front.
    then
        The action of the owner that needs it.
    total, done
        How many schedules there are, and how many are measured; the page reads them while it goes on.
    known
        How many of these were measured before.
    is_ahead
        Whether nobody has asked for it yet: then the page does not show it.
    is_stopped
        Whether the owner does not want it any more.
    began
        When it began, by `time.monotonic`.
    told
        How many were measured when the page was shown last.
    """

    digest: str
    then: dict[str, Any]
    total: int
    done: int = 0
    known: int = 0
    is_ahead: bool = False
    is_stopped: bool = False
    began: float = field(default_factory=time.monotonic)
    told: int = -1

    @property
    def seconds_left(self) -> float | None:
        """How long the rest takes, s; None before that is known."""
        return seconds_left((0.0, self.known), (time.monotonic() - self.began, self.done), self.total)

    def progress(self, done: int) -> bool:
        """Take how many schedules are measured; return whether to stop, as what nobody asked for must not take long."""
        self.done = done
        new, left = done - self.known, self.total - self.known
        if self.is_ahead and new == FEW and (time.monotonic() - self.began) * left > MOST_AHEAD * new:
            self.is_stopped = True
        return self.is_stopped


def names_to_measure(lacking: Sequence[str], workload: Workload) -> list[str]:
    """Return what is measured at once: what is asked for, and the table of waits, as far as a workload can have it."""
    jobs = np.bincount(workload.group, minlength=len(workload.groups))
    places = [0, *(np.flatnonzero(jobs) + 1).tolist()]
    table = [measure_name(measure, place, workload.groups) for place in places for measure in MEASURES]
    return list(dict.fromkeys([*lacking, *table]))[:MOST]


def rows_of(front: Front) -> list[bytes]:
    """Return for each row of a front what is equal for the same evaluation of the same run on the same jobs only."""
    runs = [repr((front.digest, origin.key)).encode() for origin in front.origins]
    own = front.values[:, : 2 + len(front.groups)]  # without measures, which may be more or fewer
    parts = zip(front.origin.tolist(), front.evaluation.tolist(), own, strict=True)
    return [
        hashlib.sha256(b"%b %d " % (runs[run], number) + values.tobytes()).digest() for run, number, values in parts
    ]


def measured_columns(
    front: Front,
    names: Sequence[str],
    workload: Workload,
    progress: Callable[[int], bool],
    known: tuple[Mapping[bytes, int], Columns] = ({}, {}),
) -> Columns | None:
    """Return measures of all schedules of a front.

    Parameters
    ----------
    front, names, workload
        The schedules, what is measured, and the jobs.
    progress
        Is told how many are done each time that one is measured, and says whether to stop.
    known
        Places of what was measured before, by `rows_of`, and the measures at these places, see `load_measured`.

    Returns
    -------
    The columns; None if it was stopped.

    Raises
    ------
    InputError
        Something cannot be measured on this workload; or as for `schedules`.
    """
    there = with_measures(as_measured(workload, NOTHING_MEASURED), names)
    columns = {name: np.empty(len(front)) for name in there.measured.names}
    places, before = known
    new = list(range(len(front)))
    if columns.keys() <= before.keys():
        found = np.array([places.get(row, -1) for row in rows_of(front)])
        new = np.flatnonzero(found < 0).tolist()
        for name, values in columns.items():
            values[found >= 0] = before[name][found[found >= 0]]
    for count, (row, made) in enumerate(zip(new, schedules(front, new, there), strict=True), len(front) - len(new) + 1):
        measured = np.maximum(made.objectives.array[-len(names) :], LEAST)
        for name, value in zip(columns, measured, strict=True):
            columns[name][row] = value
        if progress(count):
            return None
    return columns


def with_columns(front: Front, columns: Mapping[str, Floats], names: Sequence[str]) -> Front:
    """Return a front with some of these measures behind its own; the same one if it has them already."""
    new = [name for name in names if name not in front.measured.names]
    if not new:
        return front
    values = np.hstack([front.values, np.column_stack([columns[name] for name in new])])
    return replace(front, values=values, measured=Measured((*front.measured.names, *new), front.measured.deciding))


def save_columns(folder: Path, digest: str, front: Front, columns: Columns) -> None:
    """Keep the measures of a front in the folder of its page."""
    names, values = np.array(list(columns)), np.array(list(columns.values()))
    rows = np.frombuffer(b"".join(rows_of(front)), np.uint8).reshape(len(front), -1)
    with replacing(folder / MEASURES_FILE) as temporary, temporary.open("wb") as file:
        np.savez(file, digest=np.array(digest), names=names, values=values, rows=rows)


def load_measured(folder: Path) -> tuple[dict[bytes, int], Columns]:
    """Return the places of all schedules that are measured, by `rows_of`, and the measures; nothing if damaged."""
    try:
        with np.load(folder / MEASURES_FILE, allow_pickle=False) as kept:
            names, values, rows = kept["names"].tolist(), kept["values"], kept["rows"]
            if values.shape != (len(names), len(rows)) or values.dtype != np.float64 or rows.dtype != np.uint8:
                return {}, {}
            return {row.tobytes(): place for place, row in enumerate(rows)}, dict(zip(names, values, strict=True))
    except DAMAGED:
        return {}, {}


def load_columns(folder: Path, digest: str, rows: int) -> Columns:
    """Return the measures that are kept of the front with this digest; nothing if they are of another one, or damaged.

    They can be measured again, so a damaged file is no error.
    """
    try:
        with np.load(folder / MEASURES_FILE, allow_pickle=False) as kept:
            names, values = kept["names"].tolist(), kept["values"]
            if str(kept["digest"]) != digest or values.shape != (len(names), rows) or values.dtype != np.float64:
                return {}
    except DAMAGED:
        return {}
    return dict(zip(names, values, strict=True))

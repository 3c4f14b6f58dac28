"""What is measured on all schedules of the front that the page shows, because a wish is about it.

A front has the measures that it was explored with. What else an owner limits, such as the longest wait of a group, is
measured on every schedule, which is made again: once, in the background, with all measures of the table of waits, and
kept in the folder of the page. It begins as soon as the jobs are known, so that the owner need not wait for it.
"""

from __future__ import annotations

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
from ..fronts.front import Front
from ..fronts.row_schedules import schedules
from ..simulation.objective import objectives_of
from ..workload.measures import MOST, as_measured, with_measures
from ..workload.workload import NOTHING_MEASURED, Measured, Workload

MEASURES_FILE = "measures.npz"
FEW, MOST_AHEAD = 20, 300.0  # schedules, and s: what would take longer is measured only when it is asked for
LEAST = 1.0  # s; a wait below it counts as one: charts take logarithms
Columns = dict[str, Floats]  # (p,) natural units, by the name of the measure


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
    is_ahead
        Whether nobody has asked for it yet: then the page does not show it.
    is_stopped
        Whether the owner does not want it any more.
    began
        When it began, by `time.monotonic`.
    """

    digest: str
    then: dict[str, Any]
    total: int
    done: int = 0
    is_ahead: bool = False
    is_stopped: bool = False
    began: float = field(default_factory=time.monotonic)

    def progress(self, done: int) -> bool:
        """Take how many schedules are measured; return whether to stop, as what nobody asked for must not take long."""
        self.done = done
        if self.is_ahead and done == FEW and (time.monotonic() - self.began) * self.total > MOST_AHEAD * done:
            self.is_stopped = True
        return self.is_stopped


def names_to_measure(lacking: Sequence[str], workload: Workload) -> list[str]:
    """Return what is measured at once: what is asked for, and the table of waits, as far as a workload can have it."""
    jobs = np.bincount(workload.group, minlength=len(workload.groups))
    places = [0, *(np.flatnonzero(jobs) + 1).tolist()]
    table = [measure_name(measure, place, workload.groups) for place in places for measure in MEASURES]
    return list(dict.fromkeys([*lacking, *table]))[:MOST]


def measured_columns(
    front: Front, names: Sequence[str], workload: Workload, progress: Callable[[int], bool]
) -> Columns | None:
    """Return measures of all schedules of a front; `progress` is told how many are done, and says whether to stop.

    Returns
    -------
    The columns; None if it was stopped.

    Raises
    ------
    InputError
        Something cannot be measured on this workload; or as for `schedules`.
    """
    there = with_measures(as_measured(workload, NOTHING_MEASURED), names)
    values = np.empty((len(front), len(names)))
    for row, made in enumerate(schedules(front, range(len(front)), there)):
        values[row] = objectives_of(there, made.start)[-len(names) :]
        if progress(row + 1):
            return None
    return dict(zip(there.measured.names, np.maximum(values, LEAST).T, strict=True))


def with_columns(front: Front, columns: Mapping[str, Floats], names: Sequence[str]) -> Front:
    """Return a front with some of these measures behind its own; the same one if it has them already."""
    new = [name for name in names if name not in front.measured.names]
    if not new:
        return front
    values = np.hstack([front.values, np.column_stack([columns[name] for name in new])])
    return replace(front, values=values, measured=Measured((*front.measured.names, *new), front.measured.deciding))


def save_columns(folder: Path, digest: str, columns: Columns) -> None:
    """Keep the measures of a front in the folder of its page."""
    names, values = np.array(list(columns)), np.array(list(columns.values()))
    with replacing(folder / MEASURES_FILE) as temporary, temporary.open("wb") as file:
        np.savez(file, digest=np.array(digest), names=names, values=values)


def load_columns(folder: Path, digest: str, rows: int) -> Columns:
    """Return the measures that are kept of the front with this digest; nothing if they are of another one, or damaged.

    They can be measured again, so a damaged file is no error.
    """
    try:
        with np.load(folder / MEASURES_FILE, allow_pickle=False) as kept:
            names, values = kept["names"].tolist(), kept["values"]
            if str(kept["digest"]) != digest or values.shape != (len(names), rows) or values.dtype != np.float64:
                return {}
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile, InputError):
        return {}
    return dict(zip(names, values, strict=True))

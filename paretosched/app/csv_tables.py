"""Tables of the page as CSV files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.tables import csv_text, plain
from ..fronts.front import Front
from ..simulation.objective import improvement
from ..wishes.navigation import reachable
from ..workload.group_lists import names_of, word_or_number
from ..workload.workload import Workload
from .state import Pick, schedule_name
from .state_view import View


def comparison_rows(
    front: Front, columns: Mapping[str, Floats], reference: str | None, picks: Mapping[str, Pick]
) -> list[dict[str, Any]]:
    """Return schedules side by side: a row for each, plain values, natural units and per cent as in `compare`.

    The keys are "schedule", the names of the objectives, the same with "_vs_reference", "note", and "run" and
    "evaluation" of those on the shortlist.
    """
    rows = []
    for name, values in columns.items():
        row: dict[str, Any] = {
            "schedule": name,
            **dict(zip((o.name for o in front.objectives), plain(values), strict=True)),
        }
        if reference is not None:
            gains = plain(improvement(values, columns[reference]))
            row |= {f"{o.name}_vs_reference": x for o, x in zip(front.objectives, gains, strict=True)}
        pick = picks.get(name)
        about = ("", None, None) if pick is None else (pick.note, pick.run, pick.evaluation)
        rows.append(row | dict(zip(("note", "run", "evaluation"), about, strict=True)))
    return rows


def group_rows(workload: Workload) -> list[dict[str, Any]]:
    """Return who is in which group, as `--groups` reads it: a row for each user, group after group, by name or number.

    A user with jobs in several groups has a row for the group with most of them.
    """
    names = names_of(workload, "user")
    users, place = np.unique(workload.user, return_inverse=True)
    count = np.zeros((len(users), len(workload.groups)), dtype=np.int64)
    np.add.at(count, (place, workload.group), 1)
    group = count.argmax(axis=1)
    order = np.lexsort([users, group])
    return [
        {"user": word_or_number(names.get(int(users[i]), ""), int(users[i])), "group": workload.groups[group[i]]}
        for i in order
    ]


def to_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return rows as CSV, with their keys on top; without rows there is a heading only."""
    return csv_text(rows) if rows else "schedule\n"


def remaining_rows(front: Front, among: NDArray[np.bool_]) -> list[dict[str, Any]]:
    """Return the schedules that remain: row, objectives in natural units, run and evaluation."""
    names = [o.name for o in front.objectives]
    return [
        {"row": int(row), **dict(zip(names, plain(front.values[row]), strict=True))}
        | {"run": front.origins[front.origin[row]].name, "evaluation": int(front.evaluation[row])}
        for row in np.flatnonzero(among)
    ]


def reach_rows(front: Front, view: View) -> list[dict[str, Any]]:
    """Return the objectives: the best value of all schedules, the best still reachable, and that of the current one."""
    best_of_all = reachable(front, np.ones(len(front), dtype=np.bool_))
    return [
        {
            "objective": o.name,
            "unit": o.unit,
            "best": best,
            "still reachable": still,
            schedule_name(front, view.row): value,
        }
        for o, best, still, value in zip(
            front.objectives, plain(best_of_all), plain(view.best), plain(front.values[view.row]), strict=True
        )
    ]


def step_rows(front: Front, view: View) -> list[dict[str, Any]]:
    """Return the steps from the current schedule: what improves by 1 %, and how the others change, in per cent."""
    return [
        {"better by 1 %": o.name, "to row": None if row < 0 else int(row)}
        | {"to evaluation": None if row < 0 else int(front.evaluation[row])}
        | {f"{other.name} gains %": x for other, x in zip(front.objectives, plain(gains), strict=True)}
        for o, row, gains in zip(front.objectives, view.rows, view.gains, strict=True)
    ]

"""Which limit of a site helps whom, and who pays: what a row of a search over limits changes, simulated one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..core.errors import InputError
from ..core.tables import Column, plain, table
from ..encodings.site_limits import Setting, SiteLimits, in_words, settings_today
from ..fronts.front import Front, genome
from ..simulation.service import HOUR, Waits, waits
from ..simulation.simulator import simulate
from ..workload.workload import Workload

ALL_OF_THEM = "all of them"
SAME = 60  # s of a wait that are no gain and no loss
COLUMNS = (Column("limit", "this limit"), Column("gains", "who gains"), Column("pays", "who pays"))


class LimitEffects(NamedTuple):
    """What limits do, made by `limit_effects`.

    Attributes
    ----------
    row
        The row of the front.
    settings
        All that were varied.
    changes
        Those that are set otherwise now.
    order
        The name of the policy under which the jobs run.
    rows
        For all changes together, and for each alone if there are several, a row for each group with jobs, see `about`.
    """

    row: int
    settings: tuple[Setting, ...]
    changes: tuple[Setting, ...]
    order: str
    rows: tuple[dict[str, Any], ...]

    def about(self) -> dict[str, Any]:
        """Return it as plain values.

        "rows" have "limit" in words, "group", "jobs", and "mean" and "p95" of its waits, s, with "mean_today" and
        "p95_today" with the limits that are set now under the same policy.
        """
        about: dict[str, Any] = plain(
            {"row": self.row, "words": in_words(self.settings), "order": self.order, "rows": [*self.rows]}
            | {"changes": [change.about() for change in self.changes]}
        )
        return about

    def text(self) -> str:
        """Return it as a table for a terminal: who gains, and who pays."""
        head = f"row {self.row} is {in_words(self.settings)}"
        if not self.changes:
            return f"{head}: the limits that are set now"
        rows = []
        for limit in dict.fromkeys(row["limit"] for row in self.rows):
            of_limit = [row for row in self.rows if row["limit"] == limit]
            cells = {"gains": _changes_in_words(of_limit, -1), "pays": _changes_in_words(of_limit, 1)}
            rows.append({"limit": limit} | {key: "; ".join(each) or "-" for key, each in cells.items()})
        return (
            f"{head}\n\n{table(rows, COLUMNS)}\nmean: of all waits of a group; p95: what 95 of 100 of its jobs wait at "
            f"most; both against the limits that are set now under {self.order}, simulated"
        )


def limit_effects(front: Front, row: int, workload: Workload) -> LimitEffects | None:
    """Return what the limits of a row of a front do, by groups; None if the row is of another encoding.

    Parameters
    ----------
    front, row
        The front, and the number of the row, from 0.
    workload
        The jobs of the front; its machine has the limits that are set now.

    Raises
    ------
    InputError
        There is no such row, or the workload does not fit it.
    """
    origin, genes = genome(front, row)
    encoding = origin.encoding
    changes = limit_changes(front, row, workload)
    if changes is None or not isinstance(encoding, SiteLimits):
        return None
    if workload.groups != front.groups:
        raise InputError("limits must be looked at on the jobs of the front, but these have other groups")
    today, settings = settings_today(encoding, workload), encoding.settings(genes)
    tried = {ALL_OF_THEM: settings} if len(changes) > 1 else {}
    for change in changes:
        alone = [change if (each.qos, each.name) == (change.qos, change.name) else each for each in today]
        tried[_in_words(change)] = tuple(alone)
    before = _waits(encoding, today, workload) if changes else None
    rows: list[dict[str, Any]] = []
    for limit, each in tried.items():
        after = _waits(encoding, each, workload)
        rows += _rows(limit, workload.groups, before, after) if before is not None else []
    return LimitEffects(row, settings, changes, encoding.order.name, tuple(rows))


def limit_changes(front: Front, row: int, workload: Workload) -> tuple[Setting, ...] | None:
    """Return which limits a row of a front changes on the machine of its jobs; None if it is of another encoding."""
    origin, genes = genome(front, row)
    if not isinstance(origin.encoding, SiteLimits):
        return None
    pairs = zip(origin.encoding.settings(genes), settings_today(origin.encoding, workload), strict=True)
    return tuple(now for now, before in pairs if now != before)


def _changes_in_words(rows: Sequence[dict[str, Any]], sign: int) -> list[str]:
    """Return in words, for each group, which of its waits are shorter, if the sign is -1, or longer, if it is 1."""
    told = []
    for row in rows:
        changes = {key: row[key] - row[f"{key}_today"] for key in ("mean", "p95")}
        words = [f"{key} {change / HOUR:+,.1f} h" for key, change in changes.items() if sign * change >= SAME]
        told += [f"{row['group']}: {', '.join(words)}"] * bool(words)
    return told


def _waits(encoding: SiteLimits, settings: Sequence[Setting], workload: Workload) -> Waits:
    """Return the waits of all jobs and of each group with some limits."""
    schedule = simulate(*encoding.on_machine(settings, workload))
    return waits(schedule)


def _rows(limit: str, groups: Sequence[str], before: Waits, after: Waits) -> list[dict[str, Any]]:
    """Return a row for each group that has jobs."""
    return [
        {"limit": limit, "group": group, "jobs": int(after.jobs[g])}
        | {"mean": float(after.mean[g]), "mean_today": float(before.mean[g])}
        | {"p95": float(after.p95[g]), "p95_today": float(before.p95[g])}
        for g, group in enumerate(groups, 1)
        if after.jobs[g]
    ]


def _in_words(change: Setting) -> str:
    """Return a limit in words, also one that is dropped."""
    if change.value is not None:
        return in_words([change])
    return f"no {change.name}{change.whose}"

"""Policies in one part of a log after the other: whether a gain is there all the year, or comes from one good month.

Every policy is simulated once, over all jobs. The jobs that were submitted in a period count for it, and the limits of
a wish that are relative to a policy mean this policy in this period.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import whole_number
from ..core.arrays import Floats
from ..core.errors import InputError
from ..core.tables import Column, plain, table
from ..simulation.objective import FROM_START, Objective, improvement, objectives
from ..simulation.schedule import Schedule
from ..simulation.simulator import simulate
from ..wishes import wish as choice
from ..wishes.relative_limits import policy_of, resolve
from ..wishes.wish import TODAY, Wish
from ..workload.calendar import day_of
from .comparison_tables import with_sign

FEWEST, MOST = 2, 400


class Period(NamedTuple):
    """A part of a log, and what policies reach on the jobs that were submitted in it.

    Attributes
    ----------
    first, last
        Seconds of the log between which its jobs were submitted, the last one not included.
    begin
        The local day on which it begins.
    jobs
        How many there are.
    values
        (q, m) objectives of each policy, natural units, with the UTIL of the papers; NaN for a group without jobs.
    wish
        The wish with numbers in place of relative limits; None without a wish.
    measured
        (q, m), the same with UTIL from when it counts for the wish.
    """

    first: int
    last: int
    begin: str
    jobs: int
    values: Floats
    wish: Wish | None
    measured: Floats

    def cells(self, objectives: Sequence[Objective], q: int) -> dict[str, Any]:
        """Return what a policy reaches in this period, as plain values."""
        easy, policy = self.values[0], self.values[q]
        names = [o.name for o in objectives]
        cells: dict[str, Any] = {"from_s": self.first, "until_s": self.last, "from": self.begin, "jobs": self.jobs}
        cells |= dict(zip(names, plain(policy), strict=True))
        gains = plain(improvement(policy, easy))
        cells |= {f"{name}_vs_easy": gain for name, gain in zip(names, gains, strict=True)}
        cells |= dict.fromkeys(("objective", "objective_vs_easy", "exceeded"))
        easy, policy = self.measured[0], self.measured[q]
        if self.wish is None or not self.jobs or not choice.is_defined(self.wish, easy):
            return cells
        cells["exceeded"] = float(choice.violation(self.wish, policy[None])[0])
        if self.wish.aims:
            of_easy, goal = choice.goal(self.wish, np.array([easy, policy])).tolist()
            cells |= {"objective": goal, "objective_vs_easy": choice.gain(self.wish, of_easy, goal)}
        return cells


def periods(
    schedules: Sequence[Schedule],
    count: int,
    wish: Wish | None = None,
    util_from: str = FROM_START,
    today: Schedule | None = None,
) -> tuple[Period, ...]:
    """Return what schedules of one workload, that of EASY first, reach in periods of equal time.

    Parameters
    ----------
    schedules
        q schedules.
    count
        How many periods, 2 to 400.
    wish
        What the owner wants.
    util_from
        From when on UTIL counts for the wish, as of `objectives`.
    today
        The schedule of what runs the machine today, if it is not what is recorded.

    Raises
    ------
    InputError
        The number is out of range.
    """
    if not FEWEST <= whole_number("rolling", count) <= MOST:
        raise InputError(f"rolling must be in {FEWEST}..{MOST} periods, but is {count}")
    w = schedules[0].workload
    first, span = int(w.submit[0]), int(w.submit[-1] - w.submit[0]) + 1
    edges = [first + span * i // count for i in range(count + 1)]
    names = () if wish is None else wish.references
    known = {"easy": schedules[0]} | ({} if today is None else {TODAY: today})
    references = {name: known[name] if name in known else simulate(w, policy_of(name)) for name in names}
    parts = []
    for begin, end in pairwise(edges):
        inside = (w.submit >= begin) & (w.submit < end)
        values, measured = (
            np.array([objectives(schedule, inside, begin_of_util) for schedule in schedules])
            for begin_of_util in (FROM_START, util_from)
        )
        here = None
        if wish is not None and inside.any():
            of_references: dict[str, Floats] = {
                name: objectives(s, inside, util_from).array for name, s in references.items()
            }
            here = resolve(wish, of_references)
        parts.append(
            Period(begin, end, day_of(w.epoch + begin, w.zone), int(np.count_nonzero(inside)), values, here, measured)
        )
    return tuple(parts)


def period_table(rows: Sequence[Mapping[str, Any]], objectives: Sequence[Objective], wish: Wish | None) -> str:
    """Return periods as a table, from rows with "policy" and "periods": gains over EASY in per cent."""
    timed = [o.name for o in objectives if o.unit == "s"]
    lines = []
    for place in range(len(rows[0]["periods"])):
        for row in rows[1:]:
            cells = row["periods"][place]
            gains = {key: cells[f"{key}_vs_easy"] for key in ("objective", *timed)}
            exceeded = None if cells["exceeded"] is None else 100 * cells["exceeded"]
            first = {"from": cells["from"], "jobs": cells["jobs"]}
            about = first if row is rows[1] else {"from": "", "jobs": ""}
            words = {key: None if gain is None else with_sign(gain) for key, gain in gains.items()}
            lines.append(about | {"policy": row["policy"], "exceeded": exceeded} | words)
    columns = [Column("from", "from"), Column("jobs", "jobs", ",d"), Column("policy", "vs EASY")]
    if wish is not None and wish.weights:
        columns.append(Column("objective", "objective", ".1f"))
    if wish is not None and wish.limits:
        columns.append(Column("exceeded", "limits exceeded by %", ",.2f"))
    return table(lines, [*columns, *(Column(name, name, ".1f") for name in timed)])

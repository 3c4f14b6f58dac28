"""How the gains of policies change if users react, see `paretosched.workload.reacting_users`.

Under a schedule that answers sooner than the log's, users come sooner, and the same jobs press harder on the machine;
under a slower one they come later, which spares it waits that a simulation with the recorded submissions finds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.tables import Column, table
from ..policies.policy import Policy
from ..simulation.objective import improvement
from ..simulation.schedule import Schedule
from ..simulation.simulator import REACT, simulate
from ..workload.workload import Workload
from .comparison_tables import with_sign

NOTE = (
    "users react: later is how much later than in the log jobs are submitted, on average; came and done are the shares "
    "of all work that is submitted, and done, by the last submission of the log; vs EASY is the gain in the mean wait, "
    "and in AWRT, with the recorded submissions and if users react"
)


class Reaction(NamedTuple):
    """What users make of a policy by reacting, and its gains over EASY.

    Attributes
    ----------
    later_s
        By how many seconds jobs are submitted later than in the log, on average; negative for sooner.
    came_percent, done_percent
        Shares of all work that is submitted, and done, by the last submission of the log.
    wait_mean_s, AWRT
        The mean wait of all jobs, and AWRT, s.
    wait_vs_easy, AWRT_vs_easy
        (EASY - X) / EASY in per cent, both if users react.
    wait_vs_easy_recorded, AWRT_vs_easy_recorded
        The same with the recorded submissions.
    """

    later_s: float
    came_percent: float
    done_percent: float
    wait_mean_s: float
    AWRT: float
    wait_vs_easy: float
    AWRT_vs_easy: float
    wait_vs_easy_recorded: float
    AWRT_vs_easy_recorded: float


def reaction_gains(workload: Workload, policies: Sequence[Policy], schedules: Sequence[Schedule]) -> list[Reaction]:
    """Return what users make of policies by reacting; of their schedules without reaction the first is the reference.

    Raises
    ------
    InputError
        As for `simulate`: the log does not know its users, or has no recorded waits; or a policy is SCOJO-PECT.
    """
    return gains_if_users_react(workload, schedules, [simulate(workload, policy, users=REACT) for policy in policies])


def gains_if_users_react(
    workload: Workload, schedules: Sequence[Schedule], reacting: Sequence[Schedule]
) -> list[Reaction]:
    """Return what users make of schedules by reacting; the first is the reference.

    `schedules` are of the jobs of the workload as they were submitted, `reacting` of the same jobs as users submit them
    then.
    """
    until, work = int(workload.submit[-1]), float(workload.work)
    gains = [
        improvement(values, values[0])
        for values in (np.array([_measures(s) for s in each]) for each in (schedules, reacting))
    ]
    result = []
    for q, schedule in enumerate(reacting):
        w = schedule.workload
        came = w.run @ np.where(w.submit <= until, w.width, 0)
        done = np.clip(until - schedule.start, 0, w.run) @ w.width
        wait, response = _measures(schedule)
        later = float(w.submit.mean() - workload.submit.mean())
        shares = [100 * float(part) / work for part in (came, done)]
        result.append(
            Reaction(
                later,
                shares[0],
                shares[1],
                wait,
                response,
                gains[1][q, 0],
                gains[1][q, 1],
                gains[0][q, 0],
                gains[0][q, 1],
            )
        )
    return result


def _measures(schedule: Schedule) -> tuple[float, float]:
    """Return the mean wait of all jobs, and AWRT, s."""
    return float(schedule.wait.mean()), schedule.objectives["AWRT"]


def reaction_table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what `Comparison.rows` has of users who react as a table."""
    gains = [key for key in Reaction._fields if "_vs_easy" in key]
    lines = []
    for row in rows:
        facts = row["users_react"]
        words = {key: "" if row is rows[0] else "-" if facts[key] is None else with_sign(facts[key]) for key in gains}
        hours = {key: facts[key] / 3600 for key in ("later_s", "wait_mean_s", "AWRT")}
        lines.append({"policy": row["policy"], **facts, **hours, **words})
    columns = [
        Column("policy", "users react"),
        Column("later_s", "later h", "+,.2f"),
        Column("came_percent", "came %", ".2f"),
        Column("done_percent", "done %", ".2f"),
        Column("wait_mean_s", "wait mean h", ",.2f"),
        Column("wait_vs_easy_recorded", "vs EASY, recorded", ""),
        Column("wait_vs_easy", "if users react", ""),
        Column("AWRT", "AWRT h", ",.2f"),
        Column("AWRT_vs_easy_recorded", "vs EASY, recorded", ""),
        Column("AWRT_vs_easy", "if users react", ""),
    ]
    return table(lines, columns)

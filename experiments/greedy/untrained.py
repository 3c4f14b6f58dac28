"""What orders gain that nobody has trained: on the parts of logs that trainings learn from and are tried on.

On CTC as a whole they are the best of the strategies of paper 001, each alone (results/gfs).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import common
import numpy as np
import settings
from later_jobs import GROUPS

import paretosched as ps
from paretosched.comparison.intervals import week_sums
from paretosched.simulation.objective import objective_table
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import by_earlier_consumption

Row = Mapping[str, str]
ALONE = common.ROOT / "results" / "gfs" / "alone.csv"
LOG, EASY, TRAINED = "CTC", "easy by wait", "greedy"  # as they are named there


def measures(logs: Sequence[str], quick: bool) -> Iterator[dict[str, Any]]:
    """Yield what each untrained order reaches on both parts of each of the logs, and on the rest of other scalings."""
    for log in (*logs, settings.RAISED):
        others = common.OTHER_SCALINGS[: 1 if quick else None] if common.factor_of(log) != 1 else ()
        for scaling in (common.SCALING_SEED, *others):
            whole = common.stand_in(log, settings.QUICK) if quick else common.scaling_of(log, scaling)
            parts = by_earlier_consumption(*split(whole, settings.TEST_SHARE))
            for part, jobs in zip(("workloads", "rest"), parts, strict=True):
                if part == "rest" or scaling == common.SCALING_SEED:
                    yield from _of_part({"log": log, "scaling": scaling, "part": part}, jobs)


def _of_part(about: Mapping[str, Any], jobs: ps.Workload) -> Iterator[dict[str, Any]]:
    """Yield a row for each untrained order: its objectives and gains, and on the rest their intervals over weeks."""
    names = [objective.name for objective in objective_table(jobs.groups)]
    wish = resolved_on(ps.as_wish(f"{settings.OBJECTIVE}, {settings.LIMITS}", jobs.groups), jobs)
    plain, easy_schedule = ps.as_wish(settings.OBJECTIVE, jobs.groups), ps.simulate(jobs, "easy")
    easy, easy_weeks = np.asarray(ps.objectives(easy_schedule)), week_sums(easy_schedule)
    work = np.bincount(jobs.group, weights=jobs.run * jobs.width.astype(float), minlength=len(jobs.groups))
    count = np.bincount(jobs.group, minlength=len(jobs.groups))
    sizes = {f"jobs{name}": int(count[k]) for k, name in enumerate(jobs.groups)}
    sizes |= {f"work{name}": round(100 * float(work[k] / work.sum()), 4) for k, name in enumerate(jobs.groups)}
    for words in (words for of_kind in settings.UNTRAINED.values() for words in of_kind):
        schedule = ps.simulate(jobs, words)
        values = np.asarray(ps.objectives(schedule))
        of_easy, value = goal(wish, np.array([easy, values])).tolist()
        gains = 100 * (1 - values / easy)
        ends = common.ends_of_gains([easy_weeks, week_sums(schedule)], plain)
        yield {
            "policy": words,
            **about,
            "exceeded": float(violation(wish, values[None])[0]),
            "objective": value,
            "vs_easy": 100 * (1 - value / of_easy),
            **{name: common.number(x) for name, x in zip(names, values.tolist(), strict=True)},
            **{f"{name}_vs_easy": common.number(x) for name, x in zip(names, gains.tolist(), strict=True)},
            **(ends if about["part"] == "rest" else dict.fromkeys(ends)),
            **sizes,
        }


def best_untrained(easy: Row, kind: str, path: Path = ALONE) -> dict[str, str]:
    """Return the strategy of a kind with the largest gain in the objective, with its gains over EASY, per cent.

    Parameters
    ----------
    easy
        The row of EASY on the workload of the trainings; strategies count if theirs has the same objective.
    kind
        How its waiting jobs are started: fcfs, easy or conservative.
    path
        The table of the strategies.

    Returns
    -------
    dict
        "system", "vs_easy", and "AWRT_vs_easy", "AWRT1_vs_easy" and so on; empty if there is none on this workload.
    """
    rows = {row["system"]: row for row in common.rows(path) if row["log"] == LOG}
    base = rows.get(EASY)
    if base is None or abs(float(base["objective"]) / float(easy["objective"]) - 1) > 1e-6:
        return {}
    found = [row for name, row in rows.items() if name.startswith(f"{kind} ") and name not in (EASY, TRAINED)]
    best = min(found, key=lambda row: float(row["objective"]))
    gains = {f"{name}_vs_easy": str(100 * (1 - float(best[name]) / float(base[name]))) for name in ("AWRT", *GROUPS)}
    return {"system": best["system"], "vs_easy": best["vs_easy"], **gains}


def in_words(row: Row) -> str:
    """Return the strategy and its gain in brackets; empty without one."""
    return f" ({row['system']}, untrained: {float(row['vs_easy']):.1f} %)" if row else ""

"""Simulate a week of a cluster with limits for each user, from none to 8 running jobs; results/limits."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

import paretosched as ps
from paretosched.core.arrays import Mask
from paretosched.core.tables import save_rows
from paretosched.encodings.site_limits import in_words
from paretosched.policies.slurm_policy import read_slurm
from paretosched.search.exploration import Progress
from paretosched.simulation.measures import consumption_of
from paretosched.simulation.service import waits
from paretosched.workload.limits import Limits

PARTS = ("users", "easy", "slurm", "search")
WORK = Path(__file__).resolve().parent / "work"


def main() -> None:
    """Run the parts that are asked for; what a table has already is not simulated again."""
    options = common.options_of(common.run_parser("limits", __doc__, "a made-up log", PARTS))
    parts = {
        "users": lambda: users(log(options.quick)),
        "easy": lambda: simulations("easy", options.results, options.quick),
        "slurm": lambda: simulations("slurm", options.results, options.quick),
        "search": lambda: found_limits(log(options.quick), options.quick),
    }
    common.run_parts(options, parts)


@cache
def log(quick: bool) -> ps.Workload:
    """Return the jobs of the week."""
    if quick:
        return settings.quick()
    return common.jobs_on_machine(common.modern_file(settings.LOG), common.modern_file(settings.CONF))


def simulations(part: str, results: Path, quick: bool) -> list[dict[str, Any]]:
    """Return the rows of all limits under a policy, which are written after each of them, too."""
    path = results / f"{part}.csv"
    rows: list[dict[str, Any]] = [*common.rows(path)]
    policy = ps.as_policy("easy") if part == "easy" or quick else slurm()
    for limit in settings.LIMITS if part == "easy" else settings.OF_SLURM:
        if limit in {row["limit"] for row in rows}:
            continue
        begin = time.process_time()
        found = rows_of(log(quick), limit, lambda w: ps.simulate(w, policy).check())
        print(f"  {part}, {limit}: {time.process_time() - begin:.1f} CPU s", flush=True)
        rows += found
        save_rows(rows, path)
    return rows


def found_limits(w: ps.Workload, quick: bool) -> list[dict[str, Any]]:
    """Return a row for each set of limits that a search finds under EASY, none dominated: its times of both groups, s.

    The run goes on where it was if its folder holds it already.
    """
    top = groups_of(w)[settings.TOP_USERS]
    w = w.with_(group=np.where(top, 0, 1), groups=settings.SEARCH_GROUPS)
    objectives = ", ".join(settings.SEARCHED)
    if quick:
        front = ps.explore(w, encoding="limits", objectives=objectives, **settings.QUICK_SEARCH)
    else:
        WORK.mkdir(exist_ok=True)
        run = WORK / "search"
        front = ps.explore(w, run, encoding="limits", objectives=objectives, progress=show, **settings.SEARCH)
    rows = []
    for each in front:
        limits = in_words(each.origin.encoding.settings(each.genome))
        times = {name: round(each.objectives[measure_of(name)]) for name in settings.SEARCHED}
        number = int(each.name.rpartition("#")[2])
        rows.append({"evaluation": number, "tried": front.evaluations, "limits": limits, **times})
    return sorted(rows, key=lambda row: row["evaluation"])


def show(progress: Progress) -> None:
    """Print how far the search is."""
    print(f"  search: {progress.evaluations} of {progress.total}, {progress.seconds:.0f} CPU s", flush=True)


def measure_of(name: str) -> str:
    """Return the objective that a name in SEARCHED stands for: AWRT of a group has the group's number."""
    measure, _, group = name.partition(" of ")
    return f"AWRT{settings.SEARCH_GROUPS.index(group) + 1}" if measure == "AWRT" else name


def slurm() -> ps.Policy:
    """Return the policy of the cluster's slurm.conf, with its accounts and shares."""
    return read_slurm(common.modern_file(settings.CONF), common.modern_file(settings.SHARES))


def with_limit(machine: ps.Machine, limit: str) -> ps.Machine:
    """Return a machine on which each user has a limit of `settings.LIMITS` in each QOS of a partition."""
    name, value = settings.LIMITS[limit]
    if not name:
        return machine
    most = {name: {"cpu": round(value * machine.capacity)} if name == "MaxTRESPU" else value}
    names = dict.fromkeys(partition.own_qos for partition in machine.partitions)
    return replace(machine, limits=tuple(Limits(qos, "", "", "", most) for qos in names))


def groups_of(w: ps.Workload) -> dict[str, Mask]:
    """Return which jobs are of each group of users, (n,) bool each.

    The top users are those with the largest consumption. All others are the one of them with most jobs, those who
    would never have more than `settings.FEW` jobs at once if none waited, and the rest.
    """
    of, place = np.unique(w.user, return_inverse=True)
    top = np.isin(w.user, of[np.argsort(-np.bincount(place, consumption_of(w)), kind="stable")[: settings.TOP]])
    most = w.user == of[np.bincount(place, ~top).argmax()]
    few = np.array([at_once(w, place == number) <= settings.FEW for number in range(len(of))])[place]
    return {
        settings.ALL: np.ones(len(w), dtype=np.bool_),
        settings.TOP_USERS: top,
        settings.OTHERS: ~top,
        settings.MOST_JOBS: most,
        settings.FEW_AT_ONCE: few & ~top & ~most,
        settings.REST: ~(few | top | most),
    }


def rows_of(w: ps.Workload, limit: str, simulated: Callable[[ps.Workload], ps.Schedule]) -> list[dict[str, Any]]:
    """Return a row for each group of users: jobs, waits, s, AWRT, s, and how much of the machine was in use, %.

    `week` is the share of CPUs in use from the first submission to the last one, `days` when the last job ends, and
    `held` the share of the hours of waiting in which the limit held the jobs.
    """
    schedule = simulated(w.with_(machine=with_limit(w.machine, limit)))
    begin, end = int(w.submit.min()), int(w.submit.max())
    within = np.minimum(schedule.finish, end) - np.minimum(schedule.start, end)
    of_all = {
        "util": round(schedule.objectives["UTIL"], 2),
        "week": round(100 * float(within @ w.asked_shares.cpus) / (end - begin), 2),
        "days": round(float(schedule.finish.max() - begin) / 86400, 1),
    }
    rows = []
    for group, of in groups_of(w).items():
        if not of.any():
            continue
        measured = waits(schedule, among=of)
        times = {key: round(float(getattr(measured, key)[0])) for key in ("mean", "median", "p95", "worst")}
        awrt = round(ps.objectives(schedule, of)["AWRT"])
        seconds = np.zeros((len(w), 1)) if schedule.waiting is None else schedule.waiting.seconds
        held = {"held": round(100 * float(seconds[of, :-1].sum() / max(seconds[of].sum(), 1)), 1)}
        rows.append({"limit": limit, "group": group, "jobs": int(of.sum()), **times, "awrt": awrt, **of_all, **held})
    return rows


def users(w: ps.Workload) -> list[dict[str, Any]]:
    """Return a row for each top user and the one with most jobs: what they submit, and their shares, %."""
    groups = groups_of(w)
    consumption, cpus = consumption_of(w), w.run * w.width.astype(np.float64)
    named = np.unique(w.user[groups[settings.TOP_USERS] | groups[settings.MOST_JOBS]]).tolist()
    rows = []
    for user in named:
        of = w.user == user
        rows.append(
            {
                "user": user,
                "jobs": int(of.sum()),
                "CPUs": round(float(w.width[of].mean()), 1),
                "hours": round(float(w.run[of].mean()) / 3600, 2),
                "GPU jobs": int((w.requests.gpus_per_node[of] > 0).sum()),
                "at once": at_once(w, of),
                "consumption %": round(100 * float(consumption[of].sum() / consumption.sum()), 1),
                "CPU time %": round(100 * float(cpus[of].sum() / cpus.sum()), 1),
            }
        )
    return sorted(rows, key=lambda row: -row["consumption %"])


def at_once(w: ps.Workload, of: Mask) -> int:
    """Return how many of some jobs, (n,) bool, would run at the same time if none waited."""
    begin, end = np.sort(w.eligible[of]), np.sort((w.eligible + w.run)[of])
    running = np.arange(1, len(begin) + 1) - np.searchsorted(end, begin, side="right")
    return int(running.max())


if __name__ == "__main__":
    main()

"""Set one pool beside nodes, and nodes beside a real Slurm; the results go to results/nodes."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from records import METACENTRUM, records_in, rows_of

import paretosched as ps
from paretosched.core.arrays import Ints, Mask
from paretosched.policies.slurm_policy import read_slurm

HOUR = 3600
PARTS = ("ingredients", "policies", "front", "recorded", "elsewhere", "micro")


def main() -> None:
    """Run the parts that are asked for."""
    options = common.options_of(common.run_parser("nodes", __doc__, "a made-up machine", PARTS))
    parts = {
        "ingredients": ingredients,
        "policies": policies,
        "front": front,
        "recorded": records,
        "elsewhere": elsewhere,
        "micro": micro,
    }
    common.run_parts(options, {name: partial(part, options.quick) for name, part in parts.items()})


# --- one pool against nodes -------------------------------------------------------------------------------------------


def medium(quick: bool) -> Iterable[tuple[str, ps.Workload]]:
    """Yield the names and jobs of the logs of UB CCR's cluster; if `quick`, of a made-up one."""
    if quick:
        yield from zip(settings.MEDIUM, settings.quick(), strict=True)
        return
    for name, file in settings.MEDIUM.items():
        yield name, common.jobs_on_machine(common.modern_file(file), common.modern_file(settings.MEDIUM_CONF))


def ingredients(quick: bool) -> Iterable[dict[str, Any]]:
    """Yield a row for each log and step: mean waits of the kinds of jobs under EASY."""
    for log, w in medium(quick):
        yield from steps_of(log, w, kinds_of(w))


def steps_of(log: str, w: ps.Workload, kinds: Mapping[str, Mask]) -> Iterable[dict[str, Any]]:
    """Yield a row for each step from one pool to all that jobs ask for: mean waits of their kinds under EASY."""
    counted: set[str] = set()
    for step, more in settings.STEPS.items():
        counted |= {*more}
        known = w.one_pool if step == "one pool" else without(w, {*settings.UNSAID} - counted)
        yield row_of(log, step, kinds, w, ps.simulate(known, "easy").check().start)


def without(w: ps.Workload, unsaid: set[str]) -> ps.Workload:
    """Return jobs that do not say some of what they ask for, on a machine that does not give it out."""
    usual = {key: [settings.UNSAID[key]] * len(w) for key in unsaid}
    machine = w.machine
    if "memory_per_node" in unsaid:
        free = dict.fromkeys(("memory_per_cpu", "memory_per_node", "most_memory_per_cpu", "most_memory_per_node"))
        partitions = tuple(replace(part, **free) for part in machine.partitions)
        machine = replace(machine, partitions=partitions, shares_memory=False)
    return w.with_(machine=machine, requests=replace(w.requests, **usual))


def kinds_of(w: ps.Workload, named: Iterable[settings.Kind] = settings.KINDS) -> dict[str, Mask]:
    """Return which jobs are of each kind, (n,) bool; each job is of one."""
    left = np.ones(len(w), dtype=np.bool_)
    kinds = {}
    for kind in named:
        kinds[kind.name] = left & kind.has(w)
        left &= ~kinds[kind.name]
    return kinds


def row_of(log: str, name: str, kinds: Mapping[str, Mask], w: ps.Workload, start: Ints) -> dict[str, Any]:
    """Return how long jobs wait, of each kind and of all, in the mean, h; and UTIL, %."""
    wait = (start - w.eligible) / HOUR
    used = float((w.run * w.width.astype(np.float64)).sum())
    span = float((start + w.run).max() - start.min())
    row = {
        "log": log,
        "of": name,
        "UTIL": round(100 * used / span / w.capacity, 2),
        "wait all": round(float(wait.mean()), 3),
    }
    row |= {f"wait {kind}": round(float(wait[of].mean()), 3) if of.any() else "" for kind, of in kinds.items()}
    row |= {f"jobs {kind}": int(of.sum()) for kind, of in kinds.items()}
    print(f"  {row}", flush=True)
    return row


def policies(quick: bool) -> Iterable[dict[str, Any]]:
    """Yield a row for each policy on the whole machine of the first log."""
    log, w = next(iter(medium(quick)))
    kinds = kinds_of(w)
    for name in settings.POLICIES:
        yield row_of(log, name, kinds, w, ps.simulate(w, name).check().start)
    if not quick:
        yield row_of(log, "its slurm.conf", kinds, w, ps.simulate(w, slurm_of(settings.MEDIUM_CONF)).check().start)


def slurm_of(conf: str, shares: str = "") -> ps.Policy:
    """Return the policy of a slurm.conf, with shares if a file has them."""
    return read_slurm(common.modern_file(conf), common.modern_file(shares) if shares else None)


def front(quick: bool) -> Iterable[dict[str, Any]]:
    """Yield a row for EASY on the first log, and for the schedules that are best for a kind of jobs on a front."""
    log, w = next(iter(medium(quick)))
    kinds = kinds_of(w)
    group = np.select([*kinds.values()], range(len(kinds)))
    w = w.with_(group=group, groups=settings.GROUPS)
    evaluations, population = (
        (settings.QUICK_EVALUATIONS, settings.QUICK_POPULATION)
        if quick
        else (settings.EVALUATIONS, settings.POPULATION)
    )
    found = ps.explore(w, evaluations=evaluations, population=population, seed=0)
    easy = ps.simulate(w, "easy")
    usual = np.array([easy.objectives[f"AWRT{g + 1}"] for g in range(len(kinds))])
    names = [o.name for o in found.objectives]
    awrt = found.values[:, [names.index(f"AWRT{g + 1}") for g in range(len(kinds))]]
    chosen: dict[str, ps.Policy] = {"easy": ps.as_policy("easy")}
    for g, name in enumerate(settings.GROUPS):
        fair = (np.delete(awrt, g, 1) <= settings.WORSE * np.delete(usual, g)).all(axis=1)
        for words, rows in (("", np.arange(len(awrt))), (", nobody worse", np.flatnonzero(fair))):
            if rows.size:
                chosen[f"best for {name}{words}"] = found[rows[awrt[rows, g].argmin()]].policy
    for name, policy in chosen.items():
        schedule = ps.simulate(w, policy).check()
        row = row_of(log, name, kinds, w, schedule.start) | {"schedules": len(found), "evaluations": evaluations}
        yield row | {f"AWRT {kind}": round(schedule.objectives[f"AWRT{g + 1}"]) for g, kind in enumerate(kinds)}


def records(quick: bool) -> Iterable[dict[str, Any]]:
    """Yield a row for each kind of nodes, or of jobs, of the logs with recorded waits."""
    if not quick:
        for log in records_in(common.modern_file(METACENTRUM).parent):
            for row in rows_of(log):
                print(f"  {row}", flush=True)
                yield row


def elsewhere(quick: bool) -> Iterable[dict[str, Any]]:
    """Yield for each log with recorded waits a row of these, and one for each step from one pool to nodes."""
    if not quick:
        for log in records_in(common.modern_file(METACENTRUM).parent):
            kinds = kinds_of(log.w, settings.KINDS_ELSEWHERE)
            yield row_of(log.name, "as recorded", kinds, log.w, log.w.eligible + log.w.wait)
            yield from steps_of(log.name, log.w, kinds)


# --- nodes against a real Slurm ---------------------------------------------------------------------------------------


def micro(quick: bool) -> Iterable[dict[str, Any]]:
    """Yield a row for each pair of two runs of a real Slurm, and of a simulation and such a run."""
    if quick:
        return
    folder = os.environ.get("PARETOSCHED_SLURM")
    if not folder:
        common.fail("PARETOSCHED_SLURM must name the folder with the runs of a real Slurm; README.md says which")
    runs = {number: run_of(Path(folder, settings.MICRO_RUN.format(number))) for number in settings.MICRO_RUNS}
    for who in ("Slurm", "simulated"):
        for number, run in runs.items():
            start = run["start"].to_numpy() if who == "Slurm" else starts_of(run)
            row = numbers_of(f"{who}, run {number}", run, start)
            for other, that in runs.items():
                is_same = who == "Slurm" and other == number
                pairs = agreement(run["submit"].to_numpy(), start, that["start"].to_numpy())
                row[f"pairs as run {other} %"] = "" if is_same else pairs
            print(f"  {row}", flush=True)
            yield row


def run_of(path: Path) -> pd.DataFrame:
    """Return what a run of a real Slurm recorded, by job: submit, start, run, width, and what kind it is of."""
    table = pd.read_csv(path).set_index("job").sort_index()
    run, big = table["end"] - table["start"], table["mem"].fillna(0) > settings.MICRO_BIG
    return table[["submit", "start", "width"]].assign(run=run, gpus=table["gres"].notna(), big=big)


def starts_of(run: pd.DataFrame) -> Ints:
    """Return when the jobs of a run start by simulation: submitted and as long as there, and what they asked for."""
    asked = pd.read_csv(common.modern_file(settings.MICRO), dtype=str).set_index("job", drop=False)
    asked.index = asked.index.astype(int)
    asked = asked.assign(submit=run["submit"], run=run["run"]).sort_index()
    with TemporaryDirectory() as folder:
        asked.to_csv(Path(folder) / "jobs.csv", index=False)
        w = common.jobs_on_machine(Path(folder) / "jobs.csv", common.modern_file(settings.MICRO_CONF))
    start = pd.Series(ps.simulate(w, slurm_of(settings.MICRO_CONF, settings.MICRO_SHARES)).check().start, w.job)
    return start.loc[run.index].to_numpy() + int(run["submit"].min())


def numbers_of(name: str, run: pd.DataFrame, start: Ints) -> dict[str, Any]:
    """Return mean waits, h, AWRT, h, and UTIL, %, of the jobs of a run if they start so."""
    wait = (start - run["submit"]) / HOUR
    work = run["run"] * run["width"].astype(float)
    span = float((start + run["run"]).max() - start.min())
    return {
        "of": name,
        "jobs": len(run),
        "wait": round(float(wait.mean()), 3),
        "wait GPUs": round(float(wait[run["gpus"]].mean()), 3),
        "wait big": round(float(wait[run["big"]].mean()), 3),
        "AWRT": round(float(np.average(wait + run["run"] / HOUR, weights=work)), 3),
        "UTIL": round(100 * float(work.sum()) / span / settings.MICRO_CPUS, 2),
    }


def agreement(submit: Ints, one: Ints, other: Ints) -> float:
    """Return of which share of the pairs of jobs that waited together in both the same one started first, %."""
    i, k = np.triu_indices(len(submit), 1)
    both = np.ones(len(i), dtype=np.bool_)
    for start in (one, other):
        both &= (submit[i] < start[k]) & (submit[k] < start[i])
    same = np.sign(one[i] - one[k]) == np.sign(other[i] - other[k])
    return round(100 * float(same[both].mean()), 1)


if __name__ == "__main__":
    main()

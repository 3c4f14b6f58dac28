"""Replay windows of logs on a real Slurm that is faster than the clock; write to results/slurm; it continues."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings
from common import number
from replay import NO_TIME, TooLateError, replay

import paretosched as ps
from paretosched.comparison.carried_over import begin_at
from paretosched.comparison.order_agreement import compared_pairs
from paretosched.core.files import replacing
from paretosched.core.tables import save_rows
from paretosched.policies.slurm_policy import read_slurm
from paretosched.simulation.objective import objective_table
from paretosched.simulation.schedule import Schedule
from paretosched.wishes.best_possible import best_possible, most_gain
from paretosched.wishes.wish import goal
from paretosched.workload.calendar import find_zone
from paretosched.workload.log_names import Names
from support.slurm_cluster import refusal
from support.slurm_site import keys_at

WEEK = 7 * 86400
LATER = (
    1_767_571_200  # Monday 2026-01-05 00:00 UTC: windows move by whole weeks to this year, where Slurm expects dates
)
TRIES = 1000
WINDOWS, STARTS = "windows.csv", "starts.csv"
BOUNDS, AT_MOST = "bound.csv", "at most %"
USER, GROUP, QUEUE, PARTITION = 11, 12, 14, 15  # columns of a log


class Window(NamedTuple):
    """A window of a log.

    Attributes
    ----------
    log, number
        The log, and which of its windows.
    since
        The second of the log at which it begins.
    jobs
        What ran then, what waited, and what came: to be replayed from second 0 on, in UTC.
    counted
        (n,) bool: of those that waited or came the policy decides; they count.
    """

    log: str
    number: int
    since: int
    jobs: ps.Workload
    counted: np.ndarray[Any, np.dtype[np.bool_]]


def main() -> None:
    """Replay all windows, or those of the options."""
    parser = common.run_parser("slurm", __doc__, "a made-up log, one window of minutes", settings.PARTS)
    parser.add_argument(
        "--log", action="append", choices=tuple(settings.MACHINES), help="may be given again; default: all"
    )
    parser.add_argument("--windows", type=int, help=f"windows of each log (default {settings.WINDOWS})")
    parser.add_argument("--window", type=int, action="append", help="only this one, from 0 on; may be given again")
    parser.add_argument("--rate", type=float, default=settings.RATE, help="how much faster the clock is (default 100)")
    parser.add_argument("--at-once", type=int, metavar="N", help="clusters at once (default 1; quick: 2)")
    common.add_work(parser, "slurm", "replays")
    options = common.options_of(parser)
    logs = options.log or (settings.QUICK_LOGS if options.quick else tuple(settings.MACHINES))
    parts = options.part or (settings.QUICK_PARTS if options.quick else settings.PARTS)
    replayed = {*parts} != {settings.BOUND}
    if replayed and (why := refusal(fast=True)):
        parser.error(f"no Slurm here: {why}")
    count = options.windows or (settings.QUICK_WINDOWS if options.quick else settings.WINDOWS)
    windows = [
        window
        for log in logs
        for window in windows_of(log, count, options.quick)
        if options.window is None or window.number in options.window
    ]
    if settings.BOUND in parts:
        save_bounds(windows, options.results / BOUNDS)
    if replayed:
        save_replays(windows, [system for system in settings.SYSTEMS if system.part in parts], options)
    note: dict[str, Any] = {"quick": options.quick, "objective": settings.OBJECTIVE, "rate": options.rate}
    note |= {"seed": settings.SEED, "systems": [system._asdict() for system in settings.SYSTEMS]}
    replayed_logs = list(dict.fromkeys(row["log"] for row in common.rows(options.results / WINDOWS))) or logs
    note["machines"] = {log: machine_of(log, options.quick)._asdict() for log in replayed_logs}
    note["workloads"] = {
        log: {"jobs": len(w), "processors": w.capacity, "digest": w.digest}
        for log in replayed_logs
        for w in [workload(log, options.quick)]
    }
    common.save_provenance(options.results, note, ("cma",), parts)


def save_replays(windows: Sequence[Window], systems: Sequence[settings.System], options: argparse.Namespace) -> None:
    """Replay windows on systems, and write the tables of all replays that there are."""
    logs = list(dict.fromkeys(window.log for window in windows))
    for log in logs:
        policy_of(log, options)  # before threads want it
    at_once = options.at_once or (settings.QUICK_AT_ONCE if options.quick else 1)
    with ThreadPoolExecutor(at_once) as pool:
        tasks = [pool.submit(replay_in, w, system, options) for w in windows for system in systems]
        for task in tasks:
            task.result()
    rows = with_earlier([row for log in every_log(options) for row in rows_of(log, options)], options.results, WINDOWS)
    save_rows(rows, options.results / WINDOWS)
    begun = [row for log in every_log(options) for row in starts_of(log, options)]
    save_rows(with_earlier(begun, options.results, STARTS), options.results / STARTS)


# --- windows ----------------------------------------------------------------------------------------------------------


def machine_of(log: str, quick: bool) -> settings.Machine:
    """Return the machine on which a log is replayed."""
    return settings.QUICK_MACHINE if quick else settings.MACHINES[log]


@cache
def workload(log: str, quick: bool) -> ps.Workload:
    """Return a log as it was recorded, in groups by consumption; if `quick`, a small made-up one of minutes."""
    if not quick:
        recorded: ps.Workload = ps.by_consumption(common.log_of(log))
        return recorded
    small = common.stand_in(log, settings.QUICK)
    short = {key: -(-getattr(small, key) // settings.QUICK_FASTER) for key in ("submit", "run", "estimate")}
    faster = small.with_(**short, name=log)
    waits = ps.simulate(faster, "fcfs").start - faster.eligible
    return faster.with_(wait=waits)


def learning_part(log: str, quick: bool) -> ps.Workload:
    """Return the part of a log from which the policy learns."""
    return ps.split(workload(log, quick), settings.TRAINED_UNTIL)[0]


@cache
def windows_of(log: str, count: int, quick: bool) -> list[Window]:
    """Return windows, drawn at random after the training part; group 1 and group 2 have jobs in each of them."""
    w, machine = workload(log, quick), machine_of(log, quick)
    length = round(3600 * machine.hours)
    first = int(w.submit[0] + settings.TRAINED_UNTIL * (w.submit[-1] - w.submit[0]))
    rng = np.random.default_rng([settings.SEED, list(common.LOGS).index(log)])
    drawn: list[Window] = []
    for _ in range(TRIES):
        if len(drawn) == count:
            break
        window = window_at(log, w, len(drawn), int(rng.integers(first, w.submit[-1] - length)), length)
        groups = {int(group) for group in window.jobs.group[window.counted]} if window is not None else set()
        if window is not None and {0, 1} <= groups:
            drawn.append(window)
    return drawn


def window_at(log: str, w: ps.Workload, number: int, since: int, length: int) -> Window | None:
    """Return the window from a second of a log on; None if no job comes.

    What ran at that second runs for the rest of its time, and what waited comes again: one job every SPACING seconds,
    before the first one of the window. So the machine and the simulators see the same jobs.
    """
    begin = begin_at(w, since)
    came = begin.after[w.submit[begin.after] < since + length]
    if not came.size:
        return None
    rows = np.concatenate([begin.running, begin.waiting, came])
    before = begin.running.size + begin.waiting.size
    passed = np.zeros(rows.size, dtype=np.int64)
    passed[: begin.running.size] = since - (w.eligible + w.wait)[begin.running]
    submit = settings.SPACING * np.arange(rows.size)
    submit[before:] = settings.SPACING * before + w.submit[came] - since
    run, estimate = np.maximum(1, w.run[rows] - passed), np.maximum(1, w.estimate[rows] - passed)
    minutes = -(-np.maximum(run, estimate) // 60)
    zone = find_zone(w.zone)
    local = ps_local(w.epoch + since, zone)
    jobs = w.take(
        rows,
        submit=submit,
        eligible=None,
        run=run,
        estimate=60 * minutes,  # as Slurm has it
        wait=np.full(rows.size, -1),
        epoch=local + WEEK * -(-(LATER - local) // WEEK),
        zone="UTC",
        records=None,
        name=f"{log} {number}",
    )
    return Window(log, number, since, jobs, np.arange(rows.size) >= begin.running.size)


def ps_local(unix: int, zone: Any) -> int:
    """Return the Unix time at which a clock in UTC shows what the clock of a site shows at a Unix time."""
    from datetime import datetime

    ahead = datetime.fromtimestamp(unix, zone).utcoffset()
    return unix + (0 if ahead is None else int(ahead.total_seconds()))


# --- replays ----------------------------------------------------------------------------------------------------------


def policy_of(log: str, options: argparse.Namespace) -> Path:
    """Return the file of the policy that is trained on the first part of a log; it is trained if there is none."""
    path: Path = options.results / "policies" / f"{log}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        words = settings.QUICK_TRAINING if options.quick else settings.TRAINING
        show = common.show_training(log, 4)
        training = ps.train(learning_part(log, options.quick), settings.OBJECTIVE, progress=show, **words)
        ps.save_policy(replace(training.policy, grouping=None), path)  # the accounts on Slurm are its groups
    return path


def replay_in(window: Window, system: settings.System, options: argparse.Namespace) -> dict[str, Any]:
    """Return what a replay has written down; from its file if it was there before."""
    name = f"{window.log}-{window.number}-{system.name}"
    place: Path = options.work / f"{name}.json"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        machine = machine_of(window.log, options.quick)
        deployed = options.work / f"{name}.deploy"
        print(f"  {name}: {len(window.jobs)} jobs", flush=True)
        policy, lead = policy_of(window.log, options), settings.QUICK_LEAD if options.quick else settings.LEAD
        while True:
            try:
                record = replay(window.jobs, system, machine, options.rate, policy, deployed, lead)
                break
            except TooLateError as error:
                if lead >= settings.LONGEST_LEAD:
                    raise
                print(f"  {error}; trying again with twice the {lead:g} s", flush=True)
                lead *= 2
        about = {"log": window.log, "window": window.number, "system": system.name, "rate": options.rate}
        with replacing(place) as temporary:
            temporary.write_text(json.dumps(about | {"digest": window.jobs.digest} | record), encoding="utf-8")
        print(f"  {name}: {record['wall_seconds']} s", flush=True)
    values: dict[str, Any] = json.loads(place.read_text(encoding="utf-8"))
    return values


def every_log(options: argparse.Namespace) -> list[str]:
    """Return the logs of which there are replays."""
    return [log for log in settings.MACHINES if any(options.work.glob(f"{log}-*.json"))]


# --- measures ---------------------------------------------------------------------------------------------------------


def rows_of(log: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a row for every replay of a log and every policy that is set against it."""
    numbers = {int(path.name.split("-")[1]) for path in options.work.glob(f"{log}-*-*.json")}
    for window in windows_of(log, max(numbers) + 1, options.quick):
        for system in settings.SYSTEMS:
            if (options.work / f"{log}-{window.number}-{system.name}.json").exists():
                record = replay_in(window, system, options)
                if record["digest"] != window.jobs.digest:
                    raise SystemExit(
                        f"{log} {window.number} was replayed with other jobs; remove its files from --work"
                    )
                yield from rows_of_replay(window, system, record, options)


def starts_of(log: str, options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield when each job of each replay of a log was submitted, started and ended, in seconds of the window."""
    for path in sorted(options.work.glob(f"{log}-*-*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        about = {key: record[key] for key in ("log", "window", "system")}
        for job, times in enumerate(zip(record["submit"], record["start"], record["end"], strict=True)):
            yield about | {"job": job, **dict(zip(("submit", "start", "end"), times, strict=True))}


def with_earlier(rows: Sequence[dict[str, Any]], results: Path, name: str) -> list[dict[str, Any]]:
    """Return rows with those of an earlier table whose replays are not in --work, by log, window and system."""

    def replay_of(row: dict[str, Any]) -> tuple[int, int, int]:
        names = [system.name for system in settings.SYSTEMS]
        return list(settings.MACHINES).index(row["log"]), int(row["window"]), names.index(row["system"])

    new = {replay_of(row) for row in rows}
    earlier: list[dict[str, Any]] = [dict(row) for row in common.rows(results / name)]
    return sorted([*(row for row in earlier if replay_of(row) not in new), *rows], key=replay_of)


def rows_of_replay(
    window: Window, system: settings.System, record: dict[str, Any], options: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Yield what a replay has reached, beside each policy that is simulated on the same jobs."""
    w, counted = window.jobs, window.counted
    submit, start, end = (np.array(record[key], dtype=np.int64) for key in ("submit", "start", "end"))
    # Waits count from the second in which Slurm had the job, which may be a little late.
    real = Schedule(w, w.submit + start - submit, system.name)
    wait = (start - submit)[counted]
    late, ended = submit - w.submit, end >= 0
    names = [o.name for o in objective_table(w.groups)]
    for twin in system.twins:
        policy = twin_policy(twin, window.log, record, options)
        simulated = ps.simulate(as_imported(w) if twin == settings.SLURM_CONF else w, policy)
        simulated_wait = (simulated.start - w.eligible)[counted]
        reached, predicted = (np.asarray(ps.objectives(s, counted)) for s in (real, simulated))
        pairs = compared_pairs(w.eligible[counted], start[counted], simulated.start[counted])
        difference = np.abs(wait - simulated_wait)
        row: dict[str, Any] = {"log": window.log, "window": window.number, "since": window.since}
        row |= {"system": system.name, "twin": twin or "policy", "jobs": len(w), "counted": int(counted.sum())}
        row |= {"objective": f_obj(reached), "simulated_objective": f_obj(predicted)}
        for place, name in enumerate(names[1:], 1):
            row |= {name: number(reached[place]), f"simulated_{name}": number(predicted[place])}
        row |= {"mean_wait": float(wait.mean()), "simulated_mean_wait": float(simulated_wait.mean())}
        row |= {"difference_median": float(np.median(difference))}
        row |= {
            "difference_p95": float(np.quantile(difference, 0.95)),
            "correlation": correlation(wait, simulated_wait),
        }
        row |= {"pairs": pairs.together, "pairs_turned": pairs.turned}
        row |= {"late_median": float(np.median(late)), "late_most": int(late.max())}
        row["longer_mean"] = float((end - start - w.run)[ended].mean()) if ended.any() else None
        row |= {f"daemon_{key}": record["daemon"].get(key) for key in ("passes", "period", "gaps", "longest_gap")}
        priorities = priority_pairs(window, policy, record) if twin == settings.SLURM_CONF else (None, None)
        row |= dict(zip(("priority_pairs", "priority_pairs_agreed"), priorities, strict=True))
        yield row | {"wall_seconds": record["wall_seconds"]}


def save_bounds(windows: Sequence[Window], file: Path) -> None:
    """Write what any schedule of a window gains over EASY at most; the rows replace those of these windows.

    It is proved for the jobs that count, alone: those that ran before only take processors from them.
    """
    new = {}
    for window in windows:
        counted = window.jobs.take(np.flatnonzero(window.counted))
        wish = ps.as_wish(settings.OBJECTIVE, counted.groups)
        easy = f_obj(ps.objectives(ps.simulate(window.jobs, "easy"), window.counted))
        most = most_gain(best_possible(wish, counted), wish, easy)
        assert most is not None  # noqa: S101  # nothing is limited
        new[window.log, str(window.number)] = {AT_MOST: round(most, 3)}
    earlier = {(row["log"], row["window"]): {AT_MOST: row[AT_MOST]} for row in common.rows(file)}
    by_log = [*settings.MACHINES]
    keys = sorted({**earlier, **new}, key=lambda key: (by_log.index(key[0]), int(key[1])))
    save_rows([{"log": log, "window": number, **(earlier | new)[log, number]} for log, number in keys], file)


def twin_policy(twin: str, log: str, record: dict[str, Any], options: argparse.Namespace) -> ps.Policy:
    """Return a policy that is set against a replay: the trained one, a slurm.conf, or one by its name."""
    if twin != settings.SLURM_CONF:
        return ps.as_policy(twin or policy_of(log, options))
    path: Path = options.work / settings.SLURM_CONF
    path.write_text(record["conf"], encoding="utf-8")
    if not record.get("shares"):  # replays of before there were any have none
        return read_slurm(path)
    shares = path.with_name("assoc.txt")
    shares.write_text(record["shares"], encoding="utf-8")
    return read_slurm(path, shares)


def as_imported(w: ps.Workload) -> ps.Workload:
    """Return the jobs of a window as an import of what Slurm recorded has them: root's, their groups as accounts."""
    records = np.full((len(w), 18), -1.0)
    records[:, [USER, QUEUE, PARTITION]] = 1
    records[:, GROUP] = w.group + 1
    accounts = dict(enumerate(w.groups, 1))
    names = Names({1: "root"}, accounts, {1: "normal"}, {1: "main"}, "slurm", "account")
    return w.with_(records=records, names=names, user=np.ones(len(w), dtype=np.int64))


def priority_pairs(window: Window, policy: ps.Policy, record: dict[str, Any]) -> tuple[int, int]:
    """Return how many pairs of waiting jobs sprio was asked for, and how many have the order of the model."""
    # Slurm may have one early.
    w = as_imported(window.jobs).with_(submit=np.maximum.accumulate(np.maximum(0, record["submit"])))
    pairs = agreed = 0
    for sample in record["samples"]:
        row_of = {number: row for row, number in enumerate(sample["numbers"])}
        jobs = [(row_of[int(number)], value) for number, value in sample["priority"].items() if int(number) in row_of]
        second = sample["time"] - w.epoch
        started = {row: max(0, t) for row, t in enumerate(record["start"]) if t <= second}
        ended = {row: t for row, t in enumerate(record["end"]) if NO_TIME < t <= second}
        keys = keys_at(policy, w, second, started, ended)
        rows, real = (np.array(column) for column in zip(*jobs, strict=True)) if jobs else (np.zeros(0, int),) * 2
        model = np.array(keys)[rows]
        upper = np.triu_indices(rows.size, 1)
        signs = [np.sign(each[:, None] - each[None, :])[upper] for each in (real, np.rint(model))]
        pairs += signs[0].size
        agreed += int((signs[0] == signs[1]).sum())
    return pairs, agreed


def f_obj(values: Sequence[float]) -> float:
    """Return the objective."""
    return float(goal(ps.as_wish(settings.OBJECTIVE, tuple("12345")[: len(values) - 2]), [values])[0])


def correlation(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> float | None:
    """Return the correlation of two columns; None if one of them does not vary."""
    return float(np.corrcoef(one, other)[0, 1]) if np.ptp(one) and np.ptp(other) else None


if __name__ == "__main__":
    main()

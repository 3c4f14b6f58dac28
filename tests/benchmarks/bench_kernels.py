"""Benchmarks of the simulators and decodings: per trace, in deep queues, per size, and their memory.

`make bench` runs it. Exit status 1: a goal is missed.

The unit is S: one stable `numpy.argsort` of as many random float64 as the workload has jobs, in the same process,
timed in turn with the simulation, so that the ratio says something on any machine, however busy it is. What is timed
on traces is compared with the naive simulator before. Greedy is run with several random weightings, the decodings
with the order of submission and with a random one; the slowest weighting counts.
"""

import argparse
import ctypes
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from paretosched.core.tables import Column, save_rows, table
from paretosched.encodings.rule_base import Situations, Symbiotic
from paretosched.policies.decoded_orders import outcome_of_order
from paretosched.policies.greedy_order import greedy, upper_bounds
from paretosched.policies.guarded import Guarded
from paretosched.policies.plain import Plain
from paretosched.policies.policy import Policy, as_policy
from paretosched.policies.strategy_choice import LEVELS, STRATEGIES, partitions
from paretosched.workload.lublin_feitelson import lublin
from paretosched.workload.public_logs import log_folder
from paretosched.workload.scaling import PAPER_FACTORS, scale
from paretosched.workload.swf import read_swf
from paretosched.workload.workload import Workload
from support import naive_guarded, naive_priority
from support.naive import earliest, naive, strict
from support.naive_rules import start_times as naive_rules
from support.priority_rules import rule_of

TRACES = ("CTC-SP2", "KTH-SP2", "LANL-CM5", "SDSC-SP2", "SDSC-Par-1996", "NASA-iPSC")
WEIGHTINGS = 3
CHECKED = 300  # jobs compared with the naive simulator
Run = Callable[[Workload], Any]
GOALS = {"FCFS": 0.3, "EASY": 1.5, "CONS": 40.0, "CONS replan": 40.0}
GOALS |= {f"{kind} rules": 10.0 for kind in ("iterative", "symbiotic")}
GOALS |= {f"Greedy {f}": 5.0 for f in ("f1", "f2", "f3", "f4")}
GOALS |= {f"Greedy {f} with EASY": 4.0 for f in ("f1", "f2", "f3", "f4")}
MULTIFACTOR = "multifactor; backfill: easy; usage: group"  # as Slurm's, with a limit on the age
MULTIFACTOR_ORDER = "1000 * min(wait / 7d, 1) + 10000 * 2^-(usage / (share * 2e8)) + 500 * width / 1024"
FAIR = "order: 1000 * min(wait / 7d, 1) + 10000 * fairshare + 500 * width / 1024; backfill: easy"
ORDERS = {  # policies as text, with their goals
    "sjf": 3.0,
    "learned-f1": 3.0,
    "saf; backfill: easy": 6.0,
    "fcfs; backfill: easy; backfill-order: sjf": 6.0,
    "fcfs; backfill: easy:8": 20.0,
    "sjf; backfill: easy:8": 20.0,
    "priority:1,2; backfill: easy:8 for 1,2; longest: 4h of 3,4,5 while 1,2": 20.0,
    "order: abs(wait - estimate); backfill: easy": 200.0,
    "order: -usage; backfill: easy; usage: group": 10.0,
    MULTIFACTOR: 10.0,
    "order: wait / 1h - usage / share; backfill: easy; usage: group": 10.0,
    f"{FAIR}; fair-share: classic": 12.0,
    f"{FAIR}; fair-share: tree": 40.0,
}
GOALS |= ORDERS
DEEP = ("easy", "conservative", "conservative-replan")
PLANNED_WHOLE = ("fcfs; backfill: conservative; slack: 1h", "guarded: 1, 2")  # the queue, or all jobs, again and again
ONE_BY_ONE = ("wfp3; backfill: easy", "wfp3; backfill: easy:8")  # with a search for each job that is backfilled
WHOLE_NODES = ("fcfs; backfill: easy; nodes: 1024 of 64", "fcfs; backfill: conservative; nodes: 1024 of 64")
SIZED = ("FCFS", "List", "EASY", "CONS", "Greedy f1", "Greedy f2", "Greedy f2 with EASY")  # timed by size
GROWTH = 2.5  # goal: how much more time twice the jobs, and so about twice the queue, may take


def policies(groups: int) -> dict[str, list[Policy]]:
    """Everything that is timed, by name; several weightings for Greedy."""
    by_name: dict[str, list[Policy]] = {
        p.name: [p] for p in map(Plain, ("fcfs", "list", "easy", "conservative", "conservative-replan"))
    }
    high = np.tile(upper_bounds(groups), (3, 1))
    names = tuple(str(i + 1) for i in range(groups))
    for backfill in ("none", "easy"):
        for criterion in ("f1", "f2", "f3", "f4"):
            variants = [
                greedy(
                    [criterion] * 3,
                    high * np.random.default_rng(seed).random(high.shape),
                    groups=names,
                    backfill=backfill,
                )
                for seed in range(WEIGHTINGS)
            ]
            by_name[variants[0].name] = variants
    by_name |= {text: [as_policy(text.replace("multifactor", f"order: {MULTIFACTOR_ORDER}"))] for text in ORDERS}
    by_name["guarded"] = [Guarded(names[:2])]
    for kind in ("iterative", "symbiotic"):
        by_name[f"{kind} rules"] = [random_rules(names, seed, kind) for seed in range(WEIGHTINGS)]
    return by_name


def random_rules(names: tuple[str, ...], seed: int, kind: str) -> Policy:
    """A random rule base: Table 2 of paper 001 with random strategies, or 50 random rules."""
    rng = np.random.default_rng(seed)
    genes = np.tile(upper_bounds(len(names)), (3, 1))
    about = (names, names, greedy(["f2"] * 3, genes * rng.random(genes.shape), groups=names))
    encoding: Situations | Symbiotic = Symbiotic(*about)
    genome = rng.random(len(encoding.gene_labels(len(names))))
    if kind == "iterative":
        encoding = Situations(*about, partitions(len(names)))
        genome = rng.integers(0, len(STRATEGIES), len(encoding.gene_labels(len(names))))
    else:
        table = genome.reshape(encoding.rules, -1)
        table[:, -len(STRATEGIES) :] = rng.choice(LEVELS, (len(table), len(STRATEGIES)))
    return encoding.policy_of(genome, names)


def simulations(groups: int) -> Iterator[tuple[str, list[tuple[Run, Run]]]]:
    """Name everything that is timed, with its variants, each the compiled function of a workload and its oracle."""
    for name, variants in policies(groups).items():
        oracle = {"rules": naive_rules, "priority": naive_order, "guarded": naive_guard}.get(variants[0].rule, naive)
        yield name, [(partial(starts_under, policy=p), partial(oracle, policy=p)) for p in variants]
    for order in (order_of_submission, random_order):
        for decoding, plain in (("strict", strict), ("earliest", earliest)):
            run = partial(decoding_times, order=order, decoding=decoding)
            yield f"{order.__name__} order, {decoding}", [(run, lambda w, o=order, f=plain: f(w, o(len(w)).tolist()))]


def naive_order(workload: Workload, policy: Policy) -> list[int]:
    """Start times of an order with a backfilling, by its oracle."""
    return naive_priority.start_times(workload, rule_of(policy, workload))


def naive_guard(workload: Workload, policy: Guarded) -> list[int]:
    """Start times of a guarded order, by its oracle."""
    return naive_guarded.start_times(workload, naive_guarded.terms_of(workload, policy))


def starts_under(workload: Workload, policy: Policy) -> Any:
    """Start times under a policy."""
    return policy.outcome(workload).start


def decoding_times(workload: Workload, order: Callable[[int], Any], decoding: str) -> Any:
    """Start times of an order of as many jobs as the workload has."""
    return outcome_of_order(workload, order(len(workload)), decoding).start


@cache
def order_of_submission(n: int) -> Any:
    """The order of submission."""
    return np.arange(n, dtype=np.int32)


@cache
def random_order(n: int) -> Any:
    """A random order."""
    return np.random.default_rng(0).permutation(n).astype(np.int32)


def traces(seed: int = 0) -> Iterator[Workload]:
    """The traces that are there, scaled to 1024 processors as in the papers; without traces, a built-in workload."""
    folder = log_folder()
    paths = {name: path for name in TRACES for path in sorted(folder.glob(f"{name}*.swf*"))[:1]}
    missing = ", ".join(name for name in TRACES if name not in paths)
    if not paths:
        print("NO TRACES (set PARETOSCHED_TRACES): the built-in workload is timed instead\n")
        yield lublin(jobs=100_000, processors=128, seed=71)
    elif missing:
        print(f"NO TRACES of {missing} in {folder}: they are not timed\n")
    for name, path in paths.items():
        factor = PAPER_FACTORS[name.replace("Par-1996", "Par-96")]
        yield scale(read_swf(path, name=name), 1024, factor, seed)


def deep_queues() -> Iterator[tuple[str, Workload, tuple[str, ...]]]:
    """Workloads beyond what the machine can do, and large machines; with the policies that are timed with each."""
    for workload in traces():
        if workload.name.startswith("CTC"):
            part = workload.take(np.arange(min(20_000, len(workload))))
            for factor in (1.5, 2.0, 2.5):
                yield f"CTC, 20,000 jobs, {factor} times as fast", faster(part, factor), DEEP
    part = lublin(jobs=20_000, processors=128, seed=71)
    load = part.work / (part.capacity * float(part.submit[-1] - part.submit[0]))
    yield "Lublin, 20,000 jobs, load 1.2", faster(part, 1.2 / load), DEEP
    for jobs in (1_500, 3_000, 6_000):
        part = lublin(jobs=jobs, processors=128, seed=71)
        yield f"Lublin, {jobs:,} jobs at once", part.with_(submit=np.arange(len(part))), (*DEEP, *PLANNED_WHOLE)
    for jobs in (20_000, 40_000):
        part = lublin(jobs=jobs, processors=128, seed=71)
        yield f"Lublin, planned again, {jobs:,} jobs at once", part.with_(submit=np.arange(len(part))), DEEP[2:]
    for jobs in (10_000, 20_000, 40_000):
        yield f"small-long, short-wide, {jobs:,} jobs", small_long_and_short_wide(jobs), ("easy", *ONE_BY_ONE)
    yield "Lublin, 93,312 processors", lublin(jobs=20_000, processors=93_312, seed=71), DEEP
    for jobs in (5_000, 10_000):
        yield f"Lublin, 1,024 nodes of 64, {jobs:,} jobs", lublin(jobs=jobs, processors=65_536, seed=71), WHOLE_NODES


def faster(workload: Workload, factor: float) -> Workload:
    """The same jobs, which arrive `factor` times as fast."""
    since = workload.submit - workload.submit[0]
    return workload.with_(submit=(since / factor).astype(np.int64))


def small_long_and_short_wide(jobs: int) -> Workload:
    """Half of the jobs fit beside the running ones but are too long, the others are short but do not fit."""
    rng = np.random.default_rng(5)
    small = rng.random(jobs) < 0.5
    estimate = np.where(small, rng.integers(50_000, 100_000, jobs), rng.integers(10, 600, jobs))
    return Workload(
        submit=np.sort(rng.integers(0, 1000, jobs)),
        run=np.maximum(1, (estimate * rng.random(jobs)).astype(np.int64)),
        estimate=estimate,
        width=np.where(small, rng.integers(1, 9, jobs), rng.integers(512, 1025, jobs)),
        capacity=1024,
    )


def per_deep_queue() -> Iterator[dict[str, Any]]:
    """Time policies on deep queues, once each; `growth` compares them with half as many jobs."""
    last: dict[tuple[str, str], tuple[int, float]] = {}
    for case, workload, rules in deep_queues():
        n = len(workload)
        numbers = np.random.default_rng(0).random(n)
        for rule in rules:
            policy = as_policy(rule)
            policy.outcome(workload.take(np.arange(50)))
            start = policy.outcome(workload).start
            sort, run = in_turn(
                lambda x=numbers: np.argsort(x, kind="stable"), lambda w=workload, p=policy: p.outcome(w), 1
            )
            kind = (re.sub("[0-9,]+ jobs", "", case), rule)
            jobs, before = last.get(kind, (0, 0.0))
            growth = run / before if n == 2 * jobs else None
            last[kind] = n, run
            yield {
                "case": case,
                "policy": policy.name or rule,
                "queue": float((start - workload.submit).sum()) / float(start.max() - workload.submit[0] + 1),
                "ms": 1e3 * run,
                "ratio": run / sort,
                "growth": growth,
                "verdict": None if growth is None else ("met" if growth <= GROWTH else "MISSED"),
            }


def in_turn(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> tuple[float, float]:
    """Time two functions in turn; the median of each, seconds."""
    seconds = np.empty((repeats, 2))
    for i in range(repeats):
        for k, function in enumerate((first, second)):
            begin = time.perf_counter()
            function()
            seconds[i, k] = time.perf_counter() - begin
    return tuple(np.median(seconds, axis=0))  # type: ignore[return-value]


def per_trace(workload: Workload, repeats: int) -> list[dict[str, Any]]:
    """Time every policy and decoding on one workload."""
    n = len(workload)
    numbers = np.random.default_rng(0).random(n)
    part = workload.take(np.arange(min(CHECKED, n)))
    rows: list[dict[str, Any]] = []
    for name, variants in simulations(len(workload.groups)):
        worst: dict[str, Any] = {"ratio": 0.0}
        for simulate, oracle in variants:
            if simulate(part).tolist() != oracle(part):
                raise SystemExit(f"{name} differs from the naive simulator on {workload.name}")
            simulate(workload)
            sort, run = in_turn(lambda: np.argsort(numbers, kind="stable"), lambda f=simulate: f(workload), repeats)
            if run / sort > worst["ratio"]:
                worst = {"ratio": run / sort, "ms": 1e3 * run, "ns": 1e9 * run / n}
        goal = GOALS.get(name)
        verdict = None if goal is None else ("met" if worst["ratio"] <= goal else "MISSED")
        rows.append({"policy": name, "goal": goal, "verdict": verdict, **worst})
    for row in rows:
        row["fcfs"] = row["ms"] / rows[0]["ms"]
    return rows


def one_size(name: str, jobs: int, repeats: int) -> tuple[float, float]:
    """Time per job (ns) and peak memory per job beyond the workload (bytes) of one policy, in a process of its own."""
    workload = lublin(jobs=jobs, processors=128, seed=71)
    policy = policies(len(workload.groups))[name][0]
    policy.outcome(workload.take(np.arange(50)))
    if policy.rule == "greedy":
        _ = workload.calendar
    memory = _memory(lambda: policy.outcome(workload).start) / jobs
    seconds = []
    for _ in range(repeats):
        begin = time.perf_counter()
        policy.outcome(workload)
        seconds.append(time.perf_counter() - begin)
    return 1e9 * float(np.median(seconds)) / jobs, memory


def _memory(function: Callable[[], Any]) -> float:
    # By how much the resident set of this process grows at most while the function runs (Linux).
    def status(key: str) -> int:
        line = next(x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith(key))
        return int(line.split()[1]) * 1024

    if not Path("/proc/self/clear_refs").exists():
        return float("nan")
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)  # what was freed before must not serve what is measured
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark begins again
    before = status("VmRSS")
    function()
    return status("VmHWM") - before


def sizes(decades: list[int]) -> list[dict[str, Any]]:
    """Time and memory against size, one process a point so that the high-water mark of memory is its own."""
    rows = []
    for name in SIZED:
        row: dict[str, Any] = {"policy": name}
        last = None
        for jobs in decades:
            process = subprocess.run(
                [sys.executable, __file__, "--one-size", name, str(jobs)],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ,
            )
            ns, memory = map(float, process.stdout.split())
            row |= {f"ns{jobs}": ns, f"growth{jobs}": None if last is None else ns / last, f"bytes{jobs}": memory}
            last = ns
        rows.append(row)
    return rows


def main() -> int:
    """Print the tables; return 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5, help="timings of each simulation, the median counts")
    parser.add_argument("--only", choices=["traces", "deep", "sizes"], help="one part alone")
    parser.add_argument(
        "--csv", type=Path, help="a file for the times of the traces, such as results/speed/kernels.csv"
    )
    parser.add_argument("--largest", type=int, default=6, help="sizes go from 10^4 to 10^LARGEST jobs")
    parser.add_argument("--one-size", nargs=2, metavar=("POLICY", "JOBS"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one_size:
        print(*one_size(options.one_size[0], int(options.one_size[1]), 3))
        return 0
    judged: list[dict[str, Any]] = []
    if options.only in (None, "traces"):
        times = []
        for workload in traces():
            print(f"{workload.name}: {len(workload):,} jobs on {workload.capacity} processors")
            columns = [
                Column("policy", "policy"),
                Column("ms", "ms", ",.1f"),
                Column("ns", "ns/job", ",.0f"),
                Column("fcfs", "x FCFS", ",.1f"),
                Column("ratio", "S", ",.2f"),
                Column("goal", "goal S", "g"),
                Column("verdict", "goal"),
            ]
            rows = per_trace(workload, options.repeats)
            judged += rows
            print(table(rows, columns), flush=True)
            print()
            name = workload.name.removesuffix(f" at {workload.capacity}")
            times += [
                {"trace": name, "jobs": len(workload), "policy": row["policy"]}
                | {"ms": round(row["ms"], 1), "S": round(row["ratio"], 2)}
                for row in rows
            ]
        if options.csv:
            save_rows(times, options.csv)
    if options.only in (None, "deep"):
        print(f"Deep queues; goal: twice the jobs take at most {GROWTH} times as long")
        columns = [
            Column("case", "workload"),
            Column("policy", "policy"),
            Column("queue", "waiting jobs", ",.0f"),
            Column("ms", "ms", ",.1f"),
            Column("ratio", "S", ",.1f"),
            Column("growth", "growth", ".2f"),
            Column("verdict", "goal"),
        ]
        rows = list(per_deep_queue())
        judged += rows
        print(table(rows, columns), flush=True)
        print()
    if options.only in (None, "sizes"):
        decades = [10**k for k in range(4, options.largest + 1)]
        print("Lublin-Feitelson jobs on 128 processors at constant load: time and memory a job against size")
        columns = [Column("policy", "policy")]
        for jobs in decades:
            columns += [Column(f"ns{jobs}", f"ns/job {jobs:.0e}", ",.0f"), Column(f"growth{jobs}", "growth", ".2f")]
            columns += [Column(f"bytes{jobs}", "bytes/job", ",.0f")]
        print(table(sizes(decades), columns))
    return int(any(row["verdict"] == "MISSED" for row in judged))


if __name__ == "__main__":
    sys.exit(main())

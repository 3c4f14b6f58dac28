"""Say what one pool hides of a machine with nodes, and how near nodes are to a real Slurm: results/nodes/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

from paretosched.core.tables import markdown

Row = Mapping[str, str]
HOURS = {"wait": "mean wait, h", "wait GPUs": "GPUs", "wait big": "more than 48 GB", "AWRT": "AWRT, h"}


def main() -> None:
    """Write the summary."""
    parts = ("ingredients", "policies", "front", "recorded", "elsewhere", "micro")
    options, provenance, tables = common.read_results("nodes", __doc__, parts)
    steps, policies, front, recorded, elsewhere, micro = tables.values()
    remark = common.quick_remark(provenance, "on a made-up machine")
    lines = ["# Nodes against one pool, and against a real Slurm", "", *opening(steps, policies, recorded, micro)]
    lines += [f"{remark}{common.versions_text(provenance)}.", ""]
    lines += [*of_steps(steps), *of_policies(policies), *of_front(front)]
    lines += [*of_recorded(recorded), *of_elsewhere(elsewhere), *of_micro(micro)]
    common.save_summary(options.results, lines)


def opening(steps: Sequence[Row], policies: Sequence[Row], recorded: Sequence[Row], micro: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary."""
    log = steps[-1]["log"]
    of_log = [row for row in steps if row["log"] == log]
    pool, whole = of_log[0], of_log[-1]
    first = settings.KINDS[0].name
    said = f"jobs with {first} wait {hours(pool, first)} h on one pool and {hours(whole, first)} h on its nodes"
    near = ""
    if micro:
        columns = pairs_of(micro)
        pairs = [float(row[key]) for row in micro if row["of"].startswith("simulated") for key in columns]
        again = next(row[key] for row in micro for key in columns if row[key])
        near = (
            f" {min(pairs)} to {max(pairs)} % of the pairs of jobs start in the order of a real Slurm, which agrees "
            f"with its own second run in {again} %."
        )
    said += shorter(recorded)
    best = min(policies, key=lambda row: float(row[f"wait {first}"]))
    return common.opening(
        "What does one pool of processors hide of a machine with memory, GPUs and features, and who sees it?",
        f"On {log} {said}.{near}",
        "Two logs of one machine, records of four others, and one that Slurm ran twice; the search has one seed. "
        "Every simulated schedule passed a check of every node at every second.",
        "Limits of users and QOS hold no job back here, and a simulation cannot be nearer to Slurm than Slurm is to "
        "itself: small differences early grow in a long queue.",
        f"Import a log with its slurm.conf; of {len(policies)} policies on these nodes {best['of']} lets jobs with "
        f"{first} wait least, {best[f'wait {first}']} h.",
    )


def shorter(rows: Sequence[Row]) -> str:
    """Return on how many of the logs with a record EASY on nodes waits less than recorded, in words; "" without."""
    whole = [row for row in rows if row["of"] == "all"]
    less = sum(float(row["wait nodes"]) < float(row["wait recorded"]) for row in whole)
    return f"; on {less} of {len(whole)} records EASY on nodes waits less than was waited" if whole else ""


def pairs_of(rows: Sequence[Row]) -> list[str]:
    """Return the columns with shares of pairs."""
    return [key for key in rows[0] if key.startswith("pairs")]


def waits(row: Row) -> list[str]:
    """Return UTIL and mean waits of all jobs and of each kind."""
    return [row["UTIL"], row["wait all"], *(hours(row, kind.name) for kind in settings.KINDS)]


def hours(row: Row, kind: str) -> str:
    """Return the mean wait of a kind of jobs as text, h."""
    return row[f"wait {kind}"] or "-"


def of_steps(rows: Sequence[Row]) -> list[str]:
    """Return the section of the steps from one pool to the whole machine."""
    kinds = [kind.name for kind in settings.KINDS]
    lines = [
        [row["log"], row["of"], row["UTIL"], row["wait all"], *(hours(row, kind) for kind in kinds)] for row in rows
    ]
    counts = [
        f"{log}: {', '.join(f'{int(row[key]):,} {key[5:]}' for key in row if key.startswith('jobs '))}"
        for log, row in {row["log"]: row for row in rows}.items()
    ]
    return [
        "## Ingredient by ingredient",
        "",
        "Mean wait under EASY, h, of all jobs and of each kind; UTIL, %. Each step counts what its name says beside "
        "all above it: *nodes* are partitions, nodes and tasks a node.",
        "",
        *markdown(["log", "counted", "UTIL", "all", *kinds], lines, left=2),
        "",
        f"Jobs of each kind: {'; '.join(counts)}.",
        "",
    ]


def of_policies(rows: Sequence[Row]) -> list[str]:
    """Return the section of policies on the whole machine."""
    kinds = [kind.name for kind in settings.KINDS]
    lines = [[row["of"], *waits(row)] for row in rows]
    return [
        "## Policies on these nodes",
        "",
        f"{rows[0]['log']}: mean wait, h; UTIL, %. Its slurm.conf is taken with equal shares.",
        "",
        *markdown(["policy", "UTIL", "all", *kinds], lines, left=1),
        "",
    ]


def of_front(rows: Sequence[Row]) -> list[str]:
    """Return the section of what can be traded on the whole machine; none without a front."""
    if not rows:
        return []
    kinds = [kind.name for kind in settings.KINDS]
    easy = rows[0]
    lines = []
    for row in rows:
        changes = [100 * (float(row[f"AWRT {kind}"]) / float(easy[f"AWRT {kind}"]) - 1) for kind in kinds]
        lines.append([row["of"], *waits(row), *(f"{change:+.1f} %" for change in changes)])
    return [
        "## What can be traded",
        "",
        f"{easy['log']}, with the kinds of jobs as groups ({', '.join(settings.GROUPS)}): {easy['schedules']} of "
        f"{int(easy['evaluations']):,} schedules are on the front. The best ones for each group by AWRT, and by AWRT "
        f"with that of no other group above {settings.WORSE:g} times EASY's, where there are any: mean wait, h; UTIL, "
        "%; and AWRT against that of EASY.",
        "",
        *markdown(["schedule", "UTIL", "all", *kinds, *(f"AWRT {name}" for name in settings.GROUPS)], lines, left=1),
        "",
    ]


def of_recorded(rows: Sequence[Row]) -> list[str]:
    """Return the section of the logs that say how long jobs waited, and some where they ran; none without them."""
    if not rows:
        return []
    lines = [[value or "-" for value in row.values()] for row in rows]
    return [
        "## Records of waits and hosts",
        "",
        "Mean wait, h, as recorded, and under EASY on one pool, on all nodes, and on as many as ran jobs; by the kind "
        "of nodes on which jobs ran, and on how many of them, or by what jobs ask for, where the log does not say it; "
        "and how many jobs EASY puts on the same kind, %. Down times and limits are in none of these logs. "
        "MetaCentrum's jobs are those of two clusters. Of pozidriv only the accounting is known: each node has what "
        "its jobs held at once at most, and a partition the nodes on which its jobs ran. Theta's jobs have whole "
        "nodes, which are alike. OpenB's say no limit, so EASY knows how long they run; their GPUs count in "
        "hundredths.",
        "",
        *markdown(
            ["log", "jobs of", "jobs", "of its nodes", "recorded", "one pool", "all nodes", "those that ran jobs",
             "there too"],
            lines,
            left=2,
        ),
        "",
    ]  # fmt: skip


def of_elsewhere(rows: Sequence[Row]) -> list[str]:
    """Return the section of the steps on the logs with recorded waits; none without them."""
    if not rows:
        return []
    kinds = [kind.name for kind in settings.KINDS_ELSEWHERE]
    lines = [[row["log"], row["of"], row["wait all"], *(hours(row, kind) for kind in kinds)] for row in rows]
    return [
        "## Ingredient by ingredient, beside the record",
        "",
        "Mean wait, h, of the same logs as recorded, and under EASY with each step. *More memory than cores* is as "
        "shares of the machine. On Theta a place on certain nodes is worth less than one on any, though all are alike.",
        "",
        *markdown(["log", "counted", "all", *kinds], lines, left=2),
        "",
    ]


def of_micro(rows: Sequence[Row]) -> list[str]:
    """Return the section of the real Slurm; none without its runs."""
    if not rows:
        return []
    pairs, keys = pairs_of(rows), [*HOURS, "UTIL"]
    lines = [[row["of"], *(row[key] for key in keys), *(row[key] or "-" for key in pairs)] for row in rows]
    ours, theirs = (
        [float(np.mean([float(row[key]) for row in rows if row["of"].startswith(who)])) for key in keys]
        for who in ("simulated", "Slurm")
    )
    apart = [f"{100 * (mine / real - 1):+.1f} %" for mine, real in zip(ours[:-1], theirs[:-1], strict=True)]
    apart.append(f"{ours[-1] - theirs[-1]:+.1f}")
    lines.append(["mean of the simulated against mean of Slurm", *apart, *["-"] * len(pairs)])
    return [
        "## A real Slurm",
        "",
        f"UB CCR's teaching cluster, {rows[0]['jobs']} jobs with memory, GPUs, features, switches and fair share, "
        "twice on slurmctld 22.05; simulated with its slurm.conf, topology.conf and shares, each time with the "
        "submissions and run times of that run. *Pairs*: of those that waited together in both, how many started in "
        "the same order, %.",
        "",
        *markdown(["", *HOURS.values(), "UTIL", *(key.removesuffix(" %") for key in pairs)], lines, left=1),
        "",
    ]


if __name__ == "__main__":
    main()

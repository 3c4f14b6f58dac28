"""LANL both ways: runs cut at their requests, and requests raised to the runs, as the machine ran them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import common
import settings
from later_jobs import GROUPS, ratios

import paretosched as ps
from paretosched.core.tables import markdown
from paretosched.wishes.wish_grammar import parse

LOGS = ("LANL", common.RAISED)
NAMES = {"LANL": "runs cut", common.RAISED: "requests raised"}


def measures(policies: Mapping[str, ps.Policy], quick: bool) -> list[dict[str, Any]]:
    """Return what EASY and trained policies, by their titles, reach on LANL both ways."""
    rows = []
    for log in LOGS:
        jobs = common.workload(log, settings.QUICK, quick)
        wish = parse(settings.OBJECTIVE, ps.objective_table(jobs.groups))
        own = [replace(policy, name=title) for title, policy in policies.items()]
        keys = ("policy", *(o.name for o in ps.objective_table(jobs.groups)), "objective", "objective_vs_easy")
        comparison = ps.compare(jobs, ["fcfs", "conservative", *own], None, wish)
        about = {"log": log, "jobs": len(jobs), "digest": jobs.digest}
        of_policies = comparison.rows()[: len(comparison.policies)]  # without the ideal point
        rows += [about | {key: row[key] for key in keys} for row in of_policies]
    return rows


def section(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section about LANL both ways."""
    by_policy: dict[str, dict[str, Mapping[str, str]]] = {}
    for row in rows:
        by_policy.setdefault(row["policy"], {})[row["log"]] = row
    easy = by_policy.pop("EASY")
    lines = []
    for policy, of_logs in by_policy.items():
        for log in LOGS:
            row, base = of_logs[log], easy[log]
            gain, whole = float(row["objective_vs_easy"]), float(row["AWRT"]) / float(base["AWRT"])
            lines.append([policy, NAMES[log], f"{gain:+.1f} %", f"{whole:.2f}", *ratios(row, base)])
    return [
        "## LANL, cut or not",
        "",
        "A third of LANL's jobs ran beyond their requests; the machine did not stop them, and what the paper did is "
        "not said. The policies below are applied to LANL both ways. None of them has learnt from jobs whose requests "
        'were raised: "trained on all" has five logs, of which LANL was cut, the others have CTC.',
        "",
        *markdown(["policy", "LANL", "objective", "AWRT", *GROUPS], lines, left=2),
        "",
        "The objective against EASY's, and response times as multiples of EASY's, of all and of each group.",
        "",
    ]

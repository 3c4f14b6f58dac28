"""LANL both ways: runs cut at their requests, and requests raised to the runs, as the machine ran them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import common
import settings
from later_jobs import GROUPS, ratios

import paretosched as ps
from paretosched.core.tables import markdown
from paretosched.wishes.wish_grammar import parse

LOGS = ("LANL", common.RAISED)
NAMES = {"LANL": "runs cut", common.RAISED: "requests raised"}
TRAINED = (*settings.APPLIED.values(), *settings.ALL_RAISED.values())
OF_FIGURE = {
    2: (settings.APPLIED["none-f2"], settings.APPLIED["none"]),
    3: (settings.APPLIED["all-sum"], settings.ALL_RAISED["all-sum-raised"]),
}
Row = Mapping[str, str]


def measures(policies: Sequence[ps.Policy], quick: bool) -> list[dict[str, Any]]:
    """Return what EASY, FCFS, CONS, untrained orders and trained policies reach on LANL both ways."""
    rows = []
    for log in LOGS:
        jobs = common.workload(log, settings.QUICK, quick)
        wish = parse(settings.OBJECTIVE, ps.objective_table(jobs.groups))
        keys = ("policy", *(o.name for o in ps.objective_table(jobs.groups)), "objective", "objective_vs_easy")
        comparison = ps.compare(jobs, ["fcfs", "conservative", *settings.UNTRAINED["easy"], *policies], None, wish)
        about = {"log": log, "jobs": len(jobs), "digest": jobs.digest}
        of_policies = comparison.rows()[: len(comparison.policies)]  # without the ideal point
        rows += [about | {key: row[key] for key in keys} for row in of_policies]
    return rows


def section(
    rows: Sequence[Row], trained: Mapping[str, Sequence[Row]], paper: Mapping[tuple[str, str], str]
) -> list[str]:
    """Return the section about LANL both ways.

    Parameters
    ----------
    rows
        Of policies on LANL both ways.
    trained
        The rows of the trainings on all logs, by how LANL was read there: a name of `LOGS`.
    paper
        The paper's words.
    """
    by_policy: dict[str, dict[str, Row]] = {}
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
        "not said. The policies below are applied to LANL both ways. Those trained on all have learnt from five logs, "
        'of which LANL had its runs cut or, where "LANL raised" is said, its requests raised; the others that are '
        "trained have learnt from CTC.",
        "",
        *markdown(["policy", "LANL", "objective", "AWRT", *GROUPS], lines, left=2),
        "",
        "The objective against EASY's, and response times as multiples of EASY's, of all and of each group. Each "
        "training on all logs is of one seed." + verdicts(by_policy, paper) + what_changes(by_policy, easy),
        "",
        *elsewhere(trained),
    ]


def verdicts(by_policy: Mapping[str, Mapping[str, Row]], paper: Mapping[tuple[str, str], str]) -> str:
    """Return what the paper's figures 2 and 3 have for LANL, and where it is not so here."""
    words = ""
    for figure, policies in OF_FIGURE.items():
        says = paper[f"figure {figure}", "LANL"]
        differing = [
            f"{policy}, with {NAMES[log]}"
            for policy in policies
            for log in LOGS
            if (float(by_policy[policy][log]["objective_vs_easy"]) > 0) != (says == "better")
        ]
        but = f"; here it is not: {'; '.join(differing)}" if differing else ", as it is here both ways"
        words += f" In figure {figure} of the paper LANL is {says} than EASY{but}."
    return words


def what_changes(by_policy: Mapping[str, Mapping[str, Row]], easy: Mapping[str, Row]) -> str:
    """Return in words what trained policies gain and cost, with runs cut and with requests raised."""
    trained = [rows for policy, rows in by_policy.items() if policy in TRAINED]
    words = []
    for log in LOGS:
        gains = [float(rows[log]["objective_vs_easy"]) for rows in trained]
        whole = [float(rows[log]["AWRT"]) / float(easy[log]["AWRT"]) for rows in trained]
        worst = max(
            float(rows[log][name]) / float(easy[log][name]) for rows in trained for name in GROUPS if rows[log][name]
        )
        words.append(
            f"with {NAMES[log]} they gain {min(gains):+.1f} to {max(gains):+.1f} %, AWRT is {min(whole):.2f} to "
            f"{max(whole):.2f} times EASY's, and a group takes up to {worst:.1f} times as long"
        )
    return f" Of all {len(trained)} trained policies: {'; '.join(words)}."


def elsewhere(trained: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the table of the trainings on all logs: what LANL's reading there changes on the other logs."""
    lines = []
    for over in settings.OVER:
        of_logs: dict[str, dict[str, list[str]]] = {}
        for way, rows in trained.items():
            mine = [row for row in rows if row["training"].startswith(f"all-{over}")]
            easy = {row["workload"]: row for row in mine if row["system"] == "EASY"}
            for row in mine:
                if row["best"] == "True" and not row["workload"].startswith("LANL"):
                    base = easy[row["workload"]]
                    whole = float(row["AWRT"]) / float(base["AWRT"])
                    cells = [f"{float(row['vs_easy']):+.1f} %", f"{whole:.2f}", *ratios(row, base)]
                    of_logs.setdefault(row["workload"].partition(" ")[0], {})[way] = cells
        lines += [[over, log, NAMES[way], *cells] for log, of_ways in of_logs.items() for way, cells in of_ways.items()]
    return [
        "What the reading of LANL in the training on all logs changes on the other four, likewise:",
        "",
        *markdown(["trained on all", "log", "LANL in the training", "objective", "AWRT", *GROUPS], lines, left=3),
        "",
    ]

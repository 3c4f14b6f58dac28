"""What run-time estimates are worth: every rule with every source on the logs."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

import common
import settings
from makespans import Rows, by

from paretosched.core.tables import markdown

OBJECTIVES = ("UTIL", "AWRT", "AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")
OFTEN = 0.4  # the share of predictions from which on many are too short


def section(rows: Rows, provenance: Mapping[str, Any]) -> list[str]:
    """Return the section about the effect of run-time estimates."""
    lines = []
    reference: Mapping[str, str] = {}
    for row in rows:
        if row["estimates"] == "requested":
            reference = row
            cells = [f"{float(row['UTIL']):.2f}", *(f"{float(row[o]):,.0f}" for o in OBJECTIVES[1:] if o in row)]
            cells += [f"{float(row['mean wait s']):,.0f}", f"{float(row['mean bounded slowdown']):,.1f}"]
        else:
            cells = [f"{float(row['UTIL']) - float(reference['UTIL']):+.2f}"]
            keys = [*(o for o in OBJECTIVES[1:] if o in row), "mean wait s", "mean bounded slowdown"]
            cells += [change(row[key], reference[key]) for key in keys]
        share = [row["accuracy %"], row["too short %"], f"{float(row['corrections a job']):.2f}"]
        lines.append([common.cut_name(provenance, row["log"]), row["policy"], row["estimates"], *cells, *share])
    heads = ["log", "policy", "estimates", *OBJECTIVES, "wait", "slowdown", "accuracy", "too short", "corrections"]
    return [
        "## What run-time estimates are worth",
        "",
        *verdicts(rows),
        "",
        *markdown(heads, lines, left=3),
        "",
        "Rows *requested*: UTIL in %, AWRT of all and of the five user groups in s, mean wait in s, mean bounded "
        "slowdown (10 s). Other rows: points of UTIL, and per cent against *requested*; negative is better. Accuracy: "
        "mean of the shorter of prediction and run time over the longer, %. Too short: predictions below the run time, "
        "%. Corrections: a job. Unscaled logs. recent: mean of the user's last two jobs that have ended (Tsafrir, "
        "Etsion, Feitelson 2007); predicted: Figure 1 of paper 003, corrected line, a user's run times by requested "
        "time; printed: as printed; exact: the true run times. A prediction that proves too short grows by Tsafrir's "
        "steps, to the request at most; a prediction kills no job and changes no run time. "
        f"{common.cut_remark(provenance, (row['log'] for row in rows))}".rstrip(),
        "",
    ]


def change(value: str, reference: str) -> str:
    """Return a relative change as text; "-" for a group without jobs."""
    if "nan" in (value, reference):
        return "-"
    return f"{100 * (float(value) / float(reference) - 1):+.1f} %"


def verdicts(rows: Rows) -> list[str]:
    """Return a table: in how many pairs of log and rule a source is better than the requests."""
    pairs = by(rows, ("log", "policy"))
    lines, shorter = [], {}
    keys = ("AWRT", "AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5", "mean wait s", "mean bounded slowdown")
    for source in settings.SOURCES[1:]:
        cells = []
        for key in keys:
            ratios = [
                float(by_source[source][key]) / float(by_source["requested"][key])
                for pair in pairs.values()
                for by_source in [{row["estimates"]: row for row in pair}]
                if by_source["requested"].get(key, "nan") != "nan"
            ]
            better = sum(ratio < 1 for ratio in ratios)
            if key == keys[0]:
                shorter[source] = better
            cells.append(f"{better} of {len(ratios)}, {statistics.geometric_mean(ratios):.2f}" if ratios else "-")
        lines.append([source, *cells])
    return [
        "In how many of the pairs of log and rule below a source is better than the requests, and the geometric mean "
        "of the ratios to them (below 1 is better):",
        "",
        *markdown(["estimates", *(key.removesuffix(" s").removeprefix("mean ") for key in keys)], lines, left=1),
        "",
        *in_words(rows, shorter, len(pairs)),
    ]


def in_words(rows: Rows, shorter: Mapping[str, int], pairs: int) -> list[str]:
    """Return what the table of estimates says; nothing if EASY was not run with predictions.

    Parameters
    ----------
    rows
        Of `estimates.csv`.
    shorter
        In how many pairs of log and rule AWRT is shorter than by requests, by source.
    pairs
        How many pairs there are.
    """
    easy = {(row["log"], row["estimates"]): row for row in rows if row["policy"] == "EASY"}
    logs = [log for log, source in easy if source == "predicted"]
    if not logs:
        return []
    predicted = [count for source, count in shorter.items() if source != "exact"]
    cut = " (LANL with runs cut)" if "LANL" in logs else ""
    short = sum(float(easy[log, "predicted"]["too short %"]) > 100 * OFTEN for log in logs)
    slowdown = {key: float(row["mean bounded slowdown"]) for key, row in easy.items()}
    falls = sum(slowdown[log, "predicted"] < slowdown[log, "requested"] for log in logs)
    return [
        f"Perfect estimates shorten AWRT in {shorter['exact']} of {pairs} pairs, predictions in {min(predicted)} to "
        f"{max(predicted)}, though they are mostly more accurate than requests: with EASY more than "
        f"{100 * OFTEN:.0f} % of the predicted ones are too short on {short} of {len(logs)} logs{cut}, a reservation "
        "that rests on them is put off again and again, and the wide, long jobs that wait for one pay. AWRT weights "
        "jobs by their processor seconds and shows that; the plain mean of the bounded slowdown, which Tsafrir, Etsion "
        "and Feitelson improve, falls with EASY and the predicted ones on "
        f"{falls} of {len(logs)} logs (they also backfill the shortest first).",
    ]

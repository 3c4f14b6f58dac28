"""Say what logs of 2013 to 2023 have, and how far EASY is from what was recorded: results/modern_logs/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

from paretosched.core.tables import markdown

Row = Mapping[str, str]


def main() -> None:
    """Write the summary."""
    options, provenance, tables = common.read_results("modern_logs", __doc__, ("summary",))
    rows = tables["summary"]
    remark = common.quick_remark(provenance, "on a made-up workload")
    lines = ["# Logs of machines with nodes, memory and GPUs", "", *opening(rows)]
    lines += [f"{remark}{common.versions_text(provenance)}.", "", *of_jobs(rows), *of_requests(rows)]
    common.save_summary(options.results, lines)


def opening(rows: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary."""
    jobs, left_out = (sum(int(row[key]) for row in rows) for key in ("jobs", "dropped"))
    recorded = [row for row in rows if row["wait recorded h"]]
    shorter = [row for row in recorded if float(row["wait EASY h"]) < float(row["wait recorded h"])]
    certain = [word for word in settings.ASKED if word != "nodes"]
    asking = [row for row in rows if max(float(row[f"work {word} %"]) for word in certain) >= 50]
    crowded = [row["log"] for row in rows if float(row["load"]) > 1]
    where = f"; {', '.join(crowded)} offer more work than the machine can do" if crowded else ""
    return common.opening(
        "What is in logs of this century as they come, and what does EASY on one pool make of them?",
        f"All {len(rows)} are read: {jobs:,} jobs, and {left_out:,} more that never ran or use nothing of what is "
        f"counted; of the {len(recorded)} with recorded waits the mean wait under EASY is shorter on {len(shorter)}.",
        "Each is one log, read once; nothing is random, and the counts of jobs are those of a parser of its own in "
        "`tests/whole/test_modern_logs.py`.",
        f"On {len(asking)} of them half of the work or more asks for memory, GPUs, whole or certain nodes, which one "
        f"pool does not know: there a wait under EASY is that of another machine{where}.",
        "Take such a log for its load and its users, and wait for nodes before you believe a wait.",
    )


def of_jobs(rows: Sequence[Row]) -> list[str]:
    """Return the section with jobs, loads and waits."""
    head = ["log", "jobs", "users", "machine", "days", "load", "left out", "waits recorded", "mean wait, h", "AWRT, h"]
    lines = [
        [
            row["log"],
            f"{int(row['jobs']):,}",
            row["users"] if row["users"] != "0" else "-",
            f"{int(row['capacity']):,} {row['unit']}",
            row["days"],
            row["load"],
            f"{int(row['dropped']):,}",
            f"{row['waits recorded %']} %",
            f"{row['wait recorded h'] or '-'} / {row['wait EASY h']}",
            f"{row['AWRT recorded h'] or '-'} / {row['AWRT EASY h']}",
        ]
        for row in rows
    ]
    most = [f"{row['log']}: {row['dropped most']}" for row in rows if row["dropped most"]]
    return [
        "## Jobs and waits",
        "",
        "*Load*: the work of all jobs over what the machine could do from the first submission to the last. Waits "
        "and response times (AWRT, weighted by work): recorded / under EASY, of the jobs whose wait is recorded, or "
        "of all.",
        "",
        *markdown(head, lines, left=1),
        "",
        *([f"Left out most often: {'; '.join(most)}.", ""] if most else []),
    ]


def of_requests(rows: Sequence[Row]) -> list[str]:
    """Return the section with the shares of the work."""
    lines = [[row["log"], *(row[f"work {word} %"] for word in settings.ASKED)] for row in rows]
    return [
        "## What the work asks for",
        "",
        "Per cent of the work, of jobs that ask for memory, for GPUs, for more than one node, for whole nodes, and for "
        "nodes with certain features.",
        "",
        *markdown(["log", *settings.ASKED], lines, left=1),
        "",
    ]


if __name__ == "__main__":
    main()

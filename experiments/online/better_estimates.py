"""What better estimates of run times are worth under each order of backfilling, on whole logs."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import common
import settings
from standings import Row

from paretosched.core.tables import markdown


def section(rows: Sequence[Row]) -> list[str]:
    """Return the section about what other estimates than the requested ones change, policy by policy."""
    without = logs_without_requests(rows)
    left_out = f" Left out: {', '.join(without)}, where no requests were recorded." if without else ""
    rows = [row for row in rows if row["log"] not in without]
    if not rows:
        return []
    lines = []
    better_awrt: dict[str, list[bool]] = {}
    for policy in dict.fromkeys(row["policy"] for row in rows):
        requested = {row["log"]: row for row in rows if (row["policy"], row["estimates"]) == (policy, "requested")}
        for estimates in settings.ESTIMATES[1:]:
            mine = [row for row in rows if (row["policy"], row["estimates"]) == (policy, estimates)]
            cells = []
            for key, least in (("AWRT", 1.0), ("slowdown_all", 1.0), ("wait_p95_all", 3600.0)):
                gains = [
                    100 * (1 - at_least(row, key, least) / at_least(requested[row["log"]], key, least)) for row in mine
                ]
                better = sum(gain > 0 for gain in gains)
                if key == "AWRT":
                    better_awrt.setdefault(estimates, []).extend(gain > 0 for gain in gains)
                cells.append(f"{median(gains):+.1f} ({min(gains):+.0f} to {max(gains):+.0f}), {better} of {len(gains)}")
            group = min(
                100 * (1 - value / before)
                for row in mine
                for before, value in zip(
                    common.groups_of(requested[row["log"]], "AWRT{}"), common.groups_of(row, "AWRT{}"), strict=True
                )
            )
            lines.append([policy, estimates, *cells, f"{group:+.0f}"])
    logs = list(dict.fromkeys(row["log"] for row in rows))
    heads = ["policy", "estimates", "AWRT", "slowdown", "95 % wait", "worst group on the worst log"]
    return [
        "## What better estimates are worth under each order of backfilling",
        "",
        f"Whole logs ({', '.join(logs)}), which have not been learnt from: predictions rest on jobs that have ended. "
        "Gain in per cent over the same policy with the requests of the users: median over logs (worst to best log), "
        "and on how many logs it is better; 95 % waits of less than an hour count as one. EASY++ is first come first "
        f"served, backfilled shortest first, with `recent`.{left_out}",
        "",
        "AWRT is better in "
        + ", ".join(f"{sum(cases)} of {len(cases)} cases with `{name}`" for name, cases in better_awrt.items())
        + ".",
        "",
        *markdown(heads, lines, left=2),
        "",
    ]


def logs_without_requests(rows: Sequence[Row]) -> list[str]:
    """Return the logs on which requests are the run times, as none were recorded: no estimate can be better there."""
    awrt = {(row["log"], row["policy"], row["estimates"]): row["AWRT"] for row in rows}
    differ = {
        log
        for (log, policy, name), value in awrt.items()
        if name == "exact" and value != awrt[log, policy, "requested"]
    }
    return [log for log in dict.fromkeys(row["log"] for row in rows) if log not in differ]


def at_least(row: Row, key: str, least: float) -> float:
    """Return a value of a row; `least` if it is smaller, so that seconds are not set against minutes."""
    return max(float(row[key]), least)

"""Policies on the same jobs submitted a little later, which means nothing: how far results move.

A schedule of months is a long chain: a job that starts a minute later moves all that come after it. So a difference
between two policies that is no larger than what such nudges make says nothing about the policies.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from statistics import mean, median, stdev

import settings
from standings import ROLLING, Row, gains_by_log, kept_of, place

from paretosched.core.tables import markdown

HEADS = ("policy", "gain as recorded", "nudged", "spread", "limits kept as recorded", "nudged", "one tenth moves by")


def section(rows: Sequence[Row]) -> list[str]:
    """Return the section about nudged jobs: `rows` are those of `nudges.csv` in which the objective is defined."""
    if not rows:
        return []
    tenths = [row for row in rows if row["split"] in ROLLING]
    lines = [[policy, *cells(tenths, policy)] for policy in dict.fromkeys(row["policy"] for row in tenths)]
    draws = len({row["nudge"] for row in tenths}) - 1
    above = [f"`{policy}`" for policy in dict.fromkeys(row["policy"] for row in tenths) if is_above(tenths, policy)]
    words = f"As recorded, {', '.join(above)} gain more than in any draw: policies were made with these jobs in view. "
    words = words if above else ""
    return [
        "## If every job came up to a minute later",
        "",
        *markdown(HEADS, lines, left=1),
        "",
        f"All tenths as recorded, and {draws} times with every job submitted up to {settings.LONGEST_NUDGE} s later at "
        "random, EASY's too. Gains are means over logs, of the first seed of trainings, which learnt from the jobs "
        "as recorded; the spread is the standard deviation of these means over the draws. In the last column, the "
        f"median and the largest difference between the lowest and the highest gain on a tenth, of the {draws} and "
        f"as recorded, in percentage points. {words}What is smaller than these differences says "
        "nothing of a policy.",
        "",
    ]


def cells(rows: Sequence[Row], policy: str) -> list[str]:
    """Return the cells of a policy: gains and limits kept, as recorded and nudged, and how far a tenth moves."""
    recorded, moved = recorded_and_moved(rows, policy)
    gains, reach = gains_of_draws(moved, policy), reaches([*recorded, *moved])
    return [
        f"{mean(gains_by_log(recorded, policy).values()):+.1f} %",
        f"{mean(gains):+.1f} %",
        f"{stdev(gains):.1f}" if len(gains) > 1 else "-",
        kept_of(recorded),
        kept_of(moved),
        f"{median(reach):.1f}, at most {max(reach):.1f}",
    ]


def recorded_and_moved(rows: Sequence[Row], policy: str) -> tuple[list[Row], list[Row]]:
    """Return the rows of a policy with the jobs as recorded, and those of all draws."""
    mine = [row for row in rows if row["policy"] == policy]
    return [row for row in mine if row["nudge"] == "0"], [row for row in mine if row["nudge"] != "0"]


def gains_of_draws(moved: Sequence[Row], policy: str) -> list[float]:
    """Return the gain of a policy, the mean over the logs, in each draw of nudged jobs."""
    draws = dict.fromkeys(row["nudge"] for row in moved)
    return [mean(gains_by_log([row for row in moved if row["nudge"] == d], policy).values()) for d in draws]


def is_above(rows: Sequence[Row], policy: str) -> bool:
    """Return whether a policy gains more on the jobs as recorded than in every draw."""
    recorded, moved = recorded_and_moved(rows, policy)
    return mean(gains_by_log(recorded, policy).values()) > max(gains_of_draws(moved, policy))


def reaches(rows: Sequence[Row]) -> list[float]:
    """Return for each tenth how far apart its lowest and its highest gain are."""
    tenths = groupby(sorted(rows, key=place), key=place)
    gains = [[float(row["objective_vs_easy"]) for row in here] for _, here in tenths]
    return [max(of_tenth) - min(of_tenth) for of_tenth in gains]


def in_short(rows: Sequence[Row], policy: str) -> str:
    """Return the end of a sentence: the gain of a policy over the draws, and as recorded; of the first seed."""
    recorded, moved = recorded_and_moved([row for row in rows if row["split"] in ROLLING], policy)
    if not moved:
        return ""
    as_recorded, gains = mean(gains_by_log(recorded, policy).values()), gains_of_draws(moved, policy)
    low, high = min(gains), max(gains)
    return f"{low:.1f} to {high:.1f} % if jobs come up to a minute later (one seed, else {as_recorded:.1f})"

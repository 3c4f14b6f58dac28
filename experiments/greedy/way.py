"""How far policies come of what is known to be possible, and of what is proved to be the most: figures 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import common
import settings
from later_jobs import GROUPS, LEAST_GAIN, keeps_limits

from paretosched.comparison.comparison import BEST, NEAREST, NEAREST_ONLINE, ONLINE
from paretosched.core.tables import markdown

Row = Mapping[str, str]

KNOWN_ON = "CTC"  # the log of `known.csv`
BOUNDS = common.ROOT / "results" / "bounds" / "logs.csv"
WISH = "10 and 4"  # of the bounds: equation 8


def bounds_of(rows: Sequence[Row], path: Path = BOUNDS) -> dict[str, float]:
    """Return by how much the objective can be below EASY's at most, per cent, of each log that was bounded as it is.

    A log counts if its EASY has the value that the bound was computed for, and if there is something to gain.
    """
    proved = {
        row["log"]: (float(row["EASY"]), float(row["programme"]))
        for row in common.rows(path)
        if (row["as"], row["wish"]) == (str(common.PROCESSORS), WISH)
    }
    easy = {row["log"]: float(row["objective"]) for row in rows if row["policy"] == "EASY"}
    return {
        log: proved[log][1]
        for log, value in easy.items()
        if log in proved and abs(proved[log][0] / value - 1) < 1e-6 and proved[log][1] >= LEAST_GAIN
    }


def best_within(known: Sequence[Row]) -> dict[str, float]:
    """Return the largest known gain within the limits by log; rows without one are of `KNOWN_ON`."""
    gains: dict[str, float] = {}
    for row in known:
        if row["best_within"]:
            log = row.get("log", KNOWN_ON)
            gains[log] = max(gains.get(log, 0.0), float(row["best_within"]))
    return gains


def known_words(known: Sequence[Row], within: Mapping[str, float]) -> str:
    """Return which gains within the limits are known, and how well they were searched for."""
    if KNOWN_ON not in within:
        return ""
    tried = {log: sum(int(row["evaluations"]) for row in known if row.get("log", KNOWN_ON) == log) for log in within}
    weak = [f"{gain:.2f} % on {log} ({tried[log]:,})" for log, gain in within.items() if log != KNOWN_ON]
    return (
        f"The best known schedule of {KNOWN_ON} that keeps these limits gains {within[KNOWN_ON]:.2f} % (table above); "
        "more than 100 % of it is gained only by breaking them. "
        + (
            "On the other logs (~) the search was a weak one of its own, so that shares may be too large; the best "
            f"within the limits gains (of how many schedules): {', '.join(weak)}. "
            if weak
            else "Of the other logs none was searched for. "
        )
    )


def positions(rows: Sequence[Row], ends: Sequence[Row], known: Sequence[Row]) -> list[str]:
    """Return the section about policies and the front of each log: figures 4 and 5."""
    bounds, within = bounds_of(rows), best_within(known)
    lines = []
    for row in rows:
        if row["policy"] in (BEST, ONLINE, NEAREST, NEAREST_ONLINE) or row["dominated_by"]:
            gain = float(row["objective_vs_easy"]) if row["objective_vs_easy"] else None
            weak = "~" * (row["log"] != KNOWN_ON)
            most = within.get(row["log"], 0.0)
            of_known = share(gain, most if most >= LEAST_GAIN else None)
            whole = row["AWRT_vs_easy"] and gain is not None and row["log"] in bounds  # else there is nothing to keep
            kept = keeps_limits(row) if whole else None
            above = f"{int(float(row['dominated_by'])):,} of {int(row['front']):,}" if row["dominated_by"] else ""
            values = [f"{float(row[name]) / 3600:.2f}" if row[name] else "" for name in GROUPS]
            lines.append(
                [
                    row["log"],
                    row["policy"],
                    "" if gain is None else f"{gain:+.1f} %",
                    share(gain, bounds.get(row["log"])),
                    of_known and weak + of_known,
                    "" if kept is None else "yes" if kept else "no",
                    above,
                    *values,
                ]
            )
    heads = ["log", "policy", "objective", "of the bound", "of the best known within the limits", "limits kept"]
    return [
        "## Figures 4 and 5: positions against the front",
        "",
        *markdown([*heads, "dominated by", *(f"{name}, h" for name in GROUPS)], lines, left=2),
        "",
        "Of the bound: of what no schedule can gain more than, also one that knows the future, and whatever it costs "
        "the other groups; proved in results/bounds: "
        f"{', '.join(f'{log} {bound:.1f} %' for log, bound in bounds.items())}. Limits: {settings.LIMITS}. "
        f"{known_words(known, within)}The nearest to the objective is no goal: it may starve the other groups"
        f"{starving_groups(ends)}. "
        "In the rows best of each every response time is the shortest of the whole front, each from a schedule of its "
        "own: no schedule has them all.",
        "",
        "The front of CTC is the merged one of Table 4 of [results/ci190_05](../ci190_05/summary.md), whose other runs "
        "know schedules beyond it; those of other logs have start "
        f"solutions and the weighting search with {settings.OTHER_EVALUATIONS:,} evaluations. Policies "
        "without backfilling may lie beyond a front that was searched with EASY backfilling. "
        "Figure 5 of the paper is SDSC95's.",
        "",
        "![CTC](figures/figure4.png)",
        "",
        "The other logs likewise: `figures/positions-SDSC00.png` and so on, which `analysis.py` draws.",
        "",
    ]


def share(gain: float | None, most: float | None) -> str:
    """Return a gain as a share of the most that there is, as text; empty if either is not known.

    >>> share(12.0, 16.0), share(12.0, None)
    ('75 %', '')
    """
    return "" if gain is None or most is None else f"{100 * gain / most:.0f} %"


def starving_groups(ends: Sequence[Row]) -> str:
    """Return in words which groups wait for how many days where the objective is best, if it is more than ten."""
    words = []
    for row in ends:
        days = {name[4:]: float(row[name]) / 86400 for name in GROUPS if row[name]}
        starving = [group for group, wait in days.items() if wait > 10]
        if starving:
            low, high = (f"{extreme(days[group] for group in starving):,.0f}" for extreme in (min, max))
            words.append(f"on {row['log']} {low} to {high} days for groups {', '.join(starving)}")
    return f" (AWRT {'; '.join(words)})" if words else ""

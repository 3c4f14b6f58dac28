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
ORDERS, IN_ORDERS = common.ROOT / "results" / "orders" / "ingredients.csv", "results/orders"
MARKED = (BEST, ONLINE, NEAREST, NEAREST_ONLINE)  # rows of the front, not of policies


def bounds_of(rows: Sequence[Row]) -> dict[str, float]:
    """Return by how much the objective can be below EASY's at most, per cent, of each log with something to gain."""
    proved = {row["log"]: float(row["at_most_vs_easy"]) for row in rows if row["policy"] == "EASY"}
    return {log: most for log, most in proved.items() if most >= LEAST_GAIN}


def of_orders(rows: Sequence[Row], path: Path = ORDERS) -> list[dict[str, str]]:
    """Return the gains within the limits of orders that results/orders has trained, as rows like those of a search.

    A log counts if its EASY has the same objective as here: if it is the same workload.
    """
    easy = {row["log"]: float(row["objective"]) for row in rows if row["policy"] == "EASY"}
    return [
        {"log": row["log"], "run": IN_ORDERS, "evaluations": "0", "best_within": row["objective_vs_easy"]}
        for row in common.rows(path)
        if row["log"] in easy and keeps_limits(row)
        for base in [float(row["objective"]) / (1 - float(row["objective_vs_easy"]) / 100)]
        if abs(base / easy[row["log"]] - 1) < 1e-6
    ]


def of_policies(rows: Sequence[Row]) -> list[dict[str, str]]:
    """Return the gains of policies that keep the limits, as rows like those of a search."""
    easy = {row["log"]: row for row in rows if row["policy"] == "EASY"}
    found = []
    for row in rows:
        times = {
            f"{name}_vs_easy": str(100 * (1 - float(row[name]) / float(easy[row["log"]][name])) if row[name] else "")
            for name in ("AWRT", *GROUPS)
        }
        if keeps_limits(times):
            about = {"log": row["log"], "run": f"`{row['policy']}`", "evaluations": "1"}
            found.append({**about, "best_within": row["objective_vs_easy"]})
    return found


def best_within(known: Sequence[Row]) -> dict[str, Row]:
    """Return the row with the largest known gain within the limits by log; rows without one are of `KNOWN_ON`."""
    best: dict[str, Row] = {}
    for row in known:
        log = row.get("log", KNOWN_ON)
        if row["best_within"] and (log not in best or float(row["best_within"]) > float(best[log]["best_within"])):
            best[log] = row
    return best


def known_words(known: Sequence[Row], best: Mapping[str, Row]) -> str:
    """Return which gains within the limits are known, and where from."""
    if KNOWN_ON not in best:
        return ""
    others = []
    for log, row in best.items():
        tried = sum(int(row["evaluations"]) for row in known if row.get("log", KNOWN_ON) == log)
        by = row["run"] if row["run"].startswith((IN_ORDERS, "`")) else f"{tried:,}"
        others += [f"{float(row['best_within']):.2f} % on {log} ({by})"] if log != KNOWN_ON else []
    return (
        f"The best known schedule of {KNOWN_ON} that keeps these limits gains "
        f"{float(best[KNOWN_ON]['best_within']):.2f} % (table above); more than 100 % of it is gained only by breaking "
        "them. "
        + (
            "On the other logs (~) only weightings, orders of the groups, the trained orders of "
            "[results/orders](../orders/summary.md) and policies on LANL were tried, and what keeps the limits is all "
            "online, so that shares may be too large; the best within the limits gains (by what, or of how many "
            "schedules): "
            f"{', '.join(others)}. "
            if others
            else "Of the other logs none was searched for. "
        )
    )


def positions(rows: Sequence[Row], known: Sequence[Row]) -> list[str]:
    """Return the section about policies and the front of each log: figures 4 and 5."""
    bounds, best = bounds_of(rows), best_within(known)
    lines = []
    for row in rows:
        if row["policy"] in MARKED or row["dominated_by"]:
            gain = float(row["objective_vs_easy"]) if row["objective_vs_easy"] else None
            weak = "~" * (row["log"] != KNOWN_ON)
            most = float(best[row["log"]]["best_within"]) if row["log"] in best else 0.0
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
        "the other groups; proved as in results/bounds: "
        f"{', '.join(f'{log} {common.at_most(bound)} %' for log, bound in bounds.items())}. Limits: {settings.LIMITS}. "
        f"{known_words(known, best)}The nearest to the objective is no goal: it may starve the other groups"
        f"{starving_groups(rows)}. "
        "In the rows best of each every response time is the shortest of the whole front, each from a schedule of its "
        f"own: no schedule has them all.{lanl_in_words(rows, bounds)}",
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


def lanl_in_words(rows: Sequence[Row], bounds: Mapping[str, float]) -> str:
    """Return what changes where LANL's requests are raised, of the policies that are there both ways; or nothing."""
    ways = {log: {row["policy"]: row for row in rows if row["log"] == log} for log in ("LANL", settings.RAISED)}
    names = [name for name in settings.APPLIED.values() if all(name in of_log for of_log in ways.values())]
    if not names or not all(log in bounds for log in ways):
        return ""
    words = []
    for log, of_log in ways.items():
        mine = [of_log[name] for name in names]
        shares = [100 * float(row["objective_vs_easy"]) / bounds[log] for row in mine]
        most = max(int(float(row["dominated_by"])) for row in mine)
        words.append(
            f"{bounds[log]:.1f} %, the trained ones that are there both ways gain {min(shares):.0f} to "
            f"{max(shares):.0f} % of it, {sum(map(keeps_limits, mine))} of {len(mine)} keep the limits, and one is "
            f"dominated by up to {most:,} of "
            f"{int(mine[0]['front']):,} schedules of the front"
        )
    return f" LANL's bound is with runs cut {words[0]}; with its requests raised it is {words[1]}."


def share(gain: float | None, most: float | None) -> str:
    """Return a gain as a share of the most that there is, as text; empty if either is not known.

    >>> share(12.0, 16.0), share(12.0, None)
    ('75 %', '')
    """
    return "" if gain is None or most is None else f"{100 * gain / most:.0f} %"


def starving_groups(rows: Sequence[Row]) -> str:
    """Return in words which groups wait for how many days where the objective is best, if it is more than ten."""
    words = []
    for row in rows:
        days = {name[4:]: float(row[name]) / 86400 for name in GROUPS if row["policy"] == NEAREST and row[name]}
        starving = [group for group, wait in days.items() if wait > 10]
        if starving:
            low, high = (f"{extreme(days[group] for group in starving):,.0f}" for extreme in (min, max))
            words.append(f"on {row['log']} {low} to {high} days for groups {', '.join(starving)}")
    return f" (AWRT {'; '.join(words)})" if words else ""

"""What was wanted of trained policies: that gains and limits hold on jobs that were not learnt from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isnan
from operator import itemgetter
from statistics import median

import common
import draws
import hindsight
import possible
import settings
from standings import Row, Standing, best_of, steady_of, tenths_of

from paretosched.core.tables import markdown

LEAST = f"{settings.LEAST_GAIN:g} %"


def section(
    rows: Sequence[Row],
    standings: Sequence[Standing],
    bounds: Sequence[Row],
    in_hindsight: Sequence[Row],
    of_scalings: Sequence[Row],
) -> list[str]:
    """Return the section about what was wanted, from the rows of trained policies; nothing if there are none.

    Parameters
    ----------
    rows, standings, bounds
        Of `trained.csv`; of all policies; of `bounds.csv`.
    in_hindsight, of_scalings
        Of `hindsight.csv` and of `draws.csv`.
    """
    if not rows:
        return []
    return [
        "## What was wanted of trained policies",
        "",
        *table_of_goals(rows, standings, of_scalings),
        *gain_kept_by_log(rows, standings, bounds, in_hindsight),
    ]


def shares_by_log(rows: Sequence[Row], policy: str) -> dict[str, float]:
    """Return the gain on later jobs over that on those that were learnt from, on each log: the median over its tenths.

    Tenths before which a policy learnt to gain less than `LEAST_GAIN` do not count, nor do logs that have no others.
    """
    learnt = [row for row in tenths_of(rows, policy) if is_learnt(row)]
    return {
        log: median(float(row["objective_vs_easy"]) / float(row["train_vs_easy"]) for row in mine)
        for log, mine in common.rows_by(learnt, itemgetter("log")).items()
    }


def is_learnt(row: Row) -> bool:
    """Return whether so much was learnt to gain that a share of it says something."""
    return float(row["train_vs_easy"]) >= settings.LEAST_GAIN


def table_of_goals(rows: Sequence[Row], standings: Sequence[Standing], of_scalings: Sequence[Row]) -> list[str]:
    """Return which trained policy reaches what was wanted, and what the last part of a scaled log says."""
    steady = [standing for standing in steady_of(standings) if not standing.is_trained]
    best_other = max((s.gain for s in steady), default=float("nan"))
    lines = []
    for standing in (standing for standing in standings if standing.is_trained):
        shares = shares_by_log(rows, standing.policy).values()
        kept = standing.within_limits >= settings.KEPT
        cells = [
            bool(shares) and min(shares) >= settings.GAIN_KEPT,
            kept,
            standing.gain >= best_other + settings.LEAST_GAIN,
            kept and standing.gain >= best_other + settings.LEAST_GAIN,
            standing.p95 <= settings.LONGEST_WAITS,
        ]
        least_share = f"{min(shares):.2f}" if shares else "-"
        lines.append([standing.policy, least_share, *("yes" if cell else "no" for cell in cells)])
    heads = [
        "policy",
        "gain kept on the worst log",
        "two thirds kept on every log",
        "limits kept in nine of ten",
        f"{LEAST} better than the best untrained one that keeps them so often",
        "both",
        "95 % waits up to 1.5 times EASY's",
    ]
    on_last = [row for row in rows if (row["log"], row["split"]) == (settings.LAST_LOG, settings.LAST.name)]
    good = [row for row in on_last if draws.is_good(row)]
    more = (
        f"; of those that learnt from several scalings of it, {draws.in_words(of_scalings, 1)}" if of_scalings else ""
    )
    return [
        *markdown(heads, lines, left=1),
        "",
        f"Gain kept: the gain on the jobs that were not learnt from over that on those that were, median over splits "
        f"and seeds, where the latter is {LEAST} or more. Untrained, these keep the limits in nine of ten: "
        f"{', '.join(f'`{s.policy}` ({s.gain:+.1f} %)' for s in steady)}. On the last 30 % of {settings.LAST_LOG} "
        f"{len(good)} of {len(on_last)} trainings gain {settings.LAST_GAIN:g} % or more and keep the limits{more}.",
        "",
    ]


def gain_kept_by_log(
    rows: Sequence[Row], standings: Sequence[Standing], bounds: Sequence[Row], in_hindsight: Sequence[Row]
) -> list[str]:
    """Return on which logs how much of the gain is kept, by the best policy and by the best one of each log."""
    best = best_of(standing for standing in standings if standing.is_trained)
    if best is None:
        return []
    shares = {s.policy: shares_by_log(rows, s.policy) for s in standings if s.is_trained}
    mine = tenths_of(rows, best.policy)
    tenths = hindsight.by_tenth(in_hindsight)
    left: dict[str, float] = {}
    of_logs: dict[str, tuple[float, int]] = {}
    lines = []
    for log, share in shares[best.policy].items():
        here = [row for row in mine if row["log"] == log]
        learnt, later = (median(float(row[key]) for row in here) for key in ("train_vs_easy", "objective_vs_easy"))
        most, _ = possible.cells(bounds, here, log)
        others = {policy: of_logs[log] for policy, of_logs in shares.items() if log in of_logs}
        top = max(others, key=lambda policy: others[policy])
        known, left[log] = hindsight.cells(tenths, [row for row in here if is_learnt(row)])
        of_known = "-" if isnan(left[log]) else f"{left[log]:.2f}"
        of_logs[log] = hindsight.share_gained(tenths, here)
        of_room = f"{of_logs[log][0]:.2f}" if of_logs[log][1] else "-"
        gains = [f"{learnt:+.1f} %", f"{later:+.1f} %", known, most]
        lines.append([log, *gains, f"{share:.2f}", of_known, of_room, f"{others[top]:.2f}, {top}"])
    heads = ["log", "learnt", "gain later", "in hindsight", "proved possible later at most", "gain kept"]
    heads += ["in hindsight, of what was learnt", "gain later, of that in hindsight", "most gain kept by any"]
    return [
        f"The gain that `{best.policy}` keeps, log by log (medians over splits and seeds), and which training keeps "
        f"most of its own there. {in_words(shares)}",
        "",
        *markdown(heads, lines, left=1),
        "",
        *hindsight.in_words(in_hindsight, left, of_logs, best.policy),
    ]


def in_words(shares: Mapping[str, Mapping[str, float]]) -> str:
    """Return on which logs no training keeps two thirds of its gain, in words."""
    logs = dict.fromkeys(log for of_logs in shares.values() for log in of_logs)
    without = [log for log in logs if max(of_logs.get(log, 0) for of_logs in shares.values()) < settings.GAIN_KEPT]
    return f"On {' and '.join(without) or 'no log'} no training keeps two thirds."

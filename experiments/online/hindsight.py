"""What policies gain that have learnt from the very jobs they are tried on: how much is left to gain later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean, median

import common
import settings
from standings import Row, place


def by_tenth(rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """Return what was gained on each tenth by the better learner, in the mean over its seeds, by log and split."""
    return {
        tenth: max(
            mean(float(row["objective_vs_easy"]) for row in of_learner)
            for of_learner in common.rows_by(here, lambda row: row["policy"]).values()
        )
        for tenth, here in common.rows_by(rows, place).items()
    }


def cells(tenths: Mapping[tuple[str, str], float], mine: Sequence[Row]) -> tuple[str, float]:
    """Return what is gained in hindsight on the tenths of a log, a cell, and its share of what was learnt, medians.

    Parameters
    ----------
    tenths
        As `by_tenth` returns it; nothing if that part was not run.
    mine
        Rows of a training on the log, a row a tenth and seed.
    """
    mine = [row for row in mine if place(row) in tenths]
    if not mine:
        return "-", float("nan")
    shares = [tenths[place(row)] / float(row["train_vs_easy"]) for row in mine]
    return f"{median(tenths[place(row)] for row in mine):+.1f} %", median(shares)


def share_gained(tenths: Mapping[tuple[str, str], float], mine: Sequence[Row]) -> tuple[float, int]:
    """Return the share of the gain in hindsight that a training gains on a log, the median, and on how many tenths.

    Tenths on which less than `LEAST_GAIN` is gained in hindsight do not count. Parameters are those of `cells`.
    """
    room = [row for row in mine if tenths.get(place(row), 0.0) >= settings.LEAST_GAIN]
    shares = [float(row["objective_vs_easy"]) / tenths[place(row)] for row in room]
    return (median(shares) if shares else float("nan")), len({place(row) for row in room})


def gained_in_words(of_logs: Mapping[str, tuple[float, int]], tenths: Mapping[tuple[str, str], float]) -> str:
    """Return on which logs two thirds of what can be gained in hindsight are gained, in a sentence.

    Parameters
    ----------
    of_logs
        By log, as `share_gained` returns it.
    tenths
        As `by_tenth` returns it.
    """
    shares = {log: share for log, (share, count) in of_logs.items() if count}
    good = [log for log, share in shares.items() if share >= settings.GAIN_KEPT]
    words = f"Of what is gained in hindsight it gains two thirds or more in the median on {', '.join(good) or 'no log'}"
    for log in (log for log in shares if log not in good):
        words += f"; on {log} {shares[log]:.2f} ({of_logs[log][1]} of {sum(name == log for name, _ in tenths)} tenths)"
    return f"{words}. Only tenths count on which {settings.LEAST_GAIN:g} % or more is gained in hindsight."


def in_words(
    rows: Sequence[Row], shares: Mapping[str, float], of_logs: Mapping[str, tuple[float, int]], policy: str
) -> list[str]:
    """Return on which logs less than two thirds of what a training learnt to gain is left, in a paragraph.

    Parameters
    ----------
    rows
        Those of `hindsight.csv`.
    shares
        By log, as `cells` returns them of the training.
    of_logs
        By log, what `share_gained` returns of it.
    policy
        The training.
    """
    if not rows:
        return []
    less = [f"{log} ({share:.2f})" for log, share in shares.items() if share < settings.GAIN_KEPT]
    tried = " and ".join(f"`{name}`" for name in dict.fromkeys(row["policy"] for row in rows))
    seeds = len({row["seed"] for row in rows})
    words = (
        f"In hindsight: {tried}, learnt from the very tenth they are tried on, the better one in the mean of {seeds} "
        f"seed{'s' * (seeds != 1)}."
    )
    if less:
        words += (
            f" As a share of what `{policy}` had learnt to gain before, that is less than two thirds on "
            f"{' and '.join(less)}: later jobs leave less to gain there, as far as any of these trainings finds."
        )
    return [f"{words} {gained_in_words(of_logs, by_tenth(rows))}", ""]

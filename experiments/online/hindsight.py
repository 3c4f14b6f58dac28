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


def in_words(rows: Sequence[Row], shares: Mapping[str, float], policy: str) -> list[str]:
    """Return on which logs less than two thirds of what a training learnt to gain is left, in a paragraph.

    Parameters
    ----------
    rows
        Those of `hindsight.csv`.
    shares
        By log, as `cells` returns them of the training.
    policy
        The training.
    """
    less = [f"{log} ({share:.2f})" for log, share in shares.items() if share < settings.GAIN_KEPT]
    if not less:
        return []
    tried = " and ".join(f"`{name}`" for name in dict.fromkeys(row["policy"] for row in rows))
    seeds = len({row["seed"] for row in rows})
    return [
        f"In hindsight: {tried}, learnt from the very tenth they are tried on, the better one in the mean of {seeds} "
        f"seed{'s' * (seeds != 1)}. As a share of what `{policy}` had learnt to gain before, that is less than two "
        f"thirds on {' and '.join(less)}: later jobs leave less to gain there, as far as any of these trainings finds.",
        "",
    ]

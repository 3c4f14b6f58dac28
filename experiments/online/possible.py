"""What is proved to be the most that any schedule gains over EASY within the limits, on the parts of the logs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from statistics import mean, median

import common
import settings
from standings import ROLLING, Row, place

MOST = "at_most_vs_easy"
LABEL = "*proved possible at most within the limits*"


def in_words(gain: float, most: float | None) -> str:
    """Return a gain, and the most that is possible, in words."""
    return f"{gain:+.1f} %" if most is None else f"{gain:+.1f} of at most {common.at_most(most)} % (proved)"


def by_log(bounds: Sequence[Row], rows: Sequence[Row]) -> dict[str, float]:
    """Return the most on each log in the mean of the tenths on which policies were tried; logs without are left out."""
    tried = {place(row) for row in rows if row["split"] in ROLLING}
    mine = common.rows_by([row for row in bounds if place(row) in tried], itemgetter("log"))
    counts = {log: sum(name == log for name, _ in tried) for log in mine}
    return {log: mean(float(row[MOST]) for row in some) for log, some in mine.items() if len(some) == counts[log]}


def over_logs(most: Mapping[str, float], rows: Sequence[Row]) -> float | None:
    """Return the mean over the logs on which policies were tried; None if one has no bound."""
    logs = {row["log"] for row in rows if row["split"] in ROLLING}
    return mean(most[log] for log in logs) if logs and logs <= most.keys() else None


def cells(bounds: Sequence[Row], rows: Sequence[Row], log: str) -> tuple[str, str]:
    """Return the most on a log as cells: the median of the tenths in `rows`, and that of the last part."""
    tried = {place(row) for row in rows}
    of_tenths = [float(row[MOST]) for row in bounds if place(row) in tried and row["split"] in ROLLING]
    of_last = [float(row[MOST]) for row in bounds if place(row) == (log, settings.LAST.name)]
    tenths, last = (f"+{common.at_most(median(values))} %" if values else "-" for values in (of_tenths, of_last))
    return tenths, last

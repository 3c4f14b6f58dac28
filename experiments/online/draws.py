"""Orders that have learnt from several scalings of a log at once, on the last part of each of them."""

from __future__ import annotations

from collections.abc import Sequence

import common
import scalings
import settings
from standings import Row, kept_of

from paretosched.core.tables import markdown


def section(rows: Sequence[Row]) -> list[str]:
    """Return the section about learning from several scalings, from the rows of `draws.csv`; nothing without them."""
    if not rows:
        return []
    lines = []
    for (log, policy), mine in common.rows_by(rows, lambda row: (row["log"], row["policy"])).items():
        first = [row for row in mine if scalings.is_first(row)]
        others = [row for row in mine if not scalings.is_first(row)]
        learnt = common.low_to_high(first, "train_vs_easy", 1)
        lines.append([log, policy, learnt, scalings.span(first), kept_of(first), *scalings.cells_of(others)])
    heads = ["log", "policy", "learnt, first scaling", "gain there", "limits kept there", "other scalings"]
    share = f"{100 * settings.LAST.until:.0f} %"
    return [
        "## Learnt from several scalings at once",
        "",
        *markdown([*heads, *scalings.HEADS[4:]], lines, left=2),
        "",
        f"The last {100 * (1 - settings.LAST.until):.0f} % of {settings.ALL_SCALINGS} scalings to "
        f"{common.PROCESSORS:,} processors; the trainings have learnt from the first {share} of all of them, or of "
        "the first one with as many simulations. From the lowest to the highest of the seeds, and of the four other "
        f"scalings; the columns behind these are of the latter. *Distance*: `{settings.DISTANCE}` while they learnt, "
        "from an earlier trial on this log, not validated; *margin*: a distance that was validated on the jobs to "
        "learn from. Limits are kept or not as everywhere here, without a distance.",
        "",
        f"{settings.LAST_GAIN:g} % or more within the limits on the first scaling: {in_words(rows)}.",
        "",
    ]


def in_words(rows: Sequence[Row], least: int = 0) -> str:
    """Return how often each training gains what was wanted of it on the first scaling within the limits, in words.

    Only trainings that do so `least` times or more are named.
    """
    first = [row for row in rows if scalings.is_first(row)]
    counts = {
        policy: (sum(map(is_good, mine)), len(mine))
        for policy, mine in common.rows_by(first, lambda row: row["policy"]).items()
    }
    named = [f"`{policy}` in {good} of {tried}" for policy, (good, tried) in counts.items() if good >= least]
    return ", ".join(named) or "none of them"


def is_good(row: Row) -> bool:
    """Return whether a row of the last part gains what was wanted, and keeps the limits."""
    return float(row["objective_vs_easy"]) >= settings.LAST_GAIN and float(row["exceeded"]) == 0

"""How long a training lasts: what was learnt some tenths of a log earlier, beside what was learnt right before."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from statistics import mean

import common
import settings
from standings import Row, by_parts, is_kept

from paretosched.core.tables import markdown

HEADS = (
    "policy",
    "tenths later",
    "logs",
    "gain",
    "learnt right before",
    "limits kept",
    "learnt right before",
    "worst group",
    "learnt right before",
)


def section(rows: Sequence[Row], answer: str) -> list[str]:
    """Return the section about the age of trainings.

    Parameters
    ----------
    rows
        Those of `ages.csv` in which the objective is defined.
    answer
        The policy that the summary recommends.
    """
    lines = []
    for policy, mine in common.rows_by(rows, itemgetter("policy")).items():
        if policy == settings.EASY:
            continue
        for age in sorted({int(row["tenths"]) for row in mine} - {0}):
            old, fresh = pairs(mine, age)
            if old:
                both = zip(summary_of(old), summary_of(fresh), strict=True)
                logs = len({row["log"] for row in old})
                lines.append([policy, str(age), str(logs), *(cell for pair in both for cell in pair)])
    if not lines:
        return []
    return [
        "## How long a training lasts",
        "",
        *markdown(HEADS, lines, left=1),
        "",
        "Policies on tenths that come so many tenths after the one behind their training, beside those of the same "
        "kind that were trained right before the same tenths. Groups are those that were known at the training, of "
        "EASY, too; an untrained policy has older and newer groups. Gains are means over logs, limits kept and the "
        f"worst group are over tenths, all in the mean over seeds. A tenth has {weeks(rows)} weeks. What is older is "
        f"tried on fewer tenths, so that rows of different ages are not to be compared.{in_words(rows, answer)}",
        "",
    ]


def pairs(rows: Sequence[Row], age: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of one policy that are so many tenths old, and those learnt right before the same tenths."""
    fresh = common.rows_by((row for row in rows if row["tenths"] == "0"), itemgetter("log", "split"))
    old = [row for row in rows if int(row["tenths"]) == age and (row["log"], row["split"]) in fresh]
    places = dict.fromkeys((row["log"], row["split"]) for row in old)
    return old, [row for place in places for row in fresh[place]]


def summary_of(rows: Sequence[Row]) -> tuple[str, str, str]:
    """Return the mean gain over logs, in how many tenths limits were kept, and the mean gain of the worst group."""
    kept = by_parts(rows, is_kept)
    group = mean(by_parts(rows, common.worst_group))
    return f"{gain_of(rows):+.1f} %", f"{sum(kept):.1f} of {len(kept)}", f"{group:+.1f} %"


def gain_of(rows: Sequence[Row]) -> float:
    """Return the mean gain over logs of the rows of a policy."""
    of_logs = common.rows_by(rows, itemgetter("log")).values()
    return mean(mean(by_parts(here, lambda row: float(row["objective_vs_easy"]))) for here in of_logs)


def weeks(rows: Sequence[Row]) -> str:
    """Return how many weeks the tenths have, fewest to most."""
    of_tenths = [int(row["weeks"]) for row in rows]
    return f"{min(of_tenths)} to {max(of_tenths)}"


def in_words(rows: Sequence[Row], answer: str) -> str:
    """Return a sentence on what the recommended policy gains a tenth later, and if it is trained again."""
    old, fresh = pairs([row for row in rows if row["policy"] == answer], 1)
    if not old:
        return ""
    kept, kept_fresh = (summary_of(part)[1] for part in (old, fresh))
    return (
        f" One tenth later `{answer}` gains {gain_of(old):.1f} % (limits kept in {kept}), learnt right before "
        f"{gain_of(fresh):.1f} % ({kept_fresh})."
    )


def in_short(rows: Sequence[Row], answer: str) -> str:
    """Return the end of a sentence: what a policy gains a tenth later, and trained again."""
    old, fresh = pairs([row for row in rows if row["policy"] == answer], 1)
    if not old:
        return "how soon it must be trained again was not measured"
    gain, again = gain_of(old), gain_of(fresh)
    return f"a tenth of a log later ({weeks(rows)} weeks) it gains {gain:.1f} %, trained again {again:.1f} %"

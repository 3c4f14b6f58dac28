"""Policies on the last part of several scalings of a log, of which trained ones have learnt on the first scaling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

import common
import settings
from standings import Row, kept_of

from paretosched.core.tables import markdown

HEADS = (
    "log",
    "policy",
    "gain, first scaling",
    "other scalings",
    "AWRT",
    "worst group",
    "95 % wait",
    "limits kept",
)


def section(rows: Sequence[Row], answer: str) -> list[str]:
    """Return the section about other scalings.

    Parameters
    ----------
    rows
        Those of `scalings.csv` in which the objective is defined.
    answer
        The policy that the summary recommends.
    """
    others = [row for row in rows if not is_first(row)]
    if not others:
        return []
    lines = []
    for log in dict.fromkeys(row["log"] for row in others):
        for policy in dict.fromkeys(row["policy"] for row in others if row["log"] == log):
            first, mine = (
                [row for row in part if (row["log"], row["policy"]) == (log, policy)]
                for part in ([row for row in rows if is_first(row)], others)
            )
            if any(row["seed"] for row in mine) or mean(float(row["objective_vs_easy"]) for row in mine) > 0:
                lines.append([log, policy, *cells(first, mine)])
    scalings = len({row["scaling"] for row in others})
    return [
        "## On other scalings",
        "",
        *markdown(HEADS, lines, left=2),
        "",
        f"The last {100 * (1 - settings.LAST.until):.0f} % of logs that are scaled to {common.PROCESSORS:,} "
        f"processors, {scalings} scalings beside the first one: the lowest and the highest of them, and of the seeds "
        "of trainings; the 95 % wait is the longest of a group as a multiple of EASY's, the largest of all. The "
        f"trained policies have learnt on the first scaling of {', '.join(settings.SCALED)}, from its first "
        f"{100 * settings.LAST.until:.0f} %; untrained ones that gain nothing in the mean are left out. Groups are by "
        "what users consumed before that part in the same scaling. A scaling has the same jobs, other copies of them, "
        f"and so is no other year. {settings.CHOICE}",
        "",
        *in_words(others, answer),
    ]


def is_first(row: Row) -> bool:
    """Return whether a row is of the scaling that trainings have learnt on."""
    return int(row["scaling"]) == common.SCALING_SEED


def cells(first: Iterable[Row], others: Sequence[Row]) -> list[str]:
    """Return the cells of a policy: its gain on the first scaling, and what it reaches on the others."""
    worst = [common.worst_group(row) for row in others]
    return [
        span(list(first)),
        span(others),
        common.low_to_high(others, "AWRT_vs_easy", 1),
        f"{min(worst):+.0f} to {max(worst):+.0f} %",
        f"{max(map(common.longest_wait, others)):.2f}",
        kept_of(others),
    ]


def span(rows: Sequence[Row]) -> str:
    """Return the lowest and the highest gain of some rows; of one row its gain."""
    if len(rows) == 1:
        return f"{float(rows[0]['objective_vs_easy']):+.1f} %"
    return common.low_to_high(rows, "objective_vs_easy", 1)


def in_words(others: Sequence[Row], answer: str) -> list[str]:
    """Return how often the recommended policy keeps the limits on other scalings, and which ones do so most often."""
    of_answer = [row for row in others if row["policy"] == answer]
    sentences = [f"`{answer}` keeps the limits in {kept_of(of_answer)}."] if of_answer else []
    trained = [row for row in others if row["seed"]]
    untrained = [row for row in others if not row["seed"]]
    for kind, mine in (("untrained", untrained), ("trained", trained)):
        by_policy: dict[str, list[Row]] = {}
        for row in mine:
            by_policy.setdefault(row["policy"], []).append(row)
        gaining = {name: of_one for name, of_one in by_policy.items() if gain_of(of_one) >= settings.LEAST_GAIN}
        if gaining:
            best = max(gaining, key=lambda name: (share_kept(gaining[name]), gain_of(gaining[name])))
            sentences.append(
                f"Of {kind} policies that gain {settings.LEAST_GAIN:g} % or more, `{best}` does so most often: in "
                f"{kept_of(gaining[best])} cases, with a gain of {gain_of(gaining[best]):.1f} % in the mean."
            )
    return [" ".join(sentences), ""]


def gain_of(rows: Iterable[Row]) -> float:
    """Return the mean gain of some rows."""
    return mean(float(row["objective_vs_easy"]) for row in rows)


def share_kept(rows: Iterable[Row]) -> float:
    """Return the share of some rows in which the limits were kept."""
    return mean(float(row["exceeded"]) == 0 for row in rows)

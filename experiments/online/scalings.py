"""Policies on the last part of scalings of a log: learnt on the first scaling, or on the log as it was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import mean

import common
import settings
from common import gain_of
from standings import Row, as_easy, kept_of

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
    rows = [row for row in rows if not is_larger(row)]
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


def larger_section(rows: Sequence[Row]) -> list[str]:
    """Return the section about guarded orders on machines larger than the one that they have learnt on."""
    mine = [row for row in rows if is_larger(row) and row["policy"] != settings.EASY]
    if not mine:
        return []
    lines = []
    for (log, policy), here in common.rows_by(mine, lambda row: (row["log"], row["policy"])).items():
        firsts = [float(row[f"{name}_vs_easy"]) for row in here for name in settings.FIRST]
        scalings = len({row["scaling"] for row in here if not float(row["exceeded"])})
        lines.append([log, policy, *cells_of(here), f"{min(firsts):+,.0f} %", str(scalings)])
    scalings = len({row["scaling"] for row in mine})
    return [
        "## On a larger machine than the one learnt on",
        "",
        *markdown(
            [*HEADS[:2], "gain", *HEADS[4:], "a first group at worst", "scalings with limits kept"], lines, left=2
        ),
        "",
        f"The last {100 * (1 - settings.LAST.until):.0f} % of logs, scaled to {common.PROCESSORS:,} processors, "
        f"{scalings} scalings of each, lowest to highest of them and of the seeds. The trained policies have learnt "
        f"from the first {100 * settings.LAST.until:.0f} % of the log as it was recorded, so that they know neither "
        "the machine nor its users, each of whom is there several times. The first groups are those of the objective. "
        "The last column: in how many of the scalings any seed keeps the limits. So a policy is to be tried on "
        "a log of the machine on which it will run.",
        "",
    ]


def larger_in_short(rows: Sequence[Row], policy: str) -> str:
    """Return the end of a sentence: how often limits break on larger machines, and what a first group loses."""
    mine = [row for row in rows if is_larger(row) and row["policy"] == policy]
    if not mine:
        return ""
    broken = sum(float(row["exceeded"]) > 0 for row in mine)
    loss, log = min((float(row[f"{name}_vs_easy"]), row["log"]) for row in mine for name in settings.FIRST)
    words = f"on larger machines in {broken} of {len(mine)}"
    return f"{words} ({log}: a first group loses up to {-loss:,.0f} %)" if loss < 0 else words


def is_larger(row: Row) -> bool:
    """Return whether a row is of a scaling that is larger than what its policies have learnt on."""
    return row["log"] in {**settings.LARGER, **settings.QUICK_LARGER}


def is_first(row: Row) -> bool:
    """Return whether a row is of the scaling that trainings have learnt on."""
    return int(row["scaling"]) == common.SCALING_SEED


def cells(first: Iterable[Row], others: Sequence[Row]) -> list[str]:
    """Return the cells of a policy: its gain on the first scaling, and what it reaches on the others."""
    return [span(list(first)), *cells_of(others)]


def cells_of(others: Sequence[Row]) -> list[str]:
    """Return the cells of a policy: what it reaches, lowest to highest."""
    worst = [common.worst_group(row) for row in others]
    return [
        span(others),
        common.low_to_high(others, "AWRT_vs_easy", 1),
        f"{min(worst):+.0f} to {max(worst):+.0f} %",
        f"{max(map(common.longest_wait, others)):.2f}",
        kept_but_idle(others),
    ]


def kept_but_idle(rows: Sequence[Row], noun: str = "") -> str:
    """Return in how many of some rows the limits were kept, and in how many of these because nothing was done."""
    idle = as_easy(rows)
    return kept_of(rows) + noun + (f" ({idle} with EASY's own schedule)" if idle else "")


def span(rows: Sequence[Row]) -> str:
    """Return the lowest and the highest gain of some rows; of one row its gain."""
    if len(rows) == 1:
        return f"{float(rows[0]['objective_vs_easy']):+.1f} %"
    return common.low_to_high(rows, "objective_vs_easy", 1)


def in_words(others: Sequence[Row], answer: str) -> list[str]:
    """Return how often the recommended policy keeps the limits on other scalings, and which ones do so most often."""
    of_answer = [row for row in others if row["policy"] == answer]
    sentences = []
    if of_answer:
        sentences.append(
            f"`{answer}` keeps the limits in {kept_but_idle(of_answer)}, with a gain of {gain_of(of_answer):.1f} % in "
            "the mean."
        )
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
                f"{kept_but_idle(gaining[best], ' cases')}, with a gain of {gain_of(gaining[best]):.1f} % in the mean."
            )
    return [" ".join(sentences), ""]


def share_kept(rows: Iterable[Row]) -> float:
    """Return the share of some rows in which the limits were kept."""
    return mean(float(row["exceeded"]) == 0 for row in rows)

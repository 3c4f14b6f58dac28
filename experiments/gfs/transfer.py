"""The rules of CTC against the front of CTC, and on the other logs: figures 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import common
import settings
from reading import GROUPS, KINDS, TABLE, Row, best_untrained, gain_of, gains_alone, title
from weeks import in_brackets, of_transfer_row, verdict

from paretosched.core.tables import markdown

POLICIES = (*(f"{kind} rules of CTC" for kind in KINDS), settings.UNSEEN)  # of figure 7
SHOWN = tuple(name for name in TABLE if name not in ("UTIL", "objective"))
IDEAL = "ideal point"  # no schedule
OTHERS = ("AWRT3", "AWRT4", "AWRT5")  # that are not in the objective
LIMIT = -25.0  # per cent: what such a group may lose within the limits of results/greedy, where AWRT may not lose


class Ends(NamedTuple):
    """Where ways from EASY may end on CTC, per cent below EASY: the best known within the limits, and the bound."""

    run: str
    within: float
    bound: float


def ends_of_ways() -> Ends | None:
    """Return what results/greedy and results/bounds know of the objective on CTC; None if they do not."""
    results = common.ROOT / "results"
    known = [row for row in common.rows(results / "greedy" / "known.csv") if row["best_within"]]
    bounds = [
        float(row["programme"])
        for row in common.rows(results / "bounds" / "logs.csv")
        if (row["log"], row["as"], row["wish"]) == ("CTC", str(common.PROCESSORS), "10 and 4")
    ]
    if not known or not bounds:
        return None
    best = max(known, key=lambda row: float(row["best_within"]))
    return Ends(best["run"], float(best["best_within"]), bounds[0])


def beyond_limits(row: Row) -> str:
    """Return what a schedule loses beyond the limits, as text; "kept" if it is within them."""
    losses = {name: float(row[f"{name}_vs_easy"]) for name in ("AWRT", *OTHERS)}
    beyond = [f"{name} {loss:+,.1f} %" for name, loss in losses.items() if loss < (0 if name == "AWRT" else LIMIT)]
    return f"**not kept**: {', '.join(beyond)}" if beyond else "kept"


def positions(rows: Sequence[Row], ends: Ends | None) -> list[str]:
    """Return the section about policies and the front of CTC: figure 6."""
    lines = []
    for row in rows:
        is_schedule = bool(row["objective_vs_easy"]) and row["policy"] != IDEAL
        above = f"{int(float(row['dominated_by'])):,} of {int(row['front']):,}" if row["dominated_by"] else ""
        values = [f"{float(row[name]) / 3600:.2f}" if row[name] else "" for name in GROUPS]
        gain = f"{gain_of(row):+.1f} %" if row["objective_vs_easy"] else ""
        kept = beyond_limits(row) if is_schedule and row["AWRT_vs_easy"] else ""
        shares = [f"{100 * gain_of(row) / end:.0f} %" for end in ends[1:]] if ends and is_schedule else ["", ""]
        lines.append([row["policy"], gain, kept, *(shares if ends else []), above, *values])
    heads = ["policy", "objective", "limits", *(["to the best within them", "to the proved bound"] if ends else [])]
    heads += ["dominated by", *(f"{name}, h" for name in GROUPS)]
    policies = [row for row in rows if row["dominated_by"] and row["policy"] != "EASY"]
    keeping = [row["policy"] for row in policies if beyond_limits(row) == "kept"]
    ways = (
        "To the best within them, and to the proved bound: how much of the way from EASY. The best known "
        f"schedule within the limits is {ends.within:.1f} % better than EASY in the objective (run {ends.run} of "
        "[results/greedy](../greedy/summary.md), which knows the future); no schedule is more than "
        f"{ends.bound:.1f} % better, with or without limits ([results/bounds](../bounds/summary.md)). For a policy "
        "that does not keep the limits the first share says how large its gain is, not that it comes near: others pay "
        f"for it. Of {len(policies)} policies {len(keeping)} keep{'s' * (len(keeping) == 1)} them"
        f"{': ' * bool(keeping)}{', '.join(keeping)}. "
        if ends
        else ""
    )
    return [
        "## Figure 6: positions against the front of CTC",
        "",
        *markdown(heads, lines, left=1),
        "",
        f"The limits are those of paper 000's page: AWRT no longer than EASY's, and no group that is not in the "
        f"objective by more than {-LIMIT:g} %; the objective itself has none. {ways}In the rows best of "
        "each every response time is the shortest of the whole front, each from a schedule of its own: no schedule has "
        f"them all.{starving(rows)}",
        "",
        f"{', '.join(settings.BY_PRIORITY)}: the strategies of the thirteen that put groups 1 and 2 first, always; "
        "nobody trained them. The front is the merged one of Table 4 of [results/ci190_05](../ci190_05/summary.md), "
        "offline searches included; other runs there know schedules beyond it. The paper: iterative "
        'rules improve both, symbiotic ones "almost reach the front".',
        "",
        "![figure 6](figures/figure6.png)",
        "",
    ]


def starving(rows: Sequence[Row]) -> str:
    """Return a sentence about what the front's schedule with the best objective costs; empty if it costs little."""
    for row in rows:
        if row["policy"] == "nearest to the objective" and row["AWRT_vs_easy"]:
            days = {name: float(row[name]) / 86400 for name in OTHERS if float(row[name]) > 10 * 86400}
            if days:
                return (
                    " No way is measured to the schedule of the front with the best objective (nearest to the "
                    f"objective): there {', '.join(days)} are {min(days.values()):.0f} to {max(days.values()):.0f} "
                    "days."
                )
    return ""


def on_every_log(rows: Sequence[Row], alone: Sequence[Row], weeks: Sequence[Row]) -> list[str]:
    """Return the section about the rules of CTC on every log, beside a strategy that nobody trained: figure 7.

    `weeks` has the intervals of the gains on the other logs.
    """
    best_of_ctc, _ = best_untrained(alone, "CTC")
    beside = {log: gains_alone(alone, log)[best_of_ctc] for log in dict.fromkeys(row["log"] for row in rows)}
    lines = []
    for policy in POLICIES:
        for row in (row for row in rows if row["policy"] == policy):
            better = "better" if gain_of(row) > beside[row["log"]]["objective"] else "**not better**"
            shown, of_weeks = cells(gains_of(row)), of_transfer_row(weeks, policy, row["log"])
            if of_weeks:
                shown[0] += in_brackets(of_weeks, "objective", 1)
                shown[1] += in_brackets(of_weeks, "AWRT", 1)
                better += "" if verdict([of_weeks]) in ("yes", "no", "-") else ", not told apart"
            lines.append([policy, title(row["log"]), *shown, better])
    lines += [[f"{best_of_ctc}, always", title(log), *cells(gains), ""] for log, gains in beside.items()]
    heads = ["policy", "log", "objective", *SHOWN, "worse than EASY in"]
    return [
        "## Figure 7: trained on CTC, applied to the others",
        "",
        *markdown([*heads, f"objective, than {best_of_ctc}"], lines, left=2),
        "",
        "Gains over EASY; in brackets 90 % intervals by a block bootstrap over the weeks of a log that the rules have "
        "not seen. Not told apart: the interval of the gain over that strategy, in the same draws, has zero in it. "
        f"{of_transfer(rows)}",
        "",
        f"Beside them what is not trained: {best_of_ctc}, the best strategy on CTC, always. EASY where unseen: a "
        "situation that CTC never had keeps FCFS by wait in algorithm 2 of the paper, because there any strategy is as "
        "good; with `train --unseen 'easy by wait'` it takes EASY by wait, which is the same policy on CTC.",
        "",
        'The paper prints no numbers: "it achieves good results", of the objective. Rules fit the log that they were '
        "trained on: its owner should train on that, or on several logs at once, and with limits.",
        "",
        common.chart("figure7") + " It has the objective only.",
        "",
    ]


def gains_of(row: Row) -> dict[str, float]:
    """Return the gains of a row of a comparison over EASY, per cent, by name."""
    return {"objective": gain_of(row), **{name: float(row[f"{name}_vs_easy"] or "nan") for name in SHOWN}}


def cells(gains: Mapping[str, float]) -> list[str]:
    """Return the cells of the gains of a policy on a log: the objective, AWRT and the groups, and what is worse."""
    shown = [f"{gains['objective']:+.2f} %", *(f"{gains[name]:+,.1f} %" for name in SHOWN)]
    worse = [name for name in ("objective", *SHOWN) if gains[name] < 0]
    return [*shown, ", ".join(worse) or "nothing"]


def elsewhere(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of the rules of CTC on other logs."""
    return [row for row in rows if row["policy"] in POLICIES and row["log"] != "CTC"]


def of_transfer(rows: Sequence[Row]) -> str:
    """Return in words what the rules of CTC cost on the other logs, where the objective is better and where not."""
    others = elsewhere(rows)
    better = [row for row in others if gain_of(row) > 0]
    slower = [row for row in others if float(row["AWRT_vs_easy"]) < 0]
    words = []
    for row in better:
        gains = gains_of(row)
        worst = min(GROUPS, key=lambda name: gains[name])
        words.append(
            f"{row['policy']} on {title(row['log'])} ({gains['objective']:+.1f} %, but AWRT {gains['AWRT']:+,.1f} % "
            f"and {worst} {gains[worst]:+,.1f} %)"
        )
    return (
        f"On the other logs, LANL both ways, the objective is better than EASY's in {len(better)} of {len(others)} "
        f"cases, and AWRT worse in {len(slower)} of {len(others)}"
        + (f": where the objective is better, others pay: {'; '.join(words)}." if words else ".")
    )

"""Logs of 2013 to 2023: what `train` without a class chose there, and what the best class would gain."""

from __future__ import annotations

from collections.abc import Sequence

import common
import settings
from standings import Row

from paretosched.core.tables import markdown

CLASSES = tuple(learner.name for learner in settings.UNSEEN_LEARNERS if learner.name != settings.NO_CLASS)


def section(rows: Sequence[Row]) -> list[str]:
    """Return the section about these logs, from the rows of `unseen.csv`; nothing without them."""
    if not rows:
        return []
    lines = [
        [
            row["log"],
            row["policy"] + (f": {row['chosen']}" if row["chosen"] else ""),
            f"{float(row['objective_vs_easy']):+.1f} %",
            f"{100 * float(row['exceeded']):.1f} %",
            f"{float(row['AWRT_vs_easy']):+.1f} %",
            f"{common.worst_group(row):+.1f} %",
        ]
        for row in rows
    ]
    heads = ["log", "policy", "gain", "limits exceeded by", "AWRT", "worst group"]
    efforts = "; ".join(
        f"{one.name} {' '.join(f'{key} {value}' for key, value in one.settings.items())}"
        for one in settings.UNSEEN_LEARNERS
        if one.settings
    )
    share = f"{100 * settings.LAST.until:.0f} %"
    logs = dict.fromkeys(row["log"] for row in rows)
    alone = [log for log in logs if all(not row["seed"] for row in rows if row["log"] == log)]
    return [
        "## Later logs",
        "",
        *markdown(heads, lines, left=2),
        "",
        f"Learnt from the first {share}, tried on the rest, one seed. *{settings.NO_CLASS}*: what `paretosched train` "
        "does without `--class`: rolling validation inside the jobs to learn from chooses a class, or leaves EASY. The "
        f"classes beside it have the same effort: {efforts}. The rule, its shares and its efforts were made with parts "
        "of KTH and all of Theta in view; the other logs here were run once, after that. UB CCR is one pool here, "
        "without its nodes, memory and GPUs.",
        "",
        *([f"{', '.join(alone)}: nothing is trained yet.", ""] if alone else []),
        *([f"{in_words(rows)}.", ""] if any(row["policy"] == settings.NO_CLASS for row in rows) else []),
    ]


def in_short(rows: Sequence[Row]) -> str:
    """Return for the first lines what guarded orders and the choice of a class gain on these logs; "" without these."""
    logs = [row["log"] for row in rows if row["policy"] == settings.NO_CLASS]
    tried = [row for row in rows if row["log"] in logs]
    gains = [[gain_of(row) for row in tried if row["policy"] == one] for one in (CLASSES[0], settings.NO_CLASS)]
    guarded, chosen = (", ".join(of_policy) for of_policy in gains)
    return f"on {', '.join(logs)} guarded gains {guarded} %, `train` {chosen} %" if logs else ""


def gain_of(row: Row) -> str:
    """Return the gain of a row in per cent, and whether the limits are broken."""
    return f"{float(row['objective_vs_easy']):+.1f}{' (outside)' * (float(row['exceeded']) > 0)}"


def in_words(rows: Sequence[Row]) -> str:
    """Return what held on these logs: what was chosen, and what the best class within the limits gains there."""
    parts, kept, near = [], 0, 0
    chosen_on = {row["log"] for row in rows if row["policy"] == settings.NO_CLASS}
    by_log = common.rows_by([row for row in rows if row["log"] in chosen_on], lambda row: row["log"])
    for log, mine in by_log.items():
        (chosen,) = (row for row in mine if row["policy"] == settings.NO_CLASS)
        gain, best = float(chosen["objective_vs_easy"]), best_class(mine)
        kept += float(chosen["exceeded"]) == 0
        near += best is None or gain >= float(best["objective_vs_easy"]) - settings.CLOSE
        beside = "no class keeps the limits" if best is None else f"at best {float(best['objective_vs_easy']):+.1f}"
        parts.append(f"{log} {chosen['chosen']} {gain:+.1f} % ({beside})")
    return (
        f"On these logs training without a class takes {', '.join(parts)}: limits kept on {kept} of {len(by_log)}, "
        f"within {settings.CLOSE:g} point of the best class that keeps them on {near}"
    )


def best_class(rows: Sequence[Row]) -> Row | None:
    """Return the class that gains most on a log within the limits, in hindsight; None if none keeps them."""
    able = [row for row in rows if row["policy"] in CLASSES and float(row["exceeded"]) == 0]
    return max(able, key=lambda row: float(row["objective_vs_easy"]), default=None)

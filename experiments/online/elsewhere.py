"""The learner that is chosen on the other logs alone, and what it reaches on the log left out."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

import run
import settings
from standings import ROLLING, Row, gains_by_log, safest_of, standings_of

from paretosched.core.tables import markdown


class Elsewhere(NamedTuple):
    """The learner that is chosen on all logs but one, and what it does on that one: gain, parts kept, and parts."""

    log: str
    policy: str
    gain: float
    kept: int
    parts: int


def chosen_elsewhere(rows: Sequence[Row]) -> list[Elsewhere]:
    """Return for each log the learner that keeps the limits most often on the others, and what it does there."""
    rolling = [row for row in rows if row["split"] in ROLLING]
    found = []
    for log in dict.fromkeys(row["log"] for row in rolling):
        safest = safest_of(standings_of([row for row in rolling if row["log"] != log]))
        if safest:
            mine = [row for row in rolling if row["log"] == log and row["policy"] == safest.policy]
            kept = sum(float(row["exceeded"]) == 0 for row in mine)
            found.append(Elsewhere(log, safest.policy, gains_by_log(mine, safest.policy)[log], kept, len(mine)))
    return found


def chosen_in_words(rows: Sequence[Row]) -> str:
    """Return the end of a sentence: what the learner reaches that is chosen on the other logs alone."""
    found = chosen_elsewhere(rows)
    if not found:
        return "."
    learners = len({row["policy"] for row in rows if row["part"] == run.TRAINED})
    return (
        f". The trained one is chosen of {learners} on these parts; chosen on the other logs alone, it gains "
        f"{mean(one.gain for one in found):+.1f} % on the one left out, in the mean, and keeps the limits in "
        f"{sum(one.kept for one in found)} of {sum(one.parts for one in found)}."
    )


def left_out_logs(rows: Sequence[Row]) -> list[str]:
    """Return the section about the learner that is chosen on all logs but one."""
    found = chosen_elsewhere(rows)
    if not found:
        return []
    lines = [[one.log, one.policy, f"{one.gain:+.1f} %", f"{one.kept} of {one.parts}"] for one in found]
    return [
        "## The learner chosen on the other logs",
        "",
        *markdown(["log left out", "chosen on the others", "gain on it", "limits kept on it"], lines, left=2),
        "",
        f"Chosen: of the trained policies that gain {settings.LEAST_GAIN:g} % or more on the other logs, the one that "
        "keeps the limits most often there. That rule was made with all logs in view.",
        "",
    ]

"""How trained policies do elsewhere: chosen on the other logs alone, and in groups that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import NamedTuple

import common
import run
import settings
from standings import ROLLING, Row, Standing, gains_by_log, idle_logs, kept_of, place, safest_of, standings_of

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
        f". The trained one is chosen of {learners} on these parts; if it is chosen on the other logs alone, it gains "
        f"{mean(one.gain for one in found):+.1f} % in the mean over the logs left out, and keeps the limits in "
        f"{sum(one.kept for one in found)} of {sum(one.parts for one in found)}."
    )


def known_in_words(known: Sequence[Row], safest: Standing | None) -> str:
    """Return a part of a sentence: what a policy reaches in the groups that are known where the learning ends."""
    mine = [row for row in known if safest is not None and row["policy"] == safest.policy]
    if not mine or safest is None:
        return ""
    idle = idle_logs(mine)
    busy = [row for row in mine if row["log"] not in idle]
    without = f" ({kept_of(busy)} without {', '.join(idle)})" if idle else ""
    return (
        f"; tested in the groups that are known where the learning ends, `{safest.policy}` gains "
        f"{mean(gains_by_log(mine, safest.policy).values()):+.1f} % and keeps the limits in {kept_of(mine)}{without}"
    )


def in_known_groups(known: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    """Return the section about trained policies in the groups that are known where the learning ends."""
    lines = []
    places = {place(row) for row in known}
    for policy in dict.fromkeys(row["policy"] for row in known):
        cells = [policy]
        for some in (known, [row for row in rows if place(row) in places]):
            mine = [row for row in some if row["policy"] == policy and row["split"] in ROLLING]
            busy = [row for row in mine if row["log"] not in idle_logs(known)]
            gain = mean(gains_by_log(mine, policy).values())
            group = mean(map(common.worst_group, mine))
            cells += [f"{gain:+.1f} %", kept_of(mine), kept_of(busy), f"{group:+.1f} %"]
        lines.append(cells)
    if not lines:
        return []
    moved = [float(row["moved"]) for row in known]
    names = ("gain", "limits kept", "without idle logs", "worst group")
    heads = [f"{when}: {name}" for when in ("known groups", "whole log") for name in names]
    return [
        "## In the groups that are known where the learning ends",
        "",
        *markdown(["policy", *heads], lines, left=1),
        "",
        f"The same policies on the same {len(places)} tenths: in groups by what users consumed before the tenth, those "
        "who are new in the last group; and in the groups of the whole log, as in the other tables. From "
        f"{min(moved):.0f} to {max(moved):.0f} % of the jobs of a tenth are in another group, so that the sums are of "
        "other jobs. The policies have learnt in the groups of the whole log: what training in known groups gives has "
        "not been tried. Idle logs: "
        f"{', '.join(idle_logs(known)) or 'none'}.",
        "",
    ]


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

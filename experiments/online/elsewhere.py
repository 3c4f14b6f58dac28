"""What is chosen on other logs than the one it is tried on, and what is left where a log had a part in a choice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import mean
from typing import NamedTuple

import common
import settings
from standings import (
    ROLLING,
    Row,
    Standing,
    best_of,
    by_parts,
    gains_by_log,
    idle_logs,
    is_kept,
    kept_of,
    safest_of,
    standings_of,
)

from paretosched.core.tables import markdown
from paretosched.policies.guarded import Guarded

Choice = Callable[[Iterable[Standing]], Standing | None]


class Elsewhere(NamedTuple):
    """The policy that is chosen on all logs but one, and its rows on that one."""

    log: str
    policy: str
    rows: list[Row]

    @property
    def gain(self) -> float:
        """Return its mean gain on the log that was left out."""
        return gains_by_log(self.rows, self.policy)[self.log]


def chosen_elsewhere(rows: Sequence[Row], choose: Choice) -> list[Elsewhere]:
    """Return for each log the policy that a rule chooses on the others, with what it does there."""
    rolling = [row for row in rows if row["split"] in ROLLING]
    found = []
    for log in dict.fromkeys(row["log"] for row in rolling):
        chosen = choose(standings_of([row for row in rolling if row["log"] != log]))
        if chosen:
            mine = [row for row in rolling if row["log"] == log and row["policy"] == chosen.policy]
            found.append(Elsewhere(log, chosen.policy, mine))
    return found


def total_of(found: Sequence[Elsewhere]) -> str:
    """Return in words what is gained on the logs left out, in the mean over logs, and how often limits were kept."""
    return f"{mean(one.gain for one in found):.1f} %, kept in {parts_kept([row for one in found for row in one.rows])}"


def parts_kept(rows: Sequence[Row]) -> str:
    """Return in how many parts of logs the limits were kept, of a policy with several seeds in the mean over them."""
    shares = by_parts(rows, is_kept)
    kept = sum(shares)
    return f"{kept:.0f} of {len(shares)}" if kept == round(kept) else f"{kept:.1f} of {len(shares)}"


def left_out_logs(rows: Sequence[Row]) -> list[str]:
    """Return the section about policies that are chosen on all logs but one."""
    rules: tuple[tuple[str, Choice], ...] = (("all", best_of), ("trained", safest_of))
    lines = []
    for name, choose in rules:
        found = chosen_elsewhere(rows, choose)
        lines += [[name, one.log, one.policy, *cells_of(one.gain, one.rows)] for one in found]
        if found:
            mine, policies = [row for one in found for row in one.rows], {one.policy for one in found}
            words = "the same" if len(policies) == 1 else f"{len(policies)} policies"
            gain = mean(one.gain for one in found)
            lines.append([name, "each in turn", words, *cells_of(gain, mine, idle_logs(rows))])
    if not lines:
        return []
    others = [row for row in rows if not row["policy"].startswith(Guarded.rule)]
    without = chosen_elsewhere(others, best_of)
    named = ", ".join(f"`{policy}`" for policy in dict.fromkeys(one.policy for one in without))
    heads = ["chosen of", "log left out", "chosen on the others", "gain on it", "parts with limits kept", "AWRT"]
    return [
        "## Chosen on the other logs",
        "",
        *markdown([*heads, "worst group", "at worst"], lines, left=3),
        "",
        f"Chosen of all policies: the one that gains most of those that keep the limits in {100 * settings.KEPT:.0f} % "
        f"of the parts of the other logs; of trained ones, of those that gain {settings.LEAST_GAIN:g} % or more there, "
        "the one that keeps the limits most often. Both rules were made with all logs in view, and so were guarded "
        f"orders: of all others the first rule chooses {named}. Every part counts once, in the mean over seeds.",
        "",
    ]


def cells_of(gain: float, rows: Sequence[Row], idle: Sequence[str] = ()) -> list[str]:
    """Return the cells of what is reached on the logs that were left out; `idle` are those on which nobody waits.

    Every part counts once: what was trained with five seeds does not count five times beside what needs no training.
    """
    awrt = mean(by_parts(rows, lambda row: float(row["AWRT_vs_easy"])))
    group, lowest = mean(by_parts(rows, common.worst_group)), min(map(common.worst_group, rows))
    kept = parts_kept(rows)
    if idle:
        kept += f" ({parts_kept([row for row in rows if row['log'] not in idle])} without {', '.join(idle)})"
    return [f"{gain:+.1f} %", kept, f"{awrt:+.1f} %", f"{group:+.1f} %", f"{lowest:+.1f} %"]


def without_the_chosen_on(rows: Sequence[Row], standings: Sequence[Standing]) -> list[str]:
    """Return the section about how policies stand without the log on which settings of trainings were chosen."""
    others = [row for row in rows if row["log"] != settings.CHOSEN_ON and row["split"] in ROLLING]
    if not others or all(row["log"] != settings.CHOSEN_ON for row in rows):
        return []
    on_others = {standing.policy: standing for standing in standings_of(others)}
    best, safest, before = best_of(on_others.values()), safest_of(on_others.values()), safest_of(standings)
    shown = {one.policy for one in (best_of(standings), best) if one}
    lines = [
        [
            standing.policy,
            *(f"{a} / {b}" for a, b in zip(cells(standing), cells(on_others[standing.policy]), strict=True)),
        ]
        for standing in standings
        if standing.is_trained or standing.policy in shown
    ]

    def words_of(standing: Standing) -> str:
        mine = [row for row in others if row["policy"] == standing.policy]
        return f"`{standing.policy}` ({standing.gain:+.1f} %, limits kept in {kept_of(mine)})"

    words = f"the best policy is {words_of(best)}" if best else "no policy keeps the limits so often"
    if safest:
        words += (
            f"; of trained ones that gain {settings.LEAST_GAIN:g} % or more {words_of(safest)} keeps them most often"
        )
        if before and before.policy != safest.policy:
            words += f", and not {words_of(on_others[before.policy])}"
    return [
        f"## Without {settings.CHOSEN_ON}",
        "",
        *markdown(["policy", "gain", "limits kept", "AWRT", "worst group"], lines, left=1),
        "",
        f"With {settings.CHOSEN_ON} / without it. {settings.CHOICE} Without {settings.CHOSEN_ON} {words}.",
        "",
    ]


def cells(standing: Standing) -> list[str]:
    """Return what a policy gains, how often it keeps the limits, and what AWRT and the worst group gain."""
    kept = f"{100 * standing.within_limits:.0f} %"
    return [f"{standing.gain:+.1f} %", kept, f"{standing.overall:+.1f} %", f"{standing.group:+.1f} %"]

"""How sure the choice of a policy is: seeds that agree, parts or logs drawn again, other shares of limits kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

import common
import numpy as np
from standings import Row, Standing, best_of, by_parts, is_kept, tenths_of

from paretosched.core.tables import markdown

DRAWS, SEED = 10_000, 2026  # of parts, or of logs
INNER = (5, 95)  # per cent, the ends of an interval of 90 %
SHARES = (0.8, 0.85, 0.9, 0.95, 1.0)  # of the parts in which limits must be kept

Parts = Mapping[str, np.ndarray]  # of each log, a value of every part
Interval = tuple[float, float]


class Difference(NamedTuple):
    """How much more one policy gains than another: the mean over logs, and its intervals if parts or logs are drawn."""

    mean: float
    by_log: dict[str, float]
    over_parts: Interval
    over_logs: Interval


def parts_of(rows: Sequence[Row], policy: str, value: Callable[[Row], float]) -> Parts:
    """Return a value of a policy on every part of every log, the mean of its seeds, in the order of the parts."""
    mine = tenths_of(rows, policy)
    mine.sort(key=itemgetter("split"))
    return {log: np.array(by_parts(here, value)) for log, here in common.rows_by(mine, itemgetter("log")).items()}


def gain(row: Row) -> float:
    """Return what is gained over EASY, per cent."""
    return float(row["objective_vs_easy"])


def difference(rows: Sequence[Row], policy: str, other: str) -> Difference:
    """Return how much more a policy gains than another one, on the same parts."""
    mine, theirs = (parts_of(rows, name, gain) for name in (policy, other))
    apart = {log: mine[log] - theirs[log] for log in mine}
    of_logs = np.array([part.mean() for part in apart.values()])
    rng = np.random.default_rng(SEED)
    drawn = np.mean([rng.choice(part, (DRAWS, part.size)).mean(axis=1) for part in apart.values()], axis=0)
    other_logs = rng.choice(of_logs, (DRAWS, of_logs.size)).mean(axis=1)
    by_log = dict(zip(apart, of_logs.tolist(), strict=True))
    return Difference(float(of_logs.mean()), by_log, ends(drawn), ends(other_logs))


def share_kept(rows: Sequence[Row], policy: str) -> Interval:
    """Return the interval of the share of parts in which a policy keeps the limits, if the parts are drawn again."""
    every = np.concatenate([*parts_of(rows, policy, is_kept).values()])
    return ends(np.random.default_rng(SEED).choice(every, (DRAWS, every.size)).mean(axis=1))


def ends(values: np.ndarray) -> Interval:
    """Return the ends of the inner nine tenths of some values."""
    low, high = np.percentile(values, INNER).tolist()
    return low, high


def in_words(found: Difference, other: str) -> str:
    """Return how much more a policy gains than another one, with its intervals, in a few words."""
    parts, logs = (f"{low:+.1f} to {high:+.1f}" for low, high in (found.over_parts, found.over_logs))
    return f"{found.mean:+.1f} points against `{other}` (90 %: {parts} over parts, {logs} over logs)"


def section(rows: Sequence[Row], standings: Sequence[Standing], best: Standing, plain: Standing) -> list[str]:
    """Return the section about how sure the choice is.

    Parameters
    ----------
    rows
        The rows of all policies.
    standings
        How they stand.
    best, plain
        The policy that is recommended, and the best one of those that need no training.
    """
    kept = np.concatenate([*parts_of(rows, best.policy, is_kept).values()])
    always, never = int((kept == 1).sum()), int((kept == 0).sum())
    low, high = share_kept(rows, best.policy)
    seeds = " with all seeds" if best.is_trained else ""
    lines = [
        "## How sure this choice is",
        "",
        f"Seeds are not independent of each other: `{best.policy}` keeps the limits{seeds} in {always} of the "
        f"{kept.size} parts, in none of them in {never}, and in the mean over seeds in {kept.sum():.1f} "
        f"({100 * kept.mean():.0f} %; if the parts are drawn again, {100 * low:.0f} to {100 * high:.0f} % in nine of "
        "ten draws).",
        "",
    ]
    if best.policy != plain.policy:
        found = difference(rows, best.policy, plain.policy)
        of_logs = ", ".join(f"{log} {value:+.1f}" for log, value in found.by_log.items())
        lines += [
            "What it gains more than the best policy without training, in percentage points: "
            f"{in_words(found, plain.policy)}; by log {of_logs}.",
            "",
        ]
    picks = [(share, best_of(standings, share)) for share in SHARES]
    table = [[f"{100 * share:.0f} %", one.policy, f"{one.gain:+.1f} %"] for share, one in picks if one]
    return [
        *lines,
        "If limits had to be kept in another share of the parts, this policy would gain most:",
        "",
        *markdown(["share", "policy", "gain"], table, left=2),
        "",
        f"Intervals are of {DRAWS:,} draws. A choice that moves with the share is one between policies that differ "
        "little.",
        "",
    ]

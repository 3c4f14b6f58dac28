"""How policies stand on jobs that they have not learnt from: gains, limits kept, ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from statistics import mean, median
from typing import NamedTuple

import common
import run
import settings

Row = Mapping[str, str]
ROLLING = tuple(split.name for split in (*settings.ROLLING, settings.SPARE))


class Standing(NamedTuple):
    """A policy on the rolling splits of all logs; of several seeds each split counts by its mean.

    Attributes
    ----------
    policy, is_trained
        Its name, and whether it is trained.
    gain, worst
        Mean gain over EASY in per cent, and that of the worst log.
    within_limits
        Share of all splits, and seeds, in which the limits were kept.
    rank
        Mean rank among all policies over splits, policies outside the limits behind the others.
    overall, group, lowest, p95, slowdown
        Mean gain of AWRT; the mean over splits of the gain of the worst group, and the lowest of them; the largest 95th
        percentile wait of a group as a multiple of EASY's, its median over splits; the mean bounded slowdown of all
        jobs.
    """

    policy: str
    is_trained: bool
    gain: float
    worst: float
    within_limits: float
    rank: float
    overall: float
    group: float
    lowest: float
    p95: float
    slowdown: float


def place(row: Row) -> tuple[str, str]:
    """Return the part of a log on which a policy was tried."""
    return row["log"], row["split"]


def standings_of(rows: Sequence[Row]) -> list[Standing]:
    """Return how every policy stands on the rolling splits."""
    rolling = [row for row in rows if row["split"] in ROLLING]
    ranks = ranks_of(rolling)
    standings = []
    for policy, mine in common.rows_by(rolling, itemgetter("policy")).items():
        by_log, groups = gains_by_log(mine, policy), [common.worst_group(row) for row in mine]
        standings.append(
            Standing(
                policy,
                mine[0]["part"] == run.TRAINED,
                mean(by_log.values()),
                min(by_log.values()),
                mean(float(row["exceeded"]) == 0 for row in mine),
                mean(ranks[policy]),
                mean(float(row["AWRT_vs_easy"]) for row in mine),
                mean(groups),
                min(groups),
                median(map(common.longest_wait, mine)),
                mean(float(row["slowdown_all"]) for row in mine),
            )
        )
    return standings


def tenths_of(rows: Iterable[Row], policy: str) -> list[Row]:
    """Return the rows of a policy on the rolling splits."""
    return [row for row in rows if row["policy"] == policy and row["split"] in ROLLING]


def gains_by_log(rows: Sequence[Row], policy: str) -> dict[str, float]:
    """Return the mean gain of a policy on each log, over its rolling splits; of several seeds a split has the mean."""
    by_split: dict[str, dict[str, list[float]]] = {}
    for row in tenths_of(rows, policy):
        of_split = by_split.setdefault(row["log"], {}).setdefault(row["split"], [])
        of_split.append(float(row["objective_vs_easy"]))
    return {log: mean(map(mean, splits.values())) for log, splits in by_split.items()}


def ranks_of(rows: Sequence[Row]) -> dict[str, list[float]]:
    """Return the rank of each policy in every split of every log, 1 is the best; equals share the middle of theirs."""
    ranks: dict[str, list[float]] = {}
    for here in common.rows_by(rows, place).values():
        keys = {}
        for policy, mine in common.rows_by(here, itemgetter("policy")).items():
            excess = mean(float(row["exceeded"]) for row in mine)
            keys[policy] = (excess, -mean(float(row["objective_vs_easy"]) for row in mine))
        all_keys = sorted(keys.values())
        for policy, key in keys.items():
            equal = all_keys.count(key)
            ranks.setdefault(policy, []).append(all_keys.index(key) + (equal + 1) / 2)
    return ranks


def safest_of(standings: Iterable[Standing]) -> Standing | None:
    """Return which trained policy keeps the limits most often of those that gain something; None if none gains."""
    gaining = [standing for standing in standings if standing.is_trained and standing.gain >= settings.LEAST_GAIN]
    return max(gaining, key=lambda standing: (standing.within_limits, standing.gain), default=None)


def steady_of(standings: Iterable[Standing], share: float = settings.KEPT) -> list[Standing]:
    """Return the policies that keep the limits often enough, in this share of the parts."""
    return [standing for standing in standings if standing.within_limits >= share]


def best_of(standings: Iterable[Standing], share: float = settings.KEPT) -> Standing | None:
    """Return which policy gains most of those that keep the limits often enough; None if none does."""
    return max(steady_of(standings, share), key=lambda standing: standing.gain, default=None)


def twins_of_easy(rows: Sequence[Row]) -> list[str]:
    """Return the policies under other names whose schedules have the values of EASY's wherever they were tried."""
    others = dict.fromkeys(row["policy"] for row in rows if row["policy"] != settings.EASY)
    of_policies = common.rows_by(rows, itemgetter("policy"))
    return [policy for policy in others if as_easy(of_policies[policy]) == len(of_policies[policy])]


def idle_logs(rows: Iterable[Row]) -> list[str]:
    """Return the logs on which no policy, whatever its order, changes the objective: no job waits there."""
    moved = {row["log"] for row in rows if float(row["objective_vs_easy"])}
    return [log for log in dict.fromkeys(row["log"] for row in rows) if log not in moved]


def as_easy(rows: Iterable[Row]) -> int:
    """Return in how many of some rows the schedule has EASY's own values: a policy that does nothing keeps limits."""
    return sum(not any(common.groups_of(row, "AWRT{}_vs_easy")) for row in rows)


def by_parts(rows: Sequence[Row], value: Callable[[Row], float]) -> list[float]:
    """Return a value on every part of a log, of several seeds their mean: a policy with many seeds counts no more."""
    return [mean(map(value, here)) for here in common.rows_by(rows, place).values()]


def is_kept(row: Row) -> float:
    """Return 1 if the limits are kept, else 0."""
    return float(float(row["exceeded"]) == 0)


def kept_of(rows: Sequence[Row]) -> str:
    """Return in how many of some rows the limits were kept."""
    return f"{sum(float(row['exceeded']) == 0 for row in rows)} of {len(rows)}"

"""What the documents say of policies on jobs that they have not learnt from: the numbers of results/online."""

from __future__ import annotations

from statistics import mean, median

from experiments.claims import BEYOND, Claim
from experiments.quoted import (
    Results,
    column,
    count,
    ends,
    gains_of_estimates,
    in_words,
    kept_and_gained,
    longest_wait,
    rolling,
    shorter,
    within_limits,
    worst_group,
)

ESTIMATES_PAGE = "docs/explanation/estimates.md"
RESAMPLED_GUARD = "guarded, limits, resampled"
GUARD = "guarded: 1, 2"
LEAST_GAIN = 1.0  # per cent: of less, no share is kept


def slowdown(results: Results, table: str, policy: str) -> float:
    """Return the mean slowdown of jobs under a policy, in the mean over the tenths."""
    return mean(column(rolling(results, table, policy), "slowdown_all"))


def slowdowns(results: Results) -> list[float]:
    """Return the mean slowdown of jobs under the guard and under EASY, in the mean over the tenths."""
    return [slowdown(results, "untrained", policy) for policy in (GUARD, "easy")]


def on_larger_machine(results: Results, policy: str, log: str) -> tuple[int, int]:
    """Return how often a guarded order keeps the limits on a log scaled to a larger machine, and of how many cases."""
    kept = within_limits(results.rows("online/scalings", log=log, policy=policy))
    return sum(kept), len(kept)


def first_group_loses(results: Results, policy: str, log: str) -> float:
    """Return what a group that comes first loses at most on a log scaled to a larger machine, per cent."""
    rows = results.rows("online/scalings", log=log, policy=policy)
    return -min(float(row[f"AWRT{number}_vs_easy"]) for row in rows for number in (1, 2))


def on_sdsc(results: Results) -> tuple[float | str, ...]:
    """Return of SDSC00 on a larger machine, untrained and resampled: what a first group loses, and limits kept."""
    return (
        *(first_group_loses(results, policy, "SDSC00 1024") for policy in (GUARD, RESAMPLED_GUARD)),
        *map(in_words, on_larger_machine(results, GUARD, "SDSC00 1024")),
        *on_larger_machine(results, RESAMPLED_GUARD, "SDSC00 1024"),
    )


def gain_kept(results: Results) -> list[float]:
    """Return what share of its gain where it learnt the resampled guard keeps, per cent, on each log that has any."""
    of_logs: dict[str, list[float]] = {}
    for row in rolling(results, "trained", RESAMPLED_GUARD):
        learnt, later = float(row["train_vs_easy"]), float(row["objective_vs_easy"])
        if learnt >= LEAST_GAIN:
            of_logs.setdefault(row["log"], []).append(100 * later / learnt)
    return [median(of_logs[log]) for log in ("CTC", "KTH", "SDSC00", "LANL", "SDSC96")]


def of_guards(results: Results, table: str, policy: str) -> tuple[float, ...]:
    """Return of guarded orders: limits kept, of how many; gain; what the worst group loses, mean and most."""
    kept, count, _, _, gained = kept_and_gained(results, table, policy)
    return kept, count, gained, *of_worst_groups(results, table, policy)


def seeds_of(results: Results, policy: str) -> str:
    """Return with how many seeds a policy was trained."""
    return in_words(len({row["seed"] for row in rolling(results, "trained", policy)}))


def of_worst_groups(results: Results, table: str, policy: str) -> tuple[float, float]:
    """Return what the group that loses most loses under a policy, in the mean and at most."""
    losses = [-worst_group(row) for row in rolling(results, table, policy)]
    return mean(losses), max(losses)


ONLINE_CLAIMS: tuple[Claim, ...] = (
    Claim(
        BEYOND,
        "`guarded: 1, 2` keeps the limits in {:.0f} of {:.0f} parts (in {:.0f} of {:.0f} without NASA, where nobody "
        "waits) and gains {:.1f} % in the mean over the logs; the group that loses most loses {:.0f} % in the mean and "
        "{:.0f} % at worst",
        lambda r: (*kept_and_gained(r, "untrained", GUARD), *of_worst_groups(r, "untrained", GUARD)),
    ),
    Claim(
        BEYOND,
        "the longest 95th percentile wait of a group is {:.1f} times EASY's in the median, and the mean slowdown of "
        "jobs is {:.0f} in the mean over the parts, under EASY {:.0f}",
        lambda r: (median(map(longest_wait, rolling(r, "untrained", GUARD))), *slowdowns(r)),
    ),
    Claim(
        BEYOND,
        "with {} seeds, they keep the limits in {:.0f} of {:.0f} and gain {:.1f} %; the group that loses most loses "
        "{:.0f} % in the mean and {:.0f} % at worst",
        lambda r: (seeds_of(r, RESAMPLED_GUARD), *of_guards(r, "trained", RESAMPLED_GUARD)),
    ),
    Claim(
        BEYOND,
        "in the median of parts and seeds, {:.0f} % on CTC, {:.0f} % on KTH and {:.0f} % on SDSC00, but {:.0f} % on "
        "LANL and {:.0f} % on SDSC96",
        gain_kept,
    ),
    Claim(
        BEYOND,
        "on SDSC00 a group that comes first loses up to {:,.0f} % untrained and {:,.0f} % of what learnt on resampled "
        "years, and limits are kept in {} of {} and in {:.0f} of {:.0f}",
        on_sdsc,
    ),
    Claim(
        ESTIMATES_PAGE,
        "Over {} policies and the {} logs that have requests, exact run times shorten AWRT in {:.0f} of {:.0f} cases: "
        "in the mean by {:.0f} % on CTC and {:.0f} % on SDSC00, and by {:.1f} to {:.1f} % on the others",
        lambda r: (
            in_words(count(r, "online/estimates", "policy")),
            in_words(len(shorter(r, "exact")) // count(r, "online/estimates", "policy")),
            sum(shorter(r, "exact")),
            len(shorter(r, "exact")),
            *(mean(gains_of_estimates(r, "exact", log)) for log in ("CTC", "SDSC00")),
            *ends(mean(gains_of_estimates(r, "exact", log)) for log in ("KTH", "LANL", "SDSC96")),
        ),
    ),
    Claim(
        ESTIMATES_PAGE,
        "`recent` shortens it in {:.0f}, and `predicted` in {:.0f}, of which {:.0f} are on SDSC96, by less than half a "
        "per cent; on CTC it makes AWRT {:.0f} to {:.0f} % longer",
        lambda r: (
            sum(shorter(r, "recent")),
            sum(shorter(r, "predicted")),
            sum(share > 0 for share in gains_of_estimates(r, "predicted", "SDSC96")),
            *ends(-share for share in gains_of_estimates(r, "predicted", "CTC")),
        ),
    ),
)

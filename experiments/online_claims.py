"""What the documents say of policies on jobs that they have not learnt from: the numbers of results/online."""

from __future__ import annotations

from statistics import mean, median
from typing import Any

from experiments.claims import BEYOND, Claim
from experiments.quoted import (
    Results,
    Row,
    by_log,
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
MARGIN, WITHIN, FIRST = "orders, limits, margin", "orders, limits", "priority:1,2; backfill: easy"
TRAINED_GUARD, GUARD_AT_A_DISTANCE = "guarded, limits", "guarded, limits, margin"
RESAMPLED_GUARD = "guarded, limits, resampled"
GUARD, UNGUARDED = "guarded: 1, 2", "guarded: 1, 2; overall: 100; each: 100"
LEAST_GAIN = 1.0  # per cent: of less, no share is kept
LARGE_FIRST = "log2(area) + wait / 43200; backfill: easy"


def on_made_up_logs(results: Results, policy: str) -> tuple[str, str, int, int]:
    """Return on how many made-up logs, at how many loads, a guard was tried, how often limits were kept, of all."""
    rows = results.rows("online/guarded", log="Lublin", policy=policy)
    loads, seeds = ({row["split"].split(", ")[part] for row in rows} for part in (0, 1))
    return in_words(len(seeds)), in_words(len(loads)), sum(within_limits(rows)), len(rows)


def slowdown(results: Results, table: str, policy: str) -> float:
    """Return the mean slowdown of jobs under a policy, in the mean over the tenths."""
    return mean(column(rolling(results, table, policy), "slowdown_all"))


def slowdowns(results: Results) -> list[float]:
    """Return the mean slowdown of jobs under the guard and under EASY, in the mean over the tenths."""
    return [slowdown(results, "untrained", policy) for policy in (GUARD, "easy")]


def rows_of_other_scalings(results: Results, policy: str) -> list[Row]:
    """Return the rows of a policy on the scalings of CTC that no training has learnt on."""
    return [row for row in results.rows("online/scalings", log="CTC 1024", policy=policy) if row["scaling"] != "0"]


def on_other_scalings(results: Results, policy: str) -> tuple[int, int, float]:
    """Return how often a policy keeps the limits on other scalings of CTC, of how many cases, and its mean gain."""
    rows = rows_of_other_scalings(results, policy)
    return sum(within_limits(rows)), len(rows), mean(column(rows, "objective_vs_easy"))


def easy_on_other_scalings(results: Results, policy: str) -> int:
    """Return in how many of these cases the schedule is EASY's own."""
    rows = rows_of_other_scalings(results, policy)
    return sum(not any(float(row[f"AWRT{number}_vs_easy"]) for number in range(1, 6)) for row in rows)


def tenths_of_scaled_log(results: Results, policy: str) -> list[Row]:
    """Return the rows of an untrained policy on the tenths of CTC at 1,024 processors."""
    return results.rows("online/tenths", log="CTC 1024", policy=policy)


def gains_of_nudges(results: Results, policy: str) -> list[float]:
    """Return the gain of a policy, the mean over the logs, in each draw of jobs that come up to a minute later."""
    rows = [row for row in rolling(results, "nudges", policy) if row["nudge"] != "0"]
    draws = dict.fromkeys(row["nudge"] for row in rows)
    return [mean(by_log(row for row in rows if row["nudge"] == draw)) for draw in draws]


def kept_in_nudges(results: Results, policy: str) -> tuple[int, int]:
    """Return how often a policy keeps the limits in these draws, and of how many cases."""
    kept = within_limits(row for row in rolling(results, "nudges", policy) if row["nudge"] != "0")
    return sum(kept), len(kept)


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


def a_tenth_later(results: Results) -> tuple[float, ...]:
    """Return how old trainings do, and new ones: weeks of a tenth, their gains, limits kept, and of how many."""
    number = r"([\d.]+)"
    few, many = results.words_of("online", rf"A tenth has {number} to {number} weeks")
    words = (
        rf"One tenth later `{RESAMPLED_GUARD}` gains {number} % \(limits kept in {number} of {number}\), learnt right "
    )
    old, kept, count, new, kept_new, _ = results.words_of(
        "online", words + rf"before {number} % \({number} of {number}\)"
    )
    return few, many, old, new, kept, kept_new, count


def gain_kept(results: Results) -> list[float]:
    """Return what share of its gain where it learnt the resampled guard keeps, per cent, on each log that has any."""
    of_logs: dict[str, list[float]] = {}
    for row in rolling(results, "trained", RESAMPLED_GUARD):
        learnt, later = float(row["train_vs_easy"]), float(row["objective_vs_easy"])
        if learnt >= LEAST_GAIN:
            of_logs.setdefault(row["log"], []).append(100 * later / learnt)
    return [median(of_logs[log]) for log in ("CTC", "KTH", "SDSC00", "LANL", "SDSC96")]


def cut_work(results: Results) -> list[float]:
    """Return the share of the work of LANL and of SDSC96 that goes where runs are cut at their requests, per cent."""
    return [results.value("gfs/cut", "work_percent", log=log) for log in ("LANL", "SDSC96")]


def of_guards(results: Results, table: str, policy: str) -> tuple[float, ...]:
    """Return of guarded orders: limits kept, of how many; gain; what the worst group loses, mean and most."""
    kept, count, _, _, gained = kept_and_gained(results, table, policy)
    return kept, count, gained, *of_worst_groups(results, table, policy)


def seeds_of(results: Results, policy: str) -> str:
    """Return with how many seeds a policy was trained."""
    return in_words(len({row["seed"] for row in rolling(results, "trained", policy)}))


def of_learner(results: Results, name: str) -> dict[str, Any]:
    """Return the settings of a training."""
    (settings,) = (row["settings"] for row in results.provenance("online")["learners"] if row["name"] == name)
    return settings  # type: ignore[no-any-return]


def of_worst_groups(results: Results, table: str, policy: str) -> tuple[float, float]:
    """Return what the group that loses most loses under a policy, in the mean and at most."""
    losses = [-worst_group(row) for row in rolling(results, table, policy)]
    return mean(losses), max(losses)


def chosen_elsewhere(results: Results) -> tuple[float, ...]:
    """Return of trainings chosen on the other logs: limits kept, of how many, both without NASA; gain; worst group."""
    number, cell = r"([\d.]+)", r" \| [^|]*"
    words = rf"\| trained \| each in turn{cell} \| \+{number} % \| {number} of {number} \({number} of {number} "
    words += rf"without NASA\){cell} \| -{number} % \| -{number} %"
    gain, *kept, group, lowest = results.words_of("online", words)
    return *kept, gain, group, lowest


ONLINE_CLAIMS: tuple[Claim, ...] = (
    Claim(
        BEYOND,
        "where runs are cut at their requests, as they are here, {:.1f} % of the work of LANL and {:.1f} % of that of "
        "SDSC96 is gone",
        cut_work,
    ),
    Claim(BEYOND, "tries {:.0f} of these, untrained", lambda r: [count(r, "online/untrained", "policy")]),
    Claim(
        BEYOND,
        "It keeps the limits in {:.0f} of {:.0f} (in {:.0f} of {:.0f} without NASA, where nobody waits) and gains "
        "{:.1f} % in the mean over the logs, which is more than in any of {} draws in which every job comes up to a "
        "minute later ({:.1f} to {:.1f} %, limits kept in {:.0f} of {:.0f}); the group that loses most loses {:.0f} % "
        "in the mean and {:.0f} % at worst. On {} made-up logs, each at {} loads, it keeps them in {:.0f} of {:.0f}. "
        "Without its guard, the same order gains {:.1f} % and keeps them in {:.0f}; with large requests first alone, "
        "and no group ahead, it gains {:.1f} % and keeps them in {:.0f}. What it costs: the longest 95th percentile "
        "wait of a group is {:.1f} times EASY's in the median, and the mean slowdown of jobs is {:.0f} in the mean "
        "over the tenths, under EASY {:.0f}",
        lambda r: (
            *kept_and_gained(r, "untrained", GUARD),
            in_words(len(gains := gains_of_nudges(r, GUARD))),
            *ends(gains),
            *kept_in_nudges(r, GUARD),
            *of_worst_groups(r, "untrained", GUARD),
            *on_made_up_logs(r, GUARD),
            mean(by_log(rows := rolling(r, "untrained", UNGUARDED))),
            sum(within_limits(rows)),
            mean(by_log(rows := rolling(r, "untrained", LARGE_FIRST))),
            sum(within_limits(rows)),
            median(map(longest_wait, rolling(r, "untrained", GUARD))),
            *slowdowns(r),
        ),
    ),
    Claim(
        BEYOND,
        "with {} seeds, they keep the limits in {:.0f} of {:.0f} and gain {:.1f} % in the mean over the logs; the "
        "group that loses most loses {:.0f} % in the mean and {:.0f} % at worst. If every job comes up to a minute "
        "later, those of the first seed gain {:.1f} to {:.1f} % and keep them in {:.0f} of {:.0f}; on the made-up logs "
        "in {:.0f} of {:.0f}",
        lambda r: (
            seeds_of(r, GUARD_AT_A_DISTANCE),
            *of_guards(r, "trained", GUARD_AT_A_DISTANCE),
            *ends(gains_of_nudges(r, GUARD_AT_A_DISTANCE)),
            *kept_in_nudges(r, GUARD_AT_A_DISTANCE),
            *on_made_up_logs(r, GUARD_AT_A_DISTANCE)[2:],
        ),
    ),
    Claim(
        BEYOND,
        "Without that distance, with {} seeds, they keep them in {:.0f} of {:.0f} and gain {:.1f} %; the group that "
        "loses most loses {:.0f} % in the mean and {:.0f} % at worst; {:.1f} to {:.1f} % and {:.0f} of {:.0f} if jobs "
        "come later, and {:.0f} of {:.0f} on made-up logs",
        lambda r: (
            seeds_of(r, TRAINED_GUARD),
            *of_guards(r, "trained", TRAINED_GUARD),
            *ends(gains_of_nudges(r, TRAINED_GUARD)),
            *kept_in_nudges(r, TRAINED_GUARD),
            *on_made_up_logs(r, TRAINED_GUARD)[2:],
        ),
    ),
    Claim(
        BEYOND,
        "each also on {} other years that are resampled from the users of the log: so, with {} seeds, they keep them "
        "in {:.0f} of {:.0f} and gain {:.1f} %, the most of all policies that keep them in nine of ten; the group that "
        "loses most loses {:.0f} % in the mean and {:.0f} % at worst; {:.1f} to {:.1f} % and {:.0f} of {:.0f} if jobs "
        "come later, and {:.0f} of {:.0f} on made-up logs",
        lambda r: (
            in_words(of_learner(r, RESAMPLED_GUARD)["resample"]),
            seeds_of(r, RESAMPLED_GUARD),
            *of_guards(r, "trained", RESAMPLED_GUARD),
            *ends(gains_of_nudges(r, RESAMPLED_GUARD)),
            *kept_in_nudges(r, RESAMPLED_GUARD),
            *on_made_up_logs(r, RESAMPLED_GUARD)[2:],
        ),
    ),
    Claim(
        BEYOND,
        "Of the gain where it learnt it keeps, in the median of tenths and seeds, {:.0f} % on CTC, {:.0f} % on KTH and "
        "{:.0f} % on SDSC00, but {:.0f} % on LANL and {:.0f} % on SDSC96",
        gain_kept,
    ),
    Claim(
        BEYOND,
        "Against the untrained one that is {:.1f} points more (in nine of ten draws of other parts {:.1f} to {:.1f}, "
        "of other logs {:.1f} to {:.1f})",
        lambda r: r.words_of(
            "online",
            r"\+([\d.]+) points against `guarded: 1, 2` \(90 %: \+([\d.]+) to \+([\d.]+) over parts, "
            r"(-?[\d.]+) to \+([\d.]+) over logs\)",
        ),
    ),
    Claim(
        BEYOND,
        "on the tenths after the next one, {:.0f} to {:.0f} weeks each, in the groups known at the training, it gains "
        "{:.1f} %, trained again {:.1f} %; limits are kept in {:.1f} and {:.1f} of {:.0f}",
        a_tenth_later,
    ),
    Claim(
        BEYOND,
        "On SDSC00 a group that comes first loses up to {:,.0f} % untrained and {:,.0f} % of what learnt on resampled "
        "years, and limits are kept in {} of {} and in {:.0f} of {:.0f}",
        on_sdsc,
    ),
    Claim(
        BEYOND,
        "with EASY, gains {:.1f} % of 10 AWRT1 + 4 AWRT2 in the mean over the logs, and the group that loses most "
        "loses {:.0f} % in the mean",
        lambda r: (mean(by_log(rows := rolling(r, "untrained", FIRST))), -mean(map(worst_group, rows))),
    ),
    Claim(
        BEYOND,
        "they keep the limits in {:.0f} of {:.0f} and gain {:.1f} % in the mean over the logs ({:.1f} to {:.1f} %)",
        lambda r: (
            *(sum(within_limits(rows := rolling(r, "trained", MARGIN))), len(rows)),
            *(mean(gains := by_log(rows)), *ends(gains)),
        ),
    ),
    Claim(
        BEYOND,
        "the group that loses most loses {:.0f} % in the mean and {:.0f} % at worst, and the longest 95th percentile "
        "wait of a group is {:.1f} times EASY's in the median. Of all {} kinds of trainings, those chosen on the other "
        "logs, guarded orders each time, keep the limits in {:.1f} of {:.0f} parts in the mean over seeds (in {:.1f} "
        "of {:.0f} without NASA) and gain {:.1f} %; the group that loses most loses {:.0f} % in the mean and {:.0f} % "
        "at worst",
        lambda r: (
            *of_worst_groups(r, "trained", MARGIN),
            median(map(longest_wait, rolling(r, "trained", MARGIN))),
            in_words(count(r, "online/trained", "policy")),
            *chosen_elsewhere(r),
        ),
    ),
    Claim(
        BEYOND,
        "without that distance they gain {:.1f} % and keep the limits in {:.0f} of {:.0f}",
        lambda r: (
            mean(by_log(rows := rolling(r, "trained", WITHIN))),
            sum(within_limits(rows)),
            len(rows),
        ),
    ),
    Claim(
        BEYOND,
        "on the last three tenths of {} other scalings `guarded: 1, 2` keeps the limits in {} and gains {:.1f} %; "
        "orders that were trained on the first seven tenths of one scaling keep them at that distance in {:.0f} of "
        "{:.0f} and gain {:.1f} %, without it in {:.0f}; guarded orders that were trained there at a distance in "
        "{:.0f} of {:.0f}, of which {:.0f} are EASY, and gain {:.1f} %, on resampled years in {:.0f} of {:.0f}, and "
        "gain {:.1f} %",
        lambda r: (
            in_words((guard := on_other_scalings(r, GUARD))[1]),
            in_words(guard[0]),
            guard[2],
            *on_other_scalings(r, MARGIN),
            on_other_scalings(r, WITHIN)[0],
            *on_other_scalings(r, GUARD_AT_A_DISTANCE)[:2],
            easy_on_other_scalings(r, GUARD_AT_A_DISTANCE),
            on_other_scalings(r, GUARD_AT_A_DISTANCE)[2],
            *on_other_scalings(r, RESAMPLED_GUARD),
        ),
    ),
    Claim(
        BEYOND,
        "On the {} tenths of the first scaling, for which nothing was trained, `guarded: 1, 2` keeps them in {:.0f} "
        "and gains {:.1f} % in the mean, {:.1f} % in the median",
        lambda r: (
            in_words(len(rows := tenths_of_scaled_log(r, GUARD))),
            sum(within_limits(rows)),
            mean(gains := column(rows, "objective_vs_easy")),
            median(gains),
        ),
    ),
    Claim(
        BEYOND,
        "exact run times shorten AWRT in {:.0f} of {:.0f} cases ({} policies, {} logs with requests), what is "
        "predicted from a user's last two jobs in {:.0f}",
        lambda r: (
            sum(cases := shorter(r, "exact")),
            len(cases),
            in_words(count(r, "online/estimates", "policy")),
            in_words(len(shorter(r, "exact")) // count(r, "online/estimates", "policy")),
            sum(shorter(r, "recent")),
        ),
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

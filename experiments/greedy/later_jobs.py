"""Policies that were trained on the first part of a log, with limits or without: what they gain on the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

import settings

from paretosched.core.tables import markdown

Row = Mapping[str, str]
GROUPS = ("AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")
GOAL_GROUP = -25.0
LEAST_GAIN = 0.05  # per cent; a log without waiting jobs offers less
CHOSEN_ON = "CTC"  # the log of the part "strategies"


def best_of(rows: Iterable[Row], training: str, part: str = "workloads") -> list[Row]:
    """Return the rows of the best systems of a training, one for each seed and workload."""
    return [r for r in rows if r["training"] == training and r["best"] == "True" and r["part"] == part]


def loss(row: Row) -> float:
    """Return the gain of the group that gains least, or loses most, in per cent."""
    return min(float(row[f"{name}_vs_easy"]) for name in GROUPS if row[f"{name}_vs_easy"])


def spread(gains: Sequence[float]) -> list[str]:
    """Return median, lowest and highest gain as text."""
    return [f"{x:+.2f} %" for x in (median(gains), min(gains), max(gains))]


def with_ends(gains: Sequence[float], digits: int = 1) -> str:
    """Return the median of a side effect with the lowest and the highest of the seeds.

    >>> with_ends([-1.0, 2.0, 0.5])
    '+0.5 (-1.0 to +2.0) %'
    """
    middle, low, high = (f"{x:+.{digits}f}" for x in (median(gains), min(gains), max(gains)))
    return f"{middle} ({low} to {high}) %"


def log_of(training: str) -> str:
    """Return the log that a training learnt from the first part of.

    >>> log_of("rest-limits-LANL, requests raised")
    'LANL, requests raised'
    """
    return training.rsplit("-", 1)[1]


def by_log(rows: Sequence[Row], part: str = "rest") -> dict[str, list[Row]]:
    """Return the rows of the best systems by log, one for each seed, on the rest or on what was learnt from."""
    return {log_of(name): best_of(rows, name, part) for name in dict.fromkeys(row["training"] for row in rows)}


def without_backfilling(rows: Sequence[Row], log: str) -> str:
    """Return in brackets what a group of a log loses on the rest without backfilling; empty if that was not run."""
    losses = [loss(row) for row in by_log(rows).get(log, [])]
    return f" (without backfilling {-min(losses):,.0f} %)" if losses and min(losses) < 0 else ""


def idle_logs(rows: Sequence[Row]) -> list[str]:
    """Return the logs on which no policy gains or loses anything, because nobody waits there."""
    return [
        log
        for log, of_log in by_log(rows).items()
        if max(abs(float(row["vs_easy"])) for row in (*of_log, *by_log(rows, "workloads")[log])) < LEAST_GAIN
    ]


def in_other_groups(rows: Sequence[Row], limited: Sequence[Row]) -> list[str]:
    """Return the logs that were measured in other groups than the trainings within limits: EASY has other values there.

    Groups come from the jobs learnt from; results of before have those of the whole log, which nobody knows then.
    """
    of_easy: list[dict[str, list[str]]] = [{}, {}]
    for values, some in zip(of_easy, (rows, limited), strict=True):
        for row in some:
            if row["system"] == "EASY":
                cells_of = values.setdefault(log_of(row["training"]), [])
                cells_of += [f"{row['seed']} {row['part']} {float(row[name]):.3f}" for name in GROUPS if row[name]]
    return [log for log, values in of_easy[0].items() if of_easy[1].get(log, values) != values]


def ratios(row: Row, easy: Row) -> list[str]:
    """Return the response times of the groups as multiples of EASY's; empty for a group without jobs."""
    return [f"{float(row[name]) / float(easy[name]):.2f}" if row[name] else "" for name in GROUPS]


def kept_where_jobs_wait(rows: Sequence[Row]) -> str:
    """Return in how many trainings the limits hold on the rest, of logs on which somebody waits."""
    idle = idle_logs(rows)
    kept = {log: [float(row["exceeded"]) == 0 for row in of_log] for log, of_log in by_log(rows).items()}
    busy = {log: values for log, values in kept.items() if log not in idle}
    where = [log for log, values in busy.items() if any(values)]
    return f"{sum(map(sum, busy.values()))} of {sum(map(len, busy.values()))} trainings" + (
        f", all on {where[0]}" if len(where) == 1 and len(kept) > 1 else f", on {', '.join(where)}" if where else ""
    )


def kept_in_words(rows: Sequence[Row]) -> str:
    """Return in how many trainings the limits hold on the rest: all, and those of logs on which somebody waits."""
    idle = idle_logs(rows)
    kept = {log: [float(row["exceeded"]) == 0 for row in of_log] for log, of_log in by_log(rows).items()}
    whole = f"{sum(map(sum, kept.values()))} of {sum(map(len, kept.values()))}"
    if not idle:
        return f"{whole} trainings"
    others = f"{whole} with {', '.join(idle)}, where nobody waits and policy and EASY are the same"
    return f"{kept_where_jobs_wait(rows)} ({others})"


def without_the_chosen(rows: Sequence[Row]) -> str:
    """Return what is gained on the rest without the log on which the kind of training was chosen, in words."""
    idle = idle_logs(rows)
    gains = {log: median(float(row["vs_easy"]) for row in of_log) for log, of_log in by_log(rows).items()}
    others = [gain for log, gain in gains.items() if log not in (CHOSEN_ON, *idle)]
    return f"{min(others):.1f} to {max(others):.1f} %" if others else "nothing known"


def choice_in_words(rows: Sequence[Row]) -> str:
    """Return the sentences on what these figures rest on: one scaling seed, and a choice on the whole of a log."""
    if CHOSEN_ON not in by_log(rows):
        return "One split and one scaling seed of the log. "
    return (
        "One split and one scaling seed of each log; five splits are in results/online, other scalings below. "
        "Criterion, CMA-ES and logarithmic scale were chosen on the whole of "
        f"{CHOSEN_ON}, the last 30 % of which is tested here; without it, and without logs where nobody waits, the "
        f"medians on the rest are {without_the_chosen(rows)}. "
    )


def interval(training: str, rows: Sequence[Row], weeks: Sequence[Row], key: str = "objective") -> str:
    """Return the 90 % interval over the weeks of the rest, the mean of the seeds; "-" without one."""
    ends = []
    for row in best_of(rows, training, "rest"):
        for other in weeks:
            same = (other["training"], other["seed"]) == (training, row["seed"])
            if same and other[f"{key}_low"] and abs(float(other["AWRT"]) / float(row["AWRT"]) - 1) < 1e-9:
                ends.append([float(other[f"{key}_{end}"]) for end in ("low", "high")])
    return " to ".join(f"{mean(side):+.1f}" for side in zip(*ends, strict=True)) or "-"


KNOWN_GROUPS = (
    f"Groups are those of the consumption in the first {settings.TEST_SHARE:.0%}; users who come later are in the last "
    "one, as nothing is known of them. "
).replace("%", " %")
HEADS = ("log", "learnt: median", "lowest", "highest", "rest: median", "lowest", "highest", "interval")
SIDES = ("AWRT there (seeds)", "interval", "worst group there (seeds)")


def cells(training: str, rows: Sequence[Row], weeks: Sequence[Row]) -> tuple[list[str], list[str]]:
    """Return the first cells of a table's row, and those of the side effects on AWRT and the worst group."""
    before, after = best_of(rows, training), best_of(rows, training, "rest")
    gains = [spread([float(row["vs_easy"]) for row in some]) for some in (before, after)]
    first = [log_of(training), *gains[0], *gains[1], interval(training, rows, weeks)]
    whole = with_ends([float(row["AWRT_vs_easy"]) for row in after])
    return first, [whole, interval(training, rows, weeks, "AWRT"), with_ends([loss(row) for row in after], 0)]


def about_intervals(weeks: Sequence[Row], trainings: Iterable[str]) -> str:
    """Return the sentence about intervals; empty without them."""
    lengths = sorted({int(row["weeks"]) for row in weeks if row["training"] in set(trainings)})
    ends = dict.fromkeys([*lengths[:1], *lengths[-1:]])
    return (
        f"Intervals are 90 %, by a block bootstrap over the {' to '.join(map(str, ends))} weeks of the rest, the mean "
        "of the seeds; there is none where group 1 or 2 has jobs in too few weeks. "
        if lengths
        else ""
    )


def free(how: str, rows: Sequence[Row], weeks: Sequence[Row], others: Sequence[str]) -> list[str]:
    """Return the section about trainings for the objective alone; `others` are logs in groups of the whole log."""
    lines, fails, slower, payers = [], [], [], []
    for training in dict.fromkeys(row["training"] for row in rows):
        first, sides = cells(training, rows, weeks)
        log, after = log_of(training), best_of(rows, training, "rest")
        gains = [float(row["vs_easy"]) for row in after]
        judgement = "kept" if min(gains) > 0 else "lost" if max(gains) <= 0 else "mixed"
        before = [float(row["vs_easy"]) for row in best_of(rows, training)]
        judgement = judgement if max(before) >= LEAST_GAIN else "nothing to gain"
        share = f"{100 * median(gains) / median(before):.0f} %" if median(before) > 0 else ""
        lines.append([first[0] + " *" * (log in others), *first[1:], share, judgement, *sides])
        fails += [log] if judgement in ("lost", "mixed") else []
        whole, worst = median(float(row["AWRT_vs_easy"]) for row in after), min(map(loss, after))
        slower += [f"{log} ({whole:+.1f} %)"] if whole < -LEAST_GAIN else []
        payers += [f"{log} ({worst:+.0f} %)"] if worst < GOAL_GROUP else []
    return [
        f"## Out of sample, {how}: trained on the first 70 % of the time, measured on the last 30 %",
        "",
        *markdown([*HEADS, "share", "verdict", *SIDES], lines, left=1),
        "",
        "Five seeds, trained for the objective alone: no limit kept AWRT or a group from becoming worse. Kept: on the "
        "rest the objective is better than EASY's with every seed. "
        + KNOWN_GROUPS
        + choice_in_words([row for row in rows if log_of(row["training"]) not in others])
        + about_intervals(weeks, {row["training"] for row in rows})
        + (
            f"**The objective is not kept on {', '.join(fails)}.**"
            if fails
            else "The objective is kept on every log where there is something to gain."
        )
        + (f" **AWRT is worse than EASY's on {', '.join(slower)} in the median.**" if slower else "")
        + (f" **A group pays for it with more than {-GOAL_GROUP:g} % on {', '.join(payers)}.**" if payers else "")
        + (
            " * In groups of the whole log, unlike the trainings within limits: not comparable with them." * any(others)
        ),
        "",
    ]


def with_limits(how: str, rows: Sequence[Row], weeks: Sequence[Row]) -> list[str]:
    """Return the section about trainings within limits: what holds on the rest."""
    lines, broken, beyond = [], [], []
    for training in dict.fromkeys(row["training"] for row in rows):
        before, after = best_of(rows, training), best_of(rows, training, "rest")
        first, sides = cells(training, rows, weeks)
        kept = [float(row["exceeded"]) == 0 for row in after]
        over = [f"{100 * float(row['exceeded']):.1f} %" for row in before if float(row["exceeded"]) > 0]
        beyond += [f"{log_of(training)} ({', '.join(over)})"] if over else []
        slower = min(float(row["AWRT_vs_easy"]) for row in after)
        if not all(kept):
            broken.append(
                f"{log_of(training)} (AWRT down to {slower:+.1f} %, a group to {min(map(loss, after)):+.0f} %)"
            )
        margins = [float(row["margin"]) for row in after if "margin" in row]
        distance = [f"{min(margins):g} to {max(margins):g} %"] if margins else []
        lines.append([*first, f"{sum(kept)} of {len(kept)}", *sides, *distance])
    heads = [*HEADS, "limits kept there", *SIDES]
    with_distance = len(lines[0]) > len(heads)
    distance_words = (
        "the distance is chosen within the first 70 %. "
        if with_distance
        else "in the training no distance to them is kept. "
    )
    return [
        f"## Out of sample, trained {how}, with EASY backfilling",
        "",
        *markdown([*heads, "distance"] if with_distance else heads, lines, left=1),
        "",
        f"Trained on the first 70 % of the time, measured on the last 30 %, with the limits {settings.LIMITS}, of EASY "
        f"on the same jobs; {distance_words}"
        + KNOWN_GROUPS
        + choice_in_words(rows)
        + about_intervals(weeks, {row["training"] for row in rows})
        + f"The limits hold on the rest in {kept_in_words(rows)}"
        + (f"; not always on {', '.join(broken)}." if broken else ".")
        + (
            f" Even on the part learnt from, no policy within them was found with some seeds of {'; '.join(beyond)}: "
            "by how much they are exceeded there."
            if beyond
            else ""
        ),
        "",
    ]

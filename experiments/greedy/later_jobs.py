"""Policies that were trained on the first part of a log, with limits or without: what they gain on the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import mean, median

import common
import settings
from common import worst_group

from paretosched.core.tables import markdown

Row = Mapping[str, str]
GROUPS = ("AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")
GOAL_GROUP = -25.0
LEAST_GAIN = 0.05  # per cent; a log without waiting jobs offers less
CHOSEN_ON = "CTC"  # the log of the part "strategies"
FEW_JOBS = 100  # of group 1; with fewer the objective hangs on a few jobs
WEIGHT_1 = 10  # of AWRT1 in the objective


def best_of(rows: Iterable[Row], training: str, part: str = "workloads") -> list[Row]:
    """Return the rows of the best systems of a training, one for each seed and workload."""
    return [r for r in rows if r["training"] == training and r["best"] == "True" and r["part"] == part]


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


def idle_logs(rows: Sequence[Row]) -> list[str]:
    """Return the logs on which no policy gains or loses anything, because nobody waits there."""
    return [
        log
        for log, of_log in by_log(rows).items()
        if max(abs(float(row["vs_easy"])) for row in (*of_log, *by_log(rows, "workloads")[log])) < LEAST_GAIN
    ]


def ratios(row: Row, easy: Row) -> list[str]:
    """Return the response times of the groups as multiples of EASY's; empty for a group without jobs."""
    return [f"{float(row[name]) / float(easy[name]):.2f}" if row[name] else "" for name in GROUPS]


def keeps_limits(row: Row) -> bool:
    """Return whether AWRT and the groups without weight are within the limits of the trainings, `settings.LIMITS`."""
    others = [float(row[f"{name}_vs_easy"]) for name in GROUPS[2:] if row[f"{name}_vs_easy"]]
    return float(row["AWRT_vs_easy"]) >= 0 and min(others, default=0.0) >= GOAL_GROUP


def conclusive(rows: Sequence[Row], part: str = "rest") -> dict[str, list[Row]]:
    """Return the rows of the best systems of the logs that conclusions are drawn from.

    These are the logs on which somebody waits and nothing was chosen; LANL counts once, with runs cut.
    """
    left = {CHOSEN_ON, settings.RAISED, *idle_logs(rows)}
    return {log: of_log for log, of_log in by_log(rows, part).items() if log not in left}


def kept_in_words(rows: Sequence[Row]) -> str:
    """Return in how many trainings of the conclusive logs the limits hold on the rest, and on which of them."""
    kept = {log: [keeps_limits(row) for row in of_log] for log, of_log in conclusive(rows).items()}
    where = [log for log, values in kept.items() if any(values)]
    return f"{sum(map(sum, kept.values()))} of {sum(map(len, kept.values()))} trainings" + (
        f", all on {where[0]}" if len(where) == 1 and len(kept) > 1 else f", on {', '.join(where)}" if where else ""
    )


def apart_in_words(rows: Sequence[Row]) -> str:
    """Return the sentences about the logs from which no conclusion is drawn; empty without them."""
    reasons = {CHOSEN_ON: "chosen on", settings.RAISED: "the same jobs again"}
    words = []
    for log, reason in reasons.items():
        if of_log := by_log(rows).get(log):
            gain, whole = (median(float(row[f"{key}vs_easy"]) for row in of_log) for key in ("", "AWRT_"))
            kept = sum(map(keeps_limits, of_log))
            words.append(
                f" Apart, {log} ({reason}): in the median {gain:+.1f} %, AWRT {whole:+.1f} %, a group down to "
                f"{min(map(worst_group, of_log)):+.0f} %, limits kept in {kept} of {len(of_log)}."
            )
    return "".join(words)


def interval(training: str, rows: Sequence[Row], weeks: Sequence[Row], key: str = "objective") -> str:
    """Return the 90 % interval over the weeks of the rest, the mean of the seeds; "-" without one."""
    ends = []
    for row in best_of(rows, training, "rest"):
        for other in weeks:
            same = (other["training"], other["seed"]) == (training, row["seed"])
            if same and other[f"{key}_low"] and abs(float(other["AWRT"]) / float(row["AWRT"]) - 1) < 1e-9:
                ends.append([float(other[f"{key}_{end}"]) for end in ("low", "high")])
    return " to ".join(f"{mean(side):+.1f}" for side in zip(*ends, strict=True)) or "-"


HEADS = ("log", "order", "learnt (seeds)", "rest (seeds)", "interval", "limits kept there")
SIDES = ("AWRT there (seeds)", "interval", "worst group there (seeds)")


def table(rows: Sequence[Row], weeks: Sequence[Row], alone: Sequence[Row]) -> list[str]:
    """Return the table of trainings of a kind, and below each the untrained orders; the log chosen on is the last."""
    lines = []
    for training in sorted(dict.fromkeys(row["training"] for row in rows), key=place_of):
        before, after = best_of(rows, training), best_of(rows, training, "rest")
        log = log_of(training)
        gains = [with_ends([float(row["vs_easy"]) for row in some], 2) for some in (before, after)]
        sides = [with_ends([float(row["AWRT_vs_easy"]) for row in after]), interval(training, rows, weeks, "AWRT")]
        kept = f"{sum(map(keeps_limits, after))} of {len(after)}"
        name = f"{log}, chosen on" if log == CHOSEN_ON else log
        sides.append(with_ends([worst_group(row) for row in after], 0))
        lines.append([name, "trained", *gains, interval(training, rows, weeks), kept, *sides])
        lines += [[name, *cells] for cells in untrained_cells(log, alone)]
    return markdown([*HEADS, *SIDES], lines, left=2)


def place_of(training: str) -> tuple[bool, str]:
    """Return a key that sorts trainings by log, LANL's two readings together, and the log chosen on last."""
    return log_of(training) == CHOSEN_ON, log_of(training)


def untrained_cells(log: str, alone: Sequence[Row]) -> list[list[str]]:
    """Return the cells of the untrained orders on a log, without its name."""
    lines = []
    mine = [row for row in alone if row["log"] == log and row["scaling"] == str(common.SCALING_SEED)]
    for row in mine:
        if row["part"] == "rest":
            (learnt,) = [r for r in mine if r["policy"] == row["policy"] and r["part"] == "workloads"]
            gains = [f"{float(some['vs_easy']):+.2f} %" for some in (learnt, row)]
            ends = {
                key: f"{float(row[f'{key}_low']):+.1f} to {float(row[f'{key}_high']):+.1f}"
                if row[f"{key}_low"]
                else "-"
                for key in ("objective", "AWRT")
            }
            sides = [f"{float(row['AWRT_vs_easy']):+.1f} %", ends["AWRT"], f"{worst_group(row):+.0f} %"]
            kept = "yes" if keeps_limits(row) else "no"
            lines.append([f"`{row['policy']}`, untrained", *gains, ends["objective"], kept, *sides])
    return lines


def against_untrained(rows: Sequence[Row], alone: Sequence[Row]) -> str:
    """Return in words on which conclusive logs training gains more than an untrained order, by seeds; empty without."""
    words = []
    for policy in dict.fromkeys(row["policy"] for row in alone):
        there, counts = on_the_rest(alone, policy), []
        for log, of_log in conclusive(rows).items():
            more = sum(float(row["vs_easy"]) > float(there[log]["vs_easy"]) for row in of_log)
            counts.append(f"{log} {more} of {len(of_log)}")
        words.append(f" Seeds that gain more on the rest than `{policy}`, untrained: {', '.join(counts)}.")
    return "".join(words)


def on_the_rest(alone: Sequence[Row], policy: str) -> dict[str, Row]:
    """Return the row of an untrained order on the rest of the scaling learnt from, by log."""
    here = (policy, str(common.SCALING_SEED), "rest")
    return {row["log"]: row for row in alone if (row["policy"], row["scaling"], row["part"]) == here}


def few_jobs(alone: Sequence[Row]) -> dict[str, str]:
    """Return how many jobs group 1, whose response time counts most, has on the rest of a log; only if they are few."""
    there = on_the_rest(alone, alone[0]["policy"]) if alone else {}
    return {log: row["jobs1"] for log, row in there.items() if 0 < int(row["jobs1"]) < FEW_JOBS}


def share_of_group_1(rows: Sequence[Row], log: str) -> float:
    """Return which share of the objective's gain on the rest of a log is that of group 1, of all seeds together, %."""
    training = next(row["training"] for row in rows if log_of(row["training"]) == log)
    after = best_of(rows, training, "rest")
    easy = [
        next(row for row in rows if row["system"] == "EASY" and all(row[key] == mine[key] for key in same))
        for mine in after
        for same in [("training", "seed", "part")]
    ]
    whole, of_group = (
        sum(float(base[key]) - float(mine[key]) for base, mine in zip(easy, after, strict=True))
        for key in ("objective", "AWRT1")
    )
    return 100 * WEIGHT_1 * of_group / whole if whole else 0.0


def remarks(rows: Sequence[Row], weeks: Sequence[Row], alone: Sequence[Row]) -> str:
    """Return the sentences on what these figures rest on."""
    lengths = sorted({int(row["weeks"]) for row in weeks if row["training"] in {row["training"] for row in rows}})
    ends = dict.fromkeys([*lengths[:1], *lengths[-1:]])
    few = [
        f"{jobs} on {log} ({share_of_group_1(rows, log):.0f} % of the gain)"
        for log, jobs in few_jobs(alone).items()
        if log in conclusive(rows)
    ]
    return (
        f"Groups are those of the consumption in the first {settings.TEST_SHARE:.0%}; ".replace("%", " %")
        + "users who come later are in the last one, as nothing is known of them. One split and one scaling seed of "
        "each log; five splits are in results/online, other scalings below. Runs are cut at their requests, unless "
        f"requests are said to be raised. Limits: {settings.LIMITS}, of EASY on the same jobs; others are groups 3 to "
        "5. Criterion, CMA-ES and logarithmic scale were chosen on the whole of "
        f"{CHOSEN_ON}: it stands last, and what follows is of "
        f"{', '.join(conclusive(rows))}. "
        + (
            f"Intervals are 90 %, by a block bootstrap over the {' to '.join(map(str, ends))} weeks of the rest, of "
            "trained orders the mean of the seeds; there is none (-) where group 1 or 2 has jobs in too few weeks."
            if lengths
            else ""
        )
        + (f" **Group 1 has few jobs there: {', '.join(few)}.**" if few else "")
    )


def free(how: str, rows: Sequence[Row], weeks: Sequence[Row], alone: Sequence[Row]) -> list[str]:
    """Return the section about trainings for the objective alone."""
    fails, slower, payers = [], [], []
    for log, after in conclusive(rows).items():
        fails += [log] if min(float(row["vs_easy"]) for row in after) <= 0 else []
        whole, worst = median(float(row["AWRT_vs_easy"]) for row in after), min(map(worst_group, after))
        slower += [f"{log} ({whole:+.1f} %)"] if whole < -LEAST_GAIN else []
        payers += [f"{log} ({worst:+.0f} %)"] if worst < GOAL_GROUP else []
    return [
        f"## Out of sample, {how}: trained on the first 70 % of the time, measured on the last 30 %",
        "",
        *table(rows, weeks, alone),
        "",
        "Five seeds, trained for the objective alone: no limit kept AWRT or a group from becoming worse. "
        + remarks(rows, weeks, alone)
        + (
            f" **With some seeds the objective is not better than EASY's on {', '.join(fails)}.**"
            if fails
            else " The objective is better than EASY's with every seed."
        )
        + against_untrained(rows, alone)
        + (f" **AWRT is worse than EASY's on {', '.join(slower)} in the median.**" if slower else "")
        + (f" **A group pays for it with more than {-GOAL_GROUP:g} % on {', '.join(payers)}.**" if payers else "")
        + apart_in_words(rows),
        "",
    ]


def with_limits(rows: Sequence[Row], weeks: Sequence[Row], alone: Sequence[Row]) -> list[str]:
    """Return the section about trainings within limits: what holds on the rest."""
    broken, beyond = [], []
    for log, after in by_log(rows).items():
        over = [100 * float(row["exceeded"]) for row in by_log(rows, "workloads")[log]]
        far = [f"{percent:.1f} %" for percent in over if percent > 0]
        beyond += [f"{log} ({', '.join(far)})"] if far else []
        slower = min(float(row["AWRT_vs_easy"]) for row in after)
        if log in conclusive(rows) and not all(map(keeps_limits, after)):
            broken.append(f"{log} (AWRT down to {slower:+.1f} %, a group to {min(map(worst_group, after)):+.0f} %)")
    return [
        "## Out of sample, trained within the limits, with EASY backfilling",
        "",
        *table(rows, weeks, alone),
        "",
        "Five seeds, trained on the first 70 % of the time within the limits, without a distance to them, and measured "
        "on the last 30 %. "
        + remarks(rows, weeks, alone)
        + f" The limits hold on the rest in {kept_in_words(rows)}"
        + (f"; not always on {', '.join(broken)}." if broken else ".")
        + against_untrained(rows, alone)
        + apart_in_words(rows)
        + (
            f" Even on the part learnt from, no policy within them was found with some seeds of {'; '.join(beyond)}: "
            "by how much they are exceeded there."
            if beyond
            else ""
        ),
        "",
    ]

"""Policies that were trained on the first part of one scaling of a log, on its rest and on that of other scalings."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import common
import numpy as np
import settings
from common import worst_group
from later_jobs import (
    CHOSEN_ON,
    GOAL_GROUP,
    GROUPS,
    LEAST_GAIN,
    best_of,
    idle_logs,
    interval,
    log_of,
    on_the_rest,
)

import paretosched as ps
from paretosched.comparison.intervals import LEAST_WEEKS, week_sums
from paretosched.core.tables import markdown
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import by_earlier_consumption

KINDS = {"rest-limits": "within the limits", "rest-easy": "with EASY", "rest-none": "without backfilling"}
COLUMNS = {"vs_easy": 1, "AWRT_vs_easy": 1, "worst_group_vs_easy": 0}  # with digits
Row = Mapping[str, str]


def measures(results: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each policy that was trained on the first part of a log its gains on the rest of other scalings."""
    for training, policies in trained_policies(results):
        if common.factor_of(training.logs[0]) != 1:
            for scaling in common.OTHER_SCALINGS[: 1 if quick else None]:
                yield from _of_scaling(training, policies, scaling, quick)


def over_weeks(results: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each of these policies its gains on the rest of the scaling that it learnt from, with intervals.

    They are of a block bootstrap over the weeks that were not learnt from.
    """
    for training, policies in trained_policies(results):
        later = _rest_of(common.workload(training.logs[0], settings.QUICK, quick))
        wish = ps.as_wish(settings.OBJECTIVE, later.groups)
        easy = week_sums(ps.simulate(later, "easy"))
        for seed, policy in policies.items() if len(easy.work) >= LEAST_WEEKS else ():
            schedule = ps.simulate(later, policy)
            row = {"training": training.name, "seed": seed, "weeks": len(easy.work)}
            row["AWRT"] = float(ps.objectives(schedule)[1])
            yield row | common.ends_of_gains([easy, week_sums(schedule)], wish)


def trained_policies(results: Path) -> Iterator[tuple[settings.Training, dict[int, ps.Policy]]]:
    """Yield the trainings on the first part of a log, each with its policies by seed, as far as they are there."""
    for training in settings.TRAININGS:
        files = {seed: results / "policies" / f"{training.file}-{seed}.json" for seed in training.seeds}
        policies = {seed: ps.load_policy(file) for seed, file in files.items() if file.exists()}
        if training.part.startswith("rest-") and policies:
            yield training, policies


def _rest_of(whole: ps.Workload) -> ps.Workload:
    """Return the last part of a log, in groups by consumption in the first."""
    return by_earlier_consumption(*split(whole, settings.TEST_SHARE))[1]


def _of_scaling(
    training: settings.Training, policies: Mapping[int, ps.Policy], scaling: int, quick: bool
) -> Iterator[dict[str, Any]]:
    """Yield a row for each policy of a training."""
    log = training.logs[0]
    later = _rest_of(common.stand_in(log, settings.QUICK) if quick else common.scaling_of(log, scaling))
    wish = resolved_on(ps.as_wish(f"{settings.OBJECTIVE}, {settings.LIMITS}", later.groups), later)
    easy = np.asarray(ps.objectives(ps.simulate(later, "easy")))
    for seed, policy in policies.items():
        values = np.asarray(ps.objectives(ps.simulate(later, policy)))
        overall, worst = common.overall_and_worst(later, easy, values)
        of_easy, value = goal(wish, np.array([easy, values])).tolist()
        yield {
            "training": training.name,
            "seed": seed,
            "scaling": scaling,
            "vs_easy": 100 * (1 - value / of_easy),
            "exceeded": float(violation(wish, values[None])[0]),
            "AWRT_vs_easy": overall,
            "worst_group_vs_easy": worst,
        }


def section(rows: Sequence[Row], tables: Mapping[str, Sequence[Row]], alone: Sequence[Row]) -> list[str]:
    """Return the section about other scalings; `alone` are the rows of untrained orders."""
    lines = []
    for part, name in KINDS.items():
        for training in dict.fromkeys(row["training"] for row in tables[part]):
            log, mine = log_of(training), [row for row in rows if row["training"] == training]
            if mine:
                gain = common.low_to_high(best_of(tables[part], training, "rest"), "vs_easy", 1)
                lines.append([name, log, gain, *cells_of(mine)])
    for policy in dict.fromkeys(row["policy"] for row in alone):
        for log, here in on_the_rest(alone, policy).items():
            if mine := of_untrained(alone, policy, log):
                lines.append([f"`{policy}`, untrained", log, f"{float(here['vs_easy']):+.1f} %", *cells_of(mine)])
    lines = [
        [how, f"{log}, chosen on" if log == CHOSEN_ON else log, *cells]
        for how, log, *cells in sorted(lines, key=lambda line: line[1] == CHOSEN_ON)
    ]
    idle = idle_logs(tables["rest-limits"])
    heads = ["order", "log", "scaling learnt from", "other scalings", "AWRT", "worst of all groups"]
    heads += ["limits kept (AWRT, groups 3 to 5)", f"also no group of all loses more than {-GOAL_GROUP:g} %"]
    return [
        "## Out of sample, on other scalings",
        "",
        *markdown(heads, lines, left=2),
        "",
        "The policies above, which have learnt on one scaling of each log, on the last 30 % of "
        f"{len(common.OTHER_SCALINGS)} others: the lowest and the highest of all seeds and scalings, in groups "
        f"made likewise. Limits: {settings.LIMITS}; they do not bound groups 1 and 2, those of the objective, which "
        f"the last column counts, too.{hidden_in_words(rows, alone)} "
        "LANL has 1,024 processors as it was recorded and is not scaled: nothing is known of it elsewhere."
        + "".join(f" {words}" for words in outside(rows, tables, tables["weeks"]))
        + kept_in_words(rows, "rest-limits", (*idle, CHOSEN_ON))
        + against_untrained(rows, alone, (*idle, CHOSEN_ON)),
        "",
    ]


def of_untrained(alone: Sequence[Row], policy: str, log: str) -> list[dict[str, str]]:
    """Return the rows of an untrained order on the rest of other scalings of a log, with the worst group's gain."""
    return [
        {**row, "worst_group_vs_easy": str(worst_group(row))}
        for row in alone
        if (row["policy"], row["log"], row["part"]) == (policy, log, "rest")
        and int(row["scaling"]) in common.OTHER_SCALINGS
    ]


def cells_of(rows: Sequence[Row]) -> list[str]:
    """Return the ends of the gains on other scalings, how often limits are kept, and how often no group loses much."""
    ends = [common.low_to_high(rows, key, digits) for key, digits in COLUMNS.items()]
    held = [float(row["exceeded"]) == 0 for row in rows]
    unhurt = [kept and not loses_much(row) for kept, row in zip(held, rows, strict=True)]
    return [*ends, *(f"{sum(cases)} of {len(rows)}" for cases in (held, unhurt))]


def loses_much(row: Row) -> bool:
    """Return whether a group of all loses more than the limits would allow it."""
    return float(row["worst_group_vs_easy"]) < GOAL_GROUP


def hidden_in_words(rows: Sequence[Row], alone: Sequence[Row]) -> str:
    """Return a sentence: where a group loses much although the limits are kept, as they do not bound it; or nothing."""
    found: dict[tuple[str, str], list[float]] = {}
    cases = [(KINDS[row["training"].rsplit("-", 1)[0]], log_of(row["training"]), row) for row in rows]
    for policy in dict.fromkeys(row["policy"] for row in alone):
        cases += [(f"under `{policy}`", log, row) for log in settings.LOGS for row in of_untrained(alone, policy, log)]
    for how, log, row in cases:
        if float(row["exceeded"]) == 0 and loses_much(row):
            found.setdefault((how, log), []).append(float(row["worst_group_vs_easy"]))
    words = [f"{len(losses)} of {log} {how} (down to {min(losses):,.0f} %)" for (how, log), losses in found.items()]
    return f" **Limits are kept and group 1 or 2 loses more all the same in {'; '.join(words)}.**" if words else ""


def against_untrained(rows: Sequence[Row], alone: Sequence[Row], left: Container[str]) -> str:
    """Return in how many cases a policy trained with EASY gains more than untrained orders with backfilling do there.

    `left` are the logs that do not count.
    """
    words = []
    for policy in settings.UNTRAINED["easy"]:
        gains = {
            (row["log"], row["scaling"]): float(row["vs_easy"])
            for row in alone
            if row["policy"] == policy and row["part"] == "rest"
        }
        pairs = [
            (float(row["vs_easy"]), gains[log_of(row["training"]), row["scaling"]])
            for row in rows
            if row["training"].startswith("rest-easy-")
            and log_of(row["training"]) not in left
            and (log_of(row["training"]), row["scaling"]) in gains
        ]
        if pairs:
            words.append(f"more than `{policy}` in {sum(a > b for a, b in pairs)} of {len(pairs)} cases")
    return f" Trained with EASY, they gain {', '.join(words)}." if words else ""


def outside(rows: Sequence[Row], tables: Mapping[str, Sequence[Row]], weeks: Sequence[Row]) -> list[str]:
    """Return a sentence for each training whose gain with the scaling learnt from is beyond that with all others."""
    words = []
    for part, name in KINDS.items():
        for training in dict.fromkeys(row["training"] for row in tables[part]):
            here = best_of(tables[part], training, "rest")
            gain = median(float(row["vs_easy"]) for row in here)
            others = [float(row["vs_easy"]) for row in rows if row["training"] == training]
            if others and not min(others) - LEAST_GAIN <= gain <= max(others) + LEAST_GAIN:
                sure = interval(training, here, weeks)
                words.append(
                    f"The {gain:+.1f} % of {log_of(training)}, trained {name}, is outside of what all other scalings "
                    f"give, and has {f'the interval {sure} %' if sure != '-' else 'no interval'}."
                )
    return words


def gains_in_words(rows: Sequence[Row], training: str) -> str:
    """Return from where to where a training's gains go on other scalings."""
    return common.low_to_high([row for row in rows if row["training"] == training], "vs_easy", 0)


def most_lost(alone: Sequence[Row], policy: str) -> tuple[float, str, float]:
    """Return what an untrained order loses at most on other scalings, and which group the most, with its loss; %."""
    rows = [row for log in settings.LOGS for row in of_untrained(alone, policy, log)]
    row = min(rows, key=worst_group)
    group = min((name for name in GROUPS if row[f"{name}_vs_easy"]), key=lambda name: float(row[f"{name}_vs_easy"]))
    return -min(float(row["vs_easy"]) for row in rows), group[4:], -worst_group(row)


def kept_in_words(rows: Sequence[Row], part: str, left: Container[str]) -> str:
    """Return a sentence: how often limits hold on other scalings of logs that are not left out; empty without any."""
    mine = [row for row in rows if row["training"].startswith(f"{part}-") and log_of(row["training"]) not in left]
    held = [row for row in mine if float(row["exceeded"]) == 0]
    unhurt = len(held) - sum(map(loses_much, held))
    return (
        f" Trained within the limits, they are kept in {len(held)} of {len(mine)} cases on logs where somebody waits, "
        f"without {CHOSEN_ON}, and in {unhurt} of these no group of all loses more than {-GOAL_GROUP:g} %."
        if mine
        else ""
    )

"""Policies that were trained on the first part of one scaling of a log, on the rest of other scalings of it."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import common
import numpy as np
import settings
from later_jobs import best_of, log_of

import paretosched as ps
from paretosched.core.tables import markdown
from paretosched.simulation.objective import objective_table
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation
from paretosched.workload.time_split import split
from paretosched.workload.user_groups import by_earlier_consumption

SEEDS = (1, 2, 3, 4)  # of scalings that nothing has learnt from
KINDS = {"rest-limits": "within the limits", "rest-easy": "with EASY", "rest-none": "without backfilling"}
COLUMNS = {"vs_easy": 1, "AWRT_vs_easy": 1, "worst_group_vs_easy": 0}  # with digits
Row = Mapping[str, str]


def measures(results: Path, quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each policy that was trained on the first part of a log its gains on the rest of other scalings."""
    for training in settings.TRAININGS:
        files = {seed: results / "policies" / f"{training.file}-{seed}.json" for seed in training.seeds}
        policies = {seed: ps.load_policy(file) for seed, file in files.items() if file.exists()}
        if training.part.startswith("rest-") and policies and common.factor_of(training.logs[0]) != 1:
            for scaling in SEEDS[: 1 if quick else None]:
                yield from _of_scaling(training, policies, scaling, quick)


def _of_scaling(
    training: settings.Training, policies: Mapping[int, ps.Policy], scaling: int, quick: bool
) -> Iterator[dict[str, Any]]:
    """Yield a row for each policy of a training."""
    log = training.logs[0]
    whole = common.workload(log, settings.QUICK, quick)
    if not quick:
        whole = ps.scale(common.log_of(log), common.PROCESSORS, common.factor_of(log), scaling)
    _, later = by_earlier_consumption(*split(whole, settings.TEST_SHARE))
    wish = resolved_on(ps.as_wish(f"{settings.OBJECTIVE}, {settings.LIMITS}", later.groups), later)
    names = [o.name for o in objective_table(later.groups)]
    easy = np.asarray(ps.objectives(ps.simulate(later, "easy")))
    for seed, policy in policies.items():
        values = np.asarray(ps.objectives(ps.simulate(later, policy)))
        gains = dict(zip(names, (100 * (1 - values / easy)).tolist(), strict=True))
        groups = [gain for name, gain in gains.items() if name not in ("UTIL", "AWRT") and not np.isnan(gain)]
        of_easy, value = goal(wish, np.array([easy, values])).tolist()
        yield {
            "training": training.name,
            "seed": seed,
            "scaling": scaling,
            "vs_easy": 100 * (1 - value / of_easy),
            "exceeded": float(violation(wish, values[None])[0]),
            "AWRT_vs_easy": gains["AWRT"],
            "worst_group_vs_easy": min(groups),
        }


def section(rows: Sequence[Row], tables: Mapping[str, Sequence[Row]], others: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the section about other scalings; `others` are logs of a part that were trained in other groups."""
    lines = []
    for part, name in KINDS.items():
        for training in dict.fromkeys(row["training"] for row in tables[part]):
            log, mine = log_of(training), [row for row in rows if row["training"] == training]
            if mine and log not in others.get(part, ()):
                here = best_of(tables[part], training, "rest")
                held = sum(float(row["exceeded"]) == 0 for row in mine)
                ends = [low_to_high(mine, key, digits) for key, digits in COLUMNS.items()]
                lines.append([name, log, low_to_high(here, "vs_easy", 1), *ends, f"{held} of {len(mine)}"])
    if not lines:
        return []
    heads = ["trained", "log", "scaling learnt from", "other scalings", "AWRT", "worst group", "limits kept"]
    return [
        "## Out of sample, on other scalings",
        "",
        *markdown(heads, lines, left=2),
        "",
        f"The policies above, which have learnt on one scaling of each log, on the last 30 % of {len(SEEDS)} others: "
        f"the lowest and the highest of all seeds and scalings. Limits: {settings.LIMITS}. LANL has 1,024 processors "
        "as it was recorded and is not scaled.",
        "",
    ]


def gains_in_words(rows: Sequence[Row], part: str, logs: Container[str]) -> str:
    """Return a part of a sentence: from where to where the gains of a part go on other scalings; empty without any."""
    mine = [row for row in rows if row["training"].startswith(f"{part}-") and log_of(row["training"]) in logs]
    return f", and on other scalings of them {low_to_high(mine, 'vs_easy', 1)}" if mine else ""


def kept_in_words(rows: Sequence[Row], part: str, idle: Container[str]) -> str:
    """Return a part of a sentence: how often limits hold on other scalings of logs on which somebody waits."""
    mine = [row for row in rows if row["training"].startswith(f"{part}-") and log_of(row["training"]) not in idle]
    held = sum(float(row["exceeded"]) == 0 for row in mine)
    return f", and on other scalings of the logs in {held} of {len(mine)} cases" if mine else ""


def low_to_high(rows: Sequence[Row], key: str, digits: int) -> str:
    """Return the ends of a column as text.

    >>> low_to_high([{"gain": "2.04"}, {"gain": "-1"}], "gain", 1)
    '-1.0 to +2.0 %'
    """
    values = [float(row[key]) for row in rows]
    return f"{min(values):+.{digits}f} to {max(values):+.{digits}f} %"

"""How certain gains are: intervals by a block bootstrap over the weeks of a log, of the rule bases in the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import common
import numpy as np
import settings
from reading import Row, best_untrained, gain, middle, rows_of, title

import paretosched as ps
from paretosched.comparison.intervals import PERCENT, week_sums
from paretosched.core.arrays import Floats
from paretosched.core.tables import markdown
from paretosched.policies.rule_base import RuleBase
from paretosched.policies.strategy_choice import STRATEGIES
from paretosched.wishes.wish import Wish, goal

KEY = ("training", "log", "seed")
OVER_ONE = "beyond"  # beyond: in the objective, over one strategy alone
AWRT = 1  # its place among the objectives


def of_trainings(results: Path, alone: Sequence[Row], quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each trained rule base its gains on the log that it learnt from, with intervals, and the log's weeks.

    Parameters
    ----------
    results
        The folder with `policies`.
    alone
        The rows of the strategies alone: which is the best of each log.
    quick
        Whether the logs are made up.
    """
    for training in settings.TRAININGS:
        if training.part == "choices":
            continue
        for log in training.logs:
            files = {seed: policy_file(results, training.name, log, seed) for seed in training.seeds}
            bases = {seed: ps.load_policy(file) for seed, file in files.items() if file.exists()}
            if bases:
                trained = common.rows(results / f"{training.part}.csv")
                strategy = best_of_thirteen(alone, rows_of(trained, training.name, log, "Greedy")[0])
                one = always(strategy, next(iter(bases.values())))
                jobs = common.workload(log, settings.QUICK, quick)
                for seed, row in zip(bases, gains_on(jobs, bases.values(), one), strict=True):
                    yield dict(zip(KEY, (training.name, log, seed), strict=True)) | {"one": strategy} | row


def best_of_thirteen(alone: Sequence[Row], greedy: Row) -> str:
    """Return the best strategy alone on a log: the Greedy of a training, or one of the twelve that nobody trains."""
    strategy, gains = best_untrained(alone, greedy["log"])
    return strategy if gains["objective"] >= gain(greedy) else "greedy"


def of_transfer(by_name: Mapping[str, ps.Policy], alone: Sequence[Row], quick: bool) -> Iterator[dict[str, Any]]:
    """Yield for each policy that was trained on CTC its gains on the other logs, with intervals.

    There `beyond` is over the strategy that is the best one on CTC and that nobody trained.
    """
    strategy, _ = best_untrained(alone, "CTC")
    one = always(strategy, next(iter(by_name.values())))
    for log in (*settings.LOGS, settings.RAISED):
        if log != "CTC":
            jobs = common.workload(log, settings.QUICK, quick)
            for name, row in zip(by_name, gains_on(jobs, by_name.values(), one), strict=True):
                yield dict(zip(KEY, (name, log, ""), strict=True)) | {"one": strategy} | row


def policy_file(results: Path, training: str, log: str, seed: int | str) -> Path:
    """Return where the policy of a training is kept."""
    name = f"{training}-{log}-{seed}".replace(",", "").replace(" ", "-")
    return results / "policies" / f"{name}.json"


def always(strategy: str, base: Any) -> RuleBase:
    """Return a strategy, used always; its Greedy and its groups are those of a rule base."""
    return RuleBase(
        "iterative",
        base.groups,
        base.priority,
        base.greedy,
        ((),) * (len(base.groups) + 2),
        np.array([STRATEGIES.index(strategy)]),
    )


def gains_on(jobs: ps.Workload, policies: Any, one: ps.Policy) -> Iterator[dict[str, Any]]:
    """Yield the gains of policies on a workload over EASY, and over one strategy; without weeks enough no intervals."""
    wish = ps.as_wish(settings.OBJECTIVE, jobs.groups)
    easy, single = (ps.simulate(jobs, policy) for policy in ("easy", one))
    of_easy, of_one = (week_sums(schedule) for schedule in (easy, single))
    for policy in policies:
        schedule = ps.simulate(jobs, policy)
        sums, gains = week_sums(schedule), gains_of(wish, [ps.objectives(each) for each in (easy, single, schedule)])
        ends = common.ends_of_gains([of_one, sums], wish)
        row = {"weeks": len(sums.work), **gains, **common.ends_of_gains([of_easy, sums], wish)}
        yield row | {f"{OVER_ONE}_{end}": ends[f"objective_{end}"] for end in ("low", "high")}


def gains_of(wish: Wish, values: Sequence[Floats]) -> dict[str, float]:
    """Return a policy's gains over EASY, and in the objective over one strategy; `values` has theirs, EASY's first."""
    of_easy, of_one, ours = goal(wish, np.array(values)).tolist()
    gains = {"objective": 100 * (1 - ours / of_easy), "AWRT": float(100 * (1 - values[2][AWRT] / values[0][AWRT]))}
    return gains | {OVER_ONE: 100 * (1 - ours / of_one)}


# --- words and tables -------------------------------------------------------------------------------------------------


def certain(rows: Sequence[Row], trained: Mapping[tuple[str, ...], Row]) -> list[str]:
    """Return the section with the intervals of the seed in the middle of each training.

    Parameters
    ----------
    rows
        Of `of_trainings`, and of others, which are left out.
    trained
        The rows of the trainings by training, log and seed: their objectives say which seed is in the middle.
    """
    lines = []
    for training, log in dict.fromkeys((row["training"], row["log"]) for row in rows):
        of_log = [row for row in rows if (row["training"], row["log"]) == (training, log)]
        if any(key_of(row) not in trained for row in of_log):
            continue
        ours = middle_of(of_log, trained)
        spread = [float(row[OVER_ONE]) for row in of_log]
        cells = [gain_and_interval(ours, name, digits) for name, digits in (("objective", 2), ("AWRT", 1))]
        cells.append(f"{ours['one']}: {gain_and_interval(ours, OVER_ONE, 2)}")
        seeds = f"{min(spread):+.2f} to {max(spread):+.2f} %" if len(spread) > 1 else "-"
        lines.append([training, title(log), ours["weeks"], *cells, seeds, verdict(of_log)])
    heads = ["training", "log", "weeks", "objective, than EASY", "AWRT, than EASY", "objective, than one strategy"]
    return [
        "## How certain: the weeks of a log",
        "",
        *markdown([*heads, "the same, all seeds", "better than it"], lines, left=2),
        "",
        f"Gains of the seed in the middle, on the log that it learnt from, with {PERCENT} % intervals by a block "
        "bootstrap over the weeks in which jobs were submitted: how far another choice of such weeks may move them. "
        "That the rules were chosen on these very jobs is not in them. One strategy: the best of the thirteen on that "
        "log, always, in the same draws. Better than it: yes, if the interval of every seed is above zero; no, if that "
        "of every seed is below; else **not told apart**.",
        "",
    ]


def key_of(row: Row) -> tuple[str, ...]:
    """Return training, log and seed of a row."""
    return tuple(row[name] for name in KEY)


def middle_of(rows: Sequence[Row], trained: Mapping[tuple[str, ...], Row]) -> Row:
    """Return the row of the seed in the middle by the objective of the training."""
    key = key_of(middle([trained[key_of(row)] for row in rows]))
    return next(row for row in rows if key_of(row) == key)


def gain_and_interval(row: Row, name: str, digits: int) -> str:
    """Return a gain in per cent, and its interval in brackets, if there is one."""
    return f"{float(row[name]):+,.{digits}f} %{in_brackets(row, name, digits)}"


def in_brackets(row: Row, name: str, digits: int) -> str:
    """Return the interval of a gain, in brackets; empty if there is none."""
    low, high = row[f"{name}_low"], row[f"{name}_high"]
    return f" ({float(low):+,.{digits}f} to {float(high):+,.{digits}f})" if low and high else ""


def verdict(rows: Sequence[Row], name: str = OVER_ONE) -> str:
    """Return whether the intervals of a gain are above zero with every seed, or below, or neither."""
    if not all(row[f"{name}_low"] for row in rows):
        return "-"
    if all(float(row[f"{name}_low"]) > 0 for row in rows):
        return "yes"
    return "no" if all(float(row[f"{name}_high"]) < 0 for row in rows) else "**not told apart**"


def told_apart(rows: Sequence[Row], training: str, logs: Sequence[str]) -> list[str]:
    """Return the logs on which the rules of a training are better than the best strategy alone with every seed."""
    by_log = {log: [row for row in rows if (row["training"], row["log"]) == (training, log)] for log in logs}
    return [log for log, of_log in by_log.items() if of_log and verdict(of_log) == "yes"]


def of_transfer_row(rows: Sequence[Row], policy: str, log: str) -> Row | None:
    """Return the row of a policy of CTC on another log; None without one."""
    return next((row for row in rows if (row["training"], row["log"]) == (policy, log)), None)

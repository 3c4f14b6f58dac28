"""Say what each ingredient of trained orders is worth, and how they do on other draws: results/orders/summary.md."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import run
import settings
from common import gain_of

from paretosched.core.tables import markdown

Row = Mapping[str, str]
WORSE = 1.0  # points, from which on the whole class is worse than one order
HEADS = ["gain", "limits kept", "AWRT", "worst group", "95 % wait"]
LAST = "last 30 %"  # of a log in results/online; its other parts are tenths


def main() -> None:
    """Write the summary."""
    options = common.analysis_parser("orders", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    ingredients, draws = (common.rows(options.results / f"{part}.csv") for part in run.PARTS)
    lines = ["# What is each ingredient of a trained order worth, and does it hold on other draws?", ""]
    later = {} if provenance["quick"] else on_later_jobs()
    lines += opening(provenance, ingredients, draws, later)
    lines += heading(provenance)
    lines += by_ingredient(ingredients) if ingredients else common.not_run(run.INGREDIENTS)
    lines += by_draw(provenance, draws, later) if draws else common.not_run(run.DRAWS)
    common.save_summary(options.results, lines)


# --- what the rows say ------------------------------------------------------------------------------------------------


def of(rows: Iterable[Row], **where: object) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row[key] == str(value) for key, value in where.items())]


def is_within(row: Row) -> bool:
    """Return whether the limits were kept."""
    return float(row["exceeded"]) == 0


def with_spread(values: Sequence[float]) -> str:
    """Return a mean in per cent, with the standard deviation if there are several values."""
    return f"{mean(values):+.1f}" + (f" ± {stdev(values):.1f}" if len(values) > 1 else "") + " %"


def cells_of(rows: Sequence[Row]) -> list[str]:
    """Return the cells of `HEADS`: means over seeds, with the spread of the gain."""
    return [
        with_spread([float(row["objective_vs_easy"]) for row in rows]),
        kept_in(rows),
        f"{mean(float(row['AWRT_vs_easy']) for row in rows):+.1f} %",
        f"{mean(map(common.worst_group, rows)):+.1f} %",
        f"{mean(map(common.longest_wait, rows)):.2f}",
    ]


def on_later_jobs() -> dict[str, list[Row]]:
    """Return what results/online has of policies on parts of logs: "tenths", and the last of a log and its scalings."""
    online = common.ROOT / "results" / "online"
    untrained, scalings = (common.rows(online / f"{name}.csv") for name in ("untrained", "scalings"))
    return {
        "tenths": [row for row in untrained if row["split"] != LAST],
        "last": of(untrained, log=settings.LOG, split=LAST),
        "scalings": of(scalings, log=f"{settings.LOG} {common.PROCESSORS}"),
    }


def kept_in(rows: Sequence[Row]) -> str:
    """Return in how many rows the limits were kept, as text; empty without rows."""
    return f"{sum(map(is_within, rows))} of {len(rows)}" if rows else ""


def policies_of(draws: Sequence[Row]) -> list[str]:
    """Return the names of all policies, those that are not trained first."""
    return list(dict.fromkeys(row["policy"] for row in draws))


def seed_gains(rows: Sequence[Row], draws: Sequence[int]) -> list[float]:
    """Return the mean gain over some draws of each seed."""
    return [
        gain_of([row for row in rows if row["seed"] == seed and int(row["draw"]) in draws])
        for seed in dict.fromkeys(row["seed"] for row in rows)
    ]


# --- the summary ------------------------------------------------------------------------------------------------------


def opening(
    provenance: Mapping[str, Any],
    ingredients: Sequence[Row],
    draws: Sequence[Row],
    later: Mapping[str, Sequence[Row]],
) -> list[str]:
    """Return the five sentences of the summary."""
    logs = list(dict.fromkeys(row["log"] for row in ingredients))
    seeds = {row["seed"] for row in ingredients}
    key, whole = (
        {log: gain_of(of(ingredients, log=log, ingredients=name)) for log in logs}
        for name in (settings.KEY, settings.CLASS)
    )
    ways = [f"{key[log]:.1f} and {whole[log]:.1f} % on {common.cut_name(provenance, log)}" for log in logs]
    possible = {log: float(of(ingredients, log=log)[0]["possible_vs_easy"]) for log in logs}
    trained_names = [name for name in policies_of(draws) if of(draws, policy=name)[0]["seed"]]
    others = provenance["others"]
    unseen = {name: [row for row in of(draws, policy=name) if int(row["draw"]) in others] for name in trained_names}
    lost = [name for name in trained_names if not all(map(is_within, unseen[name]))]
    return common.opening(
        f"What stands in the way of shorter response times of groups 1 and 2 ({provenance['objective']}) with limits "
        f"for the others ({provenance['limits']}): the order of the waiting jobs, or how they are backfilled; and does "
        "a policy hold when the log is scaled with another seed?",
        f"One trained order, and the whole class, beat EASY by {'; '.join(ways)}"
        + ("; so the order is most of it" if all(key[log] > whole[log] / 2 for log in logs) else "")
        + "; the most that one addition brought is "
        f"{max(worth_of(ingredients, logs).values(), default=0.0):.1f} points in the mean, and one group loses up to "
        f"{-min(map(common.worst_group, ingredients), default=0.0):.0f} %.",
        f"Little: {len(seeds)} training{'s' * (len(seeds) != 1)} of each on {len(logs)} logs, tried on the jobs learnt "
        f"from; on {len(others)} other scalings of {settings.LOG}, copies of the same jobs, limits are kept by "
        + ", ".join(f"`{name}` in {kept_in(rows)} ({gain_of(rows):+.1f} %)" for name, rows in unseen.items())
        + ".",
        f"Of {len(trained_names)} trained policies {len(lost)} break the limits on a scaling that they did not learn "
        "from, and how much better a policy could be is not known: no schedule, even one that knows the future, gains "
        f"more than {', '.join(f'{common.at_most(possible[log])} % on {log}' for log in logs)}.",
        what_to_do(draws, len(provenance["learnt"]), later),
    )


def gain_in(ingredients: Sequence[Row], log: str, name: str) -> float:
    """Return the gain of a class on a log, per cent."""
    return gain_of(of(ingredients, log=log, ingredients=name))


def searched_worse(ingredients: Sequence[Row], logs: Sequence[str]) -> str:
    """Return a sentence on the class that is searched worst beside the one order that it contains; "" if none is."""
    key = settings.KEY
    beside = [
        (gain_in(ingredients, log, name) - gain_in(ingredients, log, key), log, name)
        for log in logs
        for name in settings.INGREDIENTS
        if of(ingredients, log=log, ingredients=name) and of(ingredients, log=log, ingredients=key)
    ]
    points, log, name = min(beside, default=(0.0, "", ""))
    if points >= 0:
        return ""
    return (
        f" A class contains the one order, and is at times searched worse: on {log} `{name}` by {-points:.1f} points; "
        "so what an ingredient is worth is not known better than that."
    )


def worth_of(ingredients: Sequence[Row], logs: Sequence[str]) -> dict[str, float]:
    """Return the points that each ingredient adds to one order, in the mean over logs."""
    return {
        name: mean(gain_in(ingredients, log, name) - gain_in(ingredients, log, settings.KEY) for log in logs)
        for name in settings.INGREDIENTS
        if name not in (settings.KEY, settings.CLASS) and logs
    }


def safest(draws: Sequence[Row]) -> tuple[str, float]:
    """Return the policy that gains most of those that keep the limits on every draw, and its gain; "" if none does."""
    gains = {
        name: gain_of(rows)
        for name in policies_of(draws)
        if name != settings.EASY and all(map(is_within, rows := of(draws, policy=name)))
    }
    best = max(gains, key=lambda name: gains[name], default="")
    return best, gains.get(best, 0.0)


def what_to_do(draws: Sequence[Row], learnt: int, later: Mapping[str, Sequence[Row]]) -> str:
    """Return the last sentence: what keeps the limits on every whole draw, and how often on parts of logs."""
    best, gain = safest(draws)
    words = f"If the limits must hold, run `{settings.EASY}`"
    if best:
        parts = {name: of(rows, policy=best) for name, rows in later.items()}
        words += f": `{best}` keeps them on whole draws of {settings.LOG} only, all {len(of(draws, policy=best))} "
        words += f"({gain:+.1f} %)"
        if later:
            words += (
                f", but in {kept_in(parts['tenths'])} tenths of logs, and on {kept_in(parts['scalings'])} scalings of "
                f"{settings.LOG}'s {LAST} ([results/online](../online/summary.md))"
            )
    return f"{words}; else train on {learnt} scalings, and try the policy on later jobs first."


def heading(provenance: Mapping[str, Any]) -> list[str]:
    """Return the lines about logs and measures."""
    quick = common.quick_remark(provenance, "on made-up workloads")
    logs = ", ".join(f"{log} {w['jobs']:,} jobs" for log, w in provenance["workloads"].items())
    return [
        f"{quick}Logs scaled to {common.PROCESSORS:,} processors as in the papers: {logs}. Gains are (EASY - X) / EASY "
        "in per cent, positive is better; ± is the standard deviation over seeds. Gain: of the objective; AWRT: gain "
        "of the mean response time of all jobs; worst group: of the group that loses most; limits kept: in how many of "
        "the trainings, or of the draws, AWRT and each group stay within the limits. 95 % wait: of the group that "
        "loses most, as a multiple of EASY's; waits of less than an hour count as one. "
        f"{common.cut_remark(provenance, provenance['workloads'])}"
        f"{common.versions_text(provenance)}.",
        "",
    ]


def by_ingredient(rows: Sequence[Row]) -> list[str]:
    """Return the section about the ingredients, log by log."""
    lines = ["## Ingredient by ingredient", ""]
    lines += [
        f"The class is restricted to one order of the waiting jobs with EASY, and gets what the line says; each "
        f"training has {settings.EVALUATIONS:,} evaluations. The last column is the share of the way from EASY to what "
        f"is proved possible.{searched_worse(rows, list(dict.fromkeys(row['log'] for row in rows)))}",
        "",
    ]
    table = []
    for log in dict.fromkeys(row["log"] for row in rows):
        for name in settings.INGREDIENTS:
            mine = of(rows, log=log, ingredients=name)
            if mine:
                possible = float(mine[0]["possible_vs_easy"])
                table.append([log, name, *cells_of(mine), f"{100 * gain_of(mine) / possible:.0f} %"])
        table.append([log, "*proved possible at most*", f"+{common.at_most(possible)} %", "", "", "", "", "100 %"])
    return [*lines, *markdown(["log", "class", *HEADS, "of the possible"], table, left=2), ""]


def by_draw(provenance: Mapping[str, Any], draws: Sequence[Row], later: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section about the scaling draws."""
    learnt, others = provenance["learnt"], provenance["others"]
    table = []
    met: dict[str, list[str]] = {name: [] for name in settings.GOALS}
    for name in policies_of(draws):
        mine = of(draws, policy=name)
        within = {
            key: [row for row in mine if int(row["draw"]) in some] for key, some in (("0", learnt), ("1", others))
        }
        one, five, rest = (seed_gains(mine, some) for some in ([learnt[0]], learnt, others))
        for goal, gains, places in (("draw 0", one, learnt[:1]), ("five draws", five, learnt)):
            for seed, gain in zip(dict.fromkeys(row["seed"] for row in mine), gains, strict=True):
                inside = all(is_within(row) for row in mine if row["seed"] == seed and int(row["draw"]) in places)
                if seed and inside and gain >= settings.GOALS[goal]:
                    met[goal].append(f"`{name}`, seed {seed}: {gain:.1f} %")
        everywhere = [*within["0"], *within["1"]]
        table.append(
            [
                name,
                with_spread(one),
                with_spread(five),
                kept_in(within["0"]),
                with_spread(rest),
                kept_in(within["1"]),
                f"{mean(float(row['AWRT_vs_easy']) for row in everywhere):+.1f} %",
                f"{min(map(common.worst_group, everywhere)):+.1f} %",
                f"{max(map(common.longest_wait, everywhere)):.2f}",
                *(kept_in(of(later.get(part, ()), policy=name)) for part in ("tenths", "scalings")),
            ]
        )
    heads = ["policy", "draw 0", "draws learnt from", "limits kept", "other draws", "limits kept there", "AWRT"]
    heads += ["worst group of all", "longest 95 % wait of all", "limits kept, tenths", f"limits kept, {LAST}"]
    possible = [float(row["possible_vs_easy"]) for row in of(draws, policy=settings.EASY)]
    goals = "; ".join(
        f"{value:g} % on {name} within the limits: {', '.join(met[name]) or 'not reached'}"
        for name, value in settings.GOALS.items()
    )
    return [
        "## Scaling draws",
        "",
        f"{settings.LOG}, scaled with the seeds {', '.join(map(str, (*learnt, *others)))}; trained on the first of "
        f"them, or on the first {len(learnt)}, tried on all. At most "
        f"{common.at_most(min(possible))} to {common.at_most(max(possible))} % is proved possible.",
        "",
        *markdown(heads, table, left=1),
        "",
        *on_parts(safest(draws)[0], later),
        f"Goals: {goals}.",
        "",
    ]


def on_parts(policy: str, later: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the lines about policies on parts of logs, from results/online: what one of them exceeds there."""
    rows = {name: of(of_part, policy=policy) for name, of_part in later.items()}
    if not all(rows.values()) or not rows:
        return []
    slower, loss = (
        {name: -min(map(value, of_part)) for name, of_part in rows.items()}
        for value in (lambda row: float(row["AWRT_vs_easy"]), common.worst_group)
    )
    with_waits = [row for row in rows["tenths"] if row["log"] != "NASA"]
    return [
        "All draws are of the whole log, with copies of the same jobs at the same times. The last two columns are of "
        "[results/online](../online/summary.md), where each part begins on an empty machine and groups are by what "
        f"users consumed before it: tenths of logs, and the {LAST} of {settings.LOG} at {common.PROCESSORS:,} "
        f"processors, scaled with {len(rows['scalings'])} seeds. `{policy}` keeps the limits in "
        f"{kept_in(with_waits)} tenths without NASA, where nobody waits. It has an AWRT up to {slower['scalings']:.1f} "
        f"% longer than EASY's on these scalings, and the group that loses most loses up to {loss['scalings']:.0f} %; "
        f"on the {LAST} of {settings.LOG} as it was recorded AWRT is {slower['last']:.1f} % longer, and a group loses "
        f"{loss['last']:.0f} %.",
        "",
    ]


if __name__ == "__main__":
    main()

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

from paretosched.core.tables import markdown

Row = Mapping[str, str]
WORSE = 1.0  # points, from which on the whole class is worse than one order
HEADS = ["gain", "limits kept", "AWRT", "worst group", "95 % wait"]


def main() -> None:
    """Write the summary."""
    options = common.analysis_parser("orders", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    ingredients, draws = (common.rows(options.results / f"{part}.csv") for part in run.PARTS)
    lines = ["# What is each ingredient of a trained order worth, and does it hold on other draws?", ""]
    lines += opening(provenance, ingredients, draws)
    lines += heading(provenance)
    lines += by_ingredient(ingredients) if ingredients else common.not_run(run.INGREDIENTS)
    lines += by_draw(provenance, draws) if draws else common.not_run(run.DRAWS)
    common.save_summary(options.results, lines)


# --- what the rows say ------------------------------------------------------------------------------------------------


def of(rows: Iterable[Row], **where: object) -> list[Row]:
    """Return the rows that have these values."""
    return [row for row in rows if all(row[key] == str(value) for key, value in where.items())]


def gain_of(rows: Sequence[Row]) -> float:
    """Return the mean gain of some rows, per cent."""
    return mean(float(row["objective_vs_easy"]) for row in rows)


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
        f"{sum(map(is_within, rows))} of {len(rows)}",
        f"{mean(float(row['AWRT_vs_easy']) for row in rows):+.1f} %",
        f"{mean(map(common.worst_group, rows)):+.1f} %",
        f"{mean(map(common.longest_wait, rows)):.2f}",
    ]


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


def opening(provenance: Mapping[str, Any], ingredients: Sequence[Row], draws: Sequence[Row]) -> list[str]:
    """Return the five sentences of the summary."""
    logs = list(dict.fromkeys(row["log"] for row in ingredients))
    seeds = sorted({row["seed"] for row in ingredients})
    added = {
        name: mean(
            gain_of(of(ingredients, log=log, ingredients=name))
            - gain_of(of(ingredients, log=log, ingredients=settings.KEY))
            for log in logs
        )
        for name in settings.INGREDIENTS
        if name != settings.KEY and logs
    }
    single = {name: value for name, value in added.items() if name != settings.CLASS}
    learnt, others = provenance["learnt"], provenance["others"]
    trained_names = [name for name in policies_of(draws) if of(draws, policy=name)[0]["seed"]]
    unseen = {
        name: [row for row in of(draws, policy=name) if int(row["draw"]) in others] for name in policies_of(draws)
    }
    on_others = [
        f"`{name}` {gain_of(unseen[name]):+.1f} % ({sum(map(is_within, unseen[name]))} of {len(unseen[name])})"
        for name in trained_names
    ]
    first, *_ = sorted(single, key=lambda name: -single[name]) or [""]
    lost = [name for name in trained_names if not all(map(is_within, unseen[name]))]
    missing = [f"`{name}`" for name in provenance["learners"] if name not in trained_names]
    key = {log: gain_of(of(ingredients, log=log, ingredients=settings.KEY)) for log in logs}
    whole = {log: gain_of(of(ingredients, log=log, ingredients=settings.CLASS)) for log in logs}
    worse = [log for log in logs if whole[log] <= key[log] - WORSE]
    possible = {log: float(of(ingredients, log=log)[0]["possible_vs_easy"]) for log in logs}
    return common.opening(
        f"What stands in the way of the least {provenance['objective']} with {provenance['limits']}: the order of the "
        "waiting jobs, or how they are backfilled; and does a policy hold when the log is scaled with another seed?",
        "From one trained order with EASY to the whole class: "
        + ", ".join(f"{log} {key[log]:+.1f} to {whole[log]:+.1f} %" for log in logs)
        + f"; most of single ingredients adds `{first}`, {single.get(first, 0.0):+.1f} points in the mean over logs."
        + (f" On {', '.join(worse)} the larger class is searched worse than one order." if worse else ""),
        f"Trained with {len(seeds)} seed{'s' * (len(seeds) != 1)} on {len(logs)} logs, and tried there; and on "
        f"{len(others)} other draws of {settings.LOG}, with limits kept on so many: "
        f"{', '.join(on_others)}." + (f" Not trained so far: {', '.join(missing)}." if missing else ""),
        f"At most {', '.join(f'{possible[log]:.1f} % on {log}' for log in logs)} is proved possible, for schedules "
        "that know the future; "
        + (
            f"outside the limits on a draw that was not learnt from: {', '.join(f'`{name}`' for name in lost)}."
            if lost
            else "no trained policy is outside the limits on another draw."
        ),
        what_to_do(draws, len(learnt)),
    )


def what_to_do(draws: Sequence[Row], learnt: int) -> str:
    """Return the last sentence: what keeps the limits on every draw, and what gains most of what learnt from many."""
    kept = {
        name: gain_of(rows)
        for name in policies_of(draws)
        if name != settings.EASY and all(map(is_within, rows := of(draws, policy=name)))
    }
    best = max(kept, key=lambda name: kept[name], default="")
    return (
        f"If the limits must hold on every draw, run `{best or settings.EASY}`"
        + (f", which keeps them on all of {settings.LOG} and gains {kept[best]:.1f} % in the mean" if best else "")
        + f"; if in most, train on {learnt} draws, and try the policy on others."
    )


def heading(provenance: Mapping[str, Any]) -> list[str]:
    """Return the lines about logs and measures."""
    quick = common.quick_remark(provenance, "on made-up workloads")
    logs = ", ".join(f"{log} {w['jobs']:,} jobs" for log, w in provenance["workloads"].items())
    return [
        f"{quick}Logs scaled to {common.PROCESSORS:,} processors as in the papers: {logs}. Gains are (EASY - X) / EASY "
        "in per cent, positive is better; ± is the standard deviation over seeds. 95 % wait: of the group that loses "
        "most, as a multiple of EASY's; waits of less than an hour count as one. "
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
        "is proved possible.",
        "",
    ]
    table = []
    for log in dict.fromkeys(row["log"] for row in rows):
        for name in settings.INGREDIENTS:
            mine = of(rows, log=log, ingredients=name)
            if mine:
                possible = float(mine[0]["possible_vs_easy"])
                table.append([log, name, *cells_of(mine), f"{100 * gain_of(mine) / possible:.0f} %"])
        table.append([log, "*proved possible at most*", f"{possible:+.1f} %", "", "", "", "", "100 %"])
    return [*lines, *markdown(["log", "class", *HEADS, "of the possible"], table, left=2), ""]


def by_draw(provenance: Mapping[str, Any], draws: Sequence[Row]) -> list[str]:
    """Return the section about the scaling draws."""
    learnt, others = provenance["learnt"], provenance["others"]
    table = []
    met: dict[str, list[str]] = {name: [] for name in settings.GOALS}
    for name in policies_of(draws):
        mine = of(draws, policy=name)
        within = {
            key: [row for row in mine if int(row["draw"]) in some] for key, some in (("0", learnt), ("1", others))
        }
        kept = [f"{sum(map(is_within, part))} of {len(part)}" for part in within.values()]
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
                kept[0],
                with_spread(rest),
                kept[1],
                f"{mean(float(row['AWRT_vs_easy']) for row in everywhere):+.1f} %",
                f"{min(map(common.worst_group, everywhere)):+.1f} %",
                f"{max(map(common.longest_wait, everywhere)):.2f}",
            ]
        )
    heads = ["policy", "draw 0", "draws learnt from", "limits kept", "other draws", "limits kept there", "AWRT"]
    heads += ["worst group of all", "longest 95 % wait of all"]
    possible = [float(row["possible_vs_easy"]) for row in of(draws, policy=settings.EASY)]
    goals = "; ".join(
        f"{value:g} % on {name} within the limits: {', '.join(met[name]) or 'not reached'}"
        for name, value in settings.GOALS.items()
    )
    return [
        "## Scaling draws",
        "",
        f"{settings.LOG}, scaled with the seeds {', '.join(map(str, (*learnt, *others)))}; trained on the first of "
        f"them, or on the first {len(learnt)}, tried on all. At most {min(possible):.1f} to {max(possible):.1f} % is "
        "proved possible.",
        "",
        *markdown(heads, table, left=1),
        "",
        f"Goals: {goals}.",
        "",
    ]


if __name__ == "__main__":
    main()

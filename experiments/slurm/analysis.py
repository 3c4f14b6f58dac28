"""Write what a real Slurm did, beside what was simulated: results/slurm/summary.md and a figure of the gains."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import common
import settings

from paretosched.core.tables import markdown
from paretosched.plots.comparisons import bars

Row = Mapping[str, str]
POLICY = "policy"  # the twin of what is deployed
EASY = "processors"  # the columns of `nodes.csv` of a model that reserves processors, at every event
BESIDE = "Such a window counts in the rows of its log; the same without it stands below them."
LEAST_LOSS = 0.5  # per cent, from which on a group is said to lose
GROUPS = tuple(f"AWRT{number}" for number in range(1, 6))


def main() -> None:
    """Write the summary and the figure."""
    options = common.analysis_parser("slurm", __doc__).parse_args()
    provenance = common.load_provenance(options.results)
    rows = common.rows(options.results / "windows.csv")
    modelled = common.rows(options.results / "nodes.csv")
    most = {place(row): float(row["at most %"]) for row in common.rows(options.results / "bound.csv")}
    logs = list(dict.fromkeys(row["log"] for row in rows))
    lines = [
        "# What was simulated, and what a real Slurm did",
        "",
        *opening(rows, logs, most),
        *heading(provenance, rows),
    ]
    lines += [
        *gains(rows, logs, most),
        *groups(rows, logs),
        *agreement(rows, logs),
        *reserving(rows, logs),
        *common.kept_words(options.results)[1],
        *priorities(rows, modelled, logs),
    ]
    lines += care(rows, logs)
    common.save_summary(options.results, lines)
    if not options.no_figures:
        series = {
            "simulated, over simulated EASY": {
                place(row): predicted_gain(rows, row) for row in of(rows, settings.DEPLOYED, POLICY)
            },
            "on Slurm, over stock Slurm": {
                place(row): realised_gain(rows, row) for row in of(rows, settings.DEPLOYED, POLICY)
            },
        }
        title = "Gain of the trained policy, simulated and on Slurm"
        figure = bars(series, title=title, subtitle=provenance["objective"])
        figure.update_xaxes(title_text="improvement (%)")
        common.save_figures(options.results, {"gains": figure}, title)


# --- what the rows say ------------------------------------------------------------------------------------------------


def of(rows: Sequence[Row], system: str, twin: str, log: str | None = None) -> list[Row]:
    """Return the rows of a system beside a policy."""
    return [row for row in rows if (row["system"], row["twin"]) == (system, twin) and log in (None, row["log"])]


def stock_of(rows: Sequence[Row], row: Row) -> Row | None:
    """Return the row of the stock system in the same window; None if it was not run."""
    same = [other for other in of(rows, settings.STOCK, "easy", row["log"]) if other["window"] == row["window"]]
    return same[0] if same else None


def place(row: Row) -> str:
    """Return the name of a window."""
    return f"{row['log']} {row['window']}"


def gain(before: str, after: str) -> float:
    """Return a gain in per cent; NaN if a value is not defined."""
    return 100 * (1 - float(after) / float(before)) if before and after and float(before) else float("nan")


def predicted_gain(rows: Sequence[Row], row: Row, key: str = "objective") -> float:
    """Return the gain that the simulations of EASY and of the policy predict."""
    stock = stock_of(rows, row)
    return float("nan") if stock is None else gain(stock[f"simulated_{key}"], row[f"simulated_{key}"])


def realised_gain(rows: Sequence[Row], row: Row, key: str = "objective") -> float:
    """Return the gain of what was deployed over the stock system, both on Slurm."""
    stock = stock_of(rows, row)
    return float("nan") if stock is None else gain(stock[key], row[key])


def known_of(values: Sequence[float]) -> list[float]:
    """Return the values that are defined."""
    return [value for value in values if value == value]


def spread(values: Sequence[float], spec: str = "+.1f") -> str:
    """Return the mean and the standard deviation of the values that are defined."""
    known = known_of(values)
    if not known:
        return "-"
    more = f" ± {stdev(known):{spec.lstrip('+')}}" if len(known) > 1 else ""
    return f"{mean(known):{spec}}{more}"


def middle(values: Sequence[float]) -> str:
    """Return the median of numbers that are known as text; "-" if none is."""
    known = known_of(values)
    return f"{median(known):+.1f}" if known else "-"


def order_kept(row: Row) -> float:
    """Return the share of the pairs of jobs that started in the order of the simulation, per cent."""
    pairs = int(row["pairs"])
    return 100 * (1 - int(row["pairs_turned"]) / pairs) if pairs else float("nan")


def is_too_late(row: Row) -> bool:
    """Return whether a job was submitted later than its window is long."""
    return int(row["late_most"]) > 3600 * settings.MACHINES[row["log"]].hours


def also_without_late(rows: Sequence[Row], log: str) -> list[tuple[str, Sequence[Row]]]:
    """Return rows of a log under its name, and, if a job of one was too late, the others under a name that says so."""
    late = [row for row in rows if is_too_late(row)]
    others = [row for row in rows if row not in late]
    name = f"{log}, without {', '.join(dict.fromkeys(map(place, late)))}"
    return [(log, rows), *([(name, others)] if late and others else [])]


def difference(row: Row, key: str = "objective") -> float:
    """Return by how much a value on Slurm is larger than simulated, per cent."""
    return -gain(row[f"simulated_{key}"], row[key])


# --- the summary ------------------------------------------------------------------------------------------------------


def opening(rows: Sequence[Row], logs: Sequence[str], most: Mapping[str, float]) -> list[str]:
    """Return the five sentences of the summary; none if a log has no window with the policy and with stock Slurm."""
    both = {log: gains_of(rows, log) for log in logs}
    if not all(both.values()):
        return []
    simulated, real = ({log: [pair[k] for pair in both[log].values()] for log in logs} for k in (0, 1))
    every = {name: pair for log in logs for name, pair in both[log].items()}
    worst = min(every, key=lambda name: every[name][1])
    better = sum(of_slurm > 0 for _, of_slurm in every.values())
    medians = (f"{middle(real[log])} % on {log}, where {middle(simulated[log])} % was simulated" for log in logs)
    bounds = [words for log in logs if (words := in_bounds(rows, log, most))]
    differences = (f"{spread([b - a for a, b in both[log].values()])} points on {log}" for log in logs)
    losing = [words for log in logs for words in losers(rows, log)]
    order = (
        f"{mean(known_of([*map(order_kept, of(rows, settings.DEPLOYED, POLICY, log))])):.0f} % on {log}" for log in logs
    )
    deployed = {log: of(rows, settings.DEPLOYED, POLICY, log) for log in logs}
    minutes = {log: median(float(row["difference_median"]) for row in deployed[log]) / 60 for log in logs}
    waits = (f"{minutes[log]:.0f} minutes on {log}" for log in logs)
    return common.opening(
        f"Does a policy that is trained for {settings.OBJECTIVE}, response times of two user groups, gain on a real "
        "Slurm what was simulated, and how near is the simulation?",
        f"On Slurm the policy is better than stock Slurm in {better} of {len(every)} windows; the median gain is "
        f"{', and '.join(medians)}"
        + (f"; in the mean of windows {' and '.join(bounds)} was simulated." if bounds else "."),
        f"There are {' and '.join(f'{len(both[log])} windows of {log}' for log in logs)}, one run of each; the gain on "
        f"Slurm less the simulated one is {', and '.join(differences)} (mean and standard deviation of windows).",
        (f"Others pay: {', and '.join(losing)}; in" if losing else "In")
        + f" the worst window, {worst}, the gain is {every[worst][1]:+.1f} % where {every[worst][0]:+.1f} % was "
        f"simulated; and of pairs of jobs only {' and '.join(order)} start in the simulated order: Slurm reserves "
        "nodes.",
        "Set limits for the other groups, begin with `deploy --dry-run`, see by `review` what was kept, and trust the "
        f"median gain of many windows, not a single wait (off by {' and '.join(waits)} in the median).",
    )


def in_bounds(rows: Sequence[Row], log: str, most: Mapping[str, float]) -> str:
    """Return in words the simulated gain of a log's windows, of what is proved possible; "" where that is not known."""
    simulated = {name: pair[0] for name, pair in gains_of(rows, log).items() if name in most}
    bound = [most[name] for name in simulated]
    return (
        f"{mean(simulated.values()):+.1f} of at most {common.at_most(mean(bound))} % (proved) on {log}" if bound else ""
    )


def gains_of(rows: Sequence[Row], log: str) -> dict[str, tuple[float, float]]:
    """Return the simulated gain and that on Slurm, of each window of a log in which both are defined."""
    mine = of(rows, settings.DEPLOYED, POLICY, log)
    pairs = {place(row): (predicted_gain(rows, row), realised_gain(rows, row)) for row in mine}
    return {name: pair for name, pair in pairs.items() if len(known_of(pair)) == 2}


def losers(rows: Sequence[Row], log: str) -> list[str]:
    """Return in words which groups that are not in the objective lose on Slurm in the mean of windows, and how much."""
    deployed = of(rows, settings.DEPLOYED, POLICY, log)
    others = [key for key in GROUPS if key not in settings.OBJECTIVE]
    known = {key[4:]: known_of([realised_gain(rows, row, key) for row in deployed]) for key in others}
    losses = {group: -mean(values) for group, values in known.items() if values and mean(values) <= -LEAST_LOSS}
    if not losses:
        return []
    which = f"group{'s' * (len(losses) > 1)} {', '.join(losses)}"
    return [f"on {log} {which} lost {', '.join(f'{loss:.0f}' for loss in losses.values())} %"]


def near_to_the_model(rows: Sequence[Row], logs: Sequence[str]) -> tuple[int, list[str]]:
    """Return how many schedulers were run, each log counted again, and which are as near as the goal."""
    shares = {
        f"{system.name} on {log}": known_of([order_kept(row) for row in of(rows, system.name, twin, log)])
        for system, log in product(settings.SYSTEMS, logs)
        for twin in [system.twins[0] or POLICY]
    }
    known = {name: median(values) for name, values in shares.items() if values}
    return len(known), [name for name, value in known.items() if value >= settings.PAIRS_GOAL]


def heading(provenance: Mapping[str, Any], rows: Sequence[Row]) -> list[str]:
    """Return the lines about windows and machines."""
    quick = common.quick_remark(provenance, "on a made-up log")
    machines = "; ".join(
        f"{log}: {one['nodes']} nodes of {one['cpus']}, windows of {one['hours']:g} h"
        for log, one in provenance["machines"].items()
    )
    return [
        f"{quick}Objective {provenance['objective']}, smaller is better. A real slurmctld, {provenance['rate']:g} "
        f"times faster than the clock. {machines}. Windows are drawn at random from the second half of a log (seed "
        f"{provenance['seed']}), the policy is trained on the first half. A window begins with what ran and waited "
        f"then; jobs that waited or came count. {len({place(row) for row in rows})} windows. "
        f"{common.versions_text(provenance)}.",
        "",
    ]


def gains(rows: Sequence[Row], logs: Sequence[str], most: Mapping[str, float]) -> list[str]:
    """Return the section about the gains of the trained policy."""
    lines = []
    for row in of(rows, settings.DEPLOYED, POLICY):
        cells = [place(row), row["counted"], f"{predicted_gain(rows, row):+.1f}", f"{realised_gain(rows, row):+.1f}"]
        stock = stock_of(rows, row)
        cells += ["-" if stock is None else f"{difference(stock):+.1f}", f"{difference(row):+.1f}"]
        bound = f"{common.at_most(most[place(row)])}" if place(row) in most else "-"
        lines.append([*cells, f"{order_kept(row):.1f}", bound])
    if not lines:
        return common.not_run("Gain of the trained policy")
    heads = ["window", "jobs", "gain simulated %", "gain on Slurm %", "stock: Slurm - EASY %", "Slurm - policy %"]
    heads += ["pairs in order %", "at most, proved %"]
    means = []
    for log in logs:
        mine = of(rows, settings.DEPLOYED, POLICY, log)
        simulated, real = ([f(rows, row) for row in mine] for f in (predicted_gain, realised_gain))
        both = known_of([b - a for a, b in zip(simulated, real, strict=True)])
        means.append(
            f"**{log}: {spread(simulated)} % simulated, {spread(real)} % on Slurm**; the difference of a window is "
            f"{spread(both)} points, at most {max(map(abs, both), default=float('nan')):.1f}. Median: "
            f"{middle(simulated)} % simulated, {middle(real)} % on Slurm, {middle(both)} points between them in one "
            f"window. On Slurm the policy is better than stock in {sum(gain > 0 for gain in known_of(real))} of "
            f"{len(known_of(real))} windows."
        )
    return [
        "## Gain of the trained policy",
        "",
        *[line for text in means for line in (text, "")],
        *markdown(heads, lines, left=1),
        "",
        "Gains are over EASY where simulated, over stock Slurm (order of submission, bf_job_part_count_reserve=1) on "
        "Slurm; ± is the standard deviation over windows. Pairs: of the jobs of which one came while the other waited, "
        "how many started in the order of the simulation. *At most*: what no schedule of the jobs that count can gain "
        "over EASY, also one that knows the future and has the machine for them alone (`run.py --part bound`).",
        "",
    ]


def groups(rows: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the section about each group."""
    lines = []
    for log in logs:
        for key in ("AWRT", *GROUPS):
            mine = of(rows, settings.DEPLOYED, POLICY, log)
            both = [[f(rows, row, key) for row in mine] for f in (predicted_gain, realised_gain)]
            if any(map(known_of, both)):
                lines.append([log, key, *map(spread, both)])
    if not lines:
        return []
    heads = ["log", "response time", "gain simulated %", "gain on Slurm %"]
    return ["## Each group", "", *markdown(heads, lines, left=2), ""]


def agreement(rows: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the section about single waits."""
    lines = []
    for system in settings.SYSTEMS:
        for twin in system.twins:
            for log in logs:
                of_log = of(rows, system.name, twin or POLICY, log)
                for name, mine in also_without_late(of_log, log) if of_log else []:
                    cells = [system.name, twin or "the policy", name, str(len(mine))]
                    cells.append(f"{median(float(row['difference_median']) for row in mine):.0f} s")
                    cells.append(f"{median(float(row['difference_p95']) for row in mine) / 60:.0f} min")
                    known = known_of([float(row["correlation"] or "nan") for row in mine])
                    cells.append(f"{median(known):.2f}" if known else "-")
                    shares, larger = [order_kept(row) for row in mine], [difference(row) for row in mine]
                    lines.append([*cells, spread(shares, ".1f"), spread(larger)])
    heads = ["on Slurm", "simulated", "log", "windows", "wait differs by", "95 %", "correlation"]
    heads += ["pairs in order %", "objective larger by %"]
    tried, near = near_to_the_model(rows, logs)
    reached = f"{len(near)} ({', '.join(near)})" if near else "none"
    goal = (
        f"Of {tried} schedulers and logs {reached} have the goal of {settings.PAIRS_GOAL:g} % of the pairs of jobs in "
        "the order of their simulation, in the median window."
    )
    beside = [BESIDE] if any(map(is_too_late, rows)) else []
    about = " ".join(["Medians over windows.", *too_late_in_words(rows), *beside, goal])
    return ["## Single waits", "", *markdown(heads, lines, left=3), "", about, ""]


def too_late_in_words(rows: Sequence[Row]) -> list[str]:
    """Return a sentence about every window in which a job was submitted later than the window is long."""
    late = {(place(row), row["system"]): row for row in rows if is_too_late(row)}
    return [
        f"In {name}, `{system}`, a job was submitted {int(row['late_most']):,} s late, in a window of "
        f"{settings.MACHINES[row['log']].hours:g} h (why: experiments/slurm/README.md)."
        for (name, system), row in late.items()
    ]


def reserving(rows: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the section about backfilling: how near it is to EASY and to conservative backfilling."""
    lines = []
    kinds = {
        settings.STOCK: "one reservation, bf_window_linear=1",
        settings.COARSE: "one reservation, as by default",
        settings.RESERVING: "reservations of all jobs, bf_window_linear=1",
    }
    others = {place(row) for row in rows if row["system"] in (settings.COARSE, settings.RESERVING)}
    for name, words in kinds.items():
        for log in logs:
            if of(rows, name, "easy", log):
                both = (
                    also_without_late([row for row in of(rows, name, twin, log) if place(row) in others], log)
                    for twin in ("easy", "conservative")
                )
                for (title, easy), (_, conservative) in zip(*both, strict=True):
                    cells = [words, title, str(len(easy))]
                    for mine in (easy, conservative):
                        cells.append(spread([order_kept(row) for row in mine], ".1f"))
                        cells.append(spread([difference(row) for row in mine]))
                    lines.append(cells)
    heads = ["Slurm", "log", "windows", "EASY: pairs %", "objective %", "conservative: pairs %", "objective %"]
    if not any(row["system"] == settings.RESERVING for row in rows):
        return common.not_run("Slurm's other backfilling")
    about = (
        "Pairs of jobs in the order of the simulation, and by how much the objective is larger on Slurm, in the "
        "windows that were run with other backfilling. By default Slurm plans starts in steps that double (30 s, "
        "60 s, ...), so that reservations are later than they could be."
    )
    about = " ".join([about, *too_late_in_words(rows), *([BESIDE] if any(map(is_too_late, rows)) else [])])
    return ["## Backfilling", "", *markdown(heads, lines, left=2), "", about, ""]


def kept_by(row: Row, model: str) -> float:
    """Return the share of the pairs of jobs that started in the order of a model, per cent; NaN if not compared."""
    pairs = row[f"{model} pairs"]
    return 100 * (1 - int(row[f"{model} turned"]) / int(pairs)) if pairs and int(pairs) else float("nan")


def priorities(rows: Sequence[Row], modelled: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the section about the model of priority/multifactor."""
    lines = []
    kinds = {
        settings.AGED: "age and size",
        settings.FAIR: "fair share, age and size",
        settings.AGELESS: "size; age does not count without slurmdbd",
    }
    for (name, words), log in product(kinds.items(), logs):
        mine = of(rows, name, settings.SLURM_CONF, log)
        if mine:
            asked, same = (sum(int(row[key]) for row in mine) for key in ("priority_pairs", "priority_pairs_agreed"))
            starts, larger = [order_kept(row) for row in mine], [difference(row) for row in mine]
            cells = [words, log, str(len(mine)), f"{100 * same / asked:.1f} of {asked:,}" if asked else "-"]
            cells += [spread(starts, ".1f"), spread(larger)]
            cells += goals_in_words(median(known_of(starts) or [0]), abs(mean(larger)))
            counted = [row for row in modelled if (row["system"], row["log"]) == (name, log)]
            cells += [spread([kept_by(row, EASY) for row in counted], ".1f")]
            cells += [spread([-gain(row[EASY], row["objective"]) for row in counted])]
            cells += [spread([order_kept(row) for row in of(rows, name, "easy", log)], ".1f")]
            lines.append(cells)
    if not lines:
        return common.not_run("The model of priority/multifactor")
    heads = ["priorities", "log", "windows", "sprio: pairs %", "starts: pairs %", "objective larger by %"]
    heads += [f"{settings.PAIRS_GOAL:g} % of pairs", f"within {settings.OBJECTIVE_GOAL:g} %"]
    heads += ["by processors: pairs %", "by processors: objective %", "as EASY: pairs %"]
    return [
        "## priority/multifactor",
        "",
        *markdown(heads, lines, left=2),
        "",
        "sprio: of the pairs of waiting jobs, at several moments of each window, how many have the order of the model. "
        "starts: of the pairs of which one came while the other waited, how many started in the order of "
        "`simulate --policy slurm.conf`, which reserves nodes and backfills once in bf_interval. The goals are for the "
        "median of these pairs and the mean of the objective. By processors: the same priorities where processors are "
        f"reserved, at every event. As EASY: without priorities. {on_other_windows(rows)}",
        "",
    ]


def on_other_windows(rows: Sequence[Row]) -> str:
    """Return what the model of fair shares says of windows other than those on which it was mended."""
    mine = of(rows, settings.FAIR, settings.SLURM_CONF)
    others = [row for row in mine if place(row) not in settings.MENDED_ON]
    if not others or len(others) == len(mine):
        return ""
    enough = sum(order_kept(row) >= settings.PAIRS_GOAL for row in mine)
    near = sum(abs(difference(row)) <= settings.OBJECTIVE_GOAL for row in mine)
    return (
        f"Two mistakes of the model were found in {', '.join(settings.MENDED_ON)} with fair shares, and mended: the "
        "choice of nodes, and that priorities are whole numbers. In the "
        f"{len(others)} other windows with fair shares {spread([order_kept(row) for row in others], '.1f')} % of the "
        f"pairs are in order, and the objective is larger by {spread([difference(row) for row in others])} %. Of all "
        f"{len(mine)} single windows, {enough} have {settings.PAIRS_GOAL:g} % of the pairs, and {near} are within "
        f"{settings.OBJECTIVE_GOAL:g} %. Counted together, so that a window with more pairs weighs more, "
        f"{together(mine)} are in order."
    )


def together(rows: Sequence[Row]) -> str:
    """Return how many pairs of all windows of a log are in order, by log, in words."""
    words = []
    for log in dict.fromkeys(row["log"] for row in rows):
        pairs, turned = (sum(int(row[key]) for row in rows if row["log"] == log) for key in ("pairs", "pairs_turned"))
        words.append(f"{100 * (1 - turned / pairs):.1f} % of {log}'s {pairs:,} pairs")
    return " and ".join(words)


def goals_in_words(kept: float, off: float) -> list[str]:
    """Return whether the goals for the pairs and for the objective are reached, "yes" or "no"."""
    return ["yes" if goal else "no" for goal in (kept >= settings.PAIRS_GOAL, off <= settings.OBJECTIVE_GOAL)]


def care(rows: Sequence[Row], logs: Sequence[str]) -> list[str]:
    """Return the section on whether clock, submissions and daemon kept up."""
    lines = []
    for log in logs:
        # a replay has a row for each simulation that it is compared with
        mine = list({(row["window"], row["system"]): row for row in rows if row["log"] == log}.values())
        passes = [row for row in mine if row["daemon_passes"]]
        cells = [log, f"{median(float(row['late_median']) for row in mine):.0f} s"]
        cells.append(f"{max(int(row['late_most']) for row in mine)} s")
        cells.append(f"{mean(float(row['longer_mean']) for row in mine if row['longer_mean']):.0f} s")
        cells.append(f"{median(float(row['daemon_period']) for row in passes):.0f} s" if passes else "-")
        cells.append(f"{max(int(row['daemon_longest_gap']) for row in passes)} s" if passes else "-")
        lines.append(cells)
    heads = ["log", "submitted late by", "at most", "jobs run longer by", "daemon: every", "longest gap"]
    about = too_late_in_words(rows)
    return ["## Did the clock keep up?", "", *markdown(heads, lines, left=1), "", *([*about, ""] if about else [])]


if __name__ == "__main__":
    main()

"""How much there is to gain on each log, and on LANL both ways; which logs lose work where runs are cut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

import settings
from reading import (
    KINDS,
    LANL,
    Paper,
    Row,
    best_alone,
    best_untrained,
    gain,
    in_paper,
    logs_in,
    middle,
    of_equal_budget,
    rows_of,
    title,
)

from paretosched.core.tables import markdown

MUCH = 1.0  # per cent of the work of a log: where cutting takes more, both ways should be run


def of_raised_requests(paper: Paper, tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section about LANL both ways: cut at the requests, and with requests raised."""
    lines = []
    ways = (("symbiotic", LANL), ("raised", settings.RAISED), ("iterative", LANL), ("iterative", settings.RAISED))
    for part, log in ways:
        rows = rows_of(tables[part], part, log)
        if not rows:
            continue
        ours = [gain(row) for row in rows]
        of_groups, without_wait = possible_on(tables["limits"], log)
        kind = "iterative" if part == "iterative" else "symbiotic"
        lines.append(
            [
                "runs cut" if log == LANL else "requests raised",
                kind,
                f"{float(paper[kind, LANL, 'objective']):+.2f} %",
                *(f"{x:+.2f} %" for x in (median(ours), min(ours), max(ours))),
                f"{gain(rows_of(tables[part], part, log, 'Greedy')[0]):+.2f} %",
                f"{best_alone(tables['alone'], log)[1]['objective']:+.2f} %",
                f"{best_untrained(tables['alone'], log)[1]['objective']:+.2f} %",
                f"{of_groups:+.2f} %",
                f"{without_wait:+.2f} %",
                f"{gain(middle(rows), 'AWRT'):+.1f} %",
                f"{min(gain(middle(rows), f'AWRT{g}') for g in range(1, 6)):+.1f} %",
                str(len(ours)),
            ]
        )
    heads = ["LANL", "rules", "paper", "ours: median", "lowest", "highest", "Greedy alone", "best strategy alone"]
    heads.append("best untrained one")
    return [
        "## LANL, cut or not",
        "",
        "A third of LANL's jobs ran beyond their requests. Cutting them there takes a quarter of all work, and the "
        "machine did not do so; what the paper did is not said.",
        "",
        *markdown([*heads, "groups 1 and 2 alone", "no job waits", "AWRT", "worst group", "seeds"], lines, left=2),
        "",
        of_cut_work(tables),
        "",
    ]


def much_cut(rows: Sequence[Row]) -> dict[str, float]:
    """Return the logs that lose more than a little of their work where runs are cut, with the per cent, most first."""
    shares = {row["log"]: float(row["work_percent"]) for row in rows}
    return {log: shares[log] for log in sorted(shares, key=lambda log: -shares[log]) if shares[log] > MUCH}


def run_one_way(rows: Sequence[Row]) -> list[str]:
    """Return the logs that lose more than a little of their work, but were run with runs cut only."""
    return [f"{log} ({share:.1f} %)" for log, share in much_cut(rows).items() if log != LANL]


def of_cut_work(tables: Mapping[str, Sequence[Row]]) -> str:
    """Return the sentence about the logs that lose work where runs are cut; empty if it was not measured."""
    cut, once = much_cut(tables["cut"]), run_one_way(tables["cut"])
    if not cut:
        return ""
    jobs = {row["log"]: f"{int(row['cut_jobs']):,} of {int(row['jobs']):,} jobs" for row in tables["cut"]}
    words = ", ".join(f"{log} ({jobs[log]}, {share:.2f} % of the work)" for log, share in cut.items())
    return (
        f"Cutting takes more than {MUCH:g} % of the work of {words}, as recorded; by `paretosched info`"
        + (f". With runs cut only were run: {', '.join(once)}." if once else ".")
    )  # fmt: skip


def possible_on(rows: Sequence[Row], log: str) -> tuple[float, float]:
    """Return the gains on a log with groups 1 and 2 alone, the best of the rules, and if no job waits."""
    gains = {row["system"]: gain(row) for row in rows if row["log"] == log}
    without_wait = gains.pop("nobody waits", float("nan"))
    return max(gains.values(), default=float("nan")), without_wait


def only_reading(paper: Paper, rows: Sequence[Row]) -> bool:
    """Return whether the paper's gains on LANL are possible with requests raised, and not with runs cut."""
    most = max(float(paper[kind, LANL, "objective"]) for kind in KINDS)
    cut, raised = (possible_on(rows, log)[1] for log in (LANL, settings.RAISED))
    return cut < most <= raised


def possible(paper: Paper, tables: Mapping[str, Sequence[Row]]) -> list[str]:
    """Return the section about the largest possible gain: without any wait, and with groups 1 and 2 alone."""
    lines, beyond, above, short = [], [], [], []
    for log in (*logs_in(tables["limits"]), settings.RAISED):
        of_log = [row for row in tables["limits"] if row["log"] == log]
        if not of_log:
            continue
        name, part = in_paper(log), "raised" if log == settings.RAISED else "symbiotic"
        alone_on_it, without_wait = possible_on(of_log, log)
        of_paper = {kind: float(paper[kind, name, "objective"]) for kind in KINDS}
        ours = [gain(row) for row in of_equal_budget(rows_of(tables[part], part, log))]
        beyond += [f"{log} ({kind})" for kind in KINDS if of_paper[kind] > without_wait]
        above += [f"{log} ({kind})" for kind in KINDS if alone_on_it < of_paper[kind] <= without_wait]
        if ours and median(ours) < of_paper["symbiotic"] <= alone_on_it:
            all_gains = [
                gain(row) for part in ("symbiotic", "better", "alone") for row in tables[part] if row["log"] == log
            ]
            short.append(f"{log} (the best of all that was tried: {max(all_gains):+.2f} %)")
        lines.append(
            [
                title(log),
                f"{int(paper['table 1', name, 'jobs']):,}",
                f"{int(of_log[0]['jobs']):,}",
                *(f"{of_paper[kind]:+.2f} %" for kind in KINDS),
                f"{median(ours):+.2f} %" if ours else "",
                f"{best_untrained(tables['alone'], log)[1]['objective']:+.2f} %" if tables["alone"] else "",
                f"{alone_on_it:+.2f} %",
                f"{without_wait:+.2f} %",
            ]
        )
    conclusions = []
    if beyond:
        conclusions.append(
            f"On our logs the paper's gain would be more than if no job ever waited on {', '.join(beyond)}."
        )
    if above:
        conclusions.append(f"It would be more than if the other groups were not there on {', '.join(above)}.")
    conclusions += with_requests_raised(paper, tables["limits"], [*beyond, *above])
    if short:
        conclusions.append(
            f"We gain less on {', '.join(short)}, though more is possible; what groups 1 and 2 alone would gain may "
            "take stopping jobs of others that run already, or leaving processors idle for jobs to come, and none of "
            "the thirteen strategies does either."
        )
    heads = ["log", "jobs, paper", "jobs, ours", "paper, symbiotic", "paper, iterative", "ours, symbiotic"]
    heads.append("best untrained strategy")
    return [
        "## How much there is to gain",
        "",
        *markdown([*heads, "groups 1 and 2 alone", "no job waits"], lines, left=1),
        "",
        " ".join(
            [
                "Groups 1 and 2 alone: all other jobs are taken away, the best of FCFS, EASY, CONS and List. No job "
                "waits: every job starts when it is submitted, a limit of any schedule.",
                *conclusions,
                "The paper's numbers of jobs are, but for scaling, those of the logs as they were recorded; ours are "
                "the archive's cleaned ones, without the floods of jobs of single users and partial executions: where "
                "the numbers differ, it is another workload, with other waits to save.",
            ]
        ),
        "",
    ]


def with_requests_raised(paper: Paper, rows: Sequence[Row], too_large: Sequence[str]) -> list[str]:
    """Return a sentence about the paper's gains that are too large on LANL with runs cut: with requests raised."""
    alone, without_wait = possible_on(rows, settings.RAISED)
    of_paper = {kind: float(paper[kind, LANL, "objective"]) for kind in KINDS}
    if not any(words.startswith(f"{LANL} (") for words in too_large) or not max(of_paper.values()) <= alone:
        return []
    return [
        f"That is so with LANL's runs cut at their requests: with requests raised {without_wait:+.1f} % is possible if "
        f"no job waits, and {alone:+.1f} % if the other groups are not there, so that both gains of the paper, "
        f"{' and '.join(f'{value:+.1f} % ({kind})' for kind, value in of_paper.items())}, fit."
    ]

"""What documents say in numbers: a claim is a document, its words, and the expression that yields the numbers.

In the words `{}` stands for a number, with the format in which it is printed; `quoted.py` has the expressions, over the
tables of `results/` and the papers' numbers. What is measured without an experiment is in `results/speed/`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from experiments.common import worst_group
from experiments.quoted import (
    GROUPS,
    MONTH,
    Results,
    Value,
    awrt_to_easy,
    baseline,
    bound,
    column,
    ends,
    evolution_behind,
    gain_of_paper,
    in_words,
    losers,
    losers_untrained,
    of_the_bound,
    of_training,
    of_two_cores,
    offline,
    on_the_rest,
    paper,
    position,
    slurm_gains,
    table4,
    untrained_on_the_rest,
    with_ends,
    worst_window,
)
from paretosched.core.limits import Limits

README, SLURM, IMPORTING, HOUSE = "README.md", "docs/slurm.md", "docs/importing.md", "CONTRIBUTING.md"
CLUSTER, COST = "docs/cluster.md", "experiments/README.md"
SPEED, READING, FRONTS = "docs/explanation/speed.md", "docs/reference/limits.md", "docs/explanation/fronts.md"
PAPER000, PAPER001, PAPER002, BEYOND = (
    f"docs/papers/{page}.md" for page in ("paper000", "paper001", "paper002", "beyond")
)
TOOLS, TUTORIAL = "docs/project/tools.md", "docs/tutorial/slurm.md"
MADE = ("_build", "results", "reference/api", "reference/commands", "reference/schemas")  # by the code, not by hand
DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = tuple(
    f"docs/{page}"
    for page in sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
    if not page.startswith(tuple(f"{folder}/" for folder in MADE))
)
DOCUMENTS = (README, HOUSE, *PAGES, COST)
LOGS = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96")
REPLAYED = ("KTH", "CTC")
PAYING = ("AWRT3", "AWRT4", "AWRT5")  # of the replayed policy: the groups that its objective does not have
F2, F3, FREE_SDSC00 = "trained on CTC, f2", "trained on CTC, best", "rest-easy-SDSC00"
FIRST, GUARDED, RAISED = "priority:1,2; backfill: easy", "guarded: 1, 2", "LANL, requests raised"


@dataclass(frozen=True)
class Claim:
    """Words of a document, with `{}` for each number, and the numbers."""

    document: str
    words: str
    values: Callable[[Results], Iterable[Value]]


def measurement(document: str, words: str, *names: str) -> Claim:
    """Return a claim about measurements of `results/speed/measured.csv`."""
    return Claim(document, words, lambda r: r.measurements(*names))


def row_of_table4(row: str, words: str, more: str = "") -> Claim:
    """Return the claim of a row of Table 4 on its page."""
    ours = ("evaluations", "front")
    return Claim(
        PAPER002,
        f"| {words} | {{:,.0f}} | {{:,.0f}} | {{:,.0f}} |{more}",
        lambda r: (table4(r, row, *ours)[0], paper("ci190_05", row, "NoS"), table4(r, row, *ours)[1]),
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        README,
        "{:,.0f} schedules of which none is better than another in every respect, out of {:,.0f} simulated in {} to "
        "{} minutes on {} cores",
        lambda r: (
            *table4(r, "weighting", "front", "evaluations"),
            in_words(table4(r, "weighting", "wall_seconds")[0] / 60),
            in_words(r.value("ctc1024/explorations", "wall_seconds", name="easy") / 60),
            in_words(r.value("ctc1024/explorations", "cores", name="easy")),
        ),
    ),
    # --- on a real Slurm
    Claim(
        SLURM,
        "In {} of them the policy is better; in one of KTH it is {:.0f} % worse where {:.0f} % better was promised",
        lambda r: (
            sum(value > 0 for value in slurm_gains(r, "objective", *REPLAYED)),
            *worst_window(r),
        ),
    ),
    measurement(SLURM, "run again, it was {:.1f} % better", "KTH 5 again"),
    # --- today's scheduler
    # --- the published numbers of papers 000 and 002
    *(
        Claim(
            PAPER000,
            f"| {name} | {{:,.{digits}f}} {unit} | {{:,.{digits}f}} {unit} | {{:+.2f}} % ({{:+.2f}} %) |",
            lambda r, name=name: baseline(r, name),
        )
        for name, unit, digits in (("UTIL", "%", 2), *((group, "s", 0) for group in GROUPS))
    ),
    Claim(
        PAPER000,
        "| {:.1f} % (f2) | {:.1f} % ({:.2f} to {:.2f}; f3), {:.1f} % with f2 |",
        lambda r: (
            gain_of_paper(),
            *with_ends(column(of_training(r, "none", "none"), "vs_easy")),
            median(r.values("greedy/none", "vs_easy", training="none", system="f2")),
        ),
    ),
    Claim(
        PAPER000,
        "{:.1f} % ({:.2f} to {:.2f}); AWRT {:.1f} to {:.1f} % better, worst group {:.0f} to {:.0f} %",
        lambda r: (
            *with_ends(column(rows := of_training(r, "easy", "easy"), "vs_easy")),
            *ends(column(rows, "AWRT_vs_easy")),
            *reversed(ends(map(worst_group, rows))),
        ),
    ),
    Claim(
        PAPER000,
        "KTH {:.1f}, LANL {:.1f} (requests raised: {:.1f}), SDSC00 {:.1f}, SDSC96 {:.1f} %, apart CTC {:.1f} %; on "
        "other scalings of SDSC00 {:.1f} to {:.1f} %; AWRT {:.1f} % better on SDSC00, worse on KTH ({:.1f} %), LANL "
        "({:.1f} %), SDSC96 ({:.1f} %) and CTC ({:.1f} %); worst group of any seed and scaling {:.0f} % (SDSC00), "
        "elsewhere {:.0f} to {:.0f} %",
        lambda r: (
            *on_the_rest(r, "vs_easy", "KTH", "LANL"),
            median(column(of_training(r, "rest-easy-raised", f"rest-easy-{RAISED}", "rest"), "vs_easy")),
            *on_the_rest(r, "vs_easy", "SDSC00", "SDSC96", "CTC"),
            *ends(r.values("greedy/scalings", "vs_easy", training=FREE_SDSC00)),
            *on_the_rest(r, "AWRT_vs_easy", "SDSC00", "KTH", "LANL", "SDSC96", "CTC"),
            *(*losers(r, "SDSC00"), *reversed(ends(losers(r, "CTC", "KTH", "LANL", RAISED, "SDSC96")))),
        ),
    ),
    Claim(
        PAPER000,
        "{:.0f} % of the gain on the last part of SDSC00 come from {:.0f} jobs",
        lambda r: r.words_of("greedy", r"(\d+) % of it from (\d+) jobs"),
    ),
    Claim(
        PAPER000,
        "priority:1,2; backfill: easy`, untrained | | KTH {:.1f}, LANL {:.1f} (requests raised: {:.1f}), SDSC00 "
        "{:.1f}, SDSC96 {:.1f} %, apart CTC {:.1f} %; AWRT {:.1f} to {:.1f} % worse; worst group of any scaling "
        "{:.0f} % (SDSC00); limits kept on none of {}",
        lambda r: (
            *untrained_on_the_rest(r, FIRST, "vs_easy", "KTH", "LANL", RAISED, "SDSC00", "SDSC96", "CTC"),
            *ends(-gain for gain in untrained_on_the_rest(r, FIRST, "AWRT_vs_easy", *LOGS)),
            *losers_untrained(r, FIRST, "SDSC00"),
            in_words(len([x for x in untrained_on_the_rest(r, FIRST, "exceeded", *LOGS) if x > 0])),
        ),
    ),
    Claim(
        PAPER000,
        "guarded: 1, 2`, untrained | | KTH {:.1f}, LANL {:.1f} (requests raised: {:.1f}), SDSC00 {:.1f}, "
        "SDSC96 {:.1f} %, apart CTC {:.1f} %; AWRT {:.1f} to {:.1f} % better; limits kept on all {}; on other scalings "
        "of SDSC00 {:.1f} to {:.1f} %, group 1, which no limit bounds, down to {:,.0f} %",
        lambda r: (
            *untrained_on_the_rest(r, GUARDED, "vs_easy", "KTH", "LANL", RAISED, "SDSC00", "SDSC96", "CTC"),
            *ends(untrained_on_the_rest(r, GUARDED, "AWRT_vs_easy", *LOGS)),
            in_words(len([x for x in untrained_on_the_rest(r, GUARDED, "exceeded", *LOGS) if x == 0])),
            *ends(
                float(row["vs_easy"])
                for row in r.rows("greedy/untrained", policy=GUARDED, part="rest", log="SDSC00")
                if row["scaling"] != "0"
            ),
            *losers_untrained(r, GUARDED, "SDSC00"),
        ),
    ),
    Claim(PAPER001, "no better than that strategy in {:.0f} of {:.0f} trainings", evolution_behind),
    Claim(
        PAPER001,
        "CTC's table gains {:.1f} % there if runs are cut, and with requests raised it is {:.1f} % worse than EASY",
        lambda r: [
            abs(r.value("gfs/applied", "objective_vs_easy", log=log, policy="iterative rules of CTC"))
            for log in ("LANL", "LANL, requests raised")
        ],
    ),
    Claim(
        PAPER001,
        "{:.1f} % better than EASY in the objective, where symbiotic rules are {:.1f} %. Of the policies in it one "
        "keeps the limits that an owner may set, EASY with these groups first, which is not trained either ({:.1f} %)",
        lambda r: [
            r.value("gfs/positions", "objective_vs_easy", policy=policy)
            for policy in ("fcfs by priority", "symbiotic rules", "easy by priority")
        ],
    ),
    Claim(
        PAPER001,
        "that strategy is the better one in {} of {} cases",
        lambda r: (
            sum(gain < 0 for gain in r.values("gfs/scalings", "beyond", training="symbiotic")),
            len(r.rows("gfs/scalings", training="symbiotic")),
        ),
    ),
    Claim(
        PAPER001,
        "{:.1f} % by symbiotic rules and {:.1f} % by iterative ones, where the best strategy alone has {:.1f} %",
        lambda r: (
            *(
                median(r.values(f"gfs/{part}", "vs_easy", log="LANL, requests raised", system="rules"))
                for part in ("raised", "iterative")
            ),
            max(r.values("gfs/alone", "vs_easy", log="LANL, requests raised")),
        ),
    ),
    Claim(
        PAPER000,
        "they hold there in {:.0f} of {:.0f} trainings, all on KTH, and on other scalings in {:.0f} of {:.0f} cases, "
        "CTC and NASA left out, in {:.0f} of which no group at all loses more than 25 %; worst group of any seed and "
        "scaling {:.0f} % (SDSC00)",
        lambda r: (
            *r.words_of("greedy", r"hold on the rest in (\d+) of (\d+) trainings, all on KTH"),
            *r.words_of("greedy", r"limits, they are kept in (\d+) of (\d+) cases.* in (\d+) of these no group"),
            min(r.values("greedy/scalings", "worst_group_vs_easy", training="rest-limits-SDSC00")),
        ),
    ),
    Claim(
        PAPER000,
        "A training at the paper's budget, 10,515 simulations of {:,.0f} jobs, took {:.0f} s on a machine with other "
        "work ({:.0f} s of CPU time, {:.0f} % of it in simulations)",
        lambda r: (
            r.value("ctc1024/baseline", "jobs", seed="0"),
            *r.measurements("training wall", "training CPU", "training simulations"),
        ),
    ),
    Claim(
        PAPER000,
        "by f2 the objective is {:.0f} and {:.0f} % worse than EASY's; by f3 it is {:.0f} and {:.0f} % better, but "
        "AWRT is {:.0f} and {:.0f} times EASY's, and the AWRT of group 4 is {} months",
        lambda r: (
            *(-value for value in position(r, F2, "objective_vs_easy", "KTH", "SDSC00")),
            *position(r, F3, "objective_vs_easy", "KTH", "SDSC00"),
            *awrt_to_easy(r, F3, "KTH", "SDSC00"),
            " or ".join(dict.fromkeys(in_words(x / MONTH) for x in position(r, F3, "AWRT4", "KTH", "SDSC00"))),
        ),
    ),
    Claim(
        PAPER000,
        "On CTC the f3 policy gains {:.0f} % of the {:.1f} % that no schedule can gain more than, but breaks the "
        "limits of the table above: the AWRT of group 4 is {:.0f} % longer than EASY's. The policy trained within them "
        "gains {:.0f} % of it, and {:.0f} % of the {:.1f} % of the best schedule",
        lambda r: of_the_bound(r, F3, "trained on CTC, with EASY"),
    ),
    Claim(
        PAPER002,
        "here all {:,.0f} took {:.0f} minutes on two cores ({:.0f} s; {:,.0f} s of CPU time in simulations and moves, "
        "{:.0f} % of what two cores have in that time)",
        lambda r: (
            *table4(r, "final", "evaluations"),
            table4(r, "final", "wall_seconds")[0] / 60,
            *table4(r, "final", "wall_seconds", "kernel_seconds"),
            100 * of_two_cores(r, "final"),
        ),
    ),
    row_of_table4("workload-permutation", "weak orders of the groups, whole workload"),
    row_of_table4("queue-permutation", "weak orders of the groups, waiting queue"),
    row_of_table4("nsga", "sequences, NSGA"),
    row_of_table4("nsga2", "sequences, NSGA-II"),
    row_of_table4("weighting", "weighting, NSGA-II"),
    row_of_table4("final", "merged"),
    Claim(
        PAPER002,
        "UTIL from {:.1f} %, paper: about {:.0f} %",
        lambda r: (
            *table4(r, "workload-permutation", "evaluated_UTIL_low"),
            paper("ci190_05", "starts", "UTIL lowest"),
        ),
    ),
    Claim(
        PAPER002,
        "AWRT1 from {:,.0f} s, paper: about {:,.0f} s",
        lambda r: (*table4(r, "weighting", "AWRT1_low"), paper("ci190_05", "weighting", "AWRT1 lowest")),
    ),
    Claim(
        PAPER002,
        "which {:.0f} of the {:.0f} claims of section 4.3 that were tested hold",
        lambda r: r.words_of("ci190_05", r"(\d+) of (\d+) claims hold"),
    ),
    Claim(
        PAPER002,
        "dominate {} one of its {:,.0f} points and {:.0f} % of the whole merged front",
        lambda r: (
            "every" if offline(r, "weighting_points_dominated_offline") == offline(r, "weighting_points") else "not",
            offline(r, "weighting_points"),
            100 * offline(r, "alone_dominates") / offline(r, "paper_points"),
        ),
    ),
    Claim(FRONTS, "EASY's AWRT can be shortened by {:.1f} % at most", lambda r: [bound(r, "AWRT")]),
    Claim(
        FRONTS,
        "can be {:.1f} % below EASY at most, and {:.1f} % if AWRT and the other groups",
        lambda r: (bound(r, "10 and 4"), bound(r, "10 and 4, AWRT and others <= EASY")),
    ),
    # --- limits of what is read
    *(
        Claim(
            READING,
            words,
            lambda _, names=names, scale=scale: [getattr(Limits(), n) / s for n, s in zip(names, scale, strict=True)],
        )
        for words, names, scale in (
            (
                "{:,.0f} jobs (which take 1 GB), {:,.0f} jobs in an import, {:,.0f} bytes in a line, {:.0f} MB of "
                "comment lines and {:.0f} GB in a log, {:.0f} times",
                ("jobs", "lives", "line", "header", "log", "ratio"),
                (1, 1, 1, 1e6, 1e9, 1),
            ),
            (
                "{:.0f} MB in a JSON file, {:.0f} MB and {:,.0f} rows in a CSV file, {:,.0f} rows x columns",
                ("json", "text", "rows", "cells"),
                (1e6, 1e6, 1, 1),
            ),
            (
                "{:.0f} MB for the evaluations of a run that is read, {:.0f} MB in a download, {:.0f} s of silence",
                ("run", "download", "wait"),
                (1e6, 1e6, 1),
            ),
        )
    ),
)

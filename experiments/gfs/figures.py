"""Figures 4 to 7 of paper 001, and the strategies of the rules of CTC."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import run
import settings
from reading import (
    KINDS,
    Paper,
    Row,
    best_untrained,
    by_log,
    gain,
    gain_of,
    gains_alone,
    in_paper,
    middle,
    than_iterative,
    title,
)

from paretosched.plots.comparisons import bars
from paretosched.plots.fronts import scatter
from paretosched.plots.rule_bases import decisions
from paretosched.policies.explanation import explain
from paretosched.policies.rule_base_explanation import RulesExplanation
from paretosched.simulation.objective import objective_table

PAPER = "paper 001"
LEFT_OUT = ("FCFS", "conservative by priority")  # of figure 6: far off, and among its neighbours; both are in the table


def draw(paper: Paper, tables: Mapping[str, Sequence[Row]], options: argparse.Namespace) -> dict[str, tuple[Any, str]]:
    """Return figures 4 to 7 and the strategies of the rules of CTC, each with its caption, by name."""
    figures: dict[str, tuple[Any, str]] = {}
    trained = {kind: by_log(tables, kind) for kind in KINDS}
    logs = list(dict.fromkeys(log for of_kind in trained.values() for log in of_kind))
    ours = {
        f"{kind} rules": {title(log): gain(middle(rows)) for log, rows in of_kind.items()}
        for kind, of_kind in trained.items()
    }
    of_paper = {
        f"{kind} rules": {title(log): float(paper[kind, in_paper(log), "objective"]) for log in of_kind}
        for kind, of_kind in trained.items()
    }
    untrained = {title(log): best_untrained(tables["alone"], log)[1]["objective"] for log in logs}
    ours["best untrained strategy"] = untrained if tables["alone"] else {}
    ours, of_paper = ({name: row for name, row in part.items() if row} for part in (ours, of_paper))
    if ours:
        figure = bars(ours, title="Figure 4: objective against EASY", subtitle=settings.OBJECTIVE, published=of_paper,
                      source=PAPER, first=1)  # fmt: skip
        figures["figure4"] = (
            figure,
            "Improvement of the objective over EASY on each log, LANL both ways; marks are the paper's, Tables 3 and "
            "4. Untrained: of the twelve strategies that nobody trains, the best on the log, always.",
        )
    beyond = than_iterative(tables)
    if beyond:
        names = ("symbiotic rules", "best untrained strategy")
        series = {name: {title(log): pair[i] for log, pair in beyond.items()} for i, name in enumerate(names)}
        marks = {names[0]: {title(log): float(paper["figure 5", in_paper(log), "objective"]) for log in beyond}}
        figure = bars(series, title="Figure 5: symbiotic against iterative rules", subtitle=settings.OBJECTIVE,
                      published=marks, source=PAPER, first=1)  # fmt: skip
        figure.update_xaxes(title_text="improvement over iterative rules (%)")
        figures["figure5"] = figure, "How much smaller the objective is than that of iterative rules."
    if tables["positions"]:
        front = run.front(options)
        names = [o.name for o in objective_table(front.groups)]
        places = {
            row["policy"]: np.array([float(row[name] or "nan") for name in names])
            for row in sorted(tables["positions"], key=untrained_first)  # so that none hides the rules
            if row["dominated_by"] and row["policy"] not in LEFT_OUT
        }
        figure = scatter(front, "AWRT1", "AWRT2", places, focus=list(places))
        figure.layout.title.text = "Figure 6: rules and the front of CTC"
        figures["figure6"] = (
            figure,
            "AWRT of the two groups of the objective: EASY, trained policies, strategies that nobody trained, and the "
            "known front.",
        )
    if tables["applied"]:
        series = {
            f"{kind} rules of CTC": {
                title(row["log"]): gain_of(row) for row in tables["applied"] if row["policy"] == f"{kind} rules of CTC"
            }
            for kind in KINDS
        }
        if tables["alone"]:
            name, _ = best_untrained(tables["alone"], "CTC")
            applied_to = dict.fromkeys(row["log"] for row in tables["applied"])
            series[f"{name}, always"] = {
                title(log): gains_alone(tables["alone"], log)[name]["objective"] for log in applied_to
            }
        figure = bars(series, title="Figure 7: the rules of CTC on other logs", subtitle=settings.OBJECTIVE, first=1)
        figures["figure7"] = (
            figure,
            "Improvement of the objective over EASY, LANL both ways, neither of AWRT nor of the groups that pay (see "
            "the table); always: the best untrained strategy on CTC; the paper's figure 7 is of its symbiotic rules.",
        )
    for kind, policy in run.trained_policies(options.results, "CTC").items():
        explanation = explain(policy)
        if isinstance(explanation, RulesExplanation):
            figures[f"{kind}-CTC"] = decisions(explanation), f"What the {kind} rules of CTC choose where."
    return figures


def untrained_first(row: Row) -> tuple[bool, bool]:
    """Return the key that puts EASY, then strategies that nobody trained, before the other policies."""
    return row["policy"] != "EASY", row["policy"] not in settings.BY_PRIORITY

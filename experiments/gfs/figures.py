"""Figures 4 to 7 of paper 001, and the strategies of the rules of CTC."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import run
import settings
from reading import KINDS, Paper, Row, gain, gain_of, logs_of, middle, rows_of

from paretosched.plots.comparisons import bars
from paretosched.plots.fronts import scatter
from paretosched.plots.rule_bases import decisions
from paretosched.policies.explanation import explain
from paretosched.policies.rule_base_explanation import RulesExplanation
from paretosched.simulation.objective import objective_table

PAPER = "paper 001"


def draw(paper: Paper, tables: Mapping[str, Sequence[Row]], options: argparse.Namespace) -> dict[str, tuple[Any, str]]:
    """Return figures 4 to 7 and the strategies of the rules of CTC, each with its caption, by name."""
    figures: dict[str, tuple[Any, str]] = {}
    ours = {
        f"{kind} rules": {log: gain(middle(rows_of(tables[kind], kind, log))) for log in logs_of(tables[kind], kind)}
        for kind in KINDS
    }
    of_paper = {
        f"{kind} rules": {log: float(paper[kind, log, "objective"]) for log in row}
        for kind, row in zip(KINDS, ours.values(), strict=True)
    }
    ours, of_paper = ({name: row for name, row in part.items() if row} for part in (ours, of_paper))
    if ours:
        figure = bars(ours, title="Figure 4: objective against EASY", subtitle=settings.OBJECTIVE, published=of_paper,
                      source=PAPER, first=1)  # fmt: skip
        figures["figure4"] = (
            figure,
            "Improvement of the objective over EASY on each log; marks are the paper's, Tables 3 and 4.",
        )
    both = [
        log
        for log in settings.LOGS
        if rows_of(tables["symbiotic"], "symbiotic", log) and rows_of(tables["iterative"], "iterative", log)
    ]
    if both:
        series = {
            log: 100 * (1 - float(middle(rows_of(tables["symbiotic"], "symbiotic", log))["objective"])
                        / float(middle(rows_of(tables["iterative"], "iterative", log))["objective"]))
            for log in both
        }  # fmt: skip
        name = "symbiotic against iterative"
        marks = {name: {log: float(paper["figure 5", log, "objective"]) for log in both}}
        figure = bars({name: series}, title="Figure 5: symbiotic against iterative rules", subtitle=settings.OBJECTIVE,
                      published=marks, source=PAPER, first=1)  # fmt: skip
        figures["figure5"] = figure, "How much smaller the objective of symbiotic rules is than that of iterative ones."
    if tables["positions"]:
        front = run.front(options)
        names = [o.name for o in objective_table(front.groups)]
        places = {
            row["policy"]: np.array([float(row[name] or "nan") for name in names])
            for row in tables["positions"]
            if row["dominated_by"] and row["policy"] != "FCFS"
        }
        figure = scatter(front, "AWRT1", "AWRT2", places, focus=list(places))
        figure.layout.title.text = "Figure 6: rules and the front of CTC"
        figures["figure6"] = (
            figure,
            "AWRT of the two groups of the objective: EASY, trained policies, and the known front.",
        )
    if tables["applied"]:
        series = {
            f"{kind} rules of CTC": {
                row["log"]: gain_of(row) for row in tables["applied"] if row["policy"] == f"{kind} rules of CTC"
            }
            for kind in KINDS
        }
        figure = bars(series, title="Figure 7: the rules of CTC on other logs", subtitle=settings.OBJECTIVE, first=1)
        figures["figure7"] = (
            figure,
            "Improvement of the objective over EASY, neither of AWRT nor of the groups that "
            "pay (see the table); the paper's figure 7 is of its symbiotic rules.",
        )
    for kind, policy in run.trained_policies(options.results, "CTC").items():
        explanation = explain(policy)
        if isinstance(explanation, RulesExplanation):
            figures[f"{kind}-CTC"] = decisions(explanation), f"What the {kind} rules of CTC choose where."
    return figures

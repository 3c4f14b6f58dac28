"""`paretosched explain`: what a policy does, in words, numbers and a figure."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from .console import show
from .file_kinds import Kind
from .options import POLICY, Name, new_command, takes_limits
from .parser import Parser

if TYPE_CHECKING:
    from ..policies.explanation import Explanation


def add_to(commands: argparse._SubParsersAction[Parser]) -> None:
    """Add the command and its options."""
    parser = new_command(
        commands,
        "explain",
        run,
        "explain a policy in words, numbers and a figure: which group's jobs overtake others and when, or which "
        "strategy a rule base chooses; and what to put into slurm.conf for it",
        "  paretosched explain policy.json\n"
        "  paretosched explain policy.json -o policy.png\n"
        "  paretosched explain rules.json -o rules.html\n"
        "  paretosched explain easy",
    )
    parser.add_argument("policy", metavar="POLICY", type=POLICY, help="policy .json file, or a name as for simulate")
    parser.add_argument(
        "-o",
        "--output",
        metavar="FIGURE",
        type=Name(writes=Kind.FIGURE),
        help="figure to write, for a policy with weights or rules: .html, or .png, .svg or .pdf, which need Chrome or "
        "Chromium",
    )
    takes_limits(parser)


def run(options: argparse.Namespace) -> None:
    """Explain a policy in words and as a figure."""
    from ..core.files import is_file
    from ..core.tables import to_json
    from ..deployment.slurm_words import slurm_words
    from ..policies.explanation import explain

    explanation = explain(options.policy)
    lines = slurm_words(explanation.policy, options.policy if is_file(options.policy) else "policy.json")
    if options.output is not None:
        _write_figure(explanation, options.output)
    if options.json:
        show(to_json(explanation.about() | {"slurm": lines}))
        return
    show(explanation.text())
    show()
    show("\n".join(lines))


def _write_figure(explanation: Explanation, path: str) -> None:
    from ..plots.policies import overtaking
    from ..plots.rule_bases import decisions
    from ..policies.rule_base_explanation import RulesExplanation
    from ..report.figure_files import write_figure

    if isinstance(explanation, RulesExplanation):
        title, figure = "which strategy where", decisions(explanation)
    else:
        title, figure = "who overtakes whom", overtaking(explanation)
    write_figure(path, f"{explanation.policy.name}: {title}", figure, explanation.prose())

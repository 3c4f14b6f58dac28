"""The directives `found`, `summary` and `paper-figure`: what `results/` says, read when the site is built.

    ```{found} greedy                 the five sentences with which a summary opens
    ```
    ```{summary} greedy               one section of the summary, by the beginning of its heading; without, all of them
    Table III
    ```
    ```{paper-figure} greedy figure1  a figure as `analysis.py` draws it from the tables of `results/`
    ```

Nothing here is copied by hand: if a table changes, `analysis.py` changes the summary, and the page follows.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


def lines_of(experiment: str) -> list[str]:
    """Return the lines of a summary."""
    return (ROOT / "results" / experiment / "summary.md").read_text(encoding="utf-8").splitlines()


class Found(SphinxDirective):
    """The five sentences with which a summary opens."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return them as a list."""
        sentences = [line for line in lines_of(self.arguments[0]) if re.match(r"- \*\*.*:\*\*", line)][:5]
        if len(sentences) != 5:
            raise ExtensionError(f"{self.get_location()}: the summary of {self.arguments[0]} has no five sentences")
        return self.parse_text_to_nodes("\n".join(LINK.sub(r"\1", line) for line in sentences))


class Summary(SphinxDirective):
    """Sections of a summary, with their tables; pictures and links are left to the page."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """Return the sections, their headings in bold."""
        wanted = [line for line in self.content if line.strip()]
        lines, found, inside = [], set(), not wanted
        for line in lines_of(self.arguments[0]):
            if line.startswith("## "):
                heading = line[3:]
                match = next((name for name in wanted if heading.startswith(name)), None)
                found |= {match} - {None}
                inside = not wanted or match is not None
                line = f"\n**{heading}**"
            if inside and not re.match(r"# |!\[|As a chart|- \*\*(What|How sure|Where it)", line):
                lines.append(LINK.sub(r"\1", line))
        if missing := set(wanted) - found:
            raise ExtensionError(f"{self.get_location()}: {self.arguments[0]} has no section {sorted(missing)}")
        return self.parse_text_to_nodes("\n".join(lines))


class PaperFigure(SphinxDirective):
    """A figure of `analysis.py`."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Return the figure as a part of the page."""
        experiment, name = self.arguments
        figure = figures_of(experiment)[name]
        chart = figure.to_html(full_html=False, include_plotlyjs=False)
        return [nodes.raw("", f'<div class="chart">{chart}</div>', format="html")]


@cache
def figures_of(experiment: str) -> Mapping[str, Any]:
    """Return the figures of an experiment that are drawn from its tables alone, by name."""
    sys.path[:0] = [str(path) for path in (ROOT, ROOT / "experiments") if str(path) not in sys.path]
    from experiments.check import scripts_of

    with scripts_of(experiment) as folder:
        source = compile((folder / "analysis.py").read_text(encoding="utf-8"), str(folder / "analysis.py"), "exec")
        module: dict[str, Any] = {"__name__": "analysis", "__file__": str(folder / "analysis.py")}
        exec(source, module)  # as `python experiments/.../analysis.py` does
        return DRAWN[experiment](module, ROOT / "results" / experiment)


def of_greedy(module: Mapping[str, Any], results: Path) -> Mapping[str, Any]:
    """Return the figures of paper 000 that need no front."""
    common = module["common"]
    tables = {name: common.rows(results / f"{name}.csv") for name in ("none", "trade-off")} | {"positions": []}
    return module["draw"](common.paper_values("greedy"), tables, argparse.Namespace())


def of_gfs(module: Mapping[str, Any], results: Path) -> Mapping[str, Any]:
    """Return the figures of paper 001 that need no front."""
    common = module["common"]
    names = ("symbiotic", "iterative", "raised", "alone", "applied")
    tables = {name: common.rows(results / f"{name}.csv") for name in names}
    paper = common.paper_values("gfs", ("item", "log", "quantity"))
    drawn = module["draw"](paper, tables | {"positions": []}, argparse.Namespace(results=results))
    return {name: figure for name, (figure, _) in drawn.items()}


def of_pgga(module: Mapping[str, Any], results: Path) -> Mapping[str, Any]:
    """Return the figures of paper 003."""
    rows = module["common"].rows
    return module["draw"](rows(results / "surfaces.csv"), rows(results / "convergence.csv"))


def of_groupopt(module: Mapping[str, Any], results: Path) -> Mapping[str, Any]:
    """Return the figures of paper 004."""
    common = module["common"]
    paper = common.rows(common.paper_file("groupopt"))
    names = ("workloads", "systems", "groups", "sizes", "open", "objectives", "classes")
    tables = {name: common.rows(results / f"{name}.csv") for name in names}
    return module["draw"](module["claims"](paper, tables["systems"]), paper, tables)


DRAWN = {"greedy": of_greedy, "gfs": of_gfs, "pgga": of_pgga, "groupopt": of_groupopt}


def setup(app: Any) -> dict[str, bool]:
    """Add the directives."""
    app.add_directive("found", Found)
    app.add_directive("summary", Summary)
    app.add_directive("paper-figure", PaperFigure)
    return {"parallel_read_safe": False, "parallel_write_safe": True}

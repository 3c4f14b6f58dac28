"""The pages of the site that are notebooks: their cells run, one after the other, and the figures are files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def run_cells(page: str, until: str) -> None:
    """Run the cells of a page up to the first one that has some words."""
    names: dict[str, object] = {}
    for cell in re.findall(r"```\{code-cell\}\n(.*?)```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL):
        exec(compile(cell, page, "exec"), names)  # our own page
        if until in cell:
            return
    raise LookupError(f"{page} has no cell with {until}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "figure"), [("howto/compare.md", "gains.html"), ("tutorial/notebook.md", "front.html")]
)
def test_a_notebook_writes_its_figure_to_a_file(
    page: str, figure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_cells(page, figure)
    assert (tmp_path / figure).read_text(encoding="utf-8").count('<figure id="figure">') == 1

"""Pieces of HTML: figures, tables and cells."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..plots.style import HOUR
from ..simulation.objective import Objective

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

OVER_TIME = "utilisation"
WIDE = ("parallel", "pairs", OVER_TIME)  # figures as wide as the page


def figure_html(key: str, drawn: Figure) -> str:
    """Return a figure, with its data in a script element; `key` is its id on the page."""
    label = html.escape(re.sub("<[^>]*>", " ", drawn.layout.title.text), quote=True)
    height = drawn.layout.height or 480
    return (
        f'<figure id="{key}"><div class="plot" role="img" aria-label="{label}" style="height:{height}px"></div>'
        f'<script type="application/json">{script_text(drawn.to_json())}</script></figure>'
    )


def table_html(heads: Sequence[str], lines: Sequence[str]) -> str:
    """Return a table of cells of a head, and lines, all of them HTML."""
    return (
        f'<div class="scroll"><table><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def head_cell(words: str, small: str = "") -> str:
    """Return a cell of a table's head; the words are HTML, with small ones below."""
    return f'<th scope="col">{words}' + (f"<small>{small}</small>" if small else "") + "</th>"


def objective_cell(o: Objective, value: float | None, below: str = "", strong: bool = False) -> str:
    """Return a cell with a value of an objective, natural units; `below` is HTML that follows in it."""
    if value is None:
        return "<td>–</td>"
    hint = f' title="{value:,.0f} s"' if o.unit == "s" else ""
    shown = f"<b>{objective_text(o, value)}</b>" if strong else objective_text(o, value)
    return f"<td{hint}>{shown}{below}</td>"


def number_cell(value: float | None, spec: str, unit: str = "", hint: str = "") -> str:
    """Return a cell with a number, written by a format specification; `hint` is an attribute of the cell."""
    return "<td>–</td>" if value is None else f"<td{hint}>{value:{spec}}{unit}</td>"


def objective_text(o: Objective, value: float) -> str:
    """Return the value of an objective as text: hours or per cent."""
    return f"{value / HOUR if o.unit == 's' else value:,.2f}"


def script_text(text: str) -> str:
    """Return JSON that is safe inside a script element: without "<" nothing in it can end the element."""
    return text.replace("<", "\\u003c")

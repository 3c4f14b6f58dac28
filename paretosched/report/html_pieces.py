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


def figure(key: str, picture: Figure) -> str:
    """Return the HTML of a figure, which the script of the page draws; `key` becomes its id."""
    label = html.escape(re.sub("<[^>]*>", " ", picture.layout.title.text or key), quote=True)
    size = f"height:{picture.layout.height or 480}px;min-width:{_least_width(picture)}px"
    return (
        f'<figure id="{key}"><div class="plot" role="img" aria-label="{label}" style="{size}"></div>'
        f'<script type="application/json">{inline(picture.to_json())}</script></figure>'
    )


def _least_width(picture: Figure) -> int:
    """Return the width in pixels below which a figure cannot be read; on a narrower screen it is scrolled sideways."""
    has_columns = len({axis.domain for axis in picture.select_xaxes()}) > 1
    return 1000 if has_columns or any(trace.type in ("parcoords", "splom") for trace in picture.data) else 500


def warning(sentence: str) -> str:
    """Return the box of a sentence without which all below it would be misunderstood; "" without one."""
    if not sentence:
        return ""
    head, dot, rest = html.escape(sentence).replace(" %", "&nbsp;%").partition(". ")
    return f'<p class="warning" role="note"><strong>{head}{dot}</strong>{rest}</p>'


def table(heads: Sequence[str], lines: Sequence[str]) -> str:
    """Return a table of rows that are HTML."""
    return (
        f'<div class="scroll"><table><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def head_cell(words: str, small: str = "") -> str:
    """Return the head of a column, with a second line if there is one."""
    return f'<th scope="col">{words}' + (f"<small>{small}</small>" if small else "") + "</th>"


def objective_cell(o: Objective, value: float | None, below: str = "") -> str:
    """Return the cell of an objective, natural units; undefined (None) is a dash."""
    if value is None:
        return "<td>–</td>"
    return f"<td>{value_text(o, value)}{below}</td>"


def number_cell(value: float | None, spec: str, unit: str = "", hint: str = "") -> str:
    """Return the cell of a number in a format, with words and a hint; undefined (None) is a dash."""
    return "<td>–</td>" if value is None else f"<td{hint}>{value:{spec}}{unit}</td>"


def value_text(o: Objective, value: float) -> str:
    """Return the value of an objective for people: hours or per cent."""
    return f"{value / HOUR if o.unit == 's' else value:,.2f}"


def inline(text: str) -> str:
    """Return JSON that is safe inside a script element: without "<" nothing in it can end the element."""
    return text.replace("<", "\\u003c")

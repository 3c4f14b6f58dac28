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


def _figure(key: str, drawn: Figure) -> str:
    label = html.escape(re.sub("<[^>]*>", " ", drawn.layout.title.text), quote=True)
    height = drawn.layout.height or 480
    return (
        f'<figure id="{key}"><div class="plot" role="img" aria-label="{label}" style="height:{height}px"></div>'
        f'<script type="application/json">{_inline(drawn.to_json())}</script></figure>'
    )


def _table(heads: Sequence[str], lines: Sequence[str]) -> str:
    return (
        f'<div class="scroll"><table><thead><tr>{"".join(heads)}</tr></thead>'
        f"<tbody>{''.join(lines)}</tbody></table></div>"
    )


def _head(words: str, small: str = "") -> str:
    return f'<th scope="col">{words}' + (f"<small>{small}</small>" if small else "") + "</th>"


def _cell(o: Objective, value: float | None, below: str = "", strong: bool = False) -> str:
    if value is None:
        return "<td>–</td>"
    hint = f' title="{value:,.0f} s"' if o.unit == "s" else ""
    shown = f"<b>{_value(o, value)}</b>" if strong else _value(o, value)
    return f"<td{hint}>{shown}{below}</td>"


def _number(value: float | None, spec: str, unit: str = "", hint: str = "") -> str:
    return "<td>–</td>" if value is None else f"<td{hint}>{value:{spec}}{unit}</td>"


def _value(o: Objective, value: float) -> str:
    return f"{value / HOUR if o.unit == 's' else value:,.2f}"


def _inline(text: str) -> str:
    """Make JSON safe inside a script element: without "<" nothing in it can end the element."""
    return text.replace("<", "\\u003c")

"""The table of waits of `comparison.waits_table` as HTML, as the page shows it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from itertools import starmap

from ..comparison.waits_table import (
    MEASURES,
    NOTABLE,
    REASONS,
    SLOWDOWN_WORDS,
    Cell,
    Reasons,
    head_words,
    reason_lines,
    wait_lines,
)
from ..core.errors import number_of
from ..simulation.service import Waits
from .html_pieces import head_cell

NOTE = (
    "Every job counts once, a small one as much as a large one. "
    f"↓ shorter, ↑ longer than {{}} by more than {NOTABLE:g} %. {SLOWDOWN_WORDS}"
)


def waits_table(
    waits: Mapping[str, Waits | None],
    people: Sequence[str],
    reference: str,
    waiting: Mapping[str, Reasons | None] | None = None,
) -> str:
    """Return the table of waits: a block of lines for all jobs and for each group, a column for each scheduler.

    Parameters
    ----------
    waits
        As for `wait_lines`; a name such as "A: the fairest" has its second part in small letters.
    people
        Who is in each group, in words, (G,).
    reference
        What the first scheduler is called in the note below the table.
    waiting
        For what jobs wait under the same schedulers, as for `reason_lines`; the last lines of the table.
    """
    lines = wait_lines(waits)
    if not lines:
        return ""
    first = next(iter(waits.values()))
    heads = ["<td></td><td></td>"]
    heads += [head_cell(*map(html.escape, head_words(name, waits))) for name in waits]
    bodies = []
    for place in dict.fromkeys(line.place for line in lines):
        rows: list[str] = []
        for line in (each for each in lines if each.place == place):
            who = "all jobs" if place == 0 else html.escape(people[place - 1])
            count = "" if first is None else number_of(int(first.jobs[place]), "job")
            head = f'<th scope="rowgroup" rowspan="{len(MEASURES)}">{who}<small>{count}</small></th>'
            cells = "".join(map(_cell, line.cells.values()))
            begin = "" if rows else ' class="begin"'
            rows.append(
                f'<tr{begin}>{"" if rows else head}<th scope="row">{MEASURES[line.measure][0]}</th>{cells}</tr>'
            )
        bodies.append(f"<tbody>{''.join(rows)}</tbody>")
    bodies.append(_reasons(waiting or {}))
    table = f'<table class="waits"><thead><tr>{"".join(heads)}</tr></thead>{"".join(bodies)}</table>'
    return f'<div class="scroll">{table}</div><p class="note">{NOTE.format(html.escape(reference))}</p>'


def _reasons(waiting: Mapping[str, Reasons | None]) -> str:
    """Return the lines of what jobs wait for; "" where there is nothing to say."""
    lines, (words, small) = reason_lines(waiting), REASONS
    if not lines:
        return ""
    first = f'<th scope="rowgroup" rowspan="{len(lines)}">{words}<small>{small}</small></th>'
    rows = [
        f'<th scope="row">{html.escape(reason)}</th>{"".join(starmap(_with_change, cells))}</tr>'
        for reason, cells in lines
    ]
    return f'<tbody><tr class="begin">{first}{"<tr>".join(rows)}</tbody>'


def _cell(cell: Cell | None) -> str:
    """Return the cell of a value; one that is not known is a dash."""
    if cell is None:
        return "<td>–</td>"
    return _with_change(cell.text, cell.change, cell.verdict)


def _with_change(words: str, beside: str, verdict: str = "") -> str:
    """Return a cell of two columns, one for what is said and one for its change."""
    return f'<td>{html.escape(words)}<span class="{f"change {verdict}".strip()}">{beside}</span></td>'

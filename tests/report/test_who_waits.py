"""The table of waits in a report has the words and the colours of the page."""

import re

import paretosched as ps
from paretosched.comparison.waits_table import wait_lines
from paretosched.report.who_waits import waits_table
from paretosched.simulation.service import waits
from support.zoo import ZOO


def test_all_cells_are_there_and_names_are_text() -> None:
    workload = next(w for w in ZOO.values() if len(w.groups) > 1)
    measured = {"A: EASY": waits(ps.simulate(workload, "easy")), "B: <b>": waits(ps.simulate(workload, "fcfs"))}
    text = waits_table({**measured, "later": None}, [f"<i>{name}" for name in workload.groups], "A")
    lines = wait_lines(measured)
    assert len(re.findall("<tr", text)) == 1 + len(lines)
    for line in lines:
        for cell in line.cells.values():
            assert cell is not None
            assert f"<td>{cell.text}" in text
            assert not cell.change or f'<span class="change {cell.verdict}">{cell.change}</span>' in text
    assert "<b>" not in text
    assert "<i>" not in text
    assert text.count("<td>–</td>") == len(lines)
    assert waits_table({"recorded": None}, [], "recorded") == ""

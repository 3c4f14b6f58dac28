"""Comparisons on several logs, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..core.errors import number_of
from ..core.tables import Column, table
from ..wishes.wish import wish_text
from .comparison import IDEAL, Comparison
from .comparison_tables import distinct, with_sign


def joint_rows(comparisons: Sequence[Comparison]) -> list[dict[str, Any]]:
    """Return the rows of several comparisons, one workload after the other."""
    return [row for comparison in comparisons for row in comparison.rows()]


def joint_text(comparisons: Sequence[Comparison]) -> str:
    """Return comparisons as text for a terminal: each with its workload's name, then their gains in one table.

    The gains are those of the objective over EASY, one line a policy and one column a workload. One comparison alone is
    `Comparison.text`. What is another machine than that of its log is said before all.
    """
    if len(comparisons) == 1:
        return comparisons[0].text()
    parts = [f"{c.workload_name}: {c.other_machine}" for c in comparisons if c.other_machine]
    for c in comparisons:
        tables = replace(c, other_machine="").text()
        parts.append(f"{c.workload_name}: {number_of(c.jobs, 'job')} on {number_of(c.capacity, 'processor')}\n{tables}")
    gains = joint_gains(comparisons)
    if gains:
        names = list(dict.fromkeys(name for of_policy in gains.values() for name in of_policy))
        lines = [{"policy": p} | {n: with_sign(x) for n, x in of_policy.items()} for p, of_policy in gains.items()]
        columns = [Column("policy", "policy"), *(Column(name, name, ".1f") for name in names)]
        words = wish_text(next(c.wish for c in comparisons if c.wish is not None), hours=True)
        parts.append(f"all workloads: {words} vs EASY\n{table(lines, columns)}")
    return "\n\n".join(parts)


def joint_gains(comparisons: Sequence[Comparison]) -> dict[str, dict[str, float]]:
    """Return the objective's gains over EASY, policy to workload to per cent, where they are defined.

    Workloads of the same name are numbered. EASY, whose gains are all 0, and the ideal point are left out.
    """
    gains: dict[str, dict[str, float]] = {}
    for name, comparison in zip(distinct([c.workload_name for c in comparisons]), comparisons, strict=True):
        for row in comparison.rows()[1:]:
            gain = row.get("objective_vs_easy")
            if gain is not None and row["policy"] != IDEAL:
                gains.setdefault(row["policy"], {})[name] = gain
    return gains

"""What the best strategies gain on CTC that nobody has trained: those of paper 001, each alone (results/gfs)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import common
from later_jobs import GROUPS

Row = Mapping[str, str]
ALONE = common.ROOT / "results" / "gfs" / "alone.csv"
LOG, EASY, TRAINED = "CTC", "easy by wait", "greedy"  # as they are named there


def best_untrained(easy: Row, kind: str, path: Path = ALONE) -> dict[str, str]:
    """Return the strategy of a kind with the largest gain in the objective, with its gains over EASY, per cent.

    Parameters
    ----------
    easy
        The row of EASY on the workload of the trainings; strategies count if theirs has the same objective.
    kind
        How its waiting jobs are started: fcfs, easy or conservative.
    path
        The table of the strategies.

    Returns
    -------
    dict
        "system", "vs_easy", and "AWRT_vs_easy", "AWRT1_vs_easy" and so on; empty if there is none on this workload.
    """
    rows = {row["system"]: row for row in common.rows(path) if row["log"] == LOG}
    base = rows.get(EASY)
    if base is None or abs(float(base["objective"]) / float(easy["objective"]) - 1) > 1e-6:
        return {}
    found = [row for name, row in rows.items() if name.startswith(f"{kind} ") and name not in (EASY, TRAINED)]
    best = min(found, key=lambda row: float(row["objective"]))
    gains = {f"{name}_vs_easy": str(100 * (1 - float(best[name]) / float(base[name]))) for name in ("AWRT", *GROUPS)}
    return {"system": best["system"], "vs_easy": best["vs_easy"], **gains}


def in_words(row: Row) -> str:
    """Return the strategy and its gain in brackets; empty without one."""
    return f" ({row['system']}, untrained: {float(row['vs_easy']):.1f} %)" if row else ""

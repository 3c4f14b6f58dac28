"""Makespans by jobs, nodes, seed and method, from the results of run.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

NAMES = {"random": "Random", "fcfs": "FCFS", "list": "List", "lpt": "LPT", "tga": "TGA", "pgga": "PGGA"}
NAMES |= {"pgga-fcfs": "PGGA, FCFS in its first generation"}
Rows = list[dict[str, str]]


def column(rows: Iterable[Mapping[str, str]], key: str) -> np.ndarray:
    """Return a column as numbers, (rows,); NaN for empty cells."""
    return np.array([float(row[key] or "nan") for row in rows])


def by(rows: Rows, keys: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    """Return rows in groups by the values of `keys`, in their order."""
    groups: dict[tuple[str, ...], Rows] = {}
    for row in rows:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def mean_surfaces(rows: Rows, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return mean makespans over seeds, (jobs, nodes)."""
    jobs = sorted({int(row["jobs"]) for row in rows})
    nodes = sorted({int(row["nodes"]) for row in rows})
    cells = by(rows, ("jobs", "nodes"))
    return {
        name: np.array([[np.nanmean(column(cells[str(m), str(n)], name)) for n in nodes] for m in jobs])
        for name in names
    }


def last_iteration(rows: Rows) -> int:
    """Return the number of iterations of the convergence tests."""
    return max(int(row["iteration"]) for row in rows)

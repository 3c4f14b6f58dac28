"""Makespans by jobs, nodes, seed and method, as run.py has measured them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

NAMES = {"random": "Random", "fcfs": "FCFS", "list": "List", "lpt": "LPT", "tga": "TGA", "pgga": "PGGA"}
NAMES |= {"pgga-fcfs": "PGGA, FCFS in its first generation"}
Rows = list[dict[str, str]]


def column(found: Iterable[Mapping[str, str]], key: str) -> np.ndarray:
    """Return a column as numbers, NaN where nothing stands."""
    return np.array([float(row[key] or "nan") for row in found])


def by(found: Rows, keys: Sequence[str]) -> dict[tuple[str, ...], Rows]:
    """Group rows, in the order in which they stand."""
    groups: dict[tuple[str, ...], Rows] = {}
    for row in found:
        groups.setdefault(tuple(row[key] for key in keys), []).append(row)
    return groups


def mean_surfaces(every: Rows, names: Iterable[str]) -> dict[str, np.ndarray]:
    """Return mean makespans over seeds, (jobs, nodes)."""
    jobs = sorted({int(row["jobs"]) for row in every})
    nodes = sorted({int(row["nodes"]) for row in every})
    cells = by(every, ("jobs", "nodes"))
    return {
        name: np.array([[np.nanmean(column(cells[str(m), str(n)], name)) for n in nodes] for m in jobs])
        for name in names
    }


def last_iteration(found: Rows) -> int:
    """Return how long the convergence tests ran."""
    return max(int(row["iteration"]) for row in found)

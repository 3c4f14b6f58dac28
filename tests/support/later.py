"""Workloads with jobs that are not eligible when they are submitted, and what they are to a machine."""

import numpy as np

from paretosched import Workload


def later(workload: Workload, seed: int = 0) -> Workload:
    """Return a workload of which about a third of the jobs are eligible later, so that many pass each other."""
    rng = np.random.default_rng(seed)
    n = len(workload)
    most = int(workload.run.max()) + int(workload.submit[-1] - workload.submit[0]) // 4
    seconds = np.where(rng.random(n) < 1 / 3, rng.integers(0, most + 2, n), 0)
    seconds[rng.integers(n)] = most + 1
    grain = np.gcd.reduce(np.concatenate([workload.submit, workload.run]))  # coarse times stay coarse: with ties
    return workload.with_(eligible=workload.submit + -(-seconds // grain) * grain)


def arrival_workload(workload: Workload) -> tuple[Workload, np.ndarray]:
    """Return the workload whose submissions are the eligible seconds, and the rows in which its jobs are here."""
    rows = np.array(sorted(range(len(workload)), key=lambda row: (int(workload.eligible[row]), row)))
    columns = {key: getattr(workload, key)[rows] for key in ("run", "estimate", "width", "user", "group", "job")}
    records = None if workload.records is None else np.array([workload.records[row] for row in rows.tolist()])
    about = {key: getattr(workload, key) for key in ("capacity", "groups", "epoch", "zone")}
    return Workload(submit=workload.eligible[rows], records=records, **columns, **about), rows


def by_rows(values: np.ndarray, rows: np.ndarray) -> list[int]:
    """Return values of the jobs of `arrival_workload` in the order of the workload."""
    result = np.empty_like(values)
    result[rows] = values
    return result.tolist()  # type: ignore[no-any-return]

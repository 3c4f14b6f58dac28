"""Real logs and accounting of 2013 to 2026, read with the counts of a small parser of the test's own."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import paretosched as ps
from paretosched.workload.plausibility import doubts
from paretosched.workload.requests import requests_of


def modern(name: str) -> Path:
    """Return a file of the folder with such logs; without it the test is skipped, and says so."""
    folder = os.environ.get("PARETOSCHED_MODERN")
    if folder is None or not Path(folder, name).is_file():
        pytest.skip(f"NO MODERN LOGS: {name} is not in {folder}; set PARETOSCHED_MODERN to the folder that has it")
    return Path(folder, name)


def test_metacentrum_of_2013() -> None:
    path = modern("metacentrum-wagap-2013.swf.gz")
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file]
    ran = [row for row in rows if int(row[3]) > 0]
    changes: Counter[int] = Counter()
    for row in ran:
        changes[int(row[1]) + int(row[2])] += int(row[7])
        changes[int(row[1]) + int(row[2]) + int(row[3])] -= int(row[7])
    in_use = np.cumsum([changes[second] for second in sorted(changes)])
    w = ps.read_swf(path, overrun="raise")
    assert (len(rows), len(w), w.capacity) == (17_900, len(ran), int(in_use.max()))
    assert "1,531 processors taken, the largest recorded use at one time" in doubts(w)[0]
    assert ps.describe(w)["first_submit"].startswith("2012-12-31 23:22:27")
    assert w.work == sum(int(row[3]) * int(row[7]) for row in ran)
    row_of = {int(row[0]): row for row in ran}
    assert len(row_of) == len(ran)
    rows_by_job = [row_of[number] for number in w.job.tolist()]
    by_queue = ps.by_queue(w)
    assert [by_queue.groups[group] for group in by_queue.group] == [row[19] for row in rows_by_job]
    assert requests_of(w, "exclusive").tolist() == [int("#excl" in row[20]) for row in rows_by_job]
    # the different hosts of a job are its nodes, unless two of its nodes were the same
    hosts = np.array([len({*row[18].strip("{}").split(",")}) for row in rows_by_job])
    nodes = requests_of(w, "nodes")
    assert (hosts <= nodes).all()
    assert (hosts == nodes).mean() > 0.9
    assert w.names is not None
    for row, number in zip(rows_by_job, requests_of(w, "constraint").tolist(), strict=True):
        first, *properties = row[20].partition("#")[0].split(":")
        if (
            first.isdecimal()
            and properties[:1]
            and properties[0].startswith("ppn=")
            and "=" not in "".join(properties[1:])
        ):
            assert w.names.constraints.get(number, "") == ":".join(dict.fromkeys(properties[1:]))


def test_a_synthetic_log_of_learned_schedulers() -> None:
    path = modern("rlscheduler-lublin-256.swf.gz")
    with gzip.open(path, "rt") as file:
        rows = [line.split() for line in file if not line.startswith(";")]
    w = ps.read_swf(path)
    assert (len(w), w.capacity, w.work) == (len(rows), 256, sum(int(row[3]) * int(row[4]) for row in rows))
    assert doubts(w) == ()

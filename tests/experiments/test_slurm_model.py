"""The plain model of Slurm's backfilling: without nodes and intervals it is EASY, with them as reckoned by hand."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import paretosched as ps
from support.experiments import ROOT

MODULES = ("settings", "slurm_model", "slurm_records")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "experiments" / "slurm"))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module("slurm_model")
    for name in MODULES:
        sys.modules.pop(name, None)


def machine(jobs: Sequence[tuple[int, int, int]], capacity: int) -> ps.Workload:
    """Return jobs of which each has a submission, a run time that is its request, and a width."""
    submit, run, width = zip(*jobs, strict=True)
    return ps.Workload(submit=submit, run=run, estimate=run, width=width, capacity=capacity)


def in_turn() -> Any:
    return lambda _t, rows, _started, _ended: [-row for row in rows]


@pytest.mark.parametrize("seed", range(5))
def test_by_processors_and_at_every_event_it_is_the_suites_own_simulation(model: Any, seed: int) -> None:
    w = ps.lublin(200, 32, seed).with_(group=np.arange(200) % 5)
    used = "order: wait / 3600 - usage / 100000; backfill: easy; usage: group; half-life: 1h"
    for policy in map(ps.as_policy, ("easy", "order: (wait + 60) / area; backfill: easy", used)):
        start = model.starts(w, 0, 0, model.keys_of(policy, w))
        assert start == ps.simulate(w, policy).start.tolist()
        assert start != ps.simulate(w, "fcfs").start.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_by_nodes_and_each_minute_it_is_the_suites_own_simulation(model: Any, seed: int) -> None:
    w = ps.lublin(150, 32, seed).with_(group=np.arange(150) % 5)
    passes = "passes: every 1min window 300d step 1s tested 1000 first 1000"
    for order in ("fcfs", "10000 * min(wait / 86400, 1) + 4000 * (1 - width / 32)", "wait / 3600 - usage / 100000"):
        words = f"order: {order}; backfill: easy; usage: group; half-life: 1h"
        policy = ps.as_policy(f"{words}; nodes: 8 of 4; {passes}")
        start = model.starts(w, 8, 60, model.keys_of(policy, w))
        assert start == ps.simulate(w, policy).start.tolist()
        assert start != ps.simulate(w, words).start.tolist()


def test_by_the_policy_of_a_window_it_has_its_situations(model: Any) -> None:
    random = np.random.default_rng(3)
    w = ps.lublin(150, 32, 1)
    policy = ps.greedy(["f1", "f3", "f4"], random.uniform(0.1, 1, (3, 6)), groups=w.groups[:2], backfill="easy")
    two = w.with_(group=np.arange(len(w)) % 2, groups=w.groups[:2])
    assert model.starts(two, 0, 0, model.keys_of(policy, two)) == ps.simulate(two, policy).start.tolist()


def test_a_long_job_does_not_start_on_nodes_of_the_reservation(model: Any) -> None:
    # Two nodes of 4. Jobs 1 and 2 have 3 and 2 processors, of n1 and of n2, until 100 and 50. Job 3 wants 4: a whole
    # node has them first in second 50, n2. Job 4 is longer: EASY starts it on one of the processors that are left over.
    w = machine([(0, 100, 3), (0, 50, 2), (1, 100, 4), (2, 200, 1)], 8)
    assert model.starts(w, 0, 0, in_turn()) == [0, 0, 50, 2]
    # By nodes it starts at once, too: on n1, which is not reserved.
    assert model.starts(w, 2, 0, in_turn()) == [0, 0, 50, 2]
    # Job 1 has the whole of n1, and job 3 wants 3 processors of n2, so that EASY starts job 4 on the fourth of them.
    # But n2 is reserved: job 4 waits until job 3 has begun.
    full = machine([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 200, 1)], 8)
    assert model.starts(full, 0, 0, in_turn()) == [0, 0, 50, 2]
    assert model.starts(full, 2, 0, in_turn()) == [0, 0, 50, 50]
    # A short one ends before the reservation, and may start there.
    short = machine([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 48, 1)], 8)
    assert model.starts(short, 2, 0, in_turn()) == [0, 0, 50, 2]


def test_between_two_passes_only_the_first_jobs_start(model: Any) -> None:
    w = machine([(0, 100, 3), (1, 10, 4), (2, 10, 1), (3, 10, 1)], 4)
    assert model.starts(w, 0, 0, in_turn()) == [0, 100, 2, 12]
    assert model.starts(w, 0, 60, in_turn()) == [0, 100, 60, 110]  # the pass in second 120 is later
    assert model.starts(w, 0, 30, in_turn()) == [0, 100, 30, 60]


def test_what_it_says_of_a_window_is_compared_with_what_slurm_did(model: Any) -> None:
    w = machine([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 200, 1)], 8)
    counted = np.ones(4, dtype=bool)
    start = np.array([0, 0, 50, 60])
    row = model.comparison(w, counted, ps.as_policy("easy"), 2, lambda values: float(values[1]), start, None)
    assert row["nodes turned"] == 0
    assert row["processors turned"] == 1  # job 4 starts before job 3
    assert row["processors pairs"] == row["nodes pairs"] == 1
    assert row["nodes"] > row["processors"]
    unknown = model.comparison(w, counted, ps.as_policy("easy"), 2, lambda values: float(values[1]), None, None)
    assert unknown["nodes pairs"] is None
    assert unknown["nodes"] == row["nodes"]


def test_each_model_begins_without_usage(model: Any) -> None:
    """So that the last one compared says what it says alone."""
    w = ps.lublin(120, 32, 2).with_(group=np.arange(120) % 5)
    policy = ps.as_policy("order: wait / 3600 - usage / 100000; backfill: easy; usage: group; half-life: 1h")
    start = np.array(model.starts(w, 8, 60, model.keys_of(policy, w)))
    row = model.comparison(w, np.ones(120, dtype=bool), policy, 8, lambda values: float(values[1]), start, None)
    assert row["nodes each minute turned"] == 0
    assert row["processors turned"] > 0


def test_it_backfills_in_recorded_seconds_and_each_minute_after_them(model: Any) -> None:
    w = machine([(0, 100, 3), (1, 10, 4), (2, 10, 1), (3, 10, 1)], 4)
    assert model.starts(w, 0, [7, 31], in_turn()) == [0, 100, 7, 31]
    assert model.starts(w, 0, [7, 11], in_turn()) == [0, 100, 7, 71]
    assert [model.next_pass([7, 31], t) for t in (0, 7, 30, 31, 90, 91)] == [7, 31, 31, 91, 91, 151]


def test_the_seconds_of_slurm_are_those_of_its_priorities_too(model: Any) -> None:
    records = sys.modules["slurm_records"]
    w = ps.lublin(150, 32, 5).with_(group=np.arange(150) % 5)
    policy = ps.as_policy("order: 10000 * fairshare + wait / 1h; backfill: easy; fair-share: tree; half-life: 1h")
    policy = replace(policy, fair_share=replace(policy.fair_share, period=60))
    end = int(w.submit[-1]) + 10**6
    for second in (-1, 59, -61):  # priorities are new in seconds 0, 60, 120, ...
        seconds = records.Seconds(range(0, end, 60), second)
        expected = model.starts(w, 8, 60, model.keys_of(policy, w))
        assert model.starts_as_recorded(w, 8, policy, seconds) == expected
    moved = model.starts_as_recorded(w, 8, policy, records.Seconds(range(20, end, 60), 19))
    later = w.with_(submit=w.submit + 40, eligible=None)
    assert [t + 40 for t in moved] == model.starts(later, 8, 60, model.keys_of(policy, later))
    counted = np.ones(150, dtype=bool)
    row = model.comparison(w, counted, policy, 8, lambda values: float(values[1]), np.array(moved), seconds)
    assert row["nodes as recorded turned"] is not None
    none = model.comparison(w, counted, policy, 8, lambda values: float(values[1]), np.array(moved), None)
    assert none["nodes as recorded"] is none["nodes as recorded turned"] is None


# of a real slurmctld 22.05 with three nodes of 4, shortened
LOG = """[2026-01-05T00:00:59.651] priority/multifactor: _read_last_decay_ran: No last decay (/x) to recover
[2026-01-05T00:01:37.066] sched/backfill: _attempt_backfill: beginning
[2026-01-05T00:01:37.066] sched/backfill: _start_job: Started JobId=1 in main on n[1-2]
[2026-01-05T00:01:37.067] sched/backfill: _start_job: BACKFILL: Jobs backfilled since boot: 1
[2026-01-05T00:01:38.067] sched/backfill: _attempt_backfill: beginning
[2026-01-05T00:01:39.086] _job_complete: JobId=1 done
[2026-01-05T00:01:40.068] sched: Allocate JobId=3 NodeList=n[1-3] #CPUs=9 Partition=main
"""
JOBS = """
JobId=1 JobName=a Scheduler=Backfill JOB_GRES=(null)   Nodes=n1 CPU_IDs=0-3 Mem=0 GRES=   Nodes=n2 CPU_IDs=0-1 Mem=0
JobId=3 JobName=b Scheduler=Main JOB_GRES=(null)   Nodes=n[1-2] CPU_IDs=0-3 Mem=0 GRES=   Nodes=n3 CPU_IDs=0,2 Mem=0
"""


def test_the_log_of_slurmctld_says_when_it_backfilled_and_on_which_nodes_jobs_started(model: Any) -> None:
    records = sys.modules["slurm_records"]
    epoch = 1_767_571_200 + 60  # 2026-01-05 00:01 UTC
    seconds, starts = records.seconds_of(LOG, epoch), records.starts_of(LOG, JOBS)
    assert seconds == records.Seconds([37, 38], -1)
    assert starts == [records.Start(1, False, {0: 4, 1: 2}), records.Start(3, True, {0: 4, 1: 4, 2: 2})]
    assert records.from_json(json.loads(json.dumps(records.as_json(seconds, starts)))) == (seconds, starts)
    assert records.from_json({"start": [1]}) == (None, [])
    w = machine([(0, 2, 6), (0, 9, 10)], 12)
    spans = model.Spans([37, 40], [39, -1])
    assert model.same_nodes(w, 4, 3, starts, {1: 0, 3: 1}, spans) == (1, 1)
    other = [starts[0], starts[1]._replace(held={0: 2, 1: 4, 2: 4})]
    assert model.same_nodes(w, 4, 3, other, {1: 0, 3: 1}, spans) == (1, 0)

"""Orders of all jobs on a machine of nodes, beside an oracle that puts one job after the other."""

from dataclasses import replace

import numpy as np
import pytest

from paretosched import InputError, Workload, decode, explore, schedules, simulate
from paretosched.policies.decoded_orders import DECODINGS
from support.machine_zoo import crowded_case, random_case
from support.naive_machine import Busy, Job, Machine
from support.naive_rhythms import beyond, changes_of, place
from support.placing import as_runs, naive_of, runs_of

SEEDS = range(40)


def in_turn(machine: Machine, jobs: list[Job]) -> dict[int, Busy]:
    """Return what each job gets, by row: each in turn as soon as it is there, and those before it have started."""
    runs: dict[int, Busy] = {}
    t = 0
    for job in jobs:
        t = max(t, job.arrival)
        while (
            found := place(machine, job, [t], there := [run for run in runs.values() if run.end > t], there, t)
        ) is None:
            t = min(beyond(t, [*(run.end for run in there), *changes_of(machine)]))
        runs[job.row] = found
    return runs


def without_licences(w: Workload) -> Workload:
    """Return jobs that ask for no licences, as those that lack some stop nobody."""
    assert w.requests is not None
    return w.with_(requests=replace(w.requests, licences=[""] * len(w)), estimate=w.run)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_strict_order_equals_the_oracle(seed: int) -> None:
    w = without_licences(random_case(seed) if seed % 2 else crowded_case(seed))
    order = np.random.default_rng(seed).permutation(len(w))
    machine, jobs = naive_of(w)
    by_row = {job.row: job for job in jobs}
    runs = in_turn(machine, [by_row[row] for row in order.tolist()])
    schedule = decode(w, order).check()
    assert as_runs(schedule) == runs_of(w, runs)
    assert np.diff(schedule.start[order]).min() >= 0


def test_the_order_of_arrival_is_that_of_fcfs_where_all_partitions_are_of_one_tier() -> None:
    w = crowded_case(1)
    assert w.machine is not None
    parts = tuple(replace(part, tier=1) for part in w.machine.partitions)
    w = w.with_(machine=replace(w.machine, partitions=parts))
    assert decode(w, np.arange(len(w))).start.tolist() == simulate(w, "fcfs").start.tolist()


def test_earliest_times_are_refused_on_nodes_before_any_work() -> None:
    w = random_case(3)
    assert DECODINGS == ("strict", "earliest")
    words = r'decoding must not be "earliest" on a machine of nodes, but is; take "strict" for orders and sequences'
    with pytest.raises(InputError, match=words):
        decode(w, np.arange(len(w)), "earliest")
    for encoding in ("sequence", "weighting"):
        with pytest.raises(InputError, match=words):
            explore(w, evaluations=4, population=2, encoding=encoding, decoding="earliest")


@pytest.mark.parametrize("moves", ["pull", "fill", "group"])
def test_sequences_and_orders_of_groups_are_explored_on_nodes(moves: str) -> None:
    w = crowded_case(2)
    w = w.with_(group=np.arange(len(w)) % 2, groups=("a", "b"))
    found = explore(w, evaluations=12, population=4, encoding="sequence", decoding="strict", moves=moves)
    for front in (found, explore(w, encoding="orders")):
        for row, schedule in enumerate(schedules(front, range(len(front)), w)):
            assert schedule.check().objectives.array.tolist() == pytest.approx(front.values[row].tolist())

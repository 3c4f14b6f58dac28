"""Times of partitions send jobs to others, and leave all of them one."""

from dataclasses import replace

import numpy as np
import pytest

import paretosched as ps
from paretosched.encodings.partition_times import MOST_TIMES, partition_times

NAMES = ("long", "short", "gpu", "closed")


def case(seed: int, n: int = 30, step: int = 600) -> ps.Workload:
    """Return jobs that name some of four partitions, of which one takes no jobs, and ask for minutes to hours."""
    rng = np.random.default_rng([seed, 19])
    parts = [ps.Partition(name, "n[1-2]", longest=int(rng.integers(20, 40)) * 600) for name in NAMES]
    if seed % 2:
        parts[0] = ps.Partition("long", "n[1-2]")
    parts[2], parts[3] = replace(parts[2], hosts="g1", not_accounts=("b",)), replace(parts[3], up=False)
    named = [",".join(rng.permutation(NAMES)[: rng.integers(1, 4)]) for _ in range(n)]
    accounts = rng.choice(["a", "b"], n).tolist()
    asked = ps.Requests(tasks=rng.integers(1, 5, n), memory_per_node=[1] * n, partition=named, account=accounts)
    machine = ps.Machine((ps.NodeKind("n[1-2]", 4, 100), ps.NodeKind("g1", 2, 100)), tuple(parts))
    estimate = rng.integers(1, 24_000 // step, n) * step
    submit = np.sort(rng.integers(0, 9000, n))
    w = ps.Workload(submit, estimate // 2, estimate, asked.tasks, capacity=10, machine=machine, requests=asked)
    return w.take([row for row in range(n) if partitions_for(w, row, {}, at_all=True)])


def partitions_for(w: ps.Workload, row: int, times: dict[str, int], at_all: bool = False) -> set[str]:
    """Return in which partitions a job may start if some have other times, as plainly as possible."""
    assert w.machine is not None
    assert w.requests is not None
    longest = {part.name: part.longest for part in w.machine.partitions} | times
    found = set()
    for name in w.requests.partition.list()[row].split(","):
        is_small = name != "gpu" or (w.requests.tasks[row] <= 2 and w.requests.account.list()[row] != "b")
        in_time = at_all or longest[name] is None or w.estimate[row] <= longest[name]
        found |= {name} if is_small and in_time and name != "closed" else set()
    return found


@pytest.mark.parametrize("seed", range(20))
def test_values_hold_jobs_out_and_leave_each_a_partition(seed: int) -> None:
    w = case(seed)
    assert w.machine is not None
    values = partition_times(w, w.machine)
    lowest = {name: times[0] for name, times in values.items()}
    may = [row for row in range(len(w)) if partitions_for(w, row, {})]
    assert all(partitions_for(w, row, lowest) for row in may)
    for name, times in values.items():
        for value in times:
            at_all = [row for row in may if name in partitions_for(w, row, {}, at_all=True)]
            assert any(w.estimate[row] > value for row in at_all)
            is_today = value in {part.longest for part in w.machine.partitions if part.name == name}
            assert is_today or any(w.estimate[row] <= value for row in at_all)


def test_the_random_cases_are_of_use() -> None:
    found = [partition_times(w, w.machine) for w in map(case, range(20)) if w.machine is not None]
    assert {name for values in found for name in values} == {"long", "short", "gpu"}
    assert max(len(times) for values in found for times in values.values()) > 3


def test_the_values_are_few() -> None:
    w = case(1, 400, 60)
    assert w.machine is not None
    assert max(map(len, partition_times(w, w.machine).values())) in (MOST_TIMES, MOST_TIMES + 1)  # with that of today


def test_who_names_one_partition_is_sent_nowhere() -> None:
    w = case(1)
    assert w.machine is not None
    assert w.requests is not None
    alone = w.with_(requests=replace(w.requests, partition=["short"] * len(w)))
    assert partition_times(alone, w.machine) == {}

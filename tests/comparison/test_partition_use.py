"""What partitions use agrees with every job, second by second."""

import numpy as np
import pytest

from paretosched import Machine, NodeKind, Partition, Schedule
from paretosched.comparison.partition_use import (
    partition_of_jobs,
    partition_table,
    resources_in_use,
    use_by_partition,
)
from support.machine_zoo import TWO_PARTITIONS, case
from support.placing import ideal_schedule

W = TWO_PARTITIONS


def test_use_agrees_with_the_jobs_second_by_second() -> None:
    schedules = [ideal_schedule(W), ideal_schedule(W, 0)]
    assert len({tuple(partition_of_jobs(schedule).tolist()) for schedule in schedules}) == 1
    edges = np.array([0, 7, 50, 51, 200])
    told = use_by_partition(schedules, edges)
    assert set(told) == {"main", "gpu"}  # no job is in `rare`
    assert set(told["main"]) == {"CPUs", "memory"}  # its nodes have no GPUs
    assert set(told["gpu"]) == {"CPUs", "memory", "GPUs"}
    asked = {"CPUs": W.asked_amounts.cpus, "memory": W.asked_amounts.memory, "GPUs": W.asked_amounts.gpus}
    there = {"main": (12, 24000, 0), "gpu": (8, 16000, 2)}
    for name, number in (("main", 0), ("gpu", 1)):
        for what, total in zip(asked, there[name], strict=True):
            for q, schedule in enumerate(schedules if total else ()):
                for k, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True)):
                    held = sum(
                        asked[what][j] * max(0, min(high, schedule.finish[j]) - max(low, schedule.start[j]))
                        for j in range(len(W))
                        if schedule.placement.partition[j] == number
                    )
                    assert told[name][what][q, k] == pytest.approx(100 * held / total / (high - low)), (name, what)
    both = resources_in_use(schedules, edges)["memory"] * 32000 / 100
    assert both == pytest.approx(told["main"]["memory"] * 240 + told["gpu"]["memory"] * 160)
    assert partition_table(["EASY", "FCFS"], told).splitlines()[3].split()[0] == "FCFS"


def test_of_a_history_the_partition_is_the_first_that_a_job_names() -> None:
    recorded = Schedule(W, W.eligible)
    assert partition_of_jobs(recorded).tolist() == [0, 1, 1, 0, 1, 0]


def test_a_partition_that_is_the_whole_machine_is_not_told_again() -> None:
    whole = Machine((NodeKind("n[1-2]", 4, 8000),), (Partition("all", default=True), Partition("some", "n1")))
    schedule = ideal_schedule(case(whole, "0 9 -n1", "1 9 -n8"))
    assert use_by_partition([schedule], np.array([0, 20])) == {}

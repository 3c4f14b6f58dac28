"""Jobs that can never run on the empty machine are found, with the reason."""

from typing import Any

import numpy as np
import pytest

from paretosched import Machine, NodeKind, Outage, Partition, Requests
from paretosched.workload import unfit_jobs as u
from paretosched.workload.sbatch_options import read_options, requests_of_options

MACHINE = Machine(
    (
        NodeKind("n[1-4]", 8, 16000, features=("ib", "a")),
        NodeKind("g[1-2]", 8, 64000, {"v100": 2}, 1000, ("ib", "b")),
        NodeKind("x1", 64, 10**6, features=("c",)),
    ),
    (
        Partition("cpu", "n[1-4],x1", longest=3600, memory_per_cpu=1000, default=True),
        Partition("gpu", "g[1-2]", memory_per_node=4000, most_memory_per_node=32000),
        Partition("tight", "n[1-4]", most_memory_per_cpu=2000, nodes_most=2),
    ),
    {"matlab": 2},
    (Outage("x1"),),
)


def reason(text: str, limit: int = 0, machine: Machine = MACHINE) -> str:
    """Return why a job can never run, "" if it can."""
    number = int(u.unfit_jobs(machine, requests_of_options([read_options(text)]), np.array([limit]))[0])
    return "" if number < 0 else u.REASONS[number]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-n32", ""),
        ("-n33", u.TOGETHER),  # x1 is down for good
        ("-N1 -n8", ""),
        ("-N1 -n9", u.TOGETHER),
        ("-N5", u.TOGETHER),
        ("-N2-3 -n24", ""),
        ("-N2-3 -n25", u.TOGETHER),
        ("-n4 --ntasks-per-node=1", ""),
        ("-n5 --ntasks-per-node=1", u.TOGETHER),
        ("-c8 -n4", ""),
        ("-c9", u.TOGETHER),
        ("-c5 -n4", ""),
        ("-c5 -n5", u.TOGETHER),
        ("-p other", u.UNKNOWN_PARTITION),
        ("-p other,cpu", ""),
        ("-C a", ""),
        ("-C c", u.FEATURES),
        ("-C b", u.FEATURES),
        ("-p gpu -C b", ""),
        ("-p cpu,gpu -C b", ""),
        ("-p cpu,gpu -C 'a*1&b*1' -N2", u.TOGETHER),  # a job is in one partition
        ("-C 'a*4'", ""),
        ("-C 'a*5' -N5", u.TOGETHER),
        ("--mem=16000", ""),
        ("--mem=16001", u.MEMORY),
        ("--mem=0", ""),
        ("--mem-per-cpu=4000 -n16", ""),
        ("--mem-per-cpu=4000 -n17", u.TOGETHER),
        ("-p gpu --mem=32000", ""),
        ("-p gpu --mem=32001", u.MEMORY),
        ("-p tight --mem-per-cpu=4000 -n8", ""),  # twice the CPUs, on two nodes
        ("-p tight --mem-per-cpu=4000 -n9", u.TOGETHER),
        ("-p tight -n17", u.TOGETHER),
        ("--gres=gpu:1", u.GPUS),
        ("-p gpu --gres=gpu:2", ""),
        ("-p gpu --gres=gpu:3", u.GPUS),
        ("-p gpu --gres=gpu:a100:1", u.GPUS),
        ("-p gpu -G4 -n2", ""),
        ("-p gpu -G4", u.TOGETHER),
        ("-p gpu -G5 -n2", u.TOGETHER),
        ("-p gpu --gpus-per-task=1 -n4", ""),
        ("-p gpu --gpus-per-task=1 -n5", u.TOGETHER),
        ("-p gpu --tmp=1000", ""),
        ("--tmp=1000", u.DISK),
        ("-w n[1-2]", ""),
        ("-w g1", u.HOSTS),
        ("-w x1", u.HOSTS),
        ("-w n1 -x n1", u.HOSTS),
        ("-x n[1-3] -n9", u.TOGETHER),
        ("-w n1 -N1 -n8", ""),
        ("-C [a|b] -p gpu -N2", ""),
        ("-L matlab:2", ""),
        ("-L matlab:3", u.LICENCES),
        ("-L other", u.LICENCES),
    ],
)
def test_reasons(text: str, expected: str) -> None:
    assert reason(text) == expected


def test_time_limits_count_where_they_are_given() -> None:
    assert reason("", 3600) == ""
    assert reason("", 3601) == u.LIMIT
    assert reason("-p cpu,gpu", 3601) == ""
    assert u.unfit_jobs(MACHINE, Requests(tasks=[1])).tolist() == [-1]


def test_a_machine_whose_gpus_have_no_type_gives_any() -> None:
    machine = Machine((NodeKind("g1", 4, 1000, {"gpu": 2}),))
    assert reason("--gres=gpu:v100:2", machine=machine) == ""


def test_one_task_a_core_needs_as_many_cores() -> None:
    machine = Machine((NodeKind("n1", 2, 1000, threads=2),))
    asked = Requests(tasks=[4, 4, 2, 1, 1], cpus_per_task=[1, 1, 1, 3, 3], tasks_per_core=[0, 1, 1, 0, 1])
    assert [number >= 0 for number in u.unfit_jobs(machine, asked)] == [False, True, False, False, False]


def test_small_machines_against_all_ways_to_place_tasks() -> None:
    """The plainest search: every way to give each node some tasks."""
    rng = np.random.default_rng(3)

    def fits(cpus: list[int], memory: list[int], job: dict[str, Any]) -> bool:
        def place(node: int, tasks: int, nodes: int) -> bool:
            if tasks == 0 and nodes >= job["nodes_least"]:
                return True
            if node == len(cpus):
                return False
            most = min(cpus[node] // job["cpus_per_task"], tasks) if memory[node] >= job["memory_per_node"] else 0
            if job["tasks_per_node"]:
                most = min(most, job["tasks_per_node"])
            if job["nodes_most"] and nodes >= job["nodes_most"]:
                most = 0
            return any(place(node + 1, tasks - k, nodes + (k > 0)) for k in range(most + 1))

        return place(0, job["tasks"], 0)

    answers = set()
    for _ in range(300):
        cpus = rng.integers(1, 5, 3).tolist()
        memory = rng.integers(1, 4, 3).tolist()
        least = int(rng.integers(1, 4))
        job = {
            "tasks": int(rng.integers(least, 8)),
            "nodes_least": least,
            "nodes_most": int(rng.choice([0, least, 3])),
            "cpus_per_task": int(rng.integers(1, 3)),
            "tasks_per_node": int(rng.integers(0, 3)),
            "memory_per_node": int(rng.integers(1, 4)),
        }
        kinds = tuple(NodeKind(f"n{k}", c, m) for k, (c, m) in enumerate(zip(cpus, memory, strict=True)))
        found = u.unfit_jobs(Machine(kinds), Requests(**{key: [value] for key, value in job.items()}))[0] < 0
        answers.add(bool(found))
        assert found == fits(cpus, memory, job), (cpus, memory, job)
    assert answers == {True, False}

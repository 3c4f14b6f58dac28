"""What jobs on nodes ask for, and their charge, against the oracle and by hand."""

import numpy as np
import pytest

from paretosched import Machine, NodeKind, Partition, Requests, Workload
from support.machine_zoo import MACHINE_ZOO, case, of, random_case
from support.naive_charge import shares_of

MACHINE = Machine(
    (of("n[1-8]", 4, 8000), of("g[1-2]", 16, 32000, gpus={"v": 2, "p": 2})),
    (
        Partition("n", "n[1-8]", default=True, memory_per_cpu=1000),
        Partition("g", "g[1-2]", memory_per_node=100),
        Partition("all", exclusive=True),
    ),
)  # 64 CPUs, 128,000 MiB, 8 GPUs


def charge(line: str, machine: Machine = MACHINE) -> float:
    """Return the charge of a job; a line as of `case`."""
    return float(case(machine, f"0 9 {line}").charge[0])


@pytest.mark.parametrize(
    ("line", "processors"),
    [
        ("-n3", 3),
        ("-n3 -c2", 6),
        ("-n3 --mem=12000", 6),
        ("-n4 -N2 --mem=4000", 4),
        ("-n3 --mem-per-cpu=4000", 6),
        ("-p g -n1 --gres=gpu:1", 8),
        ("-p g -n2 -N2 --gres=gpu:2", 32),
        ("-p g -n3 --gpus-per-task=2", 48),
        ("-p g -n1 --gpus=3", 24),
        ("-n1 --exclusive", 4),
        ("-n9 --exclusive", 12),
        ("-n3 -N3 --exclusive", 12),
        ("-n1 -N3", 1),  # no more nodes than tasks
        ("-n1 -w n1,n2", 2),
        ("-n4 --ntasks-per-node=1 --mem=8000", 16),
        ("-p g -n1 --exclusive", 32),  # half of the GPUs
        ("-p all -n1", 4),  # alone on the smallest node
        ("-p n,g -n2 --mem=0", 4),  # all memory of the smallest node
        ("-n1 --mem=0", 4),
    ],
)
def test_charges_by_hand(line: str, processors: float) -> None:
    assert charge(line) == processors


def test_memory_that_nobody_asks_for_is_that_of_the_partition() -> None:
    machine = Machine(MACHINE.kinds, MACHINE.partitions)
    requests = Requests(tasks=[8, 1, 1], partition=["n", "g", "all"])
    w = Workload([0] * 3, [9] * 3, [9] * 3, [1] * 3, machine.capacity, machine=machine, requests=requests)
    assert w.asked_shares is not None
    assert (w.asked_shares.memory * 128_000).tolist() == [8000, 100, 8000]
    never = w.with_(machine=Machine(machine.kinds, machine.partitions, shares_memory=False))
    assert never.asked_shares is not None
    assert never.asked_shares.memory.tolist() == [0, 0, 0]


def test_whole_nodes_by_the_rule_of_the_machine() -> None:
    for machine in (Machine(MACHINE.kinds, choice="linear"), Machine(MACHINE.kinds, gives="node")):
        assert charge("-n1", machine) == 4


def test_without_nodes_the_charge_is_the_width() -> None:
    w = Workload([0, 0], [9, 9], [9, 9], [3, 5], 8)
    assert w.charge.tolist() == [3.0, 5.0]
    assert w.charge.dtype == np.float64
    assert w.asked_shares is None
    assert not w.charge.flags.writeable


def test_a_job_of_no_partition_weighs_as_its_cpus() -> None:
    requests = Requests(tasks=[3], partition=["none"])
    w = Workload([0], [9], [9], [3], 64, machine=MACHINE, requests=requests)
    assert w.charge.tolist() == [3.0]


def test_requests_of_any_size_do_not_overflow() -> None:
    most = 2**31 - 1
    requests = Requests(tasks=[most], cpus_per_task=[most], memory_per_cpu=[2**40], partition=["n"])
    w = Workload([0], [9], [9], [3], 64, machine=MACHINE, requests=requests)
    assert w.charge[0] > 1e25


@pytest.mark.parametrize("name", [*MACHINE_ZOO, *(f"random {seed}" for seed in range(40))])
def test_shares_are_those_of_the_oracle(name: str) -> None:
    w = MACHINE_ZOO.get(name) or random_case(int(name.split()[1]))
    assert w.asked_shares is not None
    for row, expected in zip(zip(*w.asked_shares, strict=True), shares_of(w), strict=True):
        assert row == pytest.approx([float(share) for share in expected], rel=1e-12)
    assert w.charge == pytest.approx([float(max(row)) * w.capacity for row in shares_of(w)], rel=1e-12)


def test_the_oracle_knows_kinds_of_nodes() -> None:
    kind = NodeKind("x1", 4, 10)
    w = case(Machine((kind,)), "0 9 -n2", "0 9 -n1 --mem=9")
    assert [[float(share) for share in row] for row in shares_of(w)] == [[0.5, 0.1, 0], [0.25, 0.9, 0]]

"""A schedule on nodes is proved without the simulators: against the oracle, and each rule broken once."""

from typing import Any

import numpy as np
import pytest

from paretosched import InputError, Machine, NodeKind, Partition, Schedule, Workload
from paretosched.policies.outcome import Placement
from support.machine_zoo import MACHINE_ZOO, case, down, of, random_case
from support.naive_machine import Amount, Busy, naive_check
from support.naive_node_choice import with_defaults
from support.naive_rhythms import ALL, Rhythm, ideal, slurm
from support.naive_values import naive_of
from support.placing import Held, ideal_schedule, schedule_from, schedule_of

EVERY = MACHINE_ZOO | {f"random {seed}": random_case(seed) for seed in range(40)}


def fault(schedule: Schedule) -> str:
    """Return why a schedule cannot be, "" if it can."""
    try:
        schedule.check()
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", EVERY)
def test_schedules_of_the_oracle_can_be(name: str) -> None:
    w = EVERY[name]
    machine, jobs = naive_of(w)
    for runs in (*(ideal(machine, jobs, reservations=count) for count in (0, 1, ALL)), slurm(machine, jobs, Rhythm())):
        assert fault(schedule_from(w, runs)) == ""


@pytest.mark.parametrize("seed", range(40))
def test_schedules_that_are_changed_at_random_are_judged_as_by_the_oracle(seed: int) -> None:
    """Starts, nodes and amounts of a job or two are others; often enough it still can be."""
    rng = np.random.default_rng(seed)
    w = EVERY[list(EVERY)[seed]]
    machine, jobs = naive_of(w)
    runs = ideal(machine, jobs)
    asks = [with_defaults(machine, machine.partitions[runs[job.row].partition], job.ask) for job in jobs]
    completed = [job._replace(ask=ask) for job, (ask, _) in zip(jobs, asks, strict=True)]
    nodes = {node.name: node for node in machine.nodes}
    for _ in range(30):
        changed = dict(runs)
        for row in rng.integers(0, len(jobs), int(rng.integers(1, 3))).tolist():
            run = changed[row]
            shift = int(rng.choice([0, 0, -30, -1, 1, 30]))
            held = {}
            for node, amount in run.held.items():
                other = str(rng.choice([*nodes])) if rng.random() < 0.3 else node
                cpus = amount.cpus + int(rng.choice([0, 0, 0, -1, 1]))
                memory = amount.memory + int(rng.choice([0, 0, 1]))
                gpus = {kind: count - int(rng.random() < 0.1) for kind, count in amount.gpus.items()}
                gpus = {kind: count for kind, count in gpus.items() if kind in nodes[other].gpus}
                held[other] = Amount(max(cpus, 0), memory, gpus)
            changed[row] = Busy(run.job, run.begin + shift, run.end + shift, run.partition, held)
        expected = naive_check(machine, completed, changed)
        few = [row for row, (_, terms) in enumerate(asks) for amount in changed[row].held.values()
               if amount.cpus < terms.least_cpus]  # fmt: skip
        assert bool(fault(schedule_from(w, changed))) == bool(expected or few), (changed, expected)


# --- each rule broken once

NODES = Machine(
    (
        of("n1", features=("a",), disk=10),
        of("n2", threads=2, disk=100),
        of("g1", gpus={"v": 2, "p": 1}),
        of("n3"),
    ),
    (
        Partition("main", "n[1-2],g1", longest=600, nodes_most=2, default=True, memory_per_cpu=1000,
            most_memory_per_node=8000),
        Partition("more", "n[1-3]", most_memory_per_cpu=1000, not_accounts=("poor",)),
        Partition("shut", up=False),
        Partition("alone", exclusive=True, memory_per_node=500),
    ),
    {"x": 1},
    (down("n3", 50, 60),),
)  # fmt: skip
ONE = {"n1": Amount(1, 1000)}


def fault_of(line: str, held: Held, start: int = 0, partition: str = "main", machine: Machine = NODES) -> str:
    """Return what is wrong with one job; a line as of `case`."""
    return fault(schedule_of(case(machine, line), [start], [(partition, held)]))


def test_what_can_be() -> None:
    assert fault_of("0 9 -n1", ONE) == ""
    assert fault_of("0 9 -N2 -n5", {"n1": Amount(1, 1), "n2": Amount(4, 1)}) == ""
    assert fault_of("0 9 -n1 -w n2", {"n2": Amount(2, 1)}) == ""
    assert fault_of("0 9 -N3 -n2", {"n1": Amount(1, 1), "n2": Amount(2, 1)}) == ""  # no more nodes than tasks
    assert fault_of("0 9 -n1 --mem=0", {"n1": Amount(1, 8000)}) == ""
    assert fault_of("0 9 -n1 -C a*1 -L x:1 --tmp=10", ONE) == ""
    assert fault_of("0 9 -n1 --gres=gpu:v:2", {"g1": Amount(1, 1, {"v": 2})}) == ""
    assert fault_of("0 9 -n1 -A rich -p more,main", ONE, partition="more") == ""
    assert fault_of("0 10 -n1 -p more", {"n3": Amount(1, 1)}, start=40, partition="more") == ""
    assert fault_of("0 10 -n1 -p more", {"n3": Amount(1, 1)}, start=60, partition="more") == ""


@pytest.mark.parametrize(
    ("line", "held", "partition", "words"),
    [
        ("5 9 -n1", ONE, "main", "before its submission, but 1 do: job 1 starts at 0"),
        ("0 9 -n1 -p more", ONE, "main", "keeps, but 1 break it: job 1 at 0 is in main"),
        ("0 9 -n1 -p shut", ONE, "shut", "is in shut"),
        ("0 9 -n1 -t11 -A rich -p more,main", ONE, "main", "is in main"),
        ("0 9 -n1 -A poor -p more", ONE, "more", "is in more"),
        ("0 9 -n3 -N3", {"n1": Amount(1, 1), "n2": Amount(2, 1), "g1": Amount(1, 1)}, "main", "is in main"),
        ("0 9 -n1 --mem=9000", {"n1": Amount(1, 9000)}, "main", "is in main"),
        ("0 9 -n1", {"n3": Amount(1, 1)}, "main", "of its partition, but 1 break it: job 1 on n3 at 0 is in main"),
        ("0 9 -n1 -w n2", ONE, "main", "all nodes that it names"),
        ("0 9 -n1 -x n1", ONE, "main", "excludes, but 1 break it: job 1 on n1 at 0"),
        ("0 9 -n2 -N2", {"n1": Amount(2, 1)}, "main", "partition allows, but 1 break it: job 1 at 0 has 1"),
        ("0 9 -n2 -N1", {"n1": Amount(1, 1), "n2": Amount(2, 1)}, "main", "job 1 at 0 has 2"),
        ("0 9 -n4", {"n1": Amount(2, 1), "n2": Amount(2, 1), "g1": Amount(1, 1)}, "main", "job 1 at 0 has 3"),
        ("0 9 -n1", {"n2": Amount(1, 1)}, "main", "of its nodes, but 1 break it: job 1 on n2 at 0 has 1 CPU"),
        ("0 9 -n1 -p more --mem=3000", {"n1": Amount(2, 3000)}, "more", "job 1 on n1 at 0 has 2, not 3"),
        ("0 9 -n1 -p more --mem-per-cpu=3000", {"n1": Amount(2, 3000)}, "more", "room for 0 of 1"),
        ("0 9 -n1 --tmp=50", ONE, "main", "disk"),
        ("0 9 -n1 -C b", ONE, "main", "features that it asks for, but 1 break it: job 1 on n1"),
        ("0 9 -n2 -C [a|b]", {"n1": Amount(1, 1), "n2": Amount(2, 1)}, "main", "features"),
        ("0 9 -n2 -C a*2", {"n1": Amount(2, 1)}, "main", "each count of a*2"),
        ("0 9 -n1 --gres=gpu:v:1", {"g1": Amount(1, 1, {"p": 1})}, "main", "it: job 1 on g1 at 0 has 0"),
        ("0 9 -n1 --gpus=3", {"g1": Amount(1, 1, {"v": 2})}, "main", "job 1 at 0 has 2"),
        ("0 9 -n2 --gpus-per-task=1", {"g1": Amount(2, 1, {"v": 1})}, "main", "room for 1 of 2"),
        ("0 9 -n2", {"n1": Amount(1, 1)}, "main", "room for 1 of 2"),
        ("0 9 -n4 --ntasks-per-node=2 -c1", {"n1": Amount(4, 1), "n2": Amount(2, 1)}, "main", ""),
        ("0 9 -n4 --ntasks-per-node=2", {"n1": Amount(4, 1)}, "main", "job 1 at 0 has 1"),
        ("0 9 -n1 --mem=0", {"n1": Amount(1, 7999)}, "main", "has 7999 of 8000 MiB"),
        ("0 9 -n2 --mem-per-cpu=1000", {"n1": Amount(2, 1999)}, "main", "has 1999 of 2000 MiB"),
        ("0 9 -n1 -L x:2", ONE, "main", "1 of the licence x, but 2 are in use from second 0 on"),
        ("0 9 -n1 -L y", ONE, "main", "licences that the machine has"),
        ("0 9 -n5", {"n1": Amount(5, 1)}, "main", "CPUs than it has, but n1 from second 0 on gives 5 of 4; there"),
        ("0 9 -n1", {"n1": Amount(1, 8001)}, "main", "more MiB of memory than it has"),
        ("0 9 -n1", {"g1": Amount(1, 1, {"p": 2})}, "main", "GPUs of type p than it has, but g1"),
    ],
)  # fmt: skip
def test_a_rule_that_one_job_breaks(line: str, held: Held, partition: str, words: str) -> None:
    said = fault_of(line, held, 0, partition)
    assert words in said
    assert bool(said) == bool(words)


def test_defaults_of_the_partition_are_asked_for() -> None:
    def one(partition: str, held: Held) -> str:
        machine = NODES
        w = case(machine, f"0 9 -n2 -p {partition} --mem-per-cpu=7")
        columns: dict[str, Any] = {"memory_per_cpu": [-1], "tasks": w.requests.tasks, "partition": [partition]}  # type: ignore[union-attr]
        silent = w.with_(requests=type(w.requests)(**columns))
        return fault(schedule_of(silent, [0], [(partition, held)]))

    assert one("main", {"n1": Amount(2, 2000)}) == ""
    assert "has 1999 of 2000 MiB" in one("main", {"n1": Amount(2, 1999)})
    assert "has 499 of 500 MiB" in one("alone", {"n1": Amount(4, 499)})
    assert "has 7999 of 8000 MiB" in one("more", {"n1": Amount(8, 7999)})


def test_a_node_that_is_down() -> None:
    said = fault_of("0 11 -n1 -p more", {"n3": Amount(1, 1)}, start=40, partition="more")
    assert "on a node that is down, but n3 from second 50 on is down; there is job 1" in said
    assert "n3 from second 59 on is down" in fault_of(
        "0 11 -n1 -p more", {"n3": Amount(1, 1)}, start=59, partition="more"
    )


def both(
    lines: tuple[str, str], held: Held, starts: list[int], machine: Machine = NODES, partition: str = "main"
) -> str:
    """Return what is wrong with two jobs that hold the same."""
    return fault(schedule_of(case(machine, *lines), starts, [(partition, held)] * 2))


def test_nodes_are_not_overfull_in_any_second() -> None:
    lines = "0 9 -n3", "0 9 -n3"
    three = {"n1": Amount(3, 10)}
    assert both(lines, three, [0, 9]) == ""
    assert "n1 from second 8 on gives 6 of 4; there is job 1, job 2" in both(lines, three, [0, 8])
    much = {"n1": Amount(3, 5000)}
    free = Machine(NODES.kinds, NODES.partitions, shares_memory=False)
    assert "more CPUs" in both(lines, much, [0, 8])
    one = {"n1": Amount(1, 5000)}
    assert "more MiB of memory than it has, but n1 from second 3 on gives 10000 of 8000" in both(
        ("0 9 -n1", "0 9 -n1"), one, [0, 3]
    )
    assert both(("0 9 -n1", "0 9 -n1"), one, [0, 3], free) == ""


def test_exclusive_jobs_are_alone() -> None:
    for lines, partition, machine in (
        (("0 9 -n1 --exclusive", "0 9 -n1"), "main", NODES),
        (("0 9 -n1 -p alone", "0 9 -n1 -p alone"), "alone", NODES),
        (("0 9 -n1", "0 9 -n1"), "main", Machine(NODES.kinds, NODES.partitions, choice="linear")),
        (("0 9 -n1", "0 9 -n1"), "main", Machine(NODES.kinds, NODES.partitions, gives="node")),
    ):
        held = {"n1": Amount(1, 500)}
        assert both(lines, held, [0, 9], machine, partition) == ""
        said = both(lines, held, [0, 8], machine, partition)
        assert "exclusive must be alone on its nodes, but n1 from second 8 on has 2 jobs" in said


def test_jobs_that_are_exclusive_to_a_user() -> None:
    lines = "0 9 -n1 --exclusive=user user=1", "0 9 -n1 user=2"
    assert "without jobs of others, but n1 from second 8 on has jobs of 2 users" in both(lines, ONE, [0, 8])
    assert both(lines, ONE, [0, 9]) == ""
    assert both((lines[0], "0 9 -n1 user=1"), ONE, [0, 8]) == ""
    assert both(("0 9 -n1 user=1", "0 9 -n1 user=2"), ONE, [0, 8]) == ""


def test_licences_come_back() -> None:
    lines = "0 9 -n1 -L x", "0 9 -n1 -L x"
    assert both(lines, ONE, [0, 9]) == ""
    assert "but 2 are in use from second 8 on" in both(lines, ONE, [0, 8])


# --- shapes


def test_a_placement_fits_the_jobs_and_the_machine() -> None:
    w = EVERY["types of GPUs"]
    good = ideal_schedule(w).placement
    assert good is not None
    for changes, words in (
        ({"partition": good.partition[1:]}, "partition of a placement must have one entry a job"),
        ({"partition": good.partition + 9}, "partition of a placement must be in -1..0, but is in 9..9"),
        ({"piece": good.piece + 1}, "piece of a placement must divide its rows among all jobs"),
        ({"node": good.node * 0 - 1}, "node of a placement must be in 0..2"),
        ({"node": good.node * 0}, "must ascend"),
        ({"cpus": -good.cpus}, "cpus of a placement must be in 0..4611686018427387904"),
        ({"memory": good.memory.astype(float)}, "memory of a placement must be whole numbers"),
        ({"gpus": good.gpus[:, :1]}, "gpus of a placement must be whole numbers of shape"),
    ):
        with pytest.raises(InputError, match=words):
            Schedule(w, w.submit, placement=good._replace(**changes))
    with pytest.raises(InputError, match="machine has no nodes"):
        Schedule(w.one_pool, w.submit, placement=good)
    with pytest.raises(InputError, match="of the type Placement"):
        Schedule(w, w.submit, placement=3)  # type: ignore[arg-type]


def test_a_schedule_that_says_nothing_about_nodes_proves_nothing() -> None:
    w = EVERY["one node, one core"]
    assert "nothing says on which nodes" in fault(Schedule(w, [0, 10, 20]))
    good = ideal_schedule(w)
    assert good.placement is not None
    none = good.placement._replace(partition=np.array([0, -1, 0]))
    assert "every job must be on a node, but 1 job not: job 2" in fault(Schedule(w, good.start, placement=none))


def test_many_jobs_are_checked_in_little_time() -> None:
    """100,000 jobs on 10,000 nodes: a loop over seconds, nodes or pairs of jobs would not end."""
    n, nodes = 100_000, 10_000
    rng = np.random.default_rng(1)
    run = rng.integers(1, 10_000, n)
    machine = Machine((NodeKind(f"n[1-{nodes}]", 8, 8000),))
    job = np.arange(n)
    from paretosched import Requests

    requests = Requests(
        tasks=np.full(n, 8), nodes_least=np.full(n, 2), memory_per_node=np.full(n, 5), exclusive=job % 3
    )
    start = job // (nodes // 2) * 10_000
    w = Workload(start, run, run, np.full(n, 8), machine.capacity, machine=machine, requests=requests)
    node = (job[:, None] * 2 + [0, 1]) % nodes
    rows = np.full(2 * n, 4)
    placement = Placement(
        job * 0, np.arange(n + 1) * 2, node.reshape(-1), rows, rows + 1, np.empty((2 * n, 0), np.int64)
    )
    assert Schedule(w, start, placement=placement).check()
    late = start.copy()
    late[0] = 10_000
    assert "n1 from second 10000 on has 2 jobs" in fault(
        Schedule(
            w.with_(requests=Requests(tasks=np.full(n, 8), exclusive=np.full(n, 1), memory_per_node=rows[:n])),
            late,
            placement=placement,
        )
    )

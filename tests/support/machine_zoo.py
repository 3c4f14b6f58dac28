"""Awkward machines of nodes, each with a few jobs: what could break a simulation of nodes. And machines at random."""

from functools import cache
from typing import Any

import numpy as np

from paretosched import Machine, NodeKind, Outage, Partition, Requests, Workload
from paretosched.workload.node_requests import NUMBERS
from paretosched.workload.sbatch_options import read_options

EPOCH = 1_600_000_000  # Unix time of second 0 of all of them


def case(machine: Machine, *lines: str) -> Workload:
    """Return jobs on a machine; each line is a second, a run time, and what sbatch is told, in the order of seconds.

    Without -t a job asks for its run time; without --mem for 1 MB. There may be a user behind "user=".
    """
    rows: list[dict[str, Any]] = []
    submit, run, limit, user = [], [], [], []
    for line in lines:
        second, runs, *words = line.split()
        who = [word.partition("=")[2] for word in words if word.startswith("user=")]
        asked = read_options(" ".join(word for word in words if not word.startswith("user=")))
        memory = {} if "memory_per_cpu" in asked.values else {"memory_per_node": 1}
        rows.append({"tasks": 1} | memory | dict(asked.values))
        submit.append(int(second))
        run.append(int(runs))
        limit.append(max(asked.limit, int(runs)))
        user.append(int(who[0]) if who else 0)
    columns = {key: [row.get(key, NUMBERS[key][0]) if key in NUMBERS else row.get(key, "") for row in rows]
               for key in {key for row in rows for key in row}}  # fmt: skip
    requests = Requests(**columns)
    return Workload(
        submit=submit,
        run=run,
        estimate=limit,
        width=requests.cpus.tolist(),
        capacity=machine.capacity,
        user=user,
        epoch=EPOCH,
        machine=machine,
        requests=requests,
    )


def of(hosts: str, cores: int = 4, memory: int = 8000, **more: Any) -> NodeKind:
    """Return a kind of nodes."""
    return NodeKind(hosts, cores, memory, **more)


def down(hosts: str, begin: int, end: int) -> Outage:
    """Return a down time in seconds of the log."""
    return Outage(hosts, EPOCH + begin, EPOCH + end)


FOUR = of("n[1-4]")
GPUS = of("g[1-2]", gpus={"v": 2, "p": 1})

MACHINE_ZOO = {
    "one node, one core": case(Machine((of("n1", 1),)), "0 10 -n1", "0 10 -n1", "5 3 -n1"),
    "one big node": case(Machine((of("n1", 64),)), "0 50 -n40", "1 20 -n64", "2 30 -n20 -t1", "3 9 -n24",
        "3 99 -n4 -t2"),
    "one core a node": case(Machine((of("n[1-5]", 1),)), "0 50 -n3", "1 20 -n5", "2 90 -n1", "3 40 -n2", "4 9 -n1"),
    "ties everywhere": case(Machine((FOUR,)), *["0 60 -n4 -t1"] * 6, *["60 60 -n4 -t1"] * 5),
    "a job that fits one node only": case(
        Machine((of("n[1-3]"), of("m1", 16))), "0 50 -n2", "0 90 -N1 -n12 -t2", "1 40 -N1 -n16", "2 99 -n3 -t3",
        "3 9 -n5"
    ),
    "all nodes at once": case(Machine((FOUR,)), "0 30 -N1 -n1", "1 30 -N4 -n16", "2 60 -n4", "3 10 -N4 -n4 -t1"),
    "ranges of nodes": case(
        Machine((FOUR,)), "0 60 -N2-4 -n6", "0 60 -N1-2 -n7", "1 60 -N2-4 -n4", "2 30 -N3-4 -n12", "3 20 -N1-4 -n1"
    ),
    "tasks a node": case(
        Machine((FOUR,)), "0 60 -n6 --ntasks-per-node=2", "1 60 -N2 -n4 --ntasks-per-node=2",
        "2 60 -n8 --ntasks-per-node=3"
    ),
    "wide tasks leave cores over": case(Machine((of("n[1-3]", 8),)), "0 60 -c3 -n3", "0 60 -c5 -n2", "1 9 -c2 -n4",
        "2 9 -n1"),
    "names are not in the order of the file": case(
        Machine((of("n10"), of("b2", 8), of("n2"), of("a1", 2), of("n1"))), *["0 50 -n3"] * 4, "1 50 -N2 -n8", "2 9 -n1"
    ),
    "weights": case(
        Machine((of("n1", weight=9), of("n[2-3]", weight=1), of("n4", weight=5), of("n5", weight=1))),
        "0 60 -n6", "0 60 -N2 -n8", "1 60 -n4", "2 30 -n1", "3 60 -N4 -n4", "4 9 -n10",
    ),
    "a short row is taken for its cores": case(
        Machine((of("n[1-6]"),)),
        *[f"0 90 -n3 -w n{i}" for i in (1, 2, 3)], "0 90 -n4 -w n4", "1 30 -N3 -n3", "2 30 -n9", "3 30 -N2 -n2",
    ),
    "memory alone decides": case(
        Machine((of("n1", memory=4000), of("n2", memory=16000), of("n3"))),
        "0 60 -n1 --mem=9000", "0 60 -n1 --mem=9000", "1 60 -n1 --mem=5000", "2 60 -n1 --mem=4000", "3 9 -n4 --mem=1",
    ),
    "all memory of a node": case(
        Machine((of("n[1-2]"),)), "0 60 -n1 --mem=0", "0 60 -n1 --mem=1", "1 60 -n1 --mem=0", "2 9 -n1 --mem=7999"
    ),
    "memory a CPU": case(
        Machine((of("n[1-2]", 8),)), "0 60 -n5 --mem-per-cpu=1000", "0 60 -n5 --mem-per-cpu=2000",
        "1 9 -n1 --mem-per-cpu=8000"
    ),
    "more memory is more CPUs": case(
        Machine((of("n[1-2]", 8),), (Partition("main", most_memory_per_cpu=1000),)),
        "0 60 -n1 --mem=6000", "0 60 -n1 --mem-per-cpu=4000", "1 60 -n2 --mem-per-cpu=1500", "2 9 -n1 --mem=1000",
    ),
    "memory is not given out": case(
        Machine((of("n[1-2]"),), shares_memory=False), *["0 60 -n1 --mem=5000"] * 4, "1 60 -n4 --mem=8000",
        "2 9 -n1 --mem=0"
    ),
    "all exclusive": case(
        Machine((FOUR,), (Partition("main", exclusive=True),)), *["0 60 -n1"] * 5, "1 60 -N3 -n3", "2 60 -n9", "3 9 -n1"
    ),
    "some exclusive": case(
        Machine((FOUR,)), "0 60 -n1", "0 60 -n1 --exclusive", "1 60 -N3 -n3 --exclusive", "2 60 -n1",
        "3 9 -n4 --exclusive"
    ),
    "jobs of one user on a node": case(
        Machine((of("n[1-2]"),)),
        "0 60 -n1 --exclusive=user user=1", "0 60 -n1 user=2", "1 60 -n1 user=1", "2 9 -n3 user=2", "3 9 -n1 user=3",
    ),
    "types of GPUs": case(
        Machine((GPUS, of("n1"))),
        "0 60 -n1 --gres=gpu:v:1", "0 60 -n1 --gres=gpu:2", "1 60 -n1 --gres=gpu:p:1", "2 60 -n1 --gres=gpu:v:2",
        "3 60 -N2 -n2 --gres=gpu:p:1", "4 9 -n4", "5 9 -n1 --gres=gpu:3",
    ),
    "GPUs in all": case(
        Machine((of("g1", gpus={"gpu": 2}), of("g2", gpus={"gpu": 4}), of("n1"))),
        "0 60 -n2 --gpus=5", "0 60 -n1 --gpus=1", "1 60 -n3 --gpus-per-task=2", "2 60 -n1 --gpus=4", "3 9 -n2 --gpus=2",
    ),
    "no CPUs left beside free GPUs": case(
        Machine((of("g1", 2, gpus={"gpu": 4}), of("n1", 2))), "0 60 -n2", "0 90 -n2", "1 60 -n1 --gres=gpu:4", "2 9 -n1"
    ),
    "features": case(
        Machine((of("n1", features=("a",)), of("n2", features=("a", "b")), of("n[3-4]", features=("b",)))),
        "0 60 -n1 -C a&b", "0 60 -N2 -n2 -C [a|b]", "1 60 -n8 -C a|b", "2 60 -N2 -n2 -C a*1&b*1", "3 60 -n4 -C a",
        "4 9 -n1 -C b",
    ),
    "named and excluded nodes": case(
        Machine((FOUR,)),
        "0 60 -n1 -w n3", "0 60 -n2 -w n2,n4", "1 60 -N3 -n3 -w n4", "2 60 -n4 -x n[1-2]", "3 9 -n16 ",
        "4 9 -n1 -x n[1-3]",
    ),
    "partitions that overlap": case(
        Machine((FOUR,), (Partition("a", "n[1-3]", default=True), Partition("b", "n[2-4]"))),
        "0 60 -n4 -w n1", "1 60 -N3 -n3", "2 60 -p b -n4", "3 30 -p b -n4 -t5", "4 9 -p b -n12", "5 9 -n4",
    ),
    "partitions without a common node": case(
        Machine((FOUR,), (Partition("a", "n[1-2]"), Partition("b", "n[3-4]"))),
        "0 60 -p a -n8", "1 60 -p a -n8", "2 60 -p b -n4", "3 60 -p a -n1", "4 9 -p b -n8", "5 9 -p b -n1",
    ),
    "a node in no partition": case(
        Machine((FOUR,), (Partition("a", "n[2-3]"),)), "0 60 -n8", "1 60 -n1", "2 9 -N2 -n2", "3 9 -n8"
    ),
    "tiers": case(
        Machine((of("n1"),), (Partition("low", default=True), Partition("high", tier=9))),
        "0 60 -n2", "1 60 -n4", "2 90 -p high -n1", "3 60 -n1", "4 9 -p high -n4", "5 9 -n2",
    ),
    "several partitions in a request": case(
        Machine((FOUR,), (Partition("a", "n1"), Partition("b", "n2", tier=5), Partition("c", "n[3-4]", longest=60))),
        "0 50 -p a,b -n4", "0 50 -p a,b -n4", "1 50 -p c,a -n4", "2 90 -p a,c -n4", "3 50 -p a,b,c -n1",
        "4 9 -p c,b -n8",
    ),
    "limits of partitions": case(
        Machine((FOUR,), (Partition("a", longest=60, nodes_most=2), Partition("b", nodes_least=2))),
        "0 60 -p a -n4", "0 60 -p a,b -n4 -t2", "1 60 -p a -n8", "2 60 -p b -n1", "3 60 -p a,b -N3 -n3", "4 9 -p a -n1",
    ),
    "the least loaded nodes": case(
        Machine((of("n[1-2]"), of("n3", 8)), (Partition("a", least_loaded=True, default=True), Partition("b"))),
        *["0 60 -n1"] * 4, "1 60 -p b -n1", "2 60 -n6", "3 9 -N2 -n4", "4 9 -n1",
    ),
    "a closed partition": case(
        Machine((FOUR,), (Partition("a"), Partition("b", up=False))), "0 60 -p a -n4", "1 60 -p a,b -n16",
        "2 9 -p a -n1"
    ),
    "down times": case(
        Machine((FOUR,), down=(down("n[1-2]", 50, 200), down("n3", 0, 100), down("n4", 150, 160))),
        "0 60 -n4 -t2", "0 40 -n4 -t1", "1 60 -n8", "2 60 -N4 -n4", "3 150 -n1 -t4", "160 9 -n4",
    ),
    "a node that never is up": case(
        Machine((FOUR,), down=(Outage("n2"),)), "0 60 -N2 -n2", "1 60 -n12", "2 9 -N3 -n3", "3 9 -n1"
    ),
    "threads": case(
        Machine((of("n[1-2]", threads=2),)), "0 60 -n1", "0 60 -n3", "1 60 -n9", "2 60 -c3 -n2",
        "3 9 -n1 --mem-per-cpu=3000"
    ),
    "single CPUs of cores": case(
        Machine((of("n[1-2]", threads=2),), gives="cpu"), "0 60 -n1", "0 60 -n3", "1 60 -n9", "2 9 -n16"
    ),
    "whole nodes": case(
        Machine((of("n1", weight=5), of("n[2-3]"), of("n4", 8, weight=5), of("n[5-6]")), choice="linear"),
        "0 60 -n1", "0 60 -n5", "1 60 -N2 -n2", "2 60 -n18", "3 60 -N2 -n2 -w n3", "4 9 -n1",
    ),
    "leaves of switches": case(
        Machine((of("n[1-4]"), of("m[1-4]"), of("b1"), of("g1")), switches={"s1": "n[1-4]", "s2": "m[1-4]"}),
        "0 60 -n1", "0 60 -N2 -n8", "1 60 -N3 -n3", "1 60 -n20", "2 60 -N5 -n5", "2 9 -n4 -w m3", "3 60 -N1-4 -n12",
        "4 9 -n40 -t1",
    ),
    "leaves of switches, whole nodes": case(
        Machine((of("n[1-3]"), of("m1", 8)), choice="linear", switches={"b": "n[2-3]", "a": "n1,m1"}),
        *["0 60 -n1"] * 3, "1 60 -N2 -n2", "2 60 -n12", "3 9 -N3 -n3", "3 9 -n1",
    ),
    "licences": case(
        Machine((FOUR,), licences={"x": 2, "y": 1}),
        "0 60 -n1 -L x:2", "0 60 -n1 -L x:1", "1 60 -n1 -L y:1", "2 60 -n1 -L x:1,y:1", "3 60 -n16", "4 9 -n1",
    ),
    "the first nodes": case(
        Machine((of("n[1-2]", weight=3), of("n3", 2), of("n4", 8)), choice="first"),
        "0 60 -n3", "0 60 -n4", "1 60 -N2 -n2", "2 60 -n9", "3 9 -n1", "4 9 -N3 -n3",
    ),
    "the fullest nodes": case(
        Machine((of("n[1-2]"), of("n3", 2), of("n4", 8)), choice="best"),
        "0 60 -n3", "0 60 -n2", "1 60 -N2 -n2", "2 60 -n9", "3 9 -n1", "4 9 -N3 -n3",
    ),
    "the emptiest nodes": case(
        Machine((of("n[1-2]"), of("n3", 2), of("n4", 8)), choice="spread"),
        "0 60 -n3", "0 60 -n4", "1 60 -N2 -n2", "2 60 -n9", "3 9 -n1", "4 9 -N3 -n3",
    ),
    "local disk": case(
        Machine((of("n1", disk=10), of("n2", disk=100), of("n3"))), "0 60 -n4 --tmp=50", "1 60 -n1 --tmp=50",
        "2 9 -n4 --tmp=5"
    ),
    "a reservation moves": case(
        Machine((FOUR,)), "0 60 -n8 -w n[3-4] -t1", "1 60 -N3 -n12", "2 300 -N1 -n4", "3 300 -N1 -n4", "4 50 -N1 -n4"
    ),
    "a reservation is on certain nodes": case(
        Machine((of("g1", 2, gpus={"gpu": 1}), of("n1", 1))),
        "0 60 -n1 --gres=gpu:1 -t2", "1 60 -n2 --gres=gpu:1", "2 600 -n1", "3 600 -n1", "4 60 -n1",
    ),
}  # fmt: skip


# Jobs with GPUs in a partition that shares a node with another one; a third one has no job.
TWO_PARTITIONS = case(
    Machine(
        (of("n[1-3]"), of("g1", gpus={"v": 2})),
        (Partition("main", "n[1-3]", default=True), Partition("gpu", "g1,n3"), Partition("rare", "n1")),
    ),
    "0 50 -n4 --mem=500", "1 40 -p gpu -n1 --gpus=1 --mem=4000", "2 60 -p gpu,main -n4", "3 90 -n8 -N2",
    "5 20 -p gpu -n2 --gpus=2", "70 9 -n1",
)  # fmt: skip


@cache
def random_case(seed: int, n: int = 12) -> Workload:
    """Return a few jobs on a machine at random, all of which could run on it alone."""
    rng = np.random.default_rng(seed)

    def any_of(*values: Any) -> Any:
        return values[int(rng.integers(len(values)))]

    gpus = any_of({}, {"v": 2}, {"v": 1, "p": 2})
    kinds = (
        of("n[1-3]", any_of(2, 4), any_of(4000, 8000), weight=any_of(1, 1, 5), features=("a",)),
        of("b1", any_of(4, 8), 16000, weight=any_of(1, 3), features=("a", "b")),
        of("g[1-2]", 4, 8000, gpus=gpus, weight=any_of(1, 9), threads=any_of(1, 1, 2)),
    )
    parts = (
        Partition("all", default=True, exclusive=any_of(False, False, False, True)),
        Partition(
            "some", "n[2-3],g1", tier=any_of(1, 1, 5), longest=any_of(None, 120), least_loaded=any_of(True, False)
        ),
    )
    outages = any_of((), (), (down("n1,g2", 30, int(rng.integers(40, 200))),))
    choice = any_of("cons_tres", "cons_tres", "linear", "first", "best", "spread")
    switches = {"left": "n[1-2],g1", "right": "n3,b1"} if seed % 3 == 0 else {}
    machine = Machine(kinds, parts, {"x": 2}, outages, choice, switches=switches)
    lines = []
    second = 0
    for _ in range(n):
        second += any_of(0, 0, 1, 7, 30)
        run = int(rng.integers(1, 60))
        tasks = any_of(1, 1, 2, 3, 6)
        size = any_of(
            f"-n{tasks}", f"-n{tasks}", "-N2 -n2", "-N1-3 -n4", "-N2 -n4", "-n2 -c2", "-n3 --ntasks-per-node=2"
        )
        more = any_of(
            "", "", "--mem=2000", "--mem=4000", "--mem-per-cpu=1000", "-C a", "-C a&b", "--exclusive", "-w n2"
        )
        size = "-n1" if more == "-C a&b" else size
        if gpus and any_of(True, False, False):
            size, more = (
                any_of("-n1 --gres=gpu:1", "-n2 --gpus=3", "-N2 -n2 --gres=gpu:v:1", "-n2 --gpus-per-task=1"),
                "",
            )
        where = "" if more or "gpu" in size else any_of("", "", "-p some", "-p some,all", "-L x:1", "-L x:2")
        limit = any_of(1, 2) if where == "-p some" else any_of(1, 1, 2, 5)
        lines.append(f"{second} {run} {size} {more} {where} -t{limit}")
    return case(machine, *lines)


@cache
def crowded_case(seed: int, n: int = 24) -> Workload:
    """Return many jobs at once of two users and three groups on a machine at random."""
    workload, rng = random_case(seed, n), np.random.default_rng([seed, 7])
    return workload.with_(
        user=rng.integers(1, 3, size=n),
        submit=np.sort(workload.submit // 4),
        group=rng.integers(3, size=n),
        groups=("a", "b", "c"),
    )

"""What a workload asks of nodes, as the engine takes it."""

import numpy as np

from paretosched import Machine, NodeKind, Partition, Requests, Workload
from paretosched.policies.node_plans import node_plan
from paretosched.workload.limits import Limits


def plan_of(requests: Requests, **more: object) -> tuple[int, list[int]]:
    """Return how many options a plan has, and the shape of each job on two kinds of nodes in two partitions."""
    kinds = NodeKind("n[1-4]", 8, 8000, features=("ib",)), NodeKind("g[1-2]", 8, 8000, {"gpu": 2}, features=("ib",))
    parts = Partition("cpu", "n[1-4]", memory_per_cpu=1000, default=True), Partition("gpu", "g[1-2]", tier=3)
    machine = Machine(kinds, parts, **more)  # type: ignore[arg-type]
    n = len(requests.tasks)
    user = np.arange(1, n + 1)
    w = Workload(range(n), [9] * n, [9] * n, [1] * n, machine.capacity, machine=machine, requests=requests, user=user)
    plan = node_plan(w)
    return len(plan.options), np.unique(plan.holders["shape"], return_inverse=True)[1].tolist()


def test_jobs_that_can_be_placed_in_the_same_ways_are_of_one_shape() -> None:
    words = ["", "ib", "ib|old", "", "", ""]
    asked = Requests(
        tasks=[2] * 6,
        partition=["", "cpu", "cpu", "gpu", "cpu", "cpu,gpu"],
        constraint=words,
        memory_per_cpu=[-1, 1000, 1000, 1000, 500, 1000],
    )
    assert plan_of(asked) == (5, [0, 0, 0, 3, 1, 2])


def test_shapes_whose_limits_differ_are_kept_apart() -> None:
    asked = Requests(tasks=[1] * 4, account=["a", "a", "b", "b"])
    options, shapes = plan_of(asked, limits=(Limits("", "a", "", "", {"MaxJobs": 1}),))
    assert len({*shapes[:2]}) == 2  # one counter for each user
    assert shapes[2] == shapes[3]
    assert options == 3

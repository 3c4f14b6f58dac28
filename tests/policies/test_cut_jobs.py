"""For how long jobs run at least that passes of Slurm may cancel."""

from typing import Any

import pytest

import paretosched as ps
from paretosched.policies.cut_jobs import least_runs
from paretosched.workload.machine import Reservation
from paretosched.workload.preemption import Preemption

PARTS = ps.Partition("low", default=True), ps.Partition("high", tier=9)


def jobs(preemption: Preemption | None, **more: Any) -> ps.Workload:
    """Return four jobs of 90 s: of both partitions, and of both, and one that is requeued in any case."""
    asks = {"qos": ["", "fast", "", ""], "requeue": [-1, -1, -1, 1]} | more
    requests = ps.Requests(tasks=[1] * 4, partition=["low", "high", "high,low", "low"], **asks)
    machine = ps.Machine((ps.NodeKind("n1", 4, 100),), PARTS, preemption=preemption)
    return ps.Workload([0] * 4, [90] * 4, [90] * 4, [1] * 4, 4, machine=machine, requests=requests, epoch=0)


@pytest.mark.parametrize(
    ("rules", "least"),
    [
        (None, [90, 90, 90, 90]),
        (Preemption("partition_prio"), [90, 90, 90, 90]),
        (Preemption("partition_prio", requeues=False), [2, 90, 2, 90]),
        (Preemption("partition_prio", "cancel", grace={"low": 30}, exempt=20), [50, 90, 50, 50]),
        (Preemption("partition_prio", "off"), [90, 90, 90, 90]),
        (Preemption("partition_prio", "cancel", exempt=89), [90, 90, 90, 90]),
        (Preemption("qos", "cancel"), [90, 90, 90, 90]),
        (Preemption("qos", "cancel", over={"rare": ["normal"]}), [90, 90, 90, 90]),
        (Preemption("qos", "cancel", over={"fast": ["normal"]}, exempts={"normal": 7}), [8, 90, 8, 8]),
        (Preemption("qos", "requeue", modes={"normal": "cancel"}, over={"fast": ["normal"]}), [2, 90, 2, 2]),
    ],
)
def test_jobs_run_until_they_may_be_asked_to_go(rules: Preemption | None, least: list[int]) -> None:
    assert least_runs(jobs(rules)).tolist() == least


def test_jobs_stay_where_no_partition_of_a_higher_tier_has_one_of_their_nodes() -> None:
    base = jobs(Preemption("partition_prio", "cancel"))
    assert base.machine is not None
    parts = (
        ps.Partition("low", "n[1-2]", default=True),
        ps.Partition("high", "n[3-4]", tier=9),
        ps.Partition("over", "n[2-3]", tier=5),
    )

    def runs(*parts: ps.Partition) -> list[int]:
        machine = ps.Machine((ps.NodeKind("n[1-4]", 4, 100),), parts, preemption=Preemption("partition_prio", "cancel"))
        return least_runs(base.with_(machine=machine, capacity=16)).tolist()

    assert runs(*parts[:2]) == [90, 90, 90, 90]
    assert runs(*parts) == [2, 90, 2, 2]


@pytest.mark.parametrize(("flags", "least"), [((), 1), (("FLEX",), 90), (("MAINT",), 90)])
def test_a_reservation_ends_its_jobs(flags: tuple[str, ...], least: int) -> None:
    base = jobs(None, reservation=["", "course", "", ""])
    assert base.machine is not None
    machine = ps.Machine(base.machine.kinds, PARTS, reservations=(Reservation("course", "n1", 10, 60, flags=flags),))
    assert least_runs(base.with_(machine=machine)).tolist() == [90, least, 90, 90]


def test_a_log_without_nodes_has_no_such_jobs() -> None:
    assert least_runs(ps.Workload([0], [9], [9], [1], capacity=4)).tolist() == [9]

"""Passes on whole nodes: the oracle against cases by hand and EASY, and the kernel against the oracle."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import Workload
from paretosched.kernels.inputs import Nodes
from paretosched.kernels.node_passes import in_node_passes
from paretosched.kernels.rack import empty_rack, pick
from paretosched.policies.outcome import jobs_of
from support.naive_nodes import Terms, nodes_for, start_times
from support.prioritising import STATIC, Rank, ranks, starts
from support.simulating import DEEP, briefly, thoroughly
from support.zoo import ZOO, random_jobs, workloads

RESERVATIONS = (0, 1, 2, 5, None)


def of_kernel(w: Workload, policy: Rank, terms: Terms, fixed: bool) -> list[int]:
    nodes = Nodes(np.array(terms.cpus, dtype=np.int64), *terms[1:])

    def kernel(*arguments: Any) -> None:
        in_node_passes(*arguments[:-1], nodes, fixed, arguments[-1])

    return starts(w, policy, kernel)


def check(w: Workload, policy: Rank, terms: Terms) -> None:
    """Compare the kernel with the oracle: with all passes, and without those that are known to start no job."""
    expected = start_times(w, policy.rule(), terms)
    assert of_kernel(w, policy, terms, False) == expected
    if policy.order in STATIC:
        assert of_kernel(w, policy, terms, True) == expected


def plain(policy: Rank) -> Rank:
    """Return a policy whose backfilling has nothing but a number of reservations."""
    return policy._replace(candidates=None, backfill=type(policy.backfill)(policy.backfill.reservations))


def split(capacity: int, seed: int, most: int) -> tuple[int, ...]:
    """Return processors of nodes, at random."""
    rng, cpus = np.random.default_rng(seed), []
    while sum(cpus) < capacity:
        cpus.append(min(capacity - sum(cpus), int(rng.integers(1, most + 1))))
    return tuple(cpus)


def terms_of(seed: int, w: Workload) -> Terms:
    """Return nodes and passes at random, with times that suit a workload; most of them let many jobs start."""
    rng = np.random.default_rng(seed)
    middle = int(np.median(w.estimate))
    often = 1 + int(np.ptp(w.submit) + w.run.sum()) // 300  # the oracle does every pass
    limits = rng.choice([1, 3, 10, 10**9, 10**9, 10**9], 2).tolist()
    return Terms(
        split(w.capacity, seed, int(rng.choice([1, 3, 5, w.capacity])) * (1 + w.capacity // 40)),
        int(max(often, rng.choice([1, 1, max(1, middle // 7), middle]))),
        int(rng.choice([middle, 3 * middle, 10**9, 10**9])),
        int(rng.choice([1, max(1, middle // 5), max(1, middle // 3)])),
        *limits,
    )


# ---- the oracle


def jobs(rows: list[tuple[int, int, int]], capacity: int) -> Workload:
    """Return jobs of which each has a submission, a run time that is its request, and a width."""
    submit, run, width = zip(*rows, strict=True)
    return Workload(submit=submit, run=run, estimate=run, width=width, capacity=capacity)


CASES = {
    # Job 0 has the whole of node 0 until 100, job 1 half of node 1 until 50. Job 2 wants 3 processors, which node 1 has
    # from 50 on. EASY would start job 3 on its fourth one, but the node is reserved.
    "no long job on a reserved node": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 200, 1)], 8),
        1, Terms((4, 4)), [0, 0, 50, 50],
    ),
    "a short one ends before": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 48, 1)], 8),
        1, Terms((4, 4)), [0, 0, 50, 2],
    ),
    # The reservation begins in second 40, a multiple of 20, so that the job is no longer short enough.
    "a step earlier": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 48, 1)], 8),
        1, Terms((4, 4), step=20), [0, 0, 50, 50],
    ),
    "not reserved so far ahead": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 200, 1)], 8),
        1, Terms((4, 4), window=47), [0, 0, 50, 2],
    ),
    "reserved a second later": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 200, 1)], 8),
        1, Terms((4, 4), window=48), [0, 0, 50, 50],
    ),
    "once in ten seconds": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 40, 1)], 8),
        1, Terms((4, 4), every=10), [0, 0, 50, 10],
    ),
    "the second one is not looked at": (
        jobs([(0, 100, 4), (0, 50, 2), (1, 100, 3), (2, 48, 1)], 8),
        1, Terms((4, 4), tested=1), [0, 0, 50, 50],
    ),
    "one start in a main pass": (
        jobs([(0, 10, 1), (0, 10, 1), (0, 10, 1)], 4),
        0, Terms((4,), first=1), [0, 10, 20],
    ),
    # Jobs 2 and 3 are to follow job 0 on node 0 and job 1 on node 1: without the second reservation job 4 could start.
    "two reservations": (
        jobs([(0, 100, 4), (0, 50, 3), (1, 100, 4), (2, 100, 4), (3, 80, 1)], 8),
        2, Terms((4, 4)), [0, 0, 50, 100, 150],
    ),
    "one of them": (
        jobs([(0, 100, 4), (0, 50, 3), (1, 100, 4), (2, 100, 4), (3, 47, 1)], 8),
        1, Terms((4, 4)), [0, 0, 50, 100, 3],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_oracle_and_kernel_have_the_start_times_worked_out_by_hand(name: str) -> None:
    w, reservations, terms, expected = CASES[name]
    policy = plain(Rank("fcfs"))
    policy = policy._replace(backfill=policy.backfill._replace(reservations=reservations))
    assert start_times(w, policy.rule(), terms) == expected
    check(w, policy, terms)


@pytest.mark.parametrize(
    ("free", "width", "held"),
    [
        ([4, 2, 3, 0, 6], 3, {4: 3}),  # the neighbours that have fewest, though others have a node with fewer
        ([4, 2, 3, 0, 9, 1], 3, {2: 3}),  # of these the node that has just enough
        ([0, 0, 0, 2, 10, 1, 0, 0, 0, 1], 1, {9: 1}),  # so it was seen on a real slurmctld, of KTH 1
        ([1, 1, 0, 3, 3, 3, 0, 3, 2], 5, {7: 3, 8: 2}),  # the neighbours that have just enough
        ([1, 1, 0, 3, 2, 0, 2, 2], 7, {3: 3, 4: 2, 0: 1, 1: 1}),  # the neighbours that have most, and then others
        ([1, 1, 0, 3, 2, 0, 2, 2], 6, {3: 3, 4: 2, 0: 1}),
    ],
)
def test_the_nodes_of_a_job(free: list[int], width: int, held: dict[int, int]) -> None:
    assert nodes_for(free, width) == held


@settings(thoroughly, max_examples=150)
@given(free=st.lists(st.integers(0, 3), min_size=1, max_size=24), part=st.floats(0.01, 1))
def test_the_kernel_picks_the_same_nodes(free: list[int], part: float) -> None:
    width = math.ceil(sum(free) * part)
    if width > 0:
        rack = empty_rack(jobs_of(jobs([(0, 1, 1)], 99)), 99, Nodes(np.array(free), 1, 1, 1, 1, 1), 1)
        rack.usable[:] = free
        count = pick(rack, width)
        held = dict(zip(rack.picked[:count].tolist(), rack.taken[:count].tolist(), strict=True))
        assert list(held.items()) == list(nodes_for(free, width).items())


@briefly
@given(data=st.data(), w=workloads())
def test_jobs_of_one_processor_on_nodes_of_one_are_backfilled_as_by_easy(data: st.DataObject, w: Workload) -> None:
    """There a reservation leaves nothing over: with widths of 1 a job waits only if none is free."""
    narrow = w.with_(width=np.ones(len(w), dtype=np.int64))
    policy = plain(Rank("fcfs", backfill=data.draw(ranks(w)).backfill))
    assert start_times(narrow, policy.rule(), Terms((1,) * w.capacity)) == starts(narrow, policy)


@briefly
@given(w=workloads())
def test_without_reservations_nodes_do_not_matter(w: Workload) -> None:
    policy = plain(Rank("saf"))
    assert of_kernel(w, policy, Terms(split(w.capacity, 1, 3)), True) == starts(w, policy)


# ---- the kernel


@pytest.mark.slow
@pytest.mark.parametrize("reservations", RESERVATIONS)
@pytest.mark.parametrize("name", ZOO)
def test_equals_the_oracle_on_awkward_workloads(name: str, reservations: int | None) -> None:
    w = ZOO[name].take(np.arange(min(60, len(ZOO[name]))))
    for seed in range(3):
        order = ("saf", "lxf", "situations", "fcfs", "least used")[(seed + len(name)) % 5]
        policy = plain(Rank(order, accounts=(np.arange(len(w)) % 3).tolist(), half_life=1000.0))
        policy = policy._replace(backfill=policy.backfill._replace(reservations=reservations))
        check(w, policy, terms_of(seed, w))


@pytest.mark.slow
@thoroughly
@given(data=st.data(), w=workloads(max_jobs=14))
def test_equals_the_oracle_on_any_workload(data: st.DataObject, w: Workload) -> None:
    policy = plain(data.draw(ranks(w)))
    check(w, policy, terms_of(data.draw(st.integers(0, 10**6)), w))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_equals_the_oracle_on_busy_machines(seed: int) -> None:
    w = random_jobs(seed, 60, 24, gap=1 + seed % 4, run=20, slack=1.0 + seed % 3)
    policy = plain(Rank(("fcfs", "saf", "lxf", "turning", "widest", "situations")[seed % 6]))
    policy = policy._replace(backfill=policy.backfill._replace(reservations=(None, 1, None, 4, 2)[seed % 5]))
    check(w, policy, terms_of(seed, w))


@pytest.mark.slow
@pytest.mark.parametrize("kind", DEEP)
def test_equals_the_oracle_on_a_hundred_jobs(kind: str) -> None:
    for seed, reservations in enumerate(RESERVATIONS):
        w = DEEP[kind](seed).take(np.arange(100))
        policy = plain(Rank(("saf", "lxf", "fcfs", "turning", "sjf")[seed]))
        policy = policy._replace(backfill=policy.backfill._replace(reservations=reservations))
        check(w, policy, terms_of(seed, w))

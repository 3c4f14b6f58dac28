"""Weak orders of the groups: all of them, and what each does to a workload and to a queue."""

from collections.abc import Iterator
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError, Workload, objectives, simulate
from paretosched.encodings.orders import (
    Orders,
    decode,
    encode,
    permutations_and_original,
    queue_policy,
    static_order,
    weak_orders,
    written_as,
)
from support.later import arrival_workload, by_rows, later
from support.naive import easy, heads, jobs_of, replan, run
from support.zoo import BACKFILLS, ZOO, jobs, workloads

FIVE = tuple("12345")
SMALL_ZOO = [name for name, w in ZOO.items() if len(w.groups) <= 6]
PASSES = {"none": heads, "easy": easy, "conservative": replan}


def partitions(groups: list[int]) -> Iterator[list[list[int]]]:
    """Every ordered set partition: choose which come first, then order the others."""
    if not groups:
        yield []
    for size in range(1, len(groups) + 1):
        for first in combinations(groups, size):
            for rest in partitions([g for g in groups if g not in first]):
                yield [list(first), *rest]


def by_rank(workload: Workload, ranks: list[int], backfill: str) -> list[int]:
    """Start times, by the naive simulator, if the waiting jobs are ordered by rank and then by arrival."""
    return run(
        jobs_of(workload),
        workload.capacity,
        lambda t, waiting: sorted(waiting, key=lambda job: (ranks[job.group], job.row)),
        PASSES[backfill],
    )


@pytest.mark.parametrize(("groups", "count"), [(1, 1), (2, 3), (3, 13), (4, 75), (5, 541), (6, 4683)])
def test_weak_orders_are_the_ordered_set_partitions(groups: int, count: int) -> None:
    ranks = weak_orders(groups)
    assert ranks.shape == (count, groups)
    assert ranks.dtype == np.int64
    rows = [tuple(row) for row in ranks.tolist()]
    expected = {
        tuple(next(rank for rank, block in enumerate(blocks) if g in block) for g in range(groups))
        for blocks in partitions(list(range(groups)))
    }
    assert rows == sorted(expected)  # all of them, each once, in lexicographic order
    assert rows[0] == (0,) * groups  # the fully merged one


def test_the_thirteen_of_the_paper() -> None:
    paper = (
        "1, 2, 3 · (1,2), 3 · 1, (2,3) · (1,2,3) · 1, 3, 2 · (1,3), 2 · 2, 1, 3 · 2, (1,3) · (2,3), 1 · 2, 3, 1 · "
        "3, 1, 2 · 3, (1,2) · 3, 2, 1"
    )
    assert {written_as(ranks, "123") for ranks in weak_orders(3)} == set(paper.split(" · "))


@pytest.mark.parametrize(("groups", "count"), [(1, 1), (2, 3), (3, 7), (5, 121)])
def test_permutations_and_the_original(groups: int, count: int) -> None:
    rows = [tuple(row) for row in permutations_and_original(groups).tolist()]
    assert len(rows) == count
    assert rows[0] == (0,) * groups
    assert set(rows) == {(0,) * groups} | set(permutations(range(groups)))


@pytest.mark.parametrize("groups", [0, -1, 7, 64])
def test_more_than_six_groups_are_refused(groups: int) -> None:
    for function in (weak_orders, permutations_and_original):
        with pytest.raises(InputError, match=f"orders are for 1 to 6 groups, but there are {groups}"):
            function(groups)


def test_ten_groups_are_refused_before_anything_is_sorted() -> None:
    w = ZOO["ten groups"]
    with pytest.raises(InputError, match="but there are 10"):
        static_order(w, range(10))
    with pytest.raises(InputError, match="but there are 10"):
        queue_policy(range(10), w.groups, "easy")


def test_names_are_written_as_people_write_them() -> None:
    assert written_as([0, 1, 1, 2, 3], FIVE) == "1, (2,3), 4, 5"
    assert written_as([0] * 5, FIVE) == "(1,2,3,4,5)"
    assert written_as([2, 0, 1], ["staff", "students", "guests"]) == "students, guests, staff"
    assert len({written_as(ranks, FIVE) for ranks in weak_orders(5)}) == 541
    assert len({queue_policy([0, 1], ("1", "2"), backfill).name for backfill in BACKFILLS}) == 3


# Groups 1, 2, 3 and an empty one, arriving 3 1 2 1 3 2.
SIX = jobs(4, *((i, 10, 10, 4, g) for i, g in enumerate([2, 0, 1, 0, 2, 1]))).with_(groups=(*"123", "nobody"))


@pytest.mark.parametrize(
    ("ranks", "order"),
    [
        ([0, 0, 0, 0], [0, 1, 2, 3, 4, 5]),
        ([0, 1, 2, 3], [1, 3, 2, 5, 0, 4]),
        ([3, 2, 1, 0], [0, 4, 2, 5, 1, 3]),
        ([0, 1, 0, 1], [0, 1, 3, 4, 2, 5]),
        ([1, 0, 1, 2], [2, 5, 0, 1, 3, 4]),
    ],
)
def test_static_orders_by_hand(ranks: list[int], order: list[int]) -> None:
    jobs_in_order = static_order(SIX, ranks)
    assert jobs_in_order.tolist() == order
    assert jobs_in_order.dtype == np.int32


@pytest.mark.parametrize("backfill", BACKFILLS)
@pytest.mark.parametrize(
    ("ranks", "start"),
    [
        # The first job runs from 0, alone; at 10 all others wait, one after the other.
        ([0, 0, 0, 0], [0, 10, 20, 30, 40, 50]),
        ([0, 1, 2, 3], [0, 10, 30, 20, 50, 40]),
        ([3, 2, 1, 0], [0, 40, 20, 50, 10, 30]),
        ([0, 1, 0, 1], [0, 10, 40, 20, 30, 50]),
    ],
)
def test_dynamic_orders_by_hand(ranks: list[int], start: list[int], backfill: str) -> None:
    assert simulate(SIX, queue_policy(ranks, SIX.groups, backfill)).start.tolist() == start


def test_a_job_that_waits_behind_a_wide_job_of_a_better_rank_may_pass_it_with_easy_only() -> None:
    w = jobs(4, (0, 10, 10, 3, 0), (1, 8, 8, 1, 0), (1, 5, 5, 4, 1), (1, 9, 9, 1, 0))
    # group 2 first: its wide job waits until 10; both narrow ones end by then, the machine has room for one
    assert simulate(w, queue_policy([1, 0], w.groups, "none")).start.tolist() == [0, 15, 10, 15]
    assert simulate(w, queue_policy([1, 0], w.groups, "easy")).start.tolist() == [0, 1, 10, 15]
    # group 1 first: both narrow ones start before the wide one, the second when the first ends
    assert simulate(w, queue_policy([0, 1], w.groups, "none")).start.tolist() == [0, 1, 18, 9]


@pytest.mark.parametrize("backfill", BACKFILLS)
@pytest.mark.parametrize("name", SMALL_ZOO)
def test_the_queue_is_ordered_by_rank_in_every_situation(name: str, backfill: str) -> None:
    w = ZOO[name]
    ranks = weak_orders(len(w.groups))
    for row in np.random.default_rng(0).choice(len(ranks), min(len(ranks), 4), replace=False):
        policy = queue_policy(ranks[row], w.groups, backfill)
        assert simulate(w, policy).start.tolist() == by_rank(w, ranks[row].tolist(), backfill), ranks[row]


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(w=workloads(), seed=st.integers(0, 2**32 - 1), backfill=st.sampled_from(BACKFILLS))
def test_the_queue_of_any_workload_is_ordered_by_rank(w: Workload, seed: int, backfill: str) -> None:
    ranks = weak_orders(len(w.groups))
    rank = ranks[np.random.default_rng(seed).integers(len(ranks))]
    assert simulate(w, queue_policy(rank, w.groups, backfill)).start.tolist() == by_rank(w, rank.tolist(), backfill)


@pytest.mark.parametrize("name", SMALL_ZOO)
def test_fully_merged_it_is_fcfs_easy_and_the_original_order(name: str) -> None:
    w = ZOO[name]
    one_rank = weak_orders(len(w.groups))[0]
    assert static_order(w, one_rank).tolist() == list(range(len(w)))
    for backfill, rule in (("none", "fcfs"), ("easy", "easy"), ("conservative", "conservative-replan")):
        schedule = simulate(w, queue_policy(one_rank, w.groups, backfill))
        assert schedule.start.tolist() == simulate(w, rule).start.tolist()


def test_a_group_without_jobs_does_not_matter() -> None:
    w = ZOO["empty groups"]
    with_them = objectives(simulate(w, queue_policy([2, 0, 1, 0], w.groups, "easy")))
    without = w.with_(groups=w.groups[:2])
    assert (
        with_them[:4].tolist() == objectives(simulate(without, queue_policy([1, 0], without.groups, "easy"))).tolist()
    )
    assert static_order(w, [2, 0, 1, 0]).tolist() == static_order(without, [1, 0]).tolist()


@pytest.mark.parametrize("groups", range(1, 7))
def test_genomes_are_within_bounds_and_decode_to_what_was_encoded(groups: int) -> None:
    names = tuple("abcdef"[:groups])
    ranks = weak_orders(groups)[:: 1 + groups**2]
    lower, upper = Orders().lower_upper(groups)
    labels = Orders().gene_labels(groups)
    assert len(labels) == len(set(labels)) == lower.size == upper.size == groups + 1
    for dynamic in (False, True):
        genomes = encode(ranks, dynamic)
        assert ((genomes >= lower) & (genomes <= upper)).all()
        for genome, row in zip(genomes, ranks, strict=True):
            decoded_ranks, applies_to_queue = decode(genome, names)
            assert decoded_ranks.tolist() == row.tolist()
            assert applies_to_queue is dynamic
    assert (encode(weak_orders(groups), True).max(axis=0) == upper).all()


@pytest.mark.parametrize(
    ("genome", "message"),
    [
        ([0, 1, 1], r"for 3 groups must have shape \(4,\), but has \(3,\)"),
        ([0, 1, 2, 0.5], r"last gene must be 0 \(whole workload\) or 1 \(waiting queue\), but is 0.5"),
        ([0, 2, 2, 1], "ranks must be 0, 1, ... without a gap, but are 0, 2, 2"),
        ([1, 2, 3, 1], "without a gap, but are 1, 2, 3"),
        ([0, 0.5, 1, 1], "without a gap, but are 0, 0.5, 1"),
        ([0, -1, 1, 1], "without a gap, but are 0, -1, 1"),
        ([0, np.nan, 1, 1], "without a gap, but are 0, nan, 1"),
    ],
)
def test_genomes_that_are_no_order_are_refused(genome: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        decode(genome, "123")


def test_ranks_must_fit_the_groups() -> None:
    with pytest.raises(InputError, match=r"one a group, shape \(4,\), but have shape \(3,\)"):
        static_order(SIX, [0, 1, 2])
    with pytest.raises(InputError, match="one number a group"):
        queue_policy(["first", "last"], ("1", "2"), "easy")
    with pytest.raises(InputError, match="backfill must be one of"):
        queue_policy([0, 1], ("1", "2"), "aggressive")


@pytest.mark.parametrize("name", SMALL_ZOO[::6])
def test_jobs_of_a_rank_stand_in_the_order_in_which_they_are_eligible(name: str) -> None:
    w = later(ZOO[name], 1)
    same, rows = arrival_workload(w)
    ranks = [g % 2 for g in range(len(w.groups))] if len(w.groups) > 1 else [0]
    assert static_order(w, ranks).tolist() == rows[static_order(same, ranks)].tolist()
    for genome in encode([ranks] * 2, dynamic=False), encode([ranks] * 2, dynamic=True):
        start, of_same = (Orders().decoder(jobs)(genome[0], genome[:0]).start for jobs in (w, same))
        assert start.tolist() == by_rows(of_same, rows)

"""The order of a group: permutations in the order of the search, pruning, and examples."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from paretosched import Schedule, Workload, simulate
from paretosched.kernels.group_search import advance
from paretosched.policies.time_sharing import SEARCHES, Grouping, Optimisation, TimeSharing
from support.naive_sharing import lehmer
from support.sharing import EAGER, GROUPS, PAPER, SMALL, crowds, sharings, thoroughly
from support.zoo import jobs, random_jobs


@pytest.mark.parametrize("search", range(3))
@pytest.mark.parametrize("n", range(1, 6))
def test_permutations_come_in_the_order_of_the_search(n: int, search: int) -> None:
    permutations, digits = [], np.zeros(n, dtype=np.int64)
    more = True
    while more:
        permutations.append(tuple(digits.tolist()))
        more = advance(digits, n, search)
    assert permutations == lehmer(n, SEARCHES[search], 10**6)
    assert len(set(permutations)) == len(permutations) == math.factorial(n)


def test_discrepancies_come_as_in_the_paper() -> None:
    digits = lehmer(3, "discrepancy", 6)
    assert [sum(d > 0 for d in one) for one in digits] == [0, 1, 1, 2, 1, 2]
    letters = [list("abc") for _ in digits]
    orders = ["".join(rest.pop(d) for d in one) for rest, one in zip(letters, digits, strict=True)]
    assert orders == ["abc", "acb", "bac", "bca", "cab", "cba"]
    assert [sum(d > 0 for d in one) for one in lehmer(4, "lds", 24)] == [0] + [1] * 6 + [2] * 11 + [3] * 6


@pytest.mark.slow
@thoroughly
@given(w=crowds(), sharing=sharings())
def test_pruning_changes_no_schedule_and_spares_what_it_says(w: Workload, sharing: TimeSharing) -> None:
    optimisation = sharing.optimisation or GROUPS
    pruning, whole = (
        simulate(w, replace(sharing, optimisation=optimisation._replace(pruning=p))) for p in (True, False)
    )
    assert same_segments(pruning, whole)
    assert pruning.searched is not None
    assert whole.searched is not None
    assert whole.searched.pruned == (0, 0)
    assert [a + b for a, b in zip(pruning.searched.visited, pruning.searched.pruned, strict=True)] == [
        *whole.searched.visited
    ]


def same_segments(one: Schedule, other: Schedule) -> bool:
    assert one.segments is not None
    assert other.segments is not None
    return all(np.array_equal(a, b) for a, b in zip(one.segments, other.segments, strict=True))


def test_a_group_is_put_into_a_better_order() -> None:
    # Three jobs wait when they become a group at 3; the shortest one first makes the sum of their slowdowns smallest.
    all_waiting = Grouping(least=3, most=4, machines=0.0, work=0.0, mean_run=0, wide=1.0, wide_run=10**6)
    with_groups = replace(
        PAPER, optimisation=Optimisation(bound=100, ceiling=False, medium=all_waiting, long=all_waiting)
    )
    w = jobs(4, (0, 50, 50, 4), (1, 60, 60, 4), (2, 60, 60, 4), (3, 20, 20, 4))
    one_class = {"medium_from": 5, "long_from": 5, "interval": 1000}
    assert simulate(w, replace(PAPER, **one_class)).start.tolist() == [0, 50, 110, 170]
    assert simulate(w, replace(with_groups, **one_class)).start.tolist() == [0, 70, 130, 50]


def test_the_paper_s_limit_of_permutations_is_no_burden() -> None:
    w = random_jobs(5, 400, 16, gap=2, run=40)
    fast = replace(SMALL, optimisation=Optimisation(medium=EAGER._replace(most=20), long=EAGER._replace(most=30)))
    schedule = simulate(w, fast).check()
    assert schedule.searched is not None
    assert schedule.searched.visited[1] > 10_000

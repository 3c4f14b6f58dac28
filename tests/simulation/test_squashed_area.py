"""f of sets of groups is what the proof says, second by second, and no schedule of a tiny workload is below it."""

from itertools import combinations, permutations

import numpy as np
import pytest

from paretosched import Workload, bounds
from paretosched.kernels.squashed_queue import add_product, number_of
from paretosched.simulation.squashed_area import exact_dot, jobs_of, least_area
from support.later import later
from support.naive_bounds import naive_least_area
from support.tiny import in_units, place_jobs
from support.zoo import ZOO, jobs, random_jobs


def sets_of(w: Workload) -> list[tuple[int, ...]]:
    """Return all sets of groups with jobs."""
    present = sorted(set(w.group.tolist()))
    return [members for size in range(len(present)) for members in combinations(present, size + 1)]


def check_against_naive(w: Workload) -> None:
    prepared = jobs_of(w)
    for members in sets_of(w):
        for two_at_a_time in (True, False):
            assert least_area(prepared, members, two_at_a_time) == naive_least_area(w, members, two_at_a_time)


@pytest.mark.parametrize(
    ("w", "area"),
    [
        # a lone job: nothing waits
        (jobs(4, (7, 10, 10, 3)), 30 * 10),
        # twelve processors wanted, four there: 8 wait in each of 2 s, then 16 flow out in 4 s
        (jobs(4, *[(0, 2, 2, 2)] * 6), 24 * 2 + 16 * 2 // 2 + 16 * 4 // 2),
        # 6 flow in, 4 out for 2 s; then 1 in and 4 out: 4, 1, and empty in the next second, which counts nothing
        (jobs(4, (0, 5, 5, 1), (0, 2, 2, 2), (0, 2, 2, 1), (0, 2, 2, 2)), (90 + 4 * 2 + (4 + 1)) // 2),
        # two wide jobs in turn: the second 10 s late
        (jobs(4, (0, 10, 10, 3), (0, 10, 10, 3)), 60 * 10 + 30 * 10),
        # three of which two fit: of 3 that flow in 1 waits, 10 are left after 10 s, and 2 flow out
        (jobs(5, *[(0, 10, 10, 2)] * 3), 60 * 10 + 2 * (10 * 10 // 2 + 10 * 5 // 2)),
    ],
)
def test_areas_by_hand(w: Workload, area: int) -> None:
    assert least_area(jobs_of(w), [0]) == naive_least_area(w, (0,)) == area


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name for name, w in ZOO.items() if (u := in_units(w)).submit[-1] + u.run.sum() < 2000 and len(w) < 80]
)
def test_second_by_second_it_is_the_same_on_the_zoo(name: str) -> None:
    check_against_naive(in_units(ZOO[name]))


@pytest.mark.parametrize("capacity", [1, 2, 3, 5, 7, 12, 100])
def test_second_by_second_it_is_the_same(capacity: int) -> None:
    for seed in range(12):
        w = random_jobs(seed, 12, capacity, gap=seed % 4, run=9, groups=3)
        check_against_naive(w)
    check_against_naive(later(random_jobs(3, 12, capacity, gap=2, run=9, groups=2), 5))


def test_with_many_widths_some_are_left_out() -> None:
    rng = np.random.default_rng(5)
    run = rng.integers(1, 9, 60)
    w = Workload(
        submit=np.sort(rng.integers(0, 9, 60)), run=run, estimate=run, width=rng.permutation(60) + 341, capacity=1000
    )
    check_against_naive(w)
    assert least_area(jobs_of(w), [0]) > least_area(jobs_of(w), [0], two_at_a_time=False)


def test_no_schedule_of_a_tiny_workload_is_below_them_and_some_meet_them() -> None:
    """All orders with earliest placement; they include the best schedule for every set."""
    met = 0
    for seed in range(60):
        w = random_jobs(seed, 4 + seed % 2, 2 + seed % 4, gap=2, run=4, slack=0.0, groups=2)
        starts = np.array([place_jobs(w, order) for order in permutations(range(len(w)))])
        response = (starts + w.run - w.submit) * w.run * w.width
        for members in sets_of(w):
            best = response[:, np.isin(w.group, members)].sum(axis=1).min()
            area = least_area(jobs_of(w), members)
            assert area <= best
            met += area == best
    assert met > 50


@pytest.mark.parametrize("name", list(ZOO)[::3])
def test_they_are_the_bounds_of_the_ideal_point_or_more(name: str) -> None:
    w = ZOO[name]
    prepared, ideal = jobs_of(w), bounds(w).together
    for g, work in enumerate(prepared.work):
        if (
            work
        ):  # what is left out of a last second is less than a second of all processors, for each time a queue empties
            least = least_area(prepared, [g])
            assert least >= ideal[2 + g] * work * (1 - 1e-9) - len(w) * w.capacity
    assert sum(prepared.work) == w.work


def test_numbers_beyond_64_bits_are_exact() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2**62, (2, 500))
    digits = np.zeros(3, np.int64)
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        add_product(digits, x // 500, y)
    assert number_of(digits) == sum(x // 500 * y for x, y in zip(a.tolist(), b.tolist(), strict=True))
    assert exact_dot(a, b) == sum(x * y for x, y in zip(a.tolist(), b.tolist(), strict=True))
    # the same jobs in a unit that is ten thousand million times as long: all areas are larger by the square of this
    unit = 10**10
    w = random_jobs(1, 60, 16, gap=2, run=20, groups=2)
    longer = w.with_(submit=w.submit * unit, run=w.run * unit, estimate=w.run * unit)
    for members in sets_of(w):
        area, of_longer = least_area(jobs_of(w), members), least_area(jobs_of(longer), members)
        assert area * unit**2 <= of_longer <= (area + len(w) * w.capacity) * unit**2
        assert of_longer > 2**63

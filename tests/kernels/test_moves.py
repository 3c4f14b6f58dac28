"""Moves and recombinations of orders: equal to the oracle, permutations, reversible, as in the textbook."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from paretosched import Workload, decode
from paretosched.kernels import moves
from paretosched.kernels.inputs import Jobs
from paretosched.kernels.moves import jump_length
from paretosched.kernels.running import bits_for
from support import naive, naive_moves
from support.zoo import jobs

thoroughly = settings(deadline=None, max_examples=60)
below_one = st.floats(0.0, 1.0, exclude_max=True) | st.sampled_from([0.0, 0.5, 0.75, np.nextafter(1.0, 0.0)])
lucks = st.lists(st.tuples(below_one, below_one), max_size=12)
means = st.sampled_from([1.0, 1.5, 2.0, 4.0, 30.0])
orders = st.integers(1, 14).flatmap(lambda n: st.permutations(range(n)))
pairs = st.integers(1, 12).flatmap(lambda n: st.tuples(st.permutations(range(n)), st.permutations(range(n))))


def given_order(jobs: Any) -> NDArray[np.int32]:
    """Orders come to the kernels read-only, as they come from the cache."""
    order = np.array(jobs, dtype=np.int32)
    order.flags.writeable = False
    return order


def numbers(luck: Any) -> NDArray[np.float64]:
    return np.array(luck, dtype=np.float64).reshape(-1, 2)


def read_only(values: Any, dtype: Any = np.int64) -> NDArray[Any]:
    array = np.array(values, dtype=dtype)
    array.flags.writeable = False
    return array


def swap(jobs: Any, luck: Any, mean: float) -> list[int]:
    result = np.array(jobs, dtype=np.int32)
    moves.swap(result, numbers(luck), mean)
    return result.tolist()


def later(jobs: Any, movable: Any, luck: Any, mean: float) -> list[int]:
    result = np.full(len(jobs), -7, dtype=np.int32)
    moves.later(given_order(jobs), np.array(movable, dtype=bool), numbers(luck), mean, result, moves.space(len(jobs)))
    return result.tolist()


def pull(jobs: Any, submit: Any, wait: Any, cost: Any, luck: Any, mean: float) -> list[int]:
    result = np.full(len(jobs), -7, dtype=np.int32)
    space = moves.space(len(jobs))
    space.cost[:] = cost
    moves.pull(given_order(jobs), read_only(submit), np.array(wait, dtype=np.int32), numbers(luck), mean, result, space)
    return result.tolist()


def fill(w: Workload, order: Any, luck: Any, mean: float, start: Any = None) -> list[int]:
    """Fill the gaps of an order that is decoded strictly, or of another schedule with ascending starts."""
    result = np.full(len(w), -7, dtype=np.int32)
    space = moves.space(len(w))
    bits = bits_for(w.capacity)
    space.start[:] = naive.strict(w, order) if start is None else start
    space.ends[:] = np.sort((space.start + w.run) << bits | w.width)
    values = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
    moves.fill(values, given_order(order), bits, w.capacity, numbers(luck), mean, result, space)
    return result.tolist()


def cross(name: str, parent: Any, mate: Any, *cuts: int) -> list[int]:
    result = np.full(len(parent), -7, dtype=np.int32)
    getattr(moves, name)(given_order(parent), given_order(mate), *cuts, result, moves.space(len(parent)))
    return result.tolist()


@pytest.mark.parametrize("mean", [1.0, 1.3, 2.0, 10.0, 1500.0, 133024.0])
def test_jumps_are_geometric_with_the_mean_they_are_given(mean: float) -> None:
    count = 200_000
    lengths = np.array([jump_length(u, mean) for u in (np.arange(count) + 0.5) / count])
    assert lengths.min() == 1
    assert lengths.mean() == pytest.approx(mean, rel=2e-4)  # the midpoints miss the end of the tail
    for k in (1, 2, 5, 20, 3000):
        assert (lengths > k).mean() == pytest.approx((1 - 1 / mean) ** k, abs=1 / count)


def test_the_largest_number_below_one_jumps_far_and_not_for_ever() -> None:
    assert jump_length(np.nextafter(1.0, 0.0), 1.0) == 1
    assert jump_length(np.nextafter(1.0, 0.0), 2.0) == 54  # P(d > 53) = 2^-53
    assert jump_length(0.0, 133024.0) == 1


@thoroughly
@given(orders, lucks, means)
def test_swaps_equal_the_oracle_and_give_a_permutation(jobs: list[int], luck: list[Any], mean: float) -> None:
    new_order = swap(jobs, luck, mean)
    assert new_order == naive_moves.swap(jobs, luck, mean)
    assert sorted(new_order) == sorted(jobs)


@pytest.mark.slow
@thoroughly
@given(orders, lucks, means)
def test_swaps_in_reverse_undo_swaps(jobs: list[int], luck: list[Any], mean: float) -> None:
    assert swap(swap(jobs, luck, mean), luck[::-1], mean) == list(jobs)


@thoroughly
@given(orders, lucks)
def test_mean_distance_one_swaps_neighbours(jobs: list[int], luck: list[Any]) -> None:
    for one in luck:
        new_order = swap(jobs, [one], 1.0)
        places = [i for i in range(len(jobs)) if new_order[i] != jobs[i]]
        assert places == ([places[0], places[0] + 1] if len(jobs) > 1 else [])
        jobs = new_order


def test_every_pair_of_places_at_a_distance_is_equally_likely() -> None:
    even = [((i + 0.5) / 12, 0.6) for i in range(12)]  # 0.6 is a jump of 2 with mean 2
    new_orders = [swap(range(8), [one], 2.0) for one in even]
    assert [next(i for i in range(8) if jobs[i] != i) for jobs in new_orders] == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    assert all(sum(jobs[i] != i for i in range(8)) == 2 for jobs in new_orders)


@pytest.mark.slow
@thoroughly
@given(orders, st.data(), lucks, means)
def test_moves_towards_the_end_equal_the_oracle(jobs: list[int], data: Any, luck: list[Any], mean: float) -> None:
    movable = data.draw(st.lists(st.booleans(), min_size=len(jobs), max_size=len(jobs)))
    new_order = later(jobs, movable, luck, mean)
    assert new_order == naive_moves.later(jobs, movable, luck, mean)
    assert sorted(new_order) == sorted(jobs)


@pytest.mark.slow
@thoroughly
@given(orders, st.data(), lucks, means)
def test_only_movable_jobs_fall_back(jobs: list[int], data: Any, luck: list[Any], mean: float) -> None:
    """Other jobs keep their order, and a job that is overtaken by one that was behind it is movable."""
    movable = data.draw(st.lists(st.booleans(), min_size=len(jobs), max_size=len(jobs)))
    place = np.argsort(later(jobs, movable, luck, mean))
    for i, job in enumerate(jobs):
        if not movable[job]:
            assert place[job] <= i
            assert all(place[job] < place[behind] for behind in jobs[i + 1 :])


def test_a_job_moves_behind_as_many_as_it_jumps() -> None:
    # place 1 of 6 is drawn by 0.2; with mean 2 a jump is 1 below 0.5, 2 below 0.75, 3 below 0.875
    assert later([5, 4, 3, 2, 1, 0], [True] * 6, [(0.2, 0.4)], 2.0) == [5, 3, 4, 2, 1, 0]
    assert later([5, 4, 3, 2, 1, 0], [True] * 6, [(0.2, 0.8)], 2.0) == [5, 3, 2, 1, 4, 0]
    assert later([5, 4, 3, 2, 1, 0], [True] * 6, [(0.2, 0.9999)], 2.0) == [5, 3, 2, 1, 0, 4]
    # twice the same: the jumps add up
    assert later([5, 4, 3, 2, 1, 0], [True] * 6, [(0.2, 0.6), (0.2, 0.4)], 2.0) == [5, 3, 2, 1, 4, 0]
    # two movers, places 0 and 1, both behind place 2: they keep their order
    assert later([5, 4, 3, 2, 1, 0], [True] * 6, [(0.0, 0.6), (0.2, 0.4)], 2.0) == [3, 5, 4, 2, 1, 0]
    # of jobs 4 and 1 only, the second is drawn
    assert later([5, 4, 3, 2, 1, 0], [False, True, False, False, True, False], [(0.5, 0.1)], 2.0) == [5, 4, 3, 2, 0, 1]


def test_where_nothing_may_move_nothing_moves() -> None:
    assert later([2, 0, 1], [False] * 3, [(0.2, 0.9)] * 3, 2.0) == [2, 0, 1]
    assert later([0], [True], [(0.0, 0.9)], 2.0) == [0]


@thoroughly
@given(st.integers(2, 12).flatmap(lambda n: st.permutations(range(n))), st.data())
def test_a_move_towards_the_end_is_undone_by_moves_of_those_it_passed(jobs: list[int], data: Any) -> None:
    n = len(jobs)
    i = data.draw(st.integers(0, n - 2))
    by = data.draw(st.integers(1, n - 1 - i))
    luck = (1 - 0.5 ** (by - 1)) + 0.5 ** (by + 1)  # the middle of what is a jump of `by` with mean 2
    new_order = later(jobs, [True] * n, [((i + 0.5) / n, luck)], 2.0)
    assert new_order == [*jobs[:i], *jobs[i + 1 : i + by + 1], jobs[i], *jobs[i + by + 1 :]]
    for place in range(i + by - 1, i - 1, -1):  # the last that was passed first
        new_order = later(new_order, [True] * n, [((place + 0.5) / n, 0.0)], 2.0)
    assert new_order == list(jobs)


@pytest.mark.slow
@thoroughly
@given(orders, st.data(), lucks, means)
def test_pulling_equals_the_oracle(jobs: list[int], data: Any, luck: list[Any], mean: float) -> None:
    n = len(jobs)
    submit = sorted(data.draw(st.lists(st.integers(0, 6), min_size=n, max_size=n)))
    wait = data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n))
    cost = data.draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 64.0]), min_size=n, max_size=n))
    new_order = pull(jobs, submit, wait, cost, luck, mean)
    assert new_order == naive_moves.pull(jobs, submit, wait, cost, luck, mean)
    assert sorted(new_order) == sorted(jobs)
    place = np.argsort(new_order)
    for i, job in enumerate(jobs):  # a job that costs nothing keeps its place or is passed
        if cost[job] == 0:
            assert place[job] >= i
            assert all(place[before] < place[job] for before in jobs[:i])


def test_a_job_is_pulled_to_where_the_jobs_start_at_its_submission() -> None:
    submit, wait = [0, 0, 5, 6, 7], [0, 9, 5, 5, 5]  # starts 0, 9, 10, 11, 12 in the order of the rows
    alone = [0.0, 0.0, 0.0, 0.0, 1.0]
    # with mean 2 jumps are 1, 2 and many; job 1 is the first that starts at 7 or later
    assert pull(range(5), submit, wait, alone, [(0.3, 0.4)], 2.0) == [0, 1, 2, 4, 3]
    assert pull(range(5), submit, wait, alone, [(0.3, 0.6)], 2.0) == [0, 1, 4, 2, 3]
    assert pull(range(5), submit, wait, alone, [(0.3, 0.9999)], 2.0) == [0, 4, 1, 2, 3]
    # costs 3 and 1: job 3 is drawn below 3/4
    dear = [0.0, 0.0, 0.0, 3.0, 1.0]
    assert pull(range(5), submit, wait, dear, [(0.74, 0.4)], 2.0) == [0, 1, 3, 2, 4]
    assert pull(range(5), submit, wait, dear, [(0.76, 0.4)], 2.0) == [0, 1, 2, 4, 3]
    # both before place 2: they keep their order
    assert pull(range(5), submit, wait, dear, [(0.74, 0.4), (0.76, 0.6)], 2.0) == [0, 1, 3, 4, 2]
    # no job waits
    assert pull(range(5), submit, [0] * 5, [0.0] * 5, [(0.3, 0.9)], 2.0) == [0, 1, 2, 3, 4]


def test_what_was_pulled_goes_back_when_those_it_passed_are_pulled() -> None:
    submit, wait = [0] * 6, [1] * 6
    order = pull(range(6), submit, wait, [0, 0, 0, 0, 1.0, 0], [(0.0, 0.8)], 2.0)
    assert order == [0, 4, 1, 2, 3, 5]
    for job in (1, 2, 3):
        order = pull(order, submit, wait, [float(j == job) for j in range(6)], [(0.0, 0.0)], 2.0)
    assert order == [0, 1, 2, 3, 4, 5]


few = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6), st.just(9), st.integers(1, 5)), min_size=1, max_size=10)
sequences = few.flatmap(lambda rows: st.tuples(st.just(jobs(5, *rows)), st.permutations(range(len(rows)))))


@pytest.mark.slow
@thoroughly
@given(sequences, lucks, means)
def test_filling_equals_the_oracle(sequence: Any, luck: list[Any], mean: float) -> None:
    w, order = sequence
    start = naive.strict(w, order)
    values = list(zip(w.submit.tolist(), w.run.tolist(), w.width.tolist(), strict=True))
    new_order = fill(w, order, luck, mean)
    assert new_order == naive_moves.fill(order, values, start, w.capacity, luck, mean, moves.LOOKS)
    assert sorted(new_order) == list(range(len(w)))


@thoroughly
@given(sequences, st.tuples(below_one, below_one), means)
def test_one_job_that_fills_a_gap_starts_earlier_and_no_job_later(sequence: Any, luck: Any, mean: float) -> None:
    w, order = sequence
    new_order = fill(w, order, [luck], mean)
    before, after = np.array(naive.strict(w, order)), np.array(naive.strict(w, new_order))
    assert (after <= before).all()
    if new_order != list(order):
        mover = next(job for job, other in zip(new_order, order, strict=True) if job != other)
        assert after[mover] < before[mover]
        assert [job for job in new_order if job != mover] == [job for job in order if job != mover]


@pytest.mark.slow
@thoroughly
@given(sequences, lucks)
def test_earliest_fit_leaves_nothing_to_fill(sequence: Any, luck: list[Any]) -> None:
    w, order = sequence
    start = np.array(naive.earliest(w, order))
    in_turn = np.array(order)[np.argsort(start[order], kind="stable")]
    assert fill(w, in_turn, luck, 30.0, start) == in_turn.tolist()


# Two of four processors are busy until 10, when job 1 takes all four; strictly, all others start after it.
GAP = jobs(4, (0, 10, 10, 2, 0), (0, 5, 5, 4, 1), (1, 9, 9, 1, 2), (2, 9, 9, 1, 0), (3, 4, 4, 2, 1), (9, 1, 1, 1, 2))


def test_a_gap_is_filled_by_the_job_that_it_serves_most_of_those_that_fit() -> None:
    order = range(6)
    assert naive.strict(GAP, order) == [0, 10, 15, 15, 15, 19]
    # 2 would start at 1 and gain 9 * (15 - 1), 4 at 3 and gain 4 * 2 * (15 - 3); 3, submitted at 2, would end at 11
    assert fill(GAP, order, [(0.5, 0.4)], 2.0) == [0, 2, 1, 3, 4, 5]
    assert fill(GAP, order, [(0.5, 0.9999)], 2.0) == [0, 2, 1, 3, 4, 5]
    # 2 moves already, and of two processors one is left
    assert fill(GAP, order, [(0.5, 0.4), (0.5, 0.9999)], 2.0) == [0, 2, 5, 1, 3, 4]
    assert naive.strict(GAP, [0, 2, 5, 1, 3, 4]) == [0, 10, 1, 15, 15, 9]
    # without 2 it is 4 that gains most, and it takes the whole gap
    assert fill(GAP, [0, 1, 3, 4, 5, 2], [(0.5, 0.8), (0.5, 0.9999)], 2.0) == [0, 4, 1, 3, 5, 2]


def test_a_job_may_run_on_beside_those_that_start_meanwhile() -> None:
    # 1 waits for two of the three processors of 0 until 10; one is left for 2 or 3, as it was in their own order
    w = jobs(4, (0, 10, 10, 3), (0, 5, 5, 3), (0, 5, 5, 1), (0, 20, 20, 1))
    assert naive.strict(w, [0, 1, 3, 2]) == [0, 10, 15, 10]
    assert fill(w, [0, 1, 3, 2], [(0.5, 0.4)], 2.0) == [0, 3, 1, 2]
    # but from 0 to 20 on, 3 would be in the way of 2, which starts at 10
    assert naive.strict(w, range(4)) == [0, 10, 10, 15]
    assert fill(w, range(4), [(0.5, 0.6)], 2.0) == [0, 2, 1, 3]


def test_where_no_job_fits_no_job_moves() -> None:
    assert fill(GAP, [0, 1, 3, 2, 4, 5], [(0.5, 0.4)], 2.0) == [0, 1, 3, 2, 4, 5]
    alone = jobs(4, (0, 10, 10, 2), (20, 5, 5, 4), (30, 1, 1, 1))  # idle, but no job waits
    assert fill(alone, range(3), [(0.5, 0.9)] * 3, 2.0) == [0, 1, 2]
    assert fill(alone, [0, 2, 1], [(0.5, 0.4)], 2.0) == [0, 1, 2]  # 1 can be over when 2 is submitted


def test_only_the_last_places_within_a_jump_are_looked_at() -> None:
    wide = [(0, 1, 1, 2)] * moves.LOOKS
    w = jobs(2, (0, 10, 10, 1), *wide, (0, 5, 5, 1), *wide)
    n, far = moves.LOOKS, np.nextafter(1.0, 0.0)
    assert fill(w, range(len(w)), [(0.0, far)], 1e9) == list(range(len(w)))
    order = [*range(n + 1), n + 2, n + 1, *range(n + 3, 2 * n + 2)]
    assert fill(w, order, [(0.0, far)], 1e9) == [0, n + 1, *range(1, n + 1), *range(n + 2, 2 * n + 2)]


def test_one_fill_betters_every_objective_that_it_can() -> None:
    """Utilisation is higher because the last job ends earlier, no response time is longer."""
    w = jobs(4, (0, 10, 10, 2, 0), (0, 5, 5, 4, 1), (1, 9, 9, 2, 2))
    new_order = fill(w, range(3), [(0.5, 0.4)], 2.0)
    assert new_order == [0, 2, 1]
    before, after = (decode(w, order).objectives.array for order in (range(3), new_order))
    # 58 processor seconds of 4 * 24 and of 4 * 15; 0 ends at 10, 1 at 15, 2 at 24 and then at 10
    assert before == pytest.approx([100 * 58 / 96, (200 + 300 + 18 * 23) / 58, 10, 15, 23])
    assert after == pytest.approx([100 * 58 / 60, (200 + 300 + 18 * 9) / 58, 10, 15, 9])


@pytest.mark.slow
@thoroughly
@given(sequences, st.tuples(below_one, below_one))
def test_what_was_filled_goes_back_when_those_it_passed_are_pulled(sequence: Any, luck: Any) -> None:
    """Not by filling: the starts of a strict schedule become earlier by it, so that no filling leads back."""
    w, order = sequence
    new_order = fill(w, order, [luck], 2.0)
    if new_order == list(order):
        return
    ahead = next(i for i, (job, other) in enumerate(zip(new_order, order, strict=True)) if job != other)
    mover = new_order[ahead]
    for job in order[ahead : list(order).index(mover)]:
        start = np.array(naive.strict(w, new_order))
        if start[mover] < w.submit[job]:
            return  # no use for it to be before the mover, that it passed was without effect
        new_order = pull(
            new_order, w.submit, start - w.submit, [float(i == job) for i in range(len(w))], [(0.0, 0.0)], 2.0
        )
    assert new_order == list(order)


@thoroughly
@given(pairs, st.data())
def test_recombinations_equal_the_oracle_and_give_permutations(both: Any, data: Any) -> None:
    parent, mate = both
    cuts = sorted(data.draw(st.tuples(st.integers(0, len(parent)), st.integers(0, len(parent)))))
    for name in ("order_crossover", "mapped_crossover"):
        child = cross(name, parent, mate, *cuts)
        assert child == getattr(naive_moves, name)(parent, mate, *cuts)
        assert sorted(child) == sorted(parent)
        assert child[cuts[0] : cuts[1]] == list(parent[cuts[0] : cuts[1]])
        assert cross(name, parent, parent, *cuts) == list(parent)
        assert cross(name, parent, mate, 0, 0) == list(mate)
        assert cross(name, parent, mate, 0, len(parent)) == list(parent)
    child = cross("cycle_crossover", parent, mate)
    assert child == naive_moves.cycle_crossover(parent, mate)
    assert sorted(child) == sorted(parent)
    assert all(child[i] in (parent[i], mate[i]) for i in range(len(parent)))
    assert cross("cycle_crossover", parent, parent) == list(parent)


# Eiben and Smith, Introduction to Evolutionary Computing, section 3.4.4: parents 123456789 and 937826514, places 4 to 7
PARENT = [int(digit) - 1 for digit in "123456789"]
MATE = [int(digit) - 1 for digit in "937826514"]


@pytest.mark.parametrize(
    ("name", "cuts", "child"),
    [
        ("order_crossover", (3, 7), "382456719"),
        ("mapped_crossover", (3, 7), "932456718"),
        ("cycle_crossover", (), "137426589"),
    ],
)
def test_recombinations_are_those_of_the_textbook(name: str, cuts: tuple[int, ...], child: str) -> None:
    assert "".join(str(job + 1) for job in cross(name, PARENT, MATE, *cuts)) == child


def test_places_where_parents_agree_do_not_change_whose_turn_it_is() -> None:
    # the cycles are the places 0 and 1, and 3 and 4; place 2 holds the same job in both
    assert cross("cycle_crossover", [0, 1, 2, 3, 4], [1, 0, 2, 4, 3]) == [0, 1, 2, 4, 3]

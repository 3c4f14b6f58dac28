"""Site factors: always in the order, always far enough apart, and few changes."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.deployment.site_factors import HIGHEST, NICE, Scale, bounded_share, changed_factors, lexicographic


@given(st.data())
def test_factors_fall_along_the_order_far_enough_and_within_the_scale(data: st.DataObject) -> None:
    scale = data.draw(
        st.sampled_from(
            [Scale(1000, 50), Scale(60, 1), Scale(2000, 7), Scale(10, 10), Scale(60, 1, True), Scale(4000, 1, True)]
        )
    )
    order = data.draw(st.permutations(range(data.draw(st.integers(0, 25)))))
    factors = data.draw(st.dictionaries(st.integers(0, 30), st.integers(-5, scale.highest + 60)))
    after = factors | changed_factors(order, factors, scale)
    ranked = [after[job] for job in order[: scale.places]]
    assert all(first - second >= scale.least for first, second in pairwise(ranked))
    assert all(scale.least <= value <= scale.highest for value in ranked)
    assert all(after.get(job, 0) == 0 for job in order[scale.places :])
    assert changed_factors(order, after, scale) == {}  # nothing is written twice


@given(st.permutations(range(30)), st.integers(0, 29))
def test_when_a_job_moves_only_one_changes(order: list[int], mover: int) -> None:
    scale = lexicographic(0)
    factors = changed_factors(order, {}, scale)
    again = [job for job in order if job != mover]
    again.insert(len(again) // 2, mover)
    assert len(changed_factors(again, factors, scale)) <= 1


def test_changes_come_in_the_order_so_that_the_first_jobs_are_written_first() -> None:
    assert list(changed_factors([5, 3, 8], {}, lexicographic(0))) == [5, 3, 8]


def test_a_new_job_and_a_nice_one_come_behind_all_that_are_ranked() -> None:
    factors = changed_factors(list(range(10_000)), {}, lexicographic(0))
    assert min(factors.values()) > NICE
    assert max(factors.values()) <= HIGHEST
    assert min(a - b for a, b in pairwise(factors.values())) > NICE


def test_jobs_that_arrive_at_the_same_place_again_and_again_find_room() -> None:
    scale, order, factors = lexicographic(100_000), [1, 2], {}
    writes = 0
    for job in range(3, 400):
        changes = changed_factors(order, factors, scale)
        factors |= changes
        writes += len(changes)
        order.insert(1, job)
    assert writes < 2000  # five a job, although all arrive between the same two


@pytest.mark.parametrize("share", [1, 30, 99.9])
def test_a_bounded_share_is_no_more_than_that_of_the_largest_priority(share: float) -> None:
    highest = bounded_share(1_000_000, share).highest
    assert 100 * highest / (highest + 1_000_000) == pytest.approx(share, rel=1e-3)
    factors = list(changed_factors(range(3), {}, bounded_share(1_000_000, share)).values())
    assert [round(4 * factor / highest, 3) for factor in factors] == [3, 2, 1]  # spread over all of the share


def test_a_bounded_share_stays_spread_while_jobs_come_and_start() -> None:
    """Each job is written some seven times on its way through the queue, and differs enough from the others."""
    scale, order, factors = bounded_share(1_000_000, 50), list(range(100)), {}
    writes = 0
    for job in range(100, 1100):
        changes = changed_factors(order, factors, scale)
        factors |= changes
        writes += len(changes)
        assert factors[order[0]] >= 0.7 * scale.highest
        assert factors[order[50]] >= 0.2 * scale.highest
        assert factors[order[-1]] <= 0.3 * scale.highest
        order = [*order[1:], job]  # the first starts, a new one comes behind all
    assert 1100 < writes < 8000

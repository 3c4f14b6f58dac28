"""A profile with bounds by blocks against the plain one, which is its oracle."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.kernels import profile as plain
from paretosched.kernels import profile_blocks as blocks
from paretosched.kernels.running import Profile, no_profile
from paretosched.kernels.waiting_tree import FAR
from support.simulating import briefly

CAPACITY = 64
JOBS = 400


def check(seed: int, lengths: int, kept: int, steps: int) -> None:
    """Plan and move jobs in both profiles, so often; at most `kept` of them are planned at the same time."""
    rng = np.random.default_rng(seed)
    size = 2 * JOBS + 16
    expected, profile = no_profile(size), no_profile(size)
    bounds = blocks.no_blocks(size)
    for p in (expected, profile):
        plain.clear(p.when, p.room, p.span, 0, CAPACITY)
    blocks.find_bounds(bounds, profile)
    places: list[tuple[int, int, int]] = []
    now = 0
    for _ in range(steps):
        width, length = int(rng.integers(1, CAPACITY + 1)), int(rng.integers(1, lengths + 1))
        after = now + int(rng.integers(0, 2 * lengths))
        begin, before, present = -1, FAR, FAR
        if len(places) >= kept:  # one of them moves, or stays
            begin, width, length = places.pop(int(rng.integers(len(places))))
            after, before, present = now, begin, begin
        ours = blocks.earliest_in_blocks(bounds, profile, after, before, present, width, length)
        theirs = plain.earliest(*expected, after, before, present, width, length)
        assert ours == theirs
        if begin >= 0:
            blocks.add_to_blocks(bounds, profile, begin, begin + length, width)
            plain.add(*expected, begin, begin + length, width)
        blocks.add_to_blocks(bounds, profile, ours, ours + length, -width)
        plain.add(*expected, theirs, theirs + length, -width)
        places.append((ours, width, length))
        same(profile, expected)
        check_bounds(bounds, profile)
        check_neighbours(bounds, profile, rng, width)
        if rng.random() < 0.05:
            now += int(rng.integers(0, lengths))
            places = [p for p in places if p[0] >= now]
            for p in (expected, profile):
                plain.forget_past(p.when, p.span, now)


def same(profile: Profile, expected: Profile) -> None:
    """Compare all segments."""
    mine, theirs = (slice(*p.span) for p in (profile, expected))
    assert profile.when[mine].tolist() == expected.when[theirs].tolist()
    assert profile.room[mine].tolist() == expected.room[theirs].tolist()


def check_bounds(bounds: blocks.Blocks, profile: Profile) -> None:
    """Check that no room is beyond the bounds of its block."""
    i = np.arange(*profile.span)
    assert (bounds.least[i >> blocks.BITS] <= profile.room[i]).all()
    assert (bounds.most[i >> blocks.BITS] >= profile.room[i]).all()


def check_neighbours(bounds: blocks.Blocks, profile: Profile, rng: np.random.Generator, width: int) -> None:
    """Check how far the searches from one entry go."""
    first, last = profile.span.tolist()
    i = int(rng.integers(first, last))
    wide = profile.room >= width
    assert blocks.wide_since(bounds, profile, i, width) == next(
        (k + 1 for k in range(i - 1, first - 1, -1) if not wide[k]), first
    )
    assert blocks.wide_from(bounds, profile, i, width) == next((k for k in range(i, last) if wide[k]), last)
    narrow = next((k for k in range(i, last) if not wide[k]), last)
    assert blocks.wide_until(bounds, profile, i, width, FAR) == narrow
    end = int(profile.when[rng.integers(i, last)])
    reached = blocks.wide_until(bounds, profile, i, width, end)
    assert reached <= narrow
    assert reached == narrow or profile.when[reached] >= end
    most = profile.room[i : int(np.searchsorted(profile.when[first:last], profile.when[i] + 50)) + first].max()
    assert blocks.most_in_blocks(bounds, profile, profile.when[i], profile.when[i] + 50) >= most


@briefly
@given(seed=st.integers(0, 10**6), lengths=st.sampled_from((3, 40, 1000)), kept=st.integers(1, 40))
def test_short_profiles_equal_the_plain_one(seed: int, lengths: int, kept: int) -> None:
    check(seed, lengths, kept, 60)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_profiles_of_many_blocks_equal_the_plain_one(seed: int) -> None:
    check(seed, 100_000, JOBS, 900)


def test_bounds_are_computed_anew_after_some_shifts() -> None:
    profile = no_profile(400)
    plain.clear(*profile, 0, CAPACITY)
    bounds = blocks.no_blocks(400)
    blocks.find_bounds(bounds, profile)
    shifts = []
    for i in range(60):
        blocks.add_to_blocks(bounds, profile, 10 * i, 10 * i + 5, -1 - i % 3)
        shifts.append(int(bounds.shifts[0]))
    assert max(shifts) < blocks.SHIFTS
    assert shifts.count(0) >= 2

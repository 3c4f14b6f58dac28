"""Sets of ranks against Python's, and the stairs of a profile against a look at every second."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.kernels.profile import add, clear
from paretosched.kernels.ranked_jobs import Stairs, add_rank, climb, drop_rank, next_rank, no_ranks, room_until
from paretosched.kernels.running import no_profile
from support.simulating import briefly


@pytest.mark.parametrize("n", [1, 32, 33, 1024, 1025, 40_000])
def test_the_next_rank_is_that_of_a_sorted_list(n: int) -> None:
    rng = np.random.default_rng(n)
    ranks = no_ranks(2, n)
    present: set[int] = set()
    for _ in range(200):
        rank = int(rng.integers(n))
        if rank in present:
            present.remove(rank)
            drop_rank(ranks, 1, rank)
        else:
            present.add(rank)
            add_rank(ranks, 1, rank)
        least = int(rng.integers(n + 40))
        assert next_rank(ranks, 1, least) == min((r for r in present if r >= least), default=-1)
        assert next_rank(ranks, 0, 0) == -1


@briefly
@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 10), st.integers(1, 3)), max_size=6), st.integers(1, 4))
def test_stairs_have_the_processors_that_are_free_all_the_time(places: list[tuple[int, int, int]], least: int) -> None:
    profile = no_profile(32)
    clear(profile.when, profile.room, profile.span, 0, 18)
    busy = np.zeros(40, dtype=np.int64)
    for begin, length, width in places:
        add(profile.when, profile.room, profile.span, begin, begin + length, -width)
        busy[begin : begin + length] += width
    stairs = Stairs(np.empty(32, np.int64), np.empty(32, np.int64), np.empty(2, np.int64))
    climb(profile, least, stairs)
    for end in range(1, 40):
        free = 18 - busy[:end].max()
        assert room_until(stairs, end) == (free if free >= least else 0)

"""The change between two orders: a naive description of it, and that nothing else is taken for one."""

import numpy as np
import pytest

from paretosched.kernels.order_changes import apply_change, find_change


def naive(parent: list[int], order: list[int]) -> list[tuple[int, int]]:
    """Return where a job does not come right behind the job before it in the parent, and how far it stood from that."""
    found = []
    for i, job in enumerate(order):
        right_behind = parent.index(order[i - 1]) + 1 if i else 0
        if parent.index(job) != right_behind:
            found.append((i, parent.index(job) - right_behind))
    return found


def change(parent: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    place, gaps, leaps = np.empty((3, parent.size), dtype=np.int32)
    count = find_change(parent, order, place, gaps, leaps)
    return gaps[:count].copy(), leaps[:count].copy()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_a_change_is_that_of_the_naive_description_and_leads_back(n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(50):
        parent, other = (rng.permutation(n).astype(np.int32) for _ in range(2))
        some = parent.copy()
        if n > 1:
            i, j = rng.integers(n, size=2)
            some[[i, j]] = some[[j, i]]
        for order in (other, parent, some, np.roll(parent, 1), parent[::-1].copy()):
            gaps, leaps = change(parent, order)
            expected = naive(parent.tolist(), order.tolist())
            assert np.cumsum(gaps).tolist() == [place for place, _ in expected]
            assert leaps.tolist() == [leap for _, leap in expected]
            again = np.full(n, -1, dtype=np.int32)
            assert apply_change(parent, gaps, leaps, again)
            assert again.tolist() == order.tolist()


@pytest.mark.parametrize(
    ("gaps", "leaps"),
    [([4], [0]), ([-1], [0]), ([1], [1]), ([1], [-2]), ([1, 2**31 - 1], [0, 0]), ([1], [2**31 - 1]), ([0], [-(2**31)])],
)
def test_a_change_of_another_order_is_refused(gaps: list[int], leaps: list[int]) -> None:
    """Never is anything read or written beyond the arrays."""
    parent, order = np.arange(3, dtype=np.int32), np.empty(3, dtype=np.int32)
    assert not apply_change(parent, np.array(gaps, dtype=np.int32), np.array(leaps, dtype=np.int32), order)

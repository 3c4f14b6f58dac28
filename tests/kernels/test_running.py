"""The running jobs: sorted keys, and keys of which only the next ones are sorted, against Python's sorted lists."""

from bisect import insort

import numpy as np
import pytest

from paretosched.kernels.running import NEAR, expect, forget, put, refill


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5, 8, 9, 100])
def test_keys_stay_sorted_latest_first_with_equal_ones_among_them(size: int) -> None:
    rng = np.random.default_rng(size)
    ends = np.empty(size, np.int64)
    expected: list[int] = []
    for _ in range(400):
        if len(expected) < size and (not expected or rng.random() < 0.6):
            key = int(rng.integers(0, size))
            expect(ends, len(expected), key)
            insort(expected, key)
        else:
            key = expected.pop(int(rng.integers(0, len(expected))))
            forget(ends, len(expected) + 1, key)
        assert ends[: len(expected)].tolist() == expected[::-1]


@pytest.mark.parametrize("most", [5, NEAR - 1, NEAR + 1, 4 * NEAR])
def test_the_next_keys_are_sorted_and_the_others_come_later(most: int) -> None:
    rng = np.random.default_rng(most)
    near, far = np.empty(NEAR, np.int64), np.empty(most + 1, np.int64)
    nearby = 0
    now = 0
    expected: list[int] = []
    for step in range(8 * most):
        grows = (step // most) % 2 == 0
        if len(expected) < most and (not expected or rng.random() < (0.9 if grows else 0.2)):
            key = now + int(rng.integers(1, 1000))
            nearby = int(put(near, nearby, far, len(expected) - nearby, key))
            insort(expected, key)
        else:
            now = expected.pop(0)
            nearby -= 1
            assert near[nearby] == now
            if nearby == 0:
                nearby = int(refill(near, far, len(expected)))
        others = len(expected) - nearby
        assert near[:nearby][::-1].tolist() == expected[:nearby]
        assert sorted(far[:others].tolist()) == expected[nearby:]
        assert nearby > 0 or not expected

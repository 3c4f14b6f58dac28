"""Pairs of jobs in the same order."""

import numpy as np

from paretosched.comparison.order_agreement import Pairs, compared_pairs


def naive(eligible: list[int], one: list[int], two: list[int]) -> Pairs:
    """Look at every pair."""
    together = turned = 0
    order = sorted(range(len(eligible)), key=lambda job: eligible[job])
    for place, i in enumerate(order):
        for j in order[place + 1 :]:
            if eligible[j] < max(one[i], two[i]):
                together += 1
                turned += (one[i] - one[j]) * (two[i] - two[j]) < 0
    return Pairs(together, turned)


def test_pairs_are_those_of_a_look_at_every_pair() -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        eligible = np.sort(rng.integers(0, 60, 25))
        one, two = (eligible + rng.integers(0, 20, 25) * rng.integers(0, 2, 25) for _ in range(2))
        shuffled = rng.permutation(25)
        pairs = compared_pairs(eligible[shuffled], one[shuffled], two[shuffled])
        assert pairs == naive(eligible[shuffled].tolist(), one[shuffled].tolist(), two[shuffled].tolist())
        every = [(one[i] - one[j]) * (two[i] - two[j]) < 0 for i in range(25) for j in range(i)]
        assert pairs.turned == sum(every)  # pairs that never waited together cannot be turned


def test_a_schedule_agrees_with_itself() -> None:
    eligible = np.array([0, 1, 2])
    assert compared_pairs(eligible, eligible + 5, eligible + 5) == Pairs(3, 0)
    assert compared_pairs(eligible, eligible, eligible) == Pairs(0, 0)


def test_pairs_of_a_log_of_any_length_are_counted() -> None:
    """The product of two differences of 2^40 s, which other programs may write, is beyond int64."""
    late = 9 + 2**40
    assert compared_pairs(np.array([0, 5, 5]), np.array([0, 9, late]), np.array([0, late, 9])) == Pairs(1, 1)

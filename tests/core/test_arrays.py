"""The different numbers in an array."""

import numpy as np
import pytest

from paretosched.core.arrays import distinct


@pytest.mark.parametrize("numbers", [[5, -3, 5, 7], [2**62, 0, 2**62], [0.5, 0.25], []])
def test_distinct_numbers(numbers: list[float]) -> None:
    values, number = distinct(np.array(numbers))
    assert values.tolist() == sorted(set(numbers))
    assert values[number].tolist() == numbers

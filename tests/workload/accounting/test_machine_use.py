from __future__ import annotations

import numpy as np
import pytest

from paretosched.workload.accounting.machine_use import largest_use


@pytest.mark.parametrize("seed", range(5))
def test_it_is_the_largest_sum_at_any_start(seed: int) -> None:
    generator = np.random.default_rng(seed)
    start, run, width = (generator.integers(low, 30, 40) for low in (0, 1, 1))
    sums = [width[(start <= second) & (second < start + run)].sum() for second in range(60)]
    assert largest_use(start, run, width) == max(sums)

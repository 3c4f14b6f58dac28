"""The seconds of waits in which jobs would have fit, against a look at every second."""

import numpy as np

from paretosched.kernels.fitting import find_fitting


def test_every_second_of_a_wait_is_looked_at() -> None:
    rng = np.random.default_rng(8)
    for _ in range(60):
        second = np.unique(np.append(0, rng.integers(1, 60, 12)))
        free, free_gpus = rng.integers(-3, 7, (2, second.size))
        jobs = int(rng.integers(1, 40))
        came = rng.integers(0, 70, jobs)
        began = came + rng.integers(0, 40, jobs)
        width, gpus = rng.integers(1, 4, jobs), rng.integers(0, 2, jobs)
        order = np.lexsort((came, gpus, width))
        came, began, width, gpus = (column[order] for column in (came, began, width, gpus))
        first, last = (np.searchsorted(second, times, "right") - 1 for times in (came, began))
        fitting = np.zeros(jobs, dtype=np.int64)
        before = np.full(second.size, -99)
        find_fitting(second, free, free_gpus, came, began, width, gpus, first, last, before, fitting)
        expected = []
        for j in range(jobs):
            seconds = np.arange(came[j], began[j])
            place = [max(k for k in range(second.size) if second[k] <= s) for s in seconds]
            expected.append(sum(free[k] >= width[j] and free_gpus[k] >= gpus[j] for k in place))
        assert fitting.tolist() == expected

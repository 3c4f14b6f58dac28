import numpy as np
import pytest

from paretosched.workload.machine_use import (
    doubt_of_load,
    doubt_of_use,
    remark_of_largest,
    remark_of_wider,
    use_over_time,
)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("last", [30, 3000])
def test_it_is_how_often_each_sum_is_met_second_by_second(seed: int, last: int) -> None:
    generator = np.random.default_rng(seed)
    start, run, width = (generator.integers(low, high, 40) for low, high in ((0, last), (1, 30), (1, 30)))
    seconds = np.arange(start.min(), (start + run).max())
    sums = [width[(start <= second) & (second < start + run)].sum() for second in seconds]
    levels, lasted = use_over_time(start, run, width)
    assert dict(zip(levels.tolist(), lasted.tolist(), strict=True)) == {s: sums.count(s) for s in {*sums}}
    assert (np.diff(levels) > 0).all()


def test_nothing_that_ran_uses_nothing() -> None:
    nothing = np.zeros(0, dtype=np.int32)
    assert [part.size for part in use_over_time(nothing, nothing, nothing)] == [0, 0]


def test_a_size_is_remarked_on_where_it_is_doubtful_only() -> None:
    levels, lasted = np.array([10, 100]), np.array([60, 40])
    assert "99 %" not in remark_of_largest(100, "cpus", levels, lasted)
    assert remark_of_wider(100, "cpus", 0.0) == doubt_of_use(100, "cpus", levels, lasted) == []
    assert remark_of_wider(1, "nodes", 0.5) == [
        "jobs wider than 1 node are dropped, with 50.00 % of all work; --capacity N if it is larger"
    ]
    assert doubt_of_use(99, "nodes", levels, lasted) == [
        "RECORDED USE ABOVE THE MACHINE: up to 100 of 99 nodes, for 40.00 % of the time; --capacity N for another size",
    ]
    assert "for less than 0.01 % of the time" in doubt_of_use(99, "nodes", levels, np.array([10**6, 1]))[0]
    assert [doubt_of_load(load, 99, "nodes") for load in (None, 0.0, 1.2)] == [[], [], []]
    assert len(doubt_of_load(1.21, 99, "nodes")) == 1

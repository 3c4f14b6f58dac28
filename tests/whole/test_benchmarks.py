"""What is timed runs, and equals its oracle: a benchmark that is only run by hand would fall behind unseen."""

from __future__ import annotations

from benchmarks.bench_kernels import simulations
from paretosched.workload.lublin_feitelson import lublin


def test_everything_that_is_timed_equals_its_oracle() -> None:
    workload = lublin(jobs=60, processors=32, seed=3)
    names = []
    for name, variants in simulations(len(workload.groups)):
        names.append(name)
        for compiled, oracle in variants:
            assert compiled(workload).tolist() == list(oracle(workload)), name
    assert len(names) == len(set(names)) >= 19

"""The makespans of a population against a sum over its jobs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from paretosched.assignment import Bag, Nodes
from paretosched.assignment.methods import _measure
from support.assignment import briefly, problems


@briefly
@given(problem=problems(), seed=st.integers(0, 99))
def test_a_population_is_measured_as_job_by_job(problem: tuple[Bag, Nodes], seed: int) -> None:
    bag, nodes = problem
    genes = np.random.default_rng(seed).integers(len(nodes), size=(4, len(bag)), dtype=np.int32)
    expected = []
    for chromosome in genes.tolist():
        load = [0.0] * len(nodes)
        for units, node in zip(bag.workload.tolist(), chromosome, strict=True):
            load[node] += units
        expected.append(max(total / speed for total, speed in zip(load, nodes.capability.tolist(), strict=True)))
    assert _measure(genes, bag.workload, nodes).tolist() == expected

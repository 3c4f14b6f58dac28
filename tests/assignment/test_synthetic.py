"""The made-up jobs and nodes of section 4 of paper 003."""

import numpy as np
import pytest

from paretosched.assignment.synthetic import cluster_bag, cluster_nodes, paper_bag, paper_nodes


def test_the_synthetic_jobs_and_nodes_are_those_of_section_4() -> None:
    bag, nodes = paper_bag(100_000, np.random.default_rng(0)), paper_nodes(100_000, np.random.default_rng(0))
    assert 1 <= bag.workload.min() <= bag.workload.max() <= 3_000_000
    assert (bag.workload <= 1e6).mean() == pytest.approx(0.7, abs=0.01)
    assert sorted(set(nodes.capability.tolist())) == [1.6, 1.8, 2.0, 2.6, 2.8]
    assert (nodes.speed == 2.6).mean() == pytest.approx(0.2, abs=0.01)
    assert len(set(paper_bag(1500, np.random.default_rng(0), 10).workload.tolist())) == 10
    bag, nodes = cluster_bag(1000, np.random.default_rng(0)), cluster_nodes(1000, np.random.default_rng(0))
    assert bag.workload.min() >= 650
    assert bag.workload.max() <= 5 * 650
    assert 650 / 2.6 == 250  # ms, as the paper says
    assert np.allclose(bag.workload / bag.size, bag.workload[0] / bag.size[0])
    assert sorted(set(nodes.speed.tolist())) == [1.6, 2.0, 2.6]

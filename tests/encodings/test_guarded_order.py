"""Genomes of guarded orders: every genome is a policy within the ranges, about the limits of the wish."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paretosched as ps
from paretosched.encodings.encoding import Encoding
from paretosched.encodings.guarded_order import GENES, POLICY, RANGES, GuardedOrders
from paretosched.policies.guarded import Guarded, guarded_text
from paretosched.policies.policy import as_policy
from support.exploring import random_workload

ENCODING = GuardedOrders(("1", "2"), 1.0, 1.25, ("easy", "guarded: 1, 2"))


def test_it_is_an_encoding() -> None:
    assert isinstance(ENCODING, Encoding)
    assert len(ENCODING.gene_labels(5)) == len(GENES)
    assert [bound.tolist() for bound in ENCODING.lower_upper(5)] == [[0, 0, 0, 0, 0], [2, 1, 1, 1, 1]]


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_a_genome_is_a_policy_in_the_ranges_whose_words_are_the_same(genes: list[float]) -> None:
    policy = ENCODING.policy_of(np.array([0, *genes]), ("1", "2", "3"))
    assert isinstance(policy, Guarded)
    assert policy.first == ("1", "2")
    values = policy.overall, policy.each / 1.25, policy.ageing / 3600, policy.step
    assert all(0.99 * low <= value <= 1.01 * high for value, (low, high) in zip(values, RANGES, strict=True))
    read = as_policy(guarded_text(policy))
    assert [getattr(read, name) for name in GENES[1:]] == [getattr(policy, name) for name in GENES[1:]]


def test_the_ends_of_the_ranges_are_reached() -> None:
    low, high = (ENCODING.policy_of(np.array([0.0, g, g, g, g]), ()) for g in (0, 1))
    assert [getattr(low, name) for name in GENES[1:]] == [0.95, 1.06, 3 * 3600, 1.0]
    assert [getattr(high, name) for name in GENES[1:]] == [1.02, 1.32, 96 * 3600, 8.0]


@pytest.mark.parametrize(("limit", "factor"), [(100.0, 100.0), (0.5, 0.5)])
def test_factors_stay_in_their_bounds(limit: float, factor: float) -> None:
    encoding = GuardedOrders(("1",), limit, limit)
    ends = [encoding.policy_of(np.array([0.0, g, g, 0, 0]), ()) for g in (0, 1)]
    assert factor in {policy.overall for policy in ends if isinstance(policy, Guarded)}


def test_the_first_gene_chooses_a_policy_in_words() -> None:
    genome = np.full(5, 0.5)
    genome[POLICY] = 1
    w = random_workload()
    start = ENCODING.decoder(w)(genome, genome[None][:0]).start
    assert start.tolist() == ps.simulate(w, "easy").start.tolist()
    genome[POLICY] = 0
    policy = ENCODING.policy_of(genome, w.groups)
    assert ENCODING.decoder(w)(genome, genome[None][:0]).start.tolist() == ps.simulate(w, policy).start.tolist()


def test_its_examples_are_for_any_groups() -> None:
    """They compile the kernels on a tiny workload, which has other groups than the wish."""
    w = random_workload()
    plain, genomes = GuardedOrders(("vip", "physics"), 1.0, 1.25, ("easy", "guarded: vip, physics")).examples(w.groups)
    starts = [plain.decoder(w)(genome, genome[None][:0]).start.tolist() for genome in genomes]
    assert starts[0] == ps.simulate(w, plain.policy_of(genomes[0], w.groups)).start.tolist()
    assert starts[1] == ps.simulate(w, "easy").start.tolist()

"""Genomes of the weighting encoding stand for the policies they should."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.errors import InputError
from paretosched.encodings.weighting import Weighting, decode, encode
from paretosched.policies.greedy_order import BACKFILLS, gene_names
from paretosched.policies.plain import Plain

FIVE = tuple("12345")


def test_five_groups_make_36_weights_and_3_criteria() -> None:
    lower, upper = Weighting().lower_upper(5)
    labels = Weighting().gene_labels(5)
    assert lower.shape == upper.shape == (39,)
    assert len(set(labels)) == 39
    assert labels[:12] == [f"weekend {gene}" for gene in gene_names(5)]
    assert labels[36:] == ["weekend criterion", "day criterion", "night criterion"]
    assert lower.tolist() == [0.0] * 39
    assert upper.tolist() == ([1.0] * 5 + [5.0] * 5 + [1.0] * 2) * 3 + [4.0] * 3


def test_every_gene_lands_where_its_label_says() -> None:
    upper = Weighting().lower_upper(2)[1]
    genome = upper * np.linspace(0.01, 0.99, upper.size)
    policy = decode(genome, ("staff", "guests"), "easy")
    assert policy.genes.ravel().tolist() == genome[:18].tolist()
    assert policy.groups == ("staff", "guests")
    assert policy.backfill == "easy"


@pytest.mark.parametrize(
    ("gene", "criterion"),
    [(0.0, "f1"), (0.999, "f1"), (1.0, "f2"), (2.5, "f3"), (3.0, "f4"), (3.999, "f4"), (4.0, "f4")],
)
def test_the_floor_chooses_the_criterion_and_four_itself_is_f4(gene: float, criterion: str) -> None:
    genome = np.zeros(39)
    genome[37] = gene
    assert decode(genome, FIVE, "none").criteria == ("f1", criterion, "f1")


@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.sampled_from(BACKFILLS))
def test_decoding_what_was_encoded_gives_the_same_policy(groups: int, seed: int, backfill: str) -> None:
    upper = Weighting().lower_upper(groups)[1]
    genome = upper * np.random.default_rng(seed).random(upper.size)
    policy = decode(genome, FIVE[:groups] if groups <= 5 else tuple("123456"), backfill)
    again = decode(encode(policy), policy.groups, backfill)
    assert again.criteria == policy.criteria
    assert again.genes.tolist() == policy.genes.tolist()
    assert again.backfill == backfill
    assert encode(again).tolist() == encode(policy).tolist()


@pytest.mark.parametrize(
    ("place", "gene", "message"),
    [
        (0, -0.1, "weekend w1 is -0.1"),
        (5, 5.01, "weekend K1 is 5.01"),
        (38, 4.01, "night criterion is 4.01"),
        (17, np.nan, "day K1 is nan"),
        (36, np.inf, "weekend criterion is inf"),
    ],
)
def test_a_gene_out_of_bounds_is_named(place: int, gene: float, message: str) -> None:
    genome = np.zeros(39)
    genome[place] = gene
    with pytest.raises(InputError, match=message):
        decode(genome, FIVE, "easy")


def test_a_genome_of_other_length_or_backfill_is_refused() -> None:
    with pytest.raises(InputError, match=r"must have shape \(39,\), but has \(36,\)"):
        decode(np.zeros(36), FIVE, "easy")
    with pytest.raises(InputError, match="backfill must be one of"):
        decode(np.zeros(39), FIVE, "aggressive")


def test_only_greedy_has_a_genome() -> None:
    with pytest.raises(InputError, match='only a "greedy" policy has a genome, but EASY is "easy"'):
        encode(Plain("easy"))

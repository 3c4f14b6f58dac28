"""The protocol: what every encoding must do, so that search, training and fronts need not know which one it is."""

import json
import pickle

import numpy as np
import pytest

from paretosched import InputError, simulate
from paretosched.encodings.encoding import ENCODINGS, Encoding, Explored, from_json, to_json
from paretosched.encodings.genomes import check_bounds
from paretosched.encodings.orders import Orders
from paretosched.encodings.rule_base import Situations, Symbiotic
from paretosched.encodings.sequence import Sequences
from paretosched.encodings.weighting import Weighting
from paretosched.policies.greedy_order import greedy
from paretosched.policies.policy_json import to_json as policy_json
from support.zoo import ZOO, constant

W = ZOO["a queue of 150"]
GREEDY = greedy(["f2"] * 3, constant(len(W.groups), 1, 0, 0, 1), groups=W.groups)
EXPLORED: list[Explored] = [Weighting("none"), Weighting("easy", "earliest"), Orders("conservative"), Sequences()]
EVERY: list[Encoding] = [
    *EXPLORED,
    Sequences("earliest", moves="pull", recombination="ox"),
    Situations(W.groups, W.groups, GREEDY, ((2,), *((),) * (len(W.groups) + 1))),
    Symbiotic(W.groups, W.groups, GREEDY, rules=2, defaults=True),
]


@pytest.mark.slow
@pytest.mark.parametrize("encoding", EVERY, ids=lambda encoding: type(encoding).__name__)
def test_the_methods_of_every_encoding_go_together(encoding: Encoding) -> None:
    small, genomes = encoding.examples(W.groups)
    labels = small.gene_labels(len(W.groups))
    lower, upper = small.lower_upper(len(W.groups))
    assert type(small) is type(encoding)
    assert len(set(labels)) == len(labels) == genomes.shape[1] == lower.size == upper.size
    assert (lower <= upper).all()
    check_bounds(genomes, *small.lower_upper(len(W.groups)))
    decode = small.decoder(W)
    online = small.online(genomes)
    assert online.dtype == np.bool_
    for genome, knows_no_future in zip(genomes, online, strict=True):
        older = small.ancestry(genomes, genome[None])
        assert older.shape[1:] == genome.shape
        start = decode(genome, older).start
        assert start.dtype == np.int64
        assert (start >= W.submit).all()
        policy = small.policy_of(genome, W.groups)
        assert (policy is not None) == knows_no_future
        if policy is not None:
            assert simulate(W, policy).start.tolist() == start.tolist()


@pytest.mark.parametrize("encoding", EXPLORED, ids=lambda encoding: encoding.name)
def test_the_policy_that_orders_the_jobs_does_not_depend_on_the_decoding(encoding: Explored) -> None:
    genomes = encoding.examples(W.groups)[1]
    online = encoding._replace(decoding="online") if encoding.name == "weighting" else encoding
    for genome in genomes:
        policies = encoding.order_policy_of(genome, W.groups), online.policy_of(genome, W.groups)
        ordering, expected = ([] if policy is None else policy_json(policy) for policy in policies)
        assert ordering == expected


def test_only_orders_are_enumerated_and_only_sequences_have_words_of_variation() -> None:
    ways = {name: kind().variation for name, kind in ENCODINGS.items()}
    assert [name for name, way in ways.items() if way.enumerated] == ["orders"]
    assert [name for name, way in ways.items() if way.strategy or way.words] == ["sequence"]
    assert set(ways["sequence"].words) < set(Sequences()._asdict())


@pytest.mark.parametrize("encoding", EVERY, ids=lambda encoding: type(encoding).__name__)
def test_every_encoding_travels_to_workers(encoding: Encoding) -> None:
    there = pickle.loads(pickle.dumps(encoding))
    assert type(there) is type(encoding)
    assert there.gene_labels(len(W.groups)) == encoding.gene_labels(len(W.groups))


@pytest.mark.parametrize("encoding", EVERY, ids=lambda encoding: type(encoding).__name__)
def test_genes_out_of_bounds_are_refused_where_there_are_bounds(encoding: Encoding) -> None:
    upper = encoding.lower_upper(len(W.groups))[1]
    genomes = np.array([np.where(np.isfinite(upper), upper, 5.0)] * 2)
    genomes[1, 0] = np.nextafter(upper[0], np.inf)
    check_bounds(genomes[:1], *encoding.lower_upper(len(W.groups)))
    if isinstance(encoding, Sequences):  # what is wrong with a recipe, its decoder says
        check_bounds(genomes, *encoding.lower_upper(len(W.groups)))
        with pytest.raises(InputError, match=r"key must be in|must be among its ancestors"):
            encoding.decoder(W)(np.array([7.0, 0.0, -1.0, 2.0**53, 1.0, 1.0]), genomes[:0])
    else:
        with pytest.raises(InputError, match=r"genes must be within their bounds, but are not in 1$"):
            check_bounds(genomes, *encoding.lower_upper(len(W.groups)))


@pytest.mark.parametrize("encoding", EXPLORED, ids=lambda encoding: encoding.name)
def test_what_is_explored_has_a_name_and_comes_back_from_json(encoding: Explored) -> None:
    assert type(ENCODINGS[encoding.name]()) is type(encoding)
    assert from_json(json.loads(json.dumps(to_json(encoding)))) == encoding
    encoding.check_words()


def test_words_that_are_not_known_are_refused() -> None:
    for kind, words in (
        (Weighting, ["late"]),
        (Weighting, ["easy", "late"]),
        (Orders, ["late"]),
        (Sequences, ["late"]),
    ):
        with pytest.raises(InputError, match=r'must be one of .*, but is "late"'):
            kind(*words)
        with pytest.raises(InputError, match=r'must be one of .*, but is "late"'):
            kind()._replace(**dict(zip(kind._fields, words, strict=False))).check_words()

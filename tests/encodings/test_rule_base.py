"""The genomes of rule bases: what they become, and how a rule base becomes a genome again."""

import numpy as np
import pytest

from paretosched import InputError
from paretosched.encodings.genomes import check_bounds
from paretosched.encodings.rule_base import Situations, Symbiotic
from paretosched.search.evaluation import evaluator
from paretosched.simulation.objective import objectives_of
from support.zoo import ZOO, a_greedy, equal_rules, random_jobs

KINDS = ("iterative", "symbiotic")
ALL = ("1", "2", "3", "4", "5")
W = random_jobs(4, 80, 16, gap=1, run=20)
SITUATIONS = Situations(ALL, ALL[::-1], a_greedy(ALL), ((2,), (50, 75), (20,), (), (), (), ()))
SYMBIOTIC = Symbiotic(ALL, ALL[::-1], a_greedy(ALL), rules=6)


def genomes(encoding: Situations | Symbiotic, count: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    if isinstance(encoding, Situations):
        return rng.integers(0, 13, (count, 12)).astype(np.float64)
    return rng.normal(0.4, 0.4, (count, 6 * 27))


@pytest.mark.slow
@pytest.mark.parametrize("encoding", [SITUATIONS, SYMBIOTIC], ids=KINDS)
def test_what_is_decoded_is_simulated_whatever_the_workers(encoding: Situations | Symbiotic) -> None:
    archive = genomes(encoding, 7)
    rows = [objectives_of(W, encoding.policy_of(g, ALL).outcome(W)) for g in archive]
    assert [len(encoding.gene_labels(5)), encoding.online(archive).all()] == [archive.shape[1], True]
    for workers in (0, 1):
        with evaluator(W, encoding, workers) as evaluate:
            assert evaluate(archive, 0)[0].tobytes() == np.array(rows).tobytes()


@pytest.mark.parametrize("encoding", [SITUATIONS, SYMBIOTIC], ids=KINDS)
def test_encoding_undoes_decoding(encoding: Situations | Symbiotic) -> None:
    for genome in genomes(encoding, 5):
        base = encoding.rule_base(genome)
        again = encoding.rule_base(encoding.genome_of(base))
        assert equal_rules(again, base)
        assert base.priority == ALL[::-1]


def test_every_gene_lands_where_its_label_says() -> None:
    genome = np.arange(6 * 27.0)
    base = SYMBIOTIC.rule_base(genome)
    labels = SYMBIOTIC.gene_labels(5)
    assert len(set(labels)) == len(labels)
    assert base.means[1, 2] == genome[labels.index("rule 2 PRCWQ1 mean")]
    assert base.widths[5, 6] == genome[labels.index("rule 6 PRCWQ5 width")]
    genome[:] = 0
    genome[labels.index("rule 3 easy by wait")] = -4.4
    assert SYMBIOTIC.rule_base(genome).recommendations[2].tolist() == [0] * 7 + [-5] + [0] * 5


def test_genomes_out_of_bounds_are_refused() -> None:
    with pytest.raises(InputError, match=r"must have shape \(12,\), but has \(11,\)"):
        SITUATIONS.rule_base(np.zeros(11))
    with pytest.raises(InputError, match=r"must be whole numbers in \[0, 12\], but situation 3 is 13"):
        SITUATIONS.rule_base([0, 0, 13] + [0] * 9)
    with pytest.raises(InputError, match=r"situation 1 is 0\.5"):
        SITUATIONS.rule_base([0.5] + [0] * 11)
    with pytest.raises(InputError, match="rule 1 SD mean is nan"):
        SYMBIOTIC.rule_base(np.full(6 * 27, np.nan))
    with pytest.raises(InputError, match="within their bounds"):
        check_bounds(np.full((1, 12), 14.0), *SITUATIONS.lower_upper(5))
    check_bounds(np.full((1, 6 * 27), -3.0), *SYMBIOTIC.lower_upper(5))
    with evaluator(ZOO["one job"], SYMBIOTIC.examples(("1",))[0]):
        pass
    with pytest.raises(InputError, match="rules are for the groups"), evaluator(ZOO["one job"], SYMBIOTIC):
        pass

"""How an archive search varies orders in words."""

import numpy as np
import pytest

from paretosched import lublin, objectives, simulate
from paretosched.encodings.genomes import check_bounds
from paretosched.encodings.trained_order import BY_SITUATION, HEAD, OWN_BACKFILLING, POLICY, WINDOW, TrainedOrders
from paretosched.fronts.dominance import costs
from paretosched.search.algorithms.archive_search import archive_search
from paretosched.search.algorithms.formula_moves import FormulaMoves
from paretosched.search.algorithms.spaces import Reals
from paretosched.simulation.objective import objective_table

GROUPS = ("1", "2", "3")
ENCODING = TrainedOrders(GROUPS)
MOVES = FormulaMoves(3)
SPACE = Reals(*ENCODING.lower_upper(3), draw=MOVES.random, moves=MOVES)


def toy_costs(genomes: np.ndarray) -> np.ndarray:
    genes = genomes[:, len(HEAD) :]
    return np.column_stack([np.full(len(genomes), -9.0), 1 + genes.mean(axis=1), 2 - genes[:, ::2].mean(axis=1)])


def batches_of(seed: int, count: int) -> list[np.ndarray]:
    asking = archive_search(SPACE, 12, seed)
    batches = [next(asking)]
    for _ in range(count - 1):
        batches.append(asking.send(toy_costs(batches[-1])))
    return batches


def test_the_first_genome_is_easy_and_the_next_are_single_terms() -> None:
    w = lublin(jobs=300, processors=32, seed=2).with_(groups=("1", "2", "3", "4", "5"))
    moves = FormulaMoves(5)
    _, genomes = moves.first(1, np.random.default_rng(0))
    encoding = TrainedOrders(w.groups)
    assert simulate(w, encoding.policy_of(genomes[0], w.groups)).start.tolist() == simulate(w, "easy").start.tolist()
    orders = [encoding.policy_of(genome, w.groups).order for genome in genomes[1:19:2]]
    assert orders == [
        ("wait",), ("wait * (10000 / estimate)",), ("wait * (10 / width)",), ("wait * (100000 / area)",),
        ("0 - estimate",), ("0 - 1000 * width",), ("0 - 0.1 * area",), ("0 - 1000 * log(estimate)",),
        ("0 - 3000 * log(width)",),
    ]  # fmt: skip


def test_all_genomes_are_policies_and_none_is_for_a_window() -> None:
    genomes = np.concatenate(batches_of(3, 30))
    check_bounds(genomes, *ENCODING.lower_upper(3))
    assert not genomes[:, [WINDOW, POLICY]].any()
    for genome in genomes[::7]:
        assert ENCODING.policy_of(genome, GROUPS).name.startswith("trained order")


def test_the_gene_for_situations_says_whether_they_differ() -> None:
    genomes = np.concatenate(batches_of(4, 30))
    blocks = genomes[:, len(HEAD) :].reshape(len(genomes), 4, -1)
    differ = (blocks[:, 1:3] != blocks[:, :1]).any(axis=(1, 2))
    assert (genomes[:, BY_SITUATION] == differ).all()
    assert 0.1 < differ.mean() < 0.9
    own = genomes[:, OWN_BACKFILLING] == 1
    assert 0 < own.mean() < 0.9
    assert (blocks[~own, 3] == blocks[~own, 0]).all()


def test_the_same_seed_asks_for_the_same_genomes_and_another_for_others() -> None:
    first, again, other = batches_of(5, 6), batches_of(5, 6), batches_of(6, 6)
    assert [b.tobytes() for b in first] == [b.tobytes() for b in again]
    assert all((a[-1] != b[-1]).any() for a, b in zip(first, other, strict=True))


def test_every_gene_can_be_moved_and_comes_back_to_nothing() -> None:
    generator = np.random.default_rng(1)
    moved = np.zeros(SPACE.lower.size, dtype=bool)
    zero = False
    child = MOVES.random(1, generator)[0]
    for _ in range(2000):
        before = child.copy()
        MOVES.vary(child, None, generator)
        moved |= child != before
        zero |= bool(((child == 0) & (before > 0))[len(HEAD) :].any())
        assert ((child >= SPACE.lower) & (child <= SPACE.upper)).all()
    assert np.flatnonzero(~moved).tolist() == [WINDOW, POLICY]
    assert zero


@pytest.mark.slow
def test_it_finds_more_of_the_owners_box_than_chance() -> None:
    shares: dict[str, list[float]] = {"archive": [], "random": []}
    for seed in (3, 4):
        w = lublin(jobs=500, processors=32, seed=seed)
        moves, encoding = FormulaMoves(len(w.groups)), TrainedOrders(w.groups)
        space = Reals(*encoding.lower_upper(len(w.groups)), draw=moves.random, moves=moves)
        tables = {}
        for name in shares:
            generator = np.random.default_rng(seed)
            asking = archive_search(space, 50, seed) if name == "archive" else space.at_random(50, generator)
            genomes, rows = next(asking), []
            while len(rows) < 500:
                new = [objectives(simulate(w, encoding.policy_of(genome, w.groups))) for genome in genomes]
                rows += new
                genomes = asking.send(costs(np.array(new), objective_table(w.groups)))
            tables[name] = np.array(rows)[:500, 2:]
        edge = 1.5 * np.asarray(objectives(simulate(w, "easy")))[2:]
        best = np.min([table.min(axis=0) for table in tables.values()], axis=0)
        somewhere = np.random.default_rng(0).random((5000, len(edge)))
        for name, table in tables.items():
            inside = (table[(table < edge).all(axis=1)] - best) / (edge - best)
            shares[name].append(np.mean([(inside <= place).all(axis=1).any() for place in somewhere]))
    assert np.mean(shares["archive"]) > np.mean(shares["random"])

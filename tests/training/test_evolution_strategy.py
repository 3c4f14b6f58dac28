"""The evolution strategy of paper 000 by hand and by statistics, and CMA-ES behind the same interface."""

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched.core.arrays import Floats
from paretosched.core.errors import InputError
from paretosched.training.evolution_strategy import (
    CHILDREN,
    PARENTS,
    SMALLEST_STEP,
    STRATEGIES,
    Search,
    limit_genomes,
    mutate,
    recombine,
    reflect,
    search,
)

LOWER, UPPER = np.array([0.0, 0, 0, 2]), np.array([1.0, 1, 5, 3])


def bowl(genes: Floats) -> Floats:
    """Smallest at 0.3 of every range."""
    return (((genes - LOWER) / (UPPER - LOWER) - 0.3) ** 2).sum(axis=1)


def run(searching: Search, genomes: int, fitness: Callable[[Floats], Floats] = bowl) -> list[Floats]:
    """Every generation asked for."""
    searching = limit_genomes(searching, genomes)
    batches = [next(searching)]
    for _ in range(genomes):
        try:
            batches.append(searching.send(fitness(batches[-1])))
        except StopIteration:
            break
    return batches


# --- both -----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_seed_asks_for_the_same_within_the_bounds(strategy: str) -> None:
    one, again = (np.concatenate(run(search(strategy, LOWER, UPPER, 7), 1200)) for _ in range(2))
    assert one.tobytes() == again.tobytes()
    assert one.shape == (1200, 4)
    assert ((one >= LOWER) & (one <= UPPER)).all()
    other = np.concatenate(run(search(strategy, LOWER, UPPER, 8), 1200))
    assert not (one == other).all(axis=1).any()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_only_the_order_of_fitness_matters(strategy: str) -> None:
    plain = np.concatenate(run(search(strategy, LOWER, UPPER, 7), 600))
    steep = np.concatenate(run(search(strategy, LOWER, UPPER, 7), 600, lambda genes: 1e30 * (1 + bowl(genes))))
    assert plain.tobytes() == steep.tobytes()


@pytest.mark.parametrize(("strategy", "target"), [("es", 1e-3), ("cma", 1e-9)])
def test_the_bottom_of_a_bowl_is_found(strategy: str, target: float) -> None:
    genomes = np.concatenate(run(search(strategy, LOWER, UPPER, 1), 2000))
    assert bowl(genomes).min() < target < bowl(genomes[:PARENTS]).min()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_what_was_asked_for_may_be_overwritten(strategy: str) -> None:
    expected = np.concatenate(run(search(strategy, LOWER, UPPER, 7), 400))
    searching = limit_genomes(search(strategy, LOWER, UPPER, 7), 400)
    genomes = next(searching)
    copies = []
    while True:
        copies.append(genomes.copy())
        fitness = bowl(genomes)
        genomes[:] = 0
        try:
            genomes = searching.send(fitness)
        except StopIteration:
            break
    assert np.concatenate(copies).tobytes() == expected.tobytes()


def test_a_strategy_that_is_not_known_is_refused() -> None:
    with pytest.raises(InputError, match="strategy must be one of es, cma"):
        search("sa", LOWER, UPPER, 1)


@pytest.mark.parametrize("genomes", [1, 15, 16, 120, 121])
def test_a_limited_search_asks_for_as_many_and_ends(genomes: int) -> None:
    batches = run(search("es", LOWER, UPPER, 1), genomes)
    assert sum(map(len, batches)) == genomes
    whole = np.concatenate(run(search("es", LOWER, UPPER, 1), 225))
    assert np.concatenate(batches).tobytes() == whole[:genomes].tobytes()


# --- the evolution strategy -----------------------------------------------------------------------------------------


def naive(seed: int, generations: int) -> list[list[float]]:
    """Everything asked for, one gene after the other, from the same random numbers."""
    r = np.random.default_rng(seed)
    d, span = 4, UPPER - LOWER
    parents = [(float(bowl(x[None])[0]), x.tolist(), (0.1 * span).tolist()) for x in LOWER + span * r.random((15, d))]
    genomes = [x for _, x, _ in parents]
    for _ in range(generations):
        whose, one, off = r.integers(15, size=(105, d)), r.integers(15, size=105), r.integers(14, size=105)
        common, own, moves = r.standard_normal((105, 1)), r.standard_normal((105, d)), r.standard_normal((105, d))
        children = []
        for c in range(105):
            genes, steps = [], []
            for i in range(d):
                first, second = parents[one[c]][2][i], parents[(one[c] + 1 + off[c]) % 15][2][i]
                step = (first + second) / 2 * math.exp(common[c, 0] / math.sqrt(8) + own[c, i] / 2)  # d = 4
                step = max(step, 1e-4 * span[i])
                gene = parents[whose[c, i]][1][i] + step * moves[c, i]
                while not LOWER[i] <= gene <= UPPER[i]:
                    gene = 2 * (LOWER[i] if gene < LOWER[i] else UPPER[i]) - gene
                genes.append(float(gene))
                steps.append(float(step))
            children.append((float(bowl(np.array([genes]))[0]), genes, steps))
        genomes += [x for _, x, _ in children]
        parents = sorted([*parents, *children], key=lambda row: row[0])[:15]
    return genomes


def test_it_is_the_strategy_written_down_gene_by_gene() -> None:
    genomes = np.concatenate(run(search("es", LOWER, UPPER, 5), 15 + 8 * 105))
    assert genomes == pytest.approx(np.array(naive(5, 8)), rel=1e-9, abs=1e-12)


def test_fifteen_parents_have_a_hundred_and_five_children() -> None:
    assert [len(generation) for generation in run(search("es", LOWER, UPPER, 1), 15 + 3 * 105)] == [15, 105, 105, 105]


def test_the_best_of_parents_and_children_live_on_and_the_older_of_equals() -> None:
    """All children are worse: the parents stay, so that every gene of grandchildren is near one of a parent."""
    searching = search("es", LOWER, UPPER, 1)
    parents = next(searching)
    searching.send(np.zeros(PARENTS))
    for fitness in (np.ones(CHILDREN), np.zeros(CHILDREN)):
        children = searching.send(fitness)
        steps = np.abs(children[:, None] - parents[None]).min(axis=1) / (UPPER - LOWER)
        assert np.median(steps) < 0.1
    # now all children are better than their parents, which are forgotten
    best = children[:PARENTS]
    children = searching.send(np.where(np.arange(CHILDREN) < PARENTS, -1.0, 5.0))
    nearer = np.abs(children[:, None] - best[None]).min(axis=1) < np.abs(children[:, None] - parents[None]).min(axis=1)
    assert nearer.mean() > 0.5


def test_genes_come_from_all_parents_and_step_sizes_are_means_of_two() -> None:
    genes = np.arange(15.0)[:, None] + np.array([0, 100, 200])
    steps = 2.0 ** np.arange(15)[:, None] * np.array([1, 3, 5])
    children, child_steps = recombine(genes, steps, 4000, np.random.default_rng(0))
    which = children - np.array([0, 100, 200])
    counts = np.array([np.bincount(column.astype(int), minlength=15) for column in which.T])
    assert counts.sum() == 12000
    assert abs(counts - 4000 / 15).max() < 5 * math.sqrt(4000 / 15)  # each parent as often as any other, in each gene
    assert np.ptp(which, axis=1).astype(bool).mean() > 0.99  # a parent for each gene
    assert (child_steps / np.array([1, 3, 5]) == child_steps[:, :1]).all()  # two parents for all step sizes of a child
    pairs = {(2.0**i + 2.0**j) / 2 for i in range(15) for j in range(i)}
    assert set(child_steps[:, 0].tolist()) == pairs  # all pairs of different parents, and nothing else


def test_step_sizes_are_log_normal_with_a_part_in_common() -> None:
    d = 16  # tau = 1 / sqrt(8), tau' = 1 / sqrt(32)
    lower, upper = np.zeros(d), np.full(d, 1e9)
    _, new_steps = mutate(np.full((20000, d), 5e8), np.full((20000, d), 1e6), lower, upper, np.random.default_rng(0))
    logs = np.log(new_steps / 1e6)
    assert abs(logs.mean()) < 0.01
    assert abs(logs.var() - (1 / 8 + 1 / 32)) < 0.003
    assert abs(np.cov(logs.T)[0, 1] - 1 / 32) < 0.003


def test_genes_move_by_their_step_size() -> None:
    lower, upper = np.zeros(2), np.full(2, 1e9)
    genes, new_steps = mutate(
        np.full((20000, 2), 5e8), np.full((20000, 2), 1e6), lower, upper, np.random.default_rng(0)
    )
    moves = (genes - 5e8) / new_steps
    assert abs(moves.mean()) < 0.02
    assert abs(moves.std() - 1) < 0.02
    assert abs(np.corrcoef(moves.T)[0, 1]) < 0.03


def test_step_sizes_have_a_floor() -> None:
    _, new_steps = mutate(np.full((50, 4), 0.5), np.full((50, 4), 1e-12), LOWER, UPPER, np.random.default_rng(0))
    assert (new_steps == SMALLEST_STEP * (UPPER - LOWER)).all()


@pytest.mark.parametrize(
    ("gene", "reflection"),
    [(2, 2), (3, 3), (2.5, 2.5), (1.75, 2.25), (3.25, 2.75), (4.25, 2.25), (0.75, 2.75), (-97.75, 2.25)],
)
def test_genes_are_reflected_at_bounds_by_hand(gene: float, reflection: float) -> None:
    assert reflect(np.array([[gene]]), np.array([2.0]), np.array([3.0])).tolist() == [[reflection]]


@given(st.floats(-1e12, 1e12), st.floats(-100, 100), st.floats(1e-3, 100))
def test_reflection_ends_within_the_bounds_and_leaves_what_is_there(gene: float, lower: float, span: float) -> None:
    low, high = np.array([lower]), np.array([lower + span])
    reflection = reflect(np.array([[gene]]), low, high)
    assert low <= reflection <= high
    assert reflect(reflection, low, high) == reflection
    if low <= gene <= high:
        assert reflection == gene


# --- CMA-ES ---------------------------------------------------------------------------------------------------------


def test_cma_leaves_the_process_and_the_folder_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cma_signals.in").write_text("'stop_now': 1\n")  # with which its users may stop it
    before = np.random.get_state()[1].tobytes()  # type: ignore[index]  # noqa: NPY002
    batches = run(search("cma", LOWER, UPPER, 1), 200)
    assert np.random.get_state()[1].tobytes() == before  # type: ignore[index]  # noqa: NPY002
    assert [path.name for path in tmp_path.iterdir()] == ["cma_signals.in"]
    assert capfd.readouterr() == ("", "")
    assert len({len(generation) for generation in batches[:-1]}) == 1


def test_cma_begins_again_with_twice_the_population_where_nothing_is_to_be_found() -> None:
    batches = run(search("cma", LOWER, UPPER, 1), 3000, lambda genes: np.zeros(len(genes)))
    sizes = [len(generation) for generation in batches[:-1]]
    assert sizes[0] == 8  # 4 + 3 ln 4
    assert {16, 32} <= set(sizes)
    assert sizes == sorted(sizes)

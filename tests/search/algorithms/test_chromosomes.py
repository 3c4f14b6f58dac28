"""Breeding of chromosomes: crossover, tournament, mutation and the elite."""

import numpy as np

from paretosched.search.algorithms.chromosomes import Breeding, breed


def generations(first: list[list[int]], count: int, **changes: float) -> list[np.ndarray]:
    """Generations whose makespan is the number of ones."""
    numbers = {"tournament": 2, "crossover": 1.0, "mutation": 0.0, "elite": 0, "keep": 1.0} | changes
    breeding = Breeding(**numbers)  # type: ignore[arg-type]
    going = breed(np.array(first, dtype=np.int32), 2, breeding, np.random.default_rng(0))
    generations_so_far = [next(going)]
    for _ in range(count):
        generations_so_far.append(going.send(generations_so_far[-1].sum(axis=1).astype(np.float64)))
    return generations_so_far


def test_one_point_crossover_swaps_tails() -> None:
    _, children = generations([[0] * 9, [1] * 9] * 10, 1, tournament=1)
    assert children.shape == (20, 9)
    mixtures = 0
    for one, other in zip(children[:10], children[10:], strict=True):  # the two children of a pair
        assert (np.diff(one) != 0).sum() <= 1
        assert (one + other).tolist() in ([0] * 9, [1] * 9, [2] * 9)
        mixtures += len(set(one.tolist())) == 2
    assert mixtures > 0
    _, copies = generations([[0] * 9, [1] * 9] * 10, 1, tournament=1, crossover=0.0)
    assert all(len(set(child)) == 1 for child in copies.tolist())


def test_those_far_from_the_prediction_have_no_children() -> None:
    first = [[0] * k + [1] * (8 - k) for k in range(8, 0, -1)]  # makespans 0 to 7
    _, children = generations(first, 1, tournament=1, crossover=0.0, keep=0.5)
    assert children.sum(axis=1).max() <= 3
    _, children = generations(first, 1, tournament=1, crossover=0.0)
    assert children.sum(axis=1).max() > 3


def test_a_tournament_prefers_the_better() -> None:
    _, children = generations([[0] * 4, [1] * 4], 1, tournament=20, crossover=0.0)
    assert children.sum() == 0


def test_the_elite_lives_on_and_genes_mutate_at_their_rate() -> None:
    # All parents are the best one there is. As an elite it has children for ever, of which a tenth of the genes mutate.
    first = [[0] * 400, *[[1] * 400] * 9]
    common = {"mutation": 0.1, "tournament": 50, "crossover": 0.0}
    assert 10 < generations(first, 30, elite=1, **common)[-1].sum(axis=1).mean() < 30
    assert generations(first, 30, elite=0, **common)[-1].sum(axis=1).mean() > 100
    _, children = generations([[0] * 400] * 10, 1, mutation=0.5)
    assert 800 < children.sum() < 1200  # half of 4,000 genes become 0 or 1
    _, children = generations([[0] * 400] * 10, 1, mutation=0.0)
    assert children.sum() == 0

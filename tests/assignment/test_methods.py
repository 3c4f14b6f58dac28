"""Jobs on unequal nodes: the bounds, and the methods of assignment."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paretosched import InputError
from paretosched.assignment import Bag, Genetic, Nodes, assign
from paretosched.assignment.methods import GENETIC, METHODS, SIMPLE, _measure, at_least, divisible, groups
from paretosched.assignment.synthetic import cluster_bag, paper_bag, paper_nodes
from support.assignment import NAN, bag_of, briefly, nodes_of, problems

# ---- the bounds


def test_the_divisible_bound_by_hand() -> None:
    # nodes 2.0 twice, 1.0 once: 5 units a time unit; 20 units take 4, but the 10 on the fastest node take 5
    bag, nodes = bag_of(10, 4, 6), nodes_of(2, 1, 2)
    assert groups(nodes) == ((1.0, 1), (2.0, 2))
    assert divisible(bag, nodes) == 4
    assert at_least(bag, nodes) == 5
    # half utilised, the first is as good as the second: 1 + 1 + 2 = 4 units a time unit
    slow = Nodes(["a", "b", "c"], [2, 1, 2], [0.5, 1, 1])
    assert groups(slow) == ((1.0, 2), (2.0, 1))
    assert divisible(bag, slow) == 5
    # the numbers of section 4.2: mean workload 3, 50 jobs, 20 nodes of 2.6 GHz, 250 ms a unit there
    assert divisible(bag_of(*[3 * 650.0] * 50), nodes_of(*[2.6] * 20)) == pytest.approx(50 * 3 * 250 / 20)


@pytest.mark.slow
def test_jobs_without_a_workload_do_not_count() -> None:
    bag = Bag(["a", "b"], [4.0, NAN])
    assert divisible(bag, nodes_of(2)) == 2
    assignment = assign(bag, nodes_of(2), "lpt")
    assert assignment.node.tolist() == [0, -1]
    assert assignment.makespan == 2
    assert [times.tolist()[0] for times in assignment.times()] == [0, 2]
    assert all(np.isnan(times[1]) for times in assignment.times())


@pytest.mark.parametrize("method", METHODS)
@briefly
@given(problem=problems(), seed=st.integers(0, 9))
def test_no_makespan_is_below_the_bound_or_the_optimum(method: str, problem: tuple[Bag, Nodes], seed: int) -> None:
    bag, nodes = problem
    assignment = assign(bag, nodes, method, iterations=5, seed=seed, genetic=Genetic(population=6))
    assert assignment.makespan >= at_least(bag, nodes) * (1 - 1e-12)
    assert np.nanmax(assignment.times()[1]) == pytest.approx(assignment.makespan)
    assert ((assignment.node >= 0) & (assignment.node < len(nodes))).all()


def optimum(bag: Bag, nodes: Nodes) -> float:
    """The least makespan of all assignments."""
    every = np.array(list(itertools.product(range(len(nodes)), repeat=len(bag))), dtype=np.int32)
    return float(_measure(every, bag.workload, nodes).min())


@pytest.mark.slow
@briefly
@given(problem=problems(most_jobs=6))
def test_the_optimum_bounds_every_method_from_below(problem: tuple[Bag, Nodes]) -> None:
    bag, nodes = problem
    best = optimum(bag, nodes)
    assert best >= at_least(bag, nodes) * (1 - 1e-12)
    for method in METHODS:
        assignment = assign(bag, nodes, method, iterations=20, genetic=Genetic(population=10))
        assert assignment.makespan >= best
    assert assign(bag, nodes, "lpt").makespan <= 2 * best * (1 + 1e-12)  # Gonzalez, Ibarra and Sahni


@pytest.mark.slow
def test_the_genetic_algorithms_find_the_optimum_of_small_cases() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        bag, nodes = bag_of(*rng.integers(1, 30, 7)), nodes_of(*rng.choice([1.0, 1.6, 2.8], 3))
        for method in GENETIC:
            genetic = Genetic(mutation=0.2, tolerance=0.0)
            assert assign(bag, nodes, method, iterations=150, genetic=genetic).makespan == optimum(bag, nodes)


def test_the_simple_methods_by_hand() -> None:
    bag, nodes = bag_of(6, 2, 4, 8), nodes_of(1, 2)
    # free first: 6 to the slow one until 6, 2 to the fast one until 1, 4 there until 3, 8 there until 7
    assert assign(bag, nodes, "fcfs").node.tolist() == [0, 1, 1, 1]
    assert assign(bag, nodes, "fcfs").times()[1].tolist() == [6, 1, 3, 7]
    # done first: 6 at 3 on the fast one, 2 at 2 on the slow one, 4 at 5 on the fast one, 8 at 9 or at 10
    assert assign(bag, nodes, "list").node.tolist() == [1, 0, 1, 1]
    # largest first: 8 at 4 on the fast one, 6 at 6 on the slow one, 4 at 6 on the fast one, 2 at 7 there
    assert assign(bag, nodes, "lpt").node.tolist() == [0, 1, 1, 1]
    assert {assign(bag, nodes, "random", seed=s).node.tolist()[0] for s in range(20)} == {0, 1}


def test_utilisation_makes_a_node_slower() -> None:
    nodes = Nodes(["a", "b"], [4.0, 4.0], [0.25, 1.0])
    assert assign(bag_of(8, 8), nodes, "list").node.tolist() == [1, 1]
    assert assign(bag_of(8, 8), nodes, "fcfs").makespan == 8


@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_assignment(method: str) -> None:
    bag, nodes = paper_bag(60, np.random.default_rng(1)), paper_nodes(10, np.random.default_rng(2))
    first, again, other = (assign(bag, nodes, method, iterations=8, seed=seed) for seed in (3, 3, 4))
    assert first.node.tolist() == again.node.tolist()
    assert first.course.tolist() == again.course.tolist()
    if method in (*GENETIC, "random"):
        assert first.node.tolist() != other.node.tolist()


@pytest.mark.parametrize("method", GENETIC)
def test_a_longer_search_begins_like_a_shorter_one_and_never_gets_worse(method: str) -> None:
    bag, nodes = paper_bag(60, np.random.default_rng(1)), paper_nodes(10, np.random.default_rng(2))
    short, long = (assign(bag, nodes, method, iterations=i, seed=3) for i in (10, 30))
    assert long.course[:11].tolist() == short.course.tolist()
    assert (np.diff(long.course) <= 0).all()
    assert long.course[-1] < long.course[0]
    assert long.makespan == long.course[-1]
    assert long.iterations == 30


def test_pgga_stops_when_it_has_arrived_and_tga_does_not() -> None:
    bag, nodes = bag_of(*[1.0] * 8), nodes_of(1, 1)
    assignment = assign(bag, nodes, "pgga", iterations=500)
    assert assignment.iterations < 500
    assert assignment.makespan == 4 == at_least(bag, nodes)
    assert assign(bag, nodes, "tga", iterations=500).iterations == 500
    loose = assign(bag, nodes, "pgga", iterations=500, genetic=Genetic(tolerance=10.0))
    assert loose.iterations == 0


@pytest.mark.parametrize("start", SIMPLE)
def test_what_the_first_generation_contains_is_never_lost(start: str) -> None:
    bag, nodes = paper_bag(60, np.random.default_rng(1)), paper_nodes(10, np.random.default_rng(2))
    for method in GENETIC:
        assignment = assign(bag, nodes, method, iterations=3, genetic=Genetic(start=(start,), population=4))
        if start != "random":
            assert assignment.course[0] <= assign(bag, nodes, start).makespan
    assert assignment.makespan <= assignment.course[0]


def test_the_smallest_problems_are_solved() -> None:
    for method in METHODS:
        assert assign(bag_of(3), nodes_of(2), method, iterations=2).makespan == 1.5
        assert assign(bag_of(0, 0), nodes_of(2, 1), method, iterations=2).makespan == 0


# ---- what is refused


def test_what_is_out_of_range_is_refused() -> None:
    for make, rule in (
        (lambda: Bag([], []), "at least one job"),
        (lambda: Bag(["a"], [-1.0]), "workload must be in 0..1e\\+15, but 1 are not: a has -1"),
        (lambda: Bag(["a"], [1.0, 2.0]), "workload must have one entry"),
        (lambda: Bag(["a"], ["x"]), "workload must be numbers"),
        (lambda: Bag(["a"], [float("inf")]), "a has inf"),
        (lambda: Nodes([], []), "at least one node"),
        (lambda: Nodes(["a", "a"], [1, 1]), "different names, but a occur"),
        (lambda: Nodes(["a"], [0.0]), "speed must be in"),
        (lambda: Nodes(["a"], [NAN]), "speed must be a number"),
        (lambda: Nodes(["a"], [1.0], [1.5]), "utilisation must be in"),
        (lambda: Genetic(population=1), "population must be in 2..10000"),
        (lambda: Genetic(elite=50), "elite must be in 0..49"),
        (lambda: Genetic(tournament=0), "tournament must be in"),
        (lambda: Genetic(mutation=1.5), "mutation must be in 0..1"),
        (lambda: Genetic(crossover=NAN), "crossover must be in"),
        (lambda: Genetic(keep=-0.1), "keep must be in"),
        (lambda: Genetic(tolerance=-1.0), "tolerance must be in"),
        (lambda: Genetic(start=("tga",)), "start must be one of"),
        (lambda: Genetic(population=2, start=("fcfs", "lpt", "list")), "start must name at most"),
        (lambda: assign(bag_of(1), nodes_of(1), "best"), "method must be one of"),
        (lambda: assign(bag_of(1), nodes_of(1), "tga", iterations=-1), "iterations must be in"),
        (lambda: assign(bag_of(1), nodes_of(1), "tga", seed=-1), "seed must be"),
        (lambda: assign(bag_of(NAN), nodes_of(1), "lpt"), "no job has a workload"),
        (lambda: paper_bag(0, np.random.default_rng()), "jobs must be in"),
        (lambda: paper_bag(5, np.random.default_rng(), 0), "distinct must be in"),
        (lambda: paper_nodes(0, np.random.default_rng()), "nodes must be in"),
        (lambda: cluster_bag(-1, np.random.default_rng()), "jobs must be in"),
    ):
        with pytest.raises(InputError, match=rule):
            make()
    big = Bag([""] * 30_000, np.ones(30_000))
    with pytest.raises(InputError, match="population times jobs"):
        assign(big, nodes_of(1), "tga", genetic=Genetic(population=10_000))

"""Jobs on unequal nodes: bounds, methods, the estimator by hand, the lists, and the command."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paretosched import InputError
from paretosched.assignment import Bag, Genetic, History, Nodes, assign, estimate, queues
from paretosched.assignment.estimator import learn, slopes
from paretosched.assignment.lists import read_history, read_jobs, read_nodes, save_jobs, save_nodes
from paretosched.assignment.methods import GENETIC, METHODS, SIMPLE, _measure, at_least, divisible, groups
from paretosched.assignment.synthetic import cluster_bag, cluster_nodes, paper_bag, paper_nodes
from paretosched.search.algorithms.chromosomes import Breeding, breed
from support.commands import command, done

NAN = float("nan")
briefly = settings(deadline=None, max_examples=50)


def bag_of(*workload: float) -> Bag:
    return Bag([f"j{k}" for k in range(len(workload))], workload)


def nodes_of(*speed: float) -> Nodes:
    return Nodes([f"p{i}" for i in range(len(speed))], speed)


@st.composite
def problems(draw: st.DrawFn, most_jobs: int = 12) -> tuple[Bag, Nodes]:
    """Jobs and nodes with many ties."""
    workload = draw(st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5, 7.0, 100.0]), min_size=1, max_size=most_jobs))
    speed = draw(st.lists(st.sampled_from([0.5, 1.0, 2.0, 2.6]), min_size=1, max_size=4))
    return bag_of(*workload), nodes_of(*speed)


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
    found = assign(bag, nodes_of(2), "lpt")
    assert found.node.tolist() == [0, -1]
    assert found.makespan == 2
    assert [times.tolist()[0] for times in found.times()] == [0, 2]
    assert all(np.isnan(times[1]) for times in found.times())


@pytest.mark.parametrize("method", METHODS)
@briefly
@given(problem=problems(), seed=st.integers(0, 9))
def test_no_makespan_is_below_the_bound_or_the_optimum(method: str, problem: tuple[Bag, Nodes], seed: int) -> None:
    bag, nodes = problem
    found = assign(bag, nodes, method, iterations=5, seed=seed, genetic=Genetic(population=6))
    assert found.makespan >= at_least(bag, nodes) * (1 - 1e-12)
    assert np.nanmax(found.times()[1]) == pytest.approx(found.makespan)
    assert ((found.node >= 0) & (found.node < len(nodes))).all()


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
        found = assign(bag, nodes, method, iterations=20, genetic=Genetic(population=10))
        assert found.makespan >= best
    assert assign(bag, nodes, "lpt").makespan <= 2 * best * (1 + 1e-12)  # Gonzalez, Ibarra and Sahni


@pytest.mark.slow
def test_the_genetic_algorithms_find_the_optimum_of_small_cases() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        bag, nodes = bag_of(*rng.integers(1, 30, 7)), nodes_of(*rng.choice([1.0, 1.6, 2.8], 3))
        for method in GENETIC:
            genetic = Genetic(mutation=0.2, tolerance=0.0)
            assert assign(bag, nodes, method, iterations=150, genetic=genetic).makespan == optimum(bag, nodes)


# ---- the methods


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
    found = assign(bag, nodes, "pgga", iterations=500)
    assert found.iterations < 500
    assert found.makespan == 4 == at_least(bag, nodes)
    assert assign(bag, nodes, "tga", iterations=500).iterations == 500
    loose = assign(bag, nodes, "pgga", iterations=500, genetic=Genetic(tolerance=10.0))
    assert loose.iterations == 0


@pytest.mark.parametrize("start", SIMPLE)
def test_what_the_first_generation_contains_is_never_lost(start: str) -> None:
    bag, nodes = paper_bag(60, np.random.default_rng(1)), paper_nodes(10, np.random.default_rng(2))
    for method in GENETIC:
        found = assign(bag, nodes, method, iterations=3, genetic=Genetic(start=(start,), population=4))
        if start != "random":
            assert found.course[0] <= assign(bag, nodes, start).makespan
    assert found.makespan <= found.course[0]


def generations(first: list[list[int]], count: int, **changed: float) -> list[np.ndarray]:
    """Generations whose makespan is the number of ones."""
    numbers = {"tournament": 2, "crossover": 1.0, "mutation": 0.0, "elite": 0, "keep": 1.0} | changed
    breeding = Breeding(**numbers)  # type: ignore[arg-type]
    going = breed(np.array(first, dtype=np.int32), 2, breeding, np.random.default_rng(0))
    made = [next(going)]
    for _ in range(count):
        made.append(going.send(made[-1].sum(axis=1).astype(np.float64)))
    return made


def test_one_point_crossover_swaps_tails() -> None:
    _, children = generations([[0] * 9, [1] * 9] * 10, 1, tournament=1)
    assert children.shape == (20, 9)
    mixed = 0
    for one, other in zip(children[:10], children[10:], strict=True):  # the two children of a pair
        assert (np.diff(one) != 0).sum() <= 1
        assert (one + other).tolist() in ([0] * 9, [1] * 9, [2] * 9)
        mixed += len(set(one.tolist())) == 2
    assert mixed > 0
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


def test_the_smallest_problems_are_solved() -> None:
    for method in METHODS:
        assert assign(bag_of(3), nodes_of(2), method, iterations=2).makespan == 1.5
        assert assign(bag_of(0, 0), nodes_of(2, 1), method, iterations=2).makespan == 0


# ---- the estimator, Figure 1 by hand


def test_the_steps_of_figure_1() -> None:
    h = History()
    # step 25: no record, then one record: queue Q1, and the record goes to H
    assert estimate(h, "J", 20, "printed") is None
    h = learn(h, "J", 10, 40.0)
    assert slopes(h, "J") == ()
    assert estimate(h, "J", 20, "printed") is None
    # steps 19 to 22: two records make a slope, |100 - 40| / |30 - 10| = 3
    h = learn(h, "J", 30, 100.0)
    assert slopes(h, "J") == ((10, 30, 3.0),)
    # steps 3 to 5: 20 lies in (10, 30); 3 * 20
    assert estimate(h, "J", 20, "printed") == 60
    # step 7: its real workload is 50, so the slope is replaced by two
    h = learn(h, "J", 20, 50.0)
    assert slopes(h, "J") == ((10, 20, 1.0), (20, 30, 5.0))
    assert estimate(h, "J", 15, "printed") == 15
    assert estimate(h, "J", 25, "printed") == 125
    # steps 10 to 12: 40 lies in no range; the closest is 30, its partner 20; 5 * 40
    assert estimate(h, "J", 40, "printed") == 200
    assert estimate(h, "J", 4, "printed") == 4
    # step 15: once it has finished, the line between 30 and 40 is added
    h = learn(h, "J", 40, 120.0)
    assert slopes(h, "J") == ((10, 20, 1.0), (20, 30, 5.0), (30, 40, 2.0))
    # a size where two lines meet belongs to the one of larger sizes; the last to its only one
    assert estimate(h, "J", 20, "printed") == 100
    assert estimate(h, "J", 40, "printed") == 80
    # other jobs have their own records
    assert estimate(h, "K", 20, "printed") is None


def test_the_corrected_line_goes_through_the_records() -> None:
    h = learn(learn(History(), "J", 10, 40.0), "J", 30, 100.0)
    assert estimate(h, "J", 20) == 70
    assert estimate(h, "J", 10) == 40
    assert estimate(h, "J", 30) == 100
    assert estimate(h, "J", 40) == 130
    assert estimate(h, "J", 0) == 10
    assert estimate(learn(History(), "J", 10, 40.0), "J", 10) == 40
    falling = learn(learn(History(), "J", 10, 40.0), "J", 30, 20.0)
    assert estimate(falling, "J", 20) == 30
    assert estimate(falling, "J", 90) == 0
    assert estimate(falling, "J", 20, "printed") == 20  # the paper's slopes have no sign


def test_a_size_seen_again_replaces_its_record() -> None:
    h = learn(learn(learn(History(), "J", 10, 40.0), "J", 30, 100.0), "J", 10, 60.0)
    assert h.records["J"] == ((10, 60.0), (30, 100.0))
    one = learn(learn(History(), "J", 10, 40.0), "J", 10, 60.0)
    assert one.records["J"] == ((10, 60.0),)
    assert estimate(one, "J", 10, "printed") is None


@briefly
@given(
    sizes=st.lists(st.integers(1, 1000), min_size=2, unique=True),
    asked=st.integers(1, 1000),
    slope=st.integers(1, 9),
    base=st.integers(0, 99),
)
def test_a_straight_line_is_interpolated_exactly_and_printed_if_through_the_origin(
    sizes: list[int], asked: int, slope: int, base: int
) -> None:
    h = proportional = History()
    for size in sizes:
        h = learn(h, "J", size, base + slope * size)
        proportional = learn(proportional, "J", size, slope * size)
    assert estimate(h, "J", asked) == pytest.approx(base + slope * asked)
    assert estimate(h, "J", asked, "printed") == pytest.approx(slope * asked)
    assert estimate(proportional, "J", asked, "printed") == pytest.approx(estimate(proportional, "J", asked))


def test_queues_tell_who_has_a_workload() -> None:
    h = learn(learn(History(), "J", 10, 40.0), "J", 30, 100.0)
    bag = Bag(["J", "J", "K", "K"], [NAN, 5.0, NAN, 7.0], [20, 20, 20, NAN])
    estimated, q1, q2 = queues(h, bag)
    assert (q1.tolist(), q2.tolist()) == ([2], [0, 1, 3])
    assert estimated.workload[q2].tolist() == [70, 5, 7]
    assert bag.workload[1] == 5  # what is known stays


def test_what_cannot_be_learnt_is_refused() -> None:
    for size, workload in ((-1, 1), (1, -1), (NAN, 1), (1, float("inf"))):
        with pytest.raises(InputError, match="must be a number from 0 on"):
            learn(History(), "J", size, workload)
    with pytest.raises(InputError, match="line must be one of"):
        estimate(History(), "J", 1, "curved")


# ---- the made-up jobs of section 4


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


# ---- lists


def listed(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_lists_are_read_in_any_order_of_columns(tmp_path: Path) -> None:
    bag = read_jobs(listed(tmp_path / "j.csv", "\ufeff\n Size , job,workload\n10,a,\n,b,3\n\n7,a,9\n"))
    assert bag.name == ("a", "b", "a")
    assert bag.size.tolist()[::2] == [10, 7]
    assert bag.workload.tolist()[1:] == [3, 9]
    assert bag.known.tolist() == [False, True, True]
    nodes = read_nodes(listed(tmp_path / "n.csv", 'speed,utilisation,node\n2,0.5,"a, the first"\n1.5,1,b\n'))
    assert nodes.name == ("a, the first", "b")
    assert nodes.capability.tolist() == [1, 1.5]
    assert read_nodes(listed(tmp_path / "n.csv", "node,speed\na,2\n")).capability.tolist() == [2]
    past = read_history(listed(tmp_path / "p.csv", "job,size,time,speed,utilisation\na,1,10,2,0.5\na,3,30,2,1\n"))
    assert past.records == {"a": ((1, 10.0), (3, 60.0))}
    past = read_history(listed(tmp_path / "p.csv", "job,size,time,speed\na,3,10,2\na,1,1,2\na,3,5,2\n"))
    assert past.records == {"a": ((1, 2.0), (3, 10.0))}  # the last run of a size counts
    past = read_history(listed(tmp_path / "p.csv", "job,size,workload\na,1,10\n"))
    assert past == learn(History(), "a", 1, 10)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    bag = Bag(["a", "b, c", "ü"], [1 / 3, NAN, 2.0], [NAN, 7.0, 1e-3])
    save_jobs(bag, tmp_path / "j.csv")
    again = read_jobs(tmp_path / "j.csv")
    assert again.name == bag.name
    assert np.array_equal(again.workload, bag.workload, equal_nan=True)
    assert np.array_equal(again.size, bag.size, equal_nan=True)
    nodes = paper_nodes(5, np.random.default_rng(0))
    save_nodes(nodes, tmp_path / "n.csv")
    assert read_nodes(tmp_path / "n.csv").capability.tolist() == nodes.capability.tolist()


BAD_JOBS = {
    "": "must have lines job,workload or job,size",
    "job,workload\n": "must have lines",
    "name,workload\na,1\n": ':1: a list of jobs must begin with job,workload or job,size or job,size,workload, not "na',
    "job,workload,workload\na,1,1\n": ":1: a list of jobs must begin with",
    "a,1\nb,2\n": ":1: a list of jobs must begin with",
    "job,workload\na\n": ":2: a line must have the 2 columns job,workload, but has 1",
    "job,workload\na,1,2\n": ":2: a line must have the 2 columns",
    "job,workload\n\na,1\nb,two\n": ':4: workload is "two", not a number',
    "job,workload\na,1_0\n": ':2: workload is "1_0", not a number',
    "job,workload\na,-1\n": ':2: workload must be in 0..1e+15, but is "-1"',
    "job,workload\na,nan\n": ':2: workload must be in 0..1e+15, but is "nan"',
    "job,workload\na,1e400\n": ":2: workload must be in 0..1e+15",
    "job,workload\na,\n": ":2: a job needs a workload, but has none",
    "job,size,workload\na,,\n": ":2: a job needs a workload or a size, but has none",
    "job,workload\n,1\n": ':2: job is "", not a name',
    "job,workload\na\x1b[2J,1\n": ":2: job is",
    'job,workload\n"a,1\n': "not CSV",
}
BAD_NODES = {
    "node,speed\na,0\n": ':2: speed must be in 1e-06..1e+15, but is "0"',
    "node,speed\na,\n": ':2: speed is "", not a number',
    "node,speed\na,1\nb,1\na,2\n": ':4: node "a" stands in line 2 already',
    "node,speed,utilisation\na,1,2\n": ":2: utilisation must be in 1e-06..1",
    "node,capability\na,1\n": ":1: a list of nodes must begin with node,speed or node,speed,utilisation, not",
}
BAD_RUNS = {
    "job,time\na,1\n": ":1: a list of past runs must begin with job,size,workload or job,size,time,speed or",
    "job,size,workload\na,,1\n": ':2: size is "", not a number',
    "job,size,time,speed\na,1,-1,1\n": ":2: time must be in",
}


@pytest.mark.parametrize("text", BAD_JOBS)
def test_bad_jobs_are_refused_with_their_line(tmp_path: Path, text: str) -> None:
    path, nodes = listed(tmp_path / "j.csv", text), listed(tmp_path / "n.csv", "node,speed\na,1\n")
    said = command("assign", path, nodes, "-o", tmp_path / "out.csv")
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"paretosched assign: {path}")
    assert BAD_JOBS[text] in said.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(("option", "text"), [*(("nodes", t) for t in BAD_NODES), *(("history", t) for t in BAD_RUNS)])
def test_bad_nodes_and_past_runs_are_refused_with_their_line(tmp_path: Path, option: str, text: str) -> None:
    jobs, path = listed(tmp_path / "j.csv", "job,workload\na,1\n"), listed(tmp_path / "bad.csv", text)
    sound = listed(tmp_path / "n.csv", "node,speed\na,1\n")
    said = command("assign", jobs, *([path] if option == "nodes" else [sound, "--history", path]))
    assert (said.status, said.out) == (2, "")
    assert said.err.startswith(f"paretosched assign: {path}")
    assert (BAD_NODES | BAD_RUNS)[text] in said.err


# ---- the command


@pytest.fixture
def lists(tmp_path: Path) -> Path:
    listed(tmp_path / "jobs.csv", "job,workload\na,8\nb,2\nc,2\n")
    listed(tmp_path / "sizes.csv", "job,size\nsort,20\nsort,40\nlist,5\n")
    listed(tmp_path / "nodes.csv", "node,speed\nslow,1\nfast,4\n")
    listed(tmp_path / "past.csv", "job,size,workload\nsort,10,5\nsort,30,9\n")
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_assign_writes_who_runs_where_and_when(lists: Path) -> None:
    said = done("assign", lists / "jobs.csv", lists / "nodes.csv", "-o", lists / "a.csv")
    assert [list(row.values()) for row in rows(lists / "a.csv")] == [
        ["a", "8.0", "fast", "0.0", "2.0"],
        ["b", "2.0", "slow", "0.0", "2.0"],
        ["c", "2.0", "fast", "2.0", "2.5"],
    ]
    assert said.out.startswith("lpt: 3 jobs on 2 nodes\n")
    assert "no assignment ends before 2.4, the time of divisible jobs (2.4)" in said.out
    assert "fcfs" in said.out


@pytest.mark.parametrize("method", METHODS)
def test_assign_in_json_for_every_method(lists: Path, method: str) -> None:
    arguments = ("assign", lists / "jobs.csv", lists / "nodes.csv", "--method", method, "--seed", 2, "--json")
    said = done(*arguments, "-o", lists / "a.csv")
    assert said.json["method"] == method
    assert said.json["bound"] == said.json["divisible"] == 2.4
    assert said.json["makespan"] == max(float(row["finish"]) for row in rows(lists / "a.csv"))
    assert said.json["others"].keys() == {"fcfs", "lpt"} - {method}
    assert done(*arguments).out == said.out


def test_assign_estimates_workloads_from_past_runs(lists: Path) -> None:
    arguments = (
        "assign",
        lists / "sizes.csv",
        lists / "nodes.csv",
        "--history",
        lists / "past.csv",
        "-o",
        lists / "a.csv",
    )
    said = done(*arguments)
    assert "no workload is known of 1 of 3 jobs, which are left out (queue Q1): list" in said.err
    assert [row["workload"] for row in rows(lists / "a.csv")] == ["7.0", "11.0", ""]
    assert list(rows(lists / "a.csv")[2].values()) == ["list", "", "", "", ""]
    done(*arguments, "--line", "printed")
    assert [row["workload"] for row in rows(lists / "a.csv")] == ["4.0", "8.0", ""]
    (lists / "other.csv").write_text("job,size,workload\nanother,1,1\nanother,2,2\n")
    said = command("assign", lists / "sizes.csv", lists / "nodes.csv", "--history", lists / "other.csv")
    assert said.status == 2
    assert "none could be estimated from its size" in said.err


def test_without_past_runs_the_size_is_the_workload(lists: Path) -> None:
    (lists / "works.csv").write_text((lists / "sizes.csv").read_text().replace("size", "workload"))
    by_size, by_workload = (
        done("assign", lists / name, lists / "nodes.csv", "-o", lists / f"by-{name}")
        for name in ("sizes.csv", "works.csv")
    )
    assert (lists / "by-sizes.csv").read_text() == (lists / "by-works.csv").read_text()
    assert "the size of a job is taken as its workload" in by_size.err
    assert by_workload.err == ""


def test_assign_takes_what_the_paper_leaves_open(lists: Path) -> None:
    arguments = ("assign", lists / "jobs.csv", lists / "nodes.csv", "--method", "pgga")
    numbers = ("--population", 4, "--tournament", 3, "--crossover", 0.5, "--mutation", 0.1, "--elite", 2, "--keep", 0.3)
    first = ("--tolerance", 0, "--start", "lpt", "--start", "fcfs", "--iterations", 7)
    found = done(*arguments, *numbers, *first, "--json")
    assert found.json["makespan"] <= 2.5
    said = command(*arguments[:-1], "fcfs", "--elite", 2)
    assert said.err == "paretosched assign: --elite: belongs to tga and pgga; it does not go with fcfs\n"


def test_assign_overwrites_none_of_its_inputs(lists: Path) -> None:
    for name, what in (("jobs", "the list of jobs"), ("nodes", "the list of nodes"), ("past", "the past runs")):
        said = command(
            "assign",
            lists / "jobs.csv",
            lists / "nodes.csv",
            "--history",
            lists / "past.csv",
            "-o",
            lists / f"{name}.csv",
        )
        assert said.status == 2
        assert f"--output would overwrite {what}" in said.err


def test_names_are_no_formulas_in_a_list_and_are_read_again(tmp_path: Path) -> None:
    names = ("=cmd()", "'=1", "+x", "@y", "-z", "it's", "-1")
    bag = Bag(names, np.ones(len(names)), np.ones(len(names)))
    save_jobs(bag, tmp_path / "jobs.csv")
    cells = [line.split(",")[0] for line in (tmp_path / "jobs.csv").read_text().splitlines()[1:]]
    assert cells == ["'=cmd()", "''=1", "'+x", "'@y", "'-z", "it's", "-1"]
    assert read_jobs(tmp_path / "jobs.csv").name == names

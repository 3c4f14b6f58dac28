"""Assignment of jobs to nodes: the methods of paper 003, and the classical ones for related machines."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import callback, instance, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from ..kernels.makespan import makespans
from .bag_and_nodes import Bag, Nodes

Genes = NDArray[np.int32]

GENETIC = ("tga", "pgga")
SIMPLE = ("fcfs", "random", "list", "lpt")
METHODS = (*SIMPLE, *GENETIC)
MOST_POPULATION = 10_000
MOST_ITERATIONS = 1_000_000
MOST_GENES = 200_000_000  # of a generation: 1 GB or two


@dataclass(frozen=True)
class Genetic:
    """What paper 003 leaves open about its genetic algorithms.

    Parameters
    ----------
    population
        Chromosomes of a generation.
    tournament
        Number of candidates; the best of them becomes a parent.
    crossover
        Probability of one-point crossover of two parents.
    mutation
        Probability that a gene changes to a random node; None for 1 / jobs.
    elite
        Number of the best chromosomes that stay in the next generation.
    keep
        PGGA: share of a generation that is near enough to T* to have children; with 0.5 the half beyond the median has
        none.
    tolerance
        PGGA: the search ends when the makespan is at most this share above `at_least`.
    start
        Methods ("fcfs", "random", "list", "lpt") whose assignments are in the first generation; the others are random.

    Raises
    ------
    InputError
        A number is out of range, or a method of `start` is none of these.
    """

    population: int = 50
    tournament: int = 2
    crossover: float = 0.9
    mutation: float | None = None
    elite: int = 1
    keep: float = 0.5
    tolerance: float = 0.01
    start: tuple[str, ...] = ()

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        whole: Iterable[tuple[str, int, int, int]] = (
            ("population", self.population, 2, MOST_POPULATION),
            ("tournament", self.tournament, 1, self.population),
            ("elite", self.elite, 0, self.population - 1),
        )
        shares = (
            ("crossover", self.crossover, 0.0, 1.0),
            ("mutation", 0.0 if self.mutation is None else self.mutation, 0.0, 1.0),
            ("keep", self.keep, 0.0, 1.0),
            ("tolerance", self.tolerance, 0.0, 1e6),
        )
        for key, number, low, high in (*whole, *shares):
            if not low <= number <= high:
                raise InputError(f"{key} must be in {low:g}..{high:g}, but is {number:g}")
        for method in self.start:
            one_of("start", method, SIMPLE)
        if len(self.start) > self.population:
            raise InputError(f"start must name at most population = {self.population} methods, not {len(self.start)}")


DEFAULT = Genetic()


@dataclass(frozen=True, eq=False)
class Assignment:
    """A node for every job; made by `assign`.

    Parameters
    ----------
    bag, nodes
        The jobs, and the nodes they are assigned to.
    node
        (m,) number of each job's node; -1 for a job whose workload is not known.
    method
        One of METHODS.
    course
        Of a genetic algorithm: the least makespan in the first generation, and after each iteration.
    """

    bag: Bag
    nodes: Nodes
    node: Ints
    method: str
    course: Floats = field(default_factory=lambda: np.empty(0))

    __repr__ = fields_repr
    _repr_html_ = fields_html

    @property
    def makespan(self) -> float:
        """The time at which the last job ends, time units."""
        rows = np.flatnonzero(self.bag.known)
        return float(_measure(self.node[rows][None].astype(np.int32), self.bag.workload[rows], self.nodes)[0])

    @property
    def iterations(self) -> int:
        """Number of generations that were bred after the first."""
        return max(self.course.size - 1, 0)

    def times(self) -> tuple[Floats, Floats]:
        """Return start and finish of every job, (m,) time units; jobs of a node run in the order of the list."""
        start = np.full(len(self.bag), np.nan)
        finish = np.full(len(self.bag), np.nan)
        free = [0.0] * len(self.nodes)
        capability = self.nodes.capability.tolist()
        for k in np.flatnonzero(self.bag.known).tolist():
            i = int(self.node[k])
            start[k] = free[i]
            free[i] += float(self.bag.workload[k]) / capability[i]
            finish[k] = free[i]
        return start, finish


class Group(NamedTuple):
    """Nodes of one capability (paper 003, section 3.2): their number, N(G_i), and the capability, F(G_i)."""

    capability: float
    nodes: int


def groups(nodes: Nodes) -> tuple[Group, ...]:
    """Return groups of nodes of the same capability, the slowest first.

    Examples
    --------
    >>> groups(Nodes(["a", "b", "c"], [2.0, 4.0, 2.0], [1.0, 0.5, 0.5]))
    (Group(capability=1.0, nodes=1), Group(capability=2.0, nodes=2))
    """
    values, counts = np.unique(nodes.capability, return_counts=True)
    return tuple(Group(float(value), int(count)) for value, count in zip(values, counts, strict=True))


def divisible(bag: Bag, nodes: Nodes) -> float:
    """Return T*, the makespan of jobs that could be divided (paper 003, formula 7): W / sum N(G_i) F(G_i).

    Examples
    --------
    >>> divisible(Bag(["a", "b"], [9.0, 3.0]), Nodes(["n", "m"], [2.0, 1.0]))
    4.0
    """
    instance("bag", bag, Bag)
    instance("nodes", nodes, Nodes)
    return float(bag.workload[bag.known].sum() / sum(group.nodes * group.capability for group in groups(nodes)))


def at_least(bag: Bag, nodes: Nodes) -> float:
    """Return a lower bound of the makespan: T*, or the time of the largest job on the fastest node if it is longer.

    With hardly more jobs than nodes, no assignment can reach T*; the search stops at this bound instead.

    Examples
    --------
    >>> at_least(Bag(["a", "b"], [9.0, 3.0]), Nodes(["n", "m"], [2.0, 1.0]))
    4.5
    """
    instance("bag", bag, Bag)
    instance("nodes", nodes, Nodes)
    longest = float(bag.workload[bag.known].max()) / float(nodes.capability.max())
    return max(divisible(bag, nodes), longest)


def assign(
    bag: Bag,
    nodes: Nodes,
    method: str,
    *,
    iterations: int = 200,
    seed: int = 0,
    genetic: Genetic = DEFAULT,
    progress: Callable[[int, int, float], None] | None = None,
) -> Assignment:
    """Assign jobs to nodes.

    Parameters
    ----------
    bag, nodes
        Jobs whose workload is not known are left out.
    method
        "fcfs": in the order of the list, each job to the node that is free first. "random": each job to a random node.
        "list": in the order of the list, each job to the node that would finish it first. "lpt": the same, largest
        workload first (Graham 1969; for nodes of different speeds Gonzalez, Ibarra and Sahni 1977, at most twice the
        optimum). "tga", "pgga": the genetic algorithms of paper 003, see `chromosomes`.
    iterations
        Generations that a genetic algorithm breeds; PGGA may stop earlier.
    seed
        Of the random numbers.
    genetic
        Parameters that the paper leaves open.
    progress
        Called after each generation with iterations done, iterations wanted, and the least makespan so far.

    Returns
    -------
    Assignment
        Of a genetic algorithm: the best chromosome of all generations.

    Raises
    ------
    InputError
        There is no such method, a number is out of range, or no workload is known.

    Examples
    --------
    With "fcfs" the first job gets the first node, although it is slow; "lpt" looks for the earliest finish.

    >>> bag, nodes = Bag(["a", "b", "c"], [8.0, 2.0, 2.0]), Nodes(["slow", "fast"], [1.0, 4.0])
    >>> for method in ("fcfs", "lpt", "pgga"):
    ...     print(method, assign(bag, nodes, method).makespan)
    fcfs 8.0
    lpt 2.5
    pgga 2.5
    """
    one_of("method", method, METHODS)
    instance("bag", bag, Bag)
    instance("nodes", nodes, Nodes)
    instance("genetic", genetic, Genetic)
    callback("progress", progress)
    if not 0 <= whole_number("iterations", iterations) <= MOST_ITERATIONS:
        raise InputError(f"iterations must be in 0..{MOST_ITERATIONS}, but is {iterations}")
    if whole_number("seed", seed) < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    rows = np.flatnonzero(bag.known)
    if not rows.size:
        raise InputError("no job has a workload, and none could be estimated, so there is nothing to assign")
    workload = bag.workload[rows]
    generator = np.random.default_rng(seed)
    course = np.empty(0)
    if method in GENETIC:
        if genetic.population * rows.size > MOST_GENES:
            raise InputError(
                f"population times jobs must be at most {MOST_GENES:,}, but is {genetic.population * rows.size:,}"
            )
        genes, course = _breed(workload, nodes, method, iterations, genetic, generator, progress)
    else:
        genes = _simple(method, workload, nodes, generator)
    node = np.full(len(bag), -1, dtype=np.int64)
    node[rows] = genes
    node.flags.writeable = False
    return Assignment(bag, nodes, node, method, course)


def _simple(method: str, workload: Floats, nodes: Nodes, generator: np.random.Generator) -> Genes:
    """Return the nodes of jobs by a method without a search, (m,)."""
    if method == "random":
        return generator.integers(len(nodes), size=workload.size, dtype=np.int32)
    if method == "fcfs":
        return _free_first(workload, nodes)
    order = np.argsort(-workload, kind="stable") if method == "lpt" else np.arange(workload.size)
    return _done_first(workload, order, nodes)


def _free_first(workload: Floats, nodes: Nodes) -> Genes:
    """Return the nodes of jobs, (m,): each job in turn to the node that is free first, of equals to the first one."""
    capability = nodes.capability.tolist()
    free = [(0.0, i) for i in range(len(nodes))]
    genes = np.empty(workload.size, dtype=np.int32)
    for k, units in enumerate(workload.tolist()):
        time, i = free[0]
        genes[k] = i
        heapq.heapreplace(free, (time + units / capability[i], i))
    return genes


def _done_first(workload: Floats, order: Ints, nodes: Nodes) -> Genes:
    """Return the nodes of jobs, (m,): each in this order to the node that finishes it first, of equals the first."""
    capability = nodes.capability
    load = np.zeros(len(nodes))
    genes = np.empty(workload.size, dtype=np.int32)
    for k in order.tolist():
        i = int(((load + workload[k]) / capability).argmin())
        genes[k] = i
        load[i] += workload[k]
    return genes


def _breed(
    workload: Floats,
    nodes: Nodes,
    method: str,
    iterations: int,
    genetic: Genetic,
    generator: np.random.Generator,
    progress: Callable[[int, int, float], None] | None,
) -> tuple[Genes, Floats]:
    """Return the best chromosome of a search, (m,), and the least makespan after each generation, (generations,)."""
    from ..search.algorithms.chromosomes import Breeding, breed

    first = generator.integers(len(nodes), size=(genetic.population, workload.size), dtype=np.int32)
    for row, name in enumerate(genetic.start):
        first[row] = _simple(name, workload, nodes, generator)
    mutation = 1 / workload.size if genetic.mutation is None else genetic.mutation
    keep = genetic.keep if method == "pgga" else 1.0
    bag = Bag(("",) * workload.size, workload)
    enough = (1 + genetic.tolerance) * at_least(bag, nodes) if method == "pgga" else -1.0
    generations = breed(
        first, len(nodes), Breeding(genetic.tournament, genetic.crossover, mutation, genetic.elite, keep), generator
    )
    population = next(generations)
    course: list[float] = []
    best = population[0]
    while True:
        lengths = _measure(population, workload, nodes)
        champion = int(lengths.argmin())
        if not course or lengths[champion] < course[-1]:
            best = population[champion].copy()
        course.append(min([*course[-1:], float(lengths[champion])]))
        done = len(course) - 1
        if progress is not None:
            progress(done, iterations, course[-1])
        if done == iterations or course[-1] <= enough:
            return best, np.array(course)
        population = generations.send(lengths)


def _measure(genes: Genes, workload: Floats, nodes: Nodes) -> Floats:
    """Return the makespans of a population, (p,), in one compiled call."""
    longest = np.empty(len(genes))
    rows = np.ascontiguousarray(genes, dtype=np.int32)
    units, capability = workload.view(), nodes.capability
    for array in (rows, units, capability):
        array.flags.writeable = False  # the kernel would be compiled once more for writeable arrays
    makespans(rows, units, capability, longest)
    return longest

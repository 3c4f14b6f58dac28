"""The jobs and nodes of the tests in paper 003, section 4, as far as the paper describes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.arguments import instance, list_argument, numbers, whole_number
from ..core.errors import InputError
from .bag_and_nodes import Bag, Nodes

SMALL, LARGE = 1e6, 3e6  # workload units: the end of the small ones, and the largest
SHARE = 0.7  # of small workloads
SPEEDS = (2.8, 2.6, 2.0, 1.8, 1.6)  # GHz; a workload unit takes a time unit at 1 GHz
CLUSTER_SPEEDS = (2.6, 2.0, 1.6)
CLUSTER_UNIT = 650.0  # GHz ms a workload unit of the cluster: 250 ms at 2.6 GHz
LOOPS = 1e6  # rounds of the test program's loop for a workload unit; any number would do
MOST = 1_000_000


def paper_bag(jobs: int, generator: np.random.Generator, distinct: int | None = None) -> Bag:
    """Return jobs with random workloads as in section 4.1: 70 % small ones, 30 % large ones, up to 3,000,000.

    The paper does not say where small ones end: here they are uniform in 1..1,000,000, the large ones uniform above.

    Parameters
    ----------
    jobs
        Number of jobs.
    generator
        Of the random numbers.
    distinct
        Number of different workloads, as for Figure 10 ("10 different workload units"); each job has one of them.
        None: each job has its own.

    Raises
    ------
    InputError
        A number is out of range.

    Examples
    --------
    >>> bag = paper_bag(50, np.random.default_rng(0), distinct=10)
    >>> len(bag), len(set(bag.workload.tolist())), bool(bag.workload.max() <= 3e6)
    (50, 10, True)
    """
    _check("jobs", jobs, generator)
    count = jobs if distinct is None else distinct
    _check("distinct", count, generator)
    small = generator.random(count) < SHARE
    sizes = np.where(small, generator.uniform(1, SMALL, count), generator.uniform(SMALL, LARGE, count))
    if distinct is not None:
        sizes = sizes[generator.integers(distinct, size=jobs)]
    return Bag(tuple(f"j{k}" for k in range(1, jobs + 1)), sizes)


def paper_nodes(nodes: int, generator: np.random.Generator, speeds: Sequence[float] = SPEEDS) -> Nodes:
    """Return random nodes of the five types of section 4.1, each type as likely as the others, with utilisation 1.

    Raises
    ------
    InputError
        The number is out of range.

    Examples
    --------
    >>> nodes = paper_nodes(100, np.random.default_rng(0))
    >>> sorted(set(nodes.capability.tolist()))
    [1.6, 1.8, 2.0, 2.6, 2.8]
    """
    _check("nodes", nodes, generator)
    return Nodes(
        tuple(f"p{i}" for i in range(1, nodes + 1)),
        generator.choice(numbers("speeds", list_argument("speeds", speeds)), size=nodes),
    )


def cluster_bag(jobs: int, generator: np.random.Generator) -> Bag:
    """Return random jobs as in section 4.2: runs of a loop, with workloads uniform in 1..5 units, in GHz ms.

    All are runs of one program, and the size is the number of rounds, so that the estimator can learn it.

    Raises
    ------
    InputError
        The number is out of range.
    """
    _check("jobs", jobs, generator)
    units = generator.uniform(1, 5, jobs)
    return Bag(("loop",) * jobs, units * CLUSTER_UNIT, units * LOOPS)


def cluster_nodes(nodes: int, generator: np.random.Generator) -> Nodes:
    """Return random nodes of the three types of section 4.2; the paper does not say how many there were of each."""
    return paper_nodes(nodes, generator, CLUSTER_SPEEDS)


def _check(key: str, number: int, generator: np.random.Generator) -> None:
    """Raise InputError if a number of jobs, nodes or workloads is out of range, or the generator is none."""
    instance("generator", generator, np.random.Generator)
    if not 1 <= whole_number(key, number) <= MOST:
        raise InputError(f"{key} must be in 1..{MOST}, but is {number}")

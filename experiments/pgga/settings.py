"""The runs, as data."""

from __future__ import annotations

from paretosched.assignment.methods import Genetic

SEEDS = tuple(range(10))
ITERATIONS = 200  # sections 4.1.1 and 4.1.3

# Figures 3 to 6 (section 4.1.1): 24 x 10 = 240 combinations.
JOBS = tuple(range(50, 1201, 50))
NODES = tuple(range(50, 501, 50))

# What paper 003 leaves open, and another reading of its claim that PGGA is always better than FCFS: if the first
# generation contains the assignment of FCFS, elitism keeps it.
GENETIC = {"tga": Genetic(), "pgga": Genetic(), "pgga-fcfs": Genetic(start=("fcfs",))}
SIMPLE = ("random", "fcfs", "list", "lpt")
ALSO = (0, 1)  # seeds with the third setting in figures 3 to 6

# What the verdict on PGGA against TGA rests on: the share of a generation that has children (1.0 is TGA), the size of
# a generation and mutation, in genes a chromosome. Every search makes as many chromosomes, and none stops early.
KEEPS = (1.0, 0.9, 0.7, 0.5, 0.3, 0.1)
POPULATIONS = (50, 100, 200, 400)
MUTATIONS = (0.2, 1.0, 5.0)  # with the first population
CHROMOSOMES = 10_000
SENSITIVE = ((300, 50), (300, 200), (1200, 200))  # jobs and nodes

# Figure 10 (section 4.1.2). The tests of 50, 100, ..., 500 iterations are one run of 500: neither algorithm knows how
# long it will run, so with the same seed a shorter test is the beginning of a longer one.
CONVERGENCE = {"jobs": 1500, "distinct": 10, "nodes": 500, "iterations": 500}
LOOK_EVERY = 10
CONVERGED = 0.01  # share above the makespan at the end that counts as converged

# Table 1 (section 4.1.3): jobs and nodes.
TIMED = ((800, 300), (1000, 400), (1200, 300), (1200, 400), (1200, 500))

# Time of a generation against size; one number grows at a time.
GROWTH_JOBS = ((100, 500), (1_000, 500), (10_000, 500), (100_000, 500))
GROWTH_NODES = ((1200, 50), (1200, 500), (1200, 5_000), (1200, 50_000))
GROWTH_ITERATIONS = 20

# Table 2 (section 4.2): jobs and nodes.
CLUSTER = ((50, 20), (60, 25), (70, 30), (72, 32), (80, 35), (85, 37), (90, 40), (92, 42))
CLUSTER_SEEDS = tuple(range(10))

# The estimator on made-up programs whose workload, in units, depends on the size d in 1..100.
PROGRAMS = {
    "proportional: 3 d": lambda d: 3 * d,
    "with a constant: 100 + 3 d": lambda d: 100 + 3 * d,
    "quadratic: d^2 / 20": lambda d: d * d / 20,
    "falling: 400 - 3 d": lambda d: 400 - 3 * d,
}
RECORDS = (2, 4, 8, 16, 32)
UNSEEN = 200  # sizes to estimate after so many records

QUICK = {
    "SEEDS": (0, 1), "ITERATIONS": 6, "JOBS": (50, 100), "NODES": (50, 100), "LOOK_EVERY": 5,
    "TIMED": ((60, 20), (80, 20)),
    "CONVERGENCE": {"jobs": 60, "distinct": 10, "nodes": 20, "iterations": 20}, "CLUSTER": ((50, 20), (60, 25)),
    "CLUSTER_SEEDS": (0, 1), "GROWTH_JOBS": ((50, 20), (100, 20)), "GROWTH_NODES": ((50, 20), (50, 40)),
    "KEEPS": (1.0, 0.5), "POPULATIONS": (10, 20), "MUTATIONS": (1.0, 5.0), "CHROMOSOMES": 100, "SENSITIVE": ((50, 20),),
    "GROWTH_ITERATIONS": 3, "UNSEEN": 10,
}  # fmt: skip

"""The runs, as data. The rows of Table 4 are the plan "paper002" of the package, see paretosched/search/plans.py."""

from __future__ import annotations

from paretosched.search.plans import PLANS, Row

# "First, NSGA was used with a randomly generated initial population" (section 4.3); this is not a row of
# Table 4, and the paper does not say how long it ran.
ADJACENT = next(row for row in PLANS["paper002"] if row.name == "nsga-adjacent")
RANDOM = Row(
    "nsga-random",
    "NSGA from a random population",
    {**ADJACENT.settings, "start": ("random",), "evaluations": 1_200},
)

# Table 4 is of seed 0; its rows are run with these, too.
SEEDS, QUICK_SEEDS = (1, 2, 3, 4), (1,)

# Of the other workloads: the start solutions and the weighting, the latter with fewer evaluations.
OTHER_ROWS = ("workload-permutation", "queue-permutation", "weighting")
OTHER_EVALUATIONS = 4_000
POLICIES = ("fcfs", "easy")

# Start solutions, sequences and weighting of Table 4, as figures 14 to 16 tell them apart.
KINDS = {
    "Start solutions": ("workload-permutation", "queue-permutation"),
    "Sequences": ("nsga-adjacent", "nsga-swap", "nsga2-swap", "nsga2-later", "nsga2-group"),
    "Weighting": ("weighting",),
}
# Of these the utilisation is also measured from the first submission on, for which their schedules are made again.
SINCE_SUBMISSION = ("nsga-random", "nsga2-group")
COURSE_POINTS = 16  # a run
AT_EVALUATIONS = (500, 4_000)  # where runs are compared
AT_SECONDS = (25, 150)  # of CPU time

QUICK = {"jobs": 300, "processors": 64, "seed": 71, "evaluations": 40, "population": 10, "points": 2}

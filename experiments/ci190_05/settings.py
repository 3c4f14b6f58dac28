"""What is run, as data. The rows of Table 4 are the plan "paper002" of the package, see paretosched/plan.py."""

from __future__ import annotations

from paretosched.search.plans import PLANS, Row

PROCESSORS = 1024
SCALING_SEED = 0
# The logs of the papers that are at hand (paper 002, Tables 2 and 3, names SDSC SP2 what others call SDSC00), their
# files, and the factors that the papers' numbers of jobs tell.
CTC = ("CTC", "CTC-SP2-1996-3.1-cln.swf.gz", 2.45)
OTHERS = (
    ("KTH", "KTH-SP2-1996-2.1-cln.swf.gz", 10.71),
    ("LANL", "LANL-CM5-1994-4.1-cln.swf.gz", 1.0),
    ("SDSC00", "SDSC-SP2-1998-4.2-cln.swf.gz", 8.21),
    ("SDSC96", "SDSC-Par-1996-3.1-cln.swf.gz", 2.48),
    ("NASA", "NASA-iPSC-1993-3.1-cln.swf.gz", 8.0),
)

# "First, NSGA was used with a randomly generated initial population" (section 4.3); not a row of Table 4, and how long
# it ran is not said.
ADJACENT = next(row for row in PLANS["paper002"] if row.name == "nsga-adjacent")
RANDOM = Row(
    "nsga-random",
    "NSGA from a random population",
    {**ADJACENT.settings, "start": ("random",), "evaluations": 1_200},
)

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

QUICK = {"jobs": 300, "processors": 64, "seed": 71, "evaluations": 40, "population": 10, "points": 3}

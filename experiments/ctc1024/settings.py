"""What is run, as data."""

from typing import Any

SCALING_SEEDS = (0, 1, 2, 3, 4)

# Paper 002, Table 4, "Real Value Coded": NSGA-II, SBX, polynomial mutation, 20,000 function calls. Population and
# seed are not published. Paper 002 backfills; paper 000 does not, so that both are explored.
EXPLORATIONS: dict[str, dict[str, Any]] = {
    "easy": {"backfill": "easy", "evaluations": 20_000, "population": 100, "seed": 0},
    "none": {"backfill": "none", "evaluations": 20_000, "population": 100, "seed": 0},
}
MARKS = ("fcfs", "list", "easy", "conservative")

QUICK = {"jobs": 1000, "processors": 128, "seed": 71, "evaluations": 200, "population": 20}

"""What is run, as data."""

from typing import Any

SCALING_SEEDS = (0, 1, 2, 3, 4)

# Paper 002, Table 4, "Real Value Coded": NSGA-II, SBX, polynomial mutation, 20,000 function calls. Population and
# seed are not published. Paper 002 backfills; paper 000 does not, so that both are explored.
_SEARCH = {"algorithm": "nsga2", "evaluations": 20_000, "population": 100, "seed": 0}
EXPLORATIONS: dict[str, dict[str, Any]] = {name: {"backfill": name, **_SEARCH} for name in ("easy", "none")}
MARKS = ("fcfs", "list", "easy", "conservative")

QUICK = {"jobs": 1000, "processors": 128, "seed": 71, "evaluations": 200, "population": 20}

"""The wish, the ingredients, the logs, the scaling draws and the trainings, as data."""

from __future__ import annotations

from typing import Any

OBJECTIVE = "10*AWRT1 + 4*AWRT2"
LIMITS = "AWRT <= EASY, all <= 1.25*EASY"
WISH = f"{OBJECTIVE}, {LIMITS}"
EASY = "easy"

# The class of trained orders, ingredient by ingredient: what may vary beside one order of the waiting jobs. The longest
# request that others may backfill with needs groups that are named. Logs as the papers scale them, all jobs.
KEY, CLASS = "one order, EASY", "the whole class"
INGREDIENTS: dict[str, tuple[str, ...]] = {
    KEY: (),
    "with another order for backfilling": ("backfilling",),
    "with an order for each situation": ("situations",),
    "with many reservations": ("reservations",),
    "with many reservations, for named groups": ("reservations", "entitled"),
    "with a longest request of the others": ("entitled", "longest"),
    "with all numbers of backfilling": ("reservations", "entitled", "longest"),
    CLASS: ("reservations", "entitled", "longest", "situations", "backfilling"),
}
LOGS = ("CTC", "KTH", "LANL", "SDSC00")
EVALUATIONS = 1000  # of each training, two thirds of them of an eighth of the jobs
SEEDS = 1

# One log, scaled with several seeds: trained on one draw or on five, tried on five others.
LOG = "CTC"
LEARNT, OTHERS = (0, 1, 2, 3, 4), (5, 6, 7, 8, 9)
UNTRAINED = (
    EASY,
    "priority:1,2; backfill: easy",
    "priority:1,2; backfill: easy:8",
    "priority:1,2; backfill: easy:8 for 1,2",
    "priority:1,2; backfill: conservative",
)
RANDOM = "random orders"
# By name: the number of draws to learn from, a public function or RANDOM, and its settings. Equal effort: some 830
# simulations of all jobs of each draw.
LEARNERS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "orders, one draw": (1, "train_priority", {"evaluations": 2000}),
    "orders, five draws": (5, "train_priority", {"evaluations": 2000}),
    "random orders, five draws": (5, RANDOM, {"evaluations": 830}),
}
GOALS = {"draw 0": 15.5, "five draws": 14.5}  # per cent below EASY

QUICK = {"LOGS": ("CTC",), "EVALUATIONS": 60, "LEARNT": (0, 1), "OTHERS": (2,)}
QUICK_LEARNERS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "orders, one draw": (1, "train_priority", {"evaluations": 60}),
    "orders, five draws": (2, "train_priority", {"evaluations": 60}),
    "random orders, five draws": (2, RANDOM, {"evaluations": 20}),
}
QUICK_SIZE = {"jobs": 200, "processors": 32, "seed": 171}

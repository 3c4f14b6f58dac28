"""The logs, algorithms, budgets and boxes, as data."""

from __future__ import annotations

# The first part of each log, as it was recorded. The constants of "archive" were chosen on KTH, with seeds 0 to 3.
LOGS = {"KTH": 0.35, "CTC": 0.2, "SDSC00": 0.25, "SDSC96": 0.35, "LANL": 0.1, "NASA": 0.5}
CHOSEN_ON = ("KTH",)
ALGORITHMS = ("archive", "nsga2", "agemoea2", "random")
POPULATION = 100
BUDGETS = (500, 2_000, 5_000)
LONG_BUDGETS = (*BUDGETS, 20_000)
REACHES = (1.2, 1.5, 3.0)  # times EASY: how far the owner's box reaches; IGD+, epsilon and wishes are in the second
WISHES = 200  # random ones: weights of the groups from a flat Dirichlet distribution
SEEDS = 10
LONG_FIRST = range(3)  # seeds whose schedules all others of the longer searches are measured by
LONG_REFERENCE = 2_000  # of these schedules, at most
OTHER_SEEDS = 3  # of the other parts
FILE, LONG_FILE = "courses.csv", "long.csv"  # of tables
DRAW_LOGS = ("KTH", "CTC", "SDSC00", "SDSC96", "LANL")  # nobody waits on NASA
LAGS = (1, 100, 300, 1_000)  # evaluations, of "archive"
LAG_LOGS = ("KTH", "CTC")
SURROGATE_LOGS = ("KTH", "CTC", "SDSC00", "SDSC96")  # its constants were chosen on the first two, with seeds 0 to 2
SURROGATE_CHOSEN_ON = ("KTH", "CTC")
PRIORITY_BUDGETS = (250, 500)  # of the surrogate of trained orders, whose simulations are dearer
OFFLINE_LOGS = ("KTH", "CTC", "SDSC00", "SDSC96", "LANL")
OFFLINE_BUDGETS = (500, 2_000)

QUICK = {
    "LOGS": {"KTH": 0.35},
    "BUDGETS": (120, 240),
    "LONG_BUDGETS": (120, 240, 300),
    "SEEDS": 2,
    "OTHER_SEEDS": 2,
    "WISHES": 20,
    "LAGS": (1, 50),
    "LONG_FIRST": range(1),
    "LONG_REFERENCE": 50,
    "PRIORITY_BUDGETS": (110, 150),
}
QUICK |= {"OFFLINE_BUDGETS": (100, 150)}
QUICK_SIZE = {"jobs": 300, "processors": 32, "seed": 171}

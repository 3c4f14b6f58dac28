"""The logs, the parts of them, the policies and the trainings, as data."""

from __future__ import annotations

from typing import Any, NamedTuple

OBJECTIVE = "10*AWRT1 + 4*AWRT2"
LIMITS = "AWRT <= EASY, all <= 1.25*EASY"
WISHES = {"free": OBJECTIVE, "limits": f"{OBJECTIVE}, {LIMITS}"}


class Split(NamedTuple):
    """A part of the time to learn from, from `begin` to `until`, and one to test on, from there to `end`; shares."""

    name: str
    begin: float
    until: float
    end: float


# Half of the log, and the tenth after it, five times: the tenths are the second half of the log, each week once.
ROLLING = tuple(Split(f"{50 + 10 * i} %", i / 10, 0.5 + i / 10, 0.6 + i / 10) for i in range(5))
LAST = Split("last 30 %", 0.0, 0.7, 1.0)
SPLITS = (*ROLLING, LAST)

# The six logs of the papers, scaled as there; others, if they are at hand, are simulated as they were recorded.
LOGS = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96", "NASA")
OTHER_LOGS = ("HPC2N", "SDSC-BLUE", "SDSC-DS")

EASY = "easy"
ORDERS = (
    "fcfs",
    "sjf",
    "saf",
    "lxf",
    "wfp3",
    "unicef",
    "learned-f1",
    "learned-f2",
    "learned-f3",
    "learned-f4",
    "priority:1,2",
)
BACKFILLS = ("none", "easy", "easy:8", "conservative")
POLICIES = (
    EASY,
    "conservative",
    *(f"{order}; backfill: {backfill}" for order in ORDERS for backfill in BACKFILLS),
    *(f"fcfs; backfill: easy; backfill-order: {order}" for order in ("sjf", "saf")),
    "priority:1,2; backfill: easy:8 for 1,2",
)


class Learner(NamedTuple):
    """A kind of policy that is trained: by a public function, with its settings, for a wish of `WISHES`."""

    name: str
    function: str
    wish: str
    settings: dict[str, Any]


SEEDS = (0, 1, 2, 3, 4)
GREEDY = {"backfill": "easy", "criterion": "f4", "strategy": "cma", "scale": "log", "generations": 12}
RULES = {"kind": "symbiotic", "generations": 12, "evaluations": 1200}
CLASS = {"evaluations": 4000}
ROBUST = {"resample": 8, "margin": "auto"}
LEARNERS = (
    Learner("Greedy", "train", "free", GREEDY),
    Learner("Greedy, limits", "train", "limits", GREEDY),
    Learner("Greedy, limits, resampled", "train", "limits", GREEDY | {"resample": 8}),
    Learner("Greedy, limits, resampled, margin", "train", "limits", GREEDY | ROBUST),
    Learner("rules", "train_rules", "free", RULES),
    Learner("rules, limits", "train_rules", "limits", RULES),
    Learner("orders", "train_priority", "free", CLASS),
    Learner("orders, limits", "train_priority", "limits", CLASS),
    Learner("orders, limits, resampled", "train_priority", "limits", CLASS | {"resample": 8}),
    Learner("orders, limits, resampled, margin", "train_priority", "limits", CLASS | ROBUST),
)

KEPT = 0.9  # the share of the splits in which limits must be kept
LEAST_GAIN = 1.0  # per cent on the training part; where EASY leaves less room, nothing can be kept of it
GAIN_KEPT = 2 / 3
LONGEST_WAITS = 1.5  # times EASY's 95th percentile
LAST_GAIN = 20.0  # per cent, on the last 30 % of CTC

# A quick run: a made-up log of weeks, a few policies, one seed, two generations.
QUICK_LOGS = ("CTC",)
QUICK = {"jobs": 300, "processors": 32, "seed": 171}
QUICK_SLOWER = {"submit": 200, "run": 300, "estimate": 300}  # times, so that so few jobs last for months
QUICK_POLICIES = (EASY, "conservative", "fcfs")
QUICK_SPLITS = (ROLLING[1], ROLLING[2], LAST)
QUICK_LEARNERS = ("Greedy", "Greedy, limits, resampled, margin", "rules, limits")
QUICK_SETTINGS: dict[str, dict[str, Any]] = {
    "train": {"generations": 1, "criterion": "f2"},
    "train_rules": {"generations": 1, "evaluations": 30},
}
QUICK_RESAMPLE = 2

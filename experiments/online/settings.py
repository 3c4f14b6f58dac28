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
SPARE = Split("40 %", 0.0, 0.4, 0.5)  # for a log on which fewer than `LEAST_SPLITS` of these can be tried
LEAST_SPLITS = 4
LAST = Split("last 30 %", 0.0, 0.7, 1.0)
SPLITS = (*ROLLING, LAST, SPARE)

# The six logs of the papers as they were recorded, and CTC as the papers scale it. There trained policies are tried
# on the last part only, because their trainings cost most.
LOGS = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96", "NASA")
SCALED = {"CTC 1024": "CTC"}

# Scalings of other logs, on which guarded orders are tried that learnt from the log as it was recorded: what a policy
# does on a machine that it does not know. Not NASA, where nobody waits, nor LANL, which has as many processors.
LARGER = {"KTH 1024": "KTH", "SDSC00 1024": "SDSC00", "SDSC96 1024": "SDSC96"}

EASY = "easy"
GUARDED_ORDER = "guarded: 1, 2"
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
    GUARDED_ORDER,
    # the same without its guard, and without groups
    "guarded: 1, 2; overall: 100; each: 100",
    "log2(area) + wait / 43200; backfill: easy",
)


# What better estimates of run times are worth under each order of backfilling, on whole logs. EASY++ (Tsafrir, Etsion
# and Feitelson) is the order "sjf" with the estimates "recent".
ESTIMATED = (
    EASY,
    *(
        f"fcfs; backfill: {backfill}; backfill-order: {order}"
        for backfill in ("easy", "easy:8")
        for order in ("sjf", "saf", "lxf")
    ),
    "fcfs; backfill: easy:8",
    "fcfs; backfill: conservative",
    "sjf; backfill: easy",
    "wfp3; backfill: easy",
    "priority:1,2; backfill: easy",
)
ESTIMATES = ("requested", "recent", "predicted", "exact")


SEEDS = 5  # of every training, from 0


class Learner(NamedTuple):
    """A kind of policy that is trained, with its settings, for a wish of `WISHES`.

    The function is a public one of paretosched, or RANDOM: random genomes of the trained orders, of which the best on
    the training part is taken.
    """

    name: str
    function: str
    wish: str
    settings: dict[str, Any]


# Equal effort: 250 to 400 simulations of the whole training part. A third of the evaluations of orders are of all jobs,
# the others of an eighth; those of guarded orders are of all jobs, and of all again in five parts, and of all four
# times more where they are resampled, so that these are a third as many. A validated margin costs two thirds more.
RANDOM = "random orders"
GUARDED = "train_guarded"
GREEDY = {"backfill": "easy", "criterion": "f4", "strategy": "cma", "scale": "log", "generations": 3}
RULES = {"kind": "symbiotic", "generations": 3, "evaluations": 350}
CLASS = {"evaluations": 600}
GUARDS = {"evaluations": 150}
LEARNERS = (
    Learner("orders", "train_priority", "free", CLASS),
    Learner("orders, limits", "train_priority", "limits", CLASS),
    Learner("orders, limits, margin", "train_priority", "limits", CLASS | {"margin": "auto"}),
    Learner("guarded, limits", GUARDED, "limits", GUARDS),
    Learner("guarded, limits, margin", GUARDED, "limits", GUARDS | {"margin": "auto"}),
    Learner("guarded, limits, resampled", GUARDED, "limits", {"evaluations": 50, "resample": 4}),
    Learner("random orders, limits", RANDOM, "limits", {"evaluations": 250}),
    Learner("Greedy", "train", "free", GREEDY),
    Learner("Greedy, limits", "train", "limits", GREEDY),
    Learner("Greedy, limits, margin", "train", "limits", GREEDY | {"margin": "auto"}),
    Learner("rules", "train_rules", "free", RULES),
    Learner("rules, limits", "train_rules", "limits", RULES),
)

# A quick run: a made-up log of weeks, a few policies, one seed, two generations.
QUICK_LOGS = ("CTC",)
QUICK_LARGER = {"larger": "CTC"}
QUICK = {"jobs": 300, "processors": 32, "seed": 171}
QUICK_SLOWER = {"submit": 200, "run": 300, "estimate": 300}  # times, so that so few jobs last for months
QUICK_POLICIES = (EASY, "conservative", "fcfs")
QUICK_ESTIMATED = (EASY, "fcfs; backfill: easy; backfill-order: sjf")
QUICK_SPLITS = (ROLLING[1], ROLLING[2], LAST)
QUICK_LEARNERS = ("guarded, limits", "random orders, limits", "Greedy", "Greedy, limits, margin", "rules, limits")
QUICK_SETTINGS: dict[str, dict[str, Any]] = {
    "train_priority": {"evaluations": 40},
    RANDOM: {"evaluations": 20},
    GUARDED: {"evaluations": 5},
    "train": {"generations": 1, "criterion": "f2"},
    "train_rules": {"generations": 1, "evaluations": 30},
}

"""The measures, policies, searches, logs and budgets, as data."""

from __future__ import annotations

from collections.abc import Mapping

OBJECTIVES = "UTIL, mean slowdown, p95 wait"
MEASURES = ("mean wait", "p95 wait", "mean slowdown")
POLICIES = ("easy", "fcfs", "conservative", "sjf; backfill: easy", "saf; backfill: easy", "lxf; backfill: easy")
SEARCHES: Mapping[str, Mapping[str, str]] = {
    "archive": {},
    "random": {"algorithm": "random", "draw": "tied"},
    "nsga2": {"algorithm": "nsga2"},
}
SEARCHED = ("KTH", "lublin-256", "SDSC00")
LUBLIN = "rlscheduler-lublin-256.swf.gz"  # among the logs of PARETOSCHED_MODERN
EVALUATIONS, SEEDS = 2000, 10
UNTIL, TRAINING = 0.7, 1000
QUICK = {"jobs": 300, "processors": 64, "seed": 40}
QUICK_EVALUATIONS, QUICK_SEEDS, QUICK_TRAINING = 120, 2, 60

"""The trainings and comparisons, as data (paper 000, section IV, and more)."""

from __future__ import annotations

from typing import Any, NamedTuple

OBJECTIVE = "10*AWRT1 + 4*AWRT2"  # equation 8
GENERATIONS = 100  # section IV-C

# Table I. SDSC95 is not available. NASA is not among the paper's logs; it is used where a policy learns from one log
# alone.
LOGS = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96", "NASA")
OF_PAPER = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96")

RAISED = "LANL, requests raised"  # the same log as the machine ran it, see experiments/common.py
IN_ORDER = tuple(name for log in LOGS for name in ((log, RAISED) if log == "LANL" else (log,)))
OVER = ("sum", "ratio")  # of the objectives of several logs, or to EASY's: what a training on all of them makes small

# Limits of the training "easy"; a centre would run this one.
LIMITS = "AWRT <= EASY, others <= 1.25*EASY"
# The same with other limits, for the trade-off between the objective and the other groups.
TRADE_OFFS = {"strict": "AWRT <= EASY, others <= 1.1*EASY", "free": ""}

TEST_SHARE = 0.7
# Orders that need no training: the groups of the objective come first. The second one watches the limits.
UNTRAINED = {"easy": ("priority:1,2; backfill: easy", "guarded: 1, 2"), "none": ("priority:1,2; backfill: none",)}
# Whose policies are applied to every log, and what they are called.
APPLIED = {
    "none-f2": "trained on CTC, f2",
    "none": "trained on CTC, best",
    "all-sum": "trained on all, sum",
    "all-ratio": "trained on all, ratio",
    "easy": "trained on CTC, with EASY",
}
# The same training with LANL's requests raised; applied to LANL only, both ways.
ALL_RAISED = {
    "all-sum-raised": "trained on all, LANL raised, sum",
    "all-ratio-raised": "trained on all, LANL raised, ratio",
}

# The fronts of report CI-190/05 that the policies are set against: on CTC all of Table 4, on the others these.
OTHER_ROWS = ("workload-permutation", "queue-permutation", "weighting")
OTHER_EVALUATIONS = 4_000
# What is tried on them for the best within the limits: all orders of the groups, and so many weightings.
ORDERS, WEIGHTINGS = "queue-permutation", "weighting"
WEAK_EVALUATIONS = 1_000

QUICK_LOGS = ("CTC", "KTH", "LANL", "SDSC00")  # of a quick run, where policies learn from one log or are applied to all
QUICK = {"jobs": 300, "processors": 64, "seed": 171, "generations": 1, "evaluations": 40, "population": 10}


class Training(NamedTuple):
    """What is learnt how often; `settings` go to `paretosched.training`."""

    part: str
    name: str
    logs: tuple[str, ...]
    seeds: tuple[int, ...]
    settings: dict[str, Any]
    limits: str

    @property
    def file(self) -> str:
        """The name of the files of its policies, without the seed."""
        return self.name.replace(",", "").replace(" ", "-")


FIVE = (0, 1, 2, 3, 4)
NONE = {"backfill": "none", "generations": GENERATIONS}  # the paper's evolution strategy and its budget
# Beyond the paper: CMA-ES on a logarithmic scale, see the section about it in the summary, which is kept.
LEARNER = {"strategy": "cma", "scale": "log"}
EASY = {"backfill": "easy", "criterion": "f4", **LEARNER}
TRAININGS = (
    Training("none", "none", ("CTC",), FIVE, {**NONE, "criterion": "best"}, ""),
    Training("easy", "easy", ("CTC",), FIVE, {**EASY, "generations": 30}, LIMITS),
    *(
        Training("easy", f"easy-{name}", ("CTC",), (0,), {**EASY, "generations": 20}, limits)
        for name, limits in TRADE_OFFS.items()
    ),
    *(
        Training(
            f"all{end}",
            f"all-{over}{end}",
            logs,
            (0,),
            {**NONE, "criterion": "f2", "generations": 20, "over": over},
            "",
        )
        for end, logs in (("", OF_PAPER), ("-raised", tuple(RAISED if log == "LANL" else log for log in OF_PAPER)))
        for over in OVER
    ),
    *(
        Training(
            f"{part}{end}",
            f"{part}-{log}",
            (log,),
            FIVE,
            {**LEARNER, **settings, "generations": 12, "until": TEST_SHARE},
            limits,
        )
        for end, logs in (("", LOGS), ("-raised", (RAISED,)))
        for part, settings, limits in (
            ("rest-easy", {"backfill": "easy", "criterion": "f4"}, ""),
            ("rest-none", {"backfill": "none", "criterion": "f2"}, ""),
            ("rest-limits", {"backfill": "easy", "criterion": "f4"}, LIMITS),
        )
        for log in logs
    ),
)
PARTS = tuple(dict.fromkeys(training.part for training in TRAININGS))

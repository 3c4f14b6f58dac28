"""The trainings and comparisons, as data (paper 001, section 5, and choices that it leaves open)."""

from __future__ import annotations

from typing import Any, NamedTuple

OBJECTIVE = "10*AWRT1 + 4*AWRT2"  # section 5.2

# Table 1. SDSC95 is not available.
LOGS = ("CTC", "KTH", "LANL", "SDSC00", "SDSC96")
RAISED = "LANL, requests raised"  # the same log as the machine ran it, see experiments/common.py
ORDER = ("CTC", "KTH", "SDSC96", "SDSC00", "LANL")  # order of the trainings: the most important and the quickest first

# The thirteenth strategy, one for each log and all seeds of the rules: trained as in paper 000, by the criterion that
# is best there, and by the one that is best here. Those of CTC come from experiments/greedy, the same training.
GREEDY: dict[str, Any] = {"backfill": "none", "generations": 100, "seed": 0}
KNOWN_GREEDY = {("CTC", f): f"results/greedy/policies/none-{f}-0.json" for f in ("f2", "f3")}

SEEDS = (0, 1, 2)

# Strategies that nobody trains and that know the groups, as the rules do: beside the rules in figure 6.
BY_PRIORITY = ("fcfs by priority", "easy by priority", "conservative by priority")

UNSEEN = "iterative rules of CTC, EASY where unseen"  # EASY by wait in situations that CTC never had


class Training(NamedTuple):
    """What is learnt how often.

    `settings` go to `paretosched.train_rules`, `symbiosis` to its `Symbiosis`; `greedy` is the criterion of the
    thirteenth strategy.
    """

    part: str
    name: str
    seeds: tuple[int, ...]
    logs: tuple[str, ...]
    settings: dict[str, Any]
    symbiosis: dict[str, Any]
    greedy: str = "f2"


SYMBIOTIC, ITERATIVE = {"kind": "symbiotic"}, {"kind": "iterative"}
NUMBERS = (10, 25, 100)  # of rules
SHORT = SYMBIOTIC | {"evaluations": 713}
TRAININGS = (
    Training("symbiotic", "symbiotic", SEEDS, ORDER, SYMBIOTIC, {}),
    Training("iterative", "iterative", (0,), (*ORDER, RAISED), ITERATIVE, {}),  # it draws nothing
    Training("better", "better-greedy", (0,), ("CTC", "SDSC00"), SYMBIOTIC, {}, "f3"),
    Training("raised", "raised", SEEDS, (RAISED,), SYMBIOTIC, {}),
    # What the paper leaves open or contradicts itself in, on CTC: whether parents compete with their children, as it
    # announces, or not, as its algorithms have it; and how far recommendations move, whose levels span 10. All by
    # evolution alone, without the refinement that is ours, for the thirteen strategies and ten generations of 70.
    Training("choices", "evolution-only", (0,), ("CTC",), SHORT, {"patience": 0}),
    Training("choices", "parents-compete", (0,), ("CTC",), SHORT, {"patience": 0, "plus": True}),
    Training("choices", "wide-levels", (0,), ("CTC",), SHORT, {"patience": 0, "levels_step": 10.0}),
    Training("choices", "both", (0,), ("CTC",), SHORT, {"patience": 0, "plus": True, "levels_step": 10.0}),
    # How many rules a base has: 50 as in the paper, which tried others and shows no numbers of them.
    *(Training("numbers", f"{n}-rules", (0,), ("CTC",), SHORT, {"patience": 0, "rules": n}) for n in NUMBERS),
)
PARTS = tuple(dict.fromkeys(training.part for training in TRAININGS))


QUICK: dict[str, Any] = {
    "jobs": 200,
    "processors": 64,
    "seed": 171,
    "generations": 1,
    "evaluations": 40,
    "population": 10,
    "iterative": 26,
    "symbiotic": 25,
    "symbiosis": {"rules": 8, "participations": 2, "parents": 8, "children": 16, "recombined": 4},
}

"""What is trained and compared, as data (paper 001, section 5, and choices where it is silent)."""

from __future__ import annotations

from typing import Any, NamedTuple

OBJECTIVE = "10*AWRT1 + 4*AWRT2"  # section 5.2
PROCESSORS = 1024
SCALING_SEED = 0

# Table 1: names, files, and the factors that the numbers of jobs tell. SDSC95 is not at hand.
LOGS = {
    "CTC": ("CTC-SP2-1996-3.1-cln.swf.gz", 2.45),
    "KTH": ("KTH-SP2-1996-2.1-cln.swf.gz", 10.71),
    "LANL": ("LANL-CM5-1994-4.1-cln.swf.gz", 1.0),
    "SDSC00": ("SDSC-SP2-1998-4.2-cln.swf.gz", 8.21),
    "SDSC96": ("SDSC-Par-1996-3.1-cln.swf.gz", 2.48),
}
ORDER = ("CTC", "KTH", "SDSC96", "SDSC00", "LANL")  # of the trainings: the most telling and the quickest first

# The thirteenth strategy, one for each log, whatever the seed of the rules: as paper 000 trains it. That of CTC is
# the one of experiments/greedy, which is the same training.
GREEDY: dict[str, Any] = {"criterion": "f2", "backfill": "none", "generations": 100, "seed": 0}
KNOWN_GREEDY = {"CTC": "results/greedy/policies/none-f2-0.json"}

SEEDS = (0, 1, 2)


class Training(NamedTuple):
    """What is learnt how often; `settings` go to `paretosched.train_rules`, `symbiosis` to its `Symbiosis`."""

    part: str
    name: str
    seeds: tuple[int, ...]
    logs: tuple[str, ...]
    settings: dict[str, Any]
    symbiosis: dict[str, Any]


SYMBIOTIC, ITERATIVE = {"kind": "symbiotic"}, {"kind": "iterative"}
TRAININGS = (
    Training("symbiotic", "symbiotic", SEEDS, ORDER, SYMBIOTIC, {}),
    Training("iterative", "iterative", (0,), ORDER, ITERATIVE, {}),  # it draws nothing
    # What the paper leaves open or contradicts itself in, on CTC: whether parents compete with their children, as it
    # announces, or not, as its algorithms have it; and how far recommendations move, whose levels span 10.
    Training("choices", "parents-compete", (0,), ("CTC",), SYMBIOTIC, {"plus": True}),
    Training("choices", "wide-levels", (0,), ("CTC",), SYMBIOTIC, {"levels_step": 10.0}),
    Training("choices", "both", (0,), ("CTC",), SYMBIOTIC, {"plus": True, "levels_step": 10.0}),
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
    "symbiotic": 8,
    "symbiosis": {"rules": 8, "participations": 2, "parents": 8, "children": 16, "recombined": 4},
}

"""What `experiments/README.md` says of the time that experiments took."""

from __future__ import annotations

from collections.abc import Sequence

from experiments.claims import COST, Claim
from experiments.quoted import Results, in_words, of_calls, of_one_call, replays, table4, training_times

TIMES = ("wall_seconds", "kernel_seconds")
ON_THE_REST = ("rest-easy", "rest-none", "rest-limits")
TRAININGS = (
    "none",
    "easy",
    "strategies",
    "all",
    "all-raised",
    *ON_THE_REST,
    *(f"{part}-raised" for part in ON_THE_REST),
)
RULES = ("symbiotic", "iterative", "better", "choices", "raised")
CALLS: tuple[tuple[str, Sequence[int], str], ...] = (  # of `run.py`: their places among the sessions, and their parts
    ("ci190_05", [4], "`raised` |"),
    ("ci190_05", [6], "`workloads`; CTC's runs"),
    ("greedy", [7], "`positions`"),
    ("gfs", [17], "`applied` |"),
    ("gfs", [14], "`alone`, with the training of its Greedy |"),
    ("bounds", [0], "all parts |"),
)


def of_seed(results: Results, seed: str) -> list[float]:
    """Return the CPU time of the simulations of a seed of results/online, in s; those of guarded orders are apart."""
    rows = results.rows("online/trained", seed=seed)
    return [float(row["kernel_seconds"]) for row in rows if not row["policy"].startswith("guarded")]


def of_guards(results: Results) -> list[float]:
    """Return the CPU time of the simulations in the trainings of guarded orders of results/online, in s."""
    rows = results.rows("online/trained")
    return [float(row["kernel_seconds"]) for row in rows if row["policy"].startswith("guarded")]


COST_CLAIMS: tuple[Claim, ...] = (
    Claim(
        COST,
        "| ctc1024 | {:,.0f} | {:,.0f} | the exploration with EASY |",
        lambda r: (r.value("ctc1024/explorations", key, name="easy") for key in TIMES),
    ),
    Claim(COST, "| ci190_05 | {:,.0f} | {:,.0f} | Table 4 |", lambda r: table4(r, "final", *TIMES)),
    Claim(
        COST,
        "| greedy | {:,.0f} | {:,.0f} | all trainings |",
        lambda r: training_times(r, *(f"greedy/{part}" for part in TRAININGS)),
    ),
    Claim(
        COST,
        "| gfs | {:,.0f} | {:,.0f} | all trainings but",
        lambda r: training_times(r, *(f"gfs/{part}" for part in RULES)),
    ),
    Claim(
        COST,
        "| ci190_05 | {:,.0f} | {:,.0f} | Table 4 with {} more seeds |",
        lambda r: (
            *(sum(float(row[key]) for row in r.rows("ci190_05/seeds", row="final")) for key in TIMES),
            in_words(len(r.rows("ci190_05/seeds", row="final"))),
        ),
    ),
    *(
        Claim(
            COST,
            f"| {name} | {{:,.0f}} | {{:,.0f}} | {parts}",
            lambda r, name=name, calls=calls: of_calls(r, name, calls),
        )
        for name, calls, parts in CALLS
    ),
    *(
        Claim(COST, f"| {name} | {{:,.0f}} | {{:,.0f}} | all parts |", lambda r, name=name: of_one_call(r, name))
        for name in ("pgga", "groupopt")
    ),
    Claim(COST, "| slurm | {:,.0f} | not written down | {:.0f} replays, added up", replays),
    Claim(
        COST,
        "| online | {:,.0f} | {:,.0f} | the {} trainings of the second seed, in two calls |",
        lambda r: (*of_calls(r, "online", [4, 5]), len(of_seed(r, "1"))),
    ),
    Claim(
        COST,
        "| online | not written down | {:,.0f} | the simulations of the {} of the first seed, in several sessions; "
        "those of the second took {:,.0f} |",
        lambda r: (sum(of_seed(r, "0")), len(of_seed(r, "0")), sum(of_seed(r, "1"))),
    ),
    Claim(
        COST,
        "| online | not written down | {:,.0f} | the simulations of the {:,.0f} trainings of guarded orders, in "
        "several sessions |",
        lambda r: (sum(of_guards(r)), len(of_guards(r))),
    ),
    Claim(
        COST,
        "| reliability | {:,.0f} | not written down | all attacks; {} cores have {:,.0f} CPU s in that time |",
        lambda r: (
            (about := r.provenance("reliability"))["seconds"],
            in_words(about["cores"]),
            about["seconds"] * about["cores"],
        ),
    ),
)

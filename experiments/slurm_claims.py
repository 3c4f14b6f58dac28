"""What docs/slurm.md says of why Slurm starts jobs as it does, of ages and of fair share: numbers of results/slurm."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from experiments.claims import REPLAYED, SLURM, Claim, measurement
from experiments.quoted import (
    Results,
    Row,
    in_order,
    kept_by,
    larger,
    mean_and_spread,
    rows_of_models,
)

EASY, BOTH = "processors", "nodes each minute"
AGED, FAIR = "multifactor", "fairshare"


def windows_of(results: Results, system: str) -> int:
    """Return how many windows were replayed with a system."""
    return sum(len(larger(results, system, "slurm.conf", log)) for log in REPLAYED)


def recorded_nodes(results: Results) -> list[Row]:
    """Return the rows of replays that recorded nodes."""
    return [row for row in rows_of_models(results, FAIR) if row["main_starts"]]


def together(rows: Sequence[Row]) -> float:
    """Return the pairs in order of all windows together, per cent."""
    pairs, turned = (sum(int(row[key]) for row in rows) for key in ("pairs", "pairs_turned"))
    return 100 * (1 - turned / pairs)


SLURM_CLAIMS: tuple[Claim, ...] = (
    measurement(
        SLURM,
        "over 1,000 jobs it took {:g} to {:g} s, and over 9,990 {:g} to {:g} s",
        "quiet first pass",
        "quiet first pass of 10000",
    ),
    Claim(
        SLURM,
        "{:.0f} % of the pairs start in the order of Slurm, where EASY's backfilling has {:.0f} %",
        lambda r: [mean(kept_by(rows_of_models(r, "stock again"), model)) for model in (BOTH, EASY)],
    ),
    Claim(
        SLURM,
        "fair share {:.0f} and {:.0f} % of the pairs started in its order, and the objective is {:.1f} and {:+.1f} % "
        "larger",
        lambda r: (
            *in_order(r, FAIR, "slurm.conf", *REPLAYED),
            *mean_and_spread(r, FAIR, "slurm.conf", *REPLAYED)[:2],
        ),
    ),
    Claim(
        SLURM,
        "On a real slurmctld, {:,} of {:,} jobs that started in main passes had the nodes that this rule gives them "
        "({} replays)",
        lambda r: (
            sum(int(row["main_starts_on_its_nodes"]) for row in recorded_nodes(r)),
            sum(int(row["main_starts"]) for row in recorded_nodes(r)),
            len(recorded_nodes(r)),
        ),
    ),
)

"""What docs/slurm.md says of why Slurm starts jobs as it does, of ages and of fair share: numbers of results/slurm."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean

from experiments.claims import REPLAYED, SLURM, Claim
from experiments.quoted import (
    Results,
    Row,
    asked_priorities,
    in_order,
    kept_by,
    larger,
    mean_and_spread,
    model_gain_off,
    off_by,
    rows_of_models,
)

EASY, PASSES, NODES, BOTH = "processors", "processors each minute", "nodes", "nodes each minute"
ITS = "nodes as recorded"
AGED, FAIR = "multifactor", "fairshare"
MENDED_ON = (("KTH", "0"), ("KTH", "1"), ("CTC", "0"))  # as in experiments/slurm/settings.py


def windows_of(results: Results, system: str) -> int:
    """Return how many windows were replayed with a system."""
    return sum(len(larger(results, system, "slurm.conf", log)) for log in REPLAYED)


def kept_of_log(results: Results, system: str) -> list[float]:
    """Return the pairs that started in the order of the model by processors, the mean of each log."""
    rows = rows_of_models(results, system)
    return [mean(kept_by([row for row in rows if row["log"] == log], EASY)) for log in REPLAYED]


def recorded_nodes(results: Results) -> list[Row]:
    """Return the rows of replays that recorded nodes."""
    return [row for row in rows_of_models(results, FAIR) if row["main_starts"]]


def of_windows(results: Results, *window: str) -> list[Row]:
    """Return the rows of a window, by its log and number, with fair shares and slurm.conf; of all without one."""
    rows = results.rows("slurm/windows", system=FAIR, twin="slurm.conf")
    return [row for row in rows if not window or (row["log"], row["window"]) == window]


def others_in_order(results: Results) -> list[float]:
    """Return the pairs in order of the windows on which the model was not mended, per cent."""
    rows = [row for row in of_windows(results) if (row["log"], row["window"]) not in MENDED_ON]
    return [100 * (1 - int(row["pairs_turned"]) / int(row["pairs"])) for row in rows]


def together(rows: Sequence[Row]) -> float:
    """Return the pairs in order of all windows together, per cent."""
    pairs, turned = (sum(int(row[key]) for row in rows) for key in ("pairs", "pairs_turned"))
    return 100 * (1 - turned / pairs)


SLURM_CLAIMS: tuple[Claim, ...] = (
    Claim(
        SLURM,
        "Over the {} replays of stock Slurm and of the policy, the objective on Slurm is {:.1f} % from that of the "
        "simulations with EASY's backfilling, {:.1f} % from them with passes once a minute, {:.1f} % with nodes, and "
        "{:.1f} % with both (medians)",
        lambda r: (
            len(rows_of_models(r, "stock", "deployed")),
            *(off_by(rows_of_models(r, "stock", "deployed"), model) for model in (EASY, PASSES, NODES, BOTH)),
        ),
    ),
    Claim(
        SLURM,
        "in the order of submission, {:.0f} % started as with EASY's backfilling, {:.0f} % with passes, {:.0f} % with "
        "nodes and {:.0f} % with both ({} replays that were done again for this)",
        lambda r: (
            *(mean(kept_by(rows_of_models(r, "stock again"), model)) for model in (EASY, PASSES, NODES, BOTH)),
            len(rows_of_models(r, "stock again")),
        ),
    ),
    Claim(
        SLURM,
        "off by a median of {:.1f} points (KTH) and {:.1f} (CTC), with both by {:.1f} and {:.1f}",
        lambda r: [model_gain_off(r, model, log) for model in (EASY, BOTH) for log in REPLAYED],
    ),
    Claim(
        SLURM,
        "with weights of age and size in {} windows, and of fair share as well in {}, {:.1f} % of {:,} pairs of "
        "waiting jobs have the order of the model",
        lambda r: (
            windows_of(r, AGED),
            windows_of(r, FAIR),
            100 * asked_priorities(r, AGED, FAIR)[0] / asked_priorities(r, AGED, FAIR)[1],
            asked_priorities(r, AGED, FAIR)[1],
        ),
    ),
    Claim(
        SLURM,
        "In the windows with age and size {:.0f} % (KTH) and {:.0f} % (CTC) of the pairs started in its order, and "
        "{:.0f} and {:.0f} % where processors are reserved and not nodes",
        lambda r: (*in_order(r, AGED, "slurm.conf", *REPLAYED), *kept_of_log(r, AGED)),
    ),
    Claim(
        SLURM,
        "the objective is {:.1f} and {:+.1f} % larger in the mean. With fair share {:.0f} and {:.0f} % started in its "
        "order (by processors {:.0f} and {:.0f} %), and the objective is {:.1f} and {:+.1f} % larger",
        lambda r: (
            *mean_and_spread(r, AGED, "slurm.conf", *REPLAYED)[:2],
            *in_order(r, FAIR, "slurm.conf", *REPLAYED),
            *kept_of_log(r, FAIR),
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
    Claim(
        SLURM,
        "in the {} others {:.1f} % of the pairs are in order. Of the {} single windows {} reach the goal of the pairs, "
        "and {} that of the objective. The first one of KTH has {:.0f} %",
        lambda r: (
            len(others_in_order(r)),
            mean(others_in_order(r)),
            len(of_windows(r)),
            sum(1 - int(row["pairs_turned"]) / int(row["pairs"]) >= 0.95 for row in of_windows(r)),
            sum(abs(float(row["objective"]) / float(row["simulated_objective"]) - 1) <= 0.03 for row in of_windows(r)),
            100 * mean(1 - int(row["pairs_turned"]) / int(row["pairs"]) for row in of_windows(r, "KTH", "0")),
        ),
    ),
    Claim(
        SLURM,
        "of all pairs of KTH together, {:.1f} % are in order, of CTC's {:.1f} %",
        lambda r: [together([row for row in of_windows(r) if row["log"] == log]) for log in REPLAYED],
    ),
    Claim(
        SLURM,
        "with the seconds in which this slurmctld backfilled and calculated, it has {:.0f} %",
        lambda r: kept_by([row for row in recorded_nodes(r) if (row["log"], row["window"]) == ("KTH", "0")], ITS),
    ),
)

"""Policies that were trained within limits on the first part of a log: what holds on the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median

import settings

from paretosched.core.tables import markdown

Row = Mapping[str, str]
GROUPS = ("AWRT1", "AWRT2", "AWRT3", "AWRT4", "AWRT5")


def best_of(rows: Iterable[Row], training: str, part: str = "workloads") -> list[Row]:
    """Return the rows of the best systems of a training, one for each seed and workload."""
    return [r for r in rows if r["training"] == training and r["best"] == "True" and r["part"] == part]


def loss(row: Row) -> float:
    """Return the gain of the group that gains least, or loses most, in per cent."""
    return min(float(row[f"{name}_vs_easy"]) for name in GROUPS if row[f"{name}_vs_easy"])


def spread(gains: Sequence[float]) -> list[str]:
    """Return median, lowest and highest gain as text."""
    return [f"{x:+.2f} %" for x in (median(gains), min(gains), max(gains))]


def kept_on_the_rest(rows: Sequence[Row]) -> list[bool]:
    """Return for each training and seed whether the limits hold on the rest."""
    trainings = dict.fromkeys(row["training"] for row in rows)
    return [float(row["exceeded"]) == 0 for training in trainings for row in best_of(rows, training, "rest")]


def section(how: str, rows: Sequence[Row]) -> list[str]:
    """Return the section about policies that were trained within limits on the first part: what holds on the rest."""
    lines = []
    kept_by, broken, beyond = kept_on_the_rest(rows), [], []
    for training in dict.fromkeys(row["training"] for row in rows):
        before, after = best_of(rows, training), best_of(rows, training, "rest")
        log = training.rsplit("-", 1)[1]
        kept = [float(row["exceeded"]) == 0 for row in after]
        beyond += [f"{log} ({100 * float(row['exceeded']):.1f} %)" for row in before if float(row["exceeded"]) > 0]
        slower = min(float(row["AWRT_vs_easy"]) for row in after)
        if not all(kept):
            broken.append(f"{log} (AWRT down to {slower:+.1f} %, a group to {min(map(loss, after)):+.0f} %)")
        margins = [float(row["margin"]) for row in after if "margin" in row]
        lines.append(
            [
                log,
                *spread([float(row["vs_easy"]) for row in before]),
                *spread([float(row["vs_easy"]) for row in after]),
                f"{sum(kept)} of {len(kept)}",
                f"{slower:+.1f} %",
                f"{min(map(loss, after)):+.0f} %",
                *([f"{min(margins):g} to {max(margins):g} %"] if margins else []),
            ]
        )
    heads = ["log", "learnt: median", "lowest", "highest", "rest: median", "lowest", "highest", "limits kept there"]
    heads += ["AWRT there: lowest", "worst group there: lowest"]
    return [
        f"## Out of sample, trained {how}, with EASY backfilling",
        "",
        *markdown([*heads, "distance"] if len(lines[0]) > len(heads) else heads, lines, left=1),
        "",
        f"Trained on the first 70 % of the time, measured on the last 30 %, with the limits {settings.LIMITS}, of EASY "
        "on the same jobs; "
        + (
            "the distance is chosen within the first 70 %. "
            if len(lines[0]) > len(heads)
            else "in the training no distance to them is kept. "
        )
        + f"The limits hold on the rest in {sum(kept_by)} of {len(kept_by)} trainings"
        + (f"; not always on {', '.join(broken)}." if broken else ".")
        + (
            f" In {len(beyond)} of {len(kept_by)} no policy within them was found even on the part learnt from; "
            f"exceeded there: {', '.join(beyond)}."
            if beyond
            else ""
        ),
        "",
    ]

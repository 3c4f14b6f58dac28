"""What each row of Table 4 contributed to the final front: in the owner's box, and in that of all schedules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import paretosched as ps
from paretosched.core.arrays import Floats
from paretosched.core.tables import markdown
from paretosched.fronts.quality_indicators import REACH, box_of, to_box


def easy_of(workload: ps.Workload) -> Floats:
    """Return what EASY reaches, of which the owner's box is made."""
    return np.asarray(ps.objectives(ps.simulate(workload, "easy")))


def measures(final: ps.Front, fronts: Mapping[str, ps.Front], workload: ps.Workload) -> dict[str, dict[str, Any]]:
    """Return the measures of fronts by their names, in the owner's box of the final front, and the whole box's volume.

    The keys are those of `quality_indicators.indicators`; "inside", the rows of the front in the owner's box;
    "whole_hypervolume", and "hypervolume_error" of it.
    """
    easy = easy_of(workload)
    box = box_of(final, easy)
    owner, whole = ps.indicators(final, list(fronts.values()), easy), ps.indicators(final, list(fronts.values()))
    by_name = {}
    for name, own, of_all in zip(fronts, owner["inputs"], whole["inputs"], strict=True):
        places = to_box(fronts[name].values, final.objectives, box)
        by_name[name] = {
            **own,
            "inside": int((places < box.edge).all(axis=1).sum()),
            "whole_hypervolume": of_all["hypervolume"],
            "hypervolume_error": whole["hypervolume_error"],
        }
    return by_name


def section(rows: Sequence[Mapping[str, str]]) -> list[str]:
    """Return the section about contributions."""
    error = float(rows[0]["hypervolume_error"])
    lines = [
        [
            row["row"],
            f"{int(row['front']):,}",
            f"{int(row['in_final']):,}",
            f"{int(row['only']):,}" if row["only"] else "",
            row["best_in"],
            f"{int(row['inside']):,}",
            f"{float(row['hypervolume']):.4f}",
            f"{float(row['gain']):.4f}" if row["gain"] else "",
            *(
                f"{float(row[key]):.{digits}f}" if row[key] else "-"
                for key, digits in (("igd_plus", 4), ("epsilon", 3))
            ),
            f"{float(row['whole_hypervolume']):.4f}",
        ]
        for row in rows
    ]
    heads = ["row", "its front", "in the final", "only there", "alone best in", "in the box", "hypervolume"]
    none = [row["row"] for row in rows if not int(row["inside"])]
    return [
        "## What contributed what",
        "",
        *markdown([*heads, "lost without", "IGD+", "epsilon", "whole box"], lines, left=1),
        "",
        f"The box is the owner's: from the best of the final front to {REACH:g} times EASY's response time in every "
        "group. In it hypervolume, and what the final front would lose without the row; IGD+ and additive epsilon: "
        "distance from the final front there."
        + (f" No schedule of {', '.join(none)} is in it." if none else "")
        + " The whole box reaches to 1.1 times the worst of the final front, where a group may wait for a year; its "
        f"hypervolume has a relative error of {100 * error:.3f} %. AWRT takes no part: it follows from those of the "
        "groups.",
        "",
        "![figure 16](figures/figure16.png)",
        "",
    ]

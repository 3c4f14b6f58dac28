"""What one system gains over another: the measures, the pairs, and the claims of paper 004 about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

Row = Mapping[str, str]

OWN = ", own jobs only"
MEASURES = {
    "slowdown of medium jobs": ("medium", "slowdown_rounded_up"),
    "slowdown of long jobs": ("long", "slowdown_rounded_up"),
    "response": ("all", "response_s"),
    "wait": ("all", "wait_s"),
}
# What is compared with what: gains of the first over the second.
PAIRS = {
    "Opt-TSL over TSL": ("Opt-TSL", "TSL"),
    "dynamic backfilling": ("Opt-TSL", "Opt-TSL, not dynamic"),
    "second level": ("Opt-TSL", "Opt-TSL, first level"),
    f"Opt-TSL over TSL{OWN}": (f"Opt-TSL{OWN}", f"TSL{OWN}"),
    "Opt-TSL over the bottom line": ("Opt-TSL", "bottom line"),
}


class Gain(NamedTuple):
    """What the paper claims, and what the workloads of the spread show, per cent less than the other."""

    measure: str
    pair: str
    claimed: float
    found: list[float]

    @property
    def verdict(self) -> str:
        """Return what becomes of the claim: its size, its sign in three of four workloads, or neither."""
        better = sum(gain > 0 for gain in self.found)
        if median(self.found) > 0 and better >= 0.75 * len(self.found):
            return "holds" if median(self.found) >= self.claimed else "smaller"
        if median(self.found) < 0 and better <= 0.25 * len(self.found):
            return "the contrary"
        return "not seen"


def of(found: Sequence[Row], system: str, kind: str, measure: str, part: str, size: str = "all") -> dict[str, float]:
    """Pick a measure of a system on every workload of a part."""
    return {
        row["workload"]: float(row[measure] or "nan")
        for row in found
        if (row["part"], row["system"], row["kind"], row["size"]) == (part, system, kind, size)
    }


def compared(found: Sequence[Row], measure: str, pair: str, part: str) -> list[float]:
    """Return the gains of a pair, per cent, a workload each."""
    kind, column = MEASURES[measure]
    one, other = (of(found, system, kind, column, part) for system in PAIRS[pair])
    gains = [100 * (1 - one[name] / other[name]) for name in one if other[name] > 0]
    return [gain for gain in gains if math.isfinite(gain)]


def claims(paper: Sequence[Row], found: Sequence[Row]) -> list[Gain]:
    """Set every claim beside the gains."""
    return [
        Gain(row["workload"], row["quantity"], float(row["value"]), gains)
        for row in paper
        if row["item"] == "claim" and (gains := compared(found, row["workload"], row["quantity"], "spread"))
    ]

"""Gains of one system over another: the measures, the pairs, and the claims of paper 004 about them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from statistics import median
from typing import NamedTuple

Row = Mapping[str, str]

OWN = ", own jobs only"
FIRST_START = "wait until the first start"
MEASURES = {
    "slowdown of medium jobs": ("medium", "slowdown_rounded_up"),
    "slowdown of long jobs": ("long", "slowdown_rounded_up"),
    "response": ("all", "response_s"),
    "wait": ("all", "wait_in_all_s"),  # paper 004, section 1: with the time in which a job is preempted
    FIRST_START: ("all", "wait_s"),
}
# Pairs of systems: gains of the first over the second.
PAIRS = {
    "Opt-TSL over TSL": ("Opt-TSL", "TSL"),
    "dynamic backfilling": ("Opt-TSL", "Opt-TSL, not dynamic"),
    "second level": ("Opt-TSL", "Opt-TSL, first level"),
    f"Opt-TSL over TSL{OWN}": (f"Opt-TSL{OWN}", f"TSL{OWN}"),
    "Opt-TSL over the bottom line": ("Opt-TSL", "bottom line"),
}
# The same in words that need no paper.
IN_WORDS = {
    "Opt-TSL over TSL": "against time sharing without groups",
    "dynamic backfilling": "by dynamic backfilling",
    "second level": "by the second level of the search",
    f"Opt-TSL over TSL{OWN}": "where a slice has jobs of its own class only",
    "Opt-TSL over the bottom line": "against our approximation of the bottom line",
}


class Gain(NamedTuple):
    """A claim of the paper, and the gains on the workloads of the spread: per cent less than the other system."""

    measure: str
    pair: str
    claim: float
    gains: list[float]

    @property
    def verdict(self) -> str:
        """The verdict: the gain is as large as claimed, has its sign in three of four workloads, or neither."""
        better = sum(gain > 0 for gain in self.gains)
        if median(self.gains) > 0 and better >= 0.75 * len(self.gains):
            return "holds" if median(self.gains) >= self.claim else "smaller"
        if median(self.gains) < 0 and better <= 0.25 * len(self.gains):
            return "the contrary"
        return "not seen"


def measure_of(
    rows: Sequence[Row], system: str, kind: str, measure: str, part: str, size: str = "all"
) -> dict[str, float]:
    """Return a measure of a system on every workload of a part."""
    return {
        row["workload"]: float(row[measure] or "nan")
        for row in rows
        if (row["part"], row["system"], row["kind"], row["size"]) == (part, system, kind, size)
    }


def pair_gains(rows: Sequence[Row], measure: str, pair: str, part: str) -> list[float]:
    """Return the gains of a pair, per cent, one for each workload."""
    kind, column = MEASURES[measure]
    first, second = (measure_of(rows, system, kind, column, part) for system in PAIRS[pair])
    gains = [100 * (1 - first[name] / second[name]) for name in first if second[name] > 0]
    return [gain for gain in gains if math.isfinite(gain)]


def claims(paper: Sequence[Row], rows: Sequence[Row]) -> list[Gain]:
    """Return every claim of the paper once, in its own definition of the measure, with the gains."""
    return [
        Gain(row["workload"], row["quantity"], float(row["value"]), gains)
        for row in paper
        if row["item"] == "claim" and (gains := pair_gains(rows, row["workload"], row["quantity"], "spread"))
    ]


def in_other_waits(gains: Sequence[Gain], rows: Sequence[Row]) -> list[Gain]:
    """Return the claims about waits with the gains in the time until the first start, which the paper does not mean."""
    return [
        gain._replace(measure=FIRST_START, gains=pair_gains(rows, FIRST_START, gain.pair, "spread"))
        for gain in gains
        if gain.measure == "wait"
    ]


def printed_numbers(paper: Sequence[Row]) -> int:
    """Return with how many numbers the paper states its claims: one may be for two measures of a pair."""
    return len({(row["quantity"], row["value"], row["source"]) for row in paper if row["item"] == "claim"})

"""The three situations of the papers (weekend, day, night), and a table of them over time."""

from __future__ import annotations

from typing import NamedTuple

from .arrays import Ints

WEEKEND, DAY, NIGHT = 0, 1, 2
SITUATIONS = ("weekend", "day", "night")


class Calendar(NamedTuple):
    """The situations of a log: `kind[i]` holds for begin[i] <= t < begin[i + 1].

    Attributes
    ----------
    begin
        (k,) int64, seconds of the log, ascending; begin[0] <= 0. The last situation has no end.
    kind
        (k,) int64, 0 weekend, 1 day, 2 night.
    """

    begin: Ints
    kind: Ints

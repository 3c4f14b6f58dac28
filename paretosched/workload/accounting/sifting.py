"""Which job lives can be simulated: the rules that all kinds of accounting share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints, Mask
from ...core.errors import InputError, in_quotes
from ..workload import WIDEST
from .lives import ASKED, LIFE, NAME_RULE, UNKNOWN, Block, Numberings
from .tally import Tally

OTHER_PARTITION = "of another partition than the one that is imported"
NEVER_RAN = "never ran: cancelled before its start, or no run time"
NO_WIDTH = "uses none of what is counted as its width"
NO_SUBMISSION = "submission unknown"
EARLY_START = "started before its submission: submission moved to the start"
MOST_OF_PARTS = {"width": WIDEST, "memory": 2**53, "nodes": WIDEST, "gpus": WIDEST}  # of a job together
ODD_CONSTRAINT = "a constraint that is too long, or cannot be printed: left out"
MOST_REPEATED = 0.9  # of lives that are listed before
LATE_ELIGIBLE = "eligible after its start: the start taken for it"


class Sifted(NamedTuple):
    """The lives that remain of a block.

    Attributes
    ----------
    lives
        (k,) of type LIFE.
    part_of
        (k,) the heterogeneous job whose component each one is; 0 for all others.
    """

    lives: NDArray[Any]
    part_of: Ints


def sift(block: Block, partition: str | None, numberings: Numberings, tally: Tally, place: str) -> Sifted:
    """Return the lives of a block that can be simulated; count the others, and what is changed.

    Parameters
    ----------
    block
        What a parser returned.
    partition
        The only partition whose jobs remain; None for all.
    numberings
        Numbers of names; it learns those of the lives that remain.
    tally
        Counts.
    place
        The name of what is read, for messages.

    Raises
    ------
    InputError
        A name cannot be printed, or is too long.
    """
    for kind, numbering in numberings.kinds.items():
        numbering.meet(getattr(block, kind), f"{place}:{block.line.max(initial=1)}")
    work = block.run.astype(np.float64) * block.width
    valid = np.ones(block.line.size, dtype=np.bool_)

    def drop(reason: str, bad: Mask) -> None:
        rows = np.flatnonzero(valid & bad)
        tally.note("dropped", reason, block.line[rows], block.job[rows], work[rows])
        valid[rows] = False

    def change(reason: str, rows: Ints) -> None:
        tally.note("changed", reason, block.line[rows], block.job[rows], work[rows])

    if partition is not None:
        drop(OTHER_PARTITION, np.array([name != partition for name in block.partition], dtype=np.bool_))
    drop(NEVER_RAN, block.run <= 0)
    drop(NO_WIDTH, block.width <= 0)
    drop(NO_SUBMISSION, block.submit < 0)
    submit, start = block.submit, block.start
    early = valid & (start != UNKNOWN) & (start < submit)
    change(EARLY_START, np.flatnonzero(early))
    submit = np.where(early, start, submit)
    eligible = np.maximum(block.eligible, submit)
    late = valid & (start != UNKNOWN) & (eligible > start)
    change(LATE_ELIGIBLE, np.flatnonzero(late))
    eligible = np.where(late, start, eligible)

    rows = np.flatnonzero(valid)
    lives = np.empty(rows.size, dtype=LIFE)
    columns = {"submit": submit, "start": start, "eligible": eligible} | {
        key: getattr(block, key) for key in ("job", "line", "run", "limit", "width", "status", "mark", *ASKED)
    }
    for key, column in columns.items():
        lives[key] = column[rows]
    for kind, numbering in numberings.kinds.items():
        names = _rows_of(getattr(block, kind), rows)
        codes = numbering.known_codes(names)
        if codes is not None:
            lives[kind] = codes
            continue
        unfit = [*numbering.unfit(names)]
        if unfit and kind == "constraint":  # no name, but what a user wrote
            change(ODD_CONSTRAINT, rows[unfit])
            odd = {*unfit}
            names = ["" if index in odd else name for index, name in enumerate(names)]
        elif unfit:
            line = block.line[rows[unfit[0]]]
            raise InputError(f"{place}:{line}: {NAME_RULE}, but is {in_quotes(names[unfit[0]])}")
        lives[kind] = numbering.codes(names)
    return Sifted(lives, block.part_of[rows])


def sums_of_parts(lives: NDArray[Any], key: str, first: Ints, place: str) -> Ints:
    """Return what the components of each job have together, (j,); unknown if it is of all.

    Parameters
    ----------
    lives
        (k,) of type LIFE, the components of each job one after the other.
    key
        One of MOST_OF_PARTS.
    first
        (j,) where the components of each job begin.
    place
        The name of what is read, for messages.

    Raises
    ------
    InputError
        It is more than any machine has; 64 bits need not have it.
    """
    sums = np.add.reduceat(np.maximum(lives[key], 0).astype(np.float64), first)
    if sums.max() > MOST_OF_PARTS[key]:
        line, rule = lives["line"][first[sums.argmax()]], f"must have a {key} of at most {MOST_OF_PARTS[key]:,}"
        raise InputError(f"{place}:{line}: a job {rule}, but its components have {sums.max():,.0f} together")
    unknown = np.maximum.reduceat(lives[key], first) < 0
    return np.where(unknown, UNKNOWN, sums).astype(np.int64)


def _rows_of(names: Sequence[str], rows: Ints) -> Sequence[str]:
    """Return some of the names."""
    return names if rows.size == len(names) else [names[row] for row in rows.tolist()]


def repeats(*columns: Ints) -> Mask:
    """Return which lives, (n,), are there before with the same numbers in all columns, (n,) each."""
    order = np.lexsort(columns[::-1])
    same = np.ones(max(order.size - 1, 0), dtype=np.bool_)
    for column in columns:
        of_order = column[order]
        same &= of_order[1:] == of_order[:-1]
    again = np.zeros(order.size, dtype=np.bool_)
    again[order[1:][same]] = True  # lexsort is stable: the first one stays
    return again


def refuse_repeats(place: str, *columns: Ints) -> None:
    """Refuse lives of which hardly one is new: all of them would be read for a few jobs."""
    again = np.count_nonzero(repeats(*columns))
    if again > MOST_REPEATED * len(columns[0]):
        raise InputError(
            f"{place}: at least {1 - MOST_REPEATED:.0%} of the jobs must be listed for the first time, but {again:,} "
            f"of the first {len(columns[0]):,} are listed before; sort -u {place} leaves out equal lines"
        )

"""The file `accounting` of Grid Engine: fields between colons, one line for each job, task or parallel part.

Its fields are those of sge_accounting(5): 43 in version 6.0, 45 in 6.2, and more behind them in Son of Grid Engine and
Univa's. Names and requests of jobs may have colons themselves; then the numbers between them say which field is which.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Sequence
from itertools import islice

import numpy as np

from ...core.errors import in_quotes
from ..calendar import LATEST
from .fields import seconds
from .lives import (
    CANCELLED,
    COMPLETED,
    FAILED,
    UNKNOWN,
    Block,
    Life,
    Numberings,
    block_of,
    mark_of,
    whole_numbers,
)
from .tally import Tally
from .text_lines import Lines, Watch, line_blocks

SIZES = (45, 44, 43)  # fields of a line that are known
MOST_COLONS = 30  # more than usual
MOST_READINGS = 200  # of a line, with numbers where the job and its times must be
PLACES = {
    "queue": 0, "group": 2, "user": 3, "job": 5, "account": 6, "submit": 8, "start": 9, "end": 10, "failed": 11,
    "exit": 12, "project": 31, "department": 32, "slots": 34, "task": 35, "category": 39, "part": 41,
}  # fmt: skip
GROUPS = ("account", "group", "project", "department")  # no name may stay in a log without names
NAME, ACCOUNT, CATEGORY = 4, 6, 39  # fields that may have colons
NUMBERS = (5, 7, 8, 9, 10, 12, 13, 34, 35, 36, 37, 38, 40, 42)  # fields that are numbers in every version
NUMBER = re.compile(r"-?\d{1,20}(\.\d*)?([eE][-+]?\d+)?", re.ASCII)
LIMIT = re.compile(r"\bh_rt=([\d:.]{1,20})", re.ASCII)
WHOLE = re.compile(r"\d{1,15}", re.ASCII)
MILLISECONDS = 10**11  # Unix times above are in milliseconds, as Univa writes them
PART = "a parallel part of a job, which has a line of its own"
QUEUED_AGAIN = {"24", "25"}  # failed: the job migrated, or was rescheduled
AGAIN_PLEASE = "99"  # the exit status with which a job asks to be queued again
MOST_OPEN = 1_000_000  # jobs that are remembered, since they ran and will run again


def read_sge(
    path: str, groups: str, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:
    """Yield the job lives in an accounting file of Grid Engine; "-" is the standard input.

    Parameters
    ----------
    path
        The file.
    groups
        The groups: "account", "user", "group", "project", "department" or "queue".
    numberings
        Learns the names of lines that are dropped here.
    tally
        Counts the parallel parts of jobs, which are dropped here.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, or is not of Grid Engine; the message names the line.
    """
    ended: dict[tuple[str, str], int] = {}  # by job and task: the end of the life after which it was queued again
    for lines in line_blocks(path, watch):
        lives, parts = [], []
        for index, text in enumerate(lines.texts):
            if text and not text.isspace() and text[0] != "#":
                values = _values(lines, index, text)
                where = f"{lines.place}:{lines.first + index}"
                numberings.user.meet([values["user"]], where)
                numberings.group.meet((values[name] for name in GROUPS), where)
                if values["part"] not in ("NONE", ""):
                    parts.append((lines.first + index, int(values["job"])))
                else:
                    lives.append(_life(lines, index, values, groups))
                    _note_lives(lives[-1], values, ended)
                    if len(ended) > MOST_OPEN:
                        raise lines.fault(index, f"more than {MOST_OPEN:,} jobs were queued again and have not ended")
        if parts:
            line, job = (whole_numbers(column) for column in zip(*parts, strict=True))
            tally.note("dropped", PART, line, job, np.zeros(line.size))
        if lives:
            yield block_of(lives)


def _values(lines: Lines, index: int, text: str) -> dict[str, str]:
    """Return the fields of a line by name."""
    cells = text.split(":")
    readings = islice(_readings(cells), MOST_READINGS)
    fields = next((fields for fields in readings if _fits(fields)), None)
    if fields is None:
        fact = f"a line must have the {SIZES[0]} fields of sge_accounting(5) between colons"
        odd = [place for place in NUMBERS if len(cells) in SIZES and not NUMBER.fullmatch(cells[place])]
        if len(odd) == 1:
            raise lines.fault(index, f"{fact}, but field {odd[0] + 1} is no number: {in_quotes(cells[odd[0]])}")
        raise lines.fault(index, f"{fact}, but this one has others: it begins {in_quotes(text)}")
    return {name: fields[place] for name, place in PLACES.items()}


def _readings(cells: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield what the fields of a line may be: only the known ones if that fits, else others behind them."""
    for size in SIZES:
        yield from _with_colons(cells, len(cells) - size)
    for colons in range(min(len(cells) - SIZES[0], MOST_COLONS + 1)):
        yield from _with_colons(cells[: SIZES[0] + colons], colons)


def _with_colons(cells: Sequence[str], colons: int) -> Iterator[Sequence[str]]:
    """Yield the fields of a line whose name, account and category have so many colons together.

    Only those with numbers where the job and its times must be: all others are far more.
    """
    for in_name in range(colons + 1 if 0 <= colons <= MOST_COLONS else 0):
        if not WHOLE.fullmatch(cells[PLACES["job"] + in_name]):
            continue
        for in_account in range(colons - in_name + 1):
            first, last = PLACES["submit"] + in_name + in_account, PLACES["end"] + in_name + in_account
            if not all(map(WHOLE.fullmatch, cells[first : last + 1])):
                continue
            fields = [*cells]
            more = ((NAME, in_name), (ACCOUNT, in_account), (CATEGORY, colons - in_name - in_account))
            for place, count in more:
                fields[place : place + count + 1] = [":".join(fields[place : place + count + 1])]
            yield fields


def _fits(fields: Sequence[str]) -> bool:
    """Return whether numbers are where they belong, and none is where a parallel part has its name."""
    return (
        WHOLE.fullmatch(fields[PLACES["slots"]]) is not None
        and all(NUMBER.fullmatch(fields[place]) for place in NUMBERS)
        and NUMBER.fullmatch(fields[PLACES["part"]]) is None
    )


def _life(lines: Lines, index: int, values: dict[str, str], groups: str) -> Life:
    """Return the life in a line; a job that never started has no times."""
    at = [int(values[name]) for name in ("submit", "start", "end")]
    submit, start, end = (moment // 1000 if moment > MILLISECONDS else moment for moment in at)
    latest = max(submit, start, end)
    if latest >= LATEST:
        raise lines.fault(index, f"a time is {latest}, but must be before the year 9000")
    limit = LIMIT.search(values["category"])
    sound = (values["failed"], values["exit"]) == ("0", "0")
    return Life(
        line=lines.first + index,
        job=int(values["job"]),
        submit=submit or UNKNOWN,
        start=start or UNKNOWN,
        run=max(end - start, 0) if start else 0,
        width=int(values["slots"]),
        limit=(seconds(limit.group(1)) or 0) if limit else 0,
        status=COMPLETED if sound else CANCELLED if _runs_again(values) else FAILED,
        mark=mark_of(lines.texts[index]),
        user=values["user"],
        group=values[groups],
        queue=values["queue"],
        partition=values["queue"],
    )


def _runs_again(values: dict[str, str]) -> bool:
    """Return whether a job was queued again after this life."""
    return values["failed"] in QUEUED_AGAIN or values["exit"] == AGAIN_PLEASE


def _note_lives(life: Life, values: dict[str, str], ended: dict[tuple[str, str], int]) -> None:
    """Let a later life of a job wait from the end of the one before, in place; the file has the first submission."""
    job = values["job"], values["task"]
    life.submit = max(life.submit, ended.pop(job, life.submit))
    if _runs_again(values) and life.start != UNKNOWN:
        ended[job] = life.start + life.run

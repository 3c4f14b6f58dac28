"""The file `accounting` of Grid Engine: fields between colons, one line for each job, task or parallel part.

Its fields are those of sge_accounting(5): 43 in version 6.0, 45 in 6.2, and more behind them in Son of Grid Engine and
Univa's. Names and requests of jobs may have colons themselves; then the numbers between them say which field is which.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from math import ceil

import numpy as np

from ...core.errors import in_quotes
from ..calendar import LATEST
from ..slurm_conf import KIB
from ..workload import WIDEST
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
PLACES = {
    "queue": 0, "group": 2, "user": 3, "job": 5, "account": 6, "submit": 8, "start": 9, "end": 10, "failed": 11,
    "exit": 12, "project": 31, "department": 32, "slots": 34, "task": 35, "category": 39, "part": 41,
}  # fmt: skip
GROUPS = ("account", "group", "project", "department")  # no name may stay in a log without names
NAME, ACCOUNT, CATEGORY = 4, 6, 39  # fields that may have colons
MIDDLE = (7, 8, 9, 10, 12, 13, 34, 35, 36, 37, 38)  # fields that are numbers in every version, before the category
TAIL = (40, 42, 43, 44)  # and behind it
WHOLES = tuple(PLACES[name] for name in ("submit", "start", "end", "slots"))
NUMBER = re.compile(r"-?\d{1,20}(\.\d*)?([eE][-+]?\d+)?", re.ASCII)
SOFT = re.compile(r"(?<!\S)-soft\s.*?(?=-hard\s|$)")  # what a job may be given, but does not need
REQUESTS = re.compile(r"(?<!\S)-l\s+(\S+)")
AMOUNT = re.compile(r"(\d{1,15}(?:\.\d{0,9})?)([kKmMgGtT]?)", re.ASCII)
UNITS = {"": 1, "k": 10**3, "K": 2**10, "m": 10**6, "M": 2**20, "g": 10**9, "G": 2**30, "t": 10**12, "T": 2**40}
MEMORY = ("h_vmem", "s_vmem", "mem_free", "virtual_free", "m_mem_free")  # bytes a slot; the largest one counts
GPUS = ("gpu", "gpus", "ngpus", "ngpu")
EXCLUSIVE = ("exclusive", "excl")
YES = ("true", "1")
NO_PLACES = ("q", "qname", "INFINITY", "infinity", "false")  # words that say nothing of what a node must have
GPUS_OF_JOB = "GPUs and several slots: the GPUs taken for all slots together"
NAME_OF_PART = re.compile(rf"(?!{NUMBER.pattern}$)[^\s,=]*", re.ASCII)  # as 1.n2; requests would have signs
WHOLE = re.compile(r"\d{1,15}", re.ASCII)
MILLISECONDS = 10**11  # Unix times above are in milliseconds, as Univa writes them
FRACTIONS = "fractions of a second: times rounded down"
PART = "a parallel part of a job, which has a line of its own"
QUEUED_AGAIN = {"24", "25"}  # failed: the job migrated, or was rescheduled
AGAIN_PLEASE = "99"  # the exit status with which a job asks to be queued again
MOST_OPEN = 1_000_000  # jobs that are remembered, since they ran and will run again


def read_sge(
    path: str, width: str, groups: str, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:  # fmt: skip
    """Yield the job lives in an accounting file of Grid Engine; "-" is the standard input.

    Parameters
    ----------
    path
        The file.
    width
        "cpus", which are slots, or "gpus".
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
        lives, parts, with_fractions = [], [], []
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
                    with_fractions.append(any(moment > MILLISECONDS and moment % 1000 for moment in _times(values)))
                    _note_lives(lives[-1], values, ended)
                    if len(ended) > MOST_OPEN:
                        raise lines.fault(index, f"more than {MOST_OPEN:,} jobs were queued again and have not ended")
        if parts:
            line, job = (whole_numbers(column) for column in zip(*parts, strict=True))
            tally.note("dropped", PART, line, job, np.zeros(line.size))
        if lives:
            block = block_of(lives)
            shared = np.flatnonzero((block.gpus > 0) & (block.width > 1))
            work = block.run[shared] * block.width[shared].astype(np.float64)
            tally.note("assumed", GPUS_OF_JOB, block.line[shared], block.job[shared], work)
            rows = np.flatnonzero(with_fractions)
            work = block.run[rows] * block.width[rows].astype(np.float64)
            tally.note("changed", FRACTIONS, block.line[rows], block.job[rows], work)
            if width == "gpus":
                block.width = block.gpus
            yield block


def _values(lines: Lines, index: int, text: str) -> dict[str, str]:
    """Return the fields of a line by name."""
    cells = text.split(":")
    fields = next(_readings(cells), None)
    if fields is None:
        fact = f"a line must have the {SIZES[0]} fields of sge_accounting(5) between colons"
        known = (place for place in (*MIDDLE, *TAIL) if len(cells) in SIZES and place < len(cells))
        odd = [place for place in known if not NUMBER.fullmatch(cells[place])]
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

    Numbers are where they belong, and the name of a parallel part, or none, in its place. What is behind the category
    tells first whether the count can be right. Accounts have colons less often than names, and are tried last.
    """
    if not 0 <= colons <= MOST_COLONS or not _are_numbers(cells, TAIL, colons):
        return
    if not NAME_OF_PART.fullmatch(cells[PLACES["part"] + colons]):
        return
    for before in range(colons + 1):  # in name and account
        if not _are_numbers(cells, MIDDLE, before) or not all(WHOLE.fullmatch(cells[k + before]) for k in WHOLES):
            continue
        for in_account in range(before + 1):
            if WHOLE.fullmatch(cells[PLACES["job"] + before - in_account]):
                fields = [*cells]
                more = ((NAME, before - in_account), (ACCOUNT, in_account), (CATEGORY, colons - before))
                for place, count in more:
                    fields[place : place + count + 1] = [":".join(fields[place : place + count + 1])]
                yield fields


def _are_numbers(cells: Sequence[str], places: Sequence[int], colons: int) -> bool:
    """Return whether numbers are in these fields, so many cells further on; a line of an old version ends earlier."""
    return all(NUMBER.fullmatch(cells[place + colons]) for place in places if place + colons < len(cells))


def _life(lines: Lines, index: int, values: dict[str, str], groups: str) -> Life:
    """Return the life in a line; a job that never started has no times."""
    submit, start, end = (moment // 1000 if moment > MILLISECONDS else moment for moment in _times(values))
    latest = max(submit, start, end)
    if latest >= LATEST:
        raise lines.fault(index, f"a time is {latest}, but must be before the year 9000")
    asked, slots = _requests(values["category"]), int(values["slots"])
    memory = max((_amount(asked[key]) for key in MEMORY if key in asked), default=0.0) * slots / KIB
    sound = (values["failed"], values["exit"]) == ("0", "0")
    return Life(
        line=lines.first + index,
        job=int(values["job"]),
        submit=submit or UNKNOWN,
        start=start or UNKNOWN,
        run=max(end - start, 0) if start else 0,
        width=slots,
        limit=seconds(asked.get("h_rt", "")) or 0,
        status=COMPLETED if sound else CANCELLED if _runs_again(values) else FAILED,
        mark=mark_of(lines.texts[index]),
        memory=int(memory) if 0 < memory < 2**53 else UNKNOWN,
        gpus=_gpus(asked, slots),
        exclusive=int(any(asked.get(key, "").lower() in YES for key in EXCLUSIVE)),
        user=values["user"],
        group=values[groups],
        queue=values["queue"],
        partition=values["queue"],
        constraint=",".join(_places(asked)),
    )


def _times(values: dict[str, str]) -> tuple[int, int, int]:
    """Return submission, start and end as the line has them."""
    return int(values["submit"]), int(values["start"]), int(values["end"])


def _requests(category: str) -> dict[str, str]:
    """Return what the category of a job says it needs, by name.

    Examples
    --------
    >>> _requests("-q long -l h_rt=3600,big -soft -l fast=1 -hard -l gpu=2 -pe smp 4")
    {'h_rt': '3600', 'big': 'true', 'gpu': '2'}
    """
    parts = (part for words in REQUESTS.findall(SOFT.sub("", category)) for part in words.split(","))
    return {key: value if equals else "true" for key, equals, value in (part.partition("=") for part in parts) if key}


def _amount(text: str) -> float:
    """Return a number with its unit, 0 if a text is none.

    Examples
    --------
    >>> _amount("2.5K"), _amount("2k"), _amount("INFINITY")
    (2560.0, 2000.0, 0.0)
    """
    match = AMOUNT.fullmatch(text)
    return 0.0 if match is None else float(match.group(1)) * UNITS[match.group(2)]


def _gpus(asked: Mapping[str, str], slots: int) -> int:
    """Return the GPUs of a job; a part of a GPU can only be meant for each slot."""
    gpus = max((_amount(asked[key]) for key in GPUS if key in asked), default=0.0)
    return min(ceil(gpus if gpus.is_integer() else gpus * slots), WIDEST)


def _places(asked: Mapping[str, str]) -> Iterator[str]:
    """Yield what the nodes of a job must have: what is neither an amount, a time nor known otherwise."""
    for key, value in asked.items():
        if not {key, value} & {*NO_PLACES, *EXCLUSIVE} and not AMOUNT.fullmatch(value) and seconds(value) is None:
            yield key if value.lower() == "true" else f"{key}={value}"


def _runs_again(values: dict[str, str]) -> bool:
    """Return whether a job was queued again after this life."""
    return values["failed"] in QUEUED_AGAIN or values["exit"] == AGAIN_PLEASE


def _note_lives(life: Life, values: dict[str, str], ended: dict[tuple[str, str], int]) -> None:
    """Let a later life of a job wait from the end of the one before, in place; the file has the first submission."""
    job = values["job"], values["task"]
    life.submit = max(life.submit, ended.pop(job, life.submit))
    if _runs_again(values) and life.start != UNKNOWN:
        ended[job] = life.start + life.run

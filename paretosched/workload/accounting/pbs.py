"""The accounting records of PBS: OpenPBS, PBS Professional and Torque, `date;type;job;key=value key=value ...`.

E is the end of a job, R the end of a life after which the job was queued again, A an abort by the server. All of them
count if they have a start; other records are not needed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path

import numpy as np

from ...core.errors import InputError, first_few, in_quotes
from ...core.files import is_folder, unreadable
from ..workload import WIDEST
from .fields import LONGEST, seconds, times
from .lives import CANCELLED, COMPLETED, FAILED, UNKNOWN, Block, Life, Numberings, block_of, mark_of, whole_numbers
from .pbs_requests import ASKED, Asked, asked_in, number
from .tally import Tally
from .text_lines import Lines, Watch, line_blocks

RECORD = re.compile(r"(\d\d/\d\d/\d{4} \d\d:\d\d:\d\d);([A-Za-z]{1,2});([^;]*);?(.*)", re.ASCII | re.DOTALL)
ATTRIBUTE = re.compile(r'(?<![\w.-])([\w.-]++)=("[^"]*"|\S*)')  # no key is tried from its second letter on
JOB = re.compile(r"(\d{1,15})(\[\d*\])?", re.ASCII)
DAILY = re.compile(r"\d{8}(\.gz)?", re.ASCII)
LIVES = {"E", "R", "A"}
KILLED = ("271", "265", "-29")  # by qdel, or because of its limit
MOST_OPEN = 1_000_000  # jobs that are remembered, since they ran and will run again
NO_TIMES = "a record that ends a life, without times: the life is missing"
ABORTED = "aborted by the server before it started"
WHOLE_ARRAY = "an array as a whole: its tasks have records of their own"
EARLIER_LIVES = "ran before, but there is no record of it: the wait counts from the first submission"
WHOLE_NODES = "whole nodes asked for: their size is not in the records, the processors asked for are taken"
SEVERAL_NUMBERS = "GPUs asked for in several ways, with different numbers: those it was given, else the largest number"
ADVICE = "this is not the accounting of PBS"


def read_pbs(
    path: str, width: str, groups: str, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:  # fmt: skip
    """Yield the job lives in an accounting file, in the daily files of a directory, or in the standard input ("-").

    Parameters
    ----------
    path
        The file or directory.
    width
        "cpus", "nodes" or "gpus".
    groups
        The groups: "account", "user", "group", "project" or "queue".
    numberings
        Learns the names of jobs that are dropped here.
    tally
        Counts what is dropped here.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        A file cannot be read, or is not the accounting of PBS; the message names the line.
    """
    reader = _Reader(width, groups, numberings, tally)
    before = 0  # lines of the files before
    for file in _files(path):
        lines = None
        for lines in line_blocks(file, watch):
            lives = [life for life in reader.lives(lines, before) if life is not None]
            if lives:
                yield block_of(lives)
        before += 0 if lines is None else lines.first + len(lines.texts) - 1


def _files(path: str) -> list[str]:
    """Return the files to be read."""
    if not is_folder(path):
        return [path]
    try:
        files = sorted(str(file) for file in Path(path).iterdir() if DAILY.fullmatch(file.name))
    except OSError as error:
        raise unreadable(path, error) from None
    files = [file for file in files if os.path.getsize(file)]  # noqa: PTH202  # a day without jobs
    if not files:
        raise InputError(f"{path}: must have daily files, such as 20261122, but has none with records")
    twice = sorted({*files} & {file.removesuffix(".gz") for file in files if file.endswith(".gz")})
    if twice:
        raise InputError(
            f"{path}: must have each day once, but has {first_few(twice)} also gzipped; remove one of them"
        )
    return files


class _Reader:
    """Remembers when jobs that were queued again ended before."""

    def __init__(self, width: str, groups: str, numberings: Numberings, tally: Tally) -> None:
        self.width = width
        self.groups = groups
        self.numberings = numberings
        self.tally = tally
        self.ended: dict[str, tuple[int, int]] = {}  # by job: how many lives, and the end of the last one

    def lives(self, lines: Lines, before: int) -> Iterator[Life | None]:
        """Yield the life that each record ends, or None."""
        for index, text in enumerate(lines.texts):
            if not text or text.isspace():
                continue
            record = RECORD.fullmatch(text)
            if record is None:
                fact = f"a record must be DATE TIME;TYPE;JOB;KEY=VALUE ..., but this one begins {in_quotes(text)}"
                raise lines.fault(index, f"{fact}; {ADVICE}")
            if record.group(2) in LIVES:
                yield self._life(lines, index, before, *record.group(2, 3, 4))

    def _life(self, lines: Lines, index: int, before: int, kind: str, name: str, text: str) -> Life | None:
        """Return the life that a record ends; None if there was none."""
        values = {key.lower(): value.strip('"') for key, value in ATTRIBUTE.findall(text)}
        match = JOB.match(name)
        if match is None:
            raise lines.fault(index, f"the job is {in_quotes(name)}, but must begin with a number; {ADVICE}")
        line, job = before + lines.first + index, int(match.group(1))
        at = {key: self._time(lines, index, key, values) for key in ("ctime", "qtime", "etime", "start", "end")}
        if match.group(2) == "[]" or at["start"] == UNKNOWN:
            reason = WHOLE_ARRAY if match.group(2) == "[]" else ABORTED if kind == "A" else NO_TIMES
            self._meet(lines, index, values)
            self._count("dropped", reason, line, job, 0)
            return None
        run = (
            at["end"] - at["start"] if at["end"] != UNKNOWN else seconds(values.get("resources_used.walltime", "")) or 0
        )
        submit, eligible = at["ctime"] if at["ctime"] != UNKNOWN else at["qtime"], at["etime"]
        self._meet(lines, index, values)
        lives, end = self.ended.get(name, (0, submit))
        if lives:
            submit = max(submit, end)
        asked = asked_in(values)
        width: int = getattr(asked, self.width)
        if width >= 10**LONGEST:
            raise lines.fault(index, f"a job must have less than 10^{LONGEST} {self.width}, but this one has {width:,}")
        self._note(values, asked, lives, line, job, float(run) * width)
        if kind == "R":
            self.ended[name] = (lives + 1, at["start"] + run)
            if len(self.ended) > MOST_OPEN:
                raise lines.fault(index, f"more than {MOST_OPEN:,} jobs were rerun and have not ended; {ADVICE}")
        elif lives:
            del self.ended[name]
        exit_status = values.get("exit_status", "0")
        status = COMPLETED if exit_status == "0" else CANCELLED if exit_status in KILLED else FAILED
        return Life(
            line=line,
            job=job,
            submit=submit,
            eligible=eligible,
            start=at["start"],
            run=max(run, 0),
            width=width,
            limit=seconds(values.get(f"{ASKED}walltime", "")) or 0,
            status=CANCELLED if kind == "R" else status,
            mark=mark_of(lines.texts[index]),
            memory=asked.memory,
            nodes=min(asked.nodes, WIDEST) or UNKNOWN,
            gpus=min(asked.gpus, WIDEST),
            per_node=asked.per_node,
            exclusive=asked.exclusive,
            user=values.get("user", ""),
            group=values.get(self.groups, ""),
            queue=values.get("queue", ""),
            partition=values.get("queue", ""),
            constraint=asked.constraint,
        )

    def _time(self, lines: Lines, index: int, key: str, values: Mapping[str, str]) -> int:
        """Return a time of a record, -1 if it has none."""
        return int(
            times(lambda _, fact: lines.fault(index, fact), [values.get(key, "")], key, ADVICE, zero=False).first[0]
        )

    def _meet(self, lines: Lines, index: int, values: Mapping[str, str]) -> None:
        """Remember all names of a record: none may stay in a log without names, also if it is no group."""
        where = f"{lines.place}:{lines.first + index}"
        self.numberings.user.meet([values.get("user", "")], where)
        self.numberings.queue.meet([values.get("queue", "")], where)
        self.numberings.group.meet([values.get(key, "") for key in ("account", "group", "project")], where)

    def _note(self, values: Mapping[str, str], asked: Asked, lives: int, line: int, job: int, work: float) -> None:
        """Count what is not known of a life."""
        if number(values.get("run_count", "1")) > lives + 1:
            self._count("assumed", EARLIER_LIVES, line, job, work)
        if asked.exclusive and self.width == "cpus":
            self._count("assumed", WHOLE_NODES, line, job, work)
        if asked.differ:
            self._count("assumed", SEVERAL_NUMBERS, line, job, work)

    def _count(self, action: str, reason: str, line: int, job: int, work: float) -> None:
        """Count one record."""
        self.tally.note(action, reason, whole_numbers([line]), whole_numbers([job]), np.array([work]))

"""What the daemon's log says: how often it ranked the waiting jobs, what failed, and which jobs it had ranked when."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import NamedTuple

from msgspec import Struct

from ..core.arrays import Ints
from ..core.errors import InputError, in_quotes
from ..core.files import exists, read_lines
from ..core.limits import limits_in_force, reading_limits
from ..core.typed_json import as_type
from .records import LATEST, LOG_BYTES, OLD_LOGS

DIGITS = 19  # of the number of a job, at most
NO_JOB = "0"  # stands for what scontrol said of no job
LATE = 2.0  # usual periods after which a pass is late


class _Line(Struct):
    """A line: of a pass, or the first one of a file, with the site factors of all jobs then."""

    time: int
    all: dict[str, int] = {}
    dry_run: bool | None = None
    policy: str = ""
    ranked: int = 0
    set: dict[str, int] = {}
    refused: dict[str, str] = {}
    seconds: float = 0.0
    reviewed: int | None = None
    review_failed: str = ""


class DaemonLog(NamedTuple):
    """What a daemon did from a time on.

    Attributes
    ----------
    passes, dry_passes
        How many passes were complete, and how many of them were those of a dry run.
    first, last
        Unix times of the first and the last one.
    period
        Usual seconds from a pass to the next one, the median; 0 with one pass.
    gaps, longest_gap
        How often the next pass came after more than twice that time, because Slurm did not answer or the daemon did not
        run; and the longest time between two passes, s.
    changes, refused
        How many site factors were set, and how many changes Slurm refused.
    seconds, most_seconds
        How long a pass took, the median and the longest one.
    policies
        Names of the policies, in the order in which they came.
    reviews, failed_reviews
        Of a guarded order: how often it was compared with EASY, and how often that failed.
    since
        By the number of a job: the Unix time of the first pass after which it had a site factor.
    """

    passes: int
    dry_passes: int
    first: int
    last: int
    period: float
    gaps: int
    longest_gap: int
    changes: int
    refused: int
    seconds: float
    most_seconds: float
    policies: tuple[str, ...]
    reviews: int
    failed_reviews: int
    since: dict[int, int]


class Coverage(NamedTuple):
    """How many jobs could have been ranked before they started, and how many were."""

    jobs: int
    ranked: int


def read_daemon_log(path: str | Path, since: int) -> DaemonLog:
    """Return what a daemon did from a Unix time on, from its log and the older files beside it (.1 is the latest).

    Raises
    ------
    InputError
        A file cannot be read or is no such log, or no pass was complete since then.
    """
    passes: list[_Line] = []
    ranked: dict[int, int] = {}
    older = [Path(f"{path}.{number}") for number in range(OLD_LOGS, 0, -1)]
    with reading_limits(line=max(LOG_BYTES, limits_in_force().line)):  # a pass over 10,000 jobs is a long line
        there = [old for old in older if exists(old)]
        for file in (*there, Path(path)):
            for line in _lines(file):
                for job, factor in (line.all | line.set).items():
                    if factor and job not in line.refused:
                        ranked.setdefault(int(job), line.time)
                if line.dry_run is not None and line.time >= since:
                    passes.append(line)
    if not passes:
        raise InputError(f"{path}: the daemon made no complete pass since the date; is it the log of this deployment?")
    steps = [after.time - before.time for before, after in pairwise(passes)]
    period = float(median(steps)) if steps else 0.0
    return DaemonLog(
        passes=len(passes),
        dry_passes=sum(bool(line.dry_run) for line in passes),
        first=passes[0].time,
        last=passes[-1].time,
        period=period,
        gaps=sum(step > LATE * period for step in steps),
        longest_gap=max(steps, default=0),
        changes=sum(len(line.set.keys() - line.refused.keys()) for line in passes),
        refused=sum(len(line.refused.keys() - {NO_JOB}) for line in passes),
        seconds=float(median(line.seconds for line in passes)),
        most_seconds=max(line.seconds for line in passes),
        policies=tuple(dict.fromkeys(line.policy for line in passes)),
        reviews=sum(line.reviewed is not None for line in passes),
        failed_reviews=sum(bool(line.review_failed) for line in passes),
        since=ranked,
    )


def ranked_before_start(log: DaemonLog, job: Ints, eligible: Ints, start: Ints) -> Coverage:
    """Return how many of the jobs that waited long enough for a pass were ranked before they started.

    Parameters
    ----------
    log
        The log.
    job
        (n,) numbers of the jobs, as the resource manager has them.
    eligible, start
        (n,) Unix times.
    """
    could = (start - eligible >= LATE * log.period) & (start > log.first) & (eligible < log.last)
    never = int(start.max()) + 1
    pairs = zip(job[could].tolist(), start[could].tolist(), strict=True)
    return Coverage(int(could.sum()), sum(log.since.get(number, never) <= begin for number, begin in pairs))


def _lines(path: Path) -> Iterator[_Line]:
    """Yield the lines of a file; the last one may be cut off, if the daemon was killed while it wrote."""
    broken = 0
    for number, text in enumerate(read_lines(path, "the daemon's log"), 1):
        if broken:
            raise InputError(f"{path}:{broken}: must be a line of the daemon's log (deploy.jsonl), but is not JSON")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            broken = number
            continue
        try:
            line = as_type(value, _Line)
        except InputError as error:
            raise InputError(f"{path}:{number}: {error}") from None
        if not 0 <= line.time < LATEST:
            raise InputError(f"{path}:{number}: the time of a pass must be a Unix time, but is none")
        for job in (*line.all, *line.set):
            if not (job.isascii() and job.isdigit() and len(job) < DIGITS):
                raise InputError(f"{path}:{number}: jobs must be numbers, but there is also {in_quotes(job)}")
        yield line
    if broken == 1:
        raise InputError(f"{path}:1: must be a line of the daemon's log (deploy.jsonl), but is not JSON")

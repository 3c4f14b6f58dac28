"""Workloads of the simulator Batsim, in JSON: jobs, and profiles that say what happens when they run.

The fields are those of Batsim's documentation, "Workload": the types of profiles have the names of its version 5, such
as DelayProfile, or older ones, such as delay. Batsim computes how long most of them take, from a platform that is not
read; a run time is known of delays, of sequences of them, and where a field that Batsim ignores tells it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import ceil, floor, isfinite
from typing import Any, NamedTuple

import msgspec
import numpy as np

from ...core.errors import InputError, in_quotes
from ...core.files import json_text, parse_json
from ...core.typed_json import as_type
from ..calendar import LATEST
from ..workload import WIDEST
from .fields import LONGEST
from .lives import COMPLETED, FAILED, UNKNOWN, Block, Life, block_of
from .tally import Tally
from .text_lines import STDIN, Watch, whole_text

NUMBER = re.compile(r"(?:[^!]*!)?(\d{1,15})", re.ASCII)  # of a job, such as w0!17
DELAYS = ("delay", "delayprofile")
SEQUENCES = ("composed", "sequence", "sequentialcompositionprofile")
TOLD = ("delay", "expected_execution_time", "_expected_time", "real_time", "runtime", "run_time")  # by its author
DEEPEST = 100  # sequences within sequences
FRACTIONS = "fractions of a second: run time and request rounded up, submission down"
FROM_FIELD = "a profile whose run time Batsim computes: the one that a field of its author tells is taken"
NO_DATE = "no dates: the log has none either, and its second 0 stands for Monday 2000-01-03 00:00"
DEPENDS = "depends on other jobs: it could run from its submission on"
ADVICE = (
    "Batsim computes it from a platform, which is not read; simulate the workload there, and read its jobs.csv with "
    "import csv --columns submit=submission_time,start=starting_time,end=finish_time,"
    "width=requested_number_of_resources,job=job_id"
)


class BatsimWorkload(NamedTuple):
    """What a file has: its jobs, and the number of resources that it was made for, None if it does not say it."""

    jobs: Block
    resources: int | None


class _Job(msgspec.Struct):
    """A job as it is written."""

    id: int | str
    subtime: float
    res: int
    profile: int | str
    walltime: float | None = None
    dependencies: list[Any] = []
    expected_execution_time: float | None = None
    user: int | str | None = None
    user_id: int | str | None = None
    account: int | str | None = None
    group_id: int | str | None = None
    queue: int | str | None = None


class _File(msgspec.Struct):
    """A workload as it is written; profiles have other fields by their type."""

    jobs: list[_Job]
    profiles: dict[str, dict[str, Any]]
    nb_res: int | None = None


class _Run(NamedTuple):
    """The run time of a profile in seconds, and whether its author told it where Batsim computes one."""

    seconds: float
    told: bool


def read_batsim(path: str, groups: str, tally: Tally, watch: Watch) -> BatsimWorkload:
    """Return the jobs of a workload of Batsim, plain or gzipped; "-" is the standard input.

    Parameters
    ----------
    path
        The file.
    groups
        The groups: "account", "user" or "queue", which are no fields of Batsim, but which jobs may have.
    tally
        Counts what is changed or assumed here.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, or is no workload of Batsim; or a job has a profile whose run time is not known.
    """
    place = STDIN if path == "-" else path
    content = parse_json(whole_text(place, watch), place)
    try:
        file = as_type(content, _File)
        if file.nb_res is not None and not 1 <= file.nb_res <= WIDEST:
            raise InputError(f'"nb_res" must be in 1..{WIDEST}, but is {file.nb_res}')
        known: dict[str, _Run | None] = {}
        runs = [_run_of(job, index, file.profiles, known) for index, job in enumerate(file.jobs)]
        lives = [
            _life(job, index, run, file.profiles[str(job.profile)], groups)
            for index, (job, run) in enumerate(zip(file.jobs, runs, strict=True))
        ]
    except InputError as error:
        raise InputError(f"{place}: {error}") from None
    block = block_of(lives)
    work = block.run * block.width.astype(np.float64)
    notes = (
        ("changed", FRACTIONS, [_has_fraction(job, run) for job, run in zip(file.jobs, runs, strict=True)]),
        ("assumed", FROM_FIELD, [run.told for run in runs]),
        ("assumed", DEPENDS, [bool(job.dependencies) for job in file.jobs]),
    )
    for action, reason, mask in notes:
        rows = np.flatnonzero(mask)
        tally.note(action, reason, block.line[rows], block.job[rows], work[rows])
    tally.note_log(NO_DATE, len(lives))
    return BatsimWorkload(block, file.nb_res)


def _run_of(
    job: _Job, index: int, profiles: Mapping[str, Mapping[str, Any]], known: dict[str, _Run | None]
) -> _Run:  # fmt: skip
    """Return how long a job runs; refuse one of which this is not known."""
    name = str(job.profile)
    if name not in profiles:
        raise InputError(f"jobs[{index}]: profiles has no {json_text(name)}")
    run = _run_of_profile(name, profiles, known, DEEPEST)
    if run is None and job.expected_execution_time is not None:
        run = _Run(_duration(job.expected_execution_time, f"jobs[{index}]: expected_execution_time"), told=True)
    if run is None:
        about = f"its profile {json_text(name)} of type {in_quotes(str(profiles[name].get('type')))}"
        raise InputError(f"jobs[{index}]: {about} has no run time of its own: {ADVICE}")
    return run


def _run_of_profile(
    name: str, profiles: Mapping[str, Mapping[str, Any]], known: dict[str, _Run | None], depth: int
) -> _Run | None:
    """Return how long a profile runs, None if it does not say it; `known`, which is added to, has those before."""
    if name not in known:
        if depth == 0:
            raise InputError(f"profiles: {json_text(name)} is part of itself, or more than {DEEPEST} sequences deep")
        profile = profiles.get(name)
        if profile is None:
            raise InputError(f"profiles: {json_text(name)} is part of a sequence, but is missing")
        where = f"profiles: {json_text(name)}"
        kind = str(profile.get("type")).lower()
        parts = profile.get("seq")
        run = None
        if kind in SEQUENCES and isinstance(parts, list):
            times = profile.get("repeat", profile.get("nb", 1))
            runs = [_run_of_profile(str(part), profiles, known, depth - 1) for part in parts]
            of_parts = [each for each in runs if each is not None]
            if len(of_parts) == len(runs):
                seconds = _duration(times, f"{where}: repeat") * sum(each.seconds for each in of_parts)
                run = _Run(_duration(seconds, where), any(each.told for each in of_parts))
        if run is None:
            word = next((word for word in TOLD if profile.get(word) is not None), None)
            run = None if word is None else _Run(_duration(profile[word], f"{where}: {word}"), kind not in DELAYS)
        known[name] = run
    return known[name]


def _duration(value: Any, what: str) -> float:
    """Return a number of seconds, or a count, that is neither negative nor more than 10^15."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 10**LONGEST:
        raise InputError(f"{what} must be a number from 0 to 10^{LONGEST}, but is {json_text(value)}")
    return float(value)


def _life(job: _Job, index: int, run: _Run, profile: Mapping[str, Any], groups: str) -> Life:
    """Return a job as a life that has no start."""
    if not (isfinite(job.subtime) and 0 <= job.subtime < LATEST and 0 <= job.res < 10**LONGEST):
        raise InputError(f"jobs[{index}]: subtime and res must be at least 0, and no more than any log has")
    walltime = -1.0 if job.walltime is None else job.walltime
    number = NUMBER.fullmatch(str(job.id))
    names = {
        "user": _name(job.user, job.user_id),
        "account": _name(job.account, job.group_id),
        "queue": _name(job.queue),
    }
    return Life(
        line=index + 1,
        job=int(number.group(1)) if number else UNKNOWN,
        submit=floor(job.subtime),
        start=UNKNOWN,
        run=ceil(run.seconds),
        width=job.res,
        limit=ceil(_duration(max(walltime, 0.0), f"jobs[{index}]: walltime")),
        status=FAILED if profile.get("ret", 0) else COMPLETED,
        user=names["user"],
        group=names[groups],
        queue=names["queue"],
        partition=names["queue"],
    )


def _name(*names: int | str | None) -> str:
    """Return the first name that is given, "" if there is none."""
    return next((str(name) for name in names if name is not None), "")


def _has_fraction(job: _Job, run: _Run) -> bool:
    """Return whether a time of a job is no whole second."""
    return any(time != floor(time) for time in (job.subtime, job.walltime or 0.0, run.seconds))

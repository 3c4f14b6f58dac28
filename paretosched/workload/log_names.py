"""The names that belong to the numbers of a log, in a file beside it: LOG.names.json.

A log in the Standard Workload Format has numbers only. The file beside it says which user, group, queue and partition
a number stands for, from which second on each job could run, what it asked for that the format has no field for, when
processors were down, which jobs had not started yet, and what was dropped or assumed when the log was made. It belongs
to the log by the SHA-256 of the log. Keys of names and of what jobs ask for are numbers as text.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct

from ..core.arrays import Ints
from ..core.errors import InputError, first_few, in_quotes, printable
from ..core.files import NAMES_ENDING, is_file, open_for_reading, read_json, replacing, sha256_of
from ..core.notebook import fields_html
from ..core.typed_json import as_type
from .down_times import DownTimes, down_times_of

FORMAT = "paretosched names 1"
OURS = re.compile(rb'\s*\{\s*"format"\s*:\s*"paretosched names')
HEAD = 200  # bytes
MOST_ASKED = 2**31 - 1
WHOLE = re.compile(r"-?[0-9]{1,10}", re.ASCII)
NUMBERED = ("users", "groups", "queues", "partitions", "constraints")
BESIDE = {"nodes": 1, "gpus": 0, "nice": 0}  # what jobs ask for beyond the format: how many if a log does not say it
# The same of what no formula knows: processors on each node, whole nodes (1), and the number of a constraint.
ON_NODES = {"per_node": 0, "exclusive": 0, "constraint": 0}
ALL_BESIDE = BESIDE | ON_NODES


class Count(NamedTuple):
    """One reason for which jobs were dropped, changed or assumed when a log was made from another file.

    Attributes
    ----------
    action
        "dropped", "changed" or "assumed".
    reason
        What was wrong and what was done, in words.
    jobs
        Number of these jobs.
    work
        Their processor seconds; None if unknown.
    first
        The first of them, as text.
    """

    action: str
    reason: str
    jobs: int
    work: int | None = None
    first: str = ""


def work_met(counts: Sequence[Count], work: int) -> int:
    """Return the work of all jobs that were met, which is what shares are of: that in the log, and what was dropped.

    Examples
    --------
    >>> work_met([Count("dropped", "too wide", 1, 30), Count("changed", "moved", 1, 5), Count("dropped", "x", 2)], 70)
    100
    """
    dropped = sum(count.work or 0 for count in counts if count.action == "dropped")
    return max(work + dropped, *(count.work or 0 for count in counts), 1)  # of a log that is read, runs may be cut


class StillWaiting(NamedTuple):
    """Jobs of one group and day that could run and had not started when the accounting was read; not in the log.

    Attributes
    ----------
    group
        Number of the group in the log; -1 if no job of the log is of this group.
    day
        When they were submitted: days since the log begins.
    jobs
        How many.
    """

    group: int
    day: int
    jobs: int


class Eligible(NamedTuple):
    """The jobs that could not run when they were submitted, because they had to wait for another job or for a date.

    Attributes
    ----------
    job
        Their numbers in the log, (k,).
    after
        From how many seconds after its submission each of them could run, (k,), at least 1.
    """

    job: Ints
    after: Ints


class PerJob(NamedTuple):
    """A number of some jobs.

    Attributes
    ----------
    job
        The numbers of the jobs in the log, (k,).
    value
        (k,) one for each of them.
    """

    job: Ints
    value: Ints


def no_eligible() -> Eligible:
    """Return what says that every job could run when it was submitted."""
    return Eligible(_read_only([]), _read_only([]))


@dataclass(frozen=True, eq=False, repr=False)
class Names:
    """What a log itself cannot say, see the module.

    Parameters
    ----------
    users, groups, queues, partitions
        Names by number: of SWF fields 12, 13, 15 and 16.
    constraints
        What the nodes of a job must have, as users write it, such as "x86_64:cl_zewura", by the numbers in `asked`.
    source
        What the log was made from: "slurm", "pbs", "sge" or "csv"; "" if from another log.
    grouped_by
        What the groups are: "account", "user", "qos" or "partition"; "" if unknown.
    eligible
        The jobs that could not run when they were submitted.
    dropped
        What was dropped, changed or assumed when the log was made.
    down
        When processors of the machine were down, in seconds of the log; None if all were up, or nothing is known.
    asked
        By words of ALL_BESIDE: the jobs that ask for another number than the one there.
    waiting
        The jobs that had not started when the accounting was read.
    """

    users: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[int, str] = field(default_factory=dict)
    queues: Mapping[int, str] = field(default_factory=dict)
    partitions: Mapping[int, str] = field(default_factory=dict)
    source: str = ""
    grouped_by: str = ""
    eligible: Eligible = field(default_factory=no_eligible)
    dropped: tuple[Count, ...] = ()
    down: DownTimes | None = None
    asked: Mapping[str, PerJob] = field(default_factory=dict)
    waiting: tuple[StillWaiting, ...] = ()
    constraints: Mapping[int, str] = field(default_factory=dict)

    _repr_html_ = fields_html

    def __repr__(self) -> str:
        return f"<Names {', '.join(f'{len(getattr(self, key)):,} {key}' for key in NUMBERED)}>"


class _EligibleFile(Struct, forbid_unknown_fields=True):
    """The jobs that became eligible later, in the file."""

    job: list[int] = []
    after: list[int] = []


class _DownFile(Struct, forbid_unknown_fields=True):
    """The times in which processors were down, in the file."""

    begin: list[int] = []
    end: list[int] = []
    processors: list[int] = []


class _CountFile(Struct, forbid_unknown_fields=True):
    """A count in the file."""

    action: str
    reason: str
    jobs: int
    work: int | None = None
    first: str = ""


class _WaitingFile(Struct, forbid_unknown_fields=True):
    """Jobs that had not started, in the file."""

    group: int
    day: int
    jobs: int


class _NamesFile(Struct, forbid_unknown_fields=True):
    """The content of the file."""

    format: str
    log: str
    sha256: str
    source: str = ""
    grouped_by: str = ""
    users: dict[str, str] = {}
    groups: dict[str, str] = {}
    queues: dict[str, str] = {}
    partitions: dict[str, str] = {}
    constraints: dict[str, str] = {}
    eligible: _EligibleFile | None = None
    asked: dict[str, dict[str, list[int]]] = {}
    down: _DownFile | None = None
    dropped: list[_CountFile] = []
    waiting: list[_WaitingFile] = []


def names_path(log: str | os.PathLike[str]) -> Path:
    """Return the path of the file with the names of a log.

    Examples
    --------
    >>> print(names_path("logs/w.swf.gz"))
    logs/w.swf.gz.names.json
    """
    return Path(os.fsdecode(log) + NAMES_ENDING)


def read_names(log: str | os.PathLike[str], sha256: str | None = None) -> Names | None:
    """Return the names beside a log; None if there are none.

    Parameters
    ----------
    log
        The path of the log.
    sha256
        The SHA-256 of the log, if it is known; None to compute it.

    Raises
    ------
    InputError
        The file cannot be read or is damaged, or belongs to another log; the message says what to do.
    """
    path = names_path(log)
    if not is_file(path):
        return None
    content = read_json(path, "names")
    try:
        names, known = names_of(content)
    except InputError as error:
        raise InputError(f"{path}: {error}; mend it, or delete it to read the log without names") from None
    digest = sha256_of(log) if sha256 is None else sha256
    if digest is not None and digest != known:
        raise InputError(
            f"{path}: belongs to another log: its sha256 is {in_quotes(known, 12)}, but {Path(log).name} has "
            f"{in_quotes(digest, 12)}; import the log again, or delete this file to read the log without names"
        )
    return names


def names_of(content: Any) -> tuple[Names, str]:
    """Return the names in the content of a file, and the SHA-256 of its log.

    Raises
    ------
    InputError
        It is no such content.
    """
    file = as_type(content, _NamesFile)
    if file.format != FORMAT:
        raise InputError(f'"format" must be {in_quotes(FORMAT)}, but is {in_quotes(file.format)}')
    names = Names(
        **{key: _by_number(key, getattr(file, key)) for key in NUMBERED},
        source=file.source,
        grouped_by=file.grouped_by,
        eligible=_eligible(file.eligible or _EligibleFile()),
        asked={word: _jobs_asking(word, jobs) for word, jobs in file.asked.items()},
        dropped=tuple(_count(c) for c in file.dropped),
        down=_down(file.down),
        waiting=tuple(_still_waiting(each) for each in file.waiting),
    )
    return names, file.sha256


def write_names(path: str | os.PathLike[str], names: Names, log: str, sha256: str | None) -> None:
    """Write the names of a log as a whole file.

    Parameters
    ----------
    path
        The file to be written: `names_path` of the log, or a temporary one.
    names
        The names.
    log
        The name of the log, without its folder.
    sha256
        The SHA-256 of the log.

    Raises
    ------
    InputError
        The file cannot be written.
    """
    content = content_of(names, log, sha256)
    lines = (f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in content.items())
    with replacing(path) as temporary:
        temporary.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def content_of(names: Names, log: str, sha256: str | None) -> dict[str, Any]:
    """Return the content of the file with names, in plain values for JSON; arguments as of `write_names`."""
    content: dict[str, Any] = {"format": FORMAT, "log": printable(log), "sha256": sha256 or "", "source": names.source}
    content["grouped_by"] = names.grouped_by
    for key in NUMBERED:
        if key == "constraints" and not names.constraints:  # as in files of earlier versions
            continue
        content[key] = {str(number): name for number, name in sorted(getattr(names, key).items())}
    if names.eligible.job.size:
        content["eligible"] = {key: column.tolist() for key, column in names.eligible._asdict().items()}
    if names.asked:
        content["asked"] = {word: _jobs_by_value(each) for word, each in names.asked.items()}
    if names.down is not None:
        content["down"] = names.down.columns()
    if names.waiting:
        content["waiting"] = [each._asdict() for each in names.waiting]
    content["dropped"] = [count._asdict() for count in names.dropped]
    return content


def remove_names(log: str | os.PathLike[str]) -> None:
    """Remove the names beside a log that is replaced by one without names; a file of another kind stays.

    Raises
    ------
    InputError
        The file cannot be removed.
    """
    path = names_path(log)
    try:
        if is_file(path):
            with open_for_reading(path) as file:
                is_ours = OURS.match(file.read(HEAD)) is not None
            if is_ours:
                path.unlink()
    except OSError as error:
        raise InputError(f"{path}: cannot remove the names of the log before: {error.strerror}") from None


def _by_number(key: str, names: Mapping[str, str]) -> dict[int, str]:
    """Return names by number, from the keys of the file."""
    for number, name in names.items():
        digits = number.removeprefix("-")
        if not (digits.isascii() and digits.isdigit() and len(digits) < 16):
            raise InputError(f'"{key}": a key must be a whole number as text, but is {in_quotes(number)}')
        if not name or not name.isprintable():
            raise InputError(f'"{key}": the name of {number} must be a text that can be printed, but is not')
    return {int(number): name for number, name in names.items()}


def _count(file: _CountFile) -> Count:
    """Return a count."""
    if not (0 <= file.jobs < 2**53 and 0 <= (file.work or 0) < 2**100):
        fact = in_quotes(f"{file.jobs} and {file.work}", 60)
        raise InputError(f'"dropped": jobs and work must be from 0 on, and below 2^53 and 2^100, but are {fact}')
    return Count(file.action, file.reason, file.jobs, file.work, file.first)


def _still_waiting(file: _WaitingFile) -> StillWaiting:
    """Return jobs that had not started."""
    if not (0 < file.jobs < 2**53 and max(abs(file.group), abs(file.day)) < 2**53):
        fact = in_quotes(f"{file.jobs} of day {file.day}", 60)
        raise InputError(f'"waiting": jobs must be 1 or more, and all numbers below 2^53, but there are {fact}')
    return StillWaiting(file.group, file.day, file.jobs)


def _eligible(file: _EligibleFile) -> Eligible:
    """Return the jobs that became eligible later."""
    if len(file.job) != len(file.after):
        raise InputError(
            f'"eligible": "job" and "after" must be equally long, but have {len(file.job)} and {len(file.after)} '
            "entries"
        )
    wrong = [n for n in (*file.job, *file.after) if abs(n) >= 2**53] + [n for n in file.after if n < 1]
    if wrong:
        raise InputError(
            f'"eligible": seconds must be 1 or more, and all numbers below 2^53, but there is {first_few(wrong)}'
        )
    _check_once('"eligible"', file.job)
    return Eligible(_read_only(file.job), _read_only(file.after))


def _check_once(where: str, jobs: Sequence[int]) -> None:
    """Refuse a job that comes several times."""
    again = [number for number, times in Counter(jobs).items() if times > 1]
    if again:
        raise InputError(f"{where}: a job must come once, but several times comes {first_few(again)}")


def _jobs_asking(word: str, jobs: Mapping[str, Sequence[int]]) -> PerJob:
    """Return what jobs ask for, from the numbers of the jobs by what they ask for, as text."""
    where = f'"asked", "{printable(word)}"'
    if word not in ALL_BESIDE:
        raise InputError(f"{where}: must be one of {', '.join(ALL_BESIDE)}")
    least = -MOST_ASKED if word == "nice" else 0
    wrong = [text for text in jobs if not (WHOLE.fullmatch(text) and least <= int(text) <= MOST_ASKED)]
    if wrong:
        rule = f"a key must be a whole number in {least}..{MOST_ASKED} as text"
        raise InputError(f"{where}: {rule}, but is {in_quotes(wrong[0])}")
    number = [number for of_value in jobs.values() for number in of_value]
    if any(abs(each) >= 2**53 for each in number):
        raise InputError(f"{where}: all numbers must be below 2^53, but one is not")
    _check_once(where, number)
    return PerJob(_read_only(number), _read_only([int(text) for text, of_value in jobs.items() for _ in of_value]))


def _jobs_by_value(each: PerJob) -> dict[str, list[int]]:
    """Return the numbers of the jobs by what they ask for, as text."""
    return {str(value): each.job[each.value == value].tolist() for value in np.unique(each.value).tolist()}


def _down(file: _DownFile | None) -> DownTimes | None:
    """Return the times in which processors were down; None if there are none."""
    if file is None:
        return None
    if any(abs(number) >= 2**53 for number in (*file.begin, *file.end, *file.processors)):
        raise InputError('"down": all numbers must be below 2^53, but one is not')
    try:
        return down_times_of({"begin": file.begin, "end": file.end, "processors": file.processors})
    except InputError as error:
        raise InputError(f'"down": {error}') from None


def _read_only(numbers: Sequence[int]) -> Ints:
    """Return numbers as a read-only array, (k,) int64."""
    array = np.array(numbers, dtype=np.int64)
    array.flags.writeable = False
    return array

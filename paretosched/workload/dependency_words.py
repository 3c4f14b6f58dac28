"""What sbatch takes for a dependency: the jobs that another one waits for, and why."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..core.errors import InputError, in_quotes

AFTER, AFTER_ANY, AFTER_OK, AFTER_NOT_OK, AFTER_TASK = "after", "afterany", "afterok", "afternotok", "aftercorr"
KINDS = (AFTER, AFTER_ANY, AFTER_OK, AFTER_NOT_OK, AFTER_TASK, "afterburstbuffer")
SINGLETON = "singleton"
JOB = re.compile(r"(\d{1,18})(?:_(\d{1,9}))?(?:\+(\d{1,9}))?", re.ASCII)
MINUTE = 60


class Awaited(NamedTuple):
    """A job that another one waits for.

    Attributes
    ----------
    kind
        One of KINDS.
    job, task
        Its number, or that of its array, and the index of one task; None for all tasks.
    after_start
        So many seconds after its start; None for its end.
    """

    kind: str
    job: int
    task: int | None
    after_start: int | None


def awaited_in(text: str) -> tuple[list[Awaited], bool]:
    """Return the jobs that a dependency names, and whether any one of them is enough.

    Raises
    ------
    InputError
        It is written otherwise than sbatch takes it.

    Examples
    --------
    >>> [tuple(one) for one in awaited_in("afterok:12_3,after:14+5")[0]]
    [('afterok', 12, 3, None), ('after', 14, None, 300)]
    """
    found: list[Awaited] = []
    for part in parts_of(text):
        kind, *jobs = part.split(":")
        if kind.lower() == SINGLETON and len(jobs) < 2:
            continue
        for job in jobs:
            match = JOB.fullmatch(job.split("(")[0])  # a state may stand behind it
            if kind.lower() not in KINDS or match is None:
                raise InputError(f"a dependency must be TYPE:JOB[:JOB...], but is {in_quotes(text)}")
            index = None if match[2] is None else int(match[2])
            second = MINUTE * int(match[3] or 0) if kind.lower() == AFTER else None
            found.append(Awaited(kind.lower(), int(match[1]), index, second))
    return found, "?" in text


def parts_of(text: str) -> list[str]:
    """Return what stands between the commas or question marks of a dependency."""
    return [*filter(None, map(str.strip, re.split("[,?]", text)))]

"""What jobs of a log ask for when they are numbered again: arrays and chains of copies stay together."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from ..core.arrays import Ints
from .dependency_words import SINGLETON, parts_of
from .node_requests import Requests

NUMBER = re.compile(r"\d+")


def renumber(requests: Requests, before: Ints, job: Ints, submit: Ints, copy: Ints) -> Requests:
    """Return the requests of jobs with other numbers: a copy waits for the copies of the jobs that it waited for.

    One that was not copied along, or is submitted later here, is waited for no more. Where any of several is enough the
    job then waits for none of them, as for a job that ended before the log.

    Parameters
    ----------
    requests
        What the jobs ask for, with the numbers of the log.
    before, job
        (n,) their numbers in the log, where they may be there several times, and their new ones.
    submit
        (n,) s.
    copy
        (n,) what is alike for the copies of jobs that belong together.

    Examples
    --------
    >>> asked = Requests(tasks=[1] * 3, dependency=["", "afterok:7", "afterok:7"])
    >>> renumber(asked, *(np.array(each) for each in ([7, 8, 8], [1, 2, 3], [0, 5, 9], [0, 0, 1]))).dependency.list()
    ['', 'afterok:1', '']
    """
    copies = copy.tolist()
    known = {
        key: (int(job[row]), int(submit[row])) for row, key in enumerate(zip(before.tolist(), copies, strict=True))
    }
    array = np.zeros_like(requests.array)
    for row in np.flatnonzero(requests.array).tolist()[::-1]:  # the first task gives the number
        key = int(requests.array[row]), copies[row]
        known[key] = int(job[row]), int(submit[row])
    for row in np.flatnonzero(requests.array).tolist():
        array[row] = known[int(requests.array[row]), copies[row]][0]
    texts = requests.dependency.list()
    for row in np.flatnonzero(requests.dependency.code).tolist():
        texts[row] = _dependency(texts[row], known, copies[row], int(submit[row]))
    return replace(requests, array=array, dependency=texts)


def _dependency(text: str, known: dict[tuple[int, int], tuple[int, int]], copy: int, submit: int) -> str:
    """Return a dependency in new numbers: those of the same copy, with when they are submitted."""
    mark = "?" if "?" in text else ","
    parts = []
    for part in parts_of(text):
        kind, *others = part.split(":")
        if kind.lower() == SINGLETON:
            parts.append(part)
            continue
        there = []
        for other in others:
            match = NUMBER.match(other)
            number, second = known.get((int(match[0]), copy), (0, submit + 1)) if match else (0, submit + 1)
            if match and second <= submit:
                there.append(f"{number}{other[match.end() :]}")
        if len(there) < len(others) and mark == "?":
            return ""
        parts += [":".join([kind, *there])] if there else []
    return mark.join(parts)

"""One review of a guarded order in a process of its own: `python -m paretosched.deployment.guard_review < request`.

It ends soon, and with it goes the memory that it took; the daemon goes on meanwhile. The kernels compute it, as in a
simulation, but interpreted: numba needs seconds to load, and a service may not be allowed to make code.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from ..core.typed_json import as_type

if TYPE_CHECKING:
    from ..core.arrays import Ints

MOST_MEMORY = 2**30  # bytes of address space
MOST_SECONDS = 600  # of processor time
NICE = 10


class Request(Struct, forbid_unknown_fields=True):
    """What is reviewed; times are Unix times, -1 is none.

    Attributes
    ----------
    time, begin
        Of the review, and of the comparison.
    room
        Processors that are up.
    guard
        The values of `Guard` in `paretosched.kernels.guarded`.
    submit, request, width, start, end, group, easy
        By job, in the order in which they came.
    since, sums
        As of `Reviewed` in `paretosched.kernels.guarded_review`; the last column is of all jobs.
    """

    time: int
    begin: int
    room: int
    guard: dict[str, Any]
    submit: list[int]
    request: list[int]
    width: list[int]
    start: list[int]
    end: list[int]
    group: list[int]
    easy: list[int]
    since: int
    sums: list[list[float]]


class Response(Struct, forbid_unknown_fields=True):
    """What a review says.

    Attributes
    ----------
    classes
        By group.
    easy, settled, since, sums, now
        As of `Reviewed`; times are Unix times.
    """

    classes: list[int]
    easy: list[int]
    settled: int
    since: int
    sums: list[list[float]]
    now: list[list[float]]


def review_of(request: Request) -> Response:
    """Return what a review says."""
    import numpy as np

    from ..kernels.guarded import Guard
    from ..kernels.guarded_review import review_at
    from ..kernels.inputs import Jobs

    begin, t = request.begin, request.time - request.begin

    def times(numbers: list[int]) -> Ints:
        column = np.array(numbers, dtype=np.int64)
        return np.where(column < 0, -1, column - begin)

    submit, start, end, easy = map(times, (request.submit, request.start, request.end, request.easy))
    width, group, asked = (np.array(x, dtype=np.int64) for x in (request.width, request.group, request.request))
    start = np.where(start < t, start, -1)
    has_begun, has_ended = start >= 0, (start >= 0) & (end >= 0) & (end < t)
    so_far = np.where(has_begun, np.where(has_ended, end, t) - start, 1)
    run = np.where(has_ended, so_far, so_far + 1)  # of a job that runs it only says that it has not ended
    jobs = Jobs(submit, run, np.maximum(asked, so_far), width, group)
    guard = Guard(**request.guard | {"classes": np.array(request.guard["classes"], dtype=np.int64)})
    capacity = max(1, request.room, int(width.max(initial=1)), _most_at_once(start, np.where(has_ended, end, t), width))
    result = review_at(t, jobs, capacity, guard, start, easy, request.since - begin, np.array(request.sums))
    first = np.where(result.easy < 0, -1, result.easy + begin)
    return Response(
        result.classes.tolist(),
        first.tolist(),
        int(result.settled),
        int(result.since) + begin,
        result.sums.tolist(),
        result.now.tolist(),
    )


def _most_at_once(start: Ints, end: Ints, width: Ints) -> int:
    """Return on how many processors jobs ran at once at most; a `start` of -1 is none."""
    import numpy as np

    ran = start >= 0
    seconds = np.concatenate([end[ran], start[ran]])
    change = np.concatenate([-width[ran], width[ran]])
    in_turn = np.argsort(seconds, kind="stable")  # ends come before starts of the same second
    return int(np.cumsum(change[in_turn]).max(initial=0))


def main() -> int:
    """Read a request from standard input, and write what the review says to standard output."""
    for kind, most in ((resource.RLIMIT_AS, MOST_MEMORY), (resource.RLIMIT_CPU, MOST_SECONDS)):
        hard = resource.getrlimit(kind)[1]  # that of the account, as on a login node, cannot be raised
        limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (limit, limit))
    os.nice(NICE)
    response = review_of(as_type(json.load(sys.stdin), Request))
    json.dump({name: getattr(response, name) for name in Response.__struct_fields__}, sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())

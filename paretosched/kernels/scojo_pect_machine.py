"""The machine of SCOJO-PECT (paper 004): jobs start on numbered processors, are preempted, resume, and end.

Processors have numbers. The started jobs of a class never share a processor, so that all of them can run in their
slice. A job starts on the lowest processors that are idle and belong to no started job of its class.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Mask
from .compiling import njit
from .inputs import Jobs, ints
from .profile import FIRST, LAST, add

FAR = np.int64(0x7FFFFFFFFFFFFFFF)
SHORT, MEDIUM, LONG, NO_SLICE = 0, 1, 2, 3
# Entries of `Machine.state`: idle processors; numbers of entries in the record; the slice's class, begin and end (the
# end is not after the begin while the machine switches); the interval's end; era and row of shares; the next job to
# arrive.
IDLE, SEGMENTS, PIECES, SWITCHES, KIND, BEGIN, END, INTERVAL_END, ERA, ROW, ARRIVED = range(11)


class Slices(NamedTuple):
    """The parameters of SCOJO-PECT; their meaning is in `policies.time_sharing.TimeSharing`.

    Attributes
    ----------
    interval, overhead, short_slice
        s.
    backfill, optimise
        Whether jobs of other classes run in a slice, and whether groups are planned.
    begin, row
        (e,) int64, the second of the log from which on a row of `shares` holds, and this row.
    shares
        (rows, 3) float64, short, medium, long.
    """

    interval: int
    overhead: int
    short_slice: int
    backfill: bool
    optimise: bool
    begin: Ints
    row: Ints
    shares: Floats


class Turn(NamedTuple):
    """One scheduling pass in a slice.

    Attributes
    ----------
    kind, share
        The class of the slice, and its share of the time.
    t, slice_end
        s: now, and when the slice ends.
    fresh, arrivals
        Jobs `fresh` to `arrivals` - 1 are submitted in this second.
    """

    kind: Int
    share: float
    t: Int
    slice_end: Int
    fresh: Int
    arrivals: Int


class Machine(NamedTuple):
    """The machine and its jobs; S = 3 classes, at most H started jobs of a class, groups of at most M jobs.

    Masks are bool, everything else is int64; times are s, widths processors.

    Attributes
    ----------
    busy
        (capacity,) whether a processor is in use.
    claim
        (S, capacity) whether the processor belongs to a started job of the class.
    queue_size
        (S,) waiting jobs, the `waiting` of the queue.
    active, active_size
        (S, H), (S,) started jobs by row, running or preempted.
    belief, left, rest
        (n,) how long a job runs in all, and from `since` on, as the scheduler believes; and how long it really runs
        from `since` on.
    since
        (n,) since when a job runs; -1 if it does not run.
    at, pieces
        (n,) the first range of its processors in the record, and the number of ranges.
    started, planned
        (n,) whether it has started; whether it belongs to a group.
    group, group_size, finisher
        (S, M + 1), (S,), (S,) the orders of the groups, the numbers of their jobs, and the jobs with which they finish,
        -1 if there is none.
    kind
        (n,) class.
    state
        (11,) see IDLE and the following.
    when, room, span
        The profile, see `profile`.
    ends, widths
        (H,) work space: the ends and widths of running jobs.
    line
        (3, 3 H + M) work space: row, begin and end of running and planned jobs.
    scratch
        (2, M + 1) work space for groups.
    visits
        (2, 2) nodes visited and pruned in all groups, by level.
    """

    busy: Mask
    claim: Mask
    queue_size: Ints
    active: Ints
    active_size: Ints
    belief: Ints
    left: Ints
    rest: Ints
    since: Ints
    at: Ints
    pieces: Ints
    started: Mask
    planned: Mask
    group: Ints
    group_size: Ints
    finisher: Ints
    kind: Ints
    state: Ints
    when: Ints
    room: Ints
    span: Ints
    ends: Ints
    widths: Ints
    line: Ints
    scratch: Ints
    visits: Ints


class Record(NamedTuple):
    """What happened in a simulation, int64; filled from the left, with the numbers of entries in `Machine.state`.

    Attributes
    ----------
    job, begin, end
        Segments: row, s, s.
    low, high
        Ranges of processors: the first and the last.
    switches
        When switches begin, s.
    """

    job: Ints
    begin: Ints
    end: Ints
    low: Ints
    high: Ints
    switches: Ints


def machine_for(jobs: Jobs, belief: Ints, kind: Ints, queue_size: Ints, capacity: int, most: int) -> Machine:
    """Return a machine without jobs yet.

    Parameters
    ----------
    jobs
        The jobs.
    belief, kind
        (n,) int64, how long each job runs as the scheduler believes, s, and the class of each job.
    queue_size
        (3,) int64, how many jobs of each class wait; the queue's own, which changes with it.
    capacity
        Processors.
    most
        The greatest number of jobs in a group.
    """
    n = jobs.submit.size
    active = min(n, capacity) + 1
    size = 4 * (2 * active + most + 4)

    return Machine(
        busy=np.zeros(capacity, np.bool_),
        claim=np.zeros((3, capacity), np.bool_),
        queue_size=queue_size,
        active=ints(3, active),
        active_size=ints(3),
        belief=belief.copy(),
        left=belief.copy(),
        rest=jobs.run.copy(),
        since=np.full(n, -1, np.int64),
        at=ints(n),
        pieces=ints(n),
        started=np.zeros(n, np.bool_),
        planned=np.zeros(n, np.bool_),
        group=ints(3, most + 1),
        group_size=ints(3),
        finisher=ints(3),
        kind=kind.copy(),
        state=np.array([capacity, 0, 0, 0, NO_SLICE, 0, 0, 0, 0, 0, 0], np.int64),
        when=ints(size),
        room=ints(size),
        span=ints(2),
        ends=ints(active),
        widths=ints(active),
        line=ints(3, 3 * active + most),
        scratch=ints(2, most + 1),
        visits=ints(2, 2),
    )


@njit(cache=True, nogil=True, _nrt=False)
def stop(jobs: Jobs, machine: Machine, record: Record, j: Int, t: Int) -> None:
    """End a segment of running job j of `jobs` at second t; machine and record are modified in place."""
    begin = machine.since[j]
    i = machine.state[SEGMENTS]
    record.job[i] = j
    record.begin[i] = begin
    record.end[i] = t
    machine.state[SEGMENTS] = i + 1
    machine.left[j] -= t - begin
    machine.rest[j] -= t - begin
    machine.since[j] = -1
    machine.state[IDLE] += jobs.width[j]
    for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
        for node in range(record.low[p], record.high[p] + 1):
            machine.busy[node] = False


@njit(cache=True, nogil=True, _nrt=False)
def resume(jobs: Jobs, machine: Machine, record: Record, j: Int, t: Int) -> None:
    """Resume preempted job j of `jobs` at second t on its processors in `record`; `machine` is modified in place."""
    machine.since[j] = t
    machine.state[IDLE] -= jobs.width[j]
    for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
        for node in range(record.low[p], record.high[p] + 1):
            machine.busy[node] = True


@njit(cache=True, nogil=True, _nrt=False)
def begin_job(jobs: Jobs, machine: Machine, record: Record, start: Ints, j: Int, t: Int) -> None:
    """Start a waiting job on the lowest processors that it may have.

    Parameters
    ----------
    jobs
        The jobs.
    machine, record
        Modified in place.
    start
        (n,) int64, s; entry j is filled in place.
    j, t
        Row, and s.
    """
    kind = machine.kind[j]
    start[j] = t
    machine.since[j] = t
    machine.started[j] = True
    machine.state[IDLE] -= jobs.width[j]
    p = machine.state[PIECES]
    machine.at[j] = p
    processors = jobs.width[j]
    node = 0
    before = -2
    while processors > 0:
        if not machine.busy[node] and not machine.claim[kind, node]:
            machine.busy[node] = True
            machine.claim[kind, node] = True
            processors -= 1
            if before == node - 1:
                record.high[p - 1] = node
            else:
                record.low[p] = node
                record.high[p] = node
                p += 1
            before = node
        node += 1
    machine.pieces[j] = p - machine.at[j]
    machine.state[PIECES] = p
    i = machine.active_size[kind]
    while i > 0 and machine.active[kind, i - 1] > j:
        machine.active[kind, i] = machine.active[kind, i - 1]
        i -= 1
    machine.active[kind, i] = j
    machine.active_size[kind] += 1


@njit(cache=True, nogil=True, _nrt=False)
def finish_jobs(jobs: Jobs, machine: Machine, record: Record, t: Int) -> None:
    """End all jobs that are complete at second t; machine and record are modified in place."""
    for kind in range(3):
        left = 0
        for i in range(machine.active_size[kind]):
            j = machine.active[kind, i]
            if machine.since[j] >= 0 and machine.since[j] + machine.rest[j] == t:
                stop(jobs, machine, record, j, t)
                for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
                    for node in range(record.low[p], record.high[p] + 1):
                        machine.claim[kind, node] = False
            else:
                machine.active[kind, left] = j
                left += 1
        machine.active_size[kind] = left


@njit(cache=True, nogil=True, _nrt=False)
def next_completion(machine: Machine) -> Int:
    """Return when the next running job of `machine` ends, s; FAR if none runs."""
    least: Int = FAR
    for kind in range(3):
        for i in range(machine.active_size[kind]):
            j = machine.active[kind, i]
            if machine.since[j] >= 0:
                least = min(least, machine.since[j] + machine.rest[j])
    return least


@njit(cache=True, nogil=True, _nrt=False)
def next_kind(machine: Machine, first: Int) -> Int:
    """Return the first class of which `machine` has jobs, from class `first` on; 3 if there is none."""
    for kind in range(first, 3):
        if machine.queue_size[kind] > 0 or machine.active_size[kind] > 0:
            return kind
    return 3


@njit(cache=True, nogil=True, _nrt=False)
def left_at(machine: Machine, j: Int, t: Int) -> Int:
    """Return how much longer, s, a started or waiting job j of `machine` runs from second t on, as is believed."""
    return machine.left[j] - (t - machine.since[j] if machine.since[j] >= 0 else 0)


@njit(cache=True, nogil=True, _nrt=False)
def until(machine: Machine, turn: Turn, j: Int) -> Int:
    """Return when job j of `machine`, if it runs from now on, leaves its processors to the class of `turn`, s."""
    end = turn.t + left_at(machine, j, turn.t)
    return end if machine.kind[j] == turn.kind else min(end, turn.slice_end)


@njit(cache=True, nogil=True, _nrt=False)
def collect(jobs: Jobs, machine: Machine, turn: Turn, ends: Ints, widths: Ints) -> Int:
    """Sort the running jobs by their ends, and return their number.

    Parameters
    ----------
    jobs, machine
        Not modified.
    turn
        The scheduling pass.
    ends, widths
        (running jobs or more,) int64, s and processors, filled in place.

    Returns
    -------
    int
        The number of running jobs.
    """
    count = 0
    for x in range(3):
        for i in range(machine.active_size[x]):
            j = machine.active[x, i]
            if machine.since[j] >= 0:
                ends[count] = until(machine, turn, j)
                widths[count] = jobs.width[j]
                count += 1
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: it allocates nothing, and there are few jobs
        for i in range(gap, count):
            end = ends[i]
            width = widths[i]
            k = i
            while k >= gap and ends[k - gap] > end:
                ends[k] = ends[k - gap]
                widths[k] = widths[k - gap]
                k -= gap
            ends[k] = end
            widths[k] = width
        gap //= 3
    return count


@njit(cache=True, nogil=True, _nrt=False)
def draw_profile(jobs: Jobs, machine: Machine, turn: Turn) -> None:
    """Set up the profile of the running ones of `jobs` from second `turn.t` on.

    The profile and the work space of `machine` are modified in place.
    """
    count = collect(jobs, machine, turn, machine.ends, machine.widths)
    first = machine.when.size // 4
    machine.span[FIRST] = first
    machine.when[first] = turn.t
    machine.room[first] = machine.state[IDLE]
    last = first + 1
    for i in range(count):
        if machine.ends[i] == machine.when[last - 1]:
            machine.room[last - 1] += machine.widths[i]
        else:
            machine.when[last] = machine.ends[i]
            machine.room[last] = machine.room[last - 1] + machine.widths[i]
            last += 1
    machine.span[LAST] = last


@njit(cache=True, nogil=True, _nrt=False)
def fits_until(machine: Machine, end: Int, width: Int) -> bool:
    """Return whether the profile of `machine` has `width` processors from its begin until second `end`."""
    i = machine.span[FIRST]
    while i < machine.span[LAST] and machine.when[i] < end:
        if machine.room[i] < width:
            return False
        i += 1
    return True


@njit(cache=True, nogil=True, _nrt=False)
def idle_for(machine: Machine, kind: Int) -> Int:
    """Return how many processors of `machine` are idle and belong to no started job of class `kind`."""
    count = 0
    for node in range(machine.busy.size):
        if not machine.busy[node] and not machine.claim[kind, node]:
            count += 1
    return count


@njit(cache=True, nogil=True, _nrt=False)
def backfill(
    jobs: Jobs,
    machine: Machine,
    record: Record,
    start: Ints,
    turn: Turn,
    j: Int,
    has_profile: bool | np.bool_,
    room: Int,
) -> bool:
    """Start or resume a job if it disturbs no other job.

    Parameters
    ----------
    jobs
        The jobs.
    machine, record
        Modified in place.
    start
        (n,) int64, s; entry j is filled in place if the job starts.
    turn
        The scheduling pass.
    j
        Row of a job that does not run.
    has_profile
        Whether there is a profile that the job must fit.
    room
        The number of processors that are idle and belong to no job of its class, or a larger number; -1: not known.

    Returns
    -------
    bool
        Whether it runs now.
    """
    width = jobs.width[j]
    if width > machine.state[IDLE] or (room >= 0 and width > room):
        return False
    end = until(machine, turn, j)
    if has_profile and not fits_until(machine, end, width):
        return False
    if machine.started[j]:
        for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
            for node in range(record.low[p], record.high[p] + 1):
                if machine.busy[node]:
                    return False
        resume(jobs, machine, record, j, turn.t)
    else:
        if room < 0 and idle_for(machine, machine.kind[j]) < width:
            return False
        begin_job(jobs, machine, record, start, j, turn.t)
    if has_profile:
        add(machine.when, machine.room, machine.span, turn.t, end, -width)
    return True

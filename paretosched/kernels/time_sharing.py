"""SCOJO-PECT (paper 004): the machine belongs to classes of jobs in turn, and jobs are preempted to disk.

At one second: completions, arrivals, then the end or the beginning of a slice, then one scheduling pass. A slice ends
when its time is up or nothing of its class is left. The next one is that of the next class in the order short, medium,
long of which anything is there; after the last class a new interval begins. If that is the same class, its jobs run on;
otherwise all jobs stop, nothing runs for the overhead, and then the slice begins. A machine without jobs has no slice,
and begins one at once when jobs arrive.

A slice gets what is left of the interval, less an overhead for each later class with jobs, divided by the shares of
these classes; a short slice lasts as long as the longest short job needs, within its limit, or for its share.

Processors have numbers. The jobs of a class that have started never share one, so that all of them can run in their
slice; a job starts on the lowest processors that are idle and that no started job of its own class has. Jobs of other
classes run in a slice if their processors are idle and, until the slice ends, neither EASY's reservation for the first
job of the slice's class nor a group's plan needs them. In its slice the jobs of a plan are planned anew at every event,
in the order that was found, each as early as it fits (plan backfilling), and start when their time has come.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..core.arrays import Ints
from .group_search import Planning, Tree, plan
from .inputs import Jobs
from .profile import FIRST, LAST, add, earliest

FAR = np.int64(0x7FFFFFFFFFFFFFFF)
SHORT, MEDIUM, LONG, NO_SLICE = 0, 1, 2, 3
# Entries of `Machine.state`: idle processors; entries of the record; the slice's class, its begin, and its end, which
# is no later while the machine switches; the interval's end; era and row of shares; the next job to arrive.
IDLE, SEGMENTS, PIECES, SWITCHES, KIND, BEGIN, END, INTERVAL_END, ERA, ROW, ARRIVED = range(11)
GROUPS, JOBS, VISITED, PRUNED = 0, 1, 2, 3  # rows of what is counted
ROWS, BEGINS, ENDS = 0, 1, 2  # of `Machine.line`


class Slices(NamedTuple):
    """What SCOJO-PECT is told; `timesharing.TimeSharing` says what it means.

    Attributes
    ----------
    begin, row
        (e,) from which second of the trace on which row of `shares` holds.
    shares
        (rows, 3), short, medium, long.
    """

    interval: int
    overhead: int
    short_slice: int
    backfill: bool
    optimise: bool
    begin: NDArray[np.int64]
    row: NDArray[np.int64]
    shares: NDArray[np.float64]


class Machine(NamedTuple):
    """The machine and its jobs; S = 3 classes, H started jobs of a class at most.

    Attributes
    ----------
    busy
        (capacity,) whether a processor is in use.
    owned
        (S, capacity) whether a started job of the class has it.
    queue, queued
        (S, n), (S,) waiting jobs in the order of submission.
    held, holding
        (S, H), (S,) started jobs by row, running or preempted.
    told, left, rest
        (n,) how long the scheduler believes a job runs, and runs on; how long it does run on. Both as of `since`.
    since
        (n,) since when a job runs; -1 if it does not.
    at, pieces
        (n,) the ranges of its processors in the record.
    started, planned
        (n,) whether it has started; is a group's.
    group, grouped, finisher
        (S, most), (S,), (S,) the orders of the groups, how many jobs they have, and the jobs with which they finish.
    kind
        (n,) class.
    state
        See IDLE and the following.
    when, room, span
        The profile.
    ends, widths
        Of running jobs.
    line
        (3, ...) row, begin and end of running and planned jobs.
    scratch
        (2, most) work space for groups.
    seen
        (2, 2) nodes visited and pruned in a group, by level.
    """

    busy: NDArray[np.bool_]
    owned: NDArray[np.bool_]
    queue: NDArray[np.int64]
    queued: NDArray[np.int64]
    held: NDArray[np.int64]
    holding: NDArray[np.int64]
    told: NDArray[np.int64]
    left: NDArray[np.int64]
    rest: NDArray[np.int64]
    since: NDArray[np.int64]
    at: NDArray[np.int64]
    pieces: NDArray[np.int64]
    started: NDArray[np.bool_]
    planned: NDArray[np.bool_]
    group: NDArray[np.int64]
    grouped: NDArray[np.int64]
    finisher: NDArray[np.int64]
    kind: NDArray[np.int64]
    state: NDArray[np.int64]
    when: NDArray[np.int64]
    room: NDArray[np.int64]
    span: NDArray[np.int64]
    ends: NDArray[np.int64]
    widths: NDArray[np.int64]
    line: NDArray[np.int64]
    scratch: NDArray[np.int64]
    seen: NDArray[np.int64]


class Record(NamedTuple):
    """What is written down as it happens: segments (job, begin, end), ranges (low, high), switches (their begins)."""

    job: NDArray[np.int64]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    switches: NDArray[np.int64]


@njit(cache=True, nogil=True, _nrt=False)
def stop(jobs, machine, record, j, t):
    """End a segment of a running job."""
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
def resume(jobs, machine, record, j, t):
    """Let a preempted job go on where it was."""
    machine.since[j] = t
    machine.state[IDLE] -= jobs.width[j]
    for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
        for node in range(record.low[p], record.high[p] + 1):
            machine.busy[node] = True


@njit(cache=True, nogil=True, _nrt=False)
def begin_job(jobs, machine, record, start, j, t):
    """Start a waiting job on the lowest processors that it may have."""
    kind = machine.kind[j]
    start[j] = t
    machine.since[j] = t
    machine.started[j] = True
    machine.state[IDLE] -= jobs.width[j]
    p = machine.state[PIECES]
    machine.at[j] = p
    needed = jobs.width[j]
    node = 0
    before = -2
    while needed > 0:
        if not machine.busy[node] and not machine.owned[kind, node]:
            machine.busy[node] = True
            machine.owned[kind, node] = True
            needed -= 1
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
    i = machine.holding[kind]
    while i > 0 and machine.held[kind, i - 1] > j:
        machine.held[kind, i] = machine.held[kind, i - 1]
        i -= 1
    machine.held[kind, i] = j
    machine.holding[kind] += 1


@njit(cache=True, nogil=True, _nrt=False)
def finish_jobs(jobs, machine, record, t):
    """End all jobs that are complete at t."""
    for kind in range(3):
        kept = 0
        for i in range(machine.holding[kind]):
            j = machine.held[kind, i]
            if machine.since[j] >= 0 and machine.since[j] + machine.rest[j] == t:
                stop(jobs, machine, record, j, t)
                for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
                    for node in range(record.low[p], record.high[p] + 1):
                        machine.owned[kind, node] = False
            else:
                machine.held[kind, kept] = j
                kept += 1
        machine.holding[kind] = kept


@njit(cache=True, nogil=True, _nrt=False)
def next_completion(machine):
    """Find when the next running job ends."""
    least = FAR
    for kind in range(3):
        for i in range(machine.holding[kind]):
            j = machine.held[kind, i]
            if machine.since[j] >= 0:
                least = min(least, machine.since[j] + machine.rest[j])
    return least


@njit(cache=True, nogil=True, _nrt=False)
def next_kind(machine, first):
    """Find the first class from `first` on of which there are jobs; 3 if there is none."""
    for kind in range(first, 3):
        if machine.queued[kind] > 0 or machine.holding[kind] > 0:
            return kind
    return 3


@njit(cache=True, nogil=True, _nrt=False)
def left_at(machine, j, t):
    """Give how long the scheduler believes a job goes on."""
    return machine.left[j] - (t - machine.since[j] if machine.since[j] >= 0 else 0)


@njit(cache=True, nogil=True, _nrt=False)
def slice_length(slices, machine, shares_row, kind, t, interval_end):
    """Give the length of a slice that begins now."""
    later = next_kind(machine, kind + 1)
    net = interval_end - t
    for x in range(kind + 1, 3):
        if machine.queued[x] > 0 or machine.holding[x] > 0:
            net -= slices.overhead
    length = net
    if kind == SHORT:
        need = np.int64(0)
        for i in range(machine.queued[SHORT]):
            need = max(need, machine.left[machine.queue[SHORT, i]])
        for i in range(machine.holding[SHORT]):
            need = max(need, left_at(machine, machine.held[SHORT, i], t))
        own = np.int64(np.floor(np.float64(net) * slices.shares[shares_row, SHORT]))
        length = max(min(np.int64(slices.short_slice), need), own)
    elif later < 3:
        share = slices.shares[shares_row, kind]
        length = np.int64(np.floor(np.float64(net) * (share / (share + slices.shares[shares_row, later]))))
    return max(length, np.int64(1))


@njit(cache=True, nogil=True, _nrt=False)
def until(machine, j, kind, slice_end, t):
    """Give when a job that runs from now on leaves its processors, as far as the slice's class cares."""
    end = t + left_at(machine, j, t)
    return end if machine.kind[j] == kind else min(end, slice_end)


@njit(cache=True, nogil=True, _nrt=False)
def collect(jobs, machine, ends, widths, kind, slice_end, t):
    """Sort the ends and widths of the running jobs; gives how many there are."""
    count = 0
    for x in range(3):
        for i in range(machine.holding[x]):
            j = machine.held[x, i]
            if machine.since[j] >= 0:
                ends[count] = until(machine, j, kind, slice_end, t)
                widths[count] = jobs.width[j]
                count += 1
    gap = 1
    while gap < count // 3:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: no allocation, and there are not many
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
def draw_profile(jobs, machine, kind, slice_end, t):
    """Make the profile of the running jobs from t on."""
    count = collect(jobs, machine, machine.ends, machine.widths, kind, slice_end, t)
    first = machine.when.size // 4
    machine.span[FIRST] = first
    machine.when[first] = t
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
def fits_until(machine, end, width):
    """Tell whether the profile has so many processors from its begin until `end`."""
    i = machine.span[FIRST]
    while i < machine.span[LAST] and machine.when[i] < end:
        if machine.room[i] < width:
            return False
        i += 1
    return True


@njit(cache=True, nogil=True, _nrt=False)
def idle_for(machine, kind):
    """Count the idle processors that no started job of a class has."""
    count = 0
    for node in range(machine.busy.size):
        if not machine.busy[node] and not machine.owned[kind, node]:
            count += 1
    return count


@njit(cache=True, nogil=True, _nrt=False)
def backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, room):
    """Start or resume a job if that touches nothing; `room` processors are idle and not its class's, -1 for unknown."""
    width = jobs.width[j]
    if width > machine.state[IDLE] or (room >= 0 and width > room):
        return False
    end = until(machine, j, kind, slice_end, t)
    if drawn and not fits_until(machine, end, width):
        return False
    if machine.started[j]:
        for p in range(machine.at[j], machine.at[j] + machine.pieces[j]):
            for node in range(record.low[p], record.high[p] + 1):
                if machine.busy[node]:
                    return False
        resume(jobs, machine, record, j, t)
    else:
        if room < 0 and idle_for(machine, machine.kind[j]) < width:
            return False
        begin_job(jobs, machine, record, start, j, t)
    if drawn:
        add(machine.when, machine.room, machine.span, t, end, -width)
    return True


@njit(cache=True, nogil=True, _nrt=False)
def renew_group(jobs, capacity, machine, rules, tree, kind, share, slice_end, t, counted):
    """Let a group that has finished go, and form one if there is none and the conditions hold (section 7.2)."""
    c = kind - 1
    if machine.grouped[kind] > 0:
        ended = True
        finisher = machine.finisher[kind]
        if finisher >= 0:
            ended = machine.started[finisher] and machine.rest[finisher] == 0
        waiting = 0
        for i in range(machine.grouped[kind]):
            if not machine.started[machine.group[kind, i]]:
                waiting += 1
        if not ended and waiting > 0:
            return
        for i in range(machine.grouped[kind]):
            machine.planned[machine.group[kind, i]] = False
        machine.grouped[kind] = 0
    waiting = machine.queued[kind]
    if rules.bottom_line:
        if waiting == 0:
            return
    else:
        if waiting < rules.least[c]:
            return
        width = np.int64(0)
        work = np.int64(0)
        for i in range(waiting):
            j = machine.queue[kind, i]
            width += jobs.width[j]
            work += jobs.width[j] * machine.told[j]
        if not width > rules.machines[c] * capacity:
            return
        if not work > rules.work[c] * np.float64(rules.mean_run[c]) * capacity:
            return
    n = min(waiting, rules.most[c])
    for i in range(n):
        j = machine.queue[kind, i]
        machine.group[kind, i] = j
        machine.planned[j] = True
    tree.placed[0] = collect(jobs, machine, tree.ends, tree.widths, kind, slice_end, t)
    tree.time[0] = t
    tree.free[0] = machine.state[IDLE]
    tree.passed[0] = 0
    tree.count[0] = 0
    plan(
        jobs, machine.told, tree, t, share, capacity, rules, c, machine.group, kind, n, machine.scratch, machine.seen,
    )  # fmt: skip
    machine.grouped[kind] = n
    machine.finisher[kind] = -1
    counted[GROUPS, c] += 1
    counted[JOBS, c] += n
    for level in range(2):
        counted[VISITED, level] = machine.seen[level, 0]
        counted[PRUNED, level] = machine.seen[level, 1]
    if not rules.bottom_line:
        machine.finisher[kind] = find_finisher(jobs, capacity, machine, rules, kind, slice_end, t)


@njit(cache=True, nogil=True, _nrt=False)
def find_finisher(jobs, capacity, machine, rules, kind, slice_end, t):
    """Find the job with which a group finishes (Figure 8); it is of the group's class."""
    line = machine.line
    count = 0
    for x in range(3):
        for i in range(machine.holding[x]):
            j = machine.held[x, i]
            if machine.since[j] >= 0:
                line[ROWS, count] = j
                line[BEGINS, count] = t
                line[ENDS, count] = until(machine, j, kind, slice_end, t)
                count += 1
    draw_profile(jobs, machine, kind, slice_end, t)
    for i in range(machine.grouped[kind]):
        j = machine.group[kind, i]
        begin = earliest(machine.when, machine.room, machine.span, t, FAR, FAR, jobs.width[j], machine.told[j])
        add(machine.when, machine.room, machine.span, begin, begin + machine.told[j], -jobs.width[j])
        line[ROWS, count] = j
        line[BEGINS, count] = begin
        line[ENDS, count] = begin + machine.told[j]
        count += 1
    found = np.int64(-1)
    best = 0.0
    finished = 0
    for place in range(count):  # by their ends, then by row
        first = place
        for k in range(place + 1, count):
            if line[ENDS, k] < line[ENDS, first] or (
                line[ENDS, k] == line[ENDS, first] and line[ROWS, k] < line[ROWS, first]
            ):
                first = k
        for what in range(3):
            other = line[what, first]
            line[what, first] = line[what, place]
            line[what, place] = other
        j = line[ROWS, place]
        end = line[ENDS, place]
        if not machine.started[j]:
            finished += 1
        if finished < rules.least[kind - 1] or machine.kind[j] != kind:
            continue
        work = np.int64(0)
        for k in range(count):
            work += jobs.width[line[ROWS, k]] * max(min(line[ENDS, k], end) - line[BEGINS, k], 0)
        use = np.float64(work) / np.float64(capacity * (end - t))
        if found < 0 or use > best * (1.0 - rules.delta):
            best = use
            found = j
        elif use > rules.least_use:
            found = j
    return found


@njit(cache=True, nogil=True, _nrt=False)
def schedule(
    jobs, capacity, slices, machine, record, rules, tree, start, kind, share, slice_end, t, fresh, arrived, counted
):
    """Make one scheduling pass in a slice; jobs `fresh` to `arrived` - 1 have just been submitted."""
    for i in range(machine.holding[kind]):
        j = machine.held[kind, i]
        if machine.since[j] < 0:
            resume(jobs, machine, record, j, t)
    if slices.optimise and kind != SHORT:
        renew_group(jobs, capacity, machine, rules, tree, kind, share, slice_end, t, counted)
    drawn = np.bool_(False)
    unknown = np.int64(-1)
    skipped = arrived  # jobs from here on are not backfilled now
    when = machine.when
    room = machine.room
    span = machine.span
    if machine.grouped[kind] > 0:
        drawn = np.bool_(True)
        draw_profile(jobs, machine, kind, slice_end, t)
        for i in range(machine.grouped[kind]):
            j = machine.group[kind, i]
            if not machine.started[j]:
                begin = earliest(when, room, span, t, FAR, FAR, jobs.width[j], machine.told[j])
                add(when, room, span, begin, begin + machine.told[j], -jobs.width[j])
                if begin == t:
                    begin_job(jobs, machine, record, start, j, t)
        if rules.dynamic:
            for j in range(fresh, arrived):
                taken = machine.started[j] or machine.planned[j]
                if not taken and (machine.kind[j] == kind or slices.backfill):
                    backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, unknown)
        else:
            skipped = fresh
        for i in range(machine.queued[kind]):
            j = machine.queue[kind, i]
            if not machine.started[j] and not machine.planned[j] and j < skipped:
                backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, machine.state[IDLE])
    else:
        for i in range(machine.queued[kind]):
            j = machine.queue[kind, i]
            if not drawn:
                if jobs.width[j] <= machine.state[IDLE]:
                    begin_job(jobs, machine, record, start, j, t)
                    continue
                drawn = np.bool_(True)
                draw_profile(jobs, machine, kind, slice_end, t)
                begin = earliest(when, room, span, t, FAR, FAR, jobs.width[j], machine.told[j])
                add(when, room, span, begin, begin + machine.told[j], -jobs.width[j])
                continue
            if machine.state[IDLE] == 0:
                break
            backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, machine.state[IDLE])
    if slices.backfill:
        for x in range(3):
            if x != kind:
                for i in range(machine.holding[x]):
                    j = machine.held[x, i]
                    if machine.since[j] < 0:
                        backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, unknown)
        for x in range(3):
            if x != kind:
                for i in range(machine.grouped[x]):
                    j = machine.group[x, i]
                    if not machine.started[j]:
                        backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, unknown)
        for x in range(3):
            if x != kind and machine.queued[x] > 0 and machine.state[IDLE] > 0:
                idle = idle_for(machine, x)
                for i in range(machine.queued[x]):
                    j = machine.queue[x, i]
                    if idle == 0 or j >= skipped:
                        break
                    if machine.started[j] or machine.planned[j]:
                        continue
                    if backfill(jobs, machine, record, start, j, kind, slice_end, t, drawn, idle):
                        idle -= jobs.width[j]
    for x in range(3):
        kept = 0
        for i in range(machine.queued[x]):
            j = machine.queue[x, i]
            if not machine.started[j]:
                machine.queue[x, kept] = j
                kept += 1
        machine.queued[x] = kept


def machine_for(jobs: Jobs, told: Ints, kind: Ints, capacity: int, most: int) -> Machine:
    """Make a `Machine` without jobs, for groups of up to `most`."""
    n = jobs.submit.size
    held = min(n, capacity) + 1
    size = 4 * (2 * held + most + 4)

    def ints(*shape):
        return np.zeros(shape, np.int64)

    return Machine(
        busy=np.zeros(capacity, np.bool_),
        owned=np.zeros((3, capacity), np.bool_),
        queue=ints(3, n),
        queued=ints(3),
        held=ints(3, held),
        holding=ints(3),
        told=told.copy(),
        left=told.copy(),
        rest=jobs.run.copy(),
        since=np.full(n, -1, np.int64),
        at=ints(n),
        pieces=ints(n),
        started=np.zeros(n, np.bool_),
        planned=np.zeros(n, np.bool_),
        group=ints(3, most + 1),
        grouped=ints(3),
        finisher=ints(3),
        kind=kind.copy(),
        state=np.array([capacity, 0, 0, 0, NO_SLICE, 0, 0, 0, 0, 0, 0], np.int64),
        when=ints(size),
        room=ints(size),
        span=ints(2),
        ends=ints(held),
        widths=ints(held),
        line=ints(3, 3 * held + most),
        scratch=ints(2, most + 1),
        seen=ints(2, 2),
    )


def share_time(
    jobs: Jobs,
    capacity: int,
    slices: Slices,
    rules: Planning,
    machine: Machine,
    tree: Tree,
    start: Ints,
    counted: Ints,
) -> Record:
    """Fill `start` with the start times of SCOJO-PECT.

    Parameters
    ----------
    jobs, capacity
        `Jobs`, processors.
    slices, rules
        `Slices`, `permutations.Planning`.
    machine, tree
        Without jobs yet.
    start
        (n,) int64, filled.
    counted
        (4, 2) int64, added to: groups, their jobs, by class; nodes visited and pruned, by level of the search.

    Returns
    -------
    Record
        Segments, in the order of their ends; ranges of processors, those of job j are machine.pieces[j] from
        machine.at[j] on; and the begins of switches.
    """
    n = jobs.submit.size
    record = Record(*(np.empty(size, np.int64) for size in (4 * n, 4 * n, 4 * n, 4 * n, 4 * n, n)))
    while not run(jobs, capacity, slices, rules, machine, tree, start, counted, record):
        # An event ends no more segments than jobs run, and starts jobs of no more ranges than there are processors.
        room = 2 * (machine.state[SEGMENTS] + machine.held.size)
        pieces = 2 * (machine.state[PIECES] + capacity)
        sizes = (room, room, room, pieces, pieces, 2 * (machine.state[SWITCHES] + 1))
        record = Record(*(np.resize(kept, max(size, kept.size)) for kept, size in zip(record, sizes, strict=True)))
    used = machine.state[[SEGMENTS, SEGMENTS, SEGMENTS, PIECES, PIECES, SWITCHES]]
    return Record(*(kept[:size] for kept, size in zip(record, used, strict=True)))


@njit(cache=True, nogil=True, _nrt=False)
def run(jobs, capacity, slices, rules, machine, tree, start, counted, record):
    """Simulate until all jobs have ended (True), or the record may be too short for the next event (False)."""
    state = machine.state
    n = jobs.submit.size
    while True:
        t = next_completion(machine)
        if state[ARRIVED] < n:
            t = min(t, jobs.submit[state[ARRIVED]])
        lonely = alone(machine)
        if state[KIND] < NO_SLICE and not lonely:
            t = min(t, max(state[BEGIN], state[END]))
        if t == FAR:
            return True
        running = machine.holding[0] + machine.holding[1] + machine.holding[2]
        if (
            state[SEGMENTS] + running > record.job.size
            or state[PIECES] + capacity > record.low.size
            or state[SWITCHES] == record.switches.size
        ):
            return False
        finish_jobs(jobs, machine, record, t)
        fresh = state[ARRIVED]
        arrived = fresh
        while arrived < n and jobs.submit[arrived] == t:
            x = machine.kind[arrived]
            machine.queue[x, machine.queued[x]] = arrived
            machine.queued[x] += 1
            arrived += 1
        state[ARRIVED] = arrived
        if lonely and t > state[END]:
            begin = state[END] + (t - state[END] - 1) // slices.interval * slices.interval
            begin_interval(slices, machine, begin)
            state[BEGIN] = begin
            state[END] = begin + slices.interval
        if change_slice(jobs, slices, machine, record, t):
            kind = state[KIND]
            share = slices.shares[state[ROW], kind]
            schedule(
                jobs, capacity, slices, machine, record, rules, tree, start, kind, share, state[END], t, fresh, arrived,
                counted,
            )  # fmt: skip


@njit(cache=True, nogil=True, _nrt=False)
def alone(machine):
    """Tell whether a medium or long slice is going on and there are only jobs of its class.

    Then slices of a whole interval follow each other without a switch, and nothing happens between them.
    """
    kind = machine.state[KIND]
    if kind in (SHORT, NO_SLICE) or machine.state[END] <= machine.state[BEGIN]:
        return False
    present = 0
    for x in range(3):
        present += machine.queued[x] + machine.holding[x]
    own = machine.queued[kind] + machine.holding[kind]
    return own > 0 and own == present


@njit(cache=True, nogil=True, _nrt=False)
def begin_interval(slices, machine, t):
    """Begin an interval, with the shares of its hour."""
    state = machine.state
    state[INTERVAL_END] = t + slices.interval
    while state[ERA] + 1 < slices.begin.size and slices.begin[state[ERA] + 1] <= t:
        state[ERA] += 1
    state[ROW] = slices.row[state[ERA]]


@njit(cache=True, nogil=True, _nrt=False)
def change_slice(jobs, slices, machine, record, t):
    """End and begin slices; True if one is going on now, False while the machine switches or has no jobs."""
    state = machine.state
    kind = state[KIND]
    fresh_slice = False
    fresh_interval = False
    if kind == NO_SLICE:
        state[KIND] = next_kind(machine, np.int64(SHORT))
        fresh_slice = True
        fresh_interval = True
    elif t < state[BEGIN]:
        return False
    elif state[END] <= state[BEGIN]:
        fresh_slice = True
    elif t >= state[END] or (machine.queued[kind] == 0 and machine.holding[kind] == 0):
        following = next_kind(machine, kind + 1)
        if following == NO_SLICE:
            following = next_kind(machine, np.int64(SHORT))
            fresh_interval = True
        state[KIND] = following
        if following == NO_SLICE:
            return False
        fresh_slice = True
        if following != kind:
            for x in range(3):
                for i in range(machine.holding[x]):
                    j = machine.held[x, i]
                    if machine.since[j] >= 0:
                        stop(jobs, machine, record, j, t)
            if slices.overhead > 0:
                state[BEGIN] = t + slices.overhead
                state[END] = 0
                record.switches[state[SWITCHES]] = t
                state[SWITCHES] += 1
                fresh_slice = False
    if fresh_interval:
        begin_interval(slices, machine, t)
    if fresh_slice:
        state[BEGIN] = t
        state[END] = t + slice_length(slices, machine, state[ROW], state[KIND], t, state[INTERVAL_END])
    return t >= state[BEGIN]

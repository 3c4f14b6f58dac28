"""SCOJO-PECT (paper 004): the machine belongs to classes of jobs in turn, and jobs are preempted to disk.

The events of one second are completions, arrivals, the end or the beginning of a slice, then one scheduling pass. A
slice ends when its time is over or its class has no jobs. The next slice is that of the next class with jobs, in the
order short, medium, long; after the last class a new interval begins. If the next slice is of the same class, its jobs
run on. Otherwise all jobs stop, no job runs for the overhead, and then the slice begins. A machine without jobs has no
slice, and begins one at once when jobs arrive.

The rest of the interval, less an overhead for each later class with jobs, is divided by the shares of the slice's class
and of these classes. A short slice lasts as long as the longest short job needs, within its limit, or for its share.

Jobs of other classes run in a slice if their processors are idle and, until the slice ends, neither EASY's reservation
for the first job of the slice's class nor a group's plan needs them. In a slice of their class, the jobs of a group are
planned again at every event, in the order of the search, each as early as it fits (plan backfilling), and start when
their planned time comes.
"""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .inputs import Jobs
from .profile import add, earliest
from .scojo_pect_groups import renew_group
from .scojo_pect_machine import (
    ARRIVED,
    BEGIN,
    END,
    ERA,
    FAR,
    IDLE,
    INTERVAL_END,
    KIND,
    NO_SLICE,
    PIECES,
    ROW,
    SEGMENTS,
    SHORT,
    SWITCHES,
    Machine,
    Record,
    Slices,
    Turn,
    backfill,
    begin_job,
    draw_profile,
    finish_jobs,
    idle_for,
    left_at,
    next_completion,
    next_kind,
    resume,
    stop,
)
from .scojo_pect_queue import Queue, any_narrow, enter, leave, longest_short, next_within, set_limits
from .virtual_schedule import Planning, Tree


def share_time(
    jobs: Jobs,
    capacity: int,
    slices: Slices,
    rules: Planning,
    machine: Machine,
    queue: Queue,
    tree: Tree,
    start: Ints,
    search_totals: Ints,
) -> Record:
    """Fill `start` with the start times of SCOJO-PECT.

    Parameters
    ----------
    jobs, capacity
        The jobs, processors.
    slices, rules
        The parameters, of the slices and of the search for orders of groups.
    machine, queue, tree
        Without jobs yet; modified in place.
    start
        (n,) int64, s, filled in place.
    search_totals
        (4, 2) int64, increased in place: groups and their jobs, by class; nodes visited and pruned, by level of the
        search.

    Returns
    -------
    Record
        Segments, in the order of their ends; ranges of processors, of which job j has machine.pieces[j] from
        machine.at[j] on; and the begins of switches.
    """
    n = jobs.submit.size
    record = Record(*(np.empty(size, np.int64) for size in (4 * n, 4 * n, 4 * n, 4 * n, 4 * n, n)))
    while not run(jobs, capacity, slices, rules, machine, queue, tree, start, search_totals, record):
        # An event ends at most one segment for each running job, and begins at most one range for each processor.
        room = 2 * (machine.state[SEGMENTS] + machine.active.size)
        pieces = 2 * (machine.state[PIECES] + capacity)
        sizes = (room, room, room, pieces, pieces, 2 * (machine.state[SWITCHES] + 1))
        record = Record(*(np.resize(part, max(size, part.size)) for part, size in zip(record, sizes, strict=True)))
    sizes_used = machine.state[[SEGMENTS, SEGMENTS, SEGMENTS, PIECES, PIECES, SWITCHES]]
    return Record(*(part[:size] for part, size in zip(record, sizes_used, strict=True)))


@njit(cache=True, nogil=True, _nrt=False)
def run(
    jobs: Jobs,
    capacity: Int,
    slices: Slices,
    rules: Planning,
    machine: Machine,
    queue: Queue,
    tree: Tree,
    start: Ints,
    search_totals: Ints,
    record: Record,
) -> bool:
    """Simulate until all jobs have ended, or until the record may be too short for the next event.

    Parameters
    ----------
    jobs, capacity, slices, rules, machine, queue, tree
        As for `share_time`; the last three are modified in place.
    start, search_totals
        (n,) and (4, 2) int64, as for `share_time`, modified in place.
    record
        Modified in place.

    Returns
    -------
    bool
        Whether all jobs have ended; if not, it must be called again with a longer record.
    """
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
        running = machine.active_size[0] + machine.active_size[1] + machine.active_size[2]
        if (
            state[SEGMENTS] + running > record.job.size
            or state[PIECES] + capacity > record.low.size
            or state[SWITCHES] == record.switches.size
        ):
            return False
        finish_jobs(jobs, machine, record, t)
        fresh = state[ARRIVED]
        arrivals = fresh
        while arrivals < n and jobs.submit[arrivals] == t:
            enter(queue, jobs, machine.belief, machine.kind[arrivals], arrivals)
            arrivals += 1
        state[ARRIVED] = arrivals
        if lonely and t > state[END]:
            begin = state[END] + (t - state[END] - 1) // slices.interval * slices.interval
            begin_interval(slices, machine, begin)
            state[BEGIN] = begin
            state[END] = begin + slices.interval
        if change_slice(jobs, slices, machine, queue, record, t):
            kind = state[KIND]
            turn = Turn(kind, slices.shares[state[ROW], kind], t, state[END], fresh, arrivals)
            schedule(jobs, capacity, slices, machine, queue, record, rules, tree, start, turn, search_totals)


@njit(cache=True, nogil=True, _nrt=False)
def alone(machine: Machine) -> bool:
    """Return whether `machine` has a medium or long slice now and there are only jobs of its class.

    Then slices of a whole interval follow each other without a switch, and nothing changes between them.
    """
    kind = machine.state[KIND]
    if kind in (SHORT, NO_SLICE) or machine.state[END] <= machine.state[BEGIN]:
        return False
    present = 0
    for x in range(3):
        present += machine.queue_size[x] + machine.active_size[x]
    of_kind = machine.queue_size[kind] + machine.active_size[kind]
    return of_kind > 0 and of_kind == present


@njit(cache=True, nogil=True, _nrt=False)
def begin_interval(slices: Slices, machine: Machine, t: Int) -> None:
    """Begin an interval of `slices` at second t, with the shares of its hour; `machine.state` is modified in place."""
    state = machine.state
    state[INTERVAL_END] = t + slices.interval
    while state[ERA] + 1 < slices.begin.size and slices.begin[state[ERA] + 1] <= t:
        state[ERA] += 1
    state[ROW] = slices.row[state[ERA]]


# Compiled into its caller, because passing the machine and the queue would cost a twentieth of the whole time.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def change_slice(jobs: Jobs, slices: Slices, machine: Machine, queue: Queue, record: Record, t: Int) -> bool:
    """End and begin slices.

    Parameters
    ----------
    jobs, slices
        The jobs, and the parameters.
    machine, queue, record
        Modified in place.
    t
        s.

    Returns
    -------
    bool
        Whether there is a slice now; there is none while the machine switches or has no jobs.
    """
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
    elif t >= state[END] or (machine.queue_size[kind] == 0 and machine.active_size[kind] == 0):
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
                for i in range(machine.active_size[x]):
                    j = machine.active[x, i]
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
        state[END] = t + slice_length(slices, machine, queue, state[ROW], state[KIND], t, state[INTERVAL_END])
    return t >= state[BEGIN]


@njit(cache=True, nogil=True, _nrt=False)
def slice_length(
    slices: Slices, machine: Machine, queue: Queue, shares_row: Int, kind: Int, t: Int, interval_end: Int
) -> Int:
    """Return the length of a slice that begins now.

    Parameters
    ----------
    slices, machine
        Not modified.
    queue
        Its heap is modified in place.
    shares_row
        Row of `Slices.shares`.
    kind
        The class of the slice.
    t, interval_end
        s.

    Returns
    -------
    int
        s, at least 1.
    """
    later = next_kind(machine, kind + 1)
    net = interval_end - t
    for x in range(kind + 1, 3):
        if machine.queue_size[x] > 0 or machine.active_size[x] > 0:
            net -= slices.overhead
    length = net
    if kind == SHORT:
        need: Int = longest_short(queue, machine.started)
        for i in range(machine.active_size[SHORT]):
            need = max(need, left_at(machine, machine.active[SHORT, i], t))
        by_share = np.int64(np.floor(np.float64(net) * slices.shares[shares_row, SHORT]))
        length = max(min(np.int64(slices.short_slice), need), by_share)
    elif later < 3:
        share = slices.shares[shares_row, kind]
        length = np.int64(np.floor(np.float64(net) * (share / (share + slices.shares[shares_row, later]))))
    return max(length, np.int64(1))


# Compiled into its caller, because passing the machine and the queue would cost a twentieth of the whole time.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def schedule(
    jobs: Jobs,
    capacity: Int,
    slices: Slices,
    machine: Machine,
    queue: Queue,
    record: Record,
    rules: Planning,
    tree: Tree,
    start: Ints,
    turn: Turn,
    search_totals: Ints,
) -> None:
    """Make one scheduling pass in a slice.

    Parameters
    ----------
    jobs, capacity, slices, rules
        The jobs, processors, and the parameters.
    machine, queue, record, tree
        Modified in place.
    start
        (n,) int64, s, filled in place for the jobs that start.
    turn
        The pass.
    search_totals
        (4, 2) int64, increased in place.
    """
    kind = turn.kind
    t = turn.t
    arrivals = turn.arrivals
    for i in range(machine.active_size[kind]):
        j = machine.active[kind, i]
        if machine.since[j] < 0:
            resume(jobs, machine, record, j, t)
    if slices.optimise and kind != SHORT:
        renew_group(jobs, capacity, machine, queue, rules, tree, turn, search_totals)
    has_profile: bool | np.bool_ = np.bool_(False)  # with a literal, numba would compile `backfill` once more
    unknown = np.int64(-1)
    first_skipped = arrivals  # jobs from here on are not backfilled now
    when = machine.when
    room = machine.room
    span = machine.span
    if machine.group_size[kind] > 0:
        has_profile = np.bool_(True)
        draw_profile(jobs, machine, turn)
        for i in range(machine.group_size[kind]):
            j = machine.group[kind, i]
            if not machine.started[j]:
                begin = earliest(when, room, span, t, FAR, FAR, jobs.width[j], machine.belief[j])
                add(when, room, span, begin, begin + machine.belief[j], -jobs.width[j])
                if begin == t:
                    begin_job(jobs, machine, record, start, j, t)
                    leave(queue, jobs, machine.belief, kind, j)
        if rules.dynamic:
            for j in range(turn.fresh, arrivals):
                if machine.started[j] or machine.planned[j] or not (machine.kind[j] == kind or slices.backfill):
                    continue
                if backfill(jobs, machine, record, start, turn, j, has_profile, unknown):
                    leave(queue, jobs, machine.belief, machine.kind[j], j)
        else:
            first_skipped = turn.fresh
        if machine.queue_size[kind] > 0 and any_narrow(queue, kind, machine.state[IDLE]):
            fill(jobs, machine, queue, record, start, turn, kind, queue.front[kind], has_profile, first_skipped)
    else:
        while machine.queue_size[kind] > 0 and not has_profile:
            slot = next_within(queue, machine.belief, kind, queue.front[kind], queue.endless)
            j = np.int64(queue.row[kind, slot])
            queue.front[kind] = slot
            if jobs.width[j] <= machine.state[IDLE]:
                begin_job(jobs, machine, record, start, j, t)
                leave(queue, jobs, machine.belief, kind, j)
                continue
            has_profile = np.bool_(True)
            draw_profile(jobs, machine, turn)
            begin = earliest(when, room, span, t, FAR, FAR, jobs.width[j], machine.belief[j])
            add(when, room, span, begin, begin + machine.belief[j], -jobs.width[j])
            if machine.queue_size[kind] > 1 and any_narrow(queue, kind, machine.state[IDLE]):
                fill(jobs, machine, queue, record, start, turn, kind, slot + 1, has_profile, arrivals)
    if slices.backfill:
        backfill_others(jobs, machine, queue, record, start, turn, has_profile, first_skipped)


# Compiled into its caller, because passing the machine and the queue would cost a twentieth of the whole time.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def backfill_others(
    jobs: Jobs,
    machine: Machine,
    queue: Queue,
    record: Record,
    start: Ints,
    turn: Turn,
    has_profile: bool | np.bool_,
    first_skipped: Int,
) -> None:
    """Start or resume jobs of other classes than the slice's: preempted, then planned, then waiting jobs.

    Parameters
    ----------
    jobs
        The jobs.
    machine, queue, record
        Modified in place.
    start
        (n,) int64, s, filled in place for the jobs that start.
    turn
        The scheduling pass.
    has_profile
        Whether there is a profile that they must fit.
    first_skipped
        Waiting jobs from this row on do not start.
    """
    unknown = np.int64(-1)
    for x in range(3):
        if x != turn.kind:
            for i in range(machine.active_size[x]):
                j = machine.active[x, i]
                if machine.since[j] < 0:
                    backfill(jobs, machine, record, start, turn, j, has_profile, unknown)
    for x in range(3):
        if x != turn.kind:
            for i in range(machine.group_size[x]):
                j = machine.group[x, i]
                if not machine.started[j] and backfill(jobs, machine, record, start, turn, j, has_profile, unknown):
                    leave(queue, jobs, machine.belief, x, j)
    for x in range(3):
        if x != turn.kind and machine.queue_size[x] > 0 and any_narrow(queue, x, machine.state[IDLE]):
            fill(jobs, machine, queue, record, start, turn, x, queue.front[x], has_profile, first_skipped)


@njit(cache=True, nogil=True, _nrt=False)
def fill(
    jobs: Jobs,
    machine: Machine,
    queue: Queue,
    record: Record,
    start: Ints,
    turn: Turn,
    x: Int,
    slot: Int,
    has_profile: bool | np.bool_,
    first_skipped: Int,
) -> None:
    """Start waiting jobs of a class in the order of submission, if they fit and belong to no group.

    Parameters
    ----------
    jobs
        The jobs.
    machine, queue, record
        Modified in place.
    start
        (n,) int64, s, filled in place for the jobs that start.
    turn
        The scheduling pass.
    x, slot, first_skipped
        The class; its jobs from this slot on, with rows before `first_skipped`, are tried.
    has_profile
        Whether there is a profile that they must fit.
    """
    own = x == turn.kind
    idle = machine.state[IDLE] if own else idle_for(machine, x)
    end = FAR if own else turn.slice_end
    with_profile: bool | np.bool_ = np.bool_(False)  # the limits: widths alone are often enough
    set_limits(queue, machine.when, machine.room, machine.span, with_profile, idle, turn.t, end)
    while idle > 0:
        slot = next_within(queue, machine.belief, x, slot, queue.limits)
        if slot < 0:
            return
        j = np.int64(queue.row[x, slot])
        if j >= first_skipped:
            return
        slot += 1
        if jobs.width[j] > idle or machine.planned[j]:
            continue
        if backfill(jobs, machine, record, start, turn, j, has_profile, idle):
            idle -= jobs.width[j]
            leave(queue, jobs, machine.belief, x, j)
            with_profile = np.bool_(False)
        elif not with_profile:
            with_profile = np.bool_(True)
            set_limits(queue, machine.when, machine.room, machine.span, has_profile, idle, turn.t, end)

"""SCOJO-PECT (paper 004): the machine belongs to classes of jobs in turn, and jobs are preempted to disk.

At one second: completions, arrivals, then the end or the beginning of a slice, then one scheduling pass. A slice ends
when its time is up or nothing of its class is left. The next one is that of the next class in the order short, medium,
long of which anything is there; after the last class a new interval begins. If that is the same class, its jobs run on;
otherwise all jobs stop, nothing runs for the overhead, and then the slice begins. A machine without jobs has no slice,
and begins one at once when jobs arrive.

A slice gets what is left of the interval, less an overhead for each later class with jobs, divided by the shares of
these classes; a short slice lasts as long as the longest short job needs, within its limit, or for its share.

Jobs of other classes run in a slice if their processors are idle and, until the slice ends, neither EASY's reservation
for the first job of the slice's class nor a group's plan needs them. In its slice the jobs of a plan are planned anew
at every event, in the order that was found, each as early as it fits (plan backfilling), and start when their time has
come.
"""

import numpy as np
from numba import njit

from ..core.arrays import Int, Ints
from .inputs import Jobs
from .profile import add, earliest
from .time_sharing_groups import renew_group
from .time_sharing_machine import (
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
from .virtual_schedule import Planning, Tree


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
        The jobs, processors.
    slices, rules
        The parameters, of the slices and of the search for orders of groups.
    machine, tree
        Without jobs yet; modified in place.
    start
        (n,) int64, s, filled in place.
    counted
        (4, 2) int64, added to in place: groups, their jobs, by class; nodes visited and pruned, by level of the search.

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
        room = 2 * (machine.state[SEGMENTS] + machine.active.size)
        pieces = 2 * (machine.state[PIECES] + capacity)
        sizes = (room, room, room, pieces, pieces, 2 * (machine.state[SWITCHES] + 1))
        record = Record(*(np.resize(part, max(size, part.size)) for part, size in zip(record, sizes, strict=True)))
    used = machine.state[[SEGMENTS, SEGMENTS, SEGMENTS, PIECES, PIECES, SWITCHES]]
    return Record(*(part[:size] for part, size in zip(record, used, strict=True)))


@njit(cache=True, nogil=True, _nrt=False)
def run(
    jobs: Jobs,
    capacity: Int,
    slices: Slices,
    rules: Planning,
    machine: Machine,
    tree: Tree,
    start: Ints,
    counted: Ints,
    record: Record,
) -> bool:
    """Simulate until all jobs have ended, or the record may be too short for the next event.

    Parameters
    ----------
    jobs, capacity, slices, rules, machine, tree, start, counted
        As of `share_time`.
    record
        Modified in place.

    Returns
    -------
    bool
        Whether all jobs have ended; if not, a longer record lets it go on.
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
        arrived = fresh
        while arrived < n and jobs.submit[arrived] == t:
            x = machine.kind[arrived]
            machine.queue[x, machine.queue_size[x]] = arrived
            machine.queue_size[x] += 1
            arrived += 1
        state[ARRIVED] = arrived
        if lonely and t > state[END]:
            begin = state[END] + (t - state[END] - 1) // slices.interval * slices.interval
            begin_interval(slices, machine, begin)
            state[BEGIN] = begin
            state[END] = begin + slices.interval
        if change_slice(jobs, slices, machine, record, t):
            kind = state[KIND]
            turn = Turn(kind, slices.shares[state[ROW], kind], t, state[END], fresh, arrived)
            schedule(jobs, capacity, slices, machine, record, rules, tree, start, turn, counted)


@njit(cache=True, nogil=True, _nrt=False)
def alone(machine: Machine) -> bool:
    """Return whether a medium or long slice is going on and there are only jobs of its class.

    Then slices of a whole interval follow each other without a switch, and nothing happens between them.
    """
    kind = machine.state[KIND]
    if kind in (SHORT, NO_SLICE) or machine.state[END] <= machine.state[BEGIN]:
        return False
    present = 0
    for x in range(3):
        present += machine.queue_size[x] + machine.active_size[x]
    own = machine.queue_size[kind] + machine.active_size[kind]
    return own > 0 and own == present


@njit(cache=True, nogil=True, _nrt=False)
def begin_interval(slices: Slices, machine: Machine, t: Int) -> None:
    """Begin an interval at second t, with the shares of its hour; the machine's state is modified in place."""
    state = machine.state
    state[INTERVAL_END] = t + slices.interval
    while state[ERA] + 1 < slices.begin.size and slices.begin[state[ERA] + 1] <= t:
        state[ERA] += 1
    state[ROW] = slices.row[state[ERA]]


@njit(cache=True, nogil=True, _nrt=False)
def change_slice(jobs: Jobs, slices: Slices, machine: Machine, record: Record, t: Int) -> bool:
    """End and begin slices.

    Parameters
    ----------
    jobs, slices
        The jobs, and the parameters.
    machine, record
        Modified in place.
    t
        s.

    Returns
    -------
    bool
        Whether a slice is going on now; not while the machine switches or has no jobs.
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
        state[END] = t + slice_length(slices, machine, state[ROW], state[KIND], t, state[INTERVAL_END])
    return t >= state[BEGIN]


@njit(cache=True, nogil=True, _nrt=False)
def slice_length(slices: Slices, machine: Machine, shares_row: Int, kind: Int, t: Int, interval_end: Int) -> Int:
    """Return the length of a slice that begins now.

    Parameters
    ----------
    slices, machine
        Not modified.
    shares_row
        Of `Slices.shares`.
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
        need: Int = np.int64(0)
        for i in range(machine.queue_size[SHORT]):
            need = max(need, machine.left[machine.queue[SHORT, i]])
        for i in range(machine.active_size[SHORT]):
            need = max(need, left_at(machine, machine.active[SHORT, i], t))
        own = np.int64(np.floor(np.float64(net) * slices.shares[shares_row, SHORT]))
        length = max(min(np.int64(slices.short_slice), need), own)
    elif later < 3:
        share = slices.shares[shares_row, kind]
        length = np.int64(np.floor(np.float64(net) * (share / (share + slices.shares[shares_row, later]))))
    return max(length, np.int64(1))


@njit(cache=True, nogil=True, _nrt=False)
def schedule(
    jobs: Jobs,
    capacity: Int,
    slices: Slices,
    machine: Machine,
    record: Record,
    rules: Planning,
    tree: Tree,
    start: Ints,
    turn: Turn,
    counted: Ints,
) -> None:
    """Make one scheduling pass in a slice.

    Parameters
    ----------
    jobs, capacity, slices, rules
        The jobs, processors, and the parameters.
    machine, record, tree
        Modified in place.
    start
        (n,) int64, s, filled in place for the jobs that start.
    turn
        The pass.
    counted
        (4, 2) int64, added to in place.
    """
    kind = turn.kind
    t = turn.t
    arrived = turn.arrived
    for i in range(machine.active_size[kind]):
        j = machine.active[kind, i]
        if machine.since[j] < 0:
            resume(jobs, machine, record, j, t)
    if slices.optimise and kind != SHORT:
        renew_group(jobs, capacity, machine, rules, tree, turn, counted)
    drawn: bool | np.bool_ = np.bool_(False)  # a literal would have `backfill` compiled once more
    unknown = np.int64(-1)
    skipped = arrived  # jobs from here on are not backfilled now
    when = machine.when
    room = machine.room
    span = machine.span
    if machine.group_size[kind] > 0:
        drawn = np.bool_(True)
        draw_profile(jobs, machine, turn)
        for i in range(machine.group_size[kind]):
            j = machine.group[kind, i]
            if not machine.started[j]:
                begin = earliest(when, room, span, t, FAR, FAR, jobs.width[j], machine.belief[j])
                add(when, room, span, begin, begin + machine.belief[j], -jobs.width[j])
                if begin == t:
                    begin_job(jobs, machine, record, start, j, t)
        if rules.dynamic:
            for j in range(turn.fresh, arrived):
                taken = machine.started[j] or machine.planned[j]
                if not taken and (machine.kind[j] == kind or slices.backfill):
                    backfill(jobs, machine, record, start, turn, j, drawn, unknown)
        else:
            skipped = turn.fresh
        for i in range(machine.queue_size[kind]):
            j = machine.queue[kind, i]
            if not machine.started[j] and not machine.planned[j] and j < skipped:
                backfill(jobs, machine, record, start, turn, j, drawn, machine.state[IDLE])
    else:
        for i in range(machine.queue_size[kind]):
            j = machine.queue[kind, i]
            if not drawn:
                if jobs.width[j] <= machine.state[IDLE]:
                    begin_job(jobs, machine, record, start, j, t)
                    continue
                drawn = np.bool_(True)
                draw_profile(jobs, machine, turn)
                begin = earliest(when, room, span, t, FAR, FAR, jobs.width[j], machine.belief[j])
                add(when, room, span, begin, begin + machine.belief[j], -jobs.width[j])
                continue
            if machine.state[IDLE] == 0:
                break
            backfill(jobs, machine, record, start, turn, j, drawn, machine.state[IDLE])
    if slices.backfill:
        backfill_others(jobs, machine, record, start, turn, drawn, skipped)
    for x in range(3):
        waiting = 0
        for i in range(machine.queue_size[x]):
            j = machine.queue[x, i]
            if not machine.started[j]:
                machine.queue[x, waiting] = j
                waiting += 1
        machine.queue_size[x] = waiting


# Compiled into its caller: handing over the machine costs a twentieth of the whole otherwise.
@njit(cache=True, nogil=True, _nrt=False, inline="always")
def backfill_others(
    jobs: Jobs, machine: Machine, record: Record, start: Ints, turn: Turn, drawn: bool | np.bool_, skipped: Int
) -> None:
    """Let jobs of other classes than the slice's run: preempted ones, then those of plans, then waiting ones.

    Parameters
    ----------
    jobs
        The jobs.
    machine, record
        Modified in place.
    start
        (n,) int64, s, filled in place for the jobs that start.
    turn
        The scheduling pass.
    drawn
        Whether there is a profile that they must fit.
    skipped
        Waiting jobs from this row on stay.
    """
    unknown = np.int64(-1)
    for x in range(3):
        if x != turn.kind:
            for i in range(machine.active_size[x]):
                j = machine.active[x, i]
                if machine.since[j] < 0:
                    backfill(jobs, machine, record, start, turn, j, drawn, unknown)
    for x in range(3):
        if x != turn.kind:
            for i in range(machine.group_size[x]):
                j = machine.group[x, i]
                if not machine.started[j]:
                    backfill(jobs, machine, record, start, turn, j, drawn, unknown)
    for x in range(3):
        if x != turn.kind and machine.queue_size[x] > 0 and machine.state[IDLE] > 0:
            idle = idle_for(machine, x)
            for i in range(machine.queue_size[x]):
                j = machine.queue[x, i]
                if idle == 0 or j >= skipped:
                    break
                if machine.started[j] or machine.planned[j]:
                    continue
                if backfill(jobs, machine, record, start, turn, j, drawn, idle):
                    idle -= jobs.width[j]

"""Reservations for whole nodes, in passes once in a while: how Slurm starts jobs, beside any order of the waiting jobs.

There are two passes, as in Slurm, both in the order of the waiting jobs:

- The main pass, in every second in which a job arrives or ends: jobs start while they fit, at most the `first` ones.
- The backfill pass, in every second that is a multiple of `every`: of the first `tested` jobs, each one starts now if
  enough processors are free on nodes that no reservation needs before the expected end of the job. Else, while there
  may be more reservations, it gets one at the earliest expected end of a job or of a reservation from which on there
  are enough processors, but not later than `window` from now. A reservation is for the nodes on which the job would
  start; no other job may use them then, also if it leaves processors over. It begins and ends at multiples of `step`.

A job gets nodes of a row of neighbours that all have free processors: of the row that has the fewest and enough; if
none has, the whole row that has most, and the rest likewise. In the row it gets the node with the fewest that has
enough, else the nodes from the first one on. So does select/cons_tres.

Nothing is kept from one pass to the next. As long as no job arrives, starts or ends, the order is the same, and a
reservation that was too far in the future still is, a pass finds the same reservations, and all of them are nearer: no
job can start that could not start in the pass before. Such passes are left out, and passes in which no waiting job
fits.
"""

from ..core.arrays import Floats, Int, Ints
from ..core.situations import Calendar
from .compiling import njit
from .events import era_at, next_event
from .fair_share import Tree
from .formulas import Program
from .inputs import Backfilling, Jobs, Nodes
from .priority import Desk, Ranking, empty_desk, rank, ranking_of
from .rack import BEYOND, CHANGED, FREE, LINED, NONE, OPEN, PLACES, RUNNING, SPARE, Rack, empty_rack, pick
from .running import Running, end_next, expect, forget, launch, next_end, running_jobs
from .usage import note_usage
from .waiting_heap import count_fitting, still_waiting, take_first
from .waiting_tree import FAR


def in_node_passes(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
    nodes: Nodes,
    fixed: bool,
    start: Ints,
) -> None:
    """Fill `start` with the start times of an order on nodes, see the top of this file.

    Parameters
    ----------
    jobs, capacity, calendar, order, candidates, accounts, shares, half_life, tree
        As for `in_order_of_parts`.
    backfilling
        `Backfilling`, of which only the number of reservations counts; all groups are entitled to them.
    nodes
        `Nodes`, with `capacity` processors together.
    fixed
        Whether the order of two waiting jobs never changes.
    start
        (n,) int64, s, filled in place.
    """
    ranking = ranking_of(order, candidates, backfilling, accounts, shares, half_life, tree)
    rack = empty_rack(jobs, capacity, nodes, backfilling.reservations)
    desk = empty_desk(jobs.submit.size, backfilling)
    _in_node_passes(jobs, calendar, ranking, nodes, fixed, running_jobs(start, capacity, False), desk, rack)


@njit(cache=True, nogil=True, _nrt=False)
def _in_node_passes(
    jobs: Jobs,
    calendar: Calendar,
    ranking: Ranking,
    nodes: Nodes,
    fixed: bool,
    now: Running,
    desk: Desk,
    rack: Rack,
) -> None:
    """Do the work of `in_node_passes` without allocating memory.

    Parameters
    ----------
    jobs, calendar, nodes, fixed
        As for `in_node_passes`.
    ranking, now, desk, rack
        `Ranking`, `Running`, `Desk` and `Rack`, modified in place: the start times of `now` are filled.
    """
    n = jobs.submit.size
    waiting = desk.waiting
    state = rack.state
    reserves = ranking.backfilling.reservations > 0
    arrived: Int = 0
    era: Int = 0
    count: Int = 0
    tick: Int = FAR  # the next backfill pass that may start a job
    while arrived < n or count > 0:
        event = next_event(jobs, arrived, now, state[RUNNING])
        t: Int = min(event, tick)
        tick = FAR
        while state[RUNNING] > 0 and next_end(now) == t:
            vacate(jobs, ranking, now, rack, t)
        while arrived < n and jobs.submit[arrived] == t:
            now.start[arrived] = NONE
            waiting.rows[count] = arrived
            count += 1
            arrived += 1
            state[CHANGED] = 1
        if count_fitting(waiting.rows, count, jobs.width, state[FREE]) == 0:
            continue
        era = era_at(calendar, era, t)
        for i in range(count):
            waiting.queue[i] = waiting.rows[i]
        rank(ranking.order, calendar.kind[era], jobs, t, ranking, desk, count)
        left = count
        if t == event:
            tried: Int = 0
            while left > 0 and tried < nodes.first and jobs.width[waiting.queue[0]] <= state[FREE]:
                j = take_first(waiting, 0, left, True)
                left -= 1
                tried += 1
                for node in range(rack.free.size):
                    rack.usable[node] = rack.free[node]
                occupy(jobs, ranking, now, rack, j, t)
        if reserves and left > 0 and t % nodes.every == 0:
            backfill(jobs, ranking, nodes, now, desk, rack, left, t)
        count = still_waiting(waiting.rows, count, now.start)
        soonest: Int = t + 1 if state[CHANGED] == 1 or not fixed else max(t + 1, state[BEYOND])
        if reserves and soonest < FAR and count_fitting(waiting.rows, count, jobs.width, state[FREE]) > 0:
            tick = -(-soonest // nodes.every) * nodes.every


@njit(cache=True, nogil=True, _nrt=False)
def backfill(
    jobs: Jobs, ranking: Ranking, nodes: Nodes, now: Running, desk: Desk, rack: Rack, left: Int, t: Int
) -> None:
    """Do a backfill pass in second t.

    Parameters
    ----------
    jobs, nodes
        `Jobs` and `Nodes`.
    ranking, now, rack
        `Ranking`, `Running` and `Rack`, modified in place.
    desk, left
        `Desk`, and how many jobs are in the heap of its queue.
    """
    state = rack.state
    if not line_up(jobs, nodes, desk, rack, left) and state[CHANGED] == 0 and t < state[BEYOND]:
        return
    state[CHANGED] = 0
    state[BEYOND] = FAR
    state[PLACES] = 0
    for node in range(rack.since.size):
        rack.since[node] = FAR
    # Each reservation leaves less: when none of the jobs that are left can start, the pass is over.
    note_open(rack)
    starting = next_starting(jobs, rack, 0, t)
    i: Int = 0
    while starting < state[LINED]:
        if state[PLACES] == ranking.backfilling.reservations:
            i = starting  # nothing asks for the seconds of those between
        j = rack.line[i]
        if i == starting:
            free_until(rack, t + jobs.estimate[j])
            occupy(jobs, ranking, now, rack, j, t)
            note_open(rack)
            rack.found[i] = t
        else:
            begin = earliest_room(jobs, now, rack, j, no_room_before(jobs, rack, i, t), t, nodes.window)
            rack.found[i] = begin
            if begin < FAR:
                reserve_nodes(jobs, nodes, rack, j, begin)
        i += 1
        starting = next_starting(jobs, rack, max(starting, i), t)


@njit(cache=True, nogil=True, _nrt=False)
def note_open(rack: Rack) -> None:
    """Fill `open` of `rack`, a `Rack`, with the nodes that have free processors."""
    count: Int = 0
    for node in range(rack.free.size):
        if rack.free[node] > 0:
            rack.open[count] = node
            count += 1
    rack.state[OPEN] = count


@njit(cache=True, nogil=True, _nrt=False)
def next_starting(jobs: Jobs, rack: Rack, i: Int, t: Int) -> Int:
    """Return the first place in the line, i or later, whose job could start now; the length of the line if none could.

    `jobs` and `rack` are `Jobs` and `Rack`, which are only read; t is the second.
    """
    while i < rack.state[LINED]:
        j = rack.line[i]
        if jobs.width[j] <= rack.state[FREE]:
            left = jobs.width[j]
            until = t + jobs.estimate[j]
            for k in range(rack.state[OPEN]):
                node = rack.open[k]
                if rack.since[node] >= until:
                    left -= rack.free[node]
                    if left <= 0:
                        return i
        i += 1
    return i


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def free_until(rack: Rack, until: Int) -> None:
    """Fill `usable` of `rack` with the processors that are free on nodes which are not reserved before `until`."""
    for node in range(rack.free.size):
        rack.usable[node] = rack.free[node] if rack.since[node] >= until else 0


@njit(cache=True, nogil=True, _nrt=False)
def line_up(jobs: Jobs, nodes: Nodes, desk: Desk, rack: Rack, left: Int) -> bool:
    """Put the jobs of a backfill pass into a line, up to the last one that fits; return whether the line is another.

    Parameters
    ----------
    jobs, nodes
        `Jobs` and `Nodes`.
    desk, left
        `Desk`, whose queue is a heap of `left` jobs, which is used up.
    rack
        `Rack`, of which the line is modified in place.
    """
    state = rack.state
    fitting = count_fitting(desk.waiting.queue, left, jobs.width, state[FREE])
    is_new = False
    size: Int = 0
    while size < nodes.tested and fitting > 0:
        j = take_first(desk.waiting, 0, left, True)
        left -= 1
        fitting -= jobs.width[j] <= state[FREE]
        is_new = is_new or size >= state[LINED] or rack.line[size] != j
        rack.line[size] = j
        size += 1
    is_new = is_new or size != state[LINED]
    state[LINED] = size
    return is_new


@njit(cache=True, nogil=True, _nrt=False)
def no_room_before(jobs: Jobs, rack: Rack, i: Int, t: Int) -> Int:
    """Return a second before which the job at place i of the line cannot start: no job could that asks for less.

    In a pass there is only less and less room. `jobs` and `rack` are `Jobs` and `Rack`, which are only read; t is the
    present second. It returns FAR if a job that asks for no more found no room.
    """
    width = jobs.width[rack.line[i]]
    estimate = jobs.estimate[rack.line[i]]
    second: Int = t
    for k in range(i):
        smaller = rack.line[k]
        if rack.found[k] > second and jobs.width[smaller] <= width and jobs.estimate[smaller] <= estimate:
            second = rack.found[k]
    return second


@njit(cache=True, nogil=True, _nrt=False)
def earliest_room(jobs: Jobs, now: Running, rack: Rack, j: Int, first: Int, t: Int, window: Int) -> Int:
    """Return the earliest second, `first` or later, in which job j could start beside all reservations; FAR if too far.

    Parameters
    ----------
    jobs, now
        `Jobs` and `Running`.
    rack
        `Rack`, modified in place: `usable` then has what is free on each node that the job may use; if the second is
        too far, BEYOND becomes the second from which on it is not, if that is sooner.
    j
        The job.
    first
        s: the present second, an end of a running job or of a reservation, or FAR.
    t, window
        s: the present second, and how far from it the second may be.
    """
    if first == FAR:
        return FAR
    free = rack.usable
    blocked = rack.blocked
    for node in range(free.size):
        free[node] = rack.free[node]
        blocked[node] = 0
    places = rack.state[PLACES]
    row_bits = now.row_bits
    row_mask = (1 << row_bits) - 1
    total = rack.state[FREE]
    left: Int = rack.state[RUNNING]
    entered: Int = 0
    gone: Int = 0
    while gone < places and rack.end[rack.by_end[gone]] <= first:
        gone += 1
    second: Int = first
    while True:
        while left > 0 and rack.limits[left - 1] >> row_bits <= second:
            left -= 1
            piece = rack.piece[rack.limits[left] & row_mask]
            while piece >= 0:
                node = rack.node[piece]
                free[node] += rack.cpus[piece]
                if blocked[node] == 0:
                    total += rack.cpus[piece]
                piece = rack.after[piece]
        until = second + jobs.estimate[j]
        while entered < places and rack.begin[rack.by_begin[entered]] < until:
            place = rack.by_begin[entered]
            if rack.end[place] > first:
                for i in range(rack.bounds[place], rack.bounds[place + 1]):
                    node = rack.reserved[i]
                    if blocked[node] == 0:
                        total -= free[node]
                    blocked[node] += 1
            entered += 1
        while gone < places and rack.end[rack.by_end[gone]] <= second:
            place = rack.by_end[gone]
            for i in range(rack.bounds[place], rack.bounds[place + 1]):
                node = rack.reserved[i]
                blocked[node] -= 1
                if blocked[node] == 0:
                    total += free[node]
            gone += 1
        if total >= jobs.width[j]:
            break
        second = FAR
        if left > 0:
            second = rack.limits[left - 1] >> row_bits
        if gone < places:
            second = min(second, rack.end[rack.by_end[gone]])
        if second > t + window:
            rack.state[BEYOND] = min(rack.state[BEYOND], second - window)
            return FAR
    for node in range(free.size):
        if blocked[node] > 0:
            free[node] = 0
    return second


@njit(cache=True, nogil=True, _nrt=False)
def reserve_nodes(jobs: Jobs, nodes: Nodes, rack: Rack, j: Int, begin: Int) -> None:
    """Reserve the nodes on which job j of `jobs` would start in second `begin`, for the time that it requests.

    `nodes` are `Nodes`, and `rack` is a `Rack` that is modified in place; its `usable` has what is free in that second.
    """
    pieces = pick(rack, jobs.width[j])
    place = rack.state[PLACES]
    rack.begin[place] = begin // nodes.step * nodes.step
    rack.end[place] = -(-(begin + jobs.estimate[j]) // nodes.step) * nodes.step
    first = rack.bounds[place]
    for i in range(pieces):
        rack.reserved[first + i] = rack.picked[i]
        rack.since[rack.picked[i]] = min(rack.since[rack.picked[i]], rack.begin[place])
    rack.bounds[place + 1] = first + pieces
    insert(rack.by_begin, rack.begin, place)
    insert(rack.by_end, rack.end, place)
    rack.state[PLACES] = place + 1


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def insert(order: Ints, key: Ints, size: Int) -> None:
    """Insert `size` into an order, (more than size,) int64, of 0..size - 1 by ascending keys; it is modified in place.

    `key` is (more than size,) int64.
    """
    i = size
    while i > 0 and key[order[i - 1]] > key[size]:
        order[i] = order[i - 1]
        i -= 1
    order[i] = size


@njit(cache=True, nogil=True, _nrt=False)
def occupy(jobs: Jobs, ranking: Ranking, now: Running, rack: Rack, j: Int, t: Int) -> None:
    """Start job j of `jobs` in second t on nodes that are usable.

    Parameters
    ----------
    jobs
        `Jobs`.
    ranking, now, rack
        `Ranking`, `Running` and `Rack`, modified in place; `usable` has what is free on each node that may be used.
    j, t
        The job and the second.
    """
    state = rack.state
    rack.piece[j] = NONE
    for i in range(pick(rack, jobs.width[j])):
        piece = state[SPARE]
        state[SPARE] = rack.after[piece]
        rack.node[piece] = rack.picked[i]
        rack.cpus[piece] = rack.taken[i]
        rack.after[piece] = rack.piece[j]
        rack.piece[j] = piece
        rack.free[rack.picked[i]] -= rack.taken[i]
    expect(rack.limits, state[RUNNING], ((t + jobs.estimate[j]) << now.row_bits) | j)
    launch(jobs, now, state[RUNNING], j, t)
    note_usage(ranking.usage, j, t, jobs.width[j])
    state[RUNNING] += 1
    state[FREE] -= jobs.width[j]
    state[CHANGED] = 1


@njit(cache=True, nogil=True, _nrt=False)
def vacate(jobs: Jobs, ranking: Ranking, now: Running, rack: Rack, t: Int) -> None:
    """End the job of `jobs` that ends next, in second t; `ranking`, `now` and `rack` are modified in place."""
    state = rack.state
    j = end_next(jobs, now, state[RUNNING])
    forget(rack.limits, state[RUNNING], ((now.start[j] + jobs.estimate[j]) << now.row_bits) | j)
    note_usage(ranking.usage, j, t, -jobs.width[j])
    piece = rack.piece[j]
    while piece >= 0:
        rack.free[rack.node[piece]] += rack.cpus[piece]
        after = rack.after[piece]
        rack.after[piece] = state[SPARE]
        state[SPARE] = piece
        piece = after
    state[RUNNING] -= 1
    state[FREE] += jobs.width[j]
    state[CHANGED] = 1

"""Running jobs that make way for others in Slurm's main pass: they are cancelled, or wait again from their beginning.

What Slurm does was seen on a real one (22.05). Jobs of lower partitions may have to make way, or those of certain QOS,
when they have run for some time. Where a job lacks resources, they go in the order of the priority of their QOS and of
their numbers until it fits beside the rest, and beside those that go already; then the last one is tried first, once.
Those that are not on its nodes stay. One that is requeued is a new submission, and may start 121 s later.
"""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .node_plan import CPUS, HAS, NODE, NodePlan
from .running import push
from .slurm_pace import (
    BACK,
    BEGUN,
    BY_QOS,
    CANCELLED,
    ENDED,
    EXEMPT,
    FROM_ROW,
    GOING,
    GRACE,
    IN_OPTION,
    LIFE,
    MODE,
    NUMBER,
    OPEN,
    OVER,
    QOS,
    RANK,
    REQUEUED,
    REQUEUES,
    STAYS,
    SUSPENDED,
    VICTIMS,
    Pace,
    fits,
    give_node,
    open_nodes,
    share_nodes,
)

REQUEUE_DELAY = 121  # s, Slurm's cred_expire and one


@njit(cache=True, nogil=True, _nrt=False)
def ask_to_go(plan: NodePlan, pace: Pace, start: Ints, j: Int, o: Int, last: Int, t: Int, end: Int) -> None:
    """Ask running jobs to make way for job j, which does not fit in second t; none if it would not fit even then.

    Parameters
    ----------
    plan, pace
        `NodePlan` and `Pace`, modified in place: the victims are in `away`.
    start
        (n,) int64, s, when jobs started.
    j, o, last
        The job, and its options in a partition, the last one not included.
    t, end
        s: the present second, and when the job would end.
    """
    look, victims = pace.look[0], pace.away[VICTIMS]
    first: Int = look["victims"]
    count: Int = first
    mask = (1 << look["row_bits"]) - 1
    for place in range(look["running"]):
        run = pace.ends[place] & mask
        if pace.away[GOING, run] == STAYS and must_go(plan, pace, start, run, j, o, t):
            victims[count] = run
            count += 1
    sort_victims(pace, start, first, count)
    gone = until_it_fits(plan, pace, j, o, last, t, end, first, count)
    if gone <= first:
        return
    other = victims[gone - 1]  # the last one comes first now
    for place in range(gone - 1, first, -1):
        victims[place] = victims[place - 1]
    victims[first] = other
    gone = until_it_fits(plan, pace, j, o, last, t, end, first, count)
    size: Int = first
    for place in range(first, gone):
        if share_nodes(plan, victims[place], j):
            run = victims[place]
            victims[size] = run
            size += 1
            pace.away[GOING, run] = mode_of(plan, pace, run)
    look["victims"] = size


@njit(cache=True, nogil=True, _nrt=False)
def class_of(plan: NodePlan, pace: Pace, run: Int) -> Int:
    """Return the row of `ways` of job `run`: that of its QOS, or of the partition in which it runs.

    `plan` and `pace` are only read.
    """
    if pace.look[0]["preempts"] == BY_QOS:
        return pace.user[QOS, run]
    return plan.options[plan.holders[run]["option"]]["partition"]


@njit(cache=True, nogil=True, _nrt=False)
def mode_of(plan: NodePlan, pace: Pace, run: Int) -> Int:
    """Return what happens to job `run` if it makes way, see STAYS; `plan` and `pace` are only read."""
    mode: Int = pace.ways[class_of(plan, pace, run), MODE]
    return np.int64(CANCELLED) if mode == REQUEUED and pace.user[REQUEUES, run] == 0 else mode


@njit(cache=True, nogil=True, _nrt=False)
def must_go(plan: NodePlan, pace: Pace, start: Ints, run: Int, j: Int, o: Int, t: Int) -> bool:
    """Return whether job `run`, which this pass has not started, has to make way in second t for job j in option o.

    `plan`, `pace` and `start`, (n,) int64 s, are only read.
    """
    mode = mode_of(plan, pace, run)
    if mode in (STAYS, SUSPENDED) or t < start[run] + max(1, pace.ways[pace.user[QOS, run], EXEMPT]):
        return False
    if pace.look[0]["preempts"] == BY_QOS:
        return bool(pace.ways[pace.user[QOS, j], OVER + pace.user[QOS, run]] > 0)
    option = plan.options[plan.holders[run]["option"]]
    return bool(option["tier"] > plan.options[o]["tier"])  # 0 is the highest one


@njit(cache=True, nogil=True, _nrt=False)
def goes_before(pace: Pace, start: Ints, one: Int, other: Int) -> bool:
    """Return whether `one` job makes way before the `other` one: by QOS, perhaps the youngest first, then by number.

    `pace` and `start`, (n,) int64 s, are only read.
    """
    ranks = pace.ways[pace.user[QOS, one], RANK], pace.ways[pace.user[QOS, other], RANK]
    if ranks[0] != ranks[1]:
        return bool(ranks[0] < ranks[1])
    if pace.look[0]["youngest"] > 0 and start[one] != start[other]:
        return bool(start[one] > start[other])
    return bool(pace.user[NUMBER, one] < pace.user[NUMBER, other])


@njit(cache=True, nogil=True, _nrt=False)
def sort_victims(pace: Pace, start: Ints, first: Int, end: Int) -> None:
    """Sort the victims from `first` until before `end` of `pace`, in place, by `goes_before`; a heap sort.

    `start`, (n,) int64 s, is only read.
    """
    row = pace.away[VICTIMS, first:end]
    for size in range(row.size, 1, -1):
        # all of the heap is built at first, then only its top has changed
        for top in range(size // 2 - 1 if size == row.size else 0, -1, -1):
            place = top
            while 2 * place + 1 < size:
                child = 2 * place + 1
                if child + 1 < size and goes_before(pace, start, row[child], row[child + 1]):
                    child += 1
                if not goes_before(pace, start, row[place], row[child]):
                    break
                row[place], row[child] = row[child], row[place]
                place = child
        row[0], row[size - 1] = row[size - 1], row[0]


@njit(cache=True, nogil=True, _nrt=False)
def until_it_fits(
    plan: NodePlan, pace: Pace, j: Int, o: Int, last: Int, t: Int, end: Int, first: Int, count: Int
) -> Int:
    """Return up to which of the victims jobs must go until job j fits; -1 if it does not fit even without all.

    Parameters
    ----------
    plan, pace, j, o, last, t, end
        As for `ask_to_go`; of `plan` the last columns of `nodes` are filled in place, and `held` says where.
    first, count
        The victims are tried from the first one until before this one.
    """
    open_nodes(plan, pace, j, o, last, t, end, False)
    mask = (1 << pace.look[0]["row_bits"]) - 1
    for i in range(pace.look[0]["running"]):
        run = pace.ends[i] & mask
        if pace.away[GOING, run] != STAYS:
            give_for_now(plan, pace, run)
    place: Int = first
    while not fits(plan, pace, j, o, last):
        if place == count:
            return np.int64(-1)
        give_for_now(plan, pace, pace.away[VICTIMS, place])
        place += 1
    return place


@njit(cache=True, nogil=True, _nrt=False)
def give_for_now(plan: NodePlan, pace: Pace, run: Int) -> None:
    """Let what job `run` holds be free for the job that is looked at; `plan` and `pace` are modified in place."""
    first = plan.holders[run]["first"]
    for row in range(first, first + plan.holders[run]["count"]):
        if pace.marks[OPEN, plan.held[row, NODE]]:
            give_node(plan, pace, row)
            if pace.look[0]["suspends"] > 0:  # the other CPUs are those of stopped jobs
                plan.nodes[HAS + plan.now[0]["resources"] + CPUS, plan.held[row, NODE]] -= pace.beyond[row]


@njit(cache=True, nogil=True, _nrt=False)
def grace_of(plan: NodePlan, pace: Pace, run: Int) -> Int:
    """Return for how long job `run` goes on that is asked to make way, s: at least until the next second.

    `plan` and `pace` are only read.
    """
    return max(np.int64(1), pace.ways[class_of(plan, pace, run), GRACE])


@njit(cache=True, nogil=True, _nrt=False)
def note_asked(plan: NodePlan, pace: Pace, run: Int) -> None:
    """Count job `run`, which makes way when its time is over; `plan` is only read, and `pace` modified in place."""
    look = pace.look
    look[0]["going"] += 1
    look[0]["going_nodes"] += plan.holders[run]["count"]


@njit(cache=True, nogil=True, _nrt=False)
def note_life(plan: NodePlan, pace: Pace, j: Int, begin: Int, end: Int) -> bool:
    """Write down what job j had, which makes way; return whether it will come back.

    Parameters
    ----------
    plan, pace
        `NodePlan`, which is only read, and `Pace`, modified in place.
    j
        The job.
    begin, end
        s, when it started, and when it makes way.
    """
    look, away = pace.look, pace.away
    life: Int = look[0]["lives"]
    pace.lives[life, LIFE], pace.lives[life, BEGUN], pace.lives[life, ENDED] = j, begin, end
    pace.lives[life, IN_OPTION], pace.lives[life, FROM_ROW] = plan.holders[j]["option"], look[0]["lived"]
    first = plan.holders[j]["first"]
    for row in range(first, first + plan.holders[j]["count"]):
        for c in range(plan.held.shape[1]):
            pace.lived[look[0]["lived"], c] = plan.held[row, c]
        look[0]["lived"] += 1
    look[0]["lives"] += 1
    look[0]["going"] -= 1
    look[0]["going_nodes"] -= plan.holders[j]["count"]
    comes_back = away[GOING, j] == REQUEUED
    away[GOING, j] = STAYS
    if comes_back:
        bits = look[0]["row_bits"]
        push(away[BACK], look[0]["back"], ((end + REQUEUE_DELAY) << bits) | j)
        look[0]["back"] += 1
        pace.turn[j] = (end << bits) | (pace.turn[j] & ((1 << bits) - 1))  # it is a new submission
    return bool(comes_back)


@njit(cache=True, nogil=True, _nrt=False)
def is_short_of_room(pace: Pace) -> bool:
    """Return whether lives of jobs that go now, or pauses, have no room in `pace` any more; it is only read.

    All that run may go at once while nodes still fail.
    """
    look = pace.look[0]
    may_fail = look["fails"] > 0 and look["running"] > 0 and look["event"] < pace.events.shape[0]
    jobs, nodes = (look["running"], pace.parts.shape[0]) if may_fail else (np.int64(0), np.int64(0))
    return bool(
        look["lives"] + look["going"] + jobs > pace.lives.shape[0]
        or look["lived"] + look["going_nodes"] + nodes > pace.lived.shape[0]
        or look["pauses"] + look["stopped"] > pace.pauses.shape[0]
    )


def make_room(pace: Pace) -> None:
    """Make room for at least twice as many lives and pauses in the arrays of `pace`, in place."""
    for array in (pace.lives, pace.lived, pace.pauses):
        most = sum(int(pace.look[0][name]) for name in ("going", "going_nodes", "stopped"))
        array.resize((2 * array.shape[0] + most, array.shape[1]), refcheck=False)

"""What Slurm's passes on nodes know between two jobs, and which nodes a job may use now."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Int, Ints, read_only
from .compiling import njit
from .node_choice import choose_of, room_of, room_on
from .node_plan import (
    ALTERED,
    COULD,
    HAS,
    HELD,
    NEXT_ALTERED,
    NODE,
    NOTHING,
    NodePlan,
    lets_in,
    record,
)
from .running import expect, forget
from .waiting_tree import FAR

STOPPED, TRIED, PLANNED = range(3)  # of `counts`
# of `marks`: 1 if a node is closed, if it may be used, if room on it has changed, and if it has still to be made ready
SHUT, OPEN, STALE, UNSURE = range(4)
USER, ASSOCIATION, ARRAY, QOS, REQUEUES, NUMBER, WHOSE = range(7)  # rows of `user`, and how many there are
MODE, GRACE, RANK, EXEMPT, OVER = range(5)  # columns of `ways`; from the last one on a column for each QOS
# What happens to a job that makes way, values of MODE; ENDS is for one that will end by itself before.
STAYS, CANCELLED, REQUEUED, ENDS, SUSPENDED = range(5)
BY_PARTITION, BY_QOS = 1, 2  # values of "preempts"
# columns of `parts`: an expected end; node << 1 | whether its job has no more; row of `held`; the job
UNTIL, ON, ROW, WHO = range(4)
GOING, VICTIMS, BACK = range(3)  # rows of `away`
LIFE, BEGUN, ENDED, IN_OPTION, FROM_ROW, HOLDS = range(6)  # columns of `lives`, and how many there are
STOPS, SINCE, LEFT_OVER, LOST_TIME, GONE, STOPPING = range(6)  # rows of `stops`, and how many there are

LOOK = record(
    # how often and how far it looks, see `paretosched.policies.whole_nodes`
    "main", "first", "every", "tested", "window", "step", "partition", "user", "account", "started", "priority",
    "stops", "depth", "tasks", "reserved", "backfills", "epoch", "ranks", "row_bits",
    # how long after its limit a job that still runs is taken to end, s
    "overtime",
    # how many arrays let only some of their tasks run at once; these are the first ones
    "limited",
    # whether jobs may have been given a priority, and that of all others where they come as they were submitted, or 0
    "fixes", "usual",
    # the next pass beside events, how many came in vain, the running jobs; the number of the pass, its plans and their
    # nodes, and its openings
    "tick", "idle", "running", "number", "plans", "closed", "openings",
    # how many starts and ends there were, how many nodes the running jobs have together, after how many that
    # was, and how often a running job was expected to end in another second
    "changes", "parts", "parted", "moved",
    # whether it is known how many CPUs the open nodes can give to the job that is looked at, and how many nodes; both;
    # and on how many nodes the room has changed since
    "counted", "total", "usable", "stale",
    # whose jobs make way for others, if any do, see BY_PARTITION; whether the youngest do first; and how many
    # reservations end their jobs
    "preempts", "youngest", "inside",
    # how many jobs were asked to and their nodes, come back, and are asked by a pass; how many lives and their nodes
    "going", "going_nodes", "back", "victims", "lives", "lived",
    # whether jobs may be suspended; whether some have to stop or go on now, how many are stopped, how many pauses there
    # were; and the number of what is looked at, in which some are taken to have ended
    "suspends", "shuffled", "stopped", "pauses", "leaving",
    # whether nodes fail, and how many of the events of nodes have been
    "fails", "event",
)  # fmt: skip


class Pace(NamedTuple):
    """How often and how far Slurm looks, and what its passes need, for n jobs on m nodes.

    Attributes
    ----------
    look
        (1,) LOOK.
    ends
        (n + 1,) int64: expected end << row_bits | row of the running jobs, the latest first.
    parts
        (held + 1, 4) int64, the same for each node of these jobs, the first end first, see UNTIL.
    line
        (n,) int64, the waiting jobs in their order.
    priority
        (n,) float64, the key of each waiting job.
    turns
        (q, 2) int64: a job, and the first of its options in one partition.
    plans
        (q, 4) int64, see BEGIN.
    closed
        (h,) int64, the nodes of the plans.
    openings
        (q + e,) int64, s, ascending: when plans and down times end, and reservations begin and end.
    stale
        (m,) int64, the open nodes on which the room has changed.
    since
        (m,) int64, s, from when on each node is closed by a plan; FAR for never.
    marks
        (4, m) int64, see SHUT.
    ready
        (k, m) int64, s, when each node could serve a job with an option as running jobs end, 0 for now, and FAR for
        never; option o is in row o modulo k, see `ready_of`.
    readied
        (k, 3) int64, the option of each row and one, and after how many alterations of nodes and moved ends it is so.
    counts
        (partitions and reservations, 3) int64: whether each is stopped, and how many of its turns were tried and
        planned.
    of_user
        (2, users or more) int64, how many turns of each user, and of each association, were tried.
    of_array
        (arrays, partitions) int64: number of the pass << BITS | how many tasks of each were planned in it.
    user
        (WHOSE, n) int64, the user and the association of each job, its user in its account; its array, or -1 for none;
        its QOS; whether it waits again if it makes way; and its place by its number.
    fixed, turn
        (n,) int64, the priority that each job was given, 0 for none; and its place among those whose priorities are
        equal: submission << row_bits | place by submission.
    begun
        (n,) int64, the jobs that a pass starts.
    ways
        (partitions or QOS or more, OVER + QOS) int64: what happens to jobs of each partition, or of each QOS, that make
        way, and after how many seconds; the priority of each QOS, how long after its start no job of it makes way, s,
        and for each other QOS whether its jobs make way for it.
    away
        (3, n + 1) int64: of each job whether it was asked to make way, as a MODE; the jobs that a pass asks; and a heap
        of second << row_bits | row of those that come back.
    lives, lived
        (c, HOLDS) and (h, HELD + R) int64, the lives of jobs that made way, and what they held, see `note_life`.
    cores, beyond
        Where jobs may be suspended, (tiers, m, CPUs) int64, the job of each tier that has each CPU of a node, plus one;
        and of each row of `held` how many of its CPUs are also those of others, (held + 1,) int64. Else (1, ...).
    stops
        (STOPPING, n) int64: how often one of a higher tier has a CPU of each job; the second since when it is stopped,
        plus one, 0 if it is not; how much of its run time was left then, s; for how long it was stopped before, s; and
        the number of what was looked at last in which it was taken to have ended.
    pauses
        (c, 3) int64: the job, and from and until when it was stopped, s.
    events
        (k, 4) int64, when nodes fail, are drained and come back, see `failures`: the second, s, the node, the row of
        `lists` of the plan with the outage, and what happens; in this order.
    """

    look: NDArray[np.void]
    ends: Ints
    parts: Ints
    line: Ints
    priority: Floats
    turns: Ints
    plans: Ints
    closed: Ints
    openings: Ints
    stale: Ints
    since: Ints
    marks: Ints
    ready: Ints
    readied: Ints
    counts: Ints
    of_user: Ints
    of_array: Ints
    user: Ints
    fixed: Ints
    turn: Ints
    begun: Ints
    ways: Ints
    away: Ints
    lives: Ints
    lived: Ints
    cores: Ints
    beyond: Ints
    stops: Ints
    pauses: Ints
    events: Ints


def empty_pace(
    look: NDArray[np.void],
    n: int,
    turns: int,
    holds: int,
    ends: int,
    m: int,
    parts: int,
    user: Ints,
    fixed: Ints,
    turn: Ints,
    ways: Ints,
    resources: int,
    held: int,
    rooms: int,
    events: Ints,
    tiers: int = 1,
    cpus: int = 1,
) -> Pace:
    """Return the pace of a simulation before the first event.

    Parameters
    ----------
    look
        (1,) LOOK, of which the state is filled.
    n, turns, holds, ends, m, parts
        How many jobs and turns there are, nodes that all turns can have together, ends of down times, nodes, and
        partitions and reservations.
    user, fixed, turn, ways
        (WHOSE, n), (n,), (n,) int64 and ways, as for `Pace`.
    resources, held, rooms
        How many resources nodes have, how many nodes all jobs can have together, and of how many options it is kept
        when nodes are ready for them.
    events
        (k, 4) int64, as for `Pace`.
    tiers, cpus
        How many tiers of partitions there are, and how many CPUs a node has at most, where jobs may be suspended.
    """
    look = look.copy()
    look["tick"], look["row_bits"], look["changes"] = FAR, n.bit_length(), 1
    users, arrays = (max(int(rows.max(initial=0)) + 1, 1) for rows in (user[:ARRAY], user[ARRAY]))
    room = n if look[0]["preempts"] or look[0]["inside"] or look[0]["fails"] else 0
    suspends = bool(look[0]["suspends"])
    return Pace(
        look,
        ends=np.zeros(n + 1, np.int64),
        parts=np.zeros((held + 1, 4), np.int64),
        line=np.zeros(n, np.int64),
        priority=np.zeros(n),
        turns=np.zeros((turns, 2), np.int64),
        plans=np.zeros((turns, 4), np.int64),
        closed=np.zeros(holds, np.int64),
        openings=np.zeros(turns + ends, np.int64),
        stale=np.zeros(m, np.int64),
        since=np.zeros(m, np.int64),
        marks=np.zeros((4, m), np.int64),
        ready=np.zeros((rooms, m), np.int64),
        readied=np.zeros((rooms, 3), np.int64),
        counts=np.zeros((parts, 3), np.int64),
        of_user=np.zeros((2, users), np.int64),
        of_array=np.zeros((arrays, parts), np.int64),
        user=read_only(user),
        fixed=read_only(fixed),
        turn=turn.copy(),
        begun=np.zeros(n, np.int64),
        ways=read_only(ways),
        away=np.zeros((3, n + 1), np.int64),
        lives=np.zeros((room + 1, HOLDS), np.int64),
        lived=np.zeros((room + 1 + (held if look[0]["fails"] else 0), HELD + resources), np.int64),
        cores=np.zeros((tiers, m if suspends else 1, cpus), np.int64),
        beyond=np.zeros(held + 1 if suspends else 1, np.int64),
        stops=np.zeros((STOPPING, n if suspends else 1), np.int64),
        pauses=np.zeros((n + 1 if suspends else 1, 3), np.int64),
        events=read_only(events),
    )


def no_pace() -> Pace:
    """Return the pace of a simulation without passes of Slurm."""
    user, fixed, turn, ways = (np.zeros(shape, np.int64) for shape in ((WHOSE, 1), 1, 1, (1, OVER)))
    events = np.zeros((0, 4), np.int64)
    return empty_pace(np.zeros(1, LOOK), 1, 1, 1, 1, 1, 1, user, fixed, turn, ways, 1, 1, 1, events)


@njit(cache=True, nogil=True, _nrt=False)
def open_nodes(plan: NodePlan, pace: Pace, j: Int, o: Int, last: Int, begin: Int, end: Int, idle: bool) -> Int:
    """Mark the nodes that a job may use in some options, note what is free there, and return how many they are.

    Parameters
    ----------
    plan, pace
        `NodePlan` and `Pace`, modified in place.
    j, o, last
        The job, the first option, and the last one, which is not included.
    begin, end
        s: nodes that are down at a time in between are not usable.
    idle
        Whether the machine is taken to be idle; else nodes that are closed are not usable.
    """
    nodes, view, look = plan.nodes, plan.holders[j]["downs"], pace.look[0]
    resources = plan.now[0]["resources"]
    look["leaving"] += 1  # nobody is taken to have ended
    first = HAS if idle else HAS + 2 * resources
    is_known = last - o == 1 and not idle
    k: Int = room_of(plan, o, plan.now[0]["second"]) if is_known else np.int64(0)
    mask = plan.options[o]["mask"]
    for i in range(nodes.shape[1]):
        pace.marks[OPEN, i] = plan.masks[mask, i] and (idle or pace.marks[SHUT, i] == 0)
    for option in range(o + 1, last):
        mask = plan.options[option]["mask"]
        for i in range(nodes.shape[1]):
            if plan.masks[mask, i] and (idle or pace.marks[SHUT, i] == 0):
                pace.marks[OPEN, i] = 1
    count: Int = np.int64(0)
    total: Int = np.int64(0)
    usable: Int = np.int64(0)
    for i in range(nodes.shape[1]):
        for row in range(nodes[view, i], nodes[view + 1, i], 2):
            if plan.lists[row] < end and plan.lists[row + 1] > begin:
                pace.marks[OPEN, i] = 0
        count += pace.marks[OPEN, i]
        pace.marks[STALE, i] = not is_known
        can: Int = plan.rooms[k, i] if is_known and pace.marks[OPEN, i] else 0
        nodes[COULD, i] = can if can > 0 and lets_in(plan, i, j, first) else 0
        total += nodes[COULD, i]
        usable += nodes[COULD, i] > 0
    for r in range(resources):
        for i in range(nodes.shape[1]):
            nodes[HAS + resources + r, i] = nodes[first + r, i]
    look["counted"], look["stale"], look["total"], look["usable"] = is_known, 0, total, usable
    return count


@njit(cache=True, nogil=True, _nrt=False)
def give_node(plan: NodePlan, pace: Pace, row: Int) -> None:
    """Let what a row of `held` of `plan` has be free for the job that is looked at; `pace` is modified, too."""
    resources, node = plan.now[0]["resources"], plan.held[row, NODE]
    if pace.marks[STALE, node] == 0:
        pace.marks[STALE, node] = 1
        pace.stale[pace.look[0]["stale"]] = node
        pace.look[0]["stale"] += 1
    for r in range(resources):
        plan.nodes[HAS + resources + r, node] += plan.held[row, HELD + r]


@njit(cache=True, nogil=True, _nrt=False)
def list_parts(plan: NodePlan, pace: Pace) -> None:
    """Let `parts` of `pace`, in place, have what the running jobs hold in `plan`, if it does not."""
    look = pace.look
    if look[0]["parted"] == look[0]["changes"]:
        return
    look[0]["parted"] = look[0]["changes"]
    count: Int = np.int64(0)
    for place in range(look[0]["running"] - 1, -1, -1):
        j = pace.ends[place] & ((1 << look[0]["row_bits"]) - 1)
        first: Int = plan.holders[j]["first"]
        last: Int = first + plan.holders[j]["count"] - 1
        for row in range(first, last + 1):
            pace.parts[count, UNTIL] = pace.ends[place] >> look[0]["row_bits"]
            pace.parts[count, ON] = plan.held[row, NODE] << 1 | (row == last)
            pace.parts[count, ROW] = row
            pace.parts[count, WHO] = j
            count += 1
    look[0]["parts"] = count


@njit(cache=True, nogil=True, _nrt=False)
def ready_of(plan: NodePlan, pace: Pace, o: Int) -> Int:
    """Return the row of `ready` with when each node could serve a job with option o, as running jobs end.

    That is as much as each node of the job has to give at least, whoever is there. It is found out again for nodes
    where something was taken or given back since it was asked for last.

    Parameters
    ----------
    plan, pace
        `NodePlan` and `Pace`, modified in place.
    o
        The option.
    """
    nodes, now, option = plan.nodes, plan.now, plan.options[o]
    k = o % pace.readied.shape[0]
    known, ready, unsure = pace.readied[k], pace.ready[k], pace.marks[UNSURE]
    is_known = known[0] == o + 1 and known[2] == pace.look[0]["moved"]
    free = HAS + now[0]["resources"]
    left: Int = np.int64(0)
    node: Int = now[0]["altered"]
    while node != NOTHING and not (is_known and nodes[ALTERED, node] <= known[1]):
        ready[node] = FAR
        if plan.masks[option["mask"], node]:
            for r in range(now[0]["resources"]):
                nodes[free + r, node] = nodes[free + now[0]["resources"] + r, node]
            unsure[node] = room_on(plan, option, node) < option["fewest_cpus"]
            left += unsure[node]
            if unsure[node] == 0:
                ready[node] = 0
        node = nodes[NEXT_ALTERED, node]
    known[0], known[1], known[2] = o + 1, now[0]["alterations"], pace.look[0]["moved"]
    if left > 0:
        list_parts(plan, pace)
        for place in range(pace.look[0]["parts"]):
            node = pace.parts[place, ON] >> 1
            if unsure[node]:
                row = pace.parts[place, ROW]
                for r in range(now[0]["resources"]):
                    nodes[free + r, node] += plan.held[row, HELD + r]
                if room_on(plan, option, node) >= option["fewest_cpus"]:
                    ready[node] = pace.parts[place, UNTIL]
                    unsure[node] = 0
                    left -= 1
                    if left == 0:
                        return k
        for node in range(nodes.shape[1]):
            unsure[node] = 0
    return k


@njit(cache=True, nogil=True, _nrt=False)
def any_ready(plan: NodePlan, pace: Pace, o: Int, k: Int, until: Int) -> bool:
    """Return whether enough nodes that are not closed are ready for option o at the latest in second `until`.

    `plan` and `pace` are only read; k is the row of `ready_of`.
    """
    few = plan.options[o]["fewest_nodes"]
    mask = plan.masks[plan.options[o]["mask"]]
    count: Int = np.int64(0)
    for node in range(mask.size):
        count += mask[node] and pace.marks[SHUT, node] == 0 and pace.ready[k, node] <= until
    return bool(count >= few)


@njit(cache=True, nogil=True, _nrt=False)
def fits(plan: NodePlan, pace: Pace, j: Int, o: Int, last: Int) -> bool:
    """Return whether job j fits on the open nodes, by what is free there; if it does, `held` of `plan` says where.

    Parameters
    ----------
    plan, pace
        `NodePlan` and `Pace`, modified in place.
    j, o, last
        The job, the first option, and the last one, which is not included.
    """
    nodes, look = plan.nodes, pace.look[0]
    free = HAS + plan.now[0]["resources"]
    for number in range(o, last):
        option = plan.options[number]
        if look["counted"] == 0:
            look["total"] = look["usable"] = 0
            for i in range(nodes.shape[1]):
                nodes[COULD, i] = 0
                if pace.marks[OPEN, i] and plan.masks[option["mask"], i] and lets_in(plan, i, j, free):
                    nodes[COULD, i] = room_on(plan, option, i)
                pace.marks[STALE, i] = 0
                look["total"] += nodes[COULD, i]
                look["usable"] += nodes[COULD, i] > 0
            look["counted"] = last - o == 1
        else:
            for k in range(look["stale"]):
                node = pace.stale[k]
                before = nodes[COULD, node]
                nodes[COULD, node] = room_on(plan, option, node) if lets_in(plan, node, j, free) else 0
                pace.marks[STALE, node] = 0
                look["total"] += nodes[COULD, node] - before
                look["usable"] += np.int64(nodes[COULD, node] > 0) - np.int64(before > 0)
        look["stale"] = 0
        if choose_of(plan, j, number, look["total"], look["usable"]):
            return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def expect_end(pace: Pace, j: Int, end: Int) -> None:
    """Expect job j, which runs, to end in second `end`; `pace` is modified in place."""
    look = pace.look
    expect(pace.ends, look[0]["running"], (end << look[0]["row_bits"]) | j)
    look[0]["running"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def move_end(pace: Pace, j: Int, end: Int, later: Int) -> None:
    """Expect job j, which runs, to end in second `later`, no more in second `end`; `pace` is modified in place."""
    forget_end(pace, j, end)
    expect_end(pace, j, later)
    pace.look[0]["moved"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def forget_end(pace: Pace, j: Int, end: Int) -> None:
    """Drop the expected end of job j, which was `end`; `pace` is modified in place."""
    look = pace.look
    forget(pace.ends, look[0]["running"], (end << look[0]["row_bits"]) | j)
    look[0]["running"] -= 1
    look[0]["changes"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def share_nodes(plan: NodePlan, j: Int, other: Int) -> bool:
    """Return whether `held` of `plan` has a node for job j and the `other` one."""
    one, two = plan.holders[j], plan.holders[other]
    for row in range(one["first"], one["first"] + one["count"]):
        for place in range(two["first"], two["first"] + two["count"]):
            if plan.held[row, NODE] == plan.held[place, NODE]:
                return True
    return False

"""Slurm's rhythm on nodes: a main pass at each event, and a backfill pass once in a while.

What Slurm does was seen on a real one (22.05). Both passes look at each waiting job once for each of its partitions,
those of higher tiers first: a *turn*. Between passes nothing is reserved.

In the main pass the first job of a partition that lacks resources stops its partition, and closes all nodes of it for
all jobs behind it; if it names all its nodes, it closes these and stops nobody. One that limits, licences or down times
hold does neither. If `stops` says so, one that limits hold does; of limits of numbers of jobs only when it comes.
Before it stops its partition, others may be asked to make way for it, see `preemption`.

In the backfill pass each job in turn starts, or is planned on certain nodes: these are closed as a whole from its
planned start until its end by request. It is planned in the first of some seconds in which it fits: now, and when a
plan or a down time ends; on the nodes that are not closed then, as soon as the running jobs there, if they end as
requested, leave enough. These are taken to end together in windows that begin with the first end, and grow. One that
runs beyond its limit is taken to end at the last second that it may.
"""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .inputs import Jobs
from .node_places import is_hopeless
from .node_plan import (
    AT_ALL,
    EARLY,
    FOR_TURN,
    FREE,
    NODE,
    NOTHING,
    PLACED,
    POOL,
    WANTED,
    NodePlan,
    change_all,
    first_lack,
    is_absent,
    take_shared,
)
from .preemption import ask_to_go
from .slurm_pace import (
    ARRAY,
    ASSOCIATION,
    GONE,
    ON,
    OPEN,
    PLANNED,
    ROW,
    SHUT,
    SINCE,
    STALE,
    STOPPED,
    TRIED,
    UNTIL,
    USER,
    WHO,
    Pace,
    any_ready,
    expect_end,
    fits,
    give_node,
    list_parts,
    open_nodes,
    ready_of,
    share_nodes,
)
from .suspension import fits_beside, know_cores, take_cores
from .waiting_tree import FAR

TIER = 2**33  # more than any priority of Slurm; keys have the tier times this
WINDOW = 30  # s: running jobs that end in a window are taken to end together
BEGIN, END, FIRST, LAST = range(4)  # of `plans`: when nodes are closed, s, and which part of `closed` they are
BITS = 32  # how tasks of arrays that are planned are counted


@njit(cache=True, nogil=True, _nrt=False)
def priority_of(pace: Pace, j: Int, key: float) -> float:
    """Return by what job j is ordered: the priority that it was given, else its `key`; `pace` is only read.

    Where some jobs were given one, the tiers in the others' keys do not count: passes go by tiers in any case.
    """
    look = pace.look[0]
    if look["fixes"] == 0:
        return key
    if pace.fixed[j] > 0:
        return float(pace.fixed[j])
    return float(look["usual"]) if look["usual"] > 0 else key % float(TIER)


@njit(cache=True, nogil=True, _nrt=False)
def start_in_slurm_pass(
    jobs: Jobs, plan: NodePlan, pace: Pace, start: Ints, count: Int, t: Int, backfills: bool
) -> Int:
    """Start the jobs that a pass starts in second t: a backfill pass if it `backfills`, else a main pass.

    Parameters
    ----------
    jobs, plan, pace, start, count, t
        As for `main_pass`, and so is what is returned; (n,) int64 `start`. All but `jobs` are modified in place.
    backfills
        Which pass it is.
    """
    if backfills:
        return backfill_pass(jobs, plan, pace, start, count, t)
    return main_pass(jobs, plan, pace, start, count, t)


@njit(cache=True, nogil=True, _nrt=False)
def main_pass(jobs: Jobs, plan: NodePlan, pace: Pace, start: Ints, count: Int, t: Int) -> Int:
    """Start the jobs that a main pass starts in second t; return how many, which are the first ones of `begun`.

    Parameters
    ----------
    jobs
        `Jobs`.
    plan, pace
        `NodePlan` and `Pace`, modified in place; the first `count` jobs of its line wait.
    start
        (n,) int64, s, -1 for jobs that wait; those of the jobs that start are filled.
    count, t
        How many jobs wait, and the second.
    """
    look, counts = pace.look[0], pace.counts
    clear_pass(pace)
    look["victims"] = 0
    tried: Int = np.int64(0)
    begun: Int = np.int64(0)
    for rank in range(look["ranks"]):
        for i in range(count):
            j = pace.line[i]
            holder = plan.holders[j]
            if is_absent(plan, j, t):
                continue
            last: Int = plan.shapes[holder["shape"]]["option"]
            while last < plan.shapes[holder["shape"]]["option_end"] and start[j] < 0:
                o = last
                option = plan.options[o]
                last = end_of_turn(plan, o, plan.shapes[holder["shape"]]["option_end"])
                k = option["partition"]
                stopping = holder["inside"] if holder["inside"] > 0 else k
                if option["rank"] != rank or counts[stopping, STOPPED] > 0:
                    continue
                if 0 < look["depth"] <= counts[k, TRIED]:
                    continue
                counts[k, TRIED] += 1
                if tried >= look["first"]:
                    return begun
                tried += 1
                if holder["limit"] > option["longest"]:
                    continue
                lack = first_lack(plan, j, o, EARLY, AT_ALL)
                end = t + jobs.estimate[j]
                placed = False
                if lack == NOTHING and (look["suspends"] > 0 or not is_hopeless(plan, holder["shape"])):
                    open_nodes(plan, pace, j, o, last, t, end, False)
                    placed = fits_beside(plan, pace, j, o, last)
                if lack == NOTHING:
                    lack = first_lack(plan, j, o, PLACED if placed else WANTED, AT_ALL)
                if placed and lack == NOTHING:
                    start_on_nodes(jobs, plan, pace, start, j, begun, t)
                    begun += 1
                    continue
                stops = look["stops"] > 0 and lack >= plan.now[0]["licences"]
                if stops and jobs.submit[j] < t:  # of one that has just come it is not known yet that it has no turn
                    stops = first_lack(plan, j, o, EARLY, FOR_TURN) == NOTHING
                if lack != NOTHING and not stops:
                    continue
                open_nodes(plan, pace, j, o, last, t, end, True)
                if fits(plan, pace, j, o, last) and not is_minor(pace, j):
                    if look["preempts"] > 0 and lack == NOTHING:
                        ask_to_go(plan, pace, start, j, o, last, t, end)
                    stop(plan, pace, option, stopping)
    return begun


@njit(cache=True, nogil=True, _nrt=False)
def stop(plan: NodePlan, pace: Pace, option: np.void, stopping: Int) -> None:
    """Let a job that lacks resources in an option stop its partition, or close the nodes that it names.

    Parameters
    ----------
    plan, pace, option
        `NodePlan`, which is only read, `Pace`, modified in place, and OPTION.
    stopping
        Row of `counts`: the partition; or for a job in a reservation this, of which it stops those behind it only.
    """
    if option["counts"] - option["named"] >= option["least"]:
        for k in range(option["named"], option["counts"]):
            pace.marks[SHUT, plan.lists[k]] = 1
        return
    pace.counts[stopping, STOPPED] = 1
    for node in range(plan.nodes.shape[1] if stopping == option["partition"] else 0):
        if plan.masks[option["members"], node]:
            pace.marks[SHUT, node] = 1


@njit(cache=True, nogil=True, _nrt=False)
def is_minor(pace: Pace, j: Int) -> bool:
    """Return whether the priority of job j in `pace` is below the least one that is planned, whatever its tier is."""
    least = pace.look[0]["priority"]
    return bool(least > 0 and 0.0 < pace.priority[j] % float(TIER) < float(least))


@njit(cache=True, nogil=True, _nrt=False)
def clear_pass(pace: Pace) -> None:
    """Let a pass begin in `pace`, in place: nothing is counted, planned or closed."""
    pace.look[0]["number"] += 1
    pace.look[0]["plans"] = pace.look[0]["closed"] = pace.look[0]["openings"] = 0
    for k in range(pace.counts.shape[0]):
        for column in range(pace.counts.shape[1]):
            pace.counts[k, column] = 0
    for user in range(pace.of_user.shape[1]):
        pace.of_user[0, user] = pace.of_user[1, user] = 0
    for node in range(pace.since.size):
        pace.since[node] = FAR
        pace.marks[SHUT, node] = 0


@njit(cache=True, nogil=True, _nrt=False)
def end_of_turn(plan: NodePlan, o: Int, end: Int) -> Int:
    """Return the first option behind o, and before `end`, that is of another partition of `plan`; `end` for none."""
    k = plan.options[o]["partition"]
    while o < end and plan.options[o]["partition"] == k:
        o += 1
    return o


@njit(cache=True, nogil=True, _nrt=False)
def start_on_nodes(jobs: Jobs, plan: NodePlan, pace: Pace, start: Ints, j: Int, begun: Int, t: Int) -> None:
    """Start job j in second t on what it holds: until it ends, whenever that is.

    Parameters
    ----------
    jobs
        `Jobs`.
    plan, pace, start
        As for `main_pass`, and modified in place; (n,) int64 `start`.
    j, begun, t
        The job, how many have started in this pass, and the second.
    """
    take_cores(plan, pace, j)
    change_all(plan, j, t, FAR, -1)
    know_cores(plan, pace, j)
    take_shared(plan, j, -1)
    pace.look[0]["changes"] += 1
    expect_end(pace, j, t + jobs.estimate[j])
    start[j] = t
    pace.begun[begun] = j


@njit(cache=True, nogil=True, _nrt=False)
def backfill_pass(jobs: Jobs, plan: NodePlan, pace: Pace, start: Ints, count: Int, t: Int) -> Int:
    """Start the jobs that a backfill pass starts; arguments and what is returned as for `main_pass`.

    When none of the turns that are left can start, the pass is over: nothing asks for more plans.

    Parameters
    ----------
    jobs, plan, pace, start, count, t
        As for `main_pass`; (n,) int64 `start`. All but `jobs` are modified in place.
    """
    look, counts = pace.look[0], pace.counts
    clear_pass(pace)
    note_down_ends(plan, pace, t)
    size = line_up_turns(plan, pace, start, count, t)
    tried: Int = np.int64(0)
    begun: Int = np.int64(0)
    starting: Int = np.int64(-1)
    is_met = False  # whether a job was planned or has started on a node of the one that may start
    for i in range(size):
        if starting < i or is_met:
            starting = max(starting, i)
            while starting < size and not may_start_now(jobs, plan, pace, start, starting, t):
                starting += 1
            is_met = False
        if starting == size or tried >= look["tested"] or 0 < look["started"] <= begun:
            break
        j, o = pace.turns[i, 0], pace.turns[i, 1]
        if start[j] >= 0:
            continue
        option, holder = plan.options[o], plan.holders[j]
        k = option["partition"]
        user, account = pace.user[USER, j], pace.user[ASSOCIATION, j]
        if first_lack(plan, j, o, EARLY, FOR_TURN) != NOTHING:
            continue
        if 0 < look["partition"] <= counts[k, TRIED] or 0 < look["user"] <= pace.of_user[0, user]:
            continue
        if 0 < look["account"] <= pace.of_user[1, account] or not has_turn(plan, pace, j, k):
            continue
        tried += 1
        counts[k, TRIED] += 1
        pace.of_user[0, user] += 1
        pace.of_user[1, account] += 1
        if holder["limit"] > option["longest"] or first_lack(plan, j, o, EARLY, AT_ALL) != NOTHING:
            continue
        last = end_of_turn(plan, o, plan.shapes[holder["shape"]]["option_end"])
        begin = planned_start(jobs, plan, pace, j, o, last, t)
        if begin < FAR and first_lack(plan, j, plan.holders[j]["option"], PLACED, AT_ALL) != NOTHING:
            continue
        if begin <= t:
            start_on_nodes(jobs, plan, pace, start, j, begun, t)
            begun += 1
            is_met = share_nodes(plan, j, pace.turns[starting, 0])
        elif begin <= t + look["window"] and not 0 < look["reserved"] <= counts[k, PLANNED]:
            counts[k, PLANNED] += 1
            if pace.user[ARRAY, j] >= 0:
                pace.of_array[pace.user[ARRAY, j], k] = (look["number"] << BITS) | (tasks_planned(pace, j, k) + 1)
            keep_plan(jobs, plan, pace, j, begin)
            is_met = share_nodes(plan, j, pace.turns[starting, 0])
    return begun


@njit(cache=True, nogil=True, _nrt=False)
def has_turn(plan: NodePlan, pace: Pace, j: Int, k: Int) -> bool:
    """Return whether one more task of the array of job j, if it is in one, may be planned in partition k.

    Of each array so many are as may begin now beside those that run, and `tasks` at most; `plan` and `pace` are only
    read. The pools of the first arrays are the first ones.
    """
    array = pace.user[ARRAY, j]
    if array < 0:
        return True
    planned = tasks_planned(pace, j, k)
    free: Int = pace.look[0]["tasks"]
    if array < pace.look[0]["limited"]:
        free = min(free, plan.lists[plan.now[0]["pools"] + POOL * array + FREE])
    return bool(planned < free)


@njit(cache=True, nogil=True, _nrt=False)
def tasks_planned(pace: Pace, j: Int, k: Int) -> Int:
    """Return how many tasks of the array of job j this pass of `pace` has planned in partition k."""
    value: Int = pace.of_array[pace.user[ARRAY, j], k]
    return value & ((1 << BITS) - 1) if value >> BITS == pace.look[0]["number"] else np.int64(0)


@njit(cache=True, nogil=True, _nrt=False)
def line_up_turns(plan: NodePlan, pace: Pace, start: Ints, count: Int, t: Int) -> Int:
    """Put the turns of a backfill pass into their order; return how many.

    Parameters
    ----------
    plan, pace, start, count, t
        As for `main_pass`; (n,) int64 `start`. The turns of `pace` are filled in place.
    """
    look = pace.look[0]
    is_limited = look["partition"] == 0 and look["user"] == 0 and look["account"] == 0
    # jobs that a limit holds do not count, nor do tasks of arrays
    is_limited &= plan.lists.size == plan.now[0]["pools"]
    size: Int = np.int64(0)
    further: Int = np.int64(0)  # turns that may not count, since their job has had one before
    for rank in range(look["ranks"]):
        for i in range(count):
            j = pace.line[i]
            if start[j] >= 0 or is_absent(plan, j, t):
                continue
            shape = plan.shapes[plan.holders[j]["shape"]]
            last: Int = shape["option"]
            while last < shape["option_end"]:
                o = last
                last = end_of_turn(plan, o, shape["option_end"])
                if plan.options[o]["rank"] == rank:
                    if is_limited and size - further >= look["tested"]:
                        return size
                    pace.turns[size, 0] = j
                    pace.turns[size, 1] = o
                    size += 1
                    is_sure = o == shape["option"] and last == shape["option_end"] and pace.user[ARRAY, j] < 0
                    further += not is_sure
    return size


@njit(cache=True, nogil=True, _nrt=False)
def may_start_now(jobs: Jobs, plan: NodePlan, pace: Pace, start: Ints, i: Int, t: Int) -> bool:
    """Return whether turn i fits in second t beside the plans so far, so that it may start.

    Of jobs with one turn that does not fit it is remembered for the pass, in which plans only become more, that no job
    that asks for the same does, if it is not shorter.

    Parameters
    ----------
    jobs, plan, pace, start, i, t
        As for `main_pass`, and the place of the turn; (n,) int64 `start`. `plan` and `pace` are modified in place.
    """
    j, o = pace.turns[i, 0], pace.turns[i, 1]
    if start[j] >= 0 or plan.holders[j]["limit"] > plan.options[o]["longest"]:
        return False
    shape, length, number = plan.shapes[plan.holders[j]["shape"]], jobs.estimate[j], pace.look[0]["number"]
    if shape["version"] == number and length >= shape["length"]:
        return False
    if first_lack(plan, j, o, EARLY, AT_ALL) != NOTHING:
        return False
    if pace.look[0]["suspends"] == 0 and not fits_now(plan, pace, j, t):
        return False
    last = end_of_turn(plan, o, shape["option_end"])
    for node in range(pace.since.size):
        pace.marks[SHUT, node] = pace.since[node] <= t + length
    open_nodes(plan, pace, j, o, last, t, t + length, False)
    if fits_beside(plan, pace, j, o, last):
        return True
    if o == shape["option"] and last == shape["option_end"]:
        shape["version"], shape["length"] = number, length
    return False


@njit(cache=True, nogil=True, _nrt=False)
def fits_now(plan: NodePlan, pace: Pace, j: Int, t: Int) -> bool:
    """Return whether a job like j could be on the machine in second t, whatever is closed.

    It is tried once a pass. If it does not fit, that is remembered until something is given back, see `is_hopeless`.

    Parameters
    ----------
    plan, pace, j, t
        As for `main_pass`, and the job. `plan` and `pace` are modified in place.
    """
    number = plan.holders[j]["shape"]
    shape = plan.shapes[number]
    if is_hopeless(plan, number):
        return False
    if shape["asked"] == pace.look[0]["number"]:
        return True
    shape["asked"] = pace.look[0]["number"]
    for node in range(pace.since.size):
        pace.marks[SHUT, node] = 0
    for o in range(shape["option"], shape["option_end"]):
        open_nodes(plan, pace, j, o, o + 1, t, t + 1, False)
        if fits(plan, pace, j, o, o + 1):
            return True
    shape["hopeless"] = 1
    return False


@njit(cache=True, nogil=True, _nrt=False)
def planned_start(jobs: Jobs, plan: NodePlan, pace: Pace, j: Int, o: Int, last: Int, t: Int) -> Int:
    """Return when a job starts at the earliest, beside the plans; FAR if that is not known.

    A job of a priority below the least one that is planned starts now or not.

    Parameters
    ----------
    jobs
        `Jobs`.
    plan, pace
        `NodePlan` and `Pace`, modified in place; `held` says where.
    j, o, last
        The job, and its options in the partition, the last one not included.
    t
        The present second.
    """
    look = pace.look[0]
    length = jobs.estimate[j]
    kept = not is_minor(pace, j)
    second: Int = t
    few: Int = FAR  # nodes that it needs at least
    for option in range(o, last):
        few = min(few, plan.options[option]["fewest_nodes"])
    is_known = last - o == 1 and look["suspends"] == 0
    k: Int = ready_of(plan, pace, o) if is_known else np.int64(0)
    place: Int = np.int64(0)
    while True:
        while place < look["openings"] and pace.openings[place] <= second:
            place += 1
        later: Int = pace.openings[place] if place < look["openings"] else FAR
        shut_nodes(pace, second, second + length)
        begin: Int = FAR
        is_hopeful = not is_known or any_ready(plan, pace, o, k, later)
        if is_hopeful and open_nodes(plan, pace, j, o, last, second, second + length, False) >= few:
            begin = as_jobs_end(plan, pace, j, o, last, t, later)
        if begin < FAR:
            begin = max(begin, second)
            if begin <= later:
                if begin <= t:
                    return begin
                if not kept:
                    return FAR
                if not meets_plan(plan, pace, j, begin, length):
                    return begin
                if begin > second:
                    later = begin
        if not kept or later == FAR:
            return FAR
        second = later


@njit(cache=True, nogil=True, _nrt=False)
def shut_nodes(pace: Pace, second: Int, end: Int) -> None:
    """Mark the nodes of `pace`, in place, that plans close in a `second` or later, until `end`."""
    for node in range(pace.since.size):
        pace.marks[SHUT, node] = 0
    for p in range(pace.look[0]["plans"]):
        if pace.plans[p, BEGIN] <= end and pace.plans[p, END] > second:
            for k in range(pace.plans[p, FIRST], pace.plans[p, LAST]):
                pace.marks[SHUT, pace.closed[k]] = 1


@njit(cache=True, nogil=True, _nrt=False)
def as_jobs_end(plan: NodePlan, pace: Pace, j: Int, o: Int, last: Int, t: Int, until: Int) -> Int:
    """Return from when on a job fits on the open nodes, as running jobs end; FAR for never, or not `until` a second.

    The windows in which they end begin with the first end of a job on the nodes, rounded up to a multiple of WINDOW of
    Unix time, and are WINDOW long, then twice as long, and so on: as long as it takes to have the next job. Jobs on
    other nodes do not end a window. Those that run beyond their limit come first; a stopped one then ends at once.

    Parameters
    ----------
    plan, pace, j, o, last, t
        As for `planned_start`, and modified in place; the nodes are open, and `held` says where.
    until
        s, later than t.
    """
    if fits_beside(plan, pace, j, o, last):
        return t
    list_parts(plan, pace)
    look, parts = pace.look[0], pace.parts
    window: Int = np.int64(WINDOW)
    who: Int = NOTHING
    base: Int = NOTHING
    place: Int = np.int64(0)
    count: Int = look["parts"]
    while place < count:
        ended: Int = NOTHING
        is_stopped = False
        while place < count:
            end = parts[place, UNTIL]
            if end > until and ended == NOTHING:
                return FAR
            there = False
            more = True
            while more:
                node = parts[place, ON] >> 1
                if pace.marks[OPEN, node]:
                    there = True
                    give_node(plan, pace, parts[place, ROW])
                    who = parts[place, WHO]
                    if look["suspends"] > 0:
                        pace.stops[GONE, who] = look["leaving"]
                more = parts[place, ON] & 1 == 0
                place += 1
            if there:
                if end > until:
                    return FAR
                ended = end
                is_stopped = look["suspends"] > 0 and pace.stops[SINCE, who] > 0
                if base == NOTHING:
                    base = ((end + look["epoch"]) // WINDOW + 1) * WINDOW - look["epoch"]
                if place < count and parts[place, UNTIL] > base + window:
                    break
        if ended == NOTHING:
            return FAR
        window *= 2
        while place < count and parts[place, UNTIL] > base + window:
            window *= 2
        if fits_beside(plan, pace, j, o, last):
            if ended > t or is_stopped:
                return max(ended, t + 1)
            return max(ended + look["overtime"], t + 1)
    return FAR


@njit(cache=True, nogil=True, _nrt=False)
def meets_plan(plan: NodePlan, pace: Pace, j: Int, begin: Int, length: Int) -> bool:
    """Return whether a plan of job j would close a node that another plan closes at the same time.

    Parameters
    ----------
    plan, pace
        `NodePlan`, and `Pace`, of which marks are modified in place.
    j, begin, length
        The job, when it would start, s, and for how long.
    """
    since, until = closed_time(pace, begin, begin + length)
    for node in range(pace.since.size):
        pace.marks[STALE, node] = 0
    first = plan.holders[j]["first"]
    for row in range(first, first + plan.holders[j]["count"]):
        pace.marks[STALE, plan.held[row, NODE]] = 1
    for p in range(pace.look[0]["plans"]):
        if pace.plans[p, BEGIN] < until and pace.plans[p, END] > since:
            for k in range(pace.plans[p, FIRST], pace.plans[p, LAST]):
                if pace.marks[STALE, pace.closed[k]]:
                    return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def closed_time(pace: Pace, begin: Int, end: Int) -> tuple[Int, Int]:
    """Return from and until when a plan closes its nodes: multiples of the step of `pace` in Unix time, rounded down.

    `begin` and `end` are those of the job, s.
    """
    step, epoch = pace.look[0]["step"], pace.look[0]["epoch"]
    since = (begin + epoch) // step * step - epoch
    until = (end + epoch) // step * step - epoch
    return since, max(until, since + step)


@njit(cache=True, nogil=True, _nrt=False)
def keep_plan(jobs: Jobs, plan: NodePlan, pace: Pace, j: Int, begin: Int) -> None:
    """Close the nodes that job j of `jobs` holds in `plan` from second `begin` on; `pace` is modified in place."""
    look, plans = pace.look, pace.plans
    p = look[0]["plans"]
    since, until = closed_time(pace, begin, begin + jobs.estimate[j])
    plans[p, BEGIN] = since
    plans[p, END] = until
    plans[p, FIRST] = look[0]["closed"]
    first = plan.holders[j]["first"]
    for row in range(first, first + plan.holders[j]["count"]):
        node = plan.held[row, NODE]
        pace.closed[look[0]["closed"]] = node
        look[0]["closed"] += 1
        pace.since[node] = min(pace.since[node], since)
    plans[p, LAST] = look[0]["closed"]
    look[0]["plans"] += 1
    note_opening(pace, until)


@njit(cache=True, nogil=True, _nrt=False)
def note_opening(pace: Pace, second: Int) -> None:
    """Insert a `second` into the openings of `pace`, in place."""
    i: Int = pace.look[0]["openings"]
    while i > 0 and pace.openings[i - 1] > second:
        pace.openings[i] = pace.openings[i - 1]
        i -= 1
    pace.openings[i] = second
    pace.look[0]["openings"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def note_down_ends(plan: NodePlan, pace: Pace, t: Int) -> None:
    """Put the ends after second t of what closes nodes of `plan` into the openings of `pace`, in place."""
    for row in range(plan.now[0]["ends"], plan.now[0]["pools"] - 2 * plan.now[0]["downs"]):
        if plan.lists[row] > t:
            note_opening(pace, plan.lists[row])

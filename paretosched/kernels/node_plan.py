"""What is free on each node of a machine over time, and what jobs hold there.

Each node has its own profile: steps in the order of time, of which each has what is free from its second until that of
the next one. Steps lie in one array, and those of a node are a linked list. What jobs hold adds up, so a hold is
subtracted when it begins, and added when it is given up. Columns of amounts are resources: CPUs, memory, then GPUs by
type, and, if some jobs are alone with those of their user, six sums that say who is there, see `is_alone`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Int, Ints, Mask
from .compiling import njit
from .inputs import Jobs
from .waiting_tree import FAR

CPUS, MEMORY, GPUS = range(3)  # of the resources; the types of GPUs from the last one on
SUMS = 6  # the columns that say who is there: for all jobs, and for those that want to be alone with their user
NOTHING = -1
ALL_TYPES = -1  # of GPUs
CONS_TRES, IN_ORDER, BEST, EMPTIEST, BY_LEAVES = range(5)  # the rules by which nodes are chosen

# Columns of the arrays of a `NodePlan`. What is alike is in one array: with more arrays numba takes far longer.
# Rows of `nodes`; from HAS on what each node has of the resources, then what is free for a job, what is free now, and
# what is free in the second of the first row of `rooms`.
# FREED and ALTERED have two rows more each, see `move_first`.
(
    THREADS, WEIGHT, BY_WEIGHT, HEAD, UNTIL, DOWN, DOWN_END, CAN, COULD, GIVES, GIVES_GPUS, MUST,
    LEAF, LEAF_CPUS, LEAF_NODES, ROW, ROW_END, ROW_CPUS, ROW_ORDER,
    FREED, EARLIER, LATER, ALTERED, _, NEXT_ALTERED, LEFT, RESERVED, HAS,
) = range(28)  # fmt: skip
WHEN, NEXT, AMOUNT = range(3)  # of `steps`
NODE, HELD = range(2)  # of `held`
# What jobs share wherever they run are pools: licences, and what limits allow. Of each, columns at the end of `lists`:
# how much there is, and how much is free; of a timed one, in which what a job takes shrinks as it runs, what the jobs
# take, and the sum of what each takes times the second in which it was last counted.
TOTAL, FREE, RATE, COUNTED, POOL = range(5)
# What a job takes of a pool, likewise: which pool, how much it asks for, how much it gets at least wherever it runs, of
# what, whether it waits if that is not free, and whether it is multiplied by the longest time that it may run, s.
NUMBER, ASKED, LEAST, KIND, CHECKED, TIMED, SHARE = range(7)
# Kinds: no resource, nodes, GPUs of all types; else the column of a resource. What is less than ONCE is nodes of which
# each counts once, whoever is there, in rows behind the others of `nodes`: the first of them is that of ONCE - 1.
FIXED, OF_NODES, ALL_GPUS, ONCE = -1, -2, -3, -4
EARLY, PLACED, WANTED = range(3)  # by what a job is looked at: what it surely takes, what it gets, what it asks for
AT_ALL, FOR_TURN = 1, 2  # values of CHECKED: the second one is that of limits without which it has no turn to backfill
PERIOD, MINUTE = 300, 60  # s: what is taken of timed pools shrinks at multiples of the first, and counts in the second


def record(*names: str) -> np.dtype[np.void]:
    """Return the type of records with fields of some `names`, int64 each."""
    return np.dtype([(name, np.int64) for name in names])


OPTION = record(
    "partition", "mask", "longest", "tasks", "cpus", "least", "most", "per_node", "memory", "memory_per_cpu",
    "gpus_per_node", "gpus", "gpus_per_task", "gpu_type", "whole", "least_cpus", "most_nodes", "exact", "rule",
    "named", "counts", "end", "least_memory", "least_gpus", "of_gpus", "tier", "members", "per_core", "fewest_cpus",
    "fewest_nodes", "pool", "pool_end", "rank",
)  # fmt: skip
SHAPE = record(
    "option", "option_end", "single", "late", "timed", "rows", "job", "waiting",
    "hopeless", "seen", "length", "asked", "version", "shortest", "open", "held",
)  # fmt: skip
# of what nodes can give to jobs with an option: when, after how many alterations of nodes, how many CPUs and nodes that
# is in all, and how many nodes give as much as each has to
ROOM = record("option", "second", "alterations", "total", "usable", "serving")
HOLDER = record(
    "shape", "tier", "user", "alone", "request", "limit", "first", "count", "option", "place", "seen", "begun",
    "downs", "inside", "windows", "windows_end",
    # in another plan of the machine, see `take_holders`
    "count_beside", "option_beside",
)  # fmt: skip
NOW = record(
    "second", "spare_steps", "used_steps", "free_cpus", "full", "resources", "types", "cores", "shared", "pools",
    "licences", "downs", "ends", "views", "inside", "timed", "counted", "given_back", "freed", "version", "versions",
    "last_version", "remembers", "passes", "node_bits", "shared_since", "alterations", "altered",
    # of a job whose nodes are chosen: what is still missing, and what it takes of each node
    "lacks_cpus", "lacks_gpus", "more", "lacks_nodes", "spare", "count", "named", "step", "gpus_per_node",
    "gpus_per_task", "gpus", "gpu_type", "whole",
)  # fmt: skip


class NodePlan(NamedTuple):
    """A machine of m nodes with R resources, what n jobs ask of it, and what is free on it.

    Attributes
    ----------
    nodes
        (HAS + 4 R or more, m) int64: the threads of a core, the weight, the node at this place by weight, the first
        step and the second of the next one, and the part of `lists` with the down times of each node; the CPUs that it
        can give a job, and could give if all nodes were used; the CPUs and GPUs that it gives, and whether it must; its
        leaf switch; the CPUs and nodes that the leaf of this number can give; the first node, the end and the CPUs of
        the row of nodes of this number, and the number of the row at this place in their order, see
        `node_choice.list_rows`; when something was given back there last, as `now["given_back"]` counts, and the nodes
        before and after it in a list by that, the latest first; likewise when what is free there now was altered last,
        as `now["alterations"]` counts; the last job whose place was looked for again while it had one there, plus one;
        the last pass that remembers in which a job has a reservation there; what it has, what is free for a job, now,
        and in the second of the first row of `rooms`; and for each pool of nodes that count once, how many of its jobs
        are there.
    steps
        (p, AMOUNT + R) int64: from when on so much is free, s, and the next step of the node.
    held
        (h, HELD + R) int64: the nodes of each job, and what it holds there.
    masks
        (k, m) bool, sets of nodes.
    lists
        (l,) int64: the nodes that options name, then pairs of a set and how many of its nodes are wanted; what options
        take of pools, see NUMBER; pairs of seconds, half open, in which a reservation lasts; from `now["ends"]` on the
        seconds in which something ends of what follows: pairs of seconds, half open, in which a node is down, or closed
        to some jobs; and from `now["pools"]` on the pools, see TOTAL, licences first.
    options
        (o,) OPTION, the ways in which jobs can be placed: a partition, and the features that its nodes have. `tier` is
        0 for the partitions of the highest tier, `rank` when its turn comes, `members` the set of all nodes of the
        partition, `per_core` whether each task has cores of its own, and `fewest_nodes` how many nodes a job needs at
        least, each with `fewest_cpus`.
    shapes
        (s,) SHAPE: the options of jobs that ask for the same; whether each needs one node, and no pool is late; whether
        pools may keep it out of some options only, or only when its nodes are known; then nothing that was tried in
        vain is remembered, and the first `rows` of each job's part of `held` have a copy behind them; whether one of
        its pools is timed; one of the jobs, how many wait, and a time that none of them is shorter than, s; what was
        tried, see `may_be_put`; below which length a job may start beside the reservations, s, see `any_may_be_put`;
        and since when pools keep all its jobs out, as `shared_since` of `now` counts.
    holders
        (n,) HOLDER: shape, tier, user, request and what partitions take for it, in s, of each job, its rows of `held`,
        its last reservation, and when it started, s; the row of `nodes` that says, with the next one, in which `lists`
        nodes are closed to it; and of a job in a reservation of the machine by which number others in it are stopped,
        and when it lasts, in `lists`.
    seconds
        (p,) int64, s, work space of a search.
    now
        (1,) NOW. `resources` is R, `types` how many types of GPUs there are, `cores` whether the CPUs of a core go
        together, `shared` whether memory is given out, `licences` how many of the pools are licences, `views` in how
        many ways jobs in reservations see the nodes, `inside` how many of these let their jobs wait, `downs` how many
        down times there are of all nodes for all of them, `timed` whether any pool is so, `counted` when timed pools
        were last counted, s, `freed` the node on which something was given back last, `passes` how many passes there
        were, and `shared_since` the number of changes of pools, and one.
    rooms
        (k, m) int32, the CPUs that each node could give to a job with an option, whoever is there: in the first row
        those in one second that is not now, in the others those of now, see `node_choice.room_of`.
    known
        (k,) ROOM, what is known of each row of `rooms`.
    versions
        (v, 4) int64: of the reservations of a pass, the job, its second, a sum of what it holds, and the number under
        which these and all before them are known; one more than there can be.
    """

    nodes: Ints
    steps: Ints
    held: Ints
    masks: Mask
    lists: Ints
    options: NDArray[np.void]
    shapes: NDArray[np.void]
    holders: NDArray[np.void]
    seconds: Ints
    now: NDArray[np.void]
    versions: Ints
    rooms: NDArray[np.int32]
    known: NDArray[np.void]


def fresh(plan: NodePlan) -> NodePlan:
    """Return the machine of a `plan` with arrays of its own for all that a simulation changes, see `clear_nodes`."""
    return plan._replace(
        nodes=plan.nodes.copy(),
        steps=np.empty_like(plan.steps),
        held=np.empty_like(plan.held),
        lists=plan.lists.copy(),
        shapes=plan.shapes.copy(),
        holders=plan.holders.copy(),
        seconds=np.empty_like(plan.seconds),
        now=plan.now.copy(),
        versions=np.empty_like(plan.versions),
        rooms=np.empty_like(plan.rooms),
        known=plan.known.copy(),
    )


def changes_of(plan: NodePlan) -> tuple[Ints, Ints]:
    """Return the seconds in which nodes of a `plan` go down, and those in which they come up again."""
    end = int(plan.now[0]["pools"])
    begin = end - 2 * int(plan.now[0]["downs"])
    return plan.lists[begin:end:2], plan.lists[begin + 1 : end : 2]


@njit(cache=True, nogil=True, _nrt=False)
def clear_nodes(plan: NodePlan, since: Int) -> None:
    """Make the machine of `plan`, in place, idle from second `since` on."""
    now = plan.now
    total: Int = np.int64(0)
    for i in range(plan.nodes.shape[1]):
        plan.nodes[HEAD, i] = i
        plan.nodes[UNTIL, i] = FAR
        plan.nodes[LEFT, i] = plan.nodes[RESERVED, i] = 0
        for row in (FREED, ALTERED):
            plan.nodes[row, i] = 0
            plan.nodes[row + 1, i] = i - 1  # NOTHING before the first one
            plan.nodes[row + 2, i] = i + 1 if i + 1 < plan.nodes.shape[1] else NOTHING
        plan.steps[i, WHEN] = since
        plan.steps[i, NEXT] = NOTHING
        for r in range(now[0]["resources"]):
            plan.steps[i, AMOUNT + r] = plan.nodes[HAS + r, i]
            plan.nodes[HAS + 2 * now[0]["resources"] + r, i] = plan.nodes[HAS + r, i]
        total += plan.nodes[HAS + CPUS, i]
    for i in range(now[0]["pools"], plan.lists.size, POOL):
        plan.lists[i + FREE] = plan.lists[i + TOTAL]
        plan.lists[i + RATE] = plan.lists[i + COUNTED] = 0
    now[0]["counted"] = since // PERIOD * PERIOD
    for row in range(HAS + 4 * now[0]["resources"], plan.nodes.shape[0] - 2 * now[0]["views"]):
        for i in range(plan.nodes.shape[1]):
            plan.nodes[row, i] = 0
    now[0]["second"] = since
    now[0]["spare_steps"] = NOTHING
    now[0]["used_steps"] = plan.nodes.shape[1]
    now[0]["free_cpus"] = total
    now[0]["full"] = 0
    now[0]["given_back"] = now[0]["freed"] = now[0]["alterations"] = now[0]["altered"] = 0
    for k in range(plan.known.size):
        plan.known[k]["option"] = NOTHING
    now[0]["version"] = now[0]["versions"] = now[0]["last_version"] = now[0]["remembers"] = 0
    now[0]["passes"] = now[0]["shared_since"] = 1
    for i in range(plan.versions.shape[0]):
        plan.versions[i, 0] = NOTHING
    for i in range(plan.shapes.size):
        plan.shapes[i]["waiting"] = plan.shapes[i]["hopeless"] = plan.shapes[i]["seen"] = plan.shapes[i]["held"] = 0
        plan.shapes[i]["version"] = NOTHING
    for j in range(plan.holders.size):
        plan.holders[j]["place"] = NOTHING


@njit(cache=True, nogil=True, _nrt=False)
def take_holders(jobs: Jobs, plan: NodePlan, other: NodePlan, rows: Ints) -> None:
    """Let job i of `plan`, in place, ask for what that of row `rows[i]` asks for in another plan of the machine.

    What it held when `note_holders` was called last is in its rows of `held`.

    Parameters
    ----------
    jobs
        `Jobs` of the plan; where their estimates are less than the requests in the other one, they have run so long.
    plan, other
        `NodePlan`; the other one is only read.
    rows
        (n,) int64, of which the first are those of jobs.
    """
    for i in range(jobs.submit.size):
        plan.holders[i] = other.holders[rows[i]]
        holder = plan.holders[i]
        holder["count"], holder["option"] = holder["count_beside"], holder["option_beside"]
        holder["limit"] -= holder["request"] - jobs.estimate[i]
        holder["request"] = jobs.estimate[i]
        plan.shapes[holder["shape"]]["job"] = i


@njit(cache=True, nogil=True, _nrt=False)
def note_holders(plan: NodePlan, other: NodePlan, rows: Ints, start: Ints, count: Int) -> None:
    """Write down in another plan of the machine, in place, what the jobs of `plan` hold that have started.

    Parameters
    ----------
    plan, other
        `NodePlan`; the first one is only read.
    rows, start, count
        (n,) int64 both: the rows of the first `count` jobs in the other plan, and their starts, -1 for none.
    """
    for i in range(count):
        if start[i] >= 0:
            other.holders[rows[i]]["count_beside"] = plan.holders[i]["count"]
            other.holders[rows[i]]["option_beside"] = plan.holders[i]["option"]


@njit(cache=True, nogil=True, _nrt=False)
def pass_steps(plan: NodePlan, second: Int) -> None:
    """Let `plan` begin in a `second`, in place: steps that have ended are dropped."""
    plan.now[0]["second"] = second
    for i in range(plan.nodes.shape[1]):
        if plan.nodes[UNTIL, i] <= second:
            head = plan.nodes[HEAD, i]
            while plan.steps[head, NEXT] != NOTHING and plan.steps[plan.steps[head, NEXT], WHEN] <= second:
                later = plan.steps[head, NEXT]
                drop(plan, head)
                head = later
            plan.nodes[HEAD, i] = head
            note_head(plan, i)


@njit(cache=True, nogil=True, _nrt=False)
def note_head(plan: NodePlan, node: Int) -> None:
    """Write down what is free on a `node` now, and until when, after its steps have changed; `plan` is modified."""
    now = plan.now
    head = plan.nodes[HEAD, node]
    later = plan.steps[head, NEXT]
    plan.nodes[UNTIL, node] = FAR if later == NOTHING else plan.steps[later, WHEN]
    first = HAS + 2 * now[0]["resources"]
    for r in range(now[0]["resources"]):
        plan.nodes[first + r, node] = plan.steps[head, AMOUNT + r]
    now[0]["alterations"] += 1
    plan.nodes[ALTERED, node] = now[0]["alterations"]
    now[0]["altered"] = move_first(plan, ALTERED, now[0]["altered"], node)


@njit(cache=True, nogil=True, _nrt=False)
def drop(plan: NodePlan, step: Int) -> None:
    """Keep a `step` of `plan`, which belongs to no node any more, for later; in place."""
    plan.steps[step, NEXT] = plan.now[0]["spare_steps"]
    plan.now[0]["spare_steps"] = step


@njit(cache=True, nogil=True, _nrt=False)
def split(plan: NodePlan, step: Int, when: Int) -> Int:
    """Return the part from second `when` on of a `step` of `plan`, which is divided there, in place."""
    now = plan.now
    part = now[0]["spare_steps"]
    if part != NOTHING:
        now[0]["spare_steps"] = plan.steps[part, NEXT]
    elif now[0]["used_steps"] < plan.steps.shape[0]:
        part = now[0]["used_steps"]
        now[0]["used_steps"] += 1
    else:
        now[0]["full"] = 1
        return step
    plan.steps[part, WHEN] = when
    plan.steps[part, NEXT] = plan.steps[step, NEXT]
    plan.steps[step, NEXT] = part
    for c in range(AMOUNT, plan.steps.shape[1]):
        plan.steps[part, c] = plan.steps[step, c]
    return part


@njit(cache=True, nogil=True, _nrt=False)
def change(plan: NodePlan, node: Int, begin: Int, end: Int, row: Int, sign: Int) -> None:
    """Add what a job holds on a node to what is free there.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place.
    node
        The node.
    begin, end
        s, from when until just before when; begin is not before the present second.
    row
        The row of `held` with the amounts.
    sign
        1, or -1 to subtract them.
    """
    if end <= begin:
        return
    steps = plan.steps
    before: Int = NOTHING
    step: Int = plan.nodes[HEAD, node]
    while steps[step, NEXT] != NOTHING and steps[steps[step, NEXT], WHEN] <= begin:
        before = step
        step = steps[step, NEXT]
    if begin > plan.now[0]["second"] and steps[step, WHEN] < begin:
        before = step
        step = split(plan, step, begin)
    while True:
        later = steps[step, NEXT]
        if later == NOTHING or steps[later, WHEN] > end:
            split(plan, step, end)
            later = steps[step, NEXT]
        for r in range(plan.now[0]["resources"]):
            steps[step, AMOUNT + r] += sign * plan.held[row, HELD + r]
        if before != NOTHING and same(plan, before, step):
            steps[before, NEXT] = later
            drop(plan, step)
        else:
            before = step
        if plan.now[0]["full"] or steps[later, WHEN] >= end:
            break
        step = later
    if later != NOTHING and same(plan, before, later):
        steps[before, NEXT] = steps[later, NEXT]
        drop(plan, later)
    note_head(plan, node)


@njit(cache=True, nogil=True, _nrt=False)
def same(plan: NodePlan, one: Int, other: Int) -> bool:
    """Return whether as much is free in `one` step as in the `other` one of `plan`."""
    differs = False
    for c in range(AMOUNT, plan.steps.shape[1]):
        differs |= plan.steps[one, c] != plan.steps[other, c]
    return not differs


@njit(cache=True, nogil=True, _nrt=False)
def change_all(plan: NodePlan, j: Int, begin: Int, end: Int, sign: Int) -> None:
    """Add what job j holds, from `begin` until `end`, to what is free in `plan`, in place; `sign` as for `change`."""
    first = plan.holders[j]["first"]
    for row in range(first, first + plan.holders[j]["count"]):
        change(plan, plan.held[row, NODE], begin, end, row, sign)


@njit(cache=True, nogil=True, _nrt=False)
def is_alone(plan: NodePlan, step: Int, part: Int, user: Int) -> bool:
    """Return whether all jobs on a node are those of one user.

    For users u of the jobs there, the sum of (u - user)^2 is 0 only if each is this one; its three parts add up.

    Parameters
    ----------
    plan, step
        `NodePlan`, and a step of the node.
    part
        The first of three columns: minus the number of jobs, the sum of their users, and that of the squares.
    user
        Number of the user.
    """
    steps = plan.steps
    return bool(2 * user * steps[step, part + 1] == steps[step, part + 2] + user * user * steps[step, part])


@njit(cache=True, nogil=True, _nrt=False)
def look_at(plan: NodePlan, node: Int, begin: Int, end: Int, asked: Int, j: Int) -> bool:
    """Note what is free on a node all the time; return whether job j may be there.

    Parameters
    ----------
    plan
        `NodePlan`, of which the last columns of `nodes` are filled in place.
    node
        The node.
    begin, end
        s, half open: when the job is expected to be there.
    asked
        s, until just before when no down time may begin.
    j
        Row of the job.
    """
    steps, nodes, view = plan.steps, plan.nodes, plan.holders[j]["downs"]
    for row in range(nodes[view, node], nodes[view + 1, node], 2):
        if plan.lists[row] < asked and plan.lists[row + 1] > begin:
            return False
    resources = plan.now[0]["resources"]
    free = HAS + resources
    step = nodes[HEAD, node]
    while steps[step, NEXT] != NOTHING and steps[steps[step, NEXT], WHEN] <= begin:
        step = steps[step, NEXT]
    for r in range(resources):
        nodes[free + r, node] = steps[step, AMOUNT + r]
    # Without a reservation what is free only becomes more, and jobs there only become fewer.
    if plan.now[0]["remembers"] and nodes[RESERVED, node] != plan.now[0]["passes"]:
        return lets_in(plan, node, j, free)
    user = plan.holders[j]["user"]
    amounts: Int = resources if user == NOTHING else resources - SUMS
    while nodes[free + CPUS, node] > 0:
        if user != NOTHING:
            part = AMOUNT + amounts + (0 if plan.holders[j]["alone"] else SUMS // 2)
            if not is_alone(plan, step, part, user):
                return False
        step = steps[step, NEXT]
        if step == NOTHING or steps[step, WHEN] >= end:
            return True
        for r in range(amounts):
            nodes[free + r, node] = min(nodes[free + r, node], steps[step, AMOUNT + r])
    return False


@njit(cache=True, nogil=True, _nrt=False)
def lets_in(plan: NodePlan, node: Int, j: Int, row: Int) -> bool:
    """Return whether CPUs of a node are free, and those who are there let job j in, see `is_alone`.

    Parameters
    ----------
    plan, node, j
        `NodePlan`, only read, the node and the job.
    row
        The first of the rows of its nodes that say what is free there, and who is.
    """
    if plan.nodes[row + CPUS, node] <= 0:
        return False
    user = plan.holders[j]["user"]
    if user == NOTHING:
        return True
    part = row + plan.now[0]["resources"] - (SUMS if plan.holders[j]["alone"] else SUMS // 2)
    there, users, squares = plan.nodes[part, node], plan.nodes[part + 1, node], plan.nodes[part + 2, node]
    return bool(2 * user * users == squares + user * user * there)


@njit(cache=True, nogil=True, _nrt=False)
def is_absent(plan: NodePlan, j: Int, t: Int) -> bool:
    """Return whether job j waits in second t for its reservation, which will be there later; `plan` is only read."""
    later = False
    for row in range(plan.holders[j]["windows"], plan.holders[j]["windows_end"], 2):
        if plan.lists[row] <= t < plan.lists[row + 1]:
            return False
        later |= plan.lists[row + 1] > t
    return later


@njit(cache=True, nogil=True, _nrt=False)
def any_window_begins(plan: NodePlan, rows: Ints, count: Int, t: Int) -> bool:
    """Return whether a reservation begins in second t for one of the first `count` jobs of `rows`, (n,) int64.

    `plan` is only read.
    """
    for i in range(count if plan.now[0]["inside"] > 0 else 0):
        holder = plan.holders[rows[i]]
        for row in range(holder["windows"], holder["windows_end"], 2):
            if plan.lists[row] == t:
                return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def end_of_window(plan: NodePlan, j: Int, t: Int) -> Int:
    """Return when the reservation ends in which job j is in second t; FAR if it is in none; `plan` is only read."""
    for row in range(plan.holders[j]["windows"], plan.holders[j]["windows_end"], 2):
        if plan.lists[row] <= t < plan.lists[row + 1]:
            return plan.lists[row + 1]
    return FAR


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def is_held(plan: NodePlan, j: Int) -> bool:
    """Return whether `is_allowed` is known to be false of job j in `plan`."""
    return bool(plan.shapes[plan.holders[j]["shape"]]["held"] == plan.now[0]["shared_since"])


@njit(cache=True, nogil=True, _nrt=False)
def is_allowed(plan: NodePlan, j: Int) -> bool:
    """Return whether the pools of `plan` let job j start now in some partition, for all that is known beforehand.

    That they keep it out is remembered for all jobs that ask for the same, in place, until a pool changes. Nor may a
    job start that waits for its reservation.
    """
    if is_held(plan, j) or is_absent(plan, j, plan.now[0]["second"]):
        return False
    shape = plan.shapes[plan.holders[j]["shape"]]
    for o in range(shape["option"], shape["option_end"]):
        if first_lack(plan, j, o, EARLY, AT_ALL) == NOTHING:
            return True
    if not shape["timed"]:
        shape["held"] = plan.now[0]["shared_since"]
    return False


@njit(cache=True, nogil=True, _nrt=False)
def line_up_allowed(plan: NodePlan, rows: Ints, count: Int, queue: Ints) -> Int:
    """Put the jobs into `queue`, in place, that pools may let start now; return how many.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place, see `is_allowed`.
    rows, count
        (n,) int64, of which the first `count` wait.
    queue
        (n,) int64.
    """
    if plan.lists.size == plan.now[0]["pools"] and plan.now[0]["inside"] == 0:
        for i in range(count):
            queue[i] = rows[i]
        return count
    size: Int = np.int64(0)
    for i in range(count):
        if not is_held(plan, rows[i]) and is_allowed(plan, rows[i]):
            queue[size] = rows[i]
            size += 1
    return size


@njit(cache=True, nogil=True, _nrt=False)
def first_lack(plan: NodePlan, j: Int, o: Int, by: Int, least: Int) -> Int:
    """Return the first pool of which not enough is free for job j to start now; NOTHING for none.

    A job that gets more than a limit ever allows does not wait for it: that it is in the log says that it ran.

    Parameters
    ----------
    plan, j, o
        `NodePlan`, only read, the job, and its option.
    by
        EARLY, PLACED, where `held` says what it gets, or WANTED.
    least
        Which pools count, see AT_ALL.
    """
    lists, now, option = plan.lists, plan.now, plan.options[o]
    for i in range(option["pool"], option["pool_end"], SHARE):
        if lists[i + CHECKED] < least or (by == EARLY and lists[i + KIND] < ONCE):
            continue
        pool = now[0]["pools"] + POOL * lists[i + NUMBER]
        amount: Int = lists[i + ASKED]
        if by == PLACED:
            amount = taken_of(plan, j, lists[i + KIND], amount, 0)
        least_amount: Int = lists[i + LEAST]
        free, total = lists[pool + FREE], lists[pool + TOTAL]
        if lists[i + TIMED]:
            amount = amount * plan.holders[j]["limit"] // MINUTE
            least_amount = least_amount * plan.holders[j]["limit"] // MINUTE
            total //= MINUTE
            free = total - (lists[pool + TOTAL] - free) // MINUTE
        if amount > free and (lists[i + NUMBER] < now[0]["licences"] or least_amount <= total):
            return lists[i + NUMBER]
    return NOTHING


@njit(cache=True, nogil=True, _nrt=False)
def taken_of(plan: NodePlan, j: Int, kind: Int, asked: Int, there: Int) -> Int:
    """Return how much of a `kind` job j holds in `plan`, see FIXED; `asked`, if it is no resource.

    Of nodes that count once, those on which `there` jobs of the pool are.
    """
    if kind == FIXED:
        return asked
    holder = plan.holders[j]
    if kind == OF_NODES:
        return holder["count"]
    low: Int = GPUS if kind == ALL_GPUS else kind
    high: Int = GPUS + plan.now[0]["types"] if kind == ALL_GPUS else kind + 1
    total: Int = np.int64(0)
    for row in range(holder["first"], holder["first"] + holder["count"]):
        if kind < ONCE:
            total += plan.nodes[row_of_pool(plan, kind), plan.held[row, NODE]] == there
        else:
            for r in range(low, high):
                total += plan.held[row, HELD + r]
    return total


@njit(cache=True, nogil=True, _nrt=False)
def row_of_pool(plan: NodePlan, kind: Int) -> Int:
    """Return the row of the nodes of `plan` that says how many jobs of a pool are there; see ONCE for its `kind`."""
    return HAS + 4 * plan.now[0]["resources"] + ONCE - 1 - kind


@njit(cache=True, nogil=True, _nrt=False)
def take_shared(plan: NodePlan, j: Int, sign: Int) -> None:
    """Let job j give back what it has of pools and CPUs in `plan`, in place; take it, with a `sign` of -1."""
    lists, now, holder = plan.lists, plan.now, plan.holders[j]
    if sign < 0:
        holder["begun"] = now[0]["second"]
    option = plan.options[holder["option"]]
    now[0]["shared_since"] += option["pool"] < option["pool_end"]
    for i in range(option["pool"], option["pool_end"], SHARE):
        pool = now[0]["pools"] + POOL * lists[i + NUMBER]
        # of nodes that count once those that nobody had, or that nobody else has
        amount: Int = sign * taken_of(plan, j, lists[i + KIND], lists[i + ASKED], np.int64(sign > 0))
        if lists[i + KIND] < ONCE:
            for row in range(holder["first"], holder["first"] + holder["count"]):
                plan.nodes[row_of_pool(plan, lists[i + KIND]), plan.held[row, NODE]] -= sign
        if lists[i + TIMED]:
            since = max(holder["begun"], now[0]["counted"])
            lists[pool + FREE] += amount * (holder["begun"] + holder["limit"] - since)
            lists[pool + RATE] -= amount
            lists[pool + COUNTED] -= amount * since
        else:
            lists[pool + FREE] += amount
    for row in range(holder["first"], holder["first"] + holder["count"]):
        now[0]["free_cpus"] += sign * plan.held[row, HELD + CPUS]
        if sign > 0:
            give_back(plan, plan.held[row, NODE])


@njit(cache=True, nogil=True, _nrt=False)
def count_timed(plan: NodePlan, t: Int) -> None:
    """Let what jobs take of the timed pools of `plan`, in place, be what is left of it in second t."""
    now, lists = plan.now, plan.lists
    second = t // PERIOD * PERIOD
    if not now[0]["timed"] or second <= now[0]["counted"]:
        return
    for i in range(now[0]["pools"], lists.size, POOL):
        lists[i + FREE] += lists[i + RATE] * second - lists[i + COUNTED]
        lists[i + COUNTED] = lists[i + RATE] * second
    now[0]["counted"] = second


@njit(cache=True, nogil=True, _nrt=False)
def give_back(plan: NodePlan, node: Int) -> None:
    """Note in `plan`, in place, that something was given back on a `node`, which becomes the first of those."""
    now = plan.now
    now[0]["given_back"] += 1
    plan.nodes[FREED, node] = now[0]["given_back"]
    now[0]["freed"] = move_first(plan, FREED, now[0]["freed"], node)


@njit(cache=True, nogil=True, _nrt=False)
def move_first(plan: NodePlan, row: Int, first: Int, node: Int) -> Int:
    """Return a `node`, after it has been made the first one of a list of all nodes, which began with `first`.

    In row `row` + 1 of the nodes of `plan`, modified in place, is the node before each one, and in the next the one
    behind it; NOTHING for none.
    """
    nodes = plan.nodes
    earlier, later = nodes[row + 1, node], nodes[row + 2, node]
    if earlier != NOTHING:
        nodes[row + 2, earlier] = later
        if later != NOTHING:
            nodes[row + 1, later] = earlier
        nodes[row + 1, first] = node
        nodes[row + 1, node] = NOTHING
        nodes[row + 2, node] = first
    return node

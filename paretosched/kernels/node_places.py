"""When and where jobs can be on a machine of nodes, as the engine asks; see `places`."""

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .inputs import Jobs
from .node_choice import choose, look_at_all, may_serve, most_nodes, most_of, room_of, room_on
from .node_plan import (
    AMOUNT,
    AT_ALL,
    COULD,
    CPUS,
    EARLY,
    FREED,
    HAS,
    HEAD,
    LATER,
    LEFT,
    MEMORY,
    NEXT,
    NODE,
    NOTHING,
    PLACED,
    RESERVED,
    SUMS,
    WHEN,
    NodePlan,
    change_all,
    first_lack,
    give_back,
    is_allowed,
    is_alone,
    look_at,
)  # fmt: skip
from .running import pop, push
from .waiting_heap import make_heap, sink
from .waiting_tree import FAR

LARGE_KEY = 1e200  # a larger one than those beyond it may be infinite


@njit(cache=True, nogil=True, _nrt=False)
def put(plan: NodePlan, j: Int, t: Int, length: Int, asked: Int) -> bool:
    """Return whether job j can be placed for `length` s from second t on; if it can, `held` of `plan` says where.

    No node that it gets goes down for `asked` s, which is its request if that is longer.
    """
    holder = plan.holders[j]
    shape = plan.shapes[holder["shape"]]
    for o in range(shape["option"], shape["option_end"]):
        if holder["limit"] > plan.options[o]["longest"] or first_lack(plan, j, o, EARLY, AT_ALL) != NOTHING:
            continue
        if choose(plan, j, o, t, t + length, t + asked) and is_within(plan, j, o):
            return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def is_within(plan: NodePlan, j: Int, o: Int) -> bool:
    """Return whether the pools of `plan` let job j start now in option o with what `held` says."""
    return bool(first_lack(plan, j, o, PLACED, AT_ALL) == NOTHING)


@njit(cache=True, nogil=True, _nrt=False)
def is_hopeless(plan: NodePlan, number: Int) -> bool:
    """Return whether it is known that no job of a shape fits now, not even for a second.

    That is so until something is given back on a node that the shape may use. Of jobs that need one node it is enough
    to look at such nodes: all others have as little room as before. What is known of other shapes is forgotten if the
    node may serve them.

    Parameters
    ----------
    plan
        `NodePlan`, of which the shape is modified in place.
    number
        Row of the shape.
    """
    shape = plan.shapes[number]
    by_node = shape["single"] > 0 and plan.now[0]["downs"] == 0
    node = plan.now[0]["freed"]
    while node != NOTHING and plan.nodes[FREED, node] > shape["seen"]:
        for o in range(shape["option"], shape["option_end"]):
            if not plan.masks[plan.options[o]["mask"], node]:
                continue
            if by_node:
                time = longest_on(plan, shape["job"], o, node, np.int64(0))
                if time > 0:
                    shape["hopeless"] = 0
                    shape["length"] = max(shape["length"], time + 1)
            elif may_serve(plan, plan.options[o], node):
                shape["hopeless"] = 0
                shape["version"] = NOTHING
        node = plan.nodes[LATER, node]
    shape["seen"] = plan.now[0]["given_back"]
    return bool(shape["hopeless"])


@njit(cache=True, nogil=True, _nrt=False)
def any_hope(plan: NodePlan) -> bool:
    """Return whether a waiting job may fit now, for all that is known; what is known in `plan` is updated."""
    for number in range(plan.shapes.size):
        if plan.shapes[number]["waiting"] > 0 and not is_hopeless(plan, number):
            return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def may_be_put(jobs: Jobs, plan: NodePlan, j: Int) -> bool:
    """Return whether job j of `jobs` may start now, for all that `plan`, which is modified in place, knows.

    It does not if one that asks for the same could not start for a second, and nothing was given back since then on a
    node that they may use; or if it could not for no longer time, beside the same reservations.
    """
    if not is_allowed(plan, j):
        return False
    if not plan.now[0]["remembers"]:
        return True
    if is_hopeless(plan, plan.holders[j]["shape"]):
        return False
    shape = plan.shapes[plan.holders[j]["shape"]]
    if shape["version"] != plan.now[0]["version"]:
        if not shape["single"] or plan.now[0]["downs"] > 0:
            return True
        learn_longest(plan, j)
    return bool(jobs.estimate[j] < shape["length"] or plan.holders[j]["request"] < shape["asked"])


@njit(cache=True, nogil=True, _nrt=False)
def any_may_be_put(plan: NodePlan) -> bool:
    """Return whether a waiting job may start beside the reservations, see `may_be_put`.

    It is written down for each shape of `plan`, which is modified in place: all jobs that may start are shorter than
    `open`.
    """
    found = False
    for number in range(plan.shapes.size):
        shape = plan.shapes[number]
        shape["open"] = shape["waiting"] > 0 and not is_hopeless(plan, number) and is_allowed(plan, shape["job"])
        if shape["open"]:
            if shape["version"] != plan.now[0]["version"] and shape["single"] and plan.now[0]["downs"] == 0:
                learn_longest(plan, shape["job"])
            longest: Int = max(shape["length"], shape["asked"])
            if shape["version"] != plan.now[0]["version"]:
                longest = FAR
            shape["open"] = longest if shape["shortest"] < longest else 0
            found |= shape["open"] > 0
    return found


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def is_open(jobs: Jobs, plan: NodePlan, j: Int) -> bool:
    """Return whether job j of `jobs` may start, for all that is written down in `plan` since `any_may_be_put`."""
    holder = plan.holders[j]
    return bool(min(jobs.estimate[j], holder["request"]) < plan.shapes[holder["shape"]]["open"])


@njit(cache=True, nogil=True, _nrt=False)
def can_be_put(jobs: Jobs, plan: NodePlan, j: Int, t: Int) -> bool:
    """Return whether job j of `jobs` can start in the present second t; if it can, `held` of `plan` says where.

    What was tried in vain is remembered in `plan`, which is modified in place; but not where pools decide when nodes
    are known: a job that would get too much may get less when others have started.
    """
    if not may_be_put(jobs, plan, j):
        return False
    if put(plan, j, t, jobs.estimate[j], max(jobs.estimate[j], plan.holders[j]["request"])):
        return True
    shape = plan.shapes[plan.holders[j]["shape"]]
    if plan.now[0]["remembers"] and not shape["late"]:
        if shape["single"] and plan.now[0]["downs"] == 0:
            learn_longest(plan, j)
        else:
            shape["hopeless"] = not put(plan, j, t, np.int64(1), np.int64(1))
            shape["version"] = plan.now[0]["version"]
            shape["length"] = jobs.estimate[j]
            shape["asked"] = plan.holders[j]["request"]
        shape["open"] = 0 if shape["hopeless"] else min(shape["open"], max(shape["length"], shape["asked"]))
    return False


@njit(cache=True, nogil=True, _nrt=False)
def learn_longest(plan: NodePlan, j: Int) -> None:
    """Write down for how long a job that needs one node could have one from now on, as job j; `plan` is modified."""
    shape = plan.shapes[plan.holders[j]["shape"]]
    time: Int = np.int64(0)
    for o in range(shape["option"], shape["option_end"]):
        k = room_of(plan, o, plan.now[0]["second"])
        if plan.known[k]["serving"] == 0:
            continue
        for i in range(plan.nodes.shape[1]):
            if plan.rooms[k, i] > 0 and time < FAR:
                time = longest_on(plan, j, o, i, time)
    shape["hopeless"] = time == 0
    shape["length"] = time + 1
    shape["asked"] = 0
    shape["version"] = plan.now[0]["version"]


@njit(cache=True, nogil=True, _nrt=False)
def longest_on(plan: NodePlan, j: Int, o: Int, node: Int, time: Int) -> Int:
    """Return for how long job j, which needs one node, could have this one from now on, if that is more than `time`.

    Parameters
    ----------
    plan
        `NodePlan`, of which no node is ever down; modified in place.
    j, o, node
        The rows of the job and of the option, and the node.
    time
        s, what is returned if it is no more. FAR is for ever.
    """
    steps, t = plan.steps, plan.now[0]["second"]
    option = plan.options[o]
    if not may_serve(plan, option, node):
        return time
    if plan.now[0]["remembers"] and plan.nodes[RESERVED, node] != plan.now[0]["passes"]:  # it only becomes more
        can = look_at(plan, node, t, t + 1, t + 1, j) and room_on(plan, option, node) > 0
        return FAR if can else time
    step = steps[plan.nodes[HEAD, node], NEXT]
    while step != NOTHING and steps[step, WHEN] - t <= time:
        step = steps[step, NEXT]
    while look_at(plan, node, t, t + time + 1, t + time + 1, j) and room_on(plan, option, node) > 0:
        if step == NOTHING:
            return FAR
        time = steps[step, WHEN] - t
        step = steps[step, NEXT]
    return time


@njit(cache=True, nogil=True, _nrt=False)
def find_place_on_nodes(jobs: Jobs, plan: NodePlan, j: Int, after: Int) -> Int:
    """Return the first second from `after` on in which job j can be placed; FAR if none is known.

    Nor is there one for a job that pools keep out now.

    It is `after`, or a second from which on more of something is free on some node that the job may use than just
    before, or on which other users are, if that matters. If since its last reservation nothing was given back on a
    node that could serve it before that one, and no other job has one before it, seconds before it are not tried.

    Parameters
    ----------
    jobs
        `Jobs`, only read.
    plan
        `NodePlan`, modified in place.
    j, after
        The row of the job, and the second.
    """
    if not is_allowed(plan, j):
        return FAR
    length: Int = jobs.estimate[j]
    holder = plan.holders[j]
    is_now = after == plan.now[0]["second"]
    if is_now and can_be_put(jobs, plan, j, after):
        return after
    first = is_now and plan.now[0]["remembers"] and plan.now[0]["versions"] == 0
    known: Int = holder["place"] if first and not plan.shapes[holder["shape"]]["late"] else NOTHING
    place: Int = FAR
    if known <= after:
        place = first_place(plan, j, length, after, FAR, np.int64(NOTHING), is_now)
    else:
        if is_freed(plan, j, known):
            place = first_place(plan, j, length, after, known, holder["seen"], True)
        if place == FAR:
            place = first_place(plan, j, length, known, FAR, np.int64(NOTHING), False)
    if first:
        holder["place"] = place
        holder["seen"] = plan.now[0]["given_back"]
    return place


@njit(cache=True, nogil=True, _nrt=False)
def exchange_place(jobs: Jobs, plan: NodePlan, j: Int, begin: Int, t: Int) -> Int:
    """Return when the place of a waiting job begins, after it has exchanged it for an earlier one, if there is one.

    It keeps its place if nothing was given back since this was done last on a node that could serve it earlier. If
    pools keep it out now, wherever it could be placed, it has no place.

    Parameters
    ----------
    jobs
        `Jobs`, only read.
    plan
        `NodePlan` with the places of all waiting jobs, modified in place.
    j, begin, t
        The row of the job, when its place begins, and the present second. FAR, or less than 0, is for no place.
    """
    holder = plan.holders[j]
    length: Int = jobs.estimate[j]
    has_place = 0 <= begin < FAR
    is_let = is_allowed(plan, j)
    is_late = plan.shapes[holder["shape"]]["late"] > 0
    if has_place and is_let and not is_late and (begin <= t or not may_exchange(plan, j, length, t, begin)):
        return begin
    found: Int = FAR
    option = holder["option"]
    count = holder["count"]
    copy = holder["first"] + plan.shapes[holder["shape"]]["rows"]
    if has_place and is_late:  # what the job holds may be lost while others of its places are tried
        copy_rows(plan, holder["first"], copy, count)
    if has_place:
        for row in range(holder["first"], holder["first"] + holder["count"]):
            plan.nodes[LEFT, plan.held[row, NODE]] = j + 1
        change_all(plan, j, begin, begin + length, 1)
    if is_let:
        seen: Int = holder["seen"] if has_place and not is_late else np.int64(NOTHING)
        found = first_place(plan, j, length, t, begin if has_place and not is_late else FAR, seen, False)
    if is_let and has_place and (begin <= found < FAR or (found == FAR and not is_late)):
        found = begin
        if is_late:
            copy_rows(plan, copy, holder["first"], count)
            holder["option"], holder["count"] = option, count
    elif has_place:
        for i in range(plan.nodes.shape[1]):
            if plan.nodes[LEFT, i] == j + 1:
                give_back(plan, i)
    if found < FAR:
        change_all(plan, j, found, found + length, -1)
    holder["seen"] = plan.now[0]["given_back"]
    return found


@njit(cache=True, nogil=True, _nrt=False)
def may_exchange(plan: NodePlan, j: Int, length: Int, t: Int, begin: Int) -> bool:
    """Return whether a node on which something was given back since this was asked last may serve job j earlier.

    Parameters
    ----------
    plan
        `NodePlan` with the place of the job, modified in place.
    j, length, t, begin
        The job, how long it is expected to run, the present second, and when its place begins, s.
    """
    holder = plan.holders[j]
    shape = plan.shapes[holder["shape"]]
    node = plan.now[0]["freed"]
    while node != NOTHING and plan.nodes[FREED, node] > holder["seen"]:
        for o in range(shape["option"], shape["option_end"]):
            if not plan.masks[plan.options[o]["mask"], node]:
                continue
            if plan.now[0]["downs"] > 0 or first_on(plan, j, o, node, length, t, begin) < begin:
                return True
            for row in range(holder["first"], holder["first"] + holder["count"]):
                if plan.held[row, NODE] == node:  # what it holds there may be in its own way
                    return True
        node = plan.nodes[LATER, node]
    holder["seen"] = plan.now[0]["given_back"]
    return False


@njit(cache=True, nogil=True, _nrt=False)
def copy_rows(plan: NodePlan, one: Int, other: Int, count: Int) -> None:
    """Copy `count` rows of what is held in `plan`, in place, from that of `one` on to that of the `other` one."""
    for i in range(count):
        for c in range(plan.held.shape[1]):
            plan.held[other + i, c] = plan.held[one + i, c]


@njit(cache=True, nogil=True, _nrt=False)
def first_place(plan: NodePlan, j: Int, length: Int, after: Int, until: Int, seen: Int, is_tried: bool) -> Int:
    """Return the first second, `after` or later and before `until`, in which job j can be placed; FAR for none.

    See `find_place_on_nodes` for the seconds that are tried. If it can be placed, `held` says where.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place.
    j, length
        The row of the job, and how long it is expected to run, s.
    after, until
        s.
    seen
        The job could not be placed when so many times something had been given back; NOTHING if that is not known.
    is_tried
        Whether it is known that it cannot be placed in second `after`.
    """
    shape = plan.shapes[plan.holders[j]["shape"]]
    asked: Int = max(length, plan.holders[j]["request"])
    if not is_tried and put(plan, j, after, length, asked):
        return after
    if not shape["single"] or plan.now[0]["downs"] > 0:
        return sweep(plan, j, length, after, until)
    found: Int = until
    for o in range(shape["option"], shape["option_end"]):
        option = plan.options[o]
        if plan.holders[j]["limit"] > option["longest"] or first_lack(plan, j, o, EARLY, AT_ALL) != NOTHING:
            continue
        if option["named"] < option["counts"]:
            node = plan.lists[option["named"]]
            found = first_on(plan, j, o, node, length, after, found)
        elif seen != NOTHING:
            node = plan.now[0]["freed"]
            while node != NOTHING and plan.nodes[FREED, node] > seen:
                if plan.masks[option["mask"], node]:
                    found = first_on(plan, j, o, node, length, after, found)
                node = plan.nodes[LATER, node]
        else:
            for i in range(plan.nodes.shape[1]):
                if plan.masks[option["mask"], i]:
                    found = first_on(plan, j, o, i, length, after, found)
    return found if found < until and put(plan, j, found, length, asked) else FAR


@njit(cache=True, nogil=True, _nrt=False)
def first_on(plan: NodePlan, j: Int, o: Int, node: Int, length: Int, after: Int, until: Int) -> Int:
    """Return the first second, `after` or later, from which on a node could serve a job for its part.

    That is all of a job that needs one node; of another one it is as much as each of its nodes has to give at least.

    Parameters
    ----------
    plan
        `NodePlan`, of which no node is ever down; modified in place.
    j, o, node
        The rows of the job and of the option, and the node.
    length
        How long the job is expected to run, s.
    after, until
        s; `until` is returned if there is no such second before it.
    """
    steps = plan.steps
    option = plan.options[o]
    first: Int = plan.nodes[HEAD, node]
    while steps[first, NEXT] != NOTHING and steps[steps[first, NEXT], WHEN] <= after:
        first = steps[first, NEXT]
    second: Int = after
    step: Int = first  # all from `first` until just before it have enough
    while second < until:
        while step != NOTHING and (step == first or steps[step, WHEN] < second + length):
            if not may_hold(plan, option, node, step, j):
                break
            step = steps[step, NEXT]
        if step != NOTHING and (step == first or steps[step, WHEN] < second + length):
            first = step = steps[step, NEXT]
        elif (
            look_at(plan, node, second, second + length, second + length, j)
            and room_on(plan, option, node) >= option["fewest_cpus"]
        ):
            return second
        else:
            first = steps[first, NEXT]
        if first == NOTHING:
            return until
        second = steps[first, WHEN]
    return until


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def may_hold(plan: NodePlan, option: np.void, node: Int, step: Int, j: Int) -> bool:
    """Return whether enough may be free in a step of a node for the part of job j there, see `first_on`.

    `step` is a step of the `node` in `plan`, and `option` is the OPTION; nothing is changed.
    """
    free = plan.steps[step, AMOUNT + CPUS]
    user = plan.holders[j]["user"]
    if user != NOTHING:
        part = AMOUNT + plan.now[0]["resources"] - (SUMS if plan.holders[j]["alone"] else SUMS // 2)
        if not is_alone(plan, step, part, user):
            return False
    return bool(
        free >= option["fewest_cpus"]
        and (not option["whole"] or free == plan.nodes[HAS + CPUS, node])
        and plan.steps[step, AMOUNT + MEMORY] >= option["least_memory"]
        and plan.steps[step, AMOUNT + option["of_gpus"]] >= option["least_gpus"]
    )


@njit(cache=True, nogil=True, _nrt=False)
def is_freed(plan: NodePlan, j: Int, until: Int) -> bool:
    """Return whether something was given back in `plan` on a node that job j may use, since its last place.

    Parameters
    ----------
    plan, j
        `NodePlan`, of which what is noted of nodes is modified in place, and the job.
    until
        s: nodes do not count that cannot serve the job just before, if nothing is reserved and no node is ever down:
        then what is free on a node only becomes more. FAR if all count.
    """
    shape = plan.shapes[plan.holders[j]["shape"]]
    every = until == FAR or plan.now[0]["downs"] > 0
    node = plan.now[0]["freed"]
    while node != NOTHING and plan.nodes[FREED, node] > plan.holders[j]["seen"]:
        for o in range(shape["option"], shape["option_end"]):
            option = plan.options[o]
            if not plan.masks[option["mask"], node]:
                continue
            if every:
                return True
            if look_at(plan, node, until - 1, until, until, j) and room_on(plan, option, node) >= option["fewest_cpus"]:
                return True
        node = plan.nodes[LATER, node]
    return False


@njit(cache=True, nogil=True, _nrt=False)
def sweep(plan: NodePlan, j: Int, length: Int, after: Int, until: Int) -> Int:
    """Return the first second later than `after` and before `until` in which job j can be placed; FAR for none.

    See `find_place_on_nodes` for the seconds that are tried. If it can be placed, `held` says where.

    Parameters
    ----------
    plan, j, length, after, until
        As for `first_place`; `plan` is modified in place.
    """
    holder = plan.holders[j]
    shape = plan.shapes[holder["shape"]]
    found: Int = until
    option: Int = NOTHING
    last: Int = NOTHING
    for o in range(shape["option"], shape["option_end"]):
        if holder["limit"] <= plan.options[o]["longest"] and first_lack(plan, j, o, EARLY, AT_ALL) == NOTHING:
            second = sweep_option(plan, j, o, length, after, found)
            if second < found:
                found, option, last = second, o, o
            elif second != FAR:
                last = o
    if option == NOTHING:
        return FAR
    if last != option:
        choose(plan, j, option, found, found + length, found + max(length, holder["request"]))
    return found


@njit(cache=True, nogil=True, _nrt=False)
def sweep_option(plan: NodePlan, j: Int, o: Int, length: Int, after: Int, until: Int) -> Int:
    """Return what `sweep` returns if option o is the only one.

    Where what is free on a node changes at one end of the job's time, the room of this node is found out again; the
    choice of nodes is tried where all together have enough.

    Parameters
    ----------
    plan, j, length, after, until
        As for `sweep`.
    o
        Row of the option.
    """
    nodes, now = plan.nodes, plan.now
    option = plan.options[o]
    asked: Int = max(length, plan.holders[j]["request"])
    wanted = option["tasks"] * option["cpus"]
    left: Int = find_changes(plan, j, length, asked, after, until)
    if left == 0:
        return FAR
    total, usable = look_at_all(plan, j, o, after, after + length, after + asked)
    # What the nodes could give together that can be had at most, or more.
    is_limited = option["named"] == option["end"]
    most: Int = most_of(plan, most_nodes(option), wanted) if is_limited else wanted
    bits = now[0]["node_bits"]
    while left > 0:
        second: Int = plan.seconds[0] >> bits
        is_tried = False
        while left > 0 and plan.seconds[0] >> bits == second:
            node = (plan.seconds[0] & ((1 << bits) - 1)) >> 1
            is_tried |= (plan.seconds[0] & 1) > 0
            pop(plan.seconds, left)
            left -= 1
            if plan.masks[option["mask"], node]:
                before = nodes[COULD, node]
                can: Int = np.int64(0)
                if look_at(plan, node, second, second + length, second + asked, j):
                    can = room_on(plan, option, node)
                nodes[COULD, node] = can
                total += can - before
                most += max(can - before, 0)
                usable += (can > 0) * 1 - (before > 0) * 1
        if is_tried and total >= wanted and usable >= option["least"] and most >= wanted:
            if is_limited:
                most = most_of(plan, most_nodes(option), wanted)
            if most >= wanted and choose(plan, j, o, second, second + length, second + asked) and is_within(plan, j, o):
                return second
    return FAR


@njit(cache=True, nogil=True, _nrt=False)
def find_changes(plan: NodePlan, j: Int, length: Int, asked: Int, after: Int, until: Int) -> Int:
    """Make a heap of the seconds in which room for job j changes on a node; return how many.

    Parameters
    ----------
    plan
        `NodePlan`, of which `seconds` are filled in place: the second, the node, and whether the second is tried, in
        the bits of one number.
    j, length, after, until
        As for `sweep`.
    asked
        s, for how long no node may be down.
    """
    steps, lists = plan.steps, plan.lists
    amounts = AMOUNT + plan.now[0]["resources"]
    if plan.holders[j]["user"] != NOTHING:
        amounts -= SUMS
    count: Int = np.int64(0)
    shape, view = plan.shapes[plan.holders[j]["shape"]], plan.holders[j]["downs"]
    for i in range(plan.nodes.shape[1]):
        usable = False
        for o in range(shape["option"], shape["option_end"]):
            usable |= plan.masks[plan.options[o]["mask"], i]
        if not usable:
            continue
        step: Int = plan.nodes[HEAD, i]
        while steps[step, NEXT] != NOTHING and steps[steps[step, NEXT], WHEN] - length < until:
            before = step
            step = steps[step, NEXT]
            when: Int = steps[step, WHEN]
            more = False
            less = False
            for c in range(AMOUNT, steps.shape[1]):
                other = c >= amounts and steps[step, c] != steps[before, c]
                more |= steps[step, c] > steps[before, c] or other
                less |= steps[step, c] < steps[before, c] or other
            if after < when < until:
                count = note_change(plan, count, when, i, more)
            if less and after < when - length + 1 < until:
                count = note_change(plan, count, when - length + 1, i, False)
        for row in range(plan.nodes[view, i], plan.nodes[view + 1, i], 2):
            if after < lists[row] - asked + 1 < until:
                count = note_change(plan, count, lists[row] - asked + 1, i, False)
            if after < lists[row + 1] < until:
                count = note_change(plan, count, lists[row + 1], i, True)
    return count


@njit(cache=True, nogil=True, _nrt=False)
def note_change(plan: NodePlan, count: Int, second: Int, node: Int, is_tried: bool) -> Int:
    """Put a change into the heap of `seconds`, in place, and return how many there are then.

    Parameters
    ----------
    plan, count
        `NodePlan`, and how many there were.
    second, node, is_tried
        What `find_changes` says.
    """
    push(plan.seconds, count, (second << plan.now[0]["node_bits"]) | (node << 1) | np.int64(is_tried))
    return count + 1


@njit(cache=True, nogil=True, _nrt=False)
def know_reservation(plan: NodePlan, j: Int, begin: Int) -> None:
    """Give the reservations of this pass, of which job j has the last one, a number: that of equal ones before.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place.
    j, begin
        The row of the job, and the second of its reservation.
    """
    versions, now = plan.versions, plan.now
    place = now[0]["versions"] + 1
    total: Int = np.int64(0)
    for row in range(plan.holders[j]["first"], plan.holders[j]["first"] + plan.holders[j]["count"]):
        plan.nodes[RESERVED, plan.held[row, NODE]] = now[0]["passes"]
        for c in range(plan.held.shape[1]):
            total = (total + plan.held[row, c]) * 6364136223846793005 + 1442695040888963407
    same = versions[place, 0] == j and versions[place, 1] == begin and versions[place, 2] == total
    if not same:
        versions[place, 0] = j
        versions[place, 1] = begin
        versions[place, 2] = total
        now[0]["last_version"] += 1
        versions[place, 3] = now[0]["last_version"]
        if place + 1 < versions.shape[0]:
            versions[place + 1, 0] = NOTHING  # those behind it are others, whatever they are
    now[0]["versions"] = place
    now[0]["version"] = versions[place, 3]


@njit(cache=True, nogil=True, _nrt=False)
def lift_tiers(plan: NodePlan, queue: Ints, keys: Floats, count: Int) -> None:
    """Give the keys of the queue other values, so that jobs of higher tiers come first, else in the order of the keys.

    Parameters
    ----------
    plan
        `NodePlan`, only read.
    queue, keys
        (count or more,) int64 rows and float64, modified in place.
    count
        How many jobs are in the queue.
    """
    lowest: Int = FAR
    highest: Int = np.int64(0)
    for i in range(count):
        lowest = min(lowest, plan.holders[queue[i]]["tier"])
        highest = max(highest, plan.holders[queue[i]]["tier"])
    if lowest >= highest:
        return
    # The jobs of the lowest tier are often most of the queue: they keep their keys.
    most = -np.inf
    others: Int = np.int64(0)
    for i in range(count):
        if plan.holders[queue[i]]["tier"] == lowest:
            most = max(most, keys[i])
        else:
            queue[i], queue[others] = queue[others], queue[i]
            keys[i], keys[others] = keys[others], keys[i]
            others += 1
    sort(queue, keys, others)
    if abs(most) > LARGE_KEY:
        sort(queue[others:], keys[others:], count - others)
        for i in range(others, count):
            keys[i] = float(i - count)
        most = 0.0
    for i in range(others):
        keys[i] = most + float(plan.holders[queue[i]]["tier"] * count + i) * max(abs(most), 1.0)


@njit(cache=True, nogil=True, _nrt=False)
def sort(queue: Ints, keys: Floats, count: Int) -> None:
    """Sort the first `count` jobs of a queue by ascending keys, then by descending rows.

    Parameters
    ----------
    queue, keys
        (count or more,) int64 rows and (count or more,) float64, modified in place.
    count
        How many jobs there are.
    """
    make_heap(queue, keys, count)
    for left in range(count - 1, 0, -1):  # the last ones go to the end
        queue[0], queue[left] = queue[left], queue[0]
        keys[0], keys[left] = keys[left], keys[0]
        sink(queue, keys, 0, left)

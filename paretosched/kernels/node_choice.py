"""Which nodes a job gets, and how much of each: as Slurm's select/cons_tres and select/linear, and plainer rules.

What Slurm does was seen on a real one (22.05). A job takes nodes one after the other, each for as much as the node can
give it, until nothing is missing; the rules differ in the order. `choose` is the way in: it says what each node could
give at most, and hands this to the rule of the machine. `NodePlan.nodes` and `now` have what each node gives, and what
is still missing.
"""

import numpy as np

from ..core.arrays import Int
from .compiling import njit
from .node_plan import (
    ALL_TYPES,
    ALTERED,
    AMOUNT,
    BEST,
    BY_LEAVES,
    BY_WEIGHT,
    CAN,
    CONS_TRES,
    COULD,
    CPUS,
    EMPTIEST,
    GIVES,
    GIVES_GPUS,
    GPUS,
    HAS,
    HEAD,
    HELD,
    LEAF,
    LEAF_CPUS,
    LEAF_NODES,
    MEMORY,
    MUST,
    NEXT,
    NEXT_ALTERED,
    NODE,
    NOTHING,
    RESERVED,
    ROW,
    ROW_CPUS,
    ROW_END,
    ROW_ORDER,
    SUMS,
    THREADS,
    WEIGHT,
    WHEN,
    NodePlan,
    lets_in,
    look_at,
)  # fmt: skip

EVERY = 2**62
UNSAID = -1  # of memory
ALL_MEMORY = 0  # of a node


@njit(cache=True, nogil=True, _nrt=False)
def choose(plan: NodePlan, j: Int, o: Int, begin: Int, end: Int, asked: Int) -> bool:
    """Return whether job j can be placed in a way; if it can, its rows of `held` say what it holds.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place.
    j, o
        The rows of the job and of the option.
    begin, end, asked
        s, as for `look_at`.
    """
    if begin == plan.now[0]["second"] or (plan.now[0]["versions"] == 0 and is_more(plan)):
        total, usable = what_could(plan, j, o, begin, end, asked)
        return bool(total > 0 and choose_of(plan, j, o, total, usable))
    total, usable = look_at_all(plan, j, o, begin, end, asked)
    return choose_of(plan, j, o, total, usable)


@njit(cache=True, nogil=True, _nrt=False)
def look_at_all(plan: NodePlan, j: Int, o: Int, begin: Int, end: Int, asked: Int) -> tuple[Int, Int]:
    """Return how many CPUs nodes could give a job, and how many nodes, after a look at each of them.

    Parameters
    ----------
    plan, j, o, begin, end, asked
        As for `choose`; `nodes` of the plan have what each could give.
    """
    option, nodes = plan.options[o], plan.nodes
    total: Int = np.int64(0)
    usable: Int = np.int64(0)
    is_now = begin == plan.now[0]["second"]
    for i in range(nodes.shape[1]):
        could: Int = np.int64(0)
        may = plan.masks[option["mask"], i] and (not is_now or may_do(plan, option, i))
        if may and look_at(plan, i, begin, end, asked, j):
            could = room_on(plan, option, i)
            total += could
            usable += could > 0
        nodes[COULD, i] = could
    return total, usable


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def is_more(plan: NodePlan) -> bool:
    """Return whether what is free in `plan` only becomes more on nodes without a reservation."""
    return bool(plan.now[0]["remembers"] > 0 and plan.now[0]["downs"] == 0)


@njit(cache=True, nogil=True, _nrt=False)
def what_could(plan: NodePlan, j: Int, o: Int, begin: Int, end: Int, asked: Int) -> tuple[Int, Int]:
    """Return how many CPUs nodes could give a job, and how many nodes; 0 and 0 if they are too few.

    Else `nodes` have what each could give, and what is free there until the job ends. `begin` is now, or later
    if what is free only becomes more.

    Parameters
    ----------
    plan, j, o, begin, end, asked
        As for `choose`, and modified in place.
    """
    nodes, now, option = plan.nodes, plan.now, plan.options[o]
    k = room_of(plan, o, begin)
    known = plan.known[k]
    if known["serving"] < option["fewest_nodes"]:
        return np.int64(0), np.int64(0)
    resources = now[0]["resources"]
    free = HAS + resources
    source = free + (2 * resources if k == 0 else resources)
    total: Int = known["total"]
    usable: Int = known["usable"]
    only_more = is_more(plan)
    for i in range(nodes.shape[1]):
        before = plan.rooms[k, i]
        nodes[COULD, i] = before
        if before == 0:
            continue
        can: Int = np.int64(0)
        if only_more and nodes[RESERVED, i] != now[0]["passes"]:
            for r in range(resources):
                nodes[free + r, i] = nodes[source + r, i]
            can = before if lets_in(plan, i, j, source) else np.int64(0)
        elif look_at(plan, i, begin, end, asked, j):
            can = room_on(plan, option, i)
        nodes[COULD, i] = can
        total += can - before
        usable -= can == 0
    return total, usable


@njit(cache=True, nogil=True, _nrt=False)
def room_of(plan: NodePlan, o: Int, second: Int) -> Int:
    """Return the row of `rooms` of `plan` with what each node could give in a `second` in option o, whoever is there.

    It is found out again, in place, for nodes where something was taken or given back since it was asked for last. Of
    seconds that are not now, that of the last one is known.
    """
    nodes, now = plan.nodes, plan.now
    k: Int = np.int64(0)
    if second == now[0]["second"]:
        k = 1 + o % (plan.known.size - 1)
    known = plan.known[k]
    if known["option"] != o or (k == 0 and known["second"] != second):
        known["option"], known["second"] = o, second
        known["total"] = known["usable"] = known["serving"] = 0
        for i in range(nodes.shape[1]):
            plan.rooms[k, i] = 0
            note_room(plan, o, k, i)
    else:
        node = now[0]["altered"]
        while node != NOTHING and nodes[ALTERED, node] > known["alterations"]:
            note_room(plan, o, k, node)
            node = nodes[NEXT_ALTERED, node]
    known["alterations"] = now[0]["alterations"]
    return k


@njit(cache=True, nogil=True, _nrt=False)
def note_room(plan: NodePlan, o: Int, k: Int, node: Int) -> None:
    """Find out again what a `node` could give in option o, which has row k of the rooms of `plan`, in place."""
    nodes, option, known = plan.nodes, plan.options[o], plan.known[k]
    resources = plan.now[0]["resources"]
    free = HAS + resources
    before = plan.rooms[k, node]
    can: Int = np.int64(0)
    if not plan.masks[option["mask"], node]:
        return
    if k == 0:
        step = nodes[HEAD, node]
        while plan.steps[step, NEXT] != NOTHING and plan.steps[plan.steps[step, NEXT], WHEN] <= known["second"]:
            step = plan.steps[step, NEXT]
        for r in range(resources):
            nodes[free + r, node] = nodes[free + 2 * resources + r, node] = plan.steps[step, AMOUNT + r]
        can = room_on(plan, option, node)
    elif may_do(plan, option, node):
        for r in range(resources):
            nodes[free + r, node] = nodes[free + resources + r, node]
        can = room_on(plan, option, node)
    plan.rooms[k, node] = can
    known["total"] += can - before
    known["usable"] += np.int64(can > 0) - np.int64(before > 0)
    known["serving"] += np.int64(can >= option["fewest_cpus"]) - np.int64(before >= option["fewest_cpus"])


@njit(cache=True, nogil=True, _nrt=False)
def choose_of(plan: NodePlan, j: Int, o: Int, total: Int, usable: Int) -> bool:
    """Return whether job j can be placed in a way, as `choose` does, on nodes of which it is known what each could do.

    Parameters
    ----------
    plan, j, o
        As for `choose`, modified in place; `nodes` have the CPUs that each could give, and what is free there.
    total, usable
        How many CPUs that is, and how many nodes.
    """
    option = plan.options[o]
    nodes = plan.nodes
    step = option["cpus"]
    wanted = option["tasks"] * step
    if total < wanted or usable < option["least"]:
        return False
    gpus: Int = np.int64(0)
    for i in range(nodes.shape[1]):
        nodes[MUST, i] = 0
        if option["gpus"] > 0 and nodes[COULD, i] > 0:
            gpus += gpus_of(plan, i, option["gpu_type"])
    if gpus < option["gpus"]:
        return False
    if option["named"] == option["end"] and most_of(plan, most_nodes(option), wanted) < wanted:
        return False
    for k in range(option["named"], option["counts"]):
        if nodes[COULD, plan.lists[k]] == 0:
            return False
        plan.nodes[MUST, plan.lists[k]] = 1
    for k in range(option["counts"], option["end"], 2):
        if not name_more(plan, option, plan.lists[k], plan.lists[k + 1]):
            return False
    few: Int = np.int64(0)
    while True:  # without the nodes that give few CPUs, if it does not fit with them
        total = np.int64(0)
        usable = np.int64(0)
        fewest: Int = EVERY
        for i in range(plan.nodes.shape[1]):
            cpus = nodes[COULD, i]
            must = plan.nodes[MUST, i] > 0
            nodes[CAN, i] = cpus if cpus > few or must else 0
            total += nodes[CAN, i]
            usable += nodes[CAN, i] > 0
            if cpus > few and not must:
                fewest = min(fewest, cpus)
        if total < wanted or usable < option["least"]:
            return False
        if take_nodes(plan, option, usable):
            hold(plan, option, j)
            plan.holders[j]["option"] = o
            return True
        if fewest == EVERY:
            return False
        few = fewest


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def may_do(plan: NodePlan, option: np.void, node: Int) -> bool:
    """Return whether enough may be free on a node now for one task of a job: what says no costs next to nothing.

    `plan`, `option` and `node` are as for `tasks_on`.
    """
    now = HAS + 2 * plan.now[0]["resources"]
    return (
        plan.nodes[now + CPUS, node] >= option["cpus"]
        and plan.nodes[now + MEMORY, node] >= option["least_memory"]
        and plan.nodes[now + option["of_gpus"], node] >= option["least_gpus"]
    )


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def may_serve(plan: NodePlan, option: np.void, node: Int) -> bool:
    """Return whether enough may be free on a node now for its part of a job, however the others help.

    `plan`, `option` and `node` are as for `tasks_on`.
    """
    cpus = plan.nodes[HAS + 2 * plan.now[0]["resources"] + CPUS, node]
    is_enough = cpus >= option["fewest_cpus"] and (not option["whole"] or cpus == plan.nodes[HAS + CPUS, node])
    return is_enough and may_do(plan, option, node)


@njit(cache=True, nogil=True, _nrt=False)
def most_nodes(option: np.void) -> Int:
    """Return how many nodes a job of an `option` can have: each has a task, and a GPU if there are some in all."""
    more: Int = option["tasks"]
    if option["most"] > 0:
        more = min(more, option["most"])
    if option["most_nodes"] > 0:
        more = min(more, option["most_nodes"])
    if option["gpus"] > 0:
        more = min(more, option["gpus"])
    return more


@njit(cache=True, nogil=True, _nrt=False)
def most_of(plan: NodePlan, count: Int, wanted: Int) -> Int:
    """Return how many CPUs the nodes that could give most could give together, or that it is `wanted` or more.

    `plan` is only read; `count` is how many nodes there may be.
    """
    nodes = plan.nodes
    total: Int = np.int64(0)
    level: Int = EVERY
    while count > 0 and total < wanted:
        most: Int = np.int64(0)
        alike: Int = np.int64(0)
        for i in range(nodes.shape[1]):
            could = nodes[COULD, i]
            if could < level:
                if could > most:
                    most, alike = could, np.int64(0)
                alike += could == most
        if most == 0:
            return total
        total += most * min(alike, count)
        count -= alike
        level = most
    return total


@njit(cache=True, nogil=True, _nrt=False)
def room_on(plan: NodePlan, option: np.void, node: Int) -> Int:
    """Return the CPUs that a node can give a job at most, by what is free; 0 if it is not usable.

    `plan`, `option` and `node` are as for `tasks_on`.
    """
    wanted = option["tasks"] * option["cpus"]
    cpus: Int = tasks_on(plan, option, node) * option["cpus"]
    if cpus == 0:
        return cpus
    is_single = option["most"] == 1 or option["tasks"] == 1  # the one node must hold all
    if is_single and (
        cpus < wanted or (option["gpus"] > 0 and gpus_of(plan, node, option["gpu_type"]) < option["gpus"])
    ):
        return 0
    if option["gpus_per_node"] > 0 or option["gpus_per_task"] > 0:
        cpus = min(cpus, wanted)  # of a job with GPUs no more CPUs count than it wants
    return cpus


@njit(cache=True, nogil=True, _nrt=False)
def gpus_of(plan: NodePlan, node: Int, kind: Int) -> Int:
    """Return how many GPUs of a type, or of all if `kind` is ALL_TYPES, are free for the present job on a node.

    `plan` and `node` are as for `look_at`.
    """
    if kind != ALL_TYPES:
        return plan.nodes[HAS + plan.now[0]["resources"] + GPUS + kind, node]
    total: Int = np.int64(0)
    first = HAS + plan.now[0]["resources"] + GPUS
    for c in range(first, first + plan.now[0]["types"]):
        total += plan.nodes[c, node]
    return total


@njit(cache=True, nogil=True, _nrt=False)
def tasks_on(plan: NodePlan, option: np.void, node: Int) -> Int:
    """Return how many tasks of a job a node could take at most, 0 if it is not usable.

    Parameters
    ----------
    plan
        `NodePlan`, whose `free` has what is free on the node.
    option
        OPTION.
    node
        The node.
    """
    free = plan.nodes[HAS + plan.now[0]["resources"] + CPUS, node]
    if free < option["cpus"] or (option["whole"] and free < plan.nodes[HAS + CPUS, node]):
        return 0
    per_node = option["per_node"]
    # Divisions cost most here, and most jobs need none.
    tasks: Int = free if option["cpus"] == 1 else free // option["cpus"]
    if option["gpus_per_node"] > 0 or option["gpus"] > 0 or option["gpus_per_task"] > 0:
        gpus = gpus_of(plan, node, option["gpu_type"])
        if gpus < option["gpus_per_node"] or (option["gpus"] > 0 and gpus == 0):
            return 0
        if option["gpus_per_task"] > 0:
            tasks = min(tasks, gpus // option["gpus_per_task"])
    memory = max(plan.nodes[HAS + plan.now[0]["resources"] + MEMORY, node], 0)
    per_cpu = option["memory_per_cpu"]
    if per_cpu == UNSAID:
        if memory_for(plan, option, node, np.int64(1)) > memory:
            return 0
    elif tasks * per_cpu * option["cpus"] > memory:
        tasks = min(tasks, memory // (per_cpu * option["cpus"]))
    while tasks > 0:
        cpus = cpus_for(plan, option, node, tasks)
        if cpus <= free and (per_cpu == UNSAID or cpus * per_cpu <= memory):
            break
        tasks -= 1
    if per_node > 0:
        tasks = min(tasks, per_node) if tasks >= (per_node if option["exact"] else 1) else np.int64(0)
    return tasks


@njit(cache=True, nogil=True, _nrt=False)
def cpus_for(plan: NodePlan, option: np.void, node: Int, tasks: Int) -> Int:
    """Return the CPUs, of whole cores, that so many `tasks` take of a node; `plan` and `option` as for `tasks_on`."""
    cpus: Int = max(tasks * option["cpus"], option["least_cpus"])
    threads = plan.nodes[THREADS, node]
    if option["per_core"]:
        return tasks * ((option["cpus"] + threads - 1) // threads * threads)
    if plan.now[0]["cores"] and threads > 1:
        cpus = (cpus + threads - 1) // threads * threads
    return cpus


@njit(cache=True, nogil=True, _nrt=False)
def memory_for(plan: NodePlan, option: np.void, node: Int, tasks: Int) -> Int:
    """Return the memory, MiB, that so many `tasks` take of a node; `plan` and `option` as for `tasks_on`."""
    if option["memory_per_cpu"] != UNSAID:
        return option["memory_per_cpu"] * cpus_for(plan, option, node, tasks)
    return plan.nodes[HAS + MEMORY, node] if option["memory"] == ALL_MEMORY else max(option["memory"], 0)


@njit(cache=True, nogil=True, _nrt=False)
def name_more(plan: NodePlan, option: np.void, mask: Int, number: Int) -> bool:
    """Return whether so many nodes of a set can be had; they must be taken then, in place.

    Parameters
    ----------
    plan, option
        As for `take_nodes`.
    mask, number
        The row of the set in `masks`, and how many of its nodes the job must have.
    """
    now, nodes = plan.now, plan.nodes
    count: Int = number
    for i in range(plan.nodes.shape[1]):
        count -= plan.masks[mask, i] and nodes[MUST, i] > 0
        nodes[CAN, i] = nodes[COULD, i] if plan.masks[mask, i] and nodes[MUST, i] == 0 else 0
        nodes[GIVES, i] = 0
    if count <= 0:
        return True
    now[0]["step"] = option["cpus"]
    now[0]["lacks_cpus"] = count * option["cpus"]
    now[0]["lacks_nodes"] = now[0]["more"] = count
    now[0]["lacks_gpus"] = now[0]["gpus_per_node"] = now[0]["gpus_per_task"] = now[0]["gpus"] = 0
    now[0]["gpu_type"] = ALL_TYPES
    now[0]["whole"] = now[0]["spare"] = now[0]["count"] = now[0]["named"] = 0
    by_rows(plan)
    if now[0]["lacks_cpus"] > 0 or now[0]["count"] < count:
        return False
    for i in range(plan.nodes.shape[1]):
        if nodes[GIVES, i] > 0:
            nodes[MUST, i] = 1
    return True


@njit(cache=True, nogil=True, _nrt=False)
def take_nodes(plan: NodePlan, option: np.void, usable: Int) -> bool:
    """Return whether nodes that can give something are enough for a job.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place: what is missing, and what each node gives.
    option
        OPTION.
    usable
        How many nodes can give something.
    """
    now, nodes = plan.now, plan.nodes
    named: Int = np.int64(0)
    for i in range(plan.nodes.shape[1]):
        nodes[GIVES, i] = nodes[GIVES_GPUS, i] = 0
        named += nodes[MUST, i]
    more: Int = most_nodes(option)
    wanted: Int = max(option["least"], named)
    if option["most"] > 0:
        wanted = max(wanted, min(more, usable))  # the largest number is wanted
    now[0]["lacks_cpus"] = option["tasks"] * option["cpus"]
    now[0]["lacks_gpus"] = now[0]["gpus"] = option["gpus"]
    now[0]["more"] = more
    now[0]["lacks_nodes"] = wanted
    now[0]["spare"] = wanted - option["least"]
    now[0]["count"] = 0
    now[0]["named"] = named
    now[0]["step"] = option["cpus"]
    now[0]["gpus_per_node"] = option["gpus_per_node"]
    now[0]["gpus_per_task"] = option["gpus_per_task"]
    now[0]["gpu_type"] = option["gpu_type"]
    now[0]["whole"] = option["whole"]
    if named > 0:
        for i in range(plan.nodes.shape[1]):
            if nodes[MUST, i] > 0:
                take(plan, i)
    if option["rule"] == CONS_TRES:
        by_rows(plan)
    elif option["rule"] == BEST:
        best(plan)
    elif option["rule"] == EMPTIEST:
        emptiest(plan)
    elif option["rule"] == BY_LEAVES:
        by_leaves(plan)
    else:
        for k in range(plan.nodes.shape[1]):
            if not lacks(plan):
                break
            take_if(plan, plan.nodes[BY_WEIGHT, k])
    return share_gpus(plan, option)


@njit(cache=True, nogil=True, _nrt=False)
def share_gpus(plan: NodePlan, option: np.void) -> bool:
    """Return whether nothing is missing; of GPUs in all each node gives one or more.

    `plan` and `option` are as for `take_nodes`.
    """
    now, nodes = plan.now, plan.nodes
    if now[0]["lacks_cpus"] > 0 or now[0]["lacks_gpus"] > 0 or now[0]["count"] < option["least"]:
        return False
    rest: Int = option["gpus"]
    others: Int = now[0]["count"]
    if rest > 0:
        for i in range(plan.nodes.shape[1]):
            if nodes[GIVES, i] > 0 and rest > 0:
                others -= 1
                nodes[GIVES_GPUS, i] = min(gpus_of(plan, i, option["gpu_type"]), rest - others)
                rest -= nodes[GIVES_GPUS, i]
    return True


@njit(cache=True, nogil=True, _nrt=False)
def lacks(plan: NodePlan) -> bool:
    """Return whether something is missing, by `plan`, that one more node may give."""
    now = plan.now
    return bool(
        (now[0]["lacks_cpus"] > 0 or now[0]["lacks_nodes"] > 0 or now[0]["lacks_gpus"] > 0) and now[0]["more"] > 0
    )


@njit(cache=True, nogil=True, _nrt=False)
def take(plan: NodePlan, node: Int) -> None:
    """Take a `node` of `plan`, in place: as much as it gives, but a task is left for each further node."""
    now = plan.now
    step = now[0]["step"]
    can = plan.nodes[CAN, node]
    keep = max(now[0]["lacks_nodes"] - 1, 0) * step
    cpus: Int = min(can, max(step, (now[0]["lacks_cpus"] - keep) // step * step))
    gpus: Int = now[0]["gpus_per_node"]
    if gpus == 0:
        gpus = now[0]["gpus_per_task"] * (cpus // step)
    if now[0]["whole"]:
        cpus = can
    if now[0]["gpus"] > 0:
        gpus = min(now[0]["lacks_gpus"], gpus_of(plan, node, now[0]["gpu_type"]))
    plan.nodes[GIVES, node] = cpus
    plan.nodes[GIVES_GPUS, node] = gpus
    now[0]["lacks_cpus"] -= cpus
    now[0]["lacks_gpus"] -= gpus
    now[0]["lacks_nodes"] -= 1
    now[0]["more"] -= 1
    now[0]["count"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def take_if(plan: NodePlan, node: Int) -> None:
    """Take a `node` of `plan`, in place, if something is missing and it can help; the last one must hold the rest."""
    can = plan.nodes[CAN, node]
    now = plan.now
    if can > 0 and plan.nodes[GIVES, node] == 0 and lacks(plan) and (now[0]["more"] > 1 or can >= now[0]["lacks_cpus"]):
        take(plan, node)


@njit(cache=True, nogil=True, _nrt=False)
def smallest(plan: NodePlan, first: Int, last: Int) -> Int:
    """Return the node of those from `first` to before `last` with the fewest CPUs that hold the rest; -1 for none.

    It is the first of equals; there is none if one more node of `plan` is not enough.
    """
    now = plan.now
    found: Int = NOTHING
    if now[0]["lacks_nodes"] <= 1 and now[0]["lacks_gpus"] == 0:
        fewest: Int = EVERY
        for i in range(first, last):
            can = plan.nodes[CAN, i]
            if can > 0 and plan.nodes[GIVES, i] == 0 and now[0]["lacks_cpus"] <= can < fewest:
                found, fewest = i, can
    return found


@njit(cache=True, nogil=True, _nrt=False)
def best(plan: NodePlan) -> None:
    """Take nodes of `plan`, in place: that with the fewest CPUs that holds the rest, else the one with most."""
    while lacks(plan):
        node = smallest(plan, 0, plan.nodes.shape[1])
        if node == NOTHING:
            most: Int = np.int64(0)
            for i in range(plan.nodes.shape[1]):
                if plan.nodes[GIVES, i] == 0 and plan.nodes[CAN, i] > most:
                    node, most = i, plan.nodes[CAN, i]
        if node == NOTHING:
            return
        take_if(plan, node)
        if plan.nodes[GIVES, node] == 0:
            return


@njit(cache=True, nogil=True, _nrt=False)
def emptiest(plan: NodePlan) -> None:
    """Take nodes of `plan`, in place: of the smallest weight first, then those with the largest share of free CPUs."""
    free = HAS + plan.now[0]["resources"]
    while lacks(plan):
        node: Int = NOTHING
        most = 0.0
        for k in range(plan.nodes.shape[1]):
            i = plan.nodes[BY_WEIGHT, k]
            if node != NOTHING and plan.nodes[WEIGHT, i] != plan.nodes[WEIGHT, node]:
                break
            if plan.nodes[CAN, i] > 0 and plan.nodes[GIVES, i] == 0:
                share = float(plan.nodes[free + CPUS, i]) / float(plan.nodes[HAS + CPUS, i])
                if node == NOTHING or share > most:
                    node, most = i, share
        if node == NOTHING:
            return
        take_if(plan, node)
        if plan.nodes[GIVES, node] == 0:
            plan.nodes[CAN, node] = 0  # it was passed over


@njit(cache=True, nogil=True, _nrt=False)
def by_leaves(plan: NodePlan) -> None:
    """Take nodes of `plan`, in place, leaf by leaf of the switches, as with topology/tree.

    The next leaf is the one that suffices with the fewest CPUs; if none does, the one with most; the first of equals.
    """
    now, nodes = plan.now, plan.nodes
    size = nodes.shape[1]
    while lacks(plan):
        most: Int = nodes[LEAF, 0]
        for i in range(size):
            most = max(most, nodes[LEAF, i])
            nodes[LEAF_CPUS, i] = nodes[LEAF_NODES, i] = 0
        for i in range(size):
            if nodes[CAN, i] > 0 and nodes[GIVES, i] == 0:
                nodes[LEAF_CPUS, nodes[LEAF, i]] += nodes[CAN, i]
                nodes[LEAF_NODES, nodes[LEAF, i]] += 1
        found: Int = NOTHING
        found_suffices = False
        for leaf in range(most + 1):
            cpus, count = nodes[LEAF_CPUS, leaf], nodes[LEAF_NODES, leaf]
            if count == 0:
                continue
            suffices = cpus >= now[0]["lacks_cpus"] and count >= now[0]["lacks_nodes"] - now[0]["spare"]
            if found == NOTHING or suffices != found_suffices:
                better = found == NOTHING or suffices
            else:
                better = cpus < nodes[LEAF_CPUS, found] if suffices else cpus > nodes[LEAF_CPUS, found]
            if better:
                found, found_suffices = leaf, suffices
        if found == NOTHING:
            return
        for i in range(size):
            if nodes[LEAF, i] == found:
                take_if(plan, i)
                if nodes[GIVES, i] == 0:
                    nodes[CAN, i] = 0  # of this leaf no more are taken


@njit(cache=True, nogil=True, _nrt=False)
def by_rows(plan: NodePlan) -> None:
    """Take nodes row by row, as cons_tres does.

    A row are neighbours in the order of all nodes, with equal weight. The next row is the one with a node that must be
    taken; else of the smallest weight, whether it suffices or not. Of equal weight they are looked at in turn: one that
    suffices goes before one that does not; one that suffices, if it has fewer CPUs than the best so far, and one that
    does not, if it has more, is the best then, whatever the other is. In the row the smallest node that holds the rest
    is taken; if none does, the nodes from the first one on; after a named node those behind it, then those before it,
    backwards.

    Parameters
    ----------
    plan
        `NodePlan`, modified in place: what is missing, and what each node gives.
    """
    now, nodes = plan.now, plan.nodes
    rows: Int = list_rows(plan)
    place: Int = NOTHING  # of the largest row of the smallest weight that is left, once the rows are in order
    while lacks(plan):
        best: Int = NOTHING
        if place >= 0:
            while place < rows and nodes[ROW_CPUS, nodes[ROW_ORDER, place]] == 0:
                place += 1
            if place == rows:
                return
            best = nodes[ROW_ORDER, place]
        # While the largest row has too few CPUs, none suffices, and it is the best one.
        if best == NOTHING or nodes[ROW_CPUS, best] >= now[0]["lacks_cpus"]:
            best = best_row(plan, rows)
        if best == NOTHING:
            return
        first, last = nodes[ROW, best], nodes[ROW_END, best]
        named: Int = NOTHING
        if now[0]["named"] > 0:
            named = first_named(plan, first, last)
        take_row(plan, first, last, named)
        nodes[ROW_CPUS, best] = 0  # of this row no more are taken
        if place < 0 and now[0]["named"] == 0 and lacks(plan):
            order_rows(plan, rows)
            place = np.int64(0)


@njit(cache=True, nogil=True, _nrt=False)
def list_rows(plan: NodePlan) -> Int:
    """Write down the rows of nodes of `plan`, in place, that could give something more; return how many they are."""
    nodes = plan.nodes
    size = nodes.shape[1]
    rows: Int = np.int64(0)
    last: Int = np.int64(0)
    while last < size:
        first = last
        last += 1
        if nodes[CAN, first] == 0:
            continue
        cpus: Int = nodes[CAN, first] if nodes[GIVES, first] == 0 else np.int64(0)
        while last < size and nodes[CAN, last] > 0 and nodes[WEIGHT, last] == nodes[WEIGHT, first]:
            cpus += nodes[CAN, last] if nodes[GIVES, last] == 0 else 0
            last += 1
        if cpus > 0:
            nodes[ROW, rows], nodes[ROW_END, rows], nodes[ROW_CPUS, rows] = first, last, cpus
            rows += 1
    return rows


@njit(cache=True, nogil=True, _nrt=False)
def best_row(plan: NodePlan, rows: Int) -> Int:
    """Return which of so many `rows` of nodes of `plan` is the next one, see `by_rows`; NOTHING if none is left."""
    now, nodes = plan.now, plan.nodes
    best: Int = NOTHING
    best_named: Int = NOTHING
    best_suffices = False
    for k in range(rows):
        cpus = nodes[ROW_CPUS, k]
        if cpus == 0:
            continue
        first, last = nodes[ROW, k], nodes[ROW_END, k]
        left: Int = last - first
        gpus: Int = np.int64(0)
        named: Int = NOTHING
        if now[0]["named"] > 0:
            named = first_named(plan, first, last)
            for i in range(first, last):
                left -= nodes[GIVES, i] > 0
        if now[0]["lacks_gpus"] > 0:
            for i in range(first, last):
                if nodes[GIVES, i] == 0:
                    gpus += gpus_of(plan, i, now[0]["gpu_type"])
        suffices = (
            cpus >= now[0]["lacks_cpus"]
            and left >= now[0]["lacks_nodes"] - now[0]["spare"]
            and gpus >= now[0]["lacks_gpus"]
        )
        if best == NOTHING:
            better = True
        elif (named != NOTHING) != (best_named != NOTHING):
            better = named != NOTHING
        elif nodes[WEIGHT, first] != nodes[WEIGHT, nodes[ROW, best]]:
            better = nodes[WEIGHT, first] < nodes[WEIGHT, nodes[ROW, best]]
        else:
            fits_better = cpus < nodes[ROW_CPUS, best] if suffices else cpus > nodes[ROW_CPUS, best]
            better = bool(fits_better or (suffices and not best_suffices))
        if better:
            best, best_suffices, best_named = k, suffices, named
    return best


@njit(cache=True, nogil=True, _nrt=False)
def first_named(plan: NodePlan, first: Int, last: Int) -> Int:
    """Return the first node from `first` to before `last` of `plan` that must be taken; NOTHING for none."""
    for i in range(first, last):
        if plan.nodes[MUST, i] > 0:
            return i
    return np.int64(NOTHING)


@njit(cache=True, nogil=True, _nrt=False)
def order_rows(plan: NodePlan, rows: Int) -> None:
    """Order so many `rows` of nodes of `plan`, in place: by weight, then the largest first, then by their numbers."""
    order = plan.nodes[ROW_ORDER]
    for k in range(rows):
        order[k] = k
    for i in range(rows // 2 - 1, -1, -1):
        sink_row(plan, i, rows)
    for left in range(rows - 1, 0, -1):
        order[0], order[left] = order[left], order[0]
        sink_row(plan, np.int64(0), left)


@njit(cache=True, nogil=True, _nrt=False)
def sink_row(plan: NodePlan, i: Int, size: Int) -> None:
    """Sink the row at place i of the order of `plan`, in place, in a heap of that `size` with the last one on top."""
    order = plan.nodes[ROW_ORDER]
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and is_before(plan, order[child], order[child + 1]):
            child += 1
        if is_before(plan, order[child], order[i]):
            return
        order[i], order[child] = order[child], order[i]
        i = child


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def is_before(plan: NodePlan, one: Int, other: Int) -> bool:
    """Return whether row `one` comes before the `other` one in the order of `plan`, see `order_rows`."""
    nodes = plan.nodes
    weight, other_weight = nodes[WEIGHT, nodes[ROW, one]], nodes[WEIGHT, nodes[ROW, other]]
    cpus, other_cpus = nodes[ROW_CPUS, one], nodes[ROW_CPUS, other]
    return bool(
        weight < other_weight
        or (weight == other_weight and (cpus > other_cpus or (cpus == other_cpus and one < other)))
    )


@njit(cache=True, nogil=True, _nrt=False)
def take_row(plan: NodePlan, first: Int, last: Int, named: Int) -> None:
    """Take nodes of a row, see `by_rows`.

    Parameters
    ----------
    plan
        As for `by_rows`.
    first, last
        The nodes of the row, the last one not included.
    named
        The first of them that must be taken; NOTHING if there is none.
    """
    now = plan.now
    if named != NOTHING:
        for i in range(named, last):
            take_if(plan, i)
        for i in range(named - 1, first - 1, -1):
            take_if(plan, i)
        return
    single = smallest(plan, first, last)
    if single != NOTHING:
        take_if(plan, single)
        return
    if now[0]["lacks_gpus"] != 0:
        left: Int = np.int64(0)
        for i in range(first, last):
            left += plan.nodes[GIVES, i] == 0
        enough: Int = np.int64(0)
        gpus: Int = np.int64(0)
        for i in range(first, last):
            if plan.nodes[GIVES, i] == 0 and (enough == 0 or (gpus < now[0]["lacks_gpus"] and enough < left)):
                gpus += gpus_of(plan, i, now[0]["gpu_type"])
                enough += 1
        now[0]["lacks_nodes"] = max(now[0]["lacks_nodes"], enough)
    for i in range(first, last):
        take_if(plan, i)


@njit(cache=True, nogil=True, _nrt=False)
def hold(plan: NodePlan, option: np.void, j: Int) -> None:
    """Write down what job j holds: whole cores, memory, and GPUs of the types that come first.

    A job that is alone on its nodes holds all CPUs and GPUs there.

    Parameters
    ----------
    plan
        `NodePlan`, of which the rows of the job in `held` are modified in place.
    option
        OPTION.
    j
        Row of the job.
    """
    held = plan.held
    resources = plan.now[0]["resources"]
    free = HAS + resources
    user = plan.holders[j]["user"]
    sums: Int = resources if user == NOTHING else resources - SUMS
    row: Int = plan.holders[j]["first"]
    for i in range(plan.nodes.shape[1]):
        if plan.nodes[GIVES, i] == 0:
            continue
        tasks = plan.nodes[GIVES, i] // option["cpus"]
        gpus: Int = plan.nodes[GIVES_GPUS, i]
        cpus: Int = plan.nodes[HAS + CPUS, i] if option["whole"] else cpus_for(plan, option, i, tasks)
        held[row, NODE] = i
        held[row, HELD + CPUS] = cpus
        held[row, HELD + MEMORY] = memory_for(plan, option, i, tasks) * (plan.now[0]["shared"] > 0)
        for r in range(GPUS, sums):
            count: Int = plan.nodes[free + r, i]
            if not option["whole"]:
                of_type = option["gpu_type"] == ALL_TYPES or option["gpu_type"] == r - GPUS
                count = min(count, max(gpus, 0)) if of_type else np.int64(0)
                gpus -= count
            held[row, HELD + r] = count
        if user != NOTHING:
            for part in range(2):
                there: Int = np.int64(1) if part == 0 or plan.holders[j]["alone"] else np.int64(0)
                held[row, HELD + sums + 3 * part] = there
                held[row, HELD + sums + 3 * part + 1] = there * user
                held[row, HELD + sums + 3 * part + 2] = there * user * user
        row += 1
    plan.holders[j]["count"] = row - plan.holders[j]["first"]

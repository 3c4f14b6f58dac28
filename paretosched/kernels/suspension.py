"""Running jobs that stop while others run on their cores, in the passes of Slurm (SUSPEND,GANG).

What Slurm does was seen on a real one (22.05). A job that lacks CPUs takes those of jobs in partitions of a lower tier
that may be suspended, as if these had none, but all their memory and GPUs. Idle CPUs come first; then those of the
lowest tier and idle ones, then those of the next tier, too; of these it gets the lowest numbers, one with GPUs the
highest. A job is stopped as long as one of a higher tier has one of its CPUs, and goes on in the second in which the
last of these ends.
"""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .node_plan import CPUS, GPUS, HAS, HELD, NODE, NodePlan, change_all, take_shared
from .running import Running, end_sooner
from .slurm_pace import (
    GONE,
    LEFT_OVER,
    LOST_TIME,
    MODE,
    OPEN,
    SINCE,
    STOPS,
    SUSPENDED,
    VICTIMS,
    Pace,
    expect_end,
    fits,
    forget_end,
)
from .waiting_tree import FAR

NEVER = 2**40  # s: when a job ends that is stopped


@njit(cache=True, nogil=True, _nrt=False)
def fits_beside(plan: NodePlan, pace: Pace, j: Int, o: Int, last: Int) -> bool:
    """Return whether job j fits on the open nodes, also if others stop for it; if it does, `held` says where.

    Parameters
    ----------
    plan, pace
        `NodePlan` and `Pace`, modified in place.
    j, o, last
        The job, the first option, and the last one, which is not included.
    """
    look = pace.look
    if look[0]["suspends"] == 0:
        return fits(plan, pace, j, o, last)
    level: Int = pace.cores.shape[0]  # tiers from this one on stop
    while level > plan.options[o]["tier"]:
        if level == pace.cores.shape[0] or any_may_stop(plan, pace, level):
            for i in range(plan.nodes.shape[1]):
                if pace.marks[OPEN, i]:
                    plan.nodes[HAS + plan.now[0]["resources"] + CPUS, i] = free_cores(plan, pace, i, level)
            look[0]["counted"] = 0
            if fits(plan, pace, j, o, last):
                look[0]["counted"] = 0
                return True
        level -= 1
    look[0]["counted"] = 0
    return False


@njit(cache=True, nogil=True, _nrt=False)
def any_may_stop(plan: NodePlan, pace: Pace, tier: Int) -> bool:
    """Return whether a running job in a partition of a `tier` may stop; `plan` and `pace` are only read."""
    mask = (1 << pace.look[0]["row_bits"]) - 1
    for place in range(pace.look[0]["running"]):
        option = plan.options[plan.holders[pace.ends[place] & mask]["option"]]
        if option["tier"] == tier and pace.ways[option["partition"], MODE] == SUSPENDED:
            return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def is_free_core(plan: NodePlan, pace: Pace, node: Int, core: Int, level: Int) -> bool:
    """Return whether a CPU of a `node`, a `core`, is free if the jobs stop that may, in tiers from a `level` on.

    Those that are taken to have ended have none. `plan` and `pace` are only read.
    """
    for tier in range(pace.cores.shape[0]):
        owner = pace.cores[tier, node, core] - 1
        if owner < 0 or pace.stops[GONE, owner] == pace.look[0]["leaving"]:
            continue
        partition = plan.options[plan.holders[owner]["option"]]["partition"]
        if tier < level or pace.ways[partition, MODE] != SUSPENDED:
            return False
    return True


@njit(cache=True, nogil=True, _nrt=False)
def free_cores(plan: NodePlan, pace: Pace, node: Int, level: Int) -> Int:
    """Return how many CPUs of a `node` are free if jobs stop in tiers from a `level` on, see `is_free_core`.

    `plan` and `pace` are only read.
    """
    count: Int = np.int64(0)
    for core in range(plan.nodes[HAS + CPUS, node]):
        count += is_free_core(plan, pace, node, core, level)
    return count


@njit(cache=True, nogil=True, _nrt=False)
def take_cores(plan: NodePlan, pace: Pace, j: Int) -> None:
    """Give job j, which starts, its CPUs; what it holds becomes what it takes of idle ones, until `give_cores_back`.

    `plan` and `pace` are modified in place: those that have to stop are counted.
    """
    look, cores = pace.look, pace.cores
    if look[0]["suspends"] == 0:
        return
    look[0]["leaving"] += 1  # nobody is taken to have ended any more
    holder = plan.holders[j]
    tier = plan.options[holder["option"]]["tier"]
    first, last = holder["first"], holder["first"] + holder["count"]
    level: Int = cores.shape[0]
    while level > tier + 1 and not has_cores(plan, pace, first, last, level):
        level -= 1
    for row in range(first, last):
        node = plan.held[row, NODE]
        gpus: Int = np.int64(0)
        for r in range(GPUS, GPUS + plan.now[0]["types"]):
            gpus += plan.held[row, HELD + r]
        size = plan.nodes[HAS + CPUS, node]
        left: Int = plan.held[row, HELD + CPUS]
        pace.beyond[row] = 0
        for i in range(size):
            core = size - 1 - i if gpus > 0 else i
            if left == 0 or not is_free_core(plan, pace, node, core, level):
                continue
            left -= 1
            is_shared = False
            for lower in range(cores.shape[0]):
                if cores[lower, node, core] > 0:
                    is_shared = True
                    pace.stops[STOPS, cores[lower, node, core] - 1] += 1
                    look[0]["shuffled"] = 1
            cores[tier, node, core] = j + 1
            pace.beyond[row] += is_shared
        plan.held[row, HELD + CPUS] -= pace.beyond[row]


@njit(cache=True, nogil=True, _nrt=False)
def has_cores(plan: NodePlan, pace: Pace, first: Int, last: Int, level: Int) -> bool:
    """Return whether rows of `held` have as many CPUs free as they ask for, if jobs stop in tiers from a `level` on.

    `plan` and `pace` are only read; the rows are from `first` until before `last`. See `is_free_core`.
    """
    for row in range(first, last):
        if free_cores(plan, pace, plan.held[row, NODE], level) < plan.held[row, HELD + CPUS]:
            return False
    return True


@njit(cache=True, nogil=True, _nrt=False)
def know_cores(plan: NodePlan, pace: Pace, j: Int) -> None:
    """Let job j hold all of its CPUs again, after what is free was changed by idle ones, see `take_cores`.

    `plan` is modified in place, and `pace` only read.
    """
    if pace.look[0]["suspends"] > 0:
        for row in range(plan.holders[j]["first"], plan.holders[j]["first"] + plan.holders[j]["count"]):
            plan.held[row, HELD + CPUS] += pace.beyond[row]


@njit(cache=True, nogil=True, _nrt=False)
def give_all_back(plan: NodePlan, pace: Pace, j: Int, t: Int) -> None:
    """Take what job j had, which ends in second t, back; `plan` and `pace` are modified in place."""
    look, cores = pace.look, pace.cores
    first, last = plan.holders[j]["first"], plan.holders[j]["first"] + plan.holders[j]["count"]
    if look[0]["suspends"] > 0:
        tier = plan.options[plan.holders[j]["option"]]["tier"]
        for row in range(first, last):
            node = plan.held[row, NODE]
            for core in range(cores.shape[2]):
                if cores[tier, node, core] == j + 1:
                    cores[tier, node, core] = 0
                    for lower in range(tier + 1, cores.shape[0]):
                        if cores[lower, node, core] > 0:
                            pace.stops[STOPS, cores[lower, node, core] - 1] -= 1
                            look[0]["shuffled"] = 1
            plan.held[row, HELD + CPUS] -= pace.beyond[row]
    change_all(plan, j, t, FAR, 1)
    know_cores(plan, pace, j)
    take_shared(plan, j, 1)


@njit(cache=True, nogil=True, _nrt=False)
def stop_and_go_on(run: Ints, estimate: Ints, pace: Pace, now: Running, running: Int, t: Int) -> None:
    """Stop the running jobs in second t of which others have CPUs now, and let those go on of which nobody has any.

    Parameters
    ----------
    run, estimate
        (n,) int64, s.
    pace, now
        `Pace` and `Running`, modified in place.
    running, t
        How many jobs run, stopped or not, and the second.
    """
    look, stops, rows = pace.look, pace.stops, pace.away[VICTIMS]
    if look[0]["shuffled"] == 0:
        return
    look[0]["shuffled"] = 0
    mask = (1 << look[0]["row_bits"]) - 1
    count: Int = np.int64(0)
    for place in range(look[0]["running"]):
        j = pace.ends[place] & mask
        if (stops[STOPS, j] > 0) != (stops[SINCE, j] > 0):
            rows[count] = j
            count += 1
    for place in range(count):
        j = rows[place]
        whole = now.start[j] + run[j] + stops[LOST_TIME, j]
        if stops[STOPS, j] > 0:
            stops[SINCE, j], stops[LEFT_OVER, j] = t + 1, whole - t
            look[0]["stopped"] += 1
            end_sooner(now, running, j, whole, np.int64(NEVER))
            continue
        since = stops[SINCE, j] - 1
        pause: Int = look[0]["pauses"]
        pace.pauses[pause, 0], pace.pauses[pause, 1], pace.pauses[pause, 2] = j, since, t
        look[0]["pauses"] += 1
        look[0]["stopped"] -= 1
        end_sooner(now, running, j, np.int64(NEVER), t + stops[LEFT_OVER, j])
        expected = now.start[j] + estimate[j] + stops[LOST_TIME, j]
        forget_end(pace, j, expected)
        expect_end(pace, j, expected + t - since)
        stops[LOST_TIME, j] += t - since
        stops[SINCE, j] = 0

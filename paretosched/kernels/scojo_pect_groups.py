"""The groups of SCOJO-PECT (paper 004, section 7): when a group is formed, and with which job it finishes."""

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit
from .group_search import plan
from .inputs import Jobs
from .profile import add, earliest
from .scojo_pect_machine import FAR, IDLE, Machine, Turn, collect, draw_profile, until
from .scojo_pect_queue import Queue, next_within
from .virtual_schedule import Moment, Planning, Tree

GROUPS, JOBS, VISITED, PRUNED = 0, 1, 2, 3  # rows of `search_totals`
ROWS, BEGINS, ENDS = 0, 1, 2  # of `Machine.line`


@njit(cache=True, nogil=True, _nrt=False)
def renew_group(
    jobs: Jobs,
    capacity: Int,
    machine: Machine,
    queue: Queue,
    rules: Planning,
    tree: Tree,
    turn: Turn,
    search_totals: Ints,
) -> None:
    """Dissolve a group that has finished, and form one if there is none and the conditions hold (section 7.2).

    Parameters
    ----------
    jobs, capacity, rules
        The jobs, processors, and the parameters of the search.
    machine, tree
        Modified in place.
    queue
        Not modified.
    turn
        The scheduling pass, of the medium or the long class.
    search_totals
        (4, 2) int64, increased in place; see GROUPS and the following.
    """
    kind = turn.kind
    c = kind - 1
    if machine.group_size[kind] > 0:
        ended = True
        finisher = machine.finisher[kind]
        if finisher >= 0:
            ended = machine.started[finisher] and machine.rest[finisher] == 0
        waiting = 0
        for i in range(machine.group_size[kind]):
            if not machine.started[machine.group[kind, i]]:
                waiting += 1
        if not ended and waiting > 0:
            return
        for i in range(machine.group_size[kind]):
            machine.planned[machine.group[kind, i]] = False
        machine.group_size[kind] = 0
    waiting = queue.waiting[kind]
    if rules.bottom_line:
        if waiting == 0:
            return
    else:
        if waiting < rules.least[c]:
            return
        if not queue.width[kind] > rules.machines[c] * capacity:
            return
        if not queue.work[kind] > rules.work[c] * np.float64(rules.mean_run[c]) * capacity:
            return
    n = min(waiting, rules.most[c])
    slot = queue.front[kind]
    for i in range(n):
        slot = next_within(queue, machine.belief, kind, slot, queue.endless)
        j = np.int64(queue.row[kind, slot])
        machine.group[kind, i] = j
        machine.planned[j] = True
        slot += 1
    tree.end_count[0] = collect(jobs, machine, turn, tree.ends, tree.widths)
    tree.time[0] = turn.t
    tree.free[0] = machine.state[IDLE]
    tree.ends_before[0] = 0
    tree.running[0] = 0
    moment = Moment(jobs, machine.belief, capacity, turn.t, turn.share, rules)
    plan(moment, tree, c, machine.group, kind, n, machine.scratch, machine.visits)
    machine.group_size[kind] = n
    machine.finisher[kind] = -1
    search_totals[GROUPS, c] += 1
    search_totals[JOBS, c] += n
    for level in range(2):
        search_totals[VISITED, level] = machine.visits[level, 0]
        search_totals[PRUNED, level] = machine.visits[level, 1]
    if not rules.bottom_line:
        machine.finisher[kind] = find_finisher(jobs, capacity, machine, rules, turn)


@njit(cache=True, nogil=True, _nrt=False)
def find_finisher(jobs: Jobs, capacity: Int, machine: Machine, rules: Planning, turn: Turn) -> Int:
    """Return the job with which a group finishes (Figure 8); it is of the group's class.

    Parameters
    ----------
    jobs, capacity, rules
        The jobs, processors, and the parameters of the search.
    machine
        With the group; its profile and work space are modified in place.
    turn
        The scheduling pass.

    Returns
    -------
    int
        Row; -1 if there is none.
    """
    kind = turn.kind
    t = turn.t
    line = machine.line
    count = 0
    for x in range(3):
        for i in range(machine.active_size[x]):
            j = machine.active[x, i]
            if machine.since[j] >= 0:
                line[ROWS, count] = j
                line[BEGINS, count] = t
                line[ENDS, count] = until(machine, turn, j)
                count += 1
    draw_profile(jobs, machine, turn)
    for i in range(machine.group_size[kind]):
        j = machine.group[kind, i]
        begin = earliest(machine.when, machine.room, machine.span, t, FAR, FAR, jobs.width[j], machine.belief[j])
        add(machine.when, machine.room, machine.span, begin, begin + machine.belief[j], -jobs.width[j])
        line[ROWS, count] = j
        line[BEGINS, count] = begin
        line[ENDS, count] = begin + machine.belief[j]
        count += 1
    finisher = np.int64(-1)
    best = 0.0
    jobs_behind = 0
    for place in range(count):  # by their ends, then by row
        first = place
        for k in range(place + 1, count):
            if line[ENDS, k] < line[ENDS, first] or (
                line[ENDS, k] == line[ENDS, first] and line[ROWS, k] < line[ROWS, first]
            ):
                first = k
        for column in range(3):
            other = line[column, first]
            line[column, first] = line[column, place]
            line[column, place] = other
        j = line[ROWS, place]
        end = line[ENDS, place]
        if not machine.started[j]:
            jobs_behind += 1
        if jobs_behind < rules.least[kind - 1] or machine.kind[j] != kind:
            continue
        work = np.int64(0)
        for k in range(count):
            work += jobs.width[line[ROWS, k]] * max(min(line[ENDS, k], end) - line[BEGINS, k], 0)
        use = np.float64(work) / np.float64(capacity * (end - t))
        if finisher < 0 or use > best * (1.0 - rules.delta):
            best = use
            finisher = j
        elif use > rules.least_use:
            finisher = j
    return finisher

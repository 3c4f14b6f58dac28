"""What the engine asks of a machine: of processors that are all equal, a `Profile`, or of nodes, a `NodePlan`.

Which of the two is meant is chosen by type when the engine is compiled. numba replaces each function here that raises
NotImplementedError by what is returned below.
"""

# ruff: noqa: ARG001, ARG005  # numba compares the names of all arguments

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from ..core.arrays import Int, Ints
from .compiling import njit, overload
from .down_profile import put_down
from .failures import pass_events
from .inputs import Down, Jobs
from .node_places import (
    any_hope,
    any_may_be_put,
    can_be_put,
    exchange_place,
    find_place_on_nodes,
    is_open,
    is_within,
    know_reservation,
    lift_tiers,
)
from .node_plan import (
    DOWN,
    PERIOD,
    NodePlan,
    any_window_begins,
    change_all,
    clear_nodes,
    count_timed,
    end_of_window,
    give_back,
    is_allowed,
    is_held,
    line_up_allowed,
    note_holders,
    pass_steps,
    take_holders,
    take_shared,
)
from .preemption import grace_of, note_asked, note_life
from .profile import FIRST, LAST, add, add_at, clear, earliest, earliest_at, forget_past
from .running import Profile, Running
from .slurm_pace import Pace
from .slurm_passes import start_in_slurm_pass
from .suspension import give_all_back
from .waiting_heap import Waiting, count_fitting
from .waiting_tree import FAR

Machine = Profile | NodePlan


def clear_machine(machine: Machine, capacity: Int, down: Down, since: Int) -> None:
    """Make a `machine`, in place, idle from second `since` on; `capacity` and `down` as for `engine.simulate`."""
    raise NotImplementedError


def renumber_jobs(jobs: Jobs, machine: Machine, other: Machine, rows: Ints) -> None:
    """Let job i of `jobs` on a `machine`, in place, be that of row `rows[i]` of the `other` one; (n,) rows or more.

    Of nodes it asks for the same there; of equal processors there is nothing to know.
    """
    raise NotImplementedError


def note_parts(machine: Machine, other: Machine, rows: Ints, start: Ints, count: Int) -> None:
    """Write down in the `other` machine, in place, which part of `machine` its first `count` jobs got.

    `rows` and `start`, (n,) int64, are their rows in the other one, and their starts, -1 for none.
    """
    raise NotImplementedError


def pass_time(machine: Machine, t: Int, changes: bool) -> None:
    """Let a `machine`, in place, begin in second t, in which a down time may begin or end: `changes`."""
    raise NotImplementedError


def open_pass(machine: Machine, plan: Profile, remembers: bool) -> Machine:
    """Return what a pass plans with: `plan`, in place, with what is free on a `machine`; of nodes, these themselves.

    `remembers` is whether reservations only become more in the pass, so that what was tried on nodes can be remembered.
    """
    raise NotImplementedError


def close_pass(jobs: Jobs, plan: Machine, rows: Ints, begins: Ints, count: Int) -> None:
    """Take the reservations of a pass out of the plan, if it is that of the machine.

    Parameters
    ----------
    jobs, plan
        `Jobs`, and the plan, modified in place.
    rows, begins, count
        (n,) int64, of which the first `count` have a reservation, and when it begins, s.
    """
    raise NotImplementedError


def room_now(machine: Machine) -> Int:
    """Return how many processors of a `machine` are free now."""
    raise NotImplementedError


def always_free(machine: Machine) -> Int:
    """Return how many processors of a `machine` are free at all times for any job; -1 if that cannot be said."""
    raise NotImplementedError


def is_free(jobs: Jobs, plan: Machine, j: Int, t: Int) -> bool:
    """Return whether `plan` has room for job j of `jobs` from the present second t on; on nodes, also where."""
    raise NotImplementedError


def may_be_free(jobs: Jobs, plan: Machine, j: Int, t: Int) -> bool:
    """Return whether `is_free` may be true for job j of `jobs` in `plan` in second t: on nodes, for all it knows."""
    raise NotImplementedError


def is_kept_out(plan: Machine, j: Int) -> bool:
    """Return whether it is known, at no cost, that pools of `plan` let no job start that asks for what job j does."""
    raise NotImplementedError


def seems_free(jobs: Jobs, plan: Machine, j: Int) -> bool:
    """Return whether `may_be_free` was not known to be false of job j of `jobs` in `plan`, which costs nothing."""
    raise NotImplementedError


def line_up(machine: Machine, rows: Ints, count: Int, queue: Ints) -> Int:
    """Put waiting jobs into (n,) int64 `queue`, in place; return how many: on a `machine` of nodes those not held back.

    They are the first `count` of (n,) int64 `rows`. What pools keep out stops nobody, and has no reservation.
    """
    raise NotImplementedError


def stops_others(jobs: Jobs, plan: Machine, j: Int, t: Int) -> bool:
    """Return whether without backfilling no job starts before job j of `jobs`, which cannot start in second t.

    On nodes of a `plan`, one without licences or without any place stops nobody.
    """
    raise NotImplementedError


def find_place(jobs: Jobs, plan: Machine, j: Int, after: Int) -> Int:
    """Return the first second from `after` on in which `plan` has room for job j of `jobs`; FAR for none."""
    raise NotImplementedError


def keeps_places(plan: Machine) -> bool:
    """Return whether a `plan` keeps the places of conservative backfilling from one event to the next."""
    raise NotImplementedError


def exchange(jobs: Jobs, plan: Machine, j: Int, begin: Int, t: Int) -> Int:
    """Do what `node_places.exchange_place` does with `jobs`, `plan`, in place, j, `begin` and t.

    A plan that does not keep places has no such function.
    """
    raise NotImplementedError


def reserve(jobs: Jobs, plan: Machine, j: Int, begin: Int, sign: Int) -> None:
    """Reserve room in `plan`, in place, for job j of `jobs` from second `begin` on; with a `sign` of 1, give it up."""
    raise NotImplementedError


def copy_start(jobs: Jobs, plan: Machine, j: Int, t: Int) -> None:
    """Note the start of job j of `jobs` in second t in `plan`, in place, if it is not that of the machine."""
    raise NotImplementedError


def occupy(jobs: Jobs, machine: Machine, j: Int, t: Int) -> None:
    """Let job j of `jobs` have its part of a `machine`, in place, from the present second t on."""
    raise NotImplementedError


def prolong(jobs: Jobs, machine: Machine, j: Int, begin: Int, end: Int) -> None:
    """Let job j of `jobs` have its part of a `machine`, in place, from `begin` until `end`, too."""
    raise NotImplementedError


def vacate(jobs: Jobs, machine: Machine, j: Int, t: Int, expected: Int) -> None:
    """Take the part of job j of `jobs`, which it was to have until `expected`, back in second t.

    The `machine` is modified in place.
    """
    raise NotImplementedError


def any_may_start(jobs: Jobs, machine: Machine, rows: Ints, count: Int) -> bool:
    """Return whether a job of the first `count` of (n,) int64 `rows` may fit on a `machine` now; `jobs` are read."""
    raise NotImplementedError


def any_may_be_free(jobs: Jobs, plan: Machine) -> bool:
    """Return whether `may_be_free` can be true for any of the waiting ones of `jobs` in `plan`, which is modified."""
    raise NotImplementedError


def count_job(machine: Machine, j: Int, sign: Int, predicted: bool) -> None:
    """Count job j, times `sign`, among those that wait for a `machine`, modified in place.

    `predicted` is whether run times are predicted.
    """
    raise NotImplementedError


def may_start(plan: Machine, j: Int) -> bool:
    """Return whether the pools of `plan` let job j start now where its place is."""
    raise NotImplementedError


def when_counted(machine: Machine, t: Int) -> Int:
    """Return the second after t in which what jobs take of timed pools of a `machine` shrinks; FAR if none is timed."""
    raise NotImplementedError


def all_equal(machine: Machine) -> bool:
    """Return whether all processors of a `machine` are equal: only the first job of a queue can start first."""
    raise NotImplementedError


def tier_of(machine: Machine, j: Int) -> Int:
    """Return the tier of job j, by the partitions of a `machine`: those of higher tiers come first."""
    raise NotImplementedError


def lift(machine: Machine, waiting: Waiting, count: Int) -> None:
    """Give `count` jobs in the queue of `waiting` other keys, in place: higher tiers of a `machine` come first."""
    raise NotImplementedError


def start_in_pass(jobs: Jobs, machine: Machine, pace: Pace, start: Ints, count: Int, t: Int, backfills: bool) -> Int:
    """Do what `slurm_passes.start_in_slurm_pass` does; on processors, which have no such passes, nothing.

    Parameters
    ----------
    jobs, machine, pace, start, count, t, backfills
        As for `start_in_slurm_pass`; (n,) int64 `start`. All but `jobs` are modified in place.
    """
    raise NotImplementedError


def grace_for(machine: Machine, pace: Pace, j: Int) -> Int:
    """Return for how long job j on a `machine` goes on that is asked to make way, s; `pace` is only read."""
    raise NotImplementedError


def let_go(machine: Machine, pace: Pace, j: Int) -> None:
    """Do what `preemption.note_asked` does with the nodes of a `machine`, `pace`, modified in place, and job j."""
    raise NotImplementedError


def keep_life(machine: Machine, pace: Pace, j: Int, begin: Int, end: Int) -> bool:
    """Do what `preemption.note_life` does with the nodes of a `machine`; false on processors.

    Parameters
    ----------
    machine, pace, j, begin, end
        As for `note_life`; `pace` is modified in place.
    """
    raise NotImplementedError


def change_nodes(machine: Machine, pace: Pace, now: Running, run: Ints, running: Int, t: Int) -> bool:
    """Do what `failures.pass_events` does with the nodes of a `machine`; false on processors.

    Parameters
    ----------
    machine, pace, now, run, running, t
        As for `pass_events`; (n,) int64 `run`. The machine, the pace and `now` are modified in place.
    """
    raise NotImplementedError


def leave(machine: Machine, pace: Pace, j: Int, t: Int) -> None:
    """Do what `suspension.give_all_back` does with the nodes of a `machine`, `pace`, modified in place, j and t."""
    raise NotImplementedError


def any_begins(machine: Machine, rows: Ints, count: Int, t: Int) -> bool:
    """Return whether a reservation of a `machine` begins in second t for one of the first `count` of (n,) `rows`."""
    raise NotImplementedError


def last_second(machine: Machine, j: Int, t: Int) -> Int:
    """Return when the reservation of a `machine` ends in which job j is in second t; FAR if it is in none."""
    raise NotImplementedError


def exchange_rows(machine: Machine, a: Int, b: Int) -> None:
    """Let two jobs, a and b, that have not arrived yet change their rows in what a `machine` knows, in place."""
    raise NotImplementedError


def _by_machine(function: Callable[..., Any], of_processors: Callable[..., Any], on_nodes: Callable[..., Any]) -> None:
    """Let `function` be `of_processors` or `on_nodes`, by the type of its argument `machine` or `plan`."""
    form = signature(function)
    place = min(list(form.parameters).index(name) for name in ("machine", "plan") if name in form.parameters)

    def implementation(*types: Any) -> Callable[..., Any]:
        """Return what stands for the function with arguments of these types."""
        return on_nodes if types[place].instance_class is NodePlan else of_processors

    implementation.__signature__ = form  # type: ignore[attr-defined]  # numba looks at it
    overload(function, strict=False)(implementation)


@njit(cache=True, nogil=True, _nrt=False)
def _copy_profile(machine: Profile, plan: Profile) -> Profile:
    """Return `plan`, filled in place with what `machine`, a profile of the same size, has."""
    for i in range(machine.span[FIRST], machine.span[LAST]):
        plan.when[i] = machine.when[i]
        plan.room[i] = machine.room[i]
    plan.span[FIRST] = machine.span[FIRST]
    plan.span[LAST] = machine.span[LAST]
    return plan


@njit(cache=True, nogil=True, _nrt=False)
def _clear_profile(machine: Profile, capacity: Int, down: Down, since: Int) -> None:
    """Do what `clear_machine` does with `machine`, in place, `capacity`, `down` and `since`."""
    clear(machine.when, machine.room, machine.span, since, capacity)
    put_down(machine, down, since)


@njit(cache=True, nogil=True, _nrt=False)
def _pass_profile(machine: Profile, t: Int) -> None:
    """Let the profile `machine`, in place, begin in second t."""
    forget_past(machine.when, machine.span, t)
    machine.when[machine.span[FIRST]] = t


@njit(cache=True, nogil=True, _nrt=False)
def _pass_nodes(machine: NodePlan, t: Int, changes: bool) -> None:
    """Let the nodes of `machine`, in place, begin in second t; `changes` is whether one may come up again."""
    pass_steps(machine, t)
    count_timed(machine, t)
    if changes:
        for i in range(machine.nodes.shape[1]):
            note_up(machine, i, DOWN, t)
            for row in range(machine.nodes.shape[0] - 2 * machine.now[0]["views"], machine.nodes.shape[0], 2):
                note_up(machine, i, row, t)


@njit(cache=True, nogil=True, _nrt=False)
def note_up(machine: NodePlan, node: Int, view: Int, t: Int) -> None:
    """Give a `node` of the `machine` back, in place, if it comes up in second t, as row `view` of its nodes has it."""
    for row in range(machine.nodes[view, node], machine.nodes[view + 1, node], 2):
        if machine.lists[row + 1] == t:
            give_back(machine, node)


@njit(cache=True, nogil=True, _nrt=False)
def _open_nodes(machine: NodePlan, plan: Profile, remembers: bool) -> NodePlan:
    """Begin a pass over the nodes of `machine`, modified in place, and return them.

    `plan` is not used; `remembers` is as for `open_pass`.
    """
    machine.now[0]["version"] = machine.now[0]["versions"] = 0
    machine.now[0]["remembers"] = remembers
    machine.now[0]["passes"] += 1
    return machine


@njit(cache=True, nogil=True, _nrt=False)
def _close_nodes(jobs: Jobs, plan: NodePlan, rows: Ints, begins: Ints, count: Int) -> None:
    """Do what `close_pass` does on nodes.

    Parameters
    ----------
    jobs, plan, rows, begins, count
        As for `close_pass`; (n,) int64 both arrays. `plan` is modified in place.
    """
    for i in range(count):
        change_all(plan, rows[i], begins[i], begins[i] + jobs.estimate[rows[i]], 1)


@njit(cache=True, nogil=True, _nrt=False)
def _copy_rows(rows: Ints, count: Int, queue: Ints) -> Int:
    """Copy the first `count` of (n,) int64 `rows` into (n,) int64 `queue`, in place, and return `count`."""
    for i in range(count):
        queue[i] = rows[i]
    return count


@njit(cache=True, nogil=True, _nrt=False)
def _least_room(machine: Profile) -> Int:
    """Return how many processors are always free in the profile `machine`."""
    least: Int = FAR
    for i in range(machine.span[FIRST], machine.span[LAST]):
        least = min(least, machine.room[i])
    return least


@njit(cache=True, nogil=True, _nrt=False)
def _fits(jobs: Jobs, plan: Profile, j: Int, t: Int) -> bool:
    """Return whether job j of `jobs` fits in the profile `plan` from second t, with which it begins, on."""
    first = plan.span[FIRST]
    if plan.room[first] < jobs.width[j]:
        return False
    begin, _ = earliest_at(plan.when, plan.room, plan.span, first, t, t + 1, FAR, jobs.width[j], jobs.estimate[j])
    return bool(begin == t)


@njit(cache=True, nogil=True, _nrt=False)
def _stops_on_nodes(jobs: Jobs, plan: NodePlan, j: Int, t: Int) -> bool:
    """Return whether pools let job j of `jobs` in and it has a place on the nodes of `plan`, modified in place.

    t is the present second.
    """
    if not is_allowed(plan, j):
        return False
    is_sure = plan.now[0]["downs"] == 0 and not plan.shapes[plan.holders[j]["shape"]]["late"]
    return bool(is_sure or find_place_on_nodes(jobs, plan, j, t) < FAR)


@njit(cache=True, nogil=True, _nrt=False)
def _earliest(jobs: Jobs, plan: Profile, j: Int, after: Int) -> Int:
    """Return the first second from `after` on in which the profile `plan` has room for job j of `jobs`."""
    return earliest(plan.when, plan.room, plan.span, after, FAR, FAR, jobs.width[j], jobs.estimate[j])


@njit(cache=True, nogil=True, _nrt=False)
def _reserve_processors(jobs: Jobs, plan: Profile, j: Int, begin: Int, sign: Int) -> None:
    """Do what `reserve` does in the profile `plan`, in place, with `jobs`, j, `begin` and `sign`."""
    add(plan.when, plan.room, plan.span, begin, begin + jobs.estimate[j], sign * jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False)
def _reserve_nodes(jobs: Jobs, plan: NodePlan, j: Int, begin: Int, sign: Int) -> None:
    """Do what `reserve` does with the nodes of `plan`, in place, with `jobs`, j, `begin` and `sign`."""
    if begin < FAR:
        if plan.now[0]["remembers"]:
            know_reservation(plan, j, begin)
        change_all(plan, j, begin, begin + jobs.estimate[j], sign)


@njit(cache=True, nogil=True, _nrt=False)
def _take_processors(jobs: Jobs, machine: Profile, j: Int, t: Int) -> None:
    """Take the width of job j of `jobs` out of the profile `machine`, in place, from its first second t on."""
    add_at(machine.when, machine.room, machine.span, machine.span[FIRST], t, t + jobs.estimate[j], -jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False)
def _take_nodes(jobs: Jobs, machine: NodePlan, j: Int, t: Int) -> None:
    """Take what job j of `jobs` holds out of the nodes of `machine`, in place, from second t on."""
    change_all(machine, j, t, t + jobs.estimate[j], -1)
    take_shared(machine, j, -1)


@njit(cache=True, nogil=True, _nrt=False)
def _prolong_processors(jobs: Jobs, machine: Profile, j: Int, begin: Int, end: Int) -> None:
    """Do what `prolong` does in the profile `machine`, in place, with `jobs`, j, `begin` and `end`."""
    add(machine.when, machine.room, machine.span, begin, end, -jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False)
def _vacate_processors(jobs: Jobs, machine: Profile, j: Int, t: Int, expected: Int) -> None:
    """Do what `vacate` does in the profile `machine`, in place, with `jobs`, j, t and `expected`."""
    if expected > t:
        add(machine.when, machine.room, machine.span, t, expected, jobs.width[j])


@njit(cache=True, nogil=True, _nrt=False)
def _vacate_nodes(jobs: Jobs, machine: NodePlan, j: Int, t: Int, expected: Int) -> None:
    """Do what `vacate` does with the nodes of `machine`, in place, with `jobs`, j, t and `expected`."""
    change_all(machine, j, t, expected, 1)
    take_shared(machine, j, 1)


@njit(cache=True, nogil=True, _nrt=False)
def _count_on_nodes(machine: NodePlan, j: Int, sign: Int, predicted: bool) -> None:
    """Do what `count_job` does with the nodes of `machine`, in place, j, `sign` and `predicted`."""
    shape = machine.shapes[machine.holders[j]["shape"]]
    length: Int = np.int64(0) if predicted else machine.holders[j]["request"]
    if sign > 0:
        shape["shortest"] = length if shape["waiting"] == 0 else min(shape["shortest"], length)
    shape["waiting"] += sign


@njit(cache=True, nogil=True, _nrt=False)
def _exchange_on_nodes(machine: NodePlan, a: Int, b: Int) -> None:
    """Do what `exchange_rows` does with the nodes of `machine`, in place, a and b."""
    holders, shapes = machine.holders, machine.shapes
    first, second = holders[a]["shape"], holders[b]["shape"]
    if first != second:  # else the job that stands for the shape may be either of the two
        if shapes[first]["job"] == a:
            shapes[first]["job"] = b
        if shapes[second]["job"] == b:
            shapes[second]["job"] = a
    holders[a]["shape"], holders[b]["shape"] = holders[b]["shape"], holders[a]["shape"]
    holders[a]["tier"], holders[b]["tier"] = holders[b]["tier"], holders[a]["tier"]
    holders[a]["user"], holders[b]["user"] = holders[b]["user"], holders[a]["user"]
    holders[a]["alone"], holders[b]["alone"] = holders[b]["alone"], holders[a]["alone"]
    holders[a]["request"], holders[b]["request"] = holders[b]["request"], holders[a]["request"]
    holders[a]["limit"], holders[b]["limit"] = holders[b]["limit"], holders[a]["limit"]
    holders[a]["first"], holders[b]["first"] = holders[b]["first"], holders[a]["first"]
    holders[a]["downs"], holders[b]["downs"] = holders[b]["downs"], holders[a]["downs"]
    holders[a]["inside"], holders[b]["inside"] = holders[b]["inside"], holders[a]["inside"]
    holders[a]["windows"], holders[b]["windows"] = holders[b]["windows"], holders[a]["windows"]
    holders[a]["windows_end"], holders[b]["windows_end"] = holders[b]["windows_end"], holders[a]["windows_end"]


_by_machine(
    clear_machine,
    lambda machine, capacity, down, since: _clear_profile(machine, capacity, down, since),
    lambda machine, capacity, down, since: clear_nodes(machine, since),
)
_by_machine(
    renumber_jobs,
    lambda jobs, machine, other, rows: None,
    lambda jobs, machine, other, rows: take_holders(jobs, machine, other, rows),
)
_by_machine(
    note_parts,
    lambda machine, other, rows, start, count: None,
    lambda machine, other, rows, start, count: note_holders(machine, other, rows, start, count),
)
_by_machine(
    pass_time,
    lambda machine, t, changes: _pass_profile(machine, t),
    lambda machine, t, changes: _pass_nodes(machine, t, changes),
)
_by_machine(
    open_pass,
    lambda machine, plan, remembers: _copy_profile(machine, plan),
    lambda machine, plan, remembers: _open_nodes(machine, plan, remembers),
)
_by_machine(
    close_pass,
    lambda jobs, plan, rows, begins, count: None,
    lambda jobs, plan, rows, begins, count: _close_nodes(jobs, plan, rows, begins, count),
)
_by_machine(room_now, lambda machine: machine.room[machine.span[FIRST]], lambda machine: machine.now[0]["free_cpus"])
_by_machine(always_free, lambda machine: _least_room(machine), lambda machine: -1)
_by_machine(
    is_free, lambda jobs, plan, j, t: _fits(jobs, plan, j, t), lambda jobs, plan, j, t: can_be_put(jobs, plan, j, t)
)
_by_machine(
    may_be_free,
    lambda jobs, plan, j, t: _fits(jobs, plan, j, t),
    lambda jobs, plan, j, t: is_open(jobs, plan, j),
)
_by_machine(is_kept_out, lambda plan, j: False, lambda plan, j: is_held(plan, j))
_by_machine(seems_free, lambda jobs, plan, j: True, lambda jobs, plan, j: is_open(jobs, plan, j))
_by_machine(
    line_up,
    lambda machine, rows, count, queue: _copy_rows(rows, count, queue),
    lambda machine, rows, count, queue: line_up_allowed(machine, rows, count, queue),
)
_by_machine(stops_others, lambda jobs, plan, j, t: True, lambda jobs, plan, j, t: _stops_on_nodes(jobs, plan, j, t))
_by_machine(
    find_place,
    lambda jobs, plan, j, after: _earliest(jobs, plan, j, after),
    lambda jobs, plan, j, after: find_place_on_nodes(jobs, plan, j, after),
)
_by_machine(keeps_places, lambda plan: False, lambda plan: True)
_by_machine(
    exchange,
    lambda jobs, plan, j, begin, t: begin,
    lambda jobs, plan, j, begin, t: exchange_place(jobs, plan, j, begin, t),
)
_by_machine(
    reserve,
    lambda jobs, plan, j, begin, sign: _reserve_processors(jobs, plan, j, begin, sign),
    lambda jobs, plan, j, begin, sign: _reserve_nodes(jobs, plan, j, begin, sign),
)
_by_machine(copy_start, lambda jobs, plan, j, t: _take_processors(jobs, plan, j, t), lambda jobs, plan, j, t: None)
_by_machine(
    occupy,
    lambda jobs, machine, j, t: _take_processors(jobs, machine, j, t),
    lambda jobs, machine, j, t: _take_nodes(jobs, machine, j, t),
)
_by_machine(
    prolong,
    lambda jobs, machine, j, begin, end: _prolong_processors(jobs, machine, j, begin, end),
    lambda jobs, machine, j, begin, end: change_all(machine, j, begin, end, -1),
)
_by_machine(
    vacate,
    lambda jobs, machine, j, t, expected: _vacate_processors(jobs, machine, j, t, expected),
    lambda jobs, machine, j, t, expected: _vacate_nodes(jobs, machine, j, t, expected),
)
_by_machine(
    any_may_start,
    lambda jobs, machine, rows, count: count_fitting(rows, count, jobs.width, machine.room[machine.span[FIRST]]) > 0,
    lambda jobs, machine, rows, count: any_hope(machine),
)
_by_machine(any_may_be_free, lambda jobs, plan: True, lambda jobs, plan: any_may_be_put(plan))
_by_machine(
    count_job,
    lambda machine, j, sign, predicted: None,
    lambda machine, j, sign, predicted: _count_on_nodes(machine, j, sign, predicted),
)
_by_machine(may_start, lambda plan, j: True, lambda plan, j: is_within(plan, j, plan.holders[j]["option"]))
_by_machine(
    when_counted,
    lambda machine, t: FAR,
    lambda machine, t: (t // PERIOD + 1) * PERIOD if machine.now[0]["timed"] else FAR,
)
_by_machine(all_equal, lambda machine: True, lambda machine: False)
_by_machine(tier_of, lambda machine, j: 0, lambda machine, j: machine.holders[j]["tier"])
_by_machine(
    lift,
    lambda machine, waiting, count: None,
    lambda machine, waiting, count: lift_tiers(machine, waiting.queue, waiting.keys, count),
)
_by_machine(
    start_in_pass,
    lambda jobs, machine, pace, start, count, t, backfills: 0,
    lambda jobs, machine, pace, start, count, t, backfills: start_in_slurm_pass(
        jobs, machine, pace, start, count, t, backfills
    ),
)
_by_machine(exchange_rows, lambda machine, a, b: None, lambda machine, a, b: _exchange_on_nodes(machine, a, b))
_by_machine(grace_for, lambda machine, pace, j: 1, lambda machine, pace, j: grace_of(machine, pace, j))
_by_machine(
    any_begins,
    lambda machine, rows, count, t: False,
    lambda machine, rows, count, t: any_window_begins(machine, rows, count, t),
)
_by_machine(last_second, lambda machine, j, t: FAR, lambda machine, j, t: end_of_window(machine, j, t))
_by_machine(
    change_nodes,
    lambda machine, pace, now, run, running, t: False,
    lambda machine, pace, now, run, running, t: pass_events(machine, pace, now, run, running, t),
)
_by_machine(let_go, lambda machine, pace, j: None, lambda machine, pace, j: note_asked(machine, pace, j))
_by_machine(leave, lambda machine, pace, j, t: None, lambda machine, pace, j, t: give_all_back(machine, pace, j, t))
_by_machine(
    keep_life,
    lambda machine, pace, j, begin, end: False,
    lambda machine, pace, j, begin, end: note_life(machine, pace, j, begin, end),
)

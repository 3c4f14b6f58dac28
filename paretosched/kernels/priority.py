"""A pass of any order of the waiting jobs with any backfilling: the queue is sorted anew.

A pass has three steps (`ordered_pass`): the first jobs of the order start while they fit; then jobs get reservations
in the order, if there are any; then the other jobs are tried in an order of their own, each beside all reservations.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .formulas import BLOCK, MOST_DEEP, Program, evaluate_block
from .inputs import Backfilling, Jobs
from .profile import FIRST, add, add_at, earliest, earliest_at
from .running import Profile, Running, launch, lay_out, no_profile
from .usage import Usage, note_usage, usage_of
from .waiting_heap import Waiting, count_fitting, no_jobs, sink, take_first
from .waiting_tree import FAR

NONE_YET = -1


class Ranking(NamedTuple):
    """What orders the waiting jobs, and how they are backfilled.

    Attributes
    ----------
    order, candidates
        `Program`: the keys of the queue, and of the jobs that are backfilled.
    backfilling
        `Backfilling`.
    usage
        `Usage`, of which the keys may depend.
    shares
        (n,) float64, the share of each job's account.
    """

    order: Program
    candidates: Program
    backfilling: Backfilling
    usage: Usage
    shares: Floats


class Desk(NamedTuple):
    """Work space of a pass, and what it remembers.

    Attributes
    ----------
    waiting
        `Waiting`, a heap by keys in a pass.
    aside, aside_keys
        (n,) int64 rows and (n,) float64: jobs that were passed over because they get no reservation.
    latest
        (n,) int64, s, the latest start of each job, NONE_YET before its first place; (1,) if there is no slack.
    profile
        `Profile`: the running jobs and the reservations of this pass.
    usages, stacks
        (BLOCK,) and (MOST_DEEP, BLOCK) float64, see `evaluate_block`.
    """

    waiting: Waiting
    aside: Ints
    aside_keys: Floats
    latest: Ints
    profile: Profile
    usages: Floats
    stacks: Floats


@njit(cache=True, nogil=True)
def empty_desk(n: Int, backfilling: Backfilling) -> Desk:
    """Return work space for n waiting jobs; `backfilling` says by its slack whether latest starts are kept."""
    latest = np.full(n if backfilling.slack > 0 else 1, NONE_YET, np.int64)
    return Desk(
        no_jobs(n),
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        latest,
        no_profile(2 * n + 16),
        np.zeros(BLOCK, np.float64),
        np.empty((MOST_DEEP, BLOCK), np.float64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def ordered_pass(
    jobs: Jobs, now: Running, running: Int, free: Int, t: Int, situation: Int, ranking: Ranking, desk: Desk, count: Int
) -> tuple[Int, Int]:
    """Start the jobs that an order and its backfilling start in second t.

    Parameters
    ----------
    jobs
        `Jobs`.
    now, running
        `Running`, modified in place, and how many jobs run.
    free, t, situation
        Processors that are free in second t, and the scheduling situation, 0..2.
    ranking, desk
        `Ranking` and `Desk`, modified in place.
    count
        How many jobs wait, 1 or more.

    Returns
    -------
    running, free
        Jobs that run, and processors that are free.
    """
    waiting = desk.waiting
    backfilling = ranking.backfilling
    # Only a job that fits can start. A pass in which no job can start matters only if it writes down latest starts.
    fitting = count_fitting(waiting.rows, count, jobs.width, free)
    if fitting == 0 and backfilling.slack == 0:
        return running, free
    for i in range(count):
        waiting.queue[i] = waiting.rows[i]
    rank(ranking.order, situation, jobs, t, ranking, desk, count)
    left = count
    while left > 0 and jobs.width[waiting.queue[0]] <= free:
        j = take_first(waiting, 0, left, True)
        left -= 1
        fitting -= 1
        free -= jobs.width[j]
        launch(jobs, now, running, j, t)
        note_usage(ranking.usage, j, t, jobs.width[j])
        running += 1
    if left == 0 or backfilling.reservations == 0:
        return running, free
    if backfilling.slack == 0 and count_fitting(waiting.queue, left, jobs.width, free) == 0:
        return running, free

    lay_out(now, running, free, t, desk.profile)
    running, free, left, aside = reserve_in_order(jobs, now, running, free, t, ranking, desk, left)
    limited = any_named(jobs, backfilling, waiting.rows, count, now.start)
    left = candidates_of(jobs, backfilling, desk, left, aside, free, t, limited)
    if left == 0:
        return running, free
    if backfilling.same:
        for i in range(left // 2 - 1, -1, -1):
            sink(waiting.queue, waiting.keys, i, left)
    else:
        rank(ranking.candidates, situation, jobs, t, ranking, desk, left)
    when = desk.profile.when
    room = desk.profile.room
    span = desk.profile.span
    while left > 0:
        j = take_first(waiting, 0, left, True)
        left -= 1
        if can_start(jobs, desk.profile, j, t):
            add_at(when, room, span, span[FIRST], t, t + jobs.estimate[j], -jobs.width[j])
            free -= jobs.width[j]
            launch(jobs, now, running, j, t)
            note_usage(ranking.usage, j, t, jobs.width[j])
            running += 1
    return running, free


@njit(cache=True, nogil=True, _nrt=False)
def rank(program: Program, situation: Int, jobs: Jobs, t: Int, ranking: Ranking, desk: Desk, count: Int) -> None:
    """Make a heap of the first `count` rows of the queue by their keys in second t.

    Parameters
    ----------
    program, situation
        `Program` and the scheduling situation, 0..2.
    jobs, t
        `Jobs` and the second.
    ranking
        `Ranking`, for usage and shares.
    desk
        `Desk`, of whose `waiting` the queue and the keys are modified in place.
    count
        How many jobs are in the queue.
    """
    queue = desk.waiting.queue
    keys = desk.waiting.keys
    for begin in range(0, count, BLOCK):
        end = min(begin + BLOCK, count)
        if ranking.usage.account.size > 0:
            for i in range(begin, end):
                desk.usages[i - begin] = usage_of(ranking.usage, queue[i], t)
        rows = queue[begin:end]
        evaluate_block(program, situation, jobs, rows, t, desk.usages, ranking.shares, desk.stacks, keys[begin:end])
    for i in range(count // 2 - 1, -1, -1):
        sink(queue, keys, i, count)


@njit(cache=True, nogil=True, _nrt=False)
def can_start(jobs: Jobs, profile: Profile, j: Int, t: Int) -> bool:
    """Return whether job j can run from second t on, with which the profile begins, for the whole of its estimate.

    `jobs` and `profile` are only read.
    """
    begin, _ = earliest_at(
        profile.when,
        profile.room,
        profile.span,
        profile.span[FIRST],
        t,
        t + 1,
        FAR,
        jobs.width[j],
        jobs.estimate[j],
    )
    return begin == t


@njit(cache=True, nogil=True, _nrt=False)
def reserve_in_order(
    jobs: Jobs, now: Running, running: Int, free: Int, t: Int, ranking: Ranking, desk: Desk, left: Int
) -> tuple[Int, Int, Int, Int]:
    """Give reservations to waiting jobs in their order; a job starts if its place is second t.

    Parameters
    ----------
    jobs, now, running, free, t, ranking, desk
        As for `ordered_pass`; `now` and `desk` are modified in place.
    left
        How many jobs are in the queue.

    Returns
    -------
    running, free
        Jobs that run, and processors that are free.
    left, aside
        How many jobs are left in the queue; and how many were passed over and are in `desk.aside`.
    """
    when = desk.profile.when
    room = desk.profile.room
    span = desk.profile.span
    waiting = desk.waiting
    backfilling = ranking.backfilling
    aside: Int = 0
    holders: Int = 0
    # When no job that is left fits, only slack makes places matter. Jobs are counted again when one has started.
    fitting = count_fitting(waiting.queue, left, jobs.width, free)
    while left > 0 and holders < backfilling.reservations and (fitting > 0 or backfilling.slack > 0):
        key = waiting.keys[0]
        j = take_first(waiting, 0, left, True)
        left -= 1
        width = jobs.width[j]
        estimate = jobs.estimate[j]
        if not backfilling.entitled[jobs.group[j]]:
            desk.aside[aside] = j
            desk.aside_keys[aside] = key
            aside += 1
            continue
        if width <= free:
            fitting -= 1
        begin: Int = earliest(when, room, span, t, FAR, FAR, width, estimate)
        if backfilling.slack > 0 and begin > t:
            if desk.latest[j] > t:
                begin = earliest(when, room, span, desk.latest[j], FAR, FAR, width, estimate)
            elif desk.latest[j] == NONE_YET:
                desk.latest[j] = begin + backfilling.slack
        add(when, room, span, begin, begin + estimate, -width)
        if begin > t:
            holders += 1
            continue
        launch(jobs, now, running, j, t)
        note_usage(ranking.usage, j, t, width)
        running += 1
        free -= width
        fitting = count_fitting(waiting.queue, left, jobs.width, free)
        fitting += count_fitting(desk.aside, aside, jobs.width, free)
    return running, free, left, aside


@njit(cache=True, nogil=True, _nrt=False)
def any_named(jobs: Jobs, backfilling: Backfilling, rows: Ints, count: Int, start: Ints) -> bool:
    """Return whether a job of the named groups waits.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    rows, count
        (n,) int64, of which the first `count` waited when the pass began.
    start
        (n,) int64, s, -1 for jobs that still wait.
    """
    if not backfilling.named.any():
        return False
    for i in range(count):
        j = rows[i]
        if start[j] < 0 and backfilling.named[jobs.group[j]]:
            return True
    return False


@njit(cache=True, nogil=True, _nrt=False)
def candidates_of(
    jobs: Jobs, backfilling: Backfilling, desk: Desk, left: Int, aside: Int, free: Int, t: Int, limited: bool
) -> Int:
    """Put the jobs that may be backfilled in the front of the queue, in no order; return how many they are.

    They hold no reservation, could start beside the reservations if no other job did, and are short enough.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    desk
        Modified in place.
    left, aside
        How many jobs are in the queue, and in `desk.aside`.
    free, t
        Processors that are free in second t.
    limited
        Whether a job of the named groups waits.
    """
    waiting = desk.waiting
    count: Int = 0
    for i in range(left + aside):
        j = waiting.queue[i] if i < left else desk.aside[i - left]
        key = waiting.keys[i] if i < left else desk.aside_keys[i - left]
        if jobs.width[j] > free or (limited and jobs.estimate[j] > backfilling.longest[jobs.group[j]]):
            continue
        if can_start(jobs, desk.profile, j, t):
            waiting.queue[count] = j
            waiting.keys[count] = key
            count += 1
    return count

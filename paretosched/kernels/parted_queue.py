"""Any order whose keys change as jobs wait or accounts are used, with any backfilling: only first jobs are compared.

The waiting jobs are in parts. Jobs of a part differ in nothing that their keys depend on but in their submission, and
of two of them the key of the one that waits longer is never smaller: so each part is a queue by submission, and only
the first job of a part can come first. If keys depend on the usage of the account and on the wait, there is one part
for each account. A pass has the three steps of `priority`.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints, Order
from ..core.situations import Calendar
from .account_keys import Keys, of_account
from .compiling import njit
from .events import era_at, next_event
from .fair_share import Tree
from .formulas import BLOCK, MOST_DEEP, evaluate
from .inputs import Backfilling, Jobs, Sorted
from .profile import add, earliest
from .ranked_jobs import (
    Candidates,
    Stairs,
    climb,
    could_start,
    drop_candidate,
    enter_candidate,
    fits,
    kind_of,
    level_stairs,
    may_start,
    narrow,
    narrowest,
    next_candidate,
    no_candidates,
    reserve_alone,
)
from .running import Profile, Running, end_next, launch, lay_out, next_end, no_profile, running_jobs
from .usage import Usage, no_usage, note_usage
from .waiting_heap import evaluate_all, make_heap, sink
from .waiting_orders import BITS
from .waiting_tree import FAR

RUNNING, FREE, WAITING, NAMED, OPEN, ROUND, FRESH = range(7)  # of `Hall.state`
NONE = -1  # no job
NONE_YET = -1  # no latest start


class Parts(NamedTuple):
    """The waiting jobs, of which each part is a list in the order of rows.

    Attributes
    ----------
    of
        (n,) int32, the part of each job, 0..P - 1.
    first, last
        (P,) int32, the first and the last row of each part, NONE if it is empty.
    before, after
        (n,) int32, the rows beside each waiting job in its part, or NONE.
    opened, place
        (P,) int32: the parts that have jobs, in no order; and where each of them is there.
    """

    of: Order
    first: Order
    last: Order
    before: Order
    after: Order
    opened: Order
    place: Order


class Chains(NamedTuple):
    """Jobs that could start beside all reservations: lists of those of one part, in the order of rows.

    Attributes
    ----------
    after
        (n,) int32, the next row of the list, or NONE.
    last, round
        (P,) int32, the last row of the newest list of each part; and (P,) int64, in which round it was formed.
    """

    after: Order
    last: Order
    round: Ints


class Hall(NamedTuple):
    """The waiting jobs, and work space of a pass.

    Attributes
    ----------
    parts, chains, candidates
        `Parts`, `Chains`, and `Candidates` in one order, that of rows.
    queue, keys
        (n,) int64 rows and (n,) float64: a heap of the first jobs of parts, or of jobs that can be backfilled.
    latest
        (n,) int64, s, the latest start of each job, NONE_YET before its first place; (1,) if there is no slack.
    stairs, profile
        The processors that are free beside all running jobs and reservations; the profile only with two reservations or
        more, or slack.
    usages, stacks
        (n,) and (MOST_DEEP, BLOCK) float64, see `evaluate_all`.
    state
        (7,) int64: RUNNING jobs, FREE processors, WAITING jobs, those of the NAMED groups, parts that are OPEN, how
        many times a ROUND of chains was formed, and, with slack, waiting jobs that may get a first place (FRESH).
    """

    parts: Parts
    chains: Chains
    candidates: Candidates
    queue: Ints
    keys: Floats
    latest: Ints
    stairs: Stairs
    profile: Profile
    usages: Floats
    stacks: Floats
    state: Ints


class Ranking(NamedTuple):
    """What orders the waiting jobs.

    Attributes
    ----------
    order, candidates
        `Keys` of the queue, and of the jobs that are backfilled; values of accounts are modified in place.
    usage
        `Usage`.
    shares
        (n,) float64, the share of each job's account.
    """

    order: Keys
    candidates: Keys
    usage: Usage
    shares: Floats


def in_order_of_parts(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    order: Keys,
    candidates: Keys,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
    parts: Order,
    start: Ints,
) -> None:
    """Fill `start` with the start times of an order with a backfilling.

    Parameters
    ----------
    jobs, capacity, calendar
        `Jobs`, processors, and `Calendar`.
    order, candidates
        `Keys` of the queue and of the jobs that are backfilled; the largest key comes first, then the lowest row.
    backfilling
        `Backfilling`.
    accounts
        (n,) int64, the account, from 0 on, to which the processor seconds of each job are counted; (0,) if no key
        depends on usage.
    shares
        (n,) float64, the share of each job's account.
    half_life
        s, in which usage decays to half.
    tree
        `Tree`, modified in place, in which accounts are associations and usage in keys is the fair-share factor;
        without associations it is the usage.
    parts
        (n,) int32, the part of each job, from 0 on. Of two jobs of a part, `order` never gives the one of the higher
        row the larger key; and all jobs of a part are entitled to reservations, or none.
    start
        (n,) int64, s, filled in place.
    """
    n = jobs.submit.size
    count = int(parts.max()) + 1
    rows = np.arange(n, dtype=np.int32)
    most = min(n, capacity) + 2
    hall = Hall(
        Parts(
            parts,
            np.full(count, NONE, np.int32),
            np.full(count, NONE, np.int32),
            np.empty(n, np.int32),
            np.empty(n, np.int32),
            np.empty(count, np.int32),
            np.empty(count, np.int32),
        ),
        Chains(np.empty(n, np.int32), np.empty(count, np.int32), np.zeros(count, np.int64)),
        no_candidates(jobs, backfilling, Sorted(rows.reshape(1, n), rows.reshape(1, n))),
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        np.full(n if backfilling.slack > 0 else 1, NONE_YET, np.int64),
        Stairs(np.empty(most, np.int64), np.empty(most, np.int64), np.empty(2, np.int64)),
        no_profile(2 * n + 16 if backfilling.reservations > 1 or backfilling.slack > 0 else 1),
        np.zeros(n, np.float64),
        np.empty((MOST_DEEP, BLOCK), np.float64),
        np.zeros(7, np.int64),
    )
    hall.state[FREE] = capacity
    ranking = Ranking(order, candidates, no_usage(accounts, half_life, tree), shares)
    now = running_jobs(start, capacity, backfilling.reservations > 0)
    _in_order_of_parts(jobs, calendar, backfilling, ranking, now, hall)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def has_profile(hall: Hall) -> bool:
    """Return whether `hall` has a profile; otherwise there is one reservation at most, without slack."""
    return bool(hall.profile.when.size > 1)


@njit(cache=True, nogil=True, _nrt=False)
def _in_order_of_parts(
    jobs: Jobs, calendar: Calendar, backfilling: Backfilling, ranking: Ranking, now: Running, hall: Hall
) -> None:
    """Do the work of `in_order_of_parts` without allocating memory.

    Parameters
    ----------
    jobs, calendar, backfilling
        As for `in_order_of_parts`.
    ranking, now, hall
        Modified in place; the start times of `now` are filled.
    """
    state = hall.state
    n = jobs.submit.size
    arrived: Int = 0
    era: Int = 0
    while arrived < n or state[WAITING] > 0:
        t = next_event(jobs, arrived, now, state[RUNNING])
        while state[RUNNING] > 0 and next_end(now) == t:
            j = end_next(jobs, now, state[RUNNING])
            state[RUNNING] -= 1
            state[FREE] += jobs.width[j]
            note_usage(ranking.usage, j, t, -jobs.width[j])
        first = arrived
        wanted: Int = 0
        while arrived < n and jobs.submit[arrived] == t:
            wanted += jobs.width[arrived]
            arrived += 1
        if state[WAITING] == 0 and wanted <= state[FREE]:
            for j in range(first, arrived):
                launch(jobs, now, state[RUNNING], j, t)
                note_usage(ranking.usage, j, t, jobs.width[j])
                state[RUNNING] += 1
            state[FREE] -= wanted
            continue
        for j in range(first, arrived):
            now.start[j] = NONE
            enter(jobs, backfilling, hall, j)
        if state[FRESH] > 0 or narrowest(hall.candidates) <= state[FREE]:
            era = era_at(calendar, era, t)
            start_jobs(jobs, backfilling, ranking, now, hall, calendar.kind[era], t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def enter(jobs: Jobs, backfilling: Backfilling, hall: Hall, j: Int) -> None:
    """Add job j of `jobs` to the waiting jobs as the last one of its part; `hall` is modified in place.

    `backfilling` has the groups whose jobs are counted.
    """
    parts = hall.parts
    part = parts.of[j]
    last = parts.last[part]
    parts.before[j] = last
    parts.after[j] = NONE
    parts.last[part] = j
    if last >= 0:
        parts.after[last] = j
    else:
        parts.first[part] = j
        parts.place[part] = hall.state[OPEN]
        parts.opened[hall.state[OPEN]] = part
        hall.state[OPEN] += 1
    hall.state[WAITING] += 1
    hall.state[NAMED] += backfilling.named[jobs.group[j]]
    hall.state[FRESH] += backfilling.slack > 0 and backfilling.entitled[jobs.group[j]]
    enter_candidate(hall.candidates, jobs, j)


@njit(cache=True, nogil=True, _nrt=False)
def begin(jobs: Jobs, backfilling: Backfilling, ranking: Ranking, now: Running, hall: Hall, j: Int, t: Int) -> None:
    """Start a waiting job.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    ranking, now, hall
        Modified in place.
    j, t
        Row and second.
    """
    parts = hall.parts
    state = hall.state
    before = parts.before[j]
    after = parts.after[j]
    part = parts.of[j]
    if before >= 0:
        parts.after[before] = after
    else:
        parts.first[part] = after
    if after >= 0:
        parts.before[after] = before
    else:
        parts.last[part] = before
    if parts.first[part] < 0:
        state[OPEN] -= 1
        other = parts.opened[state[OPEN]]
        parts.opened[parts.place[part]] = other
        parts.place[other] = parts.place[part]
    drop_candidate(hall.candidates, jobs, j)
    launch(jobs, now, state[RUNNING], j, t)
    note_usage(ranking.usage, j, t, jobs.width[j])
    state[RUNNING] += 1
    state[FREE] -= jobs.width[j]
    state[WAITING] -= 1
    state[NAMED] -= backfilling.named[jobs.group[j]]
    if backfilling.slack > 0 and hall.latest[j] == NONE_YET:
        state[FRESH] -= np.int64(backfilling.entitled[jobs.group[j]])


@njit(cache=True, nogil=True, _nrt=False)
def rank(keyed: Keys, situation: Int, jobs: Jobs, t: Int, ranking: Ranking, hall: Hall, count: Int) -> None:
    """Make a heap of the first rows of the queue by their keys; of one row the key is not needed.

    Parameters
    ----------
    keyed, situation
        `Keys`, modified in place, and the scheduling situation, 0..2.
    jobs, t
        `Jobs` and the second.
    ranking
        `Ranking`, for usage and shares.
    hall
        `Hall`, of which the queue and the keys are modified in place.
    count
        How many rows are in the queue.
    """
    if count <= 1:
        return
    queue = hall.queue
    shares = ranking.shares
    usages = hall.usages
    if ranking.usage.account.size > 0:
        for i in range(count):
            usages[i] = of_account(keyed, situation, jobs, ranking.usage, shares, queue[i], t)
    evaluate_all(keyed.program, situation, jobs, t, usages, shares, hall.stacks, queue, hall.keys, count)
    make_heap(queue, hall.keys, count)


@njit(cache=True, nogil=True, _nrt=False)
def replace_first(
    keyed: Keys, situation: Int, jobs: Jobs, t: Int, ranking: Ranking, hall: Hall, j: Int, count: Int
) -> Int:
    """Replace the first job of the heap by another one, or remove it.

    Parameters
    ----------
    keyed, situation
        `Keys`, modified in place, and the scheduling situation, 0..2.
    jobs, t
        `Jobs` and the second.
    ranking
        `Ranking`, for usage and shares.
    hall
        Modified in place.
    j
        The row of the other job, or NONE.
    count
        How many jobs are in the heap, 1 or more.

    Returns
    -------
    int
        How many jobs are in the heap.
    """
    queue = hall.queue
    keys = hall.keys
    if j >= 0:
        queue[0] = j
        if count == 1:
            return count
        common = of_account(keyed, situation, jobs, ranking.usage, ranking.shares, j, t)
        keys[0] = evaluate(keyed.program, situation, jobs, j, t, common, ranking.shares[j])
    else:
        count -= 1
        queue[0] = queue[count]
        keys[0] = keys[count]
    sink(queue, keys, 0, count)
    return count


@njit(cache=True, nogil=True, _nrt=False)
def start_jobs(
    jobs: Jobs, backfilling: Backfilling, ranking: Ranking, now: Running, hall: Hall, situation: Int, t: Int
) -> None:
    """Start the jobs that an order and its backfilling start in second t: first those that come first while they fit.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    ranking, now, hall
        Modified in place.
    situation, t
        The scheduling situation, 0..2, and the second.
    """
    state = hall.state
    parts = hall.parts
    count: Int = state[OPEN]
    for i in range(count):
        hall.queue[i] = parts.first[parts.opened[i]]
    rank(ranking.order, situation, jobs, t, ranking, hall, count)
    while count > 0 and jobs.width[hall.queue[0]] <= state[FREE]:
        j: Int = hall.queue[0]
        count = replace_first(ranking.order, situation, jobs, t, ranking, hall, np.int64(hall.parts.after[j]), count)
        begin(jobs, backfilling, ranking, now, hall, j, t)
    if count == 0 or backfilling.reservations == 0:
        return
    if state[FRESH] > 0 or narrowest(hall.candidates) <= state[FREE]:
        reserve_places(jobs, backfilling, ranking, now, hall, situation, t, count)


@njit(cache=True, nogil=True, _nrt=False)
def reserve_places(
    jobs: Jobs, backfilling: Backfilling, ranking: Ranking, now: Running, hall: Hall, situation: Int, t: Int, count: Int
) -> None:
    """Give reservations to waiting jobs in their order, then backfill; a job starts if its place is second t.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    ranking, now, hall
        Modified in place.
    situation, t
        The scheduling situation, 0..2, and the second.
    count
        How many first jobs of parts are in the heap.
    """
    state = hall.state
    stairs = hall.stairs
    profile = hall.profile
    slack = backfilling.slack
    several = has_profile(hall)
    level_stairs(stairs, state[FREE])
    if several:
        lay_out(now, state[RUNNING], state[FREE], t, profile)
    if not backfilling.entitled.all():  # all jobs of a part are entitled, or none
        left: Int = np.int64(0)
        for i in range(count):
            if backfilling.entitled[jobs.group[hall.queue[i]]]:
                hall.queue[left] = hall.queue[i]
                hall.keys[left] = hall.keys[i]
                left += 1
        count = left
        make_heap(hall.queue, hall.keys, count)
    held: Int = 0
    while held < backfilling.reservations and count > 0:
        if several and state[FRESH] == 0 and not could_start(hall.candidates, jobs, np.int64(0), stairs, t):
            return
        j: Int = hall.queue[0]
        count = replace_first(ranking.order, situation, jobs, t, ranking, hall, np.int64(hall.parts.after[j]), count)
        if fits(jobs, stairs, j, t):
            begin(jobs, backfilling, ranking, now, hall, j, t)
            narrow(jobs, hall.candidates, stairs, profile, several, j, t)
            continue
        width = jobs.width[j]
        if several:
            when = profile.when
            after: Int = max(t, hall.latest[j]) if slack > 0 else t  # it cannot start now
            place: Int = earliest(when, profile.room, profile.span, after, FAR, FAR, width, jobs.estimate[j])
            if slack > 0 and hall.latest[j] == NONE_YET:
                hall.latest[j] = place + slack
                state[FRESH] -= 1
            add(when, profile.room, profile.span, place, place + jobs.estimate[j], -width)
            climb(profile, narrowest(hall.candidates), stairs)
        else:
            reserve_alone(now, state[RUNNING], state[FREE], width, stairs)
        held += 1
    backfill(jobs, backfilling, ranking, now, hall, situation, t)


@njit(cache=True, nogil=True, _nrt=False)
def chain_up(jobs: Jobs, backfilling: Backfilling, hall: Hall, k: Int, t: Int, count: Int) -> Int:
    """Add the jobs of a kind that could start beside all reservations to the queue, one for each chain.

    A chain has those of a part, if jobs are tried in the order of the queue; otherwise one job.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    hall
        Modified in place.
    k, t
        The kind, and the second.
    count
        How many jobs are in the queue.

    Returns
    -------
    int
        How many jobs are in the queue.
    """
    candidates = hall.candidates
    chains = hall.chains
    hall.state[ROUND] += 1
    current = hall.state[ROUND]
    slot = next_candidate(candidates, jobs, np.int64(0), k, candidates.bench[k] << BITS, hall.stairs, t)
    while slot >= 0:
        j = np.int64(candidates.row[0, slot])
        part = hall.parts.of[j]
        if backfilling.same and chains.round[part] == current:
            chains.after[chains.last[part]] = j
        else:
            hall.queue[count] = j
            count += 1
        chains.after[j] = NONE
        chains.last[part] = j
        chains.round[part] = current
        slot = next_candidate(candidates, jobs, np.int64(0), k, slot + 1, hall.stairs, t)
    return count


@njit(cache=True, nogil=True, _nrt=False)
def backfill(
    jobs: Jobs, backfilling: Backfilling, ranking: Ranking, now: Running, hall: Hall, situation: Int, t: Int
) -> None:
    """Start jobs beside all reservations, in the order of candidates.

    Parameters
    ----------
    jobs, backfilling
        `Jobs` and `Backfilling`.
    ranking, now, hall
        Modified in place.
    situation, t
        The scheduling situation, 0..2, and the second.
    """
    candidates = hall.candidates
    stairs = hall.stairs
    chains = hall.chains
    count: Int = np.int64(0)
    for half in range(1 if hall.state[NAMED] > 0 else 2):  # the second half has the jobs with too long estimates
        bits = candidates.present[half]
        while bits > 0:
            k = kind_of(candidates, half, bits)
            bits &= bits - 1
            if may_start(candidates, 0, k, stairs, t):
                count = chain_up(jobs, backfilling, hall, k, t, count)
    rank(ranking.candidates, situation, jobs, t, ranking, hall, count)
    while count > 0:
        j = hall.queue[0]
        if fits(jobs, stairs, j, t):
            begin(jobs, backfilling, ranking, now, hall, j, t)
            narrow(jobs, candidates, stairs, hall.profile, has_profile(hall), j, t)
        j = np.int64(chains.after[j])
        while j >= 0 and not fits(jobs, stairs, j, t):
            j = np.int64(chains.after[j])
        count = replace_first(ranking.candidates, situation, jobs, t, ranking, hall, j, count)

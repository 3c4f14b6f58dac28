"""Jobs that come when others have ended: of users who react, and those that depend on others.

See `paretosched.workload.reacting_users` and `paretosched.workload.dependencies`.

The rows of the engine are the jobs in the order of their arrival, which is not known beforehand here. So the row behind
those that have arrived always has the job that comes next, as far as that is known, and the second in which it comes.
A job that is to come sooner than that one exchanges its row with it. What is known of each job is in two tables, of
which the arguments of the engine are views.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .inputs import ENDS, ENDS_WELL, STARTS, Jobs, Reactions, ints, no_submissions
from .places import Machine, exchange_rows
from .predicted import Predictor
from .priority import Ranking
from .running import pop, push, take_out
from .slurm_pace import Pace
from .waiting_tree import FAR

COMING, ROW_BITS, SEEN, LOST = range(4)  # of the state of `Users`


class Users(NamedTuple):
    """What jobs wait for in one simulation of n jobs in B batches; without jobs if they come as they were recorded.

    Attributes
    ----------
    reactions
        `Reactions`.
    of_place
        (n,) int64, the inverse of `reactions.place`.
    begin, members
        (B + 1,) and (n,) int64: the jobs of batch b are members[begin[b] : begin[b + 1]].
    first, pairs
        (B + 1,) and (P,) int64, likewise the pairs of which each batch is the leader.
    left, missing
        (B,) int64, how many jobs of each batch have not ended, and for how many of its leaders it still waits.
    ready
        (B,) int64, s, when each batch begins at the earliest, for all that is known.
    heap
        (n + P + 1,) int64, arrival << row_bits | place of the jobs of which it is known when they will arrive; one that
        waits for any of several others may be there more than once.
    job, row
        (n,) int64, the job in each row, and the row of each job.
    arrival
        (n,) int64, s, when the job in each row arrives.
    whole, broken
        (k, n) int64 and (l, n) float64, what is known of the job in each row.
    rooms
        (P,) int64, how many more jobs each pool of submitted ones takes.
    refused, lost
        (B,) int64, by which pool the job of each batch was refused, see `submissions`; and the batches of jobs that
        were cancelled since they would have waited for ever.
    state
        (4,) int64: how many jobs the heap has, `row_bits`, how many submissions were looked at, and are lost.
    """

    reactions: Reactions
    of_place: Ints
    begin: Ints
    members: Ints
    first: Ints
    pairs: Ints
    left: Ints
    missing: Ints
    ready: Ints
    heap: Ints
    job: Ints
    row: Ints
    arrival: Ints
    whole: Ints
    broken: Floats
    rooms: Ints
    refused: Ints
    lost: Ints
    state: Ints


def users_of(reactions: Reactions | None) -> Users:
    """Return the users before the first event, who react by `reactions`, if they do: else it is None."""
    none, r = ints(0), reactions
    if r is None:
        r = Reactions(none, none, none, none, none, none, none, none, none, no_submissions())
    n, count = r.batch.size, r.earliest.size
    members, pairs = (np.argsort(column, kind="stable") for column in (r.batch, r.leader))
    return Users(
        r,
        np.argsort(r.place),
        np.searchsorted(r.batch[members], np.arange(count + 1)),
        members,
        np.searchsorted(r.leader[pairs], np.arange(count + 1)),
        pairs,
        np.bincount(r.batch, minlength=count),
        r.needs.copy(),
        r.earliest.copy(),
        ints(n + r.leader.size + 1),
        np.arange(n),
        np.arange(n),
        np.full(n, FAR),
        ints(0, n),
        np.zeros((0, n)),
        r.submissions.rooms.copy(),
        ints(count),
        ints(count),
        np.array([0, n.bit_length(), 0, 0]),
    )


def tabulate(arrays: Sequence[NDArray[Any]], n: int) -> tuple[NDArray[Any], list[NDArray[Any]]]:
    """Return a table of what some arrays know of each of n jobs, and these arrays as views of it.

    Parameters
    ----------
    arrays
        (n,) or (k, n) each, of one type; arrays of other shapes are not in the table, and stay as they are.

    Examples
    --------
    >>> table, (first, other) = tabulate([np.array([1, 2]), np.array([5, 6, 7])], 2)
    >>> table[0, 0] = 8
    >>> first.tolist(), other.tolist()
    ([8, 2], [5, 6, 7])
    """
    known = [array.shape[-1] == n for array in arrays]
    table = np.vstack([array for array, there in zip(arrays, known, strict=True) if there])
    views, end = [], 0
    for array, there in zip(arrays, known, strict=True):
        begin, end = end, end + there * (1 if array.ndim == 1 else array.shape[0])
        view = array if begin == end else table[begin] if array.ndim == 1 else table[begin:end]
        view.flags.writeable = array.flags.writeable  # for another type the loop would be compiled again
        views.append(view)
    return table, views


def in_tables(
    users: Users, copies: Sequence[Jobs], ranking: Ranking, predictor: Predictor, pace: Pace
) -> tuple[Users, list[Jobs], Ranking, Predictor, Pace]:
    """Return the arguments with views of tables of their own, which `users` has, for all that is known of each job.

    Parameters
    ----------
    users, ranking, predictor, pace
        `Users`, `Ranking`, `Predictor` and `Pace`.
    copies
        `Jobs`, one or several.
    """
    n, usage, history = users.job.size, ranking.usage, predictor.histories
    several = [column for jobs in copies for column in jobs]
    others = usage.account, predictor.requests, history.user, history.place, pace.user, pace.fixed, pace.turn
    whole, views = tabulate([*several, *others], n)
    account, requests, user, place, of_pace, fixed, turn = views[len(several) :]
    broken, (shares, order, candidates) = tabulate(
        [ranking.shares, ranking.order.columns, ranking.candidates.columns], n
    )
    size = len(Jobs._fields)
    return (
        users._replace(whole=whole, broken=broken),
        [Jobs(*views[i : i + size]) for i in range(0, len(several), size)],
        ranking._replace(
            order=ranking.order._replace(columns=order),
            candidates=ranking.candidates._replace(columns=candidates),
            usage=usage._replace(account=account),
            shares=shares,
        ),
        predictor._replace(requests=requests, histories=history._replace(user=user, place=place)),
        pace._replace(user=of_pace, fixed=fixed, turn=turn),
    )


@njit(cache=True, nogil=True, _nrt=False)
def expect_all(jobs: Jobs, users: Users, machine: Machine) -> None:
    """Expect the batches that wait for no other one, before the first event.

    `jobs`, `users` and what `machine` knows of each job are modified in place.
    """
    for b in range(users.missing.size):
        if users.missing[b] == 0:
            expect(users, b, users.ready[b])
    call_next(jobs, users, machine, np.int64(0))


@njit(cache=True, nogil=True, _nrt=False)
def expect(users: Users, b: Int, t: Int) -> None:
    """Expect the jobs of batch b, which begins in second t; `users` are modified in place."""
    reactions, state = users.reactions, users.state
    for i in range(users.begin[b], users.begin[b + 1]):
        j = users.members[i]
        push(users.heap, state[COMING], ((t + reactions.offset[j]) << state[ROW_BITS]) | reactions.place[j])
        state[COMING] += 1


@njit(cache=True, nogil=True, _nrt=False)
def see_end(users: Users, row: Int, t: Int, well: bool) -> None:
    """Let `users`, in place, see that the job in a `row` ends in second t: another batch may be expected now.

    `well` is whether it has run; else something has ended it.
    """
    batch = users.reactions.batch[users.job[row]]
    users.left[batch] -= 1
    if users.left[batch] == 0:
        let_follow(users, batch, t, np.int64(ENDS_WELL if well else ENDS), np.int64(0))


@njit(cache=True, nogil=True, _nrt=False)
def see_starts(users: Users, rows: Ints, count: Int, start: Ints, arrived: Int, t: Int) -> None:
    """Let `users`, in place, see which jobs started in second t: those that wait for a start may be expected now.

    Parameters
    ----------
    users, t
        `Users`, and the second.
    rows, count, start
        (n,) int64, the jobs that waited are the first `count`; and (n,) int64, s, when jobs started.
    arrived
        How many jobs have arrived.
    """
    for i in range(count):
        if start[rows[i]] == t:
            let_follow(users, users.reactions.batch[users.job[rows[i]]], t, np.int64(STARTS), arrived)


@njit(cache=True, nogil=True, _nrt=False)
def take_start_back(users: Users, row: Int, start: Int, arrived: Int) -> None:
    """Expect those no more that wait for the start of the job in a `row`, which has made way and will start again.

    Those of the first `arrived` rows are there already.

    Parameters
    ----------
    users
        `Users`, modified in place.
    row, start
        The job, and when it had started, s.
    arrived
        How many jobs have arrived.
    """
    reactions, state = users.reactions, users.state
    batch = reactions.batch[users.job[row]]
    for i in range(users.first[batch], users.first[batch + 1]):
        pair = users.pairs[i]
        b = reactions.follower[pair]
        if reactions.kind[pair] != STARTS or is_there(users, b, arrived):
            continue
        second = max(reactions.earliest[b], start + max(reactions.pause[pair], 1))
        if reactions.needs[b] > 1:
            users.missing[b] += 1
            second = users.ready[b]
        for k in range(users.begin[b], users.begin[b + 1]):
            j = users.members[k]
            key = ((second + reactions.offset[j]) << state[ROW_BITS]) | reactions.place[j]
            state[COMING] = take_out(users.heap, state[COMING], key)


@njit(cache=True, nogil=True, _nrt=False)
def is_there(users: Users, b: Int, arrived: Int) -> bool:
    """Return whether batch b of `users`, which is only read, is in the first `arrived` rows."""
    return bool(users.row[users.members[users.begin[b]]] < arrived)


@njit(cache=True, nogil=True, _nrt=False)
def let_follow(users: Users, batch: Int, t: Int, event: Int, arrived: Int) -> None:
    """Let those that wait for a `batch` know that it has started, ended, or ended well in second t.

    `event` is STARTS, ENDS or ENDS_WELL, and `users` are modified in place. Those that wait for a start come in a later
    second; those in the first `arrived` rows are there, from an earlier start.
    """
    reactions = users.reactions
    for i in range(users.first[batch], users.first[batch + 1]):
        pair = users.pairs[i]
        b = reactions.follower[pair]
        kind = reactions.kind[pair]
        if (kind == STARTS) != (event == STARTS) or (event == ENDS and kind != ENDS) or is_there(users, b, arrived):
            continue
        second = t + max(reactions.pause[pair], np.int64(event == STARTS))
        if reactions.needs[b] == 1:
            expect(users, b, max(reactions.earliest[b], second))
            continue
        users.ready[b] = max(users.ready[b], second)
        users.missing[b] -= 1
        if users.missing[b] == 0:
            expect(users, b, users.ready[b])


@njit(cache=True, nogil=True, _nrt=False)
def call_next(jobs: Jobs, users: Users, machine: Machine, row: Int) -> None:
    """Put the job that comes next into a `row`, that behind the jobs that have arrived.

    Parameters
    ----------
    jobs
        `Jobs`, modified in place: the job in this row is submitted when it comes; FAR if it is not known when.
    users, machine
        `Users`, and what the machine knows of each job, modified in place.
    row
        The row; nothing is done if there is none.
    """
    if row == users.job.size:
        return
    t: Int = FAR
    bits = users.state[ROW_BITS]
    while users.state[COMING] > 0 and users.row[users.of_place[users.heap[0] & ((1 << bits) - 1)]] < row:
        pop(users.heap, users.state[COMING])  # it has arrived after another one
        users.state[COMING] -= 1
    if users.state[COMING] > 0:
        t = users.heap[0] >> bits
        other = users.row[users.of_place[users.heap[0] & ((1 << bits) - 1)]]
        if other != row:
            for i in range(users.whole.shape[0]):
                users.whole[i, row], users.whole[i, other] = users.whole[i, other], users.whole[i, row]
            for i in range(users.broken.shape[0]):
                users.broken[i, row], users.broken[i, other] = users.broken[i, other], users.broken[i, row]
            exchange_rows(machine, row, other)
            users.job[row], users.job[other] = users.job[other], users.job[row]
            users.row[users.job[row]] = row
            users.row[users.job[other]] = other
    jobs.submit[row] = t
    users.arrival[row] = t


@njit(cache=True, nogil=True, _nrt=False)
def let_in(jobs: Jobs, users: Users, machine: Machine, row: Int) -> None:
    """Take the job that has arrived, in the row before this `row`, out of those that are expected, and call the next.

    `jobs`, `users` and `machine` are as for `call_next`, modified in place.
    """
    pop(users.heap, users.state[COMING])
    users.state[COMING] -= 1
    call_next(jobs, users, machine, row)

"""Users who react: a batch of jobs comes when the batch before it has ended, see `paretosched.workload.reacting_users`.

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
from .inputs import Jobs, Reactions, ints
from .places import Machine, exchange_rows
from .predicted import Predictor
from .priority import Ranking
from .running import pop, push
from .slurm_passes import Pace
from .waiting_tree import FAR

COMING, ROW_BITS = range(2)  # of the state of `Users`


class Users(NamedTuple):
    """Users in one simulation of n jobs in B batches; without jobs if they do not react.

    Attributes
    ----------
    reactions
        `Reactions`.
    of_place
        (n,) int64, the inverse of `reactions.place`.
    begin, members
        (B + 1,) and (n,) int64: the jobs of batch b are members[begin[b] : begin[b + 1]].
    first, followers
        (B + 1,) and (B,) int64, likewise the batches that wait for the end of each batch.
    left
        (B,) int64, how many jobs of each batch have not ended.
    heap
        (n + 1,) int64, arrival << row_bits | place of the jobs of which it is known when they will arrive.
    job, row
        (n,) int64, the job in each row, and the row of each job.
    arrival
        (n,) int64, s, when the job in each row arrives.
    whole, broken
        (k, n) int64 and (l, n) float64, what is known of the job in each row.
    state
        (2,) int64: how many jobs the heap has, and `row_bits`.
    """

    reactions: Reactions
    of_place: Ints
    begin: Ints
    members: Ints
    first: Ints
    followers: Ints
    left: Ints
    heap: Ints
    job: Ints
    row: Ints
    arrival: Ints
    whole: Ints
    broken: Floats
    state: Ints


def users_of(reactions: Reactions | None) -> Users:
    """Return the users before the first event, who react by `reactions`, if they do: else it is None."""
    r = Reactions(*(ints(0) for _ in Reactions._fields)) if reactions is None else reactions
    n, bounds = r.batch.size, np.arange(r.after.size + 1)
    members, followers = (np.argsort(column, kind="stable") for column in (r.batch, r.after))
    return Users(
        r,
        np.argsort(r.place),
        np.searchsorted(r.batch[members], bounds),
        members,
        np.searchsorted(r.after[followers], bounds),
        followers,
        np.bincount(r.batch, minlength=r.after.size),
        ints(n + 1),
        np.arange(n),
        np.arange(n),
        np.full(n, FAR),
        ints(0, n),
        np.zeros((0, n)),
        np.array([0, n.bit_length()]),
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
    others = usage.account, predictor.requests, history.user, history.place, pace.user, pace.fixed
    whole, views = tabulate([*several, *others], n)
    account, requests, user, place, of_pace, fixed = views[len(several) :]
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
        pace._replace(user=of_pace, fixed=fixed),
    )


@njit(cache=True, nogil=True, _nrt=False)
def expect_all(jobs: Jobs, users: Users, machine: Machine) -> None:
    """Expect the batches that wait for no other one, before the first event.

    `jobs`, `users` and what `machine` knows of each job are modified in place.
    """
    reactions = users.reactions
    for b in range(reactions.after.size):
        if reactions.after[b] < 0:
            expect(users, b, reactions.earliest[b])
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
def see_end(users: Users, row: Int, t: Int) -> None:
    """Let `users`, in place, see that the job in a `row` ends in second t: another batch may be expected now."""
    reactions = users.reactions
    batch = reactions.batch[users.job[row]]
    users.left[batch] -= 1
    if users.left[batch] == 0:
        for i in range(users.first[batch], users.first[batch + 1]):
            b = users.followers[i]
            expect(users, b, max(reactions.earliest[b], t + reactions.pause[b]))


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
    if users.state[COMING] > 0:
        bits = users.state[ROW_BITS]
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

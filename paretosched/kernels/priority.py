"""What orders the waiting jobs, what a pass remembers, and the queue of a pass, sorted by keys."""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .asking import NOBODY, ask
from .compiling import njit
from .fair_share import Tree
from .formulas import BLOCK, MOST_DEEP, Program
from .inputs import Backfilling, Jobs
from .running import Profile, no_profile
from .usage import Usage, no_usage, usage_of
from .waiting_heap import Waiting, evaluate_all, make_heap, no_jobs

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


def ranking_of(
    order: Program,
    candidates: Program,
    backfilling: Backfilling,
    accounts: Ints,
    shares: Floats,
    half_life: float,
    tree: Tree,
) -> Ranking:
    """Return what orders the jobs of one simulation, before the first event.

    Parameters
    ----------
    order, candidates, backfilling, shares
        As for `Ranking`.
    accounts
        (n,) int64, the account of each job; (0,) if no key depends on usage.
    half_life, tree
        As for `no_usage`.
    """
    return Ranking(order, candidates, backfilling, no_usage(accounts, half_life, tree), shares)


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
    reserved, begins
        (n,) int64: the jobs that have reservations in this pass, and when these begin, s.
    profile
        `Profile`: the running jobs and the reservations of this pass.
    usages, stacks
        (n,) and (MOST_DEEP, BLOCK) float64, see `evaluate_all`.
    asked
        The address of the function that is asked for the keys, see `asking`; NOBODY for none.
    """

    waiting: Waiting
    aside: Ints
    aside_keys: Floats
    latest: Ints
    reserved: Ints
    begins: Ints
    profile: Profile
    usages: Floats
    stacks: Floats
    asked: Int = NOBODY


def empty_desk(n: Int, backfilling: Backfilling) -> Desk:
    """Return work space for n waiting jobs; `backfilling` says by its slack whether latest starts are kept."""
    latest = np.full(n if backfilling.slack > 0 else 1, NONE_YET, np.int64)
    return Desk(
        no_jobs(n),
        np.empty(n, np.int64),
        np.empty(n, np.float64),
        latest,
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        no_profile(2 * n + 16),
        np.zeros(n, np.float64),
        np.empty((MOST_DEEP, BLOCK), np.float64),
    )


@njit(cache=True, nogil=True, _nrt=False)
def rank(program: Program, situation: Int, jobs: Jobs, t: Int, ranking: Ranking, desk: Desk, count: Int) -> Int:
    """Make a heap of the first `count` rows of the queue by their keys in second t; return how many are in it.

    Parameters
    ----------
    program, situation, jobs, t, ranking, desk, count
        As for `give_keys`.
    """
    count = give_keys(program, situation, jobs, t, ranking, desk, count)
    make_heap(desk.waiting.queue, desk.waiting.keys, count)
    return count


@njit(cache=True, nogil=True, _nrt=False)
def give_keys(program: Program, situation: Int, jobs: Jobs, t: Int, ranking: Ranking, desk: Desk, count: Int) -> Int:
    """Give the first `count` rows of the queue their keys in second t; return how many are in it then.

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
    if desk.asked != NOBODY:
        return ask(desk.asked, jobs, t, queue, desk.waiting.keys, count)
    if ranking.usage.account.size > 0:
        for i in range(count):
            desk.usages[i] = usage_of(ranking.usage, queue[i], t)
    usages = desk.usages
    keys = desk.waiting.keys
    evaluate_all(program, situation, jobs, t, usages, ranking.shares, desk.stacks, queue, keys, count)
    return count


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

"""Decayed usage: the processor seconds that accounts have used, of which half count after every half-life."""

import math
from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from .compiling import njit
from .fair_share import Tree, factor_at, note_in_tree, period_of


class Usage(NamedTuple):
    """The usage of A accounts; A is 0 if no usage is needed.

    Attributes
    ----------
    account
        (n,) int64, the account of each job, 0..A - 1; (0,) if no usage is needed.
    used
        (A,) float64, decayed processor seconds in second `since`.
    rate
        (A,) int64, processors that run jobs of the account since then.
    since
        (A,) int64, s, when a job of the account last started or ended.
    half_life
        s.
    tree
        `Tree`, in which accounts are associations; without associations if keys depend on usage itself.
    """

    account: Ints
    used: Floats
    rate: Ints
    since: Ints
    half_life: float
    tree: Tree


@njit(cache=True, nogil=True)
def no_usage(accounts: Ints, half_life: float, tree: Tree) -> Usage:
    """Return the usage of accounts of which no job has run.

    Parameters
    ----------
    accounts
        (n,) int64, the account of each job, from 0 on; (0,) if no usage is needed.
    half_life, tree
        As for `Usage`.
    """
    count = 0
    for account in accounts:
        count = max(count, account + 1)
    return Usage(
        accounts,
        np.zeros(count, np.float64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        half_life,
        tree,
    )


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def usage_at(usage: Usage, account: Int, t: Int) -> float:
    """Return the usage of an account in second t, processor seconds."""
    if t == usage.since[account]:
        return usage.used[account]  # which all of the below is then
    # Of a second x seconds ago, 2^(-x / half-life) counts: the sum over the time since the last change.
    left = math.exp2(-float(t - usage.since[account]) / usage.half_life)
    since_then = float(usage.rate[account]) * (usage.half_life / math.log(2.0)) * (1.0 - left)
    return usage.used[account] * left + since_then


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def moment_of(usage: Usage, t: Int) -> Int:
    """Return the number of the moment of second t: while it is the same, no `standing` changes."""
    if usage.tree.parent.size > 0:
        return period_of(usage.tree, t)
    return t


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def standing(usage: Usage, account: Int, t: Int) -> float:
    """Return what keys depend on in second t: the fair-share factor of an account, or its usage without a tree."""
    if usage.tree.parent.size > 0:
        return factor_at(usage.tree, usage.half_life, account, t)
    return usage_at(usage, account, t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def usage_of(usage: Usage, j: Int, t: Int) -> float:
    """Return the `standing` of the account of job j in second t; 0 if no usage is needed."""
    if usage.account.size == 0:
        return 0.0
    return standing(usage, usage.account[j], t)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def note_usage(usage: Usage, j: Int, t: Int, width: Int) -> None:
    """Note that in second t job j starts (its `width`, processors) or ends (its width below 0).

    `usage` is modified in place.
    """
    if usage.account.size > 0:
        account = usage.account[j]
        if usage.tree.parent.size > 0:
            note_in_tree(usage.tree, usage.half_life, account, t, width)
            return
        usage.used[account] = usage_at(usage, account, t)
        usage.rate[account] += width
        usage.since[account] = t

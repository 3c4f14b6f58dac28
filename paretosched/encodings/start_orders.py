"""Start orders: what the sequences of an exploration begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import is_whole
from ..core.arrays import Ints, read_only
from ..core.errors import InputError, in_quotes
from ..policies.policy import fits
from ..policies.policy_json import from_json as policy_from_json
from ..workload.workload import Workload
from .recipes import KEYS, chance

Order = NDArray[np.int32]
"""(n,) rows of the workload, in the order in which they are put into the schedule."""
Ordering = Callable[[], Ints]
"""Function that makes a start order, (n,) rows of the workload."""


def start_order(workload: Workload, start: Any) -> Order:
    """Return a start order, (n,) int32 rows of the workload, read-only.

    Parameters
    ----------
    workload
        The jobs.
    start
        "submit": by submission, or rather by when jobs could run. {"random": key}: at random. {"order": ranks}: the
        static order of paper 002 (section 4.2), by the rank of the group; groups of the same rank are mixed, as with
        "submit". {"policy": ...}: by the start times under a policy, jobs that start together as with "submit".

    Raises
    ------
    InputError
        The start is none of these, the ranks are not one whole number a group, or the policy does not fit the workload.

    Examples
    --------
    >>> w = Workload(submit=[0, 1, 2], run=[9, 5, 1], estimate=[9, 5, 1], width=[4, 2, 1], capacity=4,
    ...              group=[0, 1, 0], groups=("staff", "guests"))
    >>> start_order(w, "submit").tolist(), start_order(w, {"order": [1, 0]}).tolist()
    ([0, 1, 2], [1, 0, 2])
    """
    jobs, rows = workload.in_arrival_order
    order = read_start(jobs, start)()
    return read_only((order if rows is None else rows[order]).astype(np.int32))


def read_start(workload: Workload, start: Any) -> Ordering:
    """Return the function that makes a start order of jobs in the order of their arrival.

    To check a start takes much less time than to make its order.

    Raises
    ------
    InputError
        As for `start_order`.
    """
    if start == "submit":
        return partial(np.arange, len(workload))
    if not isinstance(start, Mapping) or len(start) != 1 or not set(start) <= set(_KINDS):
        raise InputError(
            f'a start must be "submit" or one of {{"random": ...}}, {{"order": ...}}, {{"policy": ...}}, '
            f"but is {_in_quotes(start)}"
        )
    (kind, value), *_ = start.items()
    return _KINDS[kind](workload, value)


def _at_random(workload: Workload, key: Any) -> Ordering:
    """Return the function that makes the random order of a key."""
    if not is_whole(key) or not 0 <= key < KEYS:
        raise InputError(f'the key of a start {{"random": key}} must be in 0..2^53 - 1, but is {_in_quotes(key)}')
    return lambda: np.argsort(chance(int(key)).random(len(workload)), kind="stable")


def _by_policy(workload: Workload, value: Any) -> Ordering:
    """Return the function that makes the order of the start times under a policy, given as plain JSON values."""
    policy = fits(policy_from_json(value, "start"), workload)
    if policy.replays:
        policy.outcome(workload)  # refuses workloads without recorded waits
    return lambda: np.argsort(policy.outcome(workload).start, kind="stable")


def _by_rank(workload: Workload, ranks: Any) -> Ordering:
    """Return the function that makes the order by the ranks of the groups."""
    groups = workload.groups
    if not isinstance(ranks, Sequence) or not all(map(is_whole, ranks)) or len(ranks) != len(groups):
        raise InputError(
            f'ranks of a start {{"order": ranks}} must be one whole number for each of {len(groups)} groups, '
            f"but are {_in_quotes(ranks)}"
        )
    number = {rank: i for i, rank in enumerate(sorted(set(ranks)))}
    dense = np.array([number[rank] for rank in ranks], dtype=np.int16)  # small numbers are sorted fast
    return lambda: np.argsort(dense[workload.group], kind="stable")


_KINDS: dict[str, Callable[[Workload, Any], Ordering]] = {
    "random": _at_random,
    "order": _by_rank,
    "policy": _by_policy,
}


def _in_quotes(value: Any) -> str:
    """Return a value as text in quotes, for a message."""
    return in_quotes(str(value))

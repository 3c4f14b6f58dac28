"""Start orders: what the sequences of an exploration begin with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import is_whole
from ..core.errors import InputError, in_quotes
from ..policies.policy import Policy, fits
from ..policies.policy_json import from_json as policy_from_json
from ..workload.workload import Workload
from .recipes import KEYS, chance

Order = NDArray[np.int32]
"""(n,) rows of the workload, in the order in which they are put into the schedule."""


def start_order(workload: Workload, start: Any) -> Order:
    """Return a start order, (n,) int32 rows of the workload, read-only.

    Parameters
    ----------
    workload
        The jobs.
    start
        "submit": by submission. {"random": key}: at random. {"order": ranks}: the static order of paper 002
        (section 4.2), by the rank of the group; groups of the same rank are mixed, by submission. {"policy": ...}:
        by the start times under a policy, jobs that start together by submission.

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
    content = read_start(workload, start)
    if content is None:
        order = np.arange(len(workload))
    elif isinstance(content, int):
        order = np.argsort(chance(content).random(len(workload)), kind="stable")
    elif isinstance(content, Policy):
        order = np.argsort(content.outcome(workload).start, kind="stable")
    else:
        order = np.argsort(content[workload.group], kind="stable")
    return read_only(order.astype(np.int32))


def read_start(workload: Workload, start: Any) -> int | Policy | NDArray[np.int16] | None:
    """Return the value of a start: None for submission, a key, a policy, or dense ranks of groups, (G,), to sort fast.

    Raises
    ------
    InputError
        As for `start_order`.
    """
    if start == "submit":
        return None
    if not isinstance(start, Mapping) or len(start) != 1 or not set(start) <= {"random", "order", "policy"}:
        raise InputError(
            f'a start must be "submit" or one of {{"random": ...}}, {{"order": ...}}, {{"policy": ...}}, '
            f"but is {_in_quotes(start)}"
        )
    (kind, value), *_ = start.items()
    if kind == "random":
        if not is_whole(value) or not 0 <= value < KEYS:
            raise InputError(f'the key of a start {{"random": key}} must be in 0..2^53 - 1, but is {_in_quotes(value)}')
        return int(value)
    if kind == "policy":
        policy = fits(policy_from_json(value, "start"), workload)
        if policy.replays:
            policy.outcome(workload)  # refuses workloads without recorded waits
        return policy
    groups = workload.groups
    if not isinstance(value, Sequence) or not all(map(is_whole, value)) or len(value) != len(groups):
        raise InputError(
            f'ranks of a start {{"order": ranks}} must be one whole number for each of {len(groups)} groups, '
            f"but are {_in_quotes(value)}"
        )
    dense = {rank: i for i, rank in enumerate(sorted(set(value)))}
    return np.array([dense[rank] for rank in value], dtype=np.int16)


def read_only(order: Order) -> Order:
    """Return an order that was just made; nothing can be written into it any more."""
    order.flags.writeable = False
    return order


def _in_quotes(value: Any) -> str:
    """Return a value as text in quotes, for a message."""
    return in_quotes(str(value))

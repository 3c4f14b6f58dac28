"""Keys that change with waits or usage, as the kernel of parts takes them: what of them is common to jobs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints, Order, distinct
from ..kernels.account_keys import NEVER, Keys
from ..kernels.fair_share import Tree
from ..kernels.inputs import Backfilling
from ..workload.workload import Workload
from .formula import Term, variables
from .formula_analysis import is_common, rises_with_age
from .formula_program import column_of, program_of
from .outcome import Queue


class PartedQueue(NamedTuple):
    """How the waiting jobs are ordered and backfilled, as `in_order_of_parts` takes it.

    Attributes
    ----------
    order, candidates
        The keys of the waiting jobs, and of those that are backfilled.
    backfilling, accounts, shares, half_life, tree
        As for `Queue`.
    parts
        (n,) int32, the part of each job, from 0 on: in a part, jobs keep the order of their submission.
    """

    order: Keys
    candidates: Keys
    backfilling: Backfilling
    accounts: Ints
    shares: Floats
    half_life: float
    tree: Tree
    parts: Order


def queue_in_parts(workload: Workload, queue: Queue, order: Sequence[Term], candidates: Sequence[Term]) -> PartedQueue:
    """Return a queue in as few parts as are known to keep the order of their jobs.

    Parameters
    ----------
    workload
        The jobs.
    queue
        Its accounts, shares and backfilling.
    order, candidates
        Three terms each, for weekend, day and night; the job with the largest value comes first.

    Raises
    ------
    InputError
        A term needs the account or the queue of jobs, and the workload does not come from a log.
    """
    keys = _keys_of(order, workload, queue.accounts)
    tried = keys if queue.backfilling.same else _keys_of(candidates, workload, queue.accounts)
    return PartedQueue(keys, tried, *queue[2:], _parts_of(order, workload, queue))


def _keys_of(keys: Sequence[Term], workload: Workload, accounts: Ints) -> Keys:
    """Return three keys, of which what is common to all jobs of an account is computed apart."""
    common = [_common_of(key) for key in keys]
    rest = [_with_usage_for(key, part) for key, part in zip(keys, common, strict=True)]
    count = int(accounts.max()) + 1 if len(accounts) else 0
    return Keys(
        program_of(rest, workload), program_of(common, workload), np.zeros(count), np.full(count, NEVER, np.int64)
    )


def _parts_of(keys: Sequence[Term], workload: Workload, queue: Queue) -> Order:
    """Return the part of each job, (n,) int32: by all that its key depends on, but for its submission if possible."""
    leaves = frozenset().union(*map(_leaves, keys)) - _MOVING
    if not workload.has_later_jobs:
        leaves -= {Term("submit")}  # it is as `eligible`
    columns: list[NDArray[Any]] = [queue.backfilling.entitled[workload.group].astype(np.int64)]
    if len(queue.accounts):
        columns.append(queue.accounts)
        leaves -= {Term("share")}  # it is that of the account
    columns += [_column(leaf, workload, queue.shares) for leaf in sorted(leaves)]
    if not all(map(rises_with_age, keys)):
        columns.append(workload.eligible)
    part = np.zeros(len(workload), dtype=np.int64)
    for column in columns:
        values, number = distinct(column)
        if len(values) > 1:
            part = distinct(part * len(values) + number)[1]
    return part.astype(np.int32)


_MOVING = {Term("wait"), Term("usage"), Term("fairshare"), Term("eligible")}


def _leaves(term: Term) -> frozenset[Term]:
    """Return the variables and labels in a term."""
    if not term.parts:
        return frozenset() if term.word == "number" else frozenset({term})
    return frozenset().union(*map(_leaves, term.parts))


def _column(leaf: Term, workload: Workload, shares: Floats) -> NDArray[Any]:
    """Return the value of a variable or a label for each job, (n,)."""
    w = workload
    known: dict[str, NDArray[Any]] = {"estimate": w.estimate, "width": w.width, "area": w.estimate * w.width}
    known["share"] = shares
    return known[leaf.word] if leaf.word in known else column_of(leaf, w)


def _common_of(key: Term) -> Term:
    """Return the one largest term that has the same value for all jobs of an account; usage if there are several."""
    terms = _commons(key)
    return terms.pop() if len(terms) == 1 else Term("usage")


def _commons(term: Term) -> set[Term]:
    """Return the largest terms with usage that have the same value for all jobs of an account."""
    if not variables(term) & {"usage", "fairshare"}:
        return set()
    return {term} if is_common(term) else set().union(*map(_commons, term.parts))


def _with_usage_for(term: Term, part: Term) -> Term:
    """Return a term with "usage" in the place of a part of it."""
    if term == part:
        return Term("usage")
    return term._replace(parts=tuple(_with_usage_for(inner, part) for inner in term.parts)) if term.parts else term

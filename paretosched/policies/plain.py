"""Policies without parameters: jobs in the order in which they became eligible, and the log's own record.

============================  =====================================================================================
fcfs                          each job in turn starts as soon as it fits
list                          in the order in which jobs became eligible, every job that fits starts
easy                          as fcfs, and jobs that do not delay the first waiting one start before it
conservative                  every job has a reservation from when it is eligible, which no other job delays
conservative-replan           at every event all waiting jobs are planned again; no job delays one before it
recorded                      every job starts when the log says that it did
============================  =====================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, fields_repr
from ..core.situations import SITUATIONS
from ..core.watching import unknown_starts
from ..kernels.fcfs_easy import backfill_fcfs, fcfs
from ..kernels.formulas import postfix
from ..kernels.waiting_tree import FAR
from ..workload.workload import Workload
from .learning import outcome_on_engine
from .outcome import Outcome, Queue, arriving, down_of, jobs_of, simple_queue


@dataclass(frozen=True, eq=False)
class Plain:
    """A policy without parameters.

    Parameters
    ----------
    rule
        One of PLAIN_RULES.
    name
        What the policy is called in tables and figures. Default: the usual name of the rule.
    provenance
        Where the policy comes from: any JSON object, which is saved with it.

    Raises
    ------
    InputError
        There is no such rule.

    Examples
    --------
    >>> Plain("easy").name
    'EASY'
    """

    groups: ClassVar[tuple[str, ...]] = ()
    grouping: ClassVar[None] = None
    knows_run_times: ClassVar = False

    rule: str
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        one_of("rule", self.rule, PLAIN_RULES)
        object.__setattr__(self, "name", self.name or _RULES[self.rule].name)

    @property
    def asks(self) -> bool:
        """Whether the rule looks at estimates of run times."""
        return _RULES[self.rule].asks

    @property
    def replays(self) -> bool:
        """Whether the schedule is the log's own record, which no machine has to be able to run."""
        return _RULES[self.rule].replays

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:
        """Return the outcome of a workload, with run times predicted by a method, or as requested.

        Raises
        ------
        InputError
            The rule is "recorded", and the workload has no record.
        """
        rule = _RULES[self.rule]
        simple = workload.machine is None and workload.reactions is None
        of_kernel = not workload.needs_engine or (simple and rule.heeds_down_times)
        if method is None and (of_kernel or rule.replays):
            return Outcome(rule.start_times(workload))
        promising = self.rule == "conservative"
        return outcome_on_engine(workload, self.queue(workload), not promising, method, promising)

    @property
    def no_order(self) -> str:
        """Why no order of the waiting jobs with reservations is the same; "" if one is."""
        return _RULES[self.rule].no_order

    @property
    def reservations(self) -> int:
        """How many waiting jobs may have a reservation; under List nobody gets the one there is."""
        return _RULES[self.rule].reservations

    def queue(self, workload: Workload) -> Queue:
        """Return how the waiting jobs are ordered and backfilled; only for a rule with such a queue."""
        submission = postfix(["0"] * len(SITUATIONS), np.empty((0, len(workload))))  # equal keys
        return simple_queue(workload, submission, self.reservations, _RULES[self.rule].entitled)


class _Rule(NamedTuple):
    """What distinguishes a rule from the others; see the attributes and methods of `Plain`."""

    name: str
    start_times: Callable[[Workload], Ints]
    asks: bool = False
    reservations: int = 0
    entitled: bool = True  # whether jobs get these reservations
    replays: bool = False
    no_order: str = ""
    heeds_down_times: bool = False  # whether `start_times` does


def _start_times(workload: Workload, kernel: Callable[..., None], *settings: Any) -> Ints:
    """Return the start times that a kernel with these settings fills in."""
    start = unknown_starts(len(workload))
    kernel(jobs_of(workload), workload.capacity, *settings, start)
    return start


def _conservative_starts(workload: Workload) -> Ints:
    """Return the start times of conservative backfilling."""
    from ..kernels.conservative import conservative  # on demand: kernels take long to import

    return _start_times(workload, conservative, down_of(workload))


def _replanned_starts(workload: Workload) -> Ints:
    """Return the start times of conservative backfilling that plans every job again at every event."""
    from ..kernels.fixed_order import prioritised_once

    return _start_times(workload, prioritised_once, workload.calendar, *Plain("conservative-replan").queue(workload))


def _recorded_starts(workload: Workload) -> Ints:
    """Return the start times that the log records; a job whose wait is unknown starts when it is eligible."""
    if (workload.wait < 0).all():
        raise InputError(
            f"{workload.name}: no job has a recorded wait, so there is no recorded schedule "
            "(was it generated or scaled?)"
        )
    return workload.eligible + np.maximum(workload.wait, 0)


NO_ORDER = "cannot be deployed; choose one of fcfs, easy, conservative, conservative-replan"
_RULES = {
    "fcfs": _Rule("FCFS", lambda w: _start_times(w, fcfs)),
    # every job may overtake every other one: beside one reservation that nobody gets
    "list": _Rule(
        "List", lambda w: _start_times(w, backfill_fcfs, False), reservations=1, entitled=False, no_order=NO_ORDER
    ),
    "easy": _Rule("EASY", lambda w: _start_times(w, backfill_fcfs, True), True, 1),
    "conservative": _Rule(
        "CONS",
        _conservative_starts,
        True,
        FAR,
        heeds_down_times=True,
    ),
    "conservative-replan": _Rule(
        "CONS replan",
        _replanned_starts,
        True,
        FAR,
    ),
    "recorded": _Rule("recorded", _recorded_starts, replays=True, heeds_down_times=True, no_order=NO_ORDER),
}
PLAIN_RULES = tuple(_RULES)

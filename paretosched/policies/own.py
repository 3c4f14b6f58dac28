"""A scientist's own scheduler: a Python function that orders the waiting jobs, or a schedule that is there already.

A function gets the waiting jobs and the second, and returns a key for each of them; the smallest starts first. It is
asked in every pass of the engine, that is whenever something has happened and some waiting job could start, and the
rest is as of any order: in turn, each job starts that fits, and the backfilling says which later ones may start before
the first that does not. A job whose key is infinite or NaN is held back in this pass: it neither starts nor has a
reservation. So a function can make a whole pass by itself: it gives the jobs that it starts the keys 0, 1, ..., holds
all others back, and reads from `WaitingJobs.free` and `WaitingJobs.running` what there is room for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import instance
from ..core.arrays import Ints, read_only
from ..core.errors import InputError, number_of
from ..core.notebook import fields_repr
from ..core.situations import SITUATIONS
from ..kernels.formulas import postfix
from ..kernels.reacting import Users
from ..workload.requests import requests_of
from ..workload.workload import Workload
from .learning import outcome_on_engine
from .outcome import Outcome, Placement, Queue, SearchTotals, Segments, arriving, simple_queue
from .priority import Backfill, read_backfill

NO_FILE = "a Python function or a schedule cannot be saved as a policy; give it to simulate or compare"


class WaitingJobs:
    """The waiting jobs in one pass, in the order of their arrival, as a scheduler sees them; arrays are read-only.

    `submit`, `wait` and `estimate` are in s, `width` in processors. Real run times are not among what it sees.
    """

    def __init__(self, asked: _Asked, rows: Ints, now: int) -> None:
        self._asked = asked
        self._rows = rows
        self._jobs = asked.jobs_in(rows)
        self.now = now

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        return f"<{number_of(len(self), 'waiting job')} in second {self.now:,}>"

    @property
    def submit(self) -> Ints:
        """Return since when each job could run, (k,) s."""
        return read_only(self._asked.submit[self._rows])

    @property
    def wait(self) -> Ints:
        """Return how long each has waited, (k,) s."""
        return read_only(self.now - self._asked.submit[self._rows])

    @property
    def estimate(self) -> Ints:
        """Return the requested run times, (k,) s; with `estimates` of `simulate` the predicted ones."""
        return read_only(self._asked.estimate[self._rows])

    @property
    def width(self) -> Ints:
        """Return the processors that each asks for, (k,); on a machine of nodes CPUs."""
        return read_only(self._asked.workload.width[self._jobs])

    @property
    def user(self) -> Ints:
        """Return the numbers of the users, (k,); -1 where none is known."""
        return read_only(self._asked.workload.user[self._jobs])

    @property
    def group(self) -> Ints:
        """Return the groups, (k,) indices into `Workload.groups`."""
        return read_only(self._asked.workload.group[self._jobs])

    def requests(self, what: str) -> Ints:
        """Return how many "nodes" or "gpus", or how much "memory" (MiB), each asks for, (k,)."""
        return read_only(requests_of(self._asked.workload, what)[self._jobs])

    @property
    def job(self) -> Ints:
        """Return the rows of the jobs in the workload, (k,), in the order of their arrival."""
        return read_only(self._jobs)

    @property
    def running(self) -> tuple[Ints, Ints]:
        """Return the processors of each running job, and in which second it ends at the latest, (r,) each."""
        a = self._asked
        started = np.flatnonzero(a.start >= 0)
        rows = started[a.start[started] + a.workload.run[a.jobs_in(started)] > self.now]
        return read_only(a.workload.width[a.jobs_in(rows)]), read_only(a.start[rows] + a.estimate[rows])

    @property
    def free(self) -> int:
        """Return the processors that are idle and not down; on a machine of nodes CPUs, of nodes that may be down."""
        down = self._asked.workload.down
        gone = 0 if down is None else int(down.processors[(down.begin <= self.now) & (down.end > self.now)].sum())
        return self._asked.workload.capacity - gone - int(self.running[0].sum())


Function = Callable[[WaitingJobs, int], ArrayLike]


class _Asked:
    """What a kernel calls in one simulation. An error of the function ends it: later passes take jobs as they came."""

    def __init__(self, function: Function, workload: Workload) -> None:
        from ..kernels.asking import ASKED  # on demand: kernels take long to import

        self.function = function
        self.workload = workload
        self.error: BaseException | None = None
        self.called = ASKED(self.answer)  # kept as long as it may be called
        self.start = self.queue = self.submit = self.estimate = np.empty(0, dtype=np.int64)
        self.keys = np.empty(0)
        self.places: tuple[int, ...] = ()
        self.users: Users | None = None

    def begin(self, start: Ints, users: Users | None) -> int:
        """Return the address to call, for the array that is filled with start times, and users who react."""
        self.start, self.users = start, users
        return int(ctypes.cast(self.called, ctypes.c_void_p).value or 0)

    def jobs_in(self, rows: Ints) -> Ints:
        """Return which jobs of the workload are in rows of the simulation."""
        return rows if self.users is None else self.users.job[rows]

    def answer(self, now: int, count: int, *places: int) -> None:
        """Fill the keys of the waiting jobs; `places` are the addresses of `paretosched.kernels.asking.ASKED`."""
        if places != self.places:
            n = len(self.workload)
            kinds: list[Any] = [ctypes.c_int64, ctypes.c_double, ctypes.c_int64, ctypes.c_int64]
            arrays = [np.ctypeslib.as_array((k * n).from_address(at)) for k, at in zip(kinds, places, strict=True)]
            self.places, (self.queue, self.keys, self.submit, self.estimate) = places, arrays
        filled = self.keys[:count]
        filled[:] = 0.0
        if self.error is not None:
            return
        try:
            rows = self.queue[:count].copy()
            answer = np.asarray(self.function(WaitingJobs(self, rows, now), now), dtype=np.float64)
            if answer.shape != (count,):
                raise InputError(
                    f"the function must return a key for each of {number_of(count, 'waiting job')}, an array of shape "
                    f"({count},), but it has the shape {answer.shape}"
                )
            filled[:] = answer
        except BaseException as error:  # ctypes would print it and go on
            self.error = error


@dataclass(frozen=True, eq=False)
class Called:
    """A policy that is a Python function, which is asked in which order the waiting jobs come.

    Parameters
    ----------
    function
        `function(jobs, now)` returns a key for each of the waiting jobs, see the module.
    backfill
        Which jobs may start before jobs that come first in the order, as of `Priority`: "easy", "none", "easy:8".
    name
        What the policy is called in tables and figures. Default: the name of the function, and its backfilling.

    Raises
    ------
    InputError
        It is no function, or the backfilling has an order of its own, or a slack.

    Examples
    --------
    >>> from paretosched.simulation.simulator import simulate
    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[4, 4, 4], capacity=4)
    >>> def shortest(jobs, now):
    ...     return jobs.estimate
    >>> schedule = simulate(w, shortest)
    >>> schedule.name, schedule.start.tolist()
    ('shortest with EASY', [0, 13, 10])
    """

    rule: ClassVar = "function"
    groups: ClassVar[tuple[str, ...]] = ()
    grouping: ClassVar[None] = None
    asks: ClassVar = True
    replays: ClassVar = False
    knows_run_times: ClassVar = False
    no_order: ClassVar = "is a Python function; write it as a formula to deploy it"

    function: Function
    backfill: str | Backfill = "easy"
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise InputError(f"function must be a Python function of jobs and now, but is {self.function!r:.60}")
        backfill = self._backfill
        if backfill.order or backfill.slack:
            raise InputError("backfill of a function must have neither an order of its own nor a slack")
        own = getattr(self.function, "__name__", type(self.function).__name__)
        object.__setattr__(self, "name", self.name or own + (backfill.name and f" with {backfill.name}"))

    @cached_property
    def _backfill(self) -> Backfill:
        if isinstance(self.backfill, str):
            return read_backfill(self.backfill)
        return instance("backfill", self.backfill, Backfill)

    @property
    def reservations(self) -> int:
        """How many waiting jobs have a reservation."""
        return self._backfill.reservations

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:
        """Return the outcome of a workload, with run times predicted by a method, or as requested.

        Raises
        ------
        InputError
            The function does not return a key for each job, or never starts one. An error of the function itself is
            raised as it is.
        """
        asked = _Asked(self.function, workload)
        outcome = outcome_on_engine(workload, self.queue(workload), False, method, asked=asked.begin)
        if asked.error is not None:
            raise asked.error
        never = np.flatnonzero(outcome.start < 0)
        if never.size:
            raise InputError(
                f"{self.name} never started {number_of(never.size, 'job')} of {len(workload):,}, first job "
                f"{workload.job[never[0]]}: a key of inf or NaN holds a job back; some time it must be a number"
            )
        return outcome

    def queue(self, workload: Workload) -> Queue:
        """Return how the waiting jobs are backfilled; their order is asked for."""
        equal = postfix(["0"] * len(SITUATIONS), np.empty((0, len(workload))))
        queue = simple_queue(workload, equal, self.reservations)
        return queue._replace(backfilling=self._backfill.arguments(workload.groups, True))


@runtime_checkable
class Made(Protocol):
    """A schedule, such as that of another simulator."""

    workload: Workload
    start: Ints
    name: str
    segments: Segments | None
    searched: SearchTotals | None
    placement: Placement | None


@dataclass(frozen=True, eq=False)
class Given:
    """A policy that repeats a schedule, on the jobs that it is of.

    Parameters
    ----------
    schedule
        The schedule.
    name
        What it is called in tables and figures. Default: its own name.
    """

    rule: ClassVar = "schedule"
    groups: ClassVar[tuple[str, ...]] = ()
    grouping: ClassVar[None] = None
    asks: ClassVar = False
    replays: ClassVar = True
    knows_run_times: ClassVar = False
    no_order: ClassVar = "is a schedule, and no scheduler"
    reservations: ClassVar = 0

    schedule: Made
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    __repr__ = fields_repr

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or self.schedule.name or "schedule")

    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:  # noqa: ARG002  # nothing is predicted
        """Return the schedule as the outcome of its jobs.

        Raises
        ------
        InputError
            It is of other jobs.
        """
        s = self.schedule
        if s.workload.digest != workload.digest:
            raise InputError(
                f"schedule {self.name} must be of the same jobs, machine and groups, but it is of {s.workload.name} "
                f"({s.workload.digest[:12]}), not of {workload.name} ({workload.digest[:12]})"
            )
        return Outcome(s.start, s.segments, s.searched, placement=s.placement)

    def queue(self, workload: Workload) -> Queue:
        """Refuse to be an order of a queue."""
        raise InputError(f"{self.name} {self.no_order}; it says nothing of the queue of {workload.name}")

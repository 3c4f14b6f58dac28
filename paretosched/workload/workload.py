"""Workloads as values: the jobs of a log or of a model, on one machine."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..core.arguments import instance, whole_number
from ..core.arrays import Floats, Ints, Order, read_only
from ..core.columns import as_array, whole_array
from ..core.errors import InputError, first_few, number_of, one_of
from ..core.notebook import html_table
from ..core.situations import Calendar
from ..core.tables import plain
from .calendar import LATEST, calendar, find_zone
from .charge import AskedAmounts, AskedShares, amounts_asked, shares_asked
from .down_times import DownTimes, down_times_of
from .log_names import Names
from .machine import Machine, Outage, Reservation
from .node_requests import NORMAL, NUMBERS, TEXTS, Requests
from .records import Records
from .renumbering import renumber

if TYPE_CHECKING:
    import pandas as pd

    from ..kernels.inputs import Reactions

WIDEST = 2**31 - 1
WITHOUT = ("limits", "dependencies", "reservations", "preemption")
NAMES_ONLY = {"job", "name", "names", "repairs", "measured"}  # fields on which neither simulations nor groups depend
FRAME_COLUMNS = ("job", "submit", "run", "estimate", "width", "user", "group", "wait", "eligible")
GROUPINGS = (
    "by_consumption",
    "by_swf_group",
    "by_queue",
    "by_csv",
    "by_words",
    "by_request",
)  # each replaces the groups before
_UNSET: Any = None


class Measured(NamedTuple):
    """What is measured on the schedules of a workload beside the papers' objectives, see `measures`.

    Attributes
    ----------
    names
        Measures that are told behind UTIL, AWRT and those of the groups, in this order.
    deciding
        The objectives that a search is for; none for the papers', UTIL and the AWRT of each group.
    """

    names: tuple[str, ...] = ()
    deciding: tuple[str, ...] = ()


NOTHING_MEASURED = Measured()  # beside the papers' objectives


class Repair(NamedTuple):
    """One reason for which jobs were dropped or changed when a log was read.

    Attributes
    ----------
    action
        "dropped", "changed" or "assumed".
    reason
        What was wrong and what was done, in words.
    jobs
        Number of these jobs.
    first
        The first of them, as text ("line 17 (job 3), ...").
    work_percent
        The share of all work that was cut off; None where no work was.
    if_cut_percent
        The share of all work that would have been cut off, had the requests not been raised; None where none were.
    """

    action: str
    reason: str
    jobs: int
    first: str = ""
    work_percent: float | None = None
    if_cut_percent: float | None = None


class Arrivals(NamedTuple):
    """The jobs of a workload in the order in which they can run, as simulators take them.

    Attributes
    ----------
    jobs
        The jobs by the second in which they are eligible, ties in the order of submission; its `submit` may descend.
    rows
        (n,) int64, the row of each of them in the workload; None if they are in the same order there.
    """

    jobs: Workload
    rows: Ints | None

    def by_row(self, column: Ints) -> Ints:
        """Return a column, (n,), of these jobs in the order of the workload."""
        if self.rows is None:
            return column
        result = np.empty_like(column)
        result[self.rows] = column
        return result

    def to_places(self, rows: Order) -> Order:
        """Return the places, (n,) int32, at which the jobs of some rows stand here."""
        if self.rows is None:
            return rows
        return self.by_row(np.arange(self.rows.size))[rows].astype(np.int32)


@dataclass(frozen=True, eq=False, repr=False)
class Workload:
    """Jobs on a machine, sorted by submission; ties keep the order of the log. Row j is job j in all arrays.

    Parameters
    ----------
    submit, run, estimate
        Submission, true run time and requested time, (n,) whole seconds; submit >= 0, 1 <= run <= estimate.
    width
        Processors, (n,), in 1..capacity.
    capacity
        Processors of the machine.
    user
        Number of the user who submitted each job, (n,); -1 where unknown. Default: all unknown.
    group
        Index of each job's user group, (n,), in 0..len(groups)-1. Default: all in the first group.
    groups
        Names of the user groups, in the order of the objectives AWRT1, AWRT2, ... A group may be empty.
    job
        The job numbers of the log, (n,). Default: 1..n.
    wait
        Recorded waiting times from `eligible` on, (n,) seconds; -1 where unknown, as of all jobs of a model. Those
        under a policy are `Schedule.wait`. Default: all unknown.
    eligible
        When each job could run first, (n,) seconds >= submit: a job may have to wait for another job to end, or its
        user may have named a later second. No simulator starts it earlier, and waits and response times count from
        then on. Default: `submit` itself.
    epoch
        Unix time of second 0 of the log (SWF UnixStartTime).
    zone
        Name of the site's time zone in the standard zone database (SWF TimeZoneString).
    name
        Name of the workload in tables and figures.
    records
        The fields of each job in the log, (n, 18), so that a workload can be written again with the fields that no
        simulation needs; (n, 21) or (n, 24) with what is beside some logs, see `requests`. None for a workload
        that does not come from a log. An array becomes `Records`.
    header
        Header comment lines of the log, without the leading semicolon.
    repairs
        What was dropped or changed when the log was read.
    source
        How the workload was made, step by step, as plain JSON values: each step names a function of this package
        and its arguments. A run records it, so that `reopen` can make the workload again. Empty if it cannot be
        made again from files. It is not part of the digest.
    names
        The names of users, groups, queues and partitions beside the log; None if there are none.
    down
        When some of the processors are down, in seconds of the log; None if all are up all the time. No simulator uses
        them then, and all know it beforehand.
    machine, requests
        The nodes and partitions of the machine, whose CPUs are the capacity, and what each job asks of them; None for a
        machine of equal processors, of which a job gets as many as its width.
    measured
        What is measured on schedules beside the papers' objectives, see `measures.with_measures`; it is not part of the
        digest.
    reactions
        How users react, in a simulation that asks for it, see `reacting_users`; None if jobs come as the log says.

    Raises
    ------
    InputError
        An array has the wrong length or type, or breaks its rule (the message names the first offenders); or the
        time zone is not in the standard zone database.

    Examples
    --------
    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
    >>> len(w), w.work, w.groups
    (2, 46, ('1',))
    """

    submit: Ints
    run: Ints
    estimate: Ints
    width: Ints
    capacity: int
    user: Ints = _UNSET
    group: Ints = _UNSET
    groups: tuple[str, ...] = ("1",)
    job: Ints = _UNSET
    wait: Ints = _UNSET
    eligible: Ints = _UNSET
    epoch: int = 946857600  # Monday 2000-01-03 00:00 UTC, for logs that do not name their epoch
    zone: str = "UTC"
    name: str = "workload"
    records: Records | None = None
    header: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    source: tuple[Mapping[str, Any], ...] = ()
    names: Names | None = None
    down: DownTimes | None = None
    machine: Machine | None = None
    requests: Requests | None = None
    measured: Measured = NOTHING_MEASURED
    reactions: Reactions | None = None

    def __post_init__(self) -> None:
        n = as_array("submit", self.submit).size
        if n == 0:
            raise InputError(f"{self.name}: a workload needs at least one job, but there is none")
        for key in ("capacity", "epoch"):
            object.__setattr__(self, key, whole_number(key, getattr(self, key)))
        defaults = {"user": -1, "group": 0, "wait": -1}
        for key in ("submit", "run", "estimate", "width", "user", "group", "job", "wait"):
            value: Any = getattr(self, key)
            if value is None and (key in defaults or key == "job"):
                value = np.arange(1, n + 1) if key == "job" else np.full(n, defaults[key])
            object.__setattr__(self, key, whole_array(key, value, n))
        eligible = self.submit if self.eligible is None else whole_array("eligible", self.eligible, n)
        same = eligible is self.submit or np.array_equal(eligible, self.submit)
        object.__setattr__(self, "eligible", self.submit if same else eligible)  # `has_later_jobs` relies on it
        if self.records is not None:
            records = self.records if isinstance(self.records, Records) else Records.of(self.records)
            if records.shape not in ((n, 18), (n, 21), (n, 24)):
                raise InputError(f"records must have shape ({n}, 18), ({n}, 21) or ({n}, 24), but has {records.shape}")
            object.__setattr__(self, "records", records)
        object.__setattr__(self, "groups", tuple(str(g) for g in self.groups))
        if self.names is not None:
            instance("names", self.names, Names)
        if self.down is not None and not len(instance("down", self.down, DownTimes)):
            object.__setattr__(self, "down", None)
        self._check_machine()
        self._check_rules()

    def _check_machine(self) -> None:
        """Raise InputError if machine and requests do not fit each other, or the jobs."""
        if self.machine is None or self.requests is None:
            if self.machine is not None or self.requests is not None:
                raise InputError("machine and requests must both be given, or none of them")
            return
        instance("machine", self.machine, Machine)
        if len(instance("requests", self.requests, Requests)) != len(self):
            raise InputError(
                f"requests must be those of {number_of(len(self), 'job')}, but are of {len(self.requests)}"
            )
        if self.capacity != self.machine.capacity:
            cpus = self.machine.capacity
            raise InputError(f"capacity must be the {number_of(cpus, 'CPU')} of the machine, but is {self.capacity}")

    def _check_rules(self) -> None:
        """Raise InputError if a field breaks its rule."""
        if not 1 <= self.capacity <= WIDEST:
            raise InputError(f"capacity must be in 1..{WIDEST} processors, but is {self.capacity}")
        if not 0 <= self.epoch < LATEST:
            raise InputError(f"epoch must be a Unix time in the years 1970 to 8999, but is {self.epoch}")
        find_zone(self.zone)
        if not self.groups or len(set(self.groups)) != len(self.groups):
            raise InputError(f"groups must be one or more different names, but are {list(self.groups)}")
        rules = [
            ("submit", "must be at least 0 s", self.submit < 0),
            ("eligible", "must be at least the submission", self.eligible < self.submit),
            ("run", "must be at least 1 s", self.run < 1),
            ("estimate", "must be at least the run time", self.estimate < self.run),
            (
                "width",
                f"must be in 1..{number_of(self.capacity, 'processor')}",
                (self.width < 1) | (self.width > self.capacity),
            ),
            ("wait", "must be -1 or a number of seconds below 2^53", (self.wait < -1) | (self.wait >= 2**53)),
            ("group", f"must be in 0..{len(self.groups) - 1}", (self.group < 0) | (self.group >= len(self.groups))),
        ]
        for key, rule, mask in rules:
            if mask.any():
                rows = np.flatnonzero(mask)
                first = first_few((f"job {self.job[j]} has {getattr(self, key)[j]}" for j in rows), len(rows))
                verb = "is" if len(rows) == 1 else "are"
                raise InputError(f"{key} {rule}, but {number_of(len(rows), 'job')} {verb} not: {first}")
        descents = np.flatnonzero(np.diff(self.submit) < 0)
        if descents.size:
            j = int(descents[0]) + 1
            raise InputError(f"submit must be sorted, but job {self.job[j]} comes after job {self.job[j - 1]}")
        if self.down is not None and self.down.most > self.capacity:
            i = int(np.argmax(self.down.processors > self.capacity))
            raise InputError(
                f"down must be at most the {number_of(self.capacity, 'processor')} of the machine, but "
                f"{self.down.processors[i]} are down from second {self.down.begin[i]} on"
            )
        # The kernels pack times with job numbers and widths into 64-bit keys.
        horizon = self._all_there + int(self.estimate.sum(dtype=np.float64))
        if horizon * max(self.capacity + 1, len(self) + 1) >= 2**62:
            raise InputError(
                f"{self.name}: latest possible end times machine or workload size must stay below 2^62, "
                f"but {horizon} s x {max(self.capacity, len(self))} does not"
            )

    def __len__(self) -> int:
        return int(self.submit.size)

    def __getitem__(self, rows: slice | ArrayLike) -> Workload:
        """Return some of the jobs as a workload of their own, see `take`; `w[5:6]` is one job.

        Parameters
        ----------
        rows
            A slice, the (n,) bool of a mask, or the numbers of rows, ascending; negative ones count from the end.

        Raises
        ------
        InputError
            `rows` is something else, there is no such row, or there are none; or as for `Workload`.

        Examples
        --------
        >>> w = Workload(submit=[0, 5, 9], run=[10, 3, 4], estimate=[20, 3, 4], width=[4, 2, 8], capacity=8)
        >>> w[:2].run.tolist(), w[w.width > 3].job.tolist(), w[[0, -1]].width.tolist()
        ([10, 3], [1, 3], [4, 8])
        """
        n = len(self)
        try:
            index = np.arange(n)[rows] if isinstance(rows, slice) else np.asarray(rows)
        except (TypeError, ValueError):  # a slice of words, a ragged list
            index = np.empty((0, 0))
        if index.dtype == np.bool_ and index.shape == (n,):
            index = np.flatnonzero(index)
        if index.size == 0 and index.ndim == 1:  # numpy makes an empty list an array of floating-point numbers
            index = index.astype(np.int64)
        if index.ndim != 1 or index.dtype.kind not in "iu":
            raise InputError(
                f"rows of a workload must be a slice, such as w[:2000] or w[5:6], a mask of its {number_of(n, 'job')} "
                f"or an array of row numbers, but are {rows!r:.60}"
            )
        beyond = index[(index < -n) | (index >= n)]
        if beyond.size:
            first = first_few(beyond.tolist(), beyond.size)
            raise InputError(f"rows of {self.name} must be in {-n}..{n - 1}, but there are others: {first}")
        return self.take(np.arange(n)[index])

    __iter__ = None  # a workload has columns; a loop over its jobs would make a workload of each

    def __repr__(self) -> str:
        down = "" if self.down is None else f", of which up to {self.down.most:,} are down"
        nodes = "" if self.machine is None else f" of {number_of(len(self.machine.names), 'node')}"
        machine = f"{number_of(self.capacity, 'processor')}{nodes}{down}"
        groups = number_of(len(self.groups), "group")
        return f"<Workload {self.name}: {number_of(len(self), 'job')} on {machine}, {groups}>"

    def _repr_html_(self) -> str:
        work = self.run * self.charge
        share = np.bincount(self.group, work, len(self.groups)) / work.sum()
        jobs = np.bincount(self.group, minlength=len(self.groups)).tolist()
        rows = zip(self.groups, jobs, (100 * share).round(1).tolist(), strict=True)
        return html_table(repr(self).strip("<>"), ("group", "jobs", "work %"), rows)

    def frame(self) -> pd.DataFrame:
        """Return the jobs as a pandas DataFrame, from which `from_frame` makes an equal workload again.

        Returns
        -------
        DataFrame
            One row a job: "job", "submit", "run", "estimate", "wait" (s), "width" (processors), "user", and "group",
            categorical with the names of all groups; and "eligible" (s), if a job could not run when it was submitted.
            Its `attrs` have capacity, epoch, zone and name; and the columns of "down", if processors are down at times.
            On a machine of nodes there are the columns of its `Requests`, and `attrs` has the machine.
        """
        import pandas as pd

        others = {"group"} if self.has_later_jobs else {"group", "eligible"}
        columns = {key: getattr(self, key) for key in FRAME_COLUMNS if key not in others}
        frame = pd.DataFrame(columns).assign(group=pd.Categorical.from_codes(self.group, list(self.groups)))
        frame.attrs |= {key: getattr(self, key) for key in ("capacity", "epoch", "zone", "name")}
        frame.attrs |= {} if self.down is None else {"down": self.down.columns()}
        if self.requests is not None:
            texts = {key: getattr(self.requests, key) for key in TEXTS}
            frame = frame.assign(
                **{key: getattr(self.requests, key) for key in NUMBERS},
                **{key: pd.Categorical.from_codes(each.code, list(each.words)) for key, each in texts.items()},
            )
            frame.attrs["machine"] = self.machine
        return frame

    @classmethod
    def from_frame(cls, frame: Any, capacity: int | None = None, **fields: Any) -> Workload:
        """Return the workload of a pandas DataFrame, as `frame` returns it or with fewer columns.

        Parameters
        ----------
        frame
            Columns "submit", "run" and "width", and where they are known "estimate", "user", "group", "wait",
            "eligible" and "job", see `Workload`; on a machine of nodes also those of `Requests`. Rows are sorted by
            submission. Groups are names or numbers; the categories of a categorical column keep their order, other
            groups are sorted. A missing user or wait is unknown.
        capacity
            Processors of the machine; not needed if `frame.attrs` has them.
        fields
            Other fields of `Workload`: epoch, zone, name, down, machine; by default those in `frame.attrs`.

        Raises
        ------
        InputError
            The frame is none; a column is missing, not known or not whole numbers; a job has no group; the capacity is
            not known; or as for `Workload`.

        Examples
        --------
        >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 3], width=[4, 2], capacity=8)
        >>> Workload.from_frame(w.frame()).digest == w.digest
        True
        """
        import pandas as pd

        instance("frame", frame, pd.DataFrame)
        names = [str(name) for name in frame.columns]
        missing = [key for key in ("submit", "run", "width") if key not in names]
        machine = fields.get("machine", frame.attrs.get("machine"))
        known = FRAME_COLUMNS if machine is None else (*FRAME_COLUMNS, *NUMBERS, *TEXTS)
        other_names = [name for name in names if name not in known]
        twice = [name for name in names if names.count(name) > 1]
        if missing or other_names or twice:
            facts = [f"{name} is missing" for name in missing] + [f"there is also {name}" for name in other_names]
            fact = [*facts, *(f"{name} is there twice" for name in twice)][0]
            raise InputError(f"columns of a workload are {', '.join(known)}, but {fact}")
        others = {key: frame.attrs[key] for key in ("capacity", "epoch", "zone", "name") if key in frame.attrs}
        others |= {"down": down_times_of(frame.attrs["down"])} if "down" in frame.attrs else {}
        others |= fields | ({} if capacity is None else {"capacity": capacity})
        if machine is not None:
            others |= {"machine": machine, "capacity": machine.capacity}
        if "capacity" not in others:
            raise InputError("capacity must be given: the frame does not say how many processors the machine has")
        columns: dict[str, Any] = {key: _whole_column(key, frame[key]) for key in names if key not in ("group", *TEXTS)}
        if machine is not None:
            asked = {key: columns.pop(key) for key in NUMBERS if key in columns}
            asked |= {key: [*map(str, frame[key])] for key in TEXTS if key in names}
            others["requests"] = Requests(**({"tasks": columns["width"]} | asked))
        columns.setdefault("estimate", columns["run"])
        if "group" in names:
            group = pd.Categorical(frame["group"])
            if (group.codes < 0).any():
                raise InputError(f"group must be known of every job, but is not in row {int(np.argmin(group.codes))}")
            columns["group"] = group.codes.astype(np.int64)
            others["groups"] = tuple(map(str, group.categories))
        return cls(**columns, **others)

    @property
    def work(self) -> int:
        """Return the total resource consumption, processor seconds."""
        return int(self.run @ self.width)  # cannot overflow: at most capacity times horizon, see the last rule

    @cached_property
    def asked_amounts(self) -> AskedAmounts | None:
        """Return what the jobs ask for of a machine of nodes; None without nodes."""
        if self.machine is None or self.requests is None:
            return None
        return amounts_asked(self.machine, self.requests)

    @cached_property
    def open_machine(self) -> Machine | None:
        """Return the machine of nodes with those down that are reserved for no job of these; None without nodes.

        Of a reservation with the flag MAINT, and of one that no job names, the nodes are closed for all jobs.
        """
        machine = self.machine
        if machine is None or self.requests is None or not machine.reservations:
            return machine
        named = {name.strip() for word in self.requests.reservation.words for name in word.split(",")}
        closed: list[Outage] = []
        rest: list[Reservation] = []
        for each in machine.reservations:
            if "MAINT" in each.flags or each.name not in named:
                closed.append(Outage(each.hosts, each.begin, each.end, f"reservation {each.name}"))
            else:
                rest.append(each)
        return replace(machine, down=(*machine.down, *closed), reservations=tuple(rest))

    @cached_property
    def qos_priority(self) -> Floats:
        """(n,) float64: the priority of the QOS of each job, as a share of the highest one; 0 where it is not known."""
        if self.machine is None or self.requests is None or not self.machine.qos:
            return read_only(np.zeros(len(self)))
        known = {name.lower(): value for name, value in self.machine.qos}
        highest = max(*known.values(), 1)
        words = [known.get(word.lower() or NORMAL, 0) / highest for word in self.requests.qos.words]
        return read_only(np.array(words)[self.requests.qos.code])

    @cached_property
    def asked_shares(self) -> AskedShares | None:
        """Return the shares of a machine of nodes that the jobs ask for; None without nodes."""
        if self.machine is None or self.asked_amounts is None:
            return None
        return shares_asked(self.machine, self.asked_amounts)

    @property
    def resource_shares(self) -> dict[str, Floats]:
        """Return the shares of "memory" and "GPUs" that jobs ask for, (n,), as far as nodes give them out."""
        if self.machine is None or self.asked_shares is None:
            return {}
        memory = {"memory": self.asked_shares.memory} if self.machine.shares_memory else {}
        return memory | ({"GPUs": self.asked_shares.gpus} if self.machine.gpu_types else {})

    @cached_property
    def charge(self) -> Floats:
        """Return what weighs each job in AWRT, beside its run time, (n,) float64 processors.

        It is the width; on a machine of nodes the largest share of a resource that a job asks for, times all CPUs.
        """
        return read_only(
            self.width.astype(np.float64) if self.asked_shares is None else self.asked_shares.largest * self.capacity
        )

    @cached_property
    def calendar(self) -> Calendar:
        """Return when weekend, day and night begin, from the first submission to the latest possible end."""
        return calendar(self.epoch, self.zone, self.latest_end)

    @property
    def latest_end(self) -> int:
        """Return the second by which all jobs have ended, if some job runs whenever one could: a bound of all times."""
        return self._all_there + int(self.run.sum()) + (0 if self.reactions is None else _only_waiting(self.reactions))

    @property
    def _all_there(self) -> int:
        """Return the second from which on all jobs are eligible, and all processors are up."""
        return max(int(self.eligible.max()), 0 if self.down is None else self.down.last_end)

    @property
    def has_later_jobs(self) -> bool:
        """Return whether a job was not eligible when it was submitted, but later."""
        return self.eligible is not self.submit

    @property
    def needs_engine(self) -> bool:
        """Return whether the fast kernels do not do: for nodes, processors that are down at times, users who react."""
        return self.machine is not None or self.down is not None or self.reactions is not None

    def of_equal_processors(self, what: str) -> Workload:
        """Return this workload, on a machine without nodes; `what` begins the error if it has some.

        Raises
        ------
        InputError
            The machine has nodes.
        """
        if self.machine is not None:
            raise InputError(
                f"{self.name}: {what} must be on equal processors, but its machine has nodes; --one-pool "
                "(Workload.one_pool) treats it as a pool of equal processors"
            )
        return self

    @cached_property
    def in_arrival_order(self) -> Arrivals:
        """Return the jobs in the order in which they can run; the same workload if they are in this order."""
        if (np.diff(self.eligible) >= 0).all():
            return Arrivals(self, None)
        rows = np.argsort(self.eligible, kind="stable")
        jobs = object.__new__(Workload)  # its submissions descend, which the rules of other workloads forbid
        jobs.__setstate__(self.__getstate__() | self._columns(rows))
        if self.reactions is not None:
            columns = {key: getattr(self.reactions, key)[rows] for key in ("batch", "offset", "place")}
            jobs.__dict__["reactions"] = self.reactions._replace(**columns)
        jobs.__dict__["calendar"] = self.calendar
        return Arrivals(jobs, rows)

    def arriving_at(self, arrival: Ints) -> Workload:
        """Return the same jobs, eligible at other seconds, (n,) int64; for objectives only, and nothing is checked."""
        jobs = object.__new__(Workload)
        jobs.__dict__.update(self.__dict__ | {"eligible": read_only(arrival)})
        return jobs

    @property
    def one_pool(self) -> Workload:
        """Return the same jobs on a machine of equal processors, each as many as its width."""
        return self.with_(machine=None, requests=None, source=source_after(self, "one_pool"))

    def without(self, *words: str) -> Workload:
        """Return the same jobs without "limits", "reservations" or "preemption" of the machine, or "dependencies".

        Raises
        ------
        InputError
            A word is another one; or the machine has no nodes.
        """
        for word in words:
            one_of("what a workload can be without", word, WITHOUT)
        if self.machine is None or self.requests is None:
            raise InputError(
                f"{self.name}: {' and '.join(words)} can be left out on a machine of nodes, which it does not have; "
                "import --machine makes a log with nodes"
            )
        machine = self.machine.without(*(word for word in words if word != "dependencies"))
        requests = replace(self.requests, dependency=None) if "dependencies" in words else self.requests
        return self.with_(machine=machine, requests=requests, source=source_after(self, "without", words=[*words]))

    @cached_property
    def digest(self) -> str:
        """Return the SHA-256 of all fields on which a simulation or an objective depends; job numbers are not in it."""
        sha256 = hashlib.sha256(b"paretosched workload 1")
        for key in ("submit", "run", "estimate", "width", "group", "wait"):
            sha256.update(key.encode() + getattr(self, key).astype("<i8").tobytes())
        if self.has_later_jobs:
            sha256.update(b"eligible" + self.eligible.astype("<i8").tobytes())
        if self.down is not None:
            for key, column in self.down.columns().items():
                sha256.update(f"down {key}".encode() + np.array(column, dtype="<i8").tobytes())
        sha256.update(repr((self.capacity, self.groups, self.epoch, self.zone)).encode())
        if self.machine is not None and self.requests is not None:
            sha256.update(f"machine {self.machine.digest} {self.requests.digest}".encode())
        return sha256.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # Arrays from a pickle are writeable, and numba would compile the kernels once more for writeable arrays.
        for value in state.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(state)

    def with_(self, **changes: Any) -> Workload:
        """Return a copy with other values in some fields, checked again; its source is empty unless `changes` has it.

        If jobs are submitted at other times, they are eligible as many seconds after that as before; processors are
        down in the same seconds of the log.
        """
        source = {} if changes.keys() <= NAMES_ONLY else {"source": ()}
        return replace(self, **(source | self._eligible(slice(None), changes) | changes))

    def take(self, rows: ArrayLike, **changes: Any) -> Workload:
        """Return the jobs `rows` (indices, possibly repeated, ascending in submission) as a workload of their own.

        If they are submitted at other times, they are eligible as many seconds after that as before. Processors are
        down in the same seconds of the log. Of jobs with other numbers copies wait for copies, see `renumbering`: those
        of the same user, if there are other users, and else the first of one for the first of the other, and so on.
        """
        index = np.asarray(rows)
        if index.size == 0:
            index = index.astype(np.int64)  # numpy makes an empty list an array of floating-point numbers
        columns = self._columns(index) | self._eligible(index, changes) | {"reactions": None}
        if "job" in changes and self.requests is not None:
            asked = columns["requests"]
            if len(asked.dependency.words) > 1 or asked.array.any():
                job, submit = np.asarray(changes["job"]), np.asarray(changes.get("submit", self.submit[index]))
                order = np.argsort(index, kind="stable")
                copy = np.empty_like(order)
                copy[order] = np.arange(index.size) - np.searchsorted(index[order], index[order])
                copy = np.asarray(changes.get("user", copy))
                columns["requests"] = renumber(asked, self.job[index], job, submit, copy)
        return replace(self, **({"source": ()} | columns | changes))

    def _columns(self, index: Ints) -> dict[str, Any]:
        """Return the fields that have an entry for each job, for the jobs `index`."""
        columns: dict[str, Any] = {
            f.name: getattr(self, f.name)[index] for f in fields(self) if isinstance(getattr(self, f.name), np.ndarray)
        }
        for key in ("records", "requests"):
            if getattr(self, key) is not None:
                columns[key] = getattr(self, key).take(index)
        return columns

    def _eligible(self, index: Ints | slice, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return when the jobs `index` are eligible if these changes have their submissions; else nothing."""
        if not self.has_later_jobs:
            return {"eligible": None}
        if "submit" not in changes:
            return {}
        later = (self.eligible - self.submit)[index]
        return {"eligible": whole_array("submit", changes["submit"], later.size) + later}


def _only_waiting(reactions: Reactions) -> int:
    """Return a bound on the seconds in which users only wait: until a batch begins, or until its last job comes."""
    last = np.zeros_like(reactions.earliest)
    np.maximum.at(last, reactions.batch, reactions.offset)
    return int(reactions.pause.sum() + last.sum())


def _whole_column(key: str, column: Any) -> Ints:
    """Return a column of a frame as whole numbers, (n,); where user and wait are missing, -1."""
    if column.dtype.kind in "iu" and not column.isna().any():
        exact: Ints = column.to_numpy(dtype=np.int64)
        return exact
    try:
        values: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError):
        raise InputError(f"{key} must be whole numbers, but its type is {column.dtype}") from None
    if key in ("user", "wait"):
        values = np.where(np.isnan(values), -1, values)
    odd = np.flatnonzero(~(np.isfinite(values) & (values % 1 == 0)))
    if odd.size:
        first = first_few((f"row {row} has {values[row]:g}" for row in odd), odd.size)
        raise InputError(f"{key} must be whole numbers, but is not: {first}")
    return values.astype(np.int64)


def source_after(workload: Workload, function: str, **arguments: Any) -> tuple[Mapping[str, Any], ...]:
    """Return the source of the workload that a function of this package makes from `workload`.

    It is empty if `workload` has none.

    Examples
    --------
    >>> w = Workload([0], [1], [1], [1], 1, source=({"function": "lublin"}, {"function": "by_queue"}))
    >>> source_after(w, "by_consumption", thresholds=[0.5])
    ({'function': 'lublin'}, {'function': 'by_consumption', 'thresholds': [0.5]})
    """
    steps = workload.source
    if steps and function in GROUPINGS and steps[-1]["function"] in GROUPINGS:
        steps = steps[:-1]
    return (*steps, {"function": function, **plain(arguments)}) if workload.source else ()

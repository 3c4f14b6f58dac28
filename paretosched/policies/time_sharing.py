"""SCOJO-PECT and its group optimisation: all their parameters, with the values of paper 004.

SCOJO-PECT (paper 004, section 4) gives the machine to one class of jobs after the other: short, medium and long slices
in turn. The share of a class says how many seconds of an interval its slice lasts. At the end of a slice its jobs are
preempted to disk, and continue later on the same processors. Jobs of other classes may use what a slice leaves idle
(non-type backfilling). The optimisation (sections 5 to 7) collects waiting jobs of a class in groups, and looks for a
better order of each group.

What paper 004 leaves open is a parameter here. The interval is 3,600 s, because three switches of 60 s cost 5 % of it.
A short slice lasts as long as the longest short job present needs, at most `short_slice`, or its share if that is
longer. Group finish times are found with `delta` .05 and `least_use` .75.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.arguments import checked_when_made, instance, list_argument, real_number, whole_number
from ..core.errors import InputError, first_few, one_of
from ..core.notebook import fields_html, fields_repr, shown_by_fields
from ..core.watching import unknown_starts
from ..kernels.scojo_pect_machine import LONG, MEDIUM, SHORT, Slices, machine_for
from ..kernels.virtual_schedule import Planning, tree_for
from ..workload.calendar import hours
from ..workload.workload import Workload
from .outcome import Outcome, SearchTotals, Segments, arriving, jobs_of

CLASSES = ("short", "medium", "long")
SIZES = ("narrow", "medium", "wide")
RUN_TIMES = ("known", "estimates")
METHODS = ("groups", "bottom-line")
SEARCHES = ("discrepancy", "lds", "dds")
MOST_JOBS = 200  # in a group
MOST_CANDIDATES = 10
MOST_LONG_WIDE = 8  # 40,320 permutations
MOST_PERMUTATIONS = 10**9
MOST_SECONDS = 10**9
LARGEST = 1e9
MOST_NODES = 2**24  # processors of a machine that preempts jobs


@checked_when_made
class Shares(NamedTuple):
    """Which share of an interval the classes get from an hour of the day on; they add up to 1.

    Attributes
    ----------
    hour
        Local time of the site, 0..23.
    short, medium, long
        Shares; paper 004, section 7.
    """

    hour: int = 0
    short: float = 0.005
    medium: float = 0.265
    long: float = 0.73

    def __post_init__(self) -> None:
        for key, value in self._asdict().items():
            real_number(f"{key} of shares", value)

    def _repr_html_(self) -> str:
        return fields_html(self)


@checked_when_made
class Grouping(NamedTuple):
    """When waiting jobs of a class become a group (paper 004, section 7.2), and which of them are long-wide (7.3).

    Attributes
    ----------
    least, most
        Number of jobs of a group; a group of `most` jobs is searched in two halves.
    machines
        The waiting jobs must ask for more processors than so many machines have.
    work, mean_run
        The work of the waiting jobs must exceed `work` (lambda) times `mean_run` seconds of the whole machine.
    wide, wide_run
        A long-wide job has at least this share of the machine and runs for at least `wide_run` seconds.
    """

    least: int = 5
    most: int = 30
    machines: float = 2.0
    work: float = 1.0
    mean_run: int = 15000
    wide: float = 0.25
    wide_run: int = 15000

    def __post_init__(self) -> None:
        for key, value in self._asdict().items():
            real_number(f"{key} of a grouping", value)

    def _repr_html_(self) -> str:
        return fields_html(self)


@shown_by_fields
@checked_when_made
class Optimisation(NamedTuple):
    """How groups are formed and searched (paper 004, sections 6 and 7).

    Attributes
    ----------
    method
        "groups"; or "bottom-line", an approximation of what section 9.5 compares with: at every event the first
        waiting jobs of the slice's class (at most as many as in a group) are searched again. There are no conditions,
        halves, shifts or choice among candidates then, and long-wide jobs are not permuted first.
    search
        The order in which permutations are tried. "discrepancy": depth first, the rightmost jobs vary first (6.4.2);
        "lds": fewest discrepancies first; "dds": shallowest deepest discrepancy first (3.3.2).
    permutations
        How many are tried for each half of a group, at most; all in the order count, scheduled or not.
    threshold
        Permutations with fewer discrepancies are not scheduled, except for the heuristic's own.
    pruning
        Whether there is branch and bound; it changes no schedule, only the time that the search takes.
    second_level
        If False, the plan is the heuristic's order with the long-wide jobs permuted (section 9.3.6).
    long_wide_least, long_wide_most
        From how many long-wide jobs on these are permuted first, and how many of them at most; the jobs with the
        largest slowdown are taken.
    force_shift
        A job may be moved into a hole if it runs for at most this many times the hole; 0 for never.
    candidates
        From how many of the best permutations section 6.4.4 chooses.
    makespan, utilisation, response
        alpha, beta and gamma of that choice: of two permutations the one with less slowdown is taken if its makespan
        and mean response time are below, and its utilisation above, so many times the other's.
    bound, ceiling
        Bound of the slowdown, s; and whether the slowdown is rounded up to whole numbers.
    delta, least_use
        For the finish of a group (Figure 8): how far utilisation may fall below its maximum, and the utilisation that
        suffices in any case.
    dynamic
        Whether a job that arrives while a group's slice runs is backfilled at once (6.6.2), before other jobs.
    medium, long
        Conditions of groups of the two classes.
    """

    method: str = "groups"
    search: str = "discrepancy"
    permutations: int = 10_000
    threshold: int = 0
    pruning: bool = True
    second_level: bool = True
    long_wide_least: int = 3
    long_wide_most: int = 6
    force_shift: float = 1.5
    candidates: int = 3
    makespan: float = 1.1
    utilisation: float = 0.95
    response: float = 1.1
    bound: int = 600
    ceiling: bool = True
    delta: float = 0.05
    least_use: float = 0.75
    dynamic: bool = True
    medium: Grouping = Grouping(10, 20, 1.5, 2.0, 800, 0.1, 800)
    long: Grouping = Grouping()

    def __post_init__(self) -> None:
        _check_optimisation(self)


@dataclass(frozen=True)
class TimeSharing:
    """SCOJO-PECT, without or with group optimisation.

    Parameters
    ----------
    interval
        Length, s, of the time in which every class with jobs has one slice.
    overhead
        Length of a switch from one class to another, s; no job runs in that time.
    medium_from, long_from
        Run times from which jobs are medium and long, s.
    short_slice
        Limit of a short slice, s, unless its share is longer.
    shares
        Shares by the hour from which on they hold, in ascending order; those of the last hour hold over midnight.
    run_times
        "known": the scheduler knows run times, as in paper 004. "estimates": it knows the requests.
    backfill
        Whether there is non-type ("smart") backfilling: jobs of other classes use what the jobs of the slice's class
        leave idle.
    optimisation
        The group optimisation; None for SCOJO-PECT itself.
    name
        What the policy is called in tables and figures. Default: SCOJO-PECT, with its variant.
    provenance
        Where the policy comes from: any JSON object, which is saved with it.

    Raises
    ------
    InputError
        A value breaks a rule; the message names it.

    Examples
    --------
    >>> TimeSharing(optimisation=Optimisation()).name
    'SCOJO-PECT optimised'
    """

    rule: ClassVar = "scojo"
    groups: ClassVar[tuple[str, ...]] = ()
    grouping: ClassVar[None] = None
    asks: ClassVar = True
    replays: ClassVar = False
    no_order: ClassVar = (
        "shares the machine in time slices, which no order of jobs can express; deploy greedy or priority"
    )

    interval: int = 3600
    overhead: int = 60
    medium_from: int = 600
    long_from: int = 10_800
    short_slice: int = 600
    shares: tuple[Shares, ...] = (Shares(),)
    run_times: str = "known"
    backfill: bool = True
    optimisation: Optimisation | None = None
    name: str = ""
    provenance: Mapping[str, Any] = field(default_factory=dict, hash=False)

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        _check(self)
        for name in ("interval", "overhead", "medium_from", "long_from", "short_slice"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        object.__setattr__(self, "shares", tuple(self.shares))
        object.__setattr__(self, "name", self.name or _default_name(self))

    @arriving
    def outcome(self, workload: Workload, method: int | None = None) -> Outcome:  # noqa: ARG002  # it has run times of its own
        """Return the outcome of a workload; it has segments, because jobs are preempted.

        Raises
        ------
        InputError
            The machine has too many processors.

        Examples
        --------
        A long job uses the whole machine when a short job arrives. The short job is served in the short slice of the
        next interval: from 3,600 on the machine switches for 60 s, then the short job runs for 50 s, and after another
        switch the long job continues.

        >>> w = Workload(submit=[0, 9], run=[20_000, 50], estimate=[20_000, 50], width=[4, 1], capacity=4)
        >>> result = TimeSharing().outcome(w)
        >>> result.start.tolist(), result.segments.end.tolist()
        ([0, 3660], [3600, 20170, 3710])
        """
        return _outcome(workload, self)

    @property
    def knows_run_times(self) -> bool:
        """Whether the policy knows real run times, whatever the estimates are."""
        return self.run_times == "known"


def check_nodes(workload: Workload) -> None:
    """Refuse a machine with more processors than a schedule with segments can have.

    Raises
    ------
    InputError
        There are more than MOST_NODES.
    """
    if workload.capacity > MOST_NODES:
        raise InputError(
            f"{workload.name}: where jobs are preempted the machine may have at most {MOST_NODES} processors, "
            f"but has {workload.capacity}"
        )


def _default_name(s: TimeSharing) -> str:
    """Return SCOJO-PECT with its variant."""
    variant = {None: "", "groups": " optimised", "bottom-line": " bottom line"}
    method = None if s.optimisation is None else s.optimisation.method
    return f"SCOJO-PECT{variant[method]}{'' if s.backfill else ', own jobs only'}"


def _outcome(workload: Workload, sharing: TimeSharing) -> Outcome:
    """Return start times, segments and the effort of the search, as the kernel computes them."""
    from ..kernels.scojo_pect import share_time  # on demand: kernels take long to import
    from ..kernels.scojo_pect_queue import queue_for

    check_nodes(workload.of_equal_processors("time sharing"))
    if workload.down is not None:
        raise InputError(
            f"{workload.name}: processors are down at times, which time sharing cannot respect: its jobs continue on "
            "the same processors, and the log does not say which ones are down; choose another policy"
        )
    w, optimisation = workload, sharing.optimisation
    run = w.run if sharing.knows_run_times else w.estimate
    kind = np.full(len(w), SHORT)
    kind[run >= sharing.medium_from] = MEDIUM
    kind[run >= sharing.long_from] = LONG
    planning = _planning(optimisation or Optimisation())
    most = 0 if optimisation is None else min(int(planning.most.max()), len(w))
    start = unknown_starts(len(w))
    counts = np.zeros((4, 2), dtype=np.int64)
    jobs = jobs_of(w)
    queue = queue_for(jobs)
    machine = machine_for(jobs, run, kind, queue.waiting, w.capacity, most)
    tree = tree_for(most, min(len(w), w.capacity), planning.candidates)
    record = share_time(jobs, w.capacity, _slices(w, sharing), planning, machine, queue, tree, start, counts)
    order = np.lexsort((record.begin, record.job))
    job = record.job[order]
    piece = np.concatenate([[0], np.cumsum(machine.pieces[job])])
    ranges = np.repeat(machine.at[job] - piece[:-1], machine.pieces[job]) + np.arange(piece[-1])
    switches = np.column_stack([record.switches, record.switches + sharing.overhead])
    segments = Segments(
        job, record.begin[order], record.end[order], piece, record.low[ranges], record.high[ranges], switches
    )
    totals = None if optimisation is None else SearchTotals(*((int(a), int(b)) for a, b in counts))
    return Outcome(start, segments, totals)


def _slices(workload: Workload, sharing: TimeSharing) -> Slices:
    """Return how time is divided, as the kernel takes it."""
    # After the last arrival a job runs whenever the machine does not switch. In an interval the machine switches at
    # most three times, and at most as many intervals are cut short as there are jobs.
    work, overheads = int(workload.run.sum()), 3 * sharing.overhead
    horizon = workload.latest_end + overheads * (work // (sharing.interval - overheads) + len(workload) + 1)
    days = hours(workload.epoch, workload.zone, horizon, tuple(row.hour for row in sharing.shares))
    return Slices(
        sharing.interval,
        sharing.overhead,
        sharing.short_slice,
        sharing.backfill,
        sharing.optimisation is not None,
        days.begin,
        days.kind,
        np.array([row[1:] for row in sharing.shares], dtype=np.float64),
    )


def _planning(optimisation: Optimisation) -> Planning:
    """Return the parameters of the optimisation as the kernel takes them."""
    groups = (optimisation.medium, optimisation.long)
    settings = optimisation._asdict() | {
        "bottom_line": optimisation.method == METHODS[1],
        "search": SEARCHES.index(optimisation.search),
        **{key: np.array([getattr(group, key) for group in groups]) for key in Grouping._fields},
    }
    return Planning(**{key: settings[key] for key in Planning._fields})


def _check(s: TimeSharing) -> None:
    """Refuse settings that break a rule."""
    _whole_within("overhead", s.overhead, 0, MOST_SECONDS)
    _whole_within("medium_from", s.medium_from, 1, MOST_SECONDS)
    _whole_within("long_from", s.long_from, s.medium_from, MOST_SECONDS)
    _whole_within("short_slice", s.short_slice, 1, MOST_SECONDS)
    least = 3 * s.overhead + s.short_slice + 2
    if not least <= real_number("interval", s.interval) <= MOST_SECONDS:
        raise InputError(
            f"interval must be in {least}..{MOST_SECONDS} s, so that it holds three switches, a short slice and some "
            f"seconds more, but is {s.interval}"
        )
    one_of("run_times", s.run_times, RUN_TIMES)
    if not [instance("shares", row, Shares) for row in list_argument("shares", s.shares)]:
        raise InputError("shares must be given for at least one hour, but are for none")
    hours = [whole_number("hour of shares", row.hour) for row in s.shares]
    if sorted(set(hours)) != hours or not all(0 <= hour <= 23 for hour in hours):
        raise InputError(f"hours of shares must be ascending numbers in 0..23, but are {first_few(hours, limit=24)}")
    for row in s.shares:
        parts = row[1:]
        sound = all(0 <= part <= 1 for part in parts) and row.medium > 0 and row.long > 0
        if not sound or abs(sum(parts) - 1) > 1e-9:
            raise InputError(
                "shares must be in [0, 1], those of medium and long jobs above 0, and add up to 1, but from hour "
                f"{row.hour} on they are {', '.join(f'{part:g}' for part in parts)}"
            )
    if s.optimisation is not None:
        _check_optimisation(instance("optimisation", s.optimisation, Optimisation))


def _check_optimisation(settings: Optimisation) -> None:
    """Refuse settings of the optimisation that break a rule."""
    one_of("method", settings.method, METHODS)
    one_of("search", settings.search, SEARCHES)
    _whole_within("permutations", settings.permutations, 1, MOST_PERMUTATIONS)
    _whole_within("threshold", settings.threshold, 0, MOST_JOBS)
    _whole_within("long_wide_least", settings.long_wide_least, 2, MOST_JOBS)
    _whole_within("long_wide_most", settings.long_wide_most, 2, MOST_LONG_WIDE)
    _whole_within("candidates", settings.candidates, 1, MOST_CANDIDATES)
    _whole_within("bound", settings.bound, 1, MOST_SECONDS)
    for key in ("force_shift", "makespan", "utilisation", "response"):
        _within(key, getattr(settings, key), 0, LARGEST)
    for key in ("pruning", "second_level", "ceiling", "dynamic"):
        instance(key, getattr(settings, key), bool)
    for key in ("delta", "least_use"):
        _within(key, getattr(settings, key), 0, 1)
    for name in CLASSES[1:]:
        group = instance(name, getattr(settings, name), Grouping)
        _whole_within(f"least of {name}", group.least, 1, MOST_JOBS)
        _whole_within(f"most of {name}", group.most, group.least, MOST_JOBS)
        _whole_within(f"mean_run of {name}", group.mean_run, 0, MOST_SECONDS)
        _whole_within(f"wide_run of {name}", group.wide_run, 0, MOST_SECONDS)
        for key in ("machines", "work"):
            _within(f"{key} of {name}", getattr(group, key), 0, LARGEST)
        _within(f"wide of {name}", group.wide, 0, 1)


def _within(name: str, value: float, low: float, high: float) -> None:
    """Refuse a number that is out of a range."""
    if not low <= real_number(name, value) <= high:
        text = f"{value:g}" if isinstance(value, float) else value
        raise InputError(f"{name} must be in {low:g}..{high:g}, but is {text}")


def _whole_within(name: str, value: int, low: int, high: int) -> None:
    """Refuse a number that is out of a range or not whole."""
    _within(name, value, low, high)
    whole_number(name, value)

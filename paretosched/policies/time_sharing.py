"""What SCOJO-PECT and its group optimisation are told: every number of theirs, with the values of paper 004.

SCOJO-PECT (paper 004, section 4) gives the machine to one class of jobs after the other: short, medium and long slices
in turn, as many seconds of an interval as the class's share says. At the end of a slice its jobs are preempted to disk,
and go on later on the same processors. Jobs of other classes may use what a slice leaves idle (non-type backfilling).
The optimisation (sections 5 to 7) collects waiting jobs of a class in groups, and looks for a better order of each.

What 004 leaves open is a parameter here, with the value and the reason of the specification of the reproduction:
interval 3,600 s (three switches of 60 s cost 5 % of it); a short slice lasts as long as the longest short job present
needs, at most `short_slice`, or its share if that is longer; group finish times by `delta` .05 and `least_use` .75.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from ..core.errors import InputError, first_few, one_of, quoted
from ..core.files import shown
from ..core.notebook import fields_html, fields_repr

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

    def _repr_html_(self) -> str:
        return fields_html(self)


class Grouping(NamedTuple):
    """When waiting jobs of a class become a group (paper 004, section 7.2), and which of them are long-wide (7.3).

    Attributes
    ----------
    least, most
        Jobs of a group; with `most`, it is searched in two halves.
    machines
        What the processors of all waiting jobs must exceed, in machines.
    work, mean_run
        What their work must exceed: `work` (lambda) times `mean_run` seconds of the whole machine.
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

    def _repr_html_(self) -> str:
        return fields_html(self)


class Optimisation(NamedTuple):
    """How groups are formed and searched (paper 004, sections 6 and 7).

    Attributes
    ----------
    method
        "groups"; or "bottom-line", an approximation of what section 9.5 compares with: at every event the first
        waiting jobs of the slice's class (at most as many as in a group) are searched anew, without conditions,
        long-wide jobs first, halves, shifts and choice among candidates.
    search
        In which order permutations are tried. "discrepancy": depth first, the rightmost jobs vary first (6.4.2);
        "lds": fewest discrepancies first; "dds": shallowest deepest discrepancy first (3.3.2).
    permutations
        Tried for each half of a group, at most; all those of the order count, scheduled or not.
    threshold
        Permutations with fewer discrepancies are not scheduled, but for the heuristic's own.
    pruning
        Branch and bound; changes no schedule, only the time it takes.
    second_level
        False: the heuristic's order, with the long-wide jobs permuted, is the plan (section 9.3.6).
    long_wide_least, long_wide_most
        From how many long-wide jobs on they are permuted first, and how many of them, those of the largest slowdown.
    force_shift
        A job may be moved into a hole if it runs for at most this many times the hole; 0 for never.
    candidates
        How many of the best permutations the choice of section 6.4.4 is made among.
    makespan, utilisation, response
        alpha, beta and gamma of that choice: the one with less slowdown is taken if its makespan and mean response
        time are below, and its utilisation above, so many times the other's.
    bound, ceiling
        Of the slowdown, seconds; whether it is rounded up to whole numbers.
    delta, least_use
        Of the group's finish (Figure 8): how far utilisation may fall below its maximum, and what suffices anyway.
    dynamic
        Whether a job that arrives while a group's slice runs is backfilled at once (6.6.2), before others.
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

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


class TimeSharing(NamedTuple):
    """Parameters of SCOJO-PECT; `check` says which are sound.

    Attributes
    ----------
    interval
        In which every class with jobs has one slice, s.
    overhead
        Of a switch from one class to another, s; nothing computes in that time.
    medium_from, long_from
        Run times from which jobs are medium and long, s.
    short_slice
        Limit of a short slice, s, unless its share is longer.
    shares
        From which hour on which shares hold; ascending, those of the last hour hold over midnight.
    run_times
        "known": the scheduler knows run times, as in paper 004; "estimates": it knows the requests.
    backfill
        Non-type ("smart") backfilling: jobs of other classes use what the slice's own leave idle.
    optimisation
        None for SCOJO-PECT itself.

    Examples
    --------
    >>> check(TimeSharing(interval=1800)).interval
    1800
    """

    interval: int = 3600
    overhead: int = 60
    medium_from: int = 600
    long_from: int = 10_800
    short_slice: int = 600
    shares: tuple[Shares, ...] = (Shares(),)
    run_times: str = "known"
    backfill: bool = True
    optimisation: Optimisation | None = None

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


def check(sharing: TimeSharing) -> TimeSharing:
    """Return parameters that are sound.

    Raises
    ------
    InputError
        A value breaks a rule; the message names it.
    """
    s = sharing
    _within("overhead", s.overhead, 0, MOST_SECONDS)
    _within("medium_from", s.medium_from, 1, MOST_SECONDS)
    _within("long_from", s.long_from, s.medium_from, MOST_SECONDS)
    _within("short_slice", s.short_slice, 1, MOST_SECONDS)
    least = 3 * s.overhead + s.short_slice + 2
    if not least <= s.interval <= MOST_SECONDS:
        raise InputError(
            f"interval must be in {least}..{MOST_SECONDS} s, so that it holds three switches, a short slice and some "
            f"seconds more, but is {s.interval}"
        )
    one_of("run_times", s.run_times, RUN_TIMES)
    if not s.shares:
        raise InputError("shares must be given for at least one hour, but are for none")
    hours = [row.hour for row in s.shares]
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
        _check_optimisation(s.optimisation)
    return s


def _check_optimisation(made: Optimisation) -> None:
    one_of("method", made.method, METHODS)
    one_of("search", made.search, SEARCHES)
    _within("permutations", made.permutations, 1, MOST_PERMUTATIONS)
    _within("threshold", made.threshold, 0, MOST_JOBS)
    _within("long_wide_least", made.long_wide_least, 2, MOST_JOBS)
    _within("long_wide_most", made.long_wide_most, 2, MOST_LONG_WIDE)
    _within("candidates", made.candidates, 1, MOST_CANDIDATES)
    _within("bound", made.bound, 1, MOST_SECONDS)
    for key in ("force_shift", "makespan", "utilisation", "response"):
        _within(key, getattr(made, key), 0, LARGEST)
    for key in ("delta", "least_use"):
        _within(key, getattr(made, key), 0, 1)
    for name in CLASSES[1:]:
        group: Grouping = getattr(made, name)
        _within(f"least of {name}", group.least, 1, MOST_JOBS)
        _within(f"most of {name}", group.most, group.least, MOST_JOBS)
        _within(f"mean_run of {name}", group.mean_run, 0, MOST_SECONDS)
        _within(f"wide_run of {name}", group.wide_run, 0, MOST_SECONDS)
        for key in ("machines", "work"):
            _within(f"{key} of {name}", getattr(group, key), 0, LARGEST)
        _within(f"wide of {name}", group.wide, 0, 1)


def _within(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        shown = f"{value:g}" if isinstance(value, float) else value
        raise InputError(f"{name} must be in {low:g}..{high:g}, but is {shown}")


def to_json(sharing: TimeSharing) -> dict[str, Any]:
    """Turn parameters into plain values that a person can read; "optimisation" is "none" without one."""
    made = sharing.optimisation
    plain: Any = "none"
    if made is not None:
        plain = made._asdict() | {"medium": made.medium._asdict(), "long": made.long._asdict()}
    return sharing._asdict() | {"shares": [row._asdict() for row in sharing.shares], "optimisation": plain}


def from_json(value: dict[str, Any]) -> TimeSharing:
    """Turn what `to_json` gave into parameters again; what is left out has its default value.

    Raises
    ------
    InputError
        A key is unknown, a value of the wrong type, or breaks a rule.

    Examples
    --------
    >>> from_json({"overhead": 30, "optimisation": {"search": "dds"}}).optimisation.search
    'dds'
    """
    readers: dict[str, Callable[[Any], Any]] = {"shares": _shares, "optimisation": _optimisation}
    return check(_read(TimeSharing(), value, "", readers))


def _shares(value: Any) -> tuple[Shares, ...]:
    if not isinstance(value, list):
        raise InputError(f'"shares" must be a list, but is {shown(value)}')
    return tuple(_read(Shares(), row, "shares: ") for row in value)


def _optimisation(value: Any) -> Optimisation | None:
    if value == "none":
        return None
    own = Optimisation()
    readers: dict[str, Callable[[Any], Any]] = {
        "medium": lambda part: _read(own.medium, part, "medium: "),
        "long": lambda part: _read(own.long, part, "long: "),
    }
    try:
        made: Optimisation = _read(own, value, "", readers)
        return made
    except InputError as error:
        raise InputError(f"optimisation: {error}") from None


def _read(default: Any, value: Any, where: str, readers: dict[str, Callable[[Any], Any]] | None = None) -> Any:
    """Change a tuple of defaults by an object of JSON; values have the types of the defaults."""
    own = readers or {}
    if not isinstance(value, dict):
        raise InputError(f"{where}must be an object, but is {shown(value)}")
    known: Sequence[str] = default._fields
    unknown = [quoted(key) for key in value if key not in known]
    if unknown:
        raise InputError(f"{where}the keys here are {', '.join(known)}, but there is also {first_few(unknown)}")
    return default._replace(
        **{
            key: own[key](part) if key in own else _of_type(f'{where}"{key}"', part, type(getattr(default, key)))
            for key, part in value.items()
        }
    )


def _of_type(where: str, part: Any, kind: type) -> Any:
    if kind is float and isinstance(part, int) and not isinstance(part, bool):
        part = float(min(max(part, -(2**53)), 2**53))  # far out of bounds either way, and no overflow
    if not isinstance(part, kind) or (kind is int and isinstance(part, bool)):
        words = {str: "text", float: "a number", int: "a whole number", bool: "true or false"}
        raise InputError(f"{where} must be {words[kind]}, but is {shown(part)}")
    return part

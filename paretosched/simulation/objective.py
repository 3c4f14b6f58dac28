"""The objectives: utilisation, average weighted response time, and that time for each user group.

Paper 002, section 4.1 and equation (8); paper 000, section IV-B. With the resource consumption RC_j = p_j m_j
(true run time times processors) and the response time C_j - r_j, from when a job is eligible to its completion:

    UTIL   = 100 * sum RC_j / (m * (last completion - first start))           percent, larger is better
    AWRT   = sum RC_j (C_j - r_j) / sum RC_j                                  seconds, smaller is better
    AWRT_i = the same sums over the jobs of group i

That is the UTIL of the papers, FROM_START. It rewards a schedule that idles first, and then packs well. FROM_SUBMISSION
is from the first submission, a moment that no schedule can choose; that of a search. An online policy starts as soon as
a job can run, so that its two values are one unless no job can run at first.

On a machine of nodes p_j m_j is the run time times the *charge* of the job, see `paretosched.workload.charge`: the
largest share that it asks for of any resource, times the CPUs of the machine. There UTIL is that of the CPUs that jobs
ask for; UTIL_memory and UTIL_gpus are the same of memory and of GPUs, and are told beside the objectives.

Behind these G + 2 values there are those of the measures of a workload, such as "p95 wait of gpu", if an owner has
asked for some, see `paretosched.workload.measures`. Which objectives a search is for is said by `Objective.decides`.

AWRT is a mean of the AWRT_i with weights that no schedule can change (RC of group i / RC). Therefore AWRT never
decides whether one schedule dominates another, and no dominance check uses it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, overload, runtime_checkable

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import instance, list_argument
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, html_table
from ..core.tables import Column, amount
from ..kernels.objective_sums import measure
from ..policies.outcome import Outcome, Pauses, arrivals, finish_times
from ..workload.from_paths import GroupsLike, as_groups
from ..workload.measures import USES, measure_of, with_measures
from ..workload.workload import NOTHING_MEASURED, Measured, Workload
from .measures import consumption_of, measured_values, share_used

if TYPE_CHECKING:
    import pandas as pd

EVERY_JOB = np.empty(0, dtype=np.bool_)
FROM_START, FROM_SUBMISSION = "start", "submission"
UTIL_FROM = (FROM_SUBMISSION, FROM_START)  # where UTIL begins to count: the first submission, or the first start


class Objective(NamedTuple):
    """One objective.

    Attributes
    ----------
    name
        "UTIL", "AWRT", "AWRT1", ...
    unit
        "%" or "s".
    maximise
        True if larger is better.
    label
        What it is, in words.
    decides
        Whether it decides which of two schedules is better, as searches need it.
    """

    name: str
    unit: str
    maximise: bool
    label: str
    decides: bool = True

    def _repr_html_(self) -> str:
        return fields_html(self)


def objective_table(
    groups: GroupsLike, util_from: str = FROM_START, measured: Measured | None = None
) -> tuple[Objective, ...]:
    """Return the objectives for user groups of these names, in the order of every objective vector.

    Parameters
    ----------
    groups
        The names of the groups; or a workload, a front or a policy for them, or the path of a log or run directory.
    util_from
        One of UTIL_FROM, of which the label of UTIL speaks; the papers' is plain "utilisation".
    measured
        What is measured beside UTIL and AWRTs, and which objectives decide; by default that of the workload or front.

    Raises
    ------
    InputError
        It is something else.

    Examples
    --------
    >>> [o.name for o in objective_table(("1", "2"))]
    ['UTIL', 'AWRT', 'AWRT1', 'AWRT2']
    """
    since = (util_from == FROM_SUBMISSION) * ", from the first submission"
    numbered = enumerate(as_groups(groups), 1)
    own = getattr(groups, "measured", None)
    usual = own if isinstance(own, Measured) else NOTHING_MEASURED
    here: Measured = usual if measured is None else instance("measured", measured, Measured)
    measures = (measure_of(name) for name in here.names)
    table = (
        Objective("UTIL", "%", True, f"utilisation{since}"),
        Objective("AWRT", "s", False, "average weighted response time", decides=False),
        *(Objective(f"AWRT{i}", "s", False, f"AWRT of group {name}") for i, name in numbered),
        *(
            Objective(m.name, m.unit, m.maximise, m.label + (m.quantity in USES) * since, decides=False)
            for m in measures
        ),
    )
    return tuple(o._replace(decides=o.name in here.deciding) for o in table) if here.deciding else table


def resource_table(workload: Workload, util_from: str = FROM_START) -> tuple[Objective, ...]:
    """Return what is told beside the objectives on a machine of nodes: the use of memory and GPUs that it gives out."""
    since = (util_from == FROM_SUBMISSION) * ", from the first submission"
    return tuple(
        Objective(name, "%", True, f"utilisation of {words}{since}")
        for name, words in USES.items()
        if words in workload.resource_shares and name not in workload.measured.names
    )


def objective_names(count: int, extra: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of so many objectives, the columns of an objective vector, whatever the groups are called.

    `extra` are the measures in the last columns.

    Examples
    --------
    >>> objective_names(5, ["mean wait"])
    ('UTIL', 'AWRT', 'AWRT1', 'AWRT2', 'mean wait')
    """
    return ("UTIL", "AWRT", *(f"AWRT{i}" for i in range(1, count - 1 - len(extra))), *extra)


def objective_count(workload: Workload) -> int:
    """Return how many objectives a schedule of a workload has, m: G + 2, and its measures."""
    return len(workload.groups) + 2 + len(workload.measured.names)


def is_of_group(name: str) -> bool:
    """Return whether an objective with this name is the AWRT of a group.

    Examples
    --------
    >>> [is_of_group(name) for name in ("UTIL", "AWRT", "AWRT12", "mean wait")]
    [False, False, True, False]
    """
    return name.startswith("AWRT") and name != "AWRT"


def group_of(objective: Objective) -> str:
    """Return the name of the group whose response time an objective is."""
    return objective.label.removeprefix("AWRT of group ")


def with_group(objective: Objective) -> str:
    """Return the name of an objective, and in brackets that of its group unless it is only a number.

    Examples
    --------
    >>> [with_group(o) for o in objective_table(("theo-chem", "2"))[1:]]
    ['AWRT', 'AWRT1 (theo-chem)', 'AWRT2']
    """
    group = group_of(objective)
    has_name = is_of_group(objective.name) and objective.name != f"AWRT{group}"
    return f"{objective.name} ({group})" if has_name else objective.name


def groups_in_words(groups: Sequence[str]) -> list[str]:
    """Return a line that says which objective belongs to which group; none if groups are numbered like objectives.

    Examples
    --------
    >>> groups_in_words(("vip", "2")), groups_in_words(("1", "2"))
    (['AWRT1 is group vip, AWRT2 is group 2'], [])
    """
    if all(name == str(i) for i, name in enumerate(groups, 1)):
        return []
    return [", ".join(f"AWRT{i} is group {name}" for i, name in enumerate(groups, 1))]


def convention(objectives: Iterable[Objective]) -> str:
    """Return what a gain over EASY is, in words, and of which objectives a positive one is worse.

    Examples
    --------
    >>> convention([Objective("UTIL", "%", True, ""), Objective("AWRT", "s", False, "")])
    '(EASY - X) / EASY; positive is better for response times and worse for UTIL'
    """
    more = " and ".join(o.name for o in objectives if o.maximise)
    return f"(EASY - X) / EASY; positive is better for response times and worse for {more}"


def scale_of(objective: Objective, value: float) -> float:
    """Return what a value is measured by where shares of it are wanted: itself, or, of 0, one minute, per cent or unit.

    A median wait may be 0, and no share of it says anything.

    Examples
    --------
    >>> wait, util = Objective("median wait", "s", False, ""), Objective("UTIL", "%", True, "")
    >>> scale_of(wait, 0.0), scale_of(wait, 5.0), scale_of(util, 0.0)
    (60.0, 5.0, 1.0)
    """
    return value if value > 0 else 60.0 if objective.unit == "s" else 1.0


def in_hours(objective: Objective) -> Column:
    """Return the column of an objective in a table for people: response times in hours."""
    unit = "h" if objective.unit == "s" else objective.unit
    return Column(objective.name, f"{objective.name} {unit}".rstrip(), ",.2f")


@dataclass(frozen=True, eq=False, repr=False)
class ObjectiveValues(Mapping[str, float], NDArrayOperatorsMixin):
    """Objective values by name, as pandas takes a Mapping; and calculated with as an array, (m,) float64.

    By name there is also what is told beside the objectives: the utilisation of memory and GPUs of a machine of nodes.

    What is calculated from them is a plain array, and they have what else an array has, such as `tolist`; but a loop
    goes over the names, and two of them are compared as mappings. Nothing can be changed.

    Parameters
    ----------
    array
        The values, (m,), as a read-only array.
    objectives
        The objectives, in this order.
    told
        What is told beside them, with its values; it is no part of the array.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> from paretosched.simulation.schedule import Schedule
    >>> values = objectives(Schedule(w, [0, 10]))
    >>> values
    UTIL 83.3333 %, AWRT 11 s, AWRT1 11 s
    >>> values["AWRT"], values[1], (values / 2).tolist()[1]
    (11.0, np.float64(11.0), 5.5)
    >>> dict(values)["AWRT1"], list(values)
    (11.0, ['UTIL', 'AWRT', 'AWRT1'])
    """

    array: Floats
    objectives: tuple[Objective, ...]
    told: tuple[tuple[Objective, float], ...] = ()

    def __post_init__(self) -> None:
        array = np.array(self.array, dtype=np.float64)
        array.flags.writeable = False
        object.__setattr__(self, "array", array)

    @overload
    def __getitem__(self, key: str) -> float: ...
    @overload
    def __getitem__(self, key: Any) -> Any: ...
    def __getitem__(self, key: Any) -> Any:
        """Return a value by the name of its objective or by its number, or a part as a plain array."""
        if isinstance(key, str):
            one_of("objective", key, list(self))
            return next(value for o, value in self.table if o.name == key)
        return self.array[key]

    @property
    def table(self) -> list[tuple[Objective, float]]:
        """Return the objectives and what is told beside them, with their values."""
        return [*zip(self.objectives, self.array.tolist(), strict=True), *self.told]

    def __iter__(self) -> Iterator[str]:
        return (o.name for o, _ in self.table)

    def __len__(self) -> int:
        return len(self.objectives) + len(self.told)

    def __contains__(self, name: object) -> bool:
        return name in list(self)

    def get(self, name: str, default: Any = None) -> Any:
        """Return the value of an objective, or a default if there is none of this name."""
        return self[name] if name in self else default  # noqa: SIM401  # this is get

    def __eq__(self, other: object) -> Any:
        """Return whether another mapping has the same values by the same names; with an array, of each value."""
        return dict(self) == dict(other) if isinstance(other, Mapping) else self.array == other

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return not equal if isinstance(equal, bool) else ~equal

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Floats:
        return np.array(self.array, dtype=dtype, copy=copy)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        arrays = (np.asarray(each) if isinstance(each, ObjectiveValues) else each for each in inputs)
        return getattr(ufunc, method)(*arrays, **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return ObjectiveValues, (np.array(self.array), self.objectives, self.told)

    def __getattr__(self, name: str) -> Any:
        """Return what else an array has, such as `tolist` and `shape`."""
        if name.startswith("_") or name == "array":  # protocols are those of a Mapping; unpickled it is empty at first
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.array, name)

    def __repr__(self) -> str:
        return ", ".join(f"{o.name} {amount(x)} {o.unit}" for o, x in self.table)

    def _repr_html_(self) -> str:
        rows = [(o.name, x, o.unit, o.label) for o, x in self.table]
        return html_table("objectives", ("objective", "value", "unit", "meaning"), rows)

    def frame(self) -> pd.DataFrame:
        """Return the values as a pandas DataFrame: "value", "unit", "maximise" and "label" by objective."""
        import pandas as pd

        rows = [o._asdict() | {"value": x} for o, x in self.table]
        return pd.DataFrame(rows).set_index("name")[["value", "unit", "maximise", "label"]]


@runtime_checkable
class Timed(Protocol):
    """What objectives are of: a `Schedule`, which is defined later because it has its objectives itself."""

    @property
    def workload(self) -> Workload:
        """Return the jobs."""

    @property
    def start(self) -> Ints:
        """Return their start times, (n,) s."""

    @property
    def pauses(self) -> Pauses | None:
        """Return when jobs were stopped; None if none was."""

    @cached_property
    def finish(self) -> Ints:
        """Return when they end, (n,) s."""


def objectives(
    schedule: Timed,
    counted: ArrayLike | None = None,
    util_from: str = FROM_START,
    measures: Sequence[str] = (),
) -> ObjectiveValues:
    """Return the objectives of a schedule; of all its jobs they are also `schedule.objectives`.

    Parameters
    ----------
    schedule
        Any schedule.
    counted
        (n,) bool, the jobs that count; None for all of them.
    util_from
        "start": UTIL of the papers, from the first start. "submission": from the first submission.
    measures
        What else is measured, in words such as "p95 wait", see `paretosched.workload.measures`.

    Returns
    -------
    ObjectiveValues
        G + 2 values by name, and those of the workload's measures, in the order of `objective_table`, which know their
        units; NaN for a group without counted jobs, because the mean is undefined, not zero. By name there are also
        UTIL_memory and UTIL_gpus, if the machine has nodes that give them out.

    Raises
    ------
    InputError
        `schedule` is no schedule, `counted` has the wrong length or type, `util_from` is another word, or a measure is
        none of this workload.

    Examples
    --------
    >>> from paretosched.simulation.schedule import Schedule
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> objectives(Schedule(w, [0, 10])).tolist()
    [83.33333333333333, 11.0, 11.0]
    >>> late = Schedule(w, [20, 30])
    >>> objectives(late)["UTIL"], objectives(late, util_from="submission")["UTIL"]
    (83.33333333333333, 35.714285714285715)
    >>> objectives(late, measures=["mean wait"])["mean wait"]
    25.0
    """
    one_of("util_from", util_from, UTIL_FROM)
    if not isinstance(schedule, Timed):
        raise InputError(f"schedule must be a value of the type Schedule, but is {schedule!r:.60}")
    w = with_measures(schedule.workload, list_argument("measures", measures))
    mask = EVERY_JOB if counted is None else np.ascontiguousarray(counted)
    if counted is not None and (mask.shape != (len(w),) or mask.dtype != np.bool_):
        raise InputError(f"counted must be bool with shape ({len(w)},), but is {mask.dtype} with {mask.shape}")
    values = _measure(w, schedule.start, schedule.finish, mask, util_from, schedule.pauses)
    begin = schedule.start if util_from == FROM_START else w.submit
    told = (
        (o, share_used(w, schedule.start, schedule.finish, mask, w.resource_shares[USES[o.name]], begin))
        for o in resource_table(w, util_from)
    )
    return ObjectiveValues(values, objective_table(w, util_from), tuple(told))


def objectives_of(workload: Workload, outcome: Outcome, util_from: str = FROM_START) -> Floats:
    """Return the objectives, (G + 2 + k,), of the outcome of a policy or of a genome: those of its schedule.

    Where jobs wait for others (`Workload.reactions`), they are eligible when these let them come. Nothing is checked,
    because every search calls this function for every evaluation.
    """
    finish = finish_times(workload.run, outcome.start, outcome.segments, outcome.lives, outcome.pauses)
    if workload.reactions is not None:
        workload = workload.arriving_at(arrivals(workload, outcome))
    return _measure(workload, outcome.start, finish, EVERY_JOB, util_from, outcome.pauses)


def _measure(
    workload: Workload,
    start: NDArray[np.int64],
    finish: NDArray[np.int64],
    mask: NDArray[np.bool_],
    util_from: str,
    pauses: Pauses | None,
) -> Floats:
    """Return the objectives, (G + 2 + k,), of start and finish times, (n,) s, and of the pauses of jobs, if any.

    The jobs that count are (n,) bool, or empty for all of them.
    """
    w = workload
    values = np.empty(len(w.groups) + 2)
    begin = start if util_from == FROM_START else w.submit  # UTIL counts from the first of these
    measure(
        begin,
        finish,
        w.eligible,
        w.run,
        w.width if w.asked_shares is None else w.charge,
        w.group,
        w.capacity,
        mask,
        values,
    )
    if w.asked_shares is not None:
        values[0] = share_used(w, start, finish, mask, w.asked_shares.cpus, begin)
    return np.append(values, measured_values(w, start, finish, mask, begin, pauses)) if w.measured.names else values


def utilisation_from_submission(schedule: Timed) -> float:
    """Return the used share of the machine from the first submission to the last completion, per cent.

    It is UTIL of `objectives` with `util_from="submission"`.

    Examples
    --------
    >>> from paretosched.simulation.schedule import Schedule
    >>> w = Workload(submit=[0, 0], run=[10, 10], estimate=[10, 10], width=[4, 4], capacity=4)
    >>> late = Schedule(w, [20, 30])
    >>> objectives(late)["UTIL"], utilisation_from_submission(late)
    (100.0, 50.0)
    """
    return float(objectives(schedule, util_from=FROM_SUBMISSION)["UTIL"])


def can_run_at_once(workload: Workload) -> bool:
    """Return whether a job can run with the first submission, whatever is down: UTIL of online policies is then one."""
    return workload.down is None and bool(workload.eligible.min() == workload.submit.min())


def shares(workload: Workload) -> Floats:
    """Return each group's share of the resource consumption, (G,): the fixed weights of AWRT_i in AWRT."""
    consumption = consumption_of(workload)
    share: Floats = np.bincount(workload.group, consumption, len(workload.groups)) / consumption.sum()
    return share


def improvement(values: Floats, easy: Floats) -> Floats:
    """Return (EASY - X) / EASY in per cent, the papers' convention: for UTIL positive is worse; NaN where EASY has 0.

    Examples
    --------
    >>> improvement(np.array([66.0, 45.0]), np.array([60.0, 50.0])).tolist()
    [-10.0, 10.0]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        gain: Floats = 100.0 * (easy - values) / easy
    return np.where(easy == 0, np.nan, gain)

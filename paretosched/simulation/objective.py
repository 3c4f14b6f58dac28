"""The objectives: utilisation, average weighted response time, and that time for each user group.

Paper 002, section 4.1 and equation (8); paper 000, section IV-B. With the resource consumption RC_j = p_j m_j
(true run time times processors) and the response time C_j - r_j, from when a job is eligible to its completion:

    UTIL   = 100 * sum RC_j / (m * (last completion - first start))           percent, larger is better
    AWRT   = sum RC_j (C_j - r_j) / sum RC_j                                  seconds, smaller is better
    AWRT_i = the same sums over the jobs of group i

That is the UTIL of the papers, FROM_START. It rewards a schedule that idles first, and then packs well. FROM_SUBMISSION
is from the first submission, a moment that no schedule can choose; that of a search. An online policy starts as soon as
a job can run, so that its two values are one unless no job can run at first.

AWRT is a mean of the AWRT_i with weights that no schedule can change (RC of group i / RC). Therefore AWRT never
decides whether one schedule dominates another, and no dominance check uses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.arguments import instance
from ..core.arrays import Floats
from ..core.errors import InputError, one_of
from ..core.notebook import fields_html, html_table
from ..core.tables import Column, amount
from ..kernels.objective_sums import measure
from ..workload.from_paths import GroupsLike, as_groups
from ..workload.workload import Workload
from .schedule import Schedule

if TYPE_CHECKING:
    import pandas as pd

CONVENTION = "(EASY - X) / EASY; positive is better for response times and worse for UTIL"
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
    """

    name: str
    unit: str
    maximise: bool
    label: str

    def _repr_html_(self) -> str:
        return fields_html(self)


def objective_table(groups: GroupsLike, util_from: str = FROM_START) -> tuple[Objective, ...]:
    """Return the objectives for user groups of these names, in the order of every objective vector.

    Parameters
    ----------
    groups
        The names of the groups; or a workload, a front or a policy for them, or the path of a log or run directory.
    util_from
        One of UTIL_FROM, of which the label of UTIL speaks; the papers' is plain "utilisation".

    Raises
    ------
    InputError
        It is something else.

    Examples
    --------
    >>> [o.name for o in objective_table(("1", "2"))]
    ['UTIL', 'AWRT', 'AWRT1', 'AWRT2']
    """
    return (
        Objective("UTIL", "%", True, "utilisation" + (util_from == FROM_SUBMISSION) * ", from the first submission"),
        Objective("AWRT", "s", False, "average weighted response time"),
        *(Objective(f"AWRT{i}", "s", False, f"AWRT of group {name}") for i, name in enumerate(as_groups(groups), 1)),
    )


def objective_names(count: int) -> tuple[str, ...]:
    """Return the names of so many objectives, the columns of an objective vector, whatever the groups are called.

    Examples
    --------
    >>> objective_names(4)
    ('UTIL', 'AWRT', 'AWRT1', 'AWRT2')
    """
    return ("UTIL", "AWRT", *(f"AWRT{i}" for i in range(1, count - 1)))


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
    return objective.name if objective.name in ("UTIL", "AWRT", f"AWRT{group}") else f"{objective.name} ({group})"


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


def in_hours(objective: Objective) -> Column:
    """Return the column of an objective in a table for people: response times in hours."""
    return Column(objective.name, f"{objective.name} {'h' if objective.unit == 's' else objective.unit}", ",.2f")


class ObjectiveValues(np.ndarray[tuple[int, ...], np.dtype[np.float64]]):
    """Objective values, (G + 2,) float64, which know their names and units; in all else they are an array.

    A part of them, and what is calculated from them, is a plain array.

    Attributes
    ----------
    objectives
        The objectives, in this order.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> values = objectives(Schedule(w, [0, 10]))
    >>> values
    UTIL 83.3333 %, AWRT 11 s, AWRT1 11 s
    >>> values["AWRT"], values[1], (values / 2).tolist()[1]
    (11.0, np.float64(11.0), 5.5)
    """

    objectives: tuple[Objective, ...]

    def __array_finalize__(self, source: NDArray[Any] | None, /) -> None:
        self.objectives = getattr(source, "objectives", ())

    def __array_wrap__(self, array: NDArray[Any], context: Any = None, return_scalar: bool = False, /) -> Any:
        return np.asarray(array)[()]

    def __getitem__(self, key: Any, /) -> Any:
        """Return a value by its number or by the name of its objective, or a part as a plain array."""
        if isinstance(key, str):
            names = [o.name for o in self.objectives]
            one_of("objective", key, names)
            return float(np.asarray(self)[names.index(key)])
        return np.asarray(self)[key]

    def __reduce__(self) -> tuple[Any, ...]:
        return _with_objectives, (np.array(self), self.objectives)

    def __repr__(self) -> str:
        if self.shape != (len(self.objectives),):
            return repr(np.asarray(self))
        return ", ".join(f"{o.name} {amount(x)} {o.unit}" for o, x in zip(self.objectives, self.tolist(), strict=True))

    __str__ = __repr__

    def _repr_html_(self) -> str:
        rows = [(o.name, x, o.unit, o.label) for o, x in zip(self.objectives, self.tolist(), strict=True)]
        return html_table("objectives", ("objective", "value", "unit", "meaning"), rows)

    def frame(self) -> pd.DataFrame:
        """Return the values as a pandas DataFrame: "value", "unit", "maximise" and "label" by objective."""
        import pandas as pd

        rows = [o._asdict() | {"value": x} for o, x in zip(self.objectives, self.tolist(), strict=True)]
        return pd.DataFrame(rows).set_index("name")[["value", "unit", "maximise", "label"]]


def _with_objectives(values: Floats, objectives: tuple[Objective, ...]) -> ObjectiveValues:
    """Return values that know their objectives."""
    result = values.view(ObjectiveValues)
    result.objectives = objectives
    return result


def objectives(schedule: Schedule, counted: ArrayLike | None = None, util_from: str = FROM_START) -> ObjectiveValues:
    """Return the objectives of a schedule.

    Parameters
    ----------
    schedule
        Any schedule.
    counted
        (n,) bool, the jobs that count; None for all of them.
    util_from
        "start": UTIL of the papers, from the first start. "submission": from the first submission.

    Returns
    -------
    ObjectiveValues
        (G + 2,) float64 in the order of `objective_table`, which know their names and units;
        NaN for a group without counted jobs, because the mean is undefined, not zero.

    Raises
    ------
    InputError
        `schedule` is no schedule, `counted` has the wrong length or type, or `util_from` is another word.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[10, 5], estimate=[10, 5], width=[4, 2], capacity=4)
    >>> objectives(Schedule(w, [0, 10])).tolist()
    [83.33333333333333, 11.0, 11.0]
    >>> late = Schedule(w, [20, 30])
    >>> objectives(late)["UTIL"], objectives(late, util_from="submission")["UTIL"]
    (83.33333333333333, 35.714285714285715)
    """
    one_of("util_from", util_from, UTIL_FROM)
    w = instance("schedule", schedule, Schedule).workload
    mask = EVERY_JOB if counted is None else np.ascontiguousarray(counted)
    if counted is not None and (mask.shape != (len(w),) or mask.dtype != np.bool_):
        raise InputError(f"counted must be bool with shape ({len(w)},), but is {mask.dtype} with {mask.shape}")
    values = _measure(w, schedule.start, schedule.finish, mask, util_from)
    return _with_objectives(values, objective_table(w.groups, util_from))


def objectives_of(workload: Workload, start: NDArray[np.int64], util_from: str = FROM_START) -> Floats:
    """Return the objectives, (G + 2,), of start times, (n,) s, of jobs that are not preempted.

    Nothing is checked, because every search calls this function for every evaluation.
    """
    return _measure(workload, start, start + workload.run, EVERY_JOB, util_from)


def _measure(
    workload: Workload,
    start: NDArray[np.int64],
    finish: NDArray[np.int64],
    mask: NDArray[np.bool_],
    util_from: str,
) -> Floats:
    """Return the objectives, (G + 2,), of start and finish times, (n,) s; counted: (n,) bool, or empty for all jobs."""
    w = workload
    values = np.empty(len(w.groups) + 2)
    begin = start if util_from == FROM_START else w.submit  # UTIL counts from the first of these
    measure(begin, finish, w.eligible, w.run, w.width, w.group, w.capacity, mask, values)
    return values


def utilisation_from_submission(schedule: Schedule) -> float:
    """Return the used share of the machine from the first submission to the last completion, per cent.

    It is UTIL of `objectives` with `util_from="submission"`.

    Examples
    --------
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
    consumption = (workload.run * workload.width).astype(np.float64)
    share: Floats = np.bincount(workload.group, consumption, len(workload.groups)) / consumption.sum()
    return share


def improvement(values: Floats, easy: Floats) -> Floats:
    """Return (EASY - X) / EASY in per cent, the papers' convention: for UTIL positive is worse.

    Examples
    --------
    >>> improvement(np.array([66.0, 45.0]), np.array([60.0, 50.0])).tolist()
    [-10.0, 10.0]
    """
    gain: Floats = 100.0 * (easy - values) / easy
    return gain

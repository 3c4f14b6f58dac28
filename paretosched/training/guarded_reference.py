"""The guarded order of a wish: untrained, and what a training for limits must be set against."""

from __future__ import annotations

import numpy as np

from ..core.errors import InputError
from ..policies.guarded import FACTORS, Guarded
from ..policies.priority import checked_group_names
from ..simulation.objective import objective_table
from .task import Task, important_groups


def guarded_of(task: Task) -> Guarded | None:
    """Return the guarded order of what a task minimises; None if it is not for it.

    The groups in the goal come first, by their weights. Limits become multiples of what EASY reaches on the jobs to
    learn from; of several workloads, and of the groups, the strictest one counts. One on a measure, such as p95 of a
    group's waits, counts as one on the AWRT of each group: a guard can steer by no other. Limits that a guarded order
    does not steer by, such as of UTIL, are left to the comparison. It is not for wishes without a group in their sum or
    without a limit on AWRT or on a group, nor if no words can name one of these groups, see `checked_group_names`.

    Examples
    --------
    >>> from paretosched.policies.guarded import guarded_text
    >>> from paretosched.wishes.wish_files import as_wish
    >>> from paretosched.workload.workload import Workload
    >>> w = Workload([0, 1, 2], [5] * 3, [5] * 3, [1] * 3, capacity=1, group=[0, 0, 1], groups=("1", "vip"))
    >>> wish = as_wish("10*vip, AWRT <= EASY, others <= 1.1*EASY", w.groups)
    >>> guarded_text(guarded_of(Task(wish, "sum", [w], [w])))
    'guarded: vip; overall: 1; each: 1.1; review: 6h; ageing: 12h; step: 4'
    """
    first = important_groups(task.wish, task.workloads[0].groups)
    overall, each = _strictest(task)
    if not first or min(overall, each) == np.inf:
        return None
    try:
        checked_group_names("groups", first)
    except InputError:
        return None
    overall, each = (min(max(round(factor, 6), FACTORS[0]), FACTORS[1]) for factor in (overall, each))
    return Guarded(first, overall, each)


def _strictest(task: Task) -> tuple[float, float]:
    """Return the strictest upper limits as multiples of what EASY reaches: of AWRT, and of any group."""
    overall, each = np.inf, np.inf
    names = [objective.name for objective in objective_table(task.workloads[0])]
    for wish, (easy,) in zip(task.wishes, task.parts(task.easy_values[None]), strict=True):
        for limit in () if wish is None else wish.limits:
            place = names.index(limit.objective)
            if place == 0 or not easy[place] > 0:
                continue
            factor = limit.high / float(easy[place])
            overall, each = (min(overall, factor), each) if place == 1 else (overall, min(each, factor))
    return overall, each

"""What a training minimises: the goal and the limits of a wish, on one workload or several."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import number, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from ..policies.outcome import Outcome
from ..policies.plain import Plain
from ..policies.policy import Policy
from ..simulation.objective import objectives_of
from ..simulation.simulator import letting_wait
from ..wishes import wish as choice
from ..wishes.relative_limits import resolved_on
from ..wishes.wish import Wish
from ..wishes.wish_files import WishLike, measuring
from ..workload.group_rules import comes_from_consumption
from ..workload.measures import as_measured, is_measure, measure_of
from ..workload.reopening import WorkloadLike, as_workloads
from ..workload.resampling import resample, why_not_resampled
from ..workload.time_split import split
from ..workload.user_groups import by_earlier_consumption
from ..workload.workload import Workload
from .margins import checked_margin, stricter_wish

SUM, RATIO = "sum", "ratio"
MOST_SAMPLES = 1000
TENTH = 10  # limits are those of the worst tenth of the samples


class Task:
    """The goal and the limits of a wish on several workloads, for values side by side, (k, W m).

    `whole` has the workloads of which these are parts. `samples` workloads in succession stand for one log, see
    `with_samples`: of them, goals count by their mean and limits by the worst tenth. Relative limits get numbers on
    each workload, in `wishes`. The search keeps a distance of `margin` per cent to the limits, see `with_margin`.

    A test leaves out groups without jobs: `wishes` is None where nothing is left, and `scales` is NaN without a goal.
    """

    def __init__(
        self,
        wish: Wish,
        over: str,
        workloads: Sequence[Workload],
        whole: Sequence[Workload],
        samples: int = 1,
        is_test: bool = False,
    ) -> None:
        self.wish = wish
        self.samples = samples
        self.margin = 0.0
        self.over = over
        self.workloads = [letting_wait(workload) for workload in workloads]
        self.whole = list(whole)
        self.easy_values = self.values_of(Plain("easy"))
        easy = self.parts(self.easy_values[None])
        left = [choice.part_with_jobs(wish, values[0]) if is_test else wish for values in easy]
        self.wishes = [
            None if part is None else resolved_on(part, w, {"easy": values[0]})
            for w, values, part in zip(self.workloads, easy, left, strict=True)
        ]
        self.scales = np.array([self._scale(*each) for each in zip(self.workloads, left, easy, strict=True)])
        self.scales *= np.count_nonzero(~np.isnan(self.scales)) if over == RATIO else samples
        self.easy = self.measure(self.easy_values[None])

    def with_margin(self, margin: float) -> Task:
        """Return the same task with another distance to the limits, in per cent."""
        other = copy(self)
        other.margin = margin
        return other

    def _scale(self, workload: Workload, part: Wish | None, easy: Floats) -> float:
        """Return the unit of the goal on a workload, from EASY's values, (1, m); NaN if no group of it has jobs."""
        if part is None or (self.wish.aims and not part.aims):
            return np.nan
        try:
            value = float(choice.goal(part, easy)[0])
        except InputError as error:
            raise InputError(f"{workload.name}: {error}") from None
        if self.over != RATIO:
            return 1.0
        if self.wish.weights and value > 0:
            return value
        if part != self.wish:  # what is left of the sum is no goal by itself
            return np.nan
        raise InputError(
            'over "ratio" must have a weighted sum that is positive for EASY, '
            f"but on {workload.name} {choice.wish_text(part)} is {value:g}"
        )

    def values_of(self, policy: Policy) -> Floats:
        """Return the objective values of a policy on all workloads, (W m,)."""
        return np.concatenate([objectives_of(w, policy.outcome(w)) for w in self.workloads])

    def parts(self, values: Floats) -> list[Floats]:
        """Return values by workload, W times (k, m)."""
        return np.split(values, len(self.workloads), axis=1)

    @property
    def logs(self) -> list[Workload]:
        """Return the workloads that are not resampled."""
        return self.workloads[:: self.samples]

    def measure(self, values: Floats, margin: float = 0.0) -> tuple[Floats, Floats]:
        """Return goals and violations over all workloads, two (k,); of limits with a margin, per cent."""
        goals, violations = np.zeros(len(values)), np.zeros(len(values))
        for part, scale, wish in zip(self.parts(values), self.scales, self.wishes, strict=True):
            if wish is not None and not np.isnan(scale):
                goals += choice.goal(wish, part) / scale
        if np.isnan(self.scales).all():
            goals[:] = np.nan
        of_workloads = self.violations(values, margin)
        for first in range(0, len(of_workloads), self.samples):
            violations += worst_tenth(of_workloads[first : first + self.samples])
        return goals, violations

    def measure_logs(self, values: Floats) -> tuple[Floats, Floats]:
        """Return goals and violations over the workloads that are not resampled, two (k,)."""
        logs = slice(None, None, self.samples)
        parts = zip(self.parts(values)[logs], self.scales[logs] / self.samples, strict=True)
        goals = np.sum([choice.goal(self.wish, part) / scale for part, scale in parts], axis=0)
        return goals, self.violations(values)[logs].sum(axis=0)

    def violations(self, values: Floats, margin: float = 0.0) -> Floats:
        """Return the violation of limits with a margin on each workload, (W, k)."""
        pairs = zip(self.parts(values), self.wishes, strict=True)
        return np.array(
            [
                np.zeros(len(part)) if wish is None else choice.violation(stricter_wish(wish, margin), part)
                for part, wish in pairs
            ]
        )

    def fitness(self, values: Floats, margin: float | None = None) -> Floats:
        """Return what is minimised, (k,): goals, with limits before them, by default with the margin of the task."""
        return choice.penalise(*self.measure(values, self.margin if margin is None else margin))

    def places(self, values: Floats) -> Ints:
        """Return the place of each result among all, (k,) int64: 0 is the best, and equals share a place.

        What breaks the limits comes after all that keeps them, if only without the margin, and the more the later; of
        results that exceed them equally, as if none could keep them, the goal decides.
        """
        goals, violations = self.measure(values)
        fitness = self.fitness(values) if self.margin else choice.penalise(goals, violations)
        broken = violations > 0
        order = np.lexsort((goals, fitness, broken))
        ranked = np.column_stack([broken, fitness, goals])[order]
        places = np.empty(len(values), dtype=np.int64)
        places[order] = np.cumsum((ranked != np.concatenate([ranked[:1], ranked[:-1]])).any(axis=1))
        return places


def by_weight(wish: Wish, groups: Sequence[str]) -> tuple[str, ...]:
    """Return user groups by priority: by their weight in a sum, largest first; of equals in their own order.

    For 10*AWRT1 + 4*AWRT2 that is the paper's order, in which group 1 demands most resources.

    Examples
    --------
    >>> by_weight(Wish(weights=[("AWRT1", 1), ("AWRT3", 4)]), ("a", "b", "c"))
    ('c', 'a', 'b')
    """
    weights = _group_weights(wish, groups)
    order = sorted(range(len(groups)), key=lambda i: -weights[i])
    return tuple(groups[i] for i in order)


def important_groups(wish: Wish, groups: Sequence[str]) -> tuple[str, ...]:
    """Return the groups whose response times a wish wants short, the most important one first.

    Examples
    --------
    >>> important_groups(Wish(weights=[("AWRT1", 1), ("AWRT3", 4)]), ("a", "b", "c"))
    ('c', 'a')
    """
    weights = _group_weights(wish, groups)
    return tuple(name for name in by_weight(wish, groups) if weights[groups.index(name)] > 0)


def groups_in_goal(wish: Wish, groups: Sequence[str]) -> list[str]:
    """Return the groups of which an objective is in the goal of a wish: their AWRT, or a measure of them."""
    return [group for i, group in enumerate(groups) if any(_is_of(name, i, group) for name in wish.aims)]


def _group_weights(wish: Wish, groups: Sequence[str]) -> list[float]:
    """Return the largest weight of each group in the sum of a wish."""
    return [
        max((abs(weight) for name, weight in wish.weights if _is_of(name, i, group)), default=0.0)
        for i, group in enumerate(groups)
    ]


def _is_of(name: str, place: int, group: str) -> bool:
    """Return whether an objective is of a group: its AWRT, or a measure of it."""
    return name == f"AWRT{place + 1}" or (is_measure(name) and measure_of(name).group == group)


def worst_tenth(violations: Floats) -> Floats:
    """Return the mean of the worst tenth of the rows of (s, k), column by column, (k,); of fewer than 20, the worst.

    Examples
    --------
    >>> worst_tenth(np.array([[0.0, 3], [2, 1], [0, 0]])).tolist()
    [2.0, 3.0]
    """
    mean: Floats = np.sort(violations, axis=0)[-max(1, len(violations) // TENTH) :].mean(axis=0)
    return mean


def has_goal(wish: Wish, workload: Workload) -> bool:
    """Return whether the goal of a wish is defined on a workload: its groups have jobs there."""
    values = objectives_of(workload, Outcome(workload.submit))  # what is defined depends on the jobs only
    try:
        choice.goal(wish, values[None])
    except InputError:
        return False
    return True


def with_samples(parts: Sequence[Workload], samples: int, seed: int) -> list[Workload]:
    """Return every workload with some that are resampled from it after it: by users, see `resample`.

    Sample i of seed s has the seed 1000 s + i, from 1.

    Raises
    ------
    InputError
        A workload cannot be put together again, see `why_not_resampled`.
    """
    whole: list[Workload] = []
    for part in parts:
        if samples and (reason := why_not_resampled(part)):
            raise InputError(f"{part.name}: cannot be resampled: {reason}; take another log, or do not resample")
        whole += [part, *(samples_of(part, samples, seed) if samples else ())]
    return whole


def samples_of(workload: Workload, samples: int, seed: int) -> list[Workload]:
    """Return workloads that are resampled from one, see `with_samples`."""
    jobs = workload.with_(records=None)  # no simulation needs them, and they are large
    return [resample(jobs, MOST_SAMPLES * seed + i) for i in range(1, samples + 1)]


class Data(NamedTuple):
    """What a training learns from, and what it minimises; made by `data_of`.

    Attributes
    ----------
    whole
        The workloads.
    wish
        What the owner wants.
    over, until, resample, margin, seed
        As for `train`.
    windows
        Parts of equal time of each workload that are learnt from beside it.
    """

    whole: Sequence[Workload]
    wish: Wish
    over: str
    until: float | None
    resample: int
    margin: float | str
    seed: int
    windows: int = 0

    def settings(self) -> dict[str, Any]:
        """Return the words for the parameters of a run; older runs lack the last four, and None is the same."""
        words = {"until": self.until, "over": self.over, "seed": self.seed}
        words |= {"resample": self.resample or None, "margin": self.margin or None, "windows": self.windows or None}
        return words | {"grouped_by": "consumption until then" if self.until and self.by_consumption else None}

    @property
    def by_consumption(self) -> bool:
        """Whether a workload has groups by consumption, which `until` limits to the jobs that are learnt from."""
        return any(map(comes_from_consumption, self.whole))


def data_of(
    workloads: WorkloadLike | Sequence[WorkloadLike],
    wish: WishLike,
    over: str | None,
    until: float | None,
    resample: int,
    margin: float | str,
    seed: int,
    several: str = SUM,
    windows: int = 0,
) -> Data:
    """Return the data of a training, from the arguments of `train`, and a number of windows.

    By default workloads that are resampled, and windows, count by their ratio to EASY, because their response times
    differ much, if the wish is a sum of which EASY's is positive; otherwise several workloads of a sum count as
    `several` says.

    Raises
    ------
    InputError
        There is no workload, their groups differ, or a number is out of range; or as for `as_workload` and `as_wish`.
    """
    seed, resample = whole_number("seed", seed), whole_number("resample", resample)
    until = None if until is None else number("until", until)
    if seed < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    whole = as_workloads(workloads)
    if not whole:
        raise InputError("there is no workload to train on; give one or more")
    wish, first = measuring(wish, whole[0])
    whole = [as_measured(w, first.measured) for w in whole]
    for other in whole[1:]:
        if other.groups != whole[0].groups:
            raise InputError(
                f"workloads must have the same groups, but {whole[0].name} has {', '.join(whole[0].groups)} "
                f"and {other.name} has {', '.join(other.groups)}"
            )
    if not 0 <= resample <= MOST_SAMPLES:
        raise InputError(f"resample must be in 0..{MOST_SAMPLES} workloads, but is {resample}")
    if over is None:
        positive = bool(wish.weights) and all(weight > 0 for _, weight in wish.weights)
        over = several if len(whole) > 1 and wish.weights else SUM
        over = RATIO if (resample or windows) and positive else over
    one_of("over", over, (SUM, RATIO))
    return Data(whole, wish, over, until, resample, checked_margin(margin, wish), seed, windows)


def tasks(data: Data) -> tuple[Task, Task | None]:
    """Return the task to train for, without a margin, and with `until` the task to test on, see `train`.

    The jobs to test on are not resampled. Groups by consumption are those of the jobs to
    learn from; users who appear only later are in the last group, see `by_earlier_consumption`. Groups without jobs to
    test on are left out there.

    Raises
    ------
    InputError
        The wish does not fit a workload, or one cannot be split or resampled.
    """
    wish, over, whole = data.wish, data.over, data.whole
    parts = [(w,) if data.until is None else by_earlier_consumption(*split(w, data.until)) for w in whole]
    test = Task(wish, over, [part[-1] for part in parts], whole, is_test=True) if data.until is not None else None
    return task_on(data, [part[0] for part in parts], whole), test


def task_on(data: Data, parts: Sequence[Workload], whole: Sequence[Workload]) -> Task:
    """Return the task of learning from parts of the workloads, with their windows and what is resampled from them.

    For each window without jobs of a group of the goal the whole part counts once more.
    """
    learnt: list[Workload] = []
    for part in parts:
        resampled = with_samples([part], data.resample, data.seed)
        windows = [w for w in windows_of(part, data.windows) if has_goal(data.wish, w)]
        windows += [part] * (data.windows - len(windows))
        learnt += [resampled[0], *windows, *resampled[1:]]
    return Task(data.wish, data.over, learnt, whole, 1 + data.windows + data.resample)


def windows_of(workload: Workload, count: int) -> list[Workload]:
    """Return the jobs of a workload in parts of equal time; parts without jobs are left out.

    Examples
    --------
    >>> jobs = Workload([0, 1, 9, 10], [5] * 4, [5] * 4, [1] * 4, capacity=1)
    >>> [w.submit.tolist() for w in windows_of(jobs, 2)]
    [[0, 1], [9, 10]]
    """
    first, span = int(workload.submit[0]), int(workload.submit[-1] - workload.submit[0])
    inner = [first - (-span * k // count) for k in range(1, count)]  # rounded up
    ends = [0, *np.searchsorted(workload.submit, inner).tolist(), len(workload)]
    parts = enumerate(pairwise(ends) if count else (), 1)
    return [
        workload.take(np.arange(*part), name=f"{workload.name}, part {k}") for k, part in parts if part[0] < part[1]
    ]

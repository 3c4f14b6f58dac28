"""The logs, splits, policies and trainings that are tried, of the settings or of a quick run."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from typing import Any

import common
import numpy as np
import settings

import paretosched as ps
from paretosched.simulation.objective import objective_table
from paretosched.workload.user_groups import by_earlier_consumption


@cache
def workload(log: str, quick: bool) -> ps.Workload:
    """Return a log as it was recorded, or as the papers scale it; if `quick`, a small made-up one that lasts months."""
    if quick:
        return slower(common.stand_in(settings.SCALED.get(log, log), settings.QUICK), log)
    if log in settings.SCALED:
        large: ps.Workload = common.scaled_log(settings.SCALED[log])
        return large
    return common.log_of(log)


def slower(small: ps.Workload, name: str) -> ps.Workload:
    """Return a small made-up workload whose jobs last, and come, so much more slowly that it lasts months."""
    times = {key: getattr(small, key) * factor for key, factor in settings.QUICK_SLOWER.items()}
    return small.with_(**times, name=name)


def about(log: str, quick: bool) -> dict[str, Any]:
    """Return what the provenance says about a log."""
    w = workload(log, quick)
    return {"jobs": len(w), "processors": w.capacity, "digest": w.digest}


@cache
def splits(log: str, quick: bool) -> tuple[settings.Split, ...]:
    """Return the splits of a log to try: those with jobs of every group of the objective, before and after the cut."""
    if log in settings.SCALED:
        return (settings.LAST,)
    whole = workload(log, quick)
    aims = ps.as_wish(settings.OBJECTIVE, whole.groups).aims
    wanted = {place for place, o in enumerate(objective_table(whole.groups)[2:]) if o.name in aims}

    def fits(split: settings.Split) -> bool:
        return all(wanted <= set(part.group.tolist()) for part in learning_and_test(whole, split))

    of_log = [split for split in (settings.QUICK_SPLITS if quick else settings.SPLITS) if fits(split)]
    is_spared = sum(split in settings.ROLLING for split in of_log) >= settings.LEAST_SPLITS
    return tuple(split for split in of_log if not (is_spared and split == settings.SPARE))


def larger(quick: bool) -> dict[str, str]:
    """Return the scalings on which guarded orders are tried that learnt from the log as recorded, and its name."""
    return settings.QUICK_LARGER if quick else settings.LARGER


def seeds(options: argparse.Namespace) -> Sequence[int]:
    """Return the seeds of trainings: so many as the options or the settings say."""
    if options.seeds is not None:
        return range(options.seeds)
    return range(1 if options.quick else settings.SEEDS)


def policies(quick: bool) -> tuple[str, ...]:
    """Return the policies that are not trained."""
    return settings.QUICK_POLICIES if quick else settings.POLICIES


def learners(quick: bool) -> list[settings.Learner]:
    """Return the trainings to try; if `quick`, short ones."""
    if not quick:
        return list(settings.LEARNERS)
    return [in_short(learner) for learner in settings.LEARNERS if learner.name in settings.QUICK_LEARNERS]


def in_short(learner: settings.Learner) -> settings.Learner:
    """Return a training as it is in a quick run."""
    return learner._replace(settings=learner.settings | settings.QUICK_SETTINGS[learner.function])


def scaling_of(log: str, scaling: int, quick: bool) -> ps.Workload:
    """Return a scaling of a log of `settings.SCALED`, or of `larger`; if `quick`, another made-up log."""
    recorded = larger(quick).get(log, log)
    recorded = settings.SCALED.get(recorded, recorded)
    if not quick:
        whole: ps.Workload = common.scaling_of(recorded, scaling)
        return whole
    size = settings.QUICK | {"seed": settings.QUICK["seed"] + 100 * scaling}
    return slower(common.stand_in(recorded, size), log)


def between(whole: ps.Workload, begin: float, end: float) -> ps.Workload:
    """Return the jobs submitted between two shares of the time, with the groups of the whole log."""
    first, span = int(whole.submit[0]), int(whole.submit[-1] - whole.submit[0])
    since = (whole.submit - first) / span
    inside = (since > begin) | ((begin == 0) & (since >= 0))
    name = f"{whole.name} {100 * begin:g} to {100 * end:g} %"
    return whole.take(np.flatnonzero(inside & (since <= end)), name=name)


def learning_and_test(whole: ps.Workload, split: settings.Split) -> tuple[ps.Workload, ps.Workload]:
    """Return the part of a log to learn from and the one to test on, in the groups that are known where they meet.

    Users are grouped by what they consumed in the first part; those who are new later are in the last group.
    """
    learning, test = between(whole, split.begin, split.until), between(whole, split.until, split.end)
    return by_earlier_consumption(learning.with_(source=whole.source), test)  # the source says how groups were made

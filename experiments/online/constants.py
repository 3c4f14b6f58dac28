"""How the constants of guarded orders were chosen, on early parts of the logs, and what they reach on made-up logs.

Each part is a tenth of a log, from the second to the fifth, or to the fourth of KTH; groups are by what users consumed
before it. No part lies in those on which policies are tried, and the made-up logs had no part in any choice. Of these,
trained guarded orders learn from the first half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import settings
from numpy.typing import NDArray

import paretosched as ps
from paretosched.kernels.guarded import Guard, guard_order
from paretosched.policies.guarded import MARGINS, Guarded
from paretosched.policies.outcome import jobs_of
from paretosched.simulation.schedule import Schedule
from paretosched.wishes.relative_limits import resolved_on
from paretosched.wishes.wish import goal, violation

HOUR = 3600
FIRST = ("1", "2")
UNTRAINED = "guarded: 1, 2"
CONSTANTS = ("ageing_h", "step", "margin", "margin_each")
CHOSEN = (Guarded.ageing, Guarded.step, *MARGINS)


def settings_tried() -> Iterator[tuple[float, ...]]:
    """Yield what is tried: ageing, s, step, and the margins."""
    for ageing in settings.AGEINGS:
        for step in settings.STEPS:
            yield ageing * HOUR, step, *MARGINS
    for margins in settings.MARGINS:
        if margins != MARGINS:
            yield *CHOSEN[:2], *margins


def rows_of_part(jobs: ps.Workload) -> Iterator[dict[str, Any]]:
    """Yield what each setting reaches on a part of a log."""
    for constants in settings_tried():
        yield result_of(jobs, *constants)


def made_up(quick: bool, learners: Iterable[settings.Learner]) -> Iterator[dict[str, Any]]:
    """Yield what the chosen constants and trainings reach on the second half of made-up logs, at two densities."""
    size = settings.QUICK if quick else settings.MADE_UP
    for times in settings.DENSER:
        for seed in range(settings.MADE_UP_SEEDS):
            whole = ps.lublin(jobs=size["jobs"], processors=size["processors"], seed=size["seed"] + seed)
            denser = whole.with_(submit=(whole.submit * times).astype(np.int64))
            first, half = (denser.take(rows) for rows in np.array_split(np.arange(len(whole)), 2))
            label = {"log": settings.OF_MODEL, "split": f"x {times:g}, seed {seed}"}
            yield label | result_of(half, *CHOSEN)
            for learner in learners:
                training = ps.train_guarded(first, settings.WISHES[learner.wish], seed=0, **learner.settings)
                start = ps.simulate(half, training.policy).start
                yield label | {"policy": learner.name} | dict.fromkeys(CONSTANTS) | reached_by(half, start)


def result_of(jobs: ps.Workload, ageing: float, *constants: float) -> dict[str, Any]:
    """Return what a guarded order of groups 1 and 2 reaches.

    Parameters
    ----------
    jobs
        The jobs.
    ageing, constants
        Of `Guard`: s; step and margins.

    Returns
    -------
    dict
        The policy, the constants, and what `reached_by` says.
    """
    policy = Guarded(FIRST)
    classes = np.minimum(np.arange(len(jobs.groups)), len(FIRST)) + 1
    guard = Guard(classes, policy.overall, policy.each, policy.review, int(ageing), *constants)
    start = np.empty(len(jobs), np.int64)
    guard_order(jobs_of(jobs), jobs.capacity, guard, start)
    values = (ageing / HOUR, *constants)
    return {"policy": UNTRAINED} | dict(zip(CONSTANTS, values, strict=True)) | reached_by(jobs, start)


def reached_by(jobs: ps.Workload, start: NDArray[np.int64]) -> dict[str, float]:
    """Return what start times, (n,) s, reach.

    That is the gain over EASY, per cent, by how much limits are exceeded, and how many times as long as EASY's, of at
    least an hour, the longest wait is.
    """
    schedules = ps.simulate(jobs, settings.EASY), Schedule(jobs, start, "guarded")
    wish = resolved_on(ps.as_wish(settings.WISHES["limits"], jobs.groups), jobs)
    values = np.array([ps.objectives(schedule) for schedule in schedules])
    of_easy, value = goal(wish, values).tolist()
    of_easys, longest = (int((schedule.start - jobs.eligible).max()) for schedule in schedules)
    return {
        "objective_vs_easy": 100 * (1 - value / of_easy),
        "exceeded": float(violation(wish, values[1:])[0]),
        "longest_wait": longest / max(of_easys, HOUR),
    }

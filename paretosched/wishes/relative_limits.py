"""Numbers for limits that are relative to a policy: multiples of what it reaches on the same jobs."""

from __future__ import annotations

import numpy as np

from ..core.arguments import instance
from ..core.arrays import Floats
from ..core.errors import InputError
from ..simulation.objective import FROM_START, objective_names, objectives
from ..simulation.simulator import simulate
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload
from .wish import TODAY, Limit, Wish, reference_text, spelled_out, wish_text, with_limits
from .wish_files import ANY_GROUPS, WishLike, as_wish


def reference_values(
    wish: WishLike, workload: WorkloadLike, known: dict[str, Floats] | None = None, util_from: str = FROM_START
) -> dict[str, Floats]:
    """Return what the policies that a wish is relative to reach on a workload, by their names, (m,) natural units.

    Parameters
    ----------
    wish
        A wish, one in words, or the path of a wish file.
    workload
        The jobs; or the path of a log or of a run directory.
    known
        Values of policies that need not be simulated again, such as those of "easy".
    util_from
        From when on UTIL counts, as of `objectives`.

    Raises
    ------
    InputError
        The workload has no recorded schedule, and the wish is relative to it; or as for `as_wish` and `as_workload`.
    """
    workload = as_workload(workload)
    names = as_wish(wish, workload).references
    values = {} if known is None else instance("known", known, dict)
    return {
        name: values[name]
        if name in values
        else objectives(simulate(workload, policy_of(name)), util_from=util_from).array
        for name in names
    }


def policy_of(reference: str) -> str:
    """Return the policy that a limit is relative to, by its word: today is what is recorded, unless it is known."""
    return "recorded" if reference == TODAY else reference


def today_values(workload: Workload, util_from: str = FROM_START) -> Floats | None:
    """Return the objectives of what is recorded, (m,) natural units; None if the log does not say when jobs started."""
    if not is_recorded(workload):
        return None
    return objectives(simulate(workload, policy_of(TODAY)), util_from=util_from).array


def is_recorded(workload: Workload) -> bool:
    """Return whether a log says when each of its jobs started: then that is what runs the machine today."""
    return bool((workload.wait >= 0).all())


def resolve(wish: WishLike, references: dict[str, Floats]) -> Wish:
    """Return a wish with numbers in place of its relative limits.

    A relative limit for a group without jobs excludes nothing, and is left out.

    Parameters
    ----------
    wish
        A wish, one in words, or the path of a wish file; one without relative limits stays as it is.
    references
        By the name of a policy, (m,) what it reaches on the jobs in question, in natural units; as `reference_values`
        returns them.

    Raises
    ------
    InputError
        `references` is no dict, or a policy is missing in it; the wish uses an objective that is not there; or the
        limits of an objective leave nothing.

    Examples
    --------
    >>> wish = Wish(weights=[("AWRT1", 10)], limits=[Limit("others", high=1.02, of="easy")])
    >>> wish_text(wish), wish_text(resolve(wish, {"easy": np.array([60.0, 350, 100, 500])}))
    ('10*AWRT1, others <= 1.02*EASY', '10*AWRT1, AWRT2 <= 510')
    """
    references = instance("references", references, dict)
    groups = next((ANY_GROUPS[: len(values) - 2] for values in references.values()), ANY_GROUPS)
    wish = as_wish(wish, groups)
    for name in wish.references:
        if name not in references:
            raise InputError(
                f"the wish {wish_text(wish)} has limits relative to {reference_text(name)}, whose values on these jobs "
                "are not known"
            )
    return _with_numbers(wish, references) if wish.references else wish


def known_part(wish: Wish, references: dict[str, Floats]) -> Wish | None:
    """Return a wish with numbers, without limits relative to policies whose values are not known; None if nothing is.

    Examples
    --------
    >>> known_part(Wish(limits=[Limit("AWRT", high=1, of="easy")]), {}) is None
    True
    """
    limits = [limit for limit in wish.limits if not limit.of or limit.of in references]
    return resolve(with_limits(wish, limits), references) if limits or wish.aims else None


def resolved_on(
    wish: Wish, workload: WorkloadLike, known: dict[str, Floats] | None = None, util_from: str = FROM_START
) -> Wish:
    """Return a wish with numbers in place of its relative limits, on a workload; arguments as of `reference_values`."""
    return resolve(wish, reference_values(wish, workload, known, util_from)) if wish.references else wish


def _with_numbers(wish: Wish, references: dict[str, Floats]) -> Wish:
    """Return a wish with numbers in place of its relative limits; the values of its policies are known."""
    limits = []
    for limit in wish.limits:
        if not limit.of:
            limits.append(limit)
            continue
        values = references[limit.of]
        names = objective_names(len(values), wish.measures)
        level = {name: float(value) for name, value in zip(names, values, strict=True) if not np.isnan(value)}
        for name, low, high, _ in spelled_out(
            Wish(wish.weights, wish.near, [limit], wish.measures), list(level)
        ).limits:
            if name not in names:
                raise InputError(f"the wish {wish_text(wish)} uses {name}, but here are only {', '.join(names)}")
            if name in level:
                limits.append(Limit(name, low * level[name], high * level[name]))
    return with_limits(wish, limits)

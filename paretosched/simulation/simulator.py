"""A workload and a policy, or an order of its jobs, make a schedule; with `estimates`, the caller of the kernels.

SCOJO-PECT makes a schedule with segments; everything else runs jobs without a break.

Event semantics (one convention for all rules): whole seconds; all events of one second are taken together,
first completions, then arrivals in trace order, then one scheduling pass. A job runs for its true run time, which
never exceeds its estimate; schedulers see only the estimate, or what `estimates` makes of it. Intervals are half open:
a job may start in the second in which another one ends.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..core.errors import InputError, first_few
from ..kernels.conservative import conservative, replanned
from ..kernels.decoding import earliest_fit, strict
from ..kernels.fcfs_easy import backfilled, fcfs
from ..kernels.greedy_queue import greedy
from ..kernels.group_search import Planning, tree_for
from ..kernels.inputs import Jobs, Rules, Sorted, Weights
from ..kernels.rule_base import ruled
from ..kernels.time_sharing import LONG, MEDIUM, SHORT, Slices, machine_for, share_time
from ..policies.policy import CRITERIA, Policy, PolicyLike, as_policy, fits
from ..policies.rule_base import SORTINGS, STRATEGIES, RuleBase, gaussians, possible
from ..policies.time_sharing import METHODS, SEARCHES, Optimisation, TimeSharing
from ..workload.calendar import hours
from ..workload.reopening import WorkloadLike, as_workload
from ..workload.workload import Workload, whole
from . import estimates as sources
from .schedule import Schedule, Searched, Segments, check_nodes

DECODINGS = ("strict", "earliest")


def simulate(workload: WorkloadLike, policy: PolicyLike, estimates: str = "requested") -> Schedule:
    """Run a workload under a policy.

    Parameters
    ----------
    workload
        The jobs and the machine; or the path of a log or of a run directory.
    policy
        A `Policy`, the name of a rule ("fcfs", "list", "easy", "conservative", "conservative-replan",
        "recorded", "scojo", "scojo-opt"), or the path of a policy file.
    estimates
        What the policy is told of run times: "requested", "recent", "predicted", "printed" or "exact"; see
        `estimates`. FCFS, List and recorded do not ask; SCOJO-PECT, whose file says what it knows, is
        only told "requested".

    Raises
    ------
    InputError
        There is no such policy or source, or they do not fit each other or the workload.

    Examples
    --------
    Job 2 is wide and waits for job 1; EASY lets job 3 pass it, FCFS does not.

    >>> w = Workload(submit=[0, 1, 2], run=[10, 5, 3], estimate=[10, 5, 3], width=[3, 4, 1], capacity=4)
    >>> simulate(w, "fcfs").start.tolist(), simulate(w, "easy").start.tolist()
    ([0, 10, 15], [0, 10, 2])

    Jobs 1 and 2 have taught that this user's jobs last 2 s, not 9; so the fourth may pass the third, which waits.

    >>> w = Workload(submit=[0, 2, 4, 5, 6], run=[2, 2, 4, 9, 2], estimate=[9, 9, 4, 9, 9], width=[1, 1, 3, 4, 1],
    ...              capacity=4, user=[7, 7, 8, 8, 7])
    >>> simulate(w, "easy").start.tolist(), simulate(w, "easy", "recent").start.tolist()
    ([0, 2, 4, 8, 17], [0, 2, 4, 8, 6])
    """
    workload = as_workload(workload)
    p = fits(as_policy(policy), workload)
    if not sources.told(workload, p, estimates):
        if p.sharing is not None:
            return shared(workload, p.sharing, p.name)
        return Schedule(workload, start_times(workload, p), p.name)
    name = f"{p.name} ({estimates})"
    if estimates == "exact":
        return Schedule(workload, start_times(workload.with_(estimate=workload.run), p), name)
    return Schedule(workload, sources.predict(workload, p, _weights(workload, p), estimates).start, name)


def predictions(workload: WorkloadLike, policy: PolicyLike, estimates: str = "predicted") -> sources.Predictions:
    """Run a workload under a policy that is told predictions, and say what was predicted.

    Parameters
    ----------
    workload, policy
        As for `simulate`; the policy must be one that asks for estimates.
    estimates
        "recent", "predicted" or "printed"; see `paretosched.simulation.estimates`.

    Raises
    ------
    InputError
        As for `simulate`; or nothing is predicted.

    Examples
    --------
    The third job is expected to end after the 2 s that the first two took, and lasts 9.

    >>> w = Workload(submit=[0, 2, 4], run=[2, 2, 9], estimate=[9, 9, 9], width=[1] * 3, capacity=4, user=[7] * 3)
    >>> found = predictions(w, "easy", "recent")
    >>> found.first.tolist(), found.corrections.tolist()
    ([9, 9, 2], [0, 0, 1])
    """
    workload = as_workload(workload)
    p = fits(as_policy(policy), workload)
    if not sources.told(workload, p, estimates) or estimates not in sources.LEARNING:
        raise InputError(f'nothing is predicted for policy "{p.name}" with estimates "{estimates}"')
    return sources.predict(workload, p, _weights(workload, p), estimates)


def start_times(workload: Workload, policy: Policy) -> NDArray[np.int64]:
    """Start times, (n,) int64 seconds, of a policy that fits the workload."""
    w = workload
    if policy.rule == "recorded":
        return _recorded(w)
    if policy.sharing is not None:
        return shared(w, policy.sharing).start
    start = np.empty(len(w), dtype=np.int64)
    jobs = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
    if policy.rule == "fcfs":
        fcfs(jobs, w.capacity, start)
    elif policy.rule in ("list", "easy"):
        backfilled(jobs, w.capacity, policy.rule == "easy", start)
    elif policy.rule == "conservative":
        conservative(jobs, w.capacity, start)
    elif policy.rules is not None:
        return ruled_start_times(w, policy.rules)[0]
    else:
        weights = _weights(w, policy)
        if policy.rule == "conservative-replan" or policy.backfill == "conservative":
            replanned(jobs, w.capacity, w.calendar, weights, start)
        else:
            greedy(jobs, w.capacity, w.calendar, weights, policy.backfill == "easy", start)
    return start


def shared(workload: Workload, sharing: TimeSharing, name: str = "SCOJO-PECT") -> Schedule:
    """Run a workload under SCOJO-PECT (paper 004); the schedule has segments.

    Parameters
    ----------
    workload
        The jobs and the machine.
    sharing
        Sound parameters, see `timesharing`.
    name
        What the schedule is called.

    Raises
    ------
    InputError
        The machine has too many processors to be told apart.

    Examples
    --------
    A long job has the machine for itself when a short one arrives that needs a processor of it. It is served in the
    short slice of the next interval: from 3,600 on the machine switches for 60 s, then the short job runs for 50 s, and
    after another switch the long one goes on.

    >>> w = Workload(submit=[0, 9], run=[20_000, 50], estimate=[20_000, 50], width=[4, 1], capacity=4)
    >>> s = shared(w, TimeSharing()).check()
    >>> s.start.tolist(), s.finish.tolist(), s.segments.end.tolist()
    ([0, 3660], [20170, 3710], [3600, 20170, 3710])
    """
    check_nodes(workload)
    w, made = workload, sharing.optimisation
    told = w.run if sharing.run_times == "known" else w.estimate
    kind = np.full(len(w), SHORT)
    kind[told >= sharing.medium_from] = MEDIUM
    kind[told >= sharing.long_from] = LONG
    # After the last submission somebody runs whenever the machine does not switch. In an interval it switches three
    # times at most; no more intervals are cut short than there are jobs.
    work, lost = int(w.run.sum()), 3 * sharing.overhead
    horizon = int(w.submit[-1]) + work + lost * (work // (sharing.interval - lost) + len(w) + 1)
    days = hours(w.epoch, w.zone, horizon, tuple(row.hour for row in sharing.shares))
    slices = Slices(
        sharing.interval,
        sharing.overhead,
        sharing.short_slice,
        sharing.backfill,
        made is not None,
        days.begin,
        days.kind,
        np.array([row[1:] for row in sharing.shares], dtype=np.float64),
    )
    rules = _planning(made or Optimisation())
    most = 0 if made is None else min(int(rules.most.max()), len(w))
    start = np.empty(len(w), dtype=np.int64)
    counted = np.zeros((4, 2), dtype=np.int64)
    jobs = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
    machine = machine_for(jobs, told, kind, w.capacity, most)
    tree = tree_for(most, min(len(w), w.capacity), rules.candidates)
    record = share_time(jobs, w.capacity, slices, rules, machine, tree, start, counted)
    order = np.lexsort((record.begin, record.job))
    job = record.job[order]
    piece = np.concatenate([[0], np.cumsum(machine.pieces[job])])
    ranges = np.repeat(machine.at[job] - piece[:-1], machine.pieces[job]) + np.arange(piece[-1])
    switches = np.column_stack([record.switches, record.switches + sharing.overhead])
    segments = Segments(
        job, record.begin[order], record.end[order], piece, record.low[ranges], record.high[ranges], switches
    )
    searched = None if made is None else Searched(*((int(a), int(b)) for a, b in counted))
    return Schedule(w, start, name, segments, searched)


def _planning(made: Optimisation) -> Planning:
    """Give the parameters of the optimisation as the kernel takes them."""
    groups = (made.medium, made.long)
    plain = made._asdict() | {
        "bottom_line": made.method == METHODS[1],
        "search": SEARCHES.index(made.search),
        **{key: np.array([getattr(group, key) for group in groups]) for key in made.medium._fields},
    }
    return Planning(**{key: plain[key] for key in Planning._fields})


def _weights(workload: Workload, policy: Policy) -> Weights:
    criteria = np.array([CRITERIA.index(c) + 1 for c in policy.criteria], dtype=np.int64)
    # Bounds all times that enter a key; twice, because an expected end may lie beyond the latest real one.
    horizon = 2.0 * float(workload.submit[-1] + workload.run.sum())
    return Weights(criteria, policy.genes, horizon)


def ruled_start_times(
    workload: Workload, base: RuleBase, order: Sorted | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Simulate a rule base; `order` is `sorted_for` its strategies or more, where many are simulated.

    Returns
    -------
    start, decided
        (n,) seconds. Iterative: (situations,) how often each one came up where a decision was due; symbiotic: (13,) how
        often each strategy was chosen. No decision is due where nobody who waits can start, or everybody.
    """
    w = workload
    start = np.empty(len(w), dtype=np.int64)
    decided = np.zeros(base.choice.size if base.kind == "iterative" else len(STRATEGIES), dtype=np.int64)
    jobs = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
    if order is None:
        order = sorted_for(w, base.priority, possible(base))
    ruled(jobs, w.capacity, w.calendar, _weights(w, base.greedy), _rules(base), order, start, decided)
    return start, decided


def sorted_for(workload: Workload, priority: Sequence[str], chosen: NDArray[np.bool_]) -> Sorted:
    """Put the jobs of a workload in the order of each sorting of `paretosched.policies.rule_base` that is needed.

    Parameters
    ----------
    workload
        The jobs.
    priority
        The workload's groups, the most important first.
    chosen
        (13,) bool, the strategies that may be chosen.
    """
    n = len(workload)
    rank = np.array([list(priority).index(group) for group in workload.groups], dtype=np.int64)
    keys: dict[str, NDArray[Any]] = {
        "width": workload.width,
        "estimate": workload.estimate,
        "priority": rank[workload.group],
    }
    row, place = np.zeros((2, len(SORTINGS), n), dtype=np.int32)
    for s, sorting in enumerate(SORTINGS):
        if sorting == "wait":
            row[s] = place[s] = np.arange(n)
        elif chosen[3 * s : 3 * s + 3].any():
            row[s] = _stable_order(keys[sorting])
            place[s, row[s]] = np.arange(n)
    return Sorted(row, place)


def _stable_order(keys: NDArray[Any]) -> NDArray[np.int64]:
    """Sort whole numbers, 0 or more, ties in their order: 16 bits at a time, for which numpy has a radix sort."""
    order = np.arange(keys.size)
    for shift in range(0, int(keys.max()).bit_length(), 16):
        order = order[np.argsort(((keys[order] >> shift) & 0xFFFF).astype(np.uint16), kind="stable")]
    return order


def _rules(base: RuleBase) -> Rules:
    counts = np.array([len(inner) + 1 for inner in base.bounds] or [1] * (len(base.groups) + 2), dtype=np.int64)
    bounds = np.full((counts.size, int(counts.max())), np.inf)
    for f, inner in enumerate(base.bounds):
        bounds[f, : len(inner)] = inner
    sharpness, peaks = gaussians(base) if base.kind == "symbiotic" else (np.empty((0, counts.size)), np.empty(0))
    means = base.means if base.kind == "symbiotic" else sharpness
    return Rules(
        base.kind == "iterative",
        bounds,
        counts,
        base.choice.astype(np.int64),
        np.array(means.T, order="C"),
        np.array(sharpness.T, order="C"),
        peaks,
        np.array(base.recommendations.T, dtype=np.float64, order="C"),
        possible(base),
        math.log(base.threshold) if base.threshold > 0 else -math.inf,
        base.otherwise,
    )


def _recorded(workload: Workload) -> NDArray[np.int64]:
    """Start times of the log itself; where a single wait is unknown, the submission."""
    if (workload.wait < 0).all():
        raise InputError(
            f"{workload.name}: no job has a recorded wait, so there is no recorded schedule "
            "(was it generated or scaled?)"
        )
    return workload.submit + np.maximum(workload.wait, 0)


def decode(workload: WorkloadLike, order: ArrayLike, decoding: str = "strict") -> Schedule:
    """Make a schedule of an order of all jobs, with true run times: what is possible offline.

    Parameters
    ----------
    workload
        The jobs and the machine.
    order
        (n,) whole numbers, every row of the workload once.
    decoding
        "strict": each job in turn starts as soon as it is submitted, its predecessor has started and enough
        processors are free (paper 002, section 2.1). "earliest": each job in turn starts at the earliest time from
        its submission on at which it fits for its whole run, without moving those before it (the serial
        schedule generation scheme of resource-constrained project scheduling).

        Either way the order in which a schedule starts its jobs gives a schedule in which no job starts later,
        and the order of submission, strictly, gives FCFS.

    Raises
    ------
    InputError
        `order` is not a permutation of the rows, or there is no such decoding.

    Examples
    --------
    Two of four processors are free until the wide second job starts. The third would fit there, but strictly
    it must not start before it.

    >>> w = Workload(submit=[0, 0, 1], run=[10, 5, 3], estimate=[10, 5, 3], width=[2, 4, 1], capacity=4)
    >>> decode(w, [0, 1, 2]).start.tolist(), decode(w, [0, 1, 2], "earliest").start.tolist()
    ([0, 10, 15], [0, 10, 1])
    >>> decode(w, [0, 2, 1]).start.tolist()
    [0, 10, 1]
    """
    workload = as_workload(workload)
    if decoding not in DECODINGS:
        raise InputError(f'decoding must be one of {", ".join(DECODINGS)}, but is "{decoding}"')
    rows = _permutation(order, len(workload))
    return Schedule(workload, decoded_start_times(workload, rows, decoding), f"{decoding} decoding")


def decoded_start_times(workload: Workload, order: NDArray[np.int32], decoding: str) -> NDArray[np.int64]:
    """Start times, (n,) int64 seconds, of an order, (n,) int32 and C-contiguous, that is known to be a permutation."""
    w = workload
    start = np.empty(len(w), dtype=np.int64)
    jobs = Jobs(w.submit, w.run, w.estimate, w.width, w.group)
    rows = order.view()
    rows.flags.writeable = False  # kernels would be compiled once more for writeable ones
    if decoding == "strict":
        strict(jobs, w.capacity, rows, start)
    else:
        earliest_fit(jobs, w.capacity, rows, start)
    return start


def start_order(schedule: Schedule) -> NDArray[np.int32]:
    """Give the rows of the jobs, (n,) int32, in the order in which a schedule starts them; ties in trace order.

    Examples
    --------
    >>> w = Workload(submit=[0, 0, 1], run=[10, 5, 3], estimate=[10, 5, 3], width=[2, 4, 1], capacity=4)
    >>> start_order(simulate(w, "easy")).tolist()
    [0, 2, 1]
    """
    return np.argsort(schedule.start, kind="stable").astype(np.int32)


def _permutation(order: ArrayLike, n: int) -> NDArray[np.int32]:
    rows = whole("order", order, n)
    outside = np.flatnonzero((rows < 0) | (rows >= n))
    if outside.size:
        shown = first_few((f"entry {i} is {rows[i]}" for i in outside), outside.size)
        raise InputError(f"order must name rows 0..{n - 1}, but {outside.size} entries do not: {shown}")
    times = np.bincount(rows, minlength=n)
    again = np.flatnonzero(times > 1)
    if again.size:
        shown = first_few((f"row {j} stands there {times[j]} times" for j in again), again.size)
        missing = first_few(f"row {j}" for j in np.flatnonzero(times == 0))
        raise InputError(f"order must name every row once, but {shown}, and {missing} not at all")
    return rows.astype(np.int32)

"""Rule bases on a machine of which processors are down at times: everything is sorted and summed anew at every event.

The strategies are those of `rule_base`, the machine that of `down_times`. The load is that of the whole machine.
"""

from typing import NamedTuple

import numpy as np

from ..core.arrays import Floats, Int, Ints
from ..core.situations import Calendar
from .compiling import njit
from .down_times import ARRIVED, COUNT, RUNNING, Site, admit_arrivals, empty_site, end_job, next_moment, wide_desk
from .down_times import start_around_down_times as start_jobs
from .events import era_at
from .fair_share import no_tree
from .formulas import postfix
from .inputs import Backfilling, Down, Jobs, Rules, Sorted, Weights, ints
from .priority import Desk, Ranking
from .profile import FIRST, LAST
from .rule_base import BY_WAIT, DELAYED, GREEDY, WORKED
from .rule_choice import Ballot, choose
from .running import Running, next_end, running_jobs
from .usage import no_usage
from .waiting_heap import Waiting, arrange, make_heap
from .waiting_tree import FAR

RESERVATIONS = (0, 1, FAR)  # of the algorithms of strategies: FCFS, EASY, CONS


class Choice(NamedTuple):
    """What chooses strategies, and what they need.

    Attributes
    ----------
    weights, rules, order
        `Weights` of Greedy, `Rules` and `Sorted`.
    ballot
        `Ballot`.
    area
        (G,) int64, work space: estimate x width of the waiting jobs of each group, processor seconds.
    sums
        (2,) float64, DELAYED and WORKED, as in `rule_base.Queue`.
    decisions
        As for `apply_rules`.
    """

    weights: Weights
    rules: Rules
    order: Sorted
    ballot: Ballot
    area: Ints
    sums: Floats
    decisions: Ints


def rules_around_down_times(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    weights: Weights,
    rules: Rules,
    order: Sorted,
    start: Ints,
    decisions: Ints,
) -> None:
    """Fill `start` as `apply_rules` does, on processors that are not down, and count the decisions.

    A decision is due where some waiting job fits, unless all of them fit for good.

    Parameters
    ----------
    jobs, capacity, calendar, weights, rules, order
        As for `apply_rules`.
    down
        `Down`.
    start
        (n,) int64, s, filled in place.
    decisions
        (situations,) or (13,) int64, as for `apply_rules`, increased in place.
    """
    n = jobs.submit.size
    features, count = rules.counts.size, rules.peaks.size
    groups = features - 2
    nothing = postfix(["0"] * 3, np.empty((0, n)))
    everyone, nobody = np.ones(groups, np.bool_), np.zeros(groups, np.bool_)
    limits = np.full(groups, FAR, np.int64)
    usage = no_usage(np.empty(0, np.int64), 1.0, no_tree())
    rankings = tuple(
        Ranking(nothing, nothing, Backfilling(k, everyone, limits, nobody, 0, True), usage, np.ones(n))
        for k in RESERVATIONS
    )
    ballot = Ballot(np.empty(features), np.empty(count), np.empty(count), np.empty(13))
    choice = Choice(weights, rules, order, ballot, ints(groups), np.zeros(2), decisions)
    now = running_jobs(start, capacity, False)
    desk = wide_desk(n, rankings[0].backfilling, down)
    _rules_around_down_times(jobs, capacity, calendar, choice, rankings, now, empty_site(jobs, capacity, down), desk)


@njit(cache=True, nogil=True, _nrt=False)
def _rules_around_down_times(
    jobs: Jobs,
    capacity: Int,
    calendar: Calendar,
    choice: Choice,
    rankings: tuple[Ranking, ...],
    now: Running,
    site: Site,
    desk: Desk,
) -> None:
    """Do the work of `rules_around_down_times` without allocating memory.

    Parameters
    ----------
    jobs, capacity, calendar
        As for `rules_around_down_times`.
    choice
        `Choice`, modified in place.
    rankings
        `Ranking` of the algorithms FCFS, EASY and CONS.
    now, site, desk
        `Running`, `Site` and `Desk`, modified in place: the start times of `now` are filled.
    """
    state = site.state
    waiting = desk.waiting
    profile = site.profile
    era: Int = 0
    while state[ARRIVED] < jobs.submit.size or state[COUNT] > 0:
        t = next_moment(jobs, now, site)
        while state[RUNNING] > 0 and next_end(now) == t:
            j = end_job(jobs, now, site, t)
            weight = float(jobs.run[j]) * float(jobs.width[j])
            choice.sums[DELAYED] += weight * float(t - jobs.submit[j])
            choice.sums[WORKED] += weight * float(jobs.run[j])
        era = era_at(calendar, era, t)
        admit_arrivals(jobs, now, site, waiting, t)
        count: Int = state[COUNT]
        wanted: Int = 0
        narrowest: Int = FAR
        for i in range(count):
            wanted += jobs.width[waiting.rows[i]]
            narrowest = min(narrowest, jobs.width[waiting.rows[i]])
        if narrowest > profile.room[profile.span[FIRST]]:
            continue
        least: Int = FAR
        for i in range(profile.span[FIRST], profile.span[LAST]):
            least = min(least, profile.room[i])
        strategy: Int = 3 * BY_WAIT  # as good as any other one if all jobs start
        if wanted > least:
            look(jobs, capacity, busy_processors(jobs, now, state[RUNNING]), waiting, count, choice)
            strategy, entry = choose(choice.rules, choice.ballot)
            choice.decisions[entry] += 1
        situation = calendar.kind[era]
        if strategy == GREEDY:
            arrange(jobs, choice.weights, situation, t, waiting, count)
            start_jobs(jobs, now, site, situation, t, rankings[0], desk)
        else:
            for i in range(count):
                waiting.queue[i] = waiting.rows[i]
                waiting.keys[i] = -float(choice.order.place[strategy // 3, waiting.rows[i]])
            make_heap(waiting.queue, waiting.keys, count)
            start_jobs(jobs, now, site, situation, t, rankings[strategy % 3], desk)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def busy_processors(jobs: Jobs, now: Running, running: Int) -> Int:
    """Return how many processors those of `jobs` have that are among the `running` jobs of `now`."""
    mask = (1 << now.row_bits) - 1
    busy: Int = 0
    for i in range(now.nearby[0]):
        busy += jobs.width[now.near[i] & mask]
    for i in range(running - now.nearby[0]):
        busy += jobs.width[now.far[i] & mask]
    return busy


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def look(jobs: Jobs, capacity: Int, busy: Int, waiting: Waiting, count: Int, choice: Choice) -> None:
    """Fill the features of the ballot, in place, as `rule_base.observe` does.

    Parameters
    ----------
    jobs, capacity, busy
        `Jobs`, and the processors of the machine and of the running jobs.
    waiting, count
        The waiting jobs, and how many there are.
    choice
        `Choice`, of which the area and the features are modified in place.
    """
    x = choice.ballot.features
    area = choice.area
    x[0] = 1.0
    if choice.sums[WORKED] > 0.0:
        x[0] = min(max(choice.sums[DELAYED] / choice.sums[WORKED], 1.0), 100.0)
    x[1] = 100.0 * float(busy) / float(capacity)
    for g in range(area.size):
        area[g] = 0
    whole: Int = 0
    for i in range(count):
        j = waiting.rows[i]
        area[jobs.group[j]] += jobs.estimate[j] * jobs.width[j]
        whole += jobs.estimate[j] * jobs.width[j]
    for g in range(area.size):
        x[2 + g] = 100.0 * float(area[g]) / float(whole)

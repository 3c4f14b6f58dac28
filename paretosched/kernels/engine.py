"""The engine: one event loop and one pass, in which all features of orders, machines and run times meet.

In every second in which something happens, jobs end, predictions that prove too short grow, jobs arrive, and one pass
starts jobs; a change of the number of processors that are down is an event, too. What a simulation does without is
empty, and marked so in `Scheduler`: all simulations have arguments of the same types, and the loop is compiled once.

=============  =====================================================================================================
`Ranking`      the order of the waiting jobs and its reservations; the pass is that of `paretosched.policies.priority`
`Guard`        keys of a guarded order, whose reviews are between events; see `guarded`
`Choice`       a rule base, which chooses order and reservations at each pass; see `rule_choice`
`Promises`     conservative backfilling: places that are kept from one event to the next
`Predictor`    run times that are predicted; see `predicted`
`Pace`         Slurm's rhythm on nodes: its passes, instead of one at each event; see `slurm_passes`
`Users`        jobs that come when others have ended; see `reacting`
=============  =====================================================================================================

`Site.free` has the processors that are neither down nor, by the expected ends of the running jobs, taken, from now on.
A job may start if its width is free in it, beside all reservations, for all of its expected run time.

A predicted end may prove too early. So where processors are down at times, `Site.sure` has the same with requests
instead of predictions and without reservations, and a job starts only where its width is free there for all of its
request: no job ever runs on a processor that is down. A reserved place must not meet a down time, either, for the whole
request: `Site.up` has the processors that are up.

A queue whose order never changes is kept sorted; another one is sorted at every pass.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Int, Ints, read_only
from ..core.situations import Calendar
from .asking import NOBODY
from .compiling import njit
from .events import era_at
from .failures import hide_outages
from .guarded import Beside, Books, Guard, books_of, classify, compare_both, easy_beside, key_of, prepare_easy
from .inputs import RECENT, Backfilling, Down, Histories, Jobs, Rules, ints
from .node_plan import NodePlan, changes_of, fresh
from .places import (
    Machine,
    all_equal,
    always_free,
    any_begins,
    any_may_be_free,
    any_may_start,
    change_nodes,
    clear_machine,
    close_pass,
    copy_start,
    count_job,
    exchange,
    find_place,
    grace_for,
    is_free,
    is_kept_out,
    keep_life,
    keeps_places,
    last_second,
    leave,
    let_go,
    lift,
    line_up,
    may_be_free,
    may_start,
    note_parts,
    occupy,
    open_pass,
    pass_time,
    prolong,
    renumber_jobs,
    reserve,
    room_now,
    seems_free,
    start_in_pass,
    stops_others,
    tier_of,
    vacate,
    when_counted,
)
from .predicted import Predictor, learn, longer, new_predictor, predict
from .preemption import is_short_of_room, make_room
from .priority import NONE_YET, Desk, Ranking, any_named, empty_desk, give_keys, rank
from .profile import add, earliest
from .reacting import Users, call_next, expect_all, in_tables, let_in, see_end, see_starts, take_start_back, users_of
from .rule_choice import Ballot, choose
from .running import (
    Profile,
    Running,
    end_next,
    end_sooner,
    launch,
    next_end,
    no_profile,
    pop,
    push,
    running_jobs,
    take_out,
)
from .slurm_pace import (
    BACK,
    CANCELLED,
    ENDS,
    GOING,
    LOST_TIME,
    REQUEUED,
    STAYS,
    VICTIMS,
    Pace,
    forget_end,
    move_end,
    no_pace,
)
from .slurm_passes import priority_of
from .submissions import is_refused, next_submission, see_last_end, take_or_refuse
from .suspension import stop_and_go_on
from .usage import Usage, note_usage
from .waiting_heap import (
    SCANS,
    Waiting,
    bring_first,
    count_fitting,
    drop_first,
    make_heap,
    still_waiting,
    take_first,
)
from .waiting_tree import FAR

WAITED_FIRST, GREEDY = 2, 12  # of the sortings of a rule base, and of its strategies: 3 x sorting + algorithm
NO_PLACE = np.int64(-1)  # of conservative backfilling
STATE = np.dtype([(name, np.int64) for name in ("running", "busy", "waiting", "arrived", "change", "late", "era")])


NO_RULES = Rules(
    True, np.empty((0, 0)), ints(0), ints(0), np.empty((0, 0)), np.empty((0, 0)), np.empty(0), np.empty((0, 0)),
    np.zeros(13, np.bool_), 0.0, 0,
)  # fmt: skip
# Read-only as others are: for writeable arrays the loop would be compiled again.
NO_HISTORIES = Histories(*(read_only(np.empty(0, np.int64)) for _ in Histories._fields))


class Site(NamedTuple):
    """The machine and its queue, between two events.

    Attributes
    ----------
    free, sure, up
        `Profile`, see the top of this file; `free` is a `NodePlan` of a machine of nodes.
    changes
        (c,) int64, s, ascending: when the number of processors that are down changes.
    keys
        (n,) float64, the keys of the waiting jobs, the largest first, if they are kept; else (1,).
    predicted, careful
        Whether run times are predicted; and whether processors are down at times, too: then `sure` and `up` are kept.
    requests, late
        Of the predictor: the requests, and the jobs that will run longer.
    state
        (1,) STATE: the running jobs and their processors, the waiting jobs and the rows that have arrived, the next of
        the changes, the jobs that will run longer than predicted, and the index in the calendar.
    """

    free: Machine
    sure: Profile
    up: Profile
    changes: Ints
    keys: Floats
    predicted: bool
    careful: bool
    requests: Ints
    late: Ints
    state: NDArray[np.void]


class Choice(NamedTuple):
    """What a rule base needs, for G groups.

    Attributes
    ----------
    rules, ballot
        `Rules` and `Ballot`.
    capacity
        Processors of the machine.
    place
        (G,) int64, the place of each group, the most important first.
    area
        (G,) int64, work space: estimate x width of the waiting jobs, processor seconds.
    sums
        (2,) float64: the slowdown of the jobs that have ended is the first divided by the second.
    decisions
        (situations,) or (13,) int64, see `apply_rules`.
    """

    rules: Rules
    ballot: Ballot
    capacity: Int
    place: Ints
    area: Ints
    sums: Floats
    decisions: Ints


class Promises(NamedTuple):
    """The places of conservative backfilling.

    Attributes
    ----------
    place
        (n,) int64, s, when the place of each waiting job begins.
    """

    place: Ints


class Keyed(NamedTuple):
    """The keys of a guarded order.

    Attributes
    ----------
    guard
        `Guard`.
    classes
        (G,) int64, the present classes of the groups.
    """

    guard: Guard
    classes: Ints


class Scheduler(NamedTuple):
    """What starts jobs.

    Attributes
    ----------
    ranking
        `Ranking`.
    kept
        Whether the key of a job never changes while it waits; then `Site.keys` has it.
    guarded, ruled, promising, predicted, paced
        Whether `keyed`, `choice`, `promises`, `predictor` and `pace` are in use.
    keyed, choice, promises, predictor, pace
        `Keyed`, `Choice`, `Promises`, `Predictor` and `Pace`.
    """

    ranking: Ranking
    kept: bool
    guarded: bool
    ruled: bool
    promising: bool
    predicted: bool
    paced: bool
    keyed: Keyed
    choice: Choice
    promises: Promises
    predictor: Predictor
    pace: Pace


def scheduler_of(
    jobs: Jobs,
    ranking: Ranking,
    kept: bool,
    predictor: Predictor | None,
    keyed: Keyed | None = None,
    choice: Choice | None = None,
    promises: Promises | None = None,
    pace: Pace | None = None,
) -> Scheduler:
    """Return a scheduler with what is given, and with nothing for what is None.

    Parameters
    ----------
    jobs
        `Jobs`.
    ranking, kept, predictor, keyed, choice, promises, pace
        As for `Scheduler`.
    """
    return Scheduler(
        ranking,
        kept,
        keyed is not None,
        choice is not None,
        promises is not None,
        predictor is not None,
        pace is not None,
        Keyed(Guard(ints(0), 1.0, 1.0, 1, 1, 1.0, 0.0, 0.0), ints(0)) if keyed is None else keyed,
        choice_of(NO_RULES, 1, ints(0), ints(0)) if choice is None else choice,
        Promises(ints(1)) if promises is None else promises,
        new_predictor(jobs, NO_HISTORIES, RECENT, ints(1), ints(1)) if predictor is None else predictor,
        no_pace() if pace is None else pace,
    )


def choice_of(rules: Rules, capacity: Int, place: Ints, decisions: Ints) -> Choice:
    """Return the choice of a rule base before the first event.

    Parameters
    ----------
    rules, capacity
        As for `follow_rules`.
    place, decisions
        (G,) int64 and (situations,) or (13,) int64, as for `follow_rules`.
    """
    count = rules.peaks.size
    ballot = Ballot(np.empty(rules.counts.size), np.empty(count), np.empty(count), np.empty(13))
    return Choice(rules, ballot, capacity, place, ints(place.size), np.zeros(2), decisions)


def own(jobs: Jobs) -> Jobs:
    """Return a copy of `jobs` that a simulation may change."""
    return Jobs(*(column.copy() for column in jobs))


def simulate(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    ranking: Ranking,
    kept: bool,
    promising: bool,
    predictor: Predictor | None,
    start: Ints,
    nodes: NodePlan | None = None,
    pace: Pace | None = None,
    users: Users | None = None,
    asked: Int = NOBODY,
) -> Machine:
    """Fill `start` with the start times of an order with its reservations, and return the machine at the end.

    With promises this is conservative backfilling in the order of arrival. When jobs end, each waiting job in turn
    exchanges its place for the earliest one beside all others, if that is earlier. Where a prediction has proved too
    short, or a job cannot start at its place, which only down times can cause, all waiting jobs get new places in this
    order. A job that arrives gets the earliest place, and starts where it begins.

    Parameters
    ----------
    jobs
        `Jobs`.
    capacity, down, calendar
        Processors, `Down` and `Calendar`.
    ranking
        `Ranking`, modified in place.
    kept
        Whether the key of a job never changes while it waits.
    promising
        Whether places are kept from one event to the next.
    predictor
        `Predictor`; None if run times are as requested.
    start
        (n,) int64, s, filled in place; -1 for jobs that cannot start any more.
    nodes
        The machine if it has nodes; then `capacity` has all their CPUs, and `down` is empty.
    pace
        Of nodes, the passes of Slurm, if jobs start in them: then there are no other reservations.
    users
        Users who react, modified in place; then the rows of all that is filled are those of `users.job` in the end.
    asked
        The address of a function that is asked for the keys in place of `ranking`, see `asking`.
    """
    promises = Promises(ints(jobs.submit.size)) if promising else None
    scheduler = scheduler_of(jobs, ranking, kept, predictor, promises=promises, pace=pace)
    return _run(jobs, capacity, down, calendar, scheduler, start, nodes, users, asked)


def follow_rules(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    ranking: Ranking,
    rules: Rules,
    place: Ints,
    predictor: Predictor | None,
    start: Ints,
    decisions: Ints,
    nodes: NodePlan | None = None,
    users: Users | None = None,
) -> Machine:
    """Fill `start` with the start times under a rule base, and count its decisions, see `apply_rules`.

    A decision is due where some waiting job fits, unless all of them fit for good.

    Parameters
    ----------
    jobs, capacity, down, calendar, predictor, start, nodes, users
        As for `simulate`, and so is what is returned.
    ranking
        `Ranking`, modified in place: that of Greedy.
    rules
        `Rules`.
    place
        (G,) int64, the place of each group, 0 for the most important one.
    decisions
        (situations,) or (13,) int64, increased in place.
    """
    choice = choice_of(rules, capacity, place, decisions)
    scheduler = scheduler_of(jobs, ranking, False, predictor, choice=choice)
    return _run(jobs, capacity, down, calendar, scheduler, start, nodes, users)


def guard(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    ranking: Ranking,
    rule: Guard,
    predictor: Predictor | None,
    start: Ints,
    nodes: NodePlan | None = None,
    users: Users | None = None,
) -> Machine:
    """Fill `start` with the start times of a guarded order.

    Predictions are those of the real machine; EASY in the books, which says what is allowed, goes by requests.

    Parameters
    ----------
    jobs, capacity, down, calendar, predictor, nodes, users
        As for `simulate`, and so is what is returned.
    start
        (n,) int64, s, filled in place.
    ranking
        `Ranking`, modified in place: that of EASY.
    rule
        `Guard`.
    """
    n, backfilling = jobs.submit.size, ranking.backfilling
    start.fill(-1)
    scheduler = scheduler_of(jobs, ranking, True, predictor, Keyed(rule, rule.classes.copy()))
    (real, asked), scheduler, users = own_all([jobs, jobs], scheduler, users)
    asked = asked._replace(submit=real.submit)  # in the books jobs come when they really do
    easy = easy_beside(n, capacity, False)
    of_easy = scheduler_of(jobs, scheduler.ranking, True, None)
    sites = [empty_site(jobs, capacity, down, each, nodes) for each in (scheduler, of_easy)]
    desks = [wide_desk(n, backfilling, down) for _ in sites]
    if users.job.size:
        expect_all(real, users, sites[0].free)
    _guard(
        real, asked, capacity, down, calendar, scheduler, users, running_jobs(start, capacity, False),
        sites[0], desks[0], of_easy, users_of(None), easy, sites[1], desks[1], books_of(jobs, rule),
    )  # fmt: skip
    return sites[0].free


def _run(
    jobs: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    scheduler: Scheduler,
    start: Ints,
    nodes: NodePlan | None,
    users: Users | None,
    asked: Int = NOBODY,
) -> Machine:
    """Fill `start` with the start times of a scheduler, and return the machine at the end.

    Parameters
    ----------
    jobs, capacity, down, calendar, nodes, users, asked
        As for `simulate`.
    start
        (n,) int64, s, filled in place.
    scheduler
        `Scheduler`.
    """
    start.fill(-1)
    now = running_jobs(start, capacity, False)
    (mine,), scheduler, users = own_all([jobs], scheduler, users)
    site = empty_site(jobs, capacity, down, scheduler, nodes)
    desk = wide_desk(jobs.submit.size, scheduler.ranking.backfilling, down)._replace(asked=asked)
    if users.job.size:
        expect_all(mine, users, site.free)
    while True:
        _advance(mine, calendar, scheduler, users, now, site, desk, FAR)
        if not is_short_of_room(scheduler.pace):
            return site.free
        make_room(scheduler.pace)


def own_all(several: list[Jobs], scheduler: Scheduler, users: Users | None) -> tuple[list[Jobs], Scheduler, Users]:
    """Return copies of jobs that a simulation may change, and the scheduler and the users that go with them.

    Parameters
    ----------
    several
        `Jobs`, each to be copied.
    scheduler, users
        `Scheduler`, which is as before if no users react; and as for `simulate`.
    """
    if users is None:
        return [own(jobs) for jobs in several], scheduler, users_of(None)
    users, copies, ranking, predictor, pace = in_tables(
        users, [own(jobs) for jobs in several], scheduler.ranking, scheduler.predictor, scheduler.pace
    )
    return copies, scheduler._replace(ranking=ranking, predictor=predictor, pace=pace), users


def empty_site(jobs: Jobs, capacity: Int, down: Down, scheduler: Scheduler, nodes: NodePlan | None) -> Site:
    """Return an idle machine of `capacity` processors, some `down` at times, before the first of `jobs` arrives.

    `scheduler` says what is kept; `nodes` is as for `simulate`.
    """
    n, k = jobs.submit.size, down.begin.size
    size = 2 * (n + k) + 16
    careful = scheduler.predicted and k > 0
    size_beside = size if careful else 4
    changes = (down.begin, down.end) if nodes is None else changes_of(nodes)
    site = Site(
        no_profile(size) if nodes is None else fresh(nodes),
        no_profile(size_beside),
        no_profile(size_beside),
        np.unique(np.concatenate(changes)),
        np.zeros(n if scheduler.kept else 1),
        scheduler.predicted,
        careful,
        scheduler.predictor.requests,
        scheduler.predictor.late,
        np.zeros(1, STATE),
    )
    clear_site(site, capacity, down, jobs.submit[0])
    if isinstance(site.free, NodePlan) and scheduler.paced:
        hide_outages(site.free, scheduler.pace)
    return site


def wide_desk(n: int, backfilling: Backfilling, down: Down) -> Desk:
    """Return work space for passes over n jobs with a `backfilling`, in whose profile there is room for `down`."""
    return empty_desk(n, backfilling)._replace(profile=no_profile(2 * (n + down.begin.size) + 16))


@njit(cache=True, nogil=True, _nrt=False)
def clear_site(site: Site, capacity: Int, down: Down, since: Int) -> None:
    """Make `site`, in place, a machine of `capacity` processors, some `down` at times, idle from second `since` on."""
    state = site.state
    clear_machine(site.free, capacity, down, since)
    if site.careful:
        clear_machine(site.sure, capacity, down, since)
        clear_machine(site.up, capacity, down, since)
    state[0]["running"] = state[0]["busy"] = state[0]["waiting"] = state[0]["arrived"] = 0
    state[0]["change"] = state[0]["late"] = state[0]["era"] = 0
    while state[0]["change"] < site.changes.size and site.changes[state[0]["change"]] <= since:
        state[0]["change"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def _guard(
    jobs: Jobs,
    asked: Jobs,
    capacity: Int,
    down: Down,
    calendar: Calendar,
    scheduler: Scheduler,
    users: Users,
    now: Running,
    site: Site,
    desk: Desk,
    of_easy: Scheduler,
    nobody: Users,
    easy: Beside,
    books_site: Site,
    books_desk: Desk,
    books: Books,
) -> None:
    """Do the work of `guard` without allocating memory; all but the first five arguments are modified in place.

    Parameters
    ----------
    jobs, asked
        `Jobs` whose estimates may be predicted, and as requested.
    capacity, down, calendar
        As for `guard`.
    scheduler, users, now, site, desk
        Those of the real machine.
    of_easy, nobody, easy, books_site, books_desk, books
        Those of EASY in the books: `Scheduler`, `Users` who do not react, `Beside` without any start, `Site`, `Desk`
        and `Books`.
    """
    keyed = scheduler.keyed
    review = keyed.guard.review
    begin = jobs.submit[0]
    reviews = 0
    while goes_on(jobs, site):
        coming = next_second(jobs, now, site, False, scheduler.promises.place, desk.waiting.rows)
        if coming >= FAR:
            return
        due = (coming - begin) // review
        if due > reviews:  # the last one before the event is the only one that matters
            reviews = due
            second = begin + due * review
            arrived = site.state[0]["arrived"]
            again = prepare_easy(asked, second, now.start, arrived, easy, books)
            renumber_jobs(again, books_site.free, site.free, easy.rows)
            clear_site(books_site, capacity, down, books.settled[1])
            easy.now.nearby[0] = 0
            resume(again, easy, books_site, books.settled[1])
            _advance(again, calendar, of_easy, nobody, easy.now, books_site, books_desk, second)
            note_parts(books_site.free, site.free, easy.rows, easy.now.start, again.submit.size)
            compare_both(asked, second, now.start, arrived, again.submit.size, easy, books)
            if classify(keyed.guard, books.now, keyed.classes):
                sort_by_keys(jobs, keyed, site, desk.waiting)
        _advance(jobs, calendar, scheduler, users, now, site, desk, begin + (due + 1) * review)


@njit(cache=True, nogil=True, _nrt=False)
def resume(jobs: Jobs, easy: Beside, site: Site, since: Int) -> None:
    """Let the jobs run on that ran in EASY's books before second `since`, each on the part of the machine that it had.

    Parameters
    ----------
    jobs, easy
        Those that are simulated, the running ones first, and `Beside`, modified in place.
    site
        `Site` of the books, idle, modified in place.
    since
        s.
    """
    state = site.state
    while state[0]["arrived"] < jobs.submit.size and easy.start[easy.rows[state[0]["arrived"]]] >= 0:
        j = state[0]["arrived"]
        count_job(site.free, j, 1, False)
        begin_job(jobs, easy.now, site, j, since)
        state[0]["arrived"] += 1


@njit(cache=True, nogil=True, _nrt=False)
def sort_by_keys(jobs: Jobs, keyed: Keyed, site: Site, waiting: Waiting) -> None:
    """Give the waiting ones of `jobs` the keys of the present classes of `keyed`, and sort them.

    `site` and `waiting` are modified in place.
    """
    count = site.state[0]["waiting"]
    for i in range(count):
        j = waiting.rows[i]
        site.keys[j] = key_of(jobs, keyed.guard, keyed.classes, j)
        waiting.queue[i] = j
        waiting.keys[i] = site.keys[j]
    lift(site.free, waiting, count)
    make_heap(waiting.queue, waiting.keys, count)
    for i in range(count):
        waiting.rows[i] = take_first(waiting, 0, count - i, True)


@njit(cache=True, nogil=True, _nrt=False)
def _advance(
    jobs: Jobs,
    calendar: Calendar,
    scheduler: Scheduler,
    users: Users,
    now: Running,
    site: Site,
    desk: Desk,
    until: Int,
) -> None:
    """Handle all events before a second, without allocating memory.

    Parameters
    ----------
    jobs
        `Jobs`; of predicted run times the estimates are modified in place.
    calendar
        `Calendar`.
    scheduler, users, now, site, desk
        `Scheduler`, `Users`, `Running`, `Site` and `Desk`, modified in place: the start times of `now` are filled.
    until
        s; the events of this second are not handled.
    """
    ranking = scheduler.ranking
    kept = scheduler.kept
    choice = scheduler.choice
    predictor = scheduler.predictor
    state = site.state
    rows = desk.waiting.rows
    n = jobs.submit.size
    reacting = users.job.size > 0
    pace, away = scheduler.pace, scheduler.pace.away
    preempts = pace.look[0]["preempts"] + pace.look[0]["inside"] + pace.look[0]["fails"] > 0
    while goes_on(jobs, site) or may_change(pace, state[0]["running"]):
        t = next_second(jobs, now, site, scheduler.promising, scheduler.promises.place, rows)
        t = min(t, pace.look[0]["tick"], next_submission(users))
        if pace.look[0]["back"] > 0:
            t = min(t, away[BACK, 0] >> pace.look[0]["row_bits"])
        if t >= until or (preempts and is_short_of_room(pace)):
            return
        begin_second(site, t)
        counted = not scheduler.paced and t == scheduler.pace.look[0]["tick"]
        changed = change_nodes(site.free, pace, now, jobs.run, state[0]["running"], t)
        ended = False
        while state[0]["running"] > 0 and next_end(now) == t:
            j = end_job(jobs, scheduler, now, site, t)
            ended = True
            note(ranking.usage, j, t, -jobs.width[j])
            begun = now.start[j]
            if preempts and makes_way(jobs, scheduler, now, site, j, t):
                if reacting:
                    take_start_back(users, j, begun, state[0]["arrived"])
                continue
            if reacting:
                well = t == begun + jobs.run[j] + time_lost(pace, j)
                see_end(users, j, t, well)
                see_last_end(users, j, t, well)
            if scheduler.predicted:
                learn(predictor, j, jobs.run[j])
            if scheduler.ruled:
                weight = float(jobs.run[j]) * float(jobs.width[j])
                choice.sums[0] += weight * float(t - jobs.submit[j])
                choice.sums[1] += weight * float(jobs.run[j])
        stop_and_go_on(jobs.run, jobs.estimate, pace, now, state[0]["running"], t)
        if (take_or_refuse(users, t) or ended) and reacting:
            call_next(jobs, users, site.free, state[0]["arrived"])
        corrected = False
        if scheduler.predicted:
            corrected = correct(jobs, scheduler, now, site, t)
        state[0]["era"] = era_at(calendar, state[0]["era"], t)
        situation = calendar.kind[state[0]["era"]]
        before: Int = state[0]["waiting"]
        begins = any_begins(site.free, rows, before, t)
        happened = ended or begins or changed
        while state[0]["arrived"] < n and jobs.submit[state[0]["arrived"]] == t:
            if not is_refused(users, state[0]["arrived"]):
                arrive(jobs, scheduler, now, site, desk, situation, state[0]["arrived"], t)
                happened = True
            state[0]["arrived"] += 1
            if reacting:
                let_in(jobs, users, site.free, state[0]["arrived"])
        while pace.look[0]["back"] > 0 and away[BACK, 0] >> pace.look[0]["row_bits"] == t:
            j = away[BACK, 0] & ((1 << pace.look[0]["row_bits"]) - 1)
            pop(away[BACK], pace.look[0]["back"])
            pace.look[0]["back"] -= 1
            jobs.submit[j] = t
            arrive(jobs, scheduler, now, site, desk, situation, j, t)
            happened = True
        count: Int = state[0]["waiting"]
        running: Int = state[0]["running"]
        if scheduler.promising:
            keep(jobs, scheduler, now, site, desk, before, ended or counted or begins, corrected, t)
        elif scheduler.ruled:
            start_by_choice(jobs, scheduler, now, site, desk, situation, t)
        elif scheduler.paced:
            start_in_passes(jobs, scheduler, now, site, desk, situation, t, happened)
            stop_and_go_on(jobs.run, jobs.estimate, pace, now, state[0]["running"], t)
        elif count > 0 and is_due(jobs, site, ranking.backfilling, rows, kept):
            among: Int = count
            if desk.asked == NOBODY:
                among = line_up(site.free, rows, count, desk.waiting.queue)
            else:  # it is asked for all
                for i in range(count):
                    desk.waiting.queue[i] = rows[i]
            if not kept and among > 0:
                among = give_keys(ranking.order, situation, jobs, t, ranking, desk, among)
                lift(site.free, desk.waiting, among)
            if among > 0:
                start_jobs(jobs, scheduler, ranking.backfilling.reservations, now, site, desk, among, situation, t)
        if state[0]["running"] > running:
            if reacting:
                see_starts(users, rows, count, now.start, state[0]["arrived"], t)
                call_next(jobs, users, site.free, state[0]["arrived"])
            state[0]["waiting"] = still_waiting(rows, count, now.start)
        if not scheduler.paced:
            some_wait = state[0]["waiting"] > 0 and state[0]["running"] > 0
            scheduler.pace.look[0]["tick"] = when_counted(site.free, t) if some_wait else FAR


@njit(cache=True, nogil=True, _nrt=False)
def arrive(
    jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, desk: Desk, situation: Int, j: Int, t: Int
) -> None:
    """Let job j wait from second t on.

    Parameters
    ----------
    jobs, scheduler, now, site, desk, situation
        As for `start_jobs`; modified in place.
    j, t
        The job, and the second.
    """
    ranking, predictor = scheduler.ranking, scheduler.predictor
    if scheduler.predicted:
        jobs.estimate[j] = predict(predictor, j)
        predictor.first[j] = jobs.estimate[j]
    if scheduler.kept:
        if scheduler.guarded:
            site.keys[j] = key_of(jobs, scheduler.keyed.guard, scheduler.keyed.classes, j)
        else:
            desk.waiting.queue[0] = j
            rank(ranking.order, situation, jobs, t, ranking, desk, 1)
            site.keys[j] = desk.waiting.keys[0]
            if scheduler.paced:
                site.keys[j] = priority_of(scheduler.pace, j, site.keys[j])
    enter(site, desk.waiting.rows, j, scheduler.kept, scheduler.paced, scheduler.pace.turn)
    now.start[j] = -1


@njit(cache=True, nogil=True, _nrt=False)
def makes_way(jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, j: Int, t: Int) -> bool:
    """Return whether job j, which has ended in second t, made way for others and will come back.

    A job that has ended before it has run was ended by its reservation, unless it made way.

    Parameters
    ----------
    jobs
        `Jobs`, only read.
    scheduler, now, site
        As for `start_jobs`; the pace, the predictor and the starts are modified in place.
    j, t
        The job, and the second.
    """
    pace = scheduler.pace
    mode: Int = pace.away[GOING, j]
    if mode == ENDS:
        pace.away[GOING, j] = STAYS
    if mode != CANCELLED and mode != REQUEUED and t == now.start[j] + jobs.run[j] + time_lost(pace, j):
        return False
    if scheduler.predicted:
        late = ((now.start[j] + jobs.estimate[j]) << now.row_bits) | j
        site.state[0]["late"] = take_out(scheduler.predictor.late, site.state[0]["late"], late)
    comes_back = keep_life(site.free, pace, j, now.start[j], t)
    if comes_back:
        now.start[j] = -1
    return bool(comes_back)


@njit(cache=True, nogil=True, _nrt=False)
def ask_victims(jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, t: Int) -> None:
    """Let the jobs end soon that a main pass has asked to make way in second t.

    `scheduler`, `now` and `site` are modified in place; `jobs` are only read.
    """
    pace = scheduler.pace
    for place in range(pace.look[0]["victims"]):
        j = pace.away[VICTIMS, place]
        whole, sooner = now.start[j] + jobs.run[j] + time_lost(pace, j), t + grace_for(site.free, pace, j)
        end = min(whole, last_second(site.free, j, now.start[j]))
        if end <= sooner:
            pace.away[GOING, j] = ENDS
            continue
        if end == whole:  # it is known already of one that its reservation ends
            let_go(site.free, pace, j)
        end_sooner(now, site.state[0]["running"], j, end, sooner)


@njit(cache=True, nogil=True, _nrt=False)
def time_lost(pace: Pace, j: Int) -> Int:
    """Return for how long job j was stopped until it went on last, s; `pace` is only read."""
    return pace.stops[LOST_TIME, j] if pace.look[0]["suspends"] > 0 else np.int64(0)


@njit(cache=True, nogil=True, _nrt=False)
def may_change(pace: Pace, running: Int) -> bool:
    """Return whether jobs that have started may end before they have run, or are stopped, or come back.

    `pace` is only read; `running` is how many run.
    """
    look = pace.look[0]
    may_fail = running > 0 and look["event"] < pace.events.shape[0]
    return bool(may_fail or look["going"] + look["back"] + look["stopped"] > 0)


@njit(cache=True, nogil=True, _nrt=False)
def goes_on(jobs: Jobs, site: Site) -> bool:
    """Return whether any of `jobs` has still to arrive, to start or to exceed its prediction at `site`."""
    state = site.state
    return bool(state[0]["arrived"] < jobs.submit.size or state[0]["waiting"] > 0 or state[0]["late"] > 0)


@njit(cache=True, nogil=True, _nrt=False)
def is_due(jobs: Jobs, site: Site, backfilling: Backfilling, rows: Ints, kept: bool) -> bool:
    """Return whether a pass can change anything: some waiting job fits, or latest starts are to be written down.

    Parameters
    ----------
    jobs, site
        As for `_advance`.
    backfilling, rows, kept
        `Backfilling`; the waiting jobs, (n,) int64; and whether they are sorted.
    """
    if backfilling.reservations == 0 and kept and all_equal(site.free):
        return bool(jobs.width[rows[0]] <= room_now(site.free))
    return bool(backfilling.slack > 0 or any_may_start(jobs, site.free, rows, site.state[0]["waiting"]))


@njit(cache=True, nogil=True, _nrt=False)
def next_second(jobs: Jobs, now: Running, site: Site, promising: bool, place: Ints, rows: Ints) -> Int:
    """Return the second of the next event; nothing is changed.

    Parameters
    ----------
    jobs, now, site
        As for `_advance`.
    promising, place, rows
        Whether places are kept; the places, (n,) int64, s; and the waiting jobs, (n,) int64.
    """
    state = site.state
    t: Int = FAR
    if state[0]["arrived"] < jobs.submit.size:
        t = jobs.submit[state[0]["arrived"]]
    if state[0]["running"] > 0:
        t = min(t, next_end(now))
    if state[0]["change"] < site.changes.size:
        t = min(t, site.changes[state[0]["change"]])
    if state[0]["late"] > 0:
        t = min(t, site.late[0] >> now.row_bits)
    if promising:
        for i in range(state[0]["waiting"]):
            t = min(t, place[rows[i]])
    return t


@njit(cache=True, nogil=True, _nrt=False)
def begin_second(site: Site, t: Int) -> None:
    """Let the profiles of `site`, in place, begin in second t, and pass the change that is then."""
    state = site.state
    changes = state[0]["change"] < site.changes.size and site.changes[state[0]["change"]] == t
    if changes:
        state[0]["change"] += 1
    pass_time(site.free, t, changes)
    if site.careful:
        pass_time(site.sure, t, changes)
        pass_time(site.up, t, changes)


@njit(cache=True, nogil=True, _nrt=False)
def end_job(jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, t: Int) -> Int:
    """End the next of `jobs`, which ends in second t, and return its row.

    `scheduler`, `now` and `site` are modified in place.
    """
    state = site.state
    j = end_next(jobs, now, state[0]["running"])
    state[0]["running"] -= 1
    state[0]["busy"] -= jobs.width[j]
    end: Int = now.start[j] + jobs.estimate[j]
    if scheduler.paced:
        forget_end(scheduler.pace, j, end + time_lost(scheduler.pace, j))
        leave(site.free, scheduler.pace, j, t)
    else:
        vacate(jobs, site.free, j, t, end)
    if site.careful:
        vacate(jobs, site.sure, j, t, now.start[j] + site.requests[j])
    return j


@njit(cache=True, nogil=True, _nrt=False)
def correct(jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, t: Int) -> bool:
    """Increase the predictions that end in second t too early; return whether there is one.

    `jobs`, `scheduler` and `site` are modified in place; jobs of `now` that end in this second no longer run.
    """
    state = site.state
    predictor = scheduler.predictor
    late = predictor.late
    corrected = False
    while state[0]["late"] > 0 and (late[0] >> now.row_bits) == t:
        j = late[0] & ((1 << now.row_bits) - 1)
        pop(late, state[0]["late"])
        state[0]["late"] -= 1
        jobs.estimate[j] = longer(predictor, j, jobs.estimate[j])
        end = now.start[j] + jobs.estimate[j]
        if scheduler.paced:
            move_end(scheduler.pace, j, t, end)
        else:
            prolong(jobs, site.free, j, t, end)
        if jobs.estimate[j] < jobs.run[j]:
            push(late, state[0]["late"], (end << now.row_bits) | j)
            state[0]["late"] += 1
        corrected = True
    return corrected


@njit(cache=True, nogil=True, _nrt=False)
def enter(site: Site, rows: Ints, j: Int, kept: bool, paced: bool, turn: Ints) -> None:
    """Put job j, which no waiting job has a higher row than, into the queue.

    Parameters
    ----------
    site, rows
        `Site`, and the queue, (n,) int64, both modified in place.
    j, kept
        The job, and whether the queue is sorted by keys.
    paced, turn
        Whether that is for passes of Slurm, which go through all partitions of a tier: then jobs of equal keys are in
        the order of `turn`, (n,) int64.
    """
    waiting = site.state[0]["waiting"]
    low: Int = waiting
    if kept:
        low = 0
        high: Int = waiting
        while low < high:
            middle = (low + high) >> 1
            higher = 0 if paced else tier_of(site.free, rows[middle]) - tier_of(site.free, j)
            before = site.keys[rows[middle]] > site.keys[j]
            if site.keys[rows[middle]] == site.keys[j]:
                before = not paced or turn[rows[middle]] < turn[j]
            if higher > 0 or (higher == 0 and before):
                low = middle + 1
            else:
                high = middle
        for place in range(waiting, low, -1):
            rows[place] = rows[place - 1]
    rows[low] = j
    site.state[0]["waiting"] = waiting + 1
    count_job(site.free, j, 1, site.predicted)


@njit(cache=True, nogil=True, _nrt=False)
def is_sure(jobs: Jobs, site: Site, j: Int, t: Int) -> bool:
    """Return whether no down time stands against the whole request of job j from second t on.

    `jobs` and `site` are only read.
    """
    if not site.careful:
        return True
    sure = site.sure
    length = site.requests[j]
    return bool(earliest(sure.when, sure.room, sure.span, t, t + 1, FAR, jobs.width[j], length) == t)


@njit(cache=True, nogil=True, _nrt=False)
def can_start(jobs: Jobs, site: Site, plan: Machine, j: Int, t: Int) -> bool:
    """Return whether job j can start in second t, with which the profiles begin.

    `jobs` and `site` are only read, and so is `plan`, with all reservations, but that it says where on its nodes.
    """
    return bool(is_free(jobs, plan, j, t) and is_sure(jobs, site, j, t))


@njit(cache=True, nogil=True, _nrt=False)
def place_of(jobs: Jobs, site: Site, plan: Machine, j: Int, after: Int, t: Int) -> Int:
    """Return the earliest second, `after` or later, in which job j could start; t is the present one.

    `jobs` and `site` are only read, and so is `plan`, with all reservations, but that it says where on its nodes.
    """
    begin: Int = find_place(jobs, plan, j, after)
    if site.careful:
        up = site.up
        while True:
            later: Int = earliest(up.when, up.room, up.span, begin, FAR, FAR, jobs.width[j], site.requests[j])
            if begin == t and later == t and not is_sure(jobs, site, j, t):
                later = t + 1
            if later == begin:
                break
            begin = find_place(jobs, plan, j, later)
    return begin


@njit(cache=True, nogil=True, _nrt=False)
def begin_job(jobs: Jobs, now: Running, site: Site, j: Int, t: Int) -> None:
    """Start job j of `jobs` in second t; `now` and `site` are modified in place. A plan and usage are the caller's."""
    occupy(jobs, site.free, j, t)
    note_start(jobs, now, site, j, t)


@njit(cache=True, nogil=True, _nrt=False)
def note_start(jobs: Jobs, now: Running, site: Site, j: Int, t: Int) -> None:
    """Note that job j of `jobs`, which has its place, starts in second t, in `now` and `site`, in place."""
    state = site.state
    if site.careful:
        sure = site.sure
        add(sure.when, sure.room, sure.span, t, t + site.requests[j], -jobs.width[j])
    if site.predicted and jobs.estimate[j] < jobs.run[j]:
        push(site.late, state[0]["late"], ((t + jobs.estimate[j]) << now.row_bits) | j)
        state[0]["late"] += 1
    launch(jobs, now, state[0]["running"], j, t)
    count_job(site.free, j, -1, site.predicted)
    state[0]["running"] += 1
    state[0]["busy"] += jobs.width[j]


@njit(cache=True, nogil=True, _nrt=False)
def note(usage: Usage, j: Int, t: Int, width: Int) -> None:
    """Note in `usage`, in place, what `note_usage` does with j, t and `width`, compiled once."""
    if usage.account.size > 0:
        note_usage(usage, j, t, width)


@njit(cache=True, nogil=True, _nrt=False)
def start_jobs(
    jobs: Jobs,
    scheduler: Scheduler,
    reservations: Int,
    now: Running,
    site: Site,
    desk: Desk,
    left: Int,
    situation: Int,
    t: Int,
) -> None:
    """Start the jobs that an order and its reservations start in second t.

    Parameters
    ----------
    jobs, scheduler, now, site
        As for `_advance`; all but the first are modified in place.
    reservations
        How many jobs may have one in this pass.
    desk
        `Desk`, modified in place, whose queue has the waiting jobs: sorted if they are kept so, else with their keys.
    left
        How many jobs are in the queue.
    situation, t
        The scheduling situation, 0..2, and the second.
    """
    kept = scheduler.kept
    waiting = desk.waiting
    ranking = scheduler.ranking
    backfilling = ranking.backfilling
    plan = open_pass(site.free, desk.profile, True)
    taken: Int = np.int64(0)  # how many of the first jobs have been taken
    is_there = False  # whether the next one is where it is looked for
    while left > 0:
        j = next_job(waiting, left, taken, kept)
        starts = can_start(jobs, site, plan, j, t)
        if not starts and (reservations > 0 or stops_others(jobs, plan, j, t)):
            is_there = True
            break
        if not kept:
            drop_first(waiting, left, taken)
        left -= 1
        taken += 1
        if starts:
            copy_start(jobs, plan, j, t)
            begin_job(jobs, now, site, j, t)
            note(scheduler.ranking.usage, j, t, jobs.width[j])
    if left == 0 or reservations == 0:
        return
    # When no job that is left fits, only slack makes places matter.
    idle = backfilling.slack == 0
    fitting = count_fitting(waiting.queue[taken * kept :], left, jobs.width, room_now(plan))
    aside: Int = np.int64(0)
    holders: Int = 0
    while left > 0 and holders < reservations and (fitting > 0 or not idle):
        j = waiting.queue[taken * kept] if is_there else next_job(waiting, left, taken, kept)
        is_there = False
        key = waiting.keys[0]
        if not kept:
            drop_first(waiting, left, taken)
        left -= 1
        taken += 1
        if is_kept_out(plan, j):
            fitting -= jobs.width[j] <= room_now(plan)
            continue
        if not backfilling.entitled[jobs.group[j]]:
            desk.aside[aside] = j
            desk.aside_keys[aside] = key
            aside += 1
            continue
        if jobs.width[j] <= room_now(plan):
            fitting -= 1
        begin: Int = place_of(jobs, site, plan, j, t, t)
        if begin >= FAR:
            continue
        if backfilling.slack > 0 and begin > t:
            if desk.latest[j] > t:
                begin = place_of(jobs, site, plan, j, desk.latest[j], t)
            elif desk.latest[j] == NONE_YET:
                desk.latest[j] = begin + backfilling.slack
        if begin > t:
            reserve(jobs, plan, j, begin, -1)
            desk.reserved[holders] = j
            desk.begins[holders] = begin
            holders += 1
            continue
        copy_start(jobs, plan, j, t)
        begin_job(jobs, now, site, j, t)
        note(scheduler.ranking.usage, j, t, jobs.width[j])
        fitting = count_fitting(waiting.queue[taken * kept :], left, jobs.width, room_now(plan))
        fitting += count_fitting(desk.aside, aside, jobs.width, room_now(plan))
    left = gather_others(jobs, scheduler, now, site, plan, desk, taken, left, aside, t)
    heap = not (kept and backfilling.same)
    if heap and not backfilling.same and left > 0:
        left = give_keys(ranking.candidates, situation, jobs, t, ranking, desk, left)
        lift(plan, waiting, left)
    taken = np.int64(0)
    while left > 0:
        if heap and taken < SCANS:
            left = drop_hopeless(jobs, plan, waiting, left)
            if left == 0:
                break
        j = next_job(waiting, left, taken, not heap)
        if heap:
            drop_first(waiting, left, taken)
        left -= 1
        taken += 1
        if seems_free(jobs, plan, j) and can_start(jobs, site, plan, j, t):
            copy_start(jobs, plan, j, t)
            begin_job(jobs, now, site, j, t)
            note(scheduler.ranking.usage, j, t, jobs.width[j])
            if not any_may_be_free(jobs, plan):
                break
    close_pass(jobs, plan, desk.reserved, desk.begins, holders)


@njit(cache=True, nogil=True, _nrt=False, inline="always")
def next_job(waiting: Waiting, left: Int, taken: Int, is_sorted: bool) -> Int:
    """Return the first of `left` jobs in the queue of `waiting`, from which `taken` were taken before.

    If not `is_sorted`, it is brought to the beginning of the queue, in place, see `bring_first`.
    """
    if is_sorted:
        return waiting.queue[taken]
    bring_first(waiting, left, taken)
    return waiting.queue[0]


@njit(cache=True, nogil=True, _nrt=False)
def drop_hopeless(jobs: Jobs, plan: Machine, waiting: Waiting, left: Int) -> Int:
    """Return how many of the first `left` jobs in a queue may start, after the others have been dropped.

    Parameters
    ----------
    jobs, plan
        `Jobs` and what is free beside all reservations, which are only read.
    waiting, left
        `Waiting`, of which the queue and the keys are modified in place, and how many jobs are in it.
    """
    size: Int = np.int64(0)
    for i in range(left):
        if seems_free(jobs, plan, waiting.queue[i]):
            waiting.queue[size] = waiting.queue[i]
            waiting.keys[size] = waiting.keys[i]
            size += 1
    return size


@njit(cache=True, nogil=True, _nrt=False)
def gather_others(
    jobs: Jobs,
    scheduler: Scheduler,
    now: Running,
    site: Site,
    plan: Machine,
    desk: Desk,
    taken: Int,
    left: Int,
    aside: Int,
    t: Int,
) -> Int:
    """Put the jobs that may be backfilled in the front of the queue; return how many they are.

    They hold no reservation, could start beside the reservations if no other job did, and are short enough. Of a
    sorted queue they stay sorted.

    Parameters
    ----------
    jobs, scheduler, now, site, desk, t
        As for `start_jobs`; the queue is modified in place.
    plan
        What is free beside all reservations.
    taken, left, aside
        How many jobs of a sorted queue have been taken, how many are left in the queue, and how many are aside.
    """
    if not any_may_be_free(jobs, plan):
        return np.int64(0)
    kept = scheduler.kept
    backfilling = scheduler.ranking.backfilling
    waiting = desk.waiting
    limited = any_named(jobs, backfilling, waiting.rows, site.state[0]["waiting"], now.start)
    count: Int = np.int64(0)
    for i in range(left + aside):
        # Those aside come before the others in the order; a heap has no order, and is read before it is overwritten.
        is_aside = i < aside if kept else i >= left
        place = i if kept else i - left
        j = desk.aside[place] if is_aside else waiting.queue[taken + i - aside if kept else i]
        key = desk.aside_keys[place] if is_aside else waiting.keys[i - aside if kept else i]
        if limited and jobs.estimate[j] > backfilling.longest[jobs.group[j]]:
            continue
        if may_be_free(jobs, plan, j, t) and is_sure(jobs, site, j, t):
            waiting.queue[count] = j
            if not kept:
                waiting.keys[count] = key
            count += 1
    return count


@njit(cache=True, nogil=True, _nrt=False)
def start_in_passes(
    jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, desk: Desk, situation: Int, t: Int, happened: bool
) -> None:
    """Start the jobs that the passes of Slurm start in second t, and say when the next ones are due.

    No pass is due where no waiting job could be on the machine, whatever the order is, and whatever is planned. Where
    jobs may make way for others, main passes are.

    Parameters
    ----------
    jobs, scheduler, now, site, desk, situation, t
        As for `start_jobs`; what it modifies is modified in place.
    happened
        Whether a job has ended or arrived.
    """
    pace = scheduler.pace
    look = pace.look
    rows = desk.waiting.rows
    left: Int = site.state[0]["waiting"]
    # the first one comes a while after the first job: Slurm has just had one, which saw no job
    backfills = look[0]["backfills"] > 0 and t % look[0]["every"] == 0 and t > 0
    in_vain = not happened
    may_ask = look[0]["preempts"] > 0 and left > 0  # a main pass may make room
    for which in range(2):
        due = backfills if which == 1 else happened or t % look[0]["main"] == 0
        may_stop = look[0]["suspends"] > 0 and left > 0  # others may stop
        if due and ((may_ask and which == 0) or may_stop or any_may_start(jobs, site.free, rows, left)):
            line_up_for_pass(jobs, scheduler, site, desk, situation, t)
            begun: Int = start_in_pass(jobs, site.free, pace, now.start, left, t, which == 1)
            note_starts(jobs, scheduler, now, site, begun, t)
            if may_ask and which == 0:
                ask_victims(jobs, scheduler, now, site, t)
            in_vain &= begun == 0
    arrived, change = site.state[0]["arrived"], site.state[0]["change"]
    # others come when a job has ended that never may
    to_come = arrived < jobs.submit.size and jobs.submit[arrived] < FAR
    to_come |= change < site.changes.size and site.changes[change] < FAR
    to_come |= look[0]["going"] + look[0]["back"] > 0
    if not in_vain or to_come or site.state[0]["running"] > 0:
        look[0]["idle"] = 0
    elif backfills or look[0]["backfills"] == 0:
        look[0]["idle"] += 1
    look[0]["tick"] = FAR
    # On an idle machine the second pass finds what the first one did.
    if look[0]["idle"] < 2 and (may_ask or any_may_start(jobs, site.free, rows, left)):
        look[0]["tick"] = (t // look[0]["main"] + 1) * look[0]["main"]
        if look[0]["backfills"] > 0:
            look[0]["tick"] = min(look[0]["tick"], (t // look[0]["every"] + 1) * look[0]["every"])


@njit(cache=True, nogil=True, _nrt=False)
def line_up_for_pass(jobs: Jobs, scheduler: Scheduler, site: Site, desk: Desk, situation: Int, t: Int) -> None:
    """Put the waiting ones of `jobs` into the line of the pace in their order in second t.

    Parameters
    ----------
    jobs, scheduler, site, desk, situation, t
        As for `start_jobs`; the pace and the queue are modified in place.
    """
    pace, waiting = scheduler.pace, desk.waiting
    count: Int = site.state[0]["waiting"]
    if scheduler.kept:
        for i in range(count):
            pace.line[i] = waiting.rows[i]
            pace.priority[waiting.rows[i]] = site.keys[waiting.rows[i]]
        return
    for i in range(count):
        waiting.queue[i] = waiting.rows[i]
    rank(scheduler.ranking.order, situation, jobs, t, scheduler.ranking, desk, count)
    if pace.look[0]["fixes"]:
        for i in range(count):
            waiting.keys[i] = priority_of(pace, waiting.queue[i], waiting.keys[i])
        make_heap(waiting.queue, waiting.keys, count)
    for i in range(count):
        key = waiting.keys[0]
        j = take_first(waiting, 0, count - i, True)
        place: Int = i  # jobs of equal keys come by their rows
        while (
            place > 0 and pace.priority[pace.line[place - 1]] == key and pace.turn[pace.line[place - 1]] > pace.turn[j]
        ):
            pace.line[place] = pace.line[place - 1]
            place -= 1
        pace.line[place] = j
        pace.priority[j] = key


@njit(cache=True, nogil=True, _nrt=False)
def note_starts(jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, begun: Int, t: Int) -> None:
    """Note that the first `begun` jobs of a pass of Slurm start in second t.

    Parameters
    ----------
    jobs, scheduler, now, site, t
        As for `start_jobs`; all but `jobs` are modified in place.
    begun
        How many jobs have started.
    """
    for i in range(begun):
        j = scheduler.pace.begun[i]
        note_start(jobs, now, site, j, t)
        note(scheduler.ranking.usage, j, t, jobs.width[j])
        end = t + jobs.run[j]
        if scheduler.pace.look[0]["inside"] > 0 and last_second(site.free, j, t) < end:
            let_go(site.free, scheduler.pace, j)
            end_sooner(now, site.state[0]["running"], j, end, last_second(site.free, j, t))


@njit(cache=True, nogil=True, _nrt=False)
def start_by_choice(
    jobs: Jobs, scheduler: Scheduler, now: Running, site: Site, desk: Desk, situation: Int, t: Int
) -> None:
    """Start the jobs that the strategy starts which a rule base chooses in second t.

    Parameters
    ----------
    jobs, scheduler, now, site, desk, situation, t
        As for `start_jobs`; what it modifies is modified in place.
    """
    choice = scheduler.choice
    waiting = desk.waiting
    count: Int = site.state[0]["waiting"]
    wanted: Int = 0
    narrowest: Int = FAR
    for i in range(count):
        wanted += jobs.width[waiting.rows[i]]
        narrowest = min(narrowest, jobs.width[waiting.rows[i]])
    if narrowest > room_now(site.free):
        return
    least: Int = always_free(site.free)
    if site.careful:
        least = min(least, always_free(site.sure))
    strategy: Int = 3 * WAITED_FIRST  # as good as any other one if all jobs start
    if wanted > least:
        look(jobs, site, waiting, choice)
        strategy, entry = choose(choice.rules, choice.ballot)
        choice.decisions[entry] += 1
    for i in range(count):
        j = waiting.rows[i]
        waiting.queue[i] = j
        if strategy < 3:
            waiting.keys[i] = -float(jobs.width[j])
        elif strategy < 6:
            waiting.keys[i] = -float(jobs.estimate[j])
        elif strategy < 9:
            waiting.keys[i] = 0.0
        else:
            waiting.keys[i] = -float(choice.place[jobs.group[j]])
    if strategy == GREEDY:
        give_keys(scheduler.ranking.order, situation, jobs, t, scheduler.ranking, desk, count)
    lift(site.free, waiting, count)
    algorithm = strategy % 3
    reservations: Int = np.int64(0) if algorithm == 0 or strategy == GREEDY else np.int64(1) if algorithm == 1 else FAR
    start_jobs(jobs, scheduler, reservations, now, site, desk, count, situation, t)


@njit(cache=True, nogil=True, _nrt=False)
def look(jobs: Jobs, site: Site, waiting: Waiting, choice: Choice) -> None:
    """Fill the features of the ballot of `choice`, in place, as `rule_base.observe` does.

    `jobs`, `site` and `waiting` are only read.
    """
    x = choice.ballot.features
    area = choice.area
    x[0] = 1.0
    if choice.sums[1] > 0.0:
        x[0] = min(max(choice.sums[0] / choice.sums[1], 1.0), 100.0)
    x[1] = 100.0 * float(site.state[0]["busy"]) / float(choice.capacity)
    for g in range(area.size):
        area[g] = 0
    whole: Int = 0
    for i in range(site.state[0]["waiting"]):
        j = waiting.rows[i]
        area[jobs.group[j]] += jobs.estimate[j] * jobs.width[j]
        whole += jobs.estimate[j] * jobs.width[j]
    for g in range(area.size):
        x[2 + g] = 100.0 * float(area[g]) / float(whole)


@njit(cache=True, nogil=True, _nrt=False)
def keep(
    jobs: Jobs,
    scheduler: Scheduler,
    now: Running,
    site: Site,
    desk: Desk,
    before: Int,
    ended: bool,
    corrected: bool,
    t: Int,
) -> None:
    """Give places to the waiting jobs in second t, and start those whose place begins, see `simulate`.

    Parameters
    ----------
    jobs, scheduler, now, site, desk, t
        As for `start_jobs`.
    before
        How many jobs waited before the arrivals of this second.
    ended, corrected
        Whether a job has ended, or what jobs take of timed pools has shrunk; and whether a prediction has proved too
        short.
    """
    rows = desk.waiting.rows
    place = scheduler.promises.place
    count: Int = site.state[0]["waiting"]
    again = corrected
    plan = open_pass(site.free, desk.profile, False)
    if keeps_places(plan) == again:  # places are to be given up, or to be reserved
        for i in range(before):
            reserve(jobs, plan, rows[i], place[rows[i]], 1 if again else -1)
    for i in range(before if ended and not again else 0):
        promise(jobs, place, site, plan, rows[i], place[rows[i]], t)
    for i in range(count if again else before, count):
        promise(jobs, place, site, plan, rows[i], NO_PLACE, t)
    while True:
        for i in range(count if again else 0):
            if now.start[rows[i]] < 0:
                promise(jobs, place, site, plan, rows[i], NO_PLACE, t)
        again = False
        for i in range(count):
            j = rows[i]
            if now.start[j] < 0 and place[j] == t:
                if not is_sure(jobs, site, j, t) or not may_start(plan, j):
                    again = True
                    break
                reserve(jobs, plan, j, t, 1)
                copy_start(jobs, plan, j, t)
                begin_job(jobs, now, site, j, t)
                note(scheduler.ranking.usage, j, t, jobs.width[j])
        for i in range(count if again or not keeps_places(plan) else 0):
            if now.start[rows[i]] < 0:
                reserve(jobs, plan, rows[i], place[rows[i]], 1)
        if not again:
            return


@njit(cache=True, nogil=True, _nrt=False)
def promise(jobs: Jobs, place: Ints, site: Site, plan: Machine, j: Int, begin: Int, t: Int) -> None:
    """Give job j of `jobs` the earliest place from second t on at `site`, instead of the one that begins at `begin`.

    `place`, (n,) int64, s, and `plan` are modified in place; a `begin` of NO_PLACE is for none.
    """
    if keeps_places(plan):
        place[j] = exchange(jobs, plan, j, begin, t)
        return
    if begin != NO_PLACE:
        reserve(jobs, plan, j, begin, 1)
    place[j] = place_of(jobs, site, plan, j, t, t)
    reserve(jobs, plan, j, place[j], -1)

"""When jobs start on a machine of nodes: the ideal rhythm and Slurm's, as plainly as they can be said."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import NamedTuple

from support.naive_arrivals import arrivals_of, arriving, submission_of
from support.naive_limits import CALC_PERIOD, TASK_LIMIT, has_limits, held_by, held_by_counts
from support.naive_machine import (
    Amount,
    Busy,
    Job,
    Machine,
    Partition,
    free_for,
    free_in,
    has_licences,
    is_absent,
    less,
    lets_in,
    limit_in,
    longest_run,
    partitions_of,
    seen_by,
    windows_of,
)
from support.naive_node_choice import choose, may_use, nodes_for
from support.naive_preemption import grace_of, life_after, mode_of, victims_of
from support.naive_suspension import cores_for, settle, time_stopped, ways

Order = Callable[[int, list[Job], list[Busy]], list[Job]]  # second, waiting and running jobs; the waiting ones in order
ALL = 10**9  # reservations: as many as there are jobs
NEVER = 10**15  # s: when a job ends that is to start again before
WINDOW = 30  # s: running jobs that end in a window are taken to end together


def by_arrival(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs as they were submitted."""
    return sorted(waiting, key=lambda job: (submission_of(job), job.row))


# --- the ideal rhythm


def ideal(
    machine: Machine, jobs: Sequence[Job], order: Order = by_arrival, reservations: int = 1, skips: bool = False
) -> dict[int, Busy]:
    """Return what each job that starts gets, by row, with one pass at each event.

    In every second completions come first, then arrivals, then one pass over all waiting jobs, those of higher tiers
    first, and of one tier in the order of the policy. A job starts if it fits now beside all reservations. Of those
    that do not, the first ones have reservations: 0 for no backfilling, 1 for EASY, ALL for conservative. Without
    backfilling the first job that does not fit ends the pass, unless `skips`. A job that the limits of all its
    partitions keep out, or that has no place in any future, or that lacks licences, or that limits of its QOS, user and
    accounts hold, stops nobody.
    """
    users = any(job.ask.same_user for job in jobs)
    runs: dict[int, Busy] = {}
    waiting: list[Job] = []
    changes = changes_of(machine)
    t = -1
    while events := {
        *beyond(t, (arrivals := arrivals_of(machine, jobs, runs)).values()),
        *beyond(t, (run.end for run in runs.values())),
        *(beyond(t, changes) if waiting else ()),
        *looks(machine, t, waiting, runs),
    }:
        t = min(events)
        waiting += arriving(jobs, arrivals, t)
        running = [run for run in runs.values() if run.end > t]
        there = [job for job in waiting if not is_absent(machine, job, t)]
        queue = in_tiers(machine, order(t, there, running))
        for run in ideal_pass(machine, t, queue, running, reservations, skips, users):
            runs[run.job.row] = run
            waiting.remove(run.job)
    return runs


def changes_of(machine: Machine) -> set[int]:
    """Return the seconds in which down times and reservations begin and end."""
    return {moment for one in (*machine.down, *machine.reservations) for moment in (one.begin, one.end)}


def begins_for(machine: Machine, waiting: Iterable[Job]) -> set[int]:
    """Return the seconds in which reservations begin for waiting jobs."""
    return {one.begin for job in waiting for one in windows_of(machine, job)}


def in_tiers(machine: Machine, queue: list[Job]) -> list[Job]:
    """Return jobs in reservations first, then those of higher tiers, each in the order of the queue."""
    return sorted(queue, key=lambda job: (not windows_of(machine, job), -partitions_of(machine, job)[0].tier))


def beyond(t: int, seconds: Iterable[int]) -> set[int]:
    """Return the seconds after t."""
    return {second for second in seconds if second > t}


def looks(machine: Machine, t: int, waiting: list[Job], runs: Mapping[int, Busy]) -> set[int]:
    """Return the next second in which limits of minutes may let a job start because others have run for a while."""
    is_of_use = waiting and any(run.end > t for run in runs.values()) and has_limits(machine, ("GrpTRESRunMins",))
    first = machine.run_minutes_first
    return {first + ((t - first) // CALC_PERIOD + 1) * CALC_PERIOD} if is_of_use else set()


def ideal_pass(
    machine: Machine, t: int, queue: list[Job], running: list[Busy], reservations: int, skips: bool, users: bool
) -> list[Busy]:
    """Return the jobs that start now, with what they hold while they run.

    Until now a running job is taken to end at its limit, or in the next second if that has passed. `users`: whether
    jobs want to be alone with those of their user.
    """
    expected = [run._replace(end=expected_end(machine, run, t)) for run in running]
    begun = start_beside(lambda _: machine, t, queue, expected, reservations, skips, users)
    return [
        run._replace(end=t + min(run.job.run, limit_in(machine.partitions[run.partition], run.job))) for run in begun
    ]


def start_beside(
    machine_for: Callable[[Job], Machine],
    t: int,
    queue: list[Job],
    running: Sequence[Busy],
    reservations: int,
    skips: bool,
    users: bool,
) -> list[Busy]:
    """Return the jobs that start now beside running ones, all until they are expected to end; see `ideal`.

    `machine_for` is the machine as a job may use it.
    """
    begun: list[Busy] = []
    places: list[Busy] = []
    for job in queue:
        there, machine = [*running, *begun], machine_for(job)
        if not has_licences(machine, job, there):
            continue
        found = place(machine, job, [t], [*there, *places], there, t)
        if found is not None:
            begun.append(found)
        elif len(places) < reservations or (reservations == 0 and not skips):
            others = [*there, *places]
            later = place(machine, job, later_seconds(machine, job, t, others, users), others, there, t)
            if later is not None and reservations == 0:
                break
            places += [later] if later is not None else []
    return begun


def keep_places(machine: Machine, jobs: Sequence[Job]) -> dict[int, Busy]:
    """Return what each job gets, by row, with conservative backfilling: places that are kept between events.

    A job gets the earliest place when it arrives. When jobs end, each waiting job in the order of arrival exchanges its
    place for the earliest one beside all others, if that is earlier. Jobs start where their places begin; if one lacks
    licences then, or limits hold it, all get new places in this order. A job that lacks licences, is held, or has no
    place, waits until some job ends, or until Slurm looks at how long jobs have run.
    """
    runs: dict[int, Busy] = {}
    places: dict[int, Busy] = {}
    waiting: list[Job] = []
    users = any(job.ask.same_user for job in jobs)
    changes = changes_of(machine)
    t = -1
    while events := {
        *beyond(t, (arrivals := arrivals_of(machine, jobs, runs)).values()),
        *beyond(t, (run.end for run in runs.values())),
        *beyond(t, (b.begin for b in places.values())),
        *(beyond(t, changes) if waiting else ()),
        *(seconds := looks(machine, t, waiting, runs)),
    }:
        t = min(events)
        ended = t in seconds or any(run.end == t for run in runs.values()) or t in begins_for(machine, waiting)
        coming = arriving(jobs, arrivals, t)

        for job in (waiting if ended else []) + coming:
            promise(machine, job, t, runs, places, users)
        waiting += coming
        while begins := [job for job in waiting if job.row in places and places[job.row].begin == t]:
            job = begins[0]
            running = [run for run in runs.values() if run.end > t]
            partition = machine.partitions[places[job.row].partition]
            if not has_licences(machine, job, running) or held_by(
                machine, job, partition, running, t, places[job.row].held
            ):
                places.clear()
                for other in waiting:
                    promise(machine, other, t, runs, places, users)
                continue
            mine = places.pop(job.row)
            runs[job.row] = mine._replace(end=t + min(job.run, limit_in(partition, job)))
            waiting.remove(job)
    return runs


def promise(machine: Machine, job: Job, t: int, runs: dict[int, Busy], places: dict[int, Busy], users: bool) -> None:
    """Give a job the earliest place beside running jobs and other places, if it has licences and there is one.

    It keeps the place that it has if there is no earlier one.
    """
    mine = places.pop(job.row, None)
    running = [run._replace(end=expected_end(machine, run, t)) for run in runs.values() if run.end > t]
    others = [*running, *places.values()]
    if has_licences(machine, job, running) and not is_absent(machine, job, t):
        found = place(machine, job, [t, *later_seconds(machine, job, t, others, users)], others, running, t)
        if found is not None:
            places[job.row] = found if mine is None or found.begin < mine.begin else mine


def expected_end(machine: Machine, run: Busy, t: int) -> int:
    """Return when a running job ends if it runs until its limit; after this, in the next second."""
    return max(run.begin + limit_in(machine.partitions[run.partition], run.job), t + 1)


def later_seconds(machine: Machine, job: Job, t: int, others: list[Busy], users: bool) -> list[int]:
    """Return the seconds after t in which more of something is free than just before on a node that a job may use.

    With `users` also those in which other jobs are there.
    """
    nodes = set().union(*(may_use(machine, partition, job.ask) for partition in partitions_of(machine, job)))
    seconds = {down.end for down in machine.down if down.end > t and down.nodes & nodes}
    seconds |= openings(machine, t)
    for second in {b.end for b in others if b.end > t}:
        for node in machine.nodes:
            if node.name in nodes:
                before, then = (
                    [b for b in others if node.name in b.held and b.begin <= s < b.end] for s in (second - 1, second)
                )
                more = less(Amount(0, 0, node.gpus), (b.held[node.name] for b in before))
                rest = less(Amount(0, 0, node.gpus), (b.held[node.name] for b in then))
                freed = rest.cpus > more.cpus or rest.memory > more.memory
                if freed or any(rest.gpus[kind] > more.gpus[kind] for kind in node.gpus) or (users and before != then):
                    seconds.add(second)
    return sorted(seconds)


def openings(machine: Machine, t: int) -> set[int]:
    """Return the seconds after t in which reservations end, and in which those begin that bind a job in them."""
    bound = [one.begin for one in machine.reservations if not one.flex]
    return beyond(t, [*bound, *(one.end for one in machine.reservations)])


def place(
    machine: Machine, job: Job, seconds: list[int], others: list[Busy], running: Sequence[Busy] = (), t: int = 0
) -> Busy | None:
    """Return what a job gets beside others in the first of some seconds in which it fits; None if it never does.

    A place does not count if limits hold the job there beside the jobs that run now, in second t.
    """
    for second in seconds:
        for partition in partitions_of(machine, job):
            mine = put(machine, job, second, partition, others) if lets_in(partition, job) else None
            if mine is not None and not held_by(machine, job, partition, running, t, mine.held):
                return mine
    return None


def put(machine: Machine, job: Job, second: int, partition: Partition, others: list[Busy]) -> Busy | None:
    """Return what a job gets from a second on until its limit, beside others; None if it does not fit."""
    end = second + limit_in(partition, job)
    seen, others = seen_by(machine, job, others, second, end)
    held = choose(seen, partition, job.ask, free_for(seen, job, others, second, end))
    return None if held is None else Busy(job, second, end, partition.name, held)


# --- Slurm's rhythm


class Rhythm(NamedTuple):
    """How often and how far Slurm looks, as slurm.conf says it; times in seconds."""

    sched_interval: int = 60
    queue_depth: int = 100  # default_queue_depth
    bf_interval: int = 30
    bf_first: int = 0  # when a backfill pass was, before the first job or with it; the next one is bf_interval later
    bf_window: int = 86400
    bf_resolution: int = 60
    epoch: int = 0  # Unix time of second 0, for bf_resolution
    bf_max_job_test: int = 500
    bf_max_job_part: int = 0  # 0: any number
    bf_max_job_user: int = 0
    bf_max_job_start: int = 0
    bf_job_part_count_reserve: int = 0
    bf_min_prio_reserve: int = 0
    over_time_limit: int = 0  # OverTimeLimit
    kill_wait: int = 30  # KillWait
    assoc_limit_stop: bool = False
    bf_max_job_assoc: int = 0
    bf_max_job_array_resv: int = 20
    partition_job_depth: int = 0
    bf_seconds: tuple[int, ...] = ()  # when backfill passes come, if it is known


class Turn(NamedTuple):
    """A job in one of its partitions: what Slurm's passes look at."""

    job: Job
    partition: Partition


def by_priority(t: int, waiting: list[Job], running: list[Busy]) -> list[Job]:
    """Return the waiting jobs by priority, those of one priority as they were submitted."""
    return sorted(waiting, key=lambda job: (-job.priority, submission_of(job), job.row))


def slurm(machine: Machine, jobs: Sequence[Job], rhythm: Rhythm, order: Order = by_priority) -> dict[int, Busy]:
    """Return what each job that starts gets, by row, with the passes of Slurm; of those that start again the last."""
    return {run.job.row: run for run in slurm_lives(machine, jobs, rhythm, order)}


def slurm_lives(
    machine: Machine,
    jobs: Sequence[Job],
    rhythm: Rhythm,
    order: Order = by_priority,
    changes: Mapping[int, Machine] | None = None,
    failures: Mapping[int, frozenset[str]] | None = None,
    left: list[Job] | None = None,
) -> list[Busy]:
    """Return what jobs get each time when they start, with the passes of Slurm.

    In every second completions come first, then arrivals, then the passes: the main pass if anything ended or arrived,
    and at each sched_interval, then the backfill pass at each bf_interval. Simulation ends when nothing runs, arrives
    or can start any more. `changes`: the machine from some seconds on; `failures`: nodes that lose their jobs in some
    seconds. There is a main pass then, too. `left` is filled with the jobs that wait for ever.
    """
    runs: dict[int, Busy] = {}  # the last life of each job that does not wait again
    lives: list[Busy] = []  # those before
    going: dict[int, str] = {}  # jobs that were asked to make way, and what happens to them
    waiting: list[Job] = []
    told = [*jobs]
    t = -1
    last = max(changes_of(machine), default=0)
    idle = 0
    machines, failing = dict(changes or {}), dict(failures or {})
    while (len(runs) < len(jobs) or going or beyond(t, failing) or any(r.left for r in runs.values())) and idle < 2:
        known = {row: run._replace(end=NEVER) if going.get(row) == "requeue" else run for row, run in runs.items()}
        arrivals = arrivals_of(machine, jobs, known, told)
        coming = beyond(t, [*arrivals.values(), *machines, *failing, *(run.end for run in runs.values())])
        coming |= beyond(t, begins_for(machine, waiting))
        if not coming and not waiting:
            break
        main = (t // rhythm.sched_interval + 1) * rhythm.sched_interval
        backfill = next_backfill(rhythm, t)
        t = min(coming | ({main, backfill} if waiting else set()))
        is_main, is_backfill = t % rhythm.sched_interval == 0, t == next_backfill(rhythm, t - 1)
        machine = machines.get(t, machine)
        for run in [run for run in runs.values() if run.end > t and set(run.held) & failing.get(t, frozenset())]:
            runs[run.job.row] = run._replace(end=t)
            going[run.job.row] = "requeue" if run.job.requeue else "cancel"
        for row in [row for row in going if runs[row].end == t]:
            if going.pop(row) == "requeue":
                lives.append(runs.pop(row))
                jobs = [life_after(job, t) if job.row == row else job for job in jobs]
        settle(machine, runs, t)
        there = {*runs, *(job.row for job in waiting)}  # the start of one that started before lets nobody in twice
        waiting += [job for job in arriving(jobs, arrivals, t) if job.row not in there]
        running = [run for run in runs.values() if run.end > t]
        begun = []
        if t in coming or is_main:
            queue = turns(machine, order(t, [job for job in waiting if not is_absent(machine, job, t)], running))
            begun, victims = main_pass(machine, t, queue, running, rhythm, {*going})
            for run in victims:
                end = t + grace_of(machine, run)
                going[run.job.row] = mode_of(machine, run) if run.end > end else "ends before"
                runs[run.job.row] = run._replace(end=min(run.end, end))
            running = [runs[run.job.row] for run in running]
        if is_backfill:
            started = {run.job.row for run in begun}
            rest = [job for job in waiting if job.row not in started and not is_absent(machine, job, t)]
            now_running = [*running, *begun]
            begun += backfill_pass(machine, t, turns(machine, order(t, rest, now_running)), now_running, rhythm)
        for run in begun:
            runs[run.job.row] = run
            waiting.remove(run.job)
        settle(machine, runs, t)
        if coming or begun or t <= last:
            idle = 0
        elif is_backfill:
            idle += 1
    if left is not None:
        left += waiting
    return [*lives, *runs.values()]


def next_backfill(rhythm: Rhythm, t: int) -> int:
    """Return the second after t in which the next backfill pass comes."""
    regular = rhythm.bf_first + (max((t - rhythm.bf_first) // rhythm.bf_interval, 0) + 1) * rhythm.bf_interval
    return min(beyond(t, rhythm.bf_seconds), default=regular)


def turns(machine: Machine, jobs: list[Job]) -> list[Turn]:
    """Return each job once for each of its partitions: those in reservations first, then higher tiers, then in order.

    A partition counts that lets the job in but for its time. An array is one entry: its tasks in one partition come
    before those in the next one.
    """
    entries = [list(tasks) for _, tasks in groupby(jobs, lambda job: job.array[:1] if job.array else (None, job.row))]
    every = [Turn(task, part) for tasks in entries for part in partitions_of(machine, tasks[0]) for task in tasks]
    every = [turn for turn in every if lets_in(turn.partition, turn.job._replace(limit=None))]
    return sorted(every, key=lambda turn: (not windows_of(machine, turn.job), -turn.partition.tier))


def start_of(
    machine: Machine, t: int, turn: Turn, held: dict[str, Amount], rhythm: Rhythm, running: list[Busy]
) -> Busy:
    """Return a job that starts beside running ones; it is ended OverTimeLimit after its limit."""
    longest = longest_run(machine, turn.partition, turn.job, t, rhythm.over_time_limit)
    cores = cores_for(machine, turn.partition, held, running)
    return Busy(turn.job, t, t + min(turn.job.run, longest), turn.partition.name, held, cores)


def main_pass(
    machine: Machine, t: int, queue: list[Turn], running: list[Busy], rhythm: Rhythm, going: set[int]
) -> tuple[list[Busy], list[Busy]]:
    """Return the jobs that the main pass starts, and those that it asks to make way, beside those that are `going`.

    The first job of a partition that lacks resources stops its partition, and takes all nodes of it away from all jobs
    behind it; if it names all its nodes, it takes these away and stops nobody. A job below bf_min_prio_reserve does
    neither; nor does one that the partition's limits, licences or down times hold, or that limits of QOS, users and
    accounts do, by what it gets or by what it asks for if it gets nothing. With assoc_limit_stop these do as if it
    lacked resources; those of numbers of jobs and of time only when it arrives, for then they are known before. One in
    a reservation stops those in the same one only.
    """
    begun: list[Busy] = []
    victims: list[Busy] = []
    stopped: set[str] = set()
    closed: set[str] = set()
    tried_in: dict[str, int] = {}
    tried = 0
    for job, partition in queue:
        is_inside = bool(windows_of(machine, job))
        stop = f"reservation {job.reservation}" if is_inside else partition.name
        if job.row in {run.job.row for run in begun} or stop in stopped:
            continue
        if 0 < rhythm.partition_job_depth <= tried_in.get(partition.name, 0):
            continue
        tried_in[partition.name] = tried_in.get(partition.name, 0) + 1
        if tried >= rhythm.queue_depth:
            break
        tried += 1
        if not lets_in(partition, job) or not has_licences(machine, job, [*running, *begun]):
            continue
        end = t + limit_in(partition, job)
        seen, _ = seen_by(machine, job, [], t, end)
        usable = free_in(seen, [], t, end)  # but for nodes that go down or are reserved before its end
        whole = {name: amount for name, amount in free_in(machine, [], t, t).items() if name in usable}
        there = machine, t, Turn(job, partition), set(usable) - closed, begun
        held = now_beside(*there, True, running)
        reason = held_by(machine, job, partition, [*running, *begun], t, held)
        is_known = job.arrival < t and bool(held_by_counts(machine, job, partition, [*running, *begun]))
        stops = not reason or (rhythm.assoc_limit_stop and reason != TASK_LIMIT and not is_known)
        if held is not None and not reason:
            begun.append(start_of(machine, t, Turn(job, partition), held, rhythm, [*running, *begun]))
        elif (
            not stops or choose(machine, partition, job.ask, whole) is None or job.priority < rhythm.bf_min_prio_reserve
        ):
            continue
        else:
            asked = going | {run.job.row for run in victims}
            victims += (
                []
                if reason
                else victims_of(machine, job, partition, running, asked, t, partial(now_beside, *there, False))
            )
            if len(job.ask.named) >= job.ask.least:
                closed |= set(job.ask.named)
            else:
                stopped.add(stop)
                closed |= set() if is_inside else set(partition.nodes)
    return begun, victims


def now_beside(
    machine: Machine, t: int, turn: Turn, nodes: set[str], begun: list[Busy], stops: bool, running: list[Busy]
) -> dict[str, Amount] | None:
    """Return what a job gets now on some nodes beside those that begin and those that run; None if it does not fit.

    `stops`: also if others must be suspended.
    """
    job, partition = turn
    for others in ways(machine, partition, [*running, *begun]):
        seen, busy = seen_by(machine, job, others, t, t + limit_in(partition, job))
        free = free_for(seen, job, [run._replace(end=max(run.end, t + 1)) for run in busy], t, t + 1)
        held = choose(seen, partition, job.ask, {name: amount for name, amount in free.items() if name in nodes})
        if held is not None or not stops:
            return held
    return None


class Plan(NamedTuple):
    """Nodes that are closed as a whole for all other jobs in some seconds, `end` not included."""

    begin: int
    end: int
    nodes: frozenset[str]


def backfill_pass(machine: Machine, t: int, queue: list[Turn], running: list[Busy], rhythm: Rhythm) -> list[Busy]:
    """Return the jobs that the backfill pass starts.

    Each job in turn starts, or is planned: its nodes are closed from its planned start until its end by limit. How
    many are tried and planned, of a partition or user too, is limited.
    """
    begun: list[Busy] = []
    plans: list[Plan] = []
    tried: list[Turn] = []
    planned: list[str] = []
    plans_of: list[Turn] = []
    for turn in queue:
        job, partition = turn
        if job.row in {run.job.row for run in begun}:
            continue
        of_partition = sum(other.partition.name == partition.name for other in tried)
        of_user = sum(other.job.user == job.user for other in tried)
        if len(tried) >= rhythm.bf_max_job_test or 0 < rhythm.bf_max_job_start <= len(begun):
            break
        if 0 < rhythm.bf_max_job_part <= of_partition or 0 < rhythm.bf_max_job_user <= of_user:
            continue
        of_association = sum((other.job.user, other.job.account) == (job.user, job.account) for other in tried)
        if 0 < rhythm.bf_max_job_assoc <= of_association or not has_turn(turn, plans_of, running, begun, rhythm):
            continue
        if held_by_counts(machine, job, partition, [*running, *begun]):
            continue
        tried.append(turn)
        if not lets_in(partition, job) or not has_licences(machine, job, [*running, *begun]):
            continue
        busy = [*running, *begun]
        kept = job.priority >= rhythm.bf_min_prio_reserve
        found = plan(machine, t, turn, busy, plans, rhythm, kept)
        if found is None:
            continue
        begin, held = found
        if held_by(machine, job, partition, busy, t, held):
            continue
        if begin <= t:
            begun.append(start_of(machine, t, turn, held, rhythm, busy))
            continue
        full = 0 < rhythm.bf_job_part_count_reserve <= planned.count(partition.name)
        if begin <= t + rhythm.bf_window and not full:
            planned.append(partition.name)
            plans_of.append(turn)
            plans.append(plan_of(begin, begin + limit_in(partition, job), frozenset(held), rhythm))
    return begun


def has_turn(turn: Turn, planned: list[Turn], running: list[Busy], begun: list[Busy], rhythm: Rhythm) -> bool:
    """Return whether one more task of a job's array may be planned: of bf_max_job_array_resv, and of those at once."""
    if turn.job.array is None:
        return True
    number, _, most = turn.job.array
    plans = sum(p.partition == turn.partition and p.job.array is not None and p.job.array[0] == number for p in planned)
    tasks = sum(run.job.array is not None and run.job.array[0] == number for run in [*running, *begun])
    return plans < rhythm.bf_max_job_array_resv and not 0 < most <= tasks + plans


def plan_of(begin: int, end: int, nodes: frozenset[str], rhythm: Rhythm) -> Plan:
    """Return a plan as it is kept: from and until multiples of bf_resolution of Unix time, both rounded down."""
    step = rhythm.bf_resolution
    begin, end = ((second + rhythm.epoch) // step * step - rhythm.epoch for second in (begin, end))
    return Plan(begin, max(end, begin + step), nodes)


def plan(
    machine: Machine, t: int, turn: Turn, running: list[Busy], plans: list[Plan], rhythm: Rhythm, kept: bool
) -> tuple[int, dict[str, Amount]] | None:
    """Return when a job starts at the earliest, and on what; None if that is not known. If not `kept`, only now counts.

    Of nodes that no plan closes between a second and the job's end from then on it takes the second from which on it
    fits there if running jobs end as they are taken to. The seconds are now, and those in which a plan ends.
    """
    job, partition = turn
    limit = limit_in(partition, job)
    usable = nodes_for(machine, partition, job.ask)
    opening = {p.end for p in plans} | {down.end for down in machine.down} | openings(machine, t)
    second: int | None = t
    while second is not None:
        later = min((moment for moment in opening if moment > second), default=None)
        closed = {n for p in plans if p.begin <= second + limit and p.end > second for n in p.nodes}
        seen, busy = seen_by(machine, job, running, second, second + limit)
        nodes = {n for n in free_in(seen, [], second, second + limit) if n not in closed and n in usable}
        found = earliest(seen, t, turn, busy, nodes, rhythm)
        if found is not None:
            begin = max(found[0], second)
            if later is None or begin <= later:
                mine = plan_of(begin, begin + limit, frozenset(found[1]), rhythm)
                overlaps = any(p.begin < mine.end and p.end > mine.begin and p.nodes & mine.nodes for p in plans)
                if begin <= t or not overlaps or not kept:
                    return (begin, found[1]) if begin <= t or kept else None
                later = begin if begin > second else later
        second = later if kept else None
    return None


def earliest(
    machine: Machine, t: int, turn: Turn, running: list[Busy], nodes: set[str], rhythm: Rhythm
) -> tuple[int, dict[str, Amount]] | None:
    """Return from when on a job fits on some nodes, as running jobs end, and on what; None if never.

    One that is past its limit is taken to end OverTimeLimit and KillWait after it; if it is stopped, at once.
    """
    partition = turn.partition

    def held_beside(others: list[Busy]) -> dict[str, Amount] | None:
        up = machine._replace(down=())  # which nodes are up then is known already
        for each in ways(machine, partition, others):
            free = free_for(up, turn.job, [run._replace(end=t + 1) for run in each], t, t + 1)
            held = choose(machine, partition, turn.job.ask, {n: amount for n, amount in free.items() if n in nodes})
            if held is not None:
                return held
        return None

    held = held_beside(running)
    if held is not None:
        return t, held
    for end, is_stopped, left in in_windows(machine, running, nodes, rhythm):
        held = held_beside(left)
        if held is not None:
            late = end + rhythm.kill_wait + rhythm.over_time_limit
            return (end if end > t else t + 1 if is_stopped else max(late, t + 1)), held
    return None


def in_windows(
    machine: Machine, running: list[Busy], nodes: set[str], rhythm: Rhythm
) -> Iterator[tuple[int, bool, list[Busy]]]:
    """Yield the seconds in which running jobs are taken to have ended, by limit, and which jobs are left then.

    Beside the second it is said whether the last one that ends in it is stopped.

    Jobs that end close to each other are taken together. The windows begin with the first end of a job on the nodes,
    rounded up to a multiple of 30 s of Unix time, and are 30 s long, then 60, 120, and so on: as long as it takes to
    have the next job. Jobs on other nodes stay, and do not end a window.
    """

    def end_of(run: Busy) -> int:
        return run.begin + limit_in(machine.partitions[run.partition], run.job) + time_stopped(run)

    by_end = sorted(running, key=lambda run: (end_of(run), run.job.row))
    ends = [end_of(run) for run in by_end]
    left = list(by_end)
    place, window, base = 0, WINDOW, None
    while place < len(by_end):
        last, is_stopped = None, False
        while place < len(by_end):
            run, end = by_end[place], ends[place]
            place += 1
            if not set(run.held) & nodes:
                continue
            base = ((end + rhythm.epoch) // WINDOW + 1) * WINDOW - rhythm.epoch if base is None else base
            last, is_stopped = end, run.stopped is not None
            left.remove(run)
            if place < len(by_end) and ends[place] > base + window:
                break
        if last is None or base is None:
            return
        window *= 2
        while place < len(by_end) and ends[place] > base + window:
            window *= 2
        yield last, is_stopped, left

"""Resampling a workload by users (Zakay and Feitelson, ICPE 2013, and Concurrency and Computation 2014).

The log is cut into one stream of jobs a user. A new workload is put together from such streams:

- *Long-term* users, whose first and last job are at least half of the log apart, are all there again, each moved by a
  number of weeks of its own. What comes to lie behind the end of the log goes on at its beginning.
- The streams of all other users are drawn with replacement: for every week, and for every user group, as many as began
  in that week of the log. A drawn stream is moved so that it begins in this week. To draw within groups is our
  addition: without it a group of one user would be missing in every third workload.

Where streams fall together at random the load of a month varies much more than in any log, because real users hold
back while the machine is full (Zakay and Feitelson, "resampling with feedback", JSSPP 2021): on CTC the response times
with EASY become three to five times as long as on the log. Therefore moves are changed at random, long-term users
to other weeks and two others of a group to each other's, until the load of four weeks varies no more, in proportion,
than in the log. Then response times are near the log's. This, too, is our addition.

All moves are whole weeks of local time. So a job stays at its hour of the day and its day of the week, also across the
change to summer time, and a user's jobs stay together: the mix changes, and the users' habits do not. The jobs of a
*burst*, with less than one hour between two submissions (the limit of sessions in Zakay and Feitelson, JSSPP 2012),
always move together; a burst that lasts longer than a day is cut every day.

Jobs of unknown users are one stream.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.arguments import list_argument, number, whole_number
from ..core.arrays import Floats, Ints
from ..core.errors import InputError, one_of
from .calendar import LATEST
from .local_time import Offsets, offsets, to_local, to_unix
from .log_lines import JOB, PRECEDING, THINK
from .scaling import MOST_JOBS
from .time_split import MOST_WEEKS, WEEK, check_weeks, weeks_of
from .workload import Repair, Workload, source_after

ALL_UP = "the times in which processors were down are not those of another year: all taken to be up"

LONG_TERM = 0.5  # share of the log between the first and the last job of a long-term user
SESSION = 3600  # s between two submissions of a burst, at most
LONGEST_BURST = 86400  # s
LEAST_LOAD, MOST_LOAD = 0.1, 10.0
LEAST_WEEKS = 2  # of what is put together again
MONTH = 4  # weeks, over which the load is levelled
TRIES_A_STREAM, MOST_TRIES = 20, 20_000  # to level it


class _Streams(NamedTuple):
    """The jobs of a workload by user: row, local time and burst of each, one stream after the other.

    `begin` is (s + 1,), the places at which the streams begin; all others in order of the streams or of their jobs.
    """

    begin: Ints
    rows: Ints
    local: Ints  # s since the first submission, by the local clock; never falls within a stream
    burst: Ints  # the number of the job's burst, ascending over all streams
    week: Ints  # of the first job of the burst, since the first submission
    arrival: Ints  # week of a stream's first job
    group: Ints  # the group in which a stream has most work
    of_job: Floats  # processor seconds of a job
    work: Floats  # processor seconds of a stream
    long_term: Ints  # 1 for streams of long-term users, else 0


class _Draw(NamedTuple):
    """Streams that were drawn, and the weeks by which each is moved."""

    stream: Ints
    weeks: Ints


def resample(
    workload: Workload,
    seed: int = 0,
    load: float | None = None,
    double: str | Sequence[str] = (),
    group_work: Mapping[str, float] | None = None,
) -> Workload:
    """Return a workload of the same users' habits, put together again from the streams of jobs of single users.

    Parameters
    ----------
    workload
        A workload that knows its users, of some weeks.
    seed
        Seed of the random numbers.
    load
        How many times the load of `workload` is wanted, in 0.1..10: streams that are chosen at random are left out or
        come again until it is there, or no stream is short enough. By default the load is as it comes.
    double
        The name of a group, or several, whose users are there twice.
    group_work
        For names of groups, how many times the work of their users is wanted, in 0..10, against the same call without
        it: users of the group, drawn at random, come again or are left out until no other one brings it nearer from
        below, or from above. So it is within the work of one user. One user stays, but with 0. The jobs of all others
        stay as they are without it; only copies may have other numbers.

    Returns
    -------
    Workload
        On the same machine, with the same groups: a job keeps its group. The first copy of a user's stream keeps the
        user's number, others are users of their own. Jobs are numbered again from 1; the log's references to preceding
        jobs become unknown, and its recorded waits. It lasts whole weeks, as many as come next to the log's. In
        a log of one week no job moves, and only the users who come and go are drawn.

    Raises
    ------
    InputError
        The workload does not know its users, or lasts for more than a century; a number is out of range; a group is
        unknown or comes twice; or there would be more than 20 million jobs.

    Examples
    --------
    >>> from paretosched.workload.lublin_feitelson import lublin
    >>> w = lublin(jobs=3000, processors=128, seed=1)
    >>> resample(w, seed=5, load=1.1).name
    'lublin-typeless-3000-128-1 resampled 5'
    """
    return resample_with_rows(workload, seed, load, double, group_work)[0]


def resample_with_rows(
    workload: Workload,
    seed: int = 0,
    load: float | None = None,
    double: str | Sequence[str] = (),
    group_work: Mapping[str, float] | None = None,
) -> tuple[Workload, Ints]:
    """Return what `resample` does, and of which row of the log each of its jobs is a copy, (k,)."""
    load = None if load is None else number("load", load)
    _check(workload, seed, load)
    doubled = _double_groups(workload, double)
    wanted = _wanted_groups(workload, group_work or {})
    rng = np.random.default_rng(seed)
    epoch, first = workload.epoch, int(workload.submit[0])
    span = int(workload.submit[-1]) - first
    weeks = max(1, round(span / WEEK))
    known = offsets(workload.zone, epoch + first, min(epoch + int(workload.submit[-1]) + 2 * WEEK, LATEST))
    streams = _streams(workload, known, span)
    draw = _draw_streams(streams, weeks, doubled, rng)
    if load is not None:
        longer = weeks * WEEK / span if weeks > 1 else 1.0
        draw = _with_work(streams, draw, weeks, load * workload.work * longer, rng)
    draw = _level_load(streams, draw, weeks, rng)
    for group, times in wanted.items():
        draw = _with_group_work(streams, draw, weeks, group, times, rng)
    if not draw.stream.size:
        raise InputError("group_work: somebody must be left, but only these groups have users, and none is to stay")
    sizes = np.diff(streams.begin)
    if sizes[draw.stream].sum() > MOST_JOBS:
        raise InputError(
            f"a resampled workload must have at most {MOST_JOBS} jobs, but this one would have "
            f"{int(sizes[draw.stream].sum())}"
        )
    rows, submit, user = _place_jobs(workload, streams, draw, weeks, known)
    order = np.lexsort((rows, submit))
    rows, total = rows[order], rows.size
    records = workload.records
    if records is not None:
        records = records.take(rows).with_columns({JOB: np.arange(1, total + 1), PRECEDING: -1, THINK: -1})
    asked = "" if load is None else f", load {load:g} times as high"
    asked += f", twice the users of {', '.join(workload.groups[g] for g in doubled)}" if doubled.size else ""
    asked += "".join(f", {times:g} times the work of {workload.groups[group]}" for group, times in wanted.items())
    note = (
        f"Note: resampled by paretosched from {len(workload)} jobs ({workload.name}), {weeks} weeks, seed "
        f"{seed}{asked}; users after number {int(workload.user.max())} are copies of others"
    )
    arguments: dict[str, Any] = {"seed": seed, "load": load, "double": [workload.groups[g] for g in doubled.tolist()]}
    arguments |= {"group_work": {workload.groups[group]: times for group, times in wanted.items()}} if wanted else {}
    resampled = workload.take(
        rows,
        submit=submit[order],
        user=user[order],
        job=np.arange(1, total + 1),
        wait=np.full(total, -1),
        records=records,
        name=f"{workload.name} resampled {seed}",
        header=(*workload.header, note),
        repairs=(*workload.repairs, Repair("assumed", ALL_UP, total)) if _has_down(workload) else workload.repairs,
        down=None,
        machine=None if workload.machine is None else workload.machine.always_down,
        source=source_after(workload, "resample", **arguments),
    )
    return resampled, rows


def why_not_resampled(workload: Workload) -> str:
    """Return why a log cannot be put together again from its users, or would say nothing so; "" if it can.

    In less than two weeks no user could move: `resample` then draws only who comes and goes.

    Examples
    --------
    >>> why_not_resampled(Workload(submit=[0, 10], run=[5, 5], estimate=[5, 5], width=[2, 2], capacity=4))
    'its users are not known'
    """
    if (workload.user < 0).all():
        return "its users are not known"
    if weeks_of(workload) > MOST_WEEKS:
        return "it lasts more than a century"
    weeks = int(workload.submit[-1] - workload.submit[0]) / WEEK
    if weeks >= LEAST_WEEKS:
        return ""
    return f"it lasts {weeks:.1f} weeks, less than {LEAST_WEEKS}, and users move by whole weeks"


def _has_down(workload: Workload) -> bool:
    """Return whether processors or nodes are down at times."""
    machine = workload.machine
    return workload.down is not None or (machine is not None and machine != machine.always_down)


def _check(workload: Workload, seed: int, load: float | None) -> None:
    """Raise InputError if a workload cannot be resampled, or an argument of `resample` is out of range."""
    if whole_number("seed", seed) < 0:
        raise InputError(f"seed must be at least 0, but is {seed}")
    if load is not None and not LEAST_LOAD <= load <= MOST_LOAD:
        raise InputError(f"load must be in {LEAST_LOAD:g}..{MOST_LOAD:g} times that of the log, but is {load:g}")
    if (workload.user < 0).all():
        raise InputError(f"{workload.name}: must know its users to be resampled by users, but knows none")
    check_weeks(f"{workload.name}: resampling", workload)


def _double_groups(workload: Workload, double: str | Sequence[str]) -> Ints:
    """Return the numbers of the groups whose users are there twice."""
    names = [double] if isinstance(double, str) else [str(name) for name in list_argument("double", double)]
    for name in names:
        one_of("double", name, workload.groups)
        if names.count(name) > 1:
            raise InputError(f"double: a group must come once, but {name} comes again")
    return np.array([workload.groups.index(name) for name in names], dtype=np.int64)


def _wanted_groups(workload: Workload, group_work: Mapping[str, float]) -> dict[int, float]:
    """Return how many times the work of groups is wanted, by their numbers."""
    wanted = {}
    for name, value in group_work.items():
        one_of("group_work", name, workload.groups)
        times = number(f"group_work of {name}", value)
        if not 0 <= times <= MOST_LOAD:
            raise InputError(f"group_work of {name} must be in 0..{MOST_LOAD:g} times its work, but is {times:g}")
        wanted[workload.groups.index(name)] = times
    return wanted


def _streams(workload: Workload, known: Offsets, span: int) -> _Streams:
    """Return the jobs by user; `span` is the time between the first and the last submission."""
    user = np.maximum(workload.user, -1)
    rows = np.argsort(user, kind="stable")
    new_stream = np.flatnonzero(np.diff(user[rows], prepend=np.iinfo(np.int64).min))
    begin = np.append(new_stream, rows.size)
    sizes = np.diff(begin)
    stream = np.repeat(np.arange(sizes.size), sizes)
    submit = workload.submit[rows]
    local = to_local(known, submit + workload.epoch)
    local -= to_local(known, workload.submit[:1] + workload.epoch)
    # in the hour that comes twice in autumn the clock falls; a user's jobs keep their order and their hour
    local = np.maximum(_rising(local, stream), 0)
    gap = np.diff(submit, prepend=0) > SESSION
    gap[begin[:-1]] = True
    first_of_burst = np.flatnonzero(gap)[np.cumsum(gap) - 1]
    day = (submit - submit[first_of_burst]) // LONGEST_BURST
    burst = np.cumsum(gap | (np.diff(day, prepend=0) != 0)) - 1
    week = local[np.searchsorted(burst, burst)] // WEEK
    work = (workload.run * workload.width)[rows].astype(np.float64)
    of_groups = np.zeros((sizes.size, len(workload.groups)))
    np.add.at(of_groups, (stream, workload.group[rows]), work)
    there = submit[begin[1:] - 1] - submit[begin[:-1]]
    return _Streams(
        begin,
        rows,
        local,
        burst,
        week,
        week[begin[:-1]],
        of_groups.argmax(axis=1),
        work,
        of_groups.sum(axis=1),
        (there >= LONG_TERM * span).astype(np.int64),
    )


def _rising(values: Ints, part: Ints) -> Ints:
    """Return values that never fall within a part: each at least as large as those before it; parts are ascending.

    Examples
    --------
    >>> _rising(np.array([5, 3, 6, 1]), np.array([0, 0, 0, 1])).tolist()
    [5, 5, 6, 1]
    """
    step = int(values.max() - values.min()) + 1
    return np.maximum.accumulate(values + part * step) - part * step


def _draw_streams(streams: _Streams, weeks: int, doubled: Ints, rng: np.random.Generator) -> _Draw:
    """Return the streams of a new workload: long-term ones all, others drawn for the weeks in which users arrived."""
    times = np.ones(streams.group.size, dtype=np.int64)
    times[np.isin(streams.group, doubled)] = 2
    chosen, moves = [], []
    of_long_term = np.repeat(np.flatnonzero(streams.long_term), times[streams.long_term > 0])
    chosen.append(of_long_term)
    moves.append(rng.integers(weeks, size=of_long_term.size))
    for group in np.unique(streams.group).tolist():
        pool = np.flatnonzero((streams.group == group) & (streams.long_term == 0))
        if pool.size:
            arrivals = np.repeat(streams.arrival[pool], times[pool])
            drawn = pool[rng.integers(pool.size, size=arrivals.size)]
            chosen.append(drawn)
            moves.append((arrivals - streams.arrival[drawn]) % weeks)
    return _Draw(np.concatenate(chosen), np.concatenate(moves))


def _with_work(
    streams: _Streams, draw: _Draw, weeks: int, wanted: float, rng: np.random.Generator, group: int | None = None
) -> _Draw:
    """Return a draw of which streams were left out, or came again, until no other one brings it nearer to `wanted`.

    With a group only its streams are counted, left out and come again. Those that come again are behind the others.
    """
    counts = np.ones(streams.group.size, dtype=np.bool_) if group is None else streams.group == group
    left = np.bincount(streams.group[draw.stream], minlength=int(streams.group.max()) + 1)
    least = 1 if wanted > 0 else 0  # streams of each group
    surplus = float(streams.work[draw.stream[counts[draw.stream]]].sum()) - wanted
    keep = np.ones(draw.stream.size, dtype=np.bool_)
    for place in rng.permutation(draw.stream.size).tolist():
        stream = draw.stream[place]
        if counts[stream] and streams.work[stream] <= surplus and left[streams.group[stream]] > least:
            keep[place] = False
            left[streams.group[stream]] -= 1
            surplus -= float(streams.work[stream])
    chosen, moves = [draw.stream[keep]], [draw.weeks[keep]]
    again = True
    while again:
        again = False
        for stream in rng.permutation(streams.work.size).tolist():
            if counts[stream] and streams.work[stream] <= -surplus:
                again = True
                surplus += float(streams.work[stream])
                chosen.append(np.array([stream]))
                moves.append(np.array([_move(streams, stream, weeks, rng)]))
    return _Draw(np.concatenate(chosen), np.concatenate(moves))


def _with_group_work(
    streams: _Streams, draw: _Draw, weeks: int, group: int, times: float, rng: np.random.Generator
) -> _Draw:
    """Return a draw with so many times the work of a group; all that stays of the draw keeps its weeks."""
    there = float(streams.work[draw.stream[streams.group[draw.stream] == group]].sum())
    changed = _with_work(streams, draw, weeks, times * there, rng, group)
    return _level_load(streams, changed, weeks, rng, first=draw.stream.size) if times > 1 else changed


def _move(streams: _Streams, stream: int, weeks: int, rng: np.random.Generator) -> int:
    """Return the weeks by which one more stream is moved: as far as a long-term one, or to the arrival of another."""
    if streams.long_term[stream]:
        return int(rng.integers(weeks))
    alike = np.flatnonzero((streams.group == streams.group[stream]) & (streams.long_term == 0))
    return int(streams.arrival[alike[rng.integers(alike.size)]] - streams.arrival[stream]) % weeks


def _level_load(streams: _Streams, draw: _Draw, weeks: int, rng: np.random.Generator, first: int = 0) -> _Draw:
    """Return a draw of which moves were changed until its load varies no more than that of the log, in proportion.

    The streams before the place `first` of the draw stay where they are.
    """
    moves = draw.weeks.copy()
    of_log, load = np.zeros(weeks), np.zeros(weeks)
    for stream in range(streams.work.size):
        of_log += _by_week(streams, stream, 0, weeks)
    for stream, move in zip(draw.stream.tolist(), moves.tolist(), strict=True):
        load += _by_week(streams, stream, move, weeks)
    wanted, varied = _variation(of_log), _variation(load)
    for _ in range(min(TRIES_A_STREAM * (moves.size - first), MOST_TRIES)):
        if varied <= wanted:
            break
        entry = int(rng.integers(first, moves.size))
        stream = draw.stream[entry]
        if streams.long_term[stream]:
            tried = {entry: int(rng.integers(weeks))}
        else:
            movable = draw.stream[first:]
            group = streams.group[movable] == streams.group[stream]
            alike = first + np.flatnonzero(group & (streams.long_term[movable] == 0))
            other = int(alike[rng.integers(alike.size)])
            apart = int(streams.arrival[stream] - streams.arrival[draw.stream[other]])
            tried = {entry: (moves[other] - apart) % weeks, other: (moves[entry] + apart) % weeks}
        after = load.copy()
        for place, move in tried.items():
            after += _by_week(streams, draw.stream[place], move, weeks)
            after -= _by_week(streams, draw.stream[place], moves[place], weeks)
        varies = _variation(after)
        if varies < varied:
            load, varied = after, varies
            for place, move in tried.items():
                moves[place] = move
    return _Draw(draw.stream, moves)


def _by_week(streams: _Streams, stream: int, move: int, weeks: int) -> Floats:
    """Return the processor seconds that a stream submits in each week, (weeks,), moved by some weeks."""
    jobs = slice(streams.begin[stream], streams.begin[stream + 1])
    seconds: Floats = np.bincount((streams.week[jobs] + move) % weeks, streams.of_job[jobs], weeks).astype(np.float64)
    return seconds


def _variation(load: Floats) -> float:
    """Return the standard deviation of the sums of four weeks in succession, as a share of their mean.

    Examples
    --------
    >>> _variation(np.array([1.0, 1, 1, 1, 1])), _variation(np.array([4.0, 0, 0, 0, 0, 0, 0, 0]))
    (0.0, 1.0)
    """
    month = np.array([np.roll(load, -week) for week in range(min(MONTH, load.size))]).sum(axis=0)
    return float(month.std() / month.mean())


def _place_jobs(
    workload: Workload, streams: _Streams, draw: _Draw, weeks: int, known: Offsets
) -> tuple[Ints, Ints, Ints]:
    """Return the row, the submission and the user of every job of a draw, (k,) each, one stream after the other."""
    sizes = np.diff(streams.begin)[draw.stream]
    entry = np.repeat(np.arange(draw.stream.size), sizes)
    ends = np.cumsum(sizes)
    place = np.arange(ends[-1]) - np.repeat(ends - sizes, sizes) + np.repeat(streams.begin[draw.stream], sizes)
    rows = streams.rows[place]
    week = streams.week[place]
    moved = (week + draw.weeks[entry]) % weeks - week
    begin = to_local(known, workload.submit[:1] + workload.epoch)
    unix = to_unix(known, streams.local[place] + begin + WEEK * moved)
    # an hour that is left out in spring counts on; the jobs of a burst keep their order
    part = np.cumsum(np.diff(streams.burst[place], prepend=-1) != 0) + entry
    submit = np.where(moved == 0, workload.submit[rows], np.maximum(_rising(unix, part) - workload.epoch, 0))
    return rows, submit, _users(workload, streams, draw)[entry]


def _users(workload: Workload, streams: _Streams, draw: _Draw) -> Ints:
    """Return the user of every drawn stream: the log's for the first copy, new numbers for others; -1 stays."""
    user = np.maximum(workload.user, -1)[streams.rows[streams.begin[:-1]]][draw.stream]
    first = np.zeros(draw.stream.size, dtype=np.bool_)
    first[np.unique(draw.stream, return_index=True)[1]] = True
    copies = ~first & (user >= 0)
    user[copies] = int(workload.user.max()) + 1 + np.arange(np.count_nonzero(copies))
    return user

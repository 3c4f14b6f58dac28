"""Make a log of job lives: joined, in order, numbered, with the size of the machine, and with its names beside it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Floats, Ints, Mask
from ...core.errors import InputError, first_few
from ...core.notebook import shown_by_fields
from ..down_times import DownTimes
from ..log_names import ALL_BESIDE, Count, Eligible, Names, PerJob, StillWaiting, work_met
from ..machine_use import doubt_of_load, doubt_of_use, in_units, remark_of_largest, remark_of_wider, use_over_time
from ..requests import kilobytes_each
from ..swf import write_log
from ..workload import WIDEST
from .anonymising import Alias, aliases, no_alias, prove_anonymous
from .lives import UNKNOWN, Block, Numberings
from .sifting import MOST_OF_PARTS, refuse_repeats, repeats, sift, sums_of_parts
from .slurm_machine import SlurmMachine, advice_on_partitions, down_in, size_of
from .spool import Spool, as_small
from .tally import Tally

MOST = 2.0**62  # of times x processors in the kernels
CHUNK = 1 << 15  # jobs that are written at a time
DAY = 86_400
MOST_COMPONENTS = 1_000_000  # they are in memory until all are read
FIRST_LOOK = 500_000  # lives, after which it is looked whether there are new ones; then after twice as many
SHORT = 1.5 * DAY  # s; the default window of sacct is today
MANY = 1000  # jobs, of which some are requeued on most machines
LINE = "%d %d %d %d %d -1 -1 %d %d %d %d %d %d -1 %d %d -1 -1\n"
JOINED = "components of heterogeneous jobs: joined into one job each"
APART = "components of heterogeneous jobs: a job each on its nodes, which start without waiting for one another"
# By source: the columns by which a life that is there twice is known, and the reason for which it is dropped.
TWICE = {
    "slurm": (("job", "submit", "start", "mark"), "listed twice: windows of time overlap"),
    **dict.fromkeys(("pbs", "sge", "lsf"), (("job", "start", "mark"), "recorded twice, letter for letter")),
}
TOO_WIDE = "wider than the machine of {size}"
AGAIN = "another life or task of a job, or one without a number: a job of its own, numbered after the largest"
LIMIT_OF_PARTITION = "no limit: the longest one in its partition taken for it"
RUN_FOR_LIMIT = "no limit, nor has any job of its partition: the run time taken for it"
BEFORE_WINDOW = (
    "submitted before the first job ended: if the window of the query began then, others of that time are missing"
)
NO_START = "start unknown: no recorded wait"
NOTHING = "no job in it has ended; was it asked for the right days, and for the jobs of all users?"
UTC = "the site's clock taken to be UTC; --zone names another one"


class ImportSettings(NamedTuple):
    """How a log is to be made.

    Attributes
    ----------
    source
        "slurm", "pbs", "sge", "lsf", "batsim" or "csv".
    grouped_by
        What the groups are, such as "account".
    unit
        What a width counts, such as "cpus".
    partition
        The only partition that is imported; None for all.
    capacity
        Size of the machine; None for the largest use at one time.
    zone
        Time zone of the site; None for UTC.
    key
        The secret key with which names are replaced; None to keep them.
    machine
        What is known of the nodes of a Slurm machine; None if nothing is.
    on_nodes
        Whether the log is for a machine of nodes and partitions.
    """

    source: str
    grouped_by: str
    unit: str = "cpus"
    partition: str | None = None
    capacity: int | None = None
    zone: str | None = None
    key: bytes | None = None
    machine: SlurmMachine | None = None
    on_nodes: bool = False


@shown_by_fields
class ImportSummary(NamedTuple):
    """What an import found.

    Attributes
    ----------
    jobs, users, unit, capacity, work, load
        Of the log: numbers of jobs and users, what its processors are, such as "cpus" or "units of 1/10 GPU", and how
        many there are, work (unit x seconds), offered load; None if all jobs are submitted at once.
    groups
        How many groups its jobs have.
    down
        Processor seconds that were down from the first submission to the last end of a job; None if this is not known.
    first_submit, last_submit
        Unix times, before they were moved.
    counts
        What was dropped, changed or assumed.
    doubts
        What speaks against the size of the machine, one line each.
    remarks
        What else an administrator should know, one line each.
    """

    jobs: int
    users: int
    groups: int
    unit: str
    capacity: int
    work: int
    load: float | None
    down: int | None
    first_submit: int
    last_submit: int
    counts: tuple[Count, ...]
    doubts: tuple[str, ...]
    remarks: tuple[str, ...]


class _Jobs(NamedTuple):
    """What is known of the jobs that remain: their places in the spool by submission, and their numbers in this order.

    These two columns are all that stays in memory of each job, in 32 bits where all numbers fit.
    """

    order: NDArray[Any]
    number: NDArray[Any]
    first_submit: int  # Unix times
    last_submit: int
    capacity: int
    down: DownTimes | None  # in seconds since the first submission
    longest: Ints  # limit of each partition, s; the last place is that of jobs without a partition
    keeps_numbers: bool  # those of the machine


def import_lives(
    blocks: Iterable[Block],
    numberings: Numberings,
    tally: Tally,
    settings: ImportSettings,
    place: str,
    path: str | os.PathLike[str] | None,
    advance: Callable[[int, int], None],
    kept: list[tuple[Ints, NDArray[Any]]] | None = None,
) -> ImportSummary:
    """Make a log of job lives.

    Parameters
    ----------
    blocks
        The lives, from a parser that uses the same numberings and tally.
    numberings, tally
        Names, and counts of what was dropped.
    settings
        How the log is to be made.
    place
        The name of what is read, for messages.
    path
        The log to be written, with its names beside it; None to count only.
    advance
        Called with the number of jobs that were written, and of all.
    kept
        Gets the numbers of the jobs, (k,), and their lives, (k,) of type LIFE, some at a time; None if nobody asks.

    Raises
    ------
    InputError
        The accounting cannot be read, no job can be simulated, or a file cannot be written; or a name is left in a log
        that must have none.
    """
    folder = None if path is None else Path(os.path.abspath(path)).parent  # noqa: PTH100  # links stay
    with closing(Spool(folder, place)) as spool:
        _fill(spool, blocks, numberings, tally, settings)
        if spool.size == 0:
            dropped = (count for count in tally.counts() if count.action == "dropped")
            why = first_few((f"{count.jobs:,} {count.reason}" for count in dropped), limit=8)
            if settings.partition is not None and settings.partition not in numberings.partition.names_met:
                why += f"; the partitions are {first_few(sorted(numberings.partition.names_met), limit=8)}"
            raise InputError(f"{place}: there is no job that can be simulated: {why or NOTHING}")
        jobs, doubts, remarks = _put_in_order(spool, tally, settings, place, numberings)
        _check_capacity(jobs, place, settings.unit)
        survey = _survey(spool, jobs, numberings, tally)
        remarks += _remarks(jobs, survey, numberings, settings)
        if settings.zone is None and settings.source != "batsim":
            tally.note_log(UTC, jobs.order.size)
        if path is not None:
            remarks += _write(path, spool, jobs, survey, numberings, tally, settings, advance)
        if kept is not None:
            kept += [(jobs.number[first : first + rows.size], rows) for rows, first in _chunks(spool, jobs)]
        span, down = jobs.last_submit - jobs.first_submit, jobs.down
        load = float(survey.work.sum()) / (jobs.capacity * span) if span else None
        return ImportSummary(
            jobs=jobs.order.size,
            users=len(survey.codes["user"]),
            groups=len(survey.codes["group"]),
            unit=settings.unit,
            capacity=jobs.capacity,
            work=int(survey.work.sum()),
            load=load,
            down=None if down is None else down.processor_seconds(0, down.last_end),
            first_submit=jobs.first_submit,
            last_submit=jobs.last_submit,
            counts=tally.counts(),
            doubts=(*doubts, *doubt_of_load(load, jobs.capacity, settings.unit)),
            remarks=tuple(remarks),
        )


# --- reading ----------------------------------------------------------------------------------------------------------


def _fill(
    spool: Spool, blocks: Iterable[Block], numberings: Numberings, tally: Tally, settings: ImportSettings
) -> None:
    """Put all lives that can be simulated into the spool; components of heterogeneous jobs come last, joined.

    On nodes each is a job of its own: it has its own partition, and asks for what only its nodes have.
    """
    components: list[tuple[Ints, NDArray[Any]]] = []
    count, looked = 0, FIRST_LOOK
    for block in blocks:
        lives, part_of = sift(block, settings.partition, numberings, tally, spool.place)
        if settings.on_nodes and part_of.any():
            _note(tally, "assumed", APART, lives[part_of > 0])
        elif part_of.any():
            components.append((part_of[part_of > 0], lives[part_of > 0]))
            count += components[-1][0].size
            if count > MOST_COMPONENTS:
                raise InputError(
                    f"{spool.place}: there are more than {MOST_COMPONENTS:,} components of heterogeneous jobs; import "
                    "fewer months at a time"
                )
            lives = lives[part_of == 0]
        spool.add(lives)
        if spool.size >= looked and settings.source in TWICE:
            refuse_repeats(spool.place, *spool.columns(*TWICE[settings.source][0]))
            looked = 2 * spool.size
    if components:
        part_of, lives = (np.concatenate(parts) for parts in zip(*components, strict=True))
        spool.add(_join(part_of, lives, tally, settings, spool.place))


def _join(part_of: Ints, lives: NDArray[Any], tally: Tally, settings: ImportSettings, place: str) -> NDArray[Any]:
    """Return heterogeneous jobs, each from the components that started in the same second."""
    if settings.source in TWICE:
        names, reason = TWICE[settings.source]
        again = repeats(*(lives[name] for name in names))
        _note(tally, "dropped", reason, lives[again])
        part_of, lives = part_of[~again], lives[~again]
    order = np.lexsort((lives["job"], lives["start"], part_of))
    part_of, lives = part_of[order], lives[order]
    begins = np.append(True, (part_of[1:] != part_of[:-1]) | (lives["start"][1:] != lives["start"][:-1]))
    first = np.flatnonzero(begins)
    whole = lives[first].copy()
    whole["job"], whole["shape"] = part_of[first], 0
    for key in ("run", "limit", "eligible"):
        whole[key] = np.maximum.reduceat(lives[key], first)
    for key in MOST_OF_PARTS:
        whole[key] = sums_of_parts(lives, key, first, place)
    _note(tally, "changed", JOINED, whole)
    joined: NDArray[Any] = whole[np.argsort(whole["line"], kind="stable")]
    return joined


# --- the whole log ----------------------------------------------------------------------------------------------------


def _put_in_order(
    spool: Spool, tally: Tally, settings: ImportSettings, place: str, numberings: Numberings
) -> tuple[_Jobs, list[str], list[str]]:
    """Return the jobs that remain, by submission, and doubts and remarks on the size of the machine."""
    valid = np.ones(spool.size, dtype=np.bool_)
    if settings.source in TWICE:
        names, reason = TWICE[settings.source]
        again = repeats(*spool.columns(*names))
        _note_mask(spool, tally, "dropped", reason, again)
        valid &= ~again
    capacity, doubts, remarks = _machine(spool, valid, tally, settings, place)
    order, since, until = _by_submission(spool, valid)
    number = _numbers_of(spool.columns("job")[0][order], settings.key is not None, tally.largest_job)
    down = None
    if settings.machine is not None:
        down, more = down_in(settings.machine, capacity, since, _last_second(spool, valid))
        remarks += more
    limit, partition = spool.columns("limit", "partition")
    limit[~valid] = 0
    longest = np.zeros(len(numberings.partition.numbers) + 2, dtype=np.int64)
    np.maximum.at(longest, partition, limit)
    return _Jobs(order, number, since, until, capacity, down, longest, settings.key is None), doubts, remarks


def _by_submission(spool: Spool, valid: Mask) -> tuple[NDArray[Any], int, int]:
    """Return the places of the jobs of a mask by submission, then line, and the first and the last submission."""
    submit, line = spool.columns("submit", "line")
    order = np.flatnonzero(valid)
    order = order[np.lexsort((line[order], submit[order]))]
    return as_small(order), int(submit[order[0]]), int(submit[order[-1]])


def _machine(
    spool: Spool, valid: Mask, tally: Tally, settings: ImportSettings, place: str
) -> tuple[int, list[str], list[str]]:
    """Return the size of the machine, doubts, and remarks; jobs that are wider become invalid, in place in `valid`."""
    submit, start, run, width = spool.columns("submit", "start", "run", "width")
    started = valid & (start != UNKNOWN)
    doubts: list[str] = []
    remarks: list[str] = []
    capacity = settings.capacity
    if capacity is None and settings.machine is not None:
        capacity = size_of(settings.machine, int(submit[valid].min()), _last_second(spool, valid))
        remarks = [] if capacity is None else [f"machine of {in_units(capacity, settings.unit)}: by its nodes"]
    if capacity is None and not started.any():
        raise InputError(f"{place}: no job has a start, so that --capacity must name the size of the machine")
    wide = valid & (width > (capacity or width.max()))
    rows = slice(None) if started.all() and not wide.any() else started & ~wide  # a copy only where it is needed
    use = use_over_time(start[rows], run[rows], width[rows])
    if capacity is None:
        capacity = max(int(use[0][-1]), int(width[valid].max()))
        remarks = [remark_of_largest(capacity, settings.unit, *use)]
    else:
        _note_mask(spool, tally, "dropped", TOO_WIDE.format(size=in_units(capacity, settings.unit)), wide)
        work = [float(np.dot(run[mask].astype(np.float64), width[mask])) for mask in (wide, valid & ~wide)]
        too_wide = work[0] / work_met(tally.counts(), int(work[1]))
        remarks += remark_of_wider(capacity, settings.unit, too_wide)
        doubts = doubt_of_use(capacity, settings.unit, *use)
        valid &= ~wide
        if not valid.any():
            raise InputError(f"{place}: all jobs are wider than the machine of {in_units(capacity, settings.unit)}")
    started &= valid
    if started.any():
        end = start.astype(np.int64)
        end += run
        first_end = end.min(where=started, initial=np.iinfo(np.int64).max)
        del start, run, width, end
        _note_mask(spool, tally, "assumed", BEFORE_WINDOW, valid & (submit < first_end))
    return capacity, doubts, remarks


def _last_second(spool: Spool, valid: Mask) -> int:
    """Return the last second in which a job was submitted or ran, Unix time."""
    submit, start, run = spool.columns("submit", "start", "run")
    started = valid & (start != UNKNOWN)
    last = int(submit[valid].max())
    return max(last, int((start[started].astype(np.int64) + run[started]).max(initial=last)))


def _numbers_of(job: NDArray[Any], anew: bool, largest: int) -> NDArray[Any]:
    """Return different numbers of jobs, (n,): those of the machine where they are the first of their number.

    Others come after the `largest` one that was met, so that no job that still waits or runs has the same.
    """
    if anew:
        return as_small(np.arange(1, job.size + 1))
    again = np.ones(job.size, dtype=np.bool_)
    again[np.unique(job, return_index=True)[1]] = False
    again |= job < 0
    largest = max(int(job.max()), largest)
    if again.any():
        job = job.astype(np.int64)
        job[again] = np.arange(largest + 1, largest + 1 + np.count_nonzero(again))
    return as_small(job)


class _Survey(NamedTuple):
    """What one look at all jobs of the log tells.

    Attributes
    ----------
    work
        Of each partition by its number, those without a partition last.
    codes
        The numbers of the names that jobs of the log have, by kind.
    eligible
        The jobs that became eligible after their submission.
    asked
        By words of ALL_BESIDE: the jobs that ask for another number than the usual one.
    repeated
        Whether a job of the machine is there more than once.
    requested
        The sum of all requested times, s.
    """

    work: Floats
    codes: Mapping[str, Sequence[int]]
    eligible: Eligible
    asked: Mapping[str, PerJob]
    repeated: bool
    requested: float


def _survey(spool: Spool, jobs: _Jobs, numberings: Numberings, tally: Tally) -> _Survey:
    """Return what the jobs have; count those without a limit, without a start, and with a new number."""
    work = np.zeros(jobs.longest.size)
    codes: dict[str, set[int]] = {kind: set() for kind in numberings.kinds}
    late_jobs, after = [], []
    asking: dict[str, list[tuple[Ints, Ints]]] = {word: [] for word in ALL_BESIDE}
    repeated, requested = False, 0.0
    for rows, first in _chunks(spool, jobs):
        np.add.at(work, rows["partition"], rows["run"] * rows["width"].astype(np.float64))
        for kind, of_kind in codes.items():
            of_kind.update(np.unique(rows[kind]).tolist())
        requested += float(_estimates(rows, jobs).sum(dtype=np.float64))
        without, of_partition = rows["limit"] == 0, jobs.longest[rows["partition"]] > 0
        _note(tally, "assumed", LIMIT_OF_PARTITION, rows[without & of_partition])
        _note(tally, "assumed", RUN_FOR_LIMIT, rows[without & ~of_partition])
        _note(tally, "assumed", NO_START, rows[rows["start"] == UNKNOWN])
        number = jobs.number[first : first + rows.size]
        again = number != rows["job"] if jobs.keeps_numbers else np.zeros(rows.size, dtype=np.bool_)
        _note(tally, "changed", AGAIN, rows[again])
        repeated = repeated or bool(again.any())
        late = rows["eligible"] > rows["submit"]
        late_jobs.append(number[late])
        after.append((rows["eligible"] - rows["submit"])[late])
        for word, usual in ALL_BESIDE.items():
            other = (rows[word] != usual) & (rows[word] != (0 if word == "nice" else UNKNOWN))
            if other.any():
                asking[word].append((number[other], rows[word][other]))
    eligible = Eligible(np.concatenate(late_jobs), np.concatenate(after))
    in_use = {kind: sorted(each - {UNKNOWN}) for kind, each in codes.items()}
    asked = {word: PerJob(*map(np.concatenate, zip(*parts, strict=True))) for word, parts in asking.items() if parts}
    return _Survey(work, in_use, eligible, asked, repeated, requested)


def _estimates(rows: NDArray[Any], jobs: _Jobs) -> Ints:
    """Return the requested times of some jobs, (k,) s: their limits, else what is assumed."""
    estimates: Ints = np.where(
        rows["limit"] > 0, rows["limit"], np.maximum(jobs.longest[rows["partition"]], rows["run"])
    )
    return estimates


def _check_capacity(jobs: _Jobs, place: str, unit: str) -> None:
    """Refuse a machine that is larger than any log may have."""
    if jobs.capacity > WIDEST:
        raise InputError(
            f"{place}: the machine would have {jobs.capacity:,} {unit}, but {WIDEST:,} are the most; --capacity N "
            "drops wider jobs"
        )


def _remarks(jobs: _Jobs, survey: _Survey, numberings: Numberings, settings: ImportSettings) -> Iterator[str]:
    """Yield what an administrator should know about the log as a whole."""
    if len(survey.codes["user"]) == 1:
        yield (
            "all jobs are of one user; who is no administrator sees only the own jobs where PrivateData is set, or "
            "without -a: the query should be made by one who sees all"
        )
    names, work = numberings.partition.by_number(), survey.work
    largest_first = sorted(survey.codes["partition"], key=lambda number: -work[number])
    if settings.partition is None and len(largest_first) > 1 and not settings.on_nodes:
        shares = (f"{names[number]} {100 * work[number] / work.sum():.1f} %" for number in largest_first)
        advice = advice_on_partitions([names[k] for k in largest_first], settings.machine, settings.source)
        yield f"{len(largest_first)} partitions, with these shares of the work: {first_few(shares, limit=5)}; {advice}"
    span = jobs.last_submit - jobs.first_submit
    if (span + survey.requested) * max(jobs.capacity + 1, jobs.order.size + 1) >= MOST:
        yield (
            f"all requests together, {survey.requested:.3g} s, times {max(jobs.capacity, jobs.order.size):,} jobs or "
            f"{settings.unit} are 2^62 or more, which no simulation can read at once; import fewer months or one "
            "partition"
        )
    if settings.source == "slurm" and span < SHORT:
        yield f"submissions span {span / 3600:.1f} hours; sacct without -S lists the jobs of today only"
    if settings.source == "slurm" and jobs.keeps_numbers and not survey.repeated and jobs.order.size >= MANY:
        yield (
            "no job was requeued; if jobs are requeued on this machine, sacct was called without -D, and the "
            "submission of a requeued job is that of its last life"
        )


# --- writing ----------------------------------------------------------------------------------------------------------


def _write(
    path: str | os.PathLike[str],
    spool: Spool,
    jobs: _Jobs,
    survey: _Survey,
    numberings: Numberings,
    tally: Tally,
    settings: ImportSettings,
    advance: Callable[[int, int], None],
) -> list[str]:
    """Write the log and its names, and return remarks."""
    alias = no_alias(numberings) if settings.key is None else aliases(numberings, settings.key)
    counts = tally.counts()
    if settings.key is not None:  # where a job stood, and its number, stay at home
        counts = tuple(count._replace(first="") for count in counts)
    first = jobs.first_submit
    epoch = first - alias.earlier if first > alias.earlier else first  # no calendar begins before 1970
    header = _header(jobs, settings, epoch)
    in_use = {
        f"{kind}s": {int(alias.numbers[kind][code]): alias.names[kind][code] for code in codes}
        for kind, codes in survey.codes.items()
    }
    names = Names(
        users=in_use["users"],
        groups=in_use["groups"],
        queues=in_use["queues"],
        partitions=in_use["partitions"],
        constraints=in_use["constraints"],
        source=settings.source,
        grouped_by=settings.grouped_by,
        eligible=survey.eligible,
        asked=survey.asked,
        dropped=counts,
        down=jobs.down if jobs.down is not None and len(jobs.down) else None,
        waiting=_still_waiting(tally, numberings, alias, settings.partition, in_use["groups"], first),
    )
    remarks: list[str] = []

    def check(log: Path, beside: Path) -> None:
        reasons = " ".join(f"{count.action} {count.reason}" for count in counts)
        fixed = f"{header.decode()} {reasons} {settings.source} {settings.grouped_by}"
        remarks.append(prove_anonymous(log, beside, numberings.names_met, fixed))

    write_log(path, _lines(header, spool, jobs, alias, advance), names, None if settings.key is None else check)
    return remarks


def _still_waiting(
    tally: Tally, numberings: Numberings, alias: Alias, partition: str | None, in_use: Mapping[int, str], first: int
) -> tuple[StillWaiting, ...]:
    """Return the jobs that had not started, by the groups `in_use` in the log and days since its `first` second."""
    jobs: Counter[tuple[int, int]] = Counter()
    for (_, submit), (partitions, name) in tally.waiting.items():
        if partition is None or partition in partitions.split(","):
            number = int(alias.numbers["group"][numberings.group.numbers.get(name, UNKNOWN)])
            jobs[number if number in in_use else UNKNOWN, (submit - first) // DAY] += 1
    return tuple(StillWaiting(*group_and_day, count) for group_and_day, count in sorted(jobs.items()))


def _header(jobs: _Jobs, settings: ImportSettings, epoch: int) -> bytes:
    """Return the header of the log."""
    entries = {
        "Version": "2.2",
        "Conversion": f"paretosched import {settings.source}",
        "MaxJobs": jobs.order.size,
        "MaxRecords": jobs.order.size,
        "UnixStartTime": -1 if settings.source == "batsim" else epoch,
        "TimeZoneString": settings.zone or "UTC",
        "MaxProcs": jobs.capacity,
        "Note": f"processors are {settings.unit}, groups are {settings.grouped_by}; names are beside this file",
    }
    return "".join(f"; {key}: {value}\n" for key, value in entries.items()).encode()


def _lines(
    header: bytes, spool: Spool, jobs: _Jobs, alias: Alias, advance: Callable[[int, int], None]
) -> Iterator[bytes]:
    """Yield the text of the log."""
    yield header
    epoch = jobs.first_submit
    for rows, first in _chunks(spool, jobs):
        run, start = rows["run"], rows["start"]
        columns = (
            jobs.number[first : first + rows.size],
            rows["submit"] - epoch,
            np.where(start == UNKNOWN, -1, start - rows["submit"]),
            run,
            rows["width"],
            rows["width"],
            _estimates(rows, jobs),
            kilobytes_each(rows["memory"], rows["width"]),
            rows["status"],
            *(alias.numbers[kind][rows[kind]] for kind in ("user", "group", "queue", "partition")),
        )
        yield "".join([LINE % line for line in zip(*(column.tolist() for column in columns), strict=True)]).encode()
        advance(first + rows.size, jobs.order.size)


def _chunks(spool: Spool, jobs: _Jobs) -> Iterator[tuple[NDArray[Any], int]]:
    """Yield the jobs of the log, many at a time, each time with the place of the first one."""
    for first in range(0, jobs.order.size, CHUNK):
        yield spool.rows(jobs.order[first : first + CHUNK]), first


def _note_mask(spool: Spool, tally: Tally, action: str, reason: str, mask: Mask) -> None:
    """Count the lives of a mask over the spool, many at a time."""
    places = np.flatnonzero(mask)
    for first in range(0, places.size, CHUNK):
        _note(tally, action, reason, spool.rows(places[first : first + CHUNK]))


def _note(tally: Tally, action: str, reason: str, rows: NDArray[Any]) -> None:
    """Count lives, (k,) of type LIFE."""
    if rows.size:
        tally.note(action, reason, rows["line"], rows["job"], rows["run"] * rows["width"].astype(np.float64))

"""Read and write logs in the Standard Workload Format (version 2.2).

A log has one line a job with 18 fields, -1 where unknown, and comments after a semicolon. A simulation needs more
than many logs have; the docstring of `read_swf` lists the cleaning rules, and `Workload.repairs` counts their uses.
"""

from __future__ import annotations

import gzip
import os
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.arguments import as_path, whole_number
from ..core.arrays import Ints, Mask
from ..core.errors import InputError, first_few, in_quotes, number_of, one_of, printable
from ..core.files import path_record, replacing, sha256_of
from ..core.tables import plain
from .calendar import LATEST, day_of, find_zone
from .log_cache import digest_of, keep_log, known_log
from .log_lines import (
    ALLOCATED,
    ESTIMATE,
    FIELDS,
    JOB,
    QUEUE,
    RUN,
    STATUS,
    SUBMIT,
    USER,
    WAIT,
    WIDTH,
    Log,
    parse_log,
)
from .log_names import (
    Count,
    Eligible,
    Names,
    PerJob,
    names_path,
    no_eligible,
    read_names,
    remove_names,
    work_met,
    write_names,
)
from .log_text import LogText
from .machine_use import use_over_time, usual_use
from .more_columns import understand
from .overruns import CUT_THERE, MOST_CUT, RAISED, choice_text, percent_beyond, percent_cut
from .records import Records
from .requests import beside_log, values_of_jobs, with_requests
from .swf_header import corrected_header, entry, numbered_names
from .user_groups import by_consumption
from .workload import WIDEST, Repair, Workload

DEFAULT_EPOCH = Workload.epoch
AS_BEFORE = "read_swf_as_before"
OVERRUN = CUT, RAISE = ("cut", "raise")
NODE_MEMORY = "requested memory is that of a node in such logs: divided among its processors"
ODD_REQUEST = "request of nodes not understood, or not for as many processors: its nodes not used"
RUN_TAKEN = "no requested time: the run time taken for it"  # a reason of repairs
UNNAMED = "header has no MaxProcs: "  # the beginning of another
ALL_ZERO = ", if waits that are all 0 were recorded"  # the end of a sentence
TOO_WIDE = "wider than the machine"  # and of a third
UNIX_TIMES = range(631_152_000, 4_102_444_800)  # 1990 to 2099: such submissions are no seconds of a log
CHUNK = 100_000  # jobs that are written at a time
PARAGON_QUEUE = re.compile(r"q[a-z]*\d+(s|m|ll?)")
PARAGON_LIMIT = {"s": 3600, "m": 4 * 3600, "l": 12 * 3600, "ll": 12 * 3600}


def read_swf(
    path: str | os.PathLike[str], *, capacity: int | None = None, overrun: str | None = None, name: str | None = None
) -> Workload:
    r"""Return the workload in a log, plain or gzipped, grouped by consumption.

    These rules drop, change or assume something, in this order; `Workload.repairs` has their numbers of jobs and the
    first jobs of each:

    1. status 2, 3 or 4: dropped if a line with another status, a run time and processors has its job number, since it
       is then a part of the job of that line; else it is a job (some logs have exit codes in this field);
    2. processors: the requested number (field 8), else the allocated one (field 5); dropped if neither is known;
    3. more processors than the machine has: dropped;
    4. run time (field 4) unknown or 0: dropped, the job never ran;
    5. fractions of a second: run time and request are rounded up, submission down;
    6. request (field 9): where it is missing, the limit of the Intel Paragon's NQS queue (name ending in s 1 h,
       m 4 h, l 12 h), else the run time itself;
    7. run time beyond the request: cut there, since the machine would have killed the job; or, with `overrun`
       "raise", the request becomes the run time, since the machine has not killed it;
    8. submissions out of order: sorted, ties in the order of the log.

    The machine's size is the header's MaxProcs, else MaxNodes, else the largest use at one time by the recorded waits
    and run times, or the width of the widest job if that is more. The wall clock is the header's UnixStartTime and
    TimeZoneString (else the deprecated TimeZone), else Monday 2000-01-03 00:00 UTC. Where the first submission is one
    of 1990 to 2099 as a Unix time, submissions are such times, and it is second 0. Job numbers are labels: numbers that
    occur twice stay as they are. Recorded waits are rounded down.

    What columns 19 to 21 of some logs say of queues, nodes, GPUs and constraints is kept with the jobs, see `requests`.

    A log that was imported has a file with names beside it, LOG.names.json. What was dropped or assumed then comes
    first among the repairs. It also says which jobs were not eligible when they were submitted, see `Workload`; a job
    that started before that was eligible when it started. Recorded waits count from then on. And it says when
    processors were down.

    Parameters
    ----------
    path
        The log.
    capacity
        Processors of the machine; None for those of the header.
    overrun
        What is wrong if a job runs longer than it has requested: "cut" for its run time, "raise" for its request. None
        is "cut", with a warning (UserWarning) if more than 1 % of the work is cut off.
    name
        Name of the workload; None for the name of the file.

    Raises
    ------
    InputError
        The file cannot be read, is damaged or is not SWF; the message names file, line and rule.

    Examples
    --------
    >>> import tempfile
    >>> log = Path(tempfile.mkdtemp()) / "tiny.swf"
    >>> _ = log.write_text("; MaxProcs: 8\n"
    ...                    "1 0 5 10 4 -1 -1 4 20 -1 1 3 -1 -1 -1 -1 -1 -1\n"
    ...                    "2 9 0 30 2 -1 -1 2 20 -1 1 3 -1 -1 -1 -1 -1 -1\n")
    >>> w = read_swf(log)
    >>> w.run.tolist(), w.estimate.tolist(), [r.reason for r in w.repairs if r.action == "changed"]
    ([10, 20], [20, 20], ['run time beyond the request: cut there'])
    """
    return _read_workload(path, capacity, overrun, name, as_before=False)


def read_swf_as_before(
    path: str | os.PathLike[str], *, capacity: int | None = None, overrun: str | None = None, name: str | None = None
) -> Workload:
    """Return the workload in a log as version 0.1 read it, for the runs that it made: arguments as of `read_swf`.

    Without MaxProcs the machine is as large as the widest job, and submissions are no Unix times.
    """
    return _read_workload(path, capacity, overrun, name, as_before=True)


def _read_workload(
    path: str | os.PathLike[str], capacity: int | None, overrun: str | None, name: str | None, as_before: bool
) -> Workload:
    """Return the workload in a log, see `read_swf` and `read_swf_as_before`."""
    file = as_path(path)
    if capacity is not None and not 1 <= whole_number("capacity", capacity) <= WIDEST:
        raise InputError(f"capacity must be in 1..{WIDEST} processors, but is {capacity}")
    chosen = CUT if overrun is None else overrun
    one_of("overrun", chosen, OVERRUN)
    log, digest = _read(path)
    names = None if digest is None else read_names(path, digest)
    function = AS_BEFORE if as_before else "read_swf"
    source: dict[str, Any] = {"function": function, **path_record(path), "sha256": digest}
    source |= {"capacity": plain(capacity)} | ({} if chosen == CUT else {"overrun": chosen})
    cleaner = _Cleaner(log)
    machine = _machine(log, capacity, cleaner, by_use=not as_before)
    epoch, zone, zero = _clock(log, cleaner, unix=not as_before and names is None)
    jobs = _clean(log, machine, chosen, cleaner, zero, names)
    if overrun is None and percent_cut(cleaner.repairs) > MOST_CUT:
        warnings.warn(
            choice_text(str(path), cleaner.repairs, 'read_swf overrun="raise"', 'overrun="cut"'), stacklevel=3
        )
    try:
        workload = Workload(
            **jobs,
            capacity=machine,
            epoch=epoch,
            zone=zone,
            name=name if name is not None else _title(file.name),
            header=log.header,
            repairs=tuple(cleaner.repairs),
            source=(source,),
        )
        workload = workload if names is None else _with_names(workload, names)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return by_consumption(workload)


def _with_names(workload: Workload, names: Names) -> Workload:
    """Return a workload with what is beside its log: names, when jobs could run, and what was dropped before."""
    _check_own_numbers(workload, names.eligible.job, names.asked)
    workload = with_requests(workload, names.asked)
    seconds = values_of_jobs(workload.job, PerJob(*names.eligible), 0)
    started = np.flatnonzero((workload.wait >= 0) & (workload.wait < seconds))
    seconds[started] = workload.wait[started]
    own = list(workload.repairs)
    if started.size:
        first = first_few((f"job {workload.job[row]}" for row in started), started.size)
        own.append(
            Repair("changed", "eligible after its recorded start: taken to be eligible then", started.size, first)
        )
    met = work_met(names.dropped, workload.work)
    earlier = [Repair(count.action, _reason(count, met), count.jobs, count.first) for count in names.dropped]
    return workload.with_(
        eligible=workload.submit + seconds,
        wait=np.where(workload.wait < 0, -1, workload.wait - seconds),
        names=replace(names, eligible=no_eligible(), asked={}, down=None, dropped=()),
        down=names.down,
        repairs=(*earlier, *own),
        source=workload.source,
    )


def _names_of(workload: Workload) -> Names | None:
    """Return what is written beside the log of a workload; None if there is nothing."""
    names = None if workload.names is None else replace(workload.names, waiting=())  # its times may be other ones
    if workload.down is not None:
        names = replace(names or Names(), down=workload.down)
    asked = beside_log(workload)
    if not (asked or workload.has_later_jobs):
        return names
    later = np.flatnonzero(workload.eligible > workload.submit)
    number = workload.job[later]
    _check_own_numbers(workload, number, asked)
    eligible = Eligible(number, (workload.eligible - workload.submit)[later])
    return replace(names or Names(), eligible=eligible, asked=asked)


def _check_own_numbers(workload: Workload, later: Ints, asked: Mapping[str, PerJob]) -> None:
    """Refuse numbers that several jobs have, if the file beside a log says something of them: it knows no others."""
    known = np.concatenate([later, *(each.job for each in asked.values())])
    numbers, times = np.unique(workload.job[np.isin(workload.job, known)], return_counts=True)
    again = numbers[times > 1]
    if again.size:
        raise InputError(
            f"{workload.name}: jobs of which the file beside a log says when they were eligible, or what they ask for, "
            f"must have numbers of their own, but several jobs have number "
            f"{first_few(again[:4].tolist(), again.size)}; number the jobs again"
        )


def _reason(count: Count, met: int) -> str:
    """Return the reason of a count, with its share of the work of all jobs that were met, where it is known."""
    return count.reason if count.work is None else f"{count.reason} ({100 * count.work / met:.2f} % of the work)"


def _read(path: str | os.PathLike[str]) -> tuple[Log, str | None]:
    """Return a log before cleaning, and its SHA-256; a large one that was read before comes from the cache."""
    digest = digest_of(path)
    log = None if digest is None else known_log(str(path), digest)
    if log is None:
        text = LogText(path)
        with closing(text.blocks()) as blocks:
            log = parse_log(str(path), blocks)
        if digest is not None and digest == text.sha256:  # else it was changed meanwhile
            keep_log(log, digest)
        digest = text.sha256
    return log, digest


def write_swf(workload: Workload, path: str | os.PathLike[str]) -> None:
    """Write a workload as a log; see `from_paths.write_swf`."""
    if workload.machine is not None:
        raise InputError(
            f"{path}: a log in SWF has no column for nodes and what jobs ask of them; save_log writes them"
        )
    write_log(path, _lines(workload), _names_of(workload))


def write_log(
    path: str | os.PathLike[str],
    text: Iterable[bytes],
    names: Names | None,
    check: Callable[[Path, Path], None] | None = None,
) -> None:
    """Write the text of a log, gzipped if the name ends in .gz, and its names beside it: both, or none.

    Without names, those of a log that was there before are removed, since they belong to that log.

    Parameters
    ----------
    path
        The log to be written.
    text
        Its text, in pieces.
    names
        Its names; None if it has none.
    check
        Function that is called with the two files before they get their names, and raises InputError to refuse them.

    Raises
    ------
    InputError
        A file cannot be written.
    """
    path = as_path(path)
    with ExitStack() as stack:
        place = None if names is None else stack.enter_context(replacing(names_path(path)))
        temporary = stack.enter_context(replacing(path))  # it is there first: names without their log are refused
        with temporary.open("wb") as file:
            if path.suffix == ".gz":
                # no time and no name in the gzip file, so that its bytes depend on the workload alone
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=5, mtime=0) as target:
                    target.writelines(text)
            else:
                file.writelines(text)
        if names is not None and place is not None:
            write_names(place, names, path.name, sha256_of(temporary))
            if check is not None:
                check(temporary, place)
    if names is None:
        remove_names(path)


def _lines(workload: Workload) -> Iterator[bytes]:
    """Yield the text of a log: its header, then many jobs at a time, so that the whole text is never in memory."""
    yield "".join(f"; {line}".rstrip() + "\n" for line in corrected_header(workload)).encode("utf-8")
    line = " ".join(["%s"] * len(FIELDS)) + "\n"
    columns_of_fields = {
        JOB: workload.job,
        SUBMIT: workload.submit,
        WAIT: np.where(workload.wait < 0, -1, workload.wait + workload.eligible - workload.submit),
        RUN: workload.run,
        ALLOCATED: workload.width,
        WIDTH: workload.width,
        ESTIMATE: workload.estimate,
        USER: workload.user,
    }
    for first in range(0, len(workload), CHUNK):
        jobs = slice(first, first + CHUNK)
        columns = [
            columns_of_fields[i][jobs].tolist() if i in columns_of_fields else _column(workload.records, jobs, i)
            for i in range(len(FIELDS))
        ]
        rows = zip(*columns, strict=False)  # unknown columns have no end
        yield "".join([line % row for row in rows]).encode("utf-8")


def _title(file: str) -> str:
    """Return the name of a file without .swf and .gz."""
    return printable(re.sub(r"(\.swf)?(\.gz)?$", "", file) or file)


class _Cleaner:
    """Collects repairs, each with its first jobs by line and job number."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self.repairs: list[Repair] = []

    def assume(self, reason: str) -> None:
        """Record an assumption about the whole log."""
        self.repairs.append(Repair("assumed", reason, len(self.log.line)))

    def note(
        self,
        action: str,
        reason: str,
        rows: Ints,
        work_percent: float | None = None,
        if_cut_percent: float | None = None,
    ) -> None:
        """Record jobs by their rows in the log, and the share of all work that was, or would have been, cut off."""
        if rows.size:
            lines = (f"line {self.log.where(r)} (job {int(self.log.fields[r, JOB])})" for r in rows[:4])
            first = first_few(lines, int(rows.size))
            self.repairs.append(Repair(action, reason, int(rows.size), first, work_percent, if_cut_percent))


def _machine(log: Log, capacity: int | None, cleaner: _Cleaner, by_use: bool) -> int:
    """Return the number of processors of the machine; by the recorded use or by the widest job if none is named."""
    if capacity is not None:
        return capacity
    for key in ("MaxProcs", "MaxNodes"):
        size = entry(log.header, key)
        if size is None or size.number == -1:
            continue
        if size.number is None or not 1 <= size.number <= WIDEST:
            where = f"{log.path}:{log.header_line[size.place]}"
            raise InputError(f"{where}: {key} is {in_quotes(size.text)}, but must be 1..{WIDEST} processors")
        if key == "MaxNodes":
            cleaner.assume(f"no MaxProcs in the header: MaxNodes, {size.number}, taken for it")
        return size.number
    ran = (log.fields.columns[RUN] > 0) & ~_parts(log)[0]
    width = _width(log)
    widest = int(width[ran].max(initial=0))
    if not 1 <= widest <= WIDEST:
        raise InputError(
            f"{log.path}: the header has no MaxProcs, and the widest job, {number_of(widest, 'processor')}, "
            "cannot be the size of the machine"
        )
    ran &= (log.fields.columns[WAIT] >= 0) & (width > 0) & by_use
    submit, wait, run = (log.fields.columns[field][ran].astype(np.int64) for field in (SUBMIT, WAIT, RUN))
    levels, lasted = use_over_time(submit + wait, np.maximum(run, 1), width[ran])
    largest = int(levels.max(initial=0))
    if largest > WIDEST:
        raise InputError(
            f"{log.path}: the header has no MaxProcs, and the largest recorded use at one time, "
            f"{number_of(largest, 'processor')}, "
            "cannot be the size of the machine; name it with --capacity N"
        )
    taken, what = f"{number_of(max(widest, largest), 'processor')} taken", "the width of the widest job"
    if largest >= widest:
        rare = usual_use(largest, levels, lasted)
        what = f"the largest recorded use at one time{rare}{'' if wait.max() > 0 else ALL_ZERO}"
    cleaner.assume(f"{UNNAMED}{taken}, {what}")
    return max(widest, largest)


def _clock(log: Log, cleaner: _Cleaner, unix: bool) -> tuple[int, str, int]:
    """Return the Unix time of second 0, the name of the time zone, and the submission that second 0 is.

    `unix` says that submissions may be Unix times. They are if the first is one of 1990 or later: no log begins twenty
    years before its first job.
    """
    start = entry(log.header, "UnixStartTime")
    if start is not None and start.number != -1 and (start.number is None or not 0 <= start.number < LATEST):
        where = f"{log.path}:{log.header_line[start.place]}"
        raise InputError(
            f"{where}: UnixStartTime is {in_quotes(start.text)}, not seconds since 1970 before the year 9000"
        )
    named = None if start is None or start.number in (None, -1) else start.number
    submit = log.fields.columns[SUBMIT][log.fields.columns[RUN] > 0]
    first = int(submit.min()) if unix and submit.size and submit.max() < UNIX_TIMES.stop else 0
    if first in UNIX_TIMES:
        header = "header has no UnixStartTime" if named is None else f"UnixStartTime {named} is not second 0"
        cleaner.assume(f"{header}: submissions taken for Unix times, second 0 for the first, {day_of(first, 'UTC')}")
        return first, _zone(log, cleaner), first
    if named is None:
        cleaner.assume("header has no UnixStartTime: second 0 taken for Monday 2000-01-03 00:00 UTC")
    return DEFAULT_EPOCH if named is None else named, _zone(log, cleaner), 0


def _zone(log: Log, cleaner: _Cleaner) -> str:
    """Return the name of the time zone."""
    name = entry(log.header, "TimeZoneString")
    if name is not None:
        try:
            find_zone(name.text)
        except InputError as error:
            raise InputError(f"{log.path}:{log.header_line[name.place]}: {error}") from None
        return name.text
    offset = entry(log.header, "TimeZone")
    if offset is None:
        cleaner.assume("header has no TimeZoneString: the site's clock taken to be UTC")
        return "UTC"
    hours, rest = divmod(offset.number, 3600) if offset.number is not None else (99, 1)
    if rest or not -12 <= hours <= 14:
        where = f"{log.path}:{log.header_line[offset.place]}"
        raise InputError(
            f"{where}: TimeZone is {in_quotes(offset.text)}, not whole hours in seconds; give a TimeZoneString instead"
        )
    zone = f"Etc/GMT{-hours:+d}" if hours else "UTC"  # the zone database counts hours west of Greenwich
    cleaner.assume(f"header has no TimeZoneString: {zone}, without daylight saving, from its TimeZone")
    return zone


def _width(log: Log) -> NDArray[Any]:
    """Return the requested number of processors, (n,) whole numbers, else the allocated one."""
    request = log.fields.columns[WIDTH]
    return np.where(request > 0, request, log.fields.columns[ALLOCATED])


def _parts(log: Log) -> tuple[Mask, Mask]:
    """Return the lines that are parts of a job with a line of its own, and those that say so without it, (n,) each.

    The line of the whole job has the same job number, the status of no part, a run time and processors; an unknown
    number has no line.
    """
    number = log.fields.columns[JOB]
    parts = np.isin(log.fields.columns[STATUS], (2, 3, 4))
    if not parts.any():  # as in most logs, which may be long
        return parts, parts
    whole = ~parts & (number >= 0) & (log.fields.columns[RUN] > 0) & (_width(log) > 0)
    alone = parts.copy()
    alone[parts] = ~np.isin(number[parts], number[whole])
    return parts & ~alone, alone


def _clean(log: Log, capacity: int, overrun: str, cleaner: _Cleaner, zero: int, names: Names | None) -> dict[str, Any]:
    """Return the jobs that remain after the rules of `read_swf`, as arguments of a Workload.

    `zero` is the submission in second 0. With `names` beside the log, its columns behind the 18 say nothing.
    """
    fields, width = log.fields.columns, _width(log)
    submit, run, estimate = fields[SUBMIT], fields[RUN], fields[ESTIMATE]
    valid = np.ones(width.size, dtype=np.bool_)

    def drop(reason: str, bad: Mask) -> None:
        cleaner.note("dropped", reason, np.flatnonzero(valid & bad))
        valid[bad] = False

    def note(action: str, reason: str, mask: Mask) -> None:
        cleaner.note(action, reason, np.flatnonzero(valid & mask))

    parts, alone = _parts(log)
    drop("status 2-4: part of a job that has a summary line", parts)
    drop("number of processors unknown", width <= 0)
    drop(f"{TOO_WIDE} of {number_of(capacity, 'processor')}", width > capacity)
    drop("run time unknown or 0: never ran", run <= 0)
    if not valid.any():
        why = ", ".join(f"{r.jobs} {r.reason}" for r in cleaner.repairs if r.action == "dropped")
        raise InputError(f"{log.path}: none of {number_of(len(valid), 'job')} can be simulated: {why}")
    early = np.flatnonzero(valid & (submit < 0))
    if early.size:
        where = f"{log.path}:{log.where(early[0])}"
        raise InputError(f"{where}: submit time is {submit[early[0]]:g}, but must be at least 0 s")
    note("assumed", "status 2-4, but no summary line has its job number: a job of its own", alone)
    note("assumed", "no request for processors: the allocated number taken for it", fields[WIDTH] <= 0)

    note(
        "changed",
        "fractions of a second: run time and request rounded up, submission down",
        _has_fraction(submit) | _has_fraction(run) | _has_fraction(estimate),
    )
    missing = estimate <= 0
    submit, run, estimate = np.floor(submit) - zero, np.ceil(run), np.ceil(estimate)
    limit = _queue_limit(log)
    note("assumed", "no requested time: the limit of the Paragon's queue taken for it", missing & (limit > 0))
    note("assumed", RUN_TAKEN, missing & (limit <= 0))
    estimate = np.where(missing, np.where(limit > 0, limit, run), estimate)
    longer = np.flatnonzero(valid & (run > estimate))
    share = percent_beyond(run[valid], estimate[valid], width[valid])
    if overrun == CUT:
        cleaner.note("changed", CUT_THERE, longer, share)
        run = np.minimum(run, estimate)
    else:
        cleaner.note("changed", RAISED, longer, if_cut_percent=share)
        estimate = np.maximum(run, estimate)

    rows = np.flatnonzero(valid)
    back = np.flatnonzero(submit[rows[1:]] < submit[rows[:-1]])
    cleaner.note("changed", "submitted before the job above: sorted", rows[1:][back])
    if back.size:
        rows = rows[np.argsort(submit[rows], kind="stable")]
    records = log.fields if rows.size == valid.size and not back.size else log.fields.take(rows)
    wait = np.maximum(np.floor(fields[WAIT]), -1)
    columns = {"submit": submit, "run": run, "estimate": estimate, "width": width, "wait": wait}
    columns |= {"user": fields[USER], "job": fields[JOB]}
    if log.more and names is not None:
        cleaner.assume("columns behind the 18th: not used, because a file with names is beside the log")
    elif more := understand(log, rows, width[rows]):
        cleaner.assume(more.words)
        cleaner.note("changed", NODE_MEMORY, np.sort(rows[more.of_nodes]))
        cleaner.note("changed", ODD_REQUEST, np.sort(rows[more.odd]))
        records, names = more.put(records), more.names
    own = {"records": records, "names": names}
    return {key: _whole(columns.pop(key), rows) for key in list(columns)} | own


def _has_fraction(column: NDArray[Any]) -> Mask:
    """Return which numbers of a column, (n,), are not whole."""
    return np.zeros(column.size, dtype=np.bool_) if column.dtype.kind == "i" else column % 1 > 0


def _whole(column: NDArray[Any], rows: Ints) -> Ints:
    """Return some rows of a column, read-only int64."""
    numbers = column[rows].astype(np.int64)
    numbers.flags.writeable = False
    return numbers


def _queue_limit(log: Log) -> NDArray[Any]:
    """Return the limits of run times, (n,) s, from the queue names of an Intel Paragon; 0 where there is no limit."""
    limit = np.zeros(len(log.fields), dtype=np.int32)
    computer = entry(log.header, "Computer")
    if computer is not None and "paragon" in computer.text.lower():
        for number, name in numbered_names(log.header, "queue").items():
            match = PARAGON_QUEUE.fullmatch(name)
            if match:
                limit[log.fields.columns[QUEUE] == number] = PARAGON_LIMIT[match.group(1)]
    return limit


def _column(records: Records | None, jobs: slice, field: int) -> Iterable[float]:
    """Return a field of some jobs as it was read; without records, -1 for ever."""
    if records is None:
        return repeat(-1)
    return [int(value) if value.is_integer() else value for value in records[jobs, field].tolist()]

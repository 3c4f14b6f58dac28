"""Tables of any site, CSV or Parquet, whose columns the user names."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from typing import NamedTuple

import numpy as np

from ...core.arrays import Floats, Ints, Mask
from ...core.errors import in_quotes
from ...core.files import is_file
from ..calendar import LATEST
from ..local_time import Readings, settle
from ..log_names import MOST_ASKED
from ..sbatch_options import Asked
from . import table_cells as read
from .lives import COMPLETED, UNKNOWN, Block, Numberings, Shapes, some_lives, whole_numbers
from .node_columns import asked_on_nodes, cpus_of, gpus_of, kilobytes_of, numbers_of, texts_of
from .philly import attempts_of
from .states import ODD, OPEN
from .table_columns import COUNTED, DURATIONS, TIMES, TableColumns
from .table_rows import Rows, rows_of
from .tally import Tally
from .text_lines import Watch

MILLI = 1000  # thousandths of a GPU
PARTS = (1, 10, 100, MILLI)  # into which a GPU may be divided
NO_DATES = 10 * 365 * 86_400  # s; a table whose last job was submitted before 1980 counts from a zero of its own
STILL = "had not ended, by its state"
ODD_STATE = "its state is no word that is known: taken for completed"
ENDED = "its state is that of a job that has not ended, but it has an end: taken for completed"
ROUNDED = "asks for a part of a GPU: rounded up to whole GPUs"
FINER = "a part of a GPU finer than a thousandth: rounded up"
USERS_ONLY = "wants nodes without jobs of other users: taken as if it would share them with all"
GUESSED = "a time is in the hour that comes twice in autumn, and its run time does not tell which: the first one taken"
LEFT_OUT = "a time is in the hour that is left out in spring: counted on from the hour before"
FRACTIONS = "fractions of a second: times rounded down, durations up"
OWN_ZERO = "times count from a zero of their own: 1970 is taken for it, and weekdays and hours of the day say nothing"


def read_table(
    path: str, about: TableColumns, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:
    """Yield the jobs in a table, CSV (plain, gzipped or "-") or Parquet.

    Parameters
    ----------
    path
        The file.
    about
        What its columns are.
    numberings
        Get the accounts, also if they are no groups: none may stay in a log without names.
    tally
        Counts what is dropped, changed and assumed here.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, has no column of such a name, or a cell is not what it must be; the message names the
        line.
    """
    before, last, jobs = 0, 0, 0
    with closing((attempts_of if about.attempts else rows_of)(path, about.columns, watch)) as parts:
        for rows in parts:
            if "account" in about.columns:
                numberings.group.meet(rows.cells["account"], f"{path}:{rows.lines[-1]}")
            block, before = _block(rows, about, numberings.shapes, tally, before)
            last, jobs = max(last, int(block.submit.max(initial=0))), jobs + block.submit.size
            yield block
    if jobs > 0 and last < NO_DATES:
        tally.note_log(OWN_ZERO, jobs)


def parts_of_gpu(path: str, about: TableColumns, watch: Watch) -> int:
    """Return into how many parts a GPU must be divided so that all jobs of a table have whole ones: one of PARTS.

    Raises
    ------
    InputError
        The file cannot be read, or has parts of GPUs and cannot be read twice.
    """
    columns = {what: about.columns[what] for what in ("gpus", "gpu_milli") if what in about.columns}
    if about.counted != "gpus" or not columns or about.attempts:
        return 1
    if not is_file(path):
        return 1  # `_width` refuses parts
    parts = 1
    with closing(rows_of(path, columns, watch)) as all_rows:
        for rows in all_rows:
            milli = _milli_gpus(rows, about)[0]
            milli = milli[milli > 0]
            while parts < MILLI and (milli % (MILLI // parts)).any():
                parts *= 10
    return parts


def _block(rows: Rows, about: TableColumns, shapes: Shapes, tally: Tally, before: int) -> tuple[Block, int]:
    """Return rows as job lives, and the submission of the last one; `before`: that of the row before them, s."""
    cells, names, n = rows.cells, about.columns, len(rows.lines)
    none = np.full(n, UNKNOWN, dtype=np.int64)
    line = np.array(rows.lines, dtype=np.int64)
    job = np.array([_job(cell) for cell in cells["job"]], dtype=np.int64) if "job" in cells else none
    tasks = whole_numbers([number for cell in cells.get("job", [""] * n) for number in _task(cell)]).reshape(-1, 2)
    milli, is_finer = _milli_gpus(rows, about)
    asked = asked_on_nodes(rows, about)
    width, run, at, clock_faults = _width(rows, about, milli, asked), *_times(rows, about, before)
    state = read.states(cells["state"], about.states) if "state" in cells else np.full(n, COMPLETED)
    ended = at["end"] != UNKNOWN

    def note(action: str, reason: str, mask: Mask) -> None:
        tally.note(action, reason, line[mask], job[mask], run[mask] * width[mask].astype(np.float64))

    whole = read.exclusive(rows.fault, cells["exclusive"], names["exclusive"]) if "exclusive" in cells else none * 0
    note("dropped", STILL, (state == OPEN) & ~ended)
    note("assumed", ENDED, (state == OPEN) & ended & (run > 0))
    note("assumed", ODD_STATE, state == ODD)
    if not about.on_nodes:
        note("changed", USERS_ONLY, whole < 0)
    note("changed", FINER, is_finer)
    if about.counted != "gpus":
        note("changed", ROUNDED, (milli > 0) & (milli % MILLI > 0))
    timed = [what for what in (*TIMES, *DURATIONS) if what in cells]
    note("changed", FRACTIONS, np.any([read.fractions(cells[what], about.units[what]) for what in timed], axis=0))
    note("assumed", GUESSED, clock_faults.guessed)
    note("changed", LEFT_OUT, clock_faults.left_out)
    empty = [""] * n
    partition = cells.get("partition", cells.get("queue", texts_of(asked, "partition", n)))
    whose = "qos" if about.groups == "qos" else "account"
    for reason in {reason for each in asked for reason in each.remarks}:
        note("changed", reason, np.array([reason in each.remarks for each in asked], dtype=np.bool_))
    own = [each.values for each in asked] if about.on_nodes else []
    begins = whole_numbers([each.begin for each in asked] or [0] * n)
    block = Block(
        line=line,
        job=job,
        submit=at["submit"],
        eligible=np.where(
            (at["eligible"] == UNKNOWN) & (begins > 0) & (at["submit"] != UNKNOWN),
            at["submit"] + begins,
            at["eligible"],
        ),
        start=at["start"],
        run=run,
        limit=read.limits(rows.fault, cells["limit"], names["limit"], about.units["limit"])
        if "limit" in cells
        else whole_numbers([each.limit for each in asked] or [0] * n),
        width=width,
        status=np.where(state < 0, COMPLETED, state),
        mark=none * 0,
        memory=read.kilobytes(rows.fault, cells["memory"], names["memory"])
        if "memory" in cells
        else kilobytes_of(asked, width),
        nodes=numbers_of(asked, "nodes_least", n) if asked else _request(rows, about, "nodes", UNKNOWN),
        gpus=np.where(milli < 0, gpus_of(asked, n), -(-milli // MILLI)),
        nice=read.whole_numbers(rows.fault, cells["nice"], names["nice"], 0, MOST_ASKED)
        if "nice" in cells
        else none * 0,
        per_node=_request(rows, about, "per_node", 0),
        exclusive=np.maximum(whole, 0) if "exclusive" in cells else (numbers_of(asked, "exclusive", n) > 0) * 1,
        shape=whole_numbers([shapes.number(values) for values in own] or [0] * n),
        array=tasks[:, 0],
        index=tasks[:, 1],
        user=cells.get("user", empty),
        group=cells.get(about.groups, texts_of(asked, whose, n) if about.groups in ("account", "qos") else empty),
        queue=cells.get("queue", cells.get("qos", texts_of(asked, "qos", n))),
        partition=partition,
        constraint=["" if read.is_missing(text) else text for text in cells["constraint"]]
        if "constraint" in cells
        else texts_of(asked, "constraint", n),
        part_of=none * 0,
    )
    return some_lives(block, (state != OPEN) | ended), int(at["submit"][-1])


class _ClockFaults(NamedTuple):
    """Which jobs, (n,), have a time of which nothing tells the reading, and one that the local clock leaves out."""

    guessed: Mask
    left_out: Mask


def _times(rows: Rows, about: TableColumns, before: int) -> tuple[Ints, dict[str, Ints], _ClockFaults]:
    """Return run times, (n,) s, the times by word, (n,) Unix times, and what is odd about them."""
    cells, names, units, n = rows.cells, about.columns, about.units, len(rows.lines)
    none = np.full(n, UNKNOWN, dtype=np.int64)
    unknown = Readings(none, none, np.zeros(n, dtype=np.bool_))

    def clock(what: str) -> Readings:
        if what not in cells:
            return unknown
        return read.clocks(rows.fault, cells[what], names[what], units[what], about.zone)

    def lasting(what: str, missing: int) -> Ints:
        if what not in cells:
            return np.full(n, missing, dtype=np.int64)
        return read.durations(rows.fault, cells[what], names[what], units[what], missing)

    at = {what: clock(what) for what in ("submit", "eligible", "start", "end")}
    wait, run = lasting("wait", UNKNOWN), lasting("run", UNKNOWN)
    if "interval" in cells:
        interval = lasting("interval", UNKNOWN)
        if (interval < 0).any():
            row = int((interval < 0).argmax())
            raise rows.fault(row, f"{names['interval']} must be seconds since the job before, but there is none")
        submit = before + np.cumsum(interval)
        if submit[-1] >= LATEST:
            row = int((submit >= LATEST).argmax())
            raise rows.fault(row, f"{names['interval']}: the submissions go on to after the year 9000")
        at["submit"] = Readings(submit, submit, unknown.missing)
    if (run < UNKNOWN).any():
        row = int((run < UNKNOWN).argmax())
        raise rows.fault(row, f"{names['run']} must be at least 0")
    dated = at["submit"].first >= NO_DATES
    at = {what: _without_zeros(reading, dated) for what, reading in at.items()}
    settled = settle((at["submit"], at["eligible"], at["start"], at["end"]), run)
    times = dict(zip(at, settled.times, strict=True))
    by_wait = (times["start"] == UNKNOWN) & (times["submit"] != UNKNOWN) & (wait != UNKNOWN)
    times["start"] = np.where(by_wait, np.maximum(times["submit"] + wait, 0), times["start"])
    between = np.where((times["start"] == UNKNOWN) | (times["end"] == UNKNOWN), 0, times["end"] - times["start"])
    run = np.where(run >= 0, run, 0) if "run" in cells else np.maximum(between, 0)
    left_out = np.logical_or.reduce([reading.missing for reading in at.values()])
    return run, times, _ClockFaults(settled.guessed, left_out)


def _without_zeros(reading: Readings, dated: Mask) -> Readings:
    """Return times in which a zero is unknown where the job has a date, as databases write it."""
    zero = dated & (reading.first == 0)
    return reading._replace(
        first=np.where(zero, UNKNOWN, reading.first), second=np.where(zero, UNKNOWN, reading.second)
    )


def _width(rows: Rows, about: TableColumns, milli: Ints, asked: Sequence[Asked]) -> Ints:
    """Return the widths of jobs, (n,); 0 where unknown."""
    what = next(what for what in COUNTED[about.counted] if what in about.columns)
    if what in ("tasks", "options"):
        return cpus_of(asked)
    if what not in ("gpus", "gpu_milli"):
        return read.counts(rows.fault, rows.cells[what], about.columns[what], 0)
    if (milli * about.parts % MILLI > 0).any():
        row = int((milli * about.parts % MILLI > 0).argmax())
        raise rows.fault(
            row, f"{about.columns[what]} is a part of a GPU, for which the table is read twice: it must be a file"
        )
    return np.maximum(milli, 0) * about.parts // MILLI


def _milli_gpus(rows: Rows, about: TableColumns) -> tuple[Ints, Mask]:
    """Return the thousandths of GPUs of jobs, (n,), -1 where unknown, and which were rounded up to them."""
    given: list[Floats] = []
    for what, factor in (("gpus", MILLI), ("gpu_milli", 1)):
        if what in rows.cells:
            name = about.columns[what]
            given.append(factor * read.parts_of(rows.fault, rows.cells[what], name))
    if not given:
        none = np.full(len(rows.lines), UNKNOWN, dtype=np.int64)
        return none, none > 0
    milli = given[0] if len(given) == 1 else given[0] * given[1] / MILLI  # of each of them
    if (milli > MOST_ASKED).any():
        row = int((milli > MOST_ASKED).argmax())
        what = next(what for what in ("gpus", "gpu_milli") if what in rows.cells)
        cell = in_quotes(rows.cells[what][row])
        raise rows.fault(row, f"{about.columns[what]} is {cell}, but a job has at most {MOST_ASKED // MILLI:,} GPUs")
    known = np.round(np.where(np.isnan(milli), UNKNOWN, milli), 6)
    return np.ceil(known).astype(np.int64), known != np.ceil(known)


def _request(rows: Rows, about: TableColumns, what: str, missing: int) -> Ints:
    """Return what jobs ask for, (n,)."""
    if what not in rows.cells:
        return np.full(len(rows.lines), missing, dtype=np.int64)
    return read.counts(rows.fault, rows.cells[what], about.columns[what], missing, MOST_ASKED)


def _job(text: str) -> int:
    """Return the number of a job, -1 if it has another name."""
    whole = text.removesuffix(".0")
    return int(whole) if whole.isdecimal() and whole.isascii() and len(whole) <= 15 else UNKNOWN


def _task(text: str) -> tuple[int, int]:
    """Return the number of the array of which a job is a task, 7_3, and its index; 0, 0 of another one."""
    array, _, index = text.partition("_")
    numbers = _job(array), _job(index)
    return numbers if min(numbers) >= 0 and numbers[0] > 0 else (0, 0)

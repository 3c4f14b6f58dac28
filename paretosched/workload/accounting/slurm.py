"""The jobs in a text of Slurm's sacct; the one command that `paretosched import slurm --command` prints is the best."""

from __future__ import annotations

import re
from collections.abc import Generator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...core.arrays import Ints, Mask
from ...core.errors import InputError, did_you_mean, in_quotes
from ..local_time import settle
from ..log_names import LONGEST_NAME
from .fields import durations, numbers, times
from .lives import (
    FAILED,
    UNKNOWN,
    Block,
    Numberings,
    mark_of,
    some_lives,
    whole_numbers,
)
from .sacct_cells import DAMAGED, count_in, gpus_in, memory_asked, requests_in, slurm_seconds, tres_count
from .sacct_columns import FIELDS, OF_LOWER
from .sacct_shapes import SHAPE_COLUMNS, shape_of
from .sacct_text import COLUMN_ADVICE, SacctText, Table
from .states import ODD, OPEN, slurm_state
from .tally import Tally
from .text_lines import Watch, line_blocks

NAMES = {"user": "User", "group": "Account", "queue": "QOS", "partition": "Partition"}
GROUPS = {"account": "Account", "user": "User", "qos": "QOS", "partition": "Partition"}
WIDTHS = {"cpus": "cpu", "nodes": "node", "gpus": "gres/gpu", "billing": "billing"}  # with their names in TRES
OCCUPIED = {"cpus": ("NCPUS", "AllocCPUS"), "nodes": ("NNodes", "AllocNodes"), "gpus": ("AllocGRES",), "billing": ()}
ASKED = {"cpus": "ReqCPUS", "nodes": "ReqNodes"}  # taken where nothing says what jobs occupied
SACCT = "SLURM_TIME_FORMAT=%s TZ=UTC sacct -a -X -D -P --noconvert"
MINUTE = 60
MOST_OPEN = 300_000  # jobs that have not ended; they are in memory
NO_LIMIT = ("", "unlimited", "partition_limit", "invalid", "not_set", "none")  # in small letters
YEAR = 525_600 * MINUTE  # what Slurm stores for no limit
INVALID = "invalid"
ADVICE = (
    "run sacct with SLURM_TIME_FORMAT=%s (paretosched import slurm --command prints the whole line), or, if these are "
    "times of the site's clock, name its zone, such as --zone Europe/Berlin"
)
CLUSTER = "Cluster"
CLUSTER_ADVICE = "run sacct once for each, with --clusters=NAME, and import each by itself"
STEPS = "a step of a job, not a job: sacct was called without -X"
UNFINISHED = "still running, or suspended: its run time is not known yet"
PENDING = "still waiting: it has not started yet"
SUSPENDED = "was suspended for a time, which is not in its run time"
ODD_STATE = "a state that sacct(1) does not list: taken for failed"
ODD_REQUEST = "ReqTRES cannot be read: memory, nodes or GPUs are taken for unknown where they cannot be read"
ODD_MEMORY = "ReqMem cannot be read: the memory that the job asked for is taken for unknown"
ODD_RUN = "Elapsed is INVALID: the time from its start to its end taken for it"
GUESSED = "a time in the hour that comes twice in autumn, and nothing tells which: the first one taken"
SKIPPED = "a time that the local clock left out in spring: taken for an hour later"
ASSUMED = {
    "Eligible": "a job could run from its submission",
    "Start": "a job started its run time before its end, if that is known",
    "End": "a job ended its run time after its start",
    "State": "jobs are taken for completed",
    "User": "all jobs are of one unknown user",
    "QOS": "QOS are unknown",
    "Partition": "partitions are unknown",
    "ReqTRES": "memory, nodes and GPUs that jobs asked for are unknown",
}  # what is done without a column
ASKED_WIDTH = (
    "no column says what jobs occupied: what they asked for, {name}, taken for it; sacct -o AllocTRES brings it"
)
MOST_TRES = 100_000  # texts of AllocTRES, and of ReqTRES, that are remembered
LONGEST_TRES = 1_000  # letters of each
NUMBER_IN_ID = re.compile(r"\d{1,15}", re.ASCII)
TASK_ID = re.compile(r"(\d{1,15})_(\d{1,15})$", re.ASCII)
JOB_ID = re.compile(r"(\d{1,15})(_(?:\d{1,15}|\[[^]]*\]))?(\+\d{1,9})?", re.ASCII)


class Format(NamedTuple):
    """What is wanted of each job, and how the text is to be read.

    Attributes
    ----------
    width, groups
        What counts as width, one of WIDTHS, and what the groups are, one of GROUPS.
    zone
        Time zone of times that do not say theirs; None to refuse them.
    columns
        The names of the columns, of a text without header; None if it has one, or if their order is known.
    on_nodes
        Whether the log is for a machine of nodes and partitions.
    """

    width: str
    groups: str
    zone: str | None = None
    columns: tuple[str, ...] | None = None
    on_nodes: bool = False


def sacct_command(months: Sequence[tuple[str, str]] = (("FIRST-DAY", "DAY-AFTER"),)) -> str:
    """Return the commands whose output `read_slurm` reads best, one line for each window of days."""
    return "\n".join(f"{SACCT} -S {first} -E {last} -o {','.join(FIELDS)}" for first, last in months)


def sacct_columns(text: str) -> tuple[str, ...]:
    """Return the names of the columns of a text without header, from "jobidraw,submit,-,start"; "" for one to skip.

    Raises
    ------
    InputError
        A column is named twice, or it is the map of a table.

    Examples
    --------
    >>> sacct_columns("jobidraw,submit,-,START")
    ('JobIDRaw', 'Submit', '', 'Start')
    """
    words = [word.strip().lower() for word in text.split(",")]
    odd = next((word for word in words if "=" in word), None)
    if odd is not None:
        rule = "for slurm, --columns must be sacct's names of the columns in order, such as jobidraw,submit,-,start"
        raise InputError(f"{rule}, but has {in_quotes(odd)}")
    names = tuple("" if word == "-" else OF_LOWER.get(word, word) for word in words)
    again = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
    if again is not None:
        raise InputError(f"--columns names {again} twice")
    return names


def read_slurm(
    path: str, wanted: Format, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:
    """Yield the job lives in a text of sacct, with or without its header line; "-" is the standard input.

    Parameters
    ----------
    path
        The file.
    wanted
        What counts as width, what the groups are, and how the text is to be read.
    numberings
        Learns the names of lines that are dropped here.
    tally
        Counts what is dropped here: steps, jobs that have not ended, and damaged lines.
    watch
        Function that is told how many bytes were read, see `text_lines`.

    Raises
    ------
    InputError
        The file cannot be read, or has no job number, submission, run time or width; the message names the line.
    """
    reader = _Reader(wanted, numberings, tally)
    text = SacctText(wanted.columns, reader.lacking, tally)
    for lines in line_blocks(path, watch, tally):
        for table in text.tables(lines):
            block = reader.lives(table)
            if block is not None:
                yield block
    text.finish()
    reader.finish()


class _Reader:
    """Remembers the jobs that have not ended, and lists of resources."""

    def __init__(self, wanted: Format, numberings: Numberings, tally: Tally) -> None:
        self.wanted = wanted
        self.numberings = numberings
        self.tally = tally
        self.cluster = ""  # of the first job, if it is said
        self.width_of: dict[str, int] = {}
        self.requests_of: dict[str, tuple[int, int, int]] = {}  # memory, nodes and GPUs
        self.shape_of: dict[tuple[str, ...], tuple[int, Sequence[str]]] = {}  # by cells of SHAPE_COLUMNS
        self.open: dict[tuple[int, int, int], _Open] = {}  # by number, submission and mark
        self.rows = 0
        self.lacking_in: dict[str, int] = {}  # by what is assumed: jobs in tables without a column

    def lacking(self, names: Sequence[str]) -> str:
        """Return which column is missing, without which nothing can be read, and how to get it; "" if none is."""
        has = {*names}
        width = self.wanted.width
        of_width = ("AllocTRES", *OCCUPIED[width], *([ASKED[width]] if width in ASKED else []), "ReqTRES")
        needed = (
            (("JobIDRaw", "JobID"), "the number of a job"),
            (("Submit",), "when a job was submitted"),
            (("ElapsedRaw", "Elapsed", "Start and End"), "how long a job ran"),
            (of_width, f"how many {width} a job had"),
        )
        for choices, what in needed:
            if not any(has.issuperset(choice.split(" and ")) for choice in choices):
                near = did_you_mean(choices[0], [name for name in names if name and name.lower() not in OF_LOWER])
                others = f" (or {', '.join(choices[1:])})" if len(choices) > 1 else ""
                return (
                    f"{choices[0]} is missing{near}: no column says {what}; sacct -o {choices[0]} brings it{others}; "
                    f"{COLUMN_ADVICE}"
                )
        return ""

    def finish(self) -> None:
        """Count the jobs that have not ended, and what was assumed of all jobs."""
        for reason, ran in ((UNFINISHED, True), (PENDING, False)):
            jobs = [(key, job) for key, job in self.open.items() if job.ran is ran]
            line, work = whole_numbers([job.line for _, job in jobs]), whole_numbers([job.work for _, job in jobs])
            self.tally.note("dropped", reason, line, whole_numbers([key[0] for key, _ in jobs]), work)
        for (job, submit, _), entry in self.open.items():
            if entry.waits is not None:
                self.tally.waiting[job, submit] = entry.waits
        for reason, jobs_of_it in self.lacking_in.items():
            self.tally.note_log(reason, jobs_of_it)

    def lives(self, table: Table) -> Block | None:
        """Return the lives in some rows, without steps and jobs that have not ended."""
        for kind, name in NAMES.items():  # no name may stay in a log without names, also if it is no group
            self.numberings.kinds[kind].meet(table.columns.get(name, ()), f"{table.place}:{table.numbers[-1]}")
        table = self._without_steps(table)
        if not table.numbers:
            return None
        self._check_cluster(table)
        columns, count = table.columns, len(table.numbers)
        empty = [""] * count
        line = whole_numbers(table.numbers)
        job, mark, part_of = _job_numbers(table)
        array, index = _tasks(table) if self.wanted.on_nodes else (np.zeros_like(line), np.zeros_like(line))
        self.tally.largest_job = max(self.tally.largest_job, int(job.max()))
        suspended = _durations(table, "Suspended", {INVALID: 0})
        run = self._runs(table)
        words = columns.get("State", ["COMPLETED"] * count)
        status_of = {text: slurm_state(text.partition(" ")[0]) for text in {*words}}
        status = whole_numbers([status_of[text] for text in words])
        at, guessed, skipped = self._times(table, run, suspended)
        is_open = at["End"] == UNKNOWN if "End" in columns else status == OPEN
        at, run, odd_run = _fill_times(at, run, suspended, table)
        asked, odd_request, odd_memory = self._requests(table)
        block = Block(
            line=line,
            job=job,
            submit=at["Submit"],
            eligible=at["Eligible"],
            start=at["Start"],
            run=run,
            limit=_limits(table),
            width=self._width(table),
            status=np.where(status < 0, FAILED, status),
            mark=mark,
            memory=asked[:, 0],
            nodes=asked[:, 1],
            gpus=asked[:, 2],
            nice=np.zeros_like(line),  # no field of sacct has it
            per_node=np.zeros_like(line),
            exclusive=np.zeros_like(line),
            shape=self._shapes(table) if self.wanted.on_nodes else np.zeros_like(line),
            array=array,
            index=index,
            user=columns.get("User", empty),
            group=columns.get(GROUPS[self.wanted.groups], empty),
            queue=columns.get("QOS", empty),
            partition=columns.get("Partition", empty),
            constraint=empty,
            part_of=part_of,
        )
        self._note_lacking(columns, count)
        for action, reason, mask in (
            ("assumed", ODD_REQUEST, odd_request),
            ("assumed", ODD_MEMORY, odd_memory),
            ("assumed", ODD_RUN, odd_run),
            ("assumed", GUESSED, guessed),
            ("changed", SKIPPED, skipped),
            ("changed", SUSPENDED, suspended > 0),
            ("assumed", ODD_STATE, status == ODD),
        ):
            rows = np.flatnonzero(mask)
            self.tally.note(action, reason, line[rows], job[rows], (run * block.width)[rows])
        return self._ended_lives(block, is_open)

    def _without_steps(self, table: Table) -> Table:
        """Return the rows that are jobs; count the steps."""
        ids = table.columns["JobIDRaw" if "JobIDRaw" in table.columns else "JobID"]
        if "." not in "".join(ids):
            return table
        steps = [number for number, text in zip(table.numbers, ids, strict=True) if "." in text]
        self.tally.note_lines("dropped", STEPS, steps)
        return table.rows([index for index, text in enumerate(ids) if "." not in text])

    def _check_cluster(self, table: Table) -> None:
        """Refuse jobs of several clusters, whose numbers are alike: they would be taken for lives of the same jobs."""
        clusters = table.columns.get(CLUSTER, ())
        self.cluster = self.cluster or next(iter(clusters), "")
        for index, name in enumerate(clusters if {*clusters} - {self.cluster} else ()):
            if name != self.cluster:
                names = f"{in_quotes(self.cluster)} and {in_quotes(name)}"
                raise table.fault(index, f"all jobs must be of one cluster, but are of {names}; {CLUSTER_ADVICE}")

    def _note_lacking(self, columns: Mapping[str, Sequence[str]], count: int) -> None:
        """Remember of how many jobs a column is missing that would say more."""
        reasons = [f"no column {name}: {what}; sacct -o {name} brings it" for name, what in ASSUMED.items()
                   if name not in columns and not (name == "ReqTRES" and "ReqMem" in columns)]  # fmt: skip
        group = GROUPS[self.wanted.groups]
        if group not in columns and group not in ASSUMED:
            reasons.append(f"no column {group}: jobs have no group; sacct -o {group} brings it")
        occupied = ("AllocTRES", *OCCUPIED[self.wanted.width])
        if not any(name in columns for name in occupied):
            name = ASKED.get(self.wanted.width, "ReqTRES")
            reasons.append(ASKED_WIDTH.format(name=name if name in columns else "ReqTRES"))
        for reason in reasons:
            self.lacking_in[reason] = self.lacking_in.get(reason, 0) + count

    # --- times --------------------------------------------------------------------------------------------------------

    def _times(self, table: Table, run: Ints, suspended: Ints) -> tuple[dict[str, Ints], Mask, Mask]:
        """Return the times of rows, -1 where unknown, and where one of two readings was guessed, or none was there."""
        empty = [""] * len(table.numbers)
        names = ("Submit", "Eligible", "Start", "End")
        readings = [
            times(table.fault, table.columns.get(name, empty), name, ADVICE, self.wanted.zone, zero=False)
            for name in names
        ]
        settled = settle(readings, np.where(run > 0, run + suspended, UNKNOWN))
        skipped = np.logical_or.reduce([reading.missing for reading in readings])
        return dict(zip(names, settled.times, strict=True)), settled.guessed, skipped

    def _runs(self, table: Table) -> Ints:
        """Return run times, (n,) s; -1 where the text does not say."""
        if "ElapsedRaw" in table.columns:
            return whole_numbers(numbers(table.fault, table.columns["ElapsedRaw"], "ElapsedRaw", {"": 0}))
        if "Elapsed" in table.columns:
            return _durations(table, "Elapsed", {INVALID: UNKNOWN})
        return np.full(len(table.numbers), UNKNOWN)

    # --- jobs that have not ended -------------------------------------------------------------------------------------

    def _ended_lives(self, block: Block, is_open: Mask) -> Block | None:
        """Return the lives that have ended; remember the others, until a later row says that they have."""
        rows = np.flatnonzero(is_open)
        work = (block.run * block.width).tolist()
        for row, key in zip(rows.tolist(), _keys(block, rows), strict=True):
            ran = bool(block.run[row] > 0)
            names = block.partition[row][:LONGEST_NAME], block.group[row][:LONGEST_NAME]  # longer ones fill the memory
            waits = names if not ran and block.eligible[row] != UNKNOWN else None
            self.open[key] = _Open(int(block.line[row]), work[row], ran, waits)
        if self.open:
            met = np.isin(block.job, [job for job, _, _ in self.open]) & ~is_open
            for key in _keys(block, np.flatnonzero(met)):
                self.open.pop(key, None)
        if len(self.open) > MOST_OPEN:
            raise InputError(
                f"more than {MOST_OPEN:,} jobs have not ended, which no machine has; is it the right file?"
            )
        if not rows.size:
            return block
        return None if is_open.all() else some_lives(block, ~is_open)

    # --- what jobs have, and asked for --------------------------------------------------------------------------------

    def _width(self, table: Table) -> Ints:
        """Return what each job occupied: of AllocTRES, since a job with whole nodes occupies more than it asked for."""
        columns, unit = table.columns, self.wanted.width
        width = np.full(len(table.numbers), UNKNOWN)
        others = [name for name in OCCUPIED[unit] if name in columns]
        lists = ["AllocTRES"] if "AllocTRES" in columns else []
        if not lists and not others:
            others = [ASKED[unit]] if ASKED.get(unit) in columns else []
            lists = [] if others else ["ReqTRES"]
        for name in lists:
            width = whole_numbers(self._amounts(table, name))
        for name in others:
            if (width < 0).any():
                if name == "AllocGRES":
                    without = whole_numbers([gpus_in(cell) for cell in columns[name]])
                else:
                    without = _counts(table, name)
                    if not lists and ((width < 0) & (without < 0)).any():
                        index = int(((width < 0) & (without < 0)).argmax())
                        fact = f"{name} is {in_quotes(columns[name][index])}, a count that sacct rounded"
                        raise table.fault(index, f"{fact}; run it with --noconvert, or with -o AllocTRES")
                width = np.where(width >= 0, width, without)
        occupied: Ints = np.maximum(width, 0)
        return occupied

    def _amounts(self, table: Table, column: str) -> list[int]:
        """Return the numbers of what is counted in lists of resources; -1 where it is not there."""
        widths, name, cells = self.width_of, WIDTHS[self.wanted.width], table.columns[column]
        if len(widths) > MOST_TRES:
            widths.clear()
        here = {text: widths[text] if text in widths else tres_count(text, name) for text in {*cells}}
        if None in here.values():
            index = next(index for index, text in enumerate(cells) if here[text] is None)
            raise table.fault(index, f"{column} is {in_quotes(cells[index])}, not a list of NAME=NUMBER")
        of_text = {text: width for text, width in here.items() if width is not None}
        widths |= {text: width for text, width in of_text.items() if len(text) <= LONGEST_TRES}
        return [of_text[text] for text in cells]

    def _requests(self, table: Table) -> tuple[Ints, Mask, Mask]:
        """Return the kilobytes, nodes and GPUs that each job asked for, (n, 3), and which could not be read."""
        count, columns = len(table.numbers), table.columns
        known = self.requests_of
        if len(known) > MOST_TRES:
            known.clear()
        cells = columns.get("ReqTRES", [""] * count)
        here = {text: known.get(text) or requests_in(text) for text in {*cells}}
        known |= {text: asked for text, asked in here.items() if len(text) <= LONGEST_TRES}
        asked = whole_numbers([number for text in cells for number in here[text]]).reshape(-1, 3)
        odd, odd_memory = (asked == DAMAGED).any(axis=1), np.zeros(count, dtype=np.bool_)
        asked[asked == DAMAGED] = UNKNOWN
        if "ReqMem" in columns and (asked[:, 0] < 0).any():
            rows = np.flatnonzero(asked[:, 0] < 0)
            texts = [columns["ReqMem"][row] for row in rows.tolist()]
            of_text = {text: memory_asked(text) for text in {*texts}}
            amount, each = whole_numbers([number for text in texts for number in of_text[text]]).reshape(-1, 2).T
            cores = _first_numbers(table, ("ReqCPUS", "NCPUS", "AllocCPUS"))[rows]
            nodes = _first_numbers(table, ("ReqNodes", "NNodes", "AllocNodes"))[rows]
            times_each = np.choose(each, (np.ones_like(cores), nodes, cores))
            fits = (amount >= 0) & (times_each > 0) & (amount.astype(np.float64) * times_each < 2.0**53)
            asked[rows, 0] = np.where(fits, np.where(fits, amount, 0) * np.where(fits, times_each, 0), UNKNOWN)
            odd_memory[rows] = (amount < UNKNOWN) | ((amount >= 0) & ~fits)
        return asked, odd, odd_memory

    def _shapes(self, table: Table) -> Ints:
        """Return the numbers of what jobs ask of nodes, (n,)."""
        count, known = len(table.numbers), self.shape_of
        columns = [table.columns.get(name, [""] * count) for name in SHAPE_COLUMNS]
        if len(known) > MOST_TRES:
            known.clear()
        shapes = []
        for cells in zip(*columns, strict=True):
            if cells not in known:
                values, reasons = shape_of(dict(zip(SHAPE_COLUMNS, cells, strict=True)))
                known[cells] = self.numberings.shapes.number(values), reasons
            shapes.append(known[cells][0])
            for reason in known[cells][1]:
                self.lacking_in[reason] = self.lacking_in.get(reason, 0) + 1
        return whole_numbers(shapes)


class _Open(NamedTuple):
    """A job that has not ended: its line, its work until now, whether it runs, and partitions and group if it waits."""

    line: int
    work: int
    ran: bool
    waits: tuple[str, str] | None


def _keys(block: Block, rows: Ints) -> list[tuple[int, int, int]]:
    """Return what tells the jobs of some rows from others."""
    return [*zip(*(column[rows].tolist() for column in (block.job, block.submit, block.mark)), strict=True)]


def _job_numbers(table: Table) -> tuple[Ints, Ints, Ints]:
    """Return job numbers, marks that tell tasks with one number apart, and heterogeneous jobs, 0 for others, (n,) each.

    Without JobIDRaw a task, 7_3, or a component, 8+1, has the number of its array or job, and is told by its text.
    """
    ids = table.columns.get("JobID", ())
    raw = table.columns.get("JobIDRaw")
    count = len(table.numbers)
    mark, part_of = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    if raw is not None:
        job = whole_numbers(numbers(table.fault, raw, "JobIDRaw", {}))
        odd = [index for index, text in enumerate(ids) if "+" in text] if "+" in "".join(ids) else []
    else:
        job = np.zeros(count, dtype=np.int64)
        odd = [*range(count)]
        if "".join(ids).isdecimal():
            job, odd = whole_numbers(numbers(table.fault, ids, "JobID", {})), []
    for index in odd:
        match = (NUMBER_IN_ID if raw is not None else JOB_ID).match(ids[index])
        if match is None or (raw is None and match.end() != len(ids[index])):
            raise table.fault(index, f"JobID is {in_quotes(ids[index])}, not the number of a job")
        if "+" in ids[index]:
            part_of[index] = int(NUMBER_IN_ID.match(ids[index]).group())  # type: ignore[union-attr]  # it begins so
        if raw is None:
            job[index] = int(match.group(1))
            mark[index] = 0 if match.end() == match.end(1) else mark_of(ids[index])
    return job, mark, part_of


def _tasks(table: Table) -> tuple[Ints, Ints]:
    """Return the number of the array of which each job is a task, 0 of none, and its index in it, (n,) each."""
    ids = table.columns.get("JobID", ())
    found = np.zeros((2, len(table.numbers)), dtype=np.int64)
    for row in [row for row, text in enumerate(ids) if "_" in text] if "_" in "".join(ids) else ():
        if match := TASK_ID.match(ids[row]):
            found[:, row] = int(match.group(1)), int(match.group(2))
    return found[0], found[1]


def _durations(table: Table, name: str, words: Mapping[str, int]) -> Ints:
    """Return durations of a column, (n,) s, 0 where there is none; some words stand for a number of their own."""
    if name not in table.columns:
        return np.zeros(len(table.numbers), dtype=np.int64)
    cells = table.columns[name]
    values = durations(cells, {"": 0, **words}, slurm_seconds)
    if isinstance(values, int):
        raise table.fault(values, f"{name} is {in_quotes(cells[values])}, but must be seconds or [D-]HH:MM:SS")
    return values


def _limits(table: Table) -> Ints:
    """Return time limits, (n,) s; 0 where there is none."""
    words = dict.fromkeys(NO_LIMIT, 0)
    if "TimelimitRaw" in table.columns:
        cells = table.columns["TimelimitRaw"]
        known = {text: words[text.lower()] for text in {*cells} if text.lower() in words}
        limits = MINUTE * whole_numbers(numbers(table.fault, cells, "TimelimitRaw", known))
    elif "Timelimit" in table.columns:
        cells = table.columns["Timelimit"]
        if any(text.isdecimal() for text in {*cells}):
            odd = next(index for index, text in enumerate(cells) if text.isdecimal())
            fact = f"Timelimit is {in_quotes(cells[odd])}, but must be [D-]HH:MM:SS; minutes are in TimelimitRaw"
            raise table.fault(odd, fact)
        limits = _durations(table, "Timelimit", words)
    else:
        limits = np.zeros(len(table.numbers), dtype=np.int64)
    return np.where(limits == YEAR, 0, limits)


def _fill_times(at: Mapping[str, Ints], run: Ints, suspended: Ints, table: Table) -> tuple[dict[str, Ints], Ints, Mask]:
    """Return times and run times, those that the text does not say from the others, and where they are INVALID."""
    start, end = at["Start"], at["End"]
    both = (start != UNKNOWN) & (end != UNKNOWN)
    lasted = np.where(both, np.maximum(end - start, 0), 0)
    odd = (run == UNKNOWN) & ("Elapsed" in table.columns)
    run = np.where(run == UNKNOWN, lasted, run)
    if "Start" not in table.columns:
        start = np.where((end != UNKNOWN) & (run > 0), end - run - suspended, UNKNOWN)
    return {**at, "Start": start}, run, odd & ("ElapsedRaw" not in table.columns)


def _first_numbers(table: Table, names: Sequence[str]) -> Ints:
    """Return the numbers in the first of some columns that has them, (n,); 0 if none has."""
    found = np.full(len(table.numbers), UNKNOWN)
    for name in names:
        if name in table.columns:
            found = np.where(found < 0, _counts(table, name), found)
    known: Ints = np.maximum(found, 0)
    return known


def _counts(table: Table, name: str) -> Ints:
    """Return the counts in a column, (n,); -1 where sacct rounded them."""
    cells = table.columns[name]
    with_unit = {text: count for text in {*cells} if (count := count_in(text)) is not None}
    return whole_numbers(numbers(table.fault, cells, name, with_unit))

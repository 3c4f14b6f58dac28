"""The output of Slurm's sacct, from the one command that `paretosched import slurm --command` prints."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ...core.arrays import Ints, Mask
from ...core.errors import InputError, did_you_mean, in_quotes
from ..requests import kilobytes_in
from ..workload import WIDEST
from .fields import numbers, seconds, times
from .lives import CANCELLED, COMPLETED, FAILED, KINDS, LONGEST_NAME, UNKNOWN, Block, Numberings, whole_numbers
from .tally import Tally
from .text_lines import Lines, Watch, line_blocks

FIELDS = (
    "JobIDRaw", "JobID", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "NNodes", "ReqCPUS", "NCPUS",
    "ReqTRES", "AllocTRES", "TimelimitRaw", "State", "User", "Account", "QOS", "Partition", "Flags", "Reason",
)  # fmt: skip
NEEDED = (
    "JobIDRaw", "JobID", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "NCPUS", "NNodes", "AllocTRES",
    "TimelimitRaw", "State", "User", "Account", "QOS", "Partition",
)  # fmt: skip
NAMES = {"user": "User", "group": "Account", "queue": "QOS", "partition": "Partition"}
GROUPS = {"account": "Account", "user": "User", "qos": "QOS", "partition": "Partition"}
WIDTHS = {"cpus": "cpu", "nodes": "node", "gpus": "gres/gpu", "billing": "billing"}  # with their names in TRES
SACCT = "SLURM_TIME_FORMAT=%s TZ=UTC sacct -a -X -D -P --noconvert"
MINUTE = 60
MOST_WAITING = 1_000_000  # jobs
NO_LIMIT = {"UNLIMITED": 0, "Partition_Limit": 0, "INVALID": 0, "": 0, "525600": 0}  # the last one is a year
ADVICE = "which zone is the site in? Say --zone Europe/Berlin, for example; or run sacct with SLURM_TIME_FORMAT=%s (paretosched import slurm --command prints the whole line)"
COLUMN_ADVICE = "paretosched import slurm --command prints the sacct command whose output is read here"
CLUSTER = "Cluster"
CLUSTER_ADVICE = "run sacct once for each, with --clusters=NAME, and import each by itself"
STEPS = "a step of a job, not a job: sacct was called without -X"
UNFINISHED = "still running, or suspended: its run time is not known yet"
PENDING = "still waiting: it has not started yet"
SUSPENDED = "was suspended for a time, which is not in its run time"
ODD_STATE = "a state that sacct(1) does not list: taken for failed"
ODD_REQUEST = "ReqTRES cannot be read: memory, nodes and GPUs that the job asked for are taken for unknown"
NOT_READ = (-2, -2, -2)
STATES = {
    "CANCELLED": CANCELLED,
    "COMPLETED": COMPLETED,
    "PREEMPTED": CANCELLED,
    "REQUEUED": CANCELLED,
    "REVOKED": CANCELLED,
} | dict.fromkeys(
    (
        "BOOT_FAIL",
        "DEADLINE",
        "FAILED",
        "NODE_FAIL",
        "OUT_OF_MEMORY",
        "PENDING",
        "RESIZING",
        "RUNNING",
        "SUSPENDED",
        "TIMEOUT",
    ),
    FAILED,
)  # SWF's word for each state: what used the machine counts, whatever its state
MOST_TRES = 100_000  # texts of AllocTRES, and of ReqTRES, that are remembered
LONGEST_TRES = 1_000  # letters of each
HEADERS = ("JobIDRaw|", "JobID|")  # how a line with names of columns begins
NUMBER_IN_ID = re.compile(r"\d{1,15}", re.ASCII)


class Format(NamedTuple):
    """What is wanted of each job: `width` is one of WIDTHS, `groups` one of GROUPS."""

    width: str
    groups: str


def sacct_command(months: Sequence[tuple[str, str]] = (("FIRST-DAY", "DAY-AFTER"),)) -> str:
    """Return the commands whose output `read_slurm` reads, one line for each window of days."""
    return "\n".join(f"{SACCT} -S {first} -E {last} -o {','.join(FIELDS)}" for first, last in months)


def read_slurm(
    path: str, wanted: Format, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:
    """Yield the job lives in the output of sacct, with or without its header line; "-" is the standard input.

    Parameters
    ----------
    path
        The file.
    wanted
        What counts as width, and what the groups are.
    numberings
        Learns the names of lines that are dropped here.
    tally
        Counts what is dropped here: steps, and jobs that have not ended.
    watch
        Function that is told how many bytes were read, see `text_lines`.

    Raises
    ------
    InputError
        The file cannot be read, or is not the output of this command; the message names the line.
    """
    reader = _Reader(wanted, numberings, tally)
    for lines in line_blocks(path, watch):
        yield from reader.blocks(lines)


class _Reader:
    """Knows the columns, which the first line names or which are those of the command."""

    def __init__(self, wanted: Format, numberings: Numberings, tally: Tally) -> None:
        self.wanted = wanted
        self.numberings = numberings
        self.tally = tally
        self.cluster = ""  # of the first job, if it is said
        self.header = ""  # the header line, which may come again for every month, also with other columns
        self.columns: Mapping[str, int] = {}
        self.cells = 0  # of a line
        self.width_of: dict[str, int] = {}
        self.requests_of: dict[str, tuple[int, int, int]] = {}  # memory, nodes and GPUs

    def blocks(self, lines: Lines) -> Iterator[Block]:
        """Yield the lives in some lines, those before and after a line that names columns apart."""
        if not self.columns:
            place = next((place for place, text in enumerate(lines.texts) if text and not text.isspace()), None)
            if place is None:
                return
            self._learn_columns(lines, place, lines.texts[place])
        headers = [at for at, text in enumerate(lines.texts) if text.startswith(HEADERS)]
        for first, end in pairwise([0, *headers, len(lines.texts)]):
            if end > first and lines.texts[first].startswith(HEADERS):
                self._learn_columns(lines, first, lines.texts[first])
            block = self._block(lines._replace(first=lines.first + first, texts=lines.texts[first:end]))
            if block is not None:
                yield block

    def _block(self, lines: Lines) -> Block | None:
        """Return the lives in some lines; None if there are none."""
        wanted = [place for place, text in enumerate(lines.texts) if text and text != self.header]
        rows = [lines.texts[place] for place in wanted]
        bars = self.cells - 1
        if any(text.count("|") != bars for text in rows):
            wanted = [place for place in wanted if not lines.texts[place].isspace()]
            rows = [lines.texts[place] for place in wanted]
            for place, text in zip(wanted, rows, strict=True):
                if text.count("|") != bars:
                    fact = f"a line must have {self.cells} columns, but this one has {text.count('|') + 1}"
                    raise lines.fault(place, f"{fact}: {in_quotes(text)}; {COLUMN_ADVICE}")
        if not rows:
            return None
        cells = "|".join(rows).split("|")  # far quicker than line by line
        columns = {name: cells[place :: self.cells] for name, place in self.columns.items()}
        return self._lives(_Rows(lines.place, [lines.first + place for place in wanted]), columns)

    def _learn_columns(self, lines: Lines, index: int, text: str) -> None:
        """Learn the columns from a line that names them, or from the first one."""
        names = text.split("|")
        if names[0].lower() in ("jobidraw", "jobid") or "JobIDRaw" in names:
            of_lower = {name.lower(): name for name in (*NEEDED, *FIELDS)}
            self.columns = {of_lower.get(name.lower(), name): place for place, name in enumerate(names) if name}
            missing = [name for name in NEEDED if name not in self.columns]
            if missing:
                raise lines.fault(
                    index,
                    f"the header must name {', '.join(NEEDED)}, but {missing[0]} is missing"
                    f"{did_you_mean(missing[0], names)}; {COLUMN_ADVICE}",
                )
            self.header, self.cells = text, len(names)
            return
        ends = 1 if text.endswith("|") and len(names) == len(FIELDS) + 1 else 0  # of sacct -p instead of -P
        if len(names) - ends != len(FIELDS) or NUMBER_IN_ID.match(names[0]) is None:
            fact = f"must be the output of sacct with {len(FIELDS)} columns between |, but begins {in_quotes(text)}"
            raise lines.fault(index, f"{fact}; {COLUMN_ADVICE}")
        self.columns = {name: place for place, name in enumerate(FIELDS)}
        self.cells = len(names)

    def _lives(self, lines: _Rows, columns: Mapping[str, Sequence[str]]) -> Block | None:
        """Return the lives in some rows, without steps and jobs that have not ended."""
        self._check_cluster(lines, columns.get(CLUSTER, ()))
        for kind, name in NAMES.items():  # no name may stay in a log without names, also if it is no group
            self.numberings.kinds[kind].meet(columns[name], f"{lines.place}:{lines.numbers[-1]}")
        ids = columns["JobIDRaw"]
        if any("." in text for text in ids):
            kept = [index for index, text in enumerate(ids) if "." not in text]
            rest = [index for index, text in enumerate(ids) if "." in text]
            line = whole_numbers([lines.numbers[index] for index in rest])
            self.tally.note("dropped", STEPS, line, np.zeros_like(line), np.zeros_like(line))
            if not kept:
                return None
            columns = {name: [cells[index] for index in kept] for name, cells in columns.items()}
            lines = lines._replace(numbers=[lines.numbers[index] for index in kept])
            ids = columns["JobIDRaw"]
        line, job = whole_numbers(lines.numbers), whole_numbers(numbers(lines.fault, ids, "JobIDRaw", {}))
        self.tally.largest_job = max(self.tally.largest_job, int(job.max()))
        at = {name: _times(lines, columns[name], name) for name in ("Submit", "Eligible", "Start", "End")}
        run = whole_numbers(numbers(lines.fault, columns["ElapsedRaw"], "ElapsedRaw", {"": 0}))
        state = [text.partition(" ")[0] for text in columns["State"]]
        asked = self._requests(columns.get("ReqTRES", [""] * len(ids)))
        odd_request = asked[:, 0] == NOT_READ[0]
        asked[odd_request] = UNKNOWN
        block = Block(
            line=line,
            job=job,
            submit=at["Submit"],
            eligible=at["Eligible"],
            start=at["Start"],
            run=run,
            limit=MINUTE * whole_numbers(numbers(lines.fault, columns["TimelimitRaw"], "TimelimitRaw", NO_LIMIT)),
            width=self._width(lines, columns),
            status=whole_numbers([STATES.get(word, FAILED) for word in state]),
            mark=np.zeros_like(line),
            memory=asked[:, 0],
            nodes=asked[:, 1],
            gpus=asked[:, 2],
            nice=np.zeros_like(line),  # no field of sacct has it
            per_node=np.zeros_like(line),
            exclusive=np.zeros_like(line),
            user=columns["User"],
            group=columns[GROUPS[self.wanted.groups]],
            queue=columns["QOS"],
            partition=columns["Partition"],
            constraint=[""] * len(ids),
            part_of=self._parts(lines, columns["JobID"]),
        )
        block.limit[block.limit == MINUTE * 525_600] = 0  # a year is what Slurm stores for no limit
        work = block.run * block.width
        self.tally.note("assumed", ODD_REQUEST, line[odd_request], job[odd_request], work[odd_request])
        self._note_suspensions(block, columns.get("Suspended", ()))
        if not STATES.keys() >= {*state}:
            odd = np.flatnonzero([word not in STATES for word in state])
            self.tally.note("assumed", ODD_STATE, line[odd], job[odd], work[odd])
        return self._ended_lives(block, at["End"])

    def _check_cluster(self, lines: _Rows, clusters: Sequence[str]) -> None:
        """Refuse jobs of several clusters, whose numbers are alike: they would be taken for lives of the same jobs."""
        self.cluster = self.cluster or next(iter(clusters), "")
        for index, name in enumerate(clusters):
            if name != self.cluster:
                names = f"{in_quotes(self.cluster)} and {in_quotes(name)}"
                raise lines.fault(index, f"all jobs must be of one cluster, but are of {names}; {CLUSTER_ADVICE}")

    def _ended_lives(self, block: Block, end: Ints) -> Block | None:
        """Return the lives that have ended; those that have not are counted."""
        open_end = end == UNKNOWN
        work = block.run * block.width
        for reason, mask in ((UNFINISHED, open_end & (block.run > 0)), (PENDING, open_end & (block.run == 0))):
            self.tally.note("dropped", reason, block.line[mask], block.job[mask], work[mask])
        self._note_waiting(block, open_end & (block.run == 0) & (block.eligible != UNKNOWN))
        if not open_end.any():
            return block
        return _rows_of_block(block, ~open_end)

    def _note_waiting(self, block: Block, is_waiting: Mask) -> None:
        """Remember the jobs that wait; an export of later may say that they have started since."""
        waiting = self.tally.waiting
        for row in np.flatnonzero(is_waiting).tolist():
            names = block.partition[row][:LONGEST_NAME], block.group[row][:LONGEST_NAME]  # longer ones fill the memory
            waiting[int(block.job[row]), int(block.submit[row])] = names
        if waiting:
            met = np.isin(block.job, [job for job, _ in waiting]) & ~is_waiting
            for key in zip(block.job[met].tolist(), block.submit[met].tolist(), strict=True):
                waiting.pop(key, None)
        if len(waiting) > MOST_WAITING:
            raise InputError(f"more than {MOST_WAITING:,} jobs still wait, which no machine has; is it the right file?")

    def _width(self, lines: _Rows, columns: Mapping[str, Sequence[str]]) -> Ints:
        """Return what each job occupied: of AllocTRES, since a job with whole nodes occupies more than it asked for."""
        name = WIDTHS[self.wanted.width]
        widths = self.width_of
        if len(widths) > MOST_TRES:
            widths.clear()
        try:
            occupied = [widths[text] if text in widths else self._width_in(text, name) for text in columns["AllocTRES"]]
        except ValueError:
            index, text = next((i, t) for i, t in enumerate(columns["AllocTRES"]) if tres_count(t, name) is None)
            raise lines.fault(index, f"AllocTRES is {in_quotes(text)}, not a list of NAME=NUMBER") from None
        other = {"cpus": "NCPUS", "nodes": "NNodes"}.get(self.wanted.width)
        if other is None or min(occupied, default=0) >= 0:
            return np.maximum(whole_numbers(occupied), 0)
        without = whole_numbers(numbers(lines.fault, columns[other], other, {"": 0}))
        return np.where(whole_numbers(occupied) >= 0, occupied, without)

    def _width_in(self, text: str, name: str) -> int:
        """Return the number with a name in a list of resources, -1 if it is not there; raise ValueError if damaged."""
        width = tres_count(text, name)
        if width is None:
            raise ValueError
        if len(text) <= LONGEST_TRES:
            self.width_of[text] = width
        return width

    def _requests(self, cells: Sequence[str]) -> Ints:
        """Return the kilobytes, nodes and GPUs that each job asked for, (n, 3), -1 where that is unknown."""
        known = self.requests_of
        if len(known) > MOST_TRES:
            known.clear()
        here = {text: known.get(text) or requests_in(text) or NOT_READ for text in {*cells}}
        known |= {text: asked for text, asked in here.items() if len(text) <= LONGEST_TRES}
        return whole_numbers([number for text in cells for number in here[text]]).reshape(-1, 3)

    def _parts(self, lines: _Rows, ids: Sequence[str]) -> Ints:
        """Return the number of the heterogeneous job to which each row belongs, 0 for others."""
        if not any("+" in text for text in ids):
            return np.zeros(len(ids), dtype=np.int64)
        parts = []
        for index, text in enumerate(ids):
            match = NUMBER_IN_ID.match(text)
            if "+" in text and match is None:
                raise lines.fault(index, f"JobID is {in_quotes(text)}, not the number of a job")
            parts.append(int(match.group()) if "+" in text and match is not None else 0)
        return whole_numbers(parts)

    def _note_suspensions(self, block: Block, cells: Sequence[str]) -> None:
        """Count the jobs that were suspended."""
        rows = [index for index, cell in enumerate(cells) if cell not in ("00:00:00", "", "0") and seconds(cell)]
        if rows:
            self.tally.note(
                "changed", SUSPENDED, block.line[rows], block.job[rows], block.run[rows] * block.width[rows]
            )


class _Rows(NamedTuple):
    """The numbers of the lines that are rows of the table, for messages."""

    place: str
    numbers: list[int]

    def fault(self, index: int, fact: str) -> InputError:
        """Return the error about a row."""
        return InputError(f"{self.place}:{self.numbers[index]}: {fact}")


def _times(lines: _Rows, cells: Sequence[str], what: str) -> Ints:
    """Return Unix times, (n,), -1 where unknown."""
    return times(lines.fault, cells, what, ADVICE, zero=False).first


def tres_count(text: str, name: str) -> int | None:
    """Return the number with a name in a list of resources; -1 if it is not there, None if the list is damaged.

    Where only GPUs with a type are recorded (gres/gpu:a100=2), their sum.

    Examples
    --------
    >>> tres_count("cpu=8,gres/gpu=3", "gres/gpu"), tres_count("cpu=8,gres/gpu:a=2,gres/gpu:b=1", "gres/gpu")
    (3, 3)
    """
    of_types = []
    for part in text.split(","):
        key, equals, value = part.partition("=")
        if equals and key.partition(":")[0] == name:
            if NUMBER_IN_ID.fullmatch(value) is None:
                return None
            if key == name:
                return int(value)
            of_types.append(int(value))
    return sum(of_types) if of_types else -1


def requests_in(text: str) -> tuple[int, int, int] | None:
    """Return the kilobytes, nodes and GPUs in a list of resources, -1 where they are not there; None if it is damaged.

    Examples
    --------
    >>> requests_in("billing=4,cpu=4,mem=200M,node=4"), requests_in("mem=1.5G,gres/gpu=2"), requests_in("mem=x")
    ((204800, 4, -1), (1572864, -1, 2), None)
    """
    memory, nodes, gpus = _kilobytes(text), tres_count(text, "node"), tres_count(text, "gres/gpu")
    if memory is None or nodes is None or gpus is None or max(nodes, gpus) > WIDEST:
        return None
    return memory, nodes, gpus


def _kilobytes(text: str) -> int | None:
    """Return the memory in a list of resources; -1 if there is none, None if the list is damaged."""
    for part in text.split(","):
        if part.startswith("mem="):
            kilobytes = kilobytes_in(part.removeprefix("mem="))
            return kilobytes if kilobytes is not None and kilobytes < 2**53 else None
    return -1


def _rows_of_block(block: Block, mask: Mask) -> Block:
    """Return some rows of a block."""
    rows = np.flatnonzero(mask).tolist()
    columns: dict[str, Any] = {
        key: [column[row] for row in rows] if key in KINDS else column[mask] for key, column in vars(block).items()
    }
    return Block(**columns)

"""The file lsb.acct of LSF: a record JOB_FINISH for each job that ended, its fields between blanks, texts in quotes.

The order of the fields is that of the manual page lsb.acct(5) of IBM Spectrum LSF 10.1 (Configuration Reference), whose
fields behind `exitInfo` later versions added one after the other, so that a record of version 6 is the beginning of
one of version 10. One thing is not as in the manual: records of 9.1 and 10.1 have runLimit before options3, as the
published ones of 9.11 and 10.108 show; those before avgMem existed have options3 and bsub_W before the usage of hosts,
as Open XDMoD reads them. Which of both a record has, tell its numbers.

A job that was requeued has one record, of its last life; 10.1 says when it was requeued. An element of an array has
the number of the whole array, and a record of its own.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from itertools import islice
from math import ceil
from typing import NamedTuple

import numpy as np

from ...core.errors import InputError, in_quotes
from ...core.limits import check_limit
from ..calendar import LATEST
from ..slurm_conf import KIB
from ..workload import WIDEST
from .lives import CANCELLED, COMPLETED, FAILED, UNKNOWN, Block, Life, Numberings, block_of, mark_of, whole_numbers
from .tally import Tally
from .text_lines import Watch, line_blocks

BEGIN = re.compile(r'\s*+"(\w{1,40})"\s++"[\d.]{1,20}"\s++\d', re.ASCII)
FIELD = re.compile(r'("(?:[^"]++|"")*+"|[^\s"]++)(?!\S)|(\S++)')  # a text, with "" for a quote, or a word; else a fault
NUMBER = re.compile(r"-?\d{1,20}(\.\d{0,20})?([eE][-+]?\d{1,3})?", re.ASCII)
WHOLE = re.compile(r"-?\d{1,15}", re.ASCII)
COUNT = re.compile(r"\d{1,9}", re.ASCII)
HOSTS = re.compile(r"(?:(\d{1,9})\*)?(.+)", re.ASCII)  # 64*host: 64 slots on it
SECTION = re.compile(r"\b(rusage|span|select)\[([^\]]*)\]", re.ASCII)
AMOUNT = re.compile(r"(\d{1,12}(?:\.\d{0,9})?)\s*([KMGTP]?)B?(?:/(host|task|job))?", re.ASCII | re.IGNORECASE)
UNITS = {"K": 1, "M": KIB, "G": KIB**2, "T": KIB**3, "P": KIB**4}  # in kilobytes


def _order(words: str) -> tuple[tuple[str, bool], ...]:
    """Return fields by name, and whether each is a text, from their names with a " after those that are texts."""
    return tuple((word.rstrip(QUOTE), word.endswith(QUOTE)) for word in words.split())


QUOTE = '"'
FIRST = _order(
    'event" version" eventTime jobId userId options numProcessors submitTime beginTime termTime startTime userName" '
    'queue" resReq" dependCond" preExecCmd" fromHost" cwd" inFile" outFile" errFile" jobFile"'
)
SECOND = _order(
    f'jStatus hostFactor jobName" command" {"rusage " * 19} mailUser" projectName" exitStatus maxNumProcessors '
    'loginShell" timeEvent" idx'
)
THIRD = _order(
    'maxRMem maxRSwap inFileSpool" commandSpool" rsvId" sla" exceptMask additionalInfo" exitInfo warningAction" '
    'warningTimePeriod chargedSAAP" licenseProject" app" postExecCmd" runtimeEstimation jobGroupName" requeueEvalues" '
    'options2 resizeNotifyCmd" lastResizeTime rsvId" jobDescription"'
)
FOURTH = _order(
    'effectiveResReq" srcCluster" srcJobId dstCluster" dstJobId forwardTime flow_id" acJobWaitTime totalProvisionTime '
    'outdir" runTime subcwd"'
)
FIFTH = _order('affinity" serial_job_energy cpi gips gbs gflops')
PENDING, REQUEUE = _order("ineligiblePendTime"), _order("requeueTime")
EXCLUSIVE = 0x40  # of `options`, SUB_EXCLUSIVE: bsub -x
DONE = 64  # of `jStatus`
KILLED = {8, 9, 14, 15}  # of `exitInfo`: by its owner or an administrator, at once or not
GPUS = ("ngpus_physical", "ngpus", "ngpus_shared", "ngpus_excl_p", "ngpus_excl_t")
GROUPS = {"account": "projectName", "project": "projectName", "user": "userName", "queue": "queue"}
AT_ONCE = 4096  # records
RESIZED = "its slots changed while it ran: those at its end taken"
REQUEUED = "requeued, and there is no record of the life before: the wait counts from then"
MEMORY_OF_HOST = "memory asked for on several slots: taken for each host, unless RESOURCE_RESERVE_PER_TASK is set"
NOT_READ = "fields behind the description of the job are not those of LSF 8 to 10: no run limit is known"
ADVICE = "this is not lsb.acct of LSF"


class Record(NamedTuple):
    """The text of a record, and where it begins."""

    place: str
    line: int
    text: str

    def fault(self, fact: str) -> InputError:
        """Return the error about it."""
        return InputError(f"{self.place}:{self.line}: {fact}")


class Note(NamedTuple):
    """What is assumed of a record: the reason, its line and job, and its processor seconds."""

    reason: str
    line: int
    job: int
    work: float


def read_lsf(
    path: str, width: str, groups: str, numberings: Numberings, tally: Tally, watch: Watch
) -> Generator[Block, None, None]:  # fmt: skip
    """Yield the job lives in an accounting file of LSF; "-" is the standard input.

    Parameters
    ----------
    path
        The file.
    width
        "cpus", which are slots, "nodes" or "gpus".
    groups
        The groups: "account" or "project", which are the same, "user" or "queue".
    numberings
        Learns the names of users and projects, also if they are no groups.
    tally
        Counts what is assumed here.
    watch
        Function that is told how many bytes were read.

    Raises
    ------
    InputError
        The file cannot be read, or is not lsb.acct; the message names the line at which a record begins.
    """
    lives: list[Life] = []
    notes: list[Note] = []
    for record in _records(path, watch):
        event = BEGIN.match(record.text)
        kind = event.group(1).upper() if event else ""
        if kind == "JOB_FINISH":
            lives.append(_life(record, width, groups, numberings, notes))
        elif kind == "JOB_RESIZE":
            names, cells = ("event", "version", "eventTime", "jobId"), [cell for cell, _ in FIELD.findall(record.text)]
            job = _number(record, dict(zip(names, cells, strict=False)), "jobId")
            notes.append(Note(RESIZED, record.line, job, 0.0))
        elif kind == "JOB_NEW":
            raise record.fault("JOB_NEW is a record of lsb.events; what is read is lsb.acct, in the same directory")
        if len(lives) == AT_ONCE or len(notes) > AT_ONCE:
            _count_all(tally, notes)
            yield block_of(lives)
            lives, notes = [], []
    _count_all(tally, notes)
    if lives:
        yield block_of(lives)


def _records(path: str, watch: Watch) -> Iterator[Record]:
    """Yield the records of a file; one goes on behind the end of a line if a text in it is open.

    Quotes in texts are doubled, so that a line within one never begins like a record; where one does, what was open is
    damaged.
    """
    place, first, parts, size, is_open = path, 0, [""], 0, False
    for lines in line_blocks(path, watch):
        for index, text in enumerate(lines.texts):
            begins = BEGIN.match(text) is not None
            if is_open and not begins:
                parts.append(text)
            else:
                if first:
                    yield Record(place, first, "\n".join(parts))
                place, first, parts, size, is_open = lines.place, 0, [text], 0, False
                if not text or text.isspace() or text.startswith("#"):
                    continue
                first = lines.first + index
                if not begins:
                    fact = (
                        f'a record must begin as "JOB_FINISH" "10.1" 1784711721, but this one begins {in_quotes(text)}'
                    )
                    raise lines.fault(index, f"{fact}; {ADVICE}")
            size += len(text) + 1
            check_limit(f"{place}:{first}", "line", size - 1)
            is_open ^= text.count('"') % 2 == 1
    if first:
        yield Record(place, first, "\n".join(parts))


def _life(record: Record, width: str, groups: str, numberings: Numberings, notes: list[Note]) -> Life:
    """Return the life that a record ends, and add to notes what is assumed; a job that never started has no times."""
    values, hosts = _values(record)
    where = f"{record.place}:{record.line}"
    user, project = _text(values["userName"]), _text(values["projectName"])
    numberings.user.meet([user], where)
    numberings.group.meet([project], where)
    job, end, submit, begin, start, options, status, killed, requeued, ineligible = (
        _number(record, values, name)
        for name in (
            "jobId", "eventTime", "submitTime", "beginTime", "startTime", "options", "jStatus", "exitInfo",
            "requeueTime", "ineligiblePendTime",
        )
    )  # fmt: skip
    latest = max(end, submit, begin, start, requeued)
    if latest >= LATEST:
        raise record.fault(f"a time is {latest}, but must be before the year 9000")
    slots, nodes = _slots(hosts)
    slots = slots or _number(record, values, "numProcessors")
    wish = _text(values["resReq"])
    sections = _sections(_text(values.get("effectiveResReq", "")) or wish)
    memory, of_host = _memory(sections, nodes, slots)
    gpus = max(_amount(sections.get(key, ""), nodes, slots)[0] for key in GPUS)
    life = Life(
        line=record.line,
        job=job,
        submit=max(submit, requeued) if submit > 0 else UNKNOWN,
        eligible=max(begin, submit + ineligible),
        start=start if start > 0 else UNKNOWN,
        run=max(end - start, 0) if start > 0 else 0,
        width=slots,
        limit=max(_number(record, values, "runLimit"), 0),
        status=COMPLETED if status & DONE else CANCELLED if killed in KILLED else FAILED,
        mark=mark_of(record.text),
        memory=memory,
        nodes=min(nodes, WIDEST) or UNKNOWN,
        gpus=min(ceil(gpus), WIDEST),
        per_node=_per_node(sections),
        exclusive=int(options & EXCLUSIVE != 0),
        user=user,
        group=_text(values[GROUPS[groups]]),
        queue=_text(values["queue"]),
        partition=_text(values["queue"]),
        constraint=_sections(wish).get("select", "").strip(),
    )
    work = float(life.run) * slots
    for is_so, reason in (
        (requeued > submit, REQUEUED),
        (of_host, MEMORY_OF_HOST),
        ("odd" in values, NOT_READ),
    ):
        if is_so and life.run:
            notes.append(Note(reason, record.line, job, work))
    life.width = {"cpus": slots, "nodes": nodes, "gpus": life.gpus}[width]
    return life


def _count_all(tally: Tally, notes: Sequence[Note]) -> None:
    """Count what is assumed of some records."""
    for reason in dict.fromkeys(note.reason for note in notes):
        line, job, work = zip(*(note[1:] for note in notes if note.reason == reason), strict=True)
        tally.note("assumed", reason, whole_numbers(line), whole_numbers(job), np.array(work))


# --- fields -----------------------------------------------------------------------------------------------------------


def _values(record: Record) -> tuple[dict[str, str], Sequence[str]]:
    """Return the fields of a record by name, texts with their quotes, and the hosts on which it had slots.

    Fields that its version does not have are missing; "odd" is there if some are in an order that is not known.
    """
    pairs = FIELD.findall(record.text)
    odd = next((fault for _, fault in pairs if fault), None)
    if odd is not None:
        rule = 'fields must stand between blanks, texts in quotes, with "" for a quote in a text'
        raise record.fault(f"{rule}, but there is {in_quotes(odd)}")
    cells = iter([cell for cell, _ in pairs])
    try:
        values = _fields(FIRST, cells)
        _list(cells, "numAskedHosts")
        hosts: Sequence[str] = _list(cells, "numExHosts")
        values |= _fields(SECOND, cells)
    except InputError as error:
        raise record.fault(f"{error}; {ADVICE}") from None
    try:
        hosts = _add_tail(values, cells) or hosts
    except InputError:  # of another version: what was read until there counts
        if "runLimit" not in values:
            values["odd"] = ""
    return values, hosts


def _add_tail(values: dict[str, str], cells: Iterator[str]) -> Sequence[str]:
    """Add the fields of later versions, as far as there are some, in place; return the hosts among them."""
    values |= _fields(THIRD, cells, may_end=True)
    rest = [*cells]
    if "jobDescription" not in values or not rest:
        return []
    rest = rest[1 + 2 * _count(rest[0], "submitEXT") :]
    if not rest:
        return []
    values["runLimit"], rest = _run_limit(rest)
    cells = iter(rest)
    values |= _fields(FOURTH, cells, may_end=True)
    _list(cells, "num_network", 2)
    _fields(FIFTH, cells)
    hosts = _list(cells, "numAllocSlots")
    pending = _fields(PENDING, cells, may_end=True)
    if pending:
        _list(cells, "indexRangeCnt", 3)
        values |= pending | _fields(REQUEUE, cells)
    return hosts


def _run_limit(cells: Sequence[str]) -> tuple[str, list[str]]:
    """Return the run limit, and the fields from effectiveResReq on, from those behind the extension of a submission.

    Raises
    ------
    InputError
        They are in no known order.
    """
    for before, behind, place in ((0, 3, 0), (2, 0, 1)):  # numbers around the usage of hosts, and that of the limit
        for per_host in (6, 5):
            hosts = _count(cells[before], "numHostRusage") if before < len(cells) else 0
            end = before + 1 + per_host * hosts
            numbers, text = [*cells[:before], *cells[end : end + behind]], cells[end + behind : end + behind + 1]
            if len(numbers) == before + behind and all(map(NUMBER.fullmatch, numbers)) and text and text[0][0] == '"':
                return numbers[place], [*cells[end + behind :]]
    raise InputError("runLimit is not found")


def _fields(order: Sequence[tuple[str, bool]], cells: Iterator[str], may_end: bool = False) -> dict[str, str]:
    """Return fields by name; each must be a text or none, as its name says. Numbers are checked where they are used."""
    values: dict[str, str] = {}
    for (name, is_text), cell in zip(order, cells, strict=False):
        if (cell[0] == QUOTE) != is_text:
            raise InputError(f"{name} must be a {'text in quotes' if is_text else 'number'}, but is {in_quotes(cell)}")
        values[name] = cell
    last = order[-1][0]
    if not may_end and last not in values:
        raise InputError(f"a record must have all fields up to {last}, but this one ends before")
    return values


def _list(cells: Iterator[str], name: str, fields: int = 1) -> list[str]:
    """Return a list of fields, which their count precedes."""
    count = _count(next(cells, ""), name) * fields
    found = [*islice(cells, count)]
    if len(found) < count:
        raise InputError(f"{name} is {count}, but {len(found)} follow")
    return found


def _count(cell: str, name: str) -> int:
    """Return a field that must be a count."""
    if COUNT.fullmatch(cell) is None:
        raise InputError(f"{name} must be a count, but is {in_quotes(cell)}")
    return int(cell)


def _number(record: Record, values: Mapping[str, str], name: str) -> int:
    """Return a field as a whole number, 0 where the record does not have it."""
    cell = values.get(name, "0")
    if WHOLE.fullmatch(cell) is None:
        raise record.fault(f"{name} must be a whole number, but is {in_quotes(cell)}")
    return int(cell)


def _text(cell: str) -> str:
    """Return the text in quotes."""
    return cell[1:-1].replace('""', '"').strip()


def _slots(hosts: Sequence[str]) -> tuple[int, int]:
    """Return the slots and the hosts of a list, each host as often as it has slots, or with their number before it.

    Examples
    --------
    >>> _slots(['"64*n1"', '"64*n2"']), _slots(['"n1"', '"n1"', '"n2"'])
    ((128, 2), (3, 2))
    """
    matches = [match for host in hosts if (match := HOSTS.fullmatch(host.strip('"')))]
    return sum(int(match.group(1) or 1) for match in matches), len({match.group(2) for match in matches})


# --- what was asked for -----------------------------------------------------------------------------------------------


def _sections(text: str) -> dict[str, str]:
    """Return what a resource requirement says, by name; the text of select[...] as "select".

    One that leaves a choice (||), or differs between hosts ({...}), says nothing for sure.

    Examples
    --------
    >>> _sections("select[type == any] rusage[mem=4000:ngpus_physical=2.00/host] span[ptile=8]")
    {'select': 'type == any', 'mem': '4000', 'ngpus_physical': '2.00/host', 'ptile': '8'}
    """
    values: dict[str, str] = {}
    for section, body in SECTION.findall(text):
        if section == "select":
            values.setdefault("select", body)
        elif "||" not in text and "{" not in text:
            pairs = (part.partition("=") for part in re.split("[,:]", body))
            values |= {key.strip(): value.strip() for key, equals, value in pairs if equals}
    return values


def _amount(text: str, nodes: int, slots: int) -> tuple[float, str]:
    """Return an amount over the whole job, and its unit in capitals; it is that of a host if nothing else is said."""
    match = AMOUNT.fullmatch(text)
    if match is None:
        return 0.0, ""
    times = {"task": slots, "job": 1}.get((match.group(3) or "").lower(), max(nodes, 1))
    return float(match.group(1)) * times, match.group(2).upper()


def _memory(sections: Mapping[str, str], nodes: int, slots: int) -> tuple[int, bool]:
    """Return the memory of a job in kilobytes, -1 where unknown, and whether it may be meant for each slot instead."""
    amount, unit = _amount(sections.get("mem", ""), nodes, slots)
    kilobytes = amount * UNITS[unit or "M"]
    if not 0 < kilobytes < 2**53:
        return UNKNOWN, False
    return int(kilobytes), "/" not in sections["mem"] and slots > nodes


def _per_node(sections: Mapping[str, str]) -> int:
    """Return how many slots a job wants on each host, 0 where it does not say it."""
    text = sections.get("ptile", "")
    return int(text) if re.fullmatch(r"\d{1,6}", text, re.ASCII) else 0

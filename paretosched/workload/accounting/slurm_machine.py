"""The size of a Slurm machine, and when its nodes were down: from what sinfo and sacctmgr print.

sinfo lists the nodes that there are now. `sacctmgr show event` lists when a node was down or drained (a node that is
drained while a job runs on it counts from the end of the job on: Slurm records it then), and which resources the
cluster had registered, in lines without a node.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...core.errors import InputError, first_few, in_quotes, number_of
from ..down_times import DownTimes, down_together
from ..local_time import settle
from ..workload import WIDEST
from .fields import numbers, times
from .lives import UNKNOWN
from .sacct_cells import tres_count
from .slurm import WIDTHS
from .text_lines import Lines, Watch, line_blocks

SINFO = 'sinfo -a -N -h -o "%N|%c|%P"'
EVENTS = (
    "SLURM_TIME_FORMAT=%s TZ=UTC sacctmgr -nP show event All_Time "
    "format=Cluster,NodeName,TimeStart,TimeEnd,State,TRES,Reason"
)
NODE_COLUMNS = ["NODELIST", "CPUS", "PARTITION"]  # the header of SINFO without -h
COLUMNS = ("Cluster", "NodeName", "TimeStart", "TimeEnd", "State", "TRES")  # and Reason, which may have bars
UNITS = ("cpus", "nodes")
DOWN = {"DOWN", "DRAIN", "DRAINED", "DRAINING", "FAIL", "FAILING", "ERROR"}  # one of the words of a state
WORD = re.compile(r"[A-Z_]+")
ALONE = "--partition NAME imports one as a machine of its own"
TOGETHER = "--machine imports together, with their nodes"
MOST = 1_000_000  # nodes, and events: they are in memory
ADVICE = (
    "run sacctmgr with SLURM_TIME_FORMAT=%s (paretosched import slurm --command prints the whole line), or, if these "
    "are times of the site's clock, name its zone, such as --zone Europe/Berlin"
)
GUESSED = "with a time in the hour that comes twice in autumn: the first one taken"


class Event(NamedTuple):
    """A line of the list of events: a node (of the cluster: "") from `begin` on, until `end`, UNKNOWN if it lasts.

    Attributes
    ----------
    node
        Its name, "" for the cluster as a whole.
    begin, end
        Unix times.
    is_down
        Whether the state is one in which a node starts no jobs.
    width
        What it has: processors or 1; UNKNOWN if the line does not say.
    """

    node: str
    begin: int
    end: int
    is_down: bool
    width: int


class SlurmMachine(NamedTuple):
    """What is known of the nodes.

    Attributes
    ----------
    nodes
        The nodes that there are now, with their widths; None if they are not known.
    events
        What was recorded.
    partition
        The partition whose nodes these are; None for all.
    unit
        What a width counts, one of UNITS.
    together
        The partitions that there are on the same node, a set for each kind of node; none if the nodes are not known.
    guessed
        How many events have a local time that comes twice, and nothing tells which it is.
    """

    nodes: Mapping[str, int] | None
    events: tuple[Event, ...]
    partition: str | None
    unit: str
    together: frozenset[frozenset[str]] = frozenset()
    guessed: int = 0


def read_machine(
    nodes: str | None, events: str | None, partition: str | None, unit: str, zone: str | None, watch: Watch
) -> SlurmMachine | None:
    """Return what two files say about a machine; None if none is given.

    Parameters
    ----------
    nodes
        The output of SINFO; None if there is none.
    events
        The output of EVENTS, with or without its header line; None if there is none.
    partition
        The only partition that counts; None for all.
    unit
        What a width counts, one of UNITS.
    zone
        Time zone of times of events that do not say theirs; None to refuse them.
    watch
        Function that is told how many bytes were read, see `text_lines`.

    Raises
    ------
    InputError
        The unit is another one, a file cannot be read or is not such an output, or nothing says which nodes are in the
        partition; the message names the line.
    """
    if nodes is None and events is None:
        return None
    if unit not in UNITS:
        raise InputError(f"--nodes and --events count {' or '.join(UNITS)}, but --width is {unit}; leave them out")
    if nodes is None and partition is not None:
        raise InputError("--events with --partition needs --nodes, which says which nodes are in it")
    known: dict[str, int] | None = None
    together: frozenset[frozenset[str]] = frozenset()
    if nodes is not None:
        known, together = _read_nodes(nodes, partition, unit, watch)
    changes, guessed = ((), 0) if events is None else read_events(events, unit, zone, watch)
    return SlurmMachine(known, changes, partition, unit, together, guessed)


def advice_on_partitions(used: Sequence[str], machine: SlurmMachine | None, source: str) -> str:
    """Return which partitions can be imported alone: those that share no node with another one that is used.

    Parameters
    ----------
    used
        The names of the partitions of a log.
    machine
        What is known of the nodes; None if nothing is.
    source
        What the log is made from, such as "slurm", where sinfo can be asked.

    Examples
    --------
    >>> machine = SlurmMachine({}, (), None, "cpus", frozenset([frozenset(["a", "b"]), frozenset(["gpu"])]))
    >>> advice_on_partitions(["a", "b"], machine, "slurm")
    'on the same nodes are a, b, which --machine imports together, with their nodes'
    """
    together = [] if machine is None else [parts & set(used) for parts in machine.together]
    known = frozenset[str]().union(*together)
    sharing = frozenset[str]().union(*(parts for parts in together if len(parts) > 1))
    words = []
    if alone := [part for part in used if part in known - sharing]:
        words.append(f"on nodes of their own are {first_few(alone)}, and {ALONE}")
    if shared := [part for part in used if part in sharing]:
        words.append(f"on the same nodes are {first_few(shared)}, which {TOGETHER}")
    if unknown := [part for part in used if part not in known]:
        which = f"not among --nodes are {first_few(unknown)}; " if known else ""
        ask = ' (sinfo -o "%P %N" says which do)' if source == "slurm" else ""
        words.append(f"{which}those that share nodes{ask}, {TOGETHER}; of those that share none, {ALONE}")
    return "; ".join(words)


class _Table(NamedTuple):
    """The lines of a block that are not empty: their places in the block, and their cells."""

    lines: Lines
    places: list[int]
    rows: list[list[str]]

    def fault(self, index: int, fact: str) -> InputError:
        """Return the error about a row."""
        return self.lines.fault(self.places[index], fact)


def _tables(path: str, count: int, command: str, watch: Watch) -> Iterator[_Table]:
    """Yield the rows of a file, a block at a time; the last of `count` cells may have bars."""
    for lines in line_blocks(path, watch):
        table = _Table(lines, [], [])
        for place, text in enumerate(lines.texts):
            if not text or text.isspace():
                continue
            cells = [cell.strip() for cell in text.split("|", count - 1)]
            if len(cells) != count:
                fact = f"a line must have {number_of(count, 'column')}, but this one has {len(cells)}"
                raise lines.fault(place, f"{fact}; it must be the output of {command}")
            if cells[: len(COLUMNS)] != [*COLUMNS] and cells != NODE_COLUMNS:  # the header line
                table.places.append(place)
                table.rows.append(cells)
        yield table


def _read_nodes(
    path: str, partition: str | None, unit: str, watch: Watch
) -> tuple[dict[str, int], frozenset[frozenset[str]]]:
    """Return the widths of the nodes by name, and the partitions that are on a node together."""
    widths: dict[str, int] = {}
    partitions: dict[str, None] = {}
    parts_of: dict[str, frozenset[str]] = {}
    known: dict[frozenset[str], frozenset[str]] = {}  # one value for all nodes alike
    for table in _tables(path, 3, SINFO, watch):
        cpus = numbers(table.fault, [cells[1] for cells in table.rows], "CPUS", {})
        for (name, _, part), count in zip(table.rows, cpus, strict=True):
            part = part.removesuffix("*")
            partitions[part] = None
            parts = parts_of.get(name, frozenset()) | {part}
            parts_of[name] = known.setdefault(parts, parts)
            if partition in (None, part):
                widths[name] = 1 if unit == "nodes" else count
        if len(parts_of) > MOST:
            raise InputError(f"{path}: there must be at most {MOST:,} nodes, but there are more")
    size = sum(widths.values())
    if size > WIDEST:
        raise InputError(f"{path}: the nodes must have at most {WIDEST:,} {unit} together, but have {size:,}")
    if size == 0:
        others = "" if partition is None else f" in partition {in_quotes(partition)}, but in {first_few(partitions)}"
        raise InputError(f"{path}: there must be nodes with processors, but there are none{others}")
    return widths, frozenset(parts_of.values())


def read_events(path: str, unit: str, zone: str | None, watch: Watch) -> tuple[tuple[Event, ...], int]:
    """Return the events in the order of the file, and how many times were guessed."""
    events: list[Event] = []
    guessed = 0
    clusters: dict[str, None] = {}
    for table in _tables(path, len(COLUMNS) + 1, EVENTS, watch):
        columns = ([cells[k] for cells in table.rows] for k in (2, 3))
        readings = [
            times(table.fault, cells, name, ADVICE, zone, zero=False)
            for cells, name in zip(columns, COLUMNS[2:4], strict=True)
        ]
        settled = settle(readings, np.full(len(table.rows), UNKNOWN))
        guessed += int(np.count_nonzero(settled.guessed))
        begins, ends = (column.tolist() for column in settled.times)
        for index, (cells, begin, end) in enumerate(zip(table.rows, begins, ends, strict=True)):
            clusters[cells[0]] = None
            events.append(_event(table, index, cells, begin, end, unit))
        if len(events) > MOST:
            raise InputError(f"{path}: there must be at most {MOST:,} events, but there are more; ask for fewer years")
    if len(clusters) > 1:
        raise InputError(
            f"{path}: the events must be of one cluster, but are of {first_few(clusters)}; add Clusters=NAME"
        )
    return tuple(events), guessed


def _event(table: _Table, index: int, cells: Sequence[str], begin: int, end: int, unit: str) -> Event:
    """Return the event of a row; a begin that is not known is before all."""
    node, state, tres = cells[1], cells[4], cells[5]
    if UNKNOWN != end < begin:
        raise table.fault(index, f"an event must end after its begin, {begin}, but ends at {end}")
    width = tres_count(tres, WIDTHS[unit]) if tres else UNKNOWN
    if width is None:
        raise table.fault(index, f"TRES is {in_quotes(tres)}, not a list of NAME=NUMBER")
    if node and unit == "nodes":
        width = 1
    if width > WIDEST:
        raise table.fault(index, f"TRES must have at most {WIDEST:,} {unit}, but has {width:,}")
    return Event(node, max(begin, 0), end, not DOWN.isdisjoint(WORD.findall(state)), width)


def size_of(machine: SlurmMachine, since: int, until: int) -> int | None:
    """Return the largest size of a machine between two Unix times: what was registered, or its nodes now.

    None if nothing says it.
    """
    sizes = [event.width for event in _sizes(machine) if _overlaps(event, since, until)]
    if machine.nodes is not None:
        sizes.append(sum(machine.nodes.values()))
    return max(sizes, default=None)


def down_in(machine: SlurmMachine, capacity: int, since: int, until: int) -> tuple[DownTimes, list[str]]:
    """Return when processors were down, in seconds from `since` on, and remarks.

    Parameters
    ----------
    machine
        What is known of the nodes.
    capacity
        The size of the machine.
    since, until
        The first and the last second of the log, Unix times; what has no end lasts until the last one.
    """
    remarks: list[str] = []
    registered = _sizes(machine)
    periods = {"": [Event("", e.begin, e.end, True, capacity - e.width) for e in registered if e.width < capacity]}
    other_states, unknown_nodes, without_width = 0, 0, 0
    for event in machine.events:
        if not event.node:
            continue
        listed = machine.nodes is None or event.node in machine.nodes
        width = event.width if machine.nodes is None or not listed else machine.nodes[event.node]
        end = event.end
        if not listed and end == UNKNOWN:  # a node that is gone; then the machine was registered again
            end = min((e.begin for e in registered if e.begin > event.begin), default=UNKNOWN)
        if not event.is_down:
            other_states += 1
        elif not listed and machine.partition is not None:
            unknown_nodes += 1
        elif width <= 0:
            without_width += 1
        else:
            periods.setdefault(event.node, []).append(event._replace(end=end, width=width))
    reasons = {
        "in which a node was neither down nor drained": other_states,
        f"of nodes that are not in partition {machine.partition}": unknown_nodes,
        "that do not say how large the node is": without_width,
    }
    remarks += [f"{number_of(count, 'event')} {reason}: not counted" for reason, count in reasons.items() if count]
    if machine.guessed:
        remarks.append(f"{number_of(machine.guessed, 'event')} {GUESSED}")
    if machine.partition is not None and any(not event.node for event in machine.events):
        remarks.append(
            "changes of the size of the cluster are not counted: they do not say which partition they are of"
        )
    rows = [row for events in periods.values() for row in _without_overlap(events, since, until)]
    begins, ends, widths = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    down = down_together(begins - since, ends - since, widths)
    return DownTimes(down.begin, down.end, np.minimum(down.processors, capacity)), remarks


def _sizes(machine: SlurmMachine) -> list[Event]:
    """Return the sizes that the cluster had registered; none for a part of it."""
    if machine.partition is not None:
        return []
    return [event for event in machine.events if not event.node and event.width > 0]


def _overlaps(event: Event, since: int, until: int) -> bool:
    """Return whether an event is in part between two Unix times."""
    return event.begin < until and (event.end == UNKNOWN or event.end > since)


def _without_overlap(events: Sequence[Event], since: int, until: int) -> Iterator[tuple[int, int, int]]:
    """Yield begin, end and width of events of a node between two Unix times; where two overlap, the first counts."""
    last = since
    for event in sorted(events, key=lambda e: e.begin):
        begin, end = max(event.begin, last), until if event.end == UNKNOWN else min(event.end, until)
        if begin < end:
            yield begin, end, event.width
            last = end

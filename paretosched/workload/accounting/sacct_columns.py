"""The columns of sacct: their names, what their cells look like, and where they are in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

FIELDS = (
    "JobIDRaw", "JobID", "Submit", "Eligible", "Start", "End", "ElapsedRaw", "Suspended", "NNodes", "ReqCPUS", "NCPUS",
    "ReqTRES", "AllocTRES", "TimelimitRaw", "State", "User", "Account", "QOS", "Partition", "Flags", "Reason",
)  # fmt: skip
ALSO_READ = (
    "Elapsed", "Timelimit", "AllocCPUS", "AllocNodes", "ReqNodes", "AllocGRES", "ReqMem", "Cluster",
)  # fmt: skip
READ = (*FIELDS, *ALSO_READ)
ON_NODES = ("SubmitLine", "Constraints", "Reservation")  # read for machines of nodes
RESOURCE_LISTS = ("ReqTRES", "AllocTRES")
LISTS = {",": (*RESOURCE_LISTS, "NodeList", "JobID"), " ": ("State", "NodeList")}  # cells with the separator in them
FREE = (
    "JobName", "SubmitLine", "WorkDir", "Comment", "AdminComment", "SystemComment", "Extra", "Container", "StdIn",
    "StdOut", "StdErr",
)  # fmt: skip
XDMOD = tuple(
    tuple(words.split())
    for words in (
        "JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed ExitCode "
        "State NNodes NCPUS ReqCPUS ReqMem ReqTRES AllocTRES Timelimit NodeList JobName",
        "JobID JobIDRaw Cluster Partition QOS Account Group GID User UID Submit Eligible Start End Elapsed ExitCode "
        "State NNodes NCPUS ReqCPUS ReqMem ReqGRES ReqTRES Timelimit NodeList JobName",
        "JobID JobIDRaw Cluster Partition Account Group GID User UID Submit Eligible Start End Elapsed ExitCode "
        "State NNodes NCPUS ReqCPUS ReqMem ReqGRES ReqTRES Timelimit NodeList JobName",
        "JobID JobIDRaw Cluster Partition Account Group GID User UID Submit Eligible Start End Elapsed ExitCode "
        "State NNodes NCPUS ReqCPUS ReqMem ReqGRES Timelimit NodeList JobName",
        "JobID JobIDRaw Cluster Partition Account Group GID User UID Submit Eligible Start End Elapsed ExitCode "
        "State NNodes NCPUS ReqCPUS ReqMem Timelimit NodeList JobName",
        "JobID Cluster Partition Account Group GID User UID Submit Eligible Start End Elapsed ExitCode State NNodes "
        "NCPUS ReqCPUS Timelimit NodeList JobName",
        "JobID Cluster Partition Account Group User Submit Eligible Start End Elapsed ExitCode NNodes NCPUS NodeList "
        "JobName",
        "JobID Cluster Partition Account Group User Submit Eligible Start End ExitCode NNodes NCPUS NodeList JobName",
    )
)  # what the helper of Open XDMoD asked sacct for, the newest first; it asks for no header
TIME = re.compile(r"\d{1,15}(\.\d+)?|\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d\S{0,20})?|Unknown|None|N/A|", re.ASCII | re.I)
ID = re.compile(r"\d{1,15}(_(\d{1,15}|\[[^]]*\]))?(\+\d{1,9})?(\.\S{1,99})?", re.ASCII)
NUMBER = re.compile(r"\d{0,18}", re.ASCII)
DURATION = re.compile(r"(\d{1,9}-)?[\d:.]{1,30}|UNLIMITED|Partition_Limit|INVALID|NOT_SET|", re.ASCII | re.I)
STATE = re.compile(r"[A-Z_]{1,30}\+?( .{1,60})?|", re.ASCII | re.I)
EXIT = re.compile(r"\d{1,9}:\d{1,9}|", re.ASCII)
NAME = re.compile(r"[^\s=]*")
RESOURCES = re.compile(r"[^\s=,]+=[^\s=,]*(,[^\s=,]+=[^\s=,]*)*|")
ANYTHING = re.compile(r"(?s).*")
GENERIC = re.compile(r"[\w:.()/*-]*")
MEMORY = re.compile(r"[\d.]{1,20}[KMGTP]?[nc?]?|\?|", re.ASCII | re.I)
NODES = re.compile(r"[\w.()\[\],-]*|None assigned")
SHAPES: dict[str, re.Pattern[str]] = {
    **dict.fromkeys(("Submit", "Eligible", "Start", "End"), TIME),
    **dict.fromkeys(("JobID", "JobIDRaw"), ID),
    **dict.fromkeys(
        (
            "ElapsedRaw", "NNodes", "AllocNodes", "ReqNodes", "ReqCPUS", "NCPUS", "AllocCPUS", "GID", "UID", "NTasks",
            "Priority", "CPUTimeRAW",
        ),
        NUMBER,
    ),
    **dict.fromkeys(("Elapsed", "Suspended", "Timelimit", "TimelimitRaw", "CPUTime", "TotalCPU", "Planned"), DURATION),
    **dict.fromkeys(("User", "Account", "QOS", "Partition", "Cluster", "Group"), NAME),
    **dict.fromkeys(("ExitCode", "DerivedExitCode"), EXIT),
    **dict.fromkeys(("ReqTRES", "AllocTRES"), RESOURCES),
    **dict.fromkeys(("ReqGRES", "AllocGRES"), GENERIC),
    "State": STATE,
    "ReqMem": MEMORY,
    "NodeList": NODES,
}  # fmt: skip
OF_LOWER = {name.lower(): name for name in (*FIELDS, *ALSO_READ, *ON_NODES, *FREE, *SHAPES)}
HEADER_NAMES = 3  # known names that make a line a header
SEPARATORS = ("|", "\t", ";", ",")
OTHER_SEPARATOR = re.compile(r"\s*[A-Za-z]+([^\w\s\"=,.%-][^\w\s\"=]{0,9})[A-Za-z]", re.ASCII)  # of sacct --delimiter
MOST_EXTRA = 100  # separators in the texts of a line


class Layout(NamedTuple):
    """Where the cells of a line are.

    Attributes
    ----------
    names
        The columns by sacct's names, also those that are not read.
    separator
        What stands between cells; "" if they are at fixed places.
    cuts
        Where each cell begins and ends; empty if a separator stands between them.
    header
        The line that named the columns, which may come again; "" if there was none.
    """

    names: tuple[str, ...]
    separator: str
    cuts: tuple[tuple[int, int], ...] = ()
    header: str = ""

    @property
    def places(self) -> dict[str, int]:
        """Return the place of each column; of one that is there twice, the first."""
        return {name: place for place, name in reversed([*enumerate(self.names)])}

    @property
    def has_free(self) -> bool:
        """Return whether a column has free text."""
        return any(name in FREE for name in self.names)


class Group(NamedTuple):
    """Columns side by side whose cells need not be told apart.

    Attributes
    ----------
    size
        How many columns.
    shape
        What a cell looks like, or a piece of a list of resources; None for any text, also with separators.
    is_list
        Whether the cell may have several pieces: the separator is a comma or a blank, and the cell has some, too.
    is_unique
        Whether the pieces of the list are NAME=NUMBER, and no name is there twice.
    """

    size: int
    shape: re.Pattern[str] | None
    is_list: bool = False
    is_unique: bool = False


def columns_named(text: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the separator and the columns of a line that names columns; None if it names none.

    Examples
    --------
    >>> columns_named("jobid|SUBMIT|start|MaxRSS")
    ('|', ('JobID', 'Submit', 'Start', 'MaxRSS'))
    >>> columns_named("4711|1700000000|1700000000|0") is None
    True
    """
    most, separator = 0, ""
    names: tuple[str, ...] = ()
    if "=" in text or "sacct " in text:
        return None  # a command, or a row
    other = OTHER_SEPARATOR.match(text)
    for each in (*SEPARATORS, *([other.group(1)] if other else []), ""):
        cells = [cell.strip().strip('"') for cell in (text.split(each) if each else text.split())]
        known = len({cell.lower() for cell in cells} & OF_LOWER.keys())
        if known > most:
            most, separator, names = known, each, tuple(OF_LOWER.get(cell.lower(), cell) for cell in cells)
    return (separator, names) if most >= HEADER_NAMES else None


def groups_of(layout: Layout) -> tuple[Group, ...]:
    """Return the columns of a layout, those of any text joined with their neighbours that are not read."""
    groups: list[Group] = []
    free = False  # whether the group that ends here has free text
    for name in layout.names:
        is_list = name in LISTS.get(layout.separator, ())
        group = Group(1, SHAPES.get(name, ANYTHING if name not in FREE else None), is_list, name in RESOURCE_LISTS)
        if groups and (free or name in FREE) and {group.shape, groups[-1].shape} <= {ANYTHING, None}:
            groups[-1] = Group(groups[-1].size + 1, None)
        else:
            groups.append(group)
        free = groups[-1].shape is None
    return tuple(groups)


def cells_of(pieces: Sequence[str], groups: Sequence[Group], separator: str) -> tuple[list[str] | None, int]:
    """Return the cells that the pieces of a line make, and the steps it took; None if that fits in no way or several.

    Cells of any text, which nobody reads, are empty then.

    Examples
    --------
    A bar in the name of a job.

    >>> groups = groups_of(Layout(("JobID", "JobName", "NCPUS", "State"), "|"))
    >>> cells_of(["7", "cat a ", " sort", "4", "FAILED"], groups, "|")[0]
    ['7', '', '4', 'FAILED']
    >>> cells_of(["7", "a", "4", "4", "4", "FAILED"], groups, "|")[0], cells_of(["7", "a", "b"], groups, "|")[0]
    (['7', '', '4', 'FAILED'], None)
    """
    width = sum(group.size for group in groups)
    if not width <= len(pieces) <= width + MOST_EXTRA:
        return None, 0
    cells, steps = _only_way(pieces, groups, separator, True)
    if cells is None and any(group.is_unique for group in groups):  # older versions do not sort lists of resources
        cells, more = _only_way(pieces, groups, separator, False)
        return cells, steps + more
    return cells, steps


def _only_way(
    pieces: Sequence[str], groups: Sequence[Group], separator: str, is_sorted: bool
) -> tuple[list[str] | None, int]:
    """Return the cells of a line and the steps it took, if lists of resources must be sorted, or need not be."""
    left, steps = sum(group.size for group in groups), 0
    ways = {0: (1, 0)}  # by the number of pieces that are taken: in how many ways, and where the last group began
    of_groups = []
    for group in groups:
        left -= group.size
        after: dict[int, tuple[int, int]] = {}
        for begin, (count, _) in ways.items():
            for end in _ends(pieces, begin, len(pieces) - left, group, separator, is_sorted):
                steps += 1
                after[end] = (count + after[end][0] if end in after else count), begin
        ways = after
        of_groups.append(ways)
    if ways.get(len(pieces), (0, 0))[0] != 1:
        return None, steps
    cells: list[str] = []
    end = len(pieces)
    for group, ways in zip(reversed(groups), reversed(of_groups), strict=True):
        begin = ways[end][1]
        cells[:0] = [""] * group.size if group.shape is None else [separator.join(pieces[begin:end])]
        end = begin
    return cells, steps


def _ends(pieces: Sequence[str], begin: int, most: int, group: Group, separator: str, is_sorted: bool) -> Iterator[int]:
    """Yield where a group that begins at a piece may end, at most so many pieces being taken then."""
    if group.shape is None:
        yield from range(begin + group.size, most + 1)
        return
    met: set[str] = set()
    for end in range(begin + 1, (most if group.is_list else min(begin + 1, most)) + 1):
        if group.is_unique:
            piece, before = pieces[end - 1], pieces[end - 2] if met else ""
            key = piece.partition("=")[0]
            if (
                group.shape.fullmatch(piece) is None
                or key in met
                or (met and (not key or (is_sorted and piece < before)))
            ):
                return
            met.add(key)
            yield end
        elif group.shape.fullmatch(separator.join(pieces[begin:end])) is not None:
            yield end

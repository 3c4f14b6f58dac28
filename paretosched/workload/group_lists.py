"""Lists that say which users, accounts, queues or partitions are in which group: lines of a CSV file.

The first line may name the columns: any of user, account, queue and partition, and group. Without it they are user and
group. All are numbers, -1 where unknown, or names that a file beside the log gives them; the header of the log may also
name queues and partitions. Accounts are SWF groups. `*` fits any job. The first line that fits a job has its group.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from ..core.arrays import Ints
from ..core.errors import InputError, did_you_mean, first_few, in_quotes, number_of
from ..core.notebook import fields_html
from ..core.tables import csv_cell, from_csv_cell
from .swf_header import numbered_names
from .workload import Workload

COLUMNS = ("user", "account", "queue", "partition")
NAMED = ("queue", "partition")  # the header of a log has names for their numbers
IN_NAMES = {"user": "users", "account": "groups", "queue": "queues", "partition": "partitions"}  # fields of `Names`
FIELDS = {"account": 12, "queue": 14, "partition": 15}  # of the records of a log
ANY = "*"
FEW = 20  # lines without jobs that are looked at for what they may mean


class GroupLine(NamedTuple):
    """A line of a list of groups; None where it fits any job.

    Attributes
    ----------
    group
        The name of the group.
    user, account
        Their numbers, -1 for unknown ones, or their names beside the log.
    queue, partition
        Their numbers, or their names in the header of the log or beside it.
    """

    group: str
    user: int | str | None = None
    account: int | str | None = None
    queue: int | str | None = None
    partition: int | str | None = None

    def _repr_html_(self) -> str:
        return fields_html(self)


Key = tuple[int | str | None, ...]


def listed_lines(lines: Iterable[str], where: str) -> tuple[tuple[str, ...], list[tuple[int, GroupLine]]]:
    """Return the columns of a list without "group", and its lines with their numbers in it.

    Parameters
    ----------
    lines
        The text, line by line.
    where
        Its name in messages.

    Raises
    ------
    InputError
        A line is no CSV or breaks a rule, or an earlier line puts all its jobs into another group; or there is none.

    Examples
    --------
    >>> listed_lines(["queue,user,group", "night,*,batch", "*,7,vip", "*,*,rest"], "list")[1][1]
    (3, GroupLine(group='vip', user=7, account=None, queue=None, partition=None))
    """
    columns: tuple[str, ...] = ("user", "group")
    numbered: list[tuple[int, GroupLine]] = []
    groups_of: dict[tuple[str, ...], dict[Key, str]] = {}  # by the columns that a line looks at
    rows = csv.reader(iter(lines), strict=True)
    is_first = True  # until the first line that is not empty
    try:
        last = 0
        for row in rows:
            place = f"{where}:{rows.line_num}"
            if rows.line_num > last + 1:
                raise InputError(f"{where}:{last + 1}: a cell must be in one line, but this one goes on in the next")
            last = rows.line_num
            cells = [from_csv_cell(cell.strip()) for cell in row]
            if not any(cells):
                continue
            heading = _heading(cells, place) if is_first else None
            is_first = False
            if heading is not None:
                columns = heading
                continue
            line = _line(cells, columns, place)
            earlier = _earlier_group(line, groups_of)
            if earlier not in (None, line.group):
                raise InputError(
                    f"{place}: {_line_words(line)} is in group {in_quotes(str(earlier))} already; the first line that "
                    "fits a job counts, so put this one before it, or leave it out"
                )
            if earlier is None:
                used = _columns_of(line)
                groups_of.setdefault(used, {})[_key(line, used)] = line.group
                numbered.append((rows.line_num, line))
    except csv.Error as error:
        raise InputError(f"{where}:{rows.line_num}: not CSV: {error}") from None
    if not numbered:
        raise InputError(f"{where}: a list of groups must have lines {','.join(columns)}, but there is none")
    return columns, numbered


def text_lines(lines: Sequence[GroupLine]) -> list[str]:
    """Return the lines of a list as text, with a first line that names the columns; `listed_lines` reads them.

    Examples
    --------
    >>> text_lines([GroupLine("vip", user=7), GroupLine("the, rest")])
    ['user,group', '7,vip', '*,"the, rest"']
    """
    columns = [column for column in COLUMNS if any(getattr(line, column) is not None for line in lines)] or ["user"]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, "group"])
    for line in lines:
        cells = [getattr(line, column) for column in columns]
        writer.writerow([*(ANY if cell is None else csv_cell(cell) for cell in cells), csv_cell(line.group)])
    return text.getvalue().splitlines()


def column_numbers(workload: Workload, column: str) -> Ints:
    """Return the number of the user, account, queue or partition of each job, (n,), -1 where it is unknown.

    Raises
    ------
    InputError
        The workload does not come from a log, and not only users are asked for.
    """
    if column == "user":
        return np.maximum(workload.user, -1)
    place = FIELDS[column]
    if workload.records is None:
        raise InputError(
            f"{workload.name}: the {column} of jobs, field {place + 1} of a log, is needed, but this workload does not "
            "come from a log"
        )
    return np.maximum(workload.records.column(place), -1).astype(np.int64)


def names_of(workload: Workload, column: str) -> dict[int, str]:
    """Return the names of users, accounts, queues or partitions by number: beside the log, else in its header."""
    beside = {} if workload.names is None else getattr(workload.names, IN_NAMES[column])
    return (numbered_names(workload.header, column) if column in NAMED else {}) | dict(beside)


def word_or_number(name: str, number: int) -> int | str:
    """Return a name for a line of a list, or the number that it has if a list could not tell the name from a number."""
    is_word = bool(name) and name == name.strip() and name != ANY and _number(name) is None
    return name if is_word else number


def check_names(lines: Sequence[tuple[int, GroupLine]], workload: Workload, where: str) -> None:
    """Refuse a list of which a log has no name at all of a column; raises InputError.

    A list outlives the log for which it was made: some of its users may have no job in another one.
    """
    for column in COLUMNS:
        named = [(number, getattr(line, column)) for number, line in lines if isinstance(getattr(line, column), str)]
        if not named:
            continue
        number, cell = named[0]
        hint = f"; a first line that names the columns says {column},group" if number == 1 else ""
        names = names_of(workload, column).values()
        known = {name.lower() for name in names}
        if not names and column not in NAMED:
            raise InputError(f"{where}:{number}: {column} is {in_quotes(cell)}, not {_number_words(column)}{hint}")
        if not any(cell.lower() in known for _, cell in named):
            have = f"its names are {first_few(names, limit=20)}" if names else "it has only numbers"
            raise InputError(
                f"{where}:{number}: {column} is {in_quotes(cell)}, which {_place_of_names(workload)} does "
                f"not have; {have}{did_you_mean(cell, names)}{hint}"
            )


def lines_without_jobs(lines: Sequence[tuple[int, GroupLine]], workload: Workload, where: str) -> str:
    """Return in words in which lines of a list no job of a log is, which may be mistakes; "" if there is one in all.

    Parameters
    ----------
    lines
        The lines with their numbers, as `listed_lines` returns them.
    workload
        The log.
    where
        The name of the list.

    Raises
    ------
    InputError
        As for `column_numbers`.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[5], estimate=[5], width=[1], capacity=1, user=[7])
    >>> lines_without_jobs([(2, GroupLine("vip", user=7)), (3, GroupLine("vip", user=8))], w, "list")
    'list: 1 of 2 lines has no job of workload: line 3 (user 8)'
    """
    met = set(first_lines([line for _, line in lines], workload).tolist())
    idle = [(number, line) for i, (number, line) in enumerate(lines) if i not in met and _columns_of(line)]
    if not idle:
        return ""
    few = first_few((f"line {number} ({_line_words(line)})" for number, line in idle), len(idle))
    meant = next(filter(None, (_suggestion(line, workload) for _, line in idle[:FEW])), "")
    verb = "has" if len(idle) == 1 else "have"
    return f"{where}: {len(idle):,} of {number_of(len(lines), 'line')} {verb} no job of {workload.name}: {few}{meant}"


def _suggestion(line: GroupLine, workload: Workload) -> str:
    """Return the end of a message that says which name of a log a line probably means; "" if it has it."""
    for column in _columns_of(line):
        cell, names = getattr(line, column), names_of(workload, column).values()
        if isinstance(cell, str) and cell.lower() not in {name.lower() for name in names}:
            return did_you_mean(cell, names)
    return ""


def first_lines(lines: Sequence[GroupLine], workload: Workload) -> Ints:
    """Return the index of the first line that fits each job, (n,); the number of lines where none does.

    Raises
    ------
    InputError
        As for `column_numbers`.
    """
    used = tuple(column for column in COLUMNS if any(getattr(line, column) is not None for line in lines))
    kind, first_job = np.zeros(len(workload), dtype=np.int64), np.zeros(1, dtype=np.int64)
    numbers = {column: column_numbers(workload, column) for column in used}
    for column in used:  # jobs are of one kind if all columns are equal; a list is searched once for each kind
        values, code = np.unique(numbers[column], return_inverse=True)
        _, first_job, kind = np.unique(kind * values.size + code, return_index=True, return_inverse=True)
    tables: dict[tuple[str, ...], dict[Key, int]] = {}
    for place, line in enumerate(lines):
        looked_at = _columns_of(line)
        for key in _numbered_keys(line, looked_at, workload):
            tables.setdefault(looked_at, {}).setdefault(key, place)
    first = np.full(first_job.size, len(lines), dtype=np.int64)
    for looked_at, table in tables.items():
        rows = zip(*(numbers[column][first_job].tolist() for column in looked_at), strict=True)
        keys = list(rows) if looked_at else [()] * first_job.size
        first = np.minimum(first, [table.get(key, len(lines)) for key in keys])
    result: Ints = first[kind]
    return result


def _heading(cells: Sequence[str], place: str) -> tuple[str, ...] | None:
    """Return the columns that a first line names; None if it is a line of the list."""
    names = tuple(cell.lower() for cell in cells)
    if "group" not in names or any(_number(cell) is not None or cell == ANY for cell in cells):
        return None
    for name in names:
        if name not in (*COLUMNS, "group") or names.count(name) > 1:
            is_none = name not in (*COLUMNS, "group")
            fact = f"is none of them{did_you_mean(name, (*COLUMNS, 'group'))}" if is_none else "comes twice"
            rule = f"the columns must be group and one or more of {', '.join(COLUMNS)}"
            raise InputError(f"{place}: {rule}, but {in_quotes(name)} {fact}")
    if len(names) == 1:
        raise InputError(f"{place}: the columns must be group and one or more of {', '.join(COLUMNS)}, but are group")
    return names


def _line(cells: Sequence[str], columns: Sequence[str], place: str) -> GroupLine:
    """Return a line of the list from its cells."""
    if len(cells) != len(columns):
        hint = "; a comma must separate them" if any(";" in cell or "\t" in cell for cell in cells) else ""
        count = number_of(len(cells), "column")
        raise InputError(f"{place}: a line must be {','.join(columns)}, but this one has {count}{hint}")
    values: dict[str, int | str | None] = {}
    for column, cell in zip(columns, cells, strict=True):
        if column == "group":
            continue
        number = _number(cell)
        if cell != ANY and number is None and not (cell and cell.isprintable()):
            raise InputError(f"{place}: {column} is {in_quotes(cell)}, not {_number_words(column)}")
        values[column] = None if cell == ANY else cell if number is None else number
    group = cells[columns.index("group")]
    if not group or not group.isprintable():
        raise InputError(f"{place}: group is {in_quotes(group)}, not a name that can be printed")
    return GroupLine(group, **values)


def _number_words(column: str) -> str:
    """Return what a cell of a column must be, in words."""
    if column in NAMED:
        return f"the number or name of a {column} of the log"
    return f"a{'n' if column == 'account' else ''} {column} number of the log"


def _place_of_names(workload: Workload) -> str:
    """Return where a log has the names of a column, in words."""
    return f"the header of {workload.name}" if workload.names is None else f"{workload.name} with its names"


def _number(text: str) -> int | None:
    """Return a number of -1 or more; None if the text is something else."""
    digits = text.removeprefix("-")
    number = int(text) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
    return None if number is None or number < -1 else number


def _columns_of(line: GroupLine) -> tuple[str, ...]:
    """Return the columns that a line looks at."""
    return tuple(column for column in COLUMNS if getattr(line, column) is not None)


def _key(line: GroupLine, columns: Sequence[str]) -> Key:
    """Return what a line has in some columns."""
    return tuple(getattr(line, column) for column in columns)


def _earlier_group(line: GroupLine, groups_of: dict[tuple[str, ...], dict[Key, str]]) -> str | None:
    """Return the group of an earlier line that fits all jobs which this one fits; None if there is none."""
    used = set(_columns_of(line))
    for columns, groups in groups_of.items():
        if used.issuperset(columns) and _key(line, columns) in groups:
            return groups[_key(line, columns)]
    return None


def _line_words(line: GroupLine) -> str:
    """Return what a line fits, in words."""
    return ", ".join(f"{column} {getattr(line, column)}" for column in _columns_of(line)) or "every job"


def _numbered_keys(line: GroupLine, columns: Sequence[str], workload: Workload) -> list[Key]:
    """Return the numbers that a line has in some columns; several where a name belongs to several queues."""
    keys: list[Key] = [()]
    for column in columns:
        cell = getattr(line, column)
        if isinstance(cell, str):
            names = names_of(workload, column)
            numbers = [number for number, name in names.items() if name.lower() == cell.lower()]
        else:
            numbers = [cell]
        keys = [(*key, number) for key in keys for number in numbers]
    return keys

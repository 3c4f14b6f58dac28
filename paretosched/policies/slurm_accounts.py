"""The accounts, users and shares of a Slurm site: tables of sacctmgr or sshare, a dump, or commands of sacctmgr.

`slurm_commands` has the commands that print the tables. Both algorithms of fair share need no more than the first one.
The second one is needed if slurm.conf has PriorityWeightQOS.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from ..core.errors import InputError, first_few, in_quotes, number_of
from ..core.files import read_lines
from ..core.limits import check_limit
from ..workload.limits import NONE, ROOT, Limits, limit_texts, limits_of
from ..workload.machine_slurm import preempt_mode
from ..workload.slurm_conf import Setting, duration
from .fair_share import INHERITED, Association
from .slurm_commands import COMMAND
from .slurm_sacctmgr import PREEMPTING, SacctmgrRows, is_command, is_dumped

ASSOCIATIONS = ("account", "user")  # columns that the first table must have
HEAD = re.compile(r'(?:^|\|)\s*"?(?:user|name)"?\s*(?:\||$)', re.IGNORECASE)  # has one of these words as a cell
OF_ASSOCIATIONS = ("cluster", "account", "parentname", "user", "partition", "share", "flat")  # others are limits
OF_QOS = ("name", "priority", "flags", *PREEMPTING)
WITHOUT_HEAD = ("cluster", "account", "parentname", "user", "partition", "share")  # as the command prints them
OF_JOBS = ("jobid", "jobidraw")  # columns that no association has
ONE_SHARE = "1"  # what Slurm gives to an association for which nobody names shares
INHERITED_NUMBER = "2147483647"  # in dumps of sacctmgr 22.05
OTHER_NAMES = {  # of other versions, and of sshare
    **dict.fromkeys(("par name", "parent"), "parentname"),
    **dict.fromkeys(("fairshare", "raw shares", "rawshares"), "share"),
}


class QosWays(NamedTuple):
    """How the jobs of a QOS make way for others, see `paretosched.workload.preemption.Preemption`.

    Attributes
    ----------
    over
        The QOS whose jobs make way for it.
    mode
        Its own mode, "" for the usual one.
    grace
        How long its jobs go on when they are asked to, s.
    exempt
        How long after its start no job of it is asked, s; None for as long as usual.
    rank
        Its priority.
    """

    over: tuple[str, ...]
    mode: str
    grace: int
    exempt: int | None
    rank: int


class Accounts(NamedTuple):
    """What was read.

    Attributes
    ----------
    associations
        The accounts and users with their shares.
    qos
        The priority of each QOS by name; None if there is none.
    left_out
        How many associations of users with single partitions were left out.
    limits
        The limits of those associations and QOS that have any, or flags.
    others
        How many lines of a script are no commands of sacctmgr.
    flat
        Whether a table did not say in which accounts others are.
    without_shares
        How many associations a table without shares has; each has one share.
    ways
        How the jobs of each QOS make way for others, by its name in small letters.
    """

    associations: tuple[Association, ...]
    qos: dict[str, int] | None
    left_out: int
    limits: tuple[Limits, ...] = ()
    others: int = 0
    flat: bool = False
    without_shares: int = 0
    ways: Mapping[str, QosWays] = MappingProxyType({})


def read_accounts(path: str | os.PathLike[str], cluster: str) -> Accounts:
    """Return the accounts, users and shares of a cluster.

    Parameters
    ----------
    path
        The file with what the commands print, a dump of sacctmgr, or commands of it.
    cluster
        ClusterName of slurm.conf, for files with several clusters; "" if unknown.

    Raises
    ------
    InputError
        The file cannot be read, or is none of these; the message says which commands write it.
    """
    commands = SacctmgrRows()
    shell_lines: list[int] = []
    rows = [*_rows(path, commands, shell_lines), *commands.rows()]
    listed = [row for row in rows if "account" in row]
    of_qos = [row for row in rows if "account" not in row]
    qos = {row["name"]: _priority(row) for row in of_qos if "priority" in row}
    if not rows:
        raise InputError(
            f"{path}: there must be a line for each association, but there is none; write it by: {COMMAND}"
        )
    clusters = dict.fromkeys(name for row in listed if (name := row.get("cluster", "").lower()))
    if len(clusters) > 1:
        if cluster.lower() not in clusters:
            raise InputError(
                f"{path}: there are the clusters {first_few(clusters, limit=8)}, but ClusterName of slurm.conf is "
                f"{in_quotes(cluster)}; add cluster=NAME to the command"
            )
        listed = [row for row in listed if row.get("cluster", "").lower() in ("", cluster.lower())]
    whole = [row for row in listed if not row.get("partition")]
    accounts = {row["account"]: row for row in whole if not row["user"] and row["account"] != ROOT}
    users = [Association(row["account"], row["user"], ROOT, _shares(row)) for row in whole if row["user"]]
    for row in whole:
        above = row["account"] if row["user"] else row["parentname"] or ROOT
        if above not in accounts and above != ROOT:
            raise InputError(f"{row['where']}: there is no line for account {in_quotes(above)}; write all lines again")
    return Accounts(
        (*_in_order(accounts), *users),
        qos or None,
        len(listed) - len(whole),
        tuple(_limits([*listed, *of_qos])),
        len(shell_lines),
        any("flat" in row for row in whole),
        sum("share" not in row for row in whole),
        {row["name"].lower(): _ways(row) for row in of_qos if row.get("name")},
    )


def _rows(path: str | os.PathLike[str], commands: SacctmgrRows, shell_lines: list[int]) -> Iterator[dict[str, str]]:
    """Yield the values of each line of a table by column, and "where" it is.

    Parameters
    ----------
    path
        The file.
    commands
        Takes the lines of a dump, and commands.
    shell_lines
        Takes the numbers of other lines of a script.
    """
    columns: Sequence[str] = ()
    read: Sequence[tuple[int, str]] = ()
    above: list[tuple[int, str]] = []  # accounts with their indentation, of a tree
    is_known = is_script = False
    for number, line in _whole_lines(path, read_lines(path, "the list of associations")):
        where = f"{path}:{number}"
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if is_dumped(line):
            is_known = True
            commands.add_dump(line, where)
        elif is_command(line):
            is_script = True
            commands.command(line, where)
        elif "|" not in line and (is_script or not columns):
            shell_lines.append(number)  # of a shell, if commands follow
        else:
            cells = line.split("|")
            names = _columns_of(cells) if HEAD.search(line) else ()
            if not (names or columns) and len(cells) == len(WITHOUT_HEAD) and _is_share(cells[-1]):
                columns = WITHOUT_HEAD
                read = _columns_to_read(columns)
            if names:
                columns, read, above = names, _columns_to_read(names), []
                continue
            if not columns:
                raise _without_columns(path, (shell_lines or [number])[0])
            if len(cells) != len(columns):
                raise InputError(
                    f"{where}: a line must have {number_of(len(columns), 'column')}, but this one has {len(cells)}"
                )
            yield _row_of(cells, read, above) | {"where": where}
    if shell_lines and not (columns or is_known or is_script):
        raise _without_columns(path, shell_lines[0])


def _whole_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield lines and the number of each; a command that goes on behind a backslash is one line."""
    parts: list[str] = []
    number = letters = 0
    for number, line in enumerate(lines, 1):
        goes_on = line.rstrip().endswith("\\") and (parts or is_command(line))
        parts.append(line.rstrip()[:-1] if goes_on else line)
        letters += len(line)
        check_limit(f"{path}:{number - len(parts) + 1}", "line", letters)
        if not goes_on:
            yield number - len(parts) + 1, "".join(parts)
            parts, letters = [], 0
    if parts:
        yield number - len(parts) + 1, "".join(parts)


def _without_columns(path: str | os.PathLike[str], number: int) -> InputError:
    """Return the error for a line before which no columns are named."""
    return InputError(
        f"{path}:{number}: the first line must name the columns, but does not; write the file by: {COMMAND}"
    )


def _columns_of(cells: Sequence[str]) -> list[str]:
    """Return the names of columns that a line has; none if it is no head of a table that is known."""
    names = [cell.strip().strip('"').lower() for cell in cells]
    if any(name.replace(" ", "") == "rawshares" for name in names):  # of sshare, whose FairShare is another number
        names = ["factor" if name == "fairshare" else name for name in names]
    names = [OTHER_NAMES.get(name, name) for name in names]
    is_of_qos = "name" in names and ("priority" in names or limit_texts((name, "1") for name in names))
    is_known = is_of_qos or set(ASSOCIATIONS) <= set(names)
    return names if is_known and not set(OF_JOBS) & set(names) else []


def _columns_to_read(columns: Sequence[str]) -> list[tuple[int, str]]:
    """Return the places and names of those columns of a table that say something here."""
    known = {*OF_ASSOCIATIONS, *OF_QOS}
    return [(place, name) for place, name in enumerate(columns) if name in known or limit_texts([(name, "1")])]


def _row_of(cells: Sequence[str], columns: Sequence[tuple[int, str]], above: list[tuple[int, str]]) -> dict[str, str]:
    """Return the values of a line of a table by column; an account of a tree is in the last one with less indentation.

    `above` are the accounts before with their indentation; it is changed.
    """
    known = ((name, cells[place].strip().strip('"')) for place, name in columns)
    row = {name: sys.intern(text) for name, text in known}  # of many lines most cells are the same
    limits = limit_texts((name, text) for name, text in row.items() if text)
    if "account" not in row:
        return {name: row[name] for name in OF_QOS if name in row} | limits
    if "parentname" not in row:
        text = next(cells[place] for place, name in columns if name == "account")
        depth = len(text) - len(text.lstrip())
        while above and above[-1][0] >= depth:
            above.pop()
        row["parentname"] = above[-1][1] if above and not row["user"] else ""
        if not row["user"]:
            above.append((depth, row["account"]))
            if not depth and row["account"] != ROOT:
                row["flat"] = "yes"
    return {name: row[name] for name in OF_ASSOCIATIONS if name in row} | limits


def _limits(rows: Iterable[Mapping[str, str]]) -> Iterator[Limits]:
    """Yield the limits of those associations and QOS that have any, or flags."""
    for row in rows:
        values, flags = limits_of(row), [word for word in row.get("flags", "").split(",") if word.lower() not in NONE]
        if values or flags:
            account, user, partition = (row.get(key, "") for key in ("account", "user", "partition"))
            try:
                yield Limits(row.get("name", ""), account, user, partition, values, tuple(flags))
            except InputError as error:
                raise InputError(f"{row['where']}: {error}") from None


def _ways(row: Mapping[str, str]) -> QosWays:
    """Return how the jobs of the QOS of a row make way for others."""
    given = {key: row.get(key, "").strip() for key in (*PREEMPTING, "priority")}
    times = {key: None if given[key].lower() in NONE else given[key] for key in ("gracetime", "preemptexempttime")}
    grace = times["gracetime"]
    if grace is not None and not re.fullmatch(r"[0-9]{1,9}", grace):  # a number is seconds
        grace = str(duration("GraceTime", Setting(grace, row["where"])) or 0)
    exempt = times["preemptexempttime"]
    over = [word.strip().lower() for word in given["preempt"].split(",")]
    mode = given["preemptmode"].lower()
    return QosWays(
        tuple(dict.fromkeys(word for word in over if word not in NONE)),
        "" if mode in ("cluster", *NONE) else preempt_mode(mode),
        int(grace or 0),
        None if exempt is None else duration("PreemptExemptTime", Setting(exempt, row["where"])),
        int(given["priority"]) if given["priority"].isdecimal() else 0,
    )


def _is_share(text: str) -> bool:
    """Return whether a text is a number of shares, or says that they are those of the account."""
    return text.strip().lower() in (INHERITED, INHERITED_NUMBER) or re.fullmatch("[0-9]{1,9}", text.strip()) is not None


def _in_order(accounts: Mapping[str, Mapping[str, str]]) -> Iterator[Association]:
    """Yield all accounts, each one before those in it."""
    done: set[str] = {ROOT}
    for name in accounts:
        path: dict[str, None] = {}  # in order, and quick to look up
        while name not in done:
            if name in path:
                raise InputError(f"{accounts[name]['where']}: account {in_quotes(name)} is in itself")
            path[name] = None
            name = accounts[name]["parentname"] or ROOT
        for one in reversed(path):
            done.add(one)
            yield Association(one, "", accounts[one]["parentname"] or ROOT, _shares(accounts[one]))


def _shares(row: Mapping[str, str]) -> int | None:
    """Return the shares of a line; None for those of the account."""
    text = row.get("share", ONE_SHARE)
    if not _is_share(text):
        raise InputError(f'{row["where"]}: shares must be a number or "{INHERITED}", but are {in_quotes(text)}')
    return None if text.lower() in (INHERITED, INHERITED_NUMBER) else int(text)


def _priority(row: Mapping[str, str]) -> int:
    """Return the priority of a QOS."""
    if not re.fullmatch("[0-9]{1,10}", row["priority"]):
        raise InputError(f"{row['where']}: the priority of a QOS must be a number, but is {in_quotes(row['priority'])}")
    return int(row["priority"])

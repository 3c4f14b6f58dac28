"""The accounts, users and shares of a Slurm site, as the commands in `slurm_commands` print them.

Both algorithms of fair share need no more than the first table. The second one is needed if slurm.conf has
PriorityWeightQOS.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..core.errors import InputError, first_few, in_quotes
from ..core.files import read_lines
from .fair_share import INHERITED, ROOT, Association
from .slurm_commands import COMMAND

ASSOCIATIONS = ("account", "parentname", "user", "share")  # columns that the first table must have
QOS = ("name", "priority")
OTHER_NAMES = {"par name": "parentname", "fairshare": "share"}  # of other versions


class Accounts(NamedTuple):
    """What was read.

    Attributes
    ----------
    associations
        The accounts and users with their shares.
    qos
        The priority of each QOS by name; None if the table is not there.
    left_out
        How many associations of users with single partitions were left out.
    """

    associations: tuple[Association, ...]
    qos: dict[str, int] | None
    left_out: int


def read_accounts(path: str | os.PathLike[str], cluster: str) -> Accounts:
    """Return the accounts, users and shares of a cluster.

    Parameters
    ----------
    path
        The file with what the commands print.
    cluster
        ClusterName of slurm.conf, for files with several clusters; "" if unknown.

    Raises
    ------
    InputError
        The file cannot be read, or is none of these; the message says which commands write it.
    """
    rows = list(_rows(path))
    listed = [row for row in rows if "share" in row]
    if not listed:
        raise InputError(
            f"{path}: there must be a line for each association, but there is none; write it by: {COMMAND}"
        )
    clusters = dict.fromkeys(row.get("cluster", "") for row in listed)
    if len(clusters) > 1:
        if cluster.lower() not in clusters:
            raise InputError(
                f"{path}: there are the clusters {first_few(clusters, limit=8)}, but ClusterName of slurm.conf is "
                f"{in_quotes(cluster)}; add cluster=NAME to the command"
            )
        listed = [row for row in listed if row.get("cluster") == cluster.lower()]
    whole = [row for row in listed if not row.get("partition")]
    accounts = {row["account"]: row for row in whole if not row["user"] and row["account"] != ROOT}
    users = [Association(row["account"], row["user"], ROOT, _shares(row)) for row in whole if row["user"]]
    for row in whole:
        above = row["account"] if row["user"] else row["parentname"] or ROOT
        if above not in accounts and above != ROOT:
            raise InputError(f"{row['where']}: there is no line for account {in_quotes(above)}; write all lines again")
    qos = {row["name"]: _priority(row) for row in rows if "name" in row}
    return Accounts((*_in_order(accounts), *users), qos or None, len(listed) - len(whole))


def _rows(path: str | os.PathLike[str]) -> Iterator[dict[str, str]]:
    """Yield the values of each line by column, and "where" it is."""
    columns: Sequence[str] = ()
    for number, line in enumerate(read_lines(path, "the list of associations"), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        cells = line.split("|")
        names = [OTHER_NAMES.get(cell.strip().lower(), cell.strip().lower()) for cell in cells]
        if any(set(needed) <= set(names) for needed in (ASSOCIATIONS, QOS)):
            columns = names
            continue
        if not columns:
            raise InputError(
                f"{where}: the first line must name the columns, but does not; write the file by: {COMMAND}"
            )
        if len(cells) != len(columns):
            raise InputError(f"{where}: there must be {len(columns)} columns, but there are {len(cells)}")
        yield dict(zip(columns, map(str.strip, cells), strict=True)) | {"where": where}


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
    text = row["share"]
    if text.lower() == INHERITED:
        return None
    if not re.fullmatch("[0-9]{1,9}", text):
        raise InputError(f'{row["where"]}: shares must be a number or "{INHERITED}", but are {in_quotes(text)}')
    return int(text)


def _priority(row: Mapping[str, str]) -> int:
    """Return the priority of a QOS."""
    if not re.fullmatch("[0-9]{1,10}", row["priority"]):
        raise InputError(f"{row['where']}: the priority of a QOS must be a number, but is {in_quotes(row['priority'])}")
    return int(row["priority"])

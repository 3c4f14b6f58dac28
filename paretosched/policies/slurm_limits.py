"""Limits of QOS and associations as sacctmgr names and writes them: kept as values, not simulated yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from ..core.errors import InputError, in_quotes
from ..workload.accounting.sacct_cells import slurm_seconds
from ..workload.requests import kilobytes_in

COUNTS = (
    "GrpJobs", "GrpJobsAccrue", "GrpSubmit", "MaxJobs", "MaxJobsAccrue", "MaxJobsAccruePA", "MaxJobsAccruePU",
    "MaxJobsPA", "MaxJobsPU", "MaxSubmit", "MaxSubmitPA", "MaxSubmitPU", "MinPrioThres",
)  # fmt: skip
TIMES = ("GrpWall", "MaxWall")
RESOURCES = (
    "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxTRES", "MaxTRESMins", "MaxTRESPA", "MaxTRESPN", "MaxTRESPU",
    "MaxTRESRunMins", "MaxTRESRunMinsPA", "MaxTRESRunMinsPU", "MinTRES",
)  # fmt: skip
OF_LOWER = {name.lower(): name for name in (*COUNTS, *TIMES, *RESOURCES)}
# what other spellings have for the names above: those of options, of dumps, and of versions before 15.08
SPELLINGS = (
    ("peruser", "pu"), ("peraccount", "pa"), ("peracct", "pa"), ("pernode", "pn"), ("perjob", ""),
    ("submitjobs", "submit"), ("submitjob", "submit"), ("duration", ""), ("thresh", "thres"),
)  # fmt: skip
OF_ONE = re.compile(r"(grp|max|min)(cpus?|nodes?|mem)((?:run)?mins)?(p[anu])?")  # one resource, as MaxCPUsPerUser
NUMBERS = {"1": "cpu", "2": "mem", "4": "node", "5": "billing"}  # of resources, as some versions write them
NONE = ("", "-1", "none", "unlimited", "infinite", "n/a", "4294967295", "4294967294", "18446744073709551615",
        "18446744073709551614")  # fmt: skip
WHOLE = re.compile(r"\d{1,19}", re.ASCII)
MINUTE = 60


class Limits(NamedTuple):
    """The limits of a QOS; or of an association: an account, or a user in it, perhaps in one partition.

    Attributes
    ----------
    qos, account, user, partition
        Whose limits these are; "" for what it is not.
    values
        By the names that `sacctmgr show qos` and `show assoc` have for their columns, such as MaxJobsPU: a number; of
        MaxWall and GrpWall seconds; of those with TRES numbers by resource, such as {"cpu": 64, "gres/gpu": 4}, mem and
        what has a unit in kilobytes. What is not limited is not there.
    """

    qos: str
    account: str
    user: str
    partition: str
    values: Mapping[str, int | Mapping[str, int]]


def limit_texts(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the limits among options or columns, as texts by their names in `sacctmgr show`.

    Examples
    --------
    >>> limit_texts([("MaxSubmitJobsPerUser", "9"), ("maxwalldurationperjob", "60"), ("GrpNodes", "4"), ("Name", "a")])
    {'MaxSubmitPU': '9', 'MaxWall': '60', 'GrpTRES': 'node=4'}
    """
    texts: dict[str, str] = {}
    for key, value in given:
        name = key.strip().lower().removesuffix("pj")
        for other, usual in SPELLINGS:
            name = name.replace(other, usual)
        text = value.strip()
        one = OF_ONE.fullmatch(name)
        if one and text:
            name = f"{one[1]}tres{one[3] or ''}{one[4] or ''}"
            text = f"{one[2].rstrip('s')}={text}"
        if name in OF_LOWER:
            texts = with_limits(texts, {OF_LOWER[name]: text})
    return texts


def with_limits(row: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Return a row with limits that are given later: of a list of resources those with a number, of others all."""
    joined = {name: f"{row[name]},{text}" if name in RESOURCES and row.get(name) else text
              for name, text in given.items()}  # fmt: skip
    return {**row, **joined}


def limits_of(row: Mapping[str, str]) -> Mapping[str, int | Mapping[str, int]]:
    """Return the limits of a row as values, see `Limits`.

    Raises
    ------
    InputError
        One of them is no number, duration or list of resources; the message begins with the "where" of the row.

    Examples
    --------
    >>> dict(limits_of({"MaxJobsPU": "8", "MaxWall": "2-00:00:00", "GrpJobs": "-1", "name": "long"}))
    {'MaxJobsPU': 8, 'MaxWall': 172800}
    >>> limits_of({"MaxTRESPU": "cpu=64,gres/gpu:a=4,cpu=-1"})["MaxTRESPU"]
    mappingproxy({'gres/gpu:a': 4})
    """
    values: dict[str, int | Mapping[str, int]] = {}
    for name in OF_LOWER.values():
        text = row.get(name, "").strip()
        if text.lower() in NONE:
            continue
        if name in RESOURCES:
            if resources := _resources(row, name, text):
                values[name] = MappingProxyType(resources)
            continue
        number = _seconds(text) if name in TIMES else _whole(text)
        if number is None:
            rule = "minutes or [D-]HH:MM:SS" if name in TIMES else "a whole number"
            raise InputError(f"{row.get('where')}: {name} must be {rule}, but is {in_quotes(text)}")
        values[name] = number
    return MappingProxyType(values)


def _resources(row: Mapping[str, str], name: str, text: str) -> dict[str, int]:
    """Return the numbers in a list of resources by name; of two with one name the last one counts."""
    resources: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        resource, _, amount = part.rpartition("=")
        resource = NUMBERS.get(resource.strip().lower(), resource.strip().lower())
        if amount.strip().lower() in NONE:  # without a name: of all of them
            for each in [resource] if resource else [*resources]:
                resources.pop(each, None)
            continue
        number = None if resource == "mem" else _whole(amount.strip())
        number = kilobytes_in(amount.strip().upper().removesuffix("B")) if number is None else number
        if not resource or number is None:
            raise InputError(f"{row.get('where')}: {name} must be NAME=NUMBER,..., but has {in_quotes(part)}")
        resources[resource] = number
    return resources


def _whole(text: str) -> int | None:
    """Return a whole number; None if it is none."""
    return int(text) if WHOLE.fullmatch(text) else None


def _seconds(text: str) -> int | None:
    """Return a duration, s; a number alone counts minutes; None if it is none."""
    return MINUTE * int(text) if WHOLE.fullmatch(text) else slurm_seconds(text)

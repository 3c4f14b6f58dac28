"""Limits of QOS and associations as sacctmgr names and writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from ..core.arguments import in_bounds
from ..core.errors import InputError, in_quotes, one_of
from ..core.notebook import fields_html, fields_repr
from .slurm_conf import Setting, duration, kilobytes_in

ROOT = "root"  # the account above all others
WHOSE = ("qos", "account", "user", "partition")

COUNTS = (
    "GrpJobs", "GrpJobsAccrue", "GrpSubmit", "MaxJobs", "MaxJobsAccrue", "MaxJobsAccruePA", "MaxJobsAccruePU",
    "MaxJobsPA", "MaxJobsPU", "MaxSubmit", "MaxSubmitPA", "MaxSubmitPU", "MinPrioThres",
)  # fmt: skip
TIMES = ("GrpWall", "MaxWall")
RESOURCES = (
    "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxTRES", "MaxTRESMins", "MaxTRESPA", "MaxTRESPN", "MaxTRESPU",
    "MaxTRESRunMins", "MaxTRESRunMinsPA", "MaxTRESRunMinsPU", "MinTRES",
)  # fmt: skip
NAMES = (*COUNTS, *TIMES, *RESOURCES)
NOT_SIMULATED = (
    "GrpTRESMins",
    "GrpWall",
    "GrpJobsAccrue",
    "MaxJobsAccrue",
    "MaxJobsAccruePA",
    "MaxJobsAccruePU",
    "MinPrioThres",
)
SUBMITTED = ("GrpSubmit", "MaxSubmit", "MaxSubmitPA", "MaxSubmitPU")  # which only `simulate` looks at
OF_LOWER = {name.lower(): name for name in NAMES}
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
MOST = 2**53  # of a limit, so that it survives JSON
MOST_TIME = 60 * 2**32  # s
LONGEST = 1000  # letters of a name


@dataclass(frozen=True, repr=False)
class Limits:
    """The limits of a QOS; or of an association: an account, or a user in it, perhaps in one partition.

    Parameters
    ----------
    qos, account, user, partition
        Whose limits these are; "" for what it is not.
    values
        By the names that `sacctmgr show qos` and `show assoc` have for their columns, such as MaxJobsPU: a number; of
        MaxWall and GrpWall seconds; of those with TRES numbers by resource, such as {"cpu": 64, "gres/gpu": 4}, mem and
        what has a unit in kilobytes. What is not limited is not there.
    flags
        Of a QOS, such as DenyOnLimit, OverPartQOS, NoReserve; sorted.

    Raises
    ------
    InputError
        A value breaks its rule.

    Examples
    --------
    >>> Limits("long", "", "", "", {"MaxTRESPU": {"gres/gpu": 4, "cpu": 64}, "MaxJobsPU": 8}).of
    'QOS long'
    """

    qos: str
    account: str
    user: str
    partition: str
    values: Mapping[str, int | Mapping[str, int]] = field(hash=False)
    flags: tuple[str, ...] = ()

    __repr__ = fields_repr
    _repr_html_ = fields_html

    def __post_init__(self) -> None:
        for key in WHOSE:
            _check_text(key, getattr(self, key))
        if bool(self.qos) == bool(self.account) or (self.qos and (self.user or self.partition)):
            whose = {key: getattr(self, key) for key in WHOSE}
            raise InputError(f"limits must be of a QOS, or of an account, perhaps of a user in it, but are of {whose}")
        try:
            for name in self.values:
                one_of("a limit", name, NAMES)
            values = {name: _value_of(name, self.values[name]) for name in NAMES if name in self.values}
        except InputError as error:
            raise InputError(f"{self.of}: {error}") from None
        kept = {name: value for name, value in values.items() if value is not None}
        object.__setattr__(self, "values", MappingProxyType(kept))
        object.__setattr__(self, "flags", tuple(sorted({_check_text("a flag", word) for word in self.flags})))

    def __reduce__(self) -> tuple[Any, ...]:
        return Limits, (self.qos, self.account, self.user, self.partition, self.plain, self.flags)

    @property
    def terms(self) -> tuple[Any, ...]:
        """Return flags and values as a tuple, which is the same where the limits of others are the same."""
        values = self.values.items()
        return self.flags, *((name, each if isinstance(each, int) else tuple(each.items())) for name, each in values)

    @property
    def plain(self) -> dict[str, Any]:
        """Return the values as they are written in JSON and TOML."""
        return {name: value if isinstance(value, int) else dict(value) for name, value in self.values.items()}

    @property
    def whose(self) -> tuple[str, str, str, str]:
        """Return whose limits these are: QOS, account, user, partition; by it limits are sorted."""
        return self.qos, self.account, self.user, self.partition

    @property
    def of(self) -> str:
        """Return in words whose limits these are.

        Examples
        --------
        >>> Limits("", "bio", "anna", "gpu", {}).of
        'account bio, user anna, partition gpu'
        """
        words = {key: getattr(self, key) for key in WHOSE}
        return ", ".join(f"{'QOS' if key == 'qos' else key} {word}" for key, word in words.items() if word)


def _value_of(name: str, value: Any) -> Any:
    """Return a value that must be one of a limit, with resources sorted; None if it limits nothing."""
    if isinstance(value, Mapping) != (name in RESOURCES):
        rule = "numbers by resource" if name in RESOURCES else "a number"
        raise InputError(f"{name} must be {rule}, but is {value!r:.60}")
    if not isinstance(value, Mapping):
        number = in_bounds(name, value, MOST_TIME if name in TIMES else MOST)
        return None if str(number) in NONE else number
    amounts = {}
    for word, amount in value.items():
        if set(_check_text(f"{name}: a resource", word)) & {" ", ",", "="} or not word:
            raise InputError(f"{name}: a resource must be a word such as gres/gpu, but is {in_quotes(word)}")
        number = in_bounds(f"{name}: {word}", amount, MOST)
        if str(number) not in NONE:
            amounts[_resource(word)] = number
    return MappingProxyType(dict(sorted(amounts.items()))) if amounts else None


def _check_text(what: str, text: Any) -> str:
    """Return a value that must be a text on one line."""
    if not isinstance(text, str) or not text.isprintable() or len(text) > LONGEST:
        raise InputError(f"{what} must be a text on one line of at most {LONGEST} letters, but is {text!r:.60}")
    return text


def limit_texts(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the limits among options or columns, as texts by their names in `sacctmgr show`.

    Examples
    --------
    >>> limit_texts([("MaxSubmitJobsPerUser", "9"), ("maxwalldurationperjob", "60"), ("GrpNodes", "4"), ("Name", "a")])
    {'MaxSubmitPU': '9', 'MaxWall': '60', 'GrpTRES': 'node=4'}
    """
    texts: dict[str, str] = {}
    for key, value in given:
        name, resource = _usual_name(key)
        text = value.strip()
        if name and (text or not resource):
            texts = with_limits(texts, {name: f"{resource}={text}" if resource else text})
    return texts


@lru_cache(maxsize=1024)  # a table has the same columns in each line
def _usual_name(key: str) -> tuple[str, str]:
    """Return the name of a limit in `sacctmgr show`, and the one resource that it is of; "" for none."""
    name = key.strip().lower().removesuffix("pj")
    for other, usual in SPELLINGS:
        name = name.replace(other, usual)
    one = OF_ONE.fullmatch(name)
    if one:
        return OF_LOWER.get(f"{one[1]}tres{one[3] or ''}{one[4] or ''}", ""), one[2].rstrip("s")
    return OF_LOWER.get(name, ""), ""


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
    for name in filter(row.__contains__, NAMES):
        text = row[name].strip()
        if text.lower() in NONE:
            continue
        if name in RESOURCES:
            resources = _resources(text)
            if isinstance(resources, str):
                raise InputError(f"{row.get('where')}: {name} must be NAME=NUMBER,..., but has {in_quotes(resources)}")
            if resources:
                values[name] = resources
            continue
        number = duration(name, Setting(text, row.get("where", ""))) if name in TIMES else _whole(text)
        if number is None:
            raise InputError(f"{row.get('where')}: {name} must be a whole number, but is {in_quotes(text)}")
        values[name] = number
    return MappingProxyType(values)


@lru_cache(maxsize=4096)  # many associations have the same
def _resources(text: str) -> Mapping[str, int] | str:
    """Return the numbers in a list of resources by name, the last one if it has two; or the first part that is none.

    Examples
    --------
    >>> _resources("cpu=4,mem=1G,cpu=2"), _resources("cpu=4,node")
    (mappingproxy({'cpu': 2, 'mem': 1048576}), 'node')
    """
    resources: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        word, _, amount = part.rpartition("=")
        resource = _resource(word.strip())
        if amount.strip().lower() in NONE:  # without a name: of all of them
            for each in [resource] if resource else [*resources]:
                resources.pop(each, None)
            continue
        number = None if resource == "mem" else _whole(amount.strip())
        number = kilobytes_in(amount.strip().upper().removesuffix("B")) if number is None else number
        if not resource or number is None:
            return part
        resources[resource] = number
    return MappingProxyType(resources)


def _resource(word: str) -> str:
    """Return the name of a resource, in small letters; some versions number them."""
    return NUMBERS.get(word, word.lower())


def _whole(text: str) -> int | None:
    """Return a whole number; None if it is none."""
    return int(text) if WHOLE.fullmatch(text) else None

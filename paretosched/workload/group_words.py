"""User groups in words: "large: width >= 32; short: limit <= 1h; rest". The first group that fits a job has it.

A condition is one comparison, or several joined with "and" and "or", where "and" binds closer; brackets are allowed.
Numbers are what a job asks for, with a unit where one helps (1h, 30min, 2d; 4G); names are those of the log. On a
machine of nodes they are what jobs ask for of it, and a job is in each of the partitions that it names.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import NoReturn, Protocol

import numpy as np

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import InputError, did_you_mean, first_few, in_quotes
from ..core.token_reader import Token, TokenReader
from .group_lists import column_numbers, names_of
from .node_requests import NUMBERS as REQUESTED
from .requests import requests_of
from .workload import Workload

TOKEN = re.compile(
    r'(?P<number>\d+(?:\.\d*)?)|(?P<word>[^\W\d][\w.@-]*)|(?P<name>"[^"]*")|(?P<sign><=|>=|!=|[<>=:;()])'
)
LONGEST = 10_000  # letters
DEEPEST = 50  # brackets
MINUTE, HOUR, DAY = 60, 3600, 86_400
SECONDS = {"s": 1, "min": MINUTE, "m": MINUTE, "h": HOUR, "d": DAY}
MEBIBYTES = {"m": 1, "mb": 1, "mib": 1, "g": 1024, "gb": 1024, "gib": 1024, "t": 1024**2, "tb": 1024**2, "tib": 1024**2}
NUMBERS: Mapping[str, Callable[[Workload], Ints]] = {
    "width": lambda w: w.width,
    "cores": lambda w: w.width,
    "limit": lambda w: w.estimate,
    "nodes": lambda w: requests_of(w, "nodes"),
    "gpus": lambda w: requests_of(w, "gpus"),
    "memory": lambda w: requests_of(w, "memory"),
}
IN_MEMORY = ("memory", "memory_per_node", "memory_per_cpu", "disk_per_node")
UNITS: Mapping[str, Mapping[str, int]] = {"limit": SECONDS} | dict.fromkeys(IN_MEMORY, MEBIBYTES)
COLUMNS = {"user": "user", "account": "account", "queue": "queue", "qos": "queue", "partition": "partition"}
SIGNS: Mapping[str, Callable[[Ints | Floats, float], Mask]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "!=": operator.ne,
}  # fmt: skip
REST = "rest"


def is_in_words(text: str) -> bool:
    """Return whether a text describes groups in words: it names one, and compares or names what a job asks for.

    Examples
    --------
    >>> is_in_words("large: width >= 32; rest"), is_in_words("8,2,1"), is_in_words("groups.csv")
    (True, False, False)
    """
    return ":" in text and (any(sign in text for sign in "<>=") or not {*NUMBERS, *COLUMNS}.isdisjoint(text.split()))


class Described(Protocol):
    """Jobs, as conditions see them: those of a log, or those that wait in a queue."""

    def __len__(self) -> int: ...

    @property
    def numbers(self) -> Mapping[str, Callable[[], Ints | Floats]]:
        """Return what numbers jobs have, (n,) each, by the word for them."""

    def with_name(self, word: str, token: Token) -> tuple[Mask | None, Collection[str]]:
        """Return which jobs have a name of a kind, "user" or another of COLUMNS, (n,); None and all names without one.

        Parameters
        ----------
        word
            The kind.
        token
            The name, or a number of the log that stands for it.
        """


def groups_in_words(text: str, workload: Workload, called: str) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the groups that a text describes, and the group of each job, (n,).

    Parameters
    ----------
    text
        The groups, between semicolons; the last one may be a name alone, for all other jobs. Without it, that is
        "rest".
    workload
        The jobs.
    called
        What the text is called in messages.

    Raises
    ------
    InputError
        The text is not of this form; it names something that the log does not have; or two groups have one name.

    Examples
    --------
    >>> w = Workload(submit=[0, 5, 9], run=[10, 3, 3], estimate=[20, 7200, 3], width=[4, 2, 1], capacity=8)
    >>> groups_in_words("wide: width >= 4; long: limit > 1h; others", w, "groups")
    (('wide', 'long', 'others'), array([0, 1, 2]))
    """
    names, group = groups_of(text, OfLog(workload), called)
    if (group < 0).any():
        if REST in names:
            raise InputError(f'{called}: the group "{REST}" is for all other jobs and needs no condition; put it last')
        names = (*names, REST)
        group[group < 0] = len(names) - 1
    return names, group


def groups_of(text: str, jobs: Described, called: str, *, strict: bool = True) -> tuple[tuple[str, ...], Ints]:
    """Return the names of the groups in a text, and the group of each job, (n,); -1 of those that are in none.

    `strict` refuses names that no job has; otherwise no job fits them. Else arguments and errors are as of
    `groups_in_words`.
    """
    reader = TokenReader(text, called, TOKEN, LONGEST)
    conditions = _Conditions(reader, jobs, strict)
    names: list[str] = []
    group = np.full(len(jobs), -1, dtype=np.int64)
    while not reader.comes_end():
        token = reader.now
        if token.kind not in ("word", "name") or not token.text.strip():
            reader.refuse("a group must begin with its name, as in large: width >= 32; rest")
        if token.text in names:
            reader.refuse("is the name of an earlier group")
        names.append(token.text)
        reader.place += 1
        if reader.now.kind == "word":
            reader.refuse(f'a name of several words stands in quotes: "{token.text} {reader.now.text}": width > 9')
        fits: Mask = conditions.either() if reader.take(":") else np.ones(len(jobs), dtype=np.bool_)
        group[fits & (group < 0)] = len(names) - 1
        if not reader.comes_end():
            reader.need(";")
    return tuple(names), group


def jobs_that_fit(text: str, workload: Workload, called: str) -> Mask:
    """Return which jobs a condition in words fits, (n,) bool; `called` begins messages.

    Raises
    ------
    InputError
        The text is no condition, or names something that the log does not have.

    Examples
    --------
    >>> w = Workload(submit=[0, 5], run=[10, 3], estimate=[20, 7200], width=[4, 2], capacity=8)
    >>> jobs_that_fit("width >= 4 or limit > 1h", w, "condition").tolist()
    [True, True]
    """
    reader = TokenReader(text, called, TOKEN, LONGEST)
    fits = _Conditions(reader, OfLog(workload), strict=True).either()
    if not reader.comes_end():
        reader.refuse("a condition must end here, or go on with and or or")
    return fits


def _numbers(workload: Workload) -> Mapping[str, Callable[[], Ints | Floats]]:
    """Return what numbers of jobs have which names: on a machine of nodes also those of `Requests`, and the charge."""
    numbers: dict[str, Callable[[], Ints | Floats]] = {key: partial(of, workload) for key, of in NUMBERS.items()}
    if workload.requests is None or workload.asked_amounts is None:
        return numbers
    asked = {key: partial(getattr, workload.requests, key) for key in REQUESTED if key not in numbers}
    memory = workload.asked_amounts.memory_per_node  # also of jobs that ask for it by CPU, or do not say it
    return numbers | asked | {"memory_per_node": lambda: memory, "charge": lambda: workload.charge}


def names_on_nodes(workload: Workload, column: str) -> tuple[Ints, list[tuple[str, ...]]] | None:
    """Return what jobs name of a machine of nodes: their partitions, account or QOS.

    Returns
    -------
    code : (n,) int64
        A place in `names` for each job.
    names
        The names at each place; a job without a partition is in the default one, "" is no account and no QOS.

    None for another column, or without nodes.
    """
    if workload.machine is None or workload.requests is None or column not in ("partition", "account", "qos"):
        return None
    texts = getattr(workload.requests, column)
    if column != "partition":
        return texts.code, [(word,) for word in texts.words]
    usual = workload.machine.default.name
    return texts.code, [tuple(part.strip() for part in (word or usual).split(",")) for word in texts.words]


class OfLog:
    """The jobs of a workload, as conditions see them."""

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self.numbers = _numbers(workload)

    def __len__(self) -> int:
        return len(self.workload)

    def with_name(self, word: str, token: Token) -> tuple[Mask | None, Collection[str]]:
        """Return which jobs have a name or the number of one, see `Described`."""
        on_nodes = names_on_nodes(self.workload, word)
        if on_nodes is not None:
            code, named = on_nodes
            of_words = np.array([token.text.lower() in map(str.lower, each) for each in named])
            known = {name for each in named for name in each if name}
            return (of_words[code] if of_words.any() else None), known
        numbers = column_numbers(self.workload, COLUMNS[word])
        names = names_of(self.workload, COLUMNS[word])
        wanted = [number for number, name in names.items() if name.lower() == token.text.lower()]
        if token.kind == "number" and not wanted:
            wanted = [int(token.text)] if token.text.isdecimal() else []
        return (np.isin(numbers, wanted) if wanted else None), names.values()


class NoJobs:
    """No jobs, with everything that jobs can have: what conditions say of them can be checked without a log."""

    numbers: Mapping[str, Callable[[], Ints | Floats]] = dict.fromkeys(
        (*NUMBERS, *REQUESTED, "charge"), partial(np.empty, 0, dtype=np.int64)
    )

    def __len__(self) -> int:
        return 0

    def with_name(self, word: str, token: Token) -> tuple[Mask | None, Collection[str]]:  # noqa: ARG002
        """Return that no job has a name, see `Described`."""
        return np.empty(0, dtype=np.bool_), ()


class _Conditions:
    """Recursive descent: a method for each rule of the grammar; each returns which jobs fit, (n,)."""

    def __init__(self, reader: TokenReader, jobs: Described, strict: bool) -> None:
        self.reader = reader
        self.jobs = jobs
        self.strict = strict
        self.nested = 0

    def either(self) -> Mask:
        """Return which jobs fit conditions with "or" between them."""
        fits = self.both()
        while self.reader.take("or"):
            fits = self.both() | fits
        return fits

    def both(self) -> Mask:
        """Return which jobs fit conditions with "and" between them."""
        fits = self.one()
        while self.reader.take("and"):
            fits = self.one() & fits
        return fits

    def one(self) -> Mask:
        """Return which jobs fit one comparison, or what is in brackets."""
        reader = self.reader
        if reader.take("("):
            self.nested += 1
            if self.nested > DEEPEST:
                reader.refuse(f"brackets must not nest deeper than {DEEPEST}")
            fits = self.either()
            reader.need(")")
            self.nested -= 1
            return fits
        token = reader.now
        word = token.text.lower()
        known = [*self.jobs.numbers, *COLUMNS]
        if token.kind != "word" or word not in known:
            reader.refuse(f"must be {', '.join(known[:-1])} or {known[-1]}{did_you_mean(word, known)}")
        reader.place += 1
        sign = reader.take(*SIGNS)
        if not sign:
            reader.refuse("a condition must compare, as in width >= 32 or user = anna")
        return self.number_fits(word, sign) if word in self.jobs.numbers else self.name_fits(word, sign)

    def number_fits(self, word: str, sign: str) -> Mask:
        """Return which jobs fit a comparison with a number."""
        reader = self.reader
        token = reader.now
        if token.kind != "number":
            reader.refuse(f"{word} must be compared with a number")
        reader.place += 1
        value = float(token.text)
        units = UNITS.get(word, {})
        unit = reader.now
        if unit.kind == "word" and unit.text.lower() not in ("and", "or"):
            if unit.text.lower() not in units:
                reader.refuse(f"is no unit of {word}" + (f"; there are {', '.join(units)}" if units else ""))
            reader.place += 1
            value *= units[unit.text.lower()]
        return SIGNS[sign](self.jobs.numbers[word](), value)

    def name_fits(self, word: str, sign: str) -> Mask:
        """Return which jobs fit a comparison with a name, or with the number of one."""
        reader = self.reader
        if sign not in ("=", "!="):
            reader.refuse(f"{word} is a name, and can only be compared with = or !=")
        token = reader.now
        if token.kind not in ("word", "name", "number"):
            reader.refuse(f"{word} must be compared with a name or a number of the log")
        reader.place += 1
        fits, names = self.jobs.with_name(word, token)
        if fits is None:
            if self.strict:
                self.refuse_name(token, word, names)
            fits = np.zeros(len(self.jobs), dtype=np.bool_)
        return fits if sign == "=" else ~fits

    def refuse_name(self, token: Token, word: str, names: Collection[str]) -> NoReturn:
        """Refuse a name that no job has."""
        have = first_few(sorted(names), limit=8) if names else "numbers only"
        self.reader.refuse_token(
            token, f"the log has no {word} {in_quotes(token.text)}; it has {have}{did_you_mean(token.text, names)}"
        )

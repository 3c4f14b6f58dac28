"""Formulas that order waiting jobs, such as "(wait / estimate)^3 * width": how they are read and written.

============================  ======================================================================================
wait                          seconds since the job could run first
estimate, limit               seconds that the job requests, or that are predicted
width, cores                  processors; on a machine of nodes CPUs
area                          estimate x width
charge                        how much of the machine it takes, see `Workload.charge`: on a machine of nodes the largest
                              share of a resource that it asks for, times all CPUs; without nodes the width
qos_priority                  the priority of its QOS as a share of the highest one, see `Workload.qos_priority`
submit                        seconds from the first submission of the workload to this job's
eligible                      seconds from the first submission of the workload to when this job could run first
memory, nodes, gpus           what the job asks for: MiB of all its processors together, nodes, and GPUs; where a log
                              does not say it, it is 0, 1 and 0
nice                          the nice value of the job, 0 where a log does not say it
usage                         processor seconds of the job's user or account, decayed with a half-life
share                         the share of the machine that is meant for this user or account
fairshare                     Slurm's fair-share factor of the user in the account, 0 to 1
a number                      with s, min, h or d after it, it is in seconds: 4h is 14400
group(a), "a"                 1 for jobs of the group, 0 for others; the name alone will do if it is a word like vip
                              that is not similar to the other words here, and the workload has the group
user(7), account(7)           1 for jobs with this number in the log, 0 for others
queue(7), partition(7)        the same, or by the name that the log or the names beside it give to the number
partition(a = 5, b = -2)      5 for jobs of a, -2 for jobs of b, 0 for others; queue(...) likewise
+ - * / ^                     as usual: ^ before * and /, these before + and -; a^b^c is a^(b^c), -a^2 is -(a^2)
log, log2, log10, sqrt, abs   of one value; log is natural
floor                         the largest whole number that is not above a value
min, max                      of two or more values
< <= > >= = !=                1 if it holds, else 0
and, or, not                  1 or 0; a value is true if it is a number other than 0
if(c, a, b)                   a if c is true, else b
============================  ======================================================================================

Every formula has a value for every job: 0/0 is 0, another number divided by 0 is infinite with its own sign, the
logarithm of 0 or less is -inf, the root of less than 0 is 0, 0 to a negative power is inf. Where the result is not a
number, as inf - inf is none, the job comes last, as one whose value is infinitely bad.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ..core.errors import nearest_word, number_of
from ..kernels.formulas import MOST_DEEP
from ..workload.requests import REQUESTS
from .policy_tokens import PolicyReader, written_name, written_number

CHARGE, QOS_PRIORITY = "charge", "qos_priority"
VARIABLES = (
    "wait",
    "estimate",
    "width",
    "area",
    "submit",
    "eligible",
    *REQUESTS,
    CHARGE,
    QOS_PRIORITY,
    "usage",
    "share",
    "fairshare",
)
ALIASES = {"cores": "width", "limit": "estimate"}  # other words, as groups have them
LABELLED = ("group", "user", "account", "queue", "partition")
NAMED = ("group", "queue", "partition")  # of these: what may have a name in place of a number
VALUED = ("queue", "partition")  # of these: what may have a value for each of several names
FUNCTIONS = {
    "log": 1,
    "log2": 1,
    "log10": 1,
    "sqrt": 1,
    "abs": 1,
    "floor": 1,
    "min": 2,
    "max": 2,
    "if": 3,
}  # number of values
DIRECTIONS = ("largest", "smallest")
RESERVED = (*VARIABLES, *LABELLED, *FUNCTIONS, *DIRECTIONS, "and", "or", "not")
DISTINCT = tuple(
    word for word in RESERVED if word not in (*REQUESTS, CHARGE, QOS_PRIORITY)
)  # a group's name alone must not be similar to them
MOST_NESTED = 32
MOST_TERMS = 300


class Term(NamedTuple):
    """A part of a formula: a number, a variable, or an operation with its parts.

    Attributes
    ----------
    word
        "number", one of VARIABLES, one of LABELLED, "priority", or an operation of
        `paretosched.kernels.formulas`.
    parts
        The values of an operation.
    value
        Of "number": 0 or more.
    labels
        Of LABELLED: the one name or number, or all that have a value. Of "priority": names of groups, the first one
        counts most; none for all groups of the workload.
    bare
        Of "group": its name is written as a word alone, which may be a mistake if a workload has no such group.
    values
        Of VALUED: the value of each label; none if it is 1.
    """

    word: str
    parts: tuple[Term, ...] = ()
    value: float = 0.0
    labels: tuple[str, ...] = ()
    bare: bool = False
    values: tuple[float, ...] = ()


class Formula(NamedTuple):
    """What orders jobs.

    Attributes
    ----------
    term
        The value of a job.
    largest
        Whether the job with the largest value comes first, not the one with the smallest.
    """

    term: Term
    largest: bool

    @property
    def key(self) -> Term:
        """Return the term of which the largest value comes first."""
        return self.term if self.largest else Term("-x", (self.term,))


def parse_formula(text: str, direction: str) -> Formula:
    """Return the formula that words stand for.

    Parameters
    ----------
    text
        The words. They may begin with "largest" or "smallest".
    direction
        "largest" or "smallest": what comes first if the words do not say it.

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.

    Examples
    --------
    >>> written_formula(parse_formula("(wait/estimate)^3*width", "largest"), "largest")
    '(wait / estimate)^3 * width'
    >>> parse_formula("(wiat/estimate)", "largest")
    Traceback (most recent call last):
    paretosched.core.errors.InputError: order, character 2, "wiat": there must be a number, variable, function or \
group; did you mean wait? (a group of this name is group("wiat"))
    """
    reader = PolicyReader(text, "order")
    formula = read_formula(reader, direction)
    if reader.now.kind != "end":
        reader.refuse("there must be an operator or the end")
    return formula


def read_formula(reader: PolicyReader, direction: str) -> Formula:
    """Return the formula that comes now; the tokens behind it are left."""
    word = reader.take(*DIRECTIONS) or direction
    first = reader.now
    terms = _Terms(reader)
    term = terms.logic()
    if terms.count > MOST_TERMS:
        reader.refuse_token(
            first, f"a formula must have at most {MOST_TERMS} numbers, variables and operations, not {terms.count}"
        )
    if depth(term) > MOST_DEEP:
        reader.refuse_token(first, f"a formula must not nest deeper than {MOST_DEEP} values, but does")
    return Formula(term, word == "largest")


class _Terms:
    """Recursive descent: a method for each rule of the grammar."""

    def __init__(self, reader: PolicyReader) -> None:
        self.reader = reader
        self.count = 0
        self.nested = 0

    def logic(self) -> Term:
        """Return values with "or" between them."""
        self.deeper()
        term = self.conjunction()
        while self.reader.take("or"):
            term = self.operation_term("or", term, self.conjunction())
        self.nested -= 1
        return term

    def conjunction(self) -> Term:
        """Return values with "and" between them."""
        term = self.negation()
        while self.reader.take("and"):
            term = self.operation_term("and", term, self.negation())
        return term

    def negation(self) -> Term:
        """Return a comparison with any number of "not" before it."""
        count = 0
        while self.reader.take("not"):
            count += 1
        term = self.comparison()
        for _ in range(count):
            term = self.operation_term("not", term)
        return term

    def comparison(self) -> Term:
        """Return one sum, or two with a sign of comparison between them."""
        term = self.sum()
        sign = self.reader.take("<", "<=", ">", ">=", "=", "!=")
        if sign:
            term = self.operation_term(sign, term, self.sum())
            if self.reader.comes("<", "<=", ">", ">=", "=", "!="):
                self.reader.refuse('a comparison has two sides; join two comparisons with "and"')
        return term

    def sum(self) -> Term:
        """Return products with + and - between them."""
        term = self.product()
        while sign := self.reader.take("+", "-"):
            term = self.operation_term(sign, term, self.product())
        return term

    def product(self) -> Term:
        """Return factors with * and / between them."""
        term = self.factor()
        while sign := self.reader.take("*", "/"):
            term = self.operation_term(sign, term, self.factor())
        return term

    def factor(self) -> Term:
        """Return a power with any number of minus signs before it."""
        count = 0
        while self.reader.take("-"):
            count += 1
        term = self.power()
        for _ in range(count):
            term = self.operation_term("-x", term)
        return term

    def power(self) -> Term:
        """Return a value, or one to the power of another."""
        term = self.single()
        if self.reader.take("^"):
            self.deeper()
            term = self.operation_term("^", term, self.factor())
            self.nested -= 1
        return term

    def single(self) -> Term:
        """Return a number, a variable, a function of values, or a formula in brackets."""
        reader = self.reader
        token = reader.now
        word = token.text.lower()
        if token.kind == "number":
            self.count += 1
            return Term("number", value=reader.number())
        if reader.take("("):
            term = self.logic()
            reader.need(")")
            return term
        if token.kind not in ("word", "name"):
            hint = '; equal is one "="' if token.text == "=" else ""
            reader.refuse(f"there must be a number, variable, function or group{hint}")
        reader.place += 1
        self.count += 1
        if token.kind == "name":
            return Term("group", labels=(token.text,))
        if word in VARIABLES or word in ALIASES:
            return Term(ALIASES.get(word, word))
        if word in LABELLED and reader.comes("("):
            return self.label_term(word)
        if word in FUNCTIONS:
            return self.function(word)
        if word in LABELLED:
            need = "a name in brackets, as in group(1)" if word == "group" else f"a number in brackets, as in {word}(7)"
            reader.refuse_token(token, f"needs {need}")
        near = nearest_word(word, DISTINCT)
        if near is not None:
            hint = "" if near == word else f"; did you mean {near}?"
            name = reader.whole_name(token)
            is_name = name != token.text and not {*name.lower().split("-")} & {*RESERVED}
            name = f'"{name}"; write "{name}" in quotes' if is_name else f'group("{token.text}")'
            reader.refuse_token(
                token, f"there must be a number, variable, function or group{hint} (a group of this name is {name})"
            )
        if not reader.comes(*RESERVED):
            reader.refuse_space(token, "there must be an operator or the end")
        return Term("group", labels=(token.text,), bare=True)

    def label_term(self, word: str) -> Term:
        """Return the term of a group, user, account, queue or partition; its names or numbers in brackets come now."""
        reader = self.reader
        reader.need("(")
        token = reader.long_name()
        if word not in NAMED and not re.fullmatch("[0-9]{1,15}", token.text):
            reader.refuse_token(token, f"there must be the number of the {word} in the log")
        values: dict[str, float] = {}
        while word in VALUED and reader.take("="):
            if token.text in values:
                reader.refuse_token(token, "must have one value, but has another one")
            sign = -1.0 if reader.take("-") else 1.0
            values[token.text] = sign * reader.number()
            if not reader.take(","):
                break
            token = reader.long_name()
            if not reader.comes("="):
                reader.refuse('there must be "=" and a value')
        reader.need(")")
        return Term(word, labels=tuple(values) or (token.text,), values=tuple(values.values()))

    def function(self, word: str) -> Term:
        """Return the term of a function, of which the values in brackets come now."""
        reader = self.reader
        token = reader.ahead(-1)
        reader.need("(")
        values = [self.logic()]
        while reader.take(","):
            values.append(self.logic())
        reader.need(")")
        needed = FUNCTIONS[word]
        if len(values) != needed and not (word in ("min", "max") and len(values) > needed):
            least = "at least " if word in ("min", "max") else ""
            values_needed = f"{least}{number_of(needed, 'value')}"
            there = f"there {'is' if len(values) == 1 else 'are'} {len(values)}"
            reader.refuse_token(token, f"there must be {values_needed} in the brackets, but {there}")
        term = Term(word, tuple(values[:needed]))
        for value in values[needed:]:
            term = self.operation_term(word, term, value)
        return term

    def operation_term(self, word: str, *parts: Term) -> Term:
        """Return the term of an operation."""
        self.count += 1
        if self.count > MOST_TERMS:
            self.reader.refuse(f"a formula must have at most {MOST_TERMS} numbers, variables and operations")
        return Term(word, parts)

    def deeper(self) -> None:
        """Refuse brackets within brackets without end."""
        self.nested += 1
        if self.nested > MOST_NESTED:
            self.reader.refuse(f"a formula must not nest deeper than {MOST_NESTED} brackets or powers, but does")


def depth(term: Term) -> int:
    """Return how many values are on the stack at the same time while a term is evaluated.

    Examples
    --------
    >>> depth(parse_formula("wait + 2 * (estimate - 1)", "largest").term)
    4
    """
    return max([1, *(place + depth(part) for place, part in enumerate(term.parts))])


def terms_in(term: Term) -> int:
    """Return how many numbers, variables and operations a term has.

    Examples
    --------
    >>> terms_in(parse_formula("wait / estimate + 1", "largest").term)
    5
    """
    return 1 + sum(map(terms_in, term.parts))


def variables(term: Term) -> frozenset[str]:
    """Return the words of the terms without parts in a term.

    Examples
    --------
    >>> sorted(variables(parse_formula("wait / estimate + 1", "largest").term))
    ['estimate', 'number', 'wait']
    """
    return frozenset({term.word}) if not term.parts else frozenset().union(*map(variables, term.parts))


def bare_groups(term: Term) -> tuple[str, ...]:
    """Return the names of groups that are written as words alone, in their order, each one once.

    Examples
    --------
    >>> bare_groups(parse_formula("5 * vip + group(guests) + wait", "largest").term)
    ('vip',)
    """
    return tuple(
        dict.fromkeys([*term.labels * term.bare, *(name for part in term.parts for name in bare_groups(part))])
    )


def labels(term: Term, word: str) -> tuple[str, ...]:
    """Return the names or numbers in the terms of one of LABELLED, in their order, each one once."""
    own = term.labels if term.word in (word, *(("priority",) if word == "group" else ())) else ()
    return tuple(dict.fromkeys([*own, *(label for part in term.parts for label in labels(part, word))]))


# How tightly an operation binds what stands beside it; its parts need brackets if they bind less.
_BINDING = {"or": 1, "and": 2, "not": 3}
_BINDING |= dict.fromkeys(("<", "<=", ">", ">=", "=", "!="), 4)
_BINDING |= {"+": 5, "-": 5, "*": 6, "/": 6, "-x": 7, "^": 8}
_ALONE = 9


def written_formula(formula: Formula, direction: str) -> str:
    """Return a formula in words that are read as the same formula.

    Parameters
    ----------
    formula
        The formula.
    direction
        What comes first if the words do not say it; they say it only if it is not so.
    """
    word = DIRECTIONS[0] if formula.largest else DIRECTIONS[1]
    return f"{'' if word == direction else f'{word} '}{written_term(formula.term)}"


def written_term(term: Term) -> str:
    """Return a term in words."""
    word = term.word
    if word == "number":
        return written_number(term.value)
    if word in LABELLED:
        if term.bare:
            return term.labels[0]
        names = [written_name(name) for name in term.labels]
        if term.values:
            names = [f"{name} = {_written_value(value)}" for name, value in zip(names, term.values, strict=True)]
        return f"{word}({', '.join(names)})"
    if not term.parts:
        return word
    if word in FUNCTIONS:
        return f"{word}({', '.join(map(written_term, _values_of(term)))})"
    binding = _BINDING[word]
    if word in ("-x", "not"):
        return f"{'-' if word == '-x' else 'not '}{_within(term.parts[0], binding)}"
    left, right = term.parts
    if word == "^":
        return f"{_within(left, _ALONE)}^{_within(right, _BINDING['-x'])}"
    comparison = binding == _BINDING["<"]
    return f"{_within(left, binding + comparison)} {word} {_within(right, binding + 1)}"


def _written_value(value: float) -> str:
    """Return a value of a label in words; it may be below 0."""
    return f"{'-' if value < 0 else ''}{written_number(abs(value))}"


def _values_of(term: Term) -> list[Term]:
    """Return the values of a function; of a minimum or maximum of several, all in one list.

    Examples
    --------
    >>> written_term(parse_formula("max(wait, estimate, 3) + min(wait, max(wait, 1, 2))", "largest").term)
    'max(wait, estimate, 3) + min(wait, max(wait, 1, 2))'
    """
    values: list[Term] = []
    word = term.word
    while word in ("min", "max") and term.parts[0].word == word:
        values.append(term.parts[1])
        term = term.parts[0]
    return [*term.parts, *reversed(values)]


def _within(term: Term, least: int) -> str:
    """Return a term in words, in brackets if it binds less than it must."""
    binding = _ALONE if term.word in FUNCTIONS or not term.parts else _BINDING[term.word]
    return f"({written_term(term)})" if binding < least else written_term(term)

"""A wish in words, such as "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h", read into a `Wish`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from ..core.errors import InputError, did_you_mean, in_quotes
from ..simulation.objective import Objective
from .wish import FREE, Limit, Wish, check_limit, check_near, check_weight, times

MOST_LETTERS = 2000
UNITS = {"s": ("s", 1.0), "min": ("s", 60.0), "h": ("s", 3600.0), "d": ("s", 86400.0), "%": ("%", 1.0)}


def parse(text: str, objectives: Sequence[Objective]) -> Wish:
    """Return the wish that words stand for; the module `wish` has the grammar.

    Parameters
    ----------
    text
        The words.
    objectives
        The objectives that a wish may use, as of `objective_table`.

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> parse("10*AWRT1 + 4*AWRT2, AWRT <= 11h", objective_table(("1", "2"))).limits
    (Limit(objective='AWRT', low=0.0, high=39600.0),)
    >>> parse("UTI", objective_table(()))
    Traceback (most recent call last):
    paretosched.core.errors.InputError: wish, character 1, "UTI": there must be one of UTIL, AWRT; did you mean UTIL?
    """
    return _Reader(text, objectives).wish()


class _Token(NamedTuple):
    """A number, word or sign of a wish in words, and where it is."""

    kind: str  # "number", "word", "sign" or "end"
    text: str
    place: int  # of the first character, from 0


TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[A-Za-z][A-Za-z0-9_]*)|(?P<sign><=|>=|\.\.|[-+*,=%])"
)


def _tokens(text: str) -> Iterator[_Token]:
    """Yield the tokens of a text, the end last; raises InputError at a character that no token has."""
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = TOKEN.match(text, place)
        if match is None or match.lastgroup is None:
            _refuse(_Token("sign", text[place], place), "has no meaning here")
        yield _Token(match.lastgroup, match.group(), place)
        place = match.end()
    yield _Token("end", "", len(text))


def _refuse(token: _Token, rule: str) -> NoReturn:
    """Raise InputError for a token that breaks a rule."""
    word = "the end" if token.kind == "end" else in_quotes(token.text)
    raise InputError(f"wish, character {token.place + 1}, {word}: {rule}")


class _Reader:
    """Recursive descent: a method for each rule of the grammar."""

    def __init__(self, text: str, objectives: Sequence[Objective]) -> None:
        if len(text) > MOST_LETTERS:
            raise InputError(f"wish: must have at most {MOST_LETTERS} characters, but has {len(text)}")
        self.tokens = list(_tokens(text))
        self.objectives = {o.name: o for o in objectives}
        self.place = 0

    def wish(self) -> Wish:
        """Return the wish: a goal and limits."""
        weights: dict[str, float] = {}
        near: dict[str, float] = {}
        limits: dict[str, Limit] = {}
        if self.take("near"):
            self.point(near)
        elif self.ahead(1) in ("<=", ">=", "in"):
            self.limit(limits)
        else:
            self.sum(weights)
        while self.take(","):
            if near and self.ahead(1) == "=":
                self.point(near)
            else:
                self.limit(limits)
        if self.now.kind != "end":
            operators = '"+", "-", ' if weights and not limits else ""
            self.refuse(f'there must be {operators}"," or the end')
        return Wish(tuple(weights.items()), tuple(near.items()), tuple(limits.values()))

    def sum(self, weights: dict[str, float]) -> None:
        """Read a weighted sum into `weights`."""
        sign = -1.0 if self.take("-") else 1.0
        if sign > 0:
            self.take("+")
        while True:
            factor = self.now
            weight = sign
            if factor.kind == "number":
                weight *= self.number()
                self.take("*")
            name = self.new_objective(weights)
            with _at(factor if factor.kind == "number" else self.tokens[self.place - 1]):
                check_weight(name, weight)
            weights[name] = weight
            if self.take("+"):
                sign = 1.0
            elif self.take("-"):
                sign = -1.0
            else:
                return

    def point(self, near: dict[str, float]) -> None:
        """Read the value of one objective of a point into `near`."""
        name = self.new_objective(near)
        if not self.take("="):
            self.refuse('there must be "="')
        start = self.now
        value, unit = self.quantity(name)
        with _at(start):
            check_near(name, times(value, unit))
        near[name] = times(value, unit)

    def limit(self, limits: dict[str, Limit]) -> None:
        """Read a limit into `limits`; an objective may have a lower and an upper one."""
        start = self.now
        name = self.objective()
        low, high = FREE
        if self.take("<="):
            high = times(*self.quantity(name))
        elif self.take(">="):
            low = times(*self.quantity(name))
        elif self.take("in"):
            first = self.place
            low, low_unit = self.quantity(name)
            has_unit = self.place > first + 1
            if not self.take(".."):
                self.refuse('there must be ".."')
            high, high_unit = self.quantity(name)
            low, high = times(low, low_unit if has_unit else high_unit), times(high, high_unit)
        else:
            self.refuse('there must be "<=", ">=" or "in"')
        earlier = limits.get(name, Limit(name))
        with _at(start):
            if (low > 0 and earlier.low > 0) or (high < math.inf and earlier.high < math.inf):
                raise InputError("is limited twice")
            both = Limit(name, max(low, earlier.low), min(high, earlier.high))
            check_limit(*both)
        limits[name] = both

    def quantity(self, name: str) -> tuple[float, float]:
        """Return a number and the factor of its unit."""
        value = self.number()
        unit = self.now.text.lower()
        if unit not in UNITS:
            return value, 1.0
        kind, factor = UNITS[unit]
        if kind != self.objectives[name].unit:
            units = [word for word, (kind, _) in UNITS.items() if kind == self.objectives[name].unit]
            self.refuse(f"the unit of {name} must be one of {', '.join(units)}")
        self.place += 1
        return value, factor

    def number(self) -> float:
        """Return the number that comes now."""
        if self.now.kind != "number":
            self.refuse("there must be a number")
        value = float(self.now.text)
        if math.isinf(value):
            self.refuse("is too large a number")
        self.place += 1
        return value

    def new_objective(self, earlier: Iterable[str]) -> str:
        """Return the name of the objective that comes now, which must not be among earlier ones."""
        token = self.now
        name = self.objective()
        if name in earlier:
            _refuse(token, f"{name} must come once, but comes again")
        return name

    def objective(self) -> str:
        """Return the name of the objective that comes now."""
        name = self.now.text.upper()
        if name not in self.objectives:
            self.refuse(f"there must be one of {', '.join(self.objectives)}{did_you_mean(name, self.objectives)}")
        self.place += 1
        return name

    @property
    def now(self) -> _Token:
        """Return the token that comes now."""
        return self.tokens[self.place]

    def ahead(self, count: int) -> str:
        """Return the text of a token further on."""
        return self.tokens[min(self.place + count, len(self.tokens) - 1)].text.lower()

    def take(self, text: str) -> bool:
        """Return whether this sign or word comes now; if so, go on to the next token."""
        comes = self.now.text.lower() == text
        self.place += comes
        return comes

    def refuse(self, rule: str) -> NoReturn:
        """Raise InputError for the token that comes now."""
        _refuse(self.now, rule)


@contextmanager
def _at(token: _Token) -> Iterator[None]:
    """Add the place and the text of a token to an error that is raised meanwhile."""
    try:
        yield
    except InputError as error:
        _refuse(token, str(error))

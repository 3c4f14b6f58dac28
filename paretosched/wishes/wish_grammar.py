"""A wish in words, such as "10*AWRT1 + 4*AWRT2, AWRT5 <= 11h", read into a `Wish`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple, NoReturn

from ..core.errors import InputError, did_you_mean, nearest_word
from ..core.token_reader import Token, TokenReader
from ..simulation.objective import Objective, group_of, is_of_group
from ..workload.measures import CONDITION, WHAT, is_measure, measure_of, objective_name, unit_of
from ..workload.measures import OTHERS as OF_OTHERS
from .wish import (
    ALL,
    FREE,
    HOURS_MEANT,
    OTHERS,
    REFERENCES,
    SEVERAL,
    Limit,
    Wish,
    check_limit,
    check_near,
    check_weight,
    groups_asked,
    others_named,
    times,
)

MOST_LETTERS = 2000
SECONDS_MEANT = 10_000  # a response time from here on, without a unit, was probably not meant in hours


class _Unit(NamedTuple):
    """A unit of quantities: what is measured with it, "s" or "%", and its size."""

    kind: str
    factor: float


UNITS = {
    "s": _Unit("s", 1.0), "min": _Unit("s", 60.0), "h": _Unit("s", 3600.0), "d": _Unit("s", 86400.0),
    "%": _Unit("%", 1.0),
}  # fmt: skip

SPELT_OUT = {"second": "s", "sec": "s", "minute": "min", "hour": "h", "hr": "h", "day": "d"}
TO_MINIMISE = ("min", "minimise", "minimize")  # words that begin a goal in other programs


def parse(text: str, objectives: Sequence[Objective], *, hours: bool = False) -> Wish:
    """Return the wish that words stand for; the module `wish` has the grammar.

    Parameters
    ----------
    text
        The words.
    objectives
        The objectives that a wish may use, as of `objective_table`.
    hours
        Whether a response time without a unit is in hours, as on the page, and as `wish_text(hours=True)` writes it.

    Raises
    ------
    InputError
        The text breaks a rule; the message says which, and at which character and word.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> parse("10*AWRT1 + 4*AWRT2, AWRT <= 11h", objective_table(("1", "2"))).limits
    (Limit(objective='AWRT', low=0.0, high=39600.0, of=''),)
    >>> parse("UTI", objective_table(()))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    paretosched.core.errors.InputError: wish, character 1, "UTI": there must be one of ...; did you mean UTIL?
    """
    return _Reader(text, objectives, hours=hours).wish()


class _Quantity(NamedTuple):
    """A number, where it is, and its unit; "" without a unit."""

    start: Token
    value: float
    unit: str


TOKEN = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)|(?P<word>[^\W\d_]\w*)|"
    r"(?P<name>\"[^\"]*\"|'[^']*')|(?P<sign><=|>=|\.\.|[-+*,=%<>≤≥])"
)
QUOTED = re.compile(r"[\s;\"']|^[0-9.]+(?:[eE][+-]?[0-9]+)?$")  # names that are read in quotes only
LIMITS = {"<=": "<=", "<": "<=", "≤": "<=", ">=": ">=", ">": ">=", "≥": ">="}  # what the signs of limits mean


class _Reader(TokenReader):
    """Recursive descent: a method for each rule of the grammar."""

    def __init__(self, text: str, objectives: Sequence[Objective], *, hours: bool) -> None:
        self.objectives = {o.name: o for o in objectives}
        self.groups = {group_of(o): o.name for o in objectives if is_of_group(o.name)}
        # names that are no words, as accounts have them, but no numbers either; the longest one that fits counts
        self.joined = sorted(
            (group.lower() for group in self.groups if re.search(r"\W|^\d", group) and not QUOTED.search(group)),
            key=len,
            reverse=True,
        )
        signs = "".join(sorted(set(re.sub(r"\w", "", "".join(self.joined)))))
        more = f"|(?P<part>[{re.escape(signs)}])" if signs else ""
        who = "|".join([*(re.escape(group) for group in sorted(self.groups, key=len, reverse=True)), r"\w+"])
        quoted = r"\"[^\"]*\"|'[^']*'"
        of = rf"\s+of\s+(?:group\s+)?(?:{quoted}|{CONDITION}|(?:{who})(?!\w))"
        measure = rf"(?P<measure>\b(?i:(?:{WHAT})(?:{of})?|awrt{of})(?!\w))|"
        super().__init__(text, "wish", re.compile(measure + TOKEN.pattern + more), MOST_LETTERS)
        self.hours = hours
        self.goal: set[str] = set()  # objectives and groups
        self.join_name()

    def wish(self) -> Wish:
        """Return the wish: a goal and limits."""
        weights: dict[str, float] = {}
        near: dict[str, float] = {}
        limits: dict[tuple[str, str], Limit] = {}
        if self.take("near"):
            self.point(near)
        elif self.comes(*LIMITS, "in", ahead=1):
            self.limit(limits)
        else:
            self.sum(weights)
        while self.take(","):
            self.join_name()
            if near and self.comes("=", ahead=1):
                self.point(near)
            else:
                self.limit(limits)
        if self.now.kind != "end":
            operators = '"+", "-", ' if weights and not limits else ""
            self.refuse(f'there must be {operators}"," or the end{self.limit_meant()}')
        wish = Wish(tuple(weights.items()), tuple(near.items()), tuple(limits.values()))
        asked = groups_asked(wish, [*self.groups])
        if any(limit.objective == OTHERS for limit in wish.limits) and len(asked) == len(self.groups):
            raise InputError(
                f'wish: "{OTHERS}" must be groups that are not in the goal, but all groups are in it; '
                f'write "{ALL}" for all groups'
            )
        return others_named(wish, [*self.groups])

    def sum(self, weights: dict[str, float]) -> None:
        """Read a weighted sum into `weights`."""
        sign = -1.0 if self.take("-") else 1.0
        if sign > 0:
            self.take("+")
        while True:
            self.join_name()
            factor = self.now
            weight = sign
            if factor.kind == "number":
                weight *= self.number()
                self.take("*")
            name = self.new_objective(weights)
            if factor.kind != "number":
                self.refuse_factor(factor)
            with self.at(factor if factor.kind == "number" else self.tokens[self.place - 1]):
                check_weight(name, weight)
            weights[name] = weight
            self.goal |= self.in_goal(name)
            if self.take("+"):
                sign = 1.0
            elif self.take("-"):
                sign = -1.0
            else:
                return

    def point(self, near: dict[str, float]) -> None:
        """Read the value of one objective of a point into `near`."""
        name = self.new_objective(near)
        self.need("=")
        start = self.now
        level = self.level(name, self.quantity(name))
        with self.at(start):
            check_near(name, level)
        near[name] = level
        self.goal |= self.in_goal(name)

    def in_goal(self, name: str) -> set[str]:
        """Return what is in the goal if an objective is: itself, and the group that it is a measure of."""
        return {name, measure_of(name).group} if is_measure(name) else {name}

    def limit(self, limits: dict[tuple[str, str], Limit]) -> None:
        """Read a limit into `limits`; an objective may have a lower and an upper one."""
        start = self.now
        name = self.limited_name()
        (low, high), of = FREE, ""
        sign = self.now
        if self.take("in"):
            first = self.quantity(name)
            self.need("..")
            second = self.quantity(name)
            low, high = self.level(name, first, second.unit), self.level(name, second)
        elif self.comes(*LIMITS):
            self.place += 1
            end, of = self.end(name)
            low, high = (low, end) if LIMITS[sign.text] == "<=" else (end, high)
        else:
            hint = "" if self.quotes_missing() else "; the goal comes first, as one sum, and limits behind commas"
            self.refuse(f'there must be "<=", ">=" or "in"{hint}')
        for each in self.of_groups(name):
            earlier = limits.get((each, of), Limit(each))
            with self.at(start):
                if (low > 0 and earlier.low > 0) or (high < math.inf and earlier.high < math.inf):
                    raise InputError("is limited twice")
                both = Limit(each, max(low, earlier.low), min(high, earlier.high), of)
                check_limit(*both)
            limits[each, of] = both

    def of_groups(self, name: str) -> list[str]:
        """Return the objective with a name; in place of a measure of others, that of each group not in the goal."""
        measure = None if name in SEVERAL or name in self.objectives else measure_of(name)
        if measure is None or measure.of.lower() != OF_OTHERS or OF_OTHERS in self.groups:
            return [name]
        others = [group for group, awrt in self.groups.items() if awrt not in self.goal and group not in self.goal]
        if not others:
            raise InputError(f'wish: "{name}" must be of groups that are not in the goal, but all groups are in it')
        stem = name.removesuffix(measure.of)
        return [objective_name(f'{stem}"{group}"', tuple(self.groups)) for group in others]

    def end(self, name: str) -> tuple[float, str]:
        """Return an end of a range and, if it is relative, the policy of which it is a multiple; else ""."""
        if self.now.kind in ("word", "name"):
            start = self.now
            policy = self.policy("a number or a policy")
            self.refuse_factor(start)
            return 1.0, policy
        quantity = self.quantity(name)
        is_number = quantity.unit == ""
        if is_number and (self.take("*") or self.now.kind == "name" or self.names_policy()):
            if quantity.value == 0:
                self.refuse_token(quantity.start, "the factor of a policy must be above 0")
            return quantity.value, self.policy("a policy")
        return self.level(name, quantity), ""

    def policy(self, rule: str) -> str:
        """Return the name of the policy that comes now, which may have hyphens."""
        start, length = self.now, 1
        while self.comes("-", ahead=length):
            length += 2
        word = "".join(token.text for token in self.tokens[self.place : self.place + length]).lower()
        if word not in REFERENCES:
            self.refuse_token(
                start, f"there must be {rule}; policies are {', '.join(REFERENCES)}{did_you_mean(word, REFERENCES)}"
            )
        self.place += length
        return word

    def names_policy(self) -> bool:
        """Return whether a word comes now with which the name of a policy begins."""
        word = self.now.text.lower()
        return self.now.kind == "word" and any(word == name.partition("-")[0] for name in REFERENCES)

    def quantity(self, name: str) -> _Quantity:
        """Return the number that comes now, with its unit if it has one."""
        start = self.now
        value = self.number()
        unit = self.now.text.lower()
        unit = SPELT_OUT.get(unit.removesuffix("s"), unit)
        if self.now.kind == "name" or unit not in UNITS:
            return _Quantity(start, value, "")
        if UNITS[unit].kind != self.unit_of(name):
            policy = self.ahead(1).text.upper()
            if policy.lower() in REFERENCES:
                self.refuse(f"a share of a policy is a factor; write {value / 100:g}*{policy}")
            units = [word for word in UNITS if UNITS[word].kind == self.unit_of(name)]
            rule = (
                f"the unit of {name} must be one of {', '.join(units)}"
                if units
                else f"{name} is a number without a unit"
            )
            self.refuse(rule)
        self.place += 1
        return _Quantity(start, value, unit)

    def level(self, name: str, quantity: _Quantity, other_unit: str = "") -> float:
        """Return a quantity in natural units; if it has no unit, `other_unit` is its unit.

        A response time without a unit is refused where hours may be meant in place of seconds, or seconds of hours.
        """
        unit = quantity.unit or other_unit
        if not unit and self.hours and self.unit_of(name) == "s":
            if quantity.value >= SECONDS_MEANT:
                text = quantity.start.text
                self.refuse_token(quantity.start, f"is {text} h; did you mean {text}s? Write {text}h for hours")
            unit = "h"
        is_short = self.unit_of(name) == "s" and 0 < quantity.value < HOURS_MEANT
        if not unit and is_short and self.now.kind != "word":  # else this word is refused
            text = quantity.start.text
            self.refuse_token(quantity.start, f"is {text} s; did you mean {text}h? Write {text}s for seconds")
        return times(quantity.value, UNITS[unit].factor if unit else 1.0)

    def unit_of(self, name: str) -> str:
        """Return the unit of an objective; that of several groups is that of response times."""
        return "s" if name in SEVERAL else unit_of(name)

    def number(self) -> float:
        """Return the number that comes now."""
        if self.now.kind != "number":
            self.refuse("there must be a number")
        self.refuse_comma()
        value = float(self.now.text)
        self.check_number(self.now, value)
        self.place += 1
        return value

    def refuse_comma(self) -> None:
        """Raise InputError if the number that comes now has a comma in place of the decimal point."""
        whole, comma, part = self.now, self.ahead(1), self.ahead(2)
        if comma.text != "," or part.kind != "number" or not whole.end == comma.place == part.place - 1:
            return
        ends = [token.place for token in self.tokens[self.place + 2 :] if token.text == "," or token.kind == "end"]
        rest = self.text[part.end : ends[0]].strip()
        both = f"{whole.text}{part.text}{rest} or " if len(part.text) == 3 else ""  # between thousands and hundreds
        token = Token("number", self.text[whole.place : part.end], whole.place, part.end)
        self.refuse_token(token, f"a number must have no comma; write {both}{whole.text}.{part.text}{rest}")

    def refuse_factor(self, start: Token) -> None:
        """Raise InputError if a factor comes now, behind the name that begins with a token."""
        factor = self.ahead(1)
        if self.comes("*") and factor.kind == "number":
            name = self.text[start.place : self.tokens[self.place - 1].end]
            self.refuse(f"the factor must come first; write {factor.text}*{name}")

    def new_objective(self, earlier: Iterable[str]) -> str:
        """Return the name of the objective that comes now, which must not be among earlier ones."""
        token = self.now
        name = self.objective()
        if name in earlier:
            self.refuse_token(token, f"{name} must come once, but comes again")
        if name not in self.objectives and measure_of(name).of.lower() == OF_OTHERS and OF_OTHERS not in self.groups:
            self.refuse_token(token, "others are those that are not in the goal, so that they can only be limited")
        return name

    def limited_name(self) -> str:
        """Return the name of the objective, or the word for several groups, that comes now."""
        word = self.now.text.lower()
        if self.now.kind != "word" or word not in SEVERAL:
            return self.objective(SEVERAL)
        if len(self.groups) > 1 and any(group.lower() == word for group in self.groups):
            self.refuse(f"means {ALL} groups or those not in the goal, and a group has this name; write it in quotes")
        self.place += 1
        return word

    def objective(self, others: Sequence[str] = ()) -> str:
        """Return the name of the objective that comes now: a word for it, or the name of its group.

        `others` are words that may stand here, too.
        """
        if self.now.kind == "measure":
            token = self.now
            is_others = re.fullmatch(rf"awrt\s+of\s+{OTHERS}", token.text, re.IGNORECASE)
            if is_others and OTHERS in others and OTHERS not in (group.lower() for group in self.groups):
                self.place += 1
                return OTHERS
            self.place += 1
            with self.at(token):
                return objective_name(token.text, tuple(self.groups))
        self.join_name()
        word = self.now.text
        names = [self.groups[word]] if word in self.groups else []
        names = names or [name for group, name in self.groups.items() if group.lower() == word.lower()]
        if self.now.kind == "word" and word.upper() in self.objectives:
            names.append(word.upper())
        if self.now.kind not in ("word", "name") or not names:
            if not others and self.comes(*TO_MINIMISE):
                self.refuse("a sum is minimised anyway; leave this word out")
            known = [*self.objectives, *(group for group in self.groups if not group.isdigit()), *others]
            near = nearest_word(word, known) or nearest_word(self.whole_name(self.now), known)
            hint = "" if near is None or self.quotes_missing() else f"; did you mean {near}?"
            hint += f" Write {_name_in_quotes(near)} in quotes" if near and hint and self.needs_quotes(near) else ""
            is_name = self.now.kind in ("word", "name") and not re.match(r"awrt|util|\d+$", word, re.IGNORECASE)
            if is_name and not hint and all(group.isdigit() for group in self.groups):
                hint = "; groups have names where a CSV file of users and groups gives them, see --groups"
            if "did you mean" not in hint and not others and self.groups:
                hint = f"; for example: mean wait of {next(iter(self.groups))}, longest wait of others <= 4d{hint}"
            self.refuse(f"there must be one of {', '.join(known)}, or a measure, such as p95 wait{hint}")
        if len({*names}) > 1:
            self.refuse(
                f"means {' and '.join(dict.fromkeys(names))}; write one of them, or a group's exact name in quotes"
            )
        self.place += 1
        return names[0]

    def needs_quotes(self, name: str) -> bool:
        """Return whether a name can stand in a wish in quotes only."""
        return bool(re.search(r"\W", name)) and name.lower() not in self.joined

    def join_name(self) -> None:
        """Make one token of those that come now, if they are the name of a group, such as theo-chem or 3d.lab."""
        begin = self.now.place
        for name in self.joined if self.now.kind != "name" else ():
            end = begin + len(name)
            ends = [k for k, token in enumerate(self.tokens) if k >= self.place and token.end == end]
            if self.text[begin:end].lower() == name and ends and self.tokens[ends[0]].kind != "name":
                self.tokens[self.place : ends[0] + 1] = [Token("name", self.text[begin:end], begin, end)]
                return

    def limit_meant(self) -> str:
        """Return the end of a message about what comes now, if it was probably to be a part of a limit; else ""."""
        if self.comes("="):
            return '; a limit has "<=" or ">="'
        return "; a limit is a number or a multiple of a policy, such as 1.05*EASY" if self.comes("+", "-") else ""

    def no_meaning(self, letter: str) -> str:
        """Return what is said of a character that no token has."""
        hint = "; a name must end with its quote" if letter in "\"'" else ""
        hint += "; a comma must separate the goal and the limits" if letter == ";" else ""
        return super().no_meaning(letter) + hint

    def refuse(self, rule: str) -> NoReturn:
        """Raise InputError for the token that comes now; if it belongs to a name without quotes, say so."""
        super().refuse(rule + self.quotes_missing())

    def quotes_missing(self) -> str:
        """Return the end of a message, if what comes now belongs to a group's name that must be in quotes; else ""."""
        for group in self.groups if self.now.kind != "name" else ():
            if self.needs_quotes(group):
                places = re.finditer(re.escape(group), self.text, re.IGNORECASE)
                if any(place.start() <= self.now.place < place.end() for place in places):
                    return f"; write {_name_in_quotes(group)} in quotes"
        return ""

    @contextmanager
    def at(self, token: Token) -> Iterator[None]:
        """Add the place and the text of a token to an error that is raised meanwhile."""
        try:
            yield
        except InputError as error:
            self.refuse_token(token, str(error))


def names_in_words(objectives: Sequence[Objective]) -> dict[str, str]:
    """Return how a wish writes the response times of groups that have names, by objective: in quotes where it must.

    Examples
    --------
    >>> from paretosched.simulation.objective import objective_table
    >>> names_in_words(objective_table(("theo-chem", "2", "all")))
    {'AWRT1': 'theo-chem', 'AWRT3': '"all"'}
    """
    words = {}
    for o in objectives:
        group = group_of(o)
        if is_of_group(o.name) and o.name != f"AWRT{group}" and not re.fullmatch(r"\d+", group):
            words[o.name] = group if _is_read(group, o.name, objectives) else _name_in_quotes(group)
    return words


def _is_read(group: str, name: str, objectives: Sequence[Objective]) -> bool:
    """Return whether a wish reads the name of a group without quotes."""
    try:
        return parse(f"{group}, {group} <= 60h", objectives) == Wish([(name, 1)], limits=[Limit(name, high=216_000)])
    except InputError:
        return False


def _name_in_quotes(name: str) -> str:
    """Return a name as a wish has it, in quotes that are not in it."""
    return f"'{name}'" if '"' in name else f'"{name}"'

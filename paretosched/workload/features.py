"""What nodes a job wants by their features: the words behind --constraint, as Slurm reads them."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import NamedTuple

from ..core.errors import InputError, in_quotes

TOKEN = re.compile(r"\s*([&|,()\[\]]|\*\d{1,9}|[^\s&|,()\[\]*]+)")
MOST_WAYS = 1000
DEEPEST = 50


class Constraint(NamedTuple):
    """Which nodes a job wants.

    Attributes
    ----------
    ways
        A node will do if it has all features of one of these sets; no set: any node will do.
    alike
        Whether all nodes of the job must do by the same way, as for [a|b].
    counts
        How many nodes must have all features of a set, as for a*2&b*1: pairs of set and number.
    """

    ways: tuple[frozenset[str], ...] = ()
    alike: bool = False
    counts: tuple[tuple[frozenset[str], int], ...] = ()

    def suits(self, features: Collection[str]) -> bool:
        """Return whether a node with some features will do."""
        ways = self.ways + tuple(each for each, _ in self.counts)
        return not ways or any(way.issubset(features) for way in ways)


def read_constraint(text: str) -> Constraint:
    """Return what the words behind --constraint say; & and | are read from left to right, as Slurm does.

    Raises
    ------
    InputError
        It is no constraint.

    Examples
    --------
    >>> [sorted(way) for way in read_constraint("ib&(v100|p100)").ways]
    [['ib', 'v100'], ['ib', 'p100']]
    >>> read_constraint("[rack1|rack2]").alike, read_constraint("v100*2&big*1").counts
    (True, ((frozenset({'v100'}), 2), (frozenset({'big'}), 1)))
    """
    words: list[str] = []
    place = 0
    while place < len(text.rstrip()):
        match = TOKEN.match(text, place)
        if match is None:
            raise _no_constraint(text)
        words.append(match.group(1))
        place = match.end()
    if not words:
        return Constraint()
    alike = "[" in words and not any(word.startswith("*") for word in words)
    rest = words[::-1]
    ways, counts = _side(rest, text, 0)
    if rest:
        raise _no_constraint(text)
    if counts:
        return Constraint((), False, tuple(counts))
    return Constraint(tuple(dict.fromkeys(ways)), alike, ())


Ways = list[frozenset[str]]


def _side(rest: list[str], text: str, depth: int) -> tuple[Ways, list[tuple[frozenset[str], int]]]:
    """Return the ways and counts of what stands up to the next bracket that closes; `rest` is reversed and consumed."""
    if depth > DEEPEST:
        raise InputError(f"constraint {in_quotes(text)} must have at most {DEEPEST} brackets within each other")
    ways, counts = _term(rest, text, depth)
    while rest and rest[-1] in ("&", "|", ","):
        sign = rest.pop()
        more, more_counts = _term(rest, text, depth)
        counts += more_counts
        ways = ways + more if sign == "|" else [a | b for a in ways for b in more]
        if len(ways) > MOST_WAYS:
            raise InputError(f"constraint {in_quotes(text)} must have at most {MOST_WAYS} ways, but has more")
    return ways, counts


def _term(rest: list[str], text: str, depth: int) -> tuple[Ways, list[tuple[frozenset[str], int]]]:
    """Return the ways and counts of a word or of what stands in brackets."""
    word = rest.pop() if rest else ""
    if word in ("(", "["):
        ways, counts = _side(rest, text, depth + 1)
        if not rest or rest.pop() != {"(": ")", "[": "]"}[word]:
            raise _no_constraint(text)
    elif not word or word[0] in "&|,)]" or word.startswith("*"):
        raise _no_constraint(text)
    else:
        ways, counts = [frozenset([word])], []
    if rest and rest[-1].startswith("*"):
        number = int(rest.pop()[1:])
        counts = [*counts, *((way, number) for way in ways)]
    return ways, counts


def _no_constraint(text: str) -> InputError:
    """Return the error about a text that is no constraint."""
    return InputError(f"constraint {in_quotes(text)} must be features with & and | between them, but is not")

"""Lists of hosts such as n[001-003,7],b01, as Slurm writes them: their names, their order, and the list of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from ..core.errors import InputError, in_quotes

MOST_NODES = 250_000  # of a machine; Slurm's ranges end at 65,536
MOST_BRACKETS = 8  # in a name
PART = re.compile(r"[^,\[]*(?:\[[^\]]*\][^,\[]*)*")
RANGE = re.compile(r"(\d{1,12})(?:-(\d{1,12}))?")
NUMBERED = re.compile(r"(.*?)(\d{1,12})(\D*)")
DIGITS = re.compile(r"(\d+)", re.ASCII)


def node_names(text: str, where: str) -> Iterator[str]:
    """Yield the names of nodes in a list such as "login,n[1-3,07]".

    Parameters
    ----------
    text, where
        The list, and its file and line.

    Raises
    ------
    InputError
        The list breaks a rule.

    Examples
    --------
    >>> list(node_names("login,n[1-3,07]-a", "slurm.conf:1"))
    ['login', 'n1-a', 'n2-a', 'n3-a', 'n07-a']
    """
    place, count = 0, 0
    while place < len(text):
        match = PART.match(text, place)
        part = match.group() if match else ""
        place += len(part) + 1
        if not part or "]" in re.sub(r"\[[^\]]*\]", "", part) or (place <= len(text) and text[place - 1] != ","):
            raise InputError(f"{where}: {in_quotes(text)} must be a list of nodes such as n[1-64], but is not")
        for name in _names_of_part(part, where):
            count += 1
            if count > MOST_NODES:  # several brackets
                raise InputError(f"{where}: {in_quotes(text)} must be at most {MOST_NODES:,} nodes, but is more")
            yield name


def _names_of_part(part: str, where: str) -> Iterator[str]:
    """Yield the names that one part of a list stands for, of which each bracket is expanded."""
    begin, end = part.find("["), part.find("]")
    if begin < 0:
        yield part
        return
    if part.count("[") > MOST_BRACKETS:
        raise InputError(f"{where}: {in_quotes(part)} must have at most {MOST_BRACKETS} brackets, but has more")
    rest = part[end + 1 :]
    endings = list(islice(_names_of_part(rest, where), MOST_NODES + 1)) if rest else [""]
    for piece in part[begin + 1 : end].split(","):
        match = RANGE.fullmatch(piece.strip())
        if match is None:
            raise InputError(f"{where}: {in_quotes(part)} must have numbers such as 1-64 in brackets, but has not")
        first = match.group(1)
        last = int(match.group(2) or first)
        if last < int(first):
            raise InputError(f"{where}: {in_quotes(part)} must have the smaller number first, but has not")
        if last - int(first) >= MOST_NODES:
            raise InputError(f"{where}: {in_quotes(part)} must be at most {MOST_NODES:,} nodes, but is more")
        for number in range(int(first), last + 1):
            name = part[:begin] + str(number).zfill(len(first))
            for ending in endings:
                yield name + ending


def name_order(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return the key by which Slurm puts nodes in order: by name, numbers as numbers.

    Examples
    --------
    >>> sorted(["n10", "b2", "n2", "a1", "n1"], key=name_order)
    ['a1', 'b2', 'n1', 'n2', 'n10']
    """
    parts = DIGITS.split(name)
    return tuple(int(part) if place % 2 else part for place, part in enumerate(parts)), name


def host_list(names: Sequence[str]) -> str:
    """Return the list of some names, from which `node_names` gives the same names in the same order.

    Examples
    --------
    >>> host_list(["n001", "n002", "n003", "n007", "b1", "login"])
    'n[001-003,007],b1,login'
    >>> host_list(["n9", "n10", "n011"])
    'n[9-10,011]'
    """
    parts: list[str] = []
    around, runs = ("", ""), list[list[str]]()

    def end() -> None:
        ranges = [run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs]
        alone = len(ranges) == 1 and len(runs[0]) == 1
        parts.append(f"{around[0]}{ranges[0] if alone else '[' + ','.join(ranges) + ']'}{around[1]}")

    for name in names:
        match = NUMBERED.fullmatch(name)
        before, digits, behind = match.groups() if match else (name, "", "")
        if runs and (not digits or around != (before, behind)):
            end()
            runs = []
        if not digits:
            parts.append(name)
            continue
        around = before, behind
        last = runs[-1] if runs else []
        if last and digits == str(int(last[-1]) + 1).zfill(len(last[0])):
            last[1:] = [digits]
        else:
            runs.append([digits])
    if runs:
        end()
    return ",".join(parts)

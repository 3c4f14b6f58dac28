"""Words in formulas that a workload does not know as groups: a mistake in writing, or a group that a log does not have.

Policies outlive logs, so a group that is missing in a log is no error. But a word that is similar to the name of a
group is probably this name; one that is all of a formula is probably meant as the name of an order; and a policy of
whose groups there is none would do nothing of what it says.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..core.errors import InputError, first_few, in_quotes, nearest_word
from ..workload.workload import Workload
from .formula import Term, bare_groups
from .published_orders import ORDER_NAMES

WORD = r"[A-Za-z_][A-Za-z0-9_]*"  # what a formula reads as one word


def check_groups(part: str, terms: Sequence[Term], named: Sequence[str], workload: Workload) -> None:
    """Refuse groups in formulas that are probably mistakes, if their names are written as words alone.

    Parameters
    ----------
    part
        What the formulas are for; it begins the message of an error.
    terms
        The formulas.
    named
        All groups that the policy names.
    workload
        The jobs.

    Raises
    ------
    InputError
        The workload does not have a group, but one with a similar name; a formula is nothing but such a group; or the
        workload has none of the groups of the policy.

    Examples
    --------
    >>> from .formula import parse_formula
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=1, group=[0], groups=("physics",))
    >>> check_groups("order", [parse_formula("5 * phsyics + wait", "largest").term], ["phsyics"], w)
    Traceback (most recent call last):
    paretosched.core.errors.InputError: order: workload has no group "phsyics"; did you mean physics? (a group \
that may be missing is group(phsyics))
    """
    words = dict.fromkeys(word for term in terms for word in bare_groups(term))
    missing = [word for word in words if word not in workload.groups]
    for word in missing:
        near = _group_with(word, workload.groups) or nearest_word(word, workload.groups)
        if near is not None:
            quotes = "" if re.fullmatch(WORD, near) else f' Write "{near}" in quotes'
            raise InputError(
                f"{part}: {workload.name} has no group {in_quotes(word)}; did you mean {near}?{quotes} "
                f"(a group that may be missing is group({word}))"
            )
    alone = [term.labels[0] for term in terms if term.bare and term.labels[0] in missing]
    orders = [name for term in terms for name in bare_groups(term) if name in missing and name.lower() in ORDER_NAMES]
    if orders:
        raise InputError(
            f"{part}: {in_quotes(orders[0])} is an order, and cannot be a part of a formula; write out its formula "
            f"(a group that may be missing is group({orders[0]}))"
        )
    if alone:
        raise InputError(
            f"{part}: {in_quotes(alone[0])} must be an order or a formula, but is neither, nor a group of "
            f"{workload.name}; orders are {', '.join(ORDER_NAMES)} (a group that may be missing is group({alone[0]}))"
        )
    if missing and not any(name in workload.groups for name in named):
        difference = next((name for term in terms for name in _differences(term) if set(name) <= {*missing}), ())
        hint = f'; if "{"-".join(difference)}" is one name, write "{"-".join(difference)}" in quotes'
        raise InputError(
            f"{part}: {workload.name} has the groups {first_few(workload.groups, limit=8)}, but none of the policy's: "
            f"{first_few(named, limit=8)}{hint if difference else ''} (a group that may be missing is "
            f"group({missing[0]}))"
        )


def _group_with(word: str, groups: Sequence[str]) -> str | None:
    """Return the group with a name of several words, such as "a-b", of which one is `word`; None if there is none."""
    return next((name for name in groups if not re.fullmatch(WORD, name) and word in re.split(r"\W+", name)), None)


def _differences(term: Term) -> list[tuple[str, str]]:
    """Return the names of groups, written as words alone, that have a minus sign between them."""
    rows = [row for part in term.parts for row in _differences(part)]
    if term.word == "-":
        left, right = term.parts
        while left.parts:
            left = left.parts[-1]
        while right.parts:
            right = right.parts[0]
        if left.bare and right.bare:
            rows.append((left.labels[0], right.labels[0]))
    return rows

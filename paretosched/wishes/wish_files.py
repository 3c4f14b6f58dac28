"""Wishes on disk, and wishes as arguments: in words, as a file, or as the value itself.

A type of msgspec describes a wish file. `schema` makes the published JSON Schema from it, the file `wish.schema.json`
beside this one. `Wish` checks all other rules.
"""

from __future__ import annotations

import math
import os
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from ..core.errors import InputError, in_quotes
from ..core.files import is_file, nothing_else, read_json, write_json
from ..core.typed_json import as_type
from ..simulation.objective import objective_table
from ..workload.from_paths import GroupsLike, as_groups
from ..workload.measures import IDLE, QUANTITIES, is_measure, with_measures
from ..workload.user_groups import MOST_GROUPS
from ..workload.workload import Workload
from .wish import FREE, LARGEST, MOST, OBJECTIVE, REFERENCES, SEVERAL, SMALLEST, Limit, Wish, others_named
from .wish_grammar import parse

FORMAT = "paretosched wish 1"
ANY_GROUPS = tuple(str(number) for number in range(1, MOST_GROUPS + 1))
NAMED = rf"{OBJECTIVE.pattern}|UTIL_.+|.*({'|'.join(QUANTITIES)}|{IDLE}).*"  # objectives, and roughly measures
WishLike = str | os.PathLike[str] | Wish

# What goes beyond the types is in the schema only: `Wish` checks it, with clearer messages.
Format = Annotated[str, Meta(extra_json_schema={"const": FORMAT})]
Weights = Annotated[
    dict[str, Annotated[float, Meta(extra_json_schema={"minimum": -LARGEST, "maximum": LARGEST})]],
    Meta(
        description="Weights of a sum to be minimised, by objective; that of UTIL is negative",
        extra_json_schema={"propertyNames": {"pattern": f"^({NAMED})$"}},
    ),
]
Point = Annotated[
    dict[str, Annotated[float, Meta(extra_json_schema={"minimum": SMALLEST, "maximum": MOST})]],
    Meta(
        description="A point to come near to, by objective: response times and waits in seconds, UTIL in per cent",
        extra_json_schema={"propertyNames": {"pattern": f"^({NAMED})$"}},
    ),
]
Ends = Annotated[
    list[Annotated[float, Meta(extra_json_schema={"minimum": 0, "maximum": MOST})] | None],
    Meta(extra_json_schema={"minItems": 2, "maxItems": 2}),
]
Limits = Annotated[
    dict[str, Ends],
    Meta(
        description="The smallest and the largest value allowed, by objective, or for all groups, or for the others "
        "than those in the goal; null where there is no limit",
        extra_json_schema={"propertyNames": {"pattern": f"^({'|'.join((NAMED, *SEVERAL))})$"}},
    ),
]
Relative = Annotated[
    dict[str, Limits],
    Meta(
        description="Limits that are multiples of what a policy reaches on the same jobs, by the policy",
        extra_json_schema={"propertyNames": {"enum": list(REFERENCES)}},
    ),
]


class WishFile(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A wish: a sum or a point to come near to, and limits."""

    format: Format
    sum: Weights = {}
    near: Point = {}
    limits: Limits = {}
    relative: Relative = {}


# --- in files -------------------------------------------------------------------------------------------------------


def to_json(wish: Wish) -> dict[str, Any]:
    """Return a wish as plain JSON values.

    Examples
    --------
    >>> to_json(Wish(weights=[("AWRT1", 10)], limits=[Limit("AWRT2", high=5)]))
    {'format': 'paretosched wish 1', 'sum': {'AWRT1': 10.0}, 'limits': {'AWRT2': [0.0, 5.0]}}
    """
    limits: dict[str, Limits] = {policy: {} for policy in ("", *wish.references)}
    for name, low, high, of in wish.limits:
        limits[of][name] = [low, None if math.isinf(high) else high]
    parts = dict(wish.weights), dict(wish.near), limits.pop(""), limits
    plain: dict[str, Any] = msgspec.to_builtins(WishFile(FORMAT, *parts))
    return plain


def from_json(value: Any, where: str = "wish") -> Wish:
    """Return a wish from the plain JSON values that `to_json` returns.

    Parameters
    ----------
    value
        The content of a file.
    where
        Its name in errors, such as that of the file.

    Raises
    ------
    InputError
        The value is not a wish; the message says why.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise InputError(f'{where}: a wish file must be an object with "format": "{FORMAT}"')
    try:
        nothing_else(value, WishFile.__struct_fields__)
        file = as_type(value, WishFile)
        return Wish(
            tuple((name, _in_range(name, weight)) for name, weight in file.sum.items()),
            tuple((name, _in_range(name, level)) for name, level in file.near.items()),
            tuple(
                _limit(name, ends, of)
                for of, limits in {"": file.limits, **file.relative}.items()
                for name, ends in limits.items()
            ),
        )
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def schema() -> dict[str, Any]:
    """Return the JSON Schema of wish files."""
    _, parts = msgspec.json.schema_components([WishFile], ref_template="#/$defs/{name}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **parts[WishFile.__name__], "title": FORMAT}


def _in_range(name: str, value: float) -> float:
    """Return a number of a file; raises InputError if it is too large for a weight, a level or a limit."""
    if abs(value) > MOST:
        raise InputError(f"a number of {name} must be below 1e300, but is {in_quotes(str(value))}")
    return value


def _limit(name: str, ends: list[float | None], of: str) -> Limit:
    """Return the limits of an objective, relative to a policy or "", from the list of both ends in a file."""
    if len(ends) != 2:
        raise InputError(f"limits of {name} must be a list of two numbers, but are {len(ends)}")
    low, high = (free if end is None else _in_range(name, end) for end, free in zip(ends, FREE, strict=True))
    return Limit(name, low, high, of)


def save_wish(wish: WishLike, path: str | os.PathLike[str]) -> None:
    """Write a wish file.

    Parameters
    ----------
    wish
        A wish; one in words, which may use the objectives of up to 64 groups; or the path of a wish file.
    path
        The file to be written.

    Raises
    ------
    InputError
        As for `as_wish`; or the file cannot be written.
    """
    write_json(path, to_json(as_wish(wish, ANY_GROUPS)))


def load_wish(path: str | os.PathLike[str]) -> Wish:
    """Return the wish in a file.

    Raises
    ------
    InputError
        The file cannot be read, is not JSON, or is not a wish.
    """
    return from_json(read_json(path, "wish"), str(path))


def as_wish(what: WishLike, groups: GroupsLike) -> Wish:
    """Return a wish, given as a wish, in words for these user groups, or as the path of a wish file (.json).

    Parameters
    ----------
    what
        The wish, its words, or the path of its file.
    groups
        The names of the groups; or a workload, a front or a policy for them, or the path of a log or run directory.

    Raises
    ------
    InputError
        The words or the file break a rule, or `groups` are no groups.

    Examples
    --------
    >>> as_wish("AWRT1", ("1",)).weights
    (('AWRT1', 1.0),)
    """
    measured = getattr(groups, "measured", None)
    groups = as_groups(groups)
    if isinstance(what, Wish):
        what = others_named(what, groups)
        return what if measured is None or what.measures == measured.names else replace(what, measures=measured.names)
    if not isinstance(what, str | os.PathLike):
        raise InputError(f"a wish must be a wish, its words or the path of a file, but is {what!r:.60}")
    is_words = isinstance(what, str) and any(mark in what for mark in "<>*,") and not is_file(what)
    if Path(what).suffix == ".json" and not is_words:  # words may end with the name of a file
        wish = others_named(load_wish(what), groups)
    else:
        wish = parse(str(what), objective_table(groups))
    return wish if measured is None else replace(wish, measures=measured.names)


def measuring(what: WishLike, workload: Workload) -> tuple[Wish, Workload]:
    """Return a wish, and the workload on which what it is about is measured; arguments as of `as_wish`.

    Raises
    ------
    InputError
        As for `as_wish` and `with_measures`.

    Examples
    --------
    >>> w = Workload(submit=[0], run=[1], estimate=[1], width=[1], capacity=2)
    >>> measuring("mean wait, AWRT <= 2h", w)[1].measured.names
    ('mean wait',)
    """
    wish = as_wish(what, workload)
    changed = with_measures(workload, filter(is_measure, wish.names))
    return replace(wish, measures=changed.measured.names), changed

"""The genome of exploration by job sequence: a recipe, from which an order of all jobs is derived.

Paper 002 (section 3.2, "Coding as Permutation") varies the order in which jobs are put into the schedule. An order
of 136,000 jobs takes half a megabyte, but it is determined by six numbers and by the recipes of its ancestors:

=========  ==========================================================================================
number     which evaluation of the run this is, 0, 1, 2, ...
parent     number of the evaluation it is made from; -1: it is a start order
mate       number of the second parent; -1: no recombination
key        seed of everything that is left to chance, below 2^53; for a start order, its index
frequency  mean number of elementary moves from its parent to it
jump       mean length of a move, in places
=========  ==========================================================================================

So a run stores recipes, workers are sent recipes, and a cache of recent orders makes nearly every derivation one
variation. Both strategy parameters are those that were used, already adapted for this child.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats
from ..core.errors import InputError, quoted
from ..core.notebook import fields_html, fields_repr
from ..kernels.ancestry import mark_ancestors
from ..policies.policy import Policy, fits
from ..policies.policy import from_json as policy_from_json
from ..simulation.simulator import start_times
from ..workload.workload import Workload

Order = NDArray[np.int32]

GENES = ("number", "parent", "mate", "key", "frequency", "jump")
DECODINGS = ("strict", "earliest")
MOVES = ("adjacent", "swap", "later", "group", "pull", "fill", "both")
MOVABLE = ("all", "processors", "hour", "either", "both")
RECOMBINATIONS = ("none", "ox", "pmx", "cycle")
MISSING = -2
KEYS = 2**53  # whole numbers that a float64 can tell apart
BIG, LONG = 32, 3600  # processors and more; more than so many seconds requested


class Sequences(NamedTuple):
    """What the encoding is, in plain values.

    Attributes
    ----------
    decoding
        How an order becomes a schedule: "strict", no job starts before its predecessor; "earliest", each where it
        first fits.
    starts
        Start orders: "submit", {"random": key}, {"order": [rank of each group]} or {"policy": what `policy.to_json`
        gives}, see `start_order`.
    moves
        "adjacent" and "swap" swap two jobs; "later" moves a job towards the end; "group" does, with one group a
        child that is spared; "pull" moves jobs of one group towards the front, the more probably the more processor
        seconds times seconds of waiting they have in the parent's schedule; "fill", for strict decoding, moves jobs
        to where processors idle in it, of those that fit the one that gains most; "both" pulls or fills, by chance.
    movable
        Which jobs "later" and "group" move: "all", "processors" (32 or more), "hour" (more is requested), "either"
        or "both".
    recombination
        How a child is made of its parent and its mate, before it is moved: "ox", "pmx" or "cycle".
    """

    decoding: str = "strict"
    starts: tuple[Any, ...] = ("submit",)
    moves: str = "swap"
    movable: str = "all"
    recombination: str = "none"

    def __repr__(self) -> str:
        return fields_repr(self)

    def _repr_html_(self) -> str:
        return fields_html(self)


def gene_labels() -> list[str]:
    """Name every gene, in its order."""
    return list(GENES)


def checked_words(spec: Sequences) -> Sequences:
    """Return `spec` if its words are known and go together; else raise InputError. `checked` asks the workload."""
    words = {"decoding": DECODINGS, "moves": MOVES, "movable": MOVABLE, "recombination": RECOMBINATIONS}
    for key, known in words.items():
        word = getattr(spec, key)
        if word not in known:
            raise InputError(f"{key} must be one of {', '.join(known)}, but is {_shown(word)}")
    if not spec.starts:
        raise InputError("starts must have one start order or more, but has none")
    if spec.movable != "all" and spec.moves not in ("later", "group"):
        raise InputError(f'movable "{spec.movable}" is for the moves later and group, but the moves are "{spec.moves}"')
    if spec.moves in ("fill", "both") and spec.decoding == "earliest":
        raise InputError(
            f'moves "{spec.moves}" must be given with the decoding "strict": earliest fit leaves no gap that somebody '
            "behind it fits into"
        )
    return spec


def checked(spec: Sequences, workload: Workload) -> Sequences:
    """Return `spec` if it is an encoding for the workload.

    Raises
    ------
    InputError
        A word is not known, there is no start order or one is not what it must be, or the moves could move nothing.

    Examples
    --------
    >>> w = Workload(submit=[0, 0], run=[9, 5], estimate=[9, 5], width=[4, 2], capacity=4)
    >>> checked(Sequences(moves="later", movable="both"), w)
    Traceback (most recent call last):
    paretosched.core.errors.InputError: moves "later" with movable "both" need such jobs, but workload has none
    """
    checked_words(spec)
    for start in spec.starts:
        _parsed(workload, start)
    if not movable_jobs(workload, spec.movable).any():
        raise InputError(
            f'moves "{spec.moves}" with movable "{spec.movable}" need such jobs, but {workload.name} has none'
        )
    if spec.moves == "group" and not spared_groups(workload, spec.movable):
        raise InputError(f'moves "group" need movable jobs beside those of a group, but {workload.name} has none')
    return spec


def movable_jobs(workload: Workload, movable: str) -> NDArray[np.bool_]:
    """Tell which jobs "later" and "group" may move, (n,)."""
    big = workload.width >= BIG
    long = workload.estimate > LONG
    every = np.ones(len(workload), dtype=np.bool_)
    return {"all": every, "processors": big, "hour": long, "either": big | long, "both": big & long}[movable]


def start_order(workload: Workload, start: Any) -> Order:
    """Give a start order, (n,) int32 rows of the workload, read-only.

    Parameters
    ----------
    workload
        The jobs.
    start
        "submit": by submission. {"random": key}: at random. {"order": ranks}: the static order of paper 002
        (section 4.2), by the rank of the group; groups of the same rank are mixed, by submission. {"policy": ...}:
        by the start times under a policy, jobs that start together by submission.

    Raises
    ------
    InputError
        It is none of these, the ranks are not one whole number a group, or the policy is not one for the workload.

    Examples
    --------
    >>> w = Workload(submit=[0, 1, 2], run=[9, 5, 1], estimate=[9, 5, 1], width=[4, 2, 1], capacity=4,
    ...              group=[0, 1, 0], groups=("staff", "guests"))
    >>> start_order(w, "submit").tolist(), start_order(w, {"order": [1, 0]}).tolist()
    ([0, 1, 2], [1, 0, 2])
    """
    what = _parsed(workload, start)
    if what is None:
        order = np.arange(len(workload))
    elif isinstance(what, int):
        order = np.argsort(chance(what).random(len(workload)), kind="stable")
    elif isinstance(what, Policy):
        order = np.argsort(start_times(workload, what), kind="stable")
    else:
        order = np.argsort(what[workload.group], kind="stable")
    return frozen(order.astype(np.int32))


def ancestry(archive: Floats, rows: Floats) -> Floats:
    """Collect all recipes that some recipes descend from, (k, 6), sorted by number.

    The given recipes themselves are not among them, unless another one descends from them.

    Parameters
    ----------
    archive
        (n, 6) recipes sorted by number, all that are needed among them.
    rows
        (r, 6) recipes, of the archive or not yet in it.

    Raises
    ------
    InputError
        Numbers do not ascend, a recipe has a parent that does not precede it, or an ancestor is missing.

    Examples
    --------
    >>> archive = np.array([[0, -1, -1, 0, 1, 1], [1, -1, -1, 1, 1, 1], [2, 1, -1, 77, 1, 1.0]])
    >>> ancestry(archive, np.array([[3, 2, -1, 88, 1, 1.0]]))[:, 0].tolist()
    [1.0, 2.0]
    """
    numbers = archive[:, 0].astype(np.int64)
    if (np.diff(numbers) <= 0).any():
        raise InputError("recipes must be sorted by number, but are not")
    of_archive = _places(archive, numbers)
    of_rows = _places(rows, numbers)
    missing = np.flatnonzero((of_rows == MISSING).any(axis=1))
    if missing.size:
        raise InputError(f"a recipe must have its ancestors here, but {_parents_of(rows[missing[0]])}")
    needed = np.zeros(len(archive), dtype=np.bool_)
    needed[of_rows[of_rows >= 0]] = True
    mark_ancestors(of_archive[:, 0], of_archive[:, 1], needed)
    missing = np.flatnonzero(needed & (of_archive == MISSING).any(axis=1))
    if missing.size:
        raise InputError(f"a recipe must have its ancestors here, but {_parents_of(archive[missing[0]])}")
    return archive[needed]


def _places(recipes: Floats, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find both parents of recipes among ascending numbers, (k, 2) int64; -1 for none, MISSING if not there."""
    parents = recipes[:, 1:3].astype(np.int64)
    broken = np.flatnonzero((parents >= recipes[:, :1]).any(axis=1))
    if broken.size:
        raise InputError(f"a parent must be an earlier evaluation, but {_parents_of(recipes[broken[0]])}")
    places = np.searchsorted(numbers, parents)
    there = np.append(numbers, -1)[places] == parents
    return np.where(parents < 0, -1, np.where(there, places, MISSING))


def _parents_of(recipe: Floats) -> str:
    return f"recipe {recipe[0]:g} has the parents {recipe[1]:g} and {recipe[2]:g}"


def spared_groups(workload: Workload, movable: str) -> list[int]:
    """Name the groups that have jobs, and others beside them have movable ones."""
    allowed = movable_jobs(workload, movable)
    return [g for g in np.unique(workload.group).tolist() if (allowed & (workload.group != g)).any()]


def _parsed(workload: Workload, start: Any) -> int | Policy | NDArray[np.int16] | None:
    """Say what a start is: None by submission, a key, a policy, or dense ranks of the groups (which sort fast)."""
    if start == "submit":
        return None
    if not isinstance(start, Mapping) or len(start) != 1 or not set(start) <= {"random", "order", "policy"}:
        raise InputError(
            f'a start must be "submit" or one of {{"random": ...}}, {{"order": ...}}, {{"policy": ...}}, '
            f"but is {_shown(start)}"
        )
    (kind, value), *_ = start.items()
    if kind == "random":
        if not _whole(value) or not 0 <= value < KEYS:
            raise InputError(f'the key of a start {{"random": key}} must be in 0..2^53 - 1, but is {_shown(value)}')
        return int(value)
    if kind == "policy":
        policy = fits(policy_from_json(value, "start"), workload)
        if policy.rule == "recorded":
            start_times(workload, policy)  # refuses workloads without recorded waits
        return policy
    groups = workload.groups
    if not isinstance(value, Sequence) or not all(map(_whole, value)) or len(value) != len(groups):
        raise InputError(
            f'ranks of a start {{"order": ranks}} must be one whole number for each of {len(groups)} groups, '
            f"but are {_shown(value)}"
        )
    place = {rank: i for i, rank in enumerate(sorted(set(value)))}
    return np.array([place[rank] for rank in value], dtype=np.int16)


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    return quoted(str(value))


def chance(key: int) -> np.random.Generator:
    """Give the source of randomness that a key stands for."""
    return np.random.Generator(np.random.PCG64(key))


def frozen(order: Order) -> Order:
    """Give an order that was just made, read-only from now on."""
    order.flags.writeable = False
    return order

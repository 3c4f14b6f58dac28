"""Job lives: the times that a job used the machine. What all parsers return, and the names that they meet."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.arrays import Ints, Mask
from ...core.errors import InputError
from ..log_names import LONGEST_NAME

UNKNOWN = -1
COMPLETED, FAILED, CANCELLED = 1, 0, 5  # SWF field 11
NO_NAMES = ("", "(null)", "NONE", "none", "None", "N/A", "_pbs_project_default")
MOST_NAMES = 200_000  # of a kind
MOST_SHAPES = 1_000_000
NAME_RULE = (
    f"the name of a user, account, queue or partition must be a text of at most {LONGEST_NAME} letters that can be "
    "printed"
)
KINDS = ("user", "group", "queue", "partition", "constraint")
ASKED = ("memory", "nodes", "gpus", "nice", "per_node", "exclusive", "shape", "array", "index")
NUMBERS = ("line", "job", "submit", "eligible", "start", "run", "limit", "width", "status", "mark", *ASKED)

LIFE = np.dtype(
    [
        ("submit", "<i8"),
        ("start", "<i8"),
        ("job", "<i8"),
        ("line", "<i8"),
        ("eligible", "<i8"),
        ("run", "<i8"),
        ("limit", "<i8"),
        ("width", "<i8"),
        ("mark", "<i8"),
        ("array", "<i8"),
        ("index", "<i8"),
        ("memory", "<i8"),
        ("nodes", "<i4"),
        ("gpus", "<i4"),
        ("nice", "<i4"),
        ("per_node", "<i4"),
        ("exclusive", "<i4"),
        ("shape", "<i4"),
        ("status", "<i4"),
        ("user", "<i4"),
        ("group", "<i4"),
        ("queue", "<i4"),
        ("partition", "<i4"),
        ("constraint", "<i4"),
    ]
)  # of a spool; names are numbers of `Numbering`


@dataclass
class Block:
    """Some lives as columns, in the order of the file.

    Attributes
    ----------
    line
        Line numbers, (n,).
    job
        Job numbers, (n,); -1 where there is none.
    submit, eligible, start
        Unix times, (n,) s; -1 where unknown.
    run, limit
        (n,) s; a run time of 0 means that the job never ran, a limit of 0 that it had none.
    width
        Of what is counted: processors, nodes, GPUs or billing units, (n,).
    status
        (n,) COMPLETED, FAILED or CANCELLED.
    mark
        (n,) what tells the record of a life from others, see `mark_of`; 0 where times and number do.
    memory, nodes, gpus, nice, per_node, exclusive
        What it asks for, (n,): kilobytes of all its processors together, nodes and GPUs, -1 where unknown; the nice
        value of its user, the processors on each node, and 1 for whole nodes, 0 where unknown.
    shape
        (n,) what it asks of a machine of nodes: a number of `Shapes`; 0 if no more is known than the above.
    array, index
        (n,) the number of the array of which a job is a task, 0 of none, and its index in it.
    user, group, queue, partition
        Names, n of each; "" where unknown.
    constraint
        What its nodes must have, as its user wrote it, n texts; "" where unknown.
    part_of
        The number of the heterogeneous job whose component this is, (n,); 0 for all other jobs.
    """

    line: Ints
    job: Ints
    submit: Ints
    eligible: Ints
    start: Ints
    run: Ints
    limit: Ints
    width: Ints
    status: Ints
    mark: Ints
    memory: Ints
    nodes: Ints
    gpus: Ints
    nice: Ints
    per_node: Ints
    exclusive: Ints
    shape: Ints
    array: Ints
    index: Ints
    user: Sequence[str]
    group: Sequence[str]
    queue: Sequence[str]
    partition: Sequence[str]
    constraint: Sequence[str]
    part_of: Ints


@dataclass
class Life:
    """One row of a `Block`; what is not known has the values below."""

    line: int
    job: int
    submit: int
    start: int
    run: int
    width: int
    eligible: int = UNKNOWN
    limit: int = 0
    status: int = COMPLETED
    mark: int = 0
    memory: int = UNKNOWN
    nodes: int = UNKNOWN
    gpus: int = UNKNOWN
    nice: int = 0
    per_node: int = 0
    exclusive: int = 0
    shape: int = 0
    array: int = 0
    index: int = 0
    user: str = ""
    group: str = ""
    queue: str = ""
    partition: str = ""
    constraint: str = ""


def mark_of(text: str) -> int:
    """Return a number of 64 bits for the text of a record: tasks of an array have others, a copy has the same."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def block_of(lives: Sequence[Life]) -> Block:
    """Return rows as columns."""
    columns: dict[str, Any] = {kind: [getattr(life, kind) for life in lives] for kind in KINDS}
    columns |= {key: whole_numbers([getattr(life, key) for life in lives]) for key in NUMBERS}
    return Block(**columns, part_of=np.zeros(len(lives), dtype=np.int64))


def some_lives(block: Block, mask: Mask) -> Block:
    """Return the lives of a mask, (n,)."""
    rows = np.flatnonzero(mask).tolist()
    columns: dict[str, Any] = {
        key: [column[row] for row in rows] if key in KINDS else column[mask] for key, column in vars(block).items()
    }
    return Block(**columns)


class Numbering:
    """Numbers for the names of one kind: 1, 2, ... in the order in which kept jobs bring them; -1 for no name.

    Attributes
    ----------
    numbers
        The number of each name.
    names_met
        All names that were met, also those of jobs that were dropped. Of names that are too long for a log, their
        beginnings; of lists that are too long, each name.
    """

    def __init__(self) -> None:
        self.numbers: dict[str, int] = dict.fromkeys(NO_NAMES, UNKNOWN)
        self.names_met: set[str] = set()

    def meet(self, names: Iterable[str], where: str) -> None:
        """Remember names, also those of jobs that are dropped later.

        Parameters
        ----------
        names, where
            The names, and the file and line of the last one, for messages.

        Raises
        ------
        InputError
            There are more than any machine has: they would fill the memory.
        """
        names = names if isinstance(names, Sequence) else [*names]
        if self.names_met.issuperset(names):  # most blocks bring none
            return
        new = set(names).difference(self.names_met)
        self.names_met.update(part for name in new for part in _parts_to_remember(name))
        if len(self.names_met) > MOST_NAMES:
            raise InputError(
                f"{where}: there are more than {MOST_NAMES:,} different users, accounts, queues or partitions; is it "
                "the right column?"
            )

    def codes(self, names: Sequence[str]) -> NDArray[np.int32]:
        """Return the numbers of names, (n,)."""
        known = self.known_codes(names)
        if known is not None:
            return known
        for name in dict.fromkeys(names):  # in their order
            if name not in self.numbers:
                self.numbers[name] = len(self.numbers) - len(NO_NAMES) + 1
        return np.fromiter(map(self.numbers.__getitem__, names), dtype=np.int32, count=len(names))

    def known_codes(self, names: Sequence[str]) -> NDArray[np.int32] | None:
        """Return the numbers of names, (n,), if all have one; else None. Most blocks bring no new name."""
        try:
            return np.fromiter(map(self.numbers.__getitem__, names), dtype=np.int32, count=len(names))
        except KeyError:
            return None

    def unfit(self, names: Sequence[str]) -> Iterator[int]:
        """Yield the places of new names that cannot be in a file."""
        new = set(names) - self.numbers.keys()
        if not all(name.isprintable() and len(name) <= LONGEST_NAME for name in new):
            for place, name in enumerate(names):
                if not name.isprintable() or len(name) > LONGEST_NAME:
                    yield place

    def by_number(self) -> dict[int, str]:
        """Return the names by number."""
        return {number: name for name, number in self.numbers.items() if number != UNKNOWN}


def _parts_to_remember(name: str) -> Iterable[str]:
    """Return what is remembered of a name: all of it, unless it could fill the memory."""
    return [name] if len(name) <= LONGEST_NAME else (part[:LONGEST_NAME] for part in name.split(","))


class Shapes:
    """Numbers for what jobs ask of a machine of nodes, by columns of `Requests`: 1, 2, ...

    Attributes
    ----------
    values
        What the jobs of each number ask for, that of number 1 first.
    """

    def __init__(self) -> None:
        self.values: list[Mapping[str, Any]] = []
        self._numbers: dict[tuple[tuple[str, Any], ...], int] = {}

    def number(self, values: Mapping[str, Any]) -> int:
        """Return the number of what a job asks for; a new one if no job has asked for the same.

        Raises
        ------
        InputError
            There are more than any machine has: they would fill the memory.
        """
        key = tuple(sorted(values.items()))
        if key not in self._numbers:
            if len(self.values) >= MOST_SHAPES:
                raise InputError(f"jobs must ask for at most {MOST_SHAPES:,} different things, but ask for more")
            self.values.append(values)
            self._numbers[key] = len(self.values)
        return self._numbers[key]


@dataclass
class Numberings:
    """The names of all kinds."""

    user: Numbering = field(default_factory=Numbering)
    group: Numbering = field(default_factory=Numbering)
    queue: Numbering = field(default_factory=Numbering)
    partition: Numbering = field(default_factory=Numbering)
    constraint: Numbering = field(default_factory=Numbering)
    shapes: Shapes = field(default_factory=Shapes)

    @property
    def kinds(self) -> dict[str, Numbering]:
        """Return the numberings by kind."""
        return {kind: getattr(self, kind) for kind in KINDS}

    @property
    def names_met(self) -> set[str]:
        """Return all names that were met; a list of partitions is also each of them."""
        met = (name for numbering in self.kinds.values() for name in numbering.names_met)
        return {name for each in met for name in (each, *each.split(","))}


def whole_numbers(numbers: Sequence[int]) -> Ints:
    """Return whole numbers as an array, (n,) int64."""
    return np.array(numbers, dtype=np.int64)

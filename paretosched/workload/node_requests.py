"""What jobs ask of a machine of nodes, by column: as sbatch takes it."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..core.arrays import Ints, read_only
from ..core.columns import whole_array
from ..core.errors import InputError, first_few, number_of
from ..core.notebook import html_table
from .machine import MOST, MOST_MEMORY

SHARED, EXCLUSIVE, OF_USER = range(3)  # whether a node runs other jobs, too: yes, no, those of the same user
UNSAID = -1  # memory of a job that says nothing
NORMAL = "normal"  # the QOS of jobs that name none
NUMBERS = {  # usual value, smallest, largest
    "tasks": (1, 1, MOST),
    "nodes_least": (1, 1, MOST),
    "nodes_most": (0, 0, MOST),
    "cpus_per_task": (1, 1, MOST),
    "tasks_per_node": (0, 0, MOST),
    "memory_per_node": (UNSAID, UNSAID, MOST_MEMORY),
    "memory_per_cpu": (UNSAID, UNSAID, MOST_MEMORY),
    "gpus": (0, 0, MOST),
    "gpus_per_node": (0, 0, MOST),
    "gpus_per_task": (0, 0, MOST),
    "disk_per_node": (0, 0, MOST_MEMORY),
    "exclusive": (SHARED, SHARED, OF_USER),
    "tasks_per_core": (0, 0, 1),
    "priority": (0, 0, 2**32 - 1),
    "nice": (0, -(2**31), 2**31),
    "array": (0, 0, 10**15),
    "array_index": (0, 0, 10**15),
    "array_most": (0, 0, MOST),
    "requeue": (UNSAID, UNSAID, 1),
    "beyond": (0, 0, MOST),
}
TEXTS = (
    "gpu_type", "constraint", "partition", "hosts", "excluded", "licences", "reservation", "dependency", "qos",
    "account",
)  # fmt: skip
OF_ARRAY = ("array", "array_index", "array_most")
RARE = (
    "tasks_per_core",
    "priority",
    "nice",
    *OF_ARRAY,
    "requeue",
    "beyond",
)  # the columns of numbers that a file has only if a job says them
OF_QUEUE = (
    "priority",
    "nice",
    "requeue",
    "beyond",
    *OF_ARRAY,
)  # the columns of numbers that decide when a job's turn comes, and not where
PLACED_BY = (*(key for key in NUMBERS if key not in OF_QUEUE), *TEXTS[:6])  # those that decide on which nodes it fits
LONGEST = 10_000  # letters of a text


@dataclass(frozen=True, eq=False, repr=False)
class Texts:
    """A text for each job, of which many have the same.

    Parameters
    ----------
    code
        (n,) the place of each text in `words`.
    words
        The different texts, sorted; the first is "", which stands for nothing.

    Raises
    ------
    InputError
        A code has no word, or a word breaks its rule.

    Examples
    --------
    >>> texts = Texts.of(["b", "", "b"])
    >>> texts.words, texts.code.tolist(), texts.take([1, 1]).words
    (('', 'b'), [1, 0, 1], ('',))
    """

    code: Ints
    words: tuple[str, ...] = ("",)

    def __post_init__(self) -> None:
        code = whole_array("texts", self.code, np.size(self.code))
        words = [_text(word) for word in self.words]
        if code.size and not 0 <= code.min() <= code.max() < len(words):
            raise InputError(f"texts must be places of {len(words)} words, but are {code.min()}..{code.max()}")
        used = np.zeros(len(words), dtype=np.bool_)
        used[code] = True
        kept = ("", *sorted({word for word, is_used in zip(words, used.tolist(), strict=True) if is_used and word}))
        if kept != tuple(words):
            place = {word: number for number, word in enumerate(kept)}
            code = read_only(np.array([place.get(word, 0) for word in words], dtype=np.int64)[code])
        object.__setattr__(self, "code", code)
        object.__setattr__(self, "words", kept)

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Return the column of (n,) texts."""
        place: dict[str, int] = {"": 0}
        code = np.array([place.setdefault(text, len(place)) for text in texts], dtype=np.int64)
        return cls(code, tuple(place))

    def take(self, rows: ArrayLike) -> Texts:
        """Return the texts of some rows."""
        return Texts(self.code[np.asarray(rows)], self.words)

    def list(self) -> list[str]:
        """Return the text of each job."""
        return [self.words[code] for code in self.code.tolist()]

    def __len__(self) -> int:
        return int(self.code.size)

    def __repr__(self) -> str:
        return f"<Texts: {len(self):,} of {len(self.words) - 1:,} different>"

    def _repr_html_(self) -> str:
        jobs = np.bincount(self.code, minlength=len(self.words)).tolist()
        return html_table(repr(self).strip("<>"), ("text", "jobs"), [*zip(self.words, jobs, strict=True)][:50])

    def __reduce__(self) -> tuple[Any, ...]:
        return Texts, (self.code, self.words)


@dataclass(frozen=True, eq=False, repr=False)
class Requests:
    """What jobs ask for; row j is job j of the workload. All columns but `tasks` have a usual value.

    Parameters
    ----------
    tasks
        (n,) tasks in all.
    nodes_least, nodes_most
        (n,) nodes; most 0: as many as are needed.
    cpus_per_task
        (n,) CPUs of each task, all on one node.
    tasks_per_node
        (n,) most tasks on a node; 0: as many as fit.
    memory_per_node, memory_per_cpu
        (n,) MiB; UNSAID where the job does not say it, of which one always is; per_node 0: all memory of each node.
    gpus, gpus_per_node, gpus_per_task
        (n,) GPUs in all, on each node, or for each task; 0 where it is not asked for in this way.
    disk_per_node
        (n,) MiB of local disk.
    exclusive
        (n,) SHARED; EXCLUSIVE, whole nodes; or OF_USER, nodes with jobs of the same user only.
    tasks_per_core
        (n,) 1 for jobs that have one task on a core, whatever threads it has; else 0.
    priority, nice
        (n,) the priority that a job was given for good, in Slurm's passes; 0 where it was given none. And its nice
        value.
    requeue
        (n,) 1 if a job that makes way for others waits again, 0 if it is cancelled; UNSAID: as on the machine.
    beyond
        (n,) s, for how long the job ran beyond its time limit, as OverTimeLimit lets it; its estimate has them, too.
    array, array_index, array_most
        (n,) the number of the array of which a job is a task, 0 of none, the task's index, and how many of its tasks
        may run at once, 0 for any number (--array=1-9%2).
    gpu_type
        The type of the GPUs; "" for any.
    constraint
        Features, see `features.read_constraint`.
    partition
        Partitions with commas between them, of which one takes the job; "" for the default one.
    hosts, excluded
        Nodes that the job must have, and must not have, as lists of hosts.
    licences
        As NAME:NUMBER with commas between them.
    reservation, dependency, qos, account
        As sbatch takes them.

    Raises
    ------
    InputError
        A column has the wrong length or type, or breaks its rule; the message has the first rows.

    Examples
    --------
    >>> r = Requests(tasks=[4, 1], memory_per_node=[2000, -1], partition=["cpu", ""])
    >>> r.nodes_least.tolist(), r.partition.list(), r.take([1]).tasks.tolist()
    ([1, 1], ['cpu', ''], [1])
    """

    tasks: Any
    nodes_least: Any = None
    nodes_most: Any = None
    cpus_per_task: Any = None
    tasks_per_node: Any = None
    memory_per_node: Any = None
    memory_per_cpu: Any = None
    gpus: Any = None
    gpus_per_node: Any = None
    gpus_per_task: Any = None
    disk_per_node: Any = None
    exclusive: Any = None
    gpu_type: Any = None
    constraint: Any = None
    partition: Any = None
    hosts: Any = None
    excluded: Any = None
    licences: Any = None
    reservation: Any = None
    dependency: Any = None
    qos: Any = None
    account: Any = None
    tasks_per_core: Any = None
    priority: Any = None
    nice: Any = None
    array: Any = None
    array_index: Any = None
    array_most: Any = None
    requeue: Any = None
    beyond: Any = None

    def __post_init__(self) -> None:
        n = np.size(self.tasks)
        for key, (usual, lowest, highest) in NUMBERS.items():
            value = getattr(self, key)
            column = whole_array(key, np.full(n, usual) if value is None else value, n)
            wrong = (column < lowest) | (column > highest)
            if wrong.any():
                raise _refusal(f"{key} must be in {lowest}..{highest}", column, wrong)
            object.__setattr__(self, key, column)
        for key in TEXTS:
            value = getattr(self, key)
            texts = Texts(np.zeros(n, dtype=np.int64)) if value is None else value
            texts = texts if isinstance(texts, Texts) else Texts.of(texts)
            if len(texts) != n:
                raise InputError(f"{key} must have one entry a job, {n}, but has {len(texts)}")
            object.__setattr__(self, key, texts)
        if (wrong := (self.nodes_most > 0) & (self.nodes_most < self.nodes_least)).any():
            raise _refusal("nodes_most must be 0 or at least nodes_least", self.nodes_most, wrong)
        if (wrong := (self.memory_per_node != UNSAID) & (self.memory_per_cpu != UNSAID)).any():
            raise _refusal("memory must be said per node or per CPU, not both", self.memory_per_cpu, wrong)

    def __len__(self) -> int:
        return int(self.tasks.size)

    def __repr__(self) -> str:
        return f"<Requests of {number_of(len(self), 'job')}>"

    def _repr_html_(self) -> str:
        said = {key: int((getattr(self, key) != usual).sum()) for key, (usual, _, _) in NUMBERS.items()}
        said |= {key: int((getattr(self, key).code > 0).sum()) for key in TEXTS}
        return html_table(repr(self).strip("<>"), ("column", "jobs that say it"), said.items())

    def __reduce__(self) -> tuple[Any, ...]:
        return Requests, tuple(getattr(self, f.name) for f in fields(self))

    @property
    def cpus(self) -> Ints:
        """Return the CPUs that each job asks for, (n,): those of its tasks, and one a node at least."""
        cpus: Ints = np.maximum(self.tasks * self.cpus_per_task, self.nodes_least)
        return cpus

    def take(self, rows: ArrayLike) -> Requests:
        """Return the requests of some rows."""
        index = np.asarray(rows)
        columns = {key: getattr(self, key)[index] for key in NUMBERS}
        return Requests(**columns, **{key: getattr(self, key).take(index) for key in TEXTS})

    def distinct(self, keys: Sequence[str], **beside: Ints) -> tuple[list[dict[str, Any]], Ints]:
        """Return the different requests, by column, and the place of each job's among them, (n,).

        Parameters
        ----------
        keys
            The columns that count.
        beside
            More columns, (n,) int64, by name.

        Examples
        --------
        >>> Requests(tasks=[4, 1, 4], partition=["a", "", "a"]).distinct(("tasks", "partition"))
        ([{'tasks': 1, 'partition': ''}, {'tasks': 4, 'partition': 'a'}], array([1, 0, 1]))
        """
        columns = [getattr(self, key) if key in NUMBERS else getattr(self, key).code for key in keys]
        rows, place = np.unique(np.stack([*columns, *beside.values()], axis=1), axis=0, return_inverse=True)
        words = {key: getattr(self, key).words for key in keys if key in TEXTS}
        named = [zip((*keys, *beside), row, strict=True) for row in rows.tolist()]
        shapes = [{key: words[key][value] if key in words else value for key, value in row} for row in named]
        return shapes, place.reshape(-1)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of all columns that are not as usual; so it stays when jobs can ask for more."""
        sha256 = hashlib.sha256(b"paretosched requests 1")
        for key, (usual, _, _) in NUMBERS.items():
            column = getattr(self, key)
            if (column != usual).any():
                sha256.update(key.encode() + column.astype("<i8").tobytes())
        for key in TEXTS:
            texts = getattr(self, key)
            if len(texts.words) > 1:
                sha256.update(key.encode() + texts.code.astype("<i8").tobytes() + repr(texts.words).encode())
        return sha256.hexdigest()


def licences_in(text: str) -> dict[str, int]:
    """Return how many of which licences a text names.

    Examples
    --------
    >>> licences_in("matlab:2,comsol@server"), licences_in("")
    ({'matlab': 2, 'comsol@server': 1}, {})
    """
    counts: dict[str, int] = {}
    for part in filter(None, map(str.strip, text.split(","))):
        name, _, count = part.replace("=", ":").rpartition(":")
        name, number = (name, int(count)) if name and count.isdecimal() else (part, 1)
        counts[name] = counts.get(name, 0) + number
    return counts


def _text(word: Any) -> str:
    """Return a value that must be a text on one line."""
    if not isinstance(word, str) or not word.isprintable() or len(word) > LONGEST:
        raise InputError(f"a request must be a text on one line of at most {LONGEST:,} letters, but is {word!r:.60}")
    return word


def _refusal(rule: str, column: Ints, wrong: Any) -> InputError:
    """Return the error about rows that break a rule."""
    rows = np.flatnonzero(wrong)
    return InputError(f"{rule}, but is not: {first_few((f'row {row} has {column[row]}' for row in rows), rows.size)}")

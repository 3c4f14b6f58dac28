"""What the columns behind the 18 of the format say: up to three, which simulators append to logs.

Alea's logs of MetaCentrum have the hosts of each processor in braces, the name of the queue, and what was asked of the
nodes as PBS writes it, `2:ppn=8:x86_64#excl`. AleaNG's have GPUs, an expected run time, and what is asked of the nodes
as `all:excl:2x4`; others have numbers of their own. Columns are known by comment lines that describe them, else by
their texts, in any order.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.arrays import Floats, Ints, Mask
from ..core.errors import printable
from .log_lines import ESTIMATE, FIELDS, LISTED, QUEUE, REQUESTED_MEMORY, Log, Texts
from .log_names import ALL_BESIDE, MOST_ASKED, Names
from .records import Records, pack

GPUS, EXPECTED, REQUESTS, QUEUES, HOSTS = "GPUs", "expected run times", "requests", "queues", "hosts"
UNKNOWN = "-1"
IN_HEADER = {  # a word in the description of a column, the first that fits
    "gpu": GPUS,
    "soft": EXPECTED,
    "expected": EXPECTED,
    "host": HOSTS,
    "nodelist": HOSTS,
    "queue": QUEUES,
    "propert": REQUESTS,
    "request": REQUESTS,
    "constraint": REQUESTS,
    "descriptor": REQUESTS,
}
DESCRIBED = re.compile(r"\s*(?:field|column)?\s*(\d{1,2})\s*[:.)=-]\s*([A-Za-z][^(]*)", re.IGNORECASE)
NO_COUNT = re.compile(r"(?:^|[\W_])(?:per|mem|time|hour|util)", re.IGNORECASE)  # GPUs per node, memory of a GPU
NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d{0,15})?", re.ASCII)
WORD = re.compile(r"[^\W\d][\w.@+-]*")
GRID = re.compile(r"(\d{1,10})x(\d{1,10})", re.ASCII | re.IGNORECASE)
AMOUNT = re.compile(r"(ppn|ncpus|gpus|ngpus)=(\d{1,10})(?:\.\d*)?", re.ASCII | re.IGNORECASE)
MEMORY = re.compile(r"(?:mem|vmem|pmem)=.*", re.IGNORECASE)  # field 10 has it
NODES = re.compile(r"(?:select=|nodes=)?(\d{1,10})", re.ASCII | re.IGNORECASE)
WHOLE_NODES = ("excl", "exclusive", "exclhost")
ANY = "all"  # kind of nodes
MOST_QUEUES = 1000
MOST_JOBS = 0.9  # share of them
MOST_KILOBYTES = 2**32  # of a node, 4 TiB: more are bytes


class Request(NamedTuple):
    """What a job asks of its nodes.

    Attributes
    ----------
    nodes, processors, gpus
        How many together.
    per_node
        Processors on each node; 0 if they differ.
    exclusive
        1 for whole nodes, else 0.
    constraint
        What the nodes must have, as it was written; "" for nothing.
    """

    nodes: int
    processors: int
    gpus: int
    per_node: int
    exclusive: int
    constraint: str


@dataclass(frozen=True)
class More:
    """What the columns behind the format say of some jobs of a log.

    Parameters
    ----------
    words
        What was taken and what was not, for people.
    columns
        Columns of `Records` by their places: the queue, memory, and what is in ALL_BESIDE behind the 18.
    names
        Of queues and constraints.
    of_nodes, odd
        Masks of the jobs, (n,): whose memory was that of a node, and whose request does not fit or is not understood.
    """

    words: str
    columns: Mapping[int, NDArray[Any]]
    names: Names | None
    of_nodes: Mask
    odd: Mask

    def put(self, records: Records) -> Records:
        """Return records, (n, 18), with these columns."""
        columns = {**dict(enumerate(records.columns)), **self.columns}
        return Records(tuple(columns[place] for place in sorted(columns)))


def request_of(text: str) -> Request | None:
    """Return what a text asks of nodes; None if it says no number of nodes or of processors on each.

    Examples
    --------
    >>> request_of("2:ppn=8:x86_64:cl_fast#excl")
    Request(nodes=2, processors=16, gpus=0, per_node=8, exclusive=1, constraint='x86_64:cl_fast')
    >>> request_of("all:excl:2x4"), request_of("fast")
    (Request(nodes=2, processors=8, gpus=0, per_node=4, exclusive=1, constraint=''), None)
    """
    text, *flags = text.split("#")
    parts = [_part(part.split(":")) for part in text.split("+")]
    if not all(part is not None for part in parts):
        return None
    known = [part for part in parts if part is not None]
    nodes, processors = sum(part.nodes for part in known), sum(part.processors for part in known)
    gpus = sum(part.gpus for part in known)
    if max(nodes, processors, gpus) > MOST_ASKED:
        return None
    each = {part.per_node for part in known}
    exclusive = any(part.exclusive for part in known) or any(flag.lower() in WHOLE_NODES for flag in flags)
    constraints = dict.fromkeys(part.constraint for part in known)
    constraint = "+".join(constraints) if any(constraints) else ""
    return Request(nodes, processors, gpus, each.pop() if len(each) == 1 else 0, int(exclusive), constraint)


def _part(words: Sequence[str]) -> Request | None:
    """Return what the words of one part of a request ask for, or None."""
    nodes, gpus, exclusive, is_request = 1, 0, 0, False
    each: int | None = None
    others: list[str] = []
    for place, word in enumerate(words):
        grid, amount = GRID.fullmatch(word), AMOUNT.fullmatch(word)
        count = NODES.fullmatch(word) if place == 0 else None
        if grid:
            nodes, each = int(grid[1]), int(grid[2])
        elif count:
            nodes = int(count[1])
        elif amount and amount[1].lower() in ("ppn", "ncpus"):
            each = int(amount[2])
        elif amount:
            gpus = int(amount[2])
        elif word.lower() in WHOLE_NODES:
            exclusive = 1
        elif word and word.lower() != ANY and not MEMORY.fullmatch(word):
            others.append(word)
        is_request |= bool(grid or amount or count)
    each = 1 if each is None else each  # as PBS does
    if not (is_request and nodes > 0 and each > 0):
        return None
    return Request(nodes, nodes * each, nodes * gpus, each, exclusive, ":".join(dict.fromkeys(others)))


def understand(log: Log, rows: Ints, width: Ints) -> More | None:
    """Return what the columns behind the format say of some jobs of a log; None if there are none.

    Parameters
    ----------
    log
        The log.
    rows
        The jobs, (n,).
    width
        Their processors, (n,).
    """
    if not log.more:
        return None
    of = {role: place for place, role in enumerate(_roles(log, rows)) if role}
    columns: dict[int, NDArray[Any]] = {}
    taken: dict[str, int] = {}
    beside = {word: np.full(rows.size, usual, dtype=np.int64) for word, usual in ALL_BESIDE.items()}
    of_nodes = odd = np.zeros(rows.size, dtype=np.bool_)
    queues: dict[int, str] = {}
    constraints: dict[int, str] = {}
    if REQUESTS in of:
        taken[REQUESTS] = of[REQUESTS]
        odd, constraints = _ask(log.more[of[REQUESTS]], rows, width, beside)
        kilobytes = log.fields.column(REQUESTED_MEMORY)[rows]
        of_nodes = kilobytes > 0
        in_bytes = kilobytes.max() > MOST_KILOBYTES
        each = np.floor(kilobytes * beside["nodes"] / width / (1024 if in_bytes else 1))
        columns[REQUESTED_MEMORY] = pack(np.where(of_nodes, each, kilobytes))
    if GPUS in of:
        taken[GPUS] = of[GPUS]
        beside["gpus"] = np.maximum(_values(log.more[of[GPUS]], rows), 0).astype(np.int64)
    if QUEUES in of and np.unique(log.fields.columns[QUEUE][rows]).size == 1:
        taken[QUEUES] = of[QUEUES]
        column = log.more[of[QUEUES]]
        number, queues = _by_number(column.codes[rows], [text if text != UNKNOWN else "" for text in column.texts])
        columns[QUEUE] = pack(np.where(number > 0, number, -1))
    if any((beside[word] != usual).any() for word, usual in ALL_BESIDE.items()):
        columns |= {len(FIELDS) + place: pack(column) for place, column in enumerate(beside.values())}
    names = Names(queues=queues, constraints=constraints) if queues or constraints else None
    return More(_words(len(log.more), taken, of), columns, names, of_nodes, odd)


def _ask(requests: Texts, rows: Ints, width: Ints, beside: dict[str, Ints]) -> tuple[Mask, dict[int, str]]:
    """Put what requests say into columns; return the jobs, (n,), whose processors are others, and the constraints."""
    asked = [request_of(text) for text in requests.texts]
    code = requests.codes[rows]
    number, constraints = _by_number(code, ["" if each is None else each.constraint for each in asked])

    def of_jobs(key: str) -> Ints:
        column: Ints = np.array([0 if each is None else getattr(each, key) for each in asked], dtype=np.int64)[code]
        return column

    fits = of_jobs("processors") == width
    beside["nodes"] = np.where(fits, of_jobs("nodes"), beside["nodes"])
    beside["per_node"] = np.where(fits, of_jobs("per_node"), 0)
    beside |= {"gpus": of_jobs("gpus"), "exclusive": of_jobs("exclusive"), "constraint": number}
    is_given = np.array([text != UNKNOWN for text in requests.texts])[code]
    return is_given & ~fits, constraints


def _by_number(code: NDArray[Any], names: Sequence[str]) -> tuple[Ints, dict[int, str]]:
    """Return numbers from 1 on of names by their places, (n,), and the names by number; "" has 0."""
    names = [printable(name) for name in names]
    met = sorted({names[place] for place in np.unique(code).tolist()} - {""})
    number = {"": 0} | {name: i for i, name in enumerate(met, 1)}
    return np.array([number.get(name, 0) for name in names], dtype=np.int64)[code], dict(enumerate(met, 1))


def _values(column: Texts, rows: Ints) -> Floats:
    """Return the numbers in a column of numbers, (n,)."""
    values: Floats = np.array([float(text) for text in column.texts])[column.codes[rows]]
    return values


def _words(count: int, taken: Mapping[str, int], of: Mapping[str, int]) -> str:
    """Return in words which columns are taken, and which are not."""
    first = len(FIELDS) + 1
    where = f"column {first}" if count == 1 else f"columns {first} to {len(FIELDS) + count}"
    parts = [f"{role} ({first + place})" for role, place in taken.items()]
    known = {place: role for role, place in of.items()}
    left = [place for place in range(count) if place not in taken.values()]
    others = [f"{known[place]} ({first + place})" if place in known else f"{first + place}" for place in left]
    ends = [f"{' and '.join(parts)} taken"] if parts else []
    ends += [f"{' and '.join(others)} not used"] if others and (parts or of or count > 1) else []
    return f"{where}: {', '.join(ends)}" if ends else f"{where}: not used"


def _roles(log: Log, rows: Ints) -> list[str]:
    """Return what each column has; "" if that is not known."""
    columns = log.more
    roles = _descriptions(log.header, len(columns))
    for place, role in enumerate(roles):
        if role and not _can_be(role, columns[place]):
            roles[place] = ""
    free = [place for place, role in enumerate(roles) if not role and columns[place].texts]
    for place in free:
        texts = [text for text in columns[place].texts if text != UNKNOWN]
        if LISTED.decode() in texts and len(texts) == 1:
            roles[place] = HOSTS
        elif not all(map(NUMBER.fullmatch, texts)) and 2 * sum(map(_is_plain_request, texts)) >= len(texts):
            roles[place] = REQUESTS
    words = [place for place in free if not roles[place] and _can_be(QUEUES, columns[place])]
    if len(words) == 1 and QUEUES not in roles and {HOSTS, REQUESTS} & {*roles}:
        roles[words[0]] = QUEUES
    two = [place for place in free if not roles[place] and _can_be(EXPECTED, columns[place])]
    if len(two) == 2 and len(columns) == 3 and not {GPUS, EXPECTED} & {*roles}:
        gpus, expected = sorted(two, key=lambda place: _values(columns[place], rows).sum())
        limit, values = log.fields.column(ESTIMATE)[rows], _values(columns[expected], rows)
        if _can_be(GPUS, columns[gpus]) and ((values > 0) & ((values <= limit) | (limit <= 0))).mean() >= MOST_JOBS:
            roles[gpus], roles[expected] = GPUS, EXPECTED
    return [role if roles.index(role) == place else "" for place, role in enumerate(roles)]  # the first of each


def _descriptions(header: Sequence[str], count: int) -> list[str]:
    """Return what comment lines say of the columns behind the format; they number all, or these, from 0 or 1 on."""
    names = {int(match[1]): match[2].lower() for match in map(DESCRIBED.match, header) if match}
    are_all = len(names) > len(FIELDS)
    from_one = (0 if are_all else len(FIELDS)) not in names
    behind = range(len(FIELDS) + from_one, len(FIELDS) + from_one + count)
    is_sure = are_all or (names.keys() <= {*behind} and (not from_one or behind[-1] in names))
    titles = [names.get(number, "") if is_sure else "" for number in behind]
    for line in header:
        words = re.split(r"[\s,|]+", line.strip().lower())
        if len(words) == len(FIELDS) + count and "submit" in "".join(words[:3]):
            titles = words[len(FIELDS) :]
    roles = [next((role for word, role in IN_HEADER.items() if word in title), "") for title in titles]
    return ["" if role == GPUS and NO_COUNT.search(title) else role for role, title in zip(roles, titles, strict=True)]


def _can_be(role: str, column: Texts) -> bool:
    """Return whether the texts of a column may have this role."""
    texts = [text for text in column.texts if text != UNKNOWN]
    if not texts:
        return False
    if role == QUEUES:
        return len(texts) <= MOST_QUEUES and all(map(WORD.fullmatch, texts))
    if role == REQUESTS:
        return any(not NUMBER.fullmatch(text) and request_of(text) for text in texts)
    if role == HOSTS:
        return True
    numbers = all(map(NUMBER.fullmatch, texts)) and min(map(float, texts)) >= 0
    return numbers and (role != GPUS or all(float(t) % 1 == 0 and float(t) <= MOST_ASKED for t in texts))


def _is_plain_request(text: str) -> bool:
    """Return whether a text can hardly be anything but a request of nodes."""
    return bool(re.search(r"(ppn|ncpus)=\d|(^|:)\d+x\d+(:|$)", text, re.IGNORECASE)) and request_of(text) is not None

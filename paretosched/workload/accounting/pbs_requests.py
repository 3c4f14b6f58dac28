"""What a record of PBS or Torque says of the processors, nodes, memory and GPUs of a job.

What a job was given counts before what it asked for. It may have asked in several ways, by the version and the site:
`select=2:ncpus=8:mem=32gb:ngpus=1` of PBS Professional, `nodes=2:ppn=8:gpus=1:bigmem` of Torque, and job-wide words
such as `ncpus`, `mem`, `pmem` and `gpu`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ..workload import WIDEST
from .lives import UNKNOWN

SLOTS = re.compile(r"/(\d[\d,*-]*)", re.ASCII)  # of exec_host: node/0*4, node/0-7, node/3
WHOLE = re.compile(r"\d{1,15}", re.ASCII)
SIZE = re.compile(r"(\d{1,15})([kmgtp]?)([bw]?)", re.ASCII)  # bytes, or words of 8 bytes
SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50}
NODES = ("nodes", "neednodes", "nodect")  # `neednodes` is what the scheduler made of `nodes`
GPUS = ("ngpus", "gpus", "gpu")
ASKED = "resource_list."  # names of attributes and resources are in small letters here: PBS knows no case


class Asked(NamedTuple):
    """What a job had or asked for, as the fields of a `Life`; 0 where the record does not say it.

    Attributes
    ----------
    cpus, nodes, gpus, memory, per_node, exclusive, constraint
        As in `Block`; a memory of -1 is unknown.
    differ
        Whether it asked for GPUs in several ways, with different numbers.
    """

    cpus: int
    nodes: int
    gpus: int
    memory: int
    per_node: int
    exclusive: int
    constraint: str
    differ: bool


class Chunk(NamedTuple):
    """A part of `select` or `nodes`: how many of it, its numbers and other values by name, and its single words."""

    times: int
    values: Mapping[str, str]
    words: Sequence[str]


def asked_in(values: Mapping[str, str]) -> Asked:
    """Return what a record says, from its values by their keys, in small letters."""
    select = [*_chunks(values.get(f"{ASKED}select", ""))]
    nodes = [*_chunks(values.get(f"{ASKED}nodes", ""))]
    cpus = _cpus(values, select, nodes)
    on_nodes = _nodes(values) or sum(chunk.times for chunk in select or nodes)
    asked = {*_gpus_asked(values, select)} - {0}
    place = values.get(f"{ASKED}place", "") + values.get(f"{ASKED}nodes", "").partition("#")[2]
    alone = "excl" in place or values.get(f"{ASKED}naccesspolicy", "").lower() == "singlejob"
    return Asked(
        cpus=cpus,
        nodes=on_nodes,
        gpus=_of_vnodes(values, "ngpus") or _slots_in(values.get("exec_gpus", "")) or max(asked, default=0),
        memory=_memory(values, select or nodes, cpus),
        per_node=_per_node(select, nodes, cpus, on_nodes, "scatter" in place),
        exclusive=int(alone),
        constraint=_constraint(values, select or nodes),
        differ=len(asked) > 1,
    )


def _chunks(text: str) -> Iterator[Chunk]:
    """Yield the parts of a request.

    Examples
    --------
    >>> [*_chunks("2:ncpus=8:mem=4gb+n7:ppn=4:fast#shared")]
    [Chunk(times=2, values={'ncpus': '8', 'mem': '4gb'}, words=[]), Chunk(times=1, values={'ppn': '4'}, words=['n7', 'fast'])]
    """  # noqa: E501
    for part in filter(None, text.partition("#")[0].split("+")):
        words = part.split(":")
        count = number(words[0])
        pairs = [word.partition("=") for word in (words[1:] if count else words)]
        yield Chunk(
            count or 1,
            {key.lower(): value for key, equals, value in pairs if equals},  # names as they were typed
            [key for key, equals, _ in pairs if key and not equals],
        )


def number(text: str) -> int:
    """Return a whole number, 0 if a text is none."""
    return int(text) if WHOLE.fullmatch(text) else 0


def _total(chunks: Sequence[Chunk], *names: str, default: int = 0) -> int:
    """Return a number over all chunks, that of the first of some names in each."""
    return sum(
        chunk.times * next((number(chunk.values[name]) for name in names if name in chunk.values), default)
        for chunk in chunks
    )


def _cpus(values: Mapping[str, str], select: Sequence[Chunk], nodes: Sequence[Chunk]) -> int:
    """Return the processors of a job: those of its nodes, else those that it asked for."""
    return (
        _of_vnodes(values, "ncpus")
        or number(values.get("total_execution_slots", ""))
        or _slots_in(values.get("exec_host", ""))
        or number(values.get(f"{ASKED}ncpus", ""))
        or number(values.get(f"{ASKED}procs", ""))
        or _total(select, "ncpus", default=1)
        or _total(nodes, "ppn", default=1)
    )


def _slots_in(text: str) -> int:
    """Return the processors in exec_host, or the GPUs in exec_gpus."""
    return sum(map(_slots, SLOTS.findall(text)))


def _slots(text: str) -> int:
    """Return the processors in a part of exec_host.

    Examples
    --------
    >>> _slots("0*4"), _slots("0-7"), _slots("3"), _slots("0,2-3")
    (4, 8, 1, 3)
    """
    if "*" in text:
        return number(text.rpartition("*")[2])
    total = 0
    for piece in text.split(","):
        first, dash, last = piece.partition("-")
        total += max(number(last) - number(first) + 1, 0) if dash else 1
    return total


def _nodes(values: Mapping[str, str]) -> int:
    """Return the nodes of a job, as far as they are counted for it."""
    hosts = {part.partition("/")[0] for part in values.get("exec_host", "").split("+") if part}
    return number(values.get("unique_node_count", "")) or len(hosts) or number(values.get(f"{ASKED}nodect", ""))


def _gpus_asked(values: Mapping[str, str], select: Sequence[Chunk]) -> Iterator[int]:
    """Yield the GPUs that a job asked for, each way in which it did."""
    yield _total(select, *GPUS)
    yield from (number(values.get(f"{ASKED}{word}", "")) for word in GPUS)
    yield from (_total([*_chunks(values.get(f"{ASKED}{word}", ""))], *GPUS) for word in NODES)


def _memory(values: Mapping[str, str], chunks: Sequence[Chunk], cpus: int) -> int:
    """Return the memory of a job in kilobytes, -1 if it did not ask for any; `pmem` is that of each process."""
    sizes = {word: kilobytes(values.get(f"{ASKED}{word}", "")) for word in ("mem", "pmem", "vmem", "pvmem")}
    of_chunks = sum(chunk.times * max(kilobytes(chunk.values.get("mem", "")), 0) for chunk in chunks)
    ways = (sizes["mem"], of_chunks, sizes["pmem"] * cpus, sizes["vmem"], sizes["pvmem"] * cpus)
    return next((size for size in ways if 0 < size < 2**53), UNKNOWN)


def kilobytes(text: str) -> int:
    """Return a size of memory in kilobytes, -1 if a text is none.

    Examples
    --------
    >>> kilobytes("4gb"), kilobytes("1000kb"), kilobytes("2048"), kilobytes("much")
    (4194304, 1000, 2, -1)
    """
    match = SIZE.fullmatch(text.lower())
    if match is None:
        return UNKNOWN
    size = int(match.group(1)) * SIZES[match.group(2)] * (8 if match.group(3) == "w" else 1)
    return size // 1024


def _of_vnodes(values: Mapping[str, str], what: str) -> int:
    """Return a number that a job has on its nodes, of exec_vnode=(n1:ncpus=4:mem=1gb)+(n2:ncpus=4), over all nodes."""
    parts = (part.partition("=") for part in re.split(r"[:+()]", values.get("exec_vnode", "")))
    return sum(number(value) for key, _, value in parts if key == what)


def _per_node(select: Sequence[Chunk], nodes: Sequence[Chunk], cpus: int, on_nodes: int, scattered: bool) -> int:
    """Return the processors that a job asked for on each node, 0 if this is not known or not the same number.

    Two chunks may be on one node unless they were scattered, or had as many nodes.
    """
    wanted = {number(chunk.values.get("ncpus", "1")) for chunk in select} or {
        number(chunk.values["ppn"]) if "ppn" in chunk.values else 0 for chunk in nodes
    }
    each = min(wanted, default=0)
    fits = len(wanted) == 1 and (scattered or each * on_nodes == cpus)
    return each if fits and each <= WIDEST else 0


def _constraint(values: Mapping[str, str], chunks: Sequence[Chunk]) -> str:
    """Return what the nodes of a job must have, as PBS writes it: what is neither a number nor a size."""
    of_chunks = (
        ":".join([*chunk.words, *(f"{key}={text}" for key, text in chunk.values.items() if not _is_amount(text))])
        for chunk in chunks
    )
    texts = [*of_chunks, values.get(f"{ASKED}feature", "")]
    return "+".join(dict.fromkeys(text for text in texts if text))


def _is_amount(text: str) -> bool:
    """Return whether a text is a number or a size."""
    return SIZE.fullmatch(text.lower()) is not None
